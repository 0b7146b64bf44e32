//! Reads Maven's `pom.xml`.

use super::pins::Pin;
use super::read::{Reader, join};
use super::{Dependency, Ecosystem, Group, Manifest};
use crate::parse::tree::{Node, Tree};
use crate::parse::xml;
use std::collections::BTreeMap;

/// The group of a parent or an imported BOM → the group whose artifacts all have the version of the
/// parent or BOM: Spring Boot and Quarkus release all their artifacts together.
const RELEASED_TOGETHER: [(&str, &str); 3] = [
    ("org.springframework.boot", "org.springframework.boot"),
    ("io.quarkus.platform", "io.quarkus"),
    ("io.quarkus", "io.quarkus"),
];

/// Maximum nesting of properties.
const MAX_NESTED: usize = 4;

pub(super) fn manifests(folder: &str, reader: &mut Reader<'_>) -> Vec<Manifest> {
    let mut found = Vec::new();
    let path = join(folder, "pom.xml");
    if let Some(text) = reader.text(&path) {
        match pom(&path, &text) {
            Some(manifest) => found.push(manifest),
            None => {
                let message = format!("{path}:1:1: no <project> element; file skipped");
                reader.problems.push(message);
            }
        }
    }
    found
}

/// All children with this name. Unlike in [`Tree::child`], the number of children that are searched
/// is not limited.
fn children<'t>(tree: &'t Tree, node: &Node, key: &str) -> Vec<&'t Node> {
    let all = node.children.iter().filter_map(|&at| tree.nodes.get(at));
    all.filter(|child| child.key == key).collect()
}

fn child<'t>(tree: &'t Tree, node: &Node, key: &str) -> Option<&'t Node> {
    children(tree, node, key).into_iter().next()
}

fn text(tree: &Tree, node: &Node, key: &str) -> Option<String> {
    child(tree, node, key)?.value.clone()
}

fn pom(path: &str, source: &str) -> Option<Manifest> {
    let tree = xml::parse(source);
    let project = child(&tree, tree.nodes.first()?, "project")?;
    let mut properties: BTreeMap<String, String> = BTreeMap::new();
    if let Some(node) = child(&tree, project, "properties") {
        let nodes = node.children.iter().filter_map(|&at| tree.nodes.get(at));
        let pairs = nodes.filter_map(|node| Some((node.key.clone(), node.value.clone()?)));
        properties.extend(pairs);
    }
    let mut manifest = Manifest::new(path.to_owned(), Ecosystem::Maven);
    manifest.manager = Some("maven".to_owned());
    let set = properties.keys().map(|name| (format!("${{{name}}}"), format!("${{{name}}}")));
    manifest.shared = set.map(|(key, text)| (key, expand_properties(&text, &properties))).collect();
    let parent = child(&tree, project, "parent");
    let own = |key: &str| {
        text(&tree, project, key)
            .or_else(|| text(&tree, parent?, key))
            .map(|text| expand_properties(&text, &properties))
    };
    manifest.name = own("artifactId").map(|artifact| match own("groupId") {
        Some(group) => format!("{group}:{artifact}"),
        None => artifact,
    });
    manifest.version = own("version");
    if let Some(parent) = parent.and_then(|node| coordinates(&tree, node, &properties)) {
        // A parent determines versions; a parent within the project is also a member.
        add_group_version(&parent, &mut manifest.shared);
        manifest.dependencies.push(Dependency { group: Group::Build, ..parent });
    }
    let managed = child(&tree, project, "dependencyManagement")
        .and_then(|node| child(&tree, node, "dependencies"));
    for node in managed.map_or_else(Vec::new, |node| children(&tree, node, "dependency")) {
        let Some(managed) = coordinates(&tree, node, &properties) else { continue };
        if text(&tree, node, "scope").as_deref() == Some("import") {
            add_group_version(&managed, &mut manifest.shared);
        } else if let Some(wanted) = managed.wanted {
            manifest.shared.insert(managed.name, wanted);
        }
    }
    let dependencies = child(&tree, project, "dependencies");
    for node in dependencies.map_or_else(Vec::new, |node| children(&tree, node, "dependency")) {
        manifest.dependencies.extend(coordinates(&tree, node, &properties));
    }
    for key in ["maven.compiler.release", "java.version", "maven.compiler.source"] {
        if let Some(version) = properties.get(key) {
            // Versions before 9 were written as `1.8`.
            let version = expand_properties(version, &properties);
            let version = version.strip_prefix("1.").unwrap_or(&version).to_owned();
            let name = "java".to_owned();
            manifest.pins.push(Pin { name, version, path: path.to_owned() });
            break;
        }
    }
    let profiles = child(&tree, project, "profiles");
    let profiles = profiles.map_or_else(Vec::new, |node| children(&tree, node, "profile"));
    for node in [project].into_iter().chain(profiles) {
        let modules = child(&tree, node, "modules");
        let modules = modules.map_or_else(Vec::new, |node| children(&tree, node, "module"));
        // A module can be listed by its file instead of its directory.
        let names = modules.iter().filter_map(|node| node.value.as_deref());
        let folders = names.map(|name| name.strip_suffix("/pom.xml").unwrap_or(name).to_owned());
        manifest.members.extend(folders);
    }
    Some(manifest)
}

/// Adds the version that a parent or an imported BOM sets for a group, under the key `group:*`.
fn add_group_version(source: &Dependency, shared: &mut BTreeMap<String, String>) {
    let (Some((group, _)), Some(version)) = (source.name.split_once(':'), &source.wanted) else {
        return;
    };
    for (_, artifact_group) in
        RELEASED_TOGETHER.iter().filter(|(source_group, _)| *source_group == group)
    {
        shared.insert(format!("{artifact_group}:*"), version.clone());
    }
}

fn coordinates(
    tree: &Tree,
    node: &Node,
    properties: &BTreeMap<String, String>,
) -> Option<Dependency> {
    let part = |key| text(tree, node, key).map(|text| expand_properties(&text, properties));
    let name = format!("{}:{}", part("groupId")?, part("artifactId")?);
    let group = match part("scope").as_deref() {
        Some("test") => Group::Dev,
        Some("provided") => Group::Peer,
        _ => Group::Normal,
    };
    // A property that is not set in this manifest can be set in a parent manifest.
    let version = part("version");
    let unset = version.as_deref().filter(|version| version.contains("${")).map(str::to_owned);
    let version = version.filter(|_| unset.is_none());
    let inherits = version.is_none().then(|| unset.unwrap_or_else(|| name.clone()));
    Some(Dependency { inherits, ..Dependency::new(name, version.as_deref(), group) })
}

/// Replaces `${name}` in a text.
fn expand_properties(text: &str, properties: &BTreeMap<String, String>) -> String {
    let mut text = text.to_owned();
    for _ in 0..MAX_NESTED {
        let Some(start) = text.find("${") else { break };
        let Some(end) = text[start..].find('}').map(|at| start + at) else { break };
        let Some(value) = properties.get(&text[start + 2..end]) else { break };
        text = format!("{}{value}{}", &text[..start], &text[end + 1..]);
    }
    text
}
