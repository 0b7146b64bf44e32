//! Tests of the configuration and the rules of a project.

use crate::cli::support::{BLUE, CONSOLE, Project, paths};
use insta::assert_snapshot;

#[test]
fn an_invalid_configuration_exits_with_2_and_the_position() {
    let project = Project::new(&[(".aidd/config.json", "{\n  // why\n  \"failOn\": \"fatal\"\n}")]);
    let error = project.run(&["check", "."]).expect_code(2).err;
    assert_snapshot!(error, @r#"
    error: ROOT/.aidd/config.json:3:13: `failOn`: expected `error`, `warning`, `info` or `never`, found the string "fatal"
    hint: run `aidd config schema` to see the allowed keys and values
    "#);
    for args in [&["doctor"][..], &["config", "show"], &["rule", "list"]] {
        assert_eq!(project.run(args).expect_code(2).err, error);
    }
    project.write(".aidd/config.json", "{\"exclude\": [");
    let output = project.run(&["check", "."]).expect_code(2);
    assert!(output.err.starts_with("error: ROOT/.aidd/config.json:1:"), "{}", output.err);
    project.write(".aidd/config.json", r#"{"exclude": ["a[b"]}"#);
    let output = project.run(&["check", "."]).expect_code(2);
    assert_snapshot!(output.err, @"
    error: ROOT/.aidd/config.json:1:14: `exclude`: not a glob: `a[b`: unclosed character class; missing ']'
    hint: run `aidd config schema` to see the allowed keys and values
    ");
    let output = project.run(&["check", ".", "--config", "none.json"]).expect_code(2);
    assert!(output.err.contains("hint: correct the path in `--config`"), "{}", output.err);
}

#[test]
fn unknown_keys_and_rules_are_findings_with_a_suggestion() {
    let project = Project::new(&[(
        ".aidd/config.json",
        "{\n  \"failsOn\": \"error\",\n  \"rules\": {\"team/old-color\": \"off\"}\n}\n",
    )]);
    project.write("rules/blue.md", BLUE);
    let output = project.run(&["check", "."]).expect_code(1);
    assert_snapshot!(output.out, @r#"
    error[aidd/invalid-config]: unknown key `failsOn`; did you mean `failOn`?
     --> .aidd/config.json:2:3
      |
    1 | {
    2 |   "failsOn": "error",
      |   ^^^^^^^^^
    3 |   "rules": {"team/old-color": "off"}
    4 | }
      |
      = fix: Replace with "failOn" (--fix-unsafe)
      |
    2 -   "failsOn": "error",
    2 +   "failOn": "error",
      |

    error[aidd/invalid-config]: unknown rule `team/old-color`; did you mean `team/old-colour`?
     --> .aidd/config.json:3:13
      |
    1 | {
    2 |   "failsOn": "error",
    3 |   "rules": {"team/old-color": "off"}
      |             ^^^^^^^^^^^^^^^^
    4 | }
      |
      = help: run `aidd rule list` to list all rules
      = fix: Replace with "team/old-colour" (--fix-unsafe)
      |
    3 |   "rules": {"team/old-colour": "off"}
      |                           +

    2 errors in 2 files (TIME); 2 fixable with --fix-unsafe
    next: correct .aidd/config.json first, because it determines what is checked
    "#);
    project.run(&["check", ".", "--fix-unsafe"]).expect_code(0);
    assert!(project.read(".aidd/config.json").contains("\"team/old-colour\": \"off\""));
}

#[test]
fn rules_are_set_by_name_alias_and_glob_and_by_path() {
    let project =
        Project::new(&[("rules/blue.md", BLUE), ("a.txt", "blue"), ("old/b.txt", "blue")]);
    let run = |config: &str| {
        project.write(".aidd/config.json", config);
        let output = project.run(&["check", ".", "--format", "github"]);
        (output.code, paths(&output.out).join(" "))
    };
    assert_eq!(run("{}"), (0, "a.txt old/b.txt".into()));
    assert_eq!(run(r#"{"rules": {"team1": "off"}}"#), (0, String::new()));
    assert_eq!(run(r#"{"rules": {"team/*": "error"}}"#), (1, "a.txt old/b.txt".into()));
    assert_eq!(run(r#"{"rules": {"team/*": "off", "TEAM1": "info"}}"#).1, "a.txt old/b.txt");
    let overrides = r#"{"overrides": [{"files": ["old/"], "rules": {"team/old-colour": "off"}}]}"#;
    assert_eq!(run(overrides), (0, "a.txt".into()));
    let text = project.run(&["config", "show", "old/b.txt"]).expect_code(0).out;
    assert!(text.contains("team/old-colour = off"), "{text}");
    assert!(text.contains("# .aidd/config.json"), "{text}");
    let env = [("AIDD_EXCLUDE", "a.*")];
    let output = project.run_env(&env, &["check", ".", "--format", "github"]).expect_code(0);
    assert_eq!(paths(&output.out).join(""), "");
    assert!(
        project.run_env(&env, &["config", "show"]).expect_code(0).out.contains("# AIDD_EXCLUDE")
    );
}

#[test]
fn unknown_parameters_are_errors_with_a_position() {
    let page = "---\nseverity: warning\ncheck:\n  params: { max: 1 }\n  text: { regex: blue, max: \"${max}\" }\n---\n# team/blue\n\nBlue is old.\n\n## Fails\n\n```txt\nblue blue\n```\n\n```finding\n1:6 blue\n```\n\n## Passes\n\n```txt\nblue\n```\n";
    let project = Project::new(&[("rules/blue.md", page), ("old/b.txt", "blue blue blue")]);
    let run = |params: &str| {
        let config = format!(
            "{{\n  \"overrides\": [\n    {{ \"files\": [\"old/\"], \"rules\": {{ \"team/blue\": {{ \"params\": {params} }} }} }}\n  ]\n}}\n"
        );
        project.write(".aidd/config.json", config);
        let output = project.run(&["check", ".", "--format", "github"]);
        let result = if output.code == 2 { output.err } else { paths(&output.out).join(" ") };
        format!("{} {}", output.code, if result.is_empty() { "nothing" } else { result.trim() })
    };
    let results = [r#"{"max": 2}"#, r#"{"max": 3}"#, r#"{"mx": 3}"#, r#"{"max": "3"}"#].map(run);
    assert_snapshot!(results.join("\n"), @"
    0 old/b.txt
    0 nothing
    2 error: ROOT/.aidd/config.json:3:63: overrides[0]: parameters of `team/blue`: unknown parameter `mx`; known values: `max`
    hint: correct or remove the parameter, or set it for another rule
    2 error: ROOT/.aidd/config.json:3:63: overrides[0]: parameters of `team/blue`: parameter `max`: expected a number, found a string
    hint: correct or remove the parameter, or set it for another rule
    ");
    // Examples use the default values of the page.
    run(r#"{"max": 3}"#);
    project.write(".aidd/config.json", r#"{"rules": {"team/blue": {"params": {"max": 9}}}}"#);
    project.run(&["rule", "test"]).expect_code(0);
}

#[test]
fn rules_are_read_from_every_rules_directory() {
    let page = |id: &str| BLUE.replace("team/old-colour", id);
    let project = Project::new(&[("a.txt", "blue")]);
    project.write("rules/one.md", page("team/one"));
    project.write("ai/rules/two.md", page("team/two"));
    project.write(".aidd/rules/team/three.md", page("team/three"));
    let output = project.run(&["check", ".", "--format", "github"]).expect_code(0);
    for rule in ["team/one", "team/two", "team/three"] {
        assert!(output.out.contains(rule), "{rule}: {}", output.out);
    }
    let list = project.run(&["rule", "list", "team/*"]).expect_code(0);
    assert_snapshot!(list.out, @r"
    warning team/one    Blue is last year's colour. [TEAM1]
    warning team/three  Blue is last year's colour. [TEAM1]
    warning team/two    Blue is last year's colour. [TEAM1]
    ");
    assert_eq!(list.err, "3 rules; `aidd explain RULE` shows details\n");
    let none = project.run(&["rule", "list", "tema/*"]).expect_code(0);
    assert_eq!(none.err, "0 rules; `aidd rule list` without a pattern lists all rules\n");
}

#[test]
fn pages_of_other_tools_in_a_rules_directory_are_ignored() {
    let project = Project::new(&[("rules/a.md", "---\ntitle: A\nglobs: '*.ts'\n---\n# A\n")]);
    project.write("rules/b.md", "# No header\n");
    project.write("ai/rules/c.md", "---\ntitle: never closed\n");
    assert_eq!(project.run(&["check", "."]).expect_code(0).out, "no problems in 3 files (TIME)\n");
    project.run(&["doctor"]).expect_code(0);
    project.write(".aidd/rules/a.md", "---\ntitle: A\n---\n# A\n");
    let output = project.run(&["check", "."]).expect_code(1);
    assert!(output.out.contains("unknown key `title`"), "{}", output.out);
}

#[test]
fn an_invalid_page_is_a_finding_on_that_page() {
    let project = Project::new(&[("rules/blue.md", &BLUE.replace("severity:", "severty:"))]);
    let output = project.run(&["check", "."]).expect_code(1);
    assert_snapshot!(output.out, @r#"
    error[aidd/malformed-page]: unknown key `severty`; did you mean `severity`?
     --> rules/blue.md:2:1
      |
    1 | ---
    2 | severty: warning
      | ^^^^^^^
    3 | aliases: [TEAM1]
    4 | message: "`<match>` is not our colour"
      |
      = fix: Replace with `severity` (--fix-unsafe)
      |
    2 | severity: warning
      |      +

    1 error in 1 file (TIME); 1 fixable with --fix-unsafe
    next: correct rules/blue.md first, because it determines what is checked
    "#);
    let message = "rules/blue.md:2:1: unknown key `severty`";
    assert!(project.run(&["rule", "test"]).expect_code(1).out.contains(message));
    assert!(project.run(&["doctor"]).expect_code(1).out.contains(message));
    for (from, to) in [("regex: 'blue'", "regex: '(blue'"), ("regex: 'blue'", "regex: '(?=b)'")] {
        project.write("rules/blue.md", BLUE.replace(from, to));
        let output = project.run(&["check", "."]).expect_code(1);
        assert!(
            output.out.contains("error[aidd/malformed-page]: the check cannot run: "),
            "{}",
            output.out
        );
    }
    project.write("rules/blue.md", CONSOLE.replace("[javascript]", "[cobol]"));
    let output = project.run(&["check", "."]).expect_code(1);
    assert!(
        output.out.contains("`cobol` is not a built-in language; expected one of bash, c, "),
        "{}",
        output.out
    );
}

/// Replaces the template's reason in a new page, and enables its check.
fn edited(project: &Project, id: &str) -> String {
    let path = format!(".aidd/rules/{id}.md");
    let page = project.read(&path);
    let reason = "Explain why it matters, in one or two short paragraphs.";
    let enabled = page.lines().filter(|line| !line.starts_with("enabled: false"));
    let page = enabled.collect::<Vec<_>>().join("\n").replace(reason, "The reason.");
    project.write(&path, format!("{page}\n"));
    project.read(&path)
}

#[test]
fn a_new_page_is_off_until_it_is_edited() {
    let project = Project::new(&[
        ("package.json", "{ \"dependencies\": { \"axios\": \"1.0.0\" } }"),
        ("src/a.ts", "import axios from \"axios\"\nconst b = require(\"axios\")\n"),
    ]);
    project.run(&["rule", "new", "team/no-direct-axios"]).expect_code(0);
    let page = project.read(".aidd/rules/team/no-direct-axios.md");
    assert!(page.contains("to: \"npm:axios\""), "{page}");
    project.run(&["check", "."]).expect_code(0);
    let output = project.run(&["rule", "test"]).expect_code(1);
    assert_snapshot!(output.out, @"
    .aidd/rules/team/no-direct-axios.md:14:1: replace the text of the template: state the reason
    team/no-direct-axios: 2 findings in the project; applies to 2 imports
    team/no-direct-axios: disabled; delete `enabled: false` from the header to enable it
    ");
    edited(&project, "team/no-direct-axios");
    let output = project.run(&["rule", "test"]).expect_code(0);
    assert_snapshot!(output.out, @"team/no-direct-axios: 2 findings in the project; applies to 2 imports");
}

#[test]
fn a_malformed_page_of_a_named_rule_is_an_error() {
    let page =
        |check: &str| format!("---\nseverity: error\ncheck:\n{check}---\n# team/x\n\nWhy.\n");
    let project = Project::new(&[(".aidd/rules/x.md", &page("  text: { regex: 'a(?!b)' }\n"))]);
    let run = |command: &[&str]| project.run(command).expect_code(2).err;
    let look_around = run(&["check", ".", "--only", "team/x"]);
    assert_snapshot!(look_around, @"error: .aidd/rules/x.md:4:20: the check cannot run: `(?!` is look-around, which is not supported: use `unless` or `unless-match` in a `text` check, `not` in a `syntax` check, or list paths in `exclude`");
    project.write(".aidd/rules/x.md", page("  exlude: [a]\n  text: { regex: 'a' }\n"));
    let unknown = run(&["check", ".", "--only", "team/*"]);
    assert_snapshot!(unknown, @"error: .aidd/rules/x.md:4:3: unknown key `exlude`; did you mean `exclude`?");
    assert_eq!(run(&["rule", "test", "team/x"]), unknown);
}

#[test]
fn a_pattern_that_matches_nothing_is_shown_as_a_tree() {
    let project = Project::new(&[("main.go", "package main\n")]);
    project.run(&["rule", "new", "team/print", "--form", "syntax"]).expect_code(0);
    let page = edited(&project, "team/print");
    assert!(page.contains("language: go"), "{page}");
    project.run(&["rule", "test"]).expect_code(0);
    let pattern =
        "{ pattern: { context: 'func f() { fmt.Println($$$ARGS) }', selector: call_expression } }";
    let page = page.replace(pattern, "{ pattern: 'fmt.Println($A)' }");
    project.write(".aidd/rules/team/print.md", page);
    assert_snapshot!(project.run(&["rule", "test"]).expect_code(1).out, @r#"
    .aidd/rules/team/print.md:18:1: expected `4:2 fmt.Println(user)`, found no finding
    .aidd/rules/team/print.md:18:1: no node of the example matches
      pattern `fmt.Println($A)`:
        type_conversion_expression
          qualified_type
            package_identifier "fmt"
            type_identifier "Println"
          $A
      on its own, the pattern is parsed as other code; write: pattern: { context: 'func f() { fmt.Println($A) }', selector: call_expression }
      example internal/user.go:
        source_file
          package_clause
            package_identifier "user"
          function_declaration
            identifier "show"
            parameter_list
              parameter_declaration
                identifier "user"
                type_identifier "string"
            block
              statement_list
                expression_statement
                  call_expression
                    selector_expression
                      identifier "fmt"
                      field_identifier "Println"
                    argument_list
                      identifier "user"
    team/print: 0 findings in the project; applies to 1 file
    "#);
}

#[test]
fn rules_are_created_tested_and_explained() {
    let project = Project::new(&[]);
    let forms =
        ["text", "syntax", "tree", "data", "layers", "dependencies", "commit", "doc", "guidance"];
    for form in forms {
        let id = format!("team/{form}-rule");
        let output = project.run(&["rule", "new", &id, "--form", form]).expect_code(0);
        assert_eq!(output.out, format!(".aidd/rules/{id}.md\n"));
    }
    for form in forms {
        edited(&project, &format!("team/{form}-rule"));
    }
    let output = project.run(&["rule", "test"]).expect_code(0);
    assert_snapshot!(output.out, @"
    team/commit-rule: applies to commits, in `aidd ci`, `aidd check --diff BASE` and `aidd hook commit-msg`
    team/data-rule: applies to 0 files, so it cannot find anything
    team/dependencies-rule: applies to 0 files, so it cannot find anything
    team/doc-rule: applies to 0 files, so it cannot find anything
    team/guidance-rule: guidance only, nothing to test
    team/layers-rule: applies to 0 files, so it cannot find anything
    team/syntax-rule: applies to 0 files, so it cannot find anything
    team/text-rule: applies to 0 files, so it cannot find anything
    team/tree-rule: applies to 0 files, so it cannot find anything
    ");
    assert_eq!(output.err, "8 rules tested, 0 failed\n");
    project.run(&["rule", "test", "team/text-rule"]).expect_code(0);
    project.run(&["check", "."]).expect_code(0);
    assert!(project.run(&["rule", "new", "team/text-rule"]).expect_code(2).err.contains("already"));
    assert!(project.run(&["rule", "new", "Text"]).expect_code(2).err.contains("kind/kebab-name"));
    project.write("rules/blue.md", BLUE.replace("1:3 blue", "1:4 blue"));
    let output = project.run(&["rule", "test", "TEAM1"]).expect_code(1);
    assert!(output.out.contains("expected `1:4 blue`, found `1:3 blue`"), "{}", output.out);
    let output = project.run(&["explain", "team/old-colour"]).expect_code(0);
    let facts = "team/old-colour\nwarning · enabled in this project · also TEAM1 · rules/blue.md\n";
    assert!(output.out.starts_with(facts), "{}", output.out);
    assert!(output.out.contains("\n# aidd:allow team/old-colour REASON\n"), "{}", output.out);
    assert_eq!(
        project.run(&["explain", "team1", "--markdown"]).expect_code(0).out,
        project.read("rules/blue.md")
    );
}

#[test]
fn the_doctor_reports_the_setup() {
    let project = Project::new(&[("rules/blue.md", BLUE), ("rules/console.md", CONSOLE)]);
    for path in ["a.txt", "b.txt", "c.js", "d/Dockerfile", "e.md"] {
        project.write(path, "");
    }
    project.write(".aidd/config.json", r#"{"exclude": ["d/"]}"#);
    let output = project.run(&["doctor"]).expect_code(0);
    assert!(
        output.out.contains("rule           team/old-colour applies to 2 files"),
        "{}",
        output.out
    );
    assert!(output.out.contains("rule           team/console applies to 1 file"), "{}", output.out);
    assert!(!output.out.contains("Dockerfile"), "{}", output.out);
    assert!(output.out.ends_with("no problems with the setup\n"), "{}", output.out);
}

#[test]
fn enabled_rules_are_exported_to_agents_md() {
    let page = "---\nseverity: error\nhelp: Use the logger\ncheck:\n  files: [\"src/**\"]\n  text: { regex: 'print!' }\n\
                ---\n# team/no-print\n\nOutput goes through the logger. It has levels.\n";
    let project = Project::new(&[
        (
            ".aidd/config.json",
            r#"{"rules": {"mermaid/*": "off", "memory/*": "off", "secrets/*": "off", "tkb/*": "off"}}"#,
        ),
        (".aidd/rules/no-print.md", page),
        ("rules/naming.md", "# Naming\n\nFunctions MUST be verbs. Types are nouns.\n"),
        ("AGENTS.md", "# Ours\n\nBe kind.\n"),
    ]);
    let export = ["rule", "export", "agents-md"];
    assert_eq!(
        project.run(&[&export[..], &["--check"]].concat()).expect_code(1).err.lines().count(),
        1
    );
    project.run(&export).expect_code(0);
    assert_snapshot!(project.read("AGENTS.md"), @"
    # Ours

    Be kind.

    <!-- aidd:rules -->
    ## Rules

    Checked by `aidd check` in the editor, the pull request and the agent; `aidd explain RULE` shows details. Written by `aidd rule export agents-md`.

    - MUST: Output goes through the logger (`team/no-print`; `src/**`). Use the logger
    - Functions MUST be verbs (`rules/naming.md`)

    Also checked:

    - `a11y/*`, 48 rules
    - `agents/*`, 60 rules
    - `aidd/*`, 5 rules
    - `deps/*`, 7 rules
    - `dockerfile/*`, 84 rules
    - `i18n/*`, 21 rules
    - `openapi/*`, 50 rules
    - `perf/*`, 43 rules
    - `repository/*`, 1 rule
    - `sql/*`, 34 rules
    - `tests/*`, 35 rules
    - `tokens/*`, 17 rules
    <!-- /aidd:rules -->
    ");
    let written = project.read("AGENTS.md");
    assert_eq!(project.run(&export).expect_code(0).err, "AGENTS.md is up to date\n");
    project.run(&[&export[..], &["--check"]].concat()).expect_code(0);
    assert_eq!(project.read("AGENTS.md"), written);
    project.run(&["rule", "export", "agents-md", "-o", "docs.md"]).expect_code(0);
    assert!(project.read("docs.md").starts_with("<!-- aidd:rules -->\n"));
    let output = project.run(&["rule", "export", "agents-md", "-o", "../x.md"]).expect_code(2);
    assert!(output.err.contains("is outside of the project"), "{}", output.err);
    project.write("AGENTS.md", "<!-- aidd:rules -->\n");
    let output = project.run(&export).expect_code(2);
    assert!(
        output.err.contains("`<!-- aidd:rules -->` on line 1 has no matching marker"),
        "{}",
        output.err
    );
}

#[test]
fn init_preserves_an_invalid_configuration_and_reports_its_position() {
    let project = Project::new(&[(".aidd/config.json", "{\n  \"failOn\": \"loud\"\n}\n")]);
    let output = project.run(&["init"]).expect_code(2);
    assert!(output.out.contains("unchanged: .aidd/config.json"), "{}", output.out);
    let problem =
        output.err.lines().find(|line| line.contains("config.json:2:13: ")).expect("the position");
    assert!(problem.contains("loud"), "{problem}");
    assert_eq!(project.read(".aidd/config.json"), "{\n  \"failOn\": \"loud\"\n}\n");
    project.write(".aidd/config.json", "{}\n");
    project.run(&["init"]).expect_code(0);
}
