//! Tool and argument names of the memory server MAMA, which the instructions of existing agents can
//! contain.

use crate::older::Mapping::Ignored;
use crate::older::OlderName;

/// Reasons why arguments have no effect.
const FORMAT: &str = "every result contains text and data";
const SCOPES: &str = "the memory has only one scope, the project";
const RANKED: &str = "the best matches come first";
const NO_REGISTRY: &str = "items and people are not stored";
const LINKED: &str = "load_context returns a memory with its links";

pub(super) const SAVE_DECISION: &[OlderName] = &[OlderName {
    arguments: &[
        ("type", Ignored("the author is not stored")),
        ("scopes", Ignored(SCOPES)),
        ("event_date", Ignored("a decision is dated when it is saved")),
        ("item", Ignored(NO_REGISTRY)),
        ("actors", Ignored(NO_REGISTRY)),
    ],
    ..OlderName::new("save_decision")
}];

pub(super) const SAVE_CHECKPOINT: &[OlderName] = &[OlderName {
    arguments: &[(
        "recent_conversation",
        Ignored("conversations are not stored; put the important points into `summary`"),
    )],
    ..OlderName::new("save_checkpoint")
}];

pub(super) const LOAD_CHECKPOINT: &[OlderName] = &[OlderName {
    arguments: &[
        ("session_id", Ignored("the last checkpoint is loaded")),
        ("include", Ignored(LINKED)),
        ("include_narrative", Ignored(LINKED)),
        ("include_links", Ignored(LINKED)),
        ("depth", Ignored(LINKED)),
        ("link_depth", Ignored(LINKED)),
    ],
    ..OlderName::new("load_checkpoint")
}];

pub(super) const UPDATE_OUTCOME: &[OlderName] = &[OlderName::new("update_outcome")];

pub(super) const RECALL_DECISION: &[OlderName] = &[OlderName {
    arguments: &[("format", Ignored(FORMAT)), ("scopes", Ignored(SCOPES))],
    ..OlderName::new("recall_decision")
}];

pub(super) const SUGGEST_DECISION: &[OlderName] = &[
    OlderName {
        arguments: &[
            ("context", Ignored("only the question is searched")),
            ("format", Ignored(FORMAT)),
            ("scopes", Ignored(SCOPES)),
            ("threshold", Ignored(RANKED)),
            ("recencyWeight", Ignored(RANKED)),
            ("recencyScale", Ignored(RANKED)),
            ("recencyDecay", Ignored(RANKED)),
            ("disableRecency", Ignored(RANKED)),
        ],
        ..OlderName::new("suggest_decision")
    },
    OlderName {
        arguments: &[
            ("mode", Ignored("results are short; aidd_memory_get returns full entries")),
            ("threshold", Ignored(RANKED)),
            ("scopes", Ignored(SCOPES)),
        ],
        defaults: &[("limit", "5")],
        ..OlderName::new("search_narrative")
    },
];

pub(super) const LIST_DECISIONS: &[OlderName] = &[OlderName {
    arguments: &[("format", Ignored(FORMAT)), ("scopes", Ignored(SCOPES))],
    fixed: &[("type", "\"decision\"")],
    defaults: &[("limit", "20")],
    ..OlderName::new("list_decisions")
}];
