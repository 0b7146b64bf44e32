//! Imports alint rules (<https://docs.rs/alint-rules/0.21.0>) on files, names, contents and values.
//! The options of each kind of rule were taken from the schema of 0.21.0 and verified with 0.20.1.

mod derived;
mod fixes;
mod subjects;
mod values;
mod when;

use super::draft::Draft;
use super::recipe::{self, RuleTable};
use super::{
    ImportDraft, ImportError, NotImported, Tool, anchor_glob, format_list, read_single_document,
    sample, string_list, unsupported_keys,
};
use aidd_engine::text::files::Files;
use aidd_engine::text::finding::Severity;
use aidd_engine::text::paths::{join, parent_dir};
use serde_json::{Map, Value as Json, json};
use std::collections::BTreeMap;
use std::sync::LazyLock;

/// Maximum number of files in a chain of `extends`.
pub(super) const MAX_FILES: usize = 50;

/// The conversion table of every rule kind, by name.
pub(super) static KINDS: LazyLock<BTreeMap<String, RuleTable>> =
    LazyLock::new(|| recipe::parse_tables(crate::rule_import::tables::ALINT));

/// The pages of a rule, or the reason why there are none.
type Drafts = Result<Vec<Draft>, String>;

/// A rule with its options.
struct Rule<'a> {
    file: &'a str,
    id: &'a str,
    kind: &'a str,
    options: &'a Map<String, Json>,
    /// Globs in alint's syntax.
    include: Vec<String>,
    exclude: Vec<String>,
    when: Option<Json>,
    notes: Vec<String>,
}

/// The rule kind with the name or alias `name`.
fn find_kind(name: &str) -> Option<(&'static str, &'static RuleTable)> {
    let has_name = |(kind, table): &(&String, &RuleTable)| {
        *kind == name || table.names.iter().any(|alias| alias == name)
    };
    KINDS.iter().find(has_name).map(|(kind, table)| (kind.as_str(), table))
}

pub(super) fn read(files: &dyn Files, path: &str) -> Result<ImportDraft, ImportError> {
    let mut import_draft = ImportDraft::default();
    let config = merge_extended(files, path, &mut import_draft)?;
    let ignored = config.get("ignore").map(string_list).unwrap_or_default();
    import_draft.not_imported.extend(unsupported_keys(&config, Tool::Alint, None));
    let list = |key: &str| config.get(key).and_then(Json::as_array).map_or(&[][..], Vec::as_slice);
    for rule in list("rules") {
        let Json::Object(options) = rule else {
            let (path, rule) = (path.to_owned(), rule.to_string());
            return Err(ImportError::RuleNotAMapping { path, rule });
        };
        let id = options.get("id").and_then(Json::as_str).unwrap_or_default();
        if id.is_empty() {
            return Err(ImportError::MissingId(path.to_owned()));
        }
        match convert_rule(path, id, options, list("facts"), &ignored) {
            Ok(drafts) => import_draft.drafts.extend(drafts),
            Err(error) => {
                import_draft.not_imported.push(NotImported { item: id.to_owned(), ..error });
            }
        }
    }
    Ok(import_draft)
}

impl From<String> for NotImported {
    fn from(why: String) -> Self {
        Self::new("", why)
    }
}

/// The configuration merged with the project files that it extends.
fn merge_extended(
    files: &dyn Files,
    path: &str,
    import_draft: &mut ImportDraft,
) -> Result<Map<String, Json>, ImportError> {
    let mut order: Vec<(String, Map<String, Json>, Json)> = Vec::new();
    let mut remaining = vec![(path.to_owned(), Json::Null)];
    while let Some((file, entry)) = remaining.pop() {
        if order.iter().any(|(seen, ..)| *seen == file) {
            continue;
        }
        if order.len() >= MAX_FILES {
            return Err(ImportError::TooManyExtends(path.to_owned()));
        }
        let config = read_single_document(files, &file)?;
        let mut rulesets = Vec::new();
        for entry in config.get("extends").and_then(Json::as_array).into_iter().flatten() {
            let url = entry.as_str().or_else(|| entry["url"].as_str()).unwrap_or_default();
            if url.starts_with("alint://bundled/") {
                match ruleset(url) {
                    // The file that extends a ruleset overrides the ruleset.
                    Ok(ruleset) => rulesets.push((url.to_owned(), ruleset, entry.clone())),
                    Err(why) => import_draft.not_imported.push(why),
                }
            } else if url.contains("://") {
                import_draft.not_imported.push(NotImported::new(
                    format!("extends `{url}`"),
                    "files are not downloaded; add the file to the project",
                ));
            } else {
                let folder = parent_dir(&file);
                let inner = join(folder, url).ok_or_else(|| {
                    let (path, to) = (file.clone(), url.to_owned());
                    ImportError::OutsideProject { path, to }
                })?;
                remaining.push((inner, entry.clone()));
            }
        }
        order.push((file, config, entry));
        order.extend(rulesets.into_iter().rev());
    }
    // Extended configurations come first and are overridden field by field.
    let mut all = Map::new();
    for (_, config, entry) in order.into_iter().rev() {
        for (key, value) in config {
            let value = if key == "rules" { select_rules(&value, &entry) } else { value };
            match (all.get_mut(&key), value) {
                (Some(Json::Array(before)), Json::Array(after)) => merge(before, after),
                (_, value) => drop(all.insert(key, value)),
            }
        }
    }
    Ok(all)
}

/// The rulesets that alint ships, by name.
pub(super) static RULESETS: LazyLock<Map<String, Json>> =
    LazyLock::new(|| recipe::parse_tables(crate::rule_import::tables::ALINT_RULESETS));

/// The ruleset at `url` as a configuration; each rule records the ruleset it belongs to.
fn ruleset(url: &str) -> Result<Map<String, Json>, NotImported> {
    let name = url.trim_start_matches("alint://bundled/");
    let (name, revision) = name.split_once('@').unwrap_or((name, "v1"));
    let known = RULESETS.get(name).filter(|_| revision == "v1").and_then(Json::as_object);
    let not_imported = || {
        NotImported::new(format!("extends `{url}`"), "alint 0.20 has no such ruleset")
            .instead("copy its rules into the file and import again")
    };
    let mut ruleset = known.cloned().ok_or_else(not_imported)?;
    for rule in ruleset.get_mut("rules").and_then(Json::as_array_mut).into_iter().flatten() {
        rule["bundled"] = Json::from(url);
    }
    Ok(ruleset)
}

/// The rules that remain after `only` and `except` of an entry.
fn select_rules(rules: &Json, entry: &Json) -> Json {
    let (only, except) = (string_list(&entry["only"]), string_list(&entry["except"]));
    let rules = rules.as_array().into_iter().flatten();
    let is_selected = |rule: &&Json| {
        let id = rule["id"].as_str().unwrap_or_default().to_owned();
        (only.is_empty() || only.contains(&id)) && !except.contains(&id)
    };
    Json::Array(rules.filter(is_selected).cloned().collect())
}

fn merge(before: &mut Vec<Json>, after: Vec<Json>) {
    for item in after {
        let same = before.iter_mut().find(|old| !item["id"].is_null() && old["id"] == item["id"]);
        match (same.and_then(Json::as_object_mut), item) {
            (Some(map), Json::Object(fields)) => map.extend(fields),
            (_, item) => before.push(item),
        }
    }
}

fn convert_rule(
    file: &str,
    id: &str,
    options: &Map<String, Json>,
    facts: &[Json],
    ignored: &[String],
) -> Result<Vec<Draft>, NotImported> {
    let text = |key: &str| options.get(key).and_then(Json::as_str);
    let not_imported = |why: &str| NotImported::new("", why);
    let level = text("level").unwrap_or("error");
    if level == "off" {
        return Err(not_imported("it is disabled"));
    }
    if let Some(why) = text("left") {
        let instead = text("instead").map(str::to_owned);
        return Err(NotImported { instead, ..not_imported(why) });
    }
    if let Some(template) = text("extends_template") {
        let why = format!("it uses the template `{template}`");
        return Err(not_imported(&why).instead("write its fields into the rule and import again"));
    }
    let name = text("kind").filter(|kind| !kind.is_empty()).ok_or_else(|| {
        not_imported(
            "`kind` is missing, because the rule overrides a rule of a file that is not read",
        )
    })?;
    let (kind, table) = find_kind(name)
        .ok_or_else(|| not_imported(&format!("unknown kind `{name}` of alint 0.21")))?;
    if let Some(why) = &table.unsupported {
        return Err(not_imported(why));
    }
    if let Some(ours) = &table.ours {
        return Err(not_imported("covered by a built-in rule").instead(ours));
    }
    let (include, mut exclude) = parse_paths(options.get("paths").unwrap_or(&Json::Null));
    exclude.extend(ignored.iter().cloned());
    let mut rule =
        Rule { file, id, kind, options, include, exclude, when: None, notes: Vec::new() };
    rule.when = when::condition(&mut rule, facts)?;
    let mut drafts = rule.drafts()?;
    fixes::apply_fixes(&mut drafts, &rule);
    for draft in &mut drafts {
        apply_common_properties(draft, &rule, level);
    }
    Ok(drafts)
}

/// Parses `paths`: a glob, a list with `!`, or an object. Returns the included and excluded globs.
fn parse_paths(paths: &Json) -> (Vec<String>, Vec<String>) {
    if paths.is_object() {
        return (string_list(&paths["include"]), string_list(&paths["exclude"]));
    }
    let (excluded, included): (Vec<String>, Vec<String>) =
        string_list(paths).into_iter().partition(|glob| glob.starts_with('!'));
    (included, excluded.into_iter().map(|glob| glob[1..].to_owned()).collect())
}

/// Sets the properties that all drafts of a rule share.
fn apply_common_properties(draft: &mut Draft, rule: &Rule<'_>, level: &str) {
    let text = |key: &str| rule.options.get(key).and_then(Json::as_str);
    draft.severity = match level {
        "info" => Severity::Info,
        "warning" => Severity::Warning,
        _ => Severity::Error,
    };
    if let Some(message) = text("message") {
        draft.paragraphs.insert(0, message.to_owned());
        if message.contains("{{") {
            let note = "placeholders in its message are not replaced";
            draft.notes.push(note.to_owned());
        } else {
            draft.message = Some(message.to_owned());
        }
    }
    // The condition must be met in the examples too.
    for required_path in rule.when.iter().flat_map(when::condition_files) {
        for example in &mut draft.candidates {
            if example.files.iter().all(|(path, _)| *path != required_path) {
                example.files.insert(0, (required_path.clone(), "{}\n".to_owned()));
            }
        }
    }
    draft.sources.extend(text("policy_url").map(str::to_owned));
    draft.notes.extend(rule.notes.iter().cloned());
    draft.paragraphs.extend(text("bundled").map(|url| format!("It is part of `{url}`.")));
}

impl Rule<'_> {
    fn drafts(&self) -> Drafts {
        let table = &KINDS[self.kind];
        let drafts = match self.kind {
            "every_matching_has" | "for_each_dir" | "for_each_file" => {
                subjects::convert_for_each(self)?
            }
            _ => self.table_drafts(table)?,
        };
        if drafts.is_empty() { Err("it has no requirements".to_owned()) } else { Ok(drafts) }
    }

    /// The pages defined by the table of the rule kind.
    fn table_drafts(&self, table: &RuleTable) -> Drafts {
        let mut vars = self.options.clone();
        let include = match &self.include[..] {
            [] => vec!["example.txt".to_owned()],
            include => include.to_vec(),
        };
        let paths = self.paths();
        let folders: Vec<String> = paths.iter().map(|path| format!("{path}/")).collect();
        let skip: &[&str] = if self.is_enabled("include_merges") { &[] } else { &["merges"] };
        let has_exclusions =
            self.options.get("paths").is_some_and(|paths| !parse_paths(paths).1.is_empty());
        let sample = self.sample_path("example");
        vars.extend(recipe::vars(json!({
            "include": include,
            "said": self.describe_subjects(),
            "globs": paths,
            "folders": folders,
            "sample": sample,
            "skip": skip,
            "leaves_out": has_exclusions,
        })));
        if table.derived {
            vars.extend(derived::vars(self)?);
        }
        table.derive(&mut vars)?;
        let mut drafts = table.drafts(&vars, &sample, &|requirement| self.draft(requirement))?;
        for draft in &mut drafts {
            draft.check = draft.check.take().map(|check| self.bind_check(check, table.files));
        }
        Ok(drafts)
    }

    fn draft(&self, requirement: impl Into<String>) -> Draft {
        Draft::new(Tool::Alint, self.file, self.id, requirement)
    }

    fn text(&self, key: &str) -> Result<&str, String> {
        self.options.get(key).and_then(Json::as_str).ok_or_else(|| format!("`{key}` is missing"))
    }

    fn is_enabled(&self, key: &str) -> bool {
        self.options.get(key) == Some(&Json::Bool(true))
    }

    /// Adds to a check the condition and the exclusions of the rule, and the files of the rule unless
    /// the check names files itself.
    fn bind_check(&self, mut check: Json, names_files: bool) -> Json {
        let names_files =
            names_files || ["text", "doc", "data"].iter().any(|form| !check[*form].is_null());
        let globs =
            |globs: &[String]| globs.iter().map(|glob| anchor_glob(glob)).collect::<Vec<_>>();
        let mut exclude = globs(&self.exclude);
        exclude.extend(string_list(&check["exclude"]));
        if exclude.is_empty() {
            drop(check.as_object_mut().and_then(|check| check.remove("exclude")));
        } else {
            check["exclude"] = json!(exclude);
        }
        if let Some(when) = &self.when {
            check["when"] = when.clone();
        }
        if names_files && check["files"].is_null() && !self.include.is_empty() {
            check["files"] = json!(globs(&self.include));
        }
        check
    }

    /// The globs as paths of a `tree` check; `**/` is removed if the rule applies only to the root.
    fn paths(&self) -> Vec<String> {
        let path = |glob: &String| {
            let path = glob.trim_start_matches("./").trim_end_matches('/');
            let path =
                if self.is_enabled("root_only") { path.trim_start_matches("**/") } else { path };
            path.to_owned()
        };
        self.include.iter().map(path).collect()
    }

    /// A path that the rule applies to.
    fn sample_path(&self, name: &str) -> String {
        sample::from_glob(self.include.first().map_or("example.txt", String::as_str), name)
    }

    /// The subjects of the rule, in words.
    fn describe_subjects(&self) -> String {
        format_list(&self.include, "and")
    }
}
