//! The tracked files and their names in the store.

/// The files from which memory is read: name in the store, path relative to the root. aidd writes
/// only to the first three; the others have older formats.
pub(super) const SOURCES: [(&str, &str); 9] = [
    ("decisions", "ai/memory/decisions.jsonl"),
    ("mistakes", "ai/memory/mistakes.jsonl"),
    ("conventions", "ai/memory/conventions.jsonl"),
    ("decisions.json", "ai/memory/decisions.json"),
    ("mistakes.json", "ai/memory/mistakes.json"),
    ("conventions.json", "ai/memory/conventions.json"),
    ("aidd-decisions.json", ".aidd/memory/decisions.json"),
    ("aidd-mistakes.json", ".aidd/memory/mistakes.json"),
    ("aidd-conventions.json", ".aidd/memory/conventions.json"),
];

/// The files of projects with the memory directory `memory`: see
/// [`aidd_engine::text::kind::memory_dir`].
pub(super) const PLAIN_SOURCES: [(&str, &str); 9] = [
    ("decisions", "memory/decisions.jsonl"),
    ("mistakes", "memory/mistakes.jsonl"),
    ("conventions", "memory/conventions.jsonl"),
    ("decisions.json", "memory/decisions.json"),
    ("mistakes.json", "memory/mistakes.json"),
    ("conventions.json", "memory/conventions.json"),
    SOURCES[6],
    SOURCES[7],
    SOURCES[8],
];

/// Whether `name` is the name of a source.
#[must_use]
pub fn is_source(name: &str) -> bool {
    SOURCES.iter().any(|(own, _)| *own == name)
}

/// Whether aidd writes to the source with this name.
#[must_use]
pub fn is_written(name: &str) -> bool {
    SOURCES[..3].iter().any(|(own, _)| *own == name)
}
