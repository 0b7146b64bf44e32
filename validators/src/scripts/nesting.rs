//! Estimates before parsing how deeply a text is nested, and runs the parser and the walk over its
//! tree on a stack that is large enough.

/// Maximum number of nesting levels of a text that is parsed. Real files of 500 KiB have up to
/// 90,000.
const MAX_LEVELS: usize = 96 << 10;

/// Maximum length of a text that is parsed, in bytes.
const MAX_SIZE: usize = 2 << 20;

/// Maximum length in bytes of a text whose levels are not counted: each byte is assumed to begin a
/// level. The stack of a thread that checks a whole project is large enough for such a text.
const MAX_UNCOUNTED_SIZE: usize = 32 << 10;

/// The stack in bytes that is reserved for one level. In release builds, parsing and a plain walk
/// need at most 1.5 KiB per level; the frames of debug builds are larger.
const STACK_PER_LEVEL: usize = if cfg!(debug_assertions) { 32 << 10 } else { 4 << 10 };

/// Stack size in bytes that every text requires, in addition to its levels.
const BASE_STACK: usize = 512 << 10;

/// The error for a text that is too long or too deeply nested to be parsed.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct TooComplex;

impl std::fmt::Display for TooComplex {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str("too long or too deeply nested")
    }
}

/// Runs `check` on a stack that cannot overflow when `text` is parsed; the tests of this module
/// verify its size. Memory is reserved for the whole stack, but only the part that the nesting
/// requires is used.
pub(crate) fn with_stack<T>(text: &str, check: impl FnOnce() -> T) -> Result<T, TooComplex> {
    let levels = if text.len() <= MAX_UNCOUNTED_SIZE { text.len() } else { max_levels(text) };
    if text.len() > MAX_SIZE || levels > MAX_LEVELS {
        return Err(TooComplex);
    }
    let needed = BASE_STACK + levels * STACK_PER_LEVEL;
    Ok(stacker::maybe_grow(needed, needed, check))
}

/// An upper bound on the depth of the syntax tree of a text in JavaScript, TypeScript or Python:
/// the number of characters and words that can begin a level.
///
/// The text is not split into tokens, because only the parser knows where a string or a regular
/// expression ends. For the same reason, closing characters do not reduce the number of levels:
/// they can be part of a string.
fn max_levels(text: &str) -> usize {
    let bytes = text.as_bytes();
    let mut levels = 0;
    let mut at = 0;
    while let Some(&byte) = bytes.get(at) {
        let start = at;
        at += 1;
        match CLASSES[usize::from(byte)] {
            Class::Other => {}
            Class::Level => levels += 1,
            Class::Word => {
                while bytes.get(at).is_some_and(|&next| CLASSES[usize::from(next)] == Class::Word) {
                    at += 1;
                }
                levels += usize::from(is_keyword(&bytes[start..at]));
            }
        }
    }
    levels
}

#[derive(Clone, Copy, PartialEq, Eq)]
enum Class {
    /// White space, closing characters, commas, semicolons, quotes: they never begin a level.
    Other,
    /// An opening character or an operator, which can begin a level.
    Level,
    /// Part of a word or number.
    Word,
}

const CLASSES: [Class; 256] = {
    let mut classes = [Class::Level; 256];
    let mut byte = 0;
    while byte < 256 {
        #[expect(clippy::cast_possible_truncation, reason = "less than 256")]
        let character = byte as u8;
        classes[byte] = match character {
            b')' | b']' | b'}' | b',' | b';' | b'\'' | b'"' | 0..=b' ' | 127 => Class::Other,
            b'a'..=b'z' | b'A'..=b'Z' | b'0'..=b'9' | b'_' | b'$' | 128.. => Class::Word,
            _ => Class::Level,
        };
        byte += 1;
    }
    classes
};

/// Whether a word can be followed by a nested statement, expression or type.
fn is_keyword(word: &[u8]) -> bool {
    matches!(
        word,
        b"abstract"
            | b"accessor"
            | b"and"
            | b"as"
            | b"assert"
            | b"asserts"
            | b"async"
            | b"await"
            | b"case"
            | b"catch"
            | b"class"
            | b"declare"
            | b"def"
            | b"default"
            | b"del"
            | b"delete"
            | b"do"
            | b"elif"
            | b"else"
            | b"enum"
            | b"except"
            | b"export"
            | b"extends"
            | b"finally"
            | b"for"
            | b"from"
            | b"function"
            | b"get"
            | b"if"
            | b"implements"
            | b"import"
            | b"in"
            | b"infer"
            | b"instanceof"
            | b"interface"
            | b"is"
            | b"keyof"
            | b"lambda"
            | b"match"
            | b"module"
            | b"namespace"
            | b"new"
            | b"not"
            | b"of"
            | b"or"
            | b"out"
            | b"override"
            | b"private"
            | b"protected"
            | b"public"
            | b"raise"
            | b"readonly"
            | b"return"
            | b"satisfies"
            | b"set"
            | b"static"
            | b"switch"
            | b"throw"
            | b"try"
            | b"type"
            | b"typeof"
            | b"unique"
            | b"using"
            | b"void"
            | b"while"
            | b"with"
            | b"yield"
    )
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::test_files::tests::rule_findings;
    use proptest::prelude::*;

    /// Number of levels in the tests. In debug builds, the maximum would require gigabytes of
    /// stack.
    const TESTED_LEVELS: usize =
        if cfg!(debug_assertions) { MAX_LEVELS / 16 } else { MAX_LEVELS - 64 };

    /// Constructs that can be nested: the text before all levels, the start of each level, the text
    /// in the innermost level, the end of each level.
    const CONSTRUCTS: &[(&str, &str, &str, &str)] = &[
        ("", "(", "a", ")"),
        ("", "[", "a", "]"),
        ("", "{", "a", "}"),
        ("x=", "{a:", "a", "}"),
        ("x=", "<a>", "", "</a>"),
        ("x=", "<a b={", "a", "}/>"),
        ("", "!", "a", ""),
        ("", "- ", "a", ""),
        ("", "a=>", "a", ""),
        ("", "(a,b)=>{", "a", "}"),
        ("", "function a(){", "a", "}"),
        ("", "async()=>{await a;", "", "}"),
        ("", "a=", "a", ""),
        ("", "a?", "a", ":a"),
        ("", "a?b:", "a", ""),
        ("", "`${", "a", "}`"),
        ("a", ".b", "", ""),
        ("a", "[0]", "", ""),
        ("a", "()", "", ""),
        ("a", ".b()", "", ""),
        ("a", "!", "", ""),
        ("a", "``", "", ""),
        ("a", "?.b", "", ""),
        ("a", "+a", "", ""),
        ("a", "&&a", "", ""),
        ("a", "**a", "", ""),
        ("a", " as b", "", ""),
        ("", "if(a)", "a", ""),
        ("", "if(a){}else ", "a", ""),
        ("", "for(;;)", "a", ""),
        ("", "while(a)", "a", ""),
        ("", "do ", "a", ";while(a)"),
        ("", "b:", "a", ""),
        ("", "new ", "a", ""),
        ("", "typeof ", "a", ""),
        ("async()=>", "await ", "a", ""),
        ("", "void ", "a", ""),
        ("", "f(", "a", ")"),
        ("x=", "class extends ", "a", "{}"),
        ("x=", "class{a=", "a", "}"),
        ("", "try{", "a", "}catch{}"),
        ("", "switch(a){default:", "a", "}"),
        ("let x:", "A<", "a", ">"),
        ("let x:", "keyof ", "a", ""),
        ("let x:", "B extends C?D:", "a", ""),
        ("let x:", "(a:b)=>", "a", ""),
        ("let x:a", "[]", "", ""),
        ("", "describe('a',()=>{", "a", "})"),
        ("", "it('a',()=>{", "a", "})"),
        ("", "expect(", "a", ")"),
        ("", "not ", "a", ""),
        ("", "lambda:", "a", ""),
        ("a", " if a else a", "", ""),
        ("", "f(a=", "a", ")"),
        ("", "[a for a in ", "a", "]"),
        ("", "f'{", "a", "}'"),
    ];

    /// A text with at most `levels` levels.
    fn nested(&(before, start, middle, end): &(&str, &str, &str, &str), levels: usize) -> String {
        let count = levels / max_levels(&format!("{start}{end}")).max(1);
        format!("{before}{}{middle}{}", start.repeat(count), end.repeat(count))
    }

    /// Checks a text as JavaScript, TypeScript and Python, on a thread with a small stack.
    fn check(text: &str) {
        let script = format!("it('a', () => {{ {text} }})");
        let python = format!("def test_a():\n    assert {text}\n");
        std::thread::scope(|scope| {
            let check = || {
                for path in ["a.test.tsx", "a.test.ts"] {
                    rule_findings("focused-test", path, text, &[]);
                    rule_findings("focused-test", path, &script, &[]);
                }
                rule_findings("python-tuple-assert", "test_a.py", &python, &[]);
            };
            let thread = std::thread::Builder::new().stack_size(1 << 20);
            thread.spawn_scoped(scope, check).expect("a thread").join().expect("no panic");
        });
    }

    #[test]
    fn deeply_nested_texts_do_not_overflow_the_stack() {
        for construct in CONSTRUCTS {
            let text = nested(construct, TESTED_LEVELS);
            assert!(with_stack(&text, || ()).is_ok(), "{construct:?}");
            check(&text);
            check(&text[..text.len() - text.len() / 3]);
        }
    }

    #[test]
    fn deeper_texts_are_not_parsed() {
        for construct in CONSTRUCTS {
            let text = nested(construct, 2 * MAX_LEVELS);
            assert!(with_stack(&text, || ()).is_err(), "{construct:?}");
            check(&text);
            let long = construct.1.repeat((2 << 20) / construct.1.len() + 1);
            assert!(with_stack(&long, || ()).is_err(), "{construct:?}");
            check(&long);
        }
    }

    #[test]
    fn ordinary_texts_are_below_the_limit() {
        let test = "  it('adds a user', async () => {\n    const user = await repository.add({ name: 'a', age: 1 });\n    expect(user.name).toEqual('a');\n  });\n";
        let text = test.repeat(500_000 / test.len());
        assert!(with_stack(&text, || ()).is_ok(), "{}", max_levels(&text));
    }

    proptest! {
        #![proptest_config(ProptestConfig::with_cases(32))]
        #[test]
        fn mixed_nesting_does_not_overflow_the_stack(
            constructs in proptest::collection::vec(proptest::sample::select(CONSTRUCTS), 1..6),
        ) {
            let start: String = constructs.iter().map(|construct| construct.1).collect();
            let end: String = constructs.iter().rev().map(|construct| construct.3).collect();
            check(&nested(&(constructs[0].0, &start, "a", &end), TESTED_LEVELS));
        }
    }
}
