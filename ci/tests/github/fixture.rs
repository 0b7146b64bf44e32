//! A server with one pull request, and findings to post to it.

use crate::github::server::{GitHub, HEAD, TOKEN};
use aidd_ci::event::Repository;
use aidd_ci::github::{Content, PostOptions, Posted, Suggestion, Target, Timeouts, post_with};
use aidd_engine::text::finding::Severity;
use aidd_report::wire::{Edit, Finding, Fix, Position, Status};
use serde_json::Value;
use std::collections::BTreeMap;
use std::time::Duration;

pub(crate) const PULL: u64 = 7;
/// The gzip of an empty input.
pub(crate) const GZIP: &[u8] = &[0x1f, 0x8b, 8, 0, 0, 0, 0, 0, 0, 3, 3, 0, 0, 0, 0, 0, 0, 0, 0, 0];
pub(crate) const ALL: PostOptions =
    PostOptions { check_run: true, comment: true, review: true, sarif: true };
pub(crate) const CHECK_RUN: PostOptions =
    PostOptions { check_run: true, comment: false, review: false, sarif: false };
pub(crate) const COMMENT: PostOptions =
    PostOptions { check_run: false, comment: true, review: false, sarif: false };
pub(crate) const REVIEW: PostOptions =
    PostOptions { check_run: false, comment: false, review: true, sarif: false };
pub(crate) const SARIF: PostOptions =
    PostOptions { check_run: false, comment: false, review: false, sarif: true };

/// The content to post, which tests modify.
pub(crate) struct Run {
    pub(crate) title: String,
    pub(crate) failed: bool,
    pub(crate) summary: String,
    pub(crate) comment: Option<String>,
    pub(crate) findings: Vec<Finding>,
    pub(crate) diff_lines: BTreeMap<String, Vec<(u32, u32)>>,
    pub(crate) suggestions: Vec<Suggestion>,
    pub(crate) marker: String,
    pub(crate) token: String,
    pub(crate) pull: Option<u64>,
    pub(crate) timeouts: Timeouts,
}

impl Run {
    pub(crate) fn post(&self, server: &GitHub, options: PostOptions) -> Posted {
        let repository = repository(server);
        let target = Target {
            repository: &repository,
            token: &self.token,
            head_sha: HEAD,
            git_ref: if self.pull.is_some() { "refs/pull/7/merge" } else { "refs/heads/main" },
            pull: self.pull,
            run_url: Some("https://github.com/octo/demo/actions/runs/1"),
        };
        let content = Content {
            distribution: &crate::DISTRIBUTION,
            title: self.title.clone(),
            failed: self.failed,
            summary: self.summary.clone(),
            comment: self.comment.clone(),
            findings: &self.findings,
            diff_lines: &self.diff_lines,
            suggestions: &self.suggestions,
            sarif: Some(GZIP),
            marker: &self.marker,
        };
        post_with(&target, options, &content, self.timeouts)
    }

    /// Posts, and expects success.
    pub(crate) fn post_all(&self, server: &GitHub, options: PostOptions) -> Posted {
        let posted = self.post(server, options);
        assert_eq!(posted.skipped, Vec::<String>::new());
        posted
    }
}

pub(crate) fn repository(server: &GitHub) -> Repository {
    Repository {
        server: "https://github.com".into(),
        api: server.api.clone(),
        owner: "octo".into(),
        name: "demo".into(),
    }
}

/// A server whose diff shows lines 1 to 40 of `Dockerfile`.
pub(crate) fn server() -> GitHub {
    let server = GitHub::start("");
    server.state().diff.insert("Dockerfile".into(), vec![(1, 40)]);
    server
}

/// A run without findings.
pub(crate) fn clean() -> Run {
    Run {
        title: "No problems introduced".into(),
        failed: false,
        summary: "All is well.".into(),
        comment: None,
        findings: Vec::new(),
        diff_lines: BTreeMap::from([("Dockerfile".into(), vec![(1, 40)])]),
        suggestions: Vec::new(),
        marker: "aidd".into(),
        token: TOKEN.into(),
        pull: Some(PULL),
        timeouts: Timeouts {
            request: Duration::from_secs(20),
            pause: Duration::from_millis(2),
            limits: Duration::from_secs(3),
        },
    }
}

/// A run with `count` findings, one per line, each with a suggestion.
pub(crate) fn run(count: u32) -> Run {
    let findings: Vec<Finding> = (1..=count).map(finding).collect();
    let suggestions = findings.iter().zip(1..).map(|(finding, line)| Suggestion {
        finding: finding.id.clone(),
        first: line,
        last: line,
        text: format!("FROM debian:{line}\n"),
    });
    Run {
        title: format!("{count} errors introduced"),
        failed: true,
        summary: "## aidd\n\nThere are errors.".into(),
        comment: Some("## aidd\n\nThere are errors.".into()),
        suggestions: suggestions.collect(),
        findings,
        ..clean()
    }
}

/// A finding on a separate line, without a fix.
pub(crate) fn finding(line: u32) -> Finding {
    let at = |column: u64| Position { line: line.into(), column, offset: 0 };
    Finding {
        id: format!("{line:016x}"),
        rule: "dockerfile/latest-tag".into(),
        aliases: Vec::new(),
        severity: Severity::Error,
        message: "Pin the tag of @debian".into(),
        help: Some("Name a version".into()),
        path: "Dockerfile".into(),
        start: at(6),
        end: at(19),
        status: Status::New,
        reason: None,
        fix: None,
        related: Vec::new(),
        gate: None,
    }
}

/// A finding with a safe fix; the edits are byte offsets from and to, and new text.
pub(crate) fn fixable(edits: &[(usize, usize, &str)]) -> Finding {
    let at = |offset: usize| Position { line: 1, column: 1, offset: offset as u64 };
    let edit = |&(from, to, text): &(usize, usize, &str)| Edit {
        start: at(from),
        end: at(to),
        text: text.into(),
    };
    let edits = edits.iter().map(edit).collect();
    Finding {
        fix: Some(Fix {
            title: "Fix it".into(),
            safety: "safe".into(),
            edits,
            create: None,
            rename_to: None,
        }),
        ..finding(1)
    }
}

/// The texts of all comments on the pull request.
pub(crate) fn comments(server: &GitHub) -> Vec<String> {
    let state = server.state();
    state.comments.iter().map(|comment| text(&comment["body"])).collect()
}

pub(crate) fn text(value: &Value) -> String {
    value.as_str().expect("a text").to_owned()
}

pub(crate) fn pretty(value: &Value) -> String {
    serde_json::to_string_pretty(value).expect("JSON")
}
