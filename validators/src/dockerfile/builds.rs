//! Finds the builds of a Dockerfile in other files of the project: compose files, bake files,
//! workflows and other CI files, makefiles and scripts. A build names the build context and further
//! named contexts.

use aidd_engine::parse::tree::Tree;
use aidd_engine::parse::yaml;
use aidd_engine::text::files::Files;
use aidd_engine::text::listing::Listing;
use regex::Regex;
use std::collections::{BTreeMap, BTreeSet};
use std::sync::LazyLock;

/// Maximum number of files that are read for a Dockerfile.
const MAX_FILES: usize = 96;

/// Maximum number of bytes read of each file.
const MAX_LEN: u64 = 128 << 10;

/// Directories, relative to the root, with files that build images.
const BUILD_DIRS: [&str; 12] = [
    ".github/workflows",
    ".circleci",
    ".gitlab",
    ".devcontainer",
    "build",
    "ci",
    "deploy",
    "deploy/docker",
    "docker",
    "hack",
    "infra",
    "scripts",
];

/// The path of a Dockerfile, and the files that can define builds of it.
pub(super) struct BuildFiles<'a> {
    dockerfile: &'a str,
    /// Path and text of each file.
    files: Vec<(String, String)>,
}

/// The known build contexts of a Dockerfile.
#[derive(Debug, PartialEq, Eq)]
pub(super) enum BuildContext {
    /// The directories relative to the root; the root is the empty path.
    Known(BTreeSet<String>),
    /// A build refers to the Dockerfile in a way that cannot be resolved.
    Unknown,
    /// No build refers to the Dockerfile.
    Unmentioned,
}

impl<'a> BuildFiles<'a> {
    /// Reads the files in the directory of `dockerfile` and its parents up to the root, and in
    /// [`BUILD_DIRS`], and all bake files.
    pub(super) fn read(files: &dyn Files, dockerfile: &'a str) -> Self {
        let mut directories = BTreeSet::from(BUILD_DIRS);
        let mut directory = dockerfile;
        while let Some((parent, _)) = directory.rsplit_once('/') {
            directories.insert(parent);
            directory = parent;
        }
        directories.insert("");
        let paths = directories.into_iter().flat_map(|directory| {
            let mut names = files.names(directory);
            names.sort_unstable();
            names.into_iter().map(move |name| join(directory, &name).unwrap_or_default())
        });
        let text = |path: String| {
            let bytes = files.read(&path, MAX_LEN).ok()?;
            Some((path, String::from_utf8_lossy(&bytes).into_owned()))
        };
        // The files of `docker buildx bake` can be in any directory, and define named contexts.
        let listed = files.listing().into_iter().flat_map(Listing::files);
        let is_bake_file = |path: &&String| {
            let name = path.rsplit('/').next().unwrap_or(path);
            path.ends_with(".hcl")
                && ["bake", "build", "docker"].iter().any(|part| name.contains(part))
        };
        let bake_files = listed.filter(is_bake_file).cloned();
        let paths = paths.filter(|path| is_build_file(path)).chain(bake_files).take(MAX_FILES);
        Self { dockerfile, files: paths.filter_map(text).collect() }
    }

    /// Whether a build passes a named context with this name, for `COPY --from` and `FROM`.
    pub(super) fn names_context(&self, name: &str) -> bool {
        const KEYS: [&str; 4] =
            ["build-context", "build_context", "additional_contexts", "contexts"];
        let is_named = |text: &str| {
            let is_definition = |at: usize| {
                let before = text[..at].chars().next_back();
                let after = text[at + name.len()..].trim_start_matches(['"', '\'', ' ']);
                before.is_none_or(|c| c.is_whitespace() || "\"'=,{-".contains(c))
                    && after.starts_with(['=', ':'])
            };
            text.match_indices(name).any(|(at, _)| is_definition(at))
        };
        let has_key = |text: &str| KEYS.iter().any(|key| text.contains(key));
        !name.is_empty() && self.files.iter().any(|(_, text)| has_key(text) && is_named(text))
    }

    /// Whether the project builds the image `name` itself: a command or a workflow tags or pushes it,
    /// or a workflow passes both parts of its name.
    pub(super) fn publish(&self, name: &str) -> bool {
        const MARKS: [&str; 5] = ["t", "images", "push", "tag", "tags"];
        let is_part = |c: char| c.is_alphanumeric() || "-_.".contains(c);
        let is_named = |line: &str| {
            line.match_indices(name).any(|(at, _)| {
                !line[..at].ends_with(is_part) && !line[at + name.len()..].starts_with(is_part)
            })
        };
        let is_tagged = |line: &str| {
            line.split(|c: char| !c.is_alphanumeric()).any(|word| MARKS.contains(&word))
                && is_named(line)
        };
        let has_value = |text: &str, value: &str| {
            let values = text.lines().filter_map(|line| line.split_once(':'));
            values.into_iter().any(|(_, it)| it.trim().trim_matches(['"', '\'']) == value)
        };
        let parts = name.rsplit_once('/');
        self.files.iter().any(|(path, text)| {
            text.lines().any(is_tagged)
                || path.starts_with(".github/workflows/")
                    && text.contains("docker")
                    && parts.is_some_and(|(owner, last)| {
                        has_value(text, owner) && has_value(text, last)
                    })
        })
    }

    /// The build contexts of the Dockerfile.
    pub(super) fn context(&self) -> BuildContext {
        let mut collector = ContextCollector {
            dockerfile: self.dockerfile,
            contexts: BTreeSet::new(),
            is_unknown: false,
        };
        for (path, text) in &self.files {
            collector.add_file(path, text);
        }
        match collector {
            ContextCollector { is_unknown: true, .. } => BuildContext::Unknown,
            ContextCollector { contexts, .. } if contexts.is_empty() => BuildContext::Unmentioned,
            ContextCollector { contexts, .. } => BuildContext::Known(contexts),
        }
    }
}

/// Whether the file at `path` configures builds without being a script, so that a change of
/// the file affects findings in Dockerfiles.
pub(super) fn is_build_settings(path: &str) -> bool {
    is_build_file(path) && !path.ends_with(".sh") && !path.ends_with("package.json")
}

fn is_build_file(path: &str) -> bool {
    const NAMES: [&str; 14] = [
        "makefile",
        "gnumakefile",
        "justfile",
        "jenkinsfile",
        "package.json",
        "devcontainer.json",
        "cloudbuild.yaml",
        "cloudbuild.yml",
        "taskfile.yml",
        "taskfile.yaml",
        "skaffold.yaml",
        ".travis.yml",
        ".drone.yml",
        "mise.toml",
    ];
    const PREFIXES: [&str; 5] =
        [".gitlab-ci", ".goreleaser", "azure-pipelines", "bitbucket-pipelines", "buildspec"];
    let (directory, name) = path.rsplit_once('/').unwrap_or(("", path));
    let name = name.to_ascii_lowercase();
    let is_yaml = name.ends_with(".yml") || name.ends_with(".yaml");
    let is_ci = matches!(directory, ".github/workflows" | ".circleci" | ".gitlab");
    NAMES.contains(&&*name)
        || is_yaml && (is_ci || name.contains("compose") || name.contains("bake"))
        || is_yaml && PREFIXES.iter().any(|prefix| name.starts_with(prefix))
        || name.contains("bake") && name.ends_with(".json")
        || name.ends_with(".hcl")
            && ["bake", "build", "docker"].iter().any(|part| name.contains(part))
        || name.ends_with(".sh")
        || name.ends_with(".mk")
}

/// Collects the build contexts of one Dockerfile.
struct ContextCollector<'a> {
    dockerfile: &'a str,
    contexts: BTreeSet<String>,
    is_unknown: bool,
}

impl ContextCollector<'_> {
    fn add_file(&mut self, path: &str, text: &str) {
        let name = path.rsplit('/').next().unwrap_or(path).to_ascii_lowercase();
        let directory = path.rsplit_once('/').map_or("", |(directory, _)| directory);
        // goreleaser builds in a temporary directory.
        if name.starts_with(".goreleaser") {
            self.is_unknown |= text.contains("docker");
            return;
        }
        let is_workflow = directory.starts_with(".github");
        let base = if is_workflow { "" } else { directory };
        if name.ends_with(".yml") || name.ends_with(".yaml") || name.ends_with(".json") {
            self.add_tree(&yaml::parse(text), base);
        } else if name.ends_with(".hcl") {
            self.add_bake_file(text, base);
        }
        // Scripts can run in their directory or at the root.
        let bases = if base.is_empty() { vec![""] } else { vec![base, ""] };
        for line in commands(text) {
            self.add_command(&line, &bases);
        }
    }

    /// Adds the context of a build in directory `base`; the path of the Dockerfile is relative to
    /// `base` or the context.
    fn add_build(&mut self, context: Option<&str>, dockerfile: Option<&str>, base: &str) {
        let context = context.unwrap_or(".");
        if ["://", "git@", "target:", "docker-image:"].iter().any(|prefix| context.contains(prefix))
        {
            return;
        }
        let own_name = self.dockerfile.rsplit('/').next().unwrap_or(self.dockerfile);
        if dockerfile.is_some_and(is_variable) {
            self.is_unknown = true;
            return;
        }
        if is_variable(context) {
            // The build can use this Dockerfile if the file names are equal.
            let named = dockerfile.unwrap_or("Dockerfile").rsplit('/').next();
            self.is_unknown |= named == Some(own_name);
            return;
        }
        let Some(context) = join(base, context) else { return };
        let dockerfile = dockerfile.unwrap_or("Dockerfile");
        let paths = [join(&context, dockerfile), join(base, dockerfile)];
        if paths.iter().flatten().any(|path| path == self.dockerfile) {
            self.contexts.insert(context);
        }
    }

    /// Adds the contexts of builds that are mappings with a context and a Dockerfile.
    fn add_tree(&mut self, tree: &Tree, base: &str) {
        for node in &tree.nodes {
            if node.key == "build"
                && let Some(context) = &node.value
            {
                self.add_build(Some(context), None, base);
            }
            let mut context = None;
            let mut dockerfile = None;
            for child in node.children.iter().take(64).filter_map(|&at| tree.nodes.get(at)) {
                let key = child.key.to_ascii_lowercase();
                let value = child.value.as_deref();
                if key.ends_with("context") {
                    context = value.or(context);
                } else if key.contains("dockerfile") && !key.contains("inline")
                    || key == "file" && value.is_some_and(is_dockerfile_name)
                {
                    dockerfile = value.or(dockerfile);
                }
            }
            let is_build = node.key == "build" || node.key == "with" || context.is_some();
            if is_build && (context.is_some() || dockerfile.is_some()) {
                self.add_build(context, dockerfile, base);
            }
        }
    }

    /// Adds the contexts of the targets of a bake file in HCL.
    fn add_bake_file(&mut self, text: &str, base: &str) {
        static SETTING: LazyLock<Regex> = LazyLock::new(|| {
            Regex::new(r#"^\s*"?(context|dockerfile)"?\s*=\s*(.+?)\s*$"#).expect("a fixed pattern")
        });
        let mut target: Option<BTreeMap<&str, &str>> = None;
        for line in text.lines().chain(["target"]) {
            if line.trim_start().starts_with("target") {
                let finished_target = target.replace(BTreeMap::new()).unwrap_or_default();
                if !finished_target.is_empty() {
                    self.add_build(
                        finished_target.get("context").copied(),
                        finished_target.get("dockerfile").copied(),
                        base,
                    );
                }
            } else if let (Some(target), Some(found)) = (&mut target, SETTING.captures(line)) {
                let value = found.get(2).map_or("", |value| value.as_str());
                let quoted = value.strip_prefix('"').and_then(|rest| rest.strip_suffix('"'));
                // The value of an expression is unknown, like the value of a variable.
                target.insert(found.get(1).map_or("", |key| key.as_str()), quoted.unwrap_or("$"));
            }
        }
    }

    /// Adds the context of a `docker build` command with the arguments `line`.
    fn add_command(&mut self, line: &str, bases: &[&str]) {
        let mut dockerfile = None;
        let mut context = None;
        let mut words = line.split_whitespace().map(|word| word.trim_matches(['"', '\'', '`']));
        while let Some(word) = words.next() {
            if let Some(value) = word.strip_prefix("--file=").or_else(|| word.strip_prefix("-f=")) {
                dockerfile = Some(value);
            } else if matches!(word, "-f" | "--file") {
                dockerfile = words.next();
            } else if word.starts_with('-') && word != "-" {
                if !word.contains('=') && !is_switch(word) {
                    words.next();
                }
            } else if !word.is_empty() && word != "\\" {
                context = Some(word);
            }
        }
        let Some(context) = context.filter(|context| *context != "-") else { return };
        for base in bases {
            self.add_build(Some(context), dockerfile, base);
        }
    }
}

/// Whether an option of `docker build` has no value.
fn is_switch(option: &str) -> bool {
    const SWITCHES: [&str; 14] = [
        "--pull",
        "--push",
        "--load",
        "--no-cache",
        "--quiet",
        "--rm",
        "--force-rm",
        "--squash",
        "--compress",
        "--check",
        "--debug",
        "--stream",
        "--layers",
        "--disable-content-trust",
    ];
    SWITCHES.contains(&option) || option == "-q" || option == "-D"
}

/// The arguments of the build commands in a text: up to the end of the command, with its
/// continuation lines.
fn commands(text: &str) -> Vec<String> {
    static BUILD: LazyLock<Regex> = LazyLock::new(|| {
        Regex::new(
            r"\b(?:docker|podman|nerdctl|buildah)\s+(?:image\s+|buildx\s+|builder\s+)?(?:build|bud)\s",
        )
        .expect("a fixed pattern")
    });
    let mut found = Vec::new();
    for start in BUILD.find_iter(text) {
        let mut command = String::new();
        for line in text[start.end()..].lines().take(64) {
            let (line, continued) = match line.trim_end().strip_suffix('\\') {
                Some(line) => (line, true),
                None => (line, false),
            };
            let end = line.find([';', '|', '&', '#', '>']).unwrap_or(line.len());
            command.push_str(&line[..end]);
            command.push(' ');
            if !continued || end < line.len() {
                break;
            }
        }
        found.push(command);
    }
    found
}

fn is_variable(text: &str) -> bool {
    text.contains(['$', '<', '*']) || text.contains("{{")
}

fn is_dockerfile_name(value: &str) -> bool {
    let lower = value.to_ascii_lowercase();
    lower.contains("dockerfile") || lower.contains("containerfile") || lower.contains('$')
}

/// `path` relative to the directory `base`, without `.` and `..`; `None` if it is outside the root.
fn join(base: &str, path: &str) -> Option<String> {
    if path.starts_with(['/', '~']) {
        return None;
    }
    let mut segments: Vec<&str> = Vec::new();
    for segment in base.split('/').chain(path.split('/')) {
        match segment {
            "" | "." => {}
            ".." => {
                segments.pop()?;
            }
            _ => segments.push(segment),
        }
    }
    Some(segments.join("/"))
}

#[cfg(test)]
mod tests {
    use super::*;
    use aidd_engine::text::files::Memory;

    fn files(list: &[(&str, &str)]) -> Memory {
        let pair = |&(path, text): &(&str, &str)| (path.to_owned(), text.as_bytes().to_vec());
        Memory(list.iter().map(pair).collect())
    }

    fn context(dockerfile: &str, list: &[(&str, &str)]) -> BuildContext {
        BuildFiles::read(&files(list), dockerfile).context()
    }

    fn known_contexts(contexts: &[&str]) -> BuildContext {
        BuildContext::Known(contexts.iter().map(|it| (*it).to_owned()).collect())
    }

    #[test]
    fn compose_files_specify_the_build_context() {
        let text = "services:\n  a:\n    build: ./a\n  b:\n    build:\n      context: .\n      dockerfile: b/Dockerfile\n";
        let list = [("compose.yaml", text)];
        assert_eq!(context("a/Dockerfile", &list), known_contexts(&["a"]));
        assert_eq!(context("b/Dockerfile", &list), known_contexts(&[""]));
        assert_eq!(context("c/Dockerfile", &list), BuildContext::Unmentioned);
        let variable = "services:\n  a:\n    build:\n      context: ${DIR}\n";
        let list = [("compose.yaml", text), ("docker-compose.dev.yml", variable)];
        assert_eq!(context("a/Dockerfile", &list), BuildContext::Unknown);
        let nested =
            "services:\n  a:\n    build:\n      context: ../..\n      dockerfile: x/y/Dockerfile\n";
        assert_eq!(
            context("x/y/Dockerfile", &[("x/y/docker-compose.yml", nested)]),
            known_contexts(&[""])
        );
    }

    #[test]
    fn workflows_and_bake_files_specify_the_build_context() {
        let step = "jobs:\n  a:\n    steps:\n      - uses: docker/build-push-action@v6\n        with:\n          context: ./svc\n          file: ./svc/Dockerfile.prod\n";
        let list = [(".github/workflows/x.yml", step)];
        assert_eq!(context("svc/Dockerfile.prod", &list), known_contexts(&["svc"]));
        assert_eq!(context("svc/Dockerfile", &list), BuildContext::Unmentioned);
        let matrix = "jobs:\n  a:\n    steps:\n      - with:\n          context: .\n          file: ${{ matrix.file }}\n";
        let list = [(".github/workflows/x.yml", matrix)];
        assert_eq!(context("svc/Dockerfile", &list), BuildContext::Unknown);
        let bake = "target \"a\" {\n  context = \"svc\"\n}\ntarget \"b\" {\n  dockerfile = \"b/Dockerfile\"\n}\n";
        let list = [("docker-bake.hcl", bake)];
        assert_eq!(context("svc/Dockerfile", &list), known_contexts(&["svc"]));
        assert_eq!(context("b/Dockerfile", &list), known_contexts(&[""]));
    }

    #[test]
    fn commands_specify_the_build_context() {
        let list = [(
            "Makefile",
            "image:\n\tdocker build --pull -t x \\\n\t  -f svc/Dockerfile . # all\n",
        )];
        assert_eq!(context("svc/Dockerfile", &list), known_contexts(&[""]));
        let list = [("svc/Makefile", "image:\n\tdocker buildx build --load -t x .\n")];
        assert_eq!(context("svc/Dockerfile", &list), known_contexts(&["svc"]));
        let list = [("scripts/x.sh", "docker build -t x \"$DIR\"\n")];
        assert_eq!(context("Dockerfile", &list), BuildContext::Unknown);
        let list = [(".goreleaser.yaml", "dockers:\n  - dockerfile: Dockerfile\n")];
        assert_eq!(context("Dockerfile", &list), BuildContext::Unknown);
    }

    #[test]
    fn images_of_the_project_are_found() {
        for (path, text, expected) in [
            ("Makefile", "a:\n\tdocker build -t acme/base:$V .\n", true),
            ("Makefile", "a:\n\tdocker build -t acme/base-image .\n", false),
            ("compose.yml", "services:\n  a:\n    image: acme/base:stage\n", false),
            (".github/workflows/a.yml", "docker:\n  with: {tags: ghcr.io/acme/base:1}\n", true),
            (".github/workflows/a.yml", "docker:\n  name: base\n  user: \"acme\"\n", true),
            (".github/workflows/a.yml", "docker:\n  name: base\n", false),
        ] {
            let files = files(&[(path, text)]);
            let found = BuildFiles::read(&files, "docker/a/Dockerfile").publish("acme/base");
            assert_eq!(found, expected, "{text}");
        }
    }

    #[test]
    fn named_contexts_are_found() {
        let has = |path: &str, text: &str, name: &str| {
            BuildFiles::read(&files(&[(path, text)]), "docker/a/Dockerfile").names_context(name)
        };
        let make = "x:\n\tdocker build . --build-context api=./api --build-context=app=./app\n";
        assert!(has("Makefile", make, "api") && has("Makefile", make, "app"));
        assert!(!has("Makefile", make, "ap") && !has("Makefile", make, "docker"));
        let compose =
            "services:\n  a:\n    build:\n      additional_contexts:\n        - one=../one\n";
        assert!(has("compose.yml", compose, "one"));
        let compose =
            "services:\n  a:\n    build:\n      additional_contexts:\n        one: ../one\n";
        assert!(has("compose.yml", compose, "one"));
        let bake = "target \"a\" {\n  contexts = {\n    one = \"../one\"\n  }\n}\n";
        assert!(has("docker-bake.hcl", bake, "one"));
        assert!(!has("compose.yml", "services:\n  one: {}\n", "one"), "no contexts");
    }
}
