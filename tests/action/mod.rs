//! Tests of `action.yml`: its steps, executed as by GitHub's runner, the workflows, the npm packages,
//! and the examples in the documentation.

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
mod runner;
mod steps;
