//! Unit tests of the rules on files that steer agents.

mod origins;

use super::*;
use crate::DISTRIBUTION;
use aidd_engine::check::family::SessionCost;
use aidd_engine::check::{Engine, Selection};
use aidd_engine::project::config::Config;
use aidd_engine::rules::registry::Registry;
use aidd_engine::text::files::{Listed, Memory};
use aidd_engine::text::finding::Severity;
use aidd_engine::text::listing::Listing;
use aidd_engine::text::placeholder::JOIN_MARK;
use aidd_engine::workspace::examples;

fn memory(files: &[(&str, &str)]) -> Memory {
    Memory(
        files.iter().map(|(path, text)| ((*path).to_owned(), text.as_bytes().to_vec())).collect(),
    )
}

#[test]
fn the_cost_of_a_session_counts_imports_and_listings_once() {
    let files = memory(&[
        ("AGENTS.md", "Run the tests."),
        ("CLAUDE.md", "@AGENTS.md\n@AGENTS.md\n"),
        (".claude/rules/api.md", "---\npaths: [src/**]\n---\nRules on the interface."),
        (".claude/rules/all.md", "Answer in English."),
        (".claude/skills/a/SKILL.md", "---\nname: a\ndescription: Does a.\n---\nSteps."),
    ]);
    let costs = cost::session_costs(&files);
    assert!(costs.iter().all(|cost| cost.tokens() > 0));
    let show = |cost: &SessionCost| {
        let parts: Vec<&str> = cost.parts.iter().map(|part| &*part.path).collect();
        format!("{}: {}", cost.client, parts.join(", "))
    };
    let shown: Vec<String> = costs.iter().map(show).collect();
    assert_eq!(
        shown,
        [
            "AGENTS.md: AGENTS.md",
            "Claude Code: CLAUDE.md, AGENTS.md, .claude/rules/all.md, .claude/skills/ (names and descriptions)",
        ]
    );
}

#[test]
fn rules_whose_front_matter_is_not_valid_yaml_count() {
    let files = memory(&[
        (".cursor/rules/a.mdc", "---\nglobs: **/*.ts\nalwaysApply: true\n---\nUse tabs."),
        (".cursor/rules/b.mdc", "---\nglobs: *\nalwaysApply: true\n---\nUse tabs."),
        (".cursor/rules/c.mdc", "---\nglobs: *.ts\nalwaysApply: false\n---\nUse tabs."),
    ]);
    let costs = cost::session_costs(&files);
    let parts = costs.iter().flat_map(|cost| &cost.parts);
    let paths: Vec<&str> = parts.map(|part| &*part.path).collect();
    assert_eq!(paths, [".cursor/rules/a.mdc", ".cursor/rules/b.mdc"]);
}

#[test]
fn the_list_of_skills_is_limited() {
    let skill = |name: &str| {
        let path = format!(".claude/skills/{name}/SKILL.md");
        let description = "Deploys the shop to the servers. ".repeat(40);
        (path, format!("---\nname: {name}\ndescription: {description}\n---\nSteps.\n"))
    };
    let skills: Vec<(String, String)> =
        ["a", "b", "c", "d", "e", "f", "g", "h", "i"].map(skill).into();
    let registry = Registry::new(DISTRIBUTION.pages, &[]);
    let only = vec!["agents/session-budget".to_owned()];
    let only = Selection { only, ..Selection::default() };
    let engine = Engine::new(&DISTRIBUTION, registry, &Config::default(), &only).expect("valid");
    let messages = |count: usize| {
        let all = skills[..count].iter().map(|(path, text)| (path.as_str(), text.as_str()));
        let all: Vec<(&str, &str)> = all.collect();
        project_findings(&engine, &memory(&all), None)
    };
    assert_eq!(messages(2), [""; 0]);
    let found = messages(9);
    assert_eq!(found.len(), 1);
    let expected = "info agents/session-budget .claude/skills/a/SKILL.md the names and descriptions of 9 skills have";
    assert!(found[0].starts_with(expected), "{found:?}");
}

#[test]
fn examples_of_all_pages_have_the_documented_findings() {
    let registry = Registry::new(DISTRIBUTION.pages, &[]);
    let only = Selection { only: vec!["agents/*".to_owned()], ..Selection::default() };
    let engine = Engine::new(&DISTRIBUTION, registry, &Config::default(), &only).expect("valid");
    let rules = engine.registry().rules().iter().filter(|rule| rule.id.starts_with("agents/"));
    let problems: Vec<String> = rules
        .flat_map(|rule| {
            let run = examples::run(&engine, rule);
            run.into_iter().map(|problem| format!("{}: {problem}", rule.id))
        })
        .collect();
    assert!(problems.is_empty(), "{} problems:\n{}", problems.len(), problems.join("\n"));
}

/// Projects with one defect each; the format is described at its start.
const DEFECTS: &str = include_str!("defects.txt");

/// The files of a section, and the path that only the history has.
fn apply(section: &str, files: &mut Memory) -> Option<String> {
    let mut past = None;
    for part in section.split("\n--- ").skip(1) {
        let (header, text) = part.split_once('\n').unwrap_or((part, ""));
        let mut words = header.split(' ');
        match (words.next().unwrap_or_default(), words.next()) {
            ("past", path) => past = path.map(str::to_owned),
            (path, Some("absent")) => _ = files.0.remove(path),
            (path, times) => {
                let times = times.and_then(|it| it.strip_prefix("times="));
                let times = times.map_or(1, |it| it.parse().expect("a number"));
                let text = format!("{}\n", text.trim_end_matches('\n')).repeat(times);
                let text = text.replace(JOIN_MARK, "");
                files.0.insert(path.to_owned(), text.into_bytes());
            }
        }
    }
    past
}

/// The findings of a project, each as severity, rule, path and message.
fn project_findings(engine: &Engine, files: &Memory, past: Option<String>) -> Vec<String> {
    let paths = files.0.keys().cloned();
    let listing = Listing::new(paths).with_past(move |path| past.as_deref() == Some(path));
    let all = Listed { files, listing: &listing };
    let mut found = Vec::new();
    for (path, text) in &files.0 {
        let source = Source::new(path.as_str(), String::from_utf8(text.clone()).expect("UTF-8"));
        for finding in engine.check(&source, &all).findings {
            found.push(format!("{} {} {path} {}", finding.severity, finding.rule, finding.message));
        }
    }
    found
}

#[test]
fn defects_of_projects_are_found() {
    let registry = Registry::new(DISTRIBUTION.pages, &[]);
    let only = vec!["agents/*".to_owned(), "secrets/*".to_owned()];
    let only = Selection { only, ..Selection::default() };
    let engine = Engine::new(&DISTRIBUTION, registry, &Config::default(), &only).expect("valid");
    let mut sections = DEFECTS.split("\n=== ").skip(1);
    let mut base = Memory(std::collections::BTreeMap::new());
    apply(sections.next().expect("the base"), &mut base);
    let clean = project_findings(&engine, &base, None);
    assert!(clean.is_empty(), "the base has findings:\n{}", clean.join("\n"));
    let (mut missed, mut counts) = (Vec::new(), [0, 0]);
    for section in sections {
        let header = section.lines().next().unwrap_or_default();
        let (rule, _) = header.split_once(": ").expect("a rule and a defect");
        let (set, rule) = rule.split_once(' ').expect("a set and a rule");
        let mut files = Memory(base.0.clone());
        let past = apply(section, &mut files);
        let found = project_findings(&engine, &files, past);
        counts[usize::from(set == "own")] += 1;
        if !found.iter().any(|it| it.contains(&format!(" {rule}"))) {
            missed.push(format!("{header}\n  {}", found.join("\n  ")));
        }
    }
    assert!(missed.is_empty(), "{} of {counts:?}:\n{}", missed.len(), missed.join("\n"));
    assert_eq!(counts, [37, 85]);
}

#[cfg(unix)]
#[test]
#[expect(clippy::disallowed_methods, reason = "writes files with permissions for the test")]
fn a_hook_whose_script_is_not_executable_is_reported() {
    use std::os::unix::fs::PermissionsExt;
    let folder = tempfile::tempdir().expect("a directory");
    let write = |path: &str, text: &str, mode: u32| {
        let path = folder.path().join(path);
        std::fs::create_dir_all(path.parent().expect("a parent")).expect("created");
        std::fs::write(&path, text).expect("written");
        std::fs::set_permissions(&path, std::fs::Permissions::from_mode(mode)).expect("set");
    };
    let settings = r#"{ "hooks": { "Stop": [{ "hooks": [
        { "type": "command", "command": "./a.sh" },
        { "type": "command", "command": "./b.sh" },
        { "type": "command", "command": "./c.sh" },
        { "type": "command", "command": "./a.sh" },
        { "type": "command", "command": "bash a.sh" }] }] } }"#;
    write(".claude/settings.json", settings, 0o644);
    write("a.sh", "exit 0\n", 0o644);
    write("b.sh", "exit 0\n", 0o755);
    write("c.sh", "exit 0\n", 0o644);
    let registry = Registry::new(DISTRIBUTION.pages, &[]);
    let only = Selection { only: vec!["agents/hook-script".to_owned()], ..Selection::default() };
    let engine = Engine::new(&DISTRIBUTION, registry, &Config::default(), &only).expect("valid");
    let disk = aidd_engine::text::files::Disk::new(folder.path());
    let source = Source::new(".claude/settings.json", settings);
    let found = engine.check(&source, &disk).findings;
    let messages: Vec<&str> = found.iter().map(|finding| &*finding.message).collect();
    assert_eq!(messages, ["the script `a.sh` and 1 more are not executable, so the hooks fail"]);
    assert_eq!((found[0].severity, found[0].related.len()), (Severity::Warning, 1));
    let severities = |chmod: &str, scripts: &[&str]| {
        write("setup.sh", chmod, 0o644);
        let paths = [".claude/settings.json", "setup.sh"].iter().chain(scripts);
        let listing = Listing::new(paths.map(|path| (*path).to_owned()));
        let found = engine.check(&source, &Listed { files: &disk, listing: &listing }).findings;
        found.iter().map(|finding| finding.severity).collect::<Vec<Severity>>()
    };
    let all = ["a.sh", "b.sh", "c.sh"];
    assert_eq!(severities("chmod +x a.sh b.sh\n", &all), [Severity::Info, Severity::Warning]);
    assert_eq!(severities("chmod 755 *.sh\n", &all), [Severity::Info]);
    assert_eq!(severities("chmod 644 a.sh c.sh\n", &all), [Severity::Warning]);
    // No script of the project is executable.
    assert_eq!(severities("", &["a.sh", "c.sh"]), [Severity::Info]);
}

/// The findings of all rules on files that steer agents.
fn all_findings(files: &[(&str, &str)]) -> Vec<String> {
    let registry = Registry::new(DISTRIBUTION.pages, &[]);
    let only = Selection { only: vec!["agents/*".to_owned()], ..Selection::default() };
    let engine = Engine::new(&DISTRIBUTION, registry, &Config::default(), &only).expect("valid");
    project_findings(&engine, &memory(files), None)
}

/// The first words of findings: severity, rule and path.
fn heads(found: &[String]) -> Vec<String> {
    found.iter().map(|it| it.split(' ').take(3).collect::<Vec<_>>().join(" ")).collect()
}

#[test]
fn findings_in_copies_and_templates_are_infos() {
    let skill = "---\nname: a\ndescription: Does a.\n---\nRun:\n\n```sh\nmake\n\n## Next\n";
    let link = "---\nname: b\ndescription: Does b.\n---\nSee [it](missing.md).\n";
    let found = all_findings(&[
        (".claude/skills/a/SKILL.md", skill),
        ("dist/skills/a/SKILL.md", skill),
        ("skills/b/SKILL.md", link),
        ("plugins/b/skills/b/SKILL.md", link),
        ("plugins/b/skills/b/missing.md", "Text"),
        ("templates/web/CLAUDE.md", "See [it](missing.md).\n"),
        ("backup/.claude/agents/a.md", "---\nname: a\ntools: Read\n---\nText\n"),
        ("templates/web/.claude/settings.json", r#"{ "permissions": { "allow": ["Bash"] } }"#),
    ]);
    assert_eq!(
        heads(&found),
        [
            "warning agents/unclosed-fence .claude/skills/a/SKILL.md",
            "info agents/agent-fields backup/.claude/agents/a.md",
            "info agents/unclosed-fence dist/skills/a/SKILL.md",
            "warning agents/dead-link skills/b/SKILL.md",
            "info agents/permission-broad templates/web/.claude/settings.json",
            "info agents/dead-link templates/web/CLAUDE.md",
        ],
        "{found:?}"
    );
    assert!(found[2].ends_with("(as in `.claude/skills/a/SKILL.md`)"), "{}", found[2]);
}

#[test]
fn what_claude_code_accepts_is_no_error() {
    let broken = "---\nname: a\ndescription: Does a: first.\n---\nText\n";
    let named = "---\nname: b_c\ndescription: Does b.\n---\nText\n";
    let files = [(".claude/skills/a/SKILL.md", broken), (".claude/skills/b_c/SKILL.md", named)];
    let found = all_findings(&files);
    assert_eq!(
        heads(&found),
        [
            "warning agents/unreadable .claude/skills/a/SKILL.md",
            "info agents/skill-name .claude/skills/b_c/SKILL.md",
        ],
        "{found:?}"
    );
}

#[test]
fn an_error_needs_a_client_that_refuses_the_file() {
    let listed =
        "---\nname: a\ndescription: Does a.\nargument-hint: [one: \"x\" or \"y\"]\n---\nText\n";
    let stray = "---\nname: b\ndescription: Does b.\nno field\n---\nText\n";
    let named = "---\nname: d\ndescription: Does c.\n---\nText\n";
    let long = format!("---\nname: e\ndescription: {}\n---\nText\n", "Does it. ".repeat(130));
    let found = all_findings(&[
        (".agents/skills/a/SKILL.md", listed),
        (".claude/skills/a/SKILL.md", listed),
        (".github/skills/b/SKILL.md", stray),
        (".agents/skills/c/SKILL.md", named),
        (".agents/skills/e/SKILL.md", &long),
        (".cursor/skills/e/SKILL.md", &long),
        (".github/agents/f.agent.md", "---\nname: f\n---\nText\n"),
        (".cursor/mcp.json", r#"{ "mcpServers": { "a": { "command": "a", "env": { "P": 1 } } } }"#),
        (".mcp.json", r#"{ "mcpServers": { "a": { "command": "a", "env": { "P": 1 } } } }"#),
    ]);
    assert_eq!(
        heads(&found),
        [
            "error agents/unreadable .agents/skills/a/SKILL.md",
            "info agents/skill-name .agents/skills/c/SKILL.md",
            "warning agents/skill-description .agents/skills/e/SKILL.md",
            "warning agents/unreadable .claude/skills/a/SKILL.md",
            "warning agents/mcp-shape .cursor/mcp.json",
            "warning agents/skill-description .cursor/skills/e/SKILL.md",
            "info agents/agent-fields .github/agents/f.agent.md",
            "error agents/unreadable .github/skills/b/SKILL.md",
            "warning agents/mcp-shape .mcp.json",
        ],
        "{found:?}"
    );
}

#[test]
fn an_installer_replaces_the_skills_of_its_lock_file() {
    let lock = r#"{ "version": 1, "skills": { "react": { "source": "example/skills" } } }"#;
    let text = "See [it](missing.md).\n";
    let found = all_findings(&[
        ("skills-lock.json", lock),
        (".agents/skills/react/AGENTS.md", text),
        (
            ".agents/skills/react/SKILL.md",
            "---\nname: react\ndescription: Does a.\n---\nSee [it](../b/SKILL.md).\n",
        ),
        (".agents/skills/own/AGENTS.md", text),
        (".agents/skills/one/SKILL.md", "---\nname: one\ndescription: Does a.\n---\nText\n"),
        (".agents/skills/one/AGENTS.md", text),
        (".claude/commands/templates/page.md", text),
    ]);
    assert_eq!(
        heads(&found),
        [
            "info agents/dead-link .agents/skills/one/AGENTS.md",
            "warning agents/dead-link .agents/skills/own/AGENTS.md",
            "info agents/dead-link .agents/skills/react/AGENTS.md",
            "info agents/dead-link .agents/skills/react/SKILL.md",
            "info agents/dead-link .claude/commands/templates/page.md",
        ],
        "{found:?}"
    );
}

#[test]
fn code_at_the_end_needs_no_closing_line() {
    let severity = |code: &str| {
        let text = format!("Run:\n\n```python\n{code}");
        let found = all_findings(&[("AGENTS.md", &text)]);
        found[0].split(' ').next().unwrap_or_default().to_owned()
    };
    assert_eq!(severity("a = 1\n\n# a comment\nb = f(a)\n"), "info");
    assert_eq!(severity("a = 1\n\n- Write tests.\n"), "info");
    assert_eq!(severity("a = 1\n\n## Tests\n"), "warning");
    assert_eq!(severity("a = 1\n\nThen run the tests.\n"), "warning");
}

#[test]
fn rules_of_a_collection_are_for_other_projects() {
    let rule = "Run `npm run build`.\n";
    let names: Vec<String> = (0..20).map(|at| format!(".claude/rules/r{at}.md")).collect();
    let mut files: Vec<(&str, &str)> = names.iter().map(|path| (path.as_str(), "Text")).collect();
    files.push((".claude/rules/build.md", rule));
    files.push(("package.json", r#"{ "scripts": { "test": "vitest" } }"#));
    assert_eq!(all_findings(&files), [""; 0]);
    let sources: Vec<String> = (0..25).map(|at| format!("src/a{at}.md")).collect();
    files.extend(sources.iter().map(|path| (path.as_str(), "Text")));
    let found = all_findings(&files);
    let expected = ["warning agents/missing-command .claude/rules/build.md"];
    assert_eq!(heads(&found), expected, "{found:?}");
}

#[test]
fn what_dotfiles_allow_is_the_choice_of_their_owner() {
    let settings = r#"{ "permissions": { "allow": ["Bash(*)"] } }"#;
    let files = [(".claude/settings.json", settings), ("zsh/.zshrc", "x"), ("git/.gitconfig", "x")];
    assert_eq!(
        heads(&all_findings(&files)),
        ["info agents/permission-broad .claude/settings.json"]
    );
    assert_eq!(
        heads(&all_findings(&files[..2])),
        ["warning agents/permission-broad .claude/settings.json"]
    );
}

#[test]
fn a_name_collision_that_loses_nothing_is_an_info() {
    let agent =
        |name: &str, text: &str| format!("---\nname: {name}\ndescription: Reviews.\n---\n{text}\n");
    let (same, other) = (agent("a", "Review."), agent("b", "Review the interface."));
    let (other_too, skill) = (agent("b", "Review all."), agent("deploy", "Run the script."));
    let files = [
        (".claude/agents/a.md", same.as_str()),
        (".claude/agents/b.md", &other),
        (".claude/agents/more/a.md", &same),
        (".claude/agents/more/b.md", &other_too),
        (".claude/commands/deploy.md", "Run the script.\n"),
        (".claude/skills/deploy/SKILL.md", &skill),
    ];
    let found = all_findings(&files);
    let expected = [
        "info agents/name-collision .claude/agents/more/a.md",
        "warning agents/name-collision .claude/agents/more/b.md",
        "info agents/name-collision .claude/commands/deploy.md",
    ];
    assert_eq!(heads(&found), expected, "{found:?}");
}

#[test]
fn a_plugin_of_claude_code_needs_no_description() {
    let skill = "---\nuser-invocable: false\n---\n\n# Search\n\nFind all patterns.\n";
    let manifest = r#"{ "name": "tool", "description": "A tool.", "version": "1.0.0" }"#;
    let found = all_findings(&[
        ("tool/.claude-plugin/plugin.json", manifest),
        ("tool/skills/search/SKILL.md", skill),
        ("skills/search/SKILL.md", skill),
        ("other/skills/search/SKILL.md", skill),
    ]);
    let found: Vec<String> = found.into_iter().filter(|it| it.contains("description")).collect();
    let expected = [
        "info agents/skill-description other/skills/search/SKILL.md",
        "warning agents/skill-description skills/search/SKILL.md",
        "info agents/skill-description tool/skills/search/SKILL.md",
    ];
    assert_eq!(heads(&found), expected, "{found:?}");
}

#[cfg(unix)]
#[test]
fn a_link_to_a_directory_is_its_path() {
    use aidd_engine::text::files::Disk;
    let folder = tempfile::tempdir().expect("a directory");
    let root = folder.path();
    std::fs::create_dir_all(root.join(".github/skills/a")).expect("created");
    std::fs::create_dir(root.join(".claude")).expect("created");
    std::os::unix::fs::symlink("../.github/skills", root.join(".claude/skills")).expect("linked");
    std::os::unix::fs::symlink("../missing", root.join(".claude/rules")).expect("linked");
    let is_unlisted = |path: &str| elsewhere::is_unlisted(path, &Disk::new(root));
    assert!(is_unlisted(".claude/skills") && is_unlisted(".claude/skills/a"));
    assert!(!is_unlisted(".claude/rules") && !is_unlisted(".claude/agents"));
}

#[test]
fn findings_in_files_that_others_write_are_infos() {
    let agent =
        |mark: &str| format!("---\nname: a\ndescription: Reviews.\n---\n{mark}[it](missing.md)\n");
    let (own, marked) = (agent(""), agent("<!-- Managed by kit; do not edit. -->\n"));
    let files = [
        (".claude/agents/marked.md", marked.as_str()),
        (".claude/agents/listed.md", &own),
        (".claude/agents/own.md", &own),
        (".github/prompts/speckit.plan.prompt.md", &own),
        (".kit/manifest.json", r#"{ "files": [".claude/agents/listed.md"] }"#),
        ("AGENTS.md", "See [it](missing.md).\n"),
        (".copier-answers.yml", "_commit: 1.0.0\n"),
    ];
    let links = |files: &[(&str, &str)]| {
        let found = all_findings(files);
        heads(&found.into_iter().filter(|it| it.contains("dead-link")).collect::<Vec<_>>())
    };
    let mut expected = [
        "info agents/dead-link .claude/agents/listed.md",
        "info agents/dead-link .claude/agents/marked.md",
        "warning agents/dead-link .claude/agents/own.md",
        "info agents/dead-link .github/prompts/speckit.plan.prompt.md",
        "warning agents/dead-link AGENTS.md",
    ]
    .map(str::to_owned);
    assert_eq!(links(&files[..6]), expected);
    // A template writes all of them.
    for it in &mut expected {
        *it = it.replace("warning", "info");
    }
    assert_eq!(links(&files), expected);
}

#[test]
fn what_is_not_checked_out_exists() {
    let files = memory(&[
        ("AGENTS.md", "Text\n"),
        (".github/workflows/copy.yml", "uses: copybara\nexclude: >-\n  plans/**\n"),
    ]);
    let paths = || files.0.keys().cloned();
    let is_unlisted = |path: &str, tracked: Option<Vec<String>>| {
        let listing = Listing::new(paths()).with_tracked(tracked);
        elsewhere::is_unlisted(path, &Listed { files: &files, listing: &listing })
    };
    let tracked = || Some(paths().chain(["docs/a.md".to_owned()]).collect());
    assert!(is_unlisted("docs/a.md", tracked()) && is_unlisted("docs", tracked()));
    assert!(!is_unlisted("docs/a.md", None) && !is_unlisted("docs/b.md", tracked()));
    assert!(is_unlisted("plans/a.md", tracked()) && !is_unlisted("plan/a.md", tracked()));
}
