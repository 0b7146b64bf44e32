//! `.aidd/config.json`: JSON with comments, read into plain data.

use crate::parse::json_schema::{FaultKind, Node, faults};
use crate::text::finding::Severity;
use jsonc_parser::ast::Value as Ast;
use jsonc_parser::common::Ranged;
use jsonc_parser::{CollectOptions, ParseOptions, parse_to_ast, parse_to_serde_value};
use schemars::JsonSchema;
use serde::{Deserialize, Deserializer, Serialize};
use serde_json::{Map, Value};
use std::collections::{BTreeMap, BTreeSet};
use std::ops::Range;

mod accessibility;
mod content;
mod evolution;
mod memory;
mod replaced;
mod syntax;

pub use accessibility::{AccessibilityConfig, ElementName};
pub use content::{ContentConfig, ContentMode, ContentPaths, TokenBudget, UnknownMode};
pub use evolution::{AutoApply, ChangeKind, EvolutionConfig, Never};
pub use memory::{GateMode, MemoryConfig, MemoryLimits, PacksConfig, ReadEntry};
pub use syntax::syntax_error;

/// Maximum size of a file that is parsed: 2 MiB. Files of any size are scanned for secrets.
pub const MAX_FILE_SIZE: u64 = 2 << 20;

/// The configuration of a project. All keys are optional.
#[derive(Clone, Debug, Default, PartialEq, Deserialize, Serialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
#[schemars(title = "aidd configuration")]
pub struct Config {
    /// The JSON schema of this file, for editors.
    #[serde(rename = "$schema", skip_serializing_if = "Option::is_none")]
    pub schema: Option<String>,
    /// Globs of the paths to check. Default: all files. A glob without a slash matches the file
    /// name in any directory.
    #[serde(
        default,
        deserialize_with = "optional_string_or_list",
        skip_serializing_if = "Option::is_none"
    )]
    #[schemars(with = "Option<StringOrList>")]
    pub include: Option<Vec<String>>,
    /// Globs of the paths to exclude.
    #[serde(
        default,
        deserialize_with = "optional_string_or_list",
        skip_serializing_if = "Option::is_none"
    )]
    #[schemars(with = "Option<StringOrList>")]
    pub exclude: Option<Vec<String>>,
    /// The minimum severity that makes a run fail: `error` (the default), `warning`, `info`,
    /// `never`.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub fail_on: Option<FailOnName>,
    /// Rule id, alias or glob of ids → setting. An exact name wins over a glob.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub rules: Option<BTreeMap<String, RuleSetting>>,
    /// Packs to enable: sets of rules that are disabled by default. Settings under `rules` win over
    /// a pack.
    #[serde(
        default,
        deserialize_with = "optional_string_or_list",
        skip_serializing_if = "Option::is_none"
    )]
    #[schemars(with = "Option<StringOrList>")]
    pub compliance: Option<Vec<String>>,
    /// Settings for some paths; later entries win.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub overrides: Option<Vec<Override>>,
    /// Maximum size in bytes of a file that is parsed (default 2097152). Files of any size are
    /// scanned for secrets.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schemars(example = 2_097_152_u64)]
    pub max_file_size: Option<u64>,
    /// The file of existing findings, relative to the root (default `.aidd/baseline.json`).
    #[serde(skip_serializing_if = "Option::is_none")]
    pub baseline: Option<String>,
    /// Which findings fail a pull request; takes precedence over `failOn`.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub ci: Option<CiConfig>,
    /// Which pages guide an agent, and how much of their content the agent receives.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub content: Option<ContentConfig>,
    /// The memory packs of a ticket, and whether phases require them.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub memory: Option<MemoryConfig>,
    /// What the components of the project render, for the rules on accessibility.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub accessibility: Option<AccessibilityConfig>,
    /// What is recorded of sessions, and which changes follow from it.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub evolution: Option<EvolutionConfig>,
    /// Rules whose severity `.aidd/evolution/applied.json` raises by one step, unless this
    /// configuration sets their level.
    #[serde(skip)]
    pub raised: BTreeSet<String>,
}

impl Config {
    /// Whether statistics of sessions are recorded.
    #[must_use]
    pub fn records_usage(&self) -> bool {
        self.content.as_ref().is_none_or(ContentConfig::tracks_sessions)
            && self.evolution.as_ref().is_none_or(EvolutionConfig::records)
    }
}

/// Which findings fail a pull request. A selector is a rule id, an alias, a glob of ids, a tag, or
/// a category (`security_critical`, `type_safety`, `code_style`, `documentation`, `commit_format`,
/// `test_coverage`, `performance`). The most specific selector that matches a rule wins; among
/// equally specific ones `ignore` precedes `blockOn`, which precedes `warnOn`.
#[derive(Clone, Debug, Default, PartialEq, Deserialize, Serialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct CiConfig {
    /// Selectors of rules whose new findings fail the run, regardless of severity.
    #[serde(
        default,
        deserialize_with = "optional_string_or_list",
        skip_serializing_if = "Option::is_none"
    )]
    #[schemars(with = "Option<StringOrList>")]
    pub block_on: Option<Vec<String>>,
    /// Selectors of rules whose new findings are reported but do not fail the run.
    #[serde(
        default,
        deserialize_with = "optional_string_or_list",
        skip_serializing_if = "Option::is_none"
    )]
    #[schemars(with = "Option<StringOrList>")]
    pub warn_on: Option<Vec<String>>,
    /// Selectors of rules whose findings are counted but not reported.
    #[serde(
        default,
        deserialize_with = "optional_string_or_list",
        skip_serializing_if = "Option::is_none"
    )]
    #[schemars(with = "Option<StringOrList>")]
    pub ignore: Option<Vec<String>>,
}

/// The minimum severity that makes a run fail.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Deserialize, Serialize, JsonSchema)]
#[serde(rename_all = "lowercase")]
pub enum FailOnName {
    /// Errors only.
    Error,
    /// Errors and warnings.
    Warning,
    /// Any finding, including info.
    Info,
    /// Findings never make a run fail.
    Never,
}

/// The setting of a rule: a level, or an object with level and parameters.
#[derive(Clone, Debug, PartialEq, Deserialize, Serialize, JsonSchema)]
#[serde(untagged)]
pub enum RuleSetting {
    /// `off` or a severity.
    Level(Level),
    /// A level and parameters.
    Detailed(DetailedSetting),
}

/// A level and parameters of a rule.
#[derive(Clone, Debug, Default, PartialEq, Deserialize, Serialize, JsonSchema)]
pub struct DetailedSetting {
    /// `off` or a severity. Default: the severity in the rule's page.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub severity: Option<Level>,
    /// The rule's parameters, as defined in its page.
    #[serde(default, skip_serializing_if = "Map::is_empty")]
    pub params: Map<String, Value>,
}

impl RuleSetting {
    /// The level, if it is set.
    #[must_use]
    pub fn level(&self) -> Option<Level> {
        match self {
            Self::Level(level) => Some(*level),
            Self::Detailed(detailed) => detailed.severity,
        }
    }

    /// The parameters, if any are set.
    #[must_use]
    pub fn params(&self) -> Option<&Map<String, Value>> {
        match self {
            Self::Level(_) => None,
            Self::Detailed(detailed) => Some(&detailed.params),
        }
    }
}

/// The severity of a rule's findings, or `off`.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Deserialize, Serialize, JsonSchema)]
#[serde(rename_all = "lowercase")]
pub enum Level {
    /// The rule does not run.
    Off,
    /// Information that requires no action.
    Info,
    /// A likely defect.
    Warning,
    /// A certain defect.
    Error,
}

impl Level {
    /// The level of a severity.
    #[must_use]
    pub fn from_severity(severity: Severity) -> Self {
        match severity {
            Severity::Info => Self::Info,
            Severity::Warning => Self::Warning,
            Severity::Error => Self::Error,
        }
    }

    /// The severity; `None` for off.
    #[must_use]
    pub fn severity(self) -> Option<Severity> {
        match self {
            Self::Off => None,
            Self::Info => Some(Severity::Info),
            Self::Warning => Some(Severity::Warning),
            Self::Error => Some(Severity::Error),
        }
    }
}

/// Settings for some paths.
#[derive(Clone, Debug, PartialEq, Deserialize, Serialize, JsonSchema)]
pub struct Override {
    /// Globs of the paths that the settings apply to.
    #[serde(deserialize_with = "string_or_list")]
    #[schemars(with = "StringOrList")]
    pub files: Vec<String>,
    /// Rule id, alias or glob of ids → setting for these paths.
    pub rules: BTreeMap<String, RuleSetting>,
}

/// A string or a list of strings.
#[derive(Deserialize, JsonSchema)]
#[serde(untagged)]
#[schemars(inline)]
enum StringOrList {
    One(String),
    Several(Vec<String>),
}

fn string_or_list<'de, D: Deserializer<'de>>(deserializer: D) -> Result<Vec<String>, D::Error> {
    StringOrList::deserialize(deserializer).map(|value| match value {
        StringOrList::One(text) => vec![text],
        StringOrList::Several(list) => list,
    })
}

fn optional_string_or_list<'de, D: Deserializer<'de>>(
    deserializer: D,
) -> Result<Option<Vec<String>>, D::Error> {
    /// Applies [`string_or_list`] inside an `Option`.
    #[derive(Deserialize)]
    struct Wrapper(#[serde(deserialize_with = "string_or_list")] Vec<String>);
    Ok(Option::<Wrapper>::deserialize(deserializer)?.map(|Wrapper(list)| list))
}

/// A problem in a configuration file, with its position.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Problem {
    /// The message, without position.
    pub message: String,
    /// The byte range in the file.
    pub span: Range<usize>,
    /// The suggested replacement for the text in the span.
    pub suggestion: Option<String>,
}

/// Parses a configuration file; returns the configuration and the unknown keys.
///
/// # Errors
/// When the text is not JSON with comments, or a value has the wrong type.
pub fn read(text: &str) -> Result<(Config, Vec<Problem>), Problem> {
    let options = parse_options();
    let text = text.strip_prefix('\u{FEFF}').unwrap_or(text);
    let parsed = parse_to_ast(text, &CollectOptions::default(), &options)
        .map_err(|error| syntax_error(text, &error))?;
    let Some(ast) = parsed.value else {
        let message = "the file is empty; expected an object, at least `{}`".to_owned();
        return Err(Problem { message, span: 0..0, suggestion: None });
    };
    let (unknown, invalid) = schema_problems(text, &ast);
    if let Some(problem) = invalid.into_iter().next().or_else(|| syntax::malformed_glob(&ast)) {
        return Err(problem);
    }
    let value: Value =
        parse_to_serde_value(text, &options).map_err(|error| syntax_error(text, &error))?;
    let config = serde_path_to_error::deserialize(value).map_err(|error| {
        let path = error.path().clone();
        let range = locate(&ast, &path);
        Problem {
            message: format!("`{path}`: {}", error.into_inner()),
            span: range,
            suggestion: None,
        }
    })?;
    Ok((config, unknown))
}

/// All problems of a configuration file, in the order of the file: the syntax error, or the unknown
/// keys and all invalid values.
#[must_use]
pub fn problems(text: &str) -> Vec<Problem> {
    let first = match read(text) {
        Ok((_, unknown)) => return unknown,
        Err(problem) => problem,
    };
    let parsed = parse_to_ast(text, &CollectOptions::default(), &parse_options());
    let Some(ast) = parsed.ok().and_then(|parsed| parsed.value) else { return vec![first] };
    let (mut all, invalid) = schema_problems(text, &ast);
    all.extend(invalid);
    if !all.contains(&first) {
        all.push(first);
    }
    all.sort_by_key(|problem| problem.span.start);
    all
}

/// The unknown and duplicate keys in the order of the file, and the invalid values.
fn schema_problems(text: &str, ast: &Ast<'_>) -> (Vec<Problem>, Vec<Problem>) {
    let (mut unknown, mut invalid) = (Vec::new(), Vec::new());
    let schema = schema();
    let schema = schema.as_object().into_iter();
    for fault in schema.flat_map(|schema| faults(schema, Node::Ast(ast), "key", usize::MAX)) {
        let problem =
            Problem { message: fault.message, span: fault.span, suggestion: fault.replacement };
        let problem = replaced::explain(text, problem);
        match fault.kind {
            FaultKind::UnknownKey | FaultKind::DuplicateKey => unknown.push(problem),
            _ => invalid.push(problem),
        }
    }
    unknown.sort_by_key(|problem| problem.span.start);
    (unknown, invalid)
}

/// Parse options for JSON with comments and trailing commas, without other extensions.
#[must_use]
pub fn parse_options() -> ParseOptions {
    ParseOptions {
        allow_comments: true,
        allow_trailing_commas: true,
        allow_loose_object_property_names: false,
        allow_missing_commas: false,
        allow_single_quoted_strings: false,
        allow_hexadecimal_numbers: false,
        allow_unary_plus_numbers: false,
        allow_bare_decimal_point_numbers: false,
        allow_non_finite_numbers: false,
        allow_extended_string_escapes: false,
    }
}

/// The JSON schema of the configuration file.
///
/// # Panics
/// Never: the schema of a Rust type is valid JSON.
#[must_use]
pub fn schema() -> Value {
    schemars::schema_for!(Config).to_value()
}

/// The byte range of the value at `path`, or of its deepest existing ancestor.
fn locate(ast: &Ast<'_>, path: &serde_path_to_error::Path) -> Range<usize> {
    use serde_path_to_error::Segment;
    let mut at = ast;
    for segment in path {
        let next = match (segment, at) {
            (Segment::Map { key }, Ast::Object(object)) => object
                .properties
                .iter()
                .find(|prop| prop.name.as_str() == key)
                .map(|prop| &prop.value),
            (Segment::Seq { index }, Ast::Array(array)) => array.elements.get(*index),
            _ => None,
        };
        let Some(next) = next else { break };
        at = next;
    }
    at.range().start..at.range().end
}

/// The line, from 1, of the value at the path `keys` in a configuration; an index selects a list
/// item. `None` when there is no such value.
#[must_use]
pub fn line_of(text: &str, keys: &[&str]) -> Option<u32> {
    let text = text.strip_prefix('\u{FEFF}').unwrap_or(text);
    let parsed = parse_to_ast(text, &CollectOptions::default(), &parse_options()).ok()?;
    let mut at = parsed.value?;
    let mut start = at.range().start;
    for key in keys {
        at = match at {
            Ast::Object(object) => {
                // The last duplicate key wins, as in the parser.
                let mut properties = object.properties.into_iter().rev();
                let property = properties.find(|property| property.name.as_str() == *key)?;
                start = property.range.start;
                property.value
            }
            Ast::Array(array) => {
                let item = array.elements.into_iter().nth(key.parse().ok()?)?;
                start = item.range().start;
                item
            }
            _ => return None,
        };
    }
    let before = text.as_bytes().get(..start)?;
    let breaks = before.iter().filter(|byte| **byte == b'\n').count();
    u32::try_from(breaks + 1).ok()
}

#[cfg(test)]
mod tests;
