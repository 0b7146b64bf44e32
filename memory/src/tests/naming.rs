//! Memories by the files and symbols that they name.

use super::{decision, mistake, on_both_stores};
use crate::kinds::Convention;
use crate::permanent::NewMemory;

#[test]
fn memories_are_found_by_files_directories_and_symbols() {
    on_both_stores(|_, memory| {
        let first = decision("Only saveOrder writes orders", None);
        let second = decision("Keep src/store/ free of HTTP", None);
        let third = mistake("`write()` was called twice", "see src/store/orders.ts");
        let ids = [
            memory.save_decision(&first).expect("saved").id,
            memory.save_decision(&second).expect("saved").id,
            memory.save_mistake(&third).expect("saved").id,
        ];
        let convention = NewMemory::<Convention> {
            content: "People write orders in the plural".into(),
            ..NewMemory::default()
        };
        memory.save_convention(&convention).expect("saved");
        let mut ask = |files: &[&str], symbols: &[&str]| -> Vec<usize> {
            let owned = |all: &[&str]| all.iter().map(|&one| one.to_owned()).collect::<Vec<_>>();
            let found = memory.naming(&owned(files), &owned(symbols), 9).expect("read");
            let position = |id: &String| ids.iter().position(|known| known == id);
            let mut found: Vec<usize> =
                found.iter().map(|naming| position(&naming.brief.entry.id).unwrap_or(9)).collect();
            found.sort_unstable();
            found
        };
        assert_eq!(ask(&[], &["saveOrder"]), [0]);
        assert_eq!(ask(&[], &["Store.saveOrder"]), [0]);
        assert_eq!(ask(&[], &["saveOrders"]), [0_usize; 0]);
        assert_eq!(ask(&[], &["write"]), [2], "a plain word counts only as code");
        assert_eq!(ask(&["src/store/orders.ts"], &[]), [1, 2]);
        assert_eq!(ask(&["src/store/users.ts"], &[]), [1]);
        assert_eq!(ask(&["src/http/users.ts"], &["users"]), [0_usize; 0]);
    });
}
