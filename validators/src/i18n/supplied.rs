//! The values that calls in the code pass to texts, so that a translation can use one that its source
//! does not show.

use crate::cached::of_code;
use aidd_engine::text::files::Files;
use std::collections::{BTreeSet, HashMap};
use std::sync::Arc;

/// Maximum size of a file of code, in bytes.
const MAX_SIZE: u64 = 1 << 20;
/// Maximum length of a key in code, in bytes.
const MAX_KEY: usize = 160;
/// Maximum number of bytes after a key that are read as the arguments of its call.
const MAX_ARGUMENTS: usize = 600;

/// The names of the values that calls pass, by their keys, or the ends of keys that are completed at run
/// time.
type Calls = HashMap<String, BTreeSet<String>>;

/// Whether a call in the code with this key passes a value with this name.
pub(super) fn is_supplied(files: &dyn Files, key: &str, name: &str) -> bool {
    let calls = calls(files);
    let starts = std::iter::once(0).chain(key.match_indices('.').map(|(at, _)| at + 1));
    starts
        .filter(|start| key.len() - start <= MAX_KEY)
        .any(|start| calls.get(&key[start..]).is_some_and(|names| names.contains(name)))
}

fn calls(files: &dyn Files) -> Arc<Calls> {
    of_code(files, "i18n calls with values", is_code, |paths| {
        let mut calls = Calls::default();
        for_each_text(files, paths, |text| collect(text, &mut calls));
        calls
    })
}

/// Calls `collect` with the text of each of the files.
fn for_each_text(files: &dyn Files, paths: &[String], mut collect: impl FnMut(&str)) {
    for path in paths {
        let Ok(bytes) = files.read(path, MAX_SIZE) else { continue };
        if let Ok(text) = std::str::from_utf8(&bytes) {
            collect(text);
        }
    }
}

/// How many values a call of `string.Format` in C# passes to the resource with this name.
pub(super) fn formatted(files: &dyn Files, name: &str) -> usize {
    let is_read = |path: &str| path.ends_with(".cs");
    let calls = of_code(files, "i18n calls of string.Format", is_read, |paths| {
        let mut calls = HashMap::<String, usize>::new();
        for_each_text(files, paths, |text| {
            for (at, call) in text.match_indices("Format(") {
                collect_format(&text[at + call.len()..], &mut calls);
            }
        });
        calls
    });
    calls.get(name).copied().unwrap_or_default()
}

/// Adds the resource that a call of `string.Format` formats, and the number of its values. The first
/// argument can be a culture.
fn collect_format(after: &str, calls: &mut HashMap<String, usize>) {
    let after = &after[..after.floor_char_boundary(MAX_ARGUMENTS)];
    let (mut depth, mut start) = (0_usize, 0);
    let mut arguments = Vec::new();
    for (at, byte) in after.bytes().enumerate() {
        match byte {
            b'(' | b'[' | b'{' => depth += 1,
            b')' if depth == 0 => {
                arguments.push(&after[start..at]);
                break;
            }
            b')' | b']' | b'}' => depth = depth.saturating_sub(1),
            b',' if depth == 0 => {
                arguments.push(&after[start..at]);
                start = at + 1;
            }
            b';' => return,
            _ => {}
        }
    }
    let names = arguments.iter().take(2).enumerate();
    for (index, argument) in names {
        // `Resources.Name`, `nameof(Name)`, `"Name"` and calls with one of them.
        let end = argument.trim_end_matches(|c: char| !is_word(c));
        let name = end.rsplit(|c: char| !is_word(c)).next().unwrap_or_default();
        let values = arguments.len() - index - 1;
        if values > 0 && !name.is_empty() {
            let known = calls.entry(name.to_owned()).or_default();
            *known = values.max(*known);
        }
    }
}

fn is_word(c: char) -> bool {
    c.is_ascii_alphanumeric() || c == '_'
}

fn is_code(path: &str) -> bool {
    const EXTENSIONS: [&str; 13] = [
        "erb", "haml", "js", "jsx", "mjs", "php", "rake", "rb", "slim", "svelte", "ts", "tsx",
        "vue",
    ];
    path.rsplit('.').next().is_some_and(|extension| EXTENSIONS.contains(&extension))
}

/// Adds the strings of `text` that can be keys and are followed by named values.
fn collect(text: &str, calls: &mut Calls) {
    let bytes = text.as_bytes();
    // A string that follows the opening parenthesis of a call, or the name of a function and a space.
    for at in memchr::memchr3_iter(b'"', b'\'', b'`', bytes) {
        let before = text[..at].chars().next_back();
        // The items of a list are no calls; `t(many ? 'a' : 'b', { n })` is one.
        let is_argument = || {
            let before = &text[text.floor_char_boundary(at.saturating_sub(MAX_KEY))..at];
            match before.trim_end().chars().next_back() {
                Some(':' | '?') => {
                    before.rsplit('\n').next().is_some_and(|line| line.contains("? "))
                }
                last => last.is_some_and(|c| c == '(' || is_word(c)),
            }
        };
        if !matches!(before, Some('(' | ' ' | '\n')) || !is_argument() {
            continue;
        }
        let quote = bytes[at];
        let rest = &bytes[at + 1..];
        let length = rest.iter().take(MAX_KEY).position(|byte| *byte == quote || *byte == b'\n');
        let Some(length) = length.filter(|length| *length > 0 && rest[*length] == quote) else {
            continue;
        };
        let key = &text[at + 1..at + 1 + length];
        // The rest of a key after the part that is known only at run time, and after the namespace.
        let end = key.rsplit(['}', ':']).next().unwrap_or(key).trim_start_matches('.');
        let is_key =
            |c: char| c.is_ascii_alphanumeric() || matches!(c, '.' | '_' | '-' | '?' | '!');
        if end.is_empty() || !end.chars().all(is_key) {
            continue;
        }
        let names = names(&text[at + 2 + length..]);
        if !names.is_empty() {
            calls.entry(end.to_owned()).or_default().extend(names);
        }
    }
}

/// The names of the values in the arguments of a call, which start at the comma after the key.
fn names(after: &str) -> BTreeSet<String> {
    let mut names = BTreeSet::new();
    let after = &after[..after.floor_char_boundary(MAX_ARGUMENTS)];
    if !after.trim_start().starts_with(',') {
        return names;
    }
    let (mut depth, mut start, mut last) = (0_usize, 0, ' ');
    for (at, c) in after.char_indices() {
        if c.is_ascii_alphanumeric() || c == '_' {
            continue;
        }
        let word = &after[start..at];
        let rest = after[at..].trim_start_matches(['\'', '"']);
        let next = rest.trim_start();
        // `name: value`, `'name' => value`, and `{ name }`.
        let is_name = rest.starts_with(':') && !rest.starts_with("::")
            || next.starts_with("=>")
            || depth > 0 && matches!(last, '{' | ',') && next.starts_with([',', '}']);
        if !word.is_empty() && is_name {
            names.insert(word.to_owned());
        }
        start = at + c.len_utf8();
        match c {
            '(' | '[' | '{' => depth += 1,
            // The end of the call.
            ')' | ']' | '}' if depth == 0 => break,
            ')' | ']' | '}' => depth -= 1,
            '\n' if depth == 0 && last != ',' => break,
            _ => {}
        }
        if !c.is_whitespace() {
            last = c;
        } else if !word.is_empty() {
            last = 'a';
        }
    }
    names
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_of_values_are_those_of_the_call() {
        for (text, expected) in [
            (", name: user.name, count: 3) + t(other: 1)", "count name"),
            (", { name, count: n.total })", "count name"),
            (", :name => x, 'title' => y)", "name title"),
            (", ['title' => $post->title])", "title"),
            (",\n  name: a,\n  title: b\nother: c", "name title"),
            (")", ""),
            (" => 'x', a: 1", ""),
            (", User::Name, a ? b : c)", ""),
        ] {
            let found = names(text).into_iter().collect::<Vec<_>>().join(" ");
            assert_eq!(found, expected, "{text}");
        }
        let mut calls = Calls::default();
        collect("t('.greeting', name: n)\nt(\"mail.#{kind}.title\", of: x)", &mut calls);
        collect("t(n ? 'one.x' : 'many.y', { n })", &mut calls);
        let mut ends: Vec<_> = calls.into_keys().collect();
        ends.sort_unstable();
        assert_eq!(ends, ["greeting", "many.y", "title"]);
        let mut lists = Calls::default();
        collect("x = [ \"a\", \"b\", { c: 1 }, 'd', e: 2]", &mut lists);
        assert!(lists.is_empty(), "{lists:?}");
    }

    #[test]
    fn values_of_formats_are_counted() {
        for (call, expected) in [
            ("Texts.Title, name)", "Title 1"),
            ("CultureInfo.CurrentCulture, Texts.Title, name, Count(a, b))", "Title 2"),
            ("manager.GetString(nameof(Texts.Title)), name)", "Title 1"),
            ("GetString(\"Title\"), name)", "Title 1"),
            ("Texts.Title)", ""),
            ("Texts.Title; f(a, b)", ""),
        ] {
            let mut calls = HashMap::new();
            collect_format(call, &mut calls);
            calls.remove("CurrentCulture");
            calls.remove("name");
            let found: Vec<_> = calls.iter().map(|(name, n)| format!("{name} {n}")).collect();
            assert_eq!(found.join(", "), expected, "{call}");
        }
    }
}
