//! The form `layers`: checks which parts of the code import which other parts. The requirements of
//! a page are compiled once and checked on the import graph of the project.

mod check;
mod error;
mod order;
mod parts;
mod project;
mod search;
#[cfg(test)]
mod tests;

pub use error::LayersError;
pub use project::{Imports, run};

use crate::project::imports::Graph;
use crate::text::source::Span;
use aidd_page::{ImportCheck, LayersHeader};
use parts::{Capture, Part, Targets};

/// The compiled `layers` check of a page.
#[derive(Debug)]
pub struct LayersCheck {
    /// The layers from top to bottom; the parts of one layer must not import each other.
    order: Vec<Vec<Part>>,
    forbid: Vec<Forbid>,
    only: Vec<Only>,
    independent: Vec<Capture>,
    acyclic: Vec<Capture>,
    packages_first: bool,
    skips_types: bool,
    checks_tests: bool,
    transitive: bool,
}

#[derive(Debug)]
struct Forbid {
    from: Part,
    to: Targets,
    except: Targets,
}

#[derive(Debug)]
struct Only {
    to: Targets,
    from: Part,
}

/// An import that violates a requirement.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct Breach {
    /// The importing file.
    pub path: String,
    /// The span of the import.
    pub span: Span,
    /// The message, which names both parts.
    pub message: String,
    /// The importing part, as written in the page.
    pub from: String,
    /// The imported part, as written in the page.
    pub to: String,
    /// The path from the import to the forbidden target, if the target is imported indirectly.
    pub steps: Vec<Step>,
}

/// An import on the path from one file to another.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct Step {
    /// The importing file.
    pub path: String,
    /// The span of the import.
    pub span: Span,
    /// The imported file or package.
    pub to: String,
}

impl LayersCheck {
    /// Compiles the check of a page. `base` is the directory that its globs are relative to; empty
    /// for the root.
    ///
    /// # Errors
    /// The first malformed glob or package name, and why.
    pub fn new(header: &LayersHeader, base: &str) -> Result<Self, LayersError> {
        let row = |globs: &aidd_page::Many<String>| {
            globs.iter().map(|glob| Part::new(base, std::slice::from_ref(glob))).collect()
        };
        let forbid = |entry: &aidd_page::ForbidHeader| {
            Ok(Forbid {
                from: Part::new(base, &entry.from)?,
                to: Targets::new(base, &entry.to)?,
                except: Targets::new(base, &entry.except)?,
            })
        };
        let only = |entry: &aidd_page::OnlyHeader| {
            Ok(Only { to: Targets::new(base, &entry.to)?, from: Part::new(base, &entry.from)? })
        };
        let captures = |globs: &[String]| -> Result<Vec<Capture>, LayersError> {
            globs.iter().map(|glob| Capture::new(base, glob)).collect()
        };
        let independent = captures(&header.independent)?;
        if let Some(plain) = independent.iter().find(|capture| !capture.has_names()) {
            return Err(LayersError::NoCapture(plain.text.clone()));
        }
        Ok(Self {
            order: header.order.iter().map(row).collect::<Result<_, LayersError>>()?,
            forbid: header.forbid.iter().map(forbid).collect::<Result<_, LayersError>>()?,
            only: header.only.iter().map(only).collect::<Result<_, LayersError>>()?,
            independent,
            acyclic: captures(&header.acyclic)?,
            packages_first: header.packages_first,
            skips_types: header.types == Some(ImportCheck::Skip),
            checks_tests: header.tests == Some(ImportCheck::Check),
            transitive: header.transitive,
        })
    }

    /// Whether a requirement of the check matches a file at `path`, as the importing or the
    /// imported file.
    #[must_use]
    pub fn applies_to(&self, path: &str) -> bool {
        self.packages_first && order::is_checked_path(path)
            || self.order.iter().flatten().any(|part| part.contains(path))
            || self.forbid.iter().any(|entry| entry.from.contains(path) || entry.to.contains(path))
            || self.only.iter().any(|entry| entry.to.contains(path) || entry.from.contains(path))
            || self
                .independent
                .iter()
                .chain(&self.acyclic)
                .any(|capture| capture.key(path).is_some())
    }

    /// The violations in files that `is_checked` accepts, sorted.
    #[must_use]
    pub fn check(&self, graph: &Graph, is_checked: &dyn Fn(&str) -> bool) -> Vec<Breach> {
        check::check(self, graph, is_checked)
    }
}
