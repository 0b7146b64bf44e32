//! Image names: `registry/name:tag@digest`.

/// The parts of an image name.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Image<'a> {
    /// The host before the first `/`, if it has the form of a host: `ghcr.io`, `localhost:5000`.
    pub registry: Option<&'a str>,
    /// The path without registry, tag and digest.
    pub name: &'a str,
    /// The text after `:`.
    pub tag: Option<&'a str>,
    /// The text after `@`.
    pub digest: Option<&'a str>,
}

/// Splits an image name into its parts. Variables are left as written.
#[must_use]
pub fn parse(text: &str) -> Image<'_> {
    let (rest, digest) = split_outside_variables(text, '@');
    let (registry, rest) = match rest.split_once('/') {
        Some((first, rest)) if is_host(first) => (Some(first), rest),
        _ => (None, rest),
    };
    let (name, tag) = split_outside_variables(rest, ':');
    Image { registry, name, tag, digest }
}

fn is_host(text: &str) -> bool {
    text == "localhost" || (text.contains(['.', ':']) && !text.contains("${"))
}

/// Splits at the first `delimiter` outside of `${…}`.
fn split_outside_variables(text: &str, delimiter: char) -> (&str, Option<&str>) {
    let mut depth = 0_usize;
    let mut before = ' ';
    for (at, c) in text.char_indices() {
        match c {
            '{' if before == '$' => depth += 1,
            '}' => depth = depth.saturating_sub(1),
            _ if c == delimiter && depth == 0 => return (&text[..at], Some(&text[at + 1..])),
            _ => {}
        }
        before = c;
    }
    (text, None)
}
