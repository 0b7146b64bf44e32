//! The findings of the check that a memory contains.

use super::render::Row;
use crate::context::Context;
use aidd_report::enforcement::{DUPLICATE_NOTE, preview};

/// The current findings of a memory's check, as data and text. An error in the check does not
/// affect the saved memory.
pub(super) fn check_findings(context: &Context, id: &str) -> (Option<Row>, String) {
    let result = context.project().map_err(|error| error.to_string()).and_then(|project| {
        preview(&project, id, context.stop()).map_err(|error| format!("{error:#}"))
    });
    match result {
        Ok(Some(findings)) => (Some(Row::from_value(&findings)), findings.sentence()),
        Ok(None) => (None, DUPLICATE_NOTE.to_owned()),
        Err(error) => (None, format!("The check was not run: {error}")),
    }
}
