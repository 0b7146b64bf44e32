//! `aidd rule suggest` and `aidd rule coverage`: what the sentences of a project demand, which of
//! them are enforced, and which could be.

use super::told::{Catches, Counts, Entry, Measure, Sentences, Sort};
use crate::cli::{RuleCoverage, RuleSuggest, SuggestFormat};
use aidd_authoring::suggest::{self, Asked, Suggestion, Survey, Trust};
use aidd_engine::check::{Engine, Selection};
use aidd_engine::forms;
use aidd_engine::rules::registry::Registry;
use aidd_engine::rules::rule::Rule;
use aidd_engine::text::files::Files;
use aidd_engine::workspace::examples;
use aidd_report::Io;
use aidd_report::exit::{Exit, UserError};
use aidd_report::project::{self, Project};
use aidd_report::{number, one_line};
use anyhow::{Context, Result};
use std::collections::BTreeMap;
use std::fs;
use std::io::Write as _;
use std::path::PathBuf;

/// Places of a draft that are shown.
const PLACES: usize = 3;
/// Sentences of one sort without a check that are shown.
const LISTED: usize = 20;

/// Runs `aidd rule suggest`.
///
/// # Errors
/// When a file does not lie in the project or cannot be read, or a page cannot be written.
pub(super) fn suggest(project: &Project, args: &RuleSuggest, io: &mut Io<'_>) -> Result<Exit> {
    let survey = look(project, &args.files, true, io)?;
    let told = Sentences::of(&survey, Measure::WHOLE);
    match args.format {
        SuggestFormat::Json => io.out.json(&told)?,
        SuggestFormat::Text => show(&told, io)?,
    }
    tell(&survey, &told, io)?;
    if args.write {
        return write(project, &survey, io);
    }
    let ready = told.sentences.iter().filter(|entry| is_written(entry)).count();
    if ready > 0 && args.format == SuggestFormat::Text {
        let files = number(ready, "page");
        writeln!(io.err, "nothing was written; `aidd rule suggest --write` writes {files}")?;
    }
    Ok(Exit::Clean)
}

/// Runs `aidd rule coverage`.
///
/// # Errors
/// As [`suggest()`].
pub(super) fn coverage(project: &Project, args: &RuleCoverage, io: &mut Io<'_>) -> Result<Exit> {
    let survey = look(project, &args.files, false, io)?;
    let told = Sentences::of(&survey, Measure { pages: false, ..Measure::WHOLE });
    if args.format == SuggestFormat::Json {
        io.out.json(&told)?;
        tell(&survey, &told, io)?;
        return Ok(Exit::Clean);
    }
    let mut by_file: BTreeMap<&str, Vec<&Entry>> = BTreeMap::new();
    for entry in &told.sentences {
        by_file.entry(&entry.path).or_default().push(entry);
    }
    let widest = by_file.keys().map(|path| path.chars().count()).max().unwrap_or(0).max(4);
    let head = ["sentences", "enforced", "elsewhere", "ready", "hook", "guidance"];
    writeln!(io.out, "{:widest$}  {}", "file", head.join("  "))?;
    for (path, entries) in by_file {
        let of = |sorts: &[Sort]| entries.iter().filter(|one| sorts.contains(&one.kind)).count();
        let counts = [
            entries.len(),
            of(&[Sort::Enforced]),
            of(&[Sort::Elsewhere]),
            of(&[Sort::Draft, Sort::Switch]),
            of(&[Sort::Run]),
            of(&[Sort::Guidance]),
        ];
        row(path, widest, counts, io)?;
    }
    let Counts { sentences, enforced, elsewhere, ready, run, guidance } = told.count;
    row("all", widest, [sentences, enforced, elsewhere, ready, run, guidance], io)?;
    let kept = enforced + elsewhere;
    if let Some(share) = (kept * 100).checked_div(sentences) {
        let can = kept + ready;
        writeln!(
            io.out,
            "\nenforced: {kept} of {} ({share} %), {kept} of the {can} that a check can judge",
            number(sentences, "sentence")
        )?;
    }
    tell(&survey, &told, io)?;
    if ready > 0 {
        writeln!(io.err, "`aidd rule suggest` shows what could be enforced")?;
    }
    Ok(Exit::Clean)
}

fn row(name: &str, widest: usize, counts: [usize; 6], io: &mut Io<'_>) -> Result<()> {
    let [all, enforced, elsewhere, ready, run, guidance] = counts;
    writeln!(
        io.out,
        "{name:widest$}  {all:>9}  {enforced:>8}  {elsewhere:>9}  {ready:>5}  {run:>4}  {guidance:>8}"
    )?;
    Ok(())
}

fn look(project: &Project, files: &[PathBuf], tries: bool, io: &Io<'_>) -> Result<Survey> {
    let inside = |file: &PathBuf| {
        let path = project::absolute(&io.cwd, file);
        let inside = path.to_str().and_then(|path| project.disk.inside(path));
        inside.ok_or_else(|| {
            UserError::new(format!("{} does not lie in the project", file.display()))
                .hint("name a file below its root")
        })
    };
    let paths: Vec<String> = files.iter().map(inside).collect::<Result<_, UserError>>()?;
    let asked = Asked { paths: &paths, tries, ..Asked::all(&project.disk) };
    Ok(suggest::survey(project, &asked).map_err(UserError::new)?)
}

/// What was read, what was left out, and the sums.
fn tell(survey: &Survey, told: &Sentences, io: &mut Io<'_>) -> Result<()> {
    for note in &told.notes {
        writeln!(io.err, "note: {}", io.distribution.redact(note))?;
    }
    if survey.files.is_empty() {
        writeln!(
            io.err,
            "no file with sentences was found: AGENTS.md, CLAUDE.md, CONTRIBUTING.md, pages below .aidd/rules …"
        )?;
    }
    writeln!(io.err, "{}; {} read", told.count.line(), number(survey.files.len(), "file"))?;
    Ok(())
}

fn show(told: &Sentences, io: &mut Io<'_>) -> Result<()> {
    for entry in
        told.sentences.iter().filter(|entry| matches!(entry.kind, Sort::Draft | Sort::Switch))
    {
        place(entry, io)?;
        let caught = entry.catches.as_ref().map(Catches::line).unwrap_or_default();
        if let Some(draft) = &entry.draft {
            let form = draft.check.keys().find(|key| !["files", "exclude"].contains(&key.as_str()));
            let form = form.map(String::as_str).unwrap_or_default();
            writeln!(io.out, "  check     {} ({form}), sure: {}", draft.rule, draft.sure)?;
            writeln!(io.out, "  catches   {caught}")?;
            places(entry, io)?;
            writeln!(io.out, "  severity  {}: {}", draft.severity, draft.why)?;
            let how = if draft.in_place { ", into its header" } else { "" };
            writeln!(io.out, "  page      {}{how}", draft.path)?;
        } else {
            writeln!(io.out, "  rule      {} {} off", entry.by.join(", "), be(&entry.by))?;
            writeln!(io.out, "  catches   {caught}")?;
            places(entry, io)?;
            writeln!(io.out, "  turn on   {}", switch(entry))?;
        }
        writeln!(io.out)?;
    }
    list(
        told,
        Sort::Enforced,
        "Enforced already",
        &|entry| format!("by {}", entry.by.join(", ")),
        io,
    )?;
    let elsewhere =
        |entry: &Entry| format!("by {} ({})", entry.by.join(", "), entry.within.join(", "));
    list(told, Sort::Elsewhere, "Enforced by other tools", &elsewhere, io)?;
    let run = |entry: &Entry| entry.by.join(", ");
    list(told, Sort::Run, "For a hook of the agent, or a step of CI", &run, io)?;
    list(told, Sort::Guidance, "Guidance: no check can tell", &run, io)
}

fn be(all: &[String]) -> &'static str {
    if all.len() == 1 { "is" } else { "are" }
}

/// How a rule of ours is switched on.
fn switch(entry: &Entry) -> String {
    let rules: Vec<String> =
        entry.by.iter().map(|rule| format!("\"{rule}\": \"warning\"")).collect();
    let by_rule = format!("\"rules\": {{{}}} in .aidd/config.json", rules.join(", "));
    match entry.within.first() {
        Some(pack) => format!("{by_rule}, or the pack \"{pack}\" in \"compliance\""),
        None => by_rule,
    }
}

fn place(entry: &Entry, io: &mut Io<'_>) -> Result<()> {
    let also = if entry.also.is_empty() {
        String::new()
    } else {
        format!(" (also {})", entry.also.join(", "))
    };
    let sentence = one_line(&entry.sentence);
    writeln!(io.out, "{}:{}  {sentence}{also}", entry.path, entry.line)?;
    Ok(())
}

fn places(entry: &Entry, io: &mut Io<'_>) -> Result<()> {
    let Some(catches) = &entry.catches else { return Ok(()) };
    for place in catches.first.iter().take(PLACES) {
        writeln!(io.out, "            {}", one_line(&place.line(entry.kind == Sort::Switch)))?;
    }
    if let Some(more @ 1..) = catches.findings.checked_sub(PLACES) {
        writeln!(io.out, "            and {more} more")?;
    }
    Ok(())
}

/// The sentences of one sort, a line each.
fn list(
    told: &Sentences,
    sort: Sort,
    title: &str,
    what: &dyn Fn(&Entry) -> String,
    io: &mut Io<'_>,
) -> Result<()> {
    let all: Vec<&Entry> = told.sentences.iter().filter(|entry| entry.kind == sort).collect();
    if all.is_empty() {
        return Ok(());
    }
    writeln!(io.out, "{title}:")?;
    for entry in all.iter().take(LISTED) {
        let what = what(entry);
        let what = if what.is_empty() { String::new() } else { format!("  [{what}]") };
        let sentence = one_line(&entry.sentence);
        writeln!(io.out, "  {}:{}  {sentence}{}", entry.path, entry.line, one_line(&what))?;
    }
    if let Some(more @ 1..) = all.len().checked_sub(LISTED) {
        writeln!(io.out, "  and {more} more: --format json tells all")?;
    }
    writeln!(io.out)?;
    Ok(())
}

/// Whether `--write` writes its page: not what the code contradicts.
fn is_written(entry: &Entry) -> bool {
    entry.draft.as_ref().is_some_and(|draft| draft.sure != Trust::Low.word())
}

/// Writes the pages, each read and proved once more as it will lie there.
fn write(project: &Project, survey: &Survey, io: &mut Io<'_>) -> Result<Exit> {
    let all = survey.suggestions();
    let mut exit = Exit::Clean;
    let chosen: BTreeMap<&str, &Suggestion> = all
        .iter()
        .filter(|(_, one)| one.sure != Trust::Low)
        .map(|(path, one)| (*path, *one))
        .collect();
    let engine = with_pages(project, &chosen)?;
    for (path, suggestion) in all {
        if suggestion.sure == Trust::Low {
            writeln!(io.err, "not written: {path}: {}", suggestion.why)?;
            continue;
        }
        let rule = engine.registry().rules().iter().find(|rule| rule.path.as_deref() == Some(path));
        if let Some(why) = wrong(&engine, rule) {
            writeln!(io.err, "not written: {path}: {why}")?;
            exit = Exit::Findings;
            continue;
        }
        let place = project.root().join(project.disk.for_new(path)?);
        if suggestion.in_place {
            crate::fix::replace(&place, suggestion.page.as_bytes())
                .with_context(|| path.to_owned())?;
        } else if project.disk.exists(path) || place.symlink_metadata().is_ok() {
            writeln!(io.err, "not written: {path}: there is such a page already")?;
            exit = Exit::Findings;
            continue;
        } else {
            fs::create_dir_all(place.parent().context("a page lies in a folder")?)?;
            fs::write(&place, &suggestion.page).with_context(|| path.to_owned())?;
        }
        writeln!(io.err, "wrote {path}")?;
    }
    Ok(exit)
}

/// The engine of the project as it will be with the pages.
fn with_pages(project: &Project, chosen: &BTreeMap<&str, &Suggestion>) -> Result<Engine> {
    let kept =
        project.pages.iter().filter(|(path, _)| !chosen.contains_key(path.as_str())).cloned();
    let new = chosen.iter().map(|(path, one)| ((*path).to_owned(), one.page.clone()));
    let pages: Vec<(String, String)> = kept.chain(new).collect();
    let engine = Engine::new(
        project.distribution(),
        Registry::new(project.distribution().pages, &pages),
        &project.config,
        &Selection::default(),
    );
    Ok(engine.map_err(|error| UserError::new(error.to_string()))?)
}

/// What keeps a page from being written.
fn wrong(engine: &Engine, rule: Option<&Rule>) -> Option<String> {
    let Some(rule) = rule else { return Some("its header cannot be read".to_owned()) };
    let problems = forms::problems(rule);
    let wrong = if problems.is_empty() { examples::run(engine, rule) } else { problems };
    wrong.into_iter().next()
}
