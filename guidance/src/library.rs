//! The library of guidance pages: the shipped pages, overridden by the project's own.

use super::instructions::{self, Instructions};
use super::knowledge::Index;
use super::page_kind::PageKind;
use super::routing::Routing;
use aidd_engine::project::config::{ContentConfig, ContentMode};
use aidd_engine::project::overlay::{OVERLAY_PATH, Overlay};
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

/// Prefixes of the directories that can contain a project's guidance, highest precedence first.
const PREFIXES: [&str; 3] = [".aidd/", "ai/", ""];

/// Maximum number of characters of a summary in an index.
const MAX_SUMMARY_CHARS: usize = 140;

/// Maximum number of pages of one kind in a project; a directory with more files is assumed to
/// serve another purpose.
const MAX_PAGES: usize = 2000;

/// The origin of a page.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Origin {
    /// Shipped with aidd.
    Shipped,
    /// Written by the project.
    Project,
}

/// A page of guidance.
#[derive(Clone, Debug)]
pub struct Page {
    /// The kind of page.
    pub kind: PageKind,
    /// The name, unique among pages of the same kind.
    pub name: String,
    /// The path: relative to the project's root, or to `content/` for shipped pages.
    pub path: String,
    /// Whether the page is shipped or the project's own.
    pub origin: Origin,
    /// A one-line summary.
    pub summary: String,
    /// The fields of the page's header; empty if the page has no header.
    pub header: Header,
    text: Cow<'static, str>,
    body: usize,
}

/// The fields of a page's header. The header of a shipped page is parsed on first access.
#[derive(Clone, Debug, Default)]
pub struct Header {
    json: &'static str,
    read: OnceLock<Map<String, Value>>,
}

impl Deref for Header {
    type Target = Map<String, Value>;

    fn deref(&self) -> &Self::Target {
        // The build script wrote the header, so it is valid.
        self.read.get_or_init(|| serde_json::from_str(self.json).unwrap_or_default())
    }
}

impl From<Map<String, Value>> for Header {
    fn from(map: Map<String, Value>) -> Self {
        Self { json: "", read: map.into() }
    }
}

impl Page {
    /// The whole page, header included.
    #[must_use]
    pub fn text(&self) -> &str {
        &self.text
    }

    /// The Markdown below the header.
    #[must_use]
    pub fn body(&self) -> &str {
        self.text.get(self.body..).unwrap_or_default().trim_start()
    }

    /// The string value of a header field.
    #[must_use]
    pub fn string_field(&self, key: &str) -> Option<&str> {
        self.header.get(key).and_then(Value::as_str)
    }

    /// The strings of a list in the header; a single string counts as a list of one.
    pub fn string_list(&self, key: &str) -> impl Iterator<Item = &str> {
        let value = self.header.get(key);
        let single = value.and_then(Value::as_str);
        let list = value.and_then(Value::as_array).into_iter().flatten().filter_map(Value::as_str);
        single.into_iter().chain(list)
    }
}

/// All pages of guidance that apply to a project.
#[derive(Clone, Debug, Default)]
pub struct Library {
    pages: BTreeMap<(PageKind, String), Page>,
    /// The shipped pages, including those that the project replaces.
    guides: &'static [Guide],
    /// See [`Tables::tasks`].
    tasks: &'static str,
    /// Problems with the project's pages, one sentence each, starting with the path. A page with a
    /// problem is skipped.
    pub problems: Vec<String>,
    /// The project's own instructions for agents.
    pub instructions: Vec<Instructions>,
    /// The changes that follow from recorded sessions.
    pub overlay: Overlay,
    index: Arc<Index>,
    routing: Arc<OnceLock<Result<Routing, TableError>>>,
}

/// Why a page cannot be read as a table.
#[derive(Debug, Error)]
pub enum TableError {
    /// The page does not exist.
    #[error("no page `{name}` in {kind}")]
    Missing {
        /// The name of the page.
        name: String,
        /// The kind of page, as a directory name.
        kind: &'static str,
    },
    /// The page of heuristics does not exist.
    #[error("page specs/heuristics is missing")]
    NoHeuristics,
    /// The header of the page is malformed.
    #[error("{path}: {why}")]
    Malformed {
        /// The path of the page.
        path: String,
        /// The deserialisation error.
        why: serde_json::Error,
    },
    /// A glob in the header of the page is malformed.
    #[error("{path}: {why}")]
    Glob {
        /// The path of the page.
        path: &'static str,
        /// The error in the glob.
        why: GlobError,
    },
}

/// A directory with a project's pages of one kind, and its files.
struct SourceDir {
    kind: PageKind,
    directory: String,
    files: Vec<String>,
}

impl Library {
    /// Loads the shipped pages only.
    #[must_use]
    pub fn shipped(tables: &Tables) -> Self {
        Self::from_guides(tables.guides, tables.tasks)
    }

    fn from_guides(guides: &'static [Guide], tasks: &'static str) -> Self {
        let mut library = Self { guides, tasks, ..Self::default() };
        for guide in guides {
            let Some((kind, rest)) = PageKind::from_shipped_path(guide.path) else { continue };
            let name = kind.key(rest, Some(guide.name).filter(|name| !name.is_empty()));
            let page = Page {
                kind,
                path: guide.path.to_owned(),
                origin: Origin::Shipped,
                summary: guide.summary.to_owned(),
                name: name.clone(),
                header: Header { json: guide.header, read: OnceLock::new() },
                text: Cow::Borrowed(guide.text),
                body: guide.body,
            };
            library.pages.insert((kind, name), page);
        }
        library
    }

    /// Loads the pages for a project. The project's pages replace shipped pages of the same name,
    /// unless `config` sets another mode.
    #[must_use]
    pub fn load(tables: &Tables, disk: &Disk, config: &ContentConfig) -> Self {
        let (dirs, problems) = source_dirs(disk, config);
        let mut library = Self::from_source_dirs(tables, disk, config, &dirs, problems);
        library.instructions = instructions::read(disk, &instruction_paths(disk, config));
        library.overlay = Overlay::read(disk).unwrap_or_default();
        library
    }

    fn from_source_dirs(
        tables: &Tables,
        disk: &Disk,
        config: &ContentConfig,
        dirs: &[SourceDir],
        problems: Vec<String>,
    ) -> Self {
        let mut library = Self::shipped(tables);
        library.problems = problems;
        if config.override_mode == Some(ContentMode::ProjectOnly) {
            library.pages.retain(|(kind, _), _| !kind.is_customizable());
        }
        let mut project_pages = BTreeMap::new();
        for dir in dirs {
            library.add_project_pages(disk, dir, &mut project_pages);
        }
        library.pages.extend(project_pages);
        library
    }

    fn add_project_pages(
        &mut self,
        disk: &Disk,
        dir: &SourceDir,
        project_pages: &mut BTreeMap<(PageKind, String), Page>,
    ) {
        for path in &dir.files {
            let rest = path.strip_prefix(&*dir.directory).unwrap_or(path).trim_start_matches('/');
            let rest = if rest.is_empty() { path } else { rest };
            let mut page = match read(disk, dir.kind, path, rest) {
                Ok(page) => page,
                Err(problem) => {
                    self.problems.push(format!("{path}: {problem}"));
                    continue;
                }
            };
            let key = |page: &Page| (page.kind, page.name.clone());
            if let Some(first) = project_pages.get(&key(&page)) {
                let siblings = first.path.starts_with(&dir.directory);
                if siblings && dir.kind.distinguishes_dirs() {
                    page.name = rest.strip_suffix(".md").unwrap_or(rest).to_owned();
                }
            }
            if let Some(first) = project_pages.get(&key(&page)) {
                let problem = format!("{path}: ignored; {} has the same name", first.path);
                self.problems.push(problem);
            } else {
                project_pages.insert(key(&page), page);
            }
        }
    }

    /// The shipped pages only.
    pub(super) fn without_project(&self) -> Self {
        Self::from_guides(self.guides, self.tasks)
    }

    /// See [`Tables::tasks`].
    pub(super) fn tasks(&self) -> &'static str {
        self.tasks
    }

    /// The search index of the library's knowledge base.
    pub(super) fn index(&self) -> &Index {
        &self.index
    }

    /// The routing tables, filled on first use.
    pub(super) fn routing(&self) -> &OnceLock<Result<Routing, TableError>> {
        &self.routing
    }

    /// All pages of a kind, sorted by name.
    pub fn pages_of_kind(&self, kind: PageKind) -> impl Iterator<Item = &Page> {
        self.pages
            .range((kind, String::new())..)
            .map(|(_, page)| page)
            .take_while(move |page| page.kind == kind)
    }

    /// The page of a kind with exactly this name.
    #[must_use]
    pub fn get(&self, kind: PageKind, name: &str) -> Option<&Page> {
        self.pages.get(&(kind, name.to_owned()))
    }

    /// Finds a page by name. The case of letters is ignored, and spaces and `_` match `-`. If no
    /// name matches, a substring of exactly one name is accepted.
    ///
    /// # Errors
    /// Fails when no page matches. The error contains suggested names, nearest first, and is empty
    /// if no name is similar.
    pub fn find(&self, kind: PageKind, name: &str) -> Result<&Page, Vec<&str>> {
        if let Some(page) = self.get(kind, name) {
            return Ok(page);
        }
        let normalize = |name: &str| name.trim().to_lowercase().replace([' ', '_'], "-");
        let normalized = normalize(name);
        if let Some(page) =
            self.pages_of_kind(kind).find(|page| normalize(&page.name) == normalized)
        {
            return Ok(page);
        }
        let partial_matches: Vec<&Page> = if normalized.is_empty() {
            Vec::new()
        } else {
            self.pages_of_kind(kind)
                .filter(|page| normalize(&page.name).contains(&normalized))
                .collect()
        };
        if let [page] = partial_matches[..] {
            return Ok(page);
        }
        let mut suggestions: Vec<&str> =
            partial_matches.iter().map(|page| &*page.name).take(5).collect();
        if suggestions.is_empty() {
            suggestions
                .extend(nearest(&normalized, self.pages_of_kind(kind).map(|page| &*page.name)));
        }
        Err(suggestions)
    }
}

/// The files with the project's own instructions.
fn instruction_paths(disk: &Disk, config: &ContentConfig) -> Vec<String> {
    match config.override_mode {
        Some(ContentMode::BundledOnly) => Vec::new(),
        _ => instructions::paths(disk),
    }
}

/// The directories with the project's pages by kind, highest precedence first, and the problems
/// found in them.
fn source_dirs(disk: &Disk, config: &ContentConfig) -> (Vec<SourceDir>, Vec<String>) {
    let (mut dirs, mut problems) = (Vec::new(), Vec::new());
    if config.override_mode == Some(ContentMode::BundledOnly) {
        return (dirs, problems);
    }
    for kind in PageKind::all().filter(|kind| kind.is_customizable()) {
        let configured = config.paths.as_ref().and_then(|paths| paths.get(kind.name()));
        let configured = configured.filter(|_| kind != PageKind::Protocol);
        let directories: Vec<String> = match configured {
            Some(directory) => vec![directory.trim_matches('/').to_owned()],
            None => PREFIXES.iter().map(|prefix| format!("{prefix}{}", kind.dir())).collect(),
        };
        for directory in directories {
            let exists = match kind {
                PageKind::Protocol => disk.exists(&directory),
                _ => disk.is_dir(&directory),
            };
            if exists && disk.to_relative(&directory).is_none() {
                problems.push(format!("{directory}: outside the project"));
            } else if exists {
                let files = files(disk, kind, &directory, &mut problems);
                dirs.push(SourceDir { kind, directory, files });
            } else if configured.is_some() {
                let key = kind.name();
                problems.push(format!(
                    "{directory}: `content.paths.{key}` names a directory that does not exist"
                ));
            }
        }
    }
    (dirs, problems)
}

/// The files of one kind in a directory.
fn files(disk: &Disk, kind: PageKind, directory: &str, problems: &mut Vec<String>) -> Vec<String> {
    if kind == PageKind::Protocol {
        return vec![directory.to_owned()];
    }
    let mut files = markdown_below(disk, directory);
    files.retain(|path| kind.contains(path[directory.len()..].trim_start_matches('/')));
    if files.len() > MAX_PAGES {
        let count = files.len();
        problems.push(format!(
            "{directory}: {count} pages; only the first {MAX_PAGES} by name are read"
        ));
        files.truncate(MAX_PAGES);
    }
    files
}

/// Reads and parses a page.
fn read(disk: &Disk, kind: PageKind, path: &str, rest: &str) -> Result<Page, String> {
    let bytes = disk.read(path, SIDE_FILE_LIMIT + 1).map_err(|error| error.to_string())?;
    if bytes.len() as u64 > SIDE_FILE_LIMIT {
        return Err("larger than 2 MiB; skipped".to_owned());
    }
    let text = String::from_utf8(bytes).map_err(|_| "not UTF-8; skipped".to_owned())?;
    let (header, body) = header(&text)?;
    let name_field = header.get("name").and_then(Value::as_str);
    let name = kind.key(rest, name_field);
    let summary_field =
        ["summary", "description"].iter().find_map(|key| header.get(*key)?.as_str());
    let summary = summary_field.map_or_else(|| page::summary(&text[body..]), str::to_owned);
    let summary = summary.split_whitespace().collect::<Vec<_>>().join(" ");
    Ok(Page {
        kind,
        name,
        path: path.to_owned(),
        origin: Origin::Project,
        summary: summary.chars().take(MAX_SUMMARY_CHARS).collect(),
        header: header.into(),
        body,
        text: Cow::Owned(text),
    })
}

/// The fields of the header of a page; empty if the page has no header, `None` if the header is not
/// valid YAML.
#[must_use]
pub fn header_of(text: &str) -> Option<Map<String, Value>> {
    header(text).ok().map(|(header, _)| header)
}

/// The header of a page, and the offset of the Markdown. A page without a header is valid.
fn header(text: &str) -> Result<(Map<String, Value>, usize), String> {
    if !page::has_header(text) {
        return Ok((Map::new(), 0));
    }
    let (yaml, body) = page::split(text).map_err(|error| error.message)?;
    match serde_saphyr::from_str::<Value>(&text[yaml]) {
        Ok(Value::Object(header)) => Ok((header, body.start)),
        Ok(Value::Null) => Ok((Map::new(), body.start)),
        Ok(_) => Err("the header has no keys; write `key: value` lines".to_owned()),
        Err(error) => {
            // The header starts on the second line of the page.
            let location = error.location().map(|at| format!("line {}: ", at.line() + 1));
            let message = error.without_snippet().to_string();
            let first = message.lines().next().unwrap_or_default();
            // The error counts lines from the start of the header.
            let first = first.split(" at line ").next().unwrap_or(first);
            Err(format!("{}the header cannot be read: {first}", location.unwrap_or_default()))
        }
    }
}

/// The library of one project, reloaded when a page or the configuration changes.
#[derive(Debug, Default)]
pub struct LibraryCache(Option<CachedLibrary>);

#[derive(Debug)]
struct CachedLibrary {
    config: ContentConfig,
    stamps: Vec<(String, Option<Stamp>)>,
    library: Arc<Library>,
}

impl LibraryCache {
    /// The current library. Compares the stamp of every page and reloads only after a change.
    pub fn current(
        &mut self,
        tables: &Tables,
        disk: &Disk,
        config: &ContentConfig,
    ) -> Arc<Library> {
        let (dirs, problems) = source_dirs(disk, config);
        let instruction_paths = instruction_paths(disk, config);
        let paths = dirs.iter().flat_map(|dir| &dir.files).chain(&instruction_paths);
        let mut stamps: Vec<_> = paths.map(|path| (path.clone(), disk.stamp(path))).collect();
        stamps.push((OVERLAY_PATH.to_owned(), disk.stamp(OVERLAY_PATH)));
        if let Some(cached) = &self.0
            && cached.config == *config
            && cached.stamps == stamps
            && problems.iter().all(|problem| cached.library.problems.contains(problem))
        {
            return cached.library.clone();
        }
        let mut library = Library::from_source_dirs(tables, disk, config, &dirs, problems);
        library.instructions = instructions::read(disk, &instruction_paths);
        library.overlay = Overlay::read(disk).unwrap_or_default();
        let library = Arc::new(library);
        let cached = CachedLibrary { config: config.clone(), stamps, library: library.clone() };
        self.0 = Some(cached);
        library
    }
}
