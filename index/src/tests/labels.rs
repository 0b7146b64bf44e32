//! The purity of labelled functions. The labels were written independently of the inference. The files
//! `tune*` were read while it was written, the files `held*` were not until it was first measured. The
//! files `second*` are a second set, which was written later and measured in the same way.

use crate::purity::functions_of;
use std::collections::BTreeMap;
use std::fs;
use std::path::Path;

/// Language → the least number of pure functions that are recognised, and the number of pure functions.
const FLOORS: &[(&str, usize, usize)] = &[
    ("go", 104, 131),
    ("javascript", 107, 127),
    ("python", 102, 121),
    ("rust", 94, 115),
    ("typescript", 104, 119),
];

#[test]
fn no_function_with_a_known_effect_is_called_pure_and_most_pure_functions_are_recognised() {
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("../tests/purity");
    for (language, floor, pure) in FLOORS {
        let dir = root.join(language);
        let labels = fs::read_to_string(dir.join("labels.tsv")).expect("labels");
        let mut levels: BTreeMap<(String, String), String> = BTreeMap::new();
        let (mut found, mut count, mut labelled, mut wrong) = (0, 0, 0, Vec::new());
        for line in labels.lines().skip(1) {
            let mut cells = line.split('\t');
            let mut cell = || cells.next().expect("a cell").to_owned();
            let (file, function, label) = (cell(), cell().replace("::", "."), cell());
            if !levels.keys().any(|(known, _)| *known == file) {
                let text = fs::read_to_string(dir.join(&file)).expect("code");
                let functions = functions_of(&file, &text).expect("a supported language");
                levels.extend(functions.into_iter().map(|found| {
                    ((file.clone(), found.function.replace("::", ".")), found.purity_level)
                }));
            }
            labelled += 1;
            let level = levels.get(&(file.clone(), function.clone())).expect("a function");
            count += usize::from(label == "pure");
            found += usize::from(label == "pure" && level == "pure");
            if label == "effectful" && level == "pure" {
                wrong.push(format!("{file} {function}"));
            }
        }
        assert!(labelled >= 200, "{language}: {labelled} labels");
        assert!(wrong.is_empty(), "{language}: called pure: {}", wrong.join(", "));
        assert_eq!(count, *pure, "{language}");
        assert!(found >= *floor, "{language}: {found} of {count} pure functions are recognised");
    }
}
