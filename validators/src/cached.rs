//! Values that several checks of a run share.

use aidd_engine::text::files::{Files, of_inputs};
use std::sync::{Arc, LazyLock};
use std::time::Instant;

/// How long an editor uses a value of [`of_code`] before it looks for changed files, in seconds.
const CHECKED_AFTER: u64 = 5;
/// The time from which the intervals are counted.
static START: LazyLock<Instant> = LazyLock::new(Instant::now);

/// The value for `key`, computed once per run, and in an editor once until a file changes: it must not
/// depend on the text that is edited.
pub(crate) fn cached_unedited<T: Send + Sync + 'static>(
    files: &dyn Files,
    key: &str,
    compute: impl Fn() -> T,
) -> Arc<T> {
    match files.run_cache() {
        Some(cache) => cache.get_or_compute_unedited(key, compute),
        None => Arc::new(compute()),
    }
}

/// The value for `key`, computed once per run.
pub(crate) fn cached<T: Send + Sync + 'static>(
    files: &dyn Files,
    key: &str,
    compute: impl Fn() -> T,
) -> Arc<T> {
    match files.run_cache() {
        Some(cache) => cache.get_or_compute(key, compute),
        None => Arc::new(compute()),
    }
}

/// The value that `compute` computes from all files that `is_input` selects: once per run. To look whether
/// one of thousands of files changed takes longer than a key press may take, so in an editor, the value is
/// that of a few seconds ago.
pub(crate) fn of_code<T: Send + Sync + 'static>(
    files: &dyn Files,
    key: &str,
    is_input: fn(&str) -> bool,
    compute: impl Fn(&[String]) -> T,
) -> Arc<T> {
    let Some(listing) = files.listing() else { return Arc::new(compute(&[])) };
    let current = || of_inputs(files, listing, &format!("{key}: inputs"), is_input, &compute);
    let Some(cache) = files.run_cache().filter(|cache| cache.outlives_changes()) else {
        return current();
    };
    let value = cache.get_or_compute(key, || {
        let interval = START.elapsed().as_secs() / CHECKED_AFTER;
        let state = format!("{} {interval}", listing.id());
        let checked = cache.get_or_replace((key, "checked"), state, current);
        Arc::clone(&checked)
    });
    Arc::clone(&value)
}
