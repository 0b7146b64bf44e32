//! The sections for production in a YAML or JSON file: `production:`, `"prod":`.

use crate::parse::values::{Format, Values};
use crate::text::source::{Source, Span};
use aidd_lexicon::tables::purposes;

/// The outermost sections for production, in the order of the file.
pub(super) struct ProductionSections(Vec<Span>);

impl ProductionSections {
    /// Finds the sections; none if the file is neither YAML nor JSON.
    pub(super) fn new(source: &Source) -> Self {
        let format = match Format::from_path(source.path()) {
            Some(format @ (Format::Json | Format::Yaml)) => format,
            _ => return Self(Vec::new()),
        };
        let values = Values::read(format, source.text()).all;
        let sections = values.iter().filter(|value| {
            let key = value.key.as_ref().map(|(key, _)| key.to_ascii_lowercase());
            key.is_some_and(|key| purposes::PRODUCTION_WORDS.contains(&key))
        });
        let mut spans: Vec<Span> = sections.map(|value| value.span).collect();
        // An outer section is before those in it.
        spans.sort_by_key(|span| (span.start, std::cmp::Reverse(span.end)));
        let mut end = 0;
        spans.retain(|span| {
            let is_outermost = span.end > end;
            end = end.max(span.end);
            is_outermost
        });
        Self(spans)
    }

    /// Whether a section contains `span`.
    pub(super) fn contain(&self, span: Span) -> bool {
        let after = self.0.partition_point(|section| section.start <= span.start);
        after.checked_sub(1).is_some_and(|at| self.0[at].contains(span))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn values_in_sections_for_production_are_found() {
        let text = "prod:\n  a: 1\n  production: {b: 2}\ntest:\n  c: 3\nproduction:\n  d: 4\n";
        let sections = ProductionSections::new(&Source::new("a.yml", text));
        let is_in = |value: &str| {
            let at = text.find(value).expect("a value");
            sections.contain(Span::new(at, at + 1))
        };
        assert!(is_in("1") && is_in("2") && is_in("4") && !is_in("3"));
        assert!(!ProductionSections::new(&Source::new("a.txt", text)).contain(Span::new(8, 9)));
    }
}
