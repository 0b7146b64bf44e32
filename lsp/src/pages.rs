//! The rule pages and packs of a project in the editor: unsaved edits apply to open files, and a page
//! that cannot be used keeps its last valid text while it is being edited.

use crate::documents::lock;
use crate::lifecycle::Run;
use crate::schedule;
use crate::state::State;
use crate::uri;
use aidd_engine::forms;
use aidd_engine::rules::registry;
use aidd_engine::text::kind::{is_memory_path, is_pack_path, is_page_path};
use aidd_page as page;
use std::collections::{BTreeMap, HashMap};
use std::path::{Path, PathBuf};
use std::sync::{Arc, Mutex};
use std::time::Duration;
use tokio::task::spawn_blocking;
use tower_lsp_server::ls_types::Uri;

/// The texts of edited pages that have not been saved, by path.
pub(crate) type UnsavedPages = Arc<Mutex<HashMap<PathBuf, String>>>;

/// The pause in typing after which the edits of a page apply to other files.
const PAUSE: Duration = Duration::from_millis(250);

/// Whether a page or pack at `path`, relative to the root, can be used as it is.
fn is_usable(path: &str, text: &str) -> bool {
    if is_pack_path(path) {
        return page::pack(text).is_ok();
    }
    registry::project_rule(path, text).is_some_and(|rule| forms::problems(&rule).is_empty())
}

/// Replaces the texts of `pages` with the unsaved texts, and pages that cannot be used with their
/// text among `previous`.
pub(crate) fn apply(
    pages: &mut Vec<(String, String)>,
    mut unsaved: BTreeMap<String, String>,
    previous: &[(String, String)],
) {
    for (path, text) in pages.iter_mut().filter(|(path, _)| !is_memory_path(path)) {
        if let Some(edited) = unsaved.remove(path) {
            *text = edited;
        }
        if !is_usable(path, text)
            && let Some((_, last)) = previous.iter().find(|(known, _)| known == path)
            && is_usable(path, last)
        {
            text.clone_from(last);
        }
    }
    pages.extend(unsaved.into_iter().filter(|(path, text)| is_usable(path, text)));
}

/// Whether an edit of the page at `path` to `new` affects other files. `old` is the text in use, if
/// the page is in use.
pub(crate) fn affects_files(path: &str, old: Option<&str>, new: &str) -> bool {
    // The text below the title is only shown.
    let effective = |text: &str| {
        let (header, body) = page::split(text).ok()?;
        let title = page::title(text.get(body)?).map(str::to_owned);
        Some((text.get(header)?.to_owned(), title))
    };
    (is_page_path(path) || is_pack_path(path))
        && is_usable(path, new)
        && old.is_none_or(|old| effective(old) != effective(new))
}

/// Applies the unsaved text of an edited page to the other files, after a pause in typing.
pub(crate) fn edited(state: &Arc<State>, uri: &Uri) {
    let Some(path) = uri::path(uri).filter(|path| can_be_page(path)) else { return };
    if lock(&state.settings).run == Run::OnSave {
        return;
    }
    let Some((text, generation)) = lock(&state.documents)
        .get(uri)
        .map(|document| (document.text.as_str().to_owned(), document.generation))
    else {
        return;
    };
    lock(&state.unsaved_pages).insert(path.clone(), text);
    let (state, uri) = (state.clone(), uri.clone());
    tokio::spawn(async move {
        tokio::time::sleep(PAUSE).await;
        if !state.is_current(&uri, generation) {
            return;
        }
        let worker_state = state.clone();
        let work = move || {
            worker_state.with_roots_then_report_errors(|roots| roots.reload_edited_page(&path))
        };
        if spawn_blocking(work).await.is_ok_and(|is_reloaded| is_reloaded) {
            schedule::recheck(&state);
        }
    });
}

/// Whether a file can be a page, judged without its root.
fn can_be_page(path: &Path) -> bool {
    let path = path.to_string_lossy().replace('\\', "/");
    path.ends_with(".md") && (path.contains("/rules/") || path.contains("/.aidd/"))
}

/// Forgets the unsaved text of a page that was saved or closed; returns whether there was one.
pub(crate) fn forget(state: &State, uri: &Uri) -> bool {
    uri::path(uri).is_some_and(|path| lock(&state.unsaved_pages).remove(&path).is_some())
}
