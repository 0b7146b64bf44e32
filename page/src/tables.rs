//! The shipped pages as tables, written by the build script of `aidd-content`, so that no YAML or
//! Markdown is parsed at startup.

use crate::{Form, Header, PackHeader, Severity};

/// A shipped rule page or pack page.
#[derive(Clone, Copy, Debug)]
pub struct ShippedPage {
    /// The rule id (directory and file name), or the name of the pack.
    pub id: &'static str,
    /// The whole page, header included.
    pub text: &'static str,
}

/// A shipped guidance page: a role, a workflow, a template, a knowledge entry…
#[derive(Clone, Copy, Debug)]
pub struct Guide {
    /// The path, with `/`: `skills/backend-engineer/SKILL.md`.
    pub path: &'static str,
    /// The `name` in the header; empty when the header has none.
    pub name: &'static str,
    /// A one-line summary.
    pub summary: &'static str,
    /// The header as JSON.
    pub header: &'static str,
    /// The whole page, header included.
    pub text: &'static str,
    /// The offset in `text` of the Markdown below the header, in bytes.
    pub body: usize,
}

/// A file that `aidd init --client` writes, or whose content it adds to an existing file.
#[derive(Clone, Copy, Debug)]
pub struct Template {
    /// The client, which is also the name of its directory: `claude-code`.
    pub client: &'static str,
    /// The path in a project, with `/`.
    pub path: &'static str,
    /// The content. A line `<!-- aidd -->` is replaced with [`Tables::client_rules`].
    pub text: &'static str,
}

/// The fields of a shipped rule page that are needed at startup. They contain no pointers, because
/// every process would have to relocate the pointers before `main`.
#[derive(Clone, Copy, Debug)]
pub struct StartupFields {
    /// The severity of the rule's findings unless configured otherwise.
    pub severity: Severity,
    /// Whether the rule is enabled by default.
    pub enabled: bool,
    /// The form of the check, if the page has a check.
    pub form: Option<Form>,
    /// Whether the check has a `when` condition.
    pub has_condition: bool,
    /// Whether the check reports files without a match.
    pub requires: bool,
    /// The offset of the page's header in [`Tables::headers`], in bytes.
    pub at: u32,
}

/// An index from words to the pages they belong to, ordered by word, then page.
#[derive(Clone, Copy, Debug)]
pub struct WordIndex {
    /// All words, concatenated.
    pub text: &'static str,
    /// The start of each word in `text`, and the index of its page in [`Tables::pages`].
    pub at: &'static [(u32, u16)],
}

impl WordIndex {
    /// An empty index.
    pub const EMPTY: Self = Self { text: "", at: &[] };

    /// All words, with the index of their page.
    pub fn all(self) -> impl Iterator<Item = (&'static str, usize)> {
        (0..self.at.len()).map(move |index| (self.word(index), usize::from(self.at[index].1)))
    }

    /// The indexes of the pages of `word`.
    pub fn pages(self, word: &str) -> impl Iterator<Item = usize> {
        let (mut low, mut high) = (0, self.at.len());
        while low < high {
            let middle = usize::midpoint(low, high);
            if self.word(middle) < word { low = middle + 1 } else { high = middle }
        }
        let is_word = move |index: &usize| self.word(*index) == word;
        (low..self.at.len()).take_while(is_word).map(move |index| usize::from(self.at[index].1))
    }

    fn word(self, index: usize) -> &'static str {
        let end = self.at.get(index + 1).map_or(self.text.len(), |next| next.0 as usize);
        &self.text[self.at[index].0 as usize..end]
    }
}

/// The header fields of a rule page that are not in [`StartupFields`].
#[derive(Clone, Debug, Default)]
pub struct Details {
    /// Labels, such as `security` and `cwe-798`.
    pub tags: Vec<String>,
    /// Names of the same rule in other tools.
    pub aliases: Vec<String>,
    /// A score from 0.1 to 10.0, for rules with the tag `security`.
    pub security_severity: Option<String>,
    /// The subject of the rule in one sentence.
    pub summary: String,
    /// The message of the check's findings; `None` if the summary is used as the message.
    pub message: Option<String>,
    /// The remedy that the check's findings suggest.
    pub help: Option<String>,
    /// The rules of other tools that enforce the page.
    pub enforced_by: Vec<String>,
    /// The check in the page's header.
    pub check: Option<crate::CheckHeader>,
}

impl Details {
    /// The details of `header` and the summary of its page.
    #[must_use]
    pub fn new(header: Header, summary: String) -> Self {
        Self {
            tags: header.tags,
            aliases: header.aliases,
            security_severity: header.security_severity,
            summary,
            message: header.message,
            help: header.help,
            enforced_by: header.enforced_by.0,
            check: header.check,
        }
    }
}

/// The rule pages and packs shipped with a program.
#[derive(Debug)]
pub struct Tables {
    /// Every rule page, ordered by id.
    pub pages: &'static [ShippedPage],
    /// The fields of the pages that are needed at startup, in the same order.
    pub startup_fields: &'static [StartupFields],
    /// The headers and summaries of the pages, encoded with `postcard`.
    pub headers: &'static [u8],
    /// Ids and aliases of rules, in lower case.
    pub names: WordIndex,
    /// Keywords of text patterns, in lower case; the empty word for a pattern without keywords.
    pub keywords: WordIndex,
    /// Languages of syntax patterns, in lower case.
    pub languages: WordIndex,
    /// Every pack, ordered by id.
    pub packs: &'static [ShippedPage],
    /// The headers of the packs, encoded with `postcard`.
    pub pack_headers: &'static [u8],
    /// The offset of each pack's header in `pack_headers`, in bytes.
    pub packs_at: &'static [u32],
    /// The date of the most recent review of a shipped knowledge entry, `YYYY-MM-DD`.
    pub reviewed: &'static str,
    /// Every guidance page, ordered by path.
    pub guides: &'static [Guide],
    /// The client files that `aidd init --client` writes, ordered by client and path.
    pub templates: &'static [Template],
    /// The text about aidd in the rules file of each client.
    pub client_rules: &'static str,
    /// Example tasks with their expected routing: a heading `# ` with the id of a row of
    /// `templates/routing.md`, followed by one task per line. The lines under the heading `# -` are
    /// texts that must not be routed.
    pub tasks: &'static str,
}

impl Tables {
    /// Empty tables, for tests that need no pages.
    #[must_use]
    pub const fn empty() -> Self {
        Self {
            pages: &[],
            startup_fields: &[],
            headers: &[],
            names: WordIndex::EMPTY,
            keywords: WordIndex::EMPTY,
            languages: WordIndex::EMPTY,
            packs: &[],
            pack_headers: &[],
            packs_at: &[],
            reviewed: "",
            guides: &[],
            templates: &[],
            client_rules: "",
            tasks: "",
        }
    }

    /// The header and summary of the page at `index` of [`Tables::pages`]; `None` when out of
    /// range.
    ///
    /// # Panics
    /// Never: the build script writes the table with the same types.
    #[must_use]
    pub fn header(&self, index: usize) -> Option<(Header, String)> {
        let bytes = &self.headers[self.startup_fields.get(index)?.at as usize..];
        let (header, _) =
            postcard::take_from_bytes(bytes).expect("the build script wrote valid data");
        Some(header)
    }

    /// The details of the page at `index` of [`Tables::pages`], decoded on each call.
    #[must_use]
    pub fn details(&self, index: usize) -> Option<Details> {
        self.header(index).map(|(header, summary)| Details::new(header, summary))
    }

    /// The header of the pack `name`; `None` when there is no such pack.
    ///
    /// # Panics
    /// Never: the build script writes the table with the same types.
    #[must_use]
    pub fn pack(&self, name: &str) -> Option<PackHeader> {
        let index = self.packs.binary_search_by(|pack| pack.id.cmp(name)).ok()?;
        let bytes = &self.pack_headers[self.packs_at[index] as usize..];
        Some(postcard::take_from_bytes(bytes).expect("the build script wrote valid data").0)
    }
}
