//! Tests of the vocabulary of `docs/style.md`.

use crate::tidy::{files, root};
use std::collections::BTreeSet;

/// Words that must not occur in names, comments, messages and pages.
const BANNED: [&str; 11] = [
    "told", "tells", "stands", "beside", "mend", "mends", "mended", "mending", "anew", "tidings",
    "unrested",
];

/// Names that were used before `docs/style.md` existed. No item may be defined with one of them.
const OLD_NAMES: &[&str] = &[
    "Alike",
    "Asked",
    "Desk",
    "Doors",
    "FEW",
    "Fate",
    "Given",
    "Ground",
    "Kept",
    "LEAST",
    "LONGEST",
    "Left",
    "MOST",
    "Made",
    "Nothing",
    "Scene",
    "Sheet",
    "Shelf",
    "Standing",
    "Told",
    "Way",
    "Which",
    "judge",
    "keeps_its_word",
    "misfit",
    "overrule",
    "said",
    "settle",
    "shown",
];

/// Former file names that did not describe the content of their files.
const OLD_FILES: [&str; 9] =
    ["asked", "ground", "joined", "kept", "open", "own", "said", "told", "whole"];

/// Keywords that introduce the name of an item.
const ITEMS: [&str; 9] =
    ["const", "enum", "fn", "mod", "static", "struct", "trait", "type", "union"];

/// Paths that are not checked: the style page itself, this file, and data that quotes people and
/// tools.
const EXEMPT: [&str; 8] = [
    "content/routing/tasks.txt",
    "docs/style.md",
    "lexicon/tables/",
    "memory/tests/outputs/",
    "tests/retrieval/",
    "tests/routing/",
    "tests/wording.rs",
    "lexicon/src/embedding/",
];

/// Maximum number of doc comments with fewer than four words. For most of them, three words are
/// enough ("Seconds since 1970."). Lower the number when some are rewritten, and never raise it.
const MAX_SHORT: usize = 604;

/// The words of a text in lower case, with identifiers split at `_` and at capitals.
fn words(text: &str) -> impl Iterator<Item = String> {
    text.split(|c: char| !c.is_ascii_alphabetic()).flat_map(|name| {
        let mut found = vec![String::new()];
        let mut was_lower = false;
        for c in name.chars() {
            if c.is_ascii_uppercase() && was_lower {
                found.push(String::new());
            }
            was_lower = c.is_ascii_lowercase();
            if let Some(word) = found.last_mut() {
                word.push(c.to_ascii_lowercase());
            }
        }
        found
    })
}

/// The path and text of each file to check.
fn checked_files(endings: &[&str]) -> impl Iterator<Item = (String, String)> {
    let all = files(root(), endings).into_iter();
    all.filter(|(path, _)| !EXEMPT.iter().any(|exempt| path.starts_with(exempt)))
}

#[test]
fn banned_words_do_not_occur() {
    let kinds = [
        ".rs", ".md", ".snap", ".py", ".sh", ".ts", ".mjs", ".js", ".toml", ".yml", ".yaml", ".txt",
    ];
    let mut found = Vec::new();
    for (path, text) in checked_files(&kinds) {
        for (number, line) in (1..).zip(text.lines()) {
            let banned = words(line).find(|word| BANNED.contains(&&**word));
            found.extend(banned.map(|word| format!("{path}:{number}: `{word}`")));
        }
    }
    assert!(
        found.is_empty(),
        "docs/style.md lists the words to use instead:\n{}",
        found.join("\n")
    );
}

#[test]
fn names_of_the_old_vocabulary_are_not_defined() {
    let mut found = Vec::new();
    for (path, text) in checked_files(&[".rs"]) {
        let name = path.rsplit('/').next().and_then(|name| name.strip_suffix(".rs"));
        if name.is_some_and(|name| OLD_FILES.contains(&name)) {
            found.push(format!("{path}: the file name does not describe its content"));
        }
        for (number, line) in (1..).zip(text.lines()) {
            let code = line.split("//").next().unwrap_or_default();
            let tokens: Vec<&str> =
                code.split(|c: char| !c.is_alphanumeric() && c != '_').collect();
            for pair in tokens.windows(2) {
                let is_limit = pair[0] == "const"
                    && ["FEWEST_", "LEAST_", "LONGEST_", "MOST_"]
                        .iter()
                        .any(|start| pair[1].starts_with(start));
                if ITEMS.contains(&pair[0]) && (OLD_NAMES.contains(&pair[1]) || is_limit) {
                    found.push(format!("{path}:{number}: `{} {}`", pair[0], pair[1]));
                }
            }
        }
    }
    assert!(
        found.is_empty(),
        "docs/style.md lists the words to use instead:\n{}",
        found.join("\n")
    );
}

/// Doc comments of one line with fewer than four words: line number, comment, and the name of the
/// item below.
fn short_comments(text: &str) -> Vec<(usize, String, String)> {
    let lines: Vec<&str> = text.lines().map(str::trim).collect();
    let comment = |at: usize| lines.get(at).and_then(|line| line.strip_prefix("///"));
    let mut found = Vec::new();
    for at in 0..lines.len() {
        let (Some(words), None) = (comment(at), comment(at + 1)) else { continue };
        if at > 0 && comment(at - 1).is_some() || words.split_whitespace().count() >= 4 {
            continue;
        }
        let item = lines[at + 1..].iter().find(|line| !line.starts_with("#[")).unwrap_or(&"");
        let name = item
            .split(|c: char| !c.is_alphanumeric() && c != '_')
            .find(|name| {
                !matches!(*name, "" | "pub" | "crate" | "super" | "in" | "mut" | "async" | "unsafe")
                    && !ITEMS.contains(name)
            })
            .unwrap_or_default();
        found.push((at + 1, words.trim().to_owned(), name.to_owned()));
    }
    found
}

#[test]
fn doc_comments_do_not_repeat_the_name() {
    let (mut all, mut empty) = (Vec::new(), Vec::new());
    // The doc comments of this file are names of clients, which the documentation uses as titles of
    // sections.
    const PRODUCTS: &str = "cli/src/cli/init.rs";
    let articles = ["a", "an", "the", "its", "of", "this", "s", ""];
    for (path, text) in checked_files(&[".rs"]).filter(|(path, _)| !path.contains("tests")) {
        for (line, comment, name) in short_comments(&text) {
            let stem = |word: String| word.trim_end_matches('s').to_owned();
            let named: BTreeSet<String> = words(&name).map(stem).collect();
            let mut comment_words =
                words(&comment).filter(|word| !articles.contains(&&**word)).peekable();
            // A comment that consists only of code or numbers, such as `&&` or 0-1, is not a
            // repetition.
            let repeats = comment_words.peek().is_some()
                && comment_words.all(|word| named.contains(&stem(word)));
            let entry = format!("{path}:{line}: {comment}");
            if repeats && path != PRODUCTS {
                empty.push(entry.clone());
            }
            all.push(entry);
        }
    }
    assert!(
        empty.is_empty(),
        "these doc comments repeat the name of their item:\n{}",
        empty.join("\n")
    );
    assert!(
        all.len() <= MAX_SHORT,
        "{} doc comments have fewer than four words; at most {MAX_SHORT} are allowed:\n{}",
        all.len(),
        all.join("\n")
    );
}
