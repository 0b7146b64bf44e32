//! Checks on variables that are used before they are set or in the instruction that sets them.

use super::super::Checks;
use super::base::is_platform;
use aidd_engine::parse::dockerfile::{
    Dockerfile, Instruction, Keyword, Stage, Variable, Word, uses,
};
use aidd_engine::rules::rule::Report;
use aidd_engine::text::source::Span;
use std::collections::{HashMap, HashSet};

pub(super) const CHECKS: Checks<Dockerfile> = &[
    ("dockerfile/env-self-reference", env_self_reference),
    ("dockerfile/secret-in-arg-or-env", super::secret_variables::secret_in_arg_or_env),
    ("dockerfile/undefined-variable", undefined_variable),
];

fn env_self_reference(file: &Dockerfile, report: &mut Report<'_>) {
    let mut known: HashSet<&str> = HashSet::new();
    for instruction in &file.instructions {
        match instruction.kind {
            Keyword::From => known.clear(),
            Keyword::Arg | Keyword::Env => {
                if instruction.kind == Keyword::Env {
                    self_references(file, instruction, &known, report);
                }
                known.extend(instruction.pairs.iter().map(|pair| &*pair.key.text));
            }
            _ => {}
        }
    }
}

fn self_references(
    file: &Dockerfile,
    env: &Instruction,
    known: &HashSet<&str>,
    report: &mut Report<'_>,
) {
    let mut first: HashMap<&str, (usize, Span)> = HashMap::new();
    for (at, pair) in env.pairs.iter().enumerate() {
        first.entry(&pair.key.text).or_insert((at, pair.key.span));
    }
    for (at, pair) in env.pairs.iter().enumerate() {
        let Some(value) = &pair.value else { continue };
        for (name, span, operator) in uses_in(file, env, value) {
            // `A=$A` uses the previous value of `A`.
            let definition = first.get(&*name).filter(|&&(index, _)| index != at);
            let Some(&(_, definition)) =
                definition.filter(|_| !known.contains(&*name) && operator.is_empty())
            else {
                continue;
            };
            report
                .at(span, format!("`{name}` is set by the same ENV and not yet available"))
                .help("Set it in a separate ENV before this instruction")
                .related(definition, "set here");
        }
    }
}

/// The variables in `word`: name, span and operator.
fn uses_in<'a>(
    file: &Dockerfile,
    instruction: &'a Instruction,
    word: &Word,
) -> impl Iterator<Item = (String, Span, &'static str)> + use<'a> {
    let start = word.at.start;
    uses(&instruction.logical.text()[word.at.clone()], file.escape).into_iter().map(move |used| {
        let at = start + used.at.start..start + used.at.end;
        (used.name, instruction.logical.span(at), used.operator)
    })
}

/// Variables that are always set: the builder's proxies, and `PATH`.
const PREDEFINED: [&str; 11] = [
    "PATH",
    "HTTP_PROXY",
    "http_proxy",
    "HTTPS_PROXY",
    "https_proxy",
    "FTP_PROXY",
    "ftp_proxy",
    "NO_PROXY",
    "no_proxy",
    "ALL_PROXY",
    "all_proxy",
];

/// Whether the builder expands variables in instructions of this kind.
fn expands_variables(kind: Keyword) -> bool {
    use Keyword as K;
    matches!(
        kind,
        K::Add
            | K::Arg
            | K::Copy
            | K::Env
            | K::Expose
            | K::Label
            | K::Stopsignal
            | K::User
            | K::Volume
            | K::Workdir
    )
}

/// Reports a variable that is certainly not set. Variables set by a base image are not in the file,
/// so this means: on `scratch`, every unset name; otherwise, a name that the file sets elsewhere, or
/// a name similar to a visible variable.
fn undefined_variable(file: &Dockerfile, report: &mut Report<'_>) {
    let mut elsewhere: HashMap<&str, Span> = HashMap::new();
    for instruction in &file.instructions {
        if matches!(instruction.kind, Keyword::Arg | Keyword::Env) {
            for pair in &instruction.pairs {
                elsewhere.entry(&pair.key.text).or_insert(pair.key.span);
            }
        }
    }
    let globals = file.globals();
    file.walk(|instruction, scope| {
        if expands_variables(instruction.kind) {
            let visible = VisibleVariables { scope, globals: &globals, elsewhere: &elsewhere };
            check_instruction(file, instruction, &visible, report);
        }
    });
}

/// The variables of a file, as visible to one instruction.
struct VisibleVariables<'a, 'b> {
    scope: &'b HashMap<&'a str, Variable<'a>>,
    globals: &'b HashMap<&'a str, Variable<'a>>,
    elsewhere: &'b HashMap<&'a str, Span>,
}

fn check_instruction(
    file: &Dockerfile,
    instruction: &Instruction,
    visible: &VisibleVariables<'_, '_>,
    report: &mut Report<'_>,
) {
    // `ENV A=$A:x` extends the value set by a base image.
    let own_names: HashSet<&str> = instruction.pairs.iter().map(|pair| &*pair.key.text).collect();
    let values = instruction.pairs.iter().filter_map(|pair| pair.value.as_ref());
    let words = instruction.words.iter().filter(|_| instruction.pairs.is_empty());
    let flags = instruction.flags.iter().filter_map(|flag| flag.value.as_ref());
    for word in flags.chain(values).chain(words) {
        for (name, span, operator) in uses_in(file, instruction, word) {
            let known = visible.scope.contains_key(&*name) || PREDEFINED.contains(&&*name);
            if !known && !own_names.contains(&*name) && matches!(operator, "" | "#" | "%" | "/") {
                report_undefined(file, instruction, &name, span, visible, report);
            }
        }
    }
}

fn report_undefined(
    file: &Dockerfile,
    instruction: &Instruction,
    name: &str,
    span: Span,
    visible: &VisibleVariables<'_, '_>,
    report: &mut Report<'_>,
) {
    let message = format!("variable `{name}` is not set here");
    if let Some(global) = visible.globals.get(name) {
        report
            .at(span, message)
            .help(format!(
                "Repeat `ARG {name}` in the stage; arguments before FROM are not visible in it"
            ))
            .related(global.span, "only set before the first FROM");
    } else if is_platform(name) {
        report
            .at(span, message)
            .help(format!("Declare `ARG {name}` in the stage; the builder then sets it"));
    } else if instruction.stage.is_some_and(|stage| has_variable_base(file, stage)) {
        // The base can be a stage of this file that sets the variable.
    } else if let Some(&other) = visible.elsewhere.get(name) {
        report
            .at(span, message)
            .help("Set it in this stage, before it is used")
            .related(other, "set here, not visible to this instruction");
    } else if let Some(near) = nearest_name(name, visible.scope.keys().copied()) {
        report.at(span, message).help(format!("Did you mean `{near}`?"));
    } else if instruction.stage.and_then(|stage| root_stage(file, stage)).is_some_and(is_scratch) {
        report.at(span, message).help("The variable is empty; set it with ARG or ENV first");
    }
}

/// Maximum number of names compared for a suggestion.
const MAX_CANDIDATES: usize = 200;

/// The known name that `name` is probably a misspelling of.
pub(super) fn nearest_name<'a>(
    name: &str,
    known: impl Iterator<Item = &'a str>,
) -> Option<&'a str> {
    if !(4..48).contains(&name.len()) {
        return None;
    }
    known
        .filter(|known| known.len().abs_diff(name.len()) < 3 && known.len() > 3)
        .take(MAX_CANDIDATES)
        .map(|known| (strsim::damerau_levenshtein(known, name), known))
        .filter(|&(distance, known)| distance <= if known.len() > 7 { 2 } else { 1 })
        .filter(|&(_, known)| !differ_in_digits(known, name))
        .min()
        .map(|(_, known)| known)
}

/// Whether two names differ only in their final digits: `LIB2` is not a misspelling of `LIB1`.
fn differ_in_digits(a: &str, b: &str) -> bool {
    let without_digits =
        |text: &str| text.trim_end_matches(|c: char| c.is_ascii_digit()).to_owned();
    without_digits(a) == without_digits(b)
}

/// The first stage in the chain that `stage` builds on.
fn root_stage(file: &Dockerfile, stage: usize) -> Option<&Stage> {
    let mut root = stage;
    while let Some(base) = file.stages.get(root)?.base {
        root = base;
    }
    file.stages.get(root)
}

/// Whether a stage builds on an image whose name contains a variable: `FROM build_${TARGET}`.
fn has_variable_base(file: &Dockerfile, stage: usize) -> bool {
    let image = root_stage(file, stage).and_then(|stage| stage.image.as_ref());
    image.is_some_and(|image| image.text.contains('$'))
}

fn is_scratch(stage: &Stage) -> bool {
    stage.image.as_ref().is_some_and(|image| image.text == "scratch")
}
