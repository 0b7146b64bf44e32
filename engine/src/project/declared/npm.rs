//! Reads `package.json`.

use super::super::stack::Group;
use super::{Declared, Manifest, Origin, unquoted};
use crate::parse::values::{Format, Values};
use crate::text::source::Span;

const GROUPS: [(&str, Group); 4] = [
    ("dependencies", Group::Normal),
    ("devDependencies", Group::Dev),
    ("optionalDependencies", Group::Optional),
    ("peerDependencies", Group::Peer),
];

pub(super) fn read(text: &str, manifest: &mut Manifest) -> Option<()> {
    let values = Values::read(Format::Json, text);
    let root = *values.roots.first()?;
    manifest.name = values.child(root, "name").and_then(|at| values.text(at));
    for (key, group) in GROUPS {
        let Some(table) = values.child(root, key) else { continue };
        for &at in &values.all[table].children {
            let (Some((name, span)), Some(requirement)) = (&values.all[at].key, values.text(at))
            else {
                continue;
            };
            let entry = Span { start: span.start, end: values.all[at].span.end };
            let mut declared = Declared::new(name, unquoted(text, *span), entry, group);
            declared.origin = origin(&requirement);
            let alias = requirement.strip_prefix("npm:");
            if let Some(alias) = alias {
                let at = alias.rfind('@').filter(|at| *at > 0).unwrap_or(alias.len());
                declared.package = alias[..at].to_owned();
                declared.requirement = alias.get(at + 1..).map(str::to_owned);
            } else if declared.origin == Origin::Registry && !requirement.starts_with("catalog:") {
                declared.requirement = Some(requirement);
            }
            manifest.dependencies.push(declared);
        }
    }
    Some(())
}

/// The origin of a requirement: <https://docs.npmjs.com/cli/v11/configuring-npm/package-json>.
fn origin(requirement: &str) -> Origin {
    const LOCAL: [&str; 7] = ["file:", "link:", "portal:", "workspace:", "./", "../", "/"];
    const GIT: [&str; 6] = ["git+", "git:", "git@", "github:", "gitlab:", "bitbucket:"];
    let starts = |list: &[&str]| list.iter().any(|start| requirement.starts_with(start));
    let is_web = starts(&["https://", "http://"]);
    if starts(&LOCAL) {
        Origin::Path
    } else if starts(&GIT)
        || is_web && requirement.split('#').next().is_some_and(|url| url.ends_with(".git"))
    {
        Origin::Git
    } else if is_web {
        Origin::Url
    } else if !requirement.contains(' ')
        && !requirement.contains(':')
        && requirement.split('/').count() == 2
    {
        // `user/repository` is a repository on GitHub.
        Origin::Git
    } else {
        Origin::Registry
    }
}
