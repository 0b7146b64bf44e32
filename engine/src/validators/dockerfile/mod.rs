//! Dockerfiles.

mod run;

use crate::parse::dockerfile;
use crate::rule::Report;

/// Runs the checks on a Dockerfile.
pub(super) fn check(report: &mut Report<'_>) {
    let file = dockerfile::parse(report.source().text());
    run::check(&file, report);
}

/// The ids of the rules.
pub(super) fn ids() -> impl Iterator<Item = &'static str> {
    run::ids()
}
