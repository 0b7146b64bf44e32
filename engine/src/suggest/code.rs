//! Drafts of what code must not hold: calls, members, macros, constructs, comments, packages.

use super::drafts::{as_path, draft};
use super::ground::word;
use super::imports;
use super::shapes::{Caught, Made, codes_of};
use super::{Block, Draft, Ground, Sample, Trust};
use regex::{Captures, Regex};
use serde_json::{Value, json};
use std::sync::LazyLock;

/// Where tests lie, whatever the language.
const TESTS: [&str; 4] =
    ["**/*.{test,spec}.*", "**/{test,tests,__tests__,spec}/**", "**/test_*.py", "**/*_test.*"];

/// `None` stands for words that are none of these: they may mean anything.
fn is_name(name: &str) -> bool {
    !name.is_empty()
        && !name.starts_with(|c: char| c.is_ascii_digit())
        && name.chars().all(|c| c.is_alphanumeric() || c == '_' || c == '$')
}

pub(super) fn to_run(caught: &Caught<'_>, _: &Ground) -> Option<Made> {
    let code = caught.code("command").map(str::to_owned);
    let in_slot = || {
        let words = caught.words("command")?;
        Some(codes_of(caught.sentence, words).first().map_or(words, |code| code).to_owned())
    };
    let command = code.or_else(in_slot)?;
    const AGAINST: [&str; 4] = ["never", "do not", "don't", "not "];
    let before = caught.before().to_lowercase();
    let is_against = AGAINST.iter().any(|word| before.trim_end().ends_with(word.trim()));
    Some(Made::Run(if is_against { format!("refuse {command}") } else { command }))
}

/// What a shell would be given.
static COMMAND: LazyLock<Regex> = LazyLock::new(|| {
    Regex::new(
        r"^(?:\./[\w/.-]+|(?:cargo|npm|npx|pnpm|yarn|bun|deno|make|just|go|python3?|pytest|tox|nox|uv|poetry|ruff|mypy|black|rustfmt|rustup|gradle|\./gradlew|mvn|docker|pre-commit|bundle|rake|composer|dotnet|swift|mix|prettier|eslint|tsc)\b)(?: [^«]*)?$",
    )
    .expect("an expression")
});

/// What is used to run or build something: a name of code is no command.
pub(super) fn used(caught: &Caught<'_>, ground: &Ground) -> Option<Made> {
    let command = caught.code("command")?;
    let is_lower = !command.chars().any(char::is_uppercase) && !command.contains(['(', ':']);
    if is_lower || COMMAND.is_match(command) { to_run(caught, ground) } else { None }
}

/// A command in a sentence on testing, formatting or checking.
pub(super) fn commands(caught: &Caught<'_>, _: &Ground) -> Option<Made> {
    let is_command = |code: &&String| COMMAND.is_match(code.trim()) && code.contains([' ', '/']);
    let found = caught.sentence.code.iter().find(is_command)?;
    Some(Made::Run(found.trim().to_owned()))
}

/// What is not done on a branch: a hook of Git or of the host sees to it.
pub(super) fn protected(caught: &Caught<'_>, _: &Ground) -> Option<Made> {
    let words = caught.words("branch")?;
    let branch = codes_of(caught.sentence, words).first().map_or(words, |code| code).to_owned();
    let forbids = ["never", "not", "don't", "no "];
    let before = caught.before().to_lowercase();
    let is_forbidden = forbids.iter().any(|word| before.contains(word));
    is_forbidden.then(|| Made::Run(format!("protect the branch {branch}")))
}

pub(super) fn instead(caught: &Caught<'_>, ground: &Ground) -> Option<Made> {
    let good = *caught.codes_in("good").first()?;
    let bad = caught.codes_in("bad");
    let mut found = all_of(&bad, ground)?;
    found.message = format!("`{}`: use `{good}` instead", bad.join("`, `"));
    found.trust = Trust::Medium;
    narrow(&mut found, caught, ground)?;
    if let ([bad], Some(block)) = (&bad[..], found.fails.first().and_then(|sample| sample.first()))
    {
        // The same line as it should be is the best example of what passes.
        let (from, to) = (called(bad), called(good));
        if block.text.contains(from) && !from.is_empty() {
            let text = block.text.replace(from, to);
            found.passes.insert(0, Block::alone(block.path.clone(), text));
        }
    }
    Some(Made::Draft(Box::new(found)))
}

/// What is called, without its arguments.
fn called(code: &str) -> &str {
    code.split(['(', '!']).next().unwrap_or(code)
}

pub(super) fn only_in(caught: &Caught<'_>, ground: &Ground) -> Option<Made> {
    let bad = caught.code("bad")?;
    let mut found = all_of(&[bad], ground)?;
    let place = caught.words("place")?;
    let mut globs = globs(&codes_of(caught.sentence, place), ground)?;
    if globs.is_empty() {
        globs = TESTS.map(str::to_owned).to_vec();
    }
    found.message = format!("`{bad}` is used in another place only");
    found.trust = Trust::Medium;
    found.check["exclude"] = json!(globs);
    Some(Made::Draft(Box::new(found)))
}

pub(super) fn banned(caught: &Caught<'_>, ground: &Ground) -> Option<Made> {
    let bad = caught.codes_in("bad");
    let mut found = all_of(&bad, ground)?;
    narrow(&mut found, caught, ground)?;
    Some(Made::Draft(Box::new(found)))
}

/// One rule for all of them, where they are of the same form and the same languages. What cannot be
/// told in code is left out.
fn all_of(bad: &[&str], ground: &Ground) -> Option<Draft> {
    let drafts: Vec<(&str, Draft)> =
        bad.iter().filter_map(|bad| Some((*bad, ban(bad, ground)?))).collect();
    let (_, mut first) = drafts.first()?.clone();
    let languages = first.check["syntax"]["language"].clone();
    let alike = |(_, draft): &&(&str, Draft)| {
        !languages.is_null() && draft.check["syntax"]["language"] == languages
    };
    let same: Vec<&(&str, Draft)> = drafts.iter().filter(alike).collect();
    if same.len().max(1) < bad.len() {
        first.trust = Trust::Medium;
    }
    if same.len() < 2 {
        return Some(first);
    }
    let rules: Vec<&Value> = same.iter().map(|(_, draft)| &draft.check["syntax"]["rule"]).collect();
    let names: Vec<&str> = same.iter().map(|(bad, _)| *bad).collect();
    first.check = json!({"syntax": {"language": languages, "rule": {"any": rules}}});
    first.message = format!("`{}` is not used here", names.join("`, `"));
    Some(first)
}

/// A list of places after `in` or `outside`.
static WHERE: LazyLock<Regex> = LazyLock::new(|| {
    Regex::new(
        r"(?i)^\W*(?:anywhere |directly |code |calls? )?(?<word>in|inside|within|under|below|from|outside(?: of)?|except(?: in| for| within| inside| from)?|other than in|anywhere (?:but|except)(?: in)?) (?:the |any |a )?(?<places>«\d+»(?:(?:,|,? and|,? or) «\d+»)*|(?:unit |the )?tests?\b|test (?:code|files)|(?:production|library|application|app|source) code|production)",
    )
    .expect("an expression")
});

/// Words after a demand that take a part of it back.
static UNLESS: LazyLock<Regex> = LazyLock::new(|| {
    Regex::new(r"(?i)\b(?:unless|except|without|but|if|when|where|outside|other than|as long as|until|for)\b")
        .expect("an expression")
});

/// Takes the places that the sentence names into the check. `None` when the sentence speaks of a
/// place that is not known: a check of all places would say something else.
fn narrow(draft: &mut Draft, caught: &Caught<'_>, ground: &Ground) -> Option<()> {
    let rest = caught.after();
    if let Some(found) = WHERE.captures(rest) {
        let tail = &rest[found.get(0).map_or(0, |all| all.end())..];
        if UNLESS.is_match(tail) {
            draft.trust = Trust::Medium;
        }
        return place(draft, &found, caught, ground);
    }
    if UNLESS.is_match(rest) || SOMEWHERE.is_match(rest) {
        draft.trust = draft.trust.min(Trust::Medium);
    }
    // A scope before the demand: "In `src/domain`, never …".
    match WHERE.captures(caught.before()) {
        Some(found) => place(draft, &found, caught, ground),
        None => Some(()),
    }
}

/// Takes one list of places into the check.
fn place(
    draft: &mut Draft,
    found: &Captures<'_>,
    caught: &Caught<'_>,
    ground: &Ground,
) -> Option<()> {
    let (word, places) = (found["word"].to_lowercase(), found["places"].to_lowercase());
    let outside = ["outside", "except", "other", "anywhere"];
    let is_outside = outside.iter().any(|one| word.starts_with(one));
    if !places.contains('«') {
        let tests = TESTS.map(str::to_owned).to_vec();
        // In production code: everywhere but in tests.
        let key = if places.contains("test") && !is_outside { "files" } else { "exclude" };
        return put(draft, key, &tests);
    }
    let globs = globs(&codes_of(caught.sentence, &places), ground)?;
    put(draft, if is_outside { "exclude" } else { "files" }, &globs)
}

/// A place in words that no glob is known for.
static SOMEWHERE: LazyLock<Regex> = LazyLock::new(|| {
    Regex::new(r"(?i)^\W*(?:\w+ ){0,2}(?:in|inside|within|from|to|on)\b").expect("an expression")
});

/// Sets the globs of a check; one on imports has places of its own.
fn put(draft: &mut Draft, key: &str, globs: &[String]) -> Option<()> {
    if globs.is_empty() || (draft.check.get("layers").is_some() && key == "files") {
        return draft.check.get("layers").is_none().then_some(());
    }
    // Where the examples lie must be where the rule looks.
    if key == "files" {
        let inside: Vec<Sample> = draft
            .fails
            .iter()
            .filter_map(|sample| {
                let block = sample.first()?;
                let name = block.path.rsplit('/').next()?;
                let folder = |glob: &String| {
                    let folder = glob.strip_suffix("/**")?.trim_start_matches("**/");
                    (!folder.contains(['*', '{'])).then(|| folder.to_owned())
                };
                let folder = globs.iter().find_map(folder).unwrap_or_else(|| "tests".to_owned());
                Some(Block::alone(format!("{folder}/{name}"), block.text.clone()))
            })
            .collect();
        draft.fails = inside;
    }
    draft.check[key] = json!(globs);
    Some(())
}

fn globs(codes: &[&str], ground: &Ground) -> Option<Vec<String>> {
    let glob = |code: &&str| {
        // A word that names no folder may be a place that only people know.
        ground.folder(code).or_else(|| as_path(code).filter(|_| code.contains(['/', '.', '*'])))
    };
    codes.iter().map(glob).collect()
}

/// What is not a call, a member or a macro, by its word: language and ast-grep's rule.
const CONSTRUCTS: [(&str, &[&str], &str, &str); 13] = [
    ("any", &["typescript"], r#"{"kind": "predefined_type", "regex": "^any$"}"#, "let a: any = 1;"),
    ("enum", &["typescript"], r#"{"kind": "enum_declaration"}"#, "enum A { B }"),
    ("namespace", &["typescript"], r#"{"kind": "internal_module"}"#, "namespace A { let b = 1; }"),
    ("as any", &["typescript"], r#"{"pattern": "$VALUE as any"}"#, "let a = b as any;"),
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
    ("from x import *", &["python"], r#"{"kind": "wildcard_import"}"#, "from a import *"),
    ("debugger", &["javascript", "typescript"], r#"{"kind": "debugger_statement"}"#, "debugger;"),
    ("with", &["javascript"], r#"{"kind": "with_statement"}"#, "with (a) { b; }"),
];

/// Comments that switch a tool off, or mark what is left to do.
static COMMENTS: LazyLock<Regex> = LazyLock::new(|| {
    Regex::new(
        r"(?x)^(?:@ts-[a-z-]+|(?://\s*|/\*\s*)?(?:eslint|biome|prettier|oxlint|stylelint|istanbul|c8|deno)[\ -](?:disable|ignore|lint-ignore)[\w\ -]*
          |\#?\s*(?:noqa|type:\s*ignore|pylint:\s*disable|pragma:\s*no\ cover)|nolint|//\s*nolint|rubocop:disable
          |\#!?\[allow\(.*\)?\]?|TODO|FIXME|HACK|XXX|WIP|!important)$",
    )
    .expect("an expression")
});

/// A check that finds what is in backticks in code.
fn ban(bad: &str, ground: &Ground) -> Option<Draft> {
    let name = format!("no-{bad}");
    let message = format!("`{bad}` is not used here");
    if let Some((_, languages, rule, line)) = CONSTRUCTS.iter().find(|(word, ..)| *word == bad) {
        let here: Vec<&str> =
            languages.iter().copied().filter(|one| ground.languages.contains(one)).collect();
        let languages = if here.is_empty() { languages.to_vec() } else { here };
        let rule: Value = serde_json::from_str(rule).ok()?;
        let check = json!({"syntax": {"language": languages, "rule": rule}});
        let found = draft(&name, check, message, Trust::High);
        return Some(with_example(found, languages.first()?, line));
    }
    if COMMENTS.is_match(bad) {
        return comment(bad, ground);
    }
    let languages = languages(bad, ground);
    if let Some(language) = languages.first()
        && let Some((rule, line)) = rule(bad, language)
    {
        let check = json!({"syntax": {"language": languages, "rule": rule}});
        let found = draft(&name, check, message, Trust::High);
        return Some(with_example(found, language, &line));
    }
    let package = ground.package(bad)?;
    let mut found = imports::ban_package(bad, &package);
    found.trust = Trust::Medium;
    Some(found)
}

/// A mark in comments or styles, found as text.
fn comment(bad: &str, ground: &Ground) -> Option<Draft> {
    let glob = if bad == "!important" {
        "**/*.{css,scss,sass,less}".to_owned()
    } else if bad.starts_with("#[") || bad.starts_with("#![") {
        "**/*.rs".to_owned()
    } else {
        ground.code_glob()?
    };
    let is_word = bad.chars().all(|c| c.is_ascii_uppercase());
    // An open bracket stands for whatever it holds.
    let literal = bad.trim_end_matches(['.', '…', ']', ')']);
    let regex = if is_word { format!(r"\b{bad}\b") } else { regex::escape(literal) };
    let ending = match glob.as_str() {
        glob if glob.contains("css") => "css",
        glob => glob.rsplit(['.', '{']).next()?.split([',', '}']).next()?,
    };
    let line = match ending {
        "css" => "a { color: red !important; }".to_owned(),
        "py" | "rb" | "sh" => format!("# {}", bad.trim_start_matches(['#', ' '])),
        "rs" if bad.starts_with("#") => {
            format!("{}\nfn main() {{}}", if bad.ends_with(']') { bad } else { "#[allow(unused)]" })
        }
        _ => format!("// {}", bad.trim_start_matches(['/', ' ', '*'])),
    };
    let check = json!({"files": [glob], "text": {"regex": regex}});
    let mut found =
        draft(&format!("no-{bad}"), check, format!("`{bad}` is left here"), Trust::High);
    found.fails = vec![Block::alone(format!("src/example.{ending}"), line)];
    found.passes = vec![Block::alone(format!("src/example.{ending}"), "")];
    Some(found)
}

fn with_example(draft: Draft, language: &str, line: &str) -> Draft {
    let ending = match language {
        "typescript" => "ts",
        "javascript" => "js",
        "python" => "py",
        "rust" => "rs",
        "ruby" => "rb",
        other => other,
    };
    let whole = match ending {
        "rs" if !line.starts_with("fn ") => format!("fn main() {{ {line}; }}"),
        "go" => format!("package example\n\nfunc example() {{\n\t{line}\n}}"),
        "java" => format!("class Example {{\n    void example() {{\n        {line};\n    }}\n}}"),
        "c" if !line.starts_with("int ") => format!("void example(void) {{\n    {line};\n}}"),
        "php" => format!("<?php\n{line};"),
        "ts" | "js" if !line.ends_with([';', '}']) => format!("{line};"),
        _ => line.to_owned(),
    };
    let clean = match ending {
        "rs" => "fn main() {}",
        "go" => "package example\n\nfunc example() {}",
        "java" => "class Example {}",
        "c" => "void example(void) {}",
        "php" => "<?php\n$answer = 42;",
        "ts" | "js" => "const answer = 42;",
        _ => "answer = 42",
    };
    let path = format!("src/example.{ending}");
    let fails = vec![Block::alone(path.clone(), whole)];
    let passes = vec![Block::alone(path, clean)];
    Draft { fails, passes, ..draft }
}

/// The rule for a call, a member or a macro in a language, and a line that it is found in.
fn rule(bad: &str, language: &str) -> Option<(Value, String)> {
    let pattern = |text: String| json!({"pattern": text});
    if let Some(name) = bad.split('!').next().filter(|name| bad.contains('!') && is_name(name)) {
        let args = bad[name.len() + 1..].trim_matches(['(', ')', '.', '…', '[', ']', '{', '}']);
        return args
            .is_empty()
            .then(|| (pattern(format!("{name}!($$$ARGS)")), format!("{name}!(1)")));
    }
    let is_call = bad.contains('(') && bad.ends_with(')');
    let called = called(bad);
    let bare = called.trim_start_matches(['.', ':']);
    let path: Vec<&str> = bare.split(['.', ':']).filter(|part| !part.is_empty()).collect();
    if path.is_empty() || !path.iter().all(|part| is_name(part)) {
        return None;
    }
    let is_method = called.starts_with('.');
    let by_field = |kind: &str, field: &str, regex: String| json!({"kind": kind, "has": {"field": field, "regex": regex}});
    let escaped = regex::escape(bare);
    match language {
        // As a pattern, a call in Go reads as a conversion.
        "go" if is_call || path.len() > 1 => {
            let regex = if is_method { format!(r"\.{escaped}$") } else { format!("^{escaped}$") };
            let line = if is_method { format!("value.{bare}()") } else { format!("{bare}()") };
            Some((by_field("call_expression", "function", regex), line))
        }
        "rust" if is_call && path.len() == 1 => {
            let method = format!("$VALUE.{bare}($$$ARGS)");
            let rule = if is_method || matches!(bare, "unwrap" | "expect" | "clone" | "unwrap_err")
            {
                pattern(method)
            } else {
                json!({"any": [{"pattern": format!("{bare}($$$ARGS)")}, {"pattern": method}]})
            };
            Some((rule, format!("value.{bare}()")))
        }
        "java" if is_call || path.len() > 1 => {
            let name = path.last()?;
            let object = path[..path.len() - 1].join(".");
            let mut all = vec![by_field("method_invocation", "name", format!("^{name}$"))];
            if !object.is_empty() {
                let object = format!("^{}$", regex::escape(&object));
                all.push(json!({"has": {"field": "object", "regex": object}}));
            }
            let line = if is_method { format!("value.{bare}()") } else { format!("{bare}()") };
            Some((json!({"all": all}), line))
        }
        _ if is_method => {
            Some((pattern(format!("$VALUE.{bare}($$$ARGS)")), format!("value.{bare}(1)")))
        }
        _ if is_call => Some((pattern(format!("{called}($$$ARGS)")), format!("{called}(1)"))),
        _ if path.len() > 1 && !bad.contains(':') && !is_file(bad) => {
            Some((pattern(bad.to_owned()), format!("{bad}(1)")))
        }
        // A module, type or function wherever its path is written.
        "rust" if bad.contains("::") => {
            let regex = format!("^{escaped}$");
            let kinds = ["scoped_identifier", "scoped_type_identifier"];
            let any = kinds.map(|kind| json!({"kind": kind, "regex": regex}));
            Some((json!({"any": any}), format!("{bad}::thing()")))
        }
        _ => None,
    }
}

/// Whether a name with a dot is that of a file.
fn is_file(bad: &str) -> bool {
    const ENDINGS: [&str; 24] = [
        "md", "json", "yaml", "yml", "toml", "lock", "ts", "tsx", "js", "jsx", "py", "rs", "go",
        "java", "rb", "php", "c", "h", "css", "html", "txt", "sh", "env", "sql",
    ];
    bad.rsplit('.').next().is_some_and(|ending| ENDINGS.contains(&ending))
}

/// What only one language has.
const SIGNS: [(&str, &[&str]); 22] = [
    ("console.", &["javascript", "typescript"]),
    ("window.", &["javascript", "typescript"]),
    ("document.", &["javascript", "typescript"]),
    ("process.", &["javascript", "typescript"]),
    ("localStorage", &["javascript", "typescript"]),
    ("sessionStorage", &["javascript", "typescript"]),
    ("JSON.", &["javascript", "typescript"]),
    ("Math.", &["javascript", "typescript"]),
    ("useEffect", &["javascript", "typescript"]),
    ("require(", &["javascript", "typescript"]),
    ("setTimeout", &["javascript", "typescript"]),
    ("alert(", &["javascript", "typescript"]),
    ("fmt.", &["go"]),
    ("System.out", &["java"]),
    ("var_dump", &["php"]),
    ("dd(", &["php"]),
    ("os.environ", &["python"]),
    ("os.system", &["python"]),
    ("pdb.", &["python"]),
    ("datetime.", &["python"]),
    ("std::", &["rust"]),
    ("unwrap(", &["rust"]),
];

/// The languages of the files that hold the name; without one, those that it is typical of, else
/// those of the project.
fn languages(bad: &str, ground: &Ground) -> Vec<&'static str> {
    if bad.contains('!') {
        return vec!["rust"];
    }
    let plain = bad.trim_start_matches('.');
    let sign = SIGNS.iter().find(|(start, _)| plain.starts_with(start));
    let mut languages = ground.holding(&word(bad));
    if let Some((_, typical)) = sign {
        let here = |one: &&'static str| ground.languages.contains(one);
        let known: Vec<&'static str> = typical.iter().copied().filter(here).collect();
        return if known.is_empty() { typical.to_vec() } else { known };
    }
    if languages.is_empty() {
        languages = ground.languages.iter().copied().collect();
    }
    // One pattern is read by all of them; those with rules of their own stand alone.
    let own = ["go", "java"];
    if let Some(only) = languages.first().filter(|first| own.contains(first)).copied()
        && languages.len() == 1
    {
        return vec![only];
    }
    let mut kept: Vec<&'static str> =
        languages.iter().copied().filter(|one| !own.contains(one)).collect();
    // A function of this name in C says nothing of one in Python.
    if kept.len() > 2 {
        kept.retain(|one| !["c", "php"].contains(one));
    }
    // A rule of Rust also looks for methods.
    if kept.len() > 1 && !bad.contains("::") {
        kept.retain(|one| *one != "rust");
    }
    if kept.is_empty() { languages.into_iter().take(1).collect() } else { kept }
}
