//! Checks the files under `tests/fixtures`: files as they occur in repositories, and similar files
//! without secrets.
#![expect(clippy::disallowed_methods, reason = "the fixtures are files on disk")]

use super::{Credentials, generic, hits, parse};
use aidd_engine::text::placeholder::JOIN_MARK;
use aidd_engine::text::source::{Encoding, Source};
use std::collections::BTreeSet;
use std::fs;
use std::path::{Path, PathBuf};

fn fixtures() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../tests/fixtures")
}

/// The files below `root`, with paths relative to `root`.
fn files(root: &Path) -> Vec<(String, String)> {
    let mut files = Vec::new();
    let mut directories = vec![root.to_owned()];
    while let Some(directory) = directories.pop() {
        for entry in fs::read_dir(&directory).into_iter().flatten().flatten() {
            let path = entry.path();
            if path.is_dir() {
                directories.push(path);
            } else if let (Ok(text), Ok(relative)) =
                (fs::read_to_string(&path), path.strip_prefix(root))
            {
                let name = relative.to_string_lossy().replace('\\', "/");
                files.push((name, text.replace(JOIN_MARK, "")));
            }
        }
    }
    files
}

/// The findings in one file, one per line: `path:line:column rule`.
fn found(path: &str, text: &str) -> Vec<String> {
    let source = Source::new(path, text);
    let Credentials { found } = if (super::FAMILY.claim)(path, text).is_some() {
        parse(&source)
    } else {
        generic(&source, hits(text))
    };
    let line = |found: &super::Found| {
        let position = source.position(found.span.start, Encoding::CodePoints);
        format!("{path}:{}:{} {}", position.line + 1, position.column + 1, found.rule)
    };
    found.iter().map(line).collect()
}

#[test]
fn each_secret_is_reported_once() {
    let Ok(expected) = fs::read_to_string(fixtures().join("credentials.expected")) else { return };
    let expected: BTreeSet<&str> = expected.lines().collect();
    let all: Vec<String> = files(&fixtures().join("credentials"))
        .iter()
        .flat_map(|(path, text)| found(path, text))
        .collect();
    let unique: BTreeSet<&str> = all.iter().map(String::as_str).collect();
    assert_eq!(all.len(), unique.len(), "duplicate findings");
    let missing: Vec<_> = expected.difference(&unique).collect();
    let extra: Vec<_> = unique.difference(&expected).collect();
    assert!(missing.is_empty() && extra.is_empty(), "missing {missing:#?}\nextra {extra:#?}");
}

#[test]
fn marked_examples_are_not_reported() {
    let directory = fixtures().join("credentials");
    for (path, _) in files(&directory) {
        let text = fs::read_to_string(directory.join(&path)).unwrap_or_default();
        assert_eq!(found(&path, &text), Vec::<String>::new(), "{path}");
    }
}

#[test]
fn similar_files_without_secrets_have_no_findings() {
    let all: Vec<String> = files(&fixtures().join("credentials-clean"))
        .iter()
        .flat_map(|(path, text)| found(path, text))
        .collect();
    assert!(all.is_empty(), "{all:#?}");
}

#[test]
fn the_span_covers_only_the_secret() {
    let cases = [
        ("sasl_passwd", "mail.example.org joe:  Vt7qzM2x\u{e9}Lw9\n", "Vt7qzM2x\u{e9}Lw9"),
        (".pgpass", "x\n \u{feff} h:5432:db:joe:Vt7qzM2xLw9\n", "Vt7qzM2xLw9"),
    ];
    for (path, text, secret) in cases {
        let found = parse(&Source::new(path, text)).found;
        let marked: Vec<&str> = found.iter().map(|found| &text[found.span.range()]).collect();
        assert_eq!(marked, [secret], "{path}");
    }
}

/// One file name per syntax.
const NAMES: [&str; 24] = [
    ".env",
    ".npmrc",
    ".netrc",
    ".docker/config.json",
    "secrets.yml",
    "web.config",
    "config.php",
    ".bashrc",
    ".bash_history",
    "dump.sql",
    ".pgpass",
    ".htpasswd",
    "shadow",
    ".git-credentials",
    "chap-secrets",
    "sasl_passwd",
    "openvpn/auth.txt",
    "ipsec.secrets",
    "id_rsa",
    "master.key",
    "a.kdbx",
    "passwords.csv",
    "prod.rdp",
    "x.py",
];

#[test]
fn truncated_files_do_not_panic() {
    for (path, text) in files(&fixtures().join("credentials")) {
        let step = (text.len() / 40).max(1);
        for at in (0..text.len()).step_by(step) {
            let at = text.floor_char_boundary(at);
            found(&path, &text[..at]);
            found(&path, &text[at..]);
        }
    }
}

proptest::proptest! {
    #[test]
    fn scanning_any_text_does_not_panic(
        text in "([a-z]{0,3}(password|token|secret|pass|BEGIN|://|@|INSERT INTO users VALUES|COPY u \\(password\\) FROM stdin;|identified by|-----BEGIN RSA PRIVATE KEY-----)?[ =:;,'\"`(){}<>/\\\\é😀\\n\\t$#%\\[\\]|-]{0,4}){0,24}",
        name in proptest::sample::select(NAMES.to_vec()),
    ) {
        let source = Source::new(name, text.as_str());
        for hit in parse(&source).found {
            proptest::prop_assert!(text.get(hit.span.range()).is_some(), "{:?}", hit);
        }
        generic(&source, hits(&text));
    }
}
