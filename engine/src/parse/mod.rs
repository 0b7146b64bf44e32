//! Parsers for hand-written files, returning models with spans. A parser returns the parts that it
//! could read, together with the positions of errors; it never returns `Err` for a whole file.

pub mod assign;
pub mod comments;
pub mod dockerfile;
pub mod document;
pub mod expressions;
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
