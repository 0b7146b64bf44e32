//! Text in, findings out. The engine prints nothing, reads no environment, uses no async and knows
//! no protocol; input and output happen in `files`, `git` and `walk` only.

pub mod check;
pub mod forms;
pub mod parse;
pub mod project;
pub mod rules;
pub mod text;
pub mod workspace;

/// The shipped pages and, in place of the functions of rules written in Rust, a family that only has
/// their ids: what it would find is tested with the families.
#[cfg(test)]
static DISTRIBUTION: check::Distribution = check::Distribution::new(
    &aidd_content::RULES,
    &[check::Family {
        name: "stub",
        rules: || {
            let pages = aidd_content::RULES.pages.iter().zip(aidd_content::RULES.heads);
            pages.filter(|(_, head)| head.form.is_none()).map(|(page, _)| page.id).collect()
        },
        ..check::Family::EMPTY
    }],
);
