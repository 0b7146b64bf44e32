//! The family of rules on markup. Each file is parsed once into the element model of `aidd-markup`,
//! and all groups of rules run on it: a group has a module with its ids and checks.

use crate::scripts::with_program;
use crate::{a11y, test_files};
use aidd_engine::check::SKIPPED;
use aidd_engine::check::family::Family;
use aidd_engine::rules::rule::Report;
use aidd_engine::text::kind::Kind;
use aidd_engine::text::source::Span;
use aidd_markup::{Document, Language};
use memchr::memmem;

/// Files that contain markup.
const MARKUP: Kind = Kind("markup");

/// The rules on markup.
pub(super) const FAMILY: Family = Family {
    name: "markup",
    rules: a11y::rules,
    claim,
    check: |_, _, report| check(report),
    ..Family::EMPTY
};

fn claim(path: &str, text: &str) -> Option<Kind> {
    let language = Language::of_path(path)?;
    let is_minified = path.ends_with(".min.js") || path.ends_with(".min.html");
    // A script without a closing tag contains no elements.
    let has_elements = language != Language::Jsx
        || text.is_empty()
        || memmem::find(text.as_bytes(), b"/>").is_some()
        || memmem::find(text.as_bytes(), b"</").is_some();
    (has_elements && !is_minified && !test_files::is_test(path)).then_some(MARKUP)
}

fn check(report: &mut Report<'_>) {
    let source = report.source();
    let Some(language) = Language::of_path(source.path()) else { return };
    let accessibility = a11y::Enabled::new(report);
    if accessibility.is_empty() {
        return;
    }
    if language != Language::Jsx {
        let document = Document::parse(source.text(), language);
        accessibility.check(&document, report);
        return;
    }
    let checked = with_program(source, |program| {
        let document = Document::of_program(source.text(), program);
        accessibility.check(&document, report);
    });
    if let Err(too_complex) = checked
        && report.begin(SKIPPED)
    {
        report.at(Span::default(), format!("{too_complex}; the checks on markup did not run"));
    }
}
