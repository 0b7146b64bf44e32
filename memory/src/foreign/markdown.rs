//! Reads Markdown files as drafts: conventions, known problems and decisions of `CLAUDE.md` and
//! `AGENTS.md`, and records of architecture decisions.

use super::records::{self, Page};
use super::{Format, ImportedFile, draft, put};
use aidd_engine::parse::lines::types::{Entry, Kind};

/// Files with guidance for agents.
const GUIDANCE: [&str; 4] = ["claude.md", "agents.md", "gemini.md", "claude.local.md"];
/// Pages of a directory of records that are no records.
const NO_RECORDS: [&str; 3] = ["readme.md", "index.md", "template.md"];

/// Words of headings whose list items are conventions.
const CONVENTION_WORDS: [&str; 8] =
    ["convention", "style", "rule", "must", "never", "guideline", "standard", "principle"];
/// Words of headings whose list items are known problems.
const PROBLEM_WORDS: [&str; 4] = ["known problem", "known issue", "gotcha", "pitfall"];
/// Words of headings whose sentences are decisions.
const DECISION_WORDS: [&str; 2] = ["decision", "architecture"];

/// Whether a file can be read as drafts.
pub(super) fn is_readable(name: &str, bytes: &[u8]) -> bool {
    is_guidance(name)
        || (name.to_ascii_lowercase().ends_with(".md")
            && records::parse(&String::from_utf8_lossy(bytes)).is_some())
}

fn file_name(path: &str) -> &str {
    path.rsplit(['/', '\\']).next().unwrap_or(path)
}

fn is_guidance(path: &str) -> bool {
    GUIDANCE.contains(&&*file_name(path).to_ascii_lowercase())
}

/// Reads the memories of one file.
pub(super) fn read(name: &str, text: &str) -> ImportedFile {
    let mut read = ImportedFile::new(Format::Markdown);
    read_pages(&[(file_name(name).to_owned(), text.to_owned())], &mut read);
    read
}

/// Reads the pages of a directory, each with its path in the directory.
pub(super) fn read_pages(pages: &[(String, String)], read: &mut ImportedFile) {
    let mut parsed: Vec<(&str, &str, Page)> = Vec::new();
    for (path, text) in pages {
        if is_guidance(path) {
            guidance(path, text, read);
        } else if NO_RECORDS.contains(&&*file_name(path).to_ascii_lowercase()) {
            read.skip(path, "it is no record of a decision");
        } else if let Some(page) = records::parse(text) {
            parsed.push((path, text, page));
        } else {
            read.skip(path, "it has no section `Decision`");
        }
    }
    records::add(&parsed, read);
}

/// A section of a page: the heading in lower case, and the lines below it.
fn sections(text: &str) -> Vec<(String, Vec<&str>)> {
    let mut sections: Vec<(String, Vec<&str>)> = vec![(String::new(), Vec::new())];
    let (mut in_code, mut in_managed_block) = (false, false);
    for line in text.lines() {
        let trimmed = line.trim();
        if trimmed.starts_with("```") || trimmed.starts_with("~~~") {
            in_code = !in_code;
            continue;
        }
        if trimmed.starts_with("<!--") {
            let words = trimmed.to_ascii_lowercase();
            if words.contains("aidd") {
                in_managed_block = !words.contains("end") && !words.contains("/aidd");
            }
            continue;
        }
        if in_code || in_managed_block || trimmed.starts_with('@') {
            continue;
        }
        if trimmed.starts_with('#') {
            let heading = trimmed.trim_start_matches('#').trim().to_lowercase();
            sections.push((heading, Vec::new()));
        } else if let Some((_, lines)) = sections.last_mut() {
            lines.push(line);
        }
    }
    sections
}

/// The items of the lists in some lines. Indented lines continue an item.
fn items(lines: &[&str]) -> Vec<String> {
    let mut items: Vec<String> = Vec::new();
    let mut in_item = false;
    for line in lines {
        let trimmed = line.trim();
        let bullet = ["- ", "* ", "+ "].iter().find_map(|bullet| trimmed.strip_prefix(bullet));
        match bullet {
            Some(item) => {
                items.push(item.trim().to_owned());
                in_item = true;
            }
            None if in_item && line.starts_with(' ') && !trimmed.is_empty() => {
                if let Some(last) = items.last_mut() {
                    last.push(' ');
                    last.push_str(trimmed);
                }
            }
            None => in_item = false,
        }
    }
    items
}

/// The sentences of the paragraphs in some lines.
pub(super) fn sentences(lines: &[&str]) -> Vec<String> {
    let is_text = |line: &&&str| {
        let line = line.trim();
        !line.starts_with(['-', '*', '+', '|', '>']) && !line.starts_with("[")
    };
    let text: Vec<&str> = lines.iter().filter(is_text).map(|line| line.trim()).collect();
    let mut sentences = Vec::new();
    for paragraph in text.split(|line| line.is_empty()) {
        let mut rest = &*paragraph.join(" ");
        while let Some(end) = rest.find(". ") {
            sentences.push(rest[..=end].trim().to_owned());
            rest = rest[end + 1..].trim_start();
        }
        sentences.push(rest.trim().to_owned());
    }
    sentences.retain(|sentence| !sentence.is_empty());
    sentences
}

fn guidance(path: &str, text: &str, read: &mut ImportedFile) {
    let sections = sections(text);
    let has_headings = sections.len() > 1;
    let before = read.entries.len();
    for (heading, lines) in &sections {
        let has_word = |words: &[&str]| words.iter().any(|word| heading.contains(word));
        let mut add = |kind: Kind, content: &str, fix: Option<&str>| {
            let mut entry = guidance_draft(kind, path, heading, content);
            put(&mut entry.metadata, "fix", fix);
            if !read.entries.iter().any(|known| known.id == entry.id) {
                read.entries.push(entry);
            }
        };
        if has_word(&PROBLEM_WORDS) {
            for item in items(lines) {
                match item.split_once("Fix:") {
                    Some((problem, fix)) => add(Kind::Mistake, problem.trim(), Some(fix.trim())),
                    None => add(Kind::Mistake, &item, None),
                }
            }
        } else if has_word(&CONVENTION_WORDS) || !has_headings {
            items(lines).iter().for_each(|item| add(Kind::Convention, item, None));
        } else {
            let is_decision =
                |sentence: &&String| has_word(&DECISION_WORDS) || sentence.contains(" because ");
            let sentences = sentences(lines);
            sentences.iter().filter(is_decision).for_each(|it| add(Kind::Decision, it, None));
        }
    }
    if read.entries.len() == before {
        read.skip(path, "it has no lists of conventions, known problems or decisions");
    }
}

fn guidance_draft(kind: Kind, path: &str, heading: &str, content: &str) -> Entry {
    let mut entry = draft(kind, "markdown", &[path, content], content.to_owned());
    put(&mut entry.metadata, "sourcePath", path);
    put(&mut entry.metadata, "section", heading);
    if let Some((directory, _)) = path.rsplit_once('/') {
        put(&mut entry.metadata, "scope", directory);
    }
    entry
}
