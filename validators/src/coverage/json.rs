//! Parses the JSON formats: llvm-cov and coverage.py.

use super::report::{Builder, Coverage, Malformed, Naming, segment};
use serde::Deserialize;
use serde::de::IgnoredAny;
use std::collections::BTreeMap;

/// The fields of both formats that are read.
#[derive(Deserialize)]
struct Export {
    /// The files of coverage.py.
    files: Option<BTreeMap<String, PythonFile>>,
    /// The exports of llvm-cov.
    data: Option<Vec<LlvmExport>>,
}

#[derive(Deserialize)]
struct PythonFile {
    executed_lines: Vec<u32>,
    missing_lines: Vec<u32>,
}

#[derive(Deserialize)]
struct LlvmExport {
    files: Vec<LlvmFile>,
}

#[derive(Deserialize)]
struct LlvmFile {
    filename: String,
    #[serde(default)]
    segments: Vec<LlvmSegment>,
}

/// The position where a region starts, or where the enclosing region continues.
#[derive(Clone, Copy, Deserialize)]
struct LlvmSegment(
    /// The one-based line of the start.
    u32,
    /// The one-based column of the start.
    IgnoredAny,
    /// The execution count of the region.
    u64,
    /// Whether the segment has an execution count.
    bool,
    /// Whether a region starts at this position.
    bool,
    /// Whether the region is a gap between other regions.
    #[serde(default)]
    bool,
);

/// Parses a report in JSON.
pub(super) fn parse(text: &str) -> Result<Coverage, Malformed> {
    let export: Export = serde_json::from_str(text)?;
    let mut report = Builder::default();
    match export {
        Export { files: Some(files), .. } => {
            for (name, file) in files {
                let lines = report.file(&name);
                for (numbers, is_covered) in
                    [(file.executed_lines, true), (file.missing_lines, false)]
                {
                    lines.extend(
                        numbers.into_iter().filter_map(|line| segment(line, line, is_covered)),
                    );
                }
            }
        }
        Export { data: Some(exports), .. } => {
            for file in exports.into_iter().flat_map(|export| export.files) {
                add_llvm_file(&mut report, &file);
            }
        }
        _ => return Err(Malformed::Unknown),
    }
    Ok(report.finish(Naming::Paths))
}

/// Adds the lines of a file. As in llvm-cov, the count of a line is the highest count among the
/// regions that start in the line and the region that contains the start of the line.
fn add_llvm_file(report: &mut Builder, file: &LlvmFile) {
    let lines = report.file(&file.filename);
    let mut enclosing: Option<LlvmSegment> = None;
    for group in file.segments.chunk_by(|left, right| left.0 == right.0) {
        let line = group[0].0;
        let has_count = |segment: &LlvmSegment| segment.3;
        if let Some(before) = enclosing.filter(has_count) {
            let first = before.0.saturating_add(1);
            lines.extend(segment(first, line.saturating_sub(1), before.2 > 0));
        }
        let is_counted_start =
            |LlvmSegment(_, _, _, has_count, is_start, _): &LlvmSegment| *has_count && *is_start;
        let starts = || group.iter().filter(|segment| is_counted_start(segment) && !segment.5);
        let is_skipped = !group[0].3 && group[0].4;
        let is_mapped = !is_skipped
            && (enclosing.is_some_and(|before| before.3) || starts().next().is_some())
            || group.iter().any(is_counted_start);
        if is_mapped {
            let counts = starts().map(|segment| segment.2).chain(enclosing.map(|before| before.2));
            lines.extend(segment(line, line, counts.max().unwrap_or_default() > 0));
        }
        enclosing = group.last().copied();
    }
}
