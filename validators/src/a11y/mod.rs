//! Rules on the accessibility of markup, over the element model.

use aidd_engine::rules::rule::Report;
use aidd_markup::{Document, Element};

/// The code of one rule: inspects an element.
type Check = fn(Element<'_>, &mut Report<'_>);

/// The rules, by id.
const CHECKS: &[(&str, Check)] = &[];

/// The ids of the rules.
pub(super) fn rules() -> Vec<&'static str> {
    CHECKS.iter().map(|&(id, _)| id).collect()
}

/// The rules that are enabled for a file.
pub(super) struct Enabled(Vec<Check>);

impl Enabled {
    pub(super) fn new(report: &mut Report<'_>) -> Self {
        Self(CHECKS.iter().filter(|(id, _)| report.begin(id)).map(|&(_, check)| check).collect())
    }

    pub(super) fn is_empty(&self) -> bool {
        self.0.is_empty()
    }

    /// Runs the rules on a document.
    pub(super) fn check(&self, document: &Document<'_>, report: &mut Report<'_>) {
        for element in document.elements() {
            for check in &self.0 {
                check(element, report);
            }
        }
    }
}
