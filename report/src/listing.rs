//! Which findings the text formats list, and the table of all findings by rule.

use aidd_engine::text::finding::Severity;
use std::cmp::Reverse;
use std::collections::HashMap;
use std::io;

/// Minimum number of listed findings for which the table by rule is written too.
const MIN_FINDINGS_FOR_TABLE: usize = 10;
/// Maximum number of rules in the table after the findings.
const MAX_RULES: usize = 20;
/// Maximum number of groups of new infos that are named if the findings are compared with a base or
/// a baseline.
const MAX_NEW_INFOS: usize = 10;

/// Which findings the text formats list.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Listing {
    /// Whether findings of severity `info` are listed; otherwise they are only counted, except
    /// secrets and a few new ones.
    pub infos: bool,
    /// Maximum number of findings listed, the most severe first; `None` lists all.
    pub limit: Option<usize>,
    /// Lists only the number of findings per rule, not the findings.
    pub statistics: bool,
    /// Whether each finding has an excerpt, also if an earlier one has the same message.
    pub each: bool,
    /// Whether findings that comments allow are listed too.
    pub allowed: bool,
    /// Whether the command has the option `--all`, which the output then names.
    pub has_all_option: bool,
}

/// A finding that can be listed.
pub(super) trait Item {
    /// The severity under the settings of the run.
    fn severity(&self) -> Severity;
    /// The id of the rule.
    fn rule(&self) -> &str;
    /// Whether the finding has a fix.
    fn is_fixable(&self) -> bool;
    /// The texts that findings of one group share; `None` for a finding that is listed by itself.
    fn group(&self) -> Option<[&str; 4]>;
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
    /// The groups of findings to list, the most severe first; within a severity, those about the
    /// settings first, then secrets.
    pub(super) listed: Vec<Vec<&'a T>>,
    /// The groups of secrets and new infos that are not listed because of the limit or their
    /// severity: they are named in one line.
    pub(super) named: Vec<Vec<&'a T>>,
    /// Whether infos are only counted.
    counts_infos: bool,
    /// Number of other findings that are not listed because of the limit.
    cut: usize,
    rows: Vec<Row<'a>>,
    listing: Listing,
}

impl Listing {
    /// Selects the findings to list. If they are compared with a base or a baseline, a few infos
    /// are named too: these are new.
    pub(super) fn select<T: Item>(self, items: &[T], is_compared: bool) -> Selected<'_, T> {
        let mut sorted: Vec<&T> = items.iter().collect();
        if self.statistics {
            sorted.clear();
        }
        sorted.sort_by_key(|item| {
            let rule = item.rule();
            (Reverse(item.severity()), !is_about_settings(rule), !is_secret(rule))
        });
        let is_candidate = |item: &&T| self.infos || item.severity() > Severity::Info;
        let (candidates, infos): (Vec<&T>, Vec<&T>) = sorted.into_iter().partition(is_candidate);
        let mut listed = if self.each {
            candidates.into_iter().map(|item| vec![item]).collect()
        } else {
            groups(candidates)
        };
        let cut = listed.split_off(listed.len().min(self.limit.unwrap_or(usize::MAX)));
        let (cut_secrets, cut): (Vec<&T>, Vec<&T>) =
            cut.into_iter().flatten().partition(|item| is_secret(item.rule()));
        let (info_secrets, infos): (Vec<&T>, Vec<&T>) =
            infos.into_iter().partition(|item| is_secret(item.rule()));
        let mut named = groups(cut_secrets.into_iter().chain(info_secrets));
        let infos = groups(infos);
        let names_infos = is_compared && infos.len() <= MAX_NEW_INFOS;
        let counts_infos = !self.infos && !self.statistics && !names_infos;
        named.extend(infos.into_iter().filter(|_| names_infos));
        Selected { listed, named, counts_infos, cut: cut.len(), rows: rows(items), listing: self }
    }
}

/// The rules on settings, rule pages and checks that have no effect until they are corrected.
const RULES_ON_SETTINGS: [&str; 3] =
    ["aidd/invalid-config", "aidd/malformed-page", "memory/malformed-check"];

/// Whether a rule reports errors in what determines the checks of a project: they are listed
/// first, because their correction can change the other findings.
pub fn is_about_settings(rule: &str) -> bool {
    RULES_ON_SETTINGS.contains(&rule)
}

/// Whether a rule reports secrets, which are named whatever their severity.
pub fn is_secret(rule: &str) -> bool {
    rule.starts_with("secrets/")
}

/// The findings with the same texts, in the order of the first one.
fn groups<'a, T: Item>(items: impl IntoIterator<Item = &'a T>) -> Vec<Vec<&'a T>> {
    let mut groups: Vec<Vec<&T>> = Vec::new();
    let mut known: HashMap<[&str; 4], usize> = HashMap::new();
    for item in items {
        let index = match item.group() {
            Some(texts) => *known.entry(texts).or_insert(groups.len()),
            None => groups.len(),
        };
        match groups.get_mut(index) {
            Some(group) => group.push(item),
            None => groups.push(vec![item]),
        }
    }
    groups
}

impl<T> Selected<'_, T> {
    /// Writes the number of findings that were cut.
    pub(super) fn write_cut(&self, out: &mut dyn io::Write) -> io::Result<()> {
        match self.cut {
            0 => Ok(()),
            cut if self.listing.has_all_option => {
                writeln!(out, "… and {cut} more; `--all` lists them\n")
            }
            cut => writeln!(out, "… and {cut} more\n"),
        }
    }

    /// Writes the table by rule if it adds information.
    pub(super) fn write_table(&self, out: &mut dyn io::Write) -> io::Result<()> {
        let has_hidden = self.rows.iter().any(|row| self.is_hidden(row));
        let count: usize = self.listed.iter().map(Vec::len).sum();
        if count < MIN_FINDINGS_FOR_TABLE && !has_hidden && !self.listing.statistics {
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
            let statistics =
                if self.listing.has_all_option { "; `--statistics` lists all" } else { "" };
            writeln!(out, "… and {}{statistics}", super::number(rest, "more rule"))?;
        }
        if has_hidden && self.listing.has_all_option {
            writeln!(out, "infos other than secrets are not listed; `--all` lists them")?;
        }
        if shown.is_empty() { Ok(()) } else { writeln!(out) }
    }

    /// Whether a row has findings that are only counted.
    fn is_hidden(&self, row: &Row<'_>) -> bool {
        row.severity == Severity::Info && self.counts_infos && !is_secret(row.rule)
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

        fn group(&self) -> Option<[&str; 4]> {
            Some([self.1; 4])
        }
    }

    fn findings() -> Vec<Finding> {
        use Severity::{Error, Info, Warning};
        [(Info, "a/info"), (Warning, "a/warn"), (Error, "b/fix"), (Warning, "a/warn")]
            .map(|(severity, rule)| Finding(severity, rule))
            .into()
    }

    fn table(listing: Listing) -> (Vec<(&'static str, usize)>, String) {
        let findings = findings();
        let selected = listing.select(&findings, false);
        let mut out = Vec::new();
        selected.write_cut(&mut out).expect("writing to memory");
        selected.write_table(&mut out).expect("writing to memory");
        let rules = selected.listed.iter().map(|group| (group[0].1, group.len())).collect();
        (rules, String::from_utf8(out).expect("text"))
    }

    #[test]
    fn infos_are_counted_and_the_most_severe_findings_are_listed_first() {
        let rows = "1 error   b/fix, fixable\n2 warning a/warn\n1 info    a/info, not listed\n\n";
        let listed = vec![("b/fix", 1), ("a/warn", 2)];
        assert_eq!(table(Listing::default()), (listed, rows.to_owned()));
        let limited = Listing { limit: Some(1), ..Listing::default() };
        assert_eq!(table(limited), (vec![("b/fix", 1)], format!("… and 2 more\n\n{rows}")));
        let all = Listing { infos: true, each: true, ..Listing::default() };
        let listed = vec![("b/fix", 1), ("a/warn", 1), ("a/warn", 1), ("a/info", 1)];
        assert_eq!(table(all), (listed, String::new()));
        let named = Listing { limit: Some(1), has_all_option: true, ..Listing::default() };
        let (_, text) = table(named);
        assert!(text.starts_with("… and 2 more; `--all` lists them\n"), "{text}");
        assert!(
            text.ends_with("\ninfos other than secrets are not listed; `--all` lists them\n\n"),
            "{text}"
        );
    }

    #[test]
    fn errors_in_the_settings_are_listed_first() {
        use Severity::{Error, Warning};
        let findings = [
            Finding(Warning, "aidd/invalid-config"),
            Finding(Error, "a/error"),
            Finding(Error, "secrets/error"),
            Finding(Error, "aidd/malformed-page"),
        ];
        let selected = Listing::default().select(&findings, false);
        let rules: Vec<&str> = selected.listed.iter().map(|group| group[0].1).collect();
        assert_eq!(
            rules,
            ["aidd/malformed-page", "secrets/error", "a/error", "aidd/invalid-config"]
        );
    }

    #[test]
    fn secrets_are_named_whatever_their_severity_and_the_limit() {
        let findings = [
            Finding(Severity::Error, "a/error"),
            Finding(Severity::Info, "secrets/info"),
            Finding(Severity::Warning, "secrets/warn"),
            Finding(Severity::Info, "secrets/info"),
        ];
        let listing = Listing { limit: Some(1), ..Listing::default() };
        let selected = listing.select(&findings, false);
        let names = |groups: &[Vec<&Finding>]| -> Vec<(&str, usize)> {
            groups.iter().map(|group| (group[0].1, group.len())).collect()
        };
        assert_eq!(names(&selected.listed), [("a/error", 1)]);
        assert_eq!(names(&selected.named), [("secrets/warn", 1), ("secrets/info", 2)]);
        let mut out = Vec::new();
        selected.write_cut(&mut out).and_then(|()| selected.write_table(&mut out)).expect("text");
        assert_eq!(String::from_utf8_lossy(&out), "");
    }

    #[test]
    fn a_few_new_infos_are_named() {
        let findings = findings();
        let selected = Listing::default().select(&findings, true);
        assert_eq!(selected.named.iter().map(|group| group[0].1).collect::<Vec<_>>(), ["a/info"]);
        let mut out = Vec::new();
        selected.write_table(&mut out).expect("writing to memory");
        assert_eq!(String::from_utf8_lossy(&out), "");
        let names: Vec<String> = (0..=MAX_NEW_INFOS).map(|n| format!("a/{n}")).collect();
        let many: Vec<Finding> =
            names.iter().map(|name| Finding(Severity::Info, name.clone().leak())).collect();
        let selected = Listing::default().select(&many, true);
        assert!(selected.named.is_empty());
        selected.write_table(&mut out).expect("writing to memory");
        assert!(String::from_utf8_lossy(&out).contains("not listed"));
    }

    #[test]
    fn statistics_list_every_rule() {
        let (listed, text) = table(Listing { statistics: true, ..Listing::default() });
        assert_eq!(listed, Vec::new());
        assert_eq!(text, "1 error   b/fix, fixable\n2 warning a/warn\n1 info    a/info\n\n");
    }
}
