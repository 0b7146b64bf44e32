//! Checks an edit. Reports only new findings, and only findings in files that `aidd check` would
//! check.

use super::edits::{Change, Proposal};
use super::figures::{self, State};
use aidd_engine::check::Distribution;
use aidd_engine::check::{Engine, Selection};
use aidd_engine::project::git::Repository;
use aidd_engine::text::files::{Files, Memory};
use aidd_engine::text::finding::{Finding, Severity, Status};
use aidd_engine::text::paths::Globs;
use aidd_engine::text::source::{Encoding, Source};
use aidd_engine::workspace::walk::{self, Outcome};
use aidd_memory::usage::event::Edit;
use aidd_page::{CheckHeader, DataHeader};
use aidd_report::project::Project;
use aidd_report::run::{baseline, check_text};
use aidd_report::{number, one_line};
use anyhow::{Result, anyhow};
use std::cmp::Reverse;
use std::collections::HashSet;
use std::io;
use std::path::Path;

/// Maximum number of findings shown to an agent at once.
const MAX_FINDINGS: usize = 10;
/// Files of Git and aidd's own data, which agents do not edit.
const IGNORED_PATHS: [&str; 2] = [".git/", ".aidd/data."];

/// The engine and baseline of a project.
pub(super) struct EditChecker {
    project: Project,
    engine: Engine,
    globs: Globs,
}

/// The results of checking a file before and after an edit.
struct Compared {
    /// `None` for a new file.
    before: Option<Outcome>,
    after: Outcome,
}

/// A finding in the form shown to an agent.
#[derive(Debug)]
pub(super) struct EditFinding {
    path: String,
    line: u32,
    column: u32,
    severity: Severity,
    rule: String,
    message: String,
    help: Option<String>,
    /// Whether a file that the agent writes later can fix the finding.
    depends_on_other_files: bool,
}

impl EditFinding {
    /// Whether the edit must be refused: because of a secret, or an error in the text itself. A
    /// missing test file or link target is not a reason: the agent can write that file next, but
    /// only if the first edit is not refused.
    pub(super) fn must_be_refused(&self) -> bool {
        let is_secret = self.rule.starts_with("secrets/") && self.severity > Severity::Info;
        self.severity == Severity::Error && !self.depends_on_other_files || is_secret
    }
}

/// Whether the findings of a check depend on other files.
fn reads_other_files(check: &CheckHeader) -> bool {
    let has_tree_check = check.tree.as_ref().is_some_and(|tree| {
        !tree.exists.is_empty()
            || !tree.absent.is_empty()
            || tree.unique.is_some()
            || tree.count.is_some()
    });
    let reads_values = |data: &DataHeader| data.resolves.is_some() || data.same.is_some();
    has_tree_check
        || check.data.as_ref().is_some_and(|data| reads_values(data))
        || check
            .doc
            .as_ref()
            .is_some_and(|doc| !doc.links.is_empty() || doc.front.iter().any(reads_values))
}

impl EditChecker {
    /// Loads the rules of the project at `root`.
    ///
    /// # Errors
    /// Fails when the configuration is invalid.
    pub(super) fn open(distribution: &'static Distribution, root: &Path) -> Result<Self> {
        let project = Project::open(distribution, root, None)?;
        let engine = project.engine(&Selection::default())?;
        let (include, exclude) = (&project.config.include, &project.config.exclude);
        let globs = Globs::new(
            include.as_deref().unwrap_or_default(),
            exclude.as_deref().unwrap_or_default(),
        )
        .map_err(|why| anyhow!("`include` or `exclude`: {why}"))?;
        Ok(Self { project, engine, globs })
    }

    /// The findings that an edit would add.
    ///
    /// # Errors
    /// Fails when the file or the baseline cannot be read.
    pub(super) fn check_proposed(&self, proposal: &Proposal) -> Result<Vec<EditFinding>> {
        let Some(path) = self.checked_path(&proposal.path) else { return Ok(Vec::new()) };
        let before = match &proposal.from {
            Some(from) => {
                self.checked_path(from).map(|from| self.read(&from)).transpose()?.flatten()
            }
            None => self.read(&path)?,
        };
        let text = before.as_ref().map(|bytes| Source::decode(&*path, bytes.clone()));
        let after = proposal.change.apply(text.as_ref().map(Source::text));
        if !after.is_complete {
            let source = Source::new(&*path, &after.text);
            let checked = self.engine.check_secrets(&source, &Memory::default());
            let new = checked.findings.iter().filter(|finding| finding.status == Status::New);
            return Ok(new.map(|finding| self.to_edit_finding(&source, finding)).collect());
        }
        Ok(self.added(&self.compare(&path, before, after.text.into_bytes())?))
    }

    /// The findings that an edit has added, and its figures; `None` if the file is not checked.
    ///
    /// # Errors
    /// Fails when the file or the baseline cannot be read.
    pub(super) fn check_completed(
        &self,
        proposal: &Proposal,
        original: Option<&str>,
    ) -> Result<Option<(Vec<EditFinding>, Edit)>> {
        let Some(path) = self.checked_path(&proposal.path) else { return Ok(None) };
        let Some(after) = self.read(&path)? else { return Ok(None) };
        let text = Source::decode(&*path, after.clone());
        let before = match (original, &proposal.change) {
            (Some(original), _) => Some(original.as_bytes().to_vec()),
            (None, Change::Edits(_)) => proposal.change.revert(text.text()).map(String::into_bytes),
            (None, Change::Whole(_) | Change::Unknown) => None,
        };
        let committed = || {
            let from = proposal.from.as_ref().and_then(|from| self.checked_path(from));
            self.committed_bytes(from.as_ref().unwrap_or(&path))
        };
        let before = before.or_else(committed);
        let compared = self.compare(&path, before.clone(), after.clone())?;
        let findings = |outcome: &Outcome| -> Vec<Finding> {
            outcome.files.iter().flat_map(|file| file.checked.findings.clone()).collect()
        };
        let old = compared.before.as_ref().map(findings).unwrap_or_default();
        let new = findings(&compared.after);
        let old = before.as_deref().map(|text| State { text, findings: &old });
        let figures = figures::compute(&path, old, State { text: &after, findings: &new });
        Ok(Some((self.added(&compared), figures)))
    }

    /// Checks two states of a file.
    fn compare(&self, path: &str, before: Option<Vec<u8>>, after: Vec<u8>) -> Result<Compared> {
        let check = |text| -> Result<Outcome> {
            let mut outcome = check_text(&self.project, &self.engine, path.to_owned(), text);
            baseline::apply((None, false), &self.project, &[], &mut outcome, false)?;
            Ok(outcome)
        };
        Ok(Compared { before: before.map(check).transpose()?, after: check(after)? })
    }

    /// The findings that are not in the earlier state.
    fn added(&self, compared: &Compared) -> Vec<EditFinding> {
        let before = compared.before.iter().flat_map(|outcome| &outcome.files);
        let known_ids: HashSet<&str> = before
            .flat_map(|file| &file.checked.findings)
            .map(|finding| finding.id.as_str())
            .collect();
        let mut added = Vec::new();
        for file in &compared.after.files {
            let findings = file.checked.findings.iter();
            let findings = findings.filter(|finding| {
                finding.status == Status::New && !known_ids.contains(finding.id.as_str())
            });
            added.extend(findings.map(|finding| self.to_edit_finding(&file.source, finding)));
        }
        added
    }

    /// The path relative to the root; `None` if the file is not checked.
    fn checked_path(&self, path_in_input: &str) -> Option<String> {
        let path = self.project.disk.to_relative(path_in_input)?;
        let is_ignored = IGNORED_PATHS.iter().any(|ignored| path.starts_with(ignored));
        let is_selected = !path.is_empty() && !is_ignored && self.globs.matches(&path);
        (is_selected && walk::covers(&self.project.disk, &path)).then_some(path)
    }

    fn read(&self, path: &str) -> Result<Option<Vec<u8>>> {
        // Large files are checked for secrets only, as in `aidd check`.
        match self.project.disk.read(path, u64::from(u32::MAX)) {
            Ok(bytes) => Ok(Some(bytes)),
            Err(error) if error.kind() == io::ErrorKind::NotFound => Ok(None),
            Err(error) => Err(anyhow!("{path}: {error}")),
        }
    }

    fn to_edit_finding(&self, source: &Source, finding: &Finding) -> EditFinding {
        let position = source.position(finding.span.start, Encoding::CodePoints);
        let rule = self.engine.registry().get(&finding.rule);
        EditFinding {
            path: source.path().to_owned(),
            line: position.line + 1,
            column: position.column + 1,
            severity: finding.severity,
            rule: finding.rule.to_string(),
            message: finding.message.clone(),
            help: finding.help.clone(),
            depends_on_other_files: rule
                .and_then(|rule| rule.check.as_ref())
                .is_some_and(reads_other_files),
        }
    }

    /// The file in the last commit.
    fn committed_bytes(&self, path: &str) -> Option<Vec<u8>> {
        let repository = Repository::open(self.project.root()).ok()?;
        let head = repository.snapshot(&repository.commit("HEAD").ok()?).ok()?;
        let path = format!("{}{path}", repository.prefix());
        head.read(&path, u64::from(u32::MAX)).ok()
    }
}

/// Formats findings for an agent below `heading`, most severe first; `None` without findings.
pub(super) fn render(heading: &str, findings: &[EditFinding]) -> Option<String> {
    if findings.is_empty() {
        return None;
    }
    let mut sorted: Vec<&EditFinding> = findings.iter().collect();
    sorted.sort_by_key(|finding| Reverse(finding.severity));
    let mut text = format!("{heading} {}:", number(findings.len(), "finding"));
    for finding in sorted.iter().take(MAX_FINDINGS) {
        let help = finding.help.as_ref().map(|help| format!(". {help}")).unwrap_or_default();
        let line = format!(
            "\n{}:{}:{} {} {}: {}{help}",
            finding.path,
            finding.line,
            finding.column,
            finding.severity,
            finding.rule,
            finding.message
        );
        text.push('\n');
        text.push_str(one_line(line.trim_start()).trim_end());
    }
    if findings.len() > MAX_FINDINGS {
        text.push_str(&format!("\n… and {} more", findings.len() - MAX_FINDINGS));
    }
    text.push_str("\n`aidd explain RULE` explains a rule.");
    Some(text)
}
