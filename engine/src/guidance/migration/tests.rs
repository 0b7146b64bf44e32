//! Ways between technologies, as somebody who has gone them would plan them.

use super::*;
use crate::files::Disk;
use crate::guidance::Library;
use crate::guidance::legacy;
use crate::stack;

/// The plan of a move in a project of these files, a line a step.
fn planned(files: &[(&str, &str)], name: &str, from: Option<&str>, to: &str) -> Vec<String> {
    let folder = tempfile::tempdir().expect("a folder");
    for (path, text) in files {
        let path = folder.path().join(path);
        #[expect(clippy::disallowed_methods, reason = "projects are made by tests")]
        std::fs::create_dir_all(path.parent().expect("a folder")).expect("made");
        #[expect(clippy::disallowed_methods, reason = "projects are made by tests")]
        std::fs::write(path, text).expect("written");
    }
    let disk = Disk::new(folder.path());
    let stack = stack::detect(&disk);
    let library = Library::shipped();
    let knowledge = Knowledge::new(&library);
    let entry = knowledge.find(name).expect(name);
    let forms = legacy::naming(entry);
    let ecosystems = entry.packages.iter().map(|(word, _)| *word).collect();
    let wanted = legacy::Wanted { name: entry.name, ecosystems, forms: forms.iter().collect() };
    let uses = legacy::search(&disk, files.iter().map(|(path, _)| *path), &[wanted]).found;
    let asked = Asked { from, to: Some(to), old_forms: &[], uses: &uses };
    let plan = plan(entry, asked, &knowledge, &stack).expect("a plan");
    let step = |step: &Step| {
        let commands = step.commands.iter().map(|it| format!("\n   $ {it}")).collect::<String>();
        format!("{:?} {}{commands}", step.risk, step.what)
    };
    let guards = plan.guardrails.iter().map(|it| format!("guard: {it}"));
    let notes = plan.notes.iter().map(|it| format!("note: {it}"));
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

#[test]
fn a_library_is_left_for_another() {
    insta::assert_snapshot!(planned(SHOP, "moment", None, "date-fns").join("\n"), @"");
}

#[test]
fn a_store_is_left_for_another() {
    insta::assert_snapshot!(planned(&[], "mongodb", None, "postgresql").join("\n"), @"");
}

/// Moves, and what each plan has to hold.
const MOVES: &[(&str, Option<&str>, &str, &[&str])] = &[
    (
        "webpack",
        None,
        "vite",
        &[
            "npx @originjs/webpack-to-vite",
            "import.meta.env",
            "npm install vite",
            "npm uninstall webpack",
            "Compare what both give",
        ],
    ),
    (
        "jest",
        None,
        "vitest",
        &[
            "npx codemod jest/vitest",
            "vi.fn",
            "which are skipped before and after",
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
    ("create-react-app", None, "nextjs", &["cra-to-next", "NEXT_PUBLIC_", "ends here"]),
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
    // No entry tells this way: the plan says so, and is one of its kind all the same.
    ("cypress", None, "playwright", &["no entry tells what breaks", "side by side in CI"]),
];

#[test]
fn plans_name_what_helps_and_what_breaks() {
    let mut missing = Vec::new();
    for (name, from, to, wanted) in MOVES {
        let plan = planned(SHOP, name, *from, to);
        let text = plan.join("\n");
        let lacks = wanted.iter().filter(|wanted| !text.contains(**wanted));
        missing.extend(lacks.map(|lack| format!("{name} to {to}: no `{lack}` in\n{text}")));
        assert!(plan[0].contains("Begin on a branch"), "{name}: {}", plan[0]);
    }
    assert!(missing.is_empty(), "{}", missing.join("\n\n"));
}

#[test]
fn what_pins_a_runtime_is_named_in_its_plan() {
    let files = [
        (
            "pyproject.toml",
            "[project]\nname = \"a\"\nrequires-python = \">=3.9\"\ndependencies = [\"pytest\"]\n",
        ),
        (".python-version", "3.9.2\n"),
        ("package.json", r#"{"scripts": {"lint": "eslint ."}}"#),
    ];
    let text = planned(&files, "python", None, "3.13").join("\n");
    assert!(text.contains("Set 3.13 in .python-version (3.9.2), pyproject.toml (>=3.9)"), "{text}");
    assert!(text.contains("$ pytest") && !text.contains("lint"), "{text}");
    assert!(!text.contains("commands are left out"), "{text}");
}
