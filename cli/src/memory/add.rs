//! `aidd memory add` and `aidd memory supersede`.

use super::{MemoryCommandContext, current_branch, time_argument, to_user_error};
use crate::cli::{AddCommand, AddConvention, AddDecision, AddInsight, AddMistake, Links, Text};
use crate::git_files;
use aidd_engine::check::REDACTED;
use aidd_memory::kinds::{Convention, Decision, Insight, Mistake};
use aidd_memory::permanent::{NewMemory, Saved};
use aidd_memory::project::system_clock;
use aidd_memory::types::{Kind, Link, Relation, Verdict};
use aidd_report::enforcement;
use aidd_report::exit::UserError;
use aidd_report::project::Project;
use aidd_report::{number, one_line};
use anyhow::Result;
use serde_json::{Value, json};
use std::io::Write;
use std::sync::atomic::AtomicBool;

pub(super) fn run(new: &AddCommand, context: &mut MemoryCommandContext<'_, '_>) -> Result<()> {
    let has_files = git_files::has_memory_files(context.root);
    match new {
        AddCommand::Decision(args) => decision(args, Vec::new(), None, context),
        AddCommand::Mistake(args) => mistake(args, context),
        AddCommand::Convention(args) => convention(args, context),
        AddCommand::Insight(args) => insight(args, context),
    }?;
    // Once a project uses the memory, `aidd init` writes the Git settings of the memory.
    let is_first = !has_files && git_files::has_memory_files(context.root);
    let has_repository = git_files::repository(context.root).is_some();
    if is_first && has_repository && !git_files::has_union_merge(context.root) {
        let note = "run `aidd init`, so that Git merges the memory without conflicts";
        writeln!(context.io.err, "note: {note}")?;
    }
    Ok(())
}

/// Saves a decision that supersedes the decision `id`. Without a topic of its own, the new decision
/// gets the topic of the old one.
pub(super) fn supersede(
    id: &str,
    new: &AddDecision,
    context: &mut MemoryCommandContext<'_, '_>,
) -> Result<()> {
    let old = context.entry(id)?;
    if old.kind != Kind::Decision {
        let message = format!("`{}` is {}, not a decision", old.id, old.kind.with_article());
        let hint = format!("edit the {} with `aidd memory edit {}`", old.kind, old.id);
        return Err(UserError::new(message).hint(hint).into());
    }
    decision(new, vec![Link::new(Relation::Supersedes, &old.id)], old.topic, context)
}

fn decision(
    args: &AddDecision,
    mut links: Vec<Link>,
    topic: Option<String>,
    context: &mut MemoryCommandContext<'_, '_>,
) -> Result<()> {
    for id in &args.supersedes {
        links.push(Link::new(Relation::Supersedes, &context.id(id)?));
    }
    let origin = &args.origin;
    if origin.rejected && !links.is_empty() {
        return Err(UserError::new("a rejected decision supersedes nothing")
            .hint("save it with `aidd memory add decision --rejected`, without `--supersedes`")
            .into());
    }
    let body = Decision {
        reasoning: args.reasoning.clone().unwrap_or_default(),
        alternatives: args.alternatives.iter().map(|alternative| json!(alternative)).collect(),
        context: args.context.clone(),
        confidence: args.confidence,
        ticket: origin.ticket.clone(),
        scope_key: origin.scope.clone(),
        stage: origin.stage.clone(),
        source_path: origin.source_path.clone(),
        status: origin.rejected.then_some(Verdict::Rejected),
        questions: args.text.questions.clone(),
        ..Decision::default()
    };
    let mut new = new(&args.text, &args.links, body, context)?;
    new.links.extend(links);
    new.topic = new.topic.or(topic);
    let saved = context.memory.save_decision(&new).map_err(to_user_error)?;
    print_saved(Kind::Decision, &saved, false, context)
}

fn mistake(args: &AddMistake, context: &mut MemoryCommandContext<'_, '_>) -> Result<()> {
    let text = |value: &Option<String>| value.clone().unwrap_or_default();
    let body = Mistake {
        root_cause: text(&args.cause),
        fix: text(&args.fix),
        prevention: text(&args.prevention),
        files: args.files.clone(),
        check: args.check.clone(),
        questions: args.text.questions.clone(),
        ..Mistake::default()
    };
    let new = new(&args.text, &args.links, body, context)?;
    let saved = context.memory.save_mistake(&new).map_err(to_user_error)?;
    print_saved(Kind::Mistake, &saved, args.check.is_some(), context)
}

fn convention(args: &AddConvention, context: &mut MemoryCommandContext<'_, '_>) -> Result<()> {
    let mut examples = args.examples.iter().cloned();
    let body = Convention {
        example: examples.next().unwrap_or_default(),
        examples: examples.collect(),
        rationale: args.rationale.clone(),
        category: args.category.clone(),
        check: args.check.clone(),
        questions: args.text.questions.clone(),
        ..Convention::default()
    };
    let new = new(&args.text, &args.links, body, context)?;
    let saved = context.memory.save_convention(&new).map_err(to_user_error)?;
    print_saved(Kind::Convention, &saved, args.check.is_some(), context)
}

fn insight(args: &AddInsight, context: &mut MemoryCommandContext<'_, '_>) -> Result<()> {
    let body = Insight {
        category: args.category.clone(),
        tags: args.tags.clone(),
        source: args.source.clone(),
        questions: args.text.questions.clone(),
        ..Insight::default()
    };
    let content = context.text(&args.text.text)?;
    let topic = args.text.topic.as_deref();
    let id = context.memory.save_insight(&content, topic, &body, None).map_err(to_user_error)?;
    print_saved(Kind::Insight, &Saved { id, is_new: true, ..Saved::default() }, false, context)
}

fn new<T>(
    text: &Text,
    links: &Links,
    body: T,
    context: &mut MemoryCommandContext<'_, '_>,
) -> Result<NewMemory<T>> {
    let mut resolved = Vec::new();
    for (relation, id) in &links.links {
        resolved.push(Link::new(*relation, &context.id(id)?));
    }
    let date = links.date.as_deref().map(|text| time_argument::parse(text, system_clock()()));
    Ok(NewMemory {
        created_at: date.transpose()?,
        content: context.text(&text.text)?,
        topic: text.topic.clone(),
        body,
        links: resolved,
        session_id: None,
        branch: current_branch(context.root),
    })
}

/// Prints the result of saving a memory and, if it has a check, the current findings of the check.
fn print_saved(
    kind: Kind,
    saved: &Saved,
    has_check: bool,
    context: &mut MemoryCommandContext<'_, '_>,
) -> Result<()> {
    let entry = context.entry(&saved.id)?;
    let is_redacted = serde_json::to_string(&entry)?.contains(REDACTED);
    let mut output = to_json(kind, saved, is_redacted);
    let findings =
        if has_check { check_findings(&saved.id, context) } else { (Value::Null, String::new()) };
    if has_check && let Some(output) = output.as_object_mut() {
        output.insert("enforced".to_owned(), findings.0);
    }
    if context.print_json(&output)? {
        return Ok(());
    }
    let location = kind.file().map_or("in this checkout".to_owned(), |file| {
        format!("in {}/{file}.jsonl", context.memory.folder())
    });
    let out = &mut context.io.out;
    match (saved.is_new, saved.occurrences) {
        (true, _) => writeln!(out, "saved {} {location}", saved.id)?,
        (false, Some(times)) => writeln!(out, "{} occurred {}", saved.id, times_text(times))?,
        (false, None) => writeln!(out, "{} already exists", saved.id)?,
    }
    for old in &saved.superseded {
        writeln!(out, "superseded {old}")?;
    }
    if let Some(newer) = &saved.superseded_by {
        writeln!(out, "superseded by {newer}")?;
    }
    for other in &saved.similar {
        let title = one_line(&other.title);
        writeln!(context.io.err, "note: {} is similar: {title}", other.id)?;
    }
    if !findings.1.is_empty() {
        writeln!(context.io.err, "note: {}", one_line(&findings.1))?;
    }
    if is_redacted {
        writeln!(context.io.err, "note: secrets or private text were replaced by {REDACTED}")?;
    }
    Ok(())
}

/// The findings of a memory's check in the project, as JSON and as text. An error here does not
/// affect the saved memory.
pub(super) fn check_findings(id: &str, context: &MemoryCommandContext<'_, '_>) -> (Value, String) {
    let preview = Project::open(context.io.distribution, context.root, None)
        .map_err(anyhow::Error::from)
        .and_then(|project| Ok(enforcement::preview(&project, id, &AtomicBool::new(false))?));
    match preview {
        Ok(Some(preview)) => (json!(preview), preview.sentence()),
        Ok(None) => (Value::Null, enforcement::DUPLICATE_NOTE.to_owned()),
        Err(why) => (Value::Null, format!("The check was not run: {why:#}.")),
    }
}

fn times_text(times: u64) -> String {
    number(usize::try_from(times).unwrap_or(usize::MAX), "time")
}

fn to_json(kind: Kind, saved: &Saved, is_redacted: bool) -> Value {
    let similar: Vec<Value> = saved
        .similar
        .iter()
        .map(|entry| json!({"id": entry.id, "title": entry.title, "likeness": entry.similarity}))
        .collect();
    let mut output = json!({
        "id": saved.id, "type": kind, "isNew": saved.is_new, "occurrences": saved.occurrences,
        "superseded": saved.superseded, "similar": similar, "redacted": is_redacted,
    });
    if let Some(newer) = &saved.superseded_by {
        output["supersededBy"] = json!(newer);
    }
    output
}
