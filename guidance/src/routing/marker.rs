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
    use crate::task_model::{features, normalized};
    use crate::words::NormalizedTask;
    use aidd_lexicon::embedding::{NAME, Table};
    use serde_json::json;
    use std::path::Path;

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

    /// The features for `guidance/routing/train.py`, which describes the format.
    #[test]
    #[ignore = "a step of the training"]
    #[expect(clippy::disallowed_methods, reason = "reads and writes the files of the training")]
    fn features_are_exported() {
        let directory = std::env::var("AIDD_TRAINING").expect("the directory of the texts");
        let texts = std::fs::read(Path::new(&directory).join("texts.json")).expect("the texts");
        let texts: Vec<(String, String, Vec<String>)> =
            serde_json::from_slice(&texts).expect("sets, texts and rows");
        let routing = Routing::new(&Library::shipped(&aidd_content::RULES)).expect("the tables");
        let rows: Vec<&str> = routing.rows.iter().map(|row| &*row.id).chain(["-"]).collect();
        let areas = routing.rows.iter().map(|row| format!("{} {}", row.role, row.workflow));
        let areas: Vec<String> = areas.chain([String::new()]).collect();
        let mut lines = vec![json!({ "table": NAME, "rows": rows, "areas": areas })];
        for (set, text, expected) in texts {
            let marker = read(&text);
            let kind = marker.as_ref().and_then(|marker| row_of(&marker.kind));
            let is_soft = marker.as_ref().is_some_and(|marker| marker.kind == "fix");
            let scope = marker.as_ref().and_then(|marker| marker.scope.as_deref()).and_then(row_of);
            let deciding = if kind.is_none() || is_soft { scope } else { kind };
            let stated = deciding.or(kind).and_then(|id| rows.iter().position(|row| *row == id));
            let stated =
                stated.map(|row| json!({ "row": rows[row], "decides": deciding.is_some() }));
            let mut task = NormalizedTask::new(marker.map_or(&*text, |marker| marker.rest));
            let model = routing.task_model();
            model.correct_typos(&mut task.tokens);
            let mut known: Vec<f64> =
                model.score(&task.tokens).into_iter().map(f64::from).collect();
            for (row, weight, _) in routing.rank(&task) {
                known[row] += score::WORD * weight;
            }
            let vector = normalized(&Table::shipped().vector(&task.tokens.join(" ")));
            lines.push(json!({
                "set": set, "expected": expected, "stated": stated, "known": known,
                "words": features(&task.tokens), "vector": vector,
            }));
        }
        let lines: Vec<String> = lines.iter().map(ToString::to_string).collect();
        let path = Path::new(&directory).join("features.jsonl");
        std::fs::write(path, lines.join("\n")).expect("written");
    }
}
