//! Tests of what a pull request says about evolution, and of drafted rules that are tried on a history.

use crate::pull_requests::pull_request::PullRequest;
use crate::pull_requests::support::print as run;
use crate::repository::Repository;
use insta::assert_snapshot;

/// Drafts settings or a rule from a text, and returns what is printed.
fn draft(repository: &Repository, category: &str, title: &str, text: &str) -> String {
    repository.write("draft.txt", text);
    let printed = run(repository, &["draft", "create", category, title, "--file", "draft.txt"]);
    repository.git(&["clean", "--quiet", "--force", "draft.txt"]);
    printed
}

#[test]
fn a_pull_request_names_the_settings_that_evolution_changes() {
    let files = [(".gitignore", ".aidd/data*\n"), (".aidd/config.json", "{}"), ("a.txt", "teal\n")];
    let mut scene = PullRequest::new(&files, |server| {
        let patch = r#"{"overlay": {"routing": {"backend/bugfix": "security-auditor"},
            "models": {"backend/bugfix": "maker/large-1"}}}"#;
        let printed = draft(server, "settings", "prefer the security auditor", patch);
        let id = printed.split_whitespace().next().expect("an id");
        run(server, &["draft", "approve", id]);
    });
    let runner = scene.standard_runner();
    assert_snapshot!(runner.ci_summary(&[]), @"
    exit 0, (first parent of the merge commit)
    this change contains evolution (.aidd/evolution/applied.json): routing of backend/bugfix: none → security-auditor; models of backend/bugfix: none → maker/large-1
    ");
    runner.ci(&[]);
    let summary = runner.text("summary.md");
    let line = summary.lines().find(|line| line.contains("evolution")).unwrap_or_default();
    assert!(line.contains("security-auditor") && line.contains("large-1"), "{summary}");
    // The revert is in the same pull request, so nothing is left to name.
    scene.server.git(&["switch", "--quiet", "topic"]);
    run(&scene.server, &["evolve", "revert", "--all"]);
    scene.server.commit(&[]);
    scene.server.git(&["switch", "--quiet", "main"]);
    scene.push(&[("b.txt", "teal\n")]);
    assert_snapshot!(scene.standard_runner().ci_summary(&[]), @"exit 0, (first parent of the merge commit)");
}

/// A rule against `moment(`.
const RULE: &str = "---\nseverity: info\ncheck:\n  files: [\"*.ts\"]\n  text:\n    regex: '\\bmoment\\('\n    keywords: [moment]\n---\n# team/no-moment\n\nDates have a time zone.\n\n## Fails\n\n```ts\nconst a = moment();\n```\n\n```finding\n1:11 moment(\n```\n\n## Passes\n\n```ts\nconst a = clock();\n```\n";

#[test]
fn a_drafted_rule_is_tried_on_commits_that_were_reverted_later() {
    let repository = Repository::new();
    repository.commit(&[(".gitignore", ".aidd/data*\n"), (".aidd/config.json", "{}")]);
    for n in 0..3 {
        let file = format!("moment{n}.ts");
        let commit = repository.commit(&[(&file, "const a = moment();\n")]);
        if n < 2 {
            repository.git(&["revert", "--no-edit", &commit]);
        }
    }
    for n in 0..8 {
        repository.commit(&[(&format!("clock{n}.ts"), "const a = clock();\n")]);
    }
    let printed = draft(&repository, "rules", "no moment", RULE);
    let notes: Vec<&str> = printed.lines().filter(|line| line.starts_with('-')).collect();
    assert_snapshot!(notes.join("\n"), @"
    - project: 1 finding in 1 of 9 files
    - moment2.ts:1 const a = moment();
    - last 14 commits: a finding in 2 of 2 that were reverted later, and in 1 of 12 others
    ");
    // A rule that most commits break is called noisy.
    let noisy = RULE.replace("clock", "other").replace("moment", "clock");
    let printed = draft(&repository, "rules", "never use a clock", &noisy);
    let notes: Vec<&str> = printed.lines().filter(|line| line.contains("commits")).collect();
    assert_snapshot!(notes.join("\n"), @"- last 14 commits: a finding in 0 of 2 that were reverted later, and in 8 of 12 others; noisy: more than a tenth of them");
}
