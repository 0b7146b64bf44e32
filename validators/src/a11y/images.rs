//! Rules on images and media.

use super::Found;
use super::alt_words::{Naming, naming};
use super::element::El;
use super::names::{Name, attribute_name, content, is_blank, is_labelled, may_be_hidden, name};
use super::roles::{Role, ignores_presentation, input_type, role};
use aidd_engine::text::finding::{Edit, Severity};
use aidd_markup::{AttributeKind, Language, Value};

pub(super) fn missing_alt(element: El<'_>, found: &mut Found<'_, '_>) {
    let what = match element.tag {
        "img" => "image",
        "area" if element.attribute("href").is_some() => "area of the image map",
        "input" if input_type(element).as_deref() == Some("image") => "image button",
        "object" => return object_without_name(element, found),
        _ => return,
    };
    // A script or a template sets the source of an image later.
    let has_source = element.document().language() == Language::Jsx
        && element.attribute("ref").is_none()
        || element.tag == "input"
        || ["src", "srcset", "href"].iter().any(|name| {
            element.value(name).is_some_and(|value| value.text().is_none_or(|text| !is_blank(text)))
        });
    // A counter of visits.
    let is_pixel = ["width", "height"]
        .iter()
        .all(|name| matches!(element.text_of(name), Some("0" | "1" | "1px")));
    if element.has_spread() || element.has_kind(AttributeKind::Content) || !has_source || is_pixel {
        return;
    }
    let is_bare = match element.value("alt") {
        // In HTML, an attribute without value is empty; in JSX, it is `true`.
        Some(Value::Empty) => element.document().language() == Language::Jsx,
        Some(Value::Absent) => true,
        Some(Value::Static { text, .. }) => {
            // An image button and a linked area need a name; spaces are no name, and not empty.
            is_blank(text) && (element.tag != "img" || !text.is_empty())
        }
        Some(Value::Dynamic { .. }) => false,
        None => true,
    };
    if element.tag == "input" && element.document().is_complete() && is_labelled(element) {
        return;
    }
    // Browsers use `title` if there is no `alt`.
    if !is_bare || attribute_name(element, &[]) != Name::Empty || may_be_hidden(element) {
        return;
    }
    let is_ignored = role(element).is_presentational()
        && element.tag != "input"
        && !ignores_presentation(element)
        || element.value("role").is_some_and(Value::is_dynamic);
    if is_ignored {
        return;
    }
    let help = if element.tag == "img" {
        "describe the image in `alt`; use `alt=\"\"` if it conveys nothing"
    } else {
        "state in `alt` where it leads or what it does"
    };
    let message = match element.value("alt") {
        Some(Value::Static { .. }) => format!("{what} with an empty alternative text"),
        _ => format!("{what} without alternative text"),
    };
    let finding = found.at(element.tag_span(), message);
    finding.help(help);
    // Spaces: most screen readers announce nothing.
    if element.tag == "img"
        && element.value("alt").is_some_and(|it| it.text() != Some("") && it.text().is_some())
    {
        finding.severity = finding.severity.min(Severity::Info);
    }
}

pub(super) fn role_instead_of_alt(element: El<'_>, found: &mut Found<'_, '_>) {
    let Some(attribute) = element.attribute("role") else { return };
    let Role::Explicit(name @ ("none" | "presentation")) = role(element) else { return };
    // In JSX, an attribute without value is `true`.
    let is_bare = match element.value("alt") {
        Some(Value::Empty) => element.document().language() == Language::Jsx,
        Some(Value::Absent) | None => true,
        Some(Value::Static { .. } | Value::Dynamic { .. }) => false,
    };
    let is_open = element.has_spread() || element.has_kind(AttributeKind::Directive);
    if element.tag != "img" || !is_bare || is_open || may_be_hidden(element) {
        return;
    }
    let message = format!("an image with the role `{name}` has no `alt`");
    let finding = found.at(attribute.span, message);
    if element.attribute("alt").is_none() {
        let edit = Edit::replace(attribute.span, "alt=\"\"");
        finding.fix_unsafe("Replace with `alt=\"\"`", vec![edit]);
    } else {
        finding.help("write `alt=\"\"` instead of the role");
    }
}

/// Reports an `<object>` that nothing names. Its content is a replacement, which browsers render
/// only without the object, so that of an image or video on a complete page does not count.
fn object_without_name(element: El<'_>, found: &mut Found<'_, '_>) {
    let is_complete = element.document().is_complete();
    let is_jsx = element.document().language() == Language::Jsx;
    let has_data = element.text_of("data").is_some_and(|data| !is_blank(data));
    let data = element.text_of("data").unwrap_or_default().to_ascii_lowercase();
    let is_media = data.rsplit_once('.').is_some_and(|(_, end)| {
        matches!(
            end,
            "gif" | "jpeg" | "jpg" | "mp3" | "mp4" | "pdf" | "png" | "svg" | "webm" | "webp"
        )
    });
    let is_ignored = match role(element) {
        Role::Explicit("none" | "presentation") => !ignores_presentation(element),
        Role::Explicit("img") | Role::None => false,
        _ => true,
    };
    if !(has_data && is_complete || is_jsx)
        || is_ignored
        || element.has_spread()
        || may_be_hidden(element)
        || attribute_name(element, &[]) != Name::Empty
        || !(is_complete && is_media) && content(element) != Name::Empty
    {
        return;
    }
    found
        .at(element.tag_span(), "object without alternative text")
        .help("add `aria-label`, and describe the object in its content");
}

pub(super) fn redundant_alt(element: El<'_>, found: &mut Found<'_, '_>) {
    if element.tag != "img" || may_be_hidden(element) {
        return;
    }
    let (text, span, is_template) = match element.value("alt") {
        Some(Value::Static { text, span }) => (text, span, false),
        Some(Value::Dynamic { span }) => {
            let code = found.slice(span).trim_start_matches('{');
            let Some(template) = code.strip_prefix('`') else { return };
            let Some((template, _)) = template.rsplit_once('`') else { return };
            (template, span, true)
        }
        _ => return,
    };
    let shown = if is_template { text.split("${").next().unwrap_or_default() } else { text };
    if is_placeholder(shown, found.slice(span)) {
        found
            .at(span, "the text only repeats that this is an image, and where")
            .help("describe what the image shows, or use `alt=\"\"` if it conveys nothing");
        return;
    }
    // The text is the name of the button, such as one that inserts an image.
    let is_in_button = || {
        let is_button = |outer: El<'_>| role(outer).name() == Some("button");
        element.close_ancestors().any(is_button)
    };
    let is_redundant = match naming(text, is_template) {
        Some(Naming::Introduction) => true,
        Some(Naming::Other) => !is_in_button(),
        None => false,
    };
    if is_redundant {
        found
            .at(span, "screen readers already announce an image")
            .help("describe what the image shows");
    }
}

/// Whether the text names the place of an image on the page instead of what the image shows, such as
/// `Hero image` or `Gallery image 2`; `code` is the value as written.
fn is_placeholder(text: &str, code: &str) -> bool {
    // The rest of a template, which can only be a number.
    let mut parts = code.trim_start_matches(['{', '`']).splitn(2, "${");
    let is_number = |text: &str| text.bytes().all(|byte| byte.is_ascii_digit());
    if let (Some(_), Some(rest)) = (parts.next(), parts.next()) {
        let rest = rest.trim_end_matches(['`', '}']).trim();
        let is_index = rest.strip_suffix('1').is_some_and(|rest| rest.trim_end().ends_with('+'));
        if !is_index && !matches!(rest, "i" | "idx" | "index" | "n" | "number") {
            return false;
        }
    }
    let lower = text.trim().to_lowercase();
    let mut words = lower.split_whitespace().rev().skip_while(|word| is_number(word)).peekable();
    let is_image = words.next().is_some_and(|word| matches!(word, "image" | "photo" | "picture"));
    let places = include_str!("image_places.txt");
    let is_place = |word: &str| places.lines().any(|place| place == word);
    is_image && words.peek().is_some() && words.all(is_place)
}

pub(super) fn unnamed_image_role(element: El<'_>, found: &mut Found<'_, '_>) {
    if element.tag.is_empty() || matches!(element.tag, "img" | "area" | "input") {
        return;
    }
    let Role::Explicit(found_role @ ("img" | "graphics-document" | "graphics-symbol")) =
        role(element)
    else {
        return;
    };
    // Only a `<title>` directly in `<svg>` names it.
    let is_title = |child: &El<'_>| {
        child.name() == "title"
            && content(*child) != Name::Empty
            && (element.tag != "svg" || child.parent_el().is_some_and(|it| *it == *element))
    };
    let has_title = element
        .inner()
        .is_none_or(|inner| inner.iter().any(|child| is_title(child) || child.tag.is_empty()));
    let is_named = match element.tag {
        "svg" => has_title || attribute_name(element, &[]) != Name::Empty,
        _ => has_title || name(element) != Name::Empty && !has_only_text(element),
    };
    if is_named || may_be_hidden(element) || element.has_kind(AttributeKind::Content) {
        return;
    }
    if attribute_name(element, &[]) == Name::Empty {
        found
            .at(element.tag_span(), format!("an element with the role `{found_role}` has no name"))
            .help("add `aria-label`, or hide the image with `aria-hidden=\"true\"`");
    }
}

/// Whether the name of an element with the role `img` would come from its content, which browsers
/// ignore.
fn has_only_text(element: El<'_>) -> bool {
    attribute_name(element, &[]) == Name::Empty
}

pub(super) fn image_map_on_server(element: El<'_>, found: &mut Found<'_, '_>) {
    if matches!(element.tag, "img" | "input")
        && let Some(attribute) = element.attribute("ismap")
        && !matches!(attribute.value, Value::Absent | Value::Dynamic { .. })
    {
        found
            .at(
                attribute.span,
                "the server evaluates the position of the click, so a mouse is required",
            )
            .help("use links, or a map of `<area>` elements");
    }
}

/// Whether a `<video>` or `<audio>` is muted; `None` if this is unknown.
fn is_muted(element: El<'_>) -> Option<bool> {
    match element.value("muted") {
        Some(Value::Dynamic { .. }) => None,
        Some(Value::Absent) => Some(false),
        Some(value) => Some(value.text() != Some("false")),
        None if element.has_spread() => None,
        None => Some(false),
    }
}

pub(super) fn media_without_captions(element: El<'_>, found: &mut Found<'_, '_>) {
    if element.tag != "video" || is_muted(element) != Some(false) || may_be_hidden(element) {
        return;
    }
    // Without a source, a script shows a stream, such as the camera.
    let has_source = element.attribute("src").is_some()
        || element.document().language() == Language::Jsx && element.attribute("ref").is_none()
        || element.children().any(
            |node| matches!(node, aidd_markup::Node::Element(child) if child.name() == "source"),
        );
    let Some(inner) = element.inner() else { return };
    let may_be_captioned = inner.iter().any(|child| {
        let kind = child.text_of("kind");
        child.tag.is_empty()
            || child.tag == "track"
                && match child.value("kind") {
                    Some(value) if value.is_dynamic() => true,
                    // Without a value, a track contains subtitles.
                    _ => kind.is_some_and(|kind| kind.eq_ignore_ascii_case("captions")),
                }
            || child.has_spread()
    });
    let is_unknown = element
        .children()
        .any(|node| matches!(node, aidd_markup::Node::Block(block) if block.may_be_text));
    if has_source && !may_be_captioned && !is_unknown {
        found
            .at(element.tag_span(), "video without captions")
            .help("add `<track kind=\"captions\">`, or `muted` if the video has no sound");
    }
}

pub(super) fn autoplay(element: El<'_>, found: &mut Found<'_, '_>) {
    if !matches!(element.tag, "video" | "audio") || is_muted(element) != Some(false) {
        return;
    }
    let Some(attribute) = element.attribute("autoplay") else { return };
    let is_on = match attribute.value {
        Value::Empty => true,
        Value::Static { text, .. } => text != "false",
        Value::Absent | Value::Dynamic { .. } => false,
    };
    let has_source = element.attribute("src").is_some()
        || element.children().any(
            |node| matches!(node, aidd_markup::Node::Element(child) if child.name() == "source"),
        );
    if is_on && has_source && element.attribute("controls").is_none() {
        found
            .at(
                attribute.span,
                "sound starts without the user, and there are no controls to stop it",
            )
            .help("add `controls`, or `muted`");
    }
}

pub(super) fn title_on_decorative_image(element: El<'_>, found: &mut Found<'_, '_>) {
    let Some(attribute) = element.attribute("title") else { return };
    let is_decorative = match element.value("alt") {
        // In JSX, an attribute without value is `true`.
        Some(Value::Empty) => element.document().language() != Language::Jsx,
        Some(Value::Static { text, .. }) => text.is_empty(),
        _ => false,
    };
    let has_title = matches!(attribute.value, Value::Static { text, .. } if !is_blank(text));
    if element.tag == "img"
        && is_decorative
        && has_title
        && !element.has_spread()
        && !may_be_hidden(element)
    {
        found
            .at(attribute.span, "an image with an empty `alt` is decoration, but has a `title`")
            .help("move the text to `alt`, or delete `title`");
    }
}

pub(super) fn svg_without_focusable(element: El<'_>, found: &mut Found<'_, '_>) {
    let is_svg = element.name() == "svg" && element.is_native();
    if is_svg && element.attribute("focusable").is_none() && !element.has_spread() {
        let edit = Edit::insert(element.name_span().end, " focusable=\"false\"");
        found
            .at(element.tag_span(), "Internet Explorer lets the keyboard stop at `<svg>`")
            .fix("Add `focusable=\"false\"`", vec![edit]);
    }
}
