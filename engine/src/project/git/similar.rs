//! Detects renamed files whose contents changed. The similarity is defined as in Git: the bytes of
//! equal lines relative to the size of the longer file. Not every pair is compared, because that
//! takes quadratic time: a new file is compared with the few old files that share its rarest lines
//! or its name.

use gix::ObjectId;
use gix::bstr::{BStr, BString, ByteSlice};
use std::cmp::Reverse;
use std::collections::{HashMap, HashSet};
use std::hash::{DefaultHasher, Hash, Hasher};

/// The minimum similarity of a renamed file, as in Git by default.
const MIN_SIMILARITY: f64 = 0.5;
/// The maximum length in bytes of a line; longer lines are compared in chunks of this length, as in
/// Git.
const MAX_LINE_LEN: usize = 64;
/// Maximum size of a file that is compared by lines, in bytes.
const MAX_BYTES: u64 = 4 << 20;
/// Maximum total size of old files that are compared, in bytes.
const MAX_TOTAL: u64 = 256 << 20;
/// The maximum number of old files that a line can occur in; more frequent lines do not identify a
/// file.
const MAX_FILES_PER_LINE: usize = 16;
/// The maximum number of old files with which a new file is compared: once for files that share
/// lines, and once for each variant of its name.
const MAX_CANDIDATES: usize = 8;

/// A file that exists only in the base or only in the current files.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(super) struct Blob {
    pub(super) path: BString,
    pub(super) id: ObjectId,
}

/// Pairs of similar files: current path, path in the base. Files whose content is missing, as in a
/// partial clone, are not paired.
pub(super) fn similar_pairs(
    repository: &gix::Repository,
    added: &[Blob],
    removed: &[Blob],
) -> Vec<(BString, BString)> {
    if added.is_empty() || removed.is_empty() {
        return Vec::new();
    }
    let mut read = 0;
    let old = removed.iter().map(|blob| {
        let content = (read < MAX_TOTAL).then(|| content(repository, blob.id)).flatten()?;
        read += content.len() as u64;
        Some((blob.path.as_bstr(), Fingerprint::new(&content)))
    });
    let index = Index::new(old.collect());
    let mut scored = Vec::new();
    for (at, blob) in added.iter().enumerate() {
        let Some(content) = content(repository, blob.id) else { continue };
        let fingerprint = Fingerprint::new(&content);
        for old in index.candidates(blob.path.as_ref(), &fingerprint) {
            let Some((path, before)) = &index.files[old] else { continue };
            let score = fingerprint.similarity(before);
            if score >= MIN_SIMILARITY {
                let has_same_name = name(path) == name(blob.path.as_ref());
                scored.push((score, has_same_name, Reverse(at), Reverse(old)));
            }
        }
    }
    // The best pairs come first; each file is in at most one pair.
    scored.sort_by(|a, b| b.0.total_cmp(&a.0).then_with(|| (b.1, b.2, b.3).cmp(&(a.1, a.2, a.3))));
    let (mut paired_new, mut paired_old) = (HashSet::new(), HashSet::new());
    let mut pairs = Vec::new();
    for (_, _, Reverse(at), Reverse(old)) in scored {
        if !paired_new.contains(&at) && paired_old.insert(old) {
            paired_new.insert(at);
            pairs.push((added[at].path.clone(), removed[old].path.clone()));
        }
    }
    pairs
}

/// The content of an object, if it is available, not empty, and not too large.
fn content(repository: &gix::Repository, id: ObjectId) -> Option<Vec<u8>> {
    let size = repository.find_header(id).ok()?.size();
    let blob = (1..=MAX_BYTES).contains(&size).then(|| repository.find_blob(id).ok()).flatten()?;
    Some(blob.detach().data)
}

/// The fingerprint of a file: the hash of each distinct line with the total bytes of all equal
/// lines, and the size of the file.
struct Fingerprint {
    lines: Vec<(u64, u64)>,
    bytes: u64,
}

impl Fingerprint {
    fn new(content: &[u8]) -> Self {
        let parts = content.lines_with_terminator().flat_map(|line| line.chunks(MAX_LINE_LEN));
        let mut lines: Vec<(u64, u64)> =
            parts.map(|part| (hash(part), part.len() as u64)).collect();
        lines.sort_unstable();
        lines.dedup_by(|next, last| {
            let is_same_line = next.0 == last.0;
            if is_same_line {
                last.1 += next.1;
            }
            is_same_line
        });
        Self { lines, bytes: content.len() as u64 }
    }

    /// The similarity of two files: the share of the longer file that also occurs in the other
    /// file, from 0 to 1.
    fn similarity(&self, other: &Self) -> f64 {
        let (mut ours, mut theirs) = (self.lines.iter().peekable(), other.lines.iter().peekable());
        let mut equal = 0;
        while let (Some((a, bytes)), Some((b, other_bytes))) = (ours.peek(), theirs.peek()) {
            if a == b {
                equal += bytes.min(other_bytes);
            }
            let (advance_ours, advance_theirs) = (a <= b, b <= a);
            ours.next_if(|_| advance_ours);
            theirs.next_if(|_| advance_theirs);
        }
        let longer = self.bytes.max(other.bytes).max(1);
        equal as f64 / longer as f64
    }
}

fn hash(bytes: &[u8]) -> u64 {
    let mut hasher = DefaultHasher::new();
    // Line endings can differ between the work tree and the store.
    bytes.strip_suffix(b"\r\n").unwrap_or(bytes.trim_end_with(|c| c == '\n')).hash(&mut hasher);
    hasher.finish()
}

/// The old files, indexed by lines and names.
struct Index<'a> {
    files: Vec<Option<(&'a BStr, Fingerprint)>>,
    /// Line → the files that contain it, at most [`MAX_FILES_PER_LINE`] + 1.
    lines: HashMap<u64, Vec<usize>>,
    /// The last segment, or the last two segments, of a path → the first files whose path ends with
    /// these segments.
    names: HashMap<&'a BStr, Vec<usize>>,
}

impl<'a> Index<'a> {
    fn new(files: Vec<Option<(&'a BStr, Fingerprint)>>) -> Self {
        let mut lines: HashMap<u64, Vec<usize>> = HashMap::new();
        let mut names: HashMap<&BStr, Vec<usize>> = HashMap::new();
        for (at, (path, fingerprint)) in
            files.iter().enumerate().filter_map(|(at, file)| Some((at, file.as_ref()?)))
        {
            for (line, _) in &fingerprint.lines {
                let indexes = lines.entry(*line).or_default();
                if indexes.len() <= MAX_FILES_PER_LINE {
                    indexes.push(at);
                }
            }
            for name in [name(path), name_in_folder(path)] {
                let indexes = names.entry(name).or_default();
                if indexes.len() < MAX_CANDIDATES {
                    indexes.push(at);
                }
            }
        }
        Self { files, lines, names }
    }

    /// The old files that a new file can be a rename of, in order.
    fn candidates(&self, path: &BStr, fingerprint: &Fingerprint) -> Vec<usize> {
        let mut shared: HashMap<usize, u64> = HashMap::new();
        for (line, bytes) in &fingerprint.lines {
            for &at in self
                .lines
                .get(line)
                .filter(|indexes| indexes.len() <= MAX_FILES_PER_LINE)
                .into_iter()
                .flatten()
            {
                *shared.entry(at).or_default() += bytes;
            }
        }
        let mut by_lines: Vec<(Reverse<u64>, usize)> =
            shared.into_iter().map(|(at, bytes)| (Reverse(bytes), at)).collect();
        by_lines.sort_unstable();
        by_lines.truncate(MAX_CANDIDATES);
        let by_name = [name(path), name_in_folder(path)];
        let by_name = by_name.iter().filter_map(|name| self.names.get(name)).flatten().copied();
        let mut all: Vec<usize> = by_lines.into_iter().map(|(_, at)| at).chain(by_name).collect();
        all.sort_unstable();
        all.dedup();
        all
    }
}

fn name(path: &BStr) -> &BStr {
    path.rfind_byte(b'/').map_or(path, |at| path[at + 1..].as_bstr())
}

/// The name of the file with the name of its directory.
fn name_in_folder(path: &BStr) -> &BStr {
    let folder = path.rfind_byte(b'/').and_then(|at| path[..at].rfind_byte(b'/'));
    folder.map_or(path, |at| path[at + 1..].as_bstr())
}

#[cfg(test)]
mod tests {
    use super::*;

    fn fingerprint(text: &str) -> Fingerprint {
        Fingerprint::new(text.as_bytes())
    }

    #[test]
    fn equal_lines_make_files_similar() {
        let similarity = |a: &str, b: &str| fingerprint(a).similarity(&fingerprint(b));
        assert_eq!(similarity("a\nb\nc\nd\n", "d\nc\nb\na\n"), 1.0);
        assert_eq!(similarity("a\nb\nc\nd\n", "a\nb\nx\ny\n"), 0.5);
        assert_eq!(similarity("a\na\na\na\n", "a\n"), 0.25);
        assert_eq!(similarity("a\n", "b\n"), 0.0);
    }

    #[test]
    fn the_old_file_is_found_by_rare_lines_and_by_name() {
        let license = "same words in every file\n".repeat(3);
        let texts: Vec<String> = (0..40).map(|at| format!("{license}line of {at}\n")).collect();
        let paths: Vec<BString> =
            (0..40).map(|at| format!("old/{}/mod{at}.rs", at % 5).into()).collect();
        let files =
            paths.iter().zip(&texts).map(|(path, text)| Some((path.as_bstr(), fingerprint(text))));
        let index = Index::new(files.collect());
        let candidates = |path: &str, text: &str| index.candidates(path.into(), &fingerprint(text));
        assert_eq!(candidates("new/x.rs", &texts[33]), [33]);
        assert_eq!(candidates("new/mod7.rs", &license), [7]);
        assert_eq!(candidates("new/x.rs", &license), [0; 0]);
    }
}
