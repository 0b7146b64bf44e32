//! Rules on elements: images, scripts, fonts and lists, in all languages of the element model.

use super::blocking;
use aidd_engine::rules::rule::Report;
use aidd_engine::text::files::Files;
use aidd_engine::text::finding::{Edit, Finding};
use aidd_engine::text::source::Span;
use aidd_markup::{AttributeKind, Document, Element, Language, Value};

/// The rules on elements.
pub(super) const RULES: &[&str] = &[
    "perf/blocking-script",
    "perf/contradictory-priority",
    "perf/font-display",
    "perf/font-preconnect",
    "perf/incomplete-preload",
    "perf/unkeyed-list",
    "perf/unsized-image",
    "perf/untracked-list",
    "perf/v-if-with-v-for",
];

/// Maximum length in bytes of a style sheet that is searched for names of elements.
const MAX_STYLES: usize = 16 << 10;

/// Runs the rules on the elements of a file.
pub(super) fn check(
    document: &Document<'_>,
    text: &str,
    files: &dyn Files,
    report: &mut Report<'_>,
) {
    let is_tuned = !is_mail(report.source().path()) && !is_drawn_by_tool(document);
    if is_tuned {
        blocking::check(document, files, report);
    }
    // The first style sheet in the file, and all that follows.
    let styled = memchr::memmem::find(text.as_bytes(), b"<style").map_or("", |at| &text[at..]);
    let styled = &styled[..styled.floor_char_boundary(MAX_STYLES)];
    let mut first_font = None;
    let mut is_preconnected = false;
    for element in document.elements() {
        match element.name() {
            "img" => {
                check_size(element, styled, report);
                check_priority(element, report);
            }
            "iframe" => check_size(element, styled, report),
            "link" => {
                let target = element.value("href").and_then(Value::text).unwrap_or_default();
                is_preconnected |= target.contains("fonts.gstatic.com");
                if target.contains("fonts.googleapis.com/css") && rel_of(element) == "stylesheet" {
                    first_font.get_or_insert(element);
                }
                check_link(element, is_tuned, report);
            }
            _ => {}
        }
        check_lists(element, text, report);
    }
    let has_head = document.elements().any(|element| element.name() == "head");
    if let Some(font) = first_font
        && is_tuned
        && !is_preconnected
        && has_head
        && document.language() != Language::Jsx
    {
        let message =
            "the connection to `fonts.gstatic.com` is opened only after the style sheet has loaded";
        if let Some(finding) = at(report, "perf/font-preconnect", font.tag_span(), message) {
            let start = font.tag_span().start as usize;
            let line = text[..start].rfind('\n').map_or(0, |at| at + 1);
            let indent = &text[line..start];
            let indent = if indent.trim().is_empty() { indent } else { "" };
            let link = "<link rel=\"preconnect\" href=\"https://fonts.gstatic.com\" crossorigin>";
            let edit = Edit::insert(font.tag_span().start, format!("{link}\n{indent}"));
            finding.help(format!("Add `{link}` before it.")).fix("Add the connection", vec![edit]);
        }
    }
}

/// Whether the words of a path say that the file is the template of an e-mail.
pub(super) fn is_mail(path: &str) -> bool {
    const MAIL: [&str; 7] = ["email", "emails", "mail", "mails", "mailer", "mailers", "newsletter"];
    path.split(|c: char| !c.is_ascii_alphanumeric())
        .any(|word| MAIL.iter().any(|mail| word.eq_ignore_ascii_case(mail)))
}

/// Whether a tool draws the page with its own script: documentation by ReDoc, Flutter on a canvas.
fn is_drawn_by_tool(document: &Document<'_>) -> bool {
    const TOOLS: [&str; 4] = ["redoc", "Redoc.", "flutter", "main.dart.js"];
    document.elements().any(|element| {
        let is_script = element.name() == "script";
        element.name() == "redoc"
            || is_script && TOOLS.iter().any(|tool| document.slice(element.span()).contains(tool))
    })
}

pub(super) fn at<'r>(
    report: &'r mut Report<'_>,
    rule: &str,
    span: Span,
    message: impl Into<String>,
) -> Option<&'r mut Finding> {
    super::report_at(report, rule, span, message)
}

fn rel_of<'d>(element: Element<'d>) -> &'d str {
    element.value("rel").and_then(Value::text).unwrap_or_default()
}

pub(super) fn has(element: Element<'_>, name: &str) -> bool {
    element.attribute(name).is_some()
}

/// Whether an attribute exists whose value the style sheets of the project can refer to.
fn can_be_styled(element: Element<'_>) -> bool {
    ["class", "id", "style", "hidden", "part"].iter().any(|name| has(element, name))
        || element.has_spread()
        || element.has_kind(AttributeKind::Directive)
}

/// Reports an image without dimensions, unless a style sheet can set its size.
fn check_size(element: Element<'_>, styled: &str, report: &mut Report<'_>) {
    let has_source = ["src", "srcset"].iter().any(|name| has(element, name));
    let is_sized = has(element, "width") && has(element, "height");
    // With JSX, styles come from anywhere.
    let is_document = element.document().language() != Language::Jsx;
    let parent_is_styled = element.ancestors().take(4).any(|parent| {
        can_be_styled(parent) && parent.name() != "body" && parent.name() != "html"
            || !parent.is_native()
            || parent.name() == "picture"
    });
    let is_tracker = |name: &str| {
        let value = element.value(name).and_then(Value::text);
        matches!(value, Some("0" | "1"))
    };
    if !is_document
        || !has_source
        || is_sized
        || can_be_styled(element)
        || parent_is_styled
        || is_tracker("width")
        || is_tracker("height")
        || styled.contains(element.name())
    {
        return;
    }
    let message = if element.name() == "img" {
        "image without dimensions"
    } else {
        "frame without dimensions"
    };
    if let Some(finding) = at(report, "perf/unsized-image", element.tag_span(), message) {
        finding.help("Set `width` and `height`, or an `aspect-ratio`.");
    }
}

/// Reports an image that is loaded late and with priority.
fn check_priority(element: Element<'_>, report: &mut Report<'_>) {
    let value = |name: &str| element.value(name).and_then(Value::text);
    let is_late = value("loading").is_some_and(|value| value.eq_ignore_ascii_case("lazy"));
    let is_first = value("fetchpriority").is_some_and(|value| value.eq_ignore_ascii_case("high"));
    if is_late && is_first {
        let message =
            "`loading=\"lazy\"` delays an image that `fetchpriority=\"high\"` marks as urgent";
        if let Some(finding) =
            at(report, "perf/contradictory-priority", element.tag_span(), message)
        {
            finding.help(
                "Remove `loading` for an image at the top of the page, `fetchpriority` for others.",
            );
        }
    }
}

/// Settings with which a text is visible before its font has loaded.
const DISPLAYS: [&str; 3] = ["display=swap", "display=fallback", "display=optional"];

/// Families of Google Fonts that contain icons.
const ICONS: [&str; 2] = ["Material+Icons", "Material+Symbols"];

/// Checks a link. `is_tuned`: whether somebody cares how fast the text of the page appears.
fn check_link(element: Element<'_>, is_tuned: bool, report: &mut Report<'_>) {
    let rel = rel_of(element);
    if element.has_spread() || !element.is_native() {
        return;
    }
    let is_jsx = element.document().language() == Language::Jsx;
    let cors = if is_jsx { "crossOrigin=\"anonymous\"" } else { "crossorigin" };
    if let Some(Value::Static { text, span }) = element.value("href")
        && rel == "stylesheet"
        && is_tuned
        && text.contains("fonts.googleapis.com/css")
        && !DISPLAYS.iter().any(|display| text.contains(display))
        // Another font would show the names of the icons.
        && !ICONS.iter().any(|family| text.contains(family))
    {
        let place = element.tag_span();
        if let Some(finding) = at(report, "perf/font-display", place, super::FONT_DISPLAY) {
            finding.help("Add `&display=swap` to the address.");
            let (title, edits) = ("Set `display=swap`", vec![swap_display(text, span)]);
            // Somebody can have chosen another value on purpose.
            if text.contains("display=") {
                finding.fix_unsafe(title, edits);
            } else {
                finding.fix(title, edits);
            }
        }
    }
    if is_tuned && (rel.is_empty() || rel == "preload") {
        let target = element.value("href").and_then(Value::text).unwrap_or_default();
        if target.trim_end_matches('/') == "https://fonts.gstatic.com" {
            let message = "the address of a server is not a file: without `rel=\"preconnect\"`, the link does nothing";
            let place = element.tag_span();
            let crossorigin = has(element, "crossorigin");
            let cors = if crossorigin { String::new() } else { format!(" {cors}") };
            if let Some(finding) = at(report, "perf/font-preconnect", place, message) {
                finding.help("Set `rel=\"preconnect\"`.");
                let name_end = element.name_span().end;
                let edits = match element.value("rel") {
                    Some(Value::Static { span, .. }) => {
                        vec![Edit::insert(name_end, cors), Edit::replace(span, "preconnect")]
                    }
                    None => vec![Edit::insert(name_end, format!(" rel=\"preconnect\"{cors}"))],
                    Some(_) => return,
                };
                finding.fix("Set `rel=\"preconnect\"`", edits);
            }
            return;
        }
    }
    if rel != "preload" {
        return;
    }
    let kind = element.value("as");
    if kind.is_none() {
        let message = "preload without `as`: the browser does not load the file in advance";
        if let Some(finding) = at(report, "perf/incomplete-preload", element.tag_span(), message) {
            finding.help("Add `as` with the kind of the file, such as `as=\"font\"`.");
            let target = element.value("href").and_then(Value::text).unwrap_or_default();
            if let Some(kind) = kind_of_file(target) {
                let is_missing = kind == "font" && !has(element, "crossorigin");
                let cors = if is_missing { format!(" {cors}") } else { String::new() };
                let edit = Edit::insert(element.name_span().end, format!(" as=\"{kind}\"{cors}"));
                finding.fix(format!("Add `as=\"{kind}\"`"), vec![edit]);
            }
        }
    } else if kind.and_then(Value::text) == Some("font") && !has(element, "crossorigin") {
        let message = "preload of a font without `crossorigin`: the browser loads the font twice";
        let end = element.name_span().end;
        if let Some(finding) = at(report, "perf/incomplete-preload", element.tag_span(), message) {
            finding
                .help(format!("Add `{cors}`, also for a font of the same server."))
                .fix("Add `crossorigin`", vec![Edit::insert(end, format!(" {cors}"))]);
        }
    }
}

/// The kind of a file that is loaded in advance, from the extension in its address.
fn kind_of_file(address: &str) -> Option<&'static str> {
    let address = address.split(['?', '#']).next().unwrap_or(address);
    let name = address.rsplit('/').next().unwrap_or(address);
    Some(match name.rsplit_once('.')?.1 {
        "woff2" | "woff" | "ttf" | "otf" => "font",
        "css" => "style",
        "js" => "script",
        "avif" | "gif" | "jpeg" | "jpg" | "png" | "svg" | "webp" => "image",
        _ => return None,
    })
}

/// Calls that return another value each time.
const RANDOM: [&str; 3] = ["Math.random()", "Date.now()", "crypto.randomUUID()"];

/// Reports a key that differs after each render.
fn check_vue_key(element: Element<'_>, text: &str, report: &mut Report<'_>) {
    let Some(Value::Dynamic { span }) = element.value("key") else { return };
    let expression = text.get(span.range()).unwrap_or_default().trim();
    let Some(call) = RANDOM.iter().find(|call| expression.starts_with(*call)) else { return };
    let message = format!(
        "`{call}` returns another key on each render: Vue creates the element again, without its state"
    );
    if let Some(finding) = at(report, "perf/random-key", span, message) {
        finding.help("Use a property that identifies the item.");
    }
}

/// The edit that sets `display=swap` in the address of a font.
fn swap_display(address: &str, span: Span) -> Edit {
    let Some(at) = address.find("display=") else {
        return Edit::insert(span.end, "&display=swap");
    };
    let start = at + "display=".len();
    let length = address[start..].find('&').unwrap_or(address.len() - start);
    let start = span.start as usize + start;
    Edit::replace(Span::new(start, start + length), "swap")
}

/// Checks the directives that repeat an element.
fn check_lists(element: Element<'_>, text: &str, report: &mut Report<'_>) {
    let directive = |name: &str| {
        element
            .attributes()
            .iter()
            .find(|it| it.kind == AttributeKind::Directive && it.name == name)
    };
    match element.document().language() {
        Language::Vue => {
            check_vue_key(element, text, report);
            let Some(list) = directive("v-for") else { return };
            if let Some(condition) = directive("v-if") {
                let message = "`v-if` on an element with `v-for`: Vue evaluates it before the loop";
                let place = condition.span;
                if let Some(finding) = at(report, "perf/v-if-with-v-for", place, message) {
                    finding
                        .help("Filter the list in a computed property, or put `v-for` on a `<template>` around the element.")
                        .related(list.span, "the loop");
                }
            }
            let is_keyed = has(element, "key")
                || element.has_spread()
                || element.name() == "template"
                    && element.descendants().take(64).any(|inner| has(inner, "key"))
                || element.name() == "slot";
            // A range such as `n in 5` never changes.
            let is_range = text.get(list.span.range()).is_some_and(|text| {
                let end = text.trim_end_matches(['"', '\'']).rsplit(' ').next();
                end.is_some_and(|end| end.bytes().all(|byte| byte.is_ascii_digit()))
            });
            if !is_keyed && !is_range {
                let message = "list without keys: Vue changes all elements after one that moves";
                if let Some(finding) = at(report, "perf/unkeyed-list", list.span, message) {
                    finding.help("Add `:key` with a property that identifies the item.");
                }
            }
        }
        Language::Angular => {
            let Some(list) = directive("*ngFor") else { return };
            let is_tracked =
                text.get(list.span.range()).is_some_and(|text| text.contains("trackBy"));
            if !is_tracked {
                let message = "list without `trackBy`: new objects replace all elements";
                if let Some(finding) = at(report, "perf/untracked-list", list.span, message) {
                    finding.help("Use `@for (item of items; track item.id)`, or add `trackBy`.");
                }
            }
        }
        _ => {}
    }
}
