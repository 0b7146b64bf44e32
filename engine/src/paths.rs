//! Which paths a rule, an override or a selection speaks of.

use aidd_content::page::CheckHeader;
use globset::{Glob, GlobBuilder, GlobSet, GlobSetBuilder};
use std::path::Path;

/// Paths by two lists of globs: those meant and those left out.
#[derive(Clone, Debug)]
pub struct Globs {
    /// `None`: every path.
    include: Option<GlobSet>,
    exclude: Option<GlobSet>,
}

impl Globs {
    /// Every path.
    #[must_use]
    pub fn all() -> Self {
        Self { include: None, exclude: None }
    }

    /// The paths that match one of `include` (any path, when that is empty) and none of `exclude`.
    /// A glob without a slash speaks of the file name in any folder, as in an ignore file; one that
    /// ends in a slash speaks of all that is below.
    ///
    /// # Errors
    /// The first glob that is malformed, and why.
    pub fn new<S: AsRef<str>>(include: &[S], exclude: &[S]) -> Result<Self, String> {
        Self::below("", include, exclude)
    }

    /// The paths that the check of a page speaks of: relative to the folder that holds the rules
    /// folder of the page. A malformed glob matches nothing; the page carries the finding.
    #[must_use]
    pub fn of_check(check: &CheckHeader, page: Option<&str>) -> Self {
        let base = page.map_or("", scope_of);
        Self::below(base, &check.files, &check.exclude)
            .unwrap_or(Self { include: Some(GlobSet::empty()), exclude: None })
    }

    fn below<S: AsRef<str>>(base: &str, include: &[S], exclude: &[S]) -> Result<Self, String> {
        let include = match (include.is_empty(), base) {
            (true, "") => None,
            (true, _) => Some(set(base, &["**"])?),
            (false, _) => Some(set(base, include)?),
        };
        Ok(Self {
            include,
            exclude: if exclude.is_empty() { None } else { Some(set(base, exclude)?) },
        })
    }

    /// Whether `path` (relative, `/` between segments) is meant.
    #[must_use]
    pub fn matches(&self, path: &str) -> bool {
        self.include.as_ref().is_none_or(|include| include.is_match(path)) && !self.excludes(path)
    }

    /// Whether `path` is left out; a folder is given with a slash at its end.
    #[must_use]
    pub fn excludes(&self, path: &str) -> bool {
        self.exclude.as_ref().is_some_and(|exclude| exclude.is_match(path))
    }
}

/// The folder whose files a project's page speaks of: the one that holds `rules/`, `ai/rules/` or
/// `.aidd/rules/`. Empty for the root.
fn scope_of(page: &str) -> &str {
    for folder in [".aidd/rules/", "ai/rules/", "rules/"] {
        if page.starts_with(folder) {
            return "";
        }
        if let Some(at) = page.find(&format!("/{folder}")) {
            return &page[..at];
        }
    }
    ""
}

fn set<S: AsRef<str>>(base: &str, globs: &[S]) -> Result<GlobSet, String> {
    let mut set = GlobSetBuilder::new();
    for glob in globs {
        set.add(path_glob(base, glob.as_ref())?);
    }
    set.build().map_err(|error| error.to_string())
}

fn path_glob(base: &str, glob: &str) -> Result<Glob, String> {
    let anchored = glob.strip_prefix("./").or_else(|| glob.strip_prefix('/'));
    let mut full = anchored.unwrap_or(glob).to_owned();
    if full.ends_with('/') {
        full.push_str("**");
    } else if anchored.is_none() && !full.contains('/') {
        full = format!("**/{full}");
    }
    if !base.is_empty() {
        full = format!("{}/{full}", globset::escape(base));
    }
    GlobBuilder::new(&full).literal_separator(true).build().map_err(|error| error.to_string())
}

/// A set of globs on rule ids, in which `*` also crosses no slash: `secrets/*`.
///
/// # Errors
/// The first glob that is malformed, and why.
pub fn rule_globs<S: AsRef<str>>(globs: &[S]) -> Result<GlobSet, String> {
    let mut set = GlobSetBuilder::new();
    for glob in globs {
        let glob = GlobBuilder::new(glob.as_ref()).case_insensitive(true).build();
        set.add(glob.map_err(|error| error.to_string())?);
    }
    set.build().map_err(|error| error.to_string())
}

/// The path from the root, with `/` between segments; bytes that are not UTF-8 become U+FFFD.
#[must_use]
pub fn relative(root: &Path, path: &Path) -> String {
    let below = path.strip_prefix(root).unwrap_or(path);
    let segments = below.components().filter_map(|part| match part {
        std::path::Component::Normal(name) => Some(name.to_string_lossy()),
        std::path::Component::ParentDir => Some("..".into()),
        _ => None,
    });
    segments.collect::<Vec<_>>().join("/")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn globs_read_as_in_an_ignore_file() {
        let matches =
            |globs: &[&str], path: &str| Globs::new(globs, &[]).expect("valid").matches(path);
        assert!(matches(&["*.rs"], "a/b/c.rs"));
        assert!(matches(&["src/*.rs"], "src/c.rs"));
        assert!(!matches(&["src/*.rs"], "src/a/c.rs"));
        assert!(matches(&["src/**/*.{rs,ts}"], "src/c.ts"));
        assert!(matches(&["vendor/"], "vendor/a/b"));
        assert!(matches(&["./a.rs"], "a.rs") && !matches(&["./a.rs"], "b/a.rs"));
        assert!(matches(&[], "anything"));
        assert!(Globs::new(&["a{"], &[]).is_err());
    }

    #[test]
    fn a_rule_speaks_of_the_folder_it_lies_in() {
        assert_eq!(scope_of("packages/a/.aidd/rules/x/y.md"), "packages/a");
        assert_eq!(scope_of("rules/x/y.md"), "");
        let check = CheckHeader { files: vec!["*.rs".into()], ..CheckHeader::default() };
        let globs = Globs::of_check(&check, Some("packages/a/rules/x.md"));
        assert!(globs.matches("packages/a/src/b.rs") && !globs.matches("b.rs"));
    }
}
