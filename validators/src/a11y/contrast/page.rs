//! The style sheets of a document, and the look of its elements.

use super::look::{Look, Setting, css_color};
use super::objects;
use super::sheet::{self, StyleSheet, StyleSheets};
use super::utilities::Utilities;
use crate::a11y::Found;
use crate::a11y::element::El;
use crate::cached::cached;
use aidd_engine::text::paths;
use aidd_markup::{AttributeKind, Document, Language, Node, Value};
use std::sync::Arc;

/// Maximum size of a style sheet that is read, in bytes.
const MAX_SIZE: u64 = 256 << 10;

/// Elements through which a color of text is inherited although other style sheets may exist.
const PLAIN: [&str; 26] = [
    "article",
    "b",
    "center",
    "dd",
    "div",
    "dl",
    "dt",
    "em",
    "figcaption",
    "figure",
    "font",
    "footer",
    "header",
    "i",
    "li",
    "main",
    "ol",
    "p",
    "section",
    "small",
    "span",
    "strong",
    "time",
    "u",
    "ul",
    "hgroup",
];

/// Elements through which a background shines although other style sheets may exist, in addition to
/// those.
const CLEAR: [&str; 10] = ["a", "form", "h1", "h2", "h3", "h4", "h5", "h6", "label", "nav"];

/// Elements whose colors browsers set.
const CONTROLS: [&str; 15] = [
    "button", "dialog", "iframe", "input", "mark", "meter", "object", "optgroup", "option",
    "progress", "select", "slot", "svg", "template", "textarea",
];

/// What is known about the style of a document.
pub(super) struct Page {
    sheet: StyleSheets,
    /// The file shows all style sheets, so that no other rule applies to the elements.
    pub(super) is_closed: bool,
    /// Tables do not inherit the color and the size of text.
    is_quirky: bool,
    is_script: bool,
    has_scoped_sheet: bool,
}

impl Page {
    pub(super) fn new(document: &Document<'_>, found: &Found<'_, '_>) -> Self {
        let language = document.language();
        let head: String =
            found.source_text().chars().take(1_000).collect::<String>().to_ascii_lowercase();
        let is_standard = head.contains("<!doctype html>") || head.contains("xhtml 1");
        let mut page = Self {
            sheet: StyleSheets::default(),
            is_closed: false,
            is_quirky: !is_standard,
            is_script: language == Language::Jsx,
            has_scoped_sheet: false,
        };
        match language {
            Language::Html => {
                page.is_closed = page.read_sheets(document, found).is_some();
                if !page.is_closed {
                    page.sheet = StyleSheets::default();
                }
            }
            Language::Svelte | Language::Astro => {
                page.has_scoped_sheet = page.read_scoped(document, found).is_some();
                if !page.has_scoped_sheet {
                    page.sheet = StyleSheets::default();
                }
            }
            Language::Jsx | Language::Vue | Language::Angular => {}
        }
        page
    }

    /// Reads all style sheets of a page of HTML; `None` if some are unknown.
    fn read_sheets(&mut self, document: &Document<'_>, found: &Found<'_, '_>) -> Option<()> {
        let mut has_root = false;
        for element in document.elements() {
            let text_of = |name: &str| element.value(name).map(|value| value.text().map(str::trim));
            match element.name() {
                "html" => has_root = true,
                // A template can add style sheets.
                "head" if element.children().any(|node| matches!(node, Node::Block(_))) => {
                    return None;
                }
                "base" => return None,
                "link" => {
                    let Some(rel) = text_of("rel") else { continue };
                    let rel = rel?.to_ascii_lowercase();
                    // Others apply only if the user chooses them, or when the page is printed.
                    let media = text_of("media").flatten().unwrap_or("all");
                    let is_other = rel.contains("alternate") || media == "print";
                    let is_sheet = rel.split_ascii_whitespace().any(|it| it == "stylesheet");
                    if is_other {
                        continue;
                    }
                    if !matches!(media, "all" | "screen") {
                        return None;
                    }
                    if is_sheet || rel == "preload" && text_of("as") == Some(Some("style")) {
                        self.read_linked(text_of("href")??, found)?;
                    }
                }
                "script" => {
                    let source = match text_of("src") {
                        Some(source) => source?.to_ascii_lowercase(),
                        None => {
                            if found.slice(element.span()).contains("setProperty(") {
                                self.sheet.forget_variables();
                            }
                            continue;
                        }
                    };
                    // A bundle or a generator of styles.
                    let is_generator = ["tailwind", "unocss", "twind", "/src/"]
                        .iter()
                        .any(|it| source.contains(it));
                    if is_generator || text_of("type") == Some(Some("module")) {
                        return None;
                    }
                }
                "style" => self.read_element(El::new(element), found)?,
                _ => {}
            }
        }
        if self.sheet.has_scheme() || !has_root {
            return None;
        }
        Some(())
    }

    fn read_linked(&mut self, href: &str, found: &Found<'_, '_>) -> Option<()> {
        // These contain only fonts.
        let fonts = ["//fonts.googleapis.com/", "//fonts.bunny.net/", "//use.typekit.net/"];
        if fonts.iter().any(|host| href.contains(host)) {
            return Some(());
        }
        if href.contains(':') || href.starts_with("//") {
            return None;
        }
        let href = href.split(['?', '#']).next().unwrap_or(href);
        let directory = if href.starts_with('/') { "" } else { paths::parent_dir(found.path()) };
        let path = paths::join(directory, href)?;
        let part = cached(found.files, &format!("style sheet {path}"), || {
            let size = found.files.size(&path).ok().filter(|size| *size <= MAX_SIZE)?;
            let bytes = found.files.read(&path, size).ok()?;
            StyleSheet::read(str::from_utf8(&bytes).ok()?).map(Arc::new)
        });
        self.sheet.add(Option::clone(&part)?)
    }

    fn read_element(&mut self, style: El<'_>, found: &Found<'_, '_>) -> Option<()> {
        if style.has_spread()
            || style.attribute("lang").is_some()
            || style.attribute("media").is_some()
        {
            return None;
        }
        let text = found.slice(style.span());
        let text = text.get(style.tag_span().len()..)?;
        let text = &text[..text.rfind("</")?];
        // Statements of a template.
        if ["{{", "{%", "<%", "<?", "${", "@{"].iter().any(|it| text.contains(it)) {
            return None;
        }
        let text = text.trim().trim_start_matches("<!--").trim_end_matches("-->");
        self.sheet.add(Arc::new(StyleSheet::read(text)?))
    }

    fn read_scoped(&mut self, document: &Document<'_>, found: &Found<'_, '_>) -> Option<()> {
        let styles = document.elements().filter(|element| element.name() == "style");
        let mut has_any = false;
        for style in styles {
            self.read_element(El::new(style), found)?;
            has_any = true;
        }
        has_any.then_some(())
    }

    /// Marks the custom properties that an attribute sets as unknown.
    pub(super) fn forget_inline_variables(&mut self, document: &Document<'_>) {
        for element in document.elements() {
            let Some(Value::Static { text, .. }) = element.value("style") else { continue };
            for part in text.split(';').filter_map(|part| part.split_once(':')) {
                if part.0.trim().starts_with("--") {
                    self.sheet.forget_variable(part.0.trim());
                }
            }
        }
    }

    /// What an element sets, and what it sets in dark mode.
    pub(super) fn look(&self, element: El<'_>) -> (Look, Look) {
        if !element.is_native() || element.has_spread() {
            return (Look::unknown(), Look::default());
        }
        let (mut look, mut dark, mut has_other) = (Look::default(), Look::default(), false);
        let mut own = Vec::new();
        for attribute in element.attributes() {
            let name = &*attribute.name;
            let is_plain = attribute.kind == AttributeKind::Plain;
            match (name, attribute.value) {
                // The style sheets of the page decide.
                ("class", Value::Static { .. }) if is_plain && self.is_closed => {}
                ("class", Value::Static { text, .. }) if is_plain => {
                    let read = Utilities::read(text, |class| self.sheet.has_class(class));
                    (look, dark, has_other) = (read.look, read.dark, read.has_other);
                }
                ("style", Value::Static { text, .. }) if is_plain => match sheet::inline(text) {
                    Some(found) => own.extend(found),
                    None => return (Look::unknown(), dark),
                },
                ("style", Value::Dynamic { span }) if is_plain => {
                    // In templates of other languages, such a value is a statement.
                    let language = element.document().language();
                    let is_object = matches!(language, Language::Jsx | Language::Vue);
                    let code = element.document().slice(span);
                    match objects::declarations(code).filter(|_| is_object) {
                        Some(found) => own.extend(found),
                        None => return (Look::unknown(), dark),
                    }
                }
                ("class" | "style", Value::Empty | Value::Absent) => {}
                ("hidden" | "inert", _) => look.is_hidden = true,
                ("disabled" | "aria-disabled", _) => look.is_inactive = true,
                _ if name.starts_with("data-") => {}
                _ if name.contains("class") || name.contains("style") => {
                    return (Look::unknown(), dark);
                }
                _ => {}
            }
        }
        // An attribute overrides the classes of both modes.
        if own.iter().any(|(property, _)| property == "color") {
            dark.text = Setting::Unset;
        }
        if own.iter().any(|(property, _)| property.starts_with("background")) {
            dark.background = Setting::Unset;
        }
        presentation(element, &mut look);
        self.sheet.apply(element, &own, &mut look);
        let may_have_rule =
            !self.is_script && !self.has_scoped_sheet && element.attribute("id").is_some();
        if has_other || !self.is_closed && may_have_rule {
            look.forget_unset();
        }
        self.apply_defaults(element, &mut look);
        (look, dark)
    }

    /// Sets what browsers set for elements of this name, or what other style sheets may.
    fn apply_defaults(&self, element: El<'_>, look: &mut Look) {
        let tag = element.tag;
        let is_control = CONTROLS.contains(&tag) || element.is_foreign();
        let is_plain = self.is_closed || PLAIN.contains(&tag);
        let is_reset = self.is_quirky && tag == "table";
        if look.text == Setting::Unset {
            look.text = unset(is_control || is_reset || tag == "a" || !is_plain);
        }
        if look.background == Setting::Unset {
            look.background = unset(is_control || !is_plain && !CLEAR.contains(&tag));
        }
        let is_sized = matches!(
            tag,
            "big"
                | "code"
                | "h1"
                | "h2"
                | "h3"
                | "h4"
                | "h5"
                | "h6"
                | "kbd"
                | "pre"
                | "samp"
                | "small"
                | "sub"
                | "sup"
                | "tt"
        );
        if look.size == Setting::Unset {
            look.size = unset(is_control || is_sized || is_reset);
        }
        if look.is_bold == Setting::Unset && matches!(tag, "b" | "strong" | "th") {
            look.is_bold = Setting::Known(true);
        } else if look.is_bold == Setting::Unset {
            look.is_bold = unset(is_sized || is_control);
        }
    }
}

/// The setting of an element that sets nothing itself.
fn unset<T>(is_unknown: bool) -> Setting<T> {
    if is_unknown { Setting::Unknown } else { Setting::Unset }
}

/// Applies the attributes of HTML that set colors.
fn presentation(element: El<'_>, look: &mut Look) {
    let color = |name: &str| {
        element.value(name).map(|value| Setting::from_known(value.text().and_then(css_color)))
    };
    match element.tag {
        "body" | "table" | "tbody" | "tfoot" | "thead" | "tr" | "td" | "th" => {
            look.background = color("bgcolor").unwrap_or(look.background);
            look.has_image |= element.attribute("background").is_some();
            if element.tag == "body" {
                look.text = color("text").unwrap_or(look.text);
            }
        }
        "font" => {
            look.text = color("color").unwrap_or(look.text);
            if element.attribute("size").is_some() {
                look.size = Setting::Unknown;
            }
        }
        _ => {}
    }
}
