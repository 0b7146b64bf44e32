//! Requests to GitHub's API, sequential, with retries where a repetition is safe.

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
const PAGE: usize = 100;
/// Maximum number of pages read of a list.
const MAX_PAGES: usize = 100;
/// Pause in seconds after a rate-limit response without a time, as GitHub's guide recommends.
const DEFAULT_RATE_LIMIT_PAUSE: u64 = 60;

/// A connection to the API of one repository.
pub(super) struct Client {
    api: Octocrab,
    /// The path of the repository.
    repository: String,
    token: String,
    patience: Timeouts,
    /// The remaining time for waits on rate limits.
    left: Cell<Duration>,
    /// When GitHub accepts requests again, once the wait would be too long.
    closed: Cell<Option<u64>>,
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
    let unable = |error: io::Error| Failure::Broken(markup::sanitize(&error.to_string(), ""));
    let mut runtime = tokio::runtime::Builder::new_current_thread();
    let runtime = runtime.enable_io().enable_time().build().map_err(unable)?;
    let done = runtime.block_on(work);
    // An unresponsive name server must not delay the shutdown.
    runtime.shutdown_background();
    Ok(done)
}

impl Client {
    /// Must be called on a runtime.
    pub(super) fn new(
        repository: &Repository,
        token: &str,
        patience: Timeouts,
    ) -> Result<Self, Failure> {
        let token = token.trim();
        // The library cannot handle a token that is not a valid header value.
        if token.is_empty() || !token.bytes().all(|byte| byte.is_ascii_graphic()) {
            return Err(Failure::NoToken);
        }
        let unusable =
            |error: octocrab::Error| Failure::Broken(markup::sanitize(&innermost(&error), token));
        let api = Octocrab::builder()
            .base_uri(repository.api.as_str())
            .map_err(|_| Failure::UnexpectedResponse("the API's address is malformed".into()))?
            .personal_token(token)
            .add_header("accept".parse().expect("a name"), "application/vnd.github+json".to_owned())
            .set_connect_timeout(Some(patience.request))
            .build()
            .map_err(unusable)?;
        let (owner, name) = (name(&repository.owner)?, name(&repository.name)?);
        Ok(Self {
            api,
            repository: format!("/repos/{owner}/{name}"),
            token: token.to_owned(),
            patience,
            left: Cell::new(patience.limits),
            closed: Cell::new(None),
        })
    }

    /// Reads `route` below the repository.
    pub(super) async fn get<T: DeserializeOwned>(&self, route: &str) -> Result<T, Failure> {
        self.send(Verb::Get, &self.below(route), async || Ok(None)).await
    }

    /// Reads `route` below the API root.
    pub(super) async fn get_root<T: DeserializeOwned>(&self, route: &str) -> Result<T, Failure> {
        self.send(Verb::Get, route, async || Ok(None)).await
    }

    /// Reads all pages of a list, up to 10,000 entries.
    pub(super) async fn list<T: DeserializeOwned>(&self, route: &str) -> Result<Vec<T>, Failure> {
        let mut all = Vec::new();
        let and = if route.contains('?') { '&' } else { '?' };
        for page in 1..=MAX_PAGES {
            let route = format!("{route}{and}per_page={PAGE}&page={page}");
            let entries: Vec<T> = self.get(&route).await?;
            let last = entries.len() < PAGE;
            all.extend(entries);
            if last {
                break;
            }
        }
        Ok(all)
    }

    /// Sets something to a state. The request is idempotent.
    pub(super) async fn patch<T: DeserializeOwned>(
        &self,
        route: &str,
        body: &Value,
    ) -> Result<T, Failure> {
        self.send(Verb::Patch(body), &self.below(route), async || Ok(None)).await
    }

    /// Adds to something. If it is unclear whether the request arrived, `landed` checks and returns
    /// the result if it did.
    pub(super) async fn append<T: DeserializeOwned>(
        &self,
        route: &str,
        body: &Value,
        landed: impl AsyncFn() -> Result<Option<T>, Failure>,
    ) -> Result<T, Failure> {
        self.send(Verb::Patch(body), &self.below(route), landed).await
    }

    /// Creates something. If it is unclear whether the request arrived, `landed` checks and returns
    /// the result if it did.
    pub(super) async fn create<T: DeserializeOwned>(
        &self,
        route: &str,
        body: &Value,
        landed: impl AsyncFn() -> Result<Option<T>, Failure>,
    ) -> Result<T, Failure> {
        self.send(Verb::Post(body), &self.below(route), landed).await
    }

    /// Deletes something.
    pub(super) async fn delete(&self, route: &str) -> Result<(), Failure> {
        let gone = self.send(Verb::Delete, &self.below(route), async || Ok(None)).await;
        gone.map(|_: serde::de::IgnoredAny| ())
    }

    /// Waits before a retry: `round` is 0 for the first pause.
    pub(super) async fn pause(&self, round: u32) {
        tokio::time::sleep(self.patience.pause * 2_u32.pow(round.min(8))).await;
    }

    fn below(&self, route: &str) -> String {
        format!("{}{route}", self.repository)
    }

    async fn send<T: DeserializeOwned>(
        &self,
        verb: Verb<'_>,
        route: &str,
        landed: impl AsyncFn() -> Result<Option<T>, Failure>,
    ) -> Result<T, Failure> {
        let mut broken = 0;
        loop {
            match self.attempt(verb, route).await {
                Ok(answer) => return self.read(&answer),
                Err(Failure::Limited(until)) => self.wait_until(until).await?,
                Err(failure @ Failure::Broken(_)) => {
                    self.pause(broken).await;
                    if let Some(done) = landed().await? {
                        return Ok(done);
                    }
                    broken += 1;
                    if broken > MAX_RETRIES {
                        return Err(failure);
                    }
                }
                Err(failure) => return Err(failure),
            }
        }
    }

    /// Sends a request once and returns the body of the response.
    async fn attempt(&self, verb: Verb<'_>, route: &str) -> Result<String, Failure> {
        if let Some(until) = self.closed.get() {
            return Err(Failure::Limited(until));
        }
        let whole = async {
            let answer = match verb {
                Verb::Get => self.api._get(route).await?,
                Verb::Post(body) => self.api._post(route, Some(body)).await?,
                Verb::Patch(body) => self.api._patch(route, Some(body)).await?,
                Verb::Delete => self.api._delete(route, None::<&()>).await?,
            };
            self.api.body_to_string(octocrab::map_github_error(answer).await?).await
        };
        match tokio::time::timeout(self.patience.request, whole).await {
            Ok(answer) => answer.map_err(|error| self.failure(&error)),
            Err(_) => {
                let seconds = self.patience.request.as_secs_f32();
                Err(Failure::Broken(format!("no response within {seconds} s")))
            }
        }
    }

    fn read<T: DeserializeOwned>(&self, answer: &str) -> Result<T, Failure> {
        // The response to a deletion is empty.
        let answer = if answer.trim().is_empty() { "null" } else { answer };
        let strange = |error: serde_json::Error| {
            Failure::UnexpectedResponse(self.sanitize(&error.to_string()))
        };
        serde_json::from_str(answer).map_err(strange)
    }

    /// Waits until `until` if the remaining patience allows it.
    async fn wait_until(&self, until: u64) -> Result<(), Failure> {
        // At least a second, so that the patience runs out eventually.
        let wait = Duration::from_secs(until.saturating_sub(now()).max(1));
        let Some(left) = self.left.get().checked_sub(wait) else {
            self.closed.set(Some(until));
            return Err(Failure::Limited(until));
        };
        self.left.set(left);
        tokio::time::sleep(wait).await;
        Ok(())
    }

    fn failure(&self, error: &octocrab::Error) -> Failure {
        match error {
            octocrab::Error::GitHub { source, .. } => self.refusal(source),
            octocrab::Error::Uri { .. } | octocrab::Error::UriParse { .. } => {
                Failure::UnexpectedResponse(self.sanitize(&innermost(error)))
            }
            _ => Failure::Broken(self.sanitize(&innermost(error))),
        }
    }

    fn refusal(&self, error: &GitHubError) -> Failure {
        let status = error.status_code.as_u16();
        if let Some(until) = rate_limit_end(error) {
            return Failure::Limited(until);
        }
        let said = self.sanitize(&message(error));
        match status {
            401 => Failure::Token,
            403 if lacks_permission(&said) => Failure::Forbidden(said),
            404 => Failure::Missing(said),
            422 => Failure::Invalid(format!("422: {said}")),
            408 | 500.. => Failure::Broken(format!("{status}: {said}")),
            _ => Failure::Refused(status, said),
        }
    }

    /// A message from GitHub, sanitized for display.
    pub(super) fn sanitize(&self, text: &str) -> String {
        markup::sanitize(text, &self.token)
    }
}

/// Validates the name of an owner or a repository, which becomes part of a URL.
fn name(text: &str) -> Result<&str, Failure> {
    let plain = |byte: u8| byte.is_ascii_alphanumeric() || matches!(byte, b'-' | b'_' | b'.');
    if text.is_empty() || matches!(text, "." | "..") || !text.bytes().all(plain) {
        return Err(Failure::UnexpectedResponse("the repository's name is malformed".into()));
    }
    Ok(text)
}

/// Whether another token, or more permissions, would help: a locked conversation is a 403 too.
fn lacks_permission(said: &str) -> bool {
    said.contains("not accessible by") || said.starts_with("Must have")
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
    let reported = text.contains("rate limit") || text.contains("abuse detection");
    (reported || status == 429).then(|| now() + DEFAULT_RATE_LIMIT_PAUSE)
}

/// GitHub's message and its list of errors.
fn message(error: &GitHubError) -> String {
    let mut text = error.message.clone();
    for (at, entry) in error.errors.iter().flatten().enumerate() {
        text.push_str(if at == 0 { ": " } else { "; " });
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
fn innermost(error: &octocrab::Error) -> String {
    let mut text = error.to_string();
    let mut at = error.source();
    while let Some(cause) = at {
        text = cause.to_string();
        at = cause.source();
    }
    text
}
