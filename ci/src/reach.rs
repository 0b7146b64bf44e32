//! What a change reaches, from the code index.

use aidd_engine::text::escape;
use aidd_index::query::reach::Reach;
use aidd_index::query::{Reader, SymbolRow};
use aidd_index::{IndexError, changed_lines, refresh_before_exit, store};
use aidd_report::project::Project;
use aidd_report::{ReachedSymbol, number};

/// Maximum number of untested symbols in the note.
const MAX_UNTESTED: usize = 5;

/// What a change reaches, for the report.
#[derive(Clone, Debug)]
pub struct ReachReport {
    /// The note on the run.
    pub note: String,
    /// The details; `None` if they are unknown.
    pub details: Option<aidd_report::Reach>,
}

/// What the work tree's changes since the merge base with `rev` reach (`None`: since the last
/// commit). `None` if no source file changed, or if the project has no index and `is_requested` is
/// not set: building an index takes longer than the check.
#[must_use]
pub fn report(project: &Project, rev: Option<&str>, is_requested: bool) -> Option<ReachReport> {
    if !is_requested && !store::path(project.root()).is_file() {
        return None;
    }
    match reach(project, rev) {
        Ok(reach) => {
            let reach = reach?;
            Some(ReachReport { note: describe(&reach), details: Some(details(&reach)) })
        }
        Err(error) => Some(ReachReport {
            note: format!("the reach of the change is unknown: {error}"),
            details: None,
        }),
    }
}

fn reach(project: &Project, rev: Option<&str>) -> Result<Option<Reach>, IndexError> {
    let lines = changed_lines(&project.disk, rev)?;
    if lines.is_empty() {
        return Ok(None);
    }
    refresh_before_exit(&project.disk, &project.config)?;
    Reader::open(project.root())?.reach_of_lines(&lines).map(Some)
}

fn details(reach: &Reach) -> aidd_report::Reach {
    let declared = |symbol: &SymbolRow| ReachedSymbol {
        name: symbol.qualified.clone(),
        path: symbol.path.clone(),
        line: symbol.line.into(),
    };
    let callers = reach.callers.iter().map(|user| ReachedSymbol {
        name: user.name.clone(),
        path: user.path.clone(),
        line: user.line.into(),
    });
    aidd_report::Reach {
        changed: reach.changed.iter().map(declared).collect(),
        callers: callers.collect(),
        indirect: reach.indirect,
        tests: reach.tests.clone(),
        untested: reach.untested.iter().map(declared).collect(),
    }
}

/// The reach in one sentence.
fn describe(reach: &Reach) -> String {
    let callers = number(reach.callers.len(), "caller");
    let files = number(reach.caller_files(), "file");
    let tests = number(reach.tests.len(), "affected test file");
    let mut text = format!("this change reaches {callers} in {files}; {tests}");
    let names = reach.untested.iter().take(MAX_UNTESTED).map(|symbol| {
        let name = escape::line(&symbol.qualified);
        format!("{name} ({}:{})", symbol.path, symbol.line)
    });
    let names: Vec<String> = names.collect();
    if !names.is_empty() {
        let more = reach.untested.len() - names.len();
        let more = if more > 0 { format!(", +{more}") } else { String::new() };
        text.push_str(&format!("; untested: {}{more}", names.join(", ")));
    }
    if !reach.routes.is_empty() {
        let routes = number(reach.routes.len(), "route");
        text.push_str(&format!("; tests over HTTP of {routes} are not followed"));
    }
    text
}
