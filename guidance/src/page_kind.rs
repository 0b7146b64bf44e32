//! The kinds of pages, their directories, and the key that identifies a page.

/// A kind of page.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum PageKind {
    /// `AGENTS.md`: instructions for agents in this project.
    Protocol,
    /// Instructions for all roles.
    Agents,
    /// The roles, `skills/<role>/SKILL.md`.
    Skills,
    /// Rules in prose.
    Rules,
    /// Workflows: steps with roles and gates.
    Workflows,
    /// Templates to fill in, and the routing tables.
    Templates,
    /// Specifications of the method.
    Specs,
    /// Entries of the knowledge base, `knowledge/<category>/<technology>.md`.
    Knowledge,
    /// Prompts that a user selects.
    Prompts,
    /// Directives: procedures whose steps are data.
    Directives,
}

/// The key by which a project's page replaces a shipped page.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum PageKey {
    /// There is only one page of this kind.
    Single,
    /// Pages are named after their file, without the extension.
    FileName,
    /// The name in the header, otherwise the directory name.
    RoleName,
    /// The path below the directory.
    Path,
}

/// One row per kind: its directory in a project, its shipped directory, the key of a page, and
/// whether a project can have its own pages.
struct Row {
    kind: PageKind,
    word: &'static str,
    project_dir: &'static str,
    shipped: &'static str,
    page_key: PageKey,
    is_customizable: bool,
}

const ROWS: &[Row] = &[
    row(PageKind::Protocol, "agents", "AGENTS.md", "AGENTS.md", PageKey::Single, true),
    row(PageKind::Agents, "agents", "agents", "agents", PageKey::FileName, true),
    row(PageKind::Skills, "skills", "skills", "skills", PageKey::RoleName, true),
    row(PageKind::Rules, "rules", "rules", "guidance/rules", PageKey::FileName, true),
    row(PageKind::Workflows, "workflows", "workflows", "workflows", PageKey::FileName, true),
    row(PageKind::Templates, "templates", "templates", "templates", PageKey::FileName, true),
    row(PageKind::Specs, "specs", "specs", "specs", PageKey::FileName, false),
    row(PageKind::Knowledge, "knowledge", "knowledge", "knowledge", PageKey::Path, true),
    row(PageKind::Prompts, "prompts", "prompts", "prompts", PageKey::FileName, false),
    row(PageKind::Directives, "directives", "directives", "directives", PageKey::FileName, true),
];

const fn row(
    kind: PageKind,
    word: &'static str,
    project_dir: &'static str,
    shipped: &'static str,
    page_key: PageKey,
    is_customizable: bool,
) -> Row {
    Row { kind, word, project_dir, shipped, page_key, is_customizable }
}

impl PageKind {
    /// Every kind, in declaration order.
    pub fn all() -> impl Iterator<Item = Self> {
        ROWS.iter().map(|row| row.kind)
    }

    fn row(self) -> &'static Row {
        // Every variant has a row, as a test verifies.
        ROWS.iter().find(|row| row.kind == self).unwrap_or(&ROWS[0])
    }

    /// The identifier of the kind in configurations and URIs.
    #[must_use]
    pub fn name(self) -> &'static str {
        self.row().word
    }

    /// The directory (or file) in a project, unless configured otherwise.
    #[must_use]
    pub fn dir(self) -> &'static str {
        self.row().project_dir
    }

    /// Whether a project's own pages of this kind are used.
    #[must_use]
    pub fn is_customizable(self) -> bool {
        self.row().is_customizable
    }

    /// The kind of the shipped page at `path`, and the rest of the path below the kind's directory.
    #[must_use]
    pub fn from_shipped_path(path: &str) -> Option<(Self, &str)> {
        ROWS.iter().find_map(|row| {
            let rest = path.strip_prefix(row.shipped)?;
            match rest.strip_prefix('/') {
                Some(rest) => Some((row.kind, rest)),
                None => rest.is_empty().then_some((row.kind, path)),
            }
        })
    }

    /// Whether the file at `rest`, a path below the directory, is a page of this kind. A README
    /// describes the directory, and other files in the directory of a `SKILL.md` belong to that
    /// skill.
    #[must_use]
    pub fn contains(self, rest: &str) -> bool {
        let file = rest.rsplit('/').next().unwrap_or(rest);
        let is_skill = file.eq_ignore_ascii_case("SKILL.md");
        !file.eq_ignore_ascii_case("README.md")
            && (self.row().page_key != PageKey::RoleName || is_skill || !rest.contains('/'))
    }

    /// Whether two files with the same name in different directories are distinct pages.
    pub(super) fn distinguishes_dirs(self) -> bool {
        self.row().page_key == PageKey::FileName
    }

    /// The key of a page: `rest` is the path below the directory, `header_name` the name in its
    /// header.
    #[must_use]
    pub fn key(self, rest: &str, header_name: Option<&str>) -> String {
        let without_extension = rest.strip_suffix(".md").unwrap_or(rest);
        let file = without_extension.rsplit('/').next().unwrap_or(without_extension);
        match self.row().page_key {
            PageKey::Single => self.name().to_owned(),
            PageKey::FileName => file.to_owned(),
            PageKey::Path => without_extension.to_owned(),
            PageKey::RoleName if file.eq_ignore_ascii_case("SKILL") => {
                let directory = without_extension.rsplit('/').nth(1);
                header_name.or(directory).unwrap_or(file).to_owned()
            }
            PageKey::RoleName => file.to_owned(),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_shipped_page_has_a_kind() {
        let mut kinds: Vec<PageKind> = Vec::new();
        for guide in aidd_content::RULES.guides {
            let (kind, _) = PageKind::from_shipped_path(guide.path).expect(guide.path);
            kinds.push(kind);
        }
        for kind in PageKind::all() {
            assert!(kinds.contains(&kind), "{kind:?}");
            assert_eq!(kind.row().kind, kind);
        }
    }

    #[test]
    fn keys_follow_the_kind() {
        let key = |kind: PageKind, rest, named| kind.key(rest, named);
        assert_eq!(key(PageKind::Skills, "a/SKILL.md", Some("tester")), "tester");
        assert_eq!(key(PageKind::Skills, "a/SKILL.md", None), "a");
        assert_eq!(key(PageKind::Knowledge, "data/redis.md", Some("Redis")), "data/redis");
        assert_eq!(key(PageKind::Workflows, "deep/review.md", Some("x")), "review");
        assert_eq!(key(PageKind::Protocol, "AGENTS.md", None), "agents");
        assert!(PageKind::Skills.contains("a/SKILL.md") && PageKind::Skills.contains("matrix.md"));
        assert!(!PageKind::Skills.contains("a/references/list.md"));
        assert!(
            !PageKind::Rules.contains("team/ReadMe.md")
                && PageKind::Rules.contains("team/names.md")
        );
    }
}
