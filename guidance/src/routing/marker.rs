//! The kind of a task that its title states: `docs: …`, `fix(a11y): …`, `[BUG] …`.

use super::{Route, Routing};
use aidd_lexicon::tables::scores::routing as score;
use aidd_lexicon::tables::tasks as table;
use std::collections::BTreeSet;

/// Confidence in a row that the title states. Titles of public issues rarely state a wrong kind.
const STATED: f64 = 0.95;

/// Maximum number of characters of a marker.
const MAX_MARKER_CHARS: usize = 40;

/// The words of a marker, and the text after it.
struct Marker<'t> {
    /// The type: `fix`, `bug`.
    kind: String,
    /// The scope in parentheses.
    scope: Option<String>,
    rest: &'t str,
}

impl Routing {
    /// Classifies `task`. A kind that the title states decides; `fix` only if the words do not name
    /// an area.
    #[must_use]
    pub fn classify(&self, task: &str) -> Route {
        let Some(marker) = read(task) else { return self.classify_words(task) };
        let stated = row_of(&marker.kind);
        let scope = marker.scope.as_deref().and_then(row_of);
        let is_soft = stated.is_none() || marker.kind == "fix";
        let row = if is_soft { scope } else { stated };
        if let Some(route) = row.and_then(|row| self.stated_route(row)) {
            return route;
        }
        let route = self.classify_words(marker.rest);
        let is_sure = route.row.is_some() && route.likelihood >= score::SURE;
        let bug = stated.filter(|_| !is_sure).and_then(|row| self.stated_route(row));
        bug.unwrap_or(route)
    }

    /// The route of a row; `None` if the project's table has no such row.
    fn stated_route(&self, id: &str) -> Option<Route> {
        let row = self.rows.iter().find(|row| row.id == id)?;
        Some(Route { likelihood: STATED, ..self.route_for(row, &[], &BTreeSet::new()) })
    }
}

/// The row of a word of a marker; `None` if the word does not state a kind.
fn row_of(word: &str) -> Option<&'static str> {
    table::MARKERS.pairs().find(|(marker, _)| *marker == word).map(|(_, row)| row)
}

/// Whether a word can be the type of a marker.
fn is_kind(word: &str) -> bool {
    row_of(word).is_some() || table::UNSPECIFIC_MARKERS.contains(word)
}

fn read(task: &str) -> Option<Marker<'_>> {
    let task = task.trim_start();
    let (head, rest) = match task.strip_prefix('[') {
        Some(inner) => inner.split_once(']')?,
        None => task.split_once(':')?,
    };
    if head.chars().count() > MAX_MARKER_CHARS {
        return None;
    }
    let head = head.trim().trim_end_matches('!').to_lowercase();
    let (kind, scope) = match head.strip_suffix(')').and_then(|head| head.split_once('(')) {
        Some((kind, scope)) => (kind.trim().to_owned(), Some(scope.trim().to_owned())),
        None => (head, None),
    };
    is_kind(&kind).then(|| Marker { kind, scope, rest: rest.trim_start_matches([':', ' ']) })
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::Library;

    #[test]
    fn a_kind_that_the_title_states_decides() {
        let routing = Routing::new(&Library::shipped(&aidd_content::RULES)).expect("the tables");
        let row = |task: &str| routing.classify(task).row.unwrap_or_default();
        assert_eq!(row("docs(auth): describe the login"), "documents");
        assert_eq!(row("fix(a11y): the colour buttons"), "accessibility");
        assert_eq!(row("[BUG] consume error"), "bug");
        assert_eq!(row("ci: a new job"), "platform");
        assert_eq!(row("fix: add the missing Korean translations"), "i18n");
        assert_eq!(row("chore: refactor the parser"), "refactoring");
        // A colon alone states nothing.
        assert_eq!(row("Checkout: add unit tests"), "tests");
    }
}
