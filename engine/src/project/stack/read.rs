//! Reads manifests; unreadable files are skipped and reported with their position.

use crate::parse::values::{Format, Values};
use crate::text::files::{Disk, Files, names_in};
use crate::text::source::Span;
use serde_json::Value;
use std::collections::BTreeSet;

/// Maximum size of a manifest or lock file, in bytes.
const LIMIT: u64 = 24 << 20;

/// Reads the files of one project.
pub(super) struct Reader<'a> {
    pub(super) disk: &'a Disk,
    /// The problems with reading files, one sentence each, starting with the path.
    pub(super) problems: Vec<String>,
    /// The current directory and its entries. One listing replaces a lookup for each possible name
    /// of a manifest.
    current_dir: Option<(String, BTreeSet<String>)>,
}

impl<'a> Reader<'a> {
    pub(super) fn new(disk: &'a Disk) -> Self {
        Self { disk, problems: Vec::new(), current_dir: None }
    }

    /// Sets the current directory; files directly in it are looked up in its listing.
    pub(super) fn enter(&mut self, folder: &str) {
        let names = names_in(self.disk, folder).into_iter().collect();
        self.current_dir = Some((folder.to_owned(), names));
    }

    fn may_exist(&self, path: &str) -> bool {
        let (folder, name) = path.rsplit_once('/').unwrap_or(("", path));
        let current_dir = self.current_dir.as_ref().filter(|(dir, _)| dir == folder);
        current_dir.is_none_or(|(_, names)| names.contains(name))
    }

    /// The text of a file; `None` if it does not exist or cannot be read.
    pub(super) fn text(&mut self, path: &str) -> Option<String> {
        if !self.may_exist(path) || !self.disk.exists(path) {
            return None;
        }
        if self.disk.to_relative(path).is_none() {
            self.problems.push(format!("{path}: outside of the project, not read"));
            return None;
        }
        let bytes = match self.disk.read(path, LIMIT + 1) {
            Ok(bytes) => bytes,
            Err(error) => {
                self.problems.push(format!("{path}: {error}"));
                return None;
            }
        };
        if bytes.len() as u64 > LIMIT {
            self.problems.push(format!("{path}: larger than {} MiB, not read", LIMIT >> 20));
            return None;
        }
        let Ok(text) = String::from_utf8(bytes) else {
            self.problems.push(format!("{path}: not UTF-8, not read"));
            return None;
        };
        Some(text.strip_prefix('\u{FEFF}').map_or(text.clone(), str::to_owned))
    }

    /// The parsed value of a JSON file.
    pub(super) fn json(&mut self, path: &str) -> Option<Value> {
        let text = self.text(path)?;
        let read = serde_json::from_str(&text).map_err(|error| {
            let message = error.to_string();
            let message = message.split(" at line").next().unwrap_or_default().to_owned();
            (error.line(), error.column(), message)
        });
        self.or_report(path, read)
    }

    /// The parsed value of a TOML file.
    pub(super) fn toml(&mut self, path: &str) -> Option<Value> {
        let text = self.text(path)?;
        let values = Values::read(Format::Toml, &text);
        let read = match (values.broken, values.roots.first()) {
            (None, Some(&root)) => return Some(Values { broken: None, ..values }.json(root)),
            (None, None) => return None,
            (Some((span, message)), _) => {
                let (line, column) = position(&text, span);
                Err((line, column, message))
            }
        };
        self.or_report(path, read)
    }

    /// Records a problem at a span of the file at `path`.
    pub(super) fn report(&mut self, path: &str, text: &str, span: Span, message: &str) {
        let (line, column) = position(text, span);
        self.problems.push(format!("{path}:{line}:{column}: {message}; file skipped"));
    }

    /// The parsed value of a YAML file.
    pub(super) fn yaml(&mut self, path: &str) -> Option<Value> {
        let text = self.text(path)?;
        let read = serde_saphyr::from_str::<Value>(&text).map_err(|error| {
            let error = error.without_snippet();
            let position = error.location().map_or((1, 1), |at| (at.line(), at.column()));
            let message = error.to_string().lines().next().unwrap_or_default().to_owned();
            let number = |number: u64| usize::try_from(number).unwrap_or(1);
            (number(position.0), number(position.1), message)
        });
        self.or_report(path, read)
    }

    fn or_report(
        &mut self,
        path: &str,
        read: Result<Value, (usize, usize, String)>,
    ) -> Option<Value> {
        read.map_err(|(line, column, message)| {
            self.problems.push(format!("{path}:{line}:{column}: {message}; file skipped"));
        })
        .ok()
    }
}

/// The line and column at which a span begins.
fn position(text: &str, span: Span) -> (usize, usize) {
    let before = &text[..text.floor_char_boundary(span.start as usize)];
    let line_start = before.rfind('\n').map_or(0, |end| end + 1);
    (before.matches('\n').count() + 1, before[line_start..].chars().count() + 1)
}

/// The path of `name` in `folder`, which is empty for the root.
pub(super) fn join(folder: &str, name: &str) -> String {
    if folder.is_empty() { name.to_owned() } else { format!("{folder}/{name}") }
}

/// The directory that `path` refers to in a manifest in `folder`; `None` when it is outside the
/// root.
pub(super) fn resolve(folder: &str, path: &str) -> Option<String> {
    let mut parts: Vec<&str> = folder.split('/').filter(|part| !part.is_empty()).collect();
    for part in path.split(['/', '\\']) {
        match part {
            "" | "." => {}
            ".." => {
                parts.pop()?;
            }
            part if part.contains(':') => return None,
            part => parts.push(part),
        }
    }
    Some(parts.join("/"))
}
