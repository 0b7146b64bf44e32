//! The rows of the routing table: those of the project, then the shipped ones.

use super::{Row, page_data};
use crate::library::{Library, Origin, TableError};
use crate::page_kind::PageKind;
use serde::Deserialize;
use std::collections::BTreeSet;

#[derive(Deserialize)]
struct Rows {
    rows: Vec<Row>,
}

/// The rows of the page. A project's rows come before the shipped rows and replace shipped rows
/// with the same id.
pub(super) fn rows(library: &Library) -> Result<Vec<Row>, TableError> {
    let Rows { mut rows } = page_data(library, PageKind::Templates, "routing")?;
    let is_project_page = library
        .get(PageKind::Templates, "routing")
        .is_some_and(|page| page.origin == Origin::Project);
    let has_shipped_pages =
        || library.pages_of_kind(PageKind::Templates).any(|page| page.origin == Origin::Shipped);
    if is_project_page && has_shipped_pages() {
        let shipped: Rows = page_data(&library.without_project(), PageKind::Templates, "routing")?;
        rows.iter_mut().for_each(|row| row.is_own = true);
        let project_ids: BTreeSet<String> = rows.iter().map(|row| row.id.clone()).collect();
        rows.extend(shipped.rows.into_iter().filter(|row| !project_ids.contains(&row.id)));
    }
    Ok(rows)
}
