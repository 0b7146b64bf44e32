//! Finds packages that are installed without a version; shared by the rules on package managers.

use super::{Runs, Site};
use crate::shell::{Command, Word, is_long_option};
use aidd_engine::project::manifest;
use aidd_engine::rules::rule::Report;
use aidd_engine::text::files::{Files, side_file};
use aidd_engine::text::finding::Finding;
use aidd_engine::text::paths::below;

/// The command line syntax of a package manager.
pub(super) struct Installer {
    /// The names of the programs of the package manager.
    pub(super) programs: &'static [&'static str],
    /// The subcommands that install packages.
    pub(super) verbs: &'static [&'static str],
    /// Options whose value is the next word.
    pub(super) options_with_value: &'static [&'static str],
}

/// A command that installs packages: its subcommand and its operands.
pub(super) struct Install<'a> {
    pub(super) site: Site<'a>,
    pub(super) verb: &'a Word,
    pub(super) packages: Vec<&'a Word>,
}

impl Installer {
    /// All commands of a file that install packages.
    pub(super) fn installs<'a>(
        &'a self,
        runs: &'a Runs<'_>,
    ) -> impl Iterator<Item = Install<'a>> + 'a {
        runs.commands().filter_map(|site| {
            if !self.programs.contains(&site.command.program()) {
                return None;
            }
            let (verb, mut packages) = self.read(site.command)?;
            if has_placeholder(&packages) {
                packages.clear();
            }
            Some(Install { site, verb, packages })
        })
    }

    /// The subcommand and its operands, if the command installs packages.
    fn read<'a>(&self, command: &'a Command) -> Option<(&'a Word, Vec<&'a Word>)> {
        let mut operands = operands(command.arguments(), self.options_with_value).into_iter();
        let mut verb = operands.next()?;
        // `dnf module install`
        if verb.text() == "module" && !self.verbs.contains(&"module") {
            verb = operands.next()?;
        }
        self.verbs.contains(&verb.text()).then(|| (verb, operands.collect()))
    }
}

/// The package managers that switch to the version that the project pins, in the directory of the
/// Dockerfile at `path` or above: Bundler to the version in `Gemfile.lock`, package managers of
/// JavaScript to the version in `packageManager`.
pub(super) fn managers(path: &str, files: &dyn Files) -> Vec<String> {
    let mut found = Vec::new();
    let parents = path.rmatch_indices('/').map(|(at, _)| &path[..at]).chain([""]);
    for parent in parents.take(MAX_PARENTS) {
        let lock = side_file(files, &below(parent, "Gemfile.lock"));
        if lock.is_some_and(|text| text.contains("\nBUNDLED WITH\n")) {
            found.push("bundler".to_owned());
        }
        let package = manifest::json(files, &below(parent, "package.json"));
        let manager = manifest::text(&package, &["packageManager"]);
        found.extend(manager.and_then(|it| it.split_once('@')).map(|(name, _)| name.to_owned()));
    }
    found
}

/// Maximum number of directories that are searched for the files of a project.
const MAX_PARENTS: usize = 8;

/// The words that are neither options nor values of the options in `options_with_value`.
pub(super) fn operands<'a>(words: &'a [Word], options_with_value: &[&str]) -> Vec<&'a Word> {
    let mut found = Vec::new();
    let mut words = words.iter();
    while let Some(word) = words.next() {
        let text = word.text();
        if text == "--" {
            found.extend(words);
            break;
        }
        if !text.starts_with('-') {
            found.push(word);
        } else if options_with_value.iter().any(|option| is_option(option, text)) {
            words.next();
        }
    }
    found
}

/// Whether `text` is the option, or a start of it that no other option has: `--extra-i[ndex-url]`.
fn is_option(option: &str, text: &str) -> bool {
    match (option.strip_prefix("--"), text.strip_prefix("--")) {
        (Some(option), Some(name)) => is_long_option(option, name) || option == name,
        _ => option == text,
    }
}

/// Whether the list of packages contains a placeholder that the reader must replace: `[ your
/// packages here ]`, `<package>`, `...`.
pub(super) fn has_placeholder(packages: &[&Word]) -> bool {
    packages.iter().any(|word| {
        let text = word.text();
        let bare = text.trim_matches(['[', ']', '<', '>', '{', '}']);
        text.starts_with(['[', '<'])
            || matches!(bare, "" | "..." | "…")
            || word.is_literal() && is_description(bare)
    })
}

/// Whether a name is a placeholder: `your-package`, `package-name`, `PACKAGE`.
fn is_description(name: &str) -> bool {
    let name = name.to_ascii_lowercase();
    let mut parts = name.split(['-', '_', ' ']);
    match parts.next() {
        Some("your" | "yourpackage") => true,
        Some("package" | "packages") => {
            parts.all(|part| part.is_empty() || matches!(part, "name" | "names" | "here" | "list"))
        }
        _ => false,
    }
}

/// Reports the packages of one command that are not pinned, in one finding.
pub(super) fn report_unpinned<'r>(
    report: &'r mut Report<'_>,
    unpinned: &[&Word],
    help: &str,
) -> Option<&'r mut Finding> {
    let (first, rest) = unpinned.split_first()?;
    let message = match rest {
        [] => format!("`{}` is installed without a version", first.text()),
        [second] => {
            let (first, second) = (first.text(), second.text());
            format!("`{first}` and `{second}` are installed without a version")
        }
        _ => {
            let (first, more) = (first.text(), rest.len());
            format!("`{first}` and {more} more packages are installed without a version")
        }
    };
    Some(report.at(first.span, message).help(help))
}

/// Whether a word is a file or a URL, which needs no version.
pub(super) fn is_file(text: &str, extensions: &[&str]) -> bool {
    let text = text.split(['#', '?']).next().unwrap_or(text);
    text.starts_with(['.', '/', '~'])
        || text.contains("://")
        || extensions.iter().any(|extension| text.ends_with(extension))
}
