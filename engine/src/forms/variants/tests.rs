//! Tests of parameters that are set only for some paths.

use crate::check::{Engine, Selection};
use crate::project::config;
use crate::rules::registry::Registry;
use crate::text::files::Memory;
use crate::text::finding::Status;
use crate::text::listing::Listing;
use crate::text::paths::Globs;
use crate::text::source::Source;
use crate::workspace::project_checks;

/// A page whose check is `check`, and its parameters.
fn page(params: &str, check: &str) -> String {
    format!("---\nseverity: warning\ncheck:\n  params: {params}\n{check}\n---\n# t/x\n\nWhy.\n")
}

fn engine(page: &str, config: &str) -> Result<Engine, String> {
    let registry = Registry::new(
        crate::DISTRIBUTION.pages,
        &[(".aidd/rules/x.md".to_owned(), page.to_owned())],
    );
    let config = config::read(config).expect("a configuration").0;
    Engine::new(&crate::DISTRIBUTION, registry, &config, &Selection::default())
        .map_err(|error| error.to_string())
}

/// The findings of the rule in files, from both passes: path, line, severity, message.
fn findings(page: &str, config: &str, files: &[(&str, &str)]) -> Vec<String> {
    let engine = engine(page, config).expect("an engine");
    let memory = files.iter().map(|(path, text)| ((*path).to_owned(), text.as_bytes().to_vec()));
    let memory = Memory(memory.collect());
    let listing = Listing::new(memory.0.keys().cloned());
    let single = files.iter().map(|(path, text)| {
        let source = Source::new(*path, *text);
        let checked = engine.check(&source, &memory);
        (source, checked)
    });
    let joined = project_checks::run(&engine, &Globs::all(), &memory, &listing).files;
    let mut lines = Vec::new();
    for (source, checked) in single.chain(joined) {
        let open = checked.findings.iter().filter(|finding| finding.status == Status::New);
        for finding in
            open.filter(|finding| &*finding.rule == "t/x" || finding.rule.starts_with("aidd/"))
        {
            let line = source.line_of(finding.span.start) + 1;
            let (path, severity, message) = (source.path(), finding.severity, &finding.message);
            lines.push(format!("{path}:{line} {severity} {message}"));
        }
    }
    lines
}

fn overrides(all: &[(&str, &str)]) -> String {
    let override_json = |(glob, params): &(&str, &str)| {
        format!(r#"{{"files": ["{glob}"], "rules": {{"t/x": {{"params": {params}}}}}}}"#)
    };
    format!(
        r#"{{"overrides": [{}]}}"#,
        all.iter().map(override_json).collect::<Vec<_>>().join(", ")
    )
}

const NONE: [&str; 0] = [];

#[test]
fn the_limits_of_a_text_check_can_differ_by_directory() {
    let page = page("{ word: foo, max: 1 }", "  text: { regex: \"${word}\", max: \"${max}\" }");
    let config = overrides(&[("legacy/", r#"{"max": 2}"#), ("legacy/b.txt", r#"{"word": "bar"}"#)]);
    let three = "foo\nfoo\nfoo bar\nbar\nbar\n";
    insta::assert_debug_snapshot!(
        findings(&page, &config, &[("a.txt", three), ("legacy/a.txt", three), ("legacy/b.txt", three)]),
        @r#"
    [
        "a.txt:2 warning Why.",
        "a.txt:3 warning Why.",
        "legacy/a.txt:3 warning Why.",
        "legacy/b.txt:5 warning Why.",
    ]
    "#);
    assert_eq!(findings(&page, &config, &[("legacy/a.txt", "foo foo")]), NONE);
}

#[test]
fn every_form_that_checks_files_accepts_overridden_parameters() {
    let syntax = page(
        "{ call: eval }",
        "  syntax: { language: [javascript], rule: { kind: call_expression, has: { field: function, regex: \"${call}\" } } }",
    );
    let config = overrides(&[("b/", r#"{"call": "exec"}"#)]);
    let text = "eval(1);\nexec(2);\n";
    let lines = findings(&syntax, &config, &[("a.js", text), ("b/a.js", text)]);
    assert_eq!(lines, ["a.js:1 warning Why.", "b/a.js:2 warning Why."]);

    let data = page("{ least: 18 }", "  data: { at: '$.node', min: \"${least}\" }");
    let config = overrides(&[("b/", r#"{"least": 20}"#)]);
    let files = [("a.json", "{\"node\": 19}"), ("b/a.json", "{\"node\": 19}")];
    insta::assert_debug_snapshot!(findings(&data, &config, &files), @r#"
    [
        "b/a.json:1 warning `node` is 19, expected at least 20",
    ]
    "#);

    let doc = page("{ heads: ['# *'] }", "  doc: { headings: \"${heads}\" }");
    let config = overrides(&[("docs/adr/", "{\"heads\": [\"# *\", \"## Status\"]}")]);
    let files = [("docs/a.md", "# A\n"), ("docs/adr/a.md", "# A\n")];
    insta::assert_debug_snapshot!(findings(&doc, &config, &files), @r#"
    [
        "docs/adr/a.md:1 warning `## Status` is missing; it belongs after `# A`",
    ]
    "#);

    let tree = page("{ max: 2 }", "  tree: { each: '**/*.ts', lines: { max: \"${max}\" } }");
    let config = overrides(&[("b/", r#"{"max": 3}"#), ("b/c/", r#"{"max": 1}"#)]);
    let text = "1\n2\n3\n";
    let files = [("a.ts", text), ("b/a.ts", text), ("b/c/a.ts", text)];
    insta::assert_debug_snapshot!(findings(&tree, &config, &files), @r#"
    [
        "a.ts:1 warning 3 lines, expected at most 2",
        "b/c/a.ts:1 warning 3 lines, expected at most 1",
    ]
    "#);

    let folders = page("{ max: 1 }", "  tree: { each: 'p/<n>/', count: { max: \"${max}\" } }");
    let config = overrides(&[("p/b/", r#"{"max": 2}"#)]);
    let files = [("p/a/1", ""), ("p/a/2", ""), ("p/b/1", ""), ("p/b/2", "")];
    insta::assert_debug_snapshot!(findings(&folders, &config, &files), @r#"
    [
        "p/a:1 warning 2 entries, expected at most 1",
    ]
    "#);

    let layers =
        page("{ not: ['db/**'] }", "  layers: { forbid: { from: 'app/**', to: \"${not}\" } }");
    let config = overrides(&[("app/admin/", r#"{"not": ["ui/**"]}"#)]);
    let text = "import '../db/a';\nimport '../../db/a';\nimport '../../ui/a';\n";
    let files = [("app/a.ts", text), ("app/admin/a.ts", text), ("db/a.ts", ""), ("ui/a.ts", "")];
    insta::assert_debug_snapshot!(findings(&layers, &config, &files), @r#"
    [
        "app/a.ts:1 warning `app/**` must not import `db/a.ts`",
        "app/admin/a.ts:3 warning `app/**` must not import `ui/a.ts`",
    ]
    "#);
}

#[test]
fn conditions_and_globs_can_be_overridden_by_path() {
    let page = page(
        "{ when: go.mod, in: ['*.txt'] }",
        "  files: \"${in}\"\n  when: { nearest: \"${when}\" }\n  text: { regex: foo }",
    );
    let config = overrides(&[("b/", r#"{"when": "Cargo.toml", "in": ["*.md"]}"#)]);
    let files = [("Cargo.toml", ""), ("a.txt", "foo"), ("b/a.txt", "foo"), ("b/a.md", "foo")];
    assert_eq!(findings(&page, &config, &files), ["b/a.md:1 warning Why."]);
}

#[test]
fn an_overridden_parameter_enables_a_rule_for_its_paths() {
    let page = page("{ word: foo }", "  text: { regex: \"${word}\" }").replacen(
        "severity: warning\n",
        "severity: warning\nenabled: false\n",
        1,
    );
    let config = overrides(&[("b/", r#"{"word": "bar"}"#)]);
    let files = [("a.txt", "foo bar"), ("b/a.txt", "foo bar")];
    assert_eq!(findings(&page, &config, &files), ["b/a.txt:1 warning Why."]);
    let off = config.replacen('{', r#"{"rules": {"t/x": "off"}, "#, 1);
    assert_eq!(findings(&page, &off, &files), NONE);
    let both = config.replacen(r#"{"params""#, r#"{"severity": "error", "params""#, 1);
    assert_eq!(findings(&page, &both, &files), ["b/a.txt:1 error Why."]);
}

#[test]
fn invalid_parameters_are_rejected_when_the_engine_is_created() {
    let error = |params: &str, check: &str, overridden: &str| {
        engine(&page(params, check), &overrides(&[("z/", "{}"), ("a/", overridden)]))
            .expect_err("refused")
    };
    let text = "  text: { regex: \"${word}\" }";
    let unique = "  tree: { each: '**/<n>.ts', unique: \"${by}\" }";
    let errors = [
        error("{ word: foo }", text, r#"{"wort": "a"}"#),
        error("{ word: foo }", text, r#"{"word": 3}"#),
        error("{ by: <n> }", unique, r#"{"by": "<dir>"}"#),
        error(
            "{ max: 3 }",
            "  tree: { each: '**/*.ts', count: { max: \"${max}\" } }",
            r#"{"max": 1}"#,
        ),
        error("{ no: a }", "  tree: { absent: \"${no}\" }", r#"{"no": "b"}"#),
        error("{ part: 'a/**' }", "  layers: { acyclic: \"${part}\" }", r#"{"part": "b/**"}"#),
        error("{ max: 3 }", "  commit: { subject: { max: \"${max}\" } }", r#"{"max": 1}"#),
        error(
            "{ max: 3 }",
            "  tree: { each: '*.ts', lines: { min: 2, max: \"${max}\" } }",
            r#"{"max": 1}"#,
        ),
    ];
    insta::assert_snapshot!(errors.join("\n"), @"
    overrides[1]: parameters of `t/x`: unknown parameter `wort`; did you mean `word`?
    overrides[1]: parameters of `t/x`: parameter `word`: expected a string, found a number
    overrides[1]: parameters of `t/x`: `unique` compares files of different directories, so they must be the same for all paths; set them under `rules`
    overrides[1]: parameters of `t/x`: `count` counts files of different directories together, so they must be the same for all paths; set them under `rules`
    overrides[1]: parameters of `t/x`: without `each`, the rule checks the project as a whole, so they must be the same for all paths; set them under `rules`
    overrides[1]: parameters of `t/x`: a cycle of `acyclic` can span several directories, so they must be the same for all paths; set them under `rules`
    overrides[1]: parameters of `t/x`: the rule checks commits, not files, so they must be the same for all paths; set them under `rules`
    overrides[1]: parameters of `t/x`: `lines`: 2 is more than 1
    ");
}

#[test]
fn invalid_combinations_of_overrides_are_reported_where_they_apply() {
    let check = "  tree: { each: '**/*.ts', lines: { min: \"${min}\", max: \"${max}\" } }";
    let page = page("{ min: 2, max: 5 }", check);
    let config = overrides(&[("a/", r#"{"min": 4}"#), ("a/b/", r#"{"max": 3}"#)]);
    let engine = engine(&page, &config).expect("an engine");
    let files = Memory([("a/b/c.ts".to_owned(), Vec::new())].into());
    let listing = Listing::new(files.0.keys().cloned());
    let report = project_checks::run(&engine, &Globs::all(), &files, &listing);
    insta::assert_debug_snapshot!(report.notes, @r#"
    [
        (
            "t/x",
            "did not run where several overrides apply, because their combination is invalid: `lines`: 4 is more than 3",
        ),
    ]
    "#);

    let text = page
        .replace(check, "  text: { regex: a, require: true, first: \"${min}\", last: \"${max}\" }");
    let config = overrides(&[("a/", r#"{"min": 4}"#), ("a/b/", r#"{"max": 3}"#)]);
    assert_eq!(findings(&text, &config, &[("a/b/c.txt", "b\n")]).len(), 1);
}

#[test]
fn selected_files_are_counted_by_path() {
    let page = page("{ in: ['*.txt'] }", "  files: \"${in}\"\n  text: { regex: foo }");
    let engine = engine(&page, &overrides(&[("b/", r#"{"in": ["*.md"]}"#)])).expect("an engine");
    let files = Memory::default();
    let listing = Listing::new(["a.txt", "a.md", "b/a.md", "b/a.txt"].map(str::to_owned));
    let rule = engine.registry().get("t/x").expect("the rule");
    let selected = project_checks::selected(&engine, rule, &files, &listing);
    assert_eq!(selected, Some((2, Vec::new())));
}
