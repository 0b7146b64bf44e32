//! The default branch to compare with.

use crate::error::RunError;
use aidd_engine::project::git::Repository;

/// The branch to compare with, according to the clone: its name and newest commit. `here` returns
/// the commit of a reference, `default` the default branch name of new repositories.
#[must_use]
pub fn known_main(
    here: &dyn Fn(&str) -> Option<String>,
    default: &dyn Fn() -> Option<String>,
) -> Option<(String, String)> {
    let of = |folder: &str, name: &str| here(&format!("refs/{folder}/{name}"));
    let first = |folder: &str, names: &[&str]| {
        names.iter().find_map(|name| Some(((*name).to_owned(), of(folder, name)?)))
    };
    first("remotes", &["origin/HEAD", "origin/main", "origin/master"])
        .or_else(|| {
            let name = default().filter(|name| is_ref_name(name))?;
            let tip = of("heads", &name)?;
            Some((name, tip))
        })
        .or_else(|| first("heads", &["main", "master"]))
}

/// The name of the branch to compare with, according to the clone and the repository's own
/// settings: nothing is fetched, and no program is run.
///
/// # Errors
/// Fails when the clone has none: any other comparison would hide the changes of the branch.
pub fn main_branch(repository: &Repository) -> Result<String, RunError> {
    let here = |rev: &str| repository.commit(rev).ok();
    let (name, _) =
        known_main(&here, &|| repository.default_branch()).ok_or(RunError::NoMainBranch)?;
    Ok(name)
}

/// Whether Git allows `name` for a branch or tag (`git check-ref-format`), and it cannot be
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
    fn names_that_git_refuses_are_refused() {
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
