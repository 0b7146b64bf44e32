//! API descriptions that a program writes, according to other files of the project.

use crate::text::files::{Files, side_file};
use crate::text::paths::below;
use aidd_lexicon::tables::purposes;

/// Whether the file is an API description that a program of the project writes: swag, rswag, or a
/// library among the dependencies of the project.
pub(super) fn is_written_by_program(path: &str, files: &dyn Files) -> bool {
    is_written_by_tests(path, files)
        || is_written_by_swag(path, files)
        || has_generator(path, files)
}

/// Whether the file is an API description that swag writes together with `docs.go`.
fn is_written_by_swag(path: &str, files: &dyn Files) -> bool {
    let (directory, name) = path.rsplit_once('/').unwrap_or(("", path));
    matches!(name, "swagger.json" | "swagger.yaml")
        && !directory.is_empty()
        && files.exists(&format!("{directory}/docs.go"))
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

/// Whether a manifest in a directory above the file names a library that generates API descriptions
/// from code.
fn has_generator(path: &str, files: &dyn Files) -> bool {
    let parents = path.match_indices('/').map(|(at, _)| &path[..at]);
    std::iter::once("").chain(parents).any(|directory| {
        purposes::API_DESCRIPTION_GENERATORS.pairs().any(|(manifest, library)| {
            let text = || side_file(files, &below(directory, manifest));
            files.exists(&below(directory, manifest))
                && text().is_some_and(|text| text.contains(library))
        })
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::text::files::Memory;

    #[test]
    fn descriptions_next_to_a_generator_are_written_by_a_program() {
        let written = |path: &str, manifest: &str, text: &str| {
            let files = Memory([(manifest.to_owned(), text.into())].into());
            is_written_by_program(path, &files)
        };
        for (path, manifest, text, expected) in [
            ("app/api/v0/openapi.json", "Gemfile", "gem \"rswag\"\n", true),
            (
                "public/api.yaml",
                "composer.json",
                "{\"require\": {\"api-platform/core\": \"^3\"}}",
                true,
            ),
            (
                "api/openapi.yaml",
                "api/pom.xml",
                "<artifactId>springdoc-openapi-ui</artifactId>",
                true,
            ),
            ("openapi.yaml", "requirements.txt", "drf-spectacular==0.27\n", true),
            ("openapi.yaml", "requirements.txt", "connexion==3.1\n", false),
            ("openapi.yaml", "web/package.json", "{\"dependencies\": {\"tsoa\": \"6\"}}", false),
            (
                "openapi.yaml",
                "package.json",
                "{\"dependencies\": {\"openapi-typescript\": \"6\"}}",
                false,
            ),
            ("docs/swagger.json", "docs/docs.go", "package docs", true),
        ] {
            assert_eq!(written(path, manifest, text), expected, "{path} {text}");
        }
    }
}
