//! A page: a YAML header between `---` lines, then Markdown. The one reader of headers, used by
//! the build script for the shipped pages and by the engine for a project's own.

use serde::{Deserialize, Deserializer, Serialize, Serializer};
use std::collections::BTreeMap;
use std::fmt;
use std::ops::Range;
use std::str::FromStr;

/// How bad a finding is.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[cfg_attr(schema, derive(schemars::JsonSchema))]
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
#[cfg_attr(schema, derive(schemars::JsonSchema))]
#[serde(deny_unknown_fields, rename_all = "kebab-case")]
pub struct Header {
    /// How bad a finding of this rule is unless configured otherwise.
    pub severity: Severity,
    /// Whether the rule runs without being asked for.
    #[serde(default = "yes")]
    pub enabled: bool,
    /// Free labels: `security`, `cwe-798`, `wcag-1.1.1`.
    #[serde(default)]
    pub tags: Vec<String>,
    /// What peers call the rule; accepted in configuration and allow comments.
    #[serde(default)]
    pub aliases: Vec<String>,
    /// 0.1 to 10.0, as code scanning shows it; needs the tag `security`.
    #[serde(default)]
    pub security_severity: Option<String>,
    /// Where the facts of the page come from.
    #[serde(default)]
    pub sources: Vec<String>,
    /// What a finding says; `<path>`, `<match>`, a named group or a `<VAR>` is filled in.
    #[serde(default)]
    pub message: Option<String>,
    /// What a finding advises.
    #[serde(default)]
    pub help: Option<String>,
    /// The check; absent for a rule written in Rust and for a page that only guides.
    #[serde(default)]
    pub check: Option<CheckHeader>,
}

/// The check of a page: where it looks, and exactly one form.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[cfg_attr(schema, derive(schemars::JsonSchema))]
#[serde(deny_unknown_fields, rename_all = "kebab-case")]
pub struct CheckHeader {
    /// Globs of paths to look at; empty means what the form implies.
    #[serde(default)]
    pub files: Vec<String>,
    /// Globs of paths to leave out.
    #[serde(default)]
    pub exclude: Vec<String>,
    /// A regular expression on the text.
    #[serde(default)]
    pub text: Option<TextHeader>,
    /// An ast-grep rule on the syntax tree.
    #[serde(default)]
    pub syntax: Option<SyntaxHeader>,
    /// What mends a match of `text`.
    #[serde(default)]
    pub fix: Option<FixHeader>,
}

/// A text pattern.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[cfg_attr(schema, derive(schemars::JsonSchema))]
#[serde(deny_unknown_fields, rename_all = "kebab-case")]
pub struct TextHeader {
    /// Rust regular expression. The finding covers the group named `at`, else the whole match.
    /// Exactly one of `regex` and `assigned` is given.
    #[serde(default)]
    pub regex: Option<String>,
    /// Rust regular expression of a value that is assigned to a name which contains one of the
    /// keywords, in any notation: `KEYWORD_token = "…"`, `"keyword": "…"`, `<keyword>…`,
    /// `--keyword …`. The finding covers the value.
    #[serde(default)]
    pub assigned: Option<String>,
    /// Literals, compared without regard to ASCII case: the expression is tried only on the lines
    /// around one of them. Empty: tried on the whole text.
    #[serde(default)]
    pub keywords: Vec<String>,
    /// Bytes past the keyword's line that a match may reach into; for patterns over several lines.
    #[serde(default)]
    pub reach: u32,
    /// Least Shannon entropy of the finding's text, in bits per character.
    #[serde(default)]
    pub entropy: f32,
    /// The finding's text must look random: no words, mixed character classes.
    #[serde(default)]
    pub random: bool,
    /// The finding's text is a password: none of the words, and beside none of the hosts, that
    /// examples are written with.
    #[serde(default)]
    pub password: bool,
    /// The finding's text must not match any of these expressions.
    #[serde(default)]
    pub unless: Vec<String>,
    /// The whole match must not match any of these expressions: for what excuses a finding but
    /// stands beside it, as the host of a URL beside its password.
    #[serde(default)]
    pub unless_match: Vec<String>,
    /// The match is a secret: never shown, tried on files of any size and kind. The value says how
    /// sure a match is; the surer rule wins where two match the same text.
    #[serde(default)]
    pub secret: Option<Confidence>,
}

/// How sure a match of a secret pattern is.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
#[cfg_attr(schema, derive(schemars::JsonSchema))]
#[serde(rename_all = "lowercase")]
pub enum Confidence {
    /// By its surroundings only.
    Low,
    /// By its shape and its surroundings.
    Medium,
    /// By a shape that nothing else has.
    High,
}

/// A syntax pattern: the parts of an ast-grep rule that a page does not already have.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[cfg_attr(schema, derive(schemars::JsonSchema))]
#[serde(deny_unknown_fields, rename_all = "kebab-case")]
pub struct SyntaxHeader {
    /// Languages, by ast-grep's names; `typescript` also covers TSX.
    pub language: Vec<String>,
    /// The rule object.
    pub rule: Yaml,
    /// Rules on single meta variables.
    #[serde(default)]
    pub constraints: Option<Yaml>,
    /// Named rules used by `matches`.
    #[serde(default)]
    pub utils: Option<Yaml>,
    /// New meta variables made of others.
    #[serde(default)]
    pub transform: Option<Yaml>,
    /// The replacement, with meta variables.
    #[serde(default)]
    pub fix: Option<Yaml>,
    /// The fix keeps the meaning of the file.
    #[serde(default)]
    pub safe: bool,
    /// Meta variable → what a related place says.
    #[serde(default)]
    pub labels: BTreeMap<String, String>,
}

/// What mends a match of a text pattern.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[cfg_attr(schema, derive(schemars::JsonSchema))]
#[serde(deny_unknown_fields, rename_all = "kebab-case")]
pub struct FixHeader {
    /// Replacement of the finding's text; `$1` and `${name}` are groups of the expression.
    pub replace: String,
    /// The fix keeps the meaning of the file.
    #[serde(default)]
    pub safe: bool,
}

/// Any YAML value, carried as JSON text.
#[derive(Clone, Debug, PartialEq, Eq)]
#[cfg_attr(schema, derive(schemars::JsonSchema), schemars(with = "serde_json::Value"))]
pub struct Yaml(
    /// The value as JSON.
    pub String,
);

impl Serialize for Yaml {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        self.0.serialize(serializer)
    }
}

impl<'de> Deserialize<'de> for Yaml {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        // The compiled table is not self-describing: there the value already is JSON text.
        if deserializer.is_human_readable() {
            let value = serde_json::Value::deserialize(deserializer)?;
            Ok(Self(value.to_string()))
        } else {
            String::deserialize(deserializer).map(Self)
        }
    }
}

/// The JSON schema of the header of a rule page.
#[cfg(schema)]
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
        return Err(error("a rule page begins with a header between `---` lines", 0));
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

/// Reads the header of a page.
///
/// # Errors
/// When there is no header, it is not YAML, has an unknown key or a value of the wrong type, or its
/// check has not exactly one form.
pub fn header(page: &str) -> Result<Header, PageError> {
    let (range, _) = split(page)?;
    let text = &page[range.clone()];
    let header: Header =
        serde_saphyr::from_str(text).map_err(|error| yaml_error(&error, text, range.start))?;
    if let Some(check) = &header.check
        && [check.text.is_some(), check.syntax.is_some()].into_iter().filter(|&form| form).count()
            != 1
    {
        let at = range.start + text.find("check:").unwrap_or(0);
        return Err(PageError {
            message: "a check has exactly one form: `text` or `syntax`".to_owned(),
            span: at..at + "check".len(),
            did_you_mean: None,
        });
    }
    if let Some(text_check) = header.check.as_ref().and_then(|check| check.text.as_ref())
        && text_check.regex.is_some() == text_check.assigned.is_some()
    {
        let at = range.start + text.find("text:").unwrap_or(0);
        return Err(PageError {
            message: "a text pattern has either `regex` or `assigned`".to_owned(),
            span: at..at + "text".len(),
            did_you_mean: None,
        });
    }
    Ok(header)
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
        other => (first_line(&other.to_string()), None),
    };
    PageError { message, span: base + start..base + end.max(start), did_you_mean }
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

    #[test]
    fn the_summary_is_the_first_sentence_after_the_title() {
        assert_eq!(summary("# a/b\n\nOne two\nthree. Four.\n"), "One two three.");
        assert_eq!(summary("\n# a/b\nOne\n\nTwo\n"), "One");
        assert_eq!(summary("# a/b\n\nOne.\n\n```sh\n# no title\nls\n```\n"), "One.");
        assert_eq!(summary("One. Two.\n"), "One.");
        assert_eq!(summary(""), "");
    }
}
