//! Validates the checks of memories before anything is written: a check that cannot run, or that
//! fails its own examples, is not stored.

use super::MemoryError;
use super::privacy::Gate;
use super::project::ProjectMemory;
use super::store::{Layers, Query};
use super::types::{Entry, Kind};
use aidd_engine::check::Engine;
use aidd_engine::project::config::Config;
use aidd_engine::rules::registry::Registry;
use aidd_engine::rules::select::Selection;
use aidd_engine::workspace::examples;
use aidd_engine::workspace::memory_checks::{self, CHECK, RULE};
use serde_json::{Map, Value};

/// Resolves the field `check` of a memory that is about to be written. An empty check (`null` or
/// `{}`) removes the existing check. Any other check is validated; if it has no rule name, it gets
/// one. `before` is the memory before the change, `others` are the other enforced memories of the
/// same type.
///
/// # Errors
/// The invalid key of the check, and how to fix it.
pub(super) fn resolve_check(
    gate: Gate,
    kind: Kind,
    content: &str,
    before: Option<&Entry>,
    others: &[Entry],
    fields: &mut Map<String, Value>,
) -> Result<(), MemoryError> {
    let Some(check) = fields.get_mut(CHECK).filter(|check| !check.is_null()) else { return Ok(()) };
    if !matches!(kind, Kind::Convention | Kind::Mistake) {
        let why = format!("a {kind} cannot have a `check`; add a convention instead");
        return Err(MemoryError::Invalid(why));
    }
    if memory_checks::is_none(check) {
        *check = Value::Null;
        return Ok(());
    }
    if check.is_object() {
        assign_unique_name(kind, content, before, others, check).map_err(MemoryError::Invalid)?;
    }
    validate(gate, kind, content, check).map_err(MemoryError::Invalid)
}

/// Gives the rule of a check a unique name, unless another memory has the same check.
fn assign_unique_name(
    kind: Kind,
    content: &str,
    before: Option<&Entry>,
    others: &[Entry],
    check: &mut Value,
) -> Result<(), String> {
    let set_rule = |check: &mut Value, name: &str| {
        if let Some(check) = check.as_object_mut() {
            check.insert(RULE.to_owned(), name.into());
        }
    };
    let other_with_rule = |name: &str, check: &Value| {
        let rule = format!("{kind}/{name}");
        others.iter().find(|other| {
            memory_checks::rule_of(other).as_ref() == Some(&rule)
                && memory_checks::check_of(other) != Some(check)
        })
    };
    if let Some(requested) = check.get(RULE) {
        let Some(requested) = requested.as_str() else { return Ok(()) };
        return match other_with_rule(requested, check) {
            None => Ok(()),
            Some(other) => Err(format!(
                "`check.rule`: `{kind}/{requested}` is the rule of `{}`: edit that memory, or choose another name",
                other.id
            )),
        };
    }
    let previous = before.and_then(memory_checks::rule_of);
    let previous = previous.as_deref().and_then(|rule| rule.split_once('/')).map(|(_, name)| name);
    let rule_name = previous.map_or_else(|| memory_checks::name_of(kind, content), str::to_owned);
    set_rule(check, &rule_name);
    if previous.is_none() && other_with_rule(&rule_name, check).is_some() {
        let hash = super::id::digest(&[content, &check.to_string()]);
        set_rule(check, &format!("{rule_name}-{}", &hash[..6]));
    }
    Ok(())
}

impl ProjectMemory {
    /// The other enforced memories of a type, if the fields contain a check.
    pub(super) fn other_enforced_memories(
        &mut self,
        kind: Kind,
        except: Option<&str>,
        fields: &Map<String, Value>,
    ) -> Result<Vec<Entry>, MemoryError> {
        if fields.get(CHECK).is_none_or(memory_checks::is_none) {
            return Ok(Vec::new());
        }
        let query = Query::active(Layers::PERMANENT, kind);
        let mut entries = self.store().entries(&query)?;
        entries
            .retain(|entry| except != Some(&entry.id) && memory_checks::check_of(entry).is_some());
        Ok(entries)
    }
}

/// Like [`resolve_check`], for a memory that is saved. An empty check, or a check equal to that of
/// `before`, is dropped from `fields`.
///
/// # Errors
/// As for [`resolve_check`].
pub(super) fn resolve_new_check(
    gate: Gate,
    kind: Kind,
    content: &str,
    before: Option<&Entry>,
    others: &[Entry],
    fields: &mut Map<String, Value>,
) -> Result<(), MemoryError> {
    // Decisions have no checks: for them, `check` is an ordinary field.
    if kind == Kind::Decision {
        return Ok(());
    }
    resolve_check(gate, kind, content, before, others, fields)?;
    let known = before.and_then(|entry| entry.metadata.get(CHECK));
    if fields.get(CHECK).is_some_and(|check| check.is_null() || Some(check) == known) {
        fields.remove(CHECK);
    }
    Ok(())
}

/// Checks that the privacy gate did not redact any part of a check: a redacted check would be a
/// different check.
///
/// # Errors
/// When the privacy gate changed the check.
pub(super) fn refuse_redacted(
    original: Option<&Value>,
    cleaned: Option<&Value>,
) -> Result<(), MemoryError> {
    if original == cleaned {
        return Ok(());
    }
    Err(MemoryError::Invalid(
        "`check` contains a secret or private text, which memories never store; use an example that only looks like a secret"
            .to_owned(),
    ))
}

/// Parses the check as a rule page, and runs its examples.
fn validate(gate: Gate, kind: Kind, content: &str, check: &Value) -> Result<(), String> {
    let mut entry =
        super::log::fold(&[super::log::Revision::first(kind, "new".to_owned(), 0, content)])
            .map(|folded| folded.entry)
            .ok_or("the memory has no content to enforce")?;
    entry.metadata.insert(CHECK.to_owned(), check.clone());
    let Some(page) = memory_checks::page_of(&entry) else { return Ok(()) };
    let page = page.map_err(|why| why.to_string())?;
    memory_checks::validate_page(&page).map_err(|why| why.to_string())?;
    let registry = Registry::new(gate.distribution().pages, &[(page.path, page.text)]);
    let engine =
        Engine::new(gate.distribution(), registry, &Config::default(), &Selection::default())
            .map_err(|error| format!("`check`: {error}"))?;
    let Some(rule) = engine.registry().get(&page.rule) else {
        return Err(format!("`check` does not define the rule `{}`", page.rule));
    };
    match examples::run(&engine, rule) {
        failures if failures.is_empty() => Ok(()),
        failures => Err(format!("`check` fails its own examples: {}", failures.join("; "))),
    }
}
