//! Finds how a change weakens the checks, and checks the change under the settings of its base.
//!
//! A pull request can change the settings and thereby hide its own findings. The settings of the
//! base are read from Git and compared with the settings of the head. If they differ, the changed
//! files are checked under both settings, and a finding reported under either of them counts.

mod allow;
mod base;

use super::Job;
use super::sides::fetch_contents;
use crate::args::Settings;
use crate::event::Trigger;
use aidd_engine::check::{Engine, Selection};
use aidd_engine::forms::commits;
use aidd_engine::project::config::line_of;
use aidd_engine::project::git::{Change, Entry, Snapshot};
use aidd_engine::text::finding::{FailOn, Finding, Status};
use aidd_engine::text::kind::CONFIG_PATH;
use aidd_engine::workspace::diff::{self, CompareResult, Head};
use aidd_engine::workspace::walk::CheckedPaths;
use aidd_engine::workspace::weakened::{self, Kind};
use aidd_report::exit::UserError;
use aidd_report::gate::{Policy, Verdict, stricter};
use aidd_report::project::Project;
use aidd_report::run::baseline::is_gone;
use aidd_report::{BY_BASE, Weakening, WeakeningKind, number, one_line};
use anyhow::Result;
use base::Base;

/// Maximum number of entries in a report.
const MAX_ENTRIES: usize = 1_000;
/// Maximum number of characters of an entry. The limit is necessary because the author of the
/// change controls the names in the entry.
const MAX_MESSAGE: usize = 500;

/// Result of [`Job::find_weakened`].
#[derive(Debug, Default)]
pub(super) struct Weakened {
    /// The entries for the report, sorted.
    pub(super) entries: Vec<Weakening>,
    /// The result of the check under the settings of the base, if the settings differ.
    pub(super) base: Option<ByBase>,
    /// Notes for the report, one sentence each.
    pub(super) notes: Vec<String>,
}

/// The result of checking the change under the settings of the base.
#[derive(Debug)]
pub(super) struct ByBase {
    pub(super) engine: Engine,
    pub(super) compared: CompareResult,
    policy: Policy,
    weakenings: Vec<weakened::Weakening>,
}

/// The two sides of a change, and the changes below the project root.
pub(super) struct Difference<'a> {
    pub(super) before: &'a Snapshot,
    pub(super) head: &'a Snapshot,
    /// All changes.
    pub(super) all: &'a [Change],
    /// The changes that this run checks.
    pub(super) in_scope: &'a [Change],
    /// Whether the head is read from Git instead of the disk.
    pub(super) stored: bool,
}

impl Job<'_> {
    /// Finds how the change weakens the checks, and checks the change under the settings of the
    /// base if the settings differ. From an untrusted head, only allow comments take effect.
    pub(super) fn find_weakened(
        &self,
        engine: &Engine,
        compared: &CompareResult,
        difference: &Difference<'_>,
    ) -> Result<Weakened> {
        let entries = self.added_comments(engine, compared, difference);
        let mut weakened = Weakened { entries, ..Weakened::default() };
        if self.trusted.is_none() && self.touches_settings(difference) {
            match self.base_settings(difference)? {
                Ok(base) => self.compare_settings(engine, &base, difference, &mut weakened)?,
                Err(why) => weakened.notes.push(self.unusable_base_note(&why)),
            }
        }
        weakened.entries.extend(self.new_project(difference));
        weakened.entries.sort();
        weakened.entries.dedup();
        if let Some(excess @ 1..) = weakened.entries.len().checked_sub(MAX_ENTRIES) {
            weakened.entries.truncate(MAX_ENTRIES);
            let excess = number(excess, "more place");
            weakened
                .notes
                .push(format!("The change weakens the checks in {excess} that are not listed"));
        }
        Ok(weakened)
    }

    /// The entry for a change that turns a directory of the repository into a separate project.
    fn new_project(&self, difference: &Difference<'_>) -> Option<Weakening> {
        let path = CONFIG_PATH.split('/').next()?;
        let is_new = |side: &Snapshot| side.entry(path).is_ok_and(|entry| entry == Entry::Absent);
        let is_top = self.project.root().join(".git").exists();
        let can_become_project = !is_top && self.trusted.is_none() && is_new(difference.before);
        let message = "turns its directory into a separate project: the settings of the parent project, \
                       including those of the base, do not apply";
        (can_become_project && !is_new(difference.head))
            .then(|| entry(WeakeningKind::Rule, path, None, message))
            .flatten()
    }

    fn compare_settings(
        &self,
        engine: &Engine,
        base: &Base<'_>,
        difference: &Difference<'_>,
        weakened: &mut Weakened,
    ) -> Result<()> {
        let base_engine = match base.project.engine(&Selection::default()) {
            Ok(engine) => engine,
            Err(error) => {
                weakened.notes.push(self.unusable_base_note(&error.to_string()));
                return Ok(());
            }
        };
        let tracked = difference.head.below("").unwrap_or_default();
        let (old, new) = base.sides((&base_engine, engine), self);
        let weakenings = weakened::compare(&old, &new, &tracked).map_err(malformed_settings)?;
        weakened.entries.extend(weakenings.iter().filter_map(|weakening| {
            entry(weakening.kind.into(), &weakening.path, weakening.line, &weakening.message)
        }));
        let (base_policy, _) = self.policy(&base.project, &base_engine);
        let (head_policy, _) = self.policy(&self.project, engine);
        let config = (new.config_path, new.config_text);
        weakened.entries.extend(weaker_policy((&base_policy, &head_policy), &base_engine, config));
        let checks_both = match self.args.settings {
            Some(settings) => settings == Settings::Both,
            // Commits on the default branch have been reviewed.
            None => !self.is_default_branch() || self.event.trigger != Trigger::Push,
        };
        if !checks_both || !base.differs(self) {
            return Ok(());
        }
        // Check the files of all shards: a finding can move from one shard to another.
        let within = CheckedPaths::new(self.project.root(), &self.paths, None);
        let changes = difference.all.iter().filter(|change| within.contains(change.path()));
        let heads = changes.filter_map(|change| Some((difference.head, change.head.as_deref()?)));
        fetch_contents(self.project.distribution(), self.project.root(), heads)?;
        let head = Head::Snapshot {
            files: difference.head,
            ignores: &base.ignores,
            branch: self.event.head_name().map(str::to_owned),
        };
        let config = &base.project.config;
        let mut compared = diff::compare(
            &base_engine,
            config,
            (difference.before, head),
            (difference.all, &within),
            &|| (),
        )
        .map_err(malformed_settings)?;
        if let Some(baseline) = &base.baseline {
            baseline.apply(&mut compared.outcome.files, &is_gone(&self.project));
        }
        compared.match_across();
        weakened.base =
            Some(ByBase { engine: base_engine, compared, policy: base_policy, weakenings });
        Ok(())
    }

    /// Adds to `compared` the findings that only the settings of the base report, and applies the
    /// stricter policy to them.
    pub(super) fn add_findings_under_base_settings(
        &mut self,
        compared: &mut CompareResult,
        policy: Policy,
    ) -> Policy {
        let Some(base) = self.weakened.base.take() else { return policy };
        let within = CheckedPaths::new(self.project.root(), &self.paths, self.args.shard);
        let is_hidden = |path: &str| path.split('/').any(|part| part.starts_with('.'));
        let wanted = |path: &str| {
            commits::is_virtual_path(path)
                || within.contains(path) && !(self.args.walk.no_hidden && is_hidden(path))
        };
        let weakenings = &base.weakenings;
        let reason = |finding: &Finding, path: &str, status: Option<Status>| {
            reason_for_base_finding(weakenings, finding, path, status)
        };
        let mut stricter = base.compared;
        // The findings of `aidd/` rules on settings and comments depend on the set of rules.
        for file in &mut stricter.outcome.files {
            file.checked.findings.retain(|finding| !finding.rule.starts_with("aidd/"));
        }
        let ids = compared.add_stricter(stricter, &wanted, &reason);
        policy.with_base(base.policy, ids)
    }

    /// The policy of a project under the options of the run, and the problems in that policy.
    pub(super) fn policy(&self, project: &Project, engine: &Engine) -> (Policy, Vec<String>) {
        let fail_on = aidd_report::run::fail_on(self.args.fail_on, project);
        let ci = project.config.ci.clone().unwrap_or_default();
        Policy::new(&ci, fail_on, engine.registry())
    }

    /// A note that the settings of the base are ignored; paths are relative to the root.
    fn unusable_base_note(&self, why: &str) -> String {
        let root = format!("{}{}", self.project.root().display(), std::path::MAIN_SEPARATOR);
        let why = one_line(&why.replace(&root, ""));
        format!("The settings of the base cannot be used, so only those of the change apply: {why}")
    }

    fn is_default_branch(&self) -> bool {
        self.event.branch().is_some() && self.event.branch() == self.event.default_branch.as_deref()
    }
}

fn malformed_settings(why: impl std::fmt::Display) -> UserError {
    UserError::new(format!("`include` or `exclude`: {why}"))
}

/// An entry of the report; `None` if the path is not a valid path below the root.
fn entry(kind: WeakeningKind, path: &str, line: Option<u32>, message: &str) -> Option<Weakening> {
    let is_below = path.split('/').all(|part| !["", ".", ".."].contains(&part));
    let message = one_line(message);
    let mut short: String = message.chars().take(MAX_MESSAGE).collect();
    if short.len() < message.len() {
        short.push('…');
    }
    let (path, line) = (path.to_owned(), line.map(u64::from));
    is_below.then_some(Weakening { kind, path, line, message: short })
}

/// Entries for weaker `failOn` and `ci` settings.
fn weaker_policy(
    (base, head): (&Policy, &Policy),
    base_engine: &Engine,
    (path, text): (&str, &str),
) -> Vec<Weakening> {
    let mut entries = Vec::new();
    let name = |fail_on: FailOn| match fail_on {
        FailOn::Severity(severity) => severity.to_string(),
        FailOn::Never => "never".to_owned(),
    };
    if stricter(base.fail_on, head.fail_on) != head.fail_on {
        let message =
            format!("changes `failOn` from {} to {}", name(base.fail_on), name(head.fail_on));
        let line = line_of(text, &["failOn"]);
        entries.extend(entry(WeakeningKind::FailOn, path, line, &message));
    }
    let mut groups: [Vec<String>; 3] = Default::default();
    let settings = base_engine.default_settings();
    for rule in base_engine.registry().rules() {
        let Some(severity) = settings.get(&rule.id).and_then(|setting| setting.severity) else {
            continue;
        };
        let fails = base.fails(&rule.id, severity);
        let group = match (base.verdict(&rule.id, severity), head.verdict(&rule.id, severity)) {
            (before, Verdict::Ignore) if before != Verdict::Ignore => 0,
            (_, Verdict::Warn) if fails => 1,
            (Verdict::Block, Verdict::Unmatched) => 2,
            _ => continue,
        };
        groups[group].push(format!("`{}`", rule.id));
    }
    let lists = [
        ("ignore", "hides the findings of", ""),
        ("warnOn", "stops", " from failing the run"),
        ("blockOn", "no longer names", ""),
    ];
    for (rules, (key, verb, suffix)) in groups.into_iter().zip(lists) {
        if rules.is_empty() {
            continue;
        }
        let count = number(rules.len(), "rule");
        let names = rules[..rules.len().min(3)].join(", ");
        let more = rules.len().checked_sub(3).filter(|more| *more > 0);
        let more = more.map(|more| format!(" and {more} more")).unwrap_or_default();
        let message = format!("`ci.{key}` {verb} {count}{suffix}: {names}{more}");
        let line = line_of(text, &["ci", key]);
        entries.extend(entry(WeakeningKind::Policy, path, line, &message));
    }
    entries
}

/// The reason why a finding is reported under the settings of the base, but not under the settings
/// of the head. `None` if the settings are not the reason: one side is read from Git and the other
/// from the disk, which can contain more files.
fn reason_for_base_finding(
    weakenings: &[weakened::Weakening],
    finding: &Finding,
    path: &str,
    status: Option<Status>,
) -> Option<String> {
    let covers = |kinds: &[Kind]| {
        let mut matching = weakenings.iter().filter(|weakening| kinds.contains(&weakening.kind));
        matching.find(|weakening| weakening.covers(&finding.rule, path))
    };
    let cause = match status {
        Some(Status::Baselined) => covers(&[Kind::Baseline]),
        // Either the file was excluded, or the rule did not run, or the rule reported fewer
        // findings.
        _ => covers(&[Kind::Paths, Kind::IgnoreFile])
            .or_else(|| covers(&[Kind::Rule, Kind::Pack, Kind::Page]))
            .or_else(|| covers(&[Kind::FileSize])),
    }?;
    Some(format!("{BY_BASE}: {} {}", cause.position(), cause.message))
}
