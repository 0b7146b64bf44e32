//! The note on what a change reaches, from the code index.

use aidd_engine::text::escape;
use aidd_index::query::Reader;
use aidd_index::query::reach::Reach;
use aidd_index::{IndexError, changed_lines, refresh, store};
use aidd_report::number;
use aidd_report::project::Project;

/// Maximum number of untested symbols in the note.
const MAX_UNTESTED: usize = 5;

/// The note on what the work tree's changes since the merge base with `rev` reach (`None`: since the
/// last commit). `None` if no source file changed, or if the project has no index and `is_requested`
/// is not set: building an index takes longer than the check.
#[must_use]
pub fn note(project: &Project, rev: Option<&str>, is_requested: bool) -> Option<String> {
    if !is_requested && !store::path(project.root()).is_file() {
        return None;
    }
    match reach(project, rev) {
        Ok(reach) => reach.map(|reach| describe(&reach)),
        Err(error) => Some(format!("the reach of the change is unknown: {error}")),
    }
}

fn reach(project: &Project, rev: Option<&str>) -> Result<Option<Reach>, IndexError> {
    let lines = changed_lines(&project.disk, rev)?;
    if lines.is_empty() {
        return Ok(None);
    }
    refresh(&project.disk, &project.config)?;
    Reader::open(project.root())?.reach_of_lines(&lines).map(Some)
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
    text
}
