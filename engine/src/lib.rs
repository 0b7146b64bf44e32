//! Text in, findings out. The engine prints nothing, reads no environment, uses no async and knows
//! no protocol; input and output happen in `files`, `git` and `walk` only.

pub mod allow;
pub mod baseline;
pub mod captures;
pub mod check;
pub mod comments;
pub mod commit_checks;
pub mod config;
pub mod diff;
pub mod escape;
pub mod examples;
pub mod files;
pub mod finding;
pub mod fix;
pub mod git;
pub mod ignored;
pub mod imports;
pub mod kind;
pub mod lines;
pub mod linters;
pub mod listing;
mod manifest;
pub mod packs;
pub mod parse;
pub mod paths;
pub mod patterns;
pub mod project;
pub mod project_checks;
pub mod registry;
pub mod remembered;
pub mod rule;
pub mod secrets;
pub mod select;
pub mod source;
pub mod stack;
pub mod suppress;
mod variants;
pub mod walk;
pub mod weakened;

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
