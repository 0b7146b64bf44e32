//! Tests of `aidd deps`.

use crate::cli::support::Project;
use insta::assert_snapshot;

const MANIFEST: &str = r#"{ "name": "app", "dependencies": { "vue": "^2.7.0", "zod": "^4.0.0", "left-pad": "^1.3.0" } }"#;
const LOCK: &str = r#"{ "lockfileVersion": 3, "packages": {
  "": { "name": "app", "dependencies": { "vue": "^2.7.0", "zod": "^4.0.0" } },
  "node_modules/vue": { "version": "2.7.16" },
  "node_modules/zod": { "version": "3.25.1" },
  "node_modules/zod/node_modules/deep": { "version": "1.0.0" }
} }"#;

fn project() -> Project {
    Project::new(&[
        ("package.json", MANIFEST),
        ("package-lock.json", LOCK),
        ("src/main.js", "import Vue from 'vue';\n"),
        ("api/Gemfile", "gem \"rails\"\n"),
    ])
}

#[test]
fn dependencies_are_listed_by_manifest() {
    let output = project().run(&["deps"]).expect_code(0);
    assert_snapshot!(output.out, @r"
    api/Gemfile
      name   ecosystem  declared  locked  imported by  notes
      rails  gem        -         -       not checked

    package.json, locked in package-lock.json
      name      ecosystem  declared  locked  imported by  notes
      vue       npm        ^2.7.0    2.7.16  1 file       support for Vue 2 ended 2023-12-31 (as of 2026-11-22)
      zod       npm        ^4.0.0    3.25.1  0 files      locked version does not satisfy the range
      left-pad  npm        ^1.3.0    -       0 files      not in the lock file

    advisories: not checked; pass a local export with --osv DIR
    newer versions: not checked
    ");
    let output = project().run(&["deps", "api", "--json"]).expect_code(0);
    assert_snapshot!(output.out, @r#"
    {
      "schemaVersion": 1,
      "dependencies": [
        {
          "manifest": "api/Gemfile",
          "name": "rails",
          "ecosystem": "gem",
          "group": "normal",
          "locked": [],
          "usedBy": null,
          "satisfied": null,
          "notes": []
        }
      ],
      "advisories": "not checked",
      "newerVersions": "not checked",
      "notes": []
    }
    "#);
}

#[test]
fn advisories_are_matched_with_direct_and_indirect_packages() {
    let project = project();
    let advisory = |id: &str, name: &str, events: &str| {
        format!(
            r#"{{ "id": "{id}", "affected": [{{ "package": {{ "ecosystem": "npm", "name": "{name}" }}, "ranges": [{{ "type": "SEMVER", "events": [{events}] }}] }}] }}"#
        )
    };
    let range = r#"{ "introduced": "0" }, { "fixed": "1.0.1" }"#;
    project.write("osv/npm/X-1.json", advisory("X-1", "deep", range));
    project.write("osv/npm/X-2.json", advisory("X-2", "vue", range));
    project.write("osv/broken.json", "{");
    let output = project.run(&["deps", "package.json", "--osv", "osv"]).expect_code(1);
    let last: Vec<&str> = output.out.lines().rev().take(3).collect();
    assert_eq!(
        last,
        [
            "newer versions: not checked",
            "advisories: 1 apply, 0 not checked, of 2 read, 1 file is not an advisory",
            "package-lock.json: deep 1.0.0 X-1: affected; fixed in 1.0.1",
        ]
    );
    for (arguments, message) in [
        (&["deps", "--osv", "missing"][..], "cannot read"),
        (&["deps", "--osv", "src"], "contains no advisories"),
        (&["deps", "missing"], "is not a path of the project"),
    ] {
        let error = project.run(arguments).expect_code(2).err;
        assert!(error.contains(message), "{error}");
    }
}

#[test]
fn malformed_manifests_are_listed() {
    let project = project();
    project.write("broken/package.json", r#"{"dependencies": {"a": "*",}"#);
    let output = project.run(&["deps"]).expect_code(0);
    let note = "note: broken/package.json: not read: malformed or too large; correct the file";
    assert!(output.out.contains(note), "{}", output.out);
}
