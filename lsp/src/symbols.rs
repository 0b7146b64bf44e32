//! Symbols, references and calls from the code index, for the setting `index`. The index describes
//! the saved files; positions in changed documents are mapped to the saved text and back, and
//! positions in changed lines have no results. Only proved references are returned.

use crate::convert;
use crate::documents::{DocumentLocation, lock};
use crate::roots;
use crate::state::State;
use crate::uri;
use crate::workspace::Workspace;
use aidd_engine::text::files::Files;
use aidd_engine::text::source::{Encoding, Source, Span};
use aidd_engine::workspace::diff::{Hunk, hunks};
use aidd_index::IndexError;
use aidd_index::outline::Kind;
use aidd_index::query::Reader;
use aidd_index::query::places::{Declaration, Place};
use serde_json::Value;
use std::collections::HashMap;
use std::sync::Arc;
use tokio::task::spawn_blocking;
use tower_lsp_server::jsonrpc::{Error, ErrorCode, Result};
use tower_lsp_server::ls_types::{
    CallHierarchyIncomingCall, CallHierarchyItem, CallHierarchyOutgoingCall, DocumentSymbol,
    DocumentSymbolResponse, GotoDefinitionResponse, Location, OneOf, Position, Range, SymbolKind,
    TextDocumentPositionParams, Uri, WorkspaceSymbol, WorkspaceSymbolResponse,
};

/// Maximum number of results of a search.
const MAX_FOUND: u32 = 200;
/// Maximum size of a file in the index, in bytes.
const MAX_BYTES: u64 = 1 << 20;
/// Maximum nesting of document symbols.
const MAX_DEPTH: usize = 32;
/// `RequestFailed` of the protocol.
const FAILED: i64 = -32803;

/// A project with its index, brought up to date for one request.
struct View {
    workspace: Arc<Workspace>,
    reader: Reader,
    encoding: Encoding,
    texts: HashMap<String, Option<FileText>>,
    open: HashMap<String, String>,
}

/// A saved text and, if its document has changed, the text in the editor.
struct FileText {
    saved: Source,
    edited: Option<(Source, Vec<Hunk>)>,
}

impl View {
    fn new(state: &State, workspace: Arc<Workspace>) -> std::result::Result<Self, IndexError> {
        let project = &workspace.project;
        let (reader, _) = lock(&workspace.index).open(&project.disk, &project.config)?;
        let documents = lock(&state.documents);
        let changed = documents.uris().into_iter().filter_map(|uri| {
            let document = documents.get(&uri).filter(|it| it.generation != it.saved)?;
            let DocumentLocation::File(path) = &document.location else { return None };
            let path = aidd_engine::text::paths::relative(project.root(), path);
            Some((path, document.text.as_str().to_owned()))
        });
        let open = changed.collect();
        drop(documents);
        let encoding = state.encoding();
        Ok(Self { workspace, reader, encoding, texts: HashMap::new(), open })
    }

    fn text(&mut self, path: &str) -> Option<&FileText> {
        if !self.texts.contains_key(path) {
            let bytes = self.workspace.project.disk.read(path, MAX_BYTES).ok();
            let text = bytes.map(|bytes| {
                let saved = Source::decode(path, bytes);
                let edited = self.open.get(path).map(|text| {
                    let edited = Source::new(path, text.as_str());
                    let hunks = hunks(saved.text(), edited.text());
                    (edited, hunks)
                });
                FileText { saved, edited }
            });
            self.texts.insert(path.to_owned(), text);
        }
        self.texts.get(path).and_then(Option::as_ref)
    }

    fn uri(&self, path: &str) -> Option<Uri> {
        Uri::from_file_path(self.workspace.project.root().join(path))
    }

    /// The position in the editor of a byte of a saved line.
    fn position(&mut self, path: &str, (line, column): (u32, u32)) -> Option<Position> {
        let encoding = self.encoding;
        let text = self.text(path)?;
        let (source, line) = match &text.edited {
            None => (&text.saved, line),
            Some((edited, hunks)) => (edited, to_edited(hunks, line)?),
        };
        if line as usize >= source.line_count() {
            return None;
        }
        let span = source.line_span(line as usize);
        let offset = span.start.saturating_add(column).min(span.end);
        Some(convert::position(source, offset, encoding))
    }

    fn range(&mut self, path: &str, start: (u32, u32), end: (u32, u32)) -> Option<Range> {
        Some(Range::new(self.position(path, start)?, self.position(path, end)?))
    }

    fn range_of(&mut self, place: &Place) -> Option<Range> {
        let end = (place.line, place.column.saturating_add(place.length));
        self.range(&place.path, (place.line, place.column), end)
    }

    fn location(&mut self, place: &Place) -> Option<Location> {
        Some(Location::new(self.uri(&place.path)?, self.range_of(place)?))
    }

    /// The line and column of the saved text at a position in the editor.
    fn saved(&mut self, path: &str, position: Position) -> Option<(u32, u32)> {
        let encoding = self.encoding;
        let text = self.text(path)?;
        let source = text.edited.as_ref().map_or(&text.saved, |(edited, _)| edited);
        let offset = convert::offset(source, position, encoding);
        let line = source.line_of(offset);
        let column = offset - source.line_span(line).start;
        let line = u32::try_from(line).ok()?;
        let line = text.edited.as_ref().map_or(Some(line), |(_, hunks)| to_saved(hunks, line))?;
        Some((line, column))
    }

    fn item(&mut self, declared: &Declaration) -> Option<CallHierarchyItem> {
        let symbol = &declared.symbol;
        let selection_range = self.range_of(&declared.name)?;
        // The first or last line can be changed in the editor.
        let range = self.range(&symbol.path, declared.start, declared.end);
        Some(CallHierarchyItem {
            name: symbol.qualified.clone(),
            kind: kind_of(&symbol.kind),
            tags: None,
            detail: Some(symbol.path.clone()),
            uri: self.uri(&symbol.path)?,
            range: range.unwrap_or(selection_range),
            selection_range,
            data: Some(Value::from(symbol.key.clone())),
        })
    }
}

/// The line in the edited text of a saved line that did not change.
fn to_edited(hunks: &[Hunk], line: u32) -> Option<u32> {
    let before = hunks.partition_point(|hunk| hunk.base.end <= line);
    if hunks.get(before).is_some_and(|hunk| hunk.base.contains(&line)) {
        return None;
    }
    let last = before.checked_sub(1).and_then(|at| hunks.get(at));
    Some(last.map_or(line, |hunk| hunk.head.end + (line - hunk.base.end)))
}

/// The saved line of a line in the edited text that did not change.
fn to_saved(hunks: &[Hunk], line: u32) -> Option<u32> {
    let before = hunks.partition_point(|hunk| hunk.head.end <= line);
    if hunks.get(before).is_some_and(|hunk| hunk.head.contains(&line)) {
        return None;
    }
    let last = before.checked_sub(1).and_then(|at| hunks.get(at));
    Some(last.map_or(line, |hunk| hunk.base.end + (line - hunk.head.end)))
}

fn kind_of(kind: &str) -> SymbolKind {
    match kind {
        "module" => SymbolKind::MODULE,
        "class" | "component" => SymbolKind::CLASS,
        "interface" | "trait" => SymbolKind::INTERFACE,
        "struct" => SymbolKind::STRUCT,
        "enum" => SymbolKind::ENUM,
        "type" => SymbolKind::TYPE_PARAMETER,
        "method" => SymbolKind::METHOD,
        "field" => SymbolKind::FIELD,
        "variant" => SymbolKind::ENUM_MEMBER,
        "constant" => SymbolKind::CONSTANT,
        "variable" => SymbolKind::VARIABLE,
        _ => SymbolKind::FUNCTION,
    }
}

fn failed(error: &IndexError) -> Error {
    Error { code: ErrorCode::ServerError(FAILED), message: error.to_string().into(), data: None }
}

/// Whether the client enabled the index.
fn is_enabled(state: &State) -> bool {
    state.session.get().is_some_and(|session| session.index)
}

/// Runs `work` on a thread for blocking work with the project of the file at `uri`, and the path of
/// the file. `None` if the index is disabled or `uri` is not a file.
async fn with_view<T: Send + 'static>(
    state: &Arc<State>,
    uri: &Uri,
    work: impl FnOnce(&mut View, &str) -> std::result::Result<T, IndexError> + Send + 'static,
) -> Result<Option<T>> {
    let Some(path) = uri::path(uri).filter(|_| is_enabled(state)) else { return Ok(None) };
    let state = state.clone();
    let done = spawn_blocking(move || {
        let (workspace, path) = lock(&state.roots).locate(&DocumentLocation::File(path));
        let mut view = View::new(&state, workspace)?;
        work(&mut view, &path)
    });
    let result = done.await.map_err(|_| Error::internal_error())?;
    result.map(Some).map_err(|error| failed(&error))
}

/// Handles `workspace/symbol`.
pub(crate) async fn find(
    state: &Arc<State>,
    query: String,
) -> Result<Option<WorkspaceSymbolResponse>> {
    if !is_enabled(state) {
        return Ok(None);
    }
    let state = state.clone();
    let done = spawn_blocking(move || -> std::result::Result<_, IndexError> {
        let mut found = Vec::new();
        for (workspace, _) in roots::files(&state.roots) {
            let mut view = View::new(&state, workspace)?;
            for symbol in view.reader.find(&query, MAX_FOUND)? {
                let Some(declared) = view.reader.declaration(symbol.id)? else { continue };
                let Some(location) = view.location(&declared.name) else { continue };
                let (container, name) = match symbol.qualified.rsplit_once(['.', ':']) {
                    Some((container, name)) => (container.trim_end_matches(':'), name),
                    None => (&*symbol.path, &*symbol.qualified),
                };
                found.push(WorkspaceSymbol {
                    name: name.to_owned(),
                    kind: kind_of(&symbol.kind),
                    tags: None,
                    container_name: Some(container.to_owned()),
                    location: OneOf::Left(location),
                    data: None,
                });
            }
        }
        Ok(found)
    });
    let found = done.await.map_err(|_| Error::internal_error())?;
    found.map(|found| Some(WorkspaceSymbolResponse::Nested(found))).map_err(|error| failed(&error))
}

/// Handles `textDocument/documentSymbol` from the text in the editor.
pub(crate) async fn outline(
    state: &Arc<State>,
    uri: &Uri,
) -> Result<Option<DocumentSymbolResponse>> {
    if !is_enabled(state) {
        return Ok(None);
    }
    let text = lock(&state.documents).get(uri).map(|document| document.text.as_str().to_owned());
    let (Some(text), Some(path)) = (text, uri::path(uri)) else { return Ok(None) };
    let encoding = state.encoding();
    let done = spawn_blocking(move || {
        let source = Source::new(path.to_string_lossy(), text);
        document_symbols(&source, encoding)
    });
    let symbols = done.await.map_err(|_| Error::internal_error())?;
    Ok(symbols.map(DocumentSymbolResponse::Nested))
}

#[expect(deprecated, reason = "the field has no default")]
fn document_symbols(source: &Source, encoding: Encoding) -> Option<Vec<DocumentSymbol>> {
    let outline = aidd_index::outline_of(source.path(), source.text())?;
    let mut children: Vec<Vec<DocumentSymbol>> = vec![Vec::new(); outline.symbols.len() + 1];
    let top = outline.symbols.len();
    let mut depths = vec![0_usize; top];
    for (at, symbol) in outline.symbols.iter().enumerate() {
        depths[at] = symbol.parent.map_or(0, |parent| depths[parent as usize] + 1);
    }
    // A symbol follows its parent.
    for (at, symbol) in outline.symbols.iter().enumerate().rev() {
        let mut own = std::mem::take(&mut children[at]);
        own.reverse();
        if depths[at] > MAX_DEPTH {
            continue;
        }
        let end = symbol.at.offset as usize + symbol.name.len();
        let name = Span::new(symbol.at.offset as usize, end.min(symbol.end.offset as usize));
        let whole = Span::new(symbol.start.offset as usize, symbol.end.offset as usize);
        children[symbol.parent.map_or(top, |parent| parent as usize)].push(DocumentSymbol {
            name: if symbol.name.is_empty() {
                symbol.kind.name().to_owned()
            } else {
                symbol.name.clone()
            },
            detail: None,
            kind: if symbol.kind == Kind::Test {
                SymbolKind::METHOD
            } else {
                kind_of(symbol.kind.name())
            },
            tags: None,
            deprecated: None,
            range: convert::range(source, whole.cover(name), encoding),
            selection_range: convert::range(source, name, encoding),
            children: (!own.is_empty()).then_some(own),
        });
    }
    let mut symbols = children.pop()?;
    symbols.reverse();
    Some(symbols)
}

/// Handles `textDocument/definition`.
pub(crate) async fn definition(
    state: &Arc<State>,
    at: TextDocumentPositionParams,
) -> Result<Option<GotoDefinitionResponse>> {
    let found = with_view(state, &at.text_document.uri, move |view, path| {
        let Some(declared) = declared_at(view, path, at.position)? else { return Ok(None) };
        Ok(view.location(&declared.name))
    });
    Ok(found.await?.flatten().map(GotoDefinitionResponse::Scalar))
}

/// Handles `textDocument/references`.
pub(crate) async fn references(
    state: &Arc<State>,
    at: TextDocumentPositionParams,
    with_declaration: bool,
) -> Result<Option<Vec<Location>>> {
    let found = with_view(state, &at.text_document.uri, move |view, path| {
        let Some(declared) = declared_at(view, path, at.position)? else { return Ok(None) };
        let mut places = view.reader.references(declared.symbol.id)?;
        if with_declaration {
            places.insert(0, declared.name);
        }
        Ok(Some(places.iter().filter_map(|place| view.location(place)).collect()))
    });
    Ok(found.await?.flatten())
}

/// Handles `textDocument/prepareCallHierarchy`.
pub(crate) async fn prepare_calls(
    state: &Arc<State>,
    at: TextDocumentPositionParams,
) -> Result<Option<Vec<CallHierarchyItem>>> {
    let found = with_view(state, &at.text_document.uri, move |view, path| {
        let Some(declared) = declared_at(view, path, at.position)? else { return Ok(None) };
        Ok(view.item(&declared).map(|item| vec![item]))
    });
    Ok(found.await?.flatten())
}

/// Handles `callHierarchy/incomingCalls`.
pub(crate) async fn incoming(
    state: &Arc<State>,
    item: CallHierarchyItem,
) -> Result<Option<Vec<CallHierarchyIncomingCall>>> {
    let uri = item.uri.clone();
    with_view(state, &uri, move |view, _| {
        let mut found = Vec::new();
        let Some(id) = id_of(view, &item)? else { return Ok(found) };
        for (declared, places) in view.reader.incoming(id)? {
            let from_ranges = places.iter().filter_map(|place| view.range_of(place)).collect();
            if let Some(from) = view.item(&declared) {
                found.push(CallHierarchyIncomingCall { from, from_ranges });
            }
        }
        Ok(found)
    })
    .await
}

/// Handles `callHierarchy/outgoingCalls`.
pub(crate) async fn outgoing(
    state: &Arc<State>,
    item: CallHierarchyItem,
) -> Result<Option<Vec<CallHierarchyOutgoingCall>>> {
    let uri = item.uri.clone();
    with_view(state, &uri, move |view, _| {
        let mut found = Vec::new();
        let Some(id) = id_of(view, &item)? else { return Ok(found) };
        for (declared, places) in view.reader.outgoing(id)? {
            let from_ranges = places.iter().filter_map(|place| view.range_of(place)).collect();
            if let Some(to) = view.item(&declared) {
                found.push(CallHierarchyOutgoingCall { to, from_ranges });
            }
        }
        Ok(found)
    })
    .await
}

/// The id of the symbol of an item; `None` if the symbol no longer exists.
fn id_of(view: &View, item: &CallHierarchyItem) -> std::result::Result<Option<i64>, IndexError> {
    let Some(key) = item.data.as_ref().and_then(Value::as_str) else { return Ok(None) };
    Ok(view.reader.named(key)?.first().map(|symbol| symbol.id))
}

fn declared_at(
    view: &mut View,
    path: &str,
    position: Position,
) -> std::result::Result<Option<Declaration>, IndexError> {
    let Some((line, column)) = view.saved(path, position) else { return Ok(None) };
    match view.reader.symbol_at(path, line, column)? {
        Some(symbol) => view.reader.declaration(symbol.id),
        None => Ok(None),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn unchanged_lines_are_mapped_between_the_saved_and_the_edited_text() {
        let hunks = hunks("a\nb\nc\nd\n", "x\na\nB\nc\nd\n");
        let edited: Vec<Option<u32>> = (0..4).map(|line| to_edited(&hunks, line)).collect();
        assert_eq!(edited, [Some(1), None, Some(3), Some(4)]);
        let saved: Vec<Option<u32>> = (0..5).map(|line| to_saved(&hunks, line)).collect();
        assert_eq!(saved, [None, Some(0), None, Some(2), Some(3)]);
    }

    #[test]
    fn document_symbols_are_nested() {
        let text = "class A {\n  run() {}\n}\nexport function b() {}\n";
        let symbols = document_symbols(&Source::new("a.ts", text), Encoding::Utf16).expect("code");
        let names: Vec<(&str, usize)> = symbols
            .iter()
            .map(|symbol| (&*symbol.name, symbol.children.as_ref().map_or(0, Vec::len)))
            .collect();
        assert_eq!(names, [("A", 1), ("b", 0)]);
        assert_eq!(document_symbols(&Source::new("a.txt", text), Encoding::Utf16), None);
    }
}
