//! The language features on texts with a cursor: text in, text out.

mod actions;
mod completion;
mod every_action;
mod reading;
mod support;
