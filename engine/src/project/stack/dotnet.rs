//! Reads .NET projects, solutions, central package versions and lock files.

use super::lock::Lock;
use super::pins::Pin;
use super::read::{Reader, join};
use super::{Dependency, Ecosystem, Group, Manifest};
use crate::parse::tree::{Node, Tree};
use crate::parse::xml;
use crate::text::files::files_in;

pub(super) fn manifests(folder: &str, reader: &mut Reader<'_>) -> Vec<Manifest> {
    let mut found = Vec::new();
    let names = files_in(reader.disk, folder);
    let has_suffix =
        |name: &str, suffixes: &[&str]| suffixes.iter().any(|suffix| name.ends_with(suffix));
    for name in names.iter().filter(|name| has_suffix(name, &[".csproj", ".fsproj", ".vbproj"])) {
        let path = join(folder, name);
        let Some(text) = reader.text(&path) else { continue };
        let tree = xml::parse(&text);
        if tree.nodes.iter().any(|node| node.key == "Project") {
            found.push(project(path, name, &tree));
        } else {
            let message = format!("{path}:1:1: no <Project> element; file skipped");
            reader.problems.push(message);
        }
    }
    let path = join(folder, "packages.config");
    if let Some(text) = reader.text(&path) {
        found.push(packages_config(path, &xml::parse(&text)));
    }
    for name in names.iter().filter(|name| has_suffix(name, &[".sln", ".slnx"])) {
        let path = join(folder, name);
        if let Some(text) = reader.text(&path) {
            let mut manifest = Manifest::new(path, Ecosystem::Nuget);
            manifest.manager = Some("dotnet".to_owned());
            manifest.members = solution(&text);
            found.push(manifest);
        }
    }
    let path = join(folder, "Directory.Packages.props");
    if let Some(text) = reader.text(&path) {
        let mut manifest = Manifest::new(path, Ecosystem::Nuget);
        manifest.manager = Some("dotnet".to_owned());
        let tree = xml::parse(&text);
        let is_version =
            |node: &&Node| matches!(&*node.key, "PackageVersion" | "GlobalPackageReference");
        for node in tree.nodes.iter().filter(is_version) {
            if let (Some(name), Some(version)) =
                (value(&tree, node, "Include"), value(&tree, node, "Version"))
            {
                let version = expand_property(&tree, version);
                // A global reference applies to every project.
                if node.key == "GlobalPackageReference" {
                    let tool = Dependency::new(&name, version.as_deref(), Group::Dev);
                    manifest.dependencies.push(tool);
                }
                manifest.shared.extend(version.map(|version| (name, version)));
            }
        }
        found.push(manifest);
    }
    found
}

/// The value of an attribute, or of the child element with that name.
fn value(tree: &Tree, node: &Node, name: &str) -> Option<String> {
    let attribute = format!("@{name}");
    let children = node.children.iter().filter_map(|&at| tree.nodes.get(at));
    let mut found = children.filter(|child| child.key == attribute || child.key == name);
    found.find_map(|child| child.value.clone())
}

/// Resolves `$(name)` to a property of the same file; `None` if the property is defined elsewhere.
fn expand_property(tree: &Tree, value: String) -> Option<String> {
    let Some(name) = value.strip_prefix("$(").and_then(|rest| rest.strip_suffix(')')) else {
        return (!value.contains("$(")).then_some(value);
    };
    let set = tree.nodes.iter().find(|node| node.key == name)?.value.clone();
    set.filter(|value| !value.contains("$("))
}

/// Reads the package list of projects older than .NET Core, in which all versions are exact.
fn packages_config(path: String, tree: &Tree) -> Manifest {
    let mut manifest = Manifest::new(path, Ecosystem::Nuget);
    manifest.manager = Some("nuget".to_owned());
    for node in tree.nodes.iter().filter(|node| node.key == "package") {
        let (Some(name), Some(version)) = (value(tree, node, "id"), value(tree, node, "version"))
        else {
            continue;
        };
        let is_tool =
            value(tree, node, "developmentDependency").is_some_and(|value| value == "true");
        let group = if is_tool { Group::Dev } else { Group::Normal };
        let dependency = Dependency::new(name, Some(&version), group);
        manifest.dependencies.push(Dependency { locked: Some(version), ..dependency });
    }
    manifest
}

fn project(path: String, file: &str, tree: &Tree) -> Manifest {
    let first = |key: &str| {
        tree.nodes.iter().find(|node| node.key == key).and_then(|node| node.value.clone())
    };
    let mut manifest = Manifest::new(path.clone(), Ecosystem::Nuget);
    manifest.manager = Some("dotnet".to_owned());
    let stem = file.rsplit_once('.').map_or(file, |(stem, _)| stem);
    manifest.name = first("PackageId").or(Some(stem.to_owned()));
    manifest.version = first("Version");
    if let Some(frameworks) = first("TargetFramework").or_else(|| first("TargetFrameworks")) {
        let version = frameworks.split(';').next().unwrap_or_default();
        let (name, version) = ("dotnet".to_owned(), version.trim_start_matches("net").to_owned());
        manifest.pins.push(Pin { name, version, path });
    }
    for node in tree.nodes.iter().filter(|node| node.key == "PackageReference") {
        let Some(name) = value(tree, node, "Include") else { continue };
        let version = value(tree, node, "VersionOverride").or(value(tree, node, "Version"));
        let version = version.and_then(|version| expand_property(tree, version));
        let is_tool = value(tree, node, "PrivateAssets").is_some_and(|value| value == "all");
        let group = if is_tool { Group::Dev } else { Group::Normal };
        let inherits = version.is_none().then(|| name.clone());
        let dependency = Dependency::new(name, version.as_deref(), group);
        manifest.dependencies.push(Dependency { inherits, ..dependency });
    }
    manifest
}

/// The directories of the projects in a solution, in either format.
fn solution(text: &str) -> Vec<String> {
    let quoted = text.split('"').skip(1).step_by(2);
    let projects = quoted.filter(|path| path.ends_with("proj"));
    let folders = projects.filter_map(|path| {
        let path = path.replace('\\', "/");
        path.rsplit_once('/').map(|(folder, _)| folder.to_owned())
    });
    folders.collect()
}

pub(super) fn locks(folder: &str, reader: &mut Reader<'_>) -> Vec<Lock> {
    let path = join(folder, "packages.lock.json");
    let Some(json) = reader.json(&path) else { return Vec::new() };
    let mut lock = Lock::new(path, Ecosystem::Nuget, "dotnet");
    for (_, framework) in json["dependencies"].as_object().into_iter().flatten() {
        for (name, package) in framework.as_object().into_iter().flatten() {
            if let Some(version) = package["resolved"].as_str() {
                lock.add(name, version);
            }
        }
    }
    vec![lock]
}
