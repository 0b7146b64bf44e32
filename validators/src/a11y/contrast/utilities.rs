//! Utility classes of Tailwind CSS with its default palette.

use super::look::{Look, Paint, STATES, Setting, Size, css_color, palette_color, size, with_alpha};
use std::sync::LazyLock;

/// The names and prefixes of classes that change nothing that matters here.
static NEUTRAL: LazyLock<Vec<&str>> = LazyLock::new(|| {
    let lines = include_str!("utilities.txt").lines().filter(|line| !line.starts_with('#'));
    let mut names: Vec<&str> = lines.collect();
    names.sort_unstable();
    names
});

/// Variants, besides [`STATES`], under which a class does not apply to the text at rest, on a small
/// light screen.
const OTHER_VARIANTS: [&str; 16] = [
    "group-hover",
    "group-focus",
    "group-active",
    "peer-hover",
    "peer-focus",
    "placeholder",
    "file",
    "selection",
    "marker",
    "print",
    "sm",
    "md",
    "lg",
    "xl",
    "2xl",
    "3xl",
];

/// What the classes of an element set, and what they set in dark mode.
#[derive(Default)]
pub(super) struct Utilities {
    pub(super) look: Look,
    pub(super) dark: Look,
    /// A class is none of Tailwind CSS.
    pub(super) has_other: bool,
}

impl Utilities {
    /// Reads an attribute `class`. Classes for which `is_known` holds are those of a style sheet.
    pub(super) fn read(classes: &str, is_known: impl Fn(&str) -> bool) -> Self {
        let mut read = Self::default();
        for class in classes.split_ascii_whitespace() {
            read.add(class, &is_known);
        }
        read
    }

    fn add(&mut self, class: &str, is_known: impl Fn(&str) -> bool) {
        let (variants, utility) = split_variants(class);
        // An important class overrides others, in an order that is not known here.
        let (utility, is_important) = match utility.strip_prefix('!').or(utility.strip_suffix('!'))
        {
            Some(utility) => (utility, true),
            None => (utility, false),
        };
        let mut single = Look::default();
        let is_utility = apply(utility, &mut single);
        if !is_utility && variants.is_empty() {
            self.has_other |= !is_known(class);
            return;
        }
        match variants[..] {
            [] if !is_important => merge(&mut self.look, &single),
            ["dark"] if !is_important => merge(&mut self.dark, &single),
            [] | ["dark"] => poison(&mut self.look, &single),
            ref variants if variants.iter().any(|it| matches!(*it, "before" | "after")) => {
                // A pseudo-element can lie under the text.
                let is_visible = single.background != Setting::Unset || single.is_overlay;
                self.look.has_layer |= is_visible || single.has_image;
            }
            ref variants
                if variants.iter().any(|it| STATES.contains(it) || OTHER_VARIANTS.contains(it)) => {
            }
            ref variants if variants.iter().any(|it| it.starts_with(['*', '[']) || *it == "in") => {
                // It applies to the elements inside.
                self.look.is_veiled |= single != Look::default();
            }
            _ => poison(&mut self.look, &single),
        }
    }
}

/// The variants of a class, and the class without them. A colon in brackets separates nothing.
fn split_variants(class: &str) -> (Vec<&str>, &str) {
    let (mut variants, mut start, mut depth) = (Vec::new(), 0, 0_usize);
    for (at, byte) in class.bytes().enumerate() {
        match byte {
            b'[' | b'(' => depth += 1,
            b']' | b')' => depth = depth.saturating_sub(1),
            b':' if depth == 0 => {
                variants.push(&class[start..at]);
                start = at + 1;
            }
            _ => {}
        }
    }
    (variants, &class[start..])
}

/// Adds what one class sets. Two classes that set the same property are unknown: the style sheet
/// decides which applies.
fn merge(look: &mut Look, single: &Look) {
    fn both<T: Copy + PartialEq>(all: &mut Setting<T>, one: Setting<T>) {
        match (*all, one) {
            (_, Setting::Unset) => {}
            (Setting::Unset, one) => *all = one,
            (before, one) if before == one => {}
            _ => *all = Setting::Unknown,
        }
    }
    both(&mut look.text, single.text);
    both(&mut look.background, single.background);
    both(&mut look.size, single.size);
    both(&mut look.is_bold, single.is_bold);
    look.has_image |= single.has_image;
    look.is_veiled |= single.is_veiled;
    look.is_overlay |= single.is_overlay;
    look.is_positioned |= single.is_positioned;
    look.is_hidden |= single.is_hidden;
    look.is_inactive |= single.is_inactive;
}

/// Marks what a class sets as unknown, because it applies only sometimes.
fn poison(look: &mut Look, single: &Look) {
    if single.text != Setting::Unset {
        look.text = Setting::Unknown;
    }
    if single.background != Setting::Unset || single.has_image {
        look.background = Setting::Unknown;
    }
    if single.size != Setting::Unset {
        look.size = Setting::Unknown;
    }
    if single.is_bold != Setting::Unset {
        look.is_bold = Setting::Unknown;
    }
    look.is_veiled |= single.is_veiled;
    look.is_overlay |= single.is_overlay;
    look.is_positioned |= single.is_positioned;
}

/// Applies a class without variants; `false` if it is none of Tailwind CSS.
fn apply(class: &str, look: &mut Look) -> bool {
    // A negative offset, margin or space moves the element over others.
    if class.starts_with('-') {
        look.is_overlay = true;
        return true;
    }
    if class.starts_with('[') {
        *look = Look::unknown();
        return true;
    }
    if let Some(name) = class.strip_prefix("bg-")
        && !is_neutral(class)
    {
        background(name, look);
        return true;
    }
    if let Some(name) = class.strip_prefix("text-") {
        return text(name, look);
    }
    if let Some(name) = class.strip_prefix("font-") {
        look.is_bold = match name {
            "bold" | "extrabold" | "black" => Setting::Known(true),
            "thin" | "extralight" | "light" | "normal" | "medium" | "semibold" => {
                Setting::Known(false)
            }
            "sans" | "serif" | "mono" => Setting::Unset,
            _ => Setting::Unknown,
        };
        return true;
    }
    match class {
        "absolute" | "fixed" => look.is_overlay = true,
        "relative" | "sticky" => look.is_positioned = true,
        "sr-only" | "hidden" | "invisible" | "opacity-0" => look.is_hidden = true,
        "cursor-not-allowed" | "pointer-events-none" => look.is_inactive = true,
        _ => {
            let is = |prefixes: &[&str]| prefixes.iter().any(|prefix| class.starts_with(prefix));
            if class.contains("[-") || is(&["inset-", "row-", "translate-"]) {
                look.is_overlay = true;
            } else if is_neutral(class) {
                return true;
            } else if is(&[
                "animate-",
                "backdrop-",
                "blur",
                "brightness-",
                "contrast-",
                "filter",
                "grayscale",
                "hue-rotate-",
                "invert",
                "mask-",
                "mix-blend-",
                "opacity-",
                "saturate-",
                "sepia",
            ]) {
                look.is_veiled = true;
            } else {
                return false;
            }
        }
    }
    true
}

fn is_neutral(class: &str) -> bool {
    // The names and prefixes of which the class is an extension are in front of it; the prefix is
    // cut at each hyphen.
    let class = class.split('/').next().unwrap_or(class);
    let is_listed = |name: &str| NEUTRAL.binary_search(&name).is_ok();
    is_listed(class) || class.match_indices('-').any(|(at, _)| is_listed(&class[..=at]))
}

/// The value in brackets, in which spaces are written as `_`.
fn arbitrary(name: &str) -> Option<String> {
    let value = name.strip_prefix('[')?.strip_suffix(']')?;
    let value = value.strip_prefix("color:").or(value.strip_prefix("length:")).unwrap_or(value);
    Some(value.replace('_', " "))
}

/// A color, also with an opacity, such as `gray-500/50`.
fn color(name: &str) -> Option<Paint> {
    let (name, alpha) = match name.rsplit_once('/') {
        Some((name, alpha)) if !alpha.contains(')') => {
            let alpha = match alpha.strip_prefix('[').and_then(|it| it.strip_suffix(']')) {
                Some(value) if !value.ends_with('%') => value.parse::<f64>().ok()?,
                Some(value) => value.trim_end_matches('%').parse::<f64>().ok()? / 100.0,
                None => alpha.parse::<f64>().ok()? / 100.0,
            };
            (name, alpha)
        }
        _ => (name, 1.0),
    };
    let paint = arbitrary(name).map_or_else(|| palette_color(name), |value| css_color(&value))?;
    Some(with_alpha(paint, alpha))
}

fn background(name: &str, look: &mut Look) {
    match name {
        "transparent" => {}
        "clip-text" => look.is_veiled = true,
        _ => {
            look.background = match color(name) {
                Some(paint) if paint[0][3] == 0 => Setting::Unset,
                paint => Setting::from_known(paint),
            }
        }
    }
}

/// Applies a class after `text-`; `false` if the project defines its meaning.
fn text(name: &str, look: &mut Look) -> bool {
    const NEUTRAL: [&str; 17] = [
        "left", "center", "right", "justify", "start", "end", "wrap", "nowrap", "balance",
        "pretty", "ellipsis", "clip", "top", "bottom", "middle", "inherit", "current",
    ];
    const SIZES: [(&str, f64); 13] = [
        ("xs", 12.0),
        ("sm", 14.0),
        ("base", 16.0),
        ("lg", 18.0),
        ("xl", 20.0),
        ("2xl", 24.0),
        ("3xl", 30.0),
        ("4xl", 36.0),
        ("5xl", 48.0),
        ("6xl", 60.0),
        ("7xl", 72.0),
        ("8xl", 96.0),
        ("9xl", 128.0),
    ];
    if NEUTRAL.contains(&name) {
        return true;
    }
    // What follows is the height of the line, or the opacity of a color.
    let base = name.split('/').next().unwrap_or(name);
    if let Some(&(_, pixels)) = SIZES.iter().find(|(known, _)| *known == base) {
        look.size = Setting::Known(Size::Pixels(pixels));
    } else if let Some(size) = arbitrary(base).and_then(|value| size(&value)) {
        look.size = Setting::Known(size);
    } else if let Some(paint) = color(name).filter(|paint| paint[0][3] > 0) {
        look.text = Setting::Known(paint);
    } else {
        // A color or a size that the project defines, or one that the program computes.
        (look.text, look.size) = (Setting::Unknown, Setting::Unknown);
        look.is_veiled |= name == "transparent" || name.starts_with("shadow");
    }
    true
}
