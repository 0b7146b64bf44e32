//! The purpose of the images that a Dockerfile builds.

use crate::text::files::Files;
use crate::text::source::Source;
use aidd_lexicon::tables::purposes;

/// The description of a Dockerfile for which [`copies_missing_lock_file`] is true.
pub(super) const UNBUILDABLE: &str = "in a Dockerfile that copies a missing lock file";

/// Whether each command that the images of a Dockerfile run is a development server, such as
/// `npm run dev`.
pub(super) fn are_for_development(text: &str) -> bool {
    let command = |line: &str| {
        let (keyword, command) = line.trim().split_once(char::is_whitespace)?;
        let is_command =
            ["CMD", "ENTRYPOINT"].iter().any(|name| keyword.eq_ignore_ascii_case(name));
        // `["npm", "run", "dev"]` is `npm run dev`.
        let words =
            command.split(|c: char| c.is_whitespace() || matches!(c, '[' | ']' | ',' | '"'));
        let words: Vec<&str> = words.filter(|word| !word.is_empty()).collect();
        is_command.then(|| format!(" {} ", words.join(" ")))
    };
    let mut has_server = false;
    for command in text.lines().filter_map(command) {
        let is_server = purposes::DEVELOPMENT_COMMANDS
            .iter()
            .any(|part| command.contains(&format!(" {part} ")));
        // A script or a program that starts its arguments, such as `tini --`.
        let starts_arguments = |word: &str| {
            let word = word.rsplit('/').next().unwrap_or(word);
            word.starts_with('-')
                || word == "tini"
                || word == "dumb-init"
                || word.contains("entrypoint")
        };
        if !is_server && !command.split_whitespace().all(starts_arguments) {
            return false;
        }
        has_server |= is_server;
    }
    has_server
}

/// Whether the Dockerfile copies a lock file, but the project has no file with this name. Such a
/// Dockerfile is usually left over from another package manager or from a template.
pub(super) fn copies_missing_lock_file(source: &Source, files: &dyn Files) -> bool {
    let Some(listing) = files.listing() else { return false };
    let is_copy = |line: &&str| {
        let keyword = line.split_whitespace().next().unwrap_or_default();
        ["ADD", "COPY"].iter().any(|name| keyword.eq_ignore_ascii_case(name))
            && !line.contains("--from")
    };
    let words = source.text().lines().map(str::trim_start).filter(is_copy);
    let mut names = words.flat_map(str::split_whitespace).filter_map(|word| {
        let name = word.trim_matches(['[', ']', ',', '"']).rsplit('/').next()?;
        purposes::LOCK_FILES.contains(name).then_some(name)
    });
    names.any(|name| {
        let is_named = |path: &String| path.rsplit('/').next() == Some(name);
        let exists = || listing.files().iter().any(is_named);
        !listing.answer(&format!("lock file {name}"), exists)
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::text::files::{Listed, Memory};
    use crate::text::listing::Listing;

    #[test]
    fn images_with_a_development_server_are_for_development() {
        for (text, expected) in [
            ("FROM node:22\nCMD [\"npm\", \"run\", \"dev\"]\n", true),
            (
                "FROM php:8\nENTRYPOINT [\"/entrypoint.sh\"]\nCMD [\"php\", \"bin/console\", \"--env=dev\"]\n",
                true,
            ),
            ("FROM python:3\ncmd python manage.py runserver 0.0.0.0:8000\n", true),
            (
                "FROM node:22 AS dev\nCMD npm run dev\nFROM node:22\nCMD [\"node\", \"a.js\"]\n",
                false,
            ),
            ("FROM node:22\nENTRYPOINT [\"node\", \"a.js\"]\n", false),
            ("FROM node:22\nCMD [\"npm\", \"run\", \"develop-maps\"]\n", false),
            ("FROM node:22\nENTRYPOINT [\"/entrypoint.sh\"]\n", false),
            ("FROM node:22\n", false),
        ] {
            assert_eq!(are_for_development(text), expected, "{text}");
        }
    }

    #[test]
    fn copied_lock_files_are_searched_in_the_project() {
        let listing = Listing::new(["Dockerfile", "web/package-lock.json"].map(str::to_owned));
        let memory = Memory::default();
        let files = Listed { files: &memory, listing: &listing };
        for (text, expected) in [
            ("FROM node:22\nCOPY package.json pnpm-lock.yaml ./\n", true),
            ("FROM node:22\nCOPY [\"./yarn.lock\", \"/app/\"]\n", true),
            ("FROM node:22\nCOPY package-lock.json ./\n", false),
            ("FROM node:22\nCOPY pnpm-lock.yaml* ./\n", false),
            ("FROM node:22\nCOPY --from=build /app/yarn.lock ./\n", false),
            ("FROM node:22\nCOPY . .\n", false),
        ] {
            let source = Source::new("Dockerfile", text);
            assert_eq!(copies_missing_lock_file(&source, &files), expected, "{text}");
        }
    }
}
