//! What a person can do about the findings of a rule: fix them, allow one, turn the rule off.

use aidd_engine::check::Engine;
use aidd_engine::parse::comments;
use aidd_engine::rules::rule::Rule;
use aidd_engine::text::finding::{Finding, Safety};
use aidd_engine::text::kind::{self, CONFIG_PATH, Kind};
use aidd_engine::text::source::Source;
use aidd_engine::workspace::examples::{self, Expected};

/// Names that are not rules, for which the help on allow comments is printed.
pub(super) const TOPICS: [&str; 8] =
    ["allow", "allow-file", "aidd:allow", "ignore", "disable", "suppress", "noqa", "baseline"];

/// Whether the rule is enabled in the project, and with which severity.
pub(super) fn status(rule: &Rule, engine: &Engine) -> Vec<String> {
    let set = engine.default_settings().get(&rule.id).and_then(|setting| setting.severity);
    let mut facts = vec![set.unwrap_or(rule.severity).to_string()];
    let is_enabled = set.is_some() || engine.is_enabled_anywhere(&rule.id);
    facts.push(match (is_enabled, set.is_some()) {
        (true, true) => "enabled in this project".to_owned(),
        (true, false) => "enabled for some paths of this project".to_owned(),
        (false, _) => "not enabled in this project".to_owned(),
    });
    if set.is_some_and(|severity| severity != rule.severity) {
        facts.push(format!("{} by default", rule.severity));
    } else if !rule.enabled {
        facts.push("off by default".to_owned());
    }
    facts
}

/// The sections on the remedy, as Markdown.
pub(super) fn sections(rule: &Rule, engine: &Engine) -> String {
    let found = first_finding(rule, engine);
    let mut text = String::new();
    let finding = found.as_ref().map(|(_, finding)| finding);
    let help = finding.and_then(|finding| finding.help.as_ref()).or(rule.help.as_ref());
    let fix = finding.and_then(|finding| finding.fix.as_ref()).map(|fix| {
        let flag = match fix.safety {
            Safety::Safe => "--fix",
            Safety::Unsafe => "--fix-unsafe",
        };
        format!("`aidd check {flag} --only {}` makes this change: {}.", rule.id, fix.title)
    });
    let sentence = |help: &String| {
        let end = if help.ends_with(['.', '?']) { "" } else { "." };
        let mut chars = help.chars();
        let first = chars.next().map(|c| c.to_uppercase().to_string()).unwrap_or_default();
        format!("{first}{}{end}", chars.as_str())
    };
    let remedy: Vec<String> = help.map(sentence).into_iter().chain(fix).collect();
    if !remedy.is_empty() {
        text.push_str(&format!("## Fix\n\n{}\n\n", remedy.join("\n\n")));
    }
    let is_enabled = engine.is_enabled_anywhere(&rule.id);
    if !is_enabled {
        text.push_str(&format!(
            "## Turn on\n\n```json path={CONFIG_PATH}\n\"rules\": {{\"{}\": \"{}\"}}\n```\n",
            rule.id, rule.severity
        ));
        return text;
    }
    let path = found.as_ref().map_or("x.sh", |(source, _)| source.path());
    // Any comment syntax is read, so plain text gets that of a shell.
    let is_json = kind::kinds(path, "").contains(&Kind::JSON);
    let comment = comments::of_file(path, "");
    let comment = comment.or_else(|| comments::of_file("x.sh", "").filter(|_| !is_json));
    match comment {
        Some(comment) => {
            let comment = comment.write(&format!("aidd:allow {} REASON", rule.id));
            text.push_str(&format!(
                "## Allow one finding\n\nWrite a comment on its line, or alone on the line above:\n\n```\n{comment}\n```\n\n"
            ));
        }
        None => text.push_str(&format!(
            "## Allow findings in a file\n\nThe format has no comments, so allow the rule for the path:\n\n```json path={CONFIG_PATH}\n\"overrides\": [{{\"files\": [\"{path}\"], \"rules\": {{\"{}\": \"off\"}}}}]\n```\n\n",
            rule.id
        )),
    }
    if rule.id.starts_with("sql/") {
        text.push_str(&format!(
            "Do not edit a migration that a database has applied: migration tools compare its checksum. Record its findings instead: `aidd baseline write --accept-new --only {}`.\n\n",
            rule.id
        ));
    }
    text.push_str(&format!(
        "## Turn off\n\n```json path={CONFIG_PATH}\n\"rules\": {{\"{}\": \"off\"}}\n```\n",
        rule.id
    ));
    text
}

/// The first finding in the examples of the page.
fn first_finding(rule: &Rule, engine: &Engine) -> Option<(Source, Finding)> {
    let (examples, _) = examples::read(rule).ok()?;
    let fails = examples.iter().filter(|example| matches!(example.expected, Expected::Fails(_)));
    fails.take(3).find_map(|example| examples::results(engine, rule, example).into_iter().next())
}

/// The help on allow comments, as Markdown.
pub(super) fn allow_text() -> String {
    format!(
        "Four ways to accept findings:\n\n## One finding\n\nWrite a comment on its line, or alone on the line above, in the syntax of the file:\n\n```\n# aidd:allow RULE REASON\n// aidd:allow RULE REASON\n<!-- aidd:allow RULE REASON -->\n```\n\nComments of other tools are understood too: eslint-disable-next-line, noqa, nosec, hadolint ignore, gitleaks:allow and others.\n\n## All findings of a rule in a file\n\n```\n# aidd:allow-file RULE REASON\n```\n\n## A rule, everywhere or for some paths\n\n```json path={CONFIG_PATH}\n\"rules\": {{\"RULE\": \"off\"}},\n\"overrides\": [{{\"files\": [\"test/**\"], \"rules\": {{\"RULE\": \"off\"}}}}]\n```\n\n## All existing findings\n\n```\naidd baseline write\n```\n"
    )
}
