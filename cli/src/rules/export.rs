//! `aidd rule export`: writes the active rules to the file that agents read first.

mod block;

use crate::cli::{ExportForm, RuleExport};
use aidd_authoring::suggest::EXPORT_MARKERS as MARKERS;
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

/// Maximum length of a remedy in characters; the rule page has the full text.
const MAX_REMEDY_CHARS: usize = 200;
/// Token budget of all listed rules, because every agent session reads them.
const TOKEN_BUDGET: usize = 4000;

/// Runs `aidd rule export`.
///
/// # Errors
/// Fails when the file cannot be read or written, is outside the project, or has only one of the
/// two markers.
pub(super) fn run(project: &Project, args: &RuleExport, io: &mut Io<'_>) -> Result<Exit> {
    let ExportForm::AgentsMd = args.form;
    let path = project.disk.path_for_new_file(&args.output);
    let path = path.map_err(|error| UserError::new(format!("--output: {error}")))?;
    let target = project.root().join(&path);
    let before = match fs::read_to_string(&target) {
        Err(error) if error.kind() == io::ErrorKind::NotFound => None,
        result => Some(result.with_context(|| path.clone())?),
    };
    let text = block(project)?;
    let after = block::replace_block(before.as_deref().unwrap_or_default(), &text)
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
            Some(_) => crate::fix::replace(&target, after.as_bytes()),
            None => fs::write(&target, after).map_err(Into::into),
        }
        .with_context(|| path.clone())?;
        writeln!(io.err, "wrote the rules to {path}")?;
    }
    Ok(Exit::Clean)
}

/// The line for a rule in the block.
struct RuleLine {
    severity: Severity,
    line: String,
    /// The remedy, appended to the line if the token budget allows it.
    remedy: String,
}

impl RuleLine {
    fn tokens(&self, with_remedy: bool) -> usize {
        let remedy = if with_remedy { tokens::count(&self.remedy) } else { 0 };
        // Plus one for the line break.
        tokens::count(&self.line) + remedy + 1
    }
}

/// The block of active rules, with its markers.
fn block(project: &Project) -> Result<String> {
    let engine = project.engine(&Selection::default())?;
    let (registry, settings) = (engine.registry(), engine.settings(""));
    let listed_rules = registry.rules().iter().filter(|rule| rule.path.is_some() || !rule.enabled);
    let mut rule_lines: Vec<RuleLine> =
        listed_rules.filter_map(|rule| line(rule, &settings)).collect();
    rule_lines.extend(guidance_pages(project).into_iter().map(|(path, summary)| RuleLine {
        severity: Severity::Error,
        line: format!("- {} ({})", escaped(&summary), code(&path)),
        remedy: String::new(),
    }));
    let mut kinds: BTreeMap<&str, usize> = BTreeMap::new();
    for rule in registry.rules().iter().filter(|rule| rule.path.is_none() && rule.enabled) {
        let is_enabled = settings.get(&rule.id).is_some_and(|setting| setting.severity.is_some());
        if let (true, Some((kind, _))) = (is_enabled, rule.id.split_once('/')) {
            *kinds.entry(kind).or_default() += 1;
        }
    }
    Ok(render_block(&rule_lines, &kinds))
}

/// The text of the block. If it exceeds the token budget, the remedies are omitted first, then the
/// least severe rules. The number of omitted rules is stated.
fn render_block(rule_lines: &[RuleLine], kinds: &BTreeMap<&str, usize>) -> String {
    let mut text = format!("{}\n## Rules\n\n", MARKERS.0);
    text.push_str(
        "Checked by `aidd check` in the editor, the pull request and the agent; `aidd explain RULE` shows \
         details. Written by `aidd rule export agents-md`.\n\n",
    );
    let total_tokens =
        |remedies: bool| rule_lines.iter().map(|rule| rule.tokens(remedies)).sum::<usize>();
    let with_remedies = total_tokens(true) <= TOKEN_BUDGET;
    let mut included: Vec<usize> = (0..rule_lines.len()).collect();
    if !with_remedies && total_tokens(false) > TOKEN_BUDGET {
        included.sort_by_key(|&index| std::cmp::Reverse(rule_lines[index].severity));
        let mut remaining = TOKEN_BUDGET;
        let fits = |&index: &usize| {
            let rest = remaining.checked_sub(rule_lines[index].tokens(false));
            remaining = rest.unwrap_or(0);
            rest.is_some()
        };
        included = included.into_iter().take_while(fits).collect();
        included.sort_unstable();
    }
    for &index in &included {
        text.push_str(&rule_lines[index].line);
        if with_remedies {
            text.push_str(&rule_lines[index].remedy);
        }
        text.push('\n');
    }
    let omitted = rule_lines.len() - included.len();
    if omitted > 0 {
        let rules = if omitted == 1 { "rule" } else { "rules" };
        let _ = writeln!(text, "- {omitted} more {rules}: `aidd rule list` lists them");
    }
    if !rule_lines.is_empty() {
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

/// The line for a rule; `None` if the rule is disabled.
fn line(rule: &Rule, settings: &Settings) -> Option<RuleLine> {
    let is_guidance = rule.check.is_none() && rule.path.is_some();
    let severity = settings.get(&rule.id).and_then(|setting| setting.severity)?;
    let word = match severity {
        _ if is_guidance => "",
        Severity::Error => "MUST: ",
        Severity::Warning => "SHOULD: ",
        Severity::Info => "MAY: ",
    };
    let mut line = format!("- {word}{}", escaped(rule.summary.trim_end_matches('.')));
    let _ = write!(line, " ({}", code(&rule.id));
    for (index, glob) in rule.check.iter().flat_map(|check| &check.files).enumerate() {
        let _ = write!(line, "{} {}", if index == 0 { ";" } else { "," }, code(glob));
    }
    line.push(')');
    let help = rule.help.as_ref().filter(|help| !help.contains('<'));
    let remedy = help.map_or_else(String::new, |help| format!(". {}", escaped(&truncate(help))));
    Some(RuleLine { severity, line, remedy })
}

/// The project's rule pages without header: path and first sentence.
fn guidance_pages(project: &Project) -> Vec<(String, String)> {
    let pages = RULE_DIRS.iter().flat_map(|directory| markdown_below(&project.disk, directory));
    let summarize = |path: String| {
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
    pages.filter_map(summarize).collect()
}

/// Page text escaped for a line of Markdown. The author of the page can be untrusted, and agents
/// read the file unchanged.
fn escaped(text: &str) -> String {
    markdown::message(&escape::line(text))
}

/// A path, glob or id as inline code on one line.
fn code(text: &str) -> String {
    let text = escape::line(text);
    // In inline code, a backslash does not escape a backtick.
    if text.contains('`') { markdown::words(&text) } else { format!("`{text}`") }
}

/// The beginning of a text, on one line.
fn truncate(text: &str) -> String {
    let text = text.split_whitespace().collect::<Vec<_>>().join(" ");
    match text.char_indices().nth(MAX_REMEDY_CHARS) {
        Some((end, _)) => format!("{}…", text[..end].trim_end()),
        None => text,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn rule_lines(count: usize, severity: Severity) -> Vec<RuleLine> {
        let rule_line = |index: usize| RuleLine {
            severity,
            line: format!("- MUST: A rule with some words in it (`team/rule-{index}`; src/**)"),
            remedy: ". Use a remedy that has some words, too".to_owned(),
        };
        (0..count).map(rule_line).collect()
    }

    #[test]
    fn the_block_stays_within_budget_and_counts_omitted_rules() {
        let kinds = BTreeMap::from([("secrets", 1)]);
        let small = render_block(&rule_lines(3, Severity::Info), &kinds);
        assert!(small.contains("rule-2`; src/**). Use") && !small.contains("more rule"));
        let some = render_block(&rule_lines(150, Severity::Warning), &kinds);
        assert!(some.contains("rule-149`; src/**)\n") && !some.contains("Use"));
        let mut many = rule_lines(600, Severity::Warning);
        many.extend(rule_lines(1, Severity::Error).into_iter().map(|mut rule_line| {
            rule_line.line = "- MUST: The most severe rule (`team/grave`)".to_owned();
            rule_line
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
