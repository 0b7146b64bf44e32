//! Tests of a pull request with everything that can make new and existing findings hard to tell
//! apart: it has 40 new and 40 existing problems in files that it edits, moves, renames, copies,
//! swaps and deletes. For every event and clone depth, exactly the 40 new problems are reported as
//! new.
//!
//! Each problem has a label such as `planted_07` or `old_07` in its path or text, so that its
//! findings can be identified.

use crate::pull_requests::pull_request::PullRequest;
use crate::pull_requests::runner::{Runner, payload};
use crate::pull_requests::support::RULE;
use crate::repository::Repository;
use serde_json::Value;
use std::collections::BTreeSet;
use std::fs;

/// Number of problems of each kind.
const COUNT: usize = 40;

/// A rule of a nested package, on a different word.
const OWN_RULE: &str = "---
severity: error
message: \"`<match>` is not our colour\"
check:
  files: [\"**/*.txt\"]
  text: { regex: 'mauve\\w*', keywords: [mauve] }
---
# local/colour

Mauve is for guests.
";

/// `count` distinct lines.
fn lines(name: &str, count: usize) -> String {
    (0..count).map(|at| format!("line {at} of {name}\n")).collect()
}

fn old_line(number: usize) -> String {
    format!("blue_old_{number:02}\n")
}

fn planted_line(number: usize) -> String {
    format!("blue_planted_{number:02}\n")
}

/// A token, assembled at run time so that this file contains none.
fn token() -> String {
    format!("TOKEN=gh{}_{}\n", "p", "Vq7RkX2mZt9LwBn4Yc6HsDf1Jg8PaKe3Uo5T")
}

/// The files of the target at the merge base.
fn before() -> Vec<(&'static str, String)> {
    vec![
        (
            "edited.txt",
            lines("e", 3)
                + &old_line(0)
                + &lines("f", 5)
                + &old_line(1)
                + &lines("g", 5)
                + &old_line(2),
        ),
        ("renamed.txt", lines("r", 9) + &old_line(3) + &lines("s", 9)),
        ("renamed and edited.txt", lines("t", 9) + &old_line(4) + &lines("u", 9)),
        ("dir/one.txt", lines("d1", 9) + &old_line(5)),
        ("dir/deep/two.txt", lines("d2", 9) + &old_line(6) + &old_line(7)),
        ("dir/deep/[three] 줄.txt", lines("d3", 9) + &old_line(8)),
        ("packages/a/.aidd/rules/local.md", OWN_RULE.to_owned()),
        ("packages/a/src/own.txt", lines("o", 9) + "mauve_old_09\n" + &lines("p", 9)),
        (
            "packages/a/src/both.txt",
            lines("o", 9) + &old_line(10) + "mauve_old_11\n" + &lines("p", 9),
        ),
        (
            "from.txt",
            lines("b", 4) + "a block of its own\n" + &old_line(12) + "its end\n" + &lines("c", 4),
        ),
        ("into.txt", lines("i", 8) + &old_line(13)),
        ("indented.txt", lines("n", 3) + &old_line(14) + &lines("m", 3)),
        ("crlf.txt", lines("w", 3) + &old_line(15) + &lines("x", 3)),
        (".gitignore", "/ignored/\n*.local.*\n".to_owned()),
        ("ignored/tracked.txt", lines("k", 5) + &old_line(16)),
        ("tracked.local.txt", lines("l", 5) + &old_line(17)),
        ("deleted.txt", lines("y", 3) + &old_line(18) + &old_line(19)),
        ("Case.txt", lines("z", 9) + &old_line(20)),
        ("x.txt", lines("swap x", 9) + &old_line(21)),
        ("y.txt", lines("swap y", 9) + &old_line(22)),
        ("original.txt", lines("copied", 9) + "blue_copied\n"),
        ("Dockerfile", "FROM old_23:latest\nUSER app\n".to_owned()),
        ("secrets/old_24.env", token()),
        ("docs/old_25.md", "# A\n\n```mermaid\nflowchart LR\n  a{b --> c\n```\n".to_owned()),
        ("no-end.txt", lines("q", 3) + old_line(26).trim_end()),
        ("large.txt", lines("h", 2000) + &old_line(27) + &lines("hh", 2000)),
        (
            "allowed.txt",
            lines("a", 3) + "# aidd:allow team/colour ours\nblue_planted_30\n" + &old_line(28),
        ),
        ("spaces.txt", lines("v", 3) + &old_line(29).replace('\n', "   \n") + &lines("vv", 3)),
        ("bom.txt", "\u{FEFF}".to_owned() + &lines("bom", 3) + &old_line(30)),
        ("mode.txt", lines("mode", 3) + &old_line(31)),
        ("split.txt", lines("half", 9) + &old_line(32) + &lines("other half", 9) + &old_line(33)),
        ("twice.txt", lines("twice", 3) + "blue_twin\n" + &lines("thrice", 3)),
        (
            "word.txt",
            lines("word", 3)
                + "under a wide and blue_old_34 sky they went on\n"
                + &lines("ward", 3),
        ),
        ("untouched.txt", old_line(36) + &old_line(37) + &old_line(38)),
        ("untouched/deep/file.txt", old_line(39)),
    ]
}

/// The changes of the pull request.
fn change(server: &Repository) {
    let read = |path: &str| fs::read_to_string(server.path(path)).expect("text");
    let rename = |from: &str, to: &str| {
        fs::create_dir_all(server.path(to).parent().expect("a parent")).expect("made");
        fs::rename(server.path(from), server.path(to)).expect("moved");
    };
    let edit = |path: &str, from: &str, to: &str| {
        let text = read(path);
        assert!(text.contains(from), "{path}: {from}");
        server.write(path, text.replacen(from, to, 1));
    };
    let prepend = |path: &str, text: String| server.write(path, text + &read(path));
    let append = |path: &str, text: String| server.write(path, read(path) + &text);

    prepend("edited.txt", planted_line(0));
    edit("edited.txt", "line 2 of f\n", &planted_line(1));
    append("edited.txt", planted_line(2));
    rename("renamed.txt", "elsewhere/renamed.txt");
    rename("renamed and edited.txt", "elsewhere/other name.txt");
    edit("elsewhere/other name.txt", "line 3 of u\n", &planted_line(3));
    rename("dir", "moved/dir");
    append("moved/dir/deep/two.txt", planted_line(4));
    rename("packages/a", "packages/b");
    append("packages/b/src/own.txt", "mauve_planted_05\n".to_owned());
    prepend("packages/b/src/both.txt", planted_line(6));
    let block = "a block of its own\n".to_owned() + &old_line(12) + "its end\n";
    edit("from.txt", &block, "");
    edit("into.txt", "line 4 of i\n", &(block + &planted_line(7)));
    edit(
        "indented.txt",
        &old_line(14),
        &("    ".to_owned() + &old_line(14) + "    " + &planted_line(8)),
    );
    server.write("crlf.txt", (read("crlf.txt") + &planted_line(9)).replace('\n', "\r\n"));
    append("ignored/tracked.txt", planted_line(10));
    append("tracked.local.txt", planted_line(11));
    server.write("ignored/forced.txt", planted_line(12));
    server.write("secrets/planted_13.local.env", token());
    server.write("ignored/planted_14.env", token());
    fs::remove_file(server.path("deleted.txt")).expect("removed");
    rename("Case.txt", "case.txt");
    let (x, y) = (read("x.txt"), read("y.txt"));
    server.write("x.txt", y);
    server.write("y.txt", x + &planted_line(15));
    // Copies are additional occurrences.
    server.write("copy/planted_16.txt", read("original.txt"));
    append("Dockerfile", "FROM planted_17:latest\nUSER 1000\n".to_owned());
    server.write("secrets/planted_18.env", token());
    append("secrets/old_24.env", "# no token\n".to_owned());
    append("docs/old_25.md", "More.\n".to_owned());
    server.write("docs/planted_19.md", "```mermaid\nflowchart LR\n  a{b --> c\n```\n");
    append("no-end.txt", "\n".to_owned() + &planted_line(20));
    edit("large.txt", "line 1900 of hh\n", &planted_line(21));
    prepend("large.txt", lines("top", 40));
    // The comment that allowed the finding is removed.
    edit("allowed.txt", "# aidd:allow team/colour ours\n", "");
    append("allowed.txt", planted_line(22));
    edit("spaces.txt", "   \n", "\n");
    append("spaces.txt", planted_line(23));
    append("bom.txt", planted_line(24));
    prepend("mode.txt", planted_line(25));
    // A file is split in two.
    let text = read("split.txt");
    let (first, second) =
        text.split_at(text.find("line 0 of other half").expect("the second half"));
    server.write("split.txt", first);
    server.write("split two.txt", second.to_owned() + &planted_line(26));
    append("twice.txt", "blue_twin\n".to_owned());
    edit("word.txt", "blue_old_34 sky", "blue_old_34 and blue_planted_28 sky");
    server.write(".hidden/new.txt", planted_line(29));
    for (number, path) in (31..).zip([
        "-dash.txt",
        "new/[id]/page.txt",
        "new/a b.txt",
        "new/줄.txt",
        "new/deep/er/and/deeper.txt",
        "new/%41#.txt",
        "new/.txt",
    ]) {
        server.write(path, planted_line(number));
    }
    server.write("new/last.txt", planted_line(38) + &planted_line(39));
    server.git(&["add", "--all"]);
    server.git(&["add", "--force", "ignored", "secrets"]);
    server.git(&["update-index", "--chmod=+x", "mode.txt"]);
}

/// The findings of a report, as labels of problems.
#[derive(Debug, Default, PartialEq, Eq)]
struct Found {
    new: BTreeSet<String>,
    existing: BTreeSet<String>,
    fixed: BTreeSet<String>,
    /// New findings without a label.
    others: BTreeSet<String>,
}

impl Found {
    fn read(report: &Value) -> Self {
        let mut found = Self::default();
        for finding in report["findings"].as_array().expect("findings") {
            let text = |name: &str| finding[name].as_str().unwrap_or_default();
            let content = format!("{} {}", text("path"), text("message"));
            let number = ["planted_", "old_"].into_iter().find_map(|kind| {
                let at = content.find(kind)?;
                content.get(at..at + kind.len() + 2).map(str::to_owned)
            });
            let label = number.unwrap_or_else(|| match &content {
                text if text.contains("blue_twin") => "planted_27".to_owned(),
                _ => content.clone(),
            });
            match text("status") {
                "new" if label.starts_with("planted_") || label.starts_with("old_") => {
                    found.new.insert(label);
                }
                "new" => drop(found.others.insert(label)),
                "moved" | "pre-existing" => drop(found.existing.insert(label)),
                "fixed" => drop(found.fixed.insert(label)),
                status => assert_eq!(status, "allowed", "{content}"),
            }
        }
        found
    }
}

#[track_caller]
fn assert_correct(runner: &Runner, args: &[&str], name: &str) {
    let output = runner.ci(&[args, &["--format", "json"]].concat());
    let found = Found::read(&output.report());
    let planted: BTreeSet<String> = (0..COUNT).map(|at| format!("planted_{at:02}")).collect();
    let missing: Vec<&String> = planted.difference(&found.new).collect();
    let wrong: Vec<&String> = found.new.difference(&planted).collect();
    assert_eq!((missing, wrong), (vec![], vec![]), "{name}: missing, wrong\n{}", output.summary());
    assert_eq!(found.others, BTreeSet::new(), "{name}");
    assert_eq!(output.code, 1, "{name}");
    let fixed = ["old_18", "old_19"].map(str::to_owned);
    assert_eq!(found.fixed, BTreeSet::from(fixed), "{name}");
    // Existing findings are reported only in files that the change touches.
    let reported: BTreeSet<usize> = found
        .existing
        .iter()
        .filter_map(|label| label.strip_prefix("old_")?.parse().ok())
        .collect();
    let untouched = [18, 19, 35, 36, 37, 38, 39];
    let expected: BTreeSet<usize> = (0..COUNT).filter(|at| !untouched.contains(at)).collect();
    assert!(reported.is_superset(&expected), "{name}: {:?}", expected.difference(&reported));
}

fn scene() -> PullRequest {
    let before = before();
    let files: Vec<(&str, &str)> = before.iter().map(|(path, text)| (*path, &**text)).collect();
    let server = Repository::new();
    for (path, text) in &files {
        server.write(path, text);
    }
    server.git(&["add", "--force", "ignored", "tracked.local.txt"]);
    let fork = server.commit(&[RULE]);
    let mut scene = PullRequest::with_server(server, fork, change);
    // Meanwhile, a commit adds a problem to the target.
    scene.push_to_target(&[("theirs.txt", &old_line(35))]);
    scene
}

#[test]
fn exactly_the_planted_problems_are_new_for_every_event() {
    let scene = scene();
    for depth in [&["--depth=1"][..], &["--depth=2"], &[]] {
        let merge = || scene.checkout(&scene.merge, depth);
        assert_correct(&scene.runner(merge()), &[], &format!("pull_request, merge, {depth:?}"));
        let head = || scene.checkout(&scene.head, depth);
        assert_correct(&scene.runner(head()), &[], &format!("pull_request, head, {depth:?}"));
        let group =
            [("merge_group.base_sha", &*scene.base), ("merge_group.head_sha", &scene.merge)];
        let git_ref = "refs/heads/gh-readonly-queue/main/pr-7";
        let event = payload("merge_group.json", &group);
        let runner = Runner::github(merge(), "merge_group", git_ref, &event);
        assert_correct(&runner, &[], &format!("merge_group, {depth:?}"));
        for (name, before) in [("push.json", &*scene.fork), ("push_new_branch.json", NONE)] {
            let git_ref = "refs/heads/topic";
            let values = [("ref", git_ref), ("before", before), ("after", &scene.head)];
            let event = payload(name, &values);
            let runner = Runner::github(head(), "push", git_ref, &event);
            assert_correct(&runner, &[], &format!("{name}, {depth:?}"));
        }
        let gitlab = [
            ("GITLAB_CI", "true"),
            ("CI_SERVER_URL", "https://gitlab.example.org"),
            ("CI_PROJECT_PATH", "octo/demo"),
            ("CI_DEFAULT_BRANCH", "main"),
            ("CI_COMMIT_SHA", &*scene.head),
            ("CI_COMMIT_REF_NAME", "topic"),
            ("CI_PIPELINE_SOURCE", "merge_request_event"),
            ("CI_MERGE_REQUEST_IID", "3"),
            ("CI_MERGE_REQUEST_DIFF_BASE_SHA", &scene.fork),
            ("CI_MERGE_REQUEST_TARGET_BRANCH_NAME", "main"),
        ];
        let start = Runner::new(head());
        let runner = gitlab.iter().fold(start, |runner, (name, value)| runner.set(name, value));
        assert_correct(&runner, &[], &format!("merge request, {depth:?}"));
    }
    let clone = scene.server.cloned(&["--branch=topic"]);
    assert_correct(&Runner::new(clone), &["--base", "origin/main"], "base given as an option");
}

const NONE: &str = "0000000000000000000000000000000000000000";

#[test]
fn an_untrusted_head_is_checked_as_well() {
    let scene = scene();
    let event = scene.payload("pull_request_target.json");
    for commit in [&scene.base, &scene.head] {
        for depth in ["--depth=1", "--depth=2"] {
            let clone = scene.checkout(commit, &[depth]);
            let runner = Runner::github(clone, "pull_request_target", "refs/heads/main", &event);
            assert_correct(&runner, &[], &format!("pull_request_target, {depth}"));
        }
    }
}
