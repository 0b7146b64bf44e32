//! Entries of the technology knowledge base: the parts that searches, comparisons and migration
//! plans rely on must be present, dated and sourced.

mod duplicates;
mod entry;
mod links;

use super::{Checks, check_ids, run_checks};
use aidd_engine::check::family::{Family, FileContext, Param, ParamType};
use aidd_engine::rules::rule::Report;
use aidd_engine::text::finding::Edit;
use aidd_engine::text::kind::{Kind, is_knowledge_entry};
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
        Param { rule: "tkb/stale-entry", name: "months", takes: ParamType::Number },
        Param { rule: "tkb/stale-entry", name: "today", takes: ParamType::String },
    ],
    claim: |path, text| is_knowledge_entry(path, text).then_some(Kind::KNOWLEDGE_ENTRY),
    check: |_, context, report| run_checks(CHECKS, &parse(report.source(), context), report),
    ..Family::EMPTY
};

/// The checks, by rule id.
const CHECKS: Checks<Read> = &[
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
const OTHER_FIELDS: [&str; 9] = [
    "summary",
    "aliases",
    "packages",
    "version",
    "tags",
    "works_with",
    "conflicts_with",
    "legacy",
    "migrations",
];

/// Allowed values of `maturity`.
const MATURITIES: [&str; 4] = ["stable", "emerging", "experimental", "deprecated"];

/// Required sections, in order.
const SECTIONS: [&str; 6] =
    ["Overview", "Key Metrics", "Use Cases", "Trade-offs", "Alternatives", "References"];

/// The parts of the section on trade-offs.
const TRADE_OFF_PARTS: [&str; 2] = ["Strengths", "Weaknesses"];

/// Default age in months after which an entry is stale: two missed quarterly reviews.
const MAX_AGE_MONTHS: i64 = 6;

/// Words that imply a figure but give none.
static VAGUE: LazyLock<Regex> = LazyLock::new(|| {
    let words = "very fast|blazing(?:ly)?[ -]fast|lightning[ -]fast|high[ -]performance|lightweight|\
                 easy to use|user[ -]friendly|popular|widely used|industry[ -]standard|powerful|robust|\
                 world[ -]class|best[ -]in[ -]class|cutting[ -]edge|state[ -]of[ -]the[ -]art|seamless(?:ly)?";
    Regex::new(&format!(r"(?i)\b(?:{words})\b")).expect("a constant pattern")
});

/// An entry with the results of looking up other files.
struct Read {
    entry: Entry,
    /// Links to files that do not exist.
    dead: Vec<(String, Span)>,
    /// Other entries on the same technology.
    twins: Vec<duplicates::Duplicate>,
    /// Date of the newest shipped entry, used to measure age if the frontend passes no date.
    reviewed: Option<Date>,
}

fn parse(source: &Source, context: &FileContext<'_>) -> Read {
    let files = context.files;
    let entry = Entry::parse(source);
    let dead = links::dead_links(&entry, source.path(), files);
    let twins = duplicates::find_duplicates(&entry, source, files);
    Read { entry, dead, twins, reviewed: date(context.registry.tables().reviewed) }
}

fn malformed_header(read: &Read, report: &mut Report<'_>) {
    if let Header::Broken(message, span) = &read.entry.header {
        report.at(*span, message.as_str()).help(
            "start the file with a line `---`, the keys name, category, maturity and last_updated, \
             and another line `---`",
        );
    }
}

fn missing_field(read: &Read, report: &mut Report<'_>) {
    if matches!(read.entry.header, Header::Broken(..)) {
        return;
    }
    let keys = read.entry.keys();
    for field in FIELDS {
        let value = read.entry.field(field);
        if value.is_some_and(|(text, _)| !text.trim().is_empty()) {
            continue;
        }
        // A misspelt key is probably the missing one.
        let unknown =
            keys.iter().filter(|key| !FIELDS.contains(key) && !OTHER_FIELDS.contains(key));
        let meant = nearest(field, unknown.copied());
        let span = report.source().line_span(0);
        let message = match meant {
            Some(key) => format!("the header has no `{field}`; did you mean `{key}`?"),
            None if keys.contains(&field) => format!("`{field}` in the header is not a string"),
            None => format!("the header has no `{field}`"),
        };
        report.at(span, message);
    }
}

/// Reports a value of the header that is not in `known`.
fn check_enum(read: &Read, field: &str, known: &[&str], report: &mut Report<'_>) {
    let Some((value, span)) = read.entry.field(field) else { return };
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

fn unknown_category(read: &Read, report: &mut Report<'_>) {
    check_enum(read, "category", &aidd_engine::text::kind::KNOWLEDGE_CATEGORIES, report);
}

fn unknown_maturity(read: &Read, report: &mut Report<'_>) {
    check_enum(read, "maturity", &MATURITIES, report);
}

/// A date in the form `2026-01-31`.
fn date(text: &str) -> Option<Date> {
    let is_shape = text.len() == 10 && text.bytes().filter(|byte| *byte == b'-').count() == 2;
    text.parse().ok().filter(|_| is_shape)
}

fn invalid_date(read: &Read, report: &mut Report<'_>) {
    let Some((text, span)) = read.entry.field("last_updated") else { return };
    let Some(date) = date(text) else {
        report
            .at(span, format!("`{text}` is not a date"))
            .help("write the date of the last review as YYYY-MM-DD, such as 2026-01-31");
        return;
    };
    // One day of tolerance for time zones to the east of this machine.
    let tomorrow = report.today().and_then(|today| today.tomorrow().ok());
    if tomorrow.is_some_and(|tomorrow| date > tomorrow) {
        report.at(span, format!("{text} is in the future"));
    }
}

fn stale_entry(read: &Read, report: &mut Report<'_>) {
    let Some((text, span)) = read.entry.field("last_updated") else { return };
    let months =
        report.param("months").and_then(serde_json::Value::as_i64).unwrap_or(MAX_AGE_MONTHS);
    let configured = report.param("today").and_then(serde_json::Value::as_str).and_then(date);
    let today = configured.or(report.today()).or(read.reviewed);
    let (Some(date), Some(today)) = (date(text), today) else { return };
    // Deprecated technologies no longer change.
    if read.entry.field("maturity").is_some_and(|(maturity, _)| maturity == "deprecated") {
        return;
    }
    let Ok(span_of) = Days::new().try_months(months.clamp(1, 1200)) else { return };
    if date.checked_add(span_of).is_ok_and(|due| due < today) {
        let age =
            date.until((Unit::Month, today)).map_or(months, |age| i64::from(age.get_months()));
        report.at(span, format!("last reviewed {age} months before {today}")).help(
            "check versions, metrics and alternatives against their sources, then update the date",
        );
    }
}

fn missing_section(read: &Read, report: &mut Report<'_>) {
    let entry = &read.entry;
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
    for side in TRADE_OFF_PARTS {
        if !below.iter().any(|text| text.eq_ignore_ascii_case(side)) {
            report.at(heading.span, format!("the section has no part `### {side}`"));
        }
    }
}

fn section_order(read: &Read, report: &mut Report<'_>) {
    let place = |text: &str| SECTIONS.iter().position(|name| name.eq_ignore_ascii_case(text));
    let mut last = 0;
    for (_, heading) in read.entry.sections() {
        let Some(place) = place(&heading.text) else { continue };
        if place < last {
            let order = SECTIONS.join(", ");
            let message = format!("`{}` is placed after `{}`", SECTIONS[place], SECTIONS[last]);
            report.at(heading.span, message).help(format!("use the order {order}"));
        }
        last = last.max(place);
    }
}

/// A span without surrounding whitespace.
fn trimmed(source: &Source, span: Span) -> Span {
    let whole = source.slice(span);
    let start = span.start as usize + whole.len() - whole.trim_start().len();
    Span::new(start, start + whole.trim().len())
}

fn fit_score(read: &Read, report: &mut Report<'_>) {
    let Some((heading, extent)) = read.entry.section("Use Cases") else { return };
    let help = "use a table with a column `Fit Score`, from 1/10 to 10/10 in each row";
    let Some(table) = read.entry.table(extent) else {
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
            let place = trimmed(report.source(), cell.span);
            report.at(place, format!("`{shown}` is not a fit score from 1/10 to 10/10"));
        }
    }
}

fn missing_alternatives(read: &Read, report: &mut Report<'_>) {
    let Some((heading, extent)) = read.entry.section("Alternatives") else { return };
    if read.entry.table(extent).is_none_or(|table| table.body().is_empty()) {
        report
            .at(heading.span, "alternatives without a table")
            .help("use a table with a row for each: its name, and when to choose it");
    }
}

fn is_address(text: &str) -> bool {
    text.starts_with("https://") || text.starts_with("http://")
}

fn missing_reference(read: &Read, report: &mut Report<'_>) {
    let Some((heading, extent)) = read.entry.section("References") else { return };
    let source = report.source();
    let end = extent.end.min(u32::try_from(source.text().len()).unwrap_or(u32::MAX));
    let text = source.slice(Span { start: extent.start.min(end), end });
    let links = read.entry.links.iter().filter(|(_, span)| extent.contains(*span));
    if !links.into_iter().any(|(address, _)| is_address(address)) && !text.contains("://") {
        report
            .at(heading.span, "no reference has a URL")
            .help("link the documentation and the release notes that are the sources of the facts");
    }
}

fn unsourced_metric(read: &Read, report: &mut Report<'_>) {
    let Some((_, extent)) = read.entry.section("Key Metrics") else { return };
    let Some(table) = read.entry.table(extent) else { return };
    for row in table.body() {
        let is_sourced = row.iter().any(|cell| {
            cell.links.iter().any(|address| is_address(address)) || cell.text.contains("://")
        });
        let Some((first, last)) = row.first().zip(row.last()).filter(|_| !is_sourced) else {
            continue;
        };
        let name = first.text.trim();
        let place = trimmed(report.source(), first.span.cover(last.span));
        report
            .at(place, format!("`{name}` has no source"))
            .help("link the source of the figure, or remove it");
    }
}

fn vague_term(read: &Read, report: &mut Report<'_>) {
    let source = report.source();
    for span in &read.entry.prose {
        // A figure anywhere on the line is taken as the figure for the term.
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

fn dead_link(read: &Read, report: &mut Report<'_>) {
    for (address, span) in &read.dead {
        report.at(*span, format!("file `{address}` does not exist"));
    }
}

fn duplicate_entry(read: &Read, report: &mut Report<'_>) {
    let place = read.entry.field("name").map_or_else(|| report.source().line_span(0), |it| it.1);
    for duplicates::Duplicate { path, why } in &read.twins {
        report
            .at(place, format!("`{path}` {why}"))
            .help("merge the two; a search returns both, and they will diverge");
    }
}

#[cfg(test)]
mod tests;
