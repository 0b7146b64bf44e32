//! Reads the registries in the settings of package managers.

use crate::parse::ini;
use crate::parse::values::{Datum, Format, Values};

/// The registry for a scope (`@team`), or the default one, in an `.npmrc` or the `.yarnrc` of Yarn 1.
pub(super) fn npmrc(text: &str, scope: Option<&str>) -> Option<String> {
    let wanted = scope.map_or_else(|| "registry".to_owned(), |scope| format!("{scope}:registry"));
    let setting = |line: &str| {
        let line = line.trim();
        if line.starts_with(['#', ';']) {
            return None;
        }
        let (key, value) = line.split_once('=').or_else(|| line.split_once(' '))?;
        let unquote = |text: &str| text.trim().trim_matches(['"', '\'']).to_owned();
        (unquote(key) == wanted).then(|| unquote(value))
    };
    text.lines().filter_map(setting).next_back()
}

/// The registry for a scope, or the default one, in the `.yarnrc.yml` of Yarn 2 and newer.
pub(super) fn yarn(text: &str, scope: Option<&str>) -> Option<String> {
    let values = Values::read(Format::Yaml, text);
    let root = *values.roots.first()?;
    let at = match scope {
        None => root,
        Some(scope) => {
            let scopes = values.child(root, "npmScopes")?;
            values.child(scopes, scope.trim_start_matches('@'))?
        }
    };
    values.text(values.child(at, "npmRegistryServer")?)
}

/// The registry for a scope, or the default one, in a `bunfig.toml`.
pub(super) fn bun(text: &str, scope: Option<&str>) -> Option<String> {
    let values = Values::read(Format::Toml, text);
    let install = values.child(*values.roots.first()?, "install")?;
    let at = match scope {
        None => values.child(install, "registry")?,
        Some(scope) => {
            let scopes = values.child(install, "scopes")?;
            let at = values.child(scopes, scope);
            at.or_else(|| values.child(scopes, scope.trim_start_matches('@')))?
        }
    };
    values.text(at).or_else(|| values.text(values.child(at, "url")?))
}

/// The source of Cargo's packages.
#[derive(Debug, PartialEq, Eq)]
pub(super) enum CargoSource {
    /// The index of crates.io.
    Default,
    /// The address of an index.
    Index(String),
    /// A source that cannot be asked, and why.
    Other(String),
}

/// The source of the packages of a registry, or of crates.io, in the texts of Cargo's settings,
/// nearest first.
pub(super) fn cargo(texts: &[String], registry: Option<&str>) -> CargoSource {
    let files: Vec<Values> = texts.iter().map(|text| Values::read(Format::Toml, text)).collect();
    let value = |keys: &[&str]| {
        files.iter().find_map(|values| {
            let root = *values.roots.first()?;
            let at = keys.iter().try_fold(root, |at, key| values.child(at, key))?;
            values.text(at)
        })
    };
    if let Some(name) = registry {
        return match value(&["registries", name, "index"]) {
            Some(index) => CargoSource::Index(index),
            None => CargoSource::Other(format!("the registry `{name}` is not configured")),
        };
    }
    let Some(name) = value(&["source", "crates-io", "replace-with"]) else {
        return CargoSource::Default;
    };
    let index = value(&["source", &name, "registry"]);
    match index.or_else(|| value(&["registries", &name, "index"])) {
        Some(index) => CargoSource::Index(index),
        None => CargoSource::Other("a directory replaces the registry".to_owned()),
    }
}

/// The package indexes of a Python project.
#[derive(Debug, Default)]
pub(super) struct Indexes {
    /// The indexes that are asked before the default index.
    before: Vec<String>,
    /// The indexes that replace the default index.
    replacing: Vec<String>,
    /// The indexes that are asked after the default index.
    after: Vec<String>,
    /// The index to which the package is pinned.
    pinned: Option<String>,
    /// Whether no index is asked.
    pub(super) is_disabled: bool,
}

impl Indexes {
    pub(super) fn is_empty(&self) -> bool {
        let lists = [&self.before, &self.replacing, &self.after];
        self.pinned.is_none() && !self.is_disabled && lists.iter().all(|list| list.is_empty())
    }

    /// The indexes in order; `default` are the indexes if the project does not replace them.
    pub(super) fn urls(self, default: Vec<String>) -> Vec<String> {
        if let Some(url) = self.pinned {
            return vec![url];
        }
        let default = if self.replacing.is_empty() { default } else { self.replacing };
        [self.before, default, self.after].concat()
    }

    /// Reads the options at the beginning of the lines of a `requirements.txt`.
    pub(super) fn read_requirements(&mut self, text: &str) {
        for line in text.lines().map(str::trim) {
            let (option, value) = line.split_once([' ', '=']).unwrap_or((line, ""));
            let value = value.trim().to_owned();
            match option {
                "-i" | "--index-url" => self.replacing = vec![value],
                "--extra-index-url" => self.after.push(value),
                "--no-index" => self.is_disabled = true,
                _ => {}
            }
        }
    }

    /// Reads a `pyproject.toml`, `uv.toml` or `Pipfile`. `package` can be pinned to one of the
    /// indexes.
    pub(super) fn read_tables(&mut self, file: &str, text: &str, package: &str) {
        let values = Values::read(Format::Toml, text);
        let Some(&root) = values.roots.first() else { return };
        let at = |keys: &[&str]| keys.iter().try_fold(root, |at, key| values.child(at, key));
        match file {
            "Pipfile" => {
                let urls =
                    at(&["source"]).into_iter().flat_map(|at| values.all[at].children.iter());
                let urls = urls.filter_map(|&at| values.text(values.child(at, "url")?));
                self.replacing = urls.collect();
            }
            "uv.toml" => self.read_uv(&values, root, package),
            _ => {
                if let Some(uv) = at(&["tool", "uv"]) {
                    self.read_uv(&values, uv, package);
                }
                for tool in ["poetry", "pdm"] {
                    if let Some(sources) = at(&["tool", tool, "source"]) {
                        self.read_sources(&values, sources);
                    }
                }
            }
        }
    }

    fn read_uv(&mut self, values: &Values, uv: usize, package: &str) {
        let text = |at: usize, key: &str| values.text(values.child(at, key)?);
        let is_set = |at: usize, key: &str| {
            values.child(at, key).is_some_and(|at| values.all[at].datum == Datum::Bool(true))
        };
        let source = ["sources", package].iter().try_fold(uv, |at, key| values.child(at, key));
        let pinned = source.and_then(|at| text(at, "index"));
        let indexes = values.child(uv, "index").into_iter();
        for &at in indexes.flat_map(|at| values.all[at].children.iter()) {
            let Some(url) = text(at, "url") else { continue };
            if pinned.is_some() && text(at, "name") == pinned {
                self.pinned = Some(url);
            } else if is_set(at, "default") {
                self.replacing = vec![url];
            } else if !is_set(at, "explicit") {
                self.before.push(url);
            }
        }
        self.replacing.extend(text(uv, "index-url"));
        let extra = values.child(uv, "extra-index-url").into_iter();
        let extra = extra.flat_map(|at| values.all[at].children.iter());
        self.before.extend(extra.filter_map(|&at| values.text(at)));
        self.is_disabled |= is_set(uv, "no-index");
    }

    /// Reads the sources of Poetry or PDM. A source without a priority replaces PyPI.
    fn read_sources(&mut self, values: &Values, sources: usize) {
        for &at in &values.all[sources].children {
            let text = |key: &str| values.text(values.child(at, key)?);
            let Some(url) = text("url") else { continue };
            match text("priority").as_deref() {
                Some("explicit") => {}
                Some("supplemental" | "secondary") => self.after.push(url),
                _ => self.replacing.push(url),
            }
        }
    }
}

/// The default index in a `pip.conf`.
pub(super) fn pip(text: &str) -> Option<String> {
    let tree = ini::parse(text);
    let sections =
        (0..tree.nodes.len()).filter(|&at| matches!(&*tree.nodes[at].key, "global" | "install"));
    sections.into_iter().find_map(|at| tree.text(at, "index-url").map(str::to_owned))
}

/// The value of a variable in a file with lines `NAME=value`.
pub(super) fn variable(text: &str, name: &str) -> Option<String> {
    text.lines().find_map(|line| {
        let (key, value) = line.split_once('=')?;
        (key.trim() == name).then(|| value.trim().to_owned())
    })
}

/// Whether a pattern of `GOPRIVATE` matches a prefix of the path of a module.
pub(super) fn is_go_match(pattern: &str, module: &str) -> bool {
    if pattern.is_empty() {
        return false;
    }
    let segments = pattern.split('/').count();
    let prefix: Vec<&str> = module.split('/').take(segments).collect();
    let glob = globset::GlobBuilder::new(pattern).literal_separator(true).build();
    prefix.len() == segments
        && glob.is_ok_and(|glob| glob.compile_matcher().is_match(prefix.join("/")))
}
