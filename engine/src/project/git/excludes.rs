//! The file with the user's own ignore patterns, which Git applies to all repositories.

use gix::config::path::interpolate;
use gix::config::{File, Source};
use std::path::PathBuf;

/// The files that can set `core.excludesFile`; later ones win.
const SOURCES: [Source; 3] = [Source::System, Source::Git, Source::User];

/// The path of the user's ignore file: `core.excludesFile` in the configuration of the user or the
/// system, without files that it includes, or else `git/ignore` in the user's configuration directory
/// ([gitignore](https://git-scm.com/docs/gitignore)). The file need not exist.
#[expect(clippy::disallowed_methods, reason = "Git's own variables determine its configuration")]
pub(crate) fn user_excludes() -> Option<PathBuf> {
    let env = |name: &str| std::env::var_os(name).filter(|value| !value.is_empty());
    let home = std::env::home_dir();
    let configured = |source: &Source| {
        let path = source.storage_location(&mut |name| env(name))?;
        let config = File::from_path_no_includes(path, *source).ok()?;
        let context = interpolate::Context { home_dir: home.as_deref(), ..Default::default() };
        config.path("core.excludesFile")?.interpolate(context).ok()
    };
    SOURCES.iter().rev().find_map(configured).or_else(|| {
        let config_dir = env("XDG_CONFIG_HOME").map(PathBuf::from);
        Some(config_dir.or_else(|| Some(home.as_ref()?.join(".config")))?.join("git/ignore"))
    })
}
