//! Sources that the ignore file excludes from the build context.

use super::builds::{BuildContext, BuildFiles};
use super::copy::{is_remote, sources};
use super::{CheckContext, ContextCheck};
use aidd_engine::parse::dockerfile::{Keyword, Word};
use aidd_engine::rules::rule::Report;
use aidd_engine::text::files::{sibling, side_file};

pub(super) const CONTEXT_CHECKS: &[(&str, ContextCheck)] =
    &[("dockerfile/copy-ignored-file", copy_ignored_file)];

fn copy_ignored_file(context: &CheckContext<'_>, report: &mut Report<'_>) {
    let copies = context.docker.instructions.iter().filter(|instruction| {
        matches!(instruction.kind, Keyword::Copy | Keyword::Add)
            && instruction.flag("from").is_none()
    });
    let is_literal = |source: &&Word| {
        let is_special = |c: char| "*?[$\\{<".contains(c);
        !is_remote(&source.text) && !source.text.contains(is_special)
    };
    let sources = copies.flat_map(sources).filter(is_literal);
    let sources = sources.map(|source| (source, normalize(&source.text)));
    let sources: Vec<(&Word, String)> = sources.filter(|(_, name)| !name.is_empty()).collect();
    let files = ignore_files(context, report.source().path(), &sources);
    let Some((path, _)) = files.first() else { return };
    for (source, name) in sources {
        if files.iter().all(|(_, patterns)| is_ignored(patterns, &name)) {
            let message = format!("`{}` is not in the build context", source.text);
            report
                .at(source.span, message)
                .help(format!("`{path}` excludes it; change the path or the ignore file"));
        }
    }
}

/// The path of an ignore file, and its patterns.
type IgnoreFile = (String, Vec<Pattern>);

/// The ignore files of the builds of the Dockerfile at `path`, with their patterns. An ignore file
/// named after the Dockerfile applies to any context; otherwise each build context has its own
/// ignore file. Empty if a context is unknown or has no ignore file. If no build refers to the
/// Dockerfile, the context is assumed to be the directory of the Dockerfile if that directory
/// contains an ignore file, which would otherwise have no effect.
fn ignore_files(
    context: &CheckContext<'_>,
    path: &str,
    sources: &[(&Word, String)],
) -> Vec<IgnoreFile> {
    let read = |path: String| -> Option<IgnoreFile> {
        let text = side_file(context.files, &path)?;
        Some((path, text.lines().filter_map(Pattern::read).collect()))
    };
    if sources.is_empty() {
        return Vec::new();
    }
    if let Some(own) = read(format!("{path}.dockerignore")) {
        return vec![own];
    }
    // The builds are only read if an ignore file above the Dockerfile excludes a source.
    let directories = std::iter::successors(Some(path), |path| Some(path.rsplit_once('/')?.0));
    let excludes =
        |(_, patterns): IgnoreFile| sources.iter().any(|(_, name)| is_ignored(&patterns, name));
    let mut parents = directories.filter_map(|directory| read(sibling(directory, ".dockerignore")));
    if !parents.any(excludes) {
        return Vec::new();
    }
    let in_directory = |directory: &String| {
        let slash = if directory.is_empty() { "" } else { "/" };
        read(format!("{directory}{slash}.dockerignore"))
    };
    match BuildFiles::read(context.files, path).context() {
        BuildContext::Unknown => Vec::new(),
        BuildContext::Unmentioned => read(sibling(path, ".dockerignore")).into_iter().collect(),
        BuildContext::Known(directories) => {
            directories.iter().map(in_directory).collect::<Option<_>>().unwrap_or_default()
        }
    }
}

/// The segments of a path joined by `/`, without `.` and empty segments.
fn normalize(path: &str) -> String {
    let mut segments = Vec::new();
    for segment in path.split('/') {
        match segment {
            "" | "." => {}
            // A path cannot lead out of the build context.
            ".." => drop(segments.pop()),
            _ => segments.push(segment),
        }
    }
    segments.join("/")
}

/// A line of an ignore file.
struct Pattern {
    segments: Vec<String>,
    /// Whether the pattern includes files again (`!`).
    is_negated: bool,
}

impl Pattern {
    fn read(line: &str) -> Option<Self> {
        let line = line.trim_start_matches('\u{FEFF}');
        if line.starts_with('#') {
            return None;
        }
        let line = line.trim();
        let (is_negated, line) =
            line.strip_prefix('!').map_or((false, line), |line| (true, line.trim()));
        let segments: Vec<String> = normalize(line).split('/').map(str::to_owned).collect();
        (segments != [""]).then_some(Self { segments, is_negated })
    }

    /// Whether the pattern matches `path` or a directory above it.
    fn covers(&self, path: &[&str]) -> bool {
        (1..=path.len()).any(|end| matched_globs(&self.segments, &path[..end])[self.segments.len()])
    }

    /// Whether the pattern matches paths within the directory `path`.
    fn can_match_below(&self, path: &[&str]) -> bool {
        matched_globs(&self.segments, path)[..self.segments.len()].contains(&true)
    }
}

/// Whether the patterns exclude `path`: the last matching pattern decides. A directory is not
/// excluded if a later pattern includes something within it.
fn is_ignored(patterns: &[Pattern], path: &str) -> bool {
    let path: Vec<&str> = path.split('/').collect();
    let mut is_excluded = false;
    for pattern in patterns {
        if pattern.is_negated {
            is_excluded &= !(pattern.covers(&path) || pattern.can_match_below(&path));
        } else {
            is_excluded |= pattern.covers(&path);
        }
    }
    is_excluded
}

/// For each n, whether the first n globs match all of `names`; `**` matches any number of names.
fn matched_globs(globs: &[String], names: &[&str]) -> Vec<bool> {
    let is_any = |at: usize| globs.get(at).is_some_and(|glob| glob == "**");
    let mut reached = vec![false; globs.len() + 1];
    reached[0] = true;
    for at in 0..globs.len() {
        reached[at + 1] = reached[at] && is_any(at);
    }
    for name in names {
        let mut next = vec![false; globs.len() + 1];
        for (at, glob) in globs.iter().enumerate() {
            if is_any(at) {
                // This `**` matches the name, and can end after the name.
                next[at] |= reached[at];
            } else if reached[at] && matches_glob(glob.as_bytes(), name.as_bytes()) {
                next[at + 1] = true;
            }
        }
        for at in 0..globs.len() {
            next[at + 1] |= next[at] && is_any(at);
        }
        reached = next;
    }
    reached
}

/// Whether `glob` matches `name`: `*`, `?`, `[…]` and `\`, within one segment.
fn matches_glob(glob: &[u8], name: &[u8]) -> bool {
    let (mut glob_position, mut position) = (0, 0);
    let mut star: Option<(usize, usize)> = None;
    loop {
        if glob.get(glob_position) == Some(&b'*') {
            star = Some((glob_position, position));
            glob_position += 1;
            continue;
        }
        let step = name.get(position).and_then(|&byte| matched_len(&glob[glob_position..], byte));
        match (step, star) {
            (Some(length), _) => {
                glob_position += length;
                position += 1;
            }
            _ if glob_position == glob.len() && position == name.len() => return true,
            (None, Some((from, start))) if start < name.len() => {
                star = Some((from, start + 1));
                (glob_position, position) = (from + 1, start + 1);
            }
            _ => return false,
        }
    }
}

/// Length of the part of `glob` that matches `byte`.
fn matched_len(glob: &[u8], byte: u8) -> Option<usize> {
    match *glob.first()? {
        b'?' => Some(1),
        b'\\' => (glob.get(1) == Some(&byte)).then_some(2),
        b'[' => class_len(glob, byte),
        first => (first == byte).then_some(1),
    }
}

/// Length of the character class at the start of `glob`, if it contains `byte`.
fn class_len(glob: &[u8], byte: u8) -> Option<usize> {
    let negated = glob.get(1) == Some(&b'^');
    let mut at = if negated { 2 } else { 1 };
    let first = at;
    let mut is_match = false;
    loop {
        let low = *glob.get(at)?;
        if low == b']' && at > first {
            return (is_match != negated).then_some(at + 1);
        }
        let high = match (glob.get(at + 1), glob.get(at + 2)) {
            (Some(b'-'), Some(&high)) if high != b']' => {
                at += 2;
                high
            }
            _ => low,
        };
        is_match |= (low..=high).contains(&byte);
        at += 1;
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn is_excluded(text: &str, path: &str) -> bool {
        let patterns: Vec<Pattern> = text.lines().filter_map(Pattern::read).collect();
        is_ignored(&patterns, path)
    }

    #[test]
    fn patterns_match_as_in_the_builder() {
        assert!(is_excluded("node_modules", "node_modules/a/b"));
        assert!(!is_excluded("node_modules", "a/node_modules"));
        assert!(is_excluded("**/node_modules", "a/node_modules/b"));
        assert!(is_excluded("**/*.md", "README.md"));
        assert!(is_excluded("/a/", "a"));
        assert!(is_excluded("a/**", "a/b/c"));
        assert!(!is_excluded("a/*", "a"));
        assert!(is_excluded("*", "x") && !is_excluded("*\n!x", "x/y"));
        assert!(!is_excluded("*\n!src/main", "src"));
        assert!(!is_excluded("a\n!a/**/x", "a/b/c") && is_excluded("a\n!a/*/x", "a/b/c"));
        assert!(is_excluded("*\n!x\nx/y", "x/y"));
        assert!(is_excluded("# no\n\n[a-c]?.t*t", "bz.text"));
        assert!(!is_excluded("[^a-c]", "b") && is_excluded("[^a-c]", "d"));
        assert!(is_excluded("a\\*b", "a*b") && !is_excluded("a\\*b", "axb"));
        assert!(!is_excluded("[a", "[a"));
        assert!(!is_excluded("a*b*c*d", "aXbXcX"));
    }
}
