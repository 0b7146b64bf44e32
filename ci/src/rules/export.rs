//! `aidd rule export`: the rules that hold, told in the file that agents read first.

use crate::Io;
use crate::cli::{ExportForm, RuleExport};
use crate::exit::{Exit, UserError};
use crate::project::Project;
use aidd_content::page;
use aidd_engine::check::Selection;
use aidd_engine::files::{Files, SIDE_FILE_LIMIT, markdown_below};
use aidd_engine::finding::Severity;
use aidd_engine::kind::RULE_FOLDERS;
use aidd_engine::registry;
use aidd_engine::rule::{Rule, Settings};
use aidd_engine::suggest::EXPORTED as MARKERS;
use anyhow::{Context, Result};
use std::collections::BTreeMap;
use std::fmt::Write as _;
use std::fs;
use std::io::{self, Write as _};

/// Most characters of a reason: the page has the rest.
const REASON: usize = 200;

/// Runs `aidd rule export`.
///
/// # Errors
/// When the file cannot be read or written, leads out of the project, or has one marker without the
/// other.
pub(super) fn run(project: &Project, args: &RuleExport, io: &mut Io<'_>) -> Result<Exit> {
    let ExportForm::AgentsMd = args.form;
    let path = project.disk.inside(&args.output).ok_or_else(|| {
        UserError::new(format!("{} does not lie in the project", args.output))
            .hint("paths count from the project's root")
    })?;
    let place = project.root().join(&path);
    let before = match fs::read_to_string(&place) {
        Err(error) if error.kind() == io::ErrorKind::NotFound => None,
        other => Some(other.with_context(|| path.clone())?),
    };
    let text = block(project)?;
    let after = within(before.as_deref().unwrap_or_default(), &text)
        .map_err(|why| UserError::new(format!("{path}: {why}")))?;
    let is_current = before.as_deref() == Some(&*after);
    if args.stdout {
        write!(io.out, "{text}")?;
    } else if is_current {
        writeln!(io.err, "{path} tells the rules that hold")?;
    } else if args.check {
        writeln!(io.err, "{path} does not tell the rules that hold: aidd rule export agents-md")?;
        return Ok(Exit::Findings);
    } else {
        match before {
            Some(_) => crate::fix::replace(&place, after.as_bytes()),
            None => fs::write(&place, after).map_err(Into::into),
        }
        .with_context(|| path.clone())?;
        writeln!(io.err, "wrote the rules into {path}")?;
    }
    Ok(Exit::Clean)
}

/// `before` with the block in the place of the one it has, else at its end; in its line endings.
fn within(before: &str, block: &str) -> Result<String, String> {
    let line =
        |marker: &str| format!("`{marker}` stands alone; put its fellow back or take it out");
    let (start, end) = (before.find(MARKERS.0), before.find(MARKERS.1));
    let mut after = match (start, end) {
        (None, None) if before.is_empty() => block.to_owned(),
        (None, None) => {
            let gap = if before.ends_with('\n') { "\n" } else { "\n\n" };
            format!("{before}{gap}{block}")
        }
        (Some(start), Some(end)) if start < end => {
            let rest = &before[end + MARKERS.1.len()..];
            format!("{}{}{rest}", &before[..start], block.trim_end())
        }
        (Some(_), _) => return Err(line(MARKERS.0)),
        (None, Some(_)) => return Err(line(MARKERS.1)),
    };
    if before.contains("\r\n") {
        after = after.replace("\r\n", "\n").replace('\n', "\r\n");
    }
    Ok(after)
}

/// The rules that hold, between the markers.
fn block(project: &Project) -> Result<String> {
    let engine = project.engine(&Selection::default())?;
    let (registry, settings) = (engine.registry(), engine.settings(""));
    let mut text = format!("{}\n## Rules\n\n", MARKERS.0);
    text.push_str(
        "Kept by `aidd check` in the editor, the pull request and the agent; `aidd explain RULE` says \
         more. Written by `aidd rule export agents-md`.\n\n",
    );
    let own = registry.rules().iter().filter(|rule| rule.path.is_some() || !rule.enabled);
    let mut told = 0;
    for rule in own {
        told += usize::from(line(rule, &settings, &mut text));
    }
    for (path, summary) in guides(project) {
        told += 1;
        let _ = writeln!(text, "- {summary} (`{path}`)");
    }
    if told > 0 {
        text.push('\n');
    }
    text.push_str("Also checked:\n\n");
    let mut kinds: BTreeMap<&str, usize> = BTreeMap::new();
    for rule in registry.rules().iter().filter(|rule| rule.path.is_none() && rule.enabled) {
        let is_on = settings.get(&rule.id).is_some_and(|setting| setting.severity.is_some());
        if let (true, Some((kind, _))) = (is_on, rule.id.split_once('/')) {
            *kinds.entry(kind).or_default() += 1;
        }
    }
    for (kind, count) in kinds {
        let rules = if count == 1 { "rule" } else { "rules" };
        let _ = writeln!(text, "- `{kind}/*`, {count} {rules}");
    }
    let _ = writeln!(text, "{}", MARKERS.1);
    Ok(text)
}

/// A line for a rule that holds; whether there was one to write.
fn line(rule: &Rule, settings: &Settings, text: &mut String) -> bool {
    let guides = rule.check.is_none() && rule.path.is_some();
    let severity = settings.get(&rule.id).and_then(|setting| setting.severity);
    let Some(severity) = severity else { return false };
    let word = match severity {
        _ if guides => "",
        Severity::Error => "MUST: ",
        Severity::Warning => "SHOULD: ",
        Severity::Info => "MAY: ",
    };
    let _ = write!(text, "- {word}{}", rule.summary.trim_end_matches('.'));
    let files = rule.check.as_ref().map(|check| check.files.join(", ")).unwrap_or_default();
    let files = if files.is_empty() { String::new() } else { format!("; {files}") };
    let _ = write!(text, " (`{}`{files})", rule.id);
    if let Some(help) = rule.help.as_ref().filter(|help| !help.contains('<')) {
        let _ = write!(text, ". {}", cut(help));
    }
    text.push('\n');
    true
}

/// The project's pages of rules that have no header: path and first sentence.
fn guides(project: &Project) -> Vec<(String, String)> {
    let below = RULE_FOLDERS.iter().flat_map(|folder| markdown_below(&project.disk, folder));
    let guide = |path: String| {
        let bytes = project.disk.read(&path, SIDE_FILE_LIMIT).ok()?;
        let text = String::from_utf8_lossy(&bytes).into_owned();
        if registry::is_rule_page(&path, &text) {
            return None;
        }
        let body = page::split(&text).map_or(&*text, |(_, body)| &text[body]);
        let summary = page::summary(body);
        let summary = cut(summary.trim_end_matches('.'));
        (!summary.is_empty()).then_some((path, summary))
    };
    below.filter_map(guide).collect()
}

/// The beginning of a text, on one line.
fn cut(text: &str) -> String {
    let text = text.split_whitespace().collect::<Vec<_>>().join(" ");
    match text.char_indices().nth(REASON) {
        Some((end, _)) => format!("{}…", text[..end].trim_end()),
        None => text,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_block_takes_the_place_of_the_last_one() {
        let block = format!("{}\nnew\n{}\n", MARKERS.0, MARKERS.1);
        assert_eq!(within("", &block).as_deref(), Ok(&*block));
        let first = within("# A\n\ntext", &block).expect("written");
        assert_eq!(first, format!("# A\n\ntext\n\n{block}"));
        assert_eq!(within(&first, &block), Ok(first.clone()));
        let old = first.replace("new", "old\nlines") + "\nmore\n";
        assert_eq!(within(&old, &block), Ok(format!("{first}\nmore\n")));
        let windows = old.replace('\n', "\r\n");
        assert_eq!(within(&windows, &block), Ok(format!("{first}\nmore\n").replace('\n', "\r\n")));
        for broken in [MARKERS.0, MARKERS.1, &*format!("{}\n{}", MARKERS.1, MARKERS.0)] {
            assert!(
                within(broken, &block).expect_err("refused").contains("stands alone"),
                "{broken}"
            );
        }
    }
}
