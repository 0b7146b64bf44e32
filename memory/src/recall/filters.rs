//! The filters of a question.

use super::index::Index;
use super::{Question, prepare};

/// Whether a memory passes the filters.
pub(super) fn passes_filters(
    index: &Index,
    slot: usize,
    question: &Question,
    (file, topic): (Option<&str>, Option<u64>),
) -> bool {
    let is_equal = |filter: &Option<String>, own: Option<&str>| {
        filter.as_ref().is_none_or(|filter| own == Some(&**filter))
    };
    let (Some(doc), Some(brief)) = (index.docs().get(slot), index.briefs().get(slot)) else {
        return false;
    };
    (question.kinds.is_empty() || question.kinds.contains(&doc.kind))
        && question.since.is_none_or(|since| doc.created_at >= since)
        && question.until.is_none_or(|until| doc.created_at < until)
        && is_equal(&question.branch, doc.branch)
        && is_equal(&question.session_id, doc.session)
        && topic.is_none_or(|topic| topic == brief.topic)
        && question.outcome.is_none_or(|filter| doc.outcome == Some(filter))
        && file.is_none_or(|file| doc.files().any(|own| prepare::matches_file(own, file)))
}

/// Whether a question filters by more than layer and status.
pub(super) fn has_filters(question: &Question) -> bool {
    !question.kinds.is_empty()
        || [question.since, question.until].iter().any(Option::is_some)
        || [&question.branch, &question.session_id, &question.topic, &question.file]
            .iter()
            .any(|filter| filter.is_some())
        || question.outcome.is_some()
}
