//! Tests of `aidd init`.

use crate::cli::support::Project;
use insta::assert_snapshot;

#[test]
fn init_can_be_run_again() {
    let project = Project::new(&[(".gitignore", "/target")]);
    let output = project.run(&["init"]).expect_code(0);
    assert_eq!(output.out, "wrote .aidd/config.json\n");
    project.run(&["check", "."]).expect_code(0);
    // The Git settings of the memory are written once the memory is used.
    assert!(!project.path().join(".gitattributes").exists());
    assert_eq!(project.read(".gitignore"), "/target");
    let output = project.run(&["memory", "add", "decision", "Use Go"]).expect_code(0);
    assert!(output.err.contains("note: run `aidd init`, so that Git merges"), "{}", output.err);
    let output = project.run(&["init"]).expect_code(0);
    let expected = "unchanged: .aidd/config.json\nwrote .gitattributes\nunchanged: .gitignore\n";
    assert_eq!(output.out, expected);
    assert_snapshot!(project.read(".gitattributes"), @"
    # Memory lines are independent: a merge keeps the lines of both sides.
    ai/memory/*.jsonl merge=union
    ");
    project.write(".aidd/config.json", "{ \"failOn\": \"warning\" }");
    let files = [".aidd/config.json", ".gitattributes", ".gitignore"];
    let before = files.map(|path| project.read(path));
    let output = project.run(&["init"]).expect_code(0);
    assert_eq!(
        output.out,
        "unchanged: .aidd/config.json\nunchanged: .gitattributes\nunchanged: .gitignore\n"
    );
    assert_eq!(files.map(|path| project.read(path)), before);
}

#[test]
fn init_proposes_packs_and_leaves_rules_to_other_linters() {
    let code = "export function f(a: any) {}\nexport enum Color { Red }\n";
    let biome = r#"{"linter": {"rules": {"suspicious": {"noExplicitAny": "error"}}}}"#;
    let files = [("src/a.ts", code), ("src/b.ts", code), ("src/c.ts", code), ("biome.json", biome)];
    let project = Project::new(&files);
    let output = project.run(&["init"]).expect_code(0);
    for expected in [
        "languages   TypeScript (",
        "linters     biome (biome.json)",
        "  typescript-strict  ",
        "such as src/a.ts:",
        "because biome.json enforces the same: compliance/",
    ] {
        assert!(output.out.contains(expected), "{expected}: {}", output.out);
    }
    assert!(output.err.contains("  aidd init --pack "), "{}", output.err);
    let output = project.run(&["init", "--pack", "typescript-strickt"]).expect_code(2);
    assert!(output.err.contains("did you mean `typescript-strict`?"), "{}", output.err);
    project.run(&["init", "--pack", "typescript-strict,javascript"]).expect_code(0);
    let config = project.read(".aidd/config.json");
    assert!(config.contains("\"compliance\": [\"typescript-strict\", \"javascript\"]"), "{config}");
    let patch = project.run(&["init", "--pack", "security", "--dry-run"]).expect_code(0).out;
    assert!(patch.contains("--- a/.aidd/config.json\n+++ b/.aidd/config.json\n"), "{patch}");
    assert_eq!(project.read(".aidd/config.json"), config);
    let output = project.run(&["init", "--pack", "security"]).expect_code(0);
    assert!(output.out.starts_with("enabled security"), "{}", output.out);
    assert!(output.out.ends_with("changed .aidd/config.json\n"), "{}", output.out);
    let config = project.read(".aidd/config.json");
    for pack in ["typescript-strict", "javascript", "security"] {
        assert!(config.contains(&format!("\n    \"{pack}\"")), "{config}");
    }
    let output = project.run(&["init"]).expect_code(0).out;
    assert!(output.contains("packs       typescript-strict, javascript, security\n"), "{output}");
    assert!(config.contains("\"compliance/any-type\": \"off\""), "{config}");
    let report = project.run(&["check", ".", "--format", "json", "--all"]).out;
    assert!(report.contains("compliance/enum"), "{report}");
    assert!(!report.contains("compliance/any-type"), "{report}");
}

#[test]
fn init_outside_a_repository_prints_the_next_steps() {
    let project = Project::new(&[]);
    std::fs::remove_dir(project.path().join(".git")).expect("removed");
    let output = project.run(&["init"]).expect_code(0);
    assert_eq!(output.out, "wrote .aidd/config.json\n");
    assert!(output.err.starts_with("next:\n  aidd check ."), "{}", output.err);
}
