//! Versions: the installed version of a package, and the steps to another version.

use super::entries::unknown_entry;
use super::render::{self, VersionGroup, render_plan};
use super::{find_outdated_usage, related_memories};
use crate::context::Context;
use crate::profile::Profile;
use crate::tool::{Answer, Tool, ToolError};
use crate::tools::memory::render::Row;
use aidd_engine::project::stack::installed::InstalledPackages;
use aidd_engine::project::stack::{self, Dependency, Ecosystem, Manifest, Stack, Version};
use aidd_engine::text::files::Disk;
use aidd_engine::text::nearest::nearest;
use aidd_guidance::instructions::CommandRules;
use aidd_guidance::knowledge::{Entry, Knowledge};
use aidd_guidance::legacy::{self, SearchRequest, SearchResults};
use aidd_guidance::migration;
use aidd_guidance::versions::{self, MemoryMention, VerifiedVersion, VersionContext};
use aidd_memory::times;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use serde_json::{Value, json};
use std::fmt::Write as _;

/// Maximum number of packages in an answer.
const MAX_PACKAGES: usize = 40;
/// Maximum number of files that declare the version of a runtime.
const MAX_DECLARED: usize = 3;
/// Maximum number of memories per package.
const MAX_MEMORIES: usize = 5;
/// Maximum number of packages whose memories are searched.
const MAX_RECALLED_PACKAGES: usize = 12;

pub(super) fn tools() -> Vec<Tool> {
    vec![
        Tool::new(
            "aidd_verify_version",
            "Verify versions",
            "Returns the installed versions of packages, their documentation, and outdated API \
             uses in the code, with evidence. Use before writing code against a library.",
            verify,
        )
        .with_spellings(&[("packageJsonPath", "path")])
        .in_profiles(&[Profile::Tools]),
        Tool::new(
            "aidd_plan_migration",
            "Plan migration",
            "Lists the steps of a migration to another version or technology: breaking changes, \
             codemods, commands and outdated code. Use before an upgrade.",
            plan,
        )
        .with_spellings(&[("technology", "framework")])
        .in_profiles(&[Profile::Tools]),
    ]
}

#[derive(Deserialize, JsonSchema)]
struct VerifyParams {
    /// Packages; default: all with an entry in the knowledge base
    #[serde(default)]
    packages: Vec<String>,
    /// Manifest, directory or source file to examine; default: the whole project
    path: Option<String>,
}

#[derive(Serialize, JsonSchema)]
struct Versions {
    packages: Vec<Row>,
    /// Versions of runtimes, package managers and container images.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    declared: Vec<String>,
    /// Number of files searched for outdated API uses.
    searched: usize,
    #[serde(skip_serializing_if = "Vec::is_empty")]
    unknown: Vec<String>,
    #[serde(skip_serializing_if = "Vec::is_empty")]
    notes: Vec<String>,
}

/// Resolves a path relative to the root. The result for the root is an empty string.
fn resolve_path(context: &Context, requested: Option<&str>) -> Result<String, ToolError> {
    let Some(requested) = requested else { return Ok(String::new()) };
    let path = context.to_relative(requested)?;
    if !context.root().join(&path).exists() {
        return Err(ToolError::new(format!("`{requested}` does not exist"))
            .remedy("pass a manifest such as package.json, a directory or a source file"));
    }
    Ok(path)
}

/// The directory of a path.
fn directory_of<'p>(context: &Context, path: &'p str) -> &'p str {
    if context.root().join(path).is_dir() {
        return path;
    }
    path.rsplit_once('/').map_or("", |(folder, _)| folder)
}

/// The manifests for a path: all manifests in a directory, or the manifests nearest to a file.
fn manifests_for<'s>(context: &Context, stack: &'s Stack, path: &str) -> Vec<&'s Manifest> {
    let is_below = |manifest: &&Manifest| {
        path.is_empty()
            || manifest.path.strip_prefix(path).is_some_and(|rest| rest.starts_with('/'))
    };
    let below: Vec<&Manifest> = stack.manifests.iter().filter(is_below).collect();
    if !below.is_empty() && directory_of(context, path) == path {
        return below;
    }
    stack.nearest(path)
}

/// The requested dependencies, and the requested names that occur in no manifest.
fn select_dependencies<'s>(
    stack: &'s Stack,
    knowledge: &Knowledge<'_>,
    params: &VerifyParams,
    manifests: &[&'s Manifest],
) -> (Vec<(&'s Manifest, &'s Dependency)>, Vec<String>) {
    let is_selected =
        |manifest: &Manifest| manifests.iter().any(|other| other.path == manifest.path);
    let all = stack.dependencies().filter(|(manifest, _)| is_selected(manifest));
    let all: Vec<(&Manifest, &Dependency)> = all.collect();
    let has_entry = |(manifest, dependency): &(&Manifest, &Dependency)| {
        let package = (manifest.ecosystem.word(), &*dependency.name);
        knowledge.entries().iter().any(|entry| entry.packages.contains(&package))
    };
    if params.packages.is_empty() {
        return (all.into_iter().filter(has_entry).collect(), Vec::new());
    }
    let (mut found, mut unknown) = (Vec::new(), Vec::new());
    for name in &params.packages {
        // Exact names only: `react` is not `react-router`.
        let entry = knowledge.find(name).ok();
        let matches_name = |(manifest, dependency): &&(&Manifest, &Dependency)| {
            let package = (manifest.ecosystem.word(), &*dependency.name);
            // Users often write only the artifact id of Maven coordinates.
            let artifact = dependency.name.rsplit_once(':').map(|(_, artifact)| artifact);
            // The last element of a Go module is its common name: `example.com/a/echo/v4`.
            let is_go = manifest.ecosystem == Ecosystem::Go;
            let module = dependency.name.rsplit('/').find(|part| !is_major_version(part));
            dependency.name == *name
                || dependency.alias.as_ref() == Some(name)
                || artifact == Some(name.as_str())
                || is_go && module == Some(name.as_str())
                || entry.is_some_and(|entry| entry.packages.contains(&package))
        };
        let hits: Vec<_> = all.iter().filter(matches_name).copied().collect();
        if hits.is_empty() {
            unknown.push(name.clone());
        }
        found.extend(hits);
    }
    (found, unknown)
}

/// Whether an element of a Go module is its major version: `v4`.
fn is_major_version(part: &str) -> bool {
    part.strip_prefix('v').is_some_and(|number| number.parse::<u32>().is_ok())
}

/// Removes the names of runtimes, package managers and images whose version the project declares
/// from `unknown`, and returns the declarations, one line each.
fn take_declared(
    stack: &Stack,
    knowledge: &Knowledge<'_>,
    unknown: &mut Vec<String>,
) -> Vec<String> {
    let mut lines = Vec::new();
    unknown.retain(|name| {
        let entry = knowledge.find(name).ok();
        let is_named = |other: &str| {
            let is_entry =
                |entry: &Entry<'_>| entry.names().any(|it| it.eq_ignore_ascii_case(other));
            other.eq_ignore_ascii_case(name) || entry.is_some_and(is_entry)
        };
        let pins = stack.pins.iter().filter(|pin| is_named(&pin.name));
        let pins = pins.map(|pin| (&pin.path, &pin.name, &pin.version));
        let images = stack.images.iter().filter(|image| is_named(&image.name));
        let images =
            images.filter_map(|image| Some((&image.path, &image.name, image.tag.as_ref()?)));
        let mut declared: Vec<String> = Vec::new();
        for (path, name, version) in pins.chain(images) {
            let line = format!("{path} specifies {name} {version}");
            if !declared.contains(&line) {
                declared.push(line);
            }
        }
        let more = declared.len().saturating_sub(MAX_DECLARED);
        declared.truncate(MAX_DECLARED);
        let is_unknown = declared.is_empty();
        if !is_unknown {
            let more = if more > 0 { format!("; and {more} more") } else { String::new() };
            lines.push(format!("{name}: {}{more}", declared.join("; ")));
        }
        is_unknown
    });
    lines
}

fn outdated_usage_request<'e>(entry: &'e Entry<'_>, stack: &Stack) -> SearchRequest<'e> {
    let version = entry.version_in(stack).map(|(version, _)| version);
    SearchRequest {
        name: entry.name,
        ecosystems: entry.packages.iter().map(|(ecosystem, _)| *ecosystem).collect(),
        patterns: legacy::outdated_patterns(entry, version.as_ref()),
    }
}

fn verify(context: &Context, params: VerifyParams) -> Result<Answer<Versions>, ToolError> {
    let library = context.library()?;
    let knowledge = Knowledge::new(&library);
    let disk = Disk::new(context.root());
    let path = resolve_path(context, params.path.as_deref())?;
    let folder = directory_of(context, &path);
    let mut stack = stack::detect_at(&disk, folder);
    stack.images = stack::detect_with_images(&disk).images;
    let manifests = manifests_for(context, &stack, &path);
    let (mut packages, mut unknown) = select_dependencies(&stack, &knowledge, &params, &manifests);
    let declared = take_declared(&stack, &knowledge, &mut unknown);
    let mut notes = stack.problems.clone();
    if !path.is_empty() && manifests.is_empty() {
        notes.push(format!("no manifest at or above {path}"));
    }
    if packages.is_empty() && unknown.is_empty() && declared.is_empty() {
        notes.push(
            "no package with a knowledge entry found; pass other packages in `packages`".to_owned(),
        );
    }
    if packages.len() > MAX_PACKAGES {
        notes.push(format!(
            "only {MAX_PACKAGES} of {} packages are listed; name others in `packages`",
            packages.len()
        ));
        packages.truncate(MAX_PACKAGES);
    }
    let entries: Vec<&Entry<'_>> = knowledge
        .entries()
        .iter()
        .filter(|entry| {
            packages.iter().any(|(manifest, dependency)| {
                entry.packages.contains(&(manifest.ecosystem.word(), &*dependency.name))
            })
        })
        .collect();
    let requests: Vec<SearchRequest<'_>> =
        entries.iter().map(|entry| outdated_usage_request(entry, &stack)).collect();
    // For a path inside a package, the whole package is searched.
    let nearest = manifests.first().map_or("", |manifest| manifest.folder());
    let base = if manifests.len() == 1 { nearest } else { folder };
    let below = Some(base).filter(|folder| !folder.is_empty());
    let SearchResults { found, files, notes: search_notes } =
        find_outdated_usage(context, below, &requests)?;
    notes.extend(search_notes);
    let memories = memories(context, &packages)?;
    let installs = InstalledPackages::new(&disk);
    let version_context = VersionContext {
        installs: &installs,
        stack: &stack,
        library: &library,
        knowledge: &knowledge,
        memories: &memories,
        outdated_uses: &found,
        searched: files,
        today: Some(times::date(context.now())),
    };
    let mut verified: Vec<VerifiedVersion> = packages
        .iter()
        .map(|(manifest, dependency)| versions::verify(&version_context, manifest, dependency))
        .collect();
    verified.sort_by_key(|package| package.confidence);
    notes.extend(installs.problems());
    let names: Vec<&str> = stack.dependencies().map(|(_, dependency)| &*dependency.name).collect();
    let groups = render::group(&verified);
    let text = render_versions(&groups, &declared, (&unknown, &names), &notes);
    let rows = groups.iter().map(|VersionGroup { package, manifests }| {
        Row::from_value(json!({
            "package": package.package,
            "manifest": package.manifest,
            "manifests": manifests,
            "wanted": package.wanted,
            "locked": package.locked,
            "confidence": package.confidence,
            "steps": package.steps,
        }))
    });
    let data = Versions { packages: rows.collect(), declared, searched: files, unknown, notes };
    Ok(Answer::new(data, text))
}

/// The memories that mention the packages.
fn memories(
    context: &Context,
    packages: &[(&Manifest, &Dependency)],
) -> Result<Vec<MemoryMention>, ToolError> {
    let mut found: Vec<MemoryMention> = Vec::new();
    for (_, dependency) in packages.iter().take(MAX_RECALLED_PACKAGES) {
        for hit in related_memories(context, &dependency.name, MAX_MEMORIES)?.hits {
            if !found.iter().any(|known| known.id == hit.id) {
                found.push(MemoryMention {
                    text: format!("{}\n{}", hit.title, hit.snippet),
                    id: hit.id,
                });
            }
        }
    }
    Ok(found)
}

fn render_versions(
    groups: &[VersionGroup<'_>],
    declared: &[String],
    (unknown, names): (&[String], &[&str]),
    notes: &[String],
) -> String {
    let (mut text, _) = render::render_groups(groups);
    for line in declared {
        let _ = writeln!(text, "{line}");
    }
    for name in unknown {
        let artifacts = names.iter().filter_map(|name| Some(name.rsplit_once(':')?.1));
        let near = nearest(name, names.iter().copied().chain(artifacts));
        let near = near.map(|near| format!("; did you mean {near}?")).unwrap_or_default();
        let _ = writeln!(text, "{name}: not found in any manifest{near}");
    }
    for note in notes {
        let _ = writeln!(text, "note: {note}");
    }
    text.trim_end().to_owned()
}

#[derive(Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
struct MigrationParams {
    /// Technology or package to migrate
    framework: String,
    /// Version to migrate from; default: the version in the project
    current_version: Option<String>,
    /// Version or technology to migrate to; default: the latest known version
    target_version: Option<String>,
}

#[derive(Serialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
struct MigrationResult {
    technology: String,
    from: String,
    to: String,
    hops: Vec<String>,
    steps: Vec<Row>,
    guardrails: Vec<String>,
    #[serde(rename = "oldForms", skip_serializing_if = "Vec::is_empty")]
    outdated_uses: Vec<Row>,
    #[serde(skip_serializing_if = "Vec::is_empty")]
    notes: Vec<String>,
}

fn plan(context: &Context, params: MigrationParams) -> Result<Answer<MigrationResult>, ToolError> {
    let library = context.library()?;
    let knowledge = Knowledge::new(&library);
    let disk = Disk::new(context.root());
    let stack = stack::detect_with_images(&disk);
    let commands = CommandRules::new(&library.instructions, &stack, &disk);
    let to = params.target_version.as_deref();
    let entry = knowledge
        .find(&params.framework)
        .map_err(|near| unknown_entry(&params.framework, &near))?;
    // Pass all outdated API patterns; the plan selects the patterns between the two versions.
    let outdated = SearchRequest {
        patterns: entry.legacy.iter().collect(),
        ..outdated_usage_request(entry, &stack)
    };
    let import_patterns = legacy::import_patterns(entry);
    let uses = SearchRequest { patterns: import_patterns.iter().collect(), ..outdated.clone() };
    let is_leaving = to.is_some_and(|to| Version::read(to).is_none());
    let mut search = find_outdated_usage(context, None, &[outdated])?;
    let uses = if is_leaving {
        find_outdated_usage(context, None, &[uses])?
    } else {
        SearchResults::default()
    };
    search.notes.extend(uses.notes);
    let plan_params = migration::PlanParams {
        from: params.current_version.as_deref(),
        to,
        outdated_uses: &search.found,
        uses: &uses.found,
        commands: Some(&commands),
    };
    let mut plan = migration::plan(entry, plan_params, &knowledge, &stack)
        .map_err(|error| ToolError::new(error.to_string()))?;
    plan.notes.extend(search.notes);
    let text = render_plan(entry, &plan);
    let steps = plan.steps.iter().enumerate().map(|(index, step)| {
        let mut row = Row::from_value(step);
        row.0.insert("number".to_owned(), Value::from(index + 1));
        row
    });
    let data = MigrationResult {
        technology: entry.name.to_owned(),
        steps: steps.collect(),
        outdated_uses: search.found.iter().map(Row::from_value).collect(),
        from: plan.from,
        to: plan.to,
        hops: plan.hops,
        guardrails: plan.guardrails,
        notes: plan.notes,
    };
    Ok(Answer::new(data, text))
}
