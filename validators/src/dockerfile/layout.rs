//! Checks on the text: syntax errors, casing, blank continuation lines, legacy syntax, comments.

use super::super::Checks;
use super::casing::Casing;
use aidd_engine::parse::dockerfile::{Comment, Dockerfile, Instruction, Keyword, Pair, PieceKind};
use aidd_engine::rules::rule::Report;
use aidd_engine::text::finding::Edit;
use aidd_engine::text::source::{Source, Span};

pub(super) const CHECKS: Checks<Dockerfile> = &[
    ("dockerfile/syntax", syntax),
    ("dockerfile/instruction-casing", instruction_casing),
    ("dockerfile/empty-continuation", empty_continuation),
    ("dockerfile/legacy-key-value", legacy_key_value),
    ("dockerfile/definition-description", definition_description),
    ("dockerfile/inline-ignore", inline_ignore),
];

fn syntax(file: &Dockerfile, report: &mut Report<'_>) {
    for problem in &file.problems {
        let finding = report.at(problem.span, &*problem.message);
        if let Some(help) = &problem.help {
            finding.help(&**help);
        }
    }
    let is_blank = |line: &str| line.trim().is_empty() || line.trim_start().starts_with('#');
    if report.source().text().lines().all(is_blank) {
        report.at(Span::default(), "no instruction").help("Add `FROM`, or delete the file");
    }
}

fn instruction_casing(file: &Dockerfile, report: &mut Report<'_>) {
    let source = report.source();
    let casing = Casing::from_file(file, source);
    for instruction in
        file.instructions.iter().filter(|instruction| instruction.kind != Keyword::Unknown)
    {
        let written = source.slice(instruction.keyword);
        let expected = casing.apply(instruction.kind.name());
        if written == expected {
            continue;
        }
        report
            .at(
                instruction.keyword,
                format!("`{written}` is cased differently from the other instructions"),
            )
            .fix(format!("Write {expected}"), vec![Edit::replace(instruction.keyword, expected)]);
    }
}

fn empty_continuation(file: &Dockerfile, report: &mut Report<'_>) {
    for instruction in &file.instructions {
        let Some(&first) = instruction.blanks.first() else { continue };
        let edits = instruction.blanks.iter().map(|&blank| whole_line(report.source(), blank));
        let edits = edits.map(Edit::delete).collect();
        report
            .at(first, "blank line within an instruction")
            .help("The instruction continues after it; builders warn, and may reject it in future versions")
            .fix("Remove the blank lines", edits);
    }
}

/// The line at `span` with its line break.
fn whole_line(source: &Source, span: Span) -> Span {
    let next = source.line_span(source.line_of(span.start) + 1).start;
    Span { start: span.start, end: next.max(span.end) }
}

fn legacy_key_value(file: &Dockerfile, report: &mut Report<'_>) {
    for instruction in &file.instructions {
        let Some(pair) = instruction.pairs.first().filter(|pair| pair.legacy) else { continue };
        let Some(value) = &pair.value else { continue };
        let name = instruction.kind.name();
        let finding = report
            .at(pair.key.span.cover(value.span), format!("{name} without `=`"))
            .help("Write KEY=value, which can set several keys in one instruction");
        if let Some(text) = key_value_syntax(instruction, pair) {
            let range = Span { start: pair.key.span.end, end: value.span.end };
            finding.fix("Write KEY=value", vec![Edit::replace(range, text)]);
        }
    }
}

/// The text after the key in the syntax with `=`; `None` if quotes make the conversion unsafe.
fn key_value_syntax(instruction: &Instruction, pair: &Pair) -> Option<String> {
    let value = pair.value.as_ref()?;
    let raw = &instruction.logical.text()[value.at.clone()];
    if !instruction.logical.is_contiguous(value.at.clone()) || raw.contains(['\\', '`', '\'']) {
        return None;
    }
    let inner = raw.strip_prefix('"').and_then(|rest| rest.strip_suffix('"')).unwrap_or(raw);
    if inner.contains('"') {
        return None;
    }
    let needs_no_quotes = inner.len() == raw.len() && !raw.contains(char::is_whitespace);
    Some(if needs_no_quotes { format!("={raw}") } else { format!("=\"{inner}\"") })
}

/// A comment directly above an instruction describes the argument or stage that the instruction
/// defines. Builders show the comment if it starts with the name.
fn definition_description(file: &Dockerfile, report: &mut Report<'_>) {
    for pair in file.pieces.windows(2) {
        let (PieceKind::Comment(comment), PieceKind::Instruction(index)) =
            (pair[0].kind, pair[1].kind)
        else {
            continue;
        };
        let instruction = &file.instructions[index];
        let name = match instruction.kind {
            Keyword::Arg => instruction.pairs.first().map(|pair| &pair.key),
            Keyword::From => instruction
                .stage
                .and_then(|stage| file.stages.get(stage))
                .and_then(|stage| stage.name.as_ref()),
            _ => None,
        };
        let (Some(name), Some(comment)) = (name, file.comments.get(comment)) else { continue };
        let text = comment_text(comment, report.source());
        if text.split_whitespace().next().is_some_and(|word| word != name.text) {
            let message =
                format!("the description of `{}` does not start with the name", name.text);
            report.at(comment.span, message).help(format!(
                "Write `# {} …`, or insert a blank line if it is not a description",
                name.text
            ));
        }
    }
}

fn comment_text<'a>(comment: &Comment, source: &'a Source) -> &'a str {
    source.slice(comment.span).trim_start_matches('#').trim()
}

fn inline_ignore(file: &Dockerfile, report: &mut Report<'_>) {
    for comment in &file.comments {
        let text = comment_text(comment, report.source());
        let Some(rest) = text.strip_prefix("hadolint") else { continue };
        let rest = rest.trim_start();
        let scope = ["global", "stage"].into_iter().find_map(|scope| rest.strip_prefix(scope));
        let rest = scope.map_or(rest, str::trim_start);
        if rest.strip_prefix("ignore").is_some_and(|rest| rest.trim_start().starts_with('=')) {
            report.at(comment.span, "findings are ignored by a comment");
        }
    }
}
