//! The examples of each language for new rule pages.

/// The examples of a language.
#[derive(Debug)]
pub(super) struct Language {
    /// The extensions of its files; the first one is that of the examples.
    pub(super) extensions: &'static [&'static str],
    /// The languages of the syntax check.
    pub(super) grammars: &'static str,
    /// Debug output, as a statement.
    pub(super) call: &'static str,
    /// The text that `regex` and `pattern` match in `call`.
    pub(super) matched: (&'static str, &'static str),
    /// The statement that passes.
    pub(super) passes: &'static str,
    /// The code around a statement; `@` is its place.
    pub(super) around: &'static str,
    pub(super) regex: &'static str,
    pub(super) keyword: &'static str,
    /// The syntax rule.
    pub(super) pattern: &'static str,
    /// The path of a source file, and of its test: globs and templates of the form `tree`.
    pub(super) tree: Tree,
    /// The file, the JSON path and the texts of the form `data`.
    pub(super) data: Data,
    /// An import of the outer layer by the inner one.
    pub(super) layers: Layers,
    pub(super) import: Import,
}

/// The parts of a page that forbids the import of a package; `@` is the place of its name.
#[derive(Clone, Copy, Debug)]
pub(super) struct Import {
    /// The registry in the form `layers`, such as `npm`.
    pub(super) prefix: &'static str,
    /// A package, if the id of the rule names none.
    pub(super) example: &'static str,
    pub(super) file: &'static str,
    pub(super) text: &'static str,
    pub(super) passes: &'static str,
    /// The path and the text of the manifest that the resolution of imports needs.
    pub(super) manifest: Option<(&'static str, &'static str)>,
}

const NPM: Import = Import {
    prefix: "npm",
    example: "axios",
    file: "src/user.ts",
    text: "import client from \"@\"\n",
    passes: "import client from \"./client\"\n",
    manifest: Some(("src/client.ts", "export default {}\n")),
};

const PYTHON: Import = Import {
    prefix: "py",
    example: "requests",
    file: "app/user.py",
    text: "import @\n",
    passes: "import json\n",
    manifest: None,
};

const GO: Import = Import {
    prefix: "go",
    example: "github.com/pkg/errors",
    file: "internal/user.go",
    text: "package internal\n\nimport \"@\"\n",
    passes: "package internal\n\nimport \"errors\"\n",
    manifest: Some(("go.mod", "module example.com/shop\n\ngo 1.24\n")),
};

const RUST: Import = Import {
    prefix: "crate",
    example: "chrono",
    file: "src/lib.rs",
    text: "use @::Client;\n",
    passes: "use std::fmt;\n",
    manifest: Some(("Cargo.toml", "[package]\nname = \"shop\"\n\n[dependencies]\n@ = \"1\"\n")),
};

const JAVA: Import = Import {
    prefix: "java",
    example: "org.apache.commons",
    file: "src/main/java/shop/Cart.java",
    text: "package shop;\n\nimport @.Client;\n\nclass Cart {}\n",
    passes: "package shop;\n\nimport java.util.List;\n\nclass Cart {}\n",
    manifest: None,
};

#[derive(Clone, Copy, Debug)]
pub(super) struct Tree {
    pub(super) each: &'static str,
    pub(super) exclude: &'static str,
    pub(super) exists: &'static str,
    pub(super) source: &'static str,
    pub(super) test: &'static str,
}

#[derive(Clone, Copy, Debug)]
pub(super) struct Data {
    pub(super) file: &'static str,
    pub(super) at: &'static str,
    pub(super) fails: &'static str,
    pub(super) finding: &'static str,
    pub(super) passes: &'static str,
}

#[derive(Clone, Copy, Debug)]
pub(super) struct Layers {
    pub(super) from: &'static str,
    pub(super) to: &'static str,
    /// The path and the text of the inner file.
    pub(super) inner: (&'static str, &'static str),
    /// The path and the text of the imported outer file.
    pub(super) outer: (&'static str, &'static str),
    pub(super) finding: &'static str,
    pub(super) passes: &'static str,
}

const TS_CONFIG: Data = Data {
    file: "tsconfig.json",
    at: "$.compilerOptions.strict",
    fails: "{ \"compilerOptions\": { \"strict\": false } }",
    finding: "1:34 false",
    passes: "{ \"compilerOptions\": { \"strict\": true } }",
};

const PACKAGE_JSON: Data = Data {
    file: "package.json",
    at: "$.private",
    fails: "{ \"private\": false }",
    finding: "1:14 false",
    passes: "{ \"private\": true }",
};

/// A setting that a project without a manifest in a supported format can have too.
const EDITOR_SETTINGS: Data = Data {
    file: ".vscode/settings.json",
    at: "$['editor.formatOnSave']",
    fails: "{ \"editor.formatOnSave\": false }",
    finding: "1:26 false",
    passes: "{ \"editor.formatOnSave\": true }",
};

const SCRIPT_LAYERS: Layers = Layers {
    from: "src/domain/**",
    to: "src/infrastructure/**",
    inner: ("src/domain/cart.ts", "import { save } from \"../infrastructure/store\"\n"),
    outer: ("src/infrastructure/store.ts", "export function save() {}\n"),
    finding: "src/domain/cart.ts:1:23 ../infrastructure/store",
    passes: "export const total = 0\n",
};

impl Language {
    /// The language of files with an extension.
    pub(super) fn of_extension(extension: &str) -> Option<&'static Self> {
        LANGUAGES.iter().find(|language| language.extensions.contains(&extension))
    }
}

/// The languages with examples; the first one is used for a project without code.
pub(super) static LANGUAGES: [Language; 9] = [
    Language {
        extensions: &["ts", "tsx", "mts", "cts", "vue", "svelte"],
        grammars: "[javascript, typescript]",
        call: "console.log(user)",
        matched: ("console.log", "console.log(user)"),
        passes: "logger.info(user)",
        around: "@",
        regex: r"console\.(log|debug)",
        keyword: "console.",
        pattern: "{ pattern: 'console.log($$$ARGS)' }",
        tree: Tree {
            each: "src/**/*.ts",
            exclude: "*.test.ts",
            exists: "<dir>/<stem>.test.ts",
            source: "src/user.ts",
            test: "src/user.test.ts",
        },
        data: TS_CONFIG,
        layers: SCRIPT_LAYERS,
        import: NPM,
    },
    Language {
        extensions: &["js", "jsx", "mjs", "cjs"],
        grammars: "[javascript, typescript]",
        call: "console.log(user)",
        matched: ("console.log", "console.log(user)"),
        passes: "logger.info(user)",
        around: "@",
        regex: r"console\.(log|debug)",
        keyword: "console.",
        pattern: "{ pattern: 'console.log($$$ARGS)' }",
        tree: Tree {
            each: "src/**/*.js",
            exclude: "*.test.js",
            exists: "<dir>/<stem>.test.js",
            source: "src/user.js",
            test: "src/user.test.js",
        },
        data: PACKAGE_JSON,
        layers: SCRIPT_LAYERS,
        import: NPM,
    },
    Language {
        extensions: &["py", "pyi"],
        grammars: "python",
        call: "print(user)",
        matched: ("print(", "print(user)"),
        passes: "logger.info(user)",
        around: "@",
        regex: r"\bprint\(",
        keyword: "print(",
        pattern: "{ pattern: 'print($$$ARGS)' }",
        tree: Tree {
            each: "src/**/*.py",
            exclude: "__init__.py",
            exists: "tests/test_<stem>.py",
            source: "src/user.py",
            test: "tests/test_user.py",
        },
        data: Data {
            file: "pyproject.toml",
            at: "$.tool.mypy.strict",
            fails: "[tool.mypy]\nstrict = false",
            finding: "2:10 false",
            passes: "[tool.mypy]\nstrict = true",
        },
        layers: Layers {
            from: "app/domain/**",
            to: "app/infrastructure/**",
            inner: ("app/domain/cart.py", "from app.infrastructure.store import save\n"),
            outer: ("app/infrastructure/store.py", "def save(): ...\n"),
            finding: "app/domain/cart.py:1:6 app.infrastructure.store",
            passes: "TOTAL = 0\n",
        },
        import: PYTHON,
    },
    Language {
        extensions: &["go"],
        grammars: "go",
        call: "fmt.Println(user)",
        matched: ("fmt.Println", "fmt.Println(user)"),
        passes: "slog.Info(user)",
        around: "package user\n\nfunc show(user string) {\n\t@\n}",
        regex: r"fmt\.Print(ln|f)?",
        keyword: "fmt.Print",
        // On its own, the call is parsed as a conversion.
        pattern: "{ pattern: { context: 'func f() { fmt.Println($$$ARGS) }', selector: call_expression } }",
        tree: Tree {
            each: "**/*.go",
            exclude: "*_test.go",
            exists: "<dir>/<stem>_test.go",
            source: "internal/user.go",
            test: "internal/user_test.go",
        },
        data: Data {
            file: ".golangci.yml",
            at: "$.run.tests",
            fails: "run:\n  tests: false",
            finding: "2:10 false",
            passes: "run:\n  tests: true",
        },
        layers: Layers {
            from: "internal/domain/**",
            to: "go:database/sql",
            inner: ("internal/domain/cart.go", "package domain\n\nimport \"database/sql\"\n"),
            outer: ("go.mod", "module example.com/shop\n\ngo 1.24\n"),
            finding: "internal/domain/cart.go:3:9 database/sql",
            passes: "package domain\n\nimport \"time\"\n",
        },
        import: GO,
    },
    Language {
        extensions: &["rs"],
        grammars: "rust",
        call: "dbg!(user);",
        matched: ("dbg!", "dbg!(user)"),
        passes: "tracing::info!(user);",
        around: "fn show(user: u32) {\n    @\n}",
        regex: r"\bdbg!",
        keyword: "dbg!",
        pattern: "{ pattern: 'dbg!($$$ARGS)' }",
        tree: Tree {
            each: "src/*.rs",
            exclude: "{lib,main}.rs",
            exists: "tests/<stem>.rs",
            source: "src/user.rs",
            test: "tests/user.rs",
        },
        data: Data {
            file: "Cargo.toml",
            at: "$.package.publish",
            fails: "[package]\nname = \"app\"\npublish = true",
            finding: "3:11 true",
            passes: "[package]\nname = \"app\"\npublish = false",
        },
        layers: Layers {
            from: "domain/**",
            to: "crate:sqlx",
            inner: ("domain/src/lib.rs", "use sqlx::query;\n"),
            outer: (
                "domain/Cargo.toml",
                "[package]\nname = \"domain\"\n\n[dependencies]\nsqlx = \"0.8\"\n",
            ),
            finding: "domain/src/lib.rs:1:5 sqlx::query",
            passes: "use std::fmt;\n",
        },
        import: RUST,
    },
    Language {
        extensions: &["java"],
        grammars: "java",
        call: "System.out.println(user);",
        matched: ("System.out.print", "System.out.println(user)"),
        passes: "logger.info(user);",
        around: "class User {\n    void show(String user) {\n        @\n    }\n}",
        regex: r"System\.(out|err)\.print",
        keyword: ".print",
        pattern: "{ pattern: 'System.out.println($$$ARGS)' }",
        tree: Tree {
            each: "src/main/java/**/*.java",
            exclude: "package-info.java",
            exists: "src/test/java/<stem>Test.java",
            source: "src/main/java/User.java",
            test: "src/test/java/UserTest.java",
        },
        data: EDITOR_SETTINGS,
        layers: Layers {
            from: "src/main/java/shop/domain/**",
            to: "src/main/java/shop/infra/**",
            inner: (
                "src/main/java/shop/domain/Cart.java",
                "package shop.domain;\n\nimport shop.infra.Store;\n\nclass Cart {}\n",
            ),
            outer: (
                "src/main/java/shop/infra/Store.java",
                "package shop.infra;\n\npublic class Store {}\n",
            ),
            finding: "src/main/java/shop/domain/Cart.java:3:8 shop.infra.Store",
            passes: "package shop.domain;\n\nclass Cart {}\n",
        },
        import: JAVA,
    },
    Language {
        extensions: &["rb", "rake"],
        grammars: "ruby",
        call: "puts user",
        matched: ("puts", "puts user"),
        passes: "logger.info(user)",
        around: "@",
        regex: r"\bputs\b",
        keyword: "puts",
        // Also matches a call with parentheses.
        pattern: "{ pattern: 'puts $$$ARGS' }",
        tree: Tree {
            each: "app/models/*.rb",
            exclude: "application_record.rb",
            exists: "test/models/<stem>_test.rb",
            source: "app/models/user.rb",
            test: "test/models/user_test.rb",
        },
        data: Data {
            file: ".rubocop.yml",
            at: "$.AllCops.NewCops",
            fails: "AllCops:\n  NewCops: false",
            finding: "2:12 false",
            passes: "AllCops:\n  NewCops: true",
        },
        layers: SCRIPT_LAYERS,
        import: NPM,
    },
    Language {
        extensions: &["php"],
        grammars: "php",
        call: "var_dump($user);",
        matched: ("var_dump(", "var_dump($user)"),
        passes: "$logger->info($user);",
        around: "<?php\n@",
        regex: r"\bvar_dump\(",
        keyword: "var_dump(",
        pattern: "{ kind: function_call_expression, has: { field: function, regex: '^var_dump$' } }",
        tree: Tree {
            each: "src/*.php",
            exclude: "bootstrap.php",
            exists: "tests/<stem>Test.php",
            source: "src/User.php",
            test: "tests/UserTest.php",
        },
        data: Data {
            file: "composer.json",
            at: "$.config['sort-packages']",
            fails: "{ \"config\": { \"sort-packages\": false } }",
            finding: "1:32 false",
            passes: "{ \"config\": { \"sort-packages\": true } }",
        },
        layers: SCRIPT_LAYERS,
        import: NPM,
    },
    Language {
        extensions: &["cs"],
        grammars: "csharp",
        call: "Console.WriteLine(user);",
        matched: ("Console.Write", "Console.WriteLine(user)"),
        passes: "logger.LogInformation(user);",
        around: "class User\n{\n    void Show(string user)\n    {\n        @\n    }\n}",
        regex: r"Console\.Write",
        keyword: "Console.Write",
        pattern: "{ pattern: 'Console.WriteLine($$$ARGS)' }",
        tree: Tree {
            each: "src/*.cs",
            exclude: "Program.cs",
            exists: "tests/<stem>Tests.cs",
            source: "src/User.cs",
            test: "tests/UserTests.cs",
        },
        data: EDITOR_SETTINGS,
        layers: SCRIPT_LAYERS,
        import: NPM,
    },
];
