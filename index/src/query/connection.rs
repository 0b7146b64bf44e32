//! Connections that stay open between the questions of a session: opening a connection parses the
//! schema, and prepares every statement again.

use crate::{IndexError, store};
use rusqlite::Connection;
use std::ops::Deref;
use std::path::Path;
use std::sync::{Arc, Mutex, PoisonError};

/// The place for the open connection of a session.
#[derive(Clone, Debug, Default)]
pub(crate) struct Idle(Arc<Mutex<Option<(store::FileId, Connection)>>>);

/// A connection that returns to its place when it is dropped.
#[derive(Debug)]
pub(super) struct Held {
    connection: Option<Connection>,
    /// The place, and the file that the connection reads; `None` if the file is not known.
    place: Option<(store::FileId, Idle)>,
}

impl Held {
    /// Takes the connection from `place` if it reads the present database of `root`; otherwise, opens
    /// the database.
    pub(super) fn open(root: &Path, place: &Idle) -> Result<Self, IndexError> {
        let file = store::file_id(root);
        let idle = place.0.lock().unwrap_or_else(PoisonError::into_inner).take();
        let connection = match idle {
            Some((known, connection)) if Some(known) == file => connection,
            _ => {
                let connection = store::open_read_only(root)?;
                connection.set_prepared_statement_cache_capacity(64);
                connection
            }
        };
        // Another process can have replaced the file in the meantime.
        let file = file.filter(|file| store::file_id(root) == Some(*file));
        Ok(Self { connection: Some(connection), place: file.map(|file| (file, place.clone())) })
    }
}

impl Deref for Held {
    type Target = Connection;

    fn deref(&self) -> &Connection {
        self.connection.as_ref().expect("present until it is dropped")
    }
}

impl Drop for Held {
    fn drop(&mut self) {
        if let (Some((file, place)), Some(connection)) = (self.place.take(), self.connection.take())
        {
            *place.0.lock().unwrap_or_else(PoisonError::into_inner) = Some((file, connection));
        }
    }
}
