//! Finds fixes that must not be offered to an agent: they do not resolve their finding, or they
//! cause another finding.

use aidd_engine::check::Selection;
use aidd_engine::text::files::Files;
use aidd_engine::text::finding::Finding;
use aidd_engine::workspace::fix::failing_fixes;
use aidd_engine::workspace::project::Project;
use aidd_report::run::wire;
use std::collections::{BTreeMap, BTreeSet};

/// Applies each fix of the `shown` findings and runs the rules of `selection`. Returns, by finding
/// id, a note on each fix that does not resolve its finding or that causes another finding. `files`
/// contains the checked texts.
pub(super) fn ineffective_fixes(
    project: &Project,
    selection: &Selection,
    files: &dyn Files,
    shown: &[&wire::Finding],
) -> BTreeMap<String, String> {
    let mut by_path: BTreeMap<&str, BTreeSet<&str>> = BTreeMap::new();
    for found in shown {
        if found.fix.as_ref().is_some_and(|fix| !fix.edits.is_empty()) {
            by_path.entry(&found.path).or_default().insert(&found.id);
        }
    }
    let mut failing = BTreeMap::new();
    if by_path.is_empty() {
        return failing;
    }
    let Ok(engine) = project.engine(selection) else { return failing };
    for (path, ids) in by_path {
        let limit = engine.max_file_size();
        let Ok(bytes) = files.read(path, limit + 1) else { continue };
        // Larger files are only searched for secrets.
        if bytes.len() as u64 > limit {
            continue;
        }
        let is_shown = |finding: &Finding| ids.contains(&*finding.id);
        for failing_fix in failing_fixes(&engine, path, bytes, files, &is_shown) {
            let note = format!(
                "fix of {} at {path}:{}:{} omitted: {}",
                failing_fix.rule, failing_fix.line, failing_fix.column, failing_fix.reason
            );
            failing.insert(failing_fix.id, note);
        }
    }
    failing
}
