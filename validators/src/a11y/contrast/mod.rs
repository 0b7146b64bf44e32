//! A rule on the contrast of a text to its background, as far as the source shows both: in
//! attributes, in style sheets of the page, and in utility classes of Tailwind CSS.

mod look;
mod objects;
mod page;
mod selector;
mod sheet;
#[cfg(test)]
mod tests;
mod theme;
mod utilities;

use super::Found;
use super::element::El;
use super::names::{Name, content, may_be_hidden};
use crate::tokens::color::contrast;
use aidd_engine::text::source::Span;
use aidd_markup::{AttributeKind, Document, Language, Node, Value};
use look::{Look, Paint, Setting, Size, is_opaque, over};
use page::Page;
pub(super) use sheet::inline as inline_style;
use std::collections::{HashMap, HashSet};

/// The contrast that a level of WCAG requires of large text, and of other text.
struct Level {
    large: f64,
    other: f64,
    /// The level whose rule reports what is even lower.
    below: Option<&'static Level>,
    /// Only backgrounds that an element sets are compared, not that of browsers.
    needs_background: bool,
}

const AA: Level = Level { large: 3.0, other: 4.5, below: None, needs_background: false };
const AAA: Level = Level { large: 4.5, other: 7.0, below: Some(&AA), needs_background: true };

/// The size in pixels from which text is large, and that from which bold text is.
const LARGE_SIZE: f64 = 24.0;
const LARGE_BOLD_SIZE: f64 = 18.66;

/// The size of text in pixels if nothing sets it.
const DEFAULT_SIZE: f64 = 16.0;

/// A color in effect, and the element that sets it; `None` if browsers do.
#[derive(Clone, Copy, PartialEq)]
struct Origin {
    paint: Paint,
    setter: Option<u32>,
    /// For a background through which another one shines, the element that sets this other one.
    base: Option<u32>,
    /// It applies only in dark mode.
    is_dark: bool,
}

/// The colors of an element in a mode.
#[derive(Clone, Copy)]
struct Colors {
    text: Setting<Origin>,
    background: Setting<Origin>,
}

/// What applies to the text in an element.
#[derive(Clone)]
struct State {
    light: Colors,
    dark: Colors,
    size: Setting<f64>,
    is_bold: Setting<bool>,
    is_excluded: bool,
    /// The closest element around in which other elements can lie behind the text.
    cover: Option<u32>,
}

impl State {
    /// What applies outside of the elements of a document.
    fn root(is_closed: bool, has_dark_defaults: bool) -> Self {
        let browser = |paint| {
            let origin = Origin { paint: [paint; 2], setter: None, base: None, is_dark: false };
            if is_closed { Setting::Known(origin) } else { Setting::Unknown }
        };
        let light = Colors { text: browser([0, 0, 0, 255]), background: browser([255; 4]) };
        let unknown = Colors { text: Setting::Unknown, background: Setting::Unknown };
        let known = |value| if is_closed { Setting::Known(value) } else { Setting::Unknown };
        let is_bold = if is_closed { Setting::Known(false) } else { Setting::Unknown };
        Self {
            light,
            dark: if has_dark_defaults { unknown } else { light },
            size: known(DEFAULT_SIZE),
            is_bold,
            is_excluded: false,
            cover: None,
        }
    }

    /// What applies inside of an element that has this look.
    fn inside(&self, element: El<'_>, look: &Look, dark: &Look, is_cover: bool) -> Self {
        let id = element.id();
        let origin = |setting: Setting<Paint>, is_dark: bool| match setting {
            Setting::Known(paint) => {
                Setting::Known(Origin { paint, setter: Some(id), base: Some(id), is_dark })
            }
            Setting::Unset => Setting::Unset,
            Setting::Unknown => Setting::Unknown,
        };
        let is_moved = look.is_overlay;
        let inner = |outer: Colors, own: Colors, has_image: bool| Colors {
            text: or(own.text, outer.text),
            background: match own.background {
                _ if has_image || look.has_layer => Setting::Unknown,
                Setting::Unset if is_moved => Setting::Unknown,
                Setting::Known(own) if !is_opaque(own.paint) => match outer.background {
                    Setting::Known(below) if !is_moved => Setting::Known(Origin {
                        paint: over(own.paint, below.paint),
                        base: below.base,
                        is_dark: own.is_dark || below.is_dark,
                        ..own
                    }),
                    _ => Setting::Unknown,
                },
                own => or(own, outer.background),
            },
        };
        let light =
            Colors { text: origin(look.text, false), background: origin(look.background, false) };
        let in_dark = Colors {
            text: or(origin(dark.text, true), light.text),
            background: or(origin(dark.background, true), light.background),
        };
        Self {
            light: inner(self.light, light, look.has_image),
            dark: inner(self.dark, in_dark, look.has_image || dark.has_image),
            size: match look.size {
                Setting::Unset => self.size,
                Setting::Unknown => Setting::Unknown,
                Setting::Known(Size::Pixels(pixels)) => Setting::Known(pixels),
                Setting::Known(Size::Root(factor)) => Setting::Known(factor * DEFAULT_SIZE),
                Setting::Known(Size::Outer(factor)) => match self.size {
                    Setting::Known(size) => Setting::Known(size * factor),
                    other => other,
                },
            },
            is_bold: or(look.is_bold, self.is_bold),
            is_excluded: self.is_excluded
                || look.is_veiled
                || dark.is_veiled
                || look.is_hidden
                || look.is_inactive,
            cover: if is_cover { Some(id) } else { self.cover },
        }
    }

    /// The contrast that the level requires of the text.
    fn required(&self, level: &Level) -> f64 {
        let Setting::Known(size) = self.size else { return level.large };
        let is_large =
            size >= LARGE_SIZE || size >= LARGE_BOLD_SIZE && self.is_bold != Setting::Known(false);
        if is_large { level.large } else { level.other }
    }

    /// Whether another element can lie between the text and the background that an element sets. The
    /// ids of elements grow from the outside to the inside.
    fn is_covered(&self, background: Origin, covers_root: bool) -> bool {
        match background.base {
            None => self.cover.is_some() || covers_root,
            Some(setter) => self.cover.is_some_and(|cover| cover >= setter),
        }
    }
}

fn or<T>(inner: Setting<T>, outer: Setting<T>) -> Setting<T> {
    match inner {
        Setting::Unset => outer,
        inner => inner,
    }
}

/// The elements that can hold others behind the text inside of them, and whether the page itself can.
fn covers(looks: &[(El<'_>, Look, Look)]) -> (HashSet<u32>, bool) {
    // The number of painted elements up to each element.
    let mut painted = vec![0_u32];
    for (element, look, dark) in looks {
        let is_media =
            matches!(element.name(), "img" | "video" | "canvas" | "svg" | "iframe" | "picture");
        let is_painted = is_media
            || !element.is_native()
            || look.background != Setting::Unset
            || dark.background != Setting::Unset
            || look.has_image;
        painted.push(painted.last().copied().unwrap_or_default() + u32::from(is_painted));
    }
    let by_id: HashMap<u32, usize> =
        looks.iter().enumerate().map(|(at, (element, ..))| (element.id(), at)).collect();
    let (mut covers, mut covers_root) = (HashSet::new(), false);
    for (at, (element, look, _)) in looks.iter().enumerate() {
        let is_component = !element.is_native();
        if !look.is_overlay && !is_component {
            continue;
        }
        let last = at + element.descendants().take(MAX_INNER).count();
        if painted[last + 1] == painted[at] {
            continue;
        }
        let is_positioned = |outer: &El<'_>| {
            by_id
                .get(&outer.id())
                .is_some_and(|&at| looks[at].1.is_positioned || looks[at].1.is_overlay)
        };
        let positioned = element.close_ancestors().find(is_positioned);
        if let Some(outer) = positioned {
            covers.insert(outer.id());
        } else if look.is_overlay {
            covers_root = true;
        }
        if look.is_overlay
            && let Some(parent) = element.parent_el()
        {
            covers.insert(parent.id());
        }
    }
    // What is placed relative to the page can lie on all of it.
    let roots = looks.iter().filter(|(element, ..)| matches!(element.name(), "html" | "body"));
    covers.extend(roots.filter(|_| covers_root).map(|(element, ..)| element.id()));
    (covers, covers_root)
}

/// Maximum number of elements in one that lies over others.
const MAX_INNER: usize = 256;

/// Reports texts with a low contrast to their background.
pub(super) fn low_contrast(document: &Document<'_>, found: &mut Found<'_, '_>) {
    check(document, &AA, found);
}

/// Reports texts whose contrast is enough for level AA, but not for AAA.
pub(super) fn enhanced_contrast(document: &Document<'_>, found: &mut Found<'_, '_>) {
    check(document, &AAA, found);
}

fn check(document: &Document<'_>, level: &Level, found: &mut Found<'_, '_>) {
    let mut page = Page::new(document, found);
    page.forget_inline_variables(document);
    let looks: Vec<(El<'_>, Look, Look)> = document
        .elements()
        .map(El::new)
        .map(|element| {
            let (look, dark) = page.look(element);
            (element, look, dark)
        })
        .collect();
    let (covers, covers_root) = covers(&looks);
    let root = State::root(page.is_closed, page.has_dark_defaults);
    let unknown = State::root(false, false);
    let mut states: HashMap<u32, State> = HashMap::new();
    let mut reported = Reported::default();
    for (element, look, dark) in &looks {
        let outer = match element.parent() {
            Some(parent) => states.get(&parent.id()).unwrap_or(&unknown),
            None if element.is_in_attribute() => &unknown,
            None => &root,
        };
        let state = outer.inside(*element, look, dark, covers.contains(&element.id()));
        if !state.is_excluded && has_text(*element) {
            report(*element, &state, level, &mut reported, covers_root, found);
        }
        states.insert(element.id(), state);
    }
}

/// Whether the element contains text of its own. A sign alone is often an icon.
fn has_text(element: El<'_>) -> bool {
    let is_text = |node: Node<'_>| {
        let Node::Text(text, _) = node else { return false };
        // A build replaces `%body%`.
        let trimmed = text.trim();
        let is_placeholder = trimmed.starts_with('%') && trimmed.ends_with('%');
        !is_placeholder && text.chars().filter(|c| c.is_alphanumeric()).take(2).count() == 2
    };
    !matches!(element.tag, "" | "title" | "option" | "noscript" | "template" | "textarea")
        && !element.is_foreign()
        && element.children().any(is_text)
}

/// What is reported already.
#[derive(Default)]
struct Reported {
    /// The elements that set the color of the text and the background.
    setters: HashSet<(Option<u32>, Option<u32>)>,
    /// The names and classes of elements whose colors style sheets set, and the colors: the same rules
    /// set those of equal elements.
    rules: HashSet<(String, Paint, Paint)>,
}

impl Reported {
    /// Adds a finding; `false` if there is an equal one.
    fn insert(&mut self, element: El<'_>, text: Origin, background: Origin) -> bool {
        let is_new = self.setters.insert((text.setter, background.setter));
        let is_styled = text.setter == Some(element.id())
            && element.document().language() == Language::Html
            && element.attribute("style").is_none();
        let class = element.text_of("class").unwrap_or_default();
        let rule = || (format!("{} {class}", element.tag), text.paint, background.paint);
        is_new && (!is_styled || self.rules.insert(rule()))
    }
}

fn report(
    element: El<'_>,
    state: &State,
    level: &Level,
    reported: &mut Reported,
    covers_root: bool,
    found: &mut Found<'_, '_>,
) {
    for (colors, is_dark) in [(state.light, false), (state.dark, true)] {
        let (Setting::Known(text), Setting::Known(background)) = (colors.text, colors.background)
        else {
            continue;
        };
        // Where neither color is one of dark mode, the text looks as in light mode.
        if is_dark && !text.is_dark && !background.is_dark {
            continue;
        }
        let paint = over(text.paint, background.paint);
        let ratios = [0, 1].map(|at| contrast(paint[at], background.paint[at]));
        let ratio = ratios[0].max(ratios[1]);
        let min = state.required(level);
        let is_lower = level.below.is_some_and(|below| ratio < state.required(below));
        let is_assumed = level.needs_background && background.base.is_none();
        let is_low =
            ratio < min && !is_lower && !is_assumed && !state.is_covered(background, covers_root);
        if !is_low
            || replaces_control(element)
            || may_be_hidden(element)
            || is_themed(element, [text, background], found)
            || !reported.insert(element, text, background)
        {
            continue;
        }
        let place = [text.setter, background.setter]
            .contains(&Some(element.id()))
            .then(|| place_of(element))
            .flatten()
            .unwrap_or(element.tag_span());
        let limit = match state.size {
            Setting::Known(_) => min.to_string(),
            _ => format!("{}, and {} for large text", level.other, level.large),
        };
        let mode = if is_dark { "in dark mode, " } else { "" };
        // Rounded down, so that a ratio just below the minimum differs from it.
        let ratio = (ratio * 100.0).floor() / 100.0;
        let finding = found
            .at(
                place,
                format!(
                    "{mode}the text has a contrast of {ratio} to its background, below {limit}"
                ),
            )
            .help("darken one of the two colors, or lighten the other");
        for (origin, what) in [(text, "the color of the text"), (background, "the background")] {
            let outer = element.close_ancestors().find(|outer| Some(outer.id()) == origin.setter);
            if let Some(outer) = outer {
                finding.related(outer.tag_span(), what);
            }
        }
    }
}

/// Whether a utility class that sets one of the colors can have another color in the project.
fn is_themed(element: El<'_>, origins: [Origin; 2], found: &Found<'_, '_>) -> bool {
    origins.into_iter().flat_map(|origin| [origin.setter, origin.base]).flatten().any(|id| {
        let mut elements = std::iter::once(element).chain(element.close_ancestors());
        let Some(setter) = elements.find(|it| it.id() == id) else { return false };
        let classes = setter.attributes().iter().filter(|it| it.name == "class");
        let mut classes = classes.map(|it| found.slice(it.span));
        classes.any(|classes| theme::replaces_color(found.files, classes))
    })
}

/// Whether a condition renders the element instead of a link or button with the same text, which is
/// then inactive.
fn replaces_control(element: El<'_>) -> bool {
    // Statements of a template language surround no nodes.
    let is_conditional = |it: El<'_>| it.is_in_block() || it.document().is_templated();
    if !is_conditional(element) || !matches!(element.tag, "span" | "button") {
        return false;
    }
    let Name::Present(Some(text)) = content(element) else { return false };
    let siblings = element.parent_el().and_then(El::inner).unwrap_or_default();
    siblings.into_iter().any(|it| {
        it.id() != element.id()
            && matches!(it.tag, "a" | "button")
            && is_conditional(it)
            && content(it) == Name::Present(Some(text.clone()))
    })
}

/// The span of the attribute that sets colors of an element.
fn place_of(element: El<'_>) -> Option<Span> {
    let attributes =
        || element.attributes().iter().filter(|attribute| attribute.kind == AttributeKind::Plain);
    let sets_color = |value: Value<'_>| match value {
        Value::Static { text, .. } => text.contains("color") || text.contains("background"),
        _ => true,
    };
    attributes()
        .find(|attribute| attribute.name == "style" && sets_color(attribute.value))
        .or_else(|| attributes().find(|attribute| attribute.name == "class"))
        .map(|attribute| attribute.span)
}
