//! Splits the argument of an instruction into words and pairs.

use super::words::{split, split_quoted, unquote};
use super::{Escape, Instruction, Keyword, Logical, Pair, Word, json};
use std::ops::Range;

/// Sets words, pairs and the JSON form of `instruction` from its argument.
pub(super) fn parse_arguments(instruction: &mut Instruction, escape: Escape) {
    use Keyword as K;
    let argument = instruction.argument.clone();
    match instruction.kind {
        K::Env | K::Label => pairs(instruction, argument, escape, true),
        K::Arg => pairs(instruction, argument, escape, false),
        K::Add | K::Copy | K::Volume => {
            if !parse_json_form(instruction) {
                instruction.words = words(&instruction.logical, &argument, escape);
            }
        }
        K::Run | K::Cmd | K::Entrypoint | K::Shell => {
            parse_json_form(instruction);
        }
        K::From | K::Expose | K::Healthcheck | K::Unknown => {
            instruction.words = words(&instruction.logical, &argument, escape);
        }
        K::Maintainer | K::Stopsignal | K::User | K::Workdir => {
            let single_word =
                (!argument.is_empty()).then(|| word(&instruction.logical, argument, escape));
            instruction.words = single_word.into_iter().collect();
        }
        K::Onbuild => {}
    }
}

/// Parses the JSON form; returns `false` if the argument is not in that form.
fn parse_json_form(instruction: &mut Instruction) -> bool {
    let text = instruction.argument();
    let Some(strings) = text.starts_with('[').then(|| json::strings(text)).flatten() else {
        return false;
    };
    let base = instruction.argument.start;
    let logical = &instruction.logical;
    let element = |(at, text): (Range<usize>, String)| {
        let at = base + at.start..base + at.end;
        Word { span: logical.span(at.clone()), at, text }
    };
    instruction.words = strings.into_iter().map(element).collect();
    instruction.json = true;
    true
}

fn words(logical: &Logical, argument: &Range<usize>, escape: Escape) -> Vec<Word> {
    let base = argument.start;
    split(&logical.text()[argument.clone()])
        .into_iter()
        .map(|at| word(logical, base + at.start..base + at.end, escape))
        .collect()
}

fn word(logical: &Logical, at: Range<usize>, escape: Escape) -> Word {
    let text = unquote(&logical.text()[at.clone()], escape);
    Word { span: logical.span(at.clone()), at, text }
}

/// Parses pairs such as `K=v K2="v 2"`; with `legacy`, also the form `K value to the end of the
/// line`.
fn pairs(instruction: &mut Instruction, argument: Range<usize>, escape: Escape, legacy: bool) {
    let logical = &instruction.logical;
    let text = &logical.text()[argument.clone()];
    let ranges = split_quoted(text, escape);
    let shift = |at: Range<usize>| argument.start + at.start..argument.start + at.end;
    let mut pairs = Vec::new();
    let first = ranges.first().map_or("", |at| &text[at.clone()]);
    if legacy && !first.is_empty() && !first.contains('=') {
        let rest = ranges.get(1).map(|second| second.start..text.len());
        pairs.push(Pair {
            key: word(logical, shift(ranges[0].clone()), escape),
            value: rest.map(|at| word(logical, shift(at), escape)),
            legacy: true,
        });
    } else {
        pairs.extend(ranges.iter().map(|at| {
            let raw = &text[at.clone()];
            let (key, value) =
                raw.split_once('=').map_or((raw, None), |(key, value)| (key, Some(value)));
            let value_at = value.map(|value| at.end - value.len()..at.end);
            Pair {
                key: word(logical, shift(at.start..at.start + key.len()), escape),
                value: value_at.map(|at| word(logical, shift(at), escape)),
                legacy: false,
            }
        }));
    }
    instruction.words = ranges.into_iter().map(|at| word(logical, shift(at), escape)).collect();
    instruction.pairs = pairs;
}
