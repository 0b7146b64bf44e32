//! Words and figures that validators, memory and guidance look up: `tables/<name>.txt`, a module
//! each, compiled by the build script. A section of words is a [`List`], a figure a constant.

#[cfg(test)]
mod parse;

/// The entries of a section. One text and numbers: what holds a pointer is written again by every
/// process before its first line runs.
#[derive(Clone, Copy, Debug)]
pub struct List {
    /// The entries, one after another.
    text: &'static str,
    /// Where each begins.
    starts: &'static [u32],
    is_sorted: bool,
}

impl List {
    /// The entries, in order.
    pub fn iter(self) -> impl Iterator<Item = &'static str> + Clone {
        (0..self.starts.len()).map(move |index| self.entry(index))
    }

    /// Whether `word` is an entry.
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

    /// The sides of entries `key = value`, in order; an entry without ` = ` has an empty value.
    pub fn pairs(self) -> impl Iterator<Item = (&'static str, &'static str)> {
        self.iter().map(|entry| entry.split_once(" = ").unwrap_or((entry, "")))
    }

    /// The alternatives of an expression: entries with `|` between them.
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
    /// Its name.
    pub name: &'static str,
    /// What its `note:` says; empty without one.
    pub note: &'static str,
    /// Its entries.
    pub words: List,
}

include!(concat!(env!("OUT_DIR"), "/tables.rs"));

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn lists_are_searched() {
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
        assert_eq!(scores::compatibility::CONFLICT, -50);
    }
}
