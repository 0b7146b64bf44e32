//! USER.

use super::super::Checks;
use aidd_engine::parse::dockerfile::{Dockerfile, Keyword, Origin, Word, uses};
use aidd_engine::rules::rule::Report;

pub(super) const CHECKS: Checks<Dockerfile> =
    &[("dockerfile/root-user", root_user), ("dockerfile/user-by-name", user_by_name)];

/// The user without the group.
fn user(word: &Word) -> &str {
    word.text.split(':').next().unwrap_or_default().trim()
}

fn root_user(file: &Dockerfile, report: &mut Report<'_>) {
    for stage in &file.stages {
        let last = file.of_stage(stage).iter().rfind(|one| one.kind == Keyword::User);
        let Some(word) = last.and_then(|last| last.words.first()) else { continue };
        if matches!(user(word), "root" | "0") {
            report
                .at(word.span, "the last USER of the stage is root")
                .help("switch to a user without privileges at the end");
        }
    }
}

fn user_by_name(file: &Dockerfile, report: &mut Report<'_>) {
    file.walk(|instruction, seen| {
        let word = instruction.words.first().filter(|_| instruction.kind == Keyword::User);
        let Some(word) = word else { return };
        let name = user(word);
        if name.contains("{{") || name.contains('<') || is_number(name) {
            return;
        }
        let used = uses(name, file.escape);
        let all = used.iter().map(|used| used.at.len()).sum::<usize>() == name.len();
        if let Some(used) = used.first().filter(|_| all) {
            // The value of an ARG is chosen at build time; a number is accepted.
            let known = seen.get(&*used.name).filter(|known| known.origin == Origin::Env);
            let value = known.and_then(|known| known.value);
            if value.is_none_or(|value| is_number(value) || value.contains('$')) {
                return;
            }
        }
        report
            .at(word.span, format!("user `{name}` is specified by name"))
            .help("use its number, so that Kubernetes can verify that it is not root");
    });
}

fn is_number(text: &str) -> bool {
    !text.is_empty() && text.bytes().all(|byte| byte.is_ascii_digit())
}
