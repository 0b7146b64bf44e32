//! The purpose of a single value: an example, a setting for development, or the password of a local
//! service. The purpose of whole files is in [`crate::text::purpose`].

// aidd:allow-file secrets/url-password-*, secrets/ado-net-connection-password made up for the tests

mod comments;

use crate::forms::syntax::language_of;
use crate::forms::tree::names::words;
use crate::parse::syntax::Tree;
use crate::parse::values::{Datum, Format, Value, Values};
use crate::text::finding::Finding;
use crate::text::purpose::{Purpose, is_production};
use crate::text::shape::is_generated;
use crate::text::source::{Source, Span};
use aidd_lexicon::tables::purposes;
use regex::Regex;
use std::cell::OnceCell;
use std::cmp::Reverse;
use std::iter;
use std::sync::LazyLock;
use tree_sitter::Node;

/// Maximum distance in bytes between a value and the name before it.
const MAX_NAME_DISTANCE: usize = 120;

/// Maximum distance in bytes between a password and the host of its service.
const MAX_HOST_DISTANCE: usize = 200;

/// Maximum distance in bytes between a password and the setting for the host of its service.
const MAX_SETTING_DISTANCE: usize = 2000;

/// Maximum number of ancestors of a value in the syntax tree that are examined.
const MAX_DEPTH: usize = 200;

/// Maximum number of attributes and comments before an item that are examined.
const MAX_ATTRIBUTES: usize = 50;

const IN_DEVELOPMENT: &str = "in settings for development";

/// The host after the password of a URL or of a Go data source name: `@localhost:5432`,
/// `@tcp(db:3306)`.
static HOST_AFTER: LazyLock<Option<Regex>> =
    LazyLock::new(|| Regex::new(r"^@(?:tcp\()?(\[[0-9A-Fa-f:]+\]|[A-Za-z0-9_.-]+)").ok());

/// The host in a connection string or next to a password in a command: `Server=sqlserver,1433;`,
/// `host=localhost`.
static HOST_BEFORE: LazyLock<Option<Regex>> = LazyLock::new(|| {
    Regex::new(r"(?i)(?:server|data source|host|hostname|addr|address)[ \t]*=[ \t]*(?:tcp:)?([a-z0-9_.:()-]+)").ok()
});

/// Determines which values of a file are not for the product. The sections of a data file are read
/// on first use.
pub(super) struct ValuePurposes<'a> {
    source: &'a Source,
    tree: &'a Tree<'a>,
    sections: OnceCell<Vec<(Span, &'static str)>>,
    candidates: OnceCell<Candidates>,
}

impl<'a> ValuePurposes<'a> {
    pub(super) fn new(source: &'a Source, tree: &'a Tree<'a>) -> Self {
        Self { source, tree, sections: OnceCell::new(), candidates: OnceCell::new() }
    }

    /// Why the value of a finding is not for the product, as a description for its message.
    pub(super) fn describe(&self, finding: &Finding) -> Option<&'static str> {
        if let Some(description) = self.section(finding.span) {
            return Some(description);
        }
        let secret = finding.secret?;
        if is_named_sample(self.source, secret)
            || is_sample_value(finding, self.source.slice(secret))
        {
            return Purpose::Sample.describe();
        }
        if comments::is_documented_default(self.source, secret) {
            return Some("a documented default");
        }
        if let Some(description) = self.code_around(secret) {
            return Some(description);
        }
        is_for_local_service(self.source, secret).then_some("for a local service")
    }

    /// Why the value at `span` in a source file is not for the product: it is in a class of settings
    /// for development, such as `class DevelopmentConfig`, in a documentation comment, or in a Rust
    /// module of tests.
    fn code_around(&self, span: Span) -> Option<&'static str> {
        let (_, language) = language_of(self.source.path())?;
        let candidates = self
            .candidates
            .get_or_init(|| Candidates::find(self.source.path(), self.source.text()));
        if !candidates.contain(span) {
            return None;
        }
        let parsed = self.tree.in_language(language)?;
        let root = parsed.root().get_inner_node();
        let leaf = root.descendant_for_byte_range(span.start as usize, span.end as usize)?;
        let mut ancestors = iter::successors(Some(leaf), Node::parent).take(MAX_DEPTH);
        ancestors.find_map(|node| {
            let text = |node: Node<'_>| self.source.text().get(node.byte_range());
            let starts_with_mark = || {
                let text = text(node).unwrap_or_default();
                ["/**", "///", "//!"].iter().any(|mark| text.starts_with(mark))
            };
            if node.kind().contains("comment") && starts_with_mark() {
                return Purpose::Documentation.describe();
            }
            if is_sample_constant(node, text) {
                return Purpose::Sample.describe();
            }
            if matches!(node.kind(), "mod_item" | "function_item") && is_test_item(node, text) {
                return Purpose::Test.describe();
            }
            let name =
                node.child_by_field_name("name").filter(|_| node.kind().contains("class"))?;
            is_for_development(text(name)?).then_some(IN_DEVELOPMENT)
        })
    }

    fn section(&self, span: Span) -> Option<&'static str> {
        let sections = self.sections.get_or_init(|| sections(self.source));
        let before = sections.partition_point(|(other, _)| other.start <= span.start);
        let (section, description) = sections[before.checked_sub(1)?];
        section.contains(span).then_some(description)
    }
}

/// Whether a node gives a value a name such as `EXAMPLE_CONFIG`.
fn is_sample_constant<'t>(node: Node<'_>, text: impl Fn(Node<'_>) -> Option<&'t str>) -> bool {
    let is_definition = ["assignment", "declarator", "const", "static"]
        .iter()
        .any(|kind| node.kind().contains(kind));
    let name = || node.child_by_field_name("name").or_else(|| node.child_by_field_name("left"));
    is_definition
        && name().and_then(text).is_some_and(|name| {
            words(name).iter().any(|word| matches!(word.as_str(), "example" | "sample"))
        })
}

/// Whether an attribute makes an item of Rust a test or a module of tests: `#[cfg(test)]`, `#[test]`,
/// `#[tokio::test]`.
fn is_test_item<'t>(item: Node<'_>, text: impl Fn(Node<'_>) -> Option<&'t str>) -> bool {
    let before = iter::successors(item.prev_sibling(), Node::prev_sibling);
    let mut attributes = before
        .take_while(|node| node.kind() == "attribute_item" || node.kind().contains("comment"))
        .take(MAX_ATTRIBUTES);
    attributes.any(|node| {
        let words = text(node).unwrap_or_default();
        let mut words = words.split(|c: char| !c.is_ascii_alphanumeric() && c != '_');
        node.kind() == "attribute_item"
            && words.any(|word| word == "test")
            && !text(node).is_some_and(|text| text.contains("not(test"))
    })
}

/// The keywords of declarations whose syntax nodes are classes in at least one grammar.
const CLASS_KEYWORDS: [&str; 6] = ["class", "interface", "struct", "enum", "extension", "actor"];

/// The parts of a text whose values can be in a documentation comment or in a class for
/// development. Parsing the text takes much longer than finding them, so it is only parsed for
/// values in these parts. In doubtful cases, a part is included.
struct Candidates {
    /// The text from the mark of a line comment to the end of its line.
    line_comments: Vec<Span>,
    /// Block comments, or what looks like one.
    block_comments: Vec<Span>,
    /// Where the first class for development is declared.
    first_class: Option<usize>,
    /// Where the first attribute of tests in Rust is.
    first_test: Option<usize>,
    /// Where the first name of a sample can be.
    first_sample: Option<usize>,
}

impl Candidates {
    fn find(path: &str, text: &str) -> Self {
        let keywords = CLASS_KEYWORDS.iter();
        let first_class = keywords.filter_map(|keyword| first_class(text, keyword)).min();
        Self {
            line_comments: comments::line_comments(text),
            block_comments: comments::block_comments(text),
            first_class,
            first_test: if path.ends_with(".rs") { text.find("test") } else { None },
            first_sample: ["EXAMPLE", "SAMPLE", "example", "sample", "Example", "Sample"]
                .iter()
                .filter_map(|word| text.find(word))
                .min(),
        }
    }

    fn contain(&self, span: Span) -> bool {
        let covers = |comments: &[Span]| {
            let before = comments.partition_point(|comment| comment.start <= span.start);
            before.checked_sub(1).is_some_and(|last| comments[last].end > span.start)
        };
        let follows = |at: Option<usize>| at.is_some_and(|at| at < span.start as usize);
        follows(self.first_class)
            || follows(self.first_test)
            || follows(self.first_sample)
            || covers(&self.line_comments)
            || covers(&self.block_comments)
    }
}

/// The position of the first declaration of a class for development with this keyword.
fn first_class(text: &str, keyword: &str) -> Option<usize> {
    memchr::memmem::find_iter(text.as_bytes(), keyword).find(|at| {
        let rest = &text[at + keyword.len()..];
        let near = &rest[..rest.floor_char_boundary(MAX_NAME_DISTANCE)];
        // The name can be on the next line.
        let name = near.trim_start_matches(|c: char| c.is_whitespace() || c == '\\');
        near.starts_with(char::is_whitespace)
            && is_for_development(name.lines().next().unwrap_or_default())
    })
}

/// Whether one of the words of a class name is an environment for development: `TestConfig`,
/// `Development`.
fn is_for_development(class: &str) -> bool {
    words(class).iter().any(|word| purposes::DEVELOPMENT_ENVIRONMENTS.contains(word))
}

/// Whether the name of a secret indicates that the secret is made up:
/// `const TEST_FAKE_RSA_KEY = "…"`.
fn is_named_sample(source: &Source, span: Span) -> bool {
    let text = &source.text()[..span.start as usize];
    let near = text.ceil_char_boundary(text.len().saturating_sub(MAX_NAME_DISTANCE));
    // The part of the line with the name: after the previous entry, argument or statement, and
    // before the value (the secret can be a part of the value).
    let is_separator = |c: char| matches!(c, '\n' | '\r' | ',' | ';' | '{' | '(' | '[');
    let assignment = text[near..].rsplit(is_separator).next().unwrap_or_default();
    let name = assignment.split(['=', ':']).next().unwrap_or_default().to_ascii_lowercase();
    let mut words = name.split(|c: char| !c.is_ascii_alphanumeric());
    words.any(|word| {
        matches!(word, "dummy" | "example" | "fake" | "mock" | "placeholder" | "sample" | "test")
    })
}

/// Whether a value that only its position identifies as a secret says that it is not for production:
/// `test-key-4f9a`, `dev_6b1c`.
fn is_sample_value(finding: &Finding, value: &str) -> bool {
    let starts = ["test", "dev-", "dev_", "example", "sample", "dummy", "fake"];
    let value = value.to_ascii_lowercase();
    purposes::VALUES_OF_ANY_FORMAT.contains(&finding.rule)
        && starts.iter().any(|start| value.starts_with(start))
}

/// Whether a made-up password belongs to a service on the same machine, or to a container that is
/// named after its program: `postgres://shop:sh0p@postgres/shop`. In production, such a host name
/// refers to a service in the cluster.
fn is_for_local_service(source: &Source, secret: Span) -> bool {
    let text = source.text();
    if is_generated(&text[secret.range()]) {
        return false;
    }
    let (before, after) = (&text[..secret.start as usize], &text[secret.end as usize..]);
    let near = before.ceil_char_boundary(before.len().saturating_sub(MAX_HOST_DISTANCE));
    let before = before[near..].rsplit(['\n', '\r']).next().unwrap_or_default();
    let after = &after[..after.floor_char_boundary(MAX_HOST_DISTANCE)];
    let after = after.lines().next().unwrap_or_default();
    let host = |regex: &LazyLock<Option<Regex>>, text: &str| {
        let found = regex.as_ref()?.captures_iter(text).last()?;
        Some(found.get(1)?.as_str().to_ascii_lowercase())
    };
    let host = host(&HOST_AFTER, after)
        .or_else(|| host(&HOST_BEFORE, before))
        .or_else(|| host(&HOST_BEFORE, after));
    let is_local = |host: String| is_local(&host, is_production(source.path()));
    host.or_else(|| host_setting(source, secret)).is_some_and(is_local)
}

/// The value of the setting for the host, next to the setting for the password: `MYSQL_HOST` next to
/// `MYSQL_PASSWORD`.
fn host_setting(source: &Source, secret: Span) -> Option<String> {
    let text = source.text();
    let start =
        text.ceil_char_boundary((secret.start as usize).saturating_sub(MAX_SETTING_DISTANCE));
    let end = text.floor_char_boundary(secret.end as usize + MAX_SETTING_DISTANCE);
    let is_name_char = |c: char| c.is_ascii_alphanumeric() || c == '_';
    let name = text[start..secret.start as usize].trim_end_matches(|c: char| !is_name_char(c));
    let name = name.rsplit(|c: char| !is_name_char(c)).next()?;
    let (prefix, _) = name.rsplit_once('_')?;
    ["_HOST", "_SERVER", "_host", "_server"].iter().find_map(|suffix| {
        let name = format!("{prefix}{suffix}");
        let near = &text[start..end];
        near.match_indices(&name).find_map(|(at, _)| {
            let line = near[..at].rsplit(['\n', '\r']).next().unwrap_or_default();
            let is_comment =
                ["#", "//", ";", "--"].iter().any(|mark| line.trim_start().starts_with(mark));
            let value = &near[at + name.len()..];
            let is_whole = !line.ends_with(is_name_char) && !value.starts_with(is_name_char);
            let value = value.trim_start_matches([' ', '=', ':', '"', '\'']);
            let end = value.find(|c: char| !c.is_ascii_alphanumeric() && !".-_".contains(c));
            let value = &value[..end.unwrap_or(value.len())];
            (is_whole && !is_comment).then(|| value.to_ascii_lowercase())
        })
    })
}

/// Whether a host, in lower case, is the local machine or, except in production, a container.
fn is_local(host: &str, is_production: bool) -> bool {
    let host = host.trim_matches(['[', ']']);
    host.starts_with("127.")
        || purposes::LOOPBACK_HOSTS.contains(host)
        || !is_production && purposes::CONTAINER_HOSTS.contains(host)
}

/// The outermost values of a YAML or JSON file that are examples (`example`, `x-example`,
/// `profile_endpoint_example`) or, in files that are not for production, settings that
/// `enabled: false` disables and the top-level settings of a development environment (`test`). In
/// source order, each with a description for messages.
fn sections(source: &Source) -> Vec<(Span, &'static str)> {
    let format = match Format::from_path(source.path()) {
        Some(format @ (Format::Json | Format::Yaml)) => format,
        _ => return Vec::new(),
    };
    let is_example = |key: &str| {
        let mut words = key.split(|c: char| !c.is_ascii_alphanumeric());
        words.any(|word| matches!(word, "example" | "examples"))
    };
    let values = Values::read(format, source.text());
    let is_production = is_production(source.path());
    let is_workflow = source.path().contains(".github/workflows/");
    let is_top_level =
        |value: &Value| value.parent.is_some_and(|at| values.all[at].parent.is_none());
    let sections = values.all.iter().filter_map(|value| {
        let key = value.key.as_ref()?.0.to_ascii_lowercase();
        if is_example(&key) {
            return Some((value.span, "in an example"));
        }
        // A service container of a pipeline is a dependency of its tests.
        if is_workflow && key == "services" {
            return Some((value.span, "for a service of a pipeline"));
        }
        if is_production {
            return None;
        }
        if value.datum == Datum::Bool(false) && matches!(&*key, "enable" | "enabled") {
            // At the top level, the setting concerns the whole program.
            let section = values.all.get(value.parent?)?;
            return section.parent.map(|_| (section.span, "in disabled settings"));
        }
        let is_environment =
            is_top_level(value) && purposes::DEVELOPMENT_ENVIRONMENTS.contains(&key);
        is_environment.then_some((value.span, IN_DEVELOPMENT))
    });
    let mut sections: Vec<(Span, &'static str)> = sections.collect();
    sections.sort_by_key(|(span, _)| (span.start, Reverse(span.end)));
    let mut end = 0;
    sections.retain(|(span, _)| {
        let is_outermost = span.end > end;
        end = end.max(span.end);
        is_outermost
    });
    sections
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::text::finding::Severity;

    #[test]
    fn classes_for_development_and_documentation_comments_are_recognised() {
        let describe = |path: &str, text: &str| {
            let source = Source::new(path, text);
            let tree = Tree::new(&source);
            let start = text.find("k3j5h2").expect("the secret");
            let mut finding =
                Finding::new("a/b".into(), Severity::Error, Span::new(start, start + 6), "m");
            finding.secret(finding.span);
            ValuePurposes::new(&source, &tree).describe(&finding)
        };
        let development = Some("in settings for development");
        for (path, text, expected) in [
            ("a.py", "class Development(Config):\n    KEY = 'k3j5h2'\n", development),
            ("a.ts", "class TestSettings {\n  key = 'k3j5h2';\n}\n", development),
            ("a.py", "class Production(Config):\n    KEY = 'k3j5h2'\n", None),
            ("a.py", "class Attestation:\n    KEY = 'k3j5h2'\n", None),
            ("A.java", "/** Uses amqp://shop:k3j5h2@mq */\nclass A {}\n", Some("in documentation")),
            ("A.java", "// amqp://shop:k3j5h2@mq\nclass A {}\n", None),
            ("A.java", "/** a */ class A { String s = \"k3j5h2\"; }\n", None),
            ("a.rs", "/** a /* b */\n amqp://shop:k3j5h2@mq */\n", Some("in documentation")),
            (
                "a.ts",
                "let g = 'src/**/*.ts';\n/** http://shop:k3j5h2@mq */\n",
                Some("in documentation"),
            ),
            ("a.ts", "let n = 2*/** http://shop:k3j5h2@mq */3;\n", Some("in documentation")),
            ("a.rs", "//! amqp://shop:k3j5h2@mq\n", Some("in documentation")),
            ("a.py", "class \\\n    TestConfig:\n    KEY = 'k3j5h2'\n", development),
            ("a.txt", "class Development: k3j5h2\n", None),
            (
                "a.rs",
                "#[cfg(test)]\nmod tests {\n  fn a() { b(\"k3j5h2\") }\n}\n",
                Some("in a test file"),
            ),
            ("a.rs", "#[tokio::test]\n// A\nfn a() { b(\"k3j5h2\") }\n", Some("in a test file")),
            ("a.rs", "#[cfg(not(test))]\nfn a() { b(\"k3j5h2\") }\n", None),
            ("a.rs", "#[test]\nfn a() {}\nfn b() { c(\"k3j5h2\") }\n", None),
        ] {
            assert_eq!(describe(path, text), expected, "{text}");
        }
    }

    #[test]
    fn sections_and_names_show_that_a_value_is_not_for_the_product() {
        let describe = |path: &str, text: &str| {
            let source = Source::new(path, text);
            let tree = Tree::new(&source);
            let start = text.find("k3j5h2").expect("the secret");
            let mut finding =
                Finding::new("a/b".into(), Severity::Error, Span::new(start, start + 6), "m");
            finding.secret(finding.span);
            ValuePurposes::new(&source, &tree).describe(&finding)
        };
        let off = Some("in disabled settings");
        let sample = Some("in an example");
        for (path, text, expected) in [
            ("a.yml", "test:\n  password: k3j5h2\n", Some(IN_DEVELOPMENT)),
            ("a.yml", "databases:\n  test: {host: labtest.acme.io, password: k3j5h2}\n", None),
            ("a.yml", "countries:\n  ci: {token: k3j5h2}\n", None),
            ("a-prod.yml", "local: {password: k3j5h2}\n", None),
            ("a.yml", "mail: {enabled: false, password: k3j5h2}\n", off),
            ("a-prod.yml", "mail: {enabled: false, password: k3j5h2}\n", None),
            (
                ".github/workflows/main.yml",
                "jobs:\n  a:\n    services: {db: {env: {KEY: k3j5h2}}}\n",
                Some("for a service of a pipeline"),
            ),
            (".github/workflows/main.yml", "jobs:\n  a:\n    env: {KEY: k3j5h2}\n", None),
            ("a.yml", "services: {db: {env: {KEY: k3j5h2}}}\n", None),
            ("a.yml", "a:\n  example: {password: k3j5h2}\n", sample),
            ("a.ts", "const FAKE_KEY = 'k3j5h2';\n", sample),
            ("a.py", "EXAMPLE_CONFIG = \"\"\"\nurl = mysql://shop\nkey = k3j5h2\n\"\"\"\n", sample),
            ("a.py", "CONFIG = \"\"\"\n# an example\nkey = k3j5h2\n\"\"\"\n", None),
            ("a.ts", "const u = 'postgres://test:k3j5h2@db.acme.io/shop';\n", None),
            ("a.ts", "const u = 'https://sample-user:k3j5h2@acme.io';\n", None),
        ] {
            assert_eq!(describe(path, text), expected, "{path} {text}");
        }
    }

    #[test]
    fn local_services_are_recognised_by_their_host() {
        let is_local_in = |path: &str, text: &str, password: &str| {
            let start = text.find(password).expect("the password");
            let source = Source::new(path, text);
            is_for_local_service(&source, Span::new(start, start + password.len()))
        };
        let is_local = |text: &str, password: &str| is_local_in("a.txt", text, password);
        for (text, password) in [
            ("postgres://shop:sh0p4you@localhost:5432/shop", "sh0p4you"),
            ("postgres://shop:sh0p4you@postgres/shop", "sh0p4you"),
            ("shop:sh0p4you@tcp(mariadb:3306)/shop", "sh0p4you"),
            ("http://shop:sh0p4you@[::1]:9000/", "sh0p4you"),
            ("Server=sqlserver,1433;User Id=sa;Password=@sh0p4You!;", "@sh0p4You!"),
            ("password=sh0p4you host=127.0.0.1", "sh0p4you"),
            ("MYSQL_HOST=127.0.0.1\nMYSQL_PORT=3306\nMYSQL_PASSWORD=sh0p4you\n", "sh0p4you"),
        ] {
            assert!(is_local(text, password), "{text}");
        }
        for (text, password) in [
            ("postgres://shop:sh0p4you@db.acme.io:5432/shop", "sh0p4you"),
            ("postgres://shop:sh0p4you@localhost.acme.io/shop", "sh0p4you"),
            ("postgres://shop:k3j5h2g4f6d8p9q1@localhost/shop", "k3j5h2g4f6d8p9q1"),
            ("Server=sql1;User Id=sa;Password=@sh0p4You!;", "@sh0p4You!"),
            ("password = sh0p4you", "sh0p4you"),
            ("MYSQL_HOST=db.acme.io\nMYSQL_PASSWORD=sh0p4you\n", "sh0p4you"),
            // The host belongs to another service, or is in a comment.
            ("A_DB_HOST=localhost\nDB_HOST=db.acme.io\nDB_PASSWORD=sh0p4you\n", "sh0p4you"),
            ("# DB_HOST=localhost\nDB_HOST=db.acme.io\nDB_PASSWORD=sh0p4you\n", "sh0p4you"),
        ] {
            assert!(!is_local(text, password), "{text}");
        }
        let in_container = "DB_HOST=postgres\nDB_PASSWORD=sh0p4you\n";
        assert!(is_local_in(".env", in_container, "sh0p4you"));
        assert!(!is_local_in(".env.production", in_container, "sh0p4you"));
        let on_same_host = "DB_HOST=localhost\nDB_PASSWORD=sh0p4you\n";
        assert!(is_local_in(".env.production", on_same_host, "sh0p4you"));
    }
}
