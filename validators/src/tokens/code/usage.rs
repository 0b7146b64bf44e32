//! The names of tokens that code and other tokens use.

use super::super::document::Document;
use crate::cached::cached;
use aidd_engine::project::manifest;
use aidd_engine::rules::rule::Report;
use aidd_engine::text::files::{Files, side_file};
use aidd_engine::text::listing::Listing;
use aidd_engine::text::paths::{below, parent_dir, upwards};
use std::collections::hash_map::DefaultHasher;
use std::collections::{HashMap, HashSet};
use std::hash::{Hash, Hasher};

pub(in super::super) const UNUSED: &str = "tokens/unused";

/// Maximum number of files that are searched for names.
const MAX_FILES: usize = 20_000;
/// Maximum number of parts at the end of a word that can be the name of a token.
const MAX_PARTS: usize = 12;

/// The extensions of code and of documents that can use tokens.
const CODE: [&str; 26] = [
    "astro", "css", "cts", "dart", "erb", "hbs", "htm", "html", "java", "js", "jsx", "kt", "less",
    "mdx", "mjs", "mts", "php", "sass", "scss", "styl", "svelte", "swift", "ts", "tsx", "vue",
    "xml",
];

/// The names that the project uses, as hashes of their letters and digits.
#[derive(Default)]
struct Usage {
    hashes: HashSet<u64>,
    /// Whether some files were not searched.
    is_partial: bool,
}

fn usage(files: &dyn Files) -> std::sync::Arc<Usage> {
    cached(files, "tokens usage", || {
        let mut usage = Usage::default();
        let Some(listing) = files.listing() else { return Usage { is_partial: true, ..usage } };
        for (count, path) in listing.files().iter().enumerate() {
            let extension = path.rsplit_once('.').map_or("", |(_, extension)| extension);
            let is_data = matches!(extension, "json" | "json5" | "jsonc" | "tokens");
            if !is_data && !CODE.contains(&extension) {
                continue;
            }
            if count >= MAX_FILES {
                usage.is_partial = true;
                break;
            }
            let Some(text) = side_file(files, path) else { continue };
            if is_data {
                usage.add_references(&text);
            } else {
                usage.add_code(&text);
            }
        }
        usage
    })
}

impl Usage {
    /// Adds the references in a token file.
    fn add_references(&mut self, text: &str) {
        for part in text.split("\"{").skip(1) {
            self.add(part.split('}').next().unwrap_or_default());
        }
    }

    /// Adds the words of a program or style sheet, without the variables that it defines.
    fn add_code(&mut self, text: &str) {
        let is_part =
            |c: char| c.is_ascii_alphanumeric() || matches!(c, '-' | '_' | '.') || !c.is_ascii();
        let mut at = 0;
        while let Some(start) = text[at..].find(is_part).map(|found| at + found) {
            let end = text[start..].find(|c| !is_part(c)).map_or(text.len(), |found| start + found);
            let word = &text[start..end];
            let is_variable = word.starts_with("--") || text[..start].ends_with(['$', '@']);
            if !is_variable || !text[end..].trim_start().starts_with(':') {
                self.add(word);
            }
            at = end;
        }
    }

    /// Adds a word and its ends: a prefix often precedes the name of a token.
    fn add(&mut self, word: &str) {
        let mut bounds: Vec<usize> = vec![0];
        let mut previous = ' ';
        for (at, c) in word.char_indices() {
            let is_bound = !c.is_alphanumeric() || c.is_uppercase() && previous.is_lowercase();
            if at > 0 && is_bound {
                bounds.push(at);
            }
            previous = c;
        }
        for &start in bounds.iter().rev().take(MAX_PARTS).chain(bounds.first()) {
            self.hashes.insert(hash(&word[start..]));
        }
    }
}

/// The custom property of a style sheet of the project that has the name of the token.
pub(super) fn variable(files: &dyn Files, token: &str) -> Option<String> {
    let variables = cached(files, "tokens variables", || {
        let mut variables = HashMap::<u64, String>::new();
        let paths = files.listing().map(Listing::files).unwrap_or_default();
        let is_style = |path: &&String| {
            [".css", ".scss", ".less"].iter().any(|extension| path.ends_with(extension))
        };
        for path in paths.iter().filter(is_style).take(MAX_FILES) {
            let Some(text) = side_file(files, path) else { continue };
            for (at, _) in text.match_indices("--") {
                let is_part = |c: char| c.is_ascii_alphanumeric() || matches!(c, '-' | '_');
                let rest = &text[at..];
                let name = &rest[..rest.find(|c| !is_part(c)).unwrap_or(rest.len())];
                let is_start = text[..at].ends_with(|c: char| c == '(' || c.is_whitespace());
                if is_start && name.len() > 2 {
                    variables.entry(hash(name)).or_insert_with(|| name.to_owned());
                }
            }
        }
        variables
    });
    variables.get(&hash(token.strip_suffix(".$root").unwrap_or(token))).cloned()
}

/// Whether a package that others install contains the file, so that they can use its tokens.
fn is_published(files: &dyn Files, path: &str) -> bool {
    let manifests = upwards(parent_dir(path)).map(|folder| below(folder, "package.json"));
    let Some(path) = manifests.chain(["package.json".to_owned()]).find(|path| files.exists(path))
    else {
        return false;
    };
    let package = manifest::json(files, &path);
    package["name"].is_string() && package["version"].is_string() && package["private"] != true
}

fn hash(name: &str) -> u64 {
    let mut hasher = DefaultHasher::new();
    for c in name.chars().filter(|c| c.is_alphanumeric()).flat_map(char::to_lowercase) {
        c.hash(&mut hasher);
    }
    hasher.finish()
}

pub(in super::super) fn unused(
    document: &Document<'_>,
    files: &dyn Files,
    report: &mut Report<'_>,
) {
    if !report.begin(UNUSED) {
        return;
    }
    if is_published(files, document.source.path()) {
        return;
    }
    let usage = usage(files);
    if usage.is_partial {
        return;
    }
    let mut own = Usage::default();
    own.add_references(document.source.text());
    for token in &document.tokens {
        let is_deprecated = document.child(token.at, "$deprecated").is_some();
        let name = token.path.strip_suffix(".$root").unwrap_or(&token.path);
        if !is_deprecated
            && !usage.hashes.contains(&hash(name))
            && !own.hashes.contains(&hash(name))
        {
            let message = format!("nothing in the project uses the token `{}`", token.path);
            report.at(document.key_span(token.at), message).help("Delete the token");
        }
    }
}
