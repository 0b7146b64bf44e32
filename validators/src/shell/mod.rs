//! Shell text as a flat list of simple commands.
//!
//! Rules on scripts check which programs run with which arguments, and how consecutive commands are
//! connected. The result is therefore flat: every simple command in source order, with its scope
//! and the operator before it. Plain scripts (words, quotes, expansions and operators) are parsed
//! by `plain`; scripts with compound syntax (`if`, loops, functions, here-documents) go through
//! tree-sitter in `tree`. Both parse words with `word`, and a test checks that they agree.

mod balance;
mod pipes;
mod plain;
mod text;
mod tree;
mod word;

use aidd_engine::text::source::Span;
use std::time::Duration;

pub(crate) use text::ShellText;
pub(crate) use word::{Expansion, ExpansionKind, Word};

/// Maximum number of commands stored per script: some rules compare commands pairwise.
const MAX_COMMANDS: usize = 2000;

/// Time limit of the grammar for all scripts of a file. On invalid input, the grammar takes time
/// quadratic in the length; the slowest real scripts take a hundredth of this limit.
pub(crate) const TIME_LIMIT: Duration = Duration::from_secs(1);

/// A parsed script.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(crate) struct Script {
    /// Every simple command, in source order; the commands inside the substitutions of a command
    /// follow the command.
    pub commands: Vec<Command>,
    /// The scopes of the commands; the first is the script itself.
    pub scopes: Vec<Scope>,
    /// The syntax errors; in doubtful cases, no error is stored.
    pub faults: Vec<Fault>,
    /// Whether the grammar exceeded its time limit. In this case, the script contains no commands.
    pub skipped: bool,
}

/// A simple command: assignments, a program with arguments, redirections.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(crate) struct Command {
    /// The span from the first assignment or word to the last word or redirection.
    pub span: Span,
    /// The assignments `NAME=value` before the program, or without a program.
    pub assignments: Vec<Word>,
    /// The program and its arguments; empty when there are only assignments or redirections.
    pub words: Vec<Word>,
    /// The redirections, in source order.
    pub redirects: Vec<Redirect>,
    /// The operator that connects the command to the preceding command in its scope.
    pub before: Join,
    /// The scope of the command, as an index into [`Script::scopes`].
    pub scope: usize,
}

/// A part of a script that contains commands.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Scope {
    /// The construct that forms the scope.
    pub kind: ScopeKind,
    /// Index of the enclosing scope; the script's own index for the script itself.
    pub parent: usize,
    /// The operator that connects the scope to the preceding command in the enclosing scope.
    pub before: Join,
    /// The span of the construct.
    pub span: Span,
}

/// The constructs that form a scope.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum ScopeKind {
    /// The whole script.
    Script,
    /// `( … )`
    Subshell,
    /// `{ …; }`
    Group,
    /// An `if`, with its conditions and branches.
    If,
    /// A `while`, `until` or `for`, with its condition.
    Loop,
    /// A `case`, with all its branches.
    Case,
    /// The body of a function.
    Function,
    /// `$( … )`, backquotes, `<( … )`.
    Substitution,
}

/// The operator that connects a command to the preceding command.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(crate) enum Join {
    /// The first command of its scope.
    #[default]
    Start,
    /// `;`, a line break, or a keyword such as `then`.
    Then,
    /// `&&`
    And,
    /// `||`
    Or,
    /// `|` or `|&`
    Pipe,
    /// `&`
    Background,
}

/// A redirection.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Redirect {
    /// The span from the descriptor to the target.
    pub span: Span,
    /// The operator without its descriptor: `>`, `>>`, `<`, `>&`, `<<`, …
    pub operator: Box<str>,
    /// The file, descriptor or here-document delimiter.
    pub target: Option<Word>,
}

/// A syntax error in any shell.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Fault {
    /// The location of the error.
    pub span: Span,
    /// The message, without a full stop.
    pub message: String,
}

impl Script {
    /// Parses shell text. `remaining` is the remaining time for the grammar; the time used is
    /// subtracted from `remaining`.
    #[must_use]
    pub(crate) fn parse(text: &ShellText<'_>, remaining: &mut Duration) -> Self {
        let mut script = plain::parse(text).unwrap_or_else(|| tree::parse(text, remaining));
        script.commands.truncate(MAX_COMMANDS);
        script
    }

    /// Creates a script of one command from its words, for the exec form of an instruction.
    pub(crate) fn from_words(words: Vec<(Span, String)>) -> Self {
        let Some(span) = words.iter().map(|&(span, _)| span).reduce(Span::cover) else {
            return Self::default();
        };
        let words = words.into_iter().map(|(span, text)| Word::literal(span, text)).collect();
        Self {
            commands: vec![Command { span, words, ..Command::default() }],
            scopes: vec![Scope::script(span)],
            ..Self::default()
        }
    }

    /// The operator after the command at `index` in its own scope; `None` at the end.
    pub(crate) fn join_after(&self, index: usize) -> Option<Join> {
        let command = &self.commands[index];
        let next_command = self.commands[index + 1..]
            .iter()
            .find(|next| next.scope == command.scope)
            .map(|next| (next.span.start, next.before));
        // Scopes are in source order.
        let next_scope_index =
            self.scopes.partition_point(|scope| scope.span.start < command.span.end);
        let next_scope = self.scopes[next_scope_index.max(1).min(self.scopes.len())..]
            .iter()
            .find(|scope| scope.parent == command.scope)
            .map(|scope| (scope.span.start, scope.before));
        [next_command, next_scope]
            .into_iter()
            .flatten()
            .min_by_key(|next| next.0)
            .map(|next| next.1)
    }

    /// Whether the command at `index` is in a scope of one of `kinds`, at any depth.
    pub(crate) fn is_within(&self, index: usize, kinds: &[ScopeKind]) -> bool {
        let mut scope = self.commands[index].scope;
        while let Some(Scope { kind, parent, .. }) = self.scopes.get(scope) {
            if kinds.contains(kind) {
                return true;
            }
            if *parent == scope {
                break;
            }
            scope = *parent;
        }
        false
    }
}

impl Scope {
    fn script(span: Span) -> Self {
        Self { kind: ScopeKind::Script, parent: 0, before: Join::Start, span }
    }
}

impl Command {
    /// The program's name: the first word, without the directories of an absolute path; empty if
    /// the command has no program or the name is not constant.
    pub(crate) fn program(&self) -> &str {
        match self.words.first() {
            Some(word) if word.is_literal() => {
                let name = word.text();
                if name.starts_with('/') { name.rsplit('/').next().unwrap_or(name) } else { name }
            }
            _ => "",
        }
    }

    /// The words after the program.
    pub(crate) fn arguments(&self) -> &[Word] {
        self.words.get(1..).unwrap_or_default()
    }

    /// The arguments that are not options. A lone `-` and all arguments after `--` are operands.
    pub(crate) fn operands(&self) -> impl Iterator<Item = &Word> {
        let mut after_dashes = false;
        self.arguments().iter().filter(move |word| {
            let text = word.text();
            if !after_dashes && text == "--" {
                after_dashes = true;
                return false;
            }
            after_dashes || !text.starts_with('-') || text == "-"
        })
    }

    /// The option with one of these names, written as `-x` alone or within `-xyz`, or as `--long`
    /// with or without `=value`. `names` are without dashes; short options are one letter. Programs
    /// that parse options with `getopt_long`, `optparse` or `argparse` accept an unambiguous start
    /// of a long option: `no-ca[che-dir]` matches `no-cache-dir` and its starts from `no-ca` on.
    pub(crate) fn option(&self, names: &[&str]) -> Option<&Word> {
        self.arguments().iter().take_while(|word| word.text() != "--").find(|word| {
            let text = word.text();
            if let Some(long) = text.strip_prefix("--") {
                let name = long.split_once('=').map_or(long, |(name, _)| name);
                names.iter().any(|expected| is_long_option(expected, name))
            } else if let Some(short) = text.strip_prefix('-') {
                names.iter().any(|expected| match expected.as_bytes() {
                    [letter] => short.bytes().any(|byte| byte == *letter),
                    _ => short == *expected,
                })
            } else {
                false
            }
        })
    }

    /// Whether one of these options is present; see [`Self::option`].
    pub(crate) fn has_option(&self, names: &[&str]) -> bool {
        self.option(names).is_some()
    }

    /// Whether an argument equals one of `texts`.
    pub(crate) fn has_argument(&self, texts: &[&str]) -> bool {
        self.arguments().iter().any(|word| texts.contains(&word.text()))
    }
}

/// Whether `name` is the long option `expected`, or an accepted start of it: `no-ca[che-dir]`.
pub(crate) fn is_long_option(expected: &str, name: &str) -> bool {
    match expected.split_once('[') {
        Some((shortest, rest)) => name
            .strip_prefix(shortest)
            .is_some_and(|end| rest.strip_suffix(']').is_some_and(|rest| rest.starts_with(end))),
        None => expected.len() > 1 && expected == name,
    }
}

#[cfg(test)]
mod tests;
