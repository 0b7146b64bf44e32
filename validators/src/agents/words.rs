//! Words that mark a path or a name in instructions as an example, and words that say that a file is
//! still to be created.

use std::sync::LazyLock;

const TABLE: &str = include_str!("words.txt");

/// The words of the section with this name.
fn section(name: &str) -> Vec<&'static str> {
    let mut lines =
        TABLE.lines().skip_while(|line| line.strip_prefix('[') != Some(&format!("{name}]")));
    lines.next();
    let lines = lines.take_while(|line| !line.starts_with('['));
    let lines = lines.filter(|line| !line.is_empty() && !line.starts_with('#'));
    lines.map(|line| line.trim_matches('"')).collect()
}

/// Words in a line that creates or copies the named file, or that names it as an example.
pub(super) static CREATING: LazyLock<Vec<&str>> = LazyLock::new(|| section("creating"));
/// Words of a paragraph which says that the file that is imported below may not exist.
pub(super) static OPTIONAL: LazyLock<Vec<&str>> = LazyLock::new(|| section("optional imports"));
/// Names of files that occur in many directories.
pub(super) static COMMON_NAMES: LazyLock<Vec<&str>> = LazyLock::new(|| section("common files"));
/// Files of a home directory.
pub(super) static HOME_FILES: LazyLock<Vec<&str>> = LazyLock::new(|| section("home files"));
/// Words in names of directories whose projects readers copy.
pub(super) static SAMPLE_DIRS: LazyLock<Vec<&str>> =
    LazyLock::new(|| section("sample directories"));
/// Directories whose Markdown is for agents.
pub(super) static AGENT_DIRS: LazyLock<Vec<&str>> = LazyLock::new(|| section("agent directories"));
/// Words in names of directories with earlier versions.
pub(super) static BACKUP_DIRS: LazyLock<Vec<&str>> =
    LazyLock::new(|| section("backup directories"));
/// Names of directories with what is no longer in use.
pub(super) static ARCHIVED_DIRS: LazyLock<Vec<&str>> =
    LazyLock::new(|| section("archived directories"));
/// Words in files that kits write into the directories of clients.
pub(super) static KITS: LazyLock<Vec<&str>> = LazyLock::new(|| section("kits"));
/// Parts of paths whose files kits write, the same in every project.
pub(super) static KIT_PATHS: LazyLock<Vec<&str>> = LazyLock::new(|| section("kit paths"));
/// Words of a comment which says that a program or another repository writes the file.
pub(super) static WRITTEN: LazyLock<Vec<&str>> = LazyLock::new(|| section("written"));
/// Sentences which say the same of the file outside of comments.
pub(super) static WRITTEN_HERE: LazyLock<Vec<&str>> =
    LazyLock::new(|| section("written, in sentences"));
/// Words with which a text says that it is not an agent which is started by its name.
pub(super) static NOT_AGENTS: LazyLock<Vec<&str>> = LazyLock::new(|| section("not agents"));
/// Words of a line which says not to start an agent.
pub(super) static NOT_STARTED: LazyLock<Vec<&str>> = LazyLock::new(|| section("not started"));
/// Words in names of directories whose files are copied to other projects.
pub(super) static COPIED_DIRS: LazyLock<Vec<&str>> =
    LazyLock::new(|| section("copied directories"));
/// Words in names of directories below the root whose files are copied to other projects.
pub(super) static COPIED_ROOTS: LazyLock<Vec<&str>> =
    LazyLock::new(|| section("copied directories below the root"));
/// Words in names of directories with records of how skills performed.
pub(super) static RECORD_DIRS: LazyLock<Vec<&str>> =
    LazyLock::new(|| section("record directories"));
/// Words in a line whose commands depend on the project.
pub(super) static HEDGES: LazyLock<Vec<&str>> = LazyLock::new(|| section("hedges"));
/// Words that negate a statement, refer to the past or state a condition.
pub(super) static NEGATIONS: LazyLock<Vec<&str>> = LazyLock::new(|| section("negations"));
/// Words of a sentence about a path that no longer exists or does not exist yet.
pub(super) static PAST_AND_FUTURE: LazyLock<Vec<&str>> =
    LazyLock::new(|| section("past and future"));
/// Words near a link or a command that does not exist yet.
pub(super) static PLANNED: LazyLock<Vec<&str>> = LazyLock::new(|| section("planned"));
/// Verbs of an instruction that writes to the file of a link.
pub(super) static WRITING: LazyLock<Vec<&str>> = LazyLock::new(|| section("writing"));
/// Names of directories whose files come and go with the work on the project.
pub(super) static WORKING_DIRS: LazyLock<Vec<&str>> =
    LazyLock::new(|| section("working directories"));
/// Words with which a sentence says when or where it applies.
pub(super) static CONDITIONS: LazyLock<Vec<&str>> = LazyLock::new(|| section("conditions"));
/// Words of headings that concern the whole project.
pub(super) static GENERAL_HEADINGS: LazyLock<Vec<&str>> =
    LazyLock::new(|| section("general headings"));
static PATH_PARTS: LazyLock<Vec<&str>> = LazyLock::new(|| section("example paths"));
static FILES: LazyLock<Vec<&str>> = LazyLock::new(|| section("example files"));
static NAMES: LazyLock<Vec<&str>> = LazyLock::new(|| section("example names"));

/// Whether a path is an example.
pub(super) fn is_placeholder_path(path: &str) -> bool {
    let lower = path.to_ascii_lowercase();
    let name = lower.strip_prefix("./").unwrap_or(&lower);
    lower.contains("path/to")
        || lower.split(['/', '.']).any(|part| PATH_PARTS.contains(&part))
        || lower.split(['/', '.', '-', '_']).any(is_filler)
        || name.strip_suffix(".md").is_some_and(|stem| FILES.contains(&stem))
}

/// Whether a word is a placeholder for digits or letters: `NNNN-title.md`.
fn is_filler(word: &str) -> bool {
    let first = word.chars().next().filter(|c| matches!(c, 'n' | 'x' | 'y'));
    word.len() > 2 && first.is_some_and(|first| word.chars().all(|c| c == first))
}

/// Whether the name of a task, package or program is an example.
pub(super) fn is_placeholder_name(name: &str) -> bool {
    ["my-", "my_", "some-", "some_", "your-", "your_"].iter().any(|start| name.starts_with(start))
        || name.ends_with("-name")
        || name.ends_with("_name")
        || NAMES.contains(&name)
        || name.chars().all(|c| c.is_ascii_uppercase() || c == '_')
        || name.ends_with(':')
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_section_has_words() {
        let long = [&CREATING, &COMMON_NAMES, &PATH_PARTS, &NAMES, &HOME_FILES, &SAMPLE_DIRS];
        for words in long.into_iter().chain([
            &AGENT_DIRS,
            &COPIED_ROOTS,
            &HEDGES,
            &RECORD_DIRS,
            &NEGATIONS,
            &PAST_AND_FUTURE,
            &PLANNED,
            &WRITING,
            &WORKING_DIRS,
            &CONDITIONS,
            &GENERAL_HEADINGS,
            &OPTIONAL,
            &KIT_PATHS,
            &WRITTEN,
            &WRITTEN_HERE,
        ]) {
            assert!(words.len() > 5, "{words:?}");
        }
        let short = [&ARCHIVED_DIRS, &BACKUP_DIRS, &COPIED_DIRS, &KITS, &NOT_AGENTS, &NOT_STARTED];
        for words in short {
            assert!(words.len() > 2, "{words:?}");
        }
        assert!(NEGATIONS.contains(&"was ") && PAST_AND_FUTURE.contains(&"will be "));
        assert!(is_placeholder_path("docs/foo/a.md") && is_placeholder_name("TARGET"));
        assert!(is_placeholder_name("my_crate") && is_placeholder_name("package_name"));
        assert!(is_placeholder_path("docs/NNNN-title.md") && is_placeholder_path("./file.md"));
        assert!(!is_placeholder_path("docs/file.md") && !is_placeholder_path("a/nn-b.md"));
        assert!(!is_placeholder_path("docs/food.md") && !is_placeholder_name("build"));
    }
}
