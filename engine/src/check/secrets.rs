//! Ensures that each secret has one finding, and that no message contains a secret.

use super::secret_parts;
use crate::rules::registry::Registry;
use crate::text::checksum::is_truncated_key;
use crate::text::finding::{FileChange, Finding, Related, RuleId, Status};
use crate::text::published::is_published;
use crate::text::source::{Source, Span};
use aho_corasick::{AhoCorasick, MatchKind};
use aidd_page::{Confidence, Severity};
use std::cmp::Reverse;
use std::collections::{BTreeMap, HashSet};

/// The replacement for a secret in every output.
pub const REDACTED: &str = "[REDACTED]";

/// Shorter secrets are not removed from messages, because they would also match parts of words.
const MIN_REDACTED: usize = 4;

/// Generic rules that recognise a secret by its context and the name of the variable. Every other
/// rule is more specific.
const GENERIC_RULES: [&str; 15] = [
    "ci-secret",
    "config-password",
    "connection-string-password",
    "env-file-secret",
    "generic-password",
    "generic-secret",
    "login-call-password",
    "private-key-file",
    "script-secret",
    "secret-file",
    "secret-list",
    "shell-history-secret",
    "shell-profile-secret",
    "terraform-variable-secret",
    "unquoted-secret",
];

/// Maximum distance in bytes between a key and the other settings of a Firebase application.
const MAX_SETTINGS_DISTANCE: u32 = 400;

/// Removes findings on well-known sample values from public documentation, on keys that are too
/// short for their format, and on placeholders of input fields.
pub(crate) fn drop_samples(source: &Source, findings: &mut Vec<Finding>) {
    // The key in the configuration of a Firebase web application identifies the project; every
    // visitor of the site can see it.
    let is_web_client = |span: Span| {
        let text = source.text();
        let start =
            text.floor_char_boundary(span.start.saturating_sub(MAX_SETTINGS_DISTANCE) as usize);
        let end = text.len().min((span.end + MAX_SETTINGS_DISTANCE) as usize);
        let near = &text[start..text.floor_char_boundary(end)];
        let is_separator = |c: char| matches!(c, '"' | '\'' | '`' | '\\' | ':' | '=' | ' ');
        let name = text[start..span.start as usize].trim_end_matches(is_separator);
        source.slice(span).starts_with("AIza")
            && name.to_ascii_lowercase().ends_with("apikey")
            && near.contains("authDomain")
    };
    findings.retain(|finding| {
        finding.secret.is_none_or(|span| {
            let value = source.slice(span);
            span.is_empty()
                || !is_published(value)
                    && !is_truncated_key(value)
                    && !is_web_client(span)
                    && !is_input_hint(source, span)
                    && !is_image_data(value)
        })
    });
}

/// Whether a value is a part of a PNG image in base64: it contains the name of the chunk `IDAT` or
/// `IEND`, in the alignment in which a small image has it.
fn is_image_data(value: &str) -> bool {
    ["lEQVR", "JRU5Erk"].iter().any(|chunk| value.contains(chunk))
}

/// Maximum distance between `placeholder` and its value, in bytes: `"placeholder": {"…`.
const MAX_PLACEHOLDER_DISTANCE: u32 = 24;

/// Whether a value is the placeholder of an input field: `placeholder="…"`, `placeholder: '…'`.
fn is_input_hint(source: &Source, span: Span) -> bool {
    let before =
        Span { start: span.start.saturating_sub(MAX_PLACEHOLDER_DISTANCE), end: span.start };
    let is_separator = |c: char| matches!(c, '"' | '\'' | '`' | '{' | '(' | ' ');
    let name = source.slice(before).trim_end_matches(is_separator).strip_suffix([':', '=']);
    let name = name.map(|name| name.trim_end_matches(is_separator).to_ascii_lowercase());
    name.is_some_and(|name| name.ends_with("placeholder"))
}

/// If several rules find the same secret, retains the finding of the most reliable rule. A finding
/// of severity `info` is retained only if there is no other finding. A rule that recognises the
/// format of an identifier or of a key without access takes precedence over all others. Returns the
/// secrets, in order.
pub(crate) fn resolve(findings: &mut Vec<Finding>, registry: &Registry) -> Vec<Span> {
    let mut claims: Vec<_> = findings
        .iter()
        .filter_map(|finding| {
            let span = finding.secret?;
            Some((
                Reverse(is_known_harmless(&finding.rule, registry)),
                Reverse(finding.severity > Severity::Info),
                Reverse(reliability(finding, registry)),
                Reverse(span.len()),
                finding.rule.clone(),
                span,
            ))
        })
        .collect();
    claims.sort_unstable();
    let mut retained: BTreeMap<(u32, u32), RuleId> = BTreeMap::new();
    let mut claimed = ClaimedRanges::default();
    for (.., rule, span) in claims {
        if claimed.claim(span, &rule) {
            retained.insert((span.start, span.end), rule);
        }
    }
    let retained_claims: HashSet<(Span, &RuleId)> =
        retained.iter().map(|(&(start, end), rule)| (Span { start, end }, rule)).collect();
    findings.retain(|finding| {
        finding.secret.is_none_or(|span| retained_claims.contains(&(span, &finding.rule)))
    });
    retained.into_keys().map(|(start, end)| Span { start, end }).collect()
}

/// If a rule has several findings on the same secret, retains only the most severe of them, or the
/// first if several are equally severe; the other occurrences are still redacted in every output.
/// Allowed findings are unchanged.
pub(crate) fn remove_repeated(source: &Source, findings: &mut Vec<Finding>) {
    let mut order: Vec<usize> = (0..findings.len()).collect();
    order.sort_by_key(|&at| (Reverse(findings[at].severity), findings[at].span));
    let mut seen = HashSet::new();
    let repeated: HashSet<usize> = order
        .into_iter()
        .filter(|&at| findings[at].status == Status::New)
        .filter(|&at| {
            let finding = &findings[at];
            let value = finding.secret.filter(|span| !span.is_empty());
            value.is_some_and(|span| !seen.insert((finding.rule.clone(), source.slice(span))))
        })
        .collect();
    let mut at = 0;
    findings.retain(|_| {
        at += 1;
        !repeated.contains(&(at - 1))
    });
}

/// The claimed ranges: first byte → end of the range, and the rule. Overlapping claims of one rule
/// are merged, so the ranges never overlap.
#[derive(Default)]
struct ClaimedRanges(BTreeMap<u32, (u32, RuleId)>);

impl ClaimedRanges {
    /// Claims a span for a rule, unless another rule has claimed a part of it.
    fn claim(&mut self, span: Span, rule: &RuleId) -> bool {
        let overlapping = self
            .0
            .range(..span.end)
            .rev()
            .map(|(&start, (end, rule))| (Span { start, end: *end }, rule))
            .take_while(|(other, _)| other.end > span.start);
        let mut joined = span;
        for (other, owner) in overlapping {
            if owner != rule {
                return false;
            }
            joined = joined.cover(other);
        }
        if !span.is_empty() {
            let inner: Vec<u32> =
                self.0.range(joined.start..joined.end).map(|(&start, _)| start).collect();
            for start in inner {
                self.0.remove(&start);
            }
            self.0.insert(joined.start, (joined.end, rule.clone()));
        }
        true
    }
}

/// Whether a rule reports a value as information because of its format: an identifier, or a key
/// that gives no access. Other rules with this severity are less certain.
fn is_known_harmless(rule: &str, registry: &Registry) -> bool {
    let Some(rule) = registry.get(rule).filter(|rule| rule.severity == Severity::Info) else {
        return false;
    };
    let text = rule.check.as_ref().and_then(|check| check.text.as_ref());
    text.and_then(|text| text.secret) == Some(Confidence::High) || rule.id.ends_with("-id")
}

/// The reliability of a rule for secrets: from its page, or from its severity if it is written in
/// Rust. If two rules are equally reliable, the rule for a specific service wins over a generic
/// rule.
fn reliability(finding: &Finding, registry: &Registry) -> (Confidence, bool, Severity) {
    let rule = registry.get(&finding.rule);
    let check = rule.and_then(|rule| rule.check.as_ref());
    let confidence = check.and_then(|check| check.text.as_ref()).and_then(|text| text.secret);
    let severity = rule.map_or(finding.severity, |rule| rule.severity);
    let is_generic =
        GENERIC_RULES.iter().any(|name| finding.rule.strip_prefix("secrets/") == Some(name));
    let implied = if severity == Severity::Error && !is_generic {
        Confidence::Medium
    } else {
        Confidence::Low
    };
    (confidence.unwrap_or(implied), confidence.is_some() && !is_generic, severity)
}

/// Sorts spans, and merges spans that overlap or are adjacent.
pub(crate) fn merge(mut spans: Vec<Span>) -> Vec<Span> {
    spans.sort_unstable();
    let mut merged: Vec<Span> = Vec::new();
    for span in spans {
        match merged.last_mut() {
            Some(last) if span.start <= last.end => *last = last.cover(span),
            _ => merged.push(span),
        }
    }
    merged
}

/// Removes the text of `secrets` from all messages of the findings, and drops fixes that would
/// write a secret: an edit that moves a secret would display it. In the messages of findings on the
/// lines of a secret, parts of the secrets are removed too.
pub(crate) fn redact(source: &Source, findings: &mut [Finding], secrets: &[Span]) {
    redact_values(source, findings, secrets);
    let secrets = merge(secrets.to_vec());
    let is_near_secret = |finding: &Finding| {
        let lines = source.lines_around(finding.span);
        let next = secrets.partition_point(|secret| secret.end <= lines.start);
        secrets.get(next).is_some_and(|secret| secret.start < lines.end)
    };
    let near = findings.iter_mut().filter(|finding| is_near_secret(finding));
    let mut texts: Vec<&mut String> = near
        .flat_map(|Finding { message, help, reason, related, .. }| {
            let related = related.iter_mut().map(|related| &mut related.message);
            [Some(message), help.as_mut(), reason.as_mut()].into_iter().flatten().chain(related)
        })
        .collect();
    secret_parts::mask(source, &secrets, &mut texts);
}

fn redact_values(source: &Source, findings: &mut [Finding], secrets: &[Span]) {
    let values: HashSet<&str> = secrets
        .iter()
        .map(|span| source.slice(*span))
        .filter(|value| value.len() >= MIN_REDACTED)
        .collect();
    if values.is_empty() {
        return;
    }
    let Ok(finder) = AhoCorasick::builder().match_kind(MatchKind::LeftmostLongest).build(values)
    else {
        // Gigabytes of secrets exceed the limits of an automaton. In this case, redact all messages
        // completely.
        findings.iter_mut().for_each(redact_completely);
        return;
    };
    let clean = |text: &mut String| {
        if finder.is_match(text.as_str()) {
            let mut clean = String::new();
            finder.replace_all_with(text, &mut clean, |_, _, into| {
                into.push_str(REDACTED);
                true
            });
            *text = clean;
        }
    };
    for finding in findings {
        clean(&mut finding.message);
        finding.help.iter_mut().for_each(clean);
        finding.reason.iter_mut().for_each(clean);
        finding.related.iter_mut().for_each(|related| clean(&mut related.message));
        finding.fix = finding.fix.take().filter(|fix| {
            !finder.is_match(&fix.title)
                && !fix.edits.iter().any(|edit| finder.is_match(&edit.text))
                && !matches!(&fix.file, Some(FileChange::Create { text, .. }) if finder.is_match(text))
        });
    }
}

fn redact_completely(finding: &mut Finding) {
    REDACTED.clone_into(&mut finding.message);
    finding.help = None;
    finding.reason = None;
    finding.fix = None;
    for Related { message, .. } in &mut finding.related {
        REDACTED.clone_into(message);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn finding(rule: &str, severity: Severity, start: usize, end: usize) -> Finding {
        let span = Span::new(start, end);
        let mut finding = Finding::new(rule.into(), severity, span, "m");
        finding.secret(span);
        finding
    }

    #[test]
    fn the_most_reliable_rule_reports_the_secret() {
        let registry = Registry::new(crate::DISTRIBUTION.pages, &[]);
        let mut findings = vec![
            finding("x/weak", Severity::Warning, 0, 20),
            finding("x/sure", Severity::Error, 5, 15),
            finding("x/weak", Severity::Warning, 30, 40),
            finding("x/sure", Severity::Error, 50, 60),
            finding("x/sure", Severity::Error, 55, 65),
        ];
        let secrets = resolve(&mut findings, &registry);
        let rules: Vec<&str> = findings.iter().map(|finding| &*finding.rule).collect();
        assert_eq!(rules, ["x/sure", "x/weak", "x/sure", "x/sure"]);
        assert_eq!(merge(secrets), [Span::new(5, 15), Span::new(30, 40), Span::new(50, 65)]);
    }

    #[test]
    fn published_values_and_input_hints_are_dropped() {
        let text = "a = 2YotnFZFEjr1zCsicMWpAA\n<input placeholder=\"hunter22\">\nplaceholder: 'hunter23'\nb = 'hunter24'";
        let source = Source::new("x", text);
        let at = |value: &str| {
            let start = text.find(value).expect("in the text");
            finding("a/b", Severity::Error, start, start + value.len())
        };
        let values = ["2YotnFZFEjr1zCsicMWpAA", "hunter22", "hunter23", "hunter24"];
        let mut findings: Vec<Finding> = values.map(at).to_vec();
        drop_samples(&source, &mut findings);
        let remaining: Vec<&str> =
            findings.iter().map(|finding| source.slice(finding.span)).collect();
        assert_eq!(remaining, ["hunter24"]);
    }

    #[test]
    fn the_most_severe_finding_on_a_secret_is_retained() {
        let registry = Registry::new(crate::DISTRIBUTION.pages, &[]);
        for uncertain in ["jwt", "api-key-header", "authorization-bearer-header", "hubspot-api-key"]
        {
            let uncertain = format!("secrets/{uncertain}");
            let mut findings = vec![
                finding(&uncertain, Severity::Info, 0, 20),
                finding("secrets/env-file-secret", Severity::Error, 0, 20),
            ];
            resolve(&mut findings, &registry);
            assert_eq!(findings.len(), 1);
            assert_eq!(&*findings[0].rule, "secrets/env-file-secret");
        }
        // The id of a key gives no access.
        let mut findings = vec![
            finding("secrets/aws-access-key-id", Severity::Info, 0, 20),
            finding("secrets/env-file-secret", Severity::Error, 0, 20),
        ];
        resolve(&mut findings, &registry);
        assert_eq!(findings.len(), 1);
        assert_eq!(&*findings[0].rule, "secrets/aws-access-key-id");
    }

    #[test]
    fn the_most_severe_occurrence_of_a_secret_is_retained() {
        let source = Source::new("x", "hunter22 hunter22 hunter22");
        let mut findings = vec![
            finding("a/b", Severity::Info, 0, 8),
            finding("a/b", Severity::Error, 9, 17),
            finding("a/b", Severity::Error, 18, 26),
        ];
        remove_repeated(&source, &mut findings);
        let spans: Vec<Span> = findings.iter().map(|finding| finding.span).collect();
        assert_eq!(spans, [Span::new(9, 17)]);
    }

    #[test]
    fn a_specific_rule_wins_over_a_generic_rule() {
        let registry = Registry::new(crate::DISTRIBUTION.pages, &[]);
        let mut findings = vec![
            finding("secrets/unquoted-secret", Severity::Warning, 0, 20),
            finding("secrets/env-file-secret", Severity::Error, 0, 20),
        ];
        resolve(&mut findings, &registry);
        assert_eq!(findings.len(), 1);
        assert_eq!(&*findings[0].rule, "secrets/env-file-secret");
    }

    #[test]
    fn secrets_are_redacted_in_all_texts_of_a_finding() {
        let source = Source::new("x", "hunter22 and hunter2");
        let mut findings = vec![finding("a/b", Severity::Error, 0, 8)];
        findings[0].message = "`hunter22` and hunter2".into();
        findings[0].help("use hunter2 no more").related(Span::default(), "hunter22hunter2");
        findings[0].fix("Write hunter2", Vec::new());
        redact(&source, &mut findings, &[Span::new(0, 8), Span::new(13, 20)]);
        assert_eq!(findings[0].message, "`[REDACTED]` and [REDACTED]");
        assert_eq!(findings[0].help.as_deref(), Some("use [REDACTED] no more"));
        assert_eq!(findings[0].related[0].message, "[REDACTED][REDACTED]");
        assert_eq!(findings[0].fix, None);
    }

    #[test]
    fn a_hundred_thousand_secrets_are_resolved_quickly() {
        let registry = Registry::new(crate::DISTRIBUTION.pages, &[]);
        let mut findings: Vec<Finding> =
            (0..100_000).map(|at| finding("x/y", Severity::Error, at * 10, at * 10 + 8)).collect();
        assert_eq!(resolve(&mut findings, &registry).len(), 100_000);
        // A span that covers all other spans is compared with each of them only once.
        findings.push(finding("x/y", Severity::Error, 0, 1_000_000));
        findings
            .extend((0..100_000).map(|at| finding("x/z", Severity::Error, at * 10, at * 10 + 8)));
        assert_eq!(resolve(&mut findings, &registry).len(), 100_001);
    }
}
