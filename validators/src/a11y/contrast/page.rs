//! The style sheets of a document, and the look of its elements.

use super::look::{Look, Setting, css_color};
use super::objects;
use super::selector::Classes;
use super::sheet::{self, StyleSheet, StyleSheets};
use super::utilities::Utilities;
use crate::a11y::Found;
use crate::a11y::components::project_file;
use crate::a11y::element::El;
use crate::cached::cached;
use aidd_engine::text::paths;
use aidd_markup::{AttributeKind, Document, Element, Language, Node, Value};
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
    /// The page has other default colors in dark mode.
    pub(super) has_dark_defaults: bool,
    classes: Classes,
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
            has_dark_defaults: false,
            classes: Classes::default(),
        };
        match language {
            Language::Html => {
                page.is_closed = page.read_sheets(document, found).is_some();
                if !page.is_closed {
                    page.sheet = StyleSheets::default();
                }
            }
            _ => {
                let read = match language {
                    Language::Vue => page.read_blocks(found),
                    Language::Jsx => page.read_imported(document, found),
                    Language::Angular => page.read_sibling(found),
                    _ => page.read_scoped(document, found),
                };
                page.has_scoped_sheet = read.is_some();
                if !page.has_scoped_sheet {
                    page.sheet = StyleSheets::default();
                    page.classes = Classes::default();
                } else if matches!(language, Language::Vue | Language::Jsx | Language::Angular) {
                    // Themes of the project set them.
                    page.sheet.forget_variables();
                }
            }
        }
        page.classes.is_closed = page.is_closed;
        [_, page.has_dark_defaults] = page.sheet.has_other_defaults();
        page
    }

    /// Reads all style sheets of a page of HTML; `None` if some are unknown.
    fn read_sheets(&mut self, document: &Document<'_>, found: &Found<'_, '_>) -> Option<()> {
        let mut has_root = false;
        for element in document.elements() {
            let text_of = |name: &str| element.value(name).map(|value| value.text().map(str::trim));
            match element.name() {
                "html" => has_root = true,
                // A template or a build can add style sheets.
                "head" if has_placeholder(element) => return None,
                "base" => return None,
                "meta" if text_of("name") == Some(Some("color-scheme")) => {
                    self.sheet
                        .add(Arc::new(StyleSheet::from_color_scheme(text_of("content")??)))?;
                }
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
        let [has_other_defaults, _] = self.sheet.has_other_defaults();
        (has_root && !has_other_defaults).then_some(())
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
        self.read_file(&paths::join(directory, href)?, "", found)
    }

    /// Reads a style sheet of the project, whose classes get the prefix `module`.
    fn read_file(&mut self, path: &str, module: &str, found: &Found<'_, '_>) -> Option<()> {
        let part = cached(found.files, &format!("style sheet {module}{path}"), || {
            let size = found.files.size(path).ok().filter(|size| *size <= MAX_SIZE)?;
            let bytes = found.files.read(path, size).ok()?;
            StyleSheet::read(str::from_utf8(&bytes).ok()?, module).map(Arc::new)
        });
        self.sheet.add(Option::clone(&part)?)
    }

    fn read_element(&mut self, style: El<'_>, found: &Found<'_, '_>) -> Option<()> {
        let lang = style.value("lang").map(|lang| lang.text().unwrap_or_default());
        if style.has_spread()
            || lang.is_some_and(|lang| !matches!(lang, "css" | "postcss" | "scss"))
            || style.attribute("media").is_some()
            // The names of its classes are others.
            || style.attribute("module").is_some()
        {
            return None;
        }
        if let Some(source) = style.value("src") {
            return self.read_linked(source.text()?, found);
        }
        let text = style.document().slice(style.span());
        let text = text.get(style.tag_span().len()..)?;
        let text = &text[..text.rfind("</")?];
        // Statements of a template.
        if ["{{", "{%", "<%", "<?", "${", "@{"].iter().any(|it| text.contains(it)) {
            return None;
        }
        let text = text.trim().trim_start_matches("<!--").trim_end_matches("-->");
        self.sheet.add(Arc::new(StyleSheet::read(text, "")?))
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

    /// Reads the blocks `<style>` of a component of Vue; `None` if it has none, or unknown ones.
    fn read_blocks(&mut self, found: &Found<'_, '_>) -> Option<()> {
        let mut rest = found.source_text();
        let mut has_any = false;
        // These blocks are at the start of a line.
        while let Some(start) = rest.find("\n<style") {
            let (block, after) = rest[start + 1..].split_once("</style")?;
            let block = format!("{block}</style>");
            let document = Document::parse(&block, Language::Html);
            let style = document.elements().find(|element| element.name() == "style")?;
            self.read_element(El::new(style), found)?;
            has_any = true;
            rest = after;
        }
        has_any.then_some(())
    }

    /// Reads the style sheets that a script imports; `None` if it imports none, or unknown ones.
    fn read_imported(&mut self, document: &Document<'_>, found: &Found<'_, '_>) -> Option<()> {
        let dir = paths::parent_dir(found.path());
        let mut modules: Vec<(&str, String)> = Vec::new();
        let mut has_any = false;
        for (local, module) in document.imports() {
            let is_sheet = [".css", ".scss", ".sass", ".less", ".styl"]
                .iter()
                .any(|extension| module.ends_with(extension));
            if !is_sheet {
                continue;
            }
            // Style sheets of packages have classes of their own.
            let Some(path) = project_file(found.files, dir, module) else {
                if local.is_empty() && !module.starts_with(['.', '@', '~']) {
                    continue;
                }
                return None;
            };
            let prefix = if local.is_empty() { String::new() } else { format!("{path}:") };
            self.read_file(&path, &prefix, found)?;
            if !local.is_empty() {
                modules.push((local, prefix));
            }
            has_any = true;
        }
        if !modules.is_empty() {
            for element in document.elements() {
                if let Some(Value::Dynamic { span }) = element.value("class")
                    && let Some(names) = objects::class_names(document.slice(span), &modules)
                {
                    self.classes.computed.insert(element.id(), names);
                }
            }
        }
        has_any.then_some(())
    }

    /// Reads the style sheet of a component of Angular; `None` if it is unknown.
    fn read_sibling(&mut self, found: &Found<'_, '_>) -> Option<()> {
        let stem = found.path().strip_suffix(".html")?;
        let paths = [".css", ".scss"].map(|extension| format!("{stem}{extension}"));
        let path = paths.iter().find(|path| found.files.exists(path))?;
        self.read_file(path, "", found)
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
                ("class", Value::Dynamic { .. })
                    if is_plain && self.classes.computed.contains_key(&element.id()) =>
                {
                    let names = self.classes.names(element).filter(|name| !name.contains(':'));
                    let names: Vec<&str> = names.collect();
                    let read =
                        Utilities::read(&names.join(" "), |class| self.sheet.has_class(class));
                    (look, dark, has_other) = (read.look, read.dark, read.has_other);
                }
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
        let may_have_rule =
            !self.is_script && !self.has_scoped_sheet && element.attribute("id").is_some();
        let finish = |mut look: Look, is_dark: bool| {
            self.sheet.apply(element, &own, &self.classes, is_dark, &mut look);
            if has_other || !self.is_closed && may_have_rule {
                look.forget_unset();
            }
            self.apply_defaults(element, &mut look);
            look
        };
        let mut light = finish(look.clone(), false);
        if self.sheet.has_schemes() {
            light.add_dark(&finish(look, true), &mut dark);
        }
        (light, dark)
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

/// Whether something can be inserted into an element: by a statement, or at a text or a comment of one
/// word, such as `%head%` and `<!--app-head-->`.
fn has_placeholder(element: Element<'_>) -> bool {
    let is_inserted = |node: Node<'_>| match node {
        Node::Block(_) => true,
        Node::Text(text, _) => !text.trim().is_empty(),
        _ => false,
    };
    let source = element.document().slice(element.span());
    let mut comments = source.split("<!--").skip(1).filter_map(|it| it.split("-->").next());
    let is_word = |text: &str| !text.trim().is_empty() && !text.trim().contains([' ', '\n']);
    element.children().any(is_inserted) || comments.any(is_word)
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
