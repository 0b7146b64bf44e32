//! The values that calls in the code pass to texts, so that a translation can use one that its source
//! does not show.

use crate::cached::cached;
use aidd_engine::text::files::Files;
use aidd_engine::text::listing::Listing;
use std::collections::{BTreeSet, HashMap};
use std::sync::Arc;

/// Maximum size of a file of code, in bytes.
const MAX_SIZE: u64 = 1 << 20;
/// Maximum length of a key in code, in bytes.
const MAX_KEY: usize = 160;
/// Maximum number of bytes after a key that are read as the arguments of its call.
const MAX_ARGUMENTS: usize = 600;

/// The calls with named values, by the last part of their keys.
#[derive(Default)]
struct Calls {
    calls: HashMap<String, Vec<Call>>,
}

/// A call: its key, or the end of the key that is completed at run time, and the names of the values.
struct Call {
    end: String,
    names: BTreeSet<String>,
}

/// Whether a call in the code with this key passes a value with this name.
pub(super) fn is_supplied(files: &dyn Files, key: &str, name: &str) -> bool {
    let calls = calls(files);
    let last = key.rsplit('.').next().unwrap_or(key);
    let is_same = |call: &&Call| {
        key.strip_suffix(&*call.end).is_some_and(|rest| rest.is_empty() || rest.ends_with('.'))
    };
    let of_last = calls.calls.get(last).into_iter().flatten();
    of_last.filter(is_same).any(|call| call.names.contains(name))
}

fn calls(files: &dyn Files) -> Arc<Calls> {
    cached(files, "i18n calls with values", || {
        let mut calls = Calls::default();
        let paths = files.listing().map(Listing::files).unwrap_or_default();
        for path in paths.iter().filter(|path| is_code(path)) {
            let Ok(bytes) = files.read(path, MAX_SIZE) else { continue };
            if let Ok(text) = std::str::from_utf8(&bytes) {
                collect(text, &mut calls);
            }
        }
        calls
    })
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
        if !matches!(before, Some('(' | ' ' | '\n')) {
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
            let last = end.rsplit('.').next().unwrap_or(end).to_owned();
            calls.calls.entry(last).or_default().push(Call { end: end.to_owned(), names });
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
        let mut ends: Vec<_> = calls.calls.values().flatten().map(|call| &*call.end).collect();
        ends.sort_unstable();
        assert_eq!(ends, ["greeting", "title"]);
    }
}
