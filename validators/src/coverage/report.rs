//! The content of a coverage report, in all formats.

use super::paths::Target;
use super::{formats, json, xml};
use std::collections::HashMap;
use std::ops::Range;
use thiserror::Error;

/// Adjacent lines of a file, either all covered or all uncovered; zero-based.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Segment {
    pub(super) lines: Range<u32>,
    pub(super) is_covered: bool,
}

/// Why a report cannot be used.
#[derive(Debug, Error)]
pub(super) enum Malformed {
    #[error("is malformed in line {0}: {1}")]
    Line(usize, &'static str),
    #[error("is malformed: {0}")]
    Json(#[from] serde_json::Error),
    #[error("is malformed: {0}")]
    Xml(#[from] roxmltree::Error),
    #[error("is malformed: {0}")]
    Structure(&'static str),
    #[error(
        "has an unknown format; known: LCOV, Cobertura, JaCoCo, Go cover profile, llvm-cov JSON, \
         coverage.py JSON"
    )]
    Unknown,
}

/// How a report refers to files.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Naming {
    /// By a path that is absolute, or relative to a directory above the report.
    Paths,
    /// By the import path of a Go package, followed by the file name.
    GoImport,
    /// By the directory of a Java package, followed by the file name.
    JavaPackage,
}

/// The executable lines of the files in a report.
#[derive(Debug)]
pub(super) struct Coverage {
    naming: Naming,
    /// The base directories for relative names, as listed in the report.
    sources: Vec<String>,
    files: Vec<(String, Vec<Segment>)>,
    /// File name → indexes of `files`.
    by_name: HashMap<String, Vec<usize>>,
}

/// The lines of a report while it is parsed.
#[derive(Debug, Default)]
pub(super) struct Builder {
    pub(super) sources: Vec<String>,
    files: HashMap<String, Vec<Segment>>,
}

impl Builder {
    /// The list of a file's segments, which the parser extends.
    pub(super) fn file(&mut self, name: &str) -> &mut Vec<Segment> {
        let name = name.replace('\\', "/");
        let name = name.strip_prefix("./").unwrap_or(&name);
        self.files.entry(name.to_owned()).or_default()
    }

    pub(super) fn finish(self, naming: Naming) -> Coverage {
        let mut files: Vec<(String, Vec<Segment>)> =
            self.files.into_iter().map(|(name, segments)| (name, merge(segments))).collect();
        files.sort_by(|(left, _), (right, _)| left.cmp(right));
        let mut by_name: HashMap<String, Vec<usize>> = HashMap::new();
        for (index, (name, _)) in files.iter().enumerate() {
            by_name.entry(last_part(name).to_owned()).or_default().push(index);
        }
        Coverage { naming, sources: self.sources, files, by_name }
    }
}

fn last_part(path: &str) -> &str {
    path.rsplit('/').next().unwrap_or(path)
}

/// A segment of the one-based lines from `first` to `last`; `None` if there are none.
pub(super) fn segment(first: u32, last: u32, is_covered: bool) -> Option<Segment> {
    (first > 0 && first <= last).then(|| Segment { lines: first - 1..last, is_covered })
}

impl Coverage {
    /// The lines of a file; `None` if the report does not list it.
    pub(super) fn lines_of(&self, target: &Target<'_>) -> Option<&[Segment]> {
        let candidates = self.by_name.get(last_part(target.path))?;
        let matching = candidates.iter().filter(|&&index| {
            let name = &self.files[index].0;
            target.matches(self.naming, name)
                || !is_absolute(name)
                    && self.sources.iter().any(|source| {
                        let joined = format!("{}/{name}", source.trim_end_matches('/'));
                        target.matches(self.naming, joined.trim_start_matches("./"))
                    })
        });
        let index = *matching.max_by_key(|&&index| self.files[index].0.len())?;
        Some(&self.files[index].1)
    }
}

pub(super) fn is_absolute(name: &str) -> bool {
    name.starts_with('/') || name.get(1..3).is_some_and(|part| part == ":/")
}

/// Merges segments so that they are sorted and do not overlap; a line is covered if any segment
/// covers it.
pub(super) fn merge(segments: Vec<Segment>) -> Vec<Segment> {
    // For each start and each end of a segment: the line, and how the numbers of all segments and
    // of covered segments change there.
    let mut edges: Vec<(u32, i64, i64)> = Vec::with_capacity(2 * segments.len());
    for Segment { lines, is_covered } in segments {
        let covered = i64::from(is_covered);
        edges.push((lines.start, 1, covered));
        edges.push((lines.end, -1, -covered));
    }
    edges.sort_unstable();
    let mut merged: Vec<Segment> = Vec::new();
    let (mut start, mut all, mut covered) = (0, 0, 0);
    for (line, all_change, covered_change) in edges {
        if all > 0 && line > start {
            let is_covered = covered > 0;
            match merged.last_mut() {
                Some(last) if last.lines.end == start && last.is_covered == is_covered => {
                    last.lines.end = line;
                }
                _ => merged.push(Segment { lines: start..line, is_covered }),
            }
        }
        start = line;
        all += all_change;
        covered += covered_change;
    }
    merged
}

/// Parses a report in any known format.
pub(super) fn parse(text: &str) -> Result<Coverage, Malformed> {
    let text = text.trim_start_matches('\u{FEFF}');
    let start = text.trim_start();
    if start.starts_with('<') {
        xml::parse(start)
    } else if start.starts_with('{') {
        json::parse(start)
    } else if start.starts_with("mode:") {
        formats::go(text)
    } else if ["TN:", "SF:", "VER:", "#"].iter().any(|key| start.starts_with(key)) {
        formats::lcov(text)
    } else {
        Err(Malformed::Unknown)
    }
}
