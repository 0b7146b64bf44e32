//! `aidd rule import` against what the tools themselves found: the folders under
//! `tests/fixtures/import` have a configuration, files that break it, and the tool's own verdict.

use crate::support::Project;
use aidd_engine::check::Selection;
use aidd_engine::commit_checks;
use aidd_engine::files::Memory;
use aidd_engine::patterns::commits::{Commit, Work};
use insta::assert_snapshot;
use std::collections::{BTreeMap, BTreeSet};
use std::fs;
use std::path::Path;

/// Rule, path and line; 0 for the file as such.
type Found = BTreeSet<(String, String, u64)>;

/// A copy of a fixture, and the lines of its verdict.
fn fixture(tool: &str) -> (Project, Vec<String>) {
    let from = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/fixtures/import").join(tool);
    let project = Project::new(&[]);
    let mut verdict = Vec::new();
    let mut left = vec![from.clone()];
    while let Some(folder) = left.pop() {
        for entry in fs::read_dir(&folder).expect("a folder") {
            let path = entry.expect("an entry").path();
            if path.is_dir() {
                left.push(path);
                continue;
            }
            let name =
                path.strip_prefix(&from).expect("below").to_string_lossy().replace('\\', "/");
            let bytes = fs::read(&path).expect("read");
            if name == "verdict" {
                let text = String::from_utf8(bytes).expect("text");
                verdict = text.lines().skip(1).map(str::to_owned).collect();
            } else {
                project.write(&name, bytes);
            }
        }
    }
    assert!(!verdict.is_empty(), "{tool} has no verdict");
    (project, verdict)
}

fn verdict(lines: &[String]) -> Found {
    let row = |line: &String| {
        let mut words = line.rsplitn(3, ' ');
        let line = words.next().and_then(|line| line.parse().ok()).expect("a line");
        let path = words.next().expect("a path").to_owned();
        (words.next().expect("a rule").to_owned(), path, line)
    };
    lines.iter().map(row).collect()
}

/// What the imported pages find: the second half of the id, path, line.
fn ours(project: &Project, tool: &str) -> Found {
    let only = format!("{tool}/*");
    let ran = project.run(&["check", ".", "--only", &only, "--format", "json"]);
    let report: serde_json::Value = serde_json::from_str(&ran.out).expect("JSON");
    let row = |finding: &serde_json::Value| {
        let rule = finding["rule"].as_str().and_then(|rule| rule.split_once('/')).expect("an id").1;
        let path = finding["path"].as_str().expect("a path").to_owned();
        (rule.to_owned(), path, finding["start"]["line"].as_u64().expect("a line"))
    };
    let found = report["findings"].as_array().expect("findings").iter().map(row);
    // The pages themselves were not there when the tool ran.
    found.filter(|(_, path, _)| !path.starts_with(".aidd/")).collect()
}

/// What of one is not in the other, by rule and path. A folder is told where the file should be, and
/// the project where the missing file should be; of several lines some tools tell the first.
fn difference(theirs: &Found, ours: &Found) -> Vec<String> {
    let meets = |(rule, path, line): &(String, String, u64), of: &(String, String, u64)| {
        let place = path == "." || of.1 == *path || of.1.starts_with(&format!("{path}/"));
        of.0 == *rule && place && (*line == 0 || of.2 == *line)
    };
    let missed = theirs.iter().filter(|one| !ours.iter().any(|of| meets(one, of)));
    let more = ours.iter().filter(|of| {
        let at = |one: &&(String, String, u64)| meets(&(one.0.clone(), one.1.clone(), 0), of);
        !theirs.iter().any(|one| at(&one))
    });
    let shown = |sign: &str, (rule, path, line): &(String, String, u64)| {
        format!("{sign} {rule} {path}:{line}")
    };
    missed.map(|one| shown("missed", one)).chain(more.map(|of| shown("more", of))).collect()
}

#[test]
fn alint_and_its_pages_find_the_same() {
    let (project, theirs) = fixture("alint");
    let ran = project.run(&["rule", "import"]).ends(0);
    assert_snapshot!(ran.out, @"");
    project.run(&["rule", "test"]).ends(0);
    // Of two files with one name alint tells the first, and we the second.
    assert_snapshot!(difference(&verdict(&theirs), &ours(&project, "alint")).join("\n"), @"");
}

#[test]
fn ls_lint_and_its_pages_find_the_same() {
    let (project, theirs) = fixture("ls-lint");
    let ran = project.run(&["rule", "import"]).ends(0);
    assert_snapshot!(ran.out, @"");
    project.run(&["rule", "test"]).ends(0);
    // ls-lint names an ending; the pages of one ending have the folder in their names.
    let paths = |found: &Found| -> BTreeSet<String> {
        found.iter().map(|(_, path, _)| path.clone()).collect()
    };
    let found = ours(&project, "ls-lint");
    let (count, names): (Found, Found) =
        found.into_iter().partition(|(rule, ..)| rule.ends_with("-count"));
    let theirs = verdict(&theirs);
    let (exists, wrong): (Found, Found) =
        theirs.into_iter().partition(|(rule, ..)| rule.ends_with('!'));
    assert_eq!(paths(&names), paths(&wrong));
    assert_eq!((count.len(), exists.len()), (1, 1));
}

#[test]
fn ast_grep_and_its_pages_find_the_same() {
    let (project, theirs) = fixture("ast-grep");
    let ran = project.run(&["rule", "import"]).ends(0);
    assert_snapshot!(ran.out, @"");
    assert_snapshot!(project.read(".aidd/rules/ast-grep/no-console.md"), @"");
    project.run(&["rule", "test", "ast-grep/no-console", "ast-grep/no-eval"]).ends(0);
    assert_eq!(difference(&verdict(&theirs), &ours(&project, "ast-grep")), [""; 0]);
}

#[test]
fn markdownlint_and_its_pages_find_the_same() {
    let (project, theirs) = fixture("markdownlint");
    let ran = project.run(&["rule", "import"]).ends(0);
    assert_snapshot!(ran.out, @"");
    project.run(&["rule", "test"]).ends(0);
    let theirs: Vec<String> = theirs
        .into_iter()
        // Said by rules that are built in.
        .filter(|line| !["MD001", "MD040"].iter().any(|rule| line.starts_with(rule)))
        // Said to be left by the run.
        .filter(|line| !line.starts_with("MD033"))
        .collect();
    let ours: Found = ours(&project, "markdownlint")
        .into_iter()
        .map(|(rule, path, line)| (rule[..5].to_uppercase(), path, line))
        .collect();
    assert_snapshot!(difference(&verdict(&theirs), &ours).join("\n"), @"");
}

#[test]
fn commitlint_and_its_pages_find_the_same() {
    let (project, theirs) = fixture("commitlint");
    let ran = project.run(&["rule", "import"]).ends(0);
    assert_snapshot!(ran.out, @"");
    project.run(&["rule", "test"]).ends(0);
    let messages: Vec<String> =
        serde_json::from_str(&project.read("messages.json")).expect("texts");
    let opened = aidd_engine::project::Project::open(project.path(), None).expect("a project");
    let engine = opened.engine(&Selection::default()).expect("an engine");
    let mut odd = Vec::new();
    let mut judged: BTreeMap<&str, usize> = BTreeMap::new();
    for (message, line) in messages.iter().zip(&theirs) {
        let work = Work {
            commits: vec![Commit { message: format!("{message}\n"), ..Commit::default() }],
            ..Work::default()
        };
        let report = commit_checks::run(&engine, &work, &Memory::default());
        let found = report.texts.iter().flat_map(|(_, checked)| &checked.findings);
        let found: BTreeSet<String> =
            found.map(|one| one.rule.split_once('/').expect("an id").1.to_owned()).collect();
        let together = ["type-enum", "type-empty", "subject-empty", "scope-enum", "type-case"];
        let rules = line.split(' ').skip(1).filter(|rule| *rule != "body-case");
        let wanted: BTreeSet<String> =
            rules
                .map(|rule| {
                    if together.contains(&rule) {
                        "conventional".to_owned()
                    } else {
                        rule.to_owned()
                    }
                })
                .collect();
        *judged.entry(if wanted == found { "same" } else { "other" }).or_default() += 1;
        if wanted != found {
            odd.push(format!("{message:?}: commitlint {wanted:?}, ours {found:?}"));
        }
    }
    assert_snapshot!(odd.join("\n"), @"");
    assert_eq!(theirs.len(), messages.len());
}

#[test]
fn an_import_loses_nothing_and_says_so() {
    let project = Project::new(&[(".ls-lint.yml", "ls:\n  .ts: kebab-case\n"), ("src/a.ts", "")]);
    let ran = project.run(&["rule", "import", "--dry-run"]).ends(0);
    assert_snapshot!(ran.out, @"");
    assert!(!project.path().join(".aidd/rules").exists(), "a dry run writes nothing");
    project.run(&["rule", "import"]).ends(0);
    let path = ".aidd/rules/ls-lint/ts.md";
    let before = project.read(path);
    let again = project.run(&["rule", "import"]).ends(0);
    assert_eq!(again.err, "0 pages written, 1 unchanged; 0 items not carried over\n");
    project.write(path, before.replace("severity: error", "severity: info"));
    let kept = project.run(&["rule", "import"]).ends(1);
    assert!(kept.err.contains("1 kept (--force writes over them)"), "{}", kept.err);
    assert!(project.read(path).contains("severity: info"));
    project.run(&["rule", "import", "--force"]).ends(0);
    assert_eq!(project.read(path), before);
    // A page of the same id elsewhere would be replaced, or replace.
    project.remove(path);
    project.write("rules/names.md", &before);
    let ran = project.run(&["rule", "import"]).ends(1);
    assert!(ran.out.contains("another page has its id"), "{}", ran.out);
}

#[test]
fn what_cannot_be_imported_is_an_error_with_the_remedy() {
    let project =
        Project::new(&[("odd.yml", "a: 1\n"), ("broken.json", "{"), (".ls-lint.yml", "ls: [a]\n")]);
    let said = |args: &[&str]| project.run(args).ends(2).err;
    assert_snapshot!(said(&["rule", "import", "odd.yml"]), @"");
    assert_snapshot!(said(&["rule", "import", "broken.json", "--from", "markdownlint"]), @"");
    assert_snapshot!(said(&["rule", "import"]), @"");
    assert_snapshot!(said(&["rule", "import", "../a.yml"]), @"");
    assert_snapshot!(said(&["rule", "import", "gone.yml"]), @"");
    assert_snapshot!(said(&["rule", "import", "--to", "docs"]), @"");
    assert_snapshot!(said(&["rule", "import", "--from", "alint"]), @"");
}
