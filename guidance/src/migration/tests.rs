//! Migrations between technologies, compared with what an experienced engineer would plan.

use super::*;
use crate::Library;
use crate::instructions::{self, CommandRules};
use crate::legacy;
use aidd_engine::project::stack;
use aidd_engine::text::files::Disk;

/// The lines of a migration plan for a project with `files`.
fn plan_lines(files: &[(&str, &str)], name: &str, from: Option<&str>, to: &str) -> Vec<String> {
    let folder = tempfile::tempdir().expect("a directory");
    for (path, text) in files {
        let path = folder.path().join(path);
        std::fs::create_dir_all(path.parent().expect("a directory")).expect("created");
        #[expect(clippy::disallowed_methods, reason = "the tests create projects")]
        std::fs::write(path, text).expect("written");
    }
    let disk = Disk::new(folder.path());
    let stack = stack::detect(&disk);
    let library = Library::shipped(&aidd_content::RULES);
    let knowledge = Knowledge::new(&library);
    let entry = knowledge.find(name).expect(name);
    let patterns = legacy::import_patterns(entry);
    let ecosystems = entry.packages.iter().map(|(word, _)| *word).collect();
    let request =
        legacy::SearchRequest { name: entry.name, ecosystems, patterns: patterns.iter().collect() };
    let uses = legacy::search(&disk, files.iter().map(|(path, _)| *path), &[request]).found;
    let instructions = instructions::read(&disk, &instructions::paths(&disk));
    let rules = CommandRules::new(&instructions, &stack, &disk);
    let params =
        PlanParams { from, to: Some(to), outdated_uses: &[], uses: &uses, commands: Some(&rules) };
    let plan = plan(entry, params, &knowledge, &stack).expect("a plan");
    let step = |step: &Step| {
        let commands =
            step.commands.iter().map(|command| format!("\n   $ {command}")).collect::<String>();
        format!("{:?} {}{commands}", step.risk, step.what)
    };
    let guards = plan.guardrails.iter().map(|guardrail| format!("guard: {guardrail}"));
    let notes = plan.notes.iter().map(|note| format!("note: {note}"));
    plan.steps.iter().map(step).chain(guards).chain(notes).collect()
}

const SHOP: &[(&str, &str)] = &[
    (
        "package.json",
        r#"{"scripts": {"test": "jest", "build": "webpack"}, "dependencies": {"moment": "^2.30.0", "express": "^4.18.0", "react-scripts": "5.0.1"}, "devDependencies": {"webpack": "^5.90.0", "jest": "^29.7.0"}}"#,
    ),
    ("package-lock.json", r#"{"lockfileVersion": 3, "packages": {}}"#),
    ("src/date.js", "const moment = require('moment');\n"),
];

/// The lines of a plan that contain one of `words`.
fn lines_with(lines: &[String], words: &[&str]) -> Vec<String> {
    let lines = lines.iter().flat_map(|line| line.lines()).map(str::trim);
    let mut found: Vec<String> = Vec::new();
    for line in lines.filter(|line| words.iter().any(|word| line.contains(word))) {
        if found.last().is_none_or(|last| last != line) {
            found.push(line.to_owned());
        }
    }
    found.dedup();
    found
}

#[test]
fn yarn_1_gets_its_own_commands() {
    let files = [
        ("package.json", r#"{"dependencies": {"vue": "2.7.16"}}"#),
        ("yarn.lock", "# yarn lockfile v1\n\n\nvue@2.7.16:\n  version \"2.7.16\"\n"),
    ];
    let lines = plan_lines(&files, "vue", None, "3");
    assert_eq!(
        lines_with(&lines, &["yarn"]),
        [
            "$ yarn upgrade vue@^3",
            "guard: Rollback: revert the commit, then `yarn install --frozen-lockfile` restores \
             yarn.lock; test this once before the first hop"
        ]
    );
}

#[test]
fn checks_are_found_by_the_files_of_a_project() {
    let requirements = ("requirements.txt", "Django==5.1\n");
    let django = [requirements, ("manage.py", "\n")];
    let lines = plan_lines(&django, "django", None, "6.0");
    assert_eq!(lines_with(&lines, &["$", "lock file"])[0], "$ python manage.py test");
    assert!(!lines.iter().any(|line| line.contains("commit the lock file")), "{lines:?}");
    let rails = [
        ("Gemfile", "gem \"rails\", \"~> 7.2\"\n"),
        ("Gemfile.lock", "GEM\n  specs:\n    rails (7.2.2)\n"),
        ("bin/rails", "\n"),
        ("test/a_test.rb", "\n"),
        (
            "CLAUDE.md",
            "## Commands\n\n- `bin/rubocop` - Check the style\n- `bin/rubocop -a` - Correct it\n",
        ),
    ];
    let lines = plan_lines(&rails, "rails", None, "8.0");
    assert_eq!(lines_with(&lines, &["$"])[..2], ["$ bin/rubocop", "$ bin/rails test"]);
    assert!(lines.iter().any(|line| line.contains("`BUNDLE_FROZEN=true bundle install`")));
    let project = "<Project><PropertyGroup><TargetFramework>net9.0</TargetFramework></PropertyGroup><ItemGroup><PackageReference Include=\"MassTransit.RabbitMQ\" Version=\"8.0.0\" /></ItemGroup></Project>";
    let dotnet = [
        ("Shop.slnx", "<Solution><Project Path=\"src/Shop/Shop.csproj\" /></Solution>"),
        ("src/Shop/Shop.csproj", project),
    ];
    let lines = plan_lines(&dotnet, "dotnet", Some("9"), "10");
    assert_eq!(lines_with(&lines, &["$"]), ["$ dotnet test"]);
}

#[test]
fn a_library_is_replaced_by_another() {
    insta::assert_snapshot!(plan_lines(SHOP, "moment", None, "date-fns").join("\n"), @"
    Low Create a branch from a clean work tree; run the checks and record their output
       $ npm run build
       $ npm run test
    Low List the places that use Moment.js, those with the most uses first: 2 uses in 2 files (package.json:1, src/date.js:1)
    Low Moment.js is deprecated: read how to migrate to date-fns 4
    Low Define the boundary first: code that does not use Moment.js before the migration must not use date-fns 4 after it
    High Move one route or page that is small and in daily use to date-fns 4; the rest stays
    Medium Add date-fns 4 alongside Moment.js
    Medium Check whether this change affects the project, and adapt the code: functions on Date instead of methods on an object
    Medium Check whether this change affects the project, and adapt the code: values are immutable: add and subtract return a new one
    Medium Check whether this change affects the project, and adapt the code: format tokens differ: YYYY becomes yyyy and DD becomes dd
    Medium Check whether this change affects the project, and adapt the code: time zones need @date-fns/tz
    Medium Check whether this change affects the project, and adapt the code: locales are imported one by one and passed with each call
    Medium After the step to date-fns 4: run the checks, compare the output with the recorded output, review deprecation warnings, and commit
       $ npm run build
       $ npm run test
    Low Remove Moment.js, with its settings, types and scripts, once nothing references it
       $ npm uninstall moment
    guard: Rollback: revert the commit, then `npm ci` restores package-lock.json; test this once before the first hop
    guard: Set a date for the removal of Moment.js: running both costs more than either
    note: no codemod from Moment.js to date-fns 4 is known
    ");
}

#[test]
fn a_store_is_replaced_by_another() {
    insta::assert_snapshot!(plan_lines(&[], "mongodb", None, "postgresql").join("\n"), @"
    Low Create a branch from a clean work tree; run the checks and record their output
    Low Read how PostgreSQL 19 does what MongoDB does, and note what affects this project
    Low List what MongoDB actually contains, not what the code expects: each shape, its count, its anomalies
    High Write the schema of PostgreSQL 19 from that list, with a rule for each value that does not fit
    High Copy into PostgreSQL 19 in idempotent batches; count rejected records
    High Write to both; MongoDB stays the source of truth, and a failed second write raises an alert, not a user-facing error
    Medium Compare counts and checksums daily until they stay equal; fix the copy, not the comparison
    High Read from PostgreSQL 19 behind a feature flag, starting with a small share; keep the flag until the old store is removed
    Medium Add PostgreSQL 19 alongside MongoDB
    Medium Check whether this change affects the project, and adapt the code: nested documents become tables, or jsonb where the structure varies
    Medium Check whether this change affects the project, and adapt the code: ObjectId becomes a key of your choice; keep the old value in a column for external links
    Medium Check whether this change affects the project, and adapt the code: aggregation pipelines are rewritten as SQL
    Medium Check whether this change affects the project, and adapt the code: missing fields and null fields differ in MongoDB but not in a column
    Medium Check whether this change affects the project, and adapt the code: a field whose values have different types needs a rule for each type
    Medium Check whether this change affects the project, and adapt the code: change streams become logical decoding or an outbox
    Medium After the step to PostgreSQL 19: run the checks, compare the output with the recorded output, review deprecation warnings, and commit
    Medium Remove MongoDB, with its settings, types and scripts, once nothing references it
    guard: A revert does not restore data: keep MongoDB complete and readable until the rollback from PostgreSQL 19 has been tested
    guard: Set a date for the removal of MongoDB: running both costs more than either
    guard: Known weaknesses of PostgreSQL: A connection costs a process; a pooler is needed early; Updates leave dead rows; autovacuum must be watched on hot tables; Major upgrades need pg_upgrade or replication, not only a new binary (knowledge/data/postgresql.md)
    note: no codemod from MongoDB to PostgreSQL 19 is known
    note: no checks found in the manifests: define one before the first step
    note: knowledge/data/mongodb.md recommends PostgreSQL when: Relations matter, with jsonb for the variable parts
    ");
}

/// Migrations, each with the phrases that its plan must contain.
const MIGRATIONS: &[(&str, Option<&str>, &str, &[&str])] = &[
    (
        "webpack",
        None,
        "vite",
        &[
            "npx @originjs/webpack-to-vite",
            "import.meta.env",
            "npm install vite",
            "npm uninstall webpack",
            "Compare what both produce",
        ],
    ),
    (
        "jest",
        None,
        "vitest",
        &[
            "npx codemod jest/vitest",
            "vi.fn",
            "how many tests run in each file and which are skipped",
            "npm uninstall jest",
        ],
    ),
    (
        "express",
        None,
        "fastify",
        &["@fastify/express", "npm install fastify", "no codemod", "Move one route"],
    ),
    ("moment", None, "Temporal", &["temporal-polyfill", "months count from 1", "src/date.js:1"]),
    ("create-react-app", None, "nextjs", &["cra-to-next", "NEXT_PUBLIC_", "is deprecated"]),
    (
        "python",
        Some("3.9"),
        "3.13",
        &[
            "--target-version py311",
            "--target-version py313",
            "distutils",
            "cgi",
            "One hop at a time (3.9, 3.11, 3.13)",
        ],
    ),
    (
        "java",
        Some("8"),
        "21",
        &["UpgradeToJava17", "UpgradeToJava21", "JAXB", "One hop at a time (8, 11, 17, 21)"],
    ),
    ("rest", None, "grpc", &["gRPC-Web", "Write the contract in gRPC first", "deadline"]),
    ("poetry", None, "uv", &["uvx migrate-to-uv", "[dependency-groups]"]),
    // No entry describes this migration: the plan states that and lists generic steps.
    (
        "cypress",
        None,
        "playwright",
        &["no entry describes the breaking changes", "side by side in CI"],
    ),
];

#[test]
fn plans_list_tools_and_breaking_changes() {
    let mut missing = Vec::new();
    for (name, from, to, expected) in MIGRATIONS {
        let plan = plan_lines(SHOP, name, *from, to);
        let text = plan.join("\n");
        let missing_phrases = expected.iter().filter(|phrase| !text.contains(**phrase));
        missing.extend(
            missing_phrases.map(|phrase| format!("{name} to {to}: no `{phrase}` in\n{text}")),
        );
        assert!(plan[0].contains("Create a branch"), "{name}: {}", plan[0]);
    }
    assert!(missing.is_empty(), "{}", missing.join("\n\n"));
}

#[test]
fn runtime_pins_are_listed_in_the_plan() {
    let files = [
        (
            "pyproject.toml",
            "[project]\nname = \"a\"\nrequires-python = \">=3.9\"\ndependencies = [\"pytest\"]\n",
        ),
        (".python-version", "3.9.2\n"),
        ("package.json", r#"{"scripts": {"lint": "eslint ."}}"#),
    ];
    let text = plan_lines(&files, "python", None, "3.13").join("\n");
    assert!(text.contains("Set 3.13 in .python-version (3.9.2), pyproject.toml (>=3.9)"), "{text}");
    assert!(text.contains("$ pytest") && !text.contains("lint"), "{text}");
    assert!(!text.contains("commands are omitted"), "{text}");
}

#[test]
fn a_plan_obeys_the_instructions_of_the_project() {
    let instructions =
        "# Shop\n\n- Run `make test` before a commit.\n- Do not use `npm install` directly.\n";
    let files = [SHOP, &[("AGENTS.md", instructions), ("Makefile", "test:\n\tjest\n")]].concat();
    let lines = plan_lines(&files, "moment", None, "date-fns").join("\n");
    let commands: Vec<&str> =
        lines.lines().map(str::trim).filter(|line| line.starts_with("$ ")).collect();
    insta::assert_snapshot!(commands.join("\n"), @"
    $ make test
    $ npm run build
    $ make test
    $ npm run build
    $ npm uninstall moment
    ");
}
