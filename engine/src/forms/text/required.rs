//! What each match of an expression contains. Most windows around a keyword do not contain it, and
//! looking for it takes much less time than searching for the expression.

use regex_syntax::hir::{Class, Hir, HirKind};

/// Minimum length of a run that is looked for: texts contain shorter runs everywhere.
const MIN_RUN: usize = 8;

/// The bytes of a class.
type Bytes = [bool; 256];

/// What each match of an expression contains.
#[derive(Debug, Default)]
pub(super) struct Required {
    literals: Vec<Box<[u8]>>,
    /// The longest run of bytes that are all in one class, if it is long enough.
    run: Option<(usize, Box<Bytes>)>,
}

impl Required {
    pub(super) fn of(expression: &Hir) -> Self {
        let mut collected = Collected::default();
        collected.add(expression);
        collected.end_run();
        collected.required
    }

    /// Whether `text` can contain a match.
    pub(super) fn is_in(&self, text: &[u8]) -> bool {
        self.literals.iter().all(|literal| memchr::memmem::find(text, literal).is_some())
            && self.run.as_ref().is_none_or(|(length, class)| has_run(text, *length, class))
    }
}

/// Whether `text` contains `length` consecutive bytes of a class.
fn has_run(text: &[u8], length: usize, class: &Bytes) -> bool {
    let mut end = length;
    while let Some(part) = text.get(end - length..end) {
        match part.iter().rposition(|byte| !class[usize::from(*byte)]) {
            None => return true,
            Some(at) => end += at + 1,
        }
    }
    false
}

/// The parts of an expression that each match contains, from left to right.
struct Collected {
    required: Required,
    /// The minimum length of the current run, and its bytes.
    length: usize,
    class: Bytes,
}

impl Default for Collected {
    fn default() -> Self {
        Self { required: Required::default(), length: 0, class: [false; 256] }
    }
}

impl Collected {
    /// Adds a part that each match contains.
    fn add(&mut self, part: &Hir) {
        match part.kind() {
            HirKind::Empty | HirKind::Look(_) => {}
            HirKind::Literal(literal) => {
                self.required.literals.push(literal.0.clone());
                for &byte in &literal.0 {
                    self.class[usize::from(byte)] = true;
                    self.extend(1);
                }
            }
            HirKind::Class(class) => self.add_class(class, 1),
            HirKind::Repetition(repetition) => match repetition.sub.kind() {
                HirKind::Class(class) => self.add_class(class, repetition.min as usize),
                _ => {
                    self.end_run();
                    if repetition.min > 0 {
                        self.add(&repetition.sub);
                        self.end_run();
                    }
                }
            },
            HirKind::Capture(capture) => self.add(&capture.sub),
            HirKind::Concat(parts) => parts.iter().for_each(|part| self.add(part)),
            HirKind::Alternation(_) => self.end_run(),
        }
    }

    /// Adds at least `count` characters of a class.
    fn add_class(&mut self, class: &Class, count: usize) {
        match class {
            Class::Bytes(class) => {
                for range in class.ranges() {
                    self.class[usize::from(range.start())..=usize::from(range.end())].fill(true);
                }
            }
            Class::Unicode(class) => {
                for range in class.ranges() {
                    let byte = |c: char| u8::try_from(u32::from(c)).unwrap_or(u8::MAX);
                    let (start, end) = (byte(range.start()), byte(range.end()));
                    // Every byte of a longer character is above the ASCII range.
                    let end = if range.end().is_ascii() { end } else { u8::MAX };
                    self.class[usize::from(start.min(0x80))..=usize::from(end)].fill(true);
                }
            }
        }
        self.extend(count);
    }

    /// Extends the current run by `count` bytes, unless they can be spaces: texts consist of long runs
    /// with spaces.
    fn extend(&mut self, count: usize) {
        if std::mem::take(&mut self.class[usize::from(b' ')]) {
            self.end_run();
        } else {
            self.length += count;
        }
    }

    /// Ends the current run.
    fn end_run(&mut self) {
        let longest = self.required.run.as_ref().map_or(MIN_RUN - 1, |(length, _)| *length);
        if self.length > longest {
            self.required.run = Some((self.length, Box::new(self.class)));
        }
        (self.length, self.class) = (0, [false; 256]);
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::{any, prop_assert, proptest};
    use proptest::string::string_regex;

    /// Expressions of the forms that rules on secrets have.
    const EXPRESSIONS: [&str; 7] = [
        "[a-z]{0,9}(?:token|key)[:=](?P<at>[A-Za-z0-9][A-Za-z0-9_.-]{14,30}=?)(?:[ ;]|x)",
        "https?://[^ :@]{1,9}:(?P<at>[^ :@]{2,5})@[a-z.]{1,9}",
        "(?P<at>u[0-9]{5,9}-[0-9a-f]{24})",
        "(?:ab){2}c",
        "[가-힣é]{4}-{5}",
        "(?i)key [a-z]{12}",
        "a|b",
    ];

    fn required(expression: &str) -> Required {
        Required::of(&regex_syntax::parse(expression).expect("valid"))
    }

    #[test]
    fn literals_and_the_longest_run_are_required() {
        let summary = EXPRESSIONS.map(|expression| {
            let required = required(expression);
            let literals = required.literals.iter().map(|it| String::from_utf8_lossy(it));
            let literals = literals.collect::<Vec<_>>().join(" ");
            format!("{literals} {}", required.run.map_or(0, |(length, _)| length))
        });
        assert_eq!(
            summary,
            [" 16", "http :// : @ 9", "u - 31", "ab c 0", "- 0", "  12", " 0"].map(String::from)
        );
        let required = required(EXPRESSIONS[0]);
        assert!(required.is_in(b"the token=abcdefgh-ijklmnop"));
        assert!(!required.is_in(b"the token of a session is short: tok=abcdefgh"));
    }

    proptest! {
        #[test]
        fn every_match_contains_what_is_required(
            at in 0..EXPRESSIONS.len(),
            around in ".{0,20}",
            seed in any::<u64>(),
        ) {
            use proptest::strategy::{Strategy, ValueTree};
            use proptest::test_runner::{Config, RngAlgorithm, TestRng, TestRunner};
            let seed: [u8; 32] = std::array::from_fn(|n| seed.to_le_bytes()[n % 8]);
            let rng = TestRng::from_seed(RngAlgorithm::ChaCha, &seed);
            let mut runner = TestRunner::new_with_rng(Config::default(), rng);
            let matches = string_regex(EXPRESSIONS[at]).expect("valid");
            let text = matches.new_tree(&mut runner).expect("a match").current();
            let text = format!("{around}{text}{around}");
            prop_assert!(required(EXPRESSIONS[at]).is_in(text.as_bytes()), "{text}");
        }
    }
}
