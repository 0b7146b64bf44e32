//! Parses the line-based formats: LCOV and the cover profiles of Go.

use super::report::{Builder, Coverage, Malformed, Naming, segment};

/// Parses a report in LCOV.
pub(super) fn lcov(text: &str) -> Result<Coverage, Malformed> {
    let mut report = Builder::default();
    let mut name: Option<&str> = None;
    let mut count = 0;
    for (number, line) in (1..).zip(text.lines()) {
        count = number;
        let line = line.trim();
        if line.is_empty() || line.starts_with('#') {
            continue;
        }
        if line == "end_of_record" {
            name = None;
            continue;
        }
        let Some((key, value)) = line.split_once(':') else {
            return Err(Malformed::Line(number, "expected `key:value` or `end_of_record`"));
        };
        match key {
            "SF" if name.is_some() => {
                return Err(Malformed::Line(number, "the previous record has no `end_of_record`"));
            }
            "SF" => {
                report.file(value);
                name = Some(value);
            }
            "DA" => {
                let Some(name) = name else {
                    return Err(Malformed::Line(number, "`DA` outside of a record"));
                };
                let mut parts = value.split(',');
                let line = parts.next().and_then(|line| line.parse().ok());
                let hits = parts.next().and_then(|hits| hits.parse().ok());
                let hits = hits.filter(|hits: &f64| hits.is_finite());
                let (Some(line), Some(hits)) = (line, hits) else {
                    return Err(Malformed::Line(number, "expected `DA:line,hits`"));
                };
                report.file(name).extend(segment(line, line, hits > 0.0));
            }
            _ => {}
        }
    }
    if name.is_some() {
        return Err(Malformed::Line(count, "the last record has no `end_of_record`"));
    }
    Ok(report.finish(Naming::Paths))
}

/// Parses a cover profile of Go.
pub(super) fn go(text: &str) -> Result<Coverage, Malformed> {
    let mut report = Builder::default();
    for (number, line) in (1..).zip(text.lines()) {
        // Concatenated profiles repeat the first line.
        if line.trim().is_empty() || line.starts_with("mode:") {
            continue;
        }
        let Some((name, first, last, count)) = parse_go_block(line) else {
            return Err(Malformed::Line(
                number,
                "expected `file:line.column,line.column statements count`",
            ));
        };
        report.file(name).extend(segment(first, last, count > 0));
    }
    Ok(report.finish(Naming::GoImport))
}

/// Parses a block such as `a/b.go:1.2,3.4 5 6` into its file, first line, last line and count.
fn parse_go_block(line: &str) -> Option<(&str, u32, u32, u64)> {
    let (name, rest) = line.rsplit_once(':')?;
    let mut words = rest.split_whitespace();
    let (first, last) = words.next()?.split_once(',')?;
    let line_number = |position: &str| position.split_once('.')?.0.parse().ok();
    let count = words.nth(1)?.parse().ok()?;
    Some((name, line_number(first)?, line_number(last)?, count))
}
