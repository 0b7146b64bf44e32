//! Tests of rules on the whole project: files and names, values, conditions, parameters and packs.

use crate::cli::support::{Project, paths};
use insta::assert_snapshot;

const README: &str = "---\nseverity: error\ncheck:\n  tree: { each: 'packages/<pkg>/', exists: ['<path>/README.md'] }\n  fix: { create: true }\n---\n# team/readme\n\nSay it.\n\n## Template\n\n```markdown\n# <pkg>\n```\n";

fn project() -> Project {
    let project = Project::new(&[("rules/readme.md", README)]);
    project.write("packages/a/x.ts", "");
    project.write("packages/b/README.md", "# b\n");
    project
}

#[test]
fn a_missing_file_is_reported_at_its_path_and_created_on_request() {
    let project = project();
    let output = project.run(&["check", "."]).expect_code(1);
    assert_snapshot!(output.out, @"
    error[team/readme]: `packages/a` has no `packages/a/README.md`
     --> packages/a/README.md:1:1
      |
    1 |
      | ^
      |
      = fix: Create packages/a/README.md from the rule's template (--fix-unsafe)
      |
    1 + # a
      |

    1 error in 3 files (TIME); 1 fixable with --fix-unsafe
    next: read the reason and the fix with `aidd explain team/readme`
    ");
    let output = project.run(&["check", ".", "--fix-unsafe", "--dry-run"]).expect_code(1);
    assert_snapshot!(output.out, @"
    --- /dev/null
    +++ b/packages/a/README.md
    @@ -0,0 +1 @@
    +# a
    ");
    project.run(&["check", ".", "--fix"]).expect_code(1);
    project.run(&["check", ".", "--fix-unsafe"]).expect_code(0);
    assert_eq!(project.read("packages/a/README.md"), "# a\n");
}

#[test]
fn a_partial_check_uses_the_whole_project() {
    let project = project();
    project.run(&["check", "packages/b"]).expect_code(0);
    let output = project.run(&["check", "packages/a", "--format", "github"]).expect_code(1);
    assert_eq!(paths(&output.out), ["packages/a/README.md"]);
    project.write(".aidd/config.json", r#"{"exclude": ["packages/a/"]}"#);
    project.run(&["check", "."]).expect_code(0);
    let off = r#"{"overrides": [{"files": ["packages/a/**"], "rules": {"team/readme": "off"}}]}"#;
    project.write(".aidd/config.json", off);
    project.run(&["check", "."]).expect_code(0);
}

#[test]
fn findings_on_the_project_can_be_baselined() {
    let project = project();
    project.run(&["baseline", "write"]).expect_code(0);
    project.run(&["check", "."]).expect_code(0);
    project.write("packages/c/x.ts", "");
    let output = project.run(&["check", ".", "--format", "github"]).expect_code(1);
    assert_eq!(paths(&output.out), ["packages/c/README.md"]);
}

#[test]
fn a_rule_without_matching_files_is_reported() {
    let project = project();
    project.write(
        "rules/none.md",
        "---\nseverity: info\ncheck:\n  when: { file: '**/go.mod' }\n  files: ['*.yml']\n  data: { at: '$.a', present: true }\n---\n# team/none\n\nWhy.\n",
    );
    let output = project.run(&["check", ".", "--verbose", "--quiet"]);
    assert_snapshot!(output.err, @"
    note: team/none applies to 0 files, so it cannot find anything
    note: team/readme applies to 2 files or directories
    ");
    let output = project.run(&["doctor"]);
    assert!(output.out.contains("team/none applies to 0 files"), "{}", output.out);
}

#[test]
fn packs_enable_rules_and_the_configuration_takes_precedence() {
    let project = Project::new(&[("src/a.txt", "a\n")]);
    project.run(&["check", "."]).expect_code(0);
    let paths_with = |config: &str| {
        project.write(".aidd/config.json", config);
        let output = project.run(&["check", ".", "--format", "github"]);
        paths(&output.out).join(" ")
    };
    assert_eq!(paths_with(r#"{"compliance": ["repository"]}"#), "LICENSE README.md");
    let off = r#"{"compliance": ["repository"], "rules": {"repository/missing-readme": "off"}}"#;
    assert_eq!(paths_with(off), "LICENSE");
    project.write(".aidd/config.json", r#"{"compliance": ["repositry"]}"#);
    let output = project.run(&["check", "."]).expect_code(2);
    assert!(
        output.err.contains("unknown pack `repositry`; did you mean `repository`?"),
        "{}",
        output.err
    );
}

#[test]
fn parameters_are_set_by_the_project_and_type_checked() {
    let project = Project::new(&[("src/a.txt", "1\n2\n3\n")]);
    project.write(
        "rules/long.md",
        "---\nseverity: error\ncheck:\n  params: { max: 2 }\n  tree: { each: 'src/*', lines: { max: \"${max}\" } }\n---\n# team/long\n\nWhy.\n",
    );
    project.run(&["check", "."]).expect_code(1);
    let set = |value: &str| {
        let config = format!(r#"{{"rules": {{"team/long": {{"params": {{"max": {value}}}}}}}}}"#);
        project.write(".aidd/config.json", &config);
        project.run(&["check", "."])
    };
    set("3").expect_code(0);
    let error = set("\"3\"").expect_code(2).err;
    assert!(
        error.contains(
            "parameters of `team/long`: parameter `max`: expected a number, found a string"
        ),
        "{error}"
    );
}

#[test]
fn a_directory_can_have_its_own_rules() {
    let project = Project::new(&[("packages/a/x.bak", ""), ("packages/b/x.bak", "")]);
    project.write(
        "packages/a/ai/rules/bak.md",
        "---\nseverity: error\ncheck:\n  tree: { absent: '**/*.bak' }\n---\n# team/bak\n\nWhy.\n",
    );
    let output = project.run(&["check", ".", "--format", "github"]).expect_code(1);
    assert_eq!(paths(&output.out), ["packages/a/x.bak"]);
}

#[test]
fn a_file_is_renamed_on_request_without_overwriting() {
    let project = Project::new(&[(
        "rules/named.md",
        "---\nseverity: error\ncheck:\n  tree: { each: 'src/*.ts', name: kebab }\n  fix: { rename: true }\n---\n# team/named\n\nWhy.\n",
    )]);
    project.write("src/UserCard.ts", "a\n");
    let output = project.run(&["check", ".", "--fix-unsafe", "--dry-run"]).expect_code(1);
    assert_snapshot!(output.out, @"
    rename from src/UserCard.ts
    rename to src/user-card.ts
    ");
    project.run(&["check", ".", "--fix"]).expect_code(1);
    project.run(&["check", ".", "--fix-unsafe"]).expect_code(0);
    assert_eq!(project.read("src/user-card.ts"), "a\n");
    assert!(!project.path().join("src/UserCard.ts").exists());
    project.write("src/UserCard.ts", "b\n");
    project.run(&["check", ".", "--fix-unsafe"]).expect_code(1);
    assert_eq!(project.read("src/UserCard.ts"), "b\n");
    assert_eq!(project.read("src/user-card.ts"), "a\n");
}

#[test]
fn a_missing_sibling_file_is_created_on_request() {
    let project = Project::new(&[(
        "rules/tested.md",
        "---\nseverity: error\ncheck:\n  exclude: ['*.test.ts']\n  tree: { each: 'src/**/*.ts', exists: '<dir>/<stem>.test.ts' }\n  fix: { create: true }\n---\n# team/tested\n\nWhy.\n\n## Template\n\n```ts\ntest('<stem>')\n```\n",
    )]);
    project.write("src/a/b.ts", "");
    let output = project.run(&["check", ".", "--fix-unsafe", "--dry-run"]).expect_code(1);
    assert_snapshot!(output.out, @"
    --- /dev/null
    +++ b/src/a/b.test.ts
    @@ -0,0 +1 @@
    +test('b')
    ");
    let json = project.run(&["check", ".", "--format", "json"]).expect_code(1).out;
    let json: serde_json::Value = serde_json::from_str(&json).expect("JSON");
    assert_eq!(json["findings"][0]["fix"]["create"]["path"], "src/a/b.test.ts");
    project.run(&["check", ".", "--fix-unsafe"]).expect_code(0);
    assert_eq!(project.read("src/a/b.test.ts"), "test('b')\n");
}

#[test]
fn a_project_pack_is_used_and_its_errors_are_reported() {
    let project = Project::new(&[("a.txt", "blue\n")]);
    let page =
        crate::cli::support::BLUE.replace("severity: warning", "severity: error\nenabled: false");
    project.write(".aidd/rules/blue.md", page);
    project.run(&["check", "."]).expect_code(0);
    project
        .write(".aidd/packs/team.md", "---\npack: { rules: ['team/*'] }\n---\n# team\n\nOurs.\n");
    project.write(".aidd/config.json", "{\"compliance\": [\"./team\"]}");
    let output = project.run(&["check", ".", "--format", "github"]).expect_code(1);
    assert_eq!(paths(&output.out), ["a.txt"]);
    project.write(".aidd/packs/team.md", "---\npack: { rulez: ['team/*'] }\n---\n# team\n");
    let output = project.run(&["check", "."]).expect_code(2);
    assert!(
        output.err.contains(
            "pack `./team`: .aidd/packs/team.md:2:9: unknown key `rulez`; did you mean `rules`?"
        ),
        "{}",
        output.err
    );
}
