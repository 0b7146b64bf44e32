//! Rules of ours that say what a sentence says: by what they find, and by what people call it.

use super::hedges::takes_back;
use super::topics::{SCRIPT, TOPICS, Topic};
use super::{Draft, Ground, Sample, Sentence};
use aidd_engine::check::{Engine, SKIPPED};
use aidd_engine::rules::packs;
use aidd_engine::rules::registry::Registry;
use aidd_engine::rules::rule::Rule;
use aidd_engine::text::files::{Files as _, Listed, Memory};
use aidd_engine::text::finding::{RuleId, Status};
use aidd_engine::text::listing::Listing;
use aidd_engine::text::paths::rule_globs;
use aidd_engine::text::source::Source;
use aidd_engine::workspace::commit_checks;
use aidd_engine::workspace::project_checks;
use aidd_page::{CheckHeader, Form};
use regex::Regex;
use std::collections::BTreeSet;
use std::sync::LazyLock;

/// The rules that find what should break a draft and pass over what should keep it. The draft's own
/// are among `not`.
pub(super) fn by_examples(
    engine: &Engine,
    draft: &Draft,
    (fails, passes): (&Sample, &Sample),
    not: &BTreeSet<RuleId>,
) -> Vec<RuleId> {
    let Some(form) = form(draft) else { return Vec::new() };
    let (breaks, keeps) = (finders(engine, form, fails), finders(engine, form, passes));
    breaks.into_iter().filter(|rule| !keeps.contains(rule) && !not.contains(rule)).collect()
}

fn form(draft: &Draft) -> Option<Form> {
    Form::ALL.into_iter().find(|form| draft.check.get(form.key()).is_some())
}

/// The rules of a form that find something in a sample.
fn finders(engine: &Engine, form: Form, sample: &Sample) -> BTreeSet<RuleId> {
    let files = sample.iter().map(|block| {
        let times = usize::try_from(block.times).unwrap_or(1).min(10_000);
        (block.path.clone(), format!("{}\n", block.text).repeat(times).into_bytes())
    });
    let files = Memory(files.collect());
    let listing = Listing::new(files.0.keys().cloned());
    let listed = Listed { files: &files, listing: &listing };
    let is_of = |rule: &&Rule| {
        rule.check.as_ref().and_then(CheckHeader::form) == Some(form)
            && !rule.id.starts_with("secrets/")
    };
    let of_form = engine.registry().rules().iter().filter(is_of);
    match form {
        Form::Tree | Form::Layers => of_form
            .filter(|rule| !project_checks::check_rule(engine, rule, &files, &listing).is_empty())
            .map(|rule| rule.id.clone())
            .collect(),
        Form::Commit => {
            let Some(block) = sample.first() else { return BTreeSet::new() };
            let text = (block.path.as_str(), block.text.as_str());
            of_form
                .filter(|rule| !commit_checks::check_rule(engine, rule, text, &listed).is_empty())
                .map(|rule| rule.id.clone())
                .collect()
        }
        _ => {
            let ids: BTreeSet<&RuleId> = of_form.map(|rule| &rule.id).collect();
            let mut found = BTreeSet::new();
            for path in files.0.keys() {
                let bytes = files.read(path, u64::MAX).unwrap_or_default();
                let checked = engine.check(&Source::decode(path.clone(), bytes), &listed);
                let new = checked.findings.into_iter().filter(|one| one.status == Status::New);
                found.extend(
                    new.map(|one| one.rule).filter(|id| ids.contains(id) && &**id != SKIPPED),
                );
            }
            found
        }
    }
}

/// A word in quotation marks.
static QUOTED: LazyLock<Regex> = LazyLock::new(|| {
    Regex::new(r#"["'\u{201C}\u{2018}](?<word>\w+)["'\u{201D}\u{2019}]"#).expect("an expression")
});

/// The type of that name, which without a mark is an English word.
static ANY: LazyLock<Regex> = LazyLock::new(|| {
    Regex::new(r#"[`"'\u{201C}\u{2018}]any[`"'\u{201D}\u{2019}]"#).expect("an expression")
});

/// A condition on which something may be.
static UNLESS: LazyLock<Regex> =
    LazyLock::new(|| Regex::new(r"(?i)\bunless\b").expect("an expression"));

/// A condition that says no more than that there are exceptions.
static NEEDED: LazyLock<Regex> = LazyLock::new(|| {
    Regex::new(r"(?i)\bunless\b[^.]{0,25}\b(?:necessary|needed|required|unavoidable|must)\b")
        .expect("an expression")
});

/// Where the reason begins.
static WHY: LazyLock<Regex> = LazyLock::new(|| {
    Regex::new(r"(?i),? \b(?:so (?:that )?\w+|because|since)\b").expect("an expression")
});

static EXPRESSIONS: LazyLock<Vec<Regex>> = LazyLock::new(|| {
    let compiled = |(text, _): &Topic| Regex::new(&format!("(?i){text}")).expect("an expression");
    TOPICS.iter().map(compiled).collect()
});

/// The rules on what the sentence speaks of, for the languages of the project. A name that ends in
/// `/` stands for a kind of rules: the first of it is told.
pub(super) fn by_words(sentence: &Sentence, ground: &Ground, engine: &Engine) -> Vec<RuleId> {
    if takes_back(&sentence.english) || takes_back(&sentence.shape) {
        return Vec::new();
    }
    let text = ANY.replace_all(&sentence.reading(), "any-type").replace('`', "");
    let text = QUOTED.replace_all(&text, "$word");
    // Why something is done is no demand: "so that the order of imports stays".
    let text = &text[..WHY.find(&text).map_or(text.len(), |why| why.start())];
    let row = EXPRESSIONS.iter().zip(TOPICS).find(|(expression, _)| expression.is_match(text));
    let Some((_, (_, rules))) = row else { return Vec::new() };
    // What is left out on a condition, the rule would find.
    if UNLESS.is_match(text) && !NEEDED.is_match(text) {
        return Vec::new();
    }
    let is_here = |language: &str| match language {
        "" => true,
        SCRIPT => ["javascript", "typescript"].iter().any(|one| ground.languages.contains(one)),
        other => ground.languages.iter().any(|one| *one == other),
    };
    let here = rules.iter().filter(|(_, language)| is_here(language));
    let known = here.filter_map(|(rule, _)| {
        let all = engine.registry().rules();
        let kind = || all.iter().find(|known| rule.ends_with('/') && known.id.starts_with(rule));
        engine.registry().get(rule).or_else(kind).map(|rule| rule.id.clone())
    });
    known.collect()
}

/// The packs that switch a rule on.
pub(super) fn packs_of(rule: &str, registry: &Registry) -> Vec<String> {
    let holds = |name: &String| {
        packs::header(name, registry)
            .ok()
            .and_then(|header| rule_globs(&header.rules).ok())
            .is_some_and(|globs| globs.is_match(rule))
    };
    packs::names(registry).into_iter().filter(holds).collect()
}
