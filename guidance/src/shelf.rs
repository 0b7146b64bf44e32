//! The kinds of pages, their directories, and the key that identifies a page.

/// A kind of page.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Shelf {
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
}

/// The key by which a project's page replaces a shipped one.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Same {
    /// There is only one page of this kind.
    Whole,
    /// The file name.
    FileName,
    /// The name in the header, otherwise the directory name.
    RoleName,
    /// The path below the directory.
    Path,
}

/// One row per kind: its directory in a project, its shipped directory, the key of a page, and
/// whether a project can have its own pages.
struct Row {
    shelf: Shelf,
    word: &'static str,
    own: &'static str,
    shipped: &'static str,
    same: Same,
    is_open: bool,
}

const ROWS: &[Row] = &[
    row(Shelf::Protocol, "agents", "AGENTS.md", "AGENTS.md", Same::Whole, true),
    row(Shelf::Agents, "agents", "agents", "agents", Same::FileName, true),
    row(Shelf::Skills, "skills", "skills", "skills", Same::RoleName, true),
    row(Shelf::Rules, "rules", "rules", "guidance/rules", Same::FileName, true),
    row(Shelf::Workflows, "workflows", "workflows", "workflows", Same::FileName, true),
    row(Shelf::Templates, "templates", "templates", "templates", Same::FileName, true),
    row(Shelf::Specs, "specs", "specs", "specs", Same::FileName, false),
    row(Shelf::Knowledge, "knowledge", "knowledge", "knowledge", Same::Path, true),
    row(Shelf::Prompts, "prompts", "prompts", "prompts", Same::FileName, false),
];

const fn row(
    shelf: Shelf,
    word: &'static str,
    own: &'static str,
    shipped: &'static str,
    same: Same,
    is_open: bool,
) -> Row {
    Row { shelf, word, own, shipped, same, is_open }
}

impl Shelf {
    /// Every kind, in declaration order.
    pub fn all() -> impl Iterator<Item = Self> {
        ROWS.iter().map(|row| row.shelf)
    }

    fn row(self) -> &'static Row {
        // Every variant has a row; a test below verifies it.
        ROWS.iter().find(|row| row.shelf == self).unwrap_or(&ROWS[0])
    }

    /// The identifier of the kind in configurations and URIs.
    #[must_use]
    pub fn word(self) -> &'static str {
        self.row().word
    }

    /// The directory (or file) in a project, unless configured otherwise.
    #[must_use]
    pub fn folder(self) -> &'static str {
        self.row().own
    }

    /// Whether a project's own pages of this kind are used.
    #[must_use]
    pub fn is_open(self) -> bool {
        self.row().is_open
    }

    /// The kind of the shipped page at `path`, and the rest of the path below the kind's directory.
    #[must_use]
    pub fn of_shipped(path: &str) -> Option<(Self, &str)> {
        ROWS.iter().find_map(|row| {
            let rest = path.strip_prefix(row.shipped)?;
            match rest.strip_prefix('/') {
                Some(rest) => Some((row.shelf, rest)),
                None => rest.is_empty().then_some((row.shelf, path)),
            }
        })
    }

    /// Whether the file at `rest`, a path below the directory, is a page of this kind. A README
    /// describes the directory, and other files in the directory of a `SKILL.md` belong to that
    /// skill.
    #[must_use]
    pub fn takes(self, rest: &str) -> bool {
        let file = rest.rsplit('/').next().unwrap_or(rest);
        let is_skill = file.eq_ignore_ascii_case("SKILL.md");
        !file.eq_ignore_ascii_case("README.md")
            && (self.row().same != Same::RoleName || is_skill || !rest.contains('/'))
    }

    /// Whether two files with the same name in different directories are distinct pages.
    pub(super) fn tells_folders_apart(self) -> bool {
        self.row().same == Same::FileName
    }

    /// The key of a page: `rest` is the path below the directory, `named` the name in its header.
    #[must_use]
    pub fn key(self, rest: &str, named: Option<&str>) -> String {
        let plain = rest.strip_suffix(".md").unwrap_or(rest);
        let file = plain.rsplit('/').next().unwrap_or(plain);
        match self.row().same {
            Same::Whole => self.word().to_owned(),
            Same::FileName => file.to_owned(),
            Same::Path => plain.to_owned(),
            Same::RoleName if file.eq_ignore_ascii_case("SKILL") => {
                let folder = plain.rsplit('/').nth(1);
                named.or(folder).unwrap_or(file).to_owned()
            }
            Same::RoleName => file.to_owned(),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_shipped_page_has_a_sort_and_every_sort_a_page() {
        let mut seen: Vec<Shelf> = Vec::new();
        for guide in aidd_content::RULES.guides {
            let (shelf, _) = Shelf::of_shipped(guide.path).expect(guide.path);
            seen.push(shelf);
        }
        for shelf in Shelf::all() {
            assert!(seen.contains(&shelf), "{shelf:?}");
            assert_eq!(shelf.row().shelf, shelf);
        }
    }

    #[test]
    fn keys_follow_the_sort() {
        let key = |shelf: Shelf, rest, named| shelf.key(rest, named);
        assert_eq!(key(Shelf::Skills, "a/SKILL.md", Some("tester")), "tester");
        assert_eq!(key(Shelf::Skills, "a/SKILL.md", None), "a");
        assert_eq!(key(Shelf::Knowledge, "data/redis.md", Some("Redis")), "data/redis");
        assert_eq!(key(Shelf::Workflows, "deep/review.md", Some("x")), "review");
        assert_eq!(key(Shelf::Protocol, "AGENTS.md", None), "agents");
        assert!(Shelf::Skills.takes("a/SKILL.md") && Shelf::Skills.takes("matrix.md"));
        assert!(!Shelf::Skills.takes("a/references/list.md"));
        assert!(!Shelf::Rules.takes("team/ReadMe.md") && Shelf::Rules.takes("team/names.md"));
    }
}
