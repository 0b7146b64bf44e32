//! Masks parts of secrets in the messages of findings: a message can quote a truncated word, or a
//! match that covers a part of a secret only.

use super::secrets::REDACTED;
use crate::text::source::{Source, Span};
use std::collections::HashMap;

/// Minimum length in bytes of a masked part of a secret: shorter parts occur in ordinary words.
const MIN_PART: usize = 8;

/// Masks the parts of `secrets` in `texts`, which belong to findings on the lines of a secret. The
/// cost is linear in the length of the texts and of the secrets.
pub(super) fn mask(source: &Source, secrets: &[Span], texts: &mut [&mut String]) {
    let mut windows: HashMap<[u8; MIN_PART], bool> = HashMap::new();
    for text in texts.iter() {
        windows.extend(windows_of(text).map(|window| (window, false)));
    }
    if windows.is_empty() {
        return;
    }
    for window in secrets.iter().flat_map(|secret| windows_of(source.slice(*secret))) {
        if let Some(is_secret) = windows.get_mut(&window) {
            *is_secret = true;
        }
    }
    for text in texts {
        let is_secret = windows_of(text).map(|window| windows[&window]);
        let starts: Vec<usize> =
            is_secret.enumerate().filter_map(|(at, secret)| secret.then_some(at)).collect();
        if !starts.is_empty() {
            **text = mask_parts(text, &starts);
        }
    }
}

fn windows_of(text: &str) -> impl Iterator<Item = [u8; MIN_PART]> {
    text.as_bytes().windows(MIN_PART).filter_map(|window| window.try_into().ok())
}

/// Masks the parts of `text` whose windows begin at `starts`, which are in order.
fn mask_parts(text: &str, starts: &[usize]) -> String {
    let mut masked = String::new();
    let mut copied = 0;
    for run in starts.chunk_by(|a, b| b - a <= MIN_PART) {
        let start = text.floor_char_boundary(run[0]);
        let end = text.ceil_char_boundary(run[run.len() - 1] + MIN_PART);
        if is_word(text, start, end) {
            continue;
        }
        masked.push_str(&text[copied..start]);
        masked.push_str(REDACTED);
        copied = end;
    }
    masked.push_str(&text[copied..]);
    masked
}

/// Whether a part is an ordinary word of the message, such as `password`: letters outside of a
/// quotation.
fn is_word(text: &str, start: usize, end: usize) -> bool {
    let is_quoted = text[..start].matches('`').count() % 2 == 1;
    !is_quoted && text[start..end].chars().all(|c| c.is_alphabetic() || c == ' ')
}

#[cfg(test)]
mod tests {
    use super::*;

    fn masked(secret: &str, text: &str) -> String {
        let source = Source::new("x", format!("key={secret}"));
        let mut text = text.to_owned();
        mask(&source, &[Span::new(4, 4 + secret.len())], &mut [&mut text]);
        text
    }

    #[test]
    fn parts_of_a_secret_are_masked() {
        let secret = "Ky9Pf34qY6Nb3wWD25";
        assert_eq!(masked(secret, "unknown `TOKEN=Ky9Pf34qY6`"), "unknown `TOKEN=[REDACTED]`");
        assert_eq!(masked(secret, "found Nb3wWD25; Ky9Pf34q"), "found [REDACTED]; [REDACTED]");
        assert_eq!(masked(secret, "found Ky9Pf34"), "found Ky9Pf34");
        assert_eq!(masked("żółćżółćżółć", "`ółćżółćż…`"), "`[REDACTED]…`");
    }

    #[test]
    fn ordinary_words_remain() {
        assert_eq!(masked("password123", "password in the code"), "password in the code");
        assert_eq!(masked("correcthorsebattery", "`correcthorse`"), "`[REDACTED]`");
    }
}
