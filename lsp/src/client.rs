//! Client capabilities that affect the form of responses.

use tower_lsp_server::ls_types::{ClientCapabilities, MarkupKind, ResourceOperationKind};

/// Client capabilities. All are false by default.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Client {
    /// Supports edits tied to a document version.
    pub document_changes: bool,
    /// Supports edits that create files.
    pub create_files: bool,
    /// Supports edits that rename files.
    pub rename_files: bool,
    /// Supports code actions with edits, not only commands.
    pub actions: bool,
    /// Supports resolving the edit of a code action when it is selected.
    pub lazy_edits: bool,
    /// Supports Markdown in hovers.
    pub markdown_hover: bool,
    /// Supports Markdown in the documentation of completions.
    pub markdown_completion: bool,
    /// Whether the client requests hovers.
    pub hovers: bool,
    /// Whether the client requests completions.
    pub completions: bool,
    /// Whether the client requests document links.
    pub links: bool,
    /// Whether the client requests code lenses.
    pub lenses: bool,
    /// Supports requests to refresh code lenses.
    pub refreshes_lenses: bool,
    /// Supports placeholders in completions.
    pub snippets: bool,
    /// Shows the messages of diagnostics in hovers itself.
    pub shows_messages: bool,
}

impl Client {
    /// Reads the capabilities that a client declares.
    #[must_use]
    pub fn from_capabilities(capabilities: &ClientCapabilities) -> Self {
        let edit = capabilities.workspace.as_ref().and_then(|it| it.workspace_edit.as_ref());
        let text = capabilities.text_document.as_ref();
        let action = text.and_then(|it| it.code_action.as_ref());
        let hover = text.and_then(|it| it.hover.as_ref()).and_then(|it| it.content_format.as_ref());
        let item = text.and_then(|it| it.completion.as_ref()?.completion_item.as_ref());
        let operations = edit.and_then(|it| it.resource_operations.as_ref());
        let document_changes = edit.is_some_and(|it| it.document_changes == Some(true));
        let supports_operation =
            |kind| document_changes && operations.is_some_and(|it| it.contains(&kind));
        let resolved = action.and_then(|it| it.resolve_support.as_ref());
        let is_markdown = |kinds: &Vec<MarkupKind>| kinds.contains(&MarkupKind::Markdown);
        Self {
            document_changes,
            create_files: supports_operation(ResourceOperationKind::Create),
            rename_files: supports_operation(ResourceOperationKind::Rename),
            actions: action.is_some_and(|it| it.code_action_literal_support.is_some()),
            lazy_edits: action.is_some_and(|it| it.data_support == Some(true))
                && resolved
                    .is_some_and(|it| it.properties.iter().any(|property| property == "edit")),
            markdown_hover: hover.is_some_and(is_markdown),
            markdown_completion: item
                .and_then(|it| it.documentation_format.as_ref())
                .is_some_and(is_markdown),
            hovers: text.is_some_and(|it| it.hover.is_some()),
            completions: text.is_some_and(|it| it.completion.is_some()),
            links: text.is_some_and(|it| it.document_link.is_some()),
            lenses: text.is_some_and(|it| it.code_lens.is_some()),
            snippets: item.is_some_and(|it| it.snippet_support == Some(true)),
            // Not a capability of the protocol; see `Settings::hover_messages`.
            shows_messages: false,
            refreshes_lenses: capabilities
                .workspace
                .as_ref()
                .and_then(|it| it.code_lens.as_ref())
                .is_some_and(|it| it.refresh_support == Some(true)),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const FULL_CLIENT: Client = Client {
        document_changes: true,
        create_files: true,
        rename_files: true,
        actions: true,
        lazy_edits: true,
        markdown_hover: true,
        markdown_completion: true,
        hovers: true,
        completions: true,
        links: true,
        lenses: true,
        refreshes_lenses: true,
        snippets: true,
        shows_messages: false,
    };

    #[test]
    fn undeclared_capabilities_are_unsupported() {
        let parse = |text: &str| {
            Client::from_capabilities(&serde_json::from_str(text).expect("capabilities"))
        };
        assert_eq!(parse("{}"), Client::default());
        let modern = r#"{
            "workspace": {"workspaceEdit": {
                "documentChanges": true, "resourceOperations": ["create", "rename"]},
                "codeLens": {"refreshSupport": true}},
            "textDocument": {
                "codeAction": {
                    "codeActionLiteralSupport": {"codeActionKind": {"valueSet": []}},
                    "dataSupport": true, "resolveSupport": {"properties": ["edit"]}},
                "hover": {"contentFormat": ["plaintext", "markdown"]},
                "completion": {"completionItem": {
                    "documentationFormat": ["markdown"], "snippetSupport": true}},
                "documentLink": {}, "codeLens": {}}}"#;
        assert_eq!(parse(modern), FULL_CLIENT);
        let no_data = modern.replace("\"dataSupport\": true,", "");
        assert_eq!(parse(&no_data), Client { lazy_edits: false, ..FULL_CLIENT });
    }
}
