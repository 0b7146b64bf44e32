//! Checks which files a change touches.

use super::{CHANGE, CheckedText, CommitError, Fault, Touch};
use crate::text::paths::Globs;
use crate::text::source::Span;
use aidd_page::ChangeHeader;

/// The compiled `change` check of a page: files that must be touched or added with others.
#[derive(Debug)]
pub(super) struct Touched {
    header: ChangeHeader,
    /// Files that trigger the check; `None`: every change does.
    touches: Option<Globs>,
    /// Files that are excluded and not counted.
    excluded: Option<Globs>,
    requires: Vec<(String, Globs)>,
    added: Vec<(String, Globs)>,
}

impl Touched {
    pub(super) fn new(header: &ChangeHeader, base: &str) -> Result<Self, CommitError> {
        let globs = |globs: &[&str]| {
            if globs.iter().any(|glob| glob.is_empty()) {
                return Err(CommitError::EmptyGlob);
            }
            Ok(Globs::below(base, globs, &[])?)
        };
        // `a | b` matches either glob.
        let either = |all: &[String]| -> Result<Vec<(String, Globs)>, CommitError> {
            all.iter()
                .map(|one| {
                    let parts: Vec<&str> = one.split('|').map(str::trim).collect();
                    Ok((one.clone(), globs(&parts)?))
                })
                .collect()
        };
        let touches: Vec<&str> = header.touches.iter().map(String::as_str).collect();
        Ok(Self {
            touches: if touches.is_empty() { None } else { Some(globs(&touches)?) },
            excluded: None,
            requires: either(&header.requires)?,
            added: either(&header.added)?,
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
    pub(super) fn check(&self, touched: &[Touch]) -> CheckedText {
        let is_met = |touch: &&Touch| {
            self.touches.as_ref().is_none_or(|globs| globs.matches(&touch.path))
                && !self.excluded.as_ref().is_some_and(|globs| globs.matches(&touch.path))
        };
        let mut met: Vec<&Touch> = touched.iter().filter(is_met).collect();
        met.sort();
        let mut reported =
            CheckedText { path: CHANGE.to_owned(), text: String::new(), faults: Vec::new() };
        let Some(first) = met.first() else { return reported };
        reported.text = met.iter().map(|touch| format!("{}\n", touch.path)).collect();
        let span = Span::new(0, first.path.len());
        let what = self.subject(&met);
        for (shown, globs) in &self.requires {
            if !touched.iter().any(|touch| globs.matches(&touch.path)) {
                let message = format!("{what} but not `{shown}`");
                reported.faults.push(Fault::new(span, message));
            }
        }
        for (shown, globs) in &self.added {
            // The triggering files that match the required glob themselves must all be new.
            let own = || met.iter().filter(|touch| globs.matches(&touch.path));
            if let Some(old) = own().find(|touch| !touch.added) {
                let before = met.iter().take_while(|touch| touch != &old);
                let start = before.map(|touch| touch.path.len() + 1).sum::<usize>();
                let span = Span::new(start, start + old.path.len());
                let message = format!("the change touches the existing file `{}`", old.path);
                reported.faults.push(Fault::new(span, message));
            } else if own().next().is_none()
                && !touched.iter().any(|touch| touch.added && globs.matches(&touch.path))
            {
                let message = format!("{what} but adds no `{shown}`");
                reported.faults.push(Fault::new(span, message));
            }
        }
        self.size(&met, span, &mut reported.faults);
        reported
    }

    fn subject(&self, met: &[&Touch]) -> String {
        let first = met.first().map_or("", |touch| touch.path.as_str());
        match met.len().saturating_sub(1) {
            0 => format!("the change touches `{first}`"),
            more => format!("the change touches `{first}` and {more} more"),
        }
    }

    fn size(&self, met: &[&Touch], span: Span, faults: &mut Vec<Fault>) {
        let files = met.len() as u64;
        if let Some(max) = self.header.max_files.filter(|max| files > *max) {
            let message = format!("the change touches {files} files, more than {max}");
            faults.push(
                Fault::new(span, message)
                    .with_help("split it: smaller changes are easier to review"),
            );
        }
        let lines = met.iter().map(|touch| touch.lines).sum::<u64>();
        if let Some(max) = self.header.max_lines.filter(|max| lines > *max) {
            let message = format!("the change adds and removes {lines} lines, more than {max}");
            faults.push(
                Fault::new(span, message)
                    .with_help("split it: smaller changes are easier to review"),
            );
        }
    }
}
