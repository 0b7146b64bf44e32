//! Grammars of diagram types for which the parser and Mermaid often differ. Each grammar consists
//! of a table-driven lexer and a function that reads the tokens. The lexers of Mermaid use the
//! first rule that matches, so the order of the rules is part of the language.

mod block;
mod c4;
mod lexer;
mod prepared;
mod quadrant;
mod requirement;
mod sankey;
mod timeline;
mod tree;
mod treemap;
mod xychart;

use super::{Diagram, Syntax, Type};
use aidd_engine::text::source::Source;
use lexer::{Cursor, Lexer, Unexpected};
use prepared::Prepared;

/// A grammar: its lexer, and the function that reads the tokens of the text.
struct Grammar {
    lexer: &'static std::sync::LazyLock<Lexer>,
    parse: fn(&str, &mut Cursor<'_>) -> Result<(), Unexpected>,
}

/// The grammars by type.
const GRAMMARS: &[(Type, Grammar)] = &[
    (Type::Mindmap, Grammar { lexer: &tree::MINDMAP, parse: tree::mindmap }),
    (Type::Kanban, Grammar { lexer: &tree::KANBAN, parse: tree::kanban }),
    (Type::Ishikawa, Grammar { lexer: &tree::ISHIKAWA, parse: tree::ishikawa }),
    (Type::TreeView, Grammar { lexer: &tree::TREE_VIEW, parse: tree::tree_view }),
    (Type::C4, Grammar { lexer: &c4::LEXER, parse: c4::parse }),
    (Type::Timeline, Grammar { lexer: &timeline::LEXER, parse: timeline::parse }),
    (Type::QuadrantChart, Grammar { lexer: &quadrant::LEXER, parse: quadrant::parse }),
    (Type::XyChart, Grammar { lexer: &xychart::LEXER, parse: xychart::parse }),
    (Type::Requirement, Grammar { lexer: &requirement::LEXER, parse: requirement::parse }),
    (Type::Treemap, Grammar { lexer: &treemap::LEXER, parse: treemap::parse }),
    (Type::Block, Grammar { lexer: &block::LEXER, parse: block::parse }),
    (Type::Sankey, Grammar { lexer: &sankey::LEXER, parse: sankey::parse }),
];

/// The first syntax error, or `Ok` if the diagram is valid. `None` for types without a grammar in
/// [`GRAMMARS`].
pub(super) fn check(source: &Source, diagram: &Diagram) -> Option<Result<(), Syntax>> {
    let (_, grammar) = GRAMMARS.iter().find(|(kind, _)| Some(*kind) == diagram.kind)?;
    let prepared = Prepared::new(source, diagram.header.start);
    let tokens = grammar.lexer.tokens(&prepared.text);
    let result = (grammar.parse)(&prepared.text, &mut Cursor::new(&tokens));
    Some(result.map_err(|fault| syntax(&fault, &prepared, source)))
}

fn syntax(fault: &Unexpected, prepared: &Prepared, source: &Source) -> Syntax {
    let text = &prepared.text;
    let (start, end) = (fault.token.start, fault.token.end);
    let indent = text[start..end].len() - text[start..end].trim_start().len();
    // A token includes the whitespace before it. The span excludes this whitespace, unless the
    // token contains nothing else.
    let start = if start + indent < end { start + indent } else { start };
    let line_end = text[start..end].find('\n').map_or(end, |at| start + at);
    let span = prepared.span(start, line_end, source);
    let found = super::fault::truncate(&text[start..line_end]);
    let message = match &fault.message {
        Some(message) => message.clone(),
        None if fault.expected.is_empty() || fault.expected.len() > 8 => {
            format!("unexpected {}", describe_token(fault, &found))
        }
        None => {
            let (list, _) = super::fault::expected_list(fault.expected.iter().copied());
            format!("expected {list}, found {}", describe_token(fault, &found))
        }
    };
    Syntax { span, message, ..Syntax::default() }
}

fn describe_token(fault: &Unexpected, found: &str) -> String {
    if found.trim().is_empty() {
        let is_end = fault.token.kind == lexer::END || fault.token.kind == lexer::UNKNOWN;
        let name = if is_end { lexer::END } else { "the end of the line" };
        name.to_owned()
    } else {
        format!("`{}`", found.trim())
    }
}
