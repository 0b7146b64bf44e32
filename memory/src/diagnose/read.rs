//! Parses error output line by line into messages and stack frames.

use super::clean::clean_line;
use super::forms::{COMPILED_FORMS, Role, language_of};
use super::mentions;
use super::trace::{ErrorText, Frame, Trace};
use regex::Captures;

/// Maximum number of bytes of a text that are read. Of a longer text, only the beginning and the
/// end are read.
const MAX_BYTES: usize = 256 << 10;
/// Words of lines that report an error. Such a line is the message if no line has a known form.
const SIGNS: &[&str] = &[
    "error",
    "fail",
    "conflict",
    "cannot",
    "can't",
    "could not",
    "not found",
    "invalid",
    "missing",
    "refused",
    "denied",
    "undefined",
    "unknown",
    "unexpected",
    "unable",
];
/// Maximum number of errors whose messages are searched for files.
const MAX_READ_MENTIONS: usize = 8;
/// Maximum number of frames that are retained.
const MAX_FRAMES: usize = 200;

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

/// An error with the frames that follow it.
#[derive(Debug, Default)]
struct Block {
    error: ErrorText,
    language: &'static str,
    frames: Vec<Frame>,
    rank: Rank,
}

/// The place of an error among the errors of the text.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
enum Rank {
    #[default]
    Error,
    /// The cause of the preceding error.
    Cause,
    /// The preceding error is the cause of this one.
    Consequence,
    /// The preceding error was being handled when this one occurred.
    InHandler,
    /// Announces the lines of other errors; used only without them.
    Heading,
    /// Used only without other errors and headings.
    Fallback,
}

#[derive(Debug, Default)]
struct Reader {
    blocks: Vec<Block>,
    /// Frames that precede their error, as in Python.
    pending_frames: Vec<Frame>,
    /// A function whose location is on the next line.
    function: Option<String>,
    /// The error whose message is on the next line.
    awaiting_message: Option<Block>,
    /// The file of the following errors, whose lines contain only the position.
    file: Option<String>,
    /// The relation of the next error to the preceding one, if a line states it.
    next_rank: Option<Rank>,
    /// Whether the form of the last error is [`Role::Chained`].
    in_chain: bool,
    /// Whether the lines belong to a Python traceback, which ends with the error.
    in_traceback: bool,
    /// Whether the next indented lines are causes, as after a line `Caused by:`.
    in_causes: bool,
    /// The first line that is not empty.
    opening: Option<String>,
    /// The first line that has no known form.
    first: Option<String>,
    /// The first line that has no known form but a word of [`SIGNS`].
    first_sign: Option<String>,
    /// Number of frames read, including those beyond [`MAX_FRAMES`].
    frame_count: usize,
    is_truncated: bool,
}

impl Reader {
    fn read_line(&mut self, line: &str) {
        if line.trim().is_empty() {
            self.in_chain = false;
            return;
        }
        self.opening.get_or_insert_with(|| line.trim().to_owned());
        if self.read_traceback_error(line)
            || self.read_awaited_message(line)
            || self.read_listed_cause(line)
        {
            return;
        }
        for compiled in COMPILED_FORMS.iter().filter(|compiled| compiled.can_match(line)) {
            if let Some(found) = compiled.regex.captures(line) {
                self.add_match(compiled.form.role, compiled.form.language, &found);
                self.in_chain |= compiled.form.role == Role::Chained;
                return;
            }
        }
        self.first.get_or_insert_with(|| line.trim().to_owned());
        let lower = line.to_lowercase();
        if self.first_sign.is_none() && SIGNS.iter().any(|sign| lower.contains(sign)) {
            self.first_sign = Some(line.trim().to_owned());
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
        self.push(Block { error, language: "python", frames, rank: Rank::Error });
        true
    }

    /// Reads the line as the message if the previous line requires a message. Returns `false`
    /// otherwise.
    fn read_awaited_message(&mut self, line: &str) -> bool {
        let Some(mut block) = self.awaiting_message.take() else { return false };
        let mut headlines = COMPILED_FORMS.iter().filter(|compiled| {
            // The message of a panic can be any text.
            compiled.form.role == Role::Headline && block.language != "rust"
        });
        let form = headlines.find_map(|compiled| {
            compiled.can_match(line).then(|| compiled.regex.captures(line))?
        });
        match form {
            Some(found) => {
                block.error.kind = text(&found, "kind").or(block.error.kind);
                block.error.message = text(&found, "message").unwrap_or_default();
                block.frames.splice(0..0, frame(&found, None));
            }
            None => line.trim().clone_into(&mut block.error.message),
        }
        self.push(block);
        true
    }

    /// Adds an error with its relation to the preceding one.
    fn push(&mut self, mut block: Block) {
        if let Some(rank) = self.next_rank.take().filter(|_| !self.blocks.is_empty()) {
            block.rank = rank;
        }
        self.in_chain = false;
        self.blocks.push(block);
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
        // The compiler SWC states the kind of its message as the cause.
        if text == "Syntax Error" {
            return true;
        }
        let error = ErrorText { kind: None, message: text.trim().to_owned() };
        self.push(Block { error, language: "rust", frames: Vec::new(), rank: Rank::Cause });
        true
    }

    fn add_match(&mut self, role: Role, language: &'static str, found: &Captures<'_>) {
        if !matches!(role, Role::Location | Role::Function) {
            self.function = None;
        }
        match role {
            Role::Noise => {}
            Role::Chain | Role::Context => {
                self.in_traceback = false;
                let is_cause = role == Role::Chain;
                self.next_rank = Some(if is_cause { Rank::Consequence } else { Rank::InHandler });
            }
            Role::BeforeMessage if language == "python" => {
                self.in_traceback = true;
                self.pending_frames.clear();
            }
            Role::BeforeMessage => {
                let error = ErrorText { kind: text(found, "kind"), message: String::new() };
                let frames = frame(found, None).into_iter().collect();
                self.awaiting_message = Some(Block { error, language, frames, rank: Rank::Error });
            }
            Role::Function => self.function = text(found, "function"),
            Role::File => self.file = text(found, "file"),
            Role::Detail => self.add_detail(found),
            Role::Frame | Role::Location | Role::Innermost => self.add_frame(role, language, found),
            Role::Headline | Role::Cause | Role::Chained | Role::Fallback => {
                self.add_headline(role, language, found);
            }
        }
    }

    /// Completes the message of the last error.
    fn add_detail(&mut self, found: &Captures<'_>) {
        let message = text(found, "message").unwrap_or_default();
        if let Some(block) = self.blocks.last_mut()
            && ["", "[", "{"].contains(&block.error.message.as_str())
        {
            block.error.message = message;
        } else {
            self.first_sign.get_or_insert(message);
        }
    }

    fn add_frame(&mut self, role: Role, language: &'static str, found: &Captures<'_>) {
        let Some(mut frame) = frame(found, None) else { return };
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
                let is_same =
                    |known: &&mut Frame| known.file == frame.file && known.line == frame.line;
                match block.frames.iter_mut().find(is_same) {
                    Some(known) if known.column.is_none() && frame.column.is_some() => {
                        *known = frame;
                    }
                    Some(_) => {}
                    None if role == Role::Innermost => block.frames.insert(0, frame),
                    None => block.frames.push(frame),
                }
                if block.language.is_empty() {
                    block.language = language;
                }
            }
            // A location without a language can be anything, unless it follows an error.
            None if role == Role::Location && language.is_empty() => {}
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
        let location = frame(found, self.file.as_ref());
        let file_language = location.as_ref().and_then(|frame| language_of(&frame.file));
        let mut pending = std::mem::take(&mut self.pending_frames);
        if language == "python" {
            pending.reverse();
        }
        let frames = location.into_iter().chain(pending).collect();
        let is_cause = role == Role::Cause || (role == Role::Chained && self.in_chain);
        let rank = match role {
            _ if is_cause && !self.blocks.is_empty() => Rank::Cause,
            Role::Fallback => Rank::Fallback,
            _ if message.is_empty() || (kind.is_none() && message.ends_with(':')) => Rank::Heading,
            _ => Rank::Error,
        };
        let language = file_language.unwrap_or(language);
        let error = ErrorText { kind, message: message.trim().to_owned() };
        self.push(Block { error, language, frames, rank });
        if let Some((kind, message)) = inner.as_deref().and_then(|inner| inner.split_once(": ")) {
            let error =
                ErrorText { kind: Some(kind.to_owned()), message: message.trim().to_owned() };
            self.push(Block { error, language, frames: Vec::new(), rank: Rank::Cause });
        }
        self.in_traceback = false;
    }

    fn finish(mut self) -> Trace {
        if let Some(block) = self.awaiting_message.take().filter(|block| !block.frames.is_empty()) {
            self.push(block);
        }
        if self.blocks.is_empty() {
            let lines = [self.first_sign.take(), self.first.take(), self.opening.take()];
            let message = lines.into_iter().flatten().next().unwrap_or_default();
            let error = ErrorText { kind: None, message };
            if self.in_traceback {
                self.pending_frames.reverse();
            }
            let frames = std::mem::take(&mut self.pending_frames);
            self.blocks.push(Block { error, frames, ..Block::default() });
        } else if let Some(block) = self.blocks.last_mut() {
            block.frames.append(&mut self.pending_frames);
        }
        let (raised, cause, is_cause_declared) = self.raised_and_cause();
        let language = self.language();
        let error_at = |at: usize| self.blocks[at].error.clone();
        let (raised_error, cause_error) = (error_at(raised), cause.map(error_at));
        let cause_error = cause_error.filter(|cause| *cause != raised_error);
        let mut order: Vec<usize> = (0..self.blocks.len()).collect();
        order.sort_by_key(|&at| (Some(at) != cause, at != raised, at));
        let mut frames = Vec::new();
        for at in order {
            frames.append(&mut self.blocks[at].frames);
        }
        let mut files = Vec::new();
        let others = self.blocks.iter().map(|block| &block.error).take(MAX_READ_MENTIONS);
        for error in cause_error.iter().chain([&raised_error]).chain(others) {
            files.extend(mentions::in_message(&error.message));
        }
        Trace {
            language,
            raised: raised_error,
            cause: cause_error,
            is_cause_declared,
            frames,
            mentions: files,
            is_truncated: self.is_truncated,
        }
    }

    /// The first error, or the last one of its chain of consequences, its root cause, and
    /// whether that is declared.
    fn raised_and_cause(&self) -> (usize, Option<usize>, bool) {
        let rank_at = |at: usize| self.blocks.get(at).map(|block| block.rank);
        let first_of = |rank| self.blocks.iter().position(|block| block.rank == rank);
        let first = first_of(Rank::Error).or_else(|| first_of(Rank::Heading)).unwrap_or_default();
        let run = |from: usize, is_in: fn(Rank) -> bool| {
            (from + 1..).take_while(|&at| rank_at(at).is_some_and(is_in)).last()
        };
        // A group of exceptions contains its cause.
        let kind = self.blocks[first].error.kind.as_deref().unwrap_or_default();
        let is_group = kind.ends_with("ExceptionGroup") && first + 1 < self.blocks.len();
        match run(first, |rank| matches!(rank, Rank::Consequence | Rank::InHandler)) {
            Some(last) => {
                let declared = (first..last).rev();
                let declared = declared.take_while(|at| rank_at(at + 1) == Some(Rank::Consequence));
                match declared.last() {
                    Some(cause) => (last, Some(cause), true),
                    None => (last, Some(first), false),
                }
            }
            None if is_group => (first, Some(first + 1), true),
            None => (first, run(first, |rank| rank == Rank::Cause), true),
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

/// The location of a match, in `file` if the match states only a line.
fn frame(found: &Captures<'_>, file: Option<&String>) -> Option<Frame> {
    let number = |name| text(found, name).and_then(|number| number.parse().ok());
    let line = number("line");
    Some(Frame {
        file: text(found, "file").or_else(|| file.cloned().filter(|_| line.is_some()))?,
        line,
        column: number("column"),
        function: text(found, "function"),
        project_path: None,
    })
}
