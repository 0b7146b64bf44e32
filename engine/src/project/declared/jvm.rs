//! Reads `pom.xml`, Gradle builds and version catalogs.

use super::super::stack::{Group, gradle_pattern};
use super::{Declared, Manifest, Repository, unquoted};
use crate::parse::tree::{Node, Tree};
use crate::parse::values::{Format, Values};
use crate::parse::xml;
use crate::text::source::Span;
use regex::Regex;
use std::collections::HashMap;
use std::sync::LazyLock;

/// The children of `node` with this key.
fn children<'t>(tree: &'t Tree, node: &Node, key: &str) -> impl Iterator<Item = &'t Node> {
    let all = node.children.iter().filter_map(|&at| tree.nodes.get(at));
    all.filter(move |child| child.key == key)
}

fn child<'t>(tree: &'t Tree, node: &Node, key: &str) -> Option<&'t Node> {
    children(tree, node, key).next()
}

/// The elements of a list, such as the `<dependency>` elements in `<dependencies>`.
fn list<'t>(tree: &'t Tree, node: &Node, keys: [&str; 2]) -> Vec<&'t Node> {
    let items = child(tree, node, keys[0]).map(|list| children(tree, list, keys[1]));
    items.into_iter().flatten().collect()
}

pub(super) fn read_pom(text: &str, manifest: &mut Manifest) -> Option<()> {
    let tree = xml::parse(text);
    let project = child(&tree, tree.nodes.first()?, "project")?;
    let properties = child(&tree, project, "properties");
    let properties = properties.map_or(&[][..], |node| &node.children).iter();
    let properties: HashMap<&str, &str> = properties
        .filter_map(|&at| tree.nodes.get(at))
        .filter_map(|node| Some((&*node.key, node.value.as_deref()?)))
        .collect();
    let value = |node: &Node, key: &str| {
        let value = child(&tree, node, key)?.value.clone()?;
        let name = value.strip_prefix("${").and_then(|rest| rest.strip_suffix('}'));
        Some(name.and_then(|name| properties.get(name)).map_or(value, |value| (*value).to_owned()))
    };
    let value_or_parent =
        |key: &str| value(project, key).or_else(|| value(child(&tree, project, "parent")?, key));
    manifest.name =
        value_or_parent("artifactId").map(|artifact| match value_or_parent("groupId") {
            Some(group) => format!("{group}:{artifact}"),
            None => artifact,
        });
    let mut add = |node: &Node, group: Option<Group>, shared: bool| {
        let artifact = child(&tree, node, "artifactId").filter(|node| node.value.is_some());
        let (Some(artifact), Some(name)) = (artifact, value(node, "artifactId")) else { return };
        let Some(coordinates) = value(node, "groupId").map(|group| format!("{group}:{name}"))
        else {
            return;
        };
        let spans = node.children.iter().map(|&at| tree.nodes[at].span);
        let spans: Vec<Span> = spans.filter(|span| span.end > 0).collect();
        let start = spans.iter().map(|span| span.start).min().unwrap_or(artifact.span.start);
        let end = spans.iter().map(|span| span.end).max().unwrap_or(artifact.span.end);
        let scope = value(node, "scope");
        let group = group.unwrap_or(match scope.as_deref() {
            Some("test") => Group::Dev,
            Some("provided" | "system") => Group::Peer,
            _ if value(node, "optional").as_deref() == Some("true") => Group::Optional,
            _ => Group::Normal,
        });
        let mut declared = Declared::new(&coordinates, artifact.span, Span { start, end }, group);
        // The value of a property that a parent or the command line defines is unknown.
        declared.requirement = value(node, "version").filter(|version| !version.contains("${"));
        declared.shared = shared;
        manifest.dependencies.push(declared);
    };
    child(&tree, project, "parent")
        .into_iter()
        .for_each(|node| add(node, Some(Group::Build), false));
    for node in list(&tree, project, ["dependencies", "dependency"]) {
        add(node, None, false);
    }
    let managed = child(&tree, project, "dependencyManagement");
    for node in
        managed.map_or_else(Vec::new, |node| list(&tree, node, ["dependencies", "dependency"]))
    {
        add(node, None, true);
    }
    for keys in [["repositories", "repository"], ["pluginRepositories", "pluginRepository"]] {
        for node in list(&tree, project, keys) {
            let url = child(&tree, node, "url");
            manifest.repositories.extend(
                url.and_then(|url| Some(Repository { url: url.value.clone()?, span: url.span })),
            );
        }
    }
    Some(())
}

static REPOSITORY: LazyLock<Regex> = LazyLock::new(|| {
    Regex::new(r#"\burl\s*(?:=|\()?\s*(?:=\s*)?(?:uri\s*\(\s*)?["'](\w+://[^"'\s]+)["']"#)
        .expect("a constant pattern")
});

/// Blocks of Gradle whose URLs are metadata of the published package.
const PUBLISHED_BLOCKS: [&str; 9] = [
    "pom",
    "scm",
    "license",
    "developer",
    "contributor",
    "organization",
    "issueManagement",
    "ciManagement",
    "mailingList",
];

/// The name of the innermost block that is open at the end of `text`; empty at the top level.
fn enclosing_block(text: &str) -> &str {
    let mut depth = 0_usize;
    for (at, byte) in text.bytes().enumerate().rev() {
        match byte {
            b'}' => depth += 1,
            b'{' if depth == 0 => {
                let before = text[..at].trim_end();
                let before = before.strip_suffix(')').map_or(before, |call| {
                    call.rsplit_once('(').map_or(call, |(name, _)| name.trim_end())
                });
                let is_part = |c: char| c.is_alphanumeric() || c == '_';
                return before.rsplit(|c| !is_part(c)).next().unwrap_or_default();
            }
            b'{' => depth -= 1,
            _ => {}
        }
    }
    ""
}

/// Reads quoted coordinates in a Gradle build; other notations and computed values are skipped.
pub(super) fn read_gradle(text: &str, manifest: &mut Manifest) {
    for found in gradle_pattern().captures_iter(text) {
        let (Some(all), Some(name)) = (found.get(0), found.get(2)) else { continue };
        let Some(group) = super::super::stack::gradle_group(&found[1]) else { continue };
        let span = Span::new(name.start(), name.end());
        let entry = Span::new(all.start(), all.end());
        let mut declared = Declared::new(name.as_str(), span, entry, group);
        let version = found.get(3).map(|version| version.as_str().to_owned());
        declared.requirement = version.filter(|version| !version.contains('$'));
        manifest.dependencies.push(declared);
    }
    for found in REPOSITORY.captures_iter(text) {
        // A block such as `pom { … }` or `scm { … }` describes the published package.
        if let Some(url) = found.get(1)
            && !PUBLISHED_BLOCKS.contains(&enclosing_block(&text[..url.start()]))
        {
            let span = Span::new(url.start(), url.end());
            manifest.repositories.push(Repository { url: url.as_str().to_owned(), span });
        }
    }
}

/// Reads a version catalog: <https://docs.gradle.org/current/userguide/version_catalogs.html>.
pub(super) fn read_catalog(text: &str, manifest: &mut Manifest) -> Option<()> {
    let values = Values::read(Format::Toml, text);
    let root = *values.roots.first()?;
    let versions = values.child(root, "versions");
    let libraries = values.child(root, "libraries")?;
    for &at in &values.all[libraries].children {
        let value = &values.all[at];
        let Some((_, key)) = &value.key else { continue };
        let field = |keys: &[&str]| {
            let at = keys.iter().try_fold(at, |at, key| values.child(at, key))?;
            values.text(at)
        };
        let line = values.text(at);
        let (name, version) = match &line {
            Some(line) => match line.splitn(3, ':').collect::<Vec<_>>()[..] {
                [group, artifact, version] => {
                    (Some(format!("{group}:{artifact}")), Some(version.to_owned()))
                }
                _ => (Some(line.clone()), None),
            },
            None => {
                let parts = || Some(format!("{}:{}", field(&["group"])?, field(&["name"])?));
                let reference = field(&["version", "ref"]);
                let shared = || {
                    let at = values.child(versions?, &reference?)?;
                    values.text(at)
                };
                (field(&["module"]).or_else(parts), field(&["version"]).or_else(shared))
            }
        };
        let Some(name) = name else { continue };
        let entry = Span { start: key.start, end: value.span.end.max(key.end) };
        let mut declared = Declared::new(&name, unquoted(text, *key), entry, Group::Normal);
        declared.requirement = version;
        manifest.dependencies.push(declared);
    }
    Some(())
}
