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
fn describe_findings(path: &str, text: &str) -> Vec<String> {
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
        .flat_map(|(path, text)| describe_findings(path, text))
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
        assert_eq!(describe_findings(&path, &text), Vec::<String>::new(), "{path}");
    }
}

#[test]
fn similar_files_without_secrets_have_no_findings() {
    let all: Vec<String> = files(&fixtures().join("credentials-clean"))
        .iter()
        .flat_map(|(path, text)| describe_findings(path, text))
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
            describe_findings(&path, &text[..at]);
            describe_findings(&path, &text[at..]);
        }
    }
}

#[test]
fn a_key_without_an_end_line_ends_with_its_last_line() {
    let line = "MIIEvQIBADANBgkqhkiG9w0BAQEFAASCBKcwggSjAgEAAoIBAQC7VJTUt9Us8cKj";
    for (after, path) in [
        ("EOF\n# la cl\u{e9} ok\n", "deploy.sh"),
        ("\u{e9}", ".npmrc"),
        ("", "master.key"),
        ("\n\nk\u{e9}y = x\n", ".env"),
    ] {
        let head = format!("-----BEGIN PRI{JOIN_MARK}VATE KEY-----").replace(JOIN_MARK, "");
        let key = format!("{head}\n{line}\n{line}");
        let text = format!("cat <<EOF\n{key}\n{after}");
        let mut found = Vec::new();
        super::embedded::report_private_keys(&text, &mut found);
        let keys: Vec<&str> = found.iter().map(|found| &text[found.span.range()]).collect();
        assert_eq!(keys, [key], "{after}");
        describe_findings(path, &text);
    }
}

#[test]
fn a_long_line_of_sql_does_not_panic() {
    let space = " ".repeat(5000);
    for text in [
        format!("ALTER USER shop IDENTIFIED BY{space}'kX9vQ2mTz7';"),
        format!("COMMENT ON x IS $$Set password for users: {space}$$; SELECT 'x';"),
        format!("{space}ALTER USER shop IDENTIFIED WITH{space}'x' by 'y';"),
    ] {
        describe_findings("a.sql", &text);
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

    #[test]
    fn scanning_long_lines_and_keys_does_not_panic(
        parts in proptest::collection::vec(
            (proptest::sample::select(LONG_PARTS.to_vec()), 0..70_usize, "[ =:;,'\"\n\\\\é😀-]{0,3}"),
            0..12,
        ),
        name in proptest::sample::select(NAMES.to_vec()),
    ) {
        let mut text = String::new();
        for (part, count, separator) in parts {
            let part = part.replace(JOIN_MARK, "");
            text.push_str(&if part.len() == 64 { part.repeat(count) } else { part });
            text.push_str(&separator);
        }
        let source = Source::new(name, text.as_str());
        for hit in parse(&source).found {
            proptest::prop_assert!(text.get(hit.span.range()).is_some(), "{:?}", hit);
        }
        generic(&source, hits(&text));
    }
}

/// Parts of long lines and of keys; parts of 64 bytes are repeated.
const LONG_PARTS: [&str; 12] = [
    "MIIEvQIBADANBgkqhkiG9w0BAQEFAASCBKcwggSjAgEAAoIBAQC7VJTUt9Us8cKj",
    "                                                                ",
    "\u{e9}\u{e9}\u{e9}\u{e9}\u{e9}\u{e9}\u{e9}\u{e9}\u{e9}\u{e9}\u{e9}\u{e9}\u{e9}\u{e9}\u{e9}\u{e9}\u{e9}\u{e9}\u{e9}\u{e9}\u{e9}\u{e9}\u{e9}\u{e9}\u{e9}\u{e9}\u{e9}\u{e9}\u{e9}\u{e9}\u{e9}\u{e9}",
    "-----BEGIN PRI\u{2040}VATE KEY-----\n",
    "\n-----END PRI\u{2040}VATE KEY-----",
    "ALTER USER shop IDENTIFIED BY",
    "set password for 'a'@'b'",
    "INSERT INTO users (name, password) VALUES ('a', '",
    "kind: Secret\napiVersion: v1\nstringData:\n  password: ",
    "kind: SealedSecret\n---\n",
    "os.environ.get('SECRET_KEY', '",
    "password = '",
];
