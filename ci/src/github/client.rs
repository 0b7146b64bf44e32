//! Requests to GitHub's API, sequential, with retries where repeating a request is safe.

use super::failure::{Failure, now};
use super::{Timeouts, markup};
use crate::event::Repository;
use octocrab::{GitHubError, Octocrab};
use serde::de::DeserializeOwned;
use serde_json::Value;
use std::cell::Cell;
use std::error::Error as _;
use std::io;
use std::time::Duration;

/// Number of retries of a failed request.
const MAX_RETRIES: u32 = 3;
/// Entries per page; GitHub's maximum.
const PAGE_SIZE: usize = 100;
/// Maximum number of pages read from a list.
const MAX_PAGES: usize = 100;
/// Pause in seconds after a rate-limit response that does not state when to retry, as GitHub's
/// guide recommends.
const DEFAULT_RATE_LIMIT_PAUSE: u64 = 60;

/// A connection to the API of one repository.
pub(super) struct Client {
    api: Octocrab,
    /// The path of the repository.
    repository: String,
    token: String,
    timeouts: Timeouts,
    /// The remaining time for waits on rate limits.
    remaining_wait: Cell<Duration>,
    /// The time at which GitHub accepts requests again, if it is too far away to wait; in seconds
    /// since 1970.
    closed_until: Cell<Option<u64>>,
}

/// The kind of a request.
#[derive(Clone, Copy, Debug)]
enum Verb<'a> {
    Get,
    Post(&'a Value),
    Patch(&'a Value),
    Delete,
}

/// Runs `work` to completion on this thread.
pub(super) fn block_on<T>(work: impl Future<Output = T>) -> Result<T, Failure> {
    let to_failure =
        |error: io::Error| Failure::Unavailable(markup::sanitize(&error.to_string(), ""));
    let mut runtime = tokio::runtime::Builder::new_current_thread();
    let runtime = runtime.enable_io().enable_time().build().map_err(to_failure)?;
    let output = runtime.block_on(work);
    // An unresponsive name server must not delay the shutdown.
    runtime.shutdown_background();
    Ok(output)
}

impl Client {
    /// Must be called within a Tokio runtime.
    pub(super) fn new(
        repository: &Repository,
        token: &str,
        timeouts: Timeouts,
    ) -> Result<Self, Failure> {
        let token = token.trim();
        // The library cannot handle a token that is not a valid header value.
        if token.is_empty() || !token.bytes().all(|byte| byte.is_ascii_graphic()) {
            return Err(Failure::NoToken);
        }
        let to_failure = |error: octocrab::Error| {
            Failure::Unavailable(markup::sanitize(&innermost_cause(&error), token))
        };
        let api = Octocrab::builder()
            .base_uri(repository.api.as_str())
            .map_err(|_| Failure::UnexpectedResponse("the API's address is malformed".into()))?
            .personal_token(token)
            .add_header("accept".parse().expect("a name"), "application/vnd.github+json".to_owned())
            .set_connect_timeout(Some(timeouts.request))
            .build()
            .map_err(to_failure)?;
        let (owner, name) = (name(&repository.owner)?, name(&repository.name)?);
        Ok(Self {
            api,
            repository: format!("/repos/{owner}/{name}"),
            token: token.to_owned(),
            timeouts,
            remaining_wait: Cell::new(timeouts.limits),
            closed_until: Cell::new(None),
        })
    }

    /// Reads `route` below the repository.
    pub(super) async fn get<T: DeserializeOwned>(&self, route: &str) -> Result<T, Failure> {
        self.send(Verb::Get, &self.repository_route(route), async || Ok(None)).await
    }

    /// Reads `route` below the API root.
    pub(super) async fn get_root<T: DeserializeOwned>(&self, route: &str) -> Result<T, Failure> {
        self.send(Verb::Get, route, async || Ok(None)).await
    }

    /// Reads all pages of a list, up to 10,000 entries.
    pub(super) async fn list<T: DeserializeOwned>(&self, route: &str) -> Result<Vec<T>, Failure> {
        let mut all = Vec::new();
        let separator = if route.contains('?') { '&' } else { '?' };
        for page in 1..=MAX_PAGES {
            let route = format!("{route}{separator}per_page={PAGE_SIZE}&page={page}");
            let entries: Vec<T> = self.get(&route).await?;
            let last = entries.len() < PAGE_SIZE;
            all.extend(entries);
            if last {
                break;
            }
        }
        Ok(all)
    }

    /// Updates the resource at `route`. The request is idempotent.
    pub(super) async fn patch<T: DeserializeOwned>(
        &self,
        route: &str,
        body: &Value,
    ) -> Result<T, Failure> {
        self.send(Verb::Patch(body), &self.repository_route(route), async || Ok(None)).await
    }

    /// Adds entries to the resource at `route`. If it is unclear whether the request arrived,
    /// `find_result` looks for the result, and returns it if the request arrived.
    pub(super) async fn append<T: DeserializeOwned>(
        &self,
        route: &str,
        body: &Value,
        find_result: impl AsyncFn() -> Result<Option<T>, Failure>,
    ) -> Result<T, Failure> {
        self.send(Verb::Patch(body), &self.repository_route(route), find_result).await
    }

    /// Creates a resource. If it is unclear whether the request arrived, `find_result` looks for
    /// the result, and returns it if the request arrived.
    pub(super) async fn create<T: DeserializeOwned>(
        &self,
        route: &str,
        body: &Value,
        find_result: impl AsyncFn() -> Result<Option<T>, Failure>,
    ) -> Result<T, Failure> {
        self.send(Verb::Post(body), &self.repository_route(route), find_result).await
    }

    /// Deletes the resource at `route`.
    pub(super) async fn delete(&self, route: &str) -> Result<(), Failure> {
        let deleted =
            self.send(Verb::Delete, &self.repository_route(route), async || Ok(None)).await;
        deleted.map(|_: serde::de::IgnoredAny| ())
    }

    /// Waits before a retry: `round` is 0 for the first pause.
    pub(super) async fn pause(&self, round: u32) {
        tokio::time::sleep(self.timeouts.pause * 2_u32.pow(round.min(8))).await;
    }

    fn repository_route(&self, route: &str) -> String {
        format!("{}{route}", self.repository)
    }

    async fn send<T: DeserializeOwned>(
        &self,
        verb: Verb<'_>,
        route: &str,
        find_result: impl AsyncFn() -> Result<Option<T>, Failure>,
    ) -> Result<T, Failure> {
        let mut failed_attempts = 0;
        loop {
            match self.attempt(verb, route).await {
                Ok(response) => return self.read(&response),
                Err(Failure::Limited(until)) => self.wait_until(until).await?,
                Err(failure @ Failure::Unavailable(_)) => {
                    self.pause(failed_attempts).await;
                    if let Some(done) = find_result().await? {
                        return Ok(done);
                    }
                    failed_attempts += 1;
                    if failed_attempts > MAX_RETRIES {
                        return Err(failure);
                    }
                }
                Err(failure) => return Err(failure),
            }
        }
    }

    /// Sends a request once and returns the body of the response.
    async fn attempt(&self, verb: Verb<'_>, route: &str) -> Result<String, Failure> {
        if let Some(until) = self.closed_until.get() {
            return Err(Failure::Limited(until));
        }
        let exchange = async {
            let response = match verb {
                Verb::Get => self.api._get(route).await?,
                Verb::Post(body) => self.api._post(route, Some(body)).await?,
                Verb::Patch(body) => self.api._patch(route, Some(body)).await?,
                Verb::Delete => self.api._delete(route, None::<&()>).await?,
            };
            self.api.body_to_string(octocrab::map_github_error(response).await?).await
        };
        match tokio::time::timeout(self.timeouts.request, exchange).await {
            Ok(response) => response.map_err(|error| self.failure(&error)),
            Err(_) => {
                let seconds = self.timeouts.request.as_secs_f32();
                Err(Failure::Unavailable(format!("no response within {seconds} s")))
            }
        }
    }

    fn read<T: DeserializeOwned>(&self, response: &str) -> Result<T, Failure> {
        // The response to a deletion is empty.
        let response = if response.trim().is_empty() { "null" } else { response };
        let unexpected = |error: serde_json::Error| {
            Failure::UnexpectedResponse(self.sanitize(&error.to_string()))
        };
        serde_json::from_str(response).map_err(unexpected)
    }

    /// Waits until `until` if the remaining waiting time allows it.
    async fn wait_until(&self, until: u64) -> Result<(), Failure> {
        // Wait at least a second, so that the remaining waiting time runs out eventually.
        let wait = Duration::from_secs(until.saturating_sub(now()).max(1));
        let Some(remaining_wait) = self.remaining_wait.get().checked_sub(wait) else {
            self.closed_until.set(Some(until));
            return Err(Failure::Limited(until));
        };
        self.remaining_wait.set(remaining_wait);
        tokio::time::sleep(wait).await;
        Ok(())
    }

    fn failure(&self, error: &octocrab::Error) -> Failure {
        match error {
            octocrab::Error::GitHub { source, .. } => self.refusal(source),
            octocrab::Error::Uri { .. } | octocrab::Error::UriParse { .. } => {
                Failure::UnexpectedResponse(self.sanitize(&innermost_cause(error)))
            }
            _ => Failure::Unavailable(self.sanitize(&innermost_cause(error))),
        }
    }

    fn refusal(&self, error: &GitHubError) -> Failure {
        let status = error.status_code.as_u16();
        if let Some(until) = rate_limit_end(error) {
            return Failure::Limited(until);
        }
        let message = self.sanitize(&full_message(error));
        match status {
            401 => Failure::InvalidToken,
            403 if lacks_permission(&message) => Failure::Forbidden(message),
            404 => Failure::Missing(message),
            422 => Failure::Invalid(format!("422: {message}")),
            408 | 500.. => Failure::Unavailable(format!("{status}: {message}")),
            _ => Failure::Refused(status, message),
        }
    }

    /// A message from GitHub, sanitized for display.
    pub(super) fn sanitize(&self, text: &str) -> String {
        markup::sanitize(text, &self.token)
    }
}

/// Validates the name of an owner or a repository, which becomes part of a URL.
fn name(text: &str) -> Result<&str, Failure> {
    let is_plain = |byte: u8| byte.is_ascii_alphanumeric() || matches!(byte, b'-' | b'_' | b'.');
    if text.is_empty() || matches!(text, "." | "..") || !text.bytes().all(is_plain) {
        return Err(Failure::UnexpectedResponse("the repository's name is malformed".into()));
    }
    Ok(text)
}

/// Whether another token or more permissions would help. Some 403 responses have other causes, such
/// as a locked conversation.
fn lacks_permission(message: &str) -> bool {
    message.contains("not accessible by") || message.starts_with("Must have")
}

/// When a rate limit ends, if the response mentions one.
fn rate_limit_end(error: &GitHubError) -> Option<u64> {
    let status = error.status_code.as_u16();
    if !matches!(status, 403 | 429) {
        return None;
    }
    let header = |name: &str| error.headers.as_ref()?.get(name)?.to_str().ok()?.parse::<u64>().ok();
    if let Some(seconds) = header("retry-after") {
        return Some(now().saturating_add(seconds));
    }
    if header("x-ratelimit-remaining") == Some(0)
        && let Some(reset) = error.rate_limit_reset
    {
        return Some(reset);
    }
    let text = error.message.to_ascii_lowercase();
    let is_limit = text.contains("rate limit") || text.contains("abuse detection");
    (is_limit || status == 429).then(|| now() + DEFAULT_RATE_LIMIT_PAUSE)
}

/// GitHub's message and its list of errors.
fn full_message(error: &GitHubError) -> String {
    let mut text = error.message.clone();
    for (index, entry) in error.errors.iter().flatten().enumerate() {
        text.push_str(if index == 0 { ": " } else { "; " });
        match entry {
            Value::String(entry) => text.push_str(entry),
            Value::Object(entry) => {
                let values = ["resource", "field", "code", "message"].map(|key| entry.get(key));
                let values: Vec<&str> =
                    values.into_iter().flatten().filter_map(Value::as_str).collect();
                text.push_str(&values.join(" "));
            }
            entry => text.push_str(&entry.to_string()),
        }
    }
    text
}

/// The innermost cause; the errors above it only state that a request failed.
fn innermost_cause(error: &octocrab::Error) -> String {
    let mut text = error.to_string();
    let mut source = error.source();
    while let Some(cause) = source {
        text = cause.to_string();
        source = cause.source();
    }
    text
}
