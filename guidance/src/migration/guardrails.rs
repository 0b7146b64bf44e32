//! Guardrails: conditions that apply throughout a migration.

use super::{Plan, ProjectContext};
use crate::commands::{package_manager, uses_yarn_classic};
use crate::knowledge::Entry;
use std::collections::BTreeSet;

/// Adds the guardrails of the whole plan.
pub(super) fn add_guardrails(entry: &Entry<'_>, project: ProjectContext<'_>, plan: &mut Plan) {
    let ProjectContext { stack, used, .. } = project;
    if plan.hops.len() > 2 {
        plan.guardrails.push(format!(
            "One hop at a time ({}): merge and deploy each hop before you begin the next",
            plan.hops.join(", ")
        ));
    }
    let install = match package_manager(used) {
        "pnpm" => Some("pnpm install --frozen-lockfile"),
        "yarn" if uses_yarn_classic(used) => Some("yarn install --frozen-lockfile"),
        "yarn" => Some("yarn install --immutable"),
        "bun" => Some("bun install --frozen-lockfile"),
        "npm" => Some("npm ci"),
        "uv" => Some("uv sync --locked"),
        "poetry" => Some("poetry sync"),
        "cargo" => Some("cargo build --locked"),
        "bundler" => Some("BUNDLE_FROZEN=true bundle install"),
        "composer" => Some("composer install"),
        _ => None,
    };
    let lock = used.iter().find_map(|(manifest, _)| manifest.lock.clone());
    let install = install.filter(|install| project.commands.forbids(install).is_none());
    match (install, lock) {
        (Some(install), Some(lock)) => plan.guardrails.push(format!(
            "Rollback: revert the commit, then `{install}` restores {lock}; test this once before the first hop"
        )),
        _ => plan.guardrails.push(
            "Rollback: revert the commit and restore the previous versions; without a lock file, record \
             them first"
                .to_owned(),
        ),
    }
    let scope = |name: &str| name.split_once('/').map(|(scope, _)| scope.to_owned());
    let scopes: BTreeSet<String> = entry
        .packages
        .iter()
        .filter_map(|(_, name)| {
            scope(name).filter(|scope| scope.starts_with('@')).or_else(|| Some(format!("@{name}")))
        })
        .collect();
    let siblings: BTreeSet<&str> = stack
        .dependencies()
        .filter(|(_, package)| scope(&package.name).is_some_and(|scope| scopes.contains(&scope)))
        .map(|(_, package)| &*package.name)
        .filter(|name| !entry.packages.iter().any(|(_, package)| package == name))
        .collect();
    if !siblings.is_empty() {
        let names = siblings.into_iter().collect::<Vec<_>>().join(", ");
        plan.guardrails
            .push(format!("Update the packages of this publisher in the same commit: {names}"));
    }
    let partners: Vec<&str> = entry.works_with.iter().copied().take(12).collect();
    let names: Vec<&str> = stack
        .dependencies()
        .filter(|(_, dependency)| partners.contains(&&*dependency.name))
        .map(|(_, dependency)| &*dependency.name)
        .collect::<BTreeSet<_>>()
        .into_iter()
        .collect();
    if !names.is_empty() {
        plan.guardrails.push(format!(
            "Check that these packages support each version on the path: {}",
            names.join(", ")
        ));
    }
}
