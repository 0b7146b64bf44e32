//! The statements that fit into a token budget.

use super::commands::checks_of;
use super::{Instructions, Statement, Weight};
use aidd_lexicon::tokens;
use std::collections::{BTreeMap, BTreeSet};

/// Instructions within a token budget.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Condensed {
    /// The files with the statements, in order.
    pub paths: Vec<String>,
    /// The lines, in the order of the files.
    pub lines: Vec<String>,
    /// The number of statements that were left out.
    pub omitted: usize,
}

/// Tokens of the line that gives the number of omitted statements.
const NOTE_TOKENS: usize = 30;

/// Selects the statements that matter most, and returns them in the order of the files. Of
/// statements that matter equally, the first of each section come first, so that every section is
/// represented.
#[must_use]
pub fn condense(files: &[Instructions], budget: usize) -> Condensed {
    let all: Vec<(&Instructions, &Statement)> =
        files.iter().flat_map(|file| file.statements.iter().map(move |one| (file, one))).collect();
    let mut order: Vec<usize> = (0..all.len()).collect();
    let places = places(&all);
    order.sort_by_cached_key(|&index| (rank(all[index]), places[index], index));
    let mut selected = vec![false; all.len()];
    let mut sections = BTreeSet::new();
    let total: usize = all.iter().map(|(_, statement)| statement.tokens).sum();
    let mut left =
        if total + total / 4 <= budget { budget } else { budget.saturating_sub(NOTE_TOKENS) };
    for index in order {
        let mut cost = all[index].1.tokens;
        let section = section(all[index]);
        if !sections.contains(&section) {
            cost += tokens::count(&heading(all[index])) + 1;
        }
        if cost <= left {
            left -= cost;
            selected[index] = true;
            sections.insert(section);
        }
    }
    render(&all, &selected)
}

/// The order in which statements are selected. Commands for checks come first. Statements about some
/// files only come after rules and conventions for all files.
fn rank((file, statement): (&Instructions, &Statement)) -> u8 {
    let is_general = file.applies_to.is_empty();
    if is_general && statement.commands.iter().any(|command| !checks_of(command).is_empty()) {
        return 0;
    }
    match (statement.weight, is_general) {
        (Weight::Rule, true) => 1,
        (Weight::Convention, true) => 2,
        (Weight::Rule, false) => 3,
        (Weight::Description, true) => 4,
        (Weight::Convention, false) => 5,
        (Weight::Description, false) => 6,
    }
}

/// The path and the heading of a statement.
fn section<'a>((file, statement): (&'a Instructions, &'a Statement)) -> (&'a str, &'a str) {
    (&file.path, &statement.heading)
}

/// The position of each statement among those of its section that matter as much.
fn places(all: &[(&Instructions, &Statement)]) -> Vec<usize> {
    let mut counts = BTreeMap::new();
    let mut places = Vec::with_capacity(all.len());
    for one in all {
        let count = counts.entry((section(*one), one.1.weight)).or_insert(0);
        *count += 1;
        places.push(*count);
    }
    places
}

fn heading((file, statement): (&Instructions, &Statement)) -> String {
    let name = match &*statement.heading {
        "" => file.path.clone(),
        heading => heading.trim_end_matches(':').to_owned(),
    };
    match &*file.applies_to {
        "" => format!("{name}:"),
        glob => format!("{name} ({glob}):"),
    }
}

fn render(all: &[(&Instructions, &Statement)], selected: &[bool]) -> Condensed {
    let mut condensed = Condensed::default();
    let mut last = None;
    for (one, _) in all.iter().zip(selected).filter(|(_, is_in)| **is_in) {
        if last != Some(section(*one)) {
            condensed.lines.push(heading(*one));
            last = Some(section(*one));
        }
        condensed.lines.push(format!("- {}", one.1.text));
        if !condensed.paths.contains(&one.0.path) {
            condensed.paths.push(one.0.path.clone());
        }
    }
    condensed.omitted = selected.iter().filter(|is_in| !**is_in).count();
    condensed
}
