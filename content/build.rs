//! Finds the rule pages, reads their headers and writes the table that `src/lib.rs` includes.
#![expect(unexpected_cfgs, reason = "set for the library, which alone has schemas")]

#[expect(dead_code, unreachable_pub, reason = "the build script uses the reader only")]
#[path = "src/page.rs"]
mod page;

use std::fmt::Write as _;
use std::path::{Path, PathBuf};
use std::{env, fs, io};

fn main() -> Result<(), Box<dyn std::error::Error>> {
    println!("cargo::rustc-check-cfg=cfg(schema)");
    println!("cargo::rustc-cfg=schema");
    let root = PathBuf::from(env::var("CARGO_MANIFEST_DIR")?);
    let out = PathBuf::from(env::var("OUT_DIR")?);
    let mut pages = Vec::new();
    find(&root.join("rules"), &mut pages)?;
    pages.sort();

    let mut table = String::from(
        "/// Every shipped rule page, ordered by id.\npub static PAGES: &[Shipped] = &[\n",
    );
    let mut headers = Vec::new();
    for path in &pages {
        let text = fs::read_to_string(path)?;
        let id = id(&root.join("rules"), path);
        let header = page::header(&text).map_err(|error| format!("{}: {error}", path.display()))?;
        let (_, body) = page::split(&text)?;
        let body = &text[body];
        if page::title(body) != Some(&id) {
            return Err(format!("{}: the title must be `# {id}`", path.display()).into());
        }
        headers.push((header, page::summary(body)));
        writeln!(table, "    Shipped {{ id: {id:?}, text: include_str!({path:?}) }},")?;
    }
    table.push_str("];\n\nstatic HEADERS: &[u8] = include_bytes!(concat!(env!(\"OUT_DIR\"), \"/headers.bin\"));\n");
    fs::write(out.join("headers.bin"), postcard::to_allocvec(&headers)?)?;
    fs::write(out.join("pages.rs"), table)?;
    Ok(())
}

/// The id of a page: its path below `rules`, with `/` and without `.md`.
fn id(root: &Path, path: &Path) -> String {
    let relative = path.strip_prefix(root).unwrap_or(path).with_extension("");
    let segments: Vec<_> = relative.iter().map(|segment| segment.to_string_lossy()).collect();
    segments.join("/")
}

fn find(folder: &Path, pages: &mut Vec<PathBuf>) -> io::Result<()> {
    println!("cargo::rerun-if-changed={}", folder.display());
    for entry in fs::read_dir(folder)? {
        let path = entry?.path();
        if path.is_dir() {
            find(&path, pages)?;
        } else if path.extension().is_some_and(|extension| extension == "md") {
            println!("cargo::rerun-if-changed={}", path.display());
            pages.push(path);
        }
    }
    Ok(())
}
