//! The semantic pack: terms, defaults, constraints, invariants and open questions.

use crate::budget::{Column, Draft, Section};
use crate::code::Code;
use crate::documents::Document;
use crate::memories::Memories;
use crate::{place, sources};
use aidd_engine::project::config::{Level, RuleSetting};
use aidd_engine::text::files::{Disk, Files as _, files_in};
use aidd_engine::text::finding::Severity;
use aidd_engine::workspace::project::Project;
use aidd_index::IndexError;
use aidd_index::options::OptionDefault;
use serde_json::{Map, Value, json};
use std::collections::BTreeSet;

/// The schema of the pack.
pub(crate) const SCHEMA: &str = "aidd.memory.semantic.v1";

const TERMS: &[Column] =
    &[("term", 60), ("definition", 200), ("aliases", 40), ("scope", 120), ("confidence", 0)];
const DEFAULTS: &[Column] = &[("key", 60), ("value", 80), ("source", 120), ("rationale", 120)];
const CONSTRAINTS: &[Column] = &[("id", 40), ("text", 220), ("source", 120), ("severity", 10)];
const INVARIANTS: &[Column] = &[("id", 40), ("text", 240), ("source", 120)];
const QUESTIONS: &[Column] = &[("", 220)];

/// Files of environment variables with their defaults.
const ENVIRONMENT_FILES: &[&str] =
    &[".env.example", ".env.sample", ".env.template", ".env.dist", ".env.defaults"];
/// Maximum number of schemas that are read, and of bytes of each.
const MAX_SCHEMAS: usize = 4;
const MAX_SCHEMA_BYTES: u64 = 256 << 10;

/// The pack of what is known and holds.
pub(crate) fn pack(
    project: &Project,
    code: Option<&mut Code<'_>>,
    documents: &[Document],
    memories: &Memories,
    (branch, head): (Option<&str>, Vec<(&'static str, Value)>),
) -> Result<Draft, IndexError> {
    let mut terms = Section::new("terms", TERMS);
    terms.rows = sources::terms(documents);
    let mut defaults = Section::new("defaults", DEFAULTS);
    defaults.rows = sources::defaults(documents);
    defaults.rows.extend(files_with_defaults(&project.disk));
    sources::without_repeats(&mut defaults.rows, 0);
    if let Some(code) = code {
        for symbol in code.types()? {
            let doc = symbol.doc.unwrap_or_default();
            terms.rows.push(sources::term(
                &symbol.qualified,
                &doc,
                &symbol.path,
                sources::DOCUMENTED,
            ));
        }
        add_options(&mut defaults.rows, code.options(&project.disk)?);
        for (symbol, value) in code.constants()? {
            let doc = symbol.doc.unwrap_or_default();
            defaults.rows.push(vec![
                symbol.qualified.into(),
                value.into(),
                symbol.path.into(),
                doc.into(),
            ]);
        }
    }
    sources::without_repeats(&mut terms.rows, 0);
    let mut constraints = Section::new("constraints", CONSTRAINTS);
    constraints.rows = constraint_rows(project, documents, memories);
    let mut invariants = Section::new("invariants", INVARIANTS);
    invariants.rows = sources::invariants(documents);
    sources::without_repeats(&mut invariants.rows, 1);
    let mut questions = Section::new("open_questions", QUESTIONS);
    questions.rows = question_rows(documents, memories, branch);
    sources::without_repeats(&mut questions.rows, 0);
    Ok(Draft {
        head,
        sections: vec![terms, defaults, constraints, invariants, questions],
        drop_order: &["open_questions", "terms", "defaults", "constraints", "invariants"],
        stats: Map::new(),
    })
}

/// The defaults in files of environment variables and in JSON Schemas.
fn files_with_defaults(disk: &Disk) -> Vec<Vec<Value>> {
    let mut rows = Vec::new();
    for path in ENVIRONMENT_FILES.iter().filter(|path| disk.exists(path)) {
        let text = place::document(disk, path, MAX_SCHEMA_BYTES).unwrap_or_default();
        rows.extend(sources::environment_defaults(path, &text));
    }
    let in_docs = files_in(disk, "docs").into_iter().map(|name| format!("docs/{name}"));
    let paths = files_in(disk, "").into_iter().chain(in_docs);
    for path in paths.filter(|path| path.ends_with(".schema.json")).take(MAX_SCHEMAS) {
        let text = place::document(disk, &path, MAX_SCHEMA_BYTES).unwrap_or_default();
        if let Ok(schema) = serde_json::from_str(&text) {
            rows.extend(sources::schema_defaults(&path, &schema));
        }
    }
    rows
}

/// Adds the defaults of options of the command line. Options of several commands can have the same
/// name and different defaults.
fn add_options(rows: &mut Vec<Vec<Value>>, options: Vec<(String, OptionDefault)>) {
    let documented: BTreeSet<String> = rows.iter().map(|row| option_name(&row[0])).collect();
    let mut known = BTreeSet::new();
    for (path, option) in options {
        let is_new = known.insert((option.name.clone(), option.value.clone()));
        if is_new && !documented.contains(&option.name) && !sources::is_credential(&option.name) {
            let source = match &*option.declared_in {
                "" => path,
                declared_in => format!("{path}#{declared_in}"),
            };
            rows.push(vec![
                option.name.into(),
                option.value.into(),
                source.into(),
                option.help.into(),
            ]);
        }
    }
}

/// The option in the key of a default, such as `--port N` in backticks.
fn option_name(key: &Value) -> String {
    let key = key.as_str().unwrap_or_default();
    let mut words = key.split(['`', ' ', ',', '=']).filter(|word| word.starts_with('-'));
    let long = words.clone().find(|word| word.starts_with("--"));
    long.or_else(|| words.next()).unwrap_or_default().to_owned()
}

/// The constraints: of the ticket, of the conventions, and of the project's own rules; the most
/// severe first.
fn constraint_rows(
    project: &Project,
    documents: &[Document],
    memories: &Memories,
) -> Vec<Vec<Value>> {
    let mut rows = sources::ticket_constraints(documents);
    let path = format!("{}/conventions.jsonl", memories.folder);
    let mut conventions: Vec<_> = memories.conventions.iter().collect();
    conventions.sort_by_key(|memory| {
        (std::cmp::Reverse(memory.entry.created_at), memory.entry.id.clone())
    });
    for memory in conventions {
        let check = memory.entry.metadata.get("check");
        let severity = check.and_then(|check| check.get("severity")).and_then(Value::as_str);
        let severity = severity.filter(|word| matches!(*word, "error" | "warning" | "info"));
        rows.push(sources::constraint(
            &memory.entry.content,
            &format!("{path}#{}", memory.entry.id),
            severity.unwrap_or("warning"),
        ));
    }
    let registry = project.registry();
    for rule in registry.rules() {
        let Some(path) = rule.path.as_deref().filter(|path| path.ends_with(".md")) else {
            continue;
        };
        let settings = project.config.rules.as_ref();
        let level = settings.and_then(|rules| rules.get(&*rule.id)).and_then(RuleSetting::level);
        let severity = match level {
            Some(Level::Off) => None,
            Some(level) => level.severity(),
            None => rule.enabled.then_some(rule.severity),
        };
        let word = match severity {
            None => continue,
            Some(Severity::Error) => "error",
            Some(Severity::Warning) => "warning",
            Some(Severity::Info) => "info",
        };
        let text = format!("{}: {}", rule.id, rule.summary);
        rows.push(sources::constraint(&text, path, word));
    }
    sources::without_repeats(&mut rows, 1);
    rows.sort_by_key(|row| match row.get(3).and_then(Value::as_str) {
        Some("error") => 0,
        Some("warning") => 1,
        _ => 2,
    });
    rows
}

/// The open questions: of the branch, of the documents, and about decisions in conflict.
fn question_rows(
    documents: &[Document],
    memories: &Memories,
    branch: Option<&str>,
) -> Vec<Vec<Value>> {
    let mut rows: Vec<Vec<Value>> = Vec::new();
    if let Some(context) = memories.branch(branch) {
        let listed = ["openQuestions", "open_questions", "questions"];
        let listed = listed.iter().filter_map(|name| context.extra.get(*name)?.as_array());
        let listed = listed.flatten().filter_map(Value::as_str);
        let tasks = context.pending_tasks.iter().map(String::as_str);
        let questions = listed.chain(tasks.filter(|task| task.trim_end().ends_with('?')));
        rows.extend(questions.map(|text| vec![Value::from(text)]));
    }
    for (name, members) in &memories.conflicts {
        let ids: Vec<&str> =
            members.iter().filter_map(|id| memories.decision(id)).map(|d| &*d.id).collect();
        rows.push(vec![json!(format!("Which decision holds ({name}): {}?", ids.join(" or ")))]);
    }
    rows.extend(sources::questions(documents));
    rows
}
