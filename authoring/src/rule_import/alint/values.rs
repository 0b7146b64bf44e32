//! Kinds on values in JSON, YAML and TOML, as pages of the form `data`.

use super::super::draft::Draft;
use super::super::sample;
use super::{Rule, anchored, texts};
use serde_json::{Map, Value as Json, json};

type Drafts = Result<Vec<Draft>, String>;

/// The drafts of a rule on values; `None` for other kinds.
pub(super) fn drafts(rule: &Rule<'_>) -> Option<Drafts> {
    Some(match rule.kind {
        "cross_file" => cross(rule),
        "registry_paths_resolve" => registry(rule),
        "pinned_references" => pinned(rule),
        kind if kind.contains("_path_") => path(rule),
        _ => return None,
    })
}

/// A query that ours reads: names, indexes, `*` and `..`.
fn plain(query: &str) -> Result<&str, String> {
    let filter = query.contains(['?', '@', '(']) || query.contains(':') && !query.contains('\'');
    if filter {
        Err(format!(
            "`{query}` has a filter or a slice: `at` of the form `data` has names, indexes, `*` and `..`"
        ))
    } else {
        Ok(query)
    }
}

fn path(rule: &Rule<'_>) -> Drafts {
    let at = plain(rule.text("path")?)?;
    let mut data = json!({"at": at});
    let (demand, good) = if rule.kind.ends_with("_absent") {
        data["absent"] = json!(true);
        ("MUST NOT be there".to_owned(), None)
    } else {
        if !rule.is("if_present") {
            data["present"] = json!(true);
        }
        if rule.kind.ends_with("_equals") {
            let value = rule.options.get("equals").cloned().unwrap_or_default();
            data["equals"] = value.clone();
            (format!("MUST be `{value}`"), Some(value))
        } else {
            let pattern = rule.text("matches")?;
            data["matches"] = json!(pattern);
            (format!("MUST match `{pattern}`"), sample::of_regex(pattern).map(Json::from))
        }
    };
    let mut draft = rule
        .draft(format!("`{at}` in {} {demand}.", rule.said()))
        .check(rule.on_files("data", data));
    let file = rule.sample("example");
    // Another value, or none.
    let bad = [(at, json!("something else")), ("$.other", json!("x"))];
    for (at, bad) in bad {
        if let Some(text) = written(&file, at, &bad) {
            draft = draft.example(false, &file, text);
        }
    }
    let good = match good {
        Some(good) => written(&file, at, &good),
        None => written(&file, "$.other", &json!("x")),
    };
    Ok(vec![match good {
        Some(text) => draft.example(true, &file, text),
        None => draft,
    }])
}

/// The keys of a way from the root, and whether a list lies at each: of several names the first is
/// taken, and what may lie anywhere lies at the root.
fn keys(at: &str) -> Option<Vec<(String, bool)>> {
    let mut keys: Vec<(String, bool)> = Vec::new();
    let mut rest = at.strip_prefix('$')?;
    while !rest.is_empty() {
        if let Some(after) = rest.strip_prefix("[*]").or_else(|| rest.strip_prefix("[0]")) {
            keys.last_mut()?.1 = true;
            rest = after;
            continue;
        }
        let plain = rest.trim_start_matches('.');
        let (name, after) = if let Some(quoted) = plain.strip_prefix('[') {
            let (inner, after) = quoted.split_once(']')?;
            let quote = inner.chars().next().filter(|quote| matches!(quote, '\'' | '"'))?;
            (inner[1..].split(quote).next()?, after)
        } else {
            let end = plain.find(['.', '[']).unwrap_or(plain.len());
            (&plain[..end], &plain[end..])
        };
        if name.is_empty() || plain.len() == rest.len() && !rest.starts_with('[') {
            return None;
        }
        keys.push((if name == "*" { "any" } else { name }.to_owned(), false));
        rest = after;
    }
    (!keys.is_empty()).then_some(keys)
}

/// A file that has `value` at a way from the root.
fn written(file: &str, at: &str, value: &Json) -> Option<String> {
    let keys = keys(at)?;
    let mut whole = value.clone();
    for (name, in_list) in keys.iter().rev() {
        let inner = if *in_list { json!([whole]) } else { whole };
        whole = Json::Object(Map::from_iter([(name.clone(), inner)]));
    }
    match file.rsplit('.').next()? {
        "json" | "yml" | "yaml" => Some(format!("{whole}\n")),
        "toml" => {
            let ((last, in_list), tables) = keys.split_last()?;
            let is_plain = |name: &str| {
                name.bytes().all(|b| b.is_ascii_alphanumeric() || matches!(b, b'_' | b'-'))
            };
            let plain = keys.iter().all(|(name, _)| is_plain(name));
            if tables.iter().any(|(_, in_list)| *in_list)
                || !plain
                || value.is_object()
                || value.is_null()
            {
                return None;
            }
            let tables: Vec<&str> = tables.iter().map(|(name, _)| name.as_str()).collect();
            let head =
                if tables.is_empty() { String::new() } else { format!("[{}]\n", tables.join(".")) };
            let value = if *in_list { format!("[{value}]") } else { value.to_string() };
            Some(format!("{head}{last} = {value}\n"))
        }
        _ => None,
    }
}

/// The query of an `extract`.
fn extract(spec: &Json) -> Result<String, String> {
    let query = ["json", "yaml", "toml"].into_iter().find_map(|format| spec[format].as_str());
    let query = query.ok_or("it takes its values from lines or by an expression; the form `data` reads JSON, YAML and TOML")?;
    plain(query).map(str::to_owned)
}

fn cross(rule: &Rule<'_>) -> Drafts {
    let relation = rule.options.get("relation").and_then(Json::as_str).unwrap_or("equals");
    if rule.options.get("normalize").is_some_and(|value| !value.is_null()) {
        return Err("`normalize`: the form `data` compares values as they are".to_owned());
    }
    let source = rule.options.get("source").cloned().unwrap_or_default();
    let file = source["file"]
        .as_str()
        .ok_or("its source is several files; `same` of the form `data` names one")?;
    if matches!(relation, "identical" | "registered") {
        return Err(format!(
            "`{relation}` compares files or lists of them; the form `data` compares values"
        ));
    }
    let at = extract(&source["extract"])?;
    let of = |demand: String, files: &str, data: Json| {
        let mut check = rule.on_project("data", data);
        check["files"] = json!([anchored(files)]);
        rule.draft(demand).check(check)
    };
    if relation == "resolves" {
        return Ok(vec![of(
            format!("`{at}` in `{file}` MUST name what is there."),
            file,
            json!({"at": at, "resolves": "root"}),
        )]);
    }
    let targets = rule.options.get("targets").cloned().unwrap_or_default();
    let targets: Vec<Json> = match targets {
        Json::Array(all) => all,
        one => vec![one],
    };
    let mut drafts = Vec::new();
    for target in &targets {
        if target["matches"].is_string() {
            return Err("`matches` of a target: the form `data` compares all values".to_owned());
        }
        let theirs = extract(&target["extract"])?;
        let path = target["file"]
            .as_str()
            .or_else(|| target["files"].as_str())
            .ok_or("a target names no file")?;
        let same = |file: &str, at: &str, relation: &str| json!({"file": file, "at": at, "relation": relation});
        let said = |verb: &str| format!("`{theirs}` in `{path}` MUST {verb} `{at}` in `{file}`.");
        if relation == "equals" {
            let mut data = json!({"at": theirs, "same": same(file, &at, "equal")});
            if !rule.is("allow_missing_target") {
                data["present"] = json!(true);
            }
            let mut draft = of(said("equal"), path, data);
            if let (Some(one), Some(two), Some(three)) = (
                written(file, &at, &json!("1.0")),
                written(&sample::of_glob(path, "example"), &theirs, &json!("2.0")),
                written(&sample::of_glob(path, "example"), &theirs, &json!("1.0")),
            ) {
                let target = sample::of_glob(path, "example");
                draft = draft
                    .project(false, vec![(file.to_owned(), one.clone()), (target.clone(), two)])
                    .project(true, vec![(file.to_owned(), one), (target, three)]);
            }
            drafts.push(draft);
            continue;
        }
        if path.contains(['*', '?', '{']) {
            return Err(
                "its targets are several files; `same` of the form `data` names one".to_owned()
            );
        }
        let relations: &[&str] = match relation {
            "subset" => &["subset"],
            "superset" => &["superset"],
            _ => &["subset", "superset"],
        };
        for one in relations {
            let verb = if *one == "subset" { "hold all of" } else { "hold no more than" };
            drafts.push(of(said(verb), file, json!({"at": at, "same": same(path, &theirs, one)})));
        }
    }
    if drafts.is_empty() { Err("it has no target".to_owned()) } else { Ok(drafts) }
}

/// Paths that a manifest lists.
fn registry(rule: &Rule<'_>) -> Drafts {
    let odd =
        ["entries_are_globs", "exclude_query", "must_contain", "orphans"].into_iter().find(|key| {
            rule.options.get(*key).is_some_and(|value| value != &json!(false) && !value.is_null())
        });
    if let Some(odd) = odd {
        return Err(format!("`{odd}`: `resolves` of the form `data` asks that a path is there"));
    }
    let source = rule.text("source")?;
    let at = extract(rule.options.get("extract").unwrap_or(&Json::Null))?;
    let from = match rule.options.get("base").and_then(Json::as_str) {
        None | Some("registry_dir") => "file",
        Some("lint_root") => "root",
        Some(other) => {
            return Err(format!(
                "paths from `{other}`: `resolves` counts from the file or the root"
            ));
        }
    };
    let mut check = rule.on_project("data", json!({"at": at, "resolves": from}));
    check["files"] = json!([anchored(source)]);
    let file = sample::of_glob(source, "example");
    let mut draft =
        rule.draft(format!("`{at}` in `{source}` MUST name what is there.")).check(check);
    if let Some(text) = written(&file, &at, &json!("gone")) {
        draft = draft.project(false, vec![(file.clone(), text)]);
    }
    let there = file
        .rsplit_once('/')
        .filter(|_| from == "file")
        .map_or_else(|| "here/a.txt".to_owned(), |(folder, _)| format!("{folder}/here/a.txt"));
    if let Some(text) = written(&file, &at, &json!("here/a.txt")) {
        draft = draft.project(true, vec![(there, "Text.\n".to_owned()), (file, text)]);
    }
    Ok(vec![draft])
}

/// Actions by the hash of a commit.
fn pinned(rule: &Rule<'_>) -> Drafts {
    let format = rule.options.get("format").and_then(Json::as_str).unwrap_or("auto");
    if !matches!(format, "auto" | "github_actions") {
        return Err(format!("`{format}`: of these formats a page states GitHub's"));
    }
    let globs = rule.options.get("paths").map(|paths| super::scope(paths).0).unwrap_or_default();
    let sample = rule.sample("ci");
    let file = if sample.contains(".y") { sample.as_str() } else { ".github/workflows/ci.yml" };
    let text = |uses: &str| format!("jobs:\n  a:\n    steps:\n      - uses: {uses}\n");
    let draft = rule
        .draft(format!("What a workflow at {} uses MUST be pinned to the hash of a commit.", super::super::listed(&texts(&json!(globs)), "and")))
        .check(rule.on_files("data", json!({"at": "$..uses", "matches": r"^(\./|docker://.+@sha256:[0-9a-f]{64}$|[^@]+@[0-9a-f]{40}$)"})))
        .example(false, file, text("actions/checkout@v4"))
        .example(true, file, text("actions/checkout@11bd71901bbe5b1630ceea73d27597364c9af683"));
    Ok(vec![if format == "auto" {
        draft.note("of its formats GitHub's alone; the rules `dockerfile/*` judge images")
    } else {
        draft
    }])
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn files_are_written_that_have_a_value_where_a_query_looks() {
        let text = |file: &str, at: &str| written(file, at, &json!("x"));
        for (file, at, wanted) in [
            ("a.json", "$.a.b[*]", r#"{"a":{"b":["x"]}}"#),
            ("a.yml", "$..['a b','c']", r#"{"a b":"x"}"#),
            ("a.toml", "$.tool['my-tool'].name", "[tool.my-tool]\nname = \"x\""),
            ("a.json", "$.a.*", r#"{"a":{"any":"x"}}"#),
            ("a.toml", "$.list[0]", "list = [\"x\"]"),
        ] {
            assert_eq!(text(file, at), Some(format!("{wanted}\n")), "{at}");
        }
        for at in ["", "$", "$[?(@.a)]", "$.a[1:2]", "$.a.", "a.b", "$['a"] {
            assert_eq!(text("a.json", at), None, "{at}");
        }
    }
}
