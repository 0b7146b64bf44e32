//! The safe fixes of new findings, converted to review suggestions: replacements of whole lines.

use super::Job;
use crate::base;
use crate::github::Suggestion;
use aidd_engine::project::git::{Repository, Snapshot};
use aidd_engine::text::source::Origin;
use aidd_report::{Document, Run, number, wire};
use anyhow::{Context as _, Result};
use std::collections::HashMap;

impl Job<'_> {
    /// The suggestions, if a review is requested. Fixes that cannot be suggested are noted in the
    /// document.
    pub(super) fn suggestions(&self, run: &Run<'_>, document: &mut Document) -> Vec<Suggestion> {
        if !self.args.outputs.review {
            return Vec::new();
        }
        let files = run.files.iter().filter(|file| file.source.origin() == Origin::default());
        let texts: HashMap<&str, &str> =
            files.map(|file| (file.source.path(), file.source.text())).collect();
        let new = document.findings.iter().filter(|finding| finding.status == wire::Status::New);
        let offers = new.filter_map(|finding| {
            let path = finding.path.as_str();
            Some((path, Suggestion::from_finding(finding, texts.get(path)?)?))
        });
        let mut offers: Vec<(&str, Suggestion)> = offers.collect();
        let count = offers.len();
        let note = match self.retain_applicable(&mut offers) {
            Err(error) => {
                offers.clear();
                Some(format!("No fixes were suggested: {}", error.root_cause()))
            }
            Ok(()) if offers.len() < count => {
                let skipped = number(count - offers.len(), "suggestion");
                Some(format!("{skipped} skipped: the target has since changed the same file"))
            }
            Ok(()) => None,
        };
        let offers = offers.into_iter().map(|(_, offer)| offer).collect();
        document.notes.extend(note);
        offers
    }

    /// Removes suggestions that do not apply to the pull request's head. Suggestions refer to lines
    /// of the head; if the merge into the target was checked, the lines can differ, and committing
    /// the suggestion would corrupt the file.
    fn retain_applicable(&self, offers: &mut Vec<(&str, Suggestion)>) -> Result<()> {
        let root = self.project.root();
        let Some(pull) = self.event.pull.as_ref().filter(|_| !offers.is_empty()) else {
            return Ok(());
        };
        let repository = Repository::open(root)?;
        let checked = repository.commit("HEAD")?;
        if checked == pull.head_sha {
            return Ok(());
        }
        base::ensure_commit(
            self.project.distribution(),
            root,
            &pull.head_sha,
            "the head of the pull request",
            &mut |_| (),
        )?;
        // Reopen the repository to see the fetched objects.
        let repository = Repository::open(root)?;
        let (head, checked) =
            (repository.snapshot(&pull.head_sha)?, repository.snapshot(&checked)?);
        let object_at =
            |side: &Snapshot, path: &str| side.object(path).with_context(|| path.to_owned());
        let mut unchanged: HashMap<String, bool> = HashMap::new();
        for (path, _) in offers.iter() {
            unchanged
                .insert((*path).to_owned(), object_at(&head, path)? == object_at(&checked, path)?);
        }
        offers.retain(|(path, _)| unchanged.get(*path).copied().unwrap_or_default());
        Ok(())
    }
}
