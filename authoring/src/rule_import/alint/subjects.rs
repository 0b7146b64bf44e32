//! Converts the kinds of rules that have requirements for each selected file or directory.

use super::super::draft::Draft;
use super::super::steps::{convert_template, expand_template};
use super::super::{format_list, sample};
use super::{Drafts, Rule, anchor_glob, find_kind, parse_paths};
use serde_json::{Map, Value as Json, json};

/// The requirements of a rule for each file or directory.
#[derive(Default)]
struct Requirements {
    clauses: Vec<String>,
    exists: Vec<String>,
    absent: Vec<String>,
    /// Files that satisfy the requirements.
    required_files: Vec<(String, String)>,
    /// Pages on the files within the selected directories.
    nested_drafts: Vec<Draft>,
    /// The reasons why other requirements are not imported.
    not_imported: Vec<String>,
}

/// Converts rules for each selected directory or file.
pub(super) fn convert_for_each(rule: &Rule<'_>) -> Drafts {
    let (select, not) = parse_paths(rule.options.get("select").unwrap_or(&Json::Null));
    let folder = |glob: &String| format!("{}/", glob.trim_end_matches('/'));
    let mut selected: Vec<String> = match rule.kind {
        "for_each_dir" => select.iter().map(folder).collect(),
        // Rules of this kind select both files and directories.
        "every_matching_has" => {
            select.iter().flat_map(|glob| [glob.clone(), folder(glob)]).collect()
        }
        _ => select.clone(),
    };
    // The capture that replaces `{path}`: the selected directory or, if a condition requires a file
    // in the directory, the directory of this file.
    let mut subject = "<path>";
    let mut reported_by = None;
    if let Some(text) = rule.options.get("when_iter").and_then(Json::as_str) {
        let name = required_file(text).filter(|_| rule.kind == "for_each_dir").ok_or_else(|| {
            let text = text.split_whitespace().collect::<Vec<_>>().join(" ");
            format!(
                "the condition `{text}` is unsupported: a page supports only `iter.has_file(…)` for each directory"
            )
        })?;
        selected = selected.iter().map(|folder| format!("{folder}{name}")).collect();
        subject = "<dir>";
        reported_by = Some(name);
    }
    let first = sample::from_glob(select.first().map_or("", String::as_str), "example");
    let mut requirements = Requirements::default();
    let require = rule.options.get("require").and_then(Json::as_array);
    for nested in require.into_iter().flatten() {
        let kind = nested["kind"].as_str().unwrap_or_default();
        let (paths, _) = parse_paths(&nested["paths"]);
        let converted: Vec<String> = paths
            .iter()
            .map(|path| convert_template(&path.replace("{path}", subject)))
            .collect::<Result<_, String>>()?;
        let names: Vec<String> = paths.iter().map(|path| path.replace("{path}/", "")).collect();
        let names = format_list(&names, "or");
        let required = paths.first().map(|path| expand_template(path, &first));
        match kind {
            "file_exists" | "dir_exists" => {
                let (end, file) = if kind == "dir_exists" { ("/", "/a.txt") } else { ("", "") };
                let alternatives: Vec<String> =
                    converted.iter().map(|path| format!("{path}{end}")).collect();
                requirements.exists.push(alternatives.join(" | "));
                let required = required.map(|path| (format!("{path}{file}"), "Text.\n".to_owned()));
                requirements.required_files.extend(required);
                requirements.clauses.push(format!("MUST have {names}"));
            }
            "file_absent" => {
                requirements.clauses.push(format!("NEVER has {names}"));
                requirements.absent.extend(converted);
            }
            _ => {
                let Some(nested) = nested.as_object() else { continue };
                match nested_file_rule(rule, nested, &select, &not, reported_by.is_some()) {
                    Ok(drafts) => requirements.nested_drafts.extend(drafts),
                    Err(why) => {
                        requirements
                            .not_imported
                            .push(format!("its `{kind}` is not imported: {why}"));
                    }
                }
            }
        }
    }
    if requirements.clauses.is_empty() {
        match requirements.nested_drafts.first_mut() {
            Some(first) => first.notes.extend(requirements.not_imported),
            None => {
                return requirements.not_imported.into_iter().next().map_or(Ok(Vec::new()), Err);
            }
        }
        return Ok(requirements.nested_drafts);
    }
    let mut tree = json!({"each": selected});
    for (key, paths) in [("exists", requirements.exists), ("absent", requirements.absent)] {
        if !paths.is_empty() {
            tree[key] = json!(paths);
        }
    }
    let mut check = rule.bind_check(json!({"tree": tree}), false);
    if !not.is_empty() {
        let with_contents =
            |glob: &String| [anchor_glob(glob), format!("/{}/", glob.trim_end_matches('/'))];
        check["exclude"] = not.iter().flat_map(with_contents).collect();
    }
    let base = match (subject, rule.kind) {
        ("<dir>", _) => sample::from_glob(selected.first().map_or("", String::as_str), "example"),
        (_, "for_each_dir") => format!("{first}/other.txt"),
        _ => first,
    };
    let base = (base, "Text.\n".to_owned());
    let requirement =
        format!("Each of {} {}.", format_list(&select, "and"), requirements.clauses.join(", and "));
    let mut draft = rule
        .draft(requirement)
        .check(check)
        .example_project(false, vec![base.clone()])
        .example_project(true, std::iter::once(base).chain(requirements.required_files).collect());
    if subject == "<dir>" {
        draft = draft.note("findings are reported at the file that identifies the directory");
    }
    draft.notes.extend(requirements.not_imported);
    Ok(std::iter::once(draft).chain(requirements.nested_drafts).collect())
}

/// The name in `iter.has_file("name")`; `None` for any other condition.
fn required_file(text: &str) -> Option<String> {
    let name = text.trim().strip_prefix("iter.has_file(")?.strip_suffix(')')?.trim();
    let quote = name.chars().next().filter(|quote| matches!(quote, '\'' | '"'))?;
    let name = name.strip_prefix(quote)?.strip_suffix(quote)?;
    (!name.contains(['*', '\\', quote])).then(|| name.to_owned())
}

/// Converts a rule on files within the selection to a rule on the paths of these files.
/// `selects_by_file` states whether only directories that contain a certain file are selected.
fn nested_file_rule(
    rule: &Rule<'_>,
    nested: &Map<String, Json>,
    select: &[String],
    not: &[String],
    selects_by_file: bool,
) -> Drafts {
    let name = nested.get("kind").and_then(Json::as_str).unwrap_or_default();
    let (kind, table) = match find_kind(name) {
        Some((kind, table)) if table.ours.is_none() => (kind, table),
        _ => return Err(format!("`{name}` is unsupported under `require`")),
    };
    if let Some(why) = &table.unsupported {
        return Err(why.clone());
    }
    let within = |path: &String| -> Result<Vec<String>, String> {
        let rest = path.strip_prefix("{path}").filter(|rest| !rest.contains('{'));
        let rest = rest.ok_or_else(|| format!("`{path}` is not a path within the selection"))?;
        Ok(select.iter().map(|glob| format!("{}{rest}", glob.trim_end_matches('/'))).collect())
    };
    let (paths, without) = parse_paths(nested.get("paths").unwrap_or(&Json::Null));
    let include = paths.iter().map(within).collect::<Result<Vec<_>, _>>()?.concat();
    let folders = not.iter().map(|glob| glob.trim_end_matches('/'));
    let folders = folders.flat_map(|glob| [glob.to_owned(), format!("{glob}/**")]);
    let exclude: Vec<String> = rule.exclude.iter().cloned().chain(without).chain(folders).collect();
    if nested.contains_key("select") {
        return Err("`select` within a selection is unsupported".to_owned());
    }
    let when = rule.when.clone();
    let inner = Rule { kind, options: nested, include, exclude, when, notes: Vec::new(), ..*rule };
    let mut drafts = inner.drafts()?;
    if selects_by_file {
        let note = "the page also checks directories without the file that the condition requires";
        drafts.iter_mut().for_each(|draft| draft.notes.push(note.to_owned()));
    }
    Ok(drafts)
}
