//! A table for job summaries and for comments on pull requests.

use super::{Run, blob_url, is_steering, number, rule_url, wire};
use aidd_engine::finding::Severity;
use std::io;

/// A comment holds 65,536 characters; bytes are counted, which is never less.
const LIMIT: usize = 65_000;
/// Kept free for what follows the tables.
const RESERVE: usize = 4_000;
/// A longer table is folded.
const FOLD: usize = 10;
/// Skipped files that are named.
const SKIPPED: usize = 10;
/// A longer text is cut.
const CELL: usize = 600;

const TABLE: &str = "| Rule | Place | Problem |\n| --- | --- | --- |\n";

pub(super) fn write(run: &Run<'_>, out: &mut dyn io::Write) -> io::Result<()> {
    let counts = run.counts();
    let files = number(run.checked, "file");
    let mut text = format!("## aidd: {} in {files}\n", counts.found());
    let also = format!("{}{}", counts.fixable(), counts.known());
    if let Some(also) = also.strip_prefix("; ") {
        text.push_str(&format!("\n{also}\n"));
    }
    let ranked = run.ranked();
    let shown = tables(run, &ranked, &mut text);
    if shown < ranked.len() {
        text.push_str(&format!("\n{} more not shown.\n", number(ranked.len() - shown, "problem")));
    }
    text.push_str(&skipped(run));
    debug_assert!(text.len() <= LIMIT, "{} bytes", text.len());
    out.write_all(text.as_bytes())
}

/// Adds a table for each severity; how many findings found room.
fn tables(run: &Run<'_>, ranked: &[wire::Finding], text: &mut String) -> usize {
    let mut shown = 0;
    for findings in ranked.chunk_by(|a, b| a.severity == b.severity) {
        let title = match findings.first().map(|finding| finding.severity) {
            Some(Severity::Error) => "Errors",
            Some(Severity::Warning) => "Warnings",
            _ => "Info",
        };
        let rows: Vec<String> = findings.iter().map(|finding| row(run, finding)).collect();
        let room = (LIMIT - RESERVE).saturating_sub(text.len() + 200);
        let mut size = 0;
        let fits = rows.iter().take_while(|row| {
            size += row.len();
            size <= room
        });
        let fits = fits.count();
        if fits == 0 {
            break;
        }
        let fold = findings.len() > FOLD;
        let heading = format!("{title} ({})", findings.len());
        text.push_str(&if fold {
            format!("\n<details>\n<summary>{heading}</summary>\n\n")
        } else {
            format!("\n### {heading}\n\n")
        });
        text.push_str(TABLE);
        text.push_str(&rows[..fits].concat());
        text.push_str(if fold { "\n</details>\n" } else { "" });
        shown += fits;
        if fits < rows.len() {
            break;
        }
    }
    shown
}

fn row(run: &Run<'_>, finding: &wire::Finding) -> String {
    let rule = escape(&finding.rule);
    let rule = match run.rule(&finding.rule).and_then(|rule| rule_url(run, rule)) {
        Some(url) => format!("[{rule}](<{url}>)"),
        None => rule,
    };
    let place = escape(&format!("{}:{}", finding.path, finding.start.line));
    let place = match run.version_control {
        Some(at) => {
            let (first, last) = (finding.start.line, finding.end.line);
            let lines =
                if first == last { format!("L{first}") } else { format!("L{first}-L{last}") };
            format!("[{place}](<{}#{lines}>)", blob_url(at, &finding.path))
        }
        None => place,
    };
    format!("| {rule} | {place} | {} |\n", escape(&finding.message))
}

fn skipped(run: &Run<'_>) -> String {
    if run.skipped.is_empty() {
        return String::new();
    }
    let count = number(run.skipped.len(), "file");
    let mut text =
        format!("\n<details>\n<summary>{count} not, or not wholly, checked</summary>\n\n");
    let room = text.len() + RESERVE / 2;
    let mut named = 0;
    for file in run.skipped.iter().take(SKIPPED) {
        let line = format!("- {}: {}\n", escape(&file.path), escape(&file.why));
        if text.len() + line.len() > room {
            break;
        }
        text.push_str(&line);
        named += 1;
    }
    if named < run.skipped.len() {
        text.push_str(&format!("- {} more\n", run.skipped.len() - named));
    }
    text.push_str("\n</details>\n");
    text
}

/// Text that Markdown shows as it is, on one line: no markup, no HTML, no mention of a person or
/// an issue.
pub(crate) fn escape(text: &str) -> String {
    let mut out = String::with_capacity(text.len());
    let mut chars = text.char_indices().peekable();
    while let Some((at, c)) = chars.next() {
        if at >= CELL {
            out.push('…');
            break;
        }
        match c {
            '&' => out.push_str("&amp;"),
            '<' => out.push_str("&lt;"),
            '>' => out.push_str("&gt;"),
            // A space of no width keeps GitHub from seeing a name or a number.
            '@' | '#' => {
                out.push('\\');
                out.push(c);
                out.push_str("&#8203;");
            }
            // Nor a link that would leave a trace where it leads to.
            ':' if chars.peek().is_some_and(|&(_, next)| next == '/') => out.push_str("\\:"),
            '\\' | '`' | '*' | '_' | '[' | ']' | '|' | '~' | '!' | '$' => {
                out.push('\\');
                out.push(c);
            }
            c if is_steering(c) => out.push(' '),
            c => out.push(c),
        }
    }
    out
}
