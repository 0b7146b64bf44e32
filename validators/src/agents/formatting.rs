//! Statements on formatting that the settings of the project's formatter contradict.

use super::AgentContext;
use super::markdown::Instructions;
use aidd_engine::parse::values::{Format, Values};
use aidd_engine::project::manifest;
use aidd_engine::rules::rule::Report;
use aidd_engine::text::files::{Files, side_file};
use aidd_engine::text::source::Span;
use std::collections::BTreeSet;

/// What a statement or setting decides.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Style {
    Tabs,
    Spaces(Option<u64>),
    SingleQuotes,
    DoubleQuotes,
    Semicolons,
    NoSemicolons,
}

impl Style {
    /// Whether both cannot hold.
    pub(super) fn contradicts(self, other: Self) -> bool {
        match (self, other) {
            (Self::Tabs, Self::Spaces(_))
            | (Self::Spaces(_), Self::Tabs)
            | (Self::SingleQuotes, Self::DoubleQuotes)
            | (Self::DoubleQuotes, Self::SingleQuotes)
            | (Self::Semicolons, Self::NoSemicolons)
            | (Self::NoSemicolons, Self::Semicolons) => true,
            (Self::Spaces(Some(a)), Self::Spaces(Some(b))) => a != b,
            _ => false,
        }
    }

    pub(super) fn display(self) -> String {
        match self {
            Self::Tabs => "tabs".to_owned(),
            Self::Spaces(None) => "spaces".to_owned(),
            Self::Spaces(Some(width)) => format!("{width} spaces"),
            Self::SingleQuotes => "single quotes".to_owned(),
            Self::DoubleQuotes => "double quotes".to_owned(),
            Self::Semicolons => "semicolons".to_owned(),
            Self::NoSemicolons => "no semicolons".to_owned(),
        }
    }
}

/// Statements that decide a style, in lower case.
const STATEMENTS: &[(&str, Style)] = &[
    ("use tabs", Style::Tabs),
    ("indent with tabs", Style::Tabs),
    ("tabs for indentation", Style::Tabs),
    ("tab indentation", Style::Tabs),
    ("use spaces", Style::Spaces(None)),
    ("2-space indent", Style::Spaces(Some(2))),
    ("2 space indent", Style::Spaces(Some(2))),
    ("2 spaces", Style::Spaces(Some(2))),
    ("two-space indent", Style::Spaces(Some(2))),
    ("4-space indent", Style::Spaces(Some(4))),
    ("4 space indent", Style::Spaces(Some(4))),
    ("4 spaces", Style::Spaces(Some(4))),
    ("four-space indent", Style::Spaces(Some(4))),
    ("single quotes", Style::SingleQuotes),
    ("double quotes", Style::DoubleQuotes),
    ("no semicolons", Style::NoSemicolons),
    ("without semicolons", Style::NoSemicolons),
    ("omit semicolons", Style::NoSemicolons),
    ("use semicolons", Style::Semicolons),
    ("always semicolons", Style::Semicolons),
];

/// Words that limit a statement to some files, to an exception or to another subject.
const LIMITS: &[&str] = &[
    "python",
    "yaml",
    "go ",
    "golang",
    "rust",
    "json",
    "makefile",
    "sql",
    "html",
    "css",
    "jsx",
    "ruby",
    "java",
    "c#",
    "markdown",
    "shell",
    "bash",
    "vue",
    "swift",
    "kotlin",
    "php",
    "except",
    "unless",
    "inside",
    "nested",
    "escape",
    "string literal",
    "template",
    "never",
    "not ",
    "don't",
    "avoid",
    "instead",
    "config",
    "align",
    "continuation",
    "code block",
    "list",
    "path",
    "argument",
    "around",
    "commit",
    "filename",
    "file name",
    "variable",
    "label",
];

pub(super) fn contradicts_formatter(context: &AgentContext<'_, '_>, report: &mut Report<'_>) {
    let Some((instructions, _)) = context.project_instructions() else { return };
    let found = statements(instructions);
    if found.is_empty() {
        return;
    }
    let settings = formatter_settings(context.files);
    for (style, span) in found {
        if let Some((set, path)) = settings.iter().find(|(set, _)| set.contradicts(style)) {
            let message = format!("`{path}` sets {}, not {}", set.display(), style.display());
            report
                .at(span, message)
                .help("correct the instruction, or the setting of the formatter");
        }
    }
}

/// The styles that the instructions demand for all files, each with the span of the phrase.
pub(super) fn statements(instructions: &Instructions<'_>) -> Vec<(Style, Span)> {
    let mut found = Vec::new();
    for (offset, line) in instructions.prose() {
        let lower = line.to_ascii_lowercase();
        let Some((phrase, style)) = STATEMENTS.iter().find(|(phrase, _)| lower.contains(phrase))
        else {
            continue;
        };
        let first = offset + lower.find(phrase).unwrap_or_default();
        let span = Span::new(first, first + phrase.len());
        let is_limited = |text: &str| LIMITS.iter().any(|word| text.contains(word));
        if is_limited(&lower) || is_limited(&headings_above(instructions, span)) {
            continue;
        }
        found.push((*style, span));
    }
    found
}

/// The texts of the headings of the sections that contain `span`, in lower case.
fn headings_above(instructions: &Instructions<'_>, span: Span) -> String {
    let headings = &instructions.document.headings;
    let count = headings.partition_point(|heading| heading.span.end <= span.start);
    let (mut level, mut texts) = (u8::MAX, String::new());
    for heading in headings[..count].iter().rev() {
        if heading.level < level {
            level = heading.level;
            texts.push_str(&heading.text.to_lowercase());
            texts.push('\n');
        }
    }
    texts
}

/// The styles that the formatters at the root set for all files, each with the file.
fn formatter_settings(files: &dyn Files) -> Vec<(Style, String)> {
    let mut found = Vec::new();
    for path in [".prettierrc", ".prettierrc.json", ".prettierrc.yaml", ".prettierrc.yml"] {
        let Some(text) = side_file(files, path) else { continue };
        let is_json = text.trim_start().starts_with('{');
        let values = Values::read(if is_json { Format::Json } else { Format::Yaml }, &text);
        let value = values.roots.first().map(|&root| values.json(root)).unwrap_or_default();
        add_prettier(&value, path, &mut found);
        break;
    }
    let package = manifest::json(files, "package.json");
    add_prettier(manifest::at(&package, &["prettier"]), "package.json", &mut found);
    if let Some(text) = side_file(files, ".editorconfig") {
        add_editorconfig(&text, &mut found);
    }
    found
}

fn add_prettier(value: &serde_json::Value, path: &str, found: &mut Vec<(Style, String)>) {
    let mut add = |style| found.push((style, path.to_owned()));
    let is = |key: &str| value.get(key).and_then(serde_json::Value::as_bool);
    match is("useTabs") {
        Some(true) => add(Style::Tabs),
        Some(false) => {
            add(Style::Spaces(value.get("tabWidth").and_then(serde_json::Value::as_u64)));
        }
        None => {
            let width = value.get("tabWidth").and_then(serde_json::Value::as_u64);
            width.into_iter().for_each(|width| add(Style::Spaces(Some(width))));
        }
    }
    match is("singleQuote") {
        Some(true) => add(Style::SingleQuotes),
        Some(false) => add(Style::DoubleQuotes),
        None => {}
    }
    match is("semi") {
        Some(true) => add(Style::Semicolons),
        Some(false) => add(Style::NoSemicolons),
        None => {}
    }
}

/// Only the section for all files; without such a section, nothing is set. A width counts only if no
/// section sets another one.
fn add_editorconfig(text: &str, found: &mut Vec<(Style, String)>) {
    let (mut is_general, mut style) = (false, None);
    let mut widths: BTreeSet<u64> = BTreeSet::new();
    for line in text.lines().map(str::trim) {
        if line.starts_with('[') {
            is_general = line == "[*]";
        } else if let Some((key, value)) = line.split_once('=') {
            match (&*key.trim().to_ascii_lowercase(), value.trim()) {
                ("indent_style", value) if is_general => style = Some(value == "tab"),
                ("indent_size", value) => widths.extend(value.parse::<u64>()),
                _ => {}
            }
        }
    }
    let width = widths.first().copied().filter(|_| widths.len() == 1);
    match style {
        Some(true) => found.push((Style::Tabs, ".editorconfig".to_owned())),
        Some(false) => found.push((Style::Spaces(width), ".editorconfig".to_owned())),
        None => {}
    }
}
