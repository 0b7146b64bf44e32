//! Where a sentence holds that stands in a file of a folder, or in one that names its own globs.

use super::{Draft, Sample};
use aidd_engine::text::kind::is_page_path;
use aidd_page as page;
use serde_json::{Value, json};

/// The globs of what the file at `path` speaks of; none: the whole project. AGENTS.md of a folder
/// speaks of that folder; rules of Cursor, Copilot and Claude Code name globs in their header.
pub(super) fn of_file(path: &str, text: &str) -> Vec<String> {
    if is_page_path(path) {
        return Vec::new();
    }
    let named = globs(text);
    if !named.is_empty() {
        return named;
    }
    let folder = path.rsplit_once('/').map_or("", |(folder, _)| folder);
    let is_hidden = folder.split('/').any(|part| part.starts_with('.'));
    let is_docs = folder.split('/').any(|part| part == "docs");
    if folder.is_empty() || is_hidden || is_docs {
        Vec::new()
    } else {
        vec![format!("{folder}/**")]
    }
}

/// `globs` of Cursor, `applyTo` of Copilot, `paths` of Claude Code: a text with commas, or a list.
fn globs(text: &str) -> Vec<String> {
    let Ok((header, _)) = page::split(text) else { return Vec::new() };
    // Cursor writes globs without quotation marks, which is not YAML: a line is read as it stands.
    let keys = ["globs:", "applyTo:", "paths:"];
    let mut lines = text[header].lines();
    let Some(rest) = lines.find_map(|line| keys.iter().find_map(|key| line.strip_prefix(key)))
    else {
        return Vec::new();
    };
    let inline = rest.trim().trim_start_matches('[').trim_end_matches(']');
    let items: Vec<&str> = if inline.is_empty() {
        lines.map_while(|line| line.trim_start().strip_prefix("- ")).collect()
    } else {
        split(inline)
    };
    let clean = |item: &&str| item.trim().trim_matches(['"', '\'']).to_owned();
    let all: Vec<String> = items.iter().map(clean).filter(|glob| !glob.is_empty()).collect();
    let is_all = |glob: &String| ["**", "**/*", "*"].contains(&glob.as_str());
    if all.iter().any(is_all) { Vec::new() } else { all }
}

/// The parts between commas that stand in no braces.
fn split(text: &str) -> Vec<&str> {
    let mut depth = 0_i32;
    let at_comma = move |c: char| {
        depth += i32::from(c == '{') - i32::from(c == '}');
        c == ',' && depth <= 0
    };
    text.split(at_comma).collect()
}

/// Narrows a draft to `globs`. What it looks at by paths of its own is moved below a folder; where
/// that cannot be done the draft holds everywhere, and is less sure.
pub(super) fn narrow(draft: &mut Draft, globs: &[String]) {
    let folder = match globs {
        [] => return,
        [one] => one.strip_suffix("/**").filter(|folder| !folder.contains(['*', '{'])),
        _ => None,
    };
    if draft.check.get("commit").is_some() {
        return;
    }
    // Imports are between parts that are named, but for those of a package by anybody.
    let of_parts =
        draft.check.pointer("/layers/forbid/0/from").and_then(Value::as_str) != Some("**");
    if draft.check.get("layers").is_some() && of_parts {
        return;
    }
    let by_path = draft.check.get("tree").is_some() || draft.check.get("layers").is_some();
    if by_path || draft.check.get("files").is_some() {
        let Some(folder) = folder else {
            draft.trust = draft.trust.min(super::Trust::Medium);
            return;
        };
        if below(&mut draft.check, folder) {
            moved(&mut draft.fails, folder);
            moved(&mut draft.passes, folder);
        }
    } else {
        draft.check["files"] = json!(globs);
        if let Some(folder) = folder {
            moved(&mut draft.fails, folder);
            moved(&mut draft.passes, folder);
        } else if let Some(place) = globs.first().map(|glob| super::drafts::instance(glob)) {
            for sample in draft.fails.iter_mut().chain(&mut draft.passes) {
                for block in sample {
                    let ending = |path: &str| path.rsplit('.').next().map(str::to_owned);
                    if ending(&place) == ending(&block.path) {
                        block.path.clone_from(&place);
                    }
                }
            }
        }
    }
}

/// Puts the globs of anywhere below a folder; whether there was one.
fn below(check: &mut Value, folder: &str) -> bool {
    let mut is_done = false;
    let mut put = |value: &mut Value| {
        if let Some(glob) = value.as_str()
            && (glob.starts_with("**/") || glob == "**")
        {
            *value = json!(format!("{folder}/{glob}"));
            is_done = true;
        }
    };
    for pointer in ["/files", "/tree/absent"] {
        let items = check.pointer_mut(pointer).and_then(Value::as_array_mut);
        items.into_iter().flatten().for_each(&mut put);
    }
    for pointer in ["/tree/each", "/layers/forbid/0/from"] {
        check.pointer_mut(pointer).into_iter().for_each(&mut put);
    }
    is_done
}

/// Moves the examples of a draft whose page lies in the rules of `folder`: it holds there only.
pub(super) fn moved_below(draft: &mut Draft, folder: &str) {
    if draft.check.get("commit").is_none() {
        moved(&mut draft.fails, folder);
        moved(&mut draft.passes, folder);
    }
}

fn moved(samples: &mut [Sample], folder: &str) {
    for block in samples.iter_mut().flatten() {
        if !block.path.starts_with(&format!("{folder}/")) {
            block.path = format!("{folder}/{}", block.path);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_file_speaks_of_its_folder_or_of_what_its_header_names() {
        for (path, text, wanted) in [
            ("AGENTS.md", "", vec![]),
            ("src/cli/AGENTS.md", "", vec!["src/cli/**"]),
            (".github/copilot-instructions.md", "", vec![]),
            ("docs/CONTRIBUTING.md", "", vec![]),
            (
                ".cursor/rules/a.mdc",
                "---\nglobs: src/**/*.{ts,tsx}, lib/*.ts\n---\n",
                vec!["src/**/*.{ts,tsx}", "lib/*.ts"],
            ),
            (".cursor/rules/a.mdc", "---\nglobs:\nalwaysApply: true\n---\n", vec![]),
            (".github/instructions/a.md", "---\napplyTo: \"**/*.py\"\n---\n", vec!["**/*.py"]),
            (".github/instructions/a.md", "---\napplyTo: '**'\n---\n", vec![]),
            (
                ".claude/rules/a.md",
                "---\npaths:\n  - \"src/api/**\"\n  - lib/**\nother: 1\n---\n",
                vec!["src/api/**", "lib/**"],
            ),
            (".aidd/rules/a.md", "---\nglobs: src/**\n---\n", vec![]),
        ] {
            assert_eq!(of_file(path, text), wanted, "{path} {text}");
        }
    }
}
