//! A small Git repository, created without the Git program.

use gix::actor::SignatureRef;
use gix::objs::tree::{Entry, EntryKind};
use gix::objs::{Commit, Tree};
use std::path::Path;

/// A repository at `root` with a linear history on `main`.
pub(crate) struct TestRepository(gix::Repository);

impl TestRepository {
    pub(crate) fn new(root: &Path) -> Self {
        Self(gix::init(root).expect("a repository"))
    }

    /// Commits files at a time in milliseconds since 1970; returns the hash.
    pub(crate) fn commit(&self, at: i64, message: &str, files: &[&str]) -> String {
        let entry = |name: &&str| Entry {
            mode: EntryKind::Blob.into(),
            filename: (*name).into(),
            oid: self.0.write_blob(name.as_bytes()).expect("a blob").detach(),
        };
        let mut entries: Vec<Entry> = files.iter().map(entry).collect();
        entries.sort();
        let tree = self.0.write_object(&Tree { entries }).expect("a tree").detach();
        let parents = self.0.head_id().map(gix::Id::detach).into_iter().collect();
        let time = format!("{} +0000", at.div_euclid(1000));
        let author = SignatureRef { name: "A".into(), email: "a@example.com".into(), time: &time };
        let author = author.to_owned().expect("a signature");
        let commit = Commit {
            tree,
            parents,
            committer: author.clone(),
            author,
            encoding: None,
            message: message.into(),
            extra_headers: Vec::new(),
        };
        let id = self.0.write_object(&commit).expect("a commit").detach();
        let head = self.0.head_name().expect("a head").expect("a branch");
        let folder = self.0.git_dir();
        let path = folder.join(head.as_bstr().to_string());
        std::fs::create_dir_all(path.parent().expect("a directory")).expect("made");
        std::fs::write(path, format!("{id}\n")).expect("written");
        id.to_string()
    }
}
