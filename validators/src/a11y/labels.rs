//! Rules on labels of form controls.

use super::Found;
use super::element::El;
use super::names::{Name, attribute_name, content, content_without, is_open, may_be_hidden, name};
use super::roles::{input_type, role};
use aidd_markup::{AttributeKind, Language, Node, Value};

/// Maximum number of elements of a document that are compared with a label, so that files with many
/// labels are checked in linear time.
const MAX: usize = 2_000;

/// Maximum number of siblings that are compared with a label.
const MAX_INNER: usize = 64;

pub(super) fn label_without_control(element: El<'_>, found: &mut Found<'_, '_>) {
    if element.tag != "label"
        || element.has_spread()
        || element.has_kind(AttributeKind::Content)
        || role(element).is_presentational()
        || may_be_hidden(element)
    {
        return;
    }
    if has_no_text(element) {
        found
            .at(element.tag_span(), "label without text: it does not name the form control")
            .help("add text, or name the control with `aria-label`");
        return;
    }
    // A script fills an empty `for` of a page.
    let is_page = element.document().language() == Language::Html;
    let is_empty = || element.text_of("for") == Some("") && !is_page;
    // The tag helper of Razor adds `for` and the text.
    let is_helper = element.has("asp-for");
    if is_helper
        || element.has("for") && !is_empty()
        || element.has("id") && !is_unused(element, found)
    {
        return;
    }
    let Some(inner) = element.inner() else { return };
    let may_contain = inner.iter().any(|child| {
        child.tag.is_empty()
            || matches!(
                child.tag,
                "input"
                    | "select"
                    | "textarea"
                    | "button"
                    | "meter"
                    | "output"
                    | "progress"
                    | "slot"
            )
            || child.has_kind(AttributeKind::Content)
            || child.attribute("contenteditable").is_some()
            || child.attribute("role").is_some()
    });
    // A template renders a control anywhere in the label: `<span><%= form.check_box :a %></span>`.
    let is_template = element.document().language() == Language::Html;
    let is_unknown_inside = || is_template && inner.iter().any(|&child| has_unknown_content(child));
    if may_contain || has_unknown_content(element) || is_unknown_inside() {
        return;
    }
    // A label without text fills a place in a grid.
    let is_filler = || is_template && content(element) == Name::Empty;
    if is_filler() || is_further_heading(element) || is_caption_of_named(element) {
        return;
    }
    found
        .at(element.tag_span(), "label of no form control")
        .help("add `for` with the id of the control, or put the control into the label; the caption of a group is a `<legend>`, other text a `<span>`");
}

/// Whether an element only contains labels, of which this one is not the first, such as the headings of
/// columns.
fn is_further_heading(label: El<'_>) -> bool {
    let Some(outer) = label.parent_el() else { return false };
    let elements = outer.children().take(MAX_INNER).filter_map(|node| match node {
        Node::Element(it) => Some(El::new(it)),
        _ => None,
    });
    let elements: Vec<El<'_>> = elements.collect();
    elements.first().is_some_and(|first| first.id() != label.id())
        && elements.iter().all(|it| it.tag == "label" && !it.has("for"))
}

/// Whether the label is the caption of fields that all have another name. A group of boxes or radio
/// buttons has no other caption.
fn is_caption_of_named(label: El<'_>) -> bool {
    let Some(inner) = label.parent_el().and_then(El::inner) else { return false };
    let mut controls = inner.into_iter().filter(|it| is_text_control(*it)).peekable();
    let is_option = |it: El<'_>| {
        it.tag == "input" && matches!(input_type(it).as_deref(), Some("checkbox" | "radio"))
    };
    let is_labelled = |it: El<'_>| it.close_ancestors().any(|outer| outer.tag == "label");
    controls.peek().is_some()
        && controls
            .all(|it| !is_option(it) && (attribute_name(it, &[]) != Name::Empty || is_labelled(it)))
}

/// Whether the element contains a block that can render elements.
fn has_unknown_content(element: El<'_>) -> bool {
    let language = element.document().language();
    let has_block =
        || element.children().any(|node| matches!(node, Node::Block(it) if it.may_be_text));
    match language {
        // A template can render a control before a text: `{{ form.terms() }} I agree`.
        Language::Html => has_block(),
        // `{label}` is text in most components, `{children}` is not.
        Language::Jsx => {
            has_block() && !element.children().any(|node| matches!(node, Node::Text(..)))
        }
        _ => false,
    }
}

/// Whether the source shows a form control that the label would name, no text of the label, and no
/// other name of the control. `unlabelled-control` reports controls of whole pages.
fn has_no_text(label: El<'_>) -> bool {
    let language = label.document().language();
    let is_known = matches!(language, Language::Jsx | Language::Vue | Language::Svelte);
    if !is_known
        || label.is_in_attribute()
        || attribute_name(label, &[]) != Name::Empty
        // A component around the label can add a text.
        || label.close_ancestors().any(|outer| outer.tag.is_empty())
    {
        return false;
    }
    let target = label.value("for").filter(|value| !matches!(value, Value::Absent));
    let is_target = |it: &El<'_>| same_value(label, target, it.value("id"));
    let targets = || label.document().elements().take(MAX).map(El::new).filter(is_target);
    if let Some(control) = targets().next() {
        return targets().all(|it| is_text_control(it) && has_no_name(it))
            && content_without(label, Some(control)) == Name::Empty
            && !has_label(label, target);
    }
    let Some(inner) = label.inner() else { return false };
    if inner.is_empty() && target.is_some_and(|value| value.text() != Some("")) {
        // Style sheets can draw a label with a class, such as a switch.
        let is_drawn = ["class", "style", "id"].iter().any(|name| label.has(name));
        return !is_drawn && content(label) == Name::Empty && !has_label(label, target);
    }
    let mut controls = inner.into_iter().filter(|it| {
        matches!(
            it.tag,
            "input" | "select" | "textarea" | "button" | "meter" | "output" | "progress"
        )
    });
    // With an id, the control can have another label.
    let (Some(control), None) = (controls.next(), controls.next()) else { return false };
    is_text_control(control)
        && !control.has("id")
        && has_no_name(control)
        && content_without(label, Some(control)) == Name::Empty
}

/// Whether the element is a form control that only a label or an attribute names.
fn is_text_control(element: El<'_>) -> bool {
    match element.tag {
        "select" | "textarea" => true,
        "input" => input_type(element).is_some_and(|kind| {
            !matches!(&*kind, "hidden" | "submit" | "reset" | "button" | "image")
        }),
        _ => false,
    }
}

/// Whether no attribute names a form control, and users reach it.
fn has_no_name(control: El<'_>) -> bool {
    attribute_name(control, &["placeholder"]) == Name::Empty
        && !control.has("aria-labelledby")
        && !is_open(control)
        && !role(control).is_presentational()
        && !may_be_hidden(control)
}

/// Whether another label of the document has the same `for`, and possibly a text.
fn has_label(label: El<'_>, target: Option<Value<'_>>) -> bool {
    label.document().elements().take(MAX).map(El::new).any(|it| {
        it.id() != label.id()
            && (it.tag == "label" || it.tag.is_empty())
            && ["for", "htmlfor"].iter().any(|name| same_value(label, target, it.value(name)))
            && name(it) != Name::Empty
    })
}

/// Whether two values are the same text, or the same expression.
pub(super) fn same_value(
    element: El<'_>,
    value: Option<Value<'_>>,
    other: Option<Value<'_>>,
) -> bool {
    match (value, other) {
        (Some(Value::Static { text, .. }), Some(Value::Static { text: other, .. })) => {
            text.trim() == other.trim() && !text.trim().is_empty()
        }
        (Some(Value::Dynamic { span }), Some(Value::Dynamic { span: other })) => {
            element.document().slice(span) == element.document().slice(other)
        }
        _ => false,
    }
}

/// Whether nothing in the source refers to the id of the label, and the next form control has no
/// name.
fn is_unused(label: El<'_>, found: &Found<'_, '_>) -> bool {
    /// Maximum length of the text, so that files with many labels are checked in linear time.
    const MAX_TEXT: usize = 100_000;
    let document = label.document();
    let Some(id) = label.text_of("id").filter(|id| !id.is_empty()) else { return false };
    let text = found.source_text();
    if document.language() == Language::Html
        || text.len() > MAX_TEXT
        || text.matches(id).count() > 1
        || label.close_ancestors().any(|outer| outer.tag.is_empty())
    {
        return false;
    }
    let after = document.elements().take(MAX).map(El::new);
    let mut after = after.skip_while(|it| it.span().start < label.span().end);
    let next = after.find(|it| it.tag.is_empty() || it.tag == "label" || is_text_control(*it));
    next.is_some_and(|control| {
        is_text_control(control)
            && has_no_name(control)
            && !control.close_ancestors().any(|outer| matches!(outer.tag, "label" | ""))
            && !(control.has("id") && has_label(label, control.value("id")))
    })
}
