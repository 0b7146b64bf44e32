//! Finds the part of a file that contains all of its imports, so that the rest is not parsed.

use super::Language;
use memchr::memmem::Finder;
use std::sync::LazyLock;

/// A word that every import of a language contains.
struct Marker {
    finder: Finder<'static>,
    /// Whether the text after the word can be that of an import.
    accepts: fn(&[u8]) -> bool,
}

impl Marker {
    fn new(word: &'static str, accepts: fn(&[u8]) -> bool) -> Self {
        Self { finder: Finder::new(word), accepts }
    }
}

static IMPORT: LazyLock<Marker> = LazyLock::new(|| {
    Marker::new("import", |after| after.trim_ascii_start().first() != Some(&b'.'))
});
static REQUIRE: LazyLock<Marker> = LazyLock::new(|| Marker::new("require", |_| true));
static PACKAGE: LazyLock<Marker> = LazyLock::new(|| Marker::new("package", |_| true));
static WORD: LazyLock<Marker> = LazyLock::new(|| Marker::new("import", |_| true));

/// `from` before a string: `export * from "a"`. A comment can precede the string.
static FROM: LazyLock<Marker> = LazyLock::new(|| {
    Marker::new("from", |after| {
        matches!(after.trim_ascii_start().first(), Some(b'"' | b'\'' | b'/'))
    })
});

/// The shortest beginning of `text` that contains all imports and can be parsed by itself, as far
/// as that is visible from its lines; empty if the file contains no imports. If the beginning has a
/// syntax error, the whole text must be parsed. `None` if the whole text must be parsed anyway.
pub(super) fn with_imports(language: Language, text: &str) -> Option<&str> {
    let markers: &[&LazyLock<Marker>] = match language {
        Language::Script => &[&IMPORT, &REQUIRE, &FROM],
        Language::Python | Language::Go => &[&WORD],
        Language::Java => &[&WORD, &PACKAGE],
        // Paths within code count as imports.
        Language::Rust => return None,
    };
    let last = markers.iter().filter_map(|marker| last_marker(marker, text.as_bytes())).max();
    let Some(last) = last else { return Some("") };
    let end = next_statement(text.as_bytes(), last)?;
    text.get(..end)
}

/// The end of the last occurrence of the word that can belong to an import.
fn last_marker(marker: &Marker, text: &[u8]) -> Option<usize> {
    let is_part = |byte: Option<&u8>| {
        byte.is_some_and(|byte| byte.is_ascii_alphanumeric() || *byte == b'_' || *byte == b'$')
    };
    let length = marker.finder.needle().len();
    let ends = marker.finder.find_iter(text).filter_map(|start| {
        let before = start.checked_sub(1).and_then(|at| text.get(at));
        let after = &text[start + length..];
        let is_marker = !is_part(before) && !is_part(after.first()) && (marker.accepts)(after);
        is_marker.then_some(start + length)
    });
    ends.last()
}

/// The start of the first line after `from` that is not indented and begins with a word, a
/// decorator or a comment.
fn next_statement(text: &[u8], from: usize) -> Option<usize> {
    let starts = memchr::memchr_iter(b'\n', &text[from..]).map(|at| from + at + 1);
    starts.into_iter().find(|&start| {
        text.get(start).is_some_and(|byte| {
            byte.is_ascii_alphabetic() || matches!(byte, b'_' | b'$' | b'@' | b'/' | b'#')
        })
    })
}

#[cfg(test)]
mod tests {
    use super::super::{read, read_whole};
    use super::*;
    use proptest::prelude::*;

    #[test]
    fn the_part_ends_after_the_statement_of_the_last_import() {
        for (language, text, expected) in [
            (Language::Script, "import a from 'b';\nconst c = 1;\n", "import a from 'b';\n"),
            (
                Language::Script,
                "import {\n  a,\n} from 'b';\nc();\n",
                "import {\n  a,\n} from 'b';\n",
            ),
            (Language::Script, "a(import.meta.url, important, b.from(c));\nd();\n", ""),
            (
                Language::Script,
                "f(() => {\n  require('a');\n});\nb();\n",
                "f(() => {\n  require('a');\n});\n",
            ),
            (Language::Script, "export * from\n'a';\nb();\n", "export * from\n'a';\n"),
            (Language::Python, "import a\ndef f():\n    pass\n", "import a\n"),
            (Language::Go, "package a\nimport \"b\"\nfunc f() {}\n", "package a\nimport \"b\"\n"),
            (Language::Java, "package a;\nimport b.C;\nclass D {}\n", "package a;\nimport b.C;\n"),
        ] {
            assert_eq!(with_imports(language, text), Some(expected), "{text}");
        }
        assert_eq!(with_imports(Language::Script, "a();\nimport 'b';"), None);
        assert_eq!(with_imports(Language::Rust, "use a;\nfn f() {}\n"), None);
    }

    /// Statements in which an early end would lose or add an import.
    const STATEMENTS: [(&str, &[&str]); 4] = [
        (
            "a.tsx",
            &[
                "import a, { b } from 'c';\n",
                "import {\nd\n} from 'e';\n",
                "export {\nf,\n} from 'g';\n",
                "const text = `\nimport h from 'i';\nfoo();\n`;\n",
                "/*\nimport j from 'k';\nfoo\n*/\n",
                "function l() {\n  return import('m');\n}\n",
                "const n =\nrequire(\n'o');\n",
                "const p = <p>\nimport it from 'here'\nq</p>;\n",
                "class R {\nimport() {}\ns = require('t');\n}\n",
                "const u = { import: 1,\nfrom: 'v' };\n",
                "const re = /import 'w'/;\n",
            ],
        ),
        (
            "a.py",
            &[
                "import a\n",
                "from b import (\nc,\n)\n",
                "\"\"\"\nimport d\nmore\n\"\"\"\n",
                "try:\n    import e\nexcept ImportError:\n    pass\n",
                "if TYPE_CHECKING:\n    from f import g\nelse:\n    h = 1\n",
                "def i():\n    from . import j\n",
                "k = 1\n",
                "l = [\nm,\n]\n",
            ],
        ),
        (
            "a.go",
            &[
                "package a\n",
                "import \"b\"\n",
                "import (\n\tc \"d\"\n)\n",
                "var e = `\nimport \"f\"\nfoo\n`\n",
                "func g() {\n\tprint(1)\n}\n",
            ],
        ),
        (
            "A.java",
            &[
                "package a.b;\n",
                "import c.D;\n",
                "import static e.F.*;\n",
                "/*\nimport g.H;\nfoo\n*/\n",
                "class I {\nint j; // import\n}\n",
            ],
        ),
    ];

    proptest! {
        #[test]
        fn the_rest_of_the_file_contains_no_imports(
            file in 0..STATEMENTS.len(),
            chosen in proptest::collection::vec(0_usize..16, 0..7),
        ) {
            let (path, statements) = STATEMENTS[file];
            let text: String =
                chosen.iter().map(|&index| statements[index % statements.len()]).collect();
            prop_assert_eq!(read(path, &text), read_whole(path, &text), "{}", text);
        }
    }
}
