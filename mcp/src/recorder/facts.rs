//! What a call says about the session: names that are known to aidd, taken from its arguments and
//! its answer.

use crate::schema::Object;
use crate::tool::{Answer, ToolError};
use aidd_memory::types::Kind;
use aidd_memory::usage::Name;
use aidd_memory::usage::event::{Mark, PageUse};
use serde_json::Value;

/// Maximum number of bytes of an argument that are searched for ids of memories.
const MAX_SEARCHED_BYTES: usize = 4096;
/// Maximum number of memories that are noted for one call.
const MAX_MEMORIES: usize = 20;

/// The facts of one call.
#[derive(Debug, Default)]
pub(crate) struct Facts {
    /// The session that the call started, continued or changed.
    pub(super) session: Option<String>,
    /// Memories named in the arguments.
    pub(super) cited: Vec<Name>,
    /// Memories in the answer.
    pub(super) returned: Vec<Name>,
    /// Pages in the answer.
    pub(super) pages: Vec<(PageUse, Name)>,
    /// Domain and nature of the task.
    pub(super) task: Option<(Name, Name)>,
    /// Findings in the answer.
    pub(crate) findings: Vec<Mark>,
}

impl Facts {
    /// The memories that the arguments of a call name.
    pub(crate) fn from_arguments(arguments: &Object) -> Self {
        let mut facts = Self::default();
        arguments.values().for_each(|value| find_cited(value, &mut facts.cited));
        facts
    }

    /// Adds the facts of the answer of `tool`.
    pub(crate) fn add_answer(&mut self, tool: &str, answer: &Result<Answer<Value>, ToolError>) {
        let Ok(Answer { data, .. }) = answer else { return };
        let text = |key: &str| data[key].as_str();
        match tool {
            "aidd_bootstrap" => self.session = text("sessionId").map(str::to_owned),
            "aidd_session" => {
                let is_session = text("status") != Some("deleted");
                self.session = text("id").filter(|_| is_session).map(str::to_owned);
            }
            "aidd_get_agent" => {
                let page = text("name").and_then(Name::new);
                let kind = page_kind(text("path").unwrap_or_default());
                self.pages.extend(kind.zip(page));
            }
            "aidd_get_tkb_entry" => {
                let entry = text("name").and_then(Name::new);
                self.pages.extend(entry.map(|entry| (PageUse::Knowledge, entry)));
            }
            "aidd_classify_task" => {
                let domain = data["roles"][0].as_str().and_then(Name::new);
                let nature = Name::new(text("workflow").unwrap_or("other"));
                self.task = domain.zip(nature);
            }
            _ => self.find_in(data),
        }
    }

    /// Adds the ids of findings and memories in a value.
    fn find_in(&mut self, value: &Value) {
        match value {
            Value::Array(items) => items.iter().for_each(|item| self.find_in(item)),
            Value::Object(fields) => {
                let id = fields.get("id").and_then(Value::as_str);
                if let Some(id) = id.filter(|_| fields.contains_key("rule")) {
                    self.findings.extend(Mark::from_findings([id]));
                } else if let Some(id) = id.and_then(memory_id)
                    && self.returned.len() < MAX_MEMORIES
                {
                    self.returned.push(id);
                }
                fields.values().for_each(|field| self.find_in(field));
            }
            _ => {}
        }
    }
}

/// The kind of a page, from its path.
fn page_kind(path: &str) -> Option<PageUse> {
    let has = |dir: &str| path.split('/').any(|part| part == dir);
    if has("skills") {
        Some(PageUse::Role)
    } else if has("workflows") {
        Some(PageUse::Workflow)
    } else {
        None
    }
}

/// Adds the ids of memories in a value.
fn find_cited(value: &Value, cited: &mut Vec<Name>) {
    match value {
        Value::String(text) => {
            let end = text.floor_char_boundary(MAX_SEARCHED_BYTES.min(text.len()));
            let words = text[..end].split(|c: char| !c.is_ascii_alphanumeric() && c != '_');
            for id in words.filter_map(memory_id) {
                if cited.len() < MAX_MEMORIES && !cited.contains(&id) {
                    cited.push(id);
                }
            }
        }
        Value::Array(items) => items.iter().for_each(|item| find_cited(item, cited)),
        Value::Object(fields) => fields.values().for_each(|field| find_cited(field, cited)),
        _ => {}
    }
}

/// The id, if the text has the form of the id of a memory: type, time and hash.
fn memory_id(text: &str) -> Option<Name> {
    let (rest, hash) = text.rsplit_once('_')?;
    let (kind, time) = rest.rsplit_once('_')?;
    let is_kind = Kind::ALL.iter().any(|known| known.word() == kind);
    let is_id = is_kind
        && time.len() >= 10
        && time.bytes().all(|byte| byte.is_ascii_digit())
        && hash.len() == 12
        && hash.bytes().all(|byte| byte.is_ascii_hexdigit());
    is_id.then(|| Name::new(text)).flatten()
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    fn facts(tool: &str, arguments: Value, data: Value) -> String {
        let Value::Object(arguments) = arguments else { panic!("expected an object") };
        let mut facts = Facts::from_arguments(&arguments);
        facts.add_answer(tool, &Ok(Answer::new(data, "")));
        let names = |names: &[Name]| names.iter().map(Name::as_str).collect::<Vec<_>>().join(" ");
        format!(
            "{:?} cited [{}] returned [{}] {:?} {:?} {} findings",
            facts.session,
            names(&facts.cited),
            names(&facts.returned),
            facts.pages,
            facts.task.map(|(domain, nature)| format!("{domain}/{nature}")),
            facts.findings.len()
        )
    }

    #[test]
    fn only_known_names_are_taken_from_a_call() {
        let id = "decision_1763800000000_0123456789ab";
        insta::assert_snapshot!(
            [
                facts(
                    "aidd_bootstrap",
                    json!({"task": "free text"}),
                    json!({"sessionId": "session_1_a"})
                ),
                facts("aidd_session", json!({}), json!({"id": "s", "status": "deleted"})),
                facts(
                    "aidd_get_agent",
                    json!({"agent": "x"}),
                    json!({"name": "backend-engineer", "path": "skills/backend-engineer/SKILL.md"})
                ),
                facts(
                    "aidd_get_agent",
                    json!({}),
                    json!({"name": "my own page", "path": "ai/skills/x.md"})
                ),
                facts("aidd_get_tkb_entry", json!({}), json!({"name": "testing/vitest"})),
                facts(
                    "aidd_classify_task",
                    json!({}),
                    json!({"roles": ["quality-engineer"], "workflow": "bug-fix"})
                ),
                facts(
                    "aidd_memory_search",
                    json!({"query": "why"}),
                    json!({"results": [{"id": id}, {"id": "no id"}]})
                ),
                facts("aidd_memory_get", json!({"ids": [id]}), json!({"memories": []})),
                facts(
                    "aidd_memory_add_decision",
                    json!({"reasoning": format!("see {id}, and {id}.")}),
                    json!({})
                ),
                facts(
                    "aidd_check_compliance",
                    json!({}),
                    json!({"findings": [{"rule": "a/b", "id": "7feb405bde191792"}]})
                ),
            ]
            .join("\n")
        );
    }
}
