//! All pages of guidance: the shipped ones, with the project's own laid over them.

use super::shelf::Shelf;
use crate::config::{ContentConfig, ContentMode};
use crate::files::{Disk, Files, SIDE_FILE_LIMIT, markdown_below};
use aidd_content::page;
use serde_json::{Map, Value};
use std::borrow::Cow;
use std::collections::BTreeMap;

/// The folders that a project may keep its guidance in, the one that counts most first.
const PREFIXES: [&str; 3] = [".aidd/", "ai/", ""];

/// Most characters of a summary in an index.
const SUMMARY: usize = 140;

/// Whose page it is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Origin {
    /// Shipped with aidd.
    Shipped,
    /// The project's own.
    Project,
}

/// A page of guidance.
#[derive(Clone, Debug)]
pub struct Page {
    /// Its sort.
    pub shelf: Shelf,
    /// What it is called, unique on its shelf.
    pub name: String,
    /// Where it lies: from the project's root, or from `content/`.
    pub path: String,
    /// Whose it is.
    pub origin: Origin,
    /// One line on it.
    pub summary: String,
    /// What its header says; empty when it has none.
    pub header: Map<String, Value>,
    text: Cow<'static, str>,
    body: usize,
}

impl Page {
    /// The whole page.
    #[must_use]
    pub fn text(&self) -> &str {
        &self.text
    }

    /// Its Markdown below the header.
    #[must_use]
    pub fn body(&self) -> &str {
        self.text[self.body..].trim_start()
    }
}

/// All pages.
#[derive(Clone, Debug, Default)]
pub struct Library {
    pages: BTreeMap<(Shelf, String), Page>,
    /// What is wrong with the project's pages, a sentence each, path first.
    pub problems: Vec<String>,
}

impl Library {
    /// The shipped pages alone.
    #[must_use]
    pub fn shipped() -> Self {
        let mut library = Self::default();
        for guide in aidd_content::GUIDANCE {
            let Some((shelf, rest)) = Shelf::of_shipped(guide.path) else { continue };
            // The build script wrote it.
            let header: Map<String, Value> =
                serde_json::from_str(guide.header).unwrap_or_default();
            let named = header.get("name").and_then(Value::as_str);
            let name = shelf.key(rest, named);
            let summary = header.get("summary").and_then(Value::as_str).unwrap_or_default();
            let page = Page {
                shelf,
                path: guide.path.to_owned(),
                origin: Origin::Shipped,
                summary: summary.to_owned(),
                name: name.clone(),
                header,
                text: Cow::Borrowed(guide.text),
                body: guide.body,
            };
            library.pages.insert((shelf, name), page);
        }
        library
    }

    /// The pages of a project: its own take the place of shipped ones of the same name, as `config`
    /// says.
    #[must_use]
    pub fn load(disk: &Disk, config: &ContentConfig) -> Self {
        let mode = config.override_mode.unwrap_or_default();
        let mut library = match mode {
            ContentMode::ProjectOnly => Self::method_only(),
            ContentMode::Merge | ContentMode::BundledOnly => Self::shipped(),
        };
        if mode == ContentMode::BundledOnly {
            return library;
        }
        for shelf in Shelf::all().filter(|shelf| shelf.is_open()) {
            library.lay_over(disk, shelf, config);
        }
        library
    }

    /// What no project replaces, alone.
    fn method_only() -> Self {
        let mut library = Self::shipped();
        library.pages.retain(|(shelf, _), _| !shelf.is_open());
        library
    }

    fn lay_over(&mut self, disk: &Disk, shelf: Shelf, config: &ContentConfig) {
        let mut own: BTreeMap<String, Page> = BTreeMap::new();
        let configured = config.paths.get(shelf.word()).filter(|_| shelf != Shelf::Protocol);
        let folders: Vec<String> = match configured {
            Some(folder) => vec![folder.trim_matches('/').to_owned()],
            None => PREFIXES.iter().map(|prefix| format!("{prefix}{}", shelf.folder())).collect(),
        };
        for folder in folders {
            let files = match shelf {
                Shelf::Protocol => vec![folder.clone()],
                _ => markdown_below(disk, &folder),
            };
            for path in files {
                let rest = path.strip_prefix(&folder).unwrap_or(&path).trim_start_matches('/');
                let rest = if rest.is_empty() { &path } else { rest };
                let Some(page) = self.read(disk, shelf, &path, rest) else { continue };
                if let Some(first) = own.get(&page.name) {
                    let said = format!("{path}: {} has this name already and counts", first.path);
                    self.problems.push(said);
                } else {
                    own.insert(page.name.clone(), page);
                }
            }
        }
        self.pages.extend(own.into_iter().map(|(name, page)| ((shelf, name), page)));
    }

    fn read(&mut self, disk: &Disk, shelf: Shelf, path: &str, rest: &str) -> Option<Page> {
        let bytes = match disk.read(path, SIDE_FILE_LIMIT) {
            Ok(bytes) => bytes,
            Err(error) if error.kind() == std::io::ErrorKind::NotFound => return None,
            Err(error) => {
                self.problems.push(format!("{path}: {error}"));
                return None;
            }
        };
        let text = String::from_utf8_lossy(&bytes).into_owned();
        let (header, body) = self.header(path, &text);
        let named = header.get("name").and_then(Value::as_str);
        let name = shelf.key(rest, named);
        let said = ["summary", "description"].iter().find_map(|key| header.get(*key)?.as_str());
        let summary = said.map_or_else(|| page::summary(&text[body..]), str::to_owned);
        Some(Page {
            shelf,
            name,
            path: path.to_owned(),
            origin: Origin::Project,
            summary: summary.chars().take(SUMMARY).collect(),
            header,
            body,
            text: Cow::Owned(text),
        })
    }

    /// The header of a page, and where its Markdown begins. A page without one is as good.
    fn header(&mut self, path: &str, text: &str) -> (Map<String, Value>, usize) {
        if !page::has_header(text) {
            return (Map::new(), 0);
        }
        let (yaml, body) = match page::split(text) {
            Ok((yaml, body)) => (&text[yaml], body.start),
            Err(error) => {
                self.problems.push(format!("{path}: {error}"));
                return (Map::new(), 0);
            }
        };
        match serde_saphyr::from_str::<Value>(yaml) {
            Ok(Value::Object(header)) => (header, body),
            Ok(Value::Null) => (Map::new(), body),
            Ok(_) => {
                self.problems.push(format!("{path}: the header holds no keys"));
                (Map::new(), body)
            }
            Err(error) => {
                let first = error.to_string();
                let first = first.lines().next().unwrap_or_default().to_owned();
                self.problems.push(format!("{path}: the header cannot be read: {first}"));
                (Map::new(), body)
            }
        }
    }

    /// All pages on a shelf, by name.
    pub fn on(&self, shelf: Shelf) -> impl Iterator<Item = &Page> {
        self.pages.values().filter(move |page| page.shelf == shelf)
    }

    /// The page of that name on a shelf.
    #[must_use]
    pub fn get(&self, shelf: Shelf, name: &str) -> Option<&Page> {
        self.pages.get(&(shelf, name.to_owned()))
    }
}
