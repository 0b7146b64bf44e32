//! Licences of locked packages, compared with a list of allowed licences.

use super::versions::Locks;
use super::{Found, is_foreign};
use crate::forms::project_form::{ProjectFinding, Scope};
use crate::parse::values::{Datum, Format, Values};
use crate::parse::xml;
use crate::text::files::side_file;
use crate::text::source::Span;
use spdx::{Expression, ParseMode};
use std::collections::BTreeSet;

/// The packages whose licence is not in `allowed`. Only lock files of npm and Composer contain
/// licences; in addition, the licences in the project's own manifests are compared.
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
        let name = path.rsplit('/').next().unwrap_or(path);
        if !MANIFESTS.contains(&name) || is_foreign(path) {
            continue;
        }
        let Some(text) = side_file(scope.files, path) else { continue };
        if let Some((name, licence, span)) = of_manifest(name, &text) {
            add(path, span, &name, &licence);
        }
    }
    found
}

/// The names of the manifests that state the licence of the package that they describe.
const MANIFESTS: [&str; 5] =
    ["Cargo.toml", "package.json", "composer.json", "pyproject.toml", "pom.xml"];

/// The name and the licence of the package that a manifest describes, and the span of the licence;
/// `None` if the manifest states no licence, or marks the package as private. Several licences are
/// alternatives.
fn of_manifest(file: &str, text: &str) -> Option<(String, String, Span)> {
    if file == "pom.xml" {
        return of_pom(text);
    }
    let format = if file.ends_with(".toml") { Format::Toml } else { Format::Json };
    let values = Values::read(format, text);
    let root = *values.roots.first()?;
    let at = |keys: &[&str]| keys.iter().try_fold(root, |at, key| values.child(at, key));
    let package = match file {
        "Cargo.toml" => at(&["package"])?,
        "pyproject.toml" => at(&["project"]).or_else(|| at(&["tool", "poetry"]))?,
        _ => root,
    };
    let field = |key: &str| values.child(package, key);
    if field("private").is_some_and(|at| values.all[at].datum == Datum::Bool(true)) {
        return None;
    }
    let name = values.text(field("name")?)?;
    let licence = field("license")?;
    let text = match &values.all[licence].datum {
        Datum::List => {
            let items = values.all[licence].children.iter();
            let items: Vec<String> = items.filter_map(|&at| values.text(at)).collect();
            (!items.is_empty()).then(|| items.join(" OR "))
        }
        // The notation of npm before 2015. A table in Python contains a file or the whole text.
        Datum::Map => values.child(licence, "type").and_then(|at| values.text(at)),
        _ => values.text(licence),
    };
    Some((name, text?, values.all[licence].span))
}

/// The name and the first licence of a project of Maven. Modules inherit the licence of their
/// parent, which is compared at the parent.
fn of_pom(text: &str) -> Option<(String, String, Span)> {
    let tree = xml::parse(text);
    let child = |at: usize, key: &str| {
        let children = tree.nodes.get(at)?.children.iter();
        children.copied().find(|&child| tree.nodes[child].key == key)
    };
    let project = child(0, "project")?;
    let name = tree.text(project, "artifactId")?.to_owned();
    let keys = ["licenses", "license", "name"];
    let licence = keys.iter().try_fold(project, |at, key| child(at, key))?;
    let licence = &tree.nodes[licence];
    Some((name, licence.value.clone()?.trim().to_owned(), licence.span))
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

    #[test]
    fn licences_of_manifests_are_read() {
        for (file, text, expected) in [
            (
                "Cargo.toml",
                "[package]\nname = 'a'\nlicense = 'GPL-3.0-only'\n",
                Some("a GPL-3.0-only"),
            ),
            ("package.json", r#"{ "name": "a", "license": "MIT" }"#, Some("a MIT")),
            ("package.json", r#"{ "name": "a", "license": { "type": "MIT" } }"#, Some("a MIT")),
            ("package.json", r#"{ "name": "a", "private": true, "license": "UNLICENSED" }"#, None),
            (
                "composer.json",
                r#"{ "name": "a/b", "license": ["MIT", "GPL-2.0-only"] }"#,
                Some("a/b MIT OR GPL-2.0-only"),
            ),
            ("pyproject.toml", "[project]\nname = 'a'\nlicense = 'MIT'\n", Some("a MIT")),
            ("pyproject.toml", "[project]\nname = 'a'\nlicense = { file = 'LICENSE' }\n", None),
            ("pyproject.toml", "[tool.poetry]\nname = 'a'\nlicense = 'MIT'\n", Some("a MIT")),
            (
                "pom.xml",
                "<project><artifactId>a</artifactId><licenses><license><name>MIT</name></license></licenses></project>",
                Some("a MIT"),
            ),
            ("pom.xml", "<project><artifactId>a</artifactId></project>", None),
            ("package.json", "{", None),
        ] {
            let found = of_manifest(file, text).map(|(name, licence, span)| {
                assert!(
                    text[span.range()].contains(licence.split(" OR ").next().unwrap_or_default())
                );
                format!("{name} {licence}")
            });
            assert_eq!(found.as_deref(), expected, "{text}");
        }
    }
}
