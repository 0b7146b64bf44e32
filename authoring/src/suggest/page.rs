//! The page of a draft: the sentence is its text, so that what guides and what is enforced are one.

use super::{Block, Draft, Sample};
use aidd_engine::text::finding::Severity;
use aidd_page as page;
use serde_json::{Value, json};
use std::fmt::Write as _;

/// Examples that hold: what fails with what is found in it, and what passes.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(super) struct Examples {
    pub(super) fails: Vec<(Sample, Vec<String>)>,
    pub(super) passes: Vec<Sample>,
    /// What the fix makes of what fails.
    pub(super) fixed: Sample,
}

/// A page of its own for a draft. `from` says where the sentence stands.
pub(super) fn whole(
    draft: &Draft,
    severity: Severity,
    (sentence, from): (&str, &str),
    examples: &Examples,
) -> String {
    let sentence = capital(sentence);
    let from = if from.is_empty() {
        String::new()
    } else {
        format!("\nThe sentence stands in `{from}`.\n")
    };
    format!(
        "---\nseverity: {severity}\n{}\n---\n# {}\n\n{sentence}\n{from}{}",
        header(draft),
        draft.id,
        shown(examples)
    )
}

/// The keys of a header that make it check.
fn header(draft: &Draft) -> String {
    let check = serde_saphyr::to_string(&json!({"check": draft.check})).unwrap_or_default();
    // JSON's text is one of YAML.
    format!("message: {}\n{}", Value::from(draft.message.as_str()), check.trim_end())
}

/// A page of rules in words with the check of a draft in its header; `None` when its header cannot
/// be read, or has a check already.
#[must_use]
pub(super) fn in_place(
    text: &str,
    draft: &Draft,
    severity: Severity,
    examples: &Examples,
) -> Option<String> {
    let tail = if text.contains("\n## Fails") { String::new() } else { shown(examples) };
    with_check(text, &header(draft), severity).map(|page| format!("{}\n{tail}", page.trim_end()))
}

/// `text`, a page without a check, with the keys of `header` in its header, in its line endings;
/// `None` when its header cannot be read, or has a check already.
#[must_use]
pub fn with_check(text: &str, header: &str, severity: Severity) -> Option<String> {
    let unix = text.replace("\r\n", "\n");
    let page = if page::has_header(&unix) {
        let (head, _) = page::split(&unix).ok()?;
        if page::header(&unix).ok()?.check.is_some() {
            return None;
        }
        let said = unix[head.clone()].lines().any(|line| line.starts_with("message:"));
        let header =
            if said { header.split_once('\n').map_or(header, |(_, check)| check) } else { header };
        format!("{}{header}\n{}", &unix[..head.end], &unix[head.end..])
    } else {
        format!("---\nseverity: {severity}\n{header}\n---\n{}", unix.trim_start_matches('\u{FEFF}'))
    };
    Some(if text.contains("\r\n") { page.replace('\n', "\r\n") } else { page })
}

fn capital(sentence: &str) -> String {
    let mut chars = sentence.trim().chars();
    let first = chars.next().map(|c| c.to_uppercase().to_string()).unwrap_or_default();
    let whole = format!("{first}{}", chars.as_str());
    let whole = whole.trim_end_matches([';', ',', ':']);
    if whole.ends_with(['.', '!', '?']) { whole.to_owned() } else { format!("{whole}.") }
}

/// The sections of examples.
fn shown(examples: &Examples) -> String {
    let mut text = String::new();
    if !examples.fails.is_empty() {
        text.push_str("\n## Fails\n");
    }
    for (sample, found) in &examples.fails {
        blocks(sample, &mut text);
        if !found.is_empty() {
            let _ = write!(text, "\n```finding\n{}\n```\n", found.join("\n"));
        }
    }
    if !examples.passes.is_empty() {
        text.push_str("\n## Passes\n");
    }
    for sample in &examples.passes {
        blocks(sample, &mut text);
    }
    if !examples.fixed.is_empty() {
        text.push_str("\n## Fixed\n");
        blocks(&examples.fixed, &mut text);
    }
    text
}

fn blocks(sample: &Sample, text: &mut String) {
    for Block { path, text: inside, times } in sample {
        let name = path.rsplit('/').next().unwrap_or(path);
        let language = match path.as_str() {
            "commit/message" => "commit",
            _ => name.rsplit_once('.').map_or("text", |(_, ending)| ending),
        };
        let longest = inside.split(|c| c != '`').map(str::len).max().unwrap_or(0);
        let fence = "`".repeat(3.max(longest + 1));
        let often = if *times > 1 { format!(" times={times}") } else { String::new() };
        // A block without a line is none.
        let inside = format!("{}\n", inside.trim_end());
        let _ = write!(text, "\n{fence}{language} path={path}{often}\n{inside}{fence}\n");
    }
}
