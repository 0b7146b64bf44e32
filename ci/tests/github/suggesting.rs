//! Fixes as suggestions on the lines of a pull request.

use crate::github::fixture::*;
use aidd_ci::github::Suggestion;
use insta::assert_snapshot;
use proptest::prelude::*;
use serde_json::Value;

#[test]
fn suggestions_come_in_small_reviews_and_once() {
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
fn at_most_fifty_suggestions() {
    let server = server();
    server.state().diff.insert("Dockerfile".into(), vec![(1, 99)]);
    let mut run = run(53);
    run.diff_lines.insert("Dockerfile".into(), vec![(1, 99)]);
    let posted = run.post(&server, REVIEW);
    assert_eq!(posted.suggestions, 50);
    assert_snapshot!(posted.left_out.join("\n"), @"3 suggestions not posted: the limit is 50 per run. Run `aidd check --fix` to apply all safe fixes.");
}

#[test]
fn only_lines_inside_one_hunk_are_offered() {
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
fn a_secret_on_the_lines_is_not_offered() {
    let server = server();
    let mut run = run(2);
    // Assembled here, so that no scanner finds it in this file.
    let key = ["ghp", "Zb7YkQ2mN4vX8cR1tH5jL9wP3sD6fG0aUeIo"].join("_");
    run.suggestions[0].text = format!("ENV TOKEN={key}\n");
    assert_eq!(run.post_all(&server, REVIEW).suggestions, 1);
    assert_eq!(server.state().review_comments[0]["line"], 2);
}

#[test]
fn a_suggestion_holds_any_text() {
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
fn suggestions_of_fixes() {
    let text = "one\ntwo\r\nthree\n\nlast";
    let of = |edits: &[(usize, usize, &str)]| {
        let made = Suggestion::from_finding(&fixable(edits), text);
        made.map_or("none".into(), |s| format!("{}-{} {:?}", s.first, s.last, s.text))
    };
    let cases = [
        ("a word", of(&[(1, 3, "ff")])),
        ("two edits on one line", of(&[(4, 5, "T"), (6, 7, "0")])),
        ("on two lines", of(&[(0, 3, "1"), (4, 7, "2")])),
        ("a line goes", of(&[(0, 4, "")])),
        ("a line without its break goes", of(&[(0, 3, "")])),
        ("two lines become one", of(&[(3, 4, " ")])),
        ("a line comes before", of(&[(9, 9, "new\n")])),
        ("a line comes after", of(&[(9, 15, "three\nnew\n")])),
        ("the empty line goes", of(&[(15, 16, "")])),
        ("the last line", of(&[(16, 20, "end")])),
        ("the last line goes", of(&[(16, 20, "")])),
        ("after the end", of(&[(20, 20, "\n")])),
        ("a carriage return goes", of(&[(7, 8, "")])),
        ("nothing changes", of(&[(0, 3, "one")])),
        ("no edit", of(&[])),
        ("overlapping", of(&[(0, 3, "x"), (2, 4, "y")])),
        ("outside", of(&[(19, 25, "x")])),
        ("too long", of(&[(0, 3, &"x\n".repeat(50))])),
    ];
    let lines = cases.map(|(what, made)| format!("{what}: {made}"));
    assert_snapshot!(lines.join("\n"), @r#"
    a word: 1-1 "off\n"
    two edits on one line: 2-2 "Tw0\n"
    on two lines: 1-2 "1\n2\n"
    a line goes: 1-1 ""
    a line without its break goes: 1-1 "\n"
    two lines become one: 1-2 "one two\n"
    a line comes before: 3-3 "new\nthree\n"
    a line comes after: 3-3 "three\nnew\n"
    the empty line goes: 4-4 ""
    the last line: 5-5 "end"
    the last line goes: 5-5 ""
    after the end: none
    a carriage return goes: none
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
    /// Committing a suggestion is the same as applying the fix.
    #[test]
    fn a_suggestion_is_the_fix(
        text in "[ab\n]{0,30}",
        from in 0..30_usize,
        length in 0..12_usize,
        new in "[xy\n]{0,6}",
    ) {
        let from = from.min(text.len());
        let to = (from + length).min(text.len());
        let fixed = format!("{}{new}{}", &text[..from], &text[to..]);
        let Some(made) = Suggestion::from_finding(&fixable(&[(from, to, &new)]), &text) else {
            return Ok(());
        };
        let lines: Vec<&str> = text.split_inclusive('\n').collect();
        let (first, last) = (made.first as usize - 1, made.last as usize);
        let taken = [&lines[..first], &[&*made.text], &lines[last..]].concat().concat();
        prop_assert_eq!(taken, fixed);
    }
}
