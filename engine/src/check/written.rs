//! API descriptions that a program writes, according to the description itself or to other files of
//! the project.

mod commands;

use crate::parse::values::{Datum, Format, Values};
use crate::text::files::{Files, side_file};
use crate::text::paths::below;
use crate::text::source::Source;

/// Whether the file is an API description that a program writes: its `info` or the settings of a
/// generator say so, or a command of the project writes to its path.
pub(super) fn is_written_by_program(source: &Source, files: &dyn Files) -> bool {
    let path = source.path();
    is_written_by_rswag(path, files)
        || is_written_by_scribe(path, files)
        || is_written_by_swag(path, files)
        || is_written_by_protoc(path, files)
        || is_in_client(path, files)
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

/// Maximum number of parent directories that are searched for the files of a generator.
const MAX_PARENTS: usize = 8;

/// The parent directories of a path, from the nearest.
fn parents(path: &str) -> impl Iterator<Item = &str> {
    path.rmatch_indices('/').map(|(at, _)| &path[..at]).chain([""]).take(MAX_PARENTS)
}

/// Whether the file is below a directory into which OpenAPI Generator or Swagger Codegen wrote a
/// client or a server, together with a copy of the description.
fn is_in_client(path: &str, files: &dyn Files) -> bool {
    parents(path).any(|parent| {
        [".openapi-generator/VERSION", ".swagger-codegen/VERSION"]
            .iter()
            .any(|name| files.exists(&below(parent, name)))
    })
}

/// The files with the settings of rswag.
const RSWAG_SETTINGS: [&str; 2] = ["spec/swagger_helper.rb", "spec/openapi_helper.rb"];

/// Whether a file is a description of an API that rswag writes when the tests of a Rails application
/// run: it is below the directory `swagger`, or below the directory that the settings name.
fn is_written_by_rswag(path: &str, files: &dyn Files) -> bool {
    parents(path).any(|root| {
        let settings = RSWAG_SETTINGS.iter().map(|name| below(root, name));
        let mut settings = settings.filter_map(|name| side_file(files, &name));
        settings.any(|text| {
            let directory = rswag_directory(&text);
            let directories = ["swagger"].into_iter().chain(directory.as_deref());
            directories.into_iter().any(|it| path.starts_with(&format!("{}/", below(root, it))))
        })
    })
}

/// The directory in the settings of rswag: `docs/api` in
/// `config.openapi_root = Rails.root.join('docs', 'api').to_s`.
fn rswag_directory(settings: &str) -> Option<String> {
    let line = settings.lines().find(|line| {
        let setting = line.split('=').next().unwrap_or_default();
        !line.trim_start().starts_with('#')
            && (setting.contains("openapi_root") || setting.contains("swagger_root"))
    })?;
    let parts = line.split(['"', '\'']).skip(1).step_by(2);
    let parts = parts.map(|part| part.trim_start_matches("../").trim_matches('/'));
    let parts: Vec<&str> = parts.filter(|part| !part.is_empty()).collect();
    (!parts.is_empty()).then(|| parts.join("/"))
}

/// Whether a file is a description of an API that Scribe writes for a Laravel application, next to
/// the documentation in `public` or `storage`.
fn is_written_by_scribe(path: &str, files: &dyn Files) -> bool {
    path.ends_with("openapi.yaml")
        && parents(path).any(|root| {
            let is_output = ["public", "resources", "storage"]
                .iter()
                .any(|directory| path.starts_with(&format!("{}/", below(root, directory))));
            is_output
                && ["config/scribe.php", ".scribe/intro.md"]
                    .iter()
                    .any(|name| files.exists(&below(root, name)))
        })
}

/// The fields in which generators name themselves, at the top level or in `info`.
const GENERATOR_FIELDS: [&str; 4] =
    ["x-generator", "x-generated-by", "x-generated-from", "x-generated"];

/// Phrases in a description of an API: the description was generated.
const PHRASES: [&str; 8] = [
    "this document is generated",
    "this document was generated",
    "this file is generated",
    "this file was generated",
    "this specification is generated",
    "this specification was generated",
    "this document is automatically generated",
    "this file is automatically generated",
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
            ("public/docs/openapi.yaml", "config/scribe.php", true),
            ("shop/storage/app/private/scribe/openapi.yaml", "shop/.scribe/intro.md", true),
            ("docs/openapi.yaml", "config/scribe.php", false),
            ("public/docs/openapi.yaml", "config/app.php", false),
            ("api/shop.swagger.json", "api/shop.proto", true),
            ("api/shop.openapi.yaml", "api/shop.proto", true),
            ("api/openapi.yaml", "api/shop.proto", false),
            ("clients/java/api/openapi.yaml", "clients/java/.openapi-generator/VERSION", true),
            ("api/openapi.yaml", "clients/java/.openapi-generator/VERSION", false),
        ] {
            let files = Memory([(other.to_owned(), Vec::new())].into());
            let source = Source::new(path, "openapi: 3.1.0");
            assert_eq!(is_written_by_program(&source, &files), expected, "{path} {other}");
        }
    }

    #[test]
    fn settings_of_rswag_name_the_directory_of_the_descriptions() {
        for (settings, expected) in [
            ("  config.openapi_root = Rails.root.join('docs', 'api').to_s", true),
            ("  config.swagger_root = Rails.root.to_s + '/docs/api'", true),
            ("  config.openapi_root = Rails.root.join(\"docs/other\").to_s", false),
            ("  # config.openapi_root = Rails.root.join('docs', 'api').to_s", false),
            ("  config.openapi_format = :yaml", false),
        ] {
            let settings = ("spec/swagger_helper.rb".to_owned(), settings.as_bytes().to_vec());
            let files = Memory([settings].into());
            let source = Source::new("docs/api/openapi.yaml", "openapi: 3.1.0");
            assert_eq!(is_written_by_program(&source, &files), expected, "{expected}");
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
