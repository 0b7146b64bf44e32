//! Shell text as a flat list of simple commands.
//!
//! Rules on scripts ask which programs run with which arguments, and how one command hangs on the
//! next. So the answer is flat: every simple command in the order of the text, each with the scope
//! it stands in and the operator before it. Plain scripts (words, quotes, expansions and
//! operators) are read by `plain`; whatever has a grammar (`if`, loops, functions,
//! here-documents) goes through tree-sitter in `tree`. Both read words with `word`, and a test
//! holds them to the same answers.

mod balance;
mod plain;
mod text;
mod tree;
mod word;

use aidd_engine::text::source::Span;
use std::time::Duration;

pub(crate) use text::ShellText;
pub(crate) use word::{Expansion, ExpansionKind, Word};

/// The most commands of one script that are kept: rules compare them with each other.
const MAX_COMMANDS: usize = 2000;

/// How long the grammar may take over all scripts of a file. What it cannot parse costs it the
/// square of the length; the slowest real scripts take a hundredth of this.
pub(crate) const BUDGET: Duration = Duration::from_secs(1);

/// A script, read.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(crate) struct Script {
    /// Every simple command, in the order of the text; those inside the substitutions of a
    /// command follow it.
    pub commands: Vec<Command>,
    /// What commands stand in; the first is the script itself.
    pub scopes: Vec<Scope>,
    /// What no shell can parse; only what is certain.
    pub faults: Vec<Fault>,
    /// The grammar took too long over it, so there is nothing else here.
    pub skipped: bool,
}

/// One simple command: assignments, a program with arguments, redirections.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(crate) struct Command {
    /// From the first assignment or word to the last word or redirection.
    pub span: Span,
    /// `NAME=value` in front of the program, or alone.
    pub assignments: Vec<Word>,
    /// The program and its arguments; empty when there are only assignments or redirections.
    pub words: Vec<Word>,
    /// Redirections, in order.
    pub redirects: Vec<Redirect>,
    /// What joins it to what stands before it in its scope.
    pub before: Join,
    /// Its scope, an index into [`Script::scopes`].
    pub scope: usize,
}

/// A stretch of a script that holds commands.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Scope {
    /// What it is.
    pub kind: ScopeKind,
    /// The scope around it; its own index for the script itself.
    pub parent: usize,
    /// What joins it to what stands before it in the scope around it.
    pub before: Join,
    /// Its bytes.
    pub span: Span,
}

/// The kinds of scopes.
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

/// What joins a command to the one before it.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(crate) enum Join {
    /// Nothing stands before it.
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
    /// From the descriptor to the target.
    pub span: Span,
    /// The operator without its descriptor: `>`, `>>`, `<`, `>&`, `<<`, …
    pub operator: Box<str>,
    /// The file, descriptor or here-document delimiter.
    pub target: Option<Word>,
}

/// Something no shell can parse.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Fault {
    /// Where.
    pub span: Span,
    /// What is wrong, without a final stop.
    pub message: String,
}

impl Script {
    /// Reads shell text. The grammar may take `left`, and takes from it what it used.
    #[must_use]
    pub(crate) fn parse(text: &ShellText<'_>, left: &mut Duration) -> Self {
        let mut script = plain::parse(text).unwrap_or_else(|| tree::parse(text, left));
        script.commands.truncate(MAX_COMMANDS);
        script
    }

    /// A script of one command whose words are given: the exec form of an instruction.
    pub(crate) fn of_words(words: Vec<(Span, String)>) -> Self {
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

    /// Whether any command or compound reads from a pipe.
    pub(crate) fn first_pipe(&self) -> Option<Span> {
        let commands = self.commands.iter().filter(|command| command.before == Join::Pipe);
        let scopes = self.scopes.iter().filter(|scope| scope.before == Join::Pipe);
        commands.map(|it| it.span).chain(scopes.map(|it| it.span)).min()
    }

    /// What joins the command at `index` to what follows it in its own scope; `None` at the end.
    pub(crate) fn after(&self, index: usize) -> Option<Join> {
        let command = &self.commands[index];
        let next_command = self.commands[index + 1..]
            .iter()
            .find(|next| next.scope == command.scope)
            .map(|next| (next.span.start, next.before));
        // Scopes are in the order of the text.
        let behind = self.scopes.partition_point(|it| it.span.start < command.span.end);
        let next_scope = self.scopes[behind.max(1).min(self.scopes.len())..]
            .iter()
            .find(|scope| scope.parent == command.scope)
            .map(|scope| (scope.span.start, scope.before));
        [next_command, next_scope].into_iter().flatten().min_by_key(|next| next.0).map(|it| it.1)
    }

    /// Whether the command at `index` stands in a scope of one of `kinds`, however far out.
    pub(crate) fn within(&self, index: usize, kinds: &[ScopeKind]) -> bool {
        let mut scope = self.commands[index].scope;
        while let Some(it) = self.scopes.get(scope) {
            if kinds.contains(&it.kind) {
                return true;
            }
            if it.parent == scope {
                break;
            }
            scope = it.parent;
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
    /// The program's name: the first word, without the folders of an absolute path; empty when it
    /// is not constant or there is none.
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

    /// The arguments that are no options. A lone `-` is one; after `--` everything is.
    pub(crate) fn operands(&self) -> impl Iterator<Item = &Word> {
        let mut all = false;
        self.arguments().iter().filter(move |word| {
            let text = word.text();
            if !all && text == "--" {
                all = true;
                return false;
            }
            all || !text.starts_with('-') || text == "-"
        })
    }

    /// The option of one of these names, written as `-x` alone or within `-xyz`, or as `--long`
    /// with or without `=value`. Names are given without dashes, one letter for short ones.
    pub(crate) fn option(&self, names: &[&str]) -> Option<&Word> {
        self.arguments().iter().take_while(|word| word.text() != "--").find(|word| {
            let text = word.text();
            if let Some(long) = text.strip_prefix("--") {
                let name = long.split_once('=').map_or(long, |(name, _)| name);
                names.iter().any(|wanted| wanted.len() > 1 && *wanted == name)
            } else if let Some(short) = text.strip_prefix('-') {
                names.iter().any(|wanted| match wanted.as_bytes() {
                    [letter] => short.bytes().any(|byte| byte == *letter),
                    _ => short == *wanted,
                })
            } else {
                false
            }
        })
    }

    /// Whether one of these options is given; see [`Self::option`].
    pub(crate) fn has_option(&self, names: &[&str]) -> bool {
        self.option(names).is_some()
    }

    /// Whether an argument is exactly one of `texts`.
    pub(crate) fn has_argument(&self, texts: &[&str]) -> bool {
        self.arguments().iter().any(|word| texts.contains(&word.text()))
    }
}

#[cfg(test)]
mod tests;
