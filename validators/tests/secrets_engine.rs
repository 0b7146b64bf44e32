//! Tests that the engine for secrets alone finds the same secrets as all rules.

use super::DISTRIBUTION;
use aidd_engine::text::files::Memory;
use aidd_engine::text::placeholder::JOIN_MARK;
use aidd_engine::text::source::Source;

#[test]
fn the_rules_on_secrets_alone_find_every_secret() {
    let all = DISTRIBUTION.engine().expect("valid");
    let secrets_only = DISTRIBUTION.secrets_engine().expect("valid");
    let (files, mut found) = (Memory::default(), 0);
    // The examples of each rule on secrets, and of some other rules.
    let pages = all.registry().rules().iter().enumerate();
    let pages = pages.filter(|(at, rule)| rule.id.starts_with("secrets/") || at % 40 == 0);
    for (at, rule) in pages {
        let path = ["memory", "message.md", ".env"][at % 3];
        let source = Source::new(path, rule.body().replace(JOIN_MARK, ""));
        let expected = all.check(&source, &files).secrets;
        found += expected.len();
        assert_eq!(secrets_only.check(&source, &files).secrets, expected, "{path} {}", rule.id);
    }
    assert!(found > 500, "{found}");
}

#[test]
fn no_message_contains_a_part_of_a_secret() {
    let engine = DISTRIBUTION.engine().expect("valid");
    let token = format!("ghp_{}", "Ky9Pf34qY6Nb3wWD25RQ4F5ZR3qa7y3gm1IL");
    for (line, expected) in [
        (format!("{token} foo"), "unknown instruction `[REDACTED]`"),
        (format!("API_ACCESS_TOKEN={token}"), "unknown instruction `API_ACCESS_TOKEN`"),
    ] {
        let source = Source::new("Dockerfile", format!("FROM node:20\n{line}\n"));
        let findings = engine.check(&source, &Memory::default()).findings;
        let messages: Vec<&str> = findings.iter().map(|finding| &*finding.message).collect();
        assert!(messages.contains(&expected), "{messages:?}");
        assert!(!messages.iter().any(|message| message.contains(&token[4..12])), "{messages:?}");
    }
}
