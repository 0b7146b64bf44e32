//! Scripts with compound syntax, parsed by tree-sitter.

use super::word;
use super::{Command, Join, Redirect, Scope, ScopeKind, Script, ShellText, balance, plain};
use aidd_engine::parse::syntax::with_parser_stack;
use aidd_engine::text::source::Span;
use aidd_engine::text::time_limit::{Deadline, step};
use std::ops::ControlFlow;
use std::time::Duration;
use tree_sitter::{Node, ParseOptions, Parser, Tree, TreeCursor};

/// Maximum nesting depth of scopes; deeper scopes are not visited.
const MAX_DEPTH: usize = 64;

/// Parses a script with the grammar, within the `remaining` time.
pub(super) fn parse(text: &ShellText<'_>, remaining: &mut Duration) -> Script {
    let mut script = Script::default();
    script.scopes.push(Scope::script(text.span(0, text.text().len())));
    let deadline = Deadline::after(*remaining);
    let tree = with_parser_stack(text.text().len(), || parse_tree(text.text(), deadline));
    *remaining = deadline.remaining();
    let Some(tree) = tree else {
        script.skipped = true;
        return script;
    };
    let mut walk = Walk {
        text,
        script,
        frames: vec![Frame::default()],
        ancestors: Vec::new(),
        last_token_end: 0,
    };
    walk.run(&mut tree.walk());
    walk.script.faults = balance::find_faults(text);
    walk.script
}

/// The syntax tree of `text`; `None` if parsing is not complete by `deadline`.
fn parse_tree(text: &str, deadline: Deadline) -> Option<Tree> {
    let mut parser = Parser::new();
    parser.set_language(&tree_sitter_bash::LANGUAGE.into()).ok()?;
    let mut check_deadline = |_: &_| match deadline.is_exceeded() {
        true => ControlFlow::Break(()),
        false => ControlFlow::Continue(()),
    };
    let options = ParseOptions::new().progress_callback(&mut check_deadline);
    let mut input = |at: usize, _| text.as_bytes().get(at..).unwrap_or_default();
    parser.parse_with_options(&mut input, None, Some(options))
}

/// A scope being visited.
#[derive(Default)]
struct Frame {
    scope: usize,
    /// The join of the next command of the scope.
    join: Join,
}

struct Walk<'a> {
    text: &'a ShellText<'a>,
    script: Script,
    frames: Vec<Frame>,
    /// The kinds of the ancestors of the current node, outermost first. tree-sitter's own parent
    /// lookup walks from the root.
    ancestors: Vec<&'a str>,
    /// End of the last token before the current node.
    last_token_end: usize,
}

impl<'a> Walk<'a> {
    /// Visits every node in source order, without recursion.
    fn run(&mut self, cursor: &mut TreeCursor<'a>) {
        loop {
            step();
            let node = cursor.node();
            let visits_children = self.visit(node);
            if visits_children && cursor.goto_first_child() {
                self.ancestors.push(node.kind());
                continue;
            }
            self.last_token_end = self.last_token_end.max(node.end_byte());
            if visits_children {
                self.leave(node);
            }
            while !cursor.goto_next_sibling() {
                if !cursor.goto_parent() {
                    return;
                }
                self.ancestors.pop();
                self.leave(cursor.node());
            }
        }
    }

    /// Processes a node; returns whether to visit its children.
    fn visit(&mut self, node: Node<'_>) -> bool {
        if self.frames.len() > MAX_DEPTH {
            return false;
        }
        let kind = node.kind();
        if let Some(kind) = scope_kind(kind) {
            self.open(kind, node);
            return true;
        }
        match kind {
            "command" | "declaration_command" | "unset_command" | "test_command" => {
                self.command(node);
            }
            "variable_assignment" | "variable_assignments" => return self.assignment(node),
            "file_redirect" | "heredoc_redirect" | "herestring_redirect" => {
                self.attach_redirect(node);
            }
            "&&" | "||" if !self.is_parent_in(EXPRESSIONS) => {
                self.join(if kind == "&&" { Join::And } else { Join::Or });
            }
            "|" | "|&" if self.is_parent_in(&["pipeline", "heredoc_redirect"]) => {
                self.join(Join::Pipe);
            }
            "&" => self.join(Join::Background),
            ";" | "\n" | ";;" | "then" | "do" | "else" | "elif" => self.join(Join::Then),
            "comment" | "heredoc_content" | "raw_string" => return false,
            _ => {}
        }
        true
    }

    /// Whether the parent of the current node is of one of `kinds`.
    fn is_parent_in(&self, kinds: &[&str]) -> bool {
        self.ancestors.last().is_some_and(|kind| kinds.contains(kind))
    }

    fn join(&mut self, join: Join) {
        if let Some(frame) = self.frames.last_mut() {
            // A line break after an operator or before the first command changes nothing.
            let is_unaffected =
                matches!(frame.join, Join::And | Join::Or | Join::Pipe | Join::Start);
            if !(join == Join::Then && is_unaffected) {
                frame.join = join;
            }
        }
    }

    /// The innermost scope, and the join of its next simple or compound command.
    fn take_join(&mut self) -> (usize, Join) {
        // Without an operator in between, as after `}`, the next command follows in sequence.
        self.frames.last_mut().map_or((0, Join::Start), |frame| {
            (frame.scope, std::mem::replace(&mut frame.join, Join::Then))
        })
    }

    fn open(&mut self, kind: ScopeKind, node: Node<'_>) {
        let substitution = kind == ScopeKind::Substitution;
        let (parent, before) = match self.frames.last() {
            Some(frame) if substitution => (frame.scope, Join::Start),
            _ => self.take_join(),
        };
        let span = self.span(node);
        self.frames.push(Frame { scope: self.script.scopes.len(), join: Join::Start });
        self.script.scopes.push(Scope { kind, parent, before, span });
    }

    fn leave(&mut self, node: Node<'_>) {
        if scope_kind(node.kind()).is_some() && self.frames.len() > 1 {
            self.frames.pop();
        }
    }

    fn span(&self, node: Node<'_>) -> Span {
        self.text.span(node.start_byte(), node.end_byte())
    }

    fn command(&mut self, node: Node<'_>) {
        let (scope, before) = self.take_join();
        let mut command = Command { scope, before, ..Command::default() };
        let mut end = node.start_byte();
        let mut cursor = node.walk();
        if node.kind() == "test_command" {
            command.words = self.words_between(node.start_byte(), node.end_byte());
            end = node.end_byte();
        } else {
            for child in node.children(&mut cursor) {
                if child.start_byte() == child.end_byte() {
                    continue;
                }
                end = child.end_byte();
                match child.kind() {
                    "variable_assignment" if node.kind() == "command" => {
                        command.assignments.push(self.word(child));
                    }
                    "file_redirect" | "heredoc_redirect" | "herestring_redirect" => {
                        command.redirects.extend(self.redirect(child));
                    }
                    "comment" => {}
                    _ => command.words.push(self.word(child)),
                }
            }
        }
        command.span = self.text.span(node.start_byte(), end);
        self.script.commands.push(command);
    }

    fn word(&self, node: Node<'_>) -> word::Word {
        let (start, end) = (node.start_byte(), node.end_byte());
        let read = word::read(self.text, start, end);
        if read.end == end {
            return read.word;
        }
        word::Word::literal(self.text.span(start, end), &self.text.text()[start..end])
    }

    /// The words of a test expression, in which brackets and comparison operators are words too.
    fn words_between(&self, mut at: usize, end: usize) -> Vec<word::Word> {
        let bytes = self.text.text().as_bytes();
        let mut words = Vec::new();
        while at < end {
            if bytes[at].is_ascii_whitespace() {
                at += 1;
                continue;
            }
            let read = word::read(self.text, at, end);
            if read.end > at {
                words.push(read.word);
                at = read.end;
            } else {
                let length = bytes[at..end]
                    .iter()
                    .position(|&byte| !word::ends_word(byte) || byte.is_ascii_whitespace())
                    .unwrap_or(end - at);
                let text = &self.text.text()[at..at + length];
                words.push(word::Word::literal(self.text.span(at, at + length), text));
                at += length;
            }
        }
        words
    }

    /// Processes an assignment, which can form a command; returns whether to visit its parts.
    fn assignment(&mut self, node: Node<'_>) -> bool {
        let parents = ["command", "declaration_command", "variable_assignments"];
        if self.is_parent_in(&parents) || self.is_parent_in(EXPRESSIONS) {
            return true;
        }
        let (scope, before) = self.take_join();
        let assignments = if node.kind() == "variable_assignments" {
            let mut cursor = node.walk();
            node.named_children(&mut cursor).map(|child| self.word(child)).collect()
        } else {
            vec![self.word(node)]
        };
        let span = self.span(node);
        self.script.commands.push(Command {
            span,
            assignments,
            before,
            scope,
            ..Command::default()
        });
        true
    }

    fn redirect(&self, node: Node<'_>) -> Option<Redirect> {
        let (start, mut end) = (node.start_byte(), node.end_byte());
        if node.kind() == "heredoc_redirect" {
            // The node also contains the rest of the line and the body of the here-document.
            let mut cursor = node.walk();
            end = node
                .children(&mut cursor)
                .find(|child| child.kind() == "heredoc_start")?
                .end_byte();
        }
        let written = &self.text.text()[start..end];
        let rest = written.trim_start_matches(|c: char| c.is_ascii_digit());
        let operator = plain::REDIRECTS.iter().find(|operator| rest.starts_with(**operator))?;
        let rest = &rest[operator.len()..];
        let at = end - rest.trim_start().len();
        let read = word::read(self.text, at, end);
        let target = (read.end > at).then_some(read.word);
        let span = self.text.span(start, end);
        Some(Redirect { span, operator: (*operator).into(), target })
    }

    /// Processes a redirection after a command: the redirection belongs to the directly preceding
    /// command, if there is one.
    fn attach_redirect(&mut self, node: Node<'_>) {
        if self.is_parent_in(&["command"]) {
            return;
        }
        let Some(redirect) = self.redirect(node) else { return };
        let scope = self.frames.last().map_or(0, |frame| frame.scope);
        let preceding = self.script.commands.iter().rposition(|command| command.scope == scope);
        let Some(index) = preceding else { return };
        // If another token is in between, the redirection belongs to a compound.
        let last = self.text.span(self.last_token_end, self.last_token_end).start;
        let command = &mut self.script.commands[index];
        if last <= command.span.end {
            command.span = command.span.cover(redirect.span);
            command.redirects.push(redirect);
        }
    }
}

/// Nodes in which `&&` and `||` do not connect commands, and `x = y` is not an assignment.
const EXPRESSIONS: &[&str] = &[
    "binary_expression",
    "test_command",
    "arithmetic_expansion",
    "parenthesized_expression",
    "ternary_expression",
    "unary_expression",
    "c_style_for_statement",
];

fn scope_kind(kind: &str) -> Option<ScopeKind> {
    Some(match kind {
        "subshell" => ScopeKind::Subshell,
        "compound_statement" => ScopeKind::Group,
        "if_statement" => ScopeKind::If,
        "while_statement" | "for_statement" | "c_style_for_statement" => ScopeKind::Loop,
        "case_statement" => ScopeKind::Case,
        "function_definition" => ScopeKind::Function,
        "command_substitution" | "process_substitution" => ScopeKind::Substitution,
        _ => return None,
    })
}
