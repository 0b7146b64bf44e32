//! The names and arguments of MAMA's tools, which agents were taught before there were these.

use crate::older::Mapping::Ignored;
use crate::older::Older;

/// Why arguments have no effect.
const FORMAT: &str = "each answer is text and data";
const SCOPES: &str = "this memory has one scope, the project";
const RANKED: &str = "the best hits come first";
const NO_REGISTRY: &str = "there is no registry of items and people";
const LINKED: &str = "load_context reads a memory with what it is linked to";

pub(super) const SAVE_DECISION: &[Older] = &[Older {
    arguments: &[
        ("type", Ignored("who decided is not kept")),
        ("scopes", Ignored(SCOPES)),
        ("event_date", Ignored("a decision has the time it is saved at")),
        ("item", Ignored(NO_REGISTRY)),
        ("actors", Ignored(NO_REGISTRY)),
    ],
    ..Older::new("save_decision")
}];

pub(super) const SAVE_CHECKPOINT: &[Older] = &[Older {
    arguments: &[(
        "recent_conversation",
        Ignored("conversations are not kept; put what matters into `summary`"),
    )],
    ..Older::new("save_checkpoint")
}];

pub(super) const LOAD_CHECKPOINT: &[Older] = &[Older {
    arguments: &[
        ("session_id", Ignored("the last checkpoint is loaded")),
        ("include", Ignored(LINKED)),
        ("include_narrative", Ignored(LINKED)),
        ("include_links", Ignored(LINKED)),
        ("depth", Ignored(LINKED)),
        ("link_depth", Ignored(LINKED)),
    ],
    ..Older::new("load_checkpoint")
}];

pub(super) const UPDATE_OUTCOME: &[Older] = &[Older::new("update_outcome")];

pub(super) const RECALL_DECISION: &[Older] = &[Older {
    arguments: &[("format", Ignored(FORMAT)), ("scopes", Ignored(SCOPES))],
    ..Older::new("recall_decision")
}];

pub(super) const SUGGEST_DECISION: &[Older] = &[
    Older {
        arguments: &[
            ("context", Ignored("the question alone is looked for")),
            ("format", Ignored(FORMAT)),
            ("scopes", Ignored(SCOPES)),
            ("threshold", Ignored(RANKED)),
            ("recencyWeight", Ignored(RANKED)),
            ("recencyScale", Ignored(RANKED)),
            ("recencyDecay", Ignored(RANKED)),
            ("disableRecency", Ignored(RANKED)),
        ],
        ..Older::new("suggest_decision")
    },
    Older {
        arguments: &[
            ("mode", Ignored("hits are short; aidd_memory_get reads them whole")),
            ("threshold", Ignored(RANKED)),
            ("scopes", Ignored(SCOPES)),
        ],
        usual: &[("limit", "5")],
        ..Older::new("search_narrative")
    },
];

pub(super) const LIST_DECISIONS: &[Older] = &[Older {
    arguments: &[("format", Ignored(FORMAT)), ("scopes", Ignored(SCOPES))],
    fixed: &[("type", "\"decision\"")],
    usual: &[("limit", "20")],
    ..Older::new("list_decisions")
}];
