//! Checks on USER.

use super::super::Checks;
use super::stages::copied_stages;
use aidd_engine::parse::dockerfile::{
    Dockerfile, Instruction, Keyword, Origin, Stage, Variable, Word, uses,
};
use aidd_engine::rules::rule::Report;
use std::collections::HashMap;

pub(super) const CHECKS: Checks<Dockerfile> =
    &[("dockerfile/root-user", root_user), ("dockerfile/user-by-name", user_by_name)];

/// The user without the group.
fn user(word: &Word) -> &str {
    word.text.split(':').next().unwrap_or_default().trim()
}

fn root_user(file: &Dockerfile, report: &mut Report<'_>) {
    let users: Vec<Option<&Word>> =
        file.stages.iter().map(|stage| last_user(file, stage)).collect();
    // Whether containers run as the last user of the stage. This is true for the last stage, for a
    // stage that no other stage uses (it is built with `--target`), and for a stage on which one of
    // these stages builds without a USER.
    let mut is_used = copied_stages(file);
    for base in file.stages.iter().filter_map(|stage| stage.base) {
        is_used[base] = true;
    }
    let mut runs = vec![false; file.stages.len()];
    for (at, stage) in file.stages.iter().enumerate().rev() {
        runs[at] |= at + 1 == file.stages.len() || !is_used[at];
        if let Some(base) = stage.base.filter(|_| runs[at] && users[at].is_none()) {
            runs[base] = true;
        }
    }
    for ((stage, word), runs) in file.stages.iter().zip(users).zip(runs) {
        let Some(word) = word.filter(|_| runs) else { continue };
        if matches!(user(word), "root" | "0") && !drops_privileges(file, stage) {
            report
                .at(word.span, "the last USER of the stage is root")
                .help("Switch to a user without privileges at the end");
        }
    }
}

/// The argument of the last USER of a stage.
fn last_user<'a>(file: &'a Dockerfile, stage: &Stage) -> Option<&'a Word> {
    let last = file.of_stage(stage).iter().rfind(|instruction| instruction.kind == Keyword::User);
    last.and_then(|last| last.words.first())
}

/// Whether a stage contains a program with which the entrypoint changes the user.
fn drops_privileges(file: &Dockerfile, stage: &Stage) -> bool {
    const PROGRAMS: [&str; 4] = ["gosu", "su-exec", "setpriv", "s6-setuidgid"];
    file.of_stage(stage).iter().any(|instruction| {
        let mut words = instruction.argument().split(|c: char| !c.is_alphanumeric() && c != '-');
        words.any(|word| PROGRAMS.contains(&word))
    })
}

fn user_by_name(file: &Dockerfile, report: &mut Report<'_>) {
    let none = HashMap::new();
    let mut check = |instruction: &Instruction, visible: &HashMap<&str, Variable<'_>>| {
        let word = instruction.words.first().filter(|_| instruction.kind == Keyword::User);
        let Some(word) = word else { return };
        let name = user(word);
        // Root is reported by `root-user`, if it is the user of the container.
        if name.contains("{{") || name.contains('<') || is_number(name) || name == "root" {
            return;
        }
        let used = uses(name, file.escape);
        let is_only_variables = used.iter().map(|used| used.at.len()).sum::<usize>() == name.len();
        if let Some(used) = used.first().filter(|_| is_only_variables) {
            // The value of an ARG is chosen at build time; a number is accepted.
            let known = visible.get(&*used.name).filter(|known| known.origin == Origin::Env);
            let value = known.and_then(|known| known.value);
            if value.is_none_or(|value| is_number(value) || value.contains('$')) {
                return;
            }
        }
        report.at(word.span, format!("user `{name}` is specified by name")).help(
            "Use the number of the user, so that Kubernetes can verify that the user is not root",
        );
    };
    // Also check instructions before the first FROM, because a fragment that other Dockerfiles
    // include has no FROM.
    file.instructions.iter().take_while(|it| it.stage.is_none()).for_each(|it| check(it, &none));
    file.walk(|instruction, visible| check(instruction, visible));
}

fn is_number(text: &str) -> bool {
    !text.is_empty() && text.bytes().all(|byte| byte.is_ascii_digit())
}
