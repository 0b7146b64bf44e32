//! What every fuzz target does: check any bytes as the file at some path, and hold the result to
//! what must be true of all results.

use aidd_engine::check::{Engine, Selection};
use aidd_engine::config::Config;
use aidd_engine::files::Memory;
use aidd_engine::finding::{Finding, Safety};
use aidd_engine::fix;
use aidd_engine::registry::Registry;
use aidd_engine::source::{Source, Span};
use std::sync::LazyLock;

static ENGINE: LazyLock<Engine> = LazyLock::new(|| {
    Engine::new(Registry::new(&[]), &Config::default(), &Selection::default())
        .expect("shipped rules")
});

/// Checks `data` as the file at `path`, with no file beside it.
///
/// # Panics
/// When a span or an edit is not one of the text, a finding has no words, or a secret shows in them.
pub fn check(path: &str, data: &[u8]) {
    check_beside(path, data, &Memory::default());
}

/// Checks `data` as the file at `path`, with `files` beside it.
///
/// # Panics
/// As [`check`].
pub fn check_beside(path: &str, data: &[u8], files: &Memory) {
    let source = Source::decode(path, data.to_vec());
    let checked = ENGINE.check(&source, files);
    for finding in &checked.findings {
        hold(&source, finding);
    }
    let fixes: Vec<_> = fix::applicable(&checked.findings, Safety::Unsafe).collect();
    let (fixed, _) = fix::apply(data, &fixes);
    assert!(std::str::from_utf8(data).is_err() || String::from_utf8(fixed).is_ok());
}

/// Mends the file at `path`, and mends the result.
///
/// # Panics
/// When the second time finds more to mend.
pub fn mend(path: &str, data: &[u8]) {
    for safety in [Safety::Safe, Safety::Unsafe] {
        let mend = |bytes| fix::mend(&ENGINE, path, bytes, &Memory::default(), safety).bytes;
        let once = mend(data.to_vec());
        let twice = mend(once.clone());
        assert_eq!(String::from_utf8_lossy(&once), String::from_utf8_lossy(&twice), "{safety:?}");
    }
}

fn hold(source: &Source, finding: &Finding) {
    let is_of_text = |span: Span| {
        let text = source.text();
        span.start <= span.end
            && text.is_char_boundary(span.start as usize)
            && text.is_char_boundary(span.end as usize)
    };
    let rule = &finding.rule;
    assert!(is_of_text(finding.span), "{rule}: {:?}", finding.span);
    assert!(finding.related.iter().all(|related| is_of_text(related.span)), "{rule}: related");
    let edits = finding.fix.iter().flat_map(|fix| &fix.edits);
    assert!(edits.into_iter().all(|edit| is_of_text(edit.span)), "{rule}: fix");
    assert!(!finding.message.is_empty() && finding.id.len() == 16, "{rule}: no words");
    if let Some(secret) = finding.secret {
        assert!(is_of_text(secret), "{rule}: {secret:?}");
        let secret = source.slice(secret);
        assert!(secret.len() < 4 || !finding.message.contains(secret), "{rule}: shows");
    }
}
