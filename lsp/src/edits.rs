//! Converts engine edits to protocol edits.

use crate::client::Client;
use crate::convert;
use aidd_engine::text::finding::Edit;
use aidd_engine::text::source::{Encoding, Source, Span};
use aidd_engine::workspace::diff::hunks;
use tower_lsp_server::ls_types::{
    CreateFile, CreateFileOptions, DocumentChangeOperation, DocumentChanges, OneOf,
    OptionalVersionedTextDocumentIdentifier, Range, RenameFile, RenameFileOptions, ResourceOp,
    TextDocumentEdit, TextEdit, Uri, WorkspaceEdit,
};

/// Converts edits of `source` to protocol edits.
#[must_use]
pub fn text_edits(source: &Source, edits: &[Edit], encoding: Encoding) -> Vec<TextEdit> {
    let edit =
        |edit: &Edit| TextEdit::new(convert::range(source, edit.span, encoding), edit.text.clone());
    edits.iter().map(edit).collect()
}

/// An edit of one document, tied to the version of the document if the client supports versions.
#[must_use]
pub fn document_edit(
    client: Client,
    uri: Uri,
    version: Option<i32>,
    edits: Vec<TextEdit>,
) -> WorkspaceEdit {
    if client.document_changes {
        let changes = DocumentChanges::Edits(vec![versioned(uri, version, edits)]);
        return WorkspaceEdit { document_changes: Some(changes), ..WorkspaceEdit::default() };
    }
    WorkspaceEdit { changes: Some([(uri, edits)].into()), ..WorkspaceEdit::default() }
}

/// An edit that creates a file with `text`, for clients that can create files.
#[must_use]
pub fn new_file(uri: Uri, text: String) -> WorkspaceEdit {
    let options = CreateFileOptions { overwrite: None, ignore_if_exists: Some(true) };
    let create = CreateFile { uri: uri.clone(), options: Some(options), annotation_id: None };
    let insert = TextEdit::new(Range::default(), text);
    let changes = DocumentChanges::Operations(vec![
        DocumentChangeOperation::Op(ResourceOp::Create(create)),
        DocumentChangeOperation::Edit(versioned(uri, None, vec![insert])),
    ]);
    WorkspaceEdit { document_changes: Some(changes), ..WorkspaceEdit::default() }
}

/// An edit that renames a file, for clients that can rename files.
#[must_use]
pub fn renamed_file(old_uri: Uri, new_uri: Uri) -> WorkspaceEdit {
    let options = RenameFileOptions { overwrite: Some(false), ignore_if_exists: Some(false) };
    let rename = RenameFile { old_uri, new_uri, options: Some(options), annotation_id: None };
    let changes =
        DocumentChanges::Operations(vec![DocumentChangeOperation::Op(ResourceOp::Rename(rename))]);
    WorkspaceEdit { document_changes: Some(changes), ..WorkspaceEdit::default() }
}

fn versioned(uri: Uri, version: Option<i32>, edits: Vec<TextEdit>) -> TextDocumentEdit {
    TextDocumentEdit {
        text_document: OptionalVersionedTextDocumentIdentifier { uri, version },
        edits: edits.into_iter().map(OneOf::Left).collect(),
    }
}

/// The edits that turn `before` into `after`. The edits are small, so that cursors and bookmarks
/// keep their positions.
#[must_use]
pub fn diff(before: &str, after: &str) -> Vec<Edit> {
    let (old, new) = (line_starts(before), line_starts(after));
    let byte_range = |starts: &[usize], lines: std::ops::Range<u32>| {
        let at = |line: u32| starts.get(line as usize).or(starts.last()).copied().unwrap_or(0);
        at(lines.start)..at(lines.end)
    };
    let edits: Vec<Edit> = hunks(before, after)
        .into_iter()
        .map(|hunk| {
            let (old_range, new_range) = (byte_range(&old, hunk.base), byte_range(&new, hunk.head));
            let edit = minimal_edit(&before[old_range.clone()], &after[new_range]);
            Edit { span: edit.span.shift(old_range.start), ..edit }
        })
        .collect();
    // Lines are compared without line breaks, which can be the only difference.
    if applied(before, &edits) == after { edits } else { vec![minimal_edit(before, after)] }
}

/// The offset of each line, and the length of the text.
fn line_starts(text: &str) -> Vec<usize> {
    let ends = text.split_inclusive('\n').scan(0, |end, line| {
        *end += line.len();
        Some(*end)
    });
    std::iter::once(0).chain(ends).collect()
}

/// The edit that turns `before` into `after`, without their common prefix and suffix.
fn minimal_edit(before: &str, after: &str) -> Edit {
    let same = before.bytes().zip(after.bytes()).take_while(|(a, b)| a == b).count();
    // An edit must not start or end within a character or a CRLF.
    let is_between = |text: &str, at: usize| {
        text.is_char_boundary(at) && !(text[..at].ends_with('\r') && text[at..].starts_with('\n'))
    };
    let start =
        (0..=same).rev().find(|&at| is_between(before, at) && is_between(after, at)).unwrap_or(0);
    let (before_rest, after_rest) = (&before[start..], &after[start..]);
    let tails = before_rest.bytes().rev().zip(after_rest.bytes().rev());
    let same = tails.take_while(|(a, b)| a == b).count();
    let tail = (0..=same)
        .rev()
        .find(|&tail| {
            is_between(before, before.len() - tail) && is_between(after, after.len() - tail)
        })
        .unwrap_or(0);
    Edit::replace(Span::new(start, before.len() - tail), &after[start..after.len() - tail])
}

/// Applies sorted, non-overlapping edits to a text.
fn applied(text: &str, edits: &[Edit]) -> String {
    let mut text = text.to_owned();
    for edit in edits.iter().rev() {
        text.replace_range(edit.span.range(), &edit.text);
    }
    text
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    #[test]
    fn only_differing_text_is_replaced() {
        let edits = diff("a\nFROM debian:latest\nb\nc\n", "a\nFROM debian:12\nb\n");
        let shown: Vec<_> =
            edits.iter().map(|edit| (edit.span.start, edit.span.end, edit.text.as_str())).collect();
        assert_eq!(shown, [(14, 20, "12"), (23, 25, "")]);
        assert_eq!(diff("a\r\n", "a\n"), [Edit::replace(Span::new(1, 3), "\n")]);
        assert_eq!(diff("a", "a"), []);
    }

    proptest! {
        #[test]
        fn applying_a_diff_produces_the_new_text(
            before in "[ab😀é\r\n]{0,24}",
            after in "[ab😀é\r\n]{0,24}",
        ) {
            prop_assert_eq!(applied(&before, &diff(&before, &after)), after);
        }
    }
}
