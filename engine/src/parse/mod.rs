//! Spanned models of what people write. Each parser returns what it understood together with the
//! places it did not, never an error in place of the file.

pub mod dockerfile;
pub mod markdown;
pub mod shell;
