//! Imports commitlint rules (<https://commitlint.js.org/reference/rules.html>) on the format of
//! commit messages. The options of the rules were taken from and verified with 20.5.3.

mod cases;
mod custom_header;
mod parse;
mod shared;

use super::draft::Draft;
use super::modules::Modules;
use super::recipe::{self, RuleTable, Vars};
use super::{ImportDraft, ImportError, NotImported, Tool, script, string_list, unsupported_keys};
use aidd_engine::text::files::Files;
use aidd_engine::text::finding::Severity;
use custom_header::HeaderRequirement;
use parse::HeaderParser;
use serde::Deserialize;
use serde_json::{Map, Value as Json, json};
use shared::{MAX_DEPTH, MergedConfig, known_package, merge_extends};
use std::collections::BTreeMap;
use std::sync::LazyLock;

/// The shipped tables.
#[derive(Deserialize)]
pub(super) struct Tables {
    /// Every rule; each rule becomes a page or a part of a page.
    pub(super) rules: BTreeMap<String, RuleTable>,
    /// The page for the rules that together define a Conventional Commit.
    conventional: RuleTable,
    /// The variables of each part of a message.
    parts: BTreeMap<String, Vars>,
    /// A regular expression for each letter case.
    cases: BTreeMap<String, String>,
    /// A regular expression for first lines that are not Conventional Commits.
    #[serde(rename = "other")]
    non_conventional: String,
    /// A regular expression for the separators in a scope.
    #[serde(rename = "parted")]
    scope_separator: String,
    /// Sample texts for examples.
    #[serde(rename = "words")]
    sample_texts: Vec<String>,
    /// First lines of messages, each with its type, scope and subject.
    #[serde(rename = "probes")]
    sample_headers: Vec<(String, Option<[String; 3]>)>,
    /// The rules that known packages set.
    configs: BTreeMap<String, Map<String, Json>>,
}

pub(super) static TABLES: LazyLock<Tables> =
    LazyLock::new(|| recipe::parse_tables(crate::rule_import::tables::COMMITLINT));

/// The file name used in examples.
const MESSAGE: &str = "commit/message";

/// Whether there is a rule of this name.
pub(super) fn is_rule(name: &str) -> bool {
    TABLES.rules.contains_key(name)
}

/// A configured rule.
struct RuleSetting<'a> {
    name: &'a str,
    severity: Severity,
    never: bool,
    value: Json,
}

pub(super) fn read(files: &dyn Files, path: &str) -> Result<ImportDraft, ImportError> {
    let mut import_draft = ImportDraft::default();
    let modules = Modules::new(files, known_package);
    let config = modules.config(path, &mut import_draft)?;
    let config = match config.get("commitlint") {
        Some(Json::Object(inner)) if path.ends_with("package.json") => inner.clone(),
        _ => config,
    };
    let mut all = MergedConfig::default();
    merge_extends(&modules, path, &config, MAX_DEPTH, &mut all, &mut import_draft);
    let unknown = "unknown key of commitlint";
    import_draft.not_imported.extend(unsupported_keys(&config, Tool::Commitlint, Some(unknown)));
    let mut settings = Vec::new();
    for (name, value) in &all.rules {
        match parse_setting(name, value) {
            Ok(setting) => settings.extend(setting),
            Err(why) => import_draft.not_imported.push(NotImported::new(name, why)),
        }
    }
    let (preset, from) = all.preset.unwrap_or_else(|| (Json::Null, path.to_owned()));
    let (parse, prefixes) = HeaderParser::from_preset(&preset, &from, &modules);
    if let HeaderParser::Unknown(why) = &parse {
        import_draft.not_imported.push(NotImported::new("parserPreset", why));
    }
    add_pages(&settings, path, (&parse, &prefixes), &mut import_draft);
    Ok(import_draft)
}

/// Parses `[level, applicable, value]`; `None` when the rule is disabled.
fn parse_setting<'a>(name: &'a str, value: &Json) -> Result<Option<RuleSetting<'a>>, String> {
    if !is_rule(name) {
        return Err("not a rule of commitlint 21; a plugin can define it".to_owned());
    }
    if script::has_non_literal(value) && !value.is_array() {
        return Ok(None);
    }
    let list = match value {
        Json::Array(list) => list.clone(),
        other => vec![other.clone()],
    };
    let severity = match list.first().and_then(Json::as_u64) {
        Some(0) => return Ok(None),
        Some(1) => Severity::Warning,
        Some(2) => Severity::Error,
        _ => return Err("its level is not 0, 1 or 2".to_owned()),
    };
    if script::has_non_literal(value) {
        // A value that is not a literal is already reported.
        return Ok(None);
    }
    let argument = list.get(2).cloned().unwrap_or(Json::Null);
    let has_no_effect = match name {
        "scope-enum" | "type-enum" => enum_names(&argument).is_empty(),
        _ if name.contains("-max-") => argument == "Infinity",
        _ => name.ends_with("min-length") && argument == 0,
    };
    if has_no_effect {
        return Ok(None);
    }
    let never = match list.get(1).and_then(Json::as_str) {
        Some(applicable) => applicable == "never",
        // Without `applicable`, the default of the rule applies.
        None => ["references-empty", "subject-exclamation-mark"].contains(&name),
    };
    Ok(Some(RuleSetting { name, severity, never, value: argument }))
}

/// The rules that together define a Conventional Commit.
const CONVENTIONAL_RULES: [&str; 6] = [
    "type-enum",
    "type-empty",
    "subject-empty",
    "scope-enum",
    "body-leading-blank",
    "breaking-change-exclamation-mark",
];

/// Adds the pages of the configured rules. `parser` contains the parser of first lines, and the
/// prefixes of issue references.
fn add_pages(
    settings: &[RuleSetting<'_>],
    file: &str,
    parser: (&HeaderParser, &[String]),
    import_draft: &mut ImportDraft,
) {
    let (parse, prefixes) = parser;
    let find = |name: &str| settings.iter().find(|setting| setting.name == name);
    let is_never = |name: &str| find(name).is_some_and(|setting| setting.never);
    let mut has_header_page = false;
    match parse {
        HeaderParser::Conventional if is_never("type-empty") && is_never("subject-empty") => {
            has_header_page = true;
            match conventional_page(settings, file) {
                Ok(draft) => import_draft.drafts.push(draft),
                Err(why) => import_draft.not_imported.push(NotImported::new("parserPreset", why)),
            }
        }
        HeaderParser::Custom(pattern, names) => {
            let is_required = |part: &str| {
                !names.iter().any(|name| name == part) || is_never(&format!("{part}-empty"))
            };
            if is_required("type") && is_required("subject") {
                let line = custom_header::whole_line(settings, pattern, names);
                match line.and_then(|line| {
                    line.into_draft(new_draft(CUSTOM_HEADER_RULES, file, Severity::Error, ""))
                }) {
                    Ok(mut draft) => {
                        draft.name = "first-line".to_owned();
                        import_draft.drafts.push(draft);
                        has_header_page = true;
                    }
                    Err(why) => {
                        import_draft.not_imported.push(NotImported::new("parserPreset", why));
                    }
                }
            }
        }
        _ => {}
    }
    let types = find("type-enum")
        .filter(|setting| !setting.never)
        .map(|setting| string_list(&setting.value))
        .unwrap_or_default();
    for setting in settings {
        let is_implied = setting.name == "type-case"
            && !setting.never
            && setting.value == "lower-case"
            && !types.is_empty()
            && types.iter().all(|kind| kind.to_lowercase() == *kind);
        // The page on the body also checks the footers.
        let is_duplicate = setting.name == "footer-max-line-length"
            && find("body-max-line-length").is_some_and(|body| body.value == setting.value);
        if is_duplicate || has_header_page && (is_covered(setting, parse) || is_implied) {
            continue;
        }
        match rule_page(setting, file, parse, prefixes) {
            Ok(mut draft) => {
                let covers_footers = setting.name == "body-max-line-length"
                    && find("footer-max-line-length")
                        .is_some_and(|footer| footer.value == setting.value);
                if covers_footers {
                    draft.item = "body-max-line-length, footer-max-line-length".to_owned();
                }
                import_draft.drafts.push(draft);
            }
            Err(why) => import_draft.not_imported.push(NotImported::new(setting.name, why)),
        }
    }
}

/// The rules that the page on first lines with a custom parser covers.
const CUSTOM_HEADER_RULES: &str = "type-enum, type-empty, subject-empty, scope-enum";

/// Whether the page on the whole first line already covers a rule.
fn is_covered(setting: &RuleSetting<'_>, parse: &HeaderParser) -> bool {
    match parse {
        HeaderParser::Custom(..) => {
            CUSTOM_HEADER_RULES.split(", ").any(|name| name == setting.name)
                && setting.never == setting.name.ends_with("empty")
        }
        _ => match setting.name {
            "type-empty" | "subject-empty" => setting.never,
            _ => CONVENTIONAL_RULES.contains(&setting.name) && !setting.never,
        },
    }
}

/// A draft for a page on commits; the caller adds the check.
fn new_draft(names: &str, file: &str, severity: Severity, requirement: impl Into<String>) -> Draft {
    let mut draft = Draft::new(Tool::Commitlint, file, names, requirement);
    draft.severity = severity;
    draft
}

/// Makes the check skip the same commits as commitlint by default; commits of bots are checked.
fn skip_defaults(mut draft: Draft) -> Draft {
    if let Some(check) = &mut draft.check {
        check["commit"]["skip"] = json!(["merges", "reverts", "fixups"]);
    }
    draft
}

/// The single page for the rules that define a Conventional Commit.
fn conventional_page(all_settings: &[RuleSetting<'_>], file: &str) -> Result<Draft, String> {
    let settings: Vec<&RuleSetting<'_>> = all_settings
        .iter()
        .filter(|setting| {
            CONVENTIONAL_RULES.contains(&setting.name)
                && is_covered(setting, &HeaderParser::Conventional)
        })
        .collect();
    let listed = |name: &str| {
        let found = all_settings.iter().find(|setting| setting.name == name && !setting.never);
        found.map(|setting| enum_names(&setting.value)).filter(|names| !names.is_empty())
    };
    let severity = settings.iter().map(|setting| setting.severity).max().unwrap_or(Severity::Error);
    let milder =
        settings.iter().filter(|setting| setting.severity < severity).map(|setting| setting.name);
    let has = |name: &str| settings.iter().any(|setting| setting.name == name);
    let items: Vec<&str> = CONVENTIONAL_RULES
        .into_iter()
        .filter(|name| CONVENTIONAL_RULES[..4].contains(name) || has(name))
        .collect();
    let mut vars = recipe::vars(json!({
        "types": listed("type-enum"),
        "scopes": listed("scope-enum"),
        "milder": milder.collect::<Vec<_>>(),
        "breaks": has("breaking-change-exclamation-mark"),
    }));
    let table = &TABLES.conventional;
    table.derive(&mut vars)?;
    let new = |requirement| new_draft(&items.join(", "), file, severity, requirement);
    let mut draft = table.drafts(&vars, MESSAGE, &new)?.pop().ok_or("it has no requirements")?;
    draft.name = "conventional".to_owned();
    draft.sources = vec!["https://www.conventionalcommits.org/en/v1.0.0/".to_owned()];
    Ok(skip_defaults(draft))
}

/// The names that an `…-enum` rule lists; empty if any name is allowed.
fn enum_names(value: &Json) -> Vec<String> {
    if value["scopes"].is_null() { string_list(value) } else { string_list(&value["scopes"]) }
}

/// The display name of a part of a message.
fn part_name(part: &str) -> &str {
    TABLES.parts.get(part).and_then(|part| part["said"].as_str()).unwrap_or(part)
}

fn rule_page(
    setting: &RuleSetting<'_>,
    file: &str,
    parse: &HeaderParser,
    prefixes: &[String],
) -> Result<Draft, String> {
    let (part, aspect) = setting.name.split_once('-').unwrap_or((setting.name, ""));
    let is_part = ["type", "scope", "subject"].contains(&part)
        && !["full-stop", "exclamation-mark"].contains(&aspect);
    match parse {
        HeaderParser::Custom(pattern, names) if is_part => {
            let line = custom_header::forbidden_cases(setting, pattern, names)?;
            return line.into_draft(new_draft(setting.name, file, setting.severity, ""));
        }
        HeaderParser::Unknown(why) if is_part => return Err(why.clone()),
        _ => {}
    }
    let mut vars = recipe::vars(json!({
        "value": setting.value,
        "never": setting.never,
        "prefixes": prefixes,
        "said": part_name(part),
        "other": TABLES.non_conventional,
        "parted": TABLES.scope_separator,
        "all": enum_names(&setting.value),
        "tries": sample_lines(setting, part),
    }));
    let part = TABLES.parts.get(part);
    if let Some(part) = part.filter(|_| aspect == "case") {
        let caseless = part["caseless"].as_str().filter(|_| !setting.never);
        let caseless = caseless.map_or_else(String::new, |caseless| format!("|{caseless}|"));
        let inner = cases::any_case_pattern(setting, setting.name.trim_end_matches("-case"))?;
        vars.insert("inner".to_owned(), json!(format!("{inner}{caseless}")));
        vars.insert(
            "names".to_owned(),
            json!(super::format_list(&cases::case_names(&setting.value)?, "or")),
        );
    }
    let table = &TABLES.rules[setting.name];
    table.derive(&mut vars)?;
    let is_unwanted = setting.never && ["case", "enum"].contains(&aspect);
    let lines = part.and_then(|part| part.get(if is_unwanted { "lines" } else { "or_other" }));
    if let (Some(lines), true) = (lines.and_then(Json::as_str), vars.contains_key("inner")) {
        let regex = recipe::fill_text(lines, &vars)?;
        vars.insert("regex".to_owned(), regex.into());
    }
    let new = |requirement| new_draft(setting.name, file, setting.severity, requirement);
    let draft = table.drafts(&vars, MESSAGE, &new)?.pop();
    let draft = draft.ok_or_else(|| format!("{} is unsupported", setting.name))?;
    let subject =
        draft.check.as_ref().map(|check| check["commit"]["subject"].clone()).unwrap_or_default();
    let found = [("matches", true), ("not-matches", false)].into_iter();
    let found = found.filter_map(|(key, matches)| Some((subject[key].as_str()?, matches))).next();
    match found {
        Some((regex, matches)) if draft.candidates.is_empty() => {
            let (requirement, regex) = (draft.requirement.clone(), regex.to_owned());
            HeaderRequirement { requirement, matches, regex, lines: string_list(&vars["tries"]) }
                .into_draft(draft)
        }
        _ => Ok(skip_defaults(draft)),
    }
}

/// First lines with different properties, for examples.
fn sample_lines(setting: &RuleSetting<'_>, part: &str) -> Vec<String> {
    let number = usize::try_from(setting.value.as_u64().unwrap_or(9).min(1000)).unwrap_or(9);
    let mut inner = string_list(&setting.value);
    inner.extend(string_list(&setting.value["scopes"]));
    inner.extend(TABLES.sample_texts.iter().cloned());
    inner.extend(["x".repeat(number + 1), "x".repeat(number)]);
    let is_word = |text: &String| text.chars().all(|c| c.is_alphanumeric() || c == '_');
    let line = |inner: String| match part {
        "type" => is_word(&inner).then(|| format!("{inner}: some words")),
        "scope" => Some(format!("fix({inner}): some words")),
        "header" => Some(inner),
        _ => Some(format!("fix: {inner}")),
    };
    let mut lines: Vec<String> = inner.into_iter().filter_map(line).collect();
    lines.extend((setting.name == "scope-case").then(|| "fix: some words".to_owned()));
    lines
}
