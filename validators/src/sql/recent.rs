//! The parsed texts of recent checks, for programs that check the same files again and again: after
//! each key press, an editor replays all migrations of a directory.

use super::dialect::Dialect;
use super::file::Parsed;
use std::collections::HashMap;
use std::hash::{DefaultHasher, Hash, Hasher};
use std::sync::{Arc, LazyLock, Mutex, PoisonError};

/// Maximum size of the texts whose statements are stored, in bytes.
const MAX_BYTES: usize = 8 << 20;

#[derive(Default)]
struct Recent {
    parsed: HashMap<(u64, usize, Option<Dialect>), Arc<Parsed>>,
    bytes: usize,
}

static RECENT: LazyLock<Mutex<Recent>> = LazyLock::new(Mutex::default);

/// The statements of `text`.
pub(super) fn parsed(text: &str, dialect: Option<Dialect>) -> Arc<Parsed> {
    let recent = || RECENT.lock().unwrap_or_else(PoisonError::into_inner);
    let mut hasher = DefaultHasher::new();
    text.hash(&mut hasher);
    let key = (hasher.finish(), text.len(), dialect);
    if let Some(parsed) = recent().parsed.get(&key) {
        return parsed.clone();
    }
    let parsed = Arc::new(Parsed::new(text, dialect));
    let mut recent = recent();
    if recent.bytes + text.len() > MAX_BYTES {
        *recent = Recent::default();
    }
    if text.len() <= MAX_BYTES && recent.parsed.insert(key, parsed.clone()).is_none() {
        recent.bytes += text.len();
    }
    parsed
}
