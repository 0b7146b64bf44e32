//! Documents that follow or break sentences of the specification, and layouts of other tools.

use super::*;
use aidd_engine::rules::rule::{Params, Setting, Settings};
use aidd_engine::text::files::{Listed, Memory};
use aidd_engine::text::finding::{Finding, Severity};
use aidd_engine::text::listing::Listing;

/// The documents, each with the header `=== good|bad NAME: SENTENCE`.
const CASES: &str = include_str!("cases.txt");

fn settings() -> Settings {
    let setting = Setting {
        severity: Some(Severity::Warning),
        params: Params::default(),
        is_configured: false,
    };
    COLLECTED.iter().map(|&id| (id.into(), setting.clone())).collect()
}

fn findings(path: &str, text: &str, files: &dyn Files) -> (Source, Vec<Finding>) {
    let source = Source::new(path, text);
    let all = settings();
    let mut report = Report::new(&source, &all);
    check(files, &mut report);
    let findings = report.finish();
    (source, findings)
}

/// The findings, each as `rule text: message`.
fn lines_of(path: &str, text: &str, files: &[(&str, &str)]) -> Vec<String> {
    let files = files.iter().map(|(path, text)| ((*path).to_owned(), text.as_bytes().to_vec()));
    let (source, findings) = findings(path, text, &Memory(files.collect()));
    let show = |finding: &Finding| {
        assert!(!finding.message.ends_with('.'), "{}", finding.message);
        format!("{} {}: {}", finding.rule, source.slice(finding.span), finding.message)
    };
    findings.iter().map(show).collect()
}

/// The findings in a file of a project with other files.
fn lines_in_project(path: &str, text: &str, files: &[(&str, &str)]) -> Vec<String> {
    let all = files.iter().copied().chain([(path, text)]);
    let all = all.map(|(path, text)| (path.to_owned(), text.as_bytes().to_vec()));
    let memory = Memory(all.collect());
    let listing = Listing::new(memory.0.keys().cloned());
    let (source, findings) = findings(path, text, &Listed { files: &memory, listing: &listing });
    let show = |finding: &Finding| {
        format!("{} {}: {}", finding.rule, source.slice(finding.span), finding.message)
    };
    findings.iter().map(show).collect()
}

#[test]
fn bad_documents_are_rejected_and_good_ones_accepted() {
    let mut lines = Vec::new();
    for case in CASES.split("\n=== ").skip(1) {
        let (header, text) = case.split_once('\n').expect("a header and a document");
        let resolver = header.contains("resolver").then_some("a.resolver.json");
        for path in ["a.tokens.json", "a.json"].into_iter().chain(resolver) {
            // Only the name shows that some of the files have tokens.
            let has_marker = text.contains("\"$value\"") || text.contains("\"resolutionOrder\"");
            let needs_name = ["member-not-object", "no-type", "not-json", "root-array"];
            let needs_name = needs_name.iter().any(|name| header.contains(name));
            if path == "a.json" && (!has_marker || needs_name) {
                continue;
            }
            assert!(claim(path, text).is_some(), "{path}: {header}");
            let found = lines_of(path, text, &[]);
            assert_eq!(
                found.is_empty(),
                header.starts_with("good "),
                "{path}: {header}: {found:?}"
            );
            if path == "a.tokens.json" {
                lines.push(format!("{header}\n  {}", found.join("\n  ")));
            }
        }
    }
    insta::assert_snapshot!(lines.join("\n"));
}

#[test]
fn references_of_style_dictionary_are_resolved_over_its_sources() {
    let config = r#"{"source": ["tokens/**/*.json"], "platforms": {}}"#;
    let base = r##"{"color": {"red": {"value": "#f00"}}}"##;
    let files = [("config.json", config), ("tokens/base.json", base)];
    let text = r#"{"a": {"value": "1px solid {color.red.value}"}, "b": {"value": "{color.rde}"}}"#;
    assert_eq!(
        lines_in_project("tokens/a.json", text, &files),
        ["tokens/missing-reference \"{color.rde}\": the token `{color.rde}` does not exist"]
    );
    // A file that no settings name is not known to be a token file.
    assert_eq!(lines_in_project("tokens/a.json", text, &files[1..]), [""; 0]);
}

#[test]
fn references_of_tokens_studio_are_resolved_over_all_sets() {
    let text = r##"{
        "global": {"color": {"red": {"value": "#f00", "type": "color"}}},
        "dark": {"text": {"value": "{color.red}", "type": "color"}, "x": {"value": "{color.blu}"}},
        "$themes": []
    }"##;
    assert_eq!(
        lines_in_project("tokens.json", text, &[]),
        ["tokens/missing-reference \"{color.blu}\": the token `{color.blu}` does not exist"]
    );
    let order = r#"{"tokenSetOrder": ["core", "theme/dark"]}"#;
    let core = r##"{"color": {"red": {"value": "#f00", "type": "color"}}}"##;
    let files = [("tokens/$metadata.json", order), ("tokens/core.json", core)];
    let dark = r#"{"a": {"value": "{color.red} * 2"}, "b": {"value": "{color.green}"}}"#;
    assert_eq!(
        lines_in_project("tokens/theme/dark.json", dark, &files),
        ["tokens/missing-reference \"{color.green}\": the token `{color.green}` does not exist"]
    );
}

#[test]
fn references_to_files_of_the_project_are_found() {
    let base = r#"{"base": {"$type": "number", "$value": 1}}"#;
    let text = r#"{"a": {"$value": "{base}"}, "b": {"$type": "color", "$value": "{base}"}}"#;
    assert_eq!(
        lines_in_project("b.tokens.json", text, &[("a.tokens.json", base)]),
        [
            "tokens/reference-type \"{base}\": `base` has the type number, but a color is required here"
        ]
    );
}

#[test]
fn other_tools_accept_types_strings_and_missing_types() {
    let package = r#"{"devDependencies": {"style-dictionary": "^4.0.0"}}"#;
    let text = r##"{"a": {"$type": "spacing", "$value": "16px"}, "b": {"$type": "color", "$value": "#f00"},
        "c": {"$value": "{from.elsewhere}"}, "a.b": {"$value": 1}}"##;
    assert_eq!(lines_in_project("tokens/a.json", text, &[("package.json", package)]), [""; 0]);
}

#[test]
fn schemas_and_data_with_similar_keys_have_no_tokens() {
    for text in [
        r#"{"type": "object", "properties": {"$value": {"type": "string"}, "a": {"$value": {}}}}"#,
        r#"{"a": [{"$value": 1}]}"#,
        r#"{"options": {"a": {"value": 1}}}"#,
        r#"{"$extensions": {"x": {"$value": 1}}}"#,
    ] {
        assert_eq!(lines_of("tokens/a.json", text, &[]), [""; 0], "{text}");
    }
}

#[test]
fn data_without_types_has_no_tokens() {
    let text = r#"{"Envelope": {"Body": {"$value": "x", "attributes": {"id": "1"}}}}"#;
    assert_eq!(lines_of("api/soap.json", text, &[]), [""; 0]);
    let text = r#"{"$extensions": {"com.shop": {"a": {"$value": 1}}}, "n": {"$type": "number", "$value": 1}}"#;
    assert_eq!(lines_of("a.tokens.json", text, &[]), [""; 0]);
}

#[test]
fn groups_that_refer_to_themselves_end() {
    for text in [
        r##"{"a": {"$ref": "#/a/x"}, "b": {"c": {"$type": "number", "$value": 1}}}"##,
        r##"{"a": {"$extends": "#/a/x", "c": {"$type": "number", "$value": 1}}}"##,
        r##"{"a": {"$ref": "#/b/x/y/z"}, "b": {"$ref": "#/a/x/y/z"}, "c": {"$value": "{a.x.y}"}}"##,
    ] {
        lines_of("a.tokens.json", text, &[]);
    }
}

proptest::proptest! {
    #[test]
    fn no_text_causes_a_panic(text in r#"(\{|\}|"\$(value|type|ref|extends)":|"[ab.{}$#/]{0,4}"|:|,|\[|\]|1|null){0,40}"#) {
        lines_of("a.tokens.json", &text, &[]);
    }
}
