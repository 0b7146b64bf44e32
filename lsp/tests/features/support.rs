//! A project in a temporary directory, a document with a cursor, and the edits that a client would
//! make.

use aidd_engine::check::Engine;
use aidd_engine::text::files::{Disk, Memory, Overlay};
use aidd_engine::text::source::{Encoding, Source, Span};
use aidd_engine::workspace::fix::UndoneFix;
use aidd_lsp::actions::{self, ActionContext, Refusal};
use aidd_lsp::client::Client;
use aidd_lsp::convert;
use aidd_lsp::examples;
use aidd_lsp::snapshot::Snapshot;
use aidd_lsp::workspace::Workspace;
use std::cell::RefCell;
use std::fs;
use std::sync::Arc;
use tempfile::TempDir;
use tower_lsp_server::ls_types::{
    CodeAction, CodeActionContext, DocumentChangeOperation, DocumentChanges, OneOf, Position,
    Range, ResourceOp, TextDocumentEdit, TextEdit, Uri, WorkspaceEdit,
};

pub(crate) const FULL_CLIENT: Client = Client {
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

/// A project in a temporary directory.
pub(crate) struct Project {
    folder: TempDir,
    pub(crate) workspace: Arc<Workspace>,
    pub(crate) encoding: Encoding,
    /// The fixes that were undone: rule, line and reason.
    pub(crate) undone: RefCell<Vec<String>>,
}

impl Project {
    pub(crate) fn new(files: &[(&str, &str)]) -> Self {
        let folder = tempfile::tempdir().expect("a folder");
        fs::create_dir(folder.path().join(".git")).expect("created");
        for (path, text) in files {
            let path = folder.path().join(path);
            fs::create_dir_all(path.parent().expect("a folder")).expect("created");
            fs::write(path, text).expect("written");
        }
        let workspace =
            Workspace::open(&crate::DISTRIBUTION, folder.path(), None).expect("a workspace");
        let (workspace, undone) = (Arc::new(workspace), RefCell::default());
        Self { folder, workspace, encoding: Encoding::Utf16, undone }
    }

    pub(crate) fn engine(&self) -> &Engine {
        &self.workspace.engine
    }

    pub(crate) fn disk(&self) -> &Disk {
        &self.workspace.project.disk
    }

    pub(crate) fn uri(&self, path: &str) -> Uri {
        Uri::from_file_path(self.folder.path().join(path)).expect("a path")
    }

    /// Replaces the URI of the directory in `text` with `file:///project/`.
    pub(crate) fn mask_root(&self, text: &str) -> String {
        text.replace(self.uri("").as_str(), "file:///project/")
    }

    /// Checks the document at `path` with `text`.
    pub(crate) fn open(&self, path: &str, text: &str) -> Snapshot {
        let source = Source::new(path, text);
        Snapshot {
            failed_examples: examples::failures(&crate::DISTRIBUTION, path, text),
            uri: self.uri(path),
            version: Some(7),
            checked: self.workspace.check(&source, self.disk()),
            source,
            workspace: self.workspace.clone(),
            encoding: self.encoding,
        }
    }

    /// Like [`Self::open`], for a text with `‸` as cursor, or `‹…›` as selection.
    pub(crate) fn open_at(&self, path: &str, marked: &str) -> (Snapshot, Range) {
        let start = marked.find(['‸', '‹']).expect("a cursor");
        let mut text = marked.replace(['‸', '‹'], "");
        let end = text.find('›').unwrap_or(start);
        text = text.replace('›', "");
        let snapshot = self.open(path, &text);
        let range = convert::range(&snapshot.source, Span::new(start, end), self.encoding);
        (snapshot, range)
    }

    /// The actions for the cursor in `marked`.
    pub(crate) fn actions(
        &self,
        path: &str,
        marked: &str,
        client: Client,
    ) -> (Snapshot, Vec<CodeAction>) {
        let (snapshot, range) = self.open_at(path, marked);
        let actions = self.with_action_context(client, &Memory::default(), |action_context| {
            actions::actions(&snapshot, range, &CodeActionContext::default(), action_context)
        });
        (snapshot, actions)
    }

    /// The edit of `action` while the documents in `open` are open in the editor.
    pub(crate) fn resolve(
        &self,
        snapshot: &Snapshot,
        action: &CodeAction,
        open: &Memory,
    ) -> Result<WorkspaceEdit, Refusal> {
        self.with_action_context(FULL_CLIENT, open, |action_context| {
            let action = actions::resolve(snapshot, action.clone(), action_context)?;
            Ok(action.edit.expect("an edit"))
        })
    }

    pub(crate) fn with_action_context<T>(
        &self,
        client: Client,
        open: &Memory,
        run: impl FnOnce(&ActionContext<'_>) -> T,
    ) -> T {
        let files = Overlay { over: open.clone(), under: self.disk() };
        let version = |path: &str| open.0.contains_key(path).then_some(3);
        let report_undone = |undone: &[UndoneFix]| {
            let rules =
                undone.iter().map(|fix| format!("{} {}: {}", fix.rule, fix.line, fix.reason));
            self.undone.borrow_mut().extend(rules);
        };
        let report_undone = &report_undone;
        self.workspace.with_listing(&files, |files| {
            run(&ActionContext { client, files, version: &version, report_undone })
        })
    }
}

/// Describes the effect of an edit, file by file: `create PATH`, `rename OLD to NEW`, or `edit PATH
/// @VERSION` followed by the new text.
pub(crate) fn describe_edit(
    project: &Project,
    edit: &WorkspaceEdit,
    texts: &[(&str, &str)],
) -> String {
    let text_of = |uri: &Uri| {
        let entry = texts.iter().find(|(path, _)| project.uri(path) == *uri);
        entry.map_or(String::new(), |(_, text)| (*text).to_owned())
    };
    let relative_path = |uri: &Uri| project.mask_root(uri.as_str()).replace("file:///project/", "");
    let describe = |edit: &TextDocumentEdit| {
        let edits: Vec<TextEdit> = edit.edits.iter().map(plain).collect();
        let document = &edit.text_document;
        let version = document.version.map_or("null".to_owned(), |version| version.to_string());
        let text = apply_edits(&text_of(&document.uri), &edits, project.encoding);
        format!("edit {} @{version}\n{text}", relative_path(&document.uri))
    };
    match (&edit.document_changes, &edit.changes) {
        (Some(DocumentChanges::Edits(edits)), None) => edits.iter().map(describe).collect(),
        (Some(DocumentChanges::Operations(operations)), None) => operations
            .iter()
            .map(|operation| match operation {
                DocumentChangeOperation::Op(ResourceOp::Create(create)) => {
                    format!("create {}\n", relative_path(&create.uri))
                }
                DocumentChangeOperation::Op(ResourceOp::Rename(rename)) => {
                    format!(
                        "rename {} to {}\n",
                        relative_path(&rename.old_uri),
                        relative_path(&rename.new_uri)
                    )
                }
                DocumentChangeOperation::Op(other) => panic!("{other:?}"),
                DocumentChangeOperation::Edit(edit) => describe(edit),
            })
            .collect(),
        (None, Some(changes)) => changes
            .iter()
            .map(|(uri, edits)| {
                let text = apply_edits(&text_of(uri), edits, project.encoding);
                format!("edit {}\n{text}", relative_path(uri))
            })
            .collect(),
        other => panic!("{other:?}"),
    }
}

/// The text of the only document that an edit changes, after the edit.
pub(crate) fn text_after(
    project: &Project,
    edit: &WorkspaceEdit,
    path: &str,
    text: &str,
) -> String {
    let shown = describe_edit(project, edit, &[(path, text)]);
    let (head, text) = shown.split_once('\n').expect("a head");
    assert_eq!(head, format!("edit {path} @7"));
    text.to_owned()
}

fn plain(edit: &OneOf<TextEdit, tower_lsp_server::ls_types::AnnotatedTextEdit>) -> TextEdit {
    match edit {
        OneOf::Left(edit) => edit.clone(),
        OneOf::Right(other) => panic!("{other:?}"),
    }
}

/// Applies edits as a client does: by lines and columns, without overlaps.
pub(crate) fn apply_edits(text: &str, edits: &[TextEdit], encoding: Encoding) -> String {
    let byte_offset = |position| offset(text, position, encoding);
    let mut edits: Vec<_> = edits
        .iter()
        .map(|edit| (byte_offset(edit.range.start), byte_offset(edit.range.end), &edit.new_text))
        .collect();
    edits.sort();
    for pair in edits.windows(2) {
        assert!(pair[0].1 <= pair[1].0, "the edits overlap: {pair:?}");
    }
    let mut text = text.to_owned();
    for (start, end, new) in edits.into_iter().rev() {
        text.replace_range(start..end, new);
    }
    text
}

/// The byte offset of a position, which must be in the text. Computed without the engine.
fn offset(text: &str, position: Position, encoding: Encoding) -> usize {
    let line = text.split_inclusive('\n').nth(position.line as usize).unwrap_or_default();
    let start: usize = text.split_inclusive('\n').take(position.line as usize).map(str::len).sum();
    let mut remaining = position.character as usize;
    for (at, c) in line.char_indices() {
        if remaining == 0 {
            return start + at;
        }
        remaining -= match encoding {
            Encoding::Utf8 => c.len_utf8(),
            Encoding::Utf16 => c.len_utf16(),
            Encoding::CodePoints => 1,
        };
    }
    assert_eq!(remaining, 0, "{position:?} is past the end of its line");
    start + line.len()
}
