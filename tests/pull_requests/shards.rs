//! Tests that the merged report of all shards equals the report of an unsharded run.

use crate::pull_requests::pull_request::PullRequest;
use crate::pull_requests::runner::{Runner, payload};
use crate::pull_requests::support::{SPELLING, command};
use crate::repository::Repository;
use aidd_engine::workspace::walk::Part;
use insta::assert_snapshot;
use serde_json::Value;
use std::fs;

/// Formats that contain no times, so their files must be identical.
const FORMATS: [&str; 5] = ["json", "sarif", "markdown", "github", "gitlab"];

const CONFIG: &str = r#"{
  "ci": { "ignore": ["team/quiet"], "warnOn": ["team/spelling"] },
  "exclude": ["left-out/"],
  "maxFileSize": 4000
}"#;

fn quiet() -> (&'static str, String) {
    let page = SPELLING.1.replace("team/spelling", "team/quiet").replace("teh", "hush");
    ("rules/team/quiet.md", page)
}

/// Rules on the whole project, and one that applies only to certain changes.
const PROJECT_RULES: [(&str, &str); 3] = [
    (
        "rules/team/readme.md",
        "---\nseverity: error\ncheck:\n  tree: { each: 'packages/<pkg>/', exists: ['<path>/README.md'] }\n---\n# team/readme\n\nSay it.\n",
    ),
    (
        "rules/team/store.md",
        "---\nseverity: warning\ncheck:\n  layers: { forbid: [{ from: 'src/domain/**', to: ['src/store/**'] }] }\n---\n# team/store\n\nAsk the domain.\n",
    ),
    (
        "rules/team/with-big.md",
        "---\nseverity: info\ncheck:\n  files: ['*.txt']\n  when: { changed: ['big.yaml'] }\n  text: { regex: 'zero' }\n---\n# team/with-big\n\nNot with it.\n",
    ),
];

/// The source of a module that imports another.
fn import(from: &str) -> String {
    format!("import {{ x }} from '{from}';\nexport const y = x;\n")
}

/// Files of the base, some with findings of the rules on the whole project.
fn packages() -> Vec<(String, String)> {
    let mut files = vec![("src/store/store.ts".to_owned(), "export const x = {};\n".to_owned())];
    for name in ["stays", "edited", "renamed", "gone", "fixed", "split"] {
        files.push((format!("src/domain/{name}.ts"), import("../store/store") + name + ";\n"));
        files.push((format!("packages/{name}/code.txt"), format!("{name}\n")));
    }
    for name in ["old", "older"] {
        files.push((format!("packages/{name}/README.md"), format!("# {name}\n")));
    }
    files
}

/// Changes the files of [`packages`].
fn change_packages(server: &Repository) {
    server.write("src/domain/edited.ts", format!("1;\n{}", import("../store/store")));
    server.git(&["mv", "src/domain/renamed.ts", "src/domain/elsewhere.ts"]);
    server.git(&["rm", "--quiet", "-r", "src/domain/gone.ts", "packages/gone"]);
    server.write("src/domain/fixed.ts", "export {};\n");
    server.write("src/domain/new.ts", import("../store/store.ts"));
    // Too little of the file remains for a rename to be detected.
    let rest: String = (0..20).map(|at| format!("f({at});\n")).collect();
    server.write("src/domain/split.ts", "export {};\n");
    server.write("src/domain/other.ts", import("../store/store") + &rest);
    server.write("packages/fixed/README.md", "# fixed\n");
    server.git(&["rm", "--quiet", "packages/old/README.md", "packages/older/README.md"]);
    for name in ["old", "older", "newer"] {
        server.write(format!("packages/{name}/code.txt"), format!("{name} {name}\n"));
    }
}

/// A pull request with twelve files and some packages, whose report contains findings of every
/// kind.
fn scene() -> PullRequest {
    let quiet = quiet();
    let names: Vec<String> = (0..12).map(|at| format!("part-{at}/file.txt")).collect();
    let text = |at: usize| format!("one\nblue {at}\nteh {at}\nhush {at}\nlast\n");
    let texts: Vec<String> = (0..12).map(text).collect();
    let mut files: Vec<(&str, &str)> =
        names.iter().map(String::as_str).zip(texts.iter().map(String::as_str)).collect();
    let travels = "blue travels\nblue travels\nhush travels\n";
    let packages = packages();
    files.extend(packages.iter().map(|(path, text)| (path.as_str(), text.as_str())));
    files.extend(PROJECT_RULES);
    files.extend([SPELLING, (quiet.0, &*quiet.1), (".aidd/config.json", CONFIG)]);
    files.extend([("from.txt", travels), ("renamed.txt", &*texts[0]), ("big.yaml", "a: 1\n")]);
    PullRequest::new(&files, |server| {
        baseline(server);
        change_packages(server);
        for at in [1, 3, 5, 7] {
            let new = format!("zero\nblue new {at}\n{}hush new\nteh new\n", texts[at]);
            server.write(&names[at], new);
        }
        server.write(&names[9], "one\nhush 9\nlast\n");
        server.git(&["rm", "--quiet", &names[11], "from.txt"]);
        server.git(&["mv", "renamed.txt", "other-name.txt"]);
        // Too little of the file remains for a rename to be detected.
        let rest: String = (0..20).map(|at| format!("some line, number {at}\n")).collect();
        server.write("here.txt", format!("{rest}blue travels\nhush travels\n"));
        server.write("to-too.txt", format!("blue travels\n{rest}{rest}"));
        server.write("left-out/x.txt", "blue\n");
        server.write("big.yaml", format!("a: {}\n", "1".repeat(5000)));
        server.write("Dockerfile", "FROM debian:latest\n");
        server.write("allowed.txt", "# aidd:allow team/colour the sky\nblue sky\n");
    })
}

/// Adds two files with findings to the baseline, then entries for findings that do not exist.
fn baseline(server: &Repository) {
    let paths = ["part-3/file.txt", "part-4/file.txt"];
    let output = command(server, "", &[&["baseline", "write"], &paths[..]].concat()).output();
    assert!(output.expect("started").status.success());
    let path = ".aidd/baseline.json";
    let text = fs::read_to_string(server.path(path)).expect("written");
    let mut baseline: Value = serde_json::from_str(&text).expect("JSON");
    let findings = baseline["findings"].as_array_mut().expect("findings");
    for (at, path) in ["part-1/file.txt", "part-6/file.txt", "gone.txt"].iter().enumerate() {
        let mut stale = findings[0].clone();
        stale["path"] = (*path).into();
        stale["id"] = format!("{at:016x}").into();
        findings.push(stale);
    }
    server.write(path, baseline.to_string());
}

/// The exit code of a run, and all its outputs by name.
fn outcome(runner: &Runner, args: &[&str]) -> (i32, Vec<(String, String)>) {
    fs::write(runner.file("summary.md"), "").expect("written");
    fs::write(runner.file("output.txt"), "").expect("written");
    let files = FORMATS.map(|format| format!("{format}={}", runner.file(format).display()));
    let outputs: Vec<&str> = files.iter().flat_map(|file| ["--output", file]).collect();
    let output = runner.ci(&[args, &outputs].concat());
    let mut outputs = vec![("log".to_owned(), output.out)];
    for name in FORMATS.into_iter().chain(["summary.md", "output.txt"]) {
        outputs.push((name.to_owned(), runner.text(name)));
    }
    (output.code, outputs)
}

/// Saves the reports of all shards, and returns their paths.
fn save_shards(runner: &Runner, count: usize) -> Vec<String> {
    let part = |at: usize| {
        let file = runner.file(&format!("{at}.json")).display().to_string();
        let output = runner.ci(&["--shard", &format!("{at}/{count}"), "--save", &file]);
        assert_ne!(output.code, 2, "{}", output.err);
        file
    };
    (1..=count).map(part).collect()
}

fn merge_shards(runner: &Runner, parts: &[String]) -> (i32, Vec<(String, String)>) {
    let parts = parts.iter().map(String::as_str);
    outcome(runner, &["merge"].into_iter().chain(parts).collect::<Vec<_>>())
}

/// Asserts that the merged shards equal the unsharded run; returns the JSON report.
fn assert_equals_unsharded(runner: &Runner, count: usize) -> Value {
    let unsharded = outcome(runner, &[]);
    let mut parts = save_shards(runner, count);
    // The order of the shards does not matter.
    parts.rotate_left(1);
    let merged = merge_shards(runner, &parts);
    for (one, other) in unsharded.1.iter().zip(&merged.1) {
        assert_eq!(one, other);
    }
    assert_eq!(unsharded.0, merged.0);
    serde_json::from_str(&unsharded.1[1].1).expect("JSON")
}

#[test]
fn merged_shards_of_a_pull_request_equal_the_full_run() {
    let scene = scene();
    let runner = scene.standard_runner();
    let report = assert_equals_unsharded(&runner, 3);
    let part_of = |path: &str| (1..=3).find(|&index| Part { index, of: 3 }.contains(path));
    assert_ne!(part_of("from.txt"), part_of("here.txt"));
    // The test requires findings of all kinds.
    let summary = &report["summary"];
    for sort in ["moved", "preExisting", "fixed", "baselined", "allowed", "ignored"] {
        assert_ne!(summary[sort], 0, "{sort}: {summary}");
    }
    let moved_from_other_file = |finding: &&Value| {
        finding["reason"].as_str().is_some_and(|reason| reason.starts_with("moved from `from.txt`"))
    };
    assert_eq!(
        report["findings"]
            .as_array()
            .expect("findings")
            .iter()
            .filter(moved_from_other_file)
            .count(),
        2
    );
    assert_eq!(summary["skipped"].as_array().map(Vec::len), Some(1), "{summary}");
    assert_project_findings(&report);
    assert_equals_unsharded(&runner, 7);
}

/// Asserts that the rules on the whole project have findings of each kind.
fn assert_project_findings(report: &Value) {
    let count_findings = |rule: &str, status: &str| {
        let found = report["findings"].as_array().expect("findings").iter();
        found.filter(|found| found["rule"] == rule && found["status"] == status).count()
    };
    let statuses = ["pre-existing", "moved", "new", "fixed"];
    assert_eq!(statuses.map(|status| count_findings("team/readme", status)), [4, 0, 3, 2]);
    assert!(statuses.iter().all(|status| count_findings("team/store", status) > 0), "{report}");
    assert!(count_findings("team/with-big", "new") > 0);
}

#[test]
fn merged_shards_of_an_untrusted_pull_request_equal_the_full_run() {
    let scene = scene();
    let clone = scene.checkout(&scene.base, &["--depth=1"]);
    let event = scene.payload("pull_request_target.json");
    let runner = Runner::github(clone, "pull_request_target", "refs/heads/main", &event);
    assert_project_findings(&assert_equals_unsharded(&runner, 3));
}

#[test]
fn merged_shards_of_a_tree_equal_the_full_run() {
    let scene = scene();
    let server = &scene.server;
    server.git(&["switch", "--quiet", "--detach", &scene.merge]);
    let clone = server.cloned(&["--depth=1"]);
    let values = [("ref", "refs/heads/main"), ("before", &*scene.base), ("after", &scene.merge)];
    let runner = Runner::github(clone, "push", "refs/heads/main", &payload("push.json", &values));
    let report = assert_equals_unsharded(&runner, 3);
    assert_eq!(report["comparison"]["wholeTree"], true);
    assert_eq!(report["summary"]["stale"], 3);
    // A run without a base.
    let clone = server.cloned(&["--depth=1"]);
    let schedule = payload("schedule.json", &[]);
    let runner = Runner::github(clone, "schedule", "refs/heads/main", &schedule);
    assert_equals_unsharded(&runner, 2);
}

#[test]
fn mismatched_shards_are_rejected() {
    let scene = PullRequest::standard();
    let runner = scene.standard_runner();
    let parts = save_shards(&runner, 3);
    let error_of = |parts: &[&String]| {
        let args: Vec<&str> =
            ["merge"].into_iter().chain(parts.iter().map(|part| part.as_str())).collect();
        let output = runner.ci(&args);
        assert_eq!((output.code, &*output.out), (2, ""));
        output.err
    };
    let [one, two, three] = &parts[..] else { panic!("three") };
    assert_snapshot!(error_of(&[one, three]), @"
    error: shard 2/3 is missing
    hint: pass the reports of all shards
    ");
    assert_snapshot!(error_of(&[one, two]), @"
    error: shard 3/3 is missing
    hint: pass the reports of all shards
    ");
    assert_snapshot!(error_of(&[one, two, two, three]), @"error: duplicate shard 2/3");
    let unsharded = runner.file("whole.json").display().to_string();
    runner.ci(&["--save", &unsharded]);
    assert_snapshot!(error_of(&[one, two, three, &unsharded]), @"
    error: one of the reports is not a shard
    hint: merge reports of `aidd ci --shard I/N --save REPORT`
    ");
    // A shard of a different run has a different base or commit.
    let other = runner.file("other.json").display().to_string();
    runner.ci(&["--shard", "3/3", "--base", &scene.fork, "--save", &other]);
    assert_snapshot!(error_of(&[one, two, &other]), @"
    error: shards 1 and 3 have different bases
    hint: merge the shards of one run
    ");
    let mut foreign: Value = serde_json::from_str(&runner.text("3.json")).expect("JSON");
    foreign["context"]["headSha"] = scene.fork.as_str().into();
    fs::write(&other, foreign.to_string()).expect("written");
    assert_snapshot!(error_of(&[one, two, &other]), @"
    error: shards 1 and 3 have different commits
    hint: merge the shards of one run
    ");
    let output = runner.ci(&["--shard", "4/3"]);
    assert_eq!(output.code, 2);
    assert_snapshot!(output.err.lines().next().unwrap_or_default(), @"error: invalid value '4/3' for '--shard <I/N>': expected I/N with I from 1 to N, such as 1/4");
}

#[test]
fn a_merged_report_is_posted_without_suggestions() {
    let scene =
        PullRequest::new(&[SPELLING, ("a.txt", "one\n")], |server| server.write("a.txt", "teh\n"));
    let server = crate::pull_requests::server::GitHub::start("");
    let runner = scene
        .standard_runner()
        .set("GITHUB_API_URL", &server.api)
        .set("GITHUB_TOKEN", crate::pull_requests::server::TOKEN);
    let parts = save_shards(&runner, 2);
    let output = runner.ci(&["merge", &parts[0], &parts[1], "--comment", "--review"]);
    assert_eq!(output.code, 0);
    assert_eq!(server.state().comments.len(), 1);
    assert_snapshot!(output.err, @"aidd: No fixes were suggested: a merged report has no source files. Pass `--review` to the shards.");
}
