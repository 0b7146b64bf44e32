//! Paths with captures: globs in which `<name>` stands for one segment or part of one, the same
//! wherever the name stands.

use regex::Regex;
use std::collections::BTreeMap;
use std::fmt::Write as _;
use std::sync::OnceLock;
use thiserror::Error;

/// Most characters of a pattern.
const MOST_CHARS: usize = 1024;
/// Most alternatives that the braces of a pattern come to.
const MOST_ALTERNATIVES: usize = 64;
/// The largest program that a pattern may compile to, in bytes.
const PROGRAM_LIMIT: usize = 1 << 20;

/// What the names of a pattern stand for.
pub type Captured = BTreeMap<String, String>;

/// Why a path pattern cannot be used.
#[derive(Clone, Debug, PartialEq, Eq, Error)]
pub enum PatternError {
    /// It is malformed.
    #[error("`{pattern}` is no path pattern: {fault}")]
    Malformed {
        /// The pattern as it was written.
        pattern: String,
        /// What is wrong with it.
        fault: PatternFault,
    },
    /// Its braces come to too many alternatives.
    #[error("`{0}` stands for more than {MOST_ALTERNATIVES} paths: write two rules")]
    ManyPaths(String),
}

/// What is wrong with a path pattern.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Error)]
pub enum PatternFault {
    /// It has too many characters.
    #[error("it is too long")]
    Long,
    /// It has no text.
    #[error("it is empty")]
    Empty,
    /// It has `..` in it.
    #[error("it leads out of the folder")]
    Outside,
    /// It compiles to too large a program.
    #[error("it is too large")]
    Large,
    /// A bracket or brace is opened, and not closed.
    #[error("`{0}` is not closed")]
    Unclosed(char),
    /// A brace is closed that was not opened.
    #[error("`}}` closes nothing")]
    Unopened,
    /// `<` without a name after it.
    #[error("`<` opens no name such as `<pkg>`")]
    NoName,
    /// A class without a character.
    #[error("`[]` is empty")]
    EmptyClass,
}

/// Up to so many characters no pattern comes near [`PROGRAM_LIMIT`]: each is a class at most.
const SHORT: usize = 128;

/// A path pattern, compiled when a path first gets as far as its expression. `*` and `?` cross no slash, `**` crosses any number, `{a,b}` is one or
/// the other, `[ab]` one character.
#[derive(Clone, Debug)]
pub struct PathPattern {
    expression: String,
    /// `None`: it cannot be compiled, which [`Self::new`] rules out.
    regex: OnceLock<Option<Regex>>,
    /// It stands for one path only, which is `prefix`.
    is_plain: bool,
    /// The name of each group.
    names: Vec<String>,
    /// What every path that matches begins and ends with.
    prefix: String,
    suffix: String,
    folder: bool,
}

impl PathPattern {
    /// The pattern `text`, counted from the folder `base`. One that ends in `/` means folders.
    ///
    /// # Errors
    /// What is wrong with it.
    pub fn new(base: &str, text: &str) -> Result<Self, PatternError> {
        let wrong = |fault| PatternError::Malformed { pattern: text.to_owned(), fault };
        if text.chars().count() > MOST_CHARS {
            return Err(wrong(PatternFault::Long));
        }
        let pattern = text.strip_prefix("./").or_else(|| text.strip_prefix('/')).unwrap_or(text);
        let folder = pattern.ends_with('/');
        let pattern = pattern.trim_end_matches('/');
        if pattern.is_empty() {
            return Err(wrong(PatternFault::Empty));
        }
        if pattern.split('/').any(|part| part == "..") {
            return Err(wrong(PatternFault::Outside));
        }
        let mut names = Vec::new();
        let mut regex = String::from("^");
        if !base.is_empty() {
            let _ = write!(regex, "{}/", regex::escape(base));
        }
        translate(pattern, &mut regex, &mut names).map_err(wrong)?;
        regex.push('$');
        let too_large = || wrong(PatternFault::Large);
        let made = OnceLock::new();
        if pattern.len() > SHORT {
            made.get_or_init(|| compile(&regex)).as_ref().ok_or_else(too_large)?;
        } else {
            regex_automata::util::syntax::parse(&regex).map_err(|_| too_large())?;
        }
        let meta = |c: char| "*?[]{}<".contains(c);
        let literal = &pattern[..pattern.find(meta).unwrap_or(pattern.len())];
        let tail = pattern.rfind(|c: char| "*?[]{}>".contains(c)).map_or(0, |at| at + 1);
        let prefix = if base.is_empty() { literal.to_owned() } else { format!("{base}/{literal}") };
        // `**/x` also stands for `x`.
        let suffix = pattern[tail..].trim_start_matches('/').to_owned();
        let is_plain = literal.len() == pattern.len();
        Ok(Self { expression: regex, regex: made, is_plain, names, prefix, suffix, folder })
    }

    /// Whether it means folders.
    #[must_use]
    pub fn is_folder(&self) -> bool {
        self.folder
    }

    /// What every path that matches begins with.
    #[must_use]
    pub fn prefix(&self) -> &str {
        &self.prefix
    }

    /// What every path that matches ends with.
    #[must_use]
    pub fn suffix(&self) -> &str {
        &self.suffix
    }

    /// The names it captures.
    pub fn names(&self) -> impl Iterator<Item = &str> {
        self.names.iter().map(String::as_str)
    }

    /// What the names stand for in `path`; `None` when it does not match.
    #[must_use]
    pub fn find(&self, path: &str) -> Option<Captured> {
        if !self.matches_plainly(path) {
            return None;
        }
        let mut captured = Captured::new();
        if self.names.is_empty() {
            return Some(captured);
        }
        let found = self.regex()?.captures(path)?;
        for (index, name) in self.names.iter().enumerate() {
            let Some(value) = found.get(index + 1) else { continue };
            let before = captured.insert(name.clone(), value.as_str().to_owned());
            // The same name is the same text.
            if before.is_some_and(|before| before != value.as_str()) {
                return None;
            }
        }
        Some(captured)
    }

    /// Whether `path` matches but for names that stand twice.
    fn matches_plainly(&self, path: &str) -> bool {
        if self.is_plain {
            return path == self.prefix;
        }
        path.starts_with(&self.prefix)
            && path.ends_with(&self.suffix)
            && self.regex().is_some_and(|regex| regex.is_match(path))
    }

    fn regex(&self) -> Option<&Regex> {
        self.regex.get_or_init(|| compile(&self.expression)).as_ref()
    }
}

fn compile(expression: &str) -> Option<Regex> {
    regex::RegexBuilder::new(expression).size_limit(PROGRAM_LIMIT).build().ok()
}

/// Writes the expression of a glob with captures.
fn translate(
    pattern: &str,
    regex: &mut String,
    names: &mut Vec<String>,
) -> Result<(), PatternFault> {
    let mut depth = 0_usize;
    let mut rest = pattern;
    let mut at_start = true;
    while let Some(c) = rest.chars().next() {
        let mut used = c.len_utf8();
        let starts = at_start;
        at_start = false;
        match c {
            '*' => {
                let stars = rest.len() - rest.trim_start_matches('*').len();
                used = stars;
                let after = &rest[stars..];
                if stars > 1 && starts && after.starts_with('/') {
                    regex.push_str("(?:[^/]+/)*");
                    used += 1;
                    at_start = true;
                } else if stars > 1 && starts && after.is_empty() {
                    regex.push_str(".+");
                } else {
                    regex.push_str("[^/]*");
                }
            }
            '?' => regex.push_str("[^/]"),
            '[' => {
                let end = rest[1..].find(']').ok_or(PatternFault::Unclosed('['))? + 1;
                regex.push_str(&class(&rest[1..end])?);
                used = end + 1;
            }
            '{' => {
                depth += 1;
                regex.push_str("(?:");
                at_start = starts;
            }
            '}' if depth > 0 => {
                depth -= 1;
                regex.push(')');
            }
            '}' => return Err(PatternFault::Unopened),
            ',' if depth > 0 => regex.push('|'),
            '<' => {
                let name = capture_name(rest).ok_or(PatternFault::NoName)?;
                names.push(name.to_owned());
                used = name.len() + 2;
                if name == "dir" && starts && rest[used..].starts_with('/') {
                    // A file at the root lies in no folder.
                    regex.push_str("(?:(.*)/)?");
                    used += 1;
                    at_start = true;
                } else {
                    regex.push_str("([^/]+?)");
                }
            }
            '/' => {
                regex.push('/');
                at_start = true;
            }
            _ => regex.push_str(&regex::escape(&rest[..used])),
        }
        rest = &rest[used..];
    }
    if depth > 0 { Err(PatternFault::Unclosed('{')) } else { Ok(()) }
}

/// A class of characters of one segment.
fn class(inner: &str) -> Result<String, PatternFault> {
    let (negated, inner) = match inner.strip_prefix(['!', '^']) {
        Some(rest) => (true, rest),
        None => (false, inner),
    };
    if inner.is_empty() {
        return Err(PatternFault::EmptyClass);
    }
    let mut class = String::from(if negated { "[^/" } else { "[" });
    for c in inner.chars() {
        if matches!(c, '\\' | '[' | ']' | '^' | '&' | '~') {
            class.push('\\');
        }
        class.push(c);
    }
    class.push(']');
    Ok(class)
}

/// The name of a capture at the beginning of `text`: `<name>`.
fn capture_name(text: &str) -> Option<&str> {
    let inner = text.strip_prefix('<')?;
    let name = &inner[..inner.find('>')?];
    let letters = |c: char| c.is_ascii_alphanumeric() || c == '-' || c == '_';
    (!name.is_empty() && name.chars().all(letters)).then_some(name)
}

/// The names of the captures in `text`.
#[must_use]
pub fn names(text: &str) -> Vec<&str> {
    text.match_indices('<').filter_map(|(at, _)| capture_name(&text[at..])).collect()
}

/// Whether `text` has a glob in it.
#[must_use]
pub fn has_glob(text: &str) -> bool {
    text.contains(['*', '?', '[', '{'])
}

/// Puts values in the place of names; `value` says `None` for a name that is to stay.
pub fn fill(text: &str, value: impl Fn(&str) -> Option<String>) -> String {
    let mut filled = String::with_capacity(text.len());
    let mut rest = text;
    while let Some(open) = rest.find('<') {
        filled.push_str(&rest[..open]);
        rest = &rest[open..];
        match capture_name(rest).and_then(|name| Some((name, value(name)?))) {
            Some((name, value)) => {
                filled.push_str(&value);
                rest = &rest[name.len() + 2..];
            }
            None => {
                filled.push('<');
                rest = &rest[1..];
            }
        }
    }
    filled.push_str(rest);
    filled
}

/// A text as a pattern that matches it alone.
#[must_use]
pub fn escaped(text: &str) -> String {
    let mut escaped = String::with_capacity(text.len());
    for c in text.chars() {
        if "*?[{<".contains(c) {
            let _ = write!(escaped, "[{c}]");
        } else {
            escaped.push(c);
        }
    }
    escaped
}

/// The patterns without braces that `text` stands for.
///
/// # Errors
/// When a brace is not closed, or they are too many.
pub fn alternatives(text: &str) -> Result<Vec<String>, PatternError> {
    let mut done = Vec::new();
    let mut left = vec![text.to_owned()];
    while let Some(one) = left.pop() {
        if done.len() + left.len() >= MOST_ALTERNATIVES {
            return Err(PatternError::ManyPaths(text.to_owned()));
        }
        let Some(open) = one.rfind('{') else {
            if !done.contains(&one) {
                done.push(one);
            }
            continue;
        };
        let Some(length) = one[open..].find('}') else {
            let fault = PatternFault::Unclosed('{');
            return Err(PatternError::Malformed { pattern: text.to_owned(), fault });
        };
        let (head, tail) = (&one[..open], &one[open + length + 1..]);
        let inner = &one[open + 1..open + length];
        left.extend(inner.split(',').rev().map(|part| format!("{head}{part}{tail}")));
    }
    Ok(done)
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    fn found(pattern: &str, path: &str) -> Option<String> {
        let captured = PathPattern::new("", pattern).expect(pattern).find(path)?;
        let shown: Vec<String> =
            captured.iter().map(|(name, value)| format!("{name}={value}")).collect();
        Some(shown.join(" "))
    }

    #[test]
    fn captures_are_segments_or_parts_and_the_same_name_is_the_same_text() {
        assert_eq!(found("packages/<pkg>/", "packages/a"), Some("pkg=a".into()));
        assert_eq!(found("packages/<pkg>/", "packages/a/b"), None);
        assert_eq!(found("src/**/<x>.test.ts", "src/a/b.c.test.ts"), Some("x=b.c".into()));
        assert_eq!(found("<a>/<a>.rs", "x/x.rs"), Some("a=x".into()));
        assert_eq!(found("<a>/<a>.rs", "x/y.rs"), None);
        assert_eq!(found("src/**", "src/a/b"), Some(String::new()));
        assert_eq!(found("src/**", "src"), None);
        assert_eq!(found("**/*.{ts,tsx}", "a.tsx"), Some(String::new()));
        assert_eq!(found("{a,b/*}/x", "b/c/x"), Some(String::new()));
        assert_eq!(found("a[!b]c", "adc"), Some(String::new()));
        assert_eq!(found("a[.]c?", "a.cd"), Some(String::new()));
        let below = PathPattern::new("packages/a", "src/<x>").expect("valid");
        assert!(below.find("packages/a/src/b").is_some() && below.find("src/b").is_none());
    }

    #[test]
    fn a_malformed_pattern_says_why() {
        for (pattern, part) in [
            ("a{b", "not closed"),
            ("a}", "closes nothing"),
            ("a[", "not closed"),
            ("a<b", "opens no name"),
            ("", "empty"),
            ("../a", "leads out"),
        ] {
            let why = PathPattern::new("", pattern).expect_err(pattern).to_string();
            assert!(why.contains(part), "{why}");
        }
        assert!(alternatives(&"{a,b}".repeat(20)).is_err());
    }

    #[test]
    fn braces_are_alternatives() {
        assert_eq!(alternatives("a.{ts,{js,x}}").expect("few"), ["a.ts", "a.js", "a.x"]);
        assert_eq!(fill("<dir>/<x>.<y>", |name| (name == "x").then(|| "v".into())), "<dir>/v.<y>");
    }

    proptest! {
        #[test]
        fn no_pattern_panics_and_an_escaped_path_matches_itself(
            pattern in "[a*?\\[\\]{},<>/!.-]{0,24}", path in "[a-c*?\\[{<./]{1,12}",
        ) {
            if let Ok(pattern) = PathPattern::new("", &pattern) {
                let _ = pattern.find(&path);
            }
            let _ = alternatives(&pattern);
            let plain = path.trim_matches('/').trim_start_matches("./");
            if !plain.is_empty() && !plain.split('/').any(|part| part == "..") && !plain.starts_with('/') {
                let literal = PathPattern::new("", &escaped(plain)).expect("escaped");
                prop_assert!(literal.find(plain).is_some());
            }
        }
    }
}
