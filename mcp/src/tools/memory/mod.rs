//! The project's memory.

mod branches;
mod check_findings;
mod diagnose;
mod health;
mod intents;
mod lifecycle;
pub(crate) mod models;
mod observations;
mod older;
mod permanent;
mod related;
mod relation;
pub(crate) mod render;
mod search;
mod sessions;
#[cfg(test)]
mod tests;
mod transfer;

use crate::tool::Tool;

/// The memory tools.
#[must_use]
pub fn tools() -> Vec<Tool> {
    let groups = [
        sessions::tools(),
        observations::tools(),
        branches::tools(),
        search::tools(),
        permanent::tools(),
        transfer::tools(),
        intents::tools(),
        related::tools(),
        lifecycle::tools(),
        diagnose::tools(),
        health::tools(),
        models::tools(),
    ];
    groups.into_iter().flatten().collect()
}
