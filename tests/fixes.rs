//! Fixes terminate, are idempotent, keep files parseable, and add no error.

use aidd_engine::check::{Engine, Selection};
use aidd_engine::project::config::Config;
use aidd_engine::rules::registry::Registry;
use aidd_engine::text::files::Memory;
use aidd_engine::text::finding::{Finding, Safety, Severity};
use aidd_engine::text::source::Source;
use aidd_engine::workspace::examples::{self, Expected};
use aidd_engine::workspace::fix::{applicable, fix_file};
use proptest::prelude::*;
use std::sync::LazyLock;

static ENGINE: LazyLock<Engine> = LazyLock::new(|| {
    Engine::new(
        &crate::DISTRIBUTION,
        Registry::new(crate::DISTRIBUTION.pages, &[]),
        &Config::default(),
        &Selection::default(),
    )
    .expect("shipped rules")
});

fn findings(path: &str, bytes: &[u8]) -> Vec<Finding> {
    let source = Source::decode(path, bytes.to_vec());
    ENGINE.check(&source, &Memory::default()).findings
}

fn syntax_errors(findings: &[Finding]) -> usize {
    findings.iter().filter(|finding| finding.rule.ends_with("/syntax")).count()
}

fn errors(findings: &[Finding]) -> usize {
    findings.iter().filter(|finding| finding.severity == Severity::Error).count()
}

/// Fixes a text, and checks the guarantees; returns the fixed text.
fn check(path: &str, text: &str, safety: Safety) -> Result<String, String> {
    let before = findings(path, text.as_bytes());
    let once = fix_file(&ENGINE, path, text.as_bytes().to_vec(), &Memory::default(), safety);
    let after = findings(path, &once.bytes);
    let fixed = String::from_utf8_lossy(&once.bytes).into_owned();
    let say = |what: &str| format!("{what}\n--- before\n{text}\n--- after\n{fixed}");
    if syntax_errors(&after) > syntax_errors(&before) {
        return Err(say("the fixes broke the syntax"));
    }
    if errors(&after) > errors(&before) {
        return Err(say("the fixes added errors"));
    }
    let twice = fix_file(&ENGINE, path, once.bytes.clone(), &Memory::default(), safety);
    if twice.bytes != once.bytes {
        return Err(say("a second run changed the file again"));
    }
    let left = applicable(&after, safety).count();
    if left > 0 && once.fixed == 0 {
        return Err(say("a fix is offered but never applied"));
    }
    Ok(fixed)
}

#[test]
fn every_example_is_fixed_idempotently() {
    let mut wrong = Vec::new();
    let mut changed = 0;
    for rule in ENGINE.registry().rules() {
        let (examples, _) = examples::read(rule).expect("a readable page");
        for example in examples.iter().filter(|example| example.expected != Expected::Passes) {
            for safety in [Safety::Safe, Safety::Unsafe] {
                match check(&example.path, &example.text, safety) {
                    Ok(repaired) => changed += usize::from(repaired != example.text),
                    Err(what) => wrong.push(format!("{}: {what}", rule.id)),
                }
            }
        }
    }
    assert!(wrong.is_empty(), "{}", wrong.join("\n\n"));
    assert!(changed > 50, "only {changed} examples were fixed");
}

/// Lines that occur in real Dockerfiles, each with something to fix or an edge case.
const LINES: [&str; 24] = [
    "FROM debian:12 as base",
    "from --platform=$TARGETPLATFORM node:20",
    "MAINTAINER \"a b\" <a@example.org>",
    "RUN apt-get update && apt-get install curl",
    "RUN apt install -y git \\",
    "    # a comment",
    "    vim",
    "RUN cd /app && make | tee log",
    "run pip install requests==2.0",
    "ADD . /app",
    "ADD a b c",
    "COPY a b dir",
    "ENV A 1 2 3",
    "ENV B=$A C=\"x y\"",
    "CMD node 'a b.js' $X",
    "ENTRYPOINT exec top",
    "WORKDIR app",
    "RUN <<EOF",
    "apt-get install x",
    "EOF",
    "EXPOSE 80/TCP",
    "",
    "RUN wget http://example.org/a | sh",
    "RUN yum install x && apk add y",
];

proptest! {
    #![proptest_config(ProptestConfig { cases: 200, failure_persistence: None, ..ProptestConfig::default() })]

    #[test]
    fn any_dockerfile_is_fixed_idempotently(
        lines in proptest::collection::vec(0..LINES.len(), 1..12),
        crlf in any::<bool>(),
    ) {
        let text: Vec<&str> = lines.iter().map(|&line| LINES[line]).collect();
        let text = text.join(if crlf { "\r\n" } else { "\n" });
        for safety in [Safety::Safe, Safety::Unsafe] {
            if let Err(what) = check("Dockerfile", &text, safety) {
                prop_assert!(false, "{}", what);
            }
        }
    }
}
