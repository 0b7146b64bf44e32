//! A list of paths in little memory.

/// Sorted paths. Each is stored as the number of bytes that it shares with the previous path, and the
/// remaining bytes; that is a third of the memory of one string per path.
#[derive(Debug, Default)]
pub(crate) struct PathList {
    remainders: Box<str>,
    /// For each path, the number of shared bytes and the length of the remainder.
    lengths: Box<[(u16, u16)]>,
}

impl PathList {
    /// `None` if a path is longer than 64 KiB; no operating system allows such paths.
    pub(crate) fn new<'p>(sorted: impl Iterator<Item = &'p str>) -> Option<Self> {
        let (mut remainders, mut lengths, mut previous) = (String::new(), Vec::new(), "");
        for path in sorted {
            let is_same = |(left, right): &(char, char)| left == right;
            let pairs = path.chars().zip(previous.chars()).take_while(is_same);
            let shared = pairs.map(|(character, _)| character.len_utf8()).sum();
            let remainder = &path[shared..];
            lengths.push((u16::try_from(shared).ok()?, u16::try_from(remainder.len()).ok()?));
            remainders.push_str(remainder);
            previous = path;
        }
        Some(Self { remainders: remainders.into(), lengths: lengths.into() })
    }

    /// The number of paths.
    pub(crate) fn len(&self) -> usize {
        self.lengths.len()
    }

    /// The paths in sorted order.
    pub(crate) fn iter(&self) -> impl Iterator<Item = String> {
        let (mut rest, mut path) = (&*self.remainders, String::new());
        self.lengths.iter().map(move |&(shared, length)| {
            let (remainder, later) = rest.split_at(usize::from(length));
            rest = later;
            path.truncate(usize::from(shared));
            path.push_str(remainder);
            path.clone()
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    proptest! {
        #[test]
        fn all_paths_are_stored(paths in proptest::collection::btree_set("[ab줄죽/]{0,6}", 0..40)) {
            let list = PathList::new(paths.iter().map(String::as_str)).expect("short paths");
            prop_assert_eq!(list.len(), paths.len());
            prop_assert!(list.iter().eq(paths));
        }
    }
}
