//! A page: a YAML header between `---` lines, then Markdown. The one reader of headers, used by
//! the build script for the shipped pages and by the engine for a project's own; and the tables
//! that the shipped pages become.

mod forms;
mod pack;
mod params;
mod tables;
mod values;

use serde::{Deserialize, Serialize};
use std::fmt;
use std::ops::Range;
use std::str::FromStr;

pub use forms::*;
pub use pack::{PackHeader, pack};
pub use params::check_with;
pub use tables::{Details, Guide, Head, Shipped, Tables, Template, Words};
pub use values::{Many, Yaml};

/// How bad a finding is.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(rename_all = "lowercase")]
pub enum Severity {
    /// Worth knowing.
    Info,
    /// Likely a fault.
    Warning,
    /// Certainly a fault.
    Error,
}

impl Severity {
    /// From worst to least.
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
            .ok_or_else(|| format!("`{text}` is not a severity: error, warning or info"))
    }
}

/// What stands between the `---` lines of a rule page.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(deny_unknown_fields, rename_all = "kebab-case")]
pub struct Header {
    /// How bad a finding of this rule is unless configured otherwise.
    pub severity: Severity,
    /// Whether the rule runs without being asked for.
    #[serde(default = "yes")]
    pub enabled: bool,
    /// Free labels: `security`, `cwe-798`, `wcag-1.1.1`.
    #[serde(default)]
    #[serde(deserialize_with = "values::list")]
    #[cfg_attr(feature = "schema", schemars(with = "Many<String>"))]
    pub tags: Vec<String>,
    /// What peers call the rule; accepted in configuration and allow comments.
    #[serde(default)]
    #[serde(deserialize_with = "values::list")]
    #[cfg_attr(feature = "schema", schemars(with = "Many<String>"))]
    pub aliases: Vec<String>,
    /// 0.1 to 10.0, as code scanning shows it; needs the tag `security`.
    #[serde(default)]
    pub security_severity: Option<String>,
    /// One line for lists; the first sentence of the text where it is left out.
    #[serde(default)]
    pub summary: Option<String>,
    /// Where the facts of the page come from.
    #[serde(default)]
    #[serde(deserialize_with = "values::list")]
    #[cfg_attr(feature = "schema", schemars(with = "Many<String>"))]
    pub sources: Vec<String>,
    /// What a finding says; `<path>`, `<match>`, a named group or a `<VAR>` is filled in.
    #[serde(default)]
    pub message: Option<String>,
    /// What a finding advises.
    #[serde(default)]
    pub help: Option<String>,
    /// Who enforces the page instead of a check: rules of other tools, as `eslint/no-console`,
    /// `clippy::unwrap_used`, `ruff/T201`, or a tool alone.
    #[serde(default)]
    pub enforced_by: Many<String>,
    /// The check; absent for a rule written in Rust and for a page that only guides.
    #[serde(default)]
    pub check: Option<CheckHeader>,
}

/// The JSON schema of the header of a rule page.
#[cfg(feature = "schema")]
#[must_use]
pub fn schema() -> serde_json::Value {
    schemars::schema_for!(Header).to_value()
}

fn yes() -> bool {
    true
}

/// A page that cannot be used, and where.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct PageError {
    /// What is wrong.
    pub message: String,
    /// Bytes of the page.
    pub span: Range<usize>,
    /// A key or value that was probably meant, and the text it would replace.
    pub did_you_mean: Option<(String, Vec<String>)>,
}

impl fmt::Display for PageError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{} (byte {})", self.message, self.span.start)
    }
}

impl std::error::Error for PageError {}

/// Splits a page into the bytes of its header and those of its Markdown.
///
/// # Errors
/// When the page does not begin with `---`, or the header is not closed.
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
            error("the header begins on the first line: take out what stands before `---`", 0)
        } else {
            error("a rule page begins with a header between `---` lines", 0)
        });
    }
    let mut at = start;
    for line in page[start..].split_inclusive('\n') {
        if line.trim_end() == "---" {
            return Ok((start..at, at + line.len()..page.len()));
        }
        at += line.len();
    }
    Err(error("the header is not closed by a `---` line", page.len()))
}

/// Whether a page has a header at all.
#[must_use]
pub fn has_header(page: &str) -> bool {
    page.lines().next().is_some_and(|line| line.trim_start_matches('\u{FEFF}').trim_end() == "---")
}

/// Whether a page means to have a header, though it may be one that cannot be read: behind blank
/// lines, or torn by a merge.
#[must_use]
pub fn means_header(page: &str) -> bool {
    let begin = page.trim_start_matches('\u{FEFF}').trim_start();
    let first = begin.lines().next().unwrap_or_default();
    first.trim_end() == "---" || first.starts_with("<<<<<<< ")
}

/// Reads the header of a page.
///
/// # Errors
/// When there is no header, it is not YAML, has an unknown key or a value of the wrong type, or its
/// check has not exactly one form.
pub fn header(page: &str) -> Result<Header, PageError> {
    params::read(page, &serde_json::Map::new())
}

/// Reads a header of any shape.
fn typed<T: serde::de::DeserializeOwned>(text: &str, base: usize) -> Result<T, PageError> {
    // `y` and `on` are texts, as they are in the files that a check compares with them.
    let options = serde_saphyr::options! { strict_booleans: true };
    serde_saphyr::from_str_with_options(text, options)
        .map_err(|error| yaml_error(&error, text, base))
}

/// The key that names other tools.
pub const ENFORCED_BY: &str = "enforced-by";

/// What is wrong with a header whose keys are all known: in the words under the first of `keys`
/// that the text has.
fn misshapen(header: &Header, text: &str, base: usize) -> Option<PageError> {
    let (key, message) = match &header.check {
        _ if header.enforced_by.iter().any(|name| name.trim().is_empty()) => (
            ENFORCED_BY,
            "`enforced-by` names a rule of another tool: `eslint/no-console`".to_owned(),
        ),
        Some(_) if !header.enforced_by.is_empty() => {
            let why = "a page has a `check`, or another tool enforces it: leave one of both out";
            (ENFORCED_BY, why.to_owned())
        }
        check => check.as_ref()?.misshapen()?,
    };
    let at = text.find(&format!("{key}:")).or_else(|| text.find("check:")).unwrap_or(0);
    let length = text[at..].find(':').unwrap_or(0);
    Some(PageError { message, span: base + at..base + at + length, did_you_mean: None })
}

fn yaml_error(error: &serde_saphyr::Error, text: &str, base: usize) -> PageError {
    use serde_saphyr::Error as E;
    let error = error.without_snippet();
    let start = error.location().map_or(0, |location| {
        let line = usize::try_from(location.line()).unwrap_or(1).max(1) - 1;
        let column = usize::try_from(location.column()).unwrap_or(1).max(1) - 1;
        let before: usize = text.split_inclusive('\n').take(line).map(str::len).sum();
        let rest = &text[before.min(text.len())..];
        before + rest.char_indices().nth(column).map_or(0, |(at, _)| at)
    });
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
        other => (plainly(&first_line(&other.to_string())), None),
    };
    PageError { message, span: base + start..base + end.max(start), did_you_mean }
}

/// What the YAML reader says, in the words of one who writes a page. Its place is told apart, and is
/// another: the reader saw the header alone.
fn plainly(said: &str) -> String {
    let said = said.split_once(" at line ").map_or(said, |(said, _)| said);
    let number = ["u32", "u64", "u16", "u8", "usize"];
    if let Some((_, plain)) = PLAIN.iter().find(|(raw, _)| said.contains(raw)) {
        return (*plain).to_owned();
    }
    if said.strip_prefix("invalid ").is_some_and(|kind| number.contains(&kind)) {
        return "a whole number of 0 or more is expected here".to_owned();
    }
    if let Some(field) = said.strip_prefix("missing field ") {
        return format!("{field} is missing");
    }
    if let Some(key) = said.strip_prefix("duplicate mapping key: ") {
        let key = key.split_once(',').map_or(key, |(key, _)| key);
        return format!("`{key}` stands here twice");
    }
    if let Some(letter) = said.strip_prefix("unexpected character: ") {
        let letter = letter.trim_matches(['`', '\'']);
        let letter = if letter.is_empty() { "a backtick".into() } else { format!("`{letter}`") };
        return format!("a text that begins with {letter} stands in quotes");
    }
    match said.strip_prefix("invalid type: ").and_then(|said| said.split_once(", expected ")) {
        Some((given, wanted)) => format!("{} stands here; {wanted} is expected", kind_of(given)),
        None => said.to_owned(),
    }
}

/// What the YAML reader says by a part of it → what is meant.
const PLAIN: [(&str, &str); 28] = [
    ("expected sequence start", "a list is expected here, such as `[a, b]`"),
    ("expected mapping start", "keys with values are expected here, such as `{ key: value }`"),
    ("expected string scalar", "one value is expected here, neither a list nor keys"),
    ("expected scalar or mapping", "one word is expected here, not a list"),
    ("expected scalar", "one value is expected here, neither a list nor keys"),
    ("invalid type: map, expected a string", "a text is expected here, not keys with values"),
    ("invalid boolean", "`true` or `false` is expected here"),
    ("invalid f32", "a number is expected here"),
    ("invalid f64", "a number is expected here"),
    ("tabs disallowed", "a tab: lines of a header are indented by spaces"),
    ("found a tab", "a tab: lines of a header are indented by spaces"),
    (
        "unknown escape character",
        "a backslash in double quotes is YAML's own: write the text in single quotes",
    ),
    ("simple key expected ':'", "a colon is missing behind this key"),
    ("mapping values are not allowed", "a text with a colon in it stands in quotes"),
    ("unknown anchor", "a text that begins with `*` stands in quotes: to YAML it is a reference"),
    ("while scanning an anchor or alias", "a text that begins with `*` or `&` stands in quotes"),
    ("while scanning a tag", "a text that begins with `!` stands in quotes"),
    ("did not find expected ',' or ']'", "`[` is not closed by `]`, or a comma is missing"),
    ("did not find expected ',' or '}'", "`{` is not closed by `}`, or a comma is missing"),
    (
        "did not find expected key",
        "this line is indented otherwise than those it belongs to, or a quote above is not closed",
    ),
    ("illegal placement of ':'", "a `[`, a `{` or a quote above is not closed"),
    ("while scanning a block scalar", "a text that begins with `|` or `>` stands in quotes"),
    ("block sequence entries are not allowed", "a list begins on a line of its own"),
    ("invalid indentation in quoted", "a quote above this is not closed"),
    ("invalid indentation in multiline quoted", "a quote above this is not closed"),
    ("invalid indentation", "this line is indented otherwise than those it belongs to"),
    ("while scanning a quoted scalar", "a text is not closed by its quote"),
    ("invalid trailing content after", "a text in quotes ended before this"),
];

/// The kind of a value that serde names: integer `3`.
fn kind_of(given: &str) -> String {
    let (kind, value) = given.split_once(' ').unwrap_or((given, ""));
    let kind = match kind {
        "integer" => "the number",
        "floating" => return format!("the number {}", value.trim_start_matches("point ")),
        "boolean" => "the word",
        "string" => "the text",
        "sequence" => return "a list".to_owned(),
        "map" => return "keys with values".to_owned(),
        "null" | "unit" | "Option" => return "nothing".to_owned(),
        other => other,
    };
    format!("{kind} {value}").trim_end().to_owned()
}

/// The line on which a merge left two versions of a page.
fn left_by_a_merge(page: &str) -> Option<PageError> {
    let mut at = 0;
    let header = split(page).map_or(page.len(), |(_, body)| body.start);
    for line in page.split_inclusive('\n') {
        if at >= header {
            break;
        }
        if line.starts_with("<<<<<<< ") {
            let message = "a merge left two versions of the header: keep one, and take out the lines `<<<<<<<`, `=======` and `>>>>>>>`";
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

/// The id a page gives in its title: the first `# …` heading of its Markdown.
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
    fn the_schema_is_of_what_the_reader_takes() {
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
    fn every_form_is_read_and_survives_the_compiled_table() {
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
    fn a_misshapen_check_is_told_at_its_place() {
        let wrong = |yaml: &str| check(yaml).expect_err(yaml);
        let (at, message) = wrong("tree: { exists: a }\n  data: { at: '$', present: true }");
        assert!(at == "check" && message.contains("exactly one form"), "{message}");
        assert_eq!(wrong("tree: { exits: a }"), ("exits".into(), "unknown key `exits`".into()));
        assert_eq!(wrong("when: [{ fyle: a }]\n  text: { regex: a }").1, "unknown key `fyle`");
        for (yaml, at, part) in [
            ("tree: { each: a }", "tree", "demands nothing"),
            ("tree: { name: kebab }", "tree", "say which by `each`"),
            ("tree: { each: a, lines: {} }", "tree", "`lines` has a `min`"),
            ("data: { at: '$.a' }", "data", "tests nothing"),
            ("data: { at: a, present: true }", "data", "begins with `$`"),
            (
                "data: { at: '$', present: true, where: [{ at: '$', absent: true, where: [] }, { at: '$' }] }",
                "data",
                "tests nothing",
            ),
            ("layers: { order: ['a/**'] }", "layers", "at least two"),
            ("commit: { change: { touches: a } }", "commit", "`change` demands nothing"),
            ("doc: {}", "doc", "demands nothing"),
            ("when: {}\n  text: { regex: a }", "when", "a condition names"),
            ("when: { not: { not: { file: a } } }\n  text: { regex: a }", "when", "no other `not`"),
            ("text: { regex: a }\n  fix: { set: 1 }", "fix", "`set` mends findings of `data`"),
            (
                "data: { at: '$', absent: true }\n  fix: { remove: true, safe: true }",
                "fix",
                "never safe",
            ),
            ("text: { regex: a }\n  fix: { safe: true }", "fix", "exactly one of"),
        ] {
            let (place, message) = wrong(yaml);
            assert!(place == at && message.contains(part), "{yaml}: {place}: {message}");
        }
    }

    #[test]
    fn a_pack_names_its_rules() {
        let read = |yaml: &str| pack(&format!("---\npack: {yaml}\n---\n# a\n"));
        let header =
            read("{ rules: ['a/*'], set: { a/b: { params: { max: 3 } } } }").expect("read");
        assert_eq!(header.set["a/b"].0, r#"{"params":{"max":3}}"#);
        assert!(read("{ rules: [] }").expect_err("none").message.contains("names its `rules`"));
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
