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
