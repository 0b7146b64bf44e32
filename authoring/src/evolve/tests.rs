//! Tests of evolution.
