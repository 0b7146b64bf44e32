//! Finds the rule pages and the guidance, reads their headers and writes the tables that `src/lib.rs`
//! includes.
#![expect(unexpected_cfgs, reason = "set for the library, which alone has schemas")]

#[expect(
    dead_code,
    unreachable_pub,
    unused_imports,
    reason = "the build script uses the reader only"
)]
#[path = "src/page/mod.rs"]
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
    pages.sort_by_key(|path| id(&root.join("rules"), path));

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
    fs::write(out.join("packs.rs"), packs(&root)?)?;
    fs::write(out.join("guidance.rs"), guidance(&root)?)?;
    fs::write(out.join("clients.rs"), clients(&root.join("hooks"))?)?;
    tokens(&out.join("tokens.fst"))
}

/// The tokens of the public encoding `o200k_base` with their ranks, by which they are merged. Written
/// once: a new version of the library has another folder.
fn tokens(file: &Path) -> Result<(), Box<dyn std::error::Error>> {
    if file.exists() {
        return Ok(());
    }
    let encoding = tiktoken_rs::o200k_base()?;
    let mut tokens = Vec::new();
    // Ranks have no gaps: the first that is none is the end of the table.
    while let Ok(token) = encoding.decode_bytes(&[u32::try_from(tokens.len())?]) {
        tokens.push(token);
    }
    let mut ranked: Vec<(Vec<u8>, u64)> = tokens.into_iter().zip(0..).collect();
    ranked.sort();
    let table = fst::Map::from_iter(ranked)?;
    fs::write(file, table.as_fst().as_bytes())?;
    Ok(())
}

/// The table of what clients of agents are given: `hooks/<client>/<path in the project>`.
fn clients(root: &Path) -> Result<String, Box<dyn std::error::Error>> {
    let mut files = Vec::new();
    every(root, &mut files)?;
    files.sort();
    let mut table = String::from(
        "/// What each client is given, ordered by client and path.\npub static TEMPLATES: &[Template] = &[\n",
    );
    for file in &files {
        let below = file.strip_prefix(root)?;
        let names: Vec<_> = below.iter().map(|name| name.to_string_lossy()).collect();
        let Some((client, rest)) = names.split_first() else { continue };
        // What lies beside the clients' folders is common to them.
        if rest.is_empty() {
            continue;
        }
        let path = rest.join("/");
        writeln!(
            table,
            "    Template {{ client: {client:?}, path: {path:?}, text: include_str!({file:?}) }},"
        )?;
    }
    table.push_str("];\n");
    Ok(table)
}

/// All files below a folder.
fn every(folder: &Path, files: &mut Vec<PathBuf>) -> io::Result<()> {
    println!("cargo::rerun-if-changed={}", folder.display());
    for entry in fs::read_dir(folder)? {
        let path = entry?.path();
        if path.is_dir() {
            every(&path, files)?;
        } else {
            println!("cargo::rerun-if-changed={}", path.display());
            files.push(path);
        }
    }
    Ok(())
}

/// The table of the packs; a header that cannot be read ends the build.
fn packs(root: &Path) -> Result<String, Box<dyn std::error::Error>> {
    let mut pages = Vec::new();
    find(&root.join("packs"), &mut pages)?;
    pages.sort();
    let mut table =
        String::from("/// Every shipped pack, ordered by id.\npub static PACKS: &[Shipped] = &[\n");
    for path in &pages {
        let text = fs::read_to_string(path)?;
        page::pack(&text).map_err(|error| format!("{}: {error}", path.display()))?;
        let id = id(&root.join("packs"), path);
        writeln!(table, "    Shipped {{ id: {id:?}, text: include_str!({path:?}) }},")?;
    }
    table.push_str("];\n");
    Ok(table)
}

/// The folders of [`guidance`], beside `AGENTS.md`.
const GUIDANCE: [&str; 8] =
    ["agents", "guidance", "knowledge", "prompts", "skills", "specs", "templates", "workflows"];

/// The table of all other pages. Headers become JSON, which is read in a hundredth of the time.
fn guidance(root: &Path) -> Result<String, Box<dyn std::error::Error>> {
    let mut pages = vec![root.join("AGENTS.md")];
    println!("cargo::rerun-if-changed={}", pages[0].display());
    for folder in GUIDANCE {
        find(&root.join(folder), &mut pages)?;
    }
    pages.sort();
    let mut table = String::from(
        "/// Every shipped page of guidance, ordered by path.\npub static GUIDANCE: &[Guide] = &[\n",
    );
    for path in &pages {
        let text = fs::read_to_string(path)?;
        let said = |error: &dyn std::fmt::Display| format!("{}: {error}", path.display());
        let (yaml, body) = page::split(&text).map_err(|error| said(&error))?;
        let header: serde_json::Value =
            serde_saphyr::from_str(&text[yaml]).map_err(|error| said(&error))?;
        let summary = header["summary"].as_str().unwrap_or_default();
        if summary.is_empty() || summary.chars().count() > 140 {
            return Err(said(&"a summary of 1 to 140 characters is missing").into());
        }
        let name = format!("{}.md", id(root, path));
        let header = header.to_string();
        let at = body.start;
        writeln!(
            table,
            "    Guide {{ path: {name:?}, header: {header:?}, text: include_str!({path:?}), body: {at} }},"
        )?;
    }
    table.push_str("];\n");
    Ok(table)
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
