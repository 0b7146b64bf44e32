//! Values that several checks of a run share.

use aidd_engine::text::files::Files;
use std::sync::Arc;

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
