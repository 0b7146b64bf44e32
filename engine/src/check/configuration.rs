//! Checks the project's own settings, rule pages and packs, and reports their problems as findings.

use super::family::{Family, FileContext};
use crate::forms;
use crate::project::config::{self, RuleSetting};
use crate::project::linters::{Enforcement, Settings};
use crate::rules::packs;
use crate::rules::registry::{self, Registry, error_message};
use crate::rules::rule::{Report, Rule};
use crate::text::files::Files;
use crate::text::finding::Edit;
use crate::text::kind::{self, Kind};
use crate::text::nearest::is_typo;
use crate::text::source::{Decoded, Span};
use aidd_page::{self as page, Form};
use jsonc_parser::ast::{Object, ObjectProp, Value as Ast};
use jsonc_parser::common::Ranged;
use jsonc_parser::{CollectOptions, ParseOptions, parse_to_ast};
use serde_json::{Map, Value};
use std::ops::Range;

mod header_keys;
mod params;

use header_keys::report_malformed;
pub(super) use params::{key_with_params, validate_params};

/// The engine's own family. It checks the settings, rule pages and packs of a project.
pub(super) static FAMILY: Family = Family {
    name: "aidd",
    rules: || RULES.to_vec(),
    claim: |path, text| {
        let kinds_of_own_files = [Kind::CONFIG, Kind::RULE_PAGE, Kind::PACK_PAGE];
        kind::kinds(path, text).into_iter().find(|kind| kinds_of_own_files.contains(kind))
    },
    check: |kind, context, report| match kind {
        Kind::CONFIG => check_config(context, report),
        Kind::PACK_PAGE => check_pack(context.registry, report),
        _ => check_page(context, report),
    },
    ..Family::EMPTY
};

/// The rules of the family.
pub const RULES: [&str; 3] = [CONFIG, PAGE, ENFORCERS];

/// The rule that checks `.aidd/config.json`.
const CONFIG: &str = "aidd/invalid-config";
/// The rule that checks rule pages.
const PAGE: &str = "aidd/malformed-page";
/// The rule that checks `enforced-by` in rule pages.
const ENFORCERS: &str = "aidd/missing-enforcer";

/// Reports problems of a configuration file: syntax, unknown keys, unknown rule names.
fn check_config(context: &FileContext<'_>, report: &mut Report<'_>) {
    let registry = context.registry;
    if !report.begin(CONFIG) {
        return;
    }
    let source = report.source();
    let text = source.text().strip_prefix('\u{FEFF}').unwrap_or(source.text());
    let base = source.text().len() - text.len();
    for problem in config::problems(text) {
        report_problem(problem, base, report);
    }
    let mut names = RuleNames::new("\"", registry);
    for RuleKey { name, range, .. } in rule_keys(text) {
        names.report_unknown(&name, Span::from(range).shift(base), report);
    }
    for (name, range) in pack_names(text) {
        report_unknown_pack(&name, Span::from(range).shift(base), registry, report);
    }
    for (message, range) in invalid_params(text, registry, context.families) {
        report.at(Span::from(range).shift(base), message);
    }
}

/// Reports a syntax or schema problem of a configuration file. `base` is the offset of its text in
/// the source.
fn report_problem(problem: config::Problem, base: usize, report: &mut Report<'_>) {
    let span = Span::from(problem.span).shift(base);
    let finding = report.at(span, problem.message);
    if let Some(instead) = problem.suggestion {
        let label = format!("Replace with {instead}");
        finding.fix_unsafe(label, vec![Edit::replace(span, instead)]);
    }
}

/// Maximum number of unknown names in a file for which similar names are searched for: each name is
/// compared with those of all rules.
const MAX_SEARCHED_NAMES: usize = 100;

/// Checks the rule names in a file.
struct RuleNames<'a> {
    /// Surrounds a name in a replacement.
    quote: &'static str,
    registry: &'a Registry,
    unknown: usize,
}

impl<'a> RuleNames<'a> {
    fn new(quote: &'static str, registry: &'a Registry) -> Self {
        Self { quote, registry, unknown: 0 }
    }

    fn report_unknown(&mut self, name: &str, span: Span, report: &mut Report<'_>) {
        let (quote, registry) = (self.quote, self.registry);
        let matches = |globs: crate::text::paths::RuleGlobs| {
            registry.rules().iter().any(|rule| globs.is_match(&*rule.id))
        };
        let is_glob = name.contains(['*', '?', '{', '[']);
        if registry.contains(name)
            || is_glob && crate::text::paths::rule_globs(&[name]).is_ok_and(matches)
        {
            return;
        }
        self.unknown += 1;
        let is_searched = self.unknown <= MAX_SEARCHED_NAMES;
        let near = is_searched.then(|| registry.nearest(name)).flatten();
        let hint = near.as_ref().map_or(String::new(), |near| format!("; did you mean `{near}`?"));
        let fault = if is_glob {
            format!("`{name}` matches no rule")
        } else {
            format!("unknown rule `{name}`")
        };
        let finding = report.at(span, format!("{fault}{hint}"));
        finding.help("run `aidd rule list` to list all rules");
        if let Some(near) = near.filter(|near| is_typo(name, near)) {
            let near = format!("{quote}{near}{quote}");
            finding.fix_unsafe(format!("Replace with {near}"), vec![Edit::replace(span, near)]);
        }
    }
}

fn report_unknown_pack(name: &str, span: Span, registry: &Registry, report: &mut Report<'_>) {
    let Err(why) = packs::header(name, registry) else { return };
    let finding = report.at(span, why.to_string());
    if let Some(near) = packs::nearest_name(name, registry).filter(|near| near != name) {
        finding.fix_unsafe(
            format!("Replace with \"{near}\""),
            vec![Edit::replace(span, format!("\"{near}\""))],
        );
    }
}

/// The invalid pack names in a configuration: message and byte range of each.
#[must_use]
pub fn invalid_packs(text: &str, registry: &Registry) -> Vec<(String, Range<usize>)> {
    let text = text.strip_prefix('\u{FEFF}').unwrap_or(text);
    let names = pack_names(text).into_iter();
    names
        .filter_map(|(name, range)| {
            Some((packs::header(&name, registry).err()?.to_string(), range))
        })
        .collect()
}

/// The pack names in the file, with their byte ranges.
fn pack_names(text: &str) -> Vec<(String, Range<usize>)> {
    let parsed = parse_to_ast(text, &CollectOptions::default(), &ParseOptions::default());
    let Some(Ast::Object(root)) = parsed.ok().and_then(|parsed| parsed.value) else {
        return Vec::new();
    };
    let packs = match root.get("compliance").map(|prop| &prop.value) {
        Some(Ast::Array(array)) => array.elements.iter().collect(),
        single => Vec::from_iter(single),
    };
    let name = |element: &Ast<'_>| match element {
        Ast::StringLit(name) => Some((name.value.to_string(), name.range.start..name.range.end)),
        _ => None,
    };
    packs.into_iter().filter_map(name).collect()
}

/// The invalid parameters of all rules: message and byte range of each.
#[must_use]
pub fn invalid_params(
    text: &str,
    registry: &Registry,
    families: &[Family],
) -> Vec<(String, Range<usize>)> {
    let text = text.strip_prefix('\u{FEFF}').unwrap_or(text);
    let mut invalid = invalid_page_params(text, registry);
    invalid.extend(params::invalid_params(text, registry, families));
    invalid
}

/// The invalid parameters of rules with a page check: a message, and the byte range of the
/// parameter or of its rule.
fn invalid_page_params(text: &str, registry: &Registry) -> Vec<(String, Range<usize>)> {
    let Ok((config, _)) = config::read(text) else { return Vec::new() };
    let params_of = |key: &RuleKey| {
        let rules = match key.override_index {
            None => config.rules.as_ref(),
            Some(index) => config.overrides.as_ref()?.get(index).map(|item| &item.rules),
        };
        rules?.get(&key.name)?.params().filter(|own_params| !own_params.is_empty())
    };
    let keys = rule_keys(text);
    // The values under `rules` apply unless the override sets the same parameter.
    let params_for_all_paths = |rule: &Rule| {
        let top_level_keys = keys.iter().filter(|key| key.override_index.is_none());
        let (globs, exact): (Vec<_>, Vec<_>) =
            top_level_keys.partition(|key| key.name.contains('*'));
        let mut params = Map::new();
        for key in globs.into_iter().chain(exact) {
            if rules_with_check(&key.name, registry).iter().any(|known| known.id == rule.id) {
                params.extend(params_of(key).cloned().into_iter().flatten());
            }
        }
        // Invalid parameters under `rules` are reported at their own key.
        if param_error(rule, &params).is_some() { Map::new() } else { params }
    };
    let invalid = |key: &RuleKey| {
        let own_params = params_of(key)?;
        let problem = |rule: &'_ Rule, own_params: &Map<String, Value>| match key.override_index {
            None => param_error(rule, own_params),
            Some(_) => {
                let mut merged = params_for_all_paths(rule);
                merged.extend(own_params.clone());
                param_error(rule, &merged).or_else(|| reason_not_settable_per_path(rule, &merged))
            }
        };
        let mut rules = rules_with_check(&key.name, registry).into_iter();
        let (rule, why) = rules.find_map(|rule| Some((rule, problem(rule, own_params)?)))?;
        // If a parameter is invalid by itself, it is reported; otherwise the combination of the
        // parameters is invalid.
        let is_invalid = |(param, _): &&(String, Range<usize>)| {
            let single_param = own_params.get(param).map(|value| (param.clone(), value.clone()));
            problem(rule, &single_param.into_iter().collect()).is_some()
        };
        let param_range = key.params.iter().find(is_invalid).map(|(_, range)| range.clone());
        Some((why, param_range.unwrap_or_else(|| key.range.clone())))
    };
    keys.iter().filter_map(invalid).collect()
}

/// The rules that match `name`, a key of `rules`, and whose page has a check.
fn rules_with_check<'r>(name: &str, registry: &'r Registry) -> Vec<&'r Rule> {
    let has_check = |rule: &&Rule| rule.form.is_some();
    if name.contains('*') {
        let Ok(globs) = crate::text::paths::rule_globs(&[name]) else { return Vec::new() };
        let rules = registry.rules().iter().filter(has_check);
        return rules.filter(|rule| globs.is_match(&*rule.id)).collect();
    }
    registry.named(name).filter(has_check).collect()
}

/// Why the parameters set for a rule are invalid; `None` if they are valid.
fn param_error(rule: &Rule, params: &Map<String, Value>) -> Option<String> {
    page::check_with(&rule.page, params).err().map(|error| error_message(&error))
}

/// The reason why the parameters of a rule cannot be set per path; `None` if they can.
fn reason_not_settable_per_path(rule: &Rule, params: &Map<String, Value>) -> Option<String> {
    let why = page::check_with(&rule.page, params).ok()??.reason_not_settable_by_path()?;
    Some(format!(
        "the parameters of `{}` must be the same for all paths: {why}; set them under `rules`",
        rule.id
    ))
}

/// A key of a `rules` object.
struct RuleKey {
    name: String,
    /// The byte range of the key.
    range: Range<usize>,
    /// The index of the override that contains the key; `None` for the top-level `rules`.
    override_index: Option<usize>,
    /// The parameters that the setting contains, and the byte ranges of their keys.
    params: Vec<(String, Range<usize>)>,
}

/// The keys of all `rules` objects.
fn rule_keys(text: &str) -> Vec<RuleKey> {
    let parsed = parse_to_ast(text, &CollectOptions::default(), &ParseOptions::default());
    let Some(Ast::Object(root)) = parsed.ok().and_then(|parsed| parsed.value) else {
        return Vec::new();
    };
    let key = |prop: &ObjectProp<'_>| {
        let range = prop.name.range();
        (prop.name.as_str().to_owned(), range.start..range.end)
    };
    let mut names = Vec::new();
    let mut add = |object: &Object<'_>, override_index: Option<usize>| {
        for prop in object.get_object("rules").into_iter().flat_map(|rules| &rules.properties) {
            let values = match &prop.value {
                Ast::Object(setting) => setting.get_object("params"),
                _ => None,
            };
            let params =
                values.into_iter().flat_map(|values| &values.properties).map(key).collect();
            let (name, range) = key(prop);
            names.push(RuleKey { name, range, override_index, params });
        }
    };
    add(&root, None);
    let overrides = root.get_array("overrides").map(|array| &array.elements);
    for (index, element) in overrides.into_iter().flatten().enumerate() {
        if let Ast::Object(object) = element {
            add(object, Some(index));
        }
    }
    names
}

/// Reports problems of a project's pack: syntax, unknown rule names, invalid values under `set`.
fn check_pack(registry: &Registry, report: &mut Report<'_>) {
    if !report.begin(PAGE) {
        return;
    }
    let text = report.source().text();
    let header = match page::pack(text) {
        Ok(header) => header,
        Err(error) => return report_malformed(&error, report),
    };
    let end = page::split(text).map_or(0, |(header, _)| header.end);
    let mut names = RuleNames::new("", registry);
    let mut from = 0;
    for name in &header.rules {
        // A name can occur twice in the list, and be part of another name.
        let span = find_word(&text[..end], name, from).unwrap_or_default();
        from = span.end as usize;
        names.report_unknown(name, span, report);
    }
    let set = text[..end].find("set:").unwrap_or(0);
    for (name, value) in &header.set {
        let span = find_word(&text[..end], name, set).unwrap_or_default();
        names.report_unknown(name, span, report);
        if let Err(why) = packs::parse_setting(value) {
            report.at(span, why.to_string());
            continue;
        }
        let params = packs::parse_setting(value).ok();
        let params = params.as_ref().and_then(RuleSetting::params);
        if let Some(params) = params.filter(|params| !params.is_empty())
            && let Some(why) = rules_with_check(name, registry)
                .into_iter()
                .find_map(|rule| param_error(rule, params))
        {
            report.at(span, why);
        }
    }
}

/// Locates a problem of a page's check in the page header: the first value or key that the problem
/// quotes, otherwise the key of the check's form, such as `text`.
fn find_problem(problem: &str, form: Option<&str>, text: &str) -> Span {
    let end = page::split(text).map_or(text.len(), |(header, _)| header.end);
    let start = text[..end].find("check:").unwrap_or(0);
    let header = &text[start..end];
    let quoted = problem.split('`').skip(1).step_by(2);
    let globs = problem.split('\'').skip(1).step_by(2);
    let values = quoted.chain(globs).flat_map(|quoted| {
        // A quote such as `at: $.a[` or `each: a` contains the key as well.
        let value = quoted.split_once(": ").map(|(_, value)| value);
        std::iter::once(quoted).chain(value)
    });
    // In YAML, backslashes or quotes of the value can be escaped.
    let find = |value: &str| {
        let spellings = [value.to_owned(), value.replace('\\', "\\\\"), value.replace('\'', "''")];
        let at = spellings.into_iter().find_map(|value| Some((header.find(&value)?, value.len())));
        at.filter(|_| value.trim().len() > 1)
    };
    let key = |key: &str| Some((header.find(&format!("{key}:"))?, key.len()));
    // A problem of a `text` check that quotes nothing concerns the expression.
    let expression = || form.filter(|form| *form == "text").and_then(|_| key("regex"));
    let location = values.into_iter().find_map(find).or_else(expression).or_else(|| key(form?));
    let (at, length) = location.unwrap_or((0, "check".len()));
    Span::new(start + at, start + at + length)
}

/// The first occurrence of `word` as a whole word in `text`, from an offset on.
fn find_word(text: &str, word: &str, from: usize) -> Option<Span> {
    let is_part = |c: char| c.is_alphanumeric() || matches!(c, '-' | '_' | '/' | '*');
    let offsets = text.get(from..)?.match_indices(word).map(|(at, _)| from + at);
    let is_whole_word = |at: &usize| {
        !text[..*at].ends_with(is_part) && !text[at + word.len()..].starts_with(is_part)
    };
    offsets.into_iter().find(is_whole_word).map(|at| Span::new(at, at + word.len()))
}

/// Reports why a rule page of the project cannot be used, and `enforced-by` entries that no tool
/// enforces.
fn check_page(context: &FileContext<'_>, report: &mut Report<'_>) {
    let source = report.source();
    if !registry::is_rule_page(source.path(), source.text()) {
        return;
    }
    check_enforcers(context.files, report);
    if !report.begin(PAGE) {
        return;
    }
    let (errors, valid) = page::header_errors(source.text());
    for error in &errors {
        report_malformed(error, report);
    }
    let Some(valid) = valid else { return };
    if source.decoded() == Decoded::Lossy {
        let at = source.text().find('\u{FFFD}').unwrap_or_default();
        report
            .at(Span::new(at, at + '\u{FFFD}'.len_utf8()), "a byte that is not UTF-8")
            .help("save the file as UTF-8");
    }
    // The rest of the header is examined too, so that all problems of a page are reported at once.
    let Some(rule) = registry::project_rule(source.path(), &valid) else { return };
    if let Some(other) = context.registry.replaced_by(&rule.id, source.path()) {
        let title = find_word(source.text(), &rule.id, 0).unwrap_or_default();
        report
            .at(title, format!("`{}` is also the id of {other}, which replaces this page", rule.id))
            .help("rename one of the rules");
    }
    for problem in forms::problems(&rule) {
        let span = find_problem(&problem, rule.form.map(Form::key), &valid);
        report.at(span, format!("the check cannot run: {problem}"));
    }
}

/// Reports the names under `enforced-by` that are not enabled in any settings of the repository.
fn check_enforcers(files: &dyn Files, report: &mut Report<'_>) {
    let text = report.source().text();
    let Ok(header) = page::header(text) else { return };
    if header.enforced_by.is_empty() || !report.begin(ENFORCERS) {
        return;
    }
    // Without the list of the project's files, it is unknown whether a settings file is missing.
    let Some(listing) = files.listing() else { return };
    let settings = Settings::of_tools(files, listing.files(), &header.enforced_by);
    let end = page::split(text).map_or(0, |(header, _)| header.end);
    let key = text.find(page::ENFORCED_BY).unwrap_or(0);
    let mut from = key + page::ENFORCED_BY.len();
    for name in header.enforced_by.iter() {
        let found = text[..end].get(from..).and_then(|rest| rest.find(name.as_str()));
        let span = found.map(|at| Span::new(from + at, from + at + name.len())).unwrap_or_default();
        from = from.max(span.end as usize);
        if let Enforcement::Not { why, remedy } = settings.enforced_by(name) {
            report.at(span, format!("this page is not enforced: {why}")).help(remedy);
        }
    }
}

#[cfg(test)]
mod tests;
