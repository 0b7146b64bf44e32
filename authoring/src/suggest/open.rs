//! A sentence on its way: judged by its words, proved, compared with what enforces it, and weighed
//! by what its draft catches.

use super::elsewhere::enforcer;
use super::own;
use super::page::{self, Examples};
use super::proof;
use super::scope;
use super::survey::{Asked, Bounds, Outcome, Suggestion, Told};
use super::trial::{Caught, Trial, stands_alone};
use super::{Block, Draft, Ground, Sample, Sentence, Trust, Verdict, verdict};
use aidd_engine::check::Engine;
use aidd_engine::forms;
use aidd_engine::project::linters::Settings;
use aidd_engine::text::files::SIDE_FILE_LIMIT;
use aidd_engine::text::finding::{RuleId, Severity};
use aidd_engine::text::kind::is_page_path;
use std::collections::BTreeSet;

/// A sentence on its way.
pub(super) struct Open {
    pub(super) told: Told,
    pub(super) sentence: Sentence,
    pub(super) draft: Option<Draft>,
    /// What enforces its page already: what it explains is no demand of its own.
    pub(super) explains: Option<Outcome>,
    /// The globs of what its file speaks of; none: the whole project.
    pub(super) scope: Vec<String>,
    pub(super) examples: Option<Examples>,
    pub(super) settled: bool,
}

/// Names of rules and pages that are free.
pub(super) struct Names<'a> {
    pub(super) taken: BTreeSet<String>,
    pub(super) engine: &'a Engine,
    pub(super) paths: &'a [String],
}

impl Names<'_> {
    /// `id`, or with a number after it when it is taken.
    fn free(&mut self, id: &str) -> String {
        let is_taken = |id: &str| {
            let end = format!(".aidd/rules/{}.md", stem(id));
            self.taken.contains(id)
                || self.engine.registry().knows(id)
                || self.paths.iter().any(|path| path.ends_with(&end))
        };
        let numbered =
            |number: usize| if number == 1 { id.to_owned() } else { format!("{id}-{number}") };
        // Of as many names as there are taken ones and one more, one is free.
        let most = self.taken.len() + self.paths.len() + self.engine.registry().rules().len() + 2;
        let free =
            (1..=most).map(numbered).find(|id| !is_taken(id)).unwrap_or_else(|| numbered(most));
        self.taken.insert(free.clone());
        free
    }
}

/// The name of a page by the id of its rule.
fn stem(id: &str) -> &str {
    id.rsplit('/').next().unwrap_or(id)
}

impl Open {
    pub(super) fn settle(&mut self, outcome: Outcome) {
        self.told.outcome = outcome;
        self.settled = true;
    }

    /// What the words come to.
    pub(super) fn judge(
        &mut self,
        ground: &Ground,
        names: &mut Names<'_>,
        bounds: Bounds,
        notes: &mut Vec<String>,
    ) {
        match verdict(&self.sentence, ground) {
            Verdict::Draft(_) if names.taken.len() >= bounds.drafts => {
                let note =
                    format!("a run drafts {} checks at most; name fewer files", bounds.drafts);
                if !notes.contains(&note) {
                    notes.push(note);
                }
                self.told.outcome =
                    Outcome::Guidance(Some("not drafted: too many at once".to_owned()));
            }
            Verdict::Draft(mut draft) => {
                draft.id = names.free(&draft.id);
                // Pages in the rules of a folder hold for that folder by themselves.
                match self.own_folder().trim_end_matches('/') {
                    "" => scope::narrow(&mut draft, &self.scope),
                    folder => scope::moved_below(&mut draft, folder),
                }
                self.draft = Some(draft);
            }
            Verdict::Run(command) => self.settle(Outcome::Run(command)),
            Verdict::Guidance => {}
        }
    }

    /// Where a page of its own goes: beside the rule page that the sentence stands in, else where
    /// the file that says it holds.
    pub(super) fn page_path(&self, draft: &Draft) -> String {
        let name = stem(&draft.id);
        let path = self.told.path.as_str();
        if is_page_path(path) {
            let folder = path.rsplit_once('/').map_or("", |(folder, _)| folder);
            return format!("{folder}/{name}.md");
        }
        format!("{}.aidd/rules/{name}.md", self.own_folder())
    }

    /// The folder, with `/`, in whose own rules the page goes; empty: those of the project.
    fn own_folder(&self) -> String {
        let path = self.told.path.as_str();
        let (folder, file) = path.rsplit_once('/').unwrap_or(("", path));
        // Rules of a folder inside are read two levels down.
        let is_agents = ["AGENTS.md", "CLAUDE.md", "GEMINI.md"].contains(&file);
        let is_own = is_agents
            && !folder.is_empty()
            && !folder.starts_with('.')
            && folder.matches('/').count() < 2;
        if is_own { format!("{folder}/") } else { String::new() }
    }

    /// Proves the draft by its own examples, or drops it.
    pub(super) fn prove(&mut self, all: &Engine) {
        let Some(draft) = &self.draft else { return };
        let Some(rule) = all.registry().get(&draft.id) else {
            self.told.outcome = Outcome::Guidance(Some(
                "a check was drafted, but its page cannot be read".to_owned(),
            ));
            self.draft = None;
            return;
        };
        if let Some(problem) = forms::problems(rule).into_iter().next() {
            self.told.outcome =
                Outcome::Guidance(Some(format!("a check was drafted, but {problem}")));
            self.draft = None;
            return;
        }
        self.examples = proof::prove(all, rule, draft, (&[], &[]));
        if self.examples.is_none() {
            let why = "a check was drafted, but no example proves it";
            self.told.outcome = Outcome::Guidance(Some(why.to_owned()));
            self.draft = None;
        }
    }

    /// Whether somebody says the same already: our rules, the project's, another tool's.
    pub(super) fn compare(
        &mut self,
        all: &Engine,
        real: &Engine,
        (ground, settings): (&Ground, &Settings),
    ) {
        if self.settled {
            return;
        }
        let mut rules: Vec<RuleId> = match (&self.draft, &self.examples) {
            (Some(draft), Some(Examples { fails, passes, .. })) => {
                let own: BTreeSet<RuleId> = all
                    .registry()
                    .rules()
                    .iter()
                    .filter(|rule| real.registry().get(&rule.id).is_none())
                    .map(|rule| rule.id.clone())
                    .collect();
                let sample = fails.first().map(|(sample, _)| sample).zip(passes.first());
                sample.map(|sample| own::by_examples(all, draft, sample, &own)).unwrap_or_default()
            }
            _ => Vec::new(),
        };
        if rules.is_empty() && self.draft.is_none() {
            rules = own::by_words(&self.sentence, ground, all);
        }
        let shown = |id: &RuleId| {
            if id.starts_with("secrets/") { "secrets/*".to_owned() } else { id.to_string() }
        };
        let (on, off): (Vec<&RuleId>, Vec<&RuleId>) = rules.iter().partition(|id| real.may_run(id));
        if !on.is_empty() {
            self.settle(Outcome::Enforced(on.into_iter().map(shown).collect()));
        } else if let Some((by, path)) = enforcer(settings, &self.sentence, self.draft.as_ref())
            .or_else(|| off.first().and_then(|first| by_alias(first, all, settings)))
        {
            self.settle(Outcome::Elsewhere { by, path });
        } else if let Some(first) = off.first() {
            let packs = own::packs_of(first, real.registry());
            let rules = off.into_iter().map(shown).collect();
            self.settle(Outcome::Switch { rules, packs, caught: None });
        }
    }

    /// Puts what the trial gave to the sentence.
    pub(super) fn finish(
        &mut self,
        all: &Engine,
        asked: &Asked<'_>,
        trial: &Trial,
        changed: &mut BTreeSet<String>,
    ) {
        if let Outcome::Switch { rules, caught, .. } = &mut self.told.outcome {
            let of_each = rules.iter().filter_map(|rule| trial.caught.get(rule.as_str()));
            *caught = asked.tries.then(|| of_each.fold(Caught::default(), together));
            return;
        }
        let (Some(draft), false) = (self.draft.take(), self.settled) else { return };
        let Some(rule) = all.registry().get(&draft.id) else { return };
        let caught = asked.tries.then(|| trial.caught.get(&rule.id).cloned().unwrap_or_default());
        let (real, near) =
            caught.as_ref().map(|caught| samples(&draft, caught)).unwrap_or_default();
        let proved =
            proof::prove(all, rule, &draft, (&real, &near)).or_else(|| self.examples.take());
        let examples = proved.unwrap_or_default();
        let (severity, sure, why) = weigh(&draft, caught.as_ref());
        let text = (self.told.text.as_str(), self.told.path.as_str());
        let mut path = self.page_path(&draft);
        let mut page = page::whole(&draft, severity, text, &examples);
        let mut in_place = false;
        let own = &self.told.path;
        if is_page_path(own)
            && self.explains.is_none()
            && changed.insert(own.clone())
            && let Ok(bytes) = asked.files.read(own, SIDE_FILE_LIMIT)
            && let Some(with) =
                page::in_place(&String::from_utf8_lossy(&bytes), &draft, severity, &examples)
        {
            (path, page, in_place) = (own.clone(), with, true);
        }
        let suggestion = Suggestion { draft, sure, severity, why, page, path, in_place, caught };
        self.told.outcome = Outcome::Draft(Box::new(suggestion));
    }
}

/// The rule of another tool that does what a rule of ours would, where settings switch it on.
fn by_alias(rule: &RuleId, all: &Engine, settings: &Settings) -> Option<(String, String)> {
    settings.by_alias(&all.registry().get(rule)?.aliases)
}

fn together(mut all: Caught, one: &Caught) -> Caught {
    all.findings += one.findings;
    all.files += one.files;
    all.judged += one.judged;
    all.first.extend(one.first.iter().cloned());
    all
}

/// Lines of the project that break the draft, and lines beside them.
fn samples(draft: &Draft, caught: &Caught) -> (Vec<Sample>, Vec<Sample>) {
    let in_lines = draft.check.get("syntax").is_some() || draft.check.get("text").is_some();
    let is_commit = draft.check.get("commit").is_some();
    let by_path =
        draft.check["tree"].get("name").is_some() || draft.check["tree"].get("absent").is_some();
    let mut samples = (Vec::new(), Vec::new());
    for place in caught.first.iter().filter(|place| !place.is_secret) {
        if in_lines && stands_alone(&place.text) {
            samples.0.push(Block::alone(place.path.clone(), place.text.clone()));
        } else if by_path {
            samples.0.push(Block::alone(place.path.clone(), ""));
        } else if is_commit
            && draft.check["commit"].get("change").is_none()
            && !place.text.is_empty()
        {
            samples.0.push(Block::alone("commit/message", place.text.clone()));
        }
        if in_lines {
            samples.1.extend(
                place.near.iter().map(|line| Block::alone(place.path.clone(), line.clone())),
            );
        }
    }
    samples
}

/// Findings up to which a sentence describes the code, with exceptions.
const FEW: usize = 20;
/// Files that may break it whatever their share is: of ten files one is ten in a hundred.
const FEW_FILES: usize = 3;

/// What a finding should be, how sure that is, and why: by what the draft catches.
fn weigh(draft: &Draft, caught: Option<&Caught>) -> (Severity, Trust, String) {
    let Some(caught) = caught else {
        return (Severity::Warning, draft.trust, "not tried on the project".to_owned());
    };
    let Caught { findings, files, judged, .. } = *caught;
    match (findings, judged) {
        (0, 0) => {
            let why = "nothing here to try it on".to_owned();
            (Severity::Warning, draft.trust.min(Trust::Medium), why)
        }
        (0, _) if draft.trust == Trust::High => {
            (Severity::Error, Trust::High, "it holds already".to_owned())
        }
        (0, _) => (
            Severity::Warning,
            draft.trust,
            "it holds already, as far as the words were understood".to_owned(),
        ),
        // More than 20 findings, or a twentieth of the files.
        _ if findings > FEW || files > FEW_FILES && files * 20 > judged => {
            (Severity::Info, Trust::Low, "the sentence does not describe this code".to_owned())
        }
        _ => {
            let why =
                "it nearly holds: mend these, or put them off by `aidd baseline write`".to_owned();
            (Severity::Warning, draft.trust, why)
        }
    }
}
