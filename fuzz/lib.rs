//! The code of the fuzz targets: checks arbitrary bytes as a file at a given path, and asserts the
//! invariants of the result.

use aidd_authoring::rule_import::{self, Tool};
use aidd_authoring::suggest;
use aidd_engine::check::{Distribution, Engine, Selection};
use aidd_engine::forms;
use aidd_engine::project::advisories::Matcher;
use aidd_engine::project::config::Config;
use aidd_engine::project::linters::{LayoutQuery, Settings};
use aidd_engine::project::locked;
use aidd_engine::rules::registry::Registry;
use aidd_engine::text::files::{Listed, Memory, WithBase};
use aidd_engine::text::finding::{Finding, Safety};
use aidd_engine::text::listing::Listing;
use aidd_engine::text::paths::Globs;
use aidd_engine::text::source::{Source, Span};
use aidd_engine::workspace::examples;
use aidd_engine::workspace::fix;
use aidd_engine::workspace::memory_checks;
use aidd_engine::workspace::project_checks;
use std::collections::HashMap;
use std::sync::LazyLock;

/// The shipped rules and validators, as in the program.
static DISTRIBUTION: Distribution = Distribution::new(&aidd_content::RULES, aidd_validators::ALL);

static ENGINE: LazyLock<Engine> = LazyLock::new(|| {
    Engine::new(
        &DISTRIBUTION,
        Registry::new(DISTRIBUTION.pages, &[]),
        &Config::default(),
        &Selection::default(),
    )
    .expect("shipped rules")
});

/// An engine with all packs enabled.
static STRICT: LazyLock<Engine> = LazyLock::new(|| {
    let config = Config {
        compliance: Some(aidd_content::RULES.packs.iter().map(|pack| pack.id.to_owned()).collect()),
        ..Config::default()
    };
    Engine::new(
        &DISTRIBUTION,
        Registry::new(DISTRIBUTION.pages, &[]),
        &config,
        &Selection::default(),
    )
    .expect("shipped packs")
});

/// The paths of a sample project, with one file of each kind that packs check.
const PROJECT: [&str; 20] = [
    "package.json",
    "src/app/main.ts",
    "src/domain/order.ts",
    "src/index.ts",
    "web/page.tsx",
    "tsconfig.json",
    "Cargo.toml",
    "src/lib.rs",
    "pyproject.toml",
    "shop/orders.py",
    "go.mod",
    "cmd/main.go",
    "src/main/java/shop/Order.java",
    "db/migrations/001.sql",
    ".github/workflows/ci.yml",
    "compose.yaml",
    "README.md",
    "docs/adr/0001-queue.md",
    "CHANGELOG.md",
    "AGENTS.md",
];

/// Checks `data` with all packs enabled, as the file that its first byte selects.
///
/// # Panics
/// As [`check`].
pub fn check_strictly(data: &[u8]) {
    let Some((&first, data)) = data.split_first() else { return };
    let path = PROJECT[usize::from(first) % PROJECT.len()];
    let source = Source::decode(path, data.to_vec());
    for finding in &STRICT.check(&source, &Memory::default()).findings {
        assert_valid(&source, finding);
    }
}

/// Checks a project with all packs enabled. `data` contains the files with the paths of
/// [`PROJECT`], separated by zero bytes.
///
/// # Panics
/// As [`check`].
pub fn check_project(data: &[u8]) {
    let files = PROJECT.iter().zip(data.split(|&byte| byte == 0));
    let files = files.map(|(&path, text)| (path.to_owned(), text.to_vec()));
    let files = Memory(files.collect());
    let listing = Listing::new(files.0.keys().cloned());
    check_project_files(&STRICT, &files, &listing);
}

fn check_project_files(engine: &Engine, files: &Memory, listing: &Listing) {
    let report = project_checks::run(engine, &Globs::all(), files, listing);
    for (source, checked) in &report.files {
        for finding in &checked.findings {
            assert_valid(source, finding);
        }
    }
}

/// The files that [`check_rule_page`] checks, and the project that consists of these files.
static RULE_PROJECT: LazyLock<(Vec<Source>, Memory, Listing)> = LazyLock::new(|| {
    let files = [
        (
            "src/app/main.ts",
            "import { b } from \"../domain/order\";\nexport const a: any = b; // x\n",
        ),
        ("src/domain/order.ts", "import { a } from \"../app/main\";\nexport const b = a;\n"),
        ("package.json", "{\"name\": \"shop\", \"version\": \"1.0.0\"}\n"),
        ("README.md", "# Shop\n\nSee [the guide](docs/guide.md).\n"),
    ];
    let sources = files.iter().map(|(path, text)| Source::new(*path, *text)).collect();
    let files = files.map(|(path, text)| (path.to_owned(), text.as_bytes().to_vec()));
    let listing = Listing::new(files.iter().map(|(path, _)| path.clone()));
    (sources, Memory(files.into()), listing)
});

/// Loads `data` as a rule page of the project, runs its examples and checks a project with the
/// rule. The engine contains no other rule, so that each run compiles only this page.
///
/// # Panics
/// As [`check`].
pub fn check_rule_page(data: &[u8]) {
    const PATH: &str = ".aidd/rules/own/rule.md";
    let Ok(text) = std::str::from_utf8(data) else { return };
    check(PATH, data);
    let registry = Registry::from_pages(DISTRIBUTION.pages, &[(PATH.to_owned(), text.to_owned())]);
    let Some(rule) = registry.rules().first().cloned() else { return };
    let _ = forms::problems(&rule);
    let only = Selection { only: vec![rule.id.to_string()], ..Selection::default() };
    let engine = Engine::new(&DISTRIBUTION, registry, &Config::default(), &only).expect("one rule");
    let _ = examples::run(&engine, &rule);
    let (sources, files, listing) = &*RULE_PROJECT;
    for source in sources {
        for finding in &engine.check(source, files).findings {
            assert_valid(source, finding);
        }
    }
    check_project_files(&engine, files, listing);
}

/// Imports the configuration of another tool as rule pages. The first byte selects the tool and the
/// file format.
pub fn import(data: &[u8]) {
    const PATHS: [&str; 4] = ["conf.yml", "conf.json", "conf.js", "conf.ts"];
    let Some((&first, data)) = data.split_first() else { return };
    let (tool, path) = (usize::from(first) % Tool::ALL.len(), usize::from(first) / 64);
    let files = Memory([(PATHS[path].to_owned(), data.to_vec())].into());
    let _ = rule_import::tool_of(&files, PATHS[path]);
    let engine = |pages: &[(String, String)]| {
        Engine::new(
            &DISTRIBUTION,
            Registry::new(DISTRIBUTION.pages, pages),
            &Config::default(),
            &Selection::default(),
        )
        .ok()
    };
    let _ = rule_import::import(&files, PATHS[path], Tool::ALL[tool], ".aidd/rules", &engine);
}

/// Reads the settings of another tool and queries them. The first byte selects the file.
pub fn settings(data: &[u8]) {
    const NAMES: [&str; 10] = [
        ".eslintrc",
        ".eslintrc.json",
        "eslint.config.ts",
        "package.json",
        "biome.jsonc",
        "Cargo.toml",
        "lib.rs",
        "clippy.toml",
        "pyproject.toml",
        ".golangci.yml",
    ];
    const RULES: [&str; 7] = [
        "eslint/no-console",
        "biome/noVar",
        "clippy::unwrap_used",
        "rustc/missing_docs",
        "ruff/T201",
        "golangci-lint/gosec/G204",
        "prettier",
    ];
    let Some((&first, data)) = data.split_first() else { return };
    let path = NAMES[usize::from(first) % NAMES.len()].to_owned();
    let files = Memory([(path.clone(), data.to_vec())].into());
    let settings = Settings::read(&files, &[path]);
    for rule in RULES {
        let _ = settings.enforced_by(rule);
    }
    let _ = settings.forbids("set_var");
    let _ = settings.formatter(&LayoutQuery { style: true, width: Some(80), formatters: &[] });
}

/// Checks the lines of a memory file, and generates rules from the memories that have a check.
///
/// # Panics
/// As [`check`].
pub fn check_memory(data: &[u8]) {
    const PATH: &str = "ai/memory/conventions.jsonl";
    check(PATH, data);
    let found = memory_checks::read(&Memory([(PATH.to_owned(), data.to_vec())].into()));
    for page in found.pages {
        assert!(!page.path.is_empty() && !page.text.is_empty());
    }
}

/// Splits a document into sentences.
///
/// # Panics
/// If a sentence is empty or its span is outside the text.
pub fn sentences(data: &[u8]) {
    let Ok(text) = std::str::from_utf8(data) else { return };
    let source = Source::new("AGENTS.md", text);
    for sentence in suggest::extract_sentences(&source) {
        assert!(!sentence.text.is_empty() && !source.slice(sentence.span).is_empty());
    }
}

/// Checks `data` as the file at `path`, without any other files.
///
/// # Panics
/// If a span or an edit is outside the text, or if a message is empty or contains a secret.
pub fn check(path: &str, data: &[u8]) {
    check_with_files(path, data, &Memory::default());
}

/// Checks `data` as the file at `path`, with `files` as the other files of the project.
///
/// # Panics
/// As [`check`].
pub fn check_with_files(path: &str, data: &[u8], files: &Memory) {
    let source = Source::decode(path, data.to_vec());
    let checked = ENGINE.check(&source, files);
    for finding in &checked.findings {
        assert_valid(&source, finding);
    }
    let fixes: Vec<_> = fix::applicable(&checked.findings, Safety::Unsafe).collect();
    let (fixed, _) = fix::apply(data, &fixes);
    assert!(std::str::from_utf8(data).is_err() || String::from_utf8(fixed).is_ok());
}

/// Checks a catalogue of texts against a source with the same bytes, without their first line; the
/// first byte selects the format.
///
/// # Panics
/// As [`check`].
pub fn check_catalogue(data: &[u8]) {
    const PATHS: [(&str, &str); 13] = [
        ("locales/fr.json", "locales/en.json"),
        ("l10n/app_fr.arb", "l10n/app_en.arb"),
        ("po/ru.po", "po/en.po"),
        ("i18n/fr/a.ftl", "i18n/en/a.ftl"),
        ("config/locales/fr.yml", "config/locales/en.yml"),
        ("messages_fr.properties", "messages.properties"),
        ("res/values-fr/strings.xml", "res/values/strings.xml"),
        ("fr.lproj/a.strings", "en.lproj/a.strings"),
        ("fr.lproj/a.stringsdict", "en.lproj/a.stringsdict"),
        ("a.xcstrings", "b.xcstrings"),
        ("Texts.fr.resx", "Texts.resx"),
        ("lang/fr/a.php", "lang/en/a.php"),
        ("a.fr.xlf", "a.en.xlf"),
    ];
    let Some((&first, data)) = data.split_first() else { return };
    let (path, source) = PATHS[usize::from(first) % PATHS.len()];
    let rest = data.iter().position(|&byte| byte == b'\n').map_or(data, |end| &data[end + 1..]);
    let files = [(path, data), (source, rest)];
    let files = Memory(files.map(|(path, bytes)| (path.to_owned(), bytes.to_vec())).into());
    let listing = Listing::new([path.to_owned(), source.to_owned()]);
    let files = Listed { files: &files, listing: &listing };
    let checked_source = Source::decode(path, data.to_vec());
    for finding in &ENGINE.check(&checked_source, &files).findings {
        assert_valid(&checked_source, finding);
    }
}

/// Checks code in a project whose manifests require new versions of packages and languages.
///
/// # Panics
/// As [`check`].
pub fn check_with_manifests(path: &str, data: &[u8]) {
    let npm = r#"{"dependencies": {"react": "^19.0.0", "react-dom": "^19.0.0", "express": "^5.0.0"}}"#;
    let python = "[project]\nname = \"a\"\nrequires-python = \">=3.13\"\n\
                  dependencies = [\"numpy>=2\", \"pandas>=2\", \"django>=5\"]\n";
    let go = "module a\n\ngo 1.24\n";
    let files = [("package.json", npm), ("pyproject.toml", python), ("go.mod", go)];
    let files = files.map(|(path, text)| (path.to_owned(), text.as_bytes().to_vec()));
    check_with_files(path, data, &Memory(files.into()));
}

/// Checks a changed file with `data` as the coverage report of its project.
///
/// # Panics
/// As [`check`].
pub fn check_coverage(data: &[u8]) {
    let code = b"one()\ntwo()\nthree()\n".to_vec();
    for path in ["src/a.rs", "b/a.go", "src/main/java/org/a/A.java"] {
        let files = [
            ("coverage.txt", data.to_vec()),
            ("go.mod", b"module example.com/a\n".to_vec()),
            (path, code.clone()),
        ];
        let files = Memory(files.map(|(path, bytes)| (path.to_owned(), bytes)).into());
        let base = Memory([(path.to_owned(), b"one()\n".to_vec())].into());
        let changed = WithBase { files: &files, base: &base, base_paths: HashMap::new() };
        let source = Source::decode(path, code.clone());
        for finding in &ENGINE.check(&source, &changed).findings {
            assert_valid(&source, finding);
        }
    }
}

/// Fixes the file at `path`, then fixes the result.
///
/// # Panics
/// If the second run changes the file again.
pub fn check_fixes(path: &str, data: &[u8]) {
    for safety in [Safety::Safe, Safety::Unsafe] {
        let fixed = |bytes| fix::fix_file(&ENGINE, path, bytes, &Memory::default(), safety).bytes;
        let once = fixed(data.to_vec());
        let twice = fixed(once.clone());
        assert_eq!(String::from_utf8_lossy(&once), String::from_utf8_lossy(&twice), "{safety:?}");
    }
}

fn assert_valid(source: &Source, finding: &Finding) {
    let is_in_text = |span: Span| {
        let text = source.text();
        span.start <= span.end
            && text.is_char_boundary(span.start as usize)
            && text.is_char_boundary(span.end as usize)
    };
    let rule = &finding.rule;
    assert!(is_in_text(finding.span), "{rule}: {:?}", finding.span);
    assert!(finding.related.iter().all(|related| is_in_text(related.span)), "{rule}: related");
    let edits = finding.fix.iter().flat_map(|fix| &fix.edits);
    assert!(edits.into_iter().all(|edit| is_in_text(edit.span)), "{rule}: fix");
    assert!(!finding.message.is_empty() && finding.id.len() == 16, "{rule}: no message or id");
    if let Some(secret) = finding.secret {
        assert!(is_in_text(secret), "{rule}: {secret:?}");
        let secret = source.slice(secret);
        assert!(secret.len() < 4 || !finding.message.contains(secret), "{rule}: shows a secret");
    }
}

/// Reads `data` as each kind of lock file, and as an advisory about the packages in it.
///
/// # Panics
/// When a span is outside of the text.
pub fn read_locks(data: &[u8]) {
    let Ok(text) = std::str::from_utf8(data) else { return };
    let read = |(path, ..): &(&str, _, _)| locked::read(path, text);
    let locks: Vec<locked::Lock> = locked::FILES.iter().filter_map(read).collect();
    for package in locks.iter().flat_map(|lock| &lock.packages) {
        assert!(text.get(package.span.range()).is_some(), "{package:?}");
    }
    let mut matcher = Matcher::new(&locks);
    matcher.add(text);
    let _ = matcher.matches();
}
