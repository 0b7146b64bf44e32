//! Finds the pinned versions of runtimes and compilers.

use super::read::{Reader, join};
use serde::Serialize;

/// The version of a runtime that a file requires.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct Pin {
    /// The name: `node`, `python`, `rust`.
    pub name: String,
    /// The version, as written.
    pub version: String,
    /// The path of the file.
    pub path: String,
}

/// Files that contain only a version.
const VERSION_FILES: [(&str, &str); 6] = [
    (".nvmrc", "node"),
    (".node-version", "node"),
    (".python-version", "python"),
    (".ruby-version", "ruby"),
    (".java-version", "java"),
    ("rust-toolchain", "rust"),
];

/// The versions pinned by the files of a directory.
pub(super) fn files(folder: &str, reader: &mut Reader<'_>) -> Vec<Pin> {
    let mut found = Vec::new();
    let mut add = |name: &str, version: &str, path: &str| {
        let version = version.trim();
        if !version.is_empty() {
            let (name, version) = (runtime_name(name).to_owned(), version.to_owned());
            found.push(Pin { name, version, path: path.to_owned() });
        }
    };
    for (file, name) in VERSION_FILES {
        let path = join(folder, file);
        if let Some(text) = reader.text(&path) {
            // The old toolchain format is a single line; the newer format is TOML.
            if !text.contains('[') {
                add(name, text.lines().next().unwrap_or_default(), &path);
            }
        }
    }
    let path = join(folder, "rust-toolchain.toml");
    if let Some(value) = reader.toml(&path) {
        add("rust", value["toolchain"]["channel"].as_str().unwrap_or_default(), &path);
    }
    let path = join(folder, ".tool-versions");
    if let Some(text) = reader.text(&path) {
        for line in text.lines().filter(|line| !line.trim_start().starts_with('#')) {
            let mut words = line.split_whitespace();
            if let (Some(name), Some(version)) = (words.next(), words.next()) {
                add(name, version, &path);
            }
        }
    }
    for file in ["mise.toml", ".mise.toml"] {
        let path = join(folder, file);
        if let Some(value) = reader.toml(&path) {
            for (name, version) in value["tools"].as_object().into_iter().flatten() {
                let version = version.as_str().or(version["version"].as_str());
                add(name, version.unwrap_or_default(), &path);
            }
        }
    }
    let path = join(folder, "global.json");
    if let Some(value) = reader.json(&path) {
        add("dotnet", value["sdk"]["version"].as_str().unwrap_or_default(), &path);
    }
    found
}

fn runtime_name(name: &str) -> &str {
    match name {
        "nodejs" => "node",
        "golang" => "go",
        other => other,
    }
}
