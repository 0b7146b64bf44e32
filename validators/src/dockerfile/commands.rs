//! Checks on CMD, ENTRYPOINT, HEALTHCHECK, ONBUILD, WORKDIR and MAINTAINER.

use super::super::Checks;
use super::casing::Casing;
use aidd_engine::parse::dockerfile::{Dockerfile, Instruction, Keyword, Stage};
use aidd_engine::rules::rule::Report;
use aidd_engine::text::finding::{Edit, Severity};
use serde_json::Value;

pub(super) const CHECKS: Checks<Dockerfile> = &[
    ("dockerfile/shell-form-command", shell_form_command),
    ("dockerfile/multiple-cmd", multiple_cmd),
    ("dockerfile/multiple-entrypoint", multiple_entrypoint),
    ("dockerfile/multiple-healthcheck", multiple_healthcheck),
    ("dockerfile/no-healthcheck", no_healthcheck),
    ("dockerfile/forbidden-onbuild", forbidden_onbuild),
    ("dockerfile/relative-workdir", relative_workdir),
    ("dockerfile/maintainer", maintainer),
];

fn shell_form_command(file: &Dockerfile, report: &mut Report<'_>) {
    for instruction in &file.instructions {
        // A health check receives no signals.
        let command = match instruction.kind {
            Keyword::Cmd | Keyword::Entrypoint => instruction,
            _ => continue,
        };
        let text = command.argument();
        if command.json || text.is_empty() || text.contains("{{") || text.contains("<%") {
            continue;
        }
        let name = command.kind.name();
        let span = command.argument_span();
        let finding = report.at(span, format!("{name} in shell form"));
        finding.help("Use a JSON array, so that the program receives signals directly");
        if let Some(words) = plain_words(command).filter(|_| command.shell.is_none()) {
            let text = Value::from(words).to_string().replace("\",\"", "\", \"");
            finding.fix_unsafe("Write it as JSON", vec![Edit::replace(span, text)]);
        } else {
            // The command needs a shell.
            finding.severity = finding.severity.min(Severity::Info);
        }
    }
}

/// Words that only a shell supports at the start of a command.
const BUILTINS: [&str; 16] = [
    ".", ":", "alias", "cd", "eval", "exec", "exit", "export", "if", "for", "read", "set",
    "source", "trap", "ulimit", "while",
];

/// The words of a command without shell syntax; a leading `exec` is removed.
fn plain_words(command: &Instruction) -> Option<Vec<&str>> {
    let is_plain = |c: char| c.is_ascii_alphanumeric() || "_./:=@%+,- ".contains(c);
    let text = command.argument();
    if command.json || !text.chars().all(is_plain) {
        return None;
    }
    let mut words: Vec<&str> = text.split_whitespace().collect();
    if words.len() > 1 && words[0] == "exec" {
        words.remove(0);
    }
    let first = words.first()?;
    (!first.contains('=') && !first.starts_with('-') && !BUILTINS.contains(first)).then_some(words)
}

fn multiple_cmd(file: &Dockerfile, report: &mut Report<'_>) {
    report_all_but_first(file, Keyword::Cmd, report);
}

fn multiple_entrypoint(file: &Dockerfile, report: &mut Report<'_>) {
    report_all_but_first(file, Keyword::Entrypoint, report);
}

fn multiple_healthcheck(file: &Dockerfile, report: &mut Report<'_>) {
    report_all_but_first(file, Keyword::Healthcheck, report);
}

/// Reports all but the first instruction of `kind` in each stage.
fn report_all_but_first(file: &Dockerfile, kind: Keyword, report: &mut Report<'_>) {
    if file.template {
        return;
    }
    for stage in &file.stages {
        let mut previous: Option<&Instruction> = None;
        for instruction in
            file.of_stage(stage).iter().filter(|instruction| instruction.kind == kind)
        {
            // `ENTRYPOINT []` discards the entry point of the base on purpose.
            let is_reset = |previous: &&Instruction| previous.argument().trim() == "[]";
            if let Some(previous) = previous.filter(|previous| !is_reset(previous)) {
                let name = kind.name();
                report
                    .at(instruction.span, format!("more than one {name} in the stage"))
                    .help(format!("Only the last {name} takes effect; remove the others"))
                    .related(previous.span, "this instruction has no effect");
            }
            previous = Some(instruction);
        }
    }
}

fn no_healthcheck(file: &Dockerfile, report: &mut Report<'_>) {
    // A stage inherits the HEALTHCHECK of its base. A base without HEALTHCHECK is not reported if a
    // stage that builds on this base has a HEALTHCHECK.
    let contains_check = |stage: &Stage| {
        file.of_stage(stage).iter().any(|instruction| instruction.kind == Keyword::Healthcheck)
    };
    let has_check: Vec<bool> = file.stages.iter().map(contains_check).collect();
    let mut has_check_or_inherits = has_check.clone();
    for (at, stage) in file.stages.iter().enumerate() {
        has_check_or_inherits[at] |= stage.base.is_some_and(|base| has_check_or_inherits[base]);
    }
    let mut has_check_or_is_base = has_check;
    for (at, stage) in file.stages.iter().enumerate().rev() {
        if let Some(base) = stage.base.filter(|_| has_check_or_is_base[at]) {
            has_check_or_is_base[base] = true;
        }
    }
    for (stage, checks) in
        file.stages.iter().zip(std::iter::zip(has_check_or_inherits, has_check_or_is_base))
    {
        if checks == (false, false) {
            report
                .at(file.instructions[stage.from].span, "the image has no HEALTHCHECK")
                .help("Add a check command, or `HEALTHCHECK NONE`");
        }
    }
}

fn forbidden_onbuild(file: &Dockerfile, report: &mut Report<'_>) {
    for instruction in file.all(Keyword::Onbuild) {
        let Some(inner) = &instruction.inner else { continue };
        if matches!(inner.kind, Keyword::From | Keyword::Maintainer | Keyword::Onbuild) {
            let message = format!("{} cannot be triggered by ONBUILD", inner.kind.name());
            report.at(inner.keyword, message);
        }
    }
}

fn relative_workdir(file: &Dockerfile, report: &mut Report<'_>) {
    // For each stage, whether its working directory is known; index 0 is the part before the first
    // FROM.
    let mut known = vec![false; file.stages.len() + 1];
    for instruction in &file.instructions {
        let at = instruction.stage.map_or(0, |stage| stage + 1);
        let base = instruction.stage.and_then(|stage| file.stages.get(stage)?.base);
        match (instruction.kind, instruction.words.first()) {
            (Keyword::From, _) => known[at] = base.is_some_and(|base| known[base + 1]),
            (Keyword::Workdir, Some(path)) if is_absolute(file, &path.text) => known[at] = true,
            (Keyword::Workdir, Some(path)) if !known[at] => {
                report
                    .at(path.span, format!("WORKDIR `{}` is relative", path.text.trim()))
                    .help("Start it with `/`; a relative path depends on the base image");
            }
            _ => {}
        }
    }
}

fn is_absolute(file: &Dockerfile, path: &str) -> bool {
    let path = path.trim();
    let has_drive = matches!(path.as_bytes(), [letter, b':', ..] if letter.is_ascii_alphabetic());
    let is_share = file.escape.0 == '`' && path.starts_with('\\');
    has_drive || is_share || path.starts_with(['/', '$', '{'])
}

fn maintainer(file: &Dockerfile, report: &mut Report<'_>) {
    let casing = Casing::from_file(file, report.source());
    for instruction in file.all(Keyword::Maintainer) {
        let Some(name) = instruction.words.first() else { continue };
        let finding = report.at(instruction.keyword, "MAINTAINER is deprecated");
        finding.help("Use `LABEL org.opencontainers.image.authors=\"…\"`");
        if !name.text.contains(['"', '\\', '`', '\n']) {
            let keyword = casing.apply("LABEL");
            let text = format!("{keyword} org.opencontainers.image.authors=\"{}\"", name.text);
            finding.fix("Use a label", vec![Edit::replace(instruction.span, text)]);
        }
    }
}
