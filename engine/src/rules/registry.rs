//! All rules of a project: the shipped pages and the project's own.

use crate::rules::rule::Rule;
use crate::text::files::{Disk, Files, Nested, SIDE_FILE_LIMIT, markdown_below};
use crate::text::finding::RuleId;
use crate::text::kind::{PACK_DIR, RULE_DIRS, is_memory_path, is_pack_path};
use crate::text::nearest::{closest, nearest};
use crate::text::paths::{rule_globs, scope_of};
use aidd_page::{self as page, PageError, Tables};
use serde_json::{Map, Value};
use std::collections::{BTreeMap, BTreeSet, HashMap};
use std::sync::OnceLock;

/// The beginning of the ids of the rules on secrets; no other rule marks a text as a secret.
pub(crate) const SECRETS: &str = "secrets/";

/// All rules, ordered by id, with a lookup by id or alias.
#[derive(Clone, Debug)]
pub struct Registry {
    tables: &'static Tables,
    rules: Vec<Rule>,
    /// Lower-case id or alias of a project's rule → indexes into `rules`. The shipped rules are
    /// looked up in `tables`.
    own_names: HashMap<String, Vec<usize>>,
    /// Lower-case part of a two-part alias → indexes into `rules`; built on first use.
    by_alias_part: OnceLock<HashMap<String, Vec<usize>>>,
    /// The pages of the project's own packs: path and text.
    packs: Vec<(String, String)>,
}

impl Registry {
    /// The shipped rules of `tables` and the rules of `pages` (path from the root, text). A page
    /// with the id of a shipped rule replaces that rule. A page that cannot be parsed is skipped; a
    /// finding on the page reports the error.
    #[must_use]
    pub fn new(tables: &'static Tables, pages: &[(String, String)]) -> Self {
        // The tables are already ordered by id.
        let mut rules: Vec<Rule> = Vec::with_capacity(tables.pages.len() + pages.len());
        rules.extend(Rule::shipped(tables));
        Self::merge(tables, rules, pages)
    }

    /// The shipped rules on secrets.
    pub(crate) fn on_secrets(tables: &'static Tables) -> Self {
        let shipped = Rule::shipped(tables);
        let rules = shipped.filter(|rule| rule.id.starts_with(SECRETS)).collect();
        Self::merge(tables, rules, &[])
    }

    /// The rules of `pages` without the shipped rules, to try out a page.
    #[must_use]
    pub fn from_pages(tables: &'static Tables, pages: &[(String, String)]) -> Self {
        Self::merge(tables, Vec::new(), pages)
    }

    /// The tables of the shipped pages.
    #[must_use]
    pub fn tables(&self) -> &'static Tables {
        self.tables
    }

    /// Merges `rules`, which are ordered by id, with the rules of `pages`.
    fn merge(tables: &'static Tables, rules: Vec<Rule>, pages: &[(String, String)]) -> Self {
        let (packs, pages): (Vec<_>, Vec<_>) =
            pages.iter().partition(|(path, _)| is_pack_path(path));
        let mut own_names: HashMap<String, Vec<usize>> = HashMap::new();
        let own_packs = packs.into_iter().cloned().collect();
        let by_alias_part = OnceLock::new();
        if pages.is_empty() {
            return Self { tables, rules, own_names, by_alias_part, packs: own_packs };
        }
        // A map, because thousands of pages can be inserted.
        let mut rules: BTreeMap<RuleId, Rule> =
            rules.into_iter().map(|rule| (rule.id.clone(), rule)).collect();
        for (path, text) in pages {
            let Some(mut rule) = project_rule(path, text) else { continue };
            // Two directories, or a page and a memory, can have rules with the same name; both are
            // retained.
            let memory_scope = if is_memory_path(path) { "memory" } else { "" };
            for scope in [scope_of(path), memory_scope].iter().filter(|scope| !scope.is_empty()) {
                if rules.contains_key(&rule.id) {
                    let scope = scope.to_lowercase().replace(['/', '_', '.', ' '], "-");
                    rule.id = format!("{}-{scope}", rule.id).into();
                }
            }
            rules.insert(rule.id.clone(), rule);
        }
        let rules: Vec<Rule> = rules.into_values().collect();
        for (index, rule) in rules.iter().enumerate().filter(|(_, rule)| rule.path.is_some()) {
            own_names.entry(rule.id.to_ascii_lowercase()).or_default().push(index);
            for alias in &rule.aliases {
                own_names.entry(alias.to_ascii_lowercase()).or_default().push(index);
            }
        }
        Self { tables, rules, own_names, by_alias_part, packs: own_packs }
    }

    /// The path of the page that replaces the page at `path`, because both have the id `id`.
    #[must_use]
    pub fn replaced_by(&self, id: &str, path: &str) -> Option<&str> {
        let other = self.get(id)?.path.as_deref().filter(|other| *other != path)?;
        // A rule of an inner directory has a longer id.
        let is_registered = self.rules.iter().any(|rule| rule.path.as_deref() == Some(path));
        (!is_registered).then_some(other)
    }

    /// Every rule, ordered by id.
    #[must_use]
    pub fn rules(&self) -> &[Rule] {
        &self.rules
    }

    /// The ids of the shipped rules that a project's page with a check replaces.
    pub(crate) fn replaced_shipped(&self) -> impl Iterator<Item = RuleId> {
        let is_shipped =
            |rule: &&Rule| self.tables.pages.binary_search_by(|page| page.id.cmp(&rule.id)).is_ok();
        let own = self.rules.iter().filter(|rule| rule.path.is_some() && rule.form.is_some());
        own.filter(is_shipped).map(|rule| rule.id.clone())
    }

    /// The paths of the project's own pages.
    pub(crate) fn own_paths(&mut self) -> impl Iterator<Item = &mut String> {
        self.rules.iter_mut().filter_map(|rule| rule.path.as_mut())
    }

    /// The project's own packs: the name used in the configuration, the path of the page, and its
    /// text.
    pub fn packs(&self) -> impl Iterator<Item = (String, &str, &str)> {
        self.packs.iter().map(|(path, text)| {
            let below = path.strip_prefix(PACK_DIR).unwrap_or(path);
            (format!(".{}", below.trim_end_matches(".md")), path.as_str(), text.as_str())
        })
    }

    /// Replaces the default parameters of rules with the parameters that `params_of` returns.
    pub(crate) fn set_params<'a>(
        &mut self,
        params_of: impl Fn(&RuleId) -> Option<&'a Map<String, Value>>,
    ) -> Result<(), (RuleId, String)> {
        for rule in self.rules.iter_mut().filter(|rule| rule.form.is_some()) {
            let Some(params) = params_of(&rule.id).filter(|params| !params.is_empty()) else {
                continue;
            };
            let check = page::check_with(&rule.page, params);
            rule.set_check(check.map_err(|error| (rule.id.clone(), error_message(&error)))?);
        }
        Ok(())
    }

    /// The rule with this id.
    #[must_use]
    pub fn get(&self, id: &str) -> Option<&Rule> {
        let index = self.rules.binary_search_by(|rule| (*rule.id).cmp(id)).ok()?;
        self.rules.get(index)
    }

    /// The rules with the id or alias `name`, ordered by id. Several rules can share an alias.
    pub fn named(&self, name: &str) -> impl Iterator<Item = &Rule> {
        let name = name.to_ascii_lowercase();
        let mut rules: Vec<&Rule> = self.shipped_named(&name).collect();
        let own = self.own_names.get(&name).into_iter().flatten();
        rules.extend(own.map(|&index| &self.rules[index]));
        rules.sort_by(|one, other| one.id.cmp(&other.id));
        rules.into_iter()
    }

    /// The rules that have a two-part alias (tool and rule) with `word` as one of the parts.
    pub fn named_by_alias_part(&self, word: &str) -> impl Iterator<Item = &Rule> {
        let by_part = self.by_alias_part.get_or_init(|| self.index_alias_parts());
        let found = by_part.get(&word.to_ascii_lowercase()).into_iter().flatten();
        found.map(|&index| &self.rules[index])
    }

    /// Lower-case part of a two-part alias → indexes into the rules, in order. The aliases of the
    /// shipped rules come from the tables, which need no memory.
    fn index_alias_parts(&self) -> HashMap<String, Vec<usize>> {
        let mut aliases: BTreeSet<(usize, &str)> = BTreeSet::new();
        for (name, page) in self.tables.names.all() {
            let id = self.tables.pages.get(page).map_or("", |page| page.id);
            let at = self.rules.binary_search_by(|rule| (*rule.id).cmp(id)).ok();
            let at = at.filter(|&at| name != id && self.rules[at].path.is_none());
            aliases.extend(at.map(|at| (at, name)));
        }
        for (at, rule) in self.rules.iter().enumerate().filter(|(_, rule)| rule.path.is_some()) {
            aliases.extend(rule.aliases.iter().map(|alias| (at, alias.as_str())));
        }
        let mut by_part: HashMap<String, Vec<usize>> = HashMap::new();
        for (at, alias) in aliases {
            let parts = alias.split_once('/').into_iter().flat_map(|(tool, rule)| [tool, rule]);
            for part in parts {
                let indexes = by_part.entry(part.to_ascii_lowercase()).or_default();
                if indexes.last() != Some(&at) {
                    indexes.push(at);
                }
            }
        }
        by_part
    }

    /// The shipped rules with the id or alias `name`, in lower case, except rules that a project's
    /// page replaces.
    fn shipped_named(&self, name: &str) -> impl Iterator<Item = &Rule> {
        let pages = self.tables.names.pages(name);
        let rules = pages.filter_map(|page| self.get(self.tables.pages.get(page)?.id));
        rules.filter(|rule| rule.path.is_none())
    }

    /// Whether `name` is an id or alias of a rule.
    #[must_use]
    pub fn contains(&self, name: &str) -> bool {
        let name = name.to_ascii_lowercase();
        self.own_names.contains_key(&name) || self.shipped_named(&name).next().is_some()
    }

    /// The id that the author of `name` probably meant: an id that differs from `name` by a few
    /// letters, or that begins with `name`. If `name` is a glob, or only a kind (the part of an id
    /// before the slash), the result is a glob with a known kind.
    #[must_use]
    pub fn nearest(&self, name: &str) -> Option<String> {
        let ids = || self.rules.iter().map(|rule| &*rule.id);
        let parts =
            || ids().filter_map(|id| id.split_once('/').map(|(kind, part)| (kind, part, id)));
        let near_kind = |kind: &str| closest(kind, parts().map(|(kind, ..)| (kind, kind)));
        let Some((kind, part)) = name.split_once('/') else {
            // Users tend to remember the second part of an id.
            let id = closest(name, parts().map(|(_, part, id)| (part, id)));
            return id.map(str::to_owned).or_else(|| Some(format!("{}/*", near_kind(name)?)));
        };
        let known_kind = near_kind(kind);
        if part.is_empty() || part.contains(['*', '?', '[', '{']) {
            let part = if part.is_empty() { "*" } else { part };
            let near = format!("{}/{part}", known_kind?);
            let globs = rule_globs(&[&near]).ok()?;
            return (near != name && ids().any(|id| globs.is_match(id))).then_some(near);
        }
        let parts_of_kind = || parts().filter(|(kind, ..)| Some(*kind) == known_kind);
        let near = closest(part, parts_of_kind().map(|(_, part, id)| (part, id))).or_else(|| {
            let longer = parts_of_kind().filter(|(_, long, _)| {
                long.strip_prefix(part).is_some_and(|rest| rest.starts_with('-'))
            });
            longer.map(|(.., id)| id).min_by_key(|id| id.len())
        });
        near.map(str::to_owned)
    }
}

/// The error message of a page or parameter, with the most similar known value.
#[must_use]
pub fn error_message(error: &PageError) -> String {
    let Some((word, known)) = &error.did_you_mean else { return error.message.clone() };
    match nearest(word, known.iter().map(String::as_str)) {
        Some(near) => format!("{}; did you mean `{near}`?", error.message),
        None if known.is_empty() => format!("{}; it has no parameters", error.message),
        None => format!("{}; known values: `{}`", error.message, known.join("`, `")),
    }
}

/// The rule of a project's page; `None` if the page contains only guidance or cannot be parsed.
#[must_use]
pub fn project_rule(path: &str, text: &str) -> Option<Rule> {
    let mut header = page::header(text).ok()?;
    let (_, body) = page::split(text).ok()?;
    let body = &text[body];
    let id = page_id(path, body);
    let is_empty = |text: &String| text.trim().is_empty();
    header.message = header.message.filter(|message| !is_empty(message));
    // A rule without a message uses its summary as the message, so the summary must not be empty.
    let summary = header.summary.clone().unwrap_or_else(|| page::summary(body));
    let summary = Some(summary).filter(|summary| !is_empty(summary)).unwrap_or_else(|| id.clone());
    Some(Rule::from_page(&id, header, summary, text, path))
}

/// The id of a project's page: its title if that is an id, otherwise its path below the rules
/// directory.
fn page_id(path: &str, body: &str) -> String {
    if let Some(title) = page::title(body).filter(|title| is_id(title)) {
        return title.to_owned();
    }
    let below = RULE_DIRS
        .iter()
        .find_map(|folder| path.split_once(&format!("{folder}/")).map(|(_, below)| below))
        .unwrap_or(path);
    let stem = below.strip_suffix(".md").unwrap_or(below).to_lowercase().replace([' ', '_'], "-");
    if stem.contains('/') { stem } else { format!("project/{stem}") }
}

/// Whether `text` has the form `kind/kebab-name`.
#[must_use]
pub fn is_id(text: &str) -> bool {
    let is_segment = |segment: &str| {
        !segment.is_empty()
            && segment.bytes().all(|b| b.is_ascii_lowercase() || b.is_ascii_digit() || b == b'-')
    };
    text.split_once('/').is_some_and(|(kind, name)| is_segment(kind) && is_segment(name))
}

/// Whether the text at `path`, in a rules directory, is meant to be a rule page. Other tools also
/// store pages with headers in directories named `rules`; the headers of such pages have none of
/// the keys `severity`, `message`, `check` and `enforced-by`.
#[must_use]
pub fn is_rule_page(path: &str, text: &str) -> bool {
    let has_rule_key = |header: &str| {
        let keys = ["severity:", "message:", "check:", "enforced-by:"];
        header.lines().any(|line| keys.iter().any(|key| line.starts_with(key)))
    };
    let is_recognised = || match page::split(text) {
        Ok((header, _)) => has_rule_key(&text[header]),
        // The header is not closed, so search the whole text.
        Err(_) => has_rule_key(text),
    };
    page::should_have_header(text) && (path.starts_with(".aidd/") || is_recognised())
}

/// The rule pages and packs of the project on `disk`: path from the root, and text. `nested` lists
/// the rule directories inside the project. Pages that cannot be read are skipped.
#[must_use]
pub fn project_pages(disk: &Disk, nested: &Nested) -> Vec<(String, String)> {
    let folders = RULE_DIRS.into_iter().chain(nested.rules.iter().map(String::as_str));
    let folders = folders.chain([PACK_DIR]);
    pages(disk, folders.flat_map(|folder| markdown_below(disk, folder)))
}

/// The rule pages and packs among the files at `paths`; files that cannot be read are skipped.
pub fn pages(files: &dyn Files, paths: impl IntoIterator<Item = String>) -> Vec<(String, String)> {
    let page = |path: String| {
        let bytes = files.read(&path, SIDE_FILE_LIMIT).ok()?;
        let text = String::from_utf8_lossy(&bytes).into_owned();
        (is_pack_path(&path) || is_rule_page(&path, &text)).then_some((path, text))
    };
    paths.into_iter().filter_map(page).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_rule_is_found_by_its_id() {
        let page = |id: &str| format!("---\nseverity: info\n---\n# {id}\n\nWords.\n");
        let own = ["a/first", "team/x", "zz/last", "dockerfile/latest-tag"];
        let pages: Vec<(String, String)> =
            own.iter().enumerate().map(|(at, id)| (format!("rules/{at}.md"), page(id))).collect();
        let registry = Registry::new(crate::DISTRIBUTION.pages, &pages);
        assert!(registry.rules().is_sorted_by(|previous, next| previous.id < next.id));
        for rule in registry.rules() {
            assert_eq!(registry.get(&rule.id).map(|found| &found.id), Some(&rule.id));
        }
        assert!(own.iter().all(|id| registry.get(id).is_some_and(|rule| rule.path.is_some())));
    }

    #[test]
    fn only_close_names_are_suggested() {
        let registry = Registry::new(crate::DISTRIBUTION.pages, &[]);
        let nearest = |name: &str| registry.nearest(name).unwrap_or_else(|| "none".to_owned());
        for (name, near) in [
            ("secrets/nope", "none"),
            ("team/nope", "none"),
            ("dockerfile/latest-tg", "dockerfile/latest-tag"),
            ("dokerfile/latest_tag", "dockerfile/latest-tag"),
            ("dockerfile/latest", "dockerfile/latest-tag"),
            ("latest-tg", "dockerfile/latest-tag"),
            ("dockerfile", "dockerfile/*"),
            ("dokerfile/*", "dockerfile/*"),
            ("dockerfile/zzz*", "none"),
        ] {
            assert_eq!(nearest(name), near, "{name}");
        }
    }

    #[test]
    fn a_page_that_is_meant_to_be_a_rule_is_recognised() {
        let is_page = |text: &str| is_rule_page("rules/a.md", text);
        assert!(is_page("---\nseverity: warning\nmessage: x\n# team/a\n"), "not closed");
        assert!(is_page("---\nseverty: warning\nmessage: x\nchek: {}\n---\n# team/a\n"));
        assert!(!is_page("---\ndescription: x\nglobs: a\n---\n# A page of another tool\n"));
        assert!(is_rule_page(".aidd/rules/a.md", "---\nseverty: warning\n---\n"));
    }

    #[test]
    fn a_rule_without_words_has_its_id_as_the_message() {
        let text = "---\nseverity: info\nmessage: ' '\ncheck: {text: {regex: a}}\n---\n# team/l\n";
        let rule = project_rule("rules/l.md", text).expect("a rule");
        assert_eq!((rule.message.as_deref(), &*rule.summary), (None, "team/l"));
    }

    #[test]
    fn the_page_that_replaces_another_page_is_found() {
        let page = "---\nseverity: info\n---\n# team/j\n".to_owned();
        let paths = ["rules/j.md", "rules/k.md", "packages/a/.aidd/rules/j.md"];
        let pages: Vec<_> = paths.iter().map(|path| ((*path).to_owned(), page.clone())).collect();
        let registry = Registry::new(crate::DISTRIBUTION.pages, &pages);
        let replaced_by = |path| registry.replaced_by("team/j", path);
        assert_eq!(paths.map(replaced_by), [Some("rules/k.md"), None, None]);
    }

    #[test]
    fn the_id_of_a_project_page_is_its_title_or_path() {
        assert_eq!(page_id("rules/a.md", "# team/no-todo\n"), "team/no-todo");
        assert_eq!(page_id("rules/a.md", "# No to-dos\n"), "project/a");
        assert_eq!(page_id("ai/rules/api/No_Verbs.md", "text"), "api/no-verbs");
    }
}
