//! The parts that a page divides the code into: globs, globs with captures, and packages.

use super::LayersError;
use crate::text::captures::PathPattern;
use crate::text::paths::Globs;
use globset::{GlobBuilder, GlobMatcher};

/// The prefixes of the registries whose packages a page can list, each with the separator in its
/// package names.
pub(super) const REGISTRIES: [(&str, &str); 5] =
    [("npm:", "/"), ("crate:", "::"), ("py:", "."), ("go:", "/"), ("java:", ".")];

/// A part of the code.
#[derive(Debug)]
pub(super) struct Part {
    /// The part as written in the page.
    pub(super) text: String,
    /// `None` if the part contains no files.
    globs: Option<Globs>,
}

impl Part {
    pub(super) fn new(base: &str, globs: &[String]) -> Result<Self, LayersError> {
        let compiled = if globs.is_empty() { None } else { Some(Globs::below(base, globs, &[])?) };
        Ok(Self { text: globs.join(", "), globs: compiled })
    }

    pub(super) fn contains(&self, path: &str) -> bool {
        self.globs.as_ref().is_some_and(|globs| globs.matches(path))
    }
}

/// A set of parts and packages.
#[derive(Debug)]
pub(super) struct Targets {
    /// The entries as written in the page.
    pub(super) text: String,
    part: Part,
    packages: Vec<Package>,
}

#[derive(Debug)]
struct Package {
    /// The name with its registry: `npm:lodash`.
    name: String,
    separator: &'static str,
    /// The name as a glob, if it contains `*`.
    glob: Option<GlobMatcher>,
}

impl Targets {
    pub(super) fn new(base: &str, entries: &[String]) -> Result<Self, LayersError> {
        let registry =
            |entry: &String| REGISTRIES.into_iter().find(|(prefix, _)| entry.starts_with(prefix));
        let (packages, globs): (Vec<&String>, Vec<&String>) =
            entries.iter().partition(|entry| registry(entry).is_some());
        if let Some(unknown) = globs.iter().find(|glob| glob.contains(':')) {
            return Err(LayersError::Registry((*unknown).clone()));
        }
        let globs: Vec<String> = globs.into_iter().cloned().collect();
        let package = |name: &String| {
            let separator = registry(name).map_or("/", |(_, separator)| separator);
            let glob = if name.contains(['*', '?', '[', '{']) {
                let glob = GlobBuilder::new(name).build().map_err(LayersError::Package)?;
                Some(glob.compile_matcher())
            } else {
                None
            };
            Ok(Package { name: name.clone(), separator, glob })
        };
        Ok(Self {
            text: entries.join(", "),
            part: Part::new(base, &globs)?,
            packages: packages.into_iter().map(package).collect::<Result<_, LayersError>>()?,
        })
    }

    pub(super) fn contains(&self, path: &str) -> bool {
        self.part.contains(path)
    }

    /// Whether `package` is one of the packages, or a module in one of them (`npm:lodash/fp` for
    /// the entry `npm:lodash`).
    pub(super) fn contains_package(&self, package: &str) -> bool {
        self.packages.iter().any(|known| {
            let rest = package.strip_prefix(known.name.as_str());
            rest.is_some_and(|rest| rest.is_empty() || rest.starts_with(known.separator))
                || known.glob.as_ref().is_some_and(|glob| glob.is_match(package))
        })
    }

    pub(super) fn has_packages(&self) -> bool {
        !self.packages.is_empty()
    }
}

/// A path pattern whose captures distinguish the parts.
#[derive(Debug)]
pub(super) struct Capture {
    /// The pattern as written in the page.
    pub(super) text: String,
    pattern: PathPattern,
}

impl Capture {
    /// Compiles a pattern. As in other globs of a page, a pattern without a slash matches names in
    /// any directory, and a pattern that ends with a slash matches everything in the directory.
    pub(super) fn new(base: &str, text: &str) -> Result<Self, LayersError> {
        let full = if text.ends_with('/') {
            format!("{text}**")
        } else if text.contains('/') || text == "**" {
            text.to_owned()
        } else {
            format!("**/{text}")
        };
        Ok(Self { text: text.to_owned(), pattern: PathPattern::new(base, &full)? })
    }

    pub(super) fn has_names(&self) -> bool {
        self.pattern.names().next().is_some()
    }

    /// The values of the captures in `path`; empty if there are no captures, `None` if the path
    /// does not match.
    pub(super) fn key(&self, path: &str) -> Option<String> {
        let found = self.pattern.find(path)?;
        Some(found.into_values().collect::<Vec<_>>().join("/"))
    }
}
