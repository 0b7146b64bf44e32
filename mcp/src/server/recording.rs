//! Notes what the server answers: see [`crate::recorder`].

use super::Server;
use crate::recorder::{Due, FLUSH_AFTER, Facts};
use crate::resources;
use aidd_lexicon::tokens;
use aidd_memory::usage::Name;
use aidd_memory::usage::event::Call;
use rmcp::RoleServer;
use rmcp::model::CallToolResult;
use rmcp::service::RequestContext;
use std::time::Instant;

/// Number of bytes of an answer whose tokens are counted.
const MAX_COUNTED: usize = 2048;

/// When a request was received: by the clock of the memory, and for measuring.
pub(super) type Started = (i64, Instant);

impl Server {
    pub(super) fn start(&self) -> Started {
        (self.context.now(), Instant::now())
    }

    /// Stores what was noted so far.
    pub fn store_usage(&self) {
        self.recorder.flush(&self.context);
    }

    pub(super) fn note_call(
        &self,
        tool: &'static str,
        (at, started): Started,
        mut facts: Facts,
        result: &CallToolResult,
        request: &RequestContext<RoleServer>,
    ) {
        let Some(tool) = Name::new(tool) else { return };
        let text = result.content.first().and_then(|block| block.as_text());
        let text = text.map(|text| text.text.as_str()).unwrap_or_default();
        let data = result.structured_content.as_ref().map(|data| data.to_string().len());
        let call = Call {
            is_error: result.is_error == Some(true),
            bytes: to_u32(text.len() + data.unwrap_or_default()),
            tokens: token_count(text),
            findings: std::mem::take(&mut facts.findings),
            ..new_call(tool, started)
        };
        let due = self.recorder.note_call(&client_of(request), at, call, facts);
        self.plan_flush(due);
    }

    pub(super) fn note_resource(
        &self,
        uri: &str,
        (at, started): Started,
        text: &str,
        request: &RequestContext<RoleServer>,
    ) {
        let Some((name, page)) = resources::usage(uri) else { return };
        let (bytes, tokens) = (to_u32(text.len()), token_count(text));
        let call = Call { bytes, tokens, ..new_call(name, started) };
        let due = self.recorder.note_page(&client_of(request), at, call, page);
        self.plan_flush(due);
    }

    pub(super) fn note_prompt(
        &self,
        name: &str,
        (at, started): Started,
        request: &RequestContext<RoleServer>,
    ) {
        let Some(name) = Name::new(&format!("prompts/{name}")) else { return };
        let call = new_call(name, started);
        let due = self.recorder.note_page(&client_of(request), at, call, None);
        self.plan_flush(due);
    }

    fn plan_flush(&self, due: Due) {
        if due == Due::Planned {
            return;
        }
        let server = self.clone();
        tokio::spawn(async move {
            if due == Due::Later {
                tokio::time::sleep(FLUSH_AFTER).await;
            }
            // The result is the end of the task; a panic in it is reported by the panic hook.
            let _ = tokio::task::spawn_blocking(move || server.store_usage()).await;
        });
    }
}

fn new_call(tool: Name, started: Instant) -> Call {
    let millis = u32::try_from(started.elapsed().as_millis()).unwrap_or(u32::MAX);
    Call { tool, millis, bytes: 0, tokens: 0, is_error: false, findings: Vec::new() }
}

/// The tokens of a text. Counting 1,000 bytes takes 0.05 ms, so those of a long text are estimated from
/// its beginning: recording must not slow down a call.
fn token_count(text: &str) -> u32 {
    let end = text.floor_char_boundary(MAX_COUNTED.min(text.len()));
    let counted = tokens::count(&text[..end]);
    to_u32(counted * text.len() / end.max(1))
}

fn to_u32(number: usize) -> u32 {
    u32::try_from(number).unwrap_or(u32::MAX)
}

/// The name of the client, with which its hooks opened a session.
fn client_of(request: &RequestContext<RoleServer>) -> String {
    request.client_info().map(|info| info.name).unwrap_or_default()
}
