//! The syntax trees of a pattern and of an example that it does not match.

use super::{header, language_of};
use crate::parse::syntax::{Parsed, parse_text};
use crate::rules::rule::Rule;
use ast_grep_core::matcher::{DumpPattern, MatcherExt};
use ast_grep_core::tree_sitter::LanguageExt;
use ast_grep_core::{Language, Pattern};
use ast_grep_language::SupportLang;
use serde_json::Value;
use std::borrow::Cow;
use std::fmt::Write as _;

/// Maximum number of nodes printed of one tree.
const MAX_NODES: usize = 60;
/// Maximum number of characters printed of the text of a node.
const MAX_TEXT: usize = 40;

/// Code around a statement or an expression, by language; `@` is the place of the pattern. Without
/// it, these grammars parse a call as something else: in Go, `f(x)` on its own is a conversion.
const CONTEXTS: [(SupportLang, &str); 6] = [
    (SupportLang::Go, "func f() { @ }"),
    (SupportLang::Java, "class C { void f() { @; } }"),
    (SupportLang::CSharp, "class C { void F() { @; } }"),
    (SupportLang::C, "void f() { @; }"),
    (SupportLang::Php, "<?php @;"),
    (SupportLang::Css, "a { @; }"),
];

/// Describes why the pattern of a rule matches nothing in `text`, the file at `path`: both syntax
/// trees, and a pattern with a context if it would match. `None` for a rule without a pattern and
/// for a file in a language without a grammar.
pub(crate) fn explain(rule: &Rule, path: &str, text: &str) -> Option<String> {
    let (_, language) = language_of(path)?;
    let patterns = patterns(&serde_json::from_str(&header(rule)?.rule.0).ok()?);
    let example = parse_text(text, language)?;
    let mut out = String::new();
    for written in patterns {
        match compile(&written, language) {
            Ok(pattern) if pattern.find_node(example.root()).is_some() => {
                let _ = writeln!(
                    out,
                    "pattern `{}` matches; another part of the rule excludes the match",
                    written.text
                );
            }
            Ok(pattern) => {
                let _ = writeln!(out, "pattern `{}`:", written.text);
                let names = language.get_ts_language();
                let name_of =
                    |kind| names.node_kind_for_id(kind).map(|name| Cow::Owned(name.to_owned()));
                out.push_str(&pattern.dump(&name_of).map_or_else(String::new, pattern_tree));
            }
            Err(error) => {
                let _ = writeln!(out, "pattern `{}`: {error}", written.text);
            }
        }
        if let Some((context, selector)) = with_context(&written, language, &example) {
            let _ = writeln!(
                out,
                "on its own, the pattern is parsed as other code; write: \
                 pattern: {{ context: '{context}', selector: {selector} }}"
            );
        }
    }
    if out.is_empty() {
        return None;
    }
    let _ = writeln!(out, "example {path}:");
    out.push_str(&example_tree(&example));
    Some(out)
}

/// A pattern as written in a page.
#[derive(Debug, PartialEq, Eq)]
struct Written {
    text: String,
    selector: Option<String>,
}

/// All patterns in a rule.
fn patterns(rule: &Value) -> Vec<Written> {
    let mut found = Vec::new();
    let mut remaining = vec![rule];
    while let Some(value) = remaining.pop() {
        match value {
            Value::Object(map) => {
                for (key, value) in map {
                    match (key.as_str(), value) {
                        ("pattern", Value::String(text)) => {
                            found.push(Written { text: text.clone(), selector: None });
                        }
                        ("pattern", Value::Object(parts)) => {
                            let part = |key| parts.get(key).and_then(Value::as_str);
                            if let Some(text) = part("context") {
                                let selector = part("selector").map(str::to_owned);
                                found.push(Written { text: text.to_owned(), selector });
                            }
                        }
                        _ => remaining.push(value),
                    }
                }
            }
            Value::Array(all) => remaining.extend(all),
            _ => {}
        }
    }
    found
}

fn compile(written: &Written, language: SupportLang) -> Result<Pattern, String> {
    let pattern = match &written.selector {
        Some(selector) => Pattern::contextual(&written.text, selector, language),
        None => Pattern::try_new(&written.text, language),
    };
    pattern.map_err(|error| error.to_string())
}

/// A context and a selector with which a pattern matches the example.
fn with_context(
    written: &Written,
    language: SupportLang,
    example: &Parsed,
) -> Option<(String, String)> {
    let (_, around) = CONTEXTS.iter().find(|(known, _)| *known == language)?;
    if written.selector.is_some() {
        return None;
    }
    let text = written.text.trim().trim_end_matches(';');
    let context = around.replace('@', text);
    let parsed = parse_text(&language.pre_process_pattern(&context), language)?;
    let text = language.pre_process_pattern(text);
    let root = parsed.root();
    let same_text = root.dfs().filter(|node| node.is_named() && node.text() == text);
    let selectors: Vec<String> = same_text.map(|node| node.kind().into_owned()).collect();
    // The innermost node: the outer ones are statements that match in fewer places.
    let selector = selectors.into_iter().rev().find(|selector| {
        Pattern::contextual(&context, selector, language)
            .is_ok_and(|pattern| pattern.find_node(example.root()).is_some())
    })?;
    Some((context, selector))
}

/// The named nodes of a pattern, one line each.
fn pattern_tree(root: DumpPattern<'_>) -> String {
    let mut out = String::new();
    let mut remaining = vec![(root, 1)];
    let mut printed = 0;
    while let Some((node, depth)) = remaining.pop() {
        let DumpPattern { is_meta_var, kind, text, children } = node;
        // Punctuation and keywords have no kind.
        if let Some(kind) = kind {
            printed += 1;
            if printed > MAX_NODES {
                push_line(&mut out, 1, "…");
                break;
            }
            let line = if is_meta_var { text.into_owned() } else { line(&kind, &text) };
            push_line(&mut out, depth, &line);
        }
        remaining.extend(children.into_iter().rev().map(|child| (child, depth + 1)));
    }
    out
}

/// The named nodes of an example, one line each.
fn example_tree(example: &Parsed) -> String {
    let mut out = String::new();
    let mut remaining = vec![(example.root(), 1)];
    let mut printed = 0;
    while let Some((node, depth)) = remaining.pop() {
        if !node.is_named() {
            continue;
        }
        printed += 1;
        if printed > MAX_NODES {
            push_line(&mut out, 1, "…");
            break;
        }
        let text = if node.is_leaf() { node.text() } else { "".into() };
        push_line(&mut out, depth, &line(&node.kind(), &text));
        let children: Vec<_> = node.children().collect();
        remaining.extend(children.into_iter().rev().map(|child| (child, depth + 1)));
    }
    out
}

fn push_line(out: &mut String, depth: usize, line: &str) {
    out.push_str(&"  ".repeat(depth));
    out.push_str(line);
    out.push('\n');
}

/// The kind of a node, and the text of a leaf.
fn line(kind: &str, text: &str) -> String {
    if text.is_empty() {
        return kind.to_owned();
    }
    let shown: String = text.chars().take(MAX_TEXT).collect();
    let more = if shown.len() < text.len() { "…" } else { "" };
    format!("{kind} {shown:?}{more}")
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::rules::registry::project_rule;

    fn explained(language: &str, rule: &str, path: &str, text: &str) -> String {
        let page = format!(
            "---\nseverity: warning\ncheck:\n  syntax:\n    language: {language}\n    rule: {rule}\n---\n# a/b\n\nWhy.\n"
        );
        let rule = project_rule("rules/a/b.md", &page).expect("a rule");
        explain(&rule, path, text).expect("an explanation")
    }

    #[test]
    fn a_call_pattern_in_go_needs_a_context() {
        let text = "package a\n\nfunc g() { fmt.Println(\"x\") }\n";
        insta::assert_snapshot!(
            explained("go", "{ pattern: 'fmt.Println($A)' }", "a.go", text), @r#"
        pattern `fmt.Println($A)`:
          type_conversion_expression
            qualified_type
              package_identifier "fmt"
              type_identifier "Println"
            $A
        on its own, the pattern is parsed as other code; write: pattern: { context: 'func f() { fmt.Println($A) }', selector: call_expression }
        example a.go:
          source_file
            package_clause
              package_identifier "a"
            function_declaration
              identifier "g"
              parameter_list
              block
                statement_list
                  expression_statement
                    call_expression
                      selector_expression
                        identifier "fmt"
                        field_identifier "Println"
                      argument_list
                        interpreted_string_literal
                          interpreted_string_literal_content "x"
        "#
        );
    }

    #[test]
    fn a_pattern_that_matches_is_not_the_cause() {
        let rule = "{ all: [{ pattern: 'f($A)' }, { inside: { kind: class_body, stopBy: end } }] }";
        let text = explained("javascript", rule, "a.js", "f(1)\n");
        assert!(text.starts_with("pattern `f($A)` matches; another part"), "{text}");
    }

    #[test]
    fn all_patterns_of_a_rule_are_found() {
        let rule = serde_json::json!({ "any": [
            { "pattern": "a" }, { "not": { "pattern": { "context": "b", "selector": "c" } } },
        ] });
        let texts: Vec<String> = patterns(&rule).into_iter().map(|one| one.text).collect();
        assert_eq!(texts, ["b", "a"]);
    }
}
