//! Checks on single entries of manifests: the source of a package, its version requirement, and names
//! that imitate other names; uses of APIs that the declared version does not have. Rules that compare manifests with the code are pages with a
//! `dependencies` check.

mod api;
mod names;

use super::{Checks, check_ids, run_checks};
use aidd_engine::check::family::Family;
use aidd_engine::forms::syntax::language_of;
use aidd_engine::parse::values::{Format, Values};
use aidd_engine::project::declared::{self, Declared, Manifest, Origin};
use aidd_engine::project::locked;
use aidd_engine::project::stack::{Ecosystem, Group};
use aidd_engine::rules::rule::Report;
use aidd_engine::text::conflict::first_conflict;
use aidd_engine::text::kind::Kind;
use aidd_engine::text::source::Span;

/// The rules on manifests.
pub(super) const FAMILY: Family = Family {
    name: "deps",
    rules: || {
        let mut rules = check_ids(CHECKS);
        rules.extend([LOCK_CONFLICT, api::DEPRECATED, api::REMOVED]);
        rules
    },
    claim: |path, _| match locked::tool(path) {
        Some(_) => Some(Kind("lock")),
        None => declared::ecosystem(path).map(|_| Kind("manifest")),
    },
    may_check: |path| {
        locked::tool(path).is_some()
            || declared::ecosystem(path).is_some()
            || language_of(path).is_some()
    },
    check: |kind, _, report| {
        let source = report.source();
        if kind == Kind("lock") {
            lock_conflict(report);
            return;
        }
        if let Some(manifest) = declared::read(source.path(), source.text()) {
            run_checks(CHECKS, &manifest, report);
        }
    },
    check_code: api::check,
    affects_other_files: |path| declared::ecosystem(path).is_some() || locked::tool(path).is_some(),
    checks_large: |path, _| locked::tool(path).is_some(),
    ..Family::EMPTY
};

/// The rule on merge conflicts in lock files.
const LOCK_CONFLICT: &str = "deps/lock-conflict";

fn lock_conflict(report: &mut Report<'_>) {
    if report.begin(LOCK_CONFLICT)
        && let Some(line) = first_conflict(report.source().text())
    {
        report.at(Span::new(line.start, line.end), "merge conflict in a lock file");
    }
}

/// The checks, by rule id.
const CHECKS: Checks<Manifest> = &[
    ("deps/downloading-install-script", downloading_install_script),
    ("deps/http-source", http_source),
    ("deps/lookalike-name", names::lookalike_name),
    ("deps/unpinned-git", unpinned_git),
    ("deps/wildcard-version", wildcard_version),
];

/// The text of an entry in the manifest.
fn entry_text<'s>(declared: &Declared, report: &Report<'s>) -> &'s str {
    report.source().slice(declared.entry)
}

/// Common branch names. Other names after `#` can be tags.
const BRANCHES: [&str; 6] = ["main", "master", "develop", "dev", "trunk", "head"];

fn unpinned_git(manifest: &Manifest, report: &mut Report<'_>) {
    // This package contains no code: it only declares conflicts with insecure versions of other
    // packages, and is published only as a branch.
    let is_list_of_conflicts = |entry: &&Declared| entry.package == "roave/security-advisories";
    let from_git = manifest.dependencies.iter().filter(|entry| entry.origin == Origin::Git);
    for declared in from_git.filter(|entry| !is_list_of_conflicts(entry)) {
        let text = entry_text(declared, report);
        let revision = match manifest.ecosystem {
            Ecosystem::Cargo => ["rev", "tag"].into_iter().find(|key| has_key(text, key)),
            Ecosystem::Npm => {
                text.split_once('#').map(|(_, rest)| rest.trim_end_matches(['"', '\'']))
            }
            Ecosystem::Composer => text.split_once('#').map(|(_, rest)| rest.trim_end_matches('"')),
            Ecosystem::Gem => ["ref", "tag"].into_iter().find(|key| has_key(text, key)),
            // `git+https://user@host/a@v1#egg=a`: the revision follows the last `/`.
            _ => text
                .split('#')
                .next()
                .and_then(|url| url.rsplit('/').next())
                .and_then(|last| last.split_once('@'))
                .map(|(_, revision)| revision)
                .or_else(|| ["rev", "tag"].into_iter().find(|key| has_key(text, key))),
        };
        let is_branch = |revision: &str| BRANCHES.contains(&revision.to_ascii_lowercase().as_str());
        if revision.is_none_or(|revision| revision.is_empty() || is_branch(revision)) {
            let message = format!("`{}` follows a branch of a Git repository", declared.name);
            report.at(declared.span, message);
        }
    }
}

/// Whether an inline table or section has this key.
fn has_key(text: &str, key: &str) -> bool {
    text.match_indices(key).any(|(at, key)| {
        let before = text[..at].chars().next_back().unwrap_or(' ');
        let after = text[at + key.len()..].trim_start();
        !before.is_alphanumeric()
            && !matches!(before, '-' | '_' | '/')
            && after.starts_with(['=', ':'])
    })
}

fn http_source(manifest: &Manifest, report: &mut Report<'_>) {
    let remote = [Origin::Git, Origin::Url];
    for declared in manifest.dependencies.iter().filter(|entry| remote.contains(&entry.origin)) {
        let text = entry_text(declared, report);
        let Some(at) = text.find("http://") else { continue };
        let host = &text[at + "http://".len()..];
        if is_local(host) {
            continue;
        }
        let start = declared.entry.start as usize + at;
        let span = Span::new(start, start + "http://".len());
        let message = format!("`{}` is downloaded without encryption", declared.name);
        report.at(span, message);
    }
    for repository in &manifest.repositories {
        let host = repository.url.strip_prefix("http://");
        if host.is_some_and(|host| !is_local(host)) {
            report.at(repository.span, "packages are downloaded without encryption");
        }
    }
}

/// Whether a URL without its scheme refers to this machine.
fn is_local(host: &str) -> bool {
    ["localhost", "127.0.0.1", "[::1]"].iter().any(|local| host.starts_with(local))
}

fn wildcard_version(manifest: &Manifest, report: &mut Report<'_>) {
    for declared in &manifest.dependencies {
        let is_peer = declared.group == Group::Peer;
        let Some(requirement) = declared.requirement.as_deref().map(str::trim) else { continue };
        let is_wildcard = matches!(requirement, "*" | "latest" | "x" | "X" | "+")
            || requirement.is_empty()
            || manifest.ecosystem == Ecosystem::Maven
                && matches!(
                    requirement,
                    "LATEST" | "RELEASE" | "latest.release" | "latest.integration"
                );
        if is_wildcard && !is_peer && declared.origin == Origin::Registry {
            let message = format!("`{}` allows every version", declared.name);
            report.at(declared.span, message);
        }
    }
}

/// Scripts that a package manager runs by itself when the package is installed.
const INSTALL_SCRIPTS: [&str; 3] = ["preinstall", "install", "postinstall"];

fn downloading_install_script(manifest: &Manifest, report: &mut Report<'_>) {
    if manifest.ecosystem != Ecosystem::Npm {
        return;
    }
    let values = Values::read(Format::Json, report.source().text());
    let scripts = values.roots.first().and_then(|&root| values.child(root, "scripts"));
    let Some(scripts) = scripts else { return };
    for name in INSTALL_SCRIPTS {
        let Some(at) = values.child(scripts, name) else { continue };
        let Some(command) = values.text(at) else { continue };
        let mut words = command.split([' ', ';', '|', '&', '(', ')', '`', '"', '\'']);
        if words.any(|word| matches!(word, "curl" | "wget" | "iwr" | "Invoke-WebRequest")) {
            let message = format!("`{name}` downloads a file on each installation");
            report.at(values.all[at].span, message);
        }
    }
}
