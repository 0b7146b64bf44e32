//! From a task in a sentence to roles, workflow, tier and phase: the rows of `templates/routing.md`
//! weighed, and the tree of `templates/decision-tree.md` followed. Those pages say how.

use super::library::Library;
use super::shelf::Shelf;
use crate::embedding::Table;
use serde::Deserialize;
use serde::de::DeserializeOwned;
use serde_json::Value;
use std::collections::{BTreeMap, BTreeSet};
use unicode_normalization::UnicodeNormalization;

/// Below this the second row is named too.
const SURE: f64 = 0.6;

/// How alike a task and an example have to be where no word matches: of the tasks under
/// `tests/routing`, those nearer than this go to the right row more often than not.
const ALIKE: f32 = 0.4;
/// The same for a task of two or three words: "ok do it" is 0.47 from one.
const ALIKE_SHORT: f32 = 0.5;

/// How sure a route by meaning alone is.
pub(super) const BY_MEANING: f64 = 0.3;

/// Words by language.
#[derive(Clone, Debug, Default, Deserialize)]
pub(super) struct Words {
    #[serde(default)]
    en: Vec<String>,
    #[serde(default)]
    ko: Vec<String>,
}

/// A row of the routing table.
#[derive(Clone, Debug, Deserialize)]
pub struct Row {
    /// Its name.
    pub id: String,
    #[serde(flatten)]
    words: Words,
    /// Who does it.
    pub role: String,
    /// How.
    pub workflow: String,
    /// How much judgement it takes: 1 to 3.
    pub tier: u8,
    /// Where in the lifecycle it belongs.
    pub phase: String,
    /// The form to fill in.
    pub template: Option<String>,
    /// Tasks that belong here, in other words.
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

/// The tables of routing, read.
#[derive(Clone, Debug)]
pub struct Routing {
    rows: Vec<Row>,
    /// Nodes in the order of the tree, with the place of their area.
    nodes: Vec<(Node, usize)>,
    areas: Vec<Words>,
    spans: Option<Spans>,
    roles: BTreeSet<String>,
    /// The form to ask with where no row matches.
    otherwise: String,
}

/// What a task is.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Route {
    /// The row that decided; `None`: no word matched, or the task names a role.
    pub row: Option<String>,
    /// Roles, in the order they work.
    pub roles: Vec<String>,
    /// Roles that are proposed when the work is done.
    pub then: Vec<String>,
    /// The workflow.
    pub workflow: Option<String>,
    /// The phase.
    pub phase: Option<String>,
    /// 1 to 3.
    pub tier: Option<u8>,
    /// The form to fill in.
    pub template: Option<String>,
    /// Whether several areas are at work.
    pub spans: bool,
    /// 0 to 1.
    pub confidence: f64,
    /// The row that came second, where the first is not sure.
    pub second: Option<String>,
}

/// A text as routing sees it.
struct Task {
    text: String,
    tokens: Vec<String>,
}

impl Task {
    fn new(text: &str) -> Self {
        let text = folded(text);
        let tokens = words(&text).into_iter().flat_map(without_particle).collect();
        Self { text, tokens }
    }

    /// The tokens that an English entry covers; whole words in a row, the last one as a beginning
    /// where the entry ends with `*`.
    fn english(&self, entry: &str) -> BTreeSet<usize> {
        let is_beginning = entry.ends_with('*');
        let entry = words(&folded(entry));
        let Some((last, first)) = entry.split_last() else { return BTreeSet::new() };
        let fits = |window: &[String]| {
            let (end, start) = (&window[first.len()], &window[..first.len()]);
            start == first && if is_beginning { end.starts_with(&**last) } else { end == last }
        };
        let at = self.tokens.windows(entry.len()).enumerate().filter(|(_, window)| fits(window));
        at.flat_map(|(at, _)| at..at + entry.len()).collect()
    }

    /// The same for a Korean entry, which stands anywhere in the text.
    fn korean(&self, entry: &str) -> BTreeSet<usize> {
        let entry = folded(entry);
        if entry.is_empty() || !self.text.contains(&entry) {
            return BTreeSet::new();
        }
        let parts: Vec<&str> = entry.split_whitespace().collect();
        let covers = |token: &String| parts.iter().any(|part| token.contains(part));
        (0..self.tokens.len()).filter(|&at| covers(&self.tokens[at])).collect()
    }

    /// How many words of the task are among `words`, each entry once, and which tokens they are.
    fn weigh(&self, words: &Words) -> (f64, BTreeSet<usize>) {
        let english = words.en.iter().map(|entry| (entry, self.english(entry)));
        let korean = words.ko.iter().map(|entry| (entry, self.korean(entry)));
        let mut weight = 0.0;
        let mut taken = BTreeSet::new();
        for (entry, covered) in english.chain(korean) {
            if !covered.is_empty() {
                weight += self::words(&folded(entry)).len().max(1) as f64;
                taken.extend(covered);
            }
        }
        (weight, taken)
    }
}

/// In lower case, composed.
fn folded(text: &str) -> String {
    text.nfc().collect::<String>().to_lowercase()
}

/// Cut at everything that is neither letter nor digit.
fn words(text: &str) -> Vec<String> {
    let parts = text.split(|c: char| !c.is_alphanumeric());
    parts.filter(|part| !part.is_empty()).map(str::to_owned).collect()
}

/// "api를" is "api" and "를".
fn without_particle(token: String) -> Vec<String> {
    let end = token.find(|c: char| !c.is_ascii_alphanumeric()).unwrap_or(token.len());
    let is_hangul = token[end..].chars().all(|c| matches!(c, '\u{AC00}'..='\u{D7A3}'));
    if end == 0 || end == token.len() || !is_hangul {
        return vec![token];
    }
    vec![token[..end].to_owned(), token[end..].to_owned()]
}

impl Routing {
    /// The tables as the pages of `library` have them.
    ///
    /// # Errors
    /// Which page cannot be read as a table, and why.
    pub fn new(library: &Library) -> Result<Self, String> {
        #[derive(Deserialize)]
        struct Rows {
            rows: Vec<Row>,
        }
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
        let table: Rows = page_data(library, Shelf::Templates, "routing")?;
        let tree: Tree = page_data(library, Shelf::Templates, "decision-tree")?;
        let mut nodes = Vec::new();
        let mut areas = Vec::new();
        for (place, area) in tree.areas.into_iter().enumerate() {
            areas.push(area.words);
            nodes.extend(area.nodes.into_iter().map(|node| (node, place)));
        }
        let of_pages = library.on(Shelf::Skills).map(|page| page.name.clone());
        let roles = nodes.iter().map(|(node, _)| node.activates.clone()).chain(of_pages);
        let roles = roles.filter(|role| role != "competency-matrix").collect();
        let otherwise = tree.otherwise.ask;
        Ok(Self { rows: table.rows, nodes, areas, spans: tree.spans, roles, otherwise })
    }

    /// The form to ask with where no row matches.
    #[must_use]
    pub fn otherwise(&self) -> &str {
        &self.otherwise
    }

    /// The rows, in order.
    #[must_use]
    pub fn rows(&self) -> &[Row] {
        &self.rows
    }

    /// What `task` is.
    #[must_use]
    pub fn classify(&self, task: &str) -> Route {
        let task = Task::new(task);
        if let Some(role) = self.named(&task) {
            return Route { roles: vec![role], confidence: 1.0, ..Route::default() };
        }
        let mut ranked = self.rank(&task);
        let by_words = !ranked.is_empty();
        if !by_words {
            ranked.extend(self.alike(&task).map(|row| (row, 1.0, BTreeSet::from([0]))));
        }
        let Some((best, weight)) = ranked.first().map(|(at, weight, _)| (*at, *weight)) else {
            return Route::default();
        };
        let Some(leading) = self.node_of(&self.rows[best].id) else { return Route::default() };
        let matched = self.matched(&ranked);
        let many = self.spans.as_ref().filter(|spans| {
            matched.len() >= spans.at_least || self.nodes[leading].0.spans && matched.len() > 1
        });
        let mut order: Vec<usize> = Vec::new();
        let leads = if many.is_some() { matched } else { vec![leading] };
        for lead in leads {
            self.activate(lead, &mut order, 0);
        }
        if many.is_some() {
            order.sort_unstable();
        }
        let row = &self.rows[best];
        let roles = distinct(order.iter().map(|&node| self.nodes[node].0.activates.clone()));
        let then = distinct(self.after(leading));
        let second = ranked.get(1).map(|(at, weight, _)| (*at, *weight));
        let confidence = match second {
            _ if !by_words => BY_MEANING,
            None => 1.0,
            Some((_, other)) => weight / (weight + other),
        };
        Route {
            row: Some(row.id.clone()),
            // Whose work it is does not come after it too.
            then: then.into_iter().filter(|role| !roles.contains(role)).collect(),
            roles,
            workflow: Some(many.map_or(&row.workflow, |spans| &spans.workflow).clone()),
            phase: Some(row.phase.clone()),
            tier: Some(row.tier),
            template: row.template.clone(),
            spans: many.is_some(),
            confidence,
            second: second.filter(|_| confidence < SURE).map(|(at, _)| self.rows[at].id.clone()),
        }
    }

    /// The role that the task names, with hyphen or space.
    fn named(&self, task: &Task) -> Option<String> {
        let says = |role: &&String| {
            task.text.contains(role.as_str()) || task.text.contains(&role.replace('-', " "))
        };
        self.roles.iter().find(says).cloned()
    }

    /// The rows that match, the heaviest first; of equal ones the earlier. With weight and tokens.
    fn rank(&self, task: &Task) -> Vec<(usize, f64, BTreeSet<usize>)> {
        let bonus: Vec<f64> = self
            .areas
            .iter()
            .map(|words| if task.weigh(words).0 > 0.0 { 0.5 } else { 0.0 })
            .collect();
        let mut ranked = Vec::new();
        for (at, row) in self.rows.iter().enumerate() {
            let (weight, taken) = task.weigh(&row.words);
            if weight > 0.0 {
                let area = self.node_of(&row.id).map(|node| self.nodes[node].1);
                let bonus = area.and_then(|area| bonus.get(area)).copied().unwrap_or_default();
                ranked.push((at, weight + bonus, taken));
            }
        }
        ranked.sort_by(|a, b| b.1.total_cmp(&a.1));
        ranked
    }

    /// The row with the example that means most nearly what the task does. A word alone is no task,
    /// and few words have to be nearer.
    fn alike(&self, task: &Task) -> Option<usize> {
        let least = match task.tokens.len() {
            0 | 1 => return None,
            2 | 3 => ALIKE_SHORT,
            _ => ALIKE,
        };
        let table = Table::shipped();
        let task = table.vector(&task.text);
        let examples = self
            .rows
            .iter()
            .enumerate()
            .flat_map(|(at, row)| row.like.iter().map(move |example| (at, example)));
        let alike = examples.map(|(at, example)| (at, table.vector(example).cosine(&task)));
        let best = alike.max_by(|one, other| one.1.total_cmp(&other.1));
        best.filter(|(_, likeness)| *likeness >= least).map(|(at, _)| at)
    }

    /// The nodes that match by a token which no heavier row took, in the order of the tree.
    fn matched(&self, ranked: &[(usize, f64, BTreeSet<usize>)]) -> Vec<usize> {
        let mut used: BTreeSet<usize> = BTreeSet::new();
        let mut nodes = BTreeSet::new();
        for (row, _, taken) in ranked {
            if !taken.is_subset(&used) {
                nodes.extend(self.node_of(&self.rows[*row].id));
            }
            used.extend(taken);
        }
        nodes.into_iter().collect()
    }

    fn node_of(&self, row: &str) -> Option<usize> {
        self.nodes.iter().position(|(node, _)| node.rows.iter().any(|own| own == row))
    }

    fn place(&self, id: &str) -> Option<usize> {
        self.nodes.iter().position(|(node, _)| node.id == id)
    }

    /// What `node` needs, then itself, each once. A tree deeper than it has nodes goes in a circle.
    fn activate(&self, node: usize, order: &mut Vec<usize>, depth: usize) {
        if depth > self.nodes.len() || order.contains(&node) {
            return;
        }
        for needed in self.nodes[node].0.needs.iter().filter_map(|id| self.place(id)) {
            self.activate(needed, order, depth + 1);
        }
        if !order.contains(&node) {
            order.push(node);
        }
    }

    fn after(&self, node: usize) -> impl Iterator<Item = String> {
        let then = self.nodes[node].0.then.iter().filter_map(|id| self.place(id));
        then.map(|node| self.nodes[node].0.activates.clone())
    }
}

/// The entries of `words` that `text` holds.
pub(super) fn finds(text: &str, words: &Words) -> Vec<String> {
    let task = Task::new(text);
    let english = words.en.iter().filter(|entry| !task.english(entry).is_empty());
    let korean = words.ko.iter().filter(|entry| !task.korean(entry).is_empty());
    english.chain(korean).cloned().collect()
}

/// The header of a page as data.
///
/// # Errors
/// That there is no such page, or what in it does not fit.
pub(super) fn page_data<T: DeserializeOwned>(
    library: &Library,
    shelf: Shelf,
    name: &str,
) -> Result<T, String> {
    // A project that keeps to its own pages may have no such table: ours holds then.
    let shipped;
    let page = match library.get(shelf, name) {
        Some(page) => page,
        None => {
            shipped = Library::shipped();
            shipped
                .get(shelf, name)
                .ok_or_else(|| format!("there is no page `{name}` among the {}", shelf.word()))?
        }
    };
    serde_json::from_value(Value::Object((*page.header).clone()))
        .map_err(|error| format!("{}: {error}", page.path))
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
    fn the_tree_solves_its_own_cases() {
        #[derive(Deserialize)]
        struct Cases {
            cases: Vec<Case>,
        }
        let library = Library::shipped();
        let routing = Routing::new(&library).expect("the tables");
        let cases: Cases = page_data(&library, Shelf::Templates, "decision-tree").expect("cases");
        assert!(cases.cases.len() > 3);
        for case in cases.cases {
            assert_eq!(routing.classify(&case.task).roles, case.roles, "{}", case.task);
        }
    }

    #[test]
    fn what_matches_nothing_is_said_to() {
        let library = Library::shipped();
        let routing = Routing::new(&library).expect("the tables");
        assert_eq!(routing.classify("hm, perhaps later"), Route::default());
        assert_eq!(routing.classify(""), Route::default());
    }
}
