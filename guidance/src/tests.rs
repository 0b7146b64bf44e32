//! Precedence of shipped and project pages.
#![expect(clippy::disallowed_methods, reason = "the test creates a project to read")]

use super::knowledge::Knowledge;
use super::versions::{VersionContext, verify};
use super::{Library, LibraryCache, Origin, PageKind};
use aidd_engine::project::config::{ContentConfig, ContentMode, ContentPaths};
use aidd_engine::project::stack::{self, installed::InstalledPackages};
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
        mode_index in 0..3_usize,
    ) {
        let content_mode = [ContentMode::Merge, ContentMode::ProjectOnly, ContentMode::BundledOnly][mode_index];
        let directory = tempfile::tempdir().expect("a directory");
        // The first prefix has the highest precedence.
        let mut expected: BTreeMap<(PageKind, &str), (usize, String)> = BTreeMap::new();
        for (page, prefix) in files {
            let (kind, path, name) = PAGES[page];
            let path = format!("{}{path}", [".aidd/", "ai/", ""][prefix]);
            let header = if name == "backend-engineer" { "---\nname: backend-engineer\n---\n" } else { "" };
            write(directory.path(), &path, &format!("{header}# Ours\n\nWritten in {path}.\n"));
            let best = expected.entry((kind, name)).or_insert((prefix, path.clone()));
            if prefix < best.0 {
                *best = (prefix, path);
            }
        }
        let shipped = Library::shipped(&aidd_content::RULES);
        let library = load(directory.path(), &mode(content_mode));
        for kind in PageKind::all() {
            let project_pages = expected.iter().filter(|((page_kind, _), _)| *page_kind == kind);
            let project_pages: BTreeMap<&str, &str> =
                project_pages.map(|((_, name), (_, path))| (*name, &**path)).collect();
            let is_overridden = kind.is_customizable() && content_mode != ContentMode::BundledOnly;
            let hides_shipped = kind.is_customizable() && content_mode == ContentMode::ProjectOnly;
            for page in library.pages_of_kind(kind) {
                match project_pages.get(&*page.name).filter(|_| is_overridden) {
                    Some(path) => {
                        prop_assert_eq!(page.origin, Origin::Project);
                        prop_assert_eq!(&page.path, path);
                        prop_assert_eq!(&page.summary, &format!("Written in {path}."));
                    }
                    None => {
                        prop_assert_eq!(page.origin, Origin::Shipped);
                        prop_assert!(!hides_shipped);
                        let first = shipped.get(kind, &page.name).expect("shipped");
                        prop_assert_eq!(first.text(), page.text());
                    }
                }
            }
            let shipped_names = shipped.pages_of_kind(kind).filter(|_| !hides_shipped).map(|page| &*page.name);
            let all: std::collections::BTreeSet<&str> =
                shipped_names.chain(project_pages.keys().copied().filter(|_| is_overridden)).collect();
            let actual: Vec<&str> = library.pages_of_kind(kind).map(|page| &*page.name).collect();
            prop_assert_eq!(actual, all.into_iter().collect::<Vec<_>>());
        }
    }
}

#[test]
fn a_malformed_page_is_skipped_and_reported() {
    let directory = tempfile::tempdir().expect("a directory");
    let root = directory.path();
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
    let security = library.get(PageKind::Rules, "security").expect("the shipped page");
    assert_eq!(security.origin, Origin::Shipped);
    let names = ["open", "list", "bytes", "README"];
    assert!(names.iter().all(|name| library.get(PageKind::Rules, name).is_none()));
    assert_eq!(library.get(PageKind::Rules, "one").expect("a page").path, "ai/rules/one.md");
}

#[test]
fn rules_with_the_same_name_in_different_dirs_are_distinct() {
    let directory = tempfile::tempdir().expect("a directory");
    write(directory.path(), "rules/api/names.md", "# Names of the API\n");
    write(directory.path(), "rules/db/names.md", "# Names of tables\n");
    let library = load(directory.path(), &ContentConfig::default());
    assert_eq!(library.problems, [""; 0]);
    assert_eq!(library.get(PageKind::Rules, "names").expect("a page").path, "rules/api/names.md");
    assert_eq!(library.get(PageKind::Rules, "db/names").expect("a page").path, "rules/db/names.md");
}

#[test]
fn configured_dirs_outside_the_project_are_rejected() {
    let directory = tempfile::tempdir().expect("a directory");
    let root = directory.path().join("project");
    write(&root, "docs/rules/ours.md", "# Ours\n");
    write(&root, "rules/not-here.md", "# Elsewhere\n");
    write(directory.path(), "outside/secret.md", "# Secret\n");
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
fn the_cache_is_reloaded_only_after_a_change() {
    let directory = tempfile::tempdir().expect("a directory");
    let disk = Disk::new(directory.path());
    let config = ContentConfig::default();
    let mut cache = LibraryCache::default();
    let first = cache.current(&aidd_content::RULES, &disk, &config);
    assert!(std::sync::Arc::ptr_eq(&first, &cache.current(&aidd_content::RULES, &disk, &config)));
    write(directory.path(), "rules/ours.md", "# Ours\n\nOne.\n");
    let summary = |cache: &mut LibraryCache| {
        let library = cache.current(&aidd_content::RULES, &disk, &config);
        library.get(PageKind::Rules, "ours").map(|page| page.summary.clone())
    };
    assert_eq!(summary(&mut cache).as_deref(), Some("One."));
    write(directory.path(), "rules/ours.md", "# Ours\n\nTwo of them.\n");
    assert_eq!(summary(&mut cache).as_deref(), Some("Two of them."));
    fs::remove_file(directory.path().join("rules/ours.md")).expect("gone");
    assert_eq!(summary(&mut cache), None);
    let project_pages = cache.current(&aidd_content::RULES, &disk, &mode(ContentMode::ProjectOnly));
    assert_eq!(project_pages.pages_of_kind(PageKind::Rules).count(), 0);
    assert!(project_pages.pages_of_kind(PageKind::Specs).count() > 0);
}

#[test]
fn pages_are_found_by_inexact_names() {
    let library = Library::shipped(&aidd_content::RULES);
    let name = |input| library.find(PageKind::Skills, input).map(|page| &*page.name);
    assert_eq!(name("Security Architect"), Ok("security-architect"));
    assert_eq!(name("quality"), Ok("quality-engineer"));
    assert_eq!(name("security-architekt"), Err(vec!["security-architect"]));
    let matches = name("engineer").expect_err("several");
    assert!(
        matches.len() == 5 && matches.iter().all(|name| name.contains("engineer")),
        "{matches:?}"
    );
    assert_eq!(name("zzz"), Err(Vec::new()));
    assert_eq!(name(""), Err(Vec::new()));
}

#[test]
fn the_end_of_support_is_evidence_about_a_version() {
    let folder = tempfile::tempdir().expect("a temporary directory");
    write(folder.path(), "package.json", r#"{"dependencies": {"vue": "2.7.16"}}"#);
    let disk = Disk::new(folder.path());
    let (library, stack) = (load(folder.path(), &ContentConfig::default()), stack::detect(&disk));
    let context = VersionContext {
        installs: &InstalledPackages::new(&disk),
        stack: &stack,
        library: &library,
        knowledge: &Knowledge::new(&library),
        memories: &[],
        outdated_uses: &[],
        searched: 0,
        today: None,
    };
    let (manifest, dependency) = stack.dependencies().next().expect("a dependency");
    let verified = verify(&context, manifest, dependency);
    let mut evidence = verified.steps.iter().flat_map(|step| &step.evidence);
    let ended = "support for Vue 2 ended 2023-12-31 (https://v2.vuejs.org/eol/)";
    assert!(evidence.any(|line| line == ended), "{verified:?}");
}
