//! The shipped entries comply with the rules, and malformed entries are parsed without panics.

use aidd_engine::check::{Engine, Selection};
use aidd_engine::project::config::Config;
use aidd_engine::rules::registry::Registry;
use aidd_engine::text::files::Memory;
use aidd_engine::text::source::Source;

fn engine() -> Engine {
    let selection = Selection { only: vec!["tkb/*".to_owned()], ..Selection::default() };
    Engine::new(
        &crate::DISTRIBUTION,
        Registry::new(crate::DISTRIBUTION.pages, &[]),
        &Config::default(),
        &selection,
    )
    .expect("shipped rules")
}

#[test]
fn every_shipped_entry_has_no_findings() {
    let entries =
        aidd_content::RULES.guides.iter().filter(|guide| guide.path.starts_with("knowledge/"));
    let texts: Vec<(String, &str)> =
        entries.map(|guide| (format!("content/{}", guide.path), guide.text)).collect();
    assert!(texts.len() >= 100, "{}", texts.len());
    let bytes = texts.iter().map(|(path, text)| (path.clone(), text.as_bytes().to_vec()));
    let files = Memory(bytes.collect());
    let engine = engine();
    let mut lines = Vec::new();
    for (path, text) in &texts {
        let source = Source::new(path.as_str(), *text);
        for finding in engine.check(&source, &files).findings {
            let line = source.line_of(finding.span.start) + 1;
            lines.push(format!("{path}:{line} {} {}", finding.rule, finding.message));
        }
    }
    assert!(lines.is_empty(), "{} findings:\n{}", lines.len(), lines.join("\n"));
}

#[test]
fn the_date_is_set_by_the_frontend() {
    let day = |text: &str| text.parse().expect("a day");
    let text = "---\nname: x\ncategory: data\nmaturity: stable\nlast_updated: 2030-01-05\n---\n";
    let source = Source::new("ai/knowledge/x.md", text);
    let rules = |today| {
        let found = engine().with_date(today).check(&source, &Memory::default()).findings;
        let dated =
            found.iter().filter(|it| ["tkb/stale-entry", "tkb/invalid-date"].contains(&&*it.rule));
        dated.map(|it| it.message.clone()).collect::<Vec<_>>()
    };
    assert_eq!(rules(None), Vec::<String>::new());
    assert_eq!(rules(Some(day("2030-07-05"))), Vec::<String>::new());
    assert_eq!(rules(Some(day("2030-07-06"))), ["last reviewed 6 months before 2030-07-06"]);
    assert_eq!(rules(Some(day("2030-01-04"))), Vec::<String>::new());
    assert_eq!(rules(Some(day("2029-12-31"))), ["2030-01-05 is in the future"]);
}

#[test]
fn malformed_entries_do_not_panic() {
    let engine = engine();
    for text in [
        "",
        "---",
        "---\n---",
        "---\nname\n---\n",
        "---\n- a\n---\n",
        "---\nname: [a\n---\n",
        "---\nname: \"\u{e9}\nx: 1\n---\n",
        "---\nlast_updated: 0000-00-00\n---\n",
        "\u{FEFF}---\r\nname: x\r\n---\r\n## Use Cases\r\n\r\n|a|\r\n|-|\r\n",
        "## Trade-offs",
        "---\nname: x\n---\n## Key Metrics\n\n| |\n|-|\n| |\n\n## Use Cases\n\n|Fit|\n|-|\n|11/10|\n",
    ] {
        let source = Source::new(".aidd/knowledge/x.md", text);
        let found = engine.check(&source, &Memory::default()).findings;
        assert!(!found.is_empty(), "{text:?}");
    }
}
