//! The folders of a configuration, and which of them a file is judged by: the deepest that names a
//! folder it lies in. That a folder named plainly goes before one that a glob names, and that of
//! several globs any is taken, was seen by running ls-lint 2.3.1.

use super::super::{Left, Made};
use serde_json::{Map, Value as Json};

/// Most paths that one glob with alternatives is looked at as.
const MOST_PATHS: usize = 256;

/// The rules of one folder: its path or glob, empty for the root, and ending → rules.
pub(super) struct Folder {
    pub(super) path: String,
    pub(super) rules: Vec<(String, String)>,
}

/// How the folders of one glob lie to those of another.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(super) struct Meets {
    /// Some folder is of both.
    pub(super) same: bool,
    /// Some folder of the other lies in one of the first.
    pub(super) below: bool,
}

/// The folders of the configuration, the root first.
pub(super) fn gather(
    root: &Map<String, Json>,
    file: &str,
    made: &mut Made,
) -> Result<Vec<Folder>, String> {
    let mut folders = Vec::new();
    let mut left = vec![(String::new(), root)];
    while let Some((path, list)) = left.pop() {
        let mut folder = Folder { path: path.clone(), rules: Vec::new() };
        for (key, value) in list {
            match value {
                Json::Object(inner) => {
                    let below = if path.is_empty() { key.clone() } else { format!("{path}/{key}") };
                    left.push((below, inner));
                }
                Json::String(rules) if key.starts_with('.') && !key.contains([' ', '/']) => {
                    folder.rules.push((key.clone(), rules.clone()));
                }
                Json::String(_) => {
                    let left = Left::new(
                        format!("{path} {key}").trim(),
                        "ls-lint takes it for an ending that no file has, and judges nothing by it",
                    );
                    made.left.push(match as_folder(key) {
                        Some(meant) => left.instead(meant),
                        None => left,
                    });
                }
                Json::Null => {}
                _ => return Err(format!("{file}: `{key}` is neither rules nor a folder")),
            }
        }
        folders.push(folder);
    }
    folders.sort_by(|one, next| one.path.cmp(&next.path));
    Ok(folders)
}

/// What a key such as `src/**/*.ts` has to be written as.
fn as_folder(key: &str) -> Option<String> {
    let (folder, file) = key.rsplit_once('/')?;
    let ending = file.strip_prefix('*').filter(|ending| ending.starts_with('.'))?;
    Some(format!("the key `{ending}` below the key `{folder}`"))
}

/// What the rules of an ending in a folder do not speak of: longer endings, endings that are told
/// more exactly, folders with rules of their own, and what is ignored. Also whether ls-lint may
/// judge some of its folders by the rules of another.
pub(super) fn excluded(
    folders: &[Folder],
    at: usize,
    ending: &str,
    ignored: &[String],
) -> (Vec<String>, bool) {
    let folder = &folders[at];
    let mut exclude = Vec::new();
    if ending != ".dir" {
        exclude.push(format!("*.*{ending}"));
        let parts = |ending: &str| ending.matches('.').count();
        // `*` stands for a part from the right first: `.a.*` is tried before `.*.b`.
        let order = |ending: &str| -> Vec<bool> {
            ending[1..].split('.').map(|part| part == "*").collect()
        };
        let exact = folder.rules.iter().filter(|(other, _)| {
            other != ending
                && other != ".dir"
                && parts(other) == parts(ending)
                && order(other) < order(ending)
        });
        exclude.extend(exact.map(|(other, _)| format!("*{other}")));
    }
    let mut is_open = false;
    for (index, other) in folders.iter().enumerate() {
        if index == at || other.path.is_empty() {
            continue;
        }
        let meets = meets(&folder.path, &other.path);
        is_open |= meets.same && has_glob(&folder.path) && has_glob(&other.path);
        let yields = if meets.same {
            rank(&other.path, index) > rank(&folder.path, at)
        } else {
            meets.below
        };
        if yields {
            exclude.push(format!("/{}/", other.path.trim_end_matches("/**").trim_matches('/')));
        }
    }
    exclude.extend(ignored.iter().cloned());
    (exclude, is_open)
}

fn has_glob(path: &str) -> bool {
    path.contains(['*', '?', '[', '{'])
}

/// Of two globs for one folder the one with more of it spelled out goes before the other.
fn rank(path: &str, index: usize) -> (bool, usize, usize, std::cmp::Reverse<usize>) {
    let plain = path.split('/').filter(|part| !has_glob(part)).count();
    let any = path.split('/').filter(|part| *part == "**").count();
    (!has_glob(path), plain, usize::MAX - any, std::cmp::Reverse(index))
}

/// How the folders of `other` lie to those of `one`.
pub(super) fn meets(one: &str, other: &str) -> Meets {
    let mut all = Meets::default();
    for one in braces(one) {
        for other in braces(other) {
            let meets = met(&parts(&one), &parts(&other));
            all.same |= meets.same;
            all.below |= meets.below;
        }
    }
    all
}

fn parts(path: &str) -> Vec<&str> {
    path.split('/').filter(|part| !part.is_empty()).collect()
}

/// Of globs without alternatives; each cell of the table is what the rests from there come to.
fn met(one: &[&str], other: &[&str]) -> Meets {
    let wide = other.len() + 1;
    let mut table = vec![Meets::default(); (one.len() + 1) * wide];
    for at in (0..=one.len()).rev() {
        for to in (0..=other.len()).rev() {
            let cell = |at: usize, to: usize| table[at * wide + to];
            let mut both = Meets::default();
            let mut add = |meets: Meets| {
                both.same |= meets.same;
                both.below |= meets.below;
            };
            match (one.get(at), other.get(to)) {
                (None, None) => add(Meets { same: true, below: false }),
                (None, Some(part)) => {
                    add(Meets { same: *part == "**" && cell(at, to + 1).same, below: true });
                }
                (Some(&"**"), None) => add(cell(at + 1, to)),
                (Some(_), None) => {}
                (Some(&part), Some(&next)) if part == "**" || next == "**" => {
                    add(cell(at + 1, to));
                    add(cell(at, to + 1));
                    add(cell(at + 1, to + 1));
                }
                (Some(part), Some(next)) if part_meets(part, next) => add(cell(at + 1, to + 1)),
                _ => {}
            }
            table[at * wide + to] = both;
        }
    }
    table[0]
}

/// Whether one name may be of both parts.
fn part_meets(one: &str, other: &str) -> bool {
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

/// The paths that a glob with alternatives stands for; beyond a number of them the glob itself.
fn braces(glob: &str) -> Vec<String> {
    let mut all = vec![glob.to_owned()];
    while let Some(at) = all.iter().position(|path| innermost(path).is_some()) {
        let path = all.swap_remove(at);
        let Some((start, end)) = innermost(&path) else { continue };
        let inner = path[start + 1..end].split(',');
        all.extend(inner.map(|one| format!("{}{one}{}", &path[..start], &path[end + 1..])));
        if all.len() > MOST_PATHS {
            return vec![glob.to_owned()];
        }
    }
    all
}

/// Where the first braces without others in them begin and end.
fn innermost(path: &str) -> Option<(usize, usize)> {
    let end = path.find('}')?;
    path[..end].rfind('{').map(|start| (start, end))
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    #[test]
    fn globs_meet_where_a_folder_may_be_of_both() {
        let all = |one: &str, other: &str| {
            let meets = meets(one, other);
            (meets.same, meets.below)
        };
        for (one, other, wanted) in [
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
            assert_eq!(all(one, other), wanted, "{one} {other}");
        }
    }

    #[test]
    fn of_two_globs_for_one_folder_exactly_one_yields() {
        let folder = |path: &str| Folder { path: path.to_owned(), rules: Vec::new() };
        let folders = ["src/**", "src/**/dtos/**", "src/**/hooks/**", "src/legacy"].map(folder);
        let of = |at: usize| excluded(&folders, at, ".dir", &[]);
        let wanted = ["/src/**/dtos/", "/src/**/hooks/", "/src/legacy/"].map(str::to_owned);
        assert_eq!(of(0), (wanted.to_vec(), true));
        assert_eq!(of(1), (vec![], true));
        assert_eq!(of(2), (vec![wanted[0].clone()], true));
        assert_eq!(of(3), (wanted[..2].to_vec(), false));
    }

    proptest! {
        #[test]
        fn meeting_is_mutual_and_nothing_panics(
            one in "[ab*?{},\\[\\]/]{0,16}",
            other in "(\\*\\*|a|b|\\*|\\{a,b\\})(/(\\*\\*|a|b|\\*)){0,3}",
        ) {
            prop_assert_eq!(meets(&one, &other).same, meets(&other, &one).same);
        }
    }
}
