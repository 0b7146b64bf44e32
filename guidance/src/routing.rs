//! Routes a task to roles, workflow, tier and phase: scores the rows of `templates/routing.md` and
//! labelled tasks, then follows `templates/decision-tree.md`. These pages describe the method.
mod marker;
mod rows;
mod weights;

use super::library::{Library, TableError};
use super::page_kind::PageKind;
use super::task_model::TaskModel;
use super::words::{NormalizedTask, Words};
use aidd_lexicon::tables::scores::routing as score;
use serde::{Deserialize, de::DeserializeOwned};
use serde_json::Value;
use std::collections::{BTreeMap, BTreeSet};
use std::sync::OnceLock;

/// Maximum number of characters of a task that are read.
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
    /// The workflow that the task follows.
    pub workflow: String,
    /// The required judgement, from 1 (most) to 3 (least).
    pub tier: u8,
    /// The lifecycle phase to which the task belongs.
    pub phase: String,
    /// The template to fill in.
    pub template: Option<String>,
    /// Example tasks for this row.
    #[serde(default)]
    like: Vec<String>,
    /// Whether a page of the project defines the row.
    #[serde(skip)]
    is_own: bool,
}

/// A node of the decision tree. The role `activates` works after the roles of the nodes in `needs`.
#[derive(Clone, Debug, Deserialize)]
struct Node {
    id: String,
    activates: String,
    rows: Vec<String>,
    #[serde(default)]
    needs: Vec<String>,
    #[serde(default, rename = "then")]
    follow_ups: Vec<String>,
    #[serde(default)]
    spans: bool,
}

#[derive(Clone, Debug, Deserialize)]
struct Area {
    words: Words,
    nodes: Vec<Node>,
}

/// The number of nodes that a task of several areas matches, and the workflow for such tasks.
#[derive(Clone, Debug, Deserialize)]
struct MultiAreaSettings {
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
    spans: Option<MultiAreaSettings>,
    roles: BTreeSet<String>,
    /// The template for questions when no row matches.
    otherwise: String,
    /// See [`aidd_page::Tables::tasks`].
    tasks: &'static str,
    task_model: OnceLock<TaskModel>,
}

/// The classification of a task.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Route {
    /// The row that determined the route; `None` if no row matched or the task names a role.
    pub row: Option<String>,
    /// Roles, in the order in which they work.
    pub roles: Vec<String>,
    /// Roles that are suggested once the work is done.
    pub next_roles: Vec<String>,
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
    /// The likelihood of the row among all rows, from 0 to 1.
    pub likelihood: f64,
    /// The second-best row, when the confidence in the best row is low.
    pub runner_up: Option<String>,
    /// Candidate rows, when no row is likely enough to be selected.
    pub candidates: Vec<String>,
}

impl Route {
    /// The share of tasks with this likelihood whose route is right, from 0 to 1: a task can belong
    /// to several rows of the same role and workflow.
    #[must_use]
    pub fn confidence(&self) -> f64 {
        self.likelihood.powf(score::CONFIDENCE)
    }
}

/// The index of a row, the weight of its matching words, and the indices of the matched tokens.
type RowScore = (usize, f64, BTreeSet<usize>);

/// Pages of skills that are not roles: a table and a skill of every role.
const NOT_ROLES: [&str; 2] = ["competency-matrix", "memory"];

impl Routing {
    /// Reads the tables from the pages of `library`.
    ///
    /// # Errors
    /// Fails when a page cannot be read as a table.
    pub fn new(library: &Library) -> Result<Self, TableError> {
        #[derive(Deserialize)]
        struct Tree {
            areas: Vec<Area>,
            spans: Option<MultiAreaSettings>,
            otherwise: FallbackSettings,
        }
        #[derive(Deserialize)]
        struct FallbackSettings {
            ask: String,
        }
        let rows = rows::rows(library)?;
        let tree: Tree = page_data(library, PageKind::Templates, "decision-tree")?;
        let mut nodes = Vec::new();
        let mut areas = Vec::new();
        for (area_index, area) in tree.areas.into_iter().enumerate() {
            areas.push(area.words);
            nodes.extend(area.nodes.into_iter().map(|node| (node, area_index)));
        }
        let roles = library.pages_of_kind(PageKind::Skills).map(|page| page.name.clone());
        let roles = nodes.iter().map(|(node, _)| node.activates.clone()).chain(roles);
        let roles = roles.filter(|role| !NOT_ROLES.contains(&&**role)).collect();
        Ok(Self {
            rows,
            nodes,
            areas,
            spans: tree.spans,
            roles,
            otherwise: tree.otherwise.ask,
            tasks: library.tasks(),
            task_model: OnceLock::new(),
        })
    }

    /// The tables of `library`, read on first use.
    ///
    /// # Errors
    /// Fails in the same cases as [`Routing::new`].
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

    /// Classifies the words of `task`.
    fn classify_words(&self, task: &str) -> Route {
        let mut task = NormalizedTask::new(&task.chars().take(MAX_CHARS).collect::<String>());
        if let Some(role) = self.named_role(&task) {
            return Route { roles: vec![role], likelihood: 1.0, ..Route::default() };
        }
        self.task_model().correct_typos(&mut task.tokens);
        let ranked = self.rank(&task);
        // A single unknown word is not a task.
        if ranked.is_empty() && task.tokens.len() < 2 {
            return Route::default();
        }
        let probabilities = self.probabilities(&task, &ranked);
        let Some(&(best, likelihood)) = probabilities.first() else { return Route::default() };
        if ranked.is_empty() {
            let is_not_a_task = |&(row, _): &(usize, f64)| row == self.rows.len();
            if is_not_a_task(&probabilities[0]) {
                return Route::default();
            }
            if likelihood < score::LEAST {
                let rows =
                    probabilities.iter().filter(|probability| !is_not_a_task(probability)).take(3);
                let candidates = rows.map(|&(row, _)| self.rows[row].id.clone()).collect();
                return Route { candidates, ..Route::default() };
            }
        }
        let Some(row) = self.rows.get(best) else { return Route::default() };
        let second = probabilities.get(1).and_then(|&(row, _)| self.rows.get(row));
        let second = second.filter(|_| likelihood < score::SURE).map(|row| row.id.clone());
        let likely = probabilities.iter().filter(|(_, p)| *p >= score::ALSO).map(|(row, _)| *row);
        Route { likelihood, runner_up: second, ..self.route_for(row, &ranked, &likely.collect()) }
    }

    /// The route for the deciding row `row`, and for the rows that match a word and are in
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
        // A row of the project has a node in the tree only if the project's page defines such a
        // node.
        let Some(leading_node) = self.node_of(&row.id) else { return route };
        // A complete feature spans several areas by definition, so every area that the task names
        // counts.
        let spans_areas = self.nodes[leading_node].0.spans;
        let mut matched = self.matched_nodes(ranked, |row| spans_areas || likely.contains(&row));
        matched.insert(leading_node);
        let spans = self
            .spans
            .as_ref()
            .filter(|spans| matched.len() >= spans.at_least || spans_areas && matched.len() > 1);
        let mut order: Vec<usize> = Vec::new();
        let leading_nodes = if spans.is_some() { matched } else { BTreeSet::from([leading_node]) };
        for node in leading_nodes {
            self.add_with_dependencies(node, &mut order, 0);
        }
        if spans.is_some() {
            order.sort_unstable();
        }
        let roles = distinct(order.iter().map(|&node| self.nodes[node].0.activates.clone()));
        let next_roles = distinct(self.follow_up_roles(leading_node));
        Route {
            // A role that does the work is not also suggested as a follow-up.
            next_roles: next_roles.into_iter().filter(|role| !roles.contains(role)).collect(),
            roles,
            workflow: Some(spans.map_or(&row.workflow, |spans| &spans.workflow).clone()),
            spans: spans.is_some(),
            ..route
        }
    }

    /// The rows with their probabilities, largest first, ties in table order. The index after the
    /// last row means "not a task"; this index is excluded as soon as a word matches.
    fn probabilities(&self, task: &NormalizedTask, ranked: &[RowScore]) -> Vec<(usize, f64)> {
        let mut scores: Vec<f64> =
            self.task_model().score(&task.tokens).into_iter().map(f64::from).collect();
        for (row, weight, _) in ranked {
            scores[*row] += score::WORD * weight;
        }
        if !ranked.is_empty() {
            scores.truncate(self.rows.len());
        }
        weights::add_learned(&mut scores, &self.rows, &task.tokens);
        // A row of the project precedes shipped rows that match no word.
        if ranked.iter().any(|(row, ..)| self.rows[*row].is_own) {
            let is_ranked = |row| ranked.iter().any(|(other, ..)| *other == row);
            let others = scores.iter_mut().enumerate().filter(|(row, _)| !is_ranked(*row));
            others.for_each(|(_, score)| *score = f64::NEG_INFINITY);
        }
        let max = scores.iter().copied().fold(f64::NEG_INFINITY, f64::max);
        let weights: Vec<f64> =
            scores.iter().map(|score| ((score - max) / score::SPREAD).exp()).collect();
        let sum: f64 = weights.iter().sum();
        let mut shares: Vec<_> = weights.into_iter().map(|score| score / sum).enumerate().collect();
        shares.sort_by(|a, b| b.1.total_cmp(&a.1));
        shares
    }

    fn task_model(&self) -> &TaskModel {
        self.task_model.get_or_init(|| {
            let indices: BTreeMap<&str, usize> =
                self.rows.iter().enumerate().map(|(index, row)| (&*row.id, index)).collect();
            let not_a_task = self.rows.len();
            let mut index = None;
            let mut tasks = Vec::new();
            for line in self.tasks.lines().filter(|line| !line.is_empty()) {
                match line.strip_prefix("# ") {
                    Some("-") => index = Some(not_a_task),
                    Some(id) => index = indices.get(id).copied(),
                    None => tasks.extend(index.map(|index| (line, index))),
                }
            }
            let rows = || self.rows.iter().enumerate();
            tasks.extend(rows().flat_map(|(i, row)| row.like.iter().map(move |task| (&**task, i))));
            let words = rows().flat_map(|(index, row)| {
                let words = row.words.en.iter().chain(&row.words.ko);
                words.map(move |word| (word.trim_end_matches('*'), index))
            });
            TaskModel::new(not_a_task + 1, &tasks, &words.collect::<Vec<_>>())
        })
    }

    /// The role that the task names, with hyphens or spaces.
    fn named_role(&self, task: &NormalizedTask) -> Option<String> {
        let names_role = |role: &&String| {
            task.text.contains(role.as_str()) || task.text.contains(&role.replace('-', " "))
        };
        self.roles.iter().find(names_role).cloned()
    }

    /// The matching rows with weight and tokens, heaviest first, ties in table order.
    fn rank(&self, task: &NormalizedTask) -> Vec<RowScore> {
        let bonus: Vec<f64> = self
            .areas
            .iter()
            .map(|words| if task.weight(words).0 > 0.0 { 0.5 } else { 0.0 })
            .collect();
        let mut ranked = Vec::new();
        for (index, row) in self.rows.iter().enumerate() {
            let (weight, tokens) = task.weight(&row.words);
            if weight > 0.0 {
                let area = self.node_of(&row.id).map(|node| self.nodes[node].1);
                let bonus = area.and_then(|area| bonus.get(area)).copied().unwrap_or_default();
                ranked.push((index, weight + bonus, tokens));
            }
        }
        ranked.sort_by(|a, b| b.1.total_cmp(&a.1));
        ranked
    }

    /// The nodes of the rows that satisfy `is_relevant` and match at least one token that no
    /// heavier row uses, in tree order.
    fn matched_nodes(
        &self,
        ranked: &[RowScore],
        is_relevant: impl Fn(usize) -> bool,
    ) -> BTreeSet<usize> {
        let mut used: BTreeSet<usize> = BTreeSet::new();
        let mut nodes = BTreeSet::new();
        for (row, _, tokens) in ranked {
            if !tokens.is_subset(&used) && is_relevant(*row) {
                nodes.extend(self.node_of(&self.rows[*row].id));
            }
            used.extend(tokens);
        }
        nodes
    }

    fn node_of(&self, row: &str) -> Option<usize> {
        self.nodes.iter().position(|(node, _)| node.rows.iter().any(|id| id == row))
    }

    fn node_by_id(&self, id: &str) -> Option<usize> {
        self.nodes.iter().position(|(node, _)| node.id == id)
    }

    /// Adds the nodes that `node` needs, then `node` itself, each once. The recursion stops at a
    /// depth that only a cycle can reach.
    fn add_with_dependencies(&self, node: usize, order: &mut Vec<usize>, depth: usize) {
        if depth > self.nodes.len() || order.contains(&node) {
            return;
        }
        for needed in self.nodes[node].0.needs.iter().filter_map(|id| self.node_by_id(id)) {
            self.add_with_dependencies(needed, order, depth + 1);
        }
        if !order.contains(&node) {
            order.push(node);
        }
    }

    fn follow_up_roles(&self, node: usize) -> impl Iterator<Item = String> {
        let follow_ups = self.nodes[node].0.follow_ups.iter().filter_map(|id| self.node_by_id(id));
        follow_ups.map(|node| self.nodes[node].0.activates.clone())
    }
}

/// Deserialises the header of a page.
///
/// # Errors
/// Fails when the page does not exist or its header is malformed.
pub(super) fn page_data<T: DeserializeOwned>(
    library: &Library,
    kind: PageKind,
    name: &str,
) -> Result<T, TableError> {
    // A project with only its own pages can lack this table; then the shipped table applies.
    let shipped;
    let page = match library.get(kind, name) {
        Some(page) => page,
        None => {
            shipped = library.without_project();
            shipped
                .get(kind, name)
                .ok_or_else(|| TableError::Missing { name: name.to_owned(), kind: kind.name() })?
        }
    };
    serde_json::from_value(Value::Object((*page.header).clone()))
        .map_err(|why| TableError::Malformed { path: page.path.clone(), why })
}

fn distinct(roles: impl Iterator<Item = String>) -> Vec<String> {
    let mut indices: BTreeMap<String, usize> = BTreeMap::new();
    let mut order = Vec::new();
    for role in roles {
        if indices.insert(role.clone(), order.len()).is_none() {
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
    fn the_cases_of_the_decision_tree_are_routed() {
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

    /// A name, a location and a symptom in a task of one area do not count as separate areas.
    #[test]
    fn incidental_words_do_not_add_roles() {
        let routing = Routing::new(&Library::shipped(&aidd_content::RULES)).expect("the tables");
        let roles = |task: &str| routing.classify(task).roles;
        let flaky = "flaky test in CI: test_login_timeout fails one run out of ten";
        assert_eq!(roles(flaky), ["quality-engineer"]);
        let whole_feature =
            "Build a new feature: a login page, its API endpoint and the database schema";
        assert!(roles(whole_feature).len() > 3, "{:?}", roles(whole_feature));
    }

    #[test]
    #[expect(clippy::disallowed_methods, reason = "the test creates a project to read")]
    fn project_rows_precede_shipped_rows() {
        let directory = tempfile::tempdir().expect("a directory");
        std::fs::create_dir(directory.path().join("templates")).expect("created");
        let page = "---\nrows:\n  - { id: billing, en: [ledger*, dunning], role: billing-engineer, workflow: refactor, tier: 1, phase: BUILD, like: [A posting has the wrong account] }\n  - { id: tests, en: [test*], role: tester, workflow: test, tier: 2, phase: VERIFY }\n---\n# Routing\n";
        std::fs::write(directory.path().join("templates/routing.md"), page).expect("written");
        let disk = aidd_engine::text::files::Disk::new(directory.path());
        let library = Library::load(
            &aidd_content::RULES,
            &disk,
            &aidd_engine::project::config::ContentConfig::default(),
        );
        let routing = Routing::for_library(&library).expect("the tables");
        let route_of = |text: &str| {
            let route = routing.classify(text);
            format!("{} {:?}", route.row.unwrap_or_default(), route.roles)
        };
        assert_eq!(route_of("Close the ledger at night"), r#"billing ["billing-engineer"]"#);
        assert_eq!(
            route_of("This posting went to a wrong account"),
            r#"billing ["billing-engineer"]"#
        );
        assert!(route_of("Write unit tests for the date helpers").starts_with("tests "));
        assert!(route_of("Publish the package to npm").starts_with("release "));
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
