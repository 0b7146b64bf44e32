//! Determines how commitlint parses a first line: as a Conventional Commit, or with an expression of
//! the configuration (`parserPreset.parserOpts.headerPattern`).

use super::super::modules::{Modules, resolve};
use super::{TABLES, string_list};
use regex::Regex;
use regex_syntax::ast::Ast;
use serde_json::Value as Json;
use std::ops::Range;

/// How a first line is parsed.
#[derive(Clone, Debug)]
pub(super) enum HeaderParser {
    /// The line is parsed as `type(scope)!: subject`.
    Conventional,
    /// The line is parsed with an expression; the strings are the names of its groups, in order.
    Custom(String, Vec<String>),
    /// The line is parsed with a program or an unsupported expression; the string is the reason.
    Unknown(String),
}

/// The default prefix of issue references.
const PREFIX: &str = "#";

impl HeaderParser {
    /// The parser of `preset`, the `parserPreset` of the file at `from`, and the prefixes of issue
    /// references. `preset` is a module name or an object.
    pub(super) fn from_preset(
        preset: &Json,
        from: &str,
        modules: &Modules<'_>,
    ) -> (Self, Vec<String>) {
        let loaded = match preset {
            Json::String(name) => resolve(modules.files, from, name)
                .and_then(|path| modules.exported(&path).ok())
                .map(|read| read.value),
            other => Some(other.clone()),
        };
        let options = loaded.as_ref().map(parser_options).unwrap_or_default();
        let prefixes = string_list(&options["issuePrefixes"]);
        let prefixes = if prefixes.is_empty() { vec![PREFIX.to_owned()] } else { prefixes };
        let is_known = |name: &str| name.contains("conventional");
        let parse = match (preset, loaded) {
            (Json::String(name), _) if is_known(name) || name.contains("angular") => {
                Self::Conventional
            }
            (Json::String(name), None) => {
                Self::Unknown(format!("the parser `{name}` is a program"))
            }
            (_, Some(loaded)) if loaded["name"].as_str().is_some_and(is_known) => {
                Self::Conventional
            }
            (_, Some(Json::Null | Json::Object(_))) => Self::from_options(&options),
            _ if options.is_object() => Self::from_options(&options),
            _ => Self::Unknown("the parser is a program".to_owned()),
        };
        (parse, prefixes)
    }

    /// The parser defined by `parserOpts`.
    fn from_options(options: &Json) -> Self {
        let header = &options["headerPattern"];
        if header.is_null() {
            return Self::Conventional;
        }
        let Some(pattern) = header["regex"].as_str().or_else(|| header.as_str()) else {
            return Self::Unknown("the expression of its parser is not a literal".to_owned());
        };
        let ignores_case = header["flags"].as_str().is_some_and(|flags| flags.contains('i'));
        let pattern = format!("{}{pattern}", if ignores_case { "(?i)" } else { "" });
        let names = string_list(&options["headerCorrespondence"]);
        let default_names = || ["type", "scope", "subject"].map(str::to_owned).to_vec();
        Self::from_pattern(pattern, if names.is_empty() { default_names() } else { names })
    }

    fn from_pattern(pattern: String, names: Vec<String>) -> Self {
        let Ok(regex) = Regex::new(&pattern) else {
            return Self::Unknown(format!(
                "the expression of its parser, `{pattern}`, uses look-around or backreferences, which are unsupported"
            ));
        };
        let group = |captures: &regex::Captures<'_>, name: &str| {
            let at = names.iter().position(|known| known == name)?;
            captures.get(at + 1).map(|group| group.as_str().to_owned())
        };
        let is_conventional = TABLES.sample_headers.iter().all(|(line, parts)| {
            let captured_parts = regex.captures(line).map(|captures| {
                ["type", "scope", "subject"].map(|name| group(&captures, name).unwrap_or_default())
            });
            captured_parts == *parts
        });
        if is_conventional { Self::Conventional } else { Self::Custom(pattern, names) }
    }
}

/// The `parserOpts` of the preset, or of the preset on which it is based.
fn parser_options(preset: &Json) -> Json {
    let outer = &preset["parserOpts"];
    let inner = &outer["parserOpts"];
    if inner.is_object() { inner.clone() } else { outer.clone() }
}

/// Replaces the contents of groups of `pattern`; `parts` are names of groups and the new contents.
/// `None` if a name has no group.
pub(super) fn fill_groups(
    pattern: &str,
    names: &[String],
    parts: &[(&str, &str)],
) -> Option<String> {
    let groups = capturing_groups(pattern);
    let mut ranges = Vec::new();
    for (name, inner) in parts {
        let at = names.iter().position(|known| known == name)?;
        ranges.push((groups.get(at)?, *inner));
    }
    ranges.sort_by_key(|(range, _)| range.start);
    let mut text = String::new();
    let mut end = 0;
    for (range, inner) in ranges {
        text.push_str(pattern.get(end..range.start)?);
        text.push_str("?:");
        text.push_str(inner);
        end = range.end;
    }
    text.push_str(pattern.get(end..)?);
    Some(text)
}

/// The capturing groups of an expression, in order, as byte ranges within the parentheses; empty if
/// the expression is malformed.
fn capturing_groups(pattern: &str) -> Vec<Range<usize>> {
    let Ok(parsed) = regex_syntax::ast::parse::Parser::new().parse(pattern) else {
        return Vec::new();
    };
    let mut groups = Vec::new();
    let mut remaining = vec![&parsed];
    while let Some(ast) = remaining.pop() {
        match ast {
            Ast::Group(group) => {
                if group.is_capturing() {
                    groups.push(group.span.start.offset + 1..group.span.end.offset - 1);
                }
                remaining.push(&group.ast);
            }
            Ast::Repetition(repeated) => remaining.push(&repeated.ast),
            Ast::Alternation(either) => remaining.extend(&either.asts),
            Ast::Concat(row) => remaining.extend(&row.asts),
            _ => {}
        }
    }
    groups.sort_by_key(|range| range.start);
    groups
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    fn names() -> Vec<String> {
        ["type", "scope", "subject"].map(str::to_owned).to_vec()
    }

    #[test]
    fn equivalent_expressions_are_conventional() {
        for pattern in [
            r"^(\w*)(?:\((.*)\))?!?: (.*)$",
            r"^(\w*)(?:\((.+)\))?!?: (.+)$",
            r"^(\w+)(?:\(([\w\s-]*)\))?!?:\s(.+)$",
        ] {
            let parse = HeaderParser::from_pattern(pattern.to_owned(), names());
            assert!(matches!(parse, HeaderParser::Conventional), "{pattern}");
        }
        for pattern in [r"^\[(\w+)\] (.*)$", r"^(\w*)(?:\((.*)\))?!?\s*:\s*(.*)$", r"^(\w+): (.*)$"]
        {
            assert!(
                matches!(
                    HeaderParser::from_pattern(pattern.to_owned(), names()),
                    HeaderParser::Custom(..)
                ),
                "{pattern}"
            );
        }
        let looks = HeaderParser::from_pattern("^(?=a)(.*)$".to_owned(), names());
        assert!(matches!(looks, HeaderParser::Unknown(_)));
    }

    #[test]
    fn groups_are_filled_by_name() {
        let pattern = r"^([\w()]*)(?:\((.*)\))?!?: (.*)$";
        let parts = [("type", "a|b"), ("subject", "x+")];
        assert_eq!(
            fill_groups(pattern, &names(), &parts).as_deref(),
            Some(r"^(?:a|b)(?:\((.*)\))?!?: (?:x+)$")
        );
        assert_eq!(fill_groups(pattern, &names()[..1], &[("scope", "a")]), None);
        let nested = [("type", "a"), ("scope", "b")];
        assert_eq!(fill_groups("((a)b)(c)", &names(), &nested), None);
        // A parenthesis in a character class does not begin a group, and the name of a group is not
        // part of its expression.
        assert_eq!(
            fill_groups("[(](?<a>b)", &names(), &[("type", "c")]).as_deref(),
            Some("[(](?:c)")
        );
    }

    proptest! {
        #[test]
        fn filled_expressions_are_valid(
            parts in prop::collection::vec(r"a|é|\\\\|\[\(\)\]|a\*|\(a\)|\(\?:a\|b\)|\(\(a\)\?b\)|\|", 0..8)
        ) {
            let pattern = parts.concat();
            prop_assert!(Regex::new(&pattern).is_ok(), "{pattern}");
            if let Some(text) = fill_groups(&pattern, &names(), &[("type", "x|y")]) {
                prop_assert!(Regex::new(&text).is_ok(), "{text}");
            }
        }

        #[test]
        fn any_text_is_parsed_without_panic(pattern in r"(\(|\)|\(\?:|\[|\]|a|\\|\||\*|é){0,12}") {
            fill_groups(&pattern, &names(), &[("type", "x|y")]);
        }
    }
}
