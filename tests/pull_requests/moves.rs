//! Tests of moved directories and files.

use crate::pull_requests::pull_request::PullRequest;
use crate::pull_requests::runner::Runner;
use crate::pull_requests::support::{RULE, check, command, lines, project};
use crate::repository::Repository;
use insta::assert_snapshot;

const TREE: &str = "---\nseverity: error\nmessage: \"`<name>` has no test\"\ncheck:\n  tree: { each: 'src/*.ts', exists: ['src/<stem>.test.ts'] }\n---\n# team/tested\n\nTest it.\n";

/// A package with its own rules in the directory `rules`; every file has a finding of these rules.
fn package(rules: &str) -> Vec<(String, String)> {
    let hue = RULE.1.replace("blue", "mauve").replace("team/colour", "team/hue");
    let file = |path: &str, text: &str| (format!("packages/a/{path}"), text.to_owned());
    vec![
        file(&format!("{rules}/team/hue.md"), &hue),
        file(&format!("{rules}/team/tested.md"), TREE),
        file("same.txt", "mauve sky\n"),
        file("edited.txt", "one\ntwo\nmauve three\nfour\nfive\n"),
        file("rewritten.txt", "mauve stays\nbrown\nred\n"),
        file("src/x.ts", "1\n"),
    ]
}

fn files(package: &[(String, String)]) -> Vec<(&str, &str)> {
    package.iter().map(|(path, text)| (path.as_str(), text.as_str())).collect()
}

/// Moves the package and edits some files.
fn change(repository: &Repository) {
    repository.git(&["mv", "packages/a", "packages/b"]);
    repository
        .write("packages/b/edited.txt", "zero\none\ntwo\nmauve three\nfour\nfive\nmauve six\n");
    repository
        .write("packages/b/rewritten.txt", "green\nyellow\n  mauve stays\nwhite\nblack\ngrey\n");
}

#[test]
fn a_directory_moved_with_its_rules_keeps_its_findings() {
    for rules in [".aidd/rules", "ai/rules"] {
        let package = package(rules);
        let repository = Repository::new();
        repository.commit(&files(&package));
        repository.git(&["switch", "--quiet", "--create", "topic"]);
        change(&repository);
        repository.git(&["add", "--all"]);
        let staged = check(&repository, &["--staged"]);
        assert_eq!(check(&repository, &["--changed"]), staged);
        repository.commit(&[]);
        assert_eq!(check(&repository, &["--diff", "main"]), staged);
        insta::allow_duplicates!(assert_snapshot!(staged, @"
        packages/b/edited.txt:4 team/hue pre-existing: already present on line 3 of the base
        packages/b/edited.txt:7 team/hue new: this change added or changed the line
        packages/b/rewritten.txt:3 team/hue moved: moved from `packages/a/rewritten.txt`, line 1 of the base
        packages/b/same.txt:1 team/hue pre-existing: already present on line 1 of the base
        packages/b/src/x.ts:1 team/tested moved: moved from `packages/a/src/x.ts`
        "));
    }
}

/// Rules on directories and on missing files.
const DIRS: [(&str, &str); 2] = [
    (
        "rules/readme.md",
        "---\nseverity: error\ncheck:\n  tree: { each: '{packages,libs}/<pkg>/', exists: ['<path>/README.md'] }\n---\n# team/readme\n\nSay it.\n",
    ),
    (
        "rules/kebab.md",
        "---\nseverity: error\ncheck:\n  tree: { each: '**/*/', name: kebab }\n---\n# team/kebab\n\nOne style.\n",
    ),
];

#[test]
fn findings_on_a_directory_move_with_it() {
    let repository = project(&[
        DIRS[0],
        DIRS[1],
        ("packages/x/Bad_Name/a.txt", "a\n"),
        ("packages/x/b.txt", "b\n"),
        ("packages/split/a.txt", "split\n"),
        ("packages/split/b.txt", "stays\n"),
        ("packages/stays/a.txt", "stays here\n"),
    ]);
    repository.git(&["switch", "--quiet", "--create", "topic"]);
    std::fs::create_dir_all(repository.path("libs/split")).expect("made");
    repository.git(&["mv", "packages/x", "libs/x"]);
    // Some files of this package stay, so both directories lack a README.
    repository.git(&["mv", "packages/split/a.txt", "libs/split/a.txt"]);
    repository.write("libs/new/a.txt", "new\n");
    repository.git(&["add", "--all"]);
    let staged = check(&repository, &["--staged"]);
    assert_eq!(check(&repository, &["--changed"]), staged);
    repository.commit(&[]);
    assert_eq!(check(&repository, &["--diff", "main"]), staged);
    assert_snapshot!(staged, @"
    libs/new/README.md:1 team/readme new: not present in the base
    libs/split/README.md:1 team/readme new: not present in the base
    libs/x/Bad_Name:1 team/kebab moved: moved from `packages/x/Bad_Name`
    libs/x/README.md:1 team/readme moved: moved from `packages/x/README.md`
    packages/split/README.md:1 team/readme pre-existing: already present in the base
    packages/stays/README.md:1 team/readme pre-existing: already present in the base
    ");
}

#[test]
fn a_file_moved_into_a_nested_project_keeps_findings_of_shipped_rules() {
    let rule = format!("app/{}", RULE.0);
    let token = format!("TOKEN=gh{}_{}\n", "p", "Vq7RkX2mZt9LwBn4Yc6HsDf1Jg8PaKe3Uo5T");
    let text = format!("one\ntwo\nthree\nblue\n{token}six\nseven\n");
    let files = [(&*rule, RULE.1), ("app/.aidd/config.json", "{}"), ("lib/a.txt", &text)];
    let scene = PullRequest::new(&files, |server| {
        server.git(&["mv", "lib/a.txt", "app/a.txt"]);
        server.write("app/a.txt", format!("zero\n{text}{}", token.replace("Vq7", "Xq8")));
    });
    let runner = scene.standard_runner();
    for shard in [&[][..], &["--shard", "1/1"]] {
        let args = [&["ci", "--format", "json"], shard].concat();
        insta::allow_duplicates!(assert_snapshot!(runner.run_in("app", &args).summary(), @"
        exit 1, (first parent of the merge commit)
        app/a.txt:5 team/colour new: the line is unchanged; caused by a change elsewhere
        app/a.txt:6 secrets/github-personal-access-token pre-existing: already present on line 5 of the base
        app/a.txt:9 secrets/github-personal-access-token new: this change added or changed the line
        "));
    }
    let clone = scene.server.cloned(&["--branch=topic"]);
    let args = ["check", ".", "--diff", &scene.fork, "--format", "json"];
    let output = command(&clone, "app", &args).output().expect("started");
    assert_snapshot!(lines(&output), @"
    a.txt:5 team/colour new: the line is unchanged; caused by a change elsewhere
    a.txt:6 secrets/github-personal-access-token pre-existing: already present on line 5 of the base
    a.txt:9 secrets/github-personal-access-token new: this change added or changed the line
    ");
}

#[test]
fn an_allowed_finding_moved_without_its_comment_is_new() {
    let tested = ("rules/tested.md", TREE);
    let file = (
        "src/x.ts",
        "// aidd:allow-file team/tested trivial\n1;\n2;\n3;\n4;\n5;\n6;\n7;\n8;\n9;\n10;\n11;\n12;\n13;\n14;\n15;\n16;\n",
    );
    let repository = project(&[tested, file]);
    repository.git(&["mv", "src/x.ts", "src/y.ts"]);
    repository.write("src/y.ts", file.1.split_once('\n').expect("two lines").1);
    repository.git(&["add", "--all"]);
    assert_snapshot!(check(&repository, &["--staged"]), @"src/y.ts:1 team/tested new: the comment that allowed it was removed");
}

#[test]
fn a_shard_detects_moved_rules() {
    let package = package("ai/rules");
    let scene = PullRequest::new(&files(&package), change);
    let unsharded = scene.standard_runner().ci_summary(&[]);
    let new = |report: &str| report.lines().filter(|line| line.contains(" new: ")).count();
    assert_eq!(new(&unsharded), 1, "{unsharded}");
    let parts = ["1/2", "2/2"].map(|part| scene.standard_runner().ci_summary(&["--shard", part]));
    assert_eq!(parts.iter().map(|part| new(part)).sum::<usize>(), 2, "{parts:?}");
    let path = scene.standard_runner().ci_summary(&["packages/b/same.txt"]);
    assert_eq!(new(&path), 0, "{path}");
}

#[test]
fn an_untrusted_move_cannot_hide_findings() {
    let package = package(".aidd/rules");
    let scene = PullRequest::new(&files(&package), change);
    let clone = scene.checkout(&scene.base, &["--depth=1"]);
    let event = scene.payload("pull_request_target.json");
    let runner = Runner::github(clone, "pull_request_target", "refs/heads/main", &event);
    assert_snapshot!(runner.ci_summary(&[]), @"
    exit 1, (merge base of main and the pull request)
    packages/b/edited.txt:4 team/hue pre-existing: already present on line 3 of the base
    packages/b/edited.txt:7 team/hue new: this change added or changed the line
    packages/b/rewritten.txt:3 team/hue moved: moved from `packages/a/rewritten.txt`, line 1 of the base
    packages/b/same.txt:1 team/hue pre-existing: already present on line 1 of the base
    packages/b/src/x.ts:1 team/tested moved: moved from `packages/a/src/x.ts`
    ");
}

#[test]
fn a_nested_rule_with_the_id_of_a_root_rule_applies_to_an_untrusted_head() {
    let nested = RULE.1.replace("blue", "mauve");
    let files = [
        RULE,
        ("packages/a/.aidd/rules/team/colour.md", &*nested),
        ("packages/a/x.txt", "one\n"),
        ("x.txt", "one\n"),
    ];
    let scene = PullRequest::new(&files, |repository| {
        repository.write("packages/a/x.txt", "one\nblue\nmauve\n");
        repository.write("x.txt", "one\nblue\nmauve\n");
    });
    let trusted = scene.standard_runner().ci_summary(&[]);
    let clone = scene.checkout(&scene.base, &["--depth=1"]);
    let event = scene.payload("pull_request_target.json");
    let runner = Runner::github(clone, "pull_request_target", "refs/heads/main", &event);
    let untrusted = runner.ci_summary(&[]);
    let findings = |report: &str| report.lines().skip(1).map(str::to_owned).collect::<Vec<_>>();
    assert_eq!(findings(&untrusted), findings(&trusted));
    assert_snapshot!(untrusted, @"
    exit 1, (merge base of main and the pull request)
    packages/a/x.txt:2 team/colour new: this change added or changed the line
    packages/a/x.txt:3 team/colour-packages-a new: this change added or changed the line
    x.txt:2 team/colour new: this change added or changed the line
    ");
}

#[test]
fn moved_rules_do_not_make_existing_findings_new() {
    let page = format!("packages/a/{}", RULE.0);
    let files = [(&*page, RULE.1), ("packages/a/x.txt", "blue\n"), ("x.txt", "blue\n")];
    let repository = Repository::new();
    repository.commit(&files);
    repository.git(&["switch", "--quiet", "--create", "topic"]);
    std::fs::create_dir_all(repository.path("rules/team")).expect("made");
    repository.git(&["mv", &page, RULE.0]);
    repository.commit(&[("x.txt", "blue\nred\n"), ("packages/a/x.txt", "blue\nred\n")]);
    assert_snapshot!(check(&repository, &["--diff", "main"]), @"
    packages/a/x.txt:1 team/colour pre-existing: already present on line 1 of the base
    x.txt:1 team/colour pre-existing: already present on line 1 of the base
    ");
}

#[test]
fn renames_are_detected_by_content_first() {
    // There are more files than are compared by similarity. In the second case all files have equal
    // contents, so their sources are ambiguous.
    for text in [|number: usize| format!("{number}\n"), |_: usize| "same\n".to_owned()] {
        let repository = project(&[]);
        for number in 0..1200 {
            repository.write(format!("old/{number}.txt"), text(number));
        }
        repository.commit(&[("old/blue.txt", "blue\n")]);
        repository.git(&["mv", "old", "new"]);
        let report = check(&repository, &["--staged"]);
        let expected =
            "new/blue.txt:1 team/colour pre-existing: already present on line 1 of the base\n";
        assert_eq!(report, expected);
    }
}
