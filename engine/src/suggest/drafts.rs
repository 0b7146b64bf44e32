//! What the shapes of sentences make: the header of a check each.

use super::shapes::{Caught, Made};
use super::{Draft, Ground, Trust};
use crate::patterns::syntax::language_of;
use serde_json::{Value, json};
use std::collections::BTreeSet;
use std::fmt::Write as _;

/// The page of a draft: the sentence is its text, so that what guides and what is enforced are one.
#[must_use]
pub fn page(draft: &Draft, severity: &str, sentence: &str) -> String {
    let check = serde_saphyr::to_string(&json!({"check": draft.check})).unwrap_or_default();
    let message = Value::from(draft.message.as_str());
    let mut page = format!(
        "---\nseverity: {severity}\nmessage: {message}\n{}\n---\n# {}\n\n{sentence}\n",
        check.trim_end(),
        draft.id
    );
    if let Some((path, line)) = &draft.fails {
        let language = path.rsplit('.').next().unwrap_or_default();
        let _ = write!(page, "\n## Fails\n\n```{language} path={path}\n{line}\n```\n");
    }
    page
}

fn draft(name: &str, check: Value, message: impl Into<String>, trust: Trust) -> Option<Made> {
    let kebab: Vec<String> = name
        .split(|c: char| !c.is_ascii_alphanumeric())
        .filter(|part| !part.is_empty())
        .map(str::to_ascii_lowercase)
        .collect();
    let id = format!("project/{}", kebab.join("-"));
    Some(Made::Draft(Draft { id, check, message: message.into(), trust, fails: None }))
}

pub(super) fn conventional(_: &Caught<'_>, _: &Ground<'_>) -> Option<Made> {
    let check = json!({"commit": {"conventional": {}, "title": true}});
    draft("conventional-commits", check, "the message is no Conventional Commit", Trust::High)
}

pub(super) fn subject_start(caught: &Caught<'_>, _: &Ground<'_>) -> Option<Made> {
    let start = caught.code("start")?;
    let check = json!({"commit": {"subject": {"matches": format!("^{}", regex::escape(start))}}});
    draft(
        "commit-subject",
        check,
        format!("the subject does not start with `{start}`"),
        Trust::High,
    )
}

pub(super) fn subject_length(caught: &Caught<'_>, _: &Ground<'_>) -> Option<Made> {
    let max: u64 = caught.words("max")?.parse().ok()?;
    let check = json!({"commit": {"subject": {"max": max}}});
    draft(
        "commit-subject-length",
        check,
        format!("the subject has more than {max} characters"),
        Trust::High,
    )
}

pub(super) fn untracked(caught: &Caught<'_>, _: &Ground<'_>) -> Option<Made> {
    let paths: Vec<String> = caught.codes_from("first").into_iter().filter_map(as_path).collect();
    let name = paths.first()?.clone();
    let check = json!({"tree": {"absent": paths, "tracked": true}});
    draft(&format!("no-{name}"), check, "`<path>` is committed", Trust::High)
}

/// A path or a glob; of a folder all that is in it.
fn as_path(code: &str) -> Option<String> {
    let is_path = !code.is_empty()
        && !code.contains(char::is_whitespace)
        && (code.contains(['/', '.', '*'])
            || code.chars().all(|c| c.is_ascii_alphanumeric() || "-_".contains(c)));
    let path = code.trim_start_matches("./");
    is_path.then(|| match path.strip_suffix('/') {
        Some(folder) if folder.contains('/') => format!("{folder}/**"),
        Some(folder) => format!("**/{folder}/**"),
        None if path.contains('/') => path.to_owned(),
        None => format!("**/{path}"),
    })
}

pub(super) fn forbidden_import(caught: &Caught<'_>, ground: &Ground<'_>) -> Option<Made> {
    let (from, to) = (caught.code("from")?, caught.code("to")?);
    let source = layer(from, ground)?;
    let target = layer(to, ground).or_else(|| package(to, ground))?;
    let check = json!({"layers": {"forbid": [{"from": source, "to": target}]}});
    let message = format!("`{from}` must not import `{to}`");
    draft(&format!("no-{to}-in-{from}"), check, message, Trust::High)
}

/// The glob of a part of the code that there is.
fn layer(code: &str, ground: &Ground<'_>) -> Option<String> {
    let name = code.trim_start_matches("./").trim_end_matches("/**").trim_end_matches(['/', '*']);
    let inner = format!("/{name}/");
    let at_root = format!("{name}/");
    if ground.paths.iter().any(|path| path.starts_with(&at_root)) {
        Some(format!("{name}/**"))
    } else if !name.is_empty() && ground.paths.iter().any(|path| path.contains(&inner)) {
        Some(format!("**/{name}/**"))
    } else {
        None
    }
}

/// A package, by the manifests that there are.
fn package(code: &str, ground: &Ground<'_>) -> Option<String> {
    const MANIFESTS: [(&str, &str); 4] = [
        ("package.json", "npm"),
        ("Cargo.toml", "crate"),
        ("pyproject.toml", "py"),
        ("go.mod", "go"),
    ];
    let is_name = !code.is_empty() && !code.contains(char::is_whitespace) && !code.ends_with('/');
    let (_, kind) = MANIFESTS.iter().find(|(name, _)| {
        ground.paths.iter().any(|path| path == name || path.ends_with(&format!("/{name}")))
    })?;
    is_name.then(|| format!("{kind}:{code}"))
}

pub(super) fn companion(caught: &Caught<'_>, _: &Ground<'_>) -> Option<Made> {
    let (each, has) = (caught.code("each")?, caught.code("has")?);
    let folder = each.trim_start_matches("./").trim_end_matches('/');
    // Only folders told by one star: `packages/*`.
    let (above, rest) = folder.split_once('*')?;
    if !rest.is_empty() || !above.ends_with('/') || has.contains(char::is_whitespace) {
        return None;
    }
    let check = json!({"tree": {
        "each": format!("{above}<folder>/"), "exists": [format!("{above}<folder>/{has}")],
    }});
    draft(
        &format!("{has}-in-each-{above}"),
        check,
        format!("`{above}<folder>` has no `{has}`"),
        Trust::High,
    )
}

pub(super) fn together(caught: &Caught<'_>, ground: &Ground<'_>) -> Option<Made> {
    let (touches, requires) = (caught.code("touches")?, caught.code("requires")?);
    let glob = |code: &str| layer(code, ground).or_else(|| as_path(code));
    let check =
        json!({"commit": {"change": {"touches": glob(touches)?, "requires": glob(requires)?}}});
    let message = format!("`{touches}` changed, and `{requires}` did not");
    draft(&format!("{requires}-with-{touches}"), check, message, Trust::High)
}

pub(super) fn file_names(caught: &Caught<'_>, _: &Ground<'_>) -> Option<Made> {
    const CASES: [(&str, &str); 4] = [
        ("kebab-case", "kebab"),
        ("snake_case", "snake"),
        ("camelcase", "camel"),
        ("pascalcase", "pascal"),
    ];
    let words = caught.sentence.text().to_lowercase();
    let (said, case) = CASES.iter().find(|(word, _)| words.contains(word))?;
    // Types, functions and keys have cases too.
    const OTHERS: [&str; 8] =
        ["function", "variable", "class", "type ", "types ", "constant", "column", "endpoint"];
    if OTHERS.iter().any(|other| words.contains(other)) {
        return None;
    }
    let glob = caught.sentence.code.iter().find(|code| code.contains(['*', '/']))?;
    let each = glob.trim_start_matches("./").to_owned();
    let check = json!({"tree": {"each": each, "name": [case]}});
    draft(&format!("{said}-names"), check, format!("`<name>` is not in {said}"), Trust::High)
}

pub(super) fn limit(caught: &Caught<'_>, ground: &Ground<'_>) -> Option<Made> {
    let max: u64 = caught.words("max")?.replace([',', '_'], "").parse().ok()?;
    let unit = caught.words("unit")?.to_lowercase();
    let words = caught.sentence.shape.to_lowercase();
    // A limit of functions, commits or messages is none of files.
    if ["function", "method", "commit", "message", "summary", "class", "pull request"]
        .iter()
        .any(|other| words.contains(other))
    {
        return None;
    }
    let named = caught.sentence.code.iter().find(|code| code.contains(['*', '/', '.']));
    let glob = match named {
        Some(code) => as_path(code)?,
        None if words.contains("file") => code_glob(ground)?,
        None => return None,
    };
    let check = match unit.as_str() {
        "tokens" => json!({"files": [glob], "doc": {"tokens": {"max": max}}}),
        unit => json!({"tree": {"each": glob, unit: {"max": max}}}),
    };
    draft(
        &format!("at-most-{max}-{unit}"),
        check,
        format!("`<path>` has more than {max} {unit}"),
        Trust::High,
    )
}

/// The files of code that there are, as a glob.
fn code_glob(ground: &Ground<'_>) -> Option<String> {
    let endings: BTreeSet<&str> = ground
        .paths
        .iter()
        .filter(|path| {
            language_of(path)
                .is_some_and(|(name, _)| !["json", "yaml", "html", "css"].contains(&name))
        })
        .filter_map(|path| path.rsplit_once('.').map(|(_, ending)| ending))
        .collect();
    let endings: Vec<&str> = endings.into_iter().take(12).collect();
    match endings.as_slice() {
        [] => None,
        [one] => Some(format!("**/*.{one}")),
        many => Some(format!("**/*.{{{}}}", many.join(","))),
    }
}

pub(super) fn sections(caught: &Caught<'_>, _: &Ground<'_>) -> Option<Made> {
    let codes = caught.codes_from("first");
    let is_file = |code: &&str| code.ends_with(".md") || code.contains('/');
    let file = caught.sentence.code.iter().map(String::as_str).find(is_file)?;
    let named: Vec<&str> = codes.into_iter().filter(|code| !is_file(code)).collect();
    if named.is_empty() {
        return None;
    }
    let mut headings = vec!["*".to_owned()];
    for name in named {
        let heading = if name.starts_with('#') { name.to_owned() } else { format!("## {name}") };
        headings.extend([heading, "*".to_owned()]);
    }
    let check = json!({"files": [as_path(file)?], "doc": {"headings": headings}});
    draft(&format!("sections-of-{file}"), check, "a section is missing", Trust::High)
}

pub(super) fn setting(caught: &Caught<'_>, _: &Ground<'_>) -> Option<Made> {
    let (key, file) = (caught.code("key")?, caught.code("file")?);
    let is_key = key.split('.').all(|part| {
        !part.is_empty() && part.chars().all(|c| c.is_alphanumeric() || "-_@/".contains(c))
    });
    if !is_key || !file.contains('.') {
        return None;
    }
    let at = key.split('.').fold("$".to_owned(), |at, part| {
        if part.chars().all(|c| c.is_alphanumeric() || c == '_') {
            format!("{at}.{part}")
        } else {
            format!("{at}['{part}']")
        }
    });
    let mut test = json!({"at": at, "present": true});
    let mut message = format!("`{key}` is not set");
    if let Some(value) = caught.code("value") {
        let typed = serde_json::from_str(value).unwrap_or_else(|_| Value::from(value));
        test["equals"] = typed;
        message = format!("`{key}` is not `{value}`");
    }
    draft(
        &format!("{key}-in-{file}"),
        json!({"files": [as_path(file)?], "data": test}),
        message,
        Trust::Medium,
    )
}

pub(super) fn instead(caught: &Caught<'_>, ground: &Ground<'_>) -> Option<Made> {
    let (good, bad) = (caught.code("good")?, caught.code("bad")?);
    let Made::Draft(found) = ban(bad, ground)? else { return None };
    let message = format!("`{bad}`: use `{good}` instead");
    Some(Made::Draft(Draft { message, trust: Trust::Medium, ..found }))
}

pub(super) fn banned(caught: &Caught<'_>, ground: &Ground<'_>) -> Option<Made> {
    let bad = caught.codes_in("bad");
    let Made::Draft(first) = ban(bad.first()?, ground)? else { return None };
    let mut rules = vec![first.check["syntax"]["rule"].clone()];
    for other in &bad[1..] {
        // One rule for all of them, where they are of the same languages.
        let Made::Draft(other) = ban(other, ground)? else { return None };
        if other.check["syntax"]["language"] != first.check["syntax"]["language"] {
            return Some(Made::Draft(first));
        }
        rules.push(other.check["syntax"]["rule"].clone());
    }
    if rules.len() == 1 {
        return Some(Made::Draft(first));
    }
    let check =
        json!({"syntax": {"language": first.check["syntax"]["language"], "rule": {"any": rules}}});
    let message = format!("`{}` is not used here", bad.join("`, `"));
    Some(Made::Draft(Draft { check, message, ..first }))
}

pub(super) fn to_run(caught: &Caught<'_>, _: &Ground<'_>) -> Option<Made> {
    Some(Made::Run(caught.code("command")?.to_owned()))
}

/// What is not a call, a member or a macro, by its word: language and ast-grep's rule.
const CONSTRUCTS: [(&str, &[&str], &str, &str); 9] = [
    ("any", &["typescript"], r#"{"kind": "predefined_type", "regex": "^any$"}"#, "let a: any = 1;"),
    ("enum", &["typescript"], r#"{"kind": "enum_declaration"}"#, "enum A { B }"),
    ("var", &["javascript", "typescript"], r#"{"kind": "variable_declaration"}"#, "var a = 1;"),
    (
        "export default",
        &["javascript", "typescript"],
        r#"{"kind": "export_statement", "regex": "^export default"}"#,
        "export default 1;",
    ),
    ("unsafe", &["rust"], r#"{"kind": "unsafe_block"}"#, "fn a() { unsafe { b() } }"),
    ("global", &["python"], r#"{"kind": "global_statement"}"#, "def a():\n    global b"),
    ("goto", &["c", "go"], r#"{"kind": "goto_statement"}"#, "int a(void) { goto b; b: return 1; }"),
    ("import *", &["python"], r#"{"kind": "wildcard_import"}"#, "from a import *"),
    ("debugger", &["javascript", "typescript"], r#"{"kind": "debugger_statement"}"#, "debugger;"),
];

/// A check that finds what is in backticks in code.
fn ban(bad: &str, ground: &Ground<'_>) -> Option<Made> {
    let name = format!("no-{bad}");
    let message = format!("`{bad}` is not used here");
    if let Some((_, languages, rule, line)) = CONSTRUCTS.iter().find(|(word, ..)| *word == bad) {
        let rule: Value = serde_json::from_str(rule).ok()?;
        let check = json!({"syntax": {"language": languages, "rule": rule}});
        return with_example(draft(&name, check, message, Trust::High)?, languages, line);
    }
    let (pattern, line) = pattern(bad)?;
    let languages = languages(bad, ground);
    if languages.is_empty() {
        return None;
    }
    let languages: Vec<&str> = if bad.ends_with('!') { vec!["rust"] } else { languages };
    let check = json!({"syntax": {"language": languages, "rule": {"pattern": pattern}}});
    with_example(draft(&name, check, message, Trust::High)?, &languages, &line)
}

fn with_example(made: Made, languages: &[&str], line: &str) -> Option<Made> {
    let Made::Draft(draft) = made else { return Some(made) };
    let ending = match *languages.first()? {
        "typescript" => "ts",
        "javascript" => "js",
        "python" => "py",
        "rust" => "rs",
        "ruby" => "rb",
        "bash" => "sh",
        other => other,
    };
    let line = if ending == "rs" && !line.starts_with("fn ") {
        format!("fn main() {{ {line}; }}")
    } else {
        line.to_owned()
    };
    Some(Made::Draft(Draft { fails: Some((format!("src/example.{ending}"), line)), ..draft }))
}

/// The pattern of a call, a member or a macro, and a line that it is found in; `None` for words that
/// are none of these: they may stand for anything.
fn pattern(bad: &str) -> Option<(String, String)> {
    let is_name = |name: &str| {
        !name.is_empty()
            && !name.starts_with(|c: char| c.is_ascii_digit())
            && name.chars().all(|c| c.is_alphanumeric() || c == '_')
    };
    if let Some(name) = bad.strip_suffix('!').filter(|name| is_name(name)) {
        return Some((format!("{name}!($$$ARGS)"), format!("{name}!(1)")));
    }
    if let Some((called, _)) = bad.split_once('(') {
        let path: Vec<&str> = called
            .trim_start_matches('.')
            .split(['.', ':'])
            .filter(|part| !part.is_empty())
            .collect();
        if !path.iter().all(|part| is_name(part)) {
            return None;
        }
        return Some(if called.starts_with('.') {
            (format!("$VALUE{called}($$$ARGS)"), format!("value{called}(1)"))
        } else {
            (format!("{called}($$$ARGS)"), format!("{called}(1)"))
        });
    }
    let parts: Vec<&str> = bad.split('.').collect();
    (parts.len() > 1 && parts.iter().all(|part| is_name(part)))
        .then(|| (bad.to_owned(), format!("{bad}(1)")))
}

/// The languages of the files that hold the name; without one, those of the project.
fn languages(bad: &str, ground: &Ground<'_>) -> Vec<&'static str> {
    let word = bad.trim_matches(|c: char| !c.is_alphanumeric()).split('(').next().unwrap_or(bad);
    const CODE: [&str; 9] =
        ["c", "go", "java", "javascript", "php", "python", "ruby", "rust", "typescript"];
    let (mut holding, mut all) = (BTreeSet::new(), BTreeSet::new());
    for path in ground.paths {
        let Some((name, _)) = language_of(path) else { continue };
        let name = if name == "tsx" { "typescript" } else { name };
        if CODE.contains(&name) && all.len() <= CODE.len() {
            all.insert(name);
            if !holding.contains(name) && (ground.holds)(path, word) {
                holding.insert(name);
            }
        }
    }
    let languages = if holding.is_empty() { all } else { holding };
    languages.into_iter().collect()
}
