//! The rule on scripts that block the page, and what the inline scripts after them use.

use super::ast::name_of;
use super::is_minified;
use super::markup::{at, has};
use crate::scripts::with_program_of_type;
use aidd_engine::rules::rule::Report;
use aidd_engine::text::files::{Files, sibling, side_file};
use aidd_engine::text::finding::Edit;
use aidd_engine::text::time_limit::step;
use aidd_markup::{Document, Element, Language, Value};
use oxc_ast::AstKind;
use oxc_ast::ast::*;
use oxc_ast_visit::{Visit, walk};
use oxc_span::SourceType;
use std::collections::HashSet;

/// Types of scripts that do not block.
fn is_deferred_type(value: &str) -> bool {
    let value = value.trim().to_ascii_lowercase();
    !matches!(value.as_str(), "" | "text/javascript" | "application/javascript")
}

fn has_other_type(element: Element<'_>) -> bool {
    element.value("type").is_some_and(|value| value.text().is_none_or(is_deferred_type))
}

fn blocks(element: Element<'_>) -> bool {
    let in_head = element.parent().is_some_and(|parent| parent.name() == "head");
    let is_deferred = ["async", "defer", "nomodule"].iter().any(|name| has(element, name))
        || element.has_spread()
        || has_other_type(element);
    // Astro bundles other scripts as modules.
    let is_html = match element.document().language() {
        Language::Html => true,
        Language::Astro => has(element, "is:inline"),
        _ => false,
    };
    in_head && has(element, "src") && !is_deferred && is_html
}

/// Reports scripts that block the page, unless an inline script after them needs them at once.
pub(super) fn check(document: &Document<'_>, files: &dyn Files, report: &mut Report<'_>) {
    if !document.elements().any(|it| it.name() == "script" && blocks(it)) {
        return;
    }
    // From the last script: the names that all later inline scripts use.
    let scripts: Vec<Element<'_>> =
        document.elements().filter(|element| element.name() == "script").collect();
    let mut used = Some(HashSet::new());
    let mut found = Vec::new();
    for script in scripts.into_iter().rev() {
        if !has(script, "src") && !has_other_type(script) {
            let names = outer_names(document.slice(script.span()));
            used = used.zip(names).map(|(mut used, names)| {
                used.extend(names);
                used
            });
        }
        if blocks(script) && !is_needed(script, used.as_ref(), files, report.source().path()) {
            found.push(script);
        }
    }
    for script in found.into_iter().rev() {
        let message = "script blocks rendering until it has loaded and run";
        if let Some(finding) = at(report, "perf/blocking-script", script.tag_span(), message) {
            let end = script.name_span().end;
            finding
                .help(
                    "Add `defer`, or `async` where the order does not matter, or `type=\"module\"`.",
                )
                .fix_unsafe("Add `defer`", vec![Edit::insert(end, " defer")]);
        }
    }
}

/// Whether a later inline script can use something that a script defines. `used` has the names that
/// they use; `None` if they cannot be parsed.
fn is_needed(
    script: Element<'_>,
    used: Option<&HashSet<String>>,
    files: &dyn Files,
    path: &str,
) -> bool {
    let Some(used) = used else { return true };
    if used.is_empty() {
        return false;
    }
    if used.contains("$") || used.contains("jQuery") {
        return true;
    }
    let source = script.value("src").and_then(Value::text).unwrap_or_default();
    let source = source.split(['?', '#']).next().unwrap_or_default();
    let file = match source.strip_prefix('/') {
        Some(rest) => {
            side_file(files, rest).or_else(|| side_file(files, &format!("public/{rest}")))
        }
        None => side_file(files, &sibling(path, source.trim_start_matches("./"))),
    };
    let names = file.and_then(|text| globals(&text));
    names.is_none_or(|names| names.iter().any(|name| used.contains(name)))
}

/// Names that browsers define.
const BROWSER: &str = include_str!("browser.txt");

/// The names that an inline script uses and does not declare; `None` if it cannot be parsed.
fn outer_names(element: &str) -> Option<Vec<String>> {
    let text = element.split_once('>').map_or("", |(_, text)| text);
    let text = text.rfind("</").map_or(text, |end| &text[..end]);
    let mut names = Names::default();
    let parsed = parse(text, &mut names);
    let declared: HashSet<&str> = names.declared.iter().map(String::as_str).collect();
    parsed.then(|| {
        let is_outer = |name: &&String| {
            !declared.contains(name.as_str()) && !BROWSER.lines().any(|known| known == *name)
        };
        names.used.iter().filter(is_outer).cloned().collect()
    })
}

/// The names that a script defines for others; `None` if it is a bundle or cannot be parsed.
fn globals(text: &str) -> Option<Vec<String>> {
    let is_bundle = ["define.amd", "typeof exports", "typeof module"];
    if is_minified(text) || is_bundle.iter().any(|part| text.contains(part)) {
        return None;
    }
    let mut names = Names::default();
    let parsed = parse(text, &mut names);
    names.declared.append(&mut names.used_of_window);
    parsed.then_some(names.declared)
}

fn parse(text: &str, names: &mut Names) -> bool {
    let mut is_complete = false;
    let result = with_program_of_type(text, SourceType::cjs(), |program| {
        is_complete = !program.body.is_empty() || text.trim().is_empty();
        names.visit_program(program);
    });
    is_complete && result.is_ok()
}

/// The names that a script declares and uses, in all scopes.
#[derive(Default)]
struct Names {
    declared: Vec<String>,
    used: Vec<String>,
    /// Properties of `window`.
    used_of_window: Vec<String>,
}

impl<'a> Visit<'a> for Names {
    fn enter_node(&mut self, _: AstKind<'a>) {
        step();
    }

    fn visit_binding_identifier(&mut self, identifier: &BindingIdentifier<'a>) {
        self.declared.push(identifier.name.to_string());
    }

    fn visit_identifier_reference(&mut self, identifier: &IdentifierReference<'a>) {
        self.used.push(identifier.name.to_string());
    }

    fn visit_member_expression(&mut self, member: &MemberExpression<'a>) {
        let object = name_of(member.object());
        if let Some(name) = member.static_property_name()
            && object.is_some_and(|name| matches!(name, "window" | "self" | "globalThis"))
        {
            self.used.push(name.to_owned());
            self.used_of_window.push(name.to_owned());
        }
        walk::walk_member_expression(self, member);
    }
}
