//! The words aidd ships. Rule pages lie in `rules/<kind>/<name>.md`, guidance in the other folders;
//! the build script finds them, reads their headers and compiles them into tables, so that a start
//! parses no Markdown.

pub mod embedding;
pub mod page;

include!(concat!(env!("OUT_DIR"), "/pages.rs"));
include!(concat!(env!("OUT_DIR"), "/packs.rs"));
include!(concat!(env!("OUT_DIR"), "/guidance.rs"));
include!(concat!(env!("OUT_DIR"), "/clients.rs"));

/// A shipped page of guidance: a role, a workflow, a template, a knowledge entry…
#[derive(Clone, Copy, Debug)]
pub struct Guide {
    /// Its path, with `/`: `skills/backend-engineer/SKILL.md`.
    pub path: &'static str,
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

/// A shipped rule page, or the page of a pack.
pub struct Shipped {
    /// The rule id: folder and file name; of a pack its name.
    pub id: &'static str,
    /// The whole page, header included.
    pub text: &'static str,
}

/// The headers and summaries of [`PAGES`], in the same order.
///
/// # Panics
/// Never: the table is written by the same code at build time.
#[must_use]
pub fn headers() -> Vec<(page::Header, String)> {
    postcard::from_bytes(HEADERS).expect("the table is written by the build script")
}
