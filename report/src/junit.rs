//! JUnit XML: a suite per file, a test case per finding, a failure if the finding fails the run.

use super::escape::Xml;
use super::{Document, number, wire};
use std::fmt::{self, Write as _};
use std::io;

pub(super) fn write(document: &Document, out: &mut dyn io::Write) -> io::Result<()> {
    let findings: Vec<&wire::Finding> = document.with_status(&[wire::Status::New]).collect();
    let failures = findings.iter().filter(|finding| document.fails(finding)).count();
    let clean = findings.is_empty();
    let tests = findings.len() + document.skipped.len() + usize::from(clean);
    writeln!(out, r#"<?xml version="1.0" encoding="UTF-8"?>"#)?;
    let seconds = document.elapsed.as_secs_f64();
    writeln!(
        out,
        r#"<testsuites name="aidd" tests="{tests}" failures="{failures}" errors="0" skipped="{}" time="{seconds:.3}">"#,
        document.skipped.len()
    )?;
    if clean {
        let name = format!("no problems in {}", number(document.checked, "file"));
        writeln!(
            out,
            r#"  <testsuite name="aidd" tests="1" failures="0" errors="0" skipped="0">"#
        )?;
        writeln!(out, r#"    <testcase name="{}" classname="aidd"/>"#, Xml(&name))?;
        writeln!(out, "  </testsuite>")?;
    }
    for file in findings.chunk_by(|a, b| a.path == b.path) {
        out.write_all(suite(document, file).unwrap_or_default().as_bytes())?;
    }
    out.write_all(skipped(document).unwrap_or_default().as_bytes())?;
    writeln!(out, "</testsuites>")
}

fn suite(document: &Document, findings: &[&wire::Finding]) -> Result<String, fmt::Error> {
    let path = Xml(findings.first().map_or("", |finding| &finding.path));
    let failures = findings.iter().filter(|finding| document.fails(finding)).count();
    let mut out = String::new();
    writeln!(
        out,
        r#"  <testsuite name="{path}" tests="{}" failures="{failures}" errors="0" skipped="0">"#,
        findings.len()
    )?;
    for finding in findings {
        let wire::Finding { rule, start, severity, message, .. } = finding;
        let (line, column) = (start.line, start.column);
        writeln!(
            out,
            r#"    <testcase name="{} ({line}:{column})" classname="{path}" file="{path}" line="{line}">"#,
            Xml(rule)
        )?;
        let help = finding.help.as_deref().map(|help| format!("\n{help}")).unwrap_or_default();
        let text = format!("{}:{line}:{column}: {message}{help}", finding.path);
        if document.fails(finding) {
            let message = Xml(message);
            writeln!(
                out,
                r#"      <failure type="{severity}" message="{message}">{}</failure>"#,
                Xml(&text)
            )?;
        } else {
            writeln!(
                out,
                "      <system-out>{}</system-out>",
                Xml(&format!("{severity}: {text}"))
            )?;
        }
        writeln!(out, "    </testcase>")?;
    }
    writeln!(out, "  </testsuite>")?;
    Ok(out)
}

fn skipped(document: &Document) -> Result<String, fmt::Error> {
    let mut out = String::new();
    let count = document.skipped.len();
    if count == 0 {
        return Ok(out);
    }
    writeln!(
        out,
        r#"  <testsuite name="skipped or only partly checked" tests="{count}" failures="0" errors="0" skipped="{count}">"#
    )?;
    for file in &document.skipped {
        let (path, why) = (Xml(&file.path), Xml(&file.why));
        writeln!(out, r#"    <testcase name="{path}" classname="{path}">"#)?;
        writeln!(out, r#"      <skipped message="{why}"/>"#)?;
        writeln!(out, "    </testcase>")?;
    }
    writeln!(out, "  </testsuite>")?;
    Ok(out)
}
