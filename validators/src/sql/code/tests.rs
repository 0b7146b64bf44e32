use crate::DISTRIBUTION;
use aidd_engine::check::{Engine, Selection};
use aidd_engine::project::config::Config;
use aidd_engine::rules::registry::Registry;
use aidd_engine::text::files::Memory;
use aidd_engine::text::source::Source;
use proptest::prelude::*;
use std::collections::BTreeSet;
use std::sync::LazyLock;

static ENGINE: LazyLock<Engine> = LazyLock::new(|| {
    let registry = Registry::new(DISTRIBUTION.pages, &[]);
    let selection = Selection {
        only: vec!["sql/*".to_owned(), "sql/injection".to_owned()],
        ..Selection::default()
    };
    Engine::new(&DISTRIBUTION, registry, &Config::default(), &selection).expect("shipped rules")
});

/// Each finding as `line rule severity text`.
fn rendered_findings(path: &str, text: &str) -> Vec<String> {
    let source = Source::new(path, text);
    let findings = ENGINE.check(&source, &Memory::default()).findings;
    let findings = findings.iter().map(|finding| {
        let line = source.line_of(finding.span.start) + 1;
        let shown = source.slice(finding.span);
        format!("{line} {} {:?} {shown}", finding.rule, finding.severity)
    });
    findings.collect()
}

/// The last lines of the findings of `sql/injection` with the severity warning or error.
fn injection_lines(path: &str, text: &str) -> BTreeSet<usize> {
    let source = Source::new(path, text);
    let findings = ENGINE.check(&source, &Memory::default()).findings;
    let findings = findings.iter().filter(|finding| {
        &*finding.rule == super::INJECTION
            && finding.severity > aidd_engine::text::finding::Severity::Info
    });
    findings.map(|finding| source.line_of(finding.span.end.saturating_sub(1)) + 1).collect()
}

/// Programs in which the lines with injections end with `planted`.
const PLANTED: [(&str, &str); 4] = [
    ("src/store.ts", include_str!("planted/store.ts")),
    ("src/store.py", include_str!("planted/store.py")),
    ("src/store.go", include_str!("planted/store.go")),
    ("src/Store.java", include_str!("planted/Store.java")),
];

#[test]
fn planted_injections_are_found() {
    let mut missed = Vec::new();
    for (path, text) in PLANTED {
        let expected = text.lines().zip(1_usize..).filter(|(line, _)| line.ends_with("planted"));
        let expected: BTreeSet<usize> = expected.map(|(_, number)| number).collect();
        let lines = injection_lines(path, text);
        missed.extend(expected.symmetric_difference(&lines).map(|line| format!("{path}:{line}")));
    }
    assert_eq!(missed, [""; 0]);
}

#[test]
fn constant_statements_are_checked() {
    let cases = [
        (
            "src/a.py",
            "import psycopg2\ncur.execute(\"SELECT id\\n FROM users WHERE (id = %s\", (1,))\ncur.execute('DELETE FROM carts')\n",
            "2 sql/syntax Info (\n3 sql/delete-without-where Info DELETE FROM carts",
        ),
        (
            "src/a.ts",
            "import { Pool } from 'pg';\npool.query(`SELECT id FROM users WHERE id = $1 AND AND b`, [1]);\npool.query('SELECT ' + COLUMNS + ' FROM users');\n",
            "2 sql/syntax Info AND",
        ),
        (
            "src/a.go",
            "package a\nfunc f() { db.Exec(\"UPDATE users SET a = \\\"b\\\"\") }\n",
            "2 sql/update-without-where Info UPDATE users SET a = \\\"b\\\"",
        ),
    ];
    for (path, text, expected) in cases {
        assert_eq!(rendered_findings(path, text).join("\n"), expected, "{text}");
    }
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 64, ..ProptestConfig::default() })]

    #[test]
    fn damaged_code_is_checked_without_panic(
        which in 0..PLANTED.len(),
        cut in 0_usize..3_000,
        to in 0_usize..3_000,
    ) {
        let (path, text) = PLANTED[which];
        let (start, end) = (cut.min(text.len()), to.min(text.len()));
        if start < end && text.is_char_boundary(start) && text.is_char_boundary(end) {
            let damaged = format!("{}{}", &text[..start], &text[end..]);
            let _ = rendered_findings(path, &damaged);
        }
    }
}
