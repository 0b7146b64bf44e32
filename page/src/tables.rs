//! The shipped pages as tables: what the build script of `aidd-content` writes, so that a start
//! parses neither YAML nor Markdown.

use crate::{Form, Header, PackHeader, Severity};
use std::sync::OnceLock;

/// A shipped rule page, or the page of a pack.
#[derive(Clone, Copy, Debug)]
pub struct Shipped {
    /// The rule id: directory and file name; of a pack its name.
    pub id: &'static str,
    /// The whole page, header included.
    pub text: &'static str,
}

/// A shipped page of guidance: a role, a workflow, a template, a knowledge entry…
#[derive(Clone, Copy, Debug)]
pub struct Guide {
    /// Its path, with `/`: `skills/backend-engineer/SKILL.md`.
    pub path: &'static str,
    /// The `name` in its header; empty when it has none.
    pub name: &'static str,
    /// One line on it.
    pub summary: &'static str,
    /// Its header as JSON.
    pub header: &'static str,
    /// The whole page, header included.
    pub text: &'static str,
    /// The offset in `text` of the Markdown below the header, in bytes.
    pub body: usize,
}

/// A file that `aidd init --client` writes, or whose content it adds to an existing one.
#[derive(Clone, Copy, Debug)]
pub struct Template {
    /// The client: the name of its directory, `claude-code`.
    pub client: &'static str,
    /// Its path in a project, with `/`.
    pub path: &'static str,
    /// Its content. A line `<!-- aidd -->` is replaced by [`Tables::client_rules`].
    pub text: &'static str,
}

/// What a start needs to know of a shipped rule page. Numbers only: a pointer would be relocated by
/// every process before its first line runs.
#[derive(Clone, Copy, Debug)]
pub struct Head {
    /// How bad a finding is unless configured otherwise.
    pub severity: Severity,
    /// Whether the rule is on by default.
    pub enabled: bool,
    /// The form of its check, if it has one.
    pub form: Option<Form>,
    /// Whether its check has a condition.
    pub waits: bool,
    /// Whether a file without a match of its check is the finding.
    pub requires: bool,
    /// The offset of its header in [`Tables::headers`].
    pub at: u32,
}

/// Words and the pages that they belong to, ordered by word, then page.
#[derive(Clone, Copy, Debug)]
pub struct Words {
    /// The words, one after another.
    pub text: &'static str,
    /// The start of each word, and the index of its page in [`Tables::pages`].
    pub at: &'static [(u32, u16)],
}

impl Words {
    /// No words.
    pub const EMPTY: Self = Self { text: "", at: &[] };

    /// All of them, with the index of their page.
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

/// What the header of a rule page says, apart from its [`Head`].
#[derive(Clone, Debug, Default)]
pub struct Details {
    /// Free labels.
    pub tags: Vec<String>,
    /// What peers call it.
    pub aliases: Vec<String>,
    /// 0.1 to 10.0, for rules tagged `security`.
    pub security_severity: Option<String>,
    /// One sentence: what the rule is about.
    pub summary: String,
    /// What a finding of a pattern says; `None`: the summary.
    pub message: Option<String>,
    /// What a finding of a pattern advises.
    pub help: Option<String>,
    /// The rules of other tools that enforce the page.
    pub enforced_by: Vec<String>,
    /// The check in the page's header.
    pub check: Option<crate::CheckHeader>,
}

impl Details {
    /// Those of a header and the summary of its page.
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

/// The rule pages and packs that a program ships.
#[derive(Debug)]
pub struct Tables {
    /// Every rule page, ordered by id.
    pub pages: &'static [Shipped],
    /// What every start needs of the pages, in the same order.
    pub heads: &'static [Head],
    /// The headers and summaries of the pages, in the form of `postcard`.
    pub headers: &'static [u8],
    /// Ids and aliases of rules, in lower case.
    pub names: Words,
    /// Keywords of text patterns, in lower case; the empty one for a pattern without.
    pub keywords: Words,
    /// Languages of syntax patterns, in lower case.
    pub languages: Words,
    /// Every pack, ordered by id.
    pub packs: &'static [Shipped],
    /// The headers of the packs, in the form of `postcard`.
    pub pack_headers: &'static [u8],
    /// The offset of each pack's header.
    pub packs_at: &'static [u32],
    /// The day of the newest review among the shipped knowledge entries, `YYYY-MM-DD`.
    pub reviewed: &'static str,
    /// Every page of guidance, ordered by path.
    pub guides: &'static [Guide],
    /// The files of the clients of agents, ordered by client and path.
    pub templates: &'static [Template],
    /// What the rules file of each client says about aidd.
    pub client_rules: &'static str,
    /// Tasks whose routing is known: after `# `, the id of a row of `templates/routing.md`, then a
    /// task a line. Those under `-` are not tasks.
    pub tasks: &'static str,
    /// The details of the pages, each decoded once a process.
    pub details: OnceLock<Vec<OnceLock<Box<Details>>>>,
}

impl Tables {
    /// No pages: for tests of what needs none.
    #[must_use]
    pub const fn empty() -> Self {
        Self {
            pages: &[],
            heads: &[],
            headers: &[],
            names: Words::EMPTY,
            keywords: Words::EMPTY,
            languages: Words::EMPTY,
            packs: &[],
            pack_headers: &[],
            packs_at: &[],
            reviewed: "",
            guides: &[],
            templates: &[],
            client_rules: "",
            tasks: "",
            details: OnceLock::new(),
        }
    }

    /// The header and summary of the page at `index` of [`Tables::pages`]; `None` when there is none.
    ///
    /// # Panics
    /// Never: the build script writes the table with the same types.
    #[must_use]
    pub fn header(&self, index: usize) -> Option<(Header, String)> {
        let bytes = &self.headers[self.heads.get(index)?.at as usize..];
        let (header, _) = postcard::take_from_bytes(bytes).expect("the build script wrote it");
        Some(header)
    }

    /// The details of the page at `index` of [`Tables::pages`].
    ///
    /// # Panics
    /// When there is no such page: a fault in the caller.
    #[must_use]
    pub fn details(&self, index: usize) -> &Details {
        let all = self.details.get_or_init(|| vec![OnceLock::new(); self.pages.len()]);
        all[index].get_or_init(|| {
            let read = self.header(index);
            read.map(|(header, summary)| Box::new(Details::new(header, summary)))
                .unwrap_or_default()
        })
    }

    /// The header of the pack of this name; `None` when there is none.
    ///
    /// # Panics
    /// Never: the build script writes the table with the same types.
    #[must_use]
    pub fn pack(&self, name: &str) -> Option<PackHeader> {
        let index = self.packs.binary_search_by(|pack| pack.id.cmp(name)).ok()?;
        let bytes = &self.pack_headers[self.packs_at[index] as usize..];
        Some(postcard::take_from_bytes(bytes).expect("the build script wrote it").0)
    }
}
