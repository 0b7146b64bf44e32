//! Drafts of what is written instead of something else, in code with a fix where one fits.

use super::calls::{called, is_name};
use super::code::{all_of, narrow};
use super::drafts::draft;
use super::imports;
use super::shapes::{Caught, Made};
use super::{Block, Draft, Ground, Trust};
use serde_json::{Value, json};

pub(super) fn instead(caught: &Caught<'_>, ground: &Ground) -> Option<Made> {
    let good = *caught.codes_in("good").first()?;
    let bad = caught.codes_in("bad");
    let mut found = all_of(&bad, ground).or_else(|| package(good, &bad, ground))?;
    found.message = format!("`{}`: use `{good}` instead", bad.join("`, `"));
    found.trust = Trust::Medium;
    narrow(&mut found, caught, ground)?;
    if let [bad] = &bad[..]
        && let Some(fix) = fix(&found.check, bad, good)
    {
        // Whether the arguments fit and the name is imported, only a person can tell.
        found.check["syntax"]["fix"] = Value::from(fix);
    }
    if let ([bad], Some(block)) = (&bad[..], found.fails.first().and_then(|sample| sample.first()))
    {
        // The same line as it should be is the best example of what passes.
        let (from, to) = (called(bad), called(good));
        if block.text.contains(from) && !from.is_empty() {
            let text = block.text.replace(from, to);
            found.passes.insert(0, Block::alone(block.path.clone(), text));
        }
    }
    Some(Made::Draft(Box::new(found)))
}

/// A package that a known one stands for: of the same kind, whether or not a manifest names it.
fn package(good: &str, bad: &[&str], ground: &Ground) -> Option<Draft> {
    let good = ground.package(good)?;
    let (kind, _) = good.split_once(':')?;
    let [bad] = bad else { return None };
    let is_package = |c: char| c.is_ascii_lowercase() || c.is_ascii_digit() || "-_@/.".contains(c);
    if bad.len() < 2 || !bad.chars().all(is_package) || bad.ends_with('/') {
        return None;
    }
    let bad_name = if kind == "crate" { bad.replace('-', "_") } else { (*bad).to_owned() };
    Some(imports::ban_package(bad, &format!("{kind}:{bad_name}")))
}

/// What stands in the place of what the rule finds, where both are of one form.
fn fix(check: &Value, bad: &str, good: &str) -> Option<String> {
    let rule = check.get("syntax")?.get("rule")?;
    let name = |code: &str| called(code).trim_start_matches('.').to_owned();
    let is_path = |code: &str| {
        let parts = code.split(['.', ':']).filter(|part| !part.is_empty());
        !code.is_empty() && parts.into_iter().all(is_name)
    };
    let good_name = name(good);
    if !is_path(&good_name) {
        return of_construct(rule, bad, good);
    }
    match rule["pattern"].as_str() {
        Some("$LEFT == $RIGHT" | "$LEFT != $RIGHT") | None => of_construct(rule, bad, good),
        Some(pattern) if pattern.starts_with("$VALUE.") => {
            good.starts_with('.').then(|| format!("$VALUE.{good_name}($$$ARGS)"))
        }
        Some(pattern) if pattern.contains("!(") => {
            let mark = if good.contains('!') { "!" } else { "" };
            (good.contains('!') || good.contains('('))
                .then(|| format!("{good_name}{mark}($$$ARGS)"))
        }
        Some(pattern) if pattern.contains("($$$ARGS)") => {
            (!good.starts_with('.') && !good.contains('!')).then(|| format!("{good_name}($$$ARGS)"))
        }
        // A member: what follows it stays.
        Some(_) => (!good.contains(['(', '!'])).then(|| good.to_owned()),
    }
}

/// The fixes of constructs and paths.
fn of_construct(rule: &Value, bad: &str, good: &str) -> Option<String> {
    match (bad, good) {
        ("any", "unknown") => Some("unknown".to_owned()),
        ("==", "===") => Some("$LEFT === $RIGHT".to_owned()),
        ("!=", "!==") => Some("$LEFT !== $RIGHT".to_owned()),
        // A path of Rust by another path; a crate is written with `_` in code.
        _ if bad.contains("::") && rule.get("any").is_some() => {
            let path = good.replace('-', "_");
            let is_path = path.split("::").all(is_name);
            is_path.then_some(path)
        }
        _ => None,
    }
}

/// Words of prose: "write A, not B".
pub(super) fn wording(caught: &Caught<'_>, ground: &Ground) -> Option<Made> {
    let word = |group: &str| caught.code(group).or_else(|| caught.words(group)).map(str::trim);
    let (good, bad) = (word("good")?, word("bad")?);
    let words = caught.sentence.english.to_lowercase();
    // Examples of a mood or of a message are no words to be looked for.
    const OTHERS: [&str; 8] =
        ["mood", "tense", "commit", "message", "voice", "subject", "name", "variable"];
    let is_word = |word: &str| {
        word.len() > 2
            && word.split(' ').count() <= 3
            && word.chars().all(|c| c.is_alphabetic() || c == '-' || c == ' ')
    };
    if !is_word(good)
        || !is_word(bad)
        || good == bad
        || OTHERS.iter().any(|one| words.contains(one))
    {
        return None;
    }
    let files: Vec<String> =
        ground.code_glob().into_iter().chain(["**/*.{md,mdx,txt}".to_owned()]).collect();
    let swap = json!({"in": ["prose", "headings", "comments"], "swap": {bad: good}});
    let said = format!("`{bad}`: write `{good}`");
    let mut found =
        draft(&format!("write-{good}"), json!({"files": files, "text": swap}), said, Trust::Medium);
    let line = |word: &str| Block::alone("docs/example.md", format!("The {word} is here."));
    found.fails = vec![line(bad)];
    found.passes = vec![line(good)];
    Some(Made::Draft(Box::new(found)))
}
