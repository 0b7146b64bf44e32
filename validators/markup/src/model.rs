//! The tree of one document. The nodes are stored in the order of the source, so the descendants of
//! a node are the nodes that follow it.

use crate::page::Page;
use crate::{Language, tags};
use aidd_engine::text::source::Span;
use aidd_engine::text::time_limit::step;
use std::borrow::Cow;
use std::cell::OnceCell;

/// The elements, texts and dynamic parts of one file.
#[derive(Debug)]
pub struct Document<'a> {
    pub(crate) text: &'a str,
    pub(crate) language: Language,
    pub(crate) is_templated: bool,
    pub(crate) nodes: Vec<NodeData<'a>>,
    pub(crate) attributes: Vec<Attribute<'a>>,
    /// The local names and modules of the imports, sorted.
    pub(crate) imports: Vec<(&'a str, &'a str)>,
    pub(crate) page: OnceCell<Page>,
}

/// A node as it is stored.
#[derive(Debug)]
pub(crate) struct NodeData<'a> {
    pub(crate) parent: Option<u32>,
    /// The closest element that contains the node, unless it is in an attribute.
    pub(crate) parent_element: Option<u32>,
    /// The index after the last descendant.
    pub(crate) end: u32,
    pub(crate) span: Span,
    pub(crate) kind: Kind<'a>,
}

#[derive(Debug)]
pub(crate) enum Kind<'a> {
    Element(ElementData<'a>),
    Text(&'a str),
    Block {
        may_be_text: bool,
    },
    /// The elements in an attribute.
    Slot {
        /// Whether the component passes its other attributes and its content on to the element.
        is_rendered: bool,
    },
}

#[derive(Debug)]
pub(crate) struct ElementData<'a> {
    pub(crate) name: Cow<'a, str>,
    pub(crate) name_span: Span,
    pub(crate) tag_span: Span,
    pub(crate) attributes: (u32, u32),
    /// The [bits](name_bit) of the names of its plain attributes.
    pub(crate) names: u64,
    pub(crate) is_native: bool,
    pub(crate) is_closed: bool,
    /// The element of HTML that the component renders; empty if it is unknown.
    pub(crate) rendered: &'static str,
}

/// One bit of 64 for the name of an attribute, by its length and its first, middle and last byte.
#[inline]
pub(crate) fn name_bit(name: &str) -> u64 {
    let bytes = name.as_bytes();
    let Some((&first, &last)) = bytes.first().zip(bytes.last()) else { return 0 };
    let middle = u32::from(bytes[bytes.len() / 2]);
    let sum = u32::from(first) + 7 * middle + 13 * u32::from(last) + 29 * bytes.len() as u32;
    1 << (sum % 64)
}

/// An attribute, property, event handler or directive of an element.
#[derive(Clone, Debug)]
pub struct Attribute<'a> {
    /// What the attribute means.
    pub kind: AttributeKind,
    /// The name in HTML, in lower case: `class` for `className`, `href` for `:href`; for an event
    /// handler, the event: `click` for `onClick`, `@click` and `(click)`.
    pub name: Cow<'a, str>,
    /// The span of the name as written.
    pub name_span: Span,
    /// The span of name and value.
    pub span: Span,
    /// The value, as far as the source shows it.
    pub value: Value<'a>,
}

/// What an attribute means.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum AttributeKind {
    /// An attribute of HTML or a property of a component.
    Plain,
    /// A handler of an event.
    Event,
    /// Sets the content of the element, such as `v-html` or `dangerouslySetInnerHTML`.
    Content,
    /// Adds attributes that the source does not show, such as `{...props}` or a template statement
    /// between attributes.
    Spread,
    /// Another directive, such as `v-if`, `*ngFor`, `use:action` or `x-data`.
    Directive,
}

/// The value of an attribute.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Value<'a> {
    /// The attribute has no value, as in `<input disabled>`.
    Empty,
    /// A value that the source shows: text, or a literal as in `tabIndex={0}`. Character references
    /// are not decoded.
    Static {
        /// The value without quotes.
        text: &'a str,
        /// The span of the value without quotes.
        span: Span,
    },
    /// The literal `null` or `undefined`: the attribute is not rendered.
    Absent,
    /// A value that is known only when the program runs.
    Dynamic {
        /// The span of the expression, or of the text with expressions.
        span: Span,
    },
}

impl<'a> Value<'a> {
    /// The text of a value that the source shows; empty for an attribute without value.
    #[must_use]
    pub fn text(self) -> Option<&'a str> {
        match self {
            Self::Empty => Some(""),
            Self::Static { text, .. } => Some(text),
            Self::Absent | Self::Dynamic { .. } => None,
        }
    }

    /// Whether the value is known only when the program runs.
    #[must_use]
    pub fn is_dynamic(self) -> bool {
        matches!(self, Self::Dynamic { .. })
    }
}

/// A node of a document.
#[derive(Clone, Copy, Debug)]
pub enum Node<'d> {
    /// An element or a component.
    Element(Element<'d>),
    /// Text that the source shows, with its span. Text of white space only is omitted.
    Text(&'d str, Span),
    /// An expression, or a block such as `{#if}` or `@for`, whose content is rendered never, once or
    /// several times.
    Block(Block<'d>),
    /// The elements in an attribute, such as `icon={<Icon />}`. Where a component renders them is
    /// unknown.
    Slot(Block<'d>),
}

/// An element of a document.
#[derive(Clone, Copy)]
pub struct Element<'d> {
    document: &'d Document<'d>,
    id: u32,
    data: &'d ElementData<'d>,
}

impl std::fmt::Debug for Element<'_> {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(f, "<{}>", self.name())
    }
}

impl PartialEq for Element<'_> {
    fn eq(&self, other: &Self) -> bool {
        self.id == other.id && std::ptr::eq(self.document, other.document)
    }
}

/// A dynamic part of a document.
#[derive(Clone, Copy)]
pub struct Block<'d> {
    document: &'d Document<'d>,
    id: u32,
    /// Whether the block can render text that is not among its children.
    pub may_be_text: bool,
}

impl std::fmt::Debug for Block<'_> {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Block").field("may_be_text", &self.may_be_text).finish_non_exhaustive()
    }
}

impl<'a> Document<'a> {
    /// The language of the file.
    #[must_use]
    pub fn language(&self) -> Language {
        self.language
    }

    /// Whether the file contains statements of a template language, such as `{% if %}`. Then, some
    /// of its elements may exclude each other.
    #[must_use]
    pub fn is_templated(&self) -> bool {
        self.is_templated
    }

    /// The module that a name in a script is imported from.
    #[must_use]
    pub fn import_of(&self, name: &str) -> Option<&'a str> {
        let index = self.imports.partition_point(|&(local, _)| local < name);
        self.imports.get(index).filter(|(local, _)| *local == name).map(|&(_, module)| module)
    }

    /// Sets the elements of HTML that components render with their attributes and content, as far as
    /// `rendered` knows them by the name and the attributes of a component.
    pub fn set_rendered(
        &mut self,
        rendered: impl Fn(&str, &[Attribute<'a>]) -> Option<&'static str>,
    ) {
        for node in &mut self.nodes {
            if let Kind::Element(data) = &mut node.kind
                && !data.is_native
            {
                let (start, end) = data.attributes;
                let attributes = &self.attributes[start as usize..end as usize];
                data.rendered = rendered(&data.name, attributes).unwrap_or(data.rendered);
            }
        }
    }

    /// The local names and modules of the imports of a script with JSX; the name is empty if only the
    /// module runs.
    pub fn imports(&self) -> impl Iterator<Item = (&'a str, &'a str)> {
        self.imports.iter().copied()
    }

    /// The modules from which the script imports something.
    pub fn modules(&self) -> impl Iterator<Item = &'a str> {
        self.imports.iter().map(|&(_, module)| module)
    }

    /// The source at `span`; empty if the span is not in it.
    #[must_use]
    pub fn slice(&self, span: Span) -> &'a str {
        self.text.get(span.start as usize..span.end as usize).unwrap_or_default()
    }

    /// All elements, in the order of the source.
    pub fn elements(&self) -> impl Iterator<Item = Element<'_>> {
        (0..self.nodes.len()).filter_map(|index| self.element(index))
    }

    /// The nodes without a parent, in the order of the source.
    pub fn roots(&self) -> impl Iterator<Item = Node<'_>> {
        Children { document: self, at: 0, end: self.nodes.len() }
    }

    pub(crate) fn element(&self, index: usize) -> Option<Element<'_>> {
        step();
        match &self.nodes[index].kind {
            Kind::Element(data) => Some(Element { document: self, id: to_u32(index), data }),
            _ => None,
        }
    }

    fn node(&self, index: usize) -> Node<'_> {
        step();
        let id = to_u32(index);
        let node = &self.nodes[index];
        match &node.kind {
            Kind::Element(data) => Node::Element(Element { document: self, id, data }),
            Kind::Text(text) => Node::Text(text, node.span),
            &Kind::Block { may_be_text } => Node::Block(Block { document: self, id, may_be_text }),
            Kind::Slot { .. } => Node::Slot(Block { document: self, id, may_be_text: true }),
        }
    }
}

/// The children of a node, or the roots of a document.
struct Children<'d> {
    document: &'d Document<'d>,
    at: usize,
    end: usize,
}

impl<'d> Iterator for Children<'d> {
    type Item = Node<'d>;

    fn next(&mut self) -> Option<Node<'d>> {
        let index = (self.at < self.end).then_some(self.at)?;
        self.at = self.document.nodes[index].end as usize;
        Some(self.document.node(index))
    }
}

fn children<'d>(document: &'d Document<'d>, id: u32) -> Children<'d> {
    Children { document, at: id as usize + 1, end: document.nodes[id as usize].end as usize }
}

impl<'d> Block<'d> {
    /// The span in the source.
    #[must_use]
    pub fn span(self) -> Span {
        self.document.nodes[self.id as usize].span
    }

    /// The nodes directly inside.
    pub fn children(self) -> impl Iterator<Item = Node<'d>> {
        children(self.document, self.id)
    }
}

impl<'d> Element<'d> {
    /// The position among the nodes of the document, which identifies the element.
    #[must_use]
    pub fn id(self) -> u32 {
        self.id
    }

    /// The document that contains the element.
    #[must_use]
    pub fn document(self) -> &'d Document<'d> {
        self.document
    }

    /// The name: of HTML elements in lower case, of components as written (`Link`, `Form.Item`,
    /// `router-link`).
    #[must_use]
    pub fn name(self) -> &'d str {
        &self.data.name
    }

    /// The span of the name in the start tag.
    #[must_use]
    pub fn name_span(self) -> Span {
        self.data.name_span
    }

    /// The span of the start tag.
    #[must_use]
    pub fn tag_span(self) -> Span {
        self.data.tag_span
    }

    /// The span from the start of the start tag to the end of the end tag.
    #[must_use]
    pub fn span(self) -> Span {
        self.document.nodes[self.id as usize].span
    }

    /// The name of the element of HTML that this is, or that the component renders with its
    /// attributes and content; empty if it is unknown.
    #[must_use]
    pub fn rendered(self) -> &'d str {
        if self.data.is_native { &self.data.name } else { self.data.rendered }
    }

    /// Whether this is an element of HTML, SVG or MathML; otherwise, it is a component or a custom
    /// element.
    #[must_use]
    pub fn is_native(self) -> bool {
        self.data.is_native
    }

    /// Whether the source contains an end tag, or the element needs none.
    #[must_use]
    pub fn is_closed(self) -> bool {
        self.data.is_closed
    }

    /// The attributes, in the order of the source.
    #[must_use]
    pub fn attributes(self) -> &'d [Attribute<'d>] {
        let (start, end) = self.data.attributes;
        &self.document.attributes[start as usize..end as usize]
    }

    /// The first attribute with this name in lower case. Event handlers and directives are not
    /// found.
    #[must_use]
    #[inline]
    pub fn attribute(self, name: &str) -> Option<&'d Attribute<'d>> {
        // Most attributes that rules look up are not there.
        (self.data.names & name_bit(name) != 0).then(|| self.plain_attribute(name)).flatten()
    }

    fn plain_attribute(self, name: &str) -> Option<&'d Attribute<'d>> {
        self.attributes()
            .iter()
            .find(|attribute| attribute.kind == AttributeKind::Plain && attribute.name == name)
    }

    /// The value of the attribute with this name; `None` if the source shows that there is none,
    /// unless [`Element::has_spread`].
    #[must_use]
    #[inline]
    pub fn value(self, name: &str) -> Option<Value<'d>> {
        self.attribute(name).map(|attribute| attribute.value)
    }

    /// The handler of an event.
    #[must_use]
    pub fn event(self, name: &str) -> Option<&'d Attribute<'d>> {
        self.attributes()
            .iter()
            .find(|attribute| attribute.kind == AttributeKind::Event && attribute.name == name)
    }

    /// Whether the element has attributes that its tag does not show: by a spread, or because a
    /// component renders it with its own, as `<Trigger render={<button />}>` does.
    #[must_use]
    pub fn has_spread(self) -> bool {
        self.has_kind(AttributeKind::Spread) || self.slot() == Some(true)
    }

    /// Whether an attribute of this kind exists.
    #[must_use]
    pub fn has_kind(self, kind: AttributeKind) -> bool {
        self.attributes().iter().any(|attribute| attribute.kind == kind)
    }

    /// The nodes directly inside.
    pub fn children(self) -> impl Iterator<Item = Node<'d>> {
        children(self.document, self.id)
    }

    /// All elements inside, in the order of the source.
    pub fn descendants(self) -> impl Iterator<Item = Element<'d>> {
        let range = self.id as usize + 1..self.document.nodes[self.id as usize].end as usize;
        range.filter_map(move |index| self.document.element(index))
    }

    /// The closest element that contains this one. Blocks are skipped; an element in an attribute
    /// has no parent.
    #[must_use]
    pub fn parent(self) -> Option<Self> {
        let parent = self.document.nodes[self.id as usize].parent_element?;
        self.document.element(parent as usize)
    }

    /// Whether the closest node that contains this one is a block.
    #[must_use]
    pub fn is_in_block(self) -> bool {
        let parent = self.document.nodes[self.id as usize].parent;
        parent.is_some_and(|index| {
            matches!(
                self.document.nodes[index as usize].kind,
                Kind::Block { .. } | Kind::Slot { .. }
            )
        })
    }

    /// Whether the element is the value of an attribute, such as `render={<a />}`.
    #[must_use]
    pub fn is_in_attribute(self) -> bool {
        self.slot().is_some()
    }

    /// For the value of an attribute, whether a component renders it with its own attributes.
    fn slot(self) -> Option<bool> {
        let parent = self.document.nodes[self.id as usize].parent?;
        match self.document.nodes[parent as usize].kind {
            Kind::Slot { is_rendered } => Some(is_rendered),
            _ => None,
        }
    }

    /// The elements that contain this one, from the closest; see [`Element::parent`].
    pub fn ancestors(self) -> impl Iterator<Item = Self> {
        std::iter::successors(self.parent(), |element| element.parent())
    }

    /// Whether the element is part of SVG or MathML.
    #[must_use]
    pub fn is_foreign(self) -> bool {
        tags::is_foreign(self.name())
    }
}

pub(crate) fn to_u32(index: usize) -> u32 {
    u32::try_from(index).unwrap_or(u32::MAX)
}
