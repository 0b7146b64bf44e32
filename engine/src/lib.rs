//! Finds violations of rules in source text. The engine prints nothing, reads no environment
//! variables, uses no async code and knows no protocol; only `files`, `git` and `walk` perform
//! input and output.

pub mod check;
pub mod forms;
pub mod parse;
pub mod project;
pub mod rules;
pub mod text;
pub mod workspace;

/// The shipped pages. For rules written in Rust, a stub family only declares the ids; the findings
/// of these rules are tested in the crates of their families.
#[cfg(test)]
static DISTRIBUTION: check::Distribution = check::Distribution::new(
    &aidd_content::RULES,
    &[check::Family {
        name: "stub",
        rules: || {
            let pages = aidd_content::RULES.pages.iter().zip(aidd_content::RULES.startup_fields);
            pages.filter(|(_, fields)| fields.form.is_none()).map(|(page, _)| page.id).collect()
        },
        params: &[
            param("dockerfile/missing-label", "labels", check::family::ParamType::Strings),
            param("dockerfile/untrusted-registry", "registries", check::family::ParamType::Strings),
            param("tkb/stale-entry", "months", check::family::ParamType::Number),
        ],
        ..check::Family::EMPTY
    }],
);

#[cfg(test)]
const fn param(
    rule: &'static str,
    name: &'static str,
    param_type: check::family::ParamType,
) -> check::family::Param {
    check::family::Param { rule, name, param_type }
}
