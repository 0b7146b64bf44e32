//! The memories and rules of the project that name files and symbols.

use crate::context::Context;
use crate::tool::ToolError;
use aidd_engine::check::Engine;
use aidd_engine::rules::rule::Rule;
use aidd_engine::text::paths::{Globs, scope_of};
use aidd_engine::workspace::project::Project;
use aidd_memory::recall::naming::Naming;

/// Maximum number of memories in an answer.
const MAX_MEMORIES: usize = 6;
/// Maximum number of rules in an answer.
const MAX_RULES: usize = 4;
/// Maximum length of a memory or the reason of a rule, in characters.
const MAX_CHARS: usize = 180;

/// The memories and rules, one line each.
#[derive(Default)]
pub(super) struct About {
    pub(super) lines: Vec<String>,
    /// The ids of the memories.
    pub(super) memories: Vec<String>,
    /// The ids of the rules.
    pub(super) rules: Vec<String>,
}

/// The memories and the project's own rules that name `files` or `symbols`, or that apply to these
/// files only.
pub(super) fn about(
    context: &Context,
    project: &Project,
    files: &[String],
    symbols: &[String],
) -> Result<About, ToolError> {
    let mut about = About::default();
    // Without the memory, the answer about the code is still useful.
    match context.memory(|memory| memory.naming(files, symbols, MAX_MEMORIES)) {
        Ok(named) => {
            for naming in named {
                about.lines.push(memory_line(&naming));
                about.memories.push(naming.brief.entry.id);
            }
        }
        Err(error) => about.lines.push(format!("- the memory cannot be read: {}", error.message)),
    }
    // A project without its own pages has only general rules.
    if !project.pages.is_empty() {
        let engine = context.engine()?;
        for rule in rules(&engine, files, symbols) {
            about.lines.push(format!("- rule {}: {}", rule.id, shortened(&rule.lead())));
            about.rules.push(rule.id.to_string());
        }
    }
    Ok(about)
}

fn shortened(text: &str) -> String {
    match text.char_indices().nth(MAX_CHARS) {
        None => text.to_owned(),
        Some((end, _)) => format!("{}…", text[..end].trim_end()),
    }
}

/// A memory on one line, with its id and the name by which it was found.
fn memory_line(naming: &Naming) -> String {
    let id = &naming.brief.entry.id;
    format!("- {id}: {} (names {})", naming.line(MAX_CHARS), naming.name)
}

/// The project's own rules that are enabled for one of `files` and name it, or one of `symbols`, or
/// apply only to some files.
fn rules<'e>(engine: &'e Engine, files: &[String], symbols: &[String]) -> Vec<&'e Rule> {
    let is_own = |rule: &&Rule| rule.path.is_some();
    let own: Vec<&Rule> = engine.registry().rules().iter().filter(is_own).collect();
    let mut found: Vec<(bool, &Rule)> = Vec::new();
    for rule in own {
        let is_enabled = |file: &String| {
            engine.settings(file).get(&*rule.id).is_some_and(|setting| setting.severity.is_some())
        };
        let enabled: Vec<&String> = files.iter().filter(|file| is_enabled(file)).collect();
        if enabled.is_empty() {
            continue;
        }
        let is_named = enabled.iter().any(|file| names_file(&rule.page, file))
            || symbols.iter().any(|symbol| names_symbol(&rule.page, symbol));
        let applies = rule.check.as_ref().is_some_and(|check| {
            let scope = rule.path.as_deref().map_or("", scope_of);
            let is_specific = !check.files.is_empty() || !scope.is_empty();
            let globs = Globs::from_check(check, rule.path.as_deref());
            is_specific && enabled.iter().any(|file| globs.matches(file))
        });
        if is_named || applies {
            found.push((is_named, rule));
        }
    }
    found.sort_by_key(|(is_named, rule)| (!is_named, rule.id.clone()));
    found.into_iter().take(MAX_RULES).map(|(_, rule)| rule).collect()
}

/// Whether a page contains the path of a file, or of a directory of it with at least two components.
fn names_file(page: &str, file: &str) -> bool {
    let folders =
        file.match_indices('/').map(|(at, _)| &file[..at]).filter(|dir| dir.contains('/'));
    folders.chain([file]).any(|path| has_word(page, path))
}

/// Whether a page contains the name of a symbol as a word; names without capitals, digits or
/// underscores could be ordinary words.
fn names_symbol(page: &str, symbol: &str) -> bool {
    let last = symbol.rsplit(['.', ':']).next().unwrap_or(symbol);
    let inner = last.get(1..).unwrap_or_default();
    let is_distinct = inner.contains(|c: char| c.is_uppercase() || c.is_ascii_digit() || c == '_');
    last.len() > 3 && is_distinct && has_word(page, last)
}

fn has_word(text: &str, word: &str) -> bool {
    text.match_indices(word).any(|(at, _)| {
        let is_word = |c: char| c.is_alphanumeric() || c == '_' || c == '-';
        let (before, after) = (&text[..at], &text[at + word.len()..]);
        !before.ends_with(|c: char| is_word(c) || c == '/') && !after.starts_with(is_word)
    })
}
