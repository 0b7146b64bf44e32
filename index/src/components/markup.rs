//! Reads markup once, from left to right, and copies what is script.

use super::{Dialect, Script, svelte, vue};
use aidd_engine::parse::expressions::{end_of_braces, end_of_comment, end_of_string};
use ast_grep_language::SupportLang;
use std::collections::HashSet;

/// Elements of HTML that have no content.
const VOID: &[&str] = &[
    "area", "base", "br", "col", "embed", "hr", "img", "input", "link", "meta", "source", "track",
    "wbr",
];

/// A component that is being read.
#[derive(Debug)]
pub(super) struct Markup<'a> {
    pub(super) text: &'a str,
    pub(super) at: usize,
    dialect: Dialect,
    /// The result so far: spaces and line breaks, and what was copied.
    out: Vec<u8>,
    names: Vec<(String, u32)>,
    pub(super) declared: HashSet<String>,
    scripts: Vec<(u32, u32)>,
    language: SupportLang,
    /// The braces of Astro around the position, outermost first.
    open: Vec<Braces>,
    /// Whether an interpolation of Vue can still be closed.
    pub(super) can_close: bool,
}

/// Open braces of Astro. Without open elements in them, the position is in a script.
#[derive(Clone, Copy, Debug, Default)]
struct Braces {
    elements: usize,
    /// Whether the braces are part of the script around them, such as those of an object.
    is_script: bool,
}

/// An attribute; positions are offsets in the text.
#[derive(Clone, Copy, Debug)]
pub(super) struct Attribute<'a> {
    pub(super) name: &'a str,
    pub(super) name_at: usize,
    /// The position of `=`, and the start and end of the value without quotes and braces.
    pub(super) value: Option<(usize, usize, usize)>,
    /// The delimiter of the value: a quote, a brace, or a space for none.
    pub(super) delimiter: u8,
}

impl<'a> Markup<'a> {
    pub(super) fn new(text: &'a str, dialect: Dialect) -> Self {
        let blank = |byte: u8| if byte == b'\n' { b'\n' } else { b' ' };
        Self {
            text,
            at: 0,
            dialect,
            out: text.bytes().map(blank).collect(),
            names: Vec::new(),
            declared: HashSet::new(),
            scripts: Vec::new(),
            language: SupportLang::TypeScript,
            open: Vec::new(),
            can_close: true,
        }
    }

    pub(super) fn finish(mut self) -> Script {
        let text = String::from_utf8(std::mem::take(&mut self.out)).unwrap_or_default();
        Script {
            text,
            language: self.language,
            names: self.names,
            declared: self.declared,
            scripts: self.scripts,
        }
    }

    pub(super) fn byte(&self, at: usize) -> u8 {
        self.text.as_bytes().get(at).copied().unwrap_or_default()
    }

    pub(super) fn slice(&self, start: usize, end: usize) -> &'a str {
        self.text.get(start..end).unwrap_or_default()
    }

    pub(super) fn rest(&self) -> &'a str {
        self.text.get(self.at..).unwrap_or_default()
    }

    /// Copies a range of the text.
    pub(super) fn copy(&mut self, start: usize, end: usize) {
        if let Some(part) = self.text.get(start..end)
            && let Some(out) = self.out.get_mut(start..end)
        {
            out.copy_from_slice(part.as_bytes());
        }
    }

    /// Replaces a byte, unless it is a line break.
    pub(super) fn put(&mut self, at: usize, byte: u8) {
        if let Some(out) = self.out.get_mut(at).filter(|out| **out != b'\n') {
            *out = byte;
        }
    }

    /// Replaces the space before `at` by a semicolon, so that a statement can begin.
    pub(super) fn separate(&mut self, at: usize) {
        if let Some(before) = at.checked_sub(1)
            && self.out.get(before) == Some(&b' ')
        {
            self.put(before, b';');
        }
    }

    /// Copies an expression as a statement in braces; `start` is the position of a byte before it, and
    /// `end` of a byte after it.
    pub(super) fn statement(&mut self, start: usize, from: usize, to: usize, end: usize) {
        self.separate(start);
        self.put(start, b'{');
        self.copy(from, to);
        self.put(end, b'}');
    }

    /// Adds a name that the markup uses.
    pub(super) fn name(&mut self, name: &str, at: usize) {
        if let Ok(at) = u32::try_from(at) {
            self.names.push((name.to_owned(), at));
        }
    }

    /// The code between the fences at the start of an Astro component.
    pub(super) fn front_matter(&mut self) {
        let start = self.text.len() - self.text.trim_start().len();
        if !self.text[start..].starts_with("---") {
            return;
        }
        let from = start + 3;
        let Some(length) = self.text[from..].find("\n---") else { return };
        self.add_script(from, from + length);
        self.at = from + length + 4;
    }

    fn add_script(&mut self, start: usize, end: usize) {
        self.copy(start, end);
        self.separate(start);
        self.put(end, b';');
        if let (Ok(start), Ok(end)) = (u32::try_from(start), u32::try_from(end)) {
            self.scripts.push((start, end));
        }
    }

    /// Reads the markup up to the end of the text.
    pub(super) fn content(&mut self) {
        while self.at < self.text.len() {
            self.step(0);
        }
    }

    /// Reads one tag, expression or byte. `depth` is the number of open elements named `template` in a
    /// Vue component; the result is how it changes.
    pub(super) fn step(&mut self, depth: usize) -> usize {
        let byte = self.byte(self.at);
        if self.is_in_script() && self.script_step(byte) {
            return depth;
        }
        match byte {
            b'<' => return self.tag(depth),
            b'{' => self.braces(),
            _ => self.at += 1,
        }
        depth
    }

    fn is_in_script(&self) -> bool {
        self.open.last().is_some_and(|open| open.elements == 0)
    }

    fn braces(&mut self) {
        match self.dialect {
            Dialect::Vue => vue::interpolation(self),
            Dialect::Svelte => svelte::braces(self),
            Dialect::Astro => {
                let is_nested = !self.open.is_empty();
                if !is_nested {
                    self.separate(self.at);
                }
                self.put(self.at, if is_nested { b'(' } else { b'{' });
                self.open.push(Braces::default());
                self.at += 1;
            }
        }
    }

    /// Reads one part of the script in the braces of Astro; `false` at a tag.
    fn script_step(&mut self, byte: u8) -> bool {
        let start = self.at;
        match byte {
            b'}' => {
                let is_script = self.open.pop().is_some_and(|open| open.is_script);
                let is_outer = is_script || self.open.is_empty();
                self.put(start, if is_outer { b'}' } else { b')' });
                self.at += 1;
                return true;
            }
            b'{' => {
                self.open.push(Braces { is_script: true, ..Braces::default() });
                self.at += 1;
            }
            b'\'' | b'"' | b'`' => self.at = end_of_string(self.text, start),
            b'/' => self.at = end_of_comment(self.text, start),
            b'<' => {
                let next = self.byte(start + 1);
                let before = start.checked_sub(1).map(|before| self.byte(before));
                let is_type = before.is_some_and(|byte| byte.is_ascii_alphanumeric());
                if !is_type && (next.is_ascii_alphabetic() || matches!(next, b'/' | b'>' | b'!')) {
                    return false;
                }
                self.at += 1;
            }
            _ => self.at += 1,
        }
        self.copy(start, self.at.min(self.text.len()));
        true
    }

    /// Reads a tag, comment or declaration.
    fn tag(&mut self, depth: usize) -> usize {
        let start = self.at;
        let rest = self.rest();
        if rest.starts_with("<!--") {
            self.at = rest.find("-->").map_or(self.text.len(), |end| start + end + 3);
            return depth;
        }
        if rest.starts_with("<!") || rest.starts_with("<?") {
            self.at = rest.find('>').map_or(self.text.len(), |end| start + end + 1);
            return depth;
        }
        if let Some(after) = rest.strip_prefix("</") {
            let name = tag_name(after);
            self.at = rest.find('>').map_or(self.text.len(), |end| start + end + 1);
            if let Some(open) = self.open.last_mut() {
                open.elements = open.elements.saturating_sub(1);
            }
            return depth.saturating_sub(usize::from(name == "template"));
        }
        let name = tag_name(&rest[1..]);
        let is_fragment = self.dialect == Dialect::Astro && rest.starts_with("<>");
        if name.is_empty() && !is_fragment {
            self.at += 1;
            return depth;
        }
        if self.is_in_script() {
            // An element in an expression is a value.
            self.put(start, b'0');
        }
        self.at = start + 1 + name.len();
        let is_component = name.starts_with(|c: char| c.is_uppercase())
            || self.dialect == Dialect::Vue && name.contains('-');
        if is_component {
            let first = name.split('.').next().unwrap_or(name);
            let pascal = if first.contains('-') { vue::pascal_case(first) } else { first.into() };
            self.name(&pascal, start + 1);
        }
        let (attributes, is_closed) = self.attributes();
        if matches!(name, "script" | "style") && !is_closed {
            self.raw(name, &attributes);
            return depth;
        }
        attributes.iter().for_each(|attribute| self.attribute(attribute));
        if self.open.is_empty() {
            self.put(self.at.saturating_sub(1), b';');
        }
        let is_empty = is_closed || VOID.contains(&name);
        if let Some(open) = self.open.last_mut().filter(|_| !is_empty) {
            open.elements += 1;
        }
        depth + usize::from(name == "template" && !is_closed)
    }

    /// The attributes of the tag at the position, which is then after the tag, and whether the tag closes
    /// itself.
    pub(super) fn attributes(&mut self) -> (Vec<Attribute<'a>>, bool) {
        let mut all = Vec::new();
        loop {
            let space = self.rest().len() - self.rest().trim_start().len();
            self.at += space;
            let start = self.at;
            match self.byte(start) {
                0 if start >= self.text.len() => return (all, true),
                b'>' => {
                    self.at += 1;
                    return (all, self.byte(start.saturating_sub(1)) == b'/');
                }
                b'<' => return (all, false),
                b'{' if self.dialect != Dialect::Vue => {
                    self.at = end_of_braces(self.text, start);
                    let value = Some((start, start + 1, (self.at - 1).max(start + 1)));
                    all.push(Attribute { name: "", name_at: start, value, delimiter: b'{' });
                }
                b'/' if space > 0 || self.byte(start + 1) == b'>' => self.at += 1,
                _ => {
                    let attribute = self.named_attribute(start);
                    all.push(attribute);
                }
            }
            if self.at == start {
                self.at += 1;
            }
        }
    }

    fn named_attribute(&mut self, start: usize) -> Attribute<'a> {
        let is_end = |c: char| c.is_whitespace() || matches!(c, '=' | '>');
        let length = self.rest().find(is_end).unwrap_or(self.rest().len());
        let name = self.rest()[..length].trim_end_matches('/');
        self.at = start + name.len().max(1).min(self.rest().len());
        while !self.text.is_char_boundary(self.at) {
            self.at += 1;
        }
        let none = Attribute { name, name_at: start, value: None, delimiter: b' ' };
        let space = self.rest().len() - self.rest().trim_start().len();
        let equals = self.at + space;
        if self.byte(equals) != b'=' {
            return none;
        }
        self.at = equals + 1;
        let from = self.at + self.rest().len() - self.rest().trim_start().len();
        let delimiter = self.byte(from);
        let (value, end) = match delimiter {
            b'"' | b'\'' | b'`' => {
                let inner = from + 1;
                let quote = char::from(delimiter);
                let end = match delimiter {
                    b'`' => end_of_string(self.text, from).saturating_sub(1),
                    _ => self
                        .slice(inner, self.text.len())
                        .find(quote)
                        .map_or(self.text.len(), |end| inner + end),
                };
                ((inner, end), end + 1)
            }
            b'{' if self.dialect != Dialect::Vue => {
                let end = end_of_braces(self.text, from);
                ((from + 1, end.saturating_sub(1)), end)
            }
            _ => {
                let is_end = |c: char| c.is_whitespace() || c == '>';
                let rest = self.text.get(from..).unwrap_or_default();
                let end = from + rest.find(is_end).unwrap_or(rest.len());
                ((from, end), end)
            }
        };
        let delimiter =
            if matches!(delimiter, b'"' | b'\'' | b'`' | b'{') { delimiter } else { b' ' };
        self.at = end.min(self.text.len());
        let value = Some((equals, value.0, value.1.max(value.0)));
        Attribute { value, delimiter, ..none }
    }

    fn attribute(&mut self, attribute: &Attribute<'a>) {
        match self.dialect {
            Dialect::Vue => vue::attribute(self, attribute),
            Dialect::Svelte => svelte::attribute(self, attribute),
            Dialect::Astro => {
                let Some((equals, start, end)) = attribute.value else { return };
                let is_template = attribute.delimiter == b'`';
                if attribute.delimiter != b'{' && !is_template {
                    return;
                }
                let inner = self.slice(start, end);
                let is_spread = inner.trim_start().starts_with("...");
                let dots = inner.find("...").map_or(0, |dots| dots + 3);
                let from = if is_spread { start + dots } else { start - usize::from(is_template) };
                let to = end + usize::from(is_template);
                if self.open.is_empty() {
                    if attribute.name.is_empty() {
                        self.separate(equals);
                    }
                    self.put(equals, b';');
                }
                if !is_template {
                    self.put(start - 1, b'(');
                    self.put(end, b')');
                } else if !self.open.is_empty() {
                    self.put(equals, b',');
                }
                self.copy(from, to);
            }
        }
    }

    /// Reads the content of an element that is only text, after its start tag.
    pub(super) fn raw(&mut self, name: &str, attributes: &[Attribute<'a>]) {
        let start = self.at;
        let end = find_end_tag(self.text, start, name);
        let value = |name: &str| {
            let found = attributes.iter().find(|attribute| attribute.name == name)?;
            found.value.and_then(|(_, start, end)| self.text.get(start..end))
        };
        let is_code = value("type").is_none_or(|kind| {
            matches!(kind, "module" | "text/javascript" | "text/typescript" | "ts" | "")
        });
        if name == "script" && is_code {
            if value("lang").is_some_and(|lang| matches!(lang, "tsx" | "jsx")) {
                self.language = SupportLang::Tsx;
            }
            self.add_script(start, end);
        }
        let rest = self.text.get(end..).unwrap_or_default();
        self.at = rest.find('>').map_or(self.text.len(), |after| end + after + 1);
    }
}

/// The name at the start of a text; empty if no tag begins with it.
pub(super) fn tag_name(text: &str) -> &str {
    if !text.starts_with(|c: char| c.is_ascii_alphabetic()) {
        return "";
    }
    let is_name = |c: char| c.is_alphanumeric() || matches!(c, '-' | '_' | '.' | ':');
    &text[..text.find(|c: char| !is_name(c)).unwrap_or(text.len())]
}

/// The position of the next end tag of `name` from `from` on.
pub(super) fn find_end_tag(text: &str, from: usize, name: &str) -> usize {
    let mut at = from;
    while let Some(found) = text.get(at..).and_then(|rest| rest.find("</")) {
        let start = at + found;
        let after = text.get(start + 2..).unwrap_or_default();
        if tag_name(after).eq_ignore_ascii_case(name) {
            return start;
        }
        at = start + 2;
    }
    text.len()
}
