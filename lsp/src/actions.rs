//! Code actions: fix a finding, fix all findings of a rule, apply all safe fixes, allow a finding,
//! disable its rule. Edits are computed from the text at the time of the request.

use crate::client::Client;
use crate::convert;
use crate::edits;
use crate::snapshot::Snapshot;
use aidd_engine::check::allow;
use aidd_engine::text::escape;
use aidd_engine::text::files::{Files, side_file};
use aidd_engine::text::finding::{Edit, FileChange, Finding, Fix, Safety};
use aidd_engine::text::kind::CONFIG_PATH;
use aidd_engine::text::paths::relative;
use aidd_engine::text::source::Source;
use aidd_engine::workspace::fix::{self, FixResult, UndoneFix};
use aidd_engine::workspace::suppress;
use serde::{Deserialize, Serialize};
use serde_json::json;
use std::collections::BTreeSet;
use std::fmt;
use tower_lsp_server::ls_types::{
    CodeAction, CodeActionContext, CodeActionKind, Diagnostic, Range, Uri, WorkspaceEdit,
};

/// Kind of the action that applies all safe fixes, for fix-on-save settings.
pub const FIX_ALL: CodeActionKind = CodeActionKind::new("source.fixAll.aidd");

/// Kind of the actions that suppress a finding and do not fix it, so that clients can separate them
/// from the fixes.
pub const SUPPRESS: CodeActionKind = CodeActionKind::new("quickfix.suppress.aidd");

/// The kinds of all actions.
pub const KINDS: [CodeActionKind; 3] = [CodeActionKind::QUICKFIX, SUPPRESS, FIX_ALL];

/// Maximum number of findings for which actions are offered at once: a selection can cover a whole
/// file.
const MAX_FINDINGS: usize = 50;

/// Maximum length in bytes of a text in which fixes are verified before they are offered. Editors
/// request actions whenever the cursor moves, so in longer texts, a fix is verified when it is
/// chosen.
const MAX_VERIFIED_LEN: usize = 128 << 10;

/// What an action can access in addition to the document.
pub struct ActionContext<'a> {
    /// Capabilities of the client.
    pub client: Client,
    /// The files of the project, overlaid with the documents open in the editor.
    pub files: &'a dyn Files,
    /// Path in the project → version of the document, if it is open.
    pub version: &'a dyn Fn(&str) -> Option<i32>,
    /// Reports the fixes that were undone because applying them did not remove the finding or
    /// caused another finding.
    pub report_undone: &'a dyn Fn(&[UndoneFix]),
}

/// What an action does.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(tag = "do", rename_all = "camelCase")]
enum ActionKind {
    /// Applies the fix of the finding with this id.
    Fix { id: String },
    /// Applies the fixes of all findings of a rule.
    FixRule { rule: String },
    /// Applies all safe fixes.
    FixAll,
    /// Allows the finding with this id with a comment. A client that asks the user for the reason adds
    /// it before it resolves the action.
    Allow {
        id: String,
        #[serde(default, skip_serializing_if = "String::is_empty")]
        reason: String,
    },
    /// Disables a rule in the configuration.
    TurnOff { rule: String },
}

/// The `data` of an action, passed from `codeAction` to `codeAction/resolve`.
#[derive(Debug, Serialize, Deserialize)]
struct Data {
    uri: Uri,
    #[serde(flatten)]
    operation: ActionKind,
}

/// Why an offered action cannot be applied.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Refusal {
    /// The action does not come from aidd.
    Unknown,
    /// The text has changed: the finding no longer exists or no longer has a fix.
    Gone,
    /// The fix does not remove its finding, or it causes another finding.
    Ineffective,
    /// No comment at this position would allow the finding.
    NoComment,
    /// The configuration cannot be changed so that the rule is disabled for this file.
    Config,
}

impl fmt::Display for Refusal {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Self::Unknown => "not an aidd action",
            Self::Gone => "the text has changed and the finding no longer exists",
            Self::Ineffective => {
                "the fix was undone, because it does not remove the finding or causes another one; the log of aidd has the reason"
            }
            Self::NoComment => "no comment here would allow the finding",
            Self::Config => {
                "the configuration is malformed, or configures the rule for this file such that `off` would have no effect"
            }
        })
    }
}

/// The document for which an action was offered.
#[must_use]
pub fn document(action: &CodeAction) -> Option<Uri> {
    Data::deserialize(action.data.as_ref()?).ok().map(|data| data.uri)
}

/// The actions for `range` of the kinds that `context` requests. Edits are computed immediately
/// only for clients without `codeAction/resolve`.
#[must_use]
pub fn actions(
    snapshot: &Snapshot,
    range: Range,
    context: &CodeActionContext,
    action_context: &ActionContext<'_>,
) -> Vec<CodeAction> {
    if !action_context.client.actions {
        return Vec::new();
    }
    let mut actions = Vec::new();
    if is_requested(context, &CodeActionKind::QUICKFIX) || is_requested(context, &SUPPRESS) {
        quick_fixes(snapshot, range, context, action_context, &mut actions);
        let is_wanted = |kind: &CodeActionKind| is_requested(context, kind);
        actions.retain(|action| action.kind.as_ref().is_some_and(is_wanted));
    }
    if is_requested(context, &FIX_ALL) && can_fix_all(snapshot) {
        let title = "Apply all safe fixes of aidd in this file";
        actions.push(action(snapshot, title, FIX_ALL, ActionKind::FixAll));
    }
    if action_context.client.lazy_edits {
        return actions;
    }
    actions
        .into_iter()
        .filter_map(|action| resolve(snapshot, action, action_context).ok())
        .collect()
}

/// Whether the client requests actions of `kind`: `kind` equals a requested kind or is a sub-kind
/// of a requested kind.
fn is_requested(context: &CodeActionContext, kind: &CodeActionKind) -> bool {
    context.only.as_ref().is_none_or(|only| {
        only.iter().any(|wanted| {
            let rest = kind.as_str().strip_prefix(wanted.as_str());
            rest.is_some_and(|rest| {
                rest.is_empty() || rest.starts_with('.') || wanted.as_str().is_empty()
            })
        })
    })
}

/// Whether all rules check the file. Files over the size limit are only searched for secrets, so
/// the effect of a fix or comment in them is unknown.
fn is_fully_checked(snapshot: &Snapshot) -> bool {
    snapshot.source.text().len() as u64 <= snapshot.workspace.engine.max_file_size()
}

/// Whether the client supports the file operations of a fix.
fn supports_fix(fix: &Fix, client: Client) -> bool {
    match fix.file {
        None => true,
        Some(FileChange::Create { .. }) => client.create_files,
        Some(FileChange::Rename { .. }) => client.rename_files,
    }
}

fn can_fix_all(snapshot: &Snapshot) -> bool {
    is_fully_checked(snapshot)
        && fix::applicable(&snapshot.checked.findings, Safety::Safe).next().is_some()
}

fn quick_fixes(
    snapshot: &Snapshot,
    range: Range,
    context: &CodeActionContext,
    action_context: &ActionContext<'_>,
    actions: &mut Vec<CodeAction>,
) {
    let span = convert::span(&snapshot.source, range, snapshot.encoding);
    let touches =
        |finding: &&Finding| finding.span.start <= span.end && span.start <= finding.span.end;
    let findings: Vec<&Finding> =
        shown_findings(snapshot).filter(touches).take(MAX_FINDINGS).collect();
    let rules: BTreeSet<&str> = findings.iter().map(|finding| &*finding.rule).collect();
    let diagnostics_of = |finding| Some(vec![diagnostic_of(snapshot, finding, context)]);
    if is_fully_checked(snapshot) {
        let failing = failing_fixes(snapshot, &findings, action_context);
        for &finding in findings.iter().filter(|finding| !failing.contains(&finding.id)) {
            let Some(fix) =
                finding.fix.as_ref().filter(|fix| supports_fix(fix, action_context.client))
            else {
                continue;
            };
            let operation = ActionKind::Fix { id: finding.id.clone() };
            let action = quick_fix(snapshot, &title_with_safety(&fix.title, fix.safety), operation);
            let is_preferred = Some(fix.safety == Safety::Safe);
            let diagnostics = diagnostics_of(finding);
            actions.push(CodeAction { is_preferred, diagnostics, ..action });
        }
        actions.extend(rules.iter().filter_map(|rule| fix_rule(snapshot, rule)));
        for finding in allowable_findings(snapshot, &findings) {
            let title = format!("Allow `{}` here with a comment", finding.rule);
            let operation = ActionKind::Allow { id: finding.id.clone(), reason: String::new() };
            let action = action(snapshot, &title, SUPPRESS, operation);
            actions.push(CodeAction { diagnostics: diagnostics_of(finding), ..action });
        }
    }
    let config = config_path(snapshot)
        .filter(|config| action_context.client.create_files || action_context.files.exists(config));
    if let Some(config) = config {
        actions.extend(rules.into_iter().map(|rule| {
            let title = format!("Disable `{rule}` in {config}");
            action(snapshot, &title, SUPPRESS, ActionKind::TurnOff { rule: rule.to_owned() })
        }));
    }
}

/// The ids of the findings whose fix fails: the finding remains, an error is new, or the file no
/// longer parses. Empty if each fix is verified later, when its edit is computed.
fn failing_fixes(
    snapshot: &Snapshot,
    findings: &[&Finding],
    action_context: &ActionContext<'_>,
) -> BTreeSet<String> {
    let text = snapshot.source.text();
    let has_edits =
        |finding: &Finding| finding.fix.as_ref().is_some_and(|fix| !fix.edits.is_empty());
    let ids: BTreeSet<&str> =
        findings.iter().filter(|finding| has_edits(finding)).map(|finding| &*finding.id).collect();
    if !action_context.client.lazy_edits || ids.is_empty() || text.len() > MAX_VERIFIED_LEN {
        return BTreeSet::new();
    }
    let engine = &snapshot.workspace.engine;
    let is_chosen = |finding: &Finding| ids.contains(&*finding.id);
    let (path, bytes) = (snapshot.source.path(), text.as_bytes().to_vec());
    let failing = fix::failing_fixes(engine, path, bytes, action_context.files, &is_chosen);
    failing.into_iter().map(|fix| fix.id).collect()
}

/// The action that applies all fixes of a rule, if the rule has several fixes in this file.
fn fix_rule(snapshot: &Snapshot, rule: &str) -> Option<CodeAction> {
    let fixes = fixes_of(snapshot, rule);
    let safety = fixes.iter().map(|fix| fix.safety).max().filter(|_| fixes.len() > 1)?;
    let title = title_with_safety(&format!("Fix all `{rule}` in this file"), safety);
    Some(quick_fix(snapshot, &title, ActionKind::FixRule { rule: rule.to_owned() }))
}

/// The findings that a comment can allow: the first finding per rule and line.
fn allowable_findings<'a>(snapshot: &Snapshot, findings: &[&'a Finding]) -> Vec<&'a Finding> {
    let mut seen = BTreeSet::new();
    let source = &snapshot.source;
    let is_first = |finding: &&&Finding| {
        seen.insert((finding.rule.clone(), source.line_of(finding.span.start)))
    };
    let is_allowable = |finding: &&&Finding| {
        &*finding.rule != allow::UNUSED && suppress::is_allowable(source, finding)
    };
    findings.iter().filter(is_allowable).filter(is_first).copied().collect()
}

fn shown_findings(snapshot: &Snapshot) -> impl Iterator<Item = &Finding> {
    snapshot.checked.findings.iter().filter(|finding| convert::is_shown(finding))
}

fn title_with_safety(title: &str, safety: Safety) -> String {
    match safety {
        Safety::Safe => title.to_owned(),
        Safety::Unsafe => format!("{title} (may change the meaning)"),
    }
}

fn quick_fix(snapshot: &Snapshot, title: &str, operation: ActionKind) -> CodeAction {
    action(snapshot, title, CodeActionKind::QUICKFIX, operation)
}

fn action(
    snapshot: &Snapshot,
    title: &str,
    kind: CodeActionKind,
    operation: ActionKind,
) -> CodeAction {
    let data = Data { uri: snapshot.uri.clone(), operation };
    let title = escape::line(title).into_owned();
    CodeAction { title, kind: Some(kind), data: Some(json!(data)), ..CodeAction::default() }
}

/// The diagnostic of a finding. Returns the diagnostic that the client sent, if any, so that the
/// client can match it.
fn diagnostic_of(
    snapshot: &Snapshot,
    finding: &Finding,
    context: &CodeActionContext,
) -> Diagnostic {
    let is_same_finding = |diagnostic: &&Diagnostic| {
        diagnostic.data.as_ref().is_some_and(|data| data["id"] == finding.id.as_str())
    };
    let own = context.diagnostics.iter().find(is_same_finding).cloned();
    own.unwrap_or_else(|| convert::diagnostic(snapshot, finding))
}

fn fixes_of<'a>(snapshot: &'a Snapshot, rule: &str) -> Vec<&'a Fix> {
    shown_findings(snapshot)
        .filter(|finding| &*finding.rule == rule)
        .filter_map(|finding| finding.fix.as_ref())
        .filter(|fix| fix.file.is_none())
        .collect()
}

/// The path of the configuration, relative to the root; `None` if it is outside of the root.
fn config_path(snapshot: &Snapshot) -> Option<String> {
    let project = &snapshot.workspace.project;
    match &project.config_path {
        None => Some(CONFIG_PATH.to_owned()),
        Some(path) if path.starts_with(project.root()) => Some(relative(project.root(), path)),
        Some(_) => None,
    }
}

/// The action with its edit, for the text of `snapshot`.
///
/// # Errors
/// Fails when the action can no longer be applied, or does not come from aidd.
pub fn resolve(
    snapshot: &Snapshot,
    mut action: CodeAction,
    action_context: &ActionContext<'_>,
) -> Result<CodeAction, Refusal> {
    let data = action.data.as_ref().ok_or(Refusal::Unknown)?;
    let data = Data::deserialize(data).map_err(|_| Refusal::Unknown)?;
    if data.uri != snapshot.uri {
        return Err(Refusal::Unknown);
    }
    action.edit = Some(match data.operation {
        ActionKind::TurnOff { rule } => {
            disable_rule(snapshot, &rule, action_context).ok_or(Refusal::Config)?
        }
        ActionKind::Fix { id } if file_change(snapshot, &id).is_some() => {
            file_change(snapshot, &id)
                .and_then(|change| file_edit(snapshot, change, action_context))
                .ok_or(Refusal::Gone)?
        }
        operation => {
            let edits = edits_in_document(snapshot, &operation, action_context)?;
            let edits = edits::text_edits(&snapshot.source, &edits, snapshot.encoding);
            edits::document_edit(
                action_context.client,
                snapshot.uri.clone(),
                snapshot.version,
                edits,
            )
        }
    });
    Ok(action)
}

/// The file operations of the fix of the finding with this id.
fn file_change<'a>(snapshot: &'a Snapshot, id: &str) -> Option<&'a FileChange> {
    shown_findings(snapshot).find(|finding| finding.id == id)?.fix.as_ref()?.file.as_ref()
}

/// The edit that creates or renames a file; `None` if the target file already exists.
fn file_edit(
    snapshot: &Snapshot,
    change: &FileChange,
    action_context: &ActionContext<'_>,
) -> Option<WorkspaceEdit> {
    let (FileChange::Create { path, .. } | FileChange::Rename { to: path }) = change;
    if action_context.files.exists(path) {
        return None;
    }
    let uri = Uri::from_file_path(snapshot.workspace.project.root().join(path))?;
    Some(match change {
        FileChange::Create { text, .. } => edits::new_file(uri, text.clone()),
        FileChange::Rename { .. } => edits::renamed_file(snapshot.uri.clone(), uri),
    })
}

/// The edits of the document in which the action was requested.
fn edits_in_document(
    snapshot: &Snapshot,
    operation: &ActionKind,
    action_context: &ActionContext<'_>,
) -> Result<Vec<Edit>, Refusal> {
    let (engine, source) = (&snapshot.workspace.engine, &snapshot.source);
    let text = source.text();
    let find =
        |id: &str| shown_findings(snapshot).find(|finding| finding.id == id).ok_or(Refusal::Gone);
    match operation {
        ActionKind::Fix { id } => {
            let fix = find(id)?.fix.as_ref().ok_or(Refusal::Gone)?;
            let (path, files) = (source.path(), action_context.files);
            let is_chosen = |finding: &Finding| finding.id == *id;
            let bytes = text.as_bytes().to_vec();
            let undone = fix::failing_fixes(engine, path, bytes.clone(), files, &is_chosen);
            let bytes = if undone.is_empty() { fix::apply(&bytes, &[fix]).0 } else { bytes };
            effective_edits(text, FixResult { bytes, fixed: 0, undone }, action_context)
        }
        ActionKind::FixRule { rule } => {
            let is_of_rule = |finding: &Finding| *finding.rule == **rule;
            let bytes = text.as_bytes().to_vec();
            let fixed =
                fix::fix_findings(engine, source.path(), bytes, action_context.files, &is_of_rule);
            effective_edits(text, fixed, action_context)
        }
        ActionKind::FixAll => {
            let bytes = text.as_bytes().to_vec();
            let fixed =
                fix::fix_file(engine, source.path(), bytes, action_context.files, Safety::Safe);
            effective_edits(text, fixed, action_context)
        }
        ActionKind::Allow { id, reason } => {
            let reason = reason.split_whitespace().collect::<Vec<_>>().join(" ");
            suppress::allow(engine, source, find(id)?, action_context.files, &reason)
                .map(|edit| vec![edit])
                .ok_or(Refusal::NoComment)
        }
        ActionKind::TurnOff { .. } => Err(Refusal::Unknown),
    }
}

/// The edits of the fixes that were not undone; the undone fixes are reported.
fn effective_edits(
    text: &str,
    fixed: FixResult,
    action_context: &ActionContext<'_>,
) -> Result<Vec<Edit>, Refusal> {
    let is_undone = !fixed.undone.is_empty();
    if is_undone {
        (action_context.report_undone)(&fixed.undone);
    }
    edits_between(text, fixed.bytes)
        .map_err(|refusal| if is_undone { Refusal::Ineffective } else { refusal })
}

/// The edits that turn `text` into `bytes`; fails if `text` and `bytes` are equal.
fn edits_between(text: &str, bytes: Vec<u8>) -> Result<Vec<Edit>, Refusal> {
    let after = String::from_utf8(bytes).map_err(|_| Refusal::Gone)?;
    let edits = edits::diff(text, &after);
    if edits.is_empty() { Err(Refusal::Gone) } else { Ok(edits) }
}

/// The edit that changes or creates the configuration file.
fn disable_rule(
    snapshot: &Snapshot,
    rule: &str,
    action_context: &ActionContext<'_>,
) -> Option<WorkspaceEdit> {
    let path = config_path(snapshot)?;
    let workspace = &snapshot.workspace;
    let uri = Uri::from_file_path(workspace.project.root().join(&path))?;
    let exists = action_context.files.exists(&path);
    let old = if exists { side_file(action_context.files, &path)? } else { String::new() };
    let registry = workspace.engine.registry();
    let new = suppress::disable_rule(registry, &old, rule, snapshot.source.path())?;
    if !exists {
        return action_context.client.create_files.then(|| edits::new_file(uri, new));
    }
    let source = Source::new(path.as_str(), old);
    let edits = edits::diff(source.text(), &new);
    let edits = edits::text_edits(&source, &edits, snapshot.encoding);
    Some(edits::document_edit(action_context.client, uri, (action_context.version)(&path), edits))
}
