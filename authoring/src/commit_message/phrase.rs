//! Sentences of a message: several wordings of one fact, of which the longest that fits is taken.

/// One fact in several wordings, longest first.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Phrase {
    wordings: Vec<String>,
}

impl Phrase {
    /// A phrase from its wordings, longest first.
    pub(super) fn new(wordings: impl IntoIterator<Item = String>) -> Self {
        Self { wordings: wordings.into_iter().map(|wording| subject(&wording)).collect() }
    }

    /// The longest wording of at most `room` characters; else the shortest, cut.
    pub(super) fn fitting(&self, room: usize) -> String {
        let fits = |wording: &&String| wording.chars().count() <= room;
        let last = || self.wordings.last().map(|shortest| cut(shortest, room));
        self.wordings.iter().find(fits).cloned().or_else(last).unwrap_or_default()
    }

    /// The longest wording.
    pub(super) fn longest(&self) -> String {
        self.wordings.first().cloned().unwrap_or_default()
    }
}

/// A line as a subject begins and ends: no stop, and no capital where it is no name.
fn subject(text: &str) -> String {
    let text = plain(text);
    let text = text.trim_end_matches(['.', ' ', ',', ';', ':']);
    lower_first(text)
}

/// `text` on one line, without what a terminal would obey.
pub(super) fn plain(text: &str) -> String {
    let visible = |c: char| if c.is_control() { ' ' } else { c };
    // Marks that turn the direction of text could make a message read otherwise than it is.
    let is_mark = |c: &char| matches!(c, '\u{200b}'..='\u{200f}' | '\u{202a}'..='\u{202e}' | '\u{2066}'..='\u{2069}' | '\u{feff}');
    let text: String = text.chars().filter(|c| !is_mark(c)).map(visible).collect();
    text.split_whitespace().collect::<Vec<_>>().join(" ")
}

/// `Fixed it` → `fixed it`, but `HTTP it` and `GitHub it` as they are.
pub(super) fn lower_first(text: &str) -> String {
    let word: String = text.chars().take_while(|c| !c.is_whitespace()).collect();
    let mut chars = text.chars();
    match chars.next() {
        Some(first) if first.is_uppercase() && !word.chars().skip(1).any(char::is_uppercase) => {
            first.to_lowercase().chain(chars).collect()
        }
        _ => text.to_owned(),
    }
}

/// At most `room` characters of `text`, cut between words; a word alone that is too long is cut.
pub(super) fn cut(text: &str, room: usize) -> String {
    if text.chars().count() <= room {
        return text.to_owned();
    }
    let mut short = String::new();
    for word in text.split(' ') {
        let length = short.chars().count() + word.chars().count() + usize::from(!short.is_empty());
        if length > room {
            break;
        }
        if !short.is_empty() {
            short.push(' ');
        }
        short.push_str(word);
    }
    // What is left must be able to end a sentence.
    loop {
        let last = short.rsplit(' ').next().unwrap_or_default();
        let dangles = matches!(
            last,
            "a" | "an"
                | "and"
                | "as"
                | "at"
                | "by"
                | "for"
                | "from"
                | "if"
                | "in"
                | "of"
                | "on"
                | "or"
                | "that"
                | "the"
                | "to"
                | "when"
                | "which"
                | "with"
        );
        let is_open = short.matches('`').count() % 2 == 1;
        if !(dangles || is_open) || !short.contains(' ') {
            break;
        }
        short.truncate(short.len() - last.len() - 1);
    }
    let short = short.trim_end_matches([',', ';', ':', '.', ' ']);
    if short.is_empty() { text.chars().take(room).collect() } else { short.to_owned() }
}

/// `` `name` ``, or the name's end when it is very long.
pub(super) fn code(name: &str) -> String {
    let name = plain(name).replace('`', "'");
    let short = match name.char_indices().rev().nth(47) {
        Some((at, _)) if name.chars().count() > 48 => format!("…{}", &name[at..]),
        _ => name,
    };
    format!("`{short}`")
}

/// `a`, `a and b`, `a, b and c`, `a, b and 3 more`; `shown` of them at most by name.
pub(super) fn list(names: &[String], shown: usize) -> String {
    let shown = if names.len() == shown + 1 && shown > 1 { shown - 1 } else { shown };
    let (named, rest) = names.split_at(shown.min(names.len()));
    match (named, rest.len()) {
        ([], 0) => String::new(),
        ([], more) => format!("{more}"),
        ([one], 0) => one.clone(),
        ([before @ .., last], 0) => format!("{} and {last}", before.join(", ")),
        (named, more) => format!("{} and {more} more", named.join(", ")),
    }
}

/// Wordings of `verb names tail`, with fewer names each, then without the tail.
pub(super) fn listing(verb: &str, names: &[String], tail: &str) -> Phrase {
    let most = names.len().min(3);
    let with = |shown: usize, tail: &str| format!("{verb} {}{tail}", list(names, shown));
    let full = (1..=most).rev().map(|shown| with(shown, tail));
    let bare = (1..=most).rev().map(|shown| with(shown, ""));
    let whole = with(most, tail);
    // Two names without a place say more than one with it.
    let mixed = [whole, with(most, "")].into_iter().chain(full).chain(bare);
    Phrase::new(mixed.collect::<Vec<_>>())
}

/// Words that are written in capitals.
const ACRONYMS: &[&str] = &[
    "ai", "api", "ast", "aws", "cli", "cpu", "crud", "css", "csv", "db", "dns", "dom", "ftp",
    "gcp", "gpu", "grpc", "html", "http", "https", "id", "io", "ip", "jpeg", "json", "jwt", "lsp",
    "mcp", "orm", "os", "pdf", "png", "rest", "rpc", "sarif", "sdk", "sql", "ssh", "ssl", "svg",
    "tcp", "tls", "toml", "tui", "ui", "udp", "uri", "url", "utf", "uuid", "wasm", "xml", "yaml",
];

/// The words of a name: `httpClient`, `http_client` and `HTTPClient` are `HTTP client`.
pub(super) fn words(name: &str) -> String {
    let mut words: Vec<String> = vec![String::new()];
    let chars: Vec<char> = name.chars().collect();
    for (at, &c) in chars.iter().enumerate() {
        let before = at.checked_sub(1).map(|at| chars[at]);
        let after = chars.get(at + 1);
        let starts = c.is_uppercase()
            && (before.is_some_and(|b| b.is_lowercase() || b.is_ascii_digit())
                || (before.is_some_and(char::is_uppercase)
                    && after.is_some_and(|a| a.is_lowercase())));
        if !c.is_alphanumeric() || starts {
            words.push(String::new());
        }
        if let (Some(word), true) = (words.last_mut(), c.is_alphanumeric()) {
            word.extend(c.to_lowercase());
        }
    }
    words.retain(|word| !word.is_empty());
    let shown = words
        .into_iter()
        .map(|word| if ACRONYMS.contains(&word.as_str()) { word.to_uppercase() } else { word });
    shown.collect::<Vec<_>>().join(" ")
}

/// Names of files that say nothing of what is in them.
const GENERIC: &[&str] = &[
    "__init__", "__main__", "app", "common", "helpers", "index", "init", "lib", "main", "mod",
    "package", "types", "util", "utils",
];
/// Folders that every project has.
pub(super) const COMMON_FOLDERS: &[&str] = &[
    "app", "apps", "cmd", "crates", "internal", "java", "kotlin", "lib", "libs", "main", "modules",
    "packages", "pkg", "source", "sources", "src",
];

/// Whether the name of the file at `path` says nothing of what is in it.
pub(super) fn is_generic(path: &str) -> bool {
    let name = path.rsplit('/').next().unwrap_or(path);
    GENERIC.contains(&name.split('.').next().unwrap_or(name))
}

/// The name of a file without its ending, or of its folder when the name says nothing.
pub(super) fn stem(path: &str) -> Option<&str> {
    let (folders, name) = path.rsplit_once('/').unwrap_or(("", path));
    let stem = name.trim_start_matches('.').split('.').next().unwrap_or(name);
    if !GENERIC.contains(&stem) {
        return Some(stem);
    }
    let folder = folders.rsplit('/').next().filter(|folder| !folder.is_empty())?;
    (!COMMON_FOLDERS.contains(&folder)).then_some(folder)
}

/// ` to the HTTP client`: where something is, after `preposition`; empty when the scope says it.
pub(super) fn place(preposition: &str, path: &str, scope: Option<&str>) -> String {
    let Some(stem) = stem(path) else { return String::new() };
    let words = words(stem);
    let words = ["test ", "tests "].iter().find_map(|it| words.strip_prefix(it)).unwrap_or(&words);
    let words = [" test", " tests"].iter().find_map(|it| words.strip_suffix(it)).unwrap_or(words);
    if words.is_empty() || scope.is_some_and(|scope| scope.eq_ignore_ascii_case(stem)) {
        return String::new();
    }
    let reads = words.contains(' ') || is_thing(words);
    if reads {
        format!(" {preposition} the {words}")
    } else {
        let name = path.rsplit('/').next().unwrap_or(path);
        // A file whose name says nothing goes by that of its folder.
        format!(" {preposition} {}", if name.contains(stem) { name } else { stem })
    }
}

/// Whether a single word is what something is called, not what something does.
fn is_thing(word: &str) -> bool {
    const ENDINGS: [&str; 22] = [
        "able", "age", "cache", "ent", "er", "graph", "index", "ine", "ing", "ion", "ism", "ist",
        "ity", "list", "ness", "or", "ory", "queue", "store", "tree", "ule", "ure",
    ];
    word.chars().count() > 4 && ENDINGS.iter().any(|ending| word.ends_with(ending))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_longest_wording_that_fits_is_taken() {
        let names = ["`aa`", "`bb`", "`cc`", "`dd`", "`ee`"].map(str::to_owned);
        let phrase = listing("add", &names, " to the parser");
        let fit = |room| phrase.fitting(room);
        assert_eq!(fit(80), "add `aa`, `bb`, `cc` and 2 more to the parser");
        assert_eq!(fit(40), "add `aa`, `bb`, `cc` and 2 more");
        assert_eq!(fit(30), "add `aa`, `bb` and 3 more");
        assert_eq!(fit(20), "add `aa` and 4 more");
        assert_eq!(fit(10), "add `aa`");
    }

    #[test]
    fn cuts_fall_between_words() {
        assert_eq!(cut("drop the old road to the sea", 16), "drop the old");
        assert_eq!(cut("add `one two` to it", 10), "add");
        assert_eq!(cut("abcdefgh", 4), "abcd");
        assert_eq!(cut("one and two", 8), "one");
    }

    #[test]
    fn names_become_words() {
        let all = ["http_client", "httpClient", "HTTPClient", "http-client"].map(words);
        assert_eq!(all, ["HTTP client"; 4].map(str::to_owned));
        assert_eq!(place("to", "src/http_client.rs", None), " to the HTTP client");
        assert_eq!(place("to", "src/parser/mod.rs", None), " to the parser");
        assert_eq!(place("to", "src/parser/mod.rs", Some("parser")), "");
        assert_eq!(place("in", "src/check.rs", None), " in check.rs");
        assert_eq!(place("in", "src/check/mod.rs", None), " in check");
        assert_eq!(place("in", "src/lib.rs", None), "");
    }

    #[test]
    fn hostile_text_is_made_plain() {
        assert_eq!(plain("a\nb\u{1b}[31m\u{202e}c"), "a b [31mc");
        assert_eq!(code(&"a".repeat(60)), format!("`…{}`", "a".repeat(48)));
        assert_eq!(lower_first("Fixed it"), "fixed it");
        assert_eq!(lower_first("GitHub it"), "GitHub it");
    }
}
