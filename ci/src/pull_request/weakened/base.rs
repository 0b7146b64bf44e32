//! The settings of the base of a change: files that Git tracks are read from the base commit, all
//! other files from the disk.
//!
//! Files that Git does not track are not part of the change: a workflow can fetch shared rules or
//! write a configuration. Such files apply to both sides, like command-line options.

use super::super::sides::{fetch_contents, settings_files};
use super::super::{Job, apply_options};
use super::Difference;
use aidd_engine::check::Engine;
use aidd_engine::project::config::Config;
use aidd_engine::project::git::{Entry, Snapshot};
use aidd_engine::text::attributes;
use aidd_engine::text::files::{Disk, Files};
use aidd_engine::text::kind::{
    CONFIG_PATH, MEMORY_DIR, PACK_DIR, RULE_DIRS, is_memory_path, is_pack_path, is_page_path,
};
use aidd_engine::workspace::baseline::Baseline;
use aidd_engine::workspace::walk::relative;
use aidd_engine::workspace::weakened::{Side, is_ignore_file};
use aidd_report::project::{self, Project};
use anyhow::Result;
use std::collections::BTreeSet;
use std::io;
use std::iter::once;
use std::path::{Path, PathBuf};

/// Maximum size of a configuration in bytes.
const MAX_CONFIG_SIZE: u64 = 8 << 20;

/// The settings of the base of a change.
pub(super) struct Base<'a> {
    pub(super) project: Project,
    pub(super) baseline: Option<Baseline>,
    pub(super) ignores: IgnoreFiles<'a>,
    /// The baseline of the head; `baseline_paths` are the paths of the old and the new baseline.
    head_baseline: Option<Baseline>,
    baseline_paths: [String; 2],
    config_path: String,
    config_texts: [String; 2],
    /// The ignore files of the head.
    head_ignores: &'a dyn Files,
    /// Whether an ignore file or `.gitattributes` changed.
    ignores_changed: bool,
}

/// The ignore files and the `.gitattributes` of the base.
pub(super) struct IgnoreFiles<'a> {
    before: &'a Snapshot,
    head: &'a Snapshot,
    disk: &'a Disk,
}

impl Files for IgnoreFiles<'_> {
    fn read(&self, path: &str, limit: u64) -> io::Result<Vec<u8>> {
        if is_tracked_on_either_side(self.before, self.head, path) {
            self.before.read(path, limit)
        } else {
            self.disk.read(path, limit)
        }
    }

    fn exists(&self, path: &str) -> bool {
        if is_tracked_on_either_side(self.before, self.head, path) {
            self.before.exists(path)
        } else {
            self.disk.exists(path)
        }
    }
}

/// Whether the file at `path` excludes files, or lowers the severity of their findings.
fn is_path_file(path: &str) -> bool {
    is_ignore_file(path) || path == attributes::PATH
}

/// Whether Git tracks `path` on either side, so that the change can affect the file at `path`. A
/// link or submodule in the path counts too, because the change can redirect it.
fn is_tracked_on_either_side(before: &Snapshot, head: &Snapshot, path: &str) -> bool {
    // If the snapshot cannot be read, treat the path as part of the change.
    let is_absent = |side: &Snapshot| side.entry(path).is_ok_and(|entry| entry == Entry::Absent);
    !(is_absent(head) && is_absent(before))
}

/// Whether the settings at `path` are outside of the snapshot: behind a link or in a submodule.
fn is_outside_snapshot(side: &Snapshot, path: &str) -> bool {
    side.entry(path).is_ok_and(|entry| entry == Entry::Other)
}

impl Job<'_> {
    /// Whether a change touches a file that contains settings. Settings outside of the snapshot
    /// count as touched, because the snapshot does not show whether they changed.
    pub(super) fn touches_settings(&self, difference: &Difference<'_>) -> bool {
        let baseline_option = self.args.baseline.baseline.as_deref();
        let named = [self.config_path(), self.project.baseline_path(baseline_option)];
        let named = named.map(|path| relative(self.project.root(), &path));
        let names = named.iter().map(String::as_str);
        let mut all = names.chain(RULE_DIRS).chain([PACK_DIR, MEMORY_DIR]);
        if all.any(|path| {
            [difference.before, difference.head].iter().any(|side| is_outside_snapshot(side, path))
        }) {
            return true;
        }
        let is_settings = |path: &String| {
            named.iter().any(|name| name.eq_ignore_ascii_case(path))
                || path.to_ascii_lowercase().starts_with(".aidd/")
                || is_page_path(path)
                || is_pack_path(path)
                || is_memory_path(path)
                || is_path_file(path)
        };
        let changed =
            difference.all.iter().flat_map(|change| [&change.head, &change.base]).flatten();
        changed.into_iter().any(is_settings)
    }

    /// The path of the configuration file.
    fn config_path(&self) -> PathBuf {
        match self.config {
            Some(path) => project::absolute(&self.cwd, path),
            None => self.project.root().join(CONFIG_PATH),
        }
    }

    /// The settings of the base, or the reason why they cannot be used.
    ///
    /// # Errors
    /// Fails when the settings cannot be fetched.
    pub(super) fn base_settings<'a>(
        &'a self,
        difference: &Difference<'a>,
    ) -> Result<Result<Base<'a>, String>> {
        let root = self.project.root();
        let named = [self.config_path(), self.project.baseline_path(None)];
        let named = named.into_iter().chain(self.args.baseline.baseline.clone());
        let files = settings_files(difference.before, named.map(|path| relative(root, &path)))?;
        fetch_contents(
            self.project.distribution(),
            root,
            files.iter().map(|path| (difference.before, path.as_str())),
        )?;
        Ok(self.read_base(difference))
    }

    fn read_base<'a>(&'a self, difference: &Difference<'a>) -> Result<Base<'a>, String> {
        let (before, head) = (difference.before, difference.head);
        let root = self.project.root();
        let (project, config_texts) = self.base_project(before, head)?;
        let baseline_option = self.args.baseline.baseline.as_deref();
        let [old, new] =
            [&project, &self.project].map(|project| project.baseline_path(baseline_option));
        let read = |project: &Project, path: &Path, is_required: bool| {
            if self.args.baseline.no_baseline {
                return Ok(None);
            }
            project.baseline(path, is_required).map_err(|error| error.to_string())
        };
        let head_baseline = read(&self.project, &new, baseline_option.is_some())?;
        let old_name = relative(root, &old);
        let baseline =
            if old.starts_with(root) && is_tracked_on_either_side(before, head, &old_name) {
                read(&project, &old, false)?
            } else {
                head_baseline.clone()
            };
        let mut changed =
            difference.all.iter().flat_map(|change| [&change.head, &change.base]).flatten();
        Ok(Base {
            project,
            baseline,
            head_baseline,
            baseline_paths: [old_name, relative(root, &new)],
            ignores: IgnoreFiles { before, head, disk: &self.project.disk },
            head_ignores: if difference.stored { head } else { &self.project.disk },
            ignores_changed: changed.any(|path| is_path_file(path)),
            config_path: relative(root, &self.config_path()),
            config_texts,
        })
    }

    /// The project with the configuration and rule pages of the base, and the texts of both
    /// configurations.
    fn base_project(
        &self,
        before: &Snapshot,
        head: &Snapshot,
    ) -> Result<(Project, [String; 2]), String> {
        let (root, disk) = (self.project.root(), &self.project.disk);
        let path = self.config_path();
        let name = relative(root, &path);
        let text = |files: &dyn Files| {
            let bytes = files.read(&name, MAX_CONFIG_SIZE).unwrap_or_default();
            String::from_utf8_lossy(&bytes).into_owned()
        };
        if let Some(path) = once(name.as_str())
            .chain(RULE_DIRS)
            .chain([PACK_DIR, MEMORY_DIR])
            .find(|path| is_outside_snapshot(before, path))
        {
            return Err(format!("`{path}` is a link or in a submodule"));
        }
        let current = text(disk);
        let (mut project, texts) =
            if path.starts_with(root) && is_tracked_on_either_side(before, head, &name) {
                let project = Project::open_trusting(
                    self.project.distribution(),
                    root,
                    before.clone(),
                    self.config.map(|_| &*path),
                );
                let mut project = project.map_err(|error| error.to_string())?;
                apply_options(self.args, &mut project, &self.cwd);
                (project, [text(before), current])
            } else {
                let config: Config = self.project.config.clone();
                let project = Project::at_revision(
                    self.project.distribution(),
                    root,
                    before.clone(),
                    config,
                    Some(path),
                );
                (project.map_err(|error| error.to_string())?, [current.clone(), current])
            };
        project.today = self.project.today;
        // Rule pages that Git does not track apply to both sides.
        let pages = self.project.pages.iter();
        project.pages.extend(
            pages.filter(|(path, _)| !is_tracked_on_either_side(before, head, path)).cloned(),
        );
        Ok((project, texts))
    }
}

impl Base<'_> {
    /// The settings of both sides, for comparison.
    pub(super) fn sides<'s>(
        &'s self,
        (base, head): (&'s Engine, &'s Engine),
        job: &'s Job<'_>,
    ) -> (Side<'s>, Side<'s>) {
        let [old, new] = &self.baseline_paths;
        let [old_text, new_text] = &self.config_texts;
        let named_baseline = |path: &'s String, baseline: &'s Option<Baseline>| {
            baseline.as_ref().map(|baseline| (path.as_str(), baseline))
        };
        let old = Side {
            engine: base,
            config: &self.project.config,
            config_path: &self.config_path,
            config_text: old_text,
            baseline: named_baseline(old, &self.baseline),
            ignores: self.ignores_changed.then_some(&self.ignores),
        };
        let new = Side {
            engine: head,
            config: &job.project.config,
            config_text: new_text,
            baseline: named_baseline(new, &self.head_baseline),
            ignores: self.ignores_changed.then_some(self.head_ignores),
            ..old
        };
        (old, new)
    }

    /// Whether the settings of the two sides can lead to different findings.
    pub(super) fn differs(&self, job: &Job<'_>) -> bool {
        let pages = |project: &Project| project.pages.iter().cloned().collect::<BTreeSet<_>>();
        self.ignores_changed
            || self.project.config != job.project.config
            || self.baseline != self.head_baseline
            || pages(&self.project) != pages(&job.project)
    }
}
