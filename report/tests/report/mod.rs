//! Every output format over one small run, and its guarantees for any text.

mod comparison;
mod compliance;
mod excerpts;
mod fixture;
mod formats;
mod guarantees;
mod sarif;
