#![expect(dead_code, reason = "validators and checks join next")]
//! Text in, findings out. The engine prints nothing, reads no environment, uses no async and knows
//! no protocol; input and output happen in `files` and `walk` only.

pub mod files;
pub mod finding;
pub mod kind;
pub mod rule;
pub mod source;
pub mod validators;
