//! How many tokens a text costs a model.
//!
//! The tables of a real tokenizer are megabytes, and take longer to load than an answer may take; and
//! each model has another one. So this counts from above: never less than the two public byte-pair
//! encodings `o200k_base` and `cl100k_base` count for the texts of `sample.jsonl`, which holds their
//! counts (made with tiktoken-rs 0.7). For English prose it says about a quarter more than they do.

/// Thousandths of a token.
const TOKEN: usize = 1000;
/// What is added to the sum: 6 in 100, and 4.
const MARGIN: (usize, usize) = (106, 4 * TOKEN);
/// Letters of a word that is one token.
const SHORT: usize = 7;
/// A run of letters and digits at least so long may be an id or a key: nearly a token a letter.
const LONG: usize = 8;

/// At most so many tokens, for the encodings named above.
#[must_use]
pub fn count(text: &str) -> usize {
    if text.is_empty() { 0 } else { total(weight(text)) }
}

/// The tokens of texts whose weights add up to `weight`.
pub(super) fn total(weight: usize) -> usize {
    (weight * MARGIN.0 / 100 + MARGIN.1).div_ceil(TOKEN)
}

/// What a text adds to the sum. Texts that are put together at a line's end add up.
pub(super) fn weight(text: &str) -> usize {
    let mut sum = 0;
    let mut rest = text;
    while let Some(first) = rest.chars().next() {
        let length = |is: fn(char) -> bool| rest.find(|c| !is(c)).unwrap_or(rest.len());
        let (taken, cost) = match first {
            c if c.is_ascii_alphanumeric() => {
                let end = length(|c| c.is_ascii_alphanumeric());
                (end, run(&rest.as_bytes()[..end]) * TOKEN)
            }
            '\n' => (length(|c| c == '\n'), TOKEN),
            // A single space goes with the word after it.
            ' ' | '\t' => match length(|c| c == ' ' || c == '\t') {
                1 => (1, 0),
                end => (end, TOKEN),
            },
            '\u{AC00}'..='\u{D7A3}' => (first.len_utf8(), TOKEN * 5 / 4),
            c if c.is_ascii() => (1, TOKEN),
            c => (c.len_utf8(), 2 * TOKEN),
        };
        sum += cost;
        rest = &rest[taken..];
    }
    sum
}

/// Tokens of letters and digits in a row.
fn run(bytes: &[u8]) -> usize {
    let digits = bytes.iter().filter(|byte| byte.is_ascii_digit()).count();
    if digits == bytes.len() {
        return digits.div_ceil(3);
    }
    let turns = bytes.windows(2).filter(|pair| {
        pair[0].is_ascii_lowercase() != pair[1].is_ascii_lowercase()
            || pair[0].is_ascii_digit() != pair[1].is_ascii_digit()
    });
    let turns = turns.count();
    if bytes.len() >= LONG && (digits > 0 && turns >= 2 || turns >= 4) {
        return (bytes.len() * 4).div_ceil(5);
    }
    parts(bytes).map(part).sum()
}

/// The words of a name in camel case.
fn parts(bytes: &[u8]) -> impl Iterator<Item = &[u8]> {
    let class = |byte: u8| match byte {
        b'0'..=b'9' => 0,
        b'A'..=b'Z' => 1,
        _ => 2,
    };
    let mut rest = bytes;
    std::iter::from_fn(move || {
        let first = class(*rest.first()?);
        let mut end = rest.iter().position(|&byte| class(byte) != first).unwrap_or(rest.len());
        // A capital belongs to the small letters after it.
        if first == 1 && end < rest.len() && class(rest[end]) == 2 {
            if end == 1 {
                let tail = &rest[1..];
                end += tail.iter().position(|&byte| class(byte) != 2).unwrap_or(tail.len());
            } else {
                end -= 1;
            }
        }
        let (part, others) = rest.split_at(end);
        rest = others;
        Some(part)
    })
}

fn part(part: &[u8]) -> usize {
    let length = part.len();
    if part[0].is_ascii_digit() {
        length.div_ceil(3)
    } else if length > 3 && part.iter().all(u8::is_ascii_uppercase) {
        length.div_ceil(2)
    } else if length <= SHORT {
        1
    } else {
        1 + (length - SHORT).div_ceil(4)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;
    use serde::Deserialize;

    #[derive(Deserialize)]
    struct Sample {
        o200k: usize,
        cl100k: usize,
        text: String,
    }

    #[test]
    fn it_never_counts_less_than_real_tokenizers() {
        let samples: Vec<Sample> = include_str!("sample.jsonl")
            .lines()
            .map(|line| serde_json::from_str(line).expect("a sample"))
            .collect();
        assert!(samples.len() >= 60);
        let (mut ours, mut theirs) = (0, 0);
        for sample in samples {
            let (counted, real) = (count(&sample.text), sample.o200k.max(sample.cl100k));
            assert!(counted >= real, "{counted} < {real}: {}", sample.text);
            ours += counted;
            theirs += real;
        }
        // Nor so much more that budgets would be left empty.
        assert!(ours * 100 <= theirs * 140, "{ours} for {theirs}");
    }

    #[test]
    fn words_numbers_and_ids_cost_what_they_should() {
        let of = |text: &str| (count(text) * TOKEN - MARGIN.1) * 100 / MARGIN.0 / TOKEN;
        assert_eq!([of("a short word"), of("123456"), of("HTTPServer")], [3, 2, 3]);
        assert_eq!(count(""), 0);
        assert!(of("9f3ab21c77d0e4b5") >= 12);
    }

    proptest! {
        #[test]
        fn any_text_is_counted(text in ".{0,200}") {
            prop_assert!(count(&text) <= 2 * text.len() + 6);
        }
    }
}
