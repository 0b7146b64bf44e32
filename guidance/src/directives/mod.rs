//! Directives: procedures for agents whose steps are data. The steps that check, record and update
//! the index are done by the server, the others by the agent; see [`run`].

mod kind;
pub mod page;
pub mod run;
pub mod search;
#[cfg(test)]
mod search_tests;
#[cfg(test)]
mod tests;

pub use page::{Action, Condition, Directive, DirectiveType, Directives, Step};
