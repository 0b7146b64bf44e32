//! Rule pages: a YAML header between `---` lines, then Markdown. This crate is the only parser of
//! headers; the build script uses it for the shipped pages, and the engine for the pages of a
//! project. It also defines the tables into which the shipped pages are compiled.

mod errors;
mod forms;
mod pack;
mod params;
mod tables;
mod values;

use serde::{Deserialize, Serialize};
use std::fmt;
use std::ops::Range;
use std::str::FromStr;

pub use errors::header_errors;
pub use forms::*;
pub use pack::{FitsHeader, PackHeader, pack};
pub use params::check_with;
pub use tables::{Details, Guide, ShippedPage, StartupFields, Tables, Template, WordIndex};
pub use values::{Many, Yaml};

/// The severity of a finding.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(rename_all = "lowercase")]
pub enum Severity {
    /// Information that requires no action.
    Info,
    /// A likely defect.
    Warning,
    /// A certain defect.
    Error,
}

impl Severity {
    /// All severities, from highest to lowest.
    pub const ALL: [Self; 3] = [Self::Error, Self::Warning, Self::Info];
}

impl fmt::Display for Severity {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.pad(match self {
            Self::Info => "info",
            Self::Warning => "warning",
            Self::Error => "error",
        })
    }
}

impl FromStr for Severity {
    type Err = String;

    fn from_str(text: &str) -> Result<Self, String> {
        Self::ALL
            .into_iter()
            .find(|severity| severity.to_string() == text)
            .ok_or_else(|| format!("unknown severity `{text}`; expected error, warning or info"))
    }
}

/// The YAML header of a rule page, between its `---` lines.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(deny_unknown_fields, rename_all = "kebab-case")]
pub struct Header {
    /// The severity of this rule's findings unless configured otherwise.
    pub severity: Severity,
    /// Whether the rule is enabled by default.
    #[serde(default = "default_true")]
    pub enabled: bool,
    /// Labels, such as `security`, `cwe-798`, `wcag-1.1.1`.
    #[serde(default)]
    #[serde(deserialize_with = "values::list")]
    #[cfg_attr(feature = "schema", schemars(with = "Many<String>"))]
    pub tags: Vec<String>,
    /// Names of the same rule in other tools; accepted in configuration and allow comments.
    #[serde(default)]
    #[serde(deserialize_with = "values::list")]
    #[cfg_attr(feature = "schema", schemars(with = "Many<String>"))]
    pub aliases: Vec<String>,
    /// CVSS-like score from 0.1 to 10.0 for code scanning; requires the tag `security`.
    #[serde(default)]
    pub security_severity: Option<String>,
    /// One-line summary, shown in lists of rules. Default: the first sentence of the text.
    #[serde(default)]
    pub summary: Option<String>,
    /// The sources of the page's facts.
    #[serde(default)]
    #[serde(deserialize_with = "values::list")]
    #[cfg_attr(feature = "schema", schemars(with = "Many<String>"))]
    pub sources: Vec<String>,
    /// The message of a finding; `<path>`, `<match>`, a named group or a `<VAR>` is filled in.
    #[serde(default)]
    pub message: Option<String>,
    /// The remedy that a finding suggests.
    #[serde(default)]
    pub help: Option<String>,
    /// Rules of other tools that enforce the requirement of the page, instead of a check, such as
    /// `eslint/no-console`, `clippy::unwrap_used` or `ruff/T201`, or a tool name.
    #[serde(default)]
    pub enforced_by: Many<String>,
    /// The check; absent for a rule written in Rust and for a page that contains only guidance.
    #[serde(default)]
    pub check: Option<CheckHeader>,
}

/// The JSON schema of the header of a rule page.
#[cfg(feature = "schema")]
#[must_use]
pub fn schema() -> serde_json::Value {
    schemars::schema_for!(Header).to_value()
}

fn default_true() -> bool {
    true
}

/// An error in a page, with its position.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct PageError {
    /// The message, without position.
    pub message: String,
    /// The byte range in the page.
    pub span: Range<usize>,
    /// The invalid key or value, and the known keys or values from which a correction is suggested.
    pub did_you_mean: Option<(String, Vec<String>)>,
}

impl fmt::Display for PageError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{} (byte {})", self.message, self.span.start)
    }
}

impl std::error::Error for PageError {}

/// Splits a page into the byte ranges of its header and of its Markdown.
///
/// # Errors
/// When the page does not start with `---`, or the header is not closed.
pub fn split(page: &str) -> Result<(Range<usize>, Range<usize>), PageError> {
    let error = |message: &str, at: usize| PageError {
        message: message.to_owned(),
        span: at..at,
        did_you_mean: None,
    };
    let start = page.find('\n').map_or(page.len(), |at| at + 1);
    if page[..start].trim_start_matches('\u{FEFF}').trim_end() != "---" {
        let blank = page.len() - page.trim_start().len();
        return Err(if page[blank..].starts_with("---") {
            error("the header must begin on the first line; remove everything before `---`", 0)
        } else {
            error("a page must begin with a header between `---` lines", 0)
        });
    }
    let mut at = start;
    for line in page[start..].split_inclusive('\n') {
        if line.trim_end() == "---" {
            return Ok((start..at, at + line.len()..page.len()));
        }
        at += line.len();
    }
    Err(error("the header is not closed; add a `---` line", page.len()))
}

/// Whether a page starts with a header.
#[must_use]
pub fn has_header(page: &str) -> bool {
    page.lines().next().is_some_and(|line| line.trim_start_matches('\u{FEFF}').trim_end() == "---")
}

/// Whether a page is meant to have a header, even if the header cannot be parsed because it follows
/// blank lines or contains merge conflict markers.
#[must_use]
pub fn should_have_header(page: &str) -> bool {
    let begin = page.trim_start_matches('\u{FEFF}').trim_start();
    let first = begin.lines().next().unwrap_or_default();
    first.trim_end() == "---" || first.starts_with("<<<<<<< ")
}

/// Reads the header of a page.
///
/// # Errors
/// When there is no header, the header is not valid YAML, has an unknown key or a value of the
/// wrong type, or the check is not of exactly one form (`text`, `syntax`, …).
pub fn header(page: &str) -> Result<Header, PageError> {
    params::read(page, &serde_json::Map::new())
}

/// Parses a header as YAML; `base` is the offset of the header in the page.
fn parse_yaml<T: serde::de::DeserializeOwned>(text: &str, base: usize) -> Result<T, PageError> {
    // `y` and `on` are read as strings, because checks compare header values with data files,
    // which are read in the same way.
    let options = serde_saphyr::options! { strict_booleans: true };
    serde_saphyr::from_str_with_options(text, options)
        .map_err(|error| yaml_error(&error, text, base))
}

/// The header key that names rules of other tools.
pub const ENFORCED_BY: &str = "enforced-by";

/// Finds an error in a header whose keys are all known, such as keys that cannot be combined. The
/// error is positioned at the key that it concerns.
fn find_error(header: &Header, text: &str, base: usize) -> Option<PageError> {
    let (key, message) = match &header.check {
        _ if header.enforced_by.iter().any(|name| name.trim().is_empty()) => (
            ENFORCED_BY,
            "`enforced-by` requires a rule of another tool, such as `eslint/no-console`".to_owned(),
        ),
        Some(_) if !header.enforced_by.is_empty() => {
            let why = "`check` and `enforced-by` cannot be combined; remove one of them";
            (ENFORCED_BY, why.to_owned())
        }
        check => check.as_ref()?.find_error()?,
    };
    let at = text.find(&format!("{key}:")).or_else(|| text.find("check:")).unwrap_or(0);
    let length = text[at..].find(':').unwrap_or(0);
    Some(PageError { message, span: base + at..base + at + length, did_you_mean: None })
}

fn yaml_error(error: &serde_saphyr::Error, text: &str, base: usize) -> PageError {
    use serde_saphyr::Error as E;
    let error = error.without_snippet();
    // The parser reports a tab at the end of the previous line.
    let is_tab =
        ["tabs disallowed", "found a tab"].iter().any(|why| error.to_string().contains(why));
    let tab = is_tab.then(|| find_indenting_tab(text)).flatten();
    let start = tab.or_else(|| {
        error.location().map(|location| {
            let line = usize::try_from(location.line()).unwrap_or(1).max(1) - 1;
            let column = usize::try_from(location.column()).unwrap_or(1).max(1) - 1;
            let before: usize = text.split_inclusive('\n').take(line).map(str::len).sum();
            let rest = &text[before.min(text.len())..];
            before + rest.char_indices().nth(column).map_or(0, |(at, _)| at)
        })
    });
    let start = start.unwrap_or(0);
    let end = text[start..].find([':', '\n', ' ', ',']).map_or(text.len(), |at| start + at);
    let (message, did_you_mean) = match error {
        E::SerdeUnknownField { field, expected, .. } => (
            format!("unknown key `{field}`"),
            Some((field.clone(), expected.iter().map(ToString::to_string).collect())),
        ),
        E::SerdeUnknownVariant { variant, expected, .. } => (
            format!("unknown value `{variant}`"),
            Some((variant.clone(), expected.iter().map(ToString::to_string).collect())),
        ),
        other => (plain_message(&first_line(&other.to_string())), None),
    };
    PageError { message, span: base + start..base + end.max(start), did_you_mean }
}

/// The offset of the first tab in the indentation of a line.
fn find_indenting_tab(text: &str) -> Option<usize> {
    let mut at = 0;
    for line in text.split_inclusive('\n') {
        let indentation = line.len() - line.trim_start_matches([' ', '\t']).len();
        if let Some(tab) = line[..indentation].find('\t') {
            return Some(at + tab);
        }
        at += line.len();
    }
    None
}

/// Rewrites an error of the YAML parser for the author of a page. The position is removed, because
/// it is relative to the header; [`PageError::span`] is the position in the page.
fn plain_message(error: &str) -> String {
    let error = error.split_once(" at line ").map_or(error, |(error, _)| error);
    let integers = ["u32", "u64", "u16", "u8", "usize"];
    if let Some((_, plain)) = PLAIN_MESSAGES.iter().find(|(raw, _)| error.contains(raw)) {
        return (*plain).to_owned();
    }
    if error.strip_prefix("invalid ").is_some_and(|kind| integers.contains(&kind)) {
        return "expected a non-negative integer".to_owned();
    }
    if let Some(field) = error.strip_prefix("missing field ") {
        return format!("{field} is missing");
    }
    if let Some(key) = error.strip_prefix("duplicate mapping key: ") {
        let key = key.split_once(',').map_or(key, |(key, _)| key);
        return format!("duplicate key `{key}`");
    }
    if let Some(letter) = error.strip_prefix("unexpected character: ") {
        let letter = letter.trim_matches(['`', '\'']);
        let letter = if letter.is_empty() { "a backtick".into() } else { format!("`{letter}`") };
        return format!("quote a string that starts with {letter}");
    }
    match error.strip_prefix("invalid type: ").and_then(|error| error.split_once(", expected ")) {
        Some((found, expected)) => format!("expected {expected}, found {}", describe_value(found)),
        None => error.to_owned(),
    }
}

/// Part of an error of the YAML parser → the message that replaces the error.
const PLAIN_MESSAGES: [(&str, &str); 28] = [
    ("expected sequence start", "expected a list, such as `[a, b]`"),
    ("expected mapping start", "expected a mapping, such as `{ key: value }`"),
    ("expected string scalar", "expected a single value, not a list or a mapping"),
    ("expected scalar or mapping", "expected a single word, not a list"),
    ("expected scalar", "expected a single value, not a list or a mapping"),
    ("invalid type: map, expected a string", "expected a string, found a mapping"),
    ("invalid boolean", "expected `true` or `false`"),
    ("invalid f32", "expected a number"),
    ("invalid f64", "expected a number"),
    ("tabs disallowed", "tab in indentation; use spaces"),
    ("found a tab", "tab in indentation; use spaces"),
    (
        "unknown escape character",
        "a backslash in double quotes starts a YAML escape; use single quotes",
    ),
    ("simple key expected ':'", "missing colon after this key"),
    ("mapping values are not allowed", "quote a string that contains a colon"),
    ("unknown anchor", "quote a string that starts with `*`; YAML reads it as an alias"),
    ("while scanning an anchor or alias", "quote a string that starts with `*` or `&`"),
    ("while scanning a tag", "quote a string that starts with `!`"),
    ("did not find expected ',' or ']'", "missing `]` or comma"),
    ("did not find expected ',' or '}'", "missing `}` or comma"),
    ("did not find expected key", "inconsistent indentation, or an unclosed quote above"),
    ("illegal placement of ':'", "unclosed `[`, `{` or quote above"),
    ("while scanning a block scalar", "quote a string that starts with `|` or `>`"),
    ("block sequence entries are not allowed", "a list must begin on its own line"),
    ("invalid indentation in quoted", "unclosed quote above"),
    ("invalid indentation in multiline quoted", "unclosed quote above"),
    ("invalid indentation", "inconsistent indentation"),
    ("while scanning a quoted scalar", "unclosed quote"),
    ("invalid trailing content after", "unexpected text after a quoted string"),
];

/// Describes a value that serde reports, such as: integer `3`.
fn describe_value(found: &str) -> String {
    let (kind, value) = found.split_once(' ').unwrap_or((found, ""));
    let kind = match kind {
        "integer" => "the number",
        "floating" => return format!("the number {}", value.trim_start_matches("point ")),
        "boolean" => "the boolean",
        "string" => "the string",
        "sequence" => return "a list".to_owned(),
        "map" => return "a mapping".to_owned(),
        "null" | "unit" | "Option" => return "nothing".to_owned(),
        other => other,
    };
    format!("{kind} {value}").trim_end().to_owned()
}

/// The error for merge conflict markers in a page, positioned at the first marker.
fn merge_conflict(page: &str) -> Option<PageError> {
    let mut at = 0;
    let header_end = split(page).map_or(page.len(), |(_, body)| body.start);
    for line in page.split_inclusive('\n') {
        if at >= header_end {
            break;
        }
        if line.starts_with("<<<<<<< ") {
            let message = "merge conflict in the page; resolve it and remove the lines `<<<<<<<`, `=======` and `>>>>>>>`";
            let span = at..at + line.trim_end().len();
            return Some(PageError { message: message.to_owned(), span, did_you_mean: None });
        }
        at += line.len();
    }
    None
}

fn first_line(text: &str) -> String {
    text.lines().next().unwrap_or_default().to_owned()
}

/// The title of a page: the text of the first `# …` heading of its Markdown.
#[must_use]
pub fn title(body: &str) -> Option<&str> {
    body.lines().find_map(|line| line.strip_prefix("# ")).map(str::trim)
}

/// The first sentence of the first paragraph after the title, on one line.
#[must_use]
pub fn summary(body: &str) -> String {
    let titled = body.lines().any(|line| line.starts_with("# "));
    let paragraph: Vec<&str> = body
        .lines()
        .skip_while(|line| titled && !line.starts_with("# "))
        .skip(usize::from(titled))
        .skip_while(|line| line.trim().is_empty())
        .take_while(|line| !line.trim().is_empty() && !line.starts_with('#'))
        .collect();
    let text = paragraph.join(" ");
    let end = [". ", "? ", "! "].iter().filter_map(|stop| text.find(stop)).min();
    end.map_or(text.as_str(), |at| &text[..=at]).trim().to_owned()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_schema_matches_the_reader() {
        let schema = schema();
        let severity = &schema["properties"]["severity"]["$ref"];
        assert_eq!(severity, "#/$defs/Severity");
        assert_eq!(schema["required"], serde_json::json!(["severity"]));
        assert!(schema["$defs"]["TextHeader"]["properties"]["unless-match"].is_object());
    }

    fn check(yaml: &str) -> Result<CheckHeader, (String, String)> {
        let page = format!("---\nseverity: info\ncheck:\n  {yaml}\n---\n# a/b\n");
        let check = header(&page).map(|header| header.check.unwrap_or_default());
        check.map_err(|error| (page[error.span].to_owned(), error.message))
    }

    #[test]
    fn every_form_of_check_round_trips_through_the_compiled_table() {
        for yaml in [
            "text: { regex: a }",
            "syntax: { language: [rust], rule: { kind: x } }",
            "tree: { each: 'packages/<pkg>/', exists: ['a | b', c], count: { max: 3 } }",
            "data: { at: '$.a', equals: { b: [1] }, where: [{ at: '$.c', not-equals: false }] }",
            "data: { at: '$.a', type: [string, 'null'], same: { file: x, at: '$' } }\n  fix: { set: same, safe: true }",
            "layers: { order: ['a/**', ['b/**', 'c/**']], forbid: { from: a, to: 'npm:b' } }",
            "layers: { only: [{ to: a, from: [b, c] }], types: skip, acyclic: 'src/<part>/**' }",
            "commit: { conventional: { types: [feat], scopes: workspace }, subject: { max: 72 } }",
            "commit: { change: { touches: 'a/**', requires: ['b | c'] }, skip: [bots] }",
            "doc: { headings: ['# *'], links: [files, anchors], front: [{ at: '$.a', present: true }] }",
            "when: { file: package.json, not: { branch: main } }\n  text: { regex: a }",
            "when: [{ nearest: go.mod }, { data: { file: x.json, at: '$', type: object } }]\n  text: { regex: a }",
        ] {
            let read = check(yaml).unwrap_or_else(|error| panic!("{yaml}: {error:?}"));
            let table = postcard::to_allocvec(&read).expect("written");
            assert_eq!(postcard::from_bytes::<CheckHeader>(&table).as_ref(), Ok(&read), "{yaml}");
        }
    }

    #[test]
    fn an_invalid_check_is_reported_at_its_position() {
        let error_of = |yaml: &str| check(yaml).expect_err(yaml);
        let (key, message) = error_of("tree: { exists: a }\n  data: { at: '$', present: true }");
        assert!(key == "check" && message.contains("exactly one of"), "{message}");
        assert_eq!(error_of("tree: { exits: a }"), ("exits".into(), "unknown key `exits`".into()));
        assert_eq!(error_of("when: [{ fyle: a }]\n  text: { regex: a }").1, "unknown key `fyle`");
        for (yaml, key, part) in [
            ("tree: { each: a }", "tree", "has no requirement"),
            ("tree: { name: kebab }", "tree", "select them with `each`"),
            ("tree: { each: a, lines: {} }", "tree", "`lines` requires `min`"),
            ("data: { at: '$.a' }", "data", "has no test"),
            ("data: { at: a, present: true }", "data", "must start with `$`"),
            (
                "data: { at: '$', present: true, where: [{ at: '$', absent: true, where: [] }, { at: '$' }] }",
                "data",
                "has no test",
            ),
            ("layers: { order: ['a/**'] }", "layers", "at least two"),
            ("commit: { change: { touches: a } }", "commit", "`change` has no requirement"),
            ("doc: {}", "doc", "has no requirement"),
            ("when: {}\n  text: { regex: a }", "when", "a condition requires"),
            (
                "when: { not: { not: { file: a } } }\n  text: { regex: a }",
                "when",
                "nested in `not`",
            ),
            ("text: { regex: a }\n  fix: { set: 1 }", "fix", "`set` fixes findings of `data`"),
            (
                "data: { at: '$', absent: true }\n  fix: { remove: true, safe: true }",
                "fix",
                "never safe",
            ),
            ("text: { regex: a }\n  fix: { safe: true }", "fix", "exactly one of"),
        ] {
            let (covered, message) = error_of(yaml);
            assert!(covered == key && message.contains(part), "{yaml}: {covered}: {message}");
        }
    }

    #[test]
    fn the_header_of_a_pack_is_parsed() {
        let read = |yaml: &str| pack(&format!("---\npack: {yaml}\n---\n# a\n"));
        let header =
            read("{ rules: ['a/*'], set: { a/b: { params: { max: 3 } } } }").expect("read");
        assert_eq!(header.set["a/b"].0, r#"{"params":{"max":3}}"#);
        assert!(read("{ rules: [] }").expect_err("none").message.contains("requires `rules`"));
        assert_eq!(read("{ rulez: [a] }").expect_err("unknown").message, "unknown key `rulez`");
    }

    #[test]
    fn the_summary_is_the_first_sentence_after_the_title() {
        assert_eq!(summary("# a/b\n\nOne two\nthree. Four.\n"), "One two three.");
        assert_eq!(summary("\n# a/b\nOne\n\nTwo\n"), "One");
        assert_eq!(summary("# a/b\n\nOne.\n\n```sh\n# no title\nls\n```\n"), "One.");
        assert_eq!(summary("One. Two.\n"), "One.");
        assert_eq!(summary(""), "");
    }
}
