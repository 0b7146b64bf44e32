//! The forms of check that can enforce a sentence, each with a sample
//! header.

use schemars::JsonSchema;
use serde::Serialize;

/// A form of check that a rule page can have.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, JsonSchema)]
pub struct FormHint {
    /// The name of the form, which is a key of `check`, except for `name` and `enforced-by`.
    pub form: &'static str,
    /// The properties of files that the form can check.
    pub judges: &'static str,
    /// The keys of a header that uses the form.
    pub header: &'static str,
}

/// All forms, in output order.
pub const FORMS: [FormHint; 10] = [
    FormHint {
        form: "text",
        judges: "words, markers and comments, by a regular expression; `in` limits it to comments or prose",
        header: r"check: { files: ['*.ts'], text: { regex: '\bTODO\b', keywords: [TODO] } }",
    },
    FormHint {
        form: "syntax",
        judges: "calls, imports and other constructs of code, by an ast-grep rule",
        header: "check: { syntax: { language: [typescript], rule: { pattern: 'eval($$$ARGS)' } } }",
    },
    FormHint {
        form: "tree",
        judges: "which files exist, their size, sibling files",
        header: "check: { tree: { each: 'src/**/*.ts', exists: '<dir>/<stem>.test.ts' } }",
    },
    FormHint {
        form: "name",
        judges: "how files and directories are named",
        header: "check: { tree: { each: 'src/**/*.ts', name: [kebab] } }",
    },
    FormHint {
        form: "data",
        judges: "values in JSON, YAML, TOML and front matter",
        header: "check: { files: [tsconfig.json], data: { at: '$.compilerOptions.strict', equals: true } }",
    },
    FormHint {
        form: "layers",
        judges: "which part of the code imports which part or package",
        header: "check: { layers: { forbid: [{ from: 'src/**', to: 'npm:moment' }] } }",
    },
    FormHint {
        form: "dependencies",
        judges: "dependencies that no file uses, imports that no manifest declares",
        header: "check: { dependencies: { report: undeclared } }",
    },
    FormHint {
        form: "doc",
        judges: "headings and sections of Markdown documents",
        header: "check: { files: ['docs/adr/*.md'], doc: { headings: ['*', '## Status', '*'] } }",
    },
    FormHint {
        form: "commit",
        judges: "commit messages, branch names, files that change together",
        header: "check: { commit: { subject: { max: 72 } } }",
    },
    FormHint {
        form: "enforced-by",
        judges: "requirements that a linter of the project already enforces",
        header: "enforced-by: eslint/no-console",
    },
];
