//! Fixes suggested on the pull request's lines, which can be committed with a click.

use super::client::Client;
use super::failure::Failure;
use super::{Content, Posted, Target, markup};
use aidd_report::gfm::escape;
use aidd_report::{number, wire};
use serde::Deserialize;
use serde::de::IgnoredAny;
use serde_json::{Value, json};
use std::collections::BTreeSet;

/// Maximum number of suggestions per review: GitHub has timed out with twenty.
const MAX_BATCH: usize = 10;
/// Maximum number of suggestions per run.
const MAX_SUGGESTIONS: usize = 50;
/// Maximum number of lines of a suggestion; apply longer fixes with `aidd check --fix`.
const MAX_LINES: usize = 40;
/// Maximum size of a suggestion in bytes; a comment is limited to 65,536 characters.
const MAX_BYTES: usize = 20_000;
/// After this number of consecutive refusals, the remaining suggestions are not sent.
const MAX_REFUSALS: usize = 3;
const PERMISSION: &str = "pull-requests: write";

/// A fix in the form of a replacement of whole lines of the head.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Suggestion {
    /// The id of the finding that it fixes.
    pub finding: String,
    /// The first line to replace, from 1.
    pub first: u32,
    /// The last line to replace.
    pub last: u32,
    /// The replacement: whole lines with their line breaks. If empty, the lines are deleted.
    pub text: String,
}

#[derive(Deserialize)]
struct Comment {
    path: String,
    body: Option<String>,
    /// `None` if the commented lines no longer exist.
    line: Option<u64>,
}

/// A suggestion that is posted as a comment of a review, with its finding.
struct Offer<'a> {
    finding: &'a wire::Finding,
    suggestion: &'a Suggestion,
}

impl Suggestion {
    /// The safe fix of `finding` as whole lines of its file, whose contents at the head are `text`.
    /// `None` if there is no safe fix, if it changes nothing, or if it is too long to read in a
    /// comment.
    #[must_use]
    pub fn from_finding(finding: &wire::Finding, text: &str) -> Option<Self> {
        let fix = finding.fix.as_ref().filter(|fix| fix.safety == "safe")?;
        let mut edits: Vec<(usize, usize, &str)> = Vec::new();
        for edit in &fix.edits {
            let (start, end) = (edit.start.offset.try_into(), edit.end.offset.try_into());
            edits.push((start.ok()?, end.ok()?, &edit.text));
        }
        edits.sort_unstable();
        let (from, to) = (edits.first()?.0, edits.last()?.1);
        let start = text.get(..from)?.rfind('\n').map_or(0, |at| at + 1);
        let mut end = to;
        let mut new = apply_edits(text, start, &edits)?;
        let covers_lines = to > start && text[..to].ends_with('\n');
        if !covers_lines || !(new.is_empty() || new.ends_with('\n')) {
            end = text[to..].find('\n').map_or(text.len(), |at| to + at + 1);
            new.push_str(&text[to..end]);
        }
        let lines = text[start..end].lines().count();
        let longest = lines.max(new.lines().count());
        let (old, new) = (with_lf(&text[start..end]), with_lf(&new));
        if is_invisible_change(&old, &new)
            || lines == 0
            || longest > MAX_LINES
            || new.len() > MAX_BYTES
        {
            return None;
        }
        let first = u32::try_from(text[..start].matches('\n').count() + 1).ok()?;
        let last = first.checked_add(u32::try_from(lines - 1).ok()?)?;
        Some(Self { finding: finding.id.clone(), first, last, text: new })
    }
}

/// The text from `start` to the end of the last edit, with the edits applied. `None` if the edits
/// overlap or are out of bounds.
fn apply_edits(text: &str, start: usize, edits: &[(usize, usize, &str)]) -> Option<String> {
    let (mut out, mut position) = (String::new(), start);
    for &(from, to, new) in edits {
        out.push_str(text.get(position..from)?);
        out.push_str(new);
        text.get(from..to)?;
        position = to;
    }
    Some(out)
}

/// Comments contain only LF line breaks; when a suggestion is committed, GitHub uses the line
/// breaks of the file.
fn with_lf(text: &str) -> String {
    text.replace("\r\n", "\n")
}

/// Whether a suggestion that replaces `old` with `new` shows no change: a suggestion cannot add or
/// remove the line break at the end of a file.
fn is_invisible_change(old: &str, new: &str) -> bool {
    let without_line_break = |text: &str| text.strip_suffix('\n').unwrap_or(text).to_owned();
    old == new || (!new.is_empty() && without_line_break(old) == without_line_break(new))
}

/// Posts the fixes whose lines the diff shows and that were not posted before.
pub(super) async fn post(
    client: &Client,
    target: &Target<'_>,
    pull: u64,
    content: &Content<'_>,
    posted: &mut Posted,
) -> Result<(), Failure> {
    let mut offers = offers(content);
    if offers.is_empty() {
        return Ok(());
    }
    let existing = existing_suggestions(client, pull).await?;
    offers.retain(|offer| !existing.contains(&(offer.finding.path.clone(), offer.marker())));
    if let Some(excess @ 1..) = offers.len().checked_sub(MAX_SUGGESTIONS) {
        posted.skipped.push(format!(
            "{} not posted: the limit is {MAX_SUGGESTIONS} per run. Run `aidd check --fix` to apply all safe fixes.",
            number(excess, "suggestion")
        ));
        offers.truncate(MAX_SUGGESTIONS);
    }
    if let Err(failure) = send(client, target, pull, content, &offers, posted).await {
        let missing = offers.len() - posted.suggestions;
        let subject = format!("Not posted: {missing} of {}", number(offers.len(), "suggestion"));
        posted.skipped.push(failure.line(&subject, PERMISSION));
    }
    Ok(())
}

fn offers<'a>(content: &Content<'a>) -> Vec<Offer<'a>> {
    let mut offers = Vec::new();
    for suggestion in content.suggestions {
        let finding = content.findings.iter().find(|finding| finding.id == suggestion.finding);
        let Some(finding) = finding else { continue };
        let shown = content.diff_lines.get(&finding.path).is_some_and(|ranges| {
            ranges.iter().any(|&(from, to)| from <= suggestion.first && suggestion.last <= to)
        });
        if shown && suggestion.first <= suggestion.last && suggestion.text.len() <= MAX_BYTES {
            offers.push(Offer { finding, suggestion });
        }
    }
    // Whole lines contain more text than the fix. Secrets in them must not appear in emails about
    // the review.
    let clean = |text: &str| content.distribution.redact(text) == text;
    let texts: Vec<&str> = offers.iter().map(|offer| &*offer.suggestion.text).collect();
    if !clean(&texts.join("\n")) {
        offers.retain(|offer| clean(&offer.suggestion.text));
    }
    offers
}

/// The path and the marker of each existing suggestion.
async fn existing_suggestions(
    client: &Client,
    pull: u64,
) -> Result<BTreeSet<(String, String)>, Failure> {
    let comments: Vec<Comment> = client.list(&format!("/pulls/{pull}/comments")).await?;
    let current = comments.into_iter().filter(|comment| comment.line.is_some());
    let key = |comment: Comment| {
        let body = comment.body.unwrap_or_default();
        (comment.path, body.lines().next().unwrap_or_default().to_owned())
    };
    Ok(current.map(key).collect())
}

/// Posts the offers in batches; fails with the last refusal, if any.
async fn send(
    client: &Client,
    target: &Target<'_>,
    pull: u64,
    content: &Content<'_>,
    offers: &[Offer<'_>],
    posted: &mut Posted,
) -> Result<(), Failure> {
    let mut refused = Ok(());
    let mut consecutive = 0;
    for batch in offers.chunks(MAX_BATCH) {
        match create_review(client, target, pull, content, batch).await {
            Ok(()) => posted.suggestions += batch.len(),
            // GitHub rejects the whole batch if a single suggestion is invalid, so post them one by
            // one.
            Err(Failure::Invalid(_)) => {
                for offer in batch.chunks(1) {
                    match create_review(client, target, pull, content, offer).await {
                        Ok(()) => (posted.suggestions, consecutive) = (posted.suggestions + 1, 0),
                        Err(failure @ Failure::Invalid(_)) => {
                            consecutive += 1;
                            if consecutive == MAX_REFUSALS && posted.suggestions == 0 {
                                return Err(failure);
                            }
                            refused = Err(failure);
                        }
                        Err(failure) => return Err(failure),
                    }
                }
            }
            Err(failure) => return Err(failure),
        }
    }
    refused
}

/// Creates a review with `offers` as comments.
async fn create_review(
    client: &Client,
    target: &Target<'_>,
    pull: u64,
    content: &Content<'_>,
    offers: &[Offer<'_>],
) -> Result<(), Failure> {
    let marker = markup::marker(content.marker);
    let fixes = if offers.len() == 1 { "1 fix".into() } else { format!("{} fixes", offers.len()) };
    let body = json!({
        "commit_id": target.head_sha,
        "event": "COMMENT",
        "body": format!("<!-- aidd:review:{marker} -->\naidd suggests {fixes}."),
        "comments": offers.iter().map(Offer::comment).collect::<Vec<_>>(),
    });
    let find_created = async || {
        let existing = existing_suggestions(client, pull).await?;
        let is_posted =
            |offer: &Offer<'_>| existing.contains(&(offer.finding.path.clone(), offer.marker()));
        Ok(offers.iter().all(is_posted).then_some(IgnoredAny))
    };
    client.create(&format!("/pulls/{pull}/reviews"), &body, find_created).await.map(drop)
}

impl Offer<'_> {
    /// The marker in the first line of the comment.
    fn marker(&self) -> String {
        format!("<!-- aidd:finding:{} -->", markup::marker(&self.finding.id))
    }

    fn comment(&self) -> Value {
        let Suggestion { first, last, text, .. } = self.suggestion;
        let mut comment = json!({
            "path": self.finding.path,
            "body": self.body(text),
            "line": last,
            "side": "RIGHT",
        });
        // GitHub requires the first line to precede the last.
        if first < last {
            comment["start_line"] = (*first).into();
            comment["start_side"] = "RIGHT".into();
        }
        comment
    }

    fn body(&self, text: &str) -> String {
        let (rule, message) = (escape(&self.finding.rule), escape(&self.finding.message));
        let help = self.finding.help.as_deref().map(|help| format!("\n\n{}", escape(help)));
        let help = help.unwrap_or_default();
        let block = markup::code_block("suggestion", text);
        format!("{}\n**{rule}**: {message}{help}\n\n{block}\n", self.marker())
    }
}
