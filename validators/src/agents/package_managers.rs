//! Commands of a package manager that the project does not use.

use super::AgentContext;
use super::commands::{INSTALLING, MAX_DISTANCE, SCRIPT_RUNNERS, written_manager};
use super::markdown::Command;
use aidd_engine::project::locked;
use aidd_engine::project::manifest;
use aidd_engine::project::stack::Ecosystem;
use aidd_engine::rules::rule::Report;
use aidd_engine::text::files::{Files, of_inputs};
use aidd_engine::text::listing::Listing;
use aidd_engine::text::paths::{below, join, parent_dir, upwards};
use aidd_engine::text::source::Span;
use std::collections::BTreeSet;
use std::sync::Arc;

/// The package managers of an ecosystem that the project uses, according to lock files and the key
/// `packageManager`.
fn used_managers(
    files: &dyn Files,
    listing: &Listing,
    ecosystem: Ecosystem,
) -> Arc<BTreeSet<String>> {
    let is_npm = ecosystem == Ecosystem::Npm;
    let is_manifest = |path: &str| is_npm && path.rsplit('/').next() == Some("package.json");
    of_inputs(files, listing, &format!("managers of {ecosystem:?}"), is_manifest, |manifests| {
        let mut used = BTreeSet::new();
        for (name, of, tool) in locked::FILES {
            if of == ecosystem && listing.named(name).next().is_some() {
                used.insert(tool.to_ascii_lowercase());
            }
        }
        if is_npm && listing.named("bun.lockb").next().is_some() {
            used.insert("bun".to_owned());
        }
        for path in manifests {
            let value = manifest::json(files, path);
            let manager = manifest::text(&value, &["packageManager"]);
            used.extend(manager.and_then(|it| it.split('@').next()).map(str::to_owned));
        }
        used
    })
}

pub(super) fn wrong_package_manager(context: &AgentContext<'_, '_>, report: &mut Report<'_>) {
    let Some((instructions, listing)) = context.project_instructions() else { return };
    for (at, command) in instructions.commands.iter().enumerate() {
        let Some((manager, ecosystem)) = written_manager(command) else { continue };
        let used = used_managers(context.files, listing, ecosystem);
        if used.len() != 1
            || used.contains(manager)
            || instructions.is_negated(command.span)
            || instructions.is_description(command.span)
        {
            continue;
        }
        let line = instructions.line(command.span);
        let words = line.split(|c: char| !c.is_ascii_alphanumeric());
        let named: BTreeSet<&str> = words.filter(|word| SCRIPT_RUNNERS.contains(word)).collect();
        // A line that lists package managers is about all of them.
        if named.len() > 2 {
            continue;
        }
        if let Some(directory) = changed_directory(&instructions.commands, at)
            && !has_lock_file(directory, context, listing, ecosystem)
        {
            continue;
        }
        if ecosystem == Ecosystem::Npm && is_for_users(command, context.files, listing) {
            continue;
        }
        let span =
            Span::new(command.span.start as usize, command.span.start as usize + manager.len());
        let used = used.first().map(String::as_str).unwrap_or_default();
        report
            .at(span, format!("the project uses {used}, not {manager}"))
            .help(format!("name the command of {used}; {manager} writes another lock file"));
    }
}

/// The directory to which an adjacent command before that at `at` changes.
pub(super) fn changed_directory<'s>(commands: &[Command<'s>], at: usize) -> Option<&'s str> {
    let start = commands[at].span.start;
    let is_near = |other: &&Command<'_>| {
        start.checked_sub(other.span.end).is_some_and(|distance| distance < MAX_DISTANCE)
    };
    let mut before = commands[..at].iter().rev().take_while(is_near);
    before.find_map(|other| other.text.strip_prefix("cd ")).map(str::trim)
}

/// Whether a directory, or one above, has a lock file of the ecosystem. Without one, its package
/// manager is not known.
fn has_lock_file(
    directory: &str,
    context: &AgentContext<'_, '_>,
    listing: &Listing,
    ecosystem: Ecosystem,
) -> bool {
    let names = || locked::FILES.iter().filter(|(_, of, _)| *of == ecosystem).map(|it| it.0);
    let candidates = upwards(parent_dir(context.source.path()));
    let candidates = candidates.filter_map(|above| join(above, directory));
    let mut existing = candidates.filter(|it| listing.has_dir(it));
    existing.next().is_none_or(|found| {
        upwards(&found).any(|dir| names().any(|name| listing.has_file(&below(dir, name))))
    })
}

/// Keys of `package.json` with packages that the project uses.
const DEPENDENCIES: [&str; 4] =
    ["dependencies", "devDependencies", "optionalDependencies", "peerDependencies"];

/// Whether a command installs a package of the project, or one that the project does not use: what
/// its users or the product run, not its developers.
fn is_for_users(command: &Command<'_>, files: &dyn Files, listing: &Listing) -> bool {
    let is_manifest = |path: &&String| path.rsplit('/').next() == Some("package.json");
    let without_version = |word: &'_ str| match word.rfind('@') {
        Some(at) if at > 0 => word[..at].to_owned(),
        _ => word.to_owned(),
    };
    let mut words = command.text.split_whitespace().skip(1);
    let is_install = words.next().is_some_and(|verb| INSTALLING.contains(&verb));
    let is_package = |word: &&str| !word.starts_with('-');
    let packages: Vec<String> = words.filter(is_package).map(without_version).collect();
    if packages.is_empty() {
        return false;
    }
    let mut is_used = false;
    for path in listing.files().iter().filter(is_manifest) {
        let value = manifest::json(files, path);
        let name = manifest::text(&value, &["name"]);
        if name.is_some_and(|name| packages.iter().any(|package| package == name)) {
            return true;
        }
        let uses =
            |key: &&str| packages.iter().any(|it| !manifest::at(&value, &[key, it]).is_null());
        is_used |= DEPENDENCIES.iter().any(uses);
    }
    is_install && !is_used
}
