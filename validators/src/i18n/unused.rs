//! Keys of the source catalogue that no code mentions.

use super::model::Format;
use super::{Context, abbreviate};
use crate::cached::of_code;
use aidd_engine::rules::rule::Report;
use aidd_engine::text::files::Files;
use std::collections::HashSet;
use std::sync::Arc;

/// Maximum size of a file of code, in bytes.
const MAX_SIZE: u64 = 1 << 20;
/// Maximum length of a string that can be a key, in bytes.
const MAX_KEY: usize = 160;
/// How many keys the message lists.
const LISTED: usize = 5;

/// The strings of the code, and the beginnings of strings that are completed at run time.
#[derive(Default)]
struct Strings {
    whole: HashSet<String>,
    prefixes: HashSet<String>,
}

pub(super) fn unused_key(context: &Context<'_>, report: &mut Report<'_>) {
    let is_source = context.source.is_none()
        && context.group.members.len() > 1
        && context.group.source(context.files).as_deref() == Some(report.source().path());
    let is_supported = matches!(context.layout.format, Format::Json | Format::Yaml);
    if !is_source || !is_supported {
        return;
    }
    let strings = strings(context.files);
    if strings.whole.is_empty() {
        return;
    }
    let unused: Vec<_> =
        context.entries().filter(|entry| !is_mentioned(&entry.key, &strings)).collect();
    let Some(first) = unused.first() else { return };
    let shown: Vec<String> =
        unused.iter().take(LISTED).map(|entry| format!("`{}`", abbreviate(&entry.key))).collect();
    let rest = unused.len().saturating_sub(LISTED);
    let more = if rest == 0 { String::new() } else { format!(" and {rest} more") };
    let noun = if unused.len() == 1 { "key" } else { "keys" };
    let message = format!("no code mentions {} {noun}: {}{more}", unused.len(), shown.join(", "));
    report.at(first.key_span, message);
}

/// Maximum number of keys of a file that are compared with the code to know whether it names them.
const MAX_COMPARED: usize = 200;

/// Whether no code contains the key of a file whose other keys it contains, so that nobody sees its text.
pub(super) fn is_unused(context: &Context<'_>, key: &str) -> bool {
    let is_supported = matches!(context.layout.format, Format::Json | Format::Yaml);
    // Rails and libraries use these keys.
    if !is_supported || !key.contains('.') || super::usage::is_of_rails(key) {
        return false;
    }
    let strings = strings(context.files);
    let is_named = || {
        let mut named =
            context.entries().take(MAX_COMPARED).map(|it| is_mentioned(&it.key, &strings));
        let (mut yes, mut all) = (0, 0);
        for is_named in &mut named {
            (yes, all) = (yes + usize::from(is_named), all + 1);
        }
        all > 0 && yes * 3 >= all * 2
    };
    !is_mentioned(key, &strings) && *context.is_named_in_code.get_or_init(is_named)
}

/// Whether the code contains the key, the end of the key after a prefix, or the beginning of a key
/// that is completed at run time.
fn is_mentioned(key: &str, strings: &Strings) -> bool {
    let base = super::compare::plural_suffix(key).map_or(key, |(base, _)| base);
    let starts = || std::iter::once(0).chain(base.match_indices('.').map(|(at, _)| at + 1));
    let mut ends = base.match_indices(['.', '_']).map(|(at, _)| at + 1);
    starts().any(|at| strings.whole.contains(&base[at..]) || strings.whole.contains(&key[at..]))
        // Objects and lists are used as a whole.
        || base.match_indices('.').any(|(at, _)| strings.whole.contains(&base[..at]))
        || ends.any(|end| starts().filter(|&at| at < end).any(|at| strings.prefixes.contains(&base[at..end])))
}

/// The strings of all code and templates of the project.
fn strings(files: &dyn Files) -> Arc<Strings> {
    of_code(files, "i18n strings", is_code, |paths| {
        let mut strings = Strings::default();
        for path in paths {
            let Ok(bytes) = files.read(path, MAX_SIZE) else { continue };
            if let Ok(text) = String::from_utf8(bytes) {
                collect(&text, &mut strings);
            }
        }
        strings
    })
}

fn is_code(path: &str) -> bool {
    const EXTENSIONS: [&str; 24] = [
        "js", "jsx", "ts", "tsx", "mjs", "cjs", "vue", "svelte", "astro", "html", "rb", "erb",
        "haml", "slim", "py", "php", "go", "java", "kt", "dart", "swift", "rs", "cs", "rake",
    ];
    path.rsplit('.').next().is_some_and(|extension| EXTENSIONS.contains(&extension))
}

/// Adds the text between each pair of adjacent quotes on a line, which includes all strings.
fn collect(text: &str, strings: &mut Strings) {
    for line in text.lines() {
        for quote in ['"', '\'', '`'] {
            let parts: Vec<&str> = line.split(quote).collect();
            for part in parts.iter().filter(|part| !part.is_empty() && part.len() <= MAX_KEY) {
                // The namespace of a key is not part of it.
                let part = part.rsplit_once(':').map_or(*part, |(_, rest)| rest);
                let part = part.trim_start_matches('.');
                let dynamic = part.find("${").or_else(|| part.find("#{"));
                let start = dynamic.map_or(part, |at| &part[..at]);
                if start.ends_with(['.', '_']) {
                    strings.prefixes.insert(start.to_owned());
                }
                if dynamic.is_none() && !part.contains(' ') {
                    strings.whole.insert(part.to_owned());
                }
            }
        }
        // Symbols of Ruby.
        for (at, _) in line.match_indices(':') {
            let rest = &line[at + 1..];
            let is_word = |c: char| c.is_ascii_alphanumeric() || c == '_';
            let word = &rest[..rest.find(|c| !is_word(c)).unwrap_or(rest.len())];
            if !word.is_empty() && word.len() <= MAX_KEY {
                strings.whole.insert(word.to_owned());
            }
        }
        // Properties.
        for word in line
            .split(|c: char| !c.is_ascii_alphanumeric() && c != '_' && c != '.')
            .filter(|word| word.contains('.'))
        {
            strings.whole.insert(word.to_owned());
        }
    }
}
