//! Tests that the generated parts of the documentation are up to date and that referenced names exist.
//! `UPDATE_DOCS=1 cargo test --test tests docs` writes the generated parts.

use aidd_cli::cli::Cli;
use aidd_engine::rules::registry::{Registry, is_id};
use aidd_engine::rules::rule::Rule;
use aidd_page as page;
use clap::error::ErrorKind;
use clap::{CommandFactory, Parser, ValueEnum};
use std::collections::BTreeMap;
use std::fmt::Write as _;
use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;

/// Directories of the repository: inline code that starts with one of them is a path in the
/// repository.
const DIRECTORIES: &str = "page/ content/ lexicon/ engine/ validators/ memory/src/ guidance/ authoring/ \
                       report/ ci/ cli/ lsp/ mcp/ src/ docs/ tests/ benches/ fuzz/ .ci/ npm/";

fn root() -> &'static Path {
    Path::new(env!("CARGO_MANIFEST_DIR"))
}

fn is_updating() -> bool {
    std::env::var_os("UPDATE_DOCS").is_some()
}

/// Asserts that a file contains `text`; writes the file if updating.
#[track_caller]
pub(crate) fn assert_current(path: &str, text: &str) {
    let file = root().join(path);
    if is_updating() {
        fs::write(&file, text).expect("written");
    }
    let found = fs::read_to_string(&file).unwrap_or_default().replace("\r\n", "\n");
    assert!(
        found == text,
        "{path} is out of date; update it with: UPDATE_DOCS=1 cargo test --test tests docs"
    );
}

/// The hand-written and generated pages: path relative to the root, and text.
fn pages() -> Vec<(String, String)> {
    let mut paths: Vec<PathBuf> =
        ["README.md", "CONTRIBUTING.md", "CHANGELOG.md"].map(|name| root().join(name)).into();
    let docs = fs::read_dir(root().join("docs")).expect("a folder");
    paths.extend(docs.map(|entry| entry.expect("an entry").path()));
    paths.retain(|path| path.extension().is_some_and(|extension| extension == "md"));
    paths.sort();
    let page = |path: PathBuf| {
        let name = path
            .strip_prefix(root())
            .expect("a path in the directory")
            .to_string_lossy()
            .replace('\\', "/");
        (name, fs::read_to_string(path).expect("text").replace("\r\n", "\n"))
    };
    paths.into_iter().map(page).collect()
}

/// The lines of a page: number from 1, info string of the fence they are in, and text.
fn lines(text: &str) -> Vec<(usize, Option<&str>, &str)> {
    let mut fence: Option<(&str, &str)> = None;
    let mut lines = Vec::new();
    for (index, line) in text.lines().enumerate() {
        let trimmed = line.trim_start();
        let ticks = &trimmed[..trimmed.len() - trimmed.trim_start_matches('`').len()];
        match fence {
            Some((open, _)) if ticks.len() >= open.len() && trimmed == ticks => fence = None,
            Some((_, info)) => lines.push((index + 1, Some(info), line)),
            None if ticks.len() >= 3 => fence = Some((ticks, trimmed[ticks.len()..].trim())),
            None => lines.push((index + 1, None, line)),
        }
    }
    lines
}

/// The code spans of a line.
fn code_spans(line: &str) -> impl Iterator<Item = &str> {
    line.split('`').skip(1).step_by(2)
}

#[test]
fn the_index_of_rules_is_current() {
    let registry = Registry::new(crate::DISTRIBUTION.pages, &[]);
    let mut kinds: BTreeMap<&str, Vec<&Rule>> = BTreeMap::new();
    for rule in registry.rules() {
        let (kind, _) = rule.id.split_once('/').expect("kind/name");
        kinds.entry(kind).or_default().push(rule);
    }
    let mut text = String::from(
        "# Rules\n\nAll rules that ship with aidd, by category. Each rule links to its page, which contains the reason and examples.\n\
         `aidd rule list` prints this list, and `aidd explain RULE` prints a page.\n\n\
         This file is generated: `UPDATE_DOCS=1 cargo test --test tests docs`.\n\n",
    );
    for (kind, rules) in &kinds {
        writeln!(text, "- [{kind}](#{kind}): {}", rules.len()).expect("writing to memory");
    }
    for (kind, rules) in &kinds {
        write!(
            text,
            "\n## {kind}\n\n| Rule | Severity | Aliases | Summary |\n| --- | --- | --- | --- |\n"
        )
        .expect("writing to memory");
        for rule in rules {
            writeln!(text, "{}", row(rule)).expect("writing to memory");
        }
    }
    text.push_str(&packs());
    assert_current("docs/rules.md", &text);
}

/// The section on packs: each pack with its summary.
fn packs() -> String {
    let mut text = String::from(
        "\n## Packs\n\nRules that are disabled by default are grouped in packs: `\"compliance\": [\"security\", \"git\"]` in the \
         configuration enables all of their rules.\n\n| Pack | Summary |\n| --- | --- |\n",
    );
    for pack in aidd_content::RULES.packs {
        let (_, body) = page::split(pack.text).expect("a header");
        let summary = page::summary(&pack.text[body]);
        let link = format!("[{id}](../content/packs/{id}.md)", id = pack.id);
        writeln!(text, "| {link} | {summary} |").expect("writing to memory");
    }
    text
}

fn row(rule: &Rule) -> String {
    let (_, name) = rule.id.split_once('/').expect("kind/name");
    let severity =
        if rule.enabled { rule.severity.to_string() } else { format!("off ({})", rule.severity) };
    let aliases: Vec<String> = rule.aliases.iter().map(|alias| format!("`{alias}`")).collect();
    format!(
        "| [{name}](../content/rules/{}.md) | {severity} | {} | {} |",
        rule.id,
        aliases.join(", "),
        rule.summary.replace('|', "\\|").replace('<', "\\<")
    )
}

#[test]
fn the_reference_of_the_command_line_is_current() {
    let mut text = String::from(
        "# Command line\n\nThe output of `aidd help` and `aidd COMMAND --help`.\n\n\
         This file is generated: `UPDATE_DOCS=1 cargo test --test tests docs`.\n",
    );
    let mut root = Cli::command();
    root.build();
    let mut remaining = vec![root];
    while let Some(command) = remaining.pop() {
        let mut help_command =
            command.clone().term_width(100).mut_args(|arg| arg.hide_env_values(true));
        let name = help_command.get_bin_name().unwrap_or("aidd").to_owned();
        let help = help_command.render_long_help().to_string();
        let help: Vec<&str> = help.lines().map(str::trim_end).collect();
        write!(text, "\n## {name}\n\n```text\n{}\n```\n", help.join("\n"))
            .expect("writing to memory");
        let inner = command.get_subcommands().filter(|inner| inner.get_name() != "help");
        remaining.extend(inner.cloned().collect::<Vec<_>>().into_iter().rev());
    }
    assert_current("docs/cli.md", &text);
}

#[test]
fn the_lists_in_the_page_on_memory_are_current() {
    let mut command = Cli::command();
    let memory = command.find_subcommand_mut("memory").expect("a command");
    let mut commands = String::from("| Command | Description |\n| --- | --- |\n");
    for inner in memory.get_subcommands() {
        let about = inner.get_about().expect("a text").to_string();
        writeln!(commands, "| `aidd memory {}` | {about} |", inner.get_name())
            .expect("writing to memory");
    }
    let mut rules = String::from("| Rule | Severity | Summary |\n| --- | --- | --- |\n");
    for rule in Registry::new(crate::DISTRIBUTION.pages, &[])
        .rules()
        .iter()
        .filter(|rule| rule.id.starts_with("memory/"))
    {
        let (id, severity, summary) = (&rule.id, rule.severity, &rule.summary);
        writeln!(rules, "| [{id}](../content/rules/{id}.md) | {severity} | {summary} |")
            .expect("writing to memory");
    }
    let page = root().join("docs/memory.md");
    let page = fs::read_to_string(page).expect("text").replace("\r\n", "\n");
    let page = replace_section(&page, "commands", &commands);
    assert_current("docs/memory.md", &replace_section(&page, "rules", &rules));
}

#[test]
fn the_schema_of_the_configuration_is_current() {
    let schema =
        serde_json::to_string_pretty(&aidd_engine::project::config::schema()).expect("JSON");
    assert_current("docs/config.schema.json", &format!("{schema}\n"));
}

#[test]
fn the_tables_in_the_page_on_agents_are_current() {
    let page = fs::read_to_string(root().join("docs/agents.md")).expect("text");
    let costs = aidd_mcp::list::table(aidd_mcp::Profile::Lean);
    let page =
        replace_section(&page.replace("\r\n", "\n"), "profiles", &format!("```text\n{costs}```\n"));
    let mut table = String::from(
        "| Tool | Description | Effect on stored data | Profiles | Further arguments |\n| --- | --- | --- | --- | --- |\n",
    );
    for tool in aidd_mcp::tools::all() {
        let changes = match (tool.reads_only, tool.is_destructive) {
            (true, _) => "none",
            (false, false) => "adds",
            (false, true) => "can remove",
        };
        let profiles: Vec<&str> = tool.profiles.iter().map(|profile| profile.name()).collect();
        let (name, about) = (tool.name, tool.description.replace('|', "\\|").replace('<', "\\<"));
        let further = unlisted_arguments(&tool.input()).join(", ");
        writeln!(table, "| `{name}` | {about} | {changes} | {} | {further} |", profiles.join(", "))
            .expect("writing to memory");
    }
    let page = replace_section(&page, "clients", &clients());
    let page = replace_section(&page, "tools", &table);
    let page = replace_section(&page, "resources", &resources());
    assert_current("docs/agents.md", &replace_section(&page, "prompts", &prompts()));
}

fn resources() -> String {
    let mut table = String::from("| Resource | Content |\n| --- | --- |\n");
    for row in aidd_mcp::resources::ROWS {
        writeln!(table, "| `{}` | {} |", row.uri, row.description).expect("writing to memory");
    }
    table
}

fn prompts() -> String {
    let library = aidd_guidance::Library::shipped(&aidd_content::RULES);
    let mut table = String::from("| Prompt | Description | Arguments |\n| --- | --- | --- |\n");
    for (page, arguments) in aidd_mcp::prompts::all(&library) {
        let list: Vec<String> = arguments
            .iter()
            .map(|argument| {
                let suffix = if argument.required { " (required)" } else { "" };
                format!("`{}`{suffix}", argument.name)
            })
            .collect();
        writeln!(table, "| `{}` | {} | {} |", page.name, page.summary, list.join(", "))
            .expect("writing to memory");
    }
    table
}

/// The files that `aidd init` writes for each agent client.
fn clients() -> String {
    let mut table = String::from(
        "| Client | `--client` | Server | Hooks | Rules |\n| --- | --- | --- | --- | --- |\n",
    );
    for client in aidd_cli::cli::Client::value_variants() {
        let value = client.to_possible_value().expect("no hidden values");
        let name = value.get_help().expect("a name").to_string();
        let name = name.trim_end_matches('.');
        let all = aidd_content::RULES.templates.iter();
        let templates = all.filter(|template| template.client == value.get_name());
        let paths_of = |is_kind: fn(&str) -> bool| {
            let paths: Vec<String> = templates
                .clone()
                .filter(|template| is_kind(template.text))
                .map(|template| format!("`{}`", template.path))
                .collect();
            if paths.is_empty() { "none".to_owned() } else { paths.join(", ") }
        };
        let server = paths_of(|text| text.contains("\"mcp\""));
        let hooks = paths_of(|text| text.contains("\"aidd hook "));
        let rules = paths_of(|text| text.contains("<!-- aidd -->"));
        let (word, anchor) = (value.get_name(), slug(name));
        writeln!(table, "| [{name}](#{anchor}) | `{word}` | {server} | {hooks} | {rules} |")
            .expect("writing to memory");
    }
    table
}

/// The arguments of a tool that the listed schema omits.
fn unlisted_arguments(input: &aidd_mcp::schema::Object) -> Vec<String> {
    let properties = input["properties"].as_object().expect("an object").iter();
    let unlisted = properties.filter(|(_, property)| property.get("x-unlisted").is_some());
    unlisted.map(|(name, _)| format!("`{name}`")).collect()
}

/// Replaces the text between the markers named `name` with `part`.
fn replace_section(page: &str, name: &str, part: &str) -> String {
    let (open, close) = (format!("<!-- {name} -->\n"), format!("<!-- /{name} -->"));
    let (head, rest) = page.split_once(&open).expect("a marker");
    let (_, tail) = rest.split_once(&close).expect("a marker");
    format!("{head}{open}{part}{close}{tail}")
}

/// The files of the sample in the README. The secret is assembled at run time so that this file does
/// not contain a secret.
fn sample() -> [(&'static str, String); 3] {
    let dockerfile = "FROM node:latest\nWORKDIR /app\nCOPY . .\nRUN npm ci\nUSER 1000\n\
                      CMD [\"node\", \"server.js\"]\n";
    let token = format!("gh{}_{}", "p", "Vq7RkX2mZt9LwBn4Yc6HsDf1Jg8PaKe3Uo5T");
    [
        ("Dockerfile", dockerfile.to_owned()),
        ("deploy.env", format!("REGION=eu-central-1\nGITHUB_TOKEN={token}\n")),
        (
            "docs/flow.md",
            "```mermaid\nflowchart LR\n  order --> pay{Paid?\n  pay --> ship\n```\n".to_owned(),
        ),
    ]
}

#[test]
#[expect(clippy::disallowed_methods, reason = "the binary under test")]
fn the_sample_in_the_readme_matches_the_output() {
    let folder = tempfile::tempdir().expect("a folder");
    fs::create_dir_all(folder.path().join(".git")).expect("made");
    for (path, text) in sample() {
        let path = folder.path().join(path);
        fs::create_dir_all(path.parent().expect("a parent")).expect("made");
        fs::write(path, text).expect("written");
    }
    let mut command = Command::new(env!("CARGO_BIN_EXE_aidd"));
    command.args(["check", "."]).current_dir(folder.path()).env_clear();
    if let Some(root) = std::env::var_os("SystemRoot") {
        command.env("SystemRoot", root);
    }
    let output = command.output().expect("run");
    let printed = String::from_utf8(output.stdout).expect("text").replace("\r\n", "\n");
    // The time differs between runs.
    let (before, rest) = printed.trim_end().split_once(" files (").expect("a time");
    let (_, after) = rest.split_once(')').expect("a time");
    let block = format!("```text\n$ aidd check .\n{before} files{after}\n```\n");
    let readme = fs::read_to_string(root().join("README.md")).expect("text").replace("\r\n", "\n");
    let (head, rest) = readme.split_once("<!-- sample -->\n").expect("a marker");
    let (_, tail) = rest.split_once("<!-- /sample -->").expect("a marker");
    let text = format!("{head}<!-- sample -->\n{block}<!-- /sample -->{tail}");
    assert_current("README.md", &text);
}

#[test]
fn paths_in_the_pages_exist() {
    let mut missing = Vec::new();
    for (page, text) in pages() {
        let folder = root().join(&page).parent().expect("a folder").to_owned();
        for (line, fence, content) in lines(&text) {
            if fence.is_some() {
                continue;
            }
            for target in links(content) {
                if let Err(why) = check_link(&folder, &text, target) {
                    missing.push(format!("{page}:{line}: {target}: {why}"));
                }
            }
            for span in code_spans(content) {
                let is_path = DIRECTORIES.split(' ').any(|folder| span.starts_with(folder));
                let exact = !span.contains(['<', '*', '…', ' ', '{']);
                let is_rule = root().join(format!("content/rules/{span}.md")).exists();
                if is_path && exact && !is_rule && !root().join(span).exists() {
                    missing.push(format!("{page}:{line}: `{span}` does not exist"));
                }
            }
        }
    }
    assert!(missing.is_empty(), "{}", missing.join("\n"));
}

/// The relative link targets in a line.
fn links(line: &str) -> impl Iterator<Item = &str> {
    let targets = line.split("](").skip(1).filter_map(|rest| rest.split(')').next());
    targets.filter(|target| !target.contains("://") && !target.starts_with("mailto:"))
}

/// Checks that a link target exists: the file, and the heading of the anchor.
fn check_link(folder: &Path, page: &str, target: &str) -> Result<(), &'static str> {
    let (path, anchor) = target.split_once('#').map_or((target, None), |(a, b)| (a, Some(b)));
    let file = folder.join(path);
    if !path.is_empty() && !file.exists() {
        return Err("no such file");
    }
    let Some(anchor) = anchor else { return Ok(()) };
    let other;
    let text = if path.is_empty() {
        page
    } else {
        other = fs::read_to_string(&file).map_err(|_| "cannot be read")?;
        &other
    };
    let headings = lines(text).into_iter().filter(|(_, fence, _)| fence.is_none());
    let mut slugs =
        headings.filter_map(|(_, _, line)| line.split_once("# ")).map(|(_, title)| slug(title));
    if slugs.any(|slug| slug == anchor) { Ok(()) } else { Err("no such heading") }
}

/// The anchor that GitHub generates for a heading.
fn slug(title: &str) -> String {
    let lower = title.trim().to_lowercase();
    lower
        .chars()
        .filter(|c| c.is_alphanumeric() || matches!(c, ' ' | '-' | '_'))
        .map(|c| if c == ' ' { '-' } else { c })
        .collect()
}

#[test]
fn commands_in_the_pages_are_valid() {
    let mut errors = Vec::new();
    for (page, text) in pages().into_iter().filter(|(page, _)| page != "docs/cli.md") {
        for (line, fence, content) in lines(&text) {
            let commands: Vec<&str> = match fence {
                None => code_spans(content).filter(|span| span.starts_with("aidd ")).collect(),
                // Output in a console block is not a command.
                Some("console") if !content.starts_with("$ ") => Vec::new(),
                Some("sh" | "console" | "yaml" | "text") => {
                    aidd_command(content).into_iter().collect()
                }
                Some(_) => Vec::new(),
            };
            for command in commands.into_iter().filter(|command| !command.contains('…')) {
                if let Err(error) = Cli::try_parse_from(words(command))
                    && error.use_stderr()
                    && !(fence.is_none() && is_incomplete(error.kind()))
                {
                    let first = error.to_string().lines().next().unwrap_or_default().to_owned();
                    errors.push(format!("{page}:{line}: {command}: {first}"));
                }
            }
        }
    }
    assert!(errors.is_empty(), "{}", errors.join("\n"));
}

/// Whether only arguments are missing: in running text, a command can be named without its arguments.
fn is_incomplete(kind: ErrorKind) -> bool {
    matches!(
        kind,
        ErrorKind::MissingRequiredArgument
            | ErrorKind::DisplayHelpOnMissingArgumentOrSubcommand
            | ErrorKind::MissingSubcommand
    )
}

/// The command line of aidd in a shell line, if there is one.
fn aidd_command(line: &str) -> Option<&str> {
    let line = line.trim_start().trim_start_matches("$ ");
    let line = line.strip_prefix("- run: ").or(line.strip_prefix("run: ")).unwrap_or(line);
    // The text after `--` is the command line that another program starts.
    let at = ["-- aidd ", "aidd ", "| aidd ", "&& aidd ", "cargo run --release -- "]
        .iter()
        .find_map(|start| {
            if line.starts_with("aidd ") {
                Some(0)
            } else {
                line.find(start).map(|at| at + start.len())
            }
        })?;
    Some(&line[at..])
}

/// Splits a command into words, up to shell syntax such as pipes.
fn words(command: &str) -> Vec<String> {
    let mut words = vec!["aidd".to_owned()];
    let mut word = String::new();
    let mut quote = None;
    for c in command.strip_prefix("aidd ").unwrap_or(command).chars() {
        match (quote, c) {
            (None, '\'' | '"') => quote = Some(c),
            (Some(open), c) if open == c => quote = None,
            (None, '|' | '>' | '<' | '&' | '#' | ';') => break,
            (None, ' ') => words.extend((!word.is_empty()).then(|| std::mem::take(&mut word))),
            _ => word.push(c),
        }
    }
    words.extend((!word.is_empty()).then_some(word));
    words
}

#[test]
fn rules_in_the_pages_exist() {
    let registry = Registry::new(crate::DISTRIBUTION.pages, &[]);
    let kinds: Vec<&str> =
        registry.rules().iter().filter_map(|rule| Some(rule.id.split_once('/')?.0)).collect();
    let mut errors = Vec::new();
    for (page, text) in pages() {
        for (line, _, content) in lines(&text) {
            for span in code_spans(content).filter(|span| is_id(span)) {
                let is_rule_id =
                    span.split_once('/').is_some_and(|(kind, _)| kinds.contains(&kind));
                if is_rule_id && !registry.contains(span) {
                    errors.push(format!("{page}:{line}: unknown rule `{span}`"));
                }
            }
        }
    }
    assert!(errors.is_empty(), "{}", errors.join("\n"));
}
