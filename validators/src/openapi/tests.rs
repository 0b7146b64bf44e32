//! Tests of the rules on OpenAPI documents.

use super::*;
use aidd_engine::rules::rule::{Setting, Settings};
use aidd_engine::text::files::{Disk, Files, Memory};
use aidd_engine::text::finding::{Finding, Severity};
use aidd_engine::text::source::Source;
use proptest::prelude::*;

fn settings() -> Settings {
    let setting = Setting {
        severity: Some(Severity::Warning),
        params: serde_json::Map::new(),
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

/// The findings of one rule: `text: message`.
fn found(rule: &str, text: &str) -> Vec<String> {
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

/// Prints the findings in the documents below the directory `OPENAPI_DIR`, for trying the rules.
#[test]
#[ignore = "reads documents outside the project"]
#[expect(clippy::print_stdout, reason = "prints the findings")]
fn documents_of_a_directory() {
    let Some(root) = std::env::var_os("OPENAPI_DIR") else { return };
    let disk = Disk::new(root.clone());
    let mut pending = vec![std::path::PathBuf::from(root)];
    let all = settings();
    while let Some(folder) = pending.pop() {
        for entry in std::fs::read_dir(folder).expect("a directory").flatten() {
            let path = entry.path();
            if path.is_dir() {
                pending.push(path);
                continue;
            }
            let Ok(text) = std::fs::read_to_string(&path) else { continue };
            let relative =
                path.strip_prefix(disk.root()).expect("below").to_string_lossy().into_owned();
            if (FAMILY.claim)(&relative, &text).is_none() {
                continue;
            }
            let source = Source::new(relative.clone(), text);
            let mut report = Report::new(&source, &all);
            let start = std::time::Instant::now();
            run_on(&disk, &mut report);
            let elapsed = start.elapsed();
            let mut findings = report.finish();
            findings.sort_by_key(|finding| finding.span);
            println!("# {relative} {elapsed:?}");
            for finding in findings {
                let line = source.line_of(finding.span.start) + 1;
                println!(
                    "{}\t{relative}:{line}\t{}\t{}\t{}",
                    finding.rule,
                    source.slice(finding.span).replace('\n', "⏎"),
                    finding.message,
                    finding.help.unwrap_or_default()
                );
            }
        }
    }
}
