//! Sentences and what they come to, in the form that programs read: `aidd rule suggest --format
//! json` and the tool of agents say the same.

use aidd_authoring::suggest::{Catch, Caught, Count, Outcome, Suggestion, Survey, Told};
use schemars::JsonSchema;
use serde::Serialize;
use serde_json::{Map, Value};

/// What the sentences of a project come to.
#[derive(Clone, Debug, Serialize, JsonSchema)]
pub struct Sentences {
    /// How many came to what.
    pub count: Counts,
    /// The sentences.
    pub sentences: Vec<Entry>,
    /// What was left out, or not wholly tried.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub notes: Vec<String>,
}

/// How many sentences came to what.
#[derive(Clone, Copy, Debug, Serialize, JsonSchema)]
pub struct Counts {
    /// All of them.
    pub sentences: usize,
    /// A rule that is on says the same.
    pub enforced: usize,
    /// Another tool says the same.
    pub elsewhere: usize,
    /// A check could be had.
    pub ready: usize,
    /// Something is to be run: a hook or a step of CI can do it.
    pub run: usize,
    /// No check can tell.
    pub guidance: usize,
}

/// What a sentence comes to.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, JsonSchema)]
#[serde(rename_all = "lowercase")]
pub enum Sort {
    /// A check was drafted.
    Draft,
    /// A rule of ours says it and is off.
    Switch,
    /// A rule that is on says it.
    Enforced,
    /// Another tool says it.
    Elsewhere,
    /// A hook or a step of CI can see to it.
    Run,
    /// No check can tell.
    Guidance,
}

/// A sentence.
#[derive(Clone, Debug, Serialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct Entry {
    /// Its words.
    pub sentence: String,
    /// The file; absent for a sentence that was given.
    #[serde(skip_serializing_if = "String::is_empty")]
    pub path: String,
    /// Its line, from 1.
    pub line: usize,
    /// Where it stands as well.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub also: Vec<String>,
    /// What it comes to.
    pub kind: Sort,
    /// Rules, the other tool's rule, the command, or why there is no check.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub by: Vec<String>,
    /// Packs that switch the rules on; the settings of the other tool.
    #[serde(rename = "in", skip_serializing_if = "Vec::is_empty")]
    pub within: Vec<String>,
    /// The check.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub draft: Option<DraftEntry>,
    /// What it would catch; absent when it was not tried.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub catches: Option<Catches>,
}

/// A drafted check.
#[derive(Clone, Debug, Serialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct DraftEntry {
    /// The id of the rule.
    pub rule: String,
    /// How surely it says what the sentence does: low, medium, high.
    pub sure: String,
    /// What a finding should be.
    pub severity: String,
    /// Why that.
    pub why: String,
    /// The value of `check:`.
    pub check: Map<String, Value>,
    /// Where its page goes.
    pub path: String,
    /// Whether that page is there and gets the check into its header.
    pub in_place: bool,
    /// The page, whole; its examples hold.
    #[serde(skip_serializing_if = "String::is_empty")]
    pub page: String,
}

/// What a check catches.
#[derive(Clone, Debug, Serialize, JsonSchema)]
pub struct Catches {
    /// How many findings.
    pub findings: usize,
    /// In how many files or commits.
    pub files: usize,
    /// Of how many.
    pub judged: usize,
    /// The first places.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub first: Vec<Place>,
}

/// A place that a check catches.
#[derive(Clone, Debug, Serialize, JsonSchema)]
pub struct Place {
    /// The file, or `commit/…`.
    pub path: String,
    /// Its line, from 1; 0: the file as such.
    pub line: usize,
    /// What stands there; empty for a file as such.
    pub text: String,
    /// What the finding says.
    pub message: String,
}

/// How much of a survey is told.
#[derive(Clone, Copy, Debug)]
pub struct Measure {
    /// Sentences.
    pub sentences: usize,
    /// Places of a check.
    pub places: usize,
    /// Whether pages are told whole.
    pub pages: bool,
}

impl Measure {
    /// All of it.
    pub const WHOLE: Self = Self { sentences: usize::MAX, places: usize::MAX, pages: true };
}

impl Sentences {
    /// A survey; what could be had comes first when not all of it is told.
    #[must_use]
    pub fn of(survey: &Survey, measure: Measure) -> Self {
        let mut all: Vec<&Told> = survey.told.iter().collect();
        let mut notes = survey.notes.clone();
        if let Some(more @ 1..) = all.len().checked_sub(measure.sentences) {
            all.sort_by_key(|told| {
                !matches!(told.outcome, Outcome::Draft(_) | Outcome::Switch { .. })
            });
            all.truncate(measure.sentences);
            let more = aidd_report::number(more, "more sentence");
            notes.push(format!("not told here: {more}"));
        }
        let sentences = all.into_iter().map(|told| Entry::of(told, measure)).collect();
        Self { count: Counts::of(survey.count()), sentences, notes }
    }
}

impl Counts {
    /// The counts, with their sum.
    #[must_use]
    pub fn of(count: Count) -> Self {
        let Count { enforced, elsewhere, ready, run, guidance } = count;
        let sentences = enforced + elsewhere + ready + run + guidance;
        Self { sentences, enforced, elsewhere, ready, run, guidance }
    }

    /// In one line.
    #[must_use]
    pub fn line(&self) -> String {
        format!(
            "{}: {} enforced, {} enforced by other tools, {} with a check to be had, {} for a hook or CI, {} guidance only",
            aidd_report::number(self.sentences, "sentence"),
            self.enforced,
            self.elsewhere,
            self.ready,
            self.run,
            self.guidance
        )
    }
}

impl Entry {
    fn of(told: &Told, measure: Measure) -> Self {
        let catches =
            |caught: &Option<Caught>| caught.as_ref().map(|caught| Catches::of(caught, measure));
        let mut entry = Self {
            sentence: told.text.clone(),
            path: told.path.clone(),
            line: told.line,
            also: told.also.clone(),
            kind: Sort::Guidance,
            by: Vec::new(),
            within: Vec::new(),
            draft: None,
            catches: None,
        };
        match &told.outcome {
            Outcome::Enforced(rules) => (entry.kind, entry.by) = (Sort::Enforced, rules.clone()),
            Outcome::Elsewhere { by, path } => {
                (entry.kind, entry.by) = (Sort::Elsewhere, vec![by.clone()]);
                entry.within = vec![path.clone()];
            }
            Outcome::Switch { rules, packs, caught } => {
                (entry.kind, entry.by) = (Sort::Switch, rules.clone());
                entry.within = packs.clone();
                entry.catches = catches(caught);
            }
            Outcome::Draft(suggestion) => {
                entry.kind = Sort::Draft;
                entry.catches = catches(&suggestion.caught);
                entry.draft = Some(DraftEntry::of(suggestion, measure));
            }
            Outcome::Run(command) => (entry.kind, entry.by) = (Sort::Run, vec![command.clone()]),
            Outcome::Guidance(why) => entry.by = why.iter().cloned().collect(),
        }
        entry
    }
}

impl DraftEntry {
    fn of(suggestion: &Suggestion, measure: Measure) -> Self {
        let Suggestion { draft, sure, severity, why, page, path, in_place, .. } = suggestion;
        Self {
            rule: draft.id.clone(),
            sure: sure.word().to_owned(),
            severity: severity.to_string(),
            why: why.clone(),
            check: draft.check.as_object().cloned().unwrap_or_default(),
            path: path.clone(),
            in_place: *in_place,
            page: if measure.pages { page.clone() } else { String::new() },
        }
    }
}

impl Catches {
    fn of(caught: &Caught, measure: Measure) -> Self {
        let place = |place: &Catch| Place {
            path: place.path.clone(),
            line: place.line,
            text: place.text.clone(),
            message: place.message.clone(),
        };
        Self {
            findings: caught.findings,
            files: caught.files,
            judged: caught.judged,
            first: caught.first.iter().take(measure.places).map(place).collect(),
        }
    }

    /// In one line.
    #[must_use]
    pub fn line(&self) -> String {
        let Self { findings, files, judged, .. } = self;
        match (findings, judged) {
            (0, 0) => "nothing: there is nothing here for it to look at".to_owned(),
            (0, judged) => format!("nothing in the {judged} it looked at"),
            _ => {
                let found = aidd_report::number(*findings, "place");
                #[expect(clippy::cast_precision_loss, reason = "a share with one digit")]
                let share = *files as f64 * 100.0 / (*judged).max(1) as f64;
                format!("{found}, in {files} of the {judged} it looked at ({share:.1} %)")
            }
        }
    }
}

impl Place {
    /// In one line: what stands there, or what is said of the file; of a rule that the reader does
    /// not know yet also what it says.
    #[must_use]
    pub fn line(&self, says: bool) -> String {
        let line = if self.line > 0 { format!(":{}", self.line) } else { String::new() };
        match (self.text.as_str(), says) {
            ("", _) => format!("{}{line}  {}", self.path, self.message),
            (text, true) => format!("{}{line}  {text} ({})", self.path, self.message),
            (text, false) => format!("{}{line}  {text}", self.path),
        }
    }
}
