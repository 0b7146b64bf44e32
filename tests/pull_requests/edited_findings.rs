//! Tests that an existing finding stays pre-existing if the change edits a part of its lines.

use crate::pull_requests::support::{check, print, project};
use crate::repository::Repository;
use insta::assert_snapshot;

/// The findings of a change from `before` to `after`, in a project with one rule.
fn findings(rule: &str, path: &str, before: &str, after: &str) -> String {
    let repository = project_with(rule, path, before);
    repository.commit(&[(path, after)]);
    check(&repository, &["--diff", "main"])
}

fn project_with(rule: &str, path: &str, text: &str) -> Repository {
    let page =
        format!("---\nseverity: error\nmessage: m\ncheck:\n{rule}\n---\n# team/rule\n\nWhy.\n");
    let repository = project(&[("rules/rule.md", &page), (path, text)]);
    repository.git(&["switch", "--quiet", "--create", "topic"]);
    repository
}

#[test]
fn a_finding_of_several_lines_that_was_edited_inside_is_known() {
    let rule = "  text: { regex: '(?s)begin.*?end' }\n  files: ['*.x']";
    let report = |before, after| findings(rule, "a.x", before, after);
    let before = "begin one\n1\n2\n3\nend\n";
    assert_snapshot!(report(before, "begin one\n1\ntwo\n3\nend\n"), @"a.x:1 team/rule pre-existing: lines of the finding were changed; already present on line 1 of the base");
    // The first line was edited, and most of the lines are unchanged.
    assert_snapshot!(report(before, "begin one.\n1\n2\n3\nend\n"), @"a.x:1 team/rule pre-existing: lines of the finding were changed; already present on line 1 of the base");
    // Another finding in the same place.
    let other = report(before, "begin one.\n4\n5\n6\nend\n");
    assert!(other.contains("a.x:1 team/rule new"), "{other}");
    // One of two findings is new.
    assert_snapshot!(report(before, "begin one\n1\n2\nend\nbegin two\n2\n3\nend\n"), @"
    a.x:1 team/rule pre-existing: lines of the finding were changed; already present on line 1 of the base
    a.x:5 team/rule new: this change added or changed the line
    ");
}

#[test]
fn a_project_finding_on_an_edited_line_is_known() {
    let rule = "  layers: { forbid: [{ from: 'src/domain/**', to: ['src/app/**', 'npm:react'] }] }";
    let before = "import { x } from \"../app/u\"\nimport r from \"react\"\nr(x)\n";
    let after = "import { x, y } from \"../app/u\"\nimport r from 'react'\nr(x, y)\n";
    assert_snapshot!(findings(rule, "src/domain/d.ts", before, after), @"src/domain/d.ts:2 team/rule pre-existing: the line was changed around the finding; already present on line 2 of the base");
}

#[test]
fn a_missing_header_is_known_if_the_first_line_changes() {
    let rule = "  text: { regex: Copyright, require: true, first: 3 }\n  files: ['*.x']";
    let repository = project_with(rule, "a.x", "one\ntwo\n");
    print(&repository, &["baseline", "write"]);
    for text in ["import z\none\ntwo\n", "1\ntwo\n"] {
        repository.write("a.x", text);
        let known = "a.x:1 team/rule pre-existing: already present in the base\n";
        assert_eq!(check(&repository, &["--diff", "main", "--no-baseline"]), known);
        let known =
            "a.x:1 team/rule baselined: recorded in the baseline; its line was edited since\n";
        assert_eq!(check(&repository, &[]), known);
    }
}
