//! Licences of locked packages, compared with a list of allowed licences.

use super::versions::Locks;
use super::{Found, is_foreign};
use crate::forms::project_form::{ProjectFinding, Scope};
use crate::parse::values::{Format, Values};
use crate::text::files::side_file;
use spdx::{Expression, ParseMode};
use std::collections::BTreeSet;

/// The packages whose licence is not in `allowed`. Only lock files of npm and Composer contain
/// licences; for Cargo, the licences of the project's own manifests are compared.
pub(super) fn find(scope: &Scope<'_>, locks: &Locks, allowed: &[String]) -> Vec<Found> {
    if allowed.is_empty() {
        return Vec::new();
    }
    let allowed: BTreeSet<String> = allowed.iter().map(|name| name.to_lowercase()).collect();
    let mut found = Vec::new();
    let mut add = |path: &str, span, name: &str, licence: &str| {
        if !is_allowed(licence, &allowed) {
            let finding = ProjectFinding {
                path: path.to_owned(),
                span: Some(span),
                message: format!("the licence of `{name}` is `{licence}`"),
                names: vec![
                    ("name".to_owned(), name.to_owned()),
                    ("licence".to_owned(), licence.to_owned()),
                ],
                ..ProjectFinding::default()
            };
            found.push((name.to_owned(), finding));
        }
    };
    for lock in &locks.all {
        for package in &lock.packages {
            if let Some(licence) = &package.licence {
                add(&lock.path, package.span, &package.name, licence);
            }
        }
    }
    for path in scope.listing.files() {
        if path.rsplit('/').next() != Some("Cargo.toml") || is_foreign(path) {
            continue;
        }
        let Some(text) = side_file(scope.files, path) else { continue };
        let values = Values::read(Format::Toml, &text);
        let package = values.roots.first().and_then(|&root| values.child(root, "package"));
        let Some(package) = package else { continue };
        let field = |key: &str| values.child(package, key);
        if let (Some(name), Some(licence)) = (field("name"), field("license"))
            && let (Some(name), Some(text)) = (values.text(name), values.text(licence))
        {
            add(path, values.all[licence].span, &name, &text);
        }
    }
    found
}

/// Whether the allowed licences satisfy the SPDX expression `licence`. A text that is not an SPDX
/// expression must be in the list verbatim.
fn is_allowed(licence: &str, allowed: &BTreeSet<String>) -> bool {
    if allowed.contains(&licence.to_lowercase()) {
        return true;
    }
    // `A/B` was the notation of Cargo for `A OR B`.
    let mode = ParseMode { allow_slash_as_or_operator: true, ..ParseMode::LAX };
    let Ok(expression) = Expression::parse_mode(licence, mode) else { return false };
    expression.evaluate(|requirement| {
        let full = requirement.to_string().to_lowercase();
        let base = full.split(" with ").next().unwrap_or(&full);
        let base = base.trim_end_matches('+');
        let plain = base.trim_end_matches("-or-later").trim_end_matches("-only");
        [&full, base, plain].into_iter().any(|name| allowed.contains(name))
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn expressions_are_evaluated() {
        let allowed: BTreeSet<String> = ["mit", "apache-2.0", "bsd"].map(str::to_owned).into();
        for licence in ["MIT", "MIT OR GPL-3.0", "(MIT AND Apache-2.0)", "MIT/Apache-2.0", "BSD"] {
            assert!(is_allowed(licence, &allowed), "{licence}");
        }
        for licence in ["GPL-3.0-only", "MIT AND GPL-3.0", "UNLICENSED", "", "MIT AND"] {
            assert!(!is_allowed(licence, &allowed), "{licence}");
        }
    }
}
