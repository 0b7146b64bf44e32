//! Whether the keywords and brackets of a script pair up; asked only of scripts that the grammar
//! does not accept either.

use super::word;
use super::{Fault, ShellText};

/// What opens a construct, and what closes it.
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

/// Words after which a command may begin.
const INTRODUCERS: &[&str] = &["then", "do", "else", "elif", "!", "time"];

/// The first thing in `text` that does not pair up, if that is certain.
pub(super) fn faults(text: &ShellText<'_>) -> Vec<Fault> {
    let fault = Scan { text, open: Vec::new(), begins: true }.run();
    fault.into_iter().collect()
}

struct Scan<'a> {
    text: &'a ShellText<'a>,
    /// What is open: the place of the opener in the text, its words.
    open: Vec<(usize, &'static (&'static str, &'static str))>,
    /// Whether a command may begin here.
    begins: bool,
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
                    self.begins = true;
                    at += 1;
                }
                // Here-documents and redirections to processes are left to the grammar.
                b'<' | b'>' if matches!(bytes.get(at + 1), Some(b'<' | b'(')) => return None,
                b'<' | b'>' => at += 1,
                b'(' if bytes.get(at + 1) == Some(&b')') => {
                    self.begins = true;
                    at += 2;
                }
                b'(' if !self.begins || bytes.get(at + 1) == Some(&b'(') => return None,
                b'(' => {
                    self.open.push((at, PAIRS.last()?));
                    at += 1;
                }
                b')' => {
                    match self.open.last() {
                        Some((_, ("(", _))) => _ = self.open.pop(),
                        Some((_, ("case", _))) => {}
                        _ => return Some(self.fault(at, at + 1, "closes nothing")),
                    }
                    self.begins = true;
                    at += 1;
                }
                _ => {
                    let read = word::read(self.text, at, text.len());
                    if let Some(open) = read.open {
                        return Some(self.fault(open, open + 1, "is never closed"));
                    }
                    if read.end == at || matches!(&text[at..read.end], "[[" | "function") {
                        return None;
                    }
                    if let Some(fault) = self.word(at, read.end) {
                        return Some(fault);
                    }
                    at = read.end;
                }
            }
        }
        let &(at, (opener, closer)) = self.open.first()?;
        Some(self.fault(at, at + opener.len(), &format!("is never closed by `{closer}`")))
    }

    fn word(&mut self, start: usize, end: usize) -> Option<Fault> {
        let written = &self.text.text()[start..end];
        if !std::mem::take(&mut self.begins) {
            return None;
        }
        if let Some(pair) = PAIRS.iter().find(|pair| pair.0 == written) {
            self.open.push((start, pair));
            self.begins = matches!(written, "if" | "while" | "until" | "{");
        } else if PAIRS.iter().any(|pair| pair.1 == written) {
            match self.open.pop() {
                Some((_, (_, closer))) if *closer == written => {}
                Some((_, (opener, _))) => {
                    let what = format!("stands within an `{opener}` that is still open");
                    return Some(self.fault(start, end, &what));
                }
                None => return Some(self.fault(start, end, "closes nothing")),
            }
        } else {
            self.begins = INTRODUCERS.contains(&written);
        }
        None
    }

    fn fault(&self, start: usize, end: usize, what: &str) -> Fault {
        let written = &self.text.text()[start..end];
        Fault { span: self.text.span(start, end), message: format!("`{written}` {what}") }
    }
}
