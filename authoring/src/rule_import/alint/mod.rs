//! alint (<https://docs.rs/alint-rules/0.21.0>): rules on files, names, contents and values. What its
//! kinds take was read in its schema of 0.21.0, and tried with 0.20.1.

pub(super) mod bundled;
mod changes;
mod conditions;
mod contents;
mod fixes;
pub(super) mod kinds;
mod places;
mod subjects;
mod values;

use super::draft::Draft;
use super::{Left, Made, Tool, anchored, read_one, texts};
use aidd_engine::text::files::Files;
use aidd_engine::text::finding::Severity;
use aidd_engine::text::paths::{folder_of, join};
use kinds::{ALIASES, KINDS, Way};
use serde_json::{Map, Value as Json, json};

/// Files that extend one another, at most.
const MOST_FILES: usize = 50;

/// One rule, its options as they are.
struct Rule<'a> {
    file: &'a str,
    id: &'a str,
    kind: &'a str,
    options: &'a Map<String, Json>,
    /// Globs, as alint has them.
    include: Vec<String>,
    exclude: Vec<String>,
    when: Option<Json>,
    notes: Vec<String>,
}

pub(super) fn read(files: &dyn Files, path: &str) -> Result<Made, String> {
    let mut made = Made::default();
    let config = whole(files, path, &mut made)?;
    let ignored = config.get("ignore").map(texts).unwrap_or_default();
    for key in ["nested_configs", "baseline", "allow_out_of_root", "trusted_extends"] {
        if config.get(key).is_some_and(|value| value != &json!(false)) {
            let why = match key {
                "nested_configs" => {
                    "import each nested file by its name, with `--to` the rules folder beside it"
                }
                "baseline" => "`aidd baseline write` keeps one of its own",
                _ => "nothing outside the project is read",
            };
            made.left.push(Left::new(key, why));
        }
    }
    let facts = config.get("facts").and_then(Json::as_array).cloned().unwrap_or_default();
    let templates = config.get("templates").and_then(Json::as_array).cloned().unwrap_or_default();
    for rule in config.get("rules").and_then(Json::as_array).into_iter().flatten() {
        let Json::Object(given) = rule else {
            return Err(format!("{path}: a rule is no mapping: {rule}"));
        };
        let id = given.get("id").and_then(Json::as_str).unwrap_or_default();
        if id.is_empty() {
            return Err(format!("{path}: a rule has no `id`"));
        }
        let result = expanded(given, &templates)
            .and_then(|options| one(path, id, &options, &facts, &ignored));
        match result {
            Ok(drafts) => made.drafts.extend(drafts),
            Err(left) => made.left.push(Left { item: id.to_owned(), ..left }),
        }
    }
    Ok(made)
}

impl From<String> for Left {
    fn from(why: String) -> Self {
        Self::new("", why)
    }
}

/// The configuration with the files of the project that it extends.
fn whole(files: &dyn Files, path: &str, made: &mut Made) -> Result<Map<String, Json>, String> {
    let mut order: Vec<(String, Map<String, Json>, Json)> = Vec::new();
    let mut left = vec![(path.to_owned(), Json::Null)];
    while let Some((file, entry)) = left.pop() {
        if order.iter().any(|(seen, ..)| *seen == file) {
            continue;
        }
        if order.len() >= MOST_FILES {
            return Err(format!("{path}: more than {MOST_FILES} files extend one another"));
        }
        let config = read_one(files, &file)?;
        let mut rulesets = Vec::new();
        for entry in config.get("extends").and_then(Json::as_array).into_iter().flatten() {
            let url = entry.as_str().or_else(|| entry["url"].as_str()).unwrap_or_default();
            if url.starts_with("alint://bundled/") {
                match bundled::ruleset(url) {
                    // What it says is overridden by the file that names it.
                    Ok(ruleset) => rulesets.push((url.to_owned(), ruleset, entry.clone())),
                    Err(why) => made.left.push(why),
                }
            } else if url.contains("://") {
                made.left.push(Left::new(
                    format!("extends `{url}`"),
                    "nothing is fetched: put the file into the project",
                ));
            } else {
                let folder = folder_of(&file);
                let inner = join(folder, url)
                    .ok_or_else(|| format!("{file}: `{url}` leads out of the project"))?;
                left.push((inner, entry.clone()));
            }
        }
        order.push((file, config, entry));
        order.extend(rulesets.into_iter().rev());
    }
    // What is extended comes first, and is overridden field by field.
    let mut all = Map::new();
    for (_, config, entry) in order.into_iter().rev() {
        for (key, value) in config {
            let (Some(Json::Array(before)), Json::Array(after)) = (all.get_mut(&key), &value)
            else {
                let kept = if key == "rules" { chosen(&value, &entry) } else { value };
                all.insert(key, kept);
                continue;
            };
            let after =
                if key == "rules" { chosen(&value, &entry) } else { Json::Array(after.clone()) };
            merge(before, after);
        }
    }
    Ok(all)
}

/// The rules that `only` and `except` of an entry leave.
fn chosen(rules: &Json, entry: &Json) -> Json {
    let (only, except) = (texts(&entry["only"]), texts(&entry["except"]));
    let rules = rules.as_array().into_iter().flatten();
    let stays = |rule: &&Json| {
        let id = rule["id"].as_str().unwrap_or_default().to_owned();
        (only.is_empty() || only.contains(&id)) && !except.contains(&id)
    };
    Json::Array(rules.filter(stays).cloned().collect())
}

fn merge(before: &mut Vec<Json>, after: Json) {
    let Json::Array(after) = after else { return };
    for item in after {
        let same = before.iter_mut().find(|one| !item["id"].is_null() && one["id"] == item["id"]);
        match (same.and_then(Json::as_object_mut), item) {
            (Some(map), Json::Object(fields)) => map.extend(fields),
            (_, item) => before.push(item),
        }
    }
}

/// A rule with the fields of its template, variables put in place.
fn expanded(given: &Map<String, Json>, templates: &[Json]) -> Result<Map<String, Json>, Left> {
    let Some(name) = given.get("extends_template").and_then(Json::as_str) else {
        return Ok(given.clone());
    };
    let template = templates.iter().find(|one| one["id"] == name).and_then(Json::as_object);
    let template =
        template.ok_or_else(|| Left::new("", format!("there is no template `{name}`")))?;
    let vars = given.get("vars").and_then(Json::as_object).cloned().unwrap_or_default();
    let mut text = Json::Object(template.clone()).to_string();
    for (key, value) in &vars {
        // Within a text of JSON, as one.
        let plain = value.as_str().map_or_else(|| value.to_string(), str::to_owned);
        let quoted = Json::from(plain).to_string();
        let inner = &quoted[1..quoted.len() - 1];
        text = text
            .replace(&format!("{{{{vars.{key}}}}}"), inner)
            .replace(&format!("{{{{ vars.{key} }}}}"), inner);
    }
    let filled = serde_json::from_str(&text).map_err(|error| Left::new("", error.to_string()))?;
    let Json::Object(mut all) = filled else { return Ok(given.clone()) };
    all.extend(given.clone());
    Ok(all)
}

fn one(
    file: &str,
    id: &str,
    options: &Map<String, Json>,
    facts: &[Json],
    ignored: &[String],
) -> Result<Vec<Draft>, Left> {
    let level = options.get("level").and_then(Json::as_str).unwrap_or("error");
    if level == "off" {
        return Err(Left::new("", "it is off"));
    }
    if let Some(why) = options.get("left").and_then(Json::as_str) {
        let left = Left::new("", why);
        let instead = options.get("instead").and_then(Json::as_str);
        return Err(match instead {
            Some(instead) => left.instead(instead),
            None => left,
        });
    }
    let given = options.get("kind").and_then(Json::as_str).unwrap_or_default();
    if given.is_empty() {
        return Err(Left::new(
            "",
            "it has no `kind`: it changes a rule of a file that is not read",
        ));
    }
    let kind = ALIASES.iter().find(|(other, _)| *other == given).map_or(given, |(_, kind)| kind);
    match KINDS.iter().find(|(known, _)| *known == kind) {
        None => return Err(Left::new("", format!("`{given}` is no kind of alint 0.21"))),
        Some((_, Way::Left(why))) => return Err(Left::new("", *why)),
        Some((_, Way::Ours(ours))) => {
            return Err(Left::new("", "a rule that is built in says it").instead(*ours));
        }
        Some((_, Way::Form(_))) => {}
    }
    let (include, mut exclude) = scope(options.get("paths").unwrap_or(&Json::Null));
    exclude.extend(ignored.iter().cloned());
    let mut rule =
        Rule { file, id, kind, options, include, exclude, when: None, notes: Vec::new() };
    rule.when = condition(&mut rule, facts)?;
    let mut drafts = rule.drafts()?;
    fixes::settle(&mut drafts, &rule);
    for draft in &mut drafts {
        settle(draft, &rule, level);
    }
    Ok(drafts)
}

/// `paths`: a glob, a list with `!`, or an object.
fn scope(paths: &Json) -> (Vec<String>, Vec<String>) {
    if paths.is_object() {
        return (texts(&paths["include"]), texts(&paths["exclude"]));
    }
    let (not, all): (Vec<String>, Vec<String>) =
        texts(paths).into_iter().partition(|glob| glob.starts_with('!'));
    (all, not.into_iter().map(|glob| glob[1..].to_owned()).collect())
}

/// `when` and `scope_filter` as a condition of ours.
fn condition(rule: &mut Rule<'_>, facts: &[Json]) -> Result<Option<Json>, Left> {
    let mut ways = match rule.options.get("when").and_then(Json::as_str) {
        Some(text) => stated(text, facts)
            .map_err(|why| Left::new("", format!("its condition `{}` {why}", text.trim())))?,
        None => vec![Map::new()],
    };
    let mut when = Map::new();
    if let Some(Json::Object(filter)) = rule.options.get("scope_filter") {
        for (key, value) in filter {
            match key.as_str() {
                "has_ancestor" => drop(when.insert("nearest".to_owned(), json!(texts(value)))),
                "changed_since" => rule.notes.push(
                    "which files changed is settled by `aidd check --diff`, not by the rule"
                        .to_owned(),
                ),
                other => {
                    return Err(Left::new(
                        "",
                        format!("`scope_filter: {other}` has no like in a page"),
                    ));
                }
            }
        }
    }
    for way in &mut ways {
        way.extend(when.clone());
    }
    ways.retain(|way| !way.is_empty());
    Ok(match ways.len() {
        0 => None,
        1 => ways.pop().map(Json::Object),
        _ => Some(Json::Array(ways.into_iter().map(Json::Object).collect())),
    })
}

/// The conditions of ours, of which one must hold, for what alint says of facts.
fn stated(text: &str, facts: &[Json]) -> Result<Vec<Map<String, Json>>, String> {
    let odd = || "is none that `when` of a page states: files that exist".to_owned();
    let mut stated = Vec::new();
    for way in conditions::ways(text).ok_or_else(odd)? {
        // Of several that must not all be there, each is a way of its own.
        let mut open = vec![Map::new()];
        for (holds, asked) in way {
            let name = asked
                .name
                .strip_prefix("facts.")
                .filter(|_| asked.given.is_none() && asked.equals.is_none());
            let fact = name.and_then(|name| facts.iter().find(|fact| fact["id"] == name));
            let fact = fact.ok_or_else(odd)?;
            let mut next = Vec::new();
            for before in &open {
                next.extend(with(before, fact, holds)?);
            }
            open = next;
        }
        stated.extend(open);
    }
    Ok(stated)
}

/// A condition of ours with one fact more.
fn with(
    before: &Map<String, Json>,
    fact: &Json,
    holds: bool,
) -> Result<Vec<Map<String, Json>>, String> {
    let together = || {
        "asks for several things at once; a condition of a page asks for one file that is there"
            .to_owned()
    };
    let mut when = before.clone();
    if fact["data"].is_object() {
        let key = if holds { "data" } else { "not" };
        let value = if holds { fact["data"].clone() } else { json!({"data": fact["data"]}) };
        return match when.insert(key.to_owned(), value) {
            None => Ok(vec![when]),
            Some(_) => Err(together()),
        };
    }
    let (any, all) = (texts(&fact["any_file_exists"]), texts(&fact["all_files_exist"]));
    let groups = match (&any[..], &all[..]) {
        ([_, ..], _) => vec![any],
        (_, [_, ..]) => all.into_iter().map(|one| vec![one]).collect(),
        _ => return Err("is none that `when` of a page states: files that exist".to_owned()),
    };
    // A plain path is one from the root here; a glob without a slash speaks of any folder.
    let place = |glob: &String| match glob.contains(['*', '?', '[', '{']) {
        true => anchored(glob),
        false => glob.trim_start_matches("./").to_owned(),
    };
    let groups: Vec<Vec<String>> =
        groups.iter().map(|group| group.iter().map(place).collect()).collect();
    match (holds, &groups[..]) {
        (true, [only]) => match when.insert("file".to_owned(), json!(only)) {
            None => Ok(vec![when]),
            Some(same) if same == json!(only) => Ok(vec![when]),
            Some(_) => Err(together()),
        },
        (true, _) => Err(together()),
        // One of them is missing.
        (false, _) => groups
            .iter()
            .map(|group| {
                let mut when = before.clone();
                let mut none = when.get("not").map(|not| texts(&not["file"])).unwrap_or_default();
                if when.get("not").is_some_and(|not| !not["data"].is_null()) {
                    return Err(together());
                }
                none.extend(group.iter().cloned());
                when.insert("not".to_owned(), json!({"file": none}));
                Ok(when)
            })
            .collect(),
    }
}

/// What all drafts of a rule have in common.
fn settle(draft: &mut Draft, rule: &Rule<'_>, level: &str) {
    draft.severity = match level {
        "info" => Severity::Info,
        "warning" => Severity::Warning,
        _ => Severity::Error,
    };
    if let Some(message) = rule.options.get("message").and_then(Json::as_str) {
        draft.says.insert(0, message.to_owned());
        if message.contains("{{") {
            draft
                .notes
                .push("its message has places to fill in, and stands here as text".to_owned());
        } else {
            draft.message = Some(message.to_owned());
        }
    }
    // A condition must hold in the examples too.
    let beside = rule.when.iter().flat_map(beside);
    for beside in beside {
        for one in &mut draft.tries {
            if one.files.iter().all(|(path, _)| *path != beside) {
                one.files.insert(0, (beside.clone(), "{}\n".to_owned()));
            }
        }
    }
    draft.sources.extend(rule.options.get("policy_url").and_then(Json::as_str).map(str::to_owned));
    draft.notes.extend(rule.notes.iter().cloned());
    if let Some(url) = rule.options.get("bundled").and_then(Json::as_str) {
        draft.says.push(format!("It is part of `{url}`."));
    }
}

/// The files that make a condition hold: such as lie deep, where they may, for a rule may ask for
/// one in the root.
fn beside(when: &Json) -> Vec<String> {
    // Of several ways the first is shown.
    let when = when.get(0).unwrap_or(when);
    let globs = texts(&when["file"]);
    let deep =
        globs.iter().find_map(|glob| glob.strip_prefix("**/").map(|name| format!("part/{name}")));
    let file = deep.or_else(|| globs.first().cloned());
    let file = file.map(|glob| super::sample::of_glob(&glob, "example"));
    file.into_iter().chain(texts(&when["nearest"]).into_iter().next()).collect()
}

impl Rule<'_> {
    fn drafts(&self) -> Result<Vec<Draft>, String> {
        let made = contents::drafts(self)
            .or_else(|| places::drafts(self))
            .or_else(|| subjects::drafts(self))
            .or_else(|| changes::drafts(self))
            .or_else(|| values::drafts(self));
        made.unwrap_or_else(|| Err(format!("no page is made of `{}`", self.kind)))
    }

    fn draft(&self, demand: impl Into<String>) -> Draft {
        Draft::new(Tool::Alint, self.file, self.id, demand)
    }

    fn text(&self, key: &str) -> Result<&str, String> {
        self.options.get(key).and_then(Json::as_str).ok_or_else(|| format!("`{key}` is missing"))
    }

    fn number(&self, key: &str) -> Result<u64, String> {
        self.options.get(key).and_then(Json::as_u64).ok_or_else(|| format!("`{key}` is no number"))
    }

    fn is(&self, key: &str) -> bool {
        self.options.get(key) == Some(&Json::Bool(true))
    }

    /// A check on files: the globs of the rule, its condition, and the form.
    fn on_files(&self, form: &str, value: Json) -> Json {
        let mut check = self.on_project(form, value);
        if !self.include.is_empty() {
            check["files"] =
                json!(self.include.iter().map(|glob| anchored(glob)).collect::<Vec<_>>());
        }
        check
    }

    /// A check that says itself what it looks at.
    fn on_project(&self, form: &str, value: Json) -> Json {
        let mut check = json!({});
        if !self.exclude.is_empty() {
            check["exclude"] =
                json!(self.exclude.iter().map(|glob| anchored(glob)).collect::<Vec<_>>());
        }
        if let Some(when) = &self.when {
            check["when"] = when.clone();
        }
        check[form] = value;
        check
    }

    /// A path that the rule speaks of.
    fn sample(&self, name: &str) -> String {
        let glob = self.include.first().map_or("example.txt", String::as_str);
        super::sample::of_glob(glob, name)
    }

    /// What the rule speaks of, in words.
    fn said(&self) -> String {
        super::listed(&self.include, "and")
    }
}
