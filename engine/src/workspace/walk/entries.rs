//! Checks the listed entries of a whole project on several threads.

use super::full_listing::Entries;
use super::job::{Job, add_unread_ignore_files};
use super::scope::Scope;
use super::{MAX_JOBS, Outcome, Walk, is_set, sorted};
use crate::check::Engine;
use crate::text::files::{Disk, Files, ForRun};
use crate::text::paths::Globs;
use std::num::NonZero;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Arc, Mutex};
use std::thread::Builder;

/// Stack size of a thread that checks files, in bytes. It is reserved, not used: with a smaller
/// stack, the parsers of deeply nested languages would allocate a stack of their own for each file.
const STACK_SIZE: usize = 132 << 20;

/// Checks the entries of a project that a walk covers completely.
pub(super) fn check_entries(
    engine: &Engine,
    globs: &Globs,
    (disk, files): (&Disk, &dyn Files),
    (walk, scope): (&Walk, &Arc<Scope>),
    entries: Entries,
    done: &(dyn Fn() + Sync),
) -> Outcome {
    let total = Mutex::new(Outcome::default());
    let files = &ForRun::new(files);
    let job = || Job {
        engine,
        files,
        root: disk.root(),
        globs,
        scope: Some(scope),
        part: None,
        seen: None,
        total: &total,
        outcome: Outcome::default(),
    };
    job().report_unread(entries.irregular, entries.unreadable);
    in_parallel(walk.jobs, entries.checked.len(), &|indexes| {
        let mut job = job();
        for index in indexes {
            if is_set(walk.stop()) {
                break;
            }
            if let Some((path, location)) = entries.checked.get(index) {
                job.check_entry(disk, path, location.as_deref());
                done();
            }
        }
    });
    completed(sorted(total), walk, scope)
}

/// Runs `work` on several threads, at most one per item; each receives the indexes of its items.
pub(super) fn in_parallel(
    jobs: usize,
    items: usize,
    work: &(dyn Fn(&mut dyn Iterator<Item = usize>) + Sync),
) {
    let processors = std::thread::available_parallelism().map_or(1, NonZero::get);
    let jobs = if jobs == 0 { processors } else { jobs }.min(MAX_JOBS).min(items);
    let next = AtomicUsize::new(0);
    let indexes = || {
        let next = || Some(next.fetch_add(1, Ordering::Relaxed)).filter(|index| *index < items);
        std::iter::from_fn(next)
    };
    std::thread::scope(|scope| {
        for _ in 0..jobs {
            let run = || work(&mut indexes());
            // The limits of the system can forbid a large reservation.
            if Builder::new().stack_size(STACK_SIZE).spawn_scoped(scope, run).is_err() {
                scope.spawn(run);
            }
        }
    });
}

/// The outcome of a walk with what the scope has recorded.
pub(super) fn completed(mut outcome: Outcome, walk: &Walk, scope: &Scope) -> Outcome {
    if walk.only.is_none() && !is_set(walk.stop()) {
        outcome.excluded = scope.excluded_counts();
    }
    add_unread_ignore_files(&mut outcome, scope.problems());
    outcome.skipped.sort();
    outcome
}
