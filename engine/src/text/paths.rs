//! Path globs: which paths a rule, an override or a selection applies to.

use aidd_page::CheckHeader;
use globset::{ErrorKind, Glob, GlobBuilder, GlobSet, GlobSetBuilder};
use std::path::Path;
use std::sync::OnceLock;
use thiserror::Error;

/// Why a glob cannot be used.
#[derive(Clone, Debug, PartialEq, Eq, Error)]
pub enum GlobError {
    /// The glob is empty.
    #[error("empty glob")]
    Empty,
    /// The glob is malformed.
    #[error("not a glob: `{glob}`: {why}")]
    Malformed {
        /// The glob as written.
        glob: String,
        /// The fault in the glob.
        why: ErrorKind,
    },
    /// Each glob is valid, but the compiled set is too large.
    #[error("{0}")]
    Set(globset::Error),
}

/// A set of paths defined by two lists of globs: included and excluded.
#[derive(Clone, Debug)]
pub struct Globs {
    /// The source of `compiled`. The globs are compiled when the first path is matched, because
    /// most rules are disabled and never match a path.
    source: Option<GlobSource>,
    compiled: OnceLock<CompiledGlobs>,
}

/// The globs as written in a page.
#[derive(Clone, Debug)]
struct GlobSource {
    base: String,
    include: Vec<String>,
    exclude: Vec<String>,
}

#[derive(Clone, Debug)]
struct CompiledGlobs {
    /// `None` matches every path.
    include: Option<GlobSet>,
    exclude: Option<GlobSet>,
}

impl Globs {
    /// Matches every path.
    #[must_use]
    pub fn all() -> Self {
        Self::from_compiled(CompiledGlobs { include: None, exclude: None })
    }

    fn from_compiled(compiled: CompiledGlobs) -> Self {
        Self { source: None, compiled: compiled.into() }
    }

    /// The paths that match one of `include` (any path if empty) and none of `exclude`. A glob
    /// without a slash matches the file name in any directory, as in an ignore file; a glob that
    /// ends in a slash matches everything below that directory.
    ///
    /// # Errors
    /// The first malformed glob.
    pub fn new<S: AsRef<str>>(include: &[S], exclude: &[S]) -> Result<Self, GlobError> {
        Self::below("", include, exclude)
    }

    /// The paths that the check of a page applies to, relative to the directory that contains the
    /// page's rules directory. A malformed glob matches nothing; a finding on the page reports it.
    #[must_use]
    pub fn from_check(check: &CheckHeader, page: Option<&str>) -> Self {
        let written = GlobSource {
            base: page.map_or("", scope_of).to_owned(),
            include: check.files.clone(),
            exclude: check.exclude.clone(),
        };
        Self { source: Some(written), compiled: OnceLock::new() }
    }

    /// Like [`Globs::new`], with globs relative to the directory `base`.
    ///
    /// # Errors
    /// The same as [`Globs::new`].
    pub fn below<S: AsRef<str>>(
        base: &str,
        include: &[S],
        exclude: &[S],
    ) -> Result<Self, GlobError> {
        Ok(Self::from_compiled(compile(base, include, exclude)?))
    }

    fn compiled(&self) -> &CompiledGlobs {
        self.compiled.get_or_init(|| {
            let written = self.source.as_ref();
            let compiled =
                written.map(|globs| compile(&globs.base, &globs.include, &globs.exclude));
            let nothing = CompiledGlobs { include: Some(GlobSet::empty()), exclude: None };
            compiled.and_then(Result::ok).unwrap_or(nothing)
        })
    }

    /// Whether `path` (relative, `/` between segments) is included and not excluded.
    #[must_use]
    pub fn matches(&self, path: &str) -> bool {
        let include = self.compiled().include.as_ref();
        include.is_none_or(|include| include.is_match(path)) && !self.excludes(path)
    }

    /// Whether `path` is excluded; a directory path must end with a slash.
    #[must_use]
    pub fn excludes(&self, path: &str) -> bool {
        self.compiled().exclude.as_ref().is_some_and(|exclude| exclude.is_match(path))
    }
}

fn compile<S: AsRef<str>>(
    base: &str,
    include: &[S],
    exclude: &[S],
) -> Result<CompiledGlobs, GlobError> {
    let include = match (include.is_empty(), base) {
        (true, "") => None,
        (true, _) => Some(build_glob_set(base, &["**"])?),
        (false, _) => Some(build_glob_set(base, include)?),
    };
    let exclude = if exclude.is_empty() { None } else { Some(build_glob_set(base, exclude)?) };
    Ok(CompiledGlobs { include, exclude })
}

/// The directory whose files a project's page applies to: the directory that contains `rules/`,
/// `ai/rules/` or `.aidd/rules/`, or `ai/memory/` for a memory with a check. Empty for the root.
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

fn build_glob_set<S: AsRef<str>>(base: &str, globs: &[S]) -> Result<GlobSet, GlobError> {
    let mut set = GlobSetBuilder::new();
    for glob in globs {
        set.add(path_glob(base, glob.as_ref())?);
    }
    set.build().map_err(GlobError::Set)
}

/// The error of a malformed path glob; `None` if the glob is valid.
#[must_use]
pub fn malformed(glob: &str) -> Option<GlobError> {
    path_glob("", glob).err()
}

/// Converts an error of the glob parser; `glob` is the glob as written.
fn glob_error(glob: &str, error: &globset::Error) -> GlobError {
    GlobError::Malformed { glob: glob.to_owned(), why: error.kind().clone() }
}

fn path_glob(base: &str, glob: &str) -> Result<Glob, GlobError> {
    if glob.is_empty() {
        return Err(GlobError::Empty);
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
    built.map_err(|error| glob_error(glob, &error))
}

/// The path of `name` in `folder` (empty for the root).
#[must_use]
pub fn below(folder: &str, name: &str) -> String {
    if folder.is_empty() { name.to_owned() } else { format!("{folder}/{name}") }
}

/// The parent directory of a path; empty for the root.
pub fn parent_dir(path: &str) -> &str {
    path.rsplit_once('/').map_or("", |(folder, _)| folder)
}

/// A directory and its ancestors, nearest first; the root is empty.
pub fn upwards(folder: &str) -> impl Iterator<Item = &str> {
    std::iter::successors(Some(folder), |at| (!at.is_empty()).then(|| parent_dir(at)))
}

/// Resolves `to` relative to `folder`; `None` when it leaves the project.
pub fn join(folder: &str, to: &str) -> Option<String> {
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

/// A set of globs over rule ids, such as `secrets/*`, in any case.
#[derive(Clone, Debug)]
pub struct RuleGlobs {
    /// The beginnings of the ids, for the globs that end with their only `*`: most do, and a regular
    /// expression takes longer to compile than a small file takes to check.
    prefixes: Vec<String>,
    others: GlobSet,
}

impl RuleGlobs {
    /// Whether a glob matches `id`.
    pub fn is_match(&self, id: impl AsRef<str>) -> bool {
        let id = id.as_ref();
        let starts_with = |prefix: &String| {
            id.get(..prefix.len()).is_some_and(|start| start.eq_ignore_ascii_case(prefix))
        };
        self.prefixes.iter().any(starts_with) || self.others.is_match(id)
    }
}

/// A set of globs over rule ids.
///
/// # Errors
/// The first malformed glob.
pub fn rule_globs<S: AsRef<str>>(globs: &[S]) -> Result<RuleGlobs, GlobError> {
    let is_plain = |c: char| c.is_ascii_alphanumeric() || matches!(c, '/' | '-' | '_' | '.');
    let (mut prefixes, mut others) = (Vec::new(), GlobSetBuilder::new());
    for glob in globs.iter().map(S::as_ref) {
        match glob.strip_suffix('*').filter(|prefix| prefix.chars().all(is_plain)) {
            Some(prefix) => prefixes.push(prefix.to_owned()),
            None => {
                let built = GlobBuilder::new(glob).case_insensitive(true).build();
                others.add(built.map_err(|error| glob_error(glob, &error))?);
            }
        }
    }
    Ok(RuleGlobs { prefixes, others: others.build().map_err(GlobError::Set)? })
}

/// The path relative to the root, with `/` between segments; bytes that are not UTF-8 become
/// U+FFFD.
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

/// Why a file cannot be created at a path named by a rule, a page or an agent.
#[derive(Clone, Debug, PartialEq, Eq, Error)]
pub enum PathError {
    /// The path is empty.
    #[error("the path is empty; specify a file, such as src/a.ts")]
    Empty,
    /// `C:\…`, `\\host\…` or `~`; the meaning depends on the operating system.
    #[error(
        "`{0}` starts with a drive, a network share or a home directory; specify a path relative \
         to the project's root"
    )]
    Rooted(String),
    /// A backslash is a separator on one system and part of a name on another.
    #[error("`{0}` contains a backslash; separate directories with `/`")]
    Backslash(String),
    /// The path leaves the project.
    #[error("`{0}` is outside of the project; specify a path below the project's root")]
    Outside(String),
    /// A name that is invalid or has a special meaning on some system.
    #[error("`{0}` is not a valid file name on every system; choose another name")]
    Name(String),
}

/// Checks whether a new file can be created at `path`: the path must refer to the same location on
/// every operating system, and must be below the directory that it is relative to. Links are not
/// checked; see `Disk::path_for_new_file`.
///
/// # Errors
/// The first problem found in the path.
pub fn check_new(path: &str) -> Result<(), PathError> {
    check_form(path)?;
    if path.starts_with('/') || path.split('/').any(|name| name == "..") {
        return Err(PathError::Outside(path.to_owned()));
    }
    match path.split('/').find(|name| !is_portable(name)) {
        Some(name) => Err(PathError::Name(name.escape_debug().to_string())),
        None => Ok(()),
    }
}

/// The part of [`check_new`] that also applies to absolute paths.
pub(crate) fn check_form(path: &str) -> Result<(), PathError> {
    if path.trim().is_empty() {
        return Err(PathError::Empty);
    }
    let is_separator = |c: char| matches!(c, '/' | '\\');
    let mut start = path.chars();
    let is_rooted = match (start.next(), start.next()) {
        (Some('~'), _) => true,
        (Some(drive), Some(':')) => drive.is_ascii_alphabetic(),
        (Some(first), Some(second)) => is_separator(first) && is_separator(second),
        _ => false,
    };
    if is_rooted {
        return Err(PathError::Rooted(path.escape_debug().to_string()));
    }
    if path.contains('\\') {
        return Err(PathError::Backslash(path.escape_debug().to_string()));
    }
    Ok(())
}

/// Whether `name` is a valid file name on every system. Windows drops trailing dots and spaces,
/// treats a colon as the start of a stream name, and has device names in every directory.
fn is_portable(name: &str) -> bool {
    const DEVICES: [&str; 6] = ["aux", "con", "conin$", "conout$", "nul", "prn"];
    if matches!(name, "" | ".") {
        return true;
    }
    let stem = name.split('.').next().unwrap_or(name).trim_end().to_ascii_lowercase();
    let numbered = |device: &str| {
        let mut rest = stem.strip_prefix(device).unwrap_or_default().chars();
        matches!((rest.next(), rest.next()), (Some('0'..='9' | '¹' | '²' | '³'), None))
    };
    !name.ends_with(['.', ' '])
        && !name
            .chars()
            .any(|c| c.is_control() || matches!(c, ':' | '<' | '>' | '"' | '|' | '?' | '*'))
        && !DEVICES.contains(&&*stem)
        && !numbered("com")
        && !numbered("lpt")
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    proptest! {
        #[test]
        fn globs_of_rules_match_like_other_globs(
            glob in "[abA/.*?-]{0,6}",
            id in "[abB/.-]{0,8}",
        ) {
            let other = GlobBuilder::new(&glob).case_insensitive(true).build();
            let other = other.map(|glob| glob.compile_matcher().is_match(&id));
            let ours = rule_globs(&[&glob]).map(|globs| globs.is_match(&id));
            prop_assert_eq!(ours.ok(), other.ok());
        }
    }

    #[test]
    fn a_new_file_has_the_same_location_on_every_system() {
        for path in [
            "a.ts",
            "src/a.ts",
            "./a",
            ".aidd/rules/team/x.md",
            "app/[id]/page.tsx",
            "com",
            "nullable.rs",
        ] {
            assert_eq!(check_new(path), Ok(()), "{path}");
        }
        for path in [
            "C:\\x",
            "C:foo",
            "c:/x",
            "\\\\host\\x",
            "//host/x",
            "\\\\?\\C:\\x",
            "\\\\.\\pipe\\x",
            "/\\x",
            "~",
            "~/x",
            "~root/x",
            "~\\x",
        ] {
            assert!(matches!(check_new(path), Err(PathError::Rooted(_))), "{path}");
        }
        for path in ["/c/x", "/etc/passwd", "..", "../x", "a/../../x"] {
            assert!(matches!(check_new(path), Err(PathError::Outside(_))), "{path}");
        }
        for path in ["\\x", "a\\b", "..\\x"] {
            assert!(matches!(check_new(path), Err(PathError::Backslash(_))), "{path}");
        }
        for path in [
            "a\0",
            "a\nb",
            "a.txt:stream",
            "a.",
            "a /b",
            "nul",
            "src/AUX.ts",
            "COM1.log",
            "lpt9",
            "con .txt",
            "a|b",
        ] {
            assert!(matches!(check_new(path), Err(PathError::Name(_))), "{path:?}");
        }
        assert_eq!(check_new(" "), Err(PathError::Empty));
    }

    #[test]
    fn globs_match_as_in_an_ignore_file() {
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
    fn a_rule_applies_to_its_directory() {
        assert_eq!(scope_of("packages/a/.aidd/rules/x/y.md"), "packages/a");
        assert_eq!(scope_of("rules/x/y.md"), "");
        assert_eq!(scope_of("packages/a/ai/memory/conventions.jsonl"), "packages/a");
        assert_eq!(scope_of("ai/memory/conventions.jsonl"), "");
        let check = CheckHeader { files: vec!["*.rs".into()], ..CheckHeader::default() };
        let globs = Globs::from_check(&check, Some("packages/a/rules/x.md"));
        assert!(globs.matches("packages/a/src/b.rs") && !globs.matches("b.rs"));
    }
}
