//! Selects the memories of one project in a database with several projects.

use super::ImportOptions;
use crate::MemoryError;
use std::collections::BTreeMap;

/// The projects whose memories are imported.
pub(super) enum Selected {
    /// Memories of all projects are imported.
    All,
    /// The projects with these names.
    Named(Vec<String>),
}

impl Selected {
    /// Selects projects: the ones that the user named, the one with the name of the project's
    /// directory, or the only one. `counts` has the number of memories of each project.
    pub(super) fn from_options(
        options: &ImportOptions,
        counts: &BTreeMap<String, usize>,
    ) -> Result<Self, MemoryError> {
        if options.all_projects {
            return Ok(Self::All);
        }
        let missing = options.projects.iter().find(|name| !counts.contains_key(*name));
        if missing.is_none() && !options.projects.is_empty() {
            return Ok(Self::Named(options.projects.clone()));
        }
        if missing.is_none() && counts.len() <= 1 {
            return Ok(Self::All);
        }
        if let Some(root) = options.root_name.as_ref().filter(|root| counts.contains_key(*root))
            && missing.is_none()
        {
            return Ok(Self::Named(vec![root.clone()]));
        }
        let listed: Vec<String> =
            counts.iter().map(|(name, count)| format!("{name} ({count})")).collect();
        let listed = listed.join(", ");
        Err(MemoryError::Invalid(match missing {
            Some(name) => format!("the database has no project `{name}`; its projects: {listed}"),
            None => format!(
                "the database has memories of several projects: {listed}; select one with --project"
            ),
        }))
    }

    /// Whether a memory of one of these projects is imported. Memories without a project are
    /// imported.
    pub(super) fn contains<'a>(&self, projects: impl IntoIterator<Item = &'a str>) -> bool {
        let mut projects = projects.into_iter().peekable();
        match self {
            Self::All => true,
            Self::Named(names) => {
                projects.peek().is_none()
                    || projects.any(|project| names.iter().any(|name| name == project))
            }
        }
    }
}
