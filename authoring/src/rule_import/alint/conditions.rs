//! `when` and `when_iter` of alint (<https://docs.rs/alint-rules/0.21.0>): words joined by `and`,
//! `or` and `not`, as the ways in which they may hold.

use std::iter::Peekable;
use std::str::CharIndices;

/// How deep parentheses nest.
const DEEPEST: usize = 32;
/// In how many ways a condition may hold.
const MOST_WAYS: usize = 32;

/// One thing that is asked: a name, a call with a text, or a name that is held against a text.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Asked {
    pub(super) name: String,
    /// What a call is given.
    pub(super) given: Option<String>,
    /// What it must equal.
    pub(super) equals: Option<String>,
}

/// Things that must hold together, each with whether it must, or must not.
pub(super) type Way = Vec<(bool, Asked)>;

enum Joined {
    One(Asked),
    Not(Box<Joined>),
    All(Vec<Joined>),
    Any(Vec<Joined>),
}

/// The ways in which a condition holds; `None` when it has something else in it than names, calls,
/// comparisons, `and`, `or`, `not` and parentheses, or too much.
pub(super) fn ways(text: &str) -> Option<Vec<Way>> {
    let mut words = words(text)?.into_iter().peekable();
    let whole = any(&mut words, DEEPEST)?;
    if words.next().is_some() {
        return None;
    }
    spread(&whole, true)
}

#[derive(Clone, Debug, PartialEq, Eq)]
enum Word {
    Name(String),
    Text(String),
    Mark(&'static str),
}

fn words(text: &str) -> Option<Vec<Word>> {
    let mut words = Vec::new();
    let mut rest = text.char_indices().peekable();
    while let Some((at, c)) = rest.next() {
        match c {
            c if c.is_whitespace() => {}
            '(' => words.push(Word::Mark("(")),
            ')' => words.push(Word::Mark(")")),
            '=' | '!' => {
                rest.next_if(|(_, next)| *next == '=')?;
                words.push(Word::Mark(if c == '=' { "==" } else { "!=" }));
            }
            '"' | '\'' => words.push(Word::Text(quoted(&mut rest, c)?)),
            c if c.is_alphabetic() || c == '_' => {
                let mut end = at + c.len_utf8();
                while let Some((at, c)) =
                    rest.next_if(|(_, c)| c.is_alphanumeric() || "_.-".contains(*c))
                {
                    end = at + c.len_utf8();
                }
                words.push(Word::Name(text.get(at..end)?.to_owned()));
            }
            _ => return None,
        }
    }
    Some(words)
}

fn quoted(rest: &mut Peekable<CharIndices<'_>>, quote: char) -> Option<String> {
    let mut text = String::new();
    for (_, c) in rest.by_ref() {
        match c {
            c if c == quote => return Some(text),
            // What it stands for is alint's to say.
            '\\' => return None,
            c => text.push(c),
        }
    }
    None
}

type Words = Peekable<std::vec::IntoIter<Word>>;

fn is_name(word: &Word, name: &str) -> bool {
    matches!(word, Word::Name(own) if own == name)
}

fn any(words: &mut Words, depth: usize) -> Option<Joined> {
    let mut parts = vec![all(words, depth)?];
    while words.next_if(|word| is_name(word, "or")).is_some() {
        parts.push(all(words, depth)?);
    }
    Some(Joined::Any(parts))
}

fn all(words: &mut Words, depth: usize) -> Option<Joined> {
    let mut parts = vec![one(words, depth)?];
    while words.next_if(|word| is_name(word, "and")).is_some() {
        parts.push(one(words, depth)?);
    }
    Some(Joined::All(parts))
}

fn one(words: &mut Words, depth: usize) -> Option<Joined> {
    let depth = depth.checked_sub(1)?;
    match words.next()? {
        Word::Mark("(") => {
            let inner = any(words, depth)?;
            words.next_if_eq(&Word::Mark(")"))?;
            Some(inner)
        }
        Word::Name(name) if name == "not" => Some(Joined::Not(Box::new(one(words, depth)?))),
        Word::Name(name) => {
            let given = if words.next_if_eq(&Word::Mark("(")).is_some() {
                let Word::Text(given) = words.next()? else { return None };
                words.next_if_eq(&Word::Mark(")"))?;
                Some(given)
            } else {
                None
            };
            let mark = words.next_if(|word| matches!(word, Word::Mark("==" | "!=")));
            let equals = match mark {
                Some(_) => {
                    let Word::Text(text) = words.next()? else { return None };
                    Some(text)
                }
                None => None,
            };
            let asked = Joined::One(Asked { name, given, equals });
            Some(match mark {
                Some(Word::Mark("!=")) => Joined::Not(Box::new(asked)),
                _ => asked,
            })
        }
        _ => None,
    }
}

/// The ways in which what is joined holds, or does not. The reader has bounded how deep it nests.
fn spread(joined: &Joined, holds: bool) -> Option<Vec<Way>> {
    let sum = |parts: &[Joined]| {
        let ways: Option<Vec<Vec<Way>>> = parts.iter().map(|part| spread(part, holds)).collect();
        Some(ways?.concat()).filter(|ways| ways.len() <= MOST_WAYS)
    };
    let product = |parts: &[Joined]| {
        let mut ways: Vec<Way> = vec![Vec::new()];
        for part in parts {
            let more = spread(part, holds)?;
            let join = |way: &Way| {
                let joined = more.iter().map(|more| [way.as_slice(), more.as_slice()].concat());
                joined.collect::<Vec<Way>>()
            };
            ways = ways.iter().flat_map(join).collect();
            if ways.len() > MOST_WAYS {
                return None;
            }
        }
        Some(ways)
    };
    match joined {
        Joined::One(asked) => Some(vec![vec![(holds, asked.clone())]]),
        Joined::Not(inner) => spread(inner, !holds),
        Joined::All(parts) if holds => product(parts),
        Joined::Any(parts) if !holds => product(parts),
        Joined::All(parts) | Joined::Any(parts) => sum(parts),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    fn shown(text: &str) -> Option<String> {
        let one = |(holds, asked): &(bool, Asked)| {
            let not = if *holds { "" } else { "!" };
            let given = asked.given.as_ref().map_or(String::new(), |given| format!("({given})"));
            let equals = asked.equals.as_ref().map_or(String::new(), |text| format!("={text}"));
            format!("{not}{}{given}{equals}", asked.name)
        };
        let way = |way: &Way| way.iter().map(one).collect::<Vec<_>>().join(" ");
        ways(text).map(|ways| ways.iter().map(way).collect::<Vec<_>>().join(" | "))
    }

    #[test]
    fn conditions_hold_in_ways() {
        for (text, wanted) in [
            ("facts.a", "facts.a"),
            ("not facts.a", "!facts.a"),
            ("facts.a and not facts.b or facts.c", "facts.a !facts.b | facts.c"),
            ("not (facts.a or facts.b)", "!facts.a !facts.b"),
            ("not (facts.a and facts.b)", "!facts.a | !facts.b"),
            ("(a or b) and (c or d)", "a c | a d | b c | b d"),
            (
                "iter.has_file(\"a.py\") and iter.basename != 'x'",
                "iter.has_file(a.py) !iter.basename=x",
            ),
            ("not not a", "a"),
        ] {
            assert_eq!(shown(text).as_deref(), Some(wanted), "{text}");
        }
        for text in
            ["", "a b", "a and", "(a", "a)", "a > 1", "a == b", "f(x)", "f(\"\\\"\")", "a = 'b'"]
        {
            assert_eq!(shown(text), None, "{text}");
        }
        assert_eq!(shown(&"(".repeat(100_000)), None);
        assert_eq!(shown(&"not ".repeat(100_000)), None);
        assert_eq!(shown(&["(a or b)"; 12].join(" and ")), None);
    }

    proptest! {
        #[test]
        fn nothing_panics(text in "(and |or |not |a |\\(|\\)|==|!=|\"é\"|'x' ){0,24}") {
            let _ = ways(&text);
        }
    }
}
