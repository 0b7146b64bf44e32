//! Calls, members and macros in code: the rule that finds one, in which languages, and an example.

use super::ground::word;
use super::{Block, Draft, Ground};
use serde_json::{Value, json};

/// `None` stands for words that are none of these: they may mean anything.
pub(super) fn is_name(name: &str) -> bool {
    !name.is_empty()
        && !name.starts_with(|c: char| c.is_ascii_digit())
        && name.chars().all(|c| c.is_alphanumeric() || c == '_' || c == '$')
}

pub(super) fn with_example(draft: Draft, language: &str, line: &str) -> Draft {
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
pub(super) fn rule(bad: &str, language: &'static str, ground: &Ground) -> Option<(Value, String)> {
    if language == "python"
        && let Some(found) = special(bad)
    {
        return Some(found);
    }
    let pattern = |text: String| json!({"pattern": text});
    if let Some(name) = bad.split('!').next().filter(|name| bad.contains('!') && is_name(name)) {
        let args = bad[name.len() + 1..].trim_matches(['(', ')', '.', '…', '[', ']', '{', '}']);
        return args
            .is_empty()
            .then(|| (pattern(format!("{name}!($$$ARGS)")), format!("{name}!(1)")));
    }
    if GLOBALS.contains(&bad) && ["javascript", "typescript"].contains(&language) {
        let rule = json!({"kind": "identifier", "regex": format!("^{bad}$")});
        return Some((rule, format!("{bad}.member(1)")));
    }
    if let Some(object) = bad.strip_suffix(".*").filter(|object| object.split('.').all(is_name)) {
        return Some((pattern(format!("{object}.$MEMBER")), format!("{object}.member(1)")));
    }
    let is_call =
        bad.contains('(') && bad.ends_with(')') || is_name(bad) && is_called(bad, language, ground);
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
pub(super) fn is_file(bad: &str) -> bool {
    const ENDINGS: [&str; 24] = [
        "md", "json", "yaml", "yml", "toml", "lock", "ts", "tsx", "js", "jsx", "py", "rs", "go",
        "java", "rb", "php", "c", "h", "css", "html", "txt", "sh", "env", "sql",
    ];
    // The variables of the process are no file.
    !bad.starts_with("process.")
        && bad.rsplit('.').next().is_some_and(|ending| ENDINGS.contains(&ending))
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
pub(super) fn languages(bad: &str, ground: &Ground) -> Vec<&'static str> {
    if bad.contains('!') {
        return vec!["rust"];
    }
    let built_in: Vec<&'static str> =
        BUILTINS.iter().filter(|(name, _)| *name == bad).map(|(_, language)| *language).collect();
    let here = |one: &&'static str| ground.languages.contains(one);
    if built_in.iter().any(&here) {
        return built_in.into_iter().filter(here).collect();
    }
    if (bad.contains('[') || bad.starts_with('@') && bad.contains('.')) && here(&"python") {
        return vec!["python"];
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
    let calling: Vec<&'static str> =
        languages.iter().copied().filter(|one| is_called(bad, one, ground)).collect();
    if is_name(bad) && !calling.is_empty() {
        languages = calling;
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

/// What is called, without its arguments.
pub(super) fn called(code: &str) -> &str {
    code.split(['(', '!']).next().unwrap_or(code)
}

/// Objects of browsers that are spoken of by name alone.
const GLOBALS: [&str; 3] = ["localStorage", "sessionStorage", "XMLHttpRequest"];

/// Functions that every program of a language may call: their names alone stand for calls.
const BUILTINS: [(&str, &str); 20] = [
    ("print", "python"),
    ("eval", "python"),
    ("exec", "python"),
    ("input", "python"),
    ("breakpoint", "python"),
    ("setattr", "python"),
    ("eval", "javascript"),
    ("eval", "typescript"),
    ("alert", "javascript"),
    ("alert", "typescript"),
    ("require", "javascript"),
    ("require", "typescript"),
    ("fetch", "javascript"),
    ("fetch", "typescript"),
    ("unwrap", "rust"),
    ("expect", "rust"),
    ("panic", "go"),
    ("println", "go"),
    ("var_dump", "php"),
    ("dd", "php"),
];

/// Whether a bare name is called in the code of a language.
fn is_called(name: &str, language: &'static str, ground: &Ground) -> bool {
    // Their names stand for types far more often than for what is called.
    const TYPES: [&str; 12] = [
        "dict", "list", "str", "set", "tuple", "type", "object", "int", "float", "bool", "bytes",
        "super",
    ];
    BUILTINS.contains(&(name, language))
        || !TYPES.contains(&name)
            && !name.starts_with(char::is_uppercase)
            && ground.calls(name, language)
}

/// What Python writes in a way of its own: a decorator, a type with parameters.
fn special(bad: &str) -> Option<(Value, String)> {
    if let Some(name) = bad.strip_prefix('@').map(called) {
        let is_dotted = name.split('.').all(is_name);
        let regex = format!(r"^@{}\b", regex::escape(name));
        let line = format!("@{name}\ndef _a() -> None:\n    pass");
        return is_dotted.then(|| (json!({"kind": "decorator", "regex": regex}), line));
    }
    let (name, rest) = bad.split_once('[')?;
    if !rest.ends_with(']') || !is_name(name) || !name.starts_with(char::is_uppercase) {
        return None;
    }
    let generic = json!({"kind": "generic_type", "regex": format!(r"^{name}\[")});
    let value = json!({"kind": "subscript", "regex": format!(r"^(?:\w+\.)?{name}\[")});
    let line = format!("def _a(b: {name}[int]) -> None:\n    pass");
    Some((json!({"any": [generic, value]}), line))
}
