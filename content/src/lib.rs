//! The words aidd ships. Rule pages lie in `rules/<kind>/<name>.md`; the build script finds them,
//! reads their headers and compiles them into one table, so that a start parses no Markdown.

pub mod embedding;
pub mod page;

include!(concat!(env!("OUT_DIR"), "/pages.rs"));

/// A shipped rule page.
pub struct Shipped {
    /// The rule id: folder and file name.
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
