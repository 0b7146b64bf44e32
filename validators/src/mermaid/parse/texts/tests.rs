//! Parses one diagram for each error message, expected token and symbol kind in the tables.

use super::super::{PARSER, Type};
use super::{Code, Part, Token, expected_tokens, split_position};
use merman_core::semantic::{SemanticParseOutcome, SemanticSnapshotCapture};
use merman_core::{Error, ParsedEditorFacts};
use merman_model::operation::OperationControl;

/// The result of parsing a source: its type, its error, and the kinds of its symbols.
fn read(text: &str) -> (Option<Type>, Option<Error>, Vec<String>) {
    let control = OperationControl::new();
    match PARSER.capture_diagram_snapshot_controlled_sync(text, &control) {
        Ok(SemanticSnapshotCapture::Snapshot(snapshot)) => {
            let (metadata, outcome, facts) = snapshot.into_parts();
            let error = match outcome {
                SemanticParseOutcome::Failed(error) => Some(error),
                _ => None,
            };
            let symbols = match facts {
                ParsedEditorFacts::Available(facts) => facts.symbols,
                ParsedEditorFacts::Unavailable => Vec::new(),
            };
            let words = symbols.into_iter().filter_map(|symbol| symbol.detail).collect();
            (Type::from_id(&metadata.diagram_type), error, words)
        }
        Ok(SemanticSnapshotCapture::Failed { error, .. }) => (None, Some(error), Vec::new()),
        other => panic!("{text}: {other:?}"),
    }
}

/// The type and the error message of a source that does not parse.
fn parse_error(text: &str) -> (Type, String) {
    match read(text) {
        (Some(kind), Some(Error::DiagramParse { diagnostic, .. }), _) => {
            (kind, diagnostic.message().to_owned())
        }
        other => panic!("{text}: {other:?}"),
    }
}

/// Invalid sources, grouped by error code.
const INVALID: &[(Code, &[&str])] = &[
    (Code::MixedEdgeLabel, &["flowchart TD\nA -- x\"y\" --> B\n"]),
    (Code::StateBrace, &["stateDiagram-v2\n}"]),
    (
        Code::StateId,
        &["stateDiagram-v2\nnote right of A : note\nstate \"Authored\" as A----note-0\n"],
    ),
    (Code::StateText, &["stateDiagram-v2\nstate A : b"]),
    (Code::StateNote, &["stateDiagram-v2\nnote left of A\n x"]),
    (Code::TimelineHeader, &["timeline TB\n 2020 : X"]),
    (Code::TreeNode, &["treeView-beta\n\"\"\""]),
    (Code::TreeEnd, &["treeView-beta\naccDescr {\n"]),
    (Code::ClassDirection, &["classDiagram\nclass Service direction\n"]),
    (Code::C4Field, &["C4Dynamic\nRel(a, b, \"x\", $type=\"custom\")\n"]),
    (Code::C4Macro, &["C4Dynamic\nRel(a"]),
    (Code::C4String, &["C4Context\nRel(a, b, \"first\"note)\n"]),
    (Code::GanttStart, &["gantt\na: x"]),
    (
        Code::GanttExcludes,
        &[
            "gantt\nexcludes weekends,monday,tuesday,wednesday,thursday,friday\nA :a, 2025-01-01, 1d",
        ],
    ),
    (Code::PacketRange, &["packet\n0-9223372036854775807: \"too wide\"\n"]),
    (
        Code::PacketRow,
        &["---\nconfig:\n  packet:\n    bitsPerRow: 0\n---\npacket\n0-7: \"byte\"\n"],
    ),
    (Code::FrameId, &["eventmodeling\ntf 01 cmd Start\ntf 01 evt Changed\n"]),
    (Code::MindmapHeader, &["mindmapclass\nroot\n"]),
    (Code::QuadrantHeader, &["quadrantChart A\n"]),
    (Code::XyOrientation, &["xychart horizo"]),
    (Code::TreemapLeaf, &["treemap-beta\n\"valid\": 2}\n"]),
    (
        Code::Character,
        &[
            "flowchart TD\nA <",
            "erDiagram\n& {}\n",
            "sequenceDiagram\nA->=>B: hello",
            "classDiagram\nclass 𠀀\n",
        ],
    ),
    (Code::NodeEnd, &["mindmap\n    root)", "kanban\n    (r"]),
    (Code::JourneyHeader, &["journey title x\n"]),
    (Code::Date, &["gantt\nt1: id1,-1,1ms\n"]),
    (
        Code::Statement,
        &[
            "xychart\ntit",
            "packet\n+0:",
            "radar-beta\n$",
            "venn-beta&\n",
            "eventmodeling\n{s",
            "pie\n[",
        ],
    ),
    (Code::RequirementStatement, &["requirementDiagram\n r"]),
    (
        Code::End,
        &[
            "graph TD\nA-->",
            "classDiagram",
            "stateDiagram-v2\nstate A {\nB\n",
            "erDiagram\nA 1+",
            "sequenceDiagram\nA",
        ],
    ),
    (Code::BodyEnd, &["classDiagram\nclass A {\n", "erDiagram\nBOOK {\n "]),
    (
        Code::Expectation,
        &[
            "flowchart LR\nA e",
            "classDiagram\nclass ->>",
            "stateDiagram\n[*] --> %%",
            "erDiagram\nA ||--o{ B\n",
            "sequenceDiagram\n{\n",
        ],
    ),
    (Code::FlowDirection, &["graph ]\n"]),
    (
        Code::Direction,
        &[
            "requirementDiagram\ndirection {ir}\n",
            "block\nA<[\"Move\"]>(sideways)\n",
            "block\nA<[\"Move\"]>()\n",
            "architecture-beta\nservice a\na:X -- R:b\n",
            "architecture-beta\nservice a\na:L -- X:a\n",
            "architecture-beta\nservice a\na:L --",
            "architecture-beta\nservice a\nalign ) a\n",
            "agentflow-beta XX\n",
            "agentflow-beta TB extra\n",
            "agentflow-beta LR\nglobal\nflow f direction TB\n a --> b\nend\n",
            "agentflow-beta\nA\nclick A direction LR\n",
            "usecase-beta\ndirection X\n",
        ],
    ),
    (Code::Branch, &["gitGraph\ncheckout feature\n"]),
    (
        Code::NodeLabel,
        &[
            "graph\nX[ My",
            "graph\nX[/ My",
            "graph\nX[[ My",
            "graph\nX( My",
            "graph\nX(( My",
            "graph\nX([ My",
            "graph\nX(- My",
            "graph\nX{ My",
            "graph\nX{{ My",
        ],
    ),
    (Code::ShapeData, &["flowchart TB\nA@{"]),
    (
        Code::Label,
        &[
            "flowchart TD\nA -.",
            "flowchart TD\nA[f(x)]",
            "flowchart TD\nA -->|@page| B\n",
            "flowchart TD\nA[\"x (\"y\")\"]",
            "flowchart TD\nA -- \"\" --> B\n",
            "flowchart TD\nA -- \"``\" --> B\n",
            "flowchart TD\nA -. .b .-> B\n",
            "flowchart TD\nA-- --> B",
            "flowchart TD\nA-->|\"1",
            "flowchart-elk TD\nA -- x\"y\" --> B\n",
        ],
    ),
];

#[test]
fn errors_match_the_table() {
    for &(code, _, kinds, _) in Code::ALL {
        let sources = INVALID
            .iter()
            .filter(|(source_code, _)| *source_code == code)
            .flat_map(|(_, sources)| *sources);
        let mut found_types = Vec::new();
        for text in sources {
            let (kind, message) = parse_error(text);
            let found = Code::from_message(Some(kind), &message).map(|(code, _)| code);
            assert_eq!(found, Some(code), "{text}: {message}");
            found_types.push(kind);
        }
        // The other flowchart keywords share the grammar.
        let others = [Type::Flowchart, Type::FlowchartElk, Type::Swimlane];
        for kind in kinds.iter().filter(|kind| !others.contains(kind)) {
            assert!(found_types.contains(kind), "no source of {kind:?} for {code:?}");
        }
    }
}

/// Invalid sources whose errors list the expected tokens.
const EXPECTED: &[&str] = &[
    "flowchart LR\nA e",
    "graph TD\nA-->",
    "graph TD\ngraph TD\n",
    "classDiagram\nclass User\nUser <|--",
    "classDiagram\nclass ->>",
    "classDiagram\nA o B",
    "classDiagram\nA <|-- B::: c\n",
    "sequenceDiagram\n{",
    "sequenceDiagram\nparticipant",
    "sequenceDiagram\nNote over A",
    "erDiagram\nclassDef p",
    "erDiagram\nA ||--o{ B",
    "stateDiagram\n[*] --> %%",
];

#[test]
fn expected_tokens_match_the_table() {
    let messages: Vec<String> = EXPECTED.iter().map(|text| parse_error(text).1).collect();
    let found_tokens: Vec<&str> =
        messages.iter().filter_map(|message| expected_tokens(message)).flatten().collect();
    for (token, text, _) in Token::ALL {
        assert!(found_tokens.contains(text), "no source expects {token:?}");
    }
}

#[test]
fn front_matter_errors_end_with_their_position() {
    let (_, error, _) = read("---\nconfig:\n  title: a: b\n---\npie\n\"a\": 1\n");
    let Some(Error::InvalidFrontMatterYaml { message }) = error else { panic!("{error:?}") };
    let (text, line) = split_position(&message);
    assert_eq!(line, Some(2), "{message}");
    assert!(!text.contains("line"), "{message}");
}

/// Valid sources with all kinds of symbols.
const VALID: &[&str] = &[
    "sankey\nA,B,1",
    "block-beta\nblock:g:2\nA\nend\nA --> B\nclassDef hot fill:#fff\nclass A hot\nstyle A fill:#fff\n",
    "flowchart TD\nsubgraph G\nA[x]\nend\nclass A base\nstyle A fill:#f00\nclick A href \"https://example.com\"\n",
    "journey\nsection a\nb: 5: Me",
    "kanban\nroot\n  theId(note)",
    "treemap-beta\n\"Root\"\n  \"Child\": 1 :::hot\nclassDef hot fill:#f96;\n",
    "erDiagram\nA ||--o{ B : has\nB ||--o{ A : has\nC:::k {\n  string title\n}\nclass C f\nstyle C color:red\n",
    "classDiagram\nclass A:::k\n<<interface>> A\nA: member\nA --> B\nnote for A \"x\"\nclick A href \"x\"\ncssClass \"A\" k\nstyle A fill:#fff\n",
    "sequenceDiagram\nparticipant B as Bob\nactor A\nA->>B: hi\nC->>D: hi\nNote right of B: x\n",
    "stateDiagram-v2\nstate f <<fork>>\nstate c <<choice>>\nstate j <<join>>\nA\n[*]:::k --> f\nnote right of A : x\nclass f k\nstyle A fill:#fff\nclick A href \"https://example.com\"\n",
    "ishikawa Root\n Cause\n",
    "requirementDiagram\nrequirement a {\n id: \"1\"\n text: \"b\"\n}\nelement e {\n type: t\n docref: d\n}\nfunctionalRequirement f {\n}\ninterfaceRequirement i {\n}\nperformanceRequirement p {\n}\nphysicalRequirement y {\n}\ndesignConstraint c {\n}\na - contains -> f\nclass a k\nstyle a fill:#fff\n",
    "radar-beta\naxis a\ncurve b{1}",
    "gantt\na: id1, 2013-01-01, 2w\nb: id2, after id1, 1d\nclick id1 href \"https://example.com/\"\n",
    "wardley-beta\ncomponent A [0.6, 0.7]\nanchor B [0.4, 0.5]\nA -> B\nnote \"x\" [0.1, 0.2]\nevolve A 0.8\npipeline A {\n  component C [0.2]\n}\n",
    "gitGraph:\ncommit id:\"1111\" tag: \"test tag\"",
    "venn-beta\nset A:.5\n",
    "mindmap\n r",
    "pie\n\"A\": 1",
    "C4Context\nBoundary(b, \"B\")\n{\n  Person(p, \"P\")\n  System(s, \"S\")\n  Container(c, \"C\")\n  Component(d, \"D\")\n}\nRel(p, s, \"x\")\nUpdateElementStyle(p, $bgColor=\"red\")\nUpdateRelStyle(p, s, $textColor=\"red\")\n",
    "C4Deployment\nNode(n, \"N\", \"type\") {\n  Container(c, \"C\")\n}\n",
    "eventmodeling\ntf 01 evt A\ntf 02 evt B ->> 01\nnote 01 {\n  x\n}\ngwt 01\n  given\n    evt A\n  then\n    evt B\n",
    "packet\n+1: \"bit\"",
    "xychart\nx-axis [Q1, Q2]\nline [1, 2]\nbar [2, 3]\n",
    "treeView-beta\na",
    "quadrantChart\nA: [0.1,0.2]",
    "architecture-beta\nservice a\nservice b\na:L -- R:b\n",
];

#[test]
fn symbol_kinds_match_the_table() {
    let mut found_kinds = Vec::new();
    for text in VALID {
        let (_, error, words) = read(text);
        assert!(error.is_none(), "{text}: {error:?}");
        found_kinds.extend(words);
    }
    for (part, text) in Part::ALL {
        assert!(found_kinds.iter().any(|word| word == text), "no source has {part:?}");
    }
}
