//! Classifies a task described in a sentence: its route, its estimated complexity, and whether it can
//! skip stages under the conditions of `specs/fast-track.md`.

use super::library::{Library, TableError};
use super::page_kind::PageKind;
use super::routing::{Route, Routing, page_data};
use super::words::{Words, matching_words};
use aidd_engine::project::config::TokenBudget;
use aidd_engine::text::files::{Disk, Files};
use aidd_engine::text::paths::Globs;
use aidd_lexicon::tables::scores::routing::UNSURE;
use aidd_lexicon::tables::tasks;
use serde::Deserialize;

/// Maximum number of files and lines of a small change: `specs/fast-track.md`, low-complexity.
const SMALL_CHANGE: (usize, usize) = (3, 50);

/// Information about the change in addition to the task.
#[derive(Clone, Debug, Default)]
pub struct ExpectedChange {
    /// The files that are expected to change.
    pub files: Vec<String>,
    /// The number of lines that are expected to change.
    pub lines: Option<usize>,
    /// Whether tests cover the affected code.
    pub is_tested: Option<bool>,
}

/// The estimated complexity of a task.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Size {
    /// A few minutes.
    Low,
    /// About an hour.
    Moderate,
    /// More than an hour, or several areas.
    Complex,
}

impl Size {
    /// The size as a word: `low`, `moderate` or `complex`.
    #[must_use]
    pub fn name(self) -> &'static str {
        match self {
            Self::Low => "low",
            Self::Moderate => "moderate",
            Self::Complex => "complex",
        }
    }

    /// The token budget for the session-start context of a task of this complexity.
    #[must_use]
    pub fn budget(self) -> TokenBudget {
        match self {
            Self::Low => TokenBudget::Minimal,
            Self::Moderate => TokenBudget::Standard,
            Self::Complex => TokenBudget::Full,
        }
    }
}

/// A condition of the fast track.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Condition {
    /// The id of the condition.
    pub id: String,
    /// The condition as a sentence.
    pub description: String,
    /// Whether the condition is met; `None` if unknown, which counts as not met.
    pub is_met: Option<bool>,
}

/// The classification of a task.
#[derive(Clone, Debug, PartialEq)]
pub struct Task {
    /// The route of the task.
    pub route: Route,
    /// Whether the route is derived from the files only, not from the words.
    pub is_from_files: bool,
    /// The estimated complexity.
    pub size: Size,
    /// The words and paths that make the task risky.
    pub risks: Vec<String>,
    /// The conditions of the fast track.
    pub conditions: Vec<Condition>,
    /// Whether all conditions are met.
    pub fast_track: bool,
    /// The stages that can be skipped on the fast track.
    pub skips: Vec<String>,
    /// The template for questions, if the task has no route.
    pub ask: Option<String>,
    /// Roles whose deliverable already exists, with its path: these roles review instead of
    /// building.
    pub existing_deliverables: Vec<(String, String)>,
    /// The model that recorded sessions recommend for the task type.
    pub model: Option<String>,
}

#[derive(Deserialize)]
struct FastTrack {
    allowed_when: Vec<Allowed>,
    risky_words: Words,
    risky_paths: Vec<String>,
    skips: Vec<String>,
}

#[derive(Deserialize)]
struct Allowed {
    id: String,
    #[serde(rename = "asks")]
    description: String,
}

/// The role to which most of the files belong. If several roles have the same number of files,
/// returns the last role in the table: a role that builds, not a supporting role.
fn role_by_files(files: &[String]) -> Option<&'static str> {
    let mut counts: Vec<(usize, &str)> = Vec::new();
    let mut remaining: Vec<&String> = files.iter().collect();
    for (role, globs) in tasks::ROLES_BY_FILES.pairs() {
        let globs: Vec<&str> = globs.split(' ').collect();
        let Ok(globs) = Globs::new(&globs, &[] as &[&str]) else { continue };
        let before = remaining.len();
        remaining.retain(|path| !globs.matches(path));
        counts.push((before - remaining.len(), role));
    }
    counts
        .into_iter()
        .filter(|(count, _)| *count > 0)
        .max_by_key(|(count, _)| *count)
        .map(|(_, role)| role)
}

/// The route by files, for a task whose words are inconclusive.
fn route_by_files(routing: &Routing, files: &[String]) -> Option<Route> {
    let role = role_by_files(files)?;
    let rows = || routing.rows().iter().filter(|row| row.role == role);
    let row = rows().find(|row| row.phase == "BUILD").or_else(|| rows().next())?;
    Some(Route {
        roles: vec![role.to_owned()],
        workflow: Some(row.workflow.clone()),
        phase: Some(row.phase.clone()),
        tier: Some(row.tier),
        ..Route::default()
    })
}

/// Classifies `text` with the pages of `library`.
///
/// # Errors
/// Fails when a page cannot be read as a table.
pub fn classify(
    library: &Library,
    routing: &Routing,
    disk: &Disk,
    text: &str,
    expected: &ExpectedChange,
) -> Result<Task, TableError> {
    let mut route = routing.classify(text);
    // Files are stronger evidence than uncertain words.
    let is_unsure = route.roles.is_empty() || route.likelihood < UNSURE;
    let route_from_files = is_unsure.then(|| route_by_files(routing, &expected.files)).flatten();
    let is_from_files = route_from_files.is_some();
    route = route_from_files.unwrap_or(route);
    let model = apply_overlay(&mut route, library);
    let size = estimate_size(text, &route, expected);
    let fast_track_page: FastTrack = page_data(library, PageKind::Specs, "fast-track")?;
    let risky_words = matching_words(text, &fast_track_page.risky_words).into_iter();
    let mut risks: Vec<String> =
        risky_words.map(|word| word.trim_end_matches('*').to_owned()).collect();
    if !fast_track_page.risky_paths.is_empty() {
        let paths = Globs::new::<String>(&fast_track_page.risky_paths, &[])
            .map_err(|why| TableError::Glob { path: "specs/fast-track.md", why })?;
        risks.extend(expected.files.iter().filter(|path| paths.matches(path)).cloned());
    }
    let conditions: Vec<Condition> = fast_track_page
        .allowed_when
        .into_iter()
        .map(|allowed| {
            let is_met = is_met(&allowed.id, &route, &risks, expected);
            Condition { id: allowed.id, description: allowed.description, is_met }
        })
        .collect();
    let fast_track = conditions.iter().all(|condition| condition.is_met == Some(true));
    let existing_deliverables = route.roles.iter().filter_map(|role| {
        let (_, paths) = tasks::HAND_OVERS.pairs().find(|(other_role, _)| other_role == role)?;
        let path = paths.split(' ').find(|path| disk.exists(path))?;
        // The last role does the work, even if its deliverable exists.
        (route.roles.last() != Some(role)).then(|| (role.clone(), path.to_owned()))
    });
    let existing_deliverables = existing_deliverables.collect();
    let ask = route.row.is_none().then(|| routing.fallback_template().to_owned());
    let ask = ask.filter(|_| route.roles.is_empty());
    let skips = if fast_track { fast_track_page.skips } else { Vec::new() };
    Ok(Task {
        route,
        is_from_files,
        size,
        risks,
        conditions,
        fast_track,
        skips,
        ask,
        existing_deliverables,
        model,
    })
}

/// Adds the role that recorded sessions prefer for the task type, after the first role, which with
/// the workflow determines the task type. Returns the recommended model.
fn apply_overlay(route: &mut Route, library: &Library) -> Option<String> {
    let workflow = route.workflow.as_deref().unwrap_or("other");
    let task = format!("{}/{workflow}", route.roles.first()?);
    if let Some(role) = library.overlay.routing.get(&task)
        && !route.roles.contains(role)
        && library.get(PageKind::Skills, role).is_some()
    {
        route.roles.insert(1, role.clone());
    }
    library.overlay.models.get(&task).cloned()
}

fn estimate_size(text: &str, route: &Route, expected: &ExpectedChange) -> Size {
    let words = text.split_whitespace().count();
    let (files, lines) = (expected.files.len(), expected.lines.unwrap_or_default());
    if route.spans || words > 60 || files > 10 || lines > 500 {
        Size::Complex
    } else if route.roles.len() <= 1
        && words <= 15
        && files <= SMALL_CHANGE.0
        && lines <= SMALL_CHANGE.1
        && route.tier != Some(1)
    {
        Size::Low
    } else {
        Size::Moderate
    }
}

/// Whether a condition is met, by its id on the page.
fn is_met(id: &str, route: &Route, risks: &[String], expected: &ExpectedChange) -> Option<bool> {
    let is_text = |path: &String| {
        [".md", ".txt", ".rst", ".adoc"].iter().any(|extension| path.ends_with(extension))
    };
    match id {
        "low-complexity" if expected.files.len() > SMALL_CHANGE.0 => Some(false),
        "low-complexity" => {
            let lines = expected.lines.filter(|_| !expected.files.is_empty());
            lines.map(|lines| lines <= SMALL_CHANGE.1)
        }
        "tier-2-or-3" => route.tier.map(|tier| tier > 1),
        // Documents are written in SHIP, but are not what is shipped.
        "not-shipping" => {
            let writes_documents = route.row.as_deref() == Some("documents");
            route.phase.as_ref().map(|phase| phase != "SHIP" || writes_documents)
        }
        "not-risky" => Some(risks.is_empty()),
        "known-ground" if !expected.files.is_empty() && expected.files.iter().all(is_text) => {
            Some(true)
        }
        "known-ground" => expected.is_tested,
        _ => None,
    }
}

#[cfg(test)]
#[expect(clippy::disallowed_methods, reason = "the test creates a project to read")]
mod tests {
    use super::*;

    fn classified(text: &str, expected: &ExpectedChange) -> Task {
        let library = Library::shipped(&aidd_content::RULES);
        let routing = Routing::new(&library).expect("the tables");
        let directory = tempfile::tempdir().expect("a directory");
        std::fs::create_dir(directory.path().join("prisma")).expect("created");
        std::fs::write(directory.path().join("prisma/schema.prisma"), "").expect("written");
        classify(&library, &routing, &Disk::new(directory.path()), text, expected).expect("a task")
    }

    #[test]
    fn the_fast_track_requires_every_condition() {
        let small = ExpectedChange {
            files: vec!["src/date.ts".to_owned()],
            lines: Some(10),
            is_tested: Some(true),
        };
        let task = classified("Fix the wrong month in the date helper", &small);
        assert!(task.fast_track, "{task:?}");
        assert_eq!(task.skips, ["brainstorm", "research", "SPEC"]);
        let unknown =
            classified("Fix the wrong month in the date helper", &ExpectedChange::default());
        let unknown_conditions: Vec<&str> = unknown
            .conditions
            .iter()
            .filter(|condition| condition.is_met.is_none())
            .map(|condition| &*condition.id)
            .collect();
        assert_eq!(unknown_conditions, ["low-complexity", "known-ground"]);
        assert!(!unknown.fast_track && unknown.skips.is_empty());
        let document = ExpectedChange {
            files: vec!["README.md".to_owned()],
            lines: Some(1),
            ..ExpectedChange::default()
        };
        assert!(classified("Fix a typo in the README", &document).fast_track);
        assert!(!classified("Publish the release", &document).fast_track);
        let risky = ExpectedChange { files: vec!["src/auth/date.ts".to_owned()], ..small };
        assert_eq!(classified("Fix the wrong month", &risky).risks, ["src/auth/date.ts"]);
        assert_eq!(
            classified("비밀번호 버그를 고쳐줘", &ExpectedChange::default()).risks,
            ["비밀번호"]
        );
        let risks = |text: &str| classified(text, &ExpectedChange::default()).risks;
        assert_eq!(risks("Authors are sorted wrong"), [""; 0]);
        assert_eq!(risks("Drag and drop cards, and a drop-down below"), [""; 0]);
        assert_eq!(risks("Drop the orders table"), ["drop the"]);
        assert_eq!(risks("Payments fail since we deployed"), ["payment", "deploy"]);
    }

    #[test]
    fn files_determine_the_role_when_words_are_inconclusive() {
        let role_of = |files: &[&str]| {
            let files = files.iter().map(|&path| path.to_owned()).collect();
            let expected = ExpectedChange { files, ..ExpectedChange::default() };
            let task = classified("Round up at the end of the quarter", &expected);
            // An uncertain match by words is used only if the files are inconclusive.
            assert!(task.is_from_files || task.route.likelihood < UNSURE);
            if task.is_from_files { task.route.roles.join(", ") } else { String::new() }
        };
        assert_eq!(role_of(&["crates/core/src/statement.rs"]), "backend-engineer");
        assert_eq!(
            role_of(&["db/migrations/2.sql", "src/a.py", "tests/test_a.py"]),
            "backend-engineer"
        );
        assert_eq!(role_of(&["db/migrations/2.sql"]), "data-architect");
        assert_eq!(role_of(&["src/Chart.tsx", "src/chart.css", "src/a.ts"]), "interface-artisan");
        assert_eq!(role_of(&["Dockerfile"]), "platform-engineer");
        assert_eq!(role_of(&["LICENSE"]), "");
        assert_eq!(role_of(&[]), "");
        let refactoring =
            ExpectedChange { files: vec!["a.sql".to_owned()], ..ExpectedChange::default() };
        assert!(!classified("Refactor the pricing module", &refactoring).is_from_files);
    }

    #[test]
    fn existing_deliverables_and_unknown_tasks_are_detected() {
        let task =
            classified("Implement the orders endpoint in NestJS", &ExpectedChange::default());
        assert_eq!(
            task.existing_deliverables,
            [("data-architect".to_owned(), "prisma/schema.prisma".to_owned())]
        );
        let unknown_task = classified("hm, perhaps later", &ExpectedChange::default());
        assert_eq!(unknown_task.ask.as_deref(), Some("brainstorm"));
    }
}
