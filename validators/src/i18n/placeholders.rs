//! The placeholders of texts, by the conventions of each format, and their tags.

use super::icu;
use super::model::Format;
use std::ops::Range;

/// A placeholder: its normalised form, and its range in the text.
pub(super) type Placeholder = (String, Range<usize>);

/// Whether the text has a character with which its placeholders start.
pub(super) fn has_marks(format: Format, is_icu: bool, text: &str) -> bool {
    let bytes = text.as_bytes();
    match format {
        _ if is_icu => memchr::memchr(b'{', bytes).is_some(),
        Format::Json | Format::Yaml | Format::Po => memchr::memchr2(b'{', b'%', bytes).is_some(),
        Format::Php => memchr::memchr(b':', bytes).is_some(),
        Format::Fluent => memchr::memchr(b'$', bytes).is_some(),
        Format::Xliff => memchr::memchr(b'<', bytes).is_some(),
        _ => memchr::memchr(b'{', bytes).is_some(),
    }
}

/// The placeholders of a text. Directives of `printf` are compared separately.
pub(super) fn scan(format: Format, is_icu: bool, text: &str) -> Vec<Placeholder> {
    match format {
        _ if is_icu => {
            let message = icu::parse(text, format != Format::Arb);
            if message.error.is_some() {
                return Vec::new();
            }
            let shown = |(name, range): (String, Range<usize>)| (format!("{{{name}}}"), range);
            message.arguments.into_iter().map(shown).collect()
        }
        Format::Json => braces(text, true),
        Format::Yaml => {
            let mut found = named_percent(text);
            // The same layout is used by vue-i18n.
            if found.is_empty() && text.contains("{{") {
                found = braces(text, true);
            }
            found
        }
        Format::Properties => braces(text, false),
        // .NET replaces only numbers; names in braces are text for the user.
        Format::Resx => {
            let mut found = braces(text, false);
            found.retain(|(name, _)| name[1..].starts_with(|c: char| c.is_ascii_digit()));
            found
        }
        Format::Php => colon(text),
        Format::Fluent => variables(text),
        Format::Xliff => elements(text),
        Format::Po => {
            let mut found = braces(text, false);
            // `{name: value}` is the shape of an object.
            let is_object = |range: &Range<usize>| {
                text[range.clone()]
                    .split_once(": ")
                    .is_some_and(|(_, value)| value.starts_with(char::is_alphabetic))
            };
            found.retain(|(name, range)| !name.contains(',') && !is_object(range));
            // In Python, `{}` is the same argument as its number.
            let empty = text.match_indices("{}").enumerate();
            found.extend(empty.map(|(index, (at, _))| (format!("{{{index}}}"), at..at + 2)));
            found
        }
        _ => Vec::new(),
    }
}

fn is_name(byte: u8) -> bool {
    byte.is_ascii_alphanumeric() || matches!(byte, b'_' | b'.' | b'-' | b'$')
}

/// `{{name}}`, `{name}`, `${name}` and, if `percent`, `%{name}`; without formats and spaces.
fn braces(text: &str, percent: bool) -> Vec<Placeholder> {
    let bytes = text.as_bytes();
    let mut found = Vec::new();
    let mut at = 0;
    while let Some(start) = memchr::memchr(b'{', &bytes[at..]).map(|start| at + start) {
        at = start + 1;
        let is_double = bytes.get(at) == Some(&b'{');
        let inner = at + usize::from(is_double);
        let close = if is_double { "}}" } else { "}" };
        let Some(length) =
            text[inner..].bytes().take(200).position(|byte| matches!(byte, b'}' | b'{'))
        else {
            continue;
        };
        if !text[inner + length..].starts_with(close) {
            // A choice whose options contain placeholders.
            let head = &text[inner..inner + length];
            let choice = head.split_once(',').filter(|(_, kind)| {
                let kind = kind.trim_start();
                ["choice", "plural", "select"].iter().any(|it| kind.starts_with(it))
            });
            if let Some((name, _)) = choice.filter(|(name, _)| !is_double && is_plain_name(name)) {
                found.push((format!("{{{}}}", name.trim()), start..inner + name.len()));
            }
            continue;
        }
        let end = inner + length + close.len();
        let content = text[inner..inner + length].trim().trim_start_matches('-').trim_start();
        let name = content.split([',', ':', '|', '!']).next().unwrap_or_default().trim();
        // `{{GENDER:$1|…}}` and `{{int:key}}` are functions of MediaWiki.
        let is_function = is_double && content[name.len()..].starts_with(':');
        let is_literal = name.starts_with('\'') || is_function;
        if name.is_empty() || is_literal || !name.bytes().all(is_name) {
            at = end;
            continue;
        }
        let prefix = match start.checked_sub(1).map(|before| bytes[before]) {
            Some(b'%') if percent => "%",
            Some(b'$') => "$",
            _ => "",
        };
        let shown =
            if is_double { format!("{{{{{name}}}}}") } else { format!("{prefix}{{{name}}}") };
        found.push((shown, start - prefix.len()..end));
        at = end;
    }
    found
}

fn is_plain_name(name: &str) -> bool {
    let name = name.trim();
    !name.is_empty() && name.bytes().all(is_name)
}

/// The placeholders `%{name}` and `%<name>s` of Rails.
fn named_percent(text: &str) -> Vec<Placeholder> {
    let bytes = text.as_bytes();
    memchr::memchr_iter(b'%', bytes)
        .filter_map(|at| {
            let close = match bytes.get(at + 1)? {
                b'{' => b'}',
                b'<' => b'>',
                _ => return None,
            };
            let length = text[at + 2..].bytes().take(200).position(|byte| byte == close)?;
            let name = &text[at + 2..at + 2 + length];
            let is_valid = !name.is_empty() && name.bytes().all(is_name);
            let is_escaped = at > 0 && bytes[at - 1] == b'%';
            (is_valid && !is_escaped).then(|| (format!("%{{{name}}}"), at..at + 3 + length))
        })
        .collect()
}

/// The directives of `printf` that are not text in any language: `%s`, `%d`, `%1$s` and `%(name)s`.
pub(super) fn directives(text: &str) -> Vec<Placeholder> {
    let bytes = text.as_bytes();
    let mut found = Vec::new();
    let mut at = 0;
    while let Some(start) = memchr::memchr(b'%', &bytes[at..]).map(|start| at + start) {
        let rest = &text[start + 1..];
        at = start + 1 + usize::from(rest.starts_with('%'));
        let prefix = if rest.starts_with('(') {
            rest.find(')').filter(|end| rest[1..*end].bytes().all(is_name)).map(|end| end + 1)
        } else {
            let digits = rest.bytes().take_while(u8::is_ascii_digit).count();
            (digits == 0 || rest[digits..].starts_with('$'))
                .then(|| digits + usize::from(digits > 0))
        };
        let Some(prefix) = prefix else { continue };
        let mut after = rest[prefix..].chars();
        let is_directive = matches!(after.next(), Some('s' | 'd'));
        if is_directive && !after.next().is_some_and(char::is_alphanumeric) {
            let end = start + 1 + prefix + 1;
            found.push((text[start..end].to_owned(), start..end));
        }
    }
    found
}

/// `:name` of Laravel, without the case of letters that selects that of the value (`:Name`, `:NAME`).
fn colon(text: &str) -> Vec<Placeholder> {
    let bytes = text.as_bytes();
    memchr::memchr_iter(b':', bytes)
        .filter_map(|at| {
            // The names in translations can have accents.
            let is_word = |c: &char| c.is_ascii_alphanumeric() || matches!(c, '_' | 'À'..='ɏ');
            let length: usize =
                text[at + 1..].chars().take_while(is_word).map(char::len_utf8).sum();
            let is_start =
                at == 0 || !bytes[at - 1].is_ascii_alphanumeric() && bytes[at - 1] != b':';
            let is_letter = bytes.get(at + 1).is_some_and(u8::is_ascii_alphabetic);
            let name = &text[at + 1..at + 1 + length];
            (is_start && is_letter && length > 1)
                .then(|| (format!(":{}", without_case(name)), at..at + 1 + length))
        })
        .collect()
}

/// A name of Laravel in the form whose value is not changed.
fn without_case(name: &str) -> String {
    if !name.contains(|c: char| c.is_lowercase()) {
        return name.to_lowercase();
    }
    let first = name.chars().next().map_or(0, char::len_utf8);
    name[..first].to_lowercase() + &name[first..]
}

/// Whether Laravel replaces the placeholder in a text, also inside words.
pub(super) fn has_colon_name(text: &str, placeholder: &str) -> bool {
    let name = placeholder.trim_start_matches(':');
    let first = name.chars().next().map_or(0, char::len_utf8);
    let capital = name[..first].to_uppercase() + &name[first..];
    [name, &capital, &name.to_uppercase()].iter().any(|it| text.contains(&format!(":{it}")))
}

/// `$name` in placeables of Fluent.
fn variables(text: &str) -> Vec<Placeholder> {
    let bytes = text.as_bytes();
    memchr::memchr_iter(b'$', bytes)
        .filter_map(|at| {
            let before = text[..at].trim_end();
            let length = bytes[at + 1..]
                .iter()
                .take_while(|byte| byte.is_ascii_alphanumeric() || matches!(byte, b'_' | b'-'))
                .count();
            let is_placeable = before.ends_with(['{', '(', ',', ':']);
            (is_placeable && length > 0)
                .then(|| (text[at..at + 1 + length].to_owned(), at..at + 1 + length))
        })
        .collect()
}

/// The ids of inline elements of XLIFF.
fn elements(text: &str) -> Vec<Placeholder> {
    let starts = ["<x ", "<ph ", "<pc ", "<g ", "<bx ", "<ex "];
    let mut found = Vec::new();
    for start in starts {
        for (at, _) in text.match_indices(start) {
            let Some(length) = text[at..].find('>') else { continue };
            let tag = &text[at..at + length];
            let Some(id) = tag.find(" id=").map(|id| &tag[id + 4..]) else { continue };
            let quote = if id.starts_with('\'') { '\'' } else { '"' };
            let id = id.split(quote).nth(1).unwrap_or_default();
            found.push((id.to_owned(), at..at + length + 1));
        }
    }
    found
}

/// A tag of a text.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Tag<'t> {
    pub(super) name: &'t str,
    pub(super) is_end: bool,
    pub(super) is_empty: bool,
    pub(super) range: Range<usize>,
}

/// The tags of a text: `<b>`, `</b>`, `<br/>`, `<0>`.
pub(super) fn tags(text: &str) -> Vec<Tag<'_>> {
    let bytes = text.as_bytes();
    let mut found = Vec::new();
    let mut at = 0;
    while let Some(start) = memchr::memchr(b'<', &bytes[at..]).map(|start| at + start) {
        at = start + 1;
        let is_end = bytes.get(at) == Some(&b'/');
        let from = at + usize::from(is_end);
        let length = bytes[from..]
            .iter()
            .take_while(|byte| byte.is_ascii_alphanumeric() || matches!(byte, b'_' | b'-'))
            .count();
        let after = from + length;
        let ends = matches!(bytes.get(after), Some(b'>' | b'/' | b' '));
        let Some(close) = memchr::memchr2(b'>', b'<', &bytes[after..]).map(|close| after + close)
        else {
            break;
        };
        if length == 0 || !ends || bytes[close] == b'<' {
            continue;
        }
        let is_empty =
            bytes[close - 1] == b'/' && close > after && !is_bare_value(&text[after..close - 1]);
        found.push(Tag { name: &text[from..after], is_end, is_empty, range: start..close + 1 });
        at = close + 1;
    }
    found
}

/// Whether attributes end with a value without quotation marks, to which a slash that follows belongs:
/// `<a href=https://example.com/>` (HTML, section 13.2.5.37).
fn is_bare_value(attributes: &str) -> bool {
    let last = attributes.rsplit(|it: char| it.is_ascii_whitespace()).next().unwrap_or_default();
    let value = last.split_once('=').map_or("", |(_, value)| value);
    !value.is_empty() && !value.starts_with(['"', '\'']) && !value.ends_with(['"', '\''])
}

#[cfg(test)]
mod tests {
    use super::*;

    fn names(format: Format, text: &str) -> Vec<String> {
        scan(format, false, text).into_iter().map(|(name, _)| name).collect()
    }

    #[test]
    fn placeholders_of_all_conventions_are_found() {
        for (format, text, expected) in [
            (Format::Json, "{{count}} of {{- name, upper}}", vec!["{{count}}", "{{name}}"]),
            (
                Format::Json,
                "{name} {0} %{n} ${x} { } {a b} {'@'}",
                vec!["{name}", "{0}", "%{n}", "${x}"],
            ),
            (Format::Yaml, "%{name} %<n>d 100% {x} %%{y}", vec!["%{name}", "%{n}"]),
            (Format::Php, "The :Attribute is at 10:30: x::y :)", vec![":attribute"]),
            (
                Format::Php,
                ":appName :AppName :URL :počet :名",
                vec![":appName", ":appName", ":url", ":počet"],
            ),
            (Format::Properties, "{0,choice,0#no files|1#{1} files}", vec!["{0}", "{1}"]),
            (Format::Fluent, "{ $name } costs $price", vec!["$name"]),
            (Format::Properties, "{0} of {1,number}", vec!["{0}", "{1}"]),
            (Format::Po, "{} {n:>5} {row: column}", vec!["{n}", "{0}"]),
            (Format::Xliff, r#"a <x id="A" equiv-text="b"/> <ph id='B'/>"#, vec!["A", "B"]),
        ] {
            assert_eq!(names(format, text), expected, "{text}");
        }
    }

    #[test]
    fn tags_are_found_with_their_kind() {
        let found: Vec<_> = tags("<b>a</b> <br/> <1>x</1> 1 < 2 <a href=b/> <i c=\"d e=f\"/> <")
            .into_iter()
            .map(|tag| (tag.name, tag.is_end, tag.is_empty))
            .collect();
        let expected = [
            ("b", false, false),
            ("b", true, false),
            ("br", false, true),
            ("1", false, false),
            ("1", true, false),
            ("a", false, false),
            ("i", false, true),
        ];
        assert_eq!(found, expected);
    }
}
