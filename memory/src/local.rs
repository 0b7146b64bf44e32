//! Memories that stay in the checkout: observations of sessions, and memories saved for this
//! checkout only.

use super::MemoryError;
use super::kinds::{self, Checkpoint, Insight, Observation};
use super::project::ProjectMemory;
use super::store::{Durability, Layers, Order, Query};
use super::types::{Entry, Kind, Layer, SCHEMA_VERSION, Status};
use serde_json::{Map, Value};

/// A memory that is to be saved in this checkout only.
#[derive(Clone, Debug)]
struct LocalMemory {
    kind: Kind,
    layer: Layer,
    content: String,
    topic: Option<String>,
    metadata: Map<String, Value>,
    session_id: Option<String>,
    branch: Option<String>,
}

impl ProjectMemory {
    /// Saves a session's observation; returns its id.
    ///
    /// # Errors
    /// When the session does not exist, the title is empty, or memories of this type cannot be
    /// observations.
    pub fn observe(
        &mut self,
        session_id: &str,
        kind: Kind,
        title: &str,
        body: &Observation,
    ) -> Result<String, MemoryError> {
        if !kind.is_observable() && kind != Kind::Context {
            return Err(MemoryError::Invalid(format!(
                "{} cannot be recorded as an observation of a session",
                kind.with_article()
            )));
        }
        let session = self.session(session_id)?;
        self.save(LocalMemory {
            kind,
            layer: Layer::Session,
            content: title.to_owned(),
            topic: None,
            metadata: kinds::metadata(body)?,
            session_id: Some(session_id.to_owned()),
            branch: Some(session.branch),
        })
    }

    /// Saves a checkpoint of the work; returns its id.
    ///
    /// # Errors
    /// When the summary is empty.
    pub fn save_checkpoint(
        &mut self,
        summary: &str,
        body: &Checkpoint,
        session_id: Option<&str>,
        branch: Option<&str>,
    ) -> Result<String, MemoryError> {
        self.save(LocalMemory {
            kind: Kind::Checkpoint,
            layer: Layer::Local,
            content: summary.to_owned(),
            topic: None,
            metadata: kinds::metadata(body)?,
            session_id: session_id.map(str::to_owned),
            branch: branch.map(str::to_owned),
        })
    }

    /// The last checkpoint, optionally of one branch.
    ///
    /// # Errors
    /// When the store cannot be read.
    pub fn last_checkpoint(&mut self, branch: Option<&str>) -> Result<Option<Entry>, MemoryError> {
        let query = Query {
            branch: branch.map(str::to_owned),
            order: Order::Newest,
            limit: Some(1),
            ..Query::active(Layers::LOCAL, Kind::Checkpoint)
        };
        Ok(self.read(&mut |store| store.entries(&query))?.pop())
    }

    /// Saves an insight; returns its id.
    ///
    /// # Errors
    /// When the content is empty.
    pub fn save_insight(
        &mut self,
        content: &str,
        topic: Option<&str>,
        body: &Insight,
        session_id: Option<&str>,
    ) -> Result<String, MemoryError> {
        let metadata = kinds::metadata(body)?;
        kinds::check_questions(&metadata)?;
        self.save(LocalMemory {
            kind: Kind::Insight,
            layer: Layer::Local,
            content: content.to_owned(),
            topic: topic.map(str::to_owned),
            metadata,
            session_id: session_id.map(str::to_owned),
            branch: None,
        })
    }

    /// Saves a memory of this checkout with the given metadata; returns its id.
    ///
    /// # Errors
    /// When the content is empty.
    pub fn save_local(
        &mut self,
        kind: Kind,
        content: &str,
        metadata: Map<String, Value>,
    ) -> Result<String, MemoryError> {
        self.save(LocalMemory {
            kind,
            layer: Layer::Local,
            content: content.to_owned(),
            topic: None,
            metadata,
            session_id: None,
            branch: None,
        })
    }

    fn save(&mut self, local: LocalMemory) -> Result<String, MemoryError> {
        if local.content.trim().is_empty() {
            let kind = local.kind.with_article();
            return Err(MemoryError::Invalid(format!("{kind} cannot be empty")));
        }
        let at = self.now();
        let entry = Entry {
            id: self.new_id(local.kind.word(), at, &local.content),
            kind: local.kind,
            layer: local.layer,
            topic: local.topic,
            content: local.content,
            metadata: local.metadata,
            status: Status::Active,
            session_id: local.session_id,
            branch: local.branch,
            created_at: at,
            updated_at: at,
            schema_version: SCHEMA_VERSION,
            heads: Vec::new(),
            extra: Map::new(),
        };
        let durability =
            if local.layer == Layer::Session { Durability::Normal } else { Durability::Full };
        self.write(durability, &mut |store, gate| store.put_entry(&gate.clean(&entry)?))?;
        Ok(entry.id)
    }

    /// The memories with these ids, in the same order.
    ///
    /// # Errors
    /// When an id is unknown; the error names the first one.
    pub fn get(&mut self, ids: &[String]) -> Result<Vec<Entry>, MemoryError> {
        self.read(&mut |store| {
            ids.iter()
                .map(|id| {
                    let unknown = || MemoryError::Unknown { item: "memory", id: id.clone() };
                    store.entry(id)?.ok_or_else(unknown)
                })
                .collect()
        })
    }
}
