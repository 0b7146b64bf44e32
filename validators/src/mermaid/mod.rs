//! Checks on Mermaid diagrams.

mod charts;
mod graph;
mod hints;
mod names;
mod parse;
mod references;
mod sequence;

use super::{Checks, check_ids};
use aidd_engine::check::family::Family;
use aidd_engine::rules::rule::Report;
use aidd_engine::text::conflict::{MERGE_CONFLICT, first_conflict};
use aidd_engine::text::finding::Edit;
use aidd_engine::text::kind::{self, Kind};
use aidd_engine::text::source::Span;
use parse::{Diagram, Fault, Part, Symbol, parse};

/// The rules on Mermaid diagrams.
pub(super) const FAMILY: Family = Family {
    name: "mermaid",
    rules: || check_ids(CHECKS),
    claim: |path, text| {
        let is_diagram = kind::kinds(path, text).contains(&Kind::MERMAID) && !is_other(text);
        is_diagram.then_some(Kind::MERMAID)
    },
    fence: |language| matches!(language, "mermaid" | "mmd").then_some(Kind::MERMAID),
    check: |_, _, report| run(report),
    ..Family::EMPTY
};

/// The checks, by rule id.
const CHECKS: Checks<Diagram> = &[
    ("mermaid/activation-without-end", sequence::activation_without_end),
    ("mermaid/conflicting-labels", names::conflicting_labels),
    ("mermaid/cyclic-flow", graph::cyclic_flow),
    ("mermaid/duplicate-declaration", names::duplicate_declaration),
    ("mermaid/duplicate-edge", graph::duplicate_edge),
    ("mermaid/duplicate-id", names::duplicate_id),
    ("mermaid/duplicate-label", names::duplicate_label),
    ("mermaid/duplicate-member", names::duplicate_member),
    ("mermaid/duplicate-sibling", names::duplicate_sibling),
    ("mermaid/empty-diagram", charts::empty_diagram),
    ("mermaid/empty-label", names::empty_label),
    ("mermaid/empty-section", charts::empty_section),
    ("mermaid/experimental-type", experimental_type),
    ("mermaid/invalid-config", invalid_config),
    ("mermaid/invalid-date", invalid_date),
    ("mermaid/late-front-matter", late_front_matter),
    ("mermaid/length-mismatch", charts::length_mismatch),
    ("mermaid/missing-axis-title", charts::missing_axis_title),
    ("mermaid/missing-direction", missing_direction),
    ("mermaid/no-accessible-text", no_accessible_text),
    ("mermaid/outdated-keyword", outdated_keyword),
    ("mermaid/self-loop", graph::self_loop),
    ("mermaid/syntax", syntax),
    ("mermaid/task-without-actor", charts::task_without_actor),
    ("mermaid/unconnected-node", graph::unconnected_node),
    ("mermaid/undeclared-participant", sequence::undeclared_participant),
    ("mermaid/undefined-class", references::undefined_class),
    ("mermaid/unknown-diagram-type", unknown_diagram_type),
    ("mermaid/unknown-reference", references::unknown_reference),
    ("mermaid/unreachable-state", graph::unreachable_state),
    ("mermaid/unused-class", references::unused_class),
    ("mermaid/value-out-of-range", charts::value_out_of_range),
];

/// Whether a file with the extension of diagrams is a mind map of FreeMind or a template.
fn is_other(text: &str) -> bool {
    text.trim_start_matches('\u{feff}').trim_start().starts_with('<')
        || ["{{#", "{{/", "{%", "<%"].iter().any(|mark| text.contains(mark))
}

/// Runs the checks over the source of `report`.
fn run(report: &mut Report<'_>) {
    let diagram = parse(report.source());
    super::run_checks(CHECKS, &diagram, report);
    if let Some(Fault::Skipped(why)) = &diagram.fault
        && report.begin("aidd/skipped-file")
    {
        report.at(diagram.header, format!("the diagram was not checked: {why}"));
    }
}

impl Diagram {
    /// The symbols of one kind, in source order.
    fn symbols_of_kind(&self, part: Part) -> impl Iterator<Item = &Symbol> {
        self.symbols.iter().filter(move |symbol| symbol.kind == Some(part))
    }

    /// Whether Mermaid renders the diagram.
    fn is_rendered(&self) -> bool {
        self.fault.is_none()
    }
}

/// The current keywords of all diagram types.
const TYPES: &[&str] = &[
    "flowchart",
    "graph",
    "sequenceDiagram",
    "classDiagram",
    "stateDiagram-v2",
    "stateDiagram",
    "erDiagram",
    "gantt",
    "pie",
    "journey",
    "mindmap",
    "timeline",
    "gitGraph",
    "quadrantChart",
    "requirementDiagram",
    "C4Context",
    "C4Container",
    "C4Component",
    "C4Dynamic",
    "C4Deployment",
    "sankey",
    "xychart",
    "block",
    "packet",
    "kanban",
    "architecture-beta",
    "radar-beta",
    "treemap-beta",
    "venn-beta",
    "wardley-beta",
    "treeView-beta",
    "ishikawa-beta",
    "swimlane-beta",
    "cynefin-beta",
    "railroad-beta",
    "eventmodeling",
    "zenuml",
    "info",
];

fn syntax(diagram: &Diagram, report: &mut Report<'_>) {
    if let Some(conflict) = first_conflict(report.source().text()) {
        report.at(conflict.into(), MERGE_CONFLICT);
    } else if let Some(Fault::Syntax(fault)) = &diagram.fault {
        hints::report(diagram, fault, report);
    }
}

fn unknown_diagram_type(diagram: &Diagram, report: &mut Report<'_>) {
    if diagram.fault != Some(Fault::UnknownType) || first_conflict(report.source().text()).is_some()
    {
        return;
    }
    let word = report.source().slice(diagram.header);
    if word.is_empty() {
        let is_block = !kind::kinds(report.source().path(), "").contains(&Kind::MERMAID);
        let place = if is_block { "block" } else { "file" };
        report
            .at(diagram.header, format!("the {place} contains no diagram"))
            .help(format!("Start with the type, such as `flowchart TD`, or delete the {place}"));
        return;
    }
    // MultiMarkdown files also have the extension `mmd`; they start with metadata or a heading.
    let line = diagram.lines.first().map_or("", |&line| report.source().slice(line));
    let is_metadata = line.split_whitespace().next().is_some_and(|word| word.ends_with(':'));
    let is_markdown = is_metadata || line.starts_with('#');
    let starts_diagram = |&line: &Span| starts_diagram(report.source().slice(line));
    if is_markdown
        && report.source().path().ends_with(".mmd")
        && !diagram.lines.iter().skip(1).any(starts_diagram)
    {
        return;
    }
    if let Some((known, rest)) = split_direction(word) {
        let finding = report.at(diagram.header, format!("unknown diagram type `{word}`"));
        finding.help(format!("Write a space after `{known}`"));
        let text = format!("{known} {rest}");
        finding.fix_unsafe(
            format!("Write `{text}`"),
            vec![Edit::replace(diagram.header, text.clone())],
        );
        return;
    }
    let near = nearest(word, TYPES.iter().copied()).or_else(|| {
        let with_suffix = format!("{word}Diagram");
        TYPES.iter().copied().find(|known| known.eq_ignore_ascii_case(&with_suffix))
    });
    let finding = report.at(diagram.header, format!("unknown diagram type `{word}`"));
    match near {
        Some(near) => {
            finding.help(format!("Did you mean `{near}`?"));
            finding
                .fix_unsafe(format!("Write `{near}`"), vec![Edit::replace(diagram.header, near)]);
        }
        None => {
            finding.help("Start with the type, such as `flowchart TD` or `sequenceDiagram`");
        }
    }
}

/// Whether a line starts a diagram. A type that is also an ordinary word is not sufficient.
fn starts_diagram(line: &str) -> bool {
    let mut words = line.split_whitespace();
    let word = words.next().unwrap_or_default();
    match word {
        "flowchart" | "graph" => words.next().is_some_and(|it| hints::DIRECTIONS.contains(&it)),
        _ => word.contains(|c: char| c.is_uppercase() || c == '-') && TYPES.contains(&word),
    }
}

/// Splits the keyword of a flowchart from the direction that follows the keyword without a space.
fn split_direction(word: &str) -> Option<(&str, &str)> {
    ["flowchart", "graph"].into_iter().find_map(|keyword| {
        let rest = word.strip_prefix(keyword)?;
        hints::DIRECTIONS.contains(&rest).then(|| (&word[..keyword.len()], rest))
    })
}

fn late_front_matter(diagram: &Diagram, report: &mut Report<'_>) {
    let Some(Fault::LateFrontMatter { fence }) = diagram.fault else { return };
    let source = report.source();
    let start = source.line_span(source.line_of(fence.start)).start;
    let before = Span { start: 0, end: start };
    let comments = source.slice(before).trim_start_matches('\u{FEFF}').trim_start().to_owned();
    let finding = report.at(fence, "front matter does not begin on the first line");
    finding.help("Mermaid only reads front matter at the start of the file, not after a comment");
    let mut edits = vec![Edit::delete(before)];
    if !comments.is_empty() {
        let end = diagram.lines.iter().skip(1).find(|&&line| source.slice(line) == "---");
        let Some(end) = end else { return };
        let rest = source.line_span(source.line_of(end.start) + 1);
        edits.push(Edit::insert(rest.start, comments));
    }
    finding.fix("Move the front matter to the top", edits);
}

fn invalid_config(diagram: &Diagram, report: &mut Report<'_>) {
    if let Some(Fault::Config { span, message }) = &diagram.fault {
        report.at(*span, message);
    }
}

fn invalid_date(diagram: &Diagram, report: &mut Report<'_>) {
    if let Some(Fault::Dates { span, message }) = &diagram.fault {
        report.at(*span, message).help(
            "Write dates in the format of `dateFormat`, or `after ID` to start after another task",
        );
    }
}

fn no_accessible_text(diagram: &Diagram, report: &mut Report<'_>) {
    let (missing, help) = match diagram.model.accessible {
        Some((false, false)) => (
            "no `accTitle` and no `accDescr`",
            "Add lines `accTitle: …` and `accDescr: …` that name and describe the diagram for screen \
             readers",
        ),
        Some((false, true)) => {
            ("no `accTitle`", "Add a line `accTitle: …` that names the diagram for screen readers")
        }
        Some((true, false)) => {
            ("no `accDescr`", "Add a line `accDescr: …` that describes the diagram")
        }
        _ => return,
    };
    report.at(diagram.header, format!("the diagram has {missing}")).help(help);
}

fn experimental_type(diagram: &Diagram, report: &mut Report<'_>) {
    let word = report.source().slice(diagram.header);
    if let Some(stable) = word.strip_suffix("-beta")
        && diagram.kind.is_some()
        && !STABLE.contains(&stable)
    {
        report.at(diagram.header, format!("`{word}` is experimental: its syntax can change"));
    }
}

/// Types that no longer need the `-beta` suffix.
const STABLE: [&str; 4] = ["sankey", "xychart", "block", "packet"];

fn outdated_keyword(diagram: &Diagram, report: &mut Report<'_>) {
    if diagram.kind.is_none() {
        return;
    }
    let word = report.source().slice(diagram.header);
    let (current, is_equivalent) = match word {
        "graph" => ("flowchart", true),
        "classDiagram-v2" => ("classDiagram", true),
        "stateDiagram" => ("stateDiagram-v2", true),
        _ => match word.strip_suffix("-beta") {
            // Renderers older than the change only support the old keyword.
            Some(stable) if STABLE.contains(&stable) => (stable, false),
            _ => return,
        },
    };
    let finding = report.at(diagram.header, format!("`{word}` is now written `{current}`"));
    let edits = vec![Edit::replace(diagram.header, current)];
    let title = format!("Write `{current}`");
    if is_equivalent {
        finding.fix(title, edits);
    } else {
        finding.fix_unsafe(title, edits);
    }
}

fn missing_direction(diagram: &Diagram, report: &mut Report<'_>) {
    let drawn = diagram.is_flowchart() && diagram.model.accessible.is_some();
    if drawn && !diagram.model.has_direction {
        let finding = report.at(diagram.header, "the flowchart has no direction");
        finding.help("Add a direction; the default is `TB`, from top to bottom");
        finding.fix("Add `TB`", vec![Edit::insert(diagram.header.end, " TB")]);
    }
}

/// Maximum length of the word in bytes, and maximum number of names compared for a suggestion: a
/// comparison costs the product of the lengths.
const SUGGESTION_LIMITS: (usize, usize) = (64, 500);

/// The name most similar to `word`, if it is similar enough.
fn nearest<'a>(word: &str, names: impl Iterator<Item = &'a str>) -> Option<&'a str> {
    if word.len() > SUGGESTION_LIMITS.0 {
        return None;
    }
    let lower = word.to_lowercase();
    names
        .filter(|name| *name != word && name.len() <= SUGGESTION_LIMITS.0)
        .take(SUGGESTION_LIMITS.1)
        .map(|name| {
            // Short names are similar to most names: only differences in case are allowed.
            let min_score = if name.len() < 3 { 1.0 } else { 0.65 };
            (name, strsim::normalized_damerau_levenshtein(&lower, &name.to_lowercase()), min_score)
        })
        .filter(|(_, score, min_score)| score >= min_score)
        .max_by(|a, b| a.1.total_cmp(&b.1))
        .map(|(name, ..)| name)
}

/// The trimmed line at offset `at`.
fn line_at(diagram: &Diagram, at: u32) -> Option<Span> {
    let index = diagram.lines.partition_point(|line| line.start <= at).checked_sub(1)?;
    diagram.lines.get(index).copied().filter(|line| at <= line.end)
}

#[cfg(test)]
mod tests {
    use super::*;
    use aidd_engine::rules::rule::{Params, Setting, Settings};
    use aidd_engine::text::finding::{Finding, Severity};
    use aidd_engine::text::source::Source;
    use proptest::prelude::*;

    fn findings(text: &str) -> (Source, Vec<Finding>) {
        let source = Source::new("d.mmd", text);
        let setting = Setting {
            severity: Some(Severity::Warning),
            params: Params::default(),
            is_configured: false,
        };
        let all: Settings = CHECKS.iter().map(|(id, _)| ((*id).into(), setting.clone())).collect();
        let mut report = Report::new(&source, &all);
        run(&mut report);
        let findings = report.finish();
        (source, findings)
    }

    fn rules(text: &str) -> Vec<String> {
        let mut rules: Vec<_> =
            findings(text).1.iter().map(|finding| finding.rule.to_string()).collect();
        rules.sort();
        rules.dedup();
        rules
    }

    #[test]
    fn a_valid_diagram_has_no_findings() {
        for text in [
            "flowchart LR\n  accTitle: a\n  accDescr: b\n  A e1@--> B\n  e1@{ animate: true }\n",
            "sequenceDiagram\n  accTitle: a\n  accDescr: b\n  participant A\n  create participant B\n  \
             A->>B: hi\n  destroy B\n  A-xB: bye\n",
            "flowchart LR\n  accTitle: a\n  accDescr: b\n  A[One] --> B & C --> D:::x\n  \
             A -->|again| B\n  classDef x fill:#fff\n",
            "sequenceDiagram\n  accTitle: a\n  accDescr: b\n  participant A\n  actor B\n  \
             A->>+B: hi\n  B-->>-A: yo\n",
            "sankey\n\nA,B,10\nB,C,5\n",
        ] {
            assert_eq!(rules(text), [""; 0], "{text}");
        }
    }

    #[test]
    fn names_are_recognized_in_every_spelling() {
        for text in [
            "requirementDiagram\n  functionalRequirement a {\n  }\n  designConstraint b {\n  }\n  \
             a - contains -> b\n",
            "classDiagram\n  class Box~T~\n  note for Box \"x\"\n  click Box href \"x\"\n",
            "stateDiagram-v2\n  state f <<fork>>\n  [*] --> f\n  class f k\n  classDef k fill:#fff\n",
            "block-beta\n  block:g:2\n    d\n  end\n  style g fill:#fff\n",
        ] {
            let found = rules(text);
            assert!(!found.iter().any(|rule| rule == "mermaid/unknown-reference"), "{text}");
        }
    }

    #[test]
    fn an_invalid_diagram_has_no_other_findings() {
        assert_eq!(rules("pie\n  \"a\" : 0\n  \"a\" : x\n"), ["mermaid/syntax"]);
    }

    #[test]
    fn edges_are_found_in_chains_and_groups() {
        let (source, findings) = findings(
            "flowchart LR\n  A & B --> C[x & y] --> D\n  B --> C; C --> D\n  accTitle: a\n  accDescr: b\n",
        );
        let found: Vec<_> = findings.iter().map(|finding| source.slice(finding.span)).collect();
        assert_eq!(found, ["B --> C", "C --> D"]);
    }

    proptest! {
        #![proptest_config(ProptestConfig::with_cases(400))]
        #[test]
        fn any_text_is_checked_without_panic(
            header in "(flowchart TD|sequenceDiagram|classDiagram|stateDiagram-v2|erDiagram|gantt|pie|journey\
                |mindmap|gitGraph|sankey|quadrantChart|requirementDiagram|block|kanban|C4Context|xychart|timeline)",
            body in proptest::collection::vec(
                "(\n|\r\n| |  |A|B|é|😀|-->|->>|--|\\[|\\]|\\(|\\)|\\{|\\}|:|:::|\"|,|1|\\||\
                 end|subgraph|state|class|click|style|section|after|%%|---|@|~|<|>|&|;|activate|note)",
                0..40,
            ),
        ) {
            let (source, findings) = findings(&format!("{header}\n{}", body.concat()));
            for finding in findings {
                prop_assert!(finding.span.end as usize <= source.text().len());
                prop_assert!(source.text().is_char_boundary(finding.span.start as usize));
                prop_assert!(source.text().is_char_boundary(finding.span.end as usize));
                prop_assert!(!finding.message.is_empty());
            }
        }
    }
}
