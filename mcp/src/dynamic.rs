//! A tool list whose order follows the agent's current task. The dynamic order is opt-in and only
//! available to clients that start with `initialize`, because revision 2026-07-28 forbids a list
//! that changes, and many clients cache the first list. No tool is hidden.

use crate::schema::Object;
use aidd_memory::situation::{Situation, detect_or};
use rmcp::RoleServer;
use rmcp::model::ProtocolVersion;
use rmcp::service::{Peer, RequestContext};
use serde_json::Value;
use std::sync::{Mutex, PoisonError};
use std::time::Duration;
use tokio::time::timeout;

/// Timeout for the notification that the list changed. After a timeout, the order no longer
/// changes.
const NOTIFY_TIMEOUT: Duration = Duration::from_millis(500);

/// The order of the tool list, which follows the current task of the client.
#[derive(Debug)]
pub(crate) struct DynamicOrder {
    state: Mutex<State>,
    /// The value of [`aidd_memory::situation::OVERRIDE_VARIABLE`].
    forced: Option<String>,
}

#[derive(Debug)]
enum State {
    Following(Option<&'static Situation>),
    /// The client cannot be notified.
    Static,
}

/// Whether the list order can change for the client of this request.
pub(crate) fn can_reorder(request: &RequestContext<RoleServer>) -> bool {
    request.protocol_version().is_some_and(|version| version < ProtocolVersion::V_2026_07_28)
}

impl DynamicOrder {
    /// The order for the situation that `forced` names, for debugging, otherwise for the detected
    /// situations.
    pub(crate) fn new(forced: Option<String>) -> Self {
        Self { state: Mutex::new(State::Following(detect_or("", forced.as_deref()))), forced }
    }

    /// Detects the situation from the arguments of a tool call, and notifies the client if the
    /// situation changed.
    pub(crate) async fn detect_situation(&self, arguments: &Object, peer: &Peer<RoleServer>) {
        let mut texts = Vec::new();
        arguments.values().for_each(|value| collect(value, &mut texts));
        let situation = detect_or(&texts.join("\n"), self.forced.as_deref());
        let Some(situation) = situation else { return };
        if !self.set_situation(situation) {
            return;
        }
        let reported = timeout(NOTIFY_TIMEOUT, peer.notify_tool_list_changed()).await;
        if !matches!(reported, Ok(Ok(()))) {
            *self.state() = State::Static;
        }
    }

    /// Moves the tools of the situation to the front; the order of the other tools does not change.
    pub(crate) fn sort(&self, tools: &mut [rmcp::model::Tool]) {
        if let State::Following(Some(situation)) = &*self.state() {
            let rank = |name: &str| {
                situation.tools.iter().position(|situation_tool| *situation_tool == name)
            };
            tools.sort_by_key(|tool| rank(&tool.name).unwrap_or(usize::MAX));
        }
    }

    /// Sets the situation. Returns whether it changed.
    fn set_situation(&self, situation: &'static Situation) -> bool {
        let mut state = self.state();
        match &*state {
            State::Following(current) if *current != Some(situation) => {
                *state = State::Following(Some(situation));
                true
            }
            _ => false,
        }
    }

    fn state(&self) -> std::sync::MutexGuard<'_, State> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

/// Collects the strings in a value.
fn collect<'a>(value: &'a Value, texts: &mut Vec<&'a str>) {
    match value {
        Value::String(text) => texts.push(text),
        Value::Array(list) => list.iter().for_each(|inner| collect(inner, texts)),
        Value::Object(map) => map.values().for_each(|inner| collect(inner, texts)),
        _ => {}
    }
}

#[cfg(test)]
mod tests {
    use crate::catalog::Catalog;
    use crate::profile::Profile;
    use crate::tools;
    use aidd_memory::situation::SITUATIONS;

    #[test]
    fn every_situation_refers_to_existing_tools() {
        let catalog = Catalog::new(tools::all(), Profile::Engine);
        for situation in SITUATIONS {
            for tool in situation.tools {
                assert_eq!(catalog.find(tool).map(|tool| tool.name), Ok(*tool));
                let is_suggested =
                    situation.suggestion.contains(tool) || *tool == "aidd_memory_search";
                assert!(is_suggested, "{}: {tool}", situation.name);
            }
        }
    }
}
