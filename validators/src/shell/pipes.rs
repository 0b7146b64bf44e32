//! Pipelines whose exit status hides the failure of a command before the last `|`.

use super::{Command, Join, ScopeKind, Script};
use aidd_engine::text::source::Span;

/// Programs that succeed with any arguments. `yes` ends when the pipe is closed.
const INFALLIBLE: [&str; 16] = [
    "echo", "printf", "true", ":", "yes", "seq", "date", "pwd", "uname", "whoami", "id", "arch",
    "nproc", "hostname", "set", "sleep",
];

/// Programs that do not fail if they only read from the pipe.
const FILTERS: [&str; 13] =
    ["tr", "sort", "uniq", "cut", "head", "tail", "rev", "tac", "wc", "nl", "fold", "sed", "tee"];

/// A simple command or a compound command of a scope.
#[derive(Clone, Copy)]
struct Item {
    start: u32,
    span: Span,
    before: Join,
    content: Content,
}

#[derive(Clone, Copy)]
enum Content {
    Command(usize),
    Scope(usize),
}

impl Script {
    /// The first command after a `|` that hides a failure: the command before the `|` can fail, and
    /// the status of the pipeline is used.
    pub(crate) fn first_hidden_failure(&self) -> Option<Span> {
        let items = self.items();
        let scopes = items.iter().enumerate();
        let piped = |items: &[Item]| items.iter().any(|item| item.before == Join::Pipe);
        scopes
            .filter(|(scope, items)| piped(items) && self.has_used_status(*scope))
            .filter_map(|(_, items)| self.first_hidden_failure_in_scope(items))
            .min_by_key(|span| span.start)
    }

    /// The first command in one scope that hides a failure, as in [`Self::first_hidden_failure`].
    fn first_hidden_failure_in_scope(&self, items: &[Item]) -> Option<Span> {
        let mut end = 0;
        items.chunk_by(|_, next| next.before == Join::Pipe).find_map(|pipeline| {
            end += pipeline.len();
            let next = items.get(end).filter(|next| next.before == Join::Or);
            let ignored = next.is_some_and(|it| self.ignores_failure(it));
            self.hidden_failure(pipeline).filter(|_| !ignored)
        })
    }

    /// The simple commands and compound commands of each scope, in source order.
    fn items(&self) -> Vec<Vec<Item>> {
        let mut items: Vec<Vec<Item>> = vec![Vec::new(); self.scopes.len()];
        let commands = self.commands.iter().enumerate().map(|(at, it)| {
            let content = Content::Command(at);
            (it.scope, Item { start: it.span.start, span: it.span, before: it.before, content })
        });
        // The first scope is the script itself; a substitution is part of a command.
        let compounds = self.scopes.iter().enumerate().skip(1);
        let compounds = compounds.filter(|(_, it)| it.kind != ScopeKind::Substitution);
        let compounds = compounds.map(|(at, it)| {
            let content = Content::Scope(at);
            (it.parent, Item { start: it.span.start, span: it.span, before: it.before, content })
        });
        for (scope, item) in commands.chain(compounds) {
            if let Some(items) = items.get_mut(scope) {
                items.push(item);
            }
        }
        items.iter_mut().for_each(|items| items.sort_by_key(|item| item.start));
        items
    }

    /// Whether the status of the commands in a scope has an effect. The status of a substitution
    /// only has an effect in `NAME=$(…)`: in a command with arguments, the status of the command
    /// replaces it, and a list of words has no status.
    fn has_used_status(&self, mut scope: usize) -> bool {
        while let Some(it) = self.scopes.get(scope) {
            if it.kind == ScopeKind::Substitution {
                let contains_scope = |command: &&Command| {
                    command.scope == it.parent
                        && command.span.start <= it.span.start
                        && it.span.end <= command.span.end
                };
                let command = self.commands.iter().find(contains_scope);
                if !command.is_some_and(|command| command.words.is_empty()) {
                    return false;
                }
            }
            if it.parent == scope {
                break;
            }
            scope = it.parent;
        }
        true
    }

    /// The first element of a pipeline after an element that can fail.
    fn hidden_failure(&self, pipeline: &[Item]) -> Option<Span> {
        if pipeline.last().is_some_and(|last| self.needs_input(last)) {
            return None;
        }
        let mut elements = pipeline.iter().enumerate();
        let fallible = elements.position(|(at, it)| !self.is_infallible(it, at > 0))?;
        pipeline.get(fallible + 1).map(|next| next.span)
    }

    /// Whether an element of a pipeline cannot fail. `reads_from_pipe` states whether the element
    /// reads from a preceding element.
    fn is_infallible(&self, item: &Item, reads_from_pipe: bool) -> bool {
        match item.content {
            Content::Command(at) => self
                .commands
                .get(at)
                .is_some_and(|it| it.cannot_fail() || reads_from_pipe && it.is_filter()),
            Content::Scope(at) => {
                let within = |it: &&Command| {
                    item.span.start <= it.span.start && it.span.end <= item.span.end
                };
                let mut commands =
                    self.commands.iter().filter(within).filter(|it| self.runs_in(it.scope, at));
                commands.all(Command::cannot_fail)
            }
        }
    }

    /// Whether a command of `scope` belongs to the compound `outer`, and not to a substitution
    /// within `outer`.
    fn runs_in(&self, mut scope: usize, outer: usize) -> bool {
        while scope != outer {
            match self.scopes.get(scope) {
                Some(it) if it.kind != ScopeKind::Substitution && it.parent != scope => {
                    scope = it.parent;
                }
                _ => return false,
            }
        }
        true
    }

    /// Whether an element of a pipeline fails if its input is empty (`grep` finds nothing) or
    /// incomplete (`tar` and `gpg` require the end of the archive or key).
    fn needs_input(&self, item: &Item) -> bool {
        let Content::Command(at) = item.content else { return false };
        self.commands.get(at).is_some_and(|it| match it.program() {
            "grep" | "egrep" | "fgrep" => {
                !it.has_option(&["v", "inv[ert-match]", "L", "files-witho[ut-match]"])
            }
            "apt-key" | "gpg" | "gunzip" | "tar" | "unxz" | "unzstd" => true,
            _ => false,
        })
    }

    /// Whether an element after `||` states that a failure does not matter: `|| true`.
    fn ignores_failure(&self, item: &Item) -> bool {
        match item.content {
            Content::Command(at) => self
                .commands
                .get(at)
                .is_some_and(|it| matches!(it.program(), "true" | ":" | "echo")),
            Content::Scope(_) => false,
        }
    }
}

impl Command {
    /// Whether the command cannot fail: it prints its arguments or a here-document.
    fn cannot_fail(&self) -> bool {
        if self.words.is_empty() {
            // An assignment has the status of its substitution.
            return self.assignments.iter().all(super::Word::is_literal);
        }
        let reads_text = || {
            self.arguments().iter().all(|word| word.text().starts_with('-'))
                && self.redirects.iter().any(|it| it.operator.starts_with("<<"))
        };
        INFALLIBLE.contains(&self.program())
            || self.program() == "cat" && reads_text()
            || self.program() == "dpkg" && self.has_argument(&["--print-architecture"])
    }

    /// Whether the command only transforms its input.
    fn is_filter(&self) -> bool {
        let operands = self.operands().count();
        match self.program() {
            "cat" => operands == 0,
            "sed" => operands <= 1 && !self.has_option(&["f", "fi[le]"]),
            "tr" => true,
            "head" | "tail" | "cut" | "sort" | "fold" => operands <= 1,
            program => FILTERS.contains(&program) && operands == 0,
        }
    }
}
