//! Rules on the accessibility of markup, over the element model.

mod alt_words;
mod aria;
mod attributes;
mod braille;
mod clicks;
mod components;
mod containers;
mod contrast;
mod controls;
mod corrections;
mod documents;
mod element;
mod element_roles;
mod forms;
mod frames;
mod html;
mod images;
mod interaction;
mod labels;
mod landmarks;
mod links;
mod names;
mod page;
mod plain;
mod role_names;
mod roles;
mod spacing;
mod structure;
mod tables;
#[cfg(test)]
mod tests;
mod tokens;
mod unseen;
mod values;

use aidd_engine::check::family::FileContext;
use aidd_engine::rules::rule::Report;
use aidd_engine::text::files::Files;
use aidd_engine::text::finding::Finding;
use aidd_engine::text::source::{Source, Span};
use aidd_markup::{Document, Language};
use element::El;
use oxc_ast::ast::Program;

/// The code of one rule: inspects an element.
type Check = fn(El<'_>, &mut Found<'_, '_>);

/// The rules, by id.
const CHECKS: &[(&str, Check)] = &[
    ("a11y/access-key", attributes::access_key),
    ("a11y/active-descendant-without-focus", interaction::active_descendant),
    ("a11y/ambiguous-link-text", controls::ambiguous_link_text),
    ("a11y/aria-hidden-body", attributes::aria_hidden_body),
    ("a11y/aria-on-invisible-element", attributes::aria_on_invisible_element),
    ("a11y/autofocus", interaction::autofocus),
    ("a11y/autoplay", images::autoplay),
    ("a11y/braille-without-equivalent", braille::braille_without_equivalent),
    ("a11y/broken-fragment", page::broken_fragment),
    ("a11y/click-only-element", clicks::click_only_element),
    ("a11y/conditional-aria-attribute", containers::conditional_aria_attribute),
    ("a11y/definition-list", structure::definition_list),
    ("a11y/deprecated-role", role_names::deprecated_role),
    ("a11y/distracting-element", structure::distracting_element),
    ("a11y/duplicate-attribute", values::duplicate_attribute),
    ("a11y/empty-heading", controls::empty_heading),
    ("a11y/empty-link", controls::empty_link),
    ("a11y/empty-table-header", structure::empty_table_header),
    ("a11y/empty-title", documents::empty_title),
    ("a11y/fieldset-without-legend", controls::fieldset_without_legend),
    ("a11y/focusable-static-element", interaction::focusable_static_element),
    ("a11y/form-without-submit", forms::form_without_submit),
    ("a11y/header-without-cells", tables::header_without_cells),
    ("a11y/hidden-focusable", interaction::hidden_focusable),
    ("a11y/iframe-without-title", controls::iframe_without_title),
    ("a11y/image-map-on-server", images::image_map_on_server),
    ("a11y/implicit-button-type", forms::implicit_button_type),
    ("a11y/inline-spacing", spacing::inline_spacing),
    ("a11y/interactive-element-role", element_roles::interactive_element_role),
    ("a11y/invalid-aria-value", values::invalid_aria_value),
    ("a11y/invalid-autocomplete", values::invalid_autocomplete),
    ("a11y/invalid-lang", documents::invalid_lang),
    ("a11y/invalid-table-headers", containers::invalid_table_headers),
    ("a11y/label-mismatch", controls::label_mismatch),
    ("a11y/label-of-several-controls", forms::label_of_several_controls),
    ("a11y/label-without-control", labels::label_without_control),
    ("a11y/limited-zoom", documents::limited_zoom),
    ("a11y/link-without-target", links::link_without_target),
    ("a11y/list-structure", structure::list_structure),
    ("a11y/long-meta-refresh", documents::long_meta_refresh),
    ("a11y/media-without-captions", images::media_without_captions),
    ("a11y/meta-refresh", documents::meta_refresh),
    ("a11y/misplaced-scope", structure::misplaced_scope),
    ("a11y/missing-alt", images::missing_alt),
    ("a11y/missing-aria-state", attributes::missing_aria_state),
    ("a11y/missing-lang", documents::missing_lang),
    ("a11y/mouse-only-event", interaction::mouse_only_event),
    ("a11y/multiple-labels", controls::multiple_labels),
    ("a11y/nested-interactive", interaction::nested_interactive),
    ("a11y/nested-landmark", page::nested_landmark),
    ("a11y/noninteractive-element-role", element_roles::noninteractive_element_role),
    ("a11y/positive-tabindex", interaction::positive_tabindex),
    ("a11y/presentation-conflict", interaction::presentation_conflict),
    ("a11y/prohibited-name", attributes::prohibited_name),
    ("a11y/redundant-alt", images::redundant_alt),
    ("a11y/redundant-aria-label", forms::redundant_aria_label),
    ("a11y/redundant-for", forms::redundant_for),
    ("a11y/redundant-role", element_roles::redundant_role),
    ("a11y/repeated-alt", page::repeated_alt),
    ("a11y/role-instead-of-alt", images::role_instead_of_alt),
    ("a11y/role-instead-of-element", element_roles::role_instead_of_element),
    ("a11y/role-not-allowed", element_roles::role_not_allowed),
    ("a11y/role-outside-container", containers::role_outside_container),
    ("a11y/role-with-other-items", containers::role_with_other_items),
    ("a11y/role-without-focus", interaction::role_without_focus),
    ("a11y/stray-list-item", structure::stray_list_item),
    ("a11y/svg-without-focusable", images::svg_without_focusable),
    ("a11y/table-duplicate-name", tables::table_duplicate_name),
    ("a11y/table-fake-caption", tables::table_fake_caption),
    ("a11y/table-without-headers", tables::table_without_headers),
    ("a11y/title-as-label", controls::title_as_label),
    ("a11y/title-on-decorative-image", images::title_on_decorative_image),
    ("a11y/unknown-aria-attribute", attributes::unknown_aria_attribute),
    ("a11y/unknown-role", role_names::unknown_role),
    ("a11y/unlabelled-control", controls::unlabelled_control),
    ("a11y/unnamed-button", controls::unnamed_button),
    ("a11y/unnamed-image-role", images::unnamed_image_role),
    ("a11y/unnamed-widget", controls::unnamed_widget),
    ("a11y/unreachable-frame", frames::unreachable_frame),
    ("a11y/unseen-attribute", unseen::unseen_attribute),
    ("a11y/unsupported-aria-attribute", attributes::unsupported_aria_attribute),
    ("a11y/zoom-disabled", documents::zoom_disabled),
];

/// The code of a rule that inspects the whole document.
type DocumentCheck = fn(&Document<'_>, &mut Found<'_, '_>);

/// The rules on whole documents, by id.
const DOCUMENT_CHECKS: [(&str, DocumentCheck); 10] = [
    ("a11y/content-outside-landmark", landmarks::content_outside_landmark),
    ("a11y/duplicate-id", documents::duplicate_id),
    ("a11y/duplicate-landmark", page::duplicate_landmark),
    ("a11y/enhanced-contrast", contrast::enhanced_contrast),
    ("a11y/identical-links-same-purpose", page::identical_links),
    ("a11y/low-contrast", contrast::low_contrast),
    ("a11y/missing-main", landmarks::missing_main),
    ("a11y/missing-page-heading", landmarks::missing_page_heading),
    ("a11y/repeated-frame-title", landmarks::repeated_frame_title),
    ("a11y/skipped-heading-level", page::skipped_heading_level),
];

/// The ids of the rules.
pub(super) fn rules() -> Vec<&'static str> {
    let ids = CHECKS.iter().map(|&(id, _)| id);
    ids.chain(DOCUMENT_CHECKS.iter().map(|&(id, _)| id)).collect()
}

pub(crate) use components::is_component_path;

/// The rules that are enabled for a file.
pub(super) struct Enabled {
    checks: Vec<(&'static str, Check)>,
    document_checks: Vec<(&'static str, DocumentCheck)>,
}

/// Collects the findings of one rule.
struct Found<'f, 'r> {
    report: &'f mut Report<'r>,
    files: &'f dyn Files,
    rule: &'static str,
}

impl Found<'_, '_> {
    /// Adds a finding of the rule.
    fn at(&mut self, span: Span, message: impl Into<String>) -> &mut Finding {
        self.report.begin(self.rule);
        self.report.at(span, message)
    }

    /// The path of the file.
    fn path(&self) -> &str {
        self.report.source().path()
    }

    /// The text of the file.
    fn source_text(&self) -> &str {
        self.report.source().text()
    }

    /// Whether the path shows that the file is an e-mail.
    fn is_email(&self) -> bool {
        self.path().to_ascii_lowercase().contains("mail")
    }

    /// The number of the line at the start of `span`, from 1.
    fn line(&self, span: Span) -> usize {
        self.report.source().line_of(span.start) + 1
    }

    /// The text of the source at `span`.
    fn slice(&self, span: Span) -> &str {
        self.report.source().slice(span)
    }
}

impl Enabled {
    pub(super) fn new(report: &mut Report<'_>) -> Self {
        let checks = CHECKS.iter().filter(|(id, _)| report.begin(id)).copied().collect();
        let document_checks = DOCUMENT_CHECKS.into_iter().filter(|(id, _)| report.begin(id));
        Self { document_checks: document_checks.collect(), checks }
    }

    pub(super) fn is_empty(&self) -> bool {
        self.checks.is_empty() && self.document_checks.is_empty()
    }

    /// Sets the elements of HTML that the components of a document render.
    pub(super) fn resolve_components(
        &self,
        document: &mut Document<'_>,
        program: Option<&Program<'_>>,
        source: &Source,
        context: &FileContext<'_>,
    ) {
        if !self.is_empty() {
            components::resolve(document, program, source, context);
        }
    }

    /// Runs the rules on a document.
    pub(super) fn check(
        &self,
        document: &Document<'_>,
        files: &dyn Files,
        report: &mut Report<'_>,
    ) {
        // These libraries draw an image or a PDF.
        let is_drawn = |module| {
            matches!(
                module,
                "next/og" | "@vercel/og" | "satori" | "workers-og" | "@react-pdf/renderer"
            )
        };
        // Parts of the images of Next.js are in the directory of their route.
        let is_of_image = || {
            let mut dirs = report.source().path().split('/').rev().skip(1);
            document.language() == Language::Jsx && dirs.any(|dir| dir == "og")
        };
        if document.modules().any(is_drawn) || is_of_image() {
            return;
        }
        let mut found = Found { report, files, rule: "" };
        for &(id, check) in &self.document_checks {
            found.rule = id;
            check(document, &mut found);
        }
        for element in document.elements().map(El::new) {
            for &(id, check) in &self.checks {
                found.rule = id;
                check(element, &mut found);
            }
        }
    }
}
