//! Programs that are useless in a build, or have a better alternative.

use super::super::casing::Casing;
use super::{Check, Run, Runs, Site};
use crate::shell::Join;
use aidd_engine::parse::dockerfile::{Keyword, image};
use aidd_engine::rules::rule::Report;
use aidd_engine::text::finding::{Edit, Severity};
use aidd_engine::text::source::Span;

pub(super) const CHECKS: &[(&str, Check)] = &[
    ("dockerfile/pointless-command", useless),
    ("dockerfile/cd-instead-of-workdir", cd),
    ("dockerfile/sudo", sudo),
    ("dockerfile/useradd-high-uid", useradd),
    ("dockerfile/sh-link", sh_link),
];

/// Programs that are useless while an image is built, and the reason.
const USELESS: [(&str, &str); 9] = [
    ("ssh", "opens a session to another machine"),
    ("vim", "is interactive"),
    ("shutdown", "shuts down a machine, which a build does not have"),
    ("service", "starts a service that stops with this `RUN`"),
    ("ps", "only lists the processes of the build"),
    ("free", "shows the memory of the build machine"),
    ("top", "is interactive"),
    ("kill", "stops a process that ends with this `RUN` anyway"),
    ("mount", "needs privileges that a build does not have"),
];

fn useless(runs: &Runs<'_>, report: &mut Report<'_>) {
    for site in runs.commands() {
        let program = site.command.program();
        if let Some((_, why)) = USELESS.iter().find(|(name, _)| *name == program) {
            report
                .at(site.program_span(), format!("`{program}` {why}"))
                .help("Remove it from the build");
        }
    }
}

fn cd(runs: &Runs<'_>, report: &mut Report<'_>) {
    let casing = Casing::from_file(runs.file, runs.source);
    for run in &runs.runs {
        let Some(site) = run.commands().find(|site| site.command.program() == "cd") else {
            continue;
        };
        let finding =
            report.at(site.command.span, "`cd` changes the directory for this `RUN` only");
        finding.help("Use `WORKDIR`, which also applies to the following instructions");
        if let Some(edit) = workdir(&site, casing) {
            finding.fix_unsafe("Use WORKDIR", vec![edit]);
        }
    }
}

/// Rewrites `RUN cd /x && rest` as `WORKDIR /x` and `RUN rest`.
fn workdir(site: &Site<'_>, casing: Casing) -> Option<Edit> {
    let run = site.run;
    let [_, directory] = site.command.words.as_slice() else { return None };
    let is_rewritable = site.index == 0
        && run.instruction.stage.is_some()
        && directory.is_literal()
        && directory.text().starts_with('/')
        && !directory.text().contains(char::is_whitespace)
        && run.scripts.len() == 1
        && run.is_editable()
        && run.instruction.heredocs.is_empty()
        && run.instruction.flags.is_empty()
        && site.script.scopes.len() == 1;
    let next = site.script.commands.get(1).filter(|next| next.before == Join::And)?;
    let has_other_cd = site.script.commands[1..].iter().any(|it| it.program() == "cd");
    if !is_rewritable || has_other_cd || run.instruction.span.start != run.instruction.keyword.start
    {
        return None;
    }
    let span = Span { start: run.instruction.keyword.start, end: next.span.start };
    let (workdir, run) = (casing.apply("WORKDIR"), casing.apply("RUN"));
    Some(Edit::replace(span, format!("{workdir} {}\n{run} ", directory.text())))
}

fn sudo(runs: &Runs<'_>, report: &mut Report<'_>) {
    for site in runs.calls(&["sudo"]) {
        if has_image_with_user(runs, &site) || changes_user(&site) {
            continue;
        }
        let span = site.program_span();
        let finding = report.at(span, "`sudo` is not needed in a build");
        finding.help("Switch with `USER root` and back, or use `gosu` when the container starts");
        let next = site.command.words.get(1).filter(|next| !next.text().starts_with('-'));
        if let Some(next) = next.filter(|_| site.run.is_editable()) {
            let edit = Edit::delete(Span { start: span.start, end: next.span.start });
            finding.fix_unsafe("Remove sudo", vec![edit]);
        }
    }
}

/// Whether `sudo` runs a command as another user: `sudo -u postgres`, `sudo runuser -u postgres`.
fn changes_user(site: &Site<'_>) -> bool {
    let mut words = site.command.words.iter().skip(1).map(crate::shell::Word::text);
    words.next().is_some_and(|first| {
        matches!(first, "runuser" | "su" | "gosu" | "setpriv")
            || first.starts_with("-u")
            || first.starts_with("--user")
    })
}

/// Whether the base image probably runs as another user, who needs `sudo`. Official images run as
/// root and do not contain `sudo`; in any other image, `sudo` is part of the base image if neither
/// a `USER` nor an installation of `sudo` precedes it.
fn has_image_with_user(runs: &Runs<'_>, site: &Site<'_>) -> bool {
    let file = runs.file;
    let Some(mut stage) = site.run.instruction.stage.and_then(|stage| file.stages.get(stage))
    else {
        return false;
    };
    let mut end = site.run.index;
    let mut preceding = Vec::new();
    loop {
        let range = stage.instructions.start..end;
        if file.instructions[range.clone()].iter().any(|it| it.kind == Keyword::User) {
            return false;
        }
        preceding.push(range);
        let Some(base) = stage.base.and_then(|base| file.stages.get(base)) else { break };
        (stage, end) = (base, base.instructions.end);
    }
    let image = stage.image.as_ref().map_or("", |word| &*word.text);
    let parsed = image::parse(image);
    let on_hub = matches!(parsed.registry, None | Some("docker.io"));
    let is_library = !parsed.name.contains('/') || parsed.name.starts_with("library/");
    let is_official = on_hub && is_library && !image.contains('$');
    let installs =
        |site: Site<'_>| site.command.program() != "sudo" && site.command.has_argument(&["sudo"]);
    let before = |run: &&Run<'_>| {
        run.index == site.run.index || preceding.iter().any(|range| range.contains(&run.index))
    };
    !is_official && !runs.runs.iter().filter(before).any(|run| run.commands().any(installs))
}

fn useradd(runs: &Runs<'_>, report: &mut Report<'_>) {
    for site in runs.calls(&["useradd"]) {
        let command = site.command;
        let mut after_option = false;
        let uid = command.arguments().iter().find(|word| {
            let text = word.text();
            let value = text.strip_prefix("--uid=").or(after_option.then_some(text));
            // The last of combined short options takes the value, as in `-ru 100000`.
            after_option = text == "--uid"
                || text.starts_with('-') && !text.starts_with("--") && text.ends_with('u');
            value.is_some_and(|it| it.len() > 5 && it.bytes().all(|byte| byte.is_ascii_digit()))
        });
        let Some(uid) = uid.filter(|_| !command.has_option(&["l", "no-l[og-init]"])) else {
            continue;
        };
        let finding =
            report.at(uid.span, "with a user id this high, `useradd` writes a huge log file");
        finding.help("Add `--no-log-init`");
        if site.run.is_editable() {
            let end = site.program_span().end;
            finding.fix("Add --no-log-init", vec![Edit::insert(end, " --no-log-init")]);
        }
    }
}

fn sh_link(runs: &Runs<'_>, report: &mut Report<'_>) {
    for site in runs.calls(&["ln"]) {
        let link = site.command.arguments().iter().find(|it| it.text() == "/bin/sh");
        if link.is_some() {
            let finding =
                report.at(site.command.span, "`/bin/sh` is replaced to change the shell of `RUN`");
            finding.help("Set the shell: `SHELL [\"/bin/bash\", \"-c\"]`");
            // The link can also be meant for the programs that run in the container.
            let is_last = site.following().next().is_none()
                && runs.runs.iter().all(|run| run.index <= site.run.index);
            if is_last {
                finding.severity = finding.severity.min(Severity::Info);
            }
        }
    }
}
