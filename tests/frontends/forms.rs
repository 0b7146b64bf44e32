//! One rule for each form of check, with files that violate the rule.

use super::File;
use aidd_page::Form;

/// The forms of checks, each with a header and files that violate it. Commits are tested separately.
pub(super) const FORMS: [(Form, &str, &[File]); 7] = [
    (
        Form::Text,
        "text: { regex: 'SPDX', require: true, in: comments }\n  files: ['text/*.rs']",
        &[("text/a.rs", "const A: &str = \"SPDX\";\n")],
    ),
    (
        Form::Syntax,
        "syntax: { language: [javascript], rule: { pattern: 'console.$M($$$A)' } }",
        &[("syntax/a.js", "console.log(1)\nif (a) console.log(1)\n")],
    ),
    (
        Form::Tree,
        "tree: { each: 'tree/*.ts', name: kebab }\n  fix: { rename: true }",
        &[("tree/UserCard.ts", "export {};\n")],
    ),
    (
        Form::Data,
        "data: { at: '$.a', equals: 1 }\n  files: ['data/*.json']",
        &[("data/x.json", "{\n  \"a\": 2\n}\n")],
    ),
    (
        Form::Layers,
        "layers: { order: ['layers/app/**', 'layers/domain/**'] }",
        &[
            ("layers/app/a.ts", "export const a = 1;\n"),
            ("layers/domain/b.ts", "import { a } from '../app/a';\n"),
        ],
    ),
    (
        Form::Dependencies,
        "dependencies: { report: unused }\n  files: ['deps/package.json']",
        &[
            ("deps/package.json", "{ \"dependencies\": { \"left-pad\": \"^1.3.0\" } }\n"),
            ("deps/a.js", "export const a = 1;\n"),
        ],
    ),
    (
        Form::Doc,
        "doc: { headings: ['# *', '## Why'] }\n  files: ['doc/*.md']",
        &[("doc/a.md", "# A\n\nWords.\n")],
    ),
];
