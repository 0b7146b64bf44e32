//! `when` and `when_iter` of alint (<https://docs.rs/alint-rules/0.21.0>): words joined by `and`,
//! `or` and `not`, as the ways in which they may hold.

use regex::Regex;
use std::iter::Peekable;
use std::sync::LazyLock;

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

/// The ways in which a condition holds, and those in which it does not; `None` where there are too
/// many.
type Both = (Option<Vec<Way>>, Option<Vec<Way>>);

/// The ways in which a condition holds; `None` when it has something else in it than names, calls,
/// comparisons, `and`, `or`, `not` and parentheses, or too much.
pub(super) fn ways(text: &str) -> Option<Vec<Way>> {
    let mut words = words(text)?.into_iter().peekable();
    let (holds, _) = any(&mut words, DEEPEST)?;
    holds.filter(|_| words.next().is_none())
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Word<'t> {
    Name(&'t str),
    Text(&'t str),
    Mark(&'t str),
}

type Words<'t> = Peekable<std::vec::IntoIter<Word<'t>>>;

fn words(text: &str) -> Option<Vec<Word<'_>>> {
    // What a backslash stands for is alint's to say.
    static WORD: LazyLock<Regex> = LazyLock::new(|| {
        Regex::new(r#"\A\s*(?:([\p{Alphabetic}_][\w.-]*)|"([^"\\]*)"|'([^'\\]*)'|(==|!=|[()]))"#)
            .expect("a constant pattern")
    });
    let mut words = Vec::new();
    let mut rest = text.trim_end();
    while !rest.is_empty() {
        let found = WORD.captures(rest)?;
        let part = |at: usize| found.get(at).map(|part| part.as_str());
        let text = || part(2).or(part(3)).map(Word::Text);
        words.push(part(1).map(Word::Name).or_else(text).or(part(4).map(Word::Mark))?);
        rest = &rest[found[0].len()..];
    }
    Some(words)
}

fn any(words: &mut Words<'_>, depth: usize) -> Option<Both> {
    let (mut holds, mut not) = all(words, depth)?;
    while words.next_if_eq(&Word::Name("or")).is_some() {
        let next = all(words, depth)?;
        (holds, not) = (sum(holds, next.0), product(not, next.1));
    }
    Some((holds, not))
}

fn all(words: &mut Words<'_>, depth: usize) -> Option<Both> {
    let (mut holds, mut not) = one(words, depth)?;
    while words.next_if_eq(&Word::Name("and")).is_some() {
        let next = one(words, depth)?;
        (holds, not) = (product(holds, next.0), sum(not, next.1));
    }
    Some((holds, not))
}

fn one(words: &mut Words<'_>, depth: usize) -> Option<Both> {
    let depth = depth.checked_sub(1)?;
    let name = match words.next()? {
        Word::Mark("(") => {
            let inner = any(words, depth)?;
            words.next_if_eq(&Word::Mark(")"))?;
            return Some(inner);
        }
        Word::Name("not") => {
            let (holds, not) = one(words, depth)?;
            return Some((not, holds));
        }
        Word::Name(name) => name.to_owned(),
        _ => return None,
    };
    let mut given = None;
    if words.next_if_eq(&Word::Mark("(")).is_some() {
        given = Some(text(words)?);
        words.next_if_eq(&Word::Mark(")"))?;
    }
    let mark = words.next_if(|word| matches!(word, Word::Mark("==" | "!=")));
    let equals = if mark.is_some() { Some(text(words)?) } else { None };
    let asked = Asked { name, given, equals };
    let way = |holds| Some(vec![vec![(holds, asked.clone())]]);
    let differs = mark == Some(Word::Mark("!="));
    Some((way(!differs), way(differs)))
}

fn text(words: &mut Words<'_>) -> Option<String> {
    match words.next()? {
        Word::Text(text) => Some(text.to_owned()),
        _ => None,
    }
}

/// One of two conditions holds.
fn sum(one: Option<Vec<Way>>, next: Option<Vec<Way>>) -> Option<Vec<Way>> {
    Some([one?, next?].concat()).filter(|ways| ways.len() <= MOST_WAYS)
}

/// Both of two conditions hold.
fn product(one: Option<Vec<Way>>, next: Option<Vec<Way>>) -> Option<Vec<Way>> {
    let (one, next) = (one?, next?);
    let join = |way: &Way| next.iter().map(|more| [&way[..], more].concat()).collect::<Vec<Way>>();
    (one.len() * next.len() <= MOST_WAYS).then(|| one.iter().flat_map(join).collect())
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
