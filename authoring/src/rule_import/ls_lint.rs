//! Imports ls-lint rules (<https://ls-lint.org/2.3/configuration/the-rules.html>) on the names of
//! files and directories, by extension and directory. The matching was determined by running 2.3.1:
//! the extension of a file is everything after its first dot, and a directory with its own rules
//! inherits no rules.

mod directories;

use super::draft::Draft;
use super::expressions::alternatives;
use super::recipe::{self, RuleTable};
use super::{
    ImportDraft, ImportError, NotImported, Tool, read_single_document, sample, slug, string_list,
};
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
    /// The table for the rule pages on file names.
    names: RuleTable,
    /// The table for the rule pages on file counts.
    count: RuleTable,
}

/// A case that names can have, such as kebab case.
#[derive(Deserialize)]
pub(super) struct Case {
    /// The names of the case in ls-lint.
    pub(super) names: Vec<String>,
    /// The case in the syntax of a `tree` check.
    ours: String,
    /// A matching name.
    good: String,
    /// A name that does not match.
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
    /// `patterns` in the syntax of a `tree` check.
    our_patterns: Vec<String>,
    /// The name in the passing example.
    matching_name: String,
    /// The names in the failing examples.
    bad_names: Vec<String>,
    /// Names that a negated expression rejects.
    unwanted: Vec<String>,
    /// Minimum and maximum number of files in the directory itself.
    exists: Option<(u64, Option<u64>)>,
    notes: Vec<String>,
}

/// The key for directories in ls-lint.
const DIRS_KEY: &str = ".dir";

pub(super) fn read(files: &dyn Files, path: &str) -> Result<ImportDraft, ImportError> {
    let config = read_single_document(files, path)?;
    let mut import_draft = ImportDraft::default();
    let Some(Json::Object(list)) = config.get("ls") else {
        return Err(ImportError::MissingNames(path.to_owned()));
    };
    let folders = directories::collect_directories(list, path, &mut import_draft)?;
    let ignored = ignored_globs(&config);
    for (at, folder) in folders.iter().enumerate() {
        for (extension, rules) in &folder.rules {
            let item = format!("{} {extension}", folder.path).trim_start().to_owned();
            let pages = parse_rules(rules).and_then(|name_rules| {
                let (exclude, is_open) = exclusions(&folders, at, extension, &ignored);
                let mut draft = Draft::new(Tool::LsLint, path, &item, "");
                draft.notes.clone_from(&name_rules.notes);
                if folder.path.starts_with('/') {
                    draft = draft.note(
                        "in ls-lint, a directory that begins with `/` matches nothing, so the rule has no effect there",
                    );
                }
                if is_open {
                    draft = draft.note("if several globs match a directory, ls-lint applies an arbitrary one of them; in the pages, the more literal glob takes precedence");
                }
                let not_imported = &mut import_draft.not_imported;
                pages(draft, folder, extension, &name_rules, &exclude, not_imported)
            });
            match pages {
                Ok(pages) => import_draft.drafts.extend(pages),
                Err(why) => import_draft.not_imported.push(NotImported::new(&item, why)),
            }
        }
    }
    // Keys with these prefixes contain values that `ls` includes by reference.
    let is_known = |key: &str| {
        ["ls", "ignore"].contains(&key) || key.starts_with(['_', '.']) || key.starts_with("x-")
    };
    let unknown = config.keys().filter(|key| !is_known(key));
    import_draft
        .not_imported
        .extend(unknown.map(|key| NotImported::new(key, "unknown key of ls-lint")));
    Ok(import_draft)
}

/// The globs of ignored paths.
fn ignored_globs(config: &Map<String, Json>) -> Vec<String> {
    let ignored = config.get("ignore").map(string_list).unwrap_or_default();
    let with_contents = |glob: String| {
        let glob = glob.trim_end_matches('/').trim_start_matches("./");
        let inner = (!glob.ends_with("**")).then(|| format!("/{glob}/"));
        std::iter::once(format!("/{glob}")).chain(inner)
    };
    ignored.into_iter().flat_map(with_contents).collect()
}

fn parse_rules(rules: &str) -> Result<NameRules, String> {
    let mut name_rules = NameRules::default();
    for rule in rules.split(" | ").map(str::trim) {
        let (name, parameter) = rule.split_once(':').unwrap_or((rule, ""));
        let has_name = |case: &&Case| case.names.iter().any(|known| known == name);
        match (name, TABLES.cases.iter().find(has_name)) {
            (_, Some(case)) => {
                name_rules.our_patterns.push(case.ours.clone());
                name_rules.patterns.push(name.to_owned());
                name_rules.matching_name.clone_from(&case.good);
                name_rules.bad_names.push(case.bad.clone());
                name_rules.notes.extend(case.note.clone());
            }
            ("regex", _) => convert_expression(parameter, &mut name_rules)?,
            ("exists", _) => name_rules.exists = Some(parse_counts(parameter)?),
            _ => return Err(format!("unknown rule `{name}` of ls-lint 2.3")),
        }
    }
    // It is sufficient that a name follows one of several rules, so a bad name must be rejected by
    // the expressions and must not match any case.
    let combine = |name: &String| {
        name_rules.bad_names.iter().map(|bad| format!("{name}{bad}")).collect::<Vec<_>>()
    };
    let combined: Vec<String> = name_rules.unwanted.iter().flat_map(combine).collect();
    name_rules.bad_names =
        [std::mem::take(&mut name_rules.unwanted), combined, name_rules.bad_names].concat();
    Ok(name_rules)
}

/// Converts an expression, which ls-lint places between `^` and `$` without grouping.
fn convert_expression(parameter: &str, name_rules: &mut NameRules) -> Result<(), String> {
    if parameter.is_empty() {
        return Err("the expression is missing, which is an error in ls-lint".to_owned());
    }
    if parameter.contains("${") {
        return Err("it compares with the name of the parent directory, which expressions of a `tree` check do not support".to_owned());
    }
    let plain = parameter.strip_prefix('!').unwrap_or(parameter);
    let negation = &parameter[..parameter.len() - plain.len()];
    let whole = whole_name_pattern(plain);
    if whole != plain {
        name_rules.notes.push(format!("ls-lint puts `^` and `$` around `{plain}` without grouping, so each applies to one alternative; the page does the same"));
    }
    name_rules.our_patterns.push(format!("{negation}/{whole}/"));
    let sample = sample::from_regex(&format!("^(?:{plain})$"));
    let bad_names: &[&str] = if negation.is_empty() {
        name_rules.patterns.push(plain.to_owned());
        name_rules.matching_name = sample.unwrap_or_default();
        &["Bad Name!", "bad_Name", "9", "a b"]
    } else {
        name_rules.patterns.push(format!("anything but {plain}"));
        "good".clone_into(&mut name_rules.matching_name);
        name_rules.unwanted.extend(sample);
        &["Bad", "bad", "Bad_name"]
    };
    name_rules.bad_names.extend(bad_names.iter().map(|&name| name.to_owned()));
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
        None => number(parameter).map(|count| (count, Some(count))),
        Some((min, max)) => Ok((number(min)?, Some(number(max)?))),
    }
}

/// The pages of one extension in one directory; `draft` contains their common properties.
fn pages(
    mut draft: Draft,
    folder: &Directory,
    extension: &str,
    name_rules: &NameRules,
    exclude: &[String],
    not_imported: &mut Vec<NotImported>,
) -> Result<Vec<Draft>, String> {
    let path = folder.path.trim_end_matches('/');
    draft.severity = Severity::Error;
    draft.name = slug(&draft.item.replace("**", "all").replace('*', "any"));
    if extension == DIRS_KEY && path.is_empty() {
        "folders".clone_into(&mut draft.name);
    }
    let with_requirement = |requirement| Draft { requirement, ..draft.clone() };
    let folder_clause = if path.is_empty() { String::new() } else { format!(" in `{path}`") };
    let mut vars = recipe::vars(json!({
        "exclude": exclude,
        "of": folder_clause,
        "ending": extension,
        "each": subject_globs(path, extension),
        "said": name_rules.patterns,
        "name": name_patterns(name_rules, extension),
    }));
    let mut drafts = Vec::new();
    if !name_rules.our_patterns.is_empty() {
        TABLES.names.derive(&mut vars)?;
        for mut page in TABLES.names.drafts(&vars, "", &with_requirement)? {
            page.message =
                Some(format!("`<name>` does not match {}", name_rules.patterns.join(" or ")));
            drafts.push(with_name_examples(page, path, extension, name_rules));
        }
    }
    let Some((min, max)) = name_rules.exists else { return Ok(drafts) };
    if extension == DIRS_KEY {
        let why = "ls-lint counts the directory itself; a `tree` check counts its entries";
        not_imported.push(NotImported::new(format!("{} exists", draft.item), why));
        return Ok(drafts);
    }
    let failing = if min > 0 { Some(0) } else { max.map(|max| max.saturating_add(1)) };
    let passing = if max == Some(0) { 0 } else { min.max(1) };
    let limited = |count: Option<u64>| count.filter(|count| *count <= MAX_FILES);
    vars.extend(recipe::vars(json!({
        "counted": below(path, &format!("*{extension}")),
        "min": min,
        "max": max,
        "wrong": limited(failing),
        "right": limited(Some(passing)),
        "is_exact": max == Some(min),
    })));
    TABLES.count.derive(&mut vars)?;
    drafts.extend(TABLES.count.drafts(&vars, "", &with_requirement)?);
    Ok(drafts)
}

/// The patterns for `name` of a `tree` check. For an extension with several segments, the check
/// includes all but the last segment in the name, so the expression includes these segments too.
fn name_patterns(name_rules: &NameRules, extension: &str) -> Json {
    let parts: Vec<&str> = extension.trim_start_matches('.').split('.').collect();
    if extension == DIRS_KEY || parts.len() == 1 {
        return json!(name_rules.our_patterns);
    }
    let part = |part: &&str| match *part {
        "*" => r"\.[^.]*".to_owned(),
        part => format!(r"\.{}", regex::escape(part)),
    };
    let rest: String = parts[..parts.len() - 1].iter().map(part).collect();
    let with_inner_segments = |ours: &String| {
        let (case, inner) = ours.strip_suffix('/')?.split_once('/')?;
        // A name that begins with a dot has nothing before its extension.
        let optional = if case == "!" { "" } else { "?" };
        Some(format!("{case}/(?:{inner}){optional}{rest}/"))
    };
    name_rules.our_patterns.iter().filter_map(with_inner_segments).collect()
}

/// The globs for names with an extension in a directory and its subdirectories.
fn subject_globs(folder: &str, extension: &str) -> Json {
    let open = folder.is_empty() || folder.ends_with("**");
    let base = folder.trim_end_matches("**").trim_end_matches('/');
    let deep = |rest: &str| below(if open { base } else { folder }, &format!("**/{rest}"));
    match extension {
        // The directory itself is checked too.
        DIRS_KEY if !open => json!([format!("{folder}/"), deep("*/")]),
        DIRS_KEY => json!(deep("*/")),
        _ => json!(deep(&format!("*{extension}"))),
    }
}

/// Adds examples of a matching name and of names that do not match.
fn with_name_examples(
    mut page: Draft,
    folder: &str,
    extension: &str,
    name_rules: &NameRules,
) -> Draft {
    let folder = sample::from_glob(
        folder.trim_end_matches("**").trim_end_matches('/'),
        &name_rules.matching_name,
    );
    let path = |name: &str| match extension {
        DIRS_KEY => below(&folder, &format!("{name}/a.txt")),
        _ => below(&folder, &format!("{name}{}", extension.replace('*', "x"))),
    };
    for name in &name_rules.bad_names {
        page = page.example(false, &path(name), "Text.\n");
    }
    page.example(true, &path(&name_rules.matching_name), "Text.\n")
}
