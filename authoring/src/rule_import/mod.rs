//! Imports rule pages from the configuration of other tools: alint, commitlint, ls-lint, ast-grep
//! and markdownlint. The input is text; the output is pages, and a list of the items that cannot be
//! imported.
//!
//! Nothing is executed: the literal parts of a JavaScript configuration are read (`script`), and
//! the rest is reported.

mod alint;
mod ast_grep;
mod commitlint;
mod draft;
mod error;
mod expressions;
mod ls_lint;
mod markdownlint;
mod modules;
mod recipe;
mod sample;
mod script;
mod siblings;
mod steps;
mod tables;
#[cfg(test)]
mod tests;

use aidd_engine::check::Engine;
use aidd_engine::parse::values::{Format, Values};
use aidd_engine::text::files::{Files, SIDE_FILE_LIMIT};
use aidd_engine::text::paths::{parent_dir, scope_of};
use aidd_engine::text::source::{Encoding, Source};
use draft::Draft;
pub use error::ImportError;
use serde::Deserialize;
use serde_json::{Map, Value as Json};
use std::collections::BTreeMap;
use std::fmt;
use std::sync::LazyLock;

/// Maximum nesting depth of a configuration, so that reading the configuration does not overflow the
/// stack.
const MAX_DEPTH: usize = 64;

/// A tool whose configuration can be imported.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Tool {
    /// alint: files, names, contents, values.
    Alint,
    /// commitlint: commit messages.
    Commitlint,
    /// ls-lint: names of files and directories.
    LsLint,
    /// ast-grep: patterns of code.
    AstGrep,
    /// markdownlint, and its runner markdownlint-cli2.
    Markdownlint,
}

impl Tool {
    /// All supported tools.
    pub const ALL: [Self; 5] =
        [Self::Alint, Self::Commitlint, Self::LsLint, Self::AstGrep, Self::Markdownlint];

    /// The name on the command line, and the first half of the rule ids.
    #[must_use]
    pub fn key(self) -> &'static str {
        match self {
            Self::Alint => "alint",
            Self::Commitlint => "commitlint",
            Self::LsLint => "ls-lint",
            Self::AstGrep => "ast-grep",
            Self::Markdownlint => "markdownlint",
        }
    }

    /// The names of the configuration files that the tool looks for in its working directory, in order
    /// of precedence. For a file shared by several tools, the second value is a key that the file must
    /// contain.
    fn files(self) -> Vec<(&'static str, Option<&'static str>)> {
        static NAMES: LazyLock<BTreeMap<String, Vec<String>>> =
            LazyLock::new(|| recipe::parse_tables(tables::NAMES));
        let parts = |file: &'static String| match file.split_once(' ') {
            Some((name, key)) => (name, Some(key)),
            None => (file.as_str(), None),
        };
        NAMES[self.key()].iter().map(parts).collect()
    }

    /// Whether a value looks like a configuration of the tool.
    fn matches_config(self, value: &Json) -> bool {
        let has = |key: &str| !value[key].is_null();
        let extends = |name: &str| value["extends"].to_string().contains(name);
        let keys = |value: &Json, is_rule: fn(&str) -> bool| {
            value.as_object().is_some_and(|keys| keys.keys().any(|key| is_rule(key)))
        };
        match self {
            Self::Alint => !value["rules"][0]["id"].is_null() || extends("alint://"),
            Self::Commitlint => {
                keys(&value["rules"], commitlint::is_rule)
                    || extends("@commitlint/")
                    || has("commitlint")
            }
            Self::LsLint => value["ls"].is_object(),
            Self::AstGrep => has("ruleDirs") || has("rule") && has("language"),
            Self::Markdownlint => {
                keys(value, markdownlint::is_rule)
                    || keys(&value["config"], markdownlint::is_rule)
                    || has("markdownlint-cli2")
            }
        }
    }
}

impl fmt::Display for Tool {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.pad(self.key())
    }
}

/// The result of an import.
#[derive(Debug, Default)]
pub struct Import {
    /// The pages, ordered by path.
    pub pages: Vec<Page>,
    /// The items that cannot be imported, in the order of the configuration.
    pub not_imported: Vec<NotImported>,
    /// The errors of pages that our own reader rejects: defects of the import. These pages are not in
    /// `pages`.
    pub defects: Vec<String>,
}

/// An imported rule page.
#[derive(Clone, Debug)]
pub struct Page {
    /// The path of the page, relative to the project's root.
    pub path: String,
    /// The rule id.
    pub id: String,
    /// The name of the rule in the other tool.
    pub item: String,
    /// The full text of the page.
    pub text: String,
    /// The differences from the original rule.
    pub notes: Vec<String>,
    /// Whether the page has examples that `aidd rule test` can run.
    pub has_examples: bool,
}

/// An item that cannot be imported.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct NotImported {
    /// The name of the item in the other tool.
    pub item: String,
    /// The reason.
    pub why: String,
    /// The rule that already covers the item, or the closest alternative.
    pub instead: Option<String>,
}

impl NotImported {
    fn new(item: impl Into<String>, why: impl Into<String>) -> Self {
        Self { item: item.into(), why: one_line_reason(&why.into()), instead: None }
    }

    fn instead(mut self, instead: impl Into<String>) -> Self {
        self.instead = Some(instead.into());
        self
    }
}

/// A reason on one line. For a regex error, the last line is the explanation.
fn one_line_reason(why: &str) -> String {
    let lines: Vec<&str> = why.lines().map(str::trim).filter(|line| !line.is_empty()).collect();
    match lines[..] {
        [first, .., last] if first.contains("regex parse error") => {
            let head = first.split("regex parse error").next().unwrap_or_default();
            format!("{head}{}", last.trim_start_matches("error: "))
        }
        _ => lines.join(" "),
    }
}

/// The result of converting a configuration, before the pages are parsed.
#[derive(Debug, Default)]
struct ImportDraft {
    drafts: Vec<Draft>,
    not_imported: Vec<NotImported>,
}

/// The configurations in the root of a project, each with its tool. If a tool has several
/// configurations, only the configuration that the tool itself uses is included.
#[must_use]
pub fn discover(files: &dyn Files) -> Vec<(String, Tool)> {
    let first = |tool: Tool| {
        let name = tool.files().into_iter().find(|name| siblings::has_config(files, "", *name))?;
        Some((name.0.to_owned(), tool))
    };
    Tool::ALL.into_iter().filter_map(first).collect()
}

/// The tool of the configuration at `path`, determined by its name, otherwise by its contents.
///
/// # Errors
/// Fails when the configuration cannot be read, or matches no tool or several tools.
pub fn tool_of(files: &dyn Files, path: &str) -> Result<Tool, ImportError> {
    let named = (siblings::file_name(path), None);
    if let Some(tool) = Tool::ALL.into_iter().find(|tool| tool.files().contains(&named)) {
        return Ok(tool);
    }
    let all = if script::is_script(path) {
        vec![modules::Modules::new(files, |_| None).exported(path)?.value]
    } else {
        read_data(files, path)?
    };
    let matches = |tool: &Tool| all.iter().any(|value| tool.matches_config(value));
    let tools: Vec<Tool> = Tool::ALL.into_iter().filter(matches).collect();
    match tools[..] {
        [tool] => Ok(tool),
        [] => Err(ImportError::NoTool(path.to_owned())),
        _ => Err(ImportError::AmbiguousTool { path: path.to_owned(), tools }),
    }
}

/// Creates an engine from pages, given as path and text, to run their examples. `None` when there
/// are no pages.
pub type NewEngine<'a> = &'a dyn Fn(&[(String, String)]) -> Option<Engine>;

/// Imports the configuration at `path`; the pages are placed below the directory `to`.
///
/// # Errors
/// Fails when the configuration cannot be read or is malformed, with the file and the position.
pub fn import(
    files: &dyn Files,
    path: &str,
    tool: Tool,
    to: &str,
    engine: NewEngine<'_>,
) -> Result<Import, ImportError> {
    let import_draft = match tool {
        Tool::Alint => alint::read(files, path),
        Tool::Commitlint => commitlint::read(files, path),
        Tool::LsLint => ls_lint::read(files, path),
        Tool::AstGrep => ast_grep::read(files, path),
        Tool::Markdownlint => markdownlint::read(files, path),
    }?;
    let mut import = draft::write_pages(import_draft, to, engine);
    import.not_imported.extend(siblings::overridden_configs(files, path, tool));
    let (folder, scope) = (parent_dir(path), scope_of(&format!("{to}/x.md")).to_owned());
    let has_relative_paths = matches!(tool, Tool::Alint | Tool::LsLint | Tool::Markdownlint);
    if has_relative_paths && folder != scope {
        let why = format!(
            "relative to `{folder}/`, but the paths of the pages are relative to `{scope}/`"
        );
        import.not_imported.insert(
            0,
            NotImported::new("paths", why).instead(format!("--to {folder}/.aidd/rules")),
        );
    }
    Ok(import)
}

/// The text of a configuration.
fn read_text(files: &dyn Files, path: &str) -> Result<String, ImportError> {
    let bytes = files
        .read(path, SIDE_FILE_LIMIT)
        .map_err(|why| ImportError::Read { path: path.to_owned(), why })?;
    if bytes.len() as u64 >= SIDE_FILE_LIMIT {
        return Err(ImportError::TooLarge(path.to_owned()));
    }
    String::from_utf8(bytes).map_err(|_| ImportError::NotUtf8(path.to_owned()))
}

/// The values of a configuration in JSON (with comments) or YAML, one per document.
fn read_data(files: &dyn Files, path: &str) -> Result<Vec<Json>, ImportError> {
    let text = read_text(files, path)?;
    // JSON in a file without the extension (`.commitlintrc`) is valid YAML too, except for comments.
    let looks_like_json = text.trim_start().starts_with(['{', '/']);
    let format = match Format::from_path(path) {
        Some(format @ (Format::Json | Format::Yaml | Format::Toml)) => format,
        _ if looks_like_json => Format::Json,
        _ => Format::Yaml,
    };
    let values = Values::read(format, &text);
    if let Some((span, why)) = &values.broken {
        let source = Source::new(path, text.as_str());
        let at = source.position(span.start, Encoding::CodePoints);
        let (place, why) = ((at.line + 1, at.column + 1), why.clone());
        return Err(ImportError::Malformed { path: path.to_owned(), place, why });
    }
    if let Some(deep) = values.deeper_than(MAX_DEPTH) {
        let deep = deep.key.as_ref().map_or("", |(key, _)| key);
        return Err(ImportError::TooDeep { path: path.to_owned(), key: deep.to_owned() });
    }
    let is_yaml = format == Format::Yaml;
    let json = |root: &usize| {
        let value = values.json(*root);
        if is_yaml { merge_aliases(value) } else { value }
    };
    Ok(values.roots.iter().map(json).collect())
}

/// A YAML value with `<<` merged (<https://yaml.org/type/merge.html>); the mapping's own keys take
/// precedence. The nesting depth has already been checked.
fn merge_aliases(value: Json) -> Json {
    match value {
        Json::Array(items) => Json::Array(items.into_iter().map(merge_aliases).collect()),
        Json::Object(map) => {
            let mut own: Map<String, Json> =
                map.into_iter().map(|(key, value)| (key, merge_aliases(value))).collect();
            let all = match own.remove("<<") {
                Some(Json::Array(all)) => all,
                Some(single) => vec![single],
                None => return Json::Object(own),
            };
            for (key, value) in all.iter().filter_map(Json::as_object).flat_map(Clone::clone) {
                own.entry(key).or_insert(value);
            }
            Json::Object(own)
        }
        other => other,
    }
}

/// The report on a configuration key that is not imported.
#[derive(Debug, Default, Deserialize)]
#[serde(default, deny_unknown_fields)]
struct Key {
    /// The reason why the key is not imported; `None` when there is nothing to import.
    why: Option<String>,
    /// Values of the key that have no effect, and are therefore not reported.
    #[serde(rename = "but")]
    values_without_effect: Vec<Json>,
}

/// The keys of a configuration that are not imported. `unknown` is the reason for keys that the
/// table does not list; `None` if these are handled elsewhere.
fn unsupported_keys(
    config: &Map<String, Json>,
    tool: Tool,
    unknown: Option<&str>,
) -> Vec<NotImported> {
    static KEYS: LazyLock<BTreeMap<String, BTreeMap<String, Key>>> =
        LazyLock::new(|| recipe::parse_tables(tables::KEYS));
    let known = &KEYS[tool.key()];
    let not_imported = |(name, value): (&String, &Json)| {
        let why = match known.get(name) {
            Some(key) => key.why.as_deref().filter(|_| !key.values_without_effect.contains(value)),
            None => unknown,
        };
        why.map(|why| NotImported::new(name, why))
    };
    config.iter().filter_map(not_imported).collect()
}

/// The only document of a configuration; an empty document counts as an empty mapping.
fn read_single_document(files: &dyn Files, path: &str) -> Result<Map<String, Json>, ImportError> {
    let mut all = read_data(files, path)?;
    match (all.pop(), all.is_empty()) {
        (None | Some(Json::Null), true) => Ok(Map::new()),
        (Some(Json::Object(map)), true) => Ok(map),
        (Some(_), true) => Err(ImportError::NotAMapping(path.to_owned())),
        (_, false) => Err(ImportError::MultipleDocuments(path.to_owned())),
    }
}

/// The strings of a value that is a string or a list of strings.
fn string_list(value: &Json) -> Vec<String> {
    match value {
        Json::String(text) => vec![text.clone()],
        Json::Array(all) => all.iter().filter_map(Json::as_str).map(str::to_owned).collect(),
        _ => Vec::new(),
    }
}

/// Converts a glob of another tool, relative to the root, to our syntax, in which a glob without a
/// slash matches in any directory.
fn anchor_glob(glob: &str) -> String {
    let glob = glob.strip_prefix("./").unwrap_or(glob);
    if glob.contains('/') { glob.to_owned() } else { format!("/{glob}") }
}

/// Converts a name of another tool to the second half of a rule id.
fn slug(name: &str) -> String {
    let words = name.split(|c: char| !c.is_ascii_alphanumeric()).filter(|word| !word.is_empty());
    let slug = words.collect::<Vec<_>>().join("-").to_ascii_lowercase();
    if slug.is_empty() { "rule".to_owned() } else { slug }
}

/// Names in backticks: `` `a`, `b` or `c` ``.
fn format_list(names: &[String], last: &str) -> String {
    let quoted: Vec<String> = names.iter().map(|name| format!("`{name}`")).collect();
    match quoted.split_last() {
        None => String::new(),
        Some((only, [])) => only.clone(),
        Some((end, rest)) => format!("{} {last} {end}", rest.join(", ")),
    }
}
