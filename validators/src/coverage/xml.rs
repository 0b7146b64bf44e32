//! Parses the XML formats: Cobertura and JaCoCo.

use super::report::{Builder, Coverage, Malformed, Naming, segment};
use roxmltree::{Document, Node, ParsingOptions};

/// Maximum number of nodes of a report.
const MAX_NODES: u32 = 16 << 20;

/// Maximum number of `source` directories that are read from a report of Cobertura.
const MAX_SOURCES: usize = 16;

/// Parses a report in XML.
pub(super) fn parse(text: &str) -> Result<Coverage, Malformed> {
    // Reports of JaCoCo contain a document type declaration.
    let options =
        ParsingOptions { allow_dtd: true, nodes_limit: MAX_NODES, ..ParsingOptions::default() };
    let document = Document::parse_with_options(text, options)?;
    match document.root_element().tag_name().name() {
        "coverage" => cobertura(&document),
        "report" => jacoco(&document),
        _ => Err(Malformed::Unknown),
    }
}

fn cobertura(document: &Document<'_>) -> Result<Coverage, Malformed> {
    let mut report = Builder::default();
    // A class contains its lines twice: in its methods, and directly.
    let mut name: Option<&str> = None;
    for node in document.descendants().filter(Node::is_element) {
        match node.tag_name().name() {
            "source" if report.sources.len() < MAX_SOURCES => {
                report.sources.extend(node.text().map(|path| path.trim().replace('\\', "/")));
            }
            "class" => {
                name = node.attribute("filename");
                let Some(name) = name else {
                    return Err(Malformed::Structure("a `class` has no `filename`"));
                };
                report.file(name);
            }
            "line" => {
                let Some(name) = name else {
                    return Err(Malformed::Structure("a `line` is outside of a `class`"));
                };
                let line = number(&node, "number")?;
                report.file(name).extend(segment(line, line, count(&node, "hits")? > 0));
            }
            _ => {}
        }
    }
    Ok(report.finish(Naming::Paths))
}

fn jacoco(document: &Document<'_>) -> Result<Coverage, Malformed> {
    let mut report = Builder::default();
    let mut package = "";
    let mut path: Option<String> = None;
    for node in document.descendants().filter(Node::is_element) {
        match node.tag_name().name() {
            "package" => package = node.attribute("name").unwrap_or_default(),
            "sourcefile" => {
                let Some(name) = node.attribute("name") else {
                    return Err(Malformed::Structure("a `sourcefile` has no `name`"));
                };
                let is_default = package.is_empty();
                path = Some(if is_default { name.to_owned() } else { format!("{package}/{name}") });
            }
            "line" => {
                let Some(path) = &path else {
                    return Err(Malformed::Structure("a `line` is outside of a `sourcefile`"));
                };
                let line = number(&node, "nr")?;
                report.file(path).extend(segment(line, line, count(&node, "ci")? > 0));
            }
            _ => {}
        }
    }
    Ok(report.finish(Naming::JavaPackage))
}

fn number(node: &Node<'_, '_>, name: &str) -> Result<u32, Malformed> {
    let value = node.attribute(name).and_then(|value| value.parse().ok());
    value.ok_or(Malformed::Structure("a `line` has no number"))
}

fn count(node: &Node<'_, '_>, name: &str) -> Result<u64, Malformed> {
    let value = node.attribute(name).and_then(|value| value.parse().ok());
    value.ok_or(Malformed::Structure("a `line` has no count"))
}
