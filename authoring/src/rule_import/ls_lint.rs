//! ls-lint (<https://ls-lint.org/2.3/configuration/the-rules.html>): what files and folders are
//! called, by ending and folder. How it judges was seen by running 2.3.1: the ending of a file is
//! all behind its first dot, a folder with rules of its own has none of those above it.

mod folders;

use super::draft::Draft;
use super::expressions::alternatives;
use super::recipe::{self, Table};
use super::{ImportError, Left, Made, Tool, read_one, sample, slug, texts};
use aidd_engine::text::files::Files;
use aidd_engine::text::finding::Severity;
use aidd_engine::text::paths::below;
use folders::{Folder, excluded};
use serde::Deserialize;
use serde_json::{Map, Value as Json, json};
use std::sync::LazyLock;

/// What is shipped.
#[derive(Deserialize)]
pub(super) struct Tables {
    pub(super) cases: Vec<Case>,
    /// The page on names, and the one on how many files there are.
    names: Table,
    count: Table,
}

/// A case.
#[derive(Deserialize)]
pub(super) struct Case {
    /// What ls-lint calls it.
    pub(super) names: Vec<String>,
    /// What it is in our form.
    ours: String,
    /// A name that has it, and one that has not.
    good: String,
    bad: String,
    /// In what ls-lint differs.
    note: Option<String>,
}

pub(super) static TABLES: LazyLock<Tables> =
    LazyLock::new(|| recipe::read(crate::rule_import::tables::LS_LINT));

/// Most files of an example.
const MOST_FILES: u64 = 20;

/// What one ending in one folder asks for.
#[derive(Default)]
struct Asked {
    /// Cases and expressions, of which one holds; as ls-lint writes them.
    said: Vec<String>,
    ours: Vec<String>,
    good: String,
    bad: Vec<String>,
    /// Names that an expression does not want.
    unwanted: Vec<String>,
    /// How many there are, in the folder itself.
    exists: Option<(u64, Option<u64>)>,
    notes: Vec<String>,
}

/// What ls-lint calls folders.
const FOLDERS: &str = ".dir";

pub(super) fn read(files: &dyn Files, path: &str) -> Result<Made, ImportError> {
    let config = read_one(files, path)?;
    let mut made = Made::default();
    let Some(Json::Object(list)) = config.get("ls") else {
        return Err(ImportError::NoNames(path.to_owned()));
    };
    let folders = folders::gather(list, path, &mut made)?;
    let ignored = ignored(&config);
    for (at, folder) in folders.iter().enumerate() {
        for (ending, rules) in &folder.rules {
            let item = format!("{} {ending}", folder.path).trim_start().to_owned();
            let pages = asked(rules).and_then(|asked| {
                let (exclude, is_open) = excluded(&folders, at, ending, &ignored);
                let mut draft = Draft::new(Tool::LsLint, path, &item, "");
                draft.notes.clone_from(&asked.notes);
                if folder.path.starts_with('/') {
                    draft = draft.note(
                        "ls-lint knows no folder that begins with `/`, and judges nothing by it",
                    );
                }
                if is_open {
                    draft = draft.note("of several globs that name one folder ls-lint takes any, not always the same; here the one that spells out more of it goes first");
                }
                pages(draft, folder, ending, &asked, &exclude, &mut made.left)
            });
            match pages {
                Ok(pages) => made.drafts.extend(pages),
                Err(why) => made.left.push(Left::new(&item, why)),
            }
        }
    }
    // Others that begin so hold what `ls` takes in by its name.
    let is_known = |key: &str| {
        ["ls", "ignore"].contains(&key) || key.starts_with(['_', '.']) || key.starts_with("x-")
    };
    let odd = config.keys().filter(|key| !is_known(key));
    made.left.extend(odd.map(|key| Left::new(key, "it is no key of ls-lint")));
    Ok(made)
}

/// The globs of what is left out.
fn ignored(config: &Map<String, Json>) -> Vec<String> {
    let ignored = config.get("ignore").map(texts).unwrap_or_default();
    let both = |glob: String| {
        let glob = glob.trim_end_matches('/').trim_start_matches("./");
        let inner = (!glob.ends_with("**")).then(|| format!("/{glob}/"));
        std::iter::once(format!("/{glob}")).chain(inner)
    };
    ignored.into_iter().flat_map(both).collect()
}

fn asked(rules: &str) -> Result<Asked, String> {
    let mut asked = Asked::default();
    for rule in rules.split(" | ").map(str::trim) {
        let (name, parameter) = rule.split_once(':').unwrap_or((rule, ""));
        let is_it = |case: &&Case| case.names.iter().any(|one| one == name);
        match (name, TABLES.cases.iter().find(is_it)) {
            (_, Some(case)) => {
                asked.ours.push(case.ours.clone());
                asked.said.push(name.to_owned());
                asked.good.clone_from(&case.good);
                asked.bad.push(case.bad.clone());
                asked.notes.extend(case.note.clone());
            }
            ("regex", _) => expression(parameter, &mut asked)?,
            ("exists", _) => asked.exists = Some(counts(parameter)?),
            _ => return Err(format!("`{name}` is no rule of ls-lint 2.3")),
        }
    }
    // Of several rules one suffices: what is bad by all is both unwanted and in no case.
    let with =
        |name: &String| asked.bad.iter().map(|bad| format!("{name}{bad}")).collect::<Vec<_>>();
    let both: Vec<String> = asked.unwanted.iter().flat_map(with).collect();
    asked.bad = [std::mem::take(&mut asked.unwanted), both, asked.bad].concat();
    Ok(asked)
}

/// An expression, which ls-lint puts between `^` and `$` as it stands.
fn expression(parameter: &str, asked: &mut Asked) -> Result<(), String> {
    if parameter.is_empty() {
        return Err("it has no expression, at which ls-lint stops".to_owned());
    }
    if parameter.contains("${") {
        return Err("it compares with the name of the folder above, which the form `tree` cannot put into an expression".to_owned());
    }
    let plain = parameter.strip_prefix('!').unwrap_or(parameter);
    let not = &parameter[..parameter.len() - plain.len()];
    let whole = whole(plain);
    if whole != plain {
        asked.notes.push(format!("ls-lint puts `^` and `$` around `{plain}` as it stands, so that each belongs to one alternative; so does the page"));
    }
    asked.ours.push(format!("{not}/{whole}/"));
    let sample = sample::of_regex(&format!("^(?:{plain})$"));
    let bad: &[&str] = if not.is_empty() {
        asked.said.push(plain.to_owned());
        asked.good = sample.unwrap_or_default();
        &["Bad Name!", "bad_Name", "9", "a b"]
    } else {
        asked.said.push(format!("what does not match {plain}"));
        "good".clone_into(&mut asked.good);
        asked.unwanted.extend(sample);
        &["Bad", "bad", "Bad_name"]
    };
    asked.bad.extend(bad.iter().map(|&bad| bad.to_owned()));
    Ok(())
}

/// An expression for a whole name that finds what `^` and `$` around `plain` find in one.
fn whole(plain: &str) -> String {
    match &alternatives(plain)[..] {
        [first, inner @ .., last] => {
            let inner: String = inner.iter().map(|part| format!("|.*(?:{part}).*")).collect();
            format!("(?:{first}).*{inner}|.*(?:{last})")
        }
        _ => plain.to_owned(),
    }
}

fn counts(parameter: &str) -> Result<(u64, Option<u64>), String> {
    let number = |text: &str| {
        text.parse().map_err(|_| format!("`exists:{parameter}` is no number and no range"))
    };
    match parameter.split_once('-') {
        None if parameter.is_empty() => Ok((1, None)),
        None => number(parameter).map(|all| (all, Some(all))),
        Some((least, most)) => Ok((number(least)?, Some(number(most)?))),
    }
}

/// The pages of one ending in one folder, of which `draft` has what they have in common.
fn pages(
    mut draft: Draft,
    folder: &Folder,
    ending: &str,
    asked: &Asked,
    exclude: &[String],
    left: &mut Vec<Left>,
) -> Result<Vec<Draft>, String> {
    let path = folder.path.trim_end_matches('/');
    draft.severity = Severity::Error;
    draft.name = slug(&draft.item.replace("**", "all").replace('*', "any"));
    if ending == FOLDERS && path.is_empty() {
        "folders".clone_into(&mut draft.name);
    }
    let of = |demand| Draft { demand, ..draft.clone() };
    let of_folder = if path.is_empty() { String::new() } else { format!(" in `{path}`") };
    let mut vars = recipe::vars(json!({
        "exclude": exclude,
        "of": of_folder,
        "ending": ending,
        "each": each(path, ending),
        "said": asked.said,
        "name": named(asked, ending),
    }));
    let mut drafts = Vec::new();
    if !asked.ours.is_empty() {
        TABLES.names.derive(&mut vars)?;
        for mut page in TABLES.names.drafts(&vars, "", &of)? {
            page.message = Some(format!("`<name>` is not named in {}", asked.said.join(" or ")));
            drafts.push(with_names(page, path, ending, asked));
        }
    }
    let Some((min, max)) = asked.exists else { return Ok(drafts) };
    if ending == FOLDERS {
        let why = "ls-lint counts the folder itself; the form `tree` counts what lies in it";
        left.push(Left::new(format!("{} exists", draft.item), why));
        return Ok(drafts);
    }
    let wrong = if min > 0 { Some(0) } else { max.map(|max| max.saturating_add(1)) };
    let right = if max == Some(0) { 0 } else { min.max(1) };
    let shown = |count: Option<u64>| count.filter(|count| *count <= MOST_FILES);
    vars.extend(recipe::vars(json!({
        "counted": below(path, &format!("*{ending}")),
        "min": min,
        "max": max,
        "wrong": shown(wrong),
        "right": shown(Some(right)),
        "is_exact": max == Some(min),
    })));
    TABLES.count.derive(&mut vars)?;
    drafts.extend(TABLES.count.drafts(&vars, "", &of)?);
    Ok(drafts)
}

/// The names in our form. Of an ending with several parts the form judges all but the last part,
/// so the expression has them too.
fn named(asked: &Asked, ending: &str) -> Json {
    let parts: Vec<&str> = ending.trim_start_matches('.').split('.').collect();
    if ending == FOLDERS || parts.len() == 1 {
        return json!(asked.ours);
    }
    let part = |part: &&str| match *part {
        "*" => r"\.[^.]*".to_owned(),
        part => format!(r"\.{}", regex::escape(part)),
    };
    let rest: String = parts[..parts.len() - 1].iter().map(part).collect();
    let whole = |ours: &String| {
        let (case, inner) = ours.strip_suffix('/')?.split_once('/')?;
        // A name that begins with a dot has nothing before its ending.
        let may_miss = if case == "!" { "" } else { "?" };
        Some(format!("{case}/(?:{inner}){may_miss}{rest}/"))
    };
    asked.ours.iter().filter_map(whole).collect()
}

/// The subjects of an ending in a folder and below it.
fn each(folder: &str, ending: &str) -> Json {
    let open = folder.is_empty() || folder.ends_with("**");
    let base = folder.trim_end_matches("**").trim_end_matches('/');
    let deep = |rest: &str| below(if open { base } else { folder }, &format!("**/{rest}"));
    match ending {
        // The folder is judged too.
        FOLDERS if !open => json!([format!("{folder}/"), deep("*/")]),
        FOLDERS => json!(deep("*/")),
        _ => json!(deep(&format!("*{ending}"))),
    }
}

/// Examples of a name that is well and of one that is not.
fn with_names(mut page: Draft, folder: &str, ending: &str, asked: &Asked) -> Draft {
    let folder = sample::of_glob(folder.trim_end_matches("**").trim_end_matches('/'), &asked.good);
    let path = |name: &str| match ending {
        FOLDERS => below(&folder, &format!("{name}/a.txt")),
        _ => below(&folder, &format!("{name}{}", ending.replace('*', "x"))),
    };
    for bad in &asked.bad {
        page = page.example(false, &path(bad), "Text.\n");
    }
    page.example(true, &path(&asked.good), "Text.\n")
}
