//! What declarations of CSS set of the look of a text, as far as they are understood.

use crate::tokens::color::{parse_css, parse_hex};
use std::collections::HashMap;
use std::sync::LazyLock;

/// The pseudo-classes of CSS, and variants of Tailwind CSS, of states that an element is in only at
/// times.
pub(super) const STATES: [&str; 8] =
    ["hover", "focus", "focus-visible", "focus-within", "active", "visited", "disabled", "target"];

/// A color, in version 3 and in version 4 of the palette of Tailwind CSS; both are equal for
/// a color of CSS.
pub(super) type Paint = [[u8; 4]; 2];

/// The colors by name: of CSS, and of the palette as in `gray-400`.
static COLORS: LazyLock<HashMap<String, Paint>> = LazyLock::new(|| {
    let mut colors: HashMap<String, Paint> = HashMap::new();
    for line in include_str!("colors.txt").lines().filter(|line| !line.starts_with('#')) {
        let mut words = line.split(' ');
        let name = words.next().unwrap_or_default();
        let values: Vec<[u8; 4]> = words.filter_map(|hex| parse_hex(&format!("#{hex}"))).collect();
        if let [color] = *values {
            colors.insert(name.to_owned(), [color; 2]);
            continue;
        }
        for (index, color) in values.into_iter().enumerate() {
            let shade = match index {
                0 => 50,
                10 => 950,
                index => index * 100,
            };
            // The second line of a name is that of version 4.
            colors
                .entry(format!("{name}-{shade}"))
                .and_modify(|it| it[1] = color)
                .or_insert([color; 2]);
        }
    }
    colors
});

/// A color of CSS.
pub(super) fn css_color(text: &str) -> Option<Paint> {
    let text = text.trim().to_ascii_lowercase();
    let named = || COLORS.get(&text).copied().filter(|_| !text.contains('-'));
    let parsed = parse_hex(&text).or_else(|| parse_css(&text)).or_else(|| parse_hsl(&text));
    parsed.map(|color| [color; 2]).or_else(named)
}

/// A color in the form `hsl(200 50% 40% / 0.5)`.
fn parse_hsl(text: &str) -> Option<[u8; 4]> {
    let inner = text.strip_prefix("hsla(").or_else(|| text.strip_prefix("hsl("))?;
    let inner = inner.strip_suffix(')')?;
    let parts = inner.split([',', ' ', '/']).map(str::trim).filter(|part| !part.is_empty());
    let parts: Vec<&str> = parts.collect();
    let percent = |text: &str| {
        text.strip_suffix('%')?.parse::<f64>().ok().map(|it| (it / 100.0).clamp(0.0, 1.0))
    };
    let (hue, saturation, lightness, alpha) = match parts[..] {
        [hue, saturation, lightness] => (hue, saturation, lightness, 1.0),
        [hue, saturation, lightness, alpha] => {
            (hue, saturation, lightness, percent(alpha).or_else(|| alpha.parse().ok())?)
        }
        _ => return None,
    };
    let hue = hue.strip_suffix("deg").unwrap_or(hue).parse::<f64>().ok()?.rem_euclid(360.0);
    let (saturation, lightness) = (percent(saturation)?, percent(lightness)?);
    let range = saturation * lightness.min(1.0 - lightness);
    let channel = |offset: f64| {
        let at = (offset + hue / 30.0) % 12.0;
        byte(lightness - range * (at - 3.0).min(9.0 - at).clamp(-1.0, 1.0))
    };
    Some([channel(0.0), channel(8.0), channel(4.0), byte(alpha)])
}

#[expect(
    clippy::cast_possible_truncation,
    clippy::cast_sign_loss,
    reason = "in the range of a byte"
)]
fn byte(value: f64) -> u8 {
    (value.clamp(0.0, 1.0) * 255.0).round() as u8
}

/// The color with a part of its opacity.
pub(super) fn with_alpha(paint: Paint, alpha: f64) -> Paint {
    paint.map(|[red, green, blue, own]| [red, green, blue, byte(f64::from(own) / 255.0 * alpha)])
}

/// The color that a color over an opaque one gives.
pub(super) fn over(paint: Paint, below: Paint) -> Paint {
    let mut mixed = below;
    for (color, below) in paint.iter().zip(&mut mixed) {
        let alpha = f64::from(color[3]) / 255.0;
        for (channel, below) in color.iter().zip(&mut below[..3]) {
            let value = f64::from(*channel) * alpha + f64::from(*below) * (1.0 - alpha);
            *below = byte(value / 255.0);
        }
    }
    mixed
}

/// Whether nothing shines through the color.
pub(super) fn is_opaque(paint: Paint) -> bool {
    paint.iter().all(|color| color[3] == 255)
}

/// A color of the palette of Tailwind CSS.
pub(super) fn palette_color(name: &str) -> Option<Paint> {
    let is_palette = name.contains('-') || matches!(name, "white" | "black");
    COLORS.get(name).copied().filter(|_| is_palette)
}

/// The value of a property.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub(super) enum Setting<T> {
    /// The value of the element around applies; for backgrounds, it shines through.
    #[default]
    Unset,
    Known(T),
    Unknown,
}

impl<T> Setting<T> {
    pub(super) fn from_known(value: Option<T>) -> Self {
        value.map_or(Self::Unknown, Self::Known)
    }
}

/// A size of text.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) enum Size {
    Pixels(f64),
    /// Relative to the root element.
    Root(f64),
    /// Relative to the element around.
    Outer(f64),
}

/// What an element sets.
#[derive(Clone, Debug, Default, PartialEq)]
pub(super) struct Look {
    pub(super) text: Setting<Paint>,
    pub(super) background: Setting<Paint>,
    pub(super) size: Setting<Size>,
    pub(super) is_bold: Setting<bool>,
    /// An image or a gradient is drawn over the background.
    pub(super) has_image: bool,
    /// A pseudo-element can lie between the background and the text.
    pub(super) has_layer: bool,
    /// The colors on the screen differ from those that are set: opacity, filters, blending.
    pub(super) is_veiled: bool,
    /// The element can lie over or under others.
    pub(super) is_overlay: bool,
    /// Elements inside can be placed relative to this one.
    pub(super) is_positioned: bool,
    /// Nothing of the element is visible.
    pub(super) is_hidden: bool,
    /// The element is a disabled control or part of one.
    pub(super) is_inactive: bool,
}

/// The properties that [`Look::declare`] reads.
pub(super) fn is_relevant(property: &str) -> bool {
    const PROPERTIES: [&str; 26] = [
        "all",
        "animation",
        "animation-name",
        "backdrop-filter",
        "background",
        "background-clip",
        "background-color",
        "background-image",
        "clip",
        "clip-path",
        "color",
        "color-scheme",
        "filter",
        "font",
        "font-size",
        "font-weight",
        "grid-area",
        "mask",
        "mix-blend-mode",
        "opacity",
        "position",
        "text-shadow",
        "transform",
        "visibility",
        "display",
        "-webkit-text-fill-color",
    ];
    PROPERTIES.contains(&property) || property.starts_with("margin")
}

impl Look {
    /// Applies a declaration of CSS; the name is in lower case. Later declarations override earlier
    /// ones.
    pub(super) fn declare(&mut self, property: &str, value: &str) {
        let value = value.trim();
        let lower = value.to_ascii_lowercase();
        match property {
            "all" => *self = Self::unknown(),
            "color" => {
                self.text = match &*lower {
                    "inherit" | "currentcolor" | "unset" => Setting::Unset,
                    // A text without color shows an image below.
                    _ => Setting::from_known(css_color(&lower).filter(|it| it[0][3] > 0)),
                }
            }
            "background-color" => self.background = background(&lower),
            "background" => {
                self.has_image = lower.contains('(') && css_color(&lower).is_none();
                self.background = background(&lower);
            }
            "background-image" => self.has_image = !matches!(&*lower, "none" | "initial"),
            "font-size" => self.size = Setting::from_known(size(&lower)),
            "font-weight" => self.is_bold = weight(&lower),
            "font" => (self.size, self.is_bold) = (Setting::Unknown, Setting::Unknown),
            "opacity" => {
                let is_opaque =
                    lower.trim_end_matches('%').parse::<f64>().is_ok_and(|it| it >= 1.0);
                self.is_veiled |= !is_opaque;
                self.is_hidden |= matches!(&*lower, "0" | "0%");
            }
            "display" => self.is_hidden |= lower == "none",
            "visibility" => self.is_hidden |= lower != "visible",
            "position" => match &*lower {
                "static" => {}
                "relative" | "sticky" => self.is_positioned = true,
                _ => self.is_overlay = true,
            },
            "clip" | "clip-path" => self.is_hidden = true,
            "grid-area" => self.is_overlay = true,
            "transform" => self.is_overlay |= lower.contains("translate"),
            "animation"
            | "animation-name"
            | "backdrop-filter"
            | "background-clip"
            | "filter"
            | "mask"
            | "mix-blend-mode"
            | "text-shadow"
            | "-webkit-text-fill-color" => {
                self.is_veiled |= !matches!(&*lower, "none" | "normal" | "initial");
            }
            _ if property.starts_with("margin") => self.is_overlay |= value.contains('-'),
            _ => {}
        }
    }

    /// Marks what a declaration sets as unknown, because it applies only sometimes.
    pub(super) fn poison(&mut self, property: &str, value: &str) {
        let mut look = Self::default();
        look.declare(property, value);
        let inherits = |word: &str| value.trim().eq_ignore_ascii_case(word);
        match property {
            "color" => self.text = Setting::Unknown,
            "background" | "background-color" | "background-image" => {
                self.background = Setting::Unknown;
            }
            "font-size" => self.size = Setting::Unknown,
            "font-weight" => self.is_bold = Setting::Unknown,
            "font" => (self.size, self.is_bold) = (Setting::Unknown, Setting::Unknown),
            // Hidden at times, the element is visible at others.
            "display" | "visibility" => {}
            "opacity" if inherits("1") => {}
            _ => {
                self.is_veiled |= look.is_veiled || look.is_hidden;
                self.is_overlay |= look.is_overlay;
                self.is_positioned |= look.is_positioned;
            }
        }
    }

    /// Adds to `dark` what the element sets in dark mode only, given all that it sets in that mode.
    pub(super) fn add_dark(&mut self, all: &Self, dark: &mut Self) {
        fn add(dark: &mut Setting<Paint>, light: Setting<Paint>, all: Setting<Paint>) {
            if light != all {
                *dark = match (*dark, all) {
                    (Setting::Unset, Setting::Known(paint)) => Setting::Known(paint),
                    _ => Setting::Unknown,
                };
            }
        }
        fn forget<T: Copy + PartialEq>(light: &mut Setting<T>, all: Setting<T>) {
            if *light != all {
                *light = Setting::Unknown;
            }
        }
        add(&mut dark.text, self.text, all.text);
        add(&mut dark.background, self.background, all.background);
        forget(&mut self.size, all.size);
        forget(&mut self.is_bold, all.is_bold);
        dark.has_image |= all.has_image;
        dark.is_veiled |= all.is_veiled || all.is_hidden;
        self.has_layer |= all.has_layer;
        self.is_overlay |= all.is_overlay;
        self.is_positioned |= all.is_positioned;
    }

    /// A look of which nothing is known.
    pub(super) fn unknown() -> Self {
        Self {
            text: Setting::Unknown,
            background: Setting::Unknown,
            size: Setting::Unknown,
            is_bold: Setting::Unknown,
            is_veiled: true,
            ..Self::default()
        }
    }

    /// Marks what is not set as unknown.
    pub(super) fn forget_unset(&mut self) {
        fn forget<T: PartialEq>(setting: &mut Setting<T>) {
            if *setting == Setting::Unset {
                *setting = Setting::Unknown;
            }
        }
        forget(&mut self.text);
        forget(&mut self.background);
        forget(&mut self.size);
        forget(&mut self.is_bold);
    }
}

fn background(value: &str) -> Setting<Paint> {
    match value {
        "transparent" | "none" | "initial" | "unset" | "0 0" => Setting::Unset,
        _ => match css_color(value) {
            Some(paint) if paint[0][3] == 0 => Setting::Unset,
            paint => Setting::from_known(paint),
        },
    }
}

/// A size of text; `None` if it is unknown.
pub(super) fn size(value: &str) -> Option<Size> {
    let number = |unit: &str| value.strip_suffix(unit)?.trim().parse::<f64>().ok();
    let keyword = || {
        let pixels = match value {
            "xx-small" => 9.0,
            "x-small" => 10.0,
            "small" => 13.0,
            "medium" => 16.0,
            "large" => 18.0,
            "x-large" => 24.0,
            "xx-large" => 32.0,
            _ => return None,
        };
        Some(Size::Pixels(pixels))
    };
    number("px")
        .map(Size::Pixels)
        .or_else(|| number("pt").map(|points| Size::Pixels(points * 4.0 / 3.0)))
        .or_else(|| number("rem").map(Size::Root))
        .or_else(|| number("em").map(Size::Outer))
        .or_else(|| number("%").map(|percent| Size::Outer(percent / 100.0)))
        .or_else(keyword)
}

fn weight(value: &str) -> Setting<bool> {
    match value {
        "bold" => Setting::Known(true),
        "normal" => Setting::Known(false),
        "inherit" | "unset" => Setting::Unset,
        "bolder" | "lighter" => Setting::Unknown,
        _ => Setting::from_known(value.parse::<f64>().ok().map(|weight| weight >= 700.0)),
    }
}
