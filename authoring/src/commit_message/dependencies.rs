//! The dependencies of a project, as declared in its manifests, workflows and container files.

use super::keys;
use aidd_engine::parse::{json, xml};
use regex::Regex;
use std::collections::BTreeMap;
use std::sync::LazyLock;

/// A dependency that was added, removed or changed to another version.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct ChangedDependency {
    pub(super) name: String,
    pub(super) from: Option<String>,
    pub(super) to: Option<String>,
    /// Whether the dependency was declared before the change.
    pub(super) was_present: bool,
    /// Whether the dependency is declared after the change.
    pub(super) is_present: bool,
}

/// The contents of a manifest.
#[derive(Debug, Default)]
struct Manifest {
    /// Dependency name → version, if there is one.
    dependencies: BTreeMap<String, Option<String>>,
    /// The version of the project itself.
    own_version: Option<String>,
}

/// The dependencies that differ between two versions of a file.
pub(super) fn compare(path: &str, before: &str, after: &str) -> Vec<ChangedDependency> {
    let (before, after) = (read(path, before), read(path, after));
    let (old, new) = (before.dependencies, after.dependencies);
    let mut names: Vec<&String> = old.keys().chain(new.keys()).collect();
    names.sort();
    names.dedup();
    names
        .into_iter()
        .filter(|name| old.get(*name) != new.get(*name))
        .map(|name| ChangedDependency {
            name: name.clone(),
            from: old.get(name).cloned().flatten(),
            to: new.get(name).cloned().flatten(),
            was_present: old.contains_key(name),
            is_present: new.contains_key(name),
        })
        .collect()
}

/// The old and the new version of the project itself, if the manifest changes it.
pub(super) fn versions(path: &str, before: &str, after: &str) -> Option<(String, String)> {
    let (before, after) = (read(path, before).own_version?, read(path, after).own_version?);
    (before != after).then_some((before, after))
}

fn read(path: &str, text: &str) -> Manifest {
    let lower = path.to_ascii_lowercase();
    let name = lower.rsplit('/').next().unwrap_or(&lower);
    if name == "cargo.toml" || name == "pyproject.toml" || name == "pipfile" {
        read_toml(text)
    } else if name == "package.json" || name == "composer.json" {
        read_package_json(text)
    } else if name.starts_with("requirements") {
        Manifest {
            dependencies: text.lines().filter_map(parse_requirement).collect(),
            own_version: None,
        }
    } else if name == "go.mod" {
        let found = text.lines().filter_map(parse_go_require);
        Manifest { dependencies: found.collect(), own_version: None }
    } else if name.contains("dockerfile") || name.contains("containerfile") {
        read_by_pattern(&FROM, text)
    } else if lower.starts_with(".github/") || name == "action.yml" || name == "action.yaml" {
        read_by_pattern(&USES, text)
    } else if [".csproj", ".props", ".targets"].iter().any(|end| name.ends_with(end))
        || name == "pom.xml"
    {
        read_xml(text)
    } else if name == "gemfile" || name.ends_with(".gemspec") {
        read_by_pattern(&GEM, text)
    } else {
        Manifest::default()
    }
}

static FROM: LazyLock<Regex> =
    LazyLock::new(|| pattern(r"(?mi)^\s*FROM\s+(?:--\S+\s+)?([\w./-]+)(?::([\w.-]+))?"));
/// A commit hash is not informative; the comment after it contains the version.
static USES: LazyLock<Regex> = LazyLock::new(|| {
    pattern(r"(?m)^\s*-?\s*uses:\s*([\w.-]+/[\w./-]+)@(?:[0-9a-f]{40}\s*#\s*)?([\w.+-]+)")
});
static GEM: LazyLock<Regex> = LazyLock::new(|| {
    pattern(
        r#"(?m)^\s*(?:gem|\w+\.add(?:_\w+)?_dependency)[\s(]*['"]([\w-]+)['"](?:,\s*['"]([^'"]+)['"])?"#,
    )
});

fn pattern(text: &str) -> Regex {
    Regex::new(text).expect("a constant pattern")
}

fn read_by_pattern(pattern: &Regex, text: &str) -> Manifest {
    let found = pattern.captures_iter(text).map(|found| {
        let version = found.get(2).map(|version| version.as_str());
        (found[1].to_owned(), version.filter(|v| is_version(v)).map(str::to_owned))
    });
    Manifest { dependencies: found.collect(), own_version: None }
}

/// Reads the packages of .NET projects and of Maven.
fn read_xml(text: &str) -> Manifest {
    let tree = xml::parse(text);
    let mut manifest = Manifest::default();
    for (at, node) in tree.nodes.iter().enumerate() {
        let (names, version) = match node.key.as_str() {
            "PackageReference" | "PackageVersion" => (["@Include", "@Update"], "@Version"),
            "dependency" | "plugin" | "parent" => (["artifactId", ""], "version"),
            _ => continue,
        };
        let Some(name) = names.iter().find_map(|name| tree.text(at, name)) else { continue };
        let version = tree.text(at, version).or_else(|| tree.text(at, "Version"));
        let version = version.filter(|version| is_version(version)).map(str::to_owned);
        manifest.dependencies.insert(name.to_owned(), version);
    }
    manifest
}

/// Reads dependencies in the formats of Cargo, Poetry, PEP 621 and 735, and Pipenv.
fn read_toml(text: &str) -> Manifest {
    let mut manifest = Manifest::default();
    for (key, value) in keys::toml_settings(text) {
        let (section, name) = key.rsplit_once('.').unwrap_or(("", &key));
        let last = section.rsplit('.').next().unwrap_or_default();
        if name == "version"
            && matches!(section, "package" | "workspace.package" | "project" | "tool.poetry")
        {
            manifest.own_version = version(&value);
        } else if is_requirement_list(section, name) {
            let items = value.split(['"', '\'']).skip(1).step_by(2);
            manifest.dependencies.extend(items.filter_map(parse_requirement));
        } else if is_dependency_section(last) || matches!(last, "packages" | "dev-packages") {
            manifest.dependencies.insert(name.to_owned(), version(&value));
        } else if let Some((table, dependency)) = section.rsplit_once('.')
            && is_dependency_section(table.rsplit('.').next().unwrap_or_default())
        {
            // `[dependencies.name]`, or `name.workspace = true`.
            let known = manifest.dependencies.entry(dependency.to_owned()).or_default();
            if matches!(name, "version" | "rev" | "tag") {
                *known = version(&value);
            }
        }
    }
    manifest
}

fn is_dependency_section(section: &str) -> bool {
    section == "dependencies" || section.ends_with("-dependencies")
}

/// Whether a key of a Python manifest contains a list of requirements.
fn is_requirement_list(section: &str, name: &str) -> bool {
    (section == "project" && name == "dependencies")
        || matches!(section, "project.optional-dependencies" | "dependency-groups")
}

/// The version in `"1"`, `{ version = "1", … }` or `{ git = …, tag = "v1" }`.
fn version(value: &str) -> Option<String> {
    static IN_TABLE: LazyLock<Regex> =
        LazyLock::new(|| pattern(r#"\b(?:version|tag|rev)\s*=\s*["']([^"']+)["']"#));
    let text = match value.strip_prefix(['"', '\'']) {
        Some(rest) => rest.split(['"', '\'']).next().unwrap_or_default(),
        None => IN_TABLE.captures(value)?.get(1)?.as_str(),
    };
    is_version(text).then(|| text.to_owned())
}

/// Whether a string can be shown as a version; a string that is or contains a URL cannot.
fn is_version(text: &str) -> bool {
    !text.is_empty()
        && text.len() <= 24
        && text.chars().all(|c| c.is_ascii_alphanumeric() || ".-+^~=<>!*, |_".contains(c))
}

/// Parses `name[extra]>=1.0; marker`.
fn parse_requirement(text: &str) -> Option<(String, Option<String>)> {
    static REQUIREMENT: LazyLock<Regex> = LazyLock::new(|| {
        pattern(
            r"^\s*([A-Za-z0-9][\w.-]*)(?:\[[^\]]*\])?\s*(?:\(?\s*((?:[=<>!~]=?=?\s*[\w.*+!-]+\s*,?\s*)+))?",
        )
    });
    let found = REQUIREMENT.captures(text)?;
    let version = found.get(2).map(|version| version.as_str().trim());
    let version = version.map(|v| v.strip_prefix("==").unwrap_or(v).trim());
    Some((found[1].to_owned(), version.filter(|v| is_version(v)).map(str::to_owned)))
}

fn read_package_json(text: &str) -> Manifest {
    let tree = json::parse(text);
    let mut manifest = Manifest::default();
    let Some(&root) = tree.nodes[0].children.first() else { return manifest };
    manifest.own_version = tree.text(root, "version").map(str::to_owned).filter(|v| is_version(v));
    for &group in &tree.nodes[root].children {
        let key = tree.nodes[group].key.as_str();
        let is_group = key == "dependencies"
            || key.ends_with("Dependencies")
            || matches!(key, "require" | "require-dev");
        if is_group {
            let entries = tree.nodes[group].children.iter().map(|&at| &tree.nodes[at]);
            manifest.dependencies.extend(entries.map(|node| {
                let version = node.value.clone().filter(|value| is_version(value));
                (node.key.clone(), version)
            }));
        }
    }
    manifest
}

/// Parses a line of a `require` block, or `require name version`.
fn parse_go_require(line: &str) -> Option<(String, Option<String>)> {
    let line = line.trim();
    let mut words = line.strip_prefix("require ").unwrap_or(line).split_whitespace();
    let (name, version) = (words.next()?, words.next()?);
    let is_module = version.starts_with('v') && (name.contains('.') || name.contains('/'));
    (is_module && is_version(version)).then(|| (name.to_owned(), Some(version.to_owned())))
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Renders changes as `name from→to`, with `-` for a missing dependency and `?` for a dependency
    /// without a version.
    #[track_caller]
    fn render(path: &str, before: &str, after: &str) -> String {
        let text = |version: &Option<String>, is_present| match version {
            Some(version) => version.clone(),
            None if is_present => "?".to_owned(),
            None => "-".to_owned(),
        };
        let show = |b: &ChangedDependency| {
            format!("{} {}→{}", b.name, text(&b.from, b.was_present), text(&b.to, b.is_present))
        };
        compare(path, before, after).iter().map(show).collect::<Vec<_>>().join("; ")
    }

    #[test]
    fn manifests_are_compared() {
        let cargo = "[package]\nversion = \"1.0.0\"\n[dependencies]\na = \"1.0\"\nb.workspace = true\n[dev-dependencies]\nc = { version = \"2\", features = [\"x\"] }\n[dependencies.d]\nversion = \"3\"\n";
        let other = "[package]\nversion = \"1.1.0\"\n[dependencies]\na = \"1.1\"\n[dev-dependencies]\nc = { version = \"2\", features = [] }\n[dependencies.d]\nversion = \"4\"\n[dependencies.e]\npath = \"../e\"\n";
        assert_eq!(render("Cargo.toml", cargo, other), "a 1.0→1.1; b ?→-; d 3→4; e -→?");
        assert_eq!(
            versions("Cargo.toml", cargo, other).map(|(_, new)| new).as_deref(),
            Some("1.1.0")
        );
        assert_eq!(
            render(
                "web/package.json",
                r#"{"dependencies": {"a": "^1.0.0"}, "devDependencies": {"b": "git+https://u:p@h/x"}}"#,
                r#"{"dependencies": {"a": "^2.0.0"}, "devDependencies": {"b": "git+https://u:q@h/x", "@c/d": "~1"}}"#
            ),
            "@c/d -→~1; a ^1.0.0→^2.0.0"
        );
        assert_eq!(
            render(
                "pyproject.toml",
                "[project]\ndependencies = [\n  \"a>=1.0\", # x\n  \"b[c]==2\",\n]\n",
                "[project]\ndependencies = [\n  \"a>=1.1,<2\",\n  \"b[c]==3\",\n]\n[dependency-groups]\ndev = [\"e\"]\n"
            ),
            "a >=1.0→>=1.1,<2; b 2→3; e -→?"
        );
        assert_eq!(render("requirements.txt", "# x\na==1\n-r b.txt\n", "a==2\n"), "a 1→2");
        let go = |v: &str| {
            format!("module m\n\ngo 1.22\n\nrequire (\n\tx.org/a v1.{v}.0 // indirect\n)\n")
        };
        assert_eq!(render("go.mod", &go("1"), &go("2")), "x.org/a v1.1.0→v1.2.0");
        let uses =
            |v: &str| format!("jobs:\n  a:\n    steps:\n      - uses: actions/checkout@{v}\n");
        assert_eq!(
            render(".github/workflows/a.yml", &uses("v3"), &uses("v4")),
            "actions/checkout v3→v4"
        );
        let hash = format!("{} # v5", "0".repeat(40));
        assert_eq!(
            render(".github/workflows/a.yml", &uses("v4"), &uses(&hash)),
            "actions/checkout v4→v5"
        );
        assert_eq!(
            render("Dockerfile", "FROM node:20 AS a\n", "FROM node:22 AS a\n"),
            "node 20→22"
        );
        let net = |v: &str| {
            format!(
                "<Project><ItemGroup><PackageReference Include=\"A.B\" Version=\"{v}\" /></ItemGroup></Project>\n"
            )
        };
        assert_eq!(render("a/App.csproj", &net("1.0.0"), &net("1.2.0")), "A.B 1.0.0→1.2.0");
        let maven = |v: &str| {
            format!(
                "<project><dependencies><dependency><groupId>x</groupId><artifactId>y</artifactId><version>{v}</version></dependency></dependencies></project>\n"
            )
        };
        assert_eq!(render("pom.xml", &maven("1.0"), &maven("2.0")), "y 1.0→2.0");
        assert_eq!(render("Gemfile", "gem 'a', '~> 1'\n", "gem 'a', '~> 2'\n"), "a ~> 1→~> 2");
    }
}
