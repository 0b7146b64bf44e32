//! What becomes of whole configurations. The lists of what there is are the tools' own, so that a
//! rule that nobody thought of cannot be missing here.

use super::alint::kinds;
use super::*;
use crate::check::{Engine, Selection};
use crate::config::Config;
use crate::examples;
use crate::files::{Listed, Memory};
use crate::listing::Listing;
use crate::registry::Registry;
use std::collections::{BTreeMap, BTreeSet};

/// Files as a project has them.
fn project(files: &[(&str, &str)]) -> (Memory, Listing) {
    let memory = Memory(files.iter().map(|(path, text)| ((*path).to_owned(), text.as_bytes().to_vec())).collect());
    let listing = Listing::new(memory.0.keys().cloned());
    (memory, listing)
}

fn made(files: &[(&str, &str)], tool: Tool) -> Import {
    let (memory, listing) = project(files);
    let files_of = Listed { files: &memory, listing: &listing };
    let path = files[0].0;
    assert_eq!(tool_of(&files_of, path), Ok(tool), "{path}");
    let import = import(&files_of, path, tool, ".aidd/rules").unwrap_or_else(|why| panic!("{why}"));
    assert_eq!(import.defects, Vec::<String>::new());
    holds(&import);
    import
}

/// Every page loads, and its examples hold.
fn holds(import: &Import) {
    let pages: Vec<_> = import.pages.iter().map(|page| (page.path.clone(), page.text.clone())).collect();
    let engine = Engine::new(Registry::new(&pages), &Config::default(), &Selection::default()).expect("an engine");
    for page in &import.pages {
        let rule = engine.registry().get(&page.id).unwrap_or_else(|| panic!("{} is not read", page.id));
        assert_eq!(crate::patterns::problems(rule), Vec::<String>::new(), "{}", page.text);
        if page.has_examples {
            assert_eq!(examples::run(&engine, rule), Vec::<String>::new(), "{}", page.text);
        }
    }
}

/// What was left, `item: why`.
fn left(import: &Import) -> Vec<String> {
    import.left.iter().map(|left| format!("{}: {}", left.item, left.why)).collect()
}

/// The form of a page's check.
fn form(page: &Page) -> &'static str {
    let header = aidd_content::page::header(&page.text).expect("a header");
    header.check.and_then(|check| check.form()).map_or("none", |form| form.key())
}

/// A rule of each kind of alint, by the schema of 0.21.0.
const ALINT: &str = include_str!("alint/kinds.yml");

#[test]
fn every_kind_of_alint_is_carried_over_or_said_to_be_left() {
    let import = made(&[(".alint.yml", ALINT)], Tool::Alint);
    let mut forms: BTreeMap<&str, BTreeSet<&str>> = BTreeMap::new();
    for page in &import.pages {
        forms.entry(&page.item).or_default().insert(form(page));
    }
    let mut carried = 0;
    for (kind, way) in kinds::KINDS {
        let stated = format!("\n    kind: {kind}\n");
        assert!(ALINT.contains(&stated), "{kind} is not in the sample");
        let left = import.left.iter().find(|left| left.item == kind);
        match way {
            kinds::Way::Form(form) => {
                let made = forms.get(kind);
                assert_eq!(left, None, "{kind}");
                assert_eq!(made, Some(&BTreeSet::from([form])), "{kind}");
                carried += 1;
            }
            kinds::Way::Left(why) => assert_eq!(left.map(|left| left.why.as_str()), Some(why), "{kind}"),
            kinds::Way::Ours(ours) => {
                assert_eq!(left.and_then(|left| left.instead.as_deref()), Some(ours), "{kind}");
            }
        }
    }
    assert!(kinds::KINDS.is_sorted(), "the table is ordered by name");
    assert!(carried >= 65, "{carried} of 103: fewer than the bar asks for");
    let bare: Vec<&str> = import.pages.iter().filter(|page| !page.has_examples).map(|page| page.item.as_str()).collect();
    assert_eq!(bare, [""; 0], "pages without examples");
}
