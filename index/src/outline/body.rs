//! What the bodies of functions contain, as far as other parts do not need it: the number of branches,
//! and a hash of the code. Which nodes are branches is data.

use super::Symbol;
use aidd_engine::project::git::content_id;
use ast_grep_core::tree_sitter::LanguageExt;
use ast_grep_language::SupportLang;
use std::sync::OnceLock;

/// Operators that evaluate their second operand under a condition.
const OPERATORS: &[&str] = &["&&", "&&=", "??", "??=", "and", "or", "||", "||="];

/// The branches of all languages that are not listed by language.
const COMMON: &[&str] = &[
    "catch_clause",
    "conditional_expression",
    "do_statement",
    "for_statement",
    "if_statement",
    "ternary_expression",
    "while_statement",
];

/// The other branches of a language: kinds of nodes, and tokens. The default of a selection is none.
fn branches(language: SupportLang) -> &'static [&'static str] {
    match language {
        SupportLang::JavaScript | SupportLang::TypeScript | SupportLang::Tsx => {
            &["case", "for_in_statement"]
        }
        SupportLang::Python => {
            &["case_clause", "elif_clause", "except_clause", "for_in_clause", "if_clause"]
        }
        SupportLang::Rust => &["for_expression", "if_expression", "match_arm", "while_expression"],
        SupportLang::Go => &["case"],
        SupportLang::Java => &["case", "enhanced_for_statement"],
        SupportLang::Kotlin => &[
            "catch_block",
            "do_while_statement",
            "elvis_expression",
            "if_expression",
            "when_condition",
        ],
        SupportLang::CSharp => &["case", "foreach_statement", "switch_expression_arm"],
        SupportLang::Ruby => &[
            "conditional",
            "elsif",
            "for",
            "if",
            "if_modifier",
            "in_clause",
            "rescue",
            "rescue_modifier",
            "unless",
            "unless_modifier",
            "until",
            "until_modifier",
            "when",
            "while",
            "while_modifier",
        ],
        SupportLang::Php => &[
            "case_statement",
            "else_if_clause",
            "foreach_statement",
            "match_conditional_expression",
        ],
        _ => &[],
    }
}

/// Selections whose branches cover all cases, so that one of them needs no condition.
fn selections(language: SupportLang) -> &'static [&'static str] {
    match language {
        SupportLang::Rust => &["match_expression"],
        SupportLang::CSharp => &["switch_expression"],
        _ => &[],
    }
}

/// For each kind of node, the number of branches that a node adds.
pub(super) fn weights(language: SupportLang) -> &'static [i8] {
    static ALL: [OnceLock<Vec<i8>>; 11] = [const { OnceLock::new() }; 11];
    let at = match language {
        SupportLang::JavaScript => 0,
        SupportLang::TypeScript => 1,
        SupportLang::Tsx => 2,
        SupportLang::Python => 3,
        SupportLang::Rust => 4,
        SupportLang::Go => 5,
        SupportLang::Java => 6,
        SupportLang::Kotlin => 7,
        SupportLang::CSharp => 8,
        SupportLang::Ruby => 9,
        SupportLang::Php => 10,
        _ => return &[],
    };
    ALL[at].get_or_init(|| {
        let (own, selections) = (branches(language), selections(language));
        let language = language.get_ts_language();
        let weight = |id: usize| {
            let id = u16::try_from(id).unwrap_or_default();
            let name = language.node_kind_for_id(id).unwrap_or_default();
            let is_named = language.node_kind_is_named(id);
            // A keyword such as `if` has the name of the node in Ruby.
            let is_own = own.contains(&name) && is_named != (name == "case");
            let is_branch =
                is_own || is_named && COMMON.contains(&name) || OPERATORS.contains(&name);
            i8::from(is_branch) - i8::from(is_named && selections.contains(&name))
        };
        (0..language.node_kind_count()).map(weight).collect()
    })
}

/// Whether the code of a branch is the last case of a Python `match`, which has no condition.
pub(super) fn is_default(code: &str) -> bool {
    let rest = code.strip_prefix("case").and_then(|rest| rest.trim_start().strip_prefix('_'));
    let rest = rest.map(str::trim_start);
    rest.is_some_and(|rest| rest.starts_with(':') || rest.starts_with("if "))
}

/// Counts the branches of functions during the pass over a tree.
#[derive(Debug, Default)]
pub(super) struct Branches {
    /// The weights of the kinds of nodes.
    pub(super) weights: &'static [i8],
    /// The number of branches by the index of the innermost symbol.
    counts: Vec<i32>,
}

impl Branches {
    pub(super) fn weight(&self, kind: u16) -> i8 {
        self.weights.get(usize::from(kind)).copied().unwrap_or_default()
    }

    /// Adds branches to a symbol.
    pub(super) fn add(&mut self, symbol: Option<u32>, weight: i8) {
        let Some(at) = symbol else { return };
        let at = at as usize;
        if self.counts.len() <= at {
            self.counts.resize(at + 1, 0);
        }
        self.counts[at] += i32::from(weight);
    }

    /// Sets the complexity and the hash of the bodies of functions.
    pub(super) fn finish(self, text: &str, symbols: &mut [Symbol]) {
        for symbol in symbols.iter_mut().filter(|symbol| symbol.kind.is_function()) {
            let Some((start, end)) = symbol.body else { continue };
            let body = text.get(start.offset as usize..end.offset as usize).unwrap_or_default();
            symbol.complexity = Some(1);
            symbol.body_hash = Some(hash(body));
        }
        for (at, count) in self.counts.into_iter().enumerate().filter(|(_, count)| *count != 0) {
            // Branches in types and variables belong to the enclosing function.
            let mut next = Some(at);
            while let Some(symbol) = next.and_then(|at| symbols.get_mut(at)) {
                if let Some(complexity) = &mut symbol.complexity {
                    *complexity = complexity.saturating_add_signed(count);
                    break;
                }
                next = symbol.parent.map(|parent| parent as usize);
            }
        }
    }
}

/// The hash of code without indentation and empty lines.
fn hash(body: &str) -> i64 {
    let mut code = String::with_capacity(body.len());
    for line in body.lines().map(str::trim).filter(|line| !line.is_empty()) {
        code.push_str(line);
        code.push('\n');
    }
    content_id(code.as_bytes()).cast_signed()
}
