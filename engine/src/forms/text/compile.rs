//! The expressions of text patterns.

use super::CompiledPattern;
use super::required::Required;
use super::shared_regex::SharedRegex;
use crate::forms::expression;
use aidd_page::{FixHeader, TextHeader};
use regex_automata::meta::Regex;
use regex_automata::util::interpolate;
use regex_automata::{Match, PatternID};
use regex_syntax::hir::Hir;
use std::collections::BTreeMap;

/// Maximum size of a compiled expression, in bytes. A page with a larger expression is rejected.
const PROGRAM_LIMIT: usize = 4 << 20;

/// Compiles the expressions of a text pattern.
///
/// # Errors
/// The error of the regex parser, or a fix that would not fix the finding.
pub(crate) fn check_header(header: &TextHeader, fix: Option<&FixHeader>) -> Result<(), String> {
    // Building the table that speeds up matching takes longest, and this expression is not used for
    // matching.
    let compiled = compile_for(header, false)?;
    if let Some(text) =
        header.regex.iter().chain(&header.unless).find(|text| text.contains('\u{8}'))
    {
        let text = text.replace('\u{8}', r"\b");
        return Err(format!(
            "`{text}` contains a backspace, because YAML reads `\\b` in double quotes as one; use single quotes"
        ));
    }
    if !header.require && matches_everywhere(&compiled.regex.regex) {
        let text = header.regex.as_deref().unwrap_or_default();
        return Err(format!("`{text}` matches the empty string at every position"));
    }
    if let Some((word, _)) =
        header.swap.iter().find(|(word, replacement)| word.trim() == replacement.trim())
    {
        return Err(format!("`{word}` is replaced with itself"));
    }
    if let Some(name) = fix.and_then(|fix| unknown_group(fix, &compiled.regex.regex)) {
        let groups: Vec<&str> =
            compiled.regex.regex.group_info().all_names().filter_map(|(.., name)| name).collect();
        let available =
            match (groups.is_empty(), compiled.regex.regex.group_info().group_len(PatternID::ZERO))
            {
                (true, 1) => "it has no groups".to_owned(),
                (true, count) => format!("its groups are numbered up to {}", count - 1),
                (false, _) => format!("its groups are `{}`", groups.join("`, `")),
            };
        return Err(format!(
            "`replace` uses the group `{name}`, which the expression does not have; {available}. Write a literal `$` as `$$`"
        ));
    }
    let inserted = fix.and_then(FixHeader::inserted);
    // A text with placeholders is not checked here: the example under `## Fixed` tests it.
    match inserted.filter(|text| !text.contains('<') && !compiled.regex.is_match(text)) {
        Some(text) => Err(format!("the inserted text does not match the pattern: `{text}`")),
        None => Ok(()),
    }
}

/// Whether the expression matches between any two letters.
fn matches_everywhere(regex: &Regex) -> bool {
    // Private-use characters, so that expressions for positions or words do not match.
    let text = "\u{E000}\u{E000}";
    regex.find_iter(text).filter(Match::is_empty).count() >= 3
}

/// The first group in a replacement that the expression does not define. The reference to this
/// group would be replaced by an empty string.
fn unknown_group(fix: &FixHeader, regex: &Regex) -> Option<String> {
    let unknown = std::cell::RefCell::new(None);
    let record = |name: String| {
        unknown.borrow_mut().get_or_insert(name);
    };
    let groups = regex.group_info().group_len(PatternID::ZERO);
    interpolate::string(
        fix.replace.as_deref()?,
        |index, _| {
            if index >= groups {
                record(index.to_string());
            }
        },
        |name| {
            let index = regex.group_info().to_index(PatternID::ZERO, name);
            if index.is_none() {
                record(name.to_owned());
            }
            index
        },
        &mut String::new(),
    );
    unknown.into_inner()
}

pub(super) fn compile(header: &TextHeader) -> Result<CompiledPattern, String> {
    compile_for(header, true)
}

/// What each match of a text pattern contains. Nothing if the expression is invalid.
pub(super) fn required(header: &TextHeader) -> Required {
    let parsed = expression_of(header).and_then(|(text, unicode)| parse(&text, unicode));
    parsed.map(|expression| Required::of(&expression)).unwrap_or_default()
}

/// The expression of a text pattern, and whether its classes are those of Unicode.
fn expression_of(header: &TextHeader) -> Result<(String, bool), String> {
    // Secrets use ASCII alphabets, and ASCII classes are several times faster.
    let unicode = header.secret.is_none();
    let text = match (&header.regex, &header.assigned) {
        (Some(regex), _) => regex.clone(),
        (None, Some(value)) => assignment_expression(&header.keywords, value),
        (None, None) if header.swap.is_empty() => {
            return Err("expected one of `regex`, `assigned` and `swap`".to_owned());
        }
        (None, None) => swap_expression(&header.swap),
    };
    Ok((text, unicode))
}

/// Compiles the expressions, either for fast matching or only to validate them.
fn compile_for(header: &TextHeader, fast: bool) -> Result<CompiledPattern, String> {
    let (text, unicode) = expression_of(header)?;
    let (regex, max_match_len) = build(&text, unicode, fast)?;
    let group = regex.group_info().to_index(PatternID::ZERO, "at").unwrap_or(0);
    let build_all = |texts: &[String]| {
        let regexes = texts.iter().map(|text| Ok(SharedRegex::new(build(text, unicode, fast)?.0)));
        regexes.collect::<Result<_, String>>()
    };
    let (unless, unless_match) = (build_all(&header.unless)?, build_all(&header.unless_match)?);
    let swap =
        header.swap.iter().map(|(word, replacement)| (key(word), replacement.trim().to_owned()));
    let mentions_bom = mentions_bom(&text);
    let swap = swap.collect();
    Ok(CompiledPattern {
        regex: SharedRegex::new(regex),
        mentions_bom,
        max_match_len,
        group,
        unless,
        unless_match,
        swap,
    })
}

/// Whether an expression mentions U+FEFF as a character, by its number or by its bytes.
fn mentions_bom(text: &str) -> bool {
    let upper = text.to_ascii_uppercase();
    text.contains('\u{FEFF}') || upper.contains("FEFF") || upper.contains(r"\XEF\XBB\XBF")
}

fn parse(text: &str, unicode: bool) -> Result<Hir, String> {
    let mut parser = regex_syntax::ParserBuilder::new();
    parser.unicode(unicode).utf8(unicode).multi_line(true).crlf(true);
    parser.build().parse(text).map_err(|error| expression::reason(&error.to_string()))
}

/// The compiled expression, and the maximum length of a match in bytes, if it is bounded.
fn build(text: &str, unicode: bool, fast: bool) -> Result<(Regex, Option<usize>), String> {
    let hir = parse(text, unicode)?;
    expression::check_parsed(&hir)?;
    let config = Regex::config()
        .utf8_empty(false)
        .nfa_size_limit(Some(PROGRAM_LIMIT))
        .dfa(fast)
        .onepass(fast);
    let regex = Regex::builder().configure(config).build_from_hir(&hir).map_err(|error| {
        if error.size_limit().is_some() {
            expression::TOO_LARGE.to_owned()
        } else {
            error.to_string()
        }
    })?;
    Ok((regex, hir.properties().maximum_len()))
}

impl CompiledPattern {
    /// The replacement for a found word, in the same case; `None` if the word has no replacement,
    /// or is already written like its replacement.
    pub(super) fn replacement(&self, found: &str) -> Option<String> {
        let replacement = self.swap.get(&key(found))?;
        // Names keep their case: `javascript` is always replaced with `JavaScript`.
        if replacement.chars().any(char::is_uppercase) {
            return Some(replacement.clone());
        }
        let mut letters = found.chars().filter(|c| c.is_alphabetic());
        let is_capitalized = letters.next().is_some_and(char::is_uppercase);
        if is_capitalized && letters.clone().next().is_some() && letters.all(char::is_uppercase) {
            return Some(replacement.to_uppercase());
        }
        let mut rest = replacement.chars();
        let head = rest.next().filter(|_| is_capitalized);
        Some(
            head.map_or_else(
                || replacement.clone(),
                |head| head.to_uppercase().chain(rest).collect(),
            ),
        )
    }

    /// Whether a found word is already written like its replacement.
    pub(super) fn is_replaced(&self, found: &str) -> bool {
        self.swap.get(&key(found)).is_some_and(|replacement| replacement == found)
    }
}

/// The lookup key of a word: lower-case, with a single space between its parts.
fn key(word: &str) -> String {
    word.to_lowercase().split_whitespace().collect::<Vec<_>>().join(" ")
}

/// The expression that matches any of the words to swap, longest first.
fn swap_expression(swap: &BTreeMap<String, String>) -> String {
    let is_word = |c: char| c.is_alphanumeric() || c == '_';
    let mut words: Vec<&str> = swap.keys().map(|word| word.trim()).collect();
    words.sort_by_key(|word| (std::cmp::Reverse(word.len()), *word));
    let alternative = |word: &&str| {
        let parts: Vec<String> = word.split_whitespace().map(regex::escape).collect();
        let bound = |c: Option<char>| if c.is_some_and(is_word) { r"\b" } else { "" };
        let (before, after) = (bound(word.chars().next()), bound(word.chars().next_back()));
        format!("{before}{}{after}", parts.join(r"[ \t]+"))
    };
    format!("(?i:{})", words.iter().map(alternative).collect::<Vec<_>>().join("|"))
}

/// The expression for a value that is assigned to a name containing one of `keywords`.
fn assignment_expression(keywords: &[String], value: &str) -> String {
    let names: Vec<String> = keywords.iter().map(|keyword| regex::escape(keyword)).collect();
    format!(
        r#"(?i:{names})[0-9A-Za-z_.\-]{{0,40}}(?:(?:[ \t][A-Za-z]{{2,12}}){{1,3}}[ \t]{{0,2}}[:=]|(?:\\?["'\])`]){{0,2}}(?:[ \t]{{0,8}}(?::?[ \t]{{0,4}}[&0-9A-Za-z_<>\[\]?.']{{1,24}}[ \t]{{1,4}}=|:[0-9A-Za-z_<>?]{{1,24}}=|=>|:{{1,3}}=?|\?\??=?|\|\|[=:]?|={{1,3}}|[>,(])|[ \t]+value=|[ \t]))[ \t]{{0,8}}(?:(?:@|[bBfFrRuU]{{1,2}})?\\?["'`]{{1,3}}|\[{{1,2}}["']?)?(?:(?i:bearer|token|basic)[ \t]+)?(?P<at>{value})(?:[^\w\-+/=.]|[.=]?(?:\s|$)|\\[nrt"])"#,
        names = names.join("|"),
    )
}
