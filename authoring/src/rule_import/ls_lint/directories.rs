//! The directories of a configuration. The rules of the deepest directory that contains a file apply
//! to the file. Runs of ls-lint 2.3.1 showed that a literal directory takes precedence over a glob,
//! and that ls-lint applies an arbitrary one of several matching globs.

use super::super::{ImportDraft, ImportError, NotImported};
use super::DIRS_KEY;
use aidd_engine::text::paths::below;
use serde_json::{Map, Value as Json};

/// The rules of one directory: its path or glob (empty for the root), and extension → rules.
pub(super) struct Directory {
    pub(super) path: String,
    pub(super) rules: Vec<(String, String)>,
}

/// The relation of two globs: whether a directory can match both, and whether a directory that matches
/// the second glob can be inside a directory that matches the first.
type GlobRelation = (bool, bool);

/// The directories of the configuration, the root first.
pub(super) fn collect_directories(
    root: &Map<String, Json>,
    file: &str,
    import_draft: &mut ImportDraft,
) -> Result<Vec<Directory>, ImportError> {
    let mut folders = Vec::new();
    let mut remaining = vec![(String::new(), root)];
    while let Some((path, list)) = remaining.pop() {
        let mut folder = Directory { path: path.clone(), rules: Vec::new() };
        for (key, value) in list {
            match value {
                Json::Object(inner) => {
                    remaining.push((below(&path, key), inner));
                }
                Json::String(rules) if key.starts_with('.') && !key.contains([' ', '/']) => {
                    folder.rules.push((key.clone(), rules.clone()));
                }
                Json::String(_) => {
                    let not_imported = NotImported::new(
                        format!("{path} {key}").trim(),
                        "ls-lint treats it as an extension that no file has, so it has no effect",
                    );
                    import_draft.not_imported.push(match suggested_key(key) {
                        Some(suggestion) => not_imported.instead(suggestion),
                        None => not_imported,
                    });
                }
                Json::Null => {}
                _ => {
                    let (path, key) = (file.to_owned(), key.clone());
                    return Err(ImportError::InvalidNames { path, key });
                }
            }
        }
        folders.push(folder);
    }
    folders.sort_by(|one, next| one.path.cmp(&next.path));
    Ok(folders)
}

/// The correct spelling of a key such as `src/**/*.ts`.
fn suggested_key(key: &str) -> Option<String> {
    let (folder, file) = key.rsplit_once('/')?;
    let extension = file.strip_prefix('*').filter(|extension| extension.starts_with('.'))?;
    Some(format!("the key `{extension}` under the key `{folder}`"))
}

/// The exclusions of the rules for an extension in a directory: longer or more specific extensions,
/// directories with their own rules, and ignored paths. The second result is whether ls-lint can apply
/// the rules of another glob to some of the directories.
pub(super) fn exclusions(
    folders: &[Directory],
    at: usize,
    extension: &str,
    ignored: &[String],
) -> (Vec<String>, bool) {
    let folder = &folders[at];
    let mut exclude = Vec::new();
    if extension != DIRS_KEY {
        exclude.push(format!("*.*{extension}"));
        // `*` matches one segment, from the right: `.a.*` is tried before `.*.b`.
        let order = |extension: &str| -> Vec<bool> {
            extension[1..].split('.').map(|part| part == "*").collect()
        };
        let own = order(extension);
        let extensions = folder.rules.iter().map(|(other, _)| other.as_str());
        let is_before = |other: &&str| {
            let order = order(other);
            ![extension, DIRS_KEY].contains(other) && order.len() == own.len() && order < own
        };
        exclude.extend(extensions.filter(is_before).map(|other| format!("*{other}")));
    }
    let mut is_open = false;
    for (index, other) in folders.iter().enumerate() {
        if index == at || other.path.is_empty() {
            continue;
        }
        let (same, inner) = glob_relation(&folder.path, &other.path);
        is_open |= same && has_glob(&folder.path) && has_glob(&other.path);
        let takes_precedence = rank(&other.path, index) > rank(&folder.path, at);
        if if same { takes_precedence } else { inner } {
            exclude.push(format!("/{}/", other.path.trim_end_matches("/**").trim_matches('/')));
        }
    }
    exclude.extend(ignored.iter().cloned());
    (exclude, is_open)
}

fn has_glob(path: &str) -> bool {
    path.contains(['*', '?', '[', '{'])
}

/// The rank of a glob: if two globs match a directory, the glob with more literal segments takes
/// precedence.
fn rank(path: &str, index: usize) -> (bool, usize, usize, std::cmp::Reverse<usize>) {
    let plain = path.split('/').filter(|part| !has_glob(part)).count();
    let any = path.split('/').filter(|part| *part == "**").count();
    (!has_glob(path), plain, usize::MAX - any, std::cmp::Reverse(index))
}

/// The relation of the globs `one` and `other`; each cell of the table is the result for the remaining
/// segments. Braces that contain a slash are treated like `**`: they match any number of directories.
pub(super) fn glob_relation(one: &str, other: &str) -> GlobRelation {
    let is_open =
        |part: &str| part == "**" || part.matches('{').count() != part.matches('}').count();
    let [one, other] = [one, other]
        .map(|path| path.split('/').filter(|part| !part.is_empty()).collect::<Vec<_>>());
    let mut table = vec![vec![(false, false); other.len() + 1]; one.len() + 1];
    for at in (0..=one.len()).rev() {
        for to in (0..=other.len()).rev() {
            table[at][to] = match (one.get(at), other.get(to)) {
                (None, None) => (true, false),
                (None, Some(part)) => (is_open(part) && table[at][to + 1].0, true),
                (Some(part), None) if is_open(part) => table[at + 1][to],
                (Some(part), Some(next)) if is_open(part) || is_open(next) => {
                    let steps = [table[at + 1][to], table[at][to + 1], table[at + 1][to + 1]];
                    (steps.iter().any(|step| step.0), steps.iter().any(|step| step.1))
                }
                (Some(part), Some(next)) if segments_overlap(part, next) => table[at + 1][to + 1],
                _ => (false, false),
            };
        }
    }
    table[0][0]
}

/// Whether a name can match both segments.
fn segments_overlap(one: &str, other: &str) -> bool {
    match (has_glob(one), has_glob(other)) {
        (false, false) => one == other,
        (true, false) => is_match(one, other),
        (false, true) => is_match(other, one),
        (true, true) => {
            let ends = |part: &str| -> (String, String) {
                let special = |c: char| "*?[{".contains(c);
                let head = part.split(special).next().unwrap_or_default();
                let tail = part.rsplit(|c: char| "*?]}".contains(c)).next().unwrap_or_default();
                (head.to_owned(), tail.to_owned())
            };
            let ((head, tail), (start, end)) = (ends(one), ends(other));
            (head.starts_with(&start) || start.starts_with(&head))
                && (tail.ends_with(&end) || end.ends_with(&tail))
        }
    }
}

fn is_match(glob: &str, name: &str) -> bool {
    globset::GlobBuilder::new(glob)
        .literal_separator(true)
        .build()
        .is_ok_and(|glob| glob.compile_matcher().is_match(name))
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    #[test]
    fn globs_overlap_if_a_directory_can_match_both() {
        for (one, other, expected) in [
            ("", "src", (false, true)),
            ("src", "src", (true, false)),
            ("src", "src/x", (false, true)),
            ("src", "srcs/x", (false, false)),
            ("src/x", "src", (false, false)),
            ("apps/*/src/*", "apps/*/src/app/*", (false, true)),
            ("apps/*/src/app/*", "apps/*/src/*", (false, false)),
            ("{apps,packages}/*/src", "apps/*/src/*", (false, true)),
            ("{apps,packages}/*", "libs/x/y", (false, false)),
            ("src/**", "src/legacy", (true, true)),
            ("src/legacy", "src/**", (true, true)),
            ("src/**", "src/**/dtos/**", (true, true)),
            ("src/**/hooks/**", "src/**/dtos/**", (true, true)),
            ("a*/x", "*b/x", (true, false)),
            ("a*/x", "b*/x", (false, false)),
            ("{a,{b,c}}/x", "c/*", (true, false)),
        ] {
            assert_eq!(glob_relation(one, other), expected, "{one} {other}");
        }
    }

    #[test]
    fn one_of_two_overlapping_globs_takes_precedence() {
        let folder = |path: &str| Directory { path: path.to_owned(), rules: Vec::new() };
        let folders = ["src/**", "src/**/dtos/**", "src/**/hooks/**", "src/legacy"].map(folder);
        let exclusions_of = |at: usize| exclusions(&folders, at, ".dir", &[]);
        let expected = ["/src/**/dtos/", "/src/**/hooks/", "/src/legacy/"].map(str::to_owned);
        assert_eq!(exclusions_of(0), (expected.to_vec(), true));
        assert_eq!(exclusions_of(1), (vec![], true));
        assert_eq!(exclusions_of(2), (vec![expected[0].clone()], true));
        assert_eq!(exclusions_of(3), (expected[..2].to_vec(), false));
    }

    proptest! {
        #[test]
        fn overlap_is_symmetric(
            one in "[ab*?{},\\[\\]/]{0,16}",
            other in "(\\*\\*|a|b|\\*|\\{a,b\\})(/(\\*\\*|a|b|\\*)){0,3}",
        ) {
            prop_assert_eq!(glob_relation(&one, &other).0, glob_relation(&other, &one).0);
        }
    }
}
