//! Explains rules, and collects facts about the staged changes for a commit message.

use super::findings;
use crate::context::Context;
use crate::profile::Profile;
use crate::tool::{Answer, Tool, ToolError};
use aidd_authoring::commit_message::Description;
use aidd_authoring::commit_message::staged::{StagedError, describe_staged};
use aidd_engine::check::Selection;
use aidd_engine::rules::registry::Registry;
use aidd_engine::rules::rule::{Rule, Settings};
use aidd_engine::text::nearest::nearest;
use aidd_engine::workspace::examples::JOIN_MARK;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use std::collections::BTreeSet;
use std::fmt::Write;
use std::path::PathBuf;

/// Maximum number of rules explained for one alias.
const MAX_EXPLAINED: usize = 3;

/// Maximum number of similar rules suggested for an unknown name.
const MAX_SIMILAR: usize = 5;

/// Maximum number of rules listed for a category.
const MAX_CATEGORY_RULES: usize = 12;

pub(super) fn tools() -> Vec<Tool> {
    let explain = Tool::new(
        "aidd_explain_violation",
        "Explain rule",
        "Returns the page of a rule: its reason, failing and passing examples, and the fix. Use \
         when a finding is unclear.",
        explain,
    )
    .in_profiles(&[Profile::Tools]);
    let message = Tool::new(
        "aidd_generate_commit_message",
        "Commit message",
        "Returns facts about the staged changes, and the commit types and scopes of the project. \
         Use after `git add`, before writing a commit message.",
        commit_message,
    )
    .in_profiles(&[Profile::Tools]);
    vec![explain, message]
}

#[derive(Deserialize, JsonSchema)]
struct ExplainParams {
    /// Id or alias of the rule, or the last part of its id
    rule: String,
}

#[derive(Serialize, JsonSchema)]
struct Explained {
    rules: Vec<Page>,
}

#[derive(Serialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
struct Page {
    rule: String,
    severity: String,
    /// Whether the rule is enabled by its page and the project's settings.
    enabled: bool,
    #[serde(skip_serializing_if = "Vec::is_empty")]
    aliases: Vec<String>,
    /// Path of a project rule; absent for a shipped rule.
    #[serde(skip_serializing_if = "Option::is_none")]
    path: Option<String>,
    /// The Markdown page of the rule: reason, failing and passing examples, fix.
    page: String,
}

impl Page {
    fn from_rule(rule: &Rule, settings: &Settings) -> Self {
        let below = |text: &str| {
            text.trim_start().split_once('\n').map(|(_, below)| below.trim().to_owned())
        };
        let page = rule.body().replace(JOIN_MARK, "…");
        Self {
            rule: rule.id.to_string(),
            severity: rule.severity.to_string(),
            enabled: settings.get(&rule.id).is_some_and(|setting| setting.severity.is_some()),
            aliases: rule.aliases.clone(),
            path: rule.path.clone(),
            page: if page.trim_start().starts_with("# ") {
                below(&page).unwrap_or_default()
            } else {
                page
            },
        }
    }

    fn text(&self) -> String {
        let mut text = format!("{} ({}", self.rule, self.severity);
        if !self.enabled {
            text.push_str(", disabled in this project; enable it in .aidd/config.json");
        }
        if !self.aliases.is_empty() {
            let _ = write!(text, ", also {}", self.aliases.join(", "));
        }
        if let Some(path) = &self.path {
            let _ = write!(text, ", {path}");
        }
        let _ = write!(text, ")\n{}", self.page);
        text
    }
}

/// Words in rule names that carry no meaning.
const STOP_WORDS: [&str; 5] = ["not", "the", "use", "with", "rule"];

/// The weight of a shared word of the name, relative to the category.
const NAME_WEIGHT: usize = 4;

/// Rules whose id or alias shares a word with `name` or has a similar one, the most similar first. A
/// shared category alone is the weakest similarity.
fn similar_rules<'a>(registry: &'a Registry, name: &str) -> Vec<&'a str> {
    let words = |text: &str| -> BTreeSet<String> {
        let words = text.split(|c: char| !c.is_alphanumeric()).map(str::to_lowercase);
        words.filter(|word| word.len() > 2 && !STOP_WORDS.contains(&&**word)).collect()
    };
    // A word that occurs in no rule is replaced by the most similar one that does.
    let known: BTreeSet<String> =
        registry.rules().iter().flat_map(|rule| words(&rule.id)).collect();
    let correct = |word: String| match nearest(&word, known.iter().map(String::as_str)) {
        Some(similar) if !known.contains(&word) => similar.to_owned(),
        _ => word,
    };
    let requested: BTreeSet<String> = words(name).into_iter().map(correct).collect();
    let similarity = |id: &str| {
        let (category, rest) = id.split_once('/').unwrap_or(("", id));
        let (names, categories) = (words(rest), words(category));
        let named = names.intersection(&requested).count();
        NAME_WEIGHT * named + categories.intersection(&requested).count()
    };
    let mut found: Vec<(usize, &str)> = Vec::new();
    for rule in registry.rules() {
        let names = [&*rule.id].into_iter().chain(rule.aliases.iter().map(String::as_str));
        let score = names.map(similarity).max().unwrap_or_default();
        if score > 0 {
            found.push((score, &rule.id));
        }
    }
    found.sort_by_key(|(shared, _)| std::cmp::Reverse(*shared));
    found.into_iter().take(MAX_SIMILAR).map(|(_, id)| id).collect()
}

fn explain(context: &Context, params: ExplainParams) -> Result<Answer<Explained>, ToolError> {
    let project = context.project()?;
    let registry = project.registry();
    let mut named: Vec<&Rule> = registry.named(&params.rule).collect();
    if named.is_empty() {
        let last_part = |rule: &&Rule| {
            rule.id.split_once('/').is_some_and(|(_, last_part)| last_part == params.rule)
        };
        named = registry.rules().iter().filter(last_part).collect();
    }
    if named.is_empty() {
        let category = params.rule.trim_end_matches(['/', '*']);
        let is_of_category =
            |rule: &&Rule| rule.id.split_once('/').is_some_and(|(prefix, _)| prefix == category);
        let category_rules: Vec<&str> =
            registry.rules().iter().filter(is_of_category).map(|rule| &*rule.id).collect();
        if !category_rules.is_empty() {
            let count = category_rules.len();
            let shown = category_rules[..count.min(MAX_CATEGORY_RULES)].join(", ");
            let more = if count > MAX_CATEGORY_RULES { ", …" } else { "" };
            return Err(ToolError::new(format!("`{category}` is a category, not a rule"))
                .remedy(format!("pass one of {shown}{more}")));
        }
        let error = ToolError::new(format!("unknown rule `{}`", params.rule));
        return Err(match (registry.nearest(&params.rule), findings::invalid_pages(&project)) {
            (Some(near), _) => error.remedy(format!("did you mean `{near}`?")),
            (None, _) if !similar_rules(&registry, &params.rule).is_empty() => {
                let rules = similar_rules(&registry, &params.rule).join(", ");
                error.remedy(format!("similar rules: {rules}"))
            }
            (None, Some(note)) => error.remedy(note),
            (None, None) => {
                error.remedy("findings contain their rule id; `aidd rule list` lists all rules")
            }
        });
    }
    let settings = project.engine(&Selection::default())?.settings("");
    let rules: Vec<Page> =
        named.iter().take(MAX_EXPLAINED).map(|rule| Page::from_rule(rule, &settings)).collect();
    let mut text = rules.iter().map(Page::text).collect::<Vec<_>>().join("\n\n");
    if named.len() > MAX_EXPLAINED {
        let rest: Vec<&str> = named[MAX_EXPLAINED..].iter().map(|rule| &*rule.id).collect();
        let _ = write!(text, "\n\nother rules with this alias: {}", rest.join(", "));
    }
    Ok(Answer::new(Explained { rules }, text))
}

#[derive(Deserialize, JsonSchema)]
struct NoParams {}

fn commit_message(context: &Context, _: NoParams) -> Result<Answer<Description>, ToolError> {
    let index = context.variable("GIT_INDEX_FILE").map(PathBuf::from);
    let described = describe_staged(context.distribution(), context.root(), index.as_deref());
    let description = described.map_err(|error| {
        let remedy = match error {
            StagedError::NothingStaged => "stage the changes with `git add`",
            StagedError::NoRepository(_) => "create a repository with `git init`",
            StagedError::Git(_) => "run `git fsck` to find the cause",
            StagedError::Project(_) => "fix .aidd/config.json",
        };
        ToolError::new(error.to_string()).remedy(remedy)
    })?;
    let text = description.to_string();
    Ok(Answer::new(description, text))
}
