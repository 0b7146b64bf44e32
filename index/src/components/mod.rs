//! Components of Vue, Svelte and Astro as scripts: everything but the scripts and the expressions of the
//! markup is replaced by spaces, so that positions stay the same and the grammar of TypeScript reads the
//! rest.

mod apply;
mod expressions;
mod markup;
mod svelte;
#[cfg(test)]
mod tests;
mod vue;

pub(crate) use apply::{add_lazy_uses, complete};
use ast_grep_language::SupportLang;
use markup::Markup;
use std::collections::HashSet;

/// A language of components.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Dialect {
    Vue,
    Svelte,
    Astro,
}

impl Dialect {
    /// The language of the component at `path`.
    #[must_use]
    pub(crate) fn of_path(path: &str) -> Option<Self> {
        match path.rsplit_once('.')?.1 {
            "vue" => Some(Self::Vue),
            "svelte" => Some(Self::Svelte),
            "astro" => Some(Self::Astro),
            _ => None,
        }
    }

    /// The name stored in the database.
    #[must_use]
    pub(crate) fn name(self) -> &'static str {
        match self {
            Self::Vue => "vue",
            Self::Svelte => "svelte",
            Self::Astro => "astro",
        }
    }
}

/// The name of the component at `path`: that of the file without extensions.
#[must_use]
pub(crate) fn name_of(path: &str) -> Option<&str> {
    Dialect::of_path(path)?;
    let file = path.rsplit('/').next()?;
    let stem = file.find('.').filter(|at| *at > 0).map(|at| &file[..at]);
    stem.or_else(|| file.rsplit_once('.').map(|(stem, _)| stem)).filter(|stem| !stem.is_empty())
}

/// A component as a script.
#[derive(Debug)]
pub(crate) struct Script {
    /// The scripts and expressions, at their positions in the file.
    pub text: String,
    /// The grammar of the text.
    pub language: SupportLang,
    /// The names of components, directives and actions that the markup uses, with their offsets.
    pub names: Vec<(String, u32)>,
    /// The names that the markup declares, such as the variables of loops.
    pub declared: HashSet<String>,
    /// The ranges of the scripts; everything else is markup.
    pub scripts: Vec<(u32, u32)>,
}

impl Script {
    /// Whether an offset is in the markup.
    #[must_use]
    pub(crate) fn is_markup(&self, offset: u32) -> bool {
        let next = self.scripts.partition_point(|(start, _)| *start <= offset);
        next.checked_sub(1).is_none_or(|at| self.scripts[at].1 <= offset)
    }
}

/// Reads the component at `path` as a script; `None` if the file is in another language.
#[must_use]
pub(crate) fn script_of(path: &str, text: &str) -> Option<Script> {
    let dialect = Dialect::of_path(path)?;
    let mut markup = Markup::new(text, dialect);
    match dialect {
        Dialect::Vue => vue::blocks(&mut markup),
        Dialect::Svelte => markup.content(),
        Dialect::Astro => {
            markup.front_matter();
            markup.content();
        }
    }
    let mut script = markup.finish();
    if dialect == Dialect::Svelte {
        script.text = without_subscriptions(script.text);
    }
    Some(script)
}

/// Replaces the sign of the subscription `$store` of Svelte by a space, but not that of a rune such as
/// `$state(…)`.
fn without_subscriptions(mut text: String) -> String {
    let bytes = text.as_bytes();
    let is_name = |byte: u8| byte.is_ascii_alphanumeric() || matches!(byte, b'_' | b'$');
    let mut found = Vec::new();
    for (at, _) in text.match_indices('$') {
        let before = at.checked_sub(1).map_or(b' ', |before| bytes[before]);
        let name = &bytes[at + 1..];
        let length = name.iter().position(|byte| !is_name(*byte)).unwrap_or(name.len());
        let is_first = !is_name(before) && before != b'.';
        let is_store = name.first().is_some_and(u8::is_ascii_alphabetic);
        let is_rune = name.get(length).is_some_and(|after| matches!(after, b'(' | b'.' | b'<'))
            && RUNES.iter().any(|rune| rune.as_bytes() == &name[..length]);
        if is_first && is_store && !is_rune {
            found.push(at);
        }
    }
    for at in found {
        text.replace_range(at..=at, " ");
    }
    text
}

/// The functions of Svelte whose names begin with a dollar sign.
const RUNES: &[&str] = &["bindable", "derived", "effect", "host", "inspect", "props", "state"];
