//! Notes the calls of clients for the statistics of sessions: names, counts and times, never
//! arguments or answers. Events are buffered and stored in batches, so that no call waits for the
//! store; if the process is killed, the events of the last [`FLUSH_AFTER`] are lost.

mod facts;

use crate::context::Context;
use crate::tool::ToolError;
use crate::tools::memory::render::current_branch;
use aidd_memory::MemoryError;
use aidd_memory::project::ProjectMemory;
use aidd_memory::records::SessionState;
use aidd_memory::store::{json, sqlite};
use aidd_memory::times::millis;
use aidd_memory::usage::Name;
use aidd_memory::usage::event::{Call, Event, PageUse, TimedEvent};
pub(crate) use facts::Facts;
use std::collections::{BTreeMap, VecDeque};
use std::sync::{Mutex, MutexGuard, PoisonError};
use std::time::Duration;

/// An event, with the session that the call named.
type Noted = (Option<String>, TimedEvent);

/// How long an event waits for others at most.
pub(crate) const FLUSH_AFTER: Duration = Duration::from_secs(10);
/// Number of events that are stored at once.
const MAX_BUFFERED: usize = 64;
/// Number of memories for which the call that returned them is known.
const MAX_RETURNED: usize = 200;

/// When a buffer is due to be stored.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Due {
    /// A flush is already planned.
    Planned,
    /// The events are older than [`FLUSH_AFTER`].
    Later,
    /// The buffer is full.
    Now,
}

/// What was noted of all clients.
#[derive(Debug, Default)]
pub(crate) struct Recorder {
    clients: Mutex<BTreeMap<String, Client>>,
}

/// What was noted of one client.
#[derive(Debug, Default)]
struct Client {
    events: Vec<Noted>,
    /// The session that the client started with a tool.
    session: Option<String>,
    /// The session to which events were last attributed otherwise.
    fallback: Option<String>,
    /// The calls that returned memories: memory, tool, time.
    returned: VecDeque<(Name, Name, i64)>,
    has_folded: bool,
}

impl Client {
    fn add(&mut self, at: i64, event: Event) {
        self.events.push((self.session.clone(), TimedEvent { at, event }));
    }

    /// Notes that memories are named in the arguments of a call.
    fn add_cited(&mut self, at: i64, cited: Vec<Name>) {
        for memory in cited {
            let source = self.returned.iter().position(|(returned, ..)| *returned == memory);
            if let Some((_, tool, called_at)) = source.and_then(|at| self.returned.remove(at)) {
                self.add(at, Event::Used(tool, called_at));
            }
            self.add(at, Event::Memory(memory));
        }
    }

    fn due(&self, before: usize) -> Due {
        match (before, self.events.len()) {
            (before, now) if before < MAX_BUFFERED && now >= MAX_BUFFERED => Due::Now,
            (0, 1..) => Due::Later,
            _ => Due::Planned,
        }
    }
}

impl Recorder {
    fn lock(&self) -> MutexGuard<'_, BTreeMap<String, Client>> {
        self.clients.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Notes a call of a tool at `at`, in milliseconds since 1970.
    pub(crate) fn note_call(&self, client: &str, at: i64, call: Call, facts: Facts) -> Due {
        let mut clients = self.lock();
        let client = clients.entry(client.to_owned()).or_default();
        let before = client.events.len();
        if facts.session.is_some() {
            client.session = facts.session;
        }
        let tool = call.tool.clone();
        client.add(at, Event::Call(call));
        client.add_cited(at, facts.cited);
        for memory in facts.returned {
            client.returned.push_back((memory, tool.clone(), at));
        }
        let surplus = client.returned.len().saturating_sub(MAX_RETURNED);
        client.returned.drain(..surplus);
        for (kind, name) in facts.pages {
            client.add(at, Event::Served(kind, name));
        }
        if let Some((domain, nature)) = facts.task {
            client.add(at, Event::Task(domain, nature));
        }
        client.due(before)
    }

    /// Notes that a resource was read or a prompt rendered.
    pub(crate) fn note_page(
        &self,
        client: &str,
        at: i64,
        call: Call,
        page: Option<(PageUse, Name)>,
    ) -> Due {
        let facts = Facts { pages: page.into_iter().collect(), ..Facts::default() };
        self.note_call(client, at, call, facts)
    }

    /// Stores the noted events, if the project has a memory and records statistics.
    pub(crate) fn flush(&self, context: &Context) {
        for (client, noted) in self.take() {
            if is_enabled(context) {
                // Statistics must not fail a call; the memory reports its own faults.
                let _ = self.store(context, &client, noted);
            }
        }
    }

    fn take(&self) -> Vec<(String, Vec<Noted>)> {
        let mut clients = self.lock();
        let taken = clients.iter_mut().map(|(name, client)| {
            let events = std::mem::take(&mut client.events);
            (name.clone(), events)
        });
        taken.filter(|(_, events)| !events.is_empty()).collect()
    }

    fn store(&self, context: &Context, client: &str, noted: Vec<Noted>) -> Result<(), ToolError> {
        // Without a branch, the hooks use Git's default name.
        let branch = current_branch(context).unwrap_or_else(|| "main".to_owned());
        let (known, has_folded) = {
            let mut clients = self.lock();
            let state = clients.entry(client.to_owned()).or_default();
            (state.fallback.clone(), std::mem::replace(&mut state.has_folded, true))
        };
        let mut by_session: BTreeMap<Option<String>, Vec<TimedEvent>> = BTreeMap::new();
        for (session, event) in noted {
            by_session.entry(session).or_default().push(event);
        }
        let fallback = context.memory(|memory| -> Result<_, MemoryError> {
            let mut fallback = known;
            for (session, events) in by_session {
                let session = match session {
                    Some(session) => session,
                    None => {
                        let first = events.iter().map(|event| event.at).min().unwrap_or_default();
                        let found = find_session(memory, &branch, client, (fallback, first))?;
                        fallback = Some(found.clone());
                        found
                    }
                };
                memory.note_events(&session, &events)?;
            }
            if !has_folded {
                memory.fold_usage()?;
            }
            Ok(fallback)
        })?;
        self.lock().entry(client.to_owned()).or_default().fallback = fallback;
        Ok(())
    }
}

/// The session that the client's hooks opened, otherwise the last one that was found, unless it ended
/// before `first`; otherwise a new id.
fn find_session(
    memory: &mut ProjectMemory,
    branch: &str,
    client: &str,
    (known, first): (Option<String>, i64),
) -> Result<String, MemoryError> {
    if let Some(open) = memory.open_hook_session(branch, client)? {
        return Ok(open.id);
    }
    let has_ended = |state: SessionState| {
        state.ended_at.as_ref().and_then(millis).is_some_and(|ended| ended < first)
    };
    match known {
        Some(known) if !memory.session(&known).is_ok_and(has_ended) => Ok(known),
        _ => Ok(memory.usage_id()),
    }
}

/// Whether the project has a store, and records statistics.
fn is_enabled(context: &Context) -> bool {
    let folder = context.root().join(".aidd");
    (sqlite::exists(&folder) || json::exists(&folder))
        && context.project().is_ok_and(|project| project.config.records_usage())
}
