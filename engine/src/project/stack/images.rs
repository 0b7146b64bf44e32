//! Container images that a project runs: the images of Compose files, of CI workflows and their
//! services, and of Dockerfiles.

use super::read::{Reader, join};
use super::version::Version;
use crate::parse::dockerfile::{self, image};
use crate::text::files::{Disk, names_in};
use serde::Serialize;
use serde_json::Value;
use std::collections::{BTreeSet, HashMap};

/// Maximum number of files that are read.
const MAX_FILES: usize = 200;

/// Registries and namespaces that mirror the official images of Docker Hub.
const MIRRORS: [&str; 4] =
    ["docker.io/", "index.docker.io/", "public.ecr.aws/docker/", "mirror.gcr.io/"];

/// A container image that a file of the project names.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct ImageUse {
    /// The name as on Docker Hub, or with its registry: `postgres`, `valkey/valkey`, `ghcr.io/a/b`.
    pub name: String,
    /// The tag, with the defaults of variables.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub tag: Option<String>,
    /// The path of the file.
    pub path: String,
}

impl ImageUse {
    /// The version in the tag.
    #[must_use]
    pub fn version(&self) -> Option<Version> {
        let tag = self.tag.as_deref()?;
        // A hash, or a word such as `latest`, is not a version.
        let number = tag.trim_start_matches('v');
        let is_version = number.starts_with(|c: char| c.is_ascii_digit())
            && number.split(['.', '-']).next().is_some_and(|major| major.parse::<u16>().is_ok());
        is_version.then(|| Version::read(number.split('-').next().unwrap_or(number))).flatten()
    }
}

/// How a file names images.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Form {
    Compose,
    Pipeline,
    Dockerfile,
}

fn form(folder: &str, name: &str) -> Option<Form> {
    let is_yaml = name.ends_with(".yml") || name.ends_with(".yaml");
    if folder == WORKFLOWS || name == ".gitlab-ci.yml" {
        return is_yaml.then_some(Form::Pipeline);
    }
    if is_yaml && (name.starts_with("compose") || name.starts_with("docker-compose")) {
        return Some(Form::Compose);
    }
    let is_dockerfile = ["Dockerfile", "Containerfile"]
        .iter()
        .any(|word| name == *word || name.starts_with(&format!("{word}.")))
        || name.ends_with(".Dockerfile");
    is_dockerfile.then_some(Form::Dockerfile)
}

/// The directory of GitHub's workflows.
const WORKFLOWS: &str = ".github/workflows";

/// The images that the files of `folders` name, each image of a file once.
pub(super) fn images(disk: &Disk, folders: &BTreeSet<String>) -> Vec<ImageUse> {
    // What cannot be read is reported by the checks of these files, not here.
    let mut reader = Reader::new(disk);
    let mut found: Vec<ImageUse> = Vec::new();
    let mut files = 0;
    let more = [WORKFLOWS.to_owned(), ".devcontainer".to_owned()];
    for folder in folders.iter().chain(&more) {
        for name in names_in(disk, folder) {
            let Some(form) = form(folder, &name) else { continue };
            files += 1;
            if files > MAX_FILES {
                return found;
            }
            let path = join(folder, &name);
            let images = match form {
                Form::Dockerfile => reader.text(&path).map(|text| base_images(&text)),
                _ => reader.yaml(&path).map(|data| named_images(&data, form)),
            };
            let mut in_file = BTreeSet::new();
            for image in images.into_iter().flatten().filter_map(|text| image_use(&text, &path)) {
                if in_file.insert((image.name.clone(), image.tag.clone())) {
                    found.push(image);
                }
            }
        }
    }
    found
}

/// The images of the stages of a Dockerfile.
fn base_images(text: &str) -> Vec<String> {
    let file = dockerfile::parse(text);
    let globals = file.globals();
    let values: HashMap<&str, &str> =
        globals.iter().filter_map(|(name, variable)| Some((*name, variable.value?))).collect();
    let stages = file.stages.iter().filter(|stage| stage.base.is_none());
    let images = stages.filter_map(|stage| stage.image.as_ref());
    images.map(|image| with_defaults(&image.text, &values)).collect()
}

/// The values of `image`, `container` and the items of `services` in a file of Compose or CI.
fn named_images(data: &Value, form: Form) -> Vec<String> {
    let mut found = Vec::new();
    let mut open = vec![data];
    while let Some(value) = open.pop() {
        match value {
            Value::Array(items) => open.extend(items),
            Value::Object(fields) => {
                for (key, field) in fields {
                    let image = match (&**key, form) {
                        ("image", _) | ("container", Form::Pipeline) => {
                            field.as_str().or_else(|| field["name"].as_str())
                        }
                        _ => None,
                    };
                    found.extend(image.map(str::to_owned));
                    // GitLab: `services: [postgres:15, {name: redis:7}]`.
                    if let ("services", Form::Pipeline, Value::Array(items)) = (&**key, form, field)
                    {
                        let name = |item: &Value| {
                            item.as_str().or_else(|| item["name"].as_str()).map(str::to_owned)
                        };
                        found.extend(items.iter().filter_map(name));
                    }
                    open.push(field);
                }
            }
            _ => {}
        }
    }
    let defaults = HashMap::new();
    found.iter().map(|text| with_defaults(text, &defaults)).collect()
}

/// Replaces `${NAME:-default}` with the default, and `$NAME` with its value. A variable without a
/// value remains.
fn with_defaults(text: &str, values: &HashMap<&str, &str>) -> String {
    let mut out = String::new();
    let mut rest = text;
    while let Some(at) = rest.find('$') {
        out.push_str(&rest[..at]);
        let after = &rest[at + 1..];
        let (name, default, end) = match after.strip_prefix('{') {
            Some(inner) => {
                let Some(close) = inner.find('}') else { break };
                let body = &inner[..close];
                let end = body.find([':', '-', '?', '+']).unwrap_or(body.len());
                let operator = &body[end..];
                let default = operator.strip_prefix(":-").or_else(|| operator.strip_prefix('-'));
                (&body[..end], default, close + 2)
            }
            None => {
                let is_end = |c: char| !c.is_alphanumeric() && c != '_';
                let end = after.find(is_end).unwrap_or(after.len());
                (&after[..end], None, end)
            }
        };
        match values.get(name).copied().or(default) {
            Some(value) => out.push_str(value),
            None => out.push_str(&rest[at..=at + end]),
        }
        rest = &after[end..];
    }
    out + rest
}

fn image_use(text: &str, path: &str) -> Option<ImageUse> {
    let text = text.trim().trim_start_matches("docker://");
    let text = MIRRORS.iter().find_map(|mirror| text.strip_prefix(mirror)).unwrap_or(text);
    let image = image::parse(text.strip_prefix("library/").unwrap_or(text));
    let name = match image.registry {
        Some(registry) => format!("{registry}/{}", image.name),
        None => image.name.to_owned(),
    };
    let is_known = !name.is_empty() && name != "scratch" && !name.contains(['$', '{', ' ']);
    let tag = image.tag.filter(|tag| !tag.contains('$')).map(str::to_owned);
    is_known.then(|| ImageUse { name, tag, path: path.to_owned() })
}

#[cfg(test)]
#[expect(clippy::disallowed_methods, reason = "writes the files of the tests")]
mod tests {
    use super::*;

    fn images_of(files: &[(&str, &str)]) -> Vec<String> {
        let folder = tempfile::tempdir().expect("a directory");
        for (path, text) in files {
            let path = folder.path().join(path);
            std::fs::create_dir_all(path.parent().expect("a parent")).expect("created");
            std::fs::write(path, text).expect("written");
        }
        let stack = super::super::detect_with_images(&Disk::new(folder.path()));
        let display = |image: ImageUse| {
            let version = image.version().map(|version| format!(" {version}"));
            format!("{}: {}{}", image.path, image.name, version.unwrap_or_default())
        };
        stack.images.into_iter().map(display).collect()
    }

    #[test]
    fn images_of_compose_files_workflows_and_dockerfiles_are_read() {
        let compose = "services:\n  db:\n    image: postgres:15.7-alpine\n  cache:\n    image: \
            ${CACHE_IMAGE:-docker.io/valkey/valkey:7.2.11}\n  api:\n    image: ${API_IMAGE}\n";
        let workflow = "jobs:\n  test:\n    container: node:22\n    services:\n      mq:\n        \
            image: rabbitmq:3.13-management\n    steps:\n      - run: echo image\n";
        let gitlab =
            "test:\n  image: python:3.12\n  services:\n    - redis:7\n    - name: mongo:6\n";
        let dockerfile = "ARG PG=16\nFROM postgres:${PG} AS base\nFROM base\nFROM scratch\n";
        let mut images = images_of(&[
            ("docker-compose.yml", compose),
            (".github/workflows/ci.yml", workflow),
            (".gitlab-ci.yml", gitlab),
            ("deploy/Dockerfile.db", dockerfile),
            ("broken/compose.yaml", "services: ["),
        ]);
        images.sort();
        assert_eq!(
            images,
            [
                ".github/workflows/ci.yml: node 22",
                ".github/workflows/ci.yml: rabbitmq 3.13",
                ".gitlab-ci.yml: mongo 6",
                ".gitlab-ci.yml: python 3.12",
                ".gitlab-ci.yml: redis 7",
                "deploy/Dockerfile.db: postgres 16",
                "docker-compose.yml: postgres 15.7",
                "docker-compose.yml: valkey/valkey 7.2.11",
            ]
        );
    }
}
