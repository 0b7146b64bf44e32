//! A sentence of a page as a check: drafted, proved and tried before it is put into the header of
//! its page, or into a page of its own.

use crate::actions::{Around, Refusal};
use crate::edits;
use crate::snapshot::Snapshot;
use aidd_authoring::suggest::{
    self, Asked, Bounds, Outcome, Sentence, Suggestion, is_place, may_draft, sentences,
};
use aidd_engine::rules::registry::project_rule;
use aidd_engine::text::kind::is_page_path;
use aidd_engine::text::source::Span;
use std::time::Duration;
use tower_lsp_server::ls_types::{Uri, WorkspaceEdit};

/// How long the draft is tried on the project: somebody waits for it.
const TIME: Duration = Duration::from_secs(10);

/// What the action is called.
pub(crate) const TITLE: &str = "Draft a check for this sentence";

/// The sentence that `span` touches, where a check may come of it: cheap, for offers.
pub(crate) fn at(snapshot: &Snapshot, span: Span, around: &Around<'_>) -> Option<Span> {
    let source = &snapshot.source;
    let (path, text) = (source.path(), source.text());
    let is_page = is_page_path(path);
    if !is_place(path) || !(is_page || around.client.create_files) {
        return None;
    }
    if is_page && project_rule(path, text).is_some_and(|rule| rule.check.is_some()) {
        return None;
    }
    let touches = |one: &Sentence| one.span.start <= span.end && span.start <= one.span.end;
    let mut all = sentences(source).into_iter();
    all.find(|one| touches(one) && may_draft(one)).map(|one| one.span)
}

/// The edit that takes the check of the sentence at `span` into the project.
///
/// # Errors
/// When the sentence is gone, or no check comes of it.
pub(crate) fn edit(
    snapshot: &Snapshot,
    span: Span,
    around: &Around<'_>,
) -> Result<WorkspaceEdit, Refusal> {
    let project = &snapshot.workspace.project;
    let paths = [snapshot.source.path().to_owned()];
    let asked = Asked {
        paths: &paths,
        span: Some(span),
        bounds: Bounds { time: TIME, ..Bounds::default() },
        ..Asked::all(around.files)
    };
    let survey = suggest::survey(project, &asked).map_err(|_| Refusal::NoDraft)?;
    let told = survey.told.into_iter().find(|told| told.span == span).ok_or(Refusal::Gone)?;
    let Outcome::Draft(suggestion) = told.outcome else { return Err(Refusal::NoDraft) };
    let Suggestion { page, path, in_place, .. } = *suggestion;
    if in_place {
        let source = &snapshot.source;
        let edits = edits::between(source.text(), &page);
        let edits = edits::text_edits(source, &edits, snapshot.encoding);
        return Ok(edits::of_document(
            around.client,
            snapshot.uri.clone(),
            snapshot.version,
            edits,
        ));
    }
    let place = project.disk.inside(&path).filter(|_| around.client.create_files);
    let uri = place.and_then(|path| Uri::from_file_path(project.root().join(path)));
    Ok(edits::new_file(uri.ok_or(Refusal::NoDraft)?, page))
}
