//! What can go wrong between aidd and GitHub, in words.

use std::time::{SystemTime, UNIX_EPOCH};

/// Why a request brought nothing. The texts went through [`super::words::said`].
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) enum Failure {
    /// No token, or one that no header can hold.
    NoToken,
    /// The token is not accepted (401).
    Token,
    /// The token may not do this (403 for want of permission).
    Forbidden(String),
    /// Too many requests; when, in seconds since 1970, more are taken.
    Limited(u64),
    /// There is no such thing, or the token may not see it (404).
    Missing(String),
    /// What was sent is not accepted: 422, or found out later.
    Invalid(String),
    /// Any other refusal.
    Refused(u16, String),
    /// No answer, or half of one, or an error of the server; tried several times.
    Broken(String),
    /// An answer that means nothing to us.
    Strange(String),
}

impl Failure {
    /// One line: what was left out, why, and what to do.
    pub(super) fn line(&self, what: &str, permission: &str) -> String {
        let (why, advice) = self.words(permission);
        format!("{what}: {why}. {advice}.")
    }

    /// Why, and what to do; `permission` is what the request needs, as a workflow spells it.
    pub(super) fn words(&self, permission: &str) -> (String, String) {
        match self {
            Self::NoToken => (
                "there is no usable token".into(),
                "Set `GITHUB_TOKEN` to the job's `github.token`".into(),
            ),
            Self::Token => (
                "GitHub does not accept the token (401)".into(),
                "Use the job's `github.token`, or one that has not expired".into(),
            ),
            Self::Forbidden(said) => (
                format!("the token may not do this (403: {said})"),
                format!(
                    "Give the job `permissions: {permission}`; a pull request from a fork never \
                     gets it: save the report there with `aidd ci --save` and post it with \
                     `aidd ci post` from a `workflow_run` workflow"
                ),
            ),
            Self::Limited(until) => (
                format!("GitHub takes no more requests until {}", clock(*until)),
                "Run the job again after that".into(),
            ),
            Self::Missing(said) => (
                format!("GitHub does not find it (404: {said})"),
                format!("Check that the token may see the repository and has `{permission}`"),
            ),
            Self::Invalid(said) => (
                format!("GitHub does not accept the content ({said})"),
                "Run the job again on the newest commit; if it happens again, report it".into(),
            ),
            Self::Refused(status @ 300..400, said) => (
                format!("the address has moved ({status}: {said})"),
                "Name the repository as it is called now".into(),
            ),
            Self::Refused(status, said) => (
                format!("GitHub refuses ({status}: {said})"),
                format!("Check the repository's settings and that the token has `{permission}`"),
            ),
            Self::Broken(said) => (
                format!("GitHub failed to answer ({said})"),
                "Run the job again; if it happens again, check GitHub's status and the runner's way to \
                 the network"
                    .into(),
            ),
            Self::Strange(said) => (
                format!("the answer was not understood ({said})"),
                "Check that the API's address is right".into(),
            ),
        }
    }
}

/// Seconds since 1970.
pub(super) fn now() -> u64 {
    SystemTime::now().duration_since(UNIX_EPOCH).map_or(0, |since| since.as_secs())
}

/// The time of the day.
fn clock(seconds: u64) -> String {
    let minutes = seconds / 60 % (24 * 60);
    format!("{:02}:{:02} UTC", minutes / 60, minutes % 60)
}

#[cfg(test)]
mod tests {
    use super::*;
    use insta::assert_snapshot;

    #[test]
    fn each_failure_says_what_why_and_what_to_do() {
        let failures = [
            Failure::NoToken,
            Failure::Token,
            Failure::Forbidden("Resource not accessible by integration".into()),
            Failure::Limited(1_700_000_000),
            Failure::Missing("Not Found".into()),
            Failure::Invalid("422: Validation Failed: body is too long".into()),
            Failure::Refused(301, "Moved Permanently".into()),
            Failure::Refused(410, "Issues are disabled for this repo".into()),
            Failure::Broken("connection refused".into()),
            Failure::Strange("expected value at line 1 column 1".into()),
        ];
        let lines = failures.map(|failure| failure.line("The comment was not posted", "p: write"));
        assert_snapshot!(lines.join("\n"), @r"
        The comment was not posted: there is no usable token. Set `GITHUB_TOKEN` to the job's `github.token`.
        The comment was not posted: GitHub does not accept the token (401). Use the job's `github.token`, or one that has not expired.
        The comment was not posted: the token may not do this (403: Resource not accessible by integration). Give the job `permissions: p: write`; a pull request from a fork never gets it: save the report there with `aidd ci --save` and post it with `aidd ci post` from a `workflow_run` workflow.
        The comment was not posted: GitHub takes no more requests until 22:13 UTC. Run the job again after that.
        The comment was not posted: GitHub does not find it (404: Not Found). Check that the token may see the repository and has `p: write`.
        The comment was not posted: GitHub does not accept the content (422: Validation Failed: body is too long). Run the job again on the newest commit; if it happens again, report it.
        The comment was not posted: the address has moved (301: Moved Permanently). Name the repository as it is called now.
        The comment was not posted: GitHub refuses (410: Issues are disabled for this repo). Check the repository's settings and that the token has `p: write`.
        The comment was not posted: GitHub failed to answer (connection refused). Run the job again; if it happens again, check GitHub's status and the runner's way to the network.
        The comment was not posted: the answer was not understood (expected value at line 1 column 1). Check that the API's address is right.
        ");
    }
}
