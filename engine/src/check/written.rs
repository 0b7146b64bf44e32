//! API descriptions that a program writes, according to other files of the project.

use crate::text::files::Files;
use crate::text::paths::below;

/// Whether the file is an API description that swag or rswag writes.
pub(super) fn is_written_by_program(path: &str, files: &dyn Files) -> bool {
    is_written_by_tests(path, files) || is_written_by_swag(path, files)
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

#[cfg(test)]
mod tests {
    use super::*;
    use crate::text::files::Memory;

    #[test]
    fn descriptions_next_to_the_settings_of_a_generator_are_written_by_a_program() {
        for (path, other, expected) in [
            ("docs/swagger.json", "docs/docs.go", true),
            ("swagger.json", "docs.go", false),
            ("swagger/v1/api.yaml", "spec/swagger_helper.rb", true),
            ("shop/swagger/v1/api.yaml", "shop/spec/swagger_helper.rb", true),
            ("shop/swagger/v1/api.yaml", "spec/swagger_helper.rb", false),
        ] {
            let files = Memory([(other.to_owned(), Vec::new())].into());
            assert_eq!(is_written_by_program(path, &files), expected, "{path} {other}");
        }
    }
}
