//! Writes the tables that the crate includes: the tokens and the word lists.

#![expect(
    clippy::disallowed_methods,
    reason = "a build script reads its input and writes its output"
)]

#[path = "src/tables/parse.rs"]
mod tables;

use std::error::Error;
use std::fmt::Write as _;
use std::path::{Path, PathBuf};
use std::{env, fs};

/// Writes the tokens of the public encoding `o200k_base`, with their merge ranks, as an `fst` map.
fn main() -> Result<(), Box<dyn Error>> {
    println!("cargo::rerun-if-changed=build.rs");
    println!("cargo::rerun-if-changed=tables");
    let encoding = tiktoken_rs::o200k_base()?;
    let mut tokens = Vec::new();
    // Ranks have no gaps, so the table ends at the first missing rank.
    while let Ok(token) = encoding.decode_bytes(&[u32::try_from(tokens.len())?]) {
        tokens.push(token);
    }
    let mut ranked: Vec<(Vec<u8>, u64)> = tokens.into_iter().zip(0..).collect();
    ranked.sort();
    let table = fst::Map::from_iter(ranked)?;
    let out = PathBuf::from(env::var("OUT_DIR")?);
    let root = PathBuf::from(env::var("CARGO_MANIFEST_DIR")?);
    fs::write(out.join("tables.rs"), generate_tables(&root.join("tables"))?)?;
    fs::write(out.join("tokens.fst"), table.as_fst().as_bytes())?;
    Ok(())
}

/// Generates a module for each table of words and constants; a malformed table fails the build.
fn generate_tables(root: &Path) -> Result<String, Box<dyn Error>> {
    let mut files = fs::read_dir(root)?
        .map(|entry| entry.map(|entry| entry.path()))
        .collect::<Result<Vec<_>, _>>()?;
    files.sort();
    let mut code = String::new();
    for file in &files {
        let text = fs::read_to_string(file)?;
        let sections = tables::parse(&file.display().to_string(), &text)?;
        let module = file.file_stem().unwrap_or_default().to_string_lossy();
        writeln!(code, "/// `tables/{module}.txt`.\npub mod {module} {{")?;
        let mut lists = String::new();
        let mut count = 0_usize;
        for section in &sections {
            let name = &section.name;
            if let tables::Kind::Constants(kind) = &section.kind {
                let module = name.replace([' ', '-'], "_");
                writeln!(code, "/// Section `{name}`.\npub mod {module} {{")?;
                for (key, value) in
                    section.entries.iter().filter_map(|entry| entry.split_once(" = "))
                {
                    let key_name = constant_name(key);
                    writeln!(code, "/// {key}\npub const {key_name}: {kind} = {value};")?;
                }
                code.push_str("}\n");
                continue;
            }
            let starts = section.entries.iter().scan(0, |end, entry| {
                let start = *end;
                *end += entry.len();
                Some(start.to_string())
            });
            let (starts, text) = (starts.collect::<Vec<_>>().join(", "), section.entries.concat());
            let (id, is_sorted) = (constant_name(name), section.kind == tables::Kind::Sorted);
            writeln!(
                code,
                "/// Section `{name}`.\npub static {id}: super::List = super::List {{ text: {text:?}, starts: &[{starts}], is_sorted: {is_sorted} }};"
            )?;
            writeln!(
                lists,
                "super::Section {{ name: {name:?}, note: {:?}, words: {id} }},",
                section.note
            )?;
            count += 1;
        }
        writeln!(
            code,
            "/// All sections of words, in order.\npub static SECTIONS: [super::Section; {count}] = [{lists}];\n}}"
        )?;
    }
    Ok(code)
}

/// Converts a name such as `open keys` to the name of a constant.
fn constant_name(name: &str) -> String {
    name.replace([' ', '-'], "_").to_ascii_uppercase()
}
