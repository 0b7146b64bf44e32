//! Tests of the source excerpts in the text format.

use crate::report::fixture::{Tree, finding, rules, span};
use aidd_engine::text::source::Source;
use aidd_report::Format;
use insta::assert_snapshot;

/// The excerpt of a finding at the string `main` in `text`; `related` are the strings at its
/// related locations.
fn excerpt(text: &str, main: &str, related: &[&str]) -> String {
    let rules = rules();
    let source = Source::new("file", text);
    let mut found = finding(&source, &rules[0], main, "found");
    for part in related {
        found.related(span(&source, part), format!("see {}", part.len()));
    }
    let tree = Tree { files: vec![(source, vec![found], Vec::new())], rules, skipped: Vec::new() };
    let out = tree.write(Format::Text);
    out.split("\n\n").next().unwrap_or_default().to_owned()
}

#[test]
fn a_finding_of_a_few_lines_is_shown_completely() {
    assert_snapshot!(excerpt("a\n  begin\n  mid\n  end\nb\n", "begin\n  mid\n  end", &[]), @"
    warning[dockerfile/latest-tag]: found
     --> file:2:3
      |
    1 |   a
    2 | /   begin
    3 | |   mid
    4 | |   end
      | |_____^
    5 |   b
      |
    ");
}

#[test]
fn markers_align_with_their_text_after_escaped_characters() {
    let out = excerpt(
        "a\u{202e}\u{1b}[2J\u{9b} ##[group] é HERE \u{202e}THERE\n",
        "HERE",
        &["\u{202e}THERE"],
    );
    let lines: Vec<&str> = out.lines().collect();
    let column =
        |line: &str, part: &str| line.find(part).map(|offset| line[..offset].chars().count());
    assert!(
        lines[3].contains("a\\u{202e}\\u{1b}[2J\\u{9b} # #[group] é HERE \\u{202e}THERE"),
        "{out}"
    );
    assert_eq!(column(lines[3], "HERE"), column(lines[4], "^^^^"), "{out}");
    assert_eq!(column(lines[3], "\\u{202e}THERE"), column(lines[4], "-------------"), "{out}");
}

#[test]
fn only_the_first_line_of_a_long_finding_is_shown() {
    let body = "begin\n1\n2\n3\n4\n5\nend";
    assert_snapshot!(excerpt(&format!("{body}\nb\n"), body, &[]), @"
    warning[dockerfile/latest-tag]: found
     --> file:1:1
      |
    1 | begin
      | ^^^^^
    2 | 1
    3 | 2
      |
    ");
}

#[test]
fn lines_between_related_locations_are_folded() {
    let text = format!("first\n{}second\nthird\n", "gap\n".repeat(50));
    assert_snapshot!(excerpt(&text, "second", &["first", "third"]), @"
    warning[dockerfile/latest-tag]: found
      --> file:52:1
       |
     1 | first
       | ----- see 5
    ...
    50 | gap
    51 | gap
    52 | second
       | ^^^^^^
    53 | third
       | ----- see 5
    ");
}

#[test]
fn distant_related_locations_become_notes() {
    let text = format!("first\n{}second {} third\n", "gap\n".repeat(5_000), "-".repeat(500));
    assert_snapshot!(excerpt(&text, "second", &["first", "third"]), @"
    warning[dockerfile/latest-tag]: found
        --> file:5002:1
         |
    5000 | gap
    5001 | gap
    5002 | second ----------------------------------------------------------------…
         | ^^^^^^
         |
         = note: line 1, column 1: see 5
         = note: line 5002, column 509: see 5
    ");
}

#[test]
fn carets_align_with_wide_characters_tabs_and_lone_carriage_returns() {
    assert_snapshot!(excerpt("one\r\t漢字 = here\r\nthree", "here", &["漢字"]), @"
    warning[dockerfile/latest-tag]: found
     --> file:2:7
      |
    1 | one
    2 |     漢字 = here
      |     ----   ^^^^
      |     |
      |     see 6
    3 | three
      |
    ");
    assert_snapshot!(excerpt("no final break", "break", &[]), @"
    warning[dockerfile/latest-tag]: found
     --> file:1:10
      |
    1 | no final break
      |          ^^^^^
    ");
    assert_snapshot!(excerpt("", "", &[]), @"
    warning[dockerfile/latest-tag]: found
     --> file:1:1
      |
    1 |
      | ^
    ");
}
