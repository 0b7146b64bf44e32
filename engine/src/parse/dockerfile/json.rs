//! Parses the JSON form of an argument: an array of strings.

use std::ops::Range;

/// The strings of the JSON array that makes up all of `text`, each with its range including quotes;
/// `None` for anything else.
pub(super) fn strings(text: &str) -> Option<Vec<(Range<usize>, String)>> {
    let mut reader = Reader { text, at: 0 };
    reader.skip_blanks();
    reader.take('[')?;
    let mut found = Vec::new();
    reader.skip_blanks();
    if reader.take(']').is_none() {
        loop {
            reader.skip_blanks();
            found.push(reader.string()?);
            reader.skip_blanks();
            if reader.take(']').is_some() {
                break;
            }
            reader.take(',')?;
        }
    }
    reader.skip_blanks();
    (reader.at == text.len()).then_some(found)
}

struct Reader<'a> {
    text: &'a str,
    at: usize,
}

impl Reader<'_> {
    fn next(&mut self) -> Option<char> {
        let c = self.text[self.at..].chars().next()?;
        self.at += c.len_utf8();
        Some(c)
    }

    fn take(&mut self, expected: char) -> Option<()> {
        self.text[self.at..].starts_with(expected).then(|| self.at += expected.len_utf8())
    }

    fn skip_blanks(&mut self) {
        let rest = &self.text[self.at..];
        self.at += rest.len() - rest.trim_start_matches([' ', '\t', '\n', '\r']).len();
    }

    fn string(&mut self) -> Option<(Range<usize>, String)> {
        let start = self.at;
        self.take('"')?;
        let mut text = String::new();
        loop {
            match self.next()? {
                '"' => return Some((start..self.at, text)),
                '\\' => text.push(self.escaped()?),
                c if c < ' ' => return None,
                c => text.push(c),
            }
        }
    }

    fn escaped(&mut self) -> Option<char> {
        Some(match self.next()? {
            c @ ('"' | '\\' | '/') => c,
            'b' => '\u{8}',
            'f' => '\u{C}',
            'n' => '\n',
            'r' => '\r',
            't' => '\t',
            'u' => {
                let digits = self.text.get(self.at..self.at + 4)?;
                self.at += 4;
                // Half of a surrogate pair is not a character.
                char::from_u32(u32::from_str_radix(digits, 16).ok()?).unwrap_or('\u{FFFD}')
            }
            _ => return None,
        })
    }
}
