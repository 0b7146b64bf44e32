//! Tests that linear time is enough to report up to a hundred thousand findings on one line or in
//! one file in each format, to apply their fixes, to compare their ids and to match moved findings.

use crate::linear::measure::{Case, assert_linear};
use crate::linear::{ENGINE, check};
use aidd_engine::check::{CheckResult, text_keys};
use aidd_engine::text::finding::{Edit, FailOn, Finding, Fix, Severity};
use aidd_engine::text::source::{Source, Span};
use aidd_engine::workspace::baseline::Baseline;
use aidd_engine::workspace::diff::match_moves;
use aidd_engine::workspace::fix;
use aidd_engine::workspace::walk::FileReport;
use aidd_report::{Document, FileFindings, Format, Run, Style, write};
use clap::ValueEnum;
use std::path::Path;
use std::time::Duration;

/// Number of findings in the largest measured input.
const MAX_FINDINGS: usize = 100_000;

/// A file and its findings.
struct FileWithFindings {
    source: Source,
    findings: Vec<Finding>,
    secrets: Vec<Span>,
}

/// Creates findings that each have a fix, a related location and a secret; the text `end` follows
/// each finding.
fn many_findings(count: usize, end: &str) -> FileWithFindings {
    let secret = |index: usize| format!("s3cr3t{index:06}");
    let text: String = (0..count).map(|index| format!("key={}{end}", secret(index))).collect();
    let unit_length = "key=s3cr3t000000".len() + end.len();
    let rules = ENGINE.registry().rules();
    let finding = |index: usize| {
        let rule = &rules[index % 3];
        let span = Span::new(index * unit_length + 4, index * unit_length + 16);
        let mut finding = Finding::new(
            rule.id.clone(),
            Severity::Warning,
            span,
            format!("found {}", secret(index)),
        );
        finding.id = format!("{index:016x}");
        finding.help("do not").secret(span).related(Span::at(index * unit_length), "here");
        finding.fix("Delete it", vec![Edit::delete(span)]);
        finding
    };
    let findings: Vec<Finding> = (0..count).map(finding).collect();
    let secrets = findings.iter().filter_map(|finding| finding.secret).collect();
    FileWithFindings { source: Source::new("a.env", text), findings, secrets }
}

fn render(format: Format, found: &FileWithFindings) -> usize {
    let run = Run {
        files: vec![FileFindings {
            source: &found.source,
            findings: found.findings.iter().collect(),
            secrets: &found.secrets,
        }],
        fixed: Vec::new(),
        rules: ENGINE.registry().rules(),
        checked: 1,
        skipped: &[],
        fail_on: FailOn::Never,
        policy: None,
        comparison: None,
        notes: Vec::new(),
        reach: None,
        elapsed: Duration::ZERO,
        root: Path::new("root"),
        baseline: false,
        stale: 0,
        suppressed: false,
        category: None,
        version_control: None,
    };
    let mut out = Vec::new();
    let document = Document::for_formats(&run, &[format]);
    write(format, &run, &document, &mut out, &Style::default()).expect("writing to memory");
    out.len()
}

#[test]
fn every_format_is_written_in_linear_time() {
    let cases = Format::value_variants().iter().flat_map(|&format| {
        [(" ", "one line"), ("\n", "one line each")].map(|(end, layout)| {
            let name = format!("{format:?}, {layout}");
            Case::new(
                name,
                MAX_FINDINGS,
                move |n| many_findings(n, end),
                move |found| {
                    render(format, &found);
                },
            )
        })
    });
    assert_linear(cases);
}

#[test]
fn excerpts_are_rendered_in_linear_time() {
    type Text = fn(usize) -> String;
    let passwords: Text =
        |n| (0..n).map(|index| format!("http://a:Xk9mQ2vL7b{index:05}Z@c.d/ ")).collect();
    let texts: [(&str, usize, Text); 3] = [
        ("different tokens", 40_000, crate::linear::texts::tokens),
        ("equal tokens", 40_000, crate::linear::texts::equal_tokens),
        ("different passwords", 8_000, passwords),
    ];
    let cases = texts.into_iter().map(|(name, max_size, text)| {
        let make = move |n: usize| check("a.log", text(n));
        Case::new(format!("{name} on one line, as text"), max_size, make, |(source, checked)| {
            let found =
                FileWithFindings { source, findings: checked.findings, secrets: checked.secrets };
            render(Format::Text, &found);
        })
    });
    assert_linear(cases);
}

#[test]
fn fixes_ids_and_moves_are_processed_in_linear_time() {
    let apply = |FileWithFindings { source, findings, .. }: FileWithFindings| {
        let fixes: Vec<&Fix> = findings.iter().filter_map(|finding| finding.fix.as_ref()).collect();
        let (_, applied) = fix::apply(source.text().as_bytes(), &fixes);
        assert_eq!(applied, fixes.len());
    };
    let keys = |FileWithFindings { source, findings, .. }: FileWithFindings| {
        let keys = text_keys(&source, &findings);
        assert_eq!(match_moves(&keys, &keys).len(), keys.len());
    };
    let baseline = |FileWithFindings { source, findings, secrets }: FileWithFindings| {
        let known = Baseline::from_findings(findings.iter().map(|finding| ("a.env", finding)));
        let checked = CheckResult { findings, secrets, ..CheckResult::default() };
        assert!(known.apply(&mut [FileReport { source, checked }], &|_| false).is_empty());
    };
    let edited = |FileWithFindings { source, mut findings, secrets }: FileWithFindings| {
        for (around, finding) in (0_u64..).zip(&mut findings) {
            (finding.around, finding.secret) = (Some(around), None);
        }
        let known = Baseline::from_findings(findings.iter().map(|finding| ("a.env", finding)));
        findings.iter_mut().for_each(|finding| finding.id.push('x'));
        let checked = CheckResult { findings, secrets, ..CheckResult::default() };
        assert!(known.apply(&mut [FileReport { source, checked }], &|_| false).is_empty());
    };
    let mut cases = Vec::new();
    for (end, layout) in [(" ", "one line"), ("\n", "one line each")] {
        let make = move |n| many_findings(n, end);
        cases.push(Case::new(format!("fixes, {layout}"), MAX_FINDINGS, make, apply));
        cases.push(Case::new(format!("keys and moves, {layout}"), MAX_FINDINGS, make, keys));
        cases.push(Case::new(format!("baseline, {layout}"), MAX_FINDINGS, make, baseline));
        let name = format!("baseline of edited lines, {layout}");
        cases.push(Case::new(name, MAX_FINDINGS, make, edited));
    }
    assert_linear(cases);
}

/// The sizes of the reports on a file with far more findings than can be reported.
#[test]
fn the_report_on_a_file_is_bounded_in_each_format() {
    /// Maximum size of a report in bytes. SARIF repeats the fields of each finding.
    const MAX_BYTES: usize = 48 << 20;
    let line = |index: usize| format!("K{index}=http://a{index}:Xk9mQ2vL7b{index}Z@c.d/\n");
    let lines: String = (0..20_000).map(line).collect();
    let texts = [
        ("a.env", lines.replace('\n', " ")),
        ("a.env", lines),
        ("locales/fr.json", format!("{{{}\"z\": \"\"}}", "\"key\": \"text\",".repeat(20_000))),
    ];
    for (path, text) in texts {
        let (source, CheckResult { findings, secrets, unchecked, .. }) = check(path, text);
        let is_named = |finding: &Finding| finding.message.starts_with("too much to report");
        assert!(findings.iter().any(is_named), "{path}: {} findings", findings.len());
        assert!(findings.len() <= 10_001 && unchecked.is_some(), "{path}: {}", findings.len());
        let found = FileWithFindings { source, findings, secrets };
        for &format in Format::value_variants() {
            let size = render(format, &found);
            assert!(size <= MAX_BYTES, "{path} in {format:?}: {size} bytes");
        }
    }
}
