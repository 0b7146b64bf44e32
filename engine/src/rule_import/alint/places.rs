//! Kinds on files, folders and names, on documents, commits and imports between files.

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
    (&["pascal", "pascalcase", "uppercamel", "uppercamelcase"], &["pascal", "/[A-Z][A-Za-z0-9]*/"], "bad_name", "GoodName"),
    (&["camel", "camelcase", "lowercamel", "lowercamelcase"], &["/[a-z][A-Za-z0-9]*/"], "Bad_name", "goodName"),
    (&["snake", "snakecase"], &["snake", "/[a-z0-9_]*/"], "badName", "good_name"),
    (&["kebab", "kebabcase", "dash", "dashcase"], &["kebab", "/[a-z0-9-]*/"], "badName", "good-name"),
    (&["screamingsnake", "screamingsnakecase", "uppersnake", "uppersnakecase"], &["screaming", "/[A-Z0-9_]*/"], "badName", "GOOD_NAME"),
    (&["flat", "flatcase"], &["flat", "/[a-z0-9]*/"], "bad-name", "goodname"),
];

/// The drafts of a rule on places; `None` for other kinds.
pub(super) fn drafts(rule: &Rule<'_>) -> Option<Drafts> {
    Some(match rule.kind {
        "file_exists" | "dir_exists" => exists(rule),
        "file_absent" | "dir_absent" | "no_submodules" | "git_no_denied_paths" | "no_illegal_windows_names" => absent(rule),
        "filename_case" | "filename_regex" => names(rule),
        "file_min_size" => sizes(rule, "bytes", "min", "min_bytes"),
        "file_max_size" => sizes(rule, "bytes", "max", "max_bytes"),
        "file_min_lines" => sizes(rule, "lines", "min", "min_lines"),
        "file_max_lines" => sizes(rule, "lines", "max", "max_lines"),
        "no_empty_files" => Ok(vec![sized(rule, "bytes", json!({"min": 1}), "be no empty file")]),
        "max_directory_depth" => sizes(rule, "depth", "max", "max_depth"),
        "max_files_per_directory" => crowded(rule),
        "pair" => pair(rule),
        "dir_contains" | "dir_only_contains" => contains(rule),
        "unique_by" => unique(rule),
        "for_each_dir" | "for_each_file" | "every_matching_has" => each(rule),
        "markdown_links_resolve" | "markdown_fragments_resolve" | "markdown_images_have_alt" | "markdown_paths_resolve" | "markdown_required_headings" => document(rule),
        "changeset_requires_path" | "pair_changed_together" => change(rule),
        kind if kind.starts_with("git_commit_") => commit(rule),
        "file_graph" => graph(rule),
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
        .project(true, vec![other(), (there, String::new())]);
    if !rule.exclude.is_empty() {
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
        "no_illegal_windows_names" => (WINDOWS.map(str::to_owned).to_vec(), "docs/con.txt".to_owned()),
        "git_no_denied_paths" => {
            tree["tracked"] = json!(true);
            let denied = rule.options.get("denied").map(texts).unwrap_or_default();
            let path = |glob: &String| if glob.contains('/') { glob.clone() } else { format!("**/{glob}") };
            let denied: Vec<String> = denied.iter().map(path).collect();
            let there = denied.first().map_or_else(String::new, |glob| sample::of_glob(glob, "example"));
            (denied, there)
        }
        kind => {
            let folder = kind == "dir_absent";
            let paths = paths(rule, folder);
            let there = paths.first().map_or_else(String::new, |glob| sample::of_glob(glob, "example"));
            let there = if folder { format!("{}/a.txt", there.trim_end_matches('/')) } else { there };
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
        "no_illegal_windows_names" => "Names that Windows refuses MUST NOT be given to files.".to_owned(),
        _ => format!("{} MUST NOT be there.", listed(&paths, "and")),
    };
    let check = if rule.kind == "no_illegal_windows_names" { rule.on_files("tree", tree) } else { rule.on_project("tree", tree) };
    let mut draft = rule
        .draft(demand)
        .check(check)
        .project(false, vec![other(), (there, String::new())])
        .project(true, vec![other()]);
    if rule.options.get("content_prefix_hex").is_some_and(|bytes| bytes != &json!([])) {
        draft = draft.note("every such file is judged, whatever it begins with");
    }
    if rule.options.contains_key("since") {
        draft = draft.note("which files changed is settled by `aidd check --diff`, not by the rule");
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
        (json!(format!("/{inner}/")), format!("`{given}`"), ["bad_Name", "Bad-name", "9"].map(str::to_owned).to_vec(), good)
    };
    let mut check = rule.on_project("tree", json!({"each": each, "name": name}));
    if !exclude.is_empty() {
        check["exclude"] = json!(exclude);
    }
    let mut draft = rule.draft(format!("Files at {} MUST be named in {said}.", rule.said())).check(check);
    for bad in bad {
        draft = draft.project(false, vec![(rule.sample(&bad), String::new())]);
    }
    if let Some(good) = good {
        draft = draft.project(true, vec![(rule.sample(&good), String::new())]);
    }
    Ok(vec![draft])
}

/// An expression on whole names as one on names up to their last dot.
fn without_ending(pattern: &str, globs: &[String]) -> Result<String, String> {
    let why = || format!("`{pattern}` is held against the whole name; `name` of the form `tree` judges it up to its last dot");
    let plain = pattern.trim_end_matches('$');
    let (head, ending) = plain.rsplit_once(r"\.").ok_or_else(why)?;
    let is_word = |text: &str| !text.is_empty() && text.bytes().all(|b| b.is_ascii_alphanumeric());
    // All files must have the ending, or those that have not would not be told.
    let all = globs.iter().all(|glob| glob.ends_with(&format!(".{ending}")));
    let whole = head.matches('(').count() == head.matches(')').count();
    if is_word(ending) && all && whole && !head.contains('|') { Ok(head.to_owned()) } else { Err(why()) }
}

fn sizes(rule: &Rule<'_>, what: &str, bound: &str, key: &str) -> Drafts {
    let number = rule.number(key)?;
    let said = if bound == "min" { "at least" } else { "at most" };
    let unit = if what == "depth" { "levels" } else { what };
    let mut limits = json!({});
    limits[bound] = json!(number);
    let mut draft = sized(rule, what, limits, &format!("have {said} {number} {unit}"));
    let (small, big) = match what {
        "lines" => (number.saturating_sub(u64::from(bound == "min")), number + u64::from(bound == "max")),
        _ => (0, number + 1),
    };
    if what != "depth" && big <= 500 {
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
            None => Err(format!("`{glob}` counts some files of a folder; `count` of the form `tree` counts all that lies in it")),
        }
    };
    let each: Result<Vec<Vec<String>>, String> = rule.include.iter().map(folders).collect();
    let folder = sample::of_glob(rule.include[0].trim_end_matches('*').trim_end_matches('/'), "example");
    let folder = if folder.is_empty() { "src".to_owned() } else { folder };
    let many = |count: u64| (0..count.min(200)).map(|number| (format!("{folder}/a{number}.txt"), String::new())).collect();
    Ok(vec![
        rule.draft(format!("A folder at {} MUST hold at most {max} entries.", rule.said()))
            .check(rule.on_project("tree", json!({"each": each?.concat(), "count": {"max": max}})))
            .note("folders count too, and the root is not judged")
            .project(false, many(max + 1))
            .project(true, many(max.min(1))),
    ])
}

/// A template of alint as one of ours.
fn template(text: &str) -> Result<String, String> {
    let known = [("{dir}", "<dir>"), ("{stem}", "<stem>"), ("{ext}", "<ext>"), ("{basename}", "<name>"), ("{path}", "<path>")];
    let filled = known.iter().fold(text.to_owned(), |text, (theirs, ours)| text.replace(theirs, ours));
    if filled.contains("{parent_name}") || filled.contains("{{") {
        return Err(format!("`{text}` has a place that a path of ours cannot fill in"));
    }
    Ok(filled)
}

fn pair(rule: &Rule<'_>) -> Drafts {
    let primary = rule.text("primary")?;
    let partner = template(rule.text("partner")?)?;
    let path = sample::of_glob(primary, "example");
    let (dir, name) = path.rsplit_once('/').unwrap_or(("", &path));
    let (stem, ending) = name.rsplit_once('.').unwrap_or((name, ""));
    let other = partner.replace("<dir>", dir).replace("<stem>", stem).replace("<ext>", ending).replace("<name>", name);
    let other = sample::of_glob(other.trim_start_matches('/'), "example");
    Ok(vec![
        rule.draft(format!("Each file at `{primary}` MUST have a `{partner}`."))
            .check(rule.on_project("tree", json!({"each": primary, "exists": partner})))
            .project(false, vec![(path.clone(), String::new())])
            .project(true, vec![(path.clone(), String::new()), (other, String::new())]),
    ])
}

fn contains(rule: &Rule<'_>) -> Drafts {
    let select = rule.text("select")?.trim_end_matches('/');
    let folder = sample::of_glob(select, "example");
    if rule.kind == "dir_contains" {
        let names = rule.options.get("require").map(texts).unwrap_or_default();
        let exists: Vec<String> = names.iter().map(|name| format!("<path>/{name}")).collect();
        let there = names.iter().map(|name| (format!("{folder}/{}", sample::of_glob(name, "example")), String::new()));
        return Ok(vec![
            rule.draft(format!("Each folder at `{select}` MUST hold {}.", listed(&names, "and")))
                .check(rule.on_project("tree", json!({"each": format!("{select}/"), "exists": exists})))
                .project(false, vec![(format!("{folder}/other.txt"), String::new())])
                .project(true, there.collect()),
        ]);
    }
    let names = rule.options.get("allow").map(texts).unwrap_or_default();
    let mut only = names.clone();
    // alint judges the files of a folder alone.
    only.push("*/".to_owned());
    let good = names.first().map_or_else(String::new, |name| sample::of_glob(name, "example"));
    Ok(vec![
        rule.draft(format!("A folder at `{select}` MUST hold no other files than {}.", listed(&names, "and")))
            .check(rule.on_project("tree", json!({"each": format!("{select}/"), "only": only})))
            .project(false, vec![(format!("{folder}/odd one.txt").replace(' ', "-"), String::new())])
            .project(true, vec![(format!("{folder}/{good}"), String::new())]),
    ])
}

fn unique(rule: &Rule<'_>) -> Drafts {
    let select = rule.text("select")?;
    if rule.is("case_insensitive") {
        return Err("`case_insensitive`: the form `tree` compares names as they are written".to_owned());
    }
    let key = template(rule.options.get("key").and_then(Json::as_str).unwrap_or("{basename}"))?;
    let first = sample::of_glob(select, "example");
    let second = if select.contains("**/") { sample::of_glob(&select.replacen("**/", "other/", 1), "example") } else { first.clone() };
    let third = sample::of_glob(select, "different");
    Ok(vec![
        rule.draft(format!("`{key}` MUST come out once among the files at `{select}`."))
            .check(rule.on_project("tree", json!({"each": select, "unique": key})))
            .project(false, vec![(first.clone(), String::new()), (second, String::new())])
            .project(true, vec![(first, String::new()), (third, String::new())]),
    ])
}

/// Rules for each folder or file that is selected.
fn each(rule: &Rule<'_>) -> Drafts {
    let (select, not) = scope(rule.options.get("select").unwrap_or(&Json::Null));
    let mut each: Vec<String> = select
        .iter()
        .map(|glob| if rule.kind == "for_each_dir" { format!("{}/", glob.trim_end_matches('/')) } else { glob.clone() })
        .collect();
    if rule.kind == "every_matching_has" {
        // Files and folders alike.
        each = select.iter().flat_map(|glob| [glob.clone(), format!("{}/", glob.trim_end_matches('/'))]).collect();
    }
    // What `{path}` stands for: the subject, or, of one that is told by a file in it, its folder.
    let mut subject = "<path>";
    if let Some(text) = rule.options.get("when_iter").and_then(Json::as_str) {
        let name = text.trim().strip_prefix("iter.has_file(").and_then(|rest| rest.strip_suffix(')'));
        let name = name.map(|name| name.trim_matches(['"', '\''])).filter(|name| !name.contains(['*', '"', '\'']));
        let Some(name) = name.filter(|_| rule.kind == "for_each_dir") else {
            return Err(format!("its condition `{text}` is none that a page states of each subject"));
        };
        each = each.iter().map(|folder| format!("{folder}{name}")).collect();
        subject = "<dir>";
    }
    let mut tree = json!({"each": each});
    let mut demands: Vec<String> = Vec::new();
    let (mut exists, mut absent, mut good) = (Vec::new(), Vec::new(), Vec::new());
    let folder = sample::of_glob(&select[..].first().cloned().unwrap_or_default(), "example");
    for nested in rule.options.get("require").and_then(Json::as_array).into_iter().flatten() {
        let kind = nested["kind"].as_str().unwrap_or_default();
        let (paths, _) = scope(&nested["paths"]);
        let ours: Result<Vec<String>, String> = paths.iter().map(|path| template(&path.replace("{path}", subject))).collect();
        let ours = ours?;
        let there = paths.first().map(|path| sample::of_glob(&path.replace("{path}", &folder).replace("{dir}", "").replace("{stem}", "example"), "example"));
        match kind {
            "file_exists" => {
                exists.push(ours.join(" | "));
                good.extend(there.map(|path| (path, String::new())));
                demands.push(format!("MUST have {}", listed(&ours, "or")));
            }
            "dir_exists" => {
                let folders: Vec<String> = ours.iter().map(|path| format!("{path}/")).collect();
                exists.push(folders.join(" | "));
                good.extend(there.map(|path| (format!("{path}/a.txt"), String::new())));
                demands.push(format!("MUST have {}", listed(&folders, "or")));
            }
            "file_absent" => {
                demands.push(format!("NEVER has {}", listed(&ours, "or")));
                absent.extend(ours);
            }
            other => return Err(format!("`{other}` for each subject: write it as a rule of its own, with `paths` that select the files")),
        }
    }
    if demands.is_empty() {
        return Err("it requires nothing".to_owned());
    }
    if !exists.is_empty() {
        tree["exists"] = json!(exists);
    }
    if !absent.is_empty() {
        tree["absent"] = json!(absent);
    }
    let mut check = rule.on_project("tree", tree);
    if !not.is_empty() {
        check["exclude"] = json!(not.iter().flat_map(|glob| [super::anchored(glob), format!("/{}/", glob.trim_end_matches('/'))]).collect::<Vec<_>>());
    }
    let base = match (subject, rule.kind) {
        ("<dir>", _) => sample::of_glob(&each[0], "example"),
        (_, "for_each_dir") => format!("{folder}/other.txt"),
        _ => folder.clone(),
    };
    let mut draft = rule
        .draft(format!("Each of {} {}.", listed(&select, "and"), demands.join(", and ")))
        .check(check)
        .project(false, vec![(base.clone(), String::new())])
        .project(true, std::iter::once((base, String::new())).chain(good).collect());
    if subject == "<dir>" {
        draft = draft.note("what is found stands at the file that tells the folder");
    }
    Ok(vec![draft])
}

fn document(rule: &Rule<'_>) -> Drafts {
    let path = rule.sample("example");
    let path = path.as_str();
    let of = |demand: &str, form: Json, bad: &str, good: &str| {
        rule.draft(demand).check(rule.on_files("doc", form)).example(false, path, bad).example(true, path, good)
    };
    let special = ["root", "relative"].into_iter().find(|key| rule.options.get(*key).is_some_and(|value| value != "resolve"));
    if let Some(key) = special {
        return Err(format!("`{key}`: links are followed as GitHub does, from the file and from the root"));
    }
    Ok(vec![match rule.kind {
        "markdown_links_resolve" => of("A link to a file MUST lead to one that is there.", json!({"links": ["files"]}), "# A\n\n[b](gone.md)\n", "# A\n\n[a](#a)\n"),
        "markdown_fragments_resolve" => of("A link to a heading MUST name one that is there.", json!({"links": ["anchors"]}), "# A\n\n[b](#b)\n", "# A\n\n[a](#a)\n"),
        "markdown_images_have_alt" => of("An image MUST say what it shows.", json!({"links": ["images"]}), "# A\n\n![](a.png)\n", "# A\n\n![a plan](a.png)\n"),
        "markdown_paths_resolve" => {
            let folder = ("src/main.rs".to_owned(), String::new());
            rule.draft("A path in backticks MUST be there.")
                .check(rule.on_files("doc", json!({"links": ["paths"]})))
                .note("judged is what begins with a folder that is there, whatever `prefixes` says")
                .project(false, vec![folder.clone(), (path.to_owned(), "# A\n\n`src/gone.rs`\n".to_owned())])
                .project(true, vec![folder, (path.to_owned(), "# A\n\n`src/main.rs`\n".to_owned())])
        }
        _ => {
            let headings = rule.options.get("headings").map(texts).unwrap_or_default();
            let named: Vec<String> = headings.iter().filter(|one| *one != "*").cloned().collect();
            let text = |names: &[String]| names.iter().map(|name| format!("{name}\n\n")).collect::<String>();
            let last = named.len().saturating_sub(1);
            let bad = if last == 0 { "## Other\n\n".to_owned() } else { text(&named[..last]) };
            of(&format!("A document MUST have the headings {}, in this order.", listed(&named, "and")), json!({"headings": headings}), &bad, &text(&named))
                .note("headings deeper than all that are named are not judged")
        }
    }])
}

fn change(rule: &Rule<'_>) -> Drafts {
    let path = "commit/change";
    let (touches, key, wanted) = if rule.kind == "pair_changed_together" {
        (Some(rule.text("if_changed")?), "requires", rule.text("then_changed")?)
    } else {
        (rule.options.get("when_changed").and_then(Json::as_str), "added", rule.text("add_glob")?)
    };
    let mut change = json!({});
    change[key] = json!([super::anchored(wanted)]);
    let when = touches.map_or_else(String::new, |touches| format!(" that touches `{touches}`"));
    if let Some(touches) = touches {
        change["touches"] = json!([super::anchored(touches)]);
    }
    let verb = if key == "added" { "add" } else { "touch" };
    let first = sample::of_glob(touches.unwrap_or("src/a.txt"), "example");
    let second = sample::of_glob(wanted, "example");
    let mark = if key == "added" { "A " } else { "" };
    Ok(vec![
        rule.draft(format!("A change{when} MUST {verb} `{wanted}`."))
            .check(rule.on_project("commit", json!({"change": change})))
            .example(false, path, format!("{first}\n"))
            .example(true, path, format!("{first}\n{mark}{second}\n")),
    ])
}

fn commit(rule: &Rule<'_>) -> Drafts {
    let path = "commit/message";
    let of = |demand: String, mut form: Json, bad: &str, good: &str| {
        form["skip"] = if rule.is("include_merges") { json!([]) } else { json!(["merges"]) };
        rule.draft(demand).check(rule.on_project("commit", form)).example(false, path, format!("{bad}\n")).example(true, path, format!("{good}\n"))
    };
    match rule.kind {
        "git_commit_subject_matches" => {
            let given = rule.text("matches")?;
            let good = sample::of_regex(given).unwrap_or_default();
            Ok(vec![of(format!("The first line of a commit message MUST match `{given}`."), json!({"subject": {"matches": given}}), "%", &good)])
        }
        "git_commit_signed_off" => {
            let mut draft = of("A commit message MUST be signed off.".to_owned(), json!({"trailers": ["Signed-off-by"]}), "Fix it", "Fix it\n\nSigned-off-by: A Person <person@example.org>");
            if rule.options.get("pattern").is_some_and(|pattern| !pattern.is_null()) {
                draft = draft.note("that the trailer is there is asked, not how it is written");
            }
            Ok(vec![draft])
        }
        "git_commit_no_fixup" => {
            let marks = ["amend!", "fixup!", "squash!"];
            Ok(vec![of("A commit that fixes up, squashes or amends another MUST be joined with it before it is merged.".to_owned(), json!({"subject": {"matches": beginning_with_none(&marks)}}), "fixup! Fix it", "Fix it")])
        }
        _ => message(rule, &of),
    }
}

fn message(rule: &Rule<'_>, of: &dyn Fn(String, Json, &str, &str) -> Draft) -> Drafts {
    let mut drafts = Vec::new();
    if let Some(pattern) = rule.options.get("pattern").and_then(Json::as_str) {
        // alint holds it against the whole message, the form against the first line.
        let flags = pattern.starts_with("(?");
        let lines = pattern.contains(r"\n") || pattern.contains('$') || pattern.contains(r"\s");
        if !pattern.starts_with('^') || flags || lines {
            return Err(format!("`{pattern}` is held against the whole message, which no key of the form `commit` is"));
        }
        let good = sample::of_regex(pattern).unwrap_or_default();
        drafts.push(of(format!("A commit message MUST begin with what matches `{pattern}`."), json!({"subject": {"matches": pattern}}), "%", &good));
    }
    if let Some(max) = rule.options.get("subject_max_length").and_then(Json::as_u64) {
        let long = "x".repeat(usize::try_from(max.min(1000)).unwrap_or(0) + 1);
        drafts.push(of(format!("The first line of a commit message MUST have at most {max} characters."), json!({"subject": {"max": max}}), &long, "x").note("the number of a pull request at the end, ` (#12)`, is not counted"));
    }
    if rule.is("requires_body") {
        drafts.push(of("A commit message MUST have a body.".to_owned(), json!({"body": {"required-for": ["*"]}}), "Fix it", "Fix it\n\nWhy."));
    }
    if drafts.is_empty() { Err("it requires nothing".to_owned()) } else { Ok(drafts) }
}

/// An expression for texts that begin with none of `words`: there is no look-ahead in a linear
/// engine, so all that differs at some letter is spelled out.
pub(super) fn beginning_with_none(words: &[&str]) -> String {
    let mut prefixes: Vec<String> = vec![String::new()];
    for word in words {
        for (at, _) in word.char_indices().skip(1) {
            let prefix = word[..at].to_owned();
            if !prefixes.contains(&prefix) {
                prefixes.push(prefix);
            }
        }
    }
    let mut parts = Vec::new();
    for prefix in &prefixes {
        let next: String = words
            .iter()
            .filter_map(|word| word.strip_prefix(prefix.as_str())?.chars().next())
            .map(|c| regex::escape(&c.to_string()))
            .collect();
        parts.push(format!("{}(?:[^{next}]|$)", regex::escape(prefix)));
    }
    format!("^(?:{})", parts.join("|"))
}

/// References between files: by imports as they are resolved, or by links.
fn graph(rule: &Rule<'_>) -> Drafts {
    let nodes = rule.text("nodes")?;
    let require = rule.options.get("require").cloned().unwrap_or_default();
    if rule.options.get("edges").and_then(|edges| edges.get("from_content")).is_none() {
        return Err("files made of others are judged by the program that makes them".to_owned());
    }
    let note = "imports are read and resolved by the language of the file, not by the expression of the rule";
    let code = ["js", "jsx", "ts", "tsx", "mjs", "cjs", "mts", "cts", "py", "rs", "go", "java"];
    let is_code = code.iter().any(|ending| nodes.ends_with(&format!(".{ending}"))) || nodes.ends_with('}');
    let markdown = nodes.ends_with(".md");
    if require == "no_dangling" && markdown {
        let mut check = rule.on_project("doc", json!({"links": ["files"]}));
        check["files"] = json!([super::anchored(nodes)]);
        let path = sample::of_glob(nodes, "example");
        return Ok(vec![
            rule.draft("A link to a file MUST lead to one that is there.").check(check).example(false, &path, "# A\n\n[b](gone.md)\n").example(true, &path, "# A\n\nText.\n"),
        ]);
    }
    if !is_code {
        return Err(format!("no imports are read in `{nodes}`"));
    }
    if require == "acyclic" {
        return Ok(vec![
            rule.draft(format!("Files at `{nodes}` NEVER import themselves by way of others."))
                .check(rule.on_project("layers", json!({"acyclic": nodes})))
                .note(note),
        ]);
    }
    let edges = require["forbidden_edges"].as_array().cloned().unwrap_or_default();
    if edges.is_empty() {
        return Err("what no file refers to is not told".to_owned());
    }
    let forbid: Vec<Json> = edges.iter().map(|edge| json!({"from": edge["from"], "to": edge["to"]})).collect();
    let said: Vec<String> = edges
        .iter()
        .map(|edge| format!("`{}` NEVER imports `{}`", edge["from"].as_str().unwrap_or_default(), edge["to"].as_str().unwrap_or_default()))
        .collect();
    Ok(vec![
        rule.draft(format!("{}.", said.join(", and "))).check(rule.on_project("layers", json!({"forbid": forbid}))).note(note),
    ])
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn texts_that_begin_with_none_of_the_words() {
        let regex = regex::Regex::new(&beginning_with_none(&["amend!", "fixup!", "squash!"])).expect("valid");
        for well in ["Fix it", "fix it", "fixup", "amend it", "", "squash", "a!"] {
            assert!(regex.is_match(well), "{well}");
        }
        for odd in ["fixup! a", "amend!", "squash! b"] {
            assert!(!regex.is_match(odd), "{odd}");
        }
    }

    #[test]
    fn an_ending_is_taken_off_where_all_files_have_it() {
        assert_eq!(without_ending(r"^[a-z]+\.md$", &["docs/*.md".to_owned()]), Ok("^[a-z]+".to_owned()));
        assert!(without_ending(r"^[a-z]+\.md$", &["docs/*".to_owned()]).is_err());
        assert!(without_ending("^[a-z.]+$", &["docs/*.md".to_owned()]).is_err());
    }
}
