//! The project pass, kept up to date: what was found stays for as long as nothing changes that it was
//! found by, and only what hangs on a change is looked at again.
//!
//! What a rule of this pass finds follows from five things: the list of files; what it asked of
//! single files beside ([`Asked`]: manifests, conditions); the sizes of the files that it counts; the
//! graph of imports; and, where a finding is settled, the text of the file that it stands in. Each is
//! compared with what it was, and a change that leaves it as it was ends there.

use super::asked::{Asked, Asking};
use super::{Found, Looked, Rule, one, place, rules, settings, settled, text_of};
use crate::check::{Checked, Engine};
use crate::forms::joined::{Numbers, Sizes};
use crate::forms::layers::Imports;
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

/// What stands at each path; the source of a finding on the file as such is empty.
pub type Settled = BTreeMap<String, Arc<Vec<(Source, Checked)>>>;

/// The findings of a project, and what they were found by.
#[derive(Debug)]
pub struct Joins {
    listing: Listing,
    asked: Asked,
    numbers: Numbers,
    imports: Option<imports::Kept>,
    /// What each rule found, in the order of the rules.
    found: Vec<Vec<Found>>,
    settled: Arc<Settled>,
    /// How often rules were run.
    runs: u64,
}

/// What may have changed since the last look.
#[derive(Debug, Default)]
pub struct News {
    /// The files, where there are others than before, or the branch is.
    pub listing: Option<Listing>,
    /// Files whose text may be another; those that came and went need not be among them.
    pub files: BTreeSet<String>,
    /// Folders with other entries, listed or not.
    pub folders: BTreeSet<String>,
}

/// A rule with its check.
type Check<'a> = (&'a Rule, &'a CheckHeader);

impl Joins {
    /// Looks at the project of the files in `listing`. `globs` are those of the configuration.
    #[must_use]
    pub fn new(engine: &Engine, globs: &Globs, files: &dyn Files, listing: Listing) -> Self {
        let mut joins = Self {
            listing,
            asked: Asked::default(),
            numbers: Numbers::default(),
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
        joins.settle(engine, files, &at);
        joins
    }

    /// The list of files.
    #[must_use]
    pub fn listing(&self) -> &Listing {
        &self.listing
    }

    /// What is found.
    #[must_use]
    pub fn settled(&self) -> Arc<Settled> {
        self.settled.clone()
    }

    /// Another number once rules were run again, and may have asked for other files.
    #[must_use]
    pub fn runs(&self) -> u64 {
        self.runs
    }

    /// The files that were asked for and of whose change neither the list of files nor the time of a
    /// walked folder tells: they are to be among [`News::files`] each time.
    #[must_use]
    pub fn apart(&self, is_walked: &dyn Fn(&str) -> bool) -> Vec<String> {
        let mut apart = self.asked.apart(&self.listing, is_walked);
        apart.extend(self.numbers.paths(&|path| !self.listing.has_file(path)));
        apart
    }

    /// Looks again; returns the paths with other findings.
    pub fn again(
        &mut self,
        engine: &Engine,
        globs: &Globs,
        files: &dyn Files,
        news: News,
    ) -> BTreeSet<String> {
        let News { listing, files: mut changed, folders } = news;
        let is_listed_anew = listing.is_some();
        if let Some(listing) = listing {
            changed.extend(difference(self.listing.files(), listing.files()));
            self.listing = listing;
        }
        let mut due = self.recount(engine, files, &changed);
        let again =
            if asks_imports(engine) { self.reread(engine, files, &changed) } else { Vec::new() };
        let asked = self.asked.among(changed.iter(), folders.iter());
        let is_answered_anew = asked.iter().any(|path| !self.asked.holds(path, files));
        let all = match self.rejoin(engine, &again) {
            Some(rules) if !is_listed_anew && !is_answered_anew => {
                due.extend(rules);
                false
            }
            _ => true,
        };
        let before = if all {
            self.listing = self.listing.unanswered();
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
        let stands = |path: &String| self.settled.contains_key(path);
        at.extend(changed.into_iter().filter(stands));
        if all {
            // Whether the lines of a finding may be shown is told by rules that have conditions too.
            let in_text = |all: &Arc<Vec<(Source, Checked)>>| {
                all.iter().any(|(source, _)| !source.text().is_empty())
            };
            let texts = self.settled.iter().filter(|(_, all)| in_text(all));
            at.extend(texts.map(|(path, _)| path.clone()));
        }
        self.settle(engine, files, &at)
    }

    /// Counts again what was counted of the files that changed; the rules that may say something else.
    fn recount(
        &self,
        engine: &Engine,
        files: &dyn Files,
        changed: &BTreeSet<String>,
    ) -> BTreeSet<usize> {
        let counts = |path: &String| {
            let (before, after) = self.numbers.again(path, files)?;
            if !self.listing.has_file(path) && !files.exists(path) {
                self.numbers.forget(path);
            }
            (before != after).then_some((before, after))
        };
        let numbers: Vec<_> = changed.iter().filter_map(counts).collect();
        if numbers.is_empty() {
            return BTreeSet::new();
        }
        let tells_apart = |(_, (rule, check)): &(usize, Check<'_>)| {
            // A rule with other limits elsewhere is not known by those of its page.
            let differs = |tree, (before, after): &(_, _)| {
                engine.variants().vary(&rule.id) || TreeCheck::tells_apart(tree, *before, *after)
            };
            let tree = check.tree.as_deref();
            tree.is_some_and(|tree| numbers.iter().any(|pair| differs(tree, pair)))
        };
        rules(engine).enumerate().filter(tells_apart).map(|(at, _)| at).collect()
    }

    /// Reads the imports of the files that changed.
    fn reread(
        &self,
        engine: &Engine,
        files: &dyn Files,
        changed: &BTreeSet<String>,
    ) -> Vec<imports::Again> {
        let is_known = |path: &&str| self.listing.has_file(path) || engine.memo().has(path);
        let paths: Vec<&str> = changed.iter().map(String::as_str).filter(is_known).collect();
        engine.memo().again(files, &paths)
    }

    /// Joins the files again that import something else; the rules to which that makes a difference.
    /// `None`: to all that hangs on imports, and the graph has to be made anew.
    fn rejoin(&mut self, engine: &Engine, again: &[imports::Again]) -> Option<BTreeSet<usize>> {
        let mut due = BTreeSet::new();
        let Some(imports) = self.imports.as_mut().filter(|_| !again.is_empty()) else {
            return Some(due);
        };
        for file in again.iter().filter(|file| self.listing.has_file(&file.path)) {
            let difference = imports.rejoin(&self.listing, file);
            if difference == Difference::Everything {
                return None;
            }
            let speaks = |at: usize| {
                let here = |one: &Found| one.path == file.path;
                self.found.get(at).is_some_and(|found| found.iter().any(here))
            };
            let rules = rules(engine).enumerate().filter(|(_, check)| is_layers(check));
            let rules = rules.map(|(at, _)| at);
            due.extend(rules.filter(|&at| difference == Difference::Targets || speaks(at)));
        }
        Some(due)
    }

    /// Runs all rules, on nothing that was known but facts and sizes of files.
    fn find_all(&mut self, engine: &Engine, globs: &Globs, files: &dyn Files) {
        self.asked.clear();
        self.imports = asks_imports(engine).then(|| {
            let facts = engine.memo().listed(&self.listing);
            let asking = Asking { files, asked: &self.asked };
            imports::Kept::new(&asking, &self.listing, &facts)
        });
        self.found = vec![Vec::new(); rules(engine).count()];
        let every = (0..self.found.len()).collect();
        let _ = self.find(engine, globs, files, &every);
    }

    /// Runs the rules at these places; what they found before, by the order of all rules.
    fn find(
        &mut self,
        engine: &Engine,
        globs: &Globs,
        files: &dyn Files,
        due: &BTreeSet<usize>,
    ) -> Vec<Vec<Found>> {
        if due.is_empty() {
            return Vec::new();
        }
        self.runs += 1;
        let mut before = vec![Vec::new(); self.found.len()];
        let asking = Asking { files, asked: &self.asked };
        let listed = &Listed { files: &asking, listing: &self.listing };
        let memo = engine.memo();
        let graph = self.imports.as_ref().map(imports::Kept::graph);
        let imports = graph.map_or_else(|| Imports::new(memo), |graph| Imports::known(memo, graph));
        let sizes = Some(Sizes { known: &self.numbers, files });
        let looked = Looked { files: listed, imports: &imports, sizes };
        for (at, check) in rules(engine).enumerate().filter(|(at, _)| due.contains(at)) {
            if let (Some(found), Some(before)) = (self.found.get_mut(at), before.get_mut(at)) {
                *before = replace(found, one(engine, check, globs, &looked).found);
            }
        }
        before
    }

    /// Settles what is found at these paths; those where something else is said than before.
    fn settle(
        &mut self,
        engine: &Engine,
        files: &dyn Files,
        at: &BTreeSet<String>,
    ) -> BTreeSet<String> {
        if at.is_empty() {
            return BTreeSet::new();
        }
        let mut places = places(engine, &self.found, at);
        let asking = Asking { files, asked: &self.asked };
        let listed = &Listed { files: &asking, listing: &self.listing };
        let all = Arc::make_mut(&mut self.settled);
        let mut differing = BTreeSet::new();
        for path in at {
            let here = places.remove(path).unwrap_or_default();
            let new = if here.is_empty() {
                Vec::new()
            } else {
                // Of its own text nothing is noted: a file that changes is settled again.
                let text = text_of(engine, files, path);
                settled(engine, &settings(engine, &self.listing, path), text, here, listed)
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

/// What all rules found at these paths, that of one path in the order of the rules.
fn places<'a>(
    engine: &'a Engine,
    found: &[Vec<Found>],
    at: &BTreeSet<String>,
) -> BTreeMap<String, Vec<(&'a Rule, Found)>> {
    let mut places: BTreeMap<String, Vec<(&Rule, Found)>> = BTreeMap::new();
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

/// The paths at which a rule found something else than before.
fn differing(rule: &Rule, before: &[Found], after: &[Found]) -> BTreeSet<String> {
    let (before, after) = (by_path(rule, before), by_path(rule, after));
    let paths = before.keys().chain(after.keys());
    paths.filter(|path| before.get(*path) != after.get(*path)).cloned().collect()
}

fn by_path<'a>(rule: &Rule, found: &'a [Found]) -> BTreeMap<String, Vec<&'a Found>> {
    let mut places: BTreeMap<String, Vec<&Found>> = BTreeMap::new();
    for one in found {
        places.entry(place(rule, one)).or_default().push(one);
    }
    places
}

/// What is in one of two sorted lists only.
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
