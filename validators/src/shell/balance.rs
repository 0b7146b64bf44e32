//! Checks that the keywords and brackets of a script are balanced. The grammar cannot decide this:
//! it rejects a few valid scripts, and parses a stray `done` as a program name. In doubtful cases,
//! nothing is reported.

use super::word;
use super::{Fault, ShellText};

/// The openers and closers of constructs.
const PAIRS: &[(&str, &str)] = &[
    ("if", "fi"),
    ("while", "done"),
    ("until", "done"),
    ("for", "done"),
    ("select", "done"),
    ("case", "esac"),
    ("{", "}"),
    ("(", ")"),
];

/// Words after which a command can start.
const INTRODUCERS: &[&str] = &["then", "do", "else", "elif", "!", "time"];

/// The first keyword or bracket in `text` that is certainly unbalanced.
pub(super) fn find_faults(text: &ShellText<'_>) -> Vec<Fault> {
    let fault = Scan { text, open: Vec::new(), at_command_start: true }.run();
    fault.into_iter().collect()
}

struct Scan<'a> {
    text: &'a ShellText<'a>,
    /// Open constructs, innermost last.
    open: Vec<Open>,
    /// Whether a command can start at the current position.
    at_command_start: bool,
}

/// A construct that is open.
struct Open {
    /// Byte offset of the opener in the text.
    at: usize,
    opener: &'static str,
    closer: &'static str,
    /// Whether the required keyword between opener and closer has been seen.
    has_keyword: bool,
}

impl Open {
    fn new(at: usize, &(opener, closer): &(&'static str, &'static str)) -> Self {
        Self { at, opener, closer, has_keyword: Self::keyword(opener).is_none() }
    }

    /// The keyword that is required between opener and closer.
    fn keyword(opener: &str) -> Option<&'static str> {
        match opener {
            "if" => Some("then"),
            "while" | "until" | "for" | "select" => Some("do"),
            _ => None,
        }
    }
}

impl Scan<'_> {
    fn run(mut self) -> Option<Fault> {
        let text = self.text.text();
        let bytes = text.as_bytes();
        let mut at = 0;
        while let Some(&byte) = bytes.get(at) {
            match byte {
                b' ' | b'\t' | b'\r' => at += 1,
                b'\\' if bytes.get(at + 1) == Some(&b'\n') => at += 2,
                b'#' => at += text[at..].find('\n').unwrap_or(text.len() - at),
                b'\n' | b';' | b'&' | b'|' => {
                    self.at_command_start = true;
                    at += 1;
                }
                // The grammar handles here-documents and process substitutions.
                b'<' | b'>' if matches!(bytes.get(at + 1), Some(b'<' | b'(')) => return None,
                b'<' | b'>' => at += 1,
                b'(' if bytes.get(at + 1) == Some(&b')') => {
                    self.at_command_start = true;
                    at += 2;
                }
                b'(' if !self.at_command_start || bytes.get(at + 1) == Some(&b'(') => return None,
                b'(' => {
                    self.open.push(Open::new(at, PAIRS.last()?));
                    at += 1;
                }
                b')' => {
                    match self.open.last().map(|open| open.opener) {
                        Some("(") => _ = self.open.pop(),
                        Some("case") => {}
                        _ => return Some(self.fault(at, at + 1, "is unmatched")),
                    }
                    self.at_command_start = true;
                    at += 1;
                }
                _ => {
                    let read = word::read(self.text, at, text.len());
                    // The parentheses of `case` patterns within a substitution are not balanced.
                    let case = |&(from, to): &(usize, usize)| text[from..to].contains("case");
                    if read.inner.iter().any(case)
                        || read.end == at
                        || matches!(&text[at..read.end], "[[" | "function")
                    {
                        return None;
                    }
                    if let Some(open) = read.open {
                        return Some(self.fault(open, open + 1, "is never closed"));
                    }
                    if let Some(fault) = self.word(at, read.end) {
                        return Some(fault);
                    }
                    at = read.end;
                }
            }
        }
        let &Open { at, opener, closer, .. } = self.open.first()?;
        Some(self.fault(at, at + opener.len(), &format!("is never closed by `{closer}`")))
    }

    fn word(&mut self, start: usize, end: usize) -> Option<Fault> {
        let written = &self.text.text()[start..end];
        // In `for name do` the keyword follows a word.
        let in_for_header =
            self.open.last().is_some_and(|open| open.opener == "for" && !open.has_keyword);
        self.at_command_start |= in_for_header && written == "do";
        if !std::mem::take(&mut self.at_command_start) || written != "esac" && self.is_pattern(end)
        {
            return None;
        }
        if let Some(open) = self.open.last_mut()
            && Open::keyword(open.opener) == Some(written)
        {
            open.has_keyword = true;
        }
        if let Some(pair) = PAIRS.iter().find(|pair| pair.0 == written) {
            self.open.push(Open::new(start, pair));
            self.at_command_start = matches!(written, "if" | "while" | "until" | "{");
        } else if PAIRS.iter().any(|pair| pair.1 == written) {
            return self.close(start, end);
        } else {
            self.at_command_start = INTRODUCERS.contains(&written);
        }
        None
    }

    /// Whether the word that ends at `end` is a pattern of a `case`.
    fn is_pattern(&self, end: usize) -> bool {
        let rest = self.text.text()[end..].trim_start_matches([' ', '\t']);
        self.open.last().is_some_and(|open| open.opener == "case") && rest.starts_with([')', '|'])
    }

    fn close(&mut self, start: usize, end: usize) -> Option<Fault> {
        let written = &self.text.text()[start..end];
        let Some(open) = self.open.pop() else {
            return Some(self.fault(start, end, "is unmatched"));
        };
        let Open { at, opener, closer, has_keyword } = open;
        if closer != written {
            let problem = format!("appears where `{opener}` is still open");
            return Some(self.fault(start, end, &problem));
        }
        // A keyword can follow without a separator: `fi done`.
        self.at_command_start = true;
        let keyword = Open::keyword(opener).filter(|_| !has_keyword)?;
        Some(self.fault(at, at + opener.len(), &format!("has no `{keyword}`")))
    }

    fn fault(&self, start: usize, end: usize, problem: &str) -> Fault {
        let written = &self.text.text()[start..end];
        Fault { span: self.text.span(start, end), message: format!("`{written}` {problem}") }
    }
}
