//! Pages described by the tables in `tables/`: texts and checks with placeholders for the options
//! of a rule.
//!
//! A placeholder is `{{name}}` or `{{name|step|step:argument}}`; `{{?name}}` omits the key,
//! variable or example that contains the placeholder if the option is not set. A string that
//! consists of one placeholder becomes the value itself.

use super::draft::Draft;
use super::{steps, string_list};
use serde::Deserialize;
use serde_json::{Map, Value as Json};

/// The options of a rule, and values derived from them.
pub(super) type Vars = Map<String, Json>;

/// The conversion of a rule.
#[derive(Debug, Default, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub(super) struct RuleTable {
    /// Aliases of the rule.
    pub(super) names: Vec<String>,
    /// Names of groups of rules.
    pub(super) tags: Vec<String>,
    /// The supported options, for tools whose options are checked.
    pub(super) options: Vec<String>,
    /// The reason why the rule is not imported.
    #[serde(rename = "left")]
    pub(super) unsupported: Option<String>,
    /// The built-in rule of aidd that covers this rule.
    pub(super) ours: Option<String>,
    /// The pack that enables the built-in rule.
    pub(super) pack: Option<String>,
    /// Whether the rule is about layout, which is the job of a formatter.
    pub(super) style: bool,
    /// The form of the check on the page, if the code creates the check.
    pub(super) coded: Option<String>,
    /// Whether the code derives more variables from the options.
    pub(super) derived: bool,
    /// Whether the files of the rule are added to the check even if the check already names files.
    pub(super) files: bool,
    /// The path of the file in examples that do not specify a path.
    path: Option<String>,
    /// Variables derived from the options, in order; a later variable replaces an earlier variable of
    /// the same name.
    vars: Vec<DerivedVar>,
    /// The pages; each is created if its conditions are met.
    pages: Vec<PageRecipe>,
}

#[derive(Debug, Default, Deserialize)]
#[serde(default, deny_unknown_fields)]
struct DerivedVar {
    when: Json,
    unless: Json,
    set: Vars,
}

/// The description of a page, or the reason why there is none.
#[derive(Debug, Default, Deserialize)]
#[serde(default, deny_unknown_fields)]
struct PageRecipe {
    when: Json,
    unless: Json,
    /// The reason why the rule is not imported.
    #[serde(rename = "left")]
    unsupported: Option<String>,
    requirement: String,
    check: Json,
    /// The suffix of the page name.
    suffix: String,
    /// The notes; each note is a string, or a mapping with the string under `note` and conditions.
    notes: Vec<Json>,
    /// The failing examples. Each example is the text of the checked file, or a list of files: a path
    /// denotes a file with one line of text, and a mapping contains paths and texts.
    fails: Vec<Json>,
    passes: Vec<Json>,
}

impl RuleTable {
    /// Adds derived values to `vars`.
    ///
    /// # Errors
    /// Fails when an option is missing or invalid.
    pub(super) fn derive(&self, vars: &mut Vars) -> Result<(), String> {
        for derived in &self.vars {
            if !conditions_met(&derived.when, &derived.unless, vars) {
                continue;
            }
            for (name, value) in &derived.set {
                if let Some(value) = fill_value(value, vars)? {
                    vars.insert(name.clone(), value);
                }
            }
        }
        Ok(())
    }

    /// The drafts of a rule with the options `vars`. `new` creates a draft from its requirement;
    /// `path` is the path of the file in examples that do not specify a path.
    ///
    /// # Errors
    /// Fails with the reason why the rule is not imported.
    pub(super) fn drafts(
        &self,
        vars: &Vars,
        path: &str,
        new: &dyn Fn(String) -> Draft,
    ) -> Result<Vec<Draft>, String> {
        let path = self.path.as_deref().unwrap_or(path);
        let pages = self.pages.iter().filter(|page| conditions_met(&page.when, &page.unless, vars));
        pages.map(|page| page.draft(vars, path, new)).collect()
    }
}

/// The members of an object as options.
pub(super) fn vars(object: Json) -> Vars {
    match object {
        Json::Object(vars) => vars,
        _ => Vars::new(),
    }
}

/// Parses the tables of a tool.
pub(super) fn parse_tables<T: serde::de::DeserializeOwned>(text: &str) -> T {
    serde_saphyr::from_str(text).expect("shipped tables are valid")
}

impl PageRecipe {
    fn draft(
        &self,
        vars: &Vars,
        path: &str,
        new: &dyn Fn(String) -> Draft,
    ) -> Result<Draft, String> {
        if let Some(why) = &self.unsupported {
            return Err(fill_text(why, vars)?);
        }
        let mut draft = new(fill_text(&self.requirement, vars)?);
        draft.check = fill_value(&self.check, vars)?;
        draft.name.push_str(&self.suffix);
        for note in &self.notes {
            if conditions_met(&note["when"], &note["unless"], vars) {
                let note = if note.is_object() { &note["note"] } else { note };
                draft.notes.extend(fill_value(note, vars)?.iter().flat_map(string_list));
            }
        }
        for (passes, examples) in [(false, &self.fails), (true, &self.passes)] {
            // The page is also created if an example cannot be written.
            for example in examples.iter().filter_map(|text| fill_value(text, vars).ok().flatten())
            {
                draft = draft.example_project(passes, files(&example, path));
            }
        }
        Ok(draft)
    }
}

/// The files of an example.
fn files(example: &Json, path: &str) -> Vec<(String, String)> {
    let text = |text: &Json| text.as_str().unwrap_or_default().to_owned();
    let file = |file: &Json| -> Vec<(String, String)> {
        match file {
            Json::Object(files) => {
                files.iter().map(|(path, value)| (path.clone(), text(value))).collect()
            }
            paths => {
                string_list(paths).into_iter().map(|path| (path, "Text.\n".to_owned())).collect()
            }
        }
    };
    match example {
        Json::Array(files) => files.iter().flat_map(file).collect(),
        value => vec![(path.to_owned(), text(value))],
    }
}

/// Whether the conditions are met: `when`, if it is set, is met and `unless` is not.
fn conditions_met(when: &Json, unless: &Json, vars: &Vars) -> bool {
    condition_met(when, vars) && (unless.is_null() || !condition_met(unless, vars))
}

/// Whether a condition is met. A mapping is met when all its options have the given values, a list
/// is met when one of its mappings is met.
fn condition_met(when: &Json, vars: &Vars) -> bool {
    let value = |name: &str| vars.get(name).unwrap_or(&Json::Null);
    match when {
        Json::Array(any) => any.iter().any(|condition| condition_met(condition, vars)),
        Json::Object(all) => all.iter().all(|(name, expected)| match expected {
            Json::Object(tests) => tests.iter().all(|(test, argument)| match test.as_str() {
                "any" => argument.as_array().is_some_and(|any| any.contains(value(name))),
                "none" => argument.as_array().is_some_and(|any| !any.contains(value(name))),
                "starts" => value(name)
                    .as_str()
                    .zip(argument.as_str())
                    .is_some_and(|(text, start)| text.starts_with(start)),
                "same" => argument.as_str().is_some_and(|other| value(name) == value(other)),
                "in" => is_between(value(name), argument),
                "has" => contains_any(value(name), argument),
                _ => false,
            }),
            expected => value(name) == expected,
        }),
        _ => true,
    }
}

fn is_between(value: &Json, range: &Json) -> bool {
    let bound = |at: usize, open: u64| range[at].as_u64().unwrap_or(open);
    value.as_u64().is_some_and(|value| (bound(0, 0)..=bound(1, u64::MAX)).contains(&value))
}

/// Whether a list contains one of the strings `any`, or a string contains one of them as a substring.
fn contains_any(value: &Json, any: &Json) -> bool {
    string_list(any).iter().any(|part| match value {
        Json::String(text) => text.contains(part),
        list => string_list(list).contains(part),
    })
}

/// Fills the placeholders of a value; `None` for a placeholder of an option that is not set.
fn fill_value(value: &Json, vars: &Vars) -> Result<Option<Json>, String> {
    Ok(Some(match value {
        Json::String(template) => match template.strip_prefix("{{?") {
            Some(inner) => {
                let value = placeholder_value(inner.trim_end_matches("}}"), vars).ok();
                return Ok(value.filter(|value| *value != Json::Bool(false)));
            }
            None => match template.strip_prefix("{{").and_then(|rest| rest.strip_suffix("}}")) {
                Some(inner) if !inner.contains("{{") && !inner.ends_with('}') => {
                    placeholder_value(inner, vars)?
                }
                _ => Json::String(fill_text(template, vars)?),
            },
        },
        Json::Array(items) => {
            let items: Result<Vec<_>, String> =
                items.iter().map(|item| fill_value(item, vars)).collect();
            Json::Array(items?.into_iter().flatten().collect())
        }
        Json::Object(map) => {
            let mut all = Map::new();
            for (key, value) in map {
                if let Some(value) = fill_value(value, vars)? {
                    all.insert(fill_text(key, vars)?, value);
                }
            }
            Json::Object(all)
        }
        other => other.clone(),
    }))
}

/// Fills the placeholders of a string.
pub(super) fn fill_text(template: &str, vars: &Vars) -> Result<String, String> {
    let mut text = String::with_capacity(template.len());
    let mut rest = template;
    while let Some((before, after)) = rest.split_once("{{") {
        // In `{{{max}}}` the outer braces belong to a regular expression.
        let inner = after.trim_start_matches('{');
        text.push_str(before);
        text.push_str(&after[..after.len() - inner.len()]);
        let (placeholder, after) = inner.split_once("}}").unwrap_or((inner, ""));
        match placeholder_value(placeholder, vars)? {
            Json::String(value) => text.push_str(&value),
            value => text.push_str(&value.to_string()),
        }
        rest = after;
    }
    text.push_str(rest);
    Ok(text)
}

/// The value of a placeholder, given without its braces.
fn placeholder_value(placeholder: &str, vars: &Vars) -> Result<Json, String> {
    let mut calls = placeholder.split('|');
    let name = calls.next().unwrap_or_default();
    let first = vars.get(name).filter(|value| !value.is_null()).cloned();
    let missing = || format!("`{name}` is missing");
    let last = calls.try_fold(first, |value, call| {
        let (step, argument) = call.split_once(':').unwrap_or((call, ""));
        match (step, value) {
            ("string", value) => {
                Ok(value.filter(Json::is_string).or_else(|| Some(argument.into())))
            }
            ("number", value) => {
                let number = value.as_ref().and_then(Json::as_u64);
                let number = number.ok_or_else(|| format!("`{name}` is not a number"))?;
                match argument.parse() {
                    Ok(max) if number > max => Err(format!("`{name}` is more than {argument}")),
                    _ => Ok(Some(number.into())),
                }
            }
            ("or-null", value) => Ok(Some(value.unwrap_or_default())),
            (_, None) => Ok(None),
            (step, Some(value)) => {
                let other = || vars.get(argument).and_then(first_string).unwrap_or_default();
                steps::apply_step(step, argument, &value, &other)?
                    .map_or_else(|| Err(missing()), |value| Ok(Some(value)))
            }
        }
    })?;
    last.ok_or_else(missing)
}

/// A string, or the first string of a list.
fn first_string(value: &Json) -> Option<String> {
    value.get(0).unwrap_or(value).as_str().map(str::to_owned)
}

#[cfg(test)]
mod tests {
    use super::*;

    impl RuleTable {
        /// The form of the check on the pages of the rule.
        pub(in super::super) fn form(&self) -> Option<&str> {
            let of_pages = || {
                let checks = self.pages.iter().filter_map(|page| page.check.as_object());
                checks
                    .flat_map(Map::keys)
                    .map(String::as_str)
                    .find(|key| !["exclude", "files", "fix"].contains(key))
            };
            self.coded.as_deref().or_else(of_pages)
        }
    }
}
