//! Dockerfiles whose stages are not all in the file: those for a frontend other than BuildKit's, and
//! those that such a file includes.

use aidd_engine::parse::dockerfile::Dockerfile;
use aidd_engine::text::files::{Files, sibling, side_file};

/// Maximum number of Dockerfiles in the same directory that are searched for the name of a file.
const MAX_SIBLINGS: usize = 30;

/// Why stages can be missing in the Dockerfile at `path`; `None` if all of them are in the file.
pub(super) fn missing_parts(
    docker: &Dockerfile,
    path: &str,
    files: &dyn Files,
) -> Option<&'static str> {
    if docker.directives.iter().any(|it| it.name == "syntax" && !is_standard(&it.text)) {
        return Some("a Dockerfile for another frontend: only its commands are checked");
    }
    is_included(path, files).then_some("a part of a Dockerfile: only its commands are checked")
}

/// Whether an image is the frontend of BuildKit, or a copy of it in another registry.
fn is_standard(image: &str) -> bool {
    let image = image.split('@').next().unwrap_or(image);
    let name = image.rsplit('/').next().unwrap_or(image);
    matches!(name.split(':').next(), Some("dockerfile" | "dockerfile-upstream"))
}

/// Whether a Dockerfile in the same directory includes the file: `INCLUDE docker/base.dockerfile`,
/// as in <https://github.com/devthefuture-org/dockerfile-x>.
fn is_included(path: &str, files: &dyn Files) -> bool {
    let (directory, name) = path.rsplit_once('/').unwrap_or(("", path));
    let names = files.names(directory).into_iter();
    let dockerfiles =
        names.filter(|other| other != name && other.to_ascii_lowercase().contains("dockerfile"));
    dockerfiles.take(MAX_SIBLINGS).any(|other| {
        let text = side_file(files, &sibling(path, &other)).unwrap_or_default();
        text.lines().any(|line| {
            let mut words = line.split_whitespace();
            words.next().is_some_and(|word| word.eq_ignore_ascii_case("include"))
                && words.next().is_some_and(|part| part.rsplit('/').next() == Some(name))
        })
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    use aidd_engine::parse::dockerfile;
    use aidd_engine::text::files::Memory;

    #[test]
    fn other_frontends_and_included_files_have_parts_elsewhere() {
        let main = "# syntax = devthefuture/dockerfile-x\nINCLUDE docker/base.dockerfile\n";
        let files = [("docker/app.dockerfile", main), ("docker/base.dockerfile", "")];
        let files = Memory(files.map(|(path, text)| (path.to_owned(), text.into())).into());
        let has_missing_parts = |path: &str, text: &str| {
            missing_parts(&dockerfile::parse(text), path, &files).is_some()
        };
        assert!(has_missing_parts("docker/app.dockerfile", main));
        assert!(has_missing_parts("docker/base.dockerfile", "FROM base AS build\n"));
        assert!(!has_missing_parts("docker/other.dockerfile", "FROM base AS build\n"));
        for image in ["docker/dockerfile:1", "mirror.acme.io/hub/docker/dockerfile:1.7@sha256:0"] {
            let text = format!("# syntax={image}\nFROM debian:12\n");
            assert!(!has_missing_parts("Dockerfile", &text), "{image}");
        }
    }
}
