//! Imports ast-grep rules (<https://ast-grep.github.io/reference/yaml.html>). Rule objects are used
//! unchanged; the other keys are converted to a page.

use super::draft::Draft;
use super::{
    ImportDraft, ImportError, NotImported, Tool, anchor_glob, read_data, read_single_document,
    recipe, sample, string_list, unsupported_keys,
};
use aidd_engine::forms::syntax::LANGUAGES;
use aidd_engine::text::files::Files;
use aidd_engine::text::finding::Severity;
use aidd_engine::text::paths::{join, parent_dir};
use serde::Deserialize;
use serde_json::{Map, Value as Json, json};
use std::collections::BTreeMap;
use std::sync::LazyLock;

/// The way in which a key of a rule is converted.
#[derive(Clone, Debug, Deserialize, PartialEq, Eq)]
#[serde(rename_all = "lowercase")]
pub(super) enum KeyMapping {
    /// The key is copied into `syntax` unchanged.
    Syntax,
    /// The key becomes another part of the page.
    Page,
    /// The whole rule is not imported, for this reason.
    #[serde(rename = "rule")]
    UnsupportedRule(String),
    /// The rule is imported without the key, for this reason.
    #[serde(rename = "key")]
    UnsupportedKey(String),
}

/// The shipped tables.
#[derive(Deserialize)]
pub(super) struct Tables {
    /// Every key of a rule file.
    pub(super) keys: BTreeMap<String, KeyMapping>,
    /// Aliases of languages.
    aliases: BTreeMap<String, String>,
    /// The file extension of a language, if it differs from the language's name.
    #[serde(rename = "endings")]
    extensions: BTreeMap<String, String>,
    /// Code snippets per language, from which the example of a rule without tests is selected.
    snippets: BTreeMap<String, Vec<String>>,
}

pub(super) static TABLES: LazyLock<Tables> =
    LazyLock::new(|| recipe::parse_tables(crate::rule_import::tables::AST_GREP));

/// Maximum number of patterns of a rule that are tried as examples.
const MAX_PATTERNS: usize = 3;

/// The files of an ast-grep project other than its rules.
#[derive(Default)]
struct ProjectFiles {
    /// Shared utility rules, by id.
    shared: BTreeMap<String, Map<String, Json>>,
    /// Rule id → valid and invalid examples.
    tests: BTreeMap<String, [Vec<String>; 2]>,
}

pub(super) fn read(files: &dyn Files, path: &str) -> Result<ImportDraft, ImportError> {
    let mut import_draft = ImportDraft::default();
    let mut project = ProjectFiles::default();
    let all = read_data(files, path)?;
    if all.iter().all(|document| document["ruleDirs"].is_null()) {
        for document in &all {
            import_rule(document, path, &project, &mut import_draft)?;
        }
        return Ok(import_draft);
    }
    let config = read_single_document(files, path)?;
    let list = |key: &str| config.get(key).map(string_list).unwrap_or_default();
    for (_, document) in documents(files, path, &list("utilDirs"))? {
        if let (Some(id), Json::Object(map)) = (document["id"].as_str(), &document) {
            project.shared.insert(id.to_owned(), map.clone());
        }
    }
    let tests = config.get("testConfigs").and_then(Json::as_array).into_iter().flatten();
    let tests: Vec<String> = tests.flat_map(|entry| string_list(&entry["testDir"])).collect();
    for (_, document) in documents(files, path, &tests)? {
        let Some(id) = document["id"].as_str() else { continue };
        let [valid, invalid] = project.tests.entry(id.to_owned()).or_default();
        valid.extend(string_list(&document["valid"]));
        invalid.extend(string_list(&document["invalid"]));
    }
    let rules = documents(files, path, &list("ruleDirs"))?;
    for (file, document) in &rules {
        import_rule(document, file, &project, &mut import_draft)?;
    }
    if rules.is_empty() {
        import_draft
            .not_imported
            .push(NotImported::new("ruleDirs", "no rules in these directories"));
    }
    import_draft.not_imported.extend(unsupported_keys(&config, Tool::AstGrep, None));
    Ok(import_draft)
}

/// The documents of the YAML files in the directories `folders`, relative to the configuration at
/// `path`, each with the path of its file; without test snapshots.
fn documents(
    files: &dyn Files,
    path: &str,
    folders: &[String],
) -> Result<Vec<(String, Json)>, ImportError> {
    let mut documents = Vec::new();
    let Some(listing) = files.listing() else { return Ok(documents) };
    for name in folders {
        let outside = || ImportError::OutsideProject { path: path.to_owned(), to: name.clone() };
        let folder = join(parent_dir(path), name).ok_or_else(outside)?;
        let is_rule = |path: &&String| path.ends_with(".yml") || path.ends_with(".yaml");
        for file in listing.below(&folder).iter().filter(is_rule) {
            if !file.contains("__snapshots__/") {
                let all = read_data(files, file)?.into_iter();
                documents.extend(all.map(|document| (file.clone(), document)));
            }
        }
    }
    Ok(documents)
}

fn import_rule(
    document: &Json,
    file: &str,
    project: &ProjectFiles,
    import_draft: &mut ImportDraft,
) -> Result<(), ImportError> {
    let Json::Object(map) = document else { return Ok(()) };
    let id = document["id"].as_str().ok_or_else(|| ImportError::MissingId(file.to_owned()))?;
    for key in map.keys() {
        let why = match TABLES.keys.get(key) {
            Some(KeyMapping::Syntax | KeyMapping::Page) => continue,
            Some(KeyMapping::UnsupportedRule(why)) => {
                import_draft.not_imported.push(NotImported::new(id, why));
                return Ok(());
            }
            Some(KeyMapping::UnsupportedKey(why)) => why,
            None => "unknown key of ast-grep 0.51",
        };
        import_draft.not_imported.push(NotImported::new(format!("{id}: {key}"), why));
    }
    match draft_page(document, id, file, project) {
        Ok(draft) => import_draft.drafts.push(draft),
        Err(why) => import_draft.not_imported.push(NotImported::new(id, why)),
    }
    Ok(())
}

fn draft_page(
    document: &Json,
    id: &str,
    file: &str,
    project: &ProjectFiles,
) -> Result<Draft, String> {
    let text = |key: &str| document[key].as_str();
    let name = text("language").unwrap_or_default().to_ascii_lowercase();
    let language = TABLES.aliases.get(&name).unwrap_or(&name).as_str();
    if !LANGUAGES.iter().any(|(known, _)| *known == language) {
        let known: Vec<&str> = LANGUAGES.iter().map(|(name, _)| *name).collect();
        return Err(format!(
            "`{name}` is not a built-in language; expected one of {}",
            known.join(", ")
        ));
    }
    if document["rule"].is_null() {
        return Err("`rule` is missing".to_owned());
    }
    let mut syntax = json!({"language": [language]});
    for key in ["rule", "constraints", "transform", "fix"] {
        if !document[key].is_null() {
            syntax[key] = document[key].clone();
        }
    }
    let labels = document["labels"].as_object().into_iter().flatten();
    let message = |(name, label): (&String, &Json)| {
        Some((name.clone(), Json::from(label["message"].as_str()?)))
    };
    let labels: Map<String, Json> = labels.filter_map(message).collect();
    for (key, map) in [("utils", utils(document, project)?), ("labels", labels)] {
        if !map.is_empty() {
            syntax[key] = Json::Object(map);
        }
    }
    let mut check = json!({"syntax": syntax});
    for (key, ours) in [("files", "files"), ("ignores", "exclude")] {
        // An item can also be an object with the glob.
        let globs = document[key].as_array().into_iter().flatten();
        let glob = |item: &Json| item.as_str().or_else(|| item["glob"].as_str()).map(convert_glob);
        let mut globs: Vec<String> = globs.filter_map(glob).collect();
        if ours == "exclude" && language == "typescript" {
            // In ast-grep, TSX is a separate language with its own rules.
            globs.push("*.tsx".to_owned());
        }
        if !globs.is_empty() {
            check[ours] = json!(globs);
        }
    }
    let path = sample_path(language, &string_list(&check["files"]));
    let message = text("message").filter(|message| !message.trim().is_empty());
    let requirement = format!("Code in {language} MUST NOT match `{id}`.");
    let mut draft = Draft::new(Tool::AstGrep, file, id, requirement).check(check);
    draft.message =
        Some(message.map_or_else(|| format!("`<match>` violates {id}"), with_placeholders));
    draft.paragraphs.extend(message.map(without_variables));
    draft.enabled = text("severity") != Some("off");
    draft.severity = match text("severity") {
        Some("error") => Severity::Error,
        Some("warning") => Severity::Warning,
        _ => Severity::Info,
    };
    if let Some(note) = text("note") {
        draft.help = note.lines().map(str::trim).find(|line| !line.is_empty()).map(str::to_owned);
        draft.paragraphs.push(note.to_owned());
    }
    draft.sources.extend(text("url").map(str::to_owned));
    let line = |text: &str| format!("{}\n", text.strip_suffix('\n').unwrap_or(text));
    if let Some([valid, invalid]) = project.tests.get(id)
        && (!valid.is_empty() || !invalid.is_empty())
    {
        for (passes, all) in [(false, invalid), (true, valid)] {
            for text in all {
                draft = draft.example(passes, &path, line(text));
            }
        }
        return Ok(draft);
    }
    // A pattern is code, except for its variables.
    let mut patterns = Vec::new();
    collect_strings(&document["rule"], "pattern", &mut patterns);
    collect_strings(&document["rule"], "context", &mut patterns);
    for pattern in patterns.iter().take(MAX_PATTERNS) {
        let code = fill_pattern(pattern, &document["constraints"]);
        draft = draft.example(false, &path, line(&code));
    }
    for snippet in TABLES.snippets.get(language).into_iter().flatten() {
        draft = draft.fallback_example(&path, line(snippet));
    }
    Ok(draft.example(true, &path, ""))
}

/// Converts a glob of ast-grep, in which `*` matches slashes, to our syntax, in which `*` does not.
fn convert_glob(glob: &str) -> String {
    let glob = glob.strip_prefix("./").unwrap_or(glob);
    let parts: Vec<&str> = glob.split('/').collect();
    let [folders @ .., _] = &parts[..] else { return glob.to_owned() };
    if folders.is_empty() {
        // In our syntax, a glob without a slash matches in any directory.
        return if glob.contains('*') { glob.to_owned() } else { anchor_glob(glob) };
    }
    let part = |(at, part): (usize, &&str)| match *part {
        "*" if at < folders.len() => "**".to_owned(),
        part if part != "**" && part.contains('*') && at > 0 => format!("**/{part}"),
        part => part.to_owned(),
    };
    parts.iter().enumerate().map(part).collect::<Vec<_>>().join("/").replace("**/**/", "**/")
}

/// The `utils` of a rule, including the shared rules that it uses, directly or indirectly.
fn utils(document: &Json, project: &ProjectFiles) -> Result<Map<String, Json>, String> {
    let mut utils = document["utils"].as_object().cloned().unwrap_or_default();
    let mut pending: Vec<String> = Vec::new();
    for key in ["rule", "constraints", "utils"] {
        collect_strings(&document[key], "matches", &mut pending);
    }
    while let Some(name) = pending.pop() {
        let Some(shared) = project.shared.get(&name).filter(|_| !utils.contains_key(&name)) else {
            continue;
        };
        if shared.contains_key("constraints") || shared.contains_key("transform") {
            return Err(format!(
                "the shared rule `{name}` has its own constraints, which rules under `utils` cannot have"
            ));
        }
        for (key, value) in shared.get("utils").and_then(Json::as_object).into_iter().flatten() {
            collect_strings(value, "matches", &mut pending);
            utils.entry(key.clone()).or_insert_with(|| value.clone());
        }
        let rule = shared.get("rule").cloned().unwrap_or(Json::Null);
        collect_strings(&rule, "matches", &mut pending);
        utils.insert(name, rule);
    }
    Ok(utils)
}

/// Collects the strings under `key`, at any depth.
fn collect_strings(value: &Json, key: &str, names: &mut Vec<String>) {
    let mut remaining = vec![value];
    while let Some(value) = remaining.pop() {
        match value {
            Json::Array(items) => remaining.extend(items.iter().rev()),
            Json::Object(map) => {
                names.extend(map.get(key).and_then(Json::as_str).map(str::to_owned));
                remaining.extend(map.values());
            }
            _ => {}
        }
    }
}

/// A message in which our placeholders replace the meta variables.
fn with_placeholders(message: &str) -> String {
    replace_variables(message, |name| format!("<{name}>"))
}

/// A message without its variables, for prose.
fn without_variables(message: &str) -> String {
    let text = replace_variables(message, str::to_owned);
    let text = text.split_whitespace().collect::<Vec<_>>().join(" ");
    if text.ends_with(['.', '!', '?']) { text } else { format!("{text}.") }
}

/// A pattern in which each variable is replaced by text that matches its constraint, or by a plain
/// name.
fn fill_pattern(pattern: &str, constraints: &Json) -> String {
    replace_variables(pattern, |name| {
        let sample = constraints[name]["regex"].as_str().and_then(sample::from_regex);
        if let Some(sample) = sample.filter(|sample| !sample.is_empty()) {
            return sample;
        }
        match name.to_ascii_lowercase().trim_matches('_') {
            "" => "x".to_owned(),
            name => name.to_owned(),
        }
    })
}

fn replace_variables(text: &str, to: impl Fn(&str) -> String) -> String {
    let mut filled = String::with_capacity(text.len());
    let mut rest = text;
    while let Some(at) = rest.find('$') {
        let name = rest[at..].trim_start_matches('$');
        let is_letter = |c: char| c.is_ascii_uppercase() || c.is_ascii_digit() || c == '_';
        let end = name.find(|c| !is_letter(c)).unwrap_or(name.len());
        if end == 0 || name.starts_with(|c: char| c.is_ascii_digit()) {
            filled.push_str(&rest[..rest.len() - name.len()]);
            rest = name;
        } else {
            filled.push_str(&rest[..at]);
            filled.push_str(&to(&name[..end]));
            rest = &name[end..];
        }
    }
    filled + rest
}

/// A path in the language that matches one of the globs, for examples.
fn sample_path(language: &str, globs: &[String]) -> String {
    let extension = TABLES.extensions.get(language).map_or(language, String::as_str);
    let extension = format!(".{extension}");
    let names = ["example".to_owned(), format!("example{extension}")];
    let mut paths =
        globs.iter().flat_map(|glob| names.iter().map(|name| sample::from_glob(glob, name)));
    let matching = paths.find(|path| path.ends_with(&extension));
    matching.unwrap_or_else(|| format!("src/example{extension}"))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn variables_are_replaced() {
        assert_eq!(
            with_placeholders("`$A` costs $5, $$$ARGS and $b"),
            "`<A>` costs $5, <ARGS> and $b"
        );
        assert_eq!(fill_pattern("foo($A, $_B, $$$REST)", &Json::Null), "foo(a, b, rest)");
        let constraints = serde_json::json!({"A": {"regex": "^(log|debug)$"}});
        assert_eq!(fill_pattern("x.$A($B)", &constraints), "x.log(b)");
    }

    #[test]
    fn a_star_of_ast_grep_matches_slashes() {
        for (theirs, ours) in [
            ("*.css", "*.css"),
            ("a.css", "/a.css"),
            ("src/*.ts", "src/**/*.ts"),
            ("src/**/*.ts", "src/**/*.ts"),
            ("./packages/*/src/**", "packages/**/src/**"),
        ] {
            assert_eq!(convert_glob(theirs), ours);
        }
    }

    #[test]
    fn every_built_in_language_has_valid_snippets() {
        use ast_grep_core::tree_sitter::LanguageExt;
        use ast_grep_language::SupportLang;
        for name in [
            "bash",
            "c",
            "css",
            "go",
            "html",
            "java",
            "javascript",
            "json",
            "php",
            "python",
            "ruby",
            "rust",
            "tsx",
            "typescript",
            "yaml",
        ] {
            let all = &TABLES.snippets[name];
            assert!(!all.is_empty(), "{name}");
            let language: SupportLang = name.parse().expect(name);
            for snippet in all {
                let tree = language.ast_grep(snippet);
                let has_error = tree.root().dfs().any(|node| node.is_error());
                assert!(!has_error, "{name}: {snippet}");
            }
        }
    }
}
