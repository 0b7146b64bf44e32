//! What the commands of `aidd index` print if there is no result, and errors that name what is unknown.

use aidd_engine::text::files::Files;
use aidd_engine::text::nearest::nearest;
use aidd_index::query::{Dead, Reader, SymbolRow};
use aidd_report::exit::UserError;
use aidd_report::one_line;
use anyhow::Result;

/// Maximum number of files that are compared with a path that does not exist.
const MAX_FILES: u32 = 20_000;

/// A number with a noun, which has `s` in the plural.
pub(super) fn count(number: usize, noun: &str) -> String {
    let plural = if number == 1 { "" } else { "s" };
    format!("{number} {noun}{plural}")
}

fn similar(names: &[String], kind: &str) -> String {
    match names {
        [] => String::new(),
        names => format!("; similar {kind}: {}", names.join(", ")),
    }
}

/// No name of a symbol contains `text`.
pub(super) fn no_name(reader: &Reader, text: &str) -> Result<String> {
    let names = similar(&reader.nearest(text)?, "names");
    Ok(format!("no name of a symbol contains `{}`{names}\n", one_line(text)))
}

/// The error for a symbol that the index does not contain.
pub(super) fn unknown_symbol(reader: &Reader, symbol: &str) -> Result<UserError> {
    let error = UserError::new(format!("the index has no symbol `{symbol}`"));
    Ok(match reader.nearest(symbol)?.as_slice() {
        [] => error.hint("`aidd index find TEXT` searches for parts of names"),
        names => error.hint(format!("similar names: {}", names.join(", "))),
    })
}

/// No symbol was reached from `symbol`; `what` says how.
pub(super) fn not_reached(what: &str, symbol: &str) -> String {
    format!("{what} `{}`\n", one_line(symbol))
}

/// There are no routes, or none that contains `text`.
pub(super) fn no_route(reader: &Reader, text: Option<&str>) -> Result<String> {
    let Some(text) = text else {
        return Ok("no routes found in the supported frameworks\n".to_owned());
    };
    let routes = reader.routes(None, 2000)?;
    let names: Vec<String> = routes.iter().map(|at| format!("{} {}", at.method, at.path)).collect();
    // The parts of a path are compared one by one.
    let parts = names.iter().flat_map(|name| {
        let parts = name.split(['/', ' ']).filter(|part| !part.is_empty());
        parts.map(move |part| (part, name))
    });
    let word = text.trim_matches('/').rsplit('/').next().unwrap_or(text);
    let near = nearest(word, parts.clone().map(|(part, _)| part));
    let mut found: Vec<String> =
        parts.filter(|(part, _)| near == Some(part)).map(|(_, name)| name.clone()).collect();
    found.dedup();
    found.truncate(3);
    let all = count(routes.len(), "route");
    let near = similar(&found, "routes");
    Ok(format!("none of {all} contains `{}`{near}\n", one_line(text)))
}

/// No test reaches the files.
pub(super) fn no_test(paths: &[String], routes: usize) -> String {
    let http = match routes {
        0 => String::new(),
        1 => "; no test file contains the path or name of its route".to_owned(),
        routes => format!("; no test file contains the path or name of its {routes} routes"),
    };
    match paths {
        [] => "no uncommitted changes in indexed files\n".to_owned(),
        [path] => format!("no test file refers to {} or imports it{http}\n", one_line(path)),
        paths => {
            format!("no test file refers to these {} files or imports them{http}\n", paths.len())
        }
    }
}

/// The number of routes that the files handle, and the test files that contain one of them.
pub(super) fn over_http(
    reader: &Reader,
    files: &dyn Files,
    paths: &[String],
) -> Result<(usize, Vec<String>)> {
    let mut handlers = Vec::new();
    for path in paths {
        handlers.extend(reader.handlers_in(path)?);
    }
    let routes = reader.routes_to(&handlers)?;
    let tests = reader.http_tests(&routes, files)?;
    Ok((routes.len(), tests))
}

/// The lines after the symbols that reach `symbols`: routes, and what is not in the index.
pub(super) fn impact_notes(reader: &Reader, symbols: &[SymbolRow]) -> Result<String> {
    let mut text = String::new();
    let ids: Vec<i64> = symbols.iter().map(|symbol| symbol.id).collect();
    let routes = reader.routes_to(&ids)?;
    if let Some(first) = routes.first() {
        let more = routes.len() - 1;
        let more = if more > 0 { format!(", +{more}") } else { String::new() };
        let route = one_line(&format!("{} {}{more}", first.method, first.path));
        text.push_str(&format!("requests reach it: {route}\n"));
    }
    if let Some(note) = reader.unread_templates(symbols.iter().map(|symbol| &*symbol.path))? {
        text.push_str(&note);
        text.push('\n');
    }
    Ok(text)
}

/// Refuses a path that does not exist, or that contains no indexed file.
pub(super) fn refuse_unknown_path(reader: &Reader, files: &dyn Files, path: &str) -> Result<()> {
    if !reader.files_at(path, 1)?.is_empty() {
        return Ok(());
    }
    let is_dir = || !files.names(path).is_empty() || !files.dirs(path).is_empty();
    let exists = files.exists(path) || is_dir();
    let error = UserError::new(match exists {
        true => format!("{path} is not in the code index"),
        false => format!("{path} does not exist"),
    });
    let all = reader.files_at("", MAX_FILES)?;
    let name = path.rsplit('/').next().unwrap_or(path);
    let is_same_name = |known: &&String| known.rsplit('/').next() == Some(name);
    let near = match all.iter().find(is_same_name) {
        Some(known) => Some(&**known),
        None => nearest(path, all.iter().map(String::as_str)),
    };
    Err(match (exists, near) {
        (true, _) => error.hint("the index contains source files that Git does not ignore").into(),
        (false, Some(near)) => error.hint(format!("similar path: {near}")).into(),
        (false, None) => error.into(),
    })
}

/// The lines after a list of unused symbols.
pub(super) fn dead_notes(found: &Dead, limit: u32) -> String {
    let mut notes = String::new();
    if found.total == 0 {
        notes.push_str(
            "no function or type is without references; `--exported` also lists exported ones\n",
        );
    }
    if found.total > limit {
        let total = found.total;
        notes.push_str(&format!("{limit} of {total} are listed; `--limit {total}` lists all\n"));
    }
    if found.generated > 0 {
        let files = count(found.generated as usize, "generated or minified file");
        notes.push_str(&format!("{files} with such symbols left out\n"));
    }
    notes
}
