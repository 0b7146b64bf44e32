//! The objects of the OpenAPI specifications as a table, read from `specification.txt`.

use std::collections::HashMap;
use std::sync::LazyLock;

/// The table, one grammar per version.
static GRAMMARS: LazyLock<Vec<Grammar>> =
    LazyLock::new(|| Version::ALL.iter().map(|&version| Grammar::read(TABLE, version)).collect());

const TABLE: &str = include_str!("specification.txt");

/// A version of the specification.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(super) enum Version {
    V2,
    V3_0,
    V3_1,
    V3_2,
}

impl Version {
    pub(super) const ALL: [Self; 4] = [Self::V2, Self::V3_0, Self::V3_1, Self::V3_2];

    /// The version of a document with the value `text` of the field `openapi` or `swagger`.
    pub(super) fn from_field(field: &str, text: &str) -> Option<Self> {
        let has_patch = |start: &str| {
            let patch = text.strip_prefix(start).and_then(|rest| rest.strip_prefix('.'));
            patch.is_some_and(|patch| {
                !patch.is_empty() && patch.starts_with(|c: char| c.is_ascii_digit())
            })
        };
        match field {
            "swagger" => (text == "2.0").then_some(Self::V2),
            _ if has_patch("3.0") => Some(Self::V3_0),
            _ if has_patch("3.1") => Some(Self::V3_1),
            _ if has_patch("3.2") => Some(Self::V3_2),
            _ => None,
        }
    }

    fn from_text(text: &str) -> Option<Self> {
        Some(match text {
            "2.0" => Self::V2,
            "3.0" => Self::V3_0,
            "3.1" => Self::V3_1,
            "3.2" => Self::V3_2,
            _ => return None,
        })
    }

    /// The name of the version, without the patch.
    pub(super) fn name(self) -> &'static str {
        match self {
            Self::V2 => "Swagger 2.0",
            Self::V3_0 => "OpenAPI 3.0",
            Self::V3_1 => "OpenAPI 3.1",
            Self::V3_2 => "OpenAPI 3.2",
        }
    }
}

/// The objects of one version, by name.
#[derive(Debug)]
pub(super) struct Grammar {
    objects: HashMap<&'static str, Object>,
}

/// The fields of an object.
#[derive(Debug)]
pub(super) struct Object {
    pub(super) name: &'static str,
    /// Whether any other field is allowed.
    pub(super) is_open: bool,
    pub(super) fields: HashMap<&'static str, Field>,
    /// The fields that match a pattern.
    pub(super) pattern: Option<(Pattern, Shape)>,
}

#[derive(Debug)]
pub(super) struct Field {
    pub(super) is_required: bool,
    pub(super) shape: Shape,
}

/// The syntax of the field names of a map.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Pattern {
    Path,
    Status,
    Any,
}

/// The type that the specification requires of a value.
#[derive(Clone, Debug)]
pub(super) enum Shape {
    Any,
    String,
    Boolean,
    Integer,
    Number,
    Enum(Vec<&'static str>),
    Object(&'static str),
    /// An object, or a reference to such an object.
    Ref(&'static str),
    SchemaOrBoolean,
    /// A schema or a list of schemas.
    Schemas,
    List(Box<Shape>),
    Map(Box<Shape>),
    /// A map whose keys are names of components.
    Named(Box<Shape>),
}

impl Grammar {
    /// The grammar of `version`.
    pub(super) fn of(version: Version) -> &'static Self {
        &GRAMMARS[version as usize]
    }

    pub(super) fn object(&self, name: &str) -> Option<&Object> {
        self.objects.get(name)
    }

    fn read(table: &'static str, version: Version) -> Self {
        let mut objects = HashMap::new();
        let mut open: Option<Object> = None;
        for line in table.lines().filter(|line| !line.is_empty() && !line.starts_with('#')) {
            if let Some(header) = line.strip_prefix('[').and_then(|line| line.strip_suffix(']')) {
                objects.extend(open.take().map(|object: Object| (object.name, object)));
                let mut words = header.split(' ');
                let name = words.next().unwrap_or_default();
                if !words.next().is_some_and(|versions| includes(versions, version)) {
                    continue;
                }
                let flag = words.next();
                open = Some(Object {
                    name,
                    is_open: flag == Some("open"),
                    fields: HashMap::new(),
                    pattern: None,
                });
            } else if let Some(object) = &mut open {
                read_field(object, line, version);
            }
        }
        objects.extend(open.take().map(|object| (object.name, object)));
        Self { objects }
    }
}

/// Adds the field of one line to `object`.
fn read_field(object: &mut Object, line: &'static str, version: Version) {
    let mut words: Vec<&'static str> = line.split(' ').collect();
    let name = words.remove(0);
    if words.first().is_some_and(|word| word.starts_with(|c: char| c.is_ascii_digit()))
        && !includes(words.remove(0), version)
    {
        return;
    }
    let shape = read_shape(&words);
    let pattern = match name {
        "<path>" => Pattern::Path,
        "<status>" => Pattern::Status,
        "<any>" | "<expression>" => Pattern::Any,
        _ => {
            let field = name.trim_end_matches('!');
            let is_required = field.len() < name.len();
            object.fields.insert(field, Field { is_required, shape });
            return;
        }
    };
    object.pattern = Some((pattern, shape));
}

fn read_shape(words: &[&'static str]) -> Shape {
    let inner = || Box::new(read_shape(&words[1..]));
    match words[0] {
        "any" => Shape::Any,
        "string" => Shape::String,
        "boolean" => Shape::Boolean,
        "integer" => Shape::Integer,
        "number" => Shape::Number,
        "schema-or-boolean" => Shape::SchemaOrBoolean,
        "schemas" => Shape::Schemas,
        "enum" => Shape::Enum(words[1].split('|').collect()),
        "list" => Shape::List(inner()),
        "map" => Shape::Map(inner()),
        "named" => Shape::Named(inner()),
        "ref" => Shape::Ref(words[1]),
        object => Shape::Object(object),
    }
}

/// Whether a range of versions (`3.0`, `3.0-3.1`, `3.1-`) includes `version`.
fn includes(range: &str, version: Version) -> bool {
    let (first, last) = range.split_once('-').unwrap_or((range, range));
    Version::from_text(first).is_some_and(|first| first <= version)
        && (last.is_empty() || Version::from_text(last).is_some_and(|last| version <= last))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn names(shape: &Shape) -> Option<&'static str> {
        match shape {
            Shape::Object(name) | Shape::Ref(name) => Some(name),
            Shape::SchemaOrBoolean | Shape::Schemas => Some("schema"),
            Shape::List(inner) | Shape::Map(inner) | Shape::Named(inner) => names(inner),
            _ => None,
        }
    }

    #[test]
    fn every_type_of_the_table_is_defined_in_its_version() {
        for version in Version::ALL {
            let grammar = Grammar::of(version);
            assert!(grammar.object("document").is_some(), "{version:?}");
            for object in grammar.objects.values() {
                let patterns = object.pattern.iter().map(|(_, shape)| shape);
                for shape in object.fields.values().map(|field| &field.shape).chain(patterns) {
                    if let Some(name) = names(shape) {
                        assert!(
                            grammar.object(name).is_some(),
                            "{version:?} {}: {name}",
                            object.name
                        );
                    }
                }
            }
        }
    }

    #[test]
    fn versions_are_recognized() {
        for (field, text, expected) in [
            ("swagger", "2.0", Some(Version::V2)),
            ("openapi", "3.0.3", Some(Version::V3_0)),
            ("openapi", "3.1.0", Some(Version::V3_1)),
            ("openapi", "3.2.0", Some(Version::V3_2)),
            ("openapi", "3.0", None),
            ("openapi", "4.0.0", None),
            ("swagger", "1.2", None),
        ] {
            assert_eq!(Version::from_field(field, text), expected, "{text}");
        }
    }
}
