//! Writes the table of tokens that `src/tokens.rs` includes.

use std::error::Error;
use std::path::PathBuf;
use std::{env, fs};

/// Writes the tokens of the public encoding `o200k_base` with their ranks, by which they are merged,
/// as a map of the `fst` crate.
fn main() -> Result<(), Box<dyn Error>> {
    println!("cargo::rerun-if-changed=build.rs");
    let encoding = tiktoken_rs::o200k_base()?;
    let mut tokens = Vec::new();
    // Ranks have no gaps: the first that is missing is the end of the table.
    while let Ok(token) = encoding.decode_bytes(&[u32::try_from(tokens.len())?]) {
        tokens.push(token);
    }
    let mut ranked: Vec<(Vec<u8>, u64)> = tokens.into_iter().zip(0..).collect();
    ranked.sort();
    let table = fst::Map::from_iter(ranked)?;
    let out = PathBuf::from(env::var("OUT_DIR")?);
    fs::write(out.join("tokens.fst"), table.as_fst().as_bytes())?;
    Ok(())
}
