//! A small run with data that is difficult for output formats.

use aidd_engine::rules::registry::project_rule;
use aidd_engine::rules::rule::Rule;
use aidd_engine::text::finding::{Edit, FailOn, Finding, Severity, Status};
use aidd_engine::text::source::{Origin, Source, Span};
use aidd_engine::workspace::walk::Skipped;
use aidd_report::{
    Comparison, Document, FileFindings, Format, Run, Severities, Style, VersionControl, write,
};
use std::path::Path;
use std::sync::LazyLock;
use std::time::Duration;

/// Sources with their findings and secrets; a [`Run`] borrows from the tree.
pub(crate) struct Tree {
    pub(crate) files: Vec<(Source, Vec<Finding>, Vec<Span>)>,
    pub(crate) rules: Vec<Rule>,
    pub(crate) skipped: Vec<Skipped>,
}

impl Tree {
    pub(crate) fn run(&self) -> Run<'_> {
        let files = self.files.iter().map(|(source, findings, secrets)| FileFindings {
            source,
            findings: findings.iter().collect(),
            secrets,
        });
        Run {
            files: files.collect(),
            fixed: Vec::new(),
            rules: &self.rules,
            checked: 12,
            skipped: &self.skipped,
            fail_on: FailOn::Severity(Severity::Warning),
            policy: None,
            comparison: None,
            notes: Vec::new(),
            reach: None,
            elapsed: Duration::from_millis(230),
            root: Path::new("tree"),
            baseline: false,
            stale: 0,
            suppressed: false,
            category: None,
            version_control: None,
        }
    }

    pub(crate) fn write(&self, format: Format) -> String {
        render(format, &self.run())
    }
}

pub(crate) static GITHUB: LazyLock<VersionControl> = LazyLock::new(|| VersionControl {
    repository: "https://github.com/owner/name".into(),
    revision: "0123456789abcdef0123456789abcdef01234567".into(),
    branch: Some("main".into()),
});

pub(crate) fn render(format: Format, run: &Run<'_>) -> String {
    render_with(format, run, &Style { width: 80, ..Style::default() })
}

pub(crate) fn render_with(format: Format, run: &Run<'_>, style: &Style) -> String {
    let mut out = Vec::new();
    let document = Document::for_formats(run, &[format]);
    write(format, run, &document, &mut out, style).expect("writing to memory");
    String::from_utf8(out).expect("text")
}

pub(crate) fn rule(id: &str, severity: Severity, summary: &str) -> Rule {
    let page = format!("---\nseverity: {severity}\n---\n# {id}\n\n{summary} It\nhurts.\n\nMore.\n");
    let mut rule = project_rule("rules/x.md", &page).expect("a page");
    rule.path = None;
    rule
}

pub(crate) fn skipped(path: &str, why: &str) -> Skipped {
    Skipped { path: path.into(), why: why.into(), failed: false }
}

/// A finding at the first occurrence of `text`.
pub(crate) fn finding(source: &Source, rule: &Rule, text: &str, message: &str) -> Finding {
    let mut finding = Finding::new(rule.id.clone(), rule.severity, span(source, text), message);
    finding.id = format!("{:016x}", finding.span.start as usize + 4096 * source.path().len());
    finding
}

pub(crate) fn span(source: &Source, text: &str) -> Span {
    let start = source.text().find(text).expect("the source contains the text");
    Span::new(start, start + text.len())
}

pub(crate) fn rules() -> Vec<Rule> {
    let mut latest =
        rule("dockerfile/latest-tag", Severity::Warning, "A moving tag changes under your feet.");
    latest.aliases = vec!["DL3007".into()];
    let mut key = rule("secrets/some-key", Severity::Error, "A key lies open.");
    key.tags = vec!["security".into(), "cwe-798".into()];
    key.security_severity = Some("8.5".into());
    let mut team_rule = rule("team/no-shouting", Severity::Info, "We do not shout.");
    team_rule.path = Some("rules/team/no-shouting.md".into());
    vec![latest, key, team_rule]
}

/// A run compared with a base: the current findings, and the findings that exist only in the base.
pub(crate) struct Change {
    pub(crate) head: Tree,
    pub(crate) base: Tree,
}

impl Change {
    pub(crate) fn run(&self) -> Run<'_> {
        let mut run = self.head.run();
        run.fixed = self.base.run().files;
        run.version_control = Some(&GITHUB);
        run.comparison = Some(Comparison {
            base: "main (merge base 1a2b3c4)".into(),
            base_sha: Some("1a2b3c4".repeat(6)[..40].into()),
            whole_tree: false,
            changed_files: 4,
            before: Severities { error: 2, warning: 3, info: 0 },
            after: Severities { error: 1, warning: 3, info: 1 },
            weakened: Vec::new(),
        });
        run
    }
}

pub(crate) fn change() -> Change {
    let mut head = tree();
    let [latest, key, _] = &head.rules[..] else { unreachable!("three rules") };
    let source = Source::new("app/Dockerfile", "FROM a:latest\nFROM b:latest\n");
    let mut moved = finding(&source, latest, "a:latest", "Pin the tag");
    (moved.status, moved.reason) =
        (Status::Moved, Some("moved from `c`, line 9 of the base".into()));
    let mut old = finding(&source, latest, "b:latest", "Pin the tag");
    (old.status, old.reason) =
        (Status::PreExisting, Some("already present on line 1 of the base".into()));
    head.files.insert(1, (source, vec![moved, old], Vec::new()));
    let source = Source::new("old/k@.toml", "x\nkey = \"hunter2hunter2\"\n");
    let secret = span(&source, "hunter2hunter2");
    let mut fixed = finding(&source, key, "hunter2hunter2", "hunter2hunter2 lies open");
    fixed.secret(secret);
    (fixed.status, fixed.reason) = (Status::Fixed, Some("the file was removed".into()));
    let files = vec![(source, vec![fixed], vec![secret])];
    Change { base: Tree { files, rules: Vec::new(), skipped: Vec::new() }, head }
}

pub(crate) fn tree() -> Tree {
    let rules = rules();
    let [latest, key, team_rule] = &rules[..] else { unreachable!("three rules") };
    Tree {
        files: vec![dockerfile(latest), settings(key), window(team_rule)],
        skipped: vec![skipped("big/blob\u{1b}.json", "larger than 2 MiB | <b>")],
        rules,
    }
}

/// A file with CRLF, a fix, a related location, and findings that are not new.
fn dockerfile(latest: &Rule) -> (Source, Vec<Finding>, Vec<Span>) {
    let text =
        "FROM debian:latest\r\n# aidd:allow\r\nFROM alpine:latest\r\nFROM busybox:latest\r\n";
    let source = Source::new("Dockerfile", text);
    let tag = span(&source, ":latest");
    let mut first = finding(&source, latest, "debian:latest", "Pin the tag");
    first.help("Name a version").fix("Use debian:12", vec![Edit::replace(tag, ":12")]);
    first.related(span(&source, "alpine"), "another base");
    let mut allowed = finding(&source, latest, "alpine:latest", "Pin the tag");
    (allowed.status, allowed.reason) = (Status::Allowed, Some("a test image".into()));
    let mut known = finding(&source, latest, "busybox:latest", "Pin the tag");
    known.status = Status::Baselined;
    (source, vec![first, allowed, known], Vec::new())
}

/// A file with a secret that also occurs in the message and in an edit, a wide character, and a
/// path that must be escaped.
fn settings(key: &Rule) -> (Source, Vec<Finding>, Vec<Span>) {
    let text = "a = 1\n\t😀key = \"hunter2hunter2\"; again = \"hunter2hunter2\"\n";
    let source = Source::new("conf, dir/sé#t:1.toml", text);
    let secret = span(&source, "hunter2hunter2");
    let message = "`hunter2hunter2` is 100% | open\nsee @someone <b> #12";
    let mut found = finding(&source, key, "\"hunter2hunter2\"", message);
    found.secret(secret).help("Revoke hunter2hunter2");
    found.fix_unsafe("Move it", vec![Edit::replace(secret, "${hunter2hunter2}")]);
    (source, vec![found], vec![secret])
}

/// A later part of a large file.
fn window(team_rule: &Rule) -> (Source, Vec<Finding>, Vec<Span>) {
    let origin = Origin { offset: 5_000_000_000, line: 41_000, ..Origin::default() };
    let source = Source::decode_window("logs/big.log".into(), b"fine\nNO WAY\n".to_vec(), origin);
    let found = finding(&source, team_rule, "NO WAY", "Do not shout");
    (source, vec![found], Vec::new())
}
