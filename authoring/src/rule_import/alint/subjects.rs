//! Kinds that ask something of each file, folder or line they select.

use super::super::draft::Draft;
use super::super::steps::{beside, template};
use super::super::{listed, sample};
use super::conditions::{self, Asked};
use super::{Drafts, Rule, anchored, kind_of, scope, texts};
use serde_json::{Map, Value as Json, json};

/// Lines that are selected match further expressions.
pub(super) fn lines(rule: &Rule<'_>) -> Drafts {
    let select = rule.text("select")?;
    let require = rule.options.get("require").unwrap_or(&Json::Null);
    if require.get("forbid").is_some() || require.get("equal").is_some() {
        return Err("`forbid` and `equal` of a selected line: an expression cannot say both that a line is selected and what it must not hold".to_owned());
    }
    let path = rule.sample("example");
    let inner = select.trim_start_matches('^').trim_end_matches('$');
    let head = if select.starts_with('^') { "^" } else { "^.*?" };
    let tail = if select.ends_with('$') { "$" } else { ".*$" };
    let regex = format!("{head}(?:{inner}){tail}");
    let one = |wanted: String| {
        let demand =
            format!("A line that matches `{select}` in {} MUST match `{wanted}`.", rule.said());
        let draft = rule
            .draft(demand)
            .check(rule.check("text", json!({"regex": regex, "unless": [wanted]})));
        match sample::of_regex(select) {
            Some(bad) => draft.example(false, &path, format!("{bad}\n")).example(
                true,
                &path,
                "Nothing of the kind.\n",
            ),
            None => draft,
        }
    };
    let wanted = require.get("matches").map(texts).unwrap_or_default();
    Ok(wanted.into_iter().map(one).collect())
}

/// What a rule for each file or folder comes to.
#[derive(Default)]
struct Asks {
    demands: Vec<String>,
    exists: Vec<String>,
    absent: Vec<String>,
    /// Files that make the demands hold.
    good: Vec<(String, String)>,
    /// Pages on the files in what is selected, and what is not carried over.
    others: Vec<Draft>,
    lost: Vec<String>,
}

/// Rules for each folder or file that is selected.
pub(super) fn each(rule: &Rule<'_>) -> Drafts {
    let (select, mut not) = scope(rule.options.get("select").unwrap_or(&Json::Null));
    let folder = |glob: &String| format!("{}/", glob.trim_end_matches('/'));
    let mut each: Vec<String> = match rule.kind {
        "for_each_dir" => select.iter().map(folder).collect(),
        // Files and folders alike.
        "every_matching_has" => {
            select.iter().flat_map(|glob| [glob.clone(), folder(glob)]).collect()
        }
        _ => select.clone(),
    };
    // What `{path}` stands for: the subject, or, of one that is told by a file in it, its folder.
    let mut subject = "<path>";
    let mut told_by = None;
    if let Some(text) = rule.options.get("when_iter").and_then(Json::as_str) {
        let found =
            iterated(text).filter(|(file, _)| file.is_none() || rule.kind == "for_each_dir");
        let (file, without) = found.ok_or_else(|| {
            let text = text.split_whitespace().collect::<Vec<_>>().join(" ");
            format!("its condition `{text}` is none that a page states of each subject")
        })?;
        not.extend(without);
        if let Some(name) = &file {
            each = each.iter().map(|folder| format!("{folder}{name}")).collect();
            subject = "<dir>";
        }
        told_by = file;
    }
    let first = sample::of_glob(select.first().map_or("", String::as_str), "example");
    let mut asks = Asks::default();
    let require = rule.options.get("require").and_then(Json::as_array);
    for nested in require.into_iter().flatten() {
        let kind = nested["kind"].as_str().unwrap_or_default();
        let (paths, _) = scope(&nested["paths"]);
        let ours = paths.iter().map(|path| template(&path.replace("{path}", subject)));
        let ours = ours.collect::<Result<Vec<String>, String>>()?;
        let said: Vec<String> = paths.iter().map(|path| path.replace("{path}/", "")).collect();
        let said = listed(&said, "or");
        let there = paths.first().map(|path| beside(path, &first));
        match kind {
            "file_exists" | "dir_exists" => {
                let (end, file) = if kind == "dir_exists" { ("/", "/a.txt") } else { ("", "") };
                let ours: Vec<String> = ours.iter().map(|path| format!("{path}{end}")).collect();
                asks.exists.push(ours.join(" | "));
                let there = there.map(|path| (format!("{path}{file}"), "Text.\n".to_owned()));
                asks.good.extend(there);
                asks.demands.push(format!("MUST have {said}"));
            }
            "file_absent" => {
                asks.demands.push(format!("NEVER has {said}"));
                asks.absent.extend(ours);
            }
            _ => {
                let Some(nested) = nested.as_object() else { continue };
                match of_files(rule, nested, &select, &not, told_by.as_deref()) {
                    Ok(drafts) => asks.others.extend(drafts),
                    Err(why) => asks.lost.push(format!("its `{kind}` is not carried over: {why}")),
                }
            }
        }
    }
    if asks.demands.is_empty() {
        match asks.others.first_mut() {
            Some(first) => first.notes.extend(asks.lost),
            None => return asks.lost.into_iter().next().map_or(Ok(Vec::new()), Err),
        }
        return Ok(asks.others);
    }
    let mut tree = json!({"each": each});
    for (key, paths) in [("exists", asks.exists), ("absent", asks.absent)] {
        if !paths.is_empty() {
            tree[key] = json!(paths);
        }
    }
    let mut check = rule.check("tree", tree);
    if !not.is_empty() {
        let both = |glob: &String| [anchored(glob), format!("/{}/", glob.trim_end_matches('/'))];
        check["exclude"] = not.iter().flat_map(both).collect();
    }
    let base = match (subject, rule.kind) {
        ("<dir>", _) => sample::of_glob(each.first().map_or("", String::as_str), "example"),
        (_, "for_each_dir") => format!("{first}/other.txt"),
        _ => first,
    };
    let base = (base, "Text.\n".to_owned());
    let demand = format!("Each of {} {}.", listed(&select, "and"), asks.demands.join(", and "));
    let mut draft = rule
        .draft(demand)
        .check(check)
        .project(false, vec![base.clone()])
        .project(true, std::iter::once(base).chain(asks.good).collect());
    if subject == "<dir>" {
        draft = draft.note("what is found stands at the file that tells the folder");
    }
    draft.notes.extend(asks.lost);
    Ok(std::iter::once(draft).chain(asks.others).collect())
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
    let (kind, table) = match kind_of(given) {
        Some((kind, table)) if table.ours.is_none() => (kind, table),
        _ => return Err(format!("no page is made of `{given}` for each subject")),
    };
    if let Some(why) = &table.left {
        return Err(why.clone());
    }
    let within = |path: &String| -> Result<Vec<String>, String> {
        let rest = path.strip_prefix("{path}").filter(|rest| !rest.contains('{'));
        let rest = rest.ok_or_else(|| format!("`{path}` is no path in what is selected"))?;
        Ok(select.iter().map(|glob| format!("{}{rest}", glob.trim_end_matches('/'))).collect())
    };
    let within_all = |paths: &[String]| -> Result<Vec<String>, String> {
        Ok(paths.iter().map(within).collect::<Result<Vec<_>, _>>()?.concat())
    };
    let (paths, without) = scope(nested.get("paths").unwrap_or(&Json::Null));
    let include = within_all(&paths)?;
    let folders = not.iter().map(|glob| glob.trim_end_matches('/'));
    let folders = folders.flat_map(|glob| [glob.to_owned(), format!("{glob}/**")]);
    let exclude: Vec<String> = rule.exclude.iter().cloned().chain(without).chain(folders).collect();
    // What is selected in a subject is selected where those are.
    let mut all = vec![nested.clone()];
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
        let with = |glob: String| {
            let mut options = nested.clone();
            options.insert("select".to_owned(), glob.into());
            options
        };
        all = within_all(&inner)?.into_iter().map(with).collect();
    }
    let mut drafts = Vec::new();
    for options in &all {
        let (include, exclude) = (include.clone(), exclude.clone());
        let when = rule.when.clone();
        let inner = Rule { kind, options, include, exclude, when, notes: Vec::new(), ..*rule };
        drafts.extend(inner.drafts()?);
    }
    if told_by.is_some() {
        let note = "folders without the file that its condition names are judged, too";
        drafts.iter_mut().for_each(|draft| draft.notes.push(note.to_owned()));
    }
    Ok(drafts)
}
