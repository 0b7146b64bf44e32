//! Tests of rules on imports and on documents, run by the binary.

use crate::cli::support::Project;
use insta::assert_snapshot;

const LAYERS: &str = "---
severity: error
check:
  layers: { order: ['src/app/**', 'src/domain/**'], transitive: true }
---
# team/layers

The domain knows no one.
";

#[test]
fn reversed_and_unresolved_imports_are_reported() {
    let project = Project::new(&[
        ("rules/layers.md", LAYERS),
        ("tsconfig.json", "{\"compilerOptions\": {\"paths\": {\"@app/*\": [\"./src/app/*\"]}}}\n"),
        ("src/app/main.ts", "import \"../domain/order\";\n"),
        ("src/util.ts", "import \"@app/main\";\n"),
        (
            "src/domain/order.ts",
            "import { main } from \"@app/main\";\nimport \"../util\";\nimport \"./gone\";\n",
        ),
        ("src/domain/order.test.ts", "import \"../app/main\";\n"),
    ]);
    let output = project.run(&["check", ".", "--verbose"]).expect_code(1);
    assert_snapshot!(output.out, @r#"
    error[team/layers]: `src/domain/**` must not import `src/app/main.ts` of `src/app/**`, a higher layer
     --> src/domain/order.ts:1:23
      |
    1 | import { main } from "@app/main";
      |                       ^^^^^^^^^
    2 | import "../util";
    3 | import "./gone";
      |

    error[team/layers]: `src/domain/**` must not import `src/app/main.ts` of `src/app/**`, a higher layer, but does so through `src/util.ts`
     --> src/domain/order.ts:2:9
      |
    1 | import { main } from "@app/main";
    2 | import "../util";
      |         ^^^^^^^
      |         |
      |         `src/util.ts` imports `src/app/main.ts`
    3 | import "./gone";
      |

    2 errors in 6 files (TIME)
    next: read the reason and the fix with `aidd explain team/layers`
    "#);
    assert_snapshot!(output.err, @"
    note: team/layers applies to 4 imports
    note: team/layers 1 import looks like a part of the project, but does not resolve to a file: `./gone` in src/domain/order.ts
    ");
    // Unresolved imports are reported without `--verbose` too.
    let plain = project.run(&["check", "."]).expect_code(1);
    assert_snapshot!(plain.err, @"note: team/layers 1 import looks like a part of the project, but does not resolve to a file: `./gone` in src/domain/order.ts");
    assert_eq!(project.run(&["check", ".", "--quiet"]).expect_code(1).err, "");
    project.write(
        "src/domain/order.ts",
        concat!(
            "// aidd:",
            "allow team/layers it is being moved\nimport { main } from \"@app/main\";\n"
        ),
    );
    project.run(&["check", "."]).expect_code(0);
}

const DOC: &str = "---
severity: warning
check:
  files: ['docs/*.md']
  doc: { headings: ['# *', '## Status', '*'], links: [files, anchors] }
  fix: { insert: true, safe: true }
---
# team/doc

A decision has a status.
";

#[test]
fn documents_are_checked_and_fixed() {
    let project = Project::new(&[
        ("rules/doc.md", DOC),
        ("docs/a.md", "# A\n\n[b](b.md#b) [folder](sub/) [lost](gone.md)\n"),
        ("docs/b.md", "# B\n\n## Status\n"),
        ("docs/sub/x.txt", ""),
    ]);
    let output = project.run(&["check", ".", "--format", "github"]).expect_code(0);
    assert_snapshot!(output.out, @"
    ::warning file=docs/a.md,line=1,endLine=1,col=1,endColumn=4,title=team/doc::`## Status` is missing; it belongs after `# A`
    ::warning file=docs/a.md,line=3,endLine=3,col=28,endColumn=43,title=team/doc::the link target `gone.md` does not exist
    2 warnings in 4 files; 1 fixable with --fix
    ");
    project.run(&["check", ".", "--fix"]).expect_code(0);
    assert_eq!(
        project.read("docs/a.md"),
        "# A\n\n[b](b.md#b) [folder](sub/) [lost](gone.md)\n\n## Status\n"
    );
}
