//! Saved runs of directives, in a file of the checkout that Git ignores.

use crate::MemoryError;
use crate::journal::Journal;
use crate::project::ProjectMemory;
use crate::store::{json, lock};
use serde_json::{Map, Value};
use std::path::PathBuf;

/// The file, in the directory `.aidd`.
const FILE: &str = ".aidd/data.runs.json";
/// Maximum number of saved runs; the oldest is removed first. Ids begin with a time, so they are in
/// the order of their creation.
const MAX_RUNS: usize = 50;

impl ProjectMemory {
    /// The saved runs by id, oldest first.
    ///
    /// # Errors
    /// When the file cannot be read. A damaged file counts as empty.
    pub fn runs(&self) -> Result<Map<String, Value>, MemoryError> {
        let bytes = Journal::new(self.root()).read(FILE)?.map(|(bytes, _)| bytes);
        Ok(bytes.and_then(|bytes| serde_json::from_slice(&bytes).ok()).unwrap_or_default())
    }

    /// Saves a run; the file is replaced atomically.
    ///
    /// # Errors
    /// When the file cannot be written.
    pub fn save_run(&mut self, id: &str, run: &Value) -> Result<(), MemoryError> {
        let path: PathBuf = self.root().join(FILE);
        lock::make_folder(&self.root().join(".aidd"))?;
        let _lock = lock::take(&path.with_extension("lock"))?;
        let mut runs = self.runs()?;
        runs.insert(id.to_owned(), self.gate.clean(run)?.into_inner());
        let excess = runs.len().saturating_sub(MAX_RUNS);
        let oldest: Vec<String> = runs.keys().take(excess).cloned().collect();
        for id in oldest {
            runs.remove(&id);
        }
        json::replace(&path, serde_json::to_string(&runs)?.as_bytes())
    }
}
