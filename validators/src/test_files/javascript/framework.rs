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
    /// A framework with a different interface: ava, tape, tap, uvu.
    Foreign,
    Unknown,
}

/// The packages that identify the framework if `package.json` contains exactly one of them.
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

    /// Whether the framework is known.
    pub(super) fn is_known(self) -> bool {
        !matches!(self, Self::Unknown)
    }

    /// The test framework in the nearest `package.json` that contains one; `Unknown` if it contains
    /// several.
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
