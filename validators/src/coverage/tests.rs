//! Unit tests of the rules on coverage.

use super::*;
use aidd_engine::text::files::Memory;
use proptest::prelude::*;

fn memory(files: &[(&str, &str)]) -> Memory {
    Memory(
        files.iter().map(|(path, text)| ((*path).to_owned(), text.as_bytes().to_vec())).collect(),
    )
}

/// The lines of a file in a report: `1-2 covered, 4-4`, one-based.
fn lines(report_path: &str, report: &str, path: &str) -> String {
    lines_with(report_path, report, path, &[])
}

fn lines_with(report_path: &str, report: &str, path: &str, files: &[(&str, &str)]) -> String {
    let coverage = match report::parse(report) {
        Ok(coverage) => coverage,
        Err(error) => return error.to_string(),
    };
    let files = memory(files);
    let Some(segments) = coverage.lines_of(&paths::Target::new(&files, path, report_path)) else {
        return "not listed".to_owned();
    };
    let show = |segment: &Segment| {
        let suffix = if segment.is_covered { " covered" } else { "" };
        format!("{}-{}{suffix}", segment.lines.start + 1, segment.lines.end)
    };
    segments.iter().map(show).collect::<Vec<_>>().join(", ")
}

#[test]
fn lcov_is_read() {
    let report = "TN:\nSF:src/a.ts\nFN:1,f\nFNDA:0,f\nDA:1,2\nDA:2,0\nDA:3,0,abc\nBRDA:1,0,0,-\nLF:3\nLH:1\nend_of_record\nSF:/ci/app/src/b.ts\nDA:1,0\nend_of_record\n";
    assert_eq!(lines("coverage/lcov.info", report, "src/a.ts"), "1-1 covered, 2-3");
    assert_eq!(lines("coverage/lcov.info", report, "src/b.ts"), "1-1");
    assert_eq!(lines("coverage/lcov.info", report, "src/c.ts"), "not listed");
    assert_eq!(lines("coverage/lcov.info", report, "other/src/a.ts"), "not listed");
    let package = "packages/web/coverage/lcov.info";
    assert_eq!(lines(package, report, "packages/web/src/a.ts"), "1-1 covered, 2-3");
    let windows = "SF:src\\a.ts\r\nDA:1,0\r\nend_of_record\r\n";
    assert_eq!(lines("lcov.info", windows, "src/a.ts"), "1-1");
    // The results of several runs are combined.
    let twice = "SF:a.ts\nDA:1,0\nDA:2,0\nend_of_record\nSF:a.ts\nDA:1,1\nend_of_record\n";
    assert_eq!(lines("lcov.info", twice, "a.ts"), "1-1 covered, 2-2");
}

#[test]
fn malformed_lcov_is_reported_with_its_line() {
    for (report, expected) in [
        ("SF:a.ts\nDA:x,1\nend_of_record\n", "is malformed in line 2: expected `DA:line,hits`"),
        ("SF:a.ts\nDA:1,nan\nend_of_record\n", "is malformed in line 2: expected `DA:line,hits`"),
        ("SF:a.ts\nDA:1,1\n", "is malformed in line 2: the last record has no `end_of_record`"),
        ("TN:\nDA:1,1\n", "is malformed in line 2: `DA` outside of a record"),
        (
            "SF:a.ts\nSF:b.ts\n",
            "is malformed in line 2: the previous record has no `end_of_record`",
        ),
        ("TN:\nhello\n", "is malformed in line 2: expected `key:value` or `end_of_record`"),
    ] {
        assert_eq!(lines("lcov.info", report, "a.ts"), expected);
    }
}

#[test]
fn cover_profiles_of_go_are_read() {
    let report = "mode: set\nexample.com/shop/cart/add.go:3.20,5.10 2 1\nexample.com/shop/cart/add.go:5.10,7.3 1 0\nexample.com/shop/cart/add.go:9.2,9.12 1 1\n";
    let files = [("go.mod", "module example.com/shop\n\ngo 1.22\n")];
    let path = "cart/add.go";
    assert_eq!(lines_with("coverage.out", report, path, &files), "3-5 covered, 6-7, 9-9 covered");
    assert_eq!(lines("coverage.out", report, path), "not listed");
    let files = [("shop/go.mod", "module example.com/shop\n")];
    let found = lines_with("shop/cover.out", report, "shop/cart/add.go", &files);
    assert_eq!(found, "3-5 covered, 6-7, 9-9 covered");
    assert_eq!(
        lines("coverage.out", "mode: set\na.go:1,2 3\n", "a.go"),
        "is malformed in line 2: expected `file:line.column,line.column statements count`"
    );
}

#[test]
fn cobertura_is_read() {
    let report = r#"<?xml version="1.0" ?>
<!DOCTYPE coverage SYSTEM "http://cobertura.sourceforge.net/xml/coverage-04.dtd">
<coverage line-rate="0.5"><sources><source>/ci/app/src/shop</source></sources><packages><package name="">
<classes><class name="cart.py" filename="cart.py"><methods/><lines>
<line number="1" hits="1"/><line number="2" hits="0"/><line number="3" hits="1" branch="true"/>
</lines></class></classes></package></packages></coverage>"#;
    let found = lines("coverage.xml", report, "src/shop/cart.py");
    assert_eq!(found, "1-1 covered, 2-2, 3-3 covered");
    assert_eq!(lines("coverage.xml", report, "src/other/cart.py"), "not listed");
    let without_number = report.replace("number=\"2\"", "");
    assert_eq!(
        lines("coverage.xml", &without_number, "cart.py"),
        "is malformed: a `line` has no number"
    );
    assert!(lines("coverage.xml", &report[..200], "cart.py").starts_with("is malformed: "));
    assert!(lines("coverage.xml", "<html/>", "cart.py").starts_with("has an unknown format"));
}

#[test]
fn jacoco_is_read() {
    let report = r#"<?xml version="1.0" encoding="UTF-8" standalone="yes"?><!DOCTYPE report PUBLIC "-//JACOCO//DTD Report 1.1//EN" "report.dtd">
<report name="shop"><sessioninfo id="a" start="1" dump="2"/><package name="com/example/shop"><class name="com/example/shop/Cart" sourcefilename="Cart.java"/>
<sourcefile name="Cart.java"><line nr="5" mi="0" ci="3" mb="0" cb="0"/><line nr="6" mi="2" ci="0" mb="0" cb="0"/><counter type="LINE" missed="1" covered="1"/></sourcefile></package></report>"#;
    let path = "src/main/java/com/example/shop/Cart.java";
    assert_eq!(lines("target/site/jacoco/jacoco.xml", report, path), "5-5 covered, 6-6");
    assert_eq!(
        lines("target/site/jacoco/jacoco.xml", report, "src/main/java/com/example/Cart.java"),
        "not listed"
    );
    let malformed = report.replace("ci=\"3\"", "ci=\"many\"");
    assert_eq!(
        lines("target/site/jacoco/jacoco.xml", &malformed, path),
        "is malformed: a `line` has no count"
    );
}

#[test]
fn llvm_cov_is_read() {
    // fn f(a: bool) {      1
    //     if a {           2
    //         g();         3
    //     }                4
    //     h();             5
    // }                    6
    let report = r#"{"data": [{"files": [{"filename": "/ci/app/src/lib.rs", "segments": [
        [1, 1, 1, true, true, false], [2, 8, 1, true, true, false], [2, 10, 0, true, true, false],
        [4, 6, 1, true, false, false], [6, 2, 0, false, false, false]]}]}],
        "type": "llvm.coverage.json.export", "version": "2.0.1"}"#;
    assert_eq!(lines("llvm-cov.json", report, "src/lib.rs"), "1-2 covered, 3-4, 5-6 covered");
    assert!(lines("llvm-cov.json", &report[..90], "a").starts_with("is malformed: EOF"));
    let last_line = r#"{"data": [{"files": [{"filename": "a.rs", "segments": [
        [4294967295, 1, 1, true, true, false], [3, 1, 0, true, true, false]]}]}]}"#;
    assert_eq!(
        lines("llvm-cov.json", last_line, "a.rs"),
        "3-3 covered, 4294967295-4294967295 covered"
    );
}

#[test]
fn coverage_py_is_read() {
    let report = r#"{"meta": {"version": "7.6.0"}, "files": {"shop/cart.py": {
        "executed_lines": [1, 2, 5], "missing_lines": [3], "excluded_lines": [],
        "summary": {"covered_lines": 3}}}, "totals": {}}"#;
    assert_eq!(lines("coverage.json", report, "shop/cart.py"), "1-2 covered, 3-3, 5-5 covered");
    assert_eq!(
        lines("coverage.json", r#"{"files": {"a.py": {}}}"#, "a.py"),
        "is malformed: missing field `executed_lines` at line 1 column 21"
    );
    assert!(lines("coverage.json", "{}", "a.py").starts_with("has an unknown format"));
}

#[test]
fn reports_are_found_at_the_default_paths() {
    let files = memory(&[
        ("coverage/lcov.info", ""),
        ("packages/a/coverage.xml", ""),
        ("packages/b/coverage.xml", ""),
    ]);
    assert_eq!(
        paths::find_default(&files, "packages/a/src/b.ts"),
        ["packages/a/coverage.xml", "coverage/lcov.info"]
    );
}

#[test]
fn files_with_code_are_claimed() {
    assert!(is_code("src/a.ts") && is_code("a.py"));
    assert!(!is_code("src/a.test.ts") && !is_code("README.md") && !is_code("test_a.py"));
}

proptest! {
    #[test]
    fn any_report_can_be_parsed(text in "(mode: set\\n|SF:a\\n|DA:1,0\\n|end_of_record\\n|a.go:1.1,9.9 1 0\\n|<coverage>|<class filename='a'>|<line number='1' hits='0'/>|\\{\"files\":|\\{|\\}|[a-z0-9:,.<>/\"]){0,12}") {
        if let Ok(coverage) = report::parse(&text) {
            coverage.lines_of(&paths::Target::new(&Memory::default(), "a.go", "coverage.out"));
        }
    }

    #[test]
    fn a_line_is_covered_if_any_merged_segment_covers_it(
        parts in proptest::collection::vec((0_u32..20, 0_u32..6, any::<bool>()), 0..8),
    ) {
        let segments: Vec<Segment> = parts
            .iter()
            .map(|&(start, length, is_covered)| Segment { lines: start..start + length, is_covered })
            .collect();
        let merged = report::merge(segments.clone());
        prop_assert!(merged.windows(2).all(|pair| pair[0].lines.end <= pair[1].lines.start));
        for line in 0..30 {
            let result = |segments: &[Segment]| {
                segments
                    .iter()
                    .filter(|segment| segment.lines.contains(&line))
                    .map(|segment| segment.is_covered)
                    .max()
            };
            prop_assert_eq!(result(&merged), result(&segments), "line {}", line);
        }
    }
}
