//! Saved reports: round trips, merging of shards, and untrusted reports.

#[path = "../../../report/tests/report/fixture.rs"]
#[expect(dead_code, reason = "shared with the tests of formats")]
mod fixture;

use crate::saved::fixture::{Change, GITHUB, change};
use aidd_ci::saved::{Context, Saved, Shard, Writer, match_moved, merge};
use aidd_engine::rules::rule::Rule;
use aidd_engine::text::finding::{Finding, Status};
use aidd_report::{Budget, Document, Format, Listing, Run, VersionControl, markdown, render};
use proptest::prelude::*;
use serde_json::{Value, json};
use std::time::Duration;

fn context() -> Context {
    Context {
        repository: Some("owner/name".into()),
        pull: Some(7),
        head_sha: Some(GITHUB.revision.clone()),
        base_sha: None,
        run_id: Some(12),
    }
}

fn saved(run: &Run<'_>) -> Saved {
    let mut saved = Saved::new(context(), Document::from_run(run, true));
    let key = |finding: &aidd_report::wire::Finding| {
        let can_move = ["new", "fixed"].contains(&&*status(finding));
        if can_move { format!("{} {}", finding.rule, finding.message) } else { String::new() }
    };
    saved.match_keys = saved.document.findings.iter().map(key).collect();
    saved.diff_lines.insert("Dockerfile".into(), vec![(1, 3)]);
    saved
}

fn status(finding: &aidd_report::wire::Finding) -> String {
    json!(finding.status).as_str().expect("a word").to_owned()
}

fn shard(mut saved: Saved, index: u32, count: u32) -> Saved {
    saved.shard = Some(Shard { index, count });
    saved
}

/// Each format of a document.
fn all_formats(document: &Document, rules: &[Rule]) -> Vec<String> {
    let formats = [
        Format::Text,
        Format::Json,
        Format::Sarif,
        Format::Github,
        Format::Markdown,
        Format::Gitlab,
        Format::Junit,
    ];
    let render_format = |format| {
        let mut out = Vec::new();
        render(format, document, rules, &mut out, Listing::default()).expect("writing to memory");
        String::from_utf8(out).expect("text")
    };
    formats.map(render_format).into()
}

fn write_and_read(saved: &Saved) -> Saved {
    let folder = tempfile::tempdir().expect("a folder");
    let path = folder.path().join("a/report.json");
    saved.write(&path).expect("written");
    Saved::open(&path, Writer::SameWorkflow).expect("read")
}

#[test]
fn a_written_report_is_read_unchanged() {
    let change = change();
    let saved = saved(&change.run());
    assert_eq!(write_and_read(&saved), saved);
}

/// The run of a shard: the files of `change` whose index satisfies `is_in_shard`.
fn shard_run<'a>(change: &'a Change, is_in_shard: &dyn Fn(usize) -> bool) -> Run<'a> {
    let mut run = change.run();
    let (mut index, mut fixed_index) = (0.., change.head.files.len()..);
    run.files.retain(|_| index.next().is_some_and(is_in_shard));
    run.fixed.retain(|_| fixed_index.next().is_some_and(is_in_shard));
    let count = run.files.len() + run.fixed.len();
    run.checked = if is_in_shard(0) { 12 - (5 - count) } else { count };
    let compared = run.comparison.as_mut().expect("compared");
    compared.changed_files = if is_in_shard(0) { 4 } else { 0 };
    if !is_in_shard(0) {
        (compared.before, compared.after) = Default::default();
        run.skipped = &[];
    }
    run.elapsed = Duration::from_millis(230);
    run
}

proptest! {
    #![proptest_config(ProptestConfig { failure_persistence: None, ..ProptestConfig::with_cases(40) })]

    #[test]
    fn merged_shards_equal_the_unsharded_run(owners in proptest::collection::vec(1_u32..=3, 5), suppressed: bool) {
        let change = change();
        let rules = &change.head.rules;
        let whole = Run { suppressed, ..change.run() };
        let parts: Vec<Saved> = (1..=3)
            .map(|index| {
                // The owner of the first file gets the data that does not belong to a file.
                let owner = |at: usize| if at == 0 { 1 } else { owners[at - 1] };
                let is_in_shard = |at: usize| owner(at) == index;
                let run = Run { suppressed, ..shard_run(&change, &is_in_shard) };
                write_and_read(&shard(saved(&run), index, 3))
            })
            .rev()
            .collect();
        let merged = merge(parts, |_| ()).expect("all shards are present");
        prop_assert_eq!(
            all_formats(&merged.document, rules),
            all_formats(&Document::from_run(&whole, true), rules)
        );
        prop_assert_eq!(merged, saved(&whole));
    }
}

#[test]
fn a_finding_moved_between_shards_is_matched() {
    let mut change = change();
    let moved: &mut Finding = &mut change.head.files[3].1[0];
    moved.rule = "secrets/some-key".into();
    moved.message = "[REDACTED] lies open".into();
    let one = shard(saved(&shard_run(&change, &|at| at < 4)), 1, 2);
    let two = shard(saved(&shard_run(&change, &|at| at == 4)), 2, 2);
    let merged = merge(vec![one, two], match_moved).expect("all shards are present");

    let moved = &mut change.head.files[3].1[0];
    moved.status = Status::Moved;
    moved.reason = Some("moved from `old/k@.toml`, line 2 of the base".into());
    change.base.files.clear();
    assert_eq!(
        all_formats(&merged.document, &change.head.rules),
        all_formats(&Document::from_run(&change.run(), true), &change.head.rules)
    );
    assert_eq!(merged.match_keys.len(), merged.document.findings.len());
}

#[test]
fn shards_that_do_not_belong_together_are_rejected() {
    let change = change();
    let run = change.run();
    let empty = || {
        let mut saved = saved(&run);
        saved.retain(|_, _| false);
        saved
    };
    let error = |parts: Vec<Saved>| merge(parts, match_moved).expect_err("refused").to_string();
    let first = |text: String| text.lines().next().expect("a line").to_owned();
    let empty_shard = |index, count| shard(empty(), index, count);
    assert_eq!(first(error(vec![])), "no reports to merge");
    assert_eq!(first(error(vec![empty_shard(1, 3), empty_shard(3, 3)])), "shard 2/3 is missing");
    assert_eq!(first(error(vec![empty_shard(1, 3), empty_shard(2, 3)])), "shard 3/3 is missing");
    assert_eq!(first(error(vec![empty_shard(1, 2), empty_shard(1, 2)])), "duplicate shard 1/2");
    assert_eq!(
        first(error(vec![empty_shard(1, 2), empty_shard(2, 3)])),
        "the shards belong to different runs: one has 2 shards, the other 3"
    );
    assert_eq!(first(error(vec![empty_shard(1, 2), empty()])), "one of the reports is not a shard");
    let mut other = empty_shard(2, 2);
    other.context.head_sha = Some("f".repeat(40));
    assert_eq!(
        first(error(vec![empty_shard(1, 2), other])),
        "shards 1 and 2 have different commits"
    );
    let mut other = empty_shard(2, 2);
    other.document.tool.version = "9.9.9".into();
    assert_eq!(
        first(error(vec![empty_shard(1, 2), other])),
        "shards 1 and 2 have different versions of aidd"
    );
    let twice = vec![shard(saved(&run), 1, 2), shard(saved(&run), 2, 2)];
    assert_eq!(first(error(twice)), "Dockerfile: checked by shards 1 and 2");
}

/// The error for a report with one value changed.
fn read_error(pointer: &str, value: Value) -> String {
    let change = change();
    let mut report = serde_json::to_value(saved(&change.run())).expect("JSON");
    match pointer.rsplit_once('/') {
        Some((parent, key)) if report.pointer(pointer).is_none() => {
            report.pointer_mut(parent).expect("present")[key] = value;
        }
        _ => *report.pointer_mut(pointer).expect("present") = value,
    }
    let bytes = serde_json::to_vec(&report).expect("JSON");
    let error = Saved::read("r.json", &bytes, Writer::Untrusted).expect_err(pointer).to_string();
    error.lines().next().expect("a line").strip_prefix("r.json: ").expect("the name").to_owned()
}

#[test]
fn hostile_reports_are_rejected_with_a_reason() {
    let cases = [
        ("/schemaVersion", json!(2), "unsupported schema version 2; this aidd reads version 1"),
        (
            "/document/schemaVersion",
            json!(2),
            "unsupported schema version 2; this aidd reads version 1",
        ),
        ("/document/tool/name", json!("other"), "not written by aidd"),
        (
            "/document/findings/0/path",
            json!("../x"),
            "findings[0]: `../x` is not a path below the root",
        ),
        (
            "/document/findings/0/path",
            json!("/etc/passwd"),
            "findings[0]: `/etc/passwd` is not a path below the root",
        ),
        ("/document/findings/0/path", json!(""), "findings[0]: `` is not a path below the root"),
        (
            "/document/findings/0/related/0/path",
            json!("a//b"),
            "findings[0]: `a//b` is not a path below the root",
        ),
        ("/document/findings/0/id", json!("--><b>"), "findings[0]: `id` is invalid"),
        ("/document/findings/0/start/line", json!(0), "findings[0]: invalid range"),
        ("/document/findings/0/start/line", json!(99), "findings[0]: invalid range"),
        ("/document/findings/0/fix/safety", json!("sure"), "findings[0]: `fix.safety` is invalid"),
        (
            "/document/skipped/0/path",
            json!("a/../../b"),
            "`a/../../b` is not a path below the root",
        ),
        (
            "/document/versionControl/repository",
            json!("javascript:x"),
            "`versionControl.repository` is not a URL",
        ),
        (
            "/document/versionControl/revision",
            json!("main"),
            "`versionControl.revision` is not a full hash",
        ),
        (
            "/document/category",
            json!("x --> <b>"),
            "`category` contains characters that are not allowed in an untrusted report",
        ),
        ("/context/repository", json!("owner/.."), "context.repository is not `owner/name`"),
        ("/context/headSha", json!("HEAD"), "a commit in `context` is not a full hash"),
        ("/matchKeys", json!([]), "`matchKeys` and `findings` differ in length"),
        ("/shard", json!({"index": 4, "count": 3}), "the index of `shard` is not in 1..=count"),
        ("/diffLines/Dockerfile/0", json!([3, 1]), "`diffLines` contains an invalid range"),
    ];
    for (pointer, value, why) in cases {
        assert_eq!(read_error(pointer, value), why, "{pointer}");
    }
    for (pointer, value) in [
        ("/more", json!(1)),
        ("/document/findings/0/more", json!(1)),
        ("/document/findings/0/severity", json!("fatal")),
        ("/document/checked", json!(-1)),
        ("/document/elapsed/secs", json!("x\u{1b}[31m")),
    ] {
        let why = read_error(pointer, value);
        assert!(why.starts_with("not a saved report: ") && !why.contains('\u{1b}'), "{why}");
    }
    let large = vec![b' '; (64 << 20) + 1];
    let error = Saved::read("r.json", &large, Writer::SameWorkflow).expect_err("too large");
    assert!(error.to_string().starts_with("r.json: more than 67108864 bytes"), "{error}");
}

#[test]
fn an_untrusted_report_creates_no_links() {
    let mut change = change();
    let hostile =
        "https://evil.example www.evil.example [x](https://evil.example) <a href=\"//evil\">";
    for (_, findings, _) in change.head.files.iter_mut().chain(&mut change.base.files) {
        for finding in findings {
            finding.message = format!("{hostile}\u{202e}\u{1b}");
            finding.help = Some(hostile.into());
        }
    }
    let other_repository =
        VersionControl { repository: "https://evil.example/o/n".into(), ..GITHUB.clone() };
    let mut run = change.run();
    run.version_control = Some(&other_repository);
    run.notes = vec![hostile.into()];
    run.comparison.as_mut().expect("compared").base = hostile.into();
    let mut report = saved(&run);
    let edit = &mut report.document.findings[0].fix.as_mut().expect("a fix").edits[0];
    edit.text = "a\u{202e}b".into();
    let bytes = serde_json::to_vec(&report).expect("JSON");

    let mut read = Saved::read("r", &bytes, Writer::Untrusted).expect("well formed");
    assert!(
        read.document.findings[0].fix.is_none(),
        "an edit with hidden characters must be dropped"
    );
    assert!(!serde_json::to_string(&read).expect("JSON").contains(['\u{202e}', '\u{1b}']));
    let links = |read: &Saved| {
        let text = markdown(&read.document, &change.head.rules, Budget::Summary);
        assert!(!text.contains("evil.example/o/n") && !text.contains("](https:"), "{text}");
        assert!(!text.contains("https://evil") && !text.contains("www.evil"), "{text}");
        let urls = text.split("](<").skip(1).map(|rest| rest.split('>').next().expect("a URL"));
        urls.map(str::to_owned).collect::<Vec<_>>()
    };
    assert!(links(&read).iter().all(|url| url.starts_with("https://github.com/aidd-dev/aidd/")));
    read.document.version_control = Some(GITHUB.clone());
    let trusted = links(&read);
    assert!(trusted.iter().any(|url| url.starts_with(&GITHUB.repository)), "{trusted:?}");
    assert!(trusted.iter().all(|url| url.starts_with("https://github.com/")), "{trusted:?}");
}

proptest! {
    #![proptest_config(ProptestConfig { failure_persistence: None, ..ProptestConfig::with_cases(300) })]

    #[test]
    fn reading_arbitrary_bytes_does_not_panic(at in any::<prop::sample::Index>(), replacement in any::<u8>(), truncate in any::<bool>()) {
        let change = change();
        let mut bytes = serde_json::to_vec(&saved(&change.run())).expect("JSON");
        let at = at.index(bytes.len());
        if truncate { bytes.truncate(at) } else { bytes[at] = replacement }
        if let Ok(read) = Saved::read("r", &bytes, Writer::Untrusted) {
            let _ = all_formats(&read.document, &change.head.rules);
        }
    }
}
