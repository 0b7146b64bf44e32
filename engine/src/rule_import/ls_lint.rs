//! ls-lint (<https://ls-lint.org/2.3/configuration/the-rules.html>): what files and folders are
//! called, by ending and folder. How it judges was seen by running 2.3.1: the ending of a file is
//! all behind its first dot, a folder with rules of its own has none of those above it.

use super::draft::Draft;
use super::{Left, Made, Tool, listed, read_one, sample, slug, texts};
use crate::files::Files;
use crate::finding::Severity;
use serde_json::{Map, Value as Json, json};

/// A case: what ls-lint calls it, what it is in our form (a case that proposes a better name, and
/// an expression for what ls-lint takes besides), a name that has it and one that has not.
pub(super) struct Case {
    pub(super) names: &'static [&'static str],
    pub(super) ours: &'static [&'static str],
    good: &'static str,
    bad: &'static str,
}

/// The cases.
pub(super) const CASES: [Case; 6] = [
    Case { names: &["lowercase"], ours: &["lower"], good: "good", bad: "Bad" },
    Case {
        names: &["camelcase", "camelCase"],
        ours: &["camel"],
        good: "goodName",
        bad: "bad_name",
    },
    Case {
        names: &["pascalcase", "PascalCase"],
        ours: &["/[A-Z](?:[a-z0-9][a-zA-Z0-9]*)?|[0-9][a-zA-Z0-9]*/"],
        good: "GoodName",
        bad: "badName",
    },
    Case {
        names: &["snakecase", "snake_case"],
        ours: &["snake", r"/[\p{Ll}\p{Nd}_]*/"],
        good: "good_name",
        bad: "badName",
    },
    Case {
        names: &["screamingsnakecase", "SCREAMING_SNAKE_CASE"],
        ours: &["screaming", r"/[\p{Lu}\p{Nd}_]*/"],
        good: "GOOD_NAME",
        bad: "badName",
    },
    Case {
        names: &["kebabcase", "kebab-case"],
        ours: &["kebab", r"/[\p{Ll}\p{Nd}-]*/"],
        good: "good-name",
        bad: "badName",
    },
];

/// The rules of one folder: its path or glob, empty for the root, and ending → rules.
struct Folder {
    path: String,
    rules: Vec<(String, String)>,
}

/// What one ending in one folder asks for.
struct Asked {
    /// Cases and expressions, of which one holds; as ls-lint writes them.
    said: Vec<String>,
    ours: Vec<String>,
    good: String,
    bad: Vec<String>,
    /// How many there are, in the folder itself.
    exists: Option<(u64, Option<u64>)>,
}

pub(super) fn read(files: &dyn Files, path: &str) -> Result<Made, String> {
    let config = read_one(files, path)?;
    let mut made = Made::default();
    let Some(Json::Object(list)) = config.get("ls") else {
        return Err(format!("{path} has no `ls`: the names that ls-lint judges"));
    };
    let mut folders = Vec::new();
    gather(list, path, &mut folders, &mut made)?;
    let ignored = ignored(&config);
    for at in 0..folders.len() {
        for (ending, rules) in &folders[at].rules {
            let item = match folders[at].path.as_str() {
                "" => ending.clone(),
                folder => format!("{folder} {ending}"),
            };
            match asked(rules) {
                Ok(asked) => {
                    pages(&folders, at, (&item, ending), &asked, &ignored, path, &mut made);
                }
                Err(why) => made.left.push(Left::new(&item, why)),
            }
        }
    }
    let known = ["ls", "ignore"];
    // Others that begin so hold what `ls` takes in by its name.
    let is_shared = |key: &str| key.starts_with(['_', '.']) || key.starts_with("x-");
    let odd = config.keys().filter(|key| !known.contains(&key.as_str()) && !is_shared(key));
    made.left.extend(odd.map(|key| Left::new(key, "it is no key of ls-lint")));
    Ok(made)
}

/// The folders of the configuration, the root first.
fn gather(
    root: &Map<String, Json>,
    file: &str,
    folders: &mut Vec<Folder>,
    made: &mut Made,
) -> Result<(), String> {
    let mut left = vec![(String::new(), root)];
    while let Some((path, list)) = left.pop() {
        let mut folder = Folder { path: path.clone(), rules: Vec::new() };
        for (key, value) in list {
            match value {
                Json::Object(inner) => {
                    let below = if path.is_empty() { key.clone() } else { format!("{path}/{key}") };
                    left.push((below, inner));
                }
                Json::String(rules) if key.starts_with('.') && !key.contains(' ') => {
                    folder.rules.push((key.clone(), rules.clone()));
                }
                Json::String(_) => made.left.push(Left::new(
                    format!("{path} {key}").trim(),
                    "ls-lint takes it for an ending that no file has, and judges nothing by it",
                )),
                Json::Null => {}
                _ => return Err(format!("{file}: `{key}` is neither rules nor a folder")),
            }
        }
        folders.push(folder);
    }
    folders.sort_by(|one, next| one.path.cmp(&next.path));
    Ok(())
}

/// The globs of what is left out.
fn ignored(config: &Map<String, Json>) -> Vec<String> {
    let ignored = config.get("ignore").map(texts).unwrap_or_default();
    let both = |glob: String| {
        let glob = glob.trim_end_matches('/').trim_start_matches("./").to_owned();
        let open = glob.ends_with("**");
        let inner = (!open).then(|| format!("/{glob}/"));
        std::iter::once(format!("/{glob}")).chain(inner)
    };
    ignored.into_iter().flat_map(both).collect()
}

fn asked(rules: &str) -> Result<Asked, String> {
    let mut asked = Asked {
        said: Vec::new(),
        ours: Vec::new(),
        good: String::new(),
        bad: Vec::new(),
        exists: None,
    };
    let mut unwanted = Vec::new();
    for rule in rules.split(" | ").map(str::trim) {
        let (name, parameter) = rule.split_once(':').unwrap_or((rule, ""));
        if let Some(case) = CASES.iter().find(|case| case.names.contains(&name)) {
            asked.ours.extend(case.ours.iter().map(|&ours| ours.to_owned()));
            asked.said.push(name.to_owned());
            asked.good = case.good.to_owned();
            asked.bad.push(case.bad.to_owned());
        } else if name == "regex" {
            if parameter.contains("${") {
                return Err("it compares with the name of the folder above, which the form `tree` cannot put into an expression".to_owned());
            }
            if let Some(not) = parameter.strip_prefix('!') {
                asked.ours.push(format!("!/{not}/"));
                asked.said.push(format!("what does not match {not}"));
                asked.good = "good".to_owned();
                let bad = sample::of_regex(&format!("^(?:{not})$"));
                unwanted.extend(bad);
                asked.bad.extend(["Bad", "bad", "Bad_name"].map(str::to_owned));
                continue;
            }
            asked.ours.push(format!("/{parameter}/"));
            asked.said.push(parameter.to_owned());
            if let Some(good) = sample::of_regex(&format!("^(?:{parameter})$")) {
                asked.good = good;
            }
            asked.bad.extend(["Bad Name!", "bad_Name", "9"].map(str::to_owned));
        } else if name == "exists" {
            asked.exists = Some(counts(parameter)?);
        } else {
            return Err(format!("`{name}` is no rule of ls-lint 2.3"));
        }
    }
    // Of several rules one suffices: what is bad by all is both unwanted and in no case.
    let both: Vec<String> = unwanted
        .iter()
        .flat_map(|name| asked.bad.iter().map(move |bad| format!("{name}{bad}")))
        .collect();
    asked.bad.splice(0..0, unwanted.into_iter().chain(both));
    Ok(asked)
}

fn counts(parameter: &str) -> Result<(u64, Option<u64>), String> {
    let wrong = || format!("`exists:{parameter}` is no number and no range");
    match parameter.split_once('-') {
        None if parameter.is_empty() => Ok((1, None)),
        None => parameter.parse().map(|all| (all, Some(all))).map_err(|_| wrong()),
        Some((least, most)) => {
            let least = least.parse().map_err(|_| wrong())?;
            let most = most.parse().map_err(|_| wrong())?;
            Ok((least, Some(most)))
        }
    }
}

fn pages(
    folders: &[Folder],
    at: usize,
    (item, ending): (&str, &str),
    asked: &Asked,
    ignored: &[String],
    file: &str,
    made: &mut Made,
) {
    let folder = folders[at].path.trim_end_matches('/');
    let exclude = excluded(folders, at, ending, ignored);
    let draft = |demand: String| {
        let mut draft = Draft::new(Tool::LsLint, file, item, demand);
        draft.severity = Severity::Error;
        if folders[at].path.starts_with('/') {
            draft = draft
                .note("ls-lint knows no folder that begins with `/`, and judges nothing by it");
        }
        draft.name = slug(&item.replace("**", "all").replace('*', "any"));
        if folder.is_empty() {
            draft.name = if ending == ".dir" { "folders".to_owned() } else { draft.name };
        }
        draft
    };
    let what = if ending == ".dir" {
        "Folders".to_owned()
    } else {
        format!("Files that end in `{ending}`")
    };
    let place = if folder.is_empty() { String::new() } else { format!(" in `{folder}`") };
    if !asked.ours.is_empty() {
        let each = each(folder, ending);
        let said = listed(&asked.said, "or");
        let mut page = draft(format!("{what}{place} MUST be named in {said}.")).check(
            json!({"exclude": exclude, "tree": {"each": each, "name": named(asked, ending)}}),
        );
        page.message = Some(format!("`<name>` is not named in {}", asked.said.join(" or ")));
        made.drafts.push(with_names(page, folder, ending, asked));
    }
    if let Some((min, max)) = asked.exists {
        let counted = if ending == ".dir" {
            below(folder, "*/")
        } else {
            below(folder, &format!("*{ending}"))
        };
        let limits = match max {
            Some(max) => json!({"min": min, "max": max}),
            None => json!({"min": min}),
        };
        let range = max.map_or_else(|| format!("at least {min}"), |max| format!("{min} to {max}"));
        let mut page = draft(format!("There MUST be {range} of `{counted}`."))
            .check(json!({"exclude": exclude, "tree": {"each": counted, "count": limits}}));
        if ending == ".dir" {
            made.left.push(Left::new(
                format!("{item} exists"),
                "ls-lint counts the folder itself; the form `tree` counts what lies in it",
            ));
            return;
        }
        page.name = format!("{}-count", page.name);
        let sample = sample::of_glob(&counted, "a");
        let other = vec![("other.txt".to_owned(), "A\n".to_owned())];
        let some: Vec<_> = (0..min.clamp(u64::from(max != Some(0)), 20))
            .map(|number| (sample::of_glob(&counted, &format!("a{number}")), "Text.\n".to_owned()))
            .collect();
        let page = if min > 0 {
            page.project(false, other)
        } else {
            page.project(false, vec![(sample, "Text.\n".to_owned())])
        };
        let some =
            if max == Some(0) { vec![("other.txt".to_owned(), "A\n".to_owned())] } else { some };
        made.drafts.push(page.project(true, some));
    }
}

/// The names in our form. Of an ending with several parts the form judges all but the last part,
/// so the expression has them too.
fn named(asked: &Asked, ending: &str) -> Json {
    let parts: Vec<&str> = ending.trim_start_matches('.').split('.').collect();
    if ending == ".dir" || parts.len() == 1 {
        return json!(asked.ours);
    }
    let rest: String = parts[..parts.len() - 1]
        .iter()
        .map(|part| {
            if *part == "*" { r"\.[^.]*".to_owned() } else { format!(r"\.{}", regex::escape(part)) }
        })
        .collect();
    let whole = |ours: &String| {
        if let Some(not) = ours.strip_prefix("!/").and_then(|inner| inner.strip_suffix('/')) {
            return Some(format!("!/(?:{not}){rest}/"));
        }
        let written = ours.strip_prefix('/').and_then(|inner| inner.strip_suffix('/'));
        let inner = match (written, ours.as_str()) {
            (Some(inner), _) => inner,
            (None, "lower") => r"[^\p{Lu}]*",
            (None, "camel") => "[a-z0-9][a-zA-Z0-9]*",
            // The expression that stands beside these says it all.
            (None, _) => return None,
        };
        // A name that begins with a dot has nothing before its ending.
        Some(format!("/(?:{inner})?{rest}/"))
    };
    json!(asked.ours.iter().filter_map(whole).collect::<Vec<_>>())
}

fn below(folder: &str, rest: &str) -> String {
    if folder.is_empty() { rest.to_owned() } else { format!("{folder}/{rest}") }
}

/// The subjects of an ending in a folder and below it.
fn each(folder: &str, ending: &str) -> Json {
    let open = folder.is_empty() || folder.ends_with("**");
    let deep = |rest: &str| {
        let deep = format!("**/{rest}");
        if open {
            below(folder.trim_end_matches("**").trim_end_matches('/'), &deep)
        } else {
            below(folder, &deep)
        }
    };
    match ending {
        ".dir" if folder.is_empty() => json!("**/*/"),
        // The folder is judged too.
        ".dir" if open => json!(deep("*/")),
        ".dir" => json!([format!("{folder}/"), deep("*/")]),
        _ => json!(deep(&format!("*{ending}"))),
    }
}

/// What the rules of an ending in a folder do not speak of: longer endings, endings that are told
/// more exactly, folders with rules of their own, and what is ignored.
fn excluded(folders: &[Folder], at: usize, ending: &str, ignored: &[String]) -> Vec<String> {
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
    let prefix = if folder.path.is_empty() { String::new() } else { format!("{}/", folder.path) };
    for (index, other) in folders.iter().enumerate() {
        let inner = other.path.starts_with(&prefix)
            || braces(&other.path).iter().any(|path| is_literal_of(&folder.path, path));
        if index != at && !other.path.is_empty() && inner {
            exclude.push(format!("/{}/", other.path.trim_end_matches("/**").trim_end_matches('/')));
        }
    }
    exclude.extend(ignored.iter().cloned());
    exclude
}

/// The paths that a glob with alternatives stands for, as far as it has nothing else open.
fn braces(glob: &str) -> Vec<String> {
    let cut = glob.split_once('{').and_then(|(head, rest)| Some((head, rest.split_once('}')?)));
    let Some((head, (inner, tail))) = cut else { return vec![glob.to_owned()] };
    if inner.contains('{') || tail.contains('{') {
        return vec![glob.to_owned()];
    }
    inner.split(',').map(|one| format!("{head}{one}{tail}")).collect()
}

/// Whether `path` is one of the folders that the glob `glob` stands for, or lies in one.
fn is_literal_of(glob: &str, path: &str) -> bool {
    let has_glob = |text: &str| text.contains(['*', '?', '[', '{']);
    has_glob(glob)
        && !has_glob(path)
        && globset::GlobBuilder::new(glob).literal_separator(true).build().is_ok_and(|glob| {
            let matcher = glob.compile_matcher();
            std::path::Path::new(path).ancestors().any(|folder| matcher.is_match(folder))
        })
}

/// Examples of a name that is well and of one that is not.
fn with_names(mut page: Draft, folder: &str, ending: &str, asked: &Asked) -> Draft {
    let folder = sample::of_glob(folder.trim_end_matches("**").trim_end_matches('/'), &asked.good);
    let path = |name: &str| match ending {
        ".dir" => below(&folder, &format!("{name}/a.txt")),
        _ => below(&folder, &format!("{name}{}", ending.replace('*', "x"))),
    };
    for bad in &asked.bad {
        page = page.example(false, &path(bad), "Text.\n");
    }
    page.example(true, &path(&asked.good), "Text.\n")
}
