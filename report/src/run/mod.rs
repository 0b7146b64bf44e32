//! Checks files, a text or changes, in the same way for all frontends.

pub mod baseline;
pub mod branch;
pub mod commits;
pub mod compare;

use crate::error::RunError;
use crate::gate::Policy;
use crate::project::Project;
use crate::{Comparison, ComplianceInput, Listing, Run};
use aidd_engine::check::{Engine, Selection};
use aidd_engine::project::config::FailOnName;
use aidd_engine::text::files::{Disk, Files, ListedOnDemand, Memory, Overlay};
use aidd_engine::text::finding::{FailOn, Severity};
use aidd_engine::text::source::Source;
use aidd_engine::workspace::diff::CompareResult;
use aidd_engine::workspace::project_checks;
use aidd_engine::workspace::walk::UncommittedChanges;
use aidd_engine::workspace::walk::{self, Outcome, Walk, check_tree};
use compare::{Against, Base};
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::Instant;

pub use crate::{ComplianceFormat, Document, Format, wire};

/// The files, the text or the changes to check.
#[derive(Clone, Debug)]
pub enum Target<'a> {
    /// Files and directories below the root, as paths relative to it.
    Files(&'a [String]),
    /// A text, as the contents of a file.
    Text {
        /// The path of the text relative to the root, which determines the file type.
        path: &'a str,
        /// The contents.
        text: &'a str,
    },
    /// Changes in the working tree, including uncommitted ones.
    Changes {
        /// The revision to compare with; the base is the merge base with this revision. `None`
        /// compares with the main branch, or on the main branch with the last commit; without any
        /// commit, everything is new.
        base: Option<&'a str>,
        /// Restricts the check to files and directories below these paths, relative to the root; if
        /// empty, all changes are checked.
        below: &'a [String],
    },
}

/// Checks `target` with the rules of `selection`. The baseline and `ci.blockOn`, `ci.warnOn` and
/// `ci.ignore` apply as in a pull request.
///
/// # Errors
/// Fails when a path is outside of the project or does not exist, when the revision or the main
/// branch does not exist, or when the configuration is invalid.
pub fn check(
    project: &Project,
    selection: &Selection,
    target: &Target<'_>,
) -> Result<Document, RunError> {
    check_until(project, selection, target, &Arc::default())
}

/// Like [`check()`], but stops after the current file when `stop` is set.
///
/// # Errors
/// Like [`check()`]; also fails when stopped, because a partial result could be mistaken for a
/// complete one.
pub fn check_until(
    project: &Project,
    selection: &Selection,
    target: &Target<'_>,
    stop: &Arc<AtomicBool>,
) -> Result<Document, RunError> {
    check_with_known(project, selection, target, None, stop)
}

/// Like [`check()`] of all changes, with the `known` changes since the last commit: if the main
/// branch is at that commit too, the working tree is not scanned again.
///
/// # Errors
/// Like [`check()`].
pub fn check_changes(
    project: &Project,
    selection: &Selection,
    known: &UncommittedChanges,
) -> Result<Document, RunError> {
    let target = Target::Changes { base: None, below: &[] };
    check_with_known(project, selection, &target, Some(known), &Arc::default())
}

fn check_with_known(
    project: &Project,
    selection: &Selection,
    target: &Target<'_>,
    known: Option<&UncommittedChanges>,
    stop: &Arc<AtomicBool>,
) -> Result<Document, RunError> {
    let started = Instant::now();
    let engine = project.engine(selection)?;
    let mut comparison = None;
    let mut below = Vec::new();
    let mut compared = match target {
        Target::Text { path, text } => {
            let path = relative_to_root(project.root(), path)?;
            let outcome = check_text(project, &engine, path, text.as_bytes().to_vec());
            CompareResult { outcome, ..CompareResult::default() }
        }
        Target::Files(paths) => {
            below = locate(project.root(), paths)?;
            let walk = Walk { stop: Some(stop.clone()), ..Walk::over(below.clone()) };
            let outcome = check_tree(&engine, &project.config, &project.disk, &walk, &|| ())?;
            CompareResult { outcome, ..CompareResult::default() }
        }
        Target::Changes { base, below: paths } => {
            below = if paths.is_empty() {
                vec![project.root().to_owned()]
            } else {
                let absolute = |path: &String| {
                    Ok(project.root().join(relative_to_root(project.root(), path)?))
                };
                paths.iter().map(absolute).collect::<Result<_, RunError>>()?
            };
            let walk = Walk { stop: Some(stop.clone()), ..Walk::over(below.clone()) };
            let (compared, base) = changes(project, &engine, *base, (walk, known))?;
            comparison = Some(compare::comparison(base, false, &compared));
            compared
        }
    };
    if stop.load(Ordering::Relaxed) {
        return Err(RunError::Cancelled);
    }
    if !matches!(target, Target::Text { .. }) {
        compared.outcome.skip_irregular(project.irregular());
    }
    let stale = baseline::apply((None, false), project, &below, &mut compared.outcome, false)?;
    compared.match_across();
    Ok(document(project, &engine, &compared, comparison, stale.is_some(), started))
}

fn document(
    project: &Project,
    engine: &Engine,
    compared: &CompareResult,
    comparison: Option<Comparison>,
    baseline: bool,
    started: Instant,
) -> Document {
    let fail_on = fail_on(None, project);
    let ci = project.config.ci.clone().unwrap_or_default();
    let (policy, mut notes) = Policy::new(&ci, fail_on, engine.registry());
    let kind = if comparison.is_some() { "changed" } else { "tracked" };
    notes.extend(compared.outcome.excluded.message(kind));
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
        reach: None,
        elapsed: started.elapsed(),
        root: project.root(),
        baseline,
        stale: 0,
        suppressed: false,
        category: None,
        version_control: None,
    };
    Document::from_run(&run, false)
}

/// Renders a document in `format`; [`Format::Text`] prints one line per finding.
#[must_use]
pub fn render(project: &Project, document: &Document, format: Format) -> String {
    let mut text = Vec::new();
    // Writing to memory cannot fail.
    let listing = Listing::default();
    let _ = crate::render(format, document, project.registry().rules(), &mut text, listing);
    String::from_utf8_lossy(&text).into_owned()
}

/// Renders the statement of the rules that the configuration enforces, independent of findings, for
/// reviews of the policy.
///
/// # Errors
/// Fails when the configuration or the baseline is invalid.
pub fn policy(project: &Project, format: ComplianceFormat) -> Result<String, RunError> {
    let engine = project.engine(&Selection::default())?;
    let baseline = project.baseline(&project.baseline_path(None), false)?;
    let input = ComplianceInput {
        config: &project.config,
        engine: &engine,
        fail_on: fail_on(None, project),
        baseline: baseline.map(|known| known.entries().map(|entry| entry.count as usize).sum()),
    };
    Ok(crate::compliance(input, format))
}

fn changes(
    project: &Project,
    engine: &Engine,
    base: Option<&str>,
    (walk, known): (Walk, Option<&UncommittedChanges>),
) -> Result<(CompareResult, Base), RunError> {
    let repository = compare::repository(project)?;
    let diff = match base {
        Some(base) => Some(base.to_owned()),
        // Everything is new; the comparison states that there is no commit.
        None if repository.commit("HEAD").is_err() => None,
        None => Some(branch::main_branch(&repository)?),
    };
    let against = diff.map_or(Against::LastCommit, Against::Revision);
    compare::check(&against, (project, engine), (walk, known), &|| ())
}

/// The absolute paths of `paths`, which must exist.
fn locate(root: &Path, paths: &[String]) -> Result<Vec<PathBuf>, RunError> {
    let mut located = Vec::with_capacity(paths.len());
    for requested in paths {
        let path = root.join(relative_to_root(root, requested)?);
        if !path.exists() {
            return Err(RunError::NoSuchFile(requested.clone()));
        }
        located.push(path);
    }
    Ok(located)
}

/// Converts a path from an agent to a path relative to the root.
fn relative_to_root(root: &Path, path: &str) -> Result<String, RunError> {
    Disk::new(root).to_relative(path).ok_or_else(|| RunError::OutsideProject(path.to_owned()))
}

/// Checks `bytes` as the contents of the file at `path`, relative to the root.
pub fn check_text(project: &Project, engine: &Engine, path: String, bytes: Vec<u8>) -> Outcome {
    let size = bytes.len() as u64;
    let files =
        Overlay { over: Memory([(path.clone(), bytes.clone())].into()), under: &project.disk };
    let binary = walk::is_binary(&bytes);
    let source = Source::decode(path, bytes);
    let whole_project = || Walk::over(vec![project.root().to_owned()]);
    let has_project_checks = project_checks::has_any(engine);
    let path = source.path().to_owned();
    let list = || walk::listing(engine, &project.disk, &whole_project()).with_file(&path);
    let listed = ListedOnDemand::new(&files, &list);
    let files: &dyn Files = match has_project_checks || engine.needs_listing() {
        true => &listed,
        false => &files,
    };
    let large = size > engine.max_file_size();
    let checked = if large && !binary && engine.checks_large(source.path(), source.text(), size) {
        engine.check_large(&source, files)
    } else if large || binary {
        engine.check_secrets(&source, files)
    } else {
        engine.check(&source, files)
    };
    let mut outcome = Outcome { checked: 1, bytes: size, ..Outcome::default() };
    let is_parsed = engine.distribution().parses(&path);
    if large && !binary && is_parsed && !engine.checks_large(&path, source.text(), size) {
        let why = walk::too_large(size, engine.max_file_size());
        outcome.skipped.push(walk::Skipped { path: path.clone(), why, failed: false });
    }
    outcome.add_checked(source, checked);
    if let Some(listing) = files.listing().filter(|_| has_project_checks) {
        // Only project-wide findings at the path of the text are reported. Malformed globs were
        // already reported.
        let _ = walk::check_project(engine, &project.config, files, listing, &mut outcome);
        outcome.project_findings.retain(|file| file.source.path() == path);
    }
    outcome.merge_project_findings();
    outcome
}

/// The lowest severity that fails the run: from the command line, the configuration, or the
/// default.
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
        let directory = tempfile::tempdir().expect("a temporary directory");
        for (path, text) in files {
            let path = directory.path().join(path);
            fs::create_dir_all(path.parent().expect("a directory")).expect("made");
            fs::write(path, text).expect("written");
        }
        let project =
            Project::open(&crate::DISTRIBUTION, directory.path(), None).expect("a project");
        (directory, project)
    }

    fn found(project: &Project, target: &Target<'_>) -> Vec<String> {
        let document = check(project, &Selection::default(), target).expect("checked");
        let line = |found: &wire::Finding| format!("{} {}", found.path, found.rule);
        document.findings.iter().map(line).collect()
    }

    #[test]
    fn a_text_and_a_file_have_the_same_findings_with_the_same_ids() {
        let text = "FROM debian\nRUN sudo true\n";
        let (_directory, project) = project(&[(".aidd/x", ""), ("a/Dockerfile", text)]);
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
    fn the_size_limits_are_named() {
        const MIB: usize = 1 << 20;
        let start = "openapi: 3.0.3\ninfo: {title: a}\npaths: {}\n";
        let padded =
            |start: &str, size: usize| format!("{start}{}", " ".repeat(size - start.len()));
        let within = padded(start, 2 * MIB + 1);
        let above = padded(start, 16 * MIB + 1);
        let (large, limit) = (padded("SELECT 1;", 2 * MIB + 1), padded("SELECT 1;", 2 * MIB));
        let (_directory, project) = project(&[
            (".aidd/x", ""),
            ("a/openapi.yaml", &within),
            ("b/openapi.yaml", &above),
            ("postgres/above.sql", &large),
            ("postgres/within.sql", &limit),
        ]);
        let target = Target::Files(&[".".to_owned()]);
        let document = check(&project, &Selection::default(), &target).expect("checked");
        let found: Vec<&str> = document.findings.iter().map(|found| &*found.path).collect();
        assert_eq!(found, ["a/openapi.yaml"]);
        let skipped: Vec<String> =
            document.skipped.iter().map(|file| format!("{}: {}", file.path, file.why)).collect();
        let why = "more than `maxFileSize` (2097152): only searched for secrets";
        let line = |path: &str, size: usize| format!("{path}: {size} bytes, {why}");
        let expected =
            [line("b/openapi.yaml", above.len()), line("postgres/above.sql", large.len())];
        assert_eq!(skipped, expected);
        let target = Target::Text { path: "postgres/above.sql", text: &large };
        let document = check(&project, &Selection::default(), &target).expect("checked");
        assert_eq!(document.skipped.len(), 1);
    }

    #[test]
    fn statements_that_are_not_checked_are_listed() {
        let text = "SELECT 1;\nFROBNICATE a;\n";
        let (_directory, project) = project(&[(".aidd/x", ""), ("mysql/a.sql", text)]);
        let why = "1 of 2 SQL statements not checked: the parser does not know them";
        let sql = Selection { only: vec!["sql/*".to_owned()], ..Selection::default() };
        let files = ["mysql/a.sql".to_owned()];
        for target in [Target::Files(&files), Target::Text { path: "mysql/a.sql", text }] {
            let document = check(&project, &sql, &target).expect("checked");
            let listed: Vec<&str> = document.skipped.iter().map(|file| &*file.why).collect();
            assert_eq!(listed, [why]);
            assert!(!document.is_failing());
        }
        let other = Selection { only: vec!["dockerfile/*".to_owned()], ..Selection::default() };
        let document = check(&project, &other, &Target::Files(&files)).expect("checked");
        assert!(document.skipped.is_empty());
    }

    #[test]
    fn nothing_outside_the_root_is_read() {
        let outside = tempfile::tempdir().expect("a temporary directory");
        fs::write(outside.path().join("Dockerfile"), "FROM debian\n").expect("written");
        let (directory, project) = project(&[(".aidd/x", "")]);
        let absolute = outside.path().join("Dockerfile").display().to_string();
        let mut paths = vec!["../x".to_owned(), "a/../../x".to_owned(), absolute];
        #[cfg(unix)]
        {
            let link = directory.path().join("link");
            std::os::unix::fs::symlink(outside.path(), link).expect("linked");
            paths.push("link/Dockerfile".to_owned());
            paths.push("link/new/Dockerfile".to_owned());
        }
        let _ = &directory;
        for path in &paths {
            let paths = std::slice::from_ref(path);
            for target in [
                Target::Files(paths),
                Target::Text { path, text: "FROM debian\n" },
                Target::Changes { base: None, below: paths },
            ] {
                let error = check(&project, &Selection::default(), &target).expect_err(path);
                assert!(error.to_string().contains("is not in the project"), "{error}");
            }
        }
        let gone = check(&project, &Selection::default(), &Target::Files(&["gone".to_owned()]));
        assert!(gone.expect_err("gone").to_string().contains("no such file"));
    }
}
