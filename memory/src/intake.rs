//! Imports memories that were created elsewhere. Each memory retains its id and is imported only
//! once. What an import adds is a batch that can be taken back: see [`super::batches`].

mod order;

use super::MemoryError;
use super::batches::{Batch, OtherBatches, digest_of_document, digest_of_entry};
use super::foreign::{DRAFT, Format, ImportedDocument, ImportedFile, ImportedParts, SkippedItem};
use super::log::{self, Op, Revision};
use super::privacy::Clean;
use super::project::ProjectMemory;
use super::project_map::MapEntry;
use super::records::BranchContext;
use super::store::{Durability, Table};
use super::types::{Entry, Layer, Link};
use super::work_list::WorkEntry;
use order::parents_first;
use serde::Serialize;
use std::collections::{BTreeMap, BTreeSet, HashSet};
use std::hash::{DefaultHasher, Hash, Hasher};

/// Numbers of new items, by the place to which they go and by their type.
pub type TargetCounts = BTreeMap<&'static str, BTreeMap<String, usize>>;

/// Result of an import, or of a dry run.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct ImportSummary {
    /// Ids of memories that are new or have a new line, and of new sessions, entries of the work list
    /// and names of themes and flows.
    pub new: Vec<String>,
    /// Number of lines and memories that already existed.
    pub known: usize,
    /// Number of new lines and memories from which private text or a secret was removed.
    pub redacted: usize,
    /// What is new, by place and type.
    pub targets: TargetCounts,
    /// Id of the batch, with which the import can be taken back.
    pub batch: Option<String>,
}

impl ImportSummary {
    /// Adds the result of the next part of a file.
    fn add(&mut self, part: Self) {
        self.new.extend(part.new);
        self.known += part.known;
        self.redacted += part.redacted;
        for (target, counts) in part.targets {
            counts.into_iter().for_each(|(name, count)| self.count(target, &name, count));
        }
    }

    fn count(&mut self, target: &'static str, name: &str, count: usize) {
        if count > 0 {
            *self.targets.entry(target).or_default().entry(name.to_owned()).or_default() += count;
        }
    }
}

/// An import, which reads a file in parts.
#[derive(Debug)]
struct ImportInParts {
    batch: Batch,
    others: Option<OtherBatches>,
    /// The revisions that earlier imports added.
    imported: BTreeSet<String>,
    /// The new hashes of lines that the gate changed, by their hashes in the file.
    new_revs: BTreeMap<String, String>,
    /// Hashes of the lines of earlier parts, and of the ids of their memories.
    seen: HashSet<u64>,
    summary: ImportSummary,
}

impl ImportInParts {
    /// Whether an earlier part contained a line or a memory.
    fn has_seen(&self, text: &str) -> bool {
        self.seen.contains(&hash(text))
    }
}

fn hash(text: &str) -> u64 {
    let mut hasher = DefaultHasher::new();
    text.hash(&mut hasher);
    hasher.finish()
}

/// What a part of an import adds, as it will be written.
#[derive(Clone, Debug, Default)]
struct Plan {
    revisions: Vec<Clean<Revision>>,
    /// The lines that the tracked files contain of the memories of these revisions, by id.
    known_lines: BTreeMap<String, Vec<Revision>>,
    new_revs: BTreeMap<String, String>,
    entries: Vec<Entry>,
    links: BTreeMap<String, Vec<Link>>,
    documents: Vec<ImportedDocument>,
    branches: Vec<BranchContext>,
    work: Vec<WorkEntry>,
    map: Vec<MapEntry>,
    summary: ImportSummary,
}

impl Plan {
    fn add_to_batch(&self, batch: &mut Batch) {
        for revision in &self.revisions {
            batch.add_line(revision);
        }
        let entries = self.entries.iter();
        batch.entries.extend(entries.map(|entry| (entry.id.clone(), digest_of_entry(entry))));
        for document in &self.documents {
            let key = (document.table.name().to_owned(), document.id.clone());
            batch.documents.push((key.0, key.1, digest_of_document(&document.value)));
        }
        for context in &self.branches {
            let digest = serde_json::to_value(context).map(|value| digest_of_document(&value));
            batch.branches.insert(context.branch.clone(), digest.unwrap_or_default());
        }
        for work in &self.work {
            let digest = serde_json::to_value(work).map(|value| digest_of_document(&value));
            batch.work.insert(work.id.clone(), digest.unwrap_or_default());
        }
        for entry in &self.map {
            let digest = serde_json::to_value(entry).map(|value| digest_of_document(&value));
            batch.map.insert(entry.id(), digest.unwrap_or_default());
        }
    }
}

impl ProjectMemory {
    /// Imports the contents of a file, which `source` names. Existing memories are not changed,
    /// unless an earlier import added them and nobody changed them since; with `dry_run`, nothing
    /// is written.
    ///
    /// # Errors
    /// When a revision has a type without a tracked file, or a file cannot be written.
    pub fn import_file(
        &mut self,
        file: &ImportedFile,
        source: &str,
        dry_run: bool,
    ) -> Result<ImportSummary, MemoryError> {
        let mut import = self.begin_import(source, file.format)?;
        self.import_part(file, &mut import, dry_run)?;
        Ok(import.summary)
    }

    /// Imports the contents of a path part by part: see [`Self::import_file`]. Also returns the
    /// skipped items. An import that is interrupted can be taken back.
    ///
    /// # Errors
    /// Those of [`Self::import_file`], and when the path cannot be read.
    pub fn import_parts(
        &mut self,
        mut parts: ImportedParts,
        source: &str,
        dry_run: bool,
    ) -> Result<(ImportSummary, Vec<SkippedItem>), MemoryError> {
        let mut import = self.begin_import(source, parts.format)?;
        let mut skipped = Vec::new();
        while let Some(part) = parts.next_part()? {
            self.import_part(&part, &mut import, dry_run)?;
            skipped.extend(part.skipped);
        }
        Ok((import.summary, skipped))
    }

    fn begin_import(&mut self, source: &str, format: Format) -> Result<ImportInParts, MemoryError> {
        let at = self.now();
        let batch = Batch::new(self.new_id("import", at, source), at, source, format);
        Ok(ImportInParts {
            batch,
            others: None,
            imported: self.imported_revs()?,
            new_revs: BTreeMap::new(),
            seen: HashSet::new(),
            summary: ImportSummary::default(),
        })
    }

    fn import_part(
        &mut self,
        file: &ImportedFile,
        import: &mut ImportInParts,
        dry_run: bool,
    ) -> Result<(), MemoryError> {
        self.refuse_unwritable()?;
        let lock = self.journal.lock()?;
        let mut plan = self.run_with_repair(&mut |memory| {
            memory.refresh_locked()?;
            memory.plan(file, import)
        })?;
        import.new_revs.append(&mut plan.new_revs);
        import
            .seen
            .extend(plan.revisions.iter().flat_map(|line| [hash(&line.rev), hash(&line.id)]));
        let summary = std::mem::take(&mut plan.summary);
        let has_new = !plan.revisions.is_empty() || !summary.new.is_empty();
        import.summary.add(summary);
        if dry_run || !has_new {
            return Ok(());
        }
        plan.add_to_batch(&mut import.batch);
        for (id, lines) in std::mem::take(&mut plan.known_lines) {
            import.batch.add_earlier_lines(&id, &lines);
        }
        let mut by_file: BTreeMap<&'static str, Vec<Clean<Revision>>> = BTreeMap::new();
        for line in std::mem::take(&mut plan.revisions) {
            let file = tracked_file(&line)?;
            by_file.entry(file).or_default().push(line);
        }
        // Saved first, so that an import that is interrupted can be taken back.
        self.save_batch(&mut import.batch, &mut import.others)?;
        import.summary.batch = Some(import.batch.id.clone());
        for (file, lines) in by_file {
            self.add_lines(file, lines)?;
        }
        drop(lock);
        self.write_plan(&plan)
    }

    /// Imports revisions of permanent memories, and memories of this checkout: see
    /// [`Self::import_file`].
    ///
    /// # Errors
    /// Those of [`Self::import_file`].
    pub fn import_entries(
        &mut self,
        revisions: &[Revision],
        entries: &[Entry],
        dry_run: bool,
    ) -> Result<ImportSummary, MemoryError> {
        let file = ImportedFile::from_memories(revisions.to_vec(), entries.to_vec());
        self.import_file(&file, "", dry_run)
    }

    /// Writes everything of a plan except the lines of the tracked files.
    fn write_plan(&mut self, plan: &Plan) -> Result<(), MemoryError> {
        self.write(Durability::Full, &mut |store, gate| {
            for entry in &plan.entries {
                store.put_entry(&gate.clean(entry)?)?;
            }
            for (from, links) in &plan.links {
                store.put_links(from, &gate.clean(links)?)?;
            }
            for ImportedDocument { table, id, at, value } in &plan.documents {
                store.put_document(*table, id, *at, &gate.clean(value)?)?;
            }
            Ok(())
        })?;
        for context in &plan.branches {
            let text = serde_json::to_string_pretty(context)?;
            self.journal.write_branch(&context.branch, &(text + "\n"))?;
        }
        self.append_lines(&self.work_path(), &plan.work)?;
        self.append_lines(&self.map_path(), &plan.map)
    }

    /// Appends a line for each item to a tracked file.
    fn append_lines(&self, path: &str, items: &[impl Serialize]) -> Result<(), MemoryError> {
        if items.is_empty() {
            return Ok(());
        }
        let lines: Result<String, serde_json::Error> =
            items.iter().map(|item| Ok(serde_json::to_string(item)? + "\n")).collect();
        let _lock = self.journal.lock()?;
        self.journal.append(path, &lines?)?;
        Ok(())
    }

    /// Determines what is new in a file. The caller holds the lock of the tracked files.
    fn plan(&mut self, file: &ImportedFile, import: &ImportInParts) -> Result<Plan, MemoryError> {
        let now = import.batch.at;
        let mut plan = Plan::default();
        self.plan_lines(file, import, &mut plan)?;
        count_lines(&plan.revisions, import, &mut plan.summary);
        let mut seen = BTreeSet::new();
        for entry in &file.entries {
            if self.store().entry(&entry.id)?.is_some() || !seen.insert(&entry.id) {
                plan.summary.known += 1;
                continue;
            }
            let mut clean = self.gate.clean(entry)?.into_inner();
            plan.summary.redacted += usize::from(clean != *entry);
            if clean.created_at == 0 {
                // The other program does not record times.
                (clean.created_at, clean.updated_at) = (now, now);
            }
            let target = match clean.layer {
                Layer::Session => "sessions",
                _ if clean.metadata.contains_key(DRAFT) => "drafts",
                _ => "checkout",
            };
            plan.summary.count(target, clean.kind.word(), 1);
            plan.summary.new.push(clean.id.clone());
            plan.entries.push(clean);
        }
        let new: BTreeSet<&str> = plan.entries.iter().map(|entry| &*entry.id).collect();
        for link in file.links.iter().filter(|link| new.contains(&*link.from)) {
            let link = self.gate.clean(link)?.into_inner();
            plan.links.entry(link.from.clone()).or_default().push(link);
        }
        let links = plan.links.values().map(Vec::len).sum();
        plan.summary.count("checkout", "link", links);
        self.plan_documents(file, &mut plan)?;
        self.plan_work(file, &mut plan)?;
        self.plan_map(file, &mut plan)?;
        Ok(plan)
    }

    fn plan_documents(&mut self, file: &ImportedFile, plan: &mut Plan) -> Result<(), MemoryError> {
        for document in &file.documents {
            if self.store().document(document.table, &document.id)?.is_some() {
                plan.summary.known += 1;
                continue;
            }
            let value = self.gate.clean(&document.value)?.into_inner();
            plan.summary.redacted += usize::from(value != document.value);
            let name = if document.table == Table::Sessions { "session" } else { "lifecycle" };
            plan.summary.count("sessions", name, 1);
            plan.summary.new.push(document.id.clone());
            plan.documents.push(ImportedDocument { value, ..document.clone() });
        }
        for context in &file.branches {
            let exists = self.journal.branch(&context.branch)?.is_some()
                || self.journal.archived_branch(&context.branch)?.is_some();
            if exists {
                plan.summary.known += 1;
                continue;
            }
            let clean = self.gate.clean(context)?.into_inner();
            plan.summary.redacted += usize::from(clean != *context);
            plan.summary.count("sessions", "branch state", 1);
            plan.summary.new.push(format!("branch {}", context.branch));
            plan.branches.push(clean);
        }
        Ok(())
    }

    fn plan_work(&mut self, file: &ImportedFile, plan: &mut Plan) -> Result<(), MemoryError> {
        if file.work.is_empty() {
            return Ok(());
        }
        let list = self.work()?;
        for work in &file.work {
            if list.get(&work.id).is_some() {
                plan.summary.known += 1;
                continue;
            }
            let clean = self.gate.clean(work)?.into_inner();
            plan.summary.redacted += usize::from(clean != *work);
            plan.summary.count("work", work.level.word(), 1);
            plan.summary.new.push(clean.id.clone());
            plan.work.push(clean);
        }
        Ok(())
    }

    fn plan_map(&mut self, file: &ImportedFile, plan: &mut Plan) -> Result<(), MemoryError> {
        if file.map.is_empty() {
            return Ok(());
        }
        let map = self.project_map()?;
        for entry in &file.map {
            let clean = self.gate.clean(entry)?.into_inner();
            if map.has_line(clean.kind, &clean.name) {
                plan.summary.known += 1;
                continue;
            }
            plan.summary.redacted += usize::from(clean != *entry);
            plan.summary.count("map", clean.kind.word(), 1);
            plan.summary.new.push(clean.id());
            plan.map.push(clean);
        }
        Ok(())
    }

    /// Plans the lines that the tracked files do not contain, in the form in which they will be
    /// written. When the gate changes a line, the hash of the line changes, and the references of
    /// later lines are updated.
    fn plan_lines(
        &mut self,
        file: &ImportedFile,
        import: &ImportInParts,
        plan: &mut Plan,
    ) -> Result<(), MemoryError> {
        let (mut lines, mut memories) = (BTreeSet::new(), BTreeSet::new());
        for (old_rev, revision) in parents_first(&file.revisions) {
            let mut revision = revision.clone();
            for parent in &mut revision.parents {
                let new = plan.new_revs.get(parent).or_else(|| import.new_revs.get(parent));
                if let Some(rev) = new {
                    parent.clone_from(rev);
                }
            }
            let clean = self.gate.clean(&revision)?;
            let is_redacted = *clean != revision;
            let mut clean = clean.with_rev();
            let existing = match self.store().has_lines(&clean.id)? {
                true => super::mirror::present_lines(self.store(), &clean.id)?,
                false => Vec::new(),
            };
            let mut is_known = existing.iter().any(|line| line.rev == clean.rev)
                || (file.adds_only_new && !existing.is_empty());
            if !is_known && clean.parents.is_empty() && clean.op == Op::Put {
                (clean, is_known) = follow_earlier_import(clean, &existing, &import.imported);
            }
            if clean.rev != old_rev {
                plan.new_revs.insert(old_rev, clean.rev.clone());
            }
            if is_known || import.has_seen(&clean.rev) || !lines.insert(clean.rev.clone()) {
                plan.summary.known += 1;
                continue;
            }
            plan.summary.redacted += usize::from(is_redacted);
            if memories.insert(clean.id.clone()) && !import.has_seen(&clean.id) {
                plan.summary.new.push(clean.id.clone());
            }
            if !existing.is_empty() {
                plan.known_lines.insert(clean.id.clone(), existing);
            }
            plan.revisions.push(clean);
        }
        Ok(())
    }
}

/// The name of the tracked file of a line.
pub(super) fn tracked_file(line: &Revision) -> Result<&'static str, MemoryError> {
    line.kind.file().ok_or_else(|| {
        let kind = line.kind.with_article();
        MemoryError::Invalid(format!("{kind} is not stored in a tracked file"))
    })
}

/// Lets a first revision replace the revision that an earlier import added for the same memory,
/// because the memory was changed in the other program since. Returns the revision, and whether the
/// earlier revision is equal. Memories that were changed in this project are left alone.
fn follow_earlier_import(
    revision: Clean<Revision>,
    existing: &[Revision],
    imported: &BTreeSet<String>,
) -> (Clean<Revision>, bool) {
    let tips = log::tips(existing);
    let [tip] = &tips[..] else { return (revision, false) };
    let Some(last) = existing.iter().find(|line| line.rev == *tip) else {
        return (revision, false);
    };
    if !existing.iter().all(|line| imported.contains(&line.rev)) {
        return (revision, false);
    }
    let following = revision.clone().following(last.parents.clone(), last.created_at);
    if last.op == Op::Put && following.rev == last.rev {
        return (following, true);
    }
    let first = existing.iter().map(|line| line.created_at.unwrap_or(line.at)).min();
    (revision.following(tips, first), false)
}

/// Counts the new memories, links and removals in the tracked files.
fn count_lines(revisions: &[Clean<Revision>], import: &ImportInParts, summary: &mut ImportSummary) {
    let mut last: BTreeMap<&str, &Clean<Revision>> = BTreeMap::new();
    for revision in revisions {
        match revision.op {
            Op::Put => _ = last.insert(&revision.id, revision),
            Op::Remove => summary.count("tracked", "removal", 1),
            Op::Seen => {}
        }
    }
    for revision in last.values() {
        let is_new = !import.has_seen(&revision.id);
        summary.count("tracked", revision.kind.word(), usize::from(is_new));
        summary.count("tracked", "link", revision.links.len());
    }
}
