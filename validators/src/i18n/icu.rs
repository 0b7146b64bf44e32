//! Messages in the syntax of ICU: arguments, selections and plurals.

use std::collections::BTreeSet;
use std::ops::Range;

/// Maximum depth of nested messages.
const MAX_DEPTH: usize = 32;

/// The arguments and defects of a message.
#[derive(Debug, Default)]
pub(super) struct Message {
    /// The names of the arguments.
    pub(super) arguments: Vec<(String, Range<usize>)>,
    /// The names of the arguments whose values are shown, also by `#` in a plural.
    pub(super) shown: BTreeSet<String>,
    /// The selectors of the plurals with cardinal numbers.
    pub(super) plurals: Vec<(Range<usize>, Vec<String>)>,
    /// The first defect, if there is one.
    pub(super) error: Option<(Range<usize>, String)>,
}

/// Whether a text is a message in the syntax of ICU: it contains a plural or a selection.
pub(super) fn is_certain(text: &str) -> bool {
    text.match_indices('{').any(|(at, _)| {
        let rest = text[at + 1..].trim_start();
        let name = rest.find(|c: char| !is_name(c)).unwrap_or(rest.len());
        let Some(rest) = rest[name..].trim_start().strip_prefix(',') else { return false };
        let rest = rest.trim_start();
        let kind = rest.find(|c: char| !c.is_ascii_alphabetic()).unwrap_or(rest.len());
        name > 0
            && matches!(&rest[..kind], "plural" | "select" | "selectordinal")
            && rest[kind..].trim_start().starts_with(',')
    })
}

fn is_name(c: char) -> bool {
    c.is_alphanumeric() || matches!(c, '_' | '.' | '-')
}

/// What an open brace belongs to.
enum Frame {
    /// The message of an option.
    Option,
    /// The options of a selection or plural: its start, its argument, its kind, and the selectors so
    /// far.
    Options { start: usize, name: String, kind: &'static str, selectors: BTreeSet<String> },
}

/// Parses a message. If `quotes`, apostrophes quote braces.
pub(super) fn parse(text: &str, quotes: bool) -> Message {
    let mut parser = Parser { text, at: 0, quotes, message: Message::default() };
    if let Err((range, reason)) = parser.run() {
        parser.message.error = Some((range, reason));
    }
    parser.message
}

type Failed = (Range<usize>, String);

struct Parser<'t> {
    text: &'t str,
    at: usize,
    quotes: bool,
    message: Message,
}

impl Parser<'_> {
    fn rest(&self) -> &str {
        &self.text[self.at..]
    }

    fn skip_space(&mut self) {
        let rest = self.rest();
        self.at += rest.len() - rest.trim_start().len();
    }

    fn name(&mut self) -> String {
        let rest = self.rest();
        let length = rest.find(|c: char| !is_name(c)).unwrap_or(rest.len());
        let name = rest[..length].to_owned();
        self.at += length;
        name
    }

    fn run(&mut self) -> Result<(), Failed> {
        let mut frames: Vec<Frame> = Vec::new();
        loop {
            if let Some(Frame::Options { .. }) = frames.last() {
                self.option(&mut frames)?;
                continue;
            }
            let bytes = self.text.as_bytes();
            let Some(next) = memchr::memchr3(b'{', b'}', b'\'', &bytes[self.at..]) else { break };
            if memchr::memchr(b'#', &bytes[self.at..self.at + next]).is_some() {
                let number = frames.iter().rev().find_map(|frame| match frame {
                    Frame::Options { name, kind, .. } if *kind != "select" => Some(name),
                    _ => None,
                });
                self.message.shown.extend(number.cloned());
            }
            self.at += next;
            match bytes[self.at] {
                b'\'' => self.quote(!frames.is_empty()),
                b'}' => match frames.pop() {
                    Some(_) => self.at += 1,
                    None => return Err((self.at..self.at + 1, "`}` without `{`".to_owned())),
                },
                _ => {
                    if let Some(frame) = self.argument()? {
                        if frames.len() >= MAX_DEPTH {
                            return Err((
                                self.at..self.at,
                                "the message is nested too deeply".to_owned(),
                            ));
                        }
                        frames.push(frame);
                    }
                }
            }
        }
        match frames.last() {
            None => Ok(()),
            Some(_) => Err((self.text.len()..self.text.len(), "`{` without `}`".to_owned())),
        }
    }

    /// Skips an apostrophe and the text that it quotes.
    fn quote(&mut self, in_plural: bool) {
        let rest = &self.text[self.at + 1..];
        if rest.starts_with('\'') {
            self.at += 2;
            return;
        }
        let starts = rest.starts_with(['{', '}', '<', '>']) || in_plural && rest.starts_with('#');
        self.at += 1;
        if starts && self.quotes {
            let end = rest.find('\'').map_or(rest.len(), |end| end + 1);
            self.at += end;
        }
    }

    /// Parses an argument up to its end or its first option.
    fn argument(&mut self) -> Result<Option<Frame>, Failed> {
        let start = self.at;
        self.at += 1;
        self.skip_space();
        let name_start = self.at;
        let name = self.name();
        let range = name_start..self.at;
        self.skip_space();
        if name.is_empty() {
            let reason = if self.rest().starts_with('}') {
                "empty argument `{}`"
            } else {
                "argument without a name"
            };
            return Err((
                start..self.at + usize::from(self.rest().starts_with('}')),
                reason.to_owned(),
            ));
        }
        self.message.arguments.push((name.clone(), range));
        if self.rest().starts_with('}') {
            self.at += 1;
            self.message.shown.insert(name);
            return Ok(None);
        }
        if !self.rest().starts_with(',') {
            return Err(self.unclosed(start));
        }
        self.at += 1;
        self.skip_space();
        let kind = self.name();
        self.skip_space();
        let kind = match &*kind {
            "plural" => "plural",
            "select" => "select",
            "selectordinal" => "selectordinal",
            _ => {
                self.message.shown.insert(name);
                return self.style(start).map(|()| None);
            }
        };
        if !self.rest().starts_with(',') {
            return Err((start..self.at, format!("`{kind}` without options")));
        }
        self.at += 1;
        self.skip_space();
        if let Some(rest) = self.rest().strip_prefix("offset:") {
            let rest = rest.trim_start();
            let digits = rest.find(|c: char| !c.is_ascii_digit()).unwrap_or(rest.len());
            self.at = self.text.len() - rest.len() + digits;
        }
        Ok(Some(Frame::Options { start, name, kind, selectors: BTreeSet::new() }))
    }

    /// Skips the style of a number or a date.
    fn style(&mut self, start: usize) -> Result<(), Failed> {
        let mut depth = 1_usize;
        for (at, byte) in self.rest().bytes().enumerate() {
            match byte {
                b'{' => depth += 1,
                b'}' => depth -= 1,
                _ => {}
            }
            if depth == 0 {
                self.at += at + 1;
                return Ok(());
            }
        }
        Err(self.unclosed(start))
    }

    fn unclosed(&self, start: usize) -> Failed {
        (start..self.at, "argument without closing `}`".to_owned())
    }

    /// Parses the start of an option, or the end of the options.
    fn option(&mut self, frames: &mut Vec<Frame>) -> Result<(), Failed> {
        self.skip_space();
        let depth = frames.len();
        let Some(Frame::Options { start, kind, selectors, .. }) = frames.last_mut() else {
            return Ok(());
        };
        if self.rest().starts_with('}') {
            self.at += 1;
            let range = *start..self.at;
            if !selectors.contains("other") {
                return Err((range, format!("`{kind}` without the option `other`")));
            }
            let (is_plural, selectors) = (*kind == "plural", std::mem::take(selectors));
            frames.pop();
            if is_plural {
                self.message.plurals.push((range, selectors.into_iter().collect()));
            }
            return Ok(());
        }
        let from = self.at;
        let rest = &self.text[self.at..];
        let length =
            rest.find(|c: char| c.is_whitespace() || matches!(c, '{' | '}')).unwrap_or(rest.len());
        let selector = rest[..length].to_owned();
        self.at += length;
        self.skip_space();
        if !self.rest().starts_with('{') {
            let reason = match &*selector {
                "" => "`{` without `}`".to_owned(),
                _ => format!("option `{selector}` without a text in braces"),
            };
            return Err((from..self.at.max(from), reason));
        }
        if selector.is_empty() {
            return Err((from..self.at + 1, "text without an option".to_owned()));
        }
        if selectors.contains(&selector) {
            return Err((from..from + length, format!("duplicate option `{selector}`")));
        }
        let is_number = *kind != "select";
        let is_known = super::locale::CATEGORIES.contains(&&*selector)
            || selector.strip_prefix('=').is_some_and(|n| n.parse::<u64>().is_ok());
        if is_number && !is_known {
            let reason = format!("`{selector}` is not a plural category");
            return Err((from..from + length, reason));
        }
        selectors.insert(selector);
        self.at += 1;
        if depth >= MAX_DEPTH {
            return Err((from..self.at, "the message is nested too deeply".to_owned()));
        }
        frames.push(Frame::Option);
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_first_defect_of_a_message_is_found() {
        let error = |text| parse(text, true).error;
        for text in [
            "",
            "a {name} b",
            "it's {name}",
            "'{'quoted'}' {a}",
            "{n, number, ::currency/EUR} {d, date, short}",
            "{n, plural, offset:1 =0 {none} one {# file} other {# files {x}}}",
            "{g, select, a {{n, plural, one {x} other {y}}} other {z}}",
        ] {
            assert_eq!(error(text), None, "{text}");
        }
        for (text, reason) in [
            ("{", "argument without a name"),
            ("{}", "empty argument `{}`"),
            ("a } b", "`}` without `{`"),
            ("{name", "argument without closing `}`"),
            ("{first name}", "argument without closing `}`"),
            ("{n, plural, one {x}}", "`plural` without the option `other`"),
            ("{n, plural, one {x} other {y}", "`{` without `}`"),
            ("{n, plural, one {x} other y}", "option `other` without a text in braces"),
            ("{n, plural, mehrere {x} other {y}}", "`mehrere` is not a plural category"),
            ("{n, plural, one {x} one {y} other {z}}", "duplicate option `one`"),
            ("{n, plural}", "`plural` without options"),
        ] {
            assert_eq!(error(text).map(|(_, reason)| reason).as_deref(), Some(reason), "{text}");
        }
        assert!(error(&"{a, select, other ".repeat(10_000)).is_some());
    }

    #[test]
    fn arguments_and_plurals_are_collected() {
        let message = parse("{n, plural, =0 {no} other {# of {total}}} {name}", true);
        let names: Vec<&str> = message.arguments.iter().map(|(name, _)| &**name).collect();
        assert_eq!(names, ["n", "total", "name"]);
        assert_eq!(message.plurals[0].1, ["=0", "other"]);
        let shown = |text| parse(text, true).shown.into_iter().collect::<Vec<_>>();
        assert_eq!(
            shown("{n, plural, =0 {no} other {# of {total}}} {name}"),
            ["n", "name", "total"]
        );
        assert_eq!(shown("{n, plural, one {a} other {b}}{g, select, other {#}}"), [""; 0]);
        assert!(is_certain("{n, plural, other {x}}") && !is_certain("{n, number}"));
    }
}
