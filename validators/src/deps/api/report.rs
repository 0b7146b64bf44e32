//! Reports the uses of APIs that the declared version does not have.

use super::table::{APIS, Api, Origin, Package};
use super::versions::{DeclaredVersion, declared, declares_backport, declares_npm};
use super::{DEPRECATED, REMOVED, Use};
use aidd_engine::project::stack::Version;
use aidd_engine::rules::rule::Report;
use aidd_engine::text::files::Files;
use aidd_engine::text::paths::{below, parent_dir};
use std::collections::HashMap;

/// Reports the uses in the source of the report.
pub(super) fn report(uses: &[Use<'_>], files: &dyn Files, report: &mut Report<'_>) {
    let path = report.source().path();
    let mut versions: HashMap<usize, Option<DeclaredVersion>> = HashMap::new();
    for found in uses {
        let api = found.api;
        let Some(package) = APIS.packages.get(api.package) else { continue };
        let version = versions.entry(api.package).or_insert_with(|| declared(files, path, package));
        let Some(version) = version else { continue };
        let Some(change) = change(api, version) else { continue };
        if is_hidden(files, path, package, api) || !report.begin(change.rule) {
            continue;
        }
        let message = message(found, package, version, &change);
        let finding = report.at(found.span, message);
        let instead = api.instead.map(|new| format!("Use {new}. "));
        finding.help(format!("{}See {}", instead.unwrap_or_default(), api.source));
        if let (Some(edit), Some(new)) = (&found.rename, api.rename.or(api.replace)) {
            finding.fix(format!("Use `{new}`"), vec![edit.clone()]);
        }
    }
}

/// What happened to an API in the declared version.
struct Change<'a> {
    rule: &'static str,
    /// The version that removed or deprecated the API.
    since: &'a Version,
    /// A description, such as `removed`.
    verb: &'static str,
}

/// What happened to the API in the declared version; `None` if the API is available.
fn change<'a>(api: &'a Api, version: &DeclaredVersion) -> Option<Change<'a>> {
    let minimum = version.minimum.as_ref();
    let is_available_again =
        |version: &Version| api.until.as_ref().is_some_and(|until| version >= until);
    let is_reached = |since: &&Version, version: Option<&Version>| {
        version.is_some_and(|version| version >= *since && !is_available_again(version))
    };
    let removed = api.removed.as_ref();
    // A removed API fails in the version that is installed.
    let removed = removed
        .filter(|since| is_reached(since, minimum) || is_reached(since, version.locked.as_ref()));
    if let Some(since) = removed {
        return Some(Change { rule: REMOVED, since, verb: "was removed" });
    }
    // The replacement of a deprecated API can be missing in the lowest version.
    let deprecated = api.deprecated.as_ref().filter(|since| is_reached(since, minimum));
    deprecated.map(|since| Change { rule: DEPRECATED, since, verb: "is deprecated" })
}

fn message(
    found: &Use<'_>,
    package: &Package,
    version: &DeclaredVersion,
    change: &Change<'_>,
) -> String {
    let kind = if found.api.argument.is_some() { "argument " } else { "" };
    let preposition = if change.rule == REMOVED { "in" } else { "since" };
    let name = match package.origin {
        Origin::Node => "Node.js",
        Origin::Python => "Python",
        Origin::Go => "Go",
        Origin::Npm | Origin::Pypi | Origin::Module => &package.name,
    };
    let minimum = version.minimum.as_ref().is_some_and(|minimum| minimum >= change.since);
    let declared = match &version.locked {
        Some(locked) if !minimum => format!("locked: {locked}"),
        _ if version.requirement.is_empty() => String::new(),
        _ => format!("`{}`", version.requirement),
    };
    let declared = match &*declared {
        "" => version.manifest.clone(),
        declared => format!("{}: {declared}", version.manifest),
    };
    format!(
        "{kind}`{}` {} {preposition} {name} {} ({declared})",
        found.name, change.verb, change.since
    )
}

/// Whether the module is another one with the same name: a module of the project, or a package in
/// place of a module of Node.js.
fn is_hidden(files: &dyn Files, path: &str, package: &Package, api: &Api) -> bool {
    match package.origin {
        Origin::Node => {
            let module = api.path.split(['#', '/']).next().unwrap_or_default();
            declares_npm(files, path, module)
        }
        Origin::Pypi | Origin::Python => {
            let module = api.path.split('.').next().unwrap_or_default();
            let exists = |dir: &str| {
                files.exists(&below(dir, &format!("{module}.py")))
                    || files.exists(&below(dir, &format!("{module}/__init__.py")))
            };
            let dir = parent_dir(path);
            // `setup.py` runs with setuptools, which provides `distutils`.
            let is_setup = || path.rsplit('/').next() == Some("setup.py");
            if package.origin == Origin::Python
                && (is_setup() || declares_backport(files, path, module))
            {
                return true;
            }
            // In a package, `import a` does not import a module of the same package.
            let is_package = files.exists(&below(dir, "__init__.py"));
            exists("") || exists("src") || !is_package && exists(dir)
        }
        Origin::Npm | Origin::Go | Origin::Module => false,
    }
}
