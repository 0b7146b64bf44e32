//! The upload of a SARIF report to code scanning.

use super::client::Client;
use super::failure::Failure;
use super::{Target, markup};
use serde::Deserialize;
use serde_json::json;

/// Maximum number of status checks of an upload. The pauses of 0.5 s, 1 s, 2 s … add up to 15.5 s.
const MAX_STATUS_CHECKS: u32 = 5;

#[derive(Deserialize)]
struct Upload {
    id: String,
}

#[derive(Deserialize)]
struct Status {
    #[serde(default)]
    processing_status: String,
    #[serde(default)]
    errors: Option<Vec<String>>,
}

/// Uploads the report (compressed with gzip) and returns GitHub's id of the upload.
pub(super) async fn upload(
    client: &Client,
    target: &Target<'_>,
    report: &[u8],
) -> Result<String, Failure> {
    let body = json!({
        "commit_sha": target.head_sha,
        "ref": git_ref(target),
        "sarif": markup::base64(report),
        "tool_name": "aidd",
    });
    // A repeated upload replaces the first one.
    let upload: Upload = client.create("/code-scanning/sarifs", &body, async || Ok(None)).await?;
    Ok(markup::marker(&upload.id))
}

/// The ref whose tip is the checked commit. For a pull request, the ref in the event refers to the
/// merge commit, but the checked commit is the head.
fn git_ref(target: &Target<'_>) -> String {
    match target.pull {
        Some(number) => format!("refs/pull/{number}/head"),
        None => target.git_ref.to_owned(),
    }
}

/// Waits a while for GitHub to process the report.
///
/// # Errors
/// Fails when GitHub reports a failure. A timeout is not an error.
pub(super) async fn wait_processed(client: &Client, id: &str) -> Result<(), Failure> {
    let route = format!("/code-scanning/sarifs/{}", markup::encode_segment(id));
    for round in 0..MAX_STATUS_CHECKS {
        client.pause(round).await;
        match client.get::<Status>(&route).await {
            Ok(status) if status.processing_status == "complete" => return Ok(()),
            Ok(status) if status.processing_status == "failed" => {
                let errors = status.errors.unwrap_or_default().join("; ");
                return Err(Failure::Invalid(client.sanitize(&errors)));
            }
            // A new upload is not visible immediately.
            Ok(_) | Err(Failure::Missing(_)) => {}
            // The report is uploaded even if its status cannot be read.
            Err(_) => return Ok(()),
        }
    }
    Ok(())
}

/// A line with the skipped part, the reason and the remedy.
pub(super) fn line(failure: &Failure) -> String {
    const WHAT: &str = "The SARIF report was not uploaded to code scanning";
    match failure {
        Failure::Refused(403, message) if is_disabled(message) => format!(
            "{WHAT}: code scanning is disabled for this repository (403: {message}). It is free for \
             public repositories; for other repositories, enable Code Security in the repository's \
             settings, or disable the upload: annotations and summary contain the same findings."
        ),
        Failure::Refused(413, message) => format!(
            "{WHAT}: the report is too large (413: {message}). Check fewer paths at once, each \
             with a separate category."
        ),
        failure => failure.line(WHAT, "security-events: write"),
    }
}

/// Whether GitHub's message means that code scanning is not enabled for the repository.
fn is_disabled(message: &str) -> bool {
    let message = message.to_ascii_lowercase();
    message.contains("must be enabled") || message.contains("not enabled")
}
