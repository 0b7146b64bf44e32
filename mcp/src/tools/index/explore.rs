//! Answers a question about code in one call: source, callers, callees, flow, tests, and the memories
//! and rules that name the code.

use super::about::about;
use super::section::{Section, flow, of_symbols, render};
use super::{Current, budget, current, named, unknown_note};
use crate::context::Context;
use crate::profile::Profile;
use crate::tool::{Answer, Tool, ToolError};
use crate::tools::core::fit_to_budget;
use aidd_engine::text::files::Files as _;
use aidd_engine::workspace::project::Project;
use aidd_index::query::{Reader, SymbolRow};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use std::collections::BTreeSet;

/// Maximum number of symbols whose source is shown.
const MAX_SYMBOLS: usize = 4;
/// Maximum number of matches for a description.
const MAX_SIMILAR: usize = 8;
/// Maximum number of shown matches for a description.
const MAX_SHOWN_SIMILAR: usize = 3;
/// Maximum number of definitions of a name that are all explored; of more, only the most used.
const MAX_DEFINITIONS: usize = 2;
/// Maximum number of candidates of an ambiguous name.
const MAX_CANDIDATES: usize = 8;
/// Maximum number of notes on unknown names in a question.
const MAX_UNKNOWN: usize = 3;
/// Maximum number of files.
const MAX_FILES: usize = 5;

pub(super) fn tool() -> Tool {
    Tool::new(
        "aidd_explore",
        "Explore code",
        "Returns source, callers, calls, flow and tests of code, with the decisions, mistakes and \
         rules that name it. Use before reading or changing code; use aidd_impact for everything \
         that a change reaches.",
        explore,
    )
    .in_profiles(&[Profile::Index, Profile::Lean])
}

#[derive(Deserialize, JsonSchema)]
struct ExploreParams {
    /// Question, or names of symbols and files
    query: Option<String>,
    /// Symbols: name, Type.method, key, or path:line
    #[serde(default)]
    symbols: Vec<String>,
    /// Files to outline
    #[serde(default)]
    files: Vec<String>,
    /// Maximum number of tokens; default: 1500
    #[schemars(range(min = 200, max = 20000))]
    #[schemars(extend("x-unlisted" = true))]
    budget: Option<usize>,
}

#[derive(Serialize, JsonSchema)]
struct Explored {
    text: String,
    /// The keys of the shown symbols.
    symbols: Vec<String>,
    /// The ids of the memories that name the code.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    memories: Vec<String>,
    /// The rules that name the code.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    rules: Vec<String>,
}

/// The symbols and files of a call.
#[derive(Default)]
struct Request {
    symbols: Vec<SymbolRow>,
    files: Vec<String>,
    /// Further symbols, which are only listed.
    also: Vec<SymbolRow>,
    notes: Vec<String>,
}

impl Request {
    /// Adds the definitions of a name: all if there are few, otherwise the most used one, with a note
    /// that lists the others.
    fn add(&mut self, name: &str, found: Vec<SymbolRow>) {
        let shown = if found.len() > MAX_DEFINITIONS {
            let others = found
                .iter()
                .skip(1)
                .take(MAX_CANDIDATES)
                .map(|symbol| format!("{}:{} {}", symbol.path, symbol.line, symbol.qualified));
            let others: Vec<String> = others.collect();
            self.notes.push(format!(
                "`{name}` has {} definitions; the most used is shown, others: {}",
                found.len(),
                others.join(", ")
            ));
            1
        } else {
            found.len()
        };
        for symbol in found.into_iter().take(shown) {
            if !self.symbols.iter().any(|known| known.id == symbol.id) {
                self.symbols.push(symbol);
            }
        }
    }

    fn read(
        context: &Context,
        current: &Current,
        params: &ExploreParams,
    ) -> Result<Self, ToolError> {
        let reader = &current.reader;
        let mut request = Self { notes: current.notes.clone(), ..Self::default() };
        for name in &params.symbols {
            match named(reader, name)? {
                found if found.is_empty() => request.notes.push(unknown_note(reader, name)?),
                found => request.add(name, found),
            }
        }
        for path in &params.files {
            let path = context.to_relative(path)?;
            if reader.in_files(std::slice::from_ref(&path))?.is_empty() {
                request.notes.push(format!(
                    "{path} has no symbols in the index: it does not exist, is ignored, or is not \
                     in a language of the index"
                ));
            }
            request.files.push(path);
        }
        if let Some(query) = &params.query {
            let subject = reader.subject(query, MAX_SIMILAR)?;
            for word in subject.unknown.iter().take(MAX_UNKNOWN) {
                request.notes.push(unknown_word(&current.project, reader, word)?);
            }
            request.files.extend(subject.files);
            for (name, found) in subject.named {
                request.add(&name, reader.most_used_first(found)?);
            }
            let mut similar = subject.similar;
            request.also = similar.split_off(similar.len().min(MAX_SHOWN_SIMILAR));
            request.symbols.extend(similar);
            let is_noted = !subject.unknown.is_empty();
            if request.symbols.is_empty() && request.files.is_empty() && !is_noted {
                request.notes.push(unknown_note(reader, query)?);
            }
        }
        let more = request.symbols.split_off(request.symbols.len().min(MAX_SYMBOLS));
        request.also.splice(..0, more);
        request.files.dedup();
        request.files.truncate(MAX_FILES);
        Ok(request)
    }

    fn is_empty(&self) -> bool {
        self.symbols.is_empty() && self.files.is_empty()
    }
}

/// The note on a word that is written as a name of a symbol or file, but names none in the index.
fn unknown_word(project: &Project, reader: &Reader, word: &str) -> Result<String, ToolError> {
    let path = word.trim_start_matches("./");
    if !path.contains('/') && !aidd_index::is_indexed(path) {
        return unknown_note(reader, word);
    }
    let shown = aidd_engine::text::escape::line(path);
    if project.disk.exists(path) {
        return Ok(format!(
            "{shown} is not in the index: it is ignored, or not in a language of the index"
        ));
    }
    Ok(match reader.nearest_file(path)? {
        Some(near) => format!("the index has no file `{shown}`; nearest: {near}"),
        None => format!("the index has no file `{shown}`"),
    })
}

fn explore(context: &Context, params: ExploreParams) -> Result<Answer<Explored>, ToolError> {
    if params.query.is_none() && params.symbols.is_empty() && params.files.is_empty() {
        return Err(ToolError::new("expected `query`, `symbols` or `files`")
            .remedy("pass a question, such as \"how are orders stored\", or names"));
    }
    let current = current(context)?;
    let reader = &current.reader;
    let request = Request::read(context, &current, &params)?;
    if request.is_empty() {
        return Err(ToolError::new(request.notes.join("\n"))
            .remedy("pass one of these names, or other words for the same thing"));
    }
    let redact = |text: &str| context.distribution().redact(text);
    let mut sections = of_symbols(reader, &request.symbols, &current.project.disk, &redact)?;
    for path in &request.files {
        let symbols = reader.in_files(std::slice::from_ref(path))?;
        sections.push(Section::of_file(path, &symbols, &reader.importers(path)?));
    }
    let paths = request.symbols.iter().map(|symbol| symbol.path.clone());
    let paths: BTreeSet<String> = paths.chain(request.files.iter().cloned()).collect();
    let paths: Vec<String> = paths.into_iter().collect();
    let names: Vec<String> =
        request.symbols.iter().map(|symbol| symbol.qualified.clone()).collect();
    let about = about(context, &current.project, &paths, &names)?;
    let head = redact(&head(reader, &request, &about.lines)?);
    let keys: Vec<String> = request.symbols.iter().map(|symbol| symbol.key.clone()).collect();
    let explored = fit_to_budget(budget(params.budget), |tokens| {
        let (text, shown) = render(&head, &sections, tokens);
        Explored {
            text: redact(&text),
            symbols: keys.iter().take(shown).cloned().collect(),
            memories: about.memories.clone(),
            rules: about.rules.clone(),
        }
    });
    let text = explored.text.clone();
    Ok(Answer::new(explored, text))
}

/// The lines before the sections: notes, decisions and rules, the flow between the first symbols,
/// and further symbols.
fn head(reader: &Reader, request: &Request, about: &[String]) -> Result<String, ToolError> {
    let mut head = String::new();
    for note in &request.notes {
        head.push_str(&format!("note: {note}\n"));
    }
    if !about.is_empty() {
        head.push_str("## Decided\n");
        about.iter().for_each(|line| head.push_str(&format!("{line}\n")));
    }
    if let [first, second, ..] = request.symbols.as_slice() {
        let mut path = reader.path(&[first.id], &[second.id])?;
        if path.is_empty() {
            path = reader.path(&[second.id], &[first.id])?;
        }
        if path.len() > 1 {
            head.push_str(&format!("flow: {}\n", flow(&path)));
        }
    }
    if !request.also.is_empty() {
        let also = request
            .also
            .iter()
            .take(MAX_SIMILAR)
            .map(|symbol| format!("{} {}:{}", symbol.qualified, symbol.path, symbol.line));
        head.push_str(&format!("also: {}\n", also.collect::<Vec<_>>().join(", ")));
    }
    Ok(head)
}
