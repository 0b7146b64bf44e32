//! Changes to prose: corrected spelling, and the section that changed.

use crate::commit_message::Change;
use pulldown_cmark::{Event, Options, Parser, Tag, TagEnd};
use similar::{DiffTag, TextDiff};
use std::collections::BTreeSet;

/// Maximum number of letters that differ in a misspelt word.
const MAX_LETTERS: usize = 2;
/// Minimum number of letters of a misspelt word; shorter words differ in meaning.
const MIN_WORD: usize = 4;
/// Maximum number of corrected words.
const MAX_WORDS: usize = 10;

/// What changed in a document.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) enum Edit {
    /// The title of a new section.
    NewSection(String),
    /// The title of the only section that changed.
    Section(String),
}

/// The number of words whose spelling differs, if the texts differ in nothing else.
pub(super) fn corrected_words(change: &Change) -> Option<usize> {
    let (before, after) = (change.before.as_deref()?, change.after.as_deref()?);
    let words = |text| split_words(text).collect::<Vec<&str>>();
    let (old, new) = (words(before), words(after));
    if old.len() != new.len() {
        return None;
    }
    let differ = old.iter().zip(&new).filter(|(old, new)| old != new);
    let mut count = 0;
    for (old, new) in differ {
        count += 1;
        if count > MAX_WORDS || !is_respelt(old, new) {
            return None;
        }
    }
    Some(count).filter(|count| *count > 0)
}

/// The words of a text, and the characters between them.
fn split_words(text: &str) -> impl Iterator<Item = &str> {
    let mut rest = text;
    std::iter::from_fn(move || {
        let first = rest.chars().next()?;
        let is_same = |c: char| c.is_alphabetic() == first.is_alphabetic();
        let end = rest.find(|c| !is_same(c)).unwrap_or(rest.len());
        let (word, others) = rest.split_at(end);
        rest = others;
        Some(word)
    })
}

fn is_respelt(old: &str, new: &str) -> bool {
    let is_word =
        |word: &str| word.chars().count() >= MIN_WORD && word.chars().all(char::is_alphabetic);
    is_word(old)
        && is_word(new)
        && old.to_lowercase() != new.to_lowercase()
        // Words such as `valid` and `invalid` differ in meaning.
        && old.to_lowercase().chars().next() == new.to_lowercase().chars().next()
        && strsim::osa_distance(old, new) <= MAX_LETTERS
}

/// A section that is new or the only one that changed; `None` if the document is not Markdown, or
/// several sections changed.
pub(super) fn edit(change: &Change) -> Option<Edit> {
    let extension = change.path.rsplit('.').next().unwrap_or_default();
    if !matches!(extension.to_ascii_lowercase().as_str(), "md" | "mdx" | "markdown") {
        return None;
    }
    let (before, after) = (change.before.as_deref()?, change.after.as_deref()?);
    let (old, new) = (sections(before), sections(after));
    let titles: BTreeSet<&str> = old.iter().map(|section| section.title.as_str()).collect();
    let mut added = new.iter().filter(|section| !titles.contains(section.title.as_str()));
    if let Some(first) = added.next() {
        let is_inside = added.all(|section| section.level > first.level);
        let are_kept = old.len() < new.len();
        return (is_inside && are_kept).then(|| Edit::NewSection(first.title.clone()));
    }
    let changed: BTreeSet<Option<&str>> =
        changed_offsets(before, after).into_iter().map(|offset| title_at(&new, offset)).collect();
    let only = changed.first().copied().filter(|_| changed.len() == 1)??;
    Some(Edit::Section(only.to_owned()))
}

/// A heading of a document.
struct Section {
    start: usize,
    level: usize,
    title: String,
}

fn sections(text: &str) -> Vec<Section> {
    let mut sections: Vec<Section> = Vec::new();
    let mut is_title = false;
    for (event, range) in Parser::new_ext(text, Options::empty()).into_offset_iter() {
        match event {
            Event::Start(Tag::Heading { level, .. }) => {
                is_title = true;
                sections.push(Section {
                    start: range.start,
                    level: level as usize,
                    title: String::new(),
                });
            }
            Event::End(TagEnd::Heading(_)) => is_title = false,
            Event::Text(part) | Event::Code(part) if is_title => {
                sections.iter_mut().last().into_iter().for_each(|last| last.title.push_str(&part));
            }
            _ => {}
        }
    }
    sections
}

/// The title of the section at an offset; `None` before the second heading, whose text is about the
/// whole document.
fn title_at(sections: &[Section], offset: usize) -> Option<&str> {
    let at = sections.iter().rposition(|section| section.start <= offset)?;
    let section = &sections[at];
    (at > 0 || section.level > 1).then_some(section.title.trim()).filter(|title| !title.is_empty())
}

/// The offsets in `after` at which the texts differ.
fn changed_offsets(before: &str, after: &str) -> Vec<usize> {
    let mut starts = vec![0];
    starts.extend(after.match_indices('\n').map(|(at, _)| at + 1));
    let diff = TextDiff::from_lines(before, after);
    let changed = diff.ops().iter().filter(|op| op.tag() != DiffTag::Equal);
    changed
        .flat_map(|op| {
            let lines = op.new_range();
            if lines.is_empty() { lines.start.saturating_sub(1)..lines.start } else { lines }
        })
        .filter_map(|line| starts.get(line).copied())
        .collect()
}
