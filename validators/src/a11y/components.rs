//! The elements of HTML that components render: from the configuration, and inferred from the
//! components of the project whose only element gets all attributes and the content.

use super::plain::{self, Exports};
use crate::cached::cached;
use crate::perf::script_only;
use crate::scripts::with_program_of_type;
use aidd_engine::check::family::FileContext;
use aidd_engine::text::files::Files;
use aidd_engine::text::source::Source;
use aidd_markup::{Attribute, AttributeKind, Document, Language, tags};
use oxc_ast::ast::{ImportDeclarationSpecifier, ModuleExportName, Program, Statement};
use oxc_span::SourceType;
use std::collections::{BTreeMap, HashSet};
use std::sync::Arc;

/// Maximum size of a file with a component, in bytes.
const MAX_SIZE: u64 = 32 << 10;

/// Maximum number of imports of a file that are followed.
const MAX_IMPORTS: usize = 64;

/// The elements that are inferred. For others, such as `div`, a property of a component with the name
/// of an attribute often means something else.
pub(super) const INFERRED: [&str; 20] = [
    "a", "area", "button", "h1", "h2", "h3", "h4", "h5", "h6", "iframe", "img", "input", "label",
    "li", "ol", "select", "summary", "textarea", "ul", "video",
];

/// An import of a component.
pub(super) struct Import {
    local: String,
    /// The name in the module; `default` for the default export.
    name: String,
    module: String,
}

/// Whether the file may define a component whose element is inferred. Only these directories are
/// read, so that few files affect the findings in others.
pub(crate) fn is_component_path(path: &str) -> bool {
    let (dir, name) = path.rsplit_once('/').unwrap_or(("", path));
    is_component_name(name) && is_component_dir(dir)
}

fn is_component_name(name: &str) -> bool {
    matches!(name.rsplit_once('.'), Some((_, "jsx" | "tsx" | "vue" | "svelte")))
        || matches!(name, "index.js" | "index.ts")
}

fn is_component_dir(dir: &str) -> bool {
    dir.split('/')
        .any(|dir| matches!(dir, "components" | "component" | "ui" | "atoms" | "elements"))
}

/// The imports of a script from other files of the project.
pub(super) fn imports(program: &Program<'_>) -> Vec<Import> {
    let mut found = Vec::new();
    for statement in &program.body {
        let Statement::ImportDeclaration(import) = statement else { continue };
        let module = import.source.value.as_str();
        if !module.starts_with('.') && aliased(module).is_none() {
            continue;
        }
        for specifier in import.specifiers.iter().flatten() {
            let name = match specifier {
                ImportDeclarationSpecifier::ImportSpecifier(it) => match &it.imported {
                    ModuleExportName::IdentifierName(name) => name.name.as_str(),
                    ModuleExportName::IdentifierReference(name) => name.name.as_str(),
                    ModuleExportName::StringLiteral(name) => name.value.as_str(),
                },
                ImportDeclarationSpecifier::ImportDefaultSpecifier(_) => "default",
                ImportDeclarationSpecifier::ImportNamespaceSpecifier(_) => continue,
            };
            let local = specifier.local().name.as_str();
            if local.starts_with(char::is_uppercase) && found.len() < MAX_IMPORTS {
                let (local, name, module) = (local.to_owned(), name.to_owned(), module.to_owned());
                found.push(Import { local, name, module });
            }
        }
    }
    found
}

/// Sets the elements that the components of a document render.
pub(super) fn resolve(
    document: &mut Document<'_>,
    program: Option<&Program<'_>>,
    source: &Source,
    context: &FileContext<'_>,
) {
    let has_component = document.elements().any(|element| !element.is_native());
    if !has_component {
        return;
    }
    let mut imports = program.map(imports).unwrap_or_default();
    if matches!(document.language(), Language::Vue | Language::Svelte) {
        // A script that is too complex has no imports.
        let _ = with_program_of_type(&script_only(source.text()), SourceType::ts(), |program| {
            imports = self::imports(program);
        });
    }
    let is_used = |import: &Import| {
        document
            .elements()
            .any(|element| !element.is_native() && is_name(element.name(), &import.local))
    };
    imports.retain(is_used);
    let mut inferred: Vec<(String, &'static str)> = Vec::new();
    let (files, dir) = (context.files, source.path().rsplit_once('/').map_or("", |(dir, _)| dir));
    // The imports of a statement are adjacent.
    for same in imports.chunk_by(|left, right| left.module == right.module) {
        let Some(path) = file_of(files, dir, &same[0].module) else { continue };
        let exports = exports(files, &path);
        inferred.extend(same.iter().filter_map(|import| {
            let element = exported_by(files, &path, &exports, &import.name, 0)?;
            Some((import.local.clone(), element))
        }));
    }
    let is_jsx = document.language() == Language::Jsx;
    let next_image: Vec<String> = document
        .imports()
        .filter(|(_, module)| matches!(*module, "next/image" | "next/legacy/image"))
        .map(|(local, _)| local.to_owned())
        .filter(|local| is_jsx && local.ends_with("Image"))
        .collect();
    let configured = |name: &str| configured(context.components, name);
    document.set_rendered(|name, attributes| {
        let is_image = next_image.iter().any(|local| local == name);
        chosen(attributes, context.polymorphic)
            .or_else(|| configured(name))
            .or_else(|| is_image.then_some("img"))
            .or_else(|| inferred.iter().find(|(local, _)| is_name(name, local)).map(|(_, it)| *it))
    });
}

/// The element that the configuration lists for a component.
fn configured(components: &BTreeMap<String, String>, name: &str) -> Option<&'static str> {
    if components.is_empty() {
        return None;
    }
    let element = components.get(name).or_else(|| {
        components.iter().find(|(known, _)| is_name(name, known)).map(|(_, element)| element)
    })?;
    tags::element(element)
}

/// The element that a property of a component names, such as `as="img"`.
fn chosen(attributes: &[Attribute<'_>], properties: &[String]) -> Option<&'static str> {
    let is_property = |it: &&Attribute<'_>| {
        it.kind == AttributeKind::Plain && properties.iter().any(|name| *name == it.name)
    };
    let property = attributes.iter().find(is_property)?;
    tags::element(property.value.text()?)
}

/// Whether a component is written by its name, or in the form of custom elements: `<base-button>` is
/// `BaseButton`.
fn is_name(written: &str, name: &str) -> bool {
    written == name
        || written.contains('-')
            && written
                .split('-')
                .flat_map(str::bytes)
                .map(|byte| byte.to_ascii_lowercase())
                .eq(name.bytes().map(|byte| byte.to_ascii_lowercase()))
}

/// The rest of the name of a module that begins with a usual alias of a project's own files.
fn aliased(module: &str) -> Option<&str> {
    ["@/", "~/", "$lib/"].iter().find_map(|prefix| module.strip_prefix(prefix))
}

/// The directory of the package that contains a directory; empty or ends with `/`.
fn package_dir(files: &dyn Files, dir: &str) -> String {
    let dirs = dir.match_indices('/').map(|(at, _)| &dir[..=at]);
    let mut dirs: Vec<&str> = std::iter::once("").chain(dirs).collect();
    let own = format!("{dir}/");
    dirs.push(&own);
    let is_package = |dir: &&str| {
        let path = format!("{dir}package.json");
        *cached(files, &format!("exists {path}"), || files.exists(&path))
    };
    dirs.into_iter().rev().find(is_package).unwrap_or_default().to_owned()
}

/// `module` below `dir`, without `.` and `..`; `None` outside of the project.
fn normalized(dir: &str, module: &str) -> Option<String> {
    let mut parts: Vec<&str> = dir.split('/').filter(|part| !part.is_empty()).collect();
    for part in module.split('/') {
        match part {
            "." | "" => {}
            ".." => {
                parts.pop()?;
            }
            part => parts.push(part),
        }
    }
    Some(parts.join("/"))
}

/// The file with a component that a module means, for the files in `dir`.
fn file_of(files: &dyn Files, dir: &str, module: &str) -> Option<String> {
    let found = match aliased(module) {
        None => {
            let base = normalized(dir, module)?;
            cached(files, &format!("component-file {base}"), || first_file(files, [&*base]))
        }
        Some(rest) => {
            let root = cached(files, &format!("component-root {dir}"), || package_dir(files, dir));
            cached(files, &format!("component-alias {root} {rest}"), || {
                let bases = ["src/", "", "app/", "src/lib/"];
                let bases = bases.map(|below| format!("{root}{below}{rest}"));
                first_file(files, bases.each_ref().map(|base| &**base))
            })
        }
    };
    (*found).clone()
}

/// The file that a module with an extension means, for the files in `dir`; `None` for packages.
pub(super) fn project_file(files: &dyn Files, dir: &str, module: &str) -> Option<String> {
    let Some(rest) = aliased(module) else {
        return normalized(dir, module).filter(|path| exists(files, path));
    };
    let root = cached(files, &format!("component-root {dir}"), || package_dir(files, dir));
    let paths = ["src/", "", "app/", "src/lib/"].map(|below| format!("{root}{below}{rest}"));
    paths.into_iter().find(|path| exists(files, path))
}

/// The first file with a component whose path is one of `bases` with an extension.
fn first_file<const N: usize>(files: &dyn Files, bases: [&str; N]) -> Option<String> {
    const ENDS: [&str; 5] = ["", ".tsx", ".jsx", ".vue", ".svelte"];
    const INDEXES: [&str; 4] = ["index.tsx", "index.jsx", "index.ts", "index.js"];
    bases.into_iter().find_map(|base| {
        let (dir, name) = base.rsplit_once('/').unwrap_or(("", base));
        first_in(files, dir, ENDS.map(|end| format!("{name}{end}")))
            .or_else(|| first_in(files, base, INDEXES.map(str::to_owned)))
    })
}

/// The first file with a component in `dir` that has one of `names`.
fn first_in<const N: usize>(files: &dyn Files, dir: &str, names: [String; N]) -> Option<String> {
    if !is_component_dir(dir) {
        return None;
    }
    let known = known_names(files, dir);
    let path = |name: &str| format!("{dir}/{name}");
    let exists = |name: &String| match &known {
        Some(known) => known.contains(name),
        None => files.exists(&path(name)),
    };
    names.into_iter().find(|name| is_component_name(name) && exists(name)).map(|name| path(&name))
}

/// Whether a file exists.
fn exists(files: &dyn Files, path: &str) -> bool {
    let (dir, name) = path.rsplit_once('/').unwrap_or(("", path));
    known_names(files, dir).map_or_else(|| files.exists(path), |names| names.contains(name))
}

/// The names of the files in a directory, which is read once per run, because most names that are
/// looked up do not exist; `None` if files can change between two checks.
fn known_names(files: &dyn Files, dir: &str) -> Option<Arc<HashSet<String>>> {
    files.run_cache()?;
    let names = || {
        if is_dir(files, dir) { files.names(dir).into_iter().collect() } else { HashSet::new() }
    };
    Some(cached(files, &format!("names {dir}"), names))
}

/// Whether there is a directory at `dir`. The directories around it are read once per run, because
/// most paths that are looked up do not exist.
fn is_dir(files: &dyn Files, dir: &str) -> bool {
    if dir.is_empty() {
        return true;
    }
    let (parent, name) = dir.rsplit_once('/').unwrap_or(("", dir));
    let dirs = cached(files, &format!("dirs {parent}"), || -> HashSet<String> {
        if is_dir(files, parent) {
            files.dirs(parent).into_iter().collect()
        } else {
            HashSet::new()
        }
    });
    dirs.contains(name)
}

/// The element that a component of another file renders, for files in `dir`.
fn exported(
    files: &dyn Files,
    dir: &str,
    module: &str,
    name: &str,
    depth: usize,
) -> Option<&'static str> {
    let path = file_of(files, dir, module)?;
    exported_by(files, &path, &exports(files, &path), name, depth)
}

/// The element that a component of the file at `path` renders.
fn exported_by(
    files: &dyn Files,
    path: &str,
    exports: &Exports,
    name: &str,
    depth: usize,
) -> Option<&'static str> {
    /// Maximum number of files that pass a component on.
    const MAX_DEPTH: usize = 3;
    if let Some(&(_, element)) = exports.elements.iter().find(|(known, _)| known == name) {
        return INFERRED.contains(&element).then_some(element);
    }
    let (_, imported, module) = exports.passed_on.iter().find(|(known, ..)| known == name)?;
    let dir = path.rsplit_once('/').map_or("", |(dir, _)| dir);
    (depth < MAX_DEPTH).then(|| exported(files, dir, module, imported, depth + 1))?
}

/// The elements that the components of a file render.
fn exports(files: &dyn Files, path: &str) -> Arc<Exports> {
    cached(files, &format!("component {path}"), || {
        let bytes = files.read(path, MAX_SIZE + 1).unwrap_or_default();
        let text = String::from_utf8(bytes).unwrap_or_default();
        if text.is_empty() || text.len() as u64 > MAX_SIZE {
            return Exports::default();
        }
        match Language::of_path(path) {
            Some(language @ (Language::Vue | Language::Svelte)) => {
                let document = Document::parse(&text, language);
                let element = plain::root_of_component(&document);
                let elements = element.map(|element| ("default".to_owned(), element));
                Exports { elements: elements.into_iter().collect(), ..Exports::default() }
            }
            _ => plain::exports_of_script(path, &text),
        }
    })
}

/// Whether the properties of a component replace the element that is known: `<Button as="a">`.
pub(super) fn is_polymorphic(element: aidd_markup::Element<'_>) -> bool {
    element.attributes().iter().any(|attribute| {
        attribute.kind == AttributeKind::Plain
            && attribute.value.text() != Some(element.rendered())
            && matches!(&*attribute.name, "as" | "aschild" | "component" | "tag" | "is" | "render")
    })
}
