//! Check tools: the engine's findings, with the data an agent needs to fix them.

mod agents;
mod changes;
mod disabled;
mod explain;
mod findings;
mod gates;
pub(crate) mod pack_gate;
mod suggest;
#[cfg(test)]
mod tests;
mod verified;

use crate::context::Context;
use crate::profile::Profile;
use crate::tool::{Answer, Tool, ToolError};
use aidd_engine::check::Selection;
use aidd_engine::text::files::{Memory, Overlay};
use aidd_engine::workspace::project::Project;
use aidd_report::error::RunError;
use aidd_report::run::{self, Target};
use disabled::Requested;
use findings::{AnswerOptions, Findings};
use schemars::JsonSchema;
use serde::Deserialize;

/// Default number of findings in an answer; a model fixes a few at a time.
const DEFAULT_LIMIT: usize = 20;
/// Maximum number of findings in an answer.
const MAX_LIMIT: usize = 200;

/// A validator family with its own tool.
struct Family {
    name: &'static str,
    title: &'static str,
    description: &'static str,
    /// The rules of the family, as id globs.
    rules: &'static [&'static str],
    /// The path to assume for `content` without `filePath`.
    path: &'static str,
}

/// One row per family.
const FAMILIES: &[Family] = &[
    Family {
        name: "aidd_scan_secrets",
        title: "Scan for secrets",
        description: "Finds keys and passwords without printing them. Use before a commit; \
                      use aidd_check_compliance to run all rules.",
        rules: &["secrets/*"],
        path: "text.txt",
    },
    Family {
        name: "aidd_validate_dockerfile",
        title: "Validate Dockerfile",
        description: "Checks Dockerfiles and their shell commands. Use after writing or \
                      changing a Dockerfile.",
        rules: &["dockerfile/*"],
        path: "Dockerfile",
    },
    Family {
        name: "aidd_validate_tkb_entry",
        title: "Validate knowledge entry",
        description: "Checks entries of the knowledge base: header, sections, scores, sources \
                      and age. Use after writing or changing an entry.",
        rules: &["tkb/*"],
        path: ".aidd/knowledge/tooling/entry.md",
    },
    Family {
        name: "aidd_validate_mermaid",
        title: "Validate Mermaid",
        description: "Checks Mermaid diagrams, also in Markdown. Use after writing or \
                      changing a diagram.",
        rules: &["mermaid/*"],
        path: "diagram.mmd",
    },
    Family {
        name: "aidd_validate_openapi",
        title: "Validate OpenAPI",
        description: "Checks OpenAPI and Swagger documents against the specification. Use after \
                      writing or changing an API description.",
        rules: &["openapi/*"],
        path: "openapi.yaml",
    },
    Family {
        name: "aidd_validate_design_tokens",
        title: "Validate design tokens",
        description: "Checks design tokens: structure, types, values, references, resolver \
                      documents. Use after writing or changing a token file.",
        rules: &["tokens/*"],
        path: "design.tokens.json",
    },
    Family {
        name: "aidd_validate_sql",
        title: "Validate SQL",
        description: "Checks SQL files and migrations: syntax, locks, dangerous statements. Use \
                      after writing or changing a migration.",
        rules: &["sql/*"],
        path: "migrations/0001_change.sql",
    },
    Family {
        name: "aidd_validate_tests",
        title: "Validate tests",
        description: "Checks test files: focused, empty and duplicate tests, assertions that are \
                      not awaited or check nothing. Use after writing or changing tests.",
        rules: &["tests/*"],
        path: "a.test.ts",
    },
    Family {
        name: "aidd_audit_accessibility",
        title: "Audit accessibility",
        description: "Checks HTML, JSX, Vue, Svelte, Angular and Astro: names, roles, ARIA, \
                      keyboard. Use after writing or changing markup.",
        rules: &["a11y/*"],
        path: "page.html",
    },
    Family {
        name: "aidd_validate_dependencies",
        title: "Validate dependencies",
        description: "Checks manifests against imports: unused and undeclared packages, names that \
                      resemble well-known packages, unpinned sources. Use after changing a \
                      manifest.",
        rules: &["deps/*"],
        path: "package.json",
    },
    Family {
        name: "aidd_audit_performance",
        title: "Audit performance",
        description: "Checks front-end code for slow pages: effects, leaks, re-rendering, images, \
                      fonts, bundles, requests in sequence. Use after writing components or pages.",
        rules: &["perf/*"],
        path: "component.tsx",
    },
    Family {
        name: "aidd_validate_i18n",
        title: "Validate translations",
        description: "Checks catalogues of translated texts (JSON, PO, Fluent, YAML, ARB, Android, \
                      Apple, …): syntax, placeholders, plurals, keys. Use after changing texts.",
        rules: &["i18n/*"],
        path: "locales/en.json",
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
            move |context, params: CheckParams| {
                let rules: Vec<String> = family.rules.iter().map(|&rule| rule.to_owned()).collect();
                check(context, &params, &rules, Some(family.path))
            },
        )
        .in_profiles(&[Profile::Tools, Profile::Plan])
    });
    let compliance = Tool::new(
        "aidd_check_compliance",
        "Check all rules",
        "Checks a file, a directory or text against the project's rules: code, tests, SQL, \
         Dockerfiles, API descriptions, diagrams, manifests, secrets. Use after an edit; use \
         aidd_ci_diff_check for all changes.",
        compliance,
    )
    .in_profiles(&[Profile::Tools]);
    let rest = changes::tools().into_iter().chain(explain::tools()).chain(gates::tools());
    let rest = rest.chain(suggest::tools()).chain(agents::tools());
    families.chain([compliance]).chain(rest).collect()
}

#[derive(Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
struct CheckParams {
    /// File or directory to check; with `content`, the path to assume for that text
    file_path: Option<String>,
    /// Text to check instead of a file
    content: Option<String>,
    /// Maximum number of findings; default: 20
    #[schemars(range(min = 1, max = 200))]
    #[schemars(extend("x-unlisted" = true))]
    limit: Option<usize>,
}

#[derive(Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
struct ComplianceParams {
    /// File or directory to check; with `content`, the path to assume for that text
    file_path: Option<String>,
    /// Text to check instead of a file
    content: Option<String>,
    /// Categories, tags, ids or globs of the rules to run, such as secrets/*; default: all
    #[serde(default)]
    rule_categories: Vec<String>,
    /// Maximum number of findings; default: 20
    #[schemars(range(min = 1, max = 200))]
    #[schemars(extend("x-unlisted" = true))]
    limit: Option<usize>,
}

fn compliance(context: &Context, params: ComplianceParams) -> Result<Answer<Findings>, ToolError> {
    let ComplianceParams { file_path, content, rule_categories, limit } = params;
    if content.is_some() && file_path.is_none() {
        return Err(ToolError::new(
            "`filePath` is missing: which rules apply to `content` depends on its path",
        )
        .remedy("pass the intended path, such as src/api/user.ts"));
    }
    check(context, &CheckParams { file_path, content, limit }, &rule_categories, None)
}

/// Checks the input with the rules that `names` selects, or with all rules if `names` is empty.
/// `default_path` is assumed for `content` without `filePath`, for the tool of a validator family.
fn check(
    context: &Context,
    params: &CheckParams,
    names: &[String],
    default_path: Option<&str>,
) -> Result<Answer<Findings>, ToolError> {
    let project = context.project()?;
    let path = params.file_path.as_deref();
    let paths: Vec<String> = path.map(str::to_owned).into_iter().collect();
    let target = match (&params.content, path) {
        (Some(text), _) => Target::Text { path: path.or(default_path).unwrap_or_default(), text },
        (None, None) => {
            return Err(ToolError::new("expected `filePath` or `content`").remedy(
                "pass a file or directory relative to the project root (`.` for all), or text",
            ));
        }
        (None, Some(_)) => Target::Files(&paths),
    };
    let requested = Requested::new(&project.registry(), names);
    let selection = Selection { only: requested.only.clone(), ..Selection::default() };
    let document = run::check_until(&project, &selection, &target, context.stop());
    let document = document.map_err(|error| match &error {
        // The configuration is valid, so the error is in the requested names.
        RunError::Project(_) if project.engine(&Selection::default()).is_ok() => {
            ToolError::new(error.to_string()).remedy("correct `ruleCategories`")
        }
        _ => findings::to_tool_error(error),
    })?;
    let over = match target {
        Target::Text { path, text } => Memory([(path.to_owned(), text.as_bytes().to_vec())].into()),
        _ => Memory::default(),
    };
    let files = Overlay { over, under: &project.disk };
    let all_rules = Selection::default();
    let engine = if names.is_empty() { None } else { Some(project.engine(&all_rules)?) };
    let disabled = engine.map(|engine| {
        let file = target_file(&project, &target);
        requested.disabled(&project, &engine, file, default_path.is_none())
    });
    let limit = params.limit.unwrap_or(DEFAULT_LIMIT).clamp(1, MAX_LIMIT);
    let shown = AnswerOptions { limit, selection: &selection, files: &files, disabled };
    Ok(findings::answer(&project, &document, shown))
}

/// The path of the file to check; `None` for a directory.
fn target_file<'a>(project: &Project, target: &Target<'a>) -> Option<&'a str> {
    match target {
        Target::Text { path, .. } => Some(path),
        Target::Files([path]) if !project.root().join(path).is_dir() => Some(path),
        _ => None,
    }
}
