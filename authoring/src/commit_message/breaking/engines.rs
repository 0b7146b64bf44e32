//! Versions of Node.js, Python, Rust and PHP that a package no longer supports.

use crate::commit_message::{Change, keys, package};
use aidd_engine::parse::json;

/// The lowest version of the engine that a package requires no longer includes the old one.
pub(super) fn dropped(change: &Change) -> Option<String> {
    let (before, after) = (change.before.as_deref()?, change.after.as_deref()?);
    let (old, new) = (required(&change.path, before)?, required(&change.path, after)?);
    (old.key == new.key && old.lowest < new.lowest).then(|| {
        let version =
            |parts: &[u32]| parts.iter().map(u32::to_string).collect::<Vec<_>>().join(".");
        format!(
            "{} is at least {} instead of {}",
            new.key,
            version(&new.lowest),
            version(&old.lowest)
        )
    })
}

/// The lowest version of an engine.
struct Required {
    /// The key in the manifest.
    key: String,
    lowest: Vec<u32>,
}

/// The engine that the manifest of a published package requires.
fn required(path: &str, text: &str) -> Option<Required> {
    let name = path.rsplit('/').next().unwrap_or(path);
    let (key, range) = match name {
        "package.json" if package::is_published_by_npm(text) == Some(true) => {
            ("`engines.node`", json_value(text, "engines", "node")?)
        }
        "composer.json" if json_root(text, "type").as_deref() == Some("library") => {
            ("`require.php`", json_value(text, "require", "php")?)
        }
        "Cargo.toml" if package::is_published_crate(text) => {
            ("`rust-version`", toml_value(text, &["package.rust-version"])?)
        }
        "pyproject.toml" if package::is_published_by_python(text) => (
            "`requires-python`",
            toml_value(text, &["project.requires-python", "tool.poetry.dependencies.python"])?,
        ),
        _ => return None,
    };
    Some(Required { key: key.to_owned(), lowest: lowest(&range)? })
}

fn json_value(text: &str, section: &str, key: &str) -> Option<String> {
    let tree = json::parse(text);
    let root = *tree.nodes.first()?.children.first()?;
    let children = &tree.nodes[root].children;
    let section = children.iter().find(|at| tree.nodes[**at].key == section)?;
    tree.text(*section, key).map(str::to_owned)
}

fn json_root(text: &str, key: &str) -> Option<String> {
    let tree = json::parse(text);
    let root = *tree.nodes.first()?.children.first()?;
    tree.text(root, key).map(str::to_owned)
}

fn toml_value(text: &str, keys: &[&str]) -> Option<String> {
    let settings = keys::toml_settings(text);
    let found = settings.into_iter().find(|(key, _)| keys.contains(&key.as_str()))?;
    Some(found.1.trim_matches(['"', '\'']).to_owned())
}

/// The lowest version in a range such as `^18 || >=20.1` or `>=3.9,<4`; `None` if there is no lower
/// limit.
fn lowest(range: &str) -> Option<Vec<u32>> {
    let limits = range.split("||").map(|part| {
        let part = part.trim();
        let start = part.find(|c: char| c.is_ascii_digit())?;
        if part[..start].contains('<') {
            return None;
        }
        let end = part[start..]
            .find(|c: char| !c.is_ascii_digit() && c != '.')
            .map_or(part.len(), |at| start + at);
        let mut version: Vec<u32> =
            part[start..end].split('.').map_while(|number| number.parse().ok()).collect();
        while version.len() > 1 && version.last() == Some(&0) {
            version.pop();
        }
        Some(version)
    });
    limits.collect::<Option<Vec<_>>>()?.into_iter().min()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_lowest_version_of_a_range_is_found() {
        assert_eq!(lowest("^18.0.0 || >=20.1"), Some(vec![18]));
        assert_eq!(lowest(">=3.9,<4.0"), Some(vec![3, 9]));
        assert_eq!(lowest("18.x"), Some(vec![18]));
        assert_eq!(lowest("<20"), None);
        assert_eq!(lowest("*"), None);
    }

    #[test]
    fn a_raised_version_of_a_published_package_is_dropped_support() {
        let dropped = |path: &str, text: fn(&str) -> String, old: &str, new: &str| {
            dropped(&Change {
                path: path.to_owned(),
                before: Some(text(old)),
                after: Some(text(new)),
                ..Change::default()
            })
        };
        let npm = |node: &str| {
            format!(r#"{{"name": "a", "main": "b.js", "engines": {{"node": "{node}"}}}}"#)
        };
        assert_eq!(
            dropped("package.json", npm, ">=18", "^20.3 || >=22").as_deref(),
            Some("`engines.node` is at least 20.3 instead of 18")
        );
        assert_eq!(dropped("package.json", npm, ">=18", "18.x || 20.x"), None);
        let private = |node: &str| {
            format!(r#"{{"private": true, "main": "b.js", "engines": {{"node": "{node}"}}}}"#)
        };
        assert_eq!(dropped("package.json", private, ">=18", ">=20"), None);
        let python = |version: &str| {
            format!("[build-system]\nrequires = []\n[project]\nrequires-python = \"{version}\"\n")
        };
        assert_eq!(
            dropped("pyproject.toml", python, ">=3.8", ">=3.10").as_deref(),
            Some("`requires-python` is at least 3.10 instead of 3.8")
        );
        let cargo =
            |version: &str| format!("[package]\nname = \"a\"\nrust-version = \"{version}\"\n");
        assert!(dropped("Cargo.toml", cargo, "1.80", "1.85").is_some());
        assert_eq!(dropped("Cargo.toml", cargo, "1.85", "1.85.0"), None);
    }
}
