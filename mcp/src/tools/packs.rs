//! The memory packs of a ticket.

use crate::context::Context;
use crate::profile::Profile;
use crate::tool::{Answer, Choice, Tool, ToolError};
use crate::tools::checks::pack_gate::note_served;
use aidd_engine::workspace::project::Project;
use aidd_index::query::Reader;
use aidd_pack::current::settings;
use aidd_pack::{Gathered, Limits, PackError, PackKind, gather, place};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

/// The tools of the packs.
#[must_use]
pub fn tools() -> Vec<Tool> {
    vec![
        Tool::new(
            "aidd_pack",
            "Memory packs",
            "Returns a memory pack of a ticket: what holds (semantic), decisions, or code (rlm). Use \
             before reading whole documents; use the action slice for a single question.",
            pack,
        )
        .non_destructive()
        .idempotent()
        .with_choice(CHOICE)
        .in_profiles(&[Profile::Memory, Profile::Plan]),
    ]
}

/// The arguments of each action.
const CHOICE: Choice = Choice {
    argument: "action",
    default: "show",
    allowed: &[(&["show"], &["pack"]), (&["slice"], &["query"])],
};

impl From<PackError> for ToolError {
    fn from(error: PackError) -> Self {
        match error {
            PackError::Memory(error) => error.into(),
            PackError::Index(error) => error.into(),
            PackError::Io { .. } => {
                let remedy = "check that the directory is writable and the disk is not full";
                Self::new(error.to_string()).remedy(remedy)
            }
            other => Self::new(other.to_string()),
        }
    }
}

#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Deserialize, JsonSchema)]
#[serde(rename_all = "lowercase")]
enum Action {
    #[default]
    Show,
    Slice,
    Build,
    Verify,
}

#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Deserialize, JsonSchema)]
#[serde(rename_all = "lowercase")]
enum Name {
    #[default]
    Semantic,
    Decisions,
    Rlm,
    Log,
}

#[derive(Deserialize, JsonSchema)]
struct PackParams {
    #[serde(default)]
    action: Option<Action>,
    /// Default: the ticket of the branch
    ticket: Option<String>,
    #[serde(default)]
    pack: Option<Name>,
    /// Words, a topic or an id
    query: Option<String>,
}

#[derive(Serialize, JsonSchema)]
struct PackAnswer {
    ticket: String,
    text: String,
    /// Paths of the packs.
    paths: Vec<String>,
}

fn pack(context: &Context, params: PackParams) -> Result<Answer<PackAnswer>, ToolError> {
    let project = context.project()?;
    let config = settings(&project);
    let gathered = gather(&project, params.ticket.as_deref(), Limits::from(&config))?;
    let action = params.action.unwrap_or_default();
    let (text, paths) = match action {
        Action::Show => {
            let kind = match params.pack.unwrap_or_default() {
                Name::Semantic => PackKind::Semantic,
                Name::Decisions => PackKind::Decisions,
                Name::Rlm => PackKind::Rlm,
                Name::Log => PackKind::Log,
            };
            serve(context, &project, &gathered, kind)?
        }
        Action::Slice => {
            let query = params.query.filter(|query| !query.trim().is_empty());
            let query = query.ok_or_else(|| {
                ToolError::new("`query` is missing").remedy("pass words, a topic or an id")
            })?;
            let reader = reader(context, &project, false)?;
            let slice = gathered.slice(&query, reader.as_ref())?;
            slice.write(context.root())?;
            place::set_tracked(context.root(), config.tracks_packs())?;
            note_served(context, gathered.ticket(), &slice.path)?;
            (slice.text, vec![slice.path])
        }
        Action::Build => {
            let reader = reader(context, &project, true)?;
            let (mut text, mut paths) = (String::new(), Vec::new());
            for pack in gathered.packs(reader.as_ref())? {
                let state = if pack.write(context.root())? { "written" } else { "current" };
                text.push_str(&format!("{state} {}\n", pack.path));
                paths.push(pack.path);
            }
            place::set_tracked(context.root(), config.tracks_packs())?;
            (text, paths)
        }
        Action::Verify => {
            let reader = reader(context, &project, false)?;
            let problems = gathered.verify(reader.as_ref())?;
            let lines = problems.iter().map(|problem| {
                format!("{}: {}: {}\n", problem.path, problem.code, problem.message)
            });
            let mut text: String = lines.collect();
            if problems.is_empty() {
                text = format!("the packs of {} are valid and current", gathered.ticket());
            }
            (text, problems.into_iter().map(|problem| problem.path).collect())
        }
    };
    let answer = PackAnswer { ticket: gathered.ticket().to_owned(), text: text.clone(), paths };
    Ok(Answer::new(answer, text))
}

/// The code index; with `create`, it is created if there is none.
fn reader(context: &Context, project: &Project, create: bool) -> Result<Option<Reader>, ToolError> {
    if !create && !aidd_index::store::exists(context.root()) {
        return Ok(None);
    }
    Ok(Some(context.index(project)?.0))
}

/// The current text of a pack; notes that it was served.
fn serve(
    context: &Context,
    project: &Project,
    gathered: &Gathered<'_>,
    kind: PackKind,
) -> Result<(String, Vec<String>), ToolError> {
    let reader = reader(context, project, false)?;
    let pack = gathered.pack(kind, reader.as_ref())?;
    match note_served(context, gathered.ticket(), &pack.path) {
        // A pack can be read in a project that cannot be written.
        Err(error) if error.message.starts_with(NOT_SAVED) => {}
        result => result?,
    }
    Ok((pack.text, vec![pack.path]))
}

/// The start of the error if the memory cannot be written.
const NOT_SAVED: &str = "nothing can be saved";

/// The values for an argument of the template of packs; `None` for another template or argument.
pub(crate) fn completions(uri: &str, argument: &str) -> Option<Vec<String>> {
    let values: &[&str] = match argument {
        "ticket" => &["current"],
        "pack" => &["semantic", "decisions", "rlm"],
        _ => return None,
    };
    let is_packs = uri.starts_with("aidd://packs/");
    is_packs.then(|| values.iter().map(|value| (*value).to_owned()).collect())
}

/// The pack at `TICKET/NAME` of a resource.
pub(crate) fn resource(context: &Context, address: &str) -> Result<String, ToolError> {
    let (ticket, name) = address
        .split_once('/')
        .ok_or_else(|| ToolError::new("expected aidd://packs/TICKET/NAME"))?;
    let kind = PackKind::named(name)?;
    let project = context.project()?;
    let ticket = Some(ticket).filter(|ticket| *ticket != "current");
    let gathered = gather(&project, ticket, Limits::from(&settings(&project)))?;
    Ok(serve(context, &project, &gathered, kind)?.0)
}

#[cfg(test)]
mod tests;
