//! `pom.xml`, and what can be read of Gradle without running it: quoted coordinates, plugins,
//! version catalogues and lock files.

use super::lock::Lock;
use super::pins::Pin;
use super::read::{Reader, join};
use super::{Dependency, Ecosystem, Group, Manifest};
use crate::parse::tree::{Node, Tree};
use crate::parse::xml;
use regex::Regex;
use serde_json::Value;
use std::collections::BTreeMap;
use std::sync::LazyLock;

/// How often a property may stand in another.
const NESTED: usize = 4;

pub(super) fn manifests(folder: &str, reader: &mut Reader<'_>) -> Vec<Manifest> {
    let mut found = Vec::new();
    let path = join(folder, "pom.xml");
    if let Some(text) = reader.text(&path) {
        match pom(&path, &text) {
            Some(manifest) => found.push(manifest),
            None => {
                let said = format!("{path}:1:1: holds no <project>; the file is not used");
                reader.problems.push(said);
            }
        }
    }
    found.extend(gradle(folder, reader));
    found
}

/// A node of the tree whose first elements are looked up by name, however many there are.
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
    let parent = child(&tree, project, "parent");
    let own = |key: &str| {
        text(&tree, project, key)
            .or_else(|| text(&tree, parent?, key))
            .map(|it| filled(&it, &properties))
    };
    manifest.name = own("artifactId").map(|artifact| match own("groupId") {
        Some(group) => format!("{group}:{artifact}"),
        None => artifact,
    });
    manifest.version = own("version");
    if let Some(parent) = parent.and_then(|node| coordinates(&tree, node, &properties)) {
        // A parent brings versions; one within the project is a member like any other.
        manifest.dependencies.push(Dependency { group: Group::Build, ..parent });
    }
    let managed = child(&tree, project, "dependencyManagement")
        .and_then(|node| child(&tree, node, "dependencies"));
    for node in managed.map_or_else(Vec::new, |node| children(&tree, node, "dependency")) {
        if let Some(Dependency { name, wanted: Some(wanted), .. }) =
            coordinates(&tree, node, &properties)
        {
            manifest.shared.insert(name, wanted);
        }
    }
    let dependencies = child(&tree, project, "dependencies");
    for node in dependencies.map_or_else(Vec::new, |node| children(&tree, node, "dependency")) {
        manifest.dependencies.extend(coordinates(&tree, node, &properties));
    }
    for key in ["maven.compiler.release", "java.version", "maven.compiler.source"] {
        if let Some(version) = properties.get(key) {
            let (name, version) = ("java".to_owned(), filled(version, &properties));
            manifest.pins.push(Pin { name, version, path: path.to_owned() });
            break;
        }
    }
    let modules = child(&tree, project, "modules");
    let modules = modules.map_or_else(Vec::new, |node| children(&tree, node, "module"));
    let names = modules.iter().filter_map(|node| node.value.as_deref());
    manifest.members = names.map(str::to_owned).collect();
    Some(manifest)
}

fn coordinates(
    tree: &Tree,
    node: &Node,
    properties: &BTreeMap<String, String>,
) -> Option<Dependency> {
    let part = |key| text(tree, node, key).map(|it| filled(&it, properties));
    let name = format!("{}:{}", part("groupId")?, part("artifactId")?);
    let group = match part("scope").as_deref() {
        Some("test") => Group::Dev,
        Some("provided") => Group::Peer,
        _ => Group::Normal,
    };
    let version = part("version").filter(|version| !version.contains("${"));
    let inherits = version.is_none().then(|| name.clone());
    Some(Dependency { inherits, ..Dependency::new(name, version.as_deref(), group) })
}

/// A text with its `${name}` replaced.
fn filled(text: &str, properties: &BTreeMap<String, String>) -> String {
    let mut text = text.to_owned();
    for _ in 0..NESTED {
        let Some(start) = text.find("${") else { break };
        let Some(end) = text[start..].find('}').map(|at| start + at) else { break };
        let Some(value) = properties.get(&text[start + 2..end]) else { break };
        text = format!("{}{value}{}", &text[..start], &text[end + 1..]);
    }
    text
}

static QUOTED: LazyLock<Regex> = LazyLock::new(|| {
    pattern(r#"(?m)^\s*(\w+)[\s(]+(?:platform\()?["']([\w.-]+:[\w.-]+)(?::([\w.+-]+))?["']"#)
});
static PLUGIN: LazyLock<Regex> = LazyLock::new(|| {
    pattern(r#"(?m)^\s*id[\s(]+["']([\w.-]+)["']\)?\s+version\s+["']([\w.+-]+)["']"#)
});
static CATALOGUED: LazyLock<Regex> =
    LazyLock::new(|| pattern(r"(?m)^\s*(\w+)[\s(]+(?:platform\()?libs\.([\w.]+)"));
static INCLUDED: LazyLock<Regex> = LazyLock::new(|| pattern(r"(?m)^\s*include\b(.*)$"));
static NAME: LazyLock<Regex> = LazyLock::new(|| pattern(r#"["']:?([\w:./-]+)["']"#));

fn pattern(text: &str) -> Regex {
    Regex::new(text).expect("a constant pattern")
}

fn group_of(configuration: &str) -> Option<Group> {
    match configuration {
        "implementation" | "api" | "runtimeOnly" | "compile" | "classpath" => Some(Group::Normal),
        "compileOnly" => Some(Group::Peer),
        "annotationProcessor" | "kapt" | "ksp" => Some(Group::Build),
        word if word.starts_with("test") || word.starts_with("androidTest") => Some(Group::Dev),
        _ => None,
    }
}

fn gradle(folder: &str, reader: &mut Reader<'_>) -> Option<Manifest> {
    let catalogue = reader.toml(&join(folder, "gradle/libs.versions.toml"));
    let settings = ["settings.gradle.kts", "settings.gradle"].into_iter().find_map(|name| {
        let path = join(folder, name);
        reader.text(&path).map(|text| (path, text))
    });
    let build = ["build.gradle.kts", "build.gradle"].into_iter().find_map(|name| {
        let path = join(folder, name);
        reader.text(&path).map(|text| (path, text))
    });
    let settings_path = settings.as_ref().map(|(path, _)| (path.clone(), String::new()));
    let (path, text) = build.or(settings_path)?;
    let mut manifest = Manifest::new(path, Ecosystem::Maven);
    manifest.manager = Some("gradle".to_owned());
    for found in QUOTED.captures_iter(&text) {
        if let Some(group) = group_of(&found[1]) {
            let version = found.get(3).map(|it| it.as_str());
            manifest.dependencies.push(Dependency::new(&found[2], version, group));
        }
    }
    for found in PLUGIN.captures_iter(&text) {
        let plugin = Dependency::new(&found[1], Some(&found[2]), Group::Build);
        manifest.dependencies.push(plugin);
    }
    for found in CATALOGUED.captures_iter(&text) {
        // The name of the package is known once the catalogue above is.
        if let Some(group) = group_of(&found[1]) {
            let name = format!("libs.{}", &found[2]);
            let inherits = Some(found[2].replace('.', "-"));
            manifest
                .dependencies
                .push(Dependency { inherits, ..Dependency::new(name, None, group) });
        }
    }
    if let Some(catalogue) = catalogue {
        manifest.dependencies.extend(catalogued(&catalogue, &mut manifest.shared));
    }
    for line in INCLUDED.captures_iter(settings.as_ref().map_or("", |(_, text)| text)) {
        for name in NAME.captures_iter(&line[1]) {
            manifest.members.push(name[1].replace(':', "/"));
        }
    }
    Some(manifest)
}

/// The libraries of a version catalogue; their ranges also by their names there.
fn catalogued(value: &Value, shared: &mut BTreeMap<String, String>) -> Vec<Dependency> {
    let mut found = Vec::new();
    for (key, library) in value["libraries"].as_object().into_iter().flatten() {
        let line = library.as_str().unwrap_or_default();
        let mut parts = line.rsplitn(2, ':');
        let (last, first) = (parts.next(), parts.next());
        let module = library["module"].as_str().map(str::to_owned).or_else(|| {
            let group = library["group"].as_str()?;
            Some(format!("{group}:{}", library["name"].as_str()?))
        });
        let version = library["version"].as_str().or_else(|| {
            let reference = library["version"]["ref"].as_str()?;
            value["versions"][reference].as_str()
        });
        let version = version.or(if first.is_some() { last } else { None });
        let name = module.or_else(|| first.map(str::to_owned));
        if let Some(name) = name {
            let key = key.replace(['_', '.'], "-");
            shared.insert(format!("={key}"), name.clone());
            if let Some(version) = version {
                shared.insert(key, version.to_owned());
            }
            found.push(Dependency::new(name, version, Group::Normal));
        }
    }
    found
}

pub(super) fn locks(folder: &str, reader: &mut Reader<'_>) -> Vec<Lock> {
    let path = join(folder, "gradle.lockfile");
    let Some(text) = reader.text(&path) else { return Vec::new() };
    let mut lock = Lock::new(path, Ecosystem::Maven, "gradle");
    for line in text.lines().filter(|line| !line.starts_with('#')) {
        let coordinates = line.split('=').next().unwrap_or_default();
        if let Some((name, version)) = coordinates.rsplit_once(':') {
            lock.add(name, version);
        }
    }
    vec![lock]
}
