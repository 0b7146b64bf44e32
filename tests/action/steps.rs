//! The structure of `action.yml`.

use serde::Deserialize;
use std::collections::BTreeMap;
use std::fs;
use std::path::Path;

/// The parsed `action.yml`.
#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
pub(crate) struct Action {
    pub(crate) name: String,
    pub(crate) description: String,
    #[serde(rename = "author")]
    _author: String,
    #[serde(rename = "branding")]
    _branding: BTreeMap<String, String>,
    pub(crate) inputs: BTreeMap<String, Input>,
    pub(crate) outputs: BTreeMap<String, Output>,
    pub(crate) runs: Runs,
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
pub(crate) struct Input {
    pub(crate) description: String,
    pub(crate) default: String,
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
pub(crate) struct Output {
    pub(crate) description: String,
    pub(crate) value: String,
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
pub(crate) struct Runs {
    pub(crate) using: String,
    pub(crate) steps: Vec<Step>,
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields, rename_all = "kebab-case")]
pub(crate) struct Step {
    pub(crate) id: Option<String>,
    pub(crate) name: String,
    #[serde(rename = "if")]
    pub(crate) condition: Option<String>,
    pub(crate) uses: Option<String>,
    #[serde(default)]
    pub(crate) with: BTreeMap<String, String>,
    pub(crate) run: Option<String>,
    pub(crate) shell: Option<String>,
    #[serde(default)]
    pub(crate) env: BTreeMap<String, String>,
    pub(crate) working_directory: Option<String>,
    #[serde(default, rename = "continue-on-error")]
    _continue_on_error: bool,
}

/// Parses the action of this repository.
pub(crate) fn read() -> Action {
    let text = fs::read_to_string(root().join("action.yml")).expect("text");
    serde_saphyr::from_str(&text).expect("an action")
}

/// The root of this repository.
pub(crate) fn root() -> &'static Path {
    Path::new(env!("CARGO_MANIFEST_DIR"))
}
