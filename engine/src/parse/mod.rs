//! Spanned models of what people write: text in, what was understood and the places that were not
//! out, never an `Err` in place of the file.

pub mod assign;
pub mod comments;
pub mod dockerfile;
pub mod document;
pub mod ini;
pub mod json;
pub mod json_schema;
pub mod lines;
pub mod markdown;
pub mod markup;
pub mod syntax;
pub mod tree;
pub mod values;
pub mod xml;
pub mod yaml;
