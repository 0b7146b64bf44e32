//! The names that vendors document: events of hooks, tools, settings. Each list has the date on which
//! its source was read.

use aidd_engine::rules::rule::Report;
use aidd_engine::text::finding::{Finding, Severity};
use aidd_engine::text::nearest::nearest;
use aidd_engine::text::source::Span;
use jiff::civil::Date;
use jiff::{SpanRound, Unit};
use std::sync::LazyLock;

const TABLE: &str = include_str!("vendors.txt");

/// After this number of days, a vendor may have added names, so that an unknown name is reported with
/// severity `info`.
const MAX_AGE_DAYS: i64 = 60;

/// A list of names.
#[derive(Debug)]
pub(super) struct Names {
    client: &'static str,
    list: &'static str,
    /// The date on which the source was read.
    read: Option<Date>,
    /// The address of the source.
    source: &'static str,
    names: Vec<&'static str>,
}

static LISTS: LazyLock<Vec<Names>> = LazyLock::new(|| {
    let mut lists: Vec<Names> = Vec::new();
    for line in TABLE.lines().filter(|line| !line.starts_with('#')) {
        let header = line.strip_prefix('[').and_then(|line| line.strip_suffix(']'));
        let header: Option<Vec<&str>> = header.map(|header| header.split(' ').collect());
        if let Some([client, list, read, source]) = header.as_deref() {
            let read = read.parse().ok();
            lists.push(Names { client, list, read, source, names: Vec::new() });
        } else if let Some(last) = lists.last_mut() {
            last.names.extend(line.split_whitespace());
        }
    }
    lists
});

/// The list of this name for a client; `None` if there is no such list.
pub(super) fn names(client: &str, list: &str) -> Option<&'static Names> {
    LISTS.iter().find(|names| names.client == client && names.list == list)
}

/// Whether a client documents the field for some kind of file. Files are often for several clients.
pub(super) fn is_documented(field: &str) -> bool {
    // Agents of OpenCode and former chat modes of Copilot have a mode.
    field == "mode" || LISTS.iter().any(|names| names.list.ends_with("-fields") && names.has(field))
}

impl Names {
    /// Whether the list has this name.
    pub(super) fn has(&self, name: &str) -> bool {
        self.names.contains(&name)
    }

    /// The names, in the order of the table.
    pub(super) fn names(&self) -> impl Iterator<Item = &'static str> {
        self.names.iter().copied()
    }

    /// The name in the list that was probably meant.
    pub(super) fn nearest(&self, name: &str) -> Option<&'static str> {
        let same = self.names.iter().find(|known| known.eq_ignore_ascii_case(name));
        same.copied().or_else(|| nearest(name, self.names.iter().copied()))
    }

    /// Reports a name that the list lacks: with the severity of the rule, or with severity `info` if
    /// the list is old.
    pub(super) fn report_unknown<'r>(
        &self,
        report: &'r mut Report<'_>,
        span: Span,
        message: String,
    ) -> &'r mut Finding {
        let today = report.today();
        let finding = report.at(span, message);
        let age = today.zip(self.read).and_then(|(today, read)| {
            let age = read.until(today).ok()?.round(SpanRound::new().largest(Unit::Day)).ok()?;
            Some(i64::from(age.get_days()))
        });
        if age.is_some_and(|age| age > MAX_AGE_DAYS) {
            finding.severity = Severity::Info;
        }
        let read = self.read.map(|date| date.to_string()).unwrap_or_default();
        finding.help(format!("see {} (read on {read})", self.source))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_list_has_a_date_and_a_source() {
        assert!(LISTS.len() > 5);
        for names in LISTS.iter() {
            assert!(names.read.is_some(), "{} {}", names.client, names.list);
            assert!(names.source.starts_with("https://") && names.names.len() > 1);
        }
    }
}
