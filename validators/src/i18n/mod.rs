//! Catalogues of translated texts, in the formats of all common libraries: defects of one file,
//! differences between the locales of a project, and keys that the code uses.

mod calls;
mod compare;
mod directives;
mod groups;
mod icu;
mod keys;
mod layout;
mod libraries;
mod locale;
mod mac_roman;
mod messages;
mod messages_in_code;
mod model;
mod mojibake;
mod newlines;
mod own_texts;
mod placeholders;
mod plural_forms;
mod plurals;
mod printf;
mod read;
mod routes;
mod supplied;
mod tags;
mod unused;
mod usage;
mod usual;

use aidd_engine::check::family::{Family, FileContext};
use aidd_engine::rules::rule::Report;
use aidd_engine::text::files::Files;
use aidd_engine::text::finding::Severity;
use aidd_engine::text::kind::Kind;
use aidd_engine::text::purpose::Purpose;
use aidd_engine::text::source::{Decoded, Source, Span};
use compare::Pair;
use groups::Group;
use layout::Layout;
use model::{Catalogue, Entry, Format};
use std::cell::OnceCell;
use std::sync::Arc;

/// Whether a text is the tag of a locale, such as `pt-BR`.
pub(crate) fn is_locale(tag: &str) -> bool {
    locale::parse(tag).is_some()
}

/// A catalogue of texts.
pub(super) const CATALOGUE: Kind = Kind("catalogue");
/// A file of a template language, which can use texts.
const TEMPLATE: Kind = Kind("template-with-texts");

/// The rules on catalogues of translated texts.
pub(super) const FAMILY: Family = Family {
    name: "i18n",
    rules: || {
        CHECKS
            .iter()
            .map(|&(id, _)| id)
            .chain(PROBLEMS)
            .chain([usage::RULE, usage::CHANGED])
            .collect()
    },
    claim: |path, text| {
        if usage::is_template(path) {
            return Some(TEMPLATE);
        }
        is_catalogue(path, text).then_some(CATALOGUE)
    },
    check: |kind, context, report| match kind {
        TEMPLATE => usage::check(context, report),
        _ => check(context, report),
    },
    check_code: usage::check,
    affects_other_files: |path| layout::layout(path).is_some(),
    needs_listing: true,
    statements: |kind, source| match kind {
        CATALOGUE if source.path().ends_with(".po") || source.path().ends_with(".pot") => {
            entries_of_po(source)
        }
        _ => Vec::new(),
    },
    ..Family::EMPTY
};

/// The entries of a PO file, each from one of its comments or from its first keyword up to the next
/// blank line: a comment is not valid between the keywords.
fn entries_of_po(source: &Source) -> Vec<Span> {
    let (mut spans, mut starts) = (Vec::new(), Vec::new());
    let (mut at, mut end, mut has_keyword) = (0, 0, false);
    for line in source.text().split_inclusive('\n').chain(["\n"]) {
        if line.trim().is_empty() {
            spans.extend(starts.drain(..).map(|start| Span::new(start, end)));
            has_keyword = false;
        } else if !has_keyword {
            starts.push(at);
            has_keyword = !line.starts_with('#');
        }
        at += line.len();
        if !line.trim().is_empty() {
            end = at;
        }
    }
    spans
}

/// Rules whose violations the readers find.
const PROBLEMS: [&str; 5] = [
    model::DUPLICATE,
    "i18n/encoding",
    "i18n/plural-forms",
    model::SYNTAX,
    "i18n/unescaped-apostrophe",
];

/// The code of one rule.
type CatalogueCheck = fn(&Context<'_>, &mut Report<'_>);

/// The checks, by rule id.
const CHECKS: &[(&str, CatalogueCheck)] = &[
    ("i18n/bidi-control", messages::bidi_control),
    ("i18n/extra-key", keys::extra_key),
    ("i18n/format-mismatch", directives::format_mismatch),
    ("i18n/invalid-message", messages::invalid_message),
    ("i18n/long-translation", keys::long_translation),
    ("i18n/missing-key", keys::missing_key),
    ("i18n/missing-placeholder", compare::missing_placeholder),
    ("i18n/missing-plural", plurals::missing_plural),
    ("i18n/mojibake", mojibake::mojibake),
    ("i18n/newline-mismatch", newlines::newline_mismatch),
    ("i18n/tag-mismatch", tags::tag_mismatch),
    ("i18n/undefined-reference", messages::undefined_reference),
    ("i18n/unknown-placeholder", compare::unknown_placeholder),
    ("i18n/unknown-plural", plurals::unknown_plural),
    ("i18n/untranslated", keys::untranslated),
    ("i18n/unused-key", unused::unused_key),
];

/// The input of the checks of one catalogue.
struct Context<'f> {
    layout: &'f Layout,
    own: &'f Catalogue,
    files: &'f dyn Files,
    /// The catalogue with the source texts, if it is another file.
    source: Option<(&'f str, Option<&'f Catalogue>)>,
    group: &'f Group,
    /// The entries with their source texts; see [`compare::pairs`].
    pairs: OnceCell<Vec<Pair<'f>>>,
    /// The texts with plural forms.
    counted: OnceCell<Vec<plurals::Counted>>,
    /// Whether the code names most keys of the file.
    is_named_in_code: OnceCell<bool>,
}

fn is_catalogue(path: &str, text: &str) -> bool {
    let Some(layout) = layout::layout(path) else { return false };
    match layout.format {
        // The content decides; without it, the path is sufficient.
        // Views of Arbre have the extension `.arb` too.
        Format::Json | Format::Arb => text.is_empty() || starts(text, &["{"]),
        // Generators copy templates of ERB into other projects.
        Format::Yaml => !path.contains("/templates/") || !text.contains("<%"),
        // Templates of FreeMarker have the same extension.
        Format::Fluent => {
            text.is_empty()
                || !["<#", "</#", "<@", "[#", "[@", "${"].iter().any(|mark| text.contains(mark))
                    && !starts(text, &["<"])
        }
        // Property lists in XML, in the old notation or in binary.
        Format::Strings => !starts(text, &["<", "{", "bplist"]),
        Format::Android => text.is_empty() || text.contains("<resources"),
        Format::Php => text.is_empty() || text.contains("return"),
        Format::Properties => !own_texts::is_settings(text),
        Format::StringsDict | Format::Xliff | Format::Resx => text.is_empty() || text.contains('<'),
        _ => true,
    }
}

/// Whether the text starts with one of `marks` after space.
fn starts(text: &str, marks: &[&str]) -> bool {
    let text = text.trim_start_matches('\u{FEFF}').trim_start();
    marks.iter().any(|mark| text.starts_with(mark))
}

fn check(context: &FileContext<'_>, report: &mut Report<'_>) {
    let source = report.source();
    let Some(layout) = layout::layout(source.path()) else { return };
    if is_skipped(source.path(), context.files) {
        return;
    }
    if source.decoded() == Decoded::Lossy {
        check_encoding(layout.format, report);
        return;
    }
    let catalogue = Arc::new(read::read(&layout, source.text()));
    let Some(own) = &*catalogue else { return };
    report_problems(own, layout.format, report);
    let groups = groups::groups(context.files);
    let alone = Group::default();
    let group = groups.get(&layout.group).unwrap_or(&alone);
    let source_path = (!layout.format.has_sources())
        .then(|| group.source(context.files).filter(|path| path != source.path()))
        .flatten();
    let source = source_path.map(|path| {
        let catalogue = groups::catalogue(context.files, &path);
        (path, catalogue)
    });
    let source = source.as_ref().map(|(path, catalogue)| (path.as_str(), (**catalogue).as_ref()));
    let files = context.files;
    let context = Context {
        layout: &layout,
        own,
        files,
        source,
        group,
        pairs: OnceCell::default(),
        counted: OnceCell::default(),
        is_named_in_code: OnceCell::default(),
    };
    for &(id, check) in CHECKS {
        if report.begin(id) {
            check(&context, report);
        }
    }
}

/// Whether the file belongs to others, to tests or to a template of projects.
fn is_skipped(path: &str, files: &dyn Files) -> bool {
    let mut purpose = Purpose::of_file(path, files);
    if purpose == Purpose::Vendored {
        // Repositories exclude their own catalogues from the statistics of GitHub with this attribute.
        purpose = Purpose::of_location(path, files);
    }
    let is_other = match purpose {
        Purpose::Vendored | Purpose::Archived | Purpose::Template => true,
        // `locales/fr/integration.json` has texts on integrations.
        Purpose::Test => {
            let directory = path.rsplit_once('/').map_or("", |(directory, _)| directory);
            Purpose::from_path(&format!("{directory}/texts")) == Purpose::Test
        }
        _ => false,
    };
    // Paths of project templates contain placeholders.
    is_other || path.contains("{{")
}

/// Reports a file that is not in UTF-8, unless its format has other encodings too.
fn check_encoding(format: Format, report: &mut Report<'_>) {
    let text = report.source().text();
    let is_utf8 = match format {
        Format::Po => {
            ["charset=UTF-8", "charset=utf-8"].iter().any(|charset| text.contains(charset))
        }
        // Laravel does not show texts in other encodings.
        Format::Json
        | Format::Arb
        | Format::Yaml
        | Format::Fluent
        | Format::XcStrings
        | Format::Php => true,
        // Xcode also reads UTF-16.
        Format::Strings => !text.contains('\0'),
        // XML without a declaration of another encoding.
        Format::Android | Format::Resx | Format::StringsDict | Format::Xliff => {
            let declaration = text.split("?>").next().filter(|start| start.len() < text.len());
            declaration
                .and_then(|start| start.split_once("encoding"))
                .is_none_or(|(_, value)| value.to_ascii_lowercase().contains("utf-8"))
        }
        _ => false,
    };
    // The engine replaces each invalid byte with this character.
    let Some(at) = text.find('\u{1A}').filter(|_| is_utf8) else { return };
    if report.begin("i18n/encoding") {
        report
            .at(Span::new(at, at + 1), "byte that is not valid in UTF-8")
            .help("Convert the file to UTF-8");
    }
}

fn report_problems(catalogue: &Catalogue, format: Format, report: &mut Report<'_>) {
    let is_json = matches!(format, Format::Json | Format::Arb | Format::XcStrings);
    for problem in &catalogue.problems {
        if !report.begin(problem.rule) {
            continue;
        }
        let finding = report.at(problem.span, problem.message.as_str());
        if let Some((span, message)) = problem.related {
            finding.related(span, message);
        }
        if let Some((title, span, text)) = &problem.fix {
            let edit = aidd_engine::text::finding::Edit::replace(*span, text.as_str());
            finding.fix(*title, vec![edit]);
        }
        // Files of other tools have the extensions of the other formats.
        if problem.is_harmless || problem.rule == model::SYNTAX && !is_json {
            finding.severity = finding.severity.min(Severity::Info);
        }
    }
}

impl<'f> Context<'f> {
    /// The entries of the file that are used.
    fn entries(&self) -> impl Iterator<Item = &'f Entry> + use<'f> {
        self.own.entries.iter().filter(|entry| !entry.inactive)
    }

    /// Whether the texts are messages in the syntax of ICU.
    fn is_icu(&self) -> bool {
        self.own.is_icu || self.source().is_some_and(|source| source.is_icu)
    }

    /// The catalogue with the source texts, if all of it was read.
    fn source(&self) -> Option<&'f Catalogue> {
        let (_, source) = self.source?;
        source.filter(|source| source.complete)
    }

    /// The translated entries with their source texts.
    fn pairs(&self) -> &[Pair<'f>] {
        self.pairs.get_or_init(|| compare::pairs(self))
    }

    /// The locale of an entry: that of the file, or that in the key of a string catalog.
    fn locale_of<'a>(&'a self, entry: &'a Entry) -> Option<&'a str> {
        match self.layout.format {
            Format::XcStrings => entry.key.split('\u{4}').next(),
            _ => self.layout.locale.as_deref(),
        }
    }
}

/// A key for messages, without the parts that separate context and locale.
fn display_key(key: &str) -> String {
    abbreviate(key.rsplit('\u{4}').next().unwrap_or(key))
}

/// A text for messages: on one line, and not too long.
fn abbreviate(text: &str) -> String {
    const MAX: usize = 60;
    let line: String = text.chars().map(|c| if c.is_control() { ' ' } else { c }).collect();
    if line.chars().count() <= MAX {
        return line;
    }
    let start: String = line.chars().take(MAX - 1).collect();
    format!("{start}…")
}

#[cfg(test)]
mod coverage;
#[cfg(test)]
mod entries;
#[cfg(test)]
mod tests;
