//! The number of tokens that each client loads at the start of a session in the root of the project.

use super::AgentContext;
use super::markdown::Instructions;
use super::model::{Client, Purpose};
use super::reach::ZED;
use super::references::imports;
use crate::cached::cached;
use aidd_engine::check::family::{SessionCost, SessionPart};
use aidd_engine::parse::values::{Datum, Format, Values, front_matter};
use aidd_engine::rules::rule::Report;
use aidd_engine::text::files::{Files, Memory, Overlay, side_file};
use aidd_engine::text::paths::{below, join, parent_dir};
use aidd_engine::text::source::Source;
use aidd_lexicon::tokens;
use std::collections::BTreeSet;
use std::sync::Arc;

/// The rule on the sum of a client.
pub(super) const BUDGET: &str = "agents/session-budget";

/// Default maximum number of tokens.
const MAX_TOKENS: u64 = 8_000;
/// Maximum depth of imports.
const MAX_IMPORT_DEPTH: usize = 4;
/// Maximum number of files of one directory.
const MAX_FILES: usize = 2_000;

/// The files that each client loads, with their tokens.
pub(super) fn session_costs(files: &dyn Files) -> Vec<SessionCost> {
    let clients = [
        Client::Shared,
        Client::Claude,
        Client::Codex,
        Client::Copilot,
        Client::Cursor,
        Client::Gemini,
        Client::Windsurf,
        Client::Cline,
        Client::Kiro,
        Client::OpenCode,
        Client::Zed,
    ];
    let costs = clients.into_iter().filter_map(|client| {
        let mut loaded = Loaded { files, parts: Vec::new(), seen: BTreeSet::new() };
        loaded.add_client(client);
        let has_own = !loaded.parts.is_empty();
        if has_own
            && matches!(
                client,
                Client::Codex
                    | Client::Copilot
                    | Client::Cursor
                    | Client::Kiro
                    | Client::OpenCode
                    | Client::Windsurf
            )
        {
            loaded.add_file("AGENTS.md", 0);
        }
        let client = client.name();
        has_own.then_some(SessionCost { client, parts: loaded.parts })
    });
    costs.collect()
}

/// The parts that one client loads.
struct Loaded<'f> {
    files: &'f dyn Files,
    parts: Vec<SessionPart>,
    seen: BTreeSet<String>,
}

impl Loaded<'_> {
    fn add_client(&mut self, client: Client) {
        match client {
            Client::Shared => self.add_file("AGENTS.md", 0),
            Client::Claude => {
                for path in ["CLAUDE.md", ".claude/CLAUDE.md", "CLAUDE.local.md"] {
                    self.add_file(path, MAX_IMPORT_DEPTH);
                }
                self.add_rules(".claude/rules", ".md", |header| header.is_empty("paths"));
                self.add_listing(".claude/skills", "SKILL.md");
                self.add_listing(".claude/agents", ".md");
                self.add_listing(".claude/commands", ".md");
            }
            Client::Codex => self.add_listing(".agents/skills", "SKILL.md"),
            Client::Copilot => {
                self.add_file(".github/copilot-instructions.md", 0);
                self.add_rules(".github/instructions", ".md", |header| {
                    matches!(&*header.text("applyTo"), "**" | "*" | "**/*")
                });
            }
            Client::Cursor => {
                self.add_file(".cursorrules", 0);
                self.add_rules(".cursor/rules", ".mdc", |header| {
                    header.text("alwaysApply") == "true"
                });
            }
            Client::Gemini => self.add_file("GEMINI.md", MAX_IMPORT_DEPTH),
            Client::Windsurf => {
                self.add_file(".windsurfrules", 0);
                self.add_rules(".windsurf/rules", ".md", |header| {
                    header.text("trigger") == "always_on"
                });
            }
            Client::Cline => {
                self.add_file(".clinerules", 0);
                self.add_rules(".clinerules", ".md", |header| header.is_empty("paths"));
            }
            Client::Kiro => self.add_rules(".kiro/steering", ".md", |header| {
                matches!(&*header.text("inclusion"), "" | "always")
            }),
            Client::OpenCode => self.add_opencode(),
            Client::Zed => {
                let is_used =
                    self.files.exists(".rules") || self.files.exists(".zed/settings.json");
                let first = ZED.iter().find(|path| is_used && self.files.exists(path));
                first.into_iter().for_each(|path| self.add_file(path, 0));
            }
        }
    }

    /// Adds the files that the settings of OpenCode name, without those of globs.
    fn add_opencode(&mut self) {
        for path in ["opencode.json", "opencode.jsonc"] {
            let Some(text) = side_file(self.files, path) else { continue };
            let data = Values::read(Format::Json, &text);
            let list = data.roots.first().and_then(|&root| data.child(root, "instructions"));
            let items = list.map_or(&[][..], |at| data.all[at].children.as_slice()).iter();
            let files: Vec<String> = items.filter_map(|&at| data.text(at)).collect();
            for file in files {
                self.add_file(file.trim_start_matches("./"), 0);
            }
        }
    }

    /// Adds a file, and the files that it imports.
    fn add_file(&mut self, path: &str, import_depth: usize) {
        let mut pending = vec![(path.to_owned(), import_depth)];
        while let Some((path, depth)) = pending.pop() {
            if !self.seen.insert(path.clone()) {
                continue;
            }
            let Some(text) = side_file(self.files, &path) else { continue };
            let tokens = tokens::count(&text);
            if depth > 0 {
                let source = Source::new(path.as_str(), text);
                let instructions = Instructions::parse(&source);
                let targets = imports(&instructions).into_iter();
                let targets = targets.filter_map(|(_, import)| join(parent_dir(&path), import));
                pending.extend(targets.map(|target| (target, depth - 1)));
            }
            self.parts.push(SessionPart { path, tokens });
        }
    }

    /// Adds the rules below a directory that are always loaded.
    fn add_rules(&mut self, directory: &str, ending: &str, is_always: fn(&Header) -> bool) {
        for path in below_dir(self.files, directory, ending) {
            let Some(text) = side_file(self.files, &path) else { continue };
            if is_always(&Header::read(&text)) && self.seen.insert(path.clone()) {
                self.parts.push(SessionPart { path, tokens: tokens::count(&text) });
            }
        }
    }

    /// Adds the names and descriptions below a directory.
    fn add_listing(&mut self, directory: &str, ending: &str) {
        let mut listed = String::new();
        for path in below_dir(self.files, directory, ending) {
            let Some(text) = side_file(self.files, &path) else { continue };
            let header = Header::read(&text);
            if header.text("disable-model-invocation") == "true" {
                continue;
            }
            let fields = ["name", "description", "when_to_use"].map(|key| header.text(key));
            listed.push_str(&fields.join(" "));
            listed.push('\n');
        }
        if !listed.trim().is_empty() {
            let path = format!("{directory}/ (names and descriptions)");
            self.parts.push(SessionPart { path, tokens: tokens::count(&listed) });
        }
    }
}

/// The front matter of a file.
struct Header<'t> {
    values: Values,
    text: &'t str,
}

impl<'t> Header<'t> {
    fn read(text: &'t str) -> Self {
        let Some((start, end)) = front_matter(text) else {
            return Self { values: Values::default(), text: "" };
        };
        Self { values: Values::read(Format::FrontMatter, text), text: &text[start..end] }
    }

    fn at(&self, key: &str) -> Option<usize> {
        self.values.child(*self.values.roots.first()?, key)
    }

    /// The value on the line of a key. Clients read values that are not valid YAML, such as
    /// `globs: *.ts`.
    fn line_value(&self, key: &str) -> Option<&'t str> {
        let mut lines = self.text.lines();
        let value = lines.find_map(|line| line.strip_prefix(key)?.strip_prefix(':'))?;
        Some(value.trim().trim_matches(['"', '\'']))
    }

    fn text(&self, key: &str) -> String {
        match self.at(key) {
            Some(at) => self.values.text(at).unwrap_or_default(),
            None => self.line_value(key).unwrap_or_default().to_owned(),
        }
    }

    fn is_empty(&self, key: &str) -> bool {
        match self.at(key) {
            Some(at) => self.values.all[at].datum == Datum::Null,
            None => self.line_value(key).is_none(),
        }
    }
}

/// The files below a directory whose path ends with `ending`, sorted.
fn below_dir(files: &dyn Files, directory: &str, ending: &str) -> Vec<String> {
    let (mut found, mut pending) = (Vec::new(), vec![(directory.to_owned(), 0)]);
    while let Some((directory, depth)) = pending.pop() {
        let names = files.names(&directory).into_iter().filter(|name| name.ends_with(ending));
        found.extend(names.map(|name| below(&directory, &name)));
        if depth < 3 && found.len() < MAX_FILES {
            let dirs = files.dirs(&directory).into_iter();
            pending.extend(dirs.map(|name| (below(&directory, &name), depth + 1)));
        }
    }
    found.sort();
    found
}

/// The part of the context that Claude Code uses for the names and descriptions of skills, in tokens:
/// 1 % of 200,000.
const LISTING_TOKENS: usize = 2_000;
/// Maximum length of the listed text of one skill, in characters.
const MAX_LISTED_SKILL: usize = 1_536;

/// The tokens of the names and descriptions of skills, and the file with the most.
#[derive(Debug, Default)]
struct SkillListing {
    skills: usize,
    tokens: usize,
    largest: Option<(usize, String)>,
}

impl SkillListing {
    fn read(files: &dyn Files) -> Self {
        let mut listing = Self::default();
        for path in below_dir(files, ".claude/skills", "SKILL.md") {
            let Some(text) = side_file(files, &path) else { continue };
            let header = Header::read(&text);
            if header.text("disable-model-invocation") == "true" {
                continue;
            }
            let fields = ["name", "description", "when_to_use"].map(|key| header.text(key));
            let listed: String = fields.join(" ").chars().take(MAX_LISTED_SKILL).collect();
            let tokens = tokens::count(&listed);
            listing.skills += 1;
            listing.tokens += tokens;
            if listing.largest.as_ref().is_none_or(|(most, _)| tokens > *most) {
                listing.largest = Some((tokens, path));
            }
        }
        listing
    }
}

/// Reports skills whose names and descriptions Claude Code does not list completely.
fn skill_listing(context: &AgentContext<'_, '_>, report: &mut Report<'_>) {
    if context.file.purpose != Purpose::Skill
        || !context.source.path().starts_with(".claude/skills/")
    {
        return;
    }
    let listing =
        cached(context.files, "agents/skill-listing", || SkillListing::read(context.files));
    let SkillListing { skills, tokens, largest } = &*listing;
    let is_largest = largest.as_ref().is_some_and(|(_, path)| path == context.source.path());
    let is_raised = || {
        let settings = side_file(context.files, ".claude/settings.json").unwrap_or_default();
        settings.contains("skillListingBudgetFraction")
    };
    if !is_largest || *tokens <= LISTING_TOKENS || is_raised() {
        return;
    }
    let message = format!(
        "the names and descriptions of {skills} skills have {tokens} tokens; Claude Code lists {LISTING_TOKENS}"
    );
    report
        .at(context.source.line_span(0), message)
        .help("shorten the descriptions; this one is the longest");
}

pub(super) fn session_budget(context: &AgentContext<'_, '_>, report: &mut Report<'_>) {
    skill_listing(context, report);
    let path = context.source.path();
    let max = report.param("tokens").and_then(serde_json::Value::as_u64).unwrap_or(MAX_TOKENS);
    let text = context.source.text();
    let costs = if side_file(context.files, path).is_some_and(|saved| saved == text) {
        cached(context.files, "agents/session-costs", || session_costs(context.files))
    } else {
        // The checked text is not saved.
        let over = Memory([(path.to_owned(), text.as_bytes().to_vec())].into());
        Arc::new(session_costs(&Overlay { over, under: context.files }))
    };
    for cost in costs.iter() {
        let tokens = cost.tokens() as u64;
        let largest = cost.parts.iter().max_by_key(|part| part.tokens);
        let Some(largest) = largest.filter(|part| part.path == path && tokens > max) else {
            continue;
        };
        let client = cost.client;
        let message = format!(
            "{client} loads {tokens} tokens at the start of each session, {} of them from this file",
            largest.tokens
        );
        report
            .at(context.source.line_span(0), message)
            .help(format!("the budget is {max}; move parts to rules for some paths, or to skills"));
    }
}
