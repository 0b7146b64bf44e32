//! Tests of predictions on small histories.

use super::{PastCommit, Prediction, predict};
use crate::commit_message::{Change, ChangeKind, CommitRules, Convention};

fn change(path: &str, before: &str, after: &str) -> Vec<Change> {
    let kind = if before.is_empty() { ChangeKind::Added } else { ChangeKind::Changed };
    let before = (!before.is_empty()).then(|| before.to_owned());
    vec![Change {
        path: path.to_owned(),
        kind,
        before,
        after: Some(after.to_owned()),
        ..Change::default()
    }]
}

/// A history of `count` commits: new files are features of their directory, changed conditions are
/// fixes.
fn history(count: usize) -> (Vec<PastCommit>, Vec<String>) {
    let commits = (0..count).map(|at| {
        let scope = ["web", "api", "cli"][at % 3];
        let (subject, files) = if at % 2 == 0 {
            let path = format!("{scope}/src/page{at}.ts");
            (format!("feat({scope}): a"), change(&path, "", "export const page = 1\n"))
        } else {
            let path = format!("{scope}/src/check{}.ts", at % 7);
            (format!("fix({scope}): b"), change(&path, "return a\n", "if (a) return a\n"))
        };
        let commit = PastCommit::new(&at.to_string(), &subject, "A <a@b.c>").with_changes(&files);
        (commit, subject)
    });
    commits.unzip()
}

fn predicted(count: usize, rules: &CommitRules, files: &[Change]) -> Prediction {
    let (past, subjects) = history(count);
    predict(files, &past, &Convention::new(rules, &subjects))
}

#[test]
fn type_and_scope_follow_the_history() {
    let rules = CommitRules::default();
    let new = predicted(120, &rules, &change("api/src/page900.ts", "", "export const page = 2\n"));
    let (kind, why) = new.kind.expect("a type");
    assert_eq!(kind, "feat");
    assert!(why.starts_with("learnt from the last 120 commits; right in "), "{why}");
    assert_eq!(new.likely_types, ["feat", "fix"]);
    assert_eq!(new.scope.as_deref(), Some("api"));
    let fixed = change("web/src/check3.ts", "return b\n", "if (b) return b\n");
    let fixed = predicted(120, &rules, &fixed);
    assert_eq!(fixed.kind.expect("a type").0, "fix");
    assert_eq!(fixed.scope.as_deref(), Some("web"));
}

#[test]
fn a_short_history_leaves_the_type_open() {
    let files = change("api/src/page900.ts", "", "export const page = 2\n");
    let short = predicted(60, &CommitRules::default(), &files);
    assert_eq!(short.kind, None);
    assert_eq!(short.likely_types[0], "feat");
}

#[test]
fn only_allowed_types_and_scopes_are_predicted() {
    let names = |names: &[&str]| names.iter().map(|name| (*name).to_owned()).collect();
    let rules = CommitRules {
        types: names(&["fix", "docs"]),
        scopes: names(&["web"]),
        ..CommitRules::default()
    };
    let files = change("api/src/page900.ts", "", "export const page = 2\n");
    let restricted = predicted(120, &rules, &files);
    assert_eq!(restricted.kind, None);
    assert_eq!(restricted.likely_types, ["fix", "docs"]);
    assert_ne!(restricted.scope.as_deref(), Some("api"));
}

#[test]
fn commits_by_bots_and_releases_are_not_learnt_from() {
    let is_example =
        |subject: &str, author: &str| PastCommit::new("1", subject, author).is_example();
    assert!(is_example("fix: a", "A <a@b.c>"));
    assert!(!is_example("fix: a", "renovate[bot] <a@b.c>"));
    assert!(!is_example("chore(release): 1.2.0", "A <a@b.c>"));
    assert!(!is_example("a", "A <a@b.c>"));
}
