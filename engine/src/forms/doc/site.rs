//! Resolves links on the pages of a site: addresses that begin with `/`, static directories, and
//! links without an extension.

use crate::text::files::Files;
use crate::text::paths::{join, parent_dir, upwards};

/// Directories whose files a web server or a site generator serves from `/`.
const STATIC_DIRS: [&str; 6] = ["public", "static", "assets", "www", "content", "docs"];

/// Files and directories that mark the root of a site, by generator.
const MARKERS: [&str; 44] = [
    "docusaurus.config.js",
    "docusaurus.config.ts",
    "docusaurus.config.mjs",
    "docusaurus.config.cjs",
    "mkdocs.yml",
    "mkdocs.yaml",
    "properdocs.yml",
    "zensical.toml",
    ".vitepress/config.js",
    ".vitepress/config.ts",
    ".vitepress/config.mts",
    ".vitepress/config.mjs",
    ".vuepress/config.js",
    ".vuepress/config.ts",
    "hugo.toml",
    "hugo.yaml",
    "hugo.yml",
    "hugo.json",
    "archetypes/default.md",
    "next.config.js",
    "next.config.mjs",
    "next.config.ts",
    "nuxt.config.ts",
    "nuxt.config.js",
    "astro.config.mjs",
    "astro.config.ts",
    "astro.config.js",
    "gatsby-config.js",
    "gatsby-config.ts",
    "svelte.config.js",
    ".eleventy.js",
    "eleventy.config.js",
    "eleventy.config.mjs",
    "_config.yml",
    "_config.toml",
    "book.toml",
    "SUMMARY.md",
    "_sidebar.md",
    "antora.yml",
    "mint.json",
    "docs.json",
    "_quarto.yml",
    "rspress.config.ts",
    "config/_default/hugo.toml",
];

/// Suffixes of the files that a link without an extension can lead to on a site.
const PAGE_SUFFIXES: [&str; 6] =
    [".md", ".mdx", "/index.md", "/index.mdx", "/README.md", "/_index.md"];

/// Resolves a site address (without the leading `/`) that is used on the page at `from`. Returns the
/// first path that exists: below the root, below a directory above the page, or below a static
/// directory of one of these.
pub(super) fn resolve_address(
    from: &str,
    address: &str,
    exists: &dyn Fn(&str) -> bool,
) -> Option<String> {
    let above: Vec<&str> = upwards(parent_dir(from)).collect();
    let in_dir = |dir: &str| {
        let bases = std::iter::once(dir.to_owned())
            .chain(STATIC_DIRS.iter().filter_map(|name| join(dir, name)));
        bases
            .into_iter()
            .filter_map(|base| join(&base, address))
            .find(|path| !path.is_empty() && exists(path))
    };
    // The root comes first, because platforms that host repositories resolve such addresses there.
    in_dir("").or_else(|| above.into_iter().find_map(in_dir))
}

/// Whether the page at `from` belongs to a site: a directory above it has the configuration of a
/// generator, or the page has front matter.
pub(super) fn is_on_site(from: &str, text: &str, files: &dyn Files) -> bool {
    let has_front_matter = text.trim_start_matches('\u{feff}').starts_with("---\n")
        || text.trim_start_matches('\u{feff}').starts_with("---\r\n");
    let is_root = |dir: &str| {
        MARKERS.iter().filter_map(|name| join(dir, name)).any(|path| files.exists(&path))
    };
    has_front_matter || upwards(parent_dir(from)).any(is_root)
}

/// Whether a page exists for a relative link to `path` on a site. The link can omit the extension
/// or the name of the index page, or refer to the generated `.html` file.
pub(super) fn has_page(path: &str, files: &dyn Files) -> bool {
    let stem = path.strip_suffix(".html").unwrap_or(path).trim_end_matches('/');
    PAGE_SUFFIXES.iter().any(|suffix| files.exists(&format!("{stem}{suffix}")))
}
