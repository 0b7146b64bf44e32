//! Queries for memories in the store.

use crate::types::{Entry, Kind, Layer, Status};
use crate::words::topic_key;

/// A set of layers. Observations of sessions and branches are not project knowledge: readers that
/// present memories as project knowledge use only [`Layers::PERMANENT`].
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Layers(u8);

impl Layers {
    /// Permanent memories in the tracked files: decisions, mistakes and conventions of the project.
    pub const PERMANENT: Self = Self::from_layer(Layer::Permanent);
    /// Memories saved in this checkout only.
    pub const LOCAL: Self = Self::from_layer(Layer::Local);
    /// Observations of sessions.
    pub const SESSION: Self = Self::from_layer(Layer::Session);
    /// Memories that were saved, for the project or in this checkout.
    pub const SAVED: Self = Self::PERMANENT.union(Self::LOCAL);
    /// All layers, for readers that state the layer of each memory.
    pub const ALL: Self = Self::SAVED.union(Self::SESSION);

    const fn from_layer(layer: Layer) -> Self {
        Self(1 << layer as u8)
    }

    /// The union of both sets.
    #[must_use]
    pub const fn union(self, other: Self) -> Self {
        Self(self.0 | other.0)
    }

    /// Whether the set contains `layer`.
    #[must_use]
    pub const fn contains(self, layer: Layer) -> bool {
        self.0 & Self::from_layer(layer).0 != 0
    }

    /// The words of the layers for a query condition; empty for all layers, which need no
    /// condition.
    pub(super) fn filter_words(self) -> Vec<&'static str> {
        if self == Self::ALL {
            return Vec::new();
        }
        let layers = Layer::ALL.iter().filter(|layer| self.contains(**layer));
        layers.map(|layer| layer.word()).collect()
    }
}

/// Order of the results.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Order {
    /// Last changed first.
    #[default]
    Newest,
    /// Last created first.
    LastCreated,
    /// First created first.
    Oldest,
    /// By the last change in the store, for incremental indexes.
    Change,
}

/// A query for memories. Empty and `None` fields do not filter. The layers have no default: every
/// caller must choose them.
#[derive(Clone, Debug)]
pub struct Query {
    /// Layers to read.
    pub layers: Layers,
    /// Types to include.
    pub kinds: Vec<Kind>,
    /// Statuses to include. If empty, all memories except removed memories are included.
    pub statuses: Vec<Status>,
    /// Topic, compared by [`topic_key`].
    pub topic: Option<String>,
    /// Session in which the memories were recorded.
    pub session_id: Option<String>,
    /// Branch on which the memories were recorded.
    pub branch: Option<String>,
    /// Created at this time or later, in milliseconds since 1970.
    pub since: Option<i64>,
    /// Created before this time, in milliseconds since 1970.
    pub until: Option<i64>,
    /// Changed in the store after this change number: see
    /// [`change_number`](super::StorageBackend::change_number).
    pub after: Option<i64>,
    /// Order of the results.
    pub order: Order,
    /// Maximum number of results.
    pub limit: Option<usize>,
}

impl Query {
    /// All memories of these layers that were not removed.
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

    /// All active memories of one type in these layers.
    #[must_use]
    pub fn active(layers: Layers, kind: Kind) -> Self {
        Self { kinds: vec![kind], statuses: vec![Status::Active], ..Self::new(layers) }
    }

    pub(super) fn statuses(&self) -> &[Status] {
        if self.statuses.is_empty() {
            &[Status::Active, Status::Rejected, Status::Superseded]
        } else {
            &self.statuses
        }
    }

    /// Whether `entry` matches, ignoring `after` and `limit`.
    pub(super) fn matches(&self, entry: &Entry) -> bool {
        let is_selected = |contained: bool, is_empty: bool| is_empty || contained;
        self.layers.contains(entry.layer)
            && is_selected(self.kinds.contains(&entry.kind), self.kinds.is_empty())
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
