//! The request handlers. Most of them only call the module with the implementation.

use crate::commands;
use crate::diagnostics;
use crate::documents::lock;
use crate::features;
use crate::inbox;
use crate::lifecycle::{Session, Settings, wait_for_exit};
use crate::state::State;
use crate::symbols;
use serde_json::Value;
use std::sync::Arc;
use std::sync::atomic::Ordering;
use tokio::sync::Notify;
use tower_lsp_server::LanguageServer;
use tower_lsp_server::jsonrpc::Result;
use tower_lsp_server::ls_types::{
    CallHierarchyIncomingCall, CallHierarchyIncomingCallsParams, CallHierarchyItem,
    CallHierarchyOutgoingCall, CallHierarchyOutgoingCallsParams, CallHierarchyPrepareParams,
    CodeAction, CodeActionParams, CodeActionResponse, CodeLens, CodeLensParams, CompletionItem,
    CompletionParams, CompletionResponse, DocumentDiagnosticParams, DocumentDiagnosticReportResult,
    DocumentLink, DocumentLinkParams, DocumentSymbolParams, DocumentSymbolResponse,
    ExecuteCommandParams, GotoDefinitionParams, GotoDefinitionResponse, Hover, HoverParams,
    InitializeParams, InitializeResult, InitializedParams, Location, MessageType, ReferenceParams,
    ServerInfo, WorkspaceDiagnosticParams, WorkspaceDiagnosticReportResult, WorkspaceSymbolParams,
    WorkspaceSymbolResponse,
};

/// Implements the requests.
#[derive(Debug)]
pub(crate) struct Server {
    pub(crate) state: Arc<State>,
    /// Notified when the process that started the server has exited.
    pub(crate) exited: Arc<Notify>,
}

impl LanguageServer for Server {
    async fn initialize(&self, params: InitializeParams) -> Result<InitializeResult> {
        let mut session = Session::new(&params);
        let options = params.initialization_options.as_ref().map_or(Ok(None), Settings::read);
        // An invalid setting is reported when the client is asked for its settings.
        if let Ok(Some(settings)) = options {
            let config = settings.config.clone();
            let mut current = lock(&self.state.settings);
            let config = config.or_else(|| current.config.clone());
            session.index = settings.index;
            session.features.shows_messages = settings.hover_messages == Some(false);
            *current = Settings { config, ..settings };
        }
        let mut roots = lock(&self.state.roots);
        roots.set_folders(session.folders.clone());
        roots.set_config(lock(&self.state.settings).config.clone());
        drop(roots);
        if let Some(id) = session.parent {
            let exited = self.exited.clone();
            tokio::spawn(async move {
                wait_for_exit(id).await;
                exited.notify_one();
            });
        }
        let result = InitializeResult {
            capabilities: session.capabilities(),
            server_info: Some(ServerInfo {
                name: env!("CARGO_PKG_NAME").to_owned(),
                version: Some(env!("CARGO_PKG_VERSION").to_owned()),
            }),
            offset_encoding: None,
        };
        let _ = self.state.session.set(session);
        Ok(result)
    }

    async fn initialized(&self, _: InitializedParams) {
        let Some(session) = self.state.session.get() else { return };
        // The client can respond late or refuse: do not wait for it.
        let (state, registrations) = (self.state.clone(), session.registrations());
        let watches_all = session.watches_all();
        if !registrations.is_empty() {
            tokio::spawn(async move {
                match state.client.register_capability(registrations).await {
                    Ok(()) => state.has_file_events.store(watches_all, Ordering::SeqCst),
                    Err(error) => {
                        let text = format!("the client rejected the registration: {error}");
                        state.client.log_message(MessageType::INFO, text).await;
                    }
                }
            });
        }
        inbox::request_settings(&self.state);
        if !session.pulls {
            tokio::spawn(diagnostics::watch_changes(self.state.clone()));
        }
    }

    async fn shutdown(&self) -> Result<()> {
        self.state.is_shut_down.store(true, Ordering::SeqCst);
        Ok(())
    }

    async fn diagnostic(
        &self,
        params: DocumentDiagnosticParams,
    ) -> Result<DocumentDiagnosticReportResult> {
        Ok(diagnostics::document_diagnostics(&self.state, params).await)
    }

    async fn workspace_diagnostic(
        &self,
        params: WorkspaceDiagnosticParams,
    ) -> Result<WorkspaceDiagnosticReportResult> {
        Ok(diagnostics::workspace_diagnostics(&self.state, params).await)
    }

    async fn code_action(&self, params: CodeActionParams) -> Result<Option<CodeActionResponse>> {
        features::actions(&self.state, params).await
    }

    async fn code_action_resolve(&self, action: CodeAction) -> Result<CodeAction> {
        features::resolve_action(&self.state, action).await
    }

    async fn hover(&self, params: HoverParams) -> Result<Option<Hover>> {
        features::hover(&self.state, params).await
    }

    async fn document_link(&self, params: DocumentLinkParams) -> Result<Option<Vec<DocumentLink>>> {
        features::links(&self.state, &params.text_document.uri).await
    }

    async fn code_lens(&self, params: CodeLensParams) -> Result<Option<Vec<CodeLens>>> {
        features::lenses(&self.state, &params.text_document.uri).await
    }

    async fn completion(&self, params: CompletionParams) -> Result<Option<CompletionResponse>> {
        features::complete(&self.state, params).await
    }

    async fn completion_resolve(&self, item: CompletionItem) -> Result<CompletionItem> {
        features::resolve_item(&self.state, item).await
    }

    async fn symbol(
        &self,
        params: WorkspaceSymbolParams,
    ) -> Result<Option<WorkspaceSymbolResponse>> {
        symbols::find(&self.state, params.query).await
    }

    async fn document_symbol(
        &self,
        params: DocumentSymbolParams,
    ) -> Result<Option<DocumentSymbolResponse>> {
        symbols::outline(&self.state, &params.text_document.uri).await
    }

    async fn goto_definition(
        &self,
        params: GotoDefinitionParams,
    ) -> Result<Option<GotoDefinitionResponse>> {
        let at = params.text_document_position_params;
        let pages = features::rule_definitions(&self.state, at.clone()).await?;
        if !pages.is_empty() {
            return Ok(Some(GotoDefinitionResponse::Array(pages)));
        }
        symbols::definition(&self.state, at).await
    }

    async fn references(&self, params: ReferenceParams) -> Result<Option<Vec<Location>>> {
        let with_declaration = params.context.include_declaration;
        symbols::references(&self.state, params.text_document_position, with_declaration).await
    }

    async fn prepare_call_hierarchy(
        &self,
        params: CallHierarchyPrepareParams,
    ) -> Result<Option<Vec<CallHierarchyItem>>> {
        symbols::prepare_calls(&self.state, params.text_document_position_params).await
    }

    async fn incoming_calls(
        &self,
        params: CallHierarchyIncomingCallsParams,
    ) -> Result<Option<Vec<CallHierarchyIncomingCall>>> {
        symbols::incoming(&self.state, params.item).await
    }

    async fn outgoing_calls(
        &self,
        params: CallHierarchyOutgoingCallsParams,
    ) -> Result<Option<Vec<CallHierarchyOutgoingCall>>> {
        symbols::outgoing(&self.state, params.item).await
    }

    async fn execute_command(&self, params: ExecuteCommandParams) -> Result<Option<Value>> {
        commands::run(&self.state, params).await
    }
}
