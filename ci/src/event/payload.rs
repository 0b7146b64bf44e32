//! The event as sent by the server: JSON, accessed by paths such as `pull_request.base.sha`.

use super::{Env, hash};
use aidd_report::exit::UserError;
use serde_json::Value;

/// GitHub's documented limit for webhook payloads is 25 MB; a larger file is not an event.
const MAX_SIZE: usize = 25 << 20;

/// An event's payload and the file it was read from.
pub(super) struct Payload {
    value: Value,
    file: String,
}

impl Payload {
    /// Parses `bytes`; without bytes, the payload is `null`.
    pub(super) fn read(env: &Env<'_>, bytes: Option<&[u8]>) -> Result<Self, UserError> {
        let file = env.get("GITHUB_EVENT_PATH").unwrap_or_else(|| "GITHUB_EVENT_PATH".to_owned());
        let Some(bytes) = bytes else { return Ok(Self { value: Value::Null, file }) };
        if bytes.len() > MAX_SIZE {
            let size = bytes.len();
            let message = format!("{file}: the event has {size} bytes; the maximum is {MAX_SIZE}");
            return Err(UserError::new(message));
        }
        match serde_json::from_slice(bytes) {
            Ok(value @ Value::Object(_)) => Ok(Self { value, file }),
            Ok(_) => Err(UserError::new(format!("{file}: the event is not a JSON object"))),
            Err(error) => Err(UserError::new(format!("{file}: the event is not JSON: {error}"))),
        }
    }

    /// Fails unless there is a payload, for events that cannot be read without one.
    pub(super) fn require(&self, event: &str) -> Result<(), UserError> {
        if !self.value.is_null() {
            return Ok(());
        }
        Err(UserError::new(format!("{}: the event {event} cannot be read", self.file)).hint(
            "GITHUB_EVENT_PATH must name the file that the runner wrote; if the job runs in a \
             container, mount this file",
        ))
    }

    /// The value at a path; `None` if the server sent `null`.
    pub(super) fn value_at(&self, path: &str) -> Option<&Value> {
        path.split('.')
            .try_fold(&self.value, |value, key| value.get(key))
            .filter(|value| !value.is_null())
    }

    pub(super) fn text(&self, path: &str) -> Option<&str> {
        self.value_at(path)?.as_str().filter(|text| !text.is_empty())
    }

    pub(super) fn is_true(&self, path: &str) -> bool {
        self.value_at(path).and_then(Value::as_bool).unwrap_or(false)
    }

    pub(super) fn need_text(&self, path: &str) -> Result<String, UserError> {
        self.text(path).map(str::to_owned).ok_or_else(|| self.missing(path))
    }

    pub(super) fn need_number(&self, path: &str) -> Result<u64, UserError> {
        self.value_at(path).and_then(Value::as_u64).ok_or_else(|| self.missing(path))
    }

    /// A commit hash; `None` if the field is absent or consists of zeros.
    pub(super) fn hash(&self, path: &str) -> Result<Option<String>, UserError> {
        let Some(value) = self.text(path) else { return Ok(None) };
        hash(value.to_owned(), &format!("{}: `{path}`", self.file))
    }

    pub(super) fn need_hash(&self, path: &str) -> Result<String, UserError> {
        self.hash(path)?.ok_or_else(|| self.missing(path))
    }

    fn missing(&self, path: &str) -> UserError {
        UserError::new(format!("{}: the event has no `{path}`", self.file))
    }
}
