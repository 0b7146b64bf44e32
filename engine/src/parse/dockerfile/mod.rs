//! Parses Dockerfiles without loss and without failing.
//!
//! [`parse`] follows BuildKit: parser directives, the escape character, continuations (with comment
//! and blank lines in between), heredocs, flags, JSON forms and `ONBUILD`. Each part that cannot be
//! parsed becomes a [`Problem`], and parsing continues after it. Lines that belong only to a
//! template language (`{{ … }}`, `{% … %}`, `<% … %>`, m4 macros) are not parsed.
//!
//! Offsets: every [`Span`] refers to the source. [`Logical`] is the text of one instruction without
//! its continuations; ranges in it ([`Word::at`]) are offsets into that text, and [`Logical::span`]
//! maps them to the source.

mod arguments;
mod build;
mod flags;
mod heredoc;
pub mod image;
mod json;
mod lines;
mod logical;
mod problems;
mod scope;
mod words;

use crate::text::source::Span;
use std::ops::Range;

pub use build::parse;
pub use logical::Logical;
pub use scope::{Origin, Variable};
pub use words::{Use, unquote, uses};

/// Maximum number of instructions that are parsed, far more than an image can have layers.
pub const MAX_INSTRUCTIONS: usize = 5_000;

/// A parsed Dockerfile.
#[derive(Clone, Debug, Default)]
pub struct Dockerfile {
    /// Sequences of whole lines, in order; concatenated they are the text.
    pub pieces: Vec<Piece>,
    /// Parser directives at the top: `syntax`, `escape`, `check`.
    pub directives: Vec<Directive>,
    /// The escape character: `\` unless a directive sets another.
    pub escape: Escape,
    /// Comments in order, including those within instructions.
    pub comments: Vec<Comment>,
    /// Instructions in order; an instruction nested in `ONBUILD` is its [`Instruction::inner`].
    pub instructions: Vec<Instruction>,
    /// Build stages in order.
    pub stages: Vec<Stage>,
    /// Parts that a builder would reject.
    pub problems: Vec<Problem>,
    /// Whether the file contains lines of a template language.
    pub template: bool,
}

/// The escape character of a Dockerfile.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Escape(
    /// `\` or a backtick.
    pub char,
);

impl Default for Escape {
    fn default() -> Self {
        Self('\\')
    }
}

/// One or more whole lines, including line breaks.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Piece {
    /// What the lines contain.
    pub kind: PieceKind,
    /// The range of the lines.
    pub span: Span,
}

/// The content of a [`Piece`]; numbers are indexes into the lists of the [`Dockerfile`].
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum PieceKind {
    /// A parser directive.
    Directive(usize),
    /// A comment on its own lines.
    Comment(usize),
    /// A line without text, or a byte order mark.
    Blank,
    /// An instruction with its continuation lines and heredocs.
    Instruction(usize),
    /// Lines of a template language.
    Template,
    /// Everything after [`MAX_INSTRUCTIONS`] instructions; not parsed.
    Rest,
}

/// A parser directive: `# name=value` at the start of the file.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Directive {
    /// From `#` to the end of the value.
    pub span: Span,
    /// `syntax`, `escape` or `check`, in lower case.
    pub name: String,
    /// The value as written.
    pub value: Span,
    /// The value without surrounding white space.
    pub text: String,
}

/// A comment, on its own line or between continuation lines.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Comment {
    /// From `#` to the end of the line.
    pub span: Span,
    /// Index of the instruction, if the comment is between its continuation lines.
    pub within: Option<usize>,
}

/// The keyword of an instruction.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
#[expect(missing_docs, reason = "the names are self-explanatory")]
pub enum Keyword {
    Add,
    Arg,
    Cmd,
    Copy,
    Entrypoint,
    Env,
    Expose,
    From,
    Healthcheck,
    Label,
    Maintainer,
    Onbuild,
    Run,
    Shell,
    Stopsignal,
    User,
    Volume,
    Workdir,
    /// A keyword that no builder supports.
    Unknown,
}

impl Keyword {
    /// All known keywords with their conventional spelling.
    pub const ALL: [(Self, &'static str); 18] = [
        (Self::Add, "ADD"),
        (Self::Arg, "ARG"),
        (Self::Cmd, "CMD"),
        (Self::Copy, "COPY"),
        (Self::Entrypoint, "ENTRYPOINT"),
        (Self::Env, "ENV"),
        (Self::Expose, "EXPOSE"),
        (Self::From, "FROM"),
        (Self::Healthcheck, "HEALTHCHECK"),
        (Self::Label, "LABEL"),
        (Self::Maintainer, "MAINTAINER"),
        (Self::Onbuild, "ONBUILD"),
        (Self::Run, "RUN"),
        (Self::Shell, "SHELL"),
        (Self::Stopsignal, "STOPSIGNAL"),
        (Self::User, "USER"),
        (Self::Volume, "VOLUME"),
        (Self::Workdir, "WORKDIR"),
    ];

    /// Parses a keyword, ignoring case.
    #[must_use]
    pub fn from_name(text: &str) -> Self {
        Self::ALL
            .iter()
            .find(|(_, name)| name.eq_ignore_ascii_case(text))
            .map_or(Self::Unknown, |&(keyword, _)| keyword)
    }

    /// The conventional spelling; `?` for an unknown keyword.
    #[must_use]
    pub fn name(self) -> &'static str {
        Self::ALL.iter().find(|(keyword, _)| *keyword == self).map_or("?", |(_, name)| name)
    }
}

/// An instruction with its flags and arguments.
#[derive(Clone, Debug)]
pub struct Instruction {
    /// The kind of instruction: `FROM`, `RUN`, ….
    pub kind: Keyword,
    /// The keyword as written.
    pub keyword: Span,
    /// From the keyword to the end of the last argument, without heredoc bodies.
    pub span: Span,
    /// The whole instruction without continuations, including keyword and flags.
    pub logical: Logical,
    /// Flags in order: `--name=value`.
    pub flags: Vec<Flag>,
    /// The range of the argument in [`Instruction::logical`], after the flags, trimmed.
    pub argument: Range<usize>,
    /// Words of the argument, or elements of the JSON form. Empty for `RUN`, `CMD` and `ENTRYPOINT`
    /// in shell form, because a shell splits their text. `USER`, `WORKDIR`, `STOPSIGNAL` and
    /// `MAINTAINER` have a single word.
    pub words: Vec<Word>,
    /// Keys and values of `ENV`, `LABEL` and `ARG`.
    pub pairs: Vec<Pair>,
    /// Whether the argument is a JSON array of strings.
    pub json: bool,
    /// The heredocs that the instruction opens, in order.
    pub heredocs: Vec<Heredoc>,
    /// Blank lines between continuation lines.
    pub blanks: Vec<Span>,
    /// The instruction after `ONBUILD`, or the `CMD` of a `HEALTHCHECK`.
    pub inner: Option<Box<Instruction>>,
    /// Index of the build stage that contains the instruction; `None` before the first `FROM`.
    pub stage: Option<usize>,
    /// Index of the `SHELL` instruction in effect; `None` for the builder's default.
    pub shell: Option<usize>,
}

impl Instruction {
    /// The text of the argument, without continuations and flags.
    #[must_use]
    pub fn argument(&self) -> &str {
        &self.logical.text()[self.argument.clone()]
    }

    /// The span of the argument in the source.
    #[must_use]
    pub fn argument_span(&self) -> Span {
        self.logical.span(self.argument.clone())
    }

    /// The source span of a range of [`Instruction::argument`].
    #[must_use]
    pub fn span_of(&self, range: Range<usize>) -> Span {
        self.logical.span(self.argument.start + range.start..self.argument.start + range.end)
    }

    /// The first flag with this name.
    #[must_use]
    pub fn flag(&self, name: &str) -> Option<&Flag> {
        self.flags.iter().find(|flag| flag.name == name)
    }

    /// All flags with this name.
    pub fn flags<'a>(&'a self, name: &'a str) -> impl Iterator<Item = &'a Flag> {
        self.flags.iter().filter(move |flag| flag.name == name)
    }

    /// The heredoc opened by `word`.
    #[must_use]
    pub fn heredoc(&self, word: &Word) -> Option<&Heredoc> {
        self.heredocs.iter().find(|heredoc| heredoc.opener == word.span)
    }
}

/// A word of an argument.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Word {
    /// The span in the source, including quotes.
    pub span: Span,
    /// The range in [`Instruction::logical`], including quotes.
    pub at: Range<usize>,
    /// The text with quotes and escapes resolved; variables are left as written.
    pub text: String,
}

/// A flag: `--name` or `--name=value`.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Flag {
    /// The span of the whole flag.
    pub span: Span,
    /// The name without `--`, in lower case.
    pub name: String,
    /// The text after `=`.
    pub value: Option<Word>,
}

impl Flag {
    /// The value; empty if there is none.
    #[must_use]
    pub fn text(&self) -> &str {
        self.value.as_ref().map_or("", |word| &word.text)
    }

    /// The value of `key` in a list such as `type=cache,target=/x`; empty for a key without a
    /// value.
    #[must_use]
    pub fn part(&self, key: &str) -> Option<&str> {
        self.text().split(',').find_map(|part| {
            let (name, value) = part.split_once('=').unwrap_or((part, ""));
            name.trim().eq_ignore_ascii_case(key).then_some(value)
        })
    }
}

/// A key and its value in `ENV`, `LABEL` or `ARG`.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Pair {
    /// The key, a word.
    pub key: Word,
    /// The value; optional for `ARG`.
    pub value: Option<Word>,
    /// Whether the pair is written as `KEY value`, without `=`.
    pub legacy: bool,
}

/// A heredoc of `RUN`, `COPY` or `ADD`.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Heredoc {
    /// The delimiter without quotes and `-`.
    pub name: String,
    /// The span of the opening word: `<<EOF`, `<<-"EOF"`, `3<<EOF`.
    pub opener: Span,
    /// The span of the body, including line breaks.
    pub body: Span,
    /// The span of the closing delimiter.
    pub end: Span,
    /// Whether the delimiter is quoted, so that the builder does not expand variables in the body.
    pub quoted: bool,
    /// Whether leading tabs of the body are removed (`<<-`).
    pub strip_tabs: bool,
    /// The span of the first line of the body if it starts with `#!`.
    pub shebang: Option<Span>,
}

/// A build stage, from its `FROM` to the next.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Stage {
    /// Index of its `FROM` instruction.
    pub from: usize,
    /// Indexes of its instructions, including `FROM`.
    pub instructions: Range<usize>,
    /// The image or stage that this stage is based on; `None` if `FROM` has no argument.
    pub image: Option<Word>,
    /// The span of `AS`.
    pub as_keyword: Option<Span>,
    /// The name after `AS`, if there is one.
    pub name: Option<Word>,
    /// Index of the earlier stage that this stage is based on.
    pub base: Option<usize>,
}

/// A part of the file that a builder would reject.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Problem {
    /// The part of the source that causes the problem.
    pub span: Span,
    /// The problem, without a final period.
    pub message: String,
    /// The remedy.
    pub help: Option<String>,
}

impl Dockerfile {
    /// The instructions of one kind, in order.
    pub fn all(&self, kind: Keyword) -> impl Iterator<Item = &Instruction> {
        self.instructions.iter().filter(move |instruction| instruction.kind == kind)
    }

    /// The instructions of one stage, including `FROM`.
    #[must_use]
    pub fn of_stage(&self, stage: &Stage) -> &[Instruction] {
        self.instructions.get(stage.instructions.clone()).unwrap_or_default()
    }

    /// All instructions, with each `ONBUILD` replaced by its nested instruction.
    pub fn effective(&self) -> impl Iterator<Item = &Instruction> {
        self.instructions.iter().map(|instruction| match (&instruction.kind, &instruction.inner) {
            (Keyword::Onbuild, Some(inner)) => inner,
            _ => instruction,
        })
    }

    /// The stage that `name` refers to in `FROM` and `COPY --from` before stage `before`. The
    /// comparison ignores case; if several stages have this name, the last of these stages is
    /// returned.
    #[must_use]
    pub fn stage_named(&self, name: &str, before: usize) -> Option<usize> {
        let stages = &self.stages[..before.min(self.stages.len())];
        stages.iter().rposition(|stage| {
            stage.name.as_ref().is_some_and(|word| word.text.eq_ignore_ascii_case(name))
        })
    }

    /// The words of the `SHELL` in effect for `instruction`; `None` for the builder's default.
    #[must_use]
    pub fn shell_of(&self, instruction: &Instruction) -> Option<&[Word]> {
        instruction.shell.and_then(|at| self.instructions.get(at)).map(|shell| &*shell.words)
    }
}

#[cfg(test)]
mod tests;
