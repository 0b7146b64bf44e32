//! `aidd`.
fn main() {}
