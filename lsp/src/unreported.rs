//! The files that changed on disk since the last pass, for clients that do not report changed files.

use crate::documents::lock;
use crate::expand::Reported;
use crate::inbox;
use crate::path_list::PathList;
use crate::roots;
use crate::state::State;
use aidd_engine::text::files::{MIN_STAMP_AGE, Stamp, stamp_of};
use std::collections::{BTreeMap, BTreeSet};
use std::path::PathBuf;
use std::sync::Arc;
use std::time::SystemTime;
use tokio::sync::oneshot;

/// The stamp of each file in the folders of the client at the last pass.
#[derive(Debug, Default)]
pub(crate) struct Stamps(BTreeMap<PathBuf, RootStamps>);

/// The files of a project, and the stamp of each; `None` for a file that was written so recently that
/// an equal stamp would not prove that it is unchanged.
#[derive(Debug, Default)]
struct RootStamps {
    paths: PathList,
    stamps: Box<[Option<Stamp>]>,
}

impl Stamps {
    /// Whether the stamps were read before.
    pub(crate) fn are_known(&self) -> bool {
        self.0.values().any(|root| root.paths.len() > 0)
    }

    /// The number of files in the folders of the client, except those at `open`.
    pub(crate) fn count_except(&self, open: &BTreeSet<PathBuf>) -> usize {
        let files = self.0.iter().flat_map(|(root, known)| {
            known.paths.iter().filter(move |path| !open.contains(&root.join(path)))
        });
        files.count()
    }

    /// Reads the stamps again; returns the files that may have changed since.
    fn update(&mut self, state: &State) -> Vec<Reported> {
        // Take the time before the stamps are read, because a file can be written in between.
        let now = SystemTime::now();
        let is_settled =
            |stamp: &Stamp| now.duration_since(stamp.0).is_ok_and(|age| age > MIN_STAMP_AGE);
        let mut previous = std::mem::take(&mut self.0);
        let mut changed = Vec::new();
        for (workspace, paths) in roots::files(&state.roots) {
            let root = workspace.project.root();
            let before = previous.remove(root).unwrap_or_default();
            let mut before = before.paths.iter().zip(&before.stamps).peekable();
            let mut stamps = Vec::with_capacity(paths.len());
            let mut report = |path: &str, is_created_or_deleted| {
                changed.push(Reported { path: root.join(path), is_created_or_deleted });
            };
            for path in &paths {
                while let Some((deleted, _)) = before.next_if(|(known, _)| known < path) {
                    report(&deleted, true);
                }
                let known = before.next_if(|(known, _)| known == path).map(|(_, stamp)| *stamp);
                let stamp = stamp_of(&root.join(path));
                if stamp.is_none() || known.flatten() != stamp {
                    report(path, known.is_none());
                }
                stamps.push(stamp.filter(is_settled));
            }
            before.for_each(|(deleted, _)| report(&deleted, true));
            if let Some(paths) = PathList::new(paths.iter().map(String::as_str)) {
                self.0.insert(root.to_owned(), RootStamps { paths, stamps: stamps.into() });
            }
        }
        for (root, known) in previous {
            let deleted = known.paths.iter().map(|path| root.join(path));
            changed.extend(deleted.map(|path| Reported { path, is_created_or_deleted: true }));
        }
        changed
    }
}

/// Finds the changed files and processes them as if the client had reported them. The first call only
/// reads the stamps.
pub(crate) async fn find(state: &Arc<State>, stamps: &mut Stamps) {
    let is_first = !stamps.are_known();
    let mut updated = std::mem::take(stamps);
    let worker_state = state.clone();
    let work = move || {
        let changed = updated.update(&worker_state);
        if !is_first && !changed.is_empty() {
            lock(&worker_state.dirty).mark(changed.iter().map(|change| change.path.clone()));
            if inbox::process_disk_changes(&worker_state, changed).0 {
                worker_state.next_epoch();
            }
        }
        updated
    };
    let (sender, receiver) = oneshot::channel();
    state.pass_thread.run(move || drop(sender.send(work())));
    // After a panic, the next pass covers all files.
    *stamps = receiver.await.unwrap_or_default();
}

#[cfg(test)]
mod tests {
    use crate::diagnostics::{Count, check_all, workspace_diagnostics};
    use crate::documents::lock;
    use crate::inbox;
    use crate::lifecycle::{Session, Settings};
    use crate::server::Server;
    use crate::state::State;
    use serde_json::{Value, json};
    use std::fs;
    use std::path::Path;
    use std::sync::Arc;
    use std::sync::atomic::Ordering;
    use std::time::Duration;
    use tower_lsp_server::LspService;
    use tower_lsp_server::ls_types::Uri;

    /// A server for a client that pulls diagnostics, and reports changed files if `watches` is set.
    fn start(root: &Path, watches: bool) -> Arc<State> {
        let mut created = None;
        let _ = LspService::new(|client| {
            let state = Arc::new(State::new(client, &crate::DISTRIBUTION, Settings::default()));
            created = Some(state.clone());
            Server { state, exited: Arc::default() }
        });
        let state = created.expect("created");
        let capabilities = json!({
            "textDocument": { "diagnostic": {} },
            "workspace": { "didChangeWatchedFiles": { "dynamicRegistration": watches } },
        });
        let params = serde_json::from_value(json!({ "capabilities": capabilities }));
        let _ = state.session.set(Session::new(&params.expect("valid")));
        lock(&state.roots).set_folders(vec![root.to_owned()]);
        state
    }

    /// Requests the diagnostics of the workspace; returns them, and the number of files that were
    /// checked for the request.
    async fn pull(state: &Arc<State>, previous: &Value) -> (Vec<Value>, usize) {
        let params = json!({ "previousResultIds": previous });
        let before = state.files_checked.load(Ordering::SeqCst);
        let params = serde_json::from_value(params).expect("valid");
        let report = workspace_diagnostics(state, params).await;
        let report = serde_json::to_value(report).expect("JSON");
        let items = report["items"].as_array().expect("a list").clone();
        (items, state.files_checked.load(Ordering::SeqCst) - before)
    }

    /// Waits until a check proves by its stamp that a file is unchanged.
    async fn wait_for_stamps() {
        tokio::time::sleep(super::MIN_STAMP_AGE + Duration::from_millis(200)).await;
    }

    async fn check_out(watches: bool) {
        const FILES: usize = 1_100;
        const CHANGED: usize = 900;
        let folder = tempfile::tempdir().expect("a directory");
        let root = folder.path();
        fs::create_dir(root.join(".git")).expect("created");
        let path = |index: usize| root.join(format!("{index}.txt"));
        for index in 0..FILES {
            fs::write(path(index), "text\n").expect("written");
        }
        wait_for_stamps().await;
        let state = start(root, watches);
        let (items, checked) = pull(&state, &json!([])).await;
        assert_eq!((items.len(), checked), (0, FILES), "watches: {watches}");
        let secret = format!("token = gh{}_{}\n", "p", "Vq7RkX2mZt9LwBn4Yc6HsDf1Jg8PaKe3Uo5T");
        for index in 0..CHANGED {
            fs::write(path(index), if index == 7 { &secret } else { "other\n" }).expect("written");
        }
        if watches {
            let uri = |index| Uri::from_file_path(path(index)).expect("absolute");
            let changes: Vec<Value> =
                (0..CHANGED).map(|index| json!({ "uri": uri(index), "type": 2 })).collect();
            let params = json!({ "changes": changes });
            inbox::handle(&state, "workspace/didChangeWatchedFiles", params);
        }
        wait_for_stamps().await;
        let (items, checked) = pull(&state, &json!([])).await;
        assert_eq!((items.len(), checked), (1, CHANGED), "watches: {watches}");
        let known = json!([{ "uri": items[0]["uri"], "value": items[0]["resultId"] }]);
        let (items, checked) = pull(&state, &known).await;
        assert_eq!((items[0]["kind"].as_str(), checked), (Some("unchanged"), 0));
        fs::remove_file(path(7)).expect("removed");
        if watches {
            let uri = Uri::from_file_path(path(7)).expect("absolute");
            let params = json!({ "changes": [{ "uri": uri, "type": 3 }] });
            inbox::handle(&state, "workspace/didChangeWatchedFiles", params);
        }
        let (items, checked) = pull(&state, &known).await;
        assert_eq!((items[0]["items"].clone(), checked), (json!([]), 0), "watches: {watches}");
    }

    #[tokio::test]
    async fn a_reported_checkout_costs_the_changed_files_only() {
        check_out(true).await;
    }

    #[tokio::test]
    async fn an_unreported_checkout_costs_the_changed_files_only() {
        check_out(false).await;
    }

    #[tokio::test]
    async fn a_repeated_check_of_the_workspace_checks_the_changed_files() {
        let folder = tempfile::tempdir().expect("a directory");
        let root = folder.path();
        fs::create_dir(root.join(".git")).expect("created");
        let path = |index: usize| root.join(format!("{index}.txt"));
        let secret = format!("token = gh{}_{}\n", "p", "Vq7RkX2mZt9LwBn4Yc6HsDf1Jg8PaKe3Uo5T");
        for index in 0..40 {
            let text = if index < 2 { &*secret } else { "text\n" };
            fs::write(path(index), text).expect("written");
        }
        wait_for_stamps().await;
        for watches in [true, false] {
            let state = start(root, watches);
            let check = async || {
                let before = state.files_checked.load(Ordering::SeqCst);
                let count = check_all(&state).await;
                (count, state.files_checked.load(Ordering::SeqCst) - before)
            };
            let count = |findings| Some(Count { files: 40, findings });
            assert_eq!(check().await, (count(2), 40));
            assert_eq!(check().await, (count(2), 0));
            fs::write(path(2), &secret).expect("written");
            assert_eq!(check().await, (count(3), 1));
            fs::write(path(2), "text\n").expect("written");
            wait_for_stamps().await;
            assert_eq!(check().await, (count(2), 1));
        }
    }
}
