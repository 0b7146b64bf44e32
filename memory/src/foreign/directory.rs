//! Reads a path: a file, an SQLite database, or a directory with the memories of serena, the logs
//! and packs of Memory v2, or Markdown files.
#![expect(clippy::disallowed_methods, reason = "reads what the user names")]

use super::{Format, ImportOptions, ImportedFile, database, entry, markdown, put, read};
use crate::MemoryError;
use aidd_engine::parse::lines::id;
use aidd_engine::parse::lines::types::{Entry, Kind, Link, Relation};
use std::collections::{BTreeMap, BTreeSet};
use std::fs::{self, File};
use std::io::Read;
use std::path::{Path, PathBuf};

/// Maximum size of a file, in bytes.
pub(super) const MAX_FILE_BYTES: u64 = 256 << 20;
/// Maximum size of a Markdown file, in bytes.
const MAX_PAGE_BYTES: u64 = 1 << 20;
/// Maximum number of files of a directory.
const MAX_FILES: usize = 10_000;
/// Maximum nesting of directories.
const MAX_DEPTH: usize = 8;
/// Directories without memories.
const IGNORED_DIRECTORIES: [&str; 3] = ["node_modules", "target", "vendor"];

/// Reads the file or directory at `path`; `name` is its name in messages.
///
/// # Errors
/// When the path cannot be read, its format is unknown, or it is not of the requested format.
pub fn read_path(
    path: &Path,
    name: &str,
    options: &ImportOptions,
) -> Result<ImportedFile, MemoryError> {
    if fs::metadata(path).map_err(MemoryError::io(path))?.is_dir() {
        return read_directory(path, name, options);
    }
    let bytes = bytes(path, name, MAX_FILE_BYTES)?;
    if database::is_database(&bytes) {
        drop(bytes);
        return database::read(path, name, options);
    }
    read(name, &bytes, options.format)
}

fn bytes(path: &Path, name: &str, max: u64) -> Result<Vec<u8>, MemoryError> {
    let file = File::open(path).map_err(MemoryError::io(path))?;
    let mut bytes = Vec::new();
    let mut start = [0; 16];
    // Databases are copied, not read as a whole.
    let length = (&file).take(16).read(&mut start).map_err(MemoryError::io(path))?;
    bytes.extend_from_slice(&start[..length]);
    if database::is_database(&bytes) {
        return Ok(bytes);
    }
    file.take(max).read_to_end(&mut bytes).map_err(MemoryError::io(path))?;
    if bytes.len() as u64 > max {
        let message = format!("{name} is larger than {} MB; split the file", max >> 20);
        return Err(MemoryError::Invalid(message));
    }
    Ok(bytes)
}

fn read_directory(
    path: &Path,
    name: &str,
    options: &ImportOptions,
) -> Result<ImportedFile, MemoryError> {
    let first_existing = |folders: &[&str]| {
        folders.iter().map(|folder| path.join(folder)).find(|folder| folder.is_dir())
    };
    let serena = first_existing(&[".serena/memories"]).or_else(|| {
        let is_serena = path.ends_with(".serena/memories") || path.ends_with(".serena");
        is_serena.then(|| first_existing(&["memories"]).unwrap_or_else(|| path.to_owned()))
    });
    let reports = first_existing(&["aidd/reports/memory", "reports/memory"])
        .into_iter()
        .chain([path.to_owned()])
        .find(|folder| !files(folder, 0, &is_log_or_pack).is_empty());
    let wants = |format| options.format.is_none_or(|requested| requested == format);
    match (serena, reports) {
        (Some(folder), _) if wants(Format::Serena) => read_serena(&folder),
        (None, _) if options.format == Some(Format::Serena) => read_serena(path),
        (_, Some(folder)) if wants(Format::MemoryV2) => read_reports(&folder),
        _ if wants(Format::Markdown) => read_pages(path, name),
        _ => Err(MemoryError::Invalid(format!("{name} has no memories of that format"))),
    }
}

fn is_log_or_pack(name: &str) -> bool {
    [".decisions.jsonl", ".decisions.pack.json", ".semantic.pack.json"]
        .iter()
        .any(|suffix| name.ends_with(suffix))
}

fn is_page(name: &str) -> bool {
    name.to_ascii_lowercase().ends_with(".md")
}

/// The files with accepted names below a directory, ordered by path relative to it; links and
/// hidden directories are not followed.
fn files(
    folder: &Path,
    depth: usize,
    is_accepted: &dyn Fn(&str) -> bool,
) -> Vec<(String, PathBuf)> {
    let mut found = Vec::new();
    let mut pending = vec![(String::new(), folder.to_owned(), 0)];
    while let Some((prefix, folder, level)) = pending.pop() {
        for entry in fs::read_dir(&folder).into_iter().flatten().flatten() {
            let Ok(file_type) = entry.file_type() else { continue };
            let name = entry.file_name().to_string_lossy().into_owned();
            let relative = format!("{prefix}{name}");
            if file_type.is_dir() {
                let is_ignored = name.starts_with('.') || IGNORED_DIRECTORIES.contains(&&*name);
                if level < depth && !is_ignored {
                    pending.push((format!("{relative}/"), entry.path(), level + 1));
                }
            } else if file_type.is_file() && is_accepted(&name) && found.len() < MAX_FILES {
                found.push((relative, entry.path()));
            }
        }
    }
    found.sort();
    found
}

/// The texts of the pages below a directory.
fn pages(folder: &Path, read: &mut ImportedFile) -> Vec<(String, String)> {
    let mut pages = Vec::new();
    for (name, path) in files(folder, MAX_DEPTH, &is_page) {
        match bytes(&path, &name, MAX_PAGE_BYTES) {
            Ok(bytes) => pages.push((name, String::from_utf8_lossy(&bytes).into_owned())),
            Err(error) => read.skip(name, error.to_string()),
        }
    }
    pages
}

/// Reads the logs of a directory, and the packs of tickets without a log.
fn read_reports(folder: &Path) -> Result<ImportedFile, MemoryError> {
    let mut all = ImportedFile::new(Format::MemoryV2);
    let files = files(folder, 0, &is_log_or_pack);
    let tickets: BTreeSet<String> = files
        .iter()
        .filter_map(|(name, _)| Some(name.strip_suffix(".decisions.jsonl")?.to_owned()))
        .collect();
    for (name, path) in &files {
        let ticket = name.strip_suffix(".decisions.pack.json");
        if ticket.is_some_and(|ticket| tickets.contains(ticket)) {
            continue;
        }
        let bytes = bytes(path, name, MAX_FILE_BYTES)?;
        let file = read(name, &bytes, Some(Format::MemoryV2))?;
        all.adds_only_new |= file.adds_only_new;
        all.add(file, name);
    }
    Ok(all)
}

/// The memory that serena writes itself.
const SERENA_OWN: &str = "memory_maintenance";

fn read_serena(folder: &Path) -> Result<ImportedFile, MemoryError> {
    let mut read = ImportedFile::new(Format::Serena);
    let mut ids: BTreeMap<String, String> = BTreeMap::new();
    let pages = pages(folder, &mut read);
    if pages.is_empty() {
        let message = format!("{} contains no Markdown files", folder.display());
        return Err(MemoryError::Invalid(message));
    }
    let mut memories: Vec<(Entry, String)> = Vec::new();
    for (name, text) in pages {
        let name = name.strip_suffix(".md").unwrap_or(&name).to_owned();
        if name == SERENA_OWN {
            read.skip(name, "serena wrote it itself");
            continue;
        }
        let lines = text.lines().map(|line| line.trim().trim_start_matches('#').trim());
        let Some(content) = lines.into_iter().find(|line| !line.is_empty()).map(str::to_owned)
        else {
            read.skip(name, "it is empty");
            continue;
        };
        let key = id::digest(&[&name, &text]);
        let mut entry = entry(Kind::Context, 0, "serena", &key, content);
        put(&mut entry.metadata, "text", text.trim().to_owned());
        put(&mut entry.metadata, "source", "serena");
        ids.insert(name.clone(), entry.id.clone());
        entry.topic = Some(name);
        memories.push((entry, text));
    }
    for (entry, text) in memories {
        let mut targets: BTreeSet<&str> = BTreeSet::new();
        for part in text.split("mem:").skip(1) {
            let is_in_name = |c: char| c.is_alphanumeric() || matches!(c, '_' | '-' | '/' | '.');
            let end = part.find(|c| !is_in_name(c)).unwrap_or(part.len());
            targets.extend(ids.get(part[..end].trim_end_matches('.')).map(String::as_str));
        }
        targets.remove(&*entry.id);
        let link = |to| Link { from: entry.id.clone(), ..Link::new(Relation::RelatesTo, to) };
        read.links.extend(targets.into_iter().map(link));
        read.entries.push(entry);
    }
    Ok(read)
}

/// Reads Markdown files as drafts.
fn read_pages(folder: &Path, name: &str) -> Result<ImportedFile, MemoryError> {
    let mut read = ImportedFile::new(Format::Markdown);
    let pages = pages(folder, &mut read);
    markdown::read_pages(&pages, &mut read);
    if read.entries.is_empty() {
        return Err(MemoryError::Invalid(format!(
            "{name} contains no memories in a supported format: no logs or packs of Memory v2, no \
             memories of serena, no CLAUDE.md or AGENTS.md, and no decision records"
        )));
    }
    Ok(read)
}
