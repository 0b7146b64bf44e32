//! Work-done progress of a pass over the workspace.

use crate::diagnostics::{Count, Partial};
use crate::documents::lock;
use crate::state::State;
use serde_json::{Value, json};
use std::sync::Arc;
use std::sync::atomic::AtomicBool;
use tower_lsp_server::ls_types::NumberOrString;

/// Work-done progress of a pass.
pub(crate) struct Progress {
    state: Arc<State>,
    token: String,
}

impl Progress {
    /// `None` if the client does not support progress.
    pub(crate) async fn begin(state: &Arc<State>, stop: &Arc<AtomicBool>) -> Option<Self> {
        if !state.session.get().is_some_and(|session| session.progress) {
            return None;
        }
        let token = format!("aidd/{}", state.client.next_request_id());
        let created = NumberOrString::String(token.clone());
        state.client.create_work_done_progress(created).await.ok()?;
        lock(&state.passes).insert(token.clone(), stop.clone());
        let progress = Self { state: state.clone(), token };
        let begin = json!({
            "kind": "begin",
            "title": "aidd: checking the workspace",
            "cancellable": true,
            "percentage": 0,
        });
        progress.send(begin).await;
        Some(progress)
    }

    pub(crate) async fn report(&self, done: usize, total: usize) {
        let percentage = (done * 100).checked_div(total).unwrap_or(100);
        let message = format!("{done}/{total} files");
        self.send(json!({ "kind": "report", "message": message, "percentage": percentage })).await;
    }

    pub(crate) async fn end(&self, count: Option<Count>) {
        let message = count.map_or_else(
            || "stopped".to_owned(),
            |count| format!("{} findings in {} files", count.findings, count.files),
        );
        self.send(json!({ "kind": "end", "message": message })).await;
    }

    async fn send(&self, value: Value) {
        let params = json!({ "token": self.token, "value": value });
        self.state.client.send_notification::<Partial>(params).await;
    }
}

impl Drop for Progress {
    fn drop(&mut self) {
        lock(&self.state.passes).remove(&self.token);
    }
}
