//! Reads records of architecture decisions, in the form of Nygard and of MADR, as drafts of
//! decisions.

use super::markdown::sentences;
use super::{ImportedFile, draft, put};
use crate::times::millis;
use aidd_engine::parse::lines::types::{Kind, Link, Relation, Status};
use serde_json::Value;
use std::collections::BTreeMap;

/// A decision record of a document.
pub(super) struct Page {
    title: String,
    status: String,
    date: Option<i64>,
    /// The sections by their headings in lower case.
    sections: BTreeMap<String, String>,
    /// File names of records that this record supersedes, and that supersede it.
    supersedes: Vec<String>,
    superseded_by: Vec<String>,
}

/// Parses a record; `None` for a page without a decision.
pub(super) fn parse(text: &str) -> Option<Page> {
    let text = text.trim_start_matches('\u{FEFF}');
    let (matter, body) = front_matter(text);
    let field = |name: &str| {
        let lines = matter.lines().filter_map(|line| line.split_once(':'));
        let mut values = lines.filter(|(key, _)| key.trim().eq_ignore_ascii_case(name));
        values.next().map(|(_, value)| value.trim().trim_matches(['"', '\'']).to_owned())
    };
    let mut title = None;
    let mut sections: BTreeMap<String, String> = BTreeMap::new();
    let mut heading = String::new();
    for line in body.lines() {
        let trimmed = line.trim();
        if let Some(text) = trimmed.strip_prefix("# ").filter(|_| title.is_none()) {
            title = Some(without_number(text.trim()).to_owned());
        } else if let Some(text) = trimmed.strip_prefix("## ") {
            heading = text.trim().to_lowercase();
        } else {
            let section = sections.entry(heading.clone()).or_default();
            section.push_str(line);
            section.push('\n');
        }
    }
    let title = title?;
    let decision = sections.get("decision").or_else(|| sections.get("decision outcome"))?;
    if title.starts_with('{') || decision.trim().is_empty() || decision.trim().starts_with('{') {
        return None;
    }
    let introduction = sections.get("").map(String::as_str).unwrap_or_default();
    let line_with = |label: &str| {
        let mut lines = introduction.lines().filter_map(|line| line.trim().split_once(':'));
        lines.find(|(key, _)| key.trim_matches(['*', '-', ' ']).eq_ignore_ascii_case(label))
    };
    let status_text = sections
        .get("status")
        .cloned()
        .or_else(|| field("status"))
        .or_else(|| line_with("status").map(|(_, value)| value.to_owned()))
        .unwrap_or_default();
    let date = field("date").or_else(|| line_with("date").map(|(_, value)| value.to_owned()));
    let linked = |word: &str| {
        let lines = status_text.lines().filter(|line| line.trim().to_lowercase().starts_with(word));
        lines.flat_map(link_targets).collect::<Vec<_>>()
    };
    let (superseded_by, supersedes) = (linked("superseded by"), linked("supersedes"));
    let status = status_text.split_whitespace().next().unwrap_or_default().to_lowercase();
    Some(Page {
        title,
        status: status.trim_matches(|c: char| !c.is_alphanumeric()).to_owned(),
        date: date.and_then(|date| parse_date(date.trim())),
        sections,
        supersedes,
        superseded_by,
    })
}

/// The front matter, and the text after it.
fn front_matter(text: &str) -> (&str, &str) {
    let inner = text.strip_prefix("---\n").or_else(|| text.strip_prefix("---\r\n"));
    inner.and_then(|inner| inner.split_once("\n---")).unwrap_or(("", text))
}

/// The title without a number such as `3.` or `ADR-0003:`.
fn without_number(title: &str) -> &str {
    let rest = title.strip_prefix("ADR").unwrap_or(title).trim_start_matches(['-', ' ']);
    let digits = rest.trim_start_matches(|c: char| c.is_ascii_digit());
    let rest = digits.strip_prefix(['.', ':']).filter(|_| digits.len() < rest.len());
    rest.map_or(title, str::trim)
}

/// Dates such as `2026-03-10` and `03.04.2026`.
fn parse_date(text: &str) -> Option<i64> {
    let parts: Vec<&str> = text.split('.').collect();
    let text = match parts[..] {
        [day, month, year] => format!("{year}-{month:0>2}-{day:0>2}"),
        _ => text.to_owned(),
    };
    millis(&Value::String(text))
}

/// The file names to which the links of a line lead.
fn link_targets(line: &str) -> Vec<String> {
    let targets = line.split("](").skip(1).filter_map(|part| part.split(')').next());
    targets.map(|target| target.rsplit('/').next().unwrap_or(target).to_owned()).collect()
}

/// Adds the drafts of the records, each with its path and text, and the links between them.
pub(super) fn add(pages: &[(&str, &str, Page)], read: &mut ImportedFile) {
    let mut ids: BTreeMap<String, String> = BTreeMap::new();
    let mut pairs: Vec<(String, String)> = Vec::new();
    for (path, text, page) in pages {
        let file = path.rsplit('/').next().unwrap_or(path).to_owned();
        let decision = section(page, &["decision", "decision outcome"]);
        let (content, mut reasoning) = match chosen(&decision) {
            Some((option, why)) => (format!("{}: {option}", page.title), why),
            None => {
                let lines: Vec<&str> = decision.lines().collect();
                let first = sentences(&lines).into_iter().next();
                (first.unwrap_or_else(|| page.title.clone()), String::new())
            }
        };
        let context = section(page, &["context", "context and problem statement"]);
        if reasoning.is_empty() {
            reasoning = [&*context, decision.trim()].join("\n\n").trim().to_owned();
        }
        let mut entry = draft(Kind::Decision, "markdown", &[path, text], content.clone());
        entry.topic = Some(page.title.clone());
        let at = page.date.unwrap_or_default();
        (entry.created_at, entry.updated_at) = (at, at);
        // Only accepted and proposed decisions can be in effect.
        if matches!(&*page.status, "superseded" | "rejected" | "deprecated") {
            entry.status = Status::Superseded;
        }
        let metadata = &mut entry.metadata;
        put(metadata, "reasoning", reasoning);
        put(metadata, "context", context);
        put(metadata, "decisionStatus", page.status.clone());
        put(metadata, "sourcePath", *path);
        let options = section(page, &["considered options"]);
        let options = options.lines().filter_map(|line| {
            ["* ", "- "].iter().find_map(|bullet| line.trim().strip_prefix(bullet))
        });
        let others = options.filter(|option| !content.ends_with(*option));
        put(metadata, "alternatives", others.map(str::to_owned).collect::<Vec<_>>());
        ids.insert(file.clone(), entry.id.clone());
        pairs.extend(page.supersedes.iter().map(|older| (file.clone(), older.clone())));
        pairs.extend(page.superseded_by.iter().map(|newer| (newer.clone(), file.clone())));
        read.entries.push(entry);
    }
    pairs.sort();
    pairs.dedup();
    for (newer, older) in pairs {
        match ids.get(&newer).zip(ids.get(&older)) {
            Some((from, to)) if from != to => {
                let link = Link::new(Relation::Supersedes, to);
                read.links.push(Link { from: from.clone(), ..link });
            }
            _ => read.skip(newer, format!("its link to {older} leads to no record")),
        }
    }
}

/// The text of the first existing section.
fn section(page: &Page, names: &[&str]) -> String {
    let section = names.iter().find_map(|name| page.sections.get(*name));
    section.map(|text| text.trim().to_owned()).unwrap_or_default()
}

/// The option and the reason in `Chosen option: "X", because Y`.
fn chosen(decision: &str) -> Option<(String, String)> {
    let (_, rest) = decision.split_once("Chosen option:")?;
    let rest = rest.trim_start().strip_prefix('"')?;
    let (option, rest) = rest.split_once('"')?;
    let why = rest.split_once("because").map(|(_, why)| why).unwrap_or_default();
    let why = why.lines().next().unwrap_or_default().trim();
    Some((option.trim().to_owned(), why.to_owned()))
}
