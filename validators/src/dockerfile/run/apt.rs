//! Checks on `apt` and `apt-get`.

use super::caches::{self, append_command};
use super::pins::{Installer, is_file, report_unpinned};
use super::{Check, Run, Runs, Site};
use crate::shell::Command;
use aidd_engine::rules::rule::Report;
use aidd_engine::text::finding::Edit;

pub(super) const CHECKS: &[(&str, Check)] = &[
    ("dockerfile/unpinned-apt-package", unpinned),
    ("dockerfile/apt-lists-kept", lists_kept),
    ("dockerfile/apt-get-without-yes", without_yes),
    ("dockerfile/apt-recommends", recommends),
    ("dockerfile/apt-instead-of-apt-get", apt),
];

const APT_GET: Installer = Installer {
    programs: &["apt-get", "aptitude"],
    verbs: &["install"],
    options_with_value: &[
        "-t",
        "--target-release",
        "--default-release",
        "-o",
        "--option",
        "-c",
        "--config-file",
    ],
};

fn unpinned(runs: &Runs<'_>, report: &mut Report<'_>) {
    for install in APT_GET.installs(runs) {
        let unpinned: Vec<_> = install
            .packages
            .into_iter()
            .filter(|word| !word.text().contains(['=', '/']) && !is_file(word.text(), &[".deb"]))
            .collect();
        let help = "Pin the version you tested: `package=version`; `apt-cache madison \
                    package` lists the available versions";
        report_unpinned(report, &unpinned, help);
    }
}

const LISTS: &str = "/var/lib/apt/lists";

/// The directory of downloaded packages, which Debian's images empty after each installation.
const ARCHIVES: &str = "/var/cache/apt";

/// The setting of Debian's images that empties [`ARCHIVES`].
const CLEAN_SETTING: &str = "/docker-clean";

fn lists_kept(runs: &Runs<'_>, report: &mut Report<'_>) {
    let mut keeps_archives = None;
    for (at, run) in runs.runs.iter().enumerate() {
        if run.commands().any(|site| removes_clean_setting(site.command)) {
            keeps_archives = Some(run.instruction.stage);
        }
        if runs.is_in_image(run) && updates_lists(run) {
            let is_same_stage = |other: &&Run<'_>| other.instruction.stage == run.instruction.stage;
            let next =
                runs.runs[at + 1..].iter().take_while(is_same_stage).find(|it| uses_lists(it));
            let keeps_archives = keeps_archives == Some(run.instruction.stage);
            lists_kept_by(run, keeps_archives, next.is_some_and(|it| !updates_lists(it)), report);
        }
    }
}

fn is_apt(site: &Site<'_>, verbs: &[&str]) -> bool {
    matches!(site.command.program(), "apt-get" | "apt" | "aptitude")
        && site.command.has_argument(verbs)
}

fn updates_lists(run: &Run<'_>) -> bool {
    run.commands().any(|site| is_apt(&site, &["update"]))
}

fn uses_lists(run: &Run<'_>) -> bool {
    const VERBS: [&str; 6] =
        ["install", "upgrade", "dist-upgrade", "full-upgrade", "build-dep", "update"];
    run.commands().any(|site| is_apt(&site, &VERBS))
}

fn removes_clean_setting(command: &Command) -> bool {
    command.program() == "rm"
        && command.arguments().iter().any(|word| word.text().ends_with(CLEAN_SETTING))
}

/// `are_used` is whether a later `RUN` installs packages from the lists.
fn lists_kept_by(run: &Run<'_>, keeps_archives: bool, are_used: bool, report: &mut Report<'_>) {
    let Some(update) = run.commands().find(|site| is_apt(site, &["update"])) else { return };
    let removes = |site: Site<'_>| {
        caches::removes(site.command, &[LISTS])
            || caches::calls(site.command, &["apt-get", "apt"], &["distclean", "dist-clean"])
    };
    if run.commands().any(removes) {
        return;
    }
    if run.has_mount_at(&[LISTS]) {
        // A mount of only the lists is deliberate.
        let only_lists = run.mount_targets().any(|target| target == LISTS);
        if keeps_archives && !only_lists && !run.has_mount_at(&[ARCHIVES]) {
            report
                .at(update.command.span, "the downloaded packages remain in the image")
                .help(format!("Mount a cache at `{ARCHIVES}` too, or keep `docker-clean`"));
        }
        return;
    }
    let finding =
        report.at(update.command.span, "the downloaded package lists remain in the image");
    if are_used {
        finding.help(
            "Update and install in one `RUN`, and remove the lists at its end: \
             `rm -rf /var/lib/apt/lists/*`",
        );
        return;
    }
    finding.help("Remove them in the same `RUN`: `rm -rf /var/lib/apt/lists/*`");
    if let Some(edit) = append_command(run, "rm -rf /var/lib/apt/lists/*") {
        finding.fix_unsafe("Remove the package lists at the end of the RUN", vec![edit]);
    }
}

fn without_yes(runs: &Runs<'_>, report: &mut Report<'_>) {
    // The setting can apply to all later commands, for example in a file in /etc/apt/apt.conf.d.
    let text = runs.source.text();
    let configured = text.match_indices("Assume-Yes").find(|(at, _)| {
        let line = text[*at..].lines().next().unwrap_or_default();
        line.contains("true") || line.contains("\"1\"")
    });
    let configured = configured.map_or(usize::MAX, |(at, _)| at);
    for install in APT_GET.installs(runs) {
        let command = install.site.command;
        if configured < command.span.start as usize {
            continue;
        }
        let program = command.program();
        let quiet = |text: &str| match text.strip_prefix('-') {
            Some(rest) if !rest.starts_with('-') && !rest.contains('=') => {
                rest.matches('q').count()
            }
            Some("-quiet") => 1,
            Some("q=2" | "-quiet=2") => 2,
            _ => 0,
        };
        let quiet: usize = command.arguments().iter().map(|word| quiet(word.text())).sum();
        if quiet > 1 && program == "apt-get" || command.has_option(&["y", "yes", "assume-yes"]) {
            continue;
        }
        let message = format!("`{program} install` waits for a confirmation that never comes");
        let finding = report.at(install.verb.span, message);
        finding.help("Add `-y`");
        if install.site.run.is_editable() {
            finding.fix("Add -y", vec![Edit::insert(install.verb.span.end, " -y")]);
        }
    }
}

fn recommends(runs: &Runs<'_>, report: &mut Report<'_>) {
    // The setting can apply to all later commands, for example in a file in /etc/apt/apt.conf.d.
    let configured = runs.source.text().find("APT::Install-Recommends").unwrap_or(usize::MAX);
    for install in APT_GET.installs(runs) {
        let command = install.site.command;
        let disabled = command.arguments().iter().any(|word| {
            let text = word.text();
            if text == "--without-recommends" || text == "-R" {
                return command.program() == "aptitude";
            }
            let value = text.split_once("APT::Install-Recommends=").map(|(_, value)| value);
            text == "--no-install-recommends"
                || value.is_some_and(|it| matches!(it, "false" | "0" | "no" | "off"))
        });
        if disabled
            || configured < install.site.run.instruction.span.start as usize
            || !runs.is_in_image(install.site.run)
        {
            continue;
        }
        let finding = report.at(
            install.verb.span,
            "recommended packages are installed in addition to the requested packages",
        );
        finding.help("Add `--no-install-recommends` and list the packages that are needed");
        if install.site.run.is_editable() {
            let option = match command.program() {
                "aptitude" => "--without-recommends",
                _ => "--no-install-recommends",
            };
            let edit = Edit::insert(install.verb.span.end, format!(" {option}"));
            finding.fix_unsafe(format!("Add {option}"), vec![edit]);
        }
    }
}

/// Subcommands of both apt and apt-get.
const SHARED: [&str; 9] = [
    "install",
    "update",
    "upgrade",
    "remove",
    "purge",
    "autoremove",
    "clean",
    "autoclean",
    "source",
];

fn apt(runs: &Runs<'_>, report: &mut Report<'_>) {
    let calls: Vec<Site<'_>> = runs.calls(&["apt"]).collect();
    // One finding per `RUN`, because its commands are changed together.
    for calls in calls.chunk_by(|site, next| std::ptr::eq(site.run, next.run)) {
        let Some(first) = calls.first() else { continue };
        let message = "`apt` is intended for interactive use, not for scripts";
        let finding = report.at(first.program_span(), message);
        let replacement = match verb(first) {
            "list" | "show" | "search" | "policy" => "apt-cache",
            _ => "apt-get",
        };
        finding.help(format!("Use `{replacement}`, whose options and output are stable"));
        let is_fixable = |site: &Site<'_>| {
            let is_plain_call = site.command.words.first().is_some_and(|word| word.text() == "apt");
            is_plain_call && SHARED.contains(&verb(site)) && site.run.is_editable()
        };
        if calls.iter().all(is_fixable) {
            let edits = calls.iter().map(|site| Edit::replace(site.program_span(), "apt-get"));
            finding.fix("Use apt-get", edits.collect());
        }
    }
}

fn verb<'a>(site: &Site<'a>) -> &'a str {
    site.command.operands().next().map_or("", |word| word.text())
}
