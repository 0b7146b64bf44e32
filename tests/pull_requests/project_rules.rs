//! Tests of rules on the whole project in a comparison with a base.

use crate::pull_requests::support::{check, lines, project, run};
use insta::assert_snapshot;

const RULES: [(&str, &str); 2] = [
    (
        "rules/readme.md",
        "---\nseverity: error\nmessage: \"`<dir>` has no README\"\ncheck:\n  tree: { each: 'packages/<pkg>/', exists: ['<path>/README.md'] }\n---\n# team/readme\n\nSay it.\n",
    ),
    (
        "rules/tested.md",
        "---\nseverity: warning\nmessage: \"`<name>` has no test\"\ncheck:\n  exclude: ['*.test.ts']\n  tree: { each: 'packages/**/*.ts', exists: ['<dir>/<stem>.test.ts'] }\n---\n# team/tested\n\nTest it.\n",
    ),
];

#[test]
fn findings_caused_by_other_files_are_attributed_to_the_change() {
    let repository = project(&[
        RULES[0],
        RULES[1],
        ("packages/a/x.ts", "1\n"),
        ("packages/a/y.ts", "1\n"),
        ("packages/a/y.test.ts", "1\n"),
        ("packages/b/README.md", "b\n"),
        ("packages/c/z.ts", "1\n"),
    ]);
    repository.git(&["switch", "--quiet", "--create", "topic"]);
    repository.git(&["rm", "--quiet", "packages/a/y.test.ts", "packages/b/README.md"]);
    repository.commit(&[
        // The file is edited and still has no test: an existing finding.
        ("packages/a/x.ts", "2\n"),
        ("packages/b/new.ts", "// aidd:allow-file team/tested trivial\n"),
        ("packages/c/README.md", "c\n"),
    ]);
    let report = check(&repository, &["--diff", "main"]);
    assert_snapshot!(report, @"
    packages/a/README.md:1 team/readme pre-existing: already present in the base
    packages/a/x.ts:1 team/tested pre-existing: already present in the base
    packages/a/y.ts:1 team/tested new: not present in the base
    packages/b/README.md:1 team/readme new: not present in the base
    packages/b/new.ts:1 team/tested allowed: trivial
    packages/c/z.ts:1 team/tested pre-existing: already present in the base
    packages/c/README.md:1 team/readme fixed: fixed by this change
    ");
    let staged = check(&repository, &["--staged"]);
    assert!(!staged.contains(" new:"), "nothing is staged: {staged}");
}

#[test]
fn a_run_on_a_directory_reports_only_its_findings() {
    let repository = project(&[
        RULES[0],
        ("packages/a/x.txt", "1\n"),
        ("packages/b/x.txt", "2\n"),
        ("packages/b/README.md", "b\n"),
        ("packages/c/x.txt", "3\n"),
    ]);
    repository.git(&["rm", "--quiet", "packages/b/README.md"]);
    repository.write("packages/c/README.md", "c\n");
    repository.git(&["add", "--all"]);
    for options in [["--changed"].as_slice(), &["--staged"]] {
        let reports = ["packages/a", "packages/b", "packages/c"].map(|folder| {
            let args = [&["check", folder, "--format", "json"], options].concat();
            lines(&run(&repository, &args))
        });
        insta::allow_duplicates!(assert_snapshot!(reports.join("--\n"), @"
        packages/a/README.md:1 team/readme pre-existing: already present in the base
        --
        packages/b/README.md:1 team/readme new: not present in the base
        --
        packages/c/README.md:1 team/readme fixed: fixed by this change
        "));
    }
}
