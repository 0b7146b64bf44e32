//! Drafts of what code must not hold: calls, members, macros, constructs, comments, packages.

use super::calls::{languages, rule, with_example};
use super::drafts::{as_path, draft};
use super::imports;
use super::marks::{is_mark, literal, mark};
use super::shapes::{Caught, Made, codes_of};
use super::{Block, Draft, Ground, Sample, Trust};
use regex::{Captures, Regex};
use serde_json::{Value, json};
use std::sync::LazyLock;

/// Where tests lie, whatever the language.
const TESTS: [&str; 4] =
    ["**/*.{test,spec}.*", "**/{test,tests,__tests__,spec}/**", "**/test_*.py", "**/*_test.*"];

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
    // What is set against something else may be so there only: "rules take «0», never «1»".
    if caught.before().trim_end().ends_with(',') {
        found.trust = found.trust.min(Trust::Medium);
    }
    narrow(&mut found, caught, ground)?;
    Some(Made::Draft(Box::new(found)))
}

/// One rule for all of them, where they are of the same form and the same languages. What cannot be
/// told in code is left out.
pub(super) fn all_of(bad: &[&str], ground: &Ground) -> Option<Draft> {
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
        // Marks are found as text, any of them.
        let marks: Vec<String> =
            bad.iter().filter(|bad| is_mark(bad)).map(|bad| literal(bad)).collect();
        if marks.len() > 1 && first.check.pointer("/text/regex").is_some() {
            first.check["text"]["regex"] = json!(marks.join("|"));
            first.message = format!("`{}` is left here", bad.join("` or `"));
            first.trust = if marks.len() < bad.len() { Trust::Medium } else { Trust::High };
        }
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

/// A noun that a name in backticks only describes: "no `__init__` docstring".
static BELONGS: LazyLock<Regex> = LazyLock::new(|| {
    Regex::new(r"(?i)^ (?:docstrings?|names?|variables?|values?|fields?|parameters?|arguments?|objects?|instances?|prefix(?:es)?|suffix(?:es)?|errors?|exceptions?|tables?|columns?|labels?|branch(?:es)?|options?|settings?|sections?|headers?)\b")
        .expect("an expression")
});

/// What stands in brackets.
static ASIDE: LazyLock<Regex> = LazyLock::new(|| Regex::new(r"\([^()]*\)").expect("an expression"));

/// Where what a demand says of its object ends, and another thought or a reason begins.
static CLAUSE: LazyLock<Regex> = LazyLock::new(|| {
    Regex::new(r"(?i)[;:\u{2014}\u{2013}]| - |, (?:use|which|as|but|and)\b|\b(?:because|since)\b")
        .expect("an expression")
});

/// What something is not used for: a check of all uses would say something else.
static PURPOSE: LazyLock<Regex> = LazyLock::new(|| {
    Regex::new(r"(?i)^\W*(?:[\w-]+ ){0,4}?for (?<what>[\w «»/-]+)").expect("an expression")
});

/// What is no purpose but a reason, or everything.
static REASON: LazyLock<Regex> = LazyLock::new(|| {
    Regex::new(r"(?i)^(?:better|easier|improved?|clear\w*|clarity|consisten\w*|performance|security|\w*safety|readability|maintainab\w*|\w*compatib\w*|testab\w*|simplicity|this|that|these|all|any|every|each|everything|new code|more|reasons?|defining|object|clean\w*|fast\w*|control|speed|tree|reliab\w*|portab\w*|accessib\w*|debugg\w*|correct\w*|explicit\w*|good|now|internal)\b")
        .expect("an expression")
});

/// Components of an interface, as a place.
static COMPONENTS: LazyLock<Regex> = LazyLock::new(|| {
    Regex::new(r"(?i)^(?:all |react |ui |vue |svelte |new )*components\s*$").expect("an expression")
});

/// Where components lie.
const COMPONENT_FILES: &str = "**/*.{tsx,jsx,vue,svelte}";

/// Who must not do something, where it is everybody: "you must not", "code should never".
static EVERYBODY: LazyLock<Regex> = LazyLock::new(|| {
    Regex::new(r"(?i)^\W*(?:and |but |so |also )?(?:you|we|they|it|one|agents?|ai|claude|copilot|developers?|contributors?|everyone|(?:(?:all|the|our|any|new|application|source|production|library|typescript|javascript|python|this|your) ?)*(?:code(?:base)?|files?|project|repo(?:sitory)?))?\s*$")
        .expect("an expression")
});

/// Whether somebody in particular must not: "repositories must not call «0»".
fn has_subject(caught: &Caught<'_>) -> bool {
    let demand = caught.all().trim_start().to_lowercase();
    let is_modal =
        ["must", "should", "may", "shall", "can"].iter().any(|word| demand.starts_with(word));
    let before = caught.before();
    let subject = before.rsplit([',', ':', ';', '.', '\u{2014}']).next().unwrap_or(before);
    is_modal && !EVERYBODY.is_match(subject)
}

/// A condition that a check cannot know.
static CONDITION: LazyLock<Regex> = LazyLock::new(|| {
    Regex::new(r"(?i)\b(?:when|whenever|if|unless|until|while|without|before|after|manually|solely|by default|as long as|as (?:the|an?)\b)")
        .expect("an expression")
});

/// Takes the places that the sentence names into the check. `None` when the sentence speaks of a
/// place that is not known: a check of all places would say something else.
pub(super) fn narrow(draft: &mut Draft, caught: &Caught<'_>, ground: &Ground) -> Option<()> {
    let rest = caught.after();
    // One of several things that are bad together is well by itself, and what a name belongs to is
    // something else.
    if rest.trim_start().starts_with(['+', '&']) || BELONGS.is_match(rest) {
        return None;
    }
    // A check of all cases would say something else.
    let bare = ASIDE.replace_all(rest, "");
    let clause = CLAUSE.find(&bare).map_or(&*bare, |end| &bare[..end.start()]);
    if CONDITION.is_match(clause) || has_subject(caught) {
        return None;
    }
    if let Some(found) = PURPOSE.captures(clause)
        && WHERE.captures(rest).is_none()
        && !REASON.is_match(&found["what"])
    {
        let is_place = COMPONENTS.is_match(&found["what"]);
        return is_place.then(|| put(draft, "files", &[COMPONENT_FILES.to_owned()])).flatten();
    }
    if let Some(found) = WHERE.captures(rest) {
        let tail = &rest[found.get(0).map_or(0, |all| all.end())..];
        if UNLESS.is_match(tail) {
            draft.trust = draft.trust.min(Trust::Medium);
        }
        return place(draft, &found, caught, ground);
    }
    // A folder by its name: "in wrangler".
    if let Some(folder) = NAMED.captures(rest).and_then(|found| ground.folder(&found["word"])) {
        draft.trust = draft.trust.min(Trust::Medium);
        return put(draft, "files", &[folder]);
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

/// A place by one word.
static NAMED: LazyLock<Regex> = LazyLock::new(|| {
    Regex::new(r"(?i)^\W*(?:in|inside|within) (?:the )?(?<word>[a-z][\w-]{3,})\b")
        .expect("an expression")
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
                // The ending must be one of theirs, too.
                let name = if globs.iter().any(|glob| glob == COMPONENT_FILES) {
                    "example.tsx"
                } else {
                    name
                };
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

/// A construct by its word: its languages, the rule of ast-grep that finds it, a line that has it.
type Construct = (&'static str, &'static [&'static str], &'static str, &'static str);

/// What is not a call, a member or a macro, by its word: language and ast-grep's rule.
const CONSTRUCTS: &[Construct] = &[
    ("==", &["javascript", "typescript"], r#"{"pattern": "$LEFT == $RIGHT"}"#, "if (a == b) {}"),
    ("!=", &["javascript", "typescript"], r#"{"pattern": "$LEFT != $RIGHT"}"#, "if (a != b) {}"),
    (
        "interface",
        &["typescript"],
        r#"{"kind": "interface_declaration"}"#,
        "interface A { b: string }",
    ),
    (
        "?:",
        &["javascript", "typescript"],
        r#"{"kind": "ternary_expression"}"#,
        "const a = b ? 1 : 2;",
    ),
    ("lambda", &["python"], r#"{"kind": "lambda"}"#, "a = lambda b: b"),
    (
        "nonlocal",
        &["python"],
        r#"{"kind": "nonlocal_statement"}"#,
        "def _a() -> None:\n    b = 1\n    def _c() -> None:\n        nonlocal b",
    ),
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
    ("global", &["python"], r#"{"kind": "global_statement"}"#, "def _a() -> None:\n    global b"),
    ("goto", &["c", "go"], r#"{"kind": "goto_statement"}"#, "int a(void) { goto b; b: return 1; }"),
    ("import *", &["python"], r#"{"kind": "wildcard_import"}"#, "from a import *"),
    ("from x import *", &["python"], r#"{"kind": "wildcard_import"}"#, "from a import *"),
    ("debugger", &["javascript", "typescript"], r#"{"kind": "debugger_statement"}"#, "debugger;"),
    ("with", &["javascript"], r#"{"kind": "with_statement"}"#, "with (a) { b; }"),
];

/// A check that finds what is in backticks in code.
pub(super) fn ban(bad: &str, ground: &Ground) -> Option<Draft> {
    let name = match bad {
        "==" | "!=" => "no-loose-equality".to_owned(),
        "?:" => "no-ternary".to_owned(),
        bad => format!("no-{bad}"),
    };
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
    if is_mark(bad) {
        return mark(bad, ground);
    }
    if bad.starts_with('<') {
        return super::words::element(bad);
    }
    // What is imported under its name is called by it, too: the package is what is meant.
    let package = || ground.package(bad).or_else(|| imports::well_known(bad, ground));
    if let Some(package) = package().filter(|_| !bad.contains(['(', '!'])) {
        let mut found = imports::ban_package(bad, &package);
        found.trust = Trust::Medium;
        return Some(found);
    }
    let languages = languages(bad, ground);
    if let Some(language) = languages.first()
        && let Some((rule, line)) = rule(bad, language, ground)
    {
        let check = json!({"syntax": {"language": languages, "rule": rule}});
        let found = draft(&name, check, message, Trust::High);
        return Some(with_example(found, language, &line));
    }
    None
}
