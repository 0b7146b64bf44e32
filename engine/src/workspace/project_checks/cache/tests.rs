//! Tests that an incremental update gives the same results as a full run.

use super::*;
use crate::check::Selection;
use crate::project::config;
use crate::rules::registry::Registry;
use crate::text::files::Memory;
use crate::workspace::project_checks;
use proptest::prelude::*;
use std::io;
use std::sync::Mutex;

/// Rules of every form of this pass, with conditions that request listings, files and values.
const RULES: [&str; 12] = [
    "  tree: { each: 'src/**/*.ts', exists: ['<dir>/<stem>.md | notes/<stem>.txt'] }",
    "  tree: { each: '**/*.ts', lines: { max: 3 }, bytes: { min: 1 } }",
    "  tree: { each: '**/*.{ts,py}', unique: '<stem>', name: kebab }",
    "  tree: { each: 'src/*/', count: { max: 2 }, exists: ['<path>/index.ts'] }",
    "  tree: { exists: [README.md, '**/package.json'], absent: ['**/*.py', 'src/c/'] }",
    "  when: { nearest: tsconfig.json }\n  tree: { each: '**/*.ts', depth: { max: 2 } }",
    "  when: { data: { file: package.json, at: '$.strict', present: true } }\n  tree: { each: 'src/', only: ['a/', '*.ts'] }",
    "  when: { not: { file: 'src/b/*.ts' } }\n  layers: { acyclic: '**' }",
    "  layers: { order: ['src/a/**', 'src/b/**'], transitive: true }",
    "  layers: { forbid: { from: 'src/a/**', to: ['npm:left-pad', 'py:os', 'lib/**'] }, types: skip }",
    "  layers: { independent: 'src/<part>/**' }",
    "  layers: { forbid: { from: 'rust/**', to: 'rust/src/b.rs' } }",
];

const PATHS: [&str; 19] = [
    "src/a/x.ts",
    "src/a/y.ts",
    "src/b/x.ts",
    "src/b/Big.ts",
    "src/c/index.ts",
    "src/a/index.ts",
    "src/a/x.md",
    "notes/x.txt",
    "hidden/y.txt",
    "lib/z.ts",
    "lib/style.css",
    "src/a/m.py",
    "package.json",
    "tsconfig.json",
    "src/b/tsconfig.json",
    "README.md",
    "rust/Cargo.toml",
    "rust/src/lib.rs",
    "rust/src/b.rs",
];

/// Texts for a path, by its extension.
fn texts(path: &str) -> &'static [&'static str] {
    match path.rsplit('.').next().unwrap_or_default() {
        "ts" => &[
            "",
            "export const a = 1;\n",
            "import { b } from '../b/x';\n",
            "\n\nimport { b } from '../b/x';\n",
            "import type { b } from '../b/x';\nimport '../a/y';\n",
            "import { a } from '../a/x';\nimport '../../lib/z';\n",
            "import { a } from '@/a/x';\nimport 'left-pad';\n",
            "import 'left-pad';\nimport '../../lib/style.css';\n",
            concat!("// aidd:", "allow-file team/r8 known\nimport '../a/x';\n"),
            concat!("// aidd:", "allow-file team/r1 known\n\n\n\n\n"),
            "const broken = (\nimport '../b/Big';\n",
        ],
        "py" => &["import os\n", "import sys\n", "import os.path\nfrom . import x\n"],
        "rs" => &[
            "",
            "mod b;\n",
            "mod b;\nuse crate::b::B;\n",
            "// moved\nmod b;\nuse crate::b::B;\n",
            "#[cfg(test)]\nmod b;\n",
        ],
        "toml" => &["[package]\nname = \"r\"\n", "[package]\nname = \"other\"\n", "["],
        "json" => &[
            "{}",
            "{\"strict\": true}",
            "{\"compilerOptions\": {\"baseUrl\": \".\", \"paths\": {\"@/*\": [\"src/*\"]}}}",
            "{",
        ],
        _ => &["", "text\n"],
    }
}

/// Files that record the paths that are read, without a listing.
struct RecordedReads<'a>(&'a Memory, Mutex<BTreeSet<String>>);

fn engine() -> Engine {
    let page = |(at, check): (usize, &&str)| {
        let text = format!("---\nseverity: warning\ncheck:\n{check}\n---\n# team/r{at}\n\nWhy.\n");
        (format!("rules/r{at}.md"), text)
    };
    let pages: Vec<(String, String)> = RULES.iter().enumerate().map(page).collect();
    let registry = Registry::new(crate::DISTRIBUTION.pages, &pages);
    for (at, check) in RULES.iter().enumerate() {
        let rule = registry.get(&format!("team/r{at}")).expect("a rule");
        assert_eq!(crate::forms::problems(rule), Vec::<String>::new(), "{check}");
    }
    Engine::new(&crate::DISTRIBUTION, registry, &config::Config::default(), &Selection::default())
        .expect("an engine")
}

/// The listed files, without one directory.
fn listing(files: &Memory) -> Listing {
    Listing::new(files.0.keys().filter(|path| !path.starts_with("hidden/")).cloned())
}

/// All results as text.
fn render_all<'a>(all: impl Iterator<Item = &'a (Source, CheckResult)>) -> Vec<String> {
    let render = |(source, checked): &(Source, CheckResult)| {
        format!("{} {:?} {checked:?}", source.path(), source.text())
    };
    all.map(render).collect()
}

/// The findings at each path, as ids and messages.
fn ids_by_path(cache: &ProjectPassCache) -> BTreeMap<String, BTreeSet<(String, String)>> {
    let ids = |all: &Arc<Vec<(Source, CheckResult)>>| {
        let findings = all.iter().flat_map(|(_, checked)| &checked.findings);
        findings.map(|finding| (finding.id.clone(), finding.message.clone())).collect()
    };
    cache.checked_files().iter().map(|(path, all)| (path.clone(), ids(all))).collect()
}

#[derive(Clone, Debug)]
enum Step {
    Write(usize, usize),
    Remove(usize),
    Rename(usize, usize),
}

fn any_step() -> impl Strategy<Value = Step> {
    let path = 0..PATHS.len();
    prop_oneof![
        6 => (path.clone(), 0_usize..16).prop_map(|(path, text)| Step::Write(path, text)),
        1 => path.clone().prop_map(Step::Remove),
        1 => (path.clone(), path).prop_map(|(from, to)| Step::Rename(from, to)),
    ]
}

/// Applies a step; returns the paths that it touched.
fn apply_step(files: &mut Memory, step: &Step) -> Vec<String> {
    match *step {
        Step::Write(path, text) => {
            let path = PATHS[path];
            let texts = texts(path);
            files.0.insert(path.to_owned(), texts[text % texts.len()].as_bytes().to_vec());
            vec![path.to_owned()]
        }
        Step::Remove(path) => {
            files.0.remove(PATHS[path]);
            vec![PATHS[path].to_owned()]
        }
        Step::Rename(from, to) => {
            if let Some(bytes) = files.0.remove(PATHS[from]) {
                files.0.insert(PATHS[to].to_owned(), bytes);
            }
            vec![PATHS[from].to_owned(), PATHS[to].to_owned()]
        }
    }
}

/// The changes reported by a client that lists files and watches modification times of directories,
/// except in the unlisted directory.
fn changes(
    cache: &ProjectPassCache,
    before: &Memory,
    after: &Memory,
    touched: &[String],
) -> Changes {
    let listing = listing(after);
    let dir = |path: &String| path.rsplit_once('/').map_or("", |(dir, _)| dir).to_owned();
    let was_added_or_removed =
        |path: &&String| before.0.contains_key(*path) != after.0.contains_key(*path);
    let is_walked = |path: &&String| !path.starts_with("hidden/");
    let is_written = |path: &&String| before.0.contains_key(*path) && after.0.contains_key(*path);
    let mut files: BTreeSet<String> =
        touched.iter().filter(is_walked).filter(is_written).cloned().collect();
    files.extend(cache.unobservable(&|dir| dir != "hidden"));
    Changes {
        listing: (!listing.is_same(cache.listing())).then_some(listing),
        files,
        dirs: touched.iter().filter(is_walked).filter(was_added_or_removed).map(dir).collect(),
    }
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 96, ..ProptestConfig::default() })]

    #[test]
    fn an_update_gives_the_same_result_as_a_full_run(
        first in proptest::collection::vec(any_step(), 0..24),
        rounds in proptest::collection::vec(proptest::collection::vec(any_step(), 1..4), 1..12),
    ) {
        let mut files = Memory::default();
        for step in &first {
            apply_step(&mut files, step);
        }
        let (cached_engine, globs) = (engine(), Globs::all());
        let mut cache = ProjectPassCache::new(&cached_engine, &globs, &files, listing(&files));
        for steps in rounds {
            let (before, previous) = (files.clone(), ids_by_path(&cache));
            let mut touched = Vec::new();
            for step in &steps {
                touched.extend(apply_step(&mut files, step));
            }
            let changes = changes(&cache, &before, &files, &touched);
            let differing = cache.update(&cached_engine, &globs, &files, changes);
            let new_engine = engine();
            let expected = project_checks::run(&new_engine, &globs, &files, &listing(&files)).files;
            let checked_files = cache.checked_files();
            let actual = render_all(checked_files.values().flat_map(|files| files.iter()));
            prop_assert_eq!(actual, render_all(expected.iter()), "after {:?}", steps);
            let current = ids_by_path(&cache);
            let paths: BTreeSet<&String> = previous.keys().chain(current.keys()).collect();
            let expected_paths: BTreeSet<String> = paths
                .into_iter()
                .filter(|path| previous.get(*path) != current.get(*path))
                .cloned()
                .collect();
            prop_assert_eq!(differing, expected_paths);
        }
    }
}

impl Files for RecordedReads<'_> {
    fn read(&self, path: &str, limit: u64) -> io::Result<Vec<u8>> {
        self.1.lock().expect("not poisoned").insert(path.to_owned());
        self.0.read(path, limit)
    }

    fn exists(&self, path: &str) -> bool {
        self.0.exists(path)
    }
}

#[test]
fn an_edit_that_does_not_change_imports_reads_one_file() {
    let file = |path: &str, text: &str| (path.to_owned(), text.as_bytes().to_vec());
    let mut files = Memory(
        [
            file("src/a/x.ts", "import '../b/x';\nexport const a = 1;\n"),
            file("src/b/x.ts", "import '../a/x';\n"),
            file("src/b/long.ts", "\n\n\n\n\n"),
            file("package.json", "{}"),
            file("README.md", ""),
        ]
        .into(),
    );
    let (engine, globs) = (engine(), Globs::all());
    let mut cache = ProjectPassCache::new(&engine, &globs, &files, listing(&files));
    let mut edit = |path: &str, text: &str| {
        files.0.insert(path.to_owned(), text.as_bytes().to_vec());
        let recorded = RecordedReads(&files, Mutex::default());
        let changes = Changes { files: [path.to_owned()].into(), ..Changes::default() };
        let differing = cache.update(&engine, &globs, &recorded, changes);
        let read = recorded.1.into_inner().expect("not poisoned");
        (differing.into_iter().collect::<Vec<_>>(), read.into_iter().collect::<Vec<_>>())
    };
    let none: Vec<String> = Vec::new();
    let (long, x) = ("src/b/long.ts".to_owned(), "src/a/x.ts".to_owned());
    assert_eq!(
        edit("README.md", "# it\n"),
        (none.clone(), none.clone()),
        "not requested by a rule"
    );
    assert_eq!(
        edit(&x, "import '../b/x';\nexport const a = 2;\n"),
        (none.clone(), vec![x.clone()])
    );
    assert_eq!(edit(&long, "\n"), (vec![long.clone()], vec![long]));
    let (differing, _) = edit(&x, "export const a = 2;\n");
    assert_eq!(differing, ["src/a/x.ts"], "the import cycle is no longer reported");
}
