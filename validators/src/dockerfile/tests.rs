use super::{run, statements};
use aidd_engine::check::FileContext;
use aidd_engine::parse::syntax::Tree;
use aidd_engine::rules::registry::Registry;
use aidd_engine::rules::rule::{Params, Report, Setting, Settings};
use aidd_engine::text::files::Memory;
use aidd_engine::text::finding::Finding;
use aidd_engine::text::source::Source;
use proptest::prelude::*;
use std::collections::BTreeMap;
use std::sync::LazyLock;

static RULES: LazyLock<(Registry, Settings)> = LazyLock::new(|| {
    let registry = Registry::new(crate::DISTRIBUTION.pages, &[]);
    let settings = registry.rules().iter().map(|rule| {
        let severity = rule.enabled.then_some(rule.severity);
        (rule.id.clone(), Setting { severity, params: Params::default(), is_configured: false })
    });
    let settings = settings.collect();
    (registry, settings)
});

fn check(text: &str, other_files: &[(&str, &str)]) -> Vec<Finding> {
    let pair = |&(path, text): &(&str, &str)| (path.to_owned(), text.as_bytes().to_vec());
    let files = Memory(other_files.iter().map(pair).collect());
    let source = Source::new("a/Dockerfile", text);
    let mut report = Report::new(&source, &RULES.1);
    let tree = Tree::new(&source);
    let context = FileContext {
        registry: &RULES.0,
        files: &files,
        families: crate::ALL,
        tree: &tree,
        components: &BTreeMap::new(),
        polymorphic: &[],
    };
    run(&context, &mut report);
    let mut findings = report.finish();
    findings.sort_by_key(|finding| finding.span);
    findings
}

/// The findings in order, as `rule severity`.
fn describe_findings(text: &str, other_files: &[(&str, &str)]) -> Vec<String> {
    let findings = check(text, other_files);
    findings.iter().map(|finding| format!("{} {}", finding.rule, finding.severity)).collect()
}

#[test]
fn only_an_interpreter_that_runs_its_input_hides_a_failed_download() {
    let severity = |reader: &str| {
        let found = describe_findings(
            &format!("FROM debian:12\nRUN curl -s https://acme.io/a | {reader}\n"),
            &[],
        );
        let rule = "dockerfile/pipe-without-pipefail ";
        found.iter().find_map(|it| it.strip_prefix(rule).map(str::to_owned)).unwrap_or_default()
    };
    for reader in [
        "bash",
        "bash -",
        "bash -s -- --yes",
        "sh -ex",
        "bash -o nounset",
        "sudo -E bash -",
        "sudo -u shop bash",
        "env X=1 bash",
        "tee /tmp/x | bash",
        "python3.11",
        "python3 - --yes",
        "ksh",
    ] {
        assert_eq!(severity(reader), "warning", "{reader}");
    }
    for reader in [
        "python3 -m json.tool",
        "python3 -c 'import json, sys; json.load(sys.stdin)'",
        "perl -pe s/a/b/",
        "bash /opt/read.sh",
        "bash -c cat",
        "jq .",
    ] {
        assert_eq!(severity(reader), "info", "{reader}");
    }
}

#[test]
fn only_a_version_in_the_name_replaces_the_tag() {
    for (image, expected) in [
        ("arm64v8/python", "warning"),
        ("oauth2-proxy/oauth2-proxy", "warning"),
        ("acme/web3", "warning"),
        ("registry.acme.io:5000/team1/app", "warning"),
        ("redhat/ubi9-minimal", "info"),
        ("acme/base-debian12", "info"),
    ] {
        let found = describe_findings(&format!("FROM {image}:latest\n"), &[]);
        assert_eq!(
            found.first().map(String::as_str),
            Some(&*format!("dockerfile/latest-tag {expected}")),
            "{image}"
        );
    }
}

#[test]
fn generated_values_of_secrets_are_reported_under_any_name() {
    let findings = |name: &str, value: &str| {
        let value = value.replace('\u{2040}', "");
        let found = describe_findings(&format!("FROM debian:12\nENV {name}={value}\n"), &[]);
        found.into_iter().filter(|it| it.contains("secret-in-arg-or-env")).collect::<Vec<_>>()
    };
    let key = "kV8xRq3LmZ\u{2040}7tWp2Yd9Hs4Jf6Gb1Nc5Ee";
    for name in [
        "GPG_PRIVATE_KEY",
        "URL_SIGNING_SECRET",
        "FILE_ENCRYPTION_KEY",
        "INFLUX_WRITE_TOKEN",
        "KEYRING_PASSWORD",
        "DB_PASS",
        "MYSQL_PWD",
        "STRIPE_KEY_LIVE",
    ] {
        assert_eq!(findings(name, key), ["dockerfile/secret-in-arg-or-env warning"], "{name}");
    }
    for (name, value) in [
        ("GPG_KEY", "E3FF2839C048B25C084DEBE9B26995E310250568"),
        ("GPG_KEY", "b26995e310250568"),
        ("DB_PASS_SHA256", "9f8a7c6e5d4b3a291807f6e5d4c3b2a19f8a7c6e5d4b3a291807f6e5d4c3b2a1"),
        ("SEGMENT_WRITE_KEY", key),
        ("VITE_API_KEY", key),
        ("SECRET_FILE", "/run/secrets/kV8xRq3LmZ7tWp2Y"),
    ] {
        assert!(findings(name, value).is_empty(), "{name}");
    }
}

#[test]
fn the_hadolint_configuration_applies() {
    let text = "FROM debian:latest\nMAINTAINER x\n";
    assert_eq!(
        describe_findings(text, &[]),
        ["dockerfile/latest-tag warning", "dockerfile/maintainer info"]
    );
    let settings = "ignored: [DL4000]\noverride:\n  error: [DL3007]\n  info: [DL3057]\n";
    assert_eq!(
        describe_findings(text, &[(".hadolint.yaml", settings)]),
        ["dockerfile/latest-tag error"],
        "a rule that is disabled by default stays disabled"
    );
}

#[test]
fn the_check_directive_applies() {
    let text = "FROM debian:12 AS Base\nMAINTAINER x\nCOPY a b /c\n";
    assert_eq!(
        describe_findings(text, &[]),
        [
            "dockerfile/stage-name-casing info",
            "dockerfile/maintainer info",
            "dockerfile/copy-to-no-folder error"
        ]
    );
    let with_two_names =
        format!("# check=skip=MaintainerDeprecated,StageNameCasing;error=true\n{text}");
    assert_eq!(describe_findings(&with_two_names, &[]), ["dockerfile/copy-to-no-folder error"]);
    let with_all = format!("#check = error=true; skip = all\n{text}");
    assert_eq!(describe_findings(&with_all, &[]), ["dockerfile/copy-to-no-folder error"]);
}

#[test]
fn a_statement_contains_all_lines_of_an_instruction() {
    let text = "# x\nFROM debian:12\nENV A=1 \\\n  # y\n  B=2\nRUN <<E\nz\nE\n";
    let source = Source::new("Dockerfile", text);
    let texts: Vec<&str> = statements(&source).iter().map(|span| source.slice(*span)).collect();
    assert_eq!(texts, ["FROM debian:12\n", "ENV A=1 \\\n  # y\n  B=2\n", "RUN <<E\nz\nE\n"]);
}

#[test]
fn a_syntax_error_does_not_hide_other_findings() {
    let text = "FROM debian:latest\nRUN a\n  b c\nHEALTHCHECK none of it\nMAINTAINER x\n";
    assert_eq!(
        describe_findings(text, &[]),
        [
            "dockerfile/latest-tag warning",
            "dockerfile/syntax error",
            "dockerfile/syntax error",
            "dockerfile/maintainer info"
        ]
    );
}

#[test]
fn a_file_without_instructions_is_reported() {
    for text in ["", "\n", "# later\n"] {
        assert_eq!(describe_findings(text, &[]), ["dockerfile/syntax error"]);
    }
    assert_eq!(describe_findings("{{ template }}\n", &[]), [""; 0]);
}

#[test]
fn variables_of_base_images_are_not_reported() {
    let findings = |text: &str| describe_findings(text, &[]);
    let none = [""; 0];
    assert_eq!(findings("FROM a:1\nENV PATH=$JAVA_HOME/bin:$PATH\nWORKDIR $HOME/x\n"), none);
    assert_eq!(findings("FROM a:1\nARG LIB1=1\nCOPY $LIB2 /\nCOPY '$LIB3' /\n"), none);
    let undefined = ["dockerfile/undefined-variable warning"];
    assert_eq!(findings("FROM a:1 AS x\nARG V=1\nFROM b:1\nENV W=$V\n"), undefined);
    assert_eq!(findings("FROM a:1 AS x\nARG V=1\nFROM x\nENV W=$V\n"), none);
    assert_eq!(findings("FROM a:1\nCOPY $FILE /\nENV FILE=x\n"), undefined);
}

fn assert_valid_spans(text: &str) {
    for finding in check(text, &[(".dockerignore", "*\n!a\n"), (".hadolint.yaml", "ignored: [x]")])
    {
        assert!(text.get(finding.span.range()).is_some(), "{finding:?} in {text:?}");
        for edit in finding.fix.iter().flat_map(|fix| &fix.edits) {
            assert!(text.get(edit.span.range()).is_some(), "{finding:?} in {text:?}");
        }
    }
}

proptest! {
    #[test]
    fn any_text_is_checked_without_panic(text in any::<String>()) {
        assert_valid_spans(&text);
    }

    #[test]
    fn any_dockerfile_is_checked_without_panic(
        parts in proptest::collection::vec(
            prop_oneof![
                Just("FROM "), Just("\nRUN "), Just("\nCOPY "), Just("\nADD "), Just("\nENV "),
                Just("\nARG "), Just("\nLABEL "), Just("\nUSER "), Just("\nEXPOSE "), Just("\nCMD "),
                Just("\nMAINTAINER "), Just("\nHEALTHCHECK CMD "), Just("\nWORKDIR "),
                Just("\nONBUILD "), Just(" \\\n"), Just("\\\n\n"), Just("# c\n"), Just(" as x"),
                Just("--from=x "), Just("--platform=$A "), Just("a:latest"), Just("$A"),
                Just("${A:-b}"), Just("A=$A "), Just("\"b c\""), Just("["), Just("\"x\""),
                Just("]"), Just(","), Just("é😀"), Just("a.tar "), Just("tar -xf a.tar"),
                Just("80/UDP"), Just("1.2.3.4:5:6"), Just("/"), Just(" . "), Just("<<E\n"),
                Just("\nE\n"), Just("url=x"), Just("'"), Just(":"), Just("@"),
            ],
            0..30,
        )
    ) {
        assert_valid_spans(&parts.concat());
    }
}
