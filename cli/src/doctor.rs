//! `aidd doctor`: prints the detected project and problems with its setup.

use crate::rules::{describe_reach, invalid_pages};
use aidd_engine::check::Selection;
use aidd_engine::forms;
use aidd_engine::rules::rule::Rule;
use aidd_engine::text::kind::{self, CONFIG_PATH, Kind, RULE_DIRS, is_memory_path};
use aidd_engine::workspace::walk;
use aidd_memory::journal::Journal;
use aidd_report::Io;
use aidd_report::exit::{Exit, UserError};
use aidd_report::number;
use aidd_report::project::{self, Project};
use anyhow::Result;
use std::collections::{BTreeMap, BTreeSet};
use std::io::Write;
use std::path::Path;

/// Runs `aidd doctor`.
///
/// # Errors
/// Fails when the configuration is invalid.
pub fn run(config: Option<&Path>, io: &mut Io<'_>) -> Result<Exit> {
    let project = Project::open(io.distribution, &io.cwd, config)?;
    let engine = project.engine(&Selection::default())?;
    let rules = engine.registry().rules();
    let own = rules.iter().filter(|rule| rule.path.is_some()).count();
    let mut problems: Vec<String> = Vec::new();
    writeln!(io.out, "aidd {}", env!("CARGO_PKG_VERSION"))?;
    writeln!(io.out, "root           {}", project.root().display())?;
    let config_path =
        project.config_path.as_deref().map(|path| walk::relative(project.root(), path));
    writeln!(
        io.out,
        "configuration  {}",
        config_path.unwrap_or_else(|| format!("none ({CONFIG_PATH}); defaults apply"))
    )?;
    let is_from_memory = |rule: &&Rule| rule.path.as_deref().is_some_and(is_memory_path);
    let memory_rules = rules.iter().filter(is_from_memory).count();
    let memory = match memory_rules {
        0 => String::new(),
        count => {
            let directory = Journal::new(project.root()).folder();
            format!(", {count} from its memory ({directory})")
        }
    };
    writeln!(
        io.out,
        "rules          {} shipped, {} from the project ({}){memory}",
        rules.len() - own,
        own - memory_rules,
        RULE_DIRS.join(", ")
    )?;
    let path = project.baseline_path(None);
    let baseline = match project.baseline(&path, false) {
        Ok(None) => "none".to_owned(),
        Ok(Some(baseline)) => {
            let count = baseline.entries().map(|entry| entry.count as usize).sum();
            number(count, "finding")
        }
        Err(error) => {
            problems.push(error.to_string());
            "unreadable".to_owned()
        }
    };
    writeln!(io.out, "baseline       {baseline}")?;
    let paths = files(&project)?;
    writeln!(io.out, "files          {}", paths.len())?;
    for (kind, count) in count_kinds(&project, &paths) {
        writeln!(io.out, "  {kind:<12} {count}")?;
    }
    problems.extend(project::unread_config(&project));
    problems.extend(invalid_pages(&project));
    let irregular = project.irregular().into_iter();
    problems.extend(irregular.map(|path| format!("{path}: {}", walk::IRREGULAR)));
    for rule in rules.iter().filter(|rule| rule.path.is_some() && !is_from_memory(rule)) {
        let path = rule.path.as_deref().unwrap_or_default();
        problems.extend(forms::problems(rule).into_iter().map(|why| format!("{path}: {why}")));
    }
    // Rules with a declarative check: the project's rules, and the rules that a pack enables.
    let listing =
        walk::listing(&engine, &project.disk, &walk::Walk::over(vec![project.root().to_owned()]));
    let is_enabled_by_pack = |rule: &Rule| !rule.enabled && engine.is_enabled_anywhere(&rule.id);
    for rule in rules.iter().filter(|rule| rule.path.is_some() || is_enabled_by_pack(rule)) {
        for note in describe_reach(&engine, rule, &project.disk, &listing) {
            writeln!(io.out, "rule           {} {note}", rule.id)?;
        }
    }
    for problem in &problems {
        writeln!(io.out, "problem        {problem}")?;
    }
    if problems.is_empty() {
        writeln!(io.out, "no problems with the setup")?;
        return Ok(Exit::Clean);
    }
    Ok(Exit::Usage)
}

/// The paths that a run over the root would check.
fn files(project: &Project) -> Result<Vec<String>> {
    let root = walk::Walk::over(vec![project.root().to_owned()]);
    let paths = walk::list(&project.config, &project.disk, &root)
        .map_err(|why| UserError::new(format!("`include` or `exclude`: {why}")))?;
    Ok(paths.into_iter().collect())
}

fn count_kinds(project: &Project, paths: &[String]) -> BTreeMap<String, usize> {
    let mut counts = BTreeMap::new();
    for path in paths {
        for kind in kind::kinds(path, "")
            .into_iter()
            .chain(project.distribution().kinds(path))
            .collect::<BTreeSet<Kind>>()
        {
            *counts.entry(kind.0.to_owned()).or_default() += 1;
        }
    }
    counts
}
