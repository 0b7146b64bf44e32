//! Rules of ours that say what a sentence says: by what they find, and by what people call it.

use super::{Draft, Ground, Sample, Sentence};
use crate::check::{Engine, SKIPPED};
use crate::commit_checks;
use crate::files::{Files as _, Listed, Memory};
use crate::finding::{RuleId, Status};
use crate::listing::Listing;
use crate::packs;
use crate::paths::rule_globs;
use crate::project_checks;
use crate::registry::Registry;
use crate::rule::Rule;
use crate::source::Source;
use aidd_content::page::{CheckHeader, Form};
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

/// What people call something, and our rules on it with the language that each is for.
type Topic = (&'static str, &'static [(&'static str, &'static str)]);

const SCRIPT: &str = "javascript";

/// Demands in words that rules of ours make.
const TOPICS: [Topic; 38] = [
    (
        r"(?:secrets?|credentials?|api[ -]?keys?|passwords?|access tokens?|private keys?)\b.{0,60}\b(?:commit|hard-?cod|check(?:ed)? in|in (?:the )?(?:code|source|repo|git))|(?:commit|hard-?cod\w*|check in|push)\b.{0,40}\b(?:secrets?|credentials?|api[ -]?keys?|passwords?|access tokens?|private keys?)",
        &[("secrets/", "")],
    ),
    (
        r"commented[- ]out code|code in comments",
        &[
            ("compliance/commented-out-code", SCRIPT),
            ("compliance/python-commented-out-code", "python"),
            ("compliance/go-commented-out-code", "go"),
            ("compliance/java-commented-out-code", "java"),
            ("compliance/rust-commented-out-code", "rust"),
        ],
    ),
    (
        r"(?:skip|disabl|ignor)(?:ped|ed|ping|ing|e)?\b.{0,12}\b(?:failing |flaky |broken )?tests?\b",
        &[
            ("compliance/disabled-test", SCRIPT),
            ("compliance/python-disabled-test", "python"),
            ("compliance/go-disabled-test", "go"),
            ("compliance/java-disabled-test", "java"),
            ("compliance/rust-disabled-test", "rust"),
        ],
    ),
    (
        r"focus(?:ed|sed)? tests?|\.only\b",
        &[("compliance/focused-test", SCRIPT), ("compliance/ruby-focused-test", "ruby")],
    ),
    (
        r"sleeps?\b.{0,20}\btests?|fixed (?:waits?|sleeps?|delays?)|tests?\b.{0,40}\bsleep",
        &[
            ("compliance/sleeping-test", SCRIPT),
            ("compliance/python-sleeping-test", "python"),
            ("compliance/go-sleeping-test", "go"),
            ("compliance/java-sleeping-test", "java"),
            ("compliance/rust-sleeping-test", "rust"),
        ],
    ),
    (
        r"\bsql\b.{0,60}(?:concatenat|interpolat|string format)|(?:parameteri[sz]ed|prepared) (?:quer|statement)|concatenat\w*.{0,30}\b(?:sql|queries)",
        &[
            ("compliance/sql-concatenation", SCRIPT),
            ("compliance/python-sql-concatenation", "python"),
            ("compliance/go-sql-concatenation", "go"),
            ("compliance/java-sql-concatenation", "java"),
            ("compliance/rust-sql-concatenation", "rust"),
        ],
    ),
    (
        r"empty (?:catch|except)|swallow\w*\b.{0,20}\b(?:errors?|exceptions?)|silently (?:ignore|drop|swallow)",
        &[
            ("compliance/empty-catch", SCRIPT),
            ("compliance/python-empty-except", "python"),
            ("compliance/java-empty-catch", "java"),
            ("compliance/go-ignored-error", "go"),
        ],
    ),
    (r"ignore(?:d|s)? (?:returned )?errors?\b", &[("compliance/go-ignored-error", "go")]),
    (r"bare except|except:", &[("compliance/python-bare-except", "python")]),
    (r"mutable default", &[("compliance/python-mutable-default", "python")]),
    (
        r"(?:circular|cyclic)\b.{0,20}(?:import|dependenc|reference)|import cycles?",
        &[("compliance/import-cycle", "")],
    ),
    (
        r"actions?\b.{0,60}\b(?:pin|sha|commit hash)|pin\b.{0,30}\bactions?",
        &[("compliance/unpinned-action", "")],
    ),
    (
        r"\b(?:md5|sha-?1)\b",
        &[
            ("compliance/weak-hash", SCRIPT),
            ("compliance/python-weak-hash", "python"),
            ("compliance/go-weak-hash", "go"),
            ("compliance/java-weak-hash", "java"),
            ("compliance/rust-weak-hash", "rust"),
        ],
    ),
    (
        r"(?:tls|ssl|certificate) (?:verification|validation|checks?)",
        &[
            ("compliance/unverified-tls", SCRIPT),
            ("compliance/python-unverified-tls", "python"),
            ("compliance/go-unverified-tls", "go"),
            ("compliance/java-unverified-tls", "java"),
            ("compliance/rust-unverified-tls", "rust"),
        ],
    ),
    (r"non-null assertion", &[("compliance/non-null-assertion", "typescript")]),
    (
        r"(?:wildcard|star|glob) imports?",
        &[
            ("compliance/wildcard-import", SCRIPT),
            ("compliance/java-wildcard-import", "java"),
            ("compliance/python-star-import", "python"),
        ],
    ),
    (
        r"\b(?:no|avoid|never|not|without)\b.{0,20}(?:\bany\b type|type \bany\b|explicit any|untyped any)",
        &[("compliance/any-type", "typescript")],
    ),
    (
        r"\benums?\b.{0,30}\b(?:union|const object|not)|(?:no|avoid|never use|don't use|do not use) (?:typescript )?enums\b",
        &[("compliance/enum", "typescript")],
    ),
    (
        r"\balt\b.{0,10}\b(?:text|attributes?)|alternative text",
        &[
            ("compliance/image-without-alt", SCRIPT),
            ("compliance/html-image-without-alt", ""),
            ("compliance/markdown-image-without-alt", ""),
        ],
    ),
    (
        r"select \*",
        &[
            ("compliance/select-star", SCRIPT),
            ("compliance/python-select-star", "python"),
            ("compliance/go-select-star", "go"),
            ("compliance/java-select-star", "java"),
        ],
    ),
    (r"(?:broken|dead) links?", &[("compliance/broken-link", "")]),
    (
        r"(?:todos?|fixmes?)\b.{0,60}\b(?:issue|ticket|tracker|owner|reference)",
        &[("compliance/untracked-todo", "")],
    ),
    (
        r"lock ?files?\b.{0,40}\bcommit|commit\b.{0,30}\block ?files?",
        &[
            ("compliance/missing-lock-file", SCRIPT),
            ("compliance/python-missing-lock-file", "python"),
            ("compliance/go-missing-lock-file", "go"),
        ],
    ),
    (
        r"(?:es|esm|ecmascript) modules?\b|commonjs|\brequire\(\)",
        &[("compliance/commonjs", SCRIPT)],
    ),
    (
        r"deep(?:ly)? nest",
        &[
            ("compliance/deep-nesting", SCRIPT),
            ("compliance/python-deep-nesting", "python"),
            ("compliance/go-deep-nesting", "go"),
            ("compliance/java-deep-nesting", "java"),
            ("compliance/rust-deep-nesting", "rust"),
        ],
    ),
    (
        r"wildcard (?:versions?|dependenc)",
        &[
            ("compliance/wildcard-dependency", SCRIPT),
            ("compliance/rust-wildcard-dependency", "rust"),
        ],
    ),
    (r"unsafe\b.{0,60}\bsafety\b", &[("compliance/rust-unsafe-without-reason", "rust")]),
    (
        r"public (?:items?|functions?|types?|apis?|structs?|methods?)\b.{0,40}\b(?:doc|documented|rustdoc)|(?:doc comments?|documentation|rustdoc)\b.{0,40}\bpublic",
        &[("compliance/rust-undocumented", "rust")],
    ),
    (r"type (?:hints?|annotations?)\b", &[("compliance/python-untyped-function", "python")]),
    (
        r"(?:index|barrel) files?\b.{0,40}\b(?:re-?export|logic)",
        &[("compliance/logic-in-index", SCRIPT)],
    ),
    (
        r"\bdebug(?:ging)? (?:output|statements?|prints?|logs?|code)|print statements?|console logs?|console statements?",
        &[
            ("compliance/debug-output", SCRIPT),
            ("compliance/java-debug-output", "java"),
            ("compliance/python-debug-output", "python"),
            ("compliance/go-debug-output", "go"),
            ("compliance/php-debug-output", "php"),
        ],
    ),
    (
        r"merged migrations?|(?:edit|modify|change)\b.{0,30}\b(?:existing|applied|old|committed|merged) migrations?",
        &[("compliance/edited-migration", "")],
    ),
    (
        r"localstorage\b.{0,40}\btokens?|tokens?\b.{0,40}\blocalstorage",
        &[("compliance/stored-token", SCRIPT)],
    ),
    (
        r"math\.random|insecure random|cryptographic(?:ally)? (?:secure )?random",
        &[
            ("compliance/weak-random", SCRIPT),
            ("compliance/python-weak-random", "python"),
            ("compliance/go-weak-random", "go"),
            ("compliance/java-weak-random", "java"),
        ],
    ),
    (r"\blatest\b.{0,15}\btags?\b|tags?\b.{0,15}\blatest\b", &[("dockerfile/latest-tag", "")]),
    (r"(?:containers?|docker)\b.{0,40}\broot\b", &[("dockerfile/root-user", "")]),
    (
        r"(?:log|print|logging)\b.{0,30}\b(?:passwords?|tokens?|secrets?|personal data|pii)",
        &[("compliance/logged-secret", SCRIPT), ("compliance/python-logged-secret", "python")],
    ),
    (r"(?:test-?ids?|data-testid)\b", &[("compliance/test-id-query", SCRIPT)]),
];

static EXPRESSIONS: LazyLock<Vec<Regex>> = LazyLock::new(|| {
    let compiled = |(text, _): &Topic| Regex::new(&format!("(?i){text}")).expect("an expression");
    TOPICS.iter().map(compiled).collect()
});

/// The rules on what the sentence speaks of, for the languages of the project. A name that ends in
/// `/` stands for a kind of rules: the first of it is told.
pub(super) fn by_words(sentence: &Sentence, ground: &Ground, engine: &Engine) -> Vec<RuleId> {
    let text = sentence.text().replace('`', "");
    let row = EXPRESSIONS.iter().zip(&TOPICS).find(|(expression, _)| expression.is_match(&text));
    let Some((_, (_, rules))) = row else { return Vec::new() };
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
