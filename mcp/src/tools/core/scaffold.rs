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
            "Creates initial guidance pages without overwriting existing files. Use in a project \
             without guidance pages.",
            scaffold,
        )
        .non_destructive()
        .idempotent()
        .in_profiles(&[Profile::Core, Profile::Plan]),
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
    /// Whether to return a preview without writing files
    #[serde(default)]
    dry_run: bool,
    /// Target directory; default: the project root
    path: Option<String>,
}

#[derive(Default, Serialize, JsonSchema)]
struct ScaffoldResult {
    created: Vec<String>,
    /// Paths of existing files, which were not changed.
    kept: Vec<String>,
    /// Patch with the files that would be created; only for a dry run.
    #[serde(skip_serializing_if = "Option::is_none")]
    diff: Option<String>,
}

fn scaffold(
    context: &Context,
    params: ScaffoldParams,
) -> Result<Answer<ScaffoldResult>, ToolError> {
    let preset = match params.preset {
        Size::Minimal => Preset::Minimal,
        Size::Standard => Preset::Standard,
        Size::Full => Preset::Full,
    };
    let base = match params.path.as_deref() {
        None | Some("." | "./") => String::new(),
        Some(path) => {
            let in_path = |error: ToolError| ToolError::new(format!("`path`: {error}"));
            context.path_for_new_file(path).map_err(in_path)?
        }
    };
    let config = context.project()?.config.content.clone().unwrap_or_default();
    let library = context.library()?;
    let mut result = ScaffoldResult::default();
    let mut diff = String::new();
    for mut file in files(&library, &config, preset) {
        if !base.is_empty() {
            file.path = format!("{base}/{}", file.path);
        }
        // A symbolic link in the path can lead outside the project.
        file.path = context.path_for_new_file(&file.path)?;
        if params.dry_run {
            let exists = context.root().join(&file.path).symlink_metadata().is_ok();
            if exists { &mut result.kept } else { &mut result.created }.push(file.path.clone());
            if !exists {
                new_file_diff(&file, &mut diff);
            }
        } else if write(context, &file)? {
            result.created.push(file.path);
        } else {
            result.kept.push(file.path);
        }
    }
    let verb = if params.dry_run { "Would write" } else { "Wrote" };
    let list =
        |names: &[String]| if names.is_empty() { "nothing".to_owned() } else { names.join(", ") };
    let mut text = format!("{verb} {}.", list(&result.created));
    if !result.kept.is_empty() {
        let _ = write!(text, " Not changed, because already present: {}.", list(&result.kept));
    }
    if params.dry_run {
        let _ = write!(text, "\n\n{diff}");
        result.diff = Some(diff);
    }
    Ok(Answer::new(result, text.trim_end()))
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
    let to_error = |error: std::io::Error| ToolError::new(format!("{}: {error}", file.path));
    let path = context.root().join(&file.path);
    if let Some(folder) = path.parent() {
        fs::create_dir_all(folder).map_err(to_error)?;
    }
    match fs::OpenOptions::new().write(true).create_new(true).open(&path) {
        Ok(mut new) => new.write_all(file.text.as_bytes()).map_err(to_error).map(|()| true),
        Err(error) if error.kind() == ErrorKind::AlreadyExists => Ok(false),
        Err(error) => Err(to_error(error)),
    }
}
