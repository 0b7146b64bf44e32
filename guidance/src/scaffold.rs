//! The initial files of a project's own guidance. Each file describes its intended content.
//! Existing files are never changed.

use super::library::Library;
use super::page_kind::PageKind;
use aidd_engine::project::config::ContentConfig;
use std::fmt::Write as _;

/// The amount of scaffolding.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Preset {
    /// The agents page, the roles and one rule.
    Minimal,
    /// Also a README in each directory to which teams usually add pages first.
    #[default]
    Standard,
    /// Also files for knowledge, memory and the configuration.
    Full,
}

/// A file to write.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct File {
    /// The path relative to the root.
    pub path: String,
    /// The content.
    pub text: String,
}

/// The README text of each directory.
const READMES: &[(PageKind, Preset, &str)] = &[
    (
        PageKind::Skills,
        Preset::Standard,
        "One role per directory: `ROLE/SKILL.md` with `name`, `description` and `summary` in its header. A role with the same name replaces the shipped role.",
    ),
    (
        PageKind::Workflows,
        Preset::Standard,
        "One workflow per file: its steps with roles and gates. A file with the same name replaces the shipped workflow.",
    ),
    (
        PageKind::Templates,
        Preset::Standard,
        "One template per file. A file with the same name replaces the shipped template.",
    ),
    (
        PageKind::Knowledge,
        Preset::Full,
        "The team's knowledge of a technology: `CATEGORY/NAME.md` with `name`, `category`, `last_updated` and `maturity` in its header. A file at the same path replaces the shipped entry.",
    ),
];

const MEMORY: &str = "# Memory\n\nDecisions, mistakes and conventions, one JSON object per line: `decisions.jsonl`, `mistakes.jsonl`, `conventions.jsonl`. Tools append to them; Git merges them line by line. Commit them.\n";

const RULE: &str = "---\nsummary: Rules for every file of this project.\n---\n# House rules\n\nWrite one sentence per line, with MUST or NEVER in each binding sentence. A rule that a program can check goes on a page of its own: `aidd rule new team/my-rule` creates one.\n\n- These rules MUST take precedence over those shipped with aidd.\n";

const CONFIG: &str = "{\n  // Minimum severity that fails a run: error, warning, info or never.\n  \"failOn\": \"error\",\n  // Which guidance pages apply, and the token budget of the context at session start.\n  \"content\": { \"overrideMode\": \"merge\", \"tokenBudget\": \"standard\" }\n}\n";

/// The files of a preset, sorted by path, in the directories that `config` names.
#[must_use]
pub fn files(library: &Library, config: &ContentConfig, preset: Preset) -> Vec<File> {
    let directory = |kind: PageKind| {
        let configured = config.paths.as_ref().and_then(|paths| paths.get(kind.name()));
        configured.unwrap_or(kind.dir()).trim_matches('/').to_owned()
    };
    let file = |path: String, text: String| File { path, text };
    let agents = directory(PageKind::Agents);
    let mut files = vec![
        file(
            PageKind::Protocol.dir().to_owned(),
            agents_page(&agents, &directory(PageKind::Rules)),
        ),
        file(format!("{agents}/roles.md"), roles(library)),
        file(format!("{}/house.md", directory(PageKind::Rules)), RULE.to_owned()),
    ];
    for (kind, min_preset, text) in READMES {
        if *min_preset == Preset::Standard && preset != Preset::Minimal || preset == Preset::Full {
            let name = kind.name();
            let title = format!("{}{}", name[..1].to_uppercase(), &name[1..]);
            files.push(file(
                format!("{}/README.md", directory(*kind)),
                format!("# {title}\n\n{text}\n"),
            ));
        }
    }
    if preset == Preset::Full {
        files.push(file("ai/memory/README.md".to_owned(), MEMORY.to_owned()));
        files.push(file(aidd_engine::text::kind::CONFIG_PATH.to_owned(), CONFIG.to_owned()));
    }
    files.sort_by(|a, b| a.path.cmp(&b.path));
    files
}

/// The agents page: an entry point with a section for the description of the project.
fn agents_page(agents: &str, rules: &str) -> String {
    format!(
        "---\nname: agents\nsummary: The starting point for agents in this project.\n---\n# Working here\n\nCall `aidd_bootstrap` first: it returns rules, decisions, mistakes and the state of the work. Without it, read `{rules}/` and `{agents}/roles.md`.\n\n## This project\n\nDescribe here what an agent cannot see in the code: the purpose of the project, how it is built and tested, and which parts must never be changed.\n"
    )
}

fn roles(library: &Library) -> String {
    let mut text = String::from(
        "---\nname: roles\nsummary: Who does what in this project.\n---\n# Roles\n\nThe shipped roles, each loaded by `aidd_get_agent`. Delete those that the project does not need.\n\n",
    );
    for page in
        library.pages_of_kind(PageKind::Skills).filter(|page| page.header.contains_key("tier"))
    {
        let _ = writeln!(text, "- {}: {}", page.name, page.summary);
    }
    text
}

#[cfg(test)]
#[expect(clippy::disallowed_methods, reason = "the test creates a project to read")]
mod tests {
    use super::*;
    use aidd_engine::project::config::{self, ContentPaths};

    fn paths(preset: Preset) -> Vec<String> {
        let files =
            files(&Library::shipped(&aidd_content::RULES), &ContentConfig::default(), preset);
        files.into_iter().map(|file| file.path).collect()
    }

    #[test]
    fn larger_presets_include_smaller_ones() {
        let [minimal, standard, full] =
            [Preset::Minimal, Preset::Standard, Preset::Full].map(paths);
        assert_eq!(minimal, ["AGENTS.md", "agents/roles.md", "rules/house.md"]);
        assert_eq!(standard.len(), 6);
        assert!(minimal.iter().all(|path| standard.contains(path)));
        assert!(standard.iter().all(|path| full.contains(path)));
        assert!(full.contains(&".aidd/config.json".to_owned()), "{full:?}");
    }

    #[test]
    fn scaffolded_files_are_valid_pages() {
        let (_, unknown) = config::read(CONFIG).expect("valid");
        assert_eq!(unknown, []);
        let directory = tempfile::tempdir().expect("a directory");
        let paths =
            ContentPaths { rules: Some("docs/rules".to_owned()), ..ContentPaths::default() };
        let config = ContentConfig { paths: Some(paths), ..ContentConfig::default() };
        for file in files(&Library::shipped(&aidd_content::RULES), &config, Preset::Full) {
            let path = directory.path().join(&file.path);
            std::fs::create_dir_all(path.parent().expect("a directory")).expect("created");
            std::fs::write(path, file.text).expect("written");
        }
        let library = Library::load(
            &aidd_content::RULES,
            &aidd_engine::text::files::Disk::new(directory.path()),
            &config,
        );
        assert_eq!(library.problems, [""; 0]);
        let house = library.get(PageKind::Rules, "house").expect("a page");
        assert_eq!(house.path, "docs/rules/house.md");
        assert_eq!(crate::requirements::parse_requirements(house).len(), 2);
        assert!(
            library
                .get(PageKind::Agents, "roles")
                .expect("a page")
                .body()
                .contains("- quality-engineer: ")
        );
    }
}
