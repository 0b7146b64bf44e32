//! Parses error output line by line into messages and stack frames.

use super::forms::{READY, Role, language_of};
use regex::Captures;

/// Maximum number of bytes of a text that are read; of a longer text, its beginning and its end.
const MAX_BYTES: usize = 256 << 10;
/// Maximum number of bytes of a line that are read.
const WIDEST: usize = 2_000;
/// Maximum number of frames that are retained.
const DEEPEST: usize = 200;

/// The description of an error.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Said {
    /// Type or code: `TypeError`, `E0308`.
    pub kind: Option<String>,
    /// Message on one line.
    pub message: String,
}

impl Said {
    /// Kind and message on one line.
    #[must_use]
    pub fn line(&self) -> String {
        match &self.kind {
            Some(kind) if self.message.is_empty() => kind.clone(),
            Some(kind) => format!("{kind}: {}", self.message),
            None => self.message.clone(),
        }
    }
}

/// A stack frame or another location of an error.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Frame {
    /// The file as printed.
    pub file: String,
    /// The line, starting at 1.
    pub line: Option<u32>,
    /// The column as printed.
    pub column: Option<u32>,
    /// The function name.
    pub function: Option<String>,
    /// The file's path relative to the root, when it belongs to the project.
    pub own: Option<String>,
}

/// Parsed error output.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Trace {
    /// The language, if it was recognised.
    pub language: Option<&'static str>,
    /// The error that was thrown last.
    pub raised: Said,
    /// The error at the end of the cause chain, when it is a different one.
    pub cause: Option<Said>,
    /// Stack frames: those of the cause first, innermost first.
    pub frames: Vec<Frame>,
    /// Whether parts of the text were skipped.
    pub is_cut: bool,
}

/// Parses error output of any known form; otherwise the first line is the message.
#[must_use]
pub fn read(text: &str) -> Trace {
    let mut reader = Reader::default();
    let (head, tail) = ends(text);
    reader.is_cut = head.len() + tail.len() < text.len();
    for line in head.lines().chain(tail.lines()) {
        let clean = plain(line, &mut reader.is_cut);
        reader.line(&clean);
    }
    reader.done()
}

/// The beginning and the end of a text that is too long; a shorter text is returned as the
/// beginning.
fn ends(text: &str) -> (&str, &str) {
    if text.len() <= MAX_BYTES {
        return (text, "");
    }
    let head = text.floor_char_boundary(MAX_BYTES / 2);
    let tail = text.ceil_char_boundary(text.len() - MAX_BYTES / 2);
    (&text[..head], &text[tail..])
}

/// A line without colour codes and log timestamps, truncated to the maximum length.
fn plain(line: &str, is_cut: &mut bool) -> String {
    let end = line.floor_char_boundary(WIDEST.min(line.len()));
    *is_cut |= end < line.len();
    let mut clean = String::with_capacity(end);
    let mut chars = line[..end].chars();
    while let Some(c) = chars.next() {
        if c != '\u{1b}' {
            clean.push(c);
        } else if chars.next() == Some('[') {
            // A colour code ends at its first letter.
            for c in chars.by_ref() {
                if c.is_ascii_alphabetic() {
                    break;
                }
            }
        }
    }
    clean.truncate(clean.trim_end().len());
    match unstamped(&clean) {
        Some(rest) => rest.to_owned(),
        None => clean,
    }
}

/// The rest after `2026-01-01T00:00:00.0Z ` (a runner's log) or `web-1  | ` (Compose).
fn unstamped(line: &str) -> Option<&str> {
    let (word, rest) = line.split_once(' ')?;
    let is_time = word.len() >= 20
        && word.ends_with('Z')
        && word.as_bytes().get(10) == Some(&b'T')
        && word.as_bytes()[..10].iter().all(|b| b.is_ascii_digit() || *b == b'-');
    if is_time {
        return Some(rest);
    }
    let is_service =
        !word.is_empty() && word.bytes().all(|b| b.is_ascii_alphanumeric() || b"-_.".contains(&b));
    let rest = rest.trim_start().strip_prefix('|').filter(|_| is_service)?;
    Some(rest.strip_prefix(' ').unwrap_or(rest))
}

/// An error with the frames that follow it.
#[derive(Debug, Default)]
struct Block {
    said: Said,
    language: &'static str,
    frames: Vec<Frame>,
    is_cause: bool,
}

#[derive(Debug, Default)]
struct Reader {
    blocks: Vec<Block>,
    /// Frames that precede their error, as in Python.
    early: Vec<Frame>,
    /// A function whose location is on the next line.
    function: Option<String>,
    /// The location that belongs to the next message.
    awaited: Option<Frame>,
    /// Whether the lines belong to a Python traceback, which ends with the error.
    in_traceback: bool,
    /// Whether indented lines are causes: `Caused by:`.
    in_causes: bool,
    /// The first line that is not a frame.
    first: Option<String>,
    count: usize,
    is_cut: bool,
}

impl Reader {
    fn line(&mut self, line: &str) {
        if line.trim().is_empty() {
            return;
        }
        if self.ends_traceback(line) || self.message_awaited(line) || self.listed_cause(line) {
            return;
        }
        for ready in READY.iter().filter(|ready| ready.may_match(line)) {
            if let Some(found) = ready.regex.captures(line) {
                self.take(ready.form.role, ready.form.language, &found);
                return;
            }
        }
        if self.first.is_none() {
            self.first = Some(line.trim().to_owned());
        }
        if line.trim_start().starts_with("what():")
            && let Some(block) = self.blocks.last_mut().filter(|b| b.said.message.is_empty())
        {
            block.said.message = line.trim_start()["what():".len()..].trim().to_owned();
        }
    }

    /// The line after the frames of a Python traceback: the error, whatever its name.
    fn ends_traceback(&mut self, line: &str) -> bool {
        let bare = line.trim_start_matches(['|', ' ', '+', '-']);
        let is_outside = line.starts_with(|c: char| c.is_alphabetic() || c == '_')
            || (line.trim_start().starts_with('|')
                && line.contains("| ")
                && !bare.starts_with("File"));
        if !self.in_traceback || self.early.is_empty() || !is_outside {
            return false;
        }
        let (kind, message) = bare.split_once(": ").unwrap_or((bare, ""));
        if kind.is_empty() || !kind.chars().all(|c| c.is_alphanumeric() || "._".contains(c)) {
            return false;
        }
        self.in_traceback = false;
        let said = Said { kind: Some(kind.to_owned()), message: message.trim().to_owned() };
        let mut frames = std::mem::take(&mut self.early);
        frames.reverse();
        self.blocks.push(Block { said, language: "python", frames, is_cause: false });
        true
    }

    fn message_awaited(&mut self, line: &str) -> bool {
        let Some(place) = self.awaited.take() else { return false };
        let (language, frames) =
            if place.file.is_empty() { ("dart", Vec::new()) } else { ("rust", vec![place]) };
        let said = Said { kind: None, message: line.trim().to_owned() };
        self.blocks.push(Block { said, language, frames, is_cause: false });
        true
    }

    /// The lines after a `Caused by:` line.
    fn listed_cause(&mut self, line: &str) -> bool {
        if line == "Caused by:" {
            self.in_causes = !self.blocks.is_empty();
            return self.in_causes;
        }
        if !self.in_causes || !line.starts_with(char::is_whitespace) {
            self.in_causes = false;
            return false;
        }
        let text = line.trim();
        let text = match text.split_once(": ") {
            Some((number, rest)) if number.bytes().all(|b| b.is_ascii_digit()) => rest,
            _ => text,
        };
        let said = Said { kind: None, message: text.trim().to_owned() };
        self.blocks.push(Block { said, language: "rust", frames: Vec::new(), is_cause: true });
        true
    }

    fn take(&mut self, role: Role, language: &'static str, found: &Captures<'_>) {
        if !matches!(role, Role::Place | Role::Function) {
            self.function = None;
        }
        match role {
            Role::Noise => {}
            Role::Chain => self.in_traceback = false,
            Role::Before if language == "python" => {
                self.in_traceback = true;
                self.early.clear();
            }
            Role::Before => self.awaited = Some(frame(found).unwrap_or_default()),
            Role::Function => self.function = text(found, "function"),
            Role::Frame | Role::Place => self.frame(language, found),
            Role::Headline | Role::Cause => self.headline(role, language, found),
        }
    }

    fn frame(&mut self, language: &'static str, found: &Captures<'_>) {
        let Some(mut frame) = frame(found) else { return };
        frame.function = frame.function.or_else(|| self.function.take());
        self.count += 1;
        if self.count > DEEPEST {
            self.is_cut = true;
            return;
        }
        if language == "python" && (self.in_traceback || self.blocks.is_empty()) {
            self.in_traceback = true;
            self.early.push(frame);
            return;
        }
        match self.blocks.last_mut() {
            Some(block) => {
                // A panic prints its location, and the backtrace repeats it.
                if !block.frames.iter().any(|own| own.file == frame.file && own.line == frame.line)
                {
                    block.frames.push(frame);
                }
                if block.language.is_empty() {
                    block.language = language;
                }
            }
            None => self.early.push(frame),
        }
    }

    fn headline(&mut self, role: Role, language: &'static str, found: &Captures<'_>) {
        let kind = text(found, "kind");
        let message = text(found, "message").unwrap_or_default();
        let (message, inner) = match message.split_once(" ---> ") {
            Some((outer, inner)) => (outer.to_owned(), Some(inner.to_owned())),
            None => (message, None),
        };
        let place = frame(found);
        let own = place.as_ref().and_then(|frame| language_of(&frame.file));
        let frames = place.into_iter().chain(std::mem::take(&mut self.early)).collect();
        let is_cause = role == Role::Cause && !self.blocks.is_empty();
        let language = own.unwrap_or(language);
        let said = Said { kind, message: message.trim().to_owned() };
        self.blocks.push(Block { said, language, frames, is_cause });
        if let Some((kind, message)) = inner.as_deref().and_then(|inner| inner.split_once(": ")) {
            let said = Said { kind: Some(kind.to_owned()), message: message.trim().to_owned() };
            self.blocks.push(Block { said, language, frames: Vec::new(), is_cause: true });
        }
        self.in_traceback = false;
    }

    fn done(mut self) -> Trace {
        if let Some(place) = self.awaited.take().filter(|place| !place.file.is_empty()) {
            let frames = vec![place];
            self.blocks.push(Block { language: "rust", frames, ..Block::default() });
        }
        if self.blocks.is_empty() {
            let said = Said { kind: None, message: self.first.take().unwrap_or_default() };
            self.early.reverse();
            let frames = std::mem::take(&mut self.early);
            self.blocks.push(Block { said, frames, ..Block::default() });
        } else if let Some(block) = self.blocks.last_mut() {
            block.frames.append(&mut self.early);
        }
        // In Python the cause comes first and the raised error last; in other languages it is the
        // reverse.
        let pythons = self.blocks.iter().filter(|block| block.language == "python").count();
        let (raised, cause) = if pythons > 1 {
            let is_python = |block: &Block| block.language == "python";
            let last = self.blocks.iter().rposition(is_python).unwrap_or_default();
            (last, self.blocks.iter().position(is_python))
        } else {
            (0, self.blocks.iter().rposition(|block| block.is_cause))
        };
        let language = self.language();
        let said = |at: usize| self.blocks[at].said.clone();
        let (raised_said, cause_said) = (said(raised), cause.map(said));
        let cause_said = cause_said.filter(|cause| *cause != raised_said);
        let mut order: Vec<usize> = (0..self.blocks.len()).collect();
        order.sort_by_key(|&at| (Some(at) != cause, at));
        let mut frames = Vec::new();
        for at in order {
            frames.append(&mut self.blocks[at].frames);
        }
        Trace { language, raised: raised_said, cause: cause_said, frames, is_cut: self.is_cut }
    }

    /// The language of most frames; without frames, that of the first matching form.
    fn language(&self) -> Option<&'static str> {
        let mut counts: Vec<(&'static str, usize)> = Vec::new();
        for block in &self.blocks {
            for frame in &block.frames {
                let Some(language) = language_of(&frame.file) else { continue };
                match counts.iter_mut().find(|(known, _)| *known == language) {
                    Some((_, count)) => *count += 1,
                    None => counts.push((language, 1)),
                }
            }
        }
        let mut most: Option<(&'static str, usize)> = None;
        for (language, count) in counts {
            if most.is_none_or(|(_, best)| count > best) {
                most = Some((language, count));
            }
        }
        let first = || self.blocks.iter().map(|block| block.language).find(|name| !name.is_empty());
        most.map(|(language, _)| language).or_else(first)
    }
}

fn text(found: &Captures<'_>, name: &str) -> Option<String> {
    let text = found.name(name)?.as_str().trim();
    (!text.is_empty()).then(|| text.to_owned())
}

fn frame(found: &Captures<'_>) -> Option<Frame> {
    let number = |name| text(found, name).and_then(|number| number.parse().ok());
    Some(Frame {
        file: text(found, "file")?,
        line: number("line"),
        column: number("column"),
        function: text(found, "function"),
        own: None,
    })
}
