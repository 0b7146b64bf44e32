//! Checks on Dockerfiles: one module per topic, each with its table of rules.

mod base;
mod buildargs;
mod commands;
mod config;
mod copy;
mod ignorefile;
mod labels;
mod layout;
mod mute;
mod ports;
mod run;
mod spdx;
mod stages;
mod users;
mod values;
mod variables;

use super::{Check, Checks};
use crate::files::Files;
use crate::parse::dockerfile::{self, Dockerfile, PieceKind};
use crate::registry::Registry;
use crate::rule::Report;
use crate::source::{Source, Span};
use std::iter;

pub(crate) use config::{HadolintConfig, check as check_settings, hadolint_config};

/// What the checks that look beyond the Dockerfile share.
pub(crate) struct Beside<'a> {
    /// The Dockerfile.
    docker: &'a Dockerfile,
    /// The settings of hadolint beside or above it.
    config: Option<&'a HadolintConfig>,
    /// Where other files are.
    files: &'a dyn Files,
}

/// The tables of checks that need the Dockerfile only.
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

/// A check that looks beyond the Dockerfile.
type BesideCheck = fn(&Beside<'_>, &mut Report<'_>);

/// The tables of checks that look beyond the Dockerfile.
const BESIDE: [&[(&str, BesideCheck)]; 3] = [base::BESIDE, ignorefile::BESIDE, labels::BESIDE];

/// Runs all enabled checks over the source of `report`.
pub(super) fn run(registry: &Registry, files: &dyn Files, report: &mut Report<'_>) {
    let source = report.source();
    let docker = dockerfile::parse(source.text());
    let config = hadolint_config(files, source.path());
    report.settle(mute::rules(registry, &docker, config.as_ref()));
    for &(id, check) in TABLES.into_iter().flatten() {
        if report.begin(id) {
            check(&docker, report);
        }
    }
    let runs = run::Runs::read(&docker, source);
    for &(id, check) in run::CHECKS.into_iter().flatten() {
        if report.begin(id) {
            check(&runs, report);
        }
    }
    if let Some(run) = runs.skipped()
        && report.begin("aidd/skipped-file")
    {
        let message = "the commands from here on were not checked: they take too long to parse";
        report.at(run.at.keyword, message);
    }
    let beside = Beside { docker: &docker, config: config.as_ref(), files };
    for &(id, check) in BESIDE.into_iter().flatten() {
        if report.begin(id) {
            check(&beside, report);
        }
    }
}

/// The instructions: a comment above one speaks of all its lines.
pub(super) fn statements(source: &Source) -> Vec<Span> {
    let docker = dockerfile::parse(source.text());
    let instructions = docker.pieces.iter();
    instructions
        .filter(|piece| matches!(piece.kind, PieceKind::Instruction(_)))
        .map(|piece| piece.span)
        .collect()
}

/// The ids of all rules on Dockerfiles.
pub(super) fn ids() -> impl Iterator<Item = &'static str> {
    let plain = TABLES.into_iter().flatten().map(|&(id, _): &(_, Check<Dockerfile>)| id);
    let plain = iter::chain(plain, run::CHECKS.into_iter().flatten().map(|&(id, _)| id));
    let all = iter::chain(plain, BESIDE.into_iter().flatten().map(|&(id, _)| id));
    iter::chain(all, [config::INVALID])
}

#[cfg(test)]
mod tests;
