//! Precedence of shipped and project pages.
#![expect(clippy::disallowed_methods, reason = "the test creates a project to read")]

use super::{Library, LibraryCache, Origin, PageKind};
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
const PAGES: &[(PageKind, &str, &str)] = &[
    (PageKind::Protocol, "AGENTS.md", "agents"),
    (PageKind::Agents, "agents/roles.md", "roles"),
    (PageKind::Rules, "rules/security.md", "security"),
    (PageKind::Rules, "rules/team/house.md", "house"),
    (PageKind::Workflows, "workflows/bug-fix.md", "bug-fix"),
    (PageKind::Templates, "templates/adr.md", "adr"),
    (PageKind::Skills, "skills/anything/SKILL.md", "backend-engineer"),
    (PageKind::Skills, "skills/painter/SKILL.md", "painter"),
    (PageKind::Knowledge, "knowledge/data/redis.md", "data/redis"),
    (PageKind::Knowledge, "knowledge/runtime/redis.md", "runtime/redis"),
    (PageKind::Specs, "specs/lifecycle.md", "lifecycle"),
    (PageKind::Prompts, "prompts/aidd_plan_task.md", "aidd_plan_task"),
];

proptest! {
    #![proptest_config(ProptestConfig::with_cases(48))]

    #[test]
    fn a_project_page_replaces_the_shipped_one(
        files in prop::collection::vec((0..PAGES.len(), 0..3_usize), 0..9),
        how in 0..3_usize,
    ) {
        let how = [ContentMode::Merge, ContentMode::ProjectOnly, ContentMode::BundledOnly][how];
        let folder = tempfile::tempdir().expect("a directory");
        // The first prefix has the highest precedence.
        let mut wanted: BTreeMap<(PageKind, &str), (usize, String)> = BTreeMap::new();
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
        for shelf in PageKind::all() {
            let own = wanted.iter().filter(|((of, _), _)| *of == shelf);
            let own: BTreeMap<&str, &str> =
                own.map(|((_, name), (_, path))| (*name, &**path)).collect();
            let counts = shelf.is_customizable() && how != ContentMode::BundledOnly;
            let drops = shelf.is_customizable() && how == ContentMode::ProjectOnly;
            for page in library.pages_of_kind(shelf) {
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
            let kept = shipped.pages_of_kind(shelf).filter(|_| !drops).map(|page| &*page.name);
            let all: std::collections::BTreeSet<&str> =
                kept.chain(own.keys().copied().filter(|_| counts)).collect();
            let there: Vec<&str> = library.pages_of_kind(shelf).map(|page| &*page.name).collect();
            prop_assert_eq!(there, all.into_iter().collect::<Vec<_>>());
        }
    }
}

#[test]
fn a_malformed_page_is_skipped_and_reported() {
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
    let security = library.get(PageKind::Rules, "security").expect("the shipped one");
    assert_eq!(security.origin, Origin::Shipped);
    let names = ["open", "list", "bytes", "README"];
    assert!(names.iter().all(|name| library.get(PageKind::Rules, name).is_none()));
    assert_eq!(library.get(PageKind::Rules, "one").expect("a page").path, "ai/rules/one.md");
}

#[test]
fn rules_with_one_name_in_different_dirs_are_distinct() {
    let folder = tempfile::tempdir().expect("a directory");
    write(folder.path(), "rules/api/names.md", "# Names of the API\n");
    write(folder.path(), "rules/db/names.md", "# Names of tables\n");
    let library = load(folder.path(), &ContentConfig::default());
    assert_eq!(library.problems, [""; 0]);
    assert_eq!(library.get(PageKind::Rules, "names").expect("a page").path, "rules/api/names.md");
    assert_eq!(library.get(PageKind::Rules, "db/names").expect("a page").path, "rules/db/names.md");
}

#[test]
fn configured_dirs_are_used_but_never_outside() {
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
    assert!(library.get(PageKind::Rules, "ours").is_some());
    assert!(library.get(PageKind::Rules, "not-here").is_none());
    assert!(library.get(PageKind::Workflows, "secret").is_none());
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
        let protocol = library.get(PageKind::Protocol, "agents").expect("a page");
        assert_eq!(protocol.origin, Origin::Shipped);
        assert!(library.get(PageKind::Knowledge, "secret").is_none());
        assert_eq!(library.problems.len(), 2, "{:?}", library.problems);
    }
}

#[test]
fn edits_are_detected_without_rereading() {
    let folder = tempfile::tempdir().expect("a directory");
    let disk = Disk::new(folder.path());
    let config = ContentConfig::default();
    let mut watched = LibraryCache::default();
    let first = watched.current(&aidd_content::RULES, &disk, &config);
    assert!(std::sync::Arc::ptr_eq(&first, &watched.current(&aidd_content::RULES, &disk, &config)));
    write(folder.path(), "rules/ours.md", "# Ours\n\nOne.\n");
    let said = |watched: &mut LibraryCache| {
        let library = watched.current(&aidd_content::RULES, &disk, &config);
        library.get(PageKind::Rules, "ours").map(|page| page.summary.clone())
    };
    assert_eq!(said(&mut watched).as_deref(), Some("One."));
    write(folder.path(), "rules/ours.md", "# Ours\n\nTwo of them.\n");
    assert_eq!(said(&mut watched).as_deref(), Some("Two of them."));
    fs::remove_file(folder.path().join("rules/ours.md")).expect("gone");
    assert_eq!(said(&mut watched), None);
    let own = watched.current(&aidd_content::RULES, &disk, &mode(ContentMode::ProjectOnly));
    assert_eq!(own.pages_of_kind(PageKind::Rules).count(), 0);
    assert!(own.pages_of_kind(PageKind::Specs).count() > 0);
}

#[test]
fn names_are_matched_loosely() {
    let library = Library::shipped(&aidd_content::RULES);
    let name = |given| library.find(PageKind::Skills, given).map(|page| &*page.name);
    assert_eq!(name("Security Architect"), Ok("security-architect"));
    assert_eq!(name("quality"), Ok("quality-engineer"));
    assert_eq!(name("security-architekt"), Err(vec!["security-architect"]));
    let many = name("engineer").expect_err("several");
    assert!(many.len() == 5 && many.iter().all(|name| name.contains("engineer")), "{many:?}");
    assert_eq!(name("zzz"), Err(Vec::new()));
    assert_eq!(name(""), Err(Vec::new()));
}
