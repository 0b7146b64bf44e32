//! Entries of the technology knowledge base: the parts that searches, comparisons and migration
//! plans rely on must be present, dated and sourced.

mod duplicates;
mod entry;
mod links;

use super::{Checks, check_ids, run_checks};
use aidd_engine::check::family::{Family, FileContext, Param, ParamType};
use aidd_engine::rules::rule::Report;
use aidd_engine::text::finding::Edit;
use aidd_engine::text::kind::{Kind, is_knowledge_entry, knowledge_root};
use aidd_engine::text::nearest::nearest;
use aidd_engine::text::source::{Source, Span};
use entry::{Entry, Header};
use jiff::civil::Date;
use jiff::{Span as Days, Unit};
use regex::Regex;
use std::sync::LazyLock;

/// The rules on entries of the technology knowledge base.
pub(super) const FAMILY: Family = Family {
    name: "tkb",
    rules: || check_ids(CHECKS),
    params: &[
        Param { rule: "tkb/stale-entry", name: "months", param_type: ParamType::Number },
        Param { rule: "tkb/stale-entry", name: "today", param_type: ParamType::String },
    ],
    claim: |path, text| is_knowledge_entry(path, text).then_some(Kind::KNOWLEDGE_ENTRY),
    may_check: |path| knowledge_root(path).is_some(),
    check: |_, context, report| run_checks(CHECKS, &parse(report.source(), context), report),
    ..Family::EMPTY
};

/// The checks, by rule id.
const CHECKS: Checks<EntryContext> = &[
    ("tkb/dead-link", dead_link),
    ("tkb/duplicate-entry", duplicate_entry),
    ("tkb/fit-score", fit_score),
    ("tkb/invalid-date", invalid_date),
    ("tkb/malformed-header", malformed_header),
    ("tkb/missing-alternatives", missing_alternatives),
    ("tkb/missing-field", missing_field),
    ("tkb/missing-reference", missing_reference),
    ("tkb/missing-section", missing_section),
    ("tkb/section-order", section_order),
    ("tkb/stale-entry", stale_entry),
    ("tkb/unknown-category", unknown_category),
    ("tkb/unknown-maturity", unknown_maturity),
    ("tkb/unsourced-metric", unsourced_metric),
    ("tkb/vague-term", vague_term),
];

/// Required keys of the header.
const FIELDS: [&str; 4] = ["name", "category", "maturity", "last_updated"];

/// Other known keys, for suggestions on misspelt keys.
const OTHER_FIELDS: [&str; 11] = [
    "summary",
    "aliases",
    "packages",
    "clients",
    "version",
    "tags",
    "works_with",
    "conflicts_with",
    "legacy",
    "migrations",
    "end_of_life",
];

/// Allowed values of `maturity`.
const MATURITIES: [&str; 4] = ["stable", "emerging", "experimental", "deprecated"];

/// Required sections, in order.
const SECTIONS: [&str; 6] =
    ["Overview", "Key Metrics", "Use Cases", "Trade-offs", "Alternatives", "References"];

/// The required parts of the section on trade-offs.
const TRADE_OFF_PARTS: [&str; 2] = ["Strengths", "Weaknesses"];

/// Default age in months after which an entry is stale: the time of two quarterly reviews.
const MAX_AGE_MONTHS: i64 = 6;

/// Words that claim a property without a figure.
static VAGUE: LazyLock<Regex> = LazyLock::new(|| {
    let words = "very fast|blazing(?:ly)?[ -]fast|lightning[ -]fast|high[ -]performance|lightweight|\
                 easy to use|user[ -]friendly|popular|widely used|industry[ -]standard|powerful|robust|\
                 world[ -]class|best[ -]in[ -]class|cutting[ -]edge|state[ -]of[ -]the[ -]art|seamless(?:ly)?";
    Regex::new(&format!(r"(?i)\b(?:{words})\b")).expect("a constant pattern")
});

/// An entry, and the data from other files that the checks need.
struct EntryContext {
    entry: Entry,
    /// Links to files that do not exist.
    dead_links: Vec<(String, Span)>,
    /// Other entries on the same technology.
    duplicates: Vec<duplicates::Duplicate>,
    /// Date of the newest shipped entry, used to measure age if the frontend passes no date.
    reviewed: Option<Date>,
}

fn parse(source: &Source, file_context: &FileContext<'_>) -> EntryContext {
    let files = file_context.files;
    let entry = Entry::parse(source);
    let dead_links = links::dead_links(&entry, source.path(), files);
    let duplicates = duplicates::find_duplicates(&entry, source, files);
    EntryContext {
        entry,
        dead_links,
        duplicates,
        reviewed: parse_date(file_context.registry.tables().reviewed),
    }
}

fn malformed_header(context: &EntryContext, report: &mut Report<'_>) {
    if let Header::Broken(message, span) = &context.entry.header {
        report.at(*span, message.as_str()).help(
            "start the file with a line `---`, the keys name, category, maturity and last_updated, \
             and another line `---`",
        );
    }
}

fn missing_field(context: &EntryContext, report: &mut Report<'_>) {
    if matches!(context.entry.header, Header::Broken(..)) {
        return;
    }
    let keys = context.entry.keys();
    for field in FIELDS {
        let value = context.entry.field(field);
        if value.is_some_and(|(text, _)| !text.trim().is_empty()) {
            continue;
        }
        // A misspelt key is probably the missing key.
        let unknown =
            keys.iter().filter(|key| !FIELDS.contains(key) && !OTHER_FIELDS.contains(key));
        let suggestion = nearest(field, unknown.copied());
        let span = report.source().line_span(0);
        let message = match suggestion {
            Some(key) => format!("the header has no `{field}`; did you mean `{key}`?"),
            None if keys.contains(&field) => format!("`{field}` in the header is not a string"),
            None => format!("the header has no `{field}`"),
        };
        report.at(span, message);
    }
}

/// Reports a value of the header that is not in `known`.
fn check_enum(context: &EntryContext, field: &str, known: &[&str], report: &mut Report<'_>) {
    let Some((value, span)) = context.entry.field(field) else { return };
    if known.contains(&value) || value.trim().is_empty() {
        return;
    }
    let near = nearest(value, known.iter().copied());
    let finding = report.at(span, format!("unknown {field} `{value}`"));
    finding.help(format!("use one of {}", known.join(", ")));
    if let Some(near) = near {
        finding.fix_unsafe(format!("Replace with {near}"), vec![Edit::replace(span, near)]);
    }
}

fn unknown_category(context: &EntryContext, report: &mut Report<'_>) {
    check_enum(context, "category", &aidd_engine::text::kind::KNOWLEDGE_CATEGORIES, report);
}

fn unknown_maturity(context: &EntryContext, report: &mut Report<'_>) {
    check_enum(context, "maturity", &MATURITIES, report);
}

/// A date in the form `2026-01-31`.
fn parse_date(text: &str) -> Option<Date> {
    let has_date_format =
        text.len() == 10 && text.bytes().filter(|byte| *byte == b'-').count() == 2;
    text.parse().ok().filter(|_| has_date_format)
}

fn invalid_date(context: &EntryContext, report: &mut Report<'_>) {
    let Some((text, span)) = context.entry.field("last_updated") else { return };
    let Some(date) = parse_date(text) else {
        report
            .at(span, format!("`{text}` is not a date"))
            .help("write the date of the last review as YYYY-MM-DD, such as 2026-01-31");
        return;
    };
    // Allow one day for time zones to the east of this machine.
    let tomorrow = report.today().and_then(|today| today.tomorrow().ok());
    if tomorrow.is_some_and(|tomorrow| date > tomorrow) {
        report.at(span, format!("{text} is in the future"));
    }
}

fn stale_entry(context: &EntryContext, report: &mut Report<'_>) {
    let Some((text, span)) = context.entry.field("last_updated") else { return };
    let months =
        report.param("months").and_then(serde_json::Value::as_i64).unwrap_or(MAX_AGE_MONTHS);
    let configured = report.param("today").and_then(serde_json::Value::as_str).and_then(parse_date);
    let today = configured.or(report.today()).or(context.reviewed);
    let (Some(date), Some(today)) = (parse_date(text), today) else { return };
    // Deprecated technologies no longer change.
    if context.entry.field("maturity").is_some_and(|(maturity, _)| maturity == "deprecated") {
        return;
    }
    let Ok(period) = Days::new().try_months(months.clamp(1, 1200)) else { return };
    if date.checked_add(period).is_ok_and(|due| due < today) {
        let age =
            date.until((Unit::Month, today)).map_or(months, |age| i64::from(age.get_months()));
        report.at(span, format!("last reviewed {age} months before {today}")).help(
            "check versions, metrics and alternatives against their sources, then update the date",
        );
    }
}

fn missing_section(context: &EntryContext, report: &mut Report<'_>) {
    let entry = &context.entry;
    let title = entry.title(report.source());
    let near_of = |name: &str, level| {
        let others = entry.headings.iter().filter(|it| it.level == level);
        nearest(name, others.map(|it| &*it.text)).map(str::to_owned)
    };
    for name in SECTIONS {
        if entry.section(name).is_none() {
            let near = near_of(name, pulldown_cmark::HeadingLevel::H2);
            let near = near.filter(|near| !SECTIONS.contains(&&**near));
            let hint = near.map_or(String::new(), |near| format!("; did you mean `{near}`?"));
            report.at(title, format!("missing section `## {name}`{hint}"));
        }
    }
    let Some((heading, extent)) = entry.section("Trade-offs") else { return };
    let below: Vec<&str> =
        entry.headings.iter().filter(|it| extent.contains(it.span)).map(|it| &*it.text).collect();
    for part in TRADE_OFF_PARTS {
        if !below.iter().any(|text| text.eq_ignore_ascii_case(part)) {
            report.at(heading.span, format!("the section has no part `### {part}`"));
        }
    }
}

fn section_order(context: &EntryContext, report: &mut Report<'_>) {
    let position = |text: &str| SECTIONS.iter().position(|name| name.eq_ignore_ascii_case(text));
    let mut last = 0;
    for (_, heading) in context.entry.sections() {
        let Some(index) = position(&heading.text) else { continue };
        if index < last {
            let order = SECTIONS.join(", ");
            let message = format!("`{}` is placed after `{}`", SECTIONS[index], SECTIONS[last]);
            report.at(heading.span, message).help(format!("use the order {order}"));
        }
        last = last.max(index);
    }
}

/// A span without surrounding whitespace.
fn trimmed(source: &Source, span: Span) -> Span {
    let text = source.slice(span);
    let start = span.start as usize + text.len() - text.trim_start().len();
    Span::new(start, start + text.trim().len())
}

fn fit_score(context: &EntryContext, report: &mut Report<'_>) {
    let Some((heading, extent)) = context.entry.section("Use Cases") else { return };
    let help = "use a table with a column `Fit Score`, from 1/10 to 10/10 in each row";
    let Some(table) = context.entry.table(extent) else {
        report.at(heading.span, "use cases without a table").help(help);
        return;
    };
    let Some(column) = table.column("fit") else {
        let head = table.rows.first().and_then(|row| row.first()).map_or(table.span, |it| it.span);
        report.at(head, "table of use cases without fit scores").help(help);
        return;
    };
    for row in table.body() {
        let Some(cell) = row.get(column) else { continue };
        let score = cell.text.trim().strip_suffix("/10").and_then(|it| it.parse::<u8>().ok());
        if !score.is_some_and(|score| (1..=10).contains(&score)) {
            let shown = cell.text.trim();
            let span = trimmed(report.source(), cell.span);
            report.at(span, format!("`{shown}` is not a fit score from 1/10 to 10/10"));
        }
    }
}

fn missing_alternatives(context: &EntryContext, report: &mut Report<'_>) {
    let Some((heading, extent)) = context.entry.section("Alternatives") else { return };
    if context.entry.table(extent).is_none_or(|table| table.body().is_empty()) {
        report
            .at(heading.span, "alternatives without a table")
            .help("use a table with a row for each alternative: its name, and when to choose it");
    }
}

fn is_address(text: &str) -> bool {
    text.starts_with("https://") || text.starts_with("http://")
}

fn missing_reference(context: &EntryContext, report: &mut Report<'_>) {
    let Some((heading, extent)) = context.entry.section("References") else { return };
    let source = report.source();
    let end = extent.end.min(u32::try_from(source.text().len()).unwrap_or(u32::MAX));
    let text = source.slice(Span { start: extent.start.min(end), end });
    let links = context.entry.links.iter().filter(|(_, span)| extent.contains(*span));
    if !links.into_iter().any(|(address, _)| is_address(address)) && !text.contains("://") {
        report
            .at(heading.span, "no reference has a URL")
            .help("link the documentation and the release notes that are the sources of the facts");
    }
}

fn unsourced_metric(context: &EntryContext, report: &mut Report<'_>) {
    let Some((_, extent)) = context.entry.section("Key Metrics") else { return };
    let Some(table) = context.entry.table(extent) else { return };
    for row in table.body() {
        let is_sourced = row.iter().any(|cell| {
            cell.links.iter().any(|address| is_address(address)) || cell.text.contains("://")
        });
        let Some((first, last)) = row.first().zip(row.last()).filter(|_| !is_sourced) else {
            continue;
        };
        let name = first.text.trim();
        let span = trimmed(report.source(), first.span.cover(last.span));
        report
            .at(span, format!("`{name}` has no source"))
            .help("link the source of the figure, or remove it");
    }
}

fn vague_term(context: &EntryContext, report: &mut Report<'_>) {
    let source = report.source();
    for span in &context.entry.prose {
        // A figure anywhere on the line is treated as the figure for the term.
        let line = source.slice(source.lines_around(*span));
        if line.contains(|c: char| c.is_ascii_digit()) {
            continue;
        }
        for found in VAGUE.find_iter(source.slice(*span)) {
            let at = Span::new(found.start(), found.end()).shift(span.start as usize);
            report
                .at(at, format!("vague term `{}` without a figure", found.as_str()))
                .help("add the figure with its source, or describe the purpose");
        }
    }
}

fn dead_link(context: &EntryContext, report: &mut Report<'_>) {
    for (address, span) in &context.dead_links {
        report.at(*span, format!("file `{address}` does not exist"));
    }
}

fn duplicate_entry(context: &EntryContext, report: &mut Report<'_>) {
    let span = context.entry.field("name").map_or_else(|| report.source().line_span(0), |it| it.1);
    for duplicates::Duplicate { path, why } in &context.duplicates {
        report
            .at(span, format!("`{path}` {why}"))
            .help("merge the two entries; a search returns both, and they will diverge");
    }
}

#[cfg(test)]
mod tests;
