//! `aidd doctor`: prints the detected project and problems with its setup.

use crate::rules::{APPLIES_TO_NOTHING, describe_reach, invalid_pages, note_lines, problems_of};
use aidd_engine::check::{Engine, Selection};
use aidd_engine::forms;
use aidd_engine::project::config::CiConfig;
use aidd_engine::rules::rule::Rule;
use aidd_engine::text::files::read_regular;
use aidd_engine::text::finding::{FailOn, RuleId};
use aidd_engine::text::kind::{self, CONFIG_PATH, Kind, RULE_DIRS, is_memory_path};
use aidd_engine::text::paths::Globs;
use aidd_engine::text::source::Source;
use aidd_engine::workspace::project::CONFIG_LIMIT;
use aidd_engine::workspace::walk::{self, Walk};
use aidd_memory::journal::Journal;
use aidd_report::Io;
use aidd_report::exit::{Exit, UserError};
use aidd_report::gate::Policy;
use aidd_report::project::{self, Project};
use aidd_report::{number, one_line};
use anyhow::Result;
use std::collections::{BTreeMap, BTreeSet};
use std::io::Write;
use std::path::Path;

/// Maximum number of unreadable files that are listed; further files are only counted.
const MAX_LISTED: usize = 20;
/// Maximum number of further places of a problem that are named.
const MAX_PLACES: usize = 3;

/// Runs `aidd doctor`; exits with 1 if there are problems.
///
/// # Errors
/// Fails when the configuration is invalid.
pub fn run(config: Option<&Path>, io: &mut Io<'_>) -> Result<Exit> {
    let project = Project::open(io.distribution, &io.cwd, config)?;
    let engine = project.engine(&Selection::default())?;
    let rules = engine.registry().rules();
    let own_rules = rules.iter().filter(|rule| rule.path.is_some()).count();
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
        rules.len() - own_rules,
        own_rules - memory_rules,
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
    problems.extend(config_problems(&project, &engine));
    problems.extend(settings_without_effect(&project, &engine, &paths));
    problems.extend(invalid_pages(&project, &engine));
    problems.extend(unreadable_paths(&project)?);
    // Rules with a declarative check: the project's rules, and the rules that a pack enables.
    let listing =
        walk::listing(&engine, &project.disk, &Walk::over(vec![project.root().to_owned()]));
    let is_enabled_by_pack = |rule: &Rule| !rule.enabled && engine.is_enabled_anywhere(&rule.id);
    let is_valid = |rule: &&Rule| forms::problems(rule).is_empty();
    let rules_with_check =
        rules.iter().filter(|rule| rule.path.is_some() || is_enabled_by_pack(rule));
    let mut unused: Vec<&str> = Vec::new();
    let mut notes: Vec<(RuleId, String)> = Vec::new();
    for rule in rules_with_check.filter(is_valid) {
        let reach = describe_reach(&engine, rule, &project.disk, &listing);
        // A pack has rules for files that a project need not have.
        if rule.path.is_none() && reach.iter().any(|note| note == APPLIES_TO_NOTHING) {
            unused.push(&rule.id);
            continue;
        }
        notes.extend(reach.into_iter().map(|note| (rule.id.clone(), note)));
    }
    for line in note_lines(notes) {
        writeln!(io.out, "rule           {line}")?;
    }
    if let [first, rest @ ..] = &unused[..] {
        let others = match rest.len() {
            0 => String::new(),
            count => format!(" and {}", number(count, "other rule")),
        };
        let verb = if rest.is_empty() { "applies" } else { "apply" };
        writeln!(io.out, "rule           {first}{others} of packs {verb} to 0 files")?;
    }
    for problem in group_problems(&problems) {
        writeln!(io.out, "problem        {}", one_line(&problem))?;
    }
    if problems.is_empty() {
        writeln!(io.out, "no problems with the setup")?;
        return Ok(Exit::Clean);
    }
    Ok(Exit::Findings)
}

/// The problems, each message once: further places with the same message follow it.
fn group_problems(problems: &[String]) -> Vec<String> {
    let mut grouped: Vec<(&str, &str, Vec<&str>)> = Vec::new();
    for problem in problems {
        // `path:line:column: message`
        let at = problem.split_once(": ");
        let at = at.filter(|(place, _)| place.ends_with(|c: char| c.is_ascii_digit()));
        let (place, message) = at.unwrap_or(("", problem));
        let known = grouped.iter_mut().find(|(_, known, _)| !place.is_empty() && *known == message);
        match known {
            Some((.., others)) => others.push(place),
            None => grouped.push((place, message, Vec::new())),
        }
    }
    let line = |(place, message, others): (&str, &str, Vec<&str>)| {
        let separator = if place.is_empty() { "" } else { ": " };
        let line = format!("{place}{separator}{message}");
        let (named, more) = others.split_at(others.len().min(MAX_PLACES));
        match (named, more.len()) {
            ([], _) => line,
            (_, 0) => format!("{line} (also at {})", named.join(", ")),
            (_, more) => format!("{line} (also at {} and {more} more places)", named.join(", ")),
        }
    };
    grouped.into_iter().map(line).collect()
}

/// The problems that `aidd check` reports in the configuration.
fn config_problems(project: &Project, engine: &Engine) -> Vec<String> {
    let Some(path) = &project.config_path else { return Vec::new() };
    let Ok(bytes) = read_regular(path, CONFIG_LIMIT) else { return Vec::new() };
    let displayed_path = if path.starts_with(project.root()) {
        walk::relative(project.root(), path)
    } else {
        path.display().to_string()
    };
    let source = Source::decode(CONFIG_PATH, bytes);
    problems_of("aidd/invalid-config", &source, &displayed_path, (project, engine))
}

/// The settings that select nothing: paths that do not exist, globs and selectors that match
/// nothing.
fn settings_without_effect(project: &Project, engine: &Engine, paths: &[String]) -> Vec<String> {
    let mut problems = Vec::new();
    let config = &project.config;
    if config.include.as_ref().is_some_and(|globs| !globs.is_empty()) && paths.is_empty() {
        problems.push("`include` matches no file; correct its globs".to_owned());
    }
    for (key, globs) in [("include", &config.include), ("exclude", &config.exclude)] {
        for glob in globs.iter().flatten().filter(|glob| glob.starts_with('!')) {
            problems.push(format!(
                "`{key}`: `{glob}` matches nothing, because `!` does not negate a glob; delete it"
            ));
        }
    }
    for files in config.overrides.iter().flatten().map(|item| &item.files) {
        let globs = Globs::new(files, &[]);
        if globs.is_ok_and(|globs| !paths.iter().any(|path| globs.matches(path))) {
            let globs = files.join("`, `");
            problems.push(format!("`overrides`: `{globs}` matches no file; correct the globs"));
        }
    }
    if let Some(path) = &config.baseline
        && !project.baseline_path(None).exists()
    {
        problems.push(format!(
            "`baseline`: {path} does not exist; run `aidd baseline write`, or correct the path"
        ));
    }
    let dirs = config.content.as_ref().and_then(|content| content.paths.as_ref());
    for kind in ["agents", "rules", "skills", "workflows", "templates", "knowledge"] {
        let dir = dirs.and_then(|dirs| dirs.get(kind));
        if let Some(dir) = dir.filter(|dir| !project.disk.is_dir(dir)) {
            problems.push(format!(
                "`content.paths.{kind}`: {dir} is not a directory; create it, or correct the path"
            ));
        }
    }
    let default = CiConfig::default();
    let ci = config.ci.as_ref().unwrap_or(&default);
    problems.extend(Policy::new(ci, FailOn::Never, engine.registry()).1);
    problems
}

/// The files and directories that a run over the root cannot read.
fn unreadable_paths(project: &Project) -> Result<Vec<String>> {
    // One rule is enough to make the walk read every file.
    let only = vec!["aidd/invalid-config".to_owned()];
    let engine = project.engine(&Selection { only, ..Selection::default() })?;
    let root = Walk::over(vec![project.root().to_owned()]);
    let mut outcome = walk::check_tree(&engine, &project.config, &project.disk, &root, &|| ())
        .map_err(|why| UserError::new(format!("`include` or `exclude`: {why}")))?;
    outcome.skip_irregular(project.irregular());
    let failed = outcome.skipped.into_iter().filter(|skipped| skipped.failed);
    let mut unreadable: Vec<String> =
        failed.map(|skipped| format!("{}: {}", skipped.path, skipped.why)).collect();
    let count = unreadable.len();
    unreadable.truncate(MAX_LISTED);
    if count > MAX_LISTED {
        unreadable.push(format!("{} more paths cannot be read", count - MAX_LISTED));
    }
    Ok(unreadable)
}

/// The paths that a run over the root would check.
fn files(project: &Project) -> Result<Vec<String>> {
    let root = Walk::over(vec![project.root().to_owned()]);
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

#[cfg(test)]
mod tests {
    use super::group_problems;

    #[test]
    fn a_problem_of_several_pages_is_one_line() {
        let problem = |page: usize| format!("rules/{page}.md:2:1: unknown key `globs`");
        let other = "`include` matches no file".to_owned();
        let few = [problem(1), other.clone(), problem(2)];
        let line = "rules/1.md:2:1: unknown key `globs` (also at rules/2.md:2:1)";
        assert_eq!(group_problems(&few), [line.to_owned(), other]);
        let many: Vec<String> = (0..6).map(problem).collect();
        assert_eq!(
            group_problems(&many),
            ["rules/0.md:2:1: unknown key `globs` (also at rules/1.md:2:1, rules/2.md:2:1, \
              rules/3.md:2:1 and 2 more places)"]
        );
    }
}
