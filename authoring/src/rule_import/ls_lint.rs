//! ls-lint (<https://ls-lint.org/2.3/configuration/the-rules.html>): what files and folders are
//! called, by ending and folder. How it judges was seen by running 2.3.1: the ending of a file is
//! all behind its first dot, a folder with rules of its own has none of those above it.

mod folders;

use super::draft::Draft;
use super::{Left, Made, Tool, listed, read_one, sample, slug, texts};
use aidd_engine::text::files::Files;
use aidd_engine::text::finding::Severity;
use folders::{Folder, excluded};
use serde_json::{Map, Value as Json, json};

/// A case: what ls-lint calls it, what it is in our form (a case that proposes a better name, with
/// the line as ls-lint draws it), a name that has it and one that has not.
pub(super) struct Case {
    pub(super) names: &'static [&'static str],
    pub(super) ours: &'static str,
    good: &'static str,
    bad: &'static str,
}

/// The cases. The expressions were fitted to the verdicts of ls-lint 2.3.1 on all names of up to
/// three characters, and of `a`, `A` and `9` up to six: letters without case are in none but `camel`
/// and `pascal`, and two capitals follow one another only behind a small letter.
pub(super) const CASES: [Case; 7] = [
    Case { names: &["lowercase"], ours: r"lower /(?:\P{L}|\p{Ll})*/", good: "good", bad: "Bad" },
    Case {
        names: &["camelcase", "camelCase"],
        ours: r"camel /(?:[a-z](?:[A-Z]{0,2}|[A-Z]?\p{Lu})|[0-9]\p{Lu}?|[[\p{L}\p{Nd}]--[a-zA-Z0-9\p{Lu}]])*/",
        good: "goodName",
        bad: "bad_name",
    },
    Case {
        names: &["pascalcase", "PascalCase"],
        ours: r"pascal /(?:(?:[A-Z]|[0-9]\p{Lu}?|[[\p{L}\p{Nd}]--[a-zA-Z0-9\p{Ll}]])(?:[a-z](?:[A-Z]{0,2}|[A-Z]?\p{Lu})|[0-9]\p{Lu}?|[[\p{L}\p{Nd}]--[a-zA-Z0-9\p{Lu}]])*)?/",
        good: "GoodName",
        bad: "badName",
    },
    Case {
        names: &["snakecase", "snake_case"],
        ours: r"snake /[\p{Ll}\p{Nd}_]*/",
        good: "good_name",
        bad: "badName",
    },
    Case {
        names: &["screamingsnakecase", "SCREAMING_SNAKE_CASE"],
        ours: r"screaming /[\p{Lu}\p{Nd}_]*/",
        good: "GOOD_NAME",
        bad: "badName",
    },
    Case {
        names: &["kebabcase", "kebab-case"],
        ours: r"kebab /[\p{Ll}\p{Nd}-]*/",
        good: "good-name",
        bad: "badName",
    },
    Case { names: &[POINT], ours: r"/[\p{Ll}\p{Nd}.]*/", good: "good", bad: "Bad" },
];

/// A case that ls-lint 1 had.
const POINT: &str = "pointcase";

/// What one ending in one folder asks for.
#[derive(Default)]
struct Asked {
    /// Cases and expressions, of which one holds; as ls-lint writes them.
    said: Vec<String>,
    ours: Vec<String>,
    good: String,
    bad: Vec<String>,
    /// How many there are, in the folder itself.
    exists: Option<(u64, Option<u64>)>,
    notes: Vec<String>,
}

pub(super) fn read(files: &dyn Files, path: &str) -> Result<Made, String> {
    let config = read_one(files, path)?;
    let mut made = Made::default();
    let Some(Json::Object(list)) = config.get("ls") else {
        return Err(format!("{path} has no `ls`: the names that ls-lint judges"));
    };
    let folders = folders::gather(list, path, &mut made)?;
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
    let mut asked = Asked::default();
    let mut unwanted = Vec::new();
    for rule in rules.split(" | ").map(str::trim) {
        let (name, parameter) = rule.split_once(':').unwrap_or((rule, ""));
        if let Some(case) = CASES.iter().find(|case| case.names.contains(&name)) {
            asked.ours.push(case.ours.to_owned());
            asked.said.push(name.to_owned());
            asked.good = case.good.to_owned();
            asked.bad.push(case.bad.to_owned());
            if name == POINT {
                asked.notes.push("ls-lint 2 has no `pointcase`, and stops at it".to_owned());
            }
        } else if name == "regex" && !parameter.is_empty() {
            expression(parameter, &mut asked, &mut unwanted)?;
        } else if name == "regex" {
            return Err("it has no expression, at which ls-lint stops".to_owned());
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

/// An expression, which ls-lint puts between `^` and `$` as it stands.
fn expression(
    parameter: &str,
    asked: &mut Asked,
    unwanted: &mut Vec<String>,
) -> Result<(), String> {
    if parameter.contains("${") {
        return Err("it compares with the name of the folder above, which the form `tree` cannot put into an expression".to_owned());
    }
    let (not, plain) = match parameter.strip_prefix('!') {
        Some(plain) => ("!", plain),
        None => ("", parameter),
    };
    let whole = whole(plain);
    if whole != plain {
        asked.notes.push(format!("ls-lint puts `^` and `$` around `{plain}` as it stands, so that each belongs to one alternative; so does the page"));
    }
    asked.ours.push(format!("{not}/{whole}/"));
    let sample = sample::of_regex(&format!("^(?:{plain})$"));
    if not.is_empty() {
        asked.said.push(plain.to_owned());
        asked.good = sample.unwrap_or_default();
        asked.bad.extend(["Bad Name!", "bad_Name", "9", "a b"].map(str::to_owned));
    } else {
        asked.said.push(format!("what does not match {plain}"));
        asked.good = "good".to_owned();
        unwanted.extend(sample);
        asked.bad.extend(["Bad", "bad", "Bad_name"].map(str::to_owned));
    }
    Ok(())
}

/// An expression for a whole name that finds what `^` and `$` around `plain` find in one.
fn whole(plain: &str) -> String {
    let parts = alternatives(plain);
    let Some(last) = parts.len().checked_sub(1).filter(|last| *last > 0) else {
        return plain.to_owned();
    };
    let part = |(at, part): (usize, &&str)| {
        let before = if at == 0 { "" } else { ".*" };
        let after = if at == last { "" } else { ".*" };
        format!("{before}(?:{part}){after}")
    };
    parts.iter().enumerate().map(part).collect::<Vec<_>>().join("|")
}

/// The alternatives of an expression that are in no group.
fn alternatives(plain: &str) -> Vec<&str> {
    let (mut depth, mut in_class, mut from, mut parts) = (0_usize, false, 0, Vec::new());
    let mut bytes = plain.bytes().enumerate();
    while let Some((at, byte)) = bytes.next() {
        match byte {
            b'\\' => drop(bytes.next()),
            b'[' => in_class = true,
            b']' => in_class = false,
            b'(' if !in_class => depth += 1,
            b')' if !in_class => depth = depth.saturating_sub(1),
            b'|' if !in_class && depth == 0 => {
                parts.push(&plain[from..at]);
                from = at + 1;
            }
            _ => {}
        }
    }
    parts.push(&plain[from..]);
    parts
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
    let (exclude, is_open) = excluded(folders, at, ending, ignored);
    let draft = |demand: String| {
        let mut draft = Draft::new(Tool::LsLint, file, item, demand);
        draft.severity = Severity::Error;
        draft.notes.clone_from(&asked.notes);
        if folders[at].path.starts_with('/') {
            draft = draft
                .note("ls-lint knows no folder that begins with `/`, and judges nothing by it");
        }
        if is_open {
            draft = draft.note("of several globs that name one folder ls-lint takes any, not always the same; here the one that spells out more of it goes first");
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
    match asked.exists {
        Some(_) if ending == ".dir" => made.left.push(Left::new(
            format!("{item} exists"),
            "ls-lint counts the folder itself; the form `tree` counts what lies in it",
        )),
        Some(limits) => {
            let counted = below(folder, &format!("*{ending}"));
            let check = |limits: Json| json!({"exclude": exclude, "tree": {"each": counted, "count": limits}});
            made.drafts.push(count(&counted, limits, &draft, check));
        }
        None => {}
    }
}

/// The page that counts.
fn count(
    counted: &str,
    (min, max): (u64, Option<u64>),
    draft: &dyn Fn(String) -> Draft,
    check: impl Fn(Json) -> Json,
) -> Draft {
    /// Most files of an example.
    const MOST_FILES: u64 = 20;
    let limits = match max {
        Some(max) => json!({"min": min, "max": max}),
        None => json!({"min": min}),
    };
    let range = match max {
        None => format!("at least {min}"),
        Some(max) if max == min => format!("exactly {min}"),
        Some(max) => format!("{min} to {max}"),
    };
    let mut page = draft(format!("There MUST be {range} of `{counted}`.")).check(check(limits));
    page.name = format!("{}-count", page.name);
    let files = |number: u64| -> Vec<(String, String)> {
        let other = ("other.txt".to_owned(), "A\n".to_owned());
        let one = |at| (sample::of_glob(counted, &format!("a{at}")), "Text.\n".to_owned());
        std::iter::once(other).chain((0..number).map(one)).collect()
    };
    let wrong = if min > 0 { Some(0) } else { max.map(|max| max.saturating_add(1)) };
    if let Some(wrong) = wrong.filter(|wrong| *wrong <= MOST_FILES) {
        page = page.project(false, files(wrong));
    }
    let right = if max == Some(0) { 0 } else { min.max(1) };
    if right <= MOST_FILES { page.project(true, files(right)) } else { page }
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
        let (case, inner) = ours.split_once('/')?;
        let inner = inner.strip_suffix('/')?;
        // A name that begins with a dot has nothing before its ending.
        Some(format!("{case}/(?:{inner})?{rest}/"))
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
