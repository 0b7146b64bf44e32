//! The upload of a SARIF report to code scanning.

use super::client::Client;
use super::failure::Failure;
use super::{Target, words};
use serde::Deserialize;
use serde_json::json;

/// Looks at the upload before its processing is left to itself: pauses of 0.5 s, 1 s, 2 s … in sum
/// 15.5 s.
const LOOKS: u32 = 5;

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

/// Sends the report (compressed with gzip) and gives GitHub's name of the upload.
pub(super) async fn upload(
    client: &Client,
    target: &Target<'_>,
    report: &[u8],
) -> Result<String, Failure> {
    let body = json!({
        "commit_sha": target.head_sha,
        "ref": git_ref(target),
        "sarif": words::base64(report),
        "tool_name": "aidd",
    });
    // Sent twice, the second replaces the first.
    let upload: Upload = client.create("/code-scanning/sarifs", &body, async || Ok(None)).await?;
    Ok(words::marker(&upload.id))
}

/// The ref that the checked commit is the tip of. The event's own ref of a pull request is that of
/// the merge commit, which GitHub would not find the head under.
fn git_ref(target: &Target<'_>) -> String {
    match target.pull {
        Some(number) => format!("refs/pull/{number}/head"),
        None => target.git_ref.to_owned(),
    }
}

/// Waits a while for GitHub to take the report in.
///
/// # Errors
/// When GitHub says that it could not. That it takes long is no error.
pub(super) async fn settled(client: &Client, id: &str) -> Result<(), Failure> {
    let route = format!("/code-scanning/sarifs/{}", words::segment(id));
    for round in 0..LOOKS {
        client.pause(round).await;
        match client.get::<Status>(&route).await {
            Ok(status) if status.processing_status == "complete" => return Ok(()),
            Ok(status) if status.processing_status == "failed" => {
                let errors = status.errors.unwrap_or_default().join("; ");
                return Err(Failure::Invalid(client.said(&errors)));
            }
            // A fresh upload is not found at once.
            Ok(_) | Err(Failure::Missing(_)) => {}
            // The report is there; that it cannot be looked at is no loss.
            Err(_) => return Ok(()),
        }
    }
    Ok(())
}

/// What was left out, why, and what to do.
pub(super) fn line(failure: &Failure) -> String {
    const WHAT: &str = "The SARIF report was not taken into code scanning";
    match failure {
        Failure::Refused(403, said) if is_off(said) => format!(
            "{WHAT}: code scanning is off for this repository (403: {said}). It is free for \
             public repositories; for others enable Code Security in the repository's settings, or \
             leave the upload off: annotations and summary hold the same findings."
        ),
        Failure::Refused(413, said) => format!(
            "{WHAT}: it is too large (413: {said}). Check fewer paths at once, each with a \
             category of its own."
        ),
        failure => failure.line(WHAT, "security-events: write"),
    }
}

/// Whether GitHub's words mean that the repository has no code scanning, whatever the token.
fn is_off(said: &str) -> bool {
    let said = said.to_ascii_lowercase();
    said.contains("must be enabled") || said.contains("not enabled")
}
