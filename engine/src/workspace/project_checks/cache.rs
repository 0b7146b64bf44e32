//! Updates the project pass incrementally: findings are retained until an input that they depend on
//! changes, and only the affected checks run again.
//!
//! The findings of a rule of this pass depend on five inputs: the listing; its requests for single
//! files ([`FileRequests`]: manifests, conditions); the sizes of the files that it counts; the
//! import graph; and the text of the file that contains the finding. Each input is compared with
//! its previous state, and an unchanged input causes no further work.

use super::file_requests::{FileRequests, RecordingFiles};
use super::{
    Input, ProjectFinding, Rule, finding_path, rules, run_rule, settings, text_of, to_check_results,
};
use crate::check::{CheckResult, Engine};
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
pub type CheckedFiles = BTreeMap<String, Arc<Vec<(Source, CheckResult)>>>;

/// The findings of a project, and the inputs that the findings depend on.
#[derive(Debug)]
pub struct ProjectPassCache {
    listing: Listing,
    requests: FileRequests,
    sizes: SizeCache,
    imports: Option<imports::CachedGraph>,
    /// The findings of each rule, in rule order.
    found: Vec<Vec<ProjectFinding>>,
    checked: Arc<CheckedFiles>,
    /// The number of times that rules were run.
    runs: u64,
}

/// The possible changes since the last update.
#[derive(Debug, Default)]
pub struct Changes {
    /// The new listing, if the files or the branch differ.
    pub listing: Option<Listing>,
    /// Files whose text can differ; added and deleted files can be omitted.
    pub files: BTreeSet<String>,
    /// Directories with different entries, listed or not.
    pub dirs: BTreeSet<String>,
}

/// A rule with its check.
type Check<'a> = (&'a Rule, &'a CheckHeader);

impl ProjectPassCache {
    /// Checks the project of the files in `listing`. `globs` are the globs of the configuration.
    #[must_use]
    pub fn new(engine: &Engine, globs: &Globs, files: &dyn Files, listing: Listing) -> Self {
        let mut cache = Self {
            listing,
            requests: FileRequests::default(),
            sizes: SizeCache::default(),
            imports: None,
            found: Vec::new(),
            checked: Arc::default(),
            runs: 0,
        };
        if needs_imports(engine) {
            let _ = imports::gather(files, &cache.listing, engine.facts_cache());
        }
        cache.find_all(engine, globs, files);
        let found = cache.found.iter().zip(rules(engine));
        let all = found
            .flat_map(|(found, (rule, _))| found.iter().map(|finding| finding_path(rule, finding)));
        let paths = all.collect();
        cache.recompute(engine, files, &paths);
        cache
    }

    /// The current listing.
    #[must_use]
    pub fn listing(&self) -> &Listing {
        &self.listing
    }

    /// The current results.
    #[must_use]
    pub fn checked_files(&self) -> Arc<CheckedFiles> {
        self.checked.clone()
    }

    /// A counter that changes whenever rules ran again and may have requested other files.
    #[must_use]
    pub fn runs(&self) -> u64 {
        self.runs
    }

    /// The requested files whose changes neither the listing nor the modification time of a walked
    /// directory reveal: the caller must include these files in [`Changes::files`] on each update.
    #[must_use]
    pub fn unobservable(&self, is_walked: &dyn Fn(&str) -> bool) -> Vec<String> {
        let mut unobservable = self.requests.unobservable(&self.listing, is_walked);
        unobservable.extend(self.sizes.paths(&|path| !self.listing.has_file(path)));
        unobservable
    }

    /// Applies the changes; returns the paths whose findings differ.
    pub fn update(
        &mut self,
        engine: &Engine,
        globs: &Globs,
        files: &dyn Files,
        changes: Changes,
    ) -> BTreeSet<String> {
        let Changes { listing, files: mut changed, dirs } = changes;
        let is_relisted = listing.is_some();
        if let Some(listing) = listing {
            changed.extend(difference(self.listing.files(), listing.files()));
            self.listing = listing;
        }
        let mut due_rules = self.update_counts(engine, files, &changed);
        let changed_facts = if needs_imports(engine) {
            self.update_imports(engine, files, &changed)
        } else {
            Vec::new()
        };
        let requests = self.requests.recorded_paths(changed.iter(), dirs.iter());
        let is_recomputed = requests.iter().any(|path| !self.requests.is_unchanged(path, files));
        let reruns_all = match self.update_graph(engine, &changed_facts) {
            Some(rules) if !is_relisted && !is_recomputed => {
                due_rules.extend(rules);
                false
            }
            _ => true,
        };
        let before = if reruns_all {
            self.listing = self.listing.without_answers();
            let before = take(&mut self.found);
            self.find_all(engine, globs, files);
            before
        } else {
            self.find(engine, globs, files, &due_rules)
        };
        let mut paths = BTreeSet::new();
        for (rule, (old, (rule_of, _))) in before.iter().zip(rules(engine)).enumerate() {
            let new = self.found.get(rule).filter(|_| reruns_all || due_rules.contains(&rule));
            paths.extend(new.into_iter().flat_map(|new| differing_paths(rule_of, old, new)));
        }
        let is_covered = |path: &String| self.checked.contains_key(path);
        paths.extend(changed.into_iter().filter(is_covered));
        if reruns_all {
            // Rules with conditions also determine whether the lines of a finding may be displayed.
            let in_text = |all: &Arc<Vec<(Source, CheckResult)>>| {
                all.iter().any(|(source, _)| !source.text().is_empty())
            };
            let texts = self.checked.iter().filter(|(_, all)| in_text(all));
            paths.extend(texts.map(|(path, _)| path.clone()));
        }
        self.recompute(engine, files, &paths)
    }

    /// Updates the counts of the changed files; returns the rules whose findings can differ.
    fn update_counts(
        &self,
        engine: &Engine,
        files: &dyn Files,
        changed: &BTreeSet<String>,
    ) -> BTreeSet<usize> {
        let changed_counts = |path: &String| {
            let (before, after) = self.sizes.refresh(path, files)?;
            if !self.listing.has_file(path) && !files.exists(path) {
                self.sizes.forget(path);
            }
            (before != after).then_some((before, after))
        };
        let changed_sizes: Vec<_> = changed.iter().filter_map(changed_counts).collect();
        if changed_sizes.is_empty() {
            return BTreeSet::new();
        }
        let distinguishes = |(_, (rule, check)): &(usize, Check<'_>)| {
            // The limits in the page of a rule do not apply everywhere if overrides set others.
            let differs = |tree, (before, after): &(_, _)| {
                engine.variants().varies(&rule.id) || TreeCheck::can_differ(tree, *before, *after)
            };
            let tree = check.tree.as_deref();
            tree.is_some_and(|tree| changed_sizes.iter().any(|pair| differs(tree, pair)))
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
        let is_known =
            |path: &&str| self.listing.has_file(path) || engine.facts_cache().contains(path);
        let paths: Vec<&str> = changed.iter().map(String::as_str).filter(is_known).collect();
        engine.facts_cache().refresh(files, &paths)
    }

    /// Updates the import graph for the files whose imports differ; returns the affected rules.
    /// `None` if all rules that use imports are affected and the graph must be rebuilt.
    fn update_graph(
        &mut self,
        engine: &Engine,
        changed_facts: &[imports::ChangedFacts],
    ) -> Option<BTreeSet<usize>> {
        let mut due_rules = BTreeSet::new();
        let Some(imports) = self.imports.as_mut().filter(|_| !changed_facts.is_empty()) else {
            return Some(due_rules);
        };
        for file in changed_facts.iter().filter(|file| self.listing.has_file(&file.path)) {
            let difference = imports.update(&self.listing, file);
            if difference == Difference::All {
                return None;
            }
            let has_findings = |at: usize| {
                let is_in_file = |finding: &ProjectFinding| finding.path == file.path;
                self.found.get(at).is_some_and(|found| found.iter().any(is_in_file))
            };
            let rules = rules(engine).enumerate().filter(|(_, check)| reads_imports(check));
            let rules = rules.map(|(at, _)| at);
            due_rules
                .extend(rules.filter(|&at| difference == Difference::Targets || has_findings(at)));
        }
        Some(due_rules)
    }

    /// Runs all rules, reusing only the cached imports and file sizes.
    fn find_all(&mut self, engine: &Engine, globs: &Globs, files: &dyn Files) {
        self.requests.clear();
        self.imports = needs_imports(engine).then(|| {
            let facts = engine.facts_cache().cached_facts(&self.listing);
            let recording = RecordingFiles { files, requests: &self.requests };
            imports::CachedGraph::new(&recording, &self.listing, &facts)
        });
        self.found = vec![Vec::new(); rules(engine).count()];
        let all_rules = (0..self.found.len()).collect();
        let _ = self.find(engine, globs, files, &all_rules);
    }

    /// Runs the rules with these indexes; returns their previous findings, in the order of all
    /// rules.
    fn find(
        &mut self,
        engine: &Engine,
        globs: &Globs,
        files: &dyn Files,
        due_rules: &BTreeSet<usize>,
    ) -> Vec<Vec<ProjectFinding>> {
        if due_rules.is_empty() {
            return Vec::new();
        }
        self.runs += 1;
        let mut before = vec![Vec::new(); self.found.len()];
        let recording = RecordingFiles { files, requests: &self.requests };
        let listed = &Listed { files: &recording, listing: &self.listing };
        let facts_cache = engine.facts_cache();
        let graph = self.imports.as_ref().map(imports::CachedGraph::graph);
        let imports = graph.map_or_else(
            || Imports::new(facts_cache),
            |graph| Imports::from_graph(facts_cache, graph),
        );
        let sizes = Some(Sizes { known: &self.sizes, files });
        let input = Input {
            files: listed,
            imports: &imports,
            sizes,
            guides: engine.registry().tables().guides,
        };
        for (at, check) in rules(engine).enumerate().filter(|(at, _)| due_rules.contains(at)) {
            if let (Some(found), Some(before)) = (self.found.get_mut(at), before.get_mut(at)) {
                *before = replace(found, run_rule(engine, check, globs, &input).found);
            }
        }
        before
    }

    /// Computes the results at these paths; returns the paths whose results differ.
    fn recompute(
        &mut self,
        engine: &Engine,
        files: &dyn Files,
        paths: &BTreeSet<String>,
    ) -> BTreeSet<String> {
        if paths.is_empty() {
            return BTreeSet::new();
        }
        let mut findings = findings_by_path(engine, &self.found, paths);
        let recording = RecordingFiles { files, requests: &self.requests };
        let listed = &Listed { files: &recording, listing: &self.listing };
        let all = Arc::make_mut(&mut self.checked);
        let mut differing = BTreeSet::new();
        for path in paths {
            let path_findings = findings.remove(path).unwrap_or_default();
            let new = if path_findings.is_empty() {
                Vec::new()
            } else {
                // Reading the text at the path itself is not recorded, because the results of a
                // changed file are always recomputed.
                let text = text_of(engine, files, path);
                to_check_results(
                    engine,
                    &settings(engine, &self.listing, path),
                    text,
                    path_findings,
                    listed,
                )
            };
            let old = if new.is_empty() {
                all.remove(path)
            } else {
                all.insert(path.clone(), Arc::new(new))
            };
            let ids_and_messages =
                |all: Option<&Arc<Vec<(Source, CheckResult)>>>| -> BTreeSet<(String, String)> {
                    let checked = all.into_iter().flat_map(|all| all.iter());
                    let findings = checked.flat_map(|(_, checked)| &checked.findings);
                    findings.map(|finding| (finding.id.clone(), finding.message.clone())).collect()
                };
            if ids_and_messages(old.as_ref()) != ids_and_messages(all.get(path)) {
                differing.insert(path.clone());
            }
        }
        differing
    }
}

fn reads_imports((_, check): &Check<'_>) -> bool {
    check.form() == Some(Form::Layers)
        || check.dependencies.as_ref().is_some_and(|header| header.reads_imports())
}

fn needs_imports(engine: &Engine) -> bool {
    rules(engine).any(|check| reads_imports(&check))
}

/// The findings of all rules at these paths; the findings at one path are in rule order.
fn findings_by_path<'a>(
    engine: &'a Engine,
    found: &[Vec<ProjectFinding>],
    paths: &BTreeSet<String>,
) -> BTreeMap<String, Vec<(&'a Rule, ProjectFinding)>> {
    let mut findings: BTreeMap<String, Vec<(&Rule, ProjectFinding)>> = BTreeMap::new();
    for ((rule, _), found) in rules(engine).zip(found) {
        for finding in found {
            let path = finding_path(rule, finding);
            if paths.contains(&path) {
                findings.entry(path).or_default().push((rule, finding.clone()));
            }
        }
    }
    findings
}

/// The paths at which the findings of a rule differ.
fn differing_paths(
    rule: &Rule,
    before: &[ProjectFinding],
    after: &[ProjectFinding],
) -> BTreeSet<String> {
    let (before, after) = (by_path(rule, before), by_path(rule, after));
    let paths = before.keys().chain(after.keys());
    paths.filter(|path| before.get(*path) != after.get(*path)).cloned().collect()
}

fn by_path<'a>(
    rule: &Rule,
    found: &'a [ProjectFinding],
) -> BTreeMap<String, Vec<&'a ProjectFinding>> {
    let mut findings: BTreeMap<String, Vec<&ProjectFinding>> = BTreeMap::new();
    for finding in found {
        findings.entry(finding_path(rule, finding)).or_default().push(finding);
    }
    findings
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
