//! Tests of the language features: the input is text with a cursor mark, and the result is compared
//! as text.

mod actions;
mod completion;
mod every_action;
mod hovers_and_links;
mod support;
