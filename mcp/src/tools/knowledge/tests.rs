//! Tests the tools for knowledge and stack as the server calls them.

use crate::context::{Context, Setup};
use crate::tool::{Answer, ToolError};
use crate::tools;
use aidd_memory::project::Clock;
use serde_json::{Value, json};
use std::fs;
use std::path::Path;

/// A clock that always returns 2026-11-23.
fn clock() -> Clock {
    Box::new(|| 1_795_392_000_000)
}

fn try_call(root: &Path, name: &str, arguments: Value) -> Result<Answer<Value>, ToolError> {
    let Value::Object(arguments) = arguments else { panic!("an object") };
    let tools = tools::all();
    let tool = tools.iter().find(|tool| tool.name == name).expect("a tool");
    tool.call(&Context::new(Setup { clock, ..Setup::at(&crate::DISTRIBUTION, root) }), arguments)
}

fn call(root: &Path, name: &str, arguments: Value) -> Answer<Value> {
    try_call(root, name, arguments).expect("an answer")
}

fn error_text(root: &Path, name: &str, arguments: Value) -> String {
    try_call(root, name, arguments).expect_err("refused").to_string()
}

fn project(files: &[(&str, &str)]) -> tempfile::TempDir {
    let folder = tempfile::tempdir().expect("a directory");
    for (path, text) in files {
        let path = folder.path().join(path);
        fs::create_dir_all(path.parent().expect("a directory")).expect("created");
        fs::write(path, text).expect("written");
    }
    folder
}

/// A shop on React 18 and Jest, with an outdated API use in its code.
fn shop() -> tempfile::TempDir {
    project(&[
        (
            "package.json",
            r#"{"name": "shop", "version": "1.0.0", "scripts": {"test": "jest"}, "dependencies": {"react": "^18.2.0", "react-router": "^6"}, "devDependencies": {"jest": "^29"}}"#,
        ),
        (
            "package-lock.json",
            r#"{"lockfileVersion": 3, "packages": {"node_modules/react": {"version": "18.3.1"}, "node_modules/react-router": {"version": "6.30.0"}}}"#,
        ),
        (".nvmrc", "22\n"),
        ("src/main.tsx", "import ReactDOM from 'react-dom';\nReactDOM.render(<App />, root);\n"),
        ("AGENTS.md", "# Shop\n"),
    ])
}

#[test]
fn the_project_is_detected() {
    let folder = shop();
    let answer = call(folder.path(), "aidd_detect_project", json!({}));
    insta::assert_snapshot!(answer.text, @"
    package.json: npm shop 1.0.0, managed with npm, 3 dependencies, locked in package-lock.json
    in the knowledge base: React 18.3.1, React Router 6.30.0, Node.js 22, Jest 29
    runtimes: node 22 (.nvmrc)
    guidance: AGENTS.md
    ");
    assert_eq!(answer.data["detected"], true);
    assert_eq!(answer.data["packages"][0]["manager"], "npm");
    assert!(answer.data.get("dependencies").is_none());
    let answer = call(folder.path(), "aidd_detect_project", json!({"dependencies": true}));
    assert_eq!(answer.data["dependencies"][0]["locked"], "18.3.1");
    let empty = project(&[]);
    insta::assert_snapshot!(call(empty.path(), "aidd_detect_project", json!({})).text, @"
    no manifest found
    guidance: no project pages; the shipped pages apply
    ");
    assert!(
        error_text(folder.path(), "aidd_detect_project", json!({"path": "../x"}))
            .contains("outside")
    );
    assert!(
        error_text(folder.path(), "aidd_detect_project", json!({"path": "AGENTS.md"}))
            .contains("not a directory")
    );
}

#[test]
fn entries_are_found_and_read() {
    let folder = shop();
    let root = folder.path();
    for name in ["Vitest", "React"] {
        let answer =
            call(root, "aidd_query_tkb", json!({"keyword": name.to_lowercase(), "limit": 3}));
        assert_eq!(answer.data["entries"][0]["name"], name);
        assert_eq!(answer.data["entries"].as_array().map(Vec::len), Some(3));
    }
    let answer = call(
        root,
        "aidd_query_tkb",
        json!({"useCase": "unit tests in a Vite project", "limit": 1}),
    );
    insta::assert_snapshot!(answer.text, @"
    Vitest (testing, stable): Test runner on Vite for TypeScript and JavaScript; shares the build configuration of the application. [Unit tests in a Vite project 10/10: One configuration for build and test]
    1 of 58
    ");
    let error = error_text(root, "aidd_query_tkb", json!({"category": "database"}));
    assert!(error.contains("unknown value `database`") && error.contains("data, "), "{error}");
    let answer =
        call(root, "aidd_get_tkb_entry", json!({"name": "vitest", "section": "use cases"}));
    insta::assert_snapshot!(answer.text, @"
    Vitest (testing, stable), reviewed 2026-11-22, for version 5.1

    ## Use Cases

    | Use Case | Fit Score | Why |
    | --- | --- | --- |
    | Unit tests in a Vite project | 10/10 | One configuration for build and test |
    | TypeScript library with ES modules | 9/10 | No transformer to configure |
    | Component tests in a real browser | 8/10 | Browser mode drives Chromium, Firefox or WebKit |
    | End-to-end journeys across pages | 3/10 | Playwright Test has tracing and isolation for it |
    | React Native | 2/10 | The ecosystem's presets target Jest |
    ");
    let entry = call(
        root,
        "aidd_get_tkb_entry",
        json!({"name": "npm:nothing/vitest".trim_start_matches("npm:nothing/")}),
    );
    assert!(entry.data["page"].as_str().is_some_and(|page| page.contains("## References")));
    assert!(entry.data["migrations"].as_array().is_some_and(|all| !all.is_empty()));
    // A client that shows only the text also receives the migrations.
    assert!(entry.text.contains("\n## Migrations\n\n- 4 to 5"), "{}", entry.text);
    let params = json!({"name": "vitest", "section": "migrations"});
    let section = call(root, "aidd_get_tkb_entry", params);
    assert!(section.text.contains("\n- 4 to 5") && !section.text.contains("## Overview"));
    let error = error_text(root, "aidd_get_tkb_entry", json!({"name": "vitset"}));
    assert!(error.contains("did you mean Vitest"), "{error}");
    let error =
        error_text(root, "aidd_get_tkb_entry", json!({"name": "vitest", "section": "Costs"}));
    assert!(error.contains("sections: Overview, Key Metrics"), "{error}");
}

#[test]
fn a_project_entry_overrides_the_shipped_entry() {
    let page = "---\nname: React\ncategory: frontend\nmaturity: stable\nlast_updated: 2026-11-01\nsummary: Ours.\n---\n# React\n\n## Overview\n\nHere it is only used for the shop.\n";
    let folder = project(&[("ai/knowledge/frontend/react.md", page)]);
    let answer = call(folder.path(), "aidd_get_tkb_entry", json!({"name": "React"}));
    assert!(answer.text.contains("only used for the shop"), "{}", answer.text);
    let answer =
        call(folder.path(), "aidd_validate_tkb_entry", json!({"filePath": "ai/knowledge"}));
    assert!(answer.text.contains("missing section `## Key Metrics`"), "{}", answer.text);
    let answer = call(folder.path(), "aidd_validate_tkb_entry", json!({"content": "# X\n"}));
    assert_eq!(answer.data["findings"][0]["rule"], "tkb/malformed-header");
}

#[test]
fn technologies_are_compared() {
    let folder = shop();
    let params = json!({"technologies": ["vitest", "react", "nosuchthing"]});
    let answer = call(folder.path(), "aidd_tech_compatibility", params);
    insta::assert_snapshot!(answer.text, @"
    Vitest + React: work together
      the entry on Vitest states that it works with React (testing/vitest)
      the entry on React states that it works with Vitest (frontend/react)
      the project has React 18.3.1; the entry describes 19.3 (package-lock.json)
    conflict: Vitest and Jest, which the project uses: Two runners with the same globals; use one per repository.
    no entry: nosuchthing
    ");
    assert_eq!(answer.data["pairs"][0]["verdict"], "compatible");
    let error = error_text(
        folder.path(),
        "aidd_tech_compatibility",
        json!({"technologies": ["react", "react.js"]}),
    );
    assert!(error.contains("requires two"), "{error}");
}

#[test]
fn questions_about_a_decision_cite_related_memories() {
    let folder = shop();
    let root = folder.path();
    let decision = json!({
        "decision": "Tests run on Jest until the shop is on React 19",
        "reasoning": "Two moves at once cannot be distinguished when a test fails",
    });
    call(root, "aidd_memory_add_decision", decision);
    let params = json!({"decision": "Move the tests from Jest to Vitest", "stakes": "high"});
    let answer = call(root, "aidd_apply_heuristics", params);
    assert!(answer.text.contains("Tests run on Jest until"), "{}", answer.text);
    assert_eq!(answer.data["named"]["abandoned"], json!(["Jest"]));
    assert_eq!(answer.data["named"]["chosen"], json!(["Vitest"]));
    assert!(error_text(root, "aidd_apply_heuristics", json!({"decision": " "})).contains("empty"));
    // No memory is created in a project without one.
    let other = project(&[]);
    call(other.path(), "aidd_apply_heuristics", json!({"decision": "Add a queue"}));
    assert!(!other.path().join(".aidd").exists());
}

#[test]
fn a_package_is_found_by_name_variants() {
    let folder = project(&[
        ("package.json", r#"{"dependencies": {"next-auth": "4.24.7"}}"#),
        ("src/a.ts", "export {};\n"),
    ]);
    let params = json!({"decision": "Move from NextAuth to our own sessions", "stakes": "high"});
    let text = call(folder.path(), "aidd_apply_heuristics", params).text;
    assert!(text.contains("package.json names next-auth 4.24.7"), "{text}");
    assert!(!text.contains("occurs in none"), "{text}");
}

#[test]
fn runtimes_and_aliases_are_verified() {
    let folder = project(&[
        (
            "package.json",
            r#"{"packageManager": "pnpm@10.1.0", "engines": {"node": ">=22"}, "dependencies": {"vite": "npm:@example/vite@1.2.3"}}"#,
        ),
        ("composer.json", r#"{"require": {"php": ">=8.3", "phpunit/phpunit": "^12"}}"#),
        (
            "go.mod",
            "module example.com/a\n\ngo 1.25\n\nrequire github.com/labstack/echo/v4 v4.13.0\n",
        ),
        ("compose.yaml", "services:\n  db:\n    image: postgres:17\n"),
    ]);
    let names = ["php", "pnpm", "node", "go", "postgresql", "vite", "echo", "ruby"];
    let answer = call(folder.path(), "aidd_verify_version", json!({"packages": names}));
    for line in [
        "php: composer.json specifies php >=8.3\n",
        "pnpm: package.json specifies pnpm 10.1.0\n",
        "node: package.json specifies node >=22\n",
        "go: go.mod specifies go 1.25\n",
        "postgresql: compose.yaml specifies postgres 17\n",
        "@example/vite 1.2.3 (package.json)",
        "github.com/labstack/echo/v4 4.13.0 (go.mod)",
        "ruby: not found in any manifest",
    ] {
        assert!(format!("{}\n", answer.text).contains(line), "{line}\n{}", answer.text);
    }
    assert_eq!(answer.data["unknown"], json!(["ruby"]));
}

#[test]
fn a_version_is_attributed_to_the_file_that_states_it() {
    let folder = project(&[
        (
            "Directory.Packages.props",
            "<Project><ItemGroup><PackageVersion Include=\"MediatR\" Version=\"13.0.0\" /></ItemGroup></Project>",
        ),
        (
            "src/Shop.csproj",
            "<Project><ItemGroup><PackageReference Include=\"MediatR\" /></ItemGroup></Project>",
        ),
    ]);
    let text = call(folder.path(), "aidd_verify_version", json!({"packages": ["MediatR"]})).text;
    assert!(text.contains("Directory.Packages.props specifies 13.0.0; "), "{text}");
    assert!(!text.contains("unknown"), "{text}");
}

#[test]
fn words_that_no_entry_contains_match_nothing() {
    let folder = project(&[]);
    for query in ["zzzzqqq", "sidekiq"] {
        let answer = call(folder.path(), "aidd_query_tkb", json!({"query": query}));
        assert!(answer.text.starts_with("no entry matches"), "{}", answer.text);
    }
    let error = error_text(
        folder.path(),
        "aidd_plan_migration",
        json!({"framework": "qqqq", "targetVersion": "5"}),
    );
    assert!(!error.contains("did you mean ?"), "{error}");
    let error =
        error_text(folder.path(), "aidd_explain_violation", json!({"rule": "secrets/githb"}));
    assert!(error.contains("secrets/github"), "{error}");
}

#[test]
fn long_arguments_are_truncated() {
    let folder = project(&[("src/a.ts", "export {};\n")]);
    let long = "payment 데이터 ".repeat(8000);
    let params = json!({"decision": format!("Move to {long}")});
    let text = call(folder.path(), "aidd_apply_heuristics", params).text;
    assert!(text.ends_with("only the first 4000 characters were read"), "{text}");
    assert!(text.chars().count() < 3000, "{text}");
    for (name, params) in [
        ("aidd_get_tkb_entry", json!({"name": long})),
        ("aidd_get_agent", json!({"agent": long})),
        ("aidd_explain_violation", json!({"rule": long})),
        ("aidd_tech_compatibility", json!({"technologies": [long, "react"]})),
    ] {
        let error = error_text(folder.path(), name, params);
        assert!(error.chars().count() < 4100, "{name}: {}", error.chars().count());
    }
}

#[test]
fn versions_are_verified_and_migrations_are_planned() {
    let folder = shop();
    let root = folder.path();
    let answer =
        call(root, "aidd_verify_version", json!({"packages": ["react", "left-pad", "raect"]}));
    insta::assert_snapshot!(answer.text, @"
    react 18.3.1 (package.json): confidence low
      detect done: package.json specifies ^18.2.0; package-lock.json resolves it to 18.3.1; .nvmrc specifies node 22
      context done: knowledge entry frontend/react describes 19.3, reviewed 2026-11-22: current
      document failed: the entry covers 19.3, not 18.3.1
      filter failed: src/main.tsx:2: `ReactDOM.render` was replaced in 18 by createRoot(node).render
    left-pad: not found in any manifest
    raect: not found in any manifest; did you mean react?
    ");
    assert_eq!(answer.data["unknown"], json!(["left-pad", "raect"]));
    let answer = call(root, "aidd_verify_version", json!({"packageJsonPath": "package.json"}));
    assert_eq!(answer.data["packages"].as_array().map(Vec::len), Some(3));
    assert!(
        error_text(root, "aidd_verify_version", json!({"path": "nowhere"}))
            .contains("does not exist")
    );
    let answer =
        call(root, "aidd_plan_migration", json!({"framework": "react", "targetVersion": "19"}));
    insta::assert_snapshot!(answer.text, @"
    React: 18.3.1 to 19
    1. [low] Create a branch from a clean work tree; run the checks and record their output
       $ npm run test
       from package.json
    2. [medium] First replace the API uses that are already outdated in 18.3.1, in a separate commit: `ReactDOM.render` with createRoot(node).render (src/main.tsx:2)
       from knowledge/frontend/react.md, legacy
    3. [low] 18.3.1 to 19: read the guide and note what affects this project
       from https://react.dev/blog/2024/04/25/react-19-upgrade-guide
    4. [medium] Check whether this change affects the project, and adapt the code: propTypes and defaultProps of function components are removed
    5. [medium] Check whether this change affects the project, and adapt the code: string refs are removed
    6. [medium] Check whether this change affects the project, and adapt the code: ReactDOM.render and hydrate are removed
    7. [high] Set 19 in package.json and commit the lock file with it
       $ npm install react@19
       from package.json
    8. [medium] Run the codemod and review its whole diff; commit it separately from manual changes
       $ npx codemod@latest react/19/migration-recipe
       from https://react.dev/blog/2024/04/25/react-19-upgrade-guide
    9. [medium] After the step to 19: run the checks, compare the output with the recorded output, review deprecation warnings, and commit
       the commands of step 1
    guardrail: Rollback: revert the commit, then `npm ci` restores package-lock.json; test this once before the first hop
    guardrail: Check that these packages support each version on the path: react-router
    ");
    let params = json!({"framework": "react", "targetVersion": "16"});
    assert!(error_text(root, "aidd_plan_migration", params).contains("is older than 18.3.1"));
}

#[test]
fn a_workspace_member_uses_the_workspace_lock_file() {
    let folder = project(&[
        ("package.json", r#"{"name": "shop", "private": true, "packageManager": "pnpm@9.0.0"}"#),
        ("pnpm-workspace.yaml", "packages: [packages/*]\n"),
        ("packages/api/package.json", r#"{"name": "api", "dependencies": {"zod": "^3.23.0"}}"#),
        ("packages/web/package.json", r#"{"name": "web"}"#),
        ("rules/house.md", "# House\n\nNEVER pay twice.\n"),
    ]);
    let answer = call(folder.path(), "aidd_detect_project", json!({"path": "packages/api"}));
    insta::assert_snapshot!(answer.text, @"
    packages/api/package.json: npm api, managed with pnpm, 1 dependency
    in the knowledge base: pnpm 9.0.0, Zod 3.23.0
    runtimes: pnpm 9.0.0 (package.json)
    guidance: rules
    ");
}

#[test]
fn the_packages_of_a_large_workspace_share_one_line() {
    let member = |name: &str| json!({"name": name, "version": "1.0.0"}).to_string();
    let root = json!({"name": "m", "packageManager": "pnpm@10.1.0"}).to_string();
    let folder = project(&[
        ("package.json", &root),
        ("pnpm-lock.yaml", "lockfileVersion: '9.0'\n"),
        ("pnpm-workspace.yaml", "packages:\n  - apps/*\n  - packages/*\n  - \"!apps/api\"\n"),
        ("apps/web/package.json", &member("web")),
        ("apps/admin/package.json", &member("admin")),
        ("packages/ui/package.json", &member("@m/ui")),
        ("apps/api/requirements.txt", "django==5.2.1\n"),
    ]);
    let answer = call(folder.path(), "aidd_detect_project", json!({}));
    insta::assert_snapshot!(answer.text, @"
    4 npm packages, managed with pnpm, locked in pnpm-lock.yaml: . (m), apps/admin, apps/web, packages/ui (@m/ui)
    apps/api/requirements.txt: pypi, managed with pip, 1 dependency
    in the knowledge base: Django 5.2.1, pnpm 10.1.0
    runtimes: pnpm 10.1.0 (package.json)
    guidance: no project pages; the shipped pages apply
    ");
    assert_eq!(answer.data["packages"].as_array().map(Vec::len), Some(5));
}
