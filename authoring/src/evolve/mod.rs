//! Changes that follow from recorded sessions: what is proposed, drafted, applied and reverted.
//!
//! The crate `evolution` computes candidates and writes changes; this module gathers its inputs from
//! the project and the memory, makes the text of drafts, and tries drafted rules on the project and its
//! history.

mod approve;
mod check;
mod convention;
mod history;
mod proposals;
mod render;
mod run;
#[cfg(test)]
mod tests;

pub use approve::{NewDraft, approve, create, reject};
pub use history::HistoryTrial;
pub use proposals::Proposal;
pub use render::{
    analysis_text, draft_line, figures_line, log_line, overview, review_text, run_text,
    summary_line,
};
pub use run::{Analysis, RunReport, analyze, revert, revert_all, run};

use crate::suggest::SuggestError;
use aidd_engine::project::config::EvolutionConfig;
use aidd_engine::workspace::project::{Project, ProjectError};
use aidd_evolution::EvolutionError;
use aidd_memory::MemoryError;
use std::io;
use std::time::Duration;
use thiserror::Error;

/// The value of the environment variable `AIDD_EVOLUTION` that switches evolution off.
pub const OFF: &str = "off";
/// The default of [`Evolve::trial_time`], for one drafted rule.
const TRIAL_TIME: Duration = Duration::from_secs(20);

/// Why a request on evolution failed.
#[derive(Debug, Error)]
pub enum EvolveError {
    /// The files of evolution cannot be read or written, or the request is refused.
    #[error("{0}")]
    Evolution(#[from] EvolutionError),
    /// The memory cannot be read or written.
    #[error("{0}")]
    Memory(#[from] MemoryError),
    /// The configuration is invalid.
    #[error("{0}")]
    Project(#[from] ProjectError),
    /// A drafted rule cannot be tried.
    #[error("{0}")]
    Trial(#[from] SuggestError),
    /// A file of the project cannot be read.
    #[error("{0}")]
    Io(#[from] io::Error),
    /// The request cannot be carried out.
    #[error("{0}")]
    Refused(String),
}

/// A project whose sessions are evaluated.
#[derive(Clone, Copy, Debug)]
pub struct Evolve<'a> {
    /// The project whose sessions are evaluated.
    pub project: &'a Project,
    /// Whether the environment switches evolution off.
    pub is_switched_off: bool,
    /// Who acts: `aidd`, `person` or `agent`.
    pub actor: &'a str,
    /// Maximum duration of the trial of a drafted rule on the files, and of that on the history.
    pub trial_time: Duration,
}

impl<'a> Evolve<'a> {
    /// The project; `environment` is the value of `AIDD_EVOLUTION`.
    #[must_use]
    pub fn new(project: &'a Project, environment: Option<&str>, actor: &'a str) -> Self {
        let is_off = |value: &str| [OFF, "0", "false"].contains(&value.to_lowercase().as_str());
        Self {
            project,
            is_switched_off: environment.is_some_and(is_off),
            actor,
            trial_time: TRIAL_TIME,
        }
    }

    /// The section `evolution` of the configuration.
    #[must_use]
    pub fn config(&self) -> EvolutionConfig {
        self.project.config.evolution.clone().unwrap_or_default()
    }

    /// Why nothing is proposed; `None` if changes are proposed.
    #[must_use]
    pub fn disabled(&self) -> Option<&'static str> {
        if self.is_switched_off {
            Some("the environment variable AIDD_EVOLUTION switches evolution off")
        } else if !self.config().is_enabled() {
            Some("`evolution.enabled` is false in the configuration")
        } else {
            None
        }
    }

    /// The files of evolution.
    #[must_use]
    pub fn store(&self) -> aidd_evolution::Store {
        aidd_evolution::Store::new(self.project.root())
    }
}

/// The name of a file for a title: lower case letters, digits and hyphens.
pub(crate) fn slug(title: &str) -> String {
    let mut name = String::new();
    for c in title.to_lowercase().chars() {
        if c.is_ascii_alphanumeric() {
            name.push(c);
        } else if !name.is_empty() && !name.ends_with('-') {
            name.push('-');
        }
        if name.len() >= 60 {
            break;
        }
    }
    let name = name.trim_matches('-');
    if name.is_empty() { "draft".to_owned() } else { name.to_owned() }
}
