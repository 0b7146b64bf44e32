//! `aidd stats`: figures of recorded sessions.

mod table;

use crate::cli::{Stats, StatsSection};
use crate::memory::to_user_error;
use aidd_evolution::models::{self, ModelRow, Share, TaskFilter};
use aidd_memory::project::{ProjectMemory, system_clock};
use aidd_memory::store::BackendChoice;
use aidd_memory::usage::summary::{LifecycleFigures, PageFigures, SessionFigures, Summary};
use aidd_report::exit::Exit;
use aidd_report::{Io, When, number, one_line, project};
use anyhow::Result;
use serde_json::{Map, Value, json};
use std::io::Write as _;
use table::{Table, sparkline};

/// Number of rows of each kind in the overview.
const OVERVIEW_ROWS: usize = 5;

/// The figures of a period, with the requested section.
struct Figures {
    summary: Summary,
    models: Vec<ModelRow>,
    lifecycle: LifecycleFigures,
}

/// Runs `aidd stats`.
///
/// # Errors
/// Fails when the store cannot be read.
pub(crate) fn run(args: &Stats, color: When, io: &mut Io<'_>) -> Result<Exit> {
    let root = project::root_of(&io.cwd);
    if !crate::memory::exists(&root) {
        let figures = Figures {
            summary: Summary::default(),
            models: Vec::new(),
            lifecycle: LifecycleFigures::default(),
        };
        return print(args, &figures, color, io);
    }
    let mut memory =
        ProjectMemory::open(io.distribution, &root, BackendChoice::default(), system_clock())
            .map_err(to_user_error)?;
    let records = memory.all_session_records().map_err(to_user_error)?;
    let now = system_clock()();
    let days = i64::from(args.days);
    let mut recent = records.clone();
    recent.retain(|record| record.ended_at > 0 && now - record.ended_at <= days * 86_400_000);
    let figures = Figures {
        summary: Summary::new(&records, days, now),
        models: models::rows(&recent, &TaskFilter::default(), args.section.is_some()),
        lifecycle: memory.lifecycle_figures().map_err(to_user_error)?,
    };
    let exit = print(args, &figures, color, io)?;
    for notice in memory.take_notices() {
        writeln!(io.err, "note: {}", one_line(&notice))?;
    }
    Ok(exit)
}

fn print(args: &Stats, figures: &Figures, color: When, io: &mut Io<'_>) -> Result<Exit> {
    if args.json {
        io.out.json(&to_json(args, figures))?;
        return Ok(Exit::Clean);
    }
    let style = io.style(color);
    let text = render(args, figures, style.width, style.color);
    io.out.write_all(text.as_bytes())?;
    Ok(Exit::Clean)
}

/// The figures with the documented field names; with a section, only that section.
fn to_json(args: &Stats, figures: &Figures) -> Value {
    let Figures { summary, models, lifecycle } = figures;
    let sections = [
        (StatsSection::Tools, "tools", json!(summary.tools)),
        (StatsSection::Rules, "rules", json!(summary.rules)),
        (StatsSection::Knowledge, "knowledge", json!(summary.pages)),
        (StatsSection::Models, "models", json!(models)),
        (StatsSection::Lifecycle, "lifecycle", json!(lifecycle)),
    ];
    let mut value = Map::from_iter([
        ("days".to_owned(), json!(args.days)),
        ("sessions".to_owned(), json!(summary.sessions)),
    ]);
    for (section, name, figures) in sections {
        if args.section.is_none_or(|chosen| chosen == section) {
            value.insert(name.to_owned(), figures);
        }
    }
    Value::Object(value)
}

fn render(args: &Stats, figures: &Figures, width: usize, color: bool) -> String {
    let limit = if args.section.is_some() { usize::MAX } else { OVERVIEW_ROWS };
    let is_chosen = |section| args.section.is_none_or(|chosen| chosen == section);
    let mut parts = vec![sessions(&figures.summary.sessions, args.days)];
    let mut add = |section, table: Table| {
        if is_chosen(section) {
            let is_alone = args.section.is_some();
            parts.extend(table.render(limit, width, color, is_alone));
        }
    };
    add(StatsSection::Tools, tools(&figures.summary));
    add(StatsSection::Rules, rules(&figures.summary));
    add(StatsSection::Knowledge, pages(&figures.summary.pages));
    add(StatsSection::Models, model_rows(&figures.models));
    add(StatsSection::Lifecycle, lifecycle(&figures.lifecycle));
    if args.section.is_none() && parts.len() == 1 {
        parts.push(
            "Nothing was recorded. Agents record what they do once they are set up: aidd init --client CLIENT.\n"
                .to_owned(),
        );
    }
    parts.join("\n")
}

fn sessions(sessions: &SessionFigures, days: u16) -> String {
    let mut text = format!("{} in {days} days", number(sessions.count, "session"));
    if sessions.count == 0 {
        return text + "\n";
    }
    text.push_str(&format!("  {}", sparkline(&sessions.trend)));
    let runs = sessions.runs_passed + sessions.runs_failed;
    text.push_str(&format!(
        "\n{} of {} with an outcome succeeded; {} of {runs} runs passed; {} lines edited",
        sessions.successes, sessions.rated, sessions.runs_passed, sessions.edited_lines
    ));
    if sessions.files_reverted + sessions.commits_reverted > 0 {
        text.push_str(&format!(
            "; {} files and {} commits reverted",
            sessions.files_reverted, sessions.commits_reverted
        ));
    }
    if let Some(tokens) = sessions.tokens {
        text.push_str(&format!("; {tokens} tokens"));
    }
    if let Some(cost) = sessions.cost {
        text.push_str(&format!("; ${cost:.2}"));
    }
    text + "\n"
}

fn tools(summary: &Summary) -> Table {
    let mut table = Table::new(
        "tools",
        &["tool", "calls", "errors", "good", "bad", "ms", "tokens", "sessions", "12 weeks"],
    );
    for tool in &summary.tools {
        table.add([
            tool.name.clone(),
            tool.calls.to_string(),
            tool.errors.to_string(),
            tool.good.to_string(),
            tool.bad.to_string(),
            format!("{:.0}", tool.mean_millis),
            format!("{:.0}", tool.mean_tokens),
            tool.sessions.to_string(),
            sparkline(&tool.trend),
        ]);
    }
    table
}

fn rules(summary: &Summary) -> Table {
    let mut table = Table::new(
        "rules",
        &["rule", "introduced", "fixed", "allowed", "reverted", "sessions", "12 weeks"],
    );
    for rule in &summary.rules {
        table.add([
            rule.rule.clone(),
            rule.introduced.to_string(),
            rule.fixed.to_string(),
            rule.allowed.to_string(),
            rule.reverted.to_string(),
            rule.sessions.to_string(),
            sparkline(&rule.trend),
        ]);
    }
    table
}

fn pages(pages: &[PageFigures]) -> Table {
    let mut table = Table::new(
        "knowledge",
        &["page", "kind", "served", "sessions", "with outcome", "succeeded"],
    );
    for page in pages {
        table.add([
            page.name.clone(),
            page.kind.to_owned(),
            page.served.to_string(),
            page.sessions.to_string(),
            page.rated.to_string(),
            page.successes.to_string(),
        ]);
    }
    table
}

fn model_rows(rows: &[ModelRow]) -> Table {
    let mut table = Table::new(
        "models",
        &[
            "model",
            "task",
            "sessions",
            "with outcome",
            "succeeded",
            "90 % interval",
            "findings per 1,000 lines",
            "reverts",
            "tokens",
            "minutes",
            "cost",
        ],
    );
    for row in rows {
        let task = match &row.task {
            None => "all".to_owned(),
            Some(task) if task.is_unknown() => "unknown".to_owned(),
            Some(task) => format!("{}, {}", task.domain, task.nature),
        };
        table.add([
            row.model.name(),
            task,
            row.sessions.to_string(),
            row.rated.to_string(),
            row.success.map_or_else(none, |share| format!("{:.0} %", 100.0 * share.value)),
            row.success.map_or_else(none, interval),
            optional(row.findings_per_thousand_lines, 1),
            row.reverts.to_string(),
            optional(row.tokens, 0),
            optional(row.minutes, 0),
            row.cost.map_or_else(none, |cost| format!("${cost:.2}")),
        ]);
    }
    table
}

fn none() -> String {
    "–".to_owned()
}

fn optional(value: Option<f64>, digits: usize) -> String {
    value.map_or_else(none, |value| format!("{value:.digits$}"))
}

fn interval(share: Share) -> String {
    format!("{:.0}–{:.0} %", 100.0 * share.low, 100.0 * share.high)
}

fn lifecycle(figures: &LifecycleFigures) -> Table {
    let mut table =
        Table::new("lifecycle", &["phase", "in it now", "entered", "forced", "median days"]);
    if figures.active + figures.completed + figures.abandoned > 0 {
        table.set_note(format!(
            "{} active, {} completed, {} abandoned",
            figures.active, figures.completed, figures.abandoned
        ));
        for phase in &figures.phases {
            table.add([
                phase.phase.to_owned(),
                phase.current.to_string(),
                phase.entered.to_string(),
                phase.forced.to_string(),
                optional(phase.median_days, 1),
            ]);
        }
    }
    table
}
