//! `aidd index`: the code index.

mod names;
mod nothing;

use crate::cli::{Index, IndexCommand};
use aidd_engine::text::files::Files;
use aidd_engine::workspace::walk;
use aidd_index::query::{CallRow, Reached, Reader, SymbolRow};
use aidd_index::{
    Effect, IndexError, Revision, at_revision, purity, refresh_before_exit, sql, store,
};
use aidd_report::exit::{Exit, UserError};
use aidd_report::project::{self, Project};
use aidd_report::{Io, directory_uri, one_line};
use anyhow::Result;
use serde::Serialize;
use serde_json::{Value, json};
use std::fmt::Write as _;
use std::io::{Read as _, Write as _};
use std::path::Path;

/// Maximum number of lines of source that `show` prints.
const MAX_LINES: usize = 200;
/// Maximum number of entry points without a name that `flows` lists.
const MAX_ENTRIES: u32 = 30;
/// Maximum number of bytes that `pure` reads.
const MAX_CODE: u64 = 1 << 20;

/// An answer: for people, and as JSON.
struct Answer {
    text: String,
    json: Value,
    exit: Exit,
}

impl Answer {
    fn new(text: String, json: impl Serialize) -> Result<Self> {
        Ok(Self { text, json: serde_json::to_value(json)?, exit: Exit::Clean })
    }
}

/// Runs `aidd index`.
///
/// # Errors
/// Fails when the configuration is invalid, the index cannot be written, or a symbol is not known.
pub fn run(args: &Index, config: Option<&Path>, io: &mut Io<'_>) -> Result<Exit> {
    let project = Project::open(io.distribution, &io.cwd, config)?;
    refuse_for_commit(args)?;
    if args.rm {
        let removed = store::remove(project.root())?;
        if args.json {
            io.out.json(&json!({ "removed": removed }))?;
        } else {
            let text = if removed { "removed the code index" } else { "there is no code index" };
            writeln!(io.out, "{text}")?;
        }
        return Ok(Exit::Clean);
    }
    if let Some(IndexCommand::Pure { file, lang }) = &args.command {
        let answer = pure(file, lang.as_deref(), io)?;
        print(&answer, args.json, io)?;
        return Ok(answer.exit);
    }
    let revision = args.rev.as_deref().map(|rev| at(&project, rev)).transpose()?;
    let update = match &revision {
        Some(revision) => revision.update,
        None => refresh_before_exit(&project.disk, &project.config)?,
    };
    let code = Code::new(&project, revision.as_ref());
    let Some(command) = &args.command else {
        if args.stats {
            let stats = Reader::open(code.root)?.stats()?;
            if args.json {
                io.out.json(&stats)?;
                return Ok(Exit::Clean);
            }
            for (title, counts) in
                [("files", &stats.files), ("symbols", &stats.symbols), ("refs", &stats.refs)]
            {
                for (name, count) in counts {
                    writeln!(io.out, "{title:8} {name:12} {count}")?;
                }
            }
            writeln!(io.out, "{:8} {:12} {}", "size", "bytes", stats.bytes)?;
        } else if args.json {
            io.out.json(&json!({
                "files": update.files, "changed": update.changed, "resolved": update.resolved,
                "built": update.built, "commit": revision.map(|revision| revision.commit),
            }))?;
        } else {
            let files = nothing::count(update.files, "file");
            let end = match &revision {
                Some(revision) => format!("of commit {} indexed", revision.commit),
                None => format!("indexed, {} changed", update.changed),
            };
            writeln!(io.out, "{files} {end}")?;
        }
        return Ok(Exit::Clean);
    };
    let answer = answer(command, (&project, &code), io)?;
    print(&answer, args.json, io)?;
    Ok(answer.exit)
}

/// The code that the questions are about: the work tree, or a commit.
struct Code<'c> {
    /// The root to open the index with.
    root: &'c Path,
    files: &'c dyn Files,
}

impl<'c> Code<'c> {
    fn new(project: &'c Project, revision: Option<&'c Revision>) -> Self {
        match revision {
            Some(revision) => Self { root: &revision.root, files: &revision.files },
            None => Self { root: project.root(), files: &project.disk },
        }
    }
}

/// The index of the commit `rev`.
fn at(project: &Project, rev: &str) -> Result<Revision> {
    at_revision(&project.disk, &project.config, rev).map_err(|error| match error {
        IndexError::Git(_) | IndexError::NotFetched(_) => UserError::new(error.to_string()).into(),
        error => error.into(),
    })
}

/// Refuses `--rev` for what only the work tree has.
fn refuse_for_commit(args: &Index) -> Result<()> {
    let what = match &args.command {
        _ if args.rev.is_none() => return Ok(()),
        _ if args.rm => "`--rm`, which removes all indexes",
        Some(IndexCommand::Name { .. }) => "`name`",
        Some(IndexCommand::Pure { .. }) => "`pure`",
        Some(IndexCommand::Affected { paths }) if paths.is_empty() => "`affected` without files",
        _ => return Ok(()),
    };
    Err(UserError::new(format!("`--rev` cannot be used with {what}")).into())
}

/// Prints an answer with recognised secrets masked.
fn print(answer: &Answer, as_json: bool, io: &mut Io<'_>) -> Result<()> {
    if !as_json {
        let text = io.distribution.redact(&answer.text);
        write!(io.out, "{text}")?;
        return Ok(());
    }
    let text = serde_json::to_string(&answer.json)?;
    let redacted = io.distribution.redact(&text);
    let value = match serde_json::from_str(&redacted) {
        Ok(value) => value,
        // A masked part crosses strings: mask each string.
        Err(_) => redact_strings(answer.json.clone(), io),
    };
    io.out.json(&value)?;
    Ok(())
}

fn redact_strings(value: Value, io: &Io<'_>) -> Value {
    match value {
        Value::String(text) => io.distribution.redact(&text).into(),
        Value::Array(items) => items.into_iter().map(|item| redact_strings(item, io)).collect(),
        Value::Object(fields) => {
            let fields = fields.into_iter().map(|(name, item)| (name, redact_strings(item, io)));
            Value::Object(fields.collect())
        }
        other => other,
    }
}

fn answer(
    command: &IndexCommand,
    (project, code): (&Project, &Code<'_>),
    io: &Io<'_>,
) -> Result<Answer> {
    let reader = Reader::open(code.root)?;
    match command {
        IndexCommand::Find { text, limit } => {
            let found = reader.find(text, *limit)?;
            let answer = match found.is_empty() {
                true => nothing::no_name(&reader, text)?,
                false => list(&found),
            };
            Answer::new(answer, found)
        }
        IndexCommand::Show { symbol } => show(&reader, code, symbol),
        IndexCommand::Callers { symbol, possible } => {
            let mut found = Vec::new();
            for target in known(&reader, symbol)? {
                found.push((target.clone(), reader.callers(target.id, *possible)?));
            }
            calls(found, "callers")
        }
        IndexCommand::Callees { symbol, possible } => {
            let mut found = Vec::new();
            for source in known(&reader, symbol)? {
                found.push((source.clone(), reader.callees(source.id, *possible)?));
            }
            calls(found, "callees")
        }
        IndexCommand::Impact { symbol, depth } => {
            let changed = known(&reader, symbol)?;
            let ids: Vec<i64> = changed.iter().map(|found| found.id).collect();
            let found = reader.impact(&ids, *depth)?;
            let mut text = match found.is_empty() {
                true => nothing::not_reached("no proved reference leads to", symbol),
                false => reached(&found),
            };
            text.push_str(&nothing::impact_notes(&reader, &changed)?);
            Answer::new(text, found)
        }
        IndexCommand::Flows { from: None, .. } => {
            let named = names::read(project.root())?.0;
            let found = reader.flow_entries(code.root, &named, MAX_ENTRIES)?;
            let mut text = found.iter().fold(String::new(), |mut all, entry| {
                let place = entry.symbol.as_ref().map_or_else(|| entry.paths.join(", "), line);
                let flow = entry.flow.as_ref().map(|name| format!(" (flow `{name}`)"));
                let _ = writeln!(all, "{}", one_line(&(place + &flow.unwrap_or_default())));
                all
            });
            if found.is_empty() {
                text.push_str("no route and no function named main; name an entry: aidd index name flow NAME --entry SYMBOL\n");
            }
            Answer::new(text, found)
        }
        IndexCommand::Flows { from: Some(from), to: Some(to), .. } => {
            let ids = |found: Vec<SymbolRow>| found.iter().map(|s| s.id).collect::<Vec<i64>>();
            let found = reader.path(&ids(known(&reader, from)?), &ids(known(&reader, to)?))?;
            let text = if found.is_empty() {
                "no proved calls lead from one to the other\n".to_owned()
            } else {
                list(&found)
            };
            Answer::new(text, found)
        }
        IndexCommand::Flows { from: Some(from), depth, .. } => {
            let (mut found, mut ids) = (Vec::new(), Vec::new());
            for symbol in known(&reader, from)? {
                ids.push(symbol.id);
                found.extend(reader.flow(symbol.id, *depth)?);
            }
            let mut text = match found.is_empty() {
                true => nothing::not_reached("no proved call leads on from", from),
                false => reached(&found),
            };
            ids.extend(found.iter().map(|reached| reached.symbol.id));
            for access in reader.accesses(&ids)? {
                let possible = if access.certainty == "proved" { "" } else { " (possible)" };
                let place = format!("{}:{}", access.path, access.line);
                let call = format!("{} {} in {}", place, access.code, access.symbol);
                let _ = writeln!(text, "{}{possible}: {}", access.kind, one_line(&call));
            }
            Answer::new(text, found)
        }
        IndexCommand::Routes { text, limit } => {
            let found = reader.routes(text.as_deref(), *limit)?;
            let mut lines = found.iter().fold(String::new(), |mut all, route| {
                let handler = route.handler.as_ref().map_or("-", |symbol| &*symbol.qualified);
                let place = format!("{}:{}", route.file, route.line);
                let _ = writeln!(all, "{} {} {handler} {place}", route.method, route.path);
                all
            });
            if found.is_empty() {
                lines = nothing::no_route(&reader, text.as_deref())?;
            }
            Answer::new(lines, found)
        }
        IndexCommand::Map { tokens, focus } => {
            let focus = in_focus(&reader, (project, code), io, focus)?;
            let text = reader.map(*tokens, &focus)?;
            let map = json!({ "map": text });
            Answer::new(text, map)
        }
        IndexCommand::Affected { paths } => {
            let changed = match paths.as_slice() {
                [] => walk::uncommitted(project.root()).map(|all| all.paths()).unwrap_or_default(),
                paths => paths.iter().map(|path| from_root(project, io, path)).collect(),
            };
            if !paths.is_empty() {
                for path in &changed {
                    nothing::refuse_unknown_path(&reader, code.files, path)?;
                }
            }
            let mut found = reader.affected(&changed)?;
            let (routes, http_tests) = nothing::over_http(&reader, code.files, &changed)?;
            found.extend(http_tests);
            found.sort();
            found.dedup();
            let text = match found.is_empty() {
                true => nothing::no_test(&changed, routes),
                false => found.iter().fold(String::new(), |text, path| text + path + "\n"),
            };
            Answer::new(text, found)
        }
        IndexCommand::Dead { exported, limit } => {
            let found = reader.dead(*exported, *limit)?;
            let mut text = list(&found.symbols) + &nothing::dead_notes(&found, *limit);
            if let Some(templates) = reader.all_unread_templates()? {
                let _ = writeln!(text, "{templates}");
            }
            Answer::new(text, found.symbols)
        }
        IndexCommand::Name { .. } => names::answer(command, project, io),
        // Needs no index.
        IndexCommand::Pure { .. } => Answer::new(String::new(), ()),
        IndexCommand::Sql { query } => {
            let named = names::read(project.root())?.0;
            let rows = sql::query_with(code.root, &[], &named, query)
                .map_err(|error| UserError::new(error.to_string()))?;
            let text = rows.iter().fold(String::new(), |text, row| format!("{text}{row}\n"));
            Answer::new(text, rows)
        }
        IndexCommand::Export { format, focus, limit } => {
            if let Some(file) = &format.scip {
                return scip(&reader, project, io, file);
            }
            let focus = in_focus(&reader, (project, code), io, focus)?;
            let (name, text) = match format.tags {
                true => ("tags", reader.tags()?),
                false => ("mermaid", reader.mermaid(&focus, *limit)?),
            };
            let json = json!({ name: text });
            Answer::new(text, json)
        }
        IndexCommand::Doctor => {
            let mut problems = reader.problems()?;
            let mut text = match problems.as_slice() {
                [] => "the code index has no problems\n".to_owned(),
                found => {
                    let mut text = found.join("\n");
                    text.push_str("\nrun `aidd index --rm` and `aidd index` to build it again\n");
                    text
                }
            };
            for problem in names::read(project.root())?.1 {
                let _ = writeln!(text, "{}", one_line(&problem));
                problems.push(problem);
            }
            let exit = if problems.is_empty() { Exit::Clean } else { Exit::Findings };
            Ok(Answer { text, json: serde_json::to_value(problems)?, exit })
        }
    }
}

/// The symbols that an argument names.
fn known(reader: &Reader, symbol: &str) -> Result<Vec<SymbolRow>> {
    let found = reader.named(symbol)?;
    if !found.is_empty() {
        return Ok(found);
    }
    Err(nothing::unknown_symbol(reader, symbol)?.into())
}

/// A path that the user gave, relative to the root.
fn from_root(project: &Project, io: &Io<'_>, path: &str) -> String {
    walk::relative(project.root(), &project::absolute(&io.cwd, Path::new(path)))
}

/// Writes the index in the format SCIP.
fn scip(reader: &Reader, project: &Project, io: &Io<'_>, file: &Path) -> Result<Answer> {
    let root = directory_uri(project.root()).unwrap_or_default();
    let bytes = reader.scip(&root, |texts| io.distribution.redact_all(texts))?;
    std::fs::write(project::absolute(&io.cwd, file), &bytes)
        .map_err(|error| UserError::new(format!("cannot write {}: {error}", file.display())))?;
    let text = format!("wrote {}\n", one_line(&file.to_string_lossy()));
    Answer::new(text, json!({ "file": file, "bytes": bytes.len() }))
}

/// The paths in focus, relative to the root; all must be known.
fn in_focus(
    reader: &Reader,
    (project, code): (&Project, &Code<'_>),
    io: &Io<'_>,
    paths: &[String],
) -> Result<Vec<String>> {
    let paths: Vec<String> = paths.iter().map(|path| from_root(project, io, path)).collect();
    for path in &paths {
        nothing::refuse_unknown_path(reader, code.files, path)?;
    }
    Ok(paths)
}

fn line(symbol: &SymbolRow) -> String {
    format!("{}:{} {} {}", symbol.path, symbol.line, symbol.kind, symbol.qualified)
}

fn list(symbols: &[SymbolRow]) -> String {
    symbols.iter().fold(String::new(), |text, symbol| text + &line(symbol) + "\n")
}

fn reached(symbols: &[Reached]) -> String {
    symbols.iter().fold(String::new(), |mut text, found| {
        let _ = writeln!(text, "{}{}", "  ".repeat(found.depth - 1), line(&found.symbol));
        text
    })
}

/// Lists of references, by symbol.
fn calls(found: Vec<(SymbolRow, Vec<CallRow>)>, title: &str) -> Result<Answer> {
    let mut text = String::new();
    for (symbol, calls) in &found {
        let proved = calls.iter().filter(|call| call.certainty == "proved").count();
        let number = nothing::count(proved, title.trim_end_matches('s'));
        let _ = writeln!(text, "{}: {number}", line(symbol));
        for call in calls {
            let name = call.symbol.as_ref().map_or("(module)", |symbol| &*symbol.qualified);
            let possible = if call.certainty == "proved" { "" } else { " (possible)" };
            let _ = writeln!(text, "  {}:{} {} {name}{possible}", call.path, call.line, call.kind);
        }
    }
    let list: Vec<Value> = found
        .into_iter()
        .map(|(symbol, calls)| json!({ "symbol": symbol, title: calls }))
        .collect();
    Answer::new(text, list)
}

/// The functions of a file or of standard input, and their effects.
fn pure(file: &str, lang: Option<&str>, io: &mut Io<'_>) -> Result<Answer> {
    let mut bytes = Vec::new();
    if file == "-" {
        io.stdin.take(MAX_CODE).read_to_end(&mut bytes)?;
    } else {
        let path = project::absolute(&io.cwd, Path::new(file));
        let found =
            std::fs::File::open(&path).and_then(|from| from.take(MAX_CODE).read_to_end(&mut bytes));
        found.map_err(|error| UserError::new(format!("cannot read {file}: {error}")))?;
    }
    let code = String::from_utf8_lossy(&bytes);
    let functions = match lang {
        Some(lang) => purity::functions_in(lang, &code),
        None if file != "-" => purity::functions_of(file, &code),
        None => purity::guess_language(&code).and_then(|lang| purity::functions_in(lang, &code)),
    };
    let Some(functions) = functions.filter(|functions| !functions.is_empty()) else {
        let error = UserError::new("the code contains no function whose effects can be determined");
        let hint = "languages: python, javascript, typescript, rust, go; select one with --lang";
        return Err(error.hint(hint).into());
    };
    let mut text = String::new();
    for function in &functions {
        let level = &function.purity_level;
        let _ = writeln!(text, "{}: {level} {}", function.line, function.function);
        text += &effects(&function.side_effects);
    }
    let is_pure = functions.iter().all(|function| function.purity_level == "pure");
    let mut answer = Answer::new(text, functions)?;
    if !is_pure {
        answer.exit = Exit::Findings;
    }
    Ok(answer)
}

/// The effects of a function, one a line.
fn effects(all: &[Effect]) -> String {
    all.iter().fold(String::new(), |text, effect| {
        let through = if effect.inherited { "calls " } else { "" };
        format!("{text}  {} {}: {through}{}\n", effect.effect, effect.line, effect.code)
    })
}

/// The source of a symbol, with what calls it and what it calls.
fn show(reader: &Reader, code: &Code<'_>, symbol: &str) -> Result<Answer> {
    let (mut text, mut list) = (String::new(), Vec::new());
    for symbol in known(reader, symbol)? {
        let bytes = code.files.read(&symbol.path, 2 << 20).unwrap_or_default();
        let whole = String::from_utf8_lossy(&bytes);
        let first = symbol.line.saturating_sub(1) as usize;
        let count = (symbol.end_line.saturating_sub(symbol.line) as usize + 1).min(MAX_LINES);
        let source: Vec<&str> = whole.lines().skip(first).take(count).collect();
        let source = source.join("\n");
        let callers = reader.callers(symbol.id, false)?;
        let callees = reader.callees(symbol.id, false)?;
        let _ = writeln!(text, "{}\n{source}", line(&symbol));
        let purity = reader.purity(symbol.id)?;
        if let Some(purity) = &purity {
            let _ = writeln!(text, "  {}", purity.level);
            for found in &purity.effects {
                let _ = writeln!(text, "    {}", found.display());
            }
        }
        for (title, calls) in [("called by", &callers), ("calls", &callees)] {
            for call in calls {
                let name = call.symbol.as_ref().map_or("(module)", |symbol| &*symbol.qualified);
                let _ = writeln!(text, "  {title} {name} {}:{}", call.path, call.line);
            }
        }
        list.push(json!({
            "symbol": symbol, "source": source, "purity": purity, "callers": callers,
            "callees": callees,
        }));
    }
    Answer::new(text, list)
}
