//! Characters that a model reads and a reviewer does not see.

use super::AgentContext;
use aidd_engine::rules::rule::Report;
use aidd_engine::text::finding::{Edit, Severity};
use aidd_engine::text::hidden::{Hidden, hidden_runs};

pub(super) fn hidden_unicode(context: &AgentContext<'_, '_>, report: &mut Report<'_>) {
    let text = context.source.text();
    for run in hidden_runs(text) {
        let (span, count) = (run.span, run.count);
        let hidden = &text[span.range()];
        let message = match run.kind {
            Hidden::Tag => {
                format!("invisible text: `{}`", decode_tags(hidden))
            }
            Hidden::Selector => {
                format!("{count} invisible variation selectors, which can encode text")
            }
            Hidden::Bidi => {
                format!(
                    "the invisible character U+{:04X} changes the order of the text",
                    first_code(hidden)
                )
            }
            Hidden::ZeroWidth => format!("invisible character U+{:04X}", first_code(hidden)),
        };
        let finding = report.at(span, message);
        finding.fix("Remove the invisible characters", vec![Edit::delete(span)]);
        if run.kind == Hidden::ZeroWidth {
            finding.severity = Severity::Info;
        }
    }
}

fn first_code(text: &str) -> u32 {
    text.chars().next().map_or(0, u32::from)
}

/// The text that tag characters encode.
fn decode_tags(text: &str) -> String {
    let decode = |c: char| u8::try_from(u32::from(c) - 0xE0000).ok().map(char::from);
    let decoded: String = text.chars().filter_map(decode).filter(|c| !c.is_control()).collect();
    decoded.chars().take(60).collect::<String>().replace('`', "'")
}
