//! Design tokens: files of the Design Tokens format 2025.10 and its resolver documents, of Style
//! Dictionary and of Tokens Studio. All defects of a file are reported at once.

mod code;
pub(crate) mod color;
mod document;
mod duplicates;
mod mode;
mod pairs;
mod project;
mod references;
mod resolver;
mod structure;
mod style;
mod types;
mod values;

use aidd_engine::check::family::{Family, Param, ParamType};
use aidd_engine::rules::rule::Report;
use aidd_engine::text::files::Files;
use aidd_engine::text::finding::Edit;
use aidd_engine::text::kind::Kind;
use aidd_engine::text::purpose::Purpose;
use aidd_engine::text::source::{Source, Span};
use document::{Document, Layout};
use mode::Mode;

/// A file with design tokens, or a resolver document.
const TOKENS: Kind = Kind("design-tokens");
/// A style sheet, whose values can be compared with tokens.
const STYLE_SHEET: Kind = Kind("style-sheet");

const CIRCULAR: &str = "tokens/circular-reference";
const DRAFT_VALUE: &str = "tokens/draft-value";
const DUPLICATE_KEY: &str = "tokens/duplicate-key";
const INVALID_EXTENDS: &str = "tokens/invalid-extends";
const INVALID_NAME: &str = "tokens/invalid-name";
const INVALID_PROPERTY: &str = "tokens/invalid-property";
const INVALID_REFERENCE: &str = "tokens/invalid-reference";
const INVALID_RESOLVER: &str = "tokens/invalid-resolver";
const INVALID_STRUCTURE: &str = "tokens/invalid-structure";
const INVALID_VALUE: &str = "tokens/invalid-value";
const MISSING_REFERENCE: &str = "tokens/missing-reference";
const MISSING_TYPE: &str = "tokens/missing-type";
const REFERENCE_TYPE: &str = "tokens/reference-type";
const TOKEN_AND_GROUP: &str = "tokens/token-and-group";
const UNKNOWN_TYPE: &str = "tokens/unknown-type";

/// The rules whose findings one walk over a file collects.
const COLLECTED: &[&str] = &[
    CIRCULAR,
    DRAFT_VALUE,
    DUPLICATE_KEY,
    INVALID_EXTENDS,
    INVALID_NAME,
    INVALID_PROPERTY,
    INVALID_REFERENCE,
    INVALID_RESOLVER,
    INVALID_STRUCTURE,
    INVALID_VALUE,
    MISSING_REFERENCE,
    MISSING_TYPE,
    REFERENCE_TYPE,
    TOKEN_AND_GROUP,
    UNKNOWN_TYPE,
];

/// The code of one rule.
type TokenCheck = fn(&Document<'_>, &mut Report<'_>);

/// The rules that have a function of their own.
const SINGLE: &[(&str, TokenCheck)] = &[
    ("tokens/deprecated-reference", style::deprecated_reference),
    ("tokens/duplicate-value", duplicates::duplicate_value),
    ("tokens/name-style", style::name_style),
    ("tokens/similar-name", style::similar_name),
];

/// The rules on design tokens.
pub(super) const FAMILY: Family = Family {
    name: "tokens",
    rules: || {
        let single = SINGLE.iter().map(|&(id, _)| id);
        COLLECTED
            .iter()
            .copied()
            .chain(single)
            .chain([code::LITERAL, code::UNUSED, pairs::LOW_CONTRAST])
            .collect()
    },
    params: &[Param { rule: "tokens/name-style", name: "style", param_type: ParamType::String }],
    claim,
    check: |kind, context, report| match kind {
        STYLE_SHEET => code::style_sheet(context, report),
        _ => check(context.files, report),
    },
    check_code: code::program,
    affects_other_files: project::is_token_path,
    needs_listing: true,
    ..Family::EMPTY
};

/// A violation, before it is known whether its rule is enabled.
struct Issue {
    rule: &'static str,
    span: Span,
    message: String,
    help: Option<String>,
    /// The title and the edits of a fix, and whether it is safe.
    fix: Option<(String, Vec<Edit>, bool)>,
}

impl Issue {
    fn new(rule: &'static str, span: Span, message: impl Into<String>) -> Self {
        Self { rule, span, message: message.into(), help: None, fix: None }
    }

    fn help(mut self, help: impl Into<String>) -> Self {
        self.help = Some(help.into());
        self
    }

    fn fix(mut self, title: impl Into<String>, edits: Vec<Edit>) -> Self {
        self.fix = Some((title.into(), edits, true));
        self
    }

    fn fix_unsafe(mut self, title: impl Into<String>, edits: Vec<Edit>) -> Self {
        self.fix = Some((title.into(), edits, false));
        self
    }
}

fn claim(path: &str, text: &str) -> Option<Kind> {
    let extension = path.rsplit_once('.').map_or("", |(_, extension)| extension);
    match extension {
        // Without the rules on tokens, nothing parses a style sheet, so the path alone claims none.
        "css" | "less" | "scss" => (!text.is_empty()).then_some(STYLE_SHEET),
        "json" | "json5" | "jsonc" | "tokens" => {
            let is_claimed = has_token_name(path)
                || path.ends_with(".resolver.json")
                || text.contains("\"$value\"")
                || text.contains("\"resolutionOrder\"")
                || text.contains("\"value\"") && project::is_token_path(path);
            is_claimed.then_some(TOKENS)
        }
        _ => None,
    }
}

/// Whether the name has an extension that only token files have.
pub(super) fn has_token_name(path: &str) -> bool {
    path.ends_with(".tokens") || path.ends_with(".tokens.json")
}

fn check(files: &dyn Files, report: &mut Report<'_>) {
    let source = report.source();
    let purpose = Purpose::of_file(source.path(), files);
    // Tests of tools contain defective files on purpose.
    let is_skipped = matches!(
        purpose,
        Purpose::Vendored
            | Purpose::Archived
            | Purpose::Generated
            | Purpose::Template
            | Purpose::Test
    );
    if is_skipped {
        return;
    }
    let mut issues = Vec::new();
    if let Some(document) = read(source, files, &mut issues) {
        if document.too_deep {
            report.unchecked("it is nested too deeply");
            return;
        }
        for &(id, check) in SINGLE {
            if report.begin(id) {
                check(&document, report);
            }
        }
        pairs::low_contrast(&document, files, report);
        code::unused(&document, files, report);
    }
    for &rule in COLLECTED {
        if !issues.iter().any(|issue| issue.rule == rule) || !report.begin(rule) {
            continue;
        }
        for issue in issues.iter().filter(|issue| issue.rule == rule) {
            let finding = report.at(issue.span, issue.message.as_str());
            finding.help.clone_from(&issue.help);
            if let Some((title, edits, is_safe)) = &issue.fix {
                if *is_safe {
                    finding.fix(title.as_str(), edits.clone());
                } else {
                    finding.fix_unsafe(title.as_str(), edits.clone());
                }
            }
        }
    }
}

/// Parses the file and collects its violations; `None` if it has no tokens.
fn read<'a>(
    source: &'a Source,
    files: &dyn Files,
    issues: &mut Vec<Issue>,
) -> Option<Document<'a>> {
    let mut document = Document::parse(source);
    if let Some((span, message)) = &document.values.broken {
        // Without the tree, only the name shows that the file has tokens.
        if has_token_name(source.path()) {
            issues.push(Issue::new(INVALID_STRUCTURE, *span, format!("invalid JSON: {message}")));
        }
        return None;
    }
    if document.too_deep {
        return Some(document);
    }
    if resolver::is_resolver(&document) {
        resolver::check(&document, files, issues);
        return None;
    }
    let layout = document.layout(has_token_name(source.path()), files)?;
    let mode = Mode::of(&document, layout, files);
    document.collect(layout);
    if document.tokens.is_empty() && !has_token_name(source.path()) && !document.has_schema() {
        return None;
    }
    document.mode = mode;
    structure::check(&document, issues);
    if layout == Layout::Format {
        types::check(&document, files, issues);
    }
    references::check(&document, files, issues);
    values::check_drafts(&document, issues);
    Some(document)
}

#[cfg(test)]
mod tests;
