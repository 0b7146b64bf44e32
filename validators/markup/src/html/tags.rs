//! Start tags, end tags and their attributes.

use super::Parser;
use super::templates::{self, Rendering};
use crate::builder::StartTag;
use crate::model::{Attribute, AttributeKind, Value};
use crate::{Language, attributes, tags};
use aidd_engine::parse::expressions::{end_of_braces, end_of_string};
use aidd_engine::text::source::Span;
use memchr::memmem;
use std::borrow::Cow;

impl<'a> Parser<'a> {
    /// Consumes the tag, comment or declaration at the current position.
    pub(super) fn tag(&mut self) {
        let start = self.at;
        let rest = &self.bytes()[start..];
        if rest.starts_with(b"<!--") {
            self.at =
                memmem::find(&rest[4..], b"-->").map_or(self.text.len(), |end| start + end + 7);
            return;
        }
        if rest.starts_with(b"<!") {
            let is_cdata = rest.starts_with(b"<![CDATA[");
            let closing: &[u8] = if is_cdata { b"]]>" } else { b">" };
            let end = memmem::find(rest, closing);
            self.at = end.map_or(self.text.len(), |end| start + end + closing.len());
            return;
        }
        let is_end = rest.get(1) == Some(&b'/');
        let name_start = start + 1 + usize::from(is_end);
        let name_end = self.end_of_name(name_start);
        let written = &self.text[name_start..name_end];
        if is_end {
            let end = memchr::memchr(b'>', &self.bytes()[name_end..]);
            let end = end.map_or(self.text.len(), |end| name_end + end + 1);
            self.at = end;
            // Fragments have no name.
            if self.is_in_template && !written.is_empty() {
                let name = self.name(written);
                self.end_tag(&name, start, end);
                if self.language == Language::Vue && self.builder.open.is_empty() {
                    self.is_in_template = false;
                }
            }
            return;
        }
        if written.is_empty() {
            self.at = name_end.max(start + 1);
            return;
        }
        self.start_tag(start, name_start, written);
    }

    fn end_of_name(&self, start: usize) -> usize {
        let is_end = |byte: &u8| {
            byte.is_ascii_whitespace() || matches!(byte, b'>' | b'/' | b'<' | b'{' | b'"' | b'\'')
        };
        let rest = &self.bytes()[start..];
        rest.iter().position(is_end).map_or(self.text.len(), |end| start + end)
    }

    /// The name of an element as the language compares it.
    fn name(&self, written: &'a str) -> Cow<'a, str> {
        match self.language {
            // `<Input>` is a component of Ember, `<INPUT>` an element.
            Language::Html if is_component(written) => written.into(),
            Language::Html => attributes::lower(written),
            _ => written.into(),
        }
    }

    fn start_tag(&mut self, start: usize, name_start: usize, written: &'a str) {
        let name = self.name(written);
        let first_attribute = self.builder.document.attributes.len();
        self.at = name_start + written.len();
        let is_self_closing = self.attributes();
        let end = self.at;
        let is_native = tags::is_html(&name) || tags::is_foreign(&name);
        if !self.is_in_template {
            self.root_block(&name, first_attribute, is_self_closing, end);
            if !self.is_in_template {
                self.builder.document.attributes.truncate(first_attribute);
                return;
            }
        }
        if is_native {
            self.imply_end_tags(&name, start);
        }
        let name_span = Span::new(name_start, name_start + written.len());
        let tag_span = Span::new(start, end);
        self.builder.start(StartTag {
            name: name.clone(),
            name_span,
            tag_span,
            is_native,
            first_attribute,
        });
        let is_html = self.language == Language::Html;
        if tags::is_void(&name) || is_self_closing && !(is_html && tags::is_html(&name)) {
            self.builder.close(end, true);
            return;
        }
        *self.counts.entry(name.clone().into_owned()).or_default() += 1;
        if tags::is_raw(&name) {
            self.raw_text(&name, end);
        }
    }

    /// Whether the element that begins after `end` is the root block `<template>` of a Vue component.
    /// Skips the other root blocks.
    fn root_block(&mut self, name: &str, first: usize, is_self_closing: bool, end: usize) {
        let attributes = &self.builder.document.attributes[first..];
        let language = attributes.iter().find(|attribute| attribute.name == "lang");
        let is_html = language.is_none_or(|lang| lang.value.text() == Some("html"));
        if name == "template" && is_html && !is_self_closing {
            self.is_in_template = true;
            return;
        }
        if !is_self_closing {
            let (_, after) = self.find_end_tag(name, end);
            self.at = after;
        }
    }

    fn imply_end_tags(&mut self, opened: &str, start: usize) {
        // A table cell ends with its row: at most three end tags are implied.
        for _ in 0..3 {
            let Some(current) = self.builder.current_name() else { return };
            if !tags::closes(opened, current) {
                return;
            }
            self.close_current(start, true);
        }
    }

    /// The start and the end of the next end tag of `name` from `from` on.
    fn find_end_tag(&self, name: &str, from: usize) -> (usize, usize) {
        let bytes = self.bytes();
        let mut at = from;
        while let Some(found) = memmem::find(&bytes[at..], b"</") {
            let start = at + found;
            let after = start + 2 + name.len();
            let is_name = bytes
                .get(start + 2..after)
                .is_some_and(|found| found.eq_ignore_ascii_case(name.as_bytes()));
            if is_name && bytes.get(after).is_none_or(|byte| !byte.is_ascii_alphanumeric()) {
                let end = memchr::memchr(b'>', &bytes[after..]);
                return (start, end.map_or(self.text.len(), |end| after + end + 1));
            }
            at = start + 2;
        }
        (self.text.len(), self.text.len())
    }

    /// The text of an element that contains only text.
    fn raw_text(&mut self, name: &str, start: usize) {
        let (text_end, end) = self.find_end_tag(name, start);
        if !matches!(name, "script" | "style") {
            self.text_with_templates(start, text_end);
        }
        self.close_current(end, text_end < self.text.len());
        self.at = end;
    }

    fn text_with_templates(&mut self, start: usize, end: usize) {
        let text = &self.text[start..end];
        if self.is_dynamic(text) {
            self.builder.leaf_block(true, Span::new(start, end));
        } else {
            self.builder.text(text, start);
        }
    }

    /// Whether text or a value contains an expression.
    fn is_dynamic(&self, text: &str) -> bool {
        let is_possible =
            |byte: &u8| matches!(byte, b'{' | b'<' | b'$' | b'@' | b'[' | b'%' | b'_');
        if !text.as_bytes().iter().any(is_possible) {
            return false;
        }
        let contains = |needle: &str| memmem::find(text.as_bytes(), needle.as_bytes()).is_some();
        match self.language {
            Language::Svelte => contains("{"),
            Language::Astro | Language::Jsx | Language::Vue => false,
            Language::Angular => contains("{{"),
            Language::Html => {
                // Placeholders such as `%PUBLIC_URL%` and `%lang%` are replaced when the page is built.
                let is_placeholder = |text: &str| {
                    let mut parts = text.split('%').skip(1);
                    parts.any(|part| {
                        part.len() > 3
                            && part
                                .bytes()
                                .all(|b| b.is_ascii_alphabetic() || matches!(b, b'_' | b'.'))
                    })
                };
                ["{{", "{%", "<%", "<?", "${", "#{", "@{", "[[", "{!!", "@(", "$("]
                    .into_iter()
                    .any(contains)
                    || text.starts_with('@')
                    || text.starts_with("__")
                    || is_placeholder(text)
            }
        }
    }

    /// Consumes the attributes up to the end of the tag; returns whether the tag closes itself.
    fn attributes(&mut self) -> bool {
        loop {
            let bytes = self.bytes();
            while bytes.get(self.at).is_some_and(u8::is_ascii_whitespace) {
                self.at += 1;
            }
            let Some(&byte) = bytes.get(self.at) else { return false };
            match byte {
                b'>' => {
                    self.at += 1;
                    return false;
                }
                b'/' if bytes.get(self.at + 1) == Some(&b'>') => {
                    self.at += 2;
                    return true;
                }
                b'/' | b'"' | b'\'' | b'=' => self.at += 1,
                b'{' if matches!(self.language, Language::Svelte | Language::Astro) => {
                    self.braces();
                }
                // The tag is not closed.
                b'<' if bytes
                    .get(self.at + 1)
                    .is_some_and(|&next| next.is_ascii_alphabetic() || next == b'/')
                    && bytes.get(self.at + 2) != Some(&b'#') =>
                {
                    // Tags such as `<c:if>` among the attributes can add any.
                    self.unknown(self.at, self.at);
                    return false;
                }
                b'<' if self.language == Language::Html
                    && matches!(
                        bytes[self.at + 1..],
                        [b'#' | b'@', ..] | [b'/', b'#' | b'@', ..]
                    ) =>
                {
                    self.statement();
                }
                _ => self.attribute(),
            }
        }
    }

    /// A statement of FreeMarker among attributes, such as `<#if a>`.
    fn statement(&mut self) {
        let start = self.at;
        let end = memchr::memchr(b'>', &self.bytes()[start..]);
        self.at = end.map_or(self.text.len(), |end| start + end + 1);
        self.unknown(start, self.at);
    }

    /// `{name}`, `{...props}` or a comment between attributes.
    fn braces(&mut self) {
        let start = self.at;
        let end = end_of_braces(self.text, start);
        self.at = end;
        let span = Span::new(start, end);
        let inner = self.text[start..end].trim_matches(['{', '}']).trim_ascii();
        if inner.starts_with("/*") {
            return;
        }
        let is_name = inner.bytes().all(|b| b.is_ascii_alphanumeric() || matches!(b, b'_' | b'$'));
        let kind = if is_name { AttributeKind::Plain } else { AttributeKind::Spread };
        let name = if is_name { attributes::lower(inner) } else { "".into() };
        let value = Value::Dynamic { span };
        self.builder.attribute(Attribute { kind, name, name_span: span, span, value });
    }

    fn attribute(&mut self) {
        let start = self.at;
        if let Some((end, rendering)) = self.template_at(start) {
            self.at = end;
            if rendering != Rendering::Comment {
                self.unknown(start, end);
            }
            return;
        }
        let name_end = self.end_of_attribute_name();
        let name = &self.text[start..name_end];
        self.at = name_end;
        let bytes = self.bytes();
        // `data-{{ name }}` and `@if(a)`.
        if bytes.get(name_end).is_some_and(|&byte| matches!(byte, b'{' | b'<' | b'$'))
            && let Some((end, _)) = self.template_at(name_end)
        {
            self.at = end;
            self.unknown(start, end);
            return;
        }
        if self.is_statement(name) {
            self.unknown(start, name_end);
            return;
        }
        let mut at = name_end;
        while bytes.get(at).is_some_and(u8::is_ascii_whitespace) {
            at += 1;
        }
        let meaning = attributes::html(name, self.language);
        let name_span = Span::new(start, name_end);
        let mut value = Value::Empty;
        if bytes.get(at) == Some(&b'=') {
            self.at = at + 1;
            value = self.value(meaning.is_expression);
        } else if meaning.is_expression {
            value = Value::Dynamic { span: name_span };
        }
        let span = Span::new(start, self.at.max(name_end));
        let (kind, name) = (meaning.kind, meaning.name);
        self.builder.attribute(Attribute { kind, name, name_span, span, value });
    }

    /// A template tag among the attributes, which can add any attribute.
    fn unknown(&mut self, start: usize, end: usize) {
        let span = Span::new(start, end);
        let value = Value::Dynamic { span };
        let kind = AttributeKind::Spread;
        self.builder.attribute(Attribute { kind, name: "".into(), name_span: span, span, value });
    }

    /// Whether the name of an attribute is a statement of a template language, or `...attributes` of
    /// Ember.
    fn is_statement(&self, name: &str) -> bool {
        if self.language != Language::Html {
            return false;
        }
        let word = name.get(1..).unwrap_or_default();
        let word = word.split(|c: char| !c.is_ascii_alphabetic()).next().unwrap_or_default();
        match name.as_bytes()[0] {
            b'@' => name.contains('(') || templates::is_statement(word),
            b'#' => matches!(word, "if" | "elseif" | "else" | "end" | "foreach" | "set"),
            b'{' => true,
            _ => name.starts_with("..."),
        }
    }

    fn end_of_attribute_name(&mut self) -> usize {
        let bytes = self.bytes();
        let mut at = self.at;
        let mut depth = 0usize;
        while let Some(&byte) = bytes.get(at) {
            match byte {
                b'(' | b'[' => depth += 1,
                b')' | b']' => depth = depth.saturating_sub(1),
                b'>' | b'=' => break,
                b'/' if bytes.get(at + 1) == Some(&b'>') => break,
                _ if byte.is_ascii_whitespace() && depth == 0 => break,
                b'{' | b'<' | b'$' if at > self.at && self.template_at(at).is_some() => break,
                _ => {}
            }
            at += 1;
        }
        let at = at.max(self.at + 1);
        if self.text.is_char_boundary(at) { at } else { self.next_boundary(at) }
    }

    fn value(&mut self, is_expression: bool) -> Value<'a> {
        let bytes = self.bytes();
        while bytes.get(self.at).is_some_and(u8::is_ascii_whitespace) {
            self.at += 1;
        }
        let Some(&first) = bytes.get(self.at) else { return Value::Empty };
        let start = self.at;
        let has_braces = matches!(self.language, Language::Svelte | Language::Astro);
        let is_template = first == b'`' && self.language == Language::Astro;
        let is_braced = first == b'{' && self.language == Language::Html;
        if is_template || is_braced && self.template_at(start).is_none() {
            let find_end = if is_template { end_of_string } else { end_of_braces };
            self.at = find_end(self.text, start);
            return Value::Dynamic { span: Span::new(start, self.at) };
        }
        if first == b'{' && has_braces {
            let end = end_of_braces(self.text, start);
            self.at = end;
            let inner_end = if self.text[..end].ends_with('}') { end - 1 } else { end };
            return self.expression(start + 1, inner_end.max(start + 1), Span::new(start, end));
        }
        let (start, end) = if matches!(first, b'"' | b'\'') {
            let end = self.end_of_value(start + 1, |byte| byte == first);
            self.at = (end + 1).min(self.text.len());
            (start + 1, end)
        } else {
            let end = self.end_of_value(start, |byte| byte.is_ascii_whitespace() || byte == b'>');
            self.at = end;
            (start, end)
        };
        let text = &self.text[start..end];
        let span = Span::new(start, end);
        if is_expression {
            self.expression(start, end, span)
        } else if self.is_dynamic(text) {
            Value::Dynamic { span }
        } else {
            Value::Static { text, span }
        }
    }

    /// The value of an expression in the source.
    fn expression(&self, start: usize, end: usize, span: Span) -> Value<'a> {
        let text = &self.text[start..end];
        match attributes::literal(text) {
            Some((from, to)) => {
                Value::Static { text: &text[from..to], span: Span::new(start + from, start + to) }
            }
            None if matches!(text.trim_ascii(), "null" | "undefined") => Value::Absent,
            None => Value::Dynamic { span },
        }
    }

    /// The first byte from `at` on that ends the value, outside expressions.
    fn end_of_value(&mut self, mut at: usize, is_end: impl Fn(u8) -> bool) -> usize {
        let bytes = self.bytes();
        while let Some(&byte) = bytes.get(at) {
            if is_end(byte) {
                return at;
            }
            at = match byte {
                b'{' if self.language == Language::Svelte => end_of_braces(self.text, at),
                b'{' | b'<' => self.template_at(at).map_or(at + 1, |(end, _)| end),
                _ => at + 1,
            };
        }
        self.text.len()
    }
}

/// Whether only the first letters of words are capital.
fn is_component(name: &str) -> bool {
    name.starts_with(|c: char| c.is_ascii_uppercase())
        && name.bytes().any(|byte| byte.is_ascii_lowercase())
}
