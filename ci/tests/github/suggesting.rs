//! Fixes as suggestions on the lines of a pull request.

use crate::github::fixture::*;
use aidd_ci::github::Suggestion;
use insta::assert_snapshot;
use proptest::prelude::*;
use serde_json::Value;

#[test]
fn suggestions_are_posted_once_and_in_small_reviews() {
    let server = server();
    assert_eq!(run(25).post_all(&server, REVIEW).suggestions, 25);
    let sizes: Vec<_> = server.state().reviews.iter().map(size).collect();
    assert_eq!(sizes, [10, 10, 5]);
    assert_eq!(run(25).post_all(&server, REVIEW).suggestions, 0);
    assert_eq!(run(27).post_all(&server, REVIEW).suggestions, 2);
    // A suggestion whose lines no longer exist does not count.
    server.state().review_comments[3]["line"] = Value::Null;
    assert_eq!(run(27).post_all(&server, REVIEW).suggestions, 1);
}

fn size(review: &Value) -> usize {
    review["comments"].as_array().map_or(0, Vec::len)
}

#[test]
fn at_most_fifty_suggestions_are_posted() {
    let server = server();
    server.state().diff.insert("Dockerfile".into(), vec![(1, 99)]);
    let mut run = run(53);
    run.diff_lines.insert("Dockerfile".into(), vec![(1, 99)]);
    let posted = run.post(&server, REVIEW);
    assert_eq!(posted.suggestions, 50);
    assert_snapshot!(posted.skipped.join("\n"), @"3 suggestions not posted: the limit is 50 per run. Run `aidd check --fix` to apply all safe fixes.");
}

#[test]
fn suggestions_outside_of_one_hunk_are_not_posted() {
    let server = server();
    let mut run = run(4);
    run.diff_lines.insert("Dockerfile".into(), vec![(1, 2), (4, 9)]);
    (run.suggestions[0].first, run.suggestions[0].last) = (2, 4);
    run.suggestions[1].finding = "unknown".into();
    run.findings[3].path = "other".into();
    assert_eq!(run.post_all(&server, REVIEW).suggestions, 0);
    assert_eq!(server.log(), "");
}

#[test]
fn suggestions_that_contain_a_secret_are_not_posted() {
    let server = server();
    let mut run = run(2);
    // Assembled at run time, so that no scanner finds a key in this file.
    let key = ["ghp", "Zb7YkQ2mN4vX8cR1tH5jL9wP3sD6fG0aUeIo"].join("_");
    run.suggestions[0].text = format!("ENV TOKEN={key}\n");
    assert_eq!(run.post_all(&server, REVIEW).suggestions, 1);
    assert_eq!(server.state().review_comments[0]["line"], 2);
}

#[test]
fn a_suggestion_can_contain_any_text() {
    let server = server();
    let mut run = run(3);
    run.suggestions[0].text = "a\n````\nb\n".into();
    run.suggestions[1].text = String::new();
    run.suggestions[2].text = "\n".into();
    run.findings[0].message = "</b> <!-- @all #1 | `x`\n\n```".into();
    run.post_all(&server, REVIEW);
    let state = server.state();
    let bodies = state.review_comments.iter().map(|comment| text(&comment["body"]));
    assert_snapshot!(bodies.collect::<Vec<_>>().join("\n---\n"), @r"
    <!-- aidd:finding:0000000000000001 -->
    **dockerfile/latest-tag**: &lt;/b&gt; &lt;\!-- \@&#8203;all \#&#8203;1 \| \`x\`  \`\`\`

    Name a version

    `````suggestion
    a
    ````
    b
    `````

    ---
    <!-- aidd:finding:0000000000000002 -->
    **dockerfile/latest-tag**: Pin the tag of \@&#8203;debian

    Name a version

    ```suggestion
    ```

    ---
    <!-- aidd:finding:0000000000000003 -->
    **dockerfile/latest-tag**: Pin the tag of \@&#8203;debian

    Name a version

    ```suggestion

    ```
    ");
}

#[test]
fn fixes_become_replacements_of_whole_lines() {
    let text = "one\ntwo\r\nthree\n\nlast";
    let suggest = |edits: &[(usize, usize, &str)]| {
        let suggestion = Suggestion::from_finding(&fixable(edits), text);
        suggestion.map_or("none".into(), |suggestion| {
            format!("{}-{} {:?}", suggestion.first, suggestion.last, suggestion.text)
        })
    };
    let cases = [
        ("a word", suggest(&[(1, 3, "ff")])),
        ("two edits on one line", suggest(&[(4, 5, "T"), (6, 7, "0")])),
        ("on two lines", suggest(&[(0, 3, "1"), (4, 7, "2")])),
        ("a line is deleted", suggest(&[(0, 4, "")])),
        ("a line is deleted without its line break", suggest(&[(0, 3, "")])),
        ("two lines become one", suggest(&[(3, 4, " ")])),
        ("a line is inserted before", suggest(&[(9, 9, "new\n")])),
        ("a line is inserted after", suggest(&[(9, 15, "three\nnew\n")])),
        ("the empty line is deleted", suggest(&[(15, 16, "")])),
        ("the last line", suggest(&[(16, 20, "end")])),
        ("the last line is deleted", suggest(&[(16, 20, "")])),
        ("after the end", suggest(&[(20, 20, "\n")])),
        ("a carriage return is deleted", suggest(&[(7, 8, "")])),
        ("nothing changes", suggest(&[(0, 3, "one")])),
        ("no edit", suggest(&[])),
        ("overlapping", suggest(&[(0, 3, "x"), (2, 4, "y")])),
        ("outside", suggest(&[(19, 25, "x")])),
        ("too long", suggest(&[(0, 3, &"x\n".repeat(50))])),
    ];
    let lines = cases.map(|(case, suggestion)| format!("{case}: {suggestion}"));
    assert_snapshot!(lines.join("\n"), @r#"
    a word: 1-1 "off\n"
    two edits on one line: 2-2 "Tw0\n"
    on two lines: 1-2 "1\n2\n"
    a line is deleted: 1-1 ""
    a line is deleted without its line break: 1-1 "\n"
    two lines become one: 1-2 "one two\n"
    a line is inserted before: 3-3 "new\nthree\n"
    a line is inserted after: 3-3 "three\nnew\n"
    the empty line is deleted: 4-4 ""
    the last line: 5-5 "end"
    the last line is deleted: 5-5 ""
    after the end: none
    a carriage return is deleted: none
    nothing changes: none
    no edit: none
    overlapping: none
    outside: none
    too long: none
    "#);
    let mut unsafe_ = fixable(&[(0, 3, "x")]);
    unsafe_.fix.as_mut().expect("a fix").safety = "unsafe".into();
    assert_eq!(Suggestion::from_finding(&unsafe_, text), None);
    assert_eq!(Suggestion::from_finding(&fixable(&[(1, 2, "x")]), "é\n"), None);
}

proptest! {
    /// Committing a suggestion has the same result as applying the fix.
    #[test]
    fn a_committed_suggestion_equals_the_applied_fix(
        text in "[ab\n]{0,30}",
        from in 0..30_usize,
        length in 0..12_usize,
        new in "[xy\n]{0,6}",
    ) {
        let from = from.min(text.len());
        let to = (from + length).min(text.len());
        let fixed = format!("{}{new}{}", &text[..from], &text[to..]);
        let Some(suggestion) = Suggestion::from_finding(&fixable(&[(from, to, &new)]), &text) else {
            return Ok(());
        };
        let lines: Vec<&str> = text.split_inclusive('\n').collect();
        let (first, last) = (suggestion.first as usize - 1, suggestion.last as usize);
        let committed = [&lines[..first], &[&*suggestion.text], &lines[last..]].concat().concat();
        prop_assert_eq!(committed, fixed);
    }
}
