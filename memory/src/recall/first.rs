//! Selects the first items in an order without holding all items.

use std::cmp::Ordering;

/// Minimum number of items that are held, so that small limits do not select again and again.
const MIN_HELD: usize = 64;

/// The first `limit` of the items that were added.
pub(super) struct First<T, F> {
    limit: usize,
    compare: F,
    items: Vec<T>,
    /// The last of the first `limit` items, once there were more items.
    last: Option<T>,
}

impl<T: Copy, F: Fn(&T, &T) -> Ordering> First<T, F> {
    /// Selects the first `limit` items in the order of `compare`, which must be total.
    pub(super) fn new(limit: usize, compare: F) -> Self {
        Self { limit, compare, items: Vec::new(), last: None }
    }

    /// Adds an item if it is among the first.
    pub(super) fn add(&mut self, item: T) {
        let is_after = |last: &T| (self.compare)(&item, last).is_gt();
        if self.limit == 0 || self.last.as_ref().is_some_and(is_after) {
            return;
        }
        self.items.push(item);
        if self.items.len() >= self.limit.saturating_mul(2).max(MIN_HELD) {
            self.truncate();
        }
    }

    fn truncate(&mut self) {
        if self.items.len() > self.limit && self.limit > 0 {
            let (_, last, _) =
                self.items.select_nth_unstable_by(self.limit - 1, |a, b| (self.compare)(a, b));
            self.last = Some(*last);
            self.items.truncate(self.limit);
        }
    }

    /// The selected items in their order.
    pub(super) fn finish(mut self) -> Vec<T> {
        self.truncate();
        self.items.sort_unstable_by(|a, b| (self.compare)(a, b));
        self.items
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::{any, proptest};

    proptest! {
        #[test]
        fn the_first_items_are_those_of_the_sorted_list(
            items in proptest::collection::vec(any::<u8>(), 0..600),
            limit in 0_usize..90,
        ) {
            let mut first = First::new(limit, u8::cmp);
            items.iter().for_each(|item| first.add(*item));
            let mut sorted = items;
            sorted.sort_unstable();
            sorted.truncate(limit);
            assert_eq!(first.finish(), sorted);
        }
    }
}
