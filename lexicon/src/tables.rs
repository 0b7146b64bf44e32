//! Words and constants that validators, memory and guidance look up. Each `tables/<name>.txt` is a
//! module, compiled by the build script. A section of words is a [`List`]; a section of numbers is
//! a set of constants.

#[cfg(test)]
mod parse;

/// The entries of a section, stored as one string with offsets, because a static with pointers
/// would require relocation in every process before `main`.
#[derive(Clone, Copy, Debug)]
pub struct List {
    /// The entries, concatenated.
    text: &'static str,
    /// The offset of the start of each entry, in bytes.
    starts: &'static [u32],
    is_sorted: bool,
}

impl List {
    /// Iterates over the entries, in order.
    pub fn iter(self) -> impl Iterator<Item = &'static str> + Clone {
        (0..self.starts.len()).map(move |index| self.entry(index))
    }

    /// Whether `word` is an entry of the list.
    #[must_use]
    pub fn contains(self, word: &str) -> bool {
        if !self.is_sorted {
            return self.iter().any(|entry| entry == word);
        }
        let (mut low, mut high) = (0, self.starts.len());
        while low < high {
            let middle = usize::midpoint(low, high);
            match self.entry(middle).cmp(word) {
                std::cmp::Ordering::Less => low = middle + 1,
                std::cmp::Ordering::Greater => high = middle,
                std::cmp::Ordering::Equal => return true,
            }
        }
        false
    }

    /// The keys and values of entries `key = value`, in order; an entry without ` = ` has an empty
    /// value.
    pub fn pairs(self) -> impl Iterator<Item = (&'static str, &'static str)> {
        self.iter().map(|entry| entry.split_once(" = ").unwrap_or((entry, "")))
    }

    /// The entries joined by `|`, for use as alternatives in a regular expression.
    #[must_use]
    pub fn alternatives(self) -> String {
        self.iter().collect::<Vec<_>>().join("|")
    }

    fn entry(self, index: usize) -> &'static str {
        let end = self.starts.get(index + 1).map_or(self.text.len(), |next| *next as usize);
        &self.text[self.starts[index] as usize..end]
    }
}

/// A section of words with its name and note.
#[derive(Clone, Copy, Debug)]
pub struct Section {
    /// The name in brackets.
    pub name: &'static str,
    /// The text of the section's `note:`; empty if there is none.
    pub note: &'static str,
    /// The entries of the section.
    pub words: List,
}

include!(concat!(env!("OUT_DIR"), "/tables.rs"));

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn entries_of_lists_are_found() {
        let list = List { text: "abbcd", starts: &[0, 1, 3], is_sorted: true };
        assert_eq!(list.iter().collect::<Vec<_>>(), ["a", "bb", "cd"]);
        for word in ["a", "bb", "cd"] {
            assert!(list.contains(word), "{word}");
        }
        for word in ["", "b", "c", "cdd", "z"] {
            assert!(!list.contains(word), "{word}");
        }
        let list = List { text: "zaa = b", starts: &[0, 1], is_sorted: false };
        assert!(list.contains("z") && !list.contains("a"));
        assert_eq!(list.pairs().collect::<Vec<_>>(), [("z", ""), ("aa", "b")]);
        assert_eq!(list.alternatives(), "z|aa = b");
    }

    #[test]
    fn tables_are_compiled() {
        assert_eq!(errors::SECTIONS[0].name, "network");
        assert!(errors::SECTIONS[0].note.ends_with('?'));
        assert!(errors::TEST.contains("assert ") && runs::FILE_PROGRAMS.contains("["));
        const { assert!(scores::routing::SURE > 0.5) };
    }
}
