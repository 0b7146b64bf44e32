//! The connections of the server. When all slots are taken, a new connection takes the slot of the
//! one that has waited longest for its client, so that clients that send slowly, or nothing, do not
//! keep others out.

use std::collections::HashMap;
use std::net::IpAddr;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::Duration;
use tokio::sync::Notify;
use tokio::time::Instant;
use tokio_util::sync::CancellationToken;

/// The table of the open connections.
#[derive(Debug)]
pub(super) struct Slots {
    open: Mutex<Open>,
    freed: Notify,
    max: usize,
    grace: Duration,
}

#[derive(Debug, Default)]
struct Open {
    connections: HashMap<u64, Connection>,
    next: u64,
}

#[derive(Debug)]
struct Connection {
    ip: IpAddr,
    /// Since when the server waits for the client; `None` while it handles a request.
    waiting_since: Option<Instant>,
    evicted: CancellationToken,
}

impl Slots {
    /// A table for `max` connections. A connection can be evicted after it has waited for `grace`.
    pub(super) fn new(max: usize, grace: Duration) -> Arc<Self> {
        Arc::new(Self { open: Mutex::default(), freed: Notify::new(), max, grace })
    }

    fn open(&self) -> MutexGuard<'_, Open> {
        self.open.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Takes a slot for a connection of `ip`. When there is none, evicts a waiting connection of the
    /// client with the most waiting connections: the one that has waited longest. Without a waiting
    /// connection, waits for the end of a request.
    pub(super) async fn take(self: &Arc<Self>, ip: IpAddr) -> Slot {
        loop {
            let freed = self.freed.notified();
            let next_try = {
                let mut open = self.open();
                let evictable = if open.connections.len() < self.max {
                    None
                } else {
                    Some(open.longest_waiting())
                };
                match evictable {
                    None => return self.add(&mut open, ip),
                    Some(Some((key, since))) if since.elapsed() >= self.grace => {
                        if let Some(evicted) = open.connections.remove(&key) {
                            evicted.evicted.cancel();
                        }
                        return self.add(&mut open, ip);
                    }
                    Some(Some((_, since))) => since + self.grace,
                    Some(None) => Instant::now() + self.grace,
                }
            };
            tokio::select! {
                () = freed => {}
                () = tokio::time::sleep_until(next_try) => {}
            }
        }
    }

    fn add(self: &Arc<Self>, open: &mut Open, ip: IpAddr) -> Slot {
        let key = open.next;
        open.next += 1;
        let evicted = CancellationToken::new();
        let connection =
            Connection { ip, waiting_since: Some(Instant::now()), evicted: evicted.clone() };
        open.connections.insert(key, connection);
        Slot { slots: self.clone(), key, evicted }
    }
}

impl Open {
    fn longest_waiting(&self) -> Option<(u64, Instant)> {
        let waiting = || {
            let entries = self.connections.iter();
            entries.filter_map(|(key, it)| it.waiting_since.map(|since| (*key, it.ip, since)))
        };
        let mut counts: HashMap<IpAddr, usize> = HashMap::new();
        for (_, ip, _) in waiting() {
            *counts.entry(ip).or_default() += 1;
        }
        let most = counts.values().max().copied()?;
        let candidates = waiting().filter(|(_, ip, _)| counts.get(ip) == Some(&most));
        candidates.map(|(key, _, since)| (key, since)).min_by_key(|(key, since)| (*since, *key))
    }
}

/// The slot of one connection; dropping it frees the slot.
#[derive(Debug)]
pub(super) struct Slot {
    slots: Arc<Slots>,
    key: u64,
    evicted: CancellationToken,
}

impl Slot {
    /// Completes when the connection must close, because another one took its slot.
    pub(super) async fn evicted(&self) {
        self.evicted.cancelled().await;
    }

    /// Marks the connection as handling a request until the guard is dropped.
    pub(super) fn handling(self: &Arc<Self>) -> Handling {
        self.set_waiting_since(None);
        Handling { slot: self.clone() }
    }

    fn set_waiting_since(&self, since: Option<Instant>) {
        if let Some(connection) = self.slots.open().connections.get_mut(&self.key) {
            connection.waiting_since = since;
        }
    }
}

impl Drop for Slot {
    fn drop(&mut self) {
        self.slots.open().connections.remove(&self.key);
        self.slots.freed.notify_one();
    }
}

/// A request that the server handles.
#[derive(Debug)]
pub(super) struct Handling {
    slot: Arc<Slot>,
}

impl Drop for Handling {
    fn drop(&mut self) {
        self.slot.set_waiting_since(Some(Instant::now()));
        self.slot.slots.freed.notify_one();
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use tokio::runtime::Builder;

    const GRACE: Duration = Duration::from_millis(50);

    fn ip(last: u8) -> IpAddr {
        IpAddr::from([127, 0, 0, last])
    }

    fn block_on(test: impl Future<Output = ()>) {
        Builder::new_current_thread().enable_all().build().expect("a runtime").block_on(test);
    }

    #[test]
    fn the_longest_waiting_connection_of_the_busiest_client_is_evicted() {
        block_on(async {
            let slots = Slots::new(3, GRACE);
            let other = slots.take(ip(1)).await;
            let first = slots.take(ip(2)).await;
            let second = slots.take(ip(2)).await;
            let start = Instant::now();
            let _new = slots.take(ip(3)).await;
            assert!(start.elapsed() < GRACE * 10, "{:?}", start.elapsed());
            assert!(first.evicted.is_cancelled());
            assert!(!other.evicted.is_cancelled() && !second.evicted.is_cancelled());
        });
    }

    #[test]
    fn a_connection_that_handles_a_request_keeps_its_slot() {
        block_on(async {
            let slots = Slots::new(1, GRACE);
            let busy = Arc::new(slots.take(ip(1)).await);
            let handling = busy.handling();
            let pending = tokio::time::timeout(GRACE * 4, slots.take(ip(2))).await;
            assert!(pending.is_err() && !busy.evicted.is_cancelled());
            drop(handling);
            let _new = slots.take(ip(2)).await;
            assert!(busy.evicted.is_cancelled());
        });
    }

    #[test]
    fn a_closed_connection_frees_its_slot_at_once() {
        block_on(async {
            // Without the free slot, this would wait for a minute.
            let slots = Slots::new(1, Duration::from_secs(60));
            let first = slots.take(ip(1)).await;
            drop(first);
            let second = tokio::time::timeout(GRACE, slots.take(ip(1))).await;
            assert!(second.is_ok());
        });
    }
}
