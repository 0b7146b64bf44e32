//! The index in the SCIP format, which code search and code review tools read.

use super::Reader;
use crate::IndexError;
use protobuf::{EnumOrUnknown, Message as _, MessageField};
use scip::types::symbol_information::Kind;
use scip::types::{
    Document, Index, Metadata, Occurrence, PositionEncoding, Relationship, Signature,
    SymbolInformation, SymbolRole, TextEncoding, ToolInfo,
};
use std::collections::{BTreeMap, HashMap, HashSet};

/// Tests have titles instead of names. Parents precede the symbols in them.
const SYMBOLS: &str = "SELECT s.id, s.file, s.name, s.kind, s.parent, s.start_line, s.start_column,
      s.end_line, s.end_column, s.name_line, s.name_column, s.signature, s.doc
    FROM symbols s JOIN files f ON f.id = s.file
    WHERE s.kind <> 'test' ORDER BY f.path, s.start_line, s.start_column, s.id";

const REFS: &str = "SELECT r.file, r.line, r.column, r.name, r.target, r.kind FROM refs r
    WHERE r.certainty = 'proved' AND r.target IS NOT NULL ORDER BY r.file, r.line, r.column";

/// The name of a language in SCIP.
fn language(name: &str) -> &'static str {
    match name {
        "javascript" => "JavaScript",
        "typescript" => "TypeScript",
        "tsx" => "TypeScriptReact",
        "python" => "Python",
        "rust" => "Rust",
        "go" => "Go",
        "java" => "Java",
        "kotlin" => "Kotlin",
        "csharp" => "CSharp",
        "ruby" => "Ruby",
        "php" => "PHP",
        "vue" => "Vue",
        "svelte" => "Svelte",
        "astro" => "Astro",
        _ => "",
    }
}

/// The kind in SCIP, and the end of the descriptor: `#` for types, `.` for values, `().` for functions.
fn kind(name: &str) -> (Kind, &'static str) {
    match name {
        "module" => (Kind::Module, "/"),
        "class" | "component" => (Kind::Class, "#"),
        "interface" => (Kind::Interface, "#"),
        "struct" => (Kind::Struct, "#"),
        "enum" => (Kind::Enum, "#"),
        "trait" => (Kind::Trait, "#"),
        "type" => (Kind::TypeAlias, "#"),
        "function" => (Kind::Function, "()."),
        "method" => (Kind::Method, "()."),
        "macro" => (Kind::Macro, "!"),
        "field" => (Kind::Field, "."),
        "variant" => (Kind::EnumMember, "."),
        "constant" => (Kind::Constant, "."),
        _ => (Kind::Variable, "."),
    }
}

/// A name in a descriptor; between backticks unless it is a simple identifier.
fn quoted(name: &str) -> String {
    let is_simple = |c: char| c.is_ascii_alphanumeric() || matches!(c, '_' | '+' | '-' | '$');
    match !name.is_empty() && name.chars().all(is_simple) {
        true => name.to_owned(),
        false => format!("`{}`", name.replace('`', "``")),
    }
}

/// A number of the database, which counts lines from 1, as one of SCIP.
fn number(value: i64) -> i32 {
    i32::try_from(value).unwrap_or(i32::MAX)
}

/// A range: lines from 0, columns in bytes.
fn range(start: (i64, i64), end: (i64, i64)) -> Vec<i32> {
    let mut range = vec![number(start.0 - 1), number(start.1)];
    range.extend((start.0 != end.0).then(|| number(end.0 - 1)));
    range.push(number(end.1));
    range
}

fn length(name: &str) -> i64 {
    i64::try_from(name.len()).unwrap_or_default()
}

/// The innermost type around a position, as line and column.
fn class_at(document: &mut Document, at: [i32; 2]) -> Option<&mut SymbolInformation> {
    let types = document.occurrences.iter().filter(|found| {
        let is_type = found.symbol.ends_with('#');
        let start = found.enclosing_range.get(..2).is_some_and(|start| *start <= at[..]);
        let (line, column) = match found.enclosing_range[..] {
            [line, _, column] | [_, _, line, column] => (line, column),
            _ => return false,
        };
        is_type && start && at < [line, column]
    });
    let name = types.max_by(|a, b| a.enclosing_range[..2].cmp(&b.enclosing_range[..2]))?;
    document.symbols.iter_mut().find(|symbol| symbol.symbol == name.symbol)
}

/// The texts of a document that can contain secrets.
fn texts_of(document: &mut Document) -> impl Iterator<Item = &mut String> {
    document.symbols.iter_mut().flat_map(|symbol| {
        let signature =
            symbol.signature_documentation.as_mut().map(|signature| &mut signature.text);
        symbol.documentation.iter_mut().chain(signature)
    })
}

impl Reader {
    /// The symbols and proved references as an encoded SCIP index. `root`: the URL of the project.
    /// `mask` replaces secrets in texts.
    ///
    /// # Errors
    /// When the database cannot be read.
    pub fn scip(
        &self,
        root: &str,
        mask: impl FnOnce(Vec<String>) -> Vec<String>,
    ) -> Result<Vec<u8>, IndexError> {
        let sql = "SELECT id, path, language FROM files ORDER BY path";
        let files: Vec<(i64, String, String)> =
            self.rows(sql, &[], |row| Ok((row.get(0)?, row.get(1)?, row.get(2)?)))?;
        let mut documents: BTreeMap<i64, Document> = BTreeMap::new();
        for (id, path, name) in &files {
            let document = Document {
                language: language(name).to_owned(),
                relative_path: path.clone(),
                position_encoding: EnumOrUnknown::new(
                    PositionEncoding::UTF8CodeUnitOffsetFromLineStart,
                ),
                ..Document::default()
            };
            documents.insert(*id, document);
        }
        // Symbol → its name in SCIP. Several declarations of a type or value share a name.
        let mut names: HashMap<i64, String> = HashMap::new();
        let mut known: HashSet<String> = HashSet::new();
        let mut statement = self.connection.prepare(SYMBOLS)?;
        let mut rows = statement.query([])?;
        while let Some(row) = rows.next()? {
            let (id, file): (i64, i64) = (row.get(0)?, row.get(1)?);
            let Some(document) = documents.get_mut(&file) else { continue };
            let (name, kind_name): (String, String) = (row.get(2)?, row.get(3)?);
            let (kind, suffix) = kind(&kind_name);
            let parent = row.get::<_, Option<i64>>(4)?.and_then(|parent| names.get(&parent));
            let prefix = match parent {
                Some(parent) => parent.clone(),
                None => format!("aidd . . . {}/", quoted(&document.relative_path)),
            };
            let mut symbol = format!("{prefix}{}{suffix}", quoted(&name));
            if suffix == "()." {
                let stem = symbol.trim_end_matches(").").to_owned();
                let mut count = 0;
                while known.contains(&symbol) {
                    count += 1;
                    symbol = format!("{stem}+{count}).");
                }
            }
            let at = |line: usize| Ok::<_, rusqlite::Error>((row.get(line)?, row.get(line + 1)?));
            let start: (i64, i64) = at(9)?;
            document.occurrences.push(Occurrence {
                range: range(start, (start.0, start.1 + length(&name))),
                enclosing_range: range(at(5)?, at(7)?),
                symbol: symbol.clone(),
                symbol_roles: SymbolRole::Definition as i32,
                ..Occurrence::default()
            });
            names.insert(id, symbol.clone());
            if !known.insert(symbol.clone()) {
                continue;
            }
            let signature = Signature {
                language: document.language.clone(),
                text: row.get(11)?,
                ..Signature::default()
            };
            document.symbols.push(SymbolInformation {
                symbol,
                documentation: row.get::<_, Option<String>>(12)?.into_iter().collect(),
                kind: EnumOrUnknown::new(kind),
                display_name: name,
                signature_documentation: MessageField::some(signature),
                ..SymbolInformation::default()
            });
        }
        let mut statement = self.connection.prepare(REFS)?;
        let mut rows = statement.query([])?;
        while let Some(row) = rows.next()? {
            let Some(symbol) = names.get(&row.get(4)?) else { continue };
            let kind: String = row.get(5)?;
            let Some(document) = documents.get_mut(&row.get(0)?) else { continue };
            let (start, name): ((i64, i64), String) = ((row.get(1)?, row.get(2)?), row.get(3)?);
            if matches!(&*kind, "extends" | "implements")
                && let Some(class) = class_at(document, [number(start.0 - 1), number(start.1)])
            {
                class.relationships.push(Relationship {
                    symbol: symbol.clone(),
                    is_implementation: true,
                    ..Relationship::default()
                });
            }
            document.occurrences.push(Occurrence {
                range: range(start, (start.0, start.1 + length(&name))),
                symbol: symbol.clone(),
                ..Occurrence::default()
            });
        }
        let texts = documents.values_mut().flat_map(texts_of).map(std::mem::take).collect();
        for (text, masked) in documents.values_mut().flat_map(texts_of).zip(mask(texts)) {
            *text = masked;
        }
        let in_order = files.iter().filter_map(|(id, ..)| documents.remove(id));
        let documents = in_order.map(|mut document| {
            document.occurrences.sort_by(|a, b| (&a.range, &a.symbol).cmp(&(&b.range, &b.symbol)));
            document
        });
        let index = Index {
            metadata: MessageField::some(Metadata {
                tool_info: MessageField::some(ToolInfo {
                    name: "aidd".to_owned(),
                    version: env!("CARGO_PKG_VERSION").to_owned(),
                    ..ToolInfo::default()
                }),
                project_root: root.to_owned(),
                text_document_encoding: EnumOrUnknown::new(TextEncoding::UTF8),
                ..Metadata::default()
            }),
            documents: documents.collect(),
            ..Index::default()
        };
        index.write_to_bytes().map_err(|error| IndexError::Export(error.to_string()))
    }
}
