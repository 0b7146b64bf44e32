//! Elements with the name of the native element that they render.

use super::components::is_polymorphic;
use aidd_markup::{Element, Value};
use std::ops::Deref;

/// An element, and the name of the native element that it is or renders.
#[derive(Clone, Copy)]
pub(super) struct El<'d> {
    element: Element<'d>,
    /// The name in HTML; empty for a component.
    pub(super) tag: &'d str,
}

impl<'d> El<'d> {
    pub(super) fn new(element: Element<'d>) -> Self {
        let rendered = element.rendered();
        let is_other = !element.is_native() && !rendered.is_empty() && is_polymorphic(element);
        Self { element, tag: if is_other { "" } else { rendered } }
    }

    /// The element that contains this one; see [`Element::parent`].
    pub(super) fn parent_el(self) -> Option<Self> {
        self.element.parent().map(Self::new)
    }

    /// The closest elements that contain this one.
    pub(super) fn close_ancestors(self) -> impl Iterator<Item = Self> {
        /// Maximum number of elements, so that deeply nested texts are checked in linear time.
        const MAX: usize = 64;
        self.element.ancestors().take(MAX).map(Self::new)
    }

    /// All elements inside, up to a limit; `None` if there are more.
    pub(super) fn inner(self) -> Option<Vec<Self>> {
        /// Maximum number of elements, so that deeply nested texts are checked in linear time.
        const MAX: usize = 256;
        let found: Vec<Self> = self.element.descendants().take(MAX).map(Self::new).collect();
        (found.len() < MAX).then_some(found)
    }

    /// Whether the element has the attribute; `null` and `undefined` render none.
    pub(super) fn has(self, name: &str) -> bool {
        self.element.value(name).is_some_and(|value| !matches!(value, Value::Absent))
    }

    /// The value of an attribute without spaces around it, if the source shows it.
    pub(super) fn text_of(self, name: &str) -> Option<&'d str> {
        self.element.value(name).and_then(Value::text).map(str::trim)
    }
}

impl<'d> Deref for El<'d> {
    type Target = Element<'d>;

    fn deref(&self) -> &Element<'d> {
        &self.element
    }
}
