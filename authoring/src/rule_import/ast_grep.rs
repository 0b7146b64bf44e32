//! ast-grep (<https://ast-grep.github.io/reference/yaml.html>): rules on the syntax tree. The rule
//! object is ours too; what stands around it becomes the page.

mod snippets;

use super::draft::Draft;
use super::{Left, Made, Tool, anchored, read_data, read_one, sample, texts};
use aidd_engine::forms::syntax::LANGUAGES;
use aidd_engine::text::files::Files;
use aidd_engine::text::finding::Severity;
use aidd_engine::text::paths::{folder_of, join};
use serde_json::{Map, Value as Json, json};
use std::collections::BTreeMap;

/// What becomes of a key of a rule.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Way {
    /// It stays in `syntax`, as it is.
    Syntax,
    /// It becomes another part of the page.
    Page,
    /// The rule is not carried over; why.
    Rule(&'static str),
    /// The rule is, without it; why.
    Key(&'static str),
}

/// Every key of a rule file of ast-grep 0.51.
pub(super) const KEYS: [(&str, Way); 17] = [
    ("constraints", Way::Syntax),
    ("files", Way::Page),
    ("fix", Way::Syntax),
    ("id", Way::Page),
    ("ignores", Way::Page),
    ("labels", Way::Page),
    ("language", Way::Page),
    ("message", Way::Page),
    ("metadata", Way::Key("a page has `tags` and `sources`; other data about a rule is not kept")),
    ("note", Way::Page),
    ("rewriters", Way::Rule("the form `syntax` has no `rewriters`")),
    ("rule", Way::Syntax),
    ("severity", Way::Page),
    ("transform", Way::Syntax),
    ("url", Way::Page),
    ("utils", Way::Syntax),
    ("viewerOptions", Way::Key("it is of ast-grep's editor alone")),
];

/// Other names of languages (<https://ast-grep.github.io/reference/languages.html>).
const ALIASES: [(&str, &str); 12] = [
    ("js", "javascript"),
    ("jsx", "javascript"),
    ("mjs", "javascript"),
    ("ts", "typescript"),
    ("py", "python"),
    ("py3", "python"),
    ("rs", "rust"),
    ("golang", "go"),
    ("rb", "ruby"),
    ("sh", "bash"),
    ("yml", "yaml"),
    ("cc", "cpp"),
];

/// Most patterns of a rule that are tried as examples of it.
const MOST_PATTERNS: usize = 3;

/// Rules shared by others, by id: what there is of each.
type Shared = BTreeMap<String, Map<String, Json>>;
/// Rule → texts that are well, and texts that are not.
type Tests = BTreeMap<String, (Vec<String>, Vec<String>)>;

pub(super) fn read(files: &dyn Files, path: &str) -> Result<Made, String> {
    let mut made = Made::default();
    let all = read_data(files, path)?;
    let is_project = all.iter().any(|one| !one["ruleDirs"].is_null());
    if !is_project {
        let tests = Tests::new();
        for document in &all {
            rule(document, path, &Shared::new(), &tests, &mut made)?;
        }
        return Ok(made);
    }
    let config = read_one(files, path)?;
    let folder = folder_of(path);
    let below = |given: &str| {
        join(folder, given).ok_or_else(|| format!("{path}: `{given}` leads out of the project"))
    };
    let mut shared = Shared::new();
    for given in config.get("utilDirs").map(texts).unwrap_or_default() {
        for file in yaml_below(files, &below(&given)?) {
            for document in read_data(files, &file)? {
                if let (Some(id), Json::Object(map)) = (document["id"].as_str(), &document) {
                    shared.insert(id.to_owned(), map.clone());
                }
            }
        }
    }
    let mut tests = Tests::new();
    for given in config.get("testConfigs").and_then(Json::as_array).into_iter().flatten() {
        let Some(given) = given["testDir"].as_str() else { continue };
        for file in yaml_below(files, &below(given)?) {
            for document in read_data(files, &file)? {
                let Some(id) = document["id"].as_str() else { continue };
                let both = tests.entry(id.to_owned()).or_default();
                both.0.extend(texts(&document["valid"]));
                both.1.extend(texts(&document["invalid"]));
            }
        }
    }
    let mut found = 0;
    for given in config.get("ruleDirs").map(texts).unwrap_or_default() {
        for file in yaml_below(files, &below(&given)?) {
            for document in read_data(files, &file)? {
                found += 1;
                rule(&document, &file, &shared, &tests, &mut made)?;
            }
        }
    }
    if found == 0 {
        made.left.push(Left::new("ruleDirs", "there is no rule in these folders"));
    }
    for key in ["customLanguages", "languageGlobs", "languageInjections"] {
        if config.contains_key(key) {
            made.left.push(Left::new(key, "languages and their endings are built in"));
        }
    }
    Ok(made)
}

/// The YAML files below a folder, ordered; snapshots of tests left out.
fn yaml_below(files: &dyn Files, folder: &str) -> Vec<String> {
    let Some(listing) = files.listing() else { return Vec::new() };
    let is_rule = |path: &&String| {
        let yaml = path.ends_with(".yml") || path.ends_with(".yaml");
        yaml && !path.contains("__snapshots__/")
    };
    listing.below(folder).iter().filter(is_rule).cloned().collect()
}

fn rule(
    document: &Json,
    file: &str,
    shared: &Shared,
    tests: &Tests,
    made: &mut Made,
) -> Result<(), String> {
    let Json::Object(map) = document else { return Ok(()) };
    let id = document["id"].as_str().ok_or_else(|| format!("{file}: a rule has no `id`"))?;
    for key in map.keys() {
        let why = match KEYS.iter().find(|(known, _)| known == key) {
            Some((_, Way::Rule(why))) => {
                made.left.push(Left::new(id, *why));
                return Ok(());
            }
            Some((_, Way::Key(why))) => *why,
            Some(_) => continue,
            None => "it is no key of ast-grep 0.51",
        };
        made.left.push(Left::new(format!("{id}: {key}"), why));
    }
    match page(document, id, file, shared, tests) {
        Ok(draft) => made.drafts.push(draft),
        Err(why) => made.left.push(Left::new(id, why)),
    }
    Ok(())
}

fn page(
    document: &Json,
    id: &str,
    file: &str,
    shared: &Shared,
    tests: &Tests,
) -> Result<Draft, String> {
    let given = document["language"].as_str().unwrap_or_default().to_ascii_lowercase();
    let language =
        ALIASES.iter().find(|(other, _)| *other == given).map_or(&*given, |(_, name)| name);
    if !LANGUAGES.iter().any(|(known, _)| *known == language) {
        let known: Vec<&str> = LANGUAGES.iter().map(|(name, _)| *name).collect();
        return Err(format!("`{given}` is not a built-in language: {}", known.join(", ")));
    }
    if document["rule"].is_null() {
        return Err("it has no `rule`".to_owned());
    }
    let mut syntax = json!({"language": [language]});
    for key in ["rule", "constraints", "transform", "fix"] {
        if !document[key].is_null() {
            syntax[key] = document[key].clone();
        }
    }
    if let Some(utils) = utils(document, shared)? {
        syntax["utils"] = Json::Object(utils);
    }
    if let Some(labels) = document["labels"].as_object() {
        let message = |(name, label): (&String, &Json)| {
            Some((name.clone(), Json::from(label["message"].as_str()?)))
        };
        let labels: Map<String, Json> = labels.iter().filter_map(message).collect();
        if !labels.is_empty() {
            syntax["labels"] = Json::Object(labels);
        }
    }
    let mut check = json!({"syntax": syntax});
    for (key, ours) in [("files", "files"), ("ignores", "exclude")] {
        // Each may also be an object with the glob.
        let globs = document[key].as_array().into_iter().flatten();
        let glob = |one: &Json| one.as_str().or_else(|| one["glob"].as_str()).map(crossing);
        let globs: Vec<String> = globs.filter_map(glob).collect();
        if !globs.is_empty() {
            check[ours] = json!(globs);
        }
    }
    if language == "typescript" {
        // To ast-grep the other is a language of its own; rules for it stand beside these.
        let mut exclude = texts(&check["exclude"]);
        exclude.push("*.tsx".to_owned());
        check["exclude"] = json!(exclude);
    }
    let message = document["message"].as_str().filter(|message| !message.trim().is_empty());
    let demand = format!("Code in {language} MUST NOT have the shape of `{id}`.");
    let mut draft = Draft::new(Tool::AstGrep, file, id, demand).check(check);
    draft.message =
        Some(message.map_or_else(|| format!("`<match>` is what {id} speaks against"), placed));
    draft.says.extend(message.map(plain));
    let severity = document["severity"].as_str().unwrap_or("hint");
    draft.enabled = severity != "off";
    draft.severity = match severity {
        "error" => Severity::Error,
        "warning" => Severity::Warning,
        _ => Severity::Info,
    };
    if let Some(note) = document["note"].as_str() {
        draft.help = note.lines().map(str::trim).find(|line| !line.is_empty()).map(str::to_owned);
        draft.says.push(note.to_owned());
    }
    draft.sources.extend(document["url"].as_str().map(str::to_owned));
    let path = sample_path(language, &draft);
    let (valid, invalid) = tests.get(id).cloned().unwrap_or_default();
    let line = |text: String| if text.ends_with('\n') { text } else { format!("{text}\n") };
    for (passes, all) in [(false, invalid), (true, valid)] {
        for text in all {
            draft = draft.example(passes, &path, line(text));
        }
    }
    if draft.tries.is_empty() {
        // A pattern is code, but for its variables.
        let mut patterns = Vec::new();
        named(&document["rule"], "pattern", &mut patterns);
        named(&document["rule"], "context", &mut patterns);
        for pattern in patterns.iter().take(MOST_PATTERNS) {
            draft = draft.example(false, &path, line(filled(pattern, &document["constraints"])));
        }
        for snippet in snippets::of(language) {
            draft = draft.spare(&path, line(snippet));
        }
        draft = draft.example(true, &path, "");
    }
    Ok(draft)
}

/// A glob whose `*` crosses slashes, as ast-grep has it, in ours, where it does not.
fn crossing(glob: &str) -> String {
    let glob = glob.strip_prefix("./").unwrap_or(glob);
    if !glob.contains('/') {
        // Without a slash ours speaks of any folder.
        return if glob.contains('*') { glob.to_owned() } else { anchored(glob) };
    }
    let last = glob.split('/').count() - 1;
    let part = |(at, part): (usize, &str)| match part {
        "**" => "**".to_owned(),
        "*" if at < last => "**".to_owned(),
        part if part.contains('*') && at > 0 => format!("**/{part}"),
        part => part.to_owned(),
    };
    glob.split('/').enumerate().map(part).collect::<Vec<_>>().join("/").replace("**/**/", "**/")
}

/// The `utils` of a rule, with the shared rules that it uses, and those that they use.
fn utils(document: &Json, shared: &Shared) -> Result<Option<Map<String, Json>>, String> {
    let mut utils = document["utils"].as_object().cloned().unwrap_or_default();
    let mut asked: Vec<String> = Vec::new();
    for key in ["rule", "constraints", "utils"] {
        named(&document[key], "matches", &mut asked);
    }
    while let Some(name) = asked.pop() {
        if utils.contains_key(&name) {
            continue;
        }
        let Some(one) = shared.get(&name) else { continue };
        if one.contains_key("constraints") || one.contains_key("transform") {
            return Err(format!(
                "the shared rule `{name}` has constraints of its own, which a rule under `utils` cannot have"
            ));
        }
        if let Some(own) = one.get("utils").and_then(Json::as_object) {
            for (key, value) in own {
                named(value, "matches", &mut asked);
                utils.entry(key.clone()).or_insert_with(|| value.clone());
            }
        }
        let rule = one.get("rule").cloned().unwrap_or(Json::Null);
        named(&rule, "matches", &mut asked);
        utils.insert(name, rule);
    }
    Ok((!utils.is_empty()).then_some(utils))
}

/// The texts under `key`, at any depth.
fn named(value: &Json, key: &str, names: &mut Vec<String>) {
    let mut left = vec![value];
    while let Some(value) = left.pop() {
        match value {
            Json::Array(items) => left.extend(items.iter().rev()),
            Json::Object(map) => {
                names.extend(map.get(key).and_then(Json::as_str).map(str::to_owned));
                left.extend(map.values());
            }
            _ => {}
        }
    }
}

/// A message with our placeholders in the place of meta variables.
fn placed(message: &str) -> String {
    variables(message, |name| format!("<{name}>"))
}

/// A message without its variables, for prose.
fn plain(message: &str) -> String {
    let text = variables(message, str::to_owned);
    let text = text.split_whitespace().collect::<Vec<_>>().join(" ");
    if text.ends_with(['.', '!', '?']) { text } else { format!("{text}.") }
}

/// A pattern with a plain name in the place of each variable, or what its constraint matches.
fn filled(pattern: &str, constraints: &Json) -> String {
    variables(pattern, |name| {
        let wanted = constraints[name]["regex"].as_str().and_then(sample::of_regex);
        if let Some(wanted) = wanted.filter(|wanted| !wanted.is_empty()) {
            return wanted;
        }
        match name.to_ascii_lowercase().trim_matches('_') {
            "" => "x".to_owned(),
            name => name.to_owned(),
        }
    })
}

fn variables(text: &str, to: impl Fn(&str) -> String) -> String {
    let mut filled = String::with_capacity(text.len());
    let mut rest = text;
    while let Some(at) = rest.find('$') {
        filled.push_str(&rest[..at]);
        let name = rest[at..].trim_start_matches('$');
        let marks = rest.len() - at - name.len();
        let end = name.find(|c: char| !(c.is_ascii_uppercase() || c.is_ascii_digit() || c == '_'));
        let end = end.unwrap_or(name.len());
        if end == 0 || name.starts_with(|c: char| c.is_ascii_digit()) {
            filled.push_str(&rest[at..at + marks]);
            rest = name;
            continue;
        }
        filled.push_str(&to(&name[..end]));
        rest = &name[end..];
    }
    filled.push_str(rest);
    filled
}

/// A path that the check reads.
fn sample_path(language: &str, draft: &Draft) -> String {
    let ending = match language {
        "bash" => "sh",
        "javascript" => "js",
        "python" => "py",
        "ruby" => "rb",
        "rust" => "rs",
        "typescript" => "ts",
        "yaml" => "yml",
        other => other,
    };
    let check = draft.check.as_ref();
    let globs = check.map(|check| texts(&check["files"])).unwrap_or_default();
    let ending = format!(".{ending}");
    let names = ["example".to_owned(), format!("example{ending}")];
    let paths = globs.iter().flat_map(|glob| names.iter().map(|name| sample::of_glob(glob, name)));
    let fitting = paths.into_iter().find(|path| path.ends_with(&ending));
    fitting.unwrap_or_else(|| format!("src/example{ending}"))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn variables_are_put_in_place() {
        assert_eq!(placed("`$A` costs $5, $$$ARGS and $b"), "`<A>` costs $5, <ARGS> and $b");
        assert_eq!(filled("foo($A, $_B, $$$REST)", &Json::Null), "foo(a, b, rest)");
        let constraints = serde_json::json!({"A": {"regex": "^(log|debug)$"}});
        assert_eq!(filled("x.$A($B)", &constraints), "x.log(b)");
    }

    #[test]
    fn a_star_crosses_slashes() {
        for (theirs, ours) in [
            ("*.css", "*.css"),
            ("a.css", "/a.css"),
            ("src/*.ts", "src/**/*.ts"),
            ("src/**/*.ts", "src/**/*.ts"),
            ("./packages/*/src/**", "packages/**/src/**"),
        ] {
            assert_eq!(crossing(theirs), ours);
        }
    }
}
