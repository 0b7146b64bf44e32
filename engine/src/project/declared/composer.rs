//! Reads `composer.json`.

use super::super::stack::Group;
use super::{Declared, Manifest, Origin, Repository, unquoted};
use crate::parse::values::{Format, Values};
use crate::text::source::Span;

const GROUPS: [(&str, Group); 2] = [("require", Group::Normal), ("require-dev", Group::Dev)];

pub(super) fn read(text: &str, manifest: &mut Manifest) -> Option<()> {
    let values = Values::read(Format::Json, text);
    let root = *values.roots.first()?;
    manifest.name = values.child(root, "name").and_then(|at| values.text(at));
    for (key, group) in GROUPS {
        let Some(table) = values.child(root, key) else { continue };
        for &at in &values.all[table].children {
            // Names without a vendor are PHP itself and its extensions.
            let Some((name, span)) =
                values.all[at].key.as_ref().filter(|(name, _)| name.contains('/'))
            else {
                continue;
            };
            let entry = Span { start: span.start, end: values.all[at].span.end };
            let mut declared = Declared::new(name, unquoted(text, *span), entry, group);
            declared.requirement = values.text(at);
            // The branch of a repository, with an optional commit: `dev-main#1f3c2d4`.
            if declared.requirement.as_deref().is_some_and(|text| text.starts_with("dev-")) {
                declared.origin = Origin::Git;
            }
            manifest.dependencies.push(declared);
        }
    }
    let repositories = values.child(root, "repositories");
    for &at in repositories.map_or(&[][..], |at| &values.all[at].children) {
        if let Some(at) = values.child(at, "url")
            && let Some(url) = values.text(at)
        {
            let span = unquoted(text, values.all[at].span);
            manifest.repositories.push(Repository { url, span });
        }
    }
    Some(())
}
