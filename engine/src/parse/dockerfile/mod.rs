//! Dockerfiles: a lossless reading that never fails.
//!
//! [`parse`] follows BuildKit: parser directives, the escape character, continuations (with comment
//! and blank lines between), heredocs, flags, JSON forms and `ONBUILD`. What it cannot read becomes
//! a [`Problem`] and the rest of the file is read on. Lines that only belong to a template
//! language (`{{ … }}`, `{% … %}`, `<% … %>`, m4 macros) are set aside.
//!
//! Offsets: every [`Span`] lies in the source. [`Logical`] is the text of one instruction with its
//! continuations removed and knows where each byte came from; ranges of it ([`Word::at`]) are
//! offsets into that text, and [`Logical::span`] takes them back to the source.

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

/// The most instructions read: no image has as many layers by far.
pub const MOST: usize = 5_000;

/// A Dockerfile, read.
#[derive(Clone, Debug, Default)]
pub struct Dockerfile {
    /// Whole lines in order; together they are the text.
    pub pieces: Vec<Piece>,
    /// Parser directives at the top: `syntax`, `escape`, `check`.
    pub directives: Vec<Directive>,
    /// The escape character: `\` unless a directive says otherwise.
    pub escape: Escape,
    /// Comments in order, those within instructions included.
    pub comments: Vec<Comment>,
    /// Instructions in order; an instruction within `ONBUILD` is the [`Instruction::inner`] of it.
    pub instructions: Vec<Instruction>,
    /// Build stages in order.
    pub stages: Vec<Stage>,
    /// What could not be read as a builder would want it.
    pub problems: Vec<Problem>,
    /// Whether the file holds lines of a template language.
    pub template: bool,
}

/// The escape character.
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

/// One or more whole lines, line breaks included.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Piece {
    /// What they are.
    pub kind: PieceKind,
    /// Where.
    pub span: Span,
}

/// What a [`Piece`] is; numbers are indices into the lists of the [`Dockerfile`].
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum PieceKind {
    /// A parser directive.
    Directive(usize),
    /// A comment on lines of its own.
    Comment(usize),
    /// A line without text; also a byte order mark.
    Blank,
    /// An instruction with its continuation lines and heredocs.
    Instruction(usize),
    /// Lines of a template language.
    Template,
    /// All that follows [`MOST`] instructions: not read.
    Rest,
}

/// A parser directive: `# name=value` at the very top.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Directive {
    /// From `#` to the end of the value.
    pub span: Span,
    /// `syntax`, `escape` or `check`, in lower case.
    pub name: String,
    /// The value as written.
    pub value: Span,
    /// The text of the value.
    pub text: String,
}

/// A comment.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Comment {
    /// From `#` to the end of the line.
    pub span: Span,
    /// The instruction whose continuation lines it stands between.
    pub within: Option<usize>,
}

/// Names of instructions.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
#[expect(missing_docs, reason = "the names say it")]
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
    /// Not an instruction any builder knows.
    Unknown,
}

impl Keyword {
    /// All known keywords with their usual spelling.
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

    /// The keyword that `text` spells, in any case.
    #[must_use]
    pub fn of(text: &str) -> Self {
        Self::ALL
            .iter()
            .find(|(_, name)| name.eq_ignore_ascii_case(text))
            .map_or(Self::Unknown, |&(keyword, _)| keyword)
    }

    /// The usual spelling; `?` for an unknown one.
    #[must_use]
    pub fn name(self) -> &'static str {
        Self::ALL.iter().find(|(keyword, _)| *keyword == self).map_or("?", |(_, name)| name)
    }
}

/// One instruction.
#[derive(Clone, Debug)]
pub struct Instruction {
    /// Which one.
    pub kind: Keyword,
    /// The keyword as written.
    pub keyword: Span,
    /// From the keyword to the end of the last argument; heredoc bodies lie after it.
    pub span: Span,
    /// The whole instruction with its continuations removed, keyword and flags included.
    pub logical: Logical,
    /// Flags in order: `--name=value`.
    pub flags: Vec<Flag>,
    /// The argument in [`Instruction::logical`], after the flags, trimmed.
    pub argument: Range<usize>,
    /// Words of the argument, or the elements of the JSON form. `RUN`, `CMD` and `ENTRYPOINT` in
    /// shell form have none: their text is for a shell to split. `USER`, `WORKDIR`, `STOPSIGNAL`
    /// and `MAINTAINER` have one.
    pub words: Vec<Word>,
    /// Keys and values of `ENV`, `LABEL` and `ARG`.
    pub pairs: Vec<Pair>,
    /// Whether the argument is a JSON array of strings.
    pub json: bool,
    /// Heredocs in order.
    pub heredocs: Vec<Heredoc>,
    /// Blank lines between continuation lines.
    pub blanks: Vec<Span>,
    /// The instruction after `ONBUILD`, or the `CMD` of a `HEALTHCHECK`.
    pub inner: Option<Box<Instruction>>,
    /// Index of the stage it belongs to; `None` before the first `FROM`.
    pub stage: Option<usize>,
    /// Index of the `SHELL` instruction in force; `None` for the builder's default.
    pub shell: Option<usize>,
}

impl Instruction {
    /// The argument: continuations removed, flags left out.
    #[must_use]
    pub fn argument(&self) -> &str {
        &self.logical.text()[self.argument.clone()]
    }

    /// Where the argument lies in the source.
    #[must_use]
    pub fn argument_span(&self) -> Span {
        self.logical.span(self.argument.clone())
    }

    /// Where a range of [`Instruction::argument`]'s text lies in the source.
    #[must_use]
    pub fn span_of(&self, range: Range<usize>) -> Span {
        self.logical.span(self.argument.start + range.start..self.argument.start + range.end)
    }

    /// The flag called `name`.
    #[must_use]
    pub fn flag(&self, name: &str) -> Option<&Flag> {
        self.flags.iter().find(|flag| flag.name == name)
    }

    /// All flags called `name`.
    pub fn flags<'a>(&'a self, name: &'a str) -> impl Iterator<Item = &'a Flag> {
        self.flags.iter().filter(move |flag| flag.name == name)
    }

    /// The heredoc that `word` opens.
    #[must_use]
    pub fn heredoc(&self, word: &Word) -> Option<&Heredoc> {
        self.heredocs.iter().find(|heredoc| heredoc.opener == word.span)
    }
}

/// A piece of an argument.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Word {
    /// Where in the source, quotes included.
    pub span: Span,
    /// Where in the text of [`Instruction::logical`], quotes included.
    pub at: Range<usize>,
    /// The text with quotes and escapes resolved; variables stay.
    pub text: String,
}

/// A flag: `--name` or `--name=value`.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Flag {
    /// All of it.
    pub span: Span,
    /// The name without `--`, in lower case.
    pub name: String,
    /// What follows `=`.
    pub value: Option<Word>,
}

impl Flag {
    /// The text of the value; empty when there is none.
    #[must_use]
    pub fn text(&self) -> &str {
        self.value.as_ref().map_or("", |word| &word.text)
    }

    /// The value of `key` in a value like `type=cache,target=/x`; a key without a value is empty.
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
    /// The key.
    pub key: Word,
    /// The value; an `ARG` may have none.
    pub value: Option<Word>,
    /// Written as `KEY value`, without `=`.
    pub legacy: bool,
}

/// A heredoc of `RUN`, `COPY` or `ADD`.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Heredoc {
    /// The delimiter.
    pub name: String,
    /// The word that opens it: `<<EOF`, `<<-"EOF"`, `3<<EOF`.
    pub opener: Span,
    /// The lines of the body, line breaks included.
    pub body: Span,
    /// The delimiter that closes it.
    pub end: Span,
    /// The delimiter is quoted: the builder expands no variables in the body.
    pub quoted: bool,
    /// Leading tabs of the body are dropped (`<<-`).
    pub strip_tabs: bool,
    /// The first line of the body when it begins with `#!`.
    pub shebang: Option<Span>,
}

/// A build stage.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Stage {
    /// Index of its `FROM`.
    pub from: usize,
    /// Indices of its instructions, `FROM` included.
    pub instructions: Range<usize>,
    /// The image or the stage it builds on; `None` when `FROM` has no argument.
    pub image: Option<Word>,
    /// `AS` as written.
    pub as_keyword: Option<Span>,
    /// The name after `AS`.
    pub name: Option<Word>,
    /// Index of the earlier stage it builds on.
    pub base: Option<usize>,
}

/// A place that a builder would refuse.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Problem {
    /// Where.
    pub span: Span,
    /// What is wrong, without a final stop.
    pub message: String,
    /// What to do about it.
    pub help: Option<String>,
}

impl Dockerfile {
    /// The instructions of one kind, in order.
    pub fn all(&self, kind: Keyword) -> impl Iterator<Item = &Instruction> {
        self.instructions.iter().filter(move |instruction| instruction.kind == kind)
    }

    /// The instructions of one stage, `FROM` included.
    #[must_use]
    pub fn of_stage(&self, stage: &Stage) -> &[Instruction] {
        self.instructions.get(stage.instructions.clone()).unwrap_or_default()
    }

    /// All instructions with those inside `ONBUILD` in the place of their `ONBUILD`.
    pub fn effective(&self) -> impl Iterator<Item = &Instruction> {
        self.instructions.iter().map(|instruction| match (&instruction.kind, &instruction.inner) {
            (Keyword::Onbuild, Some(inner)) => inner,
            _ => instruction,
        })
    }

    /// The stage that `name` means for `FROM` and `COPY --from` before stage `before`: its name in
    /// any case; the latest one when several bear it.
    #[must_use]
    pub fn stage_named(&self, name: &str, before: usize) -> Option<usize> {
        let stages = &self.stages[..before.min(self.stages.len())];
        stages.iter().rposition(|stage| {
            stage.name.as_ref().is_some_and(|word| word.text.eq_ignore_ascii_case(name))
        })
    }

    /// The words of the `SHELL` in force for `instruction`; `None` for the builder's default.
    #[must_use]
    pub fn shell_of(&self, instruction: &Instruction) -> Option<&[Word]> {
        instruction.shell.and_then(|at| self.instructions.get(at)).map(|shell| &*shell.words)
    }
}

#[cfg(test)]
mod tests;
