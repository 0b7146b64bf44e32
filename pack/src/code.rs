//! What packs need of the code index. The answers and the rendered packs are stored with the state of
//! the index that they belong to, so that a build in which nothing changed only compares.

use crate::{Pack, PackError, place};
use aidd_engine::parse::lines::id::digest;
use aidd_engine::text::files::{Disk, stamp_of};
use aidd_index::options::{OptionDefault, option_defaults};
use aidd_index::query::context::Use;
use aidd_index::query::{Reader, SymbolRow};
use aidd_index::{ChangedLines, IndexError};
use serde::{Deserialize, Serialize};
use std::collections::BTreeMap;
use std::path::Path;

/// The file with the stored answers, relative to the root; Git ignores it like the index.
const PATH: &str = ".aidd/data.packs.json";
/// Maximum number of documented types and constants.
const MAX_SYMBOLS: u32 = 20;
/// Maximum number of symbols that are ranked.
const MAX_USED: u32 = 40;
/// Maximum number of callers of a symbol.
const MAX_CALLERS: u32 = 3;
/// Maximum number of files whose options are read, and of bytes of each and of all.
const MAX_OPTION_FILES: u32 = 16;
const MAX_OPTION_BYTES: u64 = 64 << 10;
const MAX_OPTIONS_TOTAL: usize = 128 << 10;

/// The answers about one state of the index.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
struct Answers {
    /// The mark of the state.
    generation: Option<String>,
    types: Option<Vec<SymbolRow>>,
    constants: Option<Vec<(SymbolRow, String)>>,
    options: Option<Vec<(String, OptionDefault)>>,
    used: Option<Vec<SymbolRow>>,
    /// The id of a symbol → its first callers.
    callers: BTreeMap<i64, Vec<Use>>,
    /// The hash of a commit → the lines that differ from it.
    changed: BTreeMap<String, ChangedLines>,
}

/// A pack as it was rendered last.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
struct Rendered {
    /// A digest of everything that determines the text.
    input: String,
    /// A digest of the text.
    text: String,
}

#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
struct Stored {
    /// The program that stored the answers.
    program: String,
    answers: Answers,
    /// The path of a pack → what is known about its text.
    rendered: BTreeMap<String, Rendered>,
}

/// The code index, with the answers that are known already.
#[derive(Debug)]
pub(crate) struct Code<'r> {
    reader: &'r Reader,
    stored: Stored,
    /// The stored answers as they were read; `None` if answers are not stored.
    before: Option<Stored>,
}

/// The program: its version, and the time and size of its file, which another build does not have.
fn program() -> String {
    let stamp = std::env::current_exe().ok().and_then(|path| stamp_of(&path));
    format!("{} {stamp:?}", env!("CARGO_PKG_VERSION"))
}

impl<'r> Code<'r> {
    /// The index without stored answers.
    pub(crate) fn new(reader: &'r Reader) -> Self {
        Self { reader, stored: Stored::default(), before: None }
    }

    /// The index with the answers that are stored for its state.
    pub(crate) fn load(root: &Path, reader: &'r Reader) -> Result<Self, PackError> {
        let text = place::read(root, PATH).ok().flatten().unwrap_or_default();
        let before: Stored = serde_json::from_str(&text).unwrap_or_default();
        let (program, generation) = (program(), reader.generation()?);
        let mut stored = Stored { program, ..Stored::default() };
        if before.program == stored.program {
            stored.rendered.clone_from(&before.rendered);
            if generation.is_some() && before.answers.generation == generation {
                stored.answers = before.answers.clone();
            }
        }
        stored.answers.generation = generation;
        Ok(Self { reader, stored, before: Some(before) })
    }

    /// Stores the answers, if there are new ones.
    pub(crate) fn save(&self, root: &Path) {
        if self.before.as_ref().is_none_or(|before| *before == self.stored) {
            return;
        }
        // Without stored answers, the next build is only slower.
        if let Ok(text) = serde_json::to_string(&self.stored) {
            let _ = place::write(root, PATH, &text);
        }
    }

    pub(crate) fn types(&mut self) -> Result<Vec<SymbolRow>, IndexError> {
        let answer = || self.reader.documented_types(MAX_SYMBOLS);
        known_or(&mut self.stored.answers.types, answer)
    }

    pub(crate) fn constants(&mut self) -> Result<Vec<(SymbolRow, String)>, IndexError> {
        let answer = || self.reader.documented_constants(MAX_SYMBOLS);
        known_or(&mut self.stored.answers.constants, answer)
    }

    /// The most used symbols.
    pub(crate) fn used(&mut self) -> Result<Vec<SymbolRow>, IndexError> {
        let answer = || self.reader.most_used(MAX_USED);
        known_or(&mut self.stored.answers.used, answer)
    }

    /// The options of the command line with a default, each with the path of its file.
    pub(crate) fn options(
        &mut self,
        disk: &Disk,
    ) -> Result<Vec<(String, OptionDefault)>, IndexError> {
        let answer = || {
            let (mut found, mut total) = (Vec::new(), 0);
            for path in self.reader.files_with_options(MAX_OPTION_FILES)? {
                let text = place::document(disk, &path, MAX_OPTION_BYTES).unwrap_or_default();
                total += text.len();
                if total > MAX_OPTIONS_TOTAL {
                    break;
                }
                let options = option_defaults(&path, &text).into_iter();
                found.extend(options.map(|option| (path.clone(), option)));
            }
            Ok(found)
        };
        known_or(&mut self.stored.answers.options, answer)
    }

    pub(crate) fn callers(&mut self, symbol: &SymbolRow) -> Result<Vec<Use>, IndexError> {
        if let Some(known) = self.stored.answers.callers.get(&symbol.id) {
            return Ok(known.clone());
        }
        let found = self.reader.first_callers(symbol, MAX_CALLERS)?;
        self.stored.answers.callers.insert(symbol.id, found.clone());
        Ok(found)
    }

    /// The lines of indexed files that differ from a commit; `read` compares the files.
    pub(crate) fn changed(
        &mut self,
        commit: &str,
        read: impl FnOnce() -> Result<ChangedLines, IndexError>,
    ) -> Result<ChangedLines, IndexError> {
        if let Some(known) = self.stored.answers.changed.get(commit) {
            return Ok(known.clone());
        }
        let mut found = ChangedLines::new();
        for (path, lines) in read()? {
            if self.reader.content_hash(&path)?.is_some() {
                found.insert(path, lines);
            }
        }
        self.stored.answers.changed.insert(commit.to_owned(), found.clone());
        Ok(found)
    }

    pub(crate) fn reader(&self) -> &'r Reader {
        self.reader
    }

    /// The stored text of the pack at `path`, if it was rendered from this input and was not changed.
    pub(crate) fn rendered(&self, root: &Path, path: &str, input: &str) -> Option<String> {
        let known = self.stored.rendered.get(path).filter(|known| known.input == input)?;
        let text = place::read(root, path).ok()??;
        (digest(&[&text]) == known.text).then_some(text)
    }

    /// Remembers from which input a pack was rendered.
    pub(crate) fn remember(&mut self, pack: &Pack, input: String) {
        let rendered = Rendered { input, text: digest(&[&pack.text]) };
        self.stored.rendered.insert(pack.path.clone(), rendered);
    }
}

fn known_or<T: Clone>(
    known: &mut Option<T>,
    answer: impl FnOnce() -> Result<T, IndexError>,
) -> Result<T, IndexError> {
    if let Some(known) = known {
        return Ok(known.clone());
    }
    Ok(known.insert(answer()?).clone())
}
