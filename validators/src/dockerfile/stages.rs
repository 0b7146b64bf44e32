//! Stages: their names, and copies between them.

use super::super::Checks;
use super::builds::BuildFiles;
use super::{CheckContext, ContextCheck};
use aidd_engine::parse::dockerfile::{Dockerfile, Flag, Instruction, Keyword};
use aidd_engine::rules::rule::Report;
use aidd_engine::text::finding::{Edit, Severity};
use aidd_engine::text::source::Span;
use std::cell::LazyCell;

pub(super) const CONTEXT_CHECKS: &[(&str, ContextCheck)] =
    &[("dockerfile/undefined-copy-stage", undefined_copy_stage)];

pub(super) const CHECKS: Checks<Dockerfile> = &[
    ("dockerfile/copy-from-own-stage", copy_from_own_stage),
    ("dockerfile/copy-whole-stage", copy_whole_stage),
    ("dockerfile/duplicate-stage-name", duplicate_stage_name),
    ("dockerfile/reserved-stage-name", reserved_stage_name),
    ("dockerfile/stage-name-casing", stage_name_casing),
    ("dockerfile/as-casing", as_casing),
    ("dockerfile/instruction-before-from", instruction_before_from),
];

/// The instructions `COPY --from`, each with the flag, the value of the flag, and the number of
/// preceding stages.
fn copies(file: &Dockerfile) -> impl Iterator<Item = (&Instruction, &Flag, &str, usize)> {
    file.all(Keyword::Copy).filter_map(|copy| {
        let flag = copy.flag("from")?;
        Some((copy, flag, flag.text(), copy.stage.unwrap_or(0)))
    })
}

/// A stage or image that `COPY --from` or a mount of `RUN` reads.
pub(super) struct CopySource<'a> {
    /// The name as written.
    pub(super) name: &'a str,
    /// The span of the flag.
    pub(super) span: Span,
    /// The number of stages before the stage of the instruction.
    before: usize,
}

fn copy_sources(file: &Dockerfile) -> impl Iterator<Item = CopySource<'_>> {
    file.effective().flat_map(|instruction| {
        let before = instruction.stage.unwrap_or(0);
        instruction.flags.iter().filter_map(move |flag| {
            let name = match (instruction.kind, &*flag.name) {
                (Keyword::Copy, "from") => flag.text(),
                (Keyword::Run, "mount") => flag.part("from")?,
                _ => return None,
            };
            Some(CopySource { name, span: flag.span, before })
        })
    })
}

/// The images that `COPY --from` and the mounts of `RUN` read.
pub(super) fn copied_images(file: &Dockerfile) -> impl Iterator<Item = CopySource<'_>> {
    copy_sources(file).filter(|source| {
        source.name.contains(['/', ':'])
            && !source.name.contains(['{', '<'])
            && file.stage_named(source.name, source.before).is_none()
    })
}

/// For each stage, whether `COPY --from` or a mount of `RUN` in a later stage reads it.
pub(super) fn copied_stages(file: &Dockerfile) -> Vec<bool> {
    let mut copied = vec![false; file.stages.len()];
    for source in copy_sources(file) {
        let number = source.name.parse().ok().filter(|number| *number < source.before);
        let stage = number.or_else(|| file.stage_named(source.name, source.before));
        if let Some(slot) = stage.and_then(|stage| copied.get_mut(stage)) {
            *slot = true;
        }
    }
    copied
}

fn is_own_name(file: &Dockerfile, stage: usize, name: &str) -> bool {
    let own_name = file.stages.get(stage).and_then(|stage| stage.name.as_ref());
    own_name.is_some_and(|own_name| own_name.text.eq_ignore_ascii_case(name))
}

/// Maximum number of names compared for a suggestion.
const MAX_CANDIDATES: usize = 200;

fn undefined_copy_stage(context: &CheckContext<'_>, report: &mut Report<'_>) {
    let file = context.docker;
    let path = report.source().path();
    let builds = LazyCell::new(|| BuildFiles::read(context.files, path));
    for (_, flag, name, stage) in copies(file) {
        let is_number = !name.is_empty() && name.bytes().all(|byte| byte.is_ascii_digit());
        if is_number {
            if name.parse().is_ok_and(|number: usize| number >= stage) {
                let finding = report.at(flag.span, format!("no earlier stage with number {name}"));
                finding.help("Stages are numbered from 0; use the name of an earlier stage");
            }
            continue;
        }
        if name.contains([':', '{', '<', '@'])
            || name.starts_with('$')
            || file.stage_named(name, stage).is_some()
            || is_own_name(file, stage, name)
            || builds.names_context(name)
        {
            continue;
        }
        if name.contains('/') {
            report
                .at(flag.span, format!("image `{name}` has no tag"))
                .help("Add the tag you tested, for example `:1.2`, or a digest");
            continue;
        }
        report_undefined(file, flag, (name, stage), report);
    }
}

fn report_undefined(
    file: &Dockerfile,
    flag: &Flag,
    (name, stage): (&str, usize),
    report: &mut Report<'_>,
) {
    let before = &file.stages[..stage.min(file.stages.len())];
    let names = before.iter().filter_map(|stage| stage.name.as_ref());
    let near = names
        .filter(|known| known.text.len().max(name.len()) < 64)
        .take(MAX_CANDIDATES)
        .map(|known| (strsim::damerau_levenshtein(&known.text, name), known))
        .filter(|(distance, known)| distance * 3 <= known.text.len())
        .min_by_key(|(distance, _)| *distance);
    let later = file.stage_named(name, file.stages.len()).map(|index| &file.stages[index]);
    let finding = report.at(flag.span, format!("no earlier stage named `{name}`"));
    match (near, later.and_then(|stage| stage.name.as_ref())) {
        (Some((_, known)), _) => {
            finding.help(format!("Did you mean `{}`?", known.text));
        }
        (None, Some(later)) => {
            finding.help("Move that stage up").related(later.span, "the stage is defined here");
        }
        (None, None) => {
            finding.help("Use an earlier stage, or an image with its tag");
        }
    }
}

fn copy_from_own_stage(file: &Dockerfile, report: &mut Report<'_>) {
    for (_, flag, name, stage) in copies(file) {
        if is_own_name(file, stage, name) && file.stage_named(name, stage).is_none() {
            report.at(flag.span, format!("stage `{name}` copies from itself")).help(
                "Copy from an earlier stage; within a stage, use RUN cp or a copy without --from",
            );
        }
    }
}

fn copy_whole_stage(file: &Dockerfile, report: &mut Report<'_>) {
    for (copy, _, name, _) in copies(file) {
        if let [source, target] = &*copy.words
            && source.text == "/"
            && target.text == "/"
        {
            report
                .at(copy.span, format!("everything in `{name}` is copied"))
                .help(format!("Build on it (`FROM {name}`), or copy only what is needed"));
        }
    }
}

fn duplicate_stage_name(file: &Dockerfile, report: &mut Report<'_>) {
    for (index, stage) in file.stages.iter().enumerate() {
        let Some(name) = &stage.name else { continue };
        let first = file.stage_named(&name.text, index).map(|first| &file.stages[first]);
        if let Some(first) = first.and_then(|first| first.name.as_ref()) {
            report
                .at(name.span, format!("duplicate stage name `{}`", first.text))
                .help("Give each stage a unique name")
                .related(first.span, "first defined here");
        }
    }
}

fn reserved_stage_name(file: &Dockerfile, report: &mut Report<'_>) {
    for name in file.stages.iter().filter_map(|stage| stage.name.as_ref()) {
        if ["scratch", "context"].iter().any(|word| name.text.eq_ignore_ascii_case(word)) {
            report
                .at(name.span, format!("`{}` is a reserved name of the builder", name.text))
                .help("Choose another name");
        }
    }
}

fn stage_name_casing(file: &Dockerfile, report: &mut Report<'_>) {
    for name in file.stages.iter().filter_map(|stage| stage.name.as_ref()) {
        let lower = name.text.to_lowercase();
        if lower != name.text && !name.text.contains(['$', '{']) {
            report
                .at(name.span, format!("stage name `{}` is not in lower case", name.text))
                .help(format!("Builders compare names in lower case; rename it to `{lower}`"));
        }
    }
}

fn as_casing(file: &Dockerfile, report: &mut Report<'_>) {
    for stage in &file.stages {
        let Some(span) = stage.as_keyword else { continue };
        let from = report.source().slice(file.instructions[stage.from].keyword);
        let expected = match from {
            "FROM" => "AS",
            "from" => "as",
            _ => continue,
        };
        let written = report.source().slice(span);
        if written != expected && (written == "as" || expected == "as") {
            report
                .at(span, format!("`{written}` is cased differently from `{from}`"))
                .fix(format!("Write {expected}"), vec![Edit::replace(span, expected)]);
        }
    }
}

fn instruction_before_from(file: &Dockerfile, report: &mut Report<'_>) {
    if file.template {
        return;
    }
    let before = file.instructions.iter().take_while(|instruction| instruction.stage.is_none());
    for instruction in before {
        if !matches!(instruction.kind, Keyword::Arg | Keyword::Unknown) {
            let name = instruction.kind.name();
            let finding = report.at(instruction.keyword, format!("{name} before the first FROM"));
            finding.help("Only ARG, comments and parser directives are allowed there");
            // A file without `FROM` is often appended to another file or included in it.
            if file.stages.is_empty() {
                finding.severity = finding.severity.min(Severity::Info);
            }
        }
    }
}
