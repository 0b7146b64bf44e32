//! Tests of the weakenings that are found between two sides of settings.

use super::*;
use crate::check::Selection;
use crate::project::config;
use crate::rules::registry::Registry;
use crate::text::files::Memory;

const PAGE: &str = "---
severity: error
check:
  files: [\"*.txt\"]
  text: { regex: 'blue', keywords: [blue] }
---
# team/colour

Blue is last year's colour.
";

/// One side: its configuration, its rule page, its baseline, its ignore file.
#[derive(Clone, Copy, Default)]
struct Fixture<'a> {
    config: &'a str,
    page: Option<&'a str>,
    baseline: &'a str,
    ignore: &'a str,
}

const DEFAULT: Fixture<'_> = Fixture { config: "{}", page: Some(PAGE), baseline: "", ignore: "" };

/// The settings that `head` weakens compared with `base`, each as a line `position: message`.
fn weakened(base: Fixture<'_>, head: Fixture<'_>) -> String {
    let entries = |fixture: Fixture<'_>| {
        let mut baseline = Baseline::default();
        baseline.extend(fixture.baseline.split_whitespace().map(|id| {
            crate::workspace::baseline::Entry {
                path: "a.txt".into(),
                rule: "team/colour".into(),
                id: id.into(),
                count: 1,
                around: None,
                items: Default::default(),
            }
        }));
        baseline
    };
    let parts = [base, head].map(|fixture| {
        let (config, _) = config::read(fixture.config).expect("valid");
        let pages: Vec<_> = fixture
            .page
            .map(|text| ("rules/team/colour.md".to_owned(), text.to_owned()))
            .into_iter()
            .collect();
        let engine = Engine::new(
            &crate::DISTRIBUTION,
            Registry::new(crate::DISTRIBUTION.pages, &pages),
            &config,
            &Selection::default(),
        );
        let ignores =
            Memory([(".aiddignore".to_owned(), fixture.ignore.as_bytes().to_vec())].into());
        (engine.expect("an engine"), config, entries(fixture), ignores)
    });
    let [old, new] = [(&parts[0], base), (&parts[1], head)].map(
        |((engine, config, baseline, ignores), fixture)| Side {
            engine,
            config,
            config_path: ".aidd/config.json",
            config_text: fixture.config,
            baseline: Some((".aidd/baseline.json", baseline)),
            ignores: Some(ignores),
        },
    );
    let tracked = [".aiddignore", "a.txt", "b.txt", "docs/c.txt"].map(str::to_owned);
    let found = compare(&old, &new, &tracked).expect("globs");
    found
        .iter()
        .map(|weakening| format!("{}: {}\n", weakening.position(), weakening.message))
        .collect()
}

fn configs(base: &str, head: &str) -> String {
    weakened(Fixture { config: base, ..DEFAULT }, Fixture { config: head, ..DEFAULT })
}

#[test]
fn equal_and_stricter_settings_weaken_nothing() {
    let pairs = [
        ("{}", "{}"),
        ("{}", r#"{ "rules": { "team/colour": "error" } }"#),
        (r#"{ "rules": { "team/colour": "off" } }"#, "{}"),
        (r#"{ "exclude": ["docs/"] }"#, "{}"),
        ("{}", r#"{ "compliance": ["docs"] }"#),
        ("{}", r#"{ "maxFileSize": 9000000 }"#),
        // The same setting written in another way.
        (r#"{ "rules": { "team/*": "off" } }"#, r#"{ "rules": { "team/colour": "off" } }"#),
        (r#"{ "exclude": "docs/" }"#, r#"{ "exclude": ["docs/"], "include": "**" }"#),
    ];
    for (base, head) in pairs {
        assert_eq!(configs(base, head), "", "{base} {head}");
    }
    let larger = Fixture { baseline: "1 2", ignore: "b.txt\n", ..DEFAULT };
    assert_eq!(weakened(larger, DEFAULT), "");
    assert_eq!(weakened(Fixture { page: None, ..DEFAULT }, DEFAULT), "");
}

#[test]
fn disabled_and_lowered_rules_are_listed_with_their_line() {
    let listed = configs("{}", "{\n  \"rules\": {\n    \"team/colour\": \"off\"\n  }\n}");
    assert_eq!(
        listed,
        ".aidd/config.json:3: disables `team/colour` (severity in the base: error)\n"
    );
    let listed = configs("{}", r#"{ "rules": { "team/*": "info" } }"#);
    assert_eq!(listed, ".aidd/config.json:1: lowers `team/colour` from error to info\n");
    // If several keys match, the key that applies is reported; many rules are combined into one
    // entry.
    let listed = configs("{}", "{ \"rules\": {\n\"*\": \"off\",\n\"team/colour\": \"warning\" } }");
    let lines: Vec<&str> = listed.lines().collect();
    assert_eq!(lines.len(), 2, "{listed}");
    assert!(lines[0].starts_with(".aidd/config.json:2: disables ") && lines[0].ends_with(" more"));
    assert_eq!(lines[1], ".aidd/config.json:3: lowers `team/colour` from error to warning");
    // The setting that made the rule stricter is removed.
    let listed = configs(r#"{ "rules": { "team/colour": "error" } }"#, "{}");
    assert_eq!(listed, "");
    let info_page = PAGE.replace("severity: error", "severity: info");
    let strict = r#"{ "rules": { "team/colour": "error" } }"#;
    let fixture = Fixture { page: Some(&info_page), ..DEFAULT };
    let listed = weakened(Fixture { config: strict, ..fixture }, fixture);
    assert_eq!(listed, ".aidd/config.json: lowers `team/colour` from error to info\n");
}

#[test]
fn overrides_that_lower_rules_are_listed() {
    let off = r#"{ "overrides": [{ "files": "docs/", "rules": { "team/colour": "off" } }] }"#;
    let listed = configs("{}", off);
    assert_eq!(
        listed,
        ".aidd/config.json:1: for `docs/`: disables `team/colour` (severity in the base: error)\n"
    );
    assert_eq!(configs(off, off), "");
    assert_eq!(configs(off, "{}"), "");
    // An override is listed even if no file matches yet.
    let later = off.replace("docs/", "later/");
    assert!(configs("{}", &later).contains("for `later/`: disables `team/colour`"));
    let with_override = r#"{ "rules": { "team/colour": "info" }, "overrides": [{ "files": "docs/", "rules": { "team/colour": "error" } }] }"#;
    let without_override = r#"{ "rules": { "team/colour": "info" } }"#;
    let listed = configs(with_override, without_override);
    assert_eq!(
        listed,
        ".aidd/config.json: removes an override; for `docs/`: lowers `team/colour` from error to info\n"
    );
    // The same overrides in another order.
    let pair = |first: &str, second: &str| {
        let override_entry = |level: &str| {
            format!(r#"{{ "files": "docs/", "rules": {{ "team/colour": "{level}" }} }}"#)
        };
        format!(r#"{{ "overrides": [{}, {}] }}"#, override_entry(first), override_entry(second))
    };
    let listed = configs(&pair("off", "error"), &pair("error", "off"));
    assert_eq!(
        listed,
        ".aidd/config.json:1: for 1 tracked file (`docs/c.txt`): disables `team/colour` (severity in the base: error)\n"
    );
}

#[test]
fn deleted_and_changed_pages_are_listed() {
    let listed = weakened(DEFAULT, Fixture { page: None, ..DEFAULT });
    assert_eq!(
        listed,
        "rules/team/colour.md: is deleted: disables `team/colour` (severity in the base: error)\n"
    );
    let weakened_by = |text: &str| weakened(DEFAULT, Fixture { page: Some(text), ..DEFAULT });
    assert_eq!(
        weakened_by(&PAGE.replace("severity: error", "severity: info")),
        "rules/team/colour.md:2: lowers `team/colour` from error to info\n"
    );
    assert_eq!(
        weakened_by(&PAGE.replace("severity: error", "severity: error\nenabled: false")),
        "rules/team/colour.md:3: disables `team/colour` (severity in the base: error)\n"
    );
    assert_eq!(
        weakened_by(&PAGE.replace("'blue'", "'bluish'")),
        "rules/team/colour.md: changes the check of `team/colour`\n"
    );
    // Other prose does not change the check.
    assert_eq!(weakened_by(&PAGE.replace("last year's", "an old")), "");
}

#[test]
fn weakened_packs_paths_sizes_and_baselines_are_listed() {
    let listed = configs(r#"{ "compliance": ["docs"] }"#, "{}");
    assert!(
        listed.starts_with(".aidd/config.json: removes the pack `docs`: disables "),
        "{listed}"
    );
    let listed = configs("{}", r#"{ "exclude": ["**", "x/"] }"#);
    assert_eq!(
        listed,
        ".aidd/config.json:1: adds `**`, `x/` to `exclude`; excludes 4 tracked files: `.aiddignore`, `a.txt`, `b.txt` and 1 more\n"
    );
    let listed = configs("{}", r#"{ "exclude": ["later/"] }"#);
    assert_eq!(
        listed,
        ".aidd/config.json:1: adds `later/` to `exclude`; currently excludes no tracked files\n"
    );
    let listed = configs("{}", r#"{ "include": ["*.txt"] }"#);
    assert_eq!(
        listed,
        ".aidd/config.json:1: narrows `include`; excludes 1 tracked file: `.aiddignore`\n"
    );
    let listed = configs("{}", r#"{ "maxFileSize": 1 }"#);
    assert_eq!(listed, ".aidd/config.json:1: lowers `maxFileSize` from 2097152 to 1\n");
    let listed =
        weakened(Fixture { baseline: "1", ..DEFAULT }, Fixture { baseline: "1 2 3", ..DEFAULT });
    assert_eq!(listed, ".aidd/baseline.json: adds 2 known findings: 2 of `team/colour`\n");
    let listed = weakened(DEFAULT, Fixture { ignore: "# why\nb.txt\nlater/\n!c\n", ..DEFAULT });
    assert_eq!(listed, ".aiddignore: adds `b.txt`, `later/`; excludes 1 tracked file: `b.txt`\n");
}

#[test]
fn a_weakening_covers_its_rules_and_files() {
    let parts = |text: &str| {
        let (config, _) = config::read(text).expect("valid");
        let pages = [("rules/team/colour.md".to_owned(), PAGE.to_owned())];
        let engine = Engine::new(
            &crate::DISTRIBUTION,
            Registry::new(crate::DISTRIBUTION.pages, &pages),
            &config,
            &Selection::default(),
        );
        (engine.expect("an engine"), config)
    };
    let text = r#"{ "overrides": [{ "files": "docs/", "rules": { "team/colour": "off" } }] }"#;
    let (old, new) = (parts("{}"), parts(text));
    let ignores = Memory::default();
    let base = Side {
        engine: &old.0,
        config: &old.1,
        config_path: "c",
        config_text: "{}",
        baseline: None,
        ignores: Some(&ignores),
    };
    let head = Side { engine: &new.0, config: &new.1, config_text: text, ..base };
    let found = compare(&base, &head, &[]).expect("globs");
    assert_eq!(found.len(), 1);
    assert!(found[0].covers("team/colour", "docs/x.txt"));
    assert!(!found[0].covers("team/colour", "x.txt") && !found[0].covers("a/b", "docs/x.txt"));
}
