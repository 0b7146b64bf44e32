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
    let pages = all.registry().rules().iter();
    // The examples of each rule on secrets, and of some other rules.
    let pages =
        pages.enumerate().filter(|(at, rule)| rule.id.starts_with("secrets/") || at % 9 == 0);
    for (_, rule) in pages {
        let text = rule.body().replace(JOIN_MARK, "");
        for path in ["memory", "message.md", ".env"] {
            let source = Source::new(path, text.as_str());
            let expected = all.check(&source, &files).secrets;
            found += expected.len();
            assert_eq!(secrets_only.check(&source, &files).secrets, expected, "{path} {}", rule.id);
        }
    }
    assert!(found > 2000, "{found}");
}
