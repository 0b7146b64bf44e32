//! Severities and messages that depend on who wrote a file, and on how other files use it.

use super::{all_findings, heads, memory};
use crate::DISTRIBUTION;
use aidd_engine::check::{Engine, Selection};
use aidd_engine::project::config::Config;
use aidd_engine::rules::registry::Registry;
use aidd_engine::text::files::Listed;
use aidd_engine::text::listing::Listing;
use aidd_engine::text::source::Source;

#[test]
fn an_agent_that_a_command_reads_as_text_is_an_info() {
    let agent = "---\ndescription: Finds defects.\n---\nFind them.\n";
    let note = "---\nname: Steps\n---\nThis is NOT a Task tool agent.\n";
    let weekly = "Use `subagent_type: \"general-purpose\"`.\nRead `.claude/agents/a.md`.\n\
                  Start `subagent_type: \"b\"`, which `.claude/agents/b.md` defines.\n";
    let lead = "Do NOT spawn a lead: read `.claude/agents/c.md`.\nStart `.claude/agents/e.md`.\n";
    let found = all_findings(&[
        (".claude/agents/a.md", agent),
        (".claude/agents/b.md", &agent.replace("defects", "gaps")),
        (".claude/agents/c.md", "---\ndescription: Leads the team.\n---\nLead.\n"),
        (".claude/agents/d.md", note),
        (".claude/agents/e.md", "---\ndescription: Writes tests.\n---\nWrite.\n"),
        (".claude/commands/lead.md", lead),
        (".claude/commands/weekly.md", weekly),
    ]);
    assert_eq!(
        heads(&found),
        [
            "info agents/agent-fields .claude/agents/a.md",
            "warning agents/agent-fields .claude/agents/b.md",
            "info agents/agent-fields .claude/agents/c.md",
            "info agents/agent-fields .claude/agents/d.md",
            "warning agents/agent-fields .claude/agents/e.md",
        ],
        "{found:?}"
    );
}

#[test]
fn links_in_texts_of_others_are_infos() {
    let skill = |name: &str, header: &str| {
        format!("---\nname: {name}\ndescription: Does {name}.\n{header}---\nSee [it](no.md).\n")
    };
    let author = |name: &str| format!("metadata:\n  author: {name}\n");
    let found = all_findings(&[
        ("README.md", "Made by the Shop team, https://github.com/shop/site.\n"),
        (".claude/skills/a/SKILL.md", &skill("a", &author("Ann <https://github.com/ann-other>"))),
        (".claude/skills/b/SKILL.md", &skill("b", &author("Bob <https://github.com/shop>"))),
        (".claude/skills/c/SKILL.md", &skill("c", "")),
        (".claude/skills/d/SKILL.md", &skill("d", "")),
        (".claude/skills/d/SYNC.md", "Copied from another repository.\n"),
        (".cursor/rules/e.mdc", "---\nalwaysApply: true\n---\nSee [it](mdc:no.md).\n"),
        (".cursor/rules/f.mdc", "---\nalwaysApply: true\n---\nSee [it](mdc:docs/no.md).\n"),
    ]);
    assert_eq!(
        heads(&found),
        [
            "info agents/dead-link .claude/skills/a/SKILL.md",
            "warning agents/dead-link .claude/skills/b/SKILL.md",
            "warning agents/dead-link .claude/skills/c/SKILL.md",
            "info agents/dead-link .claude/skills/d/SKILL.md",
            "info agents/dead-link .cursor/rules/e.mdc",
            "warning agents/dead-link .cursor/rules/f.mdc",
        ],
        "{found:?}"
    );
}

#[test]
fn a_plugin_of_the_settings_can_have_the_skill() {
    let agent =
        "---\nname: a\ndescription: Reviews.\nskills: [review, reviews, signals]\n---\nText\n";
    let skill = "---\nname: review\ndescription: Reviews.\n---\nSteps.\n";
    let files = |settings: &'static str| {
        let mut files = vec![
            (".claude/agents/a.md", agent),
            (".claude/settings.json", settings),
            (".claude/skills/review/SKILL.md", skill),
        ];
        files.push(("tools/own/.claude-plugin/plugin.json", r#"{ "name": "own" }"#));
        let found = all_findings(&files);
        found.into_iter().filter(|it| it.contains("agent-reference")).collect::<Vec<String>>()
    };
    let near = "agents/agent-reference .claude/agents/a.md the project has no skill `reviews`";
    let far = "agents/agent-reference .claude/agents/a.md the project has no skill `signals`";
    let both = [format!("warning {near}"), format!("warning {far}")];
    assert_eq!(
        files(r#"{ "enabledPlugins": { "other@market": true } }"#),
        [format!("info {near}")]
    );
    assert_eq!(files(r#"{ "enabledPlugins": { "other@market": false } }"#), both);
    assert_eq!(files(r#"{ "enabledPlugins": { "own@market": true } }"#), both);
    assert_eq!(files(r#"{ "enabledPlugins": { "rust-lsp@market": true } }"#), both);
}

#[test]
fn a_template_at_the_end_is_an_info() {
    let template = "Write the plan:\n\n```md\n# Goals\n\n## Tasks\n";
    let unfilled = "Rules of {{ cookiecutter.name }}\n\n```sh\nmake\n\n## Next\n";
    let found = all_findings(&[
        (".claude/commands/a.md", template),
        (".claude/commands/b.md", unfilled),
        (".claude/commands/c.md", "Run:\n\n```sh\nmake\n\n## Next\n"),
    ]);
    let expected = ["info a", "info b", "warning c"].map(|it| {
        let (severity, name) = it.split_once(' ').unwrap_or_default();
        format!("{severity} agents/unclosed-fence .claude/commands/{name}.md")
    });
    assert_eq!(heads(&found), expected, "{found:?}");
}

#[test]
fn codex_takes_the_name_of_a_skill_from_its_directory() {
    let skill = (".agents/skills/a/SKILL.md", "---\ndescription: Does a.\n---\nSteps.\n");
    let severity = |found: Vec<String>| heads(&found).first().cloned().unwrap_or_default();
    let codex = severity(all_findings(&[skill]));
    assert_eq!(codex, "info agents/skill-name .agents/skills/a/SKILL.md");
    let copilot = (".github/copilot-instructions.md", "Use short functions.\n");
    let copilot = severity(all_findings(&[skill, copilot]));
    assert_eq!(copilot, "warning agents/skill-name .agents/skills/a/SKILL.md");
}

#[test]
fn a_rule_with_text_after_its_parenthesis_says_so() {
    let settings = r#"{ "permissions": { "deny": ["Bash(rm -rf /)*", "Bash(ls"] } }"#;
    let found = all_findings(&[(".claude/settings.json", settings)]);
    let has = |text: &str| found.iter().any(|it| it.contains(text));
    assert!(has("`Bash(rm -rf /)*` has text after its parenthesis"), "{found:?}");
    assert!(has("`Bash(ls` lacks a parenthesis"), "{found:?}");
}

#[test]
fn a_tracked_file_can_be_ignored() {
    let path = ".claude/settings.local.json";
    let registry = Registry::new(DISTRIBUTION.pages, &[]);
    let only = vec!["agents/local-file-tracked".to_owned()];
    let only = Selection { only, ..Selection::default() };
    let engine = Engine::new(&DISTRIBUTION, registry, &Config::default(), &only).expect("valid");
    let message = |ignored: &str| {
        let files = memory(&[(path, "{}"), (".gitignore", ignored)]);
        let paths = vec![".gitignore".to_owned(), path.to_owned()];
        let listing = Listing::new(paths.clone()).with_tracked(Some(paths));
        let source = Source::new(path, "{}");
        let found = engine.check(&source, &Listed { files: &files, listing: &listing }).findings;
        found.into_iter().map(|finding| finding.message).collect::<Vec<String>>().join("\n")
    };
    let expected = "this file belongs to one user and is tracked although ignored";
    assert_eq!(message("*.local.json\n"), expected);
    assert_eq!(message("dist/\n"), "this file belongs to one user, but Git does not ignore it");
}
