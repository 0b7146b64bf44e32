//! Checks: the engine's findings, with what an agent needs to mend them.

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

/// Findings in an answer unless told otherwise; a model mends a few at a time.
const LIMIT: usize = 20;
/// Most findings in an answer.
const MOST: usize = 200;

/// A family of rules with a tool of its own.
struct Family {
    name: &'static str,
    title: &'static str,
    description: &'static str,
    /// Its rules, as globs of ids.
    rules: &'static [&'static str],
    /// What a text without a path is taken for.
    path: &'static str,
}

/// One row a family; a further family of validators is one row more.
const FAMILIES: &[Family] = &[
    Family {
        name: "aidd_scan_secrets",
        title: "Scan for secrets",
        description: "Finds keys and passwords, never showing them. Use before a commit.",
        rules: &["secrets/*"],
        path: "text.txt",
    },
    Family {
        name: "aidd_validate_dockerfile",
        title: "Validate Dockerfile",
        description: "Checks Dockerfiles, shell lines included. Use after writing one.",
        rules: &["dockerfile/*"],
        path: "Dockerfile",
    },
    Family {
        name: "aidd_validate_tkb_entry",
        title: "Validate knowledge entry",
        description: "Checks entries of the knowledge base: header, sections, scores, sources, age. Use \
                      after writing one.",
        rules: &["tkb/*"],
        path: ".aidd/knowledge/tooling/entry.md",
    },
    Family {
        name: "aidd_validate_mermaid",
        title: "Validate Mermaid",
        description: "Checks diagrams, also within Markdown. Use after writing one.",
        rules: &["mermaid/*"],
        path: "diagram.mmd",
    },
];

/// The tools of checks and reports.
#[must_use]
pub fn tools() -> Vec<Tool> {
    let families = FAMILIES.iter().map(|family| {
        Tool::new(family.name, family.title, family.description, move |context, given: Given| {
            let rules = family.rules.iter().map(|&rule| rule.to_owned()).collect();
            check(context, &given, rules, family.path)
        })
        .in_profiles(&[Profile::Tools])
    });
    let compliance = Tool::new(
        "aidd_check_compliance",
        "Check against all rules",
        "Checks files or a text by all rules, the project's own too. Use after an edit; for a branch \
         aidd_ci_diff_check.",
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
struct Given {
    /// File or folder; of a text: its name
    file_path: Option<String>,
    /// A text
    content: Option<String>,
    /// (20)
    #[schemars(range(min = 1, max = 200))]
    limit: Option<usize>,
}

/// What to check, by which rules.
#[derive(Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
struct Compliance {
    /// File or folder; of a text: its name
    file_path: Option<String>,
    /// A text
    content: Option<String>,
    /// Kinds, ids or globs: secrets/*
    #[serde(default)]
    rule_categories: Vec<String>,
    /// (20)
    #[schemars(range(min = 1, max = 200))]
    limit: Option<usize>,
}

fn compliance(context: &Context, given: Compliance) -> Result<Answer<Findings>, ToolError> {
    let Compliance { file_path, content, rule_categories, limit } = given;
    if content.is_some() && file_path.is_none() {
        return Err(ToolError::new(
            "`filePath` is missing: which rules a text has to keep depends on \
                                   what it is to become",
        )
        .remedy("name the file, such as src/api/user.ts"));
    }
    if let Some(name) = rule_categories.iter().find(|name| is_tag(context, name)) {
        return Err(ToolError::new(format!("`{name}` is a tag of rules, and no kind of them"))
            .remedy(format!("kinds are {}", kinds(context).join(", "))));
    }
    let rules = rule_categories.into_iter().map(|name| {
        // The name of a kind stands for its rules.
        if name.contains(['/', '*']) || !is_kind(context, &name) {
            name
        } else {
            format!("{name}/*")
        }
    });
    let rules = rules.collect();
    check(context, &Given { file_path, content, limit }, rules, "")
}

/// The kinds of all rules.
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

/// Whether rules have such a tag, and none such a name: an agent takes it for a category.
fn is_tag(context: &Context, name: &str) -> bool {
    let Ok(project) = context.project() else { return false };
    let registry = project.registry();
    let has = |rule: &Rule| rule.tags.iter().any(|tag| tag == name);
    !is_kind(context, name)
        && registry.named(name).next().is_none()
        && registry.rules().iter().any(has)
}

/// Checks what is given by the rules that `only` names; all when it names none.
fn check(
    context: &Context,
    given: &Given,
    only: Vec<String>,
    assumed: &str,
) -> Result<Answer<Findings>, ToolError> {
    let project = context.project()?;
    let files: Vec<String> = given.file_path.iter().cloned().collect();
    let target = match (&given.content, &files[..]) {
        (Some(text), []) => Target::Text { path: assumed, text },
        (Some(text), [path, ..]) => Target::Text { path, text },
        (None, []) => {
            return Err(ToolError::new("neither `filePath` nor `content` is given").remedy(
                "name a file or folder from the project's root (`.` is all of it), or pass a text",
            ));
        }
        (None, files) => Target::Files(files),
    };
    let selection = Selection { only, ..Selection::default() };
    let document = run::check_until(&project, &selection, &target, context.stop());
    let document = document.map_err(found::said)?;
    Ok(found::answer(&project, &document, given.limit.unwrap_or(LIMIT).clamp(1, MOST)))
}
