//! Which marks of placeholders the texts of a project usually have.

use super::compare::{has_plain_directives, scan};
use super::layout::layout;
use super::model::Format;
use super::placeholders::{self, Placeholder};
use super::{Context, groups};
use crate::cached::cached;
use std::collections::{BTreeMap, BTreeSet};

/// How many source texts have placeholders with the same marks if the library replaces them.
const MIN_USUAL: usize = 3;

/// The marks before the name of a placeholder, such as `{{`.
pub(super) fn marks(placeholder: &str) -> &str {
    let name = placeholder.find(|c: char| c.is_ascii_alphanumeric() || c == '_');
    &placeholder[..name.unwrap_or(placeholder.len())]
}

/// The marks of the placeholders that several source texts have, in the file or in the files of the
/// same locale in the same directory.
pub(super) fn usual_marks(context: &Context<'_>) -> BTreeSet<String> {
    let texts = context.pairs().iter().filter_map(|pair| Some((pair, pair.sources.first()?)));
    let mut usual = frequent(texts.map(|(pair, text)| {
        let mut found = scan(context, pair, text);
        if has_plain_directives(context.layout.format) && found.is_empty() {
            found = placeholders::directives(text);
        }
        found
    }));
    let Some((directory, _)) = context.layout.group.split_once('*') else { return usual };
    let format = context.layout.format;
    let of_directory = cached(context.files, &format!("i18n marks {format:?} {directory}"), || {
        let groups = groups::groups(context.files);
        let groups = groups.iter().filter(|(name, _)| name.starts_with(directory));
        let sources = groups.filter_map(|(_, group)| group.source(context.files));
        let sources = sources.filter(|path| layout(path).is_some_and(|it| it.format == format));
        let catalogues: Vec<_> =
            sources.map(|path| groups::catalogue(context.files, &path)).collect();
        let own = catalogues.iter().filter_map(|it| Option::as_ref(it));
        frequent(own.flat_map(|catalogue| {
            let forms = catalogue.entries.iter().filter_map(|entry| entry.forms.first());
            forms.map(|form| placeholders::scan(format, catalogue.is_icu, &form.value))
        }))
    });
    // Single braces are text if the library has double ones.
    if of_directory.contains("{{") && !of_directory.contains("{") {
        usual.remove("{");
    }
    usual.extend(of_directory.iter().cloned());
    usual
}

/// Whether braces are text: the library has placeholders in double braces.
pub(super) fn is_text_in_braces<'u>(
    format: Format,
    name: &str,
    usual: impl FnOnce() -> &'u BTreeSet<String>,
) -> bool {
    if format != Format::Json || !name.starts_with('{') || name.starts_with("{{") {
        return false;
    }
    let usual = usual();
    usual.contains("{{") && !usual.contains("{")
}

/// The marks of the first placeholders of several texts.
fn frequent(texts: impl Iterator<Item = Vec<Placeholder>>) -> BTreeSet<String> {
    let mut counts = BTreeMap::<String, usize>::new();
    for (name, _) in texts.filter_map(|found| found.into_iter().next()) {
        *counts.entry(marks(&name).to_owned()).or_default() += 1;
    }
    if counts.get("{{") > counts.get("{") {
        counts.remove("{");
    }
    counts.into_iter().filter(|&(_, count)| count >= MIN_USUAL).map(|(marks, _)| marks).collect()
}

/// Whether a placeholder is a constant of the program, such as `${PRODUCT_NAME}` of an installer: another
/// source text of the file has it too.
pub(super) fn is_constant(context: &Context<'_>, name: &str) -> bool {
    name.starts_with("${")
        && !name.contains(|c: char| c.is_ascii_lowercase())
        && context.pairs().iter().any(|it| it.sources.iter().any(|text| text.contains(name)))
}
