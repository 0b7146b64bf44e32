//! The texts of the parser on which this module depends. The pinned release of the parser never
//! sets the code field of its diagnostics, and names the kind of a symbol only as text. Therefore,
//! each text has a code in this module. For each text, a test runs the parser on a source: the test
//! fails if an upgrade of the parser changes the text.

use super::Type;

/// An enum of codes and, as `ALL`, the table of their texts: `Code "text", more columns;`.
macro_rules! texts {
    ($(#[$doc:meta])* $name:ident($($column:ty),*) $($code:ident $text:literal $(, $value:expr)*;)*) => {
        $(#[$doc])*
        #[derive(Clone, Copy, Debug, PartialEq, Eq)]
        pub(crate) enum $name { $($code),* }

        impl $name {
            const ALL: &[(Self, &str, $($column),*)] = &[$((Self::$code, $text, $($value),*)),*];
        }
    };
}

texts! {
    /// Error texts, each with the diagram types in which it occurs and whether Mermaid renders the
    /// diagram in spite of the error, measured with Mermaid 11.17 and 12.3 on valid diagrams. The
    /// first matching row is used, so that a list of expected tokens does not match `Label`.
    Code(&'static [Type], bool)
    MixedEdgeLabel "Invalid edge label: quoted strings", &[Type::FlowchartV2], true;
    StateBrace "unexpected struct stop", &[Type::StateDiagram], true;
    StateId "Authored state id", &[Type::StateDiagram], true;
    StateText "unexpected text; expected newline, node identifier", &[Type::StateDiagram], true;
    StateNote "Unterminated note block", &[Type::StateDiagram], true;
    TimelineHeader "unexpected content after timeline header", &[Type::Timeline], true;
    TreeNode "unexpected tokens after tree node name", &[Type::TreeView], true;
    TreeEnd "unterminated", &[Type::TreeView], true;
    ClassDirection "invalid class direction", &[Type::ClassDiagram], true;
    C4Field "expected string field", &[Type::C4], true;
    C4Macro "unterminated macro call", &[Type::C4], true;
    C4String "unexpected trailing tokens after string", &[Type::C4], true;
    GanttStart "unresolved startTime", &[Type::Gantt], true;
    GanttExcludes "invalid excludes", &[Type::Gantt], true;
    PacketRange "Packet bit range arithmetic", &[Type::Packet], true;
    PacketRow "packet.bitsPerRow", &[Type::Packet], true;
    FrameId "Duplicate event modeling frame ID", &[Type::EventModeling], true;
    MindmapHeader "expected mindmap header", &[Type::Mindmap], true;
    QuadrantHeader "expected quadrantChart", &[Type::QuadrantChart], true;
    XyOrientation "invalid chart orientation", &[Type::XyChart], true;
    TreemapLeaf "unexpected tokens after leaf", &[Type::Treemap], true;
    Character "Unexpected character at ", CHARACTERS, false;
    NodeEnd "unterminated node delimiter", &[Type::Mindmap, Type::Kanban], false;
    JourneyHeader "after journey header", &[Type::Journey], false;
    Date "Invalid date:", &[Type::Gantt], false;
    Statement "statement: ", STATEMENTS, false;
    RequirementStatement "unexpected requirement statement: ", &[Type::Requirement], false;
    End "unexpected end of input", GRAMMARS, false;
    BodyEnd "EOF inside", &[Type::ClassDiagram, Type::Er], false;
    Expectation "; expected ", GRAMMARS, false;
    FlowDirection "flowchart direction", FLOWCHARTS, false;
    Direction "direction", DIRECTED, false;
    Branch "not yet created", &[Type::GitGraph], false;
    NodeLabel "Unterminated node label (missing `", FLOWCHARTS, false;
    ShapeData "Unterminated shape data (missing `", FLOWCHARTS, false;
    Label "label", FLOWCHARTS, false;
}

/// The types of the keywords of flowcharts, which share one grammar.
pub(super) const FLOWCHARTS: &[Type] =
    &[Type::FlowchartV2, Type::FlowchartElk, Type::Flowchart, Type::Swimlane];

/// Types whose grammar reports the expected tokens.
const GRAMMARS: &[Type] = &[
    Type::FlowchartV2,
    Type::FlowchartElk,
    Type::Swimlane,
    Type::ClassDiagram,
    Type::StateDiagram,
    Type::Er,
    Type::Sequence,
];

const CHARACTERS: &[Type] = &[
    Type::FlowchartV2,
    Type::FlowchartElk,
    Type::Swimlane,
    Type::ClassDiagram,
    Type::Er,
    Type::Sequence,
];

const STATEMENTS: &[Type] =
    &[Type::XyChart, Type::Packet, Type::Radar, Type::Venn, Type::EventModeling, Type::Pie];

const DIRECTED: &[Type] =
    &[Type::Requirement, Type::Block, Type::Architecture, Type::Agentflow, Type::Usecase];

impl Code {
    /// The code of `message` in a diagram of type `kind`, and the rest of the message after the
    /// text.
    pub(super) fn from_message(kind: Option<Type>, message: &str) -> Option<(Self, &str)> {
        let kind = kind?;
        let mut rows = Self::ALL.iter().filter(|(_, _, kinds, _)| kinds.contains(&kind));
        rows.find_map(|(code, text, ..)| Some((*code, message.split_once(text)?.1)))
    }

    /// Whether Mermaid renders the diagram in spite of the error.
    pub(super) fn is_rendered(self) -> bool {
        Self::ALL.iter().any(|(code, .., is_rendered)| *code == self && *is_rendered)
    }
}

texts! {
    /// The parser's name of an expected token, and its name in messages.
    Token(&'static str)
    Sep "sep", "a new line";
    Newline "newline", "a new line";
    Amp "amp", "`&`";
    Comma "comma", "`,`";
    Colon "colon", "`:`";
    Text "text", "`: text`";
    StyleSep "style sep", "`:::`";
    StyleSeparator "style separator", "`:::`";
    NodeLabel "node label", "a label in brackets";
    NodeIdentifier "node identifier", "a node id";
    Arrow "arrow", "an arrow";
    SignalType "signal type", "an arrow";
    EdgeId "edge id", "an edge id";
    EdgeLabel "edge label", "edge label";
    EdgeState "edge state", "`[*]`";
    ShapeData "shape data", "`@{…}`";
    Num "num", "a number";
    Str "str", "a quoted string";
    Label "label", "`: label`";
    Ext "ext", "`<|`";
    Dep "dep", "`<` or `>`";
    Comp "comp", "`*`";
    Agg "agg", "`o`";
    Lollipop "lollipop", "`()`";
    Line "line", "`--`";
    DottedLine "dotted line", "`..`";
    Direction "direction stmt", "direction stmt";
}

impl Token {
    /// The token with the parser's name `text`, and its name in messages.
    pub(super) fn from_text(text: &str) -> Option<(Self, &'static str)> {
        let row = Self::ALL.iter().find(|(_, name, _)| *name == text);
        row.map(|(token, _, description)| (*token, *description))
    }
}

/// The expected tokens, if the message lists them.
pub(super) fn expected_tokens(message: &str) -> Option<impl Iterator<Item = &str>> {
    let (_, list) = message.strip_prefix("unexpected ")?.split_once("; expected ")?;
    Some(list.split(", ").map(str::trim))
}

/// Splits a message about front matter that ends with ` at char 7 line 1 column 8` into the text
/// and the line.
pub(super) fn split_position(message: &str) -> (&str, Option<usize>) {
    let message = message.lines().next().unwrap_or_default();
    let Some((text, position)) = message.rsplit_once(" at char ") else { return (message, None) };
    let line = position.split_once("line ").and_then(|(_, line)| line.split(' ').next());
    (text, line.and_then(|line| line.parse().ok()))
}

texts! {
    /// The kind of a symbol, by the parser's name.
    Part()
    ArchitectureEdgeEndpoint "architecture edge endpoint";
    BlockClassName "block class name";
    BlockClassTarget "block class target";
    BlockComposite "block composite";
    BlockEdgeEndpoint "block edge endpoint";
    BlockNode "block node";
    BlockStyleTarget "block style target";
    C4Boundary "c4 boundary";
    C4Component "c4 component";
    C4Container "c4 container";
    C4DeploymentNode "c4 deployment node";
    C4Person "c4 person";
    C4RelationSource "c4 relation source";
    C4RelationStyleSource "c4 relation style source";
    C4RelationStyleTarget "c4 relation style target";
    C4RelationTarget "c4 relation target";
    C4StyleTarget "c4 style target";
    C4System "c4 system";
    Class "class";
    ClassAnnotationTarget "class annotation target";
    ClassCssReference "class css reference";
    ClassCssTarget "class css target";
    ClassInlineClass "class inline class";
    ClassInteractionTarget "class interaction target";
    ClassMember "class member";
    ClassMemberOwner "class member owner";
    ClassNoteTarget "class note target";
    ClassRelationTarget "class relation target";
    ClassStyleTarget "class style target";
    DesignConstraint "design constraint";
    ErAttribute "er attribute";
    ErClassName "er class name";
    ErClassTarget "er class target";
    ErEntity "er entity";
    ErImplicitEntity "er implicit entity";
    ErInlineClass "er inline class";
    ErRelationshipEntity "er relationship entity";
    ErStyleTarget "er style target";
    EventmodelingFrame "eventmodeling frame";
    EventmodelingGwtSourceFrame "eventmodeling gwt source frame";
    EventmodelingNoteSourceFrame "eventmodeling note source frame";
    EventmodelingSourceFrame "eventmodeling source frame";
    FlowchartClassName "flowchart class name";
    FlowchartClassTarget "flowchart class target";
    FlowchartInteractionTarget "flowchart interaction target";
    FlowchartNode "flowchart node";
    FlowchartNodeLabel "flowchart node label";
    FlowchartStyleTarget "flowchart style target";
    FunctionalRequirement "functional requirement";
    GanttClickTarget "gantt click target";
    GanttDependency "gantt dependency";
    GanttTask "gantt task";
    GitGraphCommitId "gitGraph commit id";
    GitGraphCommitTag "gitGraph commit tag";
    InterfaceRequirement "interface requirement";
    IshikawaCause "ishikawa cause";
    IshikawaEffect "ishikawa effect";
    JourneyPeople "journey people";
    JourneyScore "journey score";
    JourneySection "journey section";
    JourneyTask "journey task";
    KanbanItem "kanban item";
    KanbanLabel "kanban label";
    KanbanSection "kanban section";
    MindmapNode "mindmap node";
    PacketBlock "packet block";
    PerformanceRequirement "performance requirement";
    PhysicalRequirement "physical requirement";
    PieSection "pie section";
    QuadrantChartPoint "quadrant chart point";
    RadarAxis "radar axis";
    RadarCurve "radar curve";
    Requirement "requirement";
    RequirementClass "requirement class";
    RequirementClassTarget "requirement class target";
    RequirementDocRef "requirement doc ref";
    RequirementElement "requirement element";
    RequirementElementType "requirement element type";
    RequirementId "requirement id";
    RequirementRelationshipSource "requirement relationship source";
    RequirementRelationshipTarget "requirement relationship target";
    RequirementStyleTarget "requirement style target";
    RequirementText "requirement text";
    SankeyLinkValue "sankey link value";
    SankeySource "sankey source";
    SankeyTarget "sankey target";
    SequenceActor "sequence actor";
    SequenceImplicitParticipant "sequence implicit participant";
    SequenceNoteParticipant "sequence note participant";
    SequenceParticipant "sequence participant";
    SequenceParticipantLabel "sequence participant label";
    SequenceParticipantReference "sequence participant reference";
    State "state";
    StateChoice "state choice";
    StateClassReference "state class reference";
    StateClassTarget "state class target";
    StateClickTarget "state click target";
    StateFork "state fork";
    StateInlineClass "state inline class";
    StateJoin "state join";
    StateNoteTarget "state note target";
    StateReference "state reference";
    StateStyleTarget "state style target";
    Subgraph "subgraph";
    TreeViewNode "tree view node";
    TreemapClassSelector "treemap class selector";
    TreemapLeaf "treemap leaf";
    TreemapSection "treemap section";
    TreemapValue "treemap value";
    VennSet "venn set";
    VennSize "venn size";
    WardleyAnchor "wardley anchor";
    WardleyComponent "wardley component";
    WardleyEvolvedComponent "wardley evolved component";
    WardleyLinkSource "wardley link source";
    WardleyLinkTarget "wardley link target";
    WardleyNote "wardley note";
    WardleyPipelineComponent "wardley pipeline component";
    WardleyPipelineParent "wardley pipeline parent";
}

impl Part {
    pub(super) fn from_text(text: &str) -> Option<Self> {
        Self::ALL.iter().find(|(_, name)| *name == text).map(|(part, _)| *part)
    }
}

#[cfg(test)]
mod tests;
