//! What a change to a symbol, or the changes in the work tree, reach.

use super::section::by_file;
use super::{Current, budget, current, first_lines, named, unknown_note};
use crate::context::Context;
use crate::profile::Profile;
use crate::tool::{Answer, Tool, ToolError};
use crate::tools::core::fit_to_budget;
use aidd_index::changed_lines;
use aidd_index::query::context::Use;
use aidd_index::query::reach::Reach;
use aidd_index::query::{RouteRow, SymbolRow};
use aidd_report::number;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use std::fmt::Write as _;

/// Maximum number of symbols in a list.
const MAX_LISTED: usize = 12;
/// Maximum number of test files in a list.
const MAX_TESTS: usize = 10;

pub(super) fn tool() -> Tool {
    Tool::new(
        "aidd_impact",
        "Impact of a change",
        "Lists the callers and tests affected by a change to a symbol or, with `diff`, by those in \
         the work tree, and changed code that no test reaches. Use before changing a signature, \
         and before a commit.",
        impact,
    )
    .in_profiles(&[Profile::Index])
}

#[derive(Deserialize, JsonSchema)]
struct ImpactParams {
    /// Symbol: name, Type.method, key, or path:line
    symbol: Option<String>,
    /// Revision to compare the work tree with; HEAD for the uncommitted changes
    diff: Option<String>,
    /// Maximum number of tokens; default: 1500
    #[schemars(range(min = 200, max = 20000))]
    #[schemars(extend("x-unlisted" = true))]
    budget: Option<usize>,
}

#[derive(Serialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
struct Impact {
    text: String,
    /// The number of symbols that directly refer to the changed symbols.
    callers: usize,
    /// The number of files with these symbols.
    files: usize,
    /// The number of symbols that reach the changed symbols through others.
    indirect: usize,
    /// The number of test files that the change affects.
    tests: usize,
    /// The number of further test files that contain a route of a changed function.
    possible_tests: usize,
    /// The number of changed functions that neither a test nor a route reaches.
    untested: usize,
}

fn impact(context: &Context, params: ImpactParams) -> Result<Answer<Impact>, ToolError> {
    let current = current(context)?;
    let (title, reach) = match (&params.symbol, &params.diff) {
        (Some(_), Some(_)) => {
            return Err(
                ToolError::new("`symbol` and `diff` cannot be combined").remedy("pass one of them")
            );
        }
        (Some(symbol), None) => of_symbol(&current, symbol)?,
        (None, rev) => of_diff(&current, rev.as_deref())?,
    };
    let possible = current.reader.http_tests(&reach.routes, &current.project.disk)?;
    let possible: Vec<String> =
        possible.into_iter().filter(|path| !reach.tests.contains(path)).collect();
    let mut notes = current.notes.clone();
    let paths = reach.changed.iter().map(|symbol| &*symbol.path);
    match reach.possible {
        0 => {}
        1 => notes.push("1 more place is a possible caller, which is not counted".to_owned()),
        count => notes.push(format!("{count} more places are possible callers, not counted")),
    }
    notes.extend(current.reader.unread_templates(paths)?);
    let text = render(&title, (&reach, &possible), &notes);
    let text = context.distribution().redact(&text);
    let impact = fit_to_budget(budget(params.budget), |tokens| Impact {
        text: first_lines(&text, tokens),
        callers: reach.callers.len(),
        files: reach.caller_files(),
        indirect: reach.indirect,
        tests: reach.tests.len(),
        possible_tests: possible.len(),
        untested: reach.untested.len(),
    });
    let text = impact.text.clone();
    Ok(Answer::new(impact, text))
}

fn of_symbol(current: &Current, name: &str) -> Result<(String, Reach), ToolError> {
    let reader = &current.reader;
    let found = named(reader, name)?;
    let Some(first) = found.first() else {
        return Err(ToolError::new(unknown_note(reader, name)?));
    };
    let place =
        |symbol: &SymbolRow| format!("`{}` {}:{}", symbol.qualified, symbol.path, symbol.line);
    let mut title = format!("A change to {} reaches", place(first));
    if found.len() > 1 {
        let others: Vec<String> = found.iter().skip(1).take(MAX_LISTED).map(place).collect();
        title = format!(
            "note: `{name}` has {} definitions; the most used is shown, others: {}\n{title}",
            found.len(),
            others.join(", ")
        );
    }
    let changed = reader.with_members(first)?;
    Ok((title, reader.reach(changed)?))
}

fn of_diff(current: &Current, rev: Option<&str>) -> Result<(String, Reach), ToolError> {
    let rev = rev.map(str::trim).filter(|rev| !rev.is_empty() && *rev != "HEAD");
    let lines = changed_lines(&current.project.disk, rev)?;
    let since = rev.unwrap_or("the last commit");
    if lines.is_empty() {
        let remedy = "pass `diff` with an earlier revision, such as HEAD~1 or main";
        return Err(ToolError::new(format!("no source file changed since {since}")).remedy(remedy));
    }
    let reach = current.reader.reach_of_lines(&lines)?;
    Ok((format!("The changes since {since} in {} reach", number(lines.len(), "file")), reach))
}

fn render(title: &str, (reach, possible): (&Reach, &[String]), notes: &[String]) -> String {
    let mut text = format!(
        "{title} {} in {}, {} more indirectly; {}.\n",
        number(reach.callers.len(), "caller"),
        number(reach.caller_files(), "file"),
        reach.indirect,
        number(reach.tests.len(), "affected test file")
    );
    for note in notes {
        let _ = writeln!(text, "note: {note}");
    }
    list(&mut text, "untested", &reach.untested);
    if reach.changed.len() > 1 {
        list(&mut text, "changed", &reach.changed);
    }
    if !reach.callers.is_empty() {
        let _ = writeln!(text, "callers:");
        let mut paths: Vec<&str> = Vec::new();
        for user in &reach.callers {
            if !paths.contains(&&*user.path) {
                paths.push(&user.path);
            }
        }
        for path in paths {
            let uses: Vec<&Use> = reach.callers.iter().filter(|user| user.path == path).collect();
            let _ = writeln!(text, "  {}", by_file(&uses, ""));
        }
    }
    if !reach.tests.is_empty() {
        let shown: Vec<&str> = reach.tests.iter().take(MAX_TESTS).map(|path| &**path).collect();
        let more = reach.tests.len() - shown.len();
        let more = if more > 0 { format!(", +{more}") } else { String::new() };
        let _ = writeln!(text, "tests: {}{more}", shown.join(", "));
    }
    if let Some(http) = over_http(&reach.routes, possible) {
        let _ = writeln!(text, "{http}");
    }
    text
}

/// The test files that possibly send requests to `routes`, in one line; `None` without routes.
pub(super) fn over_http(routes: &[RouteRow], possible: &[String]) -> Option<String> {
    let first = routes.first()?;
    let more = routes.len() - 1;
    let more = if more > 0 { format!(", +{more}") } else { String::new() };
    let route = format!("{} {}{more}", first.method, first.path);
    let shown: Vec<&str> = possible.iter().take(MAX_TESTS).map(|path| &**path).collect();
    let omitted = possible.len() - shown.len();
    let omitted = if omitted > 0 { format!(", +{omitted}") } else { String::new() };
    Some(match possible {
        [] => format!("tests over HTTP are not followed; no test file contains the route {route}"),
        _ => format!(
            "tests over HTTP are not followed; possible, because they contain the route {route}: {}{omitted}",
            shown.join(", ")
        ),
    })
}

/// A line with the first symbols of a list.
fn list(text: &mut String, title: &str, symbols: &[SymbolRow]) {
    if symbols.is_empty() {
        return;
    }
    let names = symbols.iter().take(MAX_LISTED);
    let names: Vec<String> = names
        .map(|symbol| format!("{} {}:{}", symbol.qualified, symbol.path, symbol.line))
        .collect();
    let more = symbols.len() - names.len();
    let more = if more > 0 { format!(", +{more}") } else { String::new() };
    let _ = writeln!(text, "{title} ({}): {}{more}", symbols.len(), names.join(", "));
}
