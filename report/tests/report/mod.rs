//! Tests of every output format on one small run, and of guarantees for any text.

mod comparison;
mod compliance;
mod excerpts;
mod fixture;
mod formats;
mod guarantees;
mod sarif;
