//! What the code derives from the options of a kind, where a table cannot.

use super::super::expressions::{alternatives, last_group};
use super::super::recipe::{self, Vars};
use super::super::sample;
use super::Rule;
use super::values::{extract, keys, plain, written};
use aidd_engine::text::paths::{below, folder_of};
use serde_json::{Value as Json, json};

/// Adds to `vars` what the pages of the kind need.
///
/// # Errors
/// Why the rule is not carried over.
pub(super) fn more(rule: &Rule<'_>, vars: &mut Vars) -> Result<(), String> {
    let derived = match rule.kind {
        "import_gate" => json!({"regex": import(rule, vars)?}),
        "filename_regex" => {
            let given = rule.text("pattern")?;
            let stem = if rule.is("stem") { given } else { without_ending(given, &rule.paths())? };
            let inner = stem.trim_start_matches('^').trim_end_matches('$');
            json!({"inner": inner, "good": sample::of_regex(&format!("^(?:{inner})$"))})
        }
        "max_files_per_directory" => {
            rule.number("max_files")?;
            let first = rule.include.first().ok_or("it names no folder")?;
            let folder = first.trim_end_matches('*').trim_end_matches('/');
            let folder = sample::of_glob(if folder.is_empty() { "src" } else { folder }, "example");
            json!({"each": folders(&rule.include)?, "folder": folder})
        }
        "file_graph" => graph(rule)?,
        "registry_paths_resolve" => registry(rule)?,
        kind if ["dotenv", "ini_", "properties"].iter().any(|start| kind.starts_with(start)) => {
            setting(rule)?
        }
        _ => values(rule)?,
    };
    vars.extend(recipe::vars(derived));
    Ok(())
}

/// The folders whose files are counted.
fn folders(globs: &[String]) -> Result<Vec<String>, String> {
    let mut each = Vec::new();
    for glob in globs {
        match glob.strip_suffix("**").map(|folder| folder.trim_end_matches('/')) {
            Some("") => each.push("**/*/".to_owned()),
            Some(folder) => each.extend([format!("{folder}/"), format!("{folder}/**/*/")]),
            None => {
                return Err(format!(
                    "`{glob}` counts some files of a folder; `count` of the form `tree` counts all that lies in it"
                ));
            }
        }
    }
    Ok(each)
}

/// Files with and without the value that a rule demands.
fn values(rule: &Rule<'_>) -> Result<Json, String> {
    let at = plain(rule.text("path")?)?;
    let good = match rule.options.get("matches").and_then(Json::as_str) {
        Some(pattern) => sample::of_regex(pattern).map(Json::from),
        None if rule.kind.ends_with("_equals") => {
            Some(rule.options.get("equals").cloned().unwrap_or_default())
        }
        None => None,
    };
    let file = rule.sample("example");
    let of = |at: &str, value: Json| written(&file, at, &value);
    Ok(json!({
        "present": !rule.is("if_present"),
        // Another value, or none.
        "bad": of(at, json!("something else")),
        "other": of("$.other", json!("x")),
        "good": good.map_or_else(|| of("$.other", json!("x")), |good| of(at, good)),
    }))
}

/// Paths that a manifest lists.
fn registry(rule: &Rule<'_>) -> Result<Json, String> {
    let is_set = |key: &&str| {
        rule.options.get(*key).is_some_and(|value| value != &json!(false) && !value.is_null())
    };
    let odd = ["entries_are_globs", "exclude_query", "must_contain", "orphans"];
    if let Some(odd) = odd.into_iter().find(is_set) {
        return Err(format!("`{odd}`: `resolves` of the form `data` asks that a path is there"));
    }
    let file = sample::of_glob(rule.text("source")?, "example");
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
    let folder = if from == "file" { folder_of(&file) } else { "" };
    Ok(json!({
        "at": at,
        "from": from,
        "gone": written(&file, &at, &json!("gone")),
        "found": written(&file, &at, &json!("here/a.txt")),
        "there": below(folder, "here/a.txt"),
        "file": file,
    }))
}

/// Endings of files in which imports are read, and how many of them are of scripts.
const CODE: [&str; 12] =
    ["js", "jsx", "ts", "tsx", "mjs", "mts", "cjs", "cts", "py", "rs", "go", "java"];
const SCRIPTS: usize = 6;

/// References between files: what must not be, and files that import one another.
fn graph(rule: &Rule<'_>) -> Result<Json, String> {
    let nodes = rule.text("nodes")?;
    let option = |key: &str| rule.options.get(key).unwrap_or(&Json::Null);
    let ending = nodes.rsplit('.').next().unwrap_or_default();
    let edges = option("require")["forbidden_edges"].as_array().map_or(&[][..], Vec::as_slice);
    let end = |edge: &Json, key: &str| edge[key].as_str().unwrap_or_default().to_owned();
    let ends: Vec<_> = edges.iter().map(|edge| (end(edge, "from"), end(edge, "to"))).collect();
    let said = ends.iter().map(|(from, to)| format!("`{from}` NEVER imports `{to}`"));
    let forbid: Vec<Json> = ends.iter().map(|(from, to)| json!({"from": from, "to": to})).collect();
    let path = |glob: &str, name: &str| sample::of_glob(glob, &format!("{name}.{ending}"));
    let (one, two) = match ends.first() {
        _ if option("require") == "acyclic" => {
            (sample::of_glob(nodes, "one"), sample::of_glob(nodes, "two"))
        }
        Some((from, to)) => (path(from, "one"), path(to, "two")),
        None => (String::new(), String::new()),
    };
    let import = |from: &str, to: &str| {
        let up = "../".repeat(from.matches('/').count());
        let to = to.rsplit_once('.').map_or(to, |(stem, _)| stem);
        CODE[..SCRIPTS].contains(&ending).then(|| format!("import {{ x }} from './{up}{to}'\n"))
    };
    let (there, back) = (import(&one, &two), import(&two, &one));
    Ok(json!({
        "made": option("edges").get("from_content").is_none(),
        "links": option("require") == "no_dangling" && nodes.ends_with(".md"),
        "code": nodes.ends_with('}') || nodes.contains('.') && CODE.contains(&ending),
        "forbid": if ends.is_empty() { Json::Null } else { forbid.into() },
        "edges_said": said.collect::<Vec<_>>().join(", and "),
        "imported": there.is_some().then_some("export const x = 1\n"),
        "one": one,
        "two": two,
        "there": there,
        "back": back,
    }))
}

/// A key in a file of lines `key = value`.
fn setting(rule: &Rule<'_>) -> Result<Json, String> {
    let format = rule.kind.split('_').next().unwrap_or_default();
    let path = rule.text("path")?;
    let names = names(path).ok_or_else(|| {
        format!("`{path}` is no plain way to a value: this format is read line by line")
    })?;
    let shown = names.join(".");
    let escaped: Vec<String> = names.iter().map(|name| regex::escape(name)).collect();
    let (key, before) = match (format, &escaped[..]) {
        ("ini", [section, key]) => (
            format!(
                r"^\[{section}\][ \t]*(?:\r?\n(?:[ \t]*[^\[\r\n][^\r\n]*)?)*?\r?\n[ \t]*{key}[ \t]*[=:]"
            ),
            format!("[{}]\n{} = ", names[0], names[1]),
        ),
        ("ini", _) => return Err(format!("`{path}` is not of a section and a key")),
        ("dotenv", [key]) => {
            (format!(r"^[ \t]*(?:export[ \t]+)?{key}[ \t]*="), format!("{shown}="))
        }
        ("dotenv", _) => return Err(format!("`{path}` is not of one key")),
        _ => (format!(r"^[ \t]*{}[ \t]*[=:]", regex::escape(&shown)), format!("{shown}=")),
    };
    Ok(json!({"key": key, "shown": shown, "before": before}))
}

/// The names of a query that is a plain way from the root.
fn names(path: &str) -> Option<Vec<String>> {
    let keys = keys(path).filter(|_| !path.contains("..") && !path.contains("','"))?;
    let is_plain = |(name, in_list): &(String, bool)| !in_list && !name.contains(['*', '?', '@']);
    keys.iter().all(is_plain).then(|| keys.into_iter().map(|(name, _)| name).collect())
}

/// An expression on whole names as one on names up to their last dot.
fn without_ending<'p>(pattern: &'p str, globs: &[String]) -> Result<&'p str, String> {
    let why = || {
        format!(
            "`{pattern}` is held against the whole name; `name` of the form `tree` judges it up to its last dot"
        )
    };
    let plain = pattern.strip_suffix('$').unwrap_or(pattern);
    let (head, ending) = plain.rsplit_once(r"\.").ok_or_else(why)?;
    let inner = ending.strip_prefix('(').and_then(|rest| rest.strip_suffix(')'));
    let inner = inner.map_or(ending, |inner| inner.strip_prefix("?:").unwrap_or(inner));
    let known: Vec<&str> = inner.split('|').collect();
    let is_word = |text: &&str| !text.is_empty() && text.bytes().all(|b| b.is_ascii_alphanumeric());
    // All files must have one of the endings, or those that have not would not be told.
    let has = |glob: &String| {
        let Some((_, ending)) = glob.rsplit_once('.') else { return false };
        let inner = ending.strip_prefix('{').and_then(|rest| rest.strip_suffix('}'));
        inner.unwrap_or(ending).split(',').all(|ending| known.contains(&ending))
    };
    let is_whole = head.matches('(').count() == head.matches(')').count();
    let one = known.len() == 1 || inner.len() < ending.len();
    let is_bound = one && is_whole && alternatives(head).len() == 1;
    let fits = is_bound && known.iter().all(is_word) && globs.iter().all(has);
    fits.then_some(head).ok_or_else(why)
}

/// An expression for imports of what is forbidden.
fn import(rule: &Rule<'_>, vars: &Vars) -> Result<String, String> {
    let forbid = rule.text("forbid")?;
    let of = |name: &str| vars.get(name).and_then(Json::as_str).unwrap_or_default();
    let (before, any, after) = match rule.options.get("import_pattern").and_then(Json::as_str) {
        Some(pattern) => around_target(pattern).ok_or_else(|| {
            format!("the target in its expression for the line of an import, `{pattern}`, is no run of characters")
        })?,
        None => {
            let language = rule.text("language")?;
            if of("before").is_empty() {
                return Err(format!("`{language}` has no preset"));
            }
            (of("before"), of("any"), of("after"))
        }
    };
    Ok(format!("{before}(?P<at>{}){after}", targets(forbid, any)?))
}

/// Expressions for all of a target, of characters like `any`, in which `forbid` finds something.
fn targets(forbid: &str, any: &str) -> Result<String, String> {
    let mut all = Vec::new();
    for part in alternatives(forbid) {
        let (head, inner) = match part.strip_prefix('^') {
            Some(rest) => (String::new(), rest),
            None => (format!("{any}*?"), part),
        };
        if let Some(inner) = inner.strip_suffix('$') {
            all.push(format!("{head}{inner}"));
            continue;
        }
        // The end may be one of the alternatives that it ends with.
        let last = last_group(inner).map(|(before, group)| (before, alternatives(group)));
        match last {
            Some((before, mut parts)) if parts.contains(&"$") => {
                parts.retain(|part| *part != "$");
                all.push(format!("{head}{before}"));
                all.push(format!("{head}{before}(?:{}){any}*", parts.join("|")));
            }
            _ => all.push(format!("{head}{inner}{any}*")),
        }
    }
    if all.iter().any(|part| part.replace(r"\$", "").contains('$')) {
        return Err(format!("`{forbid}` asks for the end of a target in its midst"));
    }
    Ok(format!("(?:{})", all.join("|")))
}

/// What stands before and behind the target in the expression for the line of an import, and of
/// what characters that is: `(…)` with one class in it.
fn around_target(pattern: &str) -> Option<(&str, &str, &str)> {
    let (before, rest) = pattern.split_once('(')?;
    let (target, after) = rest.split_once(')')?;
    let class = target.strip_suffix(['+', '*'])?;
    let is_class = class.starts_with('[') && class.ends_with(']') || class == r"\S";
    (is_class && !after.contains('(')).then_some((before, class, after))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn queries_are_cut() {
        assert_eq!(
            names("$.a['b c'].d"),
            Some(vec!["a".to_owned(), "b c".to_owned(), "d".to_owned()])
        );
        assert_eq!(names("$.a[*]"), None);
        assert_eq!(names("$"), None);
    }

    #[test]
    fn an_ending_is_taken_off_where_all_files_have_it() {
        assert_eq!(without_ending(r"^[a-z]+\.md$", &["docs/*.md".to_owned()]), Ok("^[a-z]+"));
        assert!(without_ending(r"^[a-z]+\.md$", &["docs/*".to_owned()]).is_err());
        assert!(without_ending("^[a-z.]+$", &["docs/*.md".to_owned()]).is_err());
    }
}
