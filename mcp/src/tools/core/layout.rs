//! Creates the first guidance pages of a project.

use crate::context::Context;
use crate::profile::Profile;
use crate::tool::{Answer, Tool, ToolError};
use aidd_guidance::scaffold::{File, Preset, files};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use std::fmt::Write as _;
use std::fs;
use std::io::{ErrorKind, Write as _};

pub(super) fn tools() -> Vec<Tool> {
    vec![
        Tool::new(
            "aidd_scaffold",
            "Create guidance",
            "Creates initial guidance pages without overwriting files. Use in a project without them.",
            scaffold,
        )
        .writes()
        .idempotent()
        .in_profiles(&[Profile::Core]),
    ]
}

#[derive(Clone, Copy, Default, Deserialize, JsonSchema)]
#[serde(rename_all = "lowercase")]
enum Size {
    Minimal,
    #[default]
    Standard,
    Full,
}

#[derive(Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
struct ScaffoldParams {
    #[serde(default)]
    preset: Size,
    /// Only preview the files
    #[serde(default)]
    dry_run: bool,
    /// Directory in the project, for a monorepo
    path: Option<String>,
}

#[derive(Default, Serialize, JsonSchema)]
struct ScaffoldResult {
    created: Vec<String>,
    /// Existing files, unchanged.
    kept: Vec<String>,
    /// Patch of a dry run.
    #[serde(skip_serializing_if = "Option::is_none")]
    diff: Option<String>,
}

fn scaffold(context: &Context, given: ScaffoldParams) -> Result<Answer<ScaffoldResult>, ToolError> {
    let preset = match given.preset {
        Size::Minimal => Preset::Minimal,
        Size::Standard => Preset::Standard,
        Size::Full => Preset::Full,
    };
    let base = match given.path.as_deref() {
        None | Some("." | "./") => String::new(),
        Some(path) => {
            let named = |error: ToolError| ToolError::new(format!("`path`: {error}"));
            context.for_new(path).map_err(named)?
        }
    };
    let config = context.project()?.config.content.clone().unwrap_or_default();
    let library = context.library()?;
    let mut laid = ScaffoldResult::default();
    let mut diff = String::new();
    for mut file in files(&library, &config, preset) {
        if !base.is_empty() {
            file.path = format!("{base}/{}", file.path);
        }
        // A link in the path can lead outside the project.
        file.path = context.for_new(&file.path)?;
        if given.dry_run {
            let there = context.root().join(&file.path).symlink_metadata().is_ok();
            if there { &mut laid.kept } else { &mut laid.created }.push(file.path.clone());
            if !there {
                new_file_diff(&file, &mut diff);
            }
        } else if write(context, &file)? {
            laid.created.push(file.path);
        } else {
            laid.kept.push(file.path);
        }
    }
    let verb = if given.dry_run { "Would write" } else { "Wrote" };
    let list =
        |names: &[String]| if names.is_empty() { "nothing".to_owned() } else { names.join(", ") };
    let mut text = format!("{verb} {}. Existing: {}.", list(&laid.created), list(&laid.kept));
    if given.dry_run {
        let _ = write!(text, "\n\n{diff}");
        laid.diff = Some(diff);
    }
    Ok(Answer::new(laid, text.trim_end()))
}

/// Renders a new file as a diff.
fn new_file_diff(file: &File, diff: &mut String) {
    let lines = file.text.lines().count();
    let _ = write!(diff, "--- /dev/null\n+++ b/{}\n@@ -0,0 +1,{lines} @@\n", file.path);
    for line in file.text.lines() {
        let _ = writeln!(diff, "+{line}");
    }
}

/// Writes a file; returns false if it already exists.
fn write(context: &Context, file: &File) -> Result<bool, ToolError> {
    let said = |error: std::io::Error| ToolError::new(format!("{}: {error}", file.path));
    let path = context.root().join(&file.path);
    if let Some(folder) = path.parent() {
        fs::create_dir_all(folder).map_err(said)?;
    }
    match fs::OpenOptions::new().write(true).create_new(true).open(&path) {
        Ok(mut new) => new.write_all(file.text.as_bytes()).map_err(said).map(|()| true),
        Err(error) if error.kind() == ErrorKind::AlreadyExists => Ok(false),
        Err(error) => Err(said(error)),
    }
}
