//! The case of instruction keywords: upper or lower, as in most of the file.

use aidd_engine::parse::dockerfile::{Dockerfile, Instruction, Keyword};
use aidd_engine::text::source::Source;
use std::borrow::Cow;

/// The case of a file's keywords.
#[derive(Clone, Copy)]
pub(super) enum Casing {
    Lower,
    Upper,
}

impl Casing {
    /// The case of most keywords; upper case if both cases are equally frequent.
    pub(super) fn from_file(file: &Dockerfile, source: &Source) -> Self {
        let count = |has_other: fn(char) -> bool| {
            let is_cased =
                |instruction: &&Instruction| !source.slice(instruction.keyword).contains(has_other);
            let known =
                file.instructions.iter().filter(|instruction| instruction.kind != Keyword::Unknown);
            known.filter(is_cased).count()
        };
        let (lower, upper) = (count(char::is_uppercase), count(char::is_lowercase));
        if lower > upper { Self::Lower } else { Self::Upper }
    }

    /// A keyword in this case; `keyword` is in upper case.
    pub(super) fn apply(self, keyword: &str) -> Cow<'_, str> {
        match self {
            Self::Lower => keyword.to_ascii_lowercase().into(),
            Self::Upper => keyword.into(),
        }
    }
}
