//! The repository without its own configuration, for the `git` program.
//!
//! A repository's configuration can name programs: `core.sshCommand`, `remote.*.uploadpack`,
//! `credential.helper`, filters, hooks. This configuration comes with the checkout, so it is
//! untrusted, unlike the configuration of the user and the system. A denylist would never be
//! complete. Git therefore runs with a separate `GIT_DIR` that has the objects, references and
//! shallow commits of the repository. From the repository's configuration, Git gets only the
//! settings allowed by [`Setting::handling`], none of which names a program. These settings are
//! passed in the environment, so that no token is written to disk.

use super::program::without_passwords;
use aidd_engine::project::git::{Directories, Repository};
use anyhow::{Context, Result};
use std::cell::RefCell;
use std::ffi::OsString;
use std::fs;
use std::io::{self, Write as _};
use std::path::{Path, PathBuf};
use tempfile::{Builder, TempDir};

/// Transports that Git implements itself; `ext::` and `remote-…` helpers are programs.
const TRANSPORTS: [&str; 5] = ["file", "git", "http", "https", "ssh"];

/// Settings of `http` and `http.<url>` that are passed on. Settings of client keys and certificates
/// are not passed on: they can make libcurl or the TLS library load a shared library, such as a
/// PKCS#11 module.
const HTTP_SETTINGS: [&str; 11] = [
    "emptyauth",
    "extraheader",
    "followredirects",
    "postbuffer",
    "proxy",
    "proxyauthmethod",
    "sslcainfo",
    "sslcapath",
    "sslverify",
    "useragent",
    "version",
];

/// Settings of `remote.<name>` that are passed on.
const REMOTE_SETTINGS: [&str; 5] =
    ["partialclonefilter", "promisor", "proxy", "proxyauthmethod", "url"];

/// A setting of the repository's own configuration, or of a file that it includes.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Setting {
    /// Section and name are in lower case, as Git prints them.
    pub(super) key: String,
    /// `None` for a key without a value, which means true.
    pub(super) value: Option<String>,
    /// The file that defines the setting.
    origin: String,
}

/// How a setting is handled.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Handling {
    /// Git needs the setting to fetch, and the setting does not name a program: passed on.
    Passed,
    /// Git might need the setting to fetch, but the setting names a program: withheld and reported.
    WithheldProgram,
    /// Git can fetch without the setting: withheld.
    Withheld,
}

/// Parses the output of `git config --list --show-origin --null`.
pub(super) fn parse(output: &str) -> Vec<Setting> {
    let mut parts = output.split('\0');
    let mut settings = Vec::new();
    while let (Some(origin), Some(entry)) = (parts.next(), parts.next()) {
        let (key, value) = match entry.split_once('\n') {
            Some((key, value)) => (key, Some(value.to_owned())),
            None => (entry, None),
        };
        let origin = origin.strip_prefix("file:").unwrap_or(origin).to_owned();
        settings.push(Setting { key: key.to_owned(), value, origin });
    }
    settings
}

impl Setting {
    /// Section, subsection and name: `remote`, `origin`, `url`.
    fn parts(&self) -> (&str, &str, &str) {
        let (section, rest) = self.key.split_once('.').unwrap_or((&self.key, ""));
        let (subsection, name) = rest.rsplit_once('.').unwrap_or(("", rest));
        (section, subsection, name)
    }

    fn handling(&self) -> Handling {
        // Git would split a key that contains `=` at the wrong place.
        if self.key.contains('=') {
            return Handling::Withheld;
        }
        let passed_on = match self.parts() {
            ("http", _, name) => HTTP_SETTINGS.contains(&name),
            ("remote", _, name) if REMOTE_SETTINGS.contains(&name) => true,
            ("remote", _, "uploadpack" | "vcs") => return Handling::WithheldProgram,
            ("core", "", "askpass" | "gitproxy" | "sshcommand") => {
                return Handling::WithheldProgram;
            }
            ("credential", _, "helper") => return Handling::WithheldProgram,
            ("credential", _, "username" | "usehttppath") => true,
            ("url", _, "insteadof") => true,
            ("init", "", "defaultbranch") => true,
            _ => false,
        };
        if passed_on { Handling::Passed } else { Handling::Withheld }
    }
}

/// The Git directory that Git uses instead of the repository's own. It is removed on drop.
#[derive(Debug)]
pub(super) struct IsolatedRepository {
    directory: TempDir,
    original: Directories,
    settings: Vec<Setting>,
    /// The shallow commits as last read or written.
    shallow: RefCell<Option<Vec<u8>>>,
}

impl IsolatedRepository {
    /// Creates the directory from the contents of `repository` and the given `settings`.
    pub(super) fn new(repository: &Repository, settings: Vec<Setting>) -> Result<Self> {
        let original = repository.directories()?;
        let mut name = Builder::new();
        name.prefix("aidd-fetch-");
        // Inside the repository's Git directory, `includeIf "gitdir:…"` in the user's configuration
        // still applies.
        let directory = name.tempdir_in(&original.git).or_else(|_| name.tempdir());
        let directory = directory.context("creating a temporary Git directory")?;
        let git_dir = directory.path();
        let version = u8::from(repository.is_sha256());
        let mut config = format!("[core]\n\trepositoryformatversion = {version}\n\tbare = true\n");
        if repository.is_sha256() {
            config.push_str("[extensions]\n\tobjectformat = sha256\n");
        }
        let head = match (repository.branch(), repository.commit("HEAD")) {
            (Some(branch), _) => format!("ref: refs/heads/{branch}\n"),
            (None, Ok(commit)) => format!("{commit}\n"),
            (None, Err(_)) => "ref: refs/heads/main\n".to_owned(),
        };
        fs::create_dir(git_dir.join("refs"))?;
        fs::write(git_dir.join("config"), config)?;
        fs::write(git_dir.join("HEAD"), head)?;
        fs::write(git_dir.join("packed-refs"), repository.packed_refs()?)?;
        let shallow = read(&original.common.join("shallow"))?;
        if let Some(shallow) = &shallow {
            fs::write(git_dir.join("shallow"), shallow)?;
        }
        Ok(Self { directory, original, settings, shallow: shallow.into() })
    }

    /// The directory in which Git runs: the URL of a remote can be relative to it.
    pub(super) fn work_tree(&self) -> &Path {
        &self.original.work_tree
    }

    /// The environment that makes Git use this directory. `inherited` reads variables of this
    /// process.
    pub(super) fn environment(
        &self,
        inherited: impl Fn(&str) -> Option<String>,
    ) -> Vec<(&'static str, OsString)> {
        let passed_on =
            self.settings.iter().filter(|setting| setting.handling() == Handling::Passed);
        let passed_on = passed_on.map(|Setting { key, value, .. }| {
            quoted(&value.as_ref().map_or_else(|| key.clone(), |value| format!("{key}={value}")))
        });
        // The last setting wins, so the caller's settings come last.
        let parameters: Vec<String> = passed_on.chain(inherited("GIT_CONFIG_PARAMETERS")).collect();
        let allowed = inherited("GIT_ALLOW_PROTOCOL");
        let allowed = TRANSPORTS.into_iter().filter(|transport| {
            allowed.as_ref().is_none_or(|list| list.split(':').any(|name| name == *transport))
        });
        let allowed: Vec<&str> = allowed.collect();
        vec![
            ("GIT_DIR", self.directory.path().into()),
            ("GIT_OBJECT_DIRECTORY", self.original.objects.clone().into()),
            ("GIT_CONFIG_PARAMETERS", parameters.join(" ").into()),
            ("GIT_ALLOW_PROTOCOL", allowed.join(":").into()),
        ]
    }

    /// The names of the remotes that have a URL.
    pub(super) fn remotes(&self) -> Vec<&str> {
        let mut names: Vec<&str> = self.remote_values("url").map(|(name, _)| name).collect();
        names.sort_unstable();
        names.dedup();
        names
    }

    /// The values of `remote.<name>.KEY`, by remote name.
    pub(super) fn remote_values(&self, key: &str) -> impl Iterator<Item = (&str, &str)> {
        self.settings.iter().filter_map(move |setting| match setting.parts() {
            ("remote", remote, name) if name == key => {
                Some((remote, setting.value.as_deref().unwrap_or("true")))
            }
            _ => None,
        })
    }

    /// The withheld settings that Git might need, each with its file.
    pub(super) fn withheld_programs(&self) -> Vec<String> {
        let programs =
            self.settings.iter().filter(|setting| setting.handling() == Handling::WithheldProgram);
        let file = |setting: &Setting| {
            let file = Path::new(&setting.origin);
            file.strip_prefix(&self.original.work_tree).unwrap_or(file).display().to_string()
        };
        let key = |setting: &Setting| without_passwords(&setting.key);
        programs.map(|setting| format!("`{}` in {}", key(setting), file(setting))).collect()
    }

    /// The shallow commits.
    pub(super) fn shallow(&self) -> String {
        let shallow = self.shallow.borrow();
        String::from_utf8_lossy(shallow.as_deref().unwrap_or_default()).into_owned()
    }

    /// Copies to the repository the shallow commits that Git wrote to this directory.
    pub(super) fn store_shallow(&self) -> Result<()> {
        let shallow = read(&self.directory.path().join("shallow"))?;
        if shallow == *self.shallow.borrow() {
            return Ok(());
        }
        let path = self.original.common.join("shallow");
        write_locked(&path, shallow.as_deref()).with_context(|| path.display().to_string())?;
        self.shallow.replace(shallow);
        Ok(())
    }
}

/// The bytes of a regular file; `None` if it does not exist.
fn read(path: &Path) -> io::Result<Option<Vec<u8>>> {
    match fs::symlink_metadata(path) {
        Ok(metadata) if metadata.is_file() => fs::read(path).map(Some),
        Ok(_) => Err(io::Error::other(format!("{} is not a regular file", path.display()))),
        Err(error) if error.kind() == io::ErrorKind::NotFound => Ok(None),
        Err(error) => Err(error),
    }
}

/// Replaces or removes a Git file through a lock file, so that one of two concurrent writers fails.
fn write_locked(path: &Path, bytes: Option<&[u8]>) -> io::Result<()> {
    let mut lock = path.as_os_str().to_owned();
    lock.push(".lock");
    let lock = PathBuf::from(lock);
    let mut file = fs::File::create_new(&lock)?;
    let written = match bytes {
        Some(bytes) => file.write_all(bytes).and_then(|()| {
            drop(file);
            fs::rename(&lock, path)
        }),
        None => {
            drop(file);
            fs::remove_file(path).and_then(|()| fs::remove_file(&lock))
        }
    };
    written.inspect_err(|_| {
        let _ = fs::remove_file(&lock);
    })
}

/// A setting in single quotes, in the format of `GIT_CONFIG_PARAMETERS`.
fn quoted(text: &str) -> String {
    format!("'{}'", text.replace('\'', r"'\''").replace('!', r"'\!'"))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn settings_that_name_programs_are_withheld() {
        let handling =
            |key: &str| Setting { key: key.into(), value: None, origin: "f".into() }.handling();
        for key in [
            "http.extraheader",
            "http.https://github.com/.extraheader",
            "remote.origin.url",
            "remote.a.b.promisor",
            "url.https://user@example.org/.insteadof",
        ] {
            assert_eq!(handling(key), Handling::Passed, "{key}");
        }
        for key in [
            "core.askpass",
            "core.gitproxy",
            "core.sshcommand",
            "credential.helper",
            "credential.https://example.org.helper",
            "remote.origin.uploadpack",
            "remote.origin.vcs",
        ] {
            assert_eq!(handling(key), Handling::WithheldProgram, "{key}");
        }
        for key in [
            "core.alternaterefscommand",
            "core.fsmonitor",
            "core.hookspath",
            "core.worktree",
            "diff.external",
            "filter.x.process",
            "gpg.program",
            "http.savecookies",
            "http.sslkey",
            "include.path",
            "protocol.ext.allow",
            "remote.origin.fetch",
            "remote.origin.receivepack",
            "uploadpack.packobjectshook",
        ] {
            assert_eq!(handling(key), Handling::Withheld, "{key}");
        }
    }

    #[test]
    fn the_output_of_git_is_parsed() {
        let settings = parse("file:.git/config\0remote.a.url\nx\ny\0file:/i\0core.bare\0");
        let setting = |key: &str, value: Option<&str>, origin: &str| Setting {
            key: key.into(),
            value: value.map(str::to_owned),
            origin: origin.into(),
        };
        let first = setting("remote.a.url", Some("x\ny"), ".git/config");
        assert_eq!(settings, [first, setting("core.bare", None, "/i")]);
    }

    #[test]
    fn settings_are_quoted_for_the_environment() {
        assert_eq!(quoted("a.b=it's !"), r"'a.b=it'\''s '\!''");
    }
}
