//! Finds the default branch to compare with.

use crate::error::RunError;
use aidd_engine::project::git::Repository;

/// The name and newest commit of the default branch, as recorded in the local clone. `commit_of`
/// returns the commit of a reference, `default` the default branch name of new repositories.
#[must_use]
pub fn recorded_default_branch(
    commit_of: &dyn Fn(&str) -> Option<String>,
    default: &dyn Fn() -> Option<String>,
) -> Option<(String, String)> {
    let tip_of = |namespace: &str, name: &str| commit_of(&format!("refs/{namespace}/{name}"));
    let first = |namespace: &str, names: &[&str]| {
        names.iter().find_map(|name| Some(((*name).to_owned(), tip_of(namespace, name)?)))
    };
    first("remotes", &["origin/HEAD", "origin/main", "origin/master"])
        .or_else(|| {
            let name = default().filter(|name| is_ref_name(name))?;
            let tip = tip_of("heads", &name)?;
            Some((name, tip))
        })
        .or_else(|| first("heads", &["main", "master"]))
}

/// The name of the branch to compare with, according to the clone and the repository's own
/// settings: nothing is fetched, and no program is run.
///
/// # Errors
/// Fails when the clone has no such branch: any other comparison would hide the changes of the
/// current branch.
pub fn main_branch(repository: &Repository) -> Result<String, RunError> {
    let commit_of = |rev: &str| repository.commit(rev).ok();
    let (name, _) = recorded_default_branch(&commit_of, &|| repository.default_branch())
        .ok_or(RunError::NoMainBranch)?;
    Ok(name)
}

/// Whether Git allows `name` for a branch or tag (`git check-ref-format`), and `name` cannot be
/// interpreted as an option or a pattern.
#[must_use]
pub fn is_ref_name(name: &str) -> bool {
    let forbidden = |c: char| {
        c.is_ascii_control() || matches!(c, ' ' | '~' | '^' | ':' | '?' | '*' | '[' | '\\')
    };
    !name.starts_with('-')
        && !name.contains(forbidden)
        && !name.contains("..")
        && !name.contains("@{")
        && !name.ends_with('.')
        && name
            .split('/')
            .all(|part| !part.is_empty() && !part.starts_with('.') && !part.ends_with(".lock"))
}

#[cfg(test)]
mod tests {
    use super::is_ref_name;

    #[test]
    fn names_that_git_rejects_are_rejected() {
        for name in ["main", "release/2.0", "kim/größe", "a@b", "@"] {
            assert!(is_ref_name(name), "{name}");
        }
        for name in [
            "",
            "-x",
            "--upload-pack=x",
            "a b",
            "a..b",
            "a:b",
            "a^",
            "a~1",
            "a*",
            "a[b",
            "a?",
            "a\\b",
            "@{-1}",
            "/a",
            "a/",
            "a//b",
            ".a",
            "a/.b",
            "a.lock",
            "a.",
            "a\nb",
        ] {
            assert!(!is_ref_name(name), "{name}");
        }
    }
}
