//! The form `layers`: which parts of the code may import which. A page's demands are compiled once
//! and judged on the import graph of the project.

mod error;
mod joined;
mod judge;
mod parts;
mod search;
#[cfg(test)]
mod tests;

pub use error::LayersError;
pub use joined::{Imports, run};

use crate::project::imports::Graph;
use crate::text::source::Span;
use aidd_page::{Judged, LayersHeader};
use parts::{Capture, Part, Things};

/// The demands of one page.
#[derive(Debug)]
pub struct Layers {
    /// From the top; those of one row do not know each other.
    order: Vec<Vec<Part>>,
    forbid: Vec<Forbid>,
    only: Vec<Only>,
    independent: Vec<Capture>,
    acyclic: Vec<Capture>,
    skips_types: bool,
    judges_tests: bool,
    transitive: bool,
}

#[derive(Debug)]
struct Forbid {
    from: Part,
    to: Things,
    except: Things,
}

#[derive(Debug)]
struct Only {
    to: Things,
    from: Part,
}

/// An import that breaks a demand.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct Breach {
    /// The file that imports.
    pub path: String,
    /// Where it says so.
    pub span: Span,
    /// What is wrong, naming both parts.
    pub message: String,
    /// The part that imports, as the page names it.
    pub from: String,
    /// The part that is imported, as the page names it.
    pub to: String,
    /// The way from the import to what must not be imported, when it is not the import itself.
    pub steps: Vec<Step>,
}

/// An import on the way from one file to another.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct Step {
    /// The file that imports.
    pub path: String,
    /// Where it says so.
    pub span: Span,
    /// What it imports.
    pub to: String,
}

impl Layers {
    /// Compiles the demands of a page. `base` is the folder that its globs start from; empty for
    /// the root.
    ///
    /// # Errors
    /// The first glob or name of a package that is malformed, and why.
    pub fn new(header: &LayersHeader, base: &str) -> Result<Self, LayersError> {
        let row = |globs: &aidd_page::Many<String>| {
            globs.iter().map(|glob| Part::new(base, std::slice::from_ref(glob))).collect()
        };
        let forbid = |one: &aidd_page::ForbidHeader| {
            Ok(Forbid {
                from: Part::new(base, &one.from)?,
                to: Things::new(base, &one.to)?,
                except: Things::new(base, &one.except)?,
            })
        };
        let only = |one: &aidd_page::OnlyHeader| {
            Ok(Only { to: Things::new(base, &one.to)?, from: Part::new(base, &one.from)? })
        };
        let captures = |globs: &[String]| -> Result<Vec<Capture>, LayersError> {
            globs.iter().map(|glob| Capture::new(base, glob)).collect()
        };
        let independent = captures(&header.independent)?;
        if let Some(plain) = independent.iter().find(|one| !one.has_names()) {
            return Err(LayersError::NoCapture(plain.shown.clone()));
        }
        Ok(Self {
            order: header.order.iter().map(row).collect::<Result<_, LayersError>>()?,
            forbid: header.forbid.iter().map(forbid).collect::<Result<_, LayersError>>()?,
            only: header.only.iter().map(only).collect::<Result<_, LayersError>>()?,
            independent,
            acyclic: captures(&header.acyclic)?,
            skips_types: header.types == Some(Judged::Skip),
            judges_tests: header.tests == Some(Judged::Check),
            transitive: header.transitive,
        })
    }

    /// Whether the page speaks of a file at `path`, on either side of an import.
    #[must_use]
    pub fn names(&self, path: &str) -> bool {
        self.order.iter().flatten().any(|part| part.holds(path))
            || self.forbid.iter().any(|one| one.from.holds(path) || one.to.holds(path))
            || self.only.iter().any(|one| one.to.holds(path) || one.from.holds(path))
            || self.independent.iter().chain(&self.acyclic).any(|one| one.key(path).is_some())
    }

    /// The imports in files that `judged` says yes to which break a demand, ordered.
    #[must_use]
    pub fn judge(&self, graph: &Graph, judged: &dyn Fn(&str) -> bool) -> Vec<Breach> {
        judge::judge(self, graph, judged)
    }
}
