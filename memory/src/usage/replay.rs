//! Computes the figures of a session from its events.
//!
//! The result of a call is *bad* if the call failed, or if a finding that it named was fixed and then
//! introduced again. It is *good* if such a finding was fixed, if a memory that it returned was read
//! in full or cited, or if the next test run passed. Otherwise it is neutral.

use super::event::{Call, Edit, Event, Mark, PageUse, RunCheck, TimedEvent};
use super::name::Name;
use aidd_evolution::record::{MAX_SEQUENCE, Outcome, SessionRecord, TaskType};
use std::collections::BTreeMap;

/// The quality of a result.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Quality {
    Neutral,
    Good,
    Bad,
}

/// A call, and what is known about the quality of its result.
#[derive(Debug)]
struct Rated {
    at: i64,
    tool: Name,
    quality: Quality,
}

/// What is known about an edited file.
#[derive(Debug, Default)]
struct File {
    /// The states of the file, in order.
    states: Vec<Mark>,
    /// Findings before the first edit, and after the last one.
    start: u32,
    end: u32,
    /// Findings of severity error at these times.
    start_errors: u32,
    end_errors: u32,
    /// The state before the session.
    original: Option<Mark>,
    /// Number of runs before the last edit.
    runs: usize,
    /// Whether the file was edited again after a run.
    is_reworked: bool,
}

impl File {
    /// Whether the file is again as it was before the session.
    fn is_reverted(&self) -> bool {
        let is_original = |state: &Mark| Some(*state) == self.original;
        self.states.last().is_some_and(is_original) && !self.states.iter().all(is_original)
    }
}

#[derive(Debug, Default)]
struct Replay {
    record: SessionRecord,
    calls: Vec<Rated>,
    /// Number of calls that a test run has rated.
    rated: usize,
    /// The call that first named a finding, and whether the finding was fixed since.
    named: BTreeMap<Mark, (usize, bool)>,
    files: BTreeMap<Mark, File>,
    /// Number of runs so far.
    runs: usize,
    lines: u64,
}

/// The figures of the session `id` with these events, in any order.
pub(super) fn replay(id: &str, mut events: Vec<TimedEvent>) -> SessionRecord {
    events.sort_by_key(|event| event.at);
    let mut replay = Replay::default();
    id.clone_into(&mut replay.record.id);
    let first = events.first().map(|event| event.at);
    let last = events.last().map(|event| event.at);
    for TimedEvent { at, event } in events {
        replay.add(at, event);
    }
    let minutes = first.zip(last).map(|(first, last)| minutes(last - first));
    replay.finish(minutes)
}

/// Converts milliseconds to minutes with one decimal.
#[expect(clippy::cast_precision_loss, reason = "durations of sessions")]
pub(super) fn minutes(millis: i64) -> f64 {
    (millis.max(0) as f64 / 6_000.0).round() / 10.0
}

fn add_one(map: &mut BTreeMap<String, u32>, name: Name) {
    *map.entry(name.into()).or_default() += 1;
}

impl Replay {
    fn add(&mut self, at: i64, event: Event) {
        let record = &mut self.record;
        match event {
            Event::Call(call) => self.add_call(at, call),
            Event::Served(PageUse::Role, name) => add_one(&mut record.roles, name),
            Event::Served(PageUse::Skill, name) => add_one(&mut record.skills, name),
            Event::Served(PageUse::Workflow, name) => add_one(&mut record.workflows, name),
            Event::Served(PageUse::Knowledge, name) => add_one(&mut record.knowledge, name),
            Event::Task(domain, nature) => {
                record.task = TaskType { domain: domain.into(), nature: nature.into() };
            }
            Event::Edit(edit) => self.add_edit(&edit),
            Event::Run(passed, checks) => self.add_run(passed, &checks),
            Event::Used(tool, called_at) => {
                let call = self.calls.iter_mut().find(|call| {
                    call.at == called_at && call.tool == tool && call.quality == Quality::Neutral
                });
                if let Some(call) = call {
                    call.quality = Quality::Good;
                }
            }
            Event::Model(provider, model) => {
                (record.provider, record.model) = (provider.into(), model.into());
            }
            Event::Memory(id) => add_one(&mut record.memories, id),
        }
    }

    fn add_call(&mut self, at: i64, call: Call) {
        let tool = self.record.tools.entry(call.tool.as_str().to_owned()).or_default();
        tool.calls += 1;
        tool.errors += u32::from(call.is_error);
        tool.millis += u64::from(call.millis);
        tool.bytes += u64::from(call.bytes);
        tool.tokens += u64::from(call.tokens);
        let sequence = &mut self.record.sequence;
        // Resources and prompts are not tools.
        let is_tool = !call.tool.as_str().contains('/');
        let is_repeated = sequence.last().is_some_and(|last| last == call.tool.as_str());
        if is_tool && !is_repeated && sequence.len() < MAX_SEQUENCE {
            sequence.push(call.tool.as_str().to_owned());
        }
        for finding in call.findings {
            self.named.entry(finding).or_insert((self.calls.len(), false));
        }
        let quality = if call.is_error { Quality::Bad } else { Quality::Neutral };
        self.calls.push(Rated { at, tool: call.tool, quality });
    }

    fn add_run(&mut self, passed: bool, checks: &[RunCheck]) {
        let runs = &mut self.record.runs;
        *if passed { &mut runs.passed } else { &mut runs.failed } += 1;
        self.runs += 1;
        if !checks.contains(&RunCheck::Tests) {
            return;
        }
        self.record.last_run_passed = Some(passed);
        // A call is rated by the next test run, not by later ones.
        for call in &mut self.calls[self.rated..] {
            if passed && call.quality == Quality::Neutral {
                call.quality = Quality::Good;
            }
        }
        self.rated = self.calls.len();
    }

    fn add_edit(&mut self, edit: &Edit) {
        self.lines += u64::from(edit.lines);
        let runs = self.runs;
        let is_new = !self.files.contains_key(&edit.path);
        let file = self.files.entry(edit.path).or_default();
        if is_new {
            (file.start, file.start_errors) = (edit.before, edit.errors_before);
            file.states.extend(edit.old);
            file.original = edit.old;
        } else {
            file.is_reworked |= file.runs < runs;
        }
        file.runs = runs;
        (file.end, file.end_errors) = (edit.after, edit.errors);
        let restores = file.states.last() != Some(&edit.new) && file.states.contains(&edit.new);
        file.states.push(edit.new);
        for (rule, [introduced, fixed, allowed]) in &edit.rules {
            let rule = self.record.rules.entry(rule.as_str().to_owned()).or_default();
            rule.introduced += introduced;
            rule.fixed += fixed;
            rule.allowed += allowed;
            // The edit that brought these findings was undone.
            if restores {
                rule.reverted += fixed;
            }
        }
        self.rate_advice(edit);
    }

    /// Rates the calls that named the findings of an edit.
    fn rate_advice(&mut self, edit: &Edit) {
        for finding in &edit.fixed {
            if let Some((call, is_fixed)) = self.named.get_mut(finding) {
                *is_fixed = true;
                if self.calls[*call].quality == Quality::Neutral {
                    self.calls[*call].quality = Quality::Good;
                }
            }
        }
        for finding in &edit.introduced {
            if let Some((call, is_fixed)) = self.named.get_mut(finding)
                && std::mem::take(is_fixed)
            {
                self.calls[*call].quality = Quality::Bad;
            }
        }
    }

    fn finish(mut self, minutes: Option<f64>) -> SessionRecord {
        for call in &self.calls {
            if let Some(tool) = self.record.tools.get_mut(call.tool.as_str()) {
                tool.good += u32::from(call.quality == Quality::Good);
                tool.bad += u32::from(call.quality == Quality::Bad);
            }
        }
        if !self.files.is_empty() {
            let sum = |value: fn(&File) -> u32| self.files.values().map(value).sum();
            self.record.outcome = Some(Outcome {
                findings_start: sum(|file| file.start),
                findings_end: sum(|file| file.end),
                errors_left: sum(|file| file.end_errors.saturating_sub(file.start_errors)),
                files_reverted: sum(|file| u32::from(file.is_reverted())),
                files_reworked: sum(|file| u32::from(file.is_reworked)),
                ..Outcome::default()
            });
            self.record.edited_lines = Some(self.lines);
        }
        self.record.minutes = minutes;
        self.record
    }
}

/// Adds the figures of events that were stored after a session was folded.
pub(super) fn merge(into: &mut SessionRecord, late: SessionRecord) {
    for (to, from) in [
        (&mut into.roles, late.roles),
        (&mut into.skills, late.skills),
        (&mut into.workflows, late.workflows),
        (&mut into.knowledge, late.knowledge),
        (&mut into.memories, late.memories),
    ] {
        for (name, count) in from {
            *to.entry(name).or_default() += count;
        }
    }
    for (name, late) in late.tools {
        *into.tools.entry(name).or_default() += late;
    }
    for (name, late) in late.rules {
        *into.rules.entry(name).or_default() += late;
    }
    into.runs.passed += late.runs.passed;
    into.runs.failed += late.runs.failed;
    into.last_run_passed = late.last_run_passed.or(into.last_run_passed);
    into.edited_lines = into.edited_lines.or(late.edited_lines);
    into.outcome = into.outcome.or(late.outcome);
    if into.task.is_unknown() {
        into.task = late.task;
    }
}
