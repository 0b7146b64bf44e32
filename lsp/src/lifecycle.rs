//! Start and end of a session: capabilities of client and server, and when to exit.

use crate::actions;
use crate::client::Client as ClientFeatures;
use crate::commands;
use crate::completion::TRIGGERS;
use crate::convert::{encoding, encoding_kind};
use crate::uri;
use aidd_engine::text::source::Encoding;
use serde::Deserialize;
use serde_json::{Value, json};
use std::path::PathBuf;
use std::time::Duration;
use tower_lsp_server::ls_types::{
    CallHierarchyServerCapability, CodeActionOptions, CodeActionProviderCapability,
    CodeLensOptions, CompletionOptions, Diagnostic, DiagnosticOptions,
    DiagnosticServerCapabilities, DocumentLinkOptions, ExecuteCommandOptions, FileOperationFilter,
    FileOperationPattern, FileOperationRegistrationOptions, HoverProviderCapability,
    InitializeParams, OneOf, Registration, SaveOptions, ServerCapabilities,
    TextDocumentSyncCapability, TextDocumentSyncKind, TextDocumentSyncOptions,
    TextDocumentSyncSaveOptions, WorkDoneProgressOptions,
    WorkspaceFileOperationsServerCapabilities, WorkspaceFolder, WorkspaceFoldersServerCapabilities,
    WorkspaceServerCapabilities,
};

/// Data from the `initialize` request.
#[derive(Clone, Debug)]
pub(crate) struct Session {
    pub(crate) encoding: Encoding,
    /// The folders initially open in the client.
    pub(crate) folders: Vec<PathBuf>,
    /// The process that started the server; the server exits when this process exits.
    pub(crate) parent: Option<u32>,
    /// Whether the client pulls diagnostics; otherwise the server pushes them.
    pub(crate) pulls: bool,
    /// Whether the client supports refresh requests.
    pub(crate) refreshes: bool,
    /// Whether the client reports changed files if the server registers for them.
    pub(crate) watches: bool,
    /// Whether the client supports requests for settings.
    pub(crate) has_settings: bool,
    /// Whether the client reports changed settings only if the server registers for them.
    pub(crate) registers_settings: bool,
    /// Whether the client supports progress started by the server.
    pub(crate) progress: bool,
    /// Capabilities of the client for the language features.
    pub(crate) features: ClientFeatures,
    /// See [`Settings::index`].
    pub(crate) index: bool,
    /// Whether the client reports each operation on files and directories: create, rename, delete.
    file_operations: [bool; 3],
    supports_related_information: bool,
    supports_tags: bool,
    supports_code_descriptions: bool,
}

impl Session {
    /// Reads the client's parameters; missing capabilities count as unsupported.
    pub(crate) fn new(params: &InitializeParams) -> Self {
        let capabilities = &params.capabilities;
        let workspace = capabilities.workspace.as_ref();
        let text = capabilities.text_document.as_ref();
        let pushed = text.and_then(|text| text.publish_diagnostics.as_ref());
        let pulled = text.and_then(|text| text.diagnostic.as_ref());
        let settings = workspace.and_then(|it| it.did_change_configuration.as_ref());
        let watching = workspace.and_then(|it| it.did_change_watched_files.as_ref());
        let operations = workspace.and_then(|it| it.file_operations.as_ref());
        let either =
            |push: Option<bool>, pull: Option<bool>| push == Some(true) || pull == Some(true);
        let encodings =
            capabilities.general.as_ref().and_then(|it| it.position_encodings.as_deref());
        Self {
            encoding: encoding(encodings),
            folders: folders(params),
            parent: params.process_id,
            pulls: pulled.is_some(),
            refreshes: workspace
                .and_then(|it| it.diagnostics.as_ref())
                .is_some_and(|it| it.refresh_support == Some(true)),
            watches: watching.is_some_and(|it| it.dynamic_registration == Some(true)),
            has_settings: workspace.is_some_and(|it| it.configuration == Some(true)),
            registers_settings: settings.is_some_and(|it| it.dynamic_registration == Some(true)),
            progress: capabilities
                .window
                .as_ref()
                .is_some_and(|it| it.work_done_progress == Some(true)),
            features: ClientFeatures::from_capabilities(capabilities),
            index: false,
            file_operations: [
                operations.is_some_and(|it| it.did_create == Some(true)),
                operations.is_some_and(|it| it.did_rename == Some(true)),
                operations.is_some_and(|it| it.did_delete == Some(true)),
            ],
            supports_related_information: either(
                pushed.and_then(|it| it.related_information),
                pulled.and_then(|it| it.related_information),
            ),
            supports_tags: pushed.is_some_and(|it| it.tag_support.is_some())
                || pulled.is_some_and(|it| it.tag_support.is_some()),
            supports_code_descriptions: either(
                pushed.and_then(|it| it.code_description_support),
                pulled.and_then(|it| it.code_description_support),
            ),
        }
    }

    /// Removes unsupported parts of a diagnostic.
    pub(crate) fn trim(&self, mut diagnostic: Diagnostic) -> Diagnostic {
        if !self.supports_related_information {
            diagnostic.related_information = None;
        }
        if !self.supports_tags {
            diagnostic.tags = None;
        }
        if !self.supports_code_descriptions {
            diagnostic.code_description = None;
        }
        diagnostic
    }

    /// The server capabilities for this client.
    pub(crate) fn capabilities(&self) -> ServerCapabilities {
        let sync = TextDocumentSyncOptions {
            open_close: Some(true),
            change: Some(TextDocumentSyncKind::INCREMENTAL),
            save: Some(TextDocumentSyncSaveOptions::SaveOptions(SaveOptions {
                include_text: Some(false),
            })),
            ..TextDocumentSyncOptions::default()
        };
        let diagnostics = DiagnosticOptions {
            identifier: Some(crate::convert::SOURCE.to_owned()),
            inter_file_dependencies: true,
            workspace_diagnostics: true,
            work_done_progress_options: WorkDoneProgressOptions::default(),
        };
        let features = self.features;
        ServerCapabilities {
            position_encoding: Some(encoding_kind(self.encoding)),
            text_document_sync: Some(TextDocumentSyncCapability::Options(sync)),
            diagnostic_provider: self
                .pulls
                .then_some(DiagnosticServerCapabilities::Options(diagnostics)),
            code_action_provider: features.actions.then(|| {
                CodeActionProviderCapability::Options(CodeActionOptions {
                    code_action_kinds: Some(actions::KINDS.to_vec()),
                    resolve_provider: Some(features.lazy_edits),
                    ..CodeActionOptions::default()
                })
            }),
            hover_provider: features.hovers.then_some(HoverProviderCapability::Simple(true)),
            completion_provider: features.completions.then(|| CompletionOptions {
                resolve_provider: Some(true),
                trigger_characters: Some(TRIGGERS.map(str::to_owned).to_vec()),
                ..CompletionOptions::default()
            }),
            document_link_provider: features.links.then(|| DocumentLinkOptions {
                resolve_provider: None,
                work_done_progress_options: WorkDoneProgressOptions::default(),
            }),
            code_lens_provider: features
                .lenses
                .then_some(CodeLensOptions { resolve_provider: None }),
            execute_command_provider: Some(ExecuteCommandOptions {
                commands: commands::NAMES.map(str::to_owned).to_vec(),
                ..ExecuteCommandOptions::default()
            }),
            workspace_symbol_provider: self.index.then_some(OneOf::Left(true)),
            document_symbol_provider: self.index.then_some(OneOf::Left(true)),
            definition_provider: Some(OneOf::Left(true)),
            references_provider: self.index.then_some(OneOf::Left(true)),
            call_hierarchy_provider: self
                .index
                .then_some(CallHierarchyServerCapability::Simple(true)),
            workspace: Some(WorkspaceServerCapabilities {
                workspace_folders: Some(WorkspaceFoldersServerCapabilities {
                    supported: Some(true),
                    change_notifications: Some(OneOf::Left(true)),
                }),
                file_operations: self.file_operations(),
            }),
            ..ServerCapabilities::default()
        }
    }

    /// The operations that the client should report. Watchers send no events for the contents of
    /// deleted or renamed directories.
    fn file_operations(&self) -> Option<WorkspaceFileOperationsServerCapabilities> {
        let [creates, renames, deletes] = self.file_operations;
        let pattern = FileOperationPattern { glob: "**".to_owned(), ..Default::default() };
        let filter = FileOperationFilter { scheme: Some("file".to_owned()), pattern };
        let options = FileOperationRegistrationOptions { filters: vec![filter] };
        let options_if = |reports: bool| reports.then(|| options.clone());
        (creates || renames || deletes).then(|| WorkspaceFileOperationsServerCapabilities {
            did_create: options_if(creates),
            did_rename: options_if(renames),
            did_delete: options_if(deletes),
            ..WorkspaceFileOperationsServerCapabilities::default()
        })
    }

    /// Whether all files are watched: the diagnostics of a client that requests workspace
    /// diagnostics depend on all files.
    pub(crate) fn watches_all(&self) -> bool {
        self.watches && self.pulls
    }

    /// The notifications to register with this client.
    pub(crate) fn registrations(&self) -> Vec<Registration> {
        let mut registrations = Vec::new();
        if self.watches {
            let globs: &[&str] = if self.watches_all() { &["**/*"] } else { &WATCHED };
            let watchers: Vec<Value> =
                globs.iter().map(|glob| json!({ "globPattern": glob })).collect();
            registrations
                .push(("workspace/didChangeWatchedFiles", json!({ "watchers": watchers })));
        }
        if self.registers_settings {
            registrations.push(("workspace/didChangeConfiguration", json!({ "section": SECTION })));
        }
        let registration = |(method, options): (&str, Value)| Registration {
            id: format!("aidd {method}"),
            method: method.to_owned(),
            register_options: Some(options),
        };
        registrations.into_iter().map(registration).collect()
    }
}

/// Files that affect findings in other files. Watching all files is expensive for many editors.
const WATCHED: [&str; 8] = [
    "**/.aidd/**",
    "**/memory/*.jsonl",
    "**/rules/**/*.md",
    "**/.{git,aidd,docker,}ignore",
    "**/*.dockerignore",
    "**/.hadolint.{yaml,yml,json}",
    "**/.spectral.{yaml,yml,json}",
    "**/{,.}redocly.{yaml,yml}",
];

/// The section of the editor settings that contains the server's settings.
pub(crate) const SECTION: &str = "aidd";

#[expect(deprecated, reason = "older clients send their only folder in this field")]
fn folders(params: &InitializeParams) -> Vec<PathBuf> {
    match (&params.workspace_folders, &params.root_uri, &params.root_path) {
        (Some(folders), ..) if !folders.is_empty() => paths(folders),
        (_, Some(uri), _) => uri::path(uri).into_iter().collect(),
        (_, None, Some(path)) => vec![PathBuf::from(path)],
        _ => Vec::new(),
    }
}

/// The folders with a file path.
pub(crate) fn paths(folders: &[WorkspaceFolder]) -> Vec<PathBuf> {
    folders.iter().filter_map(|folder| uri::path(&folder.uri)).collect()
}

/// When documents are checked.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "camelCase")]
pub(crate) enum Run {
    /// On every change of the text.
    #[default]
    OnType,
    /// When opened and saved.
    OnSave,
}

/// The editor settings in section `aidd`.
#[derive(Clone, Debug, Default, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "camelCase", default)]
pub(crate) struct Settings {
    /// The configuration file, relative to the root of each project; the default is
    /// `.aidd/config.json`.
    pub(crate) config: Option<PathBuf>,
    /// When documents are checked.
    pub(crate) run: Run,
    /// Whether files that are not open are checked. By default, they are checked only for clients
    /// that request workspace diagnostics.
    pub(crate) workspace: Option<bool>,
    /// Whether a hover contains the message of a finding. An editor that shows the diagnostic next to
    /// the hover would show the message twice. Read only from the `initialize` request.
    pub(crate) hover_messages: Option<bool>,
    /// Whether symbols, references and calls are answered from the code index. Read only from the
    /// `initialize` request, because it determines the capabilities of the server.
    pub(crate) index: bool,
}

impl Settings {
    /// The settings in `value`: either the section itself or an object that contains it. `None` if
    /// there are no settings.
    ///
    /// # Errors
    /// Fails with the name of the invalid setting.
    pub(crate) fn read(value: &Value) -> Result<Option<Self>, String> {
        let section = value.get(SECTION).unwrap_or(value);
        if !section.is_object() {
            return Ok(None);
        }
        let settings = Self::deserialize(section);
        settings.map(Some).map_err(|error| format!("editor settings: {error}"))
    }
}

/// Interval between checks of whether the parent process is alive.
const PARENT_POLL_INTERVAL: Duration = Duration::from_secs(3);

/// Returns when the process `id` has exited.
pub(crate) async fn wait_for_exit(id: u32) {
    let mut interval = tokio::time::interval(PARENT_POLL_INTERVAL);
    let was_parent = is_parent(id);
    loop {
        interval.tick().await;
        if !is_alive(id) || was_parent && !is_parent(id) {
            return;
        }
    }
}

#[cfg(unix)]
fn is_parent(id: u32) -> bool {
    std::os::unix::process::parent_id() == id
}

#[cfg(unix)]
fn is_alive(id: u32) -> bool {
    let process = i32::try_from(id).ok().and_then(rustix::process::Pid::from_raw);
    let result = process.map(rustix::process::test_kill_process);
    result != Some(Err(rustix::io::Errno::SRCH))
}

/// On other systems, there is no safe way to check the process. The end of the input signals its
/// exit, because the pipe is closed when the process exits.
#[cfg(not(unix))]
fn is_parent(_: u32) -> bool {
    false
}

#[cfg(not(unix))]
fn is_alive(_: u32) -> bool {
    true
}

#[cfg(test)]
mod tests {
    use super::*;

    fn session(capabilities: Value) -> Session {
        Session::new(&InitializeParams {
            capabilities: serde_json::from_value(capabilities).expect("capabilities"),
            ..InitializeParams::default()
        })
    }

    #[test]
    fn only_supported_notifications_are_registered() {
        let plain = session(json!({}));
        assert_eq!(plain.registrations(), []);
        assert_eq!(plain.capabilities().diagnostic_provider, None);
        let dynamic = json!({ "dynamicRegistration": true });
        let capable = session(json!({
            "workspace": { "didChangeWatchedFiles": dynamic, "didChangeConfiguration": dynamic },
            "textDocument": { "diagnostic": {} },
        }));
        let methods: Vec<String> =
            capable.registrations().into_iter().map(|registration| registration.method).collect();
        assert_eq!(
            methods,
            ["workspace/didChangeWatchedFiles", "workspace/didChangeConfiguration"]
        );
        assert!(capable.capabilities().diagnostic_provider.is_some());
    }

    #[test]
    fn settings_are_read_with_and_without_their_section() {
        let expected = Settings { run: Run::OnSave, ..Settings::default() };
        let read = |value: Value| Settings::read(&value);
        assert_eq!(read(json!({ "aidd": { "run": "onSave" } })), Ok(Some(expected.clone())));
        assert_eq!(read(json!({ "run": "onSave", "trace": "off" })), Ok(Some(expected)));
        assert_eq!(read(json!(null)), Ok(None));
        assert!(read(json!({ "run": "never" })).is_err());
    }

    #[cfg(unix)]
    #[test]
    fn an_exited_process_is_detected() {
        assert!(is_alive(std::process::id()));
        assert!(!is_alive(i32::MAX as u32), "larger than any process id");
    }
}
