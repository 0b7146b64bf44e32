//! What every fuzz target does: check any bytes as the file at some path, and hold the result to
//! what must be true of all results.

use aidd_engine::check::{Engine, Selection};
use aidd_engine::config::Config;
use aidd_engine::files::Memory;
use aidd_engine::finding::Safety;
use aidd_engine::fix::{applicable, apply};
use aidd_engine::registry::Registry;
use aidd_engine::source::Source;
use std::sync::LazyLock;

static ENGINE: LazyLock<Engine> = LazyLock::new(|| {
    Engine::new(Registry::new(&[]), &Config::default(), &Selection::default()).expect("shipped rules")
});

/// Checks `data` as the file at `path`.
///
/// # Panics
/// When a span lies outside the text, a finding has no words, or a secret shows in them.
pub fn check(path: &str, data: &[u8]) {
    let source = Source::decode(path, data.to_vec());
    let checked = ENGINE.check(&source, &Memory::default());
    for finding in &checked.findings {
        assert!(finding.span.start <= finding.span.end);
        assert!(finding.span.end as usize <= source.text().len());
        assert!(!finding.message.is_empty() && finding.id.len() == 16);
        if let Some(secret) = finding.secret {
            let secret = source.slice(secret);
            assert!(secret.len() < 4 || !finding.message.contains(secret), "{} shows", finding.rule);
        }
    }
    let fixes: Vec<_> = applicable(&checked.findings, Safety::Unsafe).collect();
    let _ = apply(data, &fixes);
}
