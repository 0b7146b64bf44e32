//! Builds a document from start and end events.

use crate::Language;
use crate::model::{
    Attribute, AttributeKind, Document, ElementData, Kind, NodeData, name_bit, to_u32,
};
use aidd_engine::text::source::Span;
use std::borrow::Cow;
use std::cell::OnceCell;

/// A document in progress, with its open nodes.
pub(crate) struct Builder<'a> {
    pub(crate) document: Document<'a>,
    /// The open nodes, from the outermost.
    pub(crate) open: Vec<u32>,
}

/// The start tag of an element.
pub(crate) struct StartTag<'a> {
    pub(crate) name: Cow<'a, str>,
    pub(crate) name_span: Span,
    pub(crate) tag_span: Span,
    pub(crate) is_native: bool,
    /// The number of attributes before those of this element.
    pub(crate) first_attribute: usize,
}

impl<'a> Builder<'a> {
    pub(crate) fn new(text: &'a str, language: Language) -> Self {
        let document = Document {
            text,
            language,
            is_templated: false,
            nodes: Vec::new(),
            attributes: Vec::new(),
            imports: Vec::new(),
            page: OnceCell::new(),
        };
        Self { document, open: Vec::new() }
    }

    fn push(&mut self, kind: Kind<'a>, span: Span) -> u32 {
        let id = to_u32(self.document.nodes.len());
        let parent = self.open.last().copied();
        let parent_element = parent.and_then(|id| {
            let node = &self.document.nodes[id as usize];
            match node.kind {
                Kind::Element(_) => Some(id),
                Kind::Slot { .. } => None,
                _ => node.parent_element,
            }
        });
        self.document.nodes.push(NodeData { parent, parent_element, end: id + 1, span, kind });
        id
    }

    /// Adds an attribute of the element whose start tag follows.
    pub(crate) fn attribute(&mut self, attribute: Attribute<'a>) {
        self.document.attributes.push(attribute);
    }

    /// Opens an element whose attributes were added before.
    pub(crate) fn start(&mut self, tag: StartTag<'a>) {
        let span = tag.tag_span;
        let plain = self.document.attributes[tag.first_attribute..]
            .iter()
            .filter(|attribute| attribute.kind == AttributeKind::Plain);
        let names = plain.fold(0, |bits, attribute| bits | name_bit(&attribute.name));
        let attributes = (to_u32(tag.first_attribute), to_u32(self.document.attributes.len()));
        let data = ElementData {
            name: tag.name,
            name_span: tag.name_span,
            tag_span: tag.tag_span,
            attributes,
            names,
            is_native: tag.is_native,
            is_closed: false,
            rendered: "",
        };
        let id = self.push(Kind::Element(data), span);
        self.open.push(id);
    }

    /// Opens a block with content.
    pub(crate) fn start_block(&mut self, may_be_text: bool, span: Span) {
        let id = self.push(Kind::Block { may_be_text }, span);
        self.open.push(id);
    }

    /// Whether the next node is inside another one.
    pub(crate) fn has_open(&self) -> bool {
        !self.open.is_empty()
    }

    /// Opens the elements in an attribute.
    pub(crate) fn start_slot(&mut self, is_rendered: bool, span: Span) {
        let id = self.push(Kind::Slot { is_rendered }, span);
        self.open.push(id);
    }

    /// Closes the elements in an attribute; without elements, nothing remains.
    pub(crate) fn close_slot(&mut self, end: usize) {
        let is_empty =
            self.open.last().is_some_and(|&id| id as usize + 1 == self.document.nodes.len());
        self.close(end, true);
        if is_empty {
            self.document.nodes.pop();
        }
    }

    /// Adds a block without elements.
    pub(crate) fn leaf_block(&mut self, may_be_text: bool, span: Span) {
        self.push(Kind::Block { may_be_text }, span);
    }

    /// Adds text, unless it is only white space.
    pub(crate) fn text(&mut self, text: &'a str, start: usize) {
        if !text.trim_ascii().is_empty() {
            self.push(Kind::Text(text), Span::new(start, start + text.len()));
        }
    }

    /// Closes the innermost open node at `end`.
    pub(crate) fn close(&mut self, end: usize, has_end_tag: bool) {
        let Some(id) = self.open.pop() else { return };
        let after = to_u32(self.document.nodes.len());
        let node = &mut self.document.nodes[id as usize];
        node.end = after;
        node.span.end = node.span.end.max(to_u32(end));
        if let Kind::Element(data) = &mut node.kind {
            data.is_closed = has_end_tag;
        }
    }

    /// The name of the innermost open node, if it is an element.
    pub(crate) fn current_name(&self) -> Option<&str> {
        self.open.last().and_then(|&id| self.name(id))
    }

    /// The name of a node, if it is an element.
    pub(crate) fn name(&self, id: u32) -> Option<&str> {
        match &self.document.nodes[id as usize].kind {
            Kind::Element(data) => Some(&data.name),
            _ => None,
        }
    }

    /// Closes all open nodes at `end`.
    pub(crate) fn finish(mut self, end: usize) -> Document<'a> {
        while !self.open.is_empty() {
            self.close(end, false);
        }
        self.document.imports.sort_unstable();
        self.document
    }
}
