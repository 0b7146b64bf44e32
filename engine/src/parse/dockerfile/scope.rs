//! Resolves stages, the shell in effect, and the variables visible to an instruction.

use super::{Dockerfile, Instruction, Keyword, Stage, Word};
use crate::text::source::Span;
use std::collections::HashMap;

/// The source of a variable.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Origin {
    /// An `ARG` before the first `FROM`.
    Global,
    /// An `ARG` instruction in a stage.
    Arg,
    /// An `ENV` instruction.
    Env,
}

/// A variable that is visible to an instruction.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Variable<'a> {
    /// The name of the variable.
    pub name: &'a str,
    /// The kind of instruction that sets the variable.
    pub origin: Origin,
    /// The span of the name in the instruction that sets the variable.
    pub span: Span,
    /// The value with quotes resolved; `None` for an `ARG` without a default.
    pub value: Option<&'a str>,
}

/// Sets the stages, and the stage and shell of each instruction.
pub(super) fn resolve(file: &mut Dockerfile) {
    let mut shell = None;
    for at in 0..file.instructions.len() {
        if file.instructions[at].kind == Keyword::From {
            let stage = stage(file, at);
            shell = stage.base.and_then(|base| last_shell(file, base));
            file.stages.push(stage);
        }
        let stage_index = file.stages.len().checked_sub(1);
        if let Some(last) = file.stages.last_mut() {
            last.instructions.end = at + 1;
        }
        set_stage_and_shell(&mut file.instructions[at], stage_index, shell);
        if file.instructions[at].kind == Keyword::Shell {
            shell = Some(at);
        }
    }
}

fn set_stage_and_shell(instruction: &mut Instruction, stage: Option<usize>, shell: Option<usize>) {
    let mut next = Some(instruction);
    while let Some(instruction) = next {
        instruction.stage = stage;
        instruction.shell = shell;
        next = instruction.inner.as_deref_mut();
    }
}

/// The `SHELL` in effect at the end of a stage.
fn last_shell(file: &Dockerfile, stage: usize) -> Option<usize> {
    let range = file.stages[stage].instructions.clone();
    let last = file.instructions[range.clone()].last()?;
    if last.kind == Keyword::Shell { Some(range.end - 1) } else { last.shell }
}

/// The stage that starts with the `FROM` at index `from`.
fn stage(file: &Dockerfile, from: usize) -> Stage {
    let words = &file.instructions[from].words;
    let as_keyword = words.get(1).filter(|word| word.text.eq_ignore_ascii_case("AS"));
    let image: Option<Word> = words.first().cloned();
    let base = image.as_ref().and_then(|image| file.stage_named(&image.text, file.stages.len()));
    Stage {
        from,
        instructions: from..from + 1,
        as_keyword: as_keyword.map(|word| word.span),
        name: as_keyword.and_then(|_| words.get(2)).cloned(),
        image,
        base,
    }
}

impl Dockerfile {
    /// The variables visible to the instruction at `index`, with the values set before it, earliest
    /// first. For `FROM` and instructions before the first `FROM` these are the global arguments,
    /// otherwise the variables of its stage and of the stages that its stage is based on. For many
    /// instructions use [`Dockerfile::walk`].
    #[must_use]
    pub fn variables_at(&self, index: usize) -> Vec<Variable<'_>> {
        let Some(instruction) = self.instructions.get(index) else { return Vec::new() };
        let mut found = Vec::new();
        match instruction.stage {
            Some(stage) if instruction.kind != Keyword::From => {
                let mut chain = Vec::new();
                let mut base = self.stages[stage].base;
                while let Some(stage) = base.and_then(|base| self.stages.get(base)) {
                    chain.push(stage.instructions.clone());
                    base = stage.base;
                }
                for range in chain.into_iter().rev() {
                    self.collect_variables(&self.instructions[range], false, &mut found);
                }
                let own = self.stages[stage].instructions.start..index;
                self.collect_variables(&self.instructions[own], false, &mut found);
            }
            _ => self.collect_variables(
                &self.instructions[..self.first_from().min(index)],
                true,
                &mut found,
            ),
        }
        found
    }

    /// The variables that `instructions` set. An `ARG` of a stage without a default has the value
    /// of the global `ARG`.
    fn collect_variables<'a>(
        &'a self,
        instructions: &'a [Instruction],
        global: bool,
        found: &mut Vec<Variable<'a>>,
    ) {
        for instruction in instructions {
            let origin = match instruction.kind {
                Keyword::Arg if global => Origin::Global,
                Keyword::Arg => Origin::Arg,
                Keyword::Env => Origin::Env,
                _ => continue,
            };
            found.extend(instruction.pairs.iter().map(|pair| {
                let own = pair.value.as_ref().map(|value| &*value.text);
                let value = match origin {
                    Origin::Arg => own.or_else(|| self.global(&pair.key.text)),
                    _ => own,
                };
                Variable { name: &pair.key.text, origin, span: pair.key.span, value }
            }));
        }
    }

    /// The default value of a global argument.
    fn global(&self, name: &str) -> Option<&str> {
        let first = self.first_from();
        let pairs = self.instructions[..first]
            .iter()
            .filter(|instruction| instruction.kind == Keyword::Arg)
            .flat_map(|instruction| &instruction.pairs);
        pairs
            .filter(|pair| pair.key.text == name)
            .rfind(|pair| pair.value.is_some())
            .and_then(|pair| pair.value.as_ref())
            .map(|value| &*value.text)
    }

    /// Index of the first `FROM`; the number of instructions if there is none.
    fn first_from(&self) -> usize {
        self.stages.first().map_or(self.instructions.len(), |stage| stage.from)
    }

    /// The arguments before the first `FROM`, by name.
    #[must_use]
    pub fn globals(&self) -> HashMap<&str, Variable<'_>> {
        let mut found = HashMap::new();
        for instruction in &self.instructions[..self.first_from()] {
            add_variables(instruction, true, &HashMap::new(), &mut found);
        }
        found
    }

    /// Visits the instructions of all stages except `FROM`, with the variables visible to each.
    pub fn walk<'a>(
        &'a self,
        mut visit: impl FnMut(&'a Instruction, &HashMap<&'a str, Variable<'a>>),
    ) {
        let globals = self.globals();
        let mut is_base = vec![false; self.stages.len()];
        for base in self.stages.iter().filter_map(|stage| stage.base) {
            is_base[base] = true;
        }
        let mut base_variables: HashMap<usize, HashMap<&str, Variable<'_>>> = HashMap::new();
        for (stage_index, stage) in self.stages.iter().enumerate() {
            let base = stage.base.and_then(|base| base_variables.get(&base));
            let mut variables = base.cloned().unwrap_or_default();
            for instruction in self.of_stage(stage).iter().skip(1) {
                visit(instruction, &variables);
                add_variables(instruction, false, &globals, &mut variables);
            }
            if is_base[stage_index] {
                base_variables.insert(stage_index, variables);
            }
        }
    }
}

/// Adds the variables that `instruction` sets. An `ARG` of a stage without a default has the value
/// of the global `ARG`.
fn add_variables<'a>(
    instruction: &'a Instruction,
    global: bool,
    globals: &HashMap<&'a str, Variable<'a>>,
    variables: &mut HashMap<&'a str, Variable<'a>>,
) {
    let origin = match instruction.kind {
        Keyword::Arg if global => Origin::Global,
        Keyword::Arg => Origin::Arg,
        Keyword::Env => Origin::Env,
        _ => return,
    };
    for pair in &instruction.pairs {
        let name = &*pair.key.text;
        let outer =
            globals.get(name).filter(|_| origin == Origin::Arg).and_then(|variable| variable.value);
        let value = pair.value.as_ref().map(|value| &*value.text).or(outer);
        variables.insert(name, Variable { name, origin, span: pair.key.span, value });
    }
}
