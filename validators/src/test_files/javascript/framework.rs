//! The test framework of a file, from its imports or from the settings of the project.

use aidd_engine::text::files::{Files, side_file};

/// A test framework in JavaScript.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Framework {
    Jest,
    Vitest,
    Mocha,
    Node,
    Bun,
    Playwright,
    Cypress,
    /// A framework with another interface: ava, tape, tap, uvu.
    Foreign,
    Unknown,
}

/// The packages whose presence in `package.json` decides; the first that is present applies.
const PACKAGES: [(&str, Framework); 5] = [
    ("vitest", Framework::Vitest),
    ("jest", Framework::Jest),
    ("@playwright/test", Framework::Playwright),
    ("mocha", Framework::Mocha),
    ("cypress", Framework::Cypress),
];

impl Framework {
    /// The framework whose functions the module exports.
    pub(super) fn of_module(module: &str) -> Option<Self> {
        Some(match module {
            "@jest/globals" => Self::Jest,
            "vitest" | "vite-plus/test" => Self::Vitest,
            "mocha" => Self::Mocha,
            "node:test" => Self::Node,
            "bun:test" => Self::Bun,
            "@playwright/test" | "playwright/test" => Self::Playwright,
            "cypress" => Self::Cypress,
            "ava" | "tape" | "tap" | "uvu" | "zora" | "tape-promise/tape" | "qunit" => {
                Self::Foreign
            }
            _ => return None,
        })
    }

    /// Whether the framework runs the file, as opposed to providing assertions.
    pub(super) fn is_runner(self) -> bool {
        !matches!(self, Self::Unknown)
    }

    /// The framework that the nearest `package.json` with a test framework names, if it names only
    /// one that provides global functions.
    pub(super) fn of_project(files: &dyn Files, path: &str) -> Self {
        let mut dir = path;
        loop {
            dir = dir.rsplit_once('/').map_or("", |(dir, _)| dir);
            let manifest = if dir.is_empty() {
                "package.json".to_owned()
            } else {
                format!("{dir}/package.json")
            };
            if let Some(text) = side_file(files, &manifest) {
                let has = |name: &str| text.contains(&format!("\"{name}\""));
                let mut found = PACKAGES.iter().filter(|(name, _)| has(name));
                match (found.next(), found.next()) {
                    (Some(&(_, framework)), None) => return framework,
                    (Some(_), Some(_)) => return Self::Unknown,
                    _ => {}
                }
            }
            if dir.is_empty() {
                return Self::Unknown;
            }
        }
    }
}
