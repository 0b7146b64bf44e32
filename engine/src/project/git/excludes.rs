//! The file with the user's own ignore patterns, which Git applies to all repositories.

use gix::config::path::interpolate;
use gix::config::{File, Source};
use std::ffi::OsString;
use std::path::{Path, PathBuf};

/// The files that can set `core.excludesFile`; later ones win.
const SOURCES: [Source; 3] = [Source::System, Source::Git, Source::User];

/// The path of the user's ignore file: `core.excludesFile` in the configuration of the user or the
/// system, without files that it includes, or else `git/ignore` in the user's configuration directory
/// ([gitignore](https://git-scm.com/docs/gitignore)). The file need not exist.
#[expect(clippy::disallowed_methods, reason = "Git's own variables determine its configuration")]
pub(crate) fn user_excludes() -> Option<PathBuf> {
    excludes(&|name| std::env::var_os(name), std::env::home_dir().as_deref())
}

fn excludes(env: &dyn Fn(&str) -> Option<OsString>, home: Option<&Path>) -> Option<PathBuf> {
    let env = |name: &str| env(name).filter(|value| !value.is_empty());
    let configured = |source: &Source| {
        let path = source.storage_location(&mut |name| env(name))?;
        let config = File::from_path_no_includes(path, *source).ok()?;
        let context = interpolate::Context { home_dir: home, ..Default::default() };
        config.path("core.excludesFile")?.interpolate(context).ok()
    };
    SOURCES.iter().rev().find_map(configured).or_else(|| {
        let config_dir = env("XDG_CONFIG_HOME").map(PathBuf::from);
        Some(config_dir.or_else(|| Some(home?.join(".config")))?.join("git/ignore"))
    })
}

#[cfg(test)]
#[expect(clippy::disallowed_methods, reason = "files created for the test")]
mod tests {
    use super::*;
    use std::fs;

    #[test]
    fn the_configuration_of_the_user_comes_first() {
        let dir = tempfile::tempdir().expect("a temporary directory");
        let path = |name: &str| dir.path().join(name);
        let write = |name: &str, text: &str| fs::write(path(name), text).expect("written");
        let found = |variables: &[(&str, &str)]| {
            let env = |name: &str| {
                let known = variables.iter().find(|(known, _)| *known == name);
                known.map(|(_, file)| path(file).into_os_string())
            };
            excludes(&env, Some(dir.path())).expect("a path")
        };
        let system = ("GIT_CONFIG_SYSTEM", "system");
        let global = ("GIT_CONFIG_GLOBAL", "global");
        write("system", "[core]\n\texcludesFile = /etc/ignored\n");
        write("global", "[user]\n\tname = A\n");
        assert_eq!(found(&[system, global]), Path::new("/etc/ignored"));
        write("global", "[core]\n\texcludesfile = \"~/my files/ignored\" # for all\n");
        assert_eq!(found(&[system, global]), path("my files/ignored"));
        // Not the `excludesFile` of another section.
        write("global", "[other]\n\texcludesFile = /a\n");
        let none = ("GIT_CONFIG_SYSTEM", "absent");
        assert_eq!(found(&[none, global]), path(".config/git/ignore"));
        assert_eq!(found(&[none, global, ("XDG_CONFIG_HOME", "x")]), path("x/git/ignore"));
        write("global", "[core\n");
        assert_eq!(found(&[none, global]), path(".config/git/ignore"));
    }
}
