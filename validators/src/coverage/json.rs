//! The formats in JSON: llvm-cov and coverage.py.

use super::report::{Builder, Coverage, Malformed, Naming, segment};
use serde::Deserialize;
use serde::de::IgnoredAny;
use std::collections::BTreeMap;

/// The parts of both formats that are read.
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

/// The start of a region, or the place where the region around it continues.
#[derive(Clone, Copy, Deserialize)]
struct LlvmSegment(
    /// The one-based line of the start.
    u32,
    /// The one-based column of the start.
    IgnoredAny,
    /// How often the region ran.
    u64,
    /// Whether there is a count.
    bool,
    /// Whether a region starts.
    bool,
    /// Whether the region is between other regions.
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
                llvm_file(&mut report, &file);
            }
        }
        _ => return Err(Malformed::Unknown),
    }
    Ok(report.finish(Naming::Paths))
}

/// Adds the lines of a file, counted as llvm-cov counts them: the count of a line is the highest of
/// the regions that start in it and of the region around its start.
fn llvm_file(report: &mut Builder, file: &LlvmFile) {
    let lines = report.file(&file.filename);
    let mut around: Option<LlvmSegment> = None;
    for group in file.segments.chunk_by(|left, right| left.0 == right.0) {
        let line = group[0].0;
        let has_count = |segment: &LlvmSegment| segment.3;
        if let Some(before) = around.filter(has_count) {
            lines.extend(segment(before.0 + 1, line.saturating_sub(1), before.2 > 0));
        }
        let counted =
            |LlvmSegment(_, _, _, has_count, is_start, _): &LlvmSegment| *has_count && *is_start;
        let starts = || group.iter().filter(|segment| counted(segment) && !segment.5);
        let is_skipped = !group[0].3 && group[0].4;
        let is_mapped = !is_skipped
            && (around.is_some_and(|before| before.3) || starts().next().is_some())
            || group.iter().any(counted);
        if is_mapped {
            let counts = starts().map(|segment| segment.2).chain(around.map(|before| before.2));
            lines.extend(segment(line, line, counts.max().unwrap_or_default() > 0));
        }
        around = group.last().copied();
    }
}
