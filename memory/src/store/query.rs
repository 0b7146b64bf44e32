//! Which memories a reader asks the store for.

use crate::types::{Entry, Kind, Layer, Status};
use crate::words::topic_key;

/// The layers that a reader sees. What a session or a branch noted is no knowledge of the project:
/// whoever presents something as that reads [`Layers::PERMANENT`] alone.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Layers(u8);

impl Layers {
    /// The tracked files: what the project decided, learned and agreed on.
    pub const PERMANENT: Self = Self::of(Layer::Permanent);
    /// What was saved in this checkout only.
    pub const LOCAL: Self = Self::of(Layer::Local);
    /// What sessions observed.
    pub const SESSION: Self = Self::of(Layer::Session);
    /// What was saved, for the project or in this checkout.
    pub const SAVED: Self = Self::PERMANENT.and(Self::LOCAL);
    /// Everything, for readers that say of each memory which layer it is of.
    pub const ALL: Self = Self::SAVED.and(Self::SESSION);

    const fn of(layer: Layer) -> Self {
        Self(1 << layer as u8)
    }

    /// These layers and others.
    #[must_use]
    pub const fn and(self, other: Self) -> Self {
        Self(self.0 | other.0)
    }

    /// Whether `layer` is among them.
    #[must_use]
    pub const fn contains(self, layer: Layer) -> bool {
        self.0 & Self::of(layer).0 != 0
    }

    /// The words of the layers; empty for all of them, which need no condition.
    pub(super) fn narrowed(self) -> Vec<&'static str> {
        if self == Self::ALL {
            return Vec::new();
        }
        let own = Layer::ALL.iter().filter(|layer| self.contains(**layer));
        own.map(|layer| layer.word()).collect()
    }
}

/// In which order memories are given.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Order {
    /// The last changed first.
    #[default]
    Newest,
    /// The last made first.
    LastMade,
    /// The first made first.
    Oldest,
    /// As they came into the store or changed in it: for whoever keeps an index of them.
    Change,
}

/// Which memories are asked for. What is empty or `None` does not choose, except for the layers: every
/// reader names them, so there is no default.
#[derive(Clone, Debug)]
pub struct Query {
    /// The layers that the reader sees.
    pub layers: Layers,
    /// Types.
    pub kinds: Vec<Kind>,
    /// Statuses. Empty: all but removed.
    pub statuses: Vec<Status>,
    /// On this topic, as [`topic_key`] sees it.
    pub topic: Option<String>,
    /// Of this session.
    pub session_id: Option<String>,
    /// Of this branch.
    pub branch: Option<String>,
    /// Made at this time or later.
    pub since: Option<i64>,
    /// Made before this time.
    pub until: Option<i64>,
    /// Changed in the store after this mark: see [`StorageBackend::mark`](super::StorageBackend::mark).
    pub after: Option<i64>,
    /// The order.
    pub order: Order,
    /// At most so many.
    pub limit: Option<usize>,
}

impl Query {
    /// All of these layers that were not removed.
    #[must_use]
    pub fn new(layers: Layers) -> Self {
        Self {
            layers,
            kinds: Vec::new(),
            statuses: Vec::new(),
            topic: None,
            session_id: None,
            branch: None,
            since: None,
            until: None,
            after: None,
            order: Order::default(),
            limit: None,
        }
    }

    /// All of one type in these layers that hold.
    #[must_use]
    pub fn active(layers: Layers, kind: Kind) -> Self {
        Self { kinds: vec![kind], statuses: vec![Status::Active], ..Self::new(layers) }
    }

    pub(super) fn statuses(&self) -> &[Status] {
        if self.statuses.is_empty() {
            &[Status::Active, Status::Superseded]
        } else {
            &self.statuses
        }
    }

    /// Whether `entry` is asked for, but for `after` and `limit`.
    pub(super) fn asks_for(&self, entry: &Entry) -> bool {
        let among = |chosen: bool, is_empty: bool| is_empty || chosen;
        self.layers.contains(entry.layer)
            && among(self.kinds.contains(&entry.kind), self.kinds.is_empty())
            && self.statuses().contains(&entry.status)
            && self.topic.as_ref().is_none_or(|topic| {
                entry.topic.as_deref().is_some_and(|own| topic_key(own) == topic_key(topic))
            })
            && self.session_id.as_ref().is_none_or(|id| entry.session_id.as_ref() == Some(id))
            && self.branch.as_ref().is_none_or(|branch| entry.branch.as_ref() == Some(branch))
            && self.since.is_none_or(|since| entry.created_at >= since)
            && self.until.is_none_or(|until| entry.created_at < until)
    }
}
