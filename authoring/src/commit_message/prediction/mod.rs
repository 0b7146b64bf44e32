//! Predicts the type and the scope of a commit from its files and the project's history. What is not
//! likely enough is left open.

pub mod cache;
mod calibration;
mod features;
mod history;
mod scopes;
#[cfg(test)]
mod tests;
mod types;

pub use history::PastCommit;

use super::{Change, Convention};

/// Minimum share of past guesses like this one that were right, for a type.
const MIN_TYPE_SHARE: f64 = 0.8;
/// Minimum number of past commits from which a type is proposed.
const MIN_TYPE_COMMITS: usize = 100;
/// Minimum share of past guesses like this one that were right, for a scope.
const MIN_SCOPE_SHARE: f64 = 0.7;
/// The number of likely types.
const LIKELY_TYPES: usize = 2;

/// The predicted type and scope.
#[derive(Clone, Debug, Default, PartialEq)]
pub(super) struct Prediction {
    /// The type and the reason for it, if it is likely enough.
    pub(super) kind: Option<(String, String)>,
    /// The two likeliest types of the commit.
    pub(super) likely_types: Vec<String>,
    /// The scope, if it is likely enough.
    pub(super) scope: Option<String>,
}

/// Predicts type and scope of `changes` from the commits before them, oldest first. Types and scopes
/// that `convention` does not allow are not predicted.
pub(super) fn predict(
    changes: &[Change],
    past: &[PastCommit],
    convention: &Convention,
) -> Prediction {
    let mut commits = past.to_vec();
    commits.push(PastCommit::untyped(changes));
    let scope = scopes::guess(&commits, |scope| convention.allows_scope(scope));
    let scope = scope.filter(|guess| guess.share >= MIN_SCOPE_SHARE).map(|guess| guess.scope);
    let Some(guess) = types::guess(&commits, |kind| convention.allows(kind)) else {
        return Prediction { scope, ..Prediction::default() };
    };
    let is_likely = guess.share >= MIN_TYPE_SHARE && guess.commits >= MIN_TYPE_COMMITS;
    let why = || {
        format!(
            "learnt from the last {} commits; right in {:.0} % of similar cases",
            guess.commits,
            guess.share * 100.0
        )
    };
    Prediction {
        kind: guess.types.first().filter(|_| is_likely).map(|kind| (kind.clone(), why())),
        likely_types: guess.types.into_iter().take(LIKELY_TYPES).collect(),
        scope,
    }
}
