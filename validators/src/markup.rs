//! The family of rules on markup and scripts of front ends. Each file is parsed once, elements into
//! the model of `aidd-markup`, and all groups of rules run on it: a group has a module with its ids
//! and checks.

use crate::scripts::with_program;
use crate::{a11y, perf, test_files};
use aidd_engine::check::SKIPPED;
use aidd_engine::check::family::{Family, FileContext};
use aidd_engine::rules::rule::Report;
use aidd_engine::text::kind::Kind;
use aidd_engine::text::source::Span;
use aidd_markup::{Document, Language};
use memchr::memmem;
use oxc_ast::ast::Program;

/// Files that contain markup.
const MARKUP: Kind = Kind("markup");
/// Scripts without elements.
const SCRIPT: Kind = Kind("script");
/// Style sheets with fonts.
const STYLES: Kind = Kind("styles");

/// The rules on markup and scripts of front ends.
pub(super) const FAMILY: Family = Family {
    name: "markup",
    rules: || [a11y::rules(), perf::rules()].concat(),
    claim,
    check,
    // An import of a library is reported once in a package.
    needs_listing: true,
    affects_other_files: |path| {
        path.rsplit('/').next().is_some_and(perf::is_settings)
            || path.ends_with(".css")
            || path.ends_with(".scss")
            || path.contains("tailwind.config.")
            || a11y::is_component_path(path)
    },
    ..Family::EMPTY
};

fn claim(path: &str, text: &str) -> Option<Kind> {
    let script =
        || perf::claims_script(path).then_some(SCRIPT).filter(|_| !test_files::is_test(path));
    let other = || script().or_else(|| perf::claims_styles(path, text).then_some(STYLES));
    let Some(language) = Language::of_path(path) else { return other() };
    let is_minified = path.ends_with(".min.js") || path.ends_with(".min.html");
    // A script without a closing tag contains no elements.
    let has_elements = language != Language::Jsx
        || text.is_empty()
        || memmem::find(text.as_bytes(), b"/>").is_some()
        || memmem::find(text.as_bytes(), b"</").is_some();
    if !has_elements {
        return script();
    }
    (!is_minified && !test_files::is_test(path) && !is_sample(path)).then_some(MARKUP)
}

/// Whether the path shows that the markup is the input of a test, or a story of Storybook.
fn is_sample(path: &str) -> bool {
    let (dirs, name) = path.rsplit_once('/').unwrap_or(("", path));
    let is_sample_dir = |dir| {
        matches!(
            dir,
            "__tests__"
                | "__fixtures__"
                | "__mocks__"
                | "fixtures"
                | "testdata"
                | "test"
                | "tests"
                | "spec"
                | "e2e"
                | "cypress"
        )
    };
    dirs.split('/').any(is_sample_dir)
        || [".stories.", ".story.", ".test.", ".spec."].iter().any(|part| name.contains(part))
}

fn check(kind: Kind, context: &FileContext<'_>, report: &mut Report<'_>) {
    let source = report.source();
    let language = Language::of_path(source.path()).filter(|_| kind == MARKUP);
    let accessibility = a11y::Enabled::new(report);
    let performance = perf::Checks::new(context.files, report);
    if kind == STYLES {
        if let Some(performance) = &performance {
            performance.check_styles(context.tree, report);
        }
        return;
    }
    if performance.is_none() && (accessibility.is_empty() || language.is_none()) {
        return;
    }
    let check_elements =
        |document: &mut Document<'_>, program: Option<&Program<'_>>, report: &mut Report<'_>| {
            accessibility.resolve_components(document, program, source, context);
            accessibility.check(document, context.files, report);
            if let Some(performance) = &performance {
                performance.check_elements(document, report);
            }
        };
    let checked = match language {
        Some(language) if language != Language::Jsx => {
            check_elements(&mut Document::parse(source.text(), language), None, report);
            performance.as_ref().map_or(Ok(()), |it| it.check_inner_scripts(language, report))
        }
        _ => with_program(source, |program| {
            if language.is_some() {
                let mut document = Document::of_program(source.text(), program);
                check_elements(&mut document, Some(program), report);
            }
            if let Some(performance) = &performance {
                performance.check_script(program, report);
            }
        }),
    };
    if let Err(too_complex) = checked
        && report.begin(SKIPPED)
    {
        report.at(Span::default(), format!("{too_complex}; the checks on markup did not run"));
    }
}
