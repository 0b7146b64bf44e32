//! Build arguments in FROM.

use super::super::Checks;
use super::base::is_platform;
use super::variables::nearest_name;
use aidd_engine::parse::dockerfile::{Dockerfile, Keyword, Use, Variable, Word, uses};
use aidd_engine::rules::rule::Report;
use aidd_engine::text::source::Span;
use regex::Regex;
use std::collections::HashMap;
use std::sync::LazyLock;

pub(super) const CHECKS: Checks<Dockerfile> = &[
    ("dockerfile/undefined-arg-in-from", undefined_arg_in_from),
    ("dockerfile/empty-arg-in-from", empty_arg_in_from),
];

/// The words of a FROM in which the builder expands variables.
fn words(file: &Dockerfile, from: usize) -> impl Iterator<Item = &Word> {
    let from = &file.instructions[from];
    from.flags.iter().filter_map(|flag| flag.value.as_ref()).chain(from.words.first())
}

fn variable_uses(file: &Dockerfile, from: usize, word: &Word) -> Vec<Use> {
    uses(&file.instructions[from].logical.text()[word.at.clone()], file.escape)
}

fn undefined_arg_in_from(file: &Dockerfile, report: &mut Report<'_>) {
    let globals = file.globals();
    for stage in &file.stages {
        for word in words(file, stage.from) {
            for used in variable_uses(file, stage.from, word) {
                let known = globals.contains_key(&*used.name) || is_platform(&used.name);
                let range = word.at.start + used.at.start..word.at.start + used.at.end;
                let text = &file.instructions[stage.from].logical.text()[range.clone()];
                // `${docker.image}` is a property that another tool, such as Maven, replaces.
                let is_property = used.operator.is_empty() && text.contains('.');
                if !known && !is_property && !used.operator.contains(['-', '+']) {
                    let span = file.instructions[stage.from].logical.span(range);
                    report_undefined(file, &used.name, span, &globals, report);
                }
            }
        }
    }
}

fn report_undefined(
    file: &Dockerfile,
    name: &str,
    span: Span,
    globals: &HashMap<&str, Variable<'_>>,
    report: &mut Report<'_>,
) {
    let finding = report.at(span, format!("`{name}` is not declared before FROM"));
    let mut declared = file.all(Keyword::Arg).flat_map(|arg| &arg.pairs).map(|pair| &pair.key);
    if let Some(later) = declared.find(|key| key.text == name) {
        finding
            .help(format!("Move `ARG {name}` above the first FROM"))
            .related(later.span, "declared within a stage, not visible to FROM");
    } else if let Some(near) = nearest_name(name, globals.keys().copied()) {
        finding.help(format!("Did you mean `{near}`?"));
    } else {
        finding.help(format!("Add `ARG {name}=…` above the first FROM"));
    }
}

/// Matches a complete image reference.
static REFERENCE: LazyLock<Regex> = LazyLock::new(|| {
    Regex::new(
        r"^(?:[A-Za-z0-9](?:[A-Za-z0-9.-]*[A-Za-z0-9])?(?::[0-9]+)?/)?[a-z0-9]+(?:(?:\.|_|__|-+)[a-z0-9]+)*(?:/[a-z0-9]+(?:(?:\.|_|__|-+)[a-z0-9]+)*)*(?::[A-Za-z0-9_][A-Za-z0-9_.-]{0,127})?(?:@[A-Za-z0-9.+_-]+:[0-9a-fA-F]+)?$",
    )
    .expect("a fixed pattern")
});

fn empty_arg_in_from(file: &Dockerfile, report: &mut Report<'_>) {
    let globals = file.globals();
    for stage in file.stages.iter().filter(|stage| stage.base.is_none()) {
        let Some(image) = &stage.image else { continue };
        let used = variable_uses(file, stage.from, image);
        let empty = used.iter().find_map(|used| {
            let global = globals.get(&*used.name)?;
            (global.value.is_none_or(str::is_empty) && used.operator.is_empty()).then_some(global)
        });
        let Some(empty) = empty else { continue };
        let Some(name) = expand(&image.text, &globals, file) else { continue };
        if file.stage_named(&name, file.stages.len()).is_some() || REFERENCE.is_match(&name) {
            continue;
        }
        let image_name = if name.is_empty() { "empty".to_owned() } else { format!("`{name}`") };
        let message =
            format!("without a value for `{}` the image name is {image_name}", empty.name);
        report
            .at(image.span, message)
            .help("Add a default value to the argument")
            .related(empty.span, "declared without a default");
    }
}

/// The image name with the default values of its arguments; `None` if an argument is undeclared,
/// nested or used with an operator other than a default value.
fn expand(text: &str, globals: &HashMap<&str, Variable<'_>>, file: &Dockerfile) -> Option<String> {
    let mut name = String::new();
    let mut end = 0;
    for used in uses(text, file.escape) {
        if used.at.start < end {
            return None;
        }
        let global = globals.get(&*used.name)?;
        let value = global.value.unwrap_or_default();
        name.push_str(&text[end..used.at.start]);
        match used.operator {
            "" => name.push_str(value),
            ":-" | "-" if !value.is_empty() => name.push_str(value),
            _ => return None,
        }
        end = used.at.end;
    }
    name.push_str(&text[end..]);
    (!name.contains('$')).then_some(name)
}
