//! Tests of the rules on OpenAPI documents.

mod siblings;

use super::*;
use aidd_engine::check::{Engine, Selection};
use aidd_engine::rules::registry::Registry;
use aidd_engine::rules::rule::{Params, Setting, Settings};
use aidd_engine::text::files::{Files, Memory};
use aidd_engine::text::finding::{Finding, Severity};
use aidd_engine::text::source::Source;
use proptest::prelude::*;

fn settings() -> Settings {
    let setting = Setting {
        severity: Some(Severity::Warning),
        params: Params::default(),
        is_configured: false,
    };
    (FAMILY.rules)().into_iter().map(|id| (id.into(), setting.clone())).collect()
}

fn check(path: &str, text: &str, files: &dyn Files) -> (Source, Vec<Finding>) {
    let source = Source::new(path, text);
    let all = settings();
    let mut report = Report::new(&source, &all);
    run_on(files, &mut report);
    let findings = report.finish();
    (source, findings)
}

/// The findings of one rule, each as `text: message`.
fn findings_of(rule: &str, text: &str) -> Vec<String> {
    let (source, findings) = check("api.yaml", text, &Memory::default());
    let rule = format!("openapi/{rule}");
    let findings = findings.iter().filter(|finding| *finding.rule == *rule);
    findings
        .map(|finding| {
            assert!(!finding.message.ends_with('.'), "{}", finding.message);
            format!("{}: {}", source.slice(finding.span), finding.message)
        })
        .collect()
}

/// An OpenAPI 3.0 document with the given `paths`.
fn with_paths(paths: &str) -> String {
    format!("openapi: 3.0.3\ninfo: {{title: a, version: '1'}}\npaths:\n{paths}")
}

/// An OpenAPI 3.0 document with the schema `A`, which is `schema` in flow style.
fn with_schema(schema: &str) -> String {
    format!(
        "openapi: 3.0.3\ninfo: {{title: a, version: '1'}}\npaths: {{}}\n\
         components:\n  schemas:\n    A: {schema}\n"
    )
}

/// A valid operation with the `operationId` `id` and the other fields `fields`.
fn operation(id: &str, fields: &str) -> String {
    format!("{{operationId: {id}, {fields} responses: {{'200': {{description: ok}}}}}}")
}

#[test]
fn documents_are_recognized() {
    for (path, text) in [
        ("a.yaml", "# c\nopenapi: 3.1.0\n"),
        ("a.yml", "'swagger': '2.0'\n"),
        ("a.YAML", "\u{FEFF}openapi: 3.0.0\n"),
        ("a.json", "{\"info\": {\"x\": [\"}\"]}, \"openapi\" : \"3.0.0\"}"),
        ("a.yaml", "{\"openapi\": \"3.0.0\"}"),
    ] {
        assert!(is_document(path, text), "{text}");
    }
    for (path, text) in [
        ("a.yaml", "x:\n  openapi: 3.1.0\n"),
        ("a.yaml", "openapi: [x]\n"),
        ("a.yaml", "openapi-version: 3\n"),
        ("a.json", "{\"a\": {\"openapi\": \"3.0.0\"}}"),
        ("a.json", "[\"openapi\"]"),
        ("a.md", "openapi: 3.1.0\n"),
    ] {
        assert!(!is_document(path, text), "{text}");
    }
}

#[test]
fn valid_documents_have_no_structural_findings() {
    for text in [
        "swagger: '2.0'\ninfo: {title: a, version: '1'}\npaths:\n  /a/{b}:\n    parameters:\n    - \
         {name: b, in: path, required: true, type: string}\n    get:\n      responses:\n        200:\n          \
         description: ok\n          schema: {$ref: '#/definitions/A'}\n          examples: {application/json: {x: 1}}\n\
         definitions: {A: {type: object, properties: {x: {type: integer}}}}\n",
        "openapi: 3.1.0\ninfo: {title: a, version: '1'}\nwebhooks: {}\ncomponents:\n  schemas:\n    \
         A: true\n    B: {type: [string, 'null'], foo: 1, $ref: '#/components/schemas/A'}\n",
        "openapi: 3.2.0\n$self: https://a.example/b\ninfo: {title: a, version: '1'}\npaths:\n  /a:\n    \
         query: {responses: {default: {summary: s}}}\n",
        "openapi: 3.0.0\ninfo: &i {title: a, version: '1'}\npaths:\n  /a:\n    get:\n      <<: &o\n        \
         responses: {2XX: {description: ok, x-a: 1}}\n      x-b: {$ref: 1}\n",
    ] {
        for rule in ["structure", "syntax", "unresolved-ref", "ref-type", "invalid-example"] {
            assert_eq!(findings_of(rule, text), [""; 0], "{text}");
        }
    }
}

#[test]
fn violations_of_the_specification_are_reported() {
    let cases = [
        ("openapi: 4.0.0\ninfo: {}\n", "4.0.0: unsupported version `4.0.0`"),
        (
            "openapi: 3.1.0\ninfo: {title: a, version: '1'}\n",
            "openapi: `paths`, `components` and `webhooks` are missing",
        ),
        ("openapi: 3.0.0\ninfo: {title: a}\npaths: {}\n", "info: `version` is missing in the info"),
        (
            "openapi: 3.0.0\ninfo: {title: a, version: 1.0}\npaths: {}\n",
            "1.0: expected a string for `version`, found a number",
        ),
        (
            "openapi: 3.0.0\ninfo: {title: a, version: '1', sumary: b}\npaths: {}\n",
            "sumary: unknown field `sumary` in an `info` object",
        ),
    ];
    for (text, expected) in cases {
        assert_eq!(findings_of("structure", text), [expected], "{text}");
    }
    for (schema, expected) in [
        ("{type: strin}", "strin: unknown type `strin`"),
        ("{type: [string]}", "type: a list of types is not allowed in OpenAPI 3.0"),
        ("{maxLength: -1}", "-1: expected a non-negative integer for `maxLength`, found a number"),
        ("{const: 1}", "const: unknown field `const` in a schema"),
        ("{properties: {b: 1}}", "1: expected a schema for `b`, found a number"),
        ("true", "true: expected a schema for `A`, found a boolean"),
    ] {
        assert_eq!(findings_of("structure", &with_schema(schema)), [expected], "{schema}");
    }
    for (paths, expected) in [
        ("  a: {}\n", "a: the path `a` does not start with `/`"),
        ("  /a: {get: {responses: {999: {description: a}}}}\n", "999: `999` is not a status code"),
        ("  /a: {get: {responses: {}}}\n", "responses: no response is described"),
        (
            "  /{a}: {parameters: [{name: a, in: path, schema: {}}]}\n",
            "name: the path parameter `a` is not `required: true`",
        ),
        ("  /a: {parameters: [{name: a, in: qery, schema: {}}]}\n", "qery: unknown `in` `qery`"),
        (
            "  /a: {parameters: [{name: a, in: query}]}\n",
            "name: `schema` or `content` is missing in the parameter",
        ),
    ] {
        assert_eq!(findings_of("structure", &with_paths(paths)), [expected], "{paths}");
    }
}

#[test]
fn fixes_are_offered() {
    let fix = |text: &str| {
        let (source, findings) = check("api.yaml", text, &Memory::default());
        let fixes = findings.iter().filter_map(|finding| finding.fix.as_ref());
        let mut edits: Vec<_> = fixes.flat_map(|fix| fix.edits.clone()).collect();
        edits.sort();
        let mut fixed = source.text().to_owned();
        for edit in edits.iter().rev() {
            fixed.replace_range(edit.span.range(), &edit.text);
        }
        fixed
    };
    let fixed = fix(&with_schema("{type: string, enum: [a, b, a]}"));
    assert!(fixed.contains("enum: [a, b]}"), "{fixed}");
    let fixed = fix(&with_schema(
        "\n      type: string\n      enum:\n      - a\n      - a\n      description: x",
    ));
    assert!(fixed.contains("enum:\n      - a\n      description"), "{fixed}");
    let path = "  /{a}:\n    parameters:\n    - name: a\n      in: path\n      schema: {}\n";
    let fixed = fix(&with_paths(path));
    assert!(fixed.contains("      in: path\n      required: true\n      schema"), "{fixed}");
    let fixed = fix(&with_paths("  '/a/': {sumary: x}\n"));
    assert!(fixed.contains("'/a': {summary: x}"), "{fixed}");
    let reference = "{$ref: '#/components/parameters/x'}";
    let path = format!("  /a: {{parameters: [{reference}, {reference}]}}\n");
    let parameter = "components: {parameters: {x: {name: q, in: query, schema: {}}}}\n";
    let fixed = fix(&format!("{}{parameter}", with_paths(&path)));
    assert!(fixed.contains(&format!("parameters: [{reference}]")), "{fixed}");
    let more = "tags:\n- name: a\n  description: x\n- name: a\n- name: b\nservers:\n- url: https://a.test/\n";
    let fixed = fix(&format!("{}{more}", with_paths("")));
    assert!(fixed.contains("description: x\n- name: b\n"), "{fixed}");
    assert!(fixed.contains("url: https://a.test\n"), "{fixed}");
    let fixed = fix(&with_schema("{type: string, enum: [a, no, 1]}"));
    assert!(fixed.contains("enum: [a, no, \"1\"]") || fixed.contains("\"no\", \"1\""), "{fixed}");
}

#[test]
fn an_empty_document_and_an_invalid_version_are_reported() {
    let messages = |path: &str, text: &str| -> Vec<String> {
        let memory = Memory::default();
        if (FAMILY.claim)(path, text) != Some(OPENAPI) {
            return Vec::new();
        }
        check(path, text, &memory).1.into_iter().map(|finding| finding.message).collect()
    };
    for empty in ["", "\n", "# later\n"] {
        assert_eq!(messages("api/openapi.yaml", empty), ["the document is empty"]);
        assert_eq!(messages("api/config.yaml", empty), [""; 0]);
    }
    assert_eq!(messages("swagger.json", "{\"swagger\": \"x\"}"), ["unsupported version `x`"]);
    assert_eq!(messages("openapi.yaml", "openapi: banana\n"), ["unsupported version `banana`"]);
    assert_eq!(messages("config.yaml", "openapi: ./api.yaml\n"), [""; 0]);
}

#[test]
fn the_settings_of_other_linters_only_change_defaults() {
    let text = "openapi: 3.1.0\ninfo: {title: a, version: '1'}\npaths: {}\n";
    let spectral = "rules: {info-contact: hint, info-license: off}\n";
    let files = Memory([(".spectral.yaml".to_owned(), spectral.as_bytes().to_vec())].into());
    let severities = |config: &str| -> Vec<String> {
        let (config, _) = aidd_engine::project::config::read(config).expect("a configuration");
        let registry = Registry::new(crate::DISTRIBUTION.pages, &[]);
        let engine = Engine::new(&crate::DISTRIBUTION, registry, &config, &Selection::default())
            .expect("shipped rules");
        let findings = engine.check(&Source::new("openapi.yaml", text), &files).findings;
        let of_rules = findings.iter().filter(|finding| {
            ["openapi/missing-contact", "openapi/missing-license"].contains(&&*finding.rule)
        });
        of_rules.map(|finding| format!("{:?} {}", finding.severity, finding.rule)).collect()
    };
    assert_eq!(severities("{}"), ["Info openapi/missing-contact"]);
    let config =
        r#"{"rules": {"openapi/missing-contact": "error", "openapi/missing-license": "warning"}}"#;
    let configured = ["Error openapi/missing-contact", "Warning openapi/missing-license"];
    assert_eq!(severities(config), configured);
    assert_eq!(severities(r#"{"rules": {"openapi/missing-contact": "off"}}"#), [""; 0]);
}

#[test]
fn references_are_resolved() {
    for (rule, schema, expected) in [
        (
            "unresolved-ref",
            "{$ref: '#/components/schemas/B'}",
            "'#/components/schemas/B': `#/components/schemas/B` does not exist",
        ),
        (
            "ref-type",
            "{$ref: '#/info'}",
            "'#/info': expected a reference to a schema, found an `info` object",
        ),
        (
            "circular-ref",
            "{$ref: '#/components/schemas/A'}",
            "'#/components/schemas/A': `#/components/schemas/A` leads back to itself",
        ),
        (
            "remote-ref",
            "{$ref: 'https://a.example/b'}",
            "'https://a.example/b': `https://a.example/b` is not checked: it is not a file",
        ),
        (
            "ref-siblings",
            "{properties: {b: {$ref: '#/components/schemas/A', nullable: true}}}",
            "nullable: `nullable` next to `$ref` is ignored",
        ),
    ] {
        assert_eq!(findings_of(rule, &with_schema(schema)), [expected], "{schema}");
    }
    let text = with_schema("{anyOf: [{$ref: 'b.yaml#/B'}, {$ref: 'b.yaml#/C'}, {$ref: c.yaml}]}");
    let files = [("api.yaml", text.as_str()), ("b.yaml", "B: {}\n")];
    let files = Memory(files.map(|(path, text)| (path.to_owned(), text.into())).into());
    let (source, findings) = check("api.yaml", &text, &files);
    let unresolved = findings.iter().filter(|finding| *finding.rule == *"openapi/unresolved-ref");
    let unresolved: Vec<_> = unresolved.map(|finding| source.slice(finding.span)).collect();
    assert_eq!(unresolved, ["'b.yaml#/C'", "c.yaml"]);
}

#[test]
fn rules_on_paths_and_operations_report_their_defects() {
    let get = operation("a", "");
    for (rule, paths, expected) in [
        (
            "path-parameters",
            format!("  /a/{{b}}: {{get: {get}}}\n"),
            "/a/{b}: the path parameter `b` is not declared",
        ),
        (
            "path-parameters",
            "  /a:\n    parameters: [{name: c, in: path, required: true}]\n".to_owned(),
            "c: the path `/a` has no parameter `{c}`",
        ),
        (
            "path-parameters",
            "  /{a}/{a}: {}\n".to_owned(),
            "/{a}/{a}: `/{a}/{a}` contains `{a}` twice",
        ),
        (
            "identical-paths",
            "  /a/{b}: {}\n  /a/{c}: {}\n".to_owned(),
            "/a/{c}: `/a/{c}` is identical to `/a/{b}`",
        ),
        (
            "ambiguous-paths",
            "  /a/{b}: {}\n  /{c}/d: {}\n  /a/x: {}\n".to_owned(),
            "/{c}/d: `/{c}/d` and `/a/{b}` match the same URLs",
        ),
        (
            "empty-path-parameter",
            "  /a/{}: {}\n".to_owned(),
            "/a/{}: `/a/{}` has a parameter without a name",
        ),
        ("query-in-path", "  /a?b=1: {}\n".to_owned(), "/a?b=1: `/a?b=1` contains a query string"),
        (
            "http-verb-in-path",
            "  /getUsers: {}\n".to_owned(),
            "/getUsers: `/getUsers` contains the HTTP method `get`",
        ),
        (
            "path-case",
            "  /a_b/{cD}: {}\n".to_owned(),
            "/a_b/{cD}: `a_b` in `/a_b/{cD}` is not in kebab-case",
        ),
        (
            "duplicate-operation-id",
            format!("  /a: {{get: {get}, put: {get}}}\n"),
            "a: duplicate operation id `a`",
        ),
        (
            "success-response",
            "  /a: {get: {responses: {404: {description: a}}}}\n".to_owned(),
            "responses: no success response is described",
        ),
        (
            "no-content-with-body",
            "  /a: {get: {responses: {204: {description: a, content: {a/b: {}}}}}}\n".to_owned(),
            "content: a response with status code 204 cannot have a body",
        ),
        (
            "request-body-on-get",
            format!("  /a: {{get: {}}}\n", operation("a", "requestBody: {content: {}},")),
            "requestBody: the body of a GET request has no defined meaning",
        ),
        (
            "undefined-security-scheme",
            format!("  /a: {{get: {}}}\n", operation("a", "security: [{key: []}],")),
            "key: the security scheme `key` is not declared",
        ),
        (
            "operation-id-characters",
            format!("  /a: {{get: {}}}\n", operation("a b", "")),
            "a b: the operation id `a b` contains characters that URLs do not allow",
        ),
    ] {
        assert_eq!(findings_of(rule, &with_paths(&paths)), [expected], "{paths}");
    }
    assert_eq!(findings_of("ambiguous-paths", &with_paths("  /a/{b}: {}\n  /a/c: {}\n")), [""; 0]);
}

#[test]
fn schemas_are_checked() {
    for (rule, schema, expected) in [
        ("array-without-items", "{type: array}", "array: the array has no `items`"),
        (
            "invalid-enum-value",
            "{type: string, enum: [a, 1]}",
            "1: a number in `enum`, but the type is `string`",
        ),
        ("duplicate-enum-value", "{enum: [a, 1, a]}", "a: duplicate value `a` in `enum`"),
        (
            "contradictory-bounds",
            "{minimum: 2, maximum: 1}",
            "2: `minimum` is greater than `maximum`: no value is valid",
        ),
        (
            "invalid-pattern",
            "{pattern: '(a'}",
            "'(a': `pattern` is not a regular expression: `(` without `)`",
        ),
        (
            "unknown-required-property",
            "{required: [a, b], properties: {a: {}}}",
            "b: the required property `b` is not in `properties`",
        ),
        (
            "conflicting-all-of",
            "{allOf: [{properties: {a: {type: string}}}, {properties: {a: {type: integer}}}]}",
            "allOf: the parts give `a` different types: `integer` and `string`",
        ),
        (
            "nullable-without-type",
            "{nullable: true}",
            "nullable: `nullable` has no effect without `type`",
        ),
        (
            "invalid-example",
            "{type: integer, example: a}",
            "a: the example does not match its schema: expected `integer`, found a string",
        ),
        (
            "invalid-example",
            "{type: object, properties: {a: {maxLength: 1}}, example: {a: xyz}}",
            "xyz: the example does not match its schema at `/a`: 3 characters, more than `maxLength: 1`",
        ),
        (
            "invalid-example",
            "{type: object, required: [a], example: {b: 1}}",
            "example: the example does not match its schema: the required property `a` is missing",
        ),
        (
            "invalid-example",
            "{oneOf: [{type: string}, {type: boolean}], default: 1}",
            "1: the default does not match its schema: no schema of `oneOf` matches",
        ),
    ] {
        assert_eq!(findings_of(rule, &with_schema(schema)), [expected], "{schema}");
    }
    for schema in [
        "{type: string, nullable: true, enum: [a, null], default: null}",
        "{type: integer, example: '{{ x }}'}",
        "{type: object, additionalProperties: false, required: [a], properties: {a: {readOnly: true}}, example: {}}",
        "{allOf: [{$ref: '#/components/schemas/A'}], example: 1}",
        "{type: number, minimum: 0, exclusiveMinimum: true, example: 0.5}",
    ] {
        for rule in ["invalid-example", "invalid-enum-value"] {
            assert_eq!(findings_of(rule, &with_schema(schema)), [""; 0], "{schema}");
        }
    }
}

/// The rules that have findings in a document and are enabled by default. Of the rules with the
/// severity `info`, only `expected` is included.
fn reported(text: &str, expected: &str) -> std::collections::BTreeSet<String> {
    let registry = Registry::new(crate::DISTRIBUTION.pages, &[]);
    let (_, findings) = check("openapi.yaml", text, &Memory::default());
    let rules = findings.into_iter().filter_map(|finding| registry.get(&finding.rule));
    let rules = rules.filter(|rule| rule.enabled);
    let rules = rules.map(|rule| (rule.id.trim_start_matches("openapi/"), rule.severity));
    let rules = rules.filter(|&(id, severity)| severity != Severity::Info || id == expected);
    rules.map(|(id, _)| id.to_owned()).collect()
}

#[test]
fn the_cause_of_a_syntax_error_is_reported() {
    let conflict = "<<<<<<< HEAD\nopenapi: 3.0.0\n=======\nopenapi: 3.1.0\n>>>>>>> x\n";
    let [found] = &findings_of("syntax", conflict)[..] else { panic!("one finding") };
    assert!(found.starts_with("<<<<<<< HEAD: merge conflict; resolve it"), "{found}");
    let latin = b"openapi: 3.0.0\ninfo: {title: \"caf\xE9\"}\n".to_vec();
    let source = Source::decode("api.yaml", latin);
    let all = settings();
    let mut report = Report::new(&source, &all);
    run_on(&Memory::default(), &mut report);
    let messages: Vec<String> =
        report.finish().into_iter().map(|finding| finding.message).collect();
    assert_eq!(messages, ["the file is not UTF-8"]);
}

#[test]
fn valid_and_invalid_documents_are_distinguished() {
    let mut wrong = Vec::new();
    for part in include_str!("corners.txt").split("\n== ").skip(1) {
        let (head, text) = part.split_once('\n').expect("a document");
        let (rule, title) = head.split_once(": ").expect("a title");
        let text = text.replace("@ok", "responses: {'200': {description: ok}}");
        let text = match text.strip_prefix('@').and_then(|text| text.split_once('\n')) {
            Some((version, rest)) => {
                format!("openapi: {version}\ninfo: {{title: t, version: '1'}}\n{rest}")
            }
            None => text,
        };
        let expected = Some(rule.to_owned()).filter(|rule| rule != "valid");
        let found = reported(&format!("{text}\n"), rule);
        if found != expected.into_iter().collect() {
            wrong.push(format!("{title}: {found:?}"));
        }
    }
    assert_eq!(wrong, [""; 0]);
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(400))]
    #[test]
    fn any_document_is_checked_without_panic(
        version in "(openapi: 3\\.0\\.0|openapi: 3\\.1\\.0|openapi: 3\\.2\\.0|swagger: '2\\.0')",
        body in proptest::collection::vec(
            "(\n|\n  |\n    |: |- |paths:|/a|\\{b\\}|get|parameters|schema|\\$ref|components|schemas|A\
             |'#/components/schemas/A'|'#/paths'|'b\\.yaml'|allOf|enum|type|array|example|required|\\[|\\]|\\{|\\}|, |1|null\
             |é|&a |\\*a|<<|servers|url|security|tags|responses|200|description|pattern|'\\('|in: path|name: b)",
            0..50,
        ),
    ) {
        let text = format!("{version}\n{}", body.concat());
        let (source, findings) = check("a.yaml", &text, &Memory::default());
        for finding in findings {
            prop_assert!(source.text().get(finding.span.range()).is_some());
            prop_assert!(!finding.message.is_empty());
            for edit in finding.fix.iter().flat_map(|fix| &fix.edits) {
                prop_assert!(source.text().get(edit.span.range()).is_some());
            }
        }
    }
}
