//! `aidd rule`: lists, creates, tests and exports rules.

mod export;
mod import;
mod packs;
mod suggest;
pub use crate::cli::{Form, RuleCommand};
use crate::explain;
use aidd_engine::check::{Engine, Selection};
use aidd_engine::project::config::Config;
use aidd_engine::rules::registry::{Registry, is_id};
use aidd_engine::rules::rule::Rule;
use aidd_engine::text::files::{Files, SIDE_FILE_LIMIT};
use aidd_engine::text::finding::Finding;
use aidd_engine::text::kind::is_memory_path;
use aidd_engine::text::listing::Listing;
use aidd_engine::text::paths::rule_globs;
use aidd_engine::text::source::{Encoding, Source};
use aidd_engine::workspace::examples;
use aidd_engine::workspace::memory_checks;
use aidd_engine::workspace::project_checks;
use aidd_engine::workspace::walk::{self, Walk};
use aidd_report::Io;
use aidd_report::When;
use aidd_report::exit::{Exit, UserError};
use aidd_report::project::Project;
use aidd_report::{number, one_line};
use anyhow::{Context, Result};
use serde_json::json;
use std::fs;
use std::io::Write;
use std::path::Path;

/// Runs `aidd rule …`.
///
/// # Errors
/// Fails when a rule name is unknown, or a page cannot be written.
pub fn run(
    command: &RuleCommand,
    config: Option<&Path>,
    color: When,
    io: &mut Io<'_>,
) -> Result<Exit> {
    let project = Project::open(io.distribution, &io.cwd, config)?;
    match command {
        RuleCommand::List { rules, json } => list(&project, rules, *json, color, io),
        RuleCommand::Packs { pack, json } => {
            packs::run(&project, pack.as_deref(), *json, color, io)
        }
        RuleCommand::New { id, form } => new(&project, id, *form, io),
        RuleCommand::Test { rules } => test(&project, rules, io),
        RuleCommand::Export(args) => export::run(&project, args, io),
        RuleCommand::Import(args) => import::run(&project, args, io),
        RuleCommand::Suggest(args) => suggest::suggest(&project, args, io),
        RuleCommand::Coverage(args) => suggest::coverage(&project, args, io),
    }
}

fn select<'a>(registry: &'a Registry, names: &[String]) -> Result<Vec<&'a Rule>> {
    if names.is_empty() {
        return Ok(registry.rules().iter().collect());
    }
    let mut rules = Vec::new();
    for name in names {
        if name.contains(['*', '?', '{']) {
            let globs = rule_globs(&[name]).map_err(|error| UserError::new(error.to_string()))?;
            rules.extend(registry.rules().iter().filter(|rule| globs.is_match(&*rule.id)));
        } else if registry.contains(name) {
            rules.extend(registry.named(name));
        } else {
            return Err(explain::unknown_rule(registry, name).into());
        }
    }
    Ok(rules)
}

/// Lists rules with their severity in this project, which can differ from the severity in the page.
fn list(
    project: &Project,
    names: &[String],
    as_json: bool,
    color: When,
    io: &mut Io<'_>,
) -> Result<Exit> {
    let engine = project.engine(&Selection::default())?;
    let settings = engine.settings("");
    let severity_in_project = |rule: &Rule| {
        let severity = settings.get(&rule.id).and_then(|setting| setting.severity);
        severity.map_or_else(|| "off".to_owned(), |severity| severity.to_string())
    };
    let rules = select(engine.registry(), names)?;
    if as_json {
        let rules: Vec<_> = rules
            .iter()
            .map(|rule| {
                json!({
                    "id": &*rule.id, "severity": rule.severity.to_string(), "enabled": rule.enabled,
                    "here": severity_in_project(rule), "aliases": rule.aliases, "tags": rule.tags, "summary": rule.summary, "path": rule.path,
                })
            })
            .collect();
        io.out.json(&rules)?;
        return Ok(Exit::Clean);
    }
    let style = io.style(color);
    let widest = rules.iter().map(|rule| rule.id.len()).max().unwrap_or(0);
    for rule in &rules {
        let severity = severity_in_project(rule);
        let (on, off) = match (style.color, severity.as_str()) {
            (false, _) => ("", ""),
            (_, "error") => ("\x1b[31m", "\x1b[0m"),
            (_, "warning") => ("\x1b[33m", "\x1b[0m"),
            _ => ("\x1b[2m", "\x1b[0m"),
        };
        let aliases = if rule.aliases.is_empty() {
            String::new()
        } else {
            format!(" [{}]", rule.aliases.join(", "))
        };
        let memory_path = rule.path.as_deref().filter(|path| is_memory_path(path));
        let origin = memory_path.map(|path| format!(" ({path})")).unwrap_or_default();
        let text = one_line(&format!("{:widest$}  {}{aliases}{origin}", rule.id, rule.summary));
        writeln!(io.out, "{on}{severity:8}{off}{text}")?;
    }
    writeln!(io.err, "{}; `aidd explain RULE` shows details", number(rules.len(), "rule"))?;
    Ok(Exit::Clean)
}

fn new(project: &Project, id: &str, form: Form, io: &mut Io<'_>) -> Result<Exit> {
    if !is_id(id) {
        return Err(UserError::new(format!("`{id}` is not a rule id"))
            .hint("expected `kind/kebab-name`, such as team/console-log, with a name that makes sense after \"allow\"")
            .into());
    }
    if let Some(rule) = project.registry().get(id) {
        let message = format!("rule {id} already exists");
        let origin =
            rule.path.clone().unwrap_or_else(|| "the rule is shipped with aidd".to_owned());
        return Err(UserError::new(message).hint(origin).into());
    }
    let path = format!(".aidd/rules/{id}.md");
    let location = project.disk.locate(&project.disk.path_for_new_file(&path)?)?;
    let directory = location.parent().context("the page has no parent directory")?;
    fs::create_dir_all(directory).with_context(|| path.clone())?;
    fs::write(&location, page(id, form)).with_context(|| path.clone())?;
    writeln!(io.out, "{path}")?;
    writeln!(
        io.err,
        "wrote {path}; describe the reason, replace the examples, then run: aidd rule test {id}"
    )?;
    Ok(Exit::Clean)
}

/// A page template that passes its own test.
fn page(id: &str, form: Form) -> String {
    let check = match form {
        Form::Text => {
            "message: \"`<match>` is left over from debugging\"\nhelp: \"Delete it, or use the logger\"\ncheck:\n  \
             files: [\"*.ts\", \"*.js\"]\n  text:\n    regex: 'console\\.(log|debug)'\n    keywords: [\"console.\"]\n"
        }
        Form::Syntax => {
            "message: \"`console.<METHOD>` is left over from debugging\"\nhelp: \"Delete it, or use the logger\"\ncheck:\n  \
             syntax:\n    language: [javascript, typescript]\n    rule: { pattern: 'console.$METHOD($$$ARGS)' }\n    \
             constraints: { METHOD: { regex: '^(log|debug)$' } }\n"
        }
        Form::Tree => {
            return format!(
                "---\nseverity: warning\nmessage: \"`<stem>` has no test file\"\nhelp: \"Add a test with the same name\"\n\
                 check:\n  exclude: [\"*.test.ts\"]\n  tree: {{ each: \"src/**/*.ts\", exists: \"<dir>/<stem>.test.ts\" }}\n---\n\
                 # {id}\n\nExplain why it matters, in one or two short paragraphs.\n\n\
                 ## Fails\n\n```ts path=src/user.ts\nexport const user = 1\n```\n\n```finding\nsrc/user.ts\n```\n\n\
                 ## Passes\n\n```ts path=src/user.ts\nexport const user = 1\n```\n\n```ts path=src/user.test.ts\ntest(user)\n```\n"
            );
        }
        Form::Data => {
            return format!(
                "---\nseverity: warning\nmessage: \"`<key>` is `<value>`\"\nhelp: \"Set it to true\"\n\
                 check:\n  files: [\"tsconfig.json\"]\n  data: {{ at: \"$.compilerOptions.strict\", equals: true }}\n---\n\
                 # {id}\n\nExplain why it matters, in one or two short paragraphs.\n\n\
                 ## Fails\n\n```json path=tsconfig.json\n{{ \"compilerOptions\": {{ \"strict\": false }} }}\n```\n\n\
                 ```finding\n1:34 false\n```\n\n\
                 ## Passes\n\n```json path=tsconfig.json\n{{ \"compilerOptions\": {{ \"strict\": true }} }}\n```\n"
            );
        }
        Form::Guidance => {
            return format!(
                "---\nseverity: info\n---\n# {id}\n\nExplain what to do and why, in one or two short paragraphs.\n"
            );
        }
    };
    let matched_text = if form == Form::Text { "console.log" } else { "console.log(user)" };
    format!(
        "---\nseverity: warning\n{check}---\n# {id}\n\nExplain why it matters, in one or two short paragraphs.\n\n\
         ## Fails\n\n```ts path=src/user.ts\nconsole.log(user)\n```\n\n```finding\n1:1 {matched_text}\n```\n\n\
         ## Passes\n\n```ts path=src/user.ts\nlogger.info(user)\n```\n"
    )
}

fn test(project: &Project, names: &[String], io: &mut Io<'_>) -> Result<Exit> {
    let engine = project.engine(&Selection::default())?;
    let registry = engine.registry();
    // Examples run with the page's own parameters, without the project's overrides.
    let default_engine = Engine::new(
        project.distribution(),
        project.registry(),
        &Config::default(),
        &Selection::default(),
    )?;
    let rules: Vec<&Rule> = if names.is_empty() {
        registry.rules().iter().filter(|rule| rule.path.is_some()).collect()
    } else {
        select(registry, names)?
    };
    let root = || Walk::over(vec![project.root().to_owned()]);
    let listing = walk::listing(&engine, &project.disk, &root());
    let mut failed = 0;
    let mut tested = 0;
    for rule in rules {
        if rule.check.is_none() && rule.path.is_some() {
            writeln!(io.out, "{}: guidance only, nothing to test", rule.id)?;
            continue;
        }
        if !aidd_engine::forms::problems(rule).is_empty() {
            // `invalid_pages` reports these problems below.
            continue;
        }
        tested += 1;
        let page = default_engine.registry().get(&rule.id).unwrap_or(rule);
        let failures = examples::run(&default_engine, page);
        failed += usize::from(!failures.is_empty());
        for failure in &failures {
            let path_or_id = rule.path.as_deref().unwrap_or(&rule.id);
            match examples::split_line(failure) {
                (Some(line), failure) => writeln!(io.out, "{path_or_id}:{line}:1: {failure}")?,
                (None, failure) => writeln!(io.out, "{path_or_id}: {failure}")?,
            }
        }
        // Examples can pass even if the rule applies to no file of the project.
        for note in describe_reach(&engine, rule, &project.disk, &listing) {
            writeln!(io.out, "{}: {note}", rule.id)?;
        }
    }
    let invalid = invalid_pages(project, &engine);
    for invalid in &invalid {
        writeln!(io.out, "{invalid}")?;
    }
    let untested = match invalid.len() {
        0 => String::new(),
        count => format!("; {} in rule pages", number(count, "problem")),
    };
    writeln!(io.err, "{} tested, {failed} failed{untested}", number(tested, "rule"))?;
    Ok(if failed == 0 && invalid.is_empty() { Exit::Clean } else { Exit::Findings })
}

/// Describes how many files, directories or imports the check of a rule applies to, and the limits
/// of the check.
pub(crate) fn describe_reach(
    engine: &Engine,
    rule: &Rule,
    files: &dyn Files,
    listing: &Listing,
) -> Vec<String> {
    let Some((count, notes)) = project_checks::selected(engine, rule, files, listing) else {
        return Vec::new();
    };
    if rule.check.as_ref().is_some_and(|check| check.commit.is_some()) {
        let note =
            "applies to commits, in `aidd ci`, `aidd check --diff BASE` and `aidd hook commit-msg`";
        return vec![note.to_owned()];
    }
    let matched = match (count, rule.is_project_check()) {
        (0, _) => "applies to 0 files, so it cannot find anything".to_owned(),
        (_, true) if rule.check.as_ref().is_some_and(|check| check.layers.is_some()) => {
            format!("applies to {}", number(count, "import"))
        }
        (_, true) if rule.check.as_ref().is_some_and(|check| check.dependencies.is_some()) => {
            format!("applies to {}", number(count, "manifest"))
        }
        (1, true) => "applies to 1 file or directory".to_owned(),
        (_, true) => format!("applies to {count} files or directories"),
        (_, false) => format!("applies to {}", number(count, "file")),
    };
    std::iter::once(matched).chain(notes).collect()
}

/// The problems of rule pages and packs, and of memories whose check cannot run, each with its
/// path.
pub(crate) fn invalid_pages(project: &Project, engine: &Engine) -> Vec<String> {
    let rule_pages = project.pages.iter().filter(|(path, _)| !is_memory_path(path));
    let problems = rule_pages.flat_map(|(path, text)| {
        // Read the bytes of the page, because its text does not show whether it is valid UTF-8.
        let source = project.disk.read(path, SIDE_FILE_LIMIT).map_or_else(
            |_| Source::new(path.as_str(), text.as_str()),
            |bytes| Source::decode(path.as_str(), bytes),
        );
        problems_of("aidd/malformed-page", &source, path, (project, engine))
    });
    let faults = memory_checks::faults(&project.disk).into_iter();
    let faults = faults
        .map(|(path, id, why)| format!("{path}: {id}: {}", project.distribution().redact(&why)));
    problems.chain(faults).collect()
}

/// The findings that a rule on the project's own settings reports in `source`, one line each, with
/// the same messages as in `aidd check`. `path` is the displayed path of the file.
pub(crate) fn problems_of(
    rule: &str,
    source: &Source,
    path: &str,
    (project, engine): (&Project, &Engine),
) -> Vec<String> {
    let findings = engine.check_rule(&rule.into(), source, &project.disk).into_iter();
    let problem = |finding: Finding| {
        let at = source.position(finding.span.start, Encoding::CodePoints);
        let help = finding.help.map_or_else(String::new, |help| format!("; {help}"));
        let message = format!("{}{help}", finding.message);
        let message = project.distribution().redact(&one_line(&message));
        format!("{path}:{}:{}: {message}", at.line + 1, at.column + 1)
    };
    findings.map(problem).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_new_page_passes_its_own_test() {
        for form in [Form::Text, Form::Syntax, Form::Tree, Form::Data] {
            let text = page("team/console-log", form);
            let registry = Registry::new(crate::DISTRIBUTION.pages, &[("rules/a.md".into(), text)]);
            let engine = Engine::new(
                &crate::DISTRIBUTION,
                registry,
                &Config::default(),
                &Selection::default(),
            )
            .expect("valid");
            let rule = engine.registry().get("team/console-log").expect("present");
            assert_eq!(aidd_engine::forms::problems(rule), Vec::<String>::new());
            assert_eq!(examples::run(&engine, rule), Vec::<String>::new(), "{form:?}");
        }
    }
}
