use crate::check::{Engine, Selection};
use crate::project::config::Config;
use crate::rules::registry::Registry;
use crate::text::files::Memory;
use crate::text::source::Source;
use crate::workspace::fix;

/// The findings of a check in `text`, each as `covered text: message`, and the text after all
/// fixes.
fn findings_and_fixed_text(
    check: &str,
    path: &str,
    text: &str,
    siblings: &[(&str, &str)],
) -> (Vec<String>, String) {
    let page = format!("---\nseverity: info\ncheck:\n  {check}\n---\n# t/x\n");
    let registry = Registry::new(crate::DISTRIBUTION.pages, &[("rules/x.md".to_owned(), page)]);
    let rule = registry
        .get("t/x")
        .unwrap_or_else(|| panic!("the page with the check {check} is not a rule"));
    assert_eq!(crate::forms::problems(rule), Vec::<String>::new(), "{check}");
    let engine =
        Engine::new(&crate::DISTRIBUTION, registry, &Config::default(), &Selection::default());
    let engine = engine.expect("an engine");
    let siblings =
        siblings.iter().map(|(path, text)| ((*path).to_owned(), text.as_bytes().to_vec()));
    let files = Memory(siblings.collect());
    let source = Source::new(path, text);
    let findings = engine.check_rule(&"t/x".into(), &source, &files);
    let line = |finding: &crate::text::finding::Finding| {
        format!("{}: {}", source.slice(finding.span), finding.message)
    };
    let fixes: Vec<_> = findings.iter().filter_map(|finding| finding.fix.as_ref()).collect();
    let (bytes, _) = fix::apply(text.as_bytes(), &fixes);
    (findings.iter().map(line).collect(), String::from_utf8(bytes).expect("text"))
}

fn messages(check: &str, path: &str, text: &str) -> Vec<String> {
    findings_and_fixed_text(check, path, text, &[("docs/a.md", "")]).0
}

const NONE: [&str; 0] = [];

#[test]
fn every_comparison_checks_existing_values() {
    let text =
        "{\"a\": 1, \"b\": [\"x\", \"y\", \"x\"], \"c\": {\"d\": \"v1.2\"}, \"e\": \"docs/a.md\"}";
    let check = |test: &str| messages(&format!("data: {{ {test} }}"), "x.json", text);
    assert_eq!(check("at: '$.a', equals: 2"), ["1: `a` is not `2`"]);
    assert_eq!(check("at: '$.a', equals: 1.0"), NONE);
    assert_eq!(check("at: '$.z', equals: 2"), NONE);
    assert_eq!(check("at: '$.a', not-equals: 1"), ["1: `a` must not be `1`"]);
    assert_eq!(check("at: '$.b[*]', in: [x]"), ["\"y\": `$.b[*]` is not one of `x`"]);
    assert_eq!(check("at: '$.b[*]', not-in: [y]"), ["\"y\": `$.b[*]` must not be `y`"]);
    assert_eq!(check("at: '$.c.d', matches: '^\\d'"), ["\"v1.2\": `d` does not match `^\\d`"]);
    assert_eq!(check("at: '$.c.d', not-matches: '^v'"), ["\"v1.2\": `d` must not match `^v`"]);
    assert_eq!(
        check("at: '$.c.d', min: '1.10'"),
        ["\"v1.2\": `d` is v1.2, expected at least 1.10"]
    );
    assert_eq!(check("at: '$.a', max: 1"), NONE);
    assert_eq!(
        check("at: '$.a', type: [string, boolean]"),
        ["1: `a` is not a string or a boolean"]
    );
    assert_eq!(check("at: '$.c.x.y', present: true"), ["\"c\": `$.c.x.y` is missing"]);
    assert_eq!(check("at: '$.c', absent: true"), ["{\"d\": \"v1.2\"}: `c` must not be present"]);
    assert_eq!(check("at: '$.b[*]', unique: true"), ["\"x\": duplicate `x`"]);
    assert_eq!(
        check("at: '$.b', count: { max: 2 }"),
        ["[\"x\", \"y\", \"x\"]: `b` has 3 items, expected at most 2"]
    );
    assert_eq!(
        check("at: '$.c', keys: [e]"),
        ["{\"d\": \"v1.2\"}: unknown key `d` in `c`; expected one of `e`"]
    );
    assert_eq!(check("at: '$.e', resolves: root"), NONE);
    assert_eq!(
        check("at: '$.c.d', resolves: file"),
        ["\"v1.2\": `d` refers to `v1.2`, which does not exist"]
    );
    assert_eq!(check("at: '$.a', equals: 2, where: [{ at: '$.c.d', equals: other }]"), NONE);
    assert_eq!(check("at: '$.a', equals: 2, where: [{ at: '$.c', type: object }]").len(), 1);
}

#[test]
fn values_are_compared_with_values_in_other_files() {
    let same = "data: { at: '$.package.rust-version', same: { file: Cargo.toml, at: '$.workspace.package.rust-version' } }\n  fix: { set: same, safe: true }";
    let text = "[package]\nname = \"a\" # why\nrust-version = '1.80'\n";
    let root = "[workspace.package]\nrust-version = \"1.90\"\n";
    let (messages, fixed) =
        findings_and_fixed_text(same, "a/Cargo.toml", text, &[("Cargo.toml", root)]);
    assert_eq!(
        messages,
        [
            "'1.80': `rust-version` does not match `$.workspace.package.rust-version` of Cargo.toml (`1.90`)"
        ]
    );
    assert_eq!(fixed, text.replace("'1.80'", "\"1.90\""));
    let (messages, _) = findings_and_fixed_text(same, "a/Cargo.toml", text, &[]);
    assert!(messages[0].contains("cannot be compared"), "{messages:?}");
    let subset = "data: { at: '$.a[*]', same: { file: b.yaml, at: '$.b[*]', relation: subset } }";
    let (messages, _) =
        findings_and_fixed_text(subset, "a.yaml", "a: [1, 2]\n", &[("b.yaml", "b:\n- 2\n")]);
    assert_eq!(messages, ["1: `$.a[*]` does not match `$.b[*]` of b.yaml"]);
    let superset = subset.replace("subset", "superset");
    let (messages, _) = findings_and_fixed_text(
        &superset,
        "a.yaml",
        "a: [1, 2]\n",
        &[("b.yaml", "b:\n- 2\n- 3\n")],
    );
    assert_eq!(messages, ["a: `3` is missing, but present in `$.b[*]` of b.yaml"]);
}

#[test]
fn fixes_leave_the_rest_of_the_file_unchanged() {
    let fixed =
        |check: &str, path: &str, text: &str| findings_and_fixed_text(check, path, text, &[]).1;
    let strict =
        "data: { at: '$.a.strict', present: true, equals: true }\n  fix: { set: true, safe: true }";
    assert_eq!(
        fixed(strict, "x.json", "{\n  \"a\": {\n    \"b\": 1 // why\n  }\n}\n"),
        "{\n  \"a\": {\n    \"strict\": true,\n    \"b\": 1 // why\n  }\n}\n"
    );
    assert_eq!(
        fixed(strict, "x.json", "{\"a\": {\"strict\": false}}"),
        "{\"a\": {\"strict\": true}}"
    );
    assert_eq!(fixed(strict, "x.json", "{\"a\": {}}"), "{\"a\": {\"strict\": true}}");
    assert_eq!(fixed(strict, "x.yml", "a:\n  b: 1\n"), "a:\n  strict: true\n  b: 1\n");
    assert_eq!(fixed(strict, "x.yml", "a: {b: 1}\n"), "a: {strict: true,b: 1}\n");
    assert_eq!(fixed(strict, "x.toml", "[a]\nb = 1\n"), "[a]\nstrict = true\nb = 1\n");
    let top = strict.replace("$.a.strict", "$.strict");
    assert_eq!(fixed(&top, "x.yml", "b: 1\n"), "strict: true\nb: 1\n");
    assert_eq!(fixed(&top, "x.md", "---\nb: 1\n---\n# T\n"), "---\nstrict: true\nb: 1\n---\n# T\n");
    let absent = "data: { at: '$.a', absent: true }\n  fix: { remove: true }";
    assert_eq!(fixed(absent, "x.json", "{\n  \"a\": 1,\n  \"b\": 2\n}"), "{\n  \"b\": 2\n}");
    assert_eq!(fixed(absent, "x.json", "{\"b\": 2, \"a\": 1}"), "{\"b\": 2}");
    assert_eq!(fixed(absent, "x.yaml", "b: 1\na:\n  c: 2\nd: 3\n"), "b: 1\nd: 3\n");
    assert_eq!(fixed(absent, "x.toml", "a = 1 # old\nb = 2\n"), "b = 2\n");
}

#[test]
fn yaml_values_are_replaced_completely() {
    let fixed = |fix: &str, text: &str| {
        findings_and_fixed_text(&format!("data: {{ at: '$..a', {fix} }}"), "x.yml", text, &[]).1
    };
    let scalar = |text: &str| fixed("type: boolean }\n  fix: { set: z", text);
    let map = |text: &str| fixed("type: number }\n  fix: { set: { k: v }", text);
    let absent = |text: &str| fixed("absent: true }\n  fix: { remove: true", text);
    for (old, [set, lines, rest]) in [
        ("a:\nb: 1\n", ["a: z\nb: 1\n", "a:\n  k: v\nb: 1\n", "b: 1\n"]),
        ("a: # c\n", ["a: z # c\n", "a:\n  k: v # c\n", ""]),
        ("a:", ["a: z", "a:\n  k: v", ""]),
        ("a: |\n  x\n\n  y\nb: 1\n", ["a: z\nb: 1\n", "a:\n  k: v\nb: 1\n", "b: 1\n"]),
        ("a: !t >- # c\n  x\n", ["a: !t z\n", "a: !t {\"k\":\"v\"}\n", ""]),
        ("a:\n- x\n- y\nb: 1\n", ["a: z\nb: 1\n", "a:\n  k: v\nb: 1\n", "b: 1\n"]),
        ("a: # c\n- x\n", ["a: # c\n  z\n", "a: # c\n  {\"k\":\"v\"}\n", ""]),
        ("a: &x 'y'\n", ["a: &x z\n", "a: &x {\"k\":\"v\"}\n", ""]),
    ] {
        assert_eq!([scalar(old), map(old), absent(old)], [set, lines, rest], "{old}");
    }
    // Neither an aliased value nor an alias is changed.
    for shared in ["b: &x y\na: *x\n", "a: &x y\nb: *x\n", "a:\n  c: &x y\nb: *x\n", "a: &x\n"] {
        let all = [scalar(shared), map(shared), absent(shared)];
        assert_eq!(all, [shared; 3]);
    }
    let missing = "data: { at: '$.a.n', present: true }\n  fix: { set: 1 }";
    let flow = "a: {x: 1,\n  y: 2}\n";
    assert_eq!(findings_and_fixed_text(missing, "x.yml", flow, &[]).1, "a: {n: 1,x: 1,\n  y: 2}\n");
}

#[test]
fn unparsable_files_have_no_findings() {
    let check = "data: { at: '$..*', type: string }";
    for (path, text) in
        [("x.json", "{"), ("x.yaml", ": : ["), ("x.toml", "="), ("x.md", "# T"), ("x.rs", "1")]
    {
        assert_eq!(messages(check, path, text), NONE, "{path}");
    }
}

#[test]
fn yaml_is_fixed_in_block_style() {
    let set = "data: { at: '$.p', present: true, equals: { a: read, b: [x, { c: 1 }] } }\n  fix: { set: { a: read, b: [x, { c: 1 }] } }";
    let remove = "data: { at: '$..bad', absent: true }\n  fix: { remove: true }";
    let mut fixed_texts = String::new();
    for (check, text) in [
        (set, "# top\non: push\n"),
        (set, "p: all # why\non: push\n"),
        (set, "p:\n  a: write\n  z: 1\n# of on\non: push\n"),
        (set, "p:\n- a\n- b\non: push\n"),
        (set, "{ p: 1, on: push }\n"),
        (set, "{\n  p: 1,\n  on: push\n}\n"),
        (set, "{}\n"),
        (remove, "a: 1\nbad:\n  x:\n    - 1\n  # of x\n\n# of z\nz: 1\n"),
        (remove, "bad: |\n  text\n  # text\n\nz: 1\n"),
        (remove, "a:\n  bad:\n    b: >-\n      # text\n  # of c\n  c: 1\n"),
    ] {
        let (_, fixed) = findings_and_fixed_text(check, "a.yml", text, &[]);
        let (remaining, _) = findings_and_fixed_text(check, "a.yml", &fixed, &[]);
        assert_eq!(remaining, [""; 0], "{fixed}");
        fixed_texts.push_str(&fixed);
        fixed_texts.push_str("---\n");
    }
    insta::assert_snapshot!(fixed_texts, @r#"
    # top
    p:
      a: read
      b:
        - x
        - {"c":1}
    on: push
    ---
    p:
      a: read
      b:
        - x
        - {"c":1} # why
    on: push
    ---
    p:
      a: read
      b:
        - x
        - {"c":1}
    # of on
    on: push
    ---
    p:
      a: read
      b:
        - x
        - {"c":1}
    on: push
    ---
    { p: {"a":"read","b":["x",{"c":1}]}, on: push }
    ---
    {
      p: {"a":"read","b":["x",{"c":1}]},
      on: push
    }
    ---
    {"p": {"a":"read","b":["x",{"c":1}]}}
    ---
    a: 1
      # of x

    # of z
    z: 1
    ---

    z: 1
    ---
    a:
      # of c
      c: 1
    ---
    "#);
    let (_, fixed) = findings_and_fixed_text(set, "a.yml", "a: 1\r\np: all\r\n", &[]);
    assert_eq!(fixed, "a: 1\r\np:\r\n  a: read\r\n  b:\r\n    - x\r\n    - {\"c\":1}\r\n");
    let (_, json) = findings_and_fixed_text(
        "data: { at: '$.a.b', present: true, equals: 1 }\n  fix: { set: 1 }",
        "a.json",
        "{\"a\": { }}",
        &[],
    );
    assert_eq!(json, "{\"a\": {\"b\": 1}}");
}
