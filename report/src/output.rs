//! Standard output and error for people: no byte of the output controls a terminal, hides text or
//! is interpreted as a command by the system that stores the log.
//!
//! All escaping is done in [`Output`], so that no caller can forget it. Output for programs is
//! escaped by its format already and passes unchanged. Only the program's own workflow commands,
//! scripts and echoed files bypass the escaping: [`Output::raw`].

use crate::{Format, escape, layout};
use serde::Serialize;
use std::fmt;
use std::io::{self, Write};

/// Standard output or error. A line is written once it is complete, or on flush.
pub struct Output<'a> {
    inner: Box<dyn Write + 'a>,
    line: Vec<u8>,
    /// Whether a part of the current line was already written.
    is_line_started: bool,
    color: bool,
    /// Width at which complete lines are wrapped.
    width: Option<usize>,
}

impl fmt::Debug for Output<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Output").field("color", &self.color).finish_non_exhaustive()
    }
}

impl<'a> Output<'a> {
    /// Creates an output that writes to `inner`.
    pub fn new(inner: impl Write + 'a) -> Self {
        Self {
            inner: Box::new(inner),
            line: Vec::new(),
            is_line_started: false,
            color: false,
            width: None,
        }
    }

    /// Wraps lines between words at `width` columns; `None` writes them unchanged.
    #[must_use]
    pub fn wrapped_at(self, width: Option<usize>) -> Self {
        Self { width, ..self }
    }

    /// Sets whether the program's own colours are kept.
    pub fn set_color(&mut self, color: bool) {
        self.color = color;
    }

    /// Returns the stream without escaping, for bytes that are already in an output format.
    ///
    /// # Errors
    /// Fails when the pending output cannot be written.
    pub fn raw(&mut self) -> io::Result<&mut dyn Write> {
        self.put_line()?;
        self.is_line_started = false;
        Ok(&mut self.inner)
    }

    /// Writes a value as indented JSON with a final line break.
    ///
    /// # Errors
    /// Fails when the JSON cannot be written.
    pub fn json(&mut self, value: &impl Serialize) -> io::Result<()> {
        escape::write_json(value, self)
    }

    /// Writes formatted JSON text.
    ///
    /// # Errors
    /// Fails when the JSON cannot be written.
    pub fn json_text(&mut self, text: &str) -> io::Result<()> {
        self.write_all(escape::json(text).as_bytes())
    }

    /// Returns the stream for a report. Workflow commands are kept in [`Format::Github`], which
    /// consists of them, and escaped in the other formats.
    ///
    /// # Errors
    /// Fails when the pending output cannot be written.
    pub fn report(&mut self, format: Format) -> io::Result<&mut dyn Write> {
        if format == Format::Github { self.raw() } else { Ok(self) }
    }

    fn put_line(&mut self) -> io::Result<()> {
        if self.line.is_empty() {
            return Ok(());
        }
        let text = escape::log_line(&self.line, self.color);
        // The written part of the line must not form a command with the rest.
        if self.is_line_started && text.starts_with([':', '#', '[']) {
            self.inner.write_all(b" ")?;
        }
        let is_whole_line = !self.is_line_started && text.ends_with('\n');
        self.is_line_started = !text.ends_with('\n');
        self.line.clear();
        match self.width.filter(|_| is_whole_line) {
            Some(width) => writeln!(self.inner, "{}", layout::wrap_line(text.trim_end(), width)),
            None => self.inner.write_all(text.as_bytes()),
        }
    }
}

impl Write for Output<'_> {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        for part in bytes.split_inclusive(|&byte| byte == b'\n') {
            self.line.extend_from_slice(part);
            if part.ends_with(b"\n") {
                self.put_line()?;
            }
        }
        Ok(bytes.len())
    }

    fn flush(&mut self) -> io::Result<()> {
        self.put_line()?;
        self.inner.flush()
    }
}

/// Ignores a broken pipe: the reader has read enough.
pub fn broken_pipe(error: io::Error) -> io::Result<()> {
    if error.kind() == io::ErrorKind::BrokenPipe { Ok(()) } else { Err(error) }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn written(color: bool, parts: &[&[u8]]) -> String {
        let mut bytes = Vec::new();
        let mut out = Output::new(&mut bytes);
        out.set_color(color);
        for part in parts {
            out.write_all(part).expect("written");
        }
        out.flush().expect("written");
        drop(out);
        String::from_utf8(bytes).expect("UTF-8")
    }

    #[test]
    fn output_controls_neither_a_terminal_nor_a_ci_system() {
        let malicious = b"a\x1b[2J\x9b\xc2\x9b\xe2\x80\xae\r\n \t::error::x\n\xc2\xa0::stop\nx ##[group]\n##vso[task]\n";
        assert_eq!(
            written(false, &[malicious]),
            "a\\u{1b}[2J\\x9b\\u{9b}\\u{202e}\r\n \t./::error::x\n\u{a0}./::stop\nx # #[group]\n# #vso[task]\n"
        );
        assert_eq!(written(false, &[b"x\r::error::y\n"]), "x\\u{d}::error::y\n");
        assert_eq!(written(false, &[b":", b":error::x\n", b"no end"]), "./::error::x\nno end");
    }

    #[test]
    fn a_line_flushed_in_the_middle_does_not_become_a_command() {
        let mut bytes = Vec::new();
        let mut out = Output::new(&mut bytes);
        out.write_all(b":").and_then(|()| out.flush()).expect("written");
        out.write_all(b":error::x\n").expect("written");
        drop(out);
        assert_eq!(bytes, b": :error::x\n");
    }

    #[test]
    fn own_colours_are_kept_if_enabled() {
        let text = b"\x1b[1m\x1b[31mred\x1b[0m\x1b[8m \x1b]8;;https://x.example/a\x1b\\l\x1b]8;;\x1b\\ \x1b]0;t\x07\n";
        assert_eq!(
            written(true, &[text]),
            "\x1b[1m\x1b[31mred\x1b[0m\\u{1b}[8m \x1b]8;;https://x.example/a\x1b\\l\x1b]8;;\x1b\\ \\u{1b}]0;t\\u{7}\n"
        );
        assert!(!written(false, &[text]).contains('\x1b'));
    }

    #[test]
    fn escaped_json_has_the_same_value() {
        let mut bytes = Vec::new();
        let value = ["\u{202e}##[error]", "::x\n::y"];
        Output::new(&mut bytes).json(&value).expect("written");
        let text = String::from_utf8(bytes).expect("UTF-8");
        assert!(!text.contains(['\u{202e}']) && !text.contains("##["), "{text}");
        assert_eq!(serde_json::from_str::<[String; 2]>(&text).expect("JSON"), value);
    }
}
