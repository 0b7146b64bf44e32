//! Failures of requests to GitHub and their messages.

use std::time::{SystemTime, UNIX_EPOCH};

/// Why a request failed. All texts are sanitized by [`super::markup::sanitize`].
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) enum Failure {
    /// No token, or a token that is not a valid header value.
    NoToken,
    /// The token is not accepted (401).
    InvalidToken,
    /// The token lacks a permission (403).
    Forbidden(String),
    /// The rate limit is reached; contains the time at which it ends, in seconds since 1970.
    Limited(u64),
    /// The resource does not exist, or the token cannot see it (404).
    Missing(String),
    /// The content was rejected: with a 422 response, or later during processing.
    Invalid(String),
    /// Any other refusal: the status and GitHub's message.
    Refused(u16, String),
    /// No response, an incomplete response, or a server error.
    Unavailable(String),
    /// A response that could not be understood.
    UnexpectedResponse(String),
}

impl Failure {
    /// One line with the skipped part, the reason and the remedy.
    pub(super) fn line(&self, skipped: &str, permission: &str) -> String {
        let (why, advice) = self.reason_and_remedy(permission);
        format!("{skipped}: {why}. {advice}.")
    }

    /// The reason and the remedy; `permission` is what the request requires, as written in a
    /// workflow.
    pub(super) fn reason_and_remedy(&self, permission: &str) -> (String, String) {
        match self {
            Self::NoToken => (
                "there is no usable token".into(),
                "Set `GITHUB_TOKEN` to the job's `github.token`".into(),
            ),
            Self::InvalidToken => (
                "GitHub does not accept the token (401)".into(),
                "Use the job's `github.token`, or one that has not expired".into(),
            ),
            Self::Forbidden(message) => (
                format!("the token has no permission for this (403: {message})"),
                format!(
                    "Give the job `permissions: {permission}`; a pull request from a fork never \
                     gets this permission: save the report with `aidd ci --save` and post it \
                     with `aidd ci post` from a `workflow_run` workflow"
                ),
            ),
            Self::Limited(until) => (
                format!("GitHub accepts no more requests until {}", clock(*until)),
                "Run the job again after that".into(),
            ),
            Self::Missing(message) => (
                format!("not found (404: {message})"),
                format!("Check that the token has access to the repository and has `{permission}`"),
            ),
            Self::Invalid(message) => (
                format!("GitHub does not accept the content ({message})"),
                "Run the job again on the newest commit; if the error persists, report it".into(),
            ),
            Self::Refused(status @ 300..400, message) => (
                format!("the repository has moved ({status}: {message})"),
                "Use the repository's current name".into(),
            ),
            Self::Refused(status, message) => (
                format!("GitHub refused the request ({status}: {message})"),
                format!("Check the repository's settings and that the token has `{permission}`"),
            ),
            Self::Unavailable(message) => (
                format!("GitHub did not respond ({message})"),
                "Run the job again; if the error persists, check GitHub's status and the runner's \
                 network access"
                    .into(),
            ),
            Self::UnexpectedResponse(message) => (
                format!("the response was not understood ({message})"),
                "Check the URL of the API".into(),
            ),
        }
    }
}

/// Seconds since 1970.
pub(super) fn now() -> u64 {
    SystemTime::now().duration_since(UNIX_EPOCH).map_or(0, |duration| duration.as_secs())
}

/// The time of day.
fn clock(seconds: u64) -> String {
    let minutes = seconds / 60 % (24 * 60);
    format!("{:02}:{:02} UTC", minutes / 60, minutes % 60)
}

#[cfg(test)]
mod tests {
    use super::*;
    use insta::assert_snapshot;

    #[test]
    fn each_failure_has_a_reason_and_a_remedy() {
        let failures = [
            Failure::NoToken,
            Failure::InvalidToken,
            Failure::Forbidden("Resource not accessible by integration".into()),
            Failure::Limited(1_700_000_000),
            Failure::Missing("Not Found".into()),
            Failure::Invalid("422: Validation Failed: body is too long".into()),
            Failure::Refused(301, "Moved Permanently".into()),
            Failure::Refused(410, "Issues are disabled for this repo".into()),
            Failure::Unavailable("connection refused".into()),
            Failure::UnexpectedResponse("expected value at line 1 column 1".into()),
        ];
        let lines = failures.map(|failure| failure.line("The comment was not posted", "p: write"));
        assert_snapshot!(lines.join("\n"), @r"
        The comment was not posted: there is no usable token. Set `GITHUB_TOKEN` to the job's `github.token`.
        The comment was not posted: GitHub does not accept the token (401). Use the job's `github.token`, or one that has not expired.
        The comment was not posted: the token has no permission for this (403: Resource not accessible by integration). Give the job `permissions: p: write`; a pull request from a fork never gets this permission: save the report with `aidd ci --save` and post it with `aidd ci post` from a `workflow_run` workflow.
        The comment was not posted: GitHub accepts no more requests until 22:13 UTC. Run the job again after that.
        The comment was not posted: not found (404: Not Found). Check that the token has access to the repository and has `p: write`.
        The comment was not posted: GitHub does not accept the content (422: Validation Failed: body is too long). Run the job again on the newest commit; if the error persists, report it.
        The comment was not posted: the repository has moved (301: Moved Permanently). Use the repository's current name.
        The comment was not posted: GitHub refused the request (410: Issues are disabled for this repo). Check the repository's settings and that the token has `p: write`.
        The comment was not posted: GitHub did not respond (connection refused). Run the job again; if the error persists, check GitHub's status and the runner's network access.
        The comment was not posted: the response was not understood (expected value at line 1 column 1). Check the URL of the API.
        ");
    }
}
