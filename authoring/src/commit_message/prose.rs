//! Words for people: headings, titles of tests, entries of a changelog.

use super::facts::{Facts, File};
use super::file_kind;
use super::phrase::{self, Phrase, code};
use super::{Fate, Type};
use regex::Regex;
use std::collections::BTreeMap;
use std::sync::LazyLock;

/// Most words that may differ for a change to be one of spelling.
const TYPOS: usize = 3;
/// Most letters of a word that may differ for it to be the same word.
const LETTERS: usize = 2;

/// Whether the file at `path` is prose with headings.
pub(super) fn is_prose(path: &str) -> bool {
    let lower = path.to_ascii_lowercase();
    [".md", ".mdx", ".markdown", ".rst", ".adoc", ".txt"].iter().any(|end| lower.ends_with(end))
}

/// The sentence for a page that is new, gone or otherwise.
pub(super) fn page(file: &File<'_>) -> Option<Phrase> {
    let name = file.name();
    let after = file.change.after.as_deref().unwrap_or_default();
    match file.change.fate {
        Fate::Added => Some(match title(after, name) {
            Some(title) => Phrase::new([
                format!("describe {title} in {name}"),
                format!("describe {title}"),
                format!("add {name}"),
            ]),
            None => Phrase::new([format!("add {name}")]),
        }),
        Fate::Deleted => Some(Phrase::new([format!("remove {name}")])),
        Fate::Changed => Some(changed_page(file, name, after)),
    }
}

fn changed_page(file: &File<'_>, name: &str, after: &str) -> Phrase {
    if file_kind::says_generated(after) {
        return Phrase::new([format!("regenerate {name}")]);
    }
    if let Some(count) = typos(&file.lines.added, &file.lines.removed) {
        let what = if count == 1 { "a typo" } else { "typos" };
        return Phrase::new([format!("fix {what} in {name}")]);
    }
    let before = file.change.before.as_deref().unwrap_or_default();
    let old: Vec<String> = sections(before).into_iter().map(|(heading, _)| heading).collect();
    let new: Vec<String> = sections(after)
        .into_iter()
        .map(|(heading, _)| heading)
        .filter(|heading| !old.contains(heading))
        .collect();
    let quoted = |heading: &String| format!("\"{}\"", phrase::plain(heading));
    if let [first, more @ ..] = new.as_slice() {
        let all: Vec<String> = new.iter().map(quoted).collect();
        let mut wordings = vec![format!("add {} to {name}", phrase::list(&all, 2))];
        if more.is_empty() {
            wordings.push(format!("add {}", quoted(first)));
        } else {
            wordings.push(format!("add {} sections to {name}", new.len()));
        }
        return Phrase::new(wordings);
    }
    let touched = touched_sections(before, after);
    match touched.as_slice() {
        [one] => {
            Phrase::new([format!("revise {} in {name}", quoted(one)), format!("revise {name}")])
        }
        _ => Phrase::new([format!("revise {name}")]),
    }
}

/// The number of misspelt words, when all that differs is their spelling.
pub(super) fn typos(added: &[String], removed: &[String]) -> Option<usize> {
    if added.len() != removed.len() || added.is_empty() || added.len() > TYPOS {
        return None;
    }
    let words = |lines: &[String]| -> Vec<String> {
        lines.iter().flat_map(|line| line.split_whitespace()).map(str::to_owned).collect()
    };
    let (new, old) = (words(added), words(removed));
    if new.len() != old.len() {
        return None;
    }
    let differing: Vec<_> = new.iter().zip(&old).filter(|(one, other)| one != other).collect();
    // Numbers and short words are not misspelt, they are others.
    let is_spelling = |(one, other): &(&String, &String)| {
        let letters = |word: &str| word.chars().filter(|c| c.is_alphabetic()).count();
        let digits = |word: &str| word.chars().any(|c| c.is_ascii_digit() || c == '`');
        letters(one) > 3
            && letters(other) > 3
            && !digits(one)
            && !digits(other)
            && strsim::damerau_levenshtein(one, other) <= LETTERS
    };
    let count = differing.len();
    ((1..=TYPOS).contains(&count) && differing.iter().all(is_spelling)).then_some(count)
}

/// The headings of a page, each with the text below it.
fn sections(text: &str) -> Vec<(String, String)> {
    let mut sections: Vec<(String, String)> = Vec::new();
    let mut fence: Option<&str> = None;
    for line in text.lines() {
        let trimmed = line.trim_start();
        let mark = ["```", "~~~"].into_iter().find(|mark| trimmed.starts_with(mark));
        match (fence, mark) {
            (None, Some(mark)) => fence = Some(mark),
            (Some(open), Some(mark)) if open == mark => fence = None,
            _ => {}
        }
        let heading = line.trim_start_matches(['#', '=']);
        let depth = line.len() - heading.len();
        let is_heading = fence.is_none() && (1..=6).contains(&depth) && heading.starts_with(' ');
        if is_heading {
            let heading = heading.trim().trim_end_matches('#').trim().replace(['`', '*', '"'], "");
            sections.push((heading, String::new()));
        } else if let Some((_, text)) = sections.last_mut() {
            text.push_str(line.trim_end());
            text.push('\n');
        }
    }
    sections
}

/// The headings below which the text is another one.
fn touched_sections(before: &str, after: &str) -> Vec<String> {
    let old: BTreeMap<String, String> = sections(before).into_iter().collect();
    sections(after)
        .into_iter()
        .filter(|(heading, text)| old.get(heading) != Some(text))
        .map(|(heading, _)| heading)
        .collect()
}

/// What a page is about: its first heading, unless that is the name of a rule or a file.
pub(super) fn title(text: &str, name: &str) -> Option<String> {
    if !is_prose(name) {
        return None;
    }
    let (heading, _) = sections(text).into_iter().next()?;
    let heading = phrase::plain(&heading);
    if heading.is_empty() || heading.chars().count() > 60 {
        return None;
    }
    let is_name = !heading.contains(' ') && heading.contains(['/', '_', '.', '-']);
    Some(if is_name { code(&heading) } else { phrase::lower_first(&heading) })
}

/// A new file by what it is about, or its name.
pub(super) fn short_title(file: &File<'_>) -> String {
    let text = file.change.after.as_deref().unwrap_or_default();
    title(text, file.name())
        .filter(|title| title.chars().count() <= 30)
        .unwrap_or_else(|| file.name().to_owned())
}

/// The title of a test as words: `test_parses_empty_input` and `TestParsesEmptyInput`.
pub(super) fn sentence(title: &str) -> String {
    if title.contains(' ') {
        return phrase::lower_first(&phrase::plain(title));
    }
    let name = title.rsplit(['.', ':']).next().unwrap_or(title);
    let words = phrase::words(name);
    let words = words.strip_prefix("test ").unwrap_or(&words);
    let words = words.strip_suffix(" test").unwrap_or(words);
    words.to_owned()
}

/// A test's sentence as what was done.
pub(super) fn asserted(sentence: &str) -> String {
    let words = sentence.split(' ').count();
    let first = sentence.split(' ').next().unwrap_or_default();
    // `returns null for x` lacks the one who does; `paths become absolute` does not.
    let lacks_subject = matches!(
        first,
        "accepts"
            | "adds"
            | "allows"
            | "builds"
            | "calls"
            | "can"
            | "creates"
            | "does"
            | "fails"
            | "finds"
            | "formats"
            | "gives"
            | "handles"
            | "has"
            | "ignores"
            | "is"
            | "keeps"
            | "loads"
            | "makes"
            | "matches"
            | "parses"
            | "prints"
            | "reads"
            | "refuses"
            | "rejects"
            | "removes"
            | "renders"
            | "reports"
            | "requires"
            | "returns"
            | "sends"
            | "sets"
            | "should"
            | "shows"
            | "skips"
            | "sorts"
            | "splits"
            | "stops"
            | "supports"
            | "takes"
            | "throws"
            | "trims"
            | "updates"
            | "uses"
            | "validates"
            | "works"
            | "writes"
    );
    if lacks_subject {
        format!("check that it {sentence}")
    } else if words > 3 {
        format!("check that {sentence}")
    } else {
        format!("test {sentence}")
    }
}

/// The type that the section of the one new changelog entry names.
pub(super) fn changelog_type(facts: &Facts<'_>) -> Option<(Type, String)> {
    let (section, _) = entry(facts)?;
    let kind = match section.to_ascii_lowercase().as_str() {
        "added" | "features" | "new" | "new features" => Type::Feat,
        "fixed" | "bug fixes" | "fixes" | "security" => Type::Fix,
        "performance" | "performance improvements" => Type::Perf,
        _ => return None,
    };
    Some((kind, section))
}

/// The one new entry of a changelog, as a subject.
pub(super) fn changelog_entry(facts: &Facts<'_>) -> Option<Phrase> {
    let (_, text) = entry(facts)?;
    Some(Phrase::new([text]))
}

/// The section and text of the new entry, when there is one only.
fn entry(facts: &Facts<'_>) -> Option<(String, String)> {
    let file = facts.files.iter().find(|file| {
        let name = file.name().to_ascii_lowercase();
        let stem = name.split('.').next().unwrap_or_default();
        matches!(stem, "changelog" | "changes" | "history" | "news")
            && file.change.fate == Fate::Changed
    })?;
    let mut entries = file.lines.added.iter().filter(|line| bullet(line).is_some());
    let line = entries.next()?;
    if entries.next().is_some() || facts.files.len() == 1 {
        return None;
    }
    let text = file.change.after.as_deref()?;
    let at = text.lines().position(|other| other == line)?;
    let above: Vec<&str> = text.lines().take(at).collect();
    let section = above.iter().rev().find(|line| line.starts_with('#'));
    let section = section.map(|line| line.trim_matches(['#', ' ', '*']).to_owned());
    Some((section.unwrap_or_default(), imperative(bullet(line)?)))
}

fn bullet(line: &str) -> Option<&str> {
    line.strip_prefix("- ").or_else(|| line.strip_prefix("* ")).map(str::trim)
}

/// The first sentence of an entry, without links and numbers, as what was done.
fn imperative(text: &str) -> String {
    static LINK: LazyLock<Regex> =
        LazyLock::new(|| Regex::new(r"\[([^\]]*)\]\([^)]*\)").expect("a constant pattern"));
    static NUMBERS: LazyLock<Regex> = LazyLock::new(|| {
        Regex::new(r"\s*[(\[](?:#\d+(?:,\s*)?)+[)\]]").expect("a constant pattern")
    });
    const VERBS: [(&str, &str); 12] = [
        ("Added", "add"),
        ("Adds", "add"),
        ("Allowed", "allow"),
        ("Changed", "change"),
        ("Corrected", "correct"),
        ("Fixed", "fix"),
        ("Fixes", "fix"),
        ("Improved", "improve"),
        ("Made", "make"),
        ("Removed", "remove"),
        ("Renamed", "rename"),
        ("Updated", "update"),
    ];
    let text = LINK.replace_all(text, "$1");
    let text = NUMBERS.replace_all(&text, "");
    let text = text.replace("**", "");
    let text = text.split(". ").next().unwrap_or_default();
    let first = text.split(' ').next().unwrap_or_default();
    let verb = VERBS.iter().find(|(past, _)| past.eq_ignore_ascii_case(first));
    match verb {
        Some((_, verb)) => format!("{verb}{}", &text[first.len()..]),
        None => text.to_owned(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn titles_of_tests_become_sentences() {
        let of = |title: &str| asserted(&sentence(title));
        assert_eq!(
            of("paths_become_absolute_without_dots"),
            "check that paths become absolute without dots"
        );
        assert_eq!(
            of("returns null for empty input"),
            "check that it returns null for empty input"
        );
        assert_eq!(of("TestParse"), "test parse");
        assert_eq!(of("test_url_parsing"), "test URL parsing");
    }

    #[test]
    fn spelling_is_told_from_meaning() {
        let one = |new: &str, old: &str| typos(&[new.to_owned()], &[old.to_owned()]);
        assert_eq!(one("the receiver is here", "the reciever is here"), Some(1));
        assert_eq!(one("wait 10 seconds", "wait 11 seconds"), None);
        assert_eq!(one("it is not so", "it is now so"), None);
        assert_eq!(one("use the other one", "use the first one"), None);
    }

    #[test]
    fn entries_of_changelogs_become_subjects() {
        assert_eq!(
            imperative("Fixed a **panic** on [empty](x) input (#12). More."),
            "fix a panic on empty input"
        );
        assert_eq!(imperative("Rules in `ai/`."), "Rules in `ai/`.");
    }

    #[test]
    fn headings_in_fences_are_none() {
        let all = sections("# A b\n```sh\n# c\n```\n## `D`\ntext\n#hash\n");
        let names: Vec<&str> = all.iter().map(|(name, _)| &**name).collect();
        assert_eq!(names, ["A b", "D"]);
        assert_eq!(title("# A b\n", "a.md").as_deref(), Some("a b"));
        assert_eq!(title("# a/b-c\n", "a.md").as_deref(), Some("`a/b-c`"));
    }
}
