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
    /// The texts of the options of these plurals: the selector, and the range of the text.
    pub(super) options: Vec<(String, Range<usize>)>,
    /// The types of the other arguments, such as `number`.
    pub(super) types: Vec<Range<usize>>,
    /// The numbers that select a plural.
    pub(super) counts: BTreeSet<String>,
    /// The first defect, if there is one.
    pub(super) error: Option<Fault>,
}

/// A defect of a message: its place, and what is wrong.
#[derive(Debug, PartialEq, Eq)]
pub(super) struct Fault {
    pub(super) range: Range<usize>,
    pub(super) reason: String,
    pub(super) help: &'static str,
}

impl Fault {
    fn new(range: Range<usize>, reason: impl Into<String>, help: &'static str) -> Self {
        Self { range, reason: reason.into(), help }
    }
}

const CLOSE: &str = "Each `{` needs a `}`: one after each text, and one after the last option";
const KEYWORDS: &str =
    "Plural keywords are not translated: use `zero`, `one`, `two`, `few`, `many`, `other` or `=1`";
const OTHER: &str = "Add `other {…}`; keywords are not translated";
const NAME: &str = "Write the name as in the source text: letters, digits and `_`. To display a \
                    brace, quote it: `'{'`";
pub(super) const KINDS: &str =
    "Keywords are not translated: use `plural`, `select`, `selectordinal`, `number` or `date`";
const FLATTEN: &str = "Split the message";

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

/// Whether the name of an argument can contain a character: not `Pattern_Syntax` of UAX #31.
fn is_name(c: char) -> bool {
    c.is_ascii_alphanumeric()
        || matches!(c, '_' | '.' | '-')
        || !c.is_ascii()
            && !c.is_whitespace()
            && !matches!(
                c,
                '\u{a1}'..='\u{a7}'
                    | '\u{a9}' | '\u{ab}' | '\u{ac}' | '\u{ae}' | '\u{b0}' | '\u{b1}' | '\u{b6}'
                    | '\u{bb}' | '\u{bf}' | '\u{d7}' | '\u{f7}' | '\u{200e}' | '\u{200f}'
                    | '\u{2010}'..='\u{203e}'
                    | '\u{2041}'..='\u{2053}'
                    | '\u{2055}'..='\u{205e}'
                    | '\u{2190}'..='\u{245f}'
                    | '\u{2500}'..='\u{2775}'
                    | '\u{2794}'..='\u{2bff}'
                    | '\u{2e00}'..='\u{2e7f}'
                    | '\u{3001}'..='\u{3003}'
                    | '\u{3008}'..='\u{3020}'
                    | '\u{3030}' | '\u{fd3e}' | '\u{fd3f}' | '\u{fe45}' | '\u{fe46}'
            )
}

/// What an open brace belongs to.
enum Frame {
    /// The message of an option: where it starts, and its index in [`Message::options`].
    Option { start: usize, index: Option<usize> },
    /// The options of a selection or plural: its start, argument, kind, and the selectors so far.
    Options { start: usize, name: String, kind: &'static str, selectors: BTreeSet<String> },
}

/// The ranges of a text that apostrophes mark as text: from an apostrophe before a brace or an angle
/// bracket to the next one; two apostrophes are one in the text.
pub(super) fn quoted(text: &str) -> Vec<Range<usize>> {
    let bytes = text.as_bytes();
    let mut found = Vec::new();
    let mut at = 0;
    while let Some(start) = memchr::memchr(b'\'', &bytes[at..]).map(|start| at + start) {
        at = start + 1;
        let is_elision = text[..start].ends_with(char::is_alphabetic);
        match bytes.get(at) {
            Some(b'\'') => at += 1,
            Some(c @ (b'{' | b'}' | b'<' | b'>')) if *c != b'<' || !is_elision => {
                let end = memchr::memchr(b'\'', &bytes[at..]).map_or(bytes.len(), |end| at + end);
                found.push(start..end);
                at = (end + 1).min(bytes.len());
            }
            _ => {}
        }
    }
    found
}

/// Parses a message. If `quotes`, apostrophes quote braces.
pub(super) fn parse(text: &str, quotes: bool) -> Message {
    let mut parser = Parser { text, at: 0, quotes, message: Message::default(), keyword: None };
    if let Err(fault) = parser.run() {
        // A keyword inside the text of an option is the next option, after a missing brace.
        let fault = match parser.keyword {
            Some(range) if fault.help == CLOSE || fault.help == OTHER => {
                let reason = format!("`}}` missing before `{}`", &text[range.clone()]);
                Fault::new(range, reason, CLOSE)
            }
            _ => fault,
        };
        parser.message.error = Some(fault);
    }
    parser.message
}

struct Parser<'t> {
    text: &'t str,
    at: usize,
    quotes: bool,
    message: Message,
    /// The first keyword of a plural that is inside the text of an option.
    keyword: Option<Range<usize>>,
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

    fn run(&mut self) -> Result<(), Fault> {
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
                    Some(frame) => {
                        if let Frame::Option { index: Some(index), .. } = frame {
                            self.message.options[index].1.end = self.at;
                        }
                        self.at += 1;
                    }
                    None => {
                        let range = self.at..self.at + 1;
                        return Err(Fault::new(range, "`}` without `{`", CLOSE));
                    }
                },
                _ => {
                    if let Some(&Frame::Option { start, .. }) = frames.last() {
                        self.record_keyword(start);
                    }
                    if let Some(frame) = self.argument()? {
                        if frames.len() >= MAX_DEPTH {
                            let reason = "the message is nested too deeply";
                            return Err(Fault::new(self.at..self.at, reason, FLATTEN));
                        }
                        frames.push(frame);
                    }
                }
            }
        }
        match frames.last() {
            None => Ok(()),
            Some(Frame::Option { start, .. }) => {
                Err(Fault::new(start - 1..*start, "`{` without `}`", CLOSE))
            }
            Some(Frame::Options { start, kind, .. }) => Err(self.open_options(*start, kind)),
        }
    }

    /// The defect of a plural or selection that is not closed.
    fn open_options(&self, start: usize, kind: &str) -> Fault {
        let reason = format!("`}}` missing at the end of the `{kind}`");
        Fault::new(start..start + 1, reason, CLOSE)
    }

    /// Records a keyword before the brace at the current position, in the text from `start`.
    fn record_keyword(&mut self, start: usize) {
        let before = self.text[start..self.at].trim_end();
        let word =
            before.rsplit(|c: char| c.is_whitespace() || c == '}').next().unwrap_or_default();
        // The first word of a text is part of the text.
        if word.len() < before.len() && super::locale::CATEGORIES.contains(&word) {
            let end = start + before.len();
            self.keyword.get_or_insert(end - word.len()..end);
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
    fn argument(&mut self) -> Result<Option<Frame>, Fault> {
        let start = self.at;
        self.at += 1;
        self.skip_space();
        let name_start = self.at;
        let name = self.name();
        let range = name_start..self.at;
        self.skip_space();
        if name.is_empty() {
            let is_empty = self.rest().starts_with('}');
            let reason = if is_empty { "empty argument `{}`" } else { "argument without a name" };
            return Err(Fault::new(start..self.at + usize::from(is_empty), reason, NAME));
        }
        self.message.arguments.push((name.clone(), range.clone()));
        if self.rest().starts_with('}') {
            self.at += 1;
            self.message.shown.insert(name);
            return Ok(None);
        }
        if !self.rest().starts_with(',') {
            return Err(self.bad_name(start, &range));
        }
        self.at += 1;
        self.skip_space();
        let kind_start = self.at;
        let kind = self.name();
        let kind_range = kind_start..self.at;
        self.skip_space();
        let kind = match &*kind {
            "plural" => "plural",
            "select" => "select",
            "selectordinal" => "selectordinal",
            _ => {
                self.message.shown.insert(name);
                return self.style(start, kind_range).map(|()| None);
            }
        };
        if !self.rest().starts_with(',') {
            let reason = format!("`{kind}` without options");
            return Err(Fault::new(start..self.at, reason, OTHER));
        }
        if kind == "plural" {
            self.message.counts.insert(name.clone());
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

    /// Skips the style of a number or a date; `kind` is the range of the word before it.
    fn style(&mut self, start: usize, kind: Range<usize>) -> Result<(), Fault> {
        let mut depth = 1_usize;
        for (at, byte) in self.rest().bytes().enumerate() {
            match byte {
                b'{' => depth += 1,
                b'}' => depth -= 1,
                _ => {}
            }
            if depth == 0 {
                let style = &self.rest()[..at];
                // Only plurals and selections have options.
                if style.contains('{') && !style.contains('\'') && !kind.is_empty() {
                    let reason =
                        format!("`{}` is not a type of argument", &self.text[kind.clone()]);
                    return Err(Fault::new(kind, reason, KINDS));
                }
                self.message.types.push(kind);
                self.at += at + 1;
                return Ok(());
            }
        }
        Err(self.unclosed(start))
    }

    fn unclosed(&self, start: usize) -> Fault {
        Fault::new(start..self.at, "argument without closing `}`", CLOSE)
    }

    /// The defect of an argument whose name, at `name`, is followed by another character.
    fn bad_name(&self, start: usize, name: &Range<usize>) -> Fault {
        let rest = &self.text[name.end..];
        let close = rest.find(['{', '}', ',']).filter(|&at| !rest[at..].starts_with('{'));
        let Some((close, bad)) = close.zip(rest.chars().next()) else {
            return self.unclosed(start);
        };
        if bad.is_whitespace() {
            let range = name.start..name.end + close;
            return Fault::new(range, "a space in the name of an argument", NAME);
        }
        let range = name.end..name.end + bad.len_utf8();
        Fault::new(range, format!("`{bad}` in the name of an argument"), NAME)
    }

    /// Parses the start of an option, or the end of the options.
    fn option(&mut self, frames: &mut Vec<Frame>) -> Result<(), Fault> {
        self.skip_space();
        let depth = frames.len();
        let Some(Frame::Options { start, kind, selectors, .. }) = frames.last_mut() else {
            return Ok(());
        };
        if self.rest().starts_with('}') {
            self.at += 1;
            let range = *start..self.at;
            if !selectors.contains("other") {
                // The options that follow are outside: a brace closes the plural too early.
                let rest = &self.text[self.at..];
                if rest
                    .trim_start()
                    .strip_prefix("other")
                    .is_some_and(|it| it.trim_start().starts_with('{'))
                {
                    let reason = "this `}` closes the options before `other`";
                    return Err(Fault::new(self.at - 1..self.at, reason, CLOSE));
                }
                return Err(Fault::new(
                    range,
                    format!("`{kind}` without the option `other`"),
                    OTHER,
                ));
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
            let (start, kind) = (*start, *kind);
            let is_complete = selectors.contains("other") && !selector.is_empty();
            return Err(match &*selector {
                "" => self.open_options(start, kind),
                _ if is_complete => Fault::new(
                    from..from + length,
                    format!("`}}` missing before `{selector}`"),
                    CLOSE,
                ),
                _ => {
                    let reason = format!("option `{selector}` without a text in braces");
                    Fault::new(from..self.at.max(from), reason, CLOSE)
                }
            });
        }
        if selector.is_empty() {
            let reason = "text without an option";
            return Err(Fault::new(
                from..self.at + 1,
                reason,
                "Write the option before it: `other {…}`",
            ));
        }
        let range = from..from + length;
        if selectors.contains(&selector) {
            let reason = format!("duplicate option `{selector}`");
            return Err(Fault::new(range, reason, "Keep one of them"));
        }
        let is_number = *kind != "select";
        let is_known = super::locale::CATEGORIES.contains(&&*selector)
            || selector.strip_prefix('=').is_some_and(|n| n.parse::<u64>().is_ok());
        if is_number && !is_known {
            let reason = format!("`{selector}` is not a plural category");
            return Err(Fault::new(range, reason, KEYWORDS));
        }
        let is_plural = *kind == "plural";
        selectors.insert(selector.clone());
        self.at += 1;
        let index = is_plural.then(|| {
            self.message.options.push((selector, self.at..self.at));
            self.message.options.len() - 1
        });
        if depth >= MAX_DEPTH {
            return Err(Fault::new(from..self.at, "the message is nested too deeply", FLATTEN));
        }
        frames.push(Frame::Option { start: self.at, index });
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
            ("{first name}", "a space in the name of an argument"),
            ("{pages/jour}", "`/` in the name of an argument"),
            ("{n, plural, one {x}}", "`plural` without the option `other`"),
            ("{n, plural, one {x} other {y}", "`}` missing at the end of the `plural`"),
            ("{n, plural, one {a other {b}}", "`}` missing before `other`"),
            ("{n, plural, one {a other {b}}}", "`}` missing before `other`"),
            ("{n, plural, one {x} other {y} z", "`}` missing before `z`"),
            ("{n, plural, one {x}} other {y}}", "this `}` closes the options before `other`"),
            ("{n, pluriel, one {x} other {y}}", "`pluriel` is not a type of argument"),
            ("{n, flertal, en {x} andre {y}}", "`flertal` is not a type of argument"),
            ("{n, plural, one {x} other y}", "option `other` without a text in braces"),
            ("{n, plural, mehrere {x} other {y}}", "`mehrere` is not a plural category"),
            ("{n, plural, one {x} one {y} other {z}}", "duplicate option `one`"),
            ("{n, plural}", "`plural` without options"),
        ] {
            assert_eq!(error(text).map(|fault| fault.reason).as_deref(), Some(reason), "{text}");
        }
        assert!(error(&"{a, select, other ".repeat(10_000)).is_some());
    }

    #[test]
    fn arguments_and_plurals_are_collected() {
        let message = parse("{n, plural, =0 {no} other {# of {total}}} {name}", true);
        let names: Vec<&str> = message.arguments.iter().map(|(name, _)| &**name).collect();
        assert_eq!(names, ["n", "total", "name"]);
        assert_eq!(message.plurals[0].1, ["=0", "other"]);
        assert_eq!(message.options, [("=0".to_owned(), 16..18), ("other".to_owned(), 27..39)]);
        let shown = |text| parse(text, true).shown.into_iter().collect::<Vec<_>>();
        assert_eq!(
            shown("{n, plural, =0 {no} other {# of {total}}} {name}"),
            ["n", "name", "total"]
        );
        assert_eq!(shown("{n, plural, one {a} other {b}}{g, select, other {#}}"), [""; 0]);
        assert!(is_certain("{n, plural, other {x}}") && !is_certain("{n, number}"));
    }
}
