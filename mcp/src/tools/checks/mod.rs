//! Check tools: the engine's findings, with the data an agent needs to fix them.

mod changes;
mod found;
mod gates;
mod suggest;
#[cfg(test)]
mod tests;
mod words;

use crate::context::Context;
use crate::profile::Profile;
use crate::tool::{Answer, Tool, ToolError};
use aidd_engine::check::Selection;
use aidd_engine::rules::rule::Rule;
use aidd_report::run::{self, Target};
use found::Findings;
use schemars::JsonSchema;
use serde::Deserialize;
use std::collections::BTreeSet;

/// Default number of findings in an answer; a model fixes a few at a time.
const DEFAULT_LIMIT: usize = 20;
/// Maximum number of findings in an answer.
const MAX_LIMIT: usize = 200;

/// A validator family with its own tool.
struct Family {
    name: &'static str,
    title: &'static str,
    description: &'static str,
    /// Its rules, as id globs.
    rules: &'static [&'static str],
    /// Path assumed for text without one.
    path: &'static str,
}

/// One row per family.
const FAMILIES: &[Family] = &[
    Family {
        name: "aidd_scan_secrets",
        title: "Scan for secrets",
        description: "Finds keys and passwords without printing them. Use before a commit.",
        rules: &["secrets/*"],
        path: "text.txt",
    },
    Family {
        name: "aidd_validate_dockerfile",
        title: "Validate Dockerfile",
        description: "Checks Dockerfiles and their shell commands. Use after writing one.",
        rules: &["dockerfile/*"],
        path: "Dockerfile",
    },
    Family {
        name: "aidd_validate_tkb_entry",
        title: "Validate knowledge entry",
        description: "Checks knowledge base entries: header, sections, scores, sources, age. Use \
                      after writing one.",
        rules: &["tkb/*"],
        path: ".aidd/knowledge/tooling/entry.md",
    },
    Family {
        name: "aidd_validate_mermaid",
        title: "Validate Mermaid",
        description: "Checks diagrams, also in Markdown. Use after writing one.",
        rules: &["mermaid/*"],
        path: "diagram.mmd",
    },
];

/// The tools for checks and reports.
#[must_use]
pub fn tools() -> Vec<Tool> {
    let families = FAMILIES.iter().map(|family| {
        Tool::new(
            family.name,
            family.title,
            family.description,
            move |context, given: CheckParams| {
                let rules = family.rules.iter().map(|&rule| rule.to_owned()).collect();
                check(context, &given, rules, family.path)
            },
        )
        .in_profiles(&[Profile::Tools])
    });
    let compliance = Tool::new(
        "aidd_check_compliance",
        "Check all rules",
        "Checks files or text against all rules. Use after an edit; use aidd_ci_diff_check for a \
         branch.",
        compliance,
    )
    .in_profiles(&[Profile::Tools]);
    let rest = changes::tools().into_iter().chain(words::tools()).chain(gates::tools());
    let rest = rest.chain(suggest::tools());
    families.chain([compliance]).chain(rest).collect()
}

/// What to check.
#[derive(Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
struct CheckParams {
    /// File, directory, or path for `content`
    file_path: Option<String>,
    /// Text to check
    content: Option<String>,
    /// Default: 20
    #[schemars(range(min = 1, max = 200))]
    limit: Option<usize>,
}

/// What to check, and with which rules.
#[derive(Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
struct ComplianceParams {
    /// File, directory, or path for `content`
    file_path: Option<String>,
    /// Text to check
    content: Option<String>,
    /// Categories, ids or globs: secrets/*
    #[serde(default)]
    rule_categories: Vec<String>,
    /// Default: 20
    #[schemars(range(min = 1, max = 200))]
    limit: Option<usize>,
}

fn compliance(context: &Context, given: ComplianceParams) -> Result<Answer<Findings>, ToolError> {
    let ComplianceParams { file_path, content, rule_categories, limit } = given;
    if content.is_some() && file_path.is_none() {
        return Err(ToolError::new(
            "`filePath` is missing: the rules for a text depend on \
                                   its path",
        )
        .remedy("pass the intended path, such as src/api/user.ts"));
    }
    if let Some(name) = rule_categories.iter().find(|name| is_tag(context, name)) {
        return Err(ToolError::new(format!("`{name}` is a rule tag, not a category"))
            .remedy(format!("categories: {}", kinds(context).join(", "))));
    }
    let rules = rule_categories.into_iter().map(|name| {
        // A category name selects all of its rules.
        if name.contains(['/', '*']) || !is_kind(context, &name) {
            name
        } else {
            format!("{name}/*")
        }
    });
    let rules = rules.collect();
    check(context, &CheckParams { file_path, content, limit }, rules, "")
}

/// The categories of all rules.
fn kinds(context: &Context) -> Vec<String> {
    let Ok(project) = context.project() else { return Vec::new() };
    let registry = project.registry();
    let kinds = registry.rules().iter().filter_map(|rule| rule.id.split_once('/'));
    let kinds: BTreeSet<&str> = kinds.map(|(kind, _)| kind).collect();
    kinds.into_iter().map(str::to_owned).collect()
}

fn is_kind(context: &Context, name: &str) -> bool {
    kinds(context).iter().any(|kind| kind == name)
}

/// Whether `name` is a rule tag and not a category; agents confuse them.
fn is_tag(context: &Context, name: &str) -> bool {
    let Ok(project) = context.project() else { return false };
    let registry = project.registry();
    let has = |rule: &Rule| rule.tags.iter().any(|tag| tag == name);
    !is_kind(context, name)
        && registry.named(name).next().is_none()
        && registry.rules().iter().any(has)
}

/// Checks the input with the rules in `only`, or all rules if it is empty.
fn check(
    context: &Context,
    given: &CheckParams,
    only: Vec<String>,
    assumed: &str,
) -> Result<Answer<Findings>, ToolError> {
    let project = context.project()?;
    let files: Vec<String> = given.file_path.iter().cloned().collect();
    let target = match (&given.content, &files[..]) {
        (Some(text), []) => Target::Text { path: assumed, text },
        (Some(text), [path, ..]) => Target::Text { path, text },
        (None, []) => {
            return Err(ToolError::new("expected `filePath` or `content`").remedy(
                "pass a file or directory relative to the project root (`.` for all), or text",
            ));
        }
        (None, files) => Target::Files(files),
    };
    let selection = Selection { only, ..Selection::default() };
    let document = run::check_until(&project, &selection, &target, context.stop());
    let document = document.map_err(found::to_tool_error)?;
    Ok(found::answer(&project, &document, given.limit.unwrap_or(DEFAULT_LIMIT).clamp(1, MAX_LIMIT)))
}
