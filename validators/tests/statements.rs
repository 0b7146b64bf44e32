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
fn an_allow_comment_is_placed_above_the_entry_of_a_po_file() {
    let registry = Registry::new(crate::DISTRIBUTION.pages, &[]);
    let engine =
        Engine::new(&crate::DISTRIBUTION, registry, &Config::default(), &Selection::default());
    let (engine, files) = (engine.expect("shipped rules"), Memory::default());
    let header = "msgid \"\"\nmsgstr \"Content-Type: text/plain; charset=UTF-8\\n\"\n\n";
    let text = format!("{header}#: a.c:1\nmsgid \"Done.\\n\"\nmsgstr \"Fini.\"\n");
    let source = Source::new("po/fr.po", &*text);
    let rule = "i18n/newline-mismatch";
    let findings = engine.check(&source, &files).findings;
    let finding = findings.iter().find(|finding| &*finding.rule == rule).expect("a finding");
    let edit = allow(&engine, &source, finding, &files, "why").expect("a comment");
    let mut allowed = text.clone();
    allowed.insert_str(edit.span.start as usize, &edit.text);
    let comment = format!("# aidd:allow {rule} why\n");
    let entry = "msgid \"Done.\\n\"\nmsgstr \"Fini.\"\n";
    assert_eq!(allowed, format!("{header}#: a.c:1\n{comment}{entry}"));
    let above = Source::new("po/fr.po", format!("{header}{comment}#: a.c:1\n{entry}"));
    let found = engine.check(&above, &files).findings;
    let is_new = |status| status == aidd_engine::text::finding::Status::New;
    assert!(found.iter().all(|finding| !is_new(finding.status)), "{found:?}");
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
