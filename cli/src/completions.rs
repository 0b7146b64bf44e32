//! Completion scripts, which know the shipped rules and packs.

use crate::cli::Cli;
use aidd_page::Tables;
use clap::builder::PossibleValuesParser;
use clap::{Command, CommandFactory};
use clap_complete::Shell;

/// The commands and their arguments that take the name of a rule.
const RULE_ARGS: [(&[&str], &str); 5] = [
    (&["check"], "only"),
    (&["check"], "skip"),
    (&["explain"], "rule"),
    (&["rule", "list"], "rules"),
    (&["rule", "test"], "rules"),
];
/// The commands and their arguments that take the name of a pack.
const PACK_ARGS: [(&[&str], &str); 2] = [(&["rule", "packs"], "pack"), (&["init"], "packs")];

/// The completion script for a shell. The values of rule and pack arguments are completed with the
/// names in `tables`; the script runs no code of aidd, so it does not know the rules of a project.
pub(crate) fn script(shell: Shell, tables: &Tables) -> Vec<u8> {
    let mut rules: Vec<&'static str> = tables.pages.iter().map(|page| page.id).collect();
    rules.sort_unstable();
    let packs: Vec<&'static str> = tables.packs.iter().map(|pack| pack.id).collect();
    let mut command = Cli::command();
    for (names, args) in [(&rules, &RULE_ARGS[..]), (&packs, &PACK_ARGS[..])] {
        for (path, arg) in args {
            command = with_values(command, path, arg, names);
        }
    }
    // The generator panics on write errors, so write the script to memory first.
    let mut script = Vec::new();
    clap_complete::generate(shell, &mut command, "aidd", &mut script);
    script
}

/// Sets the values of an argument of the subcommand at `path`.
fn with_values(command: Command, path: &[&str], arg: &str, values: &[&'static str]) -> Command {
    match path {
        [] => command.mut_arg(arg, |arg| {
            arg.value_parser(PossibleValuesParser::new(values.iter().copied()))
        }),
        [first, rest @ ..] => {
            command.mut_subcommand(first, |subcommand| with_values(subcommand, rest, arg, values))
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn scripts_complete_rules_and_packs() {
        for shell in [Shell::Bash, Shell::Zsh, Shell::Fish] {
            let script = script(shell, crate::DISTRIBUTION.pages);
            let text = String::from_utf8(script).expect("text");
            assert!(text.contains("dockerfile/latest-tag"), "{shell}");
            assert!(text.contains("typescript-strict"), "{shell}");
        }
    }
}
