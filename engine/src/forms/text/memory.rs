//! The memory of compiled text patterns, which grows with the kinds of files that are checked.

use super::{CompiledPattern, TextPattern, TextPatterns};

impl TextPatterns {
    /// The heap memory of the expressions that are compiled so far, of the caches of their searches
    /// and of the keywords' automatons, in bytes.
    pub(crate) fn memory(&self) -> usize {
        let compiled = self.patterns.iter().filter_map(TextPattern::compiled);
        self.prefilter.memory() + compiled.map(CompiledPattern::memory).sum::<usize>()
    }
}

impl TextPattern {
    fn compiled(&self) -> Option<&CompiledPattern> {
        self.prepared.get()?.compiled.get()?.as_ref()
    }
}

impl CompiledPattern {
    fn memory(&self) -> usize {
        let exceptions = self.unless.iter().chain(&self.unless_match);
        self.regex.memory() + exceptions.map(super::SharedRegex::memory).sum::<usize>()
    }
}
