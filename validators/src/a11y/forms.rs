//! Rules on forms: how labels and controls belong together, and how the form is submitted.

use super::Found;
use super::attributes::with_space;
use super::element::El;
use super::labels::same_value;
use super::names::{Name, content_without, is_hidden_by_style, may_be_hidden};
use super::roles::input_type;
use aidd_engine::text::finding::Edit;
use aidd_markup::{AttributeKind, Language, Node, Value};

/// Whether the element is a form control that a label can name.
fn is_labelable(element: El<'_>) -> bool {
    match element.tag {
        "button" | "meter" | "output" | "progress" | "select" | "textarea" => true,
        "input" => input_type(element).is_some_and(|kind| kind != "hidden"),
        _ => false,
    }
}

pub(super) fn redundant_aria_label(element: El<'_>, found: &mut Found<'_, '_>) {
    let Some(attribute) = element.attribute("aria-label") else { return };
    let Value::Static { text, .. } = attribute.value else { return };
    if !is_labelable(element) || element.has("aria-labelledby") {
        return;
    }
    let outer = element.close_ancestors().find(|outer| outer.tag == "label");
    let referring = element
        .text_of("id")
        .filter(|id| !id.is_empty())
        .and_then(|id| element.document().labels_for(id).map(El::new).next());
    let Some(label) = referring.or(outer).filter(|label| !may_be_hidden(*label)) else { return };
    let words = |text: &str| text.split_whitespace().collect::<Vec<_>>().join(" ");
    let Name::Present(Some(visible)) = content_without(label, Some(element)) else { return };
    if words(&visible) == words(text) {
        let delete = Edit::delete(with_space(found, attribute.span));
        found
            .at(attribute.span, "the label already has this text")
            .fix_unsafe("Delete `aria-label`", vec![delete])
            .related(label.tag_span(), "the label");
    }
}

pub(super) fn redundant_for(element: El<'_>, found: &mut Found<'_, '_>) {
    let Some(attribute) = element.attribute("for").filter(|_| element.tag == "label") else {
        return;
    };
    let Some(inner) = element.inner() else { return };
    // Without `for`, the label names the first control in it.
    let may_be_control = |it: &El<'_>| it.tag.is_empty() || is_labelable(*it);
    let Some(control) = inner.into_iter().find(may_be_control) else { return };
    if !control.tag.is_empty()
        && same_value(element, Some(attribute.value), control.value("id"))
        && !element.has_spread()
    {
        let delete = Edit::delete(with_space(found, attribute.span));
        found
            .at(attribute.span, "the label contains the control that `for` refers to")
            .fix_unsafe("Delete `for`", vec![delete])
            .related(control.tag_span(), "the control");
    }
}

pub(super) fn label_of_several_controls(element: El<'_>, found: &mut Found<'_, '_>) {
    // Elsewhere, two controls can exclude each other.
    if element.tag != "label" || element.document().is_templated() || may_be_hidden(element) {
        return;
    }
    let Some(inner) = element.inner() else { return };
    let is_conditional = |it: El<'_>| it.is_in_block() || it.has_kind(AttributeKind::Directive);
    let is_certain = |it: &El<'_>| {
        let around = it.close_ancestors().take_while(|outer| outer.id() != element.id());
        is_labelable(*it)
            && !is_conditional(*it)
            && !it.has("hidden")
            && !is_hidden_by_style(**it)
            && !around.into_iter().any(|it| is_conditional(it) || it.has("role"))
    };
    let controls: Vec<El<'_>> = inner.into_iter().filter(is_certain).collect();
    let Some(first) = controls.first() else { return };
    if let Some(second) = controls.get(1) {
        found
            .at(element.tag_span(), "the label contains several form controls")
            .help("use one label per control; name a group with `<fieldset>` and `<legend>`")
            .related(first.tag_span(), "the control that the label names")
            .related(second.tag_span(), "another control");
        return;
    }
    let Some(Value::Static { text, span }) = element.value("for") else { return };
    let id = text.trim();
    // Whether the id is that of another control is known only if the source shows both.
    let target = element.document().by_id(id).map(El::new);
    let is_other = target.is_some_and(|it| it.id() != first.id() && is_labelable(it));
    let is_dynamic = first.value("id").is_some_and(Value::is_dynamic) || first.has_spread();
    if is_other && !is_dynamic && first.text_of("id") != Some(id) {
        found
            .at(span, "the label contains a control, but refers to another one")
            .help("use one label per control")
            .related(first.tag_span(), "the control in the label");
    }
}

pub(super) fn form_without_submit(element: El<'_>, found: &mut Found<'_, '_>) {
    let document = element.document();
    if element.tag != "form"
        || !element.is_native()
        || element.has_spread()
        || element.has_kind(AttributeKind::Content)
        || document.is_templated()
        || !element.is_closed()
        || may_be_hidden(element)
    {
        return;
    }
    // A form that sends nothing groups its controls.
    let is_sent = element.has("action") || element.event("submit").is_some();
    if !is_sent && !document.is_complete() {
        return;
    }
    let Some(inner) = element.inner() else { return };
    let is_field = |it: &El<'_>| {
        matches!(it.tag, "select" | "textarea")
            || it.tag == "input"
                && input_type(*it).is_some_and(|kind| {
                    !matches!(&*kind, "hidden" | "submit" | "image" | "button" | "reset")
                })
    };
    // A button of any type can send the form by a script.
    let may_submit = |it: &El<'_>| {
        it.tag.is_empty()
            || it.has_spread()
            || matches!(it.tag, "button" | "slot" | "template")
            || it.tag == "input"
                && input_type(*it)
                    .is_none_or(|kind| matches!(&*kind, "submit" | "image" | "button"))
            || it.event("click").is_some()
            || it.has("role")
            || it.has_kind(AttributeKind::Content)
    };
    if !inner.iter().any(is_field)
        || inner.iter().any(may_submit)
        || has_unknown_elements(element)
        || may_have_outer_button(element)
    {
        return;
    }
    found
        .at(element.tag_span(), "the form has no button that submits it")
        .help("add `<button type=\"submit\">`: not all users can press Enter in a field");
}

/// Whether a block in the form can render a button that the source does not show.
fn has_unknown_elements(form: El<'_>) -> bool {
    /// Maximum number of nodes, so that large forms are checked in linear time.
    const MAX: usize = 1_000;
    // Expressions of these languages render text.
    let renders_text =
        matches!(form.document().language(), Language::Vue | Language::Svelte | Language::Angular);
    let mut pending: Vec<Node<'_>> = form.children().collect();
    for _ in 0..MAX {
        let Some(node) = pending.pop() else { return false };
        match node {
            Node::Text(..) => {}
            Node::Slot(_) => return true,
            Node::Block(block) => {
                if block.may_be_text && !renders_text {
                    return true;
                }
                pending.extend(block.children());
            }
            Node::Element(child) => {
                // An expression in these is a text.
                let is_text = matches!(
                    child.name(),
                    "h1" | "h2" | "h3" | "label" | "legend" | "option" | "select" | "textarea"
                );
                if !is_text {
                    pending.extend(child.children());
                }
            }
        }
    }
    true
}

/// Whether an element elsewhere refers to the form by its id.
fn may_have_outer_button(form: El<'_>) -> bool {
    /// Maximum number of elements, so that files with many forms are checked in linear time.
    const MAX: usize = 2_000;
    let Some(id) = form.value("id") else { return false };
    let is_control = |it: El<'_>| same_value(form, Some(id), it.value("form"));
    !form.document().is_whole() || form.document().elements().take(MAX).map(El::new).any(is_control)
}

/// Whether the button has a type, or does something else than to submit its form as it is.
fn has_purpose(button: El<'_>) -> bool {
    ["type", "formaction", "command", "commandfor", "is", "asp-action"]
        .iter()
        .any(|name| button.attribute(name).is_some())
}

pub(super) fn implicit_button_type(element: El<'_>, found: &mut Found<'_, '_>) {
    let is_in_select = || element.parent_el().is_some_and(|outer| outer.tag == "select");
    if element.tag != "button"
        || !element.is_native()
        || has_purpose(element)
        || element.has_spread()
        || is_in_select()
    {
        return;
    }
    let handles_click = element.event("click").is_some();
    // Scripts can find the button by other attributes, such as `data-dismiss`.
    let is_plain = element.attributes().iter().all(|attribute| {
        attribute.kind == AttributeKind::Plain
            && (matches!(&*attribute.name, "class" | "disabled" | "name" | "title" | "value")
                || attribute.name.starts_with("aria-"))
    });
    let Some(form) = form_of(element) else { return };
    if !has_other_submit(form, element, is_plain) {
        return;
    }
    let finding = found
        .at(element.tag_span(), "the button has no `type`: it submits the form")
        .related(form.tag_span(), "the form");
    if handles_click {
        let edit = Edit::insert(element.name_span().end, " type=\"button\"");
        finding.fix_unsafe("Add `type=\"button\"`", vec![edit]);
    } else {
        finding.help("add `type=\"button\"`, `type=\"submit\"` or `type=\"reset\"`");
    }
}

/// Whether the element is a form; Spring has a tag of its own for it in JSP.
fn is_form(element: El<'_>) -> bool {
    element.tag == "form" || element.name() == "form:form"
}

/// The form that a button belongs to, as far as the file shows it.
fn form_of(button: El<'_>) -> Option<El<'_>> {
    if button.attribute("form").is_some() {
        let form = button.document().by_id(button.text_of("form")?).map(El::new)?;
        return is_form(form).then_some(form);
    }
    // A component can render its content elsewhere, such as a dialog at the end of the page.
    let form = button.close_ancestors().find(|it| is_form(*it) || it.tag.is_empty())?;
    (is_form(form) && form.is_closed()).then_some(form)
}

/// Whether the form has another button that submits it. A plain button without a type is meant to be
/// that button if no other comes before it.
fn has_other_submit(form: El<'_>, button: El<'_>, is_plain: bool) -> bool {
    /// Maximum number of elements, so that large forms are checked in linear time.
    const MAX: usize = 256;
    let may_replace = |it: El<'_>| it.is_in_block() || it.has_kind(AttributeKind::Directive);
    form.descendants().take(MAX).map(El::new).filter(|it| it.id() != button.id()).any(|it| {
        let kind = it.text_of("type").map(str::to_ascii_lowercase);
        let is_explicit = match it.tag {
            "input" => matches!(kind.as_deref(), Some("submit" | "image")),
            "button" | "" => kind.as_deref() == Some("submit"),
            _ => false,
        };
        let is_implicit = it.tag == "button"
            && (!is_plain || it.id() < button.id())
            && !it.has_spread()
            && !has_purpose(it);
        if !is_explicit && !is_implicit || may_replace(it) {
            return false;
        }
        let mut around = it.close_ancestors().take_while(|outer| outer.id() != form.id());
        !around.any(|outer| may_replace(outer) || is_implicit && outer.tag.is_empty())
    })
}
