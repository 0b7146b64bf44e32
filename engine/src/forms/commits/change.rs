//! Checks the files that a change touches.

use super::{CHANGE_PATH, CheckedText, CommitError, Fault, TouchedFile};
use crate::text::paths::Globs;
use crate::text::source::Span;
use aidd_page::ChangeHeader;

/// The compiled `change` check of a page: files that must be touched or added with others.
#[derive(Debug)]
pub(super) struct ChangeCheck {
    header: ChangeHeader,
    /// Files that trigger the check; `None` if every change triggers it.
    touches: Option<Globs>,
    /// Files that are excluded and not counted.
    excluded: Option<Globs>,
    requires: Vec<(String, Globs)>,
    added: Vec<(String, Globs)>,
}

impl ChangeCheck {
    pub(super) fn new(header: &ChangeHeader, base: &str) -> Result<Self, CommitError> {
        let globs = |globs: &[&str]| {
            if globs.iter().any(|glob| glob.is_empty()) {
                return Err(CommitError::EmptyGlob);
            }
            Ok(Globs::below(base, globs, &[])?)
        };
        // `a | b` matches a file that matches one of the two globs.
        let alternatives = |entries: &[String]| -> Result<Vec<(String, Globs)>, CommitError> {
            entries
                .iter()
                .map(|entry| {
                    let parts: Vec<&str> = entry.split('|').map(str::trim).collect();
                    Ok((entry.clone(), globs(&parts)?))
                })
                .collect()
        };
        let touches: Vec<&str> = header.touches.iter().map(String::as_str).collect();
        Ok(Self {
            touches: if touches.is_empty() { None } else { Some(globs(&touches)?) },
            excluded: None,
            requires: alternatives(&header.requires)?,
            added: alternatives(&header.added)?,
            header: header.clone(),
        })
    }

    pub(super) fn exclude(&mut self, exclude: &[String], base: &str) -> Result<(), CommitError> {
        if !exclude.is_empty() {
            self.excluded = Some(Globs::below(base, exclude, &[])?);
        }
        Ok(())
    }

    pub(super) fn counts_lines(&self) -> bool {
        self.header.max_lines.is_some()
    }

    /// Checks the touched files. `text` of the result lists the files that triggered the rule, one
    /// per line.
    pub(super) fn check(&self, touched: &[TouchedFile]) -> CheckedText {
        let is_trigger = |touch: &&TouchedFile| {
            self.touches.as_ref().is_none_or(|globs| globs.matches(&touch.path))
                && !self.excluded.as_ref().is_some_and(|globs| globs.matches(&touch.path))
        };
        let mut triggering: Vec<&TouchedFile> = touched.iter().filter(is_trigger).collect();
        triggering.sort();
        let mut result =
            CheckedText { path: CHANGE_PATH.to_owned(), text: String::new(), faults: Vec::new() };
        let Some(first) = triggering.first() else { return result };
        result.text = triggering.iter().map(|touch| format!("{}\n", touch.path)).collect();
        let span = Span::new(0, first.path.len());
        let subject = self.subject(&triggering);
        for (glob_text, globs) in &self.requires {
            if !touched.iter().any(|touch| globs.matches(&touch.path)) {
                let message = format!("{subject} but no file that matches `{glob_text}`");
                result.faults.push(Fault::new(span, message));
            }
        }
        for (glob_text, globs) in &self.added {
            // The triggering files that match the required glob themselves must all be new.
            let matching = || triggering.iter().filter(|touch| globs.matches(&touch.path));
            if let Some(existing) = matching().find(|touch| !touch.added) {
                let before = triggering.iter().take_while(|touch| touch != &existing);
                let start = before.map(|touch| touch.path.len() + 1).sum::<usize>();
                let span = Span::new(start, start + existing.path.len());
                let message = format!("the change touches the existing file `{}`", existing.path);
                result.faults.push(Fault::new(span, message));
            } else if matching().next().is_none()
                && !touched.iter().any(|touch| touch.added && globs.matches(&touch.path))
            {
                let message = format!("{subject} but adds no file that matches `{glob_text}`");
                result.faults.push(Fault::new(span, message));
            }
        }
        self.check_size(&triggering, span, &mut result.faults);
        result
    }

    fn subject(&self, triggering: &[&TouchedFile]) -> String {
        let first = triggering.first().map_or("", |touch| touch.path.as_str());
        match triggering.len().saturating_sub(1) {
            0 => format!("the change touches `{first}`"),
            1 => format!("the change touches `{first}` and 1 other file"),
            others => format!("the change touches `{first}` and {others} other files"),
        }
    }

    fn check_size(&self, triggering: &[&TouchedFile], span: Span, faults: &mut Vec<Fault>) {
        let files = triggering.len() as u64;
        if let Some(max) = self.header.max_files.filter(|max| files > *max) {
            let message = format!("the change touches {files} files, more than {max}");
            faults.push(
                Fault::new(span, message)
                    .with_help("split it: smaller changes are easier to review"),
            );
        }
        let lines = triggering.iter().map(|touch| touch.lines).sum::<u64>();
        if let Some(max) = self.header.max_lines.filter(|max| lines > *max) {
            let message = format!("the change adds and removes {lines} lines, more than {max}");
            faults.push(
                Fault::new(span, message)
                    .with_help("split it: smaller changes are easier to review"),
            );
        }
    }
}
