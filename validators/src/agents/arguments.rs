//! Arguments in skills and commands of Claude Code.

use super::AgentContext;
use super::model::{Client, Purpose};
use aidd_engine::rules::rule::Report;
use aidd_engine::text::source::Span;

pub(super) fn skill_argument(context: &AgentContext<'_, '_>, report: &mut Report<'_>) {
    let path = context.source.path();
    let is_command =
        (context.file.client, context.file.purpose) == (Client::Claude, Purpose::Command);
    let is_skill = context.file.purpose == Purpose::Skill && path.contains(".claude/skills/");
    if !is_command && !is_skill || context.data.broken.is_some() {
        return;
    }
    let text = context.source.text();
    first_argument(context, report);
    for (name, span) in names(context) {
        let is_name = !name.is_empty()
            && name.chars().all(|c| c.is_ascii_alphanumeric() || matches!(c, '_' | '-'));
        let is_used = [format!("${name}"), format!("${{{name}}}")]
            .iter()
            .any(|argument| text.contains(argument.as_str()));
        if is_name && !is_used && !text.contains("$ARGUMENTS") {
            report
                .at(span, format!("the text does not use the argument `{name}`"))
                .help(format!("write `${name}` where the argument belongs"));
        }
    }
}

/// Reports the second argument in a text without the first one: the numbers begin at 0.
fn first_argument(context: &AgentContext<'_, '_>, report: &mut Report<'_>) {
    let Some(instructions) = &context.instructions else { return };
    let text = context.source.text();
    let uses_first = ["$0", "$ARGUMENTS", "${0}"].iter().any(|it| text.contains(it));
    if uses_first || names(context).next().is_some() {
        return;
    }
    for (offset, line) in instructions.prose() {
        for (at, argument) in line.match_indices("$1") {
            // A price, or a program in a code span, such as `awk '{print $1}'`.
            let after = line[at + argument.len()..].trim_start_matches(['.', ',']);
            let is_other = after.starts_with(char::is_alphanumeric);
            let span = Span::new(offset + at, offset + at + argument.len());
            let is_program = instructions.document.code.iter().any(|(_, code)| {
                code.contains(span) && context.source.slice(*code).contains([' ', '{', '|'])
            });
            if !is_other && !is_program {
                report
                    .at(span, "`$1` is the second argument; the numbers begin at 0")
                    .help("write `$0` for the first argument, or `$ARGUMENTS` for all");
                return;
            }
        }
    }
}

/// The names of `arguments` in the front matter: a list, or a string with spaces.
fn names<'c>(context: &'c AgentContext<'_, '_>) -> impl Iterator<Item = (&'c str, Span)> {
    let listed = context.children(&["arguments"]).filter_map(|(_, value)| super::string(value));
    let written = context.text(&["arguments"]).into_iter();
    let written =
        written.flat_map(|(text, span)| text.split_whitespace().map(move |name| (name, span)));
    listed.chain(written)
}
