//! Scripts without compound syntax: words, operators, redirections, substitutions. Most `RUN` lines
//! are plain scripts.

use super::word;
use super::{Command, Fault, Join, Redirect, Scope, ScopeKind, Script, ShellText};

/// Maximum nesting depth of substitutions; the grammar parses deeper substitutions.
const MAX_DEPTH: usize = 8;

/// Keywords that start or continue a construct at the start of a command.
const RESERVED: &[&str] = &[
    "if", "then", "elif", "else", "fi", "while", "until", "for", "select", "do", "done", "case",
    "esac", "{", "}", "[[", "function", "coproc",
];

/// The redirection operators, longer operators first.
pub(super) const REDIRECTS: &[&str] =
    &["&>>", "<<<", "<<-", "&>", "<<", "<&", "<>", ">>", ">&", ">|", "<", ">"];

/// Parses a plain script; `None` if the script requires the grammar.
pub(super) fn parse(text: &ShellText<'_>) -> Option<Script> {
    let end = text.text().len();
    let mut parser = Parser { text, script: Script::default(), here_documents: Vec::new() };
    parser.script.scopes.push(Scope::script(text.span(0, end)));
    parser.parse_list(0, end, 0, 0)?;
    Some(parser.script)
}

struct Parser<'a> {
    text: &'a ShellText<'a>,
    script: Script,
    /// Delimiters of here-documents whose bodies start after this line, and whether leading tabs
    /// are stripped.
    here_documents: Vec<(Box<str>, bool)>,
}

/// The command being parsed.
#[derive(Default)]
struct Draft {
    command: Command,
    /// Start and end of the command in the text.
    range: Option<(usize, usize)>,
    /// The ranges of the command's substitutions in the text.
    inner: Vec<(usize, usize)>,
}

impl Draft {
    fn cover(&mut self, start: usize, end: usize) {
        let first = self.range.map_or(start, |(first, _)| first);
        self.range = Some((first, end));
    }
}

/// The length of a parsed operator, and the join that the operator denotes.
struct Operator {
    length: usize,
    join: Join,
}

impl Parser<'_> {
    /// Parses `start..end` of the text as the commands of `scope`.
    fn parse_list(&mut self, start: usize, end: usize, scope: usize, depth: usize) -> Option<()> {
        let text = self.text;
        let bytes = &text.text().as_bytes()[..end];
        let mut draft = Draft::default();
        let mut join = Join::Start;
        // The last operator, if no command has followed it yet.
        let mut pending: Option<(usize, usize)> = None;
        let mut at = start;
        while let Some(&byte) = bytes.get(at) {
            match byte {
                b' ' | b'\t' | b'\r' => at += 1,
                b'\\' if bytes.get(at + 1) == Some(&b'\n') => at += 2,
                b'#' => at += bytes[at..].iter().position(|&it| it == b'\n').unwrap_or(end - at),
                b'(' | b')' => return None,
                b'\n' => {
                    if self.finish(&mut draft, join, scope, depth)? {
                        (join, pending) = (Join::Then, None);
                    }
                    at = self.skip_bodies(at + 1, end);
                }
                b'<' | b'>' => at = self.redirect(&mut draft, at, at, end)?,
                b'&' if bytes.get(at + 1) == Some(&b'>') => {
                    at = self.redirect(&mut draft, at, at, end)?;
                }
                b';' | b'&' | b'|' => {
                    let operator = operator(&bytes[at..])?;
                    if self.finish(&mut draft, join, scope, depth)? {
                        pending = None;
                    } else if let Some((first, last)) = pending {
                        self.fault(first, last, "has no command after it");
                    } else {
                        self.fault(at, at + operator.length, "has no command before it");
                    }
                    if matches!(operator.join, Join::And | Join::Or | Join::Pipe) {
                        pending = Some((at, at + operator.length));
                    }
                    join = operator.join;
                    at += operator.length;
                }
                _ => at = self.word(&mut draft, at, end)?,
            }
        }
        if !self.finish(&mut draft, join, scope, depth)?
            && let Some((first, last)) = pending
        {
            self.fault(first, last, "has no command after it");
        }
        Some(())
    }

    fn fault(&mut self, start: usize, end: usize, problem: &str) {
        let message = format!("`{}` {problem}", &self.text.text()[start..end]);
        self.script.faults.push(Fault { span: self.text.span(start, end), message });
    }

    /// Parses the word at `at` into the command; returns the position after the word.
    fn word(&mut self, draft: &mut Draft, at: usize, end: usize) -> Option<usize> {
        let read = word::read(self.text, at, end);
        let written = &self.text.text()[at..read.end];
        if draft.command.words.is_empty() {
            if written == "!" {
                return Some(read.end);
            }
            if RESERVED.contains(&written) {
                return None;
            }
        }
        let next = self.text.text().as_bytes().get(read.end);
        if matches!(next, Some(b'<' | b'>')) && is_descriptor(written) {
            return self.redirect(draft, at, read.end, end);
        }
        self.report_unclosed(read.open);
        draft.cover(at, read.end);
        draft.inner.extend(read.inner);
        if draft.command.words.is_empty() && word::is_assignment(written) {
            draft.command.assignments.push(read.word);
        } else {
            draft.command.words.push(read.word);
        }
        (read.end > at).then_some(read.end)
    }

    fn report_unclosed(&mut self, open: Option<usize>) {
        if let Some(at) = open {
            let length = if self.text.text()[at..].starts_with("$(") { 2 } else { 1 };
            self.fault(at, at + length, "is never closed");
        }
    }

    /// Parses a redirection that starts at `start`, with its operator at `at`; returns the position
    /// after the redirection.
    fn redirect(
        &mut self,
        draft: &mut Draft,
        start: usize,
        at: usize,
        end: usize,
    ) -> Option<usize> {
        let text = self.text.text();
        let rest = &text[at..end];
        if rest.starts_with("<(") || rest.starts_with(">(") {
            return None;
        }
        let operator = REDIRECTS.iter().find(|operator| rest.starts_with(**operator))?;
        let mut after = at + operator.len();
        after += text[after..end].len() - text[after..end].trim_start_matches([' ', '\t']).len();
        let read = word::read(self.text, after, end);
        let target = (read.end > after).then_some(read.word);
        self.report_unclosed(read.open);
        draft.inner.extend(read.inner);
        if let (Some(delimiter), "<<" | "<<-") = (&target, *operator) {
            self.here_documents.push((delimiter.text().into(), *operator == "<<-"));
        }
        let redirect_end = if target.is_some() { read.end } else { at + operator.len() };
        draft.cover(start, redirect_end);
        let span = self.text.span(start, redirect_end);
        draft.command.redirects.push(Redirect { span, operator: (*operator).into(), target });
        Some(redirect_end)
    }

    /// Completes the command being parsed; returns whether there was a command.
    fn finish(
        &mut self,
        draft: &mut Draft,
        join: Join,
        scope: usize,
        depth: usize,
    ) -> Option<bool> {
        let Draft { mut command, range, inner } = std::mem::take(draft);
        let Some((start, end)) = range else { return Some(false) };
        command.span = self.text.span(start, end);
        (command.before, command.scope) = (join, scope);
        self.script.commands.push(command);
        for (start, end) in inner {
            let text = &self.text.text()[start..end];
            if depth == MAX_DEPTH || text.contains('\\') && self.text.text()[..start].ends_with('`')
            {
                return None;
            }
            let inner_scope = self.script.scopes.len();
            self.script.scopes.push(Scope {
                kind: ScopeKind::Substitution,
                parent: scope,
                before: Join::Start,
                span: self.text.span(start, end),
            });
            self.parse_list(start, end, inner_scope, depth + 1)?;
        }
        Some(true)
    }

    /// Skips the bodies of here-documents that start with the line at `at`; returns the position
    /// after the bodies.
    fn skip_bodies(&mut self, mut at: usize, end: usize) -> usize {
        for (delimiter, strips_tabs) in std::mem::take(&mut self.here_documents) {
            while at < end {
                let rest = &self.text.text()[at..end];
                let line = rest.split_inclusive('\n').next().unwrap_or(rest);
                at += line.len();
                let line = line.trim_end_matches(['\r', '\n']);
                let line = if strips_tabs { line.trim_start_matches('\t') } else { line };
                if line == &*delimiter {
                    break;
                }
            }
        }
        at
    }
}

fn operator(bytes: &[u8]) -> Option<Operator> {
    let (length, join) = match bytes {
        [b';', b';' | b'&', ..] => return None,
        [b';', ..] => (1, Join::Then),
        [b'&', b'&', ..] => (2, Join::And),
        [b'&', ..] => (1, Join::Background),
        [b'|', b'|', ..] => (2, Join::Or),
        [b'|', b'&', ..] => (2, Join::Pipe),
        _ => (1, Join::Pipe),
    };
    Some(Operator { length, join })
}

fn is_descriptor(written: &str) -> bool {
    !written.is_empty() && written.bytes().all(|byte| byte.is_ascii_digit())
}
