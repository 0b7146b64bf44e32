//! Versions of languages and package managers in instructions that the project itself contradicts.

use super::AgentContext;
use super::markdown::Instructions;
use aidd_engine::parse::values::{Format, Values};
use aidd_engine::project::manifest;
use aidd_engine::project::ranges::satisfies;
use aidd_engine::project::stack::Ecosystem;
use aidd_engine::rules::rule::Report;
use aidd_engine::text::files::{Files, side_file};
use aidd_engine::text::listing::Listing;
use aidd_engine::text::source::Span;
use serde_json::Value;
use std::sync::Arc;

/// A program whose version a project sets.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Program {
    Node,
    Python,
    Ruby,
    Go,
    Rust,
    Pnpm,
    Yarn,
}

/// The words for each program in prose, and the major versions that are plausible.
const WORDS: &[(&str, Program, std::ops::RangeInclusive<u64>)] = &[
    ("node.js", Program::Node, 8..=40),
    ("nodejs", Program::Node, 8..=40),
    ("node", Program::Node, 8..=40),
    ("python", Program::Python, 2..=3),
    ("ruby", Program::Ruby, 2..=4),
    ("golang", Program::Go, 1..=1),
    ("go", Program::Go, 1..=1),
    ("rust", Program::Rust, 1..=1),
    ("pnpm", Program::Pnpm, 5..=20),
    ("yarn", Program::Yarn, 1..=9),
];

/// A version in instructions.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Stated {
    pub(super) program: Program,
    version: Vec<u64>,
    /// Whether newer versions are allowed as well.
    is_minimum: bool,
    pub(super) span: Span,
}

impl Stated {
    /// Whether no version fits both.
    pub(super) fn contradicts(&self, other: &Self) -> bool {
        self.program == other.program
            && !self.is_minimum
            && !other.is_minimum
            && !is_prefix(&self.version, &other.version)
            && !is_prefix(&other.version, &self.version)
    }
}

fn is_prefix(short: &[u64], long: &[u64]) -> bool {
    long.len() >= short.len() && long[..short.len()] == *short
}

/// Words of lines that speak about another version than the one of the project.
const LIMITS: &[&str] = &[
    "matrix",
    "docker",
    "image",
    "lambda",
    "upgrad",
    "from ",
    "until",
    "since",
    "before",
    "old",
    "eol",
    "added in",
    "introduced",
    "syntax",
    "feature",
    "e.g",
    "example",
    "target",
    "if ",
    "except",
    "only",
    "test",
    "other",
    "legacy",
    "container",
    "sdk",
    "client",
    "between",
];

/// The versions in the prose of the instructions. A line with several versions of one program is
/// about their difference.
pub(super) fn stated_versions(instructions: &Instructions<'_>) -> Vec<Stated> {
    let mut found = Vec::new();
    let links = &instructions.document.links;
    let in_link = |span: Span| links.iter().any(|link| link.span.overlaps(span));
    for (offset, line) in instructions.prose() {
        if !line.bytes().any(|byte| byte.is_ascii_digit()) {
            continue;
        }
        let lower = line.to_ascii_lowercase();
        if LIMITS.iter().any(|word| lower.contains(word)) {
            continue;
        }
        let first = found.len();
        for (word, program, majors) in WORDS {
            for (at, _) in lower.match_indices(word) {
                if let Some((version, is_minimum, end)) = version_after(&lower, at, word)
                    && version.first().is_some_and(|major| majors.contains(major))
                    && !(*program == Program::Go && version.len() < 2)
                {
                    let span = Span::new(offset + at, offset + end);
                    let is_known = found[first..].iter().any(|it: &Stated| it.span.overlaps(span));
                    if !is_known && !instructions.is_negated(span) && !in_link(span) {
                        found.push(Stated { program: *program, version, is_minimum, span });
                    }
                }
            }
        }
        let is_repeated = |it: &Stated| {
            found[first..].iter().filter(|other| other.program == it.program).count() > 1
        };
        if found[first..].iter().any(is_repeated) {
            found.truncate(first);
        }
    }
    found
}

/// The version directly after the word at `at`, whether newer versions are allowed, and the end of
/// the version.
fn version_after(line: &str, at: usize, word: &str) -> Option<(Vec<u64>, bool, usize)> {
    let before = line[..at].chars().next_back();
    if before.is_some_and(|c| c.is_alphanumeric() || matches!(c, '-' | '_' | '/' | '.' | '@')) {
        return None;
    }
    let rest = &line[at + word.len()..];
    let trimmed = rest.trim_start_matches([' ', '*', '(', ':', '`']);
    let trimmed = trimmed.strip_prefix("version").unwrap_or(trimmed);
    let trimmed = trimmed.trim_start_matches([' ', '*', ':', '`']);
    let unsigned = trimmed.strip_prefix(">=").or_else(|| trimmed.strip_prefix('≥'));
    let digits = unsigned.unwrap_or(trimmed).trim_start_matches(' ');
    let digits = digits.strip_prefix('v').unwrap_or(digits);
    if digits.len() == rest.len() {
        return None;
    }
    let is_part = |c: char| c.is_ascii_digit() || c == '.';
    let length = digits.find(|c| !is_part(c)).unwrap_or(digits.len());
    let text = digits[..length].trim_end_matches('.');
    let version: Vec<u64> = text.split('.').map(|part| part.parse().ok()).collect::<Option<_>>()?;
    let end = line.len() - digits.len() + text.len();
    let after = &digits[text.len()..];
    let after = after.strip_prefix(".x").unwrap_or(after).trim_start_matches(['`', '*']);
    let words = after.trim_start();
    let is_minimum = unsigned.is_some()
        || after.starts_with('+')
        || ["or later", "or newer", "or higher", "or above", "and above", "and newer", "and later"]
            .iter()
            .any(|text| words.starts_with(text))
        || ["at least", "minimum", "or above", "or newer"].iter().any(|text| line.contains(text));
    let is_list = words.starts_with(['/', '–', '-', '→', '%', '|', '&'])
        || after.starts_with(|c: char| c.is_alphanumeric())
        || ["or ", "and ", "to ", "through ", "bit"].iter().any(|text| words.starts_with(text))
            && !is_minimum
        || words
            .strip_prefix(',')
            .is_some_and(|rest| rest.trim_start().starts_with(|c: char| c.is_ascii_digit()));
    (!is_list).then_some((version, is_minimum, end))
}

/// What a file of the project says about the version of a program.
#[derive(Clone, Debug)]
struct Setting {
    program: Program,
    path: String,
    text: String,
    allowed: Allowed,
}

#[derive(Clone, Debug)]
enum Allowed {
    /// The version itself, no other.
    Pin(Vec<u64>),
    /// The versions in a range of the ecosystem.
    Range(Ecosystem),
    /// This version and newer ones.
    Minimum(Vec<u64>),
}

impl Setting {
    /// Whether the version in the instructions cannot be used in the project; false if that is not
    /// known.
    fn refuses(&self, stated: &Stated) -> bool {
        match &self.allowed {
            Allowed::Pin(pin) if stated.is_minimum => {
                let known = &pin[..pin.len().min(stated.version.len())];
                *known < stated.version[..known.len()]
            }
            Allowed::Pin(pin) => {
                !is_prefix(&stated.version, pin) && !is_prefix(pin, &stated.version)
            }
            // Users with a newer version meet a lower minimum.
            _ if stated.is_minimum => false,
            Allowed::Minimum(least) => {
                let known = &stated.version[..least.len().min(stated.version.len())];
                *known < least[..known.len()]
            }
            Allowed::Range(Ecosystem::Pypi) if stated.version.len() < 2 => false,
            Allowed::Range(ecosystem) => {
                // Of `18`, the first and the last version must be refused.
                let filled = |filler: u64| {
                    let mut parts = stated.version.clone();
                    parts.resize(3, filler);
                    let parts: Vec<String> = parts.iter().map(u64::to_string).collect();
                    satisfies(*ecosystem, &self.text, &parts.join("."))
                };
                filled(0) == Some(false) && filled(999) == Some(false)
            }
        }
    }
}

/// A version of numbers only: `v20.11.0`; `None` for `lts/*`, `stable` and other names.
fn numbers(text: &str) -> Option<Vec<u64>> {
    let text = text.trim();
    let text = text.strip_prefix("ruby-").unwrap_or(text);
    let text = text.strip_prefix('v').unwrap_or(text);
    let text = text.strip_suffix(".x").unwrap_or(text);
    text.split('.').map(|part| part.parse().ok()).collect()
}

/// The versions that the files of the project set.
fn settings(files: &dyn Files, listing: &Listing) -> Vec<Setting> {
    let mut found = Vec::new();
    let mut pin = |program, path: &str, text: &str| {
        if let Some(version) = numbers(text) {
            let (path, text) = (path.to_owned(), text.trim().to_owned());
            found.push(Setting { program, path, text, allowed: Allowed::Pin(version) });
        }
    };
    let mut others = Vec::new();
    let mut add = |program, path: &str, text: &str, allowed| {
        others.push(Setting { program, path: path.to_owned(), text: text.to_owned(), allowed });
    };
    for path in listing.files() {
        let name = path.rsplit('/').next().unwrap_or(path);
        let read = || side_file(files, path).unwrap_or_default();
        let first_line = |text: &str| text.lines().next().unwrap_or_default().to_owned();
        match name {
            ".nvmrc" | ".node-version" => pin(Program::Node, path, &first_line(&read())),
            ".python-version" => pin(Program::Python, path, &first_line(&read())),
            ".ruby-version" => pin(Program::Ruby, path, &first_line(&read())),
            ".tool-versions" => {
                for line in read().lines() {
                    let mut words = line.split_whitespace();
                    let program = match words.next() {
                        Some("nodejs" | "node") => Program::Node,
                        Some("python") => Program::Python,
                        Some("ruby") => Program::Ruby,
                        Some("golang" | "go") => Program::Go,
                        Some("pnpm") => Program::Pnpm,
                        _ => continue,
                    };
                    pin(program, path, words.next().unwrap_or_default());
                }
            }
            "package.json" => {
                let value = manifest::json(files, path);
                if let Some(range) = manifest::text(&value, &["engines", "node"]) {
                    add(Program::Node, path, range, Allowed::Range(Ecosystem::Npm));
                }
                if let Some(text) = manifest::text(&value, &["volta", "node"]) {
                    pin(Program::Node, path, text);
                }
                let manager = manifest::text(&value, &["packageManager"]).unwrap_or_default();
                let manager = manager.split('+').next().unwrap_or_default();
                match manager.split_once('@') {
                    Some(("pnpm", version)) => pin(Program::Pnpm, path, version),
                    Some(("yarn", version)) => pin(Program::Yarn, path, version),
                    _ => {}
                }
            }
            "pyproject.toml" => {
                let value = toml(&read());
                for keys in [
                    &["project", "requires-python"][..],
                    &["tool", "poetry", "dependencies", "python"],
                ] {
                    // Poetry also has ranges such as `^3.9`, which are not those of Python.
                    let range = manifest::text(&value, keys);
                    if let Some(range) = range.filter(|it| !it.contains(['^', '|', '*'])) {
                        add(Program::Python, path, range, Allowed::Range(Ecosystem::Pypi));
                    }
                }
            }
            "go.mod" => {
                let text = read();
                let line = text.lines().find_map(|line| line.strip_prefix("go "));
                if let Some((line, version)) = line.and_then(|line| Some((line, numbers(line)?))) {
                    add(Program::Go, path, line.trim(), Allowed::Minimum(version));
                }
            }
            "rust-toolchain.toml" => {
                let value = toml(&read());
                let channel = manifest::text(&value, &["toolchain", "channel"]);
                pin(Program::Rust, path, channel.unwrap_or_default());
            }
            "Cargo.toml" => {
                let value = toml(&read());
                for keys in
                    [&["package", "rust-version"][..], &["workspace", "package", "rust-version"]]
                {
                    let version = manifest::text(&value, keys);
                    if let Some((text, least)) = version.and_then(|it| Some((it, numbers(it)?))) {
                        add(Program::Rust, path, text, Allowed::Minimum(least));
                    }
                }
            }
            _ => {}
        }
    }
    found.extend(others);
    found
}

fn toml(text: &str) -> Value {
    let values = Values::read(Format::Toml, text);
    values.roots.first().map_or(Value::Null, |&root| values.json(root))
}

pub(super) fn wrong_version(context: &AgentContext<'_, '_>, report: &mut Report<'_>) {
    let Some((instructions, listing)) = context.project_instructions() else { return };
    let stated = stated_versions(instructions);
    if stated.is_empty() {
        return;
    }
    let read = || settings(context.files, listing);
    let settings = match context.files.run_cache() {
        Some(cache) => cache.get_or_compute("agents versions", read),
        None => Arc::new(read()),
    };
    for version in stated {
        let own = settings.iter().filter(|it| it.program == version.program);
        let own: Vec<&Setting> = own.collect();
        // The file that is nearest to the root decides for most of the project.
        let first = own.iter().min_by_key(|it| it.path.matches('/').count());
        let Some(first) = first.filter(|_| own.iter().all(|it| it.refuses(&version))) else {
            continue;
        };
        // `(Node.js 22.6+)` after the name of a feature dates the feature.
        let text = context.source.text();
        let end = text[version.span.end as usize..].trim_start_matches('+');
        if version.is_minimum
            && text[..version.span.start as usize].ends_with('(')
            && end.starts_with(')')
        {
            continue;
        }
        // A sentence that also states the version of the project dates a feature.
        let line = context.source.line_of(version.span.start) + 1;
        let next = context.source.line_span(line.min(context.source.line_count() - 1));
        let around = Span { end: next.end, ..context.source.lines_around(version.span) };
        let own_version = first.text.trim_start_matches(|c: char| !c.is_ascii_digit());
        if own_version.contains('.') && context.source.slice(around).contains(own_version) {
            continue;
        }
        let written = context.source.slice(version.span);
        let message =
            format!("`{written}` contradicts `{}`, which sets `{}`", first.path, first.text);
        report.at(version.span, message).help("state the version of the project, or none");
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn display(line: &str, word: &str) -> String {
        let at = line.find(word).expect("the word is in the line");
        version_after(line, at, word).map_or_else(
            || "–".to_owned(),
            |(version, is_minimum, end)| {
                let numbers: Vec<String> = version.iter().map(u64::to_string).collect();
                let sign = if is_minimum { "+" } else { "" };
                format!("{}{sign} {end}", numbers.join("."))
            },
        )
    }

    #[test]
    fn versions_follow_the_name_of_the_program() {
        for (line, word, expected) in [
            ("node 18", "node", "18 7"),
            ("node v18.17", "node", "18.17 11"),
            ("**node.js**: 20.x", "node.js", "20 15"),
            ("python 3.10 through 3.13", "python", "–"),
            ("python >= 3.11, uv", "python", "3.11+ 14"),
            ("python 3.11+ (required)", "python", "3.11+ 11"),
            ("node.js 20 or later", "node.js", "20+ 10"),
            ("node 18, 20", "node", "–"),
            ("node 18/20", "node", "–"),
            ("node 18 or 20", "node", "–"),
            ("node 64-bit", "node", "–"),
            ("node18", "node", "–"),
            ("@types/node 18", "node", "–"),
            ("node 20, pnpm 9", "node", "20 7"),
        ] {
            assert_eq!(display(line, word), expected, "{line}");
        }
    }
}
