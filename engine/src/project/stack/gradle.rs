//! Reads Gradle builds in Groovy and Kotlin without running them: quoted coordinates, plugins,
//! version catalogs and lock files. Values that a build computes are unknown.

use super::lock::Lock;
use super::pins::Pin;
use super::read::{Reader, join};
use super::{Dependency, Ecosystem, Group, Manifest};
use regex::Regex;
use serde_json::Value;
use std::collections::BTreeMap;
use std::sync::LazyLock;

static QUOTED: LazyLock<Regex> = LazyLock::new(|| {
    pattern(
        r#"(?m)^\s*(\w+)[\s(]+(?:(?:enforcedP|p)latform\()?["']([\w.-]+:[\w.-]+)(?::([^"'@:\s]+))?[^"'\n]*["']"#,
    )
});
static PLUGIN: LazyLock<Regex> = LazyLock::new(|| {
    pattern(r#"(?m)^\s*(id|kotlin)[\s(]+["']([\w.-]+)["']\)?\s+version\s*\(?["']([\w.+-]+)["']"#)
});
static CATALOG_REFERENCE: LazyLock<Regex> =
    LazyLock::new(|| pattern(r"(?m)^\s*(\w+)[\s(]+(?:(?:enforcedP|p)latform\()?libs\.([\w.]+)"));
static VARIABLE: LazyLock<Regex> = LazyLock::new(|| {
    pattern(
        r#"(?m)^\s*(?:const\s+)?(?:val|def|ext\.|extra\[")?\s*(\w+)(?:"\])?\s*=\s*["']([\w.+-]+)["']\s*$"#,
    )
});
static JAVA: LazyLock<Regex> = LazyLock::new(|| {
    pattern(
        r#"(?:JavaLanguageVersion\.of\(|jvmToolchain\(|sourceCompatibility\s*=\s*(?:JavaVersion\.VERSION_)?["']?)(?:1[._])?(\d+)"#,
    )
});
static INCLUDE: LazyLock<Regex> = LazyLock::new(|| pattern(r"(?m)^\s*include\b"));
static NAME: LazyLock<Regex> = LazyLock::new(|| pattern(r#"["']:?([\w:./-]+)["']"#));
static PROJECT_DIR: LazyLock<Regex> = LazyLock::new(|| {
    pattern(
        r#"project\(\s*["']:?([\w:./-]+)["']\s*\)\.projectDir\s*=\s*(?:new\s+)?[fF]ile\((?:settingsDir,\s*|rootDir,\s*)?["']([^"'$]+)["']"#,
    )
});

fn pattern(text: &str) -> Regex {
    Regex::new(text).expect("a constant pattern")
}

/// The pattern of quoted coordinates: the configuration, the name, and the version if there is one.
pub(in super::super) fn quoted_coordinates() -> &'static Regex {
    &QUOTED
}

/// The group of a configuration; `None` if it is unknown.
pub(in super::super) fn group_of(configuration: &str) -> Option<Group> {
    match configuration {
        "implementation" | "api" | "runtimeOnly" | "compile" | "classpath" => Some(Group::Normal),
        "compileOnly" => Some(Group::Peer),
        "annotationProcessor" | "kapt" | "ksp" => Some(Group::Build),
        "alias" => Some(Group::Build),
        word if word.starts_with("test") || word.starts_with("androidTest") => Some(Group::Dev),
        _ => None,
    }
}

/// The first of two files that exists, with its text.
fn read_first(folder: &str, names: [&str; 2], reader: &mut Reader<'_>) -> Option<(String, String)> {
    names.into_iter().find_map(|name| {
        let path = join(folder, name);
        reader.text(&path).map(|text| (path, text))
    })
}

pub(super) fn manifests(folder: &str, reader: &mut Reader<'_>) -> Vec<Manifest> {
    let settings = read_first(folder, ["settings.gradle.kts", "settings.gradle"], reader);
    let build = read_first(folder, ["build.gradle.kts", "build.gradle"], reader);
    let settings_path = settings.as_ref().map(|(path, _)| (path.clone(), String::new()));
    let Some((path, text)) = build.or(settings_path) else { return Vec::new() };
    let mut manifest = Manifest::new(path, Ecosystem::Maven);
    manifest.manager = Some("gradle".to_owned());
    let mut variables = properties(&join(folder, "gradle.properties"), reader);
    let set = VARIABLE.captures_iter(&text);
    variables.extend(set.map(|found| (found[1].to_owned(), found[2].to_owned())));
    add_dependencies(&text, &variables, &mut manifest);
    if let Some(found) = JAVA.captures(&text) {
        let (name, version) = ("java".to_owned(), found[1].to_owned());
        manifest.pins.push(Pin { name, version, path: manifest.path.clone() });
    }
    if let Some(catalog) = reader.toml(&join(folder, "gradle/libs.versions.toml")) {
        manifest.dependencies.extend(catalog_libraries(&catalog, &mut manifest.shared));
    }
    manifest.members = included_dirs(settings.as_ref().map_or("", |(_, text)| text));
    vec![manifest]
}

/// Parses lines `name=value`.
fn properties(path: &str, reader: &mut Reader<'_>) -> BTreeMap<String, String> {
    let text = reader.text(path).unwrap_or_default();
    let lines = text.lines().filter_map(|line| line.split_once('='));
    lines.map(|(name, value)| (name.trim().to_owned(), value.trim().to_owned())).collect()
}

fn add_dependencies(text: &str, variables: &BTreeMap<String, String>, manifest: &mut Manifest) {
    let found = &mut manifest.dependencies;
    for captures in QUOTED.captures_iter(text) {
        let Some(group) = group_of(&captures[1]) else { continue };
        let version = captures.get(3).map(|part| part.as_str());
        let version = version.and_then(|version| match version.strip_prefix('$') {
            Some(name) => variables.get(name.trim_matches(['{', '}'])).map(String::as_str),
            None => Some(version),
        });
        found.push(Dependency::new(&captures[2], version, group));
    }
    for captures in PLUGIN.captures_iter(text) {
        let prefix = if &captures[1] == "kotlin" { "org.jetbrains.kotlin." } else { "" };
        found.push(Dependency::new(
            format!("{prefix}{}", &captures[2]),
            Some(&captures[3]),
            Group::Build,
        ));
    }
    for captures in CATALOG_REFERENCE.captures_iter(text) {
        // The name of the package is resolved with the catalog of a parent directory.
        if let Some(group) = group_of(&captures[1]) {
            let inherits = Some(captures[2].replace('.', "-"));
            let name = format!("libs.{}", &captures[2]);
            found.push(Dependency { inherits, ..Dependency::new(name, None, group) });
        }
    }
}

/// The directories of the projects included in the settings, on one or several lines.
fn included_dirs(settings: &str) -> Vec<String> {
    let moved: BTreeMap<String, String> = PROJECT_DIR
        .captures_iter(settings)
        .map(|found| (found[1].replace(':', "/"), found[2].to_owned()))
        .collect();
    let mut members = Vec::new();
    for found in INCLUDE.find_iter(settings) {
        let rest = &settings[found.end()..];
        let arguments = match rest.trim_start().strip_prefix('(') {
            Some(within) => within.split(')').next().unwrap_or_default().to_owned(),
            // In Groovy, a list continues on the next line after a comma.
            None => {
                let mut arguments = String::new();
                for line in rest.lines() {
                    arguments.push_str(line);
                    if !line.trim_end().ends_with(',') {
                        break;
                    }
                }
                arguments
            }
        };
        for name in NAME.captures_iter(&arguments) {
            let folder = name[1].replace(':', "/");
            members.push(moved.get(&folder).cloned().unwrap_or(folder));
        }
    }
    members
}

/// The version in a row of a catalog, either literal or by reference.
fn version_of<'v>(row: &'v Value, catalog: &'v Value) -> Option<&'v str> {
    row["version"].as_str().or_else(|| {
        let reference = row["version"]["ref"].as_str()?;
        catalog["versions"][reference].as_str()
    })
}

/// The libraries of a version catalog. Also adds the versions of libraries and plugins to `shared`;
/// the keys are their names in the catalog.
fn catalog_libraries(value: &Value, shared: &mut BTreeMap<String, String>) -> Vec<Dependency> {
    let mut found = Vec::new();
    let mut share = |key: &str, name: &str, version: Option<&str>| {
        let key = key.replace(['_', '.'], "-");
        shared.insert(format!("={key}"), name.to_owned());
        if let Some(version) = version {
            shared.insert(key, version.to_owned());
        }
    };
    for (key, library) in value["libraries"].as_object().into_iter().flatten() {
        let line = library.as_str().unwrap_or_default();
        let mut parts = line.rsplitn(2, ':');
        let (last, first) = (parts.next(), parts.next());
        let module = library["module"].as_str().map(str::to_owned).or_else(|| {
            let group = library["group"].as_str()?;
            Some(format!("{group}:{}", library["name"].as_str()?))
        });
        let version = version_of(library, value).or(last.filter(|_| first.is_some()));
        if let Some(name) = module.or_else(|| first.map(str::to_owned)) {
            share(key, &name, version);
            found.push(Dependency::new(name, version, Group::Normal));
        }
    }
    for (key, plugin) in value["plugins"].as_object().into_iter().flatten() {
        let line = plugin.as_str().and_then(|line| line.split_once(':'));
        let id = plugin["id"].as_str().or(line.map(|(id, _)| id));
        if let Some(id) = id {
            let version = version_of(plugin, value).or(line.map(|(_, version)| version));
            share(&format!("plugins-{key}"), id, version);
        }
    }
    found
}

pub(super) fn locks(folder: &str, reader: &mut Reader<'_>) -> Vec<Lock> {
    Lock::read(join(folder, "gradle.lockfile"), "gradle", reader).into_iter().collect()
}
