//! Imports the markdownlint 0.42 rules that check a document's content
//! (<https://github.com/DavidAnson/markdownlint/blob/main/doc/Rules.md>); style rules are not
//! imported, because a formatter covers them.

mod scope;

use super::draft::Draft;
use super::modules::{Modules, resolve};
use super::recipe::{self, RuleTable};
use super::{ImportDraft, ImportError, NotImported, Tool, sample, script, string_list};
use aidd_engine::text::files::Files;
use aidd_engine::text::finding::Severity;
use scope::Scope;
use serde_json::{Map, Value as Json, json};
use std::collections::BTreeMap;
use std::sync::LazyLock;

/// The conversion of every rule.
pub(super) static RULES: LazyLock<BTreeMap<String, RuleTable>> =
    LazyLock::new(|| recipe::parse_tables(crate::rule_import::tables::MARKDOWNLINT));

/// Maximum depth of `extends`.
const MAX_DEPTH: usize = 8;

const STYLE_REASON: &str = "layout is the job of a formatter and needs no rule";

type Rule<'a> = (&'a String, &'a RuleTable);

/// Whether a key of a configuration is the name of a rule.
pub(super) fn is_rule(key: &str) -> bool {
    RULES.iter().any(|rule| is_named(rule, key))
}

fn is_named((number, rule): Rule<'_>, key: &str) -> bool {
    number.eq_ignore_ascii_case(key) || is_among(&rule.names, key)
}

fn is_among(names: &[String], key: &str) -> bool {
    names.iter().any(|name| name.eq_ignore_ascii_case(key))
}

pub(super) fn read(files: &dyn Files, path: &str) -> Result<ImportDraft, ImportError> {
    let mut import_draft = ImportDraft::default();
    let mut config = Modules::new(files, |_| None).config(path, &mut import_draft)?;
    if path.ends_with("package.json") {
        let inner = config.get("markdownlint-cli2").and_then(Json::as_object).cloned();
        config = inner.unwrap_or_default();
    }
    let is_runner = path.contains("cli2")
        || path.ends_with("package.json")
        || config.get("config").is_some_and(Json::is_object);
    let mut scope = Scope::from_path(path);
    let mut rules = if is_runner {
        scope::runner_rules(&config, files, &mut scope, &mut import_draft)?
    } else {
        scope::add_ignored(files, &mut scope, &mut import_draft);
        config
    };
    merge_extended(files, path, &mut rules, &mut import_draft);
    report_unknown_keys(&rules, &mut import_draft);
    let mut style = Vec::new();
    for rule @ (number, table) in &*RULES {
        let is_covered = table.style || table.ours.is_some() || table.unsupported.is_some();
        if !is_covered {
            add_rule_pages(rule, &rules, &scope, &mut import_draft);
        } else if options(rule, &rules).is_none() {
        } else if let (Some(ours), Some(pack)) = (&table.ours, &table.pack) {
            let item = NotImported::new(display_name(rule), "covered by a built-in rule");
            import_draft
                .not_imported
                .push(item.instead(format!("`{ours}`, enabled by the pack `{pack}`")));
        } else if table.style && !rules.keys().any(|key| is_named(rule, key)) {
            // Rules that the configuration does not name are reported together.
            style.push(number.as_str());
        } else {
            import_draft.not_imported.push(NotImported::new(
                display_name(rule),
                table.unsupported.as_deref().unwrap_or(STYLE_REASON),
            ));
        }
    }
    if !style.is_empty() {
        let item = format!(
            "{} style rules that are enabled by default ({})",
            style.len(),
            style.join(", ")
        );
        import_draft.not_imported.push(NotImported::new(item, STYLE_REASON));
    }
    Ok(import_draft)
}

/// If the rule has an effect in this configuration, adds its pages and reports its unknown options.
fn add_rule_pages(
    rule: Rule<'_>,
    rules: &Map<String, Json>,
    scope: &Scope,
    import_draft: &mut ImportDraft,
) {
    let Some(options) = effective_options(rule, rules) else { return };
    let (number, table) = rule;
    let known = |key: &&String| {
        table.options.contains(key) || ["enabled", "severity"].contains(&key.as_str())
    };
    let why = "not an option of that rule in markdownlint 0.42";
    let unknown = options.keys().filter(|key| !known(key));
    import_draft
        .not_imported
        .extend(unknown.map(|key| NotImported::new(format!("{number}: {key}"), why)));
    match pages(rule, options, scope) {
        Ok(drafts) => import_draft.drafts.extend(drafts),
        Err(why) => import_draft.not_imported.push(NotImported::new(display_name(rule), why)),
    }
}

/// The pages of a rule with these options.
fn pages(
    (number, table): Rule<'_>,
    mut vars: Map<String, Json>,
    scope: &Scope,
) -> Result<Vec<Draft>, String> {
    let level = vars.get("level").and_then(Json::as_u64).unwrap_or(1).clamp(1, 6);
    vars.insert("level".to_owned(), level.into());
    vars.insert("marks".to_owned(), "######"[..usize::try_from(level).unwrap_or(1)].into());
    table.derive(&mut vars)?;
    let lower_number = number.to_ascii_lowercase();
    let mut drafts = table.drafts(&vars, &example_path(scope), &|requirement| {
        let mut draft = Draft::new(Tool::Markdownlint, &scope.file, number, requirement);
        draft.name = format!("{lower_number}-{}", table.names[0]);
        draft.aliases = std::iter::once(number).chain(&table.names).cloned().collect();
        draft.sources = vec![format!(
            "https://github.com/DavidAnson/markdownlint/blob/main/doc/{lower_number}.md"
        )];
        let is_warning = vars.get("severity").is_some_and(|severity| severity == "warning");
        draft.severity = if is_warning { Severity::Warning } else { Severity::Error };
        draft
    })?;
    for check in drafts.iter_mut().filter_map(|draft| draft.check.as_mut()) {
        check["files"] = match &scope.files[..] {
            [] => json!(["*.md", "*.markdown"]),
            files => json!(files),
        };
        if !scope.exclude.is_empty() {
            check["exclude"] = json!(scope.exclude);
        }
    }
    Ok(drafts)
}

/// The path of a document to which the configuration applies.
fn example_path(scope: &Scope) -> String {
    let is_excluded = |folder: &str| {
        scope.exclude.iter().any(|glob| glob.trim_start_matches(['/', '*']).starts_with(folder))
    };
    let path = scope.files.first().map(|glob| sample::from_glob(glob, "example"));
    let path = path.filter(|path| {
        path.ends_with(".md") && !is_excluded(path.split('/').next().unwrap_or(path))
    });
    let default = if is_excluded("docs") { "example.md" } else { "docs/example.md" };
    path.unwrap_or_else(|| default.to_owned())
}

/// The options of a rule that has an effect.
fn effective_options(rule: Rule<'_>, rules: &Map<String, Json>) -> Option<Map<String, Json>> {
    // These two rules have no effect without a list; a list that is not a literal is already
    // reported.
    let list_key = match rule.0.as_str() {
        "MD043" => Some("headings"),
        "MD044" => Some("names"),
        _ => None,
    };
    options(rule, rules).filter(|options| {
        let is_empty = |key: &str| options.get(key).is_none_or(|list| string_list(list).is_empty());
        !script::has_non_literal(&json!(options)) && !list_key.is_some_and(is_empty)
    })
}

/// Reports keys that are not rules.
fn report_unknown_keys(rules: &Map<String, Json>, import_draft: &mut ImportDraft) {
    let is_tag = |key: &str| RULES.values().any(|rule| is_among(&rule.tags, key));
    let is_other = |key: &str| {
        ["default", "extends", "$schema"].iter().any(|other| other.eq_ignore_ascii_case(key))
    };
    let unknown = rules.keys().filter(|key| !is_rule(key) && !is_tag(key) && !is_other(key));
    let why = "neither a rule nor a tag of markdownlint 0.42";
    import_draft.not_imported.extend(unknown.map(|key| NotImported::new(key, why)));
}

/// Merges the extended rules; the configuration's own rules take precedence.
fn merge_extended(
    files: &dyn Files,
    path: &str,
    rules: &mut Map<String, Json>,
    import_draft: &mut ImportDraft,
) {
    let mut from = path.to_owned();
    let mut next = rules.remove("extends");
    for _ in 0..MAX_DEPTH {
        let Some(Json::String(name)) = next.take() else { return };
        // markdownlint first interprets a name as a path.
        let plain = resolve(files, &from, &format!("./{}", name.trim_start_matches("./")));
        let file = plain.or_else(|| resolve(files, &from, &name));
        let file =
            file.ok_or_else(|| "it is neither in the project nor in `node_modules`".to_owned());
        let read = file.and_then(|file| {
            let read = Modules::new(files, |_| None).exported(&file);
            read.map(|read| (read, file)).map_err(|why| why.to_string())
        });
        match read {
            Ok((read, file)) => {
                let mut inner = read.value.as_object().cloned().unwrap_or_default();
                next = inner.remove("extends");
                for (key, value) in inner {
                    rules.entry(key).or_insert(value);
                }
                from = file;
            }
            Err(why) => {
                return import_draft
                    .not_imported
                    .push(NotImported::new(format!("extends `{name}`"), why));
            }
        }
    }
}

fn display_name((number, rule): Rule<'_>) -> String {
    format!("{number} {}", rule.names[0])
}

/// The options of a rule; `None` when the rule is disabled. The name of the rule takes precedence over
/// its tags, and the tags over `default`, whatever their order in the configuration.
fn options(rule: Rule<'_>, rules: &Map<String, Json>) -> Option<Map<String, Json>> {
    let last_value = |is_key: &dyn Fn(&str) -> bool| {
        rules.iter().filter(|(key, _)| is_key(key)).map(|(_, value)| value).next_back()
    };
    let by_tag = || {
        rule.1.tags.iter().rev().find_map(|tag| last_value(&|key| tag.eq_ignore_ascii_case(key)))
    };
    let value = last_value(&|key| is_named(rule, key)).or_else(by_tag);
    match value.or_else(|| last_value(&|key| key.eq_ignore_ascii_case("default"))) {
        Some(Json::Object(map)) => map.get("enabled").is_none_or(is_truthy).then(|| map.clone()),
        Some(value) => {
            is_truthy(value).then(|| Map::from_iter([("severity".to_owned(), value.clone())]))
        }
        None => Some(Map::new()),
    }
}

/// Whether a value is truthy in JavaScript.
fn is_truthy(value: &Json) -> bool {
    match value {
        Json::Null => false,
        Json::Bool(on) => *on,
        Json::Number(number) => number.as_f64() != Some(0.0),
        Json::String(text) => !text.is_empty(),
        _ => true,
    }
}
