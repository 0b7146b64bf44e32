//! Allow comments that a change adds.

use super::super::Job;
use super::{Difference, entry};
use aidd_engine::check::Engine;
use aidd_engine::project::git::Change;
use aidd_engine::text::files::Files;
use aidd_engine::text::finding::{Finding, Status};
use aidd_engine::text::source::Source;
use aidd_engine::workspace::diff::{CompareResult, hunks};
use aidd_engine::workspace::walk::is_binary;
use aidd_report::{Weakening, WeakeningKind};
use std::collections::HashMap;

/// Prefix of aidd's own allow comments.
const ALLOW_PREFIX: &str = "aidd:allow";

/// An allow comment that the change adds.
struct AddedComment {
    path: String,
    line: Option<u32>,
    message: String,
}

impl Job<'_> {
    /// The allow comments on changed lines that the base does not have.
    pub(super) fn added_comments(
        &self,
        engine: &Engine,
        compared: &CompareResult,
        difference: &Difference<'_>,
    ) -> Vec<Weakening> {
        let mut allowed: HashMap<&str, Vec<Finding>> = HashMap::new();
        for file in &compared.outcome.files {
            let found = file.checked.findings.iter();
            let found = found.filter(|finding| finding.status == Status::Allowed).cloned();
            allowed.entry(file.source.path()).or_default().extend(found);
        }
        let mut added = Vec::new();
        for change in difference.in_scope {
            let Some(path) =
                change.head.as_deref().filter(|path| compared.outcome.visited.contains(*path))
            else {
                continue;
            };
            let findings = allowed.get(path).map(Vec::as_slice).unwrap_or_default();
            added.extend(self.comments_added_to_file(engine, (change, path), findings, difference));
        }
        // A reason can quote secrets of the file.
        let messages = self
            .project
            .distribution()
            .redact_all(added.iter().map(|comment: &AddedComment| comment.message.clone()));
        let entries = added.iter().zip(messages).filter_map(|(comment, message)| {
            entry(WeakeningKind::AllowComment, &comment.path, comment.line, &message)
        });
        entries.collect()
    }

    fn comments_added_to_file(
        &self,
        engine: &Engine,
        (change, path): (&Change, &str),
        findings: &[Finding],
        difference: &Difference<'_>,
    ) -> Vec<AddedComment> {
        let limit = engine.max_file_size();
        let read = |files: &dyn Files, path: &str| {
            let bytes = files.read(path, limit).ok().filter(|bytes| !is_binary(bytes))?;
            Some(Source::decode(path, bytes))
        };
        let head: &dyn Files = if difference.stored { difference.head } else { &self.project.disk };
        let Some(after) = read(head, path) else { return Vec::new() };
        if findings.is_empty() && !after.text().contains(ALLOW_PREFIX) {
            return Vec::new();
        }
        let before = change.base.as_deref().and_then(|path| read(difference.before, path));
        let changed = before.as_ref().map(|before| hunks(before.text(), after.text()));
        let is_changed = |line: usize| {
            changed.as_ref().is_none_or(|hunks| {
                hunks
                    .iter()
                    .any(|hunk| hunk.head.contains(&u32::try_from(line).unwrap_or(u32::MAX)))
            })
        };
        // A moved comment is not an addition: only the increase in equal comments counts.
        let mut additions: HashMap<&str, usize> = HashMap::new();
        let mut comments = Vec::new();
        for comment in engine.allow_comments(&after, findings) {
            let line = after.line_of(comment.span.start);
            let text = after.slice(comment.span);
            if !is_changed(line) {
                continue;
            }
            let remaining = additions.entry(text).or_insert_with(|| {
                let count = |source: &Source| source.text().matches(text).count();
                count(&after).saturating_sub(before.as_ref().map_or(0, count))
            });
            if *remaining == 0 {
                continue;
            }
            *remaining -= 1;
            let reason = comment
                .reason
                .map_or_else(|| "no reason".to_owned(), |reason| format!("reason: \"{reason}\""));
            let message = format!("adds the comment `{text}`; {reason}");
            comments.push(AddedComment {
                path: path.to_owned(),
                line: u32::try_from(line + 1).ok(),
                message,
            });
        }
        comments
    }
}
