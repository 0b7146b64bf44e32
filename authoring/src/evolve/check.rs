//! Makes a check from the occurrences of a mistake: a piece of code that the mistake quotes, and that
//! occurs in its files and nowhere else in the project.

use super::EvolveError;
use super::history::{RECENT_COMMITS, recent_snapshots};
use aidd_engine::check::Selection;
use aidd_engine::text::files::Files as _;
use aidd_engine::workspace::project::Project;
use aidd_engine::workspace::walk::{self, Walk};

/// Maximum size of a file that is searched, in bytes.
const MAX_FILE: u64 = 1 << 20;
/// Maximum length of a line that becomes an example, in bytes.
const MAX_LINE: usize = 120;
/// Lengths of a quoted piece of code that can become a check.
const LENGTHS: std::ops::RangeInclusive<usize> = 5..=80;

/// What is known of the places of a mistake.
#[derive(Clone, Copy, Debug)]
pub(super) struct Occurrence<'a> {
    /// The texts in which code is quoted: error, cause, prevention.
    pub(super) texts: [&'a str; 3],
    /// The files in which the mistake was made.
    pub(super) files: &'a [String],
}

/// A check for a literal piece of code.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct LiteralCheck {
    /// The code to find.
    pub(super) literal: String,
    /// Globs of the files.
    globs: Vec<String>,
    /// A path, and its line with the code.
    sample: (String, String),
    /// A path, and one of its lines without the code.
    other: Option<(String, String)>,
}

impl LiteralCheck {
    /// The header of the page.
    pub(super) fn header(&self, prevention: &str, fix: &str) -> String {
        let help = [prevention, fix].into_iter().find(|text| !text.trim().is_empty());
        let help = help.and_then(|text| text.trim().lines().next());
        let help = help.map(|help| format!("help: {}\n", quoted(help))).unwrap_or_default();
        let globs: Vec<String> = self.globs.iter().map(|glob| quoted(glob)).collect();
        let keyword = self.literal.trim_end_matches('(');
        format!(
            "severity: info\nmessage: \"`<match>` was a mistake before\"\n{help}check:\n  files: [{}]\n  text:\n    regex: {}\n    keywords: [{}]\n",
            globs.join(", "),
            quoted(&self.regex()),
            quoted(keyword),
        )
    }

    /// The expression that finds the code; a name must begin where the code begins.
    fn regex(&self) -> String {
        let starts_word = self.literal.starts_with(|c: char| c.is_alphanumeric() || c == '_');
        let boundary = if starts_word { r"\b" } else { "" };
        format!("{boundary}{}", escaped(&self.literal))
    }

    /// The examples of the page.
    pub(super) fn examples(&self) -> String {
        let (path, line) = &self.sample;
        let column = line.find(&self.literal).map_or(0, |at| line[..at].chars().count()) + 1;
        let block = |path: &str, line: &str| {
            let language = path.rsplit('.').next().unwrap_or_default();
            format!("```{language} path={path}\n{line}\n```\n")
        };
        let fails = block(path, line);
        let passes = self.other.as_ref().map(|(path, line)| block(path, line));
        let passes = passes.map(|passes| format!("\n## Passes\n\n{passes}")).unwrap_or_default();
        format!("\n## Fails\n\n{fails}\n```finding\n1:{column} {}\n```\n{passes}", self.literal)
    }
}

/// A YAML string in double quotes.
fn quoted(text: &str) -> String {
    serde_json::Value::from(text).to_string()
}

/// Escapes a literal for a regular expression.
fn escaped(literal: &str) -> String {
    let mut text = String::new();
    for c in literal.chars() {
        if r"\.+*?()|[]{}^$#&-~/".contains(c) && c != '/' {
            text.push('\\');
        }
        text.push(c);
    }
    text
}

/// The pieces of code that the texts quote, longest first: text in backticks or quotes, and calls.
fn quoted_code(texts: &[&str]) -> Vec<String> {
    let mut found: Vec<String> = Vec::new();
    let mut add = |code: &str| {
        let code = code.trim();
        let is_code = code.contains(['(', '.', '_', '=', ':', '/', '-'])
            || code.chars().any(char::is_uppercase);
        let has_letters = code.chars().filter(|c| c.is_alphabetic()).count() >= 3;
        let is_line = !code.contains('\n') && !code.contains('`');
        if LENGTHS.contains(&code.len()) && is_code && has_letters && is_line {
            // The call, without its arguments.
            if let Some(at) = code.find('(').filter(|at| *at >= 3) {
                found.push(code[..=at].to_owned());
            }
            found.push(code.to_owned());
        }
    };
    for text in texts {
        for quote in ['`', '"', '\''] {
            text.split(quote).skip(1).step_by(2).for_each(&mut add);
        }
        for word in text.split_whitespace() {
            let word = word.trim_matches(|c: char| !c.is_alphanumeric() && !"()_.$".contains(c));
            if word.contains('(') {
                add(word);
            }
        }
    }
    found.sort_by(|one, other| other.len().cmp(&one.len()).then(one.cmp(other)));
    found.dedup();
    found
}

/// A check that matches the files of the mistake, now or in recent commits, and nothing else in the
/// project; `None` if no quoted code does.
pub(super) fn find_check(
    project: &Project,
    occurrence: &Occurrence<'_>,
) -> Result<Option<LiteralCheck>, EvolveError> {
    let codes = quoted_code(&occurrence.texts);
    let is_own = |path: &str| occurrence.files.iter().any(|file| file == path);
    if codes.is_empty() || occurrence.files.is_empty() {
        return Ok(None);
    }
    let engine = project.engine(&Selection::default())?;
    let walk = Walk::over(vec![project.root().to_owned()]);
    let listing = walk::listing(&engine, &project.disk, &walk);
    let mut globs: Vec<String> = occurrence
        .files
        .iter()
        .filter_map(|path| path.rsplit('/').next()?.rsplit_once('.'))
        .map(|(_, extension)| format!("*.{extension}"))
        .collect();
    globs.sort();
    globs.dedup();
    let has_extension = |path: &str| globs.iter().any(|glob| path.ends_with(&glob[1..]));
    let mut texts: Vec<(String, String)> = Vec::new();
    for path in listing.files().iter().filter(|path| has_extension(path)) {
        if let Ok(bytes) = project.disk.read(path, MAX_FILE) {
            texts.push((path.to_string(), String::from_utf8_lossy(&bytes).into_owned()));
        }
    }
    let mut past: Vec<(String, String)> = Vec::new();
    for snapshot in recent_snapshots(project, RECENT_COMMITS) {
        for path in occurrence.files {
            if let Ok(bytes) = snapshot.read(path, MAX_FILE) {
                past.push((path.clone(), String::from_utf8_lossy(&bytes).into_owned()));
            }
        }
    }
    for literal in codes {
        if texts.iter().any(|(path, text)| !is_own(path) && text.contains(&literal)) {
            continue;
        }
        let mut own = texts.iter().filter(|(path, _)| is_own(path)).chain(&past);
        let sample = own.find_map(|(path, text)| {
            let line = text.lines().find(|line| line.contains(&literal))?;
            Some((path.clone(), line.trim().to_owned()))
        });
        if let Some(sample) = sample {
            let other = texts.iter().find_map(|(path, text)| {
                let is_plain = |line: &&str| {
                    !line.trim().is_empty() && line.len() <= MAX_LINE && !line.contains(&literal)
                };
                Some((path.clone(), text.lines().find(is_plain)?.trim().to_owned()))
            });
            return Ok(Some(LiteralCheck { literal, globs, sample, other }));
        }
    }
    Ok(None)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn code_is_found_in_quotes_and_calls() {
        let texts = ["`moment()` loses the time zone", "used Date.now() here", "never \"eval\""];
        assert_eq!(quoted_code(&texts), ["Date.now()", "Date.now(", "moment()", "moment("]);
        assert!(quoted_code(&["a plain sentence about nothing"]).is_empty());
    }

    #[test]
    fn literals_are_escaped() {
        assert_eq!(escaped("Date.now("), r"Date\.now\(");
    }
}
