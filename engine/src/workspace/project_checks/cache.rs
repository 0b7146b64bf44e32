//! The project pass, updated incrementally: findings stay until something changes that they depend
//! on, and only the affected checks run again.
//!
//! The findings of a rule of this pass depend on five inputs: the listing; its requests for single
//! files ([`FileRequests`]: manifests, conditions); the sizes of the files that it counts; the import
//! graph; and the text of the file that a finding is in. Each input is compared with its previous
//! state, and an unchanged input causes no further work.

use super::file_requests::{FileRequests, RecordingFiles};
use super::{Input, ProjectFinding, Rule, one, place, rules, settings, text_of, to_checked};
use crate::check::{Checked, Engine};
use crate::forms::layers::Imports;
use crate::forms::project_form::{SizeCache, Sizes};
use crate::forms::tree::TreeCheck;
use crate::project::imports::{self, Difference};
use crate::text::files::{Files, Listed};
use crate::text::listing::Listing;
use crate::text::paths::Globs;
use crate::text::source::Source;
use aidd_page::{CheckHeader, Form};
use std::collections::{BTreeMap, BTreeSet};
use std::mem::{replace, take};
use std::sync::Arc;

/// The results for each path; the source of a finding on a whole file is empty.
pub type CheckedFiles = BTreeMap<String, Arc<Vec<(Source, Checked)>>>;

/// The findings of a project, and the inputs they depend on.
#[derive(Debug)]
pub struct ProjectPassCache {
    listing: Listing,
    asked: FileRequests,
    numbers: SizeCache,
    imports: Option<imports::CachedGraph>,
    /// The findings of each rule, in rule order.
    found: Vec<Vec<ProjectFinding>>,
    settled: Arc<CheckedFiles>,
    /// How many times rules were run.
    runs: u64,
}

/// The possible changes since the last update.
#[derive(Debug, Default)]
pub struct Changes {
    /// The new listing, if the files or the branch differ.
    pub listing: Option<Listing>,
    /// Files whose text may differ; added and deleted files are optional.
    pub files: BTreeSet<String>,
    /// Directories with different entries, listed or not.
    pub folders: BTreeSet<String>,
}

/// A rule with its check.
type Check<'a> = (&'a Rule, &'a CheckHeader);

impl ProjectPassCache {
    /// Checks the project of the files in `listing`. `globs` are those of the configuration.
    #[must_use]
    pub fn new(engine: &Engine, globs: &Globs, files: &dyn Files, listing: Listing) -> Self {
        let mut joins = Self {
            listing,
            asked: FileRequests::default(),
            numbers: SizeCache::default(),
            imports: None,
            found: Vec::new(),
            settled: Arc::default(),
            runs: 0,
        };
        if asks_imports(engine) {
            let _ = imports::gather(files, &joins.listing, engine.memo());
        }
        joins.find_all(engine, globs, files);
        let found = joins.found.iter().zip(rules(engine));
        let all = found.flat_map(|(found, (rule, _))| found.iter().map(|one| place(rule, one)));
        let at = all.collect();
        joins.recompute(engine, files, &at);
        joins
    }

    /// The current listing.
    #[must_use]
    pub fn listing(&self) -> &Listing {
        &self.listing
    }

    /// The current results.
    #[must_use]
    pub fn checked_files(&self) -> Arc<CheckedFiles> {
        self.settled.clone()
    }

    /// A counter that changes whenever rules ran again and may have requested other files.
    #[must_use]
    pub fn runs(&self) -> u64 {
        self.runs
    }

    /// The requested files whose changes neither the listing nor the modification time of a walked
    /// directory reveal: they must be in [`Changes::files`] on each update.
    #[must_use]
    pub fn unobservable(&self, is_walked: &dyn Fn(&str) -> bool) -> Vec<String> {
        let mut apart = self.asked.unobservable(&self.listing, is_walked);
        apart.extend(self.numbers.paths(&|path| !self.listing.has_file(path)));
        apart
    }

    /// Applies the changes; returns the paths whose findings differ.
    pub fn update(
        &mut self,
        engine: &Engine,
        globs: &Globs,
        files: &dyn Files,
        news: Changes,
    ) -> BTreeSet<String> {
        let Changes { listing, files: mut changed, folders } = news;
        let is_relisted = listing.is_some();
        if let Some(listing) = listing {
            changed.extend(difference(self.listing.files(), listing.files()));
            self.listing = listing;
        }
        let mut due = self.update_counts(engine, files, &changed);
        let again = if asks_imports(engine) {
            self.update_imports(engine, files, &changed)
        } else {
            Vec::new()
        };
        let asked = self.asked.among(changed.iter(), folders.iter());
        let is_recomputed = asked.iter().any(|path| !self.asked.is_unchanged(path, files));
        let all = match self.update_graph(engine, &again) {
            Some(rules) if !is_relisted && !is_recomputed => {
                due.extend(rules);
                false
            }
            _ => true,
        };
        let before = if all {
            self.listing = self.listing.without_answers();
            let before = take(&mut self.found);
            self.find_all(engine, globs, files);
            before
        } else {
            self.find(engine, globs, files, &due)
        };
        let mut at = BTreeSet::new();
        for (rule, (old, (rule_of, _))) in before.iter().zip(rules(engine)).enumerate() {
            let new = self.found.get(rule).filter(|_| all || due.contains(&rule));
            at.extend(new.into_iter().flat_map(|new| differing(rule_of, old, new)));
        }
        let is_covered = |path: &String| self.settled.contains_key(path);
        at.extend(changed.into_iter().filter(is_covered));
        if all {
            // Rules with conditions also determine whether the lines of a finding may be displayed.
            let in_text = |all: &Arc<Vec<(Source, Checked)>>| {
                all.iter().any(|(source, _)| !source.text().is_empty())
            };
            let texts = self.settled.iter().filter(|(_, all)| in_text(all));
            at.extend(texts.map(|(path, _)| path.clone()));
        }
        self.recompute(engine, files, &at)
    }

    /// Updates the counts of the changed files; returns the rules whose findings can differ.
    fn update_counts(
        &self,
        engine: &Engine,
        files: &dyn Files,
        changed: &BTreeSet<String>,
    ) -> BTreeSet<usize> {
        let counts = |path: &String| {
            let (before, after) = self.numbers.refresh(path, files)?;
            if !self.listing.has_file(path) && !files.exists(path) {
                self.numbers.forget(path);
            }
            (before != after).then_some((before, after))
        };
        let numbers: Vec<_> = changed.iter().filter_map(counts).collect();
        if numbers.is_empty() {
            return BTreeSet::new();
        }
        let distinguishes = |(_, (rule, check)): &(usize, Check<'_>)| {
            // The limits in the page of a rule do not apply everywhere if overrides set others.
            let differs = |tree, (before, after): &(_, _)| {
                engine.variants().varies(&rule.id) || TreeCheck::can_differ(tree, *before, *after)
            };
            let tree = check.tree.as_deref();
            tree.is_some_and(|tree| numbers.iter().any(|pair| differs(tree, pair)))
        };
        rules(engine).enumerate().filter(distinguishes).map(|(at, _)| at).collect()
    }

    /// Reads the imports of the changed files.
    fn update_imports(
        &self,
        engine: &Engine,
        files: &dyn Files,
        changed: &BTreeSet<String>,
    ) -> Vec<imports::ChangedFacts> {
        let is_known = |path: &&str| self.listing.has_file(path) || engine.memo().contains(path);
        let paths: Vec<&str> = changed.iter().map(String::as_str).filter(is_known).collect();
        engine.memo().refresh(files, &paths)
    }

    /// Updates the import graph for the files whose imports differ; returns the affected rules.
    /// `None`: all rules that use imports, and the graph has to be rebuilt.
    fn update_graph(
        &mut self,
        engine: &Engine,
        again: &[imports::ChangedFacts],
    ) -> Option<BTreeSet<usize>> {
        let mut due = BTreeSet::new();
        let Some(imports) = self.imports.as_mut().filter(|_| !again.is_empty()) else {
            return Some(due);
        };
        for file in again.iter().filter(|file| self.listing.has_file(&file.path)) {
            let difference = imports.update(&self.listing, file);
            if difference == Difference::All {
                return None;
            }
            let speaks = |at: usize| {
                let here = |one: &ProjectFinding| one.path == file.path;
                self.found.get(at).is_some_and(|found| found.iter().any(here))
            };
            let rules = rules(engine).enumerate().filter(|(_, check)| is_layers(check));
            let rules = rules.map(|(at, _)| at);
            due.extend(rules.filter(|&at| difference == Difference::Targets || speaks(at)));
        }
        Some(due)
    }

    /// Runs all rules, reusing only the cached imports and file sizes.
    fn find_all(&mut self, engine: &Engine, globs: &Globs, files: &dyn Files) {
        self.asked.clear();
        self.imports = asks_imports(engine).then(|| {
            let facts = engine.memo().cached_facts(&self.listing);
            let asking = RecordingFiles { files, asked: &self.asked };
            imports::CachedGraph::new(&asking, &self.listing, &facts)
        });
        self.found = vec![Vec::new(); rules(engine).count()];
        let every = (0..self.found.len()).collect();
        let _ = self.find(engine, globs, files, &every);
    }

    /// Runs the rules with these indexes; returns their previous findings, in the order of all
    /// rules.
    fn find(
        &mut self,
        engine: &Engine,
        globs: &Globs,
        files: &dyn Files,
        due: &BTreeSet<usize>,
    ) -> Vec<Vec<ProjectFinding>> {
        if due.is_empty() {
            return Vec::new();
        }
        self.runs += 1;
        let mut before = vec![Vec::new(); self.found.len()];
        let asking = RecordingFiles { files, asked: &self.asked };
        let listed = &Listed { files: &asking, listing: &self.listing };
        let memo = engine.memo();
        let graph = self.imports.as_ref().map(imports::CachedGraph::graph);
        let imports =
            graph.map_or_else(|| Imports::new(memo), |graph| Imports::from_graph(memo, graph));
        let sizes = Some(Sizes { known: &self.numbers, files });
        let looked = Input { files: listed, imports: &imports, sizes };
        for (at, check) in rules(engine).enumerate().filter(|(at, _)| due.contains(at)) {
            if let (Some(found), Some(before)) = (self.found.get_mut(at), before.get_mut(at)) {
                *before = replace(found, one(engine, check, globs, &looked).found);
            }
        }
        before
    }

    /// Computes the results at these paths; returns the paths whose results differ.
    fn recompute(
        &mut self,
        engine: &Engine,
        files: &dyn Files,
        at: &BTreeSet<String>,
    ) -> BTreeSet<String> {
        if at.is_empty() {
            return BTreeSet::new();
        }
        let mut places = places(engine, &self.found, at);
        let asking = RecordingFiles { files, asked: &self.asked };
        let listed = &Listed { files: &asking, listing: &self.listing };
        let all = Arc::make_mut(&mut self.settled);
        let mut differing = BTreeSet::new();
        for path in at {
            let here = places.remove(path).unwrap_or_default();
            let new = if here.is_empty() {
                Vec::new()
            } else {
                // Reading its own text is not recorded, because the results of a changed file are
                // always recomputed.
                let text = text_of(engine, files, path);
                to_checked(engine, &settings(engine, &self.listing, path), text, here, listed)
            };
            let old = if new.is_empty() {
                all.remove(path)
            } else {
                all.insert(path.clone(), Arc::new(new))
            };
            let said = |all: Option<&Arc<Vec<(Source, Checked)>>>| -> BTreeSet<(String, String)> {
                let checked = all.into_iter().flat_map(|all| all.iter());
                let findings = checked.flat_map(|(_, checked)| &checked.findings);
                findings.map(|one| (one.id.clone(), one.message.clone())).collect()
            };
            if said(old.as_ref()) != said(all.get(path)) {
                differing.insert(path.clone());
            }
        }
        differing
    }
}

fn is_layers((_, check): &Check<'_>) -> bool {
    check.form() == Some(Form::Layers)
}

fn asks_imports(engine: &Engine) -> bool {
    rules(engine).any(|check| is_layers(&check))
}

/// The findings of all rules at these paths; those at one path are in rule order.
fn places<'a>(
    engine: &'a Engine,
    found: &[Vec<ProjectFinding>],
    at: &BTreeSet<String>,
) -> BTreeMap<String, Vec<(&'a Rule, ProjectFinding)>> {
    let mut places: BTreeMap<String, Vec<(&Rule, ProjectFinding)>> = BTreeMap::new();
    for ((rule, _), found) in rules(engine).zip(found) {
        for one in found {
            let path = place(rule, one);
            if at.contains(&path) {
                places.entry(path).or_default().push((rule, one.clone()));
            }
        }
    }
    places
}

/// The paths at which the findings of a rule differ.
fn differing(rule: &Rule, before: &[ProjectFinding], after: &[ProjectFinding]) -> BTreeSet<String> {
    let (before, after) = (by_path(rule, before), by_path(rule, after));
    let paths = before.keys().chain(after.keys());
    paths.filter(|path| before.get(*path) != after.get(*path)).cloned().collect()
}

fn by_path<'a>(
    rule: &Rule,
    found: &'a [ProjectFinding],
) -> BTreeMap<String, Vec<&'a ProjectFinding>> {
    let mut places: BTreeMap<String, Vec<&ProjectFinding>> = BTreeMap::new();
    for one in found {
        places.entry(place(rule, one)).or_default().push(one);
    }
    places
}

/// The items that are in only one of two sorted lists.
fn difference(before: &[String], after: &[String]) -> Vec<String> {
    let (mut before, mut after) = (before.iter().peekable(), after.iter().peekable());
    let mut differing = Vec::new();
    loop {
        let order = match (before.peek(), after.peek()) {
            (None, None) => return differing,
            (Some(_), None) => std::cmp::Ordering::Less,
            (None, Some(_)) => std::cmp::Ordering::Greater,
            (Some(one), Some(other)) => one.cmp(other),
        };
        match order {
            std::cmp::Ordering::Less => differing.extend(before.next().cloned()),
            std::cmp::Ordering::Greater => differing.extend(after.next().cloned()),
            std::cmp::Ordering::Equal => {
                let _ = (before.next(), after.next());
            }
        }
    }
}

#[cfg(test)]
mod tests;
