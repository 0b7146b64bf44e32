//! Files that are larger than `maxFileSize`. Most checks do not run on them, but some families check
//! files that are often large.

use super::ids::Occurrences;
use super::{CheckResult, Depth, Engine};
use crate::text::files::Files;
use crate::text::source::Source;

/// Maximum size in bytes of a file that families check although it exceeds `maxFileSize`.
pub const MAX_LARGE_FILE: u64 = 16 << 20;

impl Engine {
    /// Whether a family checks the file of `size` bytes at `path` although it exceeds the limit.
    /// `head` is the text of the file or its beginning.
    #[must_use]
    pub fn checks_large(&self, path: &str, head: &str, size: u64) -> bool {
        let mut families = self.distribution.families.iter();
        size <= MAX_LARGE_FILE
            && families.any(|family| {
                (family.checks_large)(path, head)
                    && (family.rules)().into_iter().any(|rule| self.is_enabled_anywhere(rule))
            })
    }

    /// Finds secrets, and checks the file with the families that check large files.
    #[must_use]
    pub fn check_large(&self, source: &Source, files: &dyn Files) -> CheckResult {
        let settings = self.settings(source.path());
        let mut checked = self.check_catching_panic(&settings, source, files, Depth::Large);
        self.set_ids(source, &mut checked.findings, &mut Occurrences::default());
        checked
    }
}
