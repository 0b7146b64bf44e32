//! Finds the rule pages and the guidance, parses their headers and writes the tables that
//! `src/lib.rs` includes.

use aidd_page as page;
use std::collections::BTreeSet;
use std::error::Error;
use std::fmt::Write as _;
use std::path::{Path, PathBuf};
use std::{env, fs, io};

fn main() -> Result<(), Box<dyn Error>> {
    let root = PathBuf::from(env::var("CARGO_MANIFEST_DIR")?);
    let out = PathBuf::from(env::var("OUT_DIR")?);
    let mut pages = Vec::new();
    collect_pages(&root.join("rules"), &mut pages)?;
    pages.sort_by_key(|path| id(&root.join("rules"), path));

    let mut table = String::from("static PAGES: &[ShippedPage] = &[\n");
    let mut header_tables = HeaderTables::default();
    for path in &pages {
        let text = fs::read_to_string(path)?;
        let id = id(&root.join("rules"), path);
        let header = page::header(&text).map_err(|error| format!("{}: {error}", path.display()))?;
        let (_, body) = page::split(&text)?;
        let body = &text[body];
        if page::title(body) != Some(&id) {
            return Err(format!("{}: the title must be `# {id}`", path.display()).into());
        }
        let summary = header.summary.clone().unwrap_or_else(|| page::summary(body));
        header_tables.add(&id, header, summary)?;
        writeln!(table, "    ShippedPage {{ id: {id:?}, text: include_str!({path:?}) }},")?;
    }
    table.push_str("];\n\n");
    table.push_str(&header_tables.tables()?);
    fs::write(out.join("headers.bin"), &header_tables.bytes)?;
    fs::write(out.join("pages.rs"), table)?;
    fs::write(out.join("packs.rs"), pack_table(&root, &out)?)?;
    fs::write(out.join("guidance.rs"), guidance_table(&root)?)?;
    fs::write(out.join("clients.rs"), client_table(&root.join("hooks"))?)?;
    Ok(())
}

/// The tables of the headers of rule pages: the headers as bytes, each decoded when its rule is
/// first used, and the fields that are needed at every start.
#[derive(Default)]
struct HeaderTables {
    bytes: Vec<u8>,
    rows: String,
    count: u16,
    /// Ids and aliases of rules, each with the index of the page.
    names: BTreeSet<(String, u16)>,
    /// Keywords of text patterns, each with the index of the page; the empty word for a pattern
    /// that is tried on every text.
    keywords: BTreeSet<(String, u16)>,
    /// Languages of syntax patterns, each with the index of the page.
    languages: BTreeSet<(String, u16)>,
}

impl HeaderTables {
    fn add(
        &mut self,
        id: &str,
        header: page::Header,
        summary: String,
    ) -> Result<(), Box<dyn Error>> {
        let (page, at) = (self.count, u32::try_from(self.bytes.len())?);
        self.count = page.checked_add(1).ok_or("too many pages")?;
        let lower = |word: &String| (word.to_ascii_lowercase(), page);
        self.names.insert((id.to_ascii_lowercase(), page));
        self.names.extend(header.aliases.iter().map(lower));
        let check = header.check.as_ref();
        if let Some(text) = check.and_then(|check| check.text.as_ref()) {
            self.keywords.extend(text.words().into_iter().map(|word| (word, page)));
        }
        if let Some(syntax) = check.and_then(|check| check.syntax.as_ref()) {
            self.languages.extend(syntax.language.iter().map(lower));
        }
        let form = check.and_then(page::CheckHeader::form);
        let form = form.map_or("None".to_owned(), |form| format!("Some(Form::{form:?})"));
        writeln!(
            self.rows,
            "    StartupFields {{ severity: Severity::{:?}, enabled: {}, form: {form}, has_condition: {}, requires: {}, at: {at} }},",
            header.severity,
            header.enabled,
            check.is_some_and(|check| !check.when.is_empty()),
            check.is_some_and(page::CheckHeader::requires),
        )?;
        self.bytes.extend(postcard::to_allocvec(&(header, summary))?);
        Ok(())
    }

    fn tables(&self) -> Result<String, Box<dyn Error>> {
        let mut table = format!(
            "static HEADERS: &[u8] = include_bytes!(concat!(env!(\"OUT_DIR\"), \"/headers.bin\"));\n\n\
             static STARTUP_FIELDS: &[StartupFields] = &[\n{}];\n",
            self.rows
        );
        let tables =
            [("NAMES", &self.names), ("KEYWORDS", &self.keywords), ("LANGUAGES", &self.languages)];
        for (name, words) in tables {
            let (mut text, mut at) = (String::new(), String::new());
            for (word, page) in words {
                write!(at, "({}, {page}), ", text.len())?;
                text.push_str(word);
            }
            write!(
                table,
                "\nstatic {name}: WordIndex = WordIndex {{\n    text: {text:?},\n    at: &[{at}],\n}};\n"
            )?;
        }
        Ok(table)
    }
}

/// Generates the table of the files for clients: `hooks/<client>/<path in the project>`.
fn client_table(root: &Path) -> Result<String, Box<dyn Error>> {
    let mut files = Vec::new();
    collect_files(root, &mut files)?;
    files.sort();
    let mut table = String::from("static TEMPLATES: &[Template] = &[\n");
    for file in &files {
        let relative = file.strip_prefix(root)?;
        let names: Vec<_> = relative.iter().map(|name| name.to_string_lossy()).collect();
        let Some((client, rest)) = names.split_first() else { continue };
        // Pages next to the clients' directories apply to all clients.
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

/// Collects all files below a directory.
fn collect_files(directory: &Path, files: &mut Vec<PathBuf>) -> io::Result<()> {
    println!("cargo::rerun-if-changed={}", directory.display());
    for entry in fs::read_dir(directory)? {
        let path = entry?.path();
        if path.is_dir() {
            collect_files(&path, files)?;
        } else {
            println!("cargo::rerun-if-changed={}", path.display());
            files.push(path);
        }
    }
    Ok(())
}

/// Generates the table of the packs; a header that cannot be parsed fails the build.
fn pack_table(root: &Path, out: &Path) -> Result<String, Box<dyn Error>> {
    let mut pages = Vec::new();
    collect_pages(&root.join("packs"), &mut pages)?;
    pages.sort_by_key(|path| id(&root.join("packs"), path));
    let mut table = String::from("static PACKS: &[ShippedPage] = &[\n");
    let (mut bytes, mut at) = (Vec::new(), String::new());
    for path in &pages {
        let text = fs::read_to_string(path)?;
        let pack = page::pack(&text).map_err(|error| format!("{}: {error}", path.display()))?;
        write!(at, "{}, ", bytes.len())?;
        bytes.extend(postcard::to_allocvec(&pack)?);
        let id = id(&root.join("packs"), path);
        writeln!(table, "    ShippedPage {{ id: {id:?}, text: include_str!({path:?}) }},")?;
    }
    write!(
        table,
        "];\n\nstatic PACK_HEADERS: &[u8] = include_bytes!(concat!(env!(\"OUT_DIR\"), \"/packs.bin\"));\n\
         static PACKS_AT: &[u32] = &[{at}];\n"
    )?;
    fs::write(out.join("packs.bin"), bytes)?;
    Ok(table)
}

/// The directories that contain guidance, in addition to `AGENTS.md`.
const GUIDANCE: [&str; 9] = [
    "agents",
    "directives",
    "guidance",
    "knowledge",
    "prompts",
    "skills",
    "specs",
    "templates",
    "workflows",
];

/// Generates the table of the guidance pages. Headers are converted to JSON, which is parsed a
/// hundred times faster than YAML.
fn guidance_table(root: &Path) -> Result<String, Box<dyn Error>> {
    let mut pages = vec![root.join("AGENTS.md")];
    println!("cargo::rerun-if-changed={}", pages[0].display());
    for directory in GUIDANCE {
        collect_pages(&root.join(directory), &mut pages)?;
    }
    pages.sort();
    let mut table = String::from("static GUIDANCE: &[Guide] = &[\n");
    let mut reviewed = String::new();
    for path in &pages {
        let text = fs::read_to_string(path)?;
        let error_at = |error: &dyn std::fmt::Display| format!("{}: {error}", path.display());
        let (yaml, body) = page::split(&text).map_err(|error| error_at(&error))?;
        let header: serde_json::Value =
            serde_saphyr::from_str(&text[yaml]).map_err(|error| error_at(&error))?;
        let summary = header["summary"].as_str().unwrap_or_default();
        if summary.is_empty() || summary.chars().count() > 140 {
            return Err(error_at(&"the summary must have 1 to 140 characters").into());
        }
        let name = format!("{}.md", id(root, path));
        let label = header["name"].as_str().unwrap_or_default();
        let (json, at) = (header.to_string(), body.start);
        if name.starts_with("knowledge/") {
            let date = header["last_updated"].as_str().unwrap_or_default();
            // ISO dates sort correctly as strings.
            if date > &*reviewed {
                date.clone_into(&mut reviewed);
            }
        }
        writeln!(
            table,
            "    Guide {{ path: {name:?}, name: {label:?}, summary: {summary:?}, header: {json:?}, text: include_str!({path:?}), body: {at} }},"
        )?;
    }
    table.push_str("];\n");
    writeln!(table, "const REVIEWED: &str = {reviewed:?};")?;
    Ok(table)
}

/// The id of a page: its path below `root`, with `/` and without `.md`.
fn id(root: &Path, path: &Path) -> String {
    let relative = path.strip_prefix(root).unwrap_or(path).with_extension("");
    let segments: Vec<_> = relative.iter().map(|segment| segment.to_string_lossy()).collect();
    segments.join("/")
}

fn collect_pages(directory: &Path, pages: &mut Vec<PathBuf>) -> io::Result<()> {
    println!("cargo::rerun-if-changed={}", directory.display());
    for entry in fs::read_dir(directory)? {
        let path = entry?.path();
        if path.is_dir() {
            collect_pages(&path, pages)?;
        } else if path.extension().is_some_and(|extension| extension == "md") {
            println!("cargo::rerun-if-changed={}", path.display());
            pages.push(path);
        }
    }
    Ok(())
}
