//! Inserts allow comments for findings of validator families, which define the extent of a
//! statement.

use aidd_engine::check::{Distribution, Engine, Selection};
use aidd_engine::project::config::Config;
use aidd_engine::rules::registry::Registry;
use aidd_engine::text::files::Memory;
use aidd_engine::text::source::Source;
use aidd_engine::workspace::suppress::allow;

#[test]
fn an_allow_comment_is_placed_above_the_statement() {
    let registry = Registry::new(crate::DISTRIBUTION.pages, &[]);
    let engine =
        Engine::new(&crate::DISTRIBUTION, registry, &Config::default(), &Selection::default());
    let (engine, files) = (engine.expect("shipped rules"), Memory::default());
    let text = "FROM debian:12\r\nRUN a \\\r\n  && sudo b\r\nCMD [\"c\"]\r\n";
    let source = Source::new("Dockerfile", text);
    let findings = engine.check(&source, &files).findings;
    let finding =
        findings.iter().find(|finding| &*finding.rule == "dockerfile/sudo").expect("a finding");
    let edit = allow(&engine, &source, finding, &files, "why").expect("a comment");
    let mut allowed = text.to_owned();
    allowed.insert_str(edit.span.start as usize, &edit.text);
    assert_eq!(
        allowed,
        "FROM debian:12\r\n# aidd:allow dockerfile/sudo why\r\nRUN a \\\r\n  && sudo b\r\nCMD [\"c\"]\r\n"
    );
}

#[test]
fn a_distribution_without_families_is_an_error() {
    static WITHOUT_FAMILIES: Distribution = Distribution::new(&aidd_content::RULES, &[]);
    let registry = Registry::new(WITHOUT_FAMILIES.pages, &[]);
    let error = Engine::new(&WITHOUT_FAMILIES, registry, &Config::default(), &Selection::default());
    let error = error.expect_err("no families").to_string();
    assert!(error.contains("was built without its family"), "{error}");
    assert_eq!(WITHOUT_FAMILIES.redact("anything"), "[REDACTED]");
}
