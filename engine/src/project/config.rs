//! `.aidd/config.json`: JSON with comments, read into plain data.

use crate::parse::json_schema::{FaultKind, Node, faults};
use crate::text::finding::Severity;
use jsonc_parser::ast::Value as Ast;
use jsonc_parser::common::Ranged;
use jsonc_parser::{CollectOptions, ParseOptions, parse_to_ast, parse_to_serde_value};
use schemars::JsonSchema;
use serde::{Deserialize, Deserializer, Serialize};
use serde_json::{Map, Value};
use std::collections::BTreeMap;
use std::ops::Range;
use thiserror::Error;

mod form;

pub use form::unparsed;

/// Most bytes a file may have to be parsed: 2 MiB. Secrets are looked for in files of any size.
pub const MAX_FILE_SIZE: u64 = 2 << 20;

/// The settings of a project. Every key may be absent.
#[derive(Clone, Debug, Default, PartialEq, Deserialize, Serialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
#[schemars(title = "aidd configuration")]
pub struct Config {
    /// The schema of this file, for editors.
    #[serde(rename = "$schema", skip_serializing_if = "Option::is_none")]
    pub schema: Option<String>,
    /// Globs of the paths to check; absent means all. A glob without a slash speaks of the file name
    /// in any folder.
    #[serde(default, deserialize_with = "texts", skip_serializing_if = "Option::is_none")]
    #[schemars(with = "Option<Texts>")]
    pub include: Option<Vec<String>>,
    /// Globs of the paths not to check.
    #[serde(default, deserialize_with = "texts", skip_serializing_if = "Option::is_none")]
    #[schemars(with = "Option<Texts>")]
    pub exclude: Option<Vec<String>>,
    /// The least severity that makes a run fail: `error` (the default), `warning`, `info`, `never`.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub fail_on: Option<FailOnName>,
    /// Rule id, alias or glob of ids → its setting. An exact name wins over a glob.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub rules: Option<BTreeMap<String, RuleSetting>>,
    /// Packs: sets of rules that are off by default, switched on by one name. What stands under
    /// `rules` wins over a pack.
    #[serde(default, deserialize_with = "texts", skip_serializing_if = "Option::is_none")]
    #[schemars(with = "Option<Texts>")]
    pub compliance: Option<Vec<String>>,
    /// Settings for some paths only; later ones win.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub overrides: Option<Vec<Override>>,
    /// Most bytes a file may have to be parsed (default 2097152). Secrets are looked for in files of
    /// any size.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schemars(example = 2_097_152_u64)]
    pub max_file_size: Option<u64>,
    /// The file of known findings (default `.aidd/baseline.json`), from the root.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub baseline: Option<String>,
    /// What a pull request is judged by, over `failOn`.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub ci: Option<CiConfig>,
    /// Which pages guide an agent, and how much of them it is given.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub content: Option<ContentConfig>,
}

/// Which pages guide an agent, and how much of them it is given.
#[derive(Clone, Debug, Default, PartialEq, Deserialize, Serialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct ContentConfig {
    /// Whose pages count: `merge` (the project's over the shipped ones, the default),
    /// `project_only`, `bundled_only`.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub override_mode: Option<ContentMode>,
    /// How much an agent is given when it starts: `minimal`, `standard` (the default), `full`.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub token_budget: Option<TokenBudget>,
    /// Whether what an agent does in a conversation is kept: its session, what it edited and checked
    /// (default true). A session that is asked for by its tool is kept all the same.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub session_tracking: Option<bool>,
    /// Folders of the project's pages, from the root, instead of `NAME/`, `ai/NAME/` and
    /// `.aidd/NAME/`.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub paths: Option<ContentPaths>,
}

impl ContentConfig {
    /// The environment variable that goes over `overrideMode`; doors read it.
    pub const MODE_VARIABLE: &str = "AIDD_CONTENT_OVERRIDE_MODE";

    /// Whether conversations are kept.
    #[must_use]
    pub fn tracks_sessions(&self) -> bool {
        self.session_tracking.unwrap_or(true)
    }

    /// Takes the mode that a variable names over that of the file; an empty one says nothing.
    ///
    /// # Errors
    /// That the word is no mode, and which there are.
    pub fn set_mode(&mut self, word: &str) -> Result<(), UnknownMode> {
        let mode = match word.trim() {
            "" => return Ok(()),
            "merge" => ContentMode::Merge,
            "project_only" => ContentMode::ProjectOnly,
            "bundled_only" => ContentMode::BundledOnly,
            other => return Err(UnknownMode(other.to_owned())),
        };
        self.override_mode = Some(mode);
        Ok(())
    }
}

/// A word that [`ContentConfig::MODE_VARIABLE`] has and that is no mode.
#[derive(Clone, Debug, PartialEq, Eq, Error)]
#[error(
    "{variable} is `{0}`; it may be merge, project_only or bundled_only",
    variable = ContentConfig::MODE_VARIABLE
)]
pub struct UnknownMode(pub String);

/// Whose pages guide an agent.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Deserialize, Serialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum ContentMode {
    /// The project's, laid over the shipped ones.
    #[default]
    Merge,
    /// The project's, and of the shipped ones only what no project replaces: how the method works.
    ProjectOnly,
    /// The shipped ones.
    BundledOnly,
}

/// How much an agent is given when it starts.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Deserialize, Serialize, JsonSchema)]
#[serde(rename_all = "lowercase")]
pub enum TokenBudget {
    /// What it must not get wrong.
    Minimal,
    /// What it needs for most tasks.
    #[default]
    Standard,
    /// Everything that helps.
    Full,
}

/// Folders of a project's pages, from the root.
#[derive(Clone, Debug, Default, PartialEq, Deserialize, Serialize, JsonSchema)]
pub struct ContentPaths {
    /// What is said of all roles.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub agents: Option<String>,
    /// Rules in words. Rules with a check are read from `rules/`, `ai/rules/` and `.aidd/rules/`.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub rules: Option<String>,
    /// Roles: `ROLE/SKILL.md`.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub skills: Option<String>,
    /// Steps with roles and gates.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub workflows: Option<String>,
    /// Forms to fill in.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub templates: Option<String>,
    /// Technologies: `CATEGORY/NAME.md`.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub knowledge: Option<String>,
}

impl ContentPaths {
    /// The folder of a sort of pages, by its key.
    #[must_use]
    pub fn get(&self, key: &str) -> Option<&str> {
        let folder = match key {
            "agents" => &self.agents,
            "rules" => &self.rules,
            "skills" => &self.skills,
            "workflows" => &self.workflows,
            "templates" => &self.templates,
            "knowledge" => &self.knowledge,
            _ => return None,
        };
        folder.as_deref()
    }
}

/// What a pull request is judged by. A selector is a rule id, an alias, a glob of ids, a tag, or a
/// category (`security_critical`, `type_safety`, `code_style`, `documentation`, `commit_format`,
/// `test_coverage`, `performance`). The narrowest one that names a rule wins; of equally narrow
/// ones `ignore` goes before `blockOn`, that before `warnOn`.
#[derive(Clone, Debug, Default, PartialEq, Deserialize, Serialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct CiConfig {
    /// Selectors of rules whose new findings fail the run, whatever their severity.
    #[serde(default, deserialize_with = "texts", skip_serializing_if = "Option::is_none")]
    #[schemars(with = "Option<Texts>")]
    pub block_on: Option<Vec<String>>,
    /// Selectors of rules whose new findings are reported and do not fail the run.
    #[serde(default, deserialize_with = "texts", skip_serializing_if = "Option::is_none")]
    #[schemars(with = "Option<Texts>")]
    pub warn_on: Option<Vec<String>>,
    /// Selectors of rules whose findings are left out of the report, but counted.
    #[serde(default, deserialize_with = "texts", skip_serializing_if = "Option::is_none")]
    #[schemars(with = "Option<Texts>")]
    pub ignore: Option<Vec<String>>,
}

/// What makes a run fail.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Deserialize, Serialize, JsonSchema)]
#[serde(rename_all = "lowercase")]
pub enum FailOnName {
    /// Errors.
    Error,
    /// Warnings and errors.
    Warning,
    /// Any finding.
    Info,
    /// Nothing.
    Never,
}

/// The setting of one rule: a level, or a level and parameters.
#[derive(Clone, Debug, PartialEq, Deserialize, Serialize, JsonSchema)]
#[serde(untagged)]
pub enum RuleSetting {
    /// Off, or how bad its findings are.
    Level(Level),
    /// With parameters.
    Detailed(DetailedSetting),
}

/// A level and parameters.
#[derive(Clone, Debug, Default, PartialEq, Deserialize, Serialize, JsonSchema)]
pub struct DetailedSetting {
    /// Off, or how bad its findings are; absent: as the rule's page says.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub severity: Option<Level>,
    /// The rule's parameters, as its page names them.
    #[serde(default, skip_serializing_if = "Map::is_empty")]
    pub params: Map<String, Value>,
}

impl RuleSetting {
    /// The level, when one is given.
    #[must_use]
    pub fn level(&self) -> Option<Level> {
        match self {
            Self::Level(level) => Some(*level),
            Self::Detailed(detailed) => detailed.severity,
        }
    }

    /// The parameters.
    #[must_use]
    pub fn params(&self) -> Option<&Map<String, Value>> {
        match self {
            Self::Level(_) => None,
            Self::Detailed(detailed) => Some(&detailed.params),
        }
    }
}

/// How bad the findings of a rule are, or that it is off.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Deserialize, Serialize, JsonSchema)]
#[serde(rename_all = "lowercase")]
pub enum Level {
    /// Does not run.
    Off,
    /// Worth knowing.
    Info,
    /// Likely a fault.
    Warning,
    /// Certainly a fault.
    Error,
}

impl Level {
    /// The level of a severity.
    #[must_use]
    pub fn of(severity: Severity) -> Self {
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
    /// Globs of the paths meant.
    #[serde(deserialize_with = "some_texts")]
    #[schemars(with = "Texts")]
    pub files: Vec<String>,
    /// Rule id, alias or glob of ids → its setting there.
    pub rules: BTreeMap<String, RuleSetting>,
}

/// One text, or a list of them.
#[derive(Deserialize, JsonSchema)]
#[serde(untagged)]
#[schemars(inline)]
enum Texts {
    One(String),
    Several(Vec<String>),
}

fn some_texts<'de, D: Deserializer<'de>>(deserializer: D) -> Result<Vec<String>, D::Error> {
    Texts::deserialize(deserializer).map(|texts| match texts {
        Texts::One(text) => vec![text],
        Texts::Several(list) => list,
    })
}

fn texts<'de, D: Deserializer<'de>>(deserializer: D) -> Result<Option<Vec<String>>, D::Error> {
    /// Read as what it holds.
    #[derive(Deserialize)]
    struct Held(#[serde(deserialize_with = "some_texts")] Vec<String>);
    Ok(Option::<Held>::deserialize(deserializer)?.map(|Held(list)| list))
}

/// Something wrong in a configuration file, and where.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Problem {
    /// What is wrong.
    pub message: String,
    /// Bytes of the file.
    pub span: Range<usize>,
    /// What was probably meant instead of the text under the span.
    pub instead: Option<String>,
}

/// Reads a configuration file: its settings, and the keys in it that nothing reads.
///
/// # Errors
/// When the text is not JSON with comments, or a value is of the wrong type.
pub fn read(text: &str) -> Result<(Config, Vec<Problem>), Problem> {
    let options = parse_options();
    let text = text.strip_prefix('\u{FEFF}').unwrap_or(text);
    let parsed = parse_to_ast(text, &CollectOptions::default(), &options)
        .map_err(|error| unparsed(text, &error))?;
    let Some(ast) = parsed.value else { return Ok((Config::default(), Vec::new())) };
    let (mut unknown, mut wrong) = (Vec::new(), None);
    let schema = schema();
    let schema = schema.as_object().into_iter();
    for fault in schema.flat_map(|schema| faults(schema, Node::Ast(&ast), "key", usize::MAX)) {
        let problem =
            Problem { message: fault.message, span: fault.span, instead: fault.replacement };
        match fault.kind {
            FaultKind::UnknownKey | FaultKind::DuplicateKey => unknown.push(problem),
            _ => wrong = wrong.or(Some(problem)),
        }
    }
    if let Some(problem) = wrong.or_else(|| form::malformed_glob(&ast)) {
        return Err(problem);
    }
    unknown.sort_by_key(|problem| problem.span.start);
    let value: Value =
        parse_to_serde_value(text, &options).map_err(|error| unparsed(text, &error))?;
    let config = serde_path_to_error::deserialize(value).map_err(|error| {
        let path = error.path().clone();
        let range = locate(&ast, &path);
        Problem { message: format!("`{path}`: {}", error.into_inner()), span: range, instead: None }
    })?;
    Ok((config, unknown))
}

/// JSON with comments and trailing commas, and nothing looser.
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
/// Never: the schema of a Rust type is JSON.
#[must_use]
pub fn schema() -> Value {
    schemars::schema_for!(Config).to_value()
}

/// The bytes of the value at `path`, or of the deepest one on the way that exists.
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

/// The line, from 1, on which a configuration has the value that `keys` lead to; an item of a list is
/// led to by its index. `None` when the text has no such value.
#[must_use]
pub fn line_of(text: &str, keys: &[&str]) -> Option<u32> {
    let text = text.strip_prefix('\u{FEFF}').unwrap_or(text);
    let parsed = parse_to_ast(text, &CollectOptions::default(), &parse_options()).ok()?;
    let mut at = parsed.value?;
    let mut start = at.range().start;
    for key in keys {
        at = match at {
            Ast::Object(object) => {
                // The last one counts, as it does for the reader.
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
