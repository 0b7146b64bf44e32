//! ls-lint (<https://ls-lint.org/2.3/configuration/the-rules.html>): names of files and
//! directories, by extension and directory. The matching was determined by running 2.3.1: the
//! extension of a file is everything after its first dot, and a directory with its own rules
//! inherits none.

mod directories;

use super::draft::Draft;
use super::expressions::alternatives;
use super::recipe::{self, RuleTable};
use super::{ImportDraft, ImportError, NotImported, Tool, read_one, sample, slug, string_list};
use aidd_engine::text::files::Files;
use aidd_engine::text::finding::Severity;
use aidd_engine::text::paths::below;
use directories::{Directory, exclusions};
use serde::Deserialize;
use serde_json::{Map, Value as Json, json};
use std::sync::LazyLock;

/// The shipped tables.
#[derive(Deserialize)]
pub(super) struct Tables {
    pub(super) cases: Vec<Case>,
    /// The page on names; `count` is the page on the number of files.
    names: RuleTable,
    count: RuleTable,
}

/// A case of names.
#[derive(Deserialize)]
pub(super) struct Case {
    /// The names of the case in ls-lint.
    pub(super) names: Vec<String>,
    /// The case in our form.
    ours: String,
    /// A matching name; `bad` is a name that does not match.
    good: String,
    bad: String,
    /// How the page differs from ls-lint.
    note: Option<String>,
}

pub(super) static TABLES: LazyLock<Tables> =
    LazyLock::new(|| recipe::parse_tables(crate::rule_import::tables::LS_LINT));

/// Maximum number of files in an example.
const MAX_FILES: u64 = 20;

/// The requirements for one extension in one directory.
#[derive(Default)]
struct NameRules {
    /// Alternative cases and expressions, as written in ls-lint.
    patterns: Vec<String>,
    our_patterns: Vec<String>,
    good: String,
    bad: Vec<String>,
    /// Names that a negated expression rejects.
    unwanted: Vec<String>,
    /// Minimum and maximum number of files in the directory itself.
    exists: Option<(u64, Option<u64>)>,
    notes: Vec<String>,
}

/// The key for directories in ls-lint.
const DIRS_KEY: &str = ".dir";

pub(super) fn read(files: &dyn Files, path: &str) -> Result<ImportDraft, ImportError> {
    let config = read_one(files, path)?;
    let mut made = ImportDraft::default();
    let Some(Json::Object(list)) = config.get("ls") else {
        return Err(ImportError::MissingNames(path.to_owned()));
    };
    let folders = directories::collect_directories(list, path, &mut made)?;
    let ignored = ignored_globs(&config);
    for (at, folder) in folders.iter().enumerate() {
        for (ending, rules) in &folder.rules {
            let item = format!("{} {ending}", folder.path).trim_start().to_owned();
            let pages = parse_rules(rules).and_then(|asked| {
                let (exclude, is_open) = exclusions(&folders, at, ending, &ignored);
                let mut draft = Draft::new(Tool::LsLint, path, &item, "");
                draft.notes.clone_from(&asked.notes);
                if folder.path.starts_with('/') {
                    draft = draft.note(
                        "ls-lint has no directories that begin with `/`, so the rule has no effect there",
                    );
                }
                if is_open {
                    draft = draft.note("if several globs match a directory, ls-lint applies any of them, not always the same; here the more literal glob takes precedence");
                }
                pages(draft, folder, ending, &asked, &exclude, &mut made.not_imported)
            });
            match pages {
                Ok(pages) => made.drafts.extend(pages),
                Err(why) => made.not_imported.push(NotImported::new(&item, why)),
            }
        }
    }
    // Keys with these prefixes contain values that `ls` includes by reference.
    let is_known = |key: &str| {
        ["ls", "ignore"].contains(&key) || key.starts_with(['_', '.']) || key.starts_with("x-")
    };
    let odd = config.keys().filter(|key| !is_known(key));
    made.not_imported.extend(odd.map(|key| NotImported::new(key, "unknown key of ls-lint")));
    Ok(made)
}

/// The globs of ignored paths.
fn ignored_globs(config: &Map<String, Json>) -> Vec<String> {
    let ignored = config.get("ignore").map(string_list).unwrap_or_default();
    let both = |glob: String| {
        let glob = glob.trim_end_matches('/').trim_start_matches("./");
        let inner = (!glob.ends_with("**")).then(|| format!("/{glob}/"));
        std::iter::once(format!("/{glob}")).chain(inner)
    };
    ignored.into_iter().flat_map(both).collect()
}

fn parse_rules(rules: &str) -> Result<NameRules, String> {
    let mut asked = NameRules::default();
    for rule in rules.split(" | ").map(str::trim) {
        let (name, parameter) = rule.split_once(':').unwrap_or((rule, ""));
        let is_it = |case: &&Case| case.names.iter().any(|one| one == name);
        match (name, TABLES.cases.iter().find(is_it)) {
            (_, Some(case)) => {
                asked.our_patterns.push(case.ours.clone());
                asked.patterns.push(name.to_owned());
                asked.good.clone_from(&case.good);
                asked.bad.push(case.bad.clone());
                asked.notes.extend(case.note.clone());
            }
            ("regex", _) => expression(parameter, &mut asked)?,
            ("exists", _) => asked.exists = Some(parse_counts(parameter)?),
            _ => return Err(format!("unknown rule `{name}` of ls-lint 2.3")),
        }
    }
    // One of several rules is sufficient: a bad name must be rejected by the expressions and match
    // no case.
    let with =
        |name: &String| asked.bad.iter().map(|bad| format!("{name}{bad}")).collect::<Vec<_>>();
    let both: Vec<String> = asked.unwanted.iter().flat_map(with).collect();
    asked.bad = [std::mem::take(&mut asked.unwanted), both, asked.bad].concat();
    Ok(asked)
}

/// Converts an expression, which ls-lint places between `^` and `$` without grouping.
fn expression(parameter: &str, asked: &mut NameRules) -> Result<(), String> {
    if parameter.is_empty() {
        return Err("the expression is missing, which is an error in ls-lint".to_owned());
    }
    if parameter.contains("${") {
        return Err("it compares with the name of the parent directory, which expressions of the form `tree` do not support".to_owned());
    }
    let plain = parameter.strip_prefix('!').unwrap_or(parameter);
    let not = &parameter[..parameter.len() - plain.len()];
    let whole = whole_name_pattern(plain);
    if whole != plain {
        asked.notes.push(format!("ls-lint puts `^` and `$` around `{plain}` without grouping, so each applies to one alternative; the page does the same"));
    }
    asked.our_patterns.push(format!("{not}/{whole}/"));
    let sample = sample::from_regex(&format!("^(?:{plain})$"));
    let bad: &[&str] = if not.is_empty() {
        asked.patterns.push(plain.to_owned());
        asked.good = sample.unwrap_or_default();
        &["Bad Name!", "bad_Name", "9", "a b"]
    } else {
        asked.patterns.push(format!("anything but {plain}"));
        "good".clone_into(&mut asked.good);
        asked.unwanted.extend(sample);
        &["Bad", "bad", "Bad_name"]
    };
    asked.bad.extend(bad.iter().map(|&bad| bad.to_owned()));
    Ok(())
}

/// An expression for a whole name that is equivalent to `plain` between `^` and `$`.
fn whole_name_pattern(plain: &str) -> String {
    match &alternatives(plain)[..] {
        [first, inner @ .., last] => {
            let inner: String = inner.iter().map(|part| format!("|.*(?:{part}).*")).collect();
            format!("(?:{first}).*{inner}|.*(?:{last})")
        }
        _ => plain.to_owned(),
    }
}

fn parse_counts(parameter: &str) -> Result<(u64, Option<u64>), String> {
    let number = |text: &str| {
        text.parse().map_err(|_| format!("`exists:{parameter}` is neither a number nor a range"))
    };
    match parameter.split_once('-') {
        None if parameter.is_empty() => Ok((1, None)),
        None => number(parameter).map(|all| (all, Some(all))),
        Some((least, most)) => Ok((number(least)?, Some(number(most)?))),
    }
}

/// The pages of one extension in one directory; `draft` contains their common properties.
fn pages(
    mut draft: Draft,
    folder: &Directory,
    ending: &str,
    asked: &NameRules,
    exclude: &[String],
    left: &mut Vec<NotImported>,
) -> Result<Vec<Draft>, String> {
    let path = folder.path.trim_end_matches('/');
    draft.severity = Severity::Error;
    draft.name = slug(&draft.item.replace("**", "all").replace('*', "any"));
    if ending == DIRS_KEY && path.is_empty() {
        "folders".clone_into(&mut draft.name);
    }
    let of = |demand| Draft { demand, ..draft.clone() };
    let of_folder = if path.is_empty() { String::new() } else { format!(" in `{path}`") };
    let mut vars = recipe::vars(json!({
        "exclude": exclude,
        "of": of_folder,
        "ending": ending,
        "each": subject_globs(path, ending),
        "said": asked.patterns,
        "name": name_patterns(asked, ending),
    }));
    let mut drafts = Vec::new();
    if !asked.our_patterns.is_empty() {
        TABLES.names.derive(&mut vars)?;
        for mut page in TABLES.names.drafts(&vars, "", &of)? {
            page.message = Some(format!("`<name>` does not match {}", asked.patterns.join(" or ")));
            drafts.push(with_name_examples(page, path, ending, asked));
        }
    }
    let Some((min, max)) = asked.exists else { return Ok(drafts) };
    if ending == DIRS_KEY {
        let why = "ls-lint counts the directory itself; the form `tree` counts its entries";
        left.push(NotImported::new(format!("{} exists", draft.item), why));
        return Ok(drafts);
    }
    let wrong = if min > 0 { Some(0) } else { max.map(|max| max.saturating_add(1)) };
    let right = if max == Some(0) { 0 } else { min.max(1) };
    let shown = |count: Option<u64>| count.filter(|count| *count <= MAX_FILES);
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

/// The names in our form. For an extension with several segments, the form checks all but the last
/// segment, so the expression includes them.
fn name_patterns(asked: &NameRules, ending: &str) -> Json {
    let parts: Vec<&str> = ending.trim_start_matches('.').split('.').collect();
    if ending == DIRS_KEY || parts.len() == 1 {
        return json!(asked.our_patterns);
    }
    let part = |part: &&str| match *part {
        "*" => r"\.[^.]*".to_owned(),
        part => format!(r"\.{}", regex::escape(part)),
    };
    let rest: String = parts[..parts.len() - 1].iter().map(part).collect();
    let whole = |ours: &String| {
        let (case, inner) = ours.strip_suffix('/')?.split_once('/')?;
        // A name that begins with a dot has nothing before its extension.
        let may_miss = if case == "!" { "" } else { "?" };
        Some(format!("{case}/(?:{inner}){may_miss}{rest}/"))
    };
    asked.our_patterns.iter().filter_map(whole).collect()
}

/// The subjects of an extension in a directory and below it.
fn subject_globs(folder: &str, ending: &str) -> Json {
    let open = folder.is_empty() || folder.ends_with("**");
    let base = folder.trim_end_matches("**").trim_end_matches('/');
    let deep = |rest: &str| below(if open { base } else { folder }, &format!("**/{rest}"));
    match ending {
        // The directory itself is checked too.
        DIRS_KEY if !open => json!([format!("{folder}/"), deep("*/")]),
        DIRS_KEY => json!(deep("*/")),
        _ => json!(deep(&format!("*{ending}"))),
    }
}

/// Adds examples of a matching name and of names that do not match.
fn with_name_examples(mut page: Draft, folder: &str, ending: &str, asked: &NameRules) -> Draft {
    let folder =
        sample::from_glob(folder.trim_end_matches("**").trim_end_matches('/'), &asked.good);
    let path = |name: &str| match ending {
        DIRS_KEY => below(&folder, &format!("{name}/a.txt")),
        _ => below(&folder, &format!("{name}{}", ending.replace('*', "x"))),
    };
    for bad in &asked.bad {
        page = page.example(false, &path(bad), "Text.\n");
    }
    page.example(true, &path(&asked.good), "Text.\n")
}
