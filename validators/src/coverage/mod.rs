//! Finds changed lines that no test runs, according to the reports of coverage tools.

mod formats;
mod json;
mod paths;
mod report;
#[cfg(test)]
mod tests;
mod xml;

use aidd_engine::check::family::{Family, FileContext, LineCoverage, Param, ParamType};
use aidd_engine::rules::rule::Report;
use aidd_engine::text::files::Files;
use aidd_engine::text::kind::Kind;
use aidd_engine::text::source::{Source, Span};
use aidd_engine::workspace::diff::hunks;
use report::{Coverage, Malformed, Segment};
use serde_json::Value;
use std::collections::HashMap;
use std::ops::Range;
use std::sync::Arc;

/// The kind of files whose lines coverage reports can list.
const CODE: Kind = Kind("covered-code");

const UNCOVERED: &str = "tests/uncovered-change";
const UNUSABLE: &str = "tests/unusable-coverage";

/// Maximum size of a report, in bytes.
const MAX_REPORT_SIZE: u64 = 64 << 20;

/// Maximum size of a changed file in the base, in bytes.
const MAX_BASE_SIZE: u64 = 2 << 20;

/// The rules on coverage.
pub(super) const FAMILY: Family = Family {
    name: "coverage",
    rules: || vec![UNCOVERED, UNUSABLE],
    params: &[Param { rule: UNCOVERED, name: "reports", param_type: ParamType::Strings }],
    claim: |path, _| is_code(path).then_some(CODE),
    may_check: is_code,
    check: |_, context, report| check(context, report),
    line_coverage: |files, paths| Some(line_coverage(files, paths)),
    ..Family::EMPTY
};

fn is_code(path: &str) -> bool {
    let extension = path.rsplit_once('.').map_or("", |(_, extension)| extension);
    matches!(
        extension,
        "c" | "cc"
            | "cjs"
            | "clj"
            | "cpp"
            | "cs"
            | "cts"
            | "cxx"
            | "dart"
            | "ex"
            | "fs"
            | "go"
            | "groovy"
            | "h"
            | "hpp"
            | "java"
            | "js"
            | "jsx"
            | "kt"
            | "m"
            | "mjs"
            | "mm"
            | "mts"
            | "php"
            | "pl"
            | "py"
            | "rb"
            | "rs"
            | "scala"
            | "svelte"
            | "swift"
            | "ts"
            | "tsx"
            | "vb"
            | "vue"
            | "zig"
    ) && !super::test_files::is_test(path)
}

/// The result of looking up the changed file in a report.
enum Lookup {
    /// The executable lines of the file.
    Lines(Vec<Segment>),
    /// The reason why the lines in the report cannot be used.
    Unusable(String),
    /// The reason why the file is not a report.
    Unknown(String),
}

fn check(context: &FileContext<'_>, report: &mut Report<'_>) {
    let source = report.source();
    let files = context.files;
    // With a base, `base_of` returns `None` only for added files; without a base, it returns `None`
    // for every path.
    if files.base_of("").is_none() || !(report.begin(UNUSABLE) | report.begin(UNCOVERED)) {
        return;
    }
    let changed = changed_lines(files, source);
    if changed.is_empty() {
        return;
    }
    let configured: Option<Vec<String>> = report
        .param("reports")
        .and_then(Value::as_array)
        .map(|paths| paths.iter().filter_map(Value::as_str).map(str::to_owned).collect());
    let is_configured = configured.is_some();
    let reports = configured.unwrap_or_else(|| paths::find_default(files, source.path()));
    let mut unusable = Vec::new();
    let mut segments = Vec::new();
    for path in &reports {
        match look_up(files, path, source) {
            Some(Lookup::Lines(found)) => segments.extend(found),
            Some(Lookup::Unusable(why)) => unusable.push(format!("coverage report `{path}` {why}")),
            // A file at a default path can have another purpose.
            Some(Lookup::Unknown(why)) if is_configured => {
                unusable.push(format!("coverage report `{path}` {why}"));
            }
            None if is_configured && !files.exists(path) => {
                unusable.push(format!("coverage report `{path}` does not exist"));
            }
            Some(Lookup::Unknown(_)) | None => {}
        }
    }
    if segments.is_empty() {
        if let Some(why) = unusable.into_iter().next()
            && report.begin(UNUSABLE)
        {
            report.at(line_span(source, 0), why).help("Run the tests with coverage again");
        }
        return;
    }
    if !report.begin(UNCOVERED) {
        return;
    }
    let segments = report::merge(segments);
    for lines in uncovered(source, &segments, &changed) {
        let (first, last) = (line_span(source, lines.start), line_span(source, lines.end - 1));
        let indent = source.slice(first).len() - source.slice(first).trim_start().len();
        let start = first.start as usize + indent;
        let message = match lines.len() {
            1 => format!("changed line {} is not covered by a test", lines.end),
            _ => {
                format!("changed lines {}–{} are not covered by a test", lines.start + 1, lines.end)
            }
        };
        report
            .at(Span::new(start, last.end as usize), message)
            .help("Add a test that runs this code");
    }
}

fn line_span(source: &Source, line: u32) -> Span {
    source.line_span(line as usize)
}

fn line_count(source: &Source) -> u32 {
    u32::try_from(source.line_count()).unwrap_or(u32::MAX)
}

/// The changed lines of a file, zero-based; for an added file, all lines.
fn changed_lines(files: &dyn Files, source: &Source) -> Vec<Range<u32>> {
    let Some((base, path)) = files.base_of(source.path()) else {
        let all = 0..line_count(source);
        return vec![all];
    };
    let Ok(bytes) = base.read(&path, MAX_BASE_SIZE) else { return Vec::new() };
    let before = Source::decode(path, bytes);
    if before.text() == source.text() {
        return Vec::new();
    }
    hunks(before.text(), source.text()).into_iter().map(|hunk| hunk.head).collect()
}

/// Looks up a file in the report at `path`; `None` if the report does not exist or does not list
/// the file.
fn look_up(files: &dyn Files, path: &str, source: &Source) -> Option<Lookup> {
    let parsed = parsed(files, path)?;
    let coverage = match &*parsed {
        Ok(coverage) => coverage,
        Err(why) if why.has_unknown_format => return Some(Lookup::Unknown(why.message.clone())),
        Err(why) => return Some(Lookup::Unusable(why.message.clone())),
    };
    let segments = coverage.lines_of(&paths::Target::new(files, source.path(), path))?;
    let time = |path: &str| files.content_stamp(path).map(|(time, _)| time);
    if let (Some(report), Some(file)) = (time(path), time(source.path()))
        && report < file
    {
        return Some(Lookup::Unusable("is older than this file".to_owned()));
    }
    let last = segments.last().map_or(0, |segment| segment.lines.end);
    let count = line_count(source);
    if last > count {
        let why = format!(
            "does not match this file: it lists line {last}, but the file has {count} lines"
        );
        return Some(Lookup::Unusable(why));
    }
    Some(Lookup::Lines(segments.to_vec()))
}

/// Sums the lines of the files at `paths` over the reports at the default paths.
fn line_coverage(files: &dyn Files, paths: &[String]) -> LineCoverage {
    let mut totals = LineCoverage::default();
    let mut reports: HashMap<String, Option<Arc<Parsed>>> = HashMap::new();
    let time = |path: &str| files.content_stamp(path).map(|(time, _)| time);
    for path in paths {
        let mut segments = Vec::new();
        for name in paths::find_default(files, path) {
            let parsed = reports.entry(name.clone()).or_insert_with(|| parsed(files, &name));
            let Some(Ok(coverage)) = parsed.as_deref() else { continue };
            let target = paths::Target::new(files, path, &name);
            let Some(found) = coverage.lines_of(&target) else { continue };
            segments.extend(found.to_vec());
            if let (Some(report), Some(file)) = (time(&name), time(path))
                && report < file
            {
                totals.stale.get_or_insert_with(|| (name.clone(), path.clone()));
            }
            totals.reports.insert(name);
        }
        for segment in report::merge(segments) {
            let lines = segment.lines.len() as u64;
            totals.lines += lines;
            totals.covered += if segment.is_covered { lines } else { 0 };
        }
    }
    totals
}

type Parsed = Result<Coverage, ReadError>;

/// The reason why a report was not read.
struct ReadError {
    has_unknown_format: bool,
    message: String,
}

impl From<String> for ReadError {
    fn from(message: String) -> Self {
        Self { has_unknown_format: false, message }
    }
}

/// The report at `path`, parsed once per run; `None` if there is no file at `path`.
fn parsed(files: &dyn Files, path: &str) -> Option<Arc<Parsed>> {
    if !files.exists(path) {
        return None;
    }
    let parse = || -> Parsed {
        let bytes = files
            .read(path, MAX_REPORT_SIZE + 1)
            .map_err(|error| format!("cannot be read: {error}"))?;
        if bytes.len() as u64 > MAX_REPORT_SIZE {
            return Err(format!("is larger than {} MiB", MAX_REPORT_SIZE >> 20).into());
        }
        if is_unchanged(files, path, &bytes) {
            return Err("is not of this change: the base contains the same report"
                .to_owned()
                .into());
        }
        let text = String::from_utf8(bytes).map_err(|_| "is not UTF-8".to_owned())?;
        report::parse(&text).map_err(|error| ReadError {
            has_unknown_format: matches!(error, Malformed::Unknown),
            message: error.to_string(),
        })
    };
    Some(match files.run_cache() {
        Some(cache) => cache.get_or_compute(&format!("coverage {path}"), parse),
        None => Arc::new(parse()),
    })
}

/// Whether the base contains the report with the same content, so that it describes the code before
/// the change.
fn is_unchanged(files: &dyn Files, path: &str, bytes: &[u8]) -> bool {
    files.base_of(path).is_some_and(|(base, path)| {
        base.exists(&path)
            && base.read(&path, MAX_REPORT_SIZE + 1).is_ok_and(|before| before == bytes)
    })
}

/// The ranges of changed lines that are not covered. Lines between them that a report does not list,
/// such as comments, do not split a range.
fn uncovered(source: &Source, segments: &[Segment], changed: &[Range<u32>]) -> Vec<Range<u32>> {
    let mut found = Vec::new();
    let mut at = 0;
    for hunk in changed {
        let mut open: Option<Range<u32>> = None;
        while segments.get(at).is_some_and(|segment| segment.lines.end <= hunk.start) {
            at += 1;
        }
        for segment in segments[at..].iter().take_while(|segment| segment.lines.start < hunk.end) {
            if segment.is_covered {
                found.extend(open.take());
                continue;
            }
            let lines = segment.lines.start.max(hunk.start)..segment.lines.end.min(hunk.end);
            open = Some(open.map_or(lines.start, |open| open.start)..lines.end);
        }
        found.extend(open);
    }
    found.into_iter().filter_map(|lines| without_brackets(source, lines)).collect()
}

/// The range without its first and last lines that contain no word, such as closing brackets;
/// `None` if no line remains.
fn without_brackets(source: &Source, lines: Range<u32>) -> Option<Range<u32>> {
    let has_word =
        |line: &u32| source.slice(line_span(source, *line)).contains(char::is_alphanumeric);
    let first = lines.clone().find(has_word)?;
    let last = lines.rev().find(has_word)?;
    Some(first..last + 1)
}
