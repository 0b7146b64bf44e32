//! Checks on the package managers of languages: pip, npm, yarn, gem, go.

use super::pins::{Install, Installer, is_file, report_unpinned};
use super::{Check, Run, Runs, Site, caches};
use crate::shell::{Command, Word, is_long_option};
use aidd_engine::rules::rule::Report;
use aidd_engine::text::finding::Edit;
use aidd_engine::text::finding::Severity;

pub(super) const CHECKS: &[(&str, Check)] = &[
    ("dockerfile/unpinned-pip-package", pip_unpinned),
    ("dockerfile/pip-cache-kept", pip_cache_kept),
    ("dockerfile/unpinned-npm-package", npm_unpinned),
    ("dockerfile/yarn-cache-kept", yarn_cache_kept),
    ("dockerfile/unpinned-gem", gem_unpinned),
    ("dockerfile/unpinned-go-package", go_unpinned),
];

/// Options of pip whose value is the next word.
const PIP_OPTIONS_WITH_VALUE: &[&str] = &[
    "-r",
    "--requirem[ent]",
    "-c",
    "--cons[traint]",
    "-e",
    "--ed[itable]",
    "-t",
    "--ta[rget]",
    "-i",
    "--ind[ex-url]",
    "--pypi-url",
    "--extr[a-index-url]",
    "-f",
    "--fi[nd-links]",
    "--pl[atform]",
    "--python-[version]",
    "--im[plementation]",
    "--abi",
    "--root",
    "--pref[ix]",
    "--src",
    "--upgrade-strategy",
    "-C",
    "--config-settings",
    "--config-setting",
    "--install-option",
    "--global-option",
    "--no-bi[nary]",
    "--on[ly-binary]",
    "--prog[ress-bar]",
    "--root-user-action",
    "--report",
    "--group",
    "--python",
    "--log",
    "--keyring-provider",
    "--proxy",
    "--retries",
    "--ti[meout]",
    "--default-timeout",
    "--exists-action",
    "--tr[usted-host]",
    "--cert",
    "--client-cert",
    "--ca[che-dir]",
    "--use-feature",
    "--use-deprecated",
    "--resume-retries",
];

/// The word `install` and the words after it, for `pip install` in any spelling.
fn pip_install(command: &Command) -> Option<(&Word, &[Word])> {
    let program = command.program();
    let words = command.arguments();
    let words = if is_versioned(program, "pip") {
        words
    } else if is_versioned(program, "python") {
        let module =
            words.windows(2).position(|it| it[0].text() == "-m" && it[1].text() == "pip")?;
        &words[module + 2..]
    } else {
        return None;
    };
    let verb = *super::pins::operands(words, PIP_OPTIONS_WITH_VALUE).first()?;
    let at = words.iter().position(|word| word.span == verb.span)?;
    (verb.text() == "install").then(|| (verb, &words[at + 1..]))
}

/// Whether `program` is `name`, `name3`, `name3.11`.
fn is_versioned(program: &str, name: &str) -> bool {
    program
        .strip_prefix(name)
        .is_some_and(|rest| rest.bytes().all(|byte| byte.is_ascii_digit() || byte == b'.'))
}

fn pip_unpinned(runs: &Runs<'_>, report: &mut Report<'_>) {
    for site in runs.commands() {
        let words = match pip_install(site.command) {
            Some((_, words)) => words,
            None if site.command.program() == "pipx" && site.command.has_argument(&["install"]) => {
                site.command.arguments().get(1..).unwrap_or_default()
            }
            None => continue,
        };
        // The content of a requirements or constraints file is not available.
        if words.iter().any(|word| names_requirements(word.text())) {
            continue;
        }
        let packages = super::pins::operands(words, PIP_OPTIONS_WITH_VALUE);
        if super::pins::has_placeholder(&packages) {
            continue;
        }
        let is_upgrade = site.command.has_option(&["U", "upgrade"]);
        let unpinned: Vec<_> = packages
            .into_iter()
            .filter(|word| !is_pinned_requirement(word.text()))
            .filter(|word| !(is_upgrade && INSTALLERS.contains(&word.text())))
            .collect();
        let help = "Pin the version you tested: `package==version`, or use a requirements \
                    file that pins it";
        report_unpinned(report, &unpinned, help);
    }
}

/// Packages that install other packages: upgrading them to the current version is intended.
const INSTALLERS: [&str; 3] = ["pip", "setuptools", "wheel"];

/// Whether an option names a requirements or constraints file: `-r` or `-c`, alone or combined with
/// other short options, or a long form.
fn names_requirements(text: &str) -> bool {
    if let Some(long) = text.strip_prefix("--") {
        let name = long.split_once('=').map_or(long, |(name, _)| name);
        return is_long_option("requirem[ent]", name) || is_long_option("cons[traint]", name);
    }
    text.strip_prefix('-').is_some_and(|short| {
        short.starts_with(['r', 'c']) || short.ends_with('r') && short.len() < 5
    })
}

fn is_pinned_requirement(text: &str) -> bool {
    if text.starts_with("git+") || text.starts_with("hg+") {
        let address = text.split_once("://").map_or(text, |(_, rest)| rest);
        let path = address.split_once('/').map_or("", |(_, path)| path);
        // A variable can contain the revision.
        return path.contains('@') || text.contains('$');
    }
    text.contains(['=', '<', '>', '@', '/'])
        || is_file(text, &[".whl", ".tar.gz", ".tar.bz2", ".zip"])
}

/// The variable that disables pip's cache.
const PIP_NO_CACHE: &str = "PIP_NO_CACHE_DIR";

fn pip_cache_kept(runs: &Runs<'_>, report: &mut Report<'_>) {
    let has_variable = runs.source.text().contains(PIP_NO_CACHE);
    for run in &runs.runs {
        let mounted = |it: &str| it.ends_with("/.cache/pip") || it.ends_with("/.cache");
        let installs = |site: &Site<'_>| pip_install(site.command).is_some();
        if run.mount_targets().any(mounted)
            || !run.commands().any(|site| installs(&site))
            || !runs.is_in_image(run)
            || has_variable && is_cache_disabled(runs, run)
        {
            continue;
        }
        let purged = run.commands().filter(|site| purges(site.command)).last();
        let purged = purged.map_or(0, |site| site.command.span.start);
        for site in run.commands().filter(|site| site.command.span.start >= purged) {
            let Some((verb, _)) = pip_install(site.command) else { continue };
            if site.command.has_option(&["no-ca[che-dir]", "ca[che-dir]"]) {
                continue;
            }
            let finding = report.at(verb.span, "pip's cache remains in the image");
            finding.help("Add `--no-cache-dir`, or mount a cache at `~/.cache/pip`");
            if run.is_editable() {
                let edit = Edit::insert(verb.span.end, " --no-cache-dir");
                finding.fix("Add --no-cache-dir", vec![edit]);
            }
        }
    }
}

/// Whether the variable that disables pip's cache is set for a `RUN`, or within it.
fn is_cache_disabled(runs: &Runs<'_>, run: &Run<'_>) -> bool {
    let is_enabled = |value: &str| !matches!(value, "" | "0" | "false" | "off" | "no");
    let assigned = |word: &Word| {
        word.text()
            .strip_prefix(PIP_NO_CACHE)
            .and_then(|it| it.strip_prefix('='))
            .is_some_and(is_enabled)
    };
    let in_script = run.commands().any(|site| {
        let exported = site.command.program() == "export";
        site.command.assignments.iter().any(assigned)
            || exported && site.command.arguments().iter().any(assigned)
    });
    in_script
        || runs
            .file
            .variables_at(run.index)
            .iter()
            .any(|variable| variable.name == PIP_NO_CACHE && variable.value.is_some_and(is_enabled))
}

/// Whether a command clears pip's cache.
fn purges(command: &Command) -> bool {
    let cache = |word: &Word| word.text().contains(".cache");
    pip_like(command) && command.has_argument(&["purge"])
        || command.program() == "rm" && command.arguments().iter().any(cache)
}

fn pip_like(command: &Command) -> bool {
    is_versioned(command.program(), "pip") || is_versioned(command.program(), "python")
}

/// Options of npm whose value is the next word.
const NPM_OPTIONS_WITH_VALUE: &[&str] = &[
    "--registry",
    "--prefix",
    "-C",
    "--cache",
    "--loglevel",
    "--omit",
    "--include",
    "--tag",
    "-w",
    "--workspace",
    "--userconfig",
    "--globalconfig",
    "--install-strategy",
    "--fetch-retries",
    "--fetch-timeout",
    "--maxsockets",
    "--only",
    "--cpu",
    "--os",
    "--libc",
];

fn npm_unpinned(runs: &Runs<'_>, report: &mut Report<'_>) {
    let npm = Installer {
        programs: &["npm"],
        verbs: &["install", "i", "add"],
        options_with_value: NPM_OPTIONS_WITH_VALUE,
    };
    let is_pinned =
        |text: &str| is_pinned_npm(text) || runs.pinned_managers.iter().any(|name| name == text);
    for install in npm.installs(runs) {
        let unpinned: Vec<_> =
            install.packages.into_iter().filter(|word| !is_pinned(word.text())).collect();
        report_unpinned(report, &unpinned, "Pin the version you tested: `package@version`");
    }
}

fn is_pinned_npm(text: &str) -> bool {
    let is_git = text.starts_with("git") && text.contains("://")
        || ["git+", "github:", "gitlab:", "bitbucket:"].iter().any(|start| text.starts_with(start));
    if is_git {
        return text.contains('#');
    }
    // A scope starts with `@`, so the `@` of a version cannot be the first character.
    text.get(1..).is_some_and(|rest| rest.contains('@'))
        // Yarn 1 is the last version in this package; later versions have other names.
        || text == "yarn"
        // The output of a command can contain a version.
        || text.contains("$(")
        || text.contains('`')
        || text.starts_with("file:")
        || is_file(text, &[".tgz", ".tar.gz", ".tar"])
}

fn yarn_cache_kept(runs: &Runs<'_>, report: &mut Report<'_>) {
    for site in runs.calls(&["yarn"]) {
        let command = site.command;
        let installs = command.operands().next().is_some_and(|it| it.text() == "install");
        let cleaned =
            |it: &Command| caches::calls(it, &["yarn"], &["cache"]) && it.has_argument(&["clean"]);
        let mounted = || {
            let is_cache = |it: &str| it.contains("/.cache/yarn") || it.ends_with("/.cache");
            site.run.mount_targets().any(is_cache)
        };
        if !installs || site.following().any(cleaned) || mounted() || !runs.is_in_image(site.run) {
            continue;
        }
        let finding = report.at(command.span, "yarn's cache remains in the image");
        finding.help("Clean up in the same `RUN`: `yarn cache clean`");
        if let Some(edit) = caches::append_command(site.run, "yarn cache clean") {
            finding.fix_unsafe("Run yarn cache clean at the end of the RUN", vec![edit]);
        }
    }
}

/// Options of gem whose value is the next word.
const GEM_OPTIONS_WITH_VALUE: &[&str] = &[
    "-i",
    "--install-dir",
    "-n",
    "--bindir",
    "--document",
    "--build-root",
    "-P",
    "--trust-policy",
    "-B",
    "--bulk-threshold",
    "-s",
    "--source",
    "--platform",
    "-p",
    "--http-proxy",
    "-g",
    "--file",
    "--without",
    "--target-rbconfig",
    "--config-file",
];

/// Values of options, which are not names of gems.
const SWITCH_VALUES: [&str; 4] = ["true", "false", "yes", "no"];

fn gem_unpinned(runs: &Runs<'_>, report: &mut Report<'_>) {
    let gem = Installer {
        programs: &["gem"],
        verbs: &["install", "i"],
        options_with_value: GEM_OPTIONS_WITH_VALUE,
    };
    for Install { site, packages, .. } in gem.installs(runs) {
        // Options after `--`, such as `-- --with-xml2`, are passed to the build of the gem.
        let after = site.command.words.iter().find(|it| it.text() == "--");
        let end = after.map_or(u32::MAX, |word| word.span.start);
        let versioned = |word: &Word| {
            let text = word.text();
            text.starts_with("-v") || text == "--version" || text.starts_with("--version=")
        };
        if site.command.arguments().iter().any(versioned) {
            continue;
        }
        let unpinned: Vec<_> = packages
            .into_iter()
            .filter(|word| word.span.start < end)
            .filter(|word| !word.text().contains(':') && !is_file(word.text(), &[".gem"]))
            .filter(|word| !SWITCH_VALUES.contains(&word.text()))
            .filter(|word| !runs.pinned_managers.iter().any(|name| name == word.text()))
            .collect();
        report_unpinned(report, &unpinned, "Pin the version you tested: `gem:version`");
    }
}

/// Options of go whose value is the next word.
const GO_OPTIONS_WITH_VALUE: &[&str] = &[
    "-tags",
    "-ldflags",
    "-gcflags",
    "-asmflags",
    "-o",
    "-C",
    "-p",
    "-mod",
    "-modfile",
    "-exec",
    "-overlay",
    "-pkgdir",
    "-installsuffix",
    "-toolexec",
    "-gccgoflags",
    "-covermode",
];

fn go_unpinned(runs: &Runs<'_>, report: &mut Report<'_>) {
    let go = Installer {
        programs: &["go"],
        verbs: &["install", "get", "run"],
        options_with_value: GO_OPTIONS_WITH_VALUE,
    };
    for Install { site, verb, mut packages } in go.installs(runs) {
        if verb.text() == "run" {
            packages.truncate(1);
        }
        // `go get -tool` adds a tool from another module, even if the path of the tool has no host.
        let is_tool = verb.text() == "get" && site.command.has_argument(&["-tool"]);
        let is_unpinned = |text: &str| {
            let names_tool = is_tool && !text.starts_with(['.', '/', '$']) && !text.contains('@');
            names_tool || !is_pinned_go(text)
        };
        let unpinned: Vec<_> =
            packages.into_iter().filter(|word| is_unpinned(word.text())).collect();
        // Without a version, `go install` and `go run` build the version in the `go.mod` of the
        // current module, and fail outside a module (Go 1.18).
        let is_in_module =
            verb.text() != "get" && unpinned.iter().all(|word| !word.text().contains('@'));
        let finding = report_unpinned(report, &unpinned, "Pin a version: `path@v1.2.3`");
        if let Some(finding) = finding.filter(|_| is_in_module || runs.is_for_development(site.run))
        {
            finding.severity = finding.severity.min(Severity::Info);
        }
    }
}

fn is_pinned_go(text: &str) -> bool {
    match text.rsplit_once('@') {
        Some((_, version)) => !matches!(version, "latest" | "none"),
        // Only a host contains a dot; other paths are in the current module or the standard
        // library.
        None => {
            let host = text.split('/').next().unwrap_or(text);
            text.starts_with(['.', '/', '$'])
                || !host.contains('.')
                || !text.contains('/')
                || text.ends_with(".go")
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn requirements_are_recognised() {
        for pinned in ["a==1", "a>=1", "a~=1", "a @ git+https://x/y", "git+https://x/y@v1", "./a"] {
            assert!(is_pinned_requirement(pinned), "{pinned}");
        }
        for unpinned in ["a", "a[x]", "git+https://x/y", "git+ssh://git@x/y", "$A"] {
            assert!(!is_pinned_requirement(unpinned), "{unpinned}");
        }
        for option in ["-r", "-rx.txt", "-Ur", "--requirement=x", "--constraint"] {
            assert!(names_requirements(option), "{option}");
        }
        assert!(!names_requirements("--retries"));
        assert!(!names_requirements("-U"));
    }

    #[test]
    fn pinned_npm_and_go_packages_are_recognised() {
        for pinned in
            ["a@1", "@x/a@1", "./a", "a.tgz", "git+https://x#v1", "file:x", "github:x/y#0a1b2c3"]
        {
            assert!(is_pinned_npm(pinned), "{pinned}");
        }
        for unpinned in ["a", "@x/a", "git+https://x", "user/repo", "$A"] {
            assert!(!is_pinned_npm(unpinned), "{unpinned}");
        }
        for pinned in ["x.y/z@v1", "./...", ".", "cmd/x", "main.go", "std"] {
            assert!(is_pinned_go(pinned), "{pinned}");
        }
        for unpinned in ["x.y/z", "x.y/z@latest"] {
            assert!(!is_pinned_go(unpinned), "{unpinned}");
        }
    }
}
