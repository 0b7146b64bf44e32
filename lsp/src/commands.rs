//! The commands for `workspace/executeCommand`.

use crate::diagnostics;
use crate::documents::{DocumentLocation, lock};
use crate::features;
use crate::lens::{SHOW_ALLOWED, SHOW_MEMORY};
use crate::schedule;
use crate::state::State;
use crate::uri;
use crate::workspace::Workspace;
use aidd_engine::text::escape;
use aidd_engine::text::finding::{Finding, Status};
use aidd_engine::text::paths::relative;
use aidd_engine::workspace::baseline::Baseline;
use aidd_engine::workspace::walk::{self, Outcome, Walk};
use serde::Deserialize;
use serde_json::{Value, json};
use std::fs;
use std::sync::Arc;
use tokio::task::spawn_blocking;
use tower_lsp_server::jsonrpc::{Error, ErrorCode, Result};
use tower_lsp_server::ls_types::{ExecuteCommandParams, Uri};

/// The command names, as registered with the client.
pub const NAMES: [&str; 7] = [CHECK, EXPLAIN, BASELINE, CONFIG, STATUS, SHOW_ALLOWED, SHOW_MEMORY];

/// Checks the files that changed since the last call, and all files the first time. Takes no
/// arguments. Returns the number of all files and findings, or `null` if the user cancelled.
const CHECK: &str = "aidd.checkWorkspace";
/// Explains a rule. Arguments: the id or an alias of the rule, and an optional URI. With a URI, the
/// rules of its project are included. Returns the rule page as Markdown.
const EXPLAIN: &str = "aidd.explain";
/// Writes the current findings to the baseline. Argument: an object with `uri` (a file or folder of
/// the project) and `acceptNew`. Without `acceptNew`, an existing baseline accepts no new findings.
const BASELINE: &str = "aidd.writeBaseline";
/// Shows the effective settings. Argument: an optional URI. Returns root, files and settings.
const CONFIG: &str = "aidd.showConfig";
/// Counts the memories that name a file. Argument: the URI of an open document. Returns `memories`.
const STATUS: &str = "aidd.status";

/// Runs a command.
///
/// # Errors
/// Fails when the command is unknown, or its arguments are invalid.
pub(crate) async fn run(state: &Arc<State>, params: ExecuteCommandParams) -> Result<Option<Value>> {
    let mut arguments = params.arguments.into_iter();
    let mut next = || arguments.next().unwrap_or(Value::Null);
    match params.command.as_str() {
        CHECK => {
            let count = diagnostics::check_all(state).await;
            Ok(count.map(|count| json!({ "files": count.files, "findings": count.findings })))
        }
        EXPLAIN => {
            let name = next();
            let name = name.as_str().ok_or_else(|| Error::invalid_params("missing rule name"))?;
            let workspace = workspace(state, next()).await?;
            explain(&workspace, name).map(Some)
        }
        BASELINE => {
            let argument = next();
            let args = if argument.is_null() {
                BaselineArgs::default()
            } else {
                BaselineArgs::deserialize(argument).map_err(|error| invalid_params(&error))?
            };
            let uri = args.uri.map_or(Value::Null, |uri| json!(uri));
            let workspace = workspace(state, uri).await?;
            record(state, workspace, args.accept_new).await.map(Some)
        }
        CONFIG => {
            let workspace = workspace(state, next()).await?;
            Ok(Some(rule_settings(&workspace)))
        }
        STATUS => {
            let uri = Uri::deserialize(next()).map_err(|error| invalid_params(&error))?;
            let named = features::memories_of(state, &uri, None).await?;
            Ok(Some(json!({ "memories": named.len() })))
        }
        SHOW_ALLOWED => {
            let uri = Uri::deserialize(next()).map_err(|error| invalid_params(&error))?;
            let allowed = features::show_allowed(state, &uri).await?;
            Ok(Some(json!(allowed)))
        }
        SHOW_MEMORY => {
            let uri = Uri::deserialize(next()).map_err(|error| invalid_params(&error))?;
            let symbol = Option::deserialize(next()).map_err(|error| invalid_params(&error))?;
            let named = features::show_memory(state, &uri, symbol).await?;
            Ok(Some(json!(named)))
        }
        name => Err(Error::invalid_params(format!("unknown command `{name}`"))),
    }
}

fn invalid_params(error: &serde_json::Error) -> Error {
    Error::invalid_params(error.to_string())
}

/// The arguments of [`BASELINE`].
#[derive(Debug, Default, Deserialize)]
#[serde(rename_all = "camelCase", default)]
struct BaselineArgs {
    uri: Option<Uri>,
    accept_new: bool,
}

/// The workspace of a file or folder; without a URI, the workspace of the first folder.
async fn workspace(state: &Arc<State>, uri: Value) -> Result<Arc<Workspace>> {
    let uri: Option<Uri> = Deserialize::deserialize(uri).map_err(|error| invalid_params(&error))?;
    let path = uri.as_ref().and_then(uri::path);
    let state = state.clone();
    let opened = spawn_blocking(move || {
        state.with_roots_then_report_errors(|roots| match path {
            Some(folder) if folder.is_dir() => {
                let root = roots.root_of(&folder);
                roots.workspace(&root)
            }
            Some(file) => roots.locate(&DocumentLocation::File(file)).0,
            None => roots.locate(&DocumentLocation::Untitled(String::new())).0,
        })
    });
    opened.await.map_err(|_| Error::internal_error())
}

fn explain(workspace: &Workspace, name: &str) -> Result<Value> {
    let registry = workspace.engine.registry();
    let pages: Vec<&str> = registry.named(name).map(aidd_engine::rules::rule::Rule::body).collect();
    if pages.is_empty() {
        let near = registry.nearest(name);
        let hint = near.map(|near| format!("; did you mean `{near}`?")).unwrap_or_default();
        return Err(Error::invalid_params(format!("unknown rule `{name}`{hint}")));
    }
    let text = pages.join("\n---\n\n").replace(aidd_engine::workspace::examples::JOIN_MARK, "…");
    Ok(Value::String(text))
}

fn rule_settings(workspace: &Workspace) -> Value {
    let project = &workspace.project;
    let rules = workspace.engine.registry().rules();
    let project_rules = rules.iter().filter(|rule| rule.path.is_some()).count();
    let config = project.config_path.as_deref().map(|path| relative(project.root(), path));
    json!({
        "root": project.root(),
        "configPath": config,
        "config": project.config,
        "baseline": project.baseline_path(None),
        "baselined": workspace.baseline.iter().flat_map(Baseline::entries).map(|entry| entry.count).sum::<u32>(),
        "rules": { "shipped": rules.len() - project_rules, "project": project_rules },
    })
}

/// Records the findings of a project, as `aidd baseline write` does.
async fn record(state: &Arc<State>, workspace: Arc<Workspace>, accept_new: bool) -> Result<Value> {
    let root = workspace.project.root().to_owned();
    let written = spawn_blocking(move || write(&workspace, accept_new));
    let written = written.await.map_err(|_| Error::internal_error())?;
    let count = written.map_err(|message| Error {
        code: ErrorCode::ServerError(REFUSED),
        message: escape::lines(&message).into_owned().into(),
        data: None,
    })?;
    let reloaded = state.clone();
    let reload = spawn_blocking(move || {
        reloaded.with_roots_then_report_errors(|roots| roots.reload(Some(&root)));
    });
    reload.await.map_err(|_| Error::internal_error())?;
    schedule::recheck(state);
    Ok(json!({ "recorded": count }))
}

/// Error code for errors that the user can fix: `RequestFailed` of the protocol.
const REFUSED: i64 = -32803;

fn write(workspace: &Workspace, accept_new: bool) -> std::result::Result<u32, String> {
    let project = &workspace.project;
    project.own_baseline().map_err(|error| error.to_string())?;
    let path = project.baseline_path(None);
    let known = project.baseline(&path, false).map_err(|error| error.to_string())?;
    let walk = Walk { jobs: 1, ..Walk::over(vec![project.root().to_owned()]) };
    let config = &project.config;
    let mut outcome = walk::check_tree(&workspace.engine, config, &project.disk, &walk, &|| ())
        .map_err(|error| format!("`include` or `exclude`: {error}"))?;
    let mut baseline = Baseline::from_findings(findings(&outcome));
    if let Some(known) = &known {
        known.apply(&mut outcome.files, &|path| !project.root().join(path).exists());
        let new = findings(&outcome).filter(|(_, finding)| finding.status == Status::New).count();
        if new > 0 && !accept_new {
            return Err(format!(
                "{new} findings are not in the baseline; set `acceptNew` to record them"
            ));
        }
    }
    // Keep the entries of files that could not be read.
    let unread = |path: &str| {
        outcome.skipped.iter().any(|skipped| skipped.failed && path.starts_with(&skipped.path))
    };
    let retained = known.iter().flat_map(Baseline::entries).filter(|entry| unread(&entry.path));
    baseline.extend(retained);
    let created = path.parent().map_or(Ok(()), fs::create_dir_all);
    created
        .and_then(|()| fs::write(&path, baseline.to_json()))
        .map_err(|error| format!("{}: {error}", path.display()))?;
    Ok(baseline.entries().map(|entry| entry.count).sum())
}

fn findings(outcome: &Outcome) -> impl Iterator<Item = (&str, &Finding)> {
    outcome.files.iter().flat_map(|file| {
        file.checked.findings.iter().map(move |finding| (file.source.path(), finding))
    })
}

/// Cancels the pass over the workspace that has this progress token, if the pass is running.
pub(crate) fn cancel_pass(state: &State, token: &str) {
    if let Some(stop) = lock(&state.passes).get(token) {
        stop.store(true, std::sync::atomic::Ordering::Relaxed);
    }
}
