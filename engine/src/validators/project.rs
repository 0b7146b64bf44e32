//! The project's own settings and rule pages: what is wrong in them is a finding like any other.

use crate::config::{self, RuleSetting, nearest};
use crate::files::Files;
use crate::finding::Edit;
use crate::linters::{Enforced, Settings};
use crate::packs;
use crate::patterns;
use crate::registry::{self, Registry};
use crate::rule::Report;
use crate::source::Span;
use aidd_content::page::{self, PageError};
use jsonc_parser::ast::Value as Ast;
use jsonc_parser::common::Ranged;
use jsonc_parser::{CollectOptions, ParseOptions, parse_to_ast};
use serde_json::{Map, Value};

/// The rule on `.aidd/config.json`.
pub(super) const CONFIG: &str = "aidd/invalid-config";
/// The rule on rule pages.
pub(super) const PAGE: &str = "aidd/malformed-page";
/// The rule on `enforced-by` in rule pages.
pub(super) const ENFORCERS: &str = "aidd/missing-enforcer";

/// Reports what is wrong in a configuration file: its form, unknown keys, names of no rule.
pub(super) fn check_config(registry: &Registry, report: &mut Report<'_>) {
    if !report.begin(CONFIG) {
        return;
    }
    let source = report.source();
    let text = source.text().strip_prefix('\u{FEFF}').unwrap_or(source.text());
    let base = source.text().len() - text.len();
    match config::read(text) {
        Err(problem) => {
            report.at(Span::from(problem.span).shift(base), problem.message);
        }
        Ok((_, unknown)) => {
            for problem in unknown {
                let span = Span::from(problem.span).shift(base);
                let finding = report.at(span, problem.message);
                if let Some(instead) = problem.instead {
                    finding.fix_unsafe(
                        format!("Replace by {instead}"),
                        vec![Edit::replace(span, instead)],
                    );
                }
            }
            for (name, range) in rule_names(text) {
                let span = Span::from(range).shift(base);
                unknown_rule(&name, span, ("\"", registry), report);
            }
            for (name, range) in pack_names(text) {
                unknown_pack(&name, Span::from(range).shift(base), registry, report);
            }
            for (message, range) in wrong_params(text, registry) {
                report.at(Span::from(range).shift(base), message);
            }
        }
    }
}

/// `quote` stands around a name where it is replaced.
fn unknown_rule(
    name: &str,
    span: Span,
    (quote, registry): (&str, &Registry),
    report: &mut Report<'_>,
) {
    if registry.knows(name) {
        return;
    }
    if name.contains(['*', '?', '{', '[']) {
        let matches =
            |globs: globset::GlobSet| registry.rules().iter().any(|rule| globs.is_match(&*rule.id));
        if !crate::paths::rule_globs(&[name]).is_ok_and(matches) {
            report.at(span, format!("`{name}` matches no rule"));
        }
        return;
    }
    let near = registry.nearest(name).map(str::to_owned);
    let hint = near.as_ref().map_or(String::new(), |near| format!("; did you mean `{near}`?"));
    let finding = report.at(span, format!("no rule is called `{name}`{hint}"));
    finding.help("`aidd rule list` names all rules");
    if let Some(near) = near {
        let near = format!("{quote}{near}{quote}");
        finding.fix_unsafe(format!("Replace by {near}"), vec![Edit::replace(span, near)]);
    }
}

fn unknown_pack(name: &str, span: Span, registry: &Registry, report: &mut Report<'_>) {
    let Err(why) = packs::header(name, registry) else { return };
    let finding = report.at(span, why);
    if let Some(near) = packs::nearest_name(name, registry).filter(|near| near != name) {
        finding.fix_unsafe(
            format!("Replace by \"{near}\""),
            vec![Edit::replace(span, format!("\"{near}\""))],
        );
    }
}

/// The packs that the file names, with their bytes.
fn pack_names(text: &str) -> Vec<(String, std::ops::Range<usize>)> {
    let parsed = parse_to_ast(text, &CollectOptions::default(), &ParseOptions::default());
    let Some(Ast::Object(root)) = parsed.ok().and_then(|parsed| parsed.value) else {
        return Vec::new();
    };
    let packs = root.get_array("compliance").map(|array| &array.elements);
    let name = |element: &Ast<'_>| match element {
        Ast::StringLit(name) => Some((name.value.to_string(), name.range.start..name.range.end)),
        _ => None,
    };
    packs.into_iter().flatten().filter_map(name).collect()
}

/// What is wrong with parameters of checks in pages, at the keys of their rules.
fn wrong_params(text: &str, registry: &Registry) -> Vec<(String, std::ops::Range<usize>)> {
    let Ok((config, _)) = config::read(text) else { return Vec::new() };
    let wrong = |(name, range): (String, std::ops::Range<usize>)| {
        let params = config.rules.as_ref()?.get(&name)?.params()?;
        Some((wrong_param(&name, params, registry)?, range))
    };
    rule_names(text).into_iter().filter_map(wrong).collect()
}

/// What is wrong with the parameters given to a rule.
fn wrong_param(name: &str, given: &Map<String, Value>, registry: &Registry) -> Option<String> {
    let mut rules = registry.named(name).filter(|rule| rule.check.is_some() && !given.is_empty());
    let error = rules.find_map(|rule| page::check_with(&rule.page, given).err())?;
    let near = error
        .did_you_mean
        .as_ref()
        .and_then(|(word, known)| nearest(word, known.iter().map(String::as_str)));
    let hint = near.map_or(String::new(), |near| format!("; did you mean `{near}`?"));
    Some(format!("{}{hint}", error.message))
}

/// The keys of all `rules` objects, with their bytes.
fn rule_names(text: &str) -> Vec<(String, std::ops::Range<usize>)> {
    let parsed = parse_to_ast(text, &CollectOptions::default(), &ParseOptions::default());
    let Some(Ast::Object(root)) = parsed.ok().and_then(|parsed| parsed.value) else {
        return Vec::new();
    };
    let mut names = Vec::new();
    let mut add = |object: &jsonc_parser::ast::Object<'_>| {
        let Some(rules) = object.get_object("rules") else { return };
        names.extend(rules.properties.iter().map(|prop| {
            let range = prop.name.range();
            (prop.name.as_str().to_owned(), range.start..range.end)
        }));
    };
    add(&root);
    for element in root.get_array("overrides").map(|array| &array.elements).into_iter().flatten() {
        if let Ast::Object(object) = element {
            add(object);
        }
    }
    names
}

fn malformed(error: &PageError, report: &mut Report<'_>) {
    let near = error
        .did_you_mean
        .as_ref()
        .and_then(|(word, known)| nearest(word, known.iter().map(String::as_str)));
    let known = error.did_you_mean.as_ref().map(|(_, known)| known.join(", "));
    let span = Span::from(error.span.clone());
    let hint = near.map_or(String::new(), |near| format!("; did you mean `{near}`?"));
    let finding = report.at(span, format!("{}{hint}", error.message));
    if let Some(near) = near {
        finding.fix_unsafe(format!("Replace by `{near}`"), vec![Edit::replace(span, near)]);
    } else if let Some(known) = known {
        finding.help(format!("known here: {known}"));
    }
}

/// Reports what is wrong in a pack of the project: its form, names of no rule, what it sets.
pub(super) fn check_pack(registry: &Registry, report: &mut Report<'_>) {
    if !report.begin(PAGE) {
        return;
    }
    let text = report.source().text();
    let header = match page::pack(text) {
        Ok(header) => header,
        Err(error) => return malformed(&error, report),
    };
    let end = page::split(text).map_or(0, |(header, _)| header.end);
    let mut from = 0;
    for name in &header.rules {
        // One name may stand there twice, and be a part of another.
        let span = word_in(&text[..end], name, from).unwrap_or_default();
        from = span.end as usize;
        unknown_rule(name, span, ("", registry), report);
    }
    let set = text[..end].find("set:").unwrap_or(0);
    for (name, given) in &header.set {
        let span = word_in(&text[..end], name, set).unwrap_or_default();
        unknown_rule(name, span, ("", registry), report);
        if let Err(why) = packs::setting(given) {
            report.at(span, why);
            continue;
        }
        let params = packs::setting(given).ok();
        let params = params.as_ref().and_then(RuleSetting::params);
        if let Some(why) = params.and_then(|params| wrong_param(name, params, registry)) {
            report.at(span, why);
        }
    }
}

/// Where `word` stands by itself in `text`, from an offset on.
fn word_in(text: &str, word: &str, from: usize) -> Option<Span> {
    let is_part = |c: char| c.is_alphanumeric() || matches!(c, '-' | '_' | '/' | '*');
    let places = text.get(from..)?.match_indices(word).map(|(at, _)| from + at);
    let alone = |at: &usize| {
        !text[..*at].ends_with(is_part) && !text[at + word.len()..].starts_with(is_part)
    };
    places.into_iter().find(alone).map(|at| Span::new(at, at + word.len()))
}

/// Reports why a rule page of the project cannot be used, and where no tool does what it says.
pub(super) fn check_page(files: &dyn Files, report: &mut Report<'_>) {
    let source = report.source();
    if !registry::is_rule_page(source.path(), source.text()) {
        return;
    }
    check_enforcers(files, report);
    if !report.begin(PAGE) {
        return;
    }
    if let Err(error) = page::header(source.text()) {
        malformed(&error, report);
        return;
    }
    let Some(rule) = registry::project_rule(source.path(), source.text()) else { return };
    let at = source.text().find("check:").unwrap_or(0);
    for problem in patterns::problems(&rule) {
        report.at(Span::new(at, at + "check".len()), format!("the check cannot run: {problem}"));
    }
}

/// Reports the names under `enforced-by` that no settings in the repository have on.
fn check_enforcers(files: &dyn Files, report: &mut Report<'_>) {
    let text = report.source().text();
    let Ok(header) = page::header(text) else { return };
    if header.enforced_by.is_empty() || !report.begin(ENFORCERS) {
        return;
    }
    // Without a list of files nothing can be said of what is missing.
    let Some(listing) = files.listing() else { return };
    let settings = Settings::of_tools(files, listing.files(), &header.enforced_by);
    let end = page::split(text).map_or(0, |(header, _)| header.end);
    let key = text.find(page::ENFORCED_BY).unwrap_or(0);
    let mut from = key + page::ENFORCED_BY.len();
    for name in header.enforced_by.iter() {
        let found = text[..end].get(from..).and_then(|rest| rest.find(name.as_str()));
        let span = found.map(|at| Span::new(from + at, from + at + name.len())).unwrap_or_default();
        from = from.max(span.end as usize);
        if let Enforced::Not { why, remedy } = settings.enforced_by(name) {
            report.at(span, format!("nothing enforces this page: {why}")).help(remedy);
        }
    }
}
