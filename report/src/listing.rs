//! Which findings the text formats list, and the table of all findings by rule.

use aidd_engine::text::finding::Severity;
use std::collections::HashMap;
use std::io;

/// Minimum number of listed findings for which the table by rule is written too.
const MIN_FINDINGS_FOR_TABLE: usize = 10;
/// Maximum number of rules in the table after the findings.
const MAX_RULES: usize = 20;

/// Which findings the text formats list.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Listing {
    /// Whether findings of severity `info` are listed; otherwise they are only counted.
    pub infos: bool,
    /// Maximum number of findings listed, the most severe first; `None` lists all.
    pub limit: Option<usize>,
    /// Lists no findings, only their numbers by rule.
    pub statistics: bool,
}

/// A finding that can be listed.
pub(super) trait Item {
    /// The severity under the settings of the run.
    fn severity(&self) -> Severity;
    /// The id of the rule.
    fn rule(&self) -> &str;
    /// Whether the finding has a fix.
    fn is_fixable(&self) -> bool;
}

/// The number of findings of a rule with one severity.
struct Row<'a> {
    severity: Severity,
    rule: &'a str,
    count: usize,
    fixable: usize,
}

/// The findings to list, and the counts of all findings.
pub(super) struct Selected<'a, T> {
    /// The findings to list, in the order of `items`.
    pub(super) listed: Vec<&'a T>,
    /// Errors and warnings that are not listed because of the limit.
    cut: usize,
    rows: Vec<Row<'a>>,
    listing: Listing,
}

impl Listing {
    /// Selects the findings to list.
    pub(super) fn select<T: Item>(self, items: &[T]) -> Selected<'_, T> {
        let is_candidate =
            |item: &T| !self.statistics && (self.infos || item.severity() > Severity::Info);
        let mut indices: Vec<usize> =
            (0..items.len()).filter(|&index| is_candidate(&items[index])).collect();
        let limit = self.limit.unwrap_or(usize::MAX);
        let cut = indices.len().saturating_sub(limit);
        if cut > 0 {
            indices.sort_by_key(|&index| std::cmp::Reverse(items[index].severity()));
            indices.truncate(limit);
            indices.sort_unstable();
        }
        let listed = indices.into_iter().map(|index| &items[index]).collect();
        Selected { listed, cut, rows: rows(items), listing: self }
    }
}

impl<T> Selected<'_, T> {
    /// Writes the number of findings that were cut, and the table by rule if it adds information.
    pub(super) fn write_table(&self, out: &mut dyn io::Write) -> io::Result<()> {
        if self.cut > 0 {
            writeln!(out, "… and {} more\n", self.cut)?;
        }
        let has_hidden = self.rows.iter().any(|row| self.is_hidden(row));
        if self.listed.len() < MIN_FINDINGS_FOR_TABLE && !has_hidden && !self.listing.statistics {
            return Ok(());
        }
        let limit = if self.listing.statistics { usize::MAX } else { MAX_RULES };
        let shown = &self.rows[..self.rows.len().min(limit)];
        let digits = |row: &Row<'_>| row.count.to_string().len();
        let width = shown.iter().map(digits).max().unwrap_or_default();
        for row in shown {
            let Row { severity, rule, count, fixable } = row;
            let severity = severity.to_string();
            let fixes = match fixable {
                0 => String::new(),
                n if n == count => ", fixable".to_owned(),
                n => format!(", {n} fixable"),
            };
            let hidden = if self.is_hidden(row) { ", not listed" } else { "" };
            writeln!(
                out,
                "{count:>width$} {severity:<7} {}{fixes}{hidden}",
                super::one_line(rule)
            )?;
        }
        if let Some(rest @ 1..) = self.rows.len().checked_sub(shown.len()) {
            writeln!(out, "… and {}", super::number(rest, "more rule"))?;
        }
        if shown.is_empty() { Ok(()) } else { writeln!(out) }
    }

    /// Whether the findings of a row are only counted.
    fn is_hidden(&self, row: &Row<'_>) -> bool {
        row.severity == Severity::Info && !self.listing.infos && !self.listing.statistics
    }
}

/// The numbers of findings by rule, the most severe and the most frequent first.
fn rows<T: Item>(items: &[T]) -> Vec<Row<'_>> {
    let mut counts: HashMap<(Severity, &str), (usize, usize)> = HashMap::new();
    for item in items {
        let entry = counts.entry((item.severity(), item.rule())).or_default();
        entry.0 += 1;
        entry.1 += usize::from(item.is_fixable());
    }
    let rows = counts.into_iter().map(|((severity, rule), (count, fixable))| Row {
        severity,
        rule,
        count,
        fixable,
    });
    let mut rows: Vec<Row<'_>> = rows.collect();
    rows.sort_by(|a, b| {
        (b.severity, b.count).cmp(&(a.severity, a.count)).then_with(|| a.rule.cmp(b.rule))
    });
    rows
}

#[cfg(test)]
mod tests {
    use super::*;

    struct Finding(Severity, &'static str);

    impl Item for Finding {
        fn severity(&self) -> Severity {
            self.0
        }

        fn rule(&self) -> &str {
            self.1
        }

        fn is_fixable(&self) -> bool {
            self.1.ends_with("fix")
        }
    }

    fn findings() -> Vec<Finding> {
        use Severity::{Error, Info, Warning};
        [(Info, "a/info"), (Warning, "a/warn"), (Error, "b/fix"), (Warning, "a/warn")]
            .map(|(severity, rule)| Finding(severity, rule))
            .into()
    }

    fn table(listing: Listing) -> (Vec<&'static str>, String) {
        let findings = findings();
        let selected = listing.select(&findings);
        let mut out = Vec::new();
        selected.write_table(&mut out).expect("writing to memory");
        let rules = selected.listed.iter().map(|finding| finding.1).collect();
        (rules, String::from_utf8(out).expect("text"))
    }

    #[test]
    fn infos_are_counted_and_the_most_severe_findings_are_listed() {
        let rows = "1 error   b/fix, fixable\n2 warning a/warn\n1 info    a/info, not listed\n\n";
        assert_eq!(table(Listing::default()), (vec!["a/warn", "b/fix", "a/warn"], rows.to_owned()));
        let limited = Listing { limit: Some(2), ..Listing::default() };
        assert_eq!(table(limited), (vec!["a/warn", "b/fix"], format!("… and 1 more\n\n{rows}")));
        let all = Listing { infos: true, ..Listing::default() };
        assert_eq!(table(all), (vec!["a/info", "a/warn", "b/fix", "a/warn"], String::new()));
    }

    #[test]
    fn statistics_list_every_rule() {
        let (listed, text) = table(Listing { statistics: true, ..Listing::default() });
        assert_eq!(listed, Vec::<&str>::new());
        assert_eq!(text, "1 error   b/fix, fixable\n2 warning a/warn\n1 info    a/info\n\n");
    }
}
