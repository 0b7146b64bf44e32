//! Directives of `printf` and of Python, as in gettext's format checks.

use super::model::Directives;
use std::borrow::Cow;
use std::ops::Range;

/// The argument that a directive formats.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub(super) enum Argument {
    /// By position, from 1.
    Position(usize),
    /// By its name in a mapping or a call.
    Name(String),
}

impl std::fmt::Display for Argument {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        match self {
            Self::Position(index) => write!(f, "argument {index}"),
            Self::Name(name) => write!(f, "`{name}`"),
        }
    }
}

/// A directive such as `%d`.
#[derive(Clone, Debug)]
pub(super) struct Directive {
    pub(super) argument: Argument,
    /// The type of the argument; empty if any type is accepted.
    pub(super) class: Cow<'static, str>,
    pub(super) range: Range<usize>,
}

/// The directives of `text`; `None` if the text is not a valid format string.
pub(super) fn directives(text: &str, kind: Directives) -> Option<Vec<Directive>> {
    match kind {
        Directives::PythonBrace | Directives::CSharp => braces(text),
        Directives::C | Directives::Python => percent(text, kind == Directives::Python, false),
        Directives::Java => java(text),
        Directives::PerlBrace => Some(named(text, b'{', |rest| {
            let length = name_length(rest);
            (length > 0 && rest[length..].starts_with('}')).then_some((0, length, length + 1))
        })),
        Directives::Numbered => Some(named(text, b'%', |rest| {
            let prefix = usize::from(rest.starts_with('L'));
            let digits = rest[prefix..].bytes().take(2).take_while(u8::is_ascii_digit).count();
            (digits > 0 && !rest[prefix..].starts_with('0')).then_some((
                prefix,
                digits,
                prefix + digits,
            ))
        })),
        Directives::Shell => Some(named(text, b'$', |rest| {
            let prefix = usize::from(rest.starts_with('{'));
            let length = name_length(&rest[prefix..]);
            let is_closed = prefix == 0 || rest[prefix + length..].starts_with('}');
            (length > 0 && is_closed).then_some((prefix, length, prefix + length + prefix))
        })),
        Directives::Ruby => {
            let mut found = named(text, b'%', |rest| {
                let close = match rest.as_bytes().first()? {
                    b'{' => '}',
                    b'<' => '>',
                    _ => return None,
                };
                let length = name_length(&rest[1..]);
                (length > 0 && rest[1 + length..].starts_with(close)).then_some((
                    1,
                    length,
                    length + 2,
                ))
            });
            if found.is_empty() {
                found = percent(text, false, false)?;
            }
            Some(found)
        }
    }
}

/// The length of the identifier at the start of `text`.
fn name_length(text: &str) -> usize {
    if text.starts_with(|c: char| c.is_ascii_digit()) {
        return 0;
    }
    text.bytes().take_while(|byte| byte.is_ascii_alphanumeric() || *byte == b'_').count()
}

/// The directives that start with a mark. `read` returns, for the text after the mark, the start and
/// the length of the name, and the length of the directive; other marks are text.
fn named(
    text: &str,
    mark: u8,
    read: impl Fn(&str) -> Option<(usize, usize, usize)>,
) -> Vec<Directive> {
    let directive = |at: usize| {
        let rest = &text[at + 1..];
        let (start, length, end) = read(rest)?;
        let argument = Argument::Name(rest[start..start + length].to_owned());
        Some(Directive { argument, class: Cow::Borrowed(""), range: at..at + 1 + end })
    };
    memchr::memchr_iter(mark, text.as_bytes()).filter_map(directive).collect()
}

/// The fields of `MessageFormat`; apostrophes quote text, and two of them are one.
fn java(text: &str) -> Option<Vec<Directive>> {
    let mut found = Vec::new();
    let (mut is_quoted, mut open) = (false, None);
    let mut bytes = text.bytes().enumerate().peekable();
    while let Some((at, byte)) = bytes.next() {
        match byte {
            b'\'' if bytes.peek().is_some_and(|(_, next)| *next == b'\'') => {
                bytes.next();
            }
            b'\'' => is_quoted = !is_quoted,
            _ if is_quoted => {}
            b'{' if open.is_some() => return None,
            b'{' => open = Some(at),
            b'}' => {
                let start = open.take()?;
                let field = &text[start + 1..at];
                let mut parts = field.split(',').map(str::trim);
                let (number, class) = (parts.next()?, parts.next().unwrap_or_default());
                if number.is_empty() || !number.bytes().all(|byte| byte.is_ascii_digit()) {
                    return None;
                }
                let argument = Argument::Name(number.to_owned());
                let range = start..at + 1;
                found.push(Directive { argument, class: class.to_owned().into(), range });
            }
            _ => {}
        }
    }
    open.is_none().then_some(found)
}

/// The directives of texts that can contain percent signs, such as `100 % of`: a space is not part
/// of a directive, and everything that is not a directive is text.
pub(super) fn lenient(text: &str) -> Vec<Directive> {
    percent(text, false, true).unwrap_or_default()
}

/// The class of a conversion.
fn class(conversion: u8, size: &str, is_python: bool) -> Option<Cow<'static, str>> {
    let kind = match conversion {
        b'd' | b'i' if !is_python => "integer",
        b'u' | b'o' | b'x' | b'X' if !is_python => "unsigned",
        b'd' | b'i' | b'u' | b'o' | b'x' | b'X' => "integer",
        b'e' | b'E' | b'f' | b'F' | b'g' | b'G' => "float",
        b'a' | b'A' if !is_python => "float",
        b'a' | b'r' | b's' if is_python => "",
        b'c' => "character",
        b's' | b'S' => "string",
        b'@' if !is_python => "object",
        b'p' if !is_python => "pointer",
        _ => return None,
    };
    Some(if size.is_empty() || is_python { kind.into() } else { format!("{size} {kind}").into() })
}

fn percent(text: &str, is_python: bool, lenient: bool) -> Option<Vec<Directive>> {
    let bytes = text.as_bytes();
    let mut found = Vec::new();
    let (mut at, mut next) = (0, 1);
    while let Some(start) = memchr::memchr(b'%', &bytes[at..]).map(|start| at + start) {
        at = start + 1;
        if bytes.get(at) == Some(&b'%') {
            at += 1;
            continue;
        }
        match directive(text, start, is_python, lenient, &mut next) {
            Some((directive, end)) => {
                at = end;
                found.push(directive);
            }
            None if lenient => {}
            None => return None,
        }
    }
    Some(found)
}

fn directive(
    text: &str,
    start: usize,
    is_python: bool,
    lenient: bool,
    next: &mut usize,
) -> Option<(Directive, usize)> {
    let bytes = text.as_bytes();
    let digits = |at: usize| bytes[at..].iter().take_while(|byte| byte.is_ascii_digit()).count();
    let mut at = start + 1;
    let mut argument = None;
    if is_python && bytes.get(at) == Some(&b'(') {
        let end = at + text[at..].find(')')?;
        argument = Some(Argument::Name(text[at + 1..end].to_owned()));
        at = end + 1;
    } else if !is_python {
        let length = digits(at);
        if length > 0 && bytes.get(at + length) == Some(&b'$') {
            argument = Some(Argument::Position(text[at..at + length].parse().ok()?));
            at += length + 1;
        }
    }
    let is_flag = |byte: u8| {
        matches!(byte, b'-' | b'+' | b'0' | b'#')
            || if lenient { byte == b',' } else { matches!(byte, b' ' | b'\'' | b'I') }
    };
    at += bytes[at..].iter().take_while(|&&byte| is_flag(byte)).count();
    if let Some(end) = variable(text, at).filter(|_| lenient) {
        let argument = argument.unwrap_or_else(|| {
            *next += 1;
            Argument::Position(*next - 1)
        });
        return Some((Directive { argument, class: Cow::Borrowed(""), range: start..end }, end));
    }
    at += digits(at);
    if bytes.get(at) == Some(&b'.') {
        at += 1;
        at += digits(at);
    }
    let sizes = bytes[at..]
        .iter()
        .take_while(|byte| matches!(byte, b'h' | b'l' | b'L' | b'q' | b'j' | b'z' | b't'))
        .count();
    let size = &text[at..at + sizes];
    at += sizes;
    let class = class(*bytes.get(at)?, size, is_python)?;
    at += 1;
    // `100%de`: the percent sign belongs to the number before it.
    let is_glued = lenient
        && argument.is_none()
        && bytes.get(at).is_some_and(u8::is_ascii_alphanumeric)
        && start > 0
        && bytes[start - 1].is_ascii_digit();
    if is_glued {
        return None;
    }
    let argument = argument.unwrap_or_else(|| {
        *next += 1;
        Argument::Position(*next - 1)
    });
    Some((Directive { argument, class, range: start..at }, at))
}

/// The end of `@name@` after `%#` or of `arg`, which name values of plural rules of Apple.
fn variable(text: &str, at: usize) -> Option<usize> {
    let rest = text.get(at..)?;
    if let Some(name) = rest.strip_prefix('@').filter(|_| text[..at].ends_with('#')) {
        let length = name.bytes().take(60).position(|byte| byte == b'@')?;
        return Some(at + length + 2);
    }
    let after = rest.strip_prefix("arg")?;
    (!after.starts_with(|c: char| c.is_ascii_alphanumeric())).then_some(at + 3)
}

/// The replacement fields of `str.format`.
fn braces(text: &str) -> Option<Vec<Directive>> {
    let bytes = text.as_bytes();
    let mut found = Vec::new();
    let (mut at, mut next) = (0, 0_usize);
    while let Some(start) = memchr::memchr2(b'{', b'}', &bytes[at..]).map(|start| at + start) {
        at = start + 1;
        if bytes.get(at) == Some(&bytes[start]) {
            at += 1;
            continue;
        }
        if bytes[start] == b'}' {
            return None;
        }
        let end = start + text[start..].find('}')?;
        let field = &text[start + 1..end];
        // A nested field in the format specification.
        let end = if field.contains('{') { end + 1 + text[end + 1..].find('}')? } else { end };
        // .NET writes the alignment after a comma.
        let name = field.split([':', '!', ',']).next().unwrap_or_default();
        let is_valid =
            name.chars().all(|c| c.is_alphanumeric() || matches!(c, '_' | '.' | '[' | ']'));
        if !is_valid {
            return None;
        }
        let name = if name.is_empty() {
            next += 1;
            (next - 1).to_string()
        } else {
            name.to_owned()
        };
        found.push(Directive {
            argument: Argument::Name(name),
            class: Cow::Borrowed(""),
            range: start..end + 1,
        });
        at = end + 1;
    }
    Some(found)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn display(text: &str, kind: Directives) -> Option<Vec<String>> {
        let found = directives(text, kind)?;
        Some(found.iter().map(|it| format!("{} {}", it.argument, it.class)).collect())
    }

    #[test]
    fn directives_have_an_argument_and_a_type() {
        let c = display("%d of %2$s, 100%% %-5.2lf", Directives::C).expect("valid");
        assert_eq!(c, ["argument 1 integer", "argument 2 string", "argument 2 l float"]);
        assert_eq!(display("100% sure!", Directives::C), Some(vec!["argument 1 string".into()]));
        assert_eq!(display("50% y", Directives::C), None);
        // Python 3 takes an argument for it, which no translation has.
        assert_eq!(display("50 % %", Directives::Python), None);
        let python = display("%(count)d %(name)s", Directives::Python);
        assert_eq!(python, Some(vec!["`count` integer".into(), "`name` ".into()]));
        let braces = display("{} {name!r:>{width}} {{x}}", Directives::PythonBrace);
        assert_eq!(braces, Some(vec!["`0` ".into(), "`name` ".into()]));
        assert_eq!(display("{", Directives::PythonBrace), None);
        for (text, kind, expected) in [
            ("{0,-8:N2} {{x}}", Directives::CSharp, Some(vec!["`0` "])),
            ("l''{0} d'{1}' {2,number}", Directives::Java, Some(vec!["`0` ", "`2` number"])),
            ("{0} {", Directives::Java, None),
            ("{name} { } {1x}", Directives::PerlBrace, Some(vec!["`name` "])),
            ("%1 %L2 100% %0", Directives::Numbered, Some(vec!["`1` ", "`2` "])),
            ("$a ${b} $1 ${c", Directives::Shell, Some(vec!["`a` ", "`b` "])),
            ("%{a} %<b>d", Directives::Ruby, Some(vec!["`a` ", "`b` "])),
            ("%s", Directives::Ruby, Some(vec!["argument 1 string"])),
        ] {
            let expected = expected.map(|it| it.into_iter().map(str::to_owned).collect());
            assert_eq!(display(text, kind), expected, "{text}");
        }
    }

    #[test]
    fn percent_signs_in_texts_are_not_directives() {
        let found = |text| lenient(text).len();
        assert_eq!(found("100 % de réduction, 5% off, 100%"), 0);
        assert_eq!(found("%s and %1$d, %@"), 3);
        assert_eq!(found("%1$,d of %#@files@ and %arg"), 3);
    }
}
