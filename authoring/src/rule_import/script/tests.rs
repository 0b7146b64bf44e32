//! Tests of the extraction of literals from JavaScript and TypeScript.

use super::*;
use proptest::prelude::*;

#[test]
fn literals_are_read_and_the_rest_is_reported() {
    let text = "const types = ['feat', \"fix\"]; // why\nmodule.exports = {\n  extends: ['@commitlint/config-conventional'],\n  rules: { 'type-enum': [2, 'always', types], a: [RuleConfigSeverity.Warning, `x`], b: -1 },\n  ...base,\n  ignores: [(m) => m.startsWith('x')],\n}\n";
    let read = read(text, "commitlint.config.js", &|_| None).expect("literal");
    assert_eq!(
        read.value,
        serde_json::json!({
            "extends": ["@commitlint/config-conventional"],
            "rules": {"type-enum": [2, "always", ["feat", "fix"]], "a": [1, "x"], "b": -1},
            "ignores": [],
        })
    );
    assert_eq!(
        read.not_literal,
        [
            "`the exported value` (line 5): `...base`",
            "`ignores[0]` (line 6): `(m) => m.startsWith('x')`"
        ]
    );
}

#[test]
fn both_kinds_of_exports_are_read() {
    for (path, text) in [
        ("a.mjs", "export default { a: 'x' };"),
        ("a.ts", "const c: UserConfig = { a: 'x' };\nexport default c;"),
        ("a.mts", "export default { a: 'x' } satisfies UserConfig;"),
        ("a.cjs", "module.exports = defineConfig({ a: 'x' })"),
    ] {
        let read = read(text, path, &|_| None).expect(path);
        assert_eq!(read.value, serde_json::json!({"a": "x"}), "{path}");
    }
    for text in ["", "module.exports = make()", "export default async () => ({})", "{{{"] {
        let why = read(text, "x.js", &|_| None).expect_err("nothing literal").to_string();
        assert!(why.contains("without running it"), "{why}");
    }
}

#[test]
fn references_are_resolved() {
    let modules =
        |name: &str| (name == "shared").then(|| json!({"rules": {"a": [2, "always", ["x", "y"]]}}));
    let text = "import shared, { rules as given } from 'shared';\nconst { rules } = require('shared');\nconst more = ['z'];\nconst kinds = { feat: 1, fix: 2 };\nexport default {\n  a: [...shared.rules['a'][2], ...more],\n  b: { ...given, c: Object.keys(kinds), d: () => [1, Infinity], e: rules.a[0] },\n  f: /^x$/i,\n  g: { h() { return 1 }, i: more.map(x => x), j: [1, make()] },\n  k: (x) => { log(x); return 1 },\n};\n";
    let read = read(text, "x.mjs", &modules).expect("literal");
    assert_eq!(
        read.value,
        json!({
            "a": ["x", "y", "z"],
            "b": {"a": [2, "always", ["x", "y"]], "c": ["feat", "fix"], "d": [1, "Infinity"], "e": 2},
            "f": {"regex": "^x$", "flags": "i"},
            "g": {"h": not_literal_marker(), "i": not_literal_marker(), "j": not_literal_marker()},
        })
    );
    assert_eq!(
        read.not_literal,
        [
            "`g.h` (line 9): `h() { return 1 }`",
            "`g.i` (line 9): `more.map(x => x)`",
            "`g.j[1]` (line 9): `make()`",
            "`k` (line 10): `(x) => { log(x); return 1 }`",
        ]
    );
    assert!(has_non_literal(&read.value) && !has_non_literal(&read.value["b"]));
}

#[test]
fn resolving_circular_names_terminates() {
    let mut text = String::from("const a0 = [1, 1];\n");
    for at in 1..40 {
        text.push_str(&format!("const a{at} = [a{0}, a{0}];\n", at - 1));
    }
    text.push_str("const x = y;\nconst y = x;\nmodule.exports = { a: a39, x };\n");
    let read = read(&text, "x.js", &|_| None).expect("an object");
    assert!(!read.not_literal.is_empty() && read.value["x"].is_null());
}

proptest! {
    #[test]
    fn any_text_is_read_without_panic(text in "(module.exports = )?[a{}\\[\\]:,'\"`\\\\u.( )=-]{0,40}") {
        let _ = read(&text, "x.js", &|_| None);
    }
}
