//! `aidd init`: detects what the project uses, proposes rule packs and writes the configuration.

mod detect;

use crate::cli::Init;
use crate::clients;
use crate::git_files;
use aidd_authoring::packs::{self, Enforced, PackTrial};
use aidd_ci::progress::Progress;
use aidd_engine::project::linters::Settings;
use aidd_engine::rules::packs as engine_packs;
use aidd_engine::text::finding::Severity;
use aidd_engine::text::kind::CONFIG_PATH;
use aidd_engine::workspace::baseline;
use aidd_engine::workspace::walk::{self, Walk};
use aidd_report::exit::{Exit, UserError};
use aidd_report::project::{self, Project};
use aidd_report::{Io, When, layout, number, one_line};
use anyhow::{Context, Result};
use serde_json::{Value, json};
use std::fmt::Write as _;
use std::fs;
use std::io::Write as _;
use std::path::Path;
use std::time::Duration;

/// Maximum number of rules named that another linter enforces.
const MAX_ENFORCED: usize = 4;

/// Runs `aidd init`: lists the packs that fit, writes a configuration and the files of the named
/// agent clients, without overwriting existing content, and prints the next steps.
///
/// # Errors
/// Fails when a pack is unknown, or a file cannot be read or written.
pub fn run(args: &Init, color: When, io: &mut Io<'_>) -> Result<Exit> {
    if !args.remove {
        print_nested_note(io)?;
    }
    // Set up the clients first, so that their errors are reported before a file is written.
    if args.remove {
        clients::run(&args.clients, true, args.dry_run, io)?;
        return Ok(Exit::Clean);
    }
    check_packs(&args.packs, io)?;
    let path = io.cwd.join(CONFIG_PATH);
    let before = fs::read_to_string(&path).ok();
    if args.dry_run || !args.clients.is_empty() {
        clients::run(&args.clients, false, args.dry_run, io)?;
    }
    let mut opened = open(&io.cwd, !path.exists(), io);
    let trials = match &mut opened {
        // With clients only, the packs are a detail.
        Ok(_) if !args.clients.is_empty() && args.packs.is_empty() => Vec::new(),
        Ok(project) => propose(project, &args.packs, color, io)?,
        Err(_) => Vec::new(),
    };
    let after = match &before {
        None if path.exists() => None,
        // A configuration that `aidd init` wrote without packs can be replaced.
        Some(text) if *text != configuration(&[], &[]) => with_packs(text, &args.packs, &trials)?,
        _ => Some(configuration(&args.packs, &trials)),
    };
    let change = after.filter(|after| before.as_deref() != Some(after));
    if args.dry_run {
        if let Some(after) = &change {
            clients::print_patch(CONFIG_PATH, (before.as_deref(), Some(after)), io)?;
        }
        print_dry_run(args, io)?;
        return Ok(Exit::Clean);
    }
    if let Some(after) = &change {
        let directory = path.parent().context("the file has no parent directory")?;
        fs::create_dir_all(directory)
            .with_context(|| format!("{} cannot be created", directory.display()))?;
        fs::write(&path, after).with_context(|| CONFIG_PATH.to_owned())?;
    }
    print_enabled(&args.packs, &trials, io)?;
    let label = match (&change, &before) {
        (Some(_), None) => "wrote",
        (Some(_), Some(_)) => "changed",
        (None, _) => "unchanged:",
    };
    writeln!(io.out, "{label} {CONFIG_PATH}")?;
    if let Err(error) = &opened {
        writeln!(io.err, "error: the existing configuration is invalid")?;
        writeln!(io.err, "{error}")?;
    }
    if needs_git_files(args, &io.cwd) {
        for (name, change) in git_files::write(&io.cwd)? {
            writeln!(io.out, "{} {name}", change.label())?;
        }
    } else if git_files::repository(&io.cwd).is_none() && !args.clients.is_empty() {
        writeln!(io.err, "not in a Git repository; run `git init`, then run this command again")?;
    }
    clients::print_unconfigured_clients(io)?;
    if args.clients.is_empty() {
        print_next_steps(args, &trials, io)?;
    }
    Ok(if opened.is_err() { Exit::Usage } else { Exit::Clean })
}

/// The existing configuration with more packs, and without the rules of these packs that a linter
/// of the project enforces; `None` if there is nothing to add.
fn with_packs(text: &str, packs: &[String], trials: &[PackTrial]) -> Result<Option<String>> {
    if packs.is_empty() {
        return Ok(None);
    }
    let mut template = json!({ "compliance": packs });
    let off: serde_json::Map<String, Value> =
        enforced(packs, trials).iter().map(|one| (one.rule.to_string(), json!("off"))).collect();
    if !off.is_empty() {
        template["rules"] = Value::Object(off);
    }
    let added = clients::merge_json(text, &template.to_string());
    let added = added.map_err(|why| UserError::new(format!("{CONFIG_PATH}: {why}")))?;
    Ok(Some(added))
}

/// Prints the packs that the command enabled, with what they find, and the rules that it leaves to
/// a linter.
fn print_enabled(packs: &[String], trials: &[PackTrial], io: &mut Io<'_>) -> Result<()> {
    for name in packs {
        match trials.iter().find(|trial| trial.fit.name == *name) {
            Some(trial) => {
                let (rules, found) = (number(trial.rules.len(), "rule"), found(trial));
                writeln!(io.out, "enabled {name}: {rules}, {found} now")?;
            }
            None => writeln!(io.out, "enabled {name}")?,
        }
    }
    if !packs.is_empty() {
        for line in enforced_lines(trials) {
            writeln!(io.out, "{line}")?;
        }
    }
    Ok(())
}

/// The project in the current directory, which `aidd init` makes a project of its own.
fn open(cwd: &Path, is_new: bool, io: &Io<'_>) -> Result<Project> {
    if is_new {
        return Ok(Project::unconfigured(io.distribution, cwd));
    }
    Ok(Project::open(io.distribution, cwd, Some(&cwd.join(CONFIG_PATH)))?)
}

/// Whether the Git settings of the memory are needed: the memory is used, or an agent client will
/// use it.
fn needs_git_files(args: &Init, root: &Path) -> bool {
    git_files::repository(root).is_some() && (!args.clients.is_empty() || is_memory_used(root))
}

/// Whether the project has memories, or a store of memories.
fn is_memory_used(root: &Path) -> bool {
    git_files::has_memory_files(root) || root.join(".aidd/data.db").exists()
}

/// Fails if a pack is unknown.
fn check_packs(names: &[String], io: &Io<'_>) -> Result<()> {
    let registry = Project::unconfigured(io.distribution, &io.cwd).registry();
    for name in names {
        engine_packs::header(name, &registry).map_err(|error| UserError::new(error.to_string()))?;
    }
    Ok(())
}

/// Prints what the project uses, and the packs that fit it with what they would find. If packs are
/// `chosen`, tries only these and prints nothing.
fn propose(
    project: &mut Project,
    chosen: &[String],
    color: When,
    io: &mut Io<'_>,
) -> Result<Vec<PackTrial>> {
    let style = io.style(color);
    let root = Walk::over(vec![project.root().to_owned()]);
    let paths: Vec<String> = walk::list(&project.config, &project.disk, &root)
        .map_err(|why| UserError::new(format!("`include` or `exclude`: {why}")))?
        .into_iter()
        .collect();
    let enabled: Vec<String> = project.config.compliance.iter().flatten().cloned().collect();
    let mut fits = packs::fitting(project, &project.registry(), &paths);
    fits.retain(|fit| !enabled.contains(&fit.name));
    if !chosen.is_empty() {
        fits.retain(|fit| chosen.contains(&fit.name));
        return Ok(packs::try_packs(project, &paths, fits, &|| ())?.packs);
    }
    let settings = Settings::read(&project.disk, &paths);
    for (name, items) in detect::describe(&project.disk, &paths, &settings) {
        let line = layout::hanging(&format!("{name:<12}"), &one_line(&items), &style);
        writeln!(io.out, "{line}")?;
    }
    if !enabled.is_empty() {
        writeln!(io.out, "{:<12}{}", "packs", one_line(&enabled.join(", ")))?;
    }
    if fits.is_empty() {
        return Ok(Vec::new());
    }
    let progress = Progress::counting("files", paths.len() as u64);
    let packs::Trials { packs: trials, time } =
        packs::try_packs(project, &paths, fits, &|| progress.advance(1))?;
    progress.finish();
    let time = seconds(time);
    writeln!(io.out, "\nrule packs that fit, with what each would find now (checked in {time}):")?;
    let widest = trials.iter().map(|trial| trial.fit.name.len()).max().unwrap_or_default();
    for trial in &trials {
        let PackTrial { fit, rules, sample, .. } = trial;
        let (rules, found) = (number(rules.len(), "rule"), found(trial));
        writeln!(io.out, "  {:widest$}  {rules:>8}  {found}", fit.name)?;
        if let Some(sample) = sample {
            let text = format!("{}:{}: {}", sample.path, sample.line, sample.message);
            let text = io.distribution.redact(&one_line(&text));
            let prefix = format!("  {:widest$}  such as ", "");
            writeln!(io.out, "{}", layout::hanging(&prefix, &text, &style))?;
        }
    }
    for line in enforced_lines(&trials) {
        writeln!(io.out, "{}", layout::wrap(&line, 0, &style))?;
    }
    writeln!(io.out)?;
    Ok(trials)
}

/// The findings of a trial: `3 errors, 1 warning`.
fn found(trial: &PackTrial) -> String {
    let counts = Severity::ALL.into_iter().filter_map(|severity| {
        let count = *trial.counts.get(&severity)?;
        Some(match severity {
            Severity::Info => format!("{count} info"),
            _ => number(count, &severity.to_string()),
        })
    });
    let counts: Vec<String> = counts.collect();
    if trial.is_partial && counts.is_empty() {
        return "nothing found within the time limit".to_owned();
    }
    let counts = if counts.is_empty() { "no findings".to_owned() } else { counts.join(", ") };
    if trial.is_partial { format!("at least {counts}") } else { counts }
}

fn seconds(time: Duration) -> String {
    format!("{:.1} s", time.as_secs_f64())
}

/// The rules that the packs leave to the linters of the project, by settings file.
fn enforced_lines(trials: &[PackTrial]) -> Vec<String> {
    let mut lines: Vec<(String, Vec<&str>)> = Vec::new();
    for Enforced { rule, settings, .. } in trials.iter().flat_map(|trial| &trial.enforced) {
        match lines.iter_mut().find(|(known, _)| known == settings) {
            Some((_, rules)) if rules.contains(&&**rule) => {}
            Some((_, rules)) => rules.push(rule),
            None => lines.push((settings.clone(), vec![&**rule])),
        }
    }
    let line = |(settings, rules): (String, Vec<&str>)| {
        let rules_text = number(rules.len(), "rule");
        let shown = rules.iter().take(MAX_ENFORCED).copied().collect::<Vec<_>>().join(", ");
        let rules = match rules.len().saturating_sub(MAX_ENFORCED) {
            0 => shown,
            more => format!("{shown} and {more} more"),
        };
        one_line(&format!("{rules_text} excluded, because {settings} enforces the same: {rules}"))
    };
    lines.into_iter().map(line).collect()
}

fn print_next_steps(args: &Init, trials: &[PackTrial], io: &mut Io<'_>) -> Result<()> {
    let mut steps = Vec::new();
    let first = trials.first().filter(|_| args.packs.is_empty()).map(|trial| &*trial.fit.name);
    if let Some(first) = first {
        steps.push((format!("aidd rule packs {first}"), "list the rules of a pack".to_owned()));
        let text = "enable a pack, or several: `--pack A,B`".to_owned();
        steps.push((format!("aidd init --pack {first}"), text));
    }
    steps.extend(
        [
            ("aidd check .", "check all files"),
            if has_baseline(&io.cwd) {
                ("aidd baseline write --accept-new", "add the new findings to the baseline")
            } else {
                ("aidd baseline write", "baseline existing findings")
            },
            ("aidd rule new team/my-rule", "create a rule"),
        ]
        .map(|(command, text)| (command.to_owned(), text.to_owned())),
    );
    writeln!(io.err, "next:")?;
    for (command, text) in steps {
        writeln!(io.err, "  {command:<32} {text}")?;
    }
    Ok(())
}

/// Whether the project has a baseline at the default path.
fn has_baseline(root: &Path) -> bool {
    root.join(baseline::PATH).is_file()
}

/// Prints a note if the current directory is inside another project. The rules and memory of that
/// project will no longer apply to this directory.
fn print_nested_note(io: &mut Io<'_>) -> Result<()> {
    let outer = project::root_of(&io.cwd);
    if outer != io.cwd {
        writeln!(
            io.err,
            "note: this directory is inside the project {}; `aidd init` makes this directory a separate project without the rules and memory of the outer project. To set up the outer project, run `aidd init` in its root",
            outer.display()
        )?;
    }
    Ok(())
}

/// Prints the changes that `aidd init` would make in addition to those in the patch.
fn print_dry_run(args: &Init, io: &mut Io<'_>) -> Result<()> {
    if needs_git_files(args, &io.cwd) {
        for (is_present, name) in [
            (git_files::has_union_merge(&io.cwd), ".gitattributes"),
            (git_files::ignores_store(&io.cwd), ".gitignore"),
        ] {
            if !is_present {
                writeln!(io.err, "would add to {name}")?;
            }
        }
    }
    Ok(())
}

/// The rules of `packs` that a linter of the project enforces.
fn enforced<'a>(packs: &[String], trials: &'a [PackTrial]) -> Vec<&'a Enforced> {
    let chosen = trials.iter().filter(|trial| packs.contains(&trial.fit.name));
    let mut enforced: Vec<&Enforced> = chosen.flat_map(|trial| &trial.enforced).collect();
    enforced.sort_by(|a, b| a.rule.cmp(&b.rule));
    enforced.dedup_by(|a, b| a.rule == b.rule);
    enforced
}

/// The new configuration: only the settings that most projects change first. The rules of `packs`
/// that a linter of the project enforces are disabled.
fn configuration(packs: &[String], trials: &[PackTrial]) -> String {
    let mut rules = String::new();
    let enforced = enforced(packs, trials);
    for (index, Enforced { rule, by, settings }) in enforced.iter().enumerate() {
        let comma = if index + 1 < enforced.len() { "," } else { "" };
        let comment = one_line(&format!("{settings} enables {by}."));
        let _ = write!(rules, "\n    // {comment}\n    {}: \"off\"{comma}", json!(&**rule));
    }
    if !rules.is_empty() {
        rules.push_str("\n  ");
    }
    let packs: Vec<String> = packs.iter().map(|name| json!(name).to_string()).collect();
    let packs = packs.join(", ");
    format!(
        r#"{{
  // Minimum severity that fails a run: error, warning, info or never.
  "failOn": "error",
  // Paths to exclude, in addition to those that Git ignores.
  "exclude": [],
  // Rule, alias or glob → off, info, warning, error.
  "rules": {{{rules}}},
  // Optional rule packs to enable; `aidd rule packs` lists them.
  "compliance": [{packs}]
}}
"#
    )
}

#[cfg(test)]
mod tests {
    use super::*;
    use aidd_engine::project::config;

    #[test]
    fn the_new_configuration_is_valid() {
        let (_, unknown) = config::read(&configuration(&[], &[])).expect("valid");
        assert_eq!(unknown, []);
    }

    #[test]
    fn rules_that_a_linter_enforces_are_disabled_in_the_new_configuration() {
        let enforced = |rule: &str| Enforced {
            rule: rule.into(),
            by: "eslint/no-var".to_owned(),
            settings: "eslint.config.js".to_owned(),
        };
        let trial = |name: &str, rules: &[&str]| PackTrial {
            fit: packs::Fit { name: name.to_owned(), summary: String::new(), files: 9 },
            rules: ["a/old".into()].into(),
            enforced: rules.iter().map(|rule| enforced(rule)).collect(),
            counts: [(Severity::Error, 1), (Severity::Warning, 2), (Severity::Info, 3)].into(),
            sample: None,
            is_partial: false,
        };
        let trials = [trial("javascript", &["a/var", "a/eval"]), trial("go", &["a/panic"])];
        let text = configuration(&["javascript".to_owned()], &trials);
        let (config, unknown) = config::read(&text).expect("valid");
        assert_eq!(unknown, []);
        assert_eq!(config.compliance, Some(vec!["javascript".to_owned()]));
        assert!(
            text.contains("// eslint.config.js enables eslint/no-var.\n    \"a/eval\": \"off\",")
        );
        assert!(!text.contains("a/panic"));
        assert_eq!(found(&trials[0]), "1 error, 2 warnings, 3 info");
        let partial = |counts| PackTrial { counts, is_partial: true, ..trials[0].clone() };
        assert_eq!(found(&partial([(Severity::Info, 3)].into())), "at least 3 info");
        assert_eq!(found(&partial([].into())), "nothing found within the time limit");
        assert_eq!(
            enforced_lines(&trials),
            [
                "3 rules excluded, because eslint.config.js enforces the same: a/var, a/eval, a/panic"
            ]
        );
    }
}
