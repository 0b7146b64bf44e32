//! Tests of guarantees for any text: no secret leaks, no text breaks the format, nothing panics.

use crate::report::fixture::{Tree, finding, render, render_with, rule, skipped, tree};
use aidd_engine::rules::rule::Rule;
use aidd_engine::text::finding::{Finding, Severity};
use aidd_engine::text::source::{Source, Span};
use aidd_report::{Format, Style};
use clap::ValueEnum;
use proptest::prelude::*;

const HOSTILE_TEXT: &str = "[aé😀|`<>&@#%:,\\[\\]\"'!*_~\\\\ \t\r\n\u{0}\u{1b}\u{7f}\u{9b}\u{202e}\u{2028}\u{e0041}\u{feff}\u{fffe}(){}0-]{0,40}";

/// The text with hidden characters escaped.
fn escape_hidden(text: &str) -> String {
    let escape = |c: char| {
        let is_shown = "\t\r\n".contains(c) || !aidd_engine::text::escape::is_hidden(c);
        if is_shown { c.to_string() } else { c.escape_unicode().to_string() }
    };
    text.chars().map(escape).collect()
}

fn tree_with_finding(path: &str, text: &str, span: Span, message: &str) -> Tree {
    let rules = vec![rule("a/rule", Severity::Error, "Bad.")];
    let source = Source::new(path, text);
    let mut found = Finding::new(rules[0].id.clone(), Severity::Error, span, message);
    found.help(message).related(Span::at(text.len()), message);
    found.related(Span::at(0), "start");
    Tree { files: vec![(source, vec![found], Vec::new())], rules, skipped: Vec::new() }
}

fn file_with_findings(
    count: usize,
    severity: Severity,
    rules: &[Rule],
) -> (Source, Vec<Finding>, Vec<Span>) {
    let source = Source::new(format!("{severity}.txt"), "x".repeat(count));
    let rule =
        rules.iter().find(|rule| rule.severity == severity).expect("a rule of each severity");
    let findings = (0..count).map(|at| {
        let mut found = finding(&source, rule, "x", &format!("number {at}"));
        found.span = Span::new(at, at + 1);
        found
    });
    let findings = findings.collect();
    (source, findings, Vec::new())
}

fn tree_with_counts(errors: usize, warnings: usize, infos: usize) -> Tree {
    let rules = vec![
        rule("a/error", Severity::Error, "Bad."),
        rule("a/info", Severity::Info, "So."),
        rule("a/warning", Severity::Warning, "Hm."),
    ];
    let files = vec![
        file_with_findings(infos, Severity::Info, &rules),
        file_with_findings(warnings, Severity::Warning, &rules),
        file_with_findings(errors, Severity::Error, &rules),
    ];
    Tree { files, rules, skipped: Vec::new() }
}

#[test]
fn no_format_shows_a_secret() {
    let tree = tree();
    for &format in Format::value_variants() {
        let mut run = tree.run();
        run.suppressed = true;
        let text = render(format, &run);
        assert!(!text.contains("hunter2"), "{format:?}:\n{text}");
    }
}

#[test]
fn each_line_of_a_multi_line_secret_is_redacted() {
    let text = "key: |\n  first-part\n  other-part\nend\n";
    let mut tree = tree_with_finding("k.yaml", text, Span::new(7, 32), "holds first-part");
    tree.files[0].2 = vec![Span::new(9, 32)];
    let out = tree.write(Format::Text);
    assert!(!out.contains("first-part") && !out.contains("other-part"), "{out}");
    assert!(out.contains("**********"), "{out}");
}

#[test]
fn at_most_ten_annotations_per_level_are_written_most_severe_first() {
    let out = tree_with_counts(12, 11, 30).write(Format::Github);
    let count_lines = |prefix: &str| out.lines().filter(|line| line.starts_with(prefix)).count();
    assert_eq!((count_lines("::error "), count_lines("::warning ")), (10, 10));
    assert_eq!(count_lines("::notice file="), 7);
    assert_eq!(count_lines("::notice "), 10, "{out}");
    assert!(out.starts_with("::error "), "{out}");
    assert!(out.contains("::notice title=aidd::2 more errors: "), "{out}");
    assert!(out.contains("\n  error.txt:1:12: number 11 [a/error]\n"), "{out}");
    assert!(out.ends_with("12 errors, 11 warnings, 30 info in 12 files\n"), "{out}");
}

#[test]
fn a_comment_stays_within_its_limit() {
    let mut tree = tree_with_counts(300, 400, 20_000);
    tree.skipped = vec![skipped(&"p".repeat(3_000), &"too\nlarge".repeat(300)); 200];
    let out = tree.write(Format::Markdown);
    assert!(out.len() <= 65_000, "{}", out.len());
    assert!(out.contains("more problems"), "{out}");
    assert_eq!(out.matches("<details>").count(), out.matches("</details>").count());
}

#[test]
fn fingerprints_are_unique() {
    let rules = vec![rule("a/rule", Severity::Error, "Bad.")];
    let source = Source::new("x", "xx");
    let duplicate = finding(&source, &rules[0], "x", "no");
    let files = vec![(source, vec![duplicate.clone(), duplicate], Vec::new())];
    let out = Tree { files, rules, skipped: Vec::new() }.write(Format::Gitlab);
    let issues: Vec<serde_json::Value> = serde_json::from_str(&out).expect("JSON");
    assert_ne!(issues[0]["fingerprint"], issues[1]["fingerprint"]);
}

#[test]
fn a_long_line_is_truncated_around_the_finding() {
    let text = format!("{}NEEDLE{}", "a b ".repeat(200_000), "x y ".repeat(200_000));
    let mut tree = tree_with_finding("min.js", &text, Span::new(800_000, 800_006), "found");
    tree.files[0].1[0].help = None;
    let out = tree.write(Format::Text);
    assert!(out.len() < 2_000, "{}", out.len());
    assert!(out.contains("min.js:1:800001"), "{out}");
    let lines: Vec<&str> = out.lines().collect();
    let excerpt = lines.iter().position(|line| line.contains("NEEDLE")).expect("shown");
    let column = |line: &str, part| line.find(part).map(|at| line[..at].chars().count());
    assert_eq!(column(lines[excerpt], "NEEDLE"), column(lines[excerpt + 1], "^^^^^^"), "{out}");
}

proptest! {
    #![proptest_config(ProptestConfig { failure_persistence: None, ..ProptestConfig::with_cases(200) })]

    #[test]
    fn no_text_causes_a_panic_or_controls_the_terminal(
        text in "[ab é😀\t\r\n\u{0}\u{1b}\u{301}\u{feff}]{0,60}",
        ends in any::<(u8, u8)>(),
        width in 0_usize..50,
        path in HOSTILE_TEXT,
        message in HOSTILE_TEXT,
    ) {
        let clamp = |at: u8| text.floor_char_boundary(usize::from(at) % (text.len() + 1));
        let (a, b) = (clamp(ends.0), clamp(ends.1));
        let tree = tree_with_finding(&path, &text, Span::new(a.min(b), a.max(b)), &message);
        for &format in Format::value_variants() {
            let style = Style { width, ..Style::default() };
            let out = render_with(format, &tree.run(), &style);
            prop_assert!(!out.contains(['\u{1b}', '\u{0}', '\r']), "{:?}: {:?}", format, out);
        }
    }

    #[test]
    fn a_workflow_command_is_one_line(path in HOSTILE_TEXT, message in HOSTILE_TEXT) {
        let tree = tree_with_finding(&path, "text", Span::new(0, 4), &message);
        let out = tree.write(Format::Github);
        prop_assert_eq!(out.lines().count(), 2, "{}", out);
        let command = out.lines().next().expect("a line");
        let rest = command.strip_prefix("::error ").expect("a command");
        let (properties, data) = rest.split_once("::").expect("data");
        let names: Vec<_> = properties.split(',').filter_map(|p| p.split_once('=')).collect();
        prop_assert_eq!(names.len(), 6);
        let decode = |text: &str| {
            text.replace("%2C", ",").replace("%3A", ":").replace("%0A", "\n")
                .replace("%0D", "\r").replace("%25", "%")
        };
        prop_assert!(!out.contains("##["), "{}", out);
        prop_assert_eq!(decode(names[0].1).replace("# #", "##"), escape_hidden(&path).replace("# #", "##"));
        let both = escape_hidden(&format!("{message}\n{message}"));
        prop_assert_eq!(decode(data).replace("# #", "##"), both.replace("# #", "##"));
    }

    #[test]
    fn markdown_has_no_markup_from_findings(path in HOSTILE_TEXT, message in HOSTILE_TEXT) {
        let tree = tree_with_finding(&path, "text", Span::new(0, 4), &message);
        let out = tree.write(Format::Markdown);
        let row = out.lines().find(|line| line.starts_with("**[")).expect("a finding");
        let row = row.replace("](<", "](").replace(">)", ")");
        let unescaped = row.replace("\\\\", "").replace("\\|", "").replace("\\`", "");
        prop_assert_eq!(unescaped.matches('|').count(), 0, "{}", row);
        // Markdown interprets nothing in a code span; each of them is closed.
        prop_assert!(unescaped.matches('`').count().is_multiple_of(2), "{}", row);
        let outside: String = unescaped.split('`').step_by(2).collect();
        prop_assert!(!outside.contains(['<', '>']), "{}", row);
        let mention = outside.split('@').skip(1).any(|rest| !rest.starts_with("&#8203;"));
        prop_assert!(!mention, "{}", row);
    }

    #[test]
    fn markdown_from_findings_loads_no_images_and_contains_no_html(path in HOSTILE_TEXT, message in HOSTILE_TEXT) {
        use pulldown_cmark::{Event, Options, Parser, Tag};
        let out = tree_with_finding(&path, "text", Span::new(0, 4), &message).write(Format::Markdown);
        for event in Parser::new_ext(&out, Options::all()) {
            match event {
                Event::Html(html) | Event::InlineHtml(html) => prop_assert!(false, "{}", html),
                Event::Start(Tag::Image { dest_url, .. }) => prop_assert!(false, "{}", dest_url),
                Event::Start(Tag::Link { dest_url, .. }) => {
                    prop_assert!(dest_url.starts_with("https://github.com/"), "{}", dest_url);
                }
                _ => {}
            }
        }
    }

    #[test]
    fn junit_is_well_formed(path in HOSTILE_TEXT, message in HOSTILE_TEXT) {
        let mut tree = tree_with_finding(&path, "text", Span::new(0, 4), &message);
        tree.skipped = vec![skipped(&path, &message)];
        let out = tree.write(Format::Junit);
        let document = roxmltree::Document::parse(&out);
        prop_assert!(document.is_ok(), "{:?}\n{}", document.err(), out);
        let document = document.expect("is_ok was checked");
        let failure = document.descendants().find(|node| node.has_tag_name("failure"));
        let message_in_output = failure.and_then(|node| node.attribute("message")).unwrap_or_default();
        prop_assert_eq!(message_in_output, escape_hidden(&message));
    }

    #[test]
    fn gitlab_sarif_and_json_reports_are_valid_json(path in HOSTILE_TEXT, message in HOSTILE_TEXT) {
        let tree = tree_with_finding(&path, "text", Span::new(0, 4), &message);
        for format in [Format::Json, Format::Sarif, Format::Gitlab] {
            let text = tree.write(format);
            let json = serde_json::from_str::<serde_json::Value>(&text);
            prop_assert!(json.is_ok());
            prop_assert_eq!(escape_hidden(&text).replace("##[", ""), text);
            let json = json.expect("is_ok was checked");
            let message_in_output = match format {
                Format::Json => &json["findings"][0]["message"],
                Format::Gitlab => &json[0]["description"],
                _ => continue,
            };
            prop_assert_eq!(message_in_output.as_str(), Some(&*message));
        }
    }
}
