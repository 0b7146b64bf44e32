//! Parses error output line by line into messages and stack frames.

use super::forms::{COMPILED_FORMS, Role, language_of};
use regex::Captures;

/// Maximum number of bytes of a text that are read. Of a longer text, only the beginning and the
/// end are read.
const MAX_BYTES: usize = 256 << 10;
/// Maximum number of bytes of a line that are read.
const MAX_LINE_BYTES: usize = 2_000;
/// Maximum number of frames that are retained.
const MAX_FRAMES: usize = 200;

/// The description of an error.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct ErrorText {
    /// Type or code: `TypeError`, `E0308`.
    pub kind: Option<String>,
    /// Message on one line.
    pub message: String,
}

impl ErrorText {
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
    pub project_path: Option<String>,
}

/// Parsed error output.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Trace {
    /// The language, if it was recognised.
    pub language: Option<&'static str>,
    /// The error that was thrown last.
    pub raised: ErrorText,
    /// The error at the end of the cause chain, when it is a different error.
    pub cause: Option<ErrorText>,
    /// Stack frames, innermost first. The frames of the cause precede all others.
    pub frames: Vec<Frame>,
    /// Whether parts of the text were skipped.
    pub is_truncated: bool,
}

/// Parses error output. If no line matches a known form, the first line is the message.
#[must_use]
pub fn read(text: &str) -> Trace {
    let mut reader = Reader::default();
    let (head, tail) = head_and_tail(text);
    reader.is_truncated = head.len() + tail.len() < text.len();
    for line in head.lines().chain(tail.lines()) {
        let clean = clean_line(line, &mut reader.is_truncated);
        reader.read_line(&clean);
    }
    reader.finish()
}

/// Returns the beginning and the end of a text that is too long. A shorter text is returned as the
/// beginning, with an empty end.
fn head_and_tail(text: &str) -> (&str, &str) {
    if text.len() <= MAX_BYTES {
        return (text, "");
    }
    let head = text.floor_char_boundary(MAX_BYTES / 2);
    let tail = text.ceil_char_boundary(text.len() - MAX_BYTES / 2);
    (&text[..head], &text[tail..])
}

/// Returns the line without colour codes and log prefixes, truncated to the maximum length.
fn clean_line(line: &str, is_truncated: &mut bool) -> String {
    let end = line.floor_char_boundary(MAX_LINE_BYTES.min(line.len()));
    *is_truncated |= end < line.len();
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
    match without_log_prefix(&clean) {
        Some(rest) => rest.to_owned(),
        None => clean,
    }
}

/// The part after `2026-01-01T00:00:00.0Z ` (a runner's log) or `web-1  | ` (Compose).
fn without_log_prefix(line: &str) -> Option<&str> {
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
    error: ErrorText,
    language: &'static str,
    frames: Vec<Frame>,
    is_cause: bool,
}

#[derive(Debug, Default)]
struct Reader {
    blocks: Vec<Block>,
    /// Frames that precede their error, as in Python.
    pending_frames: Vec<Frame>,
    /// A function whose location is on the next line.
    function: Option<String>,
    /// The location of the error whose message is on the next line.
    awaiting_message: Option<Frame>,
    /// Whether the lines belong to a Python traceback, which ends with the error.
    in_traceback: bool,
    /// Whether the next indented lines are causes, as after a line `Caused by:`.
    in_causes: bool,
    /// The first line that is not a frame.
    first: Option<String>,
    /// Number of frames read, including those beyond [`MAX_FRAMES`].
    frame_count: usize,
    is_truncated: bool,
}

impl Reader {
    fn read_line(&mut self, line: &str) {
        if line.trim().is_empty() {
            return;
        }
        if self.read_traceback_error(line)
            || self.read_awaited_message(line)
            || self.read_listed_cause(line)
        {
            return;
        }
        for compiled in COMPILED_FORMS.iter().filter(|compiled| compiled.can_match(line)) {
            if let Some(found) = compiled.regex.captures(line) {
                self.add_match(compiled.form.role, compiled.form.language, &found);
                return;
            }
        }
        if self.first.is_none() {
            self.first = Some(line.trim().to_owned());
        }
        if line.trim_start().starts_with("what():")
            && let Some(block) = self.blocks.last_mut().filter(|b| b.error.message.is_empty())
        {
            block.error.message = line.trim_start()["what():".len()..].trim().to_owned();
        }
    }

    /// Reads the line after the frames of a Python traceback as the error, even if the name of its
    /// type does not end with `Error`. Returns `false` if the line is something else.
    fn read_traceback_error(&mut self, line: &str) -> bool {
        let bare = line.trim_start_matches(['|', ' ', '+', '-']);
        let is_outside = line.starts_with(|c: char| c.is_alphabetic() || c == '_')
            || (line.trim_start().starts_with('|')
                && line.contains("| ")
                && !bare.starts_with("File"));
        if !self.in_traceback || self.pending_frames.is_empty() || !is_outside {
            return false;
        }
        let (kind, message) = bare.split_once(": ").unwrap_or((bare, ""));
        if kind.is_empty() || !kind.chars().all(|c| c.is_alphanumeric() || "._".contains(c)) {
            return false;
        }
        self.in_traceback = false;
        let error = ErrorText { kind: Some(kind.to_owned()), message: message.trim().to_owned() };
        let mut frames = std::mem::take(&mut self.pending_frames);
        frames.reverse();
        self.blocks.push(Block { error, language: "python", frames, is_cause: false });
        true
    }

    /// Reads the line as the message if the previous line requires a message. Returns `false`
    /// otherwise.
    fn read_awaited_message(&mut self, line: &str) -> bool {
        let Some(location) = self.awaiting_message.take() else { return false };
        let (language, frames) =
            if location.file.is_empty() { ("dart", Vec::new()) } else { ("rust", vec![location]) };
        let error = ErrorText { kind: None, message: line.trim().to_owned() };
        self.blocks.push(Block { error, language, frames, is_cause: false });
        true
    }

    /// Reads a `Caused by:` line and the causes on the lines after it. Returns `false` if the line
    /// is something else.
    fn read_listed_cause(&mut self, line: &str) -> bool {
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
        let error = ErrorText { kind: None, message: text.trim().to_owned() };
        self.blocks.push(Block { error, language: "rust", frames: Vec::new(), is_cause: true });
        true
    }

    fn add_match(&mut self, role: Role, language: &'static str, found: &Captures<'_>) {
        if !matches!(role, Role::Location | Role::Function) {
            self.function = None;
        }
        match role {
            Role::Noise => {}
            Role::Chain => self.in_traceback = false,
            Role::BeforeMessage if language == "python" => {
                self.in_traceback = true;
                self.pending_frames.clear();
            }
            Role::BeforeMessage => self.awaiting_message = Some(frame(found).unwrap_or_default()),
            Role::Function => self.function = text(found, "function"),
            Role::Frame | Role::Location => self.add_frame(language, found),
            Role::Headline | Role::Cause => self.add_headline(role, language, found),
        }
    }

    fn add_frame(&mut self, language: &'static str, found: &Captures<'_>) {
        let Some(mut frame) = frame(found) else { return };
        frame.function = frame.function.or_else(|| self.function.take());
        self.frame_count += 1;
        if self.frame_count > MAX_FRAMES {
            self.is_truncated = true;
            return;
        }
        if language == "python" && (self.in_traceback || self.blocks.is_empty()) {
            self.in_traceback = true;
            self.pending_frames.push(frame);
            return;
        }
        match self.blocks.last_mut() {
            Some(block) => {
                // A panic prints its location, and the backtrace repeats the location.
                if !block
                    .frames
                    .iter()
                    .any(|known| known.file == frame.file && known.line == frame.line)
                {
                    block.frames.push(frame);
                }
                if block.language.is_empty() {
                    block.language = language;
                }
            }
            None => self.pending_frames.push(frame),
        }
    }

    fn add_headline(&mut self, role: Role, language: &'static str, found: &Captures<'_>) {
        let kind = text(found, "kind");
        let message = text(found, "message").unwrap_or_default();
        let (message, inner) = match message.split_once(" ---> ") {
            Some((outer, inner)) => (outer.to_owned(), Some(inner.to_owned())),
            None => (message, None),
        };
        let location = frame(found);
        let file_language = location.as_ref().and_then(|frame| language_of(&frame.file));
        let frames = location.into_iter().chain(std::mem::take(&mut self.pending_frames)).collect();
        let is_cause = role == Role::Cause && !self.blocks.is_empty();
        let language = file_language.unwrap_or(language);
        let error = ErrorText { kind, message: message.trim().to_owned() };
        self.blocks.push(Block { error, language, frames, is_cause });
        if let Some((kind, message)) = inner.as_deref().and_then(|inner| inner.split_once(": ")) {
            let error =
                ErrorText { kind: Some(kind.to_owned()), message: message.trim().to_owned() };
            self.blocks.push(Block { error, language, frames: Vec::new(), is_cause: true });
        }
        self.in_traceback = false;
    }

    fn finish(mut self) -> Trace {
        if let Some(location) =
            self.awaiting_message.take().filter(|location| !location.file.is_empty())
        {
            let frames = vec![location];
            self.blocks.push(Block { language: "rust", frames, ..Block::default() });
        }
        if self.blocks.is_empty() {
            let error = ErrorText { kind: None, message: self.first.take().unwrap_or_default() };
            self.pending_frames.reverse();
            let frames = std::mem::take(&mut self.pending_frames);
            self.blocks.push(Block { error, frames, ..Block::default() });
        } else if let Some(block) = self.blocks.last_mut() {
            block.frames.append(&mut self.pending_frames);
        }
        // In Python, the cause comes first and the raised error last; in other languages, the
        // raised error comes first.
        let python_blocks = self.blocks.iter().filter(|block| block.language == "python").count();
        let (raised, cause) = if python_blocks > 1 {
            let is_python = |block: &Block| block.language == "python";
            let last = self.blocks.iter().rposition(is_python).unwrap_or_default();
            (last, self.blocks.iter().position(is_python))
        } else {
            (0, self.blocks.iter().rposition(|block| block.is_cause))
        };
        let language = self.language();
        let error_at = |at: usize| self.blocks[at].error.clone();
        let (raised_error, cause_error) = (error_at(raised), cause.map(error_at));
        let cause_error = cause_error.filter(|cause| *cause != raised_error);
        let mut order: Vec<usize> = (0..self.blocks.len()).collect();
        order.sort_by_key(|&at| (Some(at) != cause, at));
        let mut frames = Vec::new();
        for at in order {
            frames.append(&mut self.blocks[at].frames);
        }
        Trace {
            language,
            raised: raised_error,
            cause: cause_error,
            frames,
            is_truncated: self.is_truncated,
        }
    }

    /// The language of most frames; without frames, the language of the first matching form.
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
        let mut best: Option<(&'static str, usize)> = None;
        for (language, count) in counts {
            if best.is_none_or(|(_, max)| count > max) {
                best = Some((language, count));
            }
        }
        let first = || self.blocks.iter().map(|block| block.language).find(|name| !name.is_empty());
        best.map(|(language, _)| language).or_else(first)
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
        project_path: None,
    })
}
