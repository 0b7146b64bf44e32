//! Pairs of colors that the names of tokens show: a text and its background.

use super::color::{contrast, rgba};
use super::document::{Document, Node, alias};
use super::project;
use crate::cached::cached;
use aidd_engine::rules::rule::Report;
use aidd_engine::text::files::Files;
use std::borrow::Cow;
use std::collections::HashMap;
use std::sync::Arc;

pub(super) const LOW_CONTRAST: &str = "tokens/low-contrast";

/// Maximum number of references that are followed.
const MAX_HOPS: usize = 50;
/// The contrast ratio that WCAG requires of text at level AA.
const MIN_CONTRAST: f64 = 4.5;
/// The names of the color of a text and of its background in one group.
const PAIRS: [(&str, &str); 6] = [
    ("text", "background"),
    ("foreground", "background"),
    ("fg", "bg"),
    ("color", "background"),
    ("color", "background-color"),
    ("color", "backgroundColor"),
];
/// Names after `on-` that are states of a control.
const STATES: [&str; 8] =
    ["active", "checked", "click", "disabled", "focus", "hover", "press", "pressed"];

/// The value of a token: a color, or the name of the token that has it.
#[derive(Clone, PartialEq, Eq)]
enum Step {
    Color([u8; 4]),
    Alias(String),
}

/// The values of all tokens of a project; `None` if files disagree, as themes do.
type Steps = HashMap<String, Option<Step>>;

fn steps(files: &dyn Files) -> Arc<Steps> {
    cached(files, "tokens colors", || {
        let mut steps = Steps::new();
        project::for_each(files, &mut |document| {
            for (path, &index) in &document.by_path {
                let Some(found) = step(document, &document.tokens[index]) else { continue };
                let known = steps.entry(path.clone()).or_insert_with(|| Some(found.clone()));
                if known.as_ref() != Some(&found) {
                    *known = None;
                }
            }
        });
        steps
    })
}

fn step(document: &Document<'_>, token: &Node) -> Option<Step> {
    let value = document.token_value(token)?;
    match document.text(value).and_then(alias) {
        Some(name) => Some(Step::Alias(name.strip_suffix(".value").unwrap_or(name).to_owned())),
        None => rgba(document, value).map(Step::Color),
    }
}

/// The color of a token, through its references; those of the file have precedence.
fn resolved(document: &Document<'_>, files: &dyn Files, token: &Node) -> Option<[u8; 4]> {
    let mut current = step(document, token)?;
    for _ in 0..MAX_HOPS {
        let name = match current {
            Step::Color(color) => return Some(color),
            Step::Alias(name) => name,
        };
        current = match document.by_path.get(&name) {
            Some(&at) => step(document, &document.tokens[at])?,
            None => steps(files).get(&name)?.clone()?,
        };
    }
    None
}

/// The name of the background of a text: `primary` for `on-primary` and `onPrimary`.
fn background_of(name: &str) -> Option<Cow<'_, str>> {
    let rest = name.strip_prefix("on")?;
    let rest = match rest.strip_prefix(['-', '_']) {
        Some(rest) => Cow::Borrowed(rest),
        None if rest.starts_with(|c: char| c.is_ascii_uppercase()) => {
            Cow::Owned(format!("{}{}", rest[..1].to_ascii_lowercase(), &rest[1..]))
        }
        None => return None,
    };
    (!rest.is_empty() && !STATES.contains(&&*rest)).then_some(rest)
}

pub(super) fn low_contrast(document: &Document<'_>, files: &dyn Files, report: &mut Report<'_>) {
    if !report.begin(LOW_CONTRAST) {
        return;
    }
    for token in &document.tokens {
        // Controls that are disabled need no contrast.
        if token.path.contains("disabled") {
            continue;
        }
        let name = document.key(token.at);
        let group = token.path.strip_suffix(name).unwrap_or_default();
        let known = PAIRS.iter().filter(|(text, _)| *text == name);
        let backgrounds =
            known.map(|&(_, background)| Cow::Borrowed(background)).chain(background_of(name));
        for background in backgrounds {
            let Some(&below) = document.by_path.get(&format!("{group}{background}")) else {
                continue;
            };
            let below = &document.tokens[below];
            let colors = resolved(document, files, token).zip(resolved(document, files, below));
            let Some((text, back)) = colors else { continue };
            let ratio = contrast(text, back);
            if text[3] == 255 && back[3] == 255 && ratio < MIN_CONTRAST {
                let message = format!(
                    "`{}` on `{}` has a contrast of {ratio:.2}, below {MIN_CONTRAST}",
                    token.path, below.path
                );
                report.at(document.key_span(token.at), message);
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::background_of;

    #[test]
    fn a_name_states_its_background() {
        for (name, expected) in [
            ("on-primary", Some("primary")),
            ("onSurfaceVariant", Some("surfaceVariant")),
            ("on-hover", None),
            ("once", None),
            ("on", None),
        ] {
            assert_eq!(background_of(name).as_deref(), expected, "{name}");
        }
    }
}
