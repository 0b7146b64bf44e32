//! Tests of the real binary, called as by a person or a CI runner.

mod agent_clients;
mod agent_faults;
mod agent_forms;
mod agent_hooks;
mod agent_sessions;
mod bad_input;
mod baseline;
mod check;
mod commits;
mod coverage;
mod deps;
mod enforced;
pub(crate) mod evolve;
mod fixes;
mod hooks;
#[cfg(unix)]
mod hostile;
mod ignore_files;
mod index;
mod init;
mod layers;
mod memory;
mod memory_imports;
mod memory_layers;
mod memory_stores;
mod odd_files;
mod outputs;
mod packs;
mod project;
mod project_rules;
mod rule_import;
mod statistics;
mod suggest;
pub(crate) mod support;
#[cfg(target_os = "linux")]
mod terminal;
mod usage;
