//! The tags of template languages: Jinja, Liquid, Twig, ERB, EJS, PHP, Handlebars, Go, Blade,
//! Thymeleaf and the interpolations of Vue and Angular.

use crate::Language;

/// What a template tag renders.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Rendering {
    /// Nothing: it is a comment.
    Comment,
    /// Nothing, but it decides whether or how often other parts are rendered.
    Statement,
    /// Text or elements, possibly none.
    Output,
}

/// An opening marker, its closing marker, and whether Vue and Angular use it too.
const MARKERS: [(&str, &str, bool); 8] = [
    ("{{--", "--}}", false),
    ("{{", "}}", true),
    ("{%", "%}", false),
    ("{#", "#}", false),
    ("{!!", "!!}", false),
    ("<%", "%>", false),
    ("<?", "?>", false),
    ("${", "}", false),
];

/// The words that begin a statement.
const STATEMENTS: [&str; 38] = [
    "assign",
    "autoescape",
    "break",
    "capture",
    "case",
    "catch",
    "continue",
    "csrf_token",
    "do",
    "each",
    "elif",
    "else",
    "elseif",
    "elsif",
    "empty",
    "end",
    "extends",
    "extend",
    "finally",
    "for",
    "foreach",
    "from",
    "if",
    "import",
    "load",
    "macro",
    "range",
    "set",
    "spaceless",
    "switch",
    "try",
    "unless",
    "var",
    "verbatim",
    "when",
    "while",
    "with",
    "layout",
];

/// Remembers for each marker from which position on it does not occur, so that a text is not searched
/// repeatedly.
#[derive(Debug, Default)]
pub(super) struct Markers {
    absent_from: [Option<usize>; MARKERS.len()],
}

impl Markers {
    /// The end of the template tag that begins at `at`, and what it renders.
    pub(super) fn at(
        &mut self,
        text: &str,
        at: usize,
        language: Language,
    ) -> Option<(usize, Rendering)> {
        if matches!(language, Language::Svelte | Language::Astro) {
            return None;
        }
        let rest = text.as_bytes().get(at..)?;
        let is_script = language != Language::Html;
        let index = MARKERS.iter().position(|&(opening, _, is_common)| {
            (is_common || !is_script) && rest.starts_with(opening.as_bytes())
        })?;
        let (opening, closing, _) = MARKERS[index];
        // The last block of PHP is not closed.
        let unclosed = (opening == "<?").then_some((text.len(), Rendering::Output));
        if self.absent_from[index].is_some_and(|from| at >= from) {
            return unclosed;
        }
        let inner = &rest[opening.len()..];
        let Some(length) = memchr::memmem::find(inner, closing.as_bytes()) else {
            self.absent_from[index] = Some(at);
            return unclosed;
        };
        let mut end = at + opening.len() + length + closing.len();
        // `{{{ raw }}}`
        if opening == "{{" && inner.starts_with(b"{") && text[end..].starts_with('}') {
            end += 1;
        }
        let start = at + opening.len();
        Some((end, rendering(opening, &text[start..start + length], is_script)))
    }
}

/// How a tag of ERB or EEx changes the nesting of blocks.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum ErbBlock<'a> {
    /// Begins a block whose content a helper or partial receives, such as `<%= tag.li do %>`; with
    /// the name of the helper.
    Helper(&'a str),
    /// Begins a statement, such as `<% if a %>`.
    Statement,
    /// Ends a block or a statement.
    End,
}

/// How the tag `<% … %>` changes the nesting of blocks.
pub(super) fn erb_block(tag: &str) -> Option<ErbBlock<'_>> {
    const WORDS: [&str; 7] = ["if", "unless", "case", "while", "until", "for", "begin"];
    let inner = tag.strip_prefix("<%")?.strip_suffix("%>")?;
    let (code, prints) = match inner.strip_prefix('=') {
        Some(code) => (code.trim_start_matches(['=', '-']), true),
        None => (inner, false),
    };
    let code = code.trim_matches(|c: char| c == '-' || c.is_ascii_whitespace());
    let is_name = |c: char| c.is_ascii_alphanumeric() || matches!(c, '_' | '.' | ':' | '@');
    let name = &code[..code.find(|c| !is_name(c)).unwrap_or(code.len())];
    if matches!(name, "end" | "end.html_safe") && !prints {
        return Some(ErbBlock::End);
    }
    // `do`, `do |form|`, and `fn form ->` of Elixir.
    let last = match code.strip_suffix('|').and_then(|rest| rest.rsplit_once('|')) {
        Some((rest, _)) => rest.trim_ascii_end(),
        None => code,
    };
    let is_word = |word: &str| {
        last.strip_suffix(word).is_some_and(|rest| rest.is_empty() || !rest.ends_with(is_name))
    };
    let is_block = is_word("do") || code.ends_with("->") && code.contains("fn ");
    if WORDS.contains(&name) {
        // `if a then b end`, and the braces of EJS and JSP.
        let is_open = !is_word("end") && !code.ends_with(['{', '}']);
        return is_open.then_some(ErbBlock::Statement);
    }
    match (is_block, prints) {
        (true, true) => Some(ErbBlock::Helper(name)),
        (true, false) => Some(ErbBlock::Statement),
        (false, _) => None,
    }
}

/// Whether a text contains a statement of Blade or Razor (`@if`), FreeMarker (`<#if`, `[#if`), Velocity
/// (`#if`) or Smarty (`{if`).
pub(super) fn has_statement(text: &str) -> bool {
    memchr::memchr3_iter(b'@', b'#', b'{', text.as_bytes()).any(|at| {
        let rest = &text[at + 1..];
        let word = rest.split(|c: char| !c.is_ascii_alphabetic()).next().unwrap_or_default();
        match text.as_bytes()[at] {
            b'@' => is_statement(word),
            _ => matches!(word, "if" | "elseif" | "else" | "foreach" | "list" | "section"),
        }
    })
}

/// Whether a word begins or ends a statement.
pub(super) fn is_statement(word: &str) -> bool {
    STATEMENTS.contains(&word) || word.starts_with("end")
}

/// Whether the content of `{{ … }}` is a statement of Go or Handlebars, and not the name of a variable,
/// such as `range` or `end_date`.
fn is_braced_statement(body: &str) -> bool {
    let body = body.trim_end_matches(['-', '~', '}']).trim_ascii();
    let (word, rest) = body.split_once(|c: char| c.is_ascii_whitespace()).unwrap_or((body, ""));
    let rest = rest.trim_ascii_start();
    match word {
        "end" | "break" | "continue" => rest.is_empty(),
        "else" => true,
        "if" | "range" | "with" | "define" => {
            rest.starts_with(|c: char| c.is_alphanumeric() || matches!(c, '.' | '$' | '(' | '"'))
        }
        _ => body.starts_with('#'),
    }
}

/// In the languages of scripts, `{{ … }}` contains only expressions.
fn rendering(opening: &str, inner: &str, is_script: bool) -> Rendering {
    let is_tag = matches!(opening, "{%" | "<%" | "<?");
    let body = inner.trim_start_matches(['-', '~', '_', '+']).trim_ascii_start();
    match opening {
        "{#" | "{{--" => return Rendering::Comment,
        "<%" if inner.starts_with('#') => return Rendering::Comment,
        "<%" if inner.starts_with(['=', '-', '@', '|', '!', ':']) => return Rendering::Output,
        "<?" if body.starts_with('=') => return Rendering::Output,
        "{{" if is_script => return Rendering::Output,
        "{{" if inner.starts_with("!") || body.starts_with("/*") => return Rendering::Comment,
        "{{" if body.starts_with(['/', '^']) || is_braced_statement(body) => {
            return Rendering::Statement;
        }
        "{{" => return Rendering::Output,
        _ => {}
    }
    let body = body.trim_start_matches('#');
    let body = body.strip_prefix("php").unwrap_or(body).trim_ascii_start();
    let body = body.trim_start_matches(['}', ' ']);
    let word = body.split(|c: char| !c.is_ascii_alphanumeric() && c != '_').next();
    let word = word.unwrap_or_default();
    let is_statement = is_statement(word);
    // In ERB and PHP, code that does not print renders nothing.
    let prints = match opening {
        "<%" => false,
        "<?" => body.contains("echo") || body.contains("print") || !is_statement,
        _ => true,
    };
    if is_tag && (is_statement || !prints) { Rendering::Statement } else { Rendering::Output }
}
