//! Parses the command line: empty environment variables count as unset, and errors are reworded for
//! users.

use super::{Cli, CommandLine, FrequentCommand};
use clap::error::{ContextKind, ContextValue, ErrorKind};
use clap::{Command, CommandFactory as _, FromArgMatches as _, Subcommand};
use std::ffi::OsString;

/// Prefix of the environment variables that set options.
const PREFIX: &str = "AIDD_";

/// Rust's number errors and their replacements.
const NUMBER_ERRORS: [(&str, &str); 3] = [
    ("invalid digit found in string", "expected a whole number"),
    ("cannot parse integer from empty string", "expected a whole number"),
    ("number too large to fit in target type", "the number is too large"),
];

/// Parses a command line that starts with the program name. CI systems set a variable to the empty
/// string when it has no value, so empty variables count as unset.
///
/// # Errors
/// Fails on invalid arguments, and on a request for the help or version.
pub fn parse(args: &[OsString]) -> Result<Cli, clap::Error> {
    // The definition of all commands takes longer to build than a small file takes to check. Errors
    // and requests for the help need it.
    if args.get(1).is_some_and(|name| name == "check" || name == "hook")
        && let Ok(CommandLine { command, config, color }) = parse_as::<FrequentCommand>(args)
    {
        return Ok(Cli { command: command.into(), config, color });
    }
    parse_as(args)
}

fn parse_as<C: Subcommand>(args: &[OsString]) -> Result<CommandLine<C>, clap::Error> {
    let is_empty = |(name, value): (OsString, OsString)| {
        value.is_empty() && name.to_string_lossy().starts_with(PREFIX)
    };
    let mut command = CommandLine::<C>::command();
    if std::env::vars_os().any(is_empty) {
        command = without_empty(command);
    }
    let mut matches = command.try_get_matches_from_mut(args)?;
    CommandLine::from_arg_matches_mut(&mut matches).map_err(|error| error.format(&mut command))
}

fn without_empty(command: Command) -> Command {
    let command = command.mut_args(|arg| {
        let is_empty =
            arg.get_env().and_then(std::env::var_os).is_some_and(|value| value.is_empty());
        if is_empty { arg.env(None::<&'static str>) } else { arg }
    });
    command.mut_subcommands(without_empty)
}

/// Rewords Rust's number errors in a message rendered by clap.
#[must_use]
pub fn reword_number_errors(mut text: String) -> String {
    for (original, replacement) in NUMBER_ERRORS {
        text = text.replace(original, replacement);
    }
    text
}

/// The environment variable that supplied the invalid value of `error`; `None` if the value is on
/// the command line.
#[must_use]
pub fn source_variable(error: &clap::Error, args: &[OsString]) -> Option<String> {
    let Some(ContextValue::String(arg)) = error.get(ContextKind::InvalidArg) else { return None };
    let flag = arg.split_whitespace().next()?;
    let is_typed = |typed: &OsString| {
        typed.to_str().is_some_and(|typed| typed.split('=').next() == Some(flag))
    };
    if args.iter().any(is_typed) {
        return None;
    }
    let mut commands = vec![Cli::command()];
    while let Some(command) = commands.pop() {
        let variable = command.get_arguments().find_map(|option| {
            let is_match =
                option.get_long().is_some_and(|long| flag.strip_prefix("--") == Some(long));
            option.get_env().filter(|_| is_match).map(|name| name.to_string_lossy().into_owned())
        });
        if variable.is_some() {
            return variable.filter(|name| std::env::var_os(name).is_some());
        }
        commands.extend(command.get_subcommands().cloned());
    }
    None
}

/// Commands and options of other tools, with their equivalents in aidd. Entries without dashes are
/// commands.
const EQUIVALENTS: [(&str, &str); 22] = [
    ("fix", "aidd check . --fix"),
    ("lint", "aidd check ."),
    ("scan", "aidd check ."),
    ("run", "aidd check ."),
    ("install", "aidd hook install"),
    ("rules", "aidd rule list"),
    ("packs", "aidd rule packs"),
    ("show", "aidd explain RULE"),
    ("version", "aidd --version"),
    ("create", "aidd baseline write"),
    ("update", "aidd baseline write --accept-new"),
    ("--rule", "--only"),
    ("--select", "--only"),
    ("--disable", "--skip"),
    ("--ignore", "--exclude for paths, --skip for rules"),
    ("--level", "--severity"),
    ("--no-color", "--color never"),
    ("--json", "--format json"),
    ("--sarif", "--format sarif"),
    ("--base", "--diff"),
    ("--since", "--diff"),
    ("--unsafe-fixes", "--fix-unsafe"),
];

/// The equivalent in aidd of an unknown command or option that exists in another tool. Covers names
/// that are too different for clap's own suggestion.
#[must_use]
pub fn equivalent_of(error: &clap::Error) -> Option<&'static str> {
    let kind = match error.kind() {
        ErrorKind::InvalidSubcommand => ContextKind::InvalidSubcommand,
        ErrorKind::UnknownArgument => ContextKind::InvalidArg,
        _ => return None,
    };
    let Some(ContextValue::String(typed)) = error.get(kind) else { return None };
    EQUIVALENTS.iter().find(|(name, _)| name == typed).map(|(_, equivalent)| *equivalent)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn commands_of_other_tools_are_suggested() {
        let suggest = |line: &str| {
            let args: Vec<OsString> = line.split(' ').map(OsString::from).collect();
            parse(&args).err().as_ref().and_then(equivalent_of)
        };
        assert_eq!(suggest("aidd fix"), Some("aidd check . --fix"));
        assert_eq!(suggest("aidd rule show x"), Some("aidd explain RULE"));
        assert_eq!(suggest("aidd check --rule x"), Some("--only"));
        assert_eq!(suggest("aidd check . --json"), Some("--format json"));
        // Clap suggests a similar name by itself, or there is no equivalent.
        assert_eq!(suggest("aidd chekc"), None);
        assert_eq!(suggest("aidd frobnicate"), None);
        assert_eq!(suggest("aidd check ."), None);
    }

    #[test]
    fn frequent_commands_are_parsed_like_all_commands() {
        for line in [
            "aidd check",
            "aidd check a b --only secrets/* -q --config x --color never",
            "aidd check . --diff main --reach",
            "aidd check --bogus",
            "aidd check --help",
            "aidd hook",
            "aidd hook post-tool-use",
            "aidd hook install --config x",
            "aidd hook bogus",
        ] {
            let args: Vec<OsString> = line.split(' ').map(OsString::from).collect();
            let describe = |parsed: Result<Cli, clap::Error>| match parsed {
                Ok(cli) => format!("{cli:?}"),
                Err(error) => error.render().to_string(),
            };
            assert_eq!(describe(parse(&args)), describe(parse_as(&args)), "{line}");
        }
    }

    #[test]
    fn every_suggested_command_exists() {
        let line = |words: &[&str]| -> Vec<OsString> {
            std::iter::once("aidd").chain(words.iter().copied()).map(OsString::from).collect()
        };
        // Parse each suggestion that is a command, with its options.
        for (_, equivalent) in
            EQUIVALENTS.iter().filter(|(_, equivalent)| equivalent.starts_with("aidd "))
        {
            let words: Vec<&str> = equivalent.split(' ').skip(1).collect();
            let error = parse(&line(&words)).err();
            assert!(
                error.is_none_or(|error| error.kind() == ErrorKind::DisplayVersion),
                "{equivalent}"
            );
        }
    }

    #[test]
    fn number_errors_are_reworded() {
        let args: Vec<OsString> = ["aidd", "check", "-j", "x"].map(OsString::from).to_vec();
        let error = parse(&args).expect_err("not a number");
        let message = reword_number_errors(error.to_string());
        assert!(message.contains("'--jobs <N>': expected a whole number"), "{message}");
    }
}
