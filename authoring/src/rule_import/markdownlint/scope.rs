//! The files to which the rules of a configuration apply: globs, ignored paths, and the precedence of
//! two files in the same directory.

use super::super::modules::Modules;
use super::super::recipe;
use super::super::{
    ImportDraft, ImportError, NotImported, Tool, anchor_glob, read_text, string_list,
    unsupported_keys,
};
use aidd_engine::text::files::Files;
use aidd_engine::text::paths::{below, parent_dir};
use serde_json::{Map, Value as Json};

/// The prefix of the names of files that contain only rules.
pub(in super::super) const RULES_FILE_PREFIX: &str = ".markdownlint.";

/// The files to which the rules apply.
pub(super) struct Scope {
    /// The path of the configuration.
    pub(super) file: String,
    pub(super) files: Vec<String>,
    pub(super) exclude: Vec<String>,
}

impl Scope {
    /// A scope that contains all files, for the configuration at `path`.
    pub(super) fn from_path(path: &str) -> Self {
        Self { file: path.to_owned(), files: Vec::new(), exclude: Vec::new() }
    }
}

/// Adds the exclusions of a `.markdownlintignore` next to a configuration. markdownlint-cli reads this
/// file in the syntax of `.gitignore`.
pub(super) fn add_ignored(files: &dyn Files, scope: &mut Scope, import_draft: &mut ImportDraft) {
    let path = below(parent_dir(&scope.file), ".markdownlintignore");
    if !files.exists(&path) {
        return;
    }
    let text = match read_text(files, &path) {
        Ok(text) => text,
        Err(why) => {
            return import_draft.not_imported.push(NotImported::new(&path, why.to_string()));
        }
    };
    for line in text.lines().map(str::trim).filter(|line| !line.is_empty()) {
        if line.starts_with('#') {
            continue;
        }
        if let Some(included) = line.strip_prefix('!') {
            let why = "paths excluded by `exclude` cannot be included again";
            import_draft.not_imported.push(NotImported::new(format!("{path}: !{included}"), why));
            continue;
        }
        let folder = line.trim_end_matches('/');
        // A bare name matches in any directory.
        if !folder.contains('/') {
            scope.exclude.extend([folder.to_owned(), format!("**/{folder}/**")]);
            continue;
        }
        let is_relative = !folder.starts_with(['/', '*']);
        let glob = if is_relative { format!("/{folder}") } else { folder.to_owned() };
        scope.exclude.extend(path_and_contents(&glob));
    }
}

/// Globs that exclude a path, and everything below the path if it is a directory.
fn exclusion_globs(glob: &str) -> Vec<String> {
    path_and_contents(&anchor_glob(glob.trim_end_matches('/')))
}

fn path_and_contents(glob: &str) -> Vec<String> {
    let is_folder = !glob.ends_with('*') && !glob.ends_with(".md");
    std::iter::once(glob.to_owned()).chain(is_folder.then(|| format!("{glob}/"))).collect()
}

/// The rules of a markdownlint-cli2 configuration; adds its globs and ignored paths to `scope`.
pub(super) fn runner_rules(
    config: &Map<String, Json>,
    files: &dyn Files,
    scope: &mut Scope,
    import_draft: &mut ImportDraft,
) -> Result<Map<String, Json>, ImportError> {
    for glob in config.get("globs").map(string_list).unwrap_or_default() {
        match glob.strip_prefix(['!', '#']) {
            Some(not) => scope.exclude.extend(exclusion_globs(not)),
            None => scope.files.push(anchor_glob(&glob)),
        }
    }
    for glob in config.get("ignores").map(string_list).unwrap_or_default() {
        scope.exclude.extend(exclusion_globs(&glob));
    }
    // The rules for the files of `overrides` are not imported.
    let overrides = config.get("overrides").and_then(Json::as_array).into_iter().flatten();
    let filters = overrides.flat_map(|entry| string_list(&entry["filter"]));
    let filters = filters.filter(|glob| !glob.starts_with(['!', '#']));
    scope.exclude.extend(filters.map(|glob| anchor_glob(&glob)));
    let unknown = "unknown key of markdownlint-cli2 0.24";
    import_draft.not_imported.extend(unsupported_keys(config, Tool::Markdownlint, Some(unknown)));
    // The rule files that take precedence over `config` in markdownlint-cli2
    // (<https://github.com/DavidAnson/markdownlint-cli2#configuration>).
    let siblings = Tool::Markdownlint
        .files()
        .into_iter()
        .filter(|(name, _)| name.starts_with(RULES_FILE_PREFIX));
    let mut paths = siblings.map(|(name, _)| below(parent_dir(&scope.file), name));
    let Some(path) = paths.find(|path| files.exists(path)) else {
        return Ok(config.get("config").and_then(Json::as_object).cloned().unwrap_or_default());
    };
    if config.contains_key("config") {
        import_draft
            .not_imported
            .push(NotImported::new("config", format!("markdownlint-cli2 reads `{path}` instead")));
    }
    let rules = Modules::new(files, |_| None).literal(&path, &format!("{path}: "), import_draft)?;
    Ok(recipe::vars(rules))
}
