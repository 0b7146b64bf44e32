//! Which paths a rule, an override or a selection speaks of.

use aidd_content::page::CheckHeader;
use globset::{Glob, GlobBuilder, GlobSet, GlobSetBuilder};
use std::path::Path;
use std::sync::OnceLock;

/// Paths by two lists of globs: those meant and those left out.
#[derive(Clone, Debug)]
pub struct Globs {
    /// What is compiled when the first path is asked about: most rules are off, and never ask.
    written: Option<Written>,
    compiled: OnceLock<Compiled>,
}

/// Globs as a page has them.
#[derive(Clone, Debug)]
struct Written {
    base: String,
    include: Vec<String>,
    exclude: Vec<String>,
}

#[derive(Clone, Debug)]
struct Compiled {
    /// `None`: every path.
    include: Option<GlobSet>,
    exclude: Option<GlobSet>,
}

impl Globs {
    /// Every path.
    #[must_use]
    pub fn all() -> Self {
        Self::ready(Compiled { include: None, exclude: None })
    }

    fn ready(compiled: Compiled) -> Self {
        Self { written: None, compiled: compiled.into() }
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
        let written = Written {
            base: page.map_or("", scope_of).to_owned(),
            include: check.files.clone(),
            exclude: check.exclude.clone(),
        };
        Self { written: Some(written), compiled: OnceLock::new() }
    }

    /// As [`Globs::new`], for globs that count from the folder `base`.
    ///
    /// # Errors
    /// As there.
    pub fn below<S: AsRef<str>>(base: &str, include: &[S], exclude: &[S]) -> Result<Self, String> {
        Ok(Self::ready(compile(base, include, exclude)?))
    }

    fn compiled(&self) -> &Compiled {
        self.compiled.get_or_init(|| {
            let written = self.written.as_ref();
            let compiled =
                written.map(|globs| compile(&globs.base, &globs.include, &globs.exclude));
            let nothing = Compiled { include: Some(GlobSet::empty()), exclude: None };
            compiled.and_then(Result::ok).unwrap_or(nothing)
        })
    }

    /// Whether `path` (relative, `/` between segments) is meant.
    #[must_use]
    pub fn matches(&self, path: &str) -> bool {
        let include = self.compiled().include.as_ref();
        include.is_none_or(|include| include.is_match(path)) && !self.excludes(path)
    }

    /// Whether `path` is left out; a folder is given with a slash at its end.
    #[must_use]
    pub fn excludes(&self, path: &str) -> bool {
        self.compiled().exclude.as_ref().is_some_and(|exclude| exclude.is_match(path))
    }
}

fn compile<S: AsRef<str>>(base: &str, include: &[S], exclude: &[S]) -> Result<Compiled, String> {
    let include = match (include.is_empty(), base) {
        (true, "") => None,
        (true, _) => Some(set(base, &["**"])?),
        (false, _) => Some(set(base, include)?),
    };
    let exclude = if exclude.is_empty() { None } else { Some(set(base, exclude)?) };
    Ok(Compiled { include, exclude })
}

/// The folder whose files a project's page speaks of: the one that holds `rules/`, `ai/rules/` or
/// `.aidd/rules/`, or of a memory with a check `ai/memory/`. Empty for the root.
#[must_use]
pub fn scope_of(page: &str) -> &str {
    for folder in [".aidd/rules/", "ai/rules/", "ai/memory/", "rules/"] {
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

/// Why a glob on paths cannot be read; `None` for one that can.
pub(crate) fn malformed(glob: &str) -> Option<String> {
    path_glob("", glob).err()
}

/// What the reader of a glob says, of the glob as it was written.
fn unreadable(glob: &str, error: &globset::Error) -> String {
    format!("`{glob}` is not a glob: {}", error.kind())
}

fn path_glob(base: &str, glob: &str) -> Result<Glob, String> {
    if glob.is_empty() {
        return Err("an empty glob speaks of no path".to_owned());
    }
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
    let built = GlobBuilder::new(&full).literal_separator(true).build();
    built.map_err(|error| unreadable(glob, &error))
}

/// The path of what is called `name` in `folder` (the root, when empty).
#[must_use]
pub(crate) fn below(folder: &str, name: &str) -> String {
    if folder.is_empty() { name.to_owned() } else { format!("{folder}/{name}") }
}

/// The folder of a path; empty for the root.
pub(crate) fn folder_of(path: &str) -> &str {
    path.rsplit_once('/').map_or("", |(folder, _)| folder)
}

/// A folder and those above it, the nearest first; the root is empty.
pub(crate) fn upwards(folder: &str) -> impl Iterator<Item = &str> {
    std::iter::successors(Some(folder), |at| (!at.is_empty()).then(|| folder_of(at)))
}

/// `to` as seen from `folder`; `None` when it leaves the project.
pub(crate) fn join(folder: &str, to: &str) -> Option<String> {
    let mut parts: Vec<&str> = folder.split('/').filter(|part| !part.is_empty()).collect();
    for part in to.split('/') {
        match part {
            "" | "." => {}
            ".." => {
                parts.pop()?;
            }
            part => parts.push(part),
        }
    }
    Some(parts.join("/"))
}

/// A set of globs on rule ids, in which `*` also crosses no slash: `secrets/*`.
///
/// # Errors
/// The first glob that is malformed, and why.
pub fn rule_globs<S: AsRef<str>>(globs: &[S]) -> Result<GlobSet, String> {
    let mut set = GlobSetBuilder::new();
    for glob in globs {
        let built = GlobBuilder::new(glob.as_ref()).case_insensitive(true).build();
        set.add(built.map_err(|error| unreadable(glob.as_ref(), &error))?);
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
        assert_eq!(scope_of("packages/a/ai/memory/conventions.jsonl"), "packages/a");
        assert_eq!(scope_of("ai/memory/conventions.jsonl"), "");
        let check = CheckHeader { files: vec!["*.rs".into()], ..CheckHeader::default() };
        let globs = Globs::of_check(&check, Some("packages/a/rules/x.md"));
        assert!(globs.matches("packages/a/src/b.rs") && !globs.matches("b.rs"));
    }
}
