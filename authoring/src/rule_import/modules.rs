//! Reads the exports of files that a configuration imports, from the project and from packages in
//! `node_modules`. The files are read as text; nothing is executed.

use super::script::{self, Literal};
use super::{ImportDraft, ImportError, NotImported, read_data, read_single_document, read_text};
use aidd_engine::text::files::Files;
use aidd_engine::text::paths::{below, join, parent_dir, upwards};
use serde_json::{Map, Value as Json};
use std::cell::RefCell;
use std::collections::BTreeMap;

/// Extensions that are tried for a name without one, in order.
const EXTENSIONS: [&str; 9] = ["js", "cjs", "mjs", "ts", "cts", "mts", "json", "yml", "yaml"];
/// Maximum depth of files that import each other.
const MAX_DEPTH: usize = 8;

/// The reason why a value is skipped.
const NOT_LITERAL: &str = "not a literal; code of the repository is never run";

/// The files of a project as modules.
pub(super) struct Modules<'f> {
    pub(super) files: &'f dyn Files,
    /// The exports of packages that are known without being installed.
    pub(super) known: fn(&str) -> Option<Json>,
    /// The exports of each file; each file is read once, even if imports are circular.
    exports: RefCell<BTreeMap<String, Option<Json>>>,
}

impl<'f> Modules<'f> {
    pub(super) fn new(files: &'f dyn Files, known: fn(&str) -> Option<Json>) -> Self {
        Self { files, known, exports: RefCell::default() }
    }

    /// The exports of the file at `path`.
    ///
    /// # Errors
    /// Fails when the file cannot be read, or does not export a literal.
    pub(super) fn exported(&self, path: &str) -> Result<Literal, ImportError> {
        self.read(path, MAX_DEPTH)
    }

    /// The configuration at `path`; parts of a script that are not literals are reported.
    ///
    /// # Errors
    /// Fails when the configuration cannot be read, or is not a mapping.
    pub(super) fn config(
        &self,
        path: &str,
        import_draft: &mut ImportDraft,
    ) -> Result<Map<String, Json>, ImportError> {
        if !script::is_script(path) {
            return read_single_document(self.files, path);
        }
        match self.literal(path, "", import_draft)? {
            Json::Object(config) => Ok(config),
            _ => Err(ImportError::NotAMapping(path.to_owned())),
        }
    }

    /// The exports of the file at `path`. Values that are not literals are reported, with the
    /// prefix `within`.
    ///
    /// # Errors
    /// Fails when the file cannot be read, or does not export a literal.
    pub(super) fn literal(
        &self,
        path: &str,
        within: &str,
        import_draft: &mut ImportDraft,
    ) -> Result<Json, ImportError> {
        let read = self.exported(path)?;
        let not_imported = |part: String| NotImported::new(format!("{within}{part}"), NOT_LITERAL);
        import_draft.not_imported.extend(read.not_literal.into_iter().map(not_imported));
        Ok(read.value)
    }

    fn read(&self, path: &str, depth: usize) -> Result<Literal, ImportError> {
        if !script::is_script(path) {
            let value = read_data(self.files, path)?.into_iter().next().unwrap_or_default();
            return Ok(Literal { value, not_literal: Vec::new() });
        }
        let other = |name: &str| self.resolve_module(path, name, depth);
        script::read(&read_text(self.files, path)?, path, &other)
    }

    /// The exports of the module `name`, as imported by the file at `from`, if they are entirely
    /// literal.
    fn resolve_module(&self, from: &str, name: &str, depth: usize) -> Option<Json> {
        if let Some(known) = (self.known)(name) {
            return Some(known);
        }
        let path = resolve(self.files, from, name)?;
        if let Some(seen) = self.exports.borrow().get(&path) {
            return seen.clone();
        }
        self.exports.borrow_mut().insert(path.clone(), None);
        let read = self.read(&path, depth.checked_sub(1)?).ok();
        let value = read.map(|read| read.value).filter(|value| !script::has_non_literal(value));
        self.exports.borrow_mut().insert(path, value.clone());
        value
    }
}

/// Resolves the module `name`, imported by the file at `from`, as Node.js does
/// (<https://nodejs.org/api/esm.html#resolution-algorithm>).
pub(super) fn resolve(files: &dyn Files, from: &str, name: &str) -> Option<String> {
    let folder = parent_dir(from);
    if name.starts_with("./") || name.starts_with("../") {
        return resolve_file(files, &join(folder, name)?);
    }
    let is_plain = !name.is_empty()
        && !name.starts_with(['/', '.'])
        && !name.contains(['\\', ':'])
        && name.split('/').all(|part| !part.is_empty() && part != "..");
    if !is_plain {
        return None;
    }
    upwards(folder).find_map(|folder| {
        let path = below(folder, &format!("node_modules/{name}"));
        package_entry(files, &path).or_else(|| resolve_file(files, &path))
    })
}

/// The entry file of a package.
fn package_entry(files: &dyn Files, folder: &str) -> Option<String> {
    let manifest = format!("{folder}/package.json");
    if !files.exists(&manifest) {
        return None;
    }
    let manifest = read_data(files, &manifest).ok()?.into_iter().next()?;
    let exports = &manifest["exports"];
    let own = if exports["."].is_null() { exports } else { &exports["."] };
    let main = exports_entry(own, 4).or_else(|| manifest["main"].as_str()).unwrap_or("index");
    resolve_file(files, &join(folder, main)?)
}

/// The file that `exports` names for Node.js.
fn exports_entry(exports: &Json, depth: usize) -> Option<&str> {
    let depth = depth.checked_sub(1)?;
    exports.as_str().or_else(|| {
        let conditions = ["node", "import", "require", "default"].into_iter();
        conditions.filter_map(|name| exports_entry(exports.get(name)?, depth)).next()
    })
}

/// The file at `path`, if necessary with an added extension; the source of a `.js` file can be a `.ts`
/// file.
fn resolve_file(files: &dyn Files, path: &str) -> Option<String> {
    let has_extension = path.rsplit('/').next().is_some_and(|name| name.contains('.'));
    let exact = has_extension.then(|| path.to_owned()).into_iter();
    let with_extension = EXTENSIONS.iter().map(|extension| format!("{path}.{extension}"));
    let typed = path.strip_suffix("js").map(|stem| format!("{stem}ts"));
    let indexes = EXTENSIONS.iter().map(|extension| format!("{path}/index.{extension}"));
    exact.chain(with_extension).chain(typed).chain(indexes).find(|path| files.exists(path))
}

#[cfg(test)]
mod tests {
    use super::*;
    use aidd_engine::text::files::Memory;
    use serde_json::json;

    fn files(all: &[(&str, &str)]) -> Memory {
        let entry = |(path, text): &(&str, &str)| ((*path).to_owned(), text.as_bytes().to_vec());
        Memory(all.iter().map(entry).collect())
    }

    #[test]
    fn modules_are_resolved_as_in_node() {
        let files = files(&[
            ("a/config.js", ""),
            ("a/kinds.ts", ""),
            ("tools/index.cjs", ""),
            (
                "node_modules/one/package.json",
                r#"{"exports": {".": {"types": "./x.d.ts", "import": "./lib/main.mjs"}}}"#,
            ),
            ("node_modules/one/lib/main.mjs", ""),
            ("node_modules/@team/two/index.json", "{}"),
            ("a/node_modules/three/package.json", r#"{"main": "lib"}"#),
            ("a/node_modules/three/lib/index.js", ""),
        ]);
        let resolved = |name: &str| resolve(&files, "a/config.js", name);
        for (name, path) in [
            ("./kinds", "a/kinds.ts"),
            ("./kinds.js", "a/kinds.ts"),
            ("../tools", "tools/index.cjs"),
            ("one", "node_modules/one/lib/main.mjs"),
            ("@team/two", "node_modules/@team/two/index.json"),
            ("three", "a/node_modules/three/lib/index.js"),
        ] {
            assert_eq!(resolved(name).as_deref(), Some(path), "{name}");
        }
        for name in ["./gone", "../../out", "/etc/x", "", "..", "a/../../b", "four", "C:\\x"] {
            assert_eq!(resolved(name), None, "{name}");
        }
    }

    #[test]
    fn circular_imports_are_read_once() {
        let files = files(&[
            (
                "a.js",
                "const b = require('./b');\nmodule.exports = { x: [1, ...b.list], y: { z: b } };\n",
            ),
            ("b.js", "module.exports = { list: [2], c: require('./c') };\n"),
            ("c.js", "module.exports = { d: require('./d.json').e };\n"),
            ("d.json", r#"{"e": 3}"#),
            (
                "ring.js",
                "const other = require('./other');\nmodule.exports = { a: { b: other } };\n",
            ),
            ("other.js", "const ring = require('./ring');\nmodule.exports = { c: { d: ring } };\n"),
        ]);
        let modules = Modules::new(&files, |_| None);
        let read = modules.exported("a.js").expect("read");
        let exported = json!({"list": [2], "c": {"d": 3}});
        assert_eq!(read.value, json!({"x": [1, 2], "y": {"z": exported}}));
        assert_eq!(read.not_literal, [""; 0]);
        let ring = modules.exported("ring.js").expect("read");
        assert_eq!(ring.not_literal, ["`a.b` (line 1): `require('./other')`"]);
    }
}
