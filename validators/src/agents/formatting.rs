//! Statements on formatting that the settings of the project's formatter contradict.

use super::AgentContext;
use super::formatters::{Setting, settings};
use super::header::rule_globs;
use super::markdown::Instructions;
use aidd_engine::rules::rule::Report;
use aidd_engine::text::source::Span;
use std::sync::Arc;

/// What a statement or setting decides.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Style {
    Tabs,
    Spaces(Option<u64>),
    SingleQuotes,
    DoubleQuotes,
    Semicolons,
    NoSemicolons,
    LineLength(u64),
}

/// The files that a statement or setting is about.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Scope {
    All,
    Python,
    Rust,
    /// The languages of Prettier and Biome; only of statements.
    Web,
    /// Other languages; only of statements.
    Other,
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
            (Self::Spaces(Some(a)), Self::Spaces(Some(b)))
            | (Self::LineLength(a), Self::LineLength(b)) => a != b,
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
            Self::LineLength(length) => format!("lines of at most {length} characters"),
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
    let Some((instructions, listing)) = context.project_instructions() else { return };
    let found = scoped_statements(instructions);
    if found.is_empty() {
        return;
    }
    let read = || settings(context.files, listing);
    let settings = match context.files.run_cache() {
        Some(cache) => cache.get_or_compute("agents formatters", read),
        None => Arc::new(read()),
    };
    let languages = languages_of(context);
    for (style, scope, span) in found {
        let scope = match scope {
            Scope::All => languages.unwrap_or_else(|| headed_scope(instructions, span)),
            _ => scope,
        };
        let Some(setting) = contradiction(&settings, style, scope) else { continue };
        let set = setting.style.display();
        let message = format!("`{}` sets {set}, not {}", setting.path, style.display());
        let finding = report.at(span, message);
        finding.help("correct the instruction, or the setting of the formatter");
        context.lower_in_copy(finding);
    }
}

/// The languages of the files to which a rule applies, by its globs; `None` if it applies to all.
fn languages_of(context: &AgentContext<'_, '_>) -> Option<Scope> {
    let globs = rule_globs(context)?;
    let extensions: Vec<&str> = globs.iter().flat_map(|glob| extensions_of(glob)).collect();
    let all = |known: &[&str]| extensions.iter().all(|extension| known.contains(extension));
    if extensions.is_empty() {
        None
    } else if all(&["py", "pyi"]) {
        Some(Scope::Python)
    } else if all(&["rs"]) {
        Some(Scope::Rust)
    } else if all(&WEB_EXTENSIONS) {
        Some(Scope::Web)
    } else {
        Some(Scope::Other)
    }
}

/// Extensions of files that Prettier and Biome format.
const WEB_EXTENSIONS: [&str; 14] = [
    "astro", "cjs", "css", "cts", "html", "js", "jsx", "mjs", "mts", "scss", "svelte", "ts", "tsx",
    "vue",
];

/// The extensions that a glob ends with: `*.{js,ts}` or `src/*.js`. Some authors leave out the dot.
fn extensions_of(glob: &str) -> Vec<&str> {
    let name = glob.rsplit('/').next().unwrap_or(glob);
    let ending = name.rsplit_once('.').map(|(_, ending)| ending);
    let ending = ending.or_else(|| name.strip_prefix('*')).unwrap_or_default();
    let ending = ending.trim_matches(['{', '}']);
    ending.split(',').map(str::trim).filter(|it| !it.is_empty() && !it.contains('*')).collect()
}

/// The languages that the headings above a statement for all files name.
fn headed_scope(instructions: &Instructions<'_>, span: Span) -> Scope {
    let text = headings_above(instructions, span) + &instructions.line(span);
    match ["typescript", "react", "svelte"].iter().any(|word| text.contains(word)) {
        true => Scope::Web,
        false => Scope::All,
    }
}

/// The setting that a statement contradicts. Formatters of several languages or directories can
/// differ, so a line length is compared with all of them.
fn contradiction(settings: &[Setting], style: Style, scope: Scope) -> Option<&Setting> {
    let is_length = matches!(style, Style::LineLength(_));
    let is_for = |it: &&Setting| match scope {
        Scope::All if is_length => true,
        Scope::All | Scope::Web => it.scope == Scope::All,
        // Only an editor has settings for files of any language.
        Scope::Other => it.scope == Scope::All && it.path == ".editorconfig",
        Scope::Python | Scope::Rust => it.scope == scope,
    };
    let mut own = settings.iter().filter(is_for);
    if !is_length {
        return own.find(|it| it.style.contradicts(style));
    }
    let mut lengths = own.filter(|it| matches!(it.style, Style::LineLength(_))).peekable();
    let first = *lengths.peek()?;
    lengths.all(|it| it.style.contradicts(style)).then_some(first)
}

/// The styles that the instructions demand for all files, each with the span of the phrase.
pub(super) fn statements(instructions: &Instructions<'_>) -> Vec<(Style, Span)> {
    let found = scoped_statements(instructions).into_iter();
    let found = found.filter(|(_, scope, _)| *scope == Scope::All);
    found.map(|(style, _, span)| (style, span)).collect()
}

/// The styles that the instructions demand for all files or for those of one language.
fn scoped_statements(instructions: &Instructions<'_>) -> Vec<(Style, Scope, Span)> {
    let mut found = Vec::new();
    for (offset, line) in instructions.prose() {
        let lower = line.to_ascii_lowercase();
        // The first of several: "double quotes over single quotes".
        let phrases = STATEMENTS.iter().filter_map(|(phrase, style)| {
            let at = lower.find(phrase)?;
            Some((*style, at..at + phrase.len()))
        });
        let phrases: Vec<_> = phrases.collect();
        let phrase = phrases.iter().min_by_key(|(_, range)| range.start).cloned();
        let lengths = || {
            let (length, range) = line_length(&lower)?;
            Some((Style::LineLength(length), range))
        };
        let Some((style, range)) = phrase.or_else(lengths) else { continue };
        let span = Span::new(offset + range.start, offset + range.end);
        let is_length = matches!(style, Style::LineLength(_));
        let around = format!("{lower}\n{}", headings_above(instructions, span));
        // "2 spaces; in Python 4 spaces": the language is that of one of them.
        let has_several = matches!(style, Style::Spaces(_) | Style::Tabs)
            && phrases.iter().any(|(other, _)| style.contradicts(*other));
        if let Some(scope) = scope_of(&around, is_length)
            && (scope == Scope::All || !has_several)
        {
            found.push((style, scope, span));
        }
    }
    found
}

/// The files that a statement with this text and these headings is about; `None` if it has limits
/// that are not understood.
fn scope_of(text: &str, is_length: bool) -> Option<Scope> {
    // A line length is not about code in strings, lists or paths.
    const ALLOWED: [&str; 4] = ["config", "list", "path", "argument"];
    let mut languages = Vec::new();
    for word in LIMITS.iter().filter(|word| text.contains(**word)) {
        match *word {
            "python" => languages.push(Scope::Python),
            "rust" => languages.push(Scope::Rust),
            _ if is_length && ALLOWED.contains(word) => {}
            _ => return None,
        }
    }
    match languages[..] {
        [] => Some(Scope::All),
        [language] => Some(language),
        _ => None,
    }
}

/// The line length that a line in lower case demands, and the range of the phrase.
fn line_length(line: &str) -> Option<(u64, std::ops::Range<usize>)> {
    const BEFORE: [&str; 5] =
        ["line length", "line-length", "line width", "max line", "lines at most"];
    const AFTER: [&str; 8] = [
        "-character line",
        " character line",
        "-char line",
        " characters per line",
        " chars per line",
        " columns per line",
        "-column line",
        " column line",
    ];
    let number = |text: &str| text.parse().ok().filter(|length| (60..=400).contains(length));
    let digits = |text: &str| text.find(|c: char| !c.is_ascii_digit()).unwrap_or(text.len());
    for phrase in BEFORE {
        let Some(at) = line.find(phrase) else { continue };
        let rest = &line[at + phrase.len()..];
        let is_filler = |c: char| c.is_ascii_alphabetic() || " :=*(`≤<[-_".contains(c);
        let skipped = rest.len() - rest.trim_start_matches(is_filler).len();
        let text = &rest[skipped..];
        let length = digits(text);
        let is_other = text[length..].starts_with(['.', '%', '/'])
            && text[length..].len() > 1
            && !text[length..].starts_with(". ");
        if skipped < 24
            && !is_other
            && let Some(found) = number(&text[..length])
        {
            return Some((found, at..at + phrase.len() + skipped + length));
        }
    }
    AFTER.iter().find_map(|phrase| {
        let at = line.find(phrase)?;
        let start = line[..at]
            .rfind(|c: char| !c.is_ascii_digit())
            .map_or(0, |before| before + line[before..].chars().next().map_or(1, char::len_utf8));
        let is_range = line[..start].ends_with(['-', '–', '.']);
        let found = number(&line[start..at]).filter(|_| !is_range)?;
        Some((found, start..at + phrase.len()))
    })
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

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn line_lengths_are_read() {
        for (line, expected) in [
            ("maximum line length: 100 characters", Some(100)),
            ("line length of 88 (ruff)", Some(88)),
            ("line-length = 120", Some(120)),
            ("max line length is `100`", Some(100)),
            ("keep 80-character lines", Some(80)),
            ("at most 100 characters per line", Some(100)),
            ("line length matters in 3 files", None),
            ("72 characters in the subject", None),
            ("files under 200 lines", None),
        ] {
            assert_eq!(line_length(line).map(|it| it.0), expected, "{line}");
        }
    }
}
