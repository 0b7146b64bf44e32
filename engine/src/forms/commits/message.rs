//! Splits a commit message into the parts of Conventional Commits 1.0
//! (<https://www.conventionalcommits.org/en/v1.0.0/#specification>).

use crate::text::source::Span;

/// A message split into its parts. All spans are relative to the text of the message.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Message<'m> {
    pub(super) text: &'m str,
    /// The first line, without the line break.
    pub header: Span,
    /// The lines between the first line and the footers, without surrounding blank lines.
    pub body: Span,
    /// The footers, in document order.
    pub footers: Vec<Footer<'m>>,
    /// The second line, if it exists and is not blank.
    pub missing_blank_line: Option<Span>,
}

/// A footer such as `Reviewed-by: Z` or `Refs #12`, including its continuation lines.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Footer<'m> {
    /// The token before the separator.
    pub token: &'m str,
    /// The span of the token.
    pub span: Span,
}

/// The parts of a first line that follows the specification.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Header<'m> {
    /// The type, such as `feat`.
    pub commit_type: &'m str,
    /// The span of the type.
    pub type_span: Span,
    /// The text between the parentheses.
    pub scope: Option<&'m str>,
    /// The span of the scope; without a scope, an empty span after the type.
    pub scope_span: Span,
    /// Whether the line has the `!` of a breaking change.
    pub has_breaking_mark: bool,
    /// The text after `: `.
    pub description: &'m str,
    /// The span of the description.
    pub description_span: Span,
}

/// The reason why a first line does not follow the specification, and its position.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Malformed {
    /// The reason, worded as the end of a message: `expected a space after the colon`.
    pub reason: String,
    /// The part of the line that does not follow the specification.
    pub span: Span,
}

impl<'m> Message<'m> {
    /// Splits a message into its parts; every string can be parsed.
    #[must_use]
    pub fn new(text: &'m str) -> Self {
        let mut rest = lines(text);
        let header = rest.next().map_or(Span::default(), |(span, _)| span);
        let rest: Vec<(Span, &str)> = rest.collect();
        let missing_blank_line = rest.first().filter(|(_, line)| !line.trim().is_empty());
        let missing_blank_line = missing_blank_line.map(|(span, _)| *span);
        let paragraphs: Vec<&[(Span, &str)]> = rest
            .split(|(_, line)| line.trim().is_empty())
            .filter(|lines| !lines.is_empty())
            .collect();
        // The footers are the paragraphs at the end that each begin with a footer, and all text
        // from `BREAKING CHANGE` on.
        let last = paragraphs.iter().rposition(|lines| footer_token(lines).is_none());
        let first = last.map_or(0, |at| at + 1);
        let breaks = |lines: &[(Span, &str)]| footer_token(lines).is_some_and(is_breaking);
        let first = paragraphs.iter().position(|lines| breaks(lines)).unwrap_or(first).min(first);
        let mut message =
            Self { text, header, body: Span::default(), footers: Vec::new(), missing_blank_line };
        for (at, lines) in paragraphs.iter().enumerate() {
            for &(span, line) in *lines {
                match token(line) {
                    Some(token) if at >= first || is_breaking(token) => {
                        let span =
                            Span::new(span.start as usize, span.start as usize + token.len());
                        message.footers.push(Footer { token, span });
                    }
                    _ if at >= first => {}
                    _ if message.body.is_empty() => message.body = span,
                    _ => message.body = message.body.cover(span),
                }
            }
        }
        message
    }

    /// The header with its line break removed.
    #[must_use]
    pub fn first_line(&self) -> &'m str {
        &self.text[self.header.range()]
    }

    /// The lines after the first, each with its span.
    pub fn rest(&self) -> impl Iterator<Item = (Span, &'m str)> {
        lines(self.text).skip(1)
    }

    /// The footer that describes a breaking change.
    #[must_use]
    pub fn breaking_footer(&self) -> Option<&Footer<'m>> {
        self.footers.iter().find(|footer| is_breaking(footer.token))
    }
}

/// The lines of `text` without their line breaks.
fn lines(text: &str) -> impl Iterator<Item = (Span, &str)> {
    let mut offset = 0;
    text.split_inclusive('\n').map(move |line| {
        let start = offset;
        offset += line.len();
        let line = line.trim_end_matches(['\n', '\r']);
        (Span::new(start, start + line.len()), line)
    })
}

/// The token of the footer that a paragraph begins with.
fn footer_token<'m>(lines: &[(Span, &'m str)]) -> Option<&'m str> {
    lines.first().and_then(|&(_, line)| token(line))
}

fn is_breaking(token: &str) -> bool {
    token == "BREAKING CHANGE" || token == "BREAKING-CHANGE"
}

/// The token that a footer begins with: words joined by `-`, then `: ` or ` #`.
fn token(line: &str) -> Option<&str> {
    for token in ["BREAKING CHANGE", "BREAKING-CHANGE"] {
        if line.strip_prefix(token).is_some_and(|rest| rest.starts_with(": ")) {
            return Some(&line[..token.len()]);
        }
    }
    let end = line.find(|c: char| !c.is_ascii_alphanumeric() && c != '-')?;
    let (token, rest) = line.split_at(end);
    let value = rest.strip_prefix(": ").or_else(|| rest.strip_prefix(" #"))?;
    let is_token = token.starts_with(|c: char| c.is_ascii_alphabetic()) && !token.ends_with('-');
    (is_token && !value.trim().is_empty()).then_some(token)
}

/// Parses a first line, which begins at byte `offset` of its message.
///
/// # Errors
/// The first deviation from the specification.
pub fn parse_header(line: &str, offset: u32) -> Result<Header<'_>, Malformed> {
    let at = |start: usize, end: usize| Span::new(start, end).shift(offset as usize);
    let error = |why: &str, span: Span| Malformed { reason: why.to_owned(), span };
    let whole_line = at(0, line.len());
    let is_word = |c: char| c.is_alphanumeric() || c == '-' || c == '_';
    let end = line.find(|c| !is_word(c)).unwrap_or(line.len());
    let kind = &line[..end];
    if kind.is_empty() {
        return Err(error("expected a type, as in `fix: …`", whole_line));
    }
    let mut rest = &line[end..];
    let mut consumed = end;
    let mut scope = None;
    let mut scope_span = at(end, end);
    if let Some(inner) = rest.strip_prefix('(') {
        let Some(close) = inner.find(')') else {
            return Err(error("unclosed parenthesis after the scope", whole_line));
        };
        let name = &inner[..close];
        scope_span = at(end + 1, end + 1 + close);
        if name.trim().is_empty() || name.contains('(') {
            return Err(error("the scope must be a word in parentheses", scope_span));
        }
        scope = Some(name);
        rest = &inner[close + 1..];
        consumed += close + 2;
    }
    let has_breaking_mark = rest.starts_with('!');
    if has_breaking_mark {
        rest = &rest[1..];
        consumed += 1;
    }
    let Some(description) = rest.strip_prefix(": ") else {
        let why = match (rest.strip_prefix(':'), scope) {
            (Some(""), _) => "expected a description after the colon",
            (Some(_), _) => "expected a space after the colon",
            (None, None) if !line.contains(':') => "expected a type and a colon, as in `fix: …`",
            (None, _) => "the type must be one word followed by a colon",
        };
        return Err(error(why, whole_line));
    };
    consumed += 2;
    if description.trim().is_empty() {
        return Err(error("expected a description after the colon", whole_line));
    }
    Ok(Header {
        commit_type: kind,
        type_span: at(0, end),
        scope,
        scope_span,
        has_breaking_mark,
        description,
        description_span: at(consumed, line.len()),
    })
}

/// A message as Git stores it: without the comment lines of the editor, everything below the
/// scissors line of `git commit --verbose`, and leading and trailing blank lines.
#[must_use]
pub fn clean(text: &str, comment: &str) -> String {
    let is_scissors = |line: &str| {
        let marker = line.strip_prefix(comment).map(str::trim);
        marker.is_some_and(|marker| {
            marker.contains(">8") && marker.bytes().all(|b| b"->8 ".contains(&b))
        })
    };
    let lines: Vec<&str> = text
        .lines()
        .take_while(|line| !is_scissors(line))
        .filter(|line| !line.starts_with(comment))
        .map(str::trim_end)
        .collect();
    let text = lines.join("\n");
    let text = text.trim_start_matches('\n').trim_end();
    if text.is_empty() { String::new() } else { format!("{text}\n") }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    fn display(line: &str) -> String {
        match parse_header(line, 0) {
            Ok(Header {
                commit_type: kind, scope, has_breaking_mark: mark, description, ..
            }) => {
                format!("{kind} {scope:?} {mark} {description:?}")
            }
            Err(error) => format!("{:?}: {}", &line[error.span.range()], error.reason),
        }
    }

    #[test]
    fn first_lines_that_do_not_follow_the_specification_are_rejected_with_a_reason() {
        let lines = [
            "feat: add x",
            "feat(api)!: send email",
            "fix!: y",
            "docs(a b): z",
            "Add x",
            "feat:x",
            "feat:",
            "feat: ",
            "feat(: x",
            "feat(): x",
            "feat (a): x",
            "two words: x",
            "",
            ": x",
        ];
        let all: Vec<String> = lines.iter().map(|line| display(line)).collect();
        insta::assert_snapshot!(all.join("\n"), @r#"
        feat None false "add x"
        feat Some("api") true "send email"
        fix None true "y"
        docs Some("a b") false "z"
        "Add x": expected a type and a colon, as in `fix: …`
        "feat:x": expected a space after the colon
        "feat:": expected a description after the colon
        "feat: ": expected a description after the colon
        "feat(: x": unclosed parenthesis after the scope
        "": the scope must be a word in parentheses
        "feat (a): x": the type must be one word followed by a colon
        "two words: x": the type must be one word followed by a colon
        "": expected a type, as in `fix: …`
        ": x": expected a type, as in `fix: …`
        "#);
    }

    #[test]
    fn bodies_and_footers_are_distinguished() {
        let text = "fix: x\n\nNote: is no\nfooter here\n\nMore.\n\nReviewed-by: Z\nRefs #12\n  goes on\nBREAKING CHANGE: all\n";
        let message = Message::new(text);
        assert_eq!(message.first_line(), "fix: x");
        let tokens: Vec<&str> = message.footers.iter().map(|footer| footer.token).collect();
        assert_eq!(&text[message.body.range()], "Note: is no\nfooter here\n\nMore.");
        assert_eq!(tokens, ["Reviewed-by", "Refs", "BREAKING CHANGE"]);
        let text = "fix: x\n\nWhy.\nBody: no footer\n\nMore.\n\nRefs #12\n";
        let message = Message::new(text);
        assert_eq!(&text[message.body.range()], "Why.\nBody: no footer\n\nMore.");
        assert_eq!(message.footers.len(), 1);
        assert_eq!(message.missing_blank_line, None);
        assert!(Message::new("a\nb").missing_blank_line.is_some());
        assert!(Message::new("a\nBREAKING CHANGE: b").breaking_footer().is_some());
    }

    #[test]
    fn comments_and_text_below_the_scissors_are_removed() {
        let text = "\n# why\nfix: x  \n\n#12 is meant\nbody\n# ------------------------ >8 ------------------------\ndiff\n";
        assert_eq!(clean(text, "#"), "fix: x\n\nbody\n");
        assert_eq!(clean("# nothing\n\n", "#"), "");
    }

    proptest! {
        #[test]
        fn the_spans_of_any_message_are_valid(text in "([a-zé():! #-]|\n|BREAKING CHANGE: |: ){0,60}") {
            let message = Message::new(&text);
            let first = message.first_line();
            for footer in &message.footers {
                prop_assert_eq!(&text[footer.span.range()], footer.token);
            }
            prop_assert!(text.get(message.body.range()).is_some());
            match parse_header(first, message.header.start) {
                Ok(header) => {
                    prop_assert_eq!(&text[header.type_span.range()], header.commit_type);
                    prop_assert_eq!(&text[header.description_span.range()], header.description);
                    let scope = header.scope.map(|scope| format!("({scope})")).unwrap_or_default();
                    let mark = if header.has_breaking_mark { "!" } else { "" };
                    let formatted = format!("{}{scope}{mark}: {}", header.commit_type, header.description);
                    prop_assert_eq!(formatted, first);
                }
                Err(error) => prop_assert!(text.get(error.span.range()).is_some()),
            }
        }
    }
}
