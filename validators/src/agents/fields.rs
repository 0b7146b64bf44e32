//! Fields of front matter and of settings: names that vendors do not document, and keys that occur
//! twice.

use super::AgentContext;
use super::model::{Client, Purpose};
use super::vendors::{Names, is_documented, names};
use aidd_engine::parse::values::Datum;
use aidd_engine::rules::rule::Report;
use aidd_engine::text::finding::Edit;
use aidd_engine::text::nearest::is_typo;
use std::collections::{BTreeSet, HashMap};

/// The fields that the client documents for the front matter of the file.
fn fields(context: &AgentContext<'_, '_>) -> Option<&'static Names> {
    let list = match (context.file.client, context.file.purpose) {
        (Client::Claude, Purpose::Agent) => ("claude", "agent-fields"),
        (Client::Claude, Purpose::Command) => ("claude", "skill-fields"),
        (Client::Claude, Purpose::Rule) => ("claude", "rule-fields"),
        (Client::Shared, Purpose::Skill) => {
            let is_claude = context.source.path().contains(".claude/skills/");
            if is_claude { ("claude", "skill-fields") } else { ("shared", "skill-fields") }
        }
        (Client::Copilot, Purpose::Agent) => ("copilot", "agent-fields"),
        (Client::Copilot, Purpose::Command) => ("copilot", "prompt-fields"),
        (Client::Copilot, Purpose::Rule) => ("copilot", "instruction-fields"),
        (Client::Cursor, Purpose::Rule) => ("cursor", "rule-fields"),
        (Client::Kiro, Purpose::Rule) => ("kiro", "rule-fields"),
        (Client::Windsurf, Purpose::Rule) => ("windsurf", "rule-fields"),
        (Client::Cline, Purpose::Rule) => ("cline", "rule-fields"),
        _ => return None,
    };
    names(list.0, list.1)
}

/// Reports fields whose names are almost those of documented fields. Clients ignore other fields,
/// which can be for other tools.
pub(super) fn unknown_field(context: &AgentContext<'_, '_>, report: &mut Report<'_>) {
    let Some(known) = fields(context).filter(|_| context.data.broken.is_none()) else { return };
    let present: BTreeSet<&str> = context
        .children(&[])
        .filter_map(|(_, value)| value.key.as_ref().map(|(key, _)| key.as_str()))
        .collect();
    for (_, value) in context.children(&[]) {
        let Some((key, span)) = value.key.as_ref().filter(|(key, _)| !is_documented(key)) else {
            continue;
        };
        let near = known.names().find(|name| {
            is_typo(key, name) && !key.eq_ignore_ascii_case(name) && !present.contains(name)
        });
        let Some(near) = near.filter(|_| key.len() > 3) else { continue };
        let message = format!("unknown field `{key}`; did you mean `{near}`?");
        let written = &context.source.text()[span.range()];
        let edit = Edit::replace(*span, written.replace(key.as_str(), near));
        known
            .report_unknown(report, *span, message)
            .fix_unsafe(format!("Rename to `{near}`"), vec![edit]);
    }
}

/// Keys of entries that are comments.
const COMMENTS: [&str; 5] = ["", "#", "//", "_comment", "comment"];

/// Reports keys that occur twice in one object: parsers use the last value.
pub(super) fn duplicate_key(context: &AgentContext<'_, '_>, report: &mut Report<'_>) {
    if context.file.is_markdown() {
        return;
    }
    for value in context.data.all.iter().filter(|value| value.datum == Datum::Map) {
        let mut seen: HashMap<&str, usize> = HashMap::new();
        for &child in &value.children {
            let Some((key, span)) = context.data.all[child].key.as_ref() else { continue };
            if COMMENTS.contains(&key.as_str()) {
                continue;
            }
            let line = context.source.line_of(span.start) + 1;
            if let Some(first) = seen.insert(key, line) {
                let message = format!("duplicate key `{key}`: this value replaces an earlier one");
                report.at(*span, message).help(format!("merge it with the one on line {first}"));
            }
        }
    }
}
