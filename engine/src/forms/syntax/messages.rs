//! Rewrites the error messages of the ast-grep library for authors of rule pages.

use super::LANGUAGES;
use crate::text::nearest::nearest;
use ast_grep_core::tree_sitter::LanguageExt as _;
use ast_grep_language::SupportLang;
use serde_json::Value;
use std::collections::BTreeSet;

/// Returns a key that expects a single rule but has a list. ast-grep would assign the items of the
/// list to the first keys that it knows.
pub(super) fn key_with_list<'a>(key: &'a str, rule: &'a Value) -> Option<&'a str> {
    const SINGLE_RULE_KEYS: [&str; 5] = ["inside", "has", "precedes", "follows", "not"];
    let mut remaining = vec![(key, rule)];
    while let Some((key, rule)) = remaining.pop() {
        match rule {
            Value::Array(_) => return Some(key),
            Value::Object(keys) => {
                remaining.extend(
                    SINGLE_RULE_KEYS.iter().filter_map(|key| Some((*key, keys.get(*key)?))),
                );
                for several in ["all", "any"] {
                    let list = keys.get(several).and_then(Value::as_array).into_iter().flatten();
                    remaining.extend(list.map(|item| (several, item)));
                }
            }
            _ => {}
        }
    }
    None
}

/// Rewrites a message of ast-grep for the author of a page: the original message refers to a
/// generated file that nobody wrote.
pub(super) fn rewrite_error(message: &str, language: &str) -> String {
    let message = message.rsplit("Fail to parse yaml as ").next().unwrap_or(message);
    let message = ["RuleConfig: ", "Rule.: ", "`rule` is not configured correctly.: "]
        .iter()
        .fold(message, |message, prefix| message.strip_prefix(prefix).unwrap_or(message));
    let quoted = |from: &str| -> Option<String> {
        let rest = message.split_once(from)?.1;
        Some(rest.split_once('`')?.0.to_owned())
    };
    if let Some(key) = quoted("unknown field `") {
        let known = message.split_once("expected one of ").map_or("", |(_, known)| known);
        let known = || known.split(", ").map(|key| key.trim_matches('`'));
        return match nearest(&key, known()) {
            Some(near) => format!("unknown key `{key}` in the rule; did you mean `{near}`?"),
            None => format!(
                "unknown key `{key}` in the rule; expected one of {}",
                known().collect::<Vec<_>>().join(", ")
            ),
        };
    }
    if let Some(kind) = quoted("Kind `") {
        let grammar = LANGUAGES.iter().find(|(name, _)| *name == language);
        let kinds = grammar.map(|(_, grammar)| node_kinds(*grammar)).unwrap_or_default();
        let near = nearest(&kind, kinds.iter().map(String::as_str));
        let hint = near.map_or(String::new(), |near| format!("; did you mean `{near}`?"));
        return format!("`{kind}` is not a node kind of {}{hint}", author_name(language));
    }
    if message.contains("must specify a set of AST kinds") {
        return "the rule has no node kind to start at; add a `kind`, or check that its `pattern` is a complete piece of code".to_owned();
    }
    if let Some(name) = quoted("Undefined meta var `") {
        let key = message.rsplit('`').nth(1).unwrap_or("fix");
        return format!("`{key}` uses `${name}`, which the rule does not capture");
    }
    if let Some(value) = quoted("unknown variant `") {
        return format!(
            "invalid value `{value}`; expected `neighbor`, `end` or a rule that ends the search"
        );
    }
    if message.contains("one positive matcher") {
        return "the rule has nothing to match; add a `pattern`, a `kind` or a `regex`".to_owned();
    }
    if message.contains("regex parse error") {
        return "a `regex` in the rule is not a valid expression".to_owned();
    }
    if let Some((_, message)) = message.split_once("invalid type: ")
        && let Some((found, expected)) = message.split_once(", expected ")
    {
        let expected = match expected {
            _ if expected.starts_with("struct ") => "a mapping, such as `{ kind: … }`",
            "a sequence" => "a list, such as `[{ kind: … }]`",
            other => other,
        };
        return format!("the rule contains {found}; expected {expected}");
    }
    message.to_owned()
}

/// The name of a grammar's language as an author writes it: `typescript` selects two grammars.
fn author_name(language: &str) -> &str {
    if language == "tsx" { "typescript" } else { language }
}

/// The names of all node kinds of a grammar.
fn node_kinds(grammar: SupportLang) -> BTreeSet<String> {
    let language = grammar.get_ts_language();
    let ids = 0..u16::try_from(language.node_kind_count()).unwrap_or(u16::MAX);
    let named = ids.filter(|&id| language.node_kind_is_named(id));
    named.filter_map(|id| language.node_kind_for_id(id)).map(str::to_owned).collect()
}

/// An error and its causes, on one line.
pub(super) fn error_chain(error: &dyn std::error::Error) -> String {
    let mut text = error.to_string();
    let mut source = error.source();
    while let Some(cause) = source {
        text = format!("{text}: {}", cause.to_string().lines().next().unwrap_or_default());
        source = cause.source();
    }
    text
}
