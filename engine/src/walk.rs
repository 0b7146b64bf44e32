//! Whole trees: which files there are, read and checked in parallel, in the same order every time.
#![expect(clippy::disallowed_methods, reason = "this is where trees are read")]

use crate::check::{Checked, Engine, Occurrences};
use crate::config::Config;
use crate::files::{Disk, Files};
use crate::kind::Kind;
use crate::paths::Globs;
pub use crate::paths::relative;
use crate::source::{Columns, Origin, Source};
use crate::validators;
use ignore::{DirEntry, WalkBuilder, WalkState};
use std::collections::{BTreeSet, HashSet};
use std::fs::File;
use std::io::{self, Read};
use std::num::NonZero;
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Mutex, PoisonError};

/// How much of a file too large to parse is searched for secrets at a time, in bytes.
const WINDOW: usize = 4 << 20;
/// How much of a window the next one repeats, so that no secret is cut in two.
const OVERLAP: usize = 64 << 10;
/// Most threads that one run starts.
const MOST_JOBS: usize = 256;
/// How many leading bytes tell whether a file is text.
const BINARY_LOOK: usize = 8 << 10;

/// Which files to check, and how.
#[derive(Clone, Debug)]
pub struct Walk {
    /// Files and folders to check, as the user gave them; they lie below the root.
    pub paths: Vec<PathBuf>,
    /// Threads; 0: one a processor; at most 256.
    pub jobs: usize,
    /// Do not read ignore files.
    pub no_ignore: bool,
    /// Leave out files and folders whose name begins with a dot.
    pub no_hidden: bool,
    /// Check these files only, by their paths from the root, where the walk meets them.
    pub only: Option<BTreeSet<String>>,
}

impl Walk {
    /// A walk over `paths` that reads what is not ignored.
    #[must_use]
    pub fn over(paths: Vec<PathBuf>) -> Self {
        Self { paths, jobs: 0, no_ignore: false, no_hidden: false, only: None }
    }
}

/// A checked file with findings, or a window of one.
#[derive(Debug)]
pub struct FileReport {
    /// Its text.
    pub source: Source,
    /// Its findings.
    pub checked: Checked,
}

/// A file that was not, or not wholly, checked.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct Skipped {
    /// Its path.
    pub path: String,
    /// Why.
    pub why: String,
    /// Whether it should have been checked: it could not be read.
    pub failed: bool,
}

/// What a run over a tree gave.
#[derive(Debug, Default)]
pub struct Outcome {
    /// The files with findings, by path, then place.
    pub files: Vec<FileReport>,
    /// How many files were checked.
    pub checked: usize,
    /// How many bytes they have.
    pub bytes: u64,
    /// What was not, or not wholly, checked, by path.
    pub skipped: Vec<Skipped>,
    /// The files that no ignore file and no glob left out, read or not.
    pub met: BTreeSet<String>,
}

/// Checks the files of a tree. `done` is told of each file, from any thread.
///
/// # Errors
/// When a glob of the configuration is malformed.
pub fn check_tree(
    engine: &Engine,
    config: &Config,
    disk: &Disk,
    walk: &Walk,
    done: &(dyn Fn() + Sync),
) -> Result<Outcome, String> {
    let globs = globs(config)?;
    let total = Mutex::new(Outcome::default());
    let Some(mut builder) = builder(walk) else { return Ok(Outcome::default()) };
    let (root, filter) = (disk.root().to_owned(), globs.clone());
    let seen = (walk.paths.len() > 1).then(Mutex::default);
    let only = walk.only.as_ref().map(with_folders);
    builder.filter_entry(move |entry| {
        enters(entry, &root, &filter)
            && only.as_ref().is_none_or(|only| only.contains(&relative(&root, entry.path())))
    });
    builder.build_parallel().run(|| {
        let mut job = Job {
            engine,
            files: disk,
            root: disk.root(),
            globs: &globs,
            seen: seen.as_ref(),
            total: &total,
            outcome: Outcome::default(),
        };
        Box::new(move |entry| {
            match entry {
                Ok(entry) => job.entry(&entry, done),
                Err(error) => job.error(&error),
            }
            WalkState::Continue
        })
    });
    Ok(sorted(total))
}

/// Checks the files at `paths` of a store, as [`check_tree`] would. Which of them the ignore files
/// leave out is not asked: see [`crate::ignored`].
///
/// # Errors
/// When a glob of the configuration is malformed.
pub fn check_files(
    engine: &Engine,
    config: &Config,
    files: &dyn Files,
    paths: &[String],
    jobs: usize,
) -> Result<Outcome, String> {
    let globs = globs(config)?;
    let total = Mutex::new(Outcome::default());
    let next = AtomicUsize::new(0);
    let processors = std::thread::available_parallelism().map_or(1, NonZero::get);
    let jobs = if jobs == 0 { processors } else { jobs }.min(MOST_JOBS).min(paths.len());
    std::thread::scope(|scope| {
        for _ in 0..jobs {
            scope.spawn(|| {
                let mut job = Job {
                    engine,
                    files,
                    root: Path::new(""),
                    globs: &globs,
                    seen: None,
                    total: &total,
                    outcome: Outcome::default(),
                };
                while let Some(path) = paths.get(next.fetch_add(1, Ordering::Relaxed)) {
                    job.stored(path);
                }
            });
        }
    });
    Ok(sorted(total))
}

fn globs(config: &Config) -> Result<Globs, String> {
    let none = Vec::new();
    Globs::new(config.include.as_ref().unwrap_or(&none), config.exclude.as_ref().unwrap_or(&none))
}

fn sorted(total: Mutex<Outcome>) -> Outcome {
    let mut outcome = total.into_inner().unwrap_or_else(PoisonError::into_inner);
    outcome.files.sort_by(|a, b| {
        (a.source.path(), a.source.origin()).cmp(&(b.source.path(), b.source.origin()))
    });
    outcome.skipped.sort();
    outcome
}

/// The paths, all folders on the way to them, and the root itself.
fn with_folders(paths: &BTreeSet<String>) -> HashSet<String> {
    let mut all: HashSet<String> = [String::new()].into();
    for path in paths {
        let ends = path.match_indices('/').map(|(end, _)| end).chain([path.len()]);
        all.extend(ends.map(|end| path[..end].to_owned()));
    }
    all
}

fn builder(walk: &Walk) -> Option<WalkBuilder> {
    let mut paths = walk.paths.iter();
    let mut builder = WalkBuilder::new(paths.next()?);
    for path in paths {
        builder.add(path);
    }
    builder
        .hidden(walk.no_hidden)
        .follow_links(false)
        .threads(walk.jobs.min(MOST_JOBS))
        .ignore(!walk.no_ignore)
        .git_ignore(!walk.no_ignore)
        .git_global(!walk.no_ignore)
        .git_exclude(!walk.no_ignore)
        .parents(!walk.no_ignore);
    if !walk.no_ignore {
        builder.add_custom_ignore_filename(".aiddignore");
    }
    Some(builder)
}

/// Whether the walk goes into a folder. What the user named is always entered.
fn enters(entry: &DirEntry, root: &Path, globs: &Globs) -> bool {
    const STORES: [&str; 4] = [".git", ".hg", ".svn", ".jj"];
    if entry.depth() == 0 || !entry.file_type().is_some_and(|kind| kind.is_dir()) {
        return true;
    }
    let name = entry.file_name().to_string_lossy();
    !STORES.contains(&&*name) && !globs.excludes(&format!("{}/", relative(root, entry.path())))
}

/// What one thread has gathered; handed in when the thread ends.
struct Job<'a> {
    engine: &'a Engine,
    files: &'a dyn Files,
    root: &'a Path,
    globs: &'a Globs,
    /// Files met so far, where the paths to check may overlap.
    seen: Option<&'a Mutex<HashSet<PathBuf>>>,
    total: &'a Mutex<Outcome>,
    outcome: Outcome,
}

impl Drop for Job<'_> {
    fn drop(&mut self) {
        let mut total = self.total.lock().unwrap_or_else(PoisonError::into_inner);
        let mine = std::mem::take(&mut self.outcome);
        total.files.extend(mine.files);
        total.skipped.extend(mine.skipped);
        total.checked += mine.checked;
        total.bytes += mine.bytes;
        total.met.extend(mine.met);
    }
}

impl Job<'_> {
    fn entry(&mut self, entry: &DirEntry, done: &(dyn Fn() + Sync)) {
        // A link the user named is followed, one met on the way is not.
        let is_file = entry.file_type().is_some_and(|kind| kind.is_file())
            || entry.depth() == 0 && entry.path().is_file();
        let path = relative(self.root, entry.path());
        if !is_file || entry.depth() > 0 && !self.globs.matches(&path) {
            return;
        }
        if let Some(seen) = self.seen
            && !seen.lock().unwrap_or_else(PoisonError::into_inner).insert(entry.path().to_owned())
        {
            return;
        }
        self.outcome.met.insert(path.clone());
        if let Err(error) = self.file(entry.path(), &path) {
            self.skip(path, format!("cannot be read: {error}"), true);
        }
        done();
    }

    fn error(&mut self, error: &ignore::Error) {
        let (path, why) = match error {
            ignore::Error::WithPath { path, err } => (relative(self.root, path), &**err),
            _ => (String::from("."), error),
        };
        self.skip(path, format!("cannot be read: {why}"), true);
    }

    fn skip(&mut self, path: String, why: String, failed: bool) {
        self.outcome.skipped.push(Skipped { path, why, failed });
    }

    /// A file that lies on no disk.
    fn stored(&mut self, path: &str) {
        if !self.globs.matches(path) {
            return;
        }
        self.outcome.met.insert(path.to_owned());
        let read = self.files.read(path, u64::MAX);
        let size = read.as_ref().map_or(0, |bytes| bytes.len() as u64);
        if let Err(error) = read.and_then(|bytes| self.text(&mut bytes.as_slice(), path, size)) {
            self.skip(path.to_owned(), format!("cannot be read: {error}"), true);
        }
    }

    fn file(&mut self, place: &Path, path: &str) -> io::Result<()> {
        let mut file = File::open(place)?;
        let size = file.metadata()?.len();
        self.text(&mut file, path, size)
    }

    fn text(&mut self, file: &mut dyn Read, path: &str, size: u64) -> io::Result<()> {
        self.outcome.checked += 1;
        self.outcome.bytes += size;
        let limit = self.engine.max_file_size();
        if size > limit {
            return self.large(file, path, size);
        }
        let mut bytes = Vec::with_capacity(usize::try_from(size).unwrap_or(0) + 1);
        (&mut *file).take(limit + 1).read_to_end(&mut bytes)?;
        let read = bytes.len() as u64;
        if read > limit {
            // It grows, or its size is not what it says, as with files that are a kernel's.
            return self.large(&mut bytes.as_slice().chain(file), path, read);
        }
        let binary = is_binary(&bytes);
        if binary && !validators::kinds(path, "").contains(&Kind::Credentials) {
            return Ok(());
        }
        let source = Source::decode(path, bytes);
        let checked = if binary {
            self.engine.check_secrets(&source, self.files)
        } else {
            self.engine.check(&source, self.files)
        };
        self.keep(source, checked);
        Ok(())
    }

    /// A file too large to parse: searched for secrets, window by window.
    fn large(&mut self, file: &mut dyn Read, path: &str, size: u64) -> io::Result<()> {
        let parsed = !validators::kinds(path, "").is_empty();
        if parsed {
            let limit = self.engine.max_file_size();
            self.skip(
                path.to_owned(),
                format!(
                    "{size} bytes are more than `maxFileSize` ({limit}): only searched for secrets"
                ),
                false,
            );
        }
        let mut origin = Origin::default();
        let mut window: Vec<u8> = Vec::new();
        let mut known = 0;
        let mut seen = Occurrences::default();
        loop {
            let wanted = (WINDOW - window.len().min(WINDOW)) as u64;
            let read = (&mut *file).take(wanted).read_to_end(&mut window)? as u64;
            if origin.offset == 0 && is_binary(&window) {
                return Ok(());
            }
            let source = Source::decode_window(path.to_owned(), window.clone(), origin);
            let checked = self.engine.check_window(&source, self.files, known, &mut seen);
            self.keep(source, checked);
            if read < wanted {
                return Ok(());
            }
            let cut = cut(&window);
            origin = after(origin, &window[..cut]);
            known = u32::try_from(window.len() - cut).unwrap_or(u32::MAX);
            window.drain(..cut);
        }
    }

    fn keep(&mut self, source: Source, checked: Checked) {
        if !checked.findings.is_empty() {
            self.outcome.files.push(FileReport { source, checked });
        }
    }
}

/// Where the next window begins: at the start of a line near the overlap, if there is one.
fn cut(window: &[u8]) -> usize {
    let at = window.len().saturating_sub(OVERLAP);
    memchr::memrchr(b'\n', &window[at / 2..at]).map_or(at, |found| at / 2 + found + 1)
}

/// Where a window begins that follows on `bytes`, which began at `origin`.
fn after(origin: Origin, bytes: &[u8]) -> Origin {
    let lines = memchr::memchr_iter(b'\n', bytes).count();
    let start = memchr::memrchr(b'\n', bytes).map_or(0, |at| at + 1);
    let mut before = Columns::of(&String::from_utf8_lossy(&bytes[start..]));
    if lines == 0 {
        before = before.plus(origin.before);
    }
    let line = origin.line.saturating_add(u32::try_from(lines).unwrap_or(u32::MAX));
    Origin { offset: origin.offset + bytes.len() as u64, line, before }
}

/// Whether the bytes are not text: a NUL near the start, and no UTF-16 byte order mark.
#[must_use]
pub fn is_binary(bytes: &[u8]) -> bool {
    let start = &bytes[..bytes.len().min(BINARY_LOOK)];
    !matches!(start, [0xFF, 0xFE, ..] | [0xFE, 0xFF, ..]) && memchr::memchr(0, start).is_some()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::check::Selection;
    use crate::registry::Registry;
    use std::fs;

    fn engine() -> Engine {
        Engine::new(Registry::new(&[]), &Config::default(), &Selection::default())
            .expect("shipped rules")
    }

    fn run(root: &Path, jobs: usize, no_ignore: bool) -> Outcome {
        let walk = Walk { jobs, no_ignore, ..Walk::over(vec![root.to_owned()]) };
        check_tree(&engine(), &Config::default(), &Disk::new(root), &walk, &|| ())
            .expect("no globs")
    }

    /// A token that is one only once this text has been put together.
    fn token() -> String {
        format!("gh{}_{}", "p", "Vq7RkX2mZt9LwBn4Yc6HsDf1Jg8PaKe3Uo5T")
    }

    fn places(outcome: &Outcome) -> Vec<(String, u64)> {
        let place = |file: &FileReport| {
            let path = file.source.path().to_owned();
            let origin = file.source.origin().offset;
            file.checked
                .findings
                .iter()
                .map(move |finding| (path.clone(), origin + u64::from(finding.span.start)))
                .collect::<Vec<_>>()
        };
        outcome.files.iter().flat_map(place).collect()
    }

    #[test]
    fn the_order_does_not_depend_on_threads_and_ignored_files_are_left_out() {
        let folder = tempfile::tempdir().expect("a folder");
        let root = folder.path();
        fs::create_dir_all(root.join(".git")).expect("made");
        fs::write(root.join(".gitignore"), "ignored\n").expect("written");
        for name in ["b", "a", ".env", "c/d", "ignored"] {
            let path = root.join(name);
            fs::create_dir_all(path.parent().expect("below")).expect("made");
            fs::write(path, format!("token = {}\n", token())).expect("written");
        }
        let one = places(&run(root, 1, false));
        assert_eq!(
            one.iter().map(|(path, _)| path.as_str()).collect::<Vec<_>>(),
            [".env", "a", "b", "c/d"]
        );
        assert_eq!(one, places(&run(root, 8, false)));
        assert_eq!(places(&run(root, 2, true)).len(), 5);
    }

    #[test]
    fn a_secret_far_into_a_large_file_is_found_at_its_place() {
        let folder = tempfile::tempdir().expect("a folder");
        let line = "nothing to see here, only words and words and words\n";
        let mut text = line.repeat((WINDOW - 100) / line.len());
        // Over the end of the first window, once more far behind it, and at the very end.
        let mut wanted = Vec::new();
        for gap in [0, 3 * WINDOW, WINDOW / 2] {
            text.push_str(&line.repeat(gap / line.len()));
            wanted.push(text.len() as u64 + 8);
            text.push_str(&format!("token = {}\n", token()));
        }
        fs::write(folder.path().join("dump.log"), &text).expect("written");
        let outcome = run(folder.path(), 1, false);
        let found: Vec<u64> = places(&outcome).into_iter().map(|(_, offset)| offset).collect();
        assert_eq!(found, wanted);
        let last = outcome.files.last().expect("a window");
        let finding = last.checked.findings.last().expect("a finding");
        let at = last.source.position(finding.span.start, crate::source::Encoding::CodePoints);
        assert_eq!(
            at.line as usize + 1,
            text[..usize::try_from(wanted[2]).expect("small")].lines().count()
        );
    }

    #[test]
    fn odd_files_are_survived() {
        let folder = tempfile::tempdir().expect("a folder");
        let root = folder.path();
        fs::write(root.join("empty"), "").expect("written");
        fs::write(root.join("picture.png"), b"\x89PNG\0\0\0").expect("written");
        fs::write(root.join("latin1.txt"), b"caf\xE9 \xFF\n").expect("written");
        fs::write(root.join("Dockerfile"), b"FROM caf\xE9:1\n").expect("written");
        #[cfg(unix)]
        {
            use std::os::unix::ffi::OsStrExt;
            std::os::unix::fs::symlink(root, root.join("loop")).expect("linked");
            fs::write(
                root.join(std::ffi::OsStr::from_bytes(b"na\xFFme")),
                format!("x = {}", token()),
            )
            .expect("written");
        }
        let outcome = run(root, 2, false);
        assert!(outcome.checked >= 4);
        assert_eq!(outcome.skipped, []);
        #[cfg(unix)]
        assert_eq!(places(&outcome).len(), 1);
    }
}
