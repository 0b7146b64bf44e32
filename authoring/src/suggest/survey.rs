//! The sentences of a project, and what each comes to: enforced, enforced elsewhere, a check that
//! could be had, or guidance.

use super::ground::word;
use super::open::{Names, Open};
use super::page::{self, Examples};
use super::places::places;
use super::scope;
use super::sentences::sentences;
use super::trial::{self, Caught, Limit, Trial};
use super::{Draft, Ground, Trust};
use aidd_engine::check::{Engine, Selection};
use aidd_engine::project::linters::{Enforced, Settings};
use aidd_engine::rules::registry::{Registry, project_rule};
use aidd_engine::text::files::{Files, SIDE_FILE_LIMIT};
use aidd_engine::text::finding::{RuleId, Severity};
use aidd_engine::text::kind::is_page_path;
use aidd_engine::text::source::{Encoding, Source, Span};
use aidd_engine::workspace::project::Project;
use aidd_engine::workspace::walk::{self, Walk};
use std::collections::{BTreeMap, BTreeSet, HashMap};
use std::sync::Arc;
use std::sync::atomic::AtomicBool;
use std::time::Duration;

/// What a survey may cost: more is left out, and said.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Bounds {
    /// Files that are read for sentences.
    pub files: usize,
    /// Sentences that are judged.
    pub sentences: usize,
    /// Drafts that are tried.
    pub drafts: usize,
    /// How long the trial on the project may take.
    pub time: Duration,
}

impl Default for Bounds {
    fn default() -> Self {
        Self { files: 500, sentences: 2000, drafts: 100, time: Duration::from_secs(60) }
    }
}

/// What is asked.
pub struct Asked<'a> {
    /// The files whose sentences count, from the root; none: all that guide.
    pub paths: &'a [String],
    /// A sentence instead of files.
    pub sentence: Option<&'a str>,
    /// Of one file only the sentences that this touches.
    pub span: Option<Span>,
    /// Where the pages are read: the project's files, with what an editor has open over them.
    pub files: &'a dyn Files,
    /// Whether drafts are tried on the project.
    pub tries: bool,
    /// What it may cost.
    pub bounds: Bounds,
    /// Ends a trial once it is set.
    pub stop: Arc<AtomicBool>,
}

impl std::fmt::Debug for Asked<'_> {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Asked").field("paths", &self.paths).finish_non_exhaustive()
    }
}

impl<'a> Asked<'a> {
    /// All sentences of a project, with drafts tried.
    #[must_use]
    pub fn all(files: &'a dyn Files) -> Self {
        let stop = Arc::default();
        let bounds = Bounds::default();
        Self { paths: &[], sentence: None, span: None, files, tries: true, bounds, stop }
    }
}

/// What the sentences come to.
#[derive(Debug, Default)]
pub struct Survey {
    /// Each sentence once, in the order of files and lines.
    pub told: Vec<Told>,
    /// The files that were read.
    pub files: Vec<String>,
    /// What was left out, or not wholly tried.
    pub notes: Vec<String>,
}

/// How many sentences came to what.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Count {
    /// A rule that is on says the same.
    pub enforced: usize,
    /// Another tool says the same.
    pub elsewhere: usize,
    /// A draft is ready, or a rule of ours to be switched on.
    pub ready: usize,
    /// Something is to be run: an agent's hook or a step of CI can do that.
    pub run: usize,
    /// No check can tell.
    pub guidance: usize,
}

/// A sentence and what it comes to.
#[derive(Clone, Debug)]
pub struct Told {
    /// The file; empty for a sentence that was given.
    pub path: String,
    /// Its line, from 1.
    pub line: usize,
    /// Where it stands.
    pub span: Span,
    /// Its words.
    pub text: String,
    /// Where it stands as well: `path:line`.
    pub also: Vec<String>,
    /// What it comes to.
    pub outcome: Outcome,
}

/// What a sentence comes to.
#[derive(Clone, Debug)]
pub enum Outcome {
    /// These rules are on and say the same.
    Enforced(Vec<String>),
    /// A rule of another tool says the same.
    Elsewhere {
        /// `eslint/no-console`.
        by: String,
        /// The settings that switch it on.
        path: String,
    },
    /// Rules of ours say the same and are off.
    Switch {
        /// Their ids.
        rules: Vec<String>,
        /// The packs that switch the first on.
        packs: Vec<String>,
        /// What they would catch; `None`: not tried.
        caught: Option<Caught>,
    },
    /// A check, ready to be taken.
    Draft(Box<Suggestion>),
    /// This is to be run, or not to be done: a hook of the agent or a step of CI can see to it.
    Run(String),
    /// People and agents read it; no check can tell. Why a draft came to nothing.
    Guidance(Option<String>),
}

/// A draft that was proved, and tried.
#[derive(Clone, Debug)]
pub struct Suggestion {
    /// The draft.
    pub draft: Draft,
    /// How surely it says what the sentence does, by its shape and by the code.
    pub sure: Trust,
    /// What a finding should be.
    pub severity: Severity,
    /// Why that.
    pub why: String,
    /// The page, whole.
    pub page: String,
    /// Where it goes.
    pub path: String,
    /// Whether the page is there, and gets the check into its header.
    pub in_place: bool,
    /// What it would catch; `None`: not tried.
    pub caught: Option<Caught>,
}

impl Survey {
    /// How many sentences came to what.
    #[must_use]
    pub fn count(&self) -> Count {
        let mut count = Count::default();
        for told in &self.told {
            let place = match told.outcome {
                Outcome::Enforced(_) => &mut count.enforced,
                Outcome::Elsewhere { .. } => &mut count.elsewhere,
                Outcome::Switch { .. } | Outcome::Draft(_) => &mut count.ready,
                Outcome::Run(_) => &mut count.run,
                Outcome::Guidance(_) => &mut count.guidance,
            };
            *place += 1;
        }
        count
    }
}

/// What the sentences of `project` come to.
///
/// # Errors
/// When the configuration does not hold, or a file that was asked for cannot be read.
pub fn survey(project: &Project, asked: &Asked<'_>) -> Result<Survey, String> {
    let engine = project.engine(&Selection::default()).map_err(|error| error.to_string())?;
    let root = Walk::over(vec![project.root().to_owned()]);
    let listing = walk::listing(&engine, &project.disk, &root);
    let mut survey = Survey::default();
    let settings = Settings::read(&project.disk, listing.files());
    let (mut open, kept) = read(project, asked, (listing.files(), &settings), &mut survey)?;
    let words = open.iter().flat_map(|one| &one.sentence.code).map(|code| word(code)).collect();
    let ground = Ground::new(&project.disk, listing.files(), &words);
    survey.notes.extend(ground.notes.iter().cloned());
    let mut names = Names { taken: BTreeSet::new(), engine: &engine, paths: listing.files() };
    for one in &mut open {
        let known = kept.get(&plain(&one.told.text)).filter(|_| one.explains.is_none());
        if let Some(outcome) = known {
            one.settle(outcome.clone());
        } else {
            one.judge(&ground, &mut names, asked.bounds, &mut survey.notes);
        }
    }
    let pages = pages(project, &open);
    let all = every_rule(project, &pages)?;
    for one in &mut open {
        one.prove(&all);
        one.compare(&all, &engine, (&ground, &settings));
    }
    let trial = if asked.tries { tried(project, asked, &pages, &open)? } else { Trial::default() };
    survey.notes.extend(trial.notes.iter().cloned());
    let mut changed = BTreeSet::new();
    for one in &mut open {
        one.finish(&all, asked, &trial, &mut changed);
    }
    survey.told = told(open);
    Ok(survey)
}

/// What is told: of a page that is enforced that it is, once, and what else could be drafted from it;
/// its other sentences explain.
fn told(open: Vec<Open>) -> Vec<Told> {
    let mut pages: BTreeSet<String> = BTreeSet::new();
    let mut all = Vec::with_capacity(open.len());
    for mut one in open {
        if let Some(outcome) =
            one.explains.take().filter(|_| !matches!(one.told.outcome, Outcome::Draft(_)))
        {
            if !pages.insert(one.told.path.clone()) {
                continue;
            }
            one.told.outcome = outcome;
        }
        all.push(one.told);
    }
    together(all)
}

/// Sentences that come to one check share its page: the first has it, and says where the others are.
fn together(told: Vec<Told>) -> Vec<Told> {
    fn own_page(told: &Told) -> Option<(&serde_json::Value, &str)> {
        let Outcome::Draft(one) = &told.outcome else { return None };
        let folder = one.path.rsplit_once('/').map_or("", |(folder, _)| folder);
        (!one.in_place).then_some((&one.draft.check, folder))
    }
    let mut kept: Vec<Told> = Vec::with_capacity(told.len());
    for mut one in told {
        let page = own_page(&one);
        let same = page.and_then(|page| kept.iter_mut().find(|old| own_page(old) == Some(page)));
        if let Some(first) = same {
            first.also.push(format!("{}:{}", one.path, one.line));
            first.also.append(&mut one.also);
        } else {
            kept.push(one);
        }
    }
    kept
}

/// What a page comes to as a whole: it has a check, or another tool enforces it.
fn of_page(path: &str, text: &str, settings: &Settings) -> Option<Outcome> {
    let rule = project_rule(path, text)?;
    if rule.check.is_some() {
        return Some(Outcome::Enforced(vec![rule.id.to_string()]));
    }
    let mut all = rule.enforced_by.iter().filter_map(|by| match settings.enforced_by(by) {
        Enforced::By(path) | Enforced::Perhaps(path) => {
            Some(Outcome::Elsewhere { by: by.clone(), path })
        }
        Enforced::Not { .. } => None,
    });
    all.next()
}

/// A text without what differs between a sentence and its page.
fn plain(text: &str) -> String {
    text.to_lowercase()
        .trim_matches(|c: char| c.is_whitespace() || c.is_ascii_punctuation())
        .to_owned()
}

/// Why a page is not enforced that says another tool does it.
fn idle(path: &str, text: &str, settings: &Settings) -> Option<String> {
    let rule = project_rule(path, text).filter(|rule| rule.check.is_none())?;
    rule.enforced_by.iter().find_map(|by| match settings.enforced_by(by) {
        Enforced::Not { why, .. } => Some(format!("its page names `{by}`, but {why}")),
        _ => None,
    })
}

/// The sentences, each once, and those of pages that are enforced: words → by what.
fn read(
    project: &Project,
    asked: &Asked<'_>,
    (paths, settings): (&[String], &Settings),
    survey: &mut Survey,
) -> Result<(Vec<Open>, HashMap<String, Outcome>), String> {
    let mut open: Vec<Open> = Vec::new();
    let mut seen: HashMap<String, usize> = HashMap::new();
    let mut left_out = 0;
    let kept = kept(project, settings);
    for source in sources(project, asked, paths, survey)? {
        let is_page = is_page_path(source.path());
        let explains = is_page.then(|| of_page(source.path(), source.text(), settings)).flatten();
        let idle = (is_page && explains.is_none())
            .then(|| idle(source.path(), source.text(), settings))
            .flatten();
        let scope = scope::of_file(source.path(), source.text());
        for sentence in sentences(&source) {
            let touches =
                |span: Span| sentence.span.start <= span.end && span.start <= sentence.span.end;
            if !asked.span.is_none_or(touches) {
                continue;
            }
            let text = sentence.text();
            let line = source.position(sentence.span.start, Encoding::CodePoints).line as usize + 1;
            if let Some(&known) = seen.get(&plain(&text)) {
                open[known].told.also.push(format!("{}:{line}", source.path()));
                continue;
            }
            if open.len() >= asked.bounds.sentences {
                left_out += 1;
                continue;
            }
            seen.insert(plain(&text), open.len());
            let path = if asked.sentence.is_some() { "" } else { source.path() };
            let told = Told {
                path: path.to_owned(),
                line,
                span: sentence.span,
                text,
                also: Vec::new(),
                outcome: Outcome::Guidance(idle.clone()),
            };
            open.push(Open {
                told,
                sentence,
                draft: None,
                explains: explains.clone(),
                scope: scope.clone(),
                examples: None,
                settled: false,
            });
        }
    }
    if left_out > 0 {
        let most = asked.bounds.sentences;
        survey.notes.push(format!(
            "{left_out} sentences were not looked at: a run judges {most}; name fewer files"
        ));
    }
    Ok((open, kept))
}

/// The sentences of the project's pages that are enforced: words → by what.
fn kept(project: &Project, settings: &Settings) -> HashMap<String, Outcome> {
    let mut kept = HashMap::new();
    for (path, text) in &project.pages {
        let Some(outcome) = of_page(path, text, settings) else { continue };
        for sentence in sentences(&Source::new(path.as_str(), text.as_str())) {
            kept.entry(plain(&sentence.text())).or_insert_with(|| outcome.clone());
        }
    }
    kept
}

/// The texts that are read.
fn sources(
    project: &Project,
    asked: &Asked<'_>,
    paths: &[String],
    survey: &mut Survey,
) -> Result<Vec<Source>, String> {
    if let Some(sentence) = asked.sentence {
        // A sentence alone is a demand, whatever it begins with.
        return Ok(vec![Source::new("sentence.md", sentence)]);
    }
    let known = places(project, paths);
    let chosen = if asked.paths.is_empty() { &known } else { asked.paths };
    let mut sources = Vec::new();
    for path in chosen.iter().take(asked.bounds.files) {
        match asked.files.read(path, SIDE_FILE_LIMIT) {
            Ok(bytes) if bytes.len() as u64 == SIDE_FILE_LIMIT => {
                survey
                    .notes
                    .push(format!("{path}: larger than {} MiB, not read", SIDE_FILE_LIMIT >> 20));
            }
            Ok(bytes) => {
                survey.files.push(path.clone());
                sources.push(Source::decode(path.clone(), bytes));
            }
            Err(error) if asked.paths.is_empty() => survey.notes.push(format!("{path}: {error}")),
            Err(error) => return Err(format!("{path}: {error}")),
        }
    }
    if let Some(more @ 1..) = chosen.len().checked_sub(asked.bounds.files) {
        survey.notes.push(format!(
            "{more} files were not read: a run reads {}; name them",
            asked.bounds.files
        ));
    }
    Ok(sources)
}

/// The pages of the project and those of the drafts, without examples.
fn pages(project: &Project, open: &[Open]) -> Vec<(String, String)> {
    let drafts = open.iter().filter_map(|one| {
        let draft = one.draft.as_ref()?;
        let page =
            page::whole(draft, Severity::Warning, (&one.told.text, ""), &Examples::default());
        Some((one.page_path(draft), page))
    });
    project.pages.iter().cloned().chain(drafts).collect()
}

/// An engine in which all rules run but those on secrets: those of the drafts, the project and ours.
fn every_rule(project: &Project, pages: &[(String, String)]) -> Result<Engine, String> {
    let registry = Registry::new(project.distribution().pages, pages);
    let others = registry.rules().iter().filter(|rule| !rule.id.starts_with("secrets/"));
    let only = others.map(|rule| rule.id.to_string()).collect();
    let selection = Selection { only, ..Selection::default() };
    Engine::new(project.distribution(), registry, &project.config, &selection)
        .map_err(|error| error.to_string())
}

/// Tries what is still open.
fn tried(
    project: &Project,
    asked: &Asked<'_>,
    pages: &[(String, String)],
    open: &[Open],
) -> Result<Trial, String> {
    let mut rules: BTreeSet<RuleId> = BTreeSet::new();
    for one in open {
        match (&one.told.outcome, &one.draft) {
            (Outcome::Switch { rules: off, .. }, _) => {
                rules.extend(off.iter().map(|id| RuleId::from(id.as_str())));
            }
            (_, Some(draft)) if !one.settled => drop(rules.insert(RuleId::from(draft.id.as_str()))),
            _ => {}
        }
    }
    let limit = Limit { stop: asked.stop.clone(), time: asked.bounds.time };
    trial::run(project, pages, &rules, &limit)
}

impl Survey {
    /// What would be written: path → the suggestion.
    #[must_use]
    pub fn suggestions(&self) -> BTreeMap<&str, &Suggestion> {
        let drafts = self.told.iter().filter_map(|told| match &told.outcome {
            Outcome::Draft(suggestion) => Some((suggestion.path.as_str(), &**suggestion)),
            _ => None,
        });
        drafts.collect()
    }
}
