//! Settings of the memory packs.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

/// The memory packs of a ticket, and whether phases require them.
#[derive(Clone, Debug, Default, PartialEq, Deserialize, Serialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct MemoryConfig {
    /// When packs are built, and whether Git tracks them.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub packs: Option<PacksConfig>,
    /// The effect of the quality gate `memory_recorded` in PLAN, VERIFY and SHIP: `off` (the
    /// default), `soft` (reported), `hard` (the phase cannot be completed without packs or a waiver).
    #[serde(skip_serializing_if = "Option::is_none")]
    pub gate: Option<GateMode>,
    /// Whether the gate also requires that a pack was read in VERIFY and SHIP (default false).
    #[serde(skip_serializing_if = "Option::is_none")]
    pub require_served: Option<bool>,
    /// Limits of a pack, if they are to be lower than those of the format.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub limits: Option<MemoryLimits>,
    /// The order in which an agent reads at the start of work (default: `rlm`, `semantic`,
    /// `decisions`, `loop`, `context`, `slices`).
    #[serde(skip_serializing_if = "Option::is_none")]
    pub read_order: Option<Vec<ReadEntry>>,
}

impl MemoryConfig {
    /// The order in which an agent reads; each entry once.
    #[must_use]
    pub fn read_chain(&self) -> Vec<ReadEntry> {
        let mut chain: Vec<ReadEntry> = Vec::new();
        for entry in self.read_order.as_deref().unwrap_or(&ReadEntry::ALL) {
            if !chain.contains(entry) {
                chain.push(*entry);
            }
        }
        chain
    }

    /// Whether packs are built and updated; `None` if only existing packs are updated.
    #[must_use]
    pub fn builds_packs(&self) -> Option<bool> {
        self.packs.as_ref()?.enabled
    }

    /// Whether Git tracks the packs.
    #[must_use]
    pub fn tracks_packs(&self) -> bool {
        self.packs.as_ref().and_then(|packs| packs.tracked).unwrap_or_default()
    }
}

/// When packs are built, and whether Git tracks them.
#[derive(Clone, Debug, Default, PartialEq, Deserialize, Serialize, JsonSchema)]
pub struct PacksConfig {
    /// Whether the packs of the current ticket are built at session start and before gates. By
    /// default, existing packs are updated and none are created.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub enabled: Option<bool>,
    /// Whether Git tracks the packs (default false).
    #[serde(skip_serializing_if = "Option::is_none")]
    pub tracked: Option<bool>,
}

/// The effect of the quality gate `memory_recorded`.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Deserialize, Serialize, JsonSchema)]
#[serde(rename_all = "lowercase")]
pub enum GateMode {
    /// The gate is not checked.
    #[default]
    Off,
    /// The gate is reported and does not block.
    Soft,
    /// The gate blocks.
    Hard,
}

/// Limits of a pack.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Deserialize, Serialize, JsonSchema)]
pub struct MemoryLimits {
    /// Maximum number of characters of a pack (default 8000).
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schemars(range(min = 2000, max = 8000))]
    pub chars: Option<usize>,
    /// Maximum number of lines of a pack (default 180).
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schemars(range(min = 40, max = 180))]
    pub lines: Option<usize>,
    /// Maximum number of rows of a section (default 15).
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schemars(range(min = 1, max = 15))]
    pub rows: Option<usize>,
}

/// What an agent reads at the start of work.
#[derive(
    Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Deserialize, Serialize, JsonSchema,
)]
#[serde(rename_all = "lowercase")]
pub enum ReadEntry {
    /// The research pack.
    Rlm,
    /// The semantic pack.
    Semantic,
    /// The decision pack.
    Decisions,
    /// The phase of the lifecycle.
    Loop,
    /// The state of the branch.
    Context,
    /// Slices for single questions.
    Slices,
}

impl ReadEntry {
    /// All entries, in their default order.
    pub const ALL: [Self; 6] =
        [Self::Rlm, Self::Semantic, Self::Decisions, Self::Loop, Self::Context, Self::Slices];
}
