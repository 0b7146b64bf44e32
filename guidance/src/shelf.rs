//! The sorts of pages, where each lies, and what makes two pages the same one.

/// A sort of pages.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Shelf {
    /// `AGENTS.md`: what an agent does here.
    Protocol,
    /// What is said of all roles.
    Agents,
    /// `skills/<role>/SKILL.md`.
    Skills,
    /// Rules in words.
    Rules,
    /// Steps with roles and gates.
    Workflows,
    /// Forms to fill in, and the tables of routing.
    Templates,
    /// How the method itself works.
    Specs,
    /// `knowledge/<category>/<technology>.md`.
    Knowledge,
    /// Prompts that a person picks.
    Prompts,
}

/// What makes a project's page take the place of a shipped one.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Same {
    /// The page is the only one of its sort.
    Whole,
    /// Their file names.
    FileName,
    /// What their headers call them, else their folder.
    RoleName,
    /// Their paths below the folder.
    Path,
}

/// One row a sort: its folder in a project, its folder as shipped, what makes two pages one, and
/// whether a project may have its own.
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
    /// Every one, in the order of this page.
    pub fn all() -> impl Iterator<Item = Self> {
        ROWS.iter().map(|row| row.shelf)
    }

    fn row(self) -> &'static Row {
        // Every variant has its row; the test below sees to it.
        ROWS.iter().find(|row| row.shelf == self).unwrap_or(&ROWS[0])
    }

    /// Its word in configurations and URIs.
    #[must_use]
    pub fn word(self) -> &'static str {
        self.row().word
    }

    /// Its folder (or file) in a project, unless configured otherwise.
    #[must_use]
    pub fn folder(self) -> &'static str {
        self.row().own
    }

    /// Whether a project's pages of this sort count.
    #[must_use]
    pub fn is_open(self) -> bool {
        self.row().is_open
    }

    /// The sort of the shipped page at `path`.
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

    /// Whether the file at `rest`, a path below the folder, is a page of this sort: a README tells of
    /// the folder, and what lies beside a `SKILL.md` belongs to it.
    #[must_use]
    pub fn takes(self, rest: &str) -> bool {
        let file = rest.rsplit('/').next().unwrap_or(rest);
        let is_skill = file.eq_ignore_ascii_case("SKILL.md");
        !file.eq_ignore_ascii_case("README.md")
            && (self.row().same != Same::RoleName || is_skill || !rest.contains('/'))
    }

    /// Whether two files of one name in different folders are two pages all the same.
    pub(super) fn tells_folders_apart(self) -> bool {
        self.row().same == Same::FileName
    }

    /// The name by which pages of this sort are told apart: `rest` is the path below the folder,
    /// `named` what the header calls it.
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
