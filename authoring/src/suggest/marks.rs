//! Marks in comments, styles and prose: what is found as text.

use super::code::ban;
use super::drafts::draft;
use super::shapes::{Caught, Made};
use super::{Block, Draft, Ground, Trust};
use regex::Regex;
use serde_json::json;
use std::sync::LazyLock;

/// Comments that switch a tool off, or mark what is left to do.
static COMMENTS: LazyLock<Regex> = LazyLock::new(|| {
    Regex::new(
        r"(?x)^(?:@ts-[a-z-]+|(?://\s*|/\*\s*)?(?:eslint|biome|prettier|oxlint|stylelint|istanbul|c8|deno)[\ -](?:disable|ignore|lint-ignore)[\w\ -]*
          |\#?\s*(?:noqa|type:\s*ignore|pylint:\s*disable|pragma:\s*no\ cover)|nolint|//\s*nolint|rubocop:disable
          |\#!?\[allow\(.*\)?\]?|TODO|FIXME|HACK|XXX|WIP|!important)$",
    )
    .expect("an expression")
});

/// A mark in comments or styles, found as text.
pub(super) fn mark(bad: &str, ground: &Ground) -> Option<Draft> {
    let glob = if bad == "!important" {
        "**/*.{css,scss,sass,less}".to_owned()
    } else if bad.starts_with("#[") || bad.starts_with("#![") {
        "**/*.rs".to_owned()
    } else {
        ground.code_glob()?
    };
    let is_word = bad.chars().all(|c| c.is_ascii_uppercase());
    let regex = literal(bad);
    let ending = match glob.as_str() {
        glob if glob.contains("css") => "css",
        glob => glob.rsplit(['.', '{']).next()?.split([',', '}']).next()?,
    };
    let line = match ending {
        "css" => "a { color: red !important; }".to_owned(),
        // One with a number, so that a rule on those without says less.
        "py" | "rb" | "sh" if is_word => format!("# {bad}(#12): close"),
        _ if is_word && ending != "css" => format!("// {bad}(#12): close"),
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

/// The expression that finds a mark.
pub(super) fn literal(bad: &str) -> String {
    if bad.chars().all(|c| c.is_ascii_uppercase()) {
        format!(r"\b{bad}\b")
    } else {
        // An open bracket stands for whatever it holds.
        regex::escape(bad.trim_end_matches(['.', '…', ']', ')']))
    }
}

/// Whether what is in backticks is such a mark.
pub(super) fn is_mark(bad: &str) -> bool {
    COMMENTS.is_match(bad)
}

/// What people call statements that are for looking for a fault.
pub(super) fn named(caught: &Caught<'_>, ground: &Ground) -> Option<Made> {
    let what = caught.words("what")?.to_lowercase();
    let scripts = ["javascript", "typescript"];
    let has_script = scripts.iter().any(|one| ground.languages.contains(one));
    if what.starts_with("inline") {
        return has_script.then(|| inline_style(caught, ground)).flatten();
    }
    let bad = match what.as_str() {
        what if what.starts_with("default") => has_script.then_some("export default")?,
        what if what.starts_with("ternar") => has_script.then_some("?:")?,
        what if what.starts_with("print") => {
            ground.languages.contains("python").then_some("print()")?
        }
        what if what.starts_with("debugger") => has_script.then_some("debugger")?,
        _ => has_script.then_some("console.log")?,
    };
    let mut found = ban(bad, ground)?;
    super::code::narrow(&mut found, caught, ground)?;
    Some(Made::Draft(Box::new(found)))
}

/// Signs that a text does not have: pictures, dashes.
pub(super) fn signs(caught: &Caught<'_>, ground: &Ground) -> Option<Made> {
    let words = caught.sentence.english.to_lowercase();
    // How an agent talks, and what an interface shows, lies in no file that could be judged.
    const OTHERS: [&str; 10] = [
        "respon",
        "communicat",
        "chat",
        "answer",
        "commit",
        "unless",
        "request",
        "pull",
        "repl",
        "ui",
    ];
    let is_other = |part: &str| OTHERS.iter().any(|other| part.starts_with(other));
    if words.split(|c: char| !c.is_alphanumeric()).any(is_other) {
        return None;
    }
    let in_prose = ["doc", "prose", "markdown", "readme"].iter().any(|word| words.contains(word));
    let (name, regex, said, sign) = if caught.words("what")?.to_lowercase().starts_with("emoji") {
        ("no-emoji", r"[\p{Emoji_Presentation}\x{FE0F}]", "an emoji", "\u{1F680}")
    } else {
        ("no-em-dash", r"\x{2014}", "an em dash", "\u{2014}")
    };
    let code = ground.code_glob().filter(|_| !in_prose);
    let files: Vec<String> = code.into_iter().chain(["**/*.md".to_owned()]).collect();
    let check = json!({"files": files, "text": {"regex": regex}});
    let mut found = draft(name, check, format!("{said} stands here"), Trust::Medium);
    found.fails = vec![Block::alone("docs/example.md", format!("Ready {sign} now."))];
    found.passes = vec![Block::alone("docs/example.md", "Ready now.")];
    Some(Made::Draft(Box::new(found)))
}

/// An attribute of Rust.
pub(super) fn attribute(caught: &Caught<'_>, ground: &Ground) -> Option<Made> {
    let name = caught.code("attribute")?;
    if !ground.languages.contains("rust") || !super::calls::is_name(name) {
        return None;
    }
    let check = json!({"syntax": {
        "language": ["rust"],
        "rule": {"any": [{"kind": "attribute_item"}, {"kind": "inner_attribute_item"}],
            "regex": format!(r"^#!?\[(?:unsafe\()?{name}\b")},
    }});
    let said = format!("the attribute `{name}` is not used here");
    let mut found = draft(&format!("no-{name}-attribute"), check, said, Trust::High);
    found.fails = vec![Block::alone("src/example.rs", format!("#[{name}(any)]\nfn main() {{}}"))];
    found.passes = vec![Block::alone("src/example.rs", "fn main() {}")];
    Some(Made::Draft(Box::new(found)))
}

/// Imports in functions of Python, where all belong at the top.
pub(super) fn inline_import(caught: &Caught<'_>, ground: &Ground) -> Option<Made> {
    let words = caught.sentence.english.to_lowercase();
    // What is imported there on purpose.
    let some = ["integration", "optional", "heavy", "type_checking", "lazy-load"];
    if !ground.languages.contains("python") || some.iter().any(|word| words.contains(word)) {
        return None;
    }
    let check = json!({"syntax": {
        "language": ["python"],
        "rule": {
            "any": [{"kind": "import_statement"}, {"kind": "import_from_statement"}],
            "inside": {"kind": "function_definition", "stopBy": "end"},
        },
    }});
    let said = "the import does not stand at the top of the file";
    let mut found = draft("imports-at-the-top", check, said, Trust::Medium);
    found.fails = vec![Block::alone("src/example.py", "def _a() -> None:\n    import b")];
    found.passes = vec![Block::alone("src/example.py", "import b")];
    super::code::narrow(&mut found, caught, ground)?;
    Some(Made::Draft(Box::new(found)))
}

/// An argument by name that calls of a function in Python have.
pub(super) fn keyword(caught: &Caught<'_>, ground: &Ground) -> Option<Made> {
    let keyword = caught.code("keyword").filter(|code| code.contains('='))?;
    with_keywords(caught, &[keyword], ground)
}

/// "Never call it without": those that all calls have.
pub(super) fn keywords(caught: &Caught<'_>, ground: &Ground) -> Option<Made> {
    with_keywords(caught, &caught.codes_in("keywords"), ground)
}

fn with_keywords(caught: &Caught<'_>, keywords: &[&str], ground: &Ground) -> Option<Made> {
    let names: Vec<&str> =
        keywords.iter().map(|code| code.split('=').next().unwrap_or(code).trim()).collect();
    let call = super::calls::called(caught.code("call")?);
    let is_known = ground.languages.contains("python")
        && !names.is_empty()
        && names.iter().all(|name| super::calls::is_name(name))
        && call.split('.').all(super::calls::is_name);
    if !is_known {
        return None;
    }
    let missing = |name: &&str| {
        let argument = json!({"kind": "keyword_argument", "has": {"field": "name", "regex": format!("^{name}$")}});
        json!({"not": {"has": {"field": "arguments", "has": argument}}})
    };
    let any: Vec<serde_json::Value> = names.iter().map(missing).collect();
    // A method is called by way of an object; what Python has by itself is not.
    const OWN: [&str; 6] = ["open", "print", "input", "zip", "sorted", "round"];
    let before = if OWN.contains(&call) { "^" } else { r"(?:^|\.)" };
    let function = format!("{before}{}$", regex::escape(call));
    let check = json!({"syntax": {
        "language": ["python"],
        "rule": {"kind": "call", "has": {"field": "function", "regex": function}, "any": any},
    }});
    let said = format!("`{call}()` is called without `{}=`", names.join("=` and `"));
    let name = format!("{call}-with-{}", names.join("-"));
    let mut found = draft(&name, check, said, Trust::Medium);
    let given: Vec<String> = names.iter().map(|name| format!("{name}=b")).collect();
    found.fails = vec![Block::alone("src/example.py", format!("{call}(a)"))];
    found.passes = vec![Block::alone("src/example.py", format!("{call}(a, {})", given.join(", ")))];
    Some(Made::Draft(Box::new(found)))
}

/// Comments that suppress what a tool says.
pub(super) fn suppressed(caught: &Caught<'_>, ground: &Ground) -> Option<Made> {
    let bad: Vec<&str> = caught.codes_in("bad").into_iter().filter(|bad| is_mark(bad)).collect();
    let mut found = mark(bad.first()?, ground)?;
    let literal = |bad: &&str| regex::escape(bad.trim_start_matches(['#', '/', ' ']));
    let all: Vec<String> = bad.iter().map(literal).collect();
    found.check["text"]["regex"] = json!(format!(r"(?:#|//|/\*)\s*(?:{})", all.join("|")));
    found.trust = Trust::Medium;
    Some(Made::Draft(Box::new(found)))
}

/// "Named exports only": no default export.
pub(super) fn named_exports(caught: &Caught<'_>, ground: &Ground) -> Option<Made> {
    let mut found = ban("export default", ground)?;
    found.trust = Trust::Medium;
    super::code::narrow(&mut found, caught, ground)?;
    Some(Made::Draft(Box::new(found)))
}

/// Styles in the attribute of an element.
fn inline_style(caught: &Caught<'_>, ground: &Ground) -> Option<Made> {
    let check = json!({"syntax": {
        "language": ["javascript", "tsx"],
        "rule": {"kind": "jsx_attribute", "regex": "^style="},
    }});
    let mut found = draft("no-inline-style", check, "a style stands in the element", Trust::Medium);
    let line = |attribute: &str| format!("const a = <p {attribute}>b</p>;");
    found.fails = vec![Block::alone("src/example.tsx", line("style={{ margin: 0 }}"))];
    found.passes = vec![Block::alone("src/example.tsx", line("className=\"b\""))];
    super::code::narrow(&mut found, caught, ground)?;
    Some(Made::Draft(Box::new(found)))
}

/// Imports by a path that leads up.
pub(super) fn relative_import(caught: &Caught<'_>, ground: &Ground) -> Option<Made> {
    let words = caught.sentence.english.to_lowercase();
    let is_script = ["javascript", "typescript"].iter().any(|one| ground.languages.contains(one));
    if !words.contains("import") || words.contains("absolute imports are") {
        return None;
    }
    let (language, rule, ending, line, good) = if is_script {
        let rule =
            json!({"kind": "import_statement", "has": {"field": "source", "regex": r"^.\.\./"}});
        let line = "import { a } from \"../a\";";
        (json!(["javascript", "typescript"]), rule, "ts", line, "import { a } from \"@/a\";")
    } else if ground.languages.contains("python") {
        let rule = json!({"kind": "import_from_statement", "has": {"kind": "relative_import"}});
        (json!(["python"]), rule, "py", "from .a import b", "from example.a import b")
    } else {
        return None;
    };
    let check = json!({"syntax": {"language": language, "rule": rule}});
    let said = "the import leads up by a relative path";
    let mut found = draft("no-relative-import", check, said, Trust::Medium);
    found.fails = vec![Block::alone(format!("src/b/example.{ending}"), line)];
    found.passes = vec![Block::alone(format!("src/b/example.{ending}"), good)];
    super::code::narrow(&mut found, caught, ground)?;
    Some(Made::Draft(Box::new(found)))
}
