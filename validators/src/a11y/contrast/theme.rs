//! The colors that a project changes in the palette of Tailwind CSS.

use crate::cached::cached;
use aidd_engine::text::files::Files;
use std::collections::BTreeSet;

/// Maximum size of a file that is read, in bytes.
const MAX_SIZE: u64 = 256 << 10;

/// Maximum number of style sheets that are read.
const MAX_SHEETS: usize = 1_000;

/// Maximum number of directories that are searched.
const MAX_DIRS: usize = 2_000;

/// Colors with other values than in the palette.
#[derive(Debug, Default)]
struct Theme {
    /// The names of colors and families, such as `gray-400` and `gray`.
    names: BTreeSet<String>,
    is_unknown: bool,
}

/// Whether the project can give another value to the color of a utility class in `classes`.
pub(super) fn replaces_color(files: &dyn Files, classes: &str) -> bool {
    let colors = classes
        .split(|c: char| c.is_whitespace() || matches!(c, '"' | '\'' | '`' | '=' | '{' | '}'))
        .map(|class| class.rsplit(':').next().unwrap_or(class).trim_matches('!'))
        .filter_map(|class| class.strip_prefix("bg-").or_else(|| class.strip_prefix("text-")))
        .map(|name| name.split('/').next().unwrap_or(name))
        .filter(|name| super::look::palette_color(name).is_some());
    let colors: Vec<&str> = colors.collect();
    if colors.is_empty() {
        return false;
    }
    let theme = cached(files, "tailwind theme", || read(files));
    theme.is_unknown
        || colors.iter().any(|name| {
            let family = name.rsplit_once('-').map_or(*name, |(family, _)| family);
            theme.names.contains(*name) || theme.names.contains(family)
        })
}

/// Reads the style sheets and the configurations of Tailwind CSS of a project.
fn read(files: &dyn Files) -> Theme {
    let mut theme = Theme::default();
    let Some(paths) = paths(files) else {
        theme.is_unknown = true;
        return theme;
    };
    for path in paths {
        if files.size(&path).is_ok_and(|size| size > MAX_SIZE) {
            continue;
        }
        let text = files.read(&path, MAX_SIZE).unwrap_or_default();
        let text = String::from_utf8_lossy(&text);
        if is_config(&path) {
            theme.add_config(&text);
        } else {
            theme.add_sheet(&text);
        }
    }
    theme
}

/// The paths of the style sheets and configurations; `None` if there are too many.
fn paths(files: &dyn Files) -> Option<Vec<String>> {
    let is_read = |path: &str| {
        is_config(path) || [".css", ".scss", ".pcss"].iter().any(|end| path.ends_with(end))
    };
    if let Some(listing) = files.listing() {
        let found: Vec<String> =
            listing.files().iter().filter(|path| is_read(path)).cloned().collect();
        return (found.len() <= MAX_SHEETS).then_some(found);
    }
    let (mut found, mut dirs, mut visited) = (Vec::new(), vec![String::new()], 0);
    while let Some(dir) = dirs.pop() {
        visited += 1;
        let join =
            |name: &str| if dir.is_empty() { name.to_owned() } else { format!("{dir}/{name}") };
        found.extend(files.names(&dir).iter().filter(|name| is_read(name)).map(|name| join(name)));
        let inner = files.dirs(&dir);
        dirs.extend(inner.iter().filter(|name| !is_output(name)).map(|name| join(name)));
        if visited > MAX_DIRS || found.len() > MAX_SHEETS {
            return None;
        }
    }
    found.sort_unstable();
    Some(found)
}

fn is_config(path: &str) -> bool {
    path.rsplit('/').next().unwrap_or(path).starts_with("tailwind.config.")
}

/// Whether a directory contains the results of tools, or dependencies.
fn is_output(name: &str) -> bool {
    name.starts_with('.')
        || matches!(name, "node_modules" | "vendor" | "dist" | "build" | "target" | "coverage")
}

impl Theme {
    /// Adds the custom properties of `@theme`, such as `--color-gray-400`.
    fn add_sheet(&mut self, text: &str) {
        for (at, prefix) in text.match_indices("--color-") {
            let rest = &text[at + prefix.len()..];
            let end = rest.find(|c: char| !c.is_ascii_alphanumeric() && !matches!(c, '-' | '*'));
            let (name, rest) = rest.split_at(end.unwrap_or(rest.len()));
            // Other places use the color.
            if !rest.trim_start().starts_with(':') {
                continue;
            }
            self.is_unknown |= name == "*";
            self.names.insert(name.trim_end_matches("-*").to_owned());
        }
    }

    /// Adds the colors of a configuration. Where it has colors, it can change each color whose name it
    /// contains; without `extend`, it replaces all.
    fn add_config(&mut self, text: &str) {
        self.is_unknown |= text.contains("presets:");
        if !text.contains("colors") {
            return;
        }
        self.is_unknown |= !text.contains("extend");
        let words = text.split(|c: char| !c.is_ascii_alphanumeric() && c != '-');
        self.names.extend(words.filter(|word| !word.is_empty()).map(str::to_owned));
    }
}
