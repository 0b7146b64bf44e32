//! API descriptions that a program writes, according to the description itself or to other files of
//! the project.

mod commands;

use crate::parse::values::{Datum, Format, Values};
use crate::text::files::Files;
use crate::text::paths::below;
use crate::text::source::Source;

/// Whether the file is an API description that a program writes: its `info` or the settings of a
/// generator say so, or a command of the project writes to its path.
pub(super) fn is_written_by_program(source: &Source, files: &dyn Files) -> bool {
    let path = source.path();
    is_written_by_tests(path, files)
        || is_written_by_swag(path, files)
        || is_written_by_protoc(path, files)
        || is_stated(source)
        || commands::write(path, files)
}

/// Whether the file is an API description that swag writes together with `docs.go`, possibly with
/// the name of an instance: `shop_docs.go`.
fn is_written_by_swag(path: &str, files: &dyn Files) -> bool {
    let (directory, name) = path.rsplit_once('/').unwrap_or(("", path));
    let instance =
        ["swagger.json", "swagger.yaml"].iter().find_map(|ending| name.strip_suffix(ending));
    let Some(instance) = instance.filter(|it| it.is_empty() || it.ends_with('_')) else {
        return false;
    };
    !directory.is_empty() && files.exists(&format!("{directory}/{instance}docs.go"))
}

/// Whether the file is an API description that a plugin of the protocol buffer compiler writes next
/// to the interface: `shop.swagger.json` or `shop.openapi.yaml` next to `shop.proto`.
fn is_written_by_protoc(path: &str, files: &dyn Files) -> bool {
    let endings = [".swagger.json", ".swagger.yaml", ".openapi.json", ".openapi.yaml"];
    let stem = endings.iter().find_map(|ending| path.strip_suffix(ending));
    stem.is_some_and(|stem| files.exists(&format!("{stem}.proto")))
}

/// Whether a file is a description of an API that rswag writes when the tests of a Rails application
/// run: it is below the directory `swagger`, next to the settings in `spec/swagger_helper.rb`.
fn is_written_by_tests(path: &str, files: &dyn Files) -> bool {
    let root = match path.find("swagger/") {
        Some(0) => "",
        Some(at) if path[..at].ends_with('/') => path[..at].trim_end_matches('/'),
        _ => return false,
    };
    files.exists(&below(root, "spec/swagger_helper.rb"))
}

/// The fields in which generators name themselves, at the top level or in `info`.
const GENERATOR_FIELDS: [&str; 4] =
    ["x-generator", "x-generated-by", "x-generated-from", "x-generated"];

/// Phrases in a description of an API: the description was generated.
const PHRASES: [&str; 7] = [
    "this document is generated",
    "this document was generated",
    "this file is generated",
    "this file was generated",
    "this specification is generated",
    "this specification was generated",
    "automatically generated from ",
];

/// Whether `info` states that the description was generated, or a generator names itself. The title
/// is the interface for plugins of the protocol buffer compiler: `shop/v1/orders.proto`.
fn is_stated(source: &Source) -> bool {
    let Some(format @ (Format::Json | Format::Yaml)) = Format::from_path(source.path()) else {
        return false;
    };
    let values = Values::read(format, source.text());
    let Some(&root) = values.roots.first() else { return false };
    let info = values.child(root, "info");
    let has_field = |at: usize| {
        GENERATOR_FIELDS.iter().any(|field| {
            values.child(at, field).is_some_and(|it| values.all[it].datum != Datum::Bool(false))
        })
    };
    let text = |field: &str| {
        let at = values.child(info?, field)?;
        values.text(at).map(|text| text.to_ascii_lowercase())
    };
    has_field(root)
        || info.is_some_and(has_field)
        || text("title").is_some_and(|title| title.trim_end().ends_with(".proto"))
        || text("description").is_some_and(|it| PHRASES.iter().any(|phrase| it.contains(phrase)))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::text::files::Memory;

    #[test]
    fn descriptions_next_to_the_settings_of_a_generator_are_written_by_a_program() {
        for (path, other, expected) in [
            ("docs/swagger.json", "docs/docs.go", true),
            ("docs/shop_swagger.yaml", "docs/shop_docs.go", true),
            ("docs/shop_swagger.yaml", "docs/docs.go", false),
            ("swagger.json", "docs.go", false),
            ("swagger/v1/api.yaml", "spec/swagger_helper.rb", true),
            ("shop/swagger/v1/api.yaml", "shop/spec/swagger_helper.rb", true),
            ("shop/swagger/v1/api.yaml", "spec/swagger_helper.rb", false),
            ("api/shop.swagger.json", "api/shop.proto", true),
            ("api/shop.openapi.yaml", "api/shop.proto", true),
            ("api/openapi.yaml", "api/shop.proto", false),
        ] {
            let files = Memory([(other.to_owned(), Vec::new())].into());
            let source = Source::new(path, "openapi: 3.1.0");
            assert_eq!(is_written_by_program(&source, &files), expected, "{path} {other}");
        }
    }

    #[test]
    fn descriptions_can_state_that_they_are_generated() {
        for (text, expected) in [
            ("openapi: 3.1.0\nx-generator: NSwag v14\n", true),
            ("openapi: 3.1.0\ninfo:\n  x-generated-by: tool\n", true),
            ("openapi: 3.1.0\ninfo:\n  description: This file is generated by `make api`.\n", true),
            ("swagger: '2.0'\ninfo:\n  title: shop/v1/orders.proto\n", true),
            ("openapi: 3.1.0\ninfo:\n  description: Returns generated reports.\n", false),
            ("openapi: 3.1.0\nx-generated: false\n", false),
        ] {
            assert_eq!(is_stated(&Source::new("openapi.yaml", text)), expected, "{text}");
        }
    }
}
