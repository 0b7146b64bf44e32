//! The token files of a project: the sources of Style Dictionary, the sets of Tokens Studio, the
//! sources of resolver documents, and the names that all of them define.

use super::document::{Document, Layout};
use super::mode::Mode;
use super::types::{TokenType, token_type};
use crate::cached::cached;
use aidd_engine::project::manifest;
use aidd_engine::text::files::{Files, side_file};
use aidd_engine::text::listing::Listing;
use aidd_engine::text::paths::{Globs, below, join, parent_dir};
use aidd_engine::text::source::Source;
use serde_json::Value;
use std::collections::{HashMap, HashSet};
use std::sync::Arc;

/// Maximum number of files that are searched for tokens.
const MAX_FILES: usize = 3000;

/// The names that the token files of a project define.
#[derive(Debug, Default)]
pub(super) struct Universe {
    /// The type of each token, if it is known.
    tokens: HashMap<String, Option<String>>,
    groups: HashSet<String>,
    /// Whether some token files could not be read.
    is_open: bool,
}

impl Universe {
    /// The type of the token with this name.
    pub(super) fn token(&self, name: &str) -> Option<&Option<String>> {
        let short = || self.tokens.get(name.strip_suffix(".value")?);
        self.tokens.get(name).or_else(short)
    }

    pub(super) fn has_group(&self, name: &str) -> bool {
        self.groups.contains(name)
    }

    pub(super) fn names(&self) -> impl Iterator<Item = &str> {
        self.tokens.keys().map(String::as_str)
    }
}

/// Whether the path can be one of a token file or of the settings that name token files.
pub(super) fn is_token_path(path: &str) -> bool {
    let is_data = [".json", ".json5", ".jsonc", ".tokens"].iter().any(|end| path.ends_with(end));
    let lower = path.to_ascii_lowercase();
    is_data
        && [
            "token",
            "$themes",
            "$metadata",
            "dictionary",
            "resolver",
            "sd.config",
            "theme",
            "design",
        ]
        .iter()
        .any(|word| lower.contains(word))
}

/// The JSON files of the project that are not those of package managers and editors.
fn candidates(listing: &Listing) -> impl Iterator<Item = &String> {
    listing.files().iter().filter(|path| {
        let name = path.rsplit('/').next().unwrap_or(path);
        let is_data =
            [".json", ".json5", ".jsonc", ".tokens"].iter().any(|end| path.ends_with(end));
        let is_other = matches!(name, "package.json" | "package-lock.json" | "composer.json")
            || name.starts_with("tsconfig")
            || path
                .split('/')
                .any(|part| matches!(part, "node_modules" | ".vscode" | "locales" | "i18n"));
        is_data && !is_other
    })
}

/// The settings of Style Dictionary: the directory, and the globs of its sources.
#[derive(Debug)]
struct Dictionary {
    globs: Globs,
    /// Whether it can read tokens from elsewhere, or change them.
    is_open: bool,
}

fn dictionaries(files: &dyn Files) -> Arc<Vec<Dictionary>> {
    cached(files, "tokens dictionaries", || {
        let Some(listing) = files.listing() else { return Vec::new() };
        let is_config = |path: &&String| {
            let name = path.rsplit('/').next().unwrap_or(path);
            name.contains("config") || name.contains("dictionary") || name.starts_with("sd.")
        };
        let configs = candidates(listing).filter(is_config).take(MAX_FILES);
        configs.filter_map(|path| dictionary(path, &manifest::json(files, path))).collect()
    })
}

fn dictionary(path: &str, settings: &Value) -> Option<Dictionary> {
    if !settings["platforms"].is_object() {
        return None;
    }
    let lists = [&settings["source"], &settings["include"]];
    let sources: Vec<&str> = lists
        .iter()
        .filter_map(|list| list.as_array())
        .flatten()
        .filter_map(Value::as_str)
        .collect();
    let folder = parent_dir(path);
    // A pattern is relative to the directory in which the tool runs.
    let globs: Vec<String> = sources
        .iter()
        .filter_map(|source| join(folder, source))
        .map(|source| source.replace("/**.json", "/**/*.json"))
        .collect();
    let globs = Globs::new(&globs, &[]).ok().filter(|_| !globs.is_empty())?;
    let is_plain = |source: &&str| source.ends_with(".json") && !source.contains("node_modules");
    let has_code = ["parsers", "preprocessors", "usesDtcg", "transform"]
        .iter()
        .any(|key| !settings[key].is_null());
    Some(Dictionary { globs, is_open: has_code || !sources.iter().all(is_plain) })
}

/// Whether Style Dictionary or Tokens Studio names the file as a source.
pub(super) fn is_named_source(files: &dyn Files, path: &str) -> bool {
    dictionaries(files).iter().any(|dictionary| dictionary.globs.matches(path))
        || studio_root(files, path).is_some()
}

/// The directory of the sets of Tokens Studio that contain the file.
fn studio_root(files: &dyn Files, path: &str) -> Option<String> {
    let mut folder = parent_dir(path);
    loop {
        let name = below(folder, "$metadata.json");
        if files.exists(&name) {
            let set = path.strip_prefix(folder)?.trim_start_matches('/').strip_suffix(".json")?;
            let order = manifest::json(files, &name);
            let order = order["tokenSetOrder"].as_array()?;
            return order.iter().any(|item| item == set).then(|| folder.to_owned());
        }
        if folder.is_empty() {
            return None;
        }
        folder = parent_dir(folder);
    }
}

/// Whether a resolver document names the file as a source, so that it is merged with other files.
pub(super) fn is_resolver_source(files: &dyn Files, path: &str) -> bool {
    let sources = cached(files, "tokens resolver sources", || {
        let Some(listing) = files.listing() else { return HashSet::new() };
        let resolvers = candidates(listing).filter(|path| path.contains("resolver"));
        let mut sources = HashSet::new();
        for resolver in resolvers.take(MAX_FILES) {
            let mut pending = vec![manifest::json(files, resolver)];
            while let Some(value) = pending.pop() {
                match value {
                    Value::Object(map) => {
                        let target = map.get("$ref").and_then(Value::as_str);
                        let file = target.and_then(|target| target.split('#').next());
                        sources.extend(file.and_then(|file| join(parent_dir(resolver), file)));
                        pending.extend(map.into_iter().map(|(_, value)| value));
                    }
                    Value::Array(items) => pending.extend(items),
                    _ => {}
                }
            }
        }
        sources
    });
    sources.contains(path)
}

/// The names that the token files of the project define, and whether the tokens of `document` can
/// refer to others, for example to those of a package or a program.
pub(super) fn universe(document: &Document<'_>, files: &dyn Files) -> (Arc<Universe>, bool) {
    let path = document.source.path();
    let all = cached(files, "tokens universe", || collect(files));
    let dictionaries = dictionaries(files);
    let mut named = dictionaries.iter().filter(|dictionary| dictionary.globs.matches(path));
    let is_open = match document.layout {
        _ if all.is_open => true,
        Layout::Sets => false,
        _ if studio_root(files, path).is_some() => false,
        // Style Dictionary can be started by a program that adds tokens.
        _ if document.mode == Mode::Other => {
            named.next().is_none_or(|first| first.is_open) || named.any(|other| other.is_open)
        }
        _ => false,
    };
    (all, is_open)
}

fn collect(files: &dyn Files) -> Universe {
    let mut universe = Universe::default();
    universe.is_open = for_each(files, &mut |document| universe.add(document));
    universe
}

/// Calls `visit` for each token file of the project. Returns whether some could not be read.
pub(super) fn for_each(files: &dyn Files, visit: &mut dyn FnMut(&Document<'_>)) -> bool {
    let Some(listing) = files.listing() else { return false };
    let mut is_open = false;
    for (count, path) in candidates(listing).enumerate() {
        if count >= MAX_FILES {
            return true;
        }
        let Some(text) = side_file(files, path) else {
            is_open |= is_token_path(path) && files.exists(path);
            continue;
        };
        // Data of all kinds have the key `value`.
        let has_sets = || ["\"$themes\"", "\"$metadata\""].iter().any(|key| text.contains(key));
        let is_likely = text.contains("\"$value\"")
            || text.contains("\"value\"")
                && (is_token_path(path) || has_sets() || is_named_source(files, path));
        if !is_likely {
            continue;
        }
        let source = Source::new(path.as_str(), text);
        let mut document = Document::parse(&source);
        if document.values.broken.is_some() || document.too_deep {
            is_open |= super::has_token_name(path);
            continue;
        }
        let layout = document.layout(super::has_token_name(path), files);
        // A token file of an unknown layout can define more names.
        let Some(layout) = layout.or_else(|| is_token_path(path).then_some(Layout::Value)) else {
            continue;
        };
        document.collect(layout);
        visit(&document);
    }
    is_open
}

impl Universe {
    fn add(&mut self, document: &Document<'_>) {
        for (path, &index) in &document.by_path {
            let token = &document.tokens[index];
            let name = match token_type(document, token) {
                TokenType::Named(name, _) => Some(name.to_owned()),
                _ => None,
            };
            let known = self.tokens.entry(path.clone()).or_insert_with(|| name.clone());
            // Files that disagree, such as themes of several tools, leave the type open.
            if *known != name {
                *known = None;
            }
        }
        self.groups.extend(document.groups.iter().map(|group| group.path.clone()));
        // Style Dictionary also replaces references to values that are not tokens.
        if document.layout != Layout::Format {
            self.groups.extend(document.stray.iter().map(|&at| document.full_path(at)));
        }
    }
}
