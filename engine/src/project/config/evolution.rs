//! Settings of what is recorded of sessions, and of the changes that follow from it.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

/// What is recorded of sessions, and which changes follow from it.
#[derive(Clone, Debug, Default, PartialEq, Deserialize, Serialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct EvolutionConfig {
    /// Whether changes are proposed (default true). Changes that are already applied remain; `aidd
    /// evolve revert --all` takes them back.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub enabled: Option<bool>,
    /// Whether figures of sessions are recorded in the local store (default true).
    #[serde(skip_serializing_if = "Option::is_none")]
    pub record: Option<bool>,
    /// The confidence above which a change is applied without asking, such as 0.9; `never` (the
    /// default) drafts changes only.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub auto_apply: Option<AutoApply>,
    /// Minimum number of sessions for a change that is applied without asking (default 10).
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schemars(range(min = 5, max = 1000))]
    pub auto_apply_sessions: Option<u32>,
    /// Minimum confidence of a draft (default 0.7).
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schemars(range(min = 0.5, max = 1.0))]
    pub draft: Option<f64>,
    /// Minimum number of sessions for a draft (default 5).
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schemars(range(min = 3, max = 1000))]
    pub draft_sessions: Option<u32>,
    /// Number of sessions that are recorded before anything is proposed (default 5).
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schemars(range(max = 1000))]
    pub learning_period: Option<u32>,
    /// The kinds of changes that are proposed (default: all).
    #[serde(skip_serializing_if = "Option::is_none")]
    pub types: Option<Vec<ChangeKind>>,
}

/// When a change is applied without asking.
#[derive(Clone, Copy, Debug, PartialEq, Deserialize, Serialize, JsonSchema)]
#[serde(untagged)]
pub enum AutoApply {
    /// `never`: changes are drafted.
    Never(Never),
    /// Changes above this confidence are applied.
    Above(#[schemars(range(min = 0.8, max = 1.0))] f64),
}

/// The word `never`: nothing is applied without asking.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Deserialize, Serialize, JsonSchema)]
#[serde(rename_all = "lowercase")]
#[schemars(inline)]
pub enum Never {
    /// Changes are drafted for a person.
    Never,
}

/// The kinds of changes that follow from recorded sessions.
#[derive(
    Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Deserialize, Serialize, JsonSchema,
)]
#[serde(rename_all = "snake_case")]
pub enum ChangeKind {
    /// A role is preferred for a task type.
    RoutingWeight,
    /// A skill is added to the skills of a role.
    SkillCombo,
    /// The severity of a rule is raised or relaxed.
    RuleSeverity,
    /// Tools that are always used together become a workflow.
    CompoundWorkflow,
    /// A knowledge entry is preferred.
    KnowledgePromotion,
    /// A repeated mistake becomes a rule, a confirmed observation a permanent memory.
    NewConvention,
    /// A model is recommended for a task type.
    ModelRecommendation,
}

impl ChangeKind {
    /// All kinds, in the order of the documentation.
    pub const ALL: [Self; 7] = [
        Self::RoutingWeight,
        Self::SkillCombo,
        Self::RuleSeverity,
        Self::CompoundWorkflow,
        Self::KnowledgePromotion,
        Self::NewConvention,
        Self::ModelRecommendation,
    ];

    /// The name in files.
    #[must_use]
    pub fn name(self) -> &'static str {
        match self {
            Self::RoutingWeight => "routing_weight",
            Self::SkillCombo => "skill_combo",
            Self::RuleSeverity => "rule_severity",
            Self::CompoundWorkflow => "compound_workflow",
            Self::KnowledgePromotion => "knowledge_promotion",
            Self::NewConvention => "new_convention",
            Self::ModelRecommendation => "model_recommendation",
        }
    }
}

impl EvolutionConfig {
    /// Whether figures of sessions are recorded.
    #[must_use]
    pub fn records(&self) -> bool {
        self.record.unwrap_or(true)
    }

    /// Whether changes are proposed.
    #[must_use]
    pub fn is_enabled(&self) -> bool {
        self.enabled.unwrap_or(true)
    }

    /// The confidence above which a change is applied without asking; `None` if never.
    #[must_use]
    pub fn applies_above(&self) -> Option<f64> {
        match self.auto_apply? {
            AutoApply::Never(_) => None,
            AutoApply::Above(confidence) => Some(confidence),
        }
    }

    /// Minimum number of sessions for a change that is applied without asking.
    #[must_use]
    pub fn apply_sessions(&self) -> u32 {
        self.auto_apply_sessions.unwrap_or(10)
    }

    /// Minimum confidence of a draft.
    #[must_use]
    pub fn drafts_from(&self) -> f64 {
        self.draft.unwrap_or(0.7)
    }

    /// Minimum number of sessions for a draft.
    #[must_use]
    pub fn sessions_for_draft(&self) -> u32 {
        self.draft_sessions.unwrap_or(5)
    }

    /// Number of sessions that are recorded before anything is proposed.
    #[must_use]
    pub fn learning_sessions(&self) -> u32 {
        self.learning_period.unwrap_or(5)
    }

    /// Whether changes of this kind are proposed.
    #[must_use]
    pub fn proposes(&self, kind: ChangeKind) -> bool {
        self.types.as_ref().is_none_or(|types| types.contains(&kind))
    }
}
