//! Schedules checks of documents with push diagnostics: immediately, then at intervals while the
//! user types, and once more after the last keystroke.

use crate::documents::lock;
use crate::lifecycle::Run;
use crate::state::State;
use std::sync::Arc;
use std::sync::atomic::Ordering;
use std::time::{Duration, Instant};
use tokio::sync::Notify;
use tower_lsp_server::ls_types::Uri;

/// Minimum time between two requests to refresh, and longest pause after a fast check.
pub(crate) const MIN_INTERVAL: Duration = Duration::from_millis(75);

/// Shortest pause between two checks of one document: changes within it share one check.
const SHORTEST_PAUSE: Duration = Duration::from_millis(10);

/// The pause after a check as a multiple of its duration, up to [`MIN_INTERVAL`].
const PAUSE_FACTOR: u32 = 8;

/// Starts to push the diagnostics of an opened document, or pushes them again.
pub(crate) fn start_push(state: &Arc<State>, uri: &Uri) {
    if state.has_pull_diagnostics() {
        return;
    }
    let mut pushed = lock(&state.pushed);
    let notify = pushed.entry(uri.clone()).or_insert_with(|| {
        let notify = Arc::new(Notify::new());
        tokio::spawn(push(state.clone(), uri.clone(), notify.clone()));
        notify
    });
    notify.notify_one();
}

/// Pushes the diagnostics of a changed document, unless it is only checked on save.
pub(crate) fn push_changed(state: &State, uri: &Uri) {
    if lock(&state.settings).run == Run::OnType {
        state.wake(uri);
    }
}

/// Rechecks all open documents after a change of settings, rules or files that their checks read.
pub(crate) fn recheck(state: &Arc<State>) {
    state.next_epoch();
    for notify in lock(&state.pushed).values() {
        notify.notify_one();
    }
    state.touch();
    refresh(state);
    if state.features().refreshes_lenses {
        let state = state.clone();
        // A client that rejects the request asks for lenses when the document changes.
        tokio::spawn(async move { state.client.code_lens_refresh().await });
    }
}

/// Refreshes the diagnostics in the client after project-wide findings changed.
pub(crate) fn refresh_project_findings(state: &Arc<State>) {
    for notify in lock(&state.pushed).values() {
        notify.notify_one();
    }
    state.touch();
    refresh(state);
}

/// Sends a refresh request to a client that pulls diagnostics and supports such requests. Changes
/// within [`MIN_INTERVAL`] share one request.
pub(crate) fn refresh(state: &Arc<State>) {
    let is_supported =
        state.session.get().is_some_and(|session| session.pulls && session.refreshes);
    if !is_supported || state.is_refreshing.swap(true, Ordering::SeqCst) {
        return;
    }
    let state = state.clone();
    tokio::spawn(async move {
        tokio::time::sleep(MIN_INTERVAL).await;
        state.is_refreshing.store(false, Ordering::SeqCst);
        // A client that rejects the request pulls diagnostics at its own pace.
        let _ = state.client.workspace_diagnostic_refresh().await;
    });
}

/// Pushes the diagnostics of a document while it is open, then an empty list. Only this function
/// pushes diagnostics of open documents, so that they arrive in order.
async fn push(state: Arc<State>, uri: Uri, woken: Arc<Notify>) {
    loop {
        woken.notified().await;
        let started = Instant::now();
        match state.check_current(&uri).await {
            // Do not send an outdated result: the change has woken this task again.
            Some((generation, snapshot)) => {
                if state.is_current(&uri, generation) {
                    let diagnostics = crate::diagnostics::client_diagnostics(&state, &snapshot);
                    let version = snapshot.version;
                    state.client.publish_diagnostics(uri.clone(), diagnostics, version).await;
                }
            }
            None if state.is_open(&uri) => {}
            None => {
                state.client.publish_diagnostics(uri.clone(), Vec::new(), None).await;
                let mut pushed = lock(&state.pushed);
                if !state.is_open(&uri) {
                    pushed.remove(&uri);
                    return;
                }
            }
        }
        tokio::time::sleep(pause_after(started.elapsed())).await;
    }
}

/// The pause after a check of this duration: short after a fast check, so that findings follow each
/// keystroke; after a long check at least as long as the check, which leaves half of the time to
/// other tasks.
fn pause_after(check: Duration) -> Duration {
    check.saturating_mul(PAUSE_FACTOR).clamp(SHORTEST_PAUSE, MIN_INTERVAL).max(check)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_pause_depends_on_the_duration_of_the_check() {
        let pause = |check| pause_after(Duration::from_millis(check)).as_millis();
        assert_eq!([0, 1, 2, 5, 10, 75, 400].map(pause), [10, 10, 16, 40, 75, 75, 400]);
    }
}
