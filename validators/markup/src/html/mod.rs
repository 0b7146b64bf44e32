//! A tolerant parser of HTML and of the template languages that embed it. It reads the text once, from
//! left to right, with a stack of open nodes.

mod tags;
mod templates;

use crate::Language;
use crate::builder::{Builder, StartTag};
use crate::model::Document;
use crate::tags as names;
use aidd_engine::parse::expressions::{self, end_of_braces, end_of_parentheses};
use aidd_engine::text::source::Span;
use memchr::{memchr2, memchr3};
use std::collections::HashMap;
use templates::{ErbBlock, Markers, Rendering, erb_block};

/// Maximum number of open nodes that the end tag of an inline element looks through.
const MAX_INLINE_DEPTH: usize = 64;

/// Maximum number of open nodes that the end tag of another element looks through.
const MAX_DEPTH: usize = 512;

/// Maximum length of the condition of a block.
const MAX_HEADER: usize = 1_000;

/// Parses a text in any language but JSX.
pub(crate) fn parse(text: &str, language: Language) -> Document<'_> {
    let mut parser = Parser {
        text,
        at: 0,
        language,
        builder: Builder::new(text, language),
        counts: HashMap::new(),
        open_blocks: 0,
        erb_blocks: Vec::new(),
        helpers: Vec::new(),
        markers: Markers::default(),
        is_in_template: language != Language::Vue,
        has_blocks: language == Language::Angular && text.contains("@"),
    };
    if language != Language::Jsx {
        parser.front_matter();
        parser.run();
    }
    parser.builder.finish(text.len())
}

struct Parser<'a> {
    text: &'a str,
    at: usize,
    language: Language,
    builder: Builder<'a>,
    /// The number of open elements with each name.
    counts: HashMap<String, usize>,
    /// The number of open blocks.
    open_blocks: usize,
    /// For each open block of ERB, whether a helper receives it.
    erb_blocks: Vec<bool>,
    /// The nodes of the blocks that helpers receive, in the order of the source.
    helpers: Vec<u32>,
    markers: Markers,
    /// Whether the text is markup; in a Vue component, only that of the root block `<template>`.
    is_in_template: bool,
    /// Whether the text can contain blocks such as `@if (a) { … }`.
    has_blocks: bool,
}

impl<'a> Parser<'a> {
    fn bytes(&self) -> &'a [u8] {
        self.text.as_bytes()
    }

    /// Skips the front matter of Astro components and of pages of static site generators.
    fn front_matter(&mut self) {
        let is_possible = matches!(self.language, Language::Astro | Language::Html);
        if is_possible
            && self.text.starts_with("---")
            && let Some(end) = memchr::memmem::find(&self.bytes()[3..], b"\n---")
        {
            self.at = 3 + end + 4;
        }
    }

    fn run(&mut self) {
        while self.at < self.text.len() {
            let start = self.at;
            if self.language == Language::Astro && self.is_in_script() {
                self.script();
            } else {
                self.content();
            }
            // Each step must consume something.
            if self.at == start {
                self.at = self.next_boundary(start + 1);
            }
        }
    }

    fn next_boundary(&self, at: usize) -> usize {
        (at..self.text.len()).find(|&at| self.text.is_char_boundary(at)).unwrap_or(self.text.len())
    }

    /// Whether the innermost open node is an expression of Astro.
    fn is_in_script(&self) -> bool {
        !self.builder.open.is_empty() && self.builder.current_name().is_none()
    }

    /// Text up to the next tag, expression or block, and this tag, expression or block.
    fn content(&mut self) {
        let start = self.at;
        let stop = loop {
            match self.next_stop() {
                None => break self.text.len(),
                Some(stop) if self.is_start(stop) => break stop,
                Some(stop) => self.at = stop + 1,
            }
        };
        if self.is_in_template {
            let text = &self.text[start..stop];
            if self.language == Language::Html && templates::has_statement(text) {
                self.builder.document.is_templated = true;
            }
            self.builder.text(text, start);
        }
        self.at = stop;
        if stop < self.text.len() {
            self.markup();
        }
    }

    /// The next byte that can begin something other than text.
    fn next_stop(&self) -> Option<usize> {
        let rest = &self.bytes()[self.at..];
        let found = match self.language {
            Language::Angular if self.has_blocks => {
                rest.iter().position(|byte| matches!(byte, b'<' | b'{' | b'@' | b'}'))
            }
            Language::Html => memchr3(b'<', b'{', b'$', rest),
            _ => memchr2(b'<', b'{', rest),
        };
        found.map(|found| self.at + found)
    }

    /// Whether a tag, expression or block begins at `at`.
    fn is_start(&mut self, at: usize) -> bool {
        let bytes = self.bytes();
        let next = bytes.get(at + 1).copied().unwrap_or_default();
        match bytes[at] {
            b'<' if next == b'%' || next == b'?' => self.template_at(at).is_some(),
            b'<' => next.is_ascii_alphabetic() || matches!(next, b'/' | b'!'),
            b'{' if matches!(self.language, Language::Svelte | Language::Astro) => true,
            b'{' | b'$' => self.template_at(at).is_some(),
            b'@' => self.block_at(at).is_some(),
            b'}' => self.is_in_script(),
            _ => false,
        }
    }

    fn template_at(&mut self, at: usize) -> Option<(usize, Rendering)> {
        self.markers.at(self.text, at, self.language)
    }

    /// Consumes the tag, expression or block at the current position.
    fn markup(&mut self) {
        let start = self.at;
        let bytes = self.bytes();
        match bytes[start] {
            b'<' => {
                if let Some((end, rendering)) = self.template_at(start) {
                    self.template(start, end, rendering);
                } else {
                    self.tag();
                }
            }
            b'@' => {
                if let Some(end) = self.block_at(start) {
                    self.start_block(false, Span::new(start, end));
                    self.at = end;
                }
            }
            b'}' => {
                self.close_current(start + 1, true);
                self.at = start + 1;
            }
            _ => match self.language {
                Language::Svelte => self.svelte(),
                Language::Astro => {
                    self.start_block(true, Span::new(start, start + 1));
                    self.at = start + 1;
                }
                _ => {
                    if let Some((end, rendering)) = self.template_at(start) {
                        self.template(start, end, rendering);
                    }
                }
            },
        }
    }

    fn template(&mut self, start: usize, end: usize, rendering: Rendering) {
        if self.is_in_template {
            if rendering == Rendering::Statement {
                self.builder.document.is_templated = true;
            }
            if rendering != Rendering::Comment {
                let may_be_text = rendering != Rendering::Statement;
                self.builder.leaf_block(may_be_text, Span::new(start, end));
                self.erb_block(start, end);
            }
        }
        self.at = end;
    }

    /// Opens or closes the block of a helper of ERB. Its content is that of a component, because the
    /// helper or partial decides where it is rendered.
    fn erb_block(&mut self, start: usize, end: usize) {
        let text: &'a str = self.text;
        match erb_block(&text[start..end]) {
            Some(ErbBlock::Helper(name)) => {
                let tag_span = Span::new(start, end);
                let first_attribute = self.builder.document.attributes.len();
                self.erb_blocks.push(true);
                self.builder.start(StartTag {
                    name: name.into(),
                    name_span: tag_span,
                    tag_span,
                    is_native: false,
                    first_attribute,
                });
                self.helpers.extend(self.builder.open.last());
                *self.counts.entry(name.to_owned()).or_default() += 1;
            }
            Some(ErbBlock::Statement) => self.erb_blocks.push(false),
            Some(ErbBlock::End) => {
                let is_helper = self.erb_blocks.pop() == Some(true);
                let Some(id) = is_helper.then(|| self.helpers.pop()).flatten() else { return };
                let Ok(position) = self.builder.open.binary_search(&id) else { return };
                while self.builder.open.len() > position + 1 {
                    self.close_current(start, false);
                }
                self.close_current(end, true);
            }
            None => {}
        }
    }

    /// An expression or block of Svelte.
    fn svelte(&mut self) {
        let start = self.at;
        let end = end_of_braces(self.text, start);
        let inner = self.text[start + 1..].trim_ascii_start();
        let span = Span::new(start, end);
        self.at = end;
        match inner.bytes().next() {
            Some(b'#') => self.start_block(false, span),
            Some(b':') => {
                self.close_block(start);
                self.start_block(false, span);
            }
            Some(b'/') => self.close_block(end),
            Some(b'@') => {
                let is_text = inner.starts_with("@html") || inner.starts_with("@render");
                if is_text {
                    self.builder.leaf_block(true, span);
                }
            }
            _ => self.builder.leaf_block(true, span),
        }
    }

    /// Closes the innermost block, and the elements that are open in it.
    fn close_block(&mut self, end: usize) {
        if self.open_blocks == 0 {
            return;
        }
        while let Some(&id) = self.builder.open.last() {
            let is_block = self.builder.name(id).is_none();
            self.close_current(end, false);
            if is_block {
                return;
            }
        }
    }

    /// The end of the header of a block of Angular at `at`, after its brace.
    fn block_at(&self, at: usize) -> Option<usize> {
        if self.language != Language::Angular {
            return None;
        }
        let rest = &self.text[at + 1..];
        let word = rest.split(|c: char| !c.is_ascii_alphabetic()).next().unwrap_or_default();
        let is_block = matches!(
            word,
            "if" | "else"
                | "for"
                | "empty"
                | "switch"
                | "case"
                | "default"
                | "defer"
                | "placeholder"
                | "loading"
                | "error"
        );
        if !is_block {
            return None;
        }
        let mut at = at + 1 + word.len();
        let skip = |at: usize| at + self.text[at..].len() - self.text[at..].trim_start().len();
        at = skip(at);
        if self.text[at..].starts_with("if") {
            at = skip(at + 2);
        }
        if self.text[at..].starts_with('(') {
            // Bounded, because the text after a header that is not closed is searched again.
            let limit = self.text.floor_char_boundary(at + MAX_HEADER);
            at = skip(end_of_parentheses(&self.text[..limit], at));
        }
        self.text[at..].starts_with('{').then_some(at + 1)
    }

    /// JavaScript between the braces of Astro, up to a tag or brace.
    fn script(&mut self) {
        let bytes = self.bytes();
        while let Some(&byte) = bytes.get(self.at) {
            match byte {
                b'}' => {
                    self.close_current(self.at + 1, true);
                    self.at += 1;
                    return;
                }
                b'{' => {
                    self.start_block(true, Span::new(self.at, self.at + 1));
                    self.at += 1;
                    return;
                }
                b'<' => {
                    let next = bytes.get(self.at + 1).copied().unwrap_or_default();
                    if next.is_ascii_alphabetic() || matches!(next, b'/' | b'>') {
                        self.tag();
                        return;
                    }
                    self.at += 1;
                }
                b'\'' | b'"' | b'`' => self.at = expressions::end_of_string(self.text, self.at),
                b'/' => self.at = expressions::end_of_comment(self.text, self.at),
                _ => self.at += 1,
            }
        }
    }

    fn start_block(&mut self, may_be_text: bool, span: Span) {
        self.open_blocks += 1;
        self.builder.start_block(may_be_text, span);
    }

    /// Closes the innermost open node.
    fn close_current(&mut self, end: usize, has_end_tag: bool) {
        match self.builder.current_name() {
            Some(name) => {
                if let Some(count) = self.counts.get_mut(name) {
                    *count -= 1;
                }
            }
            None => self.open_blocks = self.open_blocks.saturating_sub(1),
        }
        self.builder.close(end, has_end_tag);
    }

    /// Closes the open element that the end tag of `name` belongs to, and the nodes in it.
    fn end_tag(&mut self, name: &str, start: usize, end: usize) {
        if self.counts.get(name).copied().unwrap_or_default() == 0 {
            return;
        }
        let is_inline = names::is_html(name) && !names::is_special(name);
        let open = &self.builder.open;
        let mut position = open.len();
        let found = loop {
            let Some(&id) = position.checked_sub(1).and_then(|index| open.get(index)) else {
                break None;
            };
            position -= 1;
            match self.builder.name(id) {
                // A tag does not end a helper, nor an element around it.
                Some(_) if self.helpers.binary_search(&id).is_ok() => break None,
                Some(other) if other == name => break Some(position),
                Some(other) if is_inline && names::is_special(other) => break None,
                _ if is_inline && open.len() - position > MAX_INLINE_DEPTH => break None,
                _ if open.len() - position > MAX_DEPTH => break None,
                // A tag does not end a block that began inside its element.
                None if self.language != Language::Html => break None,
                _ => {}
            }
        };
        if let Some(position) = found {
            while self.builder.open.len() > position + 1 {
                self.close_current(start, false);
            }
            self.close_current(end, true);
        }
    }
}
