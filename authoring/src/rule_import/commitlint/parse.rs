//! How commitlint takes a first line apart: by Conventional Commits, or by an expression of the
//! configuration (`parserPreset.parserOpts.headerPattern`).

use super::super::modules::{Modules, find};
use super::{Map, TABLES, texts};
use regex::Regex;
use regex_syntax::ast::{Ast, RepetitionKind, RepetitionRange};
use serde_json::Value as Json;
use std::ops::Range;

/// How a first line is taken apart.
#[derive(Clone, Debug)]
pub(super) enum Parse {
    /// `type(scope)!: subject`.
    Conventional,
    /// By the groups of an expression; what each is, in their order.
    Own(String, Vec<String>),
    /// By a program, or an expression that ours are not; why.
    Unknown(String),
}

/// How the parser of the configuration marks what a message refers to.
const PREFIX: &str = "#";

impl Parse {
    /// Of a `parserPreset`, which the file at `from` names or holds, and what marks a reference.
    pub(super) fn of(preset: &Json, from: &str, modules: &Modules<'_>) -> (Self, Vec<String>) {
        let loaded = match preset {
            Json::String(name) => find(modules.files, from, name)
                .and_then(|path| modules.exported(&path).ok())
                .map(|read| read.value),
            other => Some(other.clone()),
        };
        let options = loaded.as_ref().map(options).unwrap_or_default();
        let prefixes = texts(&options["issuePrefixes"]);
        let prefixes = if prefixes.is_empty() { vec![PREFIX.to_owned()] } else { prefixes };
        let is_known = |name: &str| name.contains("conventional");
        let parse = match (preset, loaded) {
            (Json::String(name), _) if is_known(name) || name.contains("angular") => {
                Self::Conventional
            }
            (Json::String(name), None) => {
                Self::Unknown(format!("its parser `{name}` is a program"))
            }
            (_, Some(loaded)) if loaded["name"].as_str().is_some_and(is_known) => {
                Self::Conventional
            }
            (_, Some(Json::Null | Json::Object(_))) => Self::with(&options),
            _ if options.is_object() => Self::with(&options),
            _ => Self::Unknown("its parser is a program".to_owned()),
        };
        (parse, prefixes)
    }

    /// By `parserOpts`.
    fn with(options: &Json) -> Self {
        let given = &options["headerPattern"];
        if given.is_null() {
            return Self::Conventional;
        }
        let Some(pattern) = given["regex"].as_str().or_else(|| given.as_str()) else {
            return Self::Unknown("the expression of its parser is not literal".to_owned());
        };
        let is_loose = given["flags"].as_str().is_some_and(|flags| flags.contains('i'));
        let pattern = format!("{}{pattern}", if is_loose { "(?i)" } else { "" });
        let names = texts(&options["headerCorrespondence"]);
        let usual = || ["type", "scope", "subject"].map(str::to_owned).to_vec();
        Self::by(pattern, if names.is_empty() { usual() } else { names })
    }

    fn by(pattern: String, names: Vec<String>) -> Self {
        let Ok(regex) = Regex::new(&pattern) else {
            return Self::Unknown(format!(
                "the expression of its parser, `{pattern}`, looks around or back: ours take linear time"
            ));
        };
        let group = |captures: &regex::Captures<'_>, name: &str| {
            let at = names.iter().position(|one| one == name)?;
            captures.get(at + 1).map(|group| group.as_str().to_owned())
        };
        let same = TABLES.probes.iter().all(|(line, parts)| {
            let found = regex.captures(line);
            let found = found.map(|all| {
                ["type", "scope", "subject"].map(|name| group(&all, name).unwrap_or_default())
            });
            found == *parts
        });
        if same { Self::Conventional } else { Self::Own(pattern, names) }
    }
}

/// `parserOpts`, of the preset itself or of what it is made of.
fn options(preset: &Json) -> Json {
    let outer = &preset["parserOpts"];
    let inner = &outer["parserOpts"];
    if inner.is_object() { inner.clone() } else { outer.clone() }
}

/// The parser of a configuration, else that of what it extends.
pub(super) fn preset(config: &Map<String, Json>) -> Option<Json> {
    config.get("parserPreset").filter(|preset| !preset.is_null()).cloned()
}

/// `pattern` with the groups of these names holding what is given instead; `None` where one has no
/// group.
pub(super) fn filled(pattern: &str, names: &[String], parts: &[(&str, &str)]) -> Option<String> {
    let groups = groups(pattern);
    let mut places = Vec::new();
    for (name, inner) in parts {
        let at = names.iter().position(|one| one == name)?;
        places.push((&groups.get(at)?.place, *inner));
    }
    places.sort_by_key(|(place, _)| place.start);
    let mut text = String::new();
    let mut done = 0;
    for (place, inner) in places {
        text.push_str(pattern.get(done..place.start)?);
        text.push_str("?:");
        text.push_str(inner);
        done = place.end;
    }
    text.push_str(pattern.get(done..)?);
    Some(text)
}

/// Whether the group of this name may be missing, with what stands around it.
pub(super) fn may_miss(pattern: &str, names: &[String], name: &str) -> bool {
    let at = names.iter().position(|one| one == name);
    at.and_then(|at| groups(pattern).get(at).map(|group| group.may_miss)).unwrap_or(true)
}

/// A group of an expression that captures.
struct Group {
    /// Its bytes within the parentheses.
    place: Range<usize>,
    /// Whether a text may fit without it.
    may_miss: bool,
}

/// The groups of an expression that capture, in their order; none where it is no expression.
fn groups(pattern: &str) -> Vec<Group> {
    let mut all = Vec::new();
    if let Ok(ast) = regex_syntax::ast::parse::Parser::new().parse(pattern) {
        collect(&ast, false, &mut all);
    }
    all
}

/// The parser limits how deep expressions nest.
fn collect(ast: &Ast, may_miss: bool, all: &mut Vec<Group>) {
    match ast {
        Ast::Group(group) => {
            if group.is_capturing() {
                let place = group.span.start.offset + 1..group.span.end.offset - 1;
                all.push(Group { place, may_miss });
            }
            collect(&group.ast, may_miss, all);
        }
        Ast::Repetition(repeated) => {
            let kind = &repeated.op.kind;
            let from_none = match kind {
                RepetitionKind::ZeroOrOne | RepetitionKind::ZeroOrMore => true,
                RepetitionKind::OneOrMore => false,
                RepetitionKind::Range(
                    RepetitionRange::Exactly(least)
                    | RepetitionRange::AtLeast(least)
                    | RepetitionRange::Bounded(least, _),
                ) => *least == 0,
            };
            collect(&repeated.ast, may_miss || from_none, all);
        }
        Ast::Alternation(either) => either.asts.iter().for_each(|ast| collect(ast, true, all)),
        Ast::Concat(row) => row.asts.iter().for_each(|ast| collect(ast, may_miss, all)),
        _ => {}
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    fn names() -> Vec<String> {
        ["type", "scope", "subject"].map(str::to_owned).to_vec()
    }

    #[test]
    fn expressions_that_see_the_same_are_conventional() {
        for pattern in [
            r"^(\w*)(?:\((.*)\))?!?: (.*)$",
            r"^(\w*)(?:\((.+)\))?!?: (.+)$",
            r"^(\w+)(?:\(([\w\s-]*)\))?!?:\s(.+)$",
        ] {
            let parse = Parse::by(pattern.to_owned(), names());
            assert!(matches!(parse, Parse::Conventional), "{pattern}");
        }
        for pattern in [r"^\[(\w+)\] (.*)$", r"^(\w*)(?:\((.*)\))?!?\s*:\s*(.*)$", r"^(\w+): (.*)$"]
        {
            assert!(matches!(Parse::by(pattern.to_owned(), names()), Parse::Own(..)), "{pattern}");
        }
        let looks = Parse::by("^(?=a)(.*)$".to_owned(), names());
        assert!(matches!(looks, Parse::Unknown(_)));
    }

    #[test]
    fn groups_are_filled_by_name() {
        let pattern = r"^([\w()]*)(?:\((.*)\))?!?: (.*)$";
        let parts = [("type", "a|b"), ("subject", "x+")];
        assert_eq!(
            filled(pattern, &names(), &parts).as_deref(),
            Some(r"^(?:a|b)(?:\((.*)\))?!?: (?:x+)$")
        );
        assert_eq!(filled(pattern, &names()[..1], &[("scope", "a")]), None);
        assert!(may_miss(pattern, &names(), "scope") && !may_miss(pattern, &names(), "subject"));
        assert!(!may_miss(r"^\[(\w+)\] (.+)$", &["scope".to_owned()], "scope"));
        assert!(may_miss(r"^(?:\[(\w+)\]|-) (.+)$", &["scope".to_owned()], "scope"));
        // In a class it is no group, and a name is none of its expression.
        assert_eq!(filled("[(](?<a>b)", &names(), &[("type", "c")]).as_deref(), Some("[(](?:c)"));
    }

    proptest! {
        #[test]
        fn what_is_filled_is_an_expression_again(
            parts in prop::collection::vec(r"a|é|\\\\|\[\(\)\]|a\*|\(a\)|\(\?:a\|b\)|\(\(a\)\?b\)|\|", 0..8)
        ) {
            let pattern = parts.concat();
            prop_assert!(Regex::new(&pattern).is_ok(), "{pattern}");
            if let Some(text) = filled(&pattern, &names(), &[("type", "x|y")]) {
                prop_assert!(Regex::new(&text).is_ok(), "{text}");
            }
            may_miss(&pattern, &names(), "type");
        }

        #[test]
        fn no_text_is_too_odd(pattern in r"(\(|\)|\(\?:|\[|\]|a|\\|\||\*|é){0,12}") {
            filled(&pattern, &names(), &[("type", "x|y")]);
            may_miss(&pattern, &names(), "type");
        }
    }
}
