//! Routes a task described in a sentence to roles, workflow, tier and phase: scores the rows of
//! `templates/routing.md` together with labelled tasks, then follows the tree of
//! `templates/decision-tree.md`. Those pages describe the method.

use super::library::{Library, Origin, TableError};
use super::page_kind::PageKind;
use super::task_model::TaskModel;
use super::words::{NormalizedTask, Words};
use aidd_lexicon::tables::scores::routing as score;
use serde::Deserialize;
use serde::de::DeserializeOwned;
use serde_json::Value;
use std::collections::{BTreeMap, BTreeSet};
use std::sync::OnceLock;

/// Maximum number of characters of a task that are read; a task is one or a few sentences.
const MAX_CHARS: usize = 4000;

/// A row of the routing table.
#[derive(Clone, Debug, Deserialize)]
pub struct Row {
    /// The unique id of the row.
    pub id: String,
    #[serde(flatten)]
    words: Words,
    /// The role that performs the task.
    pub role: String,
    /// The workflow that it follows.
    pub workflow: String,
    /// The judgement required: 1 (most) to 3 (least).
    pub tier: u8,
    /// The lifecycle phase that it belongs to.
    pub phase: String,
    /// The template to fill in.
    pub template: Option<String>,
    /// Example tasks for this row.
    #[serde(default)]
    like: Vec<String>,
}

#[derive(Clone, Debug, Deserialize)]
struct Node {
    id: String,
    activates: String,
    rows: Vec<String>,
    #[serde(default)]
    needs: Vec<String>,
    #[serde(default)]
    then: Vec<String>,
    #[serde(default)]
    spans: bool,
}

#[derive(Clone, Debug, Deserialize)]
struct Area {
    words: Words,
    nodes: Vec<Node>,
}

#[derive(Clone, Debug, Deserialize)]
struct Spans {
    at_least: usize,
    workflow: String,
}

/// The routing tables.
#[derive(Clone, Debug)]
pub struct Routing {
    rows: Vec<Row>,
    /// The nodes in tree order, each with the index of its area.
    nodes: Vec<(Node, usize)>,
    areas: Vec<Words>,
    spans: Option<Spans>,
    roles: BTreeSet<String>,
    /// The template for questions when no row matches.
    otherwise: String,
    /// See [`aidd_page::Tables::tasks`].
    tasks: &'static str,
    meaning: OnceLock<TaskModel>,
}

/// The classification of a task.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Route {
    /// The row that decided; `None` if no row matched or the task names a role.
    pub row: Option<String>,
    /// Roles, in the order in which they work.
    pub roles: Vec<String>,
    /// Roles that are suggested once the work is done.
    pub then: Vec<String>,
    /// The workflow to follow.
    pub workflow: Option<String>,
    /// The lifecycle phase.
    pub phase: Option<String>,
    /// The tier, from 1 to 3.
    pub tier: Option<u8>,
    /// The template to fill in.
    pub template: Option<String>,
    /// Whether the task spans several areas.
    pub spans: bool,
    /// The confidence from 0 to 1.
    pub confidence: f64,
    /// The second-best row, when the confidence in the first is low.
    pub runner_up: Option<String>,
    /// Candidate rows, when no row is likely enough to be selected.
    pub candidates: Vec<String>,
}

/// A row index, the weight of its matching words, and the indices of the matched tokens.
type RowScore = (usize, f64, BTreeSet<usize>);

impl Routing {
    /// Reads the tables from the pages of `library`.
    ///
    /// # Errors
    /// When a page cannot be read as a table.
    pub fn new(library: &Library) -> Result<Self, TableError> {
        #[derive(Deserialize)]
        struct Tree {
            areas: Vec<Area>,
            spans: Option<Spans>,
            otherwise: Otherwise,
        }
        #[derive(Deserialize)]
        struct Otherwise {
            ask: String,
        }
        let rows = rows(library)?;
        let tree: Tree = page_data(library, PageKind::Templates, "decision-tree")?;
        let mut nodes = Vec::new();
        let mut areas = Vec::new();
        for (place, area) in tree.areas.into_iter().enumerate() {
            areas.push(area.words);
            nodes.extend(area.nodes.into_iter().map(|node| (node, place)));
        }
        let of_pages = library.pages_of_kind(PageKind::Skills).map(|page| page.name.clone());
        let roles = nodes.iter().map(|(node, _)| node.activates.clone()).chain(of_pages);
        let roles = roles.filter(|role| role != "competency-matrix").collect();
        Ok(Self {
            rows,
            nodes,
            areas,
            spans: tree.spans,
            roles,
            otherwise: tree.otherwise.ask,
            tasks: library.tasks(),
            meaning: OnceLock::new(),
        })
    }

    /// The tables of `library`, read on first use.
    ///
    /// # Errors
    /// See [`Routing::new`].
    pub fn for_library(library: &Library) -> Result<&Self, &TableError> {
        library.routing().get_or_init(|| Self::new(library)).as_ref()
    }

    /// The template for questions when no row matches.
    #[must_use]
    pub fn fallback_template(&self) -> &str {
        &self.otherwise
    }

    /// The rows, in order of precedence.
    #[must_use]
    pub fn rows(&self) -> &[Row] {
        &self.rows
    }

    /// Classifies `task`.
    #[must_use]
    pub fn classify(&self, task: &str) -> Route {
        let mut task = NormalizedTask::new(&task.chars().take(MAX_CHARS).collect::<String>());
        if let Some(role) = self.named_role(&task) {
            return Route { roles: vec![role], confidence: 1.0, ..Route::default() };
        }
        self.meaning().correct_typos(&mut task.tokens);
        let ranked = self.rank(&task);
        // A single unknown word is not a task.
        if ranked.is_empty() && task.tokens.len() < 2 {
            return Route::default();
        }
        let shares = self.probabilities(&task, &ranked);
        let Some(&(best, confidence)) = shares.first() else { return Route::default() };
        if ranked.is_empty() {
            let is_talk = |&(row, _): &(usize, f64)| row == self.rows.len();
            if is_talk(&shares[0]) {
                return Route::default();
            }
            if confidence < score::LEAST {
                let rows = shares.iter().filter(|share| !is_talk(share)).take(3);
                let maybe = rows.map(|&(row, _)| self.rows[row].id.clone()).collect();
                return Route { candidates: maybe, ..Route::default() };
            }
        }
        let Some(row) = self.rows.get(best) else { return Route::default() };
        let second = shares.get(1).and_then(|&(at, _)| self.rows.get(at));
        let second = second.filter(|_| confidence < score::SURE).map(|row| row.id.clone());
        let likely = shares.iter().filter(|(_, share)| *share >= score::ALSO).map(|(row, _)| *row);
        Route { confidence, runner_up: second, ..self.route_for(row, &ranked, &likely.collect()) }
    }

    /// The route for the deciding row, and for the other rows that match by a word and are in
    /// `likely`.
    fn route_for(&self, row: &Row, ranked: &[RowScore], likely: &BTreeSet<usize>) -> Route {
        let route = Route {
            row: Some(row.id.clone()),
            roles: vec![row.role.clone()],
            workflow: Some(row.workflow.clone()),
            phase: Some(row.phase.clone()),
            tier: Some(row.tier),
            template: row.template.clone(),
            ..Route::default()
        };
        // A row of the project's own has a place in the tree only if the project's page defines
        // one.
        let Some(leading) = self.node_of(&row.id) else { return route };
        // A whole feature spans areas by definition, so every area that the task names counts.
        let is_wide = self.nodes[leading].0.spans;
        let mut matched = self.matched_nodes(ranked, |row| is_wide || likely.contains(&row));
        matched.insert(leading);
        let many = self
            .spans
            .as_ref()
            .filter(|spans| matched.len() >= spans.at_least || is_wide && matched.len() > 1);
        let mut order: Vec<usize> = Vec::new();
        let leads = if many.is_some() { matched } else { BTreeSet::from([leading]) };
        for lead in leads {
            self.activate(lead, &mut order, 0);
        }
        if many.is_some() {
            order.sort_unstable();
        }
        let roles = distinct(order.iter().map(|&node| self.nodes[node].0.activates.clone()));
        let then = distinct(self.follow_up_roles(leading));
        Route {
            // A role that does the work is not suggested afterwards too.
            then: then.into_iter().filter(|role| !roles.contains(role)).collect(),
            roles,
            workflow: Some(many.map_or(&row.workflow, |spans| &spans.workflow).clone()),
            spans: many.is_some(),
            ..route
        }
    }

    /// The rows with their share of the probability, largest first, ties in table order. The index
    /// after the last row means "not a task"; it is excluded as soon as a word matches.
    fn probabilities(&self, task: &NormalizedTask, ranked: &[RowScore]) -> Vec<(usize, f64)> {
        let mut scores: Vec<f64> =
            self.meaning().score(&task.tokens).into_iter().map(f64::from).collect();
        for (row, weight, _) in ranked {
            scores[*row] += score::WORD * weight;
        }
        if !ranked.is_empty() {
            scores.truncate(self.rows.len());
        }
        let most = scores.iter().copied().fold(f64::NEG_INFINITY, f64::max);
        let likely: Vec<f64> =
            scores.iter().map(|one| ((one - most) / score::SPREAD).exp()).collect();
        let sum: f64 = likely.iter().sum();
        let mut shares: Vec<_> = likely.into_iter().map(|one| one / sum).enumerate().collect();
        shares.sort_by(|one, other| other.1.total_cmp(&one.1));
        shares
    }

    fn meaning(&self) -> &TaskModel {
        self.meaning.get_or_init(|| {
            let places: BTreeMap<&str, usize> =
                self.rows.iter().enumerate().map(|(at, row)| (&*row.id, at)).collect();
            let talk = self.rows.len();
            let mut at = None;
            let mut tasks = Vec::new();
            for line in self.tasks.lines().filter(|line| !line.is_empty()) {
                match line.strip_prefix("# ") {
                    Some("-") => at = Some(talk),
                    Some(id) => at = places.get(id).copied(),
                    None => tasks.extend(at.map(|at| (line, at))),
                }
            }
            let rows = || self.rows.iter().enumerate();
            tasks.extend(rows().flat_map(|(at, row)| row.like.iter().map(move |one| (&**one, at))));
            let words = rows().flat_map(|(at, row)| {
                let words = row.words.en.iter().chain(&row.words.ko);
                words.map(move |word| (word.trim_end_matches('*'), at))
            });
            TaskModel::new(talk + 1, &tasks, &words.collect::<Vec<_>>())
        })
    }

    /// The role that the task names, with hyphens or spaces.
    fn named_role(&self, task: &NormalizedTask) -> Option<String> {
        let says = |role: &&String| {
            task.text.contains(role.as_str()) || task.text.contains(&role.replace('-', " "))
        };
        self.roles.iter().find(says).cloned()
    }

    /// The matching rows with weight and tokens, heaviest first, ties in table order.
    fn rank(&self, task: &NormalizedTask) -> Vec<RowScore> {
        let bonus: Vec<f64> = self
            .areas
            .iter()
            .map(|words| if task.weight(words).0 > 0.0 { 0.5 } else { 0.0 })
            .collect();
        let mut ranked = Vec::new();
        for (at, row) in self.rows.iter().enumerate() {
            let (weight, taken) = task.weight(&row.words);
            if weight > 0.0 {
                let area = self.node_of(&row.id).map(|node| self.nodes[node].1);
                let bonus = area.and_then(|area| bonus.get(area)).copied().unwrap_or_default();
                ranked.push((at, weight + bonus, taken));
            }
        }
        ranked.sort_by(|a, b| b.1.total_cmp(&a.1));
        ranked
    }

    /// The nodes of the rows that satisfy `is_meant` and match at least one token that no heavier
    /// row uses, in tree order.
    fn matched_nodes(
        &self,
        ranked: &[RowScore],
        is_meant: impl Fn(usize) -> bool,
    ) -> BTreeSet<usize> {
        let mut used: BTreeSet<usize> = BTreeSet::new();
        let mut nodes = BTreeSet::new();
        for (row, _, taken) in ranked {
            if !taken.is_subset(&used) && is_meant(*row) {
                nodes.extend(self.node_of(&self.rows[*row].id));
            }
            used.extend(taken);
        }
        nodes
    }

    fn node_of(&self, row: &str) -> Option<usize> {
        self.nodes.iter().position(|(node, _)| node.rows.iter().any(|own| own == row))
    }

    fn node_by_id(&self, id: &str) -> Option<usize> {
        self.nodes.iter().position(|(node, _)| node.id == id)
    }

    /// Adds the nodes that `node` needs, then `node` itself, each once. Recursion deeper than the
    /// number of nodes means a cycle.
    fn activate(&self, node: usize, order: &mut Vec<usize>, depth: usize) {
        if depth > self.nodes.len() || order.contains(&node) {
            return;
        }
        for needed in self.nodes[node].0.needs.iter().filter_map(|id| self.node_by_id(id)) {
            self.activate(needed, order, depth + 1);
        }
        if !order.contains(&node) {
            order.push(node);
        }
    }

    fn follow_up_roles(&self, node: usize) -> impl Iterator<Item = String> {
        let then = self.nodes[node].0.then.iter().filter_map(|id| self.node_by_id(id));
        then.map(|node| self.nodes[node].0.activates.clone())
    }
}

#[derive(Deserialize)]
struct Rows {
    rows: Vec<Row>,
}

/// The rows of the page. A project's rows come before the shipped ones and replace those with the
/// same id.
fn rows(library: &Library) -> Result<Vec<Row>, TableError> {
    let Rows { mut rows } = page_data(library, PageKind::Templates, "routing")?;
    let is_own = library
        .get(PageKind::Templates, "routing")
        .is_some_and(|page| page.origin == Origin::Project);
    let has_ours =
        || library.pages_of_kind(PageKind::Templates).any(|page| page.origin == Origin::Shipped);
    if is_own && has_ours() {
        let ours: Rows = page_data(&library.without_project(), PageKind::Templates, "routing")?;
        let own: BTreeSet<String> = rows.iter().map(|row| row.id.clone()).collect();
        rows.extend(ours.rows.into_iter().filter(|row| !own.contains(&row.id)));
    }
    Ok(rows)
}

/// Deserialises the header of a page.
///
/// # Errors
/// When the page does not exist or its header is malformed.
pub(super) fn page_data<T: DeserializeOwned>(
    library: &Library,
    shelf: PageKind,
    name: &str,
) -> Result<T, TableError> {
    // A project that uses only its own pages may not have this table; the shipped one applies then.
    let shipped;
    let page = match library.get(shelf, name) {
        Some(page) => page,
        None => {
            shipped = library.without_project();
            shipped
                .get(shelf, name)
                .ok_or_else(|| TableError::Missing { name: name.to_owned(), shelf: shelf.name() })?
        }
    };
    serde_json::from_value(Value::Object((*page.header).clone()))
        .map_err(|why| TableError::Malformed { path: page.path.clone(), why })
}

fn distinct(roles: impl Iterator<Item = String>) -> Vec<String> {
    let mut seen: BTreeMap<String, usize> = BTreeMap::new();
    let mut order = Vec::new();
    for role in roles {
        if seen.insert(role.clone(), order.len()).is_none() {
            order.push(role);
        }
    }
    order
}

#[cfg(test)]
mod tests {
    use super::*;

    #[derive(Deserialize)]
    struct Case {
        task: String,
        roles: Vec<String>,
    }

    #[test]
    fn the_tree_cases_are_routed() {
        #[derive(Deserialize)]
        struct Cases {
            cases: Vec<Case>,
        }
        let library = Library::shipped(&aidd_content::RULES);
        let routing = Routing::new(&library).expect("the tables");
        let cases: Cases =
            page_data(&library, PageKind::Templates, "decision-tree").expect("cases");
        assert!(cases.cases.len() > 3);
        for case in cases.cases {
            assert_eq!(routing.classify(&case.task).roles, case.roles, "{}", case.task);
        }
    }

    /// A name, a place and a symptom in a task of one area do not count as separate areas.
    #[test]
    fn incidental_words_do_not_add_roles() {
        let routing = Routing::new(&Library::shipped(&aidd_content::RULES)).expect("the tables");
        let roles = |task: &str| routing.classify(task).roles;
        let flaky = "flaky test in CI: test_login_timeout fails one run out of ten";
        assert_eq!(roles(flaky), ["quality-engineer"]);
        let wide = "Build a new feature: a login page, its API endpoint and the database schema";
        assert!(roles(wide).len() > 3, "{:?}", roles(wide));
    }

    #[test]
    #[expect(clippy::disallowed_methods, reason = "the test creates a project to read")]
    fn project_rows_precede_shipped_rows() {
        let folder = tempfile::tempdir().expect("a directory");
        std::fs::create_dir(folder.path().join("templates")).expect("created");
        let page = "---\nrows:\n  - { id: billing, en: [ledger*, dunning], role: billing-engineer, workflow: refactor, tier: 1, phase: BUILD, like: [A posting has the wrong account] }\n  - { id: tests, en: [test*], role: tester, workflow: test, tier: 2, phase: VERIFY }\n---\n# Routing\n";
        std::fs::write(folder.path().join("templates/routing.md"), page).expect("written");
        let disk = aidd_engine::text::files::Disk::new(folder.path());
        let library = Library::load(
            &aidd_content::RULES,
            &disk,
            &aidd_engine::project::config::ContentConfig::default(),
        );
        let routing = Routing::for_library(&library).expect("the tables");
        let routed = |text: &str| {
            let route = routing.classify(text);
            format!("{} {:?}", route.row.unwrap_or_default(), route.roles)
        };
        assert_eq!(routed("Close the ledger at night"), r#"billing ["billing-engineer"]"#);
        assert_eq!(
            routed("This posting went to a wrong account"),
            r#"billing ["billing-engineer"]"#
        );
        assert!(routed("Write unit tests for the date helpers").starts_with("tests "));
        assert!(routed("Publish the package to npm").starts_with("release "));
        assert_eq!(routing.rows().iter().filter(|row| row.id == "tests").count(), 1);
    }

    #[test]
    fn unmatched_tasks_get_no_route() {
        let library = Library::shipped(&aidd_content::RULES);
        let routing = Routing::new(&library).expect("the tables");
        assert_eq!(routing.classify("hm, perhaps later"), Route::default());
        assert_eq!(routing.classify(""), Route::default());
    }
}
