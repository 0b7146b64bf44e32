//! The names of the files in a directory, in one allocation: a project has tens of thousands of
//! files, and an allocation for each would need several times the memory of the names.

use std::cmp::Ordering;
use std::sync::Arc;

/// Sorted names of files.
#[derive(Clone, Debug, Default)]
pub(super) struct Names(
    /// The names, separated by `/`, which no name contains.
    Option<Arc<str>>,
);

impl Names {
    /// The sorted names of files.
    pub(super) fn new(mut names: Vec<&str>) -> Self {
        names.sort_unstable();
        Self((!names.is_empty()).then(|| names.join("/").into()))
    }

    pub(super) fn is_empty(&self) -> bool {
        self.0.is_none()
    }

    pub(super) fn iter(&self) -> impl Iterator<Item = &str> + Clone {
        self.0.iter().flat_map(|joined| joined.split('/'))
    }

    /// Whether `name` is one of the names; a binary search.
    pub(super) fn contains(&self, name: &str) -> bool {
        let mut rest = self.0.as_deref().unwrap_or_default().as_bytes();
        while !rest.is_empty() {
            let middle = rest.len() / 2;
            let start = memchr::memrchr(b'/', &rest[..middle]).map_or(0, |at| at + 1);
            let end = memchr::memchr(b'/', &rest[middle..]).map_or(rest.len(), |at| middle + at);
            match rest[start..end].cmp(name.as_bytes()) {
                Ordering::Equal => return true,
                Ordering::Less => rest = rest.get(end + 1..).unwrap_or_default(),
                Ordering::Greater => rest = &rest[..start.saturating_sub(1)],
            }
        }
        false
    }
}

impl PartialEq for Names {
    fn eq(&self, other: &Self) -> bool {
        match (&self.0, &other.0) {
            (Some(names), Some(others)) => Arc::ptr_eq(names, others) || names == others,
            (None, None) => true,
            _ => false,
        }
    }
}

impl Eq for Names {}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    proptest! {
        #[test]
        fn names_are_found(
            names in proptest::collection::btree_set("[a-c줄.]{1,4}", 0..40),
            other in "[a-c줄.]{1,4}",
        ) {
            let stored = Names::new(names.iter().rev().map(String::as_str).collect());
            prop_assert!(stored.iter().eq(names.iter()));
            prop_assert_eq!(stored.is_empty(), names.is_empty());
            prop_assert!(names.iter().all(|name| stored.contains(name)));
            prop_assert_eq!(stored.contains(&other), names.contains(&other));
            prop_assert!(!stored.contains(""));
        }
    }
}
