//! All pages of guidance: the shipped ones, with the project's own laid over them.

use super::knowledge::Index;
use super::routing::Routing;
use super::shelf::Shelf;
use aidd_engine::project::config::{ContentConfig, ContentMode};
use aidd_engine::text::files::{Disk, Files, SIDE_FILE_LIMIT, Stamp, markdown_below};
use aidd_engine::text::nearest::nearest;
use aidd_engine::text::paths::GlobError;
use aidd_page::{self as page, Guide, Tables};
use serde_json::{Map, Value};
use std::borrow::Cow;
use std::collections::BTreeMap;
use std::ops::Deref;
use std::sync::{Arc, OnceLock};
use thiserror::Error;

/// The folders that a project may keep its guidance in, the one that counts most first.
const PREFIXES: [&str; 3] = [".aidd/", "ai/", ""];

/// Most characters of a summary in an index.
const SUMMARY: usize = 140;

/// Most pages of one sort that a project may have: more of them is a folder that serves something
/// else.
const MOST: usize = 2000;

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
    pub header: Header,
    text: Cow<'static, str>,
    body: usize,
}

/// What a page's header says. That of a shipped page is read when first asked for.
#[derive(Clone, Debug, Default)]
pub struct Header {
    json: &'static str,
    read: OnceLock<Map<String, Value>>,
}

impl Deref for Header {
    type Target = Map<String, Value>;

    fn deref(&self) -> &Self::Target {
        // The build script wrote it.
        self.read.get_or_init(|| serde_json::from_str(self.json).unwrap_or_default())
    }
}

impl From<Map<String, Value>> for Header {
    fn from(read: Map<String, Value>) -> Self {
        Self { json: "", read: read.into() }
    }
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
        self.text.get(self.body..).unwrap_or_default().trim_start()
    }

    /// A text of its header.
    #[must_use]
    pub fn said(&self, key: &str) -> Option<&str> {
        self.header.get(key).and_then(Value::as_str)
    }

    /// The texts of a list of its header; a single text is a list of one.
    pub fn list(&self, key: &str) -> impl Iterator<Item = &str> {
        let value = self.header.get(key);
        let one = value.and_then(Value::as_str);
        let many = value.and_then(Value::as_array).into_iter().flatten().filter_map(Value::as_str);
        one.into_iter().chain(many)
    }
}

/// All pages.
#[derive(Clone, Debug, Default)]
pub struct Library {
    pages: BTreeMap<(Shelf, String), Page>,
    /// The shipped pages, also those that the project replaces.
    guides: &'static [Guide],
    /// As [`Tables::tasks`].
    tasks: &'static str,
    /// What is wrong with the project's pages, a sentence each, path first. A page named here is left
    /// out.
    pub problems: Vec<String>,
    index: Arc<Index>,
    routing: Arc<OnceLock<Result<Routing, TableError>>>,
}

/// Why a page cannot be read as a table.
#[derive(Debug, Error)]
pub enum TableError {
    /// There is no such page.
    #[error("there is no page `{name}` among the {shelf}")]
    Missing {
        /// Its name.
        name: String,
        /// Where it would lie.
        shelf: &'static str,
    },
    /// There is no page of heuristics.
    #[error("there is no page specs/heuristics")]
    NoHeuristics,
    /// Its header is malformed.
    #[error("{path}: {why}")]
    Malformed {
        /// The page.
        path: String,
        /// What does not fit.
        why: serde_json::Error,
    },
    /// A glob in its header is malformed.
    #[error("{path}: {why}")]
    Glob {
        /// The page.
        path: &'static str,
        /// What is wrong with the glob.
        why: GlobError,
    },
}

/// Where the pages of one sort of a project may lie, and what lies there.
struct Place {
    shelf: Shelf,
    folder: String,
    files: Vec<String>,
}

impl Library {
    /// The shipped pages alone.
    #[must_use]
    pub fn shipped(tables: &Tables) -> Self {
        Self::of_guides(tables.guides, tables.tasks)
    }

    fn of_guides(guides: &'static [Guide], tasks: &'static str) -> Self {
        let mut library = Self { guides, tasks, ..Self::default() };
        for guide in guides {
            let Some((shelf, rest)) = Shelf::of_shipped(guide.path) else { continue };
            let name = shelf.key(rest, Some(guide.name).filter(|name| !name.is_empty()));
            let page = Page {
                shelf,
                path: guide.path.to_owned(),
                origin: Origin::Shipped,
                summary: guide.summary.to_owned(),
                name: name.clone(),
                header: Header { json: guide.header, read: OnceLock::new() },
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
    pub fn load(tables: &Tables, disk: &Disk, config: &ContentConfig) -> Self {
        let (places, problems) = places(disk, config);
        Self::of(tables, disk, config, &places, problems)
    }

    fn of(
        tables: &Tables,
        disk: &Disk,
        config: &ContentConfig,
        places: &[Place],
        problems: Vec<String>,
    ) -> Self {
        let mut library = Self::shipped(tables);
        library.problems = problems;
        if config.override_mode == Some(ContentMode::ProjectOnly) {
            library.pages.retain(|(shelf, _), _| !shelf.is_open());
        }
        let mut own = BTreeMap::new();
        for place in places {
            library.lay_over(disk, place, &mut own);
        }
        library.pages.extend(own);
        library
    }

    fn lay_over(&mut self, disk: &Disk, place: &Place, own: &mut BTreeMap<(Shelf, String), Page>) {
        for path in &place.files {
            let rest = path.strip_prefix(&*place.folder).unwrap_or(path).trim_start_matches('/');
            let rest = if rest.is_empty() { path } else { rest };
            let mut page = match read(disk, place.shelf, path, rest) {
                Ok(page) => page,
                Err(problem) => {
                    self.problems.push(format!("{path}: {problem}"));
                    continue;
                }
            };
            let key = |page: &Page| (page.shelf, page.name.clone());
            if let Some(first) = own.get(&key(&page)) {
                let beside = first.path.starts_with(&place.folder);
                if beside && place.shelf.tells_folders_apart() {
                    page.name = rest.strip_suffix(".md").unwrap_or(rest).to_owned();
                }
            }
            if let Some(first) = own.get(&key(&page)) {
                let said = format!("{path}: {} has this name already and counts", first.path);
                self.problems.push(said);
            } else {
                own.insert(key(&page), page);
            }
        }
    }

    /// The shipped pages alone, without those of the project.
    pub(super) fn without_project(&self) -> Self {
        Self::of_guides(self.guides, self.tasks)
    }

    /// As [`Tables::tasks`].
    pub(super) fn tasks(&self) -> &'static str {
        self.tasks
    }

    /// What its knowledge is searched by.
    pub(super) fn index(&self) -> &Index {
        &self.index
    }

    /// Its tables of routing, once they are read.
    pub(super) fn routing(&self) -> &OnceLock<Result<Routing, TableError>> {
        &self.routing
    }

    /// All pages on a shelf, by name.
    pub fn on(&self, shelf: Shelf) -> impl Iterator<Item = &Page> {
        self.pages
            .range((shelf, String::new())..)
            .map(|(_, page)| page)
            .take_while(move |page| page.shelf == shelf)
    }

    /// The page of that name on a shelf.
    #[must_use]
    pub fn get(&self, shelf: Shelf, name: &str) -> Option<&Page> {
        self.pages.get(&(shelf, name.to_owned()))
    }

    /// The page that `given` means: its name in any case, with spaces or `_` for `-`, or a part of one
    /// name only.
    ///
    /// # Errors
    /// The names that may be meant, the nearest first; empty when none is near.
    pub fn find(&self, shelf: Shelf, given: &str) -> Result<&Page, Vec<&str>> {
        if let Some(page) = self.get(shelf, given) {
            return Ok(page);
        }
        let plain = |name: &str| name.trim().to_lowercase().replace([' ', '_'], "-");
        let wanted = plain(given);
        if let Some(page) = self.on(shelf).find(|page| plain(&page.name) == wanted) {
            return Ok(page);
        }
        let parts: Vec<&Page> = if wanted.is_empty() {
            Vec::new()
        } else {
            self.on(shelf).filter(|page| plain(&page.name).contains(&wanted)).collect()
        };
        if let [page] = parts[..] {
            return Ok(page);
        }
        let mut near: Vec<&str> = parts.iter().map(|page| &*page.name).take(5).collect();
        if near.is_empty() {
            near.extend(nearest(&wanted, self.on(shelf).map(|page| &*page.name)));
        }
        Err(near)
    }
}

/// Where a project's pages lie, by sort, those that count most first.
fn places(disk: &Disk, config: &ContentConfig) -> (Vec<Place>, Vec<String>) {
    let (mut places, mut problems) = (Vec::new(), Vec::new());
    if config.override_mode == Some(ContentMode::BundledOnly) {
        return (places, problems);
    }
    for shelf in Shelf::all().filter(|shelf| shelf.is_open()) {
        let configured = config.paths.as_ref().and_then(|paths| paths.get(shelf.word()));
        let configured = configured.filter(|_| shelf != Shelf::Protocol);
        let folders: Vec<String> = match configured {
            Some(folder) => vec![folder.trim_matches('/').to_owned()],
            None => PREFIXES.iter().map(|prefix| format!("{prefix}{}", shelf.folder())).collect(),
        };
        for folder in folders {
            let is_there = match shelf {
                Shelf::Protocol => disk.exists(&folder),
                _ => disk.is_dir(&folder),
            };
            if is_there && disk.inside(&folder).is_none() {
                problems.push(format!("{folder}: it leads out of the project"));
            } else if is_there {
                let files = files(disk, shelf, &folder, &mut problems);
                places.push(Place { shelf, folder, files });
            } else if configured.is_some() {
                let key = shelf.word();
                problems.push(format!("{folder}: there is no such folder below the root; `content.paths.{key}` names it"));
            }
        }
    }
    (places, problems)
}

/// The files of a sort in a folder.
fn files(disk: &Disk, shelf: Shelf, folder: &str, problems: &mut Vec<String>) -> Vec<String> {
    if shelf == Shelf::Protocol {
        return vec![folder.to_owned()];
    }
    let mut files = markdown_below(disk, folder);
    files.retain(|path| shelf.takes(path[folder.len()..].trim_start_matches('/')));
    if files.len() > MOST {
        let many = files.len();
        problems.push(format!("{folder}: {many} pages; the first {MOST} by name are read"));
        files.truncate(MOST);
    }
    files
}

/// Reads a page.
fn read(disk: &Disk, shelf: Shelf, path: &str, rest: &str) -> Result<Page, String> {
    let bytes = disk.read(path, SIDE_FILE_LIMIT + 1).map_err(|error| error.to_string())?;
    if bytes.len() as u64 > SIDE_FILE_LIMIT {
        return Err("longer than 2 MiB; it is left out".to_owned());
    }
    let text = String::from_utf8(bytes).map_err(|_| "not UTF-8; it is left out".to_owned())?;
    let (header, body) = header(&text)?;
    let named = header.get("name").and_then(Value::as_str);
    let name = shelf.key(rest, named);
    let said = ["summary", "description"].iter().find_map(|key| header.get(*key)?.as_str());
    let summary = said.map_or_else(|| page::summary(&text[body..]), str::to_owned);
    let summary = summary.split_whitespace().collect::<Vec<_>>().join(" ");
    Ok(Page {
        shelf,
        name,
        path: path.to_owned(),
        origin: Origin::Project,
        summary: summary.chars().take(SUMMARY).collect(),
        header: header.into(),
        body,
        text: Cow::Owned(text),
    })
}

/// The header of a page, and where its Markdown begins. A page without one is as good.
fn header(text: &str) -> Result<(Map<String, Value>, usize), String> {
    if !page::has_header(text) {
        return Ok((Map::new(), 0));
    }
    let (yaml, body) = page::split(text).map_err(|error| error.message)?;
    match serde_saphyr::from_str::<Value>(&text[yaml]) {
        Ok(Value::Object(header)) => Ok((header, body.start)),
        Ok(Value::Null) => Ok((Map::new(), body.start)),
        Ok(_) => Err("the header holds no keys; write `key: value` lines".to_owned()),
        Err(error) => {
            // The header begins on the second line of the page.
            let place = error.location().map(|at| format!("line {}: ", at.line() + 1));
            let said = error.without_snippet().to_string();
            let first = said.lines().next().unwrap_or_default();
            // It counts lines from the header.
            let first = first.split(" at line ").next().unwrap_or(first);
            Err(format!("{}the header cannot be read: {first}", place.unwrap_or_default()))
        }
    }
}

/// The library of one project, read again when one of its pages, or the configuration, changed.
#[derive(Debug, Default)]
pub struct Watched(Option<Known>);

#[derive(Debug)]
struct Known {
    config: ContentConfig,
    stamps: Vec<(String, Option<Stamp>)>,
    library: Arc<Library>,
}

impl Watched {
    /// The library as it is now. Looks at every page's stamp; reads only after a change.
    pub fn current(
        &mut self,
        tables: &Tables,
        disk: &Disk,
        config: &ContentConfig,
    ) -> Arc<Library> {
        let (places, problems) = places(disk, config);
        let paths = places.iter().flat_map(|place| &place.files);
        let stamps: Vec<_> = paths.map(|path| (path.clone(), disk.stamp(path))).collect();
        if let Some(known) = &self.0
            && known.config == *config
            && known.stamps == stamps
            && problems.iter().all(|problem| known.library.problems.contains(problem))
        {
            return known.library.clone();
        }
        let library = Arc::new(Library::of(tables, disk, config, &places, problems));
        let known = Known { config: config.clone(), stamps, library: library.clone() };
        self.0 = Some(known);
        library
    }
}
