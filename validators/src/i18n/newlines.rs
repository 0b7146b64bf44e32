//! The line breaks at the start and the end of translations, compared with those of their source texts.

use super::model::Format;
use super::{Context, display_key};
use aidd_engine::rules::rule::Report;
use aidd_engine::text::finding::Edit;

pub(super) fn newline_mismatch(context: &Context<'_>, report: &mut Report<'_>) {
    if context.layout.format != Format::Po {
        return;
    }
    for pair in context.pairs() {
        for form in &pair.entry.forms {
            if form.value.is_empty() {
                continue;
            }
            let key = || display_key(&pair.entry.key);
            let starts = |text: &str| text.starts_with('\n');
            let ends = |text: &str| text.ends_with('\n');
            // If the source texts disagree, no translation agrees with both.
            let is_clear = |test: fn(&str) -> bool| {
                pair.sources.iter().all(|text| test(text) == test(pair.sources[0]))
            };
            if !is_clear(starts) || !is_clear(ends) {
                continue;
            }
            if let Some(wrong) =
                pair.sources.iter().find(|text| starts(text) != starts(&form.value))
            {
                let verb = if starts(wrong) { "start" } else { "not start" };
                report.at(
                    form.span,
                    format!(
                        "the text of `{}` must {verb} with a line break, as the source text",
                        key()
                    ),
                );
            }
            if let Some(wrong) = pair.sources.iter().find(|text| ends(text) != ends(&form.value)) {
                let needs = ends(wrong);
                let verb = if needs { "end" } else { "not end" };
                let finding = report.at(
                    form.span,
                    format!(
                        "the text of `{}` must {verb} with a line break, as the source text",
                        key()
                    ),
                );
                if needs {
                    finding.fix("Append `\\n`", vec![Edit::insert(form.span.end, "\\n")]);
                }
            }
        }
    }
}
