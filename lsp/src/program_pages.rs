//! The pages of the program that remain in memory while documents are open.

use aidd_memory::heap;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::Duration;
use tokio::task::spawn_blocking;

/// The number of bytes of the program that remain in memory after a document was opened. The first
/// check of a document prepares the rules of its language, which later checks do not repeat: a
/// keystroke needs 13 to 18 MB.
const MAX_PROGRAM: usize = 20 << 20;

/// Requests for hints, symbols and lenses of an opened document follow its first check.
const DELAY: Duration = Duration::from_millis(150);

/// Unmaps pages of the program that only the first check of a document used.
#[derive(Debug, Default)]
pub(crate) struct ProgramPages {
    is_scheduled: Arc<AtomicBool>,
}

impl ProgramPages {
    /// Unmaps the pages after a delay, once for all documents that are opened within it.
    pub(crate) fn unmap_soon(&self) {
        if self.is_scheduled.swap(true, Ordering::SeqCst) {
            return;
        }
        let is_scheduled = self.is_scheduled.clone();
        tokio::spawn(async move {
            tokio::time::sleep(DELAY).await;
            is_scheduled.store(false, Ordering::SeqCst);
            spawn_blocking(|| heap::unmap_program(MAX_PROGRAM));
        });
    }
}
