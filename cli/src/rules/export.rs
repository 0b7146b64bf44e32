//! `aidd rule export`: writes the active rules to the file that agents read first.

mod place;

use crate::cli::{ExportForm, RuleExport};
use aidd_authoring::suggest::EXPORTED as MARKERS;
use aidd_engine::check::Selection;
use aidd_engine::rules::registry;
use aidd_engine::rules::rule::{Rule, Settings};
use aidd_engine::text::escape::{self, markdown};
use aidd_engine::text::files::{Files, SIDE_FILE_LIMIT, markdown_below};
use aidd_engine::text::finding::Severity;
use aidd_engine::text::kind::RULE_DIRS;
use aidd_lexicon::tokens;
use aidd_page as page;
use aidd_report::Io;
use aidd_report::exit::{Exit, UserError};
use aidd_report::project::Project;
use anyhow::{Context, Result};
use std::collections::BTreeMap;
use std::fmt::Write as _;
use std::fs;
use std::io::{self, Write as _};

/// Maximum length of a reason, in characters; the page has the full text.
const MAX_REASON_CHARS: usize = 200;
/// Token budget of all listed rules, since every agent session reads them.
const TOKEN_BUDGET: usize = 4000;

/// Runs `aidd rule export`.
///
/// # Errors
/// When the file cannot be read or written, is outside the project, or has only one of the two
/// markers.
pub(super) fn run(project: &Project, args: &RuleExport, io: &mut Io<'_>) -> Result<Exit> {
    let ExportForm::AgentsMd = args.form;
    let path = project.disk.for_new(&args.output);
    let path = path.map_err(|error| UserError::new(format!("--output: {error}")))?;
    let place = project.root().join(&path);
    let before = match fs::read_to_string(&place) {
        Err(error) if error.kind() == io::ErrorKind::NotFound => None,
        other => Some(other.with_context(|| path.clone())?),
    };
    let text = block(project)?;
    let after = place::replace_block(before.as_deref().unwrap_or_default(), &text)
        .map_err(|why| UserError::new(format!("{path}: {why}")))?;
    let is_current = before.as_deref() == Some(&*after);
    if args.stdout {
        write!(io.out, "{text}")?;
    } else if is_current {
        writeln!(io.err, "{path} is up to date")?;
    } else if args.check {
        writeln!(io.err, "{path} is out of date; run: aidd rule export agents-md")?;
        return Ok(Exit::Findings);
    } else {
        match before {
            Some(_) => crate::fix::replace(&place, after.as_bytes()),
            None => fs::write(&place, after).map_err(Into::into),
        }
        .with_context(|| path.clone())?;
        writeln!(io.err, "wrote the rules to {path}")?;
    }
    Ok(Exit::Clean)
}

/// The text about a rule.
struct RuleLine {
    severity: Severity,
    line: String,
    /// Reason and remedy.
    reason: String,
}

impl RuleLine {
    fn tokens(&self, reasons: bool) -> usize {
        let reason = if reasons { tokens::count(&self.reason) } else { 0 };
        // Plus one for the line break.
        tokens::count(&self.line) + reason + 1
    }
}

/// The block of active rules, with its markers.
fn block(project: &Project) -> Result<String> {
    let engine = project.engine(&Selection::default())?;
    let (registry, settings) = (engine.registry(), engine.settings(""));
    let own = registry.rules().iter().filter(|rule| rule.path.is_some() || !rule.enabled);
    let mut reported: Vec<RuleLine> = own.filter_map(|rule| line(rule, &settings)).collect();
    reported.extend(guides(project).into_iter().map(|(path, summary)| RuleLine {
        severity: Severity::Error,
        line: format!("- {} ({})", escaped(&summary), code(&path)),
        reason: String::new(),
    }));
    let mut kinds: BTreeMap<&str, usize> = BTreeMap::new();
    for rule in registry.rules().iter().filter(|rule| rule.path.is_none() && rule.enabled) {
        let is_on = settings.get(&rule.id).is_some_and(|setting| setting.severity.is_some());
        if let (true, Some((kind, _))) = (is_on, rule.id.split_once('/')) {
            *kinds.entry(kind).or_default() += 1;
        }
    }
    Ok(render_block(&reported, &kinds))
}

/// The text of the block. Over budget, the reasons are dropped first, then the least severe rules,
/// and the number of dropped rules is stated.
fn render_block(reported: &[RuleLine], kinds: &BTreeMap<&str, usize>) -> String {
    let mut text = format!("{}\n## Rules\n\n", MARKERS.0);
    text.push_str(
        "Checked by `aidd check` in the editor, the pull request and the agent; `aidd explain RULE` shows \
         details. Written by `aidd rule export agents-md`.\n\n",
    );
    let all = |reasons: bool| reported.iter().map(|one| one.tokens(reasons)).sum::<usize>();
    let reasons = all(true) <= TOKEN_BUDGET;
    let mut kept: Vec<usize> = (0..reported.len()).collect();
    if !reasons && all(false) > TOKEN_BUDGET {
        kept.sort_by_key(|&at| std::cmp::Reverse(reported[at].severity));
        let mut left = TOKEN_BUDGET;
        let fits = |&at: &usize| {
            let rest = left.checked_sub(reported[at].tokens(false));
            left = rest.unwrap_or(0);
            rest.is_some()
        };
        kept = kept.into_iter().take_while(fits).collect();
        kept.sort_unstable();
    }
    for &at in &kept {
        text.push_str(&reported[at].line);
        if reasons {
            text.push_str(&reported[at].reason);
        }
        text.push('\n');
    }
    let gone = reported.len() - kept.len();
    if gone > 0 {
        let rules = if gone == 1 { "rule" } else { "rules" };
        let _ = writeln!(text, "- {gone} more {rules}: `aidd rule list` lists them");
    }
    if !reported.is_empty() {
        text.push('\n');
    }
    text.push_str("Also checked:\n\n");
    for (kind, count) in kinds {
        let rules = if *count == 1 { "rule" } else { "rules" };
        let _ = writeln!(text, "- `{kind}/*`, {count} {rules}");
    }
    let _ = writeln!(text, "{}", MARKERS.1);
    text
}

/// The text about an active rule.
fn line(rule: &Rule, settings: &Settings) -> Option<RuleLine> {
    let guides = rule.check.is_none() && rule.path.is_some();
    let severity = settings.get(&rule.id).and_then(|setting| setting.severity)?;
    let word = match severity {
        _ if guides => "",
        Severity::Error => "MUST: ",
        Severity::Warning => "SHOULD: ",
        Severity::Info => "MAY: ",
    };
    let mut line = format!("- {word}{}", escaped(rule.summary.trim_end_matches('.')));
    let _ = write!(line, " ({}", code(&rule.id));
    for (at, glob) in rule.check.iter().flat_map(|check| &check.files).enumerate() {
        let _ = write!(line, "{} {}", if at == 0 { ";" } else { "," }, code(glob));
    }
    line.push(')');
    let help = rule.help.as_ref().filter(|help| !help.contains('<'));
    let reason = help.map_or_else(String::new, |help| format!(". {}", escaped(&truncate(help))));
    Some(RuleLine { severity, line, reason })
}

/// The project's rule pages without front matter: path and first sentence.
fn guides(project: &Project) -> Vec<(String, String)> {
    let below = RULE_DIRS.iter().flat_map(|folder| markdown_below(&project.disk, folder));
    let guide = |path: String| {
        let bytes = project.disk.read(&path, SIDE_FILE_LIMIT).ok()?;
        let text = String::from_utf8_lossy(&bytes).into_owned();
        if registry::is_rule_page(&path, &text) {
            return None;
        }
        let body = page::split(&text).map_or(&*text, |(_, body)| &text[body]);
        let summary = page::summary(body);
        let summary = truncate(summary.trim_end_matches('.'));
        (!summary.is_empty()).then_some((path, summary))
    };
    below.filter_map(guide).collect()
}

/// Page text escaped for a line of Markdown: its author can be untrusted, and agents read the file
/// as it is.
fn escaped(text: &str) -> String {
    markdown::message(&escape::line(text))
}

/// A path, glob or id as inline code on one line.
fn code(text: &str) -> String {
    let text = escape::line(text);
    // Backslashes do not escape in code.
    if text.contains('`') { markdown::words(&text) } else { format!("`{text}`") }
}

/// The beginning of a text, on one line.
fn truncate(text: &str) -> String {
    let text = text.split_whitespace().collect::<Vec<_>>().join(" ");
    match text.char_indices().nth(MAX_REASON_CHARS) {
        Some((end, _)) => format!("{}…", text[..end].trim_end()),
        None => text,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn rule_lines(count: usize, severity: Severity) -> Vec<RuleLine> {
        let one = |at: usize| RuleLine {
            severity,
            line: format!("- MUST: A rule with some words in it (`team/rule-{at}`; src/**)"),
            reason: ". Because of a reason that has some words, too".to_owned(),
        };
        (0..count).map(one).collect()
    }

    #[test]
    fn the_block_stays_within_budget_and_counts_omitted_rules() {
        let kinds = BTreeMap::from([("secrets", 1)]);
        let small = render_block(&rule_lines(3, Severity::Info), &kinds);
        assert!(small.contains("rule-2`; src/**). Because") && !small.contains("more rule"));
        let some = render_block(&rule_lines(150, Severity::Warning), &kinds);
        assert!(some.contains("rule-149`; src/**)\n") && !some.contains("Because"));
        let mut many = rule_lines(600, Severity::Warning);
        many.extend(rule_lines(1, Severity::Error).into_iter().map(|mut one| {
            one.line = "- MUST: The gravest one (`team/grave`)".to_owned();
            one
        }));
        let all = render_block(&many, &kinds);
        assert!(
            all.contains("team/grave") && all.contains(" more rules: `aidd rule list` lists them")
        );
        let rules = all.lines().filter(|line| line.starts_with("- MUST")).collect::<Vec<_>>();
        let tokens = tokens::count(&rules.join("\n"));
        assert!((TOKEN_BUDGET * 9 / 10..=TOKEN_BUDGET).contains(&tokens), "{tokens}");
    }
}
