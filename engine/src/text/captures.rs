//! Path patterns: globs in which a capture `<name>` matches a path segment or a part of a segment.
//! Every occurrence of a name must match the same text.

use regex::Regex;
use std::collections::BTreeMap;
use std::fmt::Write as _;
use std::sync::OnceLock;
use thiserror::Error;

/// Maximum length of a pattern, in characters.
const MAX_CHARS: usize = 1024;
/// Maximum number of alternatives that the braces of a pattern can expand to.
const MAX_ALTERNATIVES: usize = 64;
/// Maximum size of a compiled pattern, in bytes.
const PROGRAM_LIMIT: usize = 1 << 20;

/// Capture names and the text they matched.
pub type CaptureValues = BTreeMap<String, String>;

/// Why a path pattern cannot be used.
#[derive(Clone, Debug, PartialEq, Eq, Error)]
pub enum PatternError {
    /// The pattern is malformed.
    #[error("not a path pattern: `{pattern}`: {fault}")]
    Malformed {
        /// The pattern as written.
        pattern: String,
        /// The fault in the pattern.
        fault: PatternFault,
    },
    /// The braces expand to too many alternatives.
    #[error("`{0}` expands to more than {MAX_ALTERNATIVES} paths; split the rule")]
    ManyPaths(String),
}

/// The fault in a malformed path pattern.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Error)]
pub enum PatternFault {
    /// The pattern has too many characters.
    #[error("too many characters")]
    Long,
    /// The pattern is empty.
    #[error("empty pattern")]
    Empty,
    /// The pattern contains `..`.
    #[error("leaves the directory")]
    Outside,
    /// The compiled pattern is too large.
    #[error("too complex")]
    Large,
    /// A bracket or brace is not closed.
    #[error("`{0}` is not closed")]
    Unclosed(char),
    /// A closing brace has no opening brace.
    #[error("unmatched `}}`")]
    Unopened,
    /// `<` is not followed by a name.
    #[error("`<` must start a name such as `<pkg>`")]
    NoName,
    /// A character class is empty.
    #[error("`[]` is empty")]
    EmptyClass,
}

/// Patterns of at most this many characters cannot exceed [`PROGRAM_LIMIT`], because each character
/// compiles to at most one class.
const MAX_UNCHECKED_CHARS: usize = 128;

/// A path pattern. Its regular expression is compiled when the first path is matched. `*` and `?` do
/// not match slashes, `**` matches any number of segments, `{a,b}` matches one of the alternatives,
/// `[ab]` one of the characters.
#[derive(Clone, Debug)]
pub struct PathPattern {
    expression: String,
    /// `None` if the expression cannot be compiled, which [`Self::new`] prevents.
    regex: OnceLock<Option<Regex>>,
    /// Whether the pattern has no wildcards, so that it matches only the path `prefix`.
    is_plain: bool,
    /// The name of each capture group.
    names: Vec<String>,
    /// The literal start and end of every path that matches.
    prefix: String,
    suffix: String,
    folder: bool,
}

impl PathPattern {
    /// Parses `text`, relative to the directory `base`. A pattern that ends in `/` matches
    /// directories.
    ///
    /// # Errors
    /// When the pattern is malformed.
    pub fn new(base: &str, text: &str) -> Result<Self, PatternError> {
        let malformed = |fault| PatternError::Malformed { pattern: text.to_owned(), fault };
        if text.chars().count() > MAX_CHARS {
            return Err(malformed(PatternFault::Long));
        }
        let pattern = text.strip_prefix("./").or_else(|| text.strip_prefix('/')).unwrap_or(text);
        let folder = pattern.ends_with('/');
        let pattern = pattern.trim_end_matches('/');
        if pattern.is_empty() {
            return Err(malformed(PatternFault::Empty));
        }
        if pattern.split('/').any(|part| part == "..") {
            return Err(malformed(PatternFault::Outside));
        }
        let mut names = Vec::new();
        let mut regex = String::from("^");
        if !base.is_empty() {
            let _ = write!(regex, "{}/", regex::escape(base));
        }
        translate(pattern, &mut regex, &mut names).map_err(malformed)?;
        regex.push('$');
        let too_large = || malformed(PatternFault::Large);
        let compiled = OnceLock::new();
        if pattern.len() > MAX_UNCHECKED_CHARS {
            compiled.get_or_init(|| compile(&regex)).as_ref().ok_or_else(too_large)?;
        } else {
            regex_automata::util::syntax::parse(&regex).map_err(|_| too_large())?;
        }
        let meta = |c: char| "*?[]{}<".contains(c);
        let literal = &pattern[..pattern.find(meta).unwrap_or(pattern.len())];
        let tail = pattern.rfind(|c: char| "*?[]{}>".contains(c)).map_or(0, |at| at + 1);
        let prefix = if base.is_empty() { literal.to_owned() } else { format!("{base}/{literal}") };
        // `**/x` also matches `x`.
        let suffix = pattern[tail..].trim_start_matches('/').to_owned();
        let is_plain = literal.len() == pattern.len();
        Ok(Self { expression: regex, regex: compiled, is_plain, names, prefix, suffix, folder })
    }

    /// Whether the pattern matches directories.
    #[must_use]
    pub fn is_folder(&self) -> bool {
        self.folder
    }

    /// The literal start of every path that matches.
    #[must_use]
    pub fn prefix(&self) -> &str {
        &self.prefix
    }

    /// The literal end of every path that matches.
    #[must_use]
    pub fn suffix(&self) -> &str {
        &self.suffix
    }

    /// The names of the captures.
    pub fn names(&self) -> impl Iterator<Item = &str> {
        self.names.iter().map(String::as_str)
    }

    /// The captured text by name; `None` when `path` does not match.
    #[must_use]
    pub fn find(&self, path: &str) -> Option<CaptureValues> {
        if !self.matches_ignoring_repeats(path) {
            return None;
        }
        let mut captured = CaptureValues::new();
        if self.names.is_empty() {
            return Some(captured);
        }
        let matched = self.regex()?.captures(path)?;
        for (index, name) in self.names.iter().enumerate() {
            let Some(value) = matched.get(index + 1) else { continue };
            let before = captured.insert(name.clone(), value.as_str().to_owned());
            // Repeated names must match the same text.
            if before.is_some_and(|before| before != value.as_str()) {
                return None;
            }
        }
        Some(captured)
    }

    /// Whether `path` matches if repeated names can match different texts.
    fn matches_ignoring_repeats(&self, path: &str) -> bool {
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

/// Appends the regular expression of a glob with captures to `regex`.
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
                    // A file at the root has no directory.
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

/// The regular expression of a character class within one segment.
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

/// The name of a capture at the start of `text`: `<name>`.
fn capture_name(text: &str) -> Option<&str> {
    let inner = text.strip_prefix('<')?;
    let name = &inner[..inner.find('>')?];
    let is_name_char = |c: char| c.is_ascii_alphanumeric() || c == '-' || c == '_';
    (!name.is_empty() && name.chars().all(is_name_char)).then_some(name)
}

/// The names of the captures in `text`.
#[must_use]
pub fn names(text: &str) -> Vec<&str> {
    text.match_indices('<').filter_map(|(at, _)| capture_name(&text[at..])).collect()
}

/// Whether `text` contains a glob character.
#[must_use]
pub fn has_glob(text: &str) -> bool {
    text.contains(['*', '?', '[', '{'])
}

/// Replaces captures with values; if `value` returns `None` for a capture, the capture is
/// unchanged.
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

/// Escapes `text`, so that it is a pattern that matches only `text` itself.
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

/// Expands `text` to patterns without braces.
///
/// # Errors
/// When a brace is not closed, or there are too many alternatives.
pub fn alternatives(text: &str) -> Result<Vec<String>, PatternError> {
    let mut expanded = Vec::new();
    let mut remaining = vec![text.to_owned()];
    while let Some(pattern) = remaining.pop() {
        if expanded.len() + remaining.len() >= MAX_ALTERNATIVES {
            return Err(PatternError::ManyPaths(text.to_owned()));
        }
        let Some(open) = pattern.rfind('{') else {
            if !expanded.contains(&pattern) {
                expanded.push(pattern);
            }
            continue;
        };
        let Some(length) = pattern[open..].find('}') else {
            let fault = PatternFault::Unclosed('{');
            return Err(PatternError::Malformed { pattern: text.to_owned(), fault });
        };
        let (head, tail) = (&pattern[..open], &pattern[open + length + 1..]);
        let inner = &pattern[open + 1..open + length];
        remaining.extend(inner.split(',').rev().map(|part| format!("{head}{part}{tail}")));
    }
    Ok(expanded)
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    fn find_captures(pattern: &str, path: &str) -> Option<String> {
        let captured = PathPattern::new("", pattern).expect(pattern).find(path)?;
        let captures: Vec<String> =
            captured.iter().map(|(name, value)| format!("{name}={value}")).collect();
        Some(captures.join(" "))
    }

    #[test]
    fn a_capture_matches_a_segment_or_a_part_and_repeated_names_match_the_same_text() {
        assert_eq!(find_captures("packages/<pkg>/", "packages/a"), Some("pkg=a".into()));
        assert_eq!(find_captures("packages/<pkg>/", "packages/a/b"), None);
        assert_eq!(find_captures("src/**/<x>.test.ts", "src/a/b.c.test.ts"), Some("x=b.c".into()));
        assert_eq!(find_captures("<a>/<a>.rs", "x/x.rs"), Some("a=x".into()));
        assert_eq!(find_captures("<a>/<a>.rs", "x/y.rs"), None);
        assert_eq!(find_captures("src/**", "src/a/b"), Some(String::new()));
        assert_eq!(find_captures("src/**", "src"), None);
        assert_eq!(find_captures("**/*.{ts,tsx}", "a.tsx"), Some(String::new()));
        assert_eq!(find_captures("{a,b/*}/x", "b/c/x"), Some(String::new()));
        assert_eq!(find_captures("a[!b]c", "adc"), Some(String::new()));
        assert_eq!(find_captures("a[.]c?", "a.cd"), Some(String::new()));
        let below = PathPattern::new("packages/a", "src/<x>").expect("valid");
        assert!(below.find("packages/a/src/b").is_some() && below.find("src/b").is_none());
    }

    #[test]
    fn the_error_of_a_malformed_pattern_contains_the_fault() {
        for (pattern, part) in [
            ("a{b", "not closed"),
            ("a}", "unmatched"),
            ("a[", "not closed"),
            ("a<b", "must start a name"),
            ("", "empty"),
            ("../a", "leaves the directory"),
        ] {
            let why = PathPattern::new("", pattern).expect_err(pattern).to_string();
            assert!(why.contains(part), "{why}");
        }
        assert!(alternatives(&"{a,b}".repeat(20)).is_err());
    }

    #[test]
    fn braces_are_expanded_to_alternatives_and_captures_are_filled() {
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
