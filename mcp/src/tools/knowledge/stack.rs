//! The project's stack and its guidance.

use crate::context::Context;
use crate::profile::Profile;
use crate::tool::{Answer, Tool, ToolError};
use crate::tools::memory::render::Row;
use aidd_engine::project::stack::{self, ProjectGuidance, Stack};
use aidd_engine::text::files::Disk;
use aidd_guidance::knowledge::Knowledge;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use serde_json::json;
use std::collections::BTreeSet;
use std::fmt::Write as _;
use std::path::PathBuf;

/// Maximum number of dependencies in an answer.
const MAX_DEPENDENCIES: usize = 300;
/// From this number on, packages with the same lock file share one line of text.
const MIN_GROUP: usize = 4;

pub(super) fn tools() -> Vec<Tool> {
    vec![
        Tool::new(
            "aidd_detect_project",
            "Detect project",
            "Returns the project's manifests, locked versions, package managers, runtimes and \
             guidance. Use before choosing a library or a command.",
            detect,
        )
        .in_profiles(&[Profile::Core]),
    ]
}

#[derive(Deserialize, JsonSchema)]
struct DetectParams {
    /// Directory to examine; default: the project root
    path: Option<String>,
    /// Whether to list every dependency
    #[serde(default)]
    dependencies: bool,
}

#[derive(Serialize, JsonSchema)]
struct Detected {
    /// Whether the project has aidd guidance.
    #[serde(rename = "detected")]
    has_guidance: bool,
    markers: Row,
    /// The manifests of the project.
    packages: Vec<Row>,
    /// The technologies that have an entry in the knowledge base.
    technologies: Vec<Row>,
    runtimes: Vec<Row>,
    monorepo: bool,
    #[serde(skip_serializing_if = "Vec::is_empty")]
    dependencies: Vec<Row>,
    #[serde(skip_serializing_if = "Vec::is_empty")]
    problems: Vec<String>,
}

fn detect(context: &Context, params: DetectParams) -> Result<Answer<Detected>, ToolError> {
    let folder = params.path.as_deref().map(|path| context.to_relative(path)).transpose()?;
    let path = folder.unwrap_or_default();
    let directory = context.root().join(&path);
    if !directory.is_dir() {
        return Err(ToolError::new("`path` is not a directory")
            .remedy("pass a path relative to the project root"));
    }
    let stack = stack_at(context, directory, &path);
    let markers = stack::find_guidance(&Disk::new(context.root()));
    let library = context.library()?;
    let technologies = technologies(&stack, &Knowledge::new(&library));
    let text = text(&stack, &markers, &technologies);
    let listed = if params.dependencies { dependencies(&stack) } else { Vec::new() };
    let mut problems = stack.problems.clone();
    if params.dependencies && stack.dependencies().count() > MAX_DEPENDENCIES {
        problems.push(format!(
            "only the first {MAX_DEPENDENCIES} dependencies are listed; pass a directory"
        ));
    }
    let data = Detected {
        has_guidance: markers.detected,
        packages: packages(&stack),
        technologies: technologies.iter().map(Row::from_value).collect(),
        runtimes: stack.pins.iter().map(Row::from_value).collect(),
        monorepo: stack.is_monorepo(),
        markers: Row::from_value(markers),
        dependencies: listed,
        problems,
    };
    Ok(Answer::new(data, text))
}

/// The stack of `directory`, whose path relative to the root is `path`. For a workspace member, the
/// package manager and lock file of the workspace root apply.
fn stack_at(context: &Context, directory: PathBuf, path: &str) -> Stack {
    let mut stack = stack::detect_with_images(&Disk::new(context.root()));
    if path.is_empty() {
        return stack;
    }
    let prefix = format!("{path}/");
    stack.manifests.retain(|manifest| manifest.path.starts_with(&prefix));
    stack.images.retain(|image| image.path.starts_with(&prefix));
    if stack.manifests.is_empty() {
        stack::detect_with_images(&Disk::new(directory))
    } else {
        stack
    }
}

/// A technology that the project uses.
#[derive(Serialize)]
struct Technology {
    name: String,
    #[serde(skip_serializing_if = "Option::is_none")]
    version: Option<String>,
    entry: String,
    #[serde(skip_serializing_if = "String::is_empty")]
    place: String,
}

fn technologies(stack: &Stack, knowledge: &Knowledge<'_>) -> Vec<Technology> {
    let mut found = Vec::new();
    for entry in knowledge.entries() {
        let Some(usage) = entry.usage_in(stack) else { continue };
        found.push(Technology {
            name: entry.name.to_owned(),
            place: usage.path,
            version: usage.version.map(|version| version.to_string()),
            entry: entry.page.name.clone(),
        });
    }
    found
}

fn packages(stack: &Stack) -> Vec<Row> {
    let row = |manifest: &stack::Manifest| {
        let mut row = Row::from_value(json!({
            "path": manifest.path,
            "ecosystem": manifest.ecosystem,
            "dependencies": manifest.dependencies.len(),
        }));
        let more = [
            ("name", &manifest.name),
            ("version", &manifest.version),
            ("manager", &manifest.manager),
            ("lock", &manifest.lock),
        ];
        for (key, value) in more {
            if let Some(value) = value {
                row.0.insert(key.to_owned(), value.clone().into());
            }
        }
        if !manifest.scripts.is_empty() {
            let names: Vec<&String> = manifest.scripts.keys().collect();
            row.0.insert("scripts".to_owned(), json!(names));
        }
        row
    };
    stack.manifests.iter().map(row).collect()
}

fn dependencies(stack: &Stack) -> Vec<Row> {
    let rows = stack.dependencies().map(|(manifest, dependency)| {
        let mut row = Row::from_value(dependency);
        row.0.insert("manifest".to_owned(), manifest.path.clone().into());
        row
    });
    rows.take(MAX_DEPENDENCIES).collect()
}

fn with_prefix(value: Option<&String>, before: &str) -> String {
    value.map_or_else(String::new, |value| format!("{before}{value}"))
}

fn write_manifest(text: &mut String, manifest: &stack::Manifest) {
    let _ = writeln!(
        text,
        "{}: {}{}{}{}, {} {}{}",
        manifest.path,
        manifest.ecosystem,
        with_prefix(manifest.name.as_ref(), " "),
        with_prefix(manifest.version.as_ref(), " "),
        with_prefix(manifest.manager.as_ref(), ", managed with "),
        manifest.dependencies.len(),
        if manifest.dependencies.len() == 1 { "dependency" } else { "dependencies" },
        with_prefix(manifest.lock.as_ref(), ", locked in "),
    );
}

/// Writes the packages of a workspace in one line, each by its directory. The name follows where
/// the directory does not give it.
fn write_group(text: &mut String, group: &[&stack::Manifest]) {
    let Some(first) = group.first() else { return };
    let member = |manifest: &&stack::Manifest| {
        let folder = match manifest.folder() {
            // A requirements file has no name but its own.
            _ if manifest.name.is_none() => &manifest.path,
            "" => ".",
            folder => folder,
        };
        let name = manifest.name.as_deref().unwrap_or(folder);
        if folder.rsplit('/').next() == Some(name) || name == folder {
            folder.to_owned()
        } else {
            format!("{folder} ({name})")
        }
    };
    let members: Vec<String> = group.iter().map(member).collect();
    let _ = writeln!(
        text,
        "{} {} packages{}{}: {}",
        group.len(),
        first.ecosystem,
        with_prefix(first.manager.as_ref(), ", managed with "),
        with_prefix(first.lock.as_ref(), ", locked in "),
        members.join(", "),
    );
}

fn text(stack: &Stack, markers: &ProjectGuidance, technologies: &[Technology]) -> String {
    let mut text = String::new();
    if stack.manifests.is_empty() {
        text.push_str("no manifest found\n");
    }
    let mut written = BTreeSet::new();
    for manifest in &stack.manifests {
        let key = |manifest: &stack::Manifest| {
            (manifest.ecosystem, manifest.manager.clone(), manifest.lock.clone())
        };
        let group: Vec<_> =
            stack.manifests.iter().filter(|other| key(other) == key(manifest)).collect();
        if group.len() < MIN_GROUP {
            write_manifest(&mut text, manifest);
        } else if written.insert(key(manifest)) {
            write_group(&mut text, &group);
        }
    }
    let list = |items: Vec<String>| items.join(", ");
    let known = technologies.iter().map(|technology| match &technology.version {
        Some(version) => format!("{} {version}", technology.name),
        None => technology.name.clone(),
    });
    let known = list(known.collect());
    if !known.is_empty() {
        let _ = writeln!(text, "in the knowledge base: {known}");
    }
    let mut runtimes: Vec<(&str, &str, Vec<&str>)> = Vec::new();
    for pin in &stack.pins {
        let is_same = |(name, version, _): &&mut (&str, &str, Vec<&str>)| {
            *name == pin.name && *version == pin.version
        };
        match runtimes.iter_mut().find(is_same) {
            Some((.., paths)) => paths.push(&pin.path),
            None => runtimes.push((&pin.name, &pin.version, vec![&pin.path])),
        }
    }
    let pins = runtimes.iter().map(|(name, version, paths)| {
        let places = match paths[..] {
            [first, _, ..] => format!("{first} and {} more", paths.len() - 1),
            _ => paths.join(", "),
        };
        format!("{name} {version} ({places})")
    });
    let pins = list(pins.collect());
    if !pins.is_empty() {
        let _ = writeln!(text, "runtimes: {pins}");
    }
    let folders = markers.folders.values().chain(&markers.instruction_files).cloned().collect();
    let _ = match (markers.detected, list(folders)) {
        // The `.aidd` directory contains a configuration or a memory, but no pages.
        (true, paths) if paths.is_empty() => {
            writeln!(text, "guidance: no project pages; the shipped pages apply")
        }
        (true, paths) => writeln!(text, "guidance: {paths}"),
        (false, _) => {
            writeln!(text, "guidance: no project pages; the shipped pages apply")
        }
    };
    for problem in &stack.problems {
        let _ = writeln!(text, "problem: {problem}");
    }
    text.trim_end().to_owned()
}
