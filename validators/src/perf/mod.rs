//! Rules on the performance of front ends: React, Next, Vue, Svelte, Angular and plain HTML.

mod ast;
mod blocking;
mod calls;
mod cleanup;
mod declared;
mod dependencies;
mod effects;
mod first_uses;
mod imports;
mod keys;
mod layout;
mod layouts;
mod lazy;
mod leaks;
mod library;
mod loops;
mod markup;
mod next;
mod plain;
mod project;
mod props;
mod react;
mod recurring;
mod styles;
mod subscriptions;
#[cfg(test)]
mod tests;
mod walk;
mod waterfall;

use crate::scripts::nesting::TooComplex;
use crate::scripts::with_program_of_type;
use aidd_engine::parse::syntax::Tree;
use aidd_engine::rules::rule::Report;
use aidd_engine::text::files::Files;
use aidd_engine::text::finding::Finding;
use aidd_engine::text::purpose::Purpose;
use aidd_engine::text::source::Span;
use aidd_markup::{Document, Language};
use oxc_ast::ast::Program;
use oxc_ast_visit::Visit;
use oxc_span::SourceType;
use project::Package;
use std::sync::Arc;
use walk::Walker;

/// The rules on scripts.
const RULES: &[&str] = &[
    "perf/accumulating-spread",
    "perf/await-in-loop",
    "perf/blocking-listener",
    "perf/constructed-context-value",
    "perf/created-in-render",
    "perf/derived-state",
    "perf/document-write",
    "perf/eager-initial-state",
    "perf/endless-effect",
    "perf/filter-first",
    "perf/index-key",
    "perf/ineffective-lazy-import",
    "perf/ineffective-listener-removal",
    "perf/inline-components",
    "perf/layout-thrash",
    "perf/leaking-effect",
    "perf/map-flat",
    "perf/memo-without-dependencies",
    "perf/nested-component",
    "perf/next-analytics-script",
    "perf/next-async-client-component",
    "perf/next-before-interactive",
    "perf/next-data-function-name",
    "perf/next-document-import",
    "perf/next-document-style",
    "perf/next-document-title",
    "perf/next-duplicate-head",
    "perf/next-head-element",
    "perf/next-head-in-document",
    "perf/next-html-link",
    "perf/next-image-sizes",
    "perf/next-img-element",
    "perf/next-inline-script-id",
    "perf/next-page-font",
    "perf/next-script-in-head",
    "perf/next-style-link",
    "perf/query-in-loop",
    "perf/random-key",
    "perf/request-waterfall",
    "perf/synchronous-request",
    "perf/unload-handler",
    "perf/unstable-default",
    "perf/unstable-dependency",
    "perf/unstable-memo-prop",
    "perf/whole-library-import",
];

/// The message on a font whose text is invisible at first.
const FONT_DISPLAY: &str = "text is invisible until the font has loaded";

/// The ids of all rules.
pub(super) fn rules() -> Vec<&'static str> {
    [RULES, markup::RULES].concat()
}

/// Whether the rules check the file at this path, although it contains no elements.
pub(super) fn claims_script(path: &str) -> bool {
    let name = path.rsplit('/').next().unwrap_or(path);
    let Some((stem, extension)) = name.rsplit_once('.') else { return false };
    let is_script =
        matches!(extension, "js" | "jsx" | "ts" | "tsx" | "mjs" | "cjs" | "mts" | "cts");
    let is_excluded = [".min", ".d", ".gen", ".generated", ".stories", ".story", ".bench"];
    is_script && !is_excluded.iter().any(|end| stem.ends_with(end))
}

/// Whether the name is that of a file with settings of the package or of its linter.
pub(super) fn is_settings(name: &str) -> bool {
    project::LINTERS.contains(&name)
}

/// Whether the rules check the style sheet at this path.
pub(super) fn claims_styles(path: &str, text: &str) -> bool {
    let is_sheet = path.ends_with(".css") || path.ends_with(".scss");
    is_sheet
        && !path.ends_with(".min.css")
        && memchr::memmem::find(text.as_bytes(), b"@font-face").is_some()
}

/// The checks on one file, if a rule is enabled and the file is part of the product.
pub(super) struct Checks<'c> {
    files: &'c dyn Files,
    package: Arc<Package>,
}

impl<'c> Checks<'c> {
    pub(super) fn new(files: &'c dyn Files, report: &mut Report<'_>) -> Option<Self> {
        let path = report.source().path();
        let is_enabled = RULES.iter().chain(markup::RULES).any(|rule| report.begin(rule));
        let is_checked =
            is_enabled && !is_other_purpose(path, files) && !is_minified(report.source().text());
        is_checked.then(|| Self { files, package: Package::of_file(files, path) })
    }

    /// Runs the rules on elements.
    pub(super) fn check_elements(&self, document: &Document<'_>, report: &mut Report<'_>) {
        markup::check(document, report.source().text(), self.files, report);
    }

    /// Runs the rules on a script.
    pub(super) fn check_script(&self, program: &Program<'_>, report: &mut Report<'_>) {
        let text = report.source().text();
        check_program(&mut Walker::new(text, program, &self.package, self.files, report), program);
    }

    /// Runs the rules on the scripts in a file of markup.
    pub(super) fn check_inner_scripts(
        &self,
        language: Language,
        report: &mut Report<'_>,
    ) -> Result<(), TooComplex> {
        if language == Language::Astro {
            return self.check_front_matter(report);
        }
        if !matches!(language, Language::Vue | Language::Svelte) {
            return Ok(());
        }
        let text = script_only(report.source().text());
        let is_setup = is_setup(report.source().text(), language);
        with_program_of_type(&text, SourceType::ts(), |program| {
            let mut walker = Walker::new(&text, program, &self.package, self.files, report);
            check_program(&mut walker, program);
            if is_setup {
                leaks::check_setup(&mut walker, program);
                waterfall::check_setup(&mut walker, program);
            }
        })
    }

    /// Runs the rules on the script at the start of a page of Astro.
    fn check_front_matter(&self, report: &mut Report<'_>) -> Result<(), TooComplex> {
        let Some(text) = front_matter(report.source().text()) else { return Ok(()) };
        let renders_on_demand = text.contains("prerender = false")
            || self.package.renders_on_demand && !text.contains("prerender = true");
        if !renders_on_demand {
            return Ok(());
        }
        with_program_of_type(&text, SourceType::ts(), |program| {
            let mut walker = Walker::new(&text, program, &self.package, self.files, report);
            waterfall::check_page(&mut walker, program);
        })
    }

    /// Runs the rules on a style sheet.
    pub(super) fn check_styles(&self, tree: &Tree<'_>, report: &mut Report<'_>) {
        if !self.package.is_desktop {
            styles::check(tree, report);
        }
    }
}

/// Whether the only script of a component runs for each new component.
fn is_setup(text: &str, language: Language) -> bool {
    let mut scripts = memchr::memmem::find_iter(text.as_bytes(), b"<script");
    let (Some(start), None) = (scripts.next(), scripts.next()) else { return false };
    let Some(length) = end_of_tag(&text[start..]) else { return false };
    let tag = &text[start..start + length];
    match language {
        Language::Vue => tag.contains(" setup"),
        _ => !tag.contains("module"),
    }
}

/// Whether a file is not part of the product.
fn is_other_purpose(path: &str, files: &dyn Files) -> bool {
    matches!(
        Purpose::of_file(path, files),
        Purpose::Test | Purpose::Vendored | Purpose::Generated | Purpose::Archived
    )
}

/// Whether a text consists of very long lines, as the output of a bundler does.
fn is_minified(text: &str) -> bool {
    const MIN_SIZE: usize = 8 << 10;
    const MAX_LINE: usize = 400;
    text.len() > MIN_SIZE
        && memchr::memchr_iter(b'\n', text.as_bytes()).count() < text.len() / MAX_LINE
}

/// The script between the first two lines of dashes, with all other bytes replaced by spaces.
fn front_matter(text: &str) -> Option<String> {
    let start = text.find("---")? + 3;
    let end = start + text[start..].find("\n---")?;
    if !text[..start - 3].trim_start_matches('\u{FEFF}').trim().is_empty() {
        return None;
    }
    let mut bytes = vec![b' '; text.len()];
    bytes[start..end].copy_from_slice(&text.as_bytes()[start..end]);
    String::from_utf8(bytes).ok()
}

fn check_program<'a>(walker: &mut Walker<'a, '_, '_>, program: &Program<'a>) {
    library::check(walker, program);
    if walker.package.has_next {
        next::check_module(walker, program);
    }
    walker.visit_program(program);
}

/// The text with all bytes outside of `<script>` elements replaced by spaces, so that the offsets
/// remain the same.
pub(crate) fn script_only(text: &str) -> String {
    let mut bytes = vec![b' '; text.len()];
    let mut at = 0;
    while let Some(start) = text[at..].find("<script") {
        let tag = at + start;
        let Some(open) = end_of_tag(&text[tag..]) else { break };
        let body = tag + open + 1;
        let end = text[body..].find("</script").map_or(text.len(), |end| body + end);
        bytes[body..end].copy_from_slice(&text.as_bytes()[body..end]);
        at = end;
    }
    String::from_utf8(bytes).unwrap_or_default()
}

/// The offset of the `>` that ends a tag, outside of quoted values: `generic="T extends A<B>"`.
fn end_of_tag(tag: &str) -> Option<usize> {
    let mut quote = None;
    tag.bytes().position(|byte| match (quote, byte) {
        (None, b'>') => true,
        (None, b'"' | b'\'') => {
            quote = Some(byte);
            false
        }
        (Some(open), _) => {
            quote = (open != byte).then_some(open);
            false
        }
        _ => false,
    })
}

/// Adds a finding of `rule` unless the rule is disabled.
fn report_at<'r>(
    report: &'r mut Report<'_>,
    rule: &str,
    span: Span,
    message: impl Into<String>,
) -> Option<&'r mut Finding> {
    report.begin(rule).then(|| report.at(span, message))
}
