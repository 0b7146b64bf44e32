//! Drafts the first line of a message: type, scope and, if the files show what the change does, the
//! description. What is not known is written as `…`, for the author to fill in.

mod actions;
mod documents;
mod names;
mod style;
#[cfg(test)]
mod tests;
mod topics;
mod versions;

pub use style::{LetterCase, Style, VerbForm};
pub use topics::SeveralTopics;

use super::facts::Facts;
use super::prediction::Prediction;
use super::{Convention, RevertedCommit};
use actions::Action;

/// What the author fills in.
pub(super) const OPEN: &str = "…";

/// A first line, as far as it is known.
#[derive(Clone, Debug, Default, PartialEq)]
pub(super) struct Draft {
    /// The type and the reason for it.
    pub(super) kind: Option<(String, String)>,
    /// The scope in parentheses.
    pub(super) scope: Option<String>,
    /// The first line; `None` if neither type nor description is known.
    pub(super) line: Option<String>,
    /// The files that concern something else, for which the description is left open.
    pub(super) several_topics: Option<SeveralTopics>,
}

/// Drafts the first line for `facts`. The type and scope of earlier messages that describe the same
/// kind of change take precedence over those of `prediction`.
pub(super) fn draft(
    facts: &Facts<'_>,
    convention: &Convention,
    prediction: &Prediction,
    reverts: Option<&RevertedCommit>,
) -> Draft {
    let style = &convention.style;
    if let Some(reverted) = reverts {
        return Draft {
            kind: prediction.kind.clone(),
            line: Some(format!("Revert \"{}\"", reverted.subject)),
            ..Draft::default()
        };
    }
    let (mut kind, mut scope) = (prediction.kind.clone(), prediction.scope.clone());
    let own = facts.version().filter(|_| actions::is_release(facts));
    let own = own.map(|(old, new)| (old.to_owned(), new.to_owned()));
    let version = own.or_else(|| {
        let changed = versions::changed(&actions::written_files(facts))?;
        Some((changed.old, changed.new))
    });
    let like_last = version.and_then(|(old, new)| style.release(&old, &new));
    let mut description = None;
    let mut several_topics = None;
    if let Some((last, last_scope, words)) = like_last.filter(|(kind, ..)| convention.allows(kind))
    {
        kind = Some((last, "the type of the last message that names the old version".to_owned()));
        (scope, description) = (last_scope, Some(words));
    } else if let Some(action) = actions::detect(facts, style) {
        let learnt = style.header(|verb, line| action.topic.is_in(verb, line));
        if let Some((usual, share, usual_scope)) =
            learnt.filter(|(kind, ..)| action.topic.has_own_type() && convention.allows(kind))
        {
            let why = format!("in {:.0} % of earlier messages like this one", share * 100.0);
            kind = Some((usual, why));
            scope = usual_scope.filter(|scope| convention.allows_scope(scope)).or(scope);
        }
        let action =
            Some(action).filter(|action| fits(action, convention, kind.as_ref(), prediction));
        (description, several_topics) = describe(action, style);
    }
    if !convention.is_used() {
        if description.is_none() && several_topics.is_none() {
            (description, several_topics) = describe(actions::only_symbol(facts, style), style);
        }
        let line = description.filter(|text| text.chars().count() <= style.length);
        return Draft { kind, scope, line, several_topics };
    }
    let line = first_line(
        convention,
        kind.as_ref().map(|(kind, _)| &**kind),
        scope.as_deref(),
        description,
    );
    Draft { kind, scope, line, several_topics }
}

/// The words for an action; if other files concern something else, these files instead.
fn describe(action: Option<Action>, style: &Style) -> (Option<String>, Option<SeveralTopics>) {
    match action {
        None => (None, None),
        Some(Action { verb, object, unrelated, .. }) if unrelated.is_empty() => {
            (Some(format!("{} {object}", style.word(verb))), None)
        }
        Some(Action { object: main, unrelated: other_files, .. }) => {
            (None, Some(SeveralTopics { main, other_files }))
        }
    }
}

/// Whether the action is what the change is about: a correction can add a function too.
fn fits(
    action: &Action,
    convention: &Convention,
    kind: Option<&(String, String)>,
    prediction: &Prediction,
) -> bool {
    if action.is_vague && kind.is_none() && convention.is_used() {
        return false;
    }
    let likely = prediction.likely_types.first();
    let kind = kind.map(|(kind, _)| kind).or(likely);
    !action.is_code || kind.is_none_or(|kind| kind != "fix")
}

/// The line `type(scope): description`, with [`OPEN`] for what is not known.
fn first_line(
    convention: &Convention,
    kind: Option<&str>,
    scope: Option<&str>,
    description: Option<String>,
) -> Option<String> {
    if kind.is_none() && description.is_none() {
        return None;
    }
    let kind = kind.unwrap_or(OPEN);
    let scope = match scope {
        Some(scope) => format!("({scope})"),
        None if convention.scope_required => format!("({OPEN})"),
        None => String::new(),
    };
    let start = format!("{kind}{scope}: ");
    let fits = |text: &String| {
        (start.chars().count() + text.chars().count()) <= convention.style.length.max(50)
    };
    let description = description.filter(fits);
    if kind == OPEN && description.is_none() {
        return None;
    }
    Some(start + description.as_deref().unwrap_or(OPEN))
}
