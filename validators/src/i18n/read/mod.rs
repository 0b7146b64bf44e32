//! Readers: each returns the entries of a file with their spans, and the defects of the file.

mod apple;
mod fluent;
mod json;
mod php;
mod po;
mod properties;
mod xcstrings;
mod xml;
mod yaml;

pub(super) use fluent::plural_selections;

use super::icu;
use super::layout::Layout;
use super::model::{Catalogue, Entry, Format};

/// Reads a catalogue; `None` if the content shows that the file is not one.
pub(super) fn read(layout: &Layout, text: &str) -> Option<Catalogue> {
    let locale = layout.locale.as_deref();
    let mut catalogue = match layout.format {
        Format::Json => json::read(text)?,
        Format::Arb => json::read_arb(text),
        Format::Yaml => yaml::read(text, locale)?,
        Format::Po | Format::Pot => po::read(text, layout.format == Format::Pot),
        Format::Fluent => fluent::read(text),
        Format::Properties => properties::read(text),
        Format::Android => xml::read_android(text, layout.group.contains("composeResources/"))?,
        Format::Resx => xml::read_resx(text)?,
        Format::Xliff => xml::read_xliff(text)?,
        Format::Strings => apple::read_strings(text),
        Format::StringsDict => xml::read_stringsdict(text)?,
        Format::XcStrings => xcstrings::read(text)?,
        Format::Php => php::read(text)?,
    };
    catalogue.is_icu = match layout.format {
        Format::Arb => true,
        Format::Json | Format::Yaml => is_icu(&catalogue),
        _ => false,
    };
    // Crowdin writes ids instead of texts into the locale with which it marks texts in a running program.
    if memchr::memmem::find(text.as_bytes(), CROWDIN_MARK).is_some() {
        let is_marked = |entry: &Entry| {
            let values = || entry.forms.iter().map(|form| form.value.as_bytes());
            values().any(|value| memchr::memmem::find(value, CROWDIN_MARK).is_some())
        };
        for entry in catalogue.entries.iter_mut().filter(|entry| is_marked(entry)) {
            entry.inactive = true;
        }
    }
    Some(catalogue)
}

/// The start of a text that Crowdin marks.
const CROWDIN_MARK: &[u8] = b"crwdns";

/// Whether a text shows that the texts are ICU messages: a plural or a selection, and no doubled
/// braces, which other libraries use.
fn is_icu(catalogue: &Catalogue) -> bool {
    let values = || catalogue.entries.iter().flat_map(|entry| &entry.forms);
    values().any(|form| icu::is_certain(&form.value))
        && !values().any(|form| form.value.contains("{{") && !icu::is_certain(&form.value))
}

/// The byte offset after a byte order mark.
fn after_mark(text: &str) -> usize {
    if text.starts_with('\u{FEFF}') { '\u{FEFF}'.len_utf8() } else { 0 }
}
