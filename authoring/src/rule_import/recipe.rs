//! Pages as the tables in `content/import` describe them: texts and checks with places that the
//! options of a rule fill in.
//!
//! A place is `{{name}}`, or `{{name|step|step:argument}}`; `{{?name}}` leaves out the key, the
//! variable or the example it stands in where there is no such option. A text that is one place
//! becomes the value itself.

use super::draft::Draft;
use super::{steps, texts};
use serde::Deserialize;
use serde_json::{Map, Value as Json};

/// The options of a rule, and what is derived from them.
pub(super) type Vars = Map<String, Json>;

/// What becomes of a rule.
#[derive(Debug, Default, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub(super) struct Table {
    /// Its other names.
    pub(super) names: Vec<String>,
    /// Names that speak of several rules.
    pub(super) tags: Vec<String>,
    /// The options it has, where they are checked.
    pub(super) options: Vec<String>,
    /// Why it is not carried over.
    pub(super) left: Option<String>,
    /// The rule that is built in and says it.
    pub(super) ours: Option<String>,
    /// The pack that switches that one on.
    pub(super) pack: Option<String>,
    /// Whether it says how text is laid out: a formatter's affair.
    pub(super) style: bool,
    /// The form of the page, where the code makes it.
    pub(super) coded: Option<String>,
    /// Whether the code derives more from the options.
    pub(super) derived: bool,
    /// Whether the check counts for the files of the rule, where its form names files itself.
    pub(super) files: bool,
    /// The file of examples that name none.
    path: Option<String>,
    /// What is derived from the options, in this order; the later of one name wins.
    vars: Vec<Derived>,
    /// The pages, of which each is made whose conditions hold.
    pages: Vec<Recipe>,
}

#[derive(Debug, Default, Deserialize)]
#[serde(default, deny_unknown_fields)]
struct Derived {
    when: Json,
    unless: Json,
    set: Vars,
}

/// One page, or why there is none.
#[derive(Debug, Default, Deserialize)]
#[serde(default, deny_unknown_fields)]
struct Recipe {
    when: Json,
    unless: Json,
    /// Why the rule is not carried over.
    left: Option<String>,
    demand: String,
    check: Json,
    /// What the name of the page ends with.
    suffix: String,
    /// Each a text, or one under `note` with conditions.
    notes: Vec<Json>,
    /// Each the text of the file under check, or a list of files: paths, whose files hold a line of
    /// text, and mappings of paths to texts.
    fails: Vec<Json>,
    passes: Vec<Json>,
}

impl Table {
    /// Adds what is derived from the options to `vars`.
    ///
    /// # Errors
    /// The option that is missing or not what it should be.
    pub(super) fn derive(&self, vars: &mut Vars) -> Result<(), String> {
        for derived in &self.vars {
            if !applies(&derived.when, &derived.unless, vars) {
                continue;
            }
            for (name, value) in &derived.set {
                if let Some(value) = filled(value, vars)? {
                    vars.insert(name.clone(), value);
                }
            }
        }
        Ok(())
    }

    /// The drafts of a rule with these options; `new` makes one of its demand, and `path` is the
    /// file of examples that name none.
    ///
    /// # Errors
    /// Why the rule is not carried over.
    pub(super) fn drafts(
        &self,
        vars: &Vars,
        path: &str,
        new: &dyn Fn(String) -> Draft,
    ) -> Result<Vec<Draft>, String> {
        let path = self.path.as_deref().unwrap_or(path);
        let pages = self.pages.iter().filter(|page| applies(&page.when, &page.unless, vars));
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

/// The tables of a tool, by rule.
pub(super) fn read<T: serde::de::DeserializeOwned>(text: &str) -> T {
    serde_saphyr::from_str(text).expect("a shipped table, which tests read")
}

impl Recipe {
    fn draft(
        &self,
        vars: &Vars,
        path: &str,
        new: &dyn Fn(String) -> Draft,
    ) -> Result<Draft, String> {
        if let Some(why) = &self.left {
            return Err(text(why, vars)?);
        }
        let mut draft = new(text(&self.demand, vars)?);
        draft.check = filled(&self.check, vars)?;
        draft.name.push_str(&self.suffix);
        for note in &self.notes {
            if applies(&note["when"], &note["unless"], vars) {
                let note = if note.is_object() { &note["note"] } else { note };
                draft.notes.extend(filled(note, vars)?.iter().flat_map(texts));
            }
        }
        for (passes, examples) in [(false, &self.fails), (true, &self.passes)] {
            // One that cannot be written is no reason to leave the page out.
            for example in examples.iter().filter_map(|one| filled(one, vars).ok().flatten()) {
                draft = draft.project(passes, files(&example, path));
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
                files.iter().map(|(path, one)| (path.clone(), text(one))).collect()
            }
            paths => texts(paths).into_iter().map(|path| (path, "Text.\n".to_owned())).collect(),
        }
    };
    match example {
        Json::Array(files) => files.iter().flat_map(file).collect(),
        one => vec![(path.to_owned(), text(one))],
    }
}

/// Whether conditions hold: `when`, where there is one, and not `unless`.
fn applies(when: &Json, unless: &Json, vars: &Vars) -> bool {
    holds(when, vars) && (unless.is_null() || !holds(unless, vars))
}

/// A mapping holds when all its options are as it says, a list when one of its mappings does.
fn holds(when: &Json, vars: &Vars) -> bool {
    let of = |name: &str| vars.get(name).unwrap_or(&Json::Null);
    match when {
        Json::Array(any) => any.iter().any(|one| holds(one, vars)),
        Json::Object(all) => all.iter().all(|(name, wanted)| match wanted {
            Json::Object(tests) => tests.iter().all(|(test, with)| match test.as_str() {
                "any" => with.as_array().is_some_and(|any| any.contains(of(name))),
                "none" => with.as_array().is_some_and(|any| !any.contains(of(name))),
                "starts" => of(name)
                    .as_str()
                    .zip(with.as_str())
                    .is_some_and(|(text, start)| text.starts_with(start)),
                "same" => with.as_str().is_some_and(|other| of(name) == of(other)),
                "in" => is_between(of(name), with),
                "has" => has(of(name), with),
                _ => false,
            }),
            wanted => of(name) == wanted,
        }),
        _ => true,
    }
}

fn is_between(value: &Json, range: &Json) -> bool {
    let bound = |at: usize, open: u64| range[at].as_u64().unwrap_or(open);
    value.as_u64().is_some_and(|value| (bound(0, 0)..=bound(1, u64::MAX)).contains(&value))
}

/// Whether a list has one of the texts, or a text one of them in it.
fn has(value: &Json, any: &Json) -> bool {
    texts(any).iter().any(|part| match value {
        Json::String(text) => text.contains(part),
        list => texts(list).contains(part),
    })
}

/// A value with its places filled in; `None` when it is a place of an option that is not given.
fn filled(given: &Json, vars: &Vars) -> Result<Option<Json>, String> {
    Ok(Some(match given {
        Json::String(template) => match template.strip_prefix("{{?") {
            Some(inner) => {
                let value = value(inner.trim_end_matches("}}"), vars).ok();
                return Ok(value.filter(|value| *value != Json::Bool(false)));
            }
            None => match template.strip_prefix("{{").and_then(|rest| rest.strip_suffix("}}")) {
                Some(place) if !place.contains("{{") && !place.ends_with('}') => {
                    value(place, vars)?
                }
                _ => Json::String(text(template, vars)?),
            },
        },
        Json::Array(items) => {
            let items: Result<Vec<_>, String> =
                items.iter().map(|item| filled(item, vars)).collect();
            Json::Array(items?.into_iter().flatten().collect())
        }
        Json::Object(map) => {
            let mut all = Map::new();
            for (key, value) in map {
                if let Some(value) = filled(value, vars)? {
                    all.insert(text(key, vars)?, value);
                }
            }
            Json::Object(all)
        }
        other => other.clone(),
    }))
}

/// A text with its places filled in.
pub(super) fn text(template: &str, vars: &Vars) -> Result<String, String> {
    let mut text = String::with_capacity(template.len());
    let mut rest = template;
    while let Some((before, after)) = rest.split_once("{{") {
        // Of `{{{max}}}` the outer braces are an expression's.
        let inner = after.trim_start_matches('{');
        text.push_str(before);
        text.push_str(&after[..after.len() - inner.len()]);
        let (place, after) = inner.split_once("}}").unwrap_or((inner, ""));
        match value(place, vars)? {
            Json::String(value) => text.push_str(&value),
            value => text.push_str(&value.to_string()),
        }
        rest = after;
    }
    text.push_str(rest);
    Ok(text)
}

/// What a place stands for.
fn value(place: &str, vars: &Vars) -> Result<Json, String> {
    let mut calls = place.split('|');
    let name = calls.next().unwrap_or_default();
    let given = vars.get(name).filter(|value| !value.is_null()).cloned();
    let missing = || format!("`{name}` is missing");
    let last = calls.try_fold(given, |value, call| {
        let (step, argument) = call.split_once(':').unwrap_or((call, ""));
        match (step, value) {
            ("string", value) => {
                Ok(value.filter(Json::is_string).or_else(|| Some(argument.into())))
            }
            ("number", value) => {
                let number = value.as_ref().and_then(Json::as_u64);
                let number = number.ok_or_else(|| format!("`{name}` is no number"))?;
                match argument.parse() {
                    Ok(most) if number > most => Err(format!("`{name}` is more than {argument}")),
                    _ => Ok(Some(number.into())),
                }
            }
            ("or-null", value) => Ok(Some(value.unwrap_or_default())),
            (_, None) => Ok(None),
            (step, Some(value)) => {
                let other = || vars.get(argument).and_then(first).unwrap_or_default();
                steps::taken(step, argument, &value, &other)?
                    .map_or_else(|| Err(missing()), |value| Ok(Some(value)))
            }
        }
    })?;
    last.ok_or_else(missing)
}

/// A text, or the first of a list.
fn first(value: &Json) -> Option<String> {
    value.get(0).unwrap_or(value).as_str().map(str::to_owned)
}

#[cfg(test)]
mod tests {
    use super::*;

    impl Table {
        /// The form of the check of its pages.
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
