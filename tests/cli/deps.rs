//! Tests of `aidd deps`.

use crate::cli::support::Project;
use insta::assert_snapshot;
use wiremock::matchers::path;
use wiremock::{Mock, MockServer, ResponseTemplate};

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
    newer versions: not checked; ask the registries with --online
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
            "newer versions: not checked; ask the registries with --online",
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

/// Runs `aidd deps --online` in a project whose registries are a local server with these responses.
/// The output has `SERVER` in place of the address.
fn run_online(responses: &[(&str, u16, &str)], args: &[&str]) -> String {
    let runtime =
        tokio::runtime::Builder::new_current_thread().enable_all().build().expect("a runtime");
    let server = runtime.block_on(async {
        let server = MockServer::start().await;
        for (at, status, body) in responses {
            let response = ResponseTemplate::new(*status).set_body_string(*body);
            Mock::given(path(*at)).respond_with(response).mount(&server).await;
        }
        server
    });
    let project = project();
    let manifest = r#"{ "dependencies": { "vue": "^2.7.0", "zod": "^4.0.0", "left-pad": "^1.3.0", "closed": "1.0.0", "html": "1.0.0", "../up": "1.0.0", "local": "file:local" } }"#;
    project.write("package.json", manifest);
    project.write(".npmrc", format!("registry={}/npm/\n", server.uri()));
    project.write(
        ".cargo/config.toml",
        "[source.crates-io]\nreplace-with = \"v\"\n[source.v]\ndirectory = \"v\"\n",
    );
    project.write("Cargo.toml", "[dependencies]\nserde = \"1\"\n");
    project
        .write("requirements.txt", format!("--index-url {}/simple\nrequests==1.0\n", server.uri()));
    project.write("api/Gemfile", "source \"ftp://gems.example\"\ngem \"rails\"\n");
    // The settings of the user that runs the tests must not matter.
    let home = project.path().join("home");
    let home = home.to_str().expect("UTF-8");
    let env = [("HOME", home), ("USERPROFILE", home), ("NO_PROXY", "*"), ("no_proxy", "*")];
    let output = project.run_env(&env, &[&["deps", "--online"], args].concat()).expect_code(0);
    let host = server.uri().replace("http://", "");
    output.out.replace(&host, "SERVER")
}

#[test]
fn the_configured_registries_are_asked_on_request() {
    let vue = r#"{ "dist-tags": { "latest": "3.5.0" }, "versions": { "2.7.16": { "deprecated": "Vue 2 has reached\nits end" }, "3.5.0": {} } }"#;
    let zod = r#"{ "dist-tags": { "latest": "4.1.0" }, "versions": { "4.1.0": {} } }"#;
    let requests = r#"{ "versions": ["1.0", "2.0"], "files": [] }"#;
    let responses = [
        ("/npm/vue", 200, vue),
        ("/npm/zod", 200, zod),
        ("/npm/closed", 401, "no"),
        ("/npm/html", 200, "<html>"),
        ("/simple/requests/", 200, requests),
    ];
    assert_snapshot!(run_online(&responses, &[]), @r"
    Cargo.toml
      name   ecosystem  declared  locked  imported by  notes
      serde  cargo      1         -       0 files

    api/Gemfile
      name   ecosystem  declared  locked  imported by  notes
      rails  gem        -         -       not checked

    package.json, locked in package-lock.json
      name      ecosystem  declared  locked  imported by  notes
      vue       npm        ^2.7.0    2.7.16  1 file       support for Vue 2 ended 2023-12-31 (as of 2026-11-22); 2.7.16 is deprecated: Vue 2 has reached its end; newest version 3.5.0
      zod       npm        ^4.0.0    3.25.1  0 files      locked version does not satisfy the range; 3.25.1 is not in the registry; newest version 4.1.0
      left-pad  npm        ^1.3.0    -       0 files      not in the lock file; not in the registry
      closed    npm        1.0.0     -       0 files      not in the lock file
      html      npm        1.0.0     -       0 files      not in the lock file
      ../up     npm        1.0.0     -       0 files      not in the lock file
      local     npm        -         -       not checked  from the project

    requirements.txt
      name      ecosystem  declared  locked  imported by  notes
      requests  pypi       ==1.0     -       0 files      newest version 2.0

    advisories: not checked; pass a local export with --osv DIR
    newer versions: 2 available, 1 not in the registry, 5 not checked; queried SERVER
      not checked: SERVER: HTTP 401; no credentials are sent
      not checked: SERVER: the response does not list versions
      not checked: a directory replaces the registry
      not checked: the name is not valid
      not checked: the registry is not at an HTTP address
    ");
    let json = run_online(&responses, &["--json", "Cargo.toml"]);
    assert!(json.contains(r#""notChecked": "a directory replaces the registry""#), "{json}");
    assert!(json.contains(r#""asked": []"#), "{json}");
}

#[test]
fn failures_of_a_registry_are_not_checked() {
    for (status, body) in [(500, ""), (200, "{"), (200, "{}"), (302, ""), (429, "wait")] {
        let out = run_online(&[("/npm/vue", status, body)], &["package.json"]);
        let vue = out.lines().find(|line| line.trim_start().starts_with("vue")).expect("a row");
        assert!(!vue.contains("newest version") && !vue.contains("not in"), "{status}: {out}");
        assert!(out.contains("not checked: SERVER: "), "{status}: {out}");
        assert!(!out.contains(" 0 not checked"), "{status}: {out}");
    }
}

#[test]
fn a_registry_without_a_server_is_not_checked() {
    let project = project();
    project.write(".npmrc", "registry=http://127.0.0.1:1/\n");
    let output = project.run(&["deps", "package.json", "--online"]).expect_code(0);
    assert!(output.out.contains("3 not checked; queried 127.0.0.1:1"), "{}", output.out);
    assert!(output.out.contains("  not checked: 127.0.0.1:1: "), "{}", output.out);
}
