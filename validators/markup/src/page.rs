//! Facts about a document as a whole: whether the source shows all of it, and which elements its ids
//! refer to.

use crate::model::{AttributeKind, Document, Element, Kind, Value, to_u32};
use crate::{Language, tags};

/// What is computed once per document, on first use.
#[derive(Debug, Default)]
pub(crate) struct Page {
    is_whole: bool,
    is_complete: bool,
    ids: References,
    /// The `<label>` elements, by the ids they refer to.
    labels: References,
}

/// Pairs of an attribute and its element, sorted by the text of the attribute and by the source.
#[derive(Debug, Default)]
struct References(Vec<(u32, u32)>);

impl References {
    fn find<'d>(&'d self, document: &'d Document<'_>, text: &'d str) -> impl Iterator<Item = u32> {
        let key = |attribute: u32| text_of(document, attribute);
        let start = self.0.partition_point(|&(attribute, _)| key(attribute) < text);
        let found = self.0[start..].iter().take_while(move |(it, _)| key(*it) == text);
        found.map(|&(_, element)| element)
    }
}

fn text_of<'d>(document: &'d Document<'_>, attribute: u32) -> &'d str {
    document.attributes[attribute as usize].value.text().unwrap_or_default().trim()
}

impl Document<'_> {
    fn page(&self) -> &Page {
        self.page.get_or_init(|| Page::new(self))
    }

    /// Whether this is a page of HTML from `<html>` or `<body>` on, without statements or
    /// expressions of a template language. A script may still change it.
    #[must_use]
    pub fn is_whole(&self) -> bool {
        self.page().is_whole
    }

    /// Whether the source shows everything that is rendered: the document is whole and contains no
    /// scripts, event handlers or custom elements.
    #[must_use]
    pub fn is_complete(&self) -> bool {
        self.page().is_complete
    }

    /// The first element whose id is in the source.
    #[must_use]
    pub fn by_id(&self, id: &str) -> Option<Element<'_>> {
        let index = self.page().ids.find(self, id).next()?;
        self.element(index as usize)
    }

    /// The elements `<label>` that refer to an id.
    pub fn labels_for<'d>(&'d self, id: &'d str) -> impl Iterator<Item = Element<'d>> {
        self.page().labels.find(self, id).filter_map(|index| self.element(index as usize))
    }
}

impl Page {
    fn new(document: &Document<'_>) -> Self {
        let mut page = Self::default();
        let mut is_plain = document.language == Language::Html && !document.is_templated;
        let (mut has_root, mut is_static) = (false, true);
        for (index, node) in document.nodes.iter().enumerate() {
            let data = match &node.kind {
                Kind::Element(data) => data,
                Kind::Text(_) => continue,
                Kind::Block { .. } | Kind::Slot { .. } => {
                    is_plain = false;
                    continue;
                }
            };
            has_root |= matches!(&*data.name, "html" | "body");
            is_static = is_static && (data.is_native || tags::is_foreign(&data.name));
            let (start, end) = data.attributes;
            for at in start..end {
                let attribute = &document.attributes[at as usize];
                match attribute.kind {
                    AttributeKind::Plain => is_plain &= !attribute.value.is_dynamic(),
                    AttributeKind::Event => is_static = false,
                    _ => is_plain = false,
                }
                if !matches!(attribute.value, Value::Static { .. }) {
                    continue;
                }
                match &*attribute.name {
                    "id" => page.ids.0.push((at, to_u32(index))),
                    "for" if data.name == "label" => page.labels.0.push((at, to_u32(index))),
                    _ => {}
                }
            }
            is_static &= data.name != "script" || is_data(document, index);
        }
        // The sort is stable, so equal ids stay in the order of the source.
        page.ids.0.sort_by_key(|&(attribute, _)| text_of(document, attribute));
        page.labels.0.sort_by_key(|&(attribute, _)| text_of(document, attribute));
        page.is_whole = is_plain && has_root;
        page.is_complete = page.is_whole && is_static;
        page
    }
}

/// Whether a `<script>` contains data instead of code, such as JSON-LD.
fn is_data(document: &Document<'_>, index: usize) -> bool {
    let kind = document.element(index).and_then(|script| script.value("type"));
    kind.and_then(Value::text).is_some_and(|kind| kind.contains("json") || kind.contains("text/"))
        && !kind.and_then(Value::text).is_some_and(|kind| kind.contains("javascript"))
}
