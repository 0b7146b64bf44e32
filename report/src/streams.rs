//! The input and output of a command.

use crate::{Output, Style};
use aidd_engine::check::Distribution;
use std::fmt;
use std::io::Read;
use std::path::PathBuf;

/// The streams of a command, its working directory and the rules.
pub struct Io<'a> {
    /// Standard input.
    pub stdin: &'a mut dyn Read,
    /// Standard output.
    pub out: Output<'a>,
    /// Standard error.
    pub err: Output<'a>,
    /// The directory that relative paths refer to.
    pub cwd: PathBuf,
    /// The style of standard output for [`When::Auto`].
    pub style: Style,
    /// The embedded rules.
    pub distribution: &'static Distribution,
}

impl fmt::Debug for Io<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Io")
            .field("cwd", &self.cwd)
            .field("style", &self.style)
            .finish_non_exhaustive()
    }
}

impl Io<'_> {
    /// The style of standard output for the value of `--color`.
    #[must_use]
    pub fn style(&self, color: When) -> Style {
        match color {
            When::Auto => self.style,
            When::Always => Style { color: true, ..self.style },
            When::Never => Style { color: false, hyperlinks: false, ..self.style },
        }
    }
}

/// When to use colours.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[cfg_attr(feature = "clap", derive(clap::ValueEnum))]
pub enum When {
    /// On a terminal, unless NO_COLOR is set.
    Auto,
    /// Colour even if the output is not a terminal.
    Always,
    /// No colour, whatever the terminal supports.
    Never,
}
