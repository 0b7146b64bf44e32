//! Reads `pyproject.toml` and `requirements.txt`.

use super::super::stack::Group;
use super::{Declared, Manifest, Origin};
use crate::parse::values::{Datum, Format, Values};
use crate::text::source::Span;

/// Whether the file at `path` is a list of requirements.
pub(super) fn is_requirements(path: &str) -> bool {
    let (dir, name) = path.rsplit_once('/').unwrap_or(("", path));
    let Some(stem) = name.strip_suffix(".txt") else { return false };
    stem.starts_with("requirements")
        || stem.ends_with("requirements")
        || dir == "requirements"
        || dir.ends_with("/requirements")
}

/// Normalizes a package name: <https://peps.python.org/pep-0503/#normalized-names>.
#[must_use]
pub fn normalize(name: &str) -> String {
    let parts = name.split(['-', '_', '.']).filter(|part| !part.is_empty());
    parts.collect::<Vec<_>>().join("-").to_lowercase()
}

/// Whether the file name of a list of requirements shows that it contains development tools.
fn is_dev(path: &str) -> bool {
    let name = path.rsplit('/').next().unwrap_or(path);
    let words = ["dev", "test", "lint", "doc", "ci", "typing", "mypy", "build", "tool", "local"];
    words.iter().any(|word| name.contains(word))
}

pub(super) fn read_requirements(text: &str, manifest: &mut Manifest) {
    let group = if is_dev(&manifest.path) { Group::Dev } else { Group::Normal };
    let mut start = 0;
    for line in text.split_inclusive('\n') {
        let at = start;
        start += line.len();
        let bom_length = line.len() - line.trim_start_matches('\u{FEFF}').len();
        let (at, line) = (at + bom_length, &line[bom_length..]);
        let code = line.split(" #").next().unwrap_or(line).trim_end();
        let code = if line.trim_start().starts_with('#') { "" } else { code };
        manifest.dependencies.extend(requirement(code, at, group));
    }
}

/// Reads a requirement (<https://peps.python.org/pep-0508/>) that starts at `offset`.
fn requirement(text: &str, offset: usize, group: Group) -> Option<Declared> {
    let indent = text.len() - text.trim_start().len();
    let code = &text[indent..];
    let is_name = |c: char| c.is_ascii_alphanumeric() || matches!(c, '-' | '_' | '.');
    let length = code.find(|c| !is_name(c)).unwrap_or(code.len());
    let name = code[..length].trim_end_matches(['-', '_', '.']);
    let has_valid_start = code.starts_with(|c: char| c.is_ascii_alphanumeric());
    let rest = code[length..].trim_start();
    // A path or URL without a name has other characters after its first word.
    let is_requirement =
        rest.is_empty() || rest.starts_with(['[', '(', '<', '>', '=', '!', '~', ';', '@']);
    if !has_valid_start || name.is_empty() || !is_requirement {
        return None;
    }
    let start = offset + indent;
    let entry = Span::new(start, start + code.trim_end().len());
    let mut declared = Declared::new(name, Span::new(start, start + name.len()), entry, group);
    let rest = match rest.strip_prefix('[') {
        Some(extras) => extras.split_once(']').map_or("", |(_, rest)| rest).trim_start(),
        None => rest,
    };
    if let Some(url) = rest.strip_prefix('@') {
        let url = url.trim_start();
        declared.origin = match () {
            () if url.starts_with("git+") => Origin::Git,
            () if url.starts_with("file:") => Origin::Path,
            () => Origin::Url,
        };
    } else {
        declared.configures = rest.contains(';');
        let range = rest.split(';').next().unwrap_or_default().trim().trim_matches(['(', ')']);
        declared.requirement = (!range.is_empty()).then(|| range.to_owned());
    }
    Some(declared)
}

pub(super) fn read_pyproject(text: &str, manifest: &mut Manifest) -> Option<()> {
    let values = Values::read(Format::Toml, text);
    let root = *values.roots.first()?;
    let at = |keys: &[&str]| keys.iter().try_fold(root, |at, key| values.child(at, key));
    let poetry = ["tool", "poetry"];
    let name = at(&["project", "name"]).or_else(|| at(&[poetry[0], poetry[1], "name"]));
    manifest.name = name.and_then(|at| values.text(at));
    let mut lists: Vec<(usize, Group)> = Vec::new();
    lists.extend(at(&["project", "dependencies"]).map(|at| (at, Group::Normal)));
    let tables: [(&[&str], Group); 3] = [
        (&["project", "optional-dependencies"], Group::Optional),
        (&["dependency-groups"], Group::Dev),
        (&["tool", "pdm", "dev-dependencies"], Group::Dev),
    ];
    for (keys, group) in tables {
        let children = at(keys).map_or(&[][..], |at| &values.all[at].children);
        lists.extend(children.iter().map(|&list| (list, group)));
    }
    lists.extend(at(&["tool", "uv", "dev-dependencies"]).map(|at| (at, Group::Dev)));
    for (list, group) in lists {
        for &item in &values.all[list].children {
            if let Datum::Text(line) = &values.all[item].datum {
                let span = super::unquoted(text, values.all[item].span);
                // With escapes, offsets in the string and in the file differ.
                if text.get(span.range()) == Some(line.as_str()) {
                    let found = requirement(line, span.start as usize, group);
                    manifest.dependencies.extend(found);
                }
            }
        }
    }
    let mut poetry_tables: Vec<(usize, Group)> = Vec::new();
    poetry_tables.extend(at(&["tool", "poetry", "dependencies"]).map(|at| (at, Group::Normal)));
    poetry_tables.extend(at(&["tool", "poetry", "dev-dependencies"]).map(|at| (at, Group::Dev)));
    let groups = at(&["tool", "poetry", "group"]).map_or(&[][..], |at| &values.all[at].children);
    let in_group = |&group: &usize| values.child(group, "dependencies").map(|at| (at, Group::Dev));
    poetry_tables.extend(groups.iter().filter_map(in_group));
    for (table, group) in poetry_tables {
        add_table(text, &values, table, group, manifest);
    }
    Some(())
}

/// Reads a `Pipfile`: <https://pipenv.pypa.io/en/latest/pipfile.html>.
pub(super) fn read_pipfile(text: &str, manifest: &mut Manifest) -> Option<()> {
    let values = Values::read(Format::Toml, text);
    let root = *values.roots.first()?;
    for (key, group) in [("packages", Group::Normal), ("dev-packages", Group::Dev)] {
        if let Some(table) = values.child(root, key) {
            add_table(text, &values, table, group, manifest);
        }
    }
    Some(())
}

/// Adds the entries of a table of Poetry or Pipenv; each value is a range or a table.
fn add_table(text: &str, values: &Values, table: usize, group: Group, manifest: &mut Manifest) {
    for &child in &values.all[table].children {
        let value = &values.all[child];
        let Some((name, span)) = value.key.as_ref().filter(|(name, _)| name != "python") else {
            continue;
        };
        let end = span.end.max(value.span.end);
        let entry = Span { start: span.start, end };
        let mut declared = Declared::new(name, super::unquoted(text, *span), entry, group);
        let has = |key: &str| values.child(child, key).is_some();
        declared.requirement = values
            .text(child)
            .or_else(|| values.child(child, "version").and_then(|at| values.text(at)));
        declared.origin = match () {
            () if has("git") => Origin::Git,
            () if has("url") => Origin::Url,
            () if has("path") => Origin::Path,
            () => Origin::Registry,
        };
        declared.configures =
            ["python", "markers", "platform", "sys_platform"].into_iter().any(has);
        manifest.dependencies.push(declared);
    }
}
