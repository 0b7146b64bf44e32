use super::{CommandRules, condense, paths, read};
use aidd_engine::project::stack;
use aidd_engine::text::files::Disk;
use std::fs;
use std::path::Path;

#[expect(clippy::disallowed_methods, reason = "the test creates a project to read")]
fn write(root: &Path, path: &str, text: &str) {
    let path = root.join(path);
    fs::create_dir_all(path.parent().expect("a directory")).expect("created");
    fs::write(path, text).expect("written");
}

fn condensed(files: &[(&str, &str)], budget: usize) -> String {
    let folder = tempfile::tempdir().expect("a directory");
    for (path, text) in files {
        write(folder.path(), path, text);
    }
    let disk = Disk::new(folder.path());
    let condensed = condense(&read(&disk, &paths(&disk)), budget);
    let omitted = condensed.omitted;
    format!("{}\n{}\nomitted: {omitted}", condensed.paths.join(", "), condensed.lines.join("\n"))
}

const AGENTS: &str = "# Shop\n\nThis file provides guidance to agents.\n\nA shop for **bicycles**: \
    see [the docs](docs/a.md).\n\n## Commands\n\n```sh\n# Run the tests\n$ make test\nmake lint  # lint\n```\n\n\
    ```ts\nlet a = 1;\n```\n\n## Architecture\n\nThe parts are:\n\n- `api/`: the server\n- `web/`: the pages\n\n\
    | Command | Use |\n| --- | --- |\n| `make db` | starts the database |\n\n\
    ## Money\n\n1. Amounts are integers.\n   - NEVER use floats.\n\nSome history. It follows:\n\n\
    <!-- aidd init -->\nCall aidd_bootstrap. Always.\n<!-- /aidd init -->\n";

#[test]
fn statements_are_condensed_by_section() {
    insta::assert_snapshot!(condensed(&[("AGENTS.md", AGENTS)], 400), @"
    AGENTS.md
    Shop:
    - A shop for bicycles: see the docs.
    Commands:
    - make test # Run the tests
    - make lint # lint
    Architecture:
    - `api/`: the server
    - `web/`: the pages
    - `make db` | starts the database
    Money:
    - Amounts are integers.
    - NEVER use floats.
    - Some history.
    omitted: 0
    ");
}

#[test]
fn commands_and_requirements_of_every_section_come_first() {
    insta::assert_snapshot!(condensed(&[("AGENTS.md", AGENTS)], 80), @"
    AGENTS.md
    Shop:
    - A shop for bicycles: see the docs.
    Commands:
    - make test # Run the tests
    - make lint # lint
    Architecture:
    - `api/`: the server
    Money:
    - NEVER use floats.
    omitted: 4
    ");
}

#[test]
fn repeated_files_are_read_once_and_imports_are_followed() {
    let files = [
        ("AGENTS.md", "Use tabs.\n"),
        ("CLAUDE.md", "Use tabs.\n\n@docs/style.md\n\n@../outside.md\n"),
        ("docs/style.md", "Always name the unit.\n\n@style.md\n"),
        (".cursor/rules/web.mdc", "---\nglobs: [\"web/**\"]\n---\nPrefer grids.\n"),
        (".cursor/rules/aidd.mdc", "Always call aidd.\n"),
        ("CONTRIBUTING.md", "Always sign off.\n"),
    ];
    insta::assert_snapshot!(condensed(&files, 400), @"
    AGENTS.md, docs/style.md, .cursor/rules/web.mdc
    AGENTS.md:
    - Use tabs.
    docs/style.md:
    - Always name the unit.
    .cursor/rules/web.mdc (web/**):
    - Prefer grids.
    omitted: 0
    ");
}

#[test]
fn the_guide_for_contributors_is_read_if_there_is_no_other() {
    let files = [("CONTRIBUTING.md", "# Contributing\n\nAlways sign off.\n")];
    insta::assert_snapshot!(condensed(&files, 400), @"
    CONTRIBUTING.md
    Contributing:
    - Always sign off.
    omitted: 0
    ");
    assert_eq!(condensed(&[], 400), "\n\nomitted: 0");
}

#[test]
fn commands_for_checks_come_before_other_rules() {
    let text = "# A\n\n## Style\n\n- Always name the shop in full, with its town and its street.\n\
        - Never shorten the name of a street or of a town in a title.\n\n## Checks\n\n\
        - Never skip a step of this list because the change seems to be small.\n\
        - Run `vp lint` before a commit.\n";
    insta::assert_snapshot!(condensed(&[("AGENTS.md", text)], 50), @"
    AGENTS.md
    Checks:
    - Run `vp lint` before a commit.
    omitted: 3
    ");
}

#[test]
fn commands_that_correct_files_are_no_checks() {
    let agents = "- `bin/rubocop -a` | corrects the style\n- `bin/rubocop` | checks the style\n\
        - `bin/rails test`\n- `python manage.py test`\n- `src/shop`\n";
    insta::assert_snapshot!(command_rules(&[("AGENTS.md", agents)]), @"
    lint: bin/rubocop
    tests: bin/rails test
    tests: python manage.py test
    ");
}

fn command_rules(files: &[(&str, &str)]) -> String {
    let folder = tempfile::tempdir().expect("a directory");
    for (path, text) in files {
        write(folder.path(), path, text);
    }
    let disk = Disk::new(folder.path());
    let rules = CommandRules::new(&read(&disk, &paths(&disk)), &stack::detect(&disk), &disk);
    let words = |named: &super::InstructedCommand| {
        named.checks.iter().map(|check| check.word()).collect::<Vec<_>>().join("+")
    };
    let named = rules.checks.iter().map(|it| format!("{}: {}", words(it), it.command));
    let forbidden = rules.forbidden.iter().map(|(command, _)| format!("forbidden: {command}"));
    named.chain(forbidden).collect::<Vec<_>>().join("\n")
}

const SCRIPTS: &str = r#"{"name": "a", "scripts": {"test": "vitest", "test:e2e": "x", "lint": "eslint",
    "lint:fix": "eslint --fix", "typecheck": "tsc", "build": "vite build"}}"#;

#[test]
fn commands_for_checks_are_those_that_the_instructions_name_and_the_project_defines() {
    let agents = "# A\n\n## Commands\n\n```sh\npnpm install\npnpm test:e2e # slow\npnpm run lint:fix\n\
        cd api\nmake test\n```\n\n- Run `pnpm test`, `pnpm typecheck` and `pnpm missing` before a commit.\n\
        - Single file: `pnpm test src/a.test.ts`\n- `pnpm lint` | checks the style\n\n\
        The output of `pnpm build` is in dist.\n";
    insta::assert_snapshot!(
        command_rules(&[
            ("AGENTS.md", agents),
            ("package.json", SCRIPTS),
            ("api/Makefile", "X := 1\ntest: build\n\tgo test ./...\n"),
        ]),
        @"
    tests: pnpm test
    types: pnpm typecheck
    lint: pnpm lint
    tests: cd api && make test
    "
    );
}

#[test]
fn commands_of_the_root_come_before_those_of_a_package() {
    let agents = "# A\n\n```sh\ncd packages/app && pnpm lint\npnpm lint\ncd packages/app && pnpm test\n\
        ```\n";
    let package = r#"{"name": "app", "scripts": {"test": "vitest", "lint": "eslint"}}"#;
    insta::assert_snapshot!(
        command_rules(&[
            ("AGENTS.md", agents),
            ("package.json", r#"{"workspaces": ["packages/*"], "scripts": {"lint": "eslint"}}"#),
            ("packages/app/package.json", package),
        ]),
        @"
    lint: pnpm lint
    lint: cd packages/app && pnpm lint
    tests: cd packages/app && pnpm test
    "
    );
}

#[test]
fn only_commands_that_are_forbidden_without_a_condition_are_forbidden() {
    let agents = "# A\n\n- Do NOT run `pnpm test:e2e` directly. Use `make e2e` instead.\n\
        - Edit `package.json` instead of using `pnpm add`, then run `pnpm i`.\n\
        - Do not use `vp vitest` or `vp oxlint` — use `vp test`.\n\
        - Never run `npm install` without a lock file.\n- Do not use `git push --force` on main.\n\
        - **NEVER** use `npm`.\n- Don't run `yarn build`; it is slow.\n- `cargo test` is not slow.\n";
    insta::assert_snapshot!(command_rules(&[("AGENTS.md", agents)]), @"
    tests: vp test
    forbidden: pnpm test:e2e
    forbidden: pnpm add
    forbidden: vp vitest
    forbidden: vp oxlint
    forbidden: npm
    forbidden: yarn build
    ");
}

#[test]
fn a_forbidden_command_is_recognised_in_other_forms() {
    let rules = CommandRules {
        forbidden: vec![("pnpm test".to_owned(), "AGENTS.md".to_owned())],
        ..CommandRules::default()
    };
    assert_eq!(rules.forbids("pnpm run test"), Some("AGENTS.md"));
    assert_eq!(rules.forbids("in apps/web: pnpm test --run"), Some("AGENTS.md"));
    assert_eq!(rules.forbids("pnpm lint && pnpm test"), Some("AGENTS.md"));
    assert_eq!(rules.forbids("pnpm test:e2e"), None);
}
