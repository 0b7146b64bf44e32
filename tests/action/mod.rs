//! `action.yml`: its steps executed as by a runner, its workflows and packages, and the examples in
//! its documentation.

mod documents;
#[cfg(unix)]
mod end_to_end;
#[cfg(unix)]
mod install;
#[cfg(unix)]
mod options;
#[cfg(unix)]
mod packages;
#[cfg(unix)]
#[cfg(unix)]
mod runner;
mod steps;
