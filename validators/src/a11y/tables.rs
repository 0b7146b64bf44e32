//! Rules on tables of data: the cells that a header describes.

use super::Found;
use super::element::El;
use super::names::{Name, content, may_be_hidden};
use super::roles::{Role, role};
use aidd_markup::{AttributeKind, Node};

/// Maximum numbers of rows and columns of a table that is checked.
const MAX_ROWS: usize = 200;
const MAX_COLUMNS: usize = 100;

/// The cells of a table by row and column; a cell that spans several positions occurs several times.
struct Grid<'d> {
    rows: Vec<Vec<Option<El<'d>>>>,
}

impl<'d> Grid<'d> {
    /// The grid of a table; `None` if the source does not show all of it.
    fn of(table: El<'d>) -> Option<Self> {
        let mut rows = Vec::new();
        for row in rows_of(table)? {
            let mut cells = Vec::new();
            for node in row.children() {
                let Node::Element(cell) = node else {
                    let is_text = matches!(node, Node::Text(..));
                    if is_text {
                        continue;
                    } else {
                        return None;
                    };
                };
                let cell = El::new(cell);
                match cell.tag {
                    "td" | "th" if !cell.has_spread() => cells.push(cell),
                    "script" | "template" => {}
                    _ => return None,
                }
            }
            rows.push(cells);
        }
        let mut grid = Self { rows: vec![Vec::new(); rows.len()] };
        for (at, cells) in rows.into_iter().enumerate() {
            let mut column = 0;
            for cell in cells {
                while grid.at(at, column).is_some() {
                    column += 1;
                }
                let width = span(cell, "colspan")?;
                let height = span(cell, "rowspan")?;
                if column + width > MAX_COLUMNS {
                    return None;
                }
                for row in grid.rows.iter_mut().skip(at).take(height) {
                    row.resize(row.len().max(column + width), None);
                    row[column..column + width].fill(Some(cell));
                }
                column += width;
            }
        }
        Some(grid)
    }

    fn at(&self, row: usize, column: usize) -> Option<El<'d>> {
        self.rows.get(row)?.get(column).copied().flatten()
    }

    /// Whether the header at a position describes a cell to its right.
    fn has_row(&self, header: El<'d>, row: usize, column: usize) -> bool {
        let cells = self.rows.get(row).into_iter().flatten().skip(column).flatten();
        cells.into_iter().any(|cell| is_described(*cell, header))
    }

    /// Whether the header at a position describes a cell below it.
    fn has_column(&self, header: El<'d>, row: usize, column: usize) -> bool {
        (row..self.rows.len())
            .filter_map(|row| self.at(row, column))
            .any(|cell| is_described(cell, header))
    }
}

/// Whether a header of the same row or column describes the cell: `headers` lists others.
fn is_described(cell: El<'_>, header: El<'_>) -> bool {
    cell.id() != header.id()
        && match cell.attribute("headers") {
            None => true,
            Some(_) => match (cell.text_of("headers"), header.text_of("id")) {
                (Some(ids), Some(id)) => ids.split_ascii_whitespace().any(|it| it == id),
                (Some(ids), None) => ids.is_empty(),
                (None, _) => true,
            },
        }
}

/// The number in `colspan` or `rowspan`; `None` if it is unknown or too large.
fn span(cell: El<'_>, name: &str) -> Option<usize> {
    match cell.attribute(name) {
        None => Some(1),
        Some(attribute) => {
            let text = attribute.value.text()?;
            let number = text.trim().parse::<usize>().unwrap_or(1);
            let number = if number == 0 { MAX_ROWS } else { number };
            (number <= MAX_ROWS).then_some(number)
        }
    }
}

/// The rows of a table; `None` if the source does not show all of them.
fn rows_of(table: El<'_>) -> Option<Vec<El<'_>>> {
    let mut rows = Vec::new();
    let mut pending: Vec<Node<'_>> = table.children().collect();
    pending.reverse();
    while let Some(node) = pending.pop() {
        let Node::Element(child) = node else {
            if matches!(node, Node::Text(..)) {
                continue;
            } else {
                return None;
            };
        };
        let child = El::new(child);
        match child.tag {
            "tr" => rows.push(child),
            "tbody" | "thead" | "tfoot" => {
                let at = pending.len();
                pending.extend(child.children());
                pending[at..].reverse();
            }
            "caption" | "colgroup" | "col" | "script" | "template" => continue,
            _ => return None,
        }
        if child.has_spread() || child.has_kind(AttributeKind::Directive) || rows.len() > MAX_ROWS {
            return None;
        }
    }
    Some(rows)
}

pub(super) fn header_without_cells(table: El<'_>, found: &mut Found<'_, '_>) {
    let is_table = table.tag == "table"
        && table.document().is_complete()
        && matches!(role(table), Role::Implicit(_) | Role::Explicit("table" | "grid" | "treegrid"));
    if !is_table || may_be_hidden(table) {
        return;
    }
    let Some(grid) = Grid::of(table) else { return };
    let is_header = |cell: El<'_>| match role(cell) {
        Role::Explicit(name) => matches!(name, "columnheader" | "rowheader"),
        Role::Unknown => false,
        _ => cell.tag == "th",
    };
    let refers_to = |id: &str| {
        let mut cells = grid.rows.iter().flatten().flatten();
        cells.any(|cell| {
            cell.text_of("headers")
                .is_some_and(|ids| ids.split_ascii_whitespace().any(|it| it == id))
        })
    };
    let mut reported = Vec::new();
    for (row, cells) in grid.rows.iter().enumerate() {
        for (column, cell) in cells.iter().enumerate() {
            let Some(cell) = cell.filter(|it| is_header(*it) && !reported.contains(&it.id()))
            else {
                continue;
            };
            reported.push(cell.id());
            let in_row = || grid.has_row(cell, row, column);
            let in_column = || {
                let width = span(cell, "colspan").unwrap_or(1);
                (column..column + width).any(|column| grid.has_column(cell, row, column))
            };
            let has_cells = match (cell.text_of("scope"), role(cell)) {
                (Some("row" | "rowgroup"), _) | (_, Role::Explicit("rowheader")) => in_row(),
                (Some("col" | "colgroup"), _) | (_, Role::Explicit("columnheader")) => in_column(),
                _ => in_row() || in_column(),
            };
            let is_referred = || cell.text_of("id").is_some_and(refers_to);
            // The rule on empty headers reports those without text.
            let is_empty = || content(cell) == Name::Empty;
            if !has_cells && !is_referred() && !is_empty() && !may_be_hidden(cell) {
                found
                    .at(cell.tag_span(), "the header describes no cell")
                    .help("add the cells, or use `<td>`");
            }
        }
    }
}

/// Reports a table of data none of whose cells is a header.
pub(super) fn table_without_headers(table: El<'_>, found: &mut Found<'_, '_>) {
    /// Minimum number of rows and columns: smaller tables often place elements side by side.
    const MIN: usize = 3;
    let is_table = table.tag == "table"
        && matches!(role(table), Role::Implicit(_) | Role::Explicit("table" | "grid" | "treegrid"));
    if !is_table || may_be_hidden(table) || found.is_email() {
        return;
    }
    let Some(grid) = Grid::of(table).filter(|grid| grid.rows.len() >= MIN) else { return };
    let width = grid.rows.first().map_or(0, Vec::len);
    if width < MIN || grid.rows.iter().any(|row| row.len() != width) {
        return;
    }
    let cells = || grid.rows.iter().flatten().flatten().copied();
    // Cells of a layout contain blocks, images and controls; those that span others are captions.
    let is_text = |cell: El<'_>| {
        let attributes = ["headers", "scope", "role", "colspan", "rowspan", "aria-label"];
        cell.tag == "td"
            && attributes.iter().all(|name| cell.attribute(name).is_none())
            && cell.descendants().all(|inner| {
                matches!(
                    inner.name(),
                    "a" | "b" | "br" | "code" | "em" | "i" | "small" | "span" | "strong"
                )
            })
    };
    let filled = cells().filter(|cell| content(*cell) != Name::Empty).count();
    let is_filled = filled * 3 >= grid.rows.len() * width * 2;
    if cells().all(is_text) && is_filled {
        found
            .at(table.tag_span(), "a table of data without header cells")
            .help("use `<th>` for the cells that name the columns or rows");
    }
}

/// Reports a table whose caption and summary are the same text.
pub(super) fn table_duplicate_name(table: El<'_>, found: &mut Found<'_, '_>) {
    if table.tag != "table" || role(table).is_presentational() || may_be_hidden(table) {
        return;
    }
    let Some(attribute) = table.attribute("summary") else { return };
    let caption = table.children().find_map(|node| match node {
        Node::Element(child) if child.name() == "caption" => Some(El::new(child)),
        _ => None,
    });
    let Some(caption) = caption.filter(|caption| !may_be_hidden(*caption)) else { return };
    let words = |text: &str| text.split_whitespace().map(str::to_lowercase).collect::<Vec<_>>();
    let (Some(summary), Name::Present(Some(text))) = (table.text_of("summary"), content(caption))
    else {
        return;
    };
    if !summary.is_empty() && words(summary) == words(&text) {
        found
            .at(attribute.span, "`summary` repeats the caption of the table")
            .help("delete `summary`, or describe how the table is structured")
            .related(caption.span(), "the caption");
    }
}

/// Reports a table of data whose first row is one cell over all columns: its caption.
pub(super) fn table_fake_caption(table: El<'_>, found: &mut Found<'_, '_>) {
    /// Minimum number of rows: the caption, the headers, and one row of data.
    const MIN: usize = 3;
    let is_table = table.tag == "table"
        && matches!(role(table), Role::Implicit(_) | Role::Explicit("table" | "grid" | "treegrid"));
    if !is_table || may_be_hidden(table) || found.is_email() {
        return;
    }
    let has_caption = table.descendants().any(|inner| matches!(inner.name(), "caption" | "table"));
    let is_named = ["aria-label", "aria-labelledby"].iter().any(|it| table.attribute(it).is_some());
    if has_caption || is_named || table.ancestors().any(|outer| outer.name() == "table") {
        return;
    }
    let Some(grid) = Grid::of(table).filter(|grid| grid.rows.len() >= MIN) else { return };
    let Some((first, others)) = grid.rows.split_first() else { return };
    let Some(Some(caption)) = first.first().copied() else { return };
    let is_one = first.len() >= 2
        && first.iter().all(|cell| cell.is_some_and(|cell| cell.id() == caption.id()))
        && others.iter().all(|row| {
            row.len() == first.len() && row.iter().flatten().all(|cell| cell.id() != caption.id())
        });
    // Only header cells, one for each column, show that the table is one of data.
    let has_headers = others.first().is_some_and(|row| {
        row.iter().flatten().all(|cell| cell.tag == "th" && span(*cell, "colspan") == Some(1))
    });
    let is_text = caption.descendants().all(|inner| {
        matches!(inner.name(), "b" | "br" | "em" | "font" | "i" | "small" | "span" | "strong" | "u")
    });
    if is_one && has_headers && is_text && content(caption) != Name::Empty {
        found
            .at(caption.tag_span(), "a cell over all columns serves as the caption of the table")
            .help("put its text into `<caption>`, and delete the row");
    }
}
