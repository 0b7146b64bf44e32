//! Mermaid diagrams. Only this module and its submodules use the parser crate (merman); checks use
//! a [`Diagram`], whose names, spans and edges are independent of the parser.

mod fault;
mod grammar;
mod model;
mod strict;
mod texts;

use super::TYPES;
use aidd_engine::text::source::{Source, Span};
use merman_core::semantic::{SemanticParseOutcome, SemanticParser, SemanticSnapshotCapture};
use merman_core::{EditorSemanticRole, Error, ParsedEditorFacts};
pub(crate) use merman_model::family::DiagramTypeId as Type;
use merman_model::operation::OperationControl;
use merman_model::source::SourceSpan;
use model::Model;
use std::borrow::Cow;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::LazyLock;
use std::time::Duration;
use texts::FLOWCHARTS;
pub(crate) use texts::{Code, Part, Token};

/// A diagram, parsed as far as possible.
#[derive(Debug, Default)]
pub(crate) struct Diagram {
    /// The type, if the parser recognizes it.
    pub(crate) kind: Option<Type>,
    /// The keyword of the type.
    pub(crate) header: Span,
    /// Trimmed lines with code: without blank lines, comments, directives and front matter.
    pub(crate) lines: Vec<Span>,
    /// The reason why Mermaid does not render the diagram.
    pub(crate) fault: Option<Fault>,
    /// Names and labels, in source order; including the names and labels in the valid part of a
    /// broken diagram.
    pub(crate) symbols: Vec<Symbol>,
    /// Edges and counts; empty if the diagram is broken.
    pub(crate) model: Model,
}

/// A name or label in a diagram.
#[derive(Debug)]
pub(crate) struct Symbol {
    /// The name or label, without quotes and brackets.
    pub(crate) name: String,
    /// The kind of symbol, if a check needs it.
    pub(crate) kind: Option<Part>,
    /// The span of the name.
    pub(crate) name_span: Span,
    /// The span of the name with its brackets, or of the whole statement.
    pub(crate) span: Span,
    /// Whether the symbol is the definition of a style class.
    pub(crate) class_definition: bool,
}

/// The reason why Mermaid would not render a diagram.
#[derive(Debug, PartialEq, Eq)]
pub(crate) enum Fault {
    /// The first word is not a diagram type.
    UnknownType,
    /// The text violates the grammar of its type.
    Syntax(Syntax),
    /// Front matter that is not at the start of the file.
    LateFrontMatter {
        /// The opening line of the front matter.
        fence: Span,
    },
    /// Front matter that is not valid YAML, or a directive that is not valid JSON.
    Config {
        /// The location of the error.
        span: Span,
        /// Why the text is invalid.
        message: String,
    },
    /// A gantt chart with invalid dates. The grammar accepts them; only rendering fails.
    Dates {
        /// The invalid date.
        span: Span,
        /// Why the date is invalid.
        message: String,
    },
    /// The parser failed or exceeded its time limit; the message states the cause.
    Skipped(String),
}

/// A syntax error.
#[derive(Debug, Default, PartialEq, Eq)]
pub(crate) struct Syntax {
    /// The location of the error.
    pub(crate) span: Span,
    /// The found text and the expected text.
    pub(crate) message: String,
    /// The parser's error code, if a hint depends on it.
    pub(crate) code: Option<Code>,
    /// The tokens that `message` lists as expected.
    pub(crate) expected: Vec<Token>,
}

impl Diagram {
    /// Whether the type is a flowchart, under any of its keywords.
    pub(crate) fn is_flowchart(&self) -> bool {
        self.kind.is_some_and(|kind| FLOWCHARTS.contains(&kind))
    }
}

impl Symbol {
    /// Whether the kind of the symbol is in `parts`.
    pub(crate) fn is_in(&self, parts: &[Part]) -> bool {
        self.kind.is_some_and(|kind| parts.contains(&kind))
    }
}

/// Time limit for parsing a diagram. The slowest real diagrams take a hundredth of this limit.
const TIME_LIMIT: Duration = Duration::from_secs(2);

static PARSER: LazyLock<SemanticParser> = LazyLock::new(SemanticParser::new);

/// Parses a diagram.
pub(crate) fn parse(source: &Source) -> Diagram {
    let (lines, front_matter) = code_lines(source);
    let header = lines.first().map_or(Span::default(), |&line| first_word(source, line));
    let mut diagram = Diagram { header, lines, ..Diagram::default() };
    if diagram.lines.is_empty()
        && let Some(open) = source.text().find("%%{")
    {
        let message = "the directive is not closed by `}%%`".to_owned();
        diagram.fault = Some(Fault::Config { span: Span::new(open, open + 3), message });
        return diagram;
    }
    if let Some(fence) = late_front_matter(source, &diagram) {
        diagram.fault = Some(Fault::LateFrontMatter { fence });
        return diagram;
    }
    // The parser catches panics in its stages; `catch_unwind` catches panics between the stages.
    let capture = catch_unwind(AssertUnwindSafe(|| {
        let control = OperationControl::new().with_deadline(TIME_LIMIT);
        let text = for_parser(source, &diagram);
        PARSER.capture_diagram_snapshot_controlled_sync(&text, &control)
    }));
    match capture {
        Ok(Ok(SemanticSnapshotCapture::Snapshot(snapshot))) => {
            let (metadata, outcome, facts) = snapshot.into_parts();
            diagram.kind = Type::from_id(&metadata.diagram_type);
            if let ParsedEditorFacts::Available(facts) = facts {
                diagram.symbols = symbols(facts.symbols, source);
                fault::store_location(&mut diagram, &facts.diagnostics);
            }
            apply_outcome(outcome, source, &mut diagram);
            if let Some(front_matter) = front_matter
                && diagram.fault.is_none()
            {
                diagram.fault = fault::from_front_matter(front_matter, source);
            }
            apply_grammar(source, &mut diagram);
        }
        Ok(Ok(SemanticSnapshotCapture::Failed { error, .. })) => {
            diagram.fault = fault::from_error(&error, source, &diagram, front_matter);
            if diagram.fault.is_none() && fault::is_ishikawa(source.slice(diagram.header)) {
                diagram.kind = Some(Type::Ishikawa);
                apply_grammar(source, &mut diagram);
            }
        }
        Ok(Ok(SemanticSnapshotCapture::Panicked { .. })) | Err(_) => {
            diagram.fault = Some(Fault::Skipped("the parser failed".to_owned()));
        }
        Ok(Err(_)) => {
            diagram.fault = Some(Fault::Skipped("parsing takes too long".to_owned()));
        }
    }
    diagram
}

/// The keywords that Mermaid accepts besides [`TYPES`]: older spellings and variants.
const OTHER_KEYWORDS: &[&str] = &[
    "flowchart-elk",
    "classDiagram-v2",
    "requirement",
    "sankey-beta",
    "xychart-beta",
    "block-beta",
    "packet-beta",
    "architecture",
    "treemap",
    "ishikawa",
    "railroad-ebnf-beta",
    "railroad-abnf-beta",
    "railroad-peg-beta",
];

/// Whether the first word starts with the keyword of a type, but is longer: `graphTD`. Mermaid
/// detects a type by the start of the text, but its grammar requires the whole word.
fn extends_keyword(source: &Source, header: Span) -> bool {
    let word = source.slice(header);
    let end = word.find(|c: char| !c.is_ascii_alphanumeric() && c != '_' && c != '-');
    let word = &word[..end.unwrap_or(word.len())];
    let is_longer = |keyword: &&str| {
        let rest = word.strip_prefix(*keyword);
        rest.is_some_and(|rest| rest.starts_with(|c: char| c.is_ascii_alphanumeric() || c == '_'))
    };
    let mut keywords = TYPES.iter().chain(OTHER_KEYWORDS);
    !keywords.clone().any(|keyword| *keyword == word) && keywords.any(is_longer)
}

/// Applies the grammar of the type, if [`grammar`] contains one. The grammar decides whether
/// Mermaid accepts the diagram; if both report an error, the parser's error is more specific.
fn apply_grammar(source: &Source, diagram: &mut Diagram) {
    if diagram.fault.is_none() {
        diagram.fault = fault::from_directives(source, diagram);
    }
    let result = grammar::check(source, diagram);
    if !matches!(result, Some(Ok(()))) && extends_keyword(source, diagram.header) {
        diagram.fault = Some(Fault::UnknownType);
        return;
    }
    match result {
        Some(Err(syntax)) if diagram.fault.is_none() => diagram.fault = Some(Fault::Syntax(syntax)),
        Some(Ok(())) if matches!(diagram.fault, Some(Fault::Syntax(_))) => diagram.fault = None,
        _ => {}
    }
    if diagram.fault.is_none() {
        diagram.fault = strict::fault(source, diagram);
    }
}

fn apply_outcome(outcome: SemanticParseOutcome, source: &Source, diagram: &mut Diagram) {
    let recovered = diagram.fault.take();
    match outcome {
        SemanticParseOutcome::Parsed(model) => {
            diagram.model = model::from_parsed(&model, source, diagram);
        }
        SemanticParseOutcome::Failed(error) => {
            let error = without_plain_ids(error, source, diagram);
            let Some(error) = error else { return };
            diagram.fault = fault::from_error(&error, source, diagram, None);
            add_location(&error, recovered.as_ref(), diagram);
        }
        SemanticParseOutcome::Panicked(_) => {
            diagram.fault = Some(Fault::Skipped("the parser failed".to_owned()));
        }
    }
}

/// Maximum number of ids that are replaced in a diagram.
const MAX_IDS: usize = 20;

/// The first error that is not due to an id that only Mermaid allows.
fn without_plain_ids(mut error: Error, source: &Source, diagram: &Diagram) -> Option<Error> {
    let mut text = source.text().to_owned();
    for _ in 0..MAX_IDS {
        let Some(plain) = fault::with_plain_id(&error, &text, diagram) else { return Some(error) };
        text = plain;
        let control = OperationControl::new().with_deadline(TIME_LIMIT);
        let parsed = catch_unwind(AssertUnwindSafe(|| {
            PARSER.capture_diagram_snapshot_controlled_sync(&text, &control)
        }));
        let Ok(Ok(SemanticSnapshotCapture::Snapshot(snapshot))) = parsed else {
            return Some(error);
        };
        let (_, outcome, _) = snapshot.into_parts();
        let SemanticParseOutcome::Failed(next) = outcome else { return None };
        error = next;
    }
    // Each id costs one run of the parser: further ids of this kind are assumed to be valid.
    fault::with_plain_id(&error, &text, diagram).is_none().then_some(error)
}

/// Adds the location found by the recovery to an error without a location.
fn add_location(error: &Error, recovered: Option<&Fault>, diagram: &mut Diagram) {
    if let Error::DiagramParse { diagnostic, .. } = error
        && diagnostic.span().is_none()
        && let Some(Fault::Syntax(located)) = recovered
        && let Some(Fault::Syntax(fault)) = &mut diagram.fault
        && fault.span == diagram.header
    {
        fault.span = located.span;
    }
}

/// A span of the parser, limited to the source.
pub(crate) fn span(parsed: SourceSpan, source: &Source) -> Span {
    let text = source.text();
    let end = text.floor_char_boundary(parsed.end);
    Span::new(text.floor_char_boundary(parsed.start).min(end), end)
}

fn symbols(facts: Vec<merman_core::EditorSemanticSymbol>, source: &Source) -> Vec<Symbol> {
    facts
        .into_iter()
        .map(|symbol| (span(symbol.selection, source), symbol))
        .map(|(name_span, symbol)| Symbol {
            name_span,
            span: span(symbol.span, source),
            // `for_parser` removes the parentheses of a name before parsing.
            name: match source.slice(name_span) {
                name if name.len() == symbol.name.len() => name.to_owned(),
                _ => symbol.name,
            },
            kind: symbol.detail.as_deref().and_then(Part::from_text),
            class_definition: symbol.role == EditorSemanticRole::ClassDefinition,
        })
        .collect()
}

/// The lines with code, and the front matter before them.
fn code_lines(source: &Source) -> (Vec<Span>, Option<Span>) {
    let mut lines = Vec::new();
    let mut front_matter = None;
    let mut in_directive = false;
    let mut number = 0;
    if trimmed(source, 0).1 == "---"
        && let Some(end) = (1..source.line_count()).find(|&line| trimmed(source, line).1 == "---")
    {
        front_matter = Some(source.line_span(0).cover(source.line_span(end)));
        number = end + 1;
    }
    for line in number..source.line_count() {
        let (span, text) = trimmed(source, line);
        if in_directive || text.starts_with("%%{") {
            let rest = text.find("}%%").map(|end| end + 3);
            in_directive = rest.is_none();
            let blank_len = |at: usize| text[at..].len() - text[at..].trim_start().len();
            if let Some(start) = rest.map(|at| span.start as usize + at + blank_len(at))
                && start < span.end as usize
            {
                lines.push(Span::new(start, span.end as usize));
            }
        } else if !text.is_empty() && !text.starts_with("%%") {
            lines.push(span);
        }
    }
    (lines, front_matter)
}

/// The text for the parser, which has the same length as the source. The parser does not support
/// comments that start with `%`, nor parentheses in the names of participants. Sequence diagrams can
/// contain both: `Cache(L1)->>DB: load`.
fn for_parser<'a>(source: &'a Source, diagram: &Diagram) -> Cow<'a, str> {
    let text = source.text();
    if source.slice(diagram.header) != "sequenceDiagram" {
        return Cow::Borrowed(text);
    }
    let mut changed = Cow::Borrowed(text);
    for &line in &diagram.lines {
        let code = source.slice(line);
        let replacement = if code.starts_with('%') && !code.starts_with("%{") {
            let mut blank = " ".repeat(code.len());
            if code.len() > 1 {
                blank.replace_range(..2, "%%");
            }
            blank
        } else {
            match without_parentheses(code) {
                Some(names) => names,
                None => continue,
            }
        };
        changed.to_mut().replace_range(line.range(), &replacement);
    }
    changed
}

/// A statement of a sequence diagram without the parentheses in the names of participants; `None`
/// if no name contains parentheses. `A()->>B` is not a name, but connects to the centre of `A`; a
/// name after an arrow cannot start with a parenthesis.
fn without_parentheses(code: &str) -> Option<String> {
    let end = code.find(':').unwrap_or(code.len());
    let bytes = code.as_bytes();
    let is_part_of_name = |at: usize| match bytes[at] {
        b'(' => {
            bytes.get(at + 1) != Some(&b')')
                && !["-", ">", "-x"].iter().any(|end| code[..at].ends_with(end))
        }
        // The arrows `-)` and `--)` are not names.
        b')' => at.checked_sub(1).is_none_or(|before| !matches!(bytes[before], b'(' | b'-')),
        // Only within a name; a name cannot begin with a slash, and some arrows contain one.
        b'/' => {
            let is_word =
                |at: usize| bytes.get(at).is_some_and(|b| b.is_ascii_alphanumeric() || *b == b'_');
            at.checked_sub(1).is_some_and(is_word) && is_word(at + 1)
        }
        _ => false,
    };
    let keyword = code.split_whitespace().next().unwrap_or_default();
    if matches!(keyword, "participant" | "actor" | "create") || !(0..end).any(is_part_of_name) {
        return None;
    }
    let names = code[..end].char_indices().map(|(at, c)| if is_part_of_name(at) { '_' } else { c });
    Some(names.chain(code[end..].chars()).collect())
}

fn trimmed(source: &Source, line: usize) -> (Span, &str) {
    let span = source.line_span(line);
    let text = source.slice(span);
    let start = text.len() - text.trim_start_matches(['\u{FEFF}', ' ', '\t']).len();
    let text = text[start..].trim_end();
    let start = span.start as usize + start;
    (Span::new(start, start + text.len()), text)
}

fn first_word(source: &Source, line: Span) -> Span {
    let text = source.slice(line);
    let end =
        text.find(|c: char| c.is_whitespace() || matches!(c, ';' | ':')).unwrap_or(text.len());
    Span::new(line.start as usize, line.start as usize + end)
}

/// The opening fence of front matter that does not start on the first line of the file, if a
/// closing fence follows.
fn late_front_matter(source: &Source, diagram: &Diagram) -> Option<Span> {
    let &fence = diagram.lines.first()?;
    let is_closed = diagram.lines.iter().skip(1).any(|&line| source.slice(line) == "---");
    (source.slice(fence) == "---" && is_closed && fence.start > 0).then_some(fence)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn read(text: &str) -> (Source, Diagram) {
        let source = Source::new("d.mmd", text);
        let diagram = parse(&source);
        (source, diagram)
    }

    #[test]
    fn many_ids_with_punctuation_are_accepted() {
        let nodes: String =
            (0..2 * MAX_IDS).map(|id| format!("  shop/app#{id}[\"x\"]\n")).collect();
        let (_, diagram) = read(&format!("flowchart LR\n{nodes}"));
        assert!(diagram.fault.is_none());
    }

    #[test]
    fn header_and_lines_contain_only_code() {
        let (source, diagram) = read(
            "---\ntitle: x\n---\n%% c\n%%{init: {\n}}%%\n\n  flowchart LR\r\n  A --> B %% d\n",
        );
        assert_eq!(source.slice(diagram.header), "flowchart");
        let lines: Vec<_> = diagram.lines.iter().map(|&line| source.slice(line)).collect();
        assert_eq!(lines, ["flowchart LR", "A --> B %% d"]);
    }

    #[test]
    fn symbol_spans_refer_to_the_source() {
        let (source, diagram) = read("---\ntitle: é\n---\nflowchart LR\r\n  Ä[\"x\"] --> B\n");
        let found: Vec<_> = diagram
            .symbols
            .iter()
            .map(|symbol| (symbol.kind, source.slice(symbol.name_span)))
            .collect();
        let (node, label) = (Some(Part::FlowchartNode), Some(Part::FlowchartNodeLabel));
        assert_eq!(found, [(node, "Ä"), (label, "x"), (node, "B")]);
        assert_eq!(diagram.fault, None);
    }

    #[test]
    fn names_of_participants_can_contain_parentheses() {
        for line in [
            "Data(T0) ->> Hot Data(T1): load",
            "A((1))-->+B (2): x",
            "A()->>()B: x",
            "(A)->>B: x (y)",
            "Note over A(1),B: x",
            "Index(1)->>B: x",
        ] {
            let (_, diagram) = read(&format!("sequenceDiagram\n  {line}\n"));
            assert_eq!(diagram.fault, None, "{line}");
        }
        let (_, diagram) = read("sequenceDiagram\n  A(1)->>B: x\n");
        let names: Vec<&str> = diagram.symbols.iter().map(|symbol| &*symbol.name).collect();
        assert!(names.contains(&"A(1)"), "{names:?}");
        let (_, diagram) = read("sequenceDiagram\n  A(1)>>>B\n");
        assert!(diagram.fault.is_some());
    }

    #[test]
    fn any_text_is_parsed_without_panic() {
        for text in ["", "\n", "---", "---\n---", "\u{FEFF}", "%%{", "flowchart", "pie\r", "é\0"] {
            let (source, diagram) = read(text);
            assert!(diagram.header.end as usize <= source.text().len(), "{text:?}");
        }
    }
}
