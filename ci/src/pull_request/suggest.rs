//! The safe fixes of new findings, converted to review suggestions: replacements of whole lines.
//! Each fix is verified before it is suggested.

use super::Job;
use crate::base;
use crate::github::Suggestion;
use aidd_engine::check::Engine;
use aidd_engine::project::git::{Repository, Snapshot};
use aidd_engine::text::files::Files;
use aidd_engine::text::finding::Finding;
use aidd_engine::text::source::Origin;
use aidd_engine::workspace::fix::{UndoneFix, failing_fixes};
use aidd_report::{Document, Run, number, wire};
use anyhow::{Context as _, Result};
use std::collections::{BTreeMap, BTreeSet, HashMap};

impl Job<'_> {
    /// The suggestions, if a review is requested. Fixes that cannot be suggested are noted in the
    /// document. `engine` checked the files; `head` is the commit that was checked instead of the
    /// checked-out files, if any.
    pub(super) fn suggestions(
        &self,
        engine: &Engine,
        run: &Run<'_>,
        head: Option<&str>,
        document: &mut Document,
    ) -> Vec<Suggestion> {
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
        match self.failing_suggestions(engine, &texts, head, &offers) {
            Err(error) => {
                offers.clear();
                let cause = error.root_cause();
                document.notes.push(format!("No fixes were suggested: {cause}"));
            }
            Ok(failing) => {
                offers.retain(|(_, offer)| !failing.contains_key(&offer.finding));
                document.notes.extend(failing.into_values());
            }
        }
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

    /// The suggestions whose fix does not remove its finding or causes another one: the id of the
    /// finding → a note.
    fn failing_suggestions(
        &self,
        engine: &Engine,
        texts: &HashMap<&str, &str>,
        head: Option<&str>,
        offers: &[(&str, Suggestion)],
    ) -> Result<BTreeMap<String, String>> {
        let mut failing = BTreeMap::new();
        if offers.is_empty() {
            return Ok(failing);
        }
        let snapshot =
            head.map(|head| Repository::open(self.project.root())?.snapshot(head)).transpose()?;
        let files: &dyn Files =
            snapshot.as_ref().map_or(&self.project.disk, |snapshot| snapshot as &dyn Files);
        let mut by_path: BTreeMap<&str, BTreeSet<&str>> = BTreeMap::new();
        for (path, offer) in offers {
            by_path.entry(path).or_default().insert(&offer.finding);
        }
        for (path, ids) in by_path {
            let Some(text) = texts.get(path) else { continue };
            let is_offered = |finding: &Finding| ids.contains(&*finding.id);
            let bytes = text.as_bytes().to_vec();
            for UndoneFix { rule, id, line, reason, .. } in
                failing_fixes(engine, path, bytes, files, &is_offered)
            {
                let note = format!("Fix of {rule} at {path}:{line} not suggested: {reason}");
                failing.insert(id, note);
            }
        }
        Ok(failing)
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
