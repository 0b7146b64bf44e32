//! What the shapes of sentences make of files, values and documents: the header of a check each.

use super::shapes::{Caught, Made};
use super::{Block, Draft, Ground, Sample, Trust};
use serde_json::{Map, Value, json};

/// What the draft of a rule on long lines is called.
pub(super) const LINE_LENGTH: &str = "long-line";

pub(super) fn draft(name: &str, check: Value, message: impl Into<String>, trust: Trust) -> Draft {
    let kebab: Vec<String> = name
        .split(|c: char| !c.is_ascii_alphanumeric())
        .filter(|part| !part.is_empty())
        .map(str::to_ascii_lowercase)
        .collect();
    let id: String = kebab.join("-").chars().take(60).collect();
    let id = format!("project/{}", id.trim_end_matches('-'));
    Draft { id, check, message: message.into(), trust, fails: Vec::new(), passes: Vec::new() }
}

pub(super) fn made(draft: Draft, fails: Vec<Sample>, passes: Vec<Sample>) -> Option<Made> {
    Some(Made::Draft(Box::new(Draft { fails, passes, ..draft })))
}

pub(super) fn untracked(caught: &Caught<'_>, ground: &Ground) -> Option<Made> {
    const BRANCHES: [&str; 4] = ["main", "master", "develop", "trunk"];
    let codes = caught.codes_from("first");
    if codes.iter().any(|code| BRANCHES.contains(code)) {
        return None;
    }
    // What is not there and has neither a dot nor a slash may be anything.
    let known = |code: &&str| code.contains(['/', '.', '*']) || ground.folder(code).is_some();
    let paths: Vec<String> =
        codes.iter().filter(|code| known(code)).filter_map(|code| as_path(code)).collect();
    if paths.len() < codes.len() || paths.is_empty() {
        return None;
    }
    let name = codes.first()?;
    let check = json!({"tree": {"absent": paths, "tracked": true}});
    // Of a list that names other things first, this is a part: "secrets, or `.env`".
    let is_part = caught.all().split('«').next().is_some_and(|before| before.contains(','));
    let trust = if is_part { Trust::Medium } else { Trust::High };
    let draft = draft(&format!("no-{name}"), check, "`<path>` is committed", trust);
    let fails = paths.iter().map(|path| Block::alone(instance(path), "")).collect();
    made(draft, fails, vec![Block::alone("src/kept.txt", "")])
}

/// A path or a glob; of a folder all that is in it.
pub(super) fn as_path(code: &str) -> Option<String> {
    let is_path = !code.is_empty()
        && !code.contains(char::is_whitespace)
        && !code.contains(['(', ')', '$', '|', '<', '>', '"', '\'', '='])
        && !code.contains("://")
        && !code.starts_with(['-', '@', '#'])
        && code.bytes().any(|byte| byte.is_ascii_alphanumeric());
    let path = code.trim_start_matches("./").trim_start_matches('/');
    is_path.then(|| match path.strip_suffix('/') {
        Some(folder) if folder.contains('/') => format!("{folder}/**"),
        Some(folder) => format!("**/{folder}/**"),
        None if path.contains('/') => path.to_owned(),
        None => format!("**/{path}"),
    })
}

/// A path that a glob is met by.
pub(super) fn instance(glob: &str) -> String {
    let mut path = String::with_capacity(glob.len());
    let mut rest = glob.trim_start_matches("**/");
    if rest.ends_with("/**") || rest == "**" {
        path = rest.trim_end_matches("**").to_owned();
        rest = "example.txt";
    }
    let mut braces = rest.split(['{', '}']);
    path.push_str(braces.next().unwrap_or_default());
    while let (Some(inside), after) = (braces.next(), braces.next().unwrap_or_default()) {
        path.push_str(inside.split(',').next().unwrap_or_default());
        path.push_str(after);
    }
    path.replace("**/", "").replace("**", "example").replace('*', "example").replace('?', "e")
}

/// Each file, or each folder, has another beside it.
pub(super) fn companion(caught: &Caught<'_>, ground: &Ground) -> Option<Made> {
    let (each, has) = (caught.code("each")?, caught.code("has")?);
    if has.contains(char::is_whitespace) || each.contains(char::is_whitespace) {
        return None;
    }
    let each = each.trim_start_matches("./");
    if each.contains('.') && each.contains('*') && !each.ends_with('/') {
        return beside(each, has);
    }
    let folder = each.trim_end_matches('/');
    // Folders told by one star, or by the folder that they lie in: `packages/*`, `packages/`.
    let above = match folder.split_once('*') {
        Some((above, "")) if above.ends_with('/') => above.to_owned(),
        None if ground.folder(folder) == Some(format!("{folder}/**")) => format!("{folder}/"),
        _ => return None,
    };
    in_each(&above, has)
}

/// Each file that a glob names has one of another ending beside it.
fn beside(each: &str, has: &str) -> Option<Made> {
    let other = has.trim_start_matches("<name>").trim_start_matches('*');
    if !other.starts_with('.') || other.contains('/') {
        return None;
    }
    let check = json!({
        "exclude": [format!("**/*{other}"), "**/*.d.ts"],
        "tree": {"each": each, "exists": [format!("<dir>/<stem>{other}")]},
    });
    let found = draft(
        &format!("{other}-beside-{each}"),
        check,
        format!("`<stem>` has no `<stem>{other}`"),
        Trust::High,
    );
    let path = instance(each);
    let with = path.rsplit_once('.').map(|(stem, _)| format!("{stem}{other}"))?;
    let passes = vec![vec![Block::new(path.clone(), ""), Block::new(with, "")]];
    made(found, vec![Block::alone(path, "")], passes)
}

/// Every package, crate, app … has a file.
pub(super) fn member_has(caught: &Caught<'_>, ground: &Ground) -> Option<Made> {
    let (noun, has) = (caught.words("noun")?.to_lowercase(), caught.code("has")?);
    let folder = format!("{}s", noun.trim_end_matches('s'));
    if has.contains(char::is_whitespace)
        || !has.contains('.')
        || ground.folder(&folder)? != format!("{folder}/**")
    {
        return None;
    }
    in_each(&format!("{folder}/"), has)
}

fn in_each(above: &str, has: &str) -> Option<Made> {
    let has = has.trim_start_matches("./");
    if has.contains(['*', '(', '<']) {
        return None;
    }
    let check = json!({"tree": {
        "each": format!("{above}<folder>/"), "exists": [format!("{above}<folder>/{has}")],
    }});
    let said = format!("`{above}<folder>` has no `{has}`");
    let found = draft(&format!("{has}-in-each-{above}"), check, said, Trust::High);
    let passes = vec![Block::alone(format!("{above}example/{has}"), "")];
    made(found, vec![Block::alone(format!("{above}example/other.txt"), "")], passes)
}

pub(super) fn file_names(caught: &Caught<'_>, ground: &Ground) -> Option<Made> {
    // Said, the case in a check, and a name that keeps it.
    const CASES: [(&str, &str, &str); 4] = [
        ("kebab-case", "kebab", "two-words"),
        ("snake_case", "snake", "two_words"),
        ("camelcase", "camel", "twoWords"),
        ("pascalcase", "pascal", "TwoWords"),
    ];
    let words = caught.sentence.reading().to_lowercase();
    let mut said = CASES.iter().filter(|(word, ..)| words.contains(word));
    let (said, case, good) = said.next().filter(|_| said.next().is_none())?;
    // Types, functions and keys have cases too.
    const OTHERS: [&str; 12] = [
        "function", "variable", "class", "type ", "types ", "constant", "column", "endpoint",
        "method", "field", "key", "table",
    ];
    if OTHERS.iter().any(|other| words.contains(other)) {
        return None;
    }
    let soft = caught.sentence.shape.as_str();
    if ["일반적으로", "보통", "대체로", "usually", "generally"].iter().any(|one| soft.contains(one))
    {
        return None;
    }
    let of_folders = ["director", "folder"].iter().any(|word| words.contains(word));
    if of_folders && !words.contains("file") {
        return (*case == "kebab").then(|| super::words::folder_names(ground)).flatten();
    }
    let of_files = ["file", "module", "script"].iter().any(|word| words.contains(word));
    let named = caught.sentence.code.iter().find(|code| code.contains(['*', '/']));
    let (each, trust) = match (named, super::words::of_examples(caught)) {
        (Some(code), _) => (as_files(code, ground)?, Trust::High),
        (None, Some(endings)) => (endings, Trust::Medium),
        // A component is no file, unless it is said.
        (None, None) if words.contains("component") && of_files => {
            ("**/*.{tsx,jsx,vue,svelte}".to_owned(), Trust::Medium)
        }
        (None, None) if words.contains("component") => return None,
        (None, None) => (ground.code_glob()?, Trust::Medium),
    };
    let check = json!({
        "exclude": ["**/{index,main,mod,lib,__init__}.*", "**/*.config.*", "**/*.d.ts"],
        "tree": {"each": each, "name": [case, "/^[a-z0-9]+$/"]},
    });
    let check = if *case == "pascal" {
        json!({"exclude": check["exclude"], "tree": {"each": each, "name": [case]}})
    } else {
        check
    };
    let found = draft(&format!("{said}-names"), check, format!("`<name>` is not in {said}"), trust);
    let path = instance(&each);
    let with = |stem: &str| {
        let (folder, name) =
            path.rsplit_once('/').map_or(("", &*path), |(folder, name)| (folder, name));
        let ending =
            name.split_once('.').map(|(_, ending)| format!(".{ending}")).unwrap_or_default();
        let slash = if folder.is_empty() { "" } else { "/" };
        vec![Block::alone(format!("{folder}{slash}{stem}{ending}"), "")]
    };
    made(found, with("Not-that_Case"), with(good))
}

/// A glob of files: of a folder all that is below.
fn as_files(code: &str, ground: &Ground) -> Option<String> {
    let path = code.trim_start_matches("./");
    if path.contains('*') {
        Some(path.to_owned())
    } else {
        ground.folder(path).map(|glob| format!("{glob}/*"))
    }
}

pub(super) fn limit(caught: &Caught<'_>, ground: &Ground) -> Option<Made> {
    let max: u64 = caught.words("max")?.replace([',', '_'], "").parse().ok()?;
    let unit = caught.words("unit")?.to_lowercase();
    let words = caught.sentence.english.to_lowercase();
    // A limit of functions, commits or messages is none of files.
    const OTHERS: [&str; 10] = [
        "function",
        "method",
        "commit",
        "message",
        "summary",
        "class",
        "pull request",
        " pr",
        "diff",
        "component",
    ];
    if max == 0 || OTHERS.iter().any(|other| words.contains(other)) {
        return None;
    }
    let names = |code: &&String| code.contains(['*', '/', '.']) || ground.folder(code).is_some();
    let glob = match caught.sentence.code.iter().find(names) {
        Some(code) => as_files(code, ground).or_else(|| as_path(code))?,
        None if words.contains("file") || words.contains("module") => ground.code_glob()?,
        None => return None,
    };
    let check = match unit.as_str() {
        "tokens" => json!({"files": [glob], "doc": {"tokens": {"max": max}}}),
        unit => json!({"tree": {"each": glob, unit: {"max": max}}}),
    };
    let said = format!("`<path>` has more than {max} {unit}");
    let found = draft(&format!("at-most-{max}-{unit}"), check, said, Trust::High);
    // A hundred bytes a line, so that a page shows one line and no example is endless.
    let (text, most) = if unit == "bytes" {
        ("x".repeat(99), max / 100 + 1)
    } else {
        ("word".to_owned(), max + 1)
    };
    let line = |times| vec![vec![Block { times, ..Block::new(instance(&glob), text.as_str()) }]];
    made(found, line(most), line(1))
}

pub(super) fn sections(caught: &Caught<'_>, _: &Ground) -> Option<Made> {
    let codes = caught.codes_from("first");
    let is_file = |code: &&str| code.ends_with(".md") || code.contains('/');
    let file = caught.sentence.code.iter().map(String::as_str).find(is_file)?;
    let named: Vec<String> = codes
        .into_iter()
        .filter(|code| !is_file(code))
        .map(|name| if name.starts_with('#') { name.to_owned() } else { format!("## {name}") })
        .collect();
    if named.is_empty() {
        return None;
    }
    let mut headings = vec!["*".to_owned()];
    for heading in &named {
        headings.extend([heading.clone(), "*".to_owned()]);
    }
    let glob = as_path(file)?;
    let check = json!({"files": [glob], "doc": {"headings": headings}});
    let found = draft(&format!("sections-of-{file}"), check, "a section is missing", Trust::High);
    let path = instance(&glob);
    let whole = format!("# Title\n\n{}\n", named.join("\n\nWords.\n\n"));
    made(found, vec![Block::alone(path.clone(), "# Title\n")], vec![Block::alone(path, whole)])
}

pub(super) fn strict(caught: &Caught<'_>, ground: &Ground) -> Option<Made> {
    let words = caught.sentence.english.to_lowercase();
    let demands = ["must", "enable", "required", "always", "use ", "keep", "with strict mode"];
    let has = ground.paths.iter().any(|path| path.ends_with("tsconfig.json"));
    // As a line of its own: "Strict mode."
    let is_alone = words.trim_end_matches('.') == "strict mode";
    let is_against = ["not ", "n't", "disable"].iter().any(|word| words.contains(word));
    if !has || is_against || !is_alone && !demands.iter().any(|word| words.contains(word)) {
        return None;
    }
    valued("compilerOptions.strict", Some("true"), "tsconfig.json")
}

pub(super) fn setting(caught: &Caught<'_>, _: &Ground) -> Option<Made> {
    let value = caught.code("value").or_else(|| {
        let after = caught.sentence.english.to_lowercase();
        (after.contains(" enabled") || after.starts_with("enable ")).then_some("true")
    });
    valued(caught.code("key")?, value, caught.code("file")?)
}

pub(super) fn valued(key: &str, value: Option<&str>, file: &str) -> Option<Made> {
    let is_part = |part: &str| {
        !part.is_empty() && part.chars().all(|c| c.is_alphanumeric() || "-_@/".contains(c))
    };
    let ending = file.rsplit('.').next()?;
    if !key.split('.').all(is_part) || !["json", "yaml", "yml", "toml"].contains(&ending) {
        return None;
    }
    let mut key = key.to_owned();
    if file.ends_with("tsconfig.json") && !key.contains('.') {
        key = format!("compilerOptions.{key}");
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
    let typed =
        value.map(|value| serde_json::from_str(value).unwrap_or_else(|_| Value::from(value)));
    if let (Some(typed), Some(value)) = (&typed, value) {
        test["equals"] = typed.clone();
        message = format!("`{key}` is not `{value}`");
    }
    let glob = as_path(file)?;
    let name = format!("{key}-in-{file}");
    let found = draft(&name, json!({"files": [glob], "data": test}), message, Trust::Medium);
    let right = typed.unwrap_or_else(|| json!("set"));
    let wrong = if right == json!("other") { json!("set") } else { json!("other") };
    let text = |value: Option<Value>| document(&key, value, ending);
    let path = instance(&glob);
    let fails = [Some(wrong), None].map(|value| Block::alone(path.clone(), text(value)));
    made(found, fails.to_vec(), vec![Block::alone(path, text(Some(right)))])
}

/// A file with one value.
fn document(key: &str, value: Option<Value>, ending: &str) -> String {
    let empty = || match ending {
        "json" => "{}".to_owned(),
        "toml" => "other = 1".to_owned(),
        _ => "other: 1".to_owned(),
    };
    let Some(value) = value else { return empty() };
    if ending == "toml" {
        let (table, last) = key.rsplit_once('.').map_or(("", key), |(table, last)| (table, last));
        let head = if table.is_empty() { String::new() } else { format!("[{table}]\n") };
        return format!("{head}{last} = {value}");
    }
    let nested = key
        .rsplit('.')
        .fold(value, |inner, part| Value::Object(Map::from_iter([(part.to_owned(), inner)])));
    if ending == "json" {
        serde_json::to_string_pretty(&nested).unwrap_or_else(|_| empty())
    } else {
        serde_saphyr::to_string(&nested).map_or_else(|_| empty(), |text| text.trim_end().to_owned())
    }
}

/// The lock file of a package manager that is not used.
pub(super) fn package_manager(caught: &Caught<'_>, _: &Ground) -> Option<Made> {
    let known = |name: &str| LOCKS.iter().find(|(manager, _)| *manager == name);
    let good = caught.code("good").or_else(|| caught.words("good"))?;
    known(good)?;
    let bad = caught.words("bad")?;
    if caught.codes_in("bad").contains(&"pip") || bad.to_lowercase().contains("pip") {
        return Some(Made::Run("refuse pip".to_owned()));
    }
    let mut names = caught.codes_in("bad");
    names
        .extend(bad.split(|c: char| !c.is_ascii_alphabetic()).filter(|word| known(word).is_some()));
    let locks: Vec<&str> = names
        .iter()
        .filter(|name| **name != good)
        .filter_map(|name| known(name))
        .map(|(_, lock)| *lock)
        .collect();
    // The sentence says itself that they are there.
    let is_there = |lock: &&str| caught.sentence.text().replace('`', "").contains(*lock);
    if locks.is_empty()
        || locks.iter().any(is_there)
        || names.iter().any(|name| known(name).is_none())
    {
        return None;
    }
    let (_, own) = known(good)?;
    of_manager(good, own, &locks)
}

/// How long a line may be.
pub(super) fn line_length(caught: &Caught<'_>, ground: &Ground) -> Option<Made> {
    let max: usize = caught.words("max")?.parse().ok().filter(|max| (40..=400).contains(max))?;
    let words = caught.sentence.english.to_lowercase();
    // Those of messages and of what is told are others.
    const OTHERS: [&str; 7] =
        ["commit", "subject", "message", "body", "title", "description", "summary"];
    if OTHERS.iter().any(|other| words.contains(other)) || is_on_commits(caught) {
        return None;
    }
    let names = |code: &&String| code.contains(['*', '/']) || ground.folder(code).is_some();
    let glob = match caught.sentence.code.iter().find(names) {
        Some(code) => as_files(code, ground)?,
        None if ["markdown", "prose", "docs", "comment"].iter().any(|one| words.contains(one)) => {
            return None;
        }
        None => ground.code_glob()?,
    };
    let regex = format!("(?m)^[^\\n]{{{},}}$", max + 1);
    // An address cannot be broken.
    let check = json!({"files": [glob], "text": {"regex": regex, "unless": ["https?://"]}});
    let said = format!("the line has more than {max} characters");
    let found = draft(LINE_LENGTH, check, said, Trust::Medium);
    let line = |length: usize| vec![Block::alone(instance(&glob), "x".repeat(length))];
    made(found, line(max + 1), line(max))
}

/// Whether a heading above says that commits are spoken of.
pub(super) fn is_on_commits(caught: &Caught<'_>) -> bool {
    let heading = caught.sentence.heading.to_lowercase();
    ["commit", "pull request", "pr title", "커밋"].iter().any(|word| heading.contains(word))
}

/// A file that there must not be.
pub(super) fn no_file(caught: &Caught<'_>, ground: &Ground) -> Option<Made> {
    let code = *caught.codes_in("first").first()?;
    let words = caught.sentence.english.to_lowercase();
    let makes = ["create", "creating", "add ", "adding", "introduce", "generate", " files"];
    let name = code.trim_start_matches("./").trim_start_matches('*');
    let is_file = super::calls::is_file(name) && !code.contains(['(', ':', ' ', '=']);
    // What is there is edited, and what a folder of the project holds is spoken of.
    let is_there =
        ground.paths.iter().any(|path| path == code || path.ends_with(&format!("/{code}")));
    if !is_file || is_there || !makes.iter().any(|word| words.contains(word)) {
        return None;
    }
    let path = as_path(code)?;
    let check = json!({"tree": {"absent": [path], "tracked": true}});
    let found = draft(&format!("no-{name}"), check, "`<path>` does not belong here", Trust::High);
    made(found, vec![Block::alone(instance(&path), "")], vec![Block::alone("src/kept.txt", "")])
}

/// Every package, crate, app … has a README.
pub(super) fn member_file(caught: &Caught<'_>, ground: &Ground) -> Option<Made> {
    let file = match caught.words("file")?.to_lowercase().as_str() {
        "license" => "LICENSE".to_owned(),
        name => format!("{}.md", name.to_uppercase()),
    };
    let folder = format!("{}s", caught.words("noun")?.to_lowercase().trim_end_matches('s'));
    (ground.folder(&folder)? == format!("{folder}/**")).then_some(())?;
    in_each(&format!("{folder}/"), &file)
}

/// One manager of packages: the lock files of the others are not there.
pub(super) fn one_manager(caught: &Caught<'_>, _: &Ground) -> Option<Made> {
    let good = caught.code("good").or_else(|| caught.words("good"))?.to_lowercase();
    let (_, own) = LOCKS.iter().find(|(manager, _)| *manager == good)?;
    let is_python = PYTHON_LOCKS.contains(own);
    let others =
        LOCKS.iter().filter(|(_, lock)| lock != own && PYTHON_LOCKS.contains(lock) == is_python);
    let locks: Vec<&str> = others.map(|(_, lock)| *lock).collect();
    of_manager(&good, own, &locks)
}

fn of_manager(good: &str, own: &str, locks: &[&str]) -> Option<Made> {
    let globs: Vec<String> = locks.iter().map(|lock| format!("**/{lock}")).collect();
    let check = json!({"tree": {"absent": globs, "tracked": true}});
    let said = format!("`<path>` is of another package manager than {good}");
    let found = draft(&format!("only-{good}"), check, said, Trust::High);
    made(found, vec![Block::alone(*locks.first()?, "")], vec![Block::alone(own, "")])
}

/// Managers of packages and their lock files, from their pages.
const LOCKS: [(&str, &str); 8] = [
    ("npm", "package-lock.json"),
    ("yarn", "yarn.lock"),
    ("pnpm", "pnpm-lock.yaml"),
    ("bun", "bun.lock"),
    ("uv", "uv.lock"),
    ("poetry", "poetry.lock"),
    ("pipenv", "Pipfile.lock"),
    ("pdm", "pdm.lock"),
];

/// Those of them that are of Python.
const PYTHON_LOCKS: [&str; 4] = ["uv.lock", "poetry.lock", "Pipfile.lock", "pdm.lock"];
