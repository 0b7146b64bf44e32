//! Elements with the name of the native element that they render.

use super::components::is_polymorphic;
use aidd_markup::{Element, Node, Value};
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

    /// Whether the element may get attributes that are not on its tag: by a spread, or because a
    /// component around it passes its own on, as `<Trigger asChild><Button /></Trigger>` does.
    pub(super) fn may_get_attributes(self) -> bool {
        /// Maximum number of components that pass attributes on to each other.
        const MAX: usize = 4;
        let passes_on = |outer: Self| {
            let is_only = outer.children().filter(|node| matches!(node, Node::Element(_))).nth(1);
            is_only.is_none()
        };
        let components = self.close_ancestors().take(MAX).take_while(|outer| !outer.is_native());
        self.has_spread()
            || components
                .take_while(|outer| passes_on(*outer))
                .any(|outer| outer.attribute("aschild").is_some())
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
