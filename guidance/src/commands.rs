//! Commands of the project's own tools that set versions, run codemods and run checks, from its own
//! instructions, or derived from its manifests and lock files. The commands are printed, never run.

use super::instructions::CommandRules;
use aidd_engine::project::stack::{Dependency, Ecosystem, Group, Manifest, Stack};
use aidd_memory::outcomes::Check;
use std::collections::BTreeSet;

/// The package manager of the first manifest; empty when unknown.
pub(super) fn package_manager<'m>(used: &[(&'m Manifest, &Dependency)]) -> &'m str {
    used.first().and_then(|(manifest, _)| manifest.manager.as_deref()).unwrap_or_default()
}

/// Whether the package manager of the first manifest is Yarn 1.
pub(super) fn uses_yarn_classic(used: &[(&Manifest, &Dependency)]) -> bool {
    used.first().is_some_and(|(manifest, _)| manifest.uses_yarn_classic)
}

/// The packages whose version must be set. A Maven package whose version comes from a parent of the
/// same group is replaced by that parent.
fn versioned_packages<'m>(manifest: &'m Manifest, names: &[&'m str]) -> Vec<&'m str> {
    let group = |name: &str| name.split_once(':').map(|(group, _)| group.to_owned());
    let parent = |name: &str| {
        let sets_version = |dependency: &&Dependency| {
            dependency.group == Group::Build && group(&dependency.name) == group(name)
        };
        manifest.dependencies.iter().find(sets_version).map(|parent| &*parent.name)
    };
    let is_maven = manifest.ecosystem == Ecosystem::Maven;
    let mut packages: Vec<&str> = Vec::new();
    for name in names {
        let package = parent(name).filter(|_| is_maven).unwrap_or(name);
        if !packages.contains(&package) {
            packages.push(package);
        }
    }
    packages
}

/// The command that sets versions with the manifest's package manager, or an instruction to edit
/// the manifest when there is no such command.
pub(super) fn set_version_command(
    manifest: &Manifest,
    names: &[&str],
    version: &str,
    rules: &CommandRules,
) -> String {
    let names = &versioned_packages(manifest, names);
    let each = |render: &dyn Fn(&str) -> String| {
        names.iter().map(|name| render(name)).collect::<Vec<_>>().join(" ")
    };
    let with_versions = each(&|name| format!("{name}@{version}"));
    let edit = || format!("edit {}: {}", manifest.path, each(&|name| format!("{name} {version}")));
    let command = match manifest.manager.as_deref().unwrap_or_default() {
        "pnpm" => format!("pnpm update {with_versions}"),
        "yarn" if manifest.uses_yarn_classic => {
            format!("yarn upgrade {}", each(&|name| format!("{name}@^{version}")))
        }
        "yarn" => format!("yarn up {}", each(&|name| format!("{name}@^{version}"))),
        "bun" => format!("bun add {with_versions}"),
        "cargo" => format!("cargo add {with_versions}"),
        "uv" => {
            format!("uv add {}", each(&|name| format!("'{name}~={}'", with_minor_version(version))))
        }
        "poetry" => format!("poetry add {}", each(&|name| format!("'{name}@^{version}'"))),
        "pdm" => {
            format!(
                "pdm add {}",
                each(&|name| format!("'{name}~={}'", with_minor_version(version)))
            )
        }
        "pipenv" => {
            format!(
                "pipenv install {}",
                each(&|name| format!("'{name}~={}'", with_minor_version(version)))
            )
        }
        "go" => format!("go get {} && go mod tidy", each(&|name| format!("{name}@v{version}"))),
        "composer" => {
            format!("composer require -W {}", each(&|name| format!("'{name}:^{version}'")))
        }
        "dotnet" => {
            let add = |name: &str| format!("dotnet add package {name} --version {version}");
            names.iter().map(|name| add(name)).collect::<Vec<_>>().join(" && ")
        }
        "bundler" => {
            format!(
                "edit {} to `~> {version}`, then bundle update {}",
                manifest.path,
                names.join(" ")
            )
        }
        _ if manifest.ecosystem == Ecosystem::Npm => format!("npm install {with_versions}"),
        _ => return edit(),
    };
    if let Some(path) = rules.forbids(&command) {
        return format!("{} ({path} forbids `{command}`)", edit());
    }
    match manifest.folder() {
        "" => command,
        directory => format!("in {directory}: {command}"),
    }
}

/// The command that adds packages to a manifest or removes them.
pub(super) fn add_or_remove_command(
    manifest: &Manifest,
    names: &[&str],
    is_added: bool,
    rules: &CommandRules,
) -> String {
    let edit = || {
        let word = if is_added { "add" } else { "remove" };
        format!("edit {}: {word} {}", manifest.path, names.join(", "))
    };
    let manager = manifest.manager.as_deref().unwrap_or(match manifest.ecosystem {
        Ecosystem::Npm => "npm",
        _ => "",
    });
    let (add, remove) = match manager {
        "npm" => ("install", "uninstall"),
        "pnpm" | "yarn" | "bun" | "cargo" | "uv" | "poetry" | "pdm" => ("add", "remove"),
        "composer" => ("require", "remove"),
        "bundler" => ("add", "remove"),
        "dotnet" => ("add package", "remove package"),
        "go" if is_added => ("get", ""),
        "go" => return "go mod tidy".to_owned(),
        _ => return edit(),
    };
    let program = if manager == "bundler" { "bundle" } else { manager };
    let word = if is_added { add } else { remove };
    // `dotnet` takes one package per call.
    let calls: Vec<String> = match manager {
        "dotnet" => names.iter().map(|name| format!("{program} {word} {name}")).collect(),
        _ => vec![format!("{program} {word} {}", names.join(" "))],
    };
    let command = calls.join(" && ");
    if let Some(path) = rules.forbids(&command) {
        return format!("{} ({path} forbids `{command}`)", edit());
    }
    match manifest.folder() {
        "" => command,
        directory => format!("in {directory}: {command}"),
    }
}

/// `~=` needs at least two version segments.
fn with_minor_version(version: &str) -> String {
    if version.contains('.') { version.to_owned() } else { format!("{version}.0") }
}

/// Replaces npx in a codemod command with the project's own package runner.
pub(super) fn with_package_runner(codemod: &str, used: &[(&Manifest, &Dependency)]) -> String {
    let Some(rest) = codemod.strip_prefix("npx ") else { return codemod.to_owned() };
    match package_manager(used) {
        // Yarn 1 has no `yarn dlx`.
        "yarn" if uses_yarn_classic(used) => codemod.to_owned(),
        "pnpm" => format!("pnpm dlx {rest}"),
        "yarn" => format!("yarn dlx {rest}"),
        "bun" => format!("bunx {rest}"),
        _ => codemod.to_owned(),
    }
}

/// The commands with which the project checks its code.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(super) struct ProjectChecks {
    pub(super) commands: Vec<String>,
    /// The file with the instructions that name the first of them.
    pub(super) path: Option<String>,
}

/// The project's own checks: those that its instructions name, then those that its manifests declare,
/// without forbidden ones.
pub(super) fn project_checks(
    ecosystems: &BTreeSet<Ecosystem>,
    stack: &Stack,
    rules: &CommandRules,
) -> ProjectChecks {
    let is_used = |ecosystem: Ecosystem| ecosystems.is_empty() || ecosystems.contains(&ecosystem);
    let own = stack.manifests.iter().map(|manifest| manifest.ecosystem).filter(|it| is_used(*it));
    let own: BTreeSet<Ecosystem> = own.collect();
    let named = rules.checks.iter().filter(|named| own.iter().any(|it| named.covers(*it)));
    let mut checks = ProjectChecks::default();
    for named in named {
        checks.path.get_or_insert_with(|| named.path.clone());
        checks.commands.push(named.command.clone());
    }
    for DeclaredCheck { ecosystem, command, .. } in declared_checks(ecosystems, stack) {
        // A check that the instructions name replaces those that the manifests declare.
        let purposes = Check::from_command(&command, None);
        let is_named = |check: &Check| rules.for_check(*check).any(|it| it.covers(ecosystem));
        let is_replaced = !purposes.is_empty() && purposes.iter().all(is_named);
        let is_known = checks.commands.contains(&command);
        if !is_replaced && !is_known && rules.forbids(&command).is_none() {
            checks.commands.push(command);
        }
    }
    checks.commands.truncate(8);
    checks
}

/// The first words of the NuGet packages that make a project a test project.
const TEST_PACKAGES: [&str; 6] =
    ["Microsoft.NET.Test.Sdk", "xunit", "NUnit", "MSTest", "TUnit", "Microsoft.Testing."];

fn is_solution(manifest: &Manifest) -> bool {
    manifest.path.ends_with(".sln") || manifest.path.ends_with(".slnx")
}

/// Whether a project or a solution is below the directory of a solution.
fn is_in_solution(manifest: &Manifest, stack: &Stack) -> bool {
    stack.manifests.iter().filter(|it| is_solution(it)).any(|solution| {
        let (inner, outer) = (manifest.folder(), solution.folder());
        let rest = inner.strip_prefix(outer);
        let is_below = rest.is_some_and(|rest| outer.is_empty() || rest.starts_with('/'));
        if inner == outer { !is_solution(manifest) } else { is_below }
    })
}

/// A command for checks that a manifest declares.
pub(super) struct DeclaredCheck {
    pub(super) ecosystem: Ecosystem,
    pub(super) command: String,
    /// The path of the manifest.
    pub(super) path: String,
}

/// The checks that the manifests declare.
pub(super) fn declared_checks(
    ecosystems: &BTreeSet<Ecosystem>,
    stack: &Stack,
) -> Vec<DeclaredCheck> {
    const SCRIPTS: [&str; 7] =
        ["typecheck", "type-check", "check", "lint", "build", "test", "test:e2e"];
    let is_used =
        |manifest: &&Manifest| ecosystems.is_empty() || ecosystems.contains(&manifest.ecosystem);
    let mut commands: Vec<DeclaredCheck> = Vec::new();
    for manifest in stack.manifests.iter().filter(is_used) {
        let is_root = manifest.folder().is_empty();
        let mut add = |command: String| {
            let command =
                if is_root { command } else { format!("in {}: {command}", manifest.folder()) };
            let (ecosystem, path) = (manifest.ecosystem, manifest.path.clone());
            commands.push(DeclaredCheck { ecosystem, command, path });
        };
        let has =
            |name: &str| manifest.dependencies.iter().any(|dependency| dependency.name == name);
        let has_tool = |name: &str| manifest.tools.contains(&name);
        let manager = manifest.manager.as_deref();
        match manifest.ecosystem {
            Ecosystem::Npm => {
                let runner = manager.unwrap_or("npm");
                let declared = SCRIPTS.iter().filter(|name| manifest.scripts.contains_key(**name));
                declared.for_each(|name| add(format!("{runner} run {name}")));
            }
            Ecosystem::Cargo if is_root => add("cargo test --workspace".to_owned()),
            Ecosystem::Pypi if has("pytest") => {
                let known_runners = ["uv", "poetry", "pdm", "pipenv"];
                let runner = manager.filter(|manager| known_runners.contains(manager));
                add(runner.map_or("pytest".to_owned(), |runner| format!("{runner} run pytest")));
            }
            Ecosystem::Pypi if has_tool("manage.py") => {
                let known_runners = ["uv", "poetry", "pdm", "pipenv"];
                let runner = manager.filter(|manager| known_runners.contains(manager));
                let prefix = runner.map_or(String::new(), |runner| format!("{runner} run "));
                add(format!("{prefix}python manage.py test"));
            }
            Ecosystem::Go if manifest.name.is_some() => {
                add("go vet ./... && go test ./...".to_owned());
            }
            Ecosystem::Maven if is_root => {
                let command = match manager {
                    Some("gradle") if has_tool("gradlew") => "./gradlew check",
                    Some("gradle") => "gradle check",
                    _ if has_tool("mvnw") => "./mvnw verify",
                    _ => "mvn verify",
                };
                add(command.to_owned());
            }
            Ecosystem::Nuget if is_solution(manifest) && !is_in_solution(manifest, stack) => {
                // A directory can contain several solutions.
                let mut solutions = stack.manifests.iter().filter(|it| is_solution(it));
                let first = solutions.find(|it| it.folder() == manifest.folder());
                if first.is_some_and(|first| first.path == manifest.path) {
                    let file = manifest.path.rsplit('/').next().unwrap_or_default();
                    let has_other = solutions.any(|it| it.folder() == manifest.folder());
                    let name = if has_other { format!(" {file}") } else { String::new() };
                    add(format!("dotnet test{name}"));
                }
            }
            Ecosystem::Nuget if manifest.path.ends_with("proj") => {
                let is_test = manifest
                    .dependencies
                    .iter()
                    .any(|it| TEST_PACKAGES.iter().any(|package| it.name.starts_with(package)));
                if is_test && !is_in_solution(manifest, stack) {
                    add("dotnet test".to_owned());
                }
            }
            Ecosystem::Gem => {
                if has("rspec") || has("rspec-rails") {
                    add("bundle exec rspec".to_owned());
                } else if has_tool("bin/rails") && has_tool("test") {
                    add("bin/rails test".to_owned());
                }
                if has_tool("bin/rubocop") {
                    add("bin/rubocop".to_owned());
                }
            }
            Ecosystem::Composer if manifest.scripts.contains_key("test") => {
                add("composer run test".to_owned());
            }
            _ => {}
        }
    }
    commands
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn versions_from_a_maven_parent_are_set_on_the_parent() {
        let dependency = |name: &str, group| Dependency {
            name: name.to_owned(),
            group,
            ..Dependency::default()
        };
        let mut manifest = Manifest::new("pom.xml".to_owned(), Ecosystem::Maven);
        let web = "org.springframework.boot:spring-boot-starter-web";
        manifest.dependencies = vec![dependency(web, Group::Normal)];
        assert_eq!(
            set_version_command(&manifest, &[web], "3.5", &CommandRules::default()),
            format!("edit pom.xml: {web} 3.5")
        );
        let parent =
            dependency("org.springframework.boot:spring-boot-starter-parent", Group::Build);
        manifest.dependencies.push(parent);
        manifest.dependencies.push(dependency("org.example:house", Group::Build));
        assert_eq!(
            set_version_command(
                &manifest,
                &[web, "org.junit.jupiter:junit-jupiter"],
                "3.5",
                &CommandRules::default()
            ),
            "edit pom.xml: org.springframework.boot:spring-boot-starter-parent 3.5 \
             org.junit.jupiter:junit-jupiter 3.5"
        );
    }
}
