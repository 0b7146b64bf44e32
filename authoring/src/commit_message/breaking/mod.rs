//! Breaking changes other than those of symbols: removed routes and operations of an interface,
//! dropped versions of an engine, and migrations that drop columns and tables. Each names what is
//! removed.

mod engines;
mod interfaces;
mod migrations;

use super::facts::Facts;

/// The breaking changes, one sentence each.
pub(super) fn breaking_changes(facts: &Facts<'_>) -> Vec<String> {
    let mut all = interfaces::removed(facts);
    for file in &facts.files {
        all.extend(engines::dropped(file.change));
        all.extend(migrations::dropped(file.change));
    }
    all
}
