//! The registries from which the tools of a project install packages, according to the settings of
//! the project and of the user. Nothing is downloaded here: [`answer`] describes the requests, and a
//! frontend sends them.

pub mod answer;
mod settings;
#[cfg(test)]
mod tests;

use super::stack::Ecosystem;
use crate::parse::tree::Tree;
use crate::parse::xml;
use crate::text::files::{Files, side_file};
use crate::text::paths::{below, parent_dir, upwards};
use settings::{CargoSource, Indexes};
use std::collections::HashMap;

/// The registries of the ecosystems if neither the project nor the user sets another one.
const DEFAULTS: [(Ecosystem, &str); 7] = [
    (Ecosystem::Npm, "https://registry.npmjs.org"),
    (Ecosystem::Cargo, "https://index.crates.io"),
    (Ecosystem::Pypi, "https://pypi.org/simple"),
    (Ecosystem::Go, "https://proxy.golang.org"),
    (Ecosystem::Maven, "https://repo1.maven.org/maven2"),
    (Ecosystem::Gem, "https://rubygems.org"),
    (Ecosystem::Composer, "https://repo.packagist.org"),
];

/// The settings of the user that select registries.
#[derive(Clone, Debug, Default)]
pub struct UserSettings {
    /// The environment variables, by name.
    pub variables: HashMap<String, String>,
    /// The text of `~/.npmrc`.
    pub npmrc: Option<String>,
    /// The text of Cargo's `config.toml` in the home directory of Cargo.
    pub cargo: Option<String>,
    /// The text of pip's `pip.conf`.
    pub pip: Option<String>,
    /// The text of the file that `go env -w` writes.
    pub go: Option<String>,
    /// The text of Maven's `~/.m2/settings.xml`.
    pub maven: Option<String>,
}

/// Why no registry can be asked for a package.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum RegistryError {
    /// The manifest adds repositories, whose packages could replace those of the registry.
    #[error("the manifest adds repositories")]
    AddedRepositories,
    /// Registries of NuGet are not looked up.
    #[error("NuGet is not supported")]
    Unsupported,
    /// The address has another scheme than HTTP or HTTPS.
    #[error("the registry is not at an HTTP address")]
    NotHttp,
    /// The address contains a variable, which only the tool can replace.
    #[error("the address of the registry contains a variable")]
    Variable,
    /// The address contains credentials, which are not sent.
    #[error("the address of the registry contains credentials, which are not sent")]
    Credentials,
    /// The address has no host, or contains spaces or control characters.
    #[error("the address of the registry is malformed")]
    Malformed,
    /// The index of the registry is a Git repository.
    #[error("the index of the registry is a Git repository")]
    GitIndex,
    /// The settings of the project disable indexes.
    #[error("the settings of the project disable indexes")]
    Disabled,
    /// The module matches `GOPRIVATE` or `GONOPROXY`.
    #[error("the module is private")]
    Private,
    /// `GOPROXY` contains no proxy.
    #[error("`GOPROXY` names no proxy")]
    NoProxy,
    /// The source that replaces crates.io cannot be asked: the reason.
    #[error("{0}")]
    Source(String),
}

/// A dependency whose registry is looked up.
#[derive(Clone, Copy, Debug)]
pub struct Package<'a> {
    /// The path of the manifest.
    pub manifest: &'a str,
    /// The ecosystem, which selects the registries of a tool.
    pub ecosystem: Ecosystem,
    /// The name in the registry.
    pub name: &'a str,
    /// The registry that the entry of the manifest names.
    pub registry: Option<&'a str>,
    /// The URLs of the repositories that the manifest adds.
    pub repositories: &'a [String],
}

/// The URLs of the registries that the project's own tool asks for `package`, in the order in which
/// it asks them.
///
/// # Errors
/// If no registry can be asked.
pub fn find(
    files: &dyn Files,
    user: &UserSettings,
    package: Package<'_>,
) -> Result<Vec<String>, RegistryError> {
    let finder = Finder { files, user, dir: parent_dir(package.manifest) };
    let urls = match package.ecosystem {
        Ecosystem::Npm => finder.npm(package.name)?,
        Ecosystem::Cargo => finder.cargo(package.registry)?,
        Ecosystem::Pypi => finder.python(package)?,
        Ecosystem::Go => finder.go(package.name)?,
        Ecosystem::Maven => finder.maven(package.repositories),
        Ecosystem::Gem if package.repositories.is_empty() => default_urls(Ecosystem::Gem),
        Ecosystem::Gem => package.repositories.to_vec(),
        Ecosystem::Composer if package.repositories.is_empty() => default_urls(Ecosystem::Composer),
        Ecosystem::Composer => return Err(RegistryError::AddedRepositories),
        Ecosystem::Nuget => return Err(RegistryError::Unsupported),
    };
    urls.iter().map(|url| validate(url)).collect()
}

fn default_urls(ecosystem: Ecosystem) -> Vec<String> {
    let known = DEFAULTS.iter().filter(|(known, _)| *known == ecosystem);
    known.map(|(_, url)| (*url).to_owned()).collect()
}

/// Rejects URLs that cannot be requested without running or reading anything else: other schemes,
/// variables, and URLs with credentials, which are not sent.
fn validate(url: &str) -> Result<String, RegistryError> {
    let url = url.trim().trim_end_matches('/');
    let rest = url.strip_prefix("https://").or_else(|| url.strip_prefix("http://"));
    let Some(rest) = rest else {
        return Err(RegistryError::NotHttp);
    };
    let host = rest.split(['/', '?', '#']).next().unwrap_or_default();
    if url.contains("${") || url.contains("{{") {
        Err(RegistryError::Variable)
    } else if host.contains('@') {
        Err(RegistryError::Credentials)
    } else if host.is_empty() || url.contains(|c: char| c.is_whitespace() || c.is_control()) {
        Err(RegistryError::Malformed)
    } else {
        Ok(url.to_owned())
    }
}

/// Finds registries for the manifests in a directory.
struct Finder<'a> {
    files: &'a dyn Files,
    user: &'a UserSettings,
    dir: &'a str,
}

impl Finder<'_> {
    fn variable(&self, name: &str) -> Option<&str> {
        self.user.variables.get(name).map(|value| value.trim()).filter(|value| !value.is_empty())
    }

    /// The texts of the files with one of these names in the directory and the directories above
    /// it, nearest first.
    fn texts<'n>(&self, names: &'n [&'n str]) -> impl Iterator<Item = (&'n str, String)> {
        let dirs = upwards(self.dir);
        dirs.flat_map(move |dir| {
            names.iter().filter_map(move |name| {
                let path = below(dir, name);
                side_file(self.files, &path).map(|text| (*name, text))
            })
        })
    }

    fn npm(&self, name: &str) -> Result<Vec<String>, RegistryError> {
        let scope = name.split_once('/').map(|(scope, _)| scope).filter(|_| name.starts_with('@'));
        let texts: Vec<(&str, String)> =
            self.texts(&[".npmrc", ".yarnrc.yml", "bunfig.toml", ".yarnrc"]).collect();
        let read = |scope: Option<&str>| {
            texts.iter().find_map(|(file, text)| match *file {
                ".yarnrc.yml" => settings::yarn(text, scope),
                "bunfig.toml" => settings::bun(text, scope),
                _ => settings::npmrc(text, scope),
            })
        };
        let read_user = |scope| settings::npmrc(self.user.npmrc.as_deref()?, scope);
        let of_scope = scope.and_then(|scope| read(Some(scope)).or_else(|| read_user(Some(scope))));
        let variables = ["npm_config_registry", "NPM_CONFIG_REGISTRY", "YARN_NPM_REGISTRY_SERVER"];
        let of_environment =
            || variables.iter().find_map(|name| self.variable(name)).map(str::to_owned);
        let url =
            of_scope.or_else(of_environment).or_else(|| read(None)).or_else(|| read_user(None));
        Ok(url.map_or_else(|| default_urls(Ecosystem::Npm), |url| vec![url]))
    }

    fn cargo(&self, registry: Option<&str>) -> Result<Vec<String>, RegistryError> {
        let mut texts: Vec<String> =
            self.texts(&[".cargo/config.toml", ".cargo/config"]).map(|(_, text)| text).collect();
        texts.extend(self.user.cargo.clone());
        let variable = registry.map(|name| {
            let name = name.to_uppercase().replace('-', "_");
            format!("CARGO_REGISTRIES_{name}_INDEX")
        });
        let of_environment = variable.and_then(|name| self.variable(&name).map(str::to_owned));
        let index = match of_environment {
            Some(index) => Some(index),
            None => match settings::cargo(&texts, registry) {
                CargoSource::Default => None,
                CargoSource::Index(index) => Some(index),
                CargoSource::Other(why) => return Err(RegistryError::Source(why)),
            },
        };
        let Some(index) = index else { return Ok(default_urls(Ecosystem::Cargo)) };
        match index.strip_prefix("sparse+") {
            Some(url) => Ok(vec![url.to_owned()]),
            None => Err(RegistryError::GitIndex),
        }
    }

    fn python(&self, package: Package<'_>) -> Result<Vec<String>, RegistryError> {
        let names = ["pyproject.toml", "uv.toml", "Pipfile"];
        let name = package.manifest.rsplit('/').next().unwrap_or_default();
        let mut indexes = Indexes::default();
        if name.ends_with(".txt") {
            let text = side_file(self.files, package.manifest).unwrap_or_default();
            indexes.read_requirements(&text);
        }
        for (file, text) in self.texts(&names) {
            if indexes.is_empty() {
                indexes.read_tables(file, &text, package.name);
            }
        }
        if indexes.is_disabled {
            return Err(RegistryError::Disabled);
        }
        let variables = ["UV_DEFAULT_INDEX", "UV_INDEX_URL", "PIP_INDEX_URL"];
        let of_environment = variables.iter().find_map(|name| self.variable(name));
        let of_pip = || settings::pip(self.user.pip.as_deref()?);
        let default = of_environment.map(str::to_owned).or_else(of_pip);
        Ok(indexes.urls(default.map_or_else(|| default_urls(Ecosystem::Pypi), |url| vec![url])))
    }

    fn go(&self, module: &str) -> Result<Vec<String>, RegistryError> {
        let value = |name: &str| {
            let of_file = || settings::variable(self.user.go.as_deref()?, name);
            self.variable(name).map(str::to_owned).or_else(of_file)
        };
        let private = value("GONOPROXY").or_else(|| value("GOPRIVATE")).unwrap_or_default();
        if private.split(',').any(|pattern| settings::is_go_match(pattern.trim(), module)) {
            return Err(RegistryError::Private);
        }
        let Some(proxies) = value("GOPROXY") else { return Ok(default_urls(Ecosystem::Go)) };
        let is_proxy = |entry: &&str| !matches!(*entry, "direct" | "off" | "");
        let urls = proxies.split([',', '|']).map(str::trim).take_while(is_proxy);
        let urls: Vec<String> = urls.map(str::to_owned).collect();
        if urls.is_empty() {
            return Err(RegistryError::NoProxy);
        }
        Ok(urls)
    }

    fn maven(&self, repositories: &[String]) -> Vec<String> {
        let settings = self.user.maven.as_deref().map(xml::parse);
        if let Some(mirror) = settings.as_ref().and_then(mirror) {
            return vec![mirror];
        }
        let mut urls = repositories.to_vec();
        urls.extend(default_urls(Ecosystem::Maven));
        urls
    }
}

/// The mirror of Maven Central in the settings of Maven.
fn mirror(settings: &Tree) -> Option<String> {
    let is_central = |at: usize| {
        let of = settings.text(at, "mirrorOf").unwrap_or_default();
        of.split(',').any(|of| matches!(of.trim(), "*" | "external:*" | "central"))
    };
    let mirrors = (0..settings.nodes.len()).filter(|&at| settings.nodes[at].key == "mirror");
    mirrors.filter(|&at| is_central(at)).find_map(|at| settings.text(at, "url").map(str::to_owned))
}
