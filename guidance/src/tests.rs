//! Precedence of shipped and project pages.
#![expect(clippy::disallowed_methods, reason = "the test creates a project to read")]

use super::{Library, Origin, Shelf, Watched};
use aidd_engine::project::config::{ContentConfig, ContentMode, ContentPaths};
use aidd_engine::text::files::Disk;
use proptest::prelude::*;
use std::collections::BTreeMap;
use std::fs;
use std::path::Path;

fn write(root: &Path, path: &str, text: &str) {
    let path = root.join(path);
    fs::create_dir_all(path.parent().expect("a directory")).expect("created");
    fs::write(path, text).expect("written");
}

fn load(root: &Path, config: &ContentConfig) -> Library {
    Library::load(&aidd_content::RULES, &Disk::new(root), config)
}

fn mode(mode: ContentMode) -> ContentConfig {
    ContentConfig { override_mode: Some(mode), ..ContentConfig::default() }
}

/// Pages that a project can have, by kind: path below its directory, and the resulting page name.
const PAGES: &[(Shelf, &str, &str)] = &[
    (Shelf::Protocol, "AGENTS.md", "agents"),
    (Shelf::Agents, "agents/roles.md", "roles"),
    (Shelf::Rules, "rules/security.md", "security"),
    (Shelf::Rules, "rules/team/house.md", "house"),
    (Shelf::Workflows, "workflows/bug-fix.md", "bug-fix"),
    (Shelf::Templates, "templates/adr.md", "adr"),
    (Shelf::Skills, "skills/anything/SKILL.md", "backend-engineer"),
    (Shelf::Skills, "skills/painter/SKILL.md", "painter"),
    (Shelf::Knowledge, "knowledge/data/redis.md", "data/redis"),
    (Shelf::Knowledge, "knowledge/runtime/redis.md", "runtime/redis"),
    (Shelf::Specs, "specs/lifecycle.md", "lifecycle"),
    (Shelf::Prompts, "prompts/aidd_plan_task.md", "aidd_plan_task"),
];

proptest! {
    #![proptest_config(ProptestConfig::with_cases(48))]

    #[test]
    fn the_project_goes_before_the_shipped_page_of_the_same_name(
        files in prop::collection::vec((0..PAGES.len(), 0..3_usize), 0..9),
        how in 0..3_usize,
    ) {
        let how = [ContentMode::Merge, ContentMode::ProjectOnly, ContentMode::BundledOnly][how];
        let folder = tempfile::tempdir().expect("a directory");
        // The first prefix has the highest precedence.
        let mut wanted: BTreeMap<(Shelf, &str), (usize, String)> = BTreeMap::new();
        for (page, prefix) in files {
            let (shelf, path, name) = PAGES[page];
            let path = format!("{}{path}", [".aidd/", "ai/", ""][prefix]);
            let header = if name == "backend-engineer" { "---\nname: backend-engineer\n---\n" } else { "" };
            write(folder.path(), &path, &format!("{header}# Ours\n\nSaid at {path}.\n"));
            let best = wanted.entry((shelf, name)).or_insert((prefix, path.clone()));
            if prefix < best.0 {
                *best = (prefix, path);
            }
        }
        let shipped = Library::shipped(&aidd_content::RULES);
        let library = load(folder.path(), &mode(how));
        for shelf in Shelf::all() {
            let own = wanted.iter().filter(|((of, _), _)| *of == shelf);
            let own: BTreeMap<&str, &str> =
                own.map(|((_, name), (_, path))| (*name, &**path)).collect();
            let counts = shelf.is_open() && how != ContentMode::BundledOnly;
            let drops = shelf.is_open() && how == ContentMode::ProjectOnly;
            for page in library.on(shelf) {
                match own.get(&*page.name).filter(|_| counts) {
                    Some(path) => {
                        prop_assert_eq!(page.origin, Origin::Project);
                        prop_assert_eq!(&page.path, path);
                        prop_assert_eq!(&page.summary, &format!("Said at {path}."));
                    }
                    None => {
                        prop_assert_eq!(page.origin, Origin::Shipped);
                        prop_assert!(!drops);
                        let first = shipped.get(shelf, &page.name).expect("shipped");
                        prop_assert_eq!(first.text(), page.text());
                    }
                }
            }
            let kept = shipped.on(shelf).filter(|_| !drops).map(|page| &*page.name);
            let all: std::collections::BTreeSet<&str> =
                kept.chain(own.keys().copied().filter(|_| counts)).collect();
            let there: Vec<&str> = library.on(shelf).map(|page| &*page.name).collect();
            prop_assert_eq!(there, all.into_iter().collect::<Vec<_>>());
        }
    }
}

#[test]
fn a_malformed_page_is_left_out_and_named() {
    let folder = tempfile::tempdir().expect("a directory");
    let root = folder.path();
    write(root, "rules/security.md", "---\nname: [\n---\n# Ours\n");
    write(root, "rules/open.md", "---\nname: x\n# never closed\n");
    write(root, "rules/list.md", "---\n- a\n---\n# Ours\n");
    write(root, "ai/rules/one.md", "# One\n");
    write(root, "rules/one.md", "# Other\n");
    fs::write(root.join("rules/bytes.md"), [0xff, 0xfe, 0x00]).expect("written");
    write(root, "rules/README.md", "# Not a page\n");
    let library = load(root, &ContentConfig::default());
    assert_eq!(
        library.problems,
        [
            "rules/bytes.md: not UTF-8; skipped",
            "rules/list.md: the header has no keys; write `key: value` lines",
            "rules/one.md: ignored; ai/rules/one.md has the same name",
            "rules/open.md: the header is not closed; add a `---` line",
            "rules/security.md: line 2: the header cannot be read: unclosed bracket '['",
        ]
    );
    let security = library.get(Shelf::Rules, "security").expect("the shipped one");
    assert_eq!(security.origin, Origin::Shipped);
    let names = ["open", "list", "bytes", "README"];
    assert!(names.iter().all(|name| library.get(Shelf::Rules, name).is_none()));
    assert_eq!(library.get(Shelf::Rules, "one").expect("a page").path, "ai/rules/one.md");
}

#[test]
fn two_rules_of_one_name_in_different_folders_are_two() {
    let folder = tempfile::tempdir().expect("a directory");
    write(folder.path(), "rules/api/names.md", "# Names of the API\n");
    write(folder.path(), "rules/db/names.md", "# Names of tables\n");
    let library = load(folder.path(), &ContentConfig::default());
    assert_eq!(library.problems, [""; 0]);
    assert_eq!(library.get(Shelf::Rules, "names").expect("a page").path, "rules/api/names.md");
    assert_eq!(library.get(Shelf::Rules, "db/names").expect("a page").path, "rules/db/names.md");
}

#[test]
fn folders_are_where_the_configuration_says_and_never_outside() {
    let folder = tempfile::tempdir().expect("a directory");
    let root = folder.path().join("project");
    write(&root, "docs/rules/ours.md", "# Ours\n");
    write(&root, "rules/not-here.md", "# Elsewhere\n");
    write(folder.path(), "outside/secret.md", "# Secret\n");
    let paths = ContentPaths {
        rules: Some("docs/rules/".to_owned()),
        workflows: Some("../outside".to_owned()),
        templates: Some("docs/none".to_owned()),
        ..ContentPaths::default()
    };
    let config = ContentConfig { paths: Some(paths), ..ContentConfig::default() };
    let library = load(&root, &config);
    assert!(library.get(Shelf::Rules, "ours").is_some());
    assert!(library.get(Shelf::Rules, "not-here").is_none());
    assert!(library.get(Shelf::Workflows, "secret").is_none());
    assert_eq!(
        library.problems,
        [
            "../outside: `content.paths.workflows` names a directory that does not exist",
            "docs/none: `content.paths.templates` names a directory that does not exist",
        ]
    );
    #[cfg(unix)]
    {
        std::os::unix::fs::symlink("../outside", root.join("knowledge")).expect("linked");
        std::os::unix::fs::symlink("../outside/secret.md", root.join("AGENTS.md")).expect("linked");
        let library = load(&root, &ContentConfig::default());
        let protocol = library.get(Shelf::Protocol, "agents").expect("a page");
        assert_eq!(protocol.origin, Origin::Shipped);
        assert!(library.get(Shelf::Knowledge, "secret").is_none());
        assert_eq!(library.problems.len(), 2, "{:?}", library.problems);
    }
}

#[test]
fn an_edit_is_seen_and_nothing_is_read_twice() {
    let folder = tempfile::tempdir().expect("a directory");
    let disk = Disk::new(folder.path());
    let config = ContentConfig::default();
    let mut watched = Watched::default();
    let first = watched.current(&aidd_content::RULES, &disk, &config);
    assert!(std::sync::Arc::ptr_eq(&first, &watched.current(&aidd_content::RULES, &disk, &config)));
    write(folder.path(), "rules/ours.md", "# Ours\n\nOne.\n");
    let said = |watched: &mut Watched| {
        let library = watched.current(&aidd_content::RULES, &disk, &config);
        library.get(Shelf::Rules, "ours").map(|page| page.summary.clone())
    };
    assert_eq!(said(&mut watched).as_deref(), Some("One."));
    write(folder.path(), "rules/ours.md", "# Ours\n\nTwo of them.\n");
    assert_eq!(said(&mut watched).as_deref(), Some("Two of them."));
    fs::remove_file(folder.path().join("rules/ours.md")).expect("gone");
    assert_eq!(said(&mut watched), None);
    let own = watched.current(&aidd_content::RULES, &disk, &mode(ContentMode::ProjectOnly));
    assert_eq!(own.on(Shelf::Rules).count(), 0);
    assert!(own.on(Shelf::Specs).count() > 0);
}

#[test]
fn a_name_is_found_as_people_write_it() {
    let library = Library::shipped(&aidd_content::RULES);
    let name = |given| library.find(Shelf::Skills, given).map(|page| &*page.name);
    assert_eq!(name("Security Architect"), Ok("security-architect"));
    assert_eq!(name("quality"), Ok("quality-engineer"));
    assert_eq!(name("security-architekt"), Err(vec!["security-architect"]));
    let many = name("engineer").expect_err("several");
    assert!(many.len() == 5 && many.iter().all(|name| name.contains("engineer")), "{many:?}");
    assert_eq!(name("zzz"), Err(Vec::new()));
    assert_eq!(name(""), Err(Vec::new()));
}
