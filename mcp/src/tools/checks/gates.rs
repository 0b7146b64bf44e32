//! Quality gates, evaluated from Git, the rules and the memory instead of the caller's claims.

use super::pack_gate::{self, PackGate};
use super::{disabled, findings};
use crate::context::Context;
use crate::profile::Profile;
use crate::tool::{Answer, Tool, ToolError};
use aidd_engine::check::{Engine, Selection};
use aidd_engine::project::git::Repository;
use aidd_engine::project::stack::{self, Stack};
use aidd_engine::text::files::Disk;
use aidd_engine::text::kind::is_memory_path;
use aidd_engine::workspace::project::Project;
use aidd_engine::workspace::walk;
use aidd_guidance::instructions::{CommandRules, InstructedCommand};
use aidd_memory::lifecycle::{CheckedGate, Gate, GateStatus, MEMORY_RECORDED, gates_of, phase};
use aidd_memory::outcomes::Check;
use aidd_report::run::{self, Document, Target, wire};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use serde_json::{Map, Value};
use std::fmt::Write;
use std::path::Path;
use std::time::UNIX_EPOCH;

/// Maximum number of findings quoted for a gate.
const MAX_QUOTED_FINDINGS: usize = 3;

pub(super) fn tools() -> Vec<Tool> {
    vec![
        Tool::new(
            "aidd_check_quality_gates",
            "Quality gates",
            "Evaluates the quality gates of a phase, based on findings, recorded runs and \
             evidence. Use before a review or a release; use aidd_lifecycle_status for the \
             criteria of a feature.",
            check,
        )
        .in_profiles(&[Profile::Tools]),
    ]
}

#[derive(Deserialize, JsonSchema)]
struct GateParams {
    /// PLAN, BUILD, VERIFY or SHIP; default: phase of the open lifecycle, or VERIFY
    phase: Option<String>,
    /// Evidence by gate id, such as file:PATH, commit:REVISION, memory:ID or note:TEXT
    #[serde(default)]
    evidence: Map<String, Value>,
    /// Revision to compare with; default: the main branch
    #[schemars(extend("x-unlisted" = true))]
    base: Option<String>,
}

/// The state of a phase's gates.
#[derive(Serialize, JsonSchema)]
struct Gates {
    phase: String,
    /// Whether every blocking gate passes or does not apply.
    passes: bool,
    gates: Vec<GateResult>,
}

#[derive(Serialize, JsonSchema)]
struct GateResult {
    id: &'static str,
    #[serde(rename = "standing")]
    status: GateOutcome,
    blocks: bool,
    /// Whether all rules of the gate are disabled.
    #[serde(rename = "disabled", skip_serializing_if = "std::ops::Not::not")]
    is_disabled: bool,
    /// Evidence, counter-evidence, or the evidence that is missing.
    why: String,
}

#[derive(Clone, Copy, PartialEq, Eq, Serialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
enum GateOutcome {
    Pass,
    Fail,
    Missing,
    NotApplicable,
}

fn check(context: &Context, params: GateParams) -> Result<Answer<Gates>, ToolError> {
    let project = context.project()?;
    let requested = match params.phase {
        Some(phase) => phase,
        None => open_phase(context)?,
    };
    let phase_name = phase(&requested)?.name;
    let mut pack_gate = pack_gate::check(context, &project, phase_name)?;
    let has_gate = |gate: &&Gate| gate.id != MEMORY_RECORDED || pack_gate.is_some();
    if !gates_of(phase_name).any(|gate| has_gate(&gate)) {
        return Err(ToolError::new(format!("{phase_name} has no gates, only exit criteria"))
            .remedy(
                "list them with aidd_lifecycle_status; gates exist for BUILD, VERIFY and SHIP, and \
                 for PLAN if `memory.gate` is set",
            ));
    }
    let repository = Repository::open(context.root()).map_err(|error| {
        ToolError::new(error.to_string())
            .remedy("gates check changes and require a repository: `git init`")
    })?;
    let document = changed_file_findings(context, &project, phase_name, params.base.as_deref())?;
    let branch = repository.branch();
    let changed_files = changed_files(context.root(), &repository);
    let changed = last_change(context.root(), &repository, &changed_files);
    let checked_gates = context.memory(|memory| {
        memory.check_gates(phase_name, branch.as_deref(), changed, &params.evidence)
    })?;
    let engine = project.engine(&Selection::default())?;
    let mut gates: Vec<GateResult> = Vec::new();
    for (gate, checked) in gates_of(phase_name).zip(checked_gates) {
        match (gate.id, &mut pack_gate) {
            (MEMORY_RECORDED, None) => {}
            (MEMORY_RECORDED, Some(found)) => {
                if checked.status == Some(GateStatus::Pass) && !found.passes {
                    found.waive(context, phase_name, &checked.why)?;
                }
                gates.push(of_packs(found));
            }
            _ => gates.push(evaluate(gate, checked, &document, (&project, &engine))),
        }
    }
    let disk = Disk::new(context.root());
    let stack = stack::detect(&disk);
    let commands = CommandRules::new(&context.library()?.instructions, &stack, &disk);
    for gate in gates.iter_mut().filter(|gate| gate.status == GateOutcome::Missing) {
        if let Some(command) = commands_of(gate.id, (&commands, &stack), &changed_files) {
            gate.why = format!("{}; {command}", gate.why);
        }
    }
    let is_open = |gate: &&GateResult| {
        gate.blocks && matches!(gate.status, GateOutcome::Fail | GateOutcome::Missing)
    };
    let answer = Gates {
        phase: phase_name.to_owned(),
        passes: !gates.iter().any(|gate| is_open(&gate)),
        gates,
    };
    let text = render(&answer);
    Ok(Answer::new(answer, text))
}

/// How the instructions or, without them, the manifests say to run what a gate requires. A command
/// that runs in one directory is named only when files below that directory are changed.
fn commands_of(
    gate: &str,
    (commands, stack): (&CommandRules, &Stack),
    changed_files: &[String],
) -> Option<String> {
    let checks: &[Check] = match gate {
        "tests_pass" => &[Check::Tests],
        "lint_clean" | "no_dead_code" => &[Check::Lint],
        "types_clean" => &[Check::Types, Check::Build],
        _ => return None,
    };
    let is_changed =
        |directory: &str| changed_files.iter().any(|path| Path::new(path).starts_with(directory));
    let applies = |command: &InstructedCommand| command.directory().is_none_or(is_changed);
    let mut named =
        checks.iter().flat_map(|check| commands.for_check(*check)).filter(|it| applies(it));
    let Some(first) = named.next() else {
        let declared = checks.iter().flat_map(|check| commands.declared_for(*check, stack));
        let mut declared = declared.filter(|(command, _)| {
            let directory = command.strip_prefix("in ").and_then(|rest| rest.split_once(": "));
            directory.is_none_or(|(directory, _)| is_changed(directory))
        });
        // A project in two languages has checks in two manifests.
        let (first, path) = declared.next()?;
        let mut text = format!("run `{first}` ({path})");
        if let Some((command, other)) = declared.find(|(_, other)| *other != path) {
            let _ = write!(text, " and `{command}` ({other})");
        }
        return Some(text);
    };
    let mut text = format!("run `{}`", first.command);
    if let Some(other) = named.find(|other| other.command != first.command) {
        let _ = write!(text, " or `{}`", other.command);
    }
    let _ = write!(text, " ({})", first.path);
    Some(text)
}

/// The phase of the most recently changed active lifecycle, or VERIFY if there is none.
fn open_phase(context: &Context) -> Result<String, ToolError> {
    let open = context.memory(|memory| memory.lifecycles(Some("active"), 1))?;
    Ok(open
        .first()
        .map_or_else(|| "VERIFY".to_owned(), |lifecycle| lifecycle.current_phase.clone()))
}

/// The findings in the changed files, for the rules that the gates of `phase` require.
fn changed_file_findings(
    context: &Context,
    project: &Project,
    phase: &str,
    base: Option<&str>,
) -> Result<Document, ToolError> {
    let registry = project.registry();
    let only: Vec<String> = gates_of(phase)
        .flat_map(|gate| gate.rules)
        .filter(|glob| registry.rules().iter().any(|rule| matches_glob(glob, &rule.id)))
        .map(|glob| disabled::as_glob(glob))
        .collect();
    let selection = Selection { only, ..Selection::default() };
    let target = Target::Changes { base, below: &[] };
    run::check_until(project, &selection, &target, context.stop()).map_err(findings::to_tool_error)
}

fn matches_glob(glob: &str, rule: &str) -> bool {
    match glob.strip_suffix('*') {
        Some(start) => rule.starts_with(start),
        None => rule == glob,
    }
}

/// The changed files of the work tree, without those of the memory.
fn changed_files(root: &Path, repository: &Repository) -> Vec<String> {
    let head = repository.commit("HEAD").ok();
    let base = match head.as_deref().map(|head| repository.snapshot(head)) {
        Some(Ok(base)) => base,
        _ => repository.empty_snapshot(),
    };
    let changes = walk::work_tree_changes(repository, &base, &Disk::new(root)).unwrap_or_default();
    let paths = changes.iter().map(|change| change.path().to_owned());
    paths.filter(|path| !is_memory_file(path)).collect()
}

/// The time of the last change in milliseconds since 1970: the last modification of a changed file
/// in the work tree or, without such files, the last commit. A check that ran before this time is
/// not evidence.
fn last_change(root: &Path, repository: &Repository, changed_files: &[String]) -> i64 {
    let modified_at = |path: &str| {
        let time = root.join(path).symlink_metadata().ok()?.modified().ok()?;
        i64::try_from(time.duration_since(UNIX_EPOCH).ok()?.as_millis()).ok()
    };
    let newest = changed_files.iter().filter_map(|path| modified_at(path)).max();
    let committed = || {
        let head = repository.commit("HEAD").ok()?;
        repository.commit_info(&head).ok().map(|commit| commit.at)
    };
    newest.or_else(committed).unwrap_or_default()
}

/// Whether the memory writes the file; such files do not count as changes.
fn is_memory_file(path: &str) -> bool {
    path.contains("ai/memory/") || is_memory_path(path) || path.contains(".aidd/")
}

fn evaluate(
    gate: &Gate,
    checked: CheckedGate,
    document: &Document,
    (project, engine): (&Project, &Engine),
) -> GateResult {
    let settings = engine.settings("");
    let is_enabled = |rule: &str| {
        settings.iter().any(|(id, setting)| setting.severity.is_some() && matches_glob(rule, id))
    };
    let (enabled, disabled_globs): (Vec<&str>, Vec<&str>) =
        gate.rules.iter().partition(|rule| is_enabled(rule));
    let findings: Vec<&wire::Finding> = document
        .ranked()
        .into_iter()
        .filter(|found| gate.rules.iter().any(|rule| matches_glob(rule, &found.rule)))
        .collect();
    let mut why: Vec<String> =
        [checked.why].into_iter().filter(|reason| !reason.is_empty()).collect();
    for found in findings.iter().take(MAX_QUOTED_FINDINGS) {
        why.push(format!("{} {}:{}", found.rule, found.path, found.start.line));
    }
    if findings.len() > MAX_QUOTED_FINDINGS {
        why.push(format!("{} more", findings.len() - MAX_QUOTED_FINDINGS));
    }
    if findings.is_empty() && !enabled.is_empty() {
        why.push(format!("no new findings by {}", enabled.join(", ")));
    }
    if !disabled_globs.is_empty() {
        why.push(format!("rules disabled in this project: {}", disabled_globs.join(", ")));
    }
    if !disabled_globs.is_empty() && gate.blocks {
        let rules = engine.registry().rules().iter().map(|rule| &rule.id);
        let disabled = rules.filter(|id| disabled_globs.iter().any(|glob| matches_glob(glob, id)));
        why.push(disabled::remedy(project, engine, &disabled.collect::<Vec<_>>()));
    }
    let status = match checked.status {
        _ if !findings.is_empty() => GateOutcome::Fail,
        Some(GateStatus::Pass) => GateOutcome::Pass,
        Some(GateStatus::Fail) => GateOutcome::Fail,
        Some(GateStatus::Missing) => GateOutcome::Missing,
        None if enabled.is_empty() => GateOutcome::NotApplicable,
        None => GateOutcome::Pass,
    };
    let is_disabled = !gate.rules.is_empty() && enabled.is_empty();
    GateResult { id: gate.id, status, blocks: gate.blocks, is_disabled, why: why.join("; ") }
}

/// The result of the gate on memory packs.
fn of_packs(found: &PackGate) -> GateResult {
    GateResult {
        id: MEMORY_RECORDED,
        status: if found.passes { GateOutcome::Pass } else { GateOutcome::Missing },
        blocks: found.blocks,
        is_disabled: false,
        why: found.why.clone(),
    }
}

fn render(gates: &Gates) -> String {
    let unmet = gates
        .gates
        .iter()
        .filter(|gate| matches!(gate.status, GateOutcome::Fail | GateOutcome::Missing));
    let verdict = if gates.passes { "is complete" } else { "is not complete" };
    let mut text = format!(
        "{} {verdict}; {} of {} gates not met",
        gates.phase,
        unmet.count(),
        gates.gates.len()
    );
    let disabled = gates.gates.iter().filter(|gate| gate.blocks && gate.is_disabled);
    let disabled: Vec<&str> = disabled.map(|gate| gate.id).collect();
    if !disabled.is_empty() {
        let _ = write!(text, "; blocking gates with disabled rules: {}", disabled.join(", "));
    }
    for gate in &gates.gates {
        let word = match gate.status {
            GateOutcome::Pass => "pass",
            GateOutcome::Fail => "fail",
            GateOutcome::Missing => "missing",
            GateOutcome::NotApplicable => "not applicable",
        };
        let note = if gate.blocks { "" } else { " (does not block)" };
        let _ = write!(text, "\n{word} {}{note}: {}", gate.id, gate.why);
    }
    text
}

#[cfg(test)]
#[expect(clippy::disallowed_methods, reason = "the tests create a repository with Git")]
mod tests {
    use super::*;
    use std::fs::{self, File};
    use std::process::Command;
    use std::time::{Duration, SystemTime};

    #[test]
    fn a_change_in_a_nested_project_is_dated_by_its_modification_time() {
        let folder = tempfile::tempdir().expect("a directory");
        let root = folder.path().join("packages/a");
        fs::create_dir_all(&root).expect("created");
        fs::write(root.join("a.py"), "x = 1\n").expect("written");
        for args in [&["init", "-q"][..], &["add", "."], &["commit", "-q", "-m", "feat: x"]] {
            let mut git = Command::new("git");
            git.current_dir(&root).args(["-c", "user.name=a", "-c", "user.email=a@b.c"]).args(args);
            if args == ["init", "-q"] {
                git.current_dir(folder.path());
            }
            assert!(git.output().expect("Git runs").status.success(), "{args:?}");
        }
        fs::write(root.join("a.py"), "x = 2\n").expect("written");
        let later = SystemTime::now() + Duration::from_secs(3600);
        let file = File::options().write(true).open(root.join("a.py")).expect("opened");
        file.set_modified(later).expect("set");
        let repository = Repository::open(&root).expect("a repository");
        let expected = later.duration_since(UNIX_EPOCH).expect("after 1970").as_millis();
        let files = changed_files(&root, &repository);
        assert_eq!(u128::try_from(last_change(&root, &repository, &files)), Ok(expected));
    }
}
