//! The words aidd ships. Rule pages lie in `rules/<kind>/<name>.md`, guidance in the other folders;
//! the build script finds them, reads their headers and compiles them into tables, so that a start
//! parses no Markdown.

pub mod embedding;
pub mod page;
pub mod tables;

include!(concat!(env!("OUT_DIR"), "/pages.rs"));
include!(concat!(env!("OUT_DIR"), "/packs.rs"));
include!(concat!(env!("OUT_DIR"), "/guidance.rs"));
include!(concat!(env!("OUT_DIR"), "/clients.rs"));

/// A shipped page of guidance: a role, a workflow, a template, a knowledge entry…
#[derive(Clone, Copy, Debug)]
pub struct Guide {
    /// Its path, with `/`: `skills/backend-engineer/SKILL.md`.
    pub path: &'static str,
    /// The `name` in its header; empty when it has none.
    pub name: &'static str,
    /// One line on it.
    pub summary: &'static str,
    /// What stands between its `---` lines, as JSON.
    pub header: &'static str,
    /// The whole page.
    pub text: &'static str,
    /// Where in `text` the Markdown below the header begins, in bytes.
    pub body: usize,
}

/// A file that `aidd init --client` writes, or whose content it adds to one that is there.
#[derive(Clone, Copy, Debug)]
pub struct Template {
    /// The client: the name of the folder, `claude-code`.
    pub client: &'static str,
    /// Its path in a project, with `/`.
    pub path: &'static str,
    /// What it says. A line `<!-- aidd -->` stands for [`CLIENT_RULES`].
    pub text: &'static str,
}

/// The tokens of the public encoding `o200k_base`: a map of the `fst` crate from bytes to ranks.
pub static TOKENS: &[u8] = include_bytes!(concat!(env!("OUT_DIR"), "/tokens.fst"));

/// What an agent is told of aidd in the rules files of its client.
pub static CLIENT_RULES: &str = include_str!("../hooks/rules.md");

/// Tasks of which it is known where they belong: after `# `, the id of a row of
/// `templates/routing.md`, then a task a line. Those under `-` are no tasks.
pub static TASKS: &str = include_str!("../routing/tasks.txt");

/// A shipped rule page, or the page of a pack.
pub struct Shipped {
    /// The rule id: folder and file name; of a pack its name.
    pub id: &'static str,
    /// The whole page, header included.
    pub text: &'static str,
}

/// What a start needs to know of a shipped page. Numbers only: what holds a pointer is written anew
/// by every process before its first line runs.
#[derive(Clone, Copy, Debug)]
pub struct Head {
    /// How bad a finding is unless configured otherwise.
    pub severity: page::Severity,
    /// Whether the rule runs without being asked for.
    pub enabled: bool,
    /// The form of its check, if it has one.
    pub form: Option<page::Form>,
    /// Whether its check waits for a condition.
    pub waits: bool,
    /// Whether a file without a match of its check is what it finds.
    pub requires: bool,
    /// Where its header lies in the table of them.
    at: u32,
}

/// Words and the pages that they belong to, ordered by word, then page.
#[derive(Clone, Copy, Debug)]
pub struct Words {
    /// The words, one after another.
    text: &'static str,
    /// Where each begins, and the index of its page in [`PAGES`].
    at: &'static [(u32, u16)],
}

impl Words {
    /// All of them.
    pub fn all(self) -> impl Iterator<Item = (&'static str, usize)> {
        (0..self.at.len()).map(move |index| (self.word(index), usize::from(self.at[index].1)))
    }

    /// The pages of a word.
    pub fn pages(self, word: &str) -> impl Iterator<Item = usize> {
        let (mut low, mut high) = (0, self.at.len());
        while low < high {
            let middle = usize::midpoint(low, high);
            if self.word(middle) < word { low = middle + 1 } else { high = middle }
        }
        let is_it = move |index: &usize| self.word(*index) == word;
        (low..self.at.len()).take_while(is_it).map(move |index| usize::from(self.at[index].1))
    }

    fn word(self, index: usize) -> &'static str {
        let end = self.at.get(index + 1).map_or(self.text.len(), |next| next.0 as usize);
        &self.text[self.at[index].0 as usize..end]
    }
}

/// The header and summary of the page at `index` of [`PAGES`]; `None` when there is none.
///
/// # Panics
/// Never: the table is written by the same code at build time.
#[must_use]
pub fn header(index: usize) -> Option<(page::Header, String)> {
    let bytes = &HEADERS[HEADS.get(index)?.at as usize..];
    let (told, _) = postcard::take_from_bytes(bytes).expect("the build script wrote it");
    Some(told)
}

/// The header of the pack of this name; `None` when there is none.
///
/// # Panics
/// Never: the table is written by the same code at build time.
#[must_use]
pub fn pack(name: &str) -> Option<page::PackHeader> {
    let index = PACKS.binary_search_by(|pack| pack.id.cmp(name)).ok()?;
    let bytes = &PACK_HEADERS[PACKS_AT[index] as usize..];
    Some(postcard::take_from_bytes(bytes).expect("the build script wrote it").0)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_tables_say_what_the_pages_say() {
        assert_eq!(HEADS.len(), PAGES.len());
        for (index, (shipped, head)) in PAGES.iter().zip(HEADS).enumerate() {
            let read = page::header(shipped.text).expect("a header");
            let (stored, summary) = header(index).expect("a page");
            assert_eq!(stored, read, "{}", shipped.id);
            assert!(!summary.is_empty(), "{}", shipped.id);
            let check = read.check.as_ref();
            assert_eq!(
                (head.severity, head.enabled, head.form, head.waits, head.requires),
                (
                    read.severity,
                    read.enabled,
                    check.and_then(page::CheckHeader::form),
                    check.is_some_and(|check| !check.when.is_empty()),
                    check.is_some_and(page::CheckHeader::requires),
                ),
                "{}",
                shipped.id
            );
            for name in read.aliases.iter().map(String::as_str).chain([shipped.id]) {
                let name = name.to_ascii_lowercase();
                assert!(NAMES.pages(&name).any(|page| page == index), "{name}");
            }
            let text = check.and_then(|check| check.text.as_ref());
            for word in text.into_iter().flat_map(page::TextHeader::words) {
                assert!(KEYWORDS.pages(&word).any(|page| page == index), "{word}");
            }
            let syntax = check.and_then(|check| check.syntax.as_deref());
            for language in syntax.into_iter().flat_map(|syntax| &syntax.language) {
                let language = language.to_ascii_lowercase();
                assert!(LANGUAGES.pages(&language).any(|page| page == index), "{language}");
            }
        }
        assert_eq!(header(PAGES.len()), None);
        assert_eq!(NAMES.pages("").chain(NAMES.pages("no/such-rule")).count(), 0);
        assert_eq!(
            LANGUAGES.all().filter(|(word, _)| *word == "rust").count(),
            LANGUAGES.pages("rust").count()
        );
    }

    #[test]
    fn the_headers_of_packs_are_those_of_their_pages() {
        for shipped in PACKS {
            assert_eq!(pack(shipped.id), page::pack(shipped.text).ok(), "{}", shipped.id);
        }
        assert_eq!(pack("no-such-pack"), None);
    }
}
