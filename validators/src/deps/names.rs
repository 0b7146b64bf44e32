//! Names that imitate the names of well-known packages.

use aidd_engine::project::declared::{Manifest, Origin, normalize};
use aidd_engine::project::stack::Ecosystem;
use aidd_engine::rules::rule::Report;
use std::collections::{HashMap, HashSet};
use std::sync::LazyLock;

/// Each line contains an ecosystem and the names of well-known packages.
const TABLE: &str = include_str!("data/well-known.txt");

/// Minimum length of a name; shorter names are similar by chance.
const MIN_LENGTH: usize = 6;

/// The well-known names of each ecosystem.
static WELL_KNOWN: LazyLock<HashMap<&str, HashSet<&str>>> = LazyLock::new(|| {
    let mut known: HashMap<&str, HashSet<&str>> = HashMap::new();
    for line in TABLE.lines().filter(|line| !line.starts_with('#')) {
        let mut words = line.split_whitespace();
        if let Some(ecosystem) = words.next() {
            known.entry(ecosystem).or_default().extend(words);
        }
    }
    known
});

pub(super) fn lookalike_name(manifest: &Manifest, report: &mut Report<'_>) {
    let Some(known) = WELL_KNOWN.get(manifest.ecosystem.word()) else { return };
    let own = manifest.name.as_deref();
    for declared in manifest.dependencies.iter().filter(|entry| entry.origin == Origin::Registry) {
        let name = match manifest.ecosystem {
            Ecosystem::Pypi => normalize(&declared.package),
            _ => declared.package.clone(),
        };
        let is_short = name.len() < MIN_LENGTH || name.starts_with('@');
        if is_short
            || known.contains(&*name)
            || own == Some(&*declared.package)
            || declared.inherits
        {
            continue;
        }
        // Only the owner of a vendor's name can publish packages under it.
        let vendor = |name: &str| name.split_once('/').map(|(vendor, _)| vendor.to_owned());
        let own_vendor = vendor(&name);
        let imitated = known.iter().filter(|known| {
            known.len() >= MIN_LENGTH && (own_vendor.is_none() || vendor(known) != own_vendor)
        });
        let imitated = imitated.filter(|known| is_one_edit(&name, known)).min();
        if let Some(imitated) = imitated {
            let message = format!("`{name}` differs by one edit from `{imitated}`");
            report.at(declared.span, message);
        }
    }
}

/// Whether two names differ by one inserted, deleted or replaced character, or two swapped ones. A
/// name with an additional trailing number or `s` usually belongs to the same project.
fn is_one_edit(name: &str, known: &str) -> bool {
    if name.len().abs_diff(known.len()) > 1 || strsim::osa_distance(name, known) != 1 {
        return false;
    }
    let is_numbered = name.trim_end_matches(|c: char| c.is_ascii_digit()) == known;
    !is_numbered && name.strip_suffix('s') != Some(known)
}

#[cfg(test)]
mod tests {
    use super::is_one_edit;

    #[test]
    fn names_that_differ_by_one_edit_are_recognized() {
        for name in ["lodahs", "lodas", "1odash", "lodash-"] {
            assert!(is_one_edit(name, "lodash"), "{name}");
        }
        for name in ["lodash", "lodashs", "lodash4", "underscore", "lodahss"] {
            assert!(!is_one_edit(name, "lodash"), "{name}");
        }
    }
}
