//! Pages of the project that aidd changes, such as the project record.

use crate::MemoryError;
use crate::project::ProjectMemory;

impl ProjectMemory {
    /// Replaces the file at `path`, relative to the root, with what `change` returns for its current
    /// text (`None` if the file does not exist). No other process writes through the memory in the
    /// meantime. Returns the text as it was written.
    ///
    /// # Errors
    /// When `change` fails, or the file cannot be read or written.
    pub fn change_page(
        &mut self,
        path: &str,
        change: &mut dyn FnMut(Option<&str>) -> Result<String, MemoryError>,
    ) -> Result<String, MemoryError> {
        let _lock = self.journal.lock()?;
        let bytes = self.journal.read(path)?.map(|(bytes, _)| bytes);
        let not_utf8 = |_| MemoryError::Invalid(format!("{path} is not UTF-8"));
        let current = bytes.map(String::from_utf8).transpose().map_err(not_utf8)?;
        let text = self.gate.clean(&change(current.as_deref())?)?.into_inner();
        self.journal.write(path, &text)?;
        Ok(text)
    }

    /// A text without its secret and private parts.
    ///
    /// # Errors
    /// When the secrets rules cannot be used; a test ensures that they can be used.
    pub fn clean_text(&self, text: &str) -> Result<String, MemoryError> {
        Ok(self.gate.clean(&text.to_owned())?.into_inner())
    }
}
