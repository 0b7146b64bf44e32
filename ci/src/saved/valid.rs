//! Validation of saved reports.

use super::{DOCUMENT_VERSION, Saved, VERSION};
use aidd_report::document::MAX_EXCERPT_LINES;
use aidd_report::wire::{Finding, Position};
use aidd_report::{Document, Reach, is_hidden, one_line, printable};

/// Maximum counts, far above the size of any real report.
const MAX_FINDINGS: usize = 200_000;
const MAX_FILES: usize = 200_000;
const MAX_RANGES: usize = 1_000_000;
/// Maximum number of related locations, edits or aliases of one finding.
const MAX_PARTS: usize = 100_000;
const MAX_NOTES: usize = 1_000;
const MAX_WEAKENED: usize = 10_000;
/// Maximum number of a line: no file has more bytes.
const MAX_LINE: u64 = 1 << 40;
const MAX_SHARDS: u32 = 10_000;
/// Maximum sizes in bytes of a text, a path and a name.
const MAX_TEXT_BYTES: usize = 1 << 20;
const MAX_PATH_BYTES: usize = 4_096;
const MAX_NAME_BYTES: usize = 512;

/// Validates a report; the error states the problem and its position.
pub(super) fn check(saved: &Saved) -> Result<(), String> {
    for (found, read) in
        [(saved.schema_version, VERSION), (saved.document.schema_version, DOCUMENT_VERSION)]
    {
        ensure(
            found == read,
            &format!("unsupported schema version {found}; this aidd reads version {read}"),
        )?;
    }
    let context = &saved.context;
    if let Some(repository) = &context.repository {
        let parts: Vec<&str> = repository.split('/').collect();
        let is_name = |part: &&str| is_word(part, "._-") && ![".", ".."].contains(part);
        ensure(
            parts.len() == 2 && parts.iter().all(is_name),
            "context.repository is not `owner/name`",
        )?;
    }
    for sha in [&context.head_sha, &context.base_sha].into_iter().flatten() {
        ensure(is_hash(sha), "a commit in `context` is not a full hash")?;
    }
    if let Some(shard) = saved.shard {
        let is_valid = (1..=shard.count).contains(&shard.index) && shard.count <= MAX_SHARDS;
        ensure(is_valid, "the index of `shard` is not in 1..=count")?;
    }
    check_document(&saved.document)?;
    let keys = &saved.match_keys;
    ensure(
        keys.len() == saved.document.findings.len(),
        "`matchKeys` and `findings` differ in length",
    )?;
    ensure(keys.iter().all(|key| key.len() <= MAX_PATH_BYTES), "a key of `matchKeys` is too long")?;
    let ranges = saved.diff_lines.values().map(Vec::len).sum::<usize>();
    ensure(saved.diff_lines.len() <= MAX_FILES && ranges <= MAX_RANGES, "too many `diffLines`")?;
    for (name, ranges) in &saved.diff_lines {
        check_path(name)?;
        let is_valid = ranges.iter().all(|&(first, last)| 1 <= first && first <= last);
        ensure(is_valid, "`diffLines` contains an invalid range")?;
    }
    Ok(())
}

fn check_document(document: &Document) -> Result<(), String> {
    ensure(document.tool.name == "aidd", "not written by aidd")?;
    ensure(is_word(&document.tool.version, ".+-"), "`tool.version` is invalid")?;
    ensure(document.findings.len() <= MAX_FINDINGS, "too many `findings`")?;
    for (index, one) in document.findings.iter().enumerate() {
        check_finding(one).map_err(|why| format!("findings[{index}]: {why}"))?;
    }
    ensure(document.skipped.len() <= MAX_FILES, "too many `skipped`")?;
    for file in &document.skipped {
        check_path(&file.path)?;
        check_text(&file.why)?;
    }
    ensure(document.line_hashes.len() <= MAX_FILES, "too many `lineHashes`")?;
    for (name, lines) in &document.line_hashes {
        check_path(name)?;
        ensure(
            lines.values().all(|hash| is_word(hash, ":")),
            "`lineHashes` contains an invalid hash",
        )?;
    }
    for (id, safety) in &document.withheld_fixes {
        ensure(is_word(id, "-_") && is_safety(safety), "`withheldFixes` are invalid")?;
    }
    ensure(document.excerpts.len() <= MAX_FINDINGS, "too many `excerpts`")?;
    for (id, excerpt) in &document.excerpts {
        let is_short = excerpt.lines.len() <= MAX_EXCERPT_LINES && excerpt.first <= MAX_LINE;
        ensure(is_word(id, "-_") && is_short, "`excerpts` are invalid")?;
        excerpt.lines.iter().try_for_each(|line| check_text(line))?;
    }
    if let Some(comparison) = &document.comparison {
        check_text(&comparison.base)?;
        let sha = comparison.base_sha.as_deref();
        ensure(sha.is_none_or(is_hash), "`comparison.baseSha` is not a full hash")?;
        ensure(comparison.weakened.len() <= MAX_WEAKENED, "too many `comparison.weakened`")?;
        for weakening in &comparison.weakened {
            check_path(&weakening.path)?;
            check_text(&weakening.message)?;
            ensure(
                weakening.line.is_none_or(|line| line >= 1),
                "`comparison.weakened` contains an invalid line",
            )?;
        }
    }
    if let Some(version_control) = &document.version_control {
        let known = ["https://", "http://"]
            .iter()
            .any(|scheme| version_control.repository.starts_with(scheme));
        let is_plain = |c: char| !is_hidden(c) && !c.is_whitespace() && !"<>\"`\\".contains(c);
        ensure(
            known && version_control.repository.chars().all(is_plain),
            "`versionControl.repository` is not a URL",
        )?;
        ensure(is_hash(&version_control.revision), "`versionControl.revision` is not a full hash")?;
        version_control.branch.as_deref().map_or(Ok(()), check_text)?;
    }
    document.category.as_deref().map_or(Ok(()), check_name)?;
    let root = document.root.as_deref().unwrap_or("file:///");
    ensure(
        root.starts_with("file:///") && root.len() <= 3 * MAX_PATH_BYTES,
        "`root` is not a directory URI",
    )?;
    ensure(document.notes.len() <= MAX_NOTES, "too many `notes`")?;
    document.notes.iter().try_for_each(|note| check_text(note))?;
    document.reach.as_ref().map_or(Ok(()), check_reach)
}

fn check_reach(reach: &Reach) -> Result<(), String> {
    let symbols = || reach.changed.iter().chain(&reach.callers).chain(&reach.untested);
    ensure(symbols().count() <= MAX_FILES && reach.tests.len() <= MAX_FILES, "too many `reach`")?;
    for symbol in symbols() {
        check_text(&symbol.name)?;
        check_path(&symbol.path)?;
        ensure((1..=MAX_LINE).contains(&symbol.line), "`reach` contains an invalid line")?;
    }
    reach.tests.iter().try_for_each(|path| check_path(path))
}

fn check_finding(finding: &Finding) -> Result<(), String> {
    ensure(is_word(&finding.id, "-_"), "`id` is invalid")?;
    check_name(&finding.rule)?;
    ensure(finding.aliases.len() <= MAX_PARTS, "too many `aliases`")?;
    finding.aliases.iter().try_for_each(|alias| check_name(alias))?;
    check_text(&finding.message)?;
    let more = [&finding.help, &finding.reason];
    more.into_iter().flatten().try_for_each(|more| check_text(more))?;
    check_path(&finding.path)?;
    check_range(finding.start, finding.end)?;
    ensure(finding.related.len() <= MAX_PARTS, "too many `related`")?;
    for location in &finding.related {
        check_path(&location.path)?;
        check_range(location.start, location.end)?;
        check_text(&location.message)?;
    }
    if let Some(fix) = &finding.fix {
        check_text(&fix.title)?;
        ensure(is_safety(&fix.safety), "`fix.safety` is invalid")?;
        ensure(fix.edits.len() <= MAX_PARTS, "too many `edits`")?;
        for edit in &fix.edits {
            check_range(edit.start, edit.end)?;
            check_text(&edit.text)?;
        }
        if let Some(new) = &fix.create {
            check_path(&new.path)?;
            check_text(&new.text)?;
        }
        fix.rename_to.as_ref().map_or(Ok(()), |to| check_path(to))?;
    }
    Ok(())
}

/// Removes from an untrusted report everything that could control a terminal, imitate other text or
/// form a link.
///
/// # Errors
/// Fails when the report's category contains characters that aidd's own workflows would not use.
pub(super) fn sanitize(saved: &mut Saved) -> Result<(), String> {
    let document = &mut saved.document;
    document.version_control = None;
    document.root = None;
    if let Some(comparison) = &mut document.comparison {
        comparison.base_sha = None;
        comparison.base = one_line(&comparison.base);
        for weakening in &mut comparison.weakened {
            weakening.path = one_line(&weakening.path);
            weakening.message = one_line(&weakening.message);
        }
    }
    // The category is part of the comment marker and must not end it early.
    let category = document.category.as_deref();
    let is_plain = |category: &str| is_word(category, "._/ -") && !category.contains("--");
    ensure(
        category.is_none_or(is_plain),
        "`category` contains characters that are not allowed in an untrusted report",
    )?;
    for finding in &mut document.findings {
        sanitize_finding(finding);
    }
    for file in &mut document.skipped {
        file.path = one_line(&file.path);
        file.why = one_line(&file.why);
    }
    for note in &mut document.notes {
        *note = one_line(note);
    }
    if let Some(reach) = &mut document.reach {
        let symbols = reach.changed.iter_mut().chain(&mut reach.callers).chain(&mut reach.untested);
        for symbol in symbols {
            symbol.name = one_line(&symbol.name);
            symbol.path = one_line(&symbol.path);
        }
        for path in &mut reach.tests {
            *path = one_line(path);
        }
    }
    let lines = std::mem::take(&mut document.line_hashes);
    document.line_hashes =
        lines.into_iter().map(|(path, hashes)| (one_line(&path), hashes)).collect();
    for line in saved.document.excerpts.values_mut().flat_map(|excerpt| &mut excerpt.lines) {
        *line = excerpt_line(line);
    }
    for key in &mut saved.match_keys {
        *key = one_line(key);
    }
    let lines = std::mem::take(&mut saved.diff_lines);
    saved.diff_lines = lines.into_iter().map(|(path, ranges)| (one_line(&path), ranges)).collect();
    Ok(())
}

/// A line of an excerpt on one line, with its indent.
fn excerpt_line(line: &str) -> String {
    printable(line).replace(['\n', '\r'], " ")
}

fn sanitize_finding(finding: &mut Finding) {
    finding.rule = one_line(&finding.rule);
    finding.path = one_line(&finding.path);
    finding.message = printable(&finding.message);
    for text in [&mut finding.help, &mut finding.reason].into_iter().flatten() {
        *text = printable(text);
    }
    for alias in &mut finding.aliases {
        *alias = one_line(alias);
    }
    for location in &mut finding.related {
        location.path = one_line(&location.path);
        location.message = printable(&location.message);
    }
    // Edits are used verbatim, so drop an edit that contains hidden characters.
    let contains_hidden =
        |text: &str| text.chars().any(|c| is_hidden(c) && !matches!(c, '\n' | '\r' | '\t'));
    finding.fix = finding.fix.take().filter(|fix| {
        !fix.edits.iter().any(|edit| contains_hidden(&edit.text))
            && !fix.create.as_ref().is_some_and(|new| contains_hidden(&new.text))
    });
    if let Some(fix) = &mut finding.fix {
        fix.title = one_line(&fix.title);
        if let Some(new) = &mut fix.create {
            new.path = one_line(&new.path);
        }
        fix.rename_to = fix.rename_to.as_deref().map(one_line);
    }
}

fn ensure(condition: bool, message: &str) -> Result<(), String> {
    if condition { Ok(()) } else { Err(message.to_owned()) }
}

fn check_text(text: &str) -> Result<(), String> {
    ensure(text.len() <= MAX_TEXT_BYTES, "a string is too long")
}

fn check_name(text: &str) -> Result<(), String> {
    ensure(!text.is_empty() && text.len() <= MAX_NAME_BYTES, "a name is empty or too long")
}

/// Validates a path below the root: relative, without `..`, to a file.
fn check_path(path: &str) -> Result<(), String> {
    let is_valid = path.len() <= MAX_PATH_BYTES
        && !path.contains('\0')
        && path.split('/').all(|segment| !["", ".", ".."].contains(&segment));
    let shown: String = path.chars().take(100).collect();
    if is_valid { Ok(()) } else { Err(format!("`{shown}` is not a path below the root")) }
}

fn check_range(start: Position, end: Position) -> Result<(), String> {
    let is_positive = |at: Position| at.line >= 1 && at.column >= 1;
    let is_valid = is_positive(start)
        && is_positive(end)
        && (start.line, start.column) <= (end.line, end.column);
    ensure(is_valid, "invalid range")
}

fn is_safety(text: &str) -> bool {
    ["safe", "unsafe"].contains(&text)
}

/// Whether `text` consists of ASCII letters, digits and characters in `additional`.
fn is_word(text: &str, additional: &str) -> bool {
    let is_allowed = |c: char| c.is_ascii_alphanumeric() || additional.contains(c);
    (1..=MAX_NAME_BYTES).contains(&text.len()) && text.chars().all(is_allowed)
}

/// Whether `text` is the full hash of a commit, SHA-1 or SHA-256.
fn is_hash(text: &str) -> bool {
    [40, 64].contains(&text.len()) && text.bytes().all(|b| b.is_ascii_hexdigit())
}
