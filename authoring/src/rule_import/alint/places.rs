//! Kinds on files, folders and names, as pages of the form `tree`.

use super::super::draft::Draft;
use super::super::{listed, sample};
use super::{Rule, scope, texts};
use serde_json::{Value as Json, json};

type Drafts = Result<Vec<Draft>, String>;

/// Cases: what alint calls them (small letters, no marks), what they are in our form, and a name
/// that has not the case.
const CASES: [(&[&str], &[&str], &str, &str); 8] = [
    (&["lower", "lowercase"], &["lower"], "Bad", "good"),
    (&["upper", "uppercase"], &[r"/[^\p{Ll}]*/"], "bad", "GOOD"),
    (
        &["pascal", "pascalcase", "uppercamel", "uppercamelcase"],
        &["pascal", "/[A-Z][A-Za-z0-9]*/"],
        "bad_name",
        "GoodName",
    ),
    (
        &["camel", "camelcase", "lowercamel", "lowercamelcase"],
        &["/[a-z][A-Za-z0-9]*/"],
        "Bad_name",
        "goodName",
    ),
    (&["snake", "snakecase"], &["snake", "/[a-z0-9_]*/"], "badName", "good_name"),
    (
        &["kebab", "kebabcase", "dash", "dashcase"],
        &["kebab", "/[a-z0-9-]*/"],
        "badName",
        "good-name",
    ),
    (
        &["screamingsnake", "screamingsnakecase", "uppersnake", "uppersnakecase"],
        &["screaming", "/[A-Z0-9_]*/"],
        "badName",
        "GOOD_NAME",
    ),
    (&["flat", "flatcase"], &["flat", "/[a-z0-9]*/"], "bad-name", "goodname"),
];

/// The drafts of a rule on places; `None` for other kinds.
pub(super) fn drafts(rule: &Rule<'_>) -> Option<Drafts> {
    Some(match rule.kind {
        "file_exists" | "dir_exists" => exists(rule),
        "file_absent"
        | "dir_absent"
        | "no_submodules"
        | "git_no_denied_paths"
        | "no_illegal_windows_names" => absent(rule),
        "filename_case" | "filename_regex" => names(rule),
        "file_min_size" => sizes(rule, "bytes", "min", "min_bytes"),
        "file_max_size" => sizes(rule, "bytes", "max", "max_bytes"),
        "file_min_lines" => sizes(rule, "lines", "min", "min_lines"),
        "file_max_lines" => sizes(rule, "lines", "max", "max_lines"),
        "no_empty_files" => Ok(vec![sized(rule, "bytes", json!({"min": 1}), "be no empty file")]),
        "max_directory_depth" => sizes(rule, "depth", "max", "max_depth"),
        "max_files_per_directory" => crowded(rule),
        _ => return None,
    })
}

/// A file of the project beside those that a rule speaks of.
fn other() -> (String, String) {
    ("notes/other.txt".to_owned(), "Text.\n".to_owned())
}

/// The globs as paths of the form `tree`; `**/` goes when only the root is meant.
fn paths(rule: &Rule<'_>, folder: bool) -> Vec<String> {
    let path = |glob: &String| {
        let mut path = glob.trim_start_matches("./").trim_end_matches('/').to_owned();
        if rule.is("root_only") {
            path = path.trim_start_matches("**/").to_owned();
        }
        if folder { format!("{path}/") } else { path }
    };
    rule.include.iter().map(path).collect()
}

fn exists(rule: &Rule<'_>) -> Drafts {
    let folder = rule.kind == "dir_exists";
    let paths = paths(rule, folder);
    let mut tree = json!({"exists": paths.join(" | ")});
    if rule.is("git_tracked_only") {
        tree["tracked"] = json!(true);
    }
    let there = sample::of_glob(&paths[..].first().cloned().unwrap_or_default(), "example");
    let there = if folder { format!("{}/a.txt", there.trim_end_matches('/')) } else { there };
    let mut draft = rule
        .draft(format!("{} MUST exist.", listed(&paths, "or")))
        .check(rule.on_project("tree", tree))
        .project(false, vec![other()])
        .project(true, vec![other(), (there, "Text.\n".to_owned())]);
    if rule.options.get("paths").is_some_and(|paths| !scope(paths).1.is_empty()) {
        draft = draft.note("a file that is left out satisfies the rule here");
    }
    Ok(vec![draft])
}

/// Names that Windows refuses (<https://learn.microsoft.com/windows/win32/fileio/naming-a-file>).
const WINDOWS: [&str; 3] = [
    r#"**/*[<>:"|?*\]*"#,
    "**/{[cC][oO][nN],[pP][rR][nN],[aA][uU][xX],[nN][uU][lL],[cC][oO][mM][1-9],[lL][pP][tT][1-9]}{,.*}",
    "**/*[. ]",
];

fn absent(rule: &Rule<'_>) -> Drafts {
    let mut tree = json!({});
    let (paths, there) = match rule.kind {
        "no_submodules" => (vec![".gitmodules".to_owned()], ".gitmodules".to_owned()),
        "no_illegal_windows_names" => {
            (WINDOWS.map(str::to_owned).to_vec(), "docs/con.txt".to_owned())
        }
        "git_no_denied_paths" => {
            tree["tracked"] = json!(true);
            let denied = rule.options.get("denied").map(texts).unwrap_or_default();
            let path = |glob: &String| {
                if glob.contains('/') { glob.clone() } else { format!("**/{glob}") }
            };
            let denied: Vec<String> = denied.iter().map(path).collect();
            let there =
                denied.first().map_or_else(String::new, |glob| sample::of_glob(glob, "example"));
            (denied, there)
        }
        kind => {
            let folder = kind == "dir_absent";
            let paths = paths(rule, folder);
            // One in the root may be left out.
            let deep = |glob: &String| match glob.strip_prefix("**/") {
                Some(name) => sample::of_glob(&format!("part/{name}"), "example"),
                None => sample::of_glob(glob, "example"),
            };
            let there = paths.first().map_or_else(String::new, deep);
            let there =
                if folder { format!("{}/a.txt", there.trim_end_matches('/')) } else { there };
            (paths, there)
        }
    };
    if paths.is_empty() {
        return Err("it names no path".to_owned());
    }
    if rule.is("git_tracked_only") {
        tree["tracked"] = json!(true);
    }
    tree["absent"] = json!(paths);
    let demand = match rule.kind {
        "no_illegal_windows_names" => {
            "Names that Windows refuses MUST NOT be given to files.".to_owned()
        }
        _ => format!("{} MUST NOT be there.", listed(&paths, "and")),
    };
    let check = if rule.kind == "no_illegal_windows_names" {
        rule.on_files("tree", tree)
    } else {
        rule.on_project("tree", tree)
    };
    let mut draft = rule
        .draft(demand)
        .check(check)
        .project(false, vec![other(), (there, "Text.\n".to_owned())])
        .project(true, vec![other()]);
    if rule.options.get("content_prefix_hex").is_some_and(|bytes| bytes != &json!([])) {
        draft = draft.note("every such file is judged, whatever it begins with");
    }
    if rule.options.contains_key("since") {
        draft =
            draft.note("which files changed is settled by `aidd check --diff`, not by the rule");
    }
    Ok(vec![draft])
}

fn names(rule: &Rule<'_>) -> Drafts {
    let each = paths(rule, false);
    let mut exclude: Vec<String> = rule.exclude.iter().map(|glob| super::anchored(glob)).collect();
    let (name, said, bad, good) = if rule.kind == "filename_case" {
        let given = rule.text("case")?;
        let plain: String = given.to_lowercase().replace(['-', '_'], "");
        let (_, ours, bad, good) = CASES
            .iter()
            .find(|(names, ..)| names.contains(&plain.as_str()))
            .ok_or_else(|| format!("`{given}` is no case of alint"))?;
        // alint leaves names with a further dot alone.
        exclude.extend(["*.*.*".to_owned(), ".*".to_owned()]);
        (json!(ours), given.to_owned(), vec![(*bad).to_owned()], Some((*good).to_owned()))
    } else {
        let given = rule.text("pattern")?;
        let stem = if rule.is("stem") { given.to_owned() } else { without_ending(given, &each)? };
        let inner = stem.trim_start_matches('^').trim_end_matches('$').to_owned();
        let good = sample::of_regex(&format!("^(?:{inner})$"));
        (
            json!(format!("/{inner}/")),
            format!("`{given}`"),
            ["bad_Name", "Bad-name", "9"].map(str::to_owned).to_vec(),
            good,
        )
    };
    let mut check = rule.on_project("tree", json!({"each": each, "name": name}));
    if !exclude.is_empty() {
        check["exclude"] = json!(exclude);
    }
    let mut draft =
        rule.draft(format!("Files at {} MUST be named in {said}.", rule.said())).check(check);
    for bad in bad {
        draft = draft.project(false, vec![(rule.sample(&bad), "Text.\n".to_owned())]);
    }
    if let Some(good) = good {
        draft = draft.project(true, vec![(rule.sample(&good), "Text.\n".to_owned())]);
    }
    Ok(vec![draft])
}

/// An expression on whole names as one on names up to their last dot.
fn without_ending(pattern: &str, globs: &[String]) -> Result<String, String> {
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
        let (_, ending) = glob.rsplit_once('.')?;
        let inner = ending.strip_prefix('{').and_then(|rest| rest.strip_suffix('}'));
        Some(inner.unwrap_or(ending).split(',').all(|ending| known.contains(&ending)))
    };
    let all = globs.iter().all(|glob| has(glob) == Some(true));
    let is_whole = head.matches('(').count() == head.matches(')').count();
    let one = known.len() == 1 || inner.len() < ending.len();
    if one && known.iter().all(is_word) && all && is_whole && !top_level(head).contains('|') {
        Ok(head.to_owned())
    } else {
        Err(why())
    }
}

/// What of an expression stands in no parentheses.
fn top_level(expression: &str) -> String {
    let mut depth = 0_usize;
    let outside = expression.chars().filter(|c| {
        match c {
            '(' | '[' => depth += 1,
            ')' | ']' => depth = depth.saturating_sub(1),
            _ => {}
        }
        depth == 0
    });
    outside.collect()
}

fn sizes(rule: &Rule<'_>, what: &str, bound: &str, key: &str) -> Drafts {
    let number = rule.number(key)?;
    let said = if bound == "min" { "at least" } else { "at most" };
    let unit = if what == "depth" { "levels" } else { what };
    let mut limits = json!({});
    limits[bound] = json!(number);
    let mut draft = sized(rule, what, limits, &format!("have {said} {number} {unit}"));
    let (small, big) = match what {
        "lines" => {
            (number.saturating_sub(u64::from(bound == "min")), number + u64::from(bound == "max"))
        }
        _ => (0, number + 1),
    };
    if what == "depth" && bound == "max" && number <= 50 {
        let name = format!("{}b.txt", "a/".repeat(usize::try_from(number).unwrap_or(0)));
        let path = rule.sample("example");
        draft.tries.clear();
        draft = draft
            .project(false, vec![(rule.sample(&name), "x\n".to_owned())])
            .project(true, vec![(path, "x\n".to_owned())]);
    } else if what != "depth" && big <= 500 {
        let of = |lines: u64| "x\n".repeat(usize::try_from(lines).unwrap_or(0));
        let path = rule.sample("example");
        let (bad, good) = if bound == "min" { (of(small), of(big)) } else { (of(big), of(0)) };
        draft.tries.clear();
        draft = draft.project(false, vec![(path.clone(), bad)]).project(true, vec![(path, good)]);
    }
    Ok(vec![draft])
}

fn sized(rule: &Rule<'_>, what: &str, limits: Json, demand: &str) -> Draft {
    let mut tree = json!({"each": paths(rule, false)});
    tree[what] = limits;
    let path = rule.sample("example");
    rule.draft(format!("Files at {} MUST {demand}.", rule.said()))
        .check(rule.on_project("tree", tree))
        .project(false, vec![(path.clone(), String::new())])
        .project(true, vec![(path, "x\n".to_owned())])
}

fn crowded(rule: &Rule<'_>) -> Drafts {
    let max = rule.number("max_files")?;
    let folders = |glob: &String| -> Result<Vec<String>, String> {
        match glob.strip_suffix("**").map(|folder| folder.trim_end_matches('/')) {
            Some("") => Ok(vec!["**/*/".to_owned()]),
            Some(folder) => Ok(vec![format!("{folder}/"), format!("{folder}/**/*/")]),
            None => Err(format!(
                "`{glob}` counts some files of a folder; `count` of the form `tree` counts all that lies in it"
            )),
        }
    };
    let each: Result<Vec<Vec<String>>, String> = rule.include.iter().map(folders).collect();
    let folder =
        sample::of_glob(rule.include[0].trim_end_matches('*').trim_end_matches('/'), "example");
    let folder = if folder.is_empty() { "src".to_owned() } else { folder };
    let many = |count: u64| {
        (0..count.min(200))
            .map(|number| (format!("{folder}/a{number}.txt"), "Text.\n".to_owned()))
            .collect()
    };
    Ok(vec![
        rule.draft(format!("A folder at {} MUST hold at most {max} entries.", rule.said()))
            .check(rule.on_project("tree", json!({"each": each?.concat(), "count": {"max": max}})))
            .note("folders count too, and the root is not judged")
            .project(false, many(max + 1))
            .project(true, many(max.min(1))),
    ])
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_ending_is_taken_off_where_all_files_have_it() {
        assert_eq!(
            without_ending(r"^[a-z]+\.md$", &["docs/*.md".to_owned()]),
            Ok("^[a-z]+".to_owned())
        );
        assert!(without_ending(r"^[a-z]+\.md$", &["docs/*".to_owned()]).is_err());
        assert!(without_ending("^[a-z.]+$", &["docs/*.md".to_owned()]).is_err());
    }
}
