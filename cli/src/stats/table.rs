//! Tables in a terminal: the first column is text, the others are numbers.

use aidd_report::one_line;

/// Spaces between two columns.
const GAP: usize = 2;
/// Minimum width of the first column, in characters.
const MIN_FIRST: usize = 16;

/// A table with a title. Columns that do not fit are omitted, the last ones first.
pub(super) struct Table {
    title: &'static str,
    note: Option<String>,
    columns: Vec<String>,
    rows: Vec<Vec<String>>,
}

impl Table {
    pub(super) fn new(title: &'static str, columns: &[&str]) -> Self {
        let columns = columns.iter().map(|&column| column.to_owned()).collect();
        Self { title, note: None, columns, rows: Vec::new() }
    }

    /// Sets a text after the title.
    pub(super) fn set_note(&mut self, note: String) {
        self.note = Some(note);
    }

    pub(super) fn add(&mut self, cells: impl IntoIterator<Item = String>) {
        self.rows.push(cells.into_iter().map(|cell| one_line(&cell)).collect());
    }

    /// The first `limit` rows within `width` characters. `None` for an empty table, unless it is
    /// printed alone.
    pub(super) fn render(
        &self,
        limit: usize,
        width: usize,
        color: bool,
        is_alone: bool,
    ) -> Option<String> {
        if self.rows.is_empty() {
            return is_alone.then(|| format!("{}: nothing was recorded\n", self.title));
        }
        let rows = &self.rows[..limit.min(self.rows.len())];
        let cells_of = |column: usize| rows.iter().filter_map(move |row| row.get(column));
        let mut widths: Vec<usize> = self
            .columns
            .iter()
            .enumerate()
            .map(|(column, name)| {
                cells_of(column).map(|cell| chars(cell)).fold(chars(name), usize::max)
            })
            .collect();
        let needed = |widths: &[usize]| -> usize {
            widths.iter().skip(1).map(|width| width + GAP).sum::<usize>()
        };
        while widths.len() > 2 && MIN_FIRST.min(widths[0]) + needed(&widths) > width {
            widths.pop();
        }
        widths[0] = widths[0].min(width.saturating_sub(needed(&widths)).max(MIN_FIRST));
        let title = match &self.note {
            Some(note) => format!("{}: {note}", self.title),
            None => self.title.to_owned(),
        };
        let mut text = bold(&title, color) + "\n";
        text.push_str(&dim(&line(&self.columns, &widths), color));
        text.push('\n');
        for row in rows {
            text.push_str(&line(row, &widths));
            text.push('\n');
        }
        if rows.len() < self.rows.len() {
            let more =
                format!("… {} more: aidd stats {}", self.rows.len() - rows.len(), self.title);
            text.push_str(&dim(&more, color));
            text.push('\n');
        }
        Some(text)
    }
}

fn line(cells: &[String], widths: &[usize]) -> String {
    let mut text = String::new();
    for (index, (cell, &width)) in cells.iter().zip(widths).enumerate() {
        if index == 0 {
            text.push_str(&format!("{:<width$}", shortened(cell, width)));
        } else {
            text.push_str(&format!("{:GAP$}{cell:>width$}", ""));
        }
    }
    text.trim_end().to_owned()
}

fn chars(text: &str) -> usize {
    text.chars().count()
}

/// The beginning of a text that is too long.
fn shortened(text: &str, width: usize) -> String {
    if chars(text) <= width {
        return text.to_owned();
    }
    text.chars().take(width.saturating_sub(1)).chain(['…']).collect()
}

fn bold(text: &str, color: bool) -> String {
    if color { format!("\x1b[1m{text}\x1b[0m") } else { text.to_owned() }
}

fn dim(text: &str, color: bool) -> String {
    if color { format!("\x1b[2m{text}\x1b[0m") } else { text.to_owned() }
}

/// Numbers as a line of bars; a space for zero.
pub(super) fn sparkline(numbers: &[u32]) -> String {
    const BARS: [char; 8] = ['▁', '▂', '▃', '▄', '▅', '▆', '▇', '█'];
    let max = u64::from(numbers.iter().copied().max().unwrap_or_default().max(1));
    let bar = |number: &u32| match u64::from(*number) {
        0 => ' ',
        number => {
            let step = usize::try_from((number * 8).div_ceil(max)).unwrap_or(8);
            BARS[step.clamp(1, 8) - 1]
        }
    };
    numbers.iter().map(bar).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn table() -> Table {
        let mut table = Table::new("rules", &["rule", "introduced", "fixed", "12 weeks"]);
        for (rule, introduced, trend) in [
            ("functional/no-mutation-of-parameters", 12, [0, 0, 3, 9]),
            ("secrets/\u{202e}token", 1, [1, 0, 0, 0]),
            ("docs/links", 0, [0, 0, 0, 0]),
        ] {
            let cells =
                [rule.to_owned(), introduced.to_string(), "2".to_owned(), sparkline(&trend)];
            table.add(cells);
        }
        table
    }

    #[test]
    fn columns_that_do_not_fit_are_omitted() {
        for width in [100, 48, 30, 20] {
            let text = table().render(usize::MAX, width, false, false).expect("a table");
            assert!(text.lines().all(|line| chars(line) <= width.max(30)), "{text}");
        }
        let text = [100, 46].map(|width| table().render(2, width, false, false).expect("a table"));
        insta::assert_snapshot!(text.join("\n"));
    }

    #[test]
    fn colors_are_used_only_if_they_are_enabled() {
        let text = |color| table().render(1, 100, color, false).expect("a table");
        assert!(text(true).contains('\x1b') && !text(false).contains('\x1b'));
        assert_eq!(table().render(1, 100, true, false).map(|text| text.lines().count()), Some(4));
        assert_eq!(Table::new("rules", &["rule"]).render(1, 100, false, false), None);
    }

    #[test]
    fn a_sparkline_shows_small_numbers() {
        assert_eq!(sparkline(&[0, 1, 50, 100]), " ▁▄█");
        assert_eq!(sparkline(&[0, 0]), "  ");
    }
}
