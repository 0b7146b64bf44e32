//! Settings of the rules on accessibility.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use std::collections::BTreeMap;

/// What the components of the project render.
#[derive(Clone, Debug, Default, PartialEq, Deserialize, Serialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct AccessibilityConfig {
    /// Component → the element of HTML that it renders with its attributes and content: `{ "Link":
    /// "a", "Image": "img" }`. The rules on accessibility check such a component like the element.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub components: Option<BTreeMap<String, ElementName>>,
    /// Properties that name the element of HTML that a component renders: with `["as"]`, `<Box
    /// as="img">` is checked like `<img>`.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub polymorphic: Option<Vec<String>>,
}

/// The name of an element of HTML.
#[derive(Clone, Debug, PartialEq, Eq, Deserialize, Serialize, JsonSchema)]
#[serde(transparent)]
pub struct ElementName(
    #[schemars(extend("enum" = [
        "a", "abbr", "area", "article", "aside", "audio", "blink", "blockquote", "button", "canvas", "caption",
        "code", "dd", "details", "dialog", "div", "dl", "dt", "em", "fieldset", "figcaption", "figure",
        "footer", "form", "h1", "h2", "h3", "h4", "h5", "h6", "header", "hr", "html", "iframe", "img",
        "input", "label", "legend", "li", "main", "marquee", "menu", "meta", "meter", "nav", "object", "ol",
        "optgroup", "option", "output", "p", "picture", "progress", "search", "section", "select",
        "span", "strong", "summary", "svg", "table", "tbody", "td", "textarea", "tfoot", "th", "thead",
        "time", "title", "tr", "track", "ul", "video"
    ]))]
    pub String,
);
