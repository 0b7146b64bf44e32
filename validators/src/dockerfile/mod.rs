//! Checks on Dockerfiles: one module per topic, each with its table of rules.

mod base;
mod buildargs;
mod builds;
mod casing;
mod commands;
mod config;
mod copy;
mod frontend;
mod ignorefile;
mod labels;
mod layout;
mod overrides;
mod ports;
mod purpose;
mod run;
mod secret_variables;
mod spdx;
mod stages;
mod users;
mod values;
mod variables;

use super::{Check, Checks};
use aidd_engine::check::family::{Family, FileContext, Param, ParamType};
use aidd_engine::parse::dockerfile::{self, Dockerfile, PieceKind};
use aidd_engine::rules::rule::Report;
use aidd_engine::text::files::Files;
use aidd_engine::text::kind::{self, Kind};
use aidd_engine::text::source::{Source, Span};
use std::iter;

use config::{HADOLINT_CONFIGS, HadolintConfig, hadolint_config};

/// The configuration of hadolint, which applies to Dockerfiles.
const HADOLINT_CONFIG: Kind = Kind("hadolint-config");

/// Dockerfiles, and the configuration of hadolint.
pub(super) const FAMILY: Family = Family {
    name: "dockerfile",
    rules: || ids().collect(),
    params: &[
        param("dockerfile/untrusted-registry", "registries"),
        param("dockerfile/missing-label", "labels"),
        param("dockerfile/unknown-label", "labels"),
        param("dockerfile/label-url", "labels"),
        param("dockerfile/label-date", "labels"),
        param("dockerfile/label-license", "labels"),
        param("dockerfile/label-git-hash", "labels"),
        param("dockerfile/label-version", "labels"),
        param("dockerfile/label-email", "labels"),
    ],
    claim,
    fence: |language| {
        let is_docker = matches!(language, "dockerfile" | "docker" | "containerfile");
        is_docker.then_some(Kind::DOCKERFILE)
    },
    is_complete_file: has_stage,
    check: |kind, context, report| match kind {
        HADOLINT_CONFIG => config::check(report),
        _ => run(context, report),
    },
    statements: |kind, source| match kind {
        HADOLINT_CONFIG => Vec::new(),
        _ => statements(source),
    },
    affects_other_files: |path| {
        is_hadolint_config(path)
            || path.to_ascii_lowercase().ends_with(".dockerignore")
            || builds::is_build_settings(path)
    },
    purpose: |kind, source, files| match kind {
        HADOLINT_CONFIG => None,
        _ => purpose::purpose(source.text(), files),
    },
    ..Family::EMPTY
};

const fn param(rule: &'static str, name: &'static str) -> Param {
    Param { rule, name, param_type: ParamType::Strings }
}

fn claim(path: &str, text: &str) -> Option<Kind> {
    if is_hadolint_config(path) {
        return Some(HADOLINT_CONFIG);
    }
    kind::kinds(path, text).contains(&Kind::DOCKERFILE).then_some(Kind::DOCKERFILE)
}

fn is_hadolint_config(path: &str) -> bool {
    let name = path.rsplit('/').next().unwrap_or(path).to_ascii_lowercase();
    HADOLINT_CONFIGS.contains(&&*name)
}

/// Whether a fenced block begins with a stage. Without this check, an excerpt in documentation
/// would be reported for the instructions that it omits.
fn has_stage(text: &str) -> bool {
    let is_from = |line: &str| {
        line.trim_start().get(..5).is_some_and(|start| start.eq_ignore_ascii_case("from "))
    };
    text.lines().any(is_from)
}

/// The shared input of the checks that read files other than the Dockerfile.
pub(crate) struct CheckContext<'a> {
    /// The Dockerfile.
    docker: &'a Dockerfile,
    /// The configuration of hadolint in the directory of the Dockerfile or a parent directory.
    config: Option<&'a HadolintConfig>,
    /// Access to other files.
    files: &'a dyn Files,
}

/// The tables of checks that only need the Dockerfile.
const TABLES: [Checks<Dockerfile>; 9] = [
    base::CHECKS,
    buildargs::CHECKS,
    commands::CHECKS,
    copy::CHECKS,
    layout::CHECKS,
    ports::CHECKS,
    stages::CHECKS,
    users::CHECKS,
    variables::CHECKS,
];

/// A check that reads files other than the Dockerfile.
type ContextCheck = fn(&CheckContext<'_>, &mut Report<'_>);

/// The tables of checks that read files other than the Dockerfile.
const CONTEXT_CHECKS: [&[(&str, ContextCheck)]; 4] = [
    base::CONTEXT_CHECKS,
    ignorefile::CONTEXT_CHECKS,
    labels::CONTEXT_CHECKS,
    stages::CONTEXT_CHECKS,
];

/// Runs all enabled checks over the source of `report`.
fn run(context: &FileContext<'_>, report: &mut Report<'_>) {
    let FileContext { registry, files, .. } = *context;
    let source = report.source();
    let docker = dockerfile::parse(source.text());
    let config = hadolint_config(files, source.path());
    report.apply_overrides(overrides::rule_overrides(registry, &docker, config.as_ref()));
    let missing_parts = frontend::missing_parts(&docker, source.path(), files);
    let is_complete = missing_parts.is_none();
    for &(id, check) in TABLES.into_iter().flatten().filter(|_| is_complete) {
        if report.begin(id) {
            check(&docker, report);
        }
    }
    let mut runs = run::Runs::read(&docker, source);
    runs.find_pinned_managers(files);
    for &(id, check) in run::CHECKS.into_iter().flatten() {
        if report.begin(id) {
            check(&runs, report);
        }
    }
    if let Some(run) = runs.skipped()
        && report.begin("aidd/skipped-file")
    {
        let message = "the commands from here on were not checked: parsing them takes too long";
        report.at(run.instruction.keyword, message);
    }
    let check_context = CheckContext { docker: &docker, config: config.as_ref(), files };
    for &(id, check) in CONTEXT_CHECKS.into_iter().flatten().filter(|_| is_complete) {
        if report.begin(id) {
            check(&check_context, report);
        }
    }
    if let Some(why) = missing_parts
        && ids().any(|id| report.begin(id))
    {
        report.unchecked(why);
    }
}

/// The spans of the instructions. A comment above an instruction applies to all lines of the
/// instruction.
fn statements(source: &Source) -> Vec<Span> {
    let docker = dockerfile::parse(source.text());
    let instructions = docker.pieces.iter();
    instructions
        .filter(|piece| matches!(piece.kind, PieceKind::Instruction(_)))
        .map(|piece| piece.span)
        .collect()
}

/// The ids of all rules on Dockerfiles.
fn ids() -> impl Iterator<Item = &'static str> {
    let file_rules = TABLES.into_iter().flatten().map(|&(id, _): &(_, Check<Dockerfile>)| id);
    let file_rules = iter::chain(file_rules, run::CHECKS.into_iter().flatten().map(|&(id, _)| id));
    let all = iter::chain(file_rules, CONTEXT_CHECKS.into_iter().flatten().map(|&(id, _)| id));
    iter::chain(all, [config::INVALID])
}

#[cfg(test)]
mod tests;
