//! Kinds that ask something of each file or folder they select.

use super::super::draft::Draft;
use super::super::{listed, sample};
use super::conditions::{self, Asked};
use super::{Rule, scope, texts};
use serde_json::{Map, Value as Json, json};

type Drafts = Result<Vec<Draft>, String>;

/// The drafts of a rule on what is selected; `None` for other kinds.
pub(super) fn drafts(rule: &Rule<'_>) -> Option<Drafts> {
    Some(match rule.kind {
        "pair" => pair(rule),
        "dir_contains" | "dir_only_contains" => contains(rule),
        "unique_by" => unique(rule),
        "for_each_dir" | "for_each_file" | "every_matching_has" => each(rule),
        _ => return None,
    })
}

/// A template of alint as one of ours.
fn template(text: &str) -> Result<String, String> {
    let known = [
        ("{dir}", "<dir>"),
        ("{stem}", "<stem>"),
        ("{ext}", "<ext>"),
        ("{basename}", "<name>"),
        ("{path}", "<path>"),
    ];
    let filled =
        known.iter().fold(text.to_owned(), |text, (theirs, ours)| text.replace(theirs, ours));
    if filled.contains("{parent_name}") || filled.contains("{{") {
        return Err(format!("`{text}` has a place that a path of ours cannot fill in"));
    }
    Ok(filled)
}

fn pair(rule: &Rule<'_>) -> Drafts {
    let primary = rule.text("primary")?;
    let partner = template(rule.text("partner")?)?;
    let path = sample::of_glob(primary, "example");
    let other = there(rule.text("partner")?, &path);
    Ok(vec![
        rule.draft(format!("Each file at `{primary}` MUST have a `{partner}`."))
            .check(rule.on_project("tree", json!({"each": primary, "exists": partner})))
            .project(false, vec![(path.clone(), "Text.\n".to_owned())])
            .project(
                true,
                vec![(path.clone(), "Text.\n".to_owned()), (other, "Text.\n".to_owned())],
            ),
    ])
}

fn contains(rule: &Rule<'_>) -> Drafts {
    let select = rule.text("select")?.trim_end_matches('/');
    let folder = sample::of_glob(select, "example");
    let is_root = matches!(select, "." | "");
    if is_root && rule.kind == "dir_contains" {
        let names = rule.options.get("require").map(texts).unwrap_or_default();
        let there =
            names.iter().map(|name| (sample::of_glob(name, "example"), "Text.\n".to_owned()));
        return Ok(vec![
            rule.draft(format!("The project MUST hold {} in its root.", listed(&names, "and")))
                .check(rule.on_project("tree", json!({"exists": names})))
                .project(false, vec![("other.txt".to_owned(), "Text.\n".to_owned())])
                .project(true, there.collect()),
        ]);
    }
    if is_root {
        return Err("`only` of the form `tree` speaks of folders below the root".to_owned());
    }
    if rule.kind == "dir_contains" {
        let names = rule.options.get("require").map(texts).unwrap_or_default();
        let exists: Vec<String> = names.iter().map(|name| format!("<path>/{name}")).collect();
        let there = names.iter().map(|name| {
            (format!("{folder}/{}", sample::of_glob(name, "example")), "Text.\n".to_owned())
        });
        return Ok(vec![
            rule.draft(format!("Each folder at `{select}` MUST hold {}.", listed(&names, "and")))
                .check(
                    rule.on_project(
                        "tree",
                        json!({"each": format!("{select}/"), "exists": exists}),
                    ),
                )
                .project(false, vec![(format!("{folder}/other.txt"), "Text.\n".to_owned())])
                .project(true, there.collect()),
        ]);
    }
    let names = rule.options.get("allow").map(texts).unwrap_or_default();
    let mut only = names.clone();
    // alint judges the files of a folder alone.
    only.push("*/".to_owned());
    let good = names.first().map_or_else(String::new, |name| sample::of_glob(name, "example"));
    Ok(vec![
        rule.draft(format!(
            "A folder at `{select}` MUST hold no other files than {}.",
            listed(&names, "and")
        ))
        .check(rule.on_project("tree", json!({"each": format!("{select}/"), "only": only})))
        .project(
            false,
            vec![(format!("{folder}/odd one.txt").replace(' ', "-"), "Text.\n".to_owned())],
        )
        .project(true, vec![(format!("{folder}/{good}"), "Text.\n".to_owned())]),
    ])
}

fn unique(rule: &Rule<'_>) -> Drafts {
    let select = rule.text("select")?;
    if rule.is("case_insensitive") {
        return Err(
            "`case_insensitive`: the form `tree` compares names as they are written".to_owned()
        );
    }
    let key = template(rule.options.get("key").and_then(Json::as_str).unwrap_or("{basename}"))?;
    let first = sample::of_glob(select, "example");
    let second = if select.contains("**/") {
        sample::of_glob(&select.replacen("**/", "other/", 1), "example")
    } else {
        first.clone()
    };
    let third = sample::of_glob(select, "different");
    Ok(vec![
        rule.draft(format!("`{key}` MUST come out once among the files at `{select}`."))
            .check(rule.on_project("tree", json!({"each": select, "unique": key})))
            .project(
                false,
                vec![(first.clone(), "Text.\n".to_owned()), (second, "Text.\n".to_owned())],
            )
            .project(true, vec![(first, "Text.\n".to_owned()), (third, "Text.\n".to_owned())]),
    ])
}

/// Rules for each folder or file that is selected.
fn each(rule: &Rule<'_>) -> Drafts {
    let (select, not) = scope(rule.options.get("select").unwrap_or(&Json::Null));
    let mut each: Vec<String> = select
        .iter()
        .map(|glob| {
            if rule.kind == "for_each_dir" {
                format!("{}/", glob.trim_end_matches('/'))
            } else {
                glob.clone()
            }
        })
        .collect();
    if rule.kind == "every_matching_has" {
        // Files and folders alike.
        each = select
            .iter()
            .flat_map(|glob| [glob.clone(), format!("{}/", glob.trim_end_matches('/'))])
            .collect();
    }
    // What `{path}` stands for: the subject, or, of one that is told by a file in it, its folder.
    let mut subject = "<path>";
    let mut left_out: Vec<String> = Vec::new();
    let mut told_by = None;
    if let Some(text) = rule.options.get("when_iter").and_then(Json::as_str) {
        let (file, without) = iterated(text)
            .filter(|(file, _)| file.is_none() || rule.kind == "for_each_dir")
            .ok_or_else(|| {
                format!(
                    "its condition `{}` is none that a page states of each subject",
                    text.split_whitespace().collect::<Vec<_>>().join(" ")
                )
            })?;
        left_out = without;
        if let Some(name) = &file {
            each = each.iter().map(|folder| format!("{folder}{name}")).collect();
            subject = "<dir>";
        }
        told_by = file;
    }
    let mut tree = json!({"each": each});
    let mut demands: Vec<String> = Vec::new();
    let (mut exists, mut absent, mut good) = (Vec::new(), Vec::new(), Vec::new());
    let (mut others, mut lost): (Vec<Draft>, Vec<String>) = (Vec::new(), Vec::new());
    let folder = sample::of_glob(&select[..].first().cloned().unwrap_or_default(), "example");
    for nested in rule.options.get("require").and_then(Json::as_array).into_iter().flatten() {
        let kind = nested["kind"].as_str().unwrap_or_default();
        let (paths, _) = scope(&nested["paths"]);
        let ours: Result<Vec<String>, String> =
            paths.iter().map(|path| template(&path.replace("{path}", subject))).collect();
        let ours = ours?;
        let said: Vec<String> = paths.iter().map(|path| path.replace("{path}/", "")).collect();
        let there = paths.first().map(|path| there(path, &folder));
        match kind {
            "file_exists" => {
                exists.push(ours.join(" | "));
                good.extend(there.map(|path| (path, "Text.\n".to_owned())));
                demands.push(format!("MUST have {}", listed(&said, "or")));
            }
            "dir_exists" => {
                let folders: Vec<String> = ours.iter().map(|path| format!("{path}/")).collect();
                exists.push(folders.join(" | "));
                good.extend(there.map(|path| (format!("{path}/a.txt"), "Text.\n".to_owned())));
                demands.push(format!("MUST have {}", listed(&said, "or")));
            }
            "file_absent" => {
                demands.push(format!("NEVER has {}", listed(&said, "or")));
                absent.extend(ours);
            }
            _ => {
                let Some(nested) = nested.as_object() else { continue };
                let not: Vec<String> = not.iter().chain(&left_out).cloned().collect();
                match of_files(rule, nested, &select, &not, told_by.as_deref()) {
                    Ok(drafts) => others.extend(drafts),
                    Err(why) => lost.push(format!("its `{kind}` is not carried over: {why}")),
                }
            }
        }
    }
    if demands.is_empty() && others.is_empty() {
        return Err(lost.into_iter().next().unwrap_or_else(|| "it requires nothing".to_owned()));
    }
    if demands.is_empty() {
        others[0].notes.extend(lost);
        return Ok(others);
    }
    if !exists.is_empty() {
        tree["exists"] = json!(exists);
    }
    if !absent.is_empty() {
        tree["absent"] = json!(absent);
    }
    let mut check = rule.on_project("tree", tree);
    if !not.is_empty() || !left_out.is_empty() {
        check["exclude"] = json!(
            not.iter()
                .chain(&left_out)
                .flat_map(|glob| [
                    super::anchored(glob),
                    format!("/{}/", glob.trim_end_matches('/'))
                ])
                .collect::<Vec<_>>()
        );
    }
    let base = match (subject, rule.kind) {
        ("<dir>", _) => sample::of_glob(&each[0], "example"),
        (_, "for_each_dir") => format!("{folder}/other.txt"),
        _ => folder.clone(),
    };
    let mut draft = rule
        .draft(format!("Each of {} {}.", listed(&select, "and"), demands.join(", and ")))
        .check(check)
        .project(false, vec![(base.clone(), "Text.\n".to_owned())])
        .project(true, std::iter::once((base, "Text.\n".to_owned())).chain(good).collect());
    if subject == "<dir>" {
        draft = draft.note("what is found stands at the file that tells the folder");
    }
    draft.notes.extend(lost);
    Ok(std::iter::once(draft).chain(others).collect())
}

/// The file that a condition on each subject asks for in it, and the globs of what it leaves out;
/// `None` when it asks for something else.
fn iterated(text: &str) -> Option<(Option<String>, Vec<String>)> {
    let [way] = &conditions::ways(text)?[..] else { return None };
    let (mut file, mut without) = (None, Vec::new());
    for (holds, Asked { name, given, equals }) in way {
        match (*holds, name.as_str(), given, equals) {
            (true, "iter.has_file", Some(name), None) if !name.contains('*') && file.is_none() => {
                file = Some(name.clone());
            }
            (false, "iter.path", None, Some(path)) => without.push(path.clone()),
            (false, "iter.basename", None, Some(name)) => without.push(format!("**/{name}")),
            _ => return None,
        }
    }
    Some((file, without))
}

/// A rule on files that lie in what is selected, as one on the paths they have; `told_by`: only
/// folders that hold a file of this name are meant.
fn of_files(
    rule: &Rule<'_>,
    nested: &Map<String, Json>,
    select: &[String],
    not: &[String],
    told_by: Option<&str>,
) -> Drafts {
    let given = nested.get("kind").and_then(Json::as_str).unwrap_or_default();
    let kind =
        super::ALIASES.iter().find(|(other, _)| *other == given).map_or(given, |(_, kind)| kind);
    let known = super::KINDS.iter().find(|(known, _)| *known == kind);
    match known {
        Some((_, super::Way::Form(_))) => {}
        Some((_, super::Way::Left(why))) => return Err((*why).to_owned()),
        _ => return Err(format!("no page is made of `{given}` for each subject")),
    }
    let (paths, without) = scope(nested.get("paths").unwrap_or(&Json::Null));
    let within = |path: &String| -> Result<Vec<String>, String> {
        let rest = path.strip_prefix("{path}").filter(|rest| !rest.contains('{'));
        let rest = rest.ok_or_else(|| format!("`{path}` is no path in what is selected"))?;
        Ok(select.iter().map(|glob| format!("{}{rest}", glob.trim_end_matches('/'))).collect())
    };
    let include: Result<Vec<Vec<String>>, String> = paths.iter().map(within).collect();
    let mut exclude = rule.exclude.clone();
    exclude.extend(without);
    exclude.extend(not.iter().flat_map(|glob| {
        let glob = glob.trim_end_matches('/');
        [glob.to_owned(), format!("{glob}/**")]
    }));
    // What is selected in a subject is selected where those are.
    let mut all = Vec::new();
    if let Some(selected) = nested.get("select") {
        if let Some(name) = told_by {
            return Err(format!(
                "of folders that hold `{name}` alone the form `tree` cannot ask it"
            ));
        }
        let (inner, out) = scope(selected);
        if !out.is_empty() {
            return Err("its `select` leaves something out again".to_owned());
        }
        for glob in inner.iter().map(within).collect::<Result<Vec<_>, String>>()?.concat() {
            let mut options = nested.clone();
            options.insert("select".to_owned(), json!(glob));
            all.push(options);
        }
    } else {
        all.push(nested.clone());
    }
    let include = include?.concat();
    let mut drafts = Vec::new();
    for options in &all {
        let inner = Rule {
            file: rule.file,
            id: rule.id,
            kind,
            options,
            include: include.clone(),
            exclude: exclude.clone(),
            when: rule.when.clone(),
            notes: Vec::new(),
        };
        drafts.extend(inner.drafts()?);
    }
    if told_by.is_some() {
        let note = "folders without the file that its condition names are judged, too";
        drafts.iter_mut().for_each(|draft| draft.notes.push(note.to_owned()));
    }
    Ok(drafts)
}

/// The path that a nested rule asks for of `subject`.
fn there(path: &str, subject: &str) -> String {
    let (dir, name) = subject.rsplit_once('/').unwrap_or(("", subject));
    let (stem, ending) = name.rsplit_once('.').unwrap_or((name, ""));
    let known = [
        ("{path}", subject),
        ("{dir}", dir),
        ("{stem}", stem),
        ("{ext}", ending),
        ("{basename}", name),
    ];
    let path =
        known.iter().fold(path.to_owned(), |path, (place, value)| path.replace(place, value));
    sample::of_glob(path.trim_start_matches('/'), "example")
}
