//! `aidd memory search`, `timeline`, `recent` and `topics`.

use super::{MemoryCommandContext, time_argument, to_user_error};
use crate::cli::{Recent, Search, Sort};
use aidd_memory::brief::Brief;
use aidd_memory::project::system_clock;
use aidd_memory::recall::{Certainty, Diagnostics, Hit, Question, SearchOrder};
use aidd_memory::store::{Layers, Query};
use aidd_memory::times;
use aidd_memory::types::{Entry, Kind, Outcome, Status};
use aidd_memory::words::topic_key;
use aidd_report::{number, one_line};
use anyhow::Result;
use serde::Serialize;
use serde_json::json;
use std::collections::BTreeMap;
use std::io::Write;

pub(super) fn search(args: &Search, context: &mut MemoryCommandContext<'_, '_>) -> Result<()> {
    let now = system_clock()();
    let time = |text: &Option<String>| text.as_deref().map(|text| time_argument::parse(text, now));
    let question = Question {
        // Each result is printed with a mark for its layer: permanent, branch or session.
        layers: Layers::ALL,
        text: args.words.join(" "),
        wordings: args.wordings.clone(),
        kinds: args.kinds.clone(),
        since: time(&args.since).transpose()?,
        until: time(&args.until).transpose()?,
        branch: args.branch.clone(),
        file: args.file.clone(),
        session_id: args.session.clone(),
        outcome: args.outcome,
        topic: args.topic.clone(),
        with_superseded: args.all,
        order: match args.sort {
            Sort::Relevance => SearchOrder::Relevance,
            Sort::Newest => SearchOrder::Newest,
            Sort::Oldest => SearchOrder::Oldest,
        },
        limit: args.limit,
        with_diagnostics: args.diagnostics,
    };
    print_results(&question, context)
}

pub(super) fn recent(args: &Recent, context: &mut MemoryCommandContext<'_, '_>) -> Result<()> {
    let question = Question {
        kinds: args.kinds.clone(),
        branch: args.branch.clone(),
        order: SearchOrder::Newest,
        limit: args.limit,
        ..Question::new(Layers::ALL)
    };
    print_results(&question, context)
}

fn print_results(question: &Question, context: &mut MemoryCommandContext<'_, '_>) -> Result<()> {
    let results = context.memory.search(question).map_err(to_user_error)?;
    if context.print_json(&results)? {
        return Ok(());
    }
    for hit in &results.hits {
        print(hit, "", context)?;
    }
    if let Some(diagnostics) = &results.diagnostics {
        writeln!(context.io.out, "{}", render_diagnostics(diagnostics)?)?;
    }
    if let Some(note) = results.certainty.and_then(Certainty::note) {
        writeln!(context.io.err, "note: {note}")?;
    }
    if let Some(why) = &results.degraded {
        writeln!(context.io.err, "note: {}", one_line(why))?;
    }
    let count = results.hits.len();
    let total =
        if results.matched > count { format!(" of {}", results.matched) } else { String::new() };
    let hint = match count {
        0 if question.with_superseded || question.text.is_empty() => "",
        0 => "; --all includes superseded memories",
        _ => "; `aidd memory show ID` prints a memory in full",
    };
    let memories = if count == 1 { "memory" } else { "memories" };
    writeln!(context.io.err, "{count}{total} {memories}{hint}")?;
    Ok(())
}

/// The diagnostics, one per line, with the names used in JSON.
fn render_diagnostics(diagnostics: &Diagnostics) -> Result<String> {
    let value = serde_json::to_value(diagnostics)?;
    let fields = value.as_object().into_iter().flatten();
    Ok(fields.map(|(name, value)| format!("{name}: {value}")).collect::<Vec<_>>().join("\n"))
}

/// Prints a result in two or three lines: title, facts and excerpt.
fn print(hit: &Hit, indent: &str, context: &mut MemoryCommandContext<'_, '_>) -> Result<()> {
    let paint = context.paint;
    let mut facts = vec![hit.id.clone(), times::day(hit.created_at)];
    facts.extend(hit.topic.as_deref().map(one_line));
    if let Some(newer_id) = &hit.superseded_by {
        facts.push(format!("superseded by {newer_id}"));
    } else if hit.status != Status::Active {
        facts.push(hit.status.to_string());
    }
    facts.extend(hit.enforced.as_ref().map(|rule| format!("enforced as {rule}")));
    if hit.score > 0.0 {
        facts.push(format!("{:.2}", hit.score));
    }
    let out = &mut context.io.out;
    let marks = one_line(&hit.marks());
    writeln!(out, "{indent}{}{marks}", paint.bold(&one_line(&hit.title)))?;
    for line in hit.snippet.lines().filter(|line| !line.trim().is_empty()) {
        writeln!(out, "{indent}  {}", one_line(line.trim()))?;
    }
    writeln!(out, "{indent}  {}", paint.dim(&facts.join(" · ")))?;
    Ok(())
}

pub(super) fn timeline(
    id: &str,
    depth: usize,
    context: &mut MemoryCommandContext<'_, '_>,
) -> Result<()> {
    let id = context.id(id)?;
    let timeline = context.memory.timeline(&id, depth).map_err(to_user_error)?;
    if context.print_json(&timeline)? {
        return Ok(());
    }
    for hit in &timeline.before {
        print(hit, "  ", context)?;
    }
    print(&timeline.anchor, "> ", context)?;
    for hit in &timeline.after {
        print(hit, "  ", context)?;
    }
    Ok(())
}

/// The decisions on a topic.
#[derive(Serialize)]
#[serde(rename_all = "camelCase")]
struct Topic {
    topic: String,
    decisions: usize,
    updated_at: i64,
    /// Ids of the active decisions.
    active: Vec<String>,
    title: String,
    /// Outcome of the decision in `title`.
    #[serde(skip_serializing_if = "Option::is_none")]
    outcome: Option<Outcome>,
    #[serde(skip_serializing_if = "Option::is_none")]
    outcome_reason: Option<String>,
    #[serde(skip)]
    marks: String,
}

pub(super) fn topics(context: &mut MemoryCommandContext<'_, '_>) -> Result<()> {
    let query = Query { kinds: vec![Kind::Decision], ..Query::new(Layers::PERMANENT) };
    let decisions =
        context.memory.read(&mut |store| store.entries(&query)).map_err(to_user_error)?;
    let mut by_topic: BTreeMap<String, Vec<Entry>> = BTreeMap::new();
    for decision in decisions {
        let key = decision.topic.as_deref().map(topic_key).unwrap_or_default();
        if !key.is_empty() {
            by_topic.entry(key).or_default().push(decision);
        }
    }
    let topics: Vec<Topic> = by_topic.values().filter_map(|decisions| topic(decisions)).collect();
    if context.print_json(&json!({"topics": topics}))? {
        return Ok(());
    }
    let widest = topics.iter().map(|topic| topic.topic.chars().count()).max().unwrap_or(0);
    for topic in &topics {
        let name = one_line(&topic.topic);
        let conflict = if topic.active.len() > 1 { " (several active)" } else { "" };
        let count = number(topic.decisions, "decision");
        writeln!(
            context.io.out,
            "{name:widest$}  {:<12}  {}{}{conflict}",
            count,
            context.paint.bold(&topic.title),
            topic.marks
        )?;
    }
    writeln!(context.io.err, "{}", number(topics.len(), "topic"))?;
    Ok(())
}

/// Summarizes the decisions on one topic. `decisions` are ordered by last change.
fn topic(decisions: &[Entry]) -> Option<Topic> {
    let is_active = |entry: &&Entry| entry.status == Status::Active;
    let latest = decisions.iter().find(is_active).or(decisions.first())?;
    Some(Topic {
        topic: latest.topic.clone().unwrap_or_default(),
        decisions: decisions.len(),
        updated_at: decisions.iter().map(|entry| entry.updated_at).max().unwrap_or_default(),
        active: decisions.iter().filter(is_active).map(|entry| entry.id.clone()).collect(),
        title: latest.title(80),
        outcome: latest.outcome(),
        outcome_reason: latest.outcome_reason(),
        marks: Brief::from(latest.clone()).marks(),
    })
}
