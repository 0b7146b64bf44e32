//! When documents are checked whose diagnostics are sent unasked: at once, then once a while as
//! long as the typing goes on, and always once more after the last key.

use crate::documents::lock;
use crate::lifecycle::Run;
use crate::state::State;
use std::sync::Arc;
use std::sync::atomic::Ordering;
use std::time::{Duration, Instant};
use tokio::sync::Notify;
use tower_lsp_server::ls_types::Uri;

/// The least time between two checks of one document.
pub(crate) const PAUSE: Duration = Duration::from_millis(75);

/// Begins to send the diagnostics of a document that was opened; or sends them anew.
pub(crate) fn opened(state: &Arc<State>, uri: &Uri) {
    if state.pulls() {
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

/// Sends the diagnostics of a document that was changed, unless that waits for it to be saved.
pub(crate) fn changed(state: &State, uri: &Uri) {
    if lock(&state.settings).run == Run::OnType {
        state.wake(uri);
    }
}

/// Checks everything that is open anew: settings, rules or files beside it have changed.
pub(crate) fn recheck(state: &Arc<State>) {
    state.next_epoch();
    for notify in lock(&state.pushed).values() {
        notify.notify_one();
    }
    state.touch();
    refresh(state);
}

/// Has the findings of the project as a whole shown anew: they are others now.
pub(crate) fn joined(state: &Arc<State>) {
    for notify in lock(&state.pushed).values() {
        notify.notify_one();
    }
    state.touch();
    refresh(state);
}

/// Tells a client that asks to ask again, if it can be told: once for all that happens in a while.
pub(crate) fn refresh(state: &Arc<State>) {
    let can = state.session.get().is_some_and(|session| session.pulls && session.refreshes);
    if !can || state.is_refreshing.swap(true, Ordering::SeqCst) {
        return;
    }
    let state = state.clone();
    tokio::spawn(async move {
        tokio::time::sleep(PAUSE).await;
        state.is_refreshing.store(false, Ordering::SeqCst);
        // A client that refuses asks when it likes.
        let _ = state.client.workspace_diagnostic_refresh().await;
    });
}

/// Sends the diagnostics of one document for as long as it is open, then none. The only place that
/// sends those of open documents, so that they arrive in order.
async fn push(state: Arc<State>, uri: Uri, woken: Arc<Notify>) {
    loop {
        woken.notified().await;
        let started = Instant::now();
        match state.current(&uri).await {
            // A result that is out of date is not worth sending: the change has woken this task.
            Some((generation, snapshot)) => {
                if state.is_current(&uri, generation) {
                    let diagnostics = crate::diagnostics::of(&state, &snapshot);
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
        // Where a check takes long, at least half of the time is left for others.
        tokio::time::sleep(PAUSE.max(started.elapsed())).await;
    }
}
