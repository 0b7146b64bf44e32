//! Runs: files, a text or what changed, checked as every frontend checks them.

pub mod baseline;
pub mod branch;
pub mod commits;
pub mod compare;

use crate::exit::UserError;
use crate::gate::Policy;
use crate::project::Project;
use crate::{Comparison, Gated, Run};
use aidd_engine::check::{Engine, Selection};
use aidd_engine::project::config::FailOnName;
use aidd_engine::text::files::{Disk, Files, Listed, Memory, Overlay};
use aidd_engine::text::finding::{FailOn, Severity};
use aidd_engine::text::source::Source;
use aidd_engine::workspace::diff::Compared;
use aidd_engine::workspace::project_checks;
use aidd_engine::workspace::walk::Uncommitted;
use aidd_engine::workspace::walk::{self, Outcome, Walk, check_tree};
use anyhow::Result;
use compare::{Against, Base};
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::Instant;

pub use crate::{ComplianceFormat, Document, Format, wire};

/// What to check.
#[derive(Clone, Debug)]
pub enum Target<'a> {
    /// Files and folders below the root, as paths from it.
    Files(&'a [String]),
    /// A text as the file it is to become.
    Text {
        /// Its path from the root: says what kind of file it is.
        path: &'a str,
        /// The text.
        text: &'a str,
    },
    /// What changed in the work tree, uncommitted work with it.
    Changes {
        /// The revision that the work is compared with: where it left the line of that one.
        /// `None`: the main branch, and on it the last commit; before the first one all is new.
        base: Option<&'a str>,
        /// Only files and folders below these, as paths from the root; none: all.
        below: &'a [String],
    },
}

/// Checks `target` under the rules of `selection`. The baseline and `ci.blockOn`, `ci.warnOn` and
/// `ci.ignore` count as they do in a pull request.
///
/// # Errors
/// When a path leads out of the project or to nothing, there is no such revision or no main branch,
/// or the configuration does not hold.
pub fn check(project: &Project, selection: &Selection, target: &Target<'_>) -> Result<Document> {
    check_until(project, selection, target, &Arc::default())
}

/// As [`check()`], until `stop` is set: a file is finished, and no other is begun.
///
/// # Errors
/// As [`check()`]; and once it was stopped, for half an answer would pass for a whole one.
pub fn check_until(
    project: &Project,
    selection: &Selection,
    target: &Target<'_>,
    stop: &Arc<AtomicBool>,
) -> Result<Document> {
    check_knowing(project, selection, target, None, stop)
}

/// As [`check()`] of all changes, where it is `known` what differs from the last commit: the work tree
/// is not looked through again where the main branch is there too.
///
/// # Errors
/// As [`check()`].
pub fn check_changes(
    project: &Project,
    selection: &Selection,
    known: &Uncommitted,
) -> Result<Document> {
    let target = Target::Changes { base: None, below: &[] };
    check_knowing(project, selection, &target, Some(known), &Arc::default())
}

fn check_knowing(
    project: &Project,
    selection: &Selection,
    target: &Target<'_>,
    known: Option<&Uncommitted>,
    stop: &Arc<AtomicBool>,
) -> Result<Document> {
    let started = Instant::now();
    let engine = project.engine(selection)?;
    let mut comparison = None;
    let mut below = Vec::new();
    let mut compared = match target {
        Target::Text { path, text } => {
            let path = within(project.root(), path)?;
            let outcome = check_text(project, &engine, path, text.as_bytes().to_vec());
            Compared { outcome, ..Compared::default() }
        }
        Target::Files(paths) => {
            below = locate(project.root(), paths)?;
            let walk = Walk { stop: Some(stop.clone()), ..Walk::over(below.clone()) };
            let outcome = check_tree(&engine, &project.config, &project.disk, &walk, &|| ())
                .map_err(|why| UserError::new(format!("include or exclude: {why}")))?;
            Compared { outcome, ..Compared::default() }
        }
        Target::Changes { base, below: paths } => {
            below = if paths.is_empty() {
                vec![project.root().to_owned()]
            } else {
                let place = |path: &String| Ok(project.root().join(within(project.root(), path)?));
                paths.iter().map(place).collect::<Result<_>>()?
            };
            let walk = Walk { stop: Some(stop.clone()), ..Walk::over(below.clone()) };
            let (compared, base) = changes(project, &engine, *base, (walk, known))?;
            comparison = Some(compare::comparison(base, false, &compared));
            compared
        }
    };
    if stop.load(Ordering::Relaxed) {
        return Err(UserError::new("cancelled").into());
    }
    if !matches!(target, Target::Text { .. }) {
        compared.outcome.skip_irregular(project.irregular());
    }
    let stale = baseline::judge((None, false), project, &below, &mut compared.outcome, false)?;
    compared.match_across();
    Ok(document(project, &engine, &compared, comparison, stale.is_some(), started))
}

fn document(
    project: &Project,
    engine: &Engine,
    compared: &Compared,
    comparison: Option<Comparison>,
    baseline: bool,
    started: Instant,
) -> Document {
    let fail_on = fail_on(None, project);
    let ci = project.config.ci.clone().unwrap_or_default();
    let (policy, mut notes) = Policy::new(&ci, fail_on, engine.registry());
    let kind = if comparison.is_some() { "changed" } else { "tracked" };
    notes.extend(compared.outcome.left_out.message(kind));
    let run = Run {
        files: compare::files(&compared.outcome.files),
        fixed: compare::files(&compared.fixed),
        rules: engine.registry().rules(),
        checked: compared.outcome.checked,
        skipped: &compared.outcome.skipped,
        fail_on,
        policy: Some(&policy),
        comparison,
        notes,
        elapsed: started.elapsed(),
        root: project.root(),
        baseline,
        stale: 0,
        suppressed: false,
        category: None,
        version_control: None,
    };
    Document::of(&run, false)
}

/// A document as a report in `format`; [`Format::Text`] gives a line a finding.
#[must_use]
pub fn render(project: &Project, document: &Document, format: Format) -> String {
    let mut text = Vec::new();
    // Writing to memory does not fail.
    let _ = crate::render(format, document, project.registry().rules(), &mut text);
    String::from_utf8_lossy(&text).into_owned()
}

/// What the gate enforces, whatever there is to find: for reviews of the policy itself.
///
/// # Errors
/// When the configuration or the baseline does not hold.
pub fn policy(project: &Project, format: ComplianceFormat) -> Result<String> {
    let engine = project.engine(&Selection::default())?;
    let known = project.baseline(&project.baseline_path(None), false)?;
    let gated = Gated {
        config: &project.config,
        engine: &engine,
        fail_on: fail_on(None, project),
        baseline: known.map(|known| known.entries().map(|entry| entry.count as usize).sum()),
    };
    Ok(crate::compliance(gated, format))
}

fn changes(
    project: &Project,
    engine: &Engine,
    base: Option<&str>,
    (walk, known): (Walk, Option<&Uncommitted>),
) -> Result<(Compared, Base)> {
    let repository = compare::repository(project)?;
    let diff = match base {
        Some(base) => Some(base.to_owned()),
        // All is new; the comparison says that there is no commit.
        None if repository.commit("HEAD").is_err() => None,
        None => Some(branch::main_branch(&repository)?),
    };
    let against = diff.map_or(Against::LastCommit, Against::Revision);
    compare::check(&against, (project, engine), (walk, known), &|| ())
}

/// The absolute paths of `paths`, which exist.
fn locate(root: &Path, paths: &[String]) -> Result<Vec<PathBuf>> {
    let mut located = Vec::with_capacity(paths.len());
    for given in paths {
        let path = root.join(within(root, given)?);
        if !path.exists() {
            return Err(UserError::new(format!("{given}: no such file"))
                .hint("paths count from the project's root")
                .into());
        }
        located.push(path);
    }
    Ok(located)
}

/// A path that an agent gave, from the root.
fn within(root: &Path, given: &str) -> Result<String> {
    Disk::new(root).inside(given).ok_or_else(|| {
        UserError::new(format!("{given} does not lie in the project"))
            .hint("paths count from the project's root")
            .into()
    })
}

/// Checks `bytes` as the file at `path` from the root.
pub fn check_text(project: &Project, engine: &Engine, path: String, bytes: Vec<u8>) -> Outcome {
    let size = bytes.len() as u64;
    let files =
        Overlay { over: Memory([(path.clone(), bytes.clone())].into()), under: &project.disk };
    let binary = walk::is_binary(&bytes);
    let source = Source::decode(path, bytes);
    let root = || Walk::over(vec![project.root().to_owned()]);
    let whole = project_checks::has_any(engine);
    let listing = (whole || engine.asks_listing())
        .then(|| walk::listing(engine, &project.disk, &root()).with_file(source.path()));
    let listed = listing.as_ref().map(|listing| Listed { files: &files, listing });
    let files: &dyn Files = match &listed {
        Some(listed) => listed,
        None => &files,
    };
    let large = size > engine.max_file_size();
    let checked = if large || binary {
        engine.check_secrets(&source, files)
    } else {
        engine.check(&source, files)
    };
    let mut outcome = Outcome { checked: 1, bytes: size, ..Outcome::default() };
    let path = source.path().to_owned();
    outcome.keep(source, checked);
    if let Some(listing) = listing.as_ref().filter(|_| whole) {
        // What the text brings about at its own path; a malformed glob ends a run before this.
        let _ = walk::joined(engine, &project.config, files, listing, &mut outcome);
        outcome.joined.retain(|file| file.source.path() == path);
    }
    outcome.join();
    outcome
}

/// The least severity that fails: typed, configured, or the default.
#[must_use]
pub fn fail_on(typed: Option<FailOn>, project: &Project) -> FailOn {
    typed.unwrap_or(match project.config.fail_on {
        None | Some(FailOnName::Error) => FailOn::Severity(Severity::Error),
        Some(FailOnName::Warning) => FailOn::Severity(Severity::Warning),
        Some(FailOnName::Info) => FailOn::Severity(Severity::Info),
        Some(FailOnName::Never) => FailOn::Never,
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::fs;

    fn project(files: &[(&str, &str)]) -> (tempfile::TempDir, Project) {
        let folder = tempfile::tempdir().expect("a folder");
        for (path, text) in files {
            let path = folder.path().join(path);
            fs::create_dir_all(path.parent().expect("a folder")).expect("made");
            fs::write(path, text).expect("written");
        }
        let project = Project::open(&crate::DISTRIBUTION, folder.path(), None).expect("a project");
        (folder, project)
    }

    fn found(project: &Project, target: &Target<'_>) -> Vec<String> {
        let document = check(project, &Selection::default(), target).expect("checked");
        let line = |found: &wire::Finding| format!("{} {}", found.path, found.rule);
        document.findings.iter().map(line).collect()
    }

    #[test]
    fn a_text_and_a_file_have_the_same_findings_with_the_same_ids() {
        let text = "FROM debian\nRUN sudo true\n";
        let (_folder, project) = project(&[(".aidd/x", ""), ("a/Dockerfile", text)]);
        let ids = |target: &Target<'_>| -> Vec<String> {
            let document = check(&project, &Selection::default(), target).expect("checked");
            document.findings.into_iter().map(|found| found.id).collect()
        };
        let files = ids(&Target::Files(&["a".to_owned()]));
        assert!(files.len() > 1);
        assert_eq!(files, ids(&Target::Text { path: "a/Dockerfile", text }));
        assert_eq!(found(&project, &Target::Text { path: "a/b.txt", text }), [""; 0]);
    }

    #[test]
    fn nothing_outside_the_root_is_read() {
        let outside = tempfile::tempdir().expect("a folder");
        fs::write(outside.path().join("Dockerfile"), "FROM debian\n").expect("written");
        let (folder, project) = project(&[(".aidd/x", "")]);
        let absolute = outside.path().join("Dockerfile").display().to_string();
        let mut paths = vec!["../x".to_owned(), "a/../../x".to_owned(), absolute];
        #[cfg(unix)]
        {
            let link = folder.path().join("link");
            std::os::unix::fs::symlink(outside.path(), link).expect("linked");
            paths.push("link/Dockerfile".to_owned());
            paths.push("link/new/Dockerfile".to_owned());
        }
        let _ = &folder;
        for path in &paths {
            let paths = std::slice::from_ref(path);
            for target in [
                Target::Files(paths),
                Target::Text { path, text: "FROM debian\n" },
                Target::Changes { base: None, below: paths },
            ] {
                let error = check(&project, &Selection::default(), &target).expect_err(path);
                assert!(error.to_string().contains("does not lie in the project"), "{error}");
            }
        }
        let gone = check(&project, &Selection::default(), &Target::Files(&["gone".to_owned()]));
        assert!(gone.expect_err("gone").to_string().contains("no such file"));
    }
}
