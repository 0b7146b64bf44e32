//! Reads `Cargo.toml`.

use super::super::stack::Group;
use super::{Declared, Manifest, Origin, unquoted};
use crate::parse::values::{Datum, Format, Values};
use crate::text::source::Span;

/// The names of the tables; Cargo also accepts an underscore in place of the hyphen.
const GROUPS: [(&str, Group); 5] = [
    ("dependencies", Group::Normal),
    ("dev-dependencies", Group::Dev),
    ("dev_dependencies", Group::Dev),
    ("build-dependencies", Group::Build),
    ("build_dependencies", Group::Build),
];

pub(super) fn read(text: &str, manifest: &mut Manifest) -> Option<()> {
    let values = Values::read(Format::Toml, text);
    let root = *values.roots.first()?;
    let at = |keys: &[&str]| keys.iter().try_fold(root, |at, key| values.child(at, key));
    manifest.name = at(&["package", "name"]).and_then(|at| values.text(at));
    let mut add = |table: usize, group: Group, shared: bool, configures: bool| {
        for &child in &values.all[table].children {
            let Some(mut declared) = entry(text, &values, child, group) else { continue };
            declared.shared = shared;
            declared.configures |= configures;
            manifest.dependencies.push(declared);
        }
    };
    let tables = |parent: usize| {
        let tables = GROUPS.iter().map(move |(key, group)| (parent, *key, *group));
        tables.collect::<Vec<_>>()
    };
    for (parent, key, group) in tables(root) {
        if let Some(table) = values.child(parent, key) {
            add(table, group, false, false);
        }
    }
    let platforms = at(&["target"]).map_or(&[][..], |at| &values.all[at].children);
    for &platform in platforms {
        for (parent, key, group) in tables(platform) {
            if let Some(table) = values.child(parent, key) {
                add(table, group, false, true);
            }
        }
    }
    if let Some(table) = at(&["workspace", "dependencies"]) {
        add(table, Group::Normal, true, false);
    }
    Some(())
}

fn entry(text: &str, values: &Values, at: usize, group: Group) -> Option<Declared> {
    let value = &values.all[at];
    let (name, span) = value.key.as_ref()?;
    // The value of `[dependencies.name]` can begin before its key or on another line.
    let start = span.start.min(value.span.start);
    let entry = Span { start, end: span.end.max(value.span.end) };
    let mut declared = Declared::new(name, unquoted(text, *span), entry, group);
    let field = |key: &str| values.child(at, key);
    let string = |key: &str| field(key).and_then(|at| values.text(at));
    let is_set = |key: &str| field(key).is_some_and(|at| values.all[at].datum == Datum::Bool(true));
    if value.datum == Datum::Map {
        declared.requirement = string("version");
        declared.package = string("package").unwrap_or_else(|| name.clone());
        declared.registry = string("registry");
        declared.inherits = is_set("workspace");
        declared.configures = field("features").is_some();
        declared.origin = match () {
            () if field("path").is_some() => Origin::Path,
            () if field("git").is_some() => Origin::Git,
            () => Origin::Registry,
        };
        if is_set("optional") {
            declared.group = Group::Optional;
        }
    } else {
        declared.requirement = values.text(at);
    }
    Some(declared)
}
