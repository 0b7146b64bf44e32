//! `.aidd/evolution/applied.json`: the changes that follow from recorded sessions. They are read last,
//! and whatever the configuration sets wins.

use crate::project::config::Config;
use crate::text::files::Files;
use serde::{Deserialize, Serialize};
use std::collections::BTreeMap;

/// The path of the file, relative to the root.
pub const OVERLAY_PATH: &str = ".aidd/evolution/applied.json";
/// Maximum size of the file, in bytes.
const MAX_SIZE: u64 = 1 << 20;

/// The changes that are in effect: for each section, keys and values. A map of maps, so that changes
/// of different keys can be merged by lines.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(default)]
pub struct Overlay {
    /// Knowledge entries that are listed first, and the task type in which they helped.
    pub knowledge: BTreeMap<String, String>,
    /// Task type → recommended model.
    pub models: BTreeMap<String, String>,
    /// Task type → preferred role.
    pub routing: BTreeMap<String, String>,
    /// Rule → the severity to which it is raised: one step above its own.
    pub severities: BTreeMap<String, String>,
}

impl Overlay {
    /// Reads the file; `None` if there is none, or it cannot be parsed, for example because it
    /// contains conflict markers.
    #[must_use]
    pub fn read(files: &dyn Files) -> Option<Self> {
        let bytes = files.read(OVERLAY_PATH, MAX_SIZE).ok()?;
        serde_json::from_slice(&bytes).ok()
    }

    /// The section of a name.
    #[must_use]
    pub fn section(&self, name: &str) -> Option<&BTreeMap<String, String>> {
        Some(match name {
            "knowledge" => &self.knowledge,
            "models" => &self.models,
            "routing" => &self.routing,
            "severities" => &self.severities,
            _ => return None,
        })
    }

    /// Sets or removes a value; does nothing if there is no such section.
    pub fn set(&mut self, section: &str, key: &str, value: Option<&str>) {
        let section = match section {
            "knowledge" => &mut self.knowledge,
            "models" => &mut self.models,
            "routing" => &mut self.routing,
            "severities" => &mut self.severities,
            _ => return,
        };
        match value {
            Some(value) => section.insert(key.to_owned(), value.to_owned()),
            None => section.remove(key),
        };
    }

    /// The text of the file, one value per line.
    #[must_use]
    pub fn to_text(&self) -> String {
        let text = serde_json::to_string_pretty(self).unwrap_or_default();
        format!("{text}\n")
    }

    /// Passes the raised rules to the configuration of a run.
    pub(crate) fn apply(files: &dyn Files, config: &mut Config) {
        config.raised = Self::read(files).unwrap_or_default().severities.into_keys().collect();
    }
}
