//! Builds a [`Dockerfile`] from text: lines, directives, instructions.

use super::heredoc::LastLines;
use super::lines::{Line, begins_template, line_at, template_end};
use super::{
    Comment, Directive, Dockerfile, Escape, Instruction, Keyword, Logical, MAX_INSTRUCTIONS, Piece,
    PieceKind, arguments, flags, heredoc, problems, scope,
};
use crate::text::source::Span;
use std::cell::OnceCell;

/// Maximum nesting of instructions: `ONBUILD HEALTHCHECK CMD`.
const MAX_DEPTH: usize = 3;

/// Parses a Dockerfile. Never fails; see [`Dockerfile::problems`].
#[must_use]
pub fn parse(text: &str) -> Dockerfile {
    let lines = OnceCell::new();
    let mut builder = Builder { text, at: 0, file: Dockerfile::default(), lines };
    builder.skip_byte_order_mark();
    builder.parse_directives();
    while let Some(line) = line_at(text, builder.at) {
        builder.parse_piece(line);
    }
    let mut file = builder.file;
    scope::resolve(&mut file);
    problems::find(&mut file);
    file
}

struct Builder<'a> {
    text: &'a str,
    at: usize,
    file: Dockerfile,
    /// Built when the first heredoc is parsed.
    lines: OnceCell<LastLines<'a>>,
}

impl Builder<'_> {
    /// Adds a piece from the current offset to `end`.
    fn add_piece(&mut self, kind: PieceKind, end: usize) {
        self.file.pieces.push(Piece { kind, span: Span::new(self.at, end) });
        self.at = end;
    }

    fn skip_byte_order_mark(&mut self) {
        if self.text.starts_with('\u{FEFF}') {
            self.add_piece(PieceKind::Blank, '\u{FEFF}'.len_utf8());
        }
    }

    fn parse_directives(&mut self) {
        while let Some(line) = line_at(self.text, self.at) {
            let Some(directive) = directive(&line) else { return };
            if self.file.directives.iter().any(|seen| seen.name == directive.name) {
                return;
            }
            if directive.name == "escape" {
                match &*directive.text {
                    "\\" => {}
                    "`" => self.file.escape = Escape('`'),
                    _ => problems::report_invalid_escape(&mut self.file, &directive),
                }
            }
            self.file.directives.push(directive);
            self.add_piece(PieceKind::Directive(self.file.directives.len() - 1), line.next);
        }
    }

    fn parse_piece(&mut self, line: Line<'_>) {
        if self.file.instructions.len() >= MAX_INSTRUCTIONS {
            problems::report_too_long(
                &mut self.file,
                Span::new(line.start, line.start + line.text.len()),
            );
            return self.add_piece(PieceKind::Rest, self.text.len());
        }
        if line.is_blank() {
            return self.add_piece(PieceKind::Blank, line.next);
        }
        if let Some(comment) = line.comment() {
            self.add_comment(&line, comment, None);
            return self.add_piece(PieceKind::Comment(self.file.comments.len() - 1), line.next);
        }
        self.file.template |= begins_template(line.text);
        if let Some(end) = template_end(self.text, line) {
            return self.add_piece(PieceKind::Template, end);
        }
        let end = self.parse_instruction(line);
        self.add_piece(PieceKind::Instruction(self.file.instructions.len() - 1), end);
    }

    fn add_comment(&mut self, line: &Line<'_>, at: usize, within: Option<usize>) {
        let span = Span::new(line.start + at, line.start + line.text.trim_end().len());
        self.file.comments.push(Comment { span, within });
    }

    /// Parses the instruction that starts on `line`; returns the offset of its end.
    fn parse_instruction(&mut self, line: Line<'_>) -> usize {
        let mut blanks = Vec::new();
        let (logical, mut end) = self.join_continuations(line, &mut blanks);
        let mut instruction = read(logical, 0, self.file.escape, 0);
        instruction.blanks = blanks;
        let heredocs = match (&instruction.kind, &mut instruction.inner) {
            (Keyword::Onbuild, Some(inner)) => self.parse_heredocs(inner, end),
            _ => self.parse_heredocs(&mut instruction, end),
        };
        end = heredocs;
        self.file.instructions.push(instruction);
        end
    }

    /// Joins `line` with its continuation lines; returns the text and the offset of the next line.
    fn join_continuations(&mut self, line: Line<'_>, blanks: &mut Vec<Span>) -> (Logical, usize) {
        let escape = self.file.escape;
        let within = Some(self.file.instructions.len());
        let mut logical = Logical::default();
        let mut end = line.next;
        let mut current = Some((line, line.indent()));
        while let Some((line, from)) = current {
            end = line.next;
            let continued = line.continued(escape);
            let text = continued.unwrap_or(line.text);
            let from = from.min(text.len());
            logical.push(&text[from..], line.start + from);
            current = None;
            if continued.is_none() {
                break;
            }
            while let Some(next) = line_at(self.text, end) {
                if next.is_blank() {
                    blanks.push(Span::new(next.start, next.start + next.text.len()));
                    end = next.next;
                } else if let Some(comment) = next.comment() {
                    self.add_comment(&next, comment, within);
                    end = next.next;
                } else if let Some(after) = template_end(self.text, next) {
                    self.file.template = true;
                    end = after;
                } else {
                    current = Some((next, 0));
                    break;
                }
            }
        }
        (logical, end)
    }

    /// Parses the heredocs of `instruction`, whose bodies start at `end`; returns the offset of the
    /// end of the bodies.
    fn parse_heredocs(&mut self, instruction: &mut Instruction, end: usize) -> usize {
        let supports_heredocs =
            matches!(instruction.kind, Keyword::Run | Keyword::Copy | Keyword::Add);
        if !supports_heredocs || instruction.json {
            return end;
        }
        let mut at = end;
        let logical = &instruction.logical;
        for opener in heredoc::openers(logical, instruction.argument.clone(), self.file.escape) {
            let lines = self.lines.get_or_init(|| LastLines::new(self.text));
            match heredoc::body(self.text, at, &opener, logical, lines) {
                Some((heredoc, next)) => {
                    instruction.heredocs.push(heredoc);
                    at = next;
                }
                None => problems::report_open_heredoc(
                    &mut self.file,
                    opener.span(logical),
                    opener.name(),
                ),
            }
        }
        at
    }
}

/// Parses the instruction that starts at `start` of `logical`.
fn read(logical: Logical, start: usize, escape: Escape, depth: usize) -> Instruction {
    let text = logical.text();
    let end = text.trim_end().len().max(start);
    let keyword = start..text[start..end].find(char::is_whitespace).map_or(end, |at| start + at);
    let kind = Keyword::from_name(&text[keyword.clone()]);
    let (flags, argument) = match kind {
        Keyword::Unknown => (Vec::new(), keyword.end),
        _ => flags::read(&logical, keyword.end, escape),
    };
    let argument = argument + (text[argument..].len() - text[argument..].trim_start().len());
    let argument = argument.min(end)..end;
    let mut instruction = Instruction {
        kind,
        keyword: logical.span(keyword),
        span: logical.span(start..end),
        flags,
        argument,
        words: Vec::new(),
        pairs: Vec::new(),
        json: false,
        heredocs: Vec::new(),
        blanks: Vec::new(),
        inner: None,
        stage: None,
        shell: None,
        logical,
    };
    arguments::parse_arguments(&mut instruction, escape);
    if let Some(at) = nested_start(&instruction).filter(|_| depth < MAX_DEPTH) {
        instruction.inner =
            Some(Box::new(read(instruction.logical.clone(), at, escape, depth + 1)));
    }
    instruction
}

/// The start of the instruction nested in `instruction`.
fn nested_start(instruction: &Instruction) -> Option<usize> {
    match instruction.kind {
        Keyword::Onbuild if !instruction.argument.is_empty() => Some(instruction.argument.start),
        Keyword::Healthcheck => instruction
            .words
            .first()
            .filter(|word| word.text.eq_ignore_ascii_case("CMD"))
            .map(|word| word.at.start),
        _ => None,
    }
}

/// The parser directive on `line`, if there is one.
fn directive(line: &Line<'_>) -> Option<Directive> {
    let rest = line.text.strip_prefix('#')?;
    let (name, value) = rest.split_once('=')?;
    let name = name.trim().to_ascii_lowercase();
    if !matches!(&*name, "syntax" | "escape" | "check") {
        return None;
    }
    let text = value.trim();
    let start = line.start + line.text.len() - value.trim_start().len();
    let value = Span::new(start, start + text.len());
    (!text.is_empty()).then(|| Directive {
        span: Span::new(line.start, start + text.len()),
        name,
        value,
        text: text.to_owned(),
    })
}
