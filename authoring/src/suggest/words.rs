//! Drafts of what is said of constructs in words alone: classes, types and interfaces, braces,
//! options of the compiler.

use super::code::narrow;
use super::drafts::{draft, valued};
use super::shapes::{Caught, Made};
use super::{Block, Ground, Trust};
use serde_json::{Value, json};

const SCRIPTS: [&str; 2] = ["javascript", "typescript"];

fn has_script(ground: &Ground) -> bool {
    SCRIPTS.iter().any(|one| ground.languages.contains(one))
}

/// A check of TypeScript or JavaScript in words, with a line that breaks it and one that keeps it.
struct Words {
    name: &'static str,
    message: &'static str,
    language: Value,
    rule: Value,
    fails: &'static str,
    passes: &'static str,
}

fn made(words: &Words, caught: &Caught<'_>, ground: &Ground) -> Option<Made> {
    let check = json!({"syntax": {"language": words.language, "rule": words.rule}});
    let mut found = draft(words.name, check, words.message, Trust::Medium);
    let line = |text: &str| vec![Block::alone("src/example.tsx", text)];
    (found.fails, found.passes) = (line(words.fails), line(words.passes));
    narrow(&mut found, caught, ground)?;
    Some(Made::Draft(Box::new(found)))
}

/// Components are functions: no class is one. Error boundaries must be, so that it is never sure.
pub(super) fn function_components(caught: &Caught<'_>, ground: &Ground) -> Option<Made> {
    let is_react = ["react", "preact", "react-native"];
    if !has_script(ground) || !is_react.iter().any(|name| ground.package(name).is_some()) {
        return None;
    }
    let words = Words {
        name: "no-class-component",
        message: "a component is a class",
        language: json!(SCRIPTS),
        rule: json!({
            "kind": "class_declaration",
            "has": {"kind": "class_heritage", "regex": r"^extends\s+(?:\w+\.)?(?:Pure)?Component\b"},
        }),
        fails: "class A extends Component {}",
        passes: "const A = () => null;",
    };
    made(&words, caught, ground)
}

/// No classes at all.
pub(super) fn classes(caught: &Caught<'_>, ground: &Ground) -> Option<Made> {
    if caught.words("what").is_some_and(|what| what.to_lowercase().contains("component")) {
        return function_components(caught, ground);
    }
    // Those of styles are others.
    let heading = caught.sentence.heading.to_lowercase();
    let is_style = ["css", "styl", "tailwind"].iter().any(|word| heading.contains(word));
    if !has_script(ground) || is_style {
        return None;
    }
    let words = Words {
        name: "no-class",
        message: "a class stands here",
        language: json!(SCRIPTS),
        rule: json!({"kind": "class_declaration"}),
        fails: "class A {}",
        passes: "const a = {};",
    };
    made(&words, caught, ground)
}

/// "Types over interfaces"; those that extend another are left where the sentence leaves them.
pub(super) fn types(caught: &Caught<'_>, ground: &Ground) -> Option<Made> {
    if !ground.languages.contains("typescript") {
        return None;
    }
    let rule = if caught.after().to_lowercase().contains("extend") {
        json!({"kind": "interface_declaration", "not": {"has": {"kind": "extends_type_clause"}}})
    } else {
        json!({"kind": "interface_declaration"})
    };
    let words = Words {
        name: "no-interface",
        message: "an interface stands where a type should",
        language: json!(["typescript"]),
        rule,
        fails: "interface A { b: string }",
        passes: "type A = { b: string };",
    };
    made(&words, caught, ground)
}

/// "Interfaces over types": of objects, for only these can be either.
pub(super) fn interfaces(caught: &Caught<'_>, ground: &Ground) -> Option<Made> {
    if !ground.languages.contains("typescript") {
        return None;
    }
    let words = Words {
        name: "no-object-type-alias",
        message: "a type stands where an interface should",
        language: json!(["typescript"]),
        rule: json!({
            "kind": "type_alias_declaration",
            "has": {"field": "value", "kind": "object_type"},
        }),
        fails: "type A = { b: string };",
        passes: "interface A { b: string }",
    };
    made(&words, caught, ground)
}

/// Curly braces around what a condition or a loop holds.
pub(super) fn braces(caught: &Caught<'_>, ground: &Ground) -> Option<Made> {
    if !has_script(ground) {
        return None;
    }
    let bare = |kind: &str, field: &str| json!({"kind": kind, "has": {"field": field, "not": {"kind": "statement_block"}}});
    let words = Words {
        name: "curly-braces",
        message: "what is done stands in no braces",
        language: json!(SCRIPTS),
        rule: json!({"any": [
            bare("if_statement", "consequence"),
            bare("for_statement", "body"),
            bare("for_in_statement", "body"),
            bare("while_statement", "body"),
        ]}),
        fails: "if (a) b();",
        passes: "if (a) { b(); }",
    };
    made(&words, caught, ground)
}

/// Options of the compiler that are spoken of without their file; from typescriptlang.org/tsconfig.
const OPTIONS: [&str; 14] = [
    "strict",
    "strictNullChecks",
    "noImplicitAny",
    "noImplicitOverride",
    "noImplicitReturns",
    "noUncheckedIndexedAccess",
    "noUnusedLocals",
    "noUnusedParameters",
    "noFallthroughCasesInSwitch",
    "noPropertyAccessFromIndexSignature",
    "exactOptionalPropertyTypes",
    "verbatimModuleSyntax",
    "isolatedModules",
    "erasableSyntaxOnly",
];

/// `strict: true` of tsconfig.json.
pub(super) fn compiler_option(caught: &Caught<'_>, ground: &Ground) -> Option<Made> {
    let option = |code: &'_ String| -> Option<(String, String)> {
        let (key, value) = code.split_once(':')?;
        let key = key.trim().trim_matches(['"', '\'']);
        let value = value.trim().trim_end_matches(',');
        let is_known = OPTIONS.contains(&key) && ["true", "false"].contains(&value);
        is_known.then(|| (key.to_owned(), value.to_owned()))
    };
    let words = caught.sentence.english.to_lowercase();
    let is_against = ["never", "not ", "n't", "avoid", "disable"];
    let has = ground.paths.iter().any(|path| path.ends_with("tsconfig.json"));
    if !has || is_against.iter().any(|word| words.contains(word)) {
        return None;
    }
    let (key, value) = caught.sentence.code.iter().find_map(option)?;
    valued(&format!("compilerOptions.{key}"), Some(&value), "tsconfig.json")
}

/// An element by its tag: `<img>`.
pub(super) fn element(bad: &str) -> Option<super::Draft> {
    let tag = bad.strip_prefix('<')?.trim_end_matches('>').trim_end_matches('/').trim();
    let is_tag = tag.starts_with(|c: char| c.is_ascii_alphabetic())
        && tag.chars().all(|c| c.is_ascii_alphanumeric() || c == '.');
    if !is_tag {
        return None;
    }
    let name = json!({"field": "name", "regex": format!("^{}$", regex::escape(tag))});
    let rule = json!({
        "any": [{"kind": "jsx_opening_element"}, {"kind": "jsx_self_closing_element"}],
        "has": name,
    });
    let check = json!({"syntax": {"language": ["javascript", "tsx"], "rule": rule}});
    let said = format!("`<{tag}>` is not used here");
    let mut found = draft(&format!("no-{tag}-element"), check, said, Trust::Medium);
    let line = |text: String| vec![Block::alone("src/example.tsx", text)];
    (found.fails, found.passes) =
        (line(format!("const a = <{tag} />;")), line("const a = <Other />;".to_owned()));
    Some(found)
}

/// Folders in kebab-case, where the code lies in one folder of the project. Names that tools give a
/// meaning to (`__tests__`, `[slug]`, `(group)`, `@scope`, `.hidden`) are left.
pub(super) fn folder_names(ground: &Ground) -> Option<Made> {
    let top = ["src", "app", "lib"].into_iter().find(|top| {
        let inside = format!("{top}/");
        ground.paths.iter().any(|path| path.starts_with(&inside))
    })?;
    let each = format!("{top}/**/<folder>/");
    let check = json!({"tree": {
        "each": each, "name": ["kebab", "/^[a-z0-9]+$/", r"/^[^A-Za-z0-9].*$/"],
    }});
    let mut found =
        draft("kebab-case-folders", check, "`<name>` is not in kebab-case", Trust::Medium);
    let path = |folder: &str| vec![Block::alone(format!("{top}/{folder}/example.txt"), "")];
    (found.fails, found.passes) = (path("Not_That"), path("two-words"));
    Some(Made::Draft(Box::new(found)))
}

/// The files of the endings that examples have: "PascalCase (`NavBar.tsx`)".
pub(super) fn of_examples(caught: &Caught<'_>) -> Option<String> {
    let ending = |code: &String| {
        let (stem, ending) = code.rsplit_once('.')?;
        let is_name =
            !stem.is_empty() && stem.chars().all(|c| c.is_alphanumeric() || "-_".contains(c));
        (is_name && super::calls::is_file(code)).then(|| ending.to_owned())
    };
    let endings: std::collections::BTreeSet<String> =
        caught.sentence.code.iter().filter_map(ending).collect();
    let endings: Vec<String> = endings.into_iter().collect();
    match endings.as_slice() {
        [] => None,
        [one] => Some(format!("**/*.{one}")),
        many => Some(format!("**/*.{{{}}}", many.join(","))),
    }
}
