//! Checks on `yum`, `dnf`, `microdnf` and `zypper`.

use super::caches::{self, append_command};
use super::pins::{Install, Installer, is_file, report_unpinned};
use super::{Check, Runs, Site};
use crate::shell::{Command, ExpansionKind, Word};
use aidd_engine::parse::dockerfile::Keyword;
use aidd_engine::rules::rule::Report;
use aidd_engine::text::finding::Edit;
use aidd_engine::text::source::Span;

pub(super) const CHECKS: &[(&str, Check)] = &[
    ("dockerfile/yum-without-yes", yum_without_yes),
    ("dockerfile/yum-cache-kept", yum_cache_kept),
    ("dockerfile/unpinned-yum-package", yum_unpinned),
    ("dockerfile/dnf-without-yes", dnf_without_yes),
    ("dockerfile/dnf-cache-kept", dnf_cache_kept),
    ("dockerfile/unpinned-dnf-package", dnf_unpinned),
    ("dockerfile/zypper-without-yes", zypper_without_yes),
    ("dockerfile/zypper-dist-upgrade", zypper_dist_upgrade),
    ("dockerfile/zypper-cache-kept", zypper_cache_kept),
    ("dockerfile/unpinned-zypper-package", zypper_unpinned),
];

const YUM: &[&str] = &["yum"];
const DNF: &[&str] = &["dnf", "microdnf", "dnf5"];
const ZYPPER: &[&str] = &["zypper"];

/// Subcommands of yum and dnf that install the packages in their arguments, with their aliases.
const INSTALL: &[&str] = &["install", "in"];

/// Subcommands that download packages into the cache, with their aliases.
const DOWNLOADING: &[&str] = &[
    "install",
    "in",
    "reinstall",
    "rei",
    "upgrade",
    "up",
    "update",
    "upgrade-minimal",
    "up-min",
    "groupinstall",
    "localinstall",
    "distro-sync",
    "dsync",
];

/// Options of yum and dnf whose value is the next word.
const RPM_OPTIONS_WITH_VALUE: &[&str] = &[
    "--enablerepo",
    "--disablerepo",
    "--repo",
    "--repoid",
    "--installroot",
    "--releasever",
    "--setopt",
    "--exclude",
    "-x",
    "-c",
    "--config",
    "--forcearch",
    "--disableplugin",
    "--enableplugin",
    "-d",
    "-e",
    "--advisory",
    "--comment",
];

const fn rpm(programs: &'static [&'static str], verbs: &'static [&'static str]) -> Installer {
    Installer { programs, verbs, options_with_value: RPM_OPTIONS_WITH_VALUE }
}

fn yum_without_yes(runs: &Runs<'_>, report: &mut Report<'_>) {
    without_yes(&rpm(YUM, DOWNLOADING), runs, report);
}

fn dnf_without_yes(runs: &Runs<'_>, report: &mut Report<'_>) {
    without_yes(&rpm(DNF, DOWNLOADING), runs, report);
}

fn without_yes(installer: &Installer, runs: &Runs<'_>, report: &mut Report<'_>) {
    // The configuration of the package manager can contain `assumeyes=True`.
    if runs.source.text().contains("assumeyes=") {
        return;
    }
    for install in installer.installs(runs) {
        if !install.site.command.has_option(&["y", "assumey[es]"]) {
            report_missing_yes(
                report,
                &install.site,
                install.verb.span,
                install.verb.span.end,
                "-y",
            );
        }
    }
}

fn report_missing_yes(
    report: &mut Report<'_>,
    site: &Site<'_>,
    span: Span,
    end: u32,
    option: &str,
) {
    let program = site.command.program();
    let message = format!("`{program}` waits for a confirmation that never comes");
    let finding = report.at(span, message);
    finding.help(format!("Add `{option}`"));
    if site.run.is_editable() {
        finding.fix(format!("Add {option}"), vec![Edit::insert(end, format!(" {option}"))]);
    }
}

fn yum_unpinned(runs: &Runs<'_>, report: &mut Report<'_>) {
    rpm_unpinned(&rpm(YUM, INSTALL), runs, report);
}

fn dnf_unpinned(runs: &Runs<'_>, report: &mut Report<'_>) {
    rpm_unpinned(&rpm(DNF, INSTALL), runs, report);
}

fn rpm_unpinned(installer: &Installer, runs: &Runs<'_>, report: &mut Report<'_>) {
    for install in installer.installs(runs) {
        let module = install.site.command.has_argument(&["module"]);
        let Install { site, packages, .. } = install;
        let pinned = |text: &str| {
            if module {
                return text.contains(':');
            }
            // `name-1.2`: a version starts with a digit.
            is_file(text, &[".rpm"])
                || text.as_bytes().windows(2).any(|it| it[0] == b'-' && it[1].is_ascii_digit())
        };
        let unpinned: Vec<_> = packages
            .into_iter()
            .filter(|it| !pinned(it.text()) && !has_version_variable(runs, &site, it))
            .collect();
        let help = if module {
            "Pin the stream you tested: `module:stream`"
        } else {
            "Pin the version you tested: `package-version`"
        };
        report_unpinned(report, &unpinned, help);
    }
}

/// Whether a word contains a set variable after a hyphen, as in `name-$version`.
fn has_version_variable(runs: &Runs<'_>, site: &Site<'_>, word: &Word) -> bool {
    word.expansions.iter().any(|it| {
        let ExpansionKind::Parameter(name) = &it.kind else { return false };
        let before = word.text().get(..it.at as usize).unwrap_or_default();
        before.ends_with('-') && is_set(runs, site, name)
    })
}

/// Whether an `ARG`, an `ENV` of the stage or the script itself sets a variable.
fn is_set(runs: &Runs<'_>, site: &Site<'_>, name: &str) -> bool {
    let file = runs.file;
    let assigns = |word: &Word| word.text().split('=').next() == Some(name);
    let mut arguments = file.all(Keyword::Arg).flat_map(|arg| &arg.pairs);
    arguments.any(|pair| pair.key.text == name)
        || file.variables_at(site.run.index).iter().any(|variable| variable.name == name)
        || site.run.commands().any(|it| it.command.assignments.iter().any(assigns))
}

fn yum_cache_kept(runs: &Runs<'_>, report: &mut Report<'_>) {
    let cleaned = |it: &Command| {
        caches::calls(it, &["yum", "dnf"], &["clean"]) || caches::removes(it, &["/var/cache/yum"])
    };
    let mounts = &["/var/cache/yum", "/var/cache/dnf"];
    cache_kept(&rpm(YUM, INSTALL), &cleaned, mounts, "yum clean all", runs, report);
}

fn dnf_cache_kept(runs: &Runs<'_>, report: &mut Report<'_>) {
    const CACHE_DIRS: &[&str] = &["/var/cache/dnf", "/var/cache/libdnf5", "/var/cache/yum"];
    for program in DNF {
        let cleaned = |it: &Command| {
            caches::calls(it, &[*program], &["clean"]) || caches::removes(it, CACHE_DIRS)
        };
        let programs = match *program {
            "dnf" => &["dnf"],
            "dnf5" => &["dnf5"],
            _ => &["microdnf"],
        };
        let command = format!("{program} clean all");
        cache_kept(&rpm(programs, DOWNLOADING), &cleaned, CACHE_DIRS, &command, runs, report);
    }
}

/// Reports, for each `RUN` that does not clean up, the first command that installs packages.
fn cache_kept(
    installer: &Installer,
    cleaned: &dyn Fn(&Command) -> bool,
    mounts: &[&str],
    clean: &str,
    runs: &Runs<'_>,
    report: &mut Report<'_>,
) {
    let mut last = None;
    for install in installer.installs(runs) {
        let run = install.site.run;
        if install.site.following().any(cleaned)
            || run.has_mount_at(mounts)
            || !runs.is_in_image(run)
        {
            continue;
        }
        if last.replace(run.index) == Some(run.index) {
            continue;
        }
        let finding =
            report.at(install.site.command.span, "the package cache remains in the image");
        finding.help(format!("Clean up in the same `RUN`: `{clean}`"));
        if let Some(edit) = append_command(run, clean) {
            finding.fix_unsafe(format!("Run {clean} at the end of the RUN"), vec![edit]);
        }
    }
}

/// Options of zypper whose value is the next word.
const ZYPPER_OPTIONS_WITH_VALUE: &[&str] = &[
    "-t",
    "--type",
    "-r",
    "--repo",
    "--from",
    "-R",
    "--root",
    "--installroot",
    "-c",
    "--config",
    "-C",
    "--cache-dir",
    "-D",
    "--reposd-dir",
    "-p",
    "--plus-repo",
    "--plus-content",
    "--releasever",
];

const ZYPPER_INSTALL: Installer = Installer {
    programs: ZYPPER,
    verbs: &["install", "in"],
    options_with_value: ZYPPER_OPTIONS_WITH_VALUE,
};

fn zypper_without_yes(runs: &Runs<'_>, report: &mut Report<'_>) {
    let verbs = &["install", "in", "remove", "rm", "source-install", "si", "patch"];
    let installer =
        Installer { programs: ZYPPER, verbs, options_with_value: ZYPPER_OPTIONS_WITH_VALUE };
    for install in installer.installs(runs) {
        let options = &["n", "non-interactive", "y", "no-confirm"];
        if !install.site.command.has_option(options) {
            let program = install.site.program_span();
            report_missing_yes(report, &install.site, program, program.end, "--non-interactive");
        }
    }
}

fn zypper_dist_upgrade(runs: &Runs<'_>, report: &mut Report<'_>) {
    for site in runs.calls(ZYPPER) {
        let operands = super::pins::operands(site.command.arguments(), ZYPPER_OPTIONS_WITH_VALUE);
        if let Some(verb) =
            operands.first().filter(|it| matches!(it.text(), "dist-upgrade" | "dup"))
        {
            report
                .at(verb.span, "the whole distribution is upgraded within the image")
                .help("Build on a newer base image instead");
        }
    }
}

fn zypper_cache_kept(runs: &Runs<'_>, report: &mut Report<'_>) {
    const CACHE_DIRS: &[&str] = &["/var/cache/zypp"];
    let cleaned = |it: &Command| {
        caches::calls(it, ZYPPER, &["clean", "cc"]) || caches::removes(it, CACHE_DIRS)
    };
    cache_kept(&ZYPPER_INSTALL, &cleaned, CACHE_DIRS, "zypper clean --all", runs, report);
}

fn zypper_unpinned(runs: &Runs<'_>, report: &mut Report<'_>) {
    for install in ZYPPER_INSTALL.installs(runs) {
        // Patterns and patches have no version.
        if install.site.command.has_option(&["t", "ty[pe]"]) {
            continue;
        }
        let unpinned: Vec<_> = install
            .packages
            .into_iter()
            .filter(|it| !it.text().contains(['=', '<', '>']) && !is_file(it.text(), &[".rpm"]))
            .collect();
        report_unpinned(report, &unpinned, "Pin the version you tested: `package=version`");
    }
}
