//! One model of elements, attributes and text over HTML, server templates, JSX, Vue, Svelte, Angular
//! and Astro. A rule is written once over [`Document`] and applies to all of them.
//!
//! The model separates what the source shows from what is known only when the program runs: see
//! [`Value`], [`AttributeKind::Spread`] and [`Node::Block`]. Parsing is linear, never fails and never
//! recurses on the depth of the input, except for JSX, whose tree the caller parses on a
//! sufficient stack.
//!
//! ```
//! use aidd_markup::{Document, Language};
//!
//! let document = Document::parse(r#"<p><img :src="photo" alt></p>"#, Language::Vue);
//! let image = document.elements().find(|element| element.name() == "img");
//! // Only the root block `<template>` of a Vue component contains elements.
//! assert!(image.is_none());
//!
//! let document = Document::parse(r#"<p><img src="{{ photo }}" alt></p>"#, Language::Html);
//! let image = document.elements().find(|element| element.name() == "img").expect("an image");
//! assert_eq!(image.value("alt").and_then(|value| value.text()), Some(""));
//! assert!(image.value("src").is_some_and(|value| value.is_dynamic()));
//! assert_eq!(image.parent().map(|parent| parent.name()), Some("p"));
//! ```

mod attributes;
mod builder;
mod html;
mod jsx;
mod model;
mod page;
pub mod tags;
#[cfg(test)]
mod tests;

pub use model::{Attribute, AttributeKind, Block, Document, Element, Node, Value};

/// The language of a file with markup.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Language {
    /// HTML, also with the tags of a template language such as Jinja, ERB, Handlebars, Go or PHP.
    Html,
    /// JavaScript or TypeScript with JSX.
    Jsx,
    /// A single-file component of Vue.
    Vue,
    /// A component of Svelte.
    Svelte,
    /// A template of Angular.
    Angular,
    /// A component of Astro.
    Astro,
}

impl Language {
    /// The language of the file at `path`, by its extension. Scripts are JSX only with the
    /// extensions `jsx`, `tsx` and `js`.
    #[must_use]
    pub fn of_path(path: &str) -> Option<Self> {
        let name = path.rsplit('/').next().unwrap_or(path);
        let (stem, extension) = name.rsplit_once('.')?;
        Some(match extension {
            "html" | "htm" if stem.ends_with(".component") => Self::Angular,
            "html" | "htm" | "xhtml" | "erb" | "ejs" | "hbs" | "handlebars" | "mustache"
            | "njk" | "twig" | "liquid" | "gohtml" | "phtml" | "jsp" | "ftl" | "ftlh"
            | "cshtml" | "heex" | "leex" => {
                if extension == "erb" && stem.contains('.') && !stem.ends_with(".html") {
                    return None;
                }
                Self::Html
            }
            "eex" | "j2" | "jinja" | "jinja2" | "tmpl" if stem.ends_with(".html") => Self::Html,
            "php" if stem.ends_with(".blade") => Self::Html,
            "jsx" | "tsx" | "js" => Self::Jsx,
            "vue" => Self::Vue,
            "svelte" => Self::Svelte,
            "astro" => Self::Astro,
            _ => return None,
        })
    }
}

impl<'a> Document<'a> {
    /// Parses a text in any language but JSX, for which the result is empty.
    #[must_use]
    pub fn parse(text: &'a str, language: Language) -> Self {
        html::parse(text, language)
    }

    /// The elements in the syntax tree of a script. The walk recurses on the depth of the tree, as
    /// the parser does: call it on the same stack.
    #[must_use]
    pub fn of_program(text: &'a str, program: &oxc_ast::ast::Program<'a>) -> Self {
        jsx::build(text, program)
    }
}
