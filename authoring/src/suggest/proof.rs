//! Examples that prove a draft: each is run before it is one.

use super::page::{Examples, whole};
use super::{Block, Draft, Sample};
use aidd_engine::check::Engine;
use aidd_engine::rules::rule::Rule;
use aidd_engine::text::finding::Severity;
use aidd_engine::workspace::examples::{self, Example, Expected};
use std::borrow::Cow;

/// Most examples of each sort that are tried.
const MOST: usize = 8;

/// Examples of a draft whose bare page `rule` is; those of the project come first. `None` when none
/// holds: what no example proves is not offered.
pub(super) fn prove(
    engine: &Engine,
    rule: &Rule,
    draft: &Draft,
    (real, near): (&[Sample], &[Sample]),
) -> Option<Examples> {
    let fails = real.iter().chain(&draft.fails).take(MOST).find_map(|sample| {
        let found = found(engine, rule, draft, sample);
        (!found.is_empty()).then(|| (sample.clone(), found))
    })?;
    let is_clean =
        |sample: &&Sample| **sample != fails.0 && found(engine, rule, draft, sample).is_empty();
    // What a draft says passes is nearer to the sentence than what stands beside a finding.
    let own = draft.passes.iter().take(MOST).find(is_clean);
    let near = near.iter().take(MOST).find(is_clean);
    let is_swap = draft.passes.len() > 1;
    let passes = if is_swap { own.or(near) } else { near.or(own) }?.clone();
    let fixed = fixed(engine, rule, draft, &fails.0);
    let examples = Examples { fails: vec![fails], passes: vec![passes], fixed };
    let page = whole(draft, Severity::Warning, ("It is so.", "x"), &examples);
    holds(engine, rule, page).then_some(examples)
}

/// Whether the examples of `page` hold for the check of `rule`.
pub(super) fn holds(engine: &Engine, rule: &Rule, page: String) -> bool {
    let rule = with_page(rule, page);
    examples::run(engine, &rule).is_empty()
}

fn with_page(rule: &Rule, page: String) -> Rule {
    let mut rule = rule.clone();
    rule.page = Cow::Owned(page);
    rule
}

/// What the rule finds in a sample, as a `finding` block has it; nothing where it cannot be an
/// example.
fn found(engine: &Engine, rule: &Rule, draft: &Draft, sample: &Sample) -> Vec<String> {
    let found = as_example(rule, draft, sample);
    found.map(|(rule, one)| examples::found_in(engine, &rule, &one)).unwrap_or_default()
}

/// What the fix of the rule makes of a sample; nothing where it has none, or changes nothing.
fn fixed(engine: &Engine, rule: &Rule, draft: &Draft, sample: &Sample) -> Sample {
    let Some((rule, one)) = as_example(rule, draft, sample) else { return Sample::new() };
    let texts = examples::mended(engine, &rule, &one);
    texts.into_iter().map(|(path, text)| Block::new(path, text)).collect()
}

/// The example that a sample would be in the page.
fn as_example(rule: &Rule, draft: &Draft, sample: &Sample) -> Option<(Rule, Example)> {
    if sample.iter().any(|block| block.path.contains(char::is_whitespace) || block.path.is_empty())
    {
        return None;
    }
    let bare = Examples { fails: vec![(sample.clone(), Vec::new())], ..Examples::default() };
    let page = whole(draft, Severity::Warning, ("It is so.", "x"), &bare);
    let rule = with_page(rule, page);
    let (read, _) = examples::read(&rule).ok()?;
    let fails = read.into_iter().find(|example| example.expected != Expected::Passes)?;
    Some((rule, fails))
}
