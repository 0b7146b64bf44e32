//! The purpose of the images that a Dockerfile builds.

use super::copy;
use aidd_engine::parse::dockerfile::{self, Dockerfile, Instruction, Keyword};
use aidd_engine::text::files::Files;
use aidd_engine::text::purpose::Purpose;
use aidd_lexicon::tables::purposes;

/// The purpose of the Dockerfile with this text, as far as its instructions show it.
pub(super) fn purpose(text: &str, files: &dyn Files) -> Option<Purpose> {
    let docker = dockerfile::parse(text);
    if is_stated(text) || are_for_development(&docker) {
        Some(Purpose::Development)
    } else {
        copies_missing_lock_file(&docker, files).then_some(Purpose::Unbuildable)
    }
}

/// Whether a comment before the first instruction says that the images are for development.
fn is_stated(text: &str) -> bool {
    const PHRASES: [&str; 5] = [
        "development only",
        "for local development",
        "not for production",
        "only for development",
        "only used in development",
    ];
    let lines = text.lines().map(str::trim_start);
    let mut comments = lines.take_while(|line| line.is_empty() || line.starts_with('#'));
    comments.any(|line| {
        let line = line.to_ascii_lowercase();
        PHRASES.iter().any(|phrase| line.contains(phrase))
    })
}

/// Whether each command that the images run is a development server, such as `npm run dev`.
fn are_for_development(docker: &Dockerfile) -> bool {
    let commands = docker.instructions.iter();
    let commands =
        commands.filter(|command| matches!(command.kind, Keyword::Cmd | Keyword::Entrypoint));
    let mut has_server = false;
    for words in commands.map(command_words) {
        let command = format!(" {} ", words.join(" "));
        let is_server = purposes::DEVELOPMENT_COMMANDS
            .iter()
            .any(|part| command.contains(&format!(" {part} ")));
        // A script or a program that starts its arguments, such as `tini --`.
        let starts_arguments = |word: &&str| {
            let word = word.rsplit('/').next().unwrap_or(word);
            word.starts_with('-')
                || word == "tini"
                || word == "dumb-init"
                || word.contains("entrypoint")
        };
        if !is_server && !words.iter().all(starts_arguments) {
            return false;
        }
        has_server |= is_server;
    }
    has_server
}

/// The words of a command: `["npm", "run", "dev"]` has the words of `npm run dev`.
fn command_words(command: &Instruction) -> Vec<&str> {
    let arguments: Vec<&str> = match command.json {
        true => command.words.iter().map(|word| &*word.text).collect(),
        false => vec![command.argument()],
    };
    let is_end = |c: char| c.is_whitespace() || matches!(c, '[' | ']' | ',' | '"');
    let words = arguments.into_iter().flat_map(|argument| argument.split(is_end));
    words.filter(|word| !word.is_empty()).collect()
}

/// Whether the Dockerfile copies a lock file, but the project has no file with this name. Such a
/// Dockerfile is usually left over from another package manager or from a template.
fn copies_missing_lock_file(docker: &Dockerfile, files: &dyn Files) -> bool {
    let Some(listing) = files.listing() else { return false };
    let copies = docker.instructions.iter();
    let copies = copies.filter(|copy| {
        matches!(copy.kind, Keyword::Add | Keyword::Copy) && copy.flag("from").is_none()
    });
    let mut names = copies.flat_map(copy::sources).filter_map(|source| {
        let name = source.text.rsplit('/').next()?;
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
    use aidd_engine::text::files::{Listed, Memory};
    use aidd_engine::text::listing::Listing;
    use proptest::prelude::*;

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
            // Continued lines, with a comment in between.
            ("FROM node:22\nCMD npm \\\n  # watches the files\n  run \\\n  dev\n", true),
            ("FROM node:22\nCMD [ \\\n  \"npm\", \\\n  \"run\", \"dev\" ]\n", true),
            ("# escape=`\nFROM node:22\nCMD npm `\n  run dev\n", true),
            ("FROM node:22\nCMD npm run dev && \\\n  node a.js\n", true),
            ("FROM node:22\nRUN echo \\\n  CMD npm run dev\nCMD [\"node\", \"a.js\"]\n", false),
            // Only a heredoc contains the command, and a health check is not a command of the image.
            ("FROM node:22\nCOPY <<EOF /a.sh\nCMD npm run dev\nEOF\n", false),
            (
                "FROM node:22\nHEALTHCHECK --interval=5s \\\n  CMD curl localhost\nCMD npm run dev\n",
                true,
            ),
            ("FROM node:22\n# CMD node a.js\nCMD npm run dev\n", true),
        ] {
            assert_eq!(are_for_development(&dockerfile::parse(text)), expected, "{text}");
        }
    }

    #[test]
    fn comments_say_that_images_are_for_development() {
        assert!(is_stated("# syntax=docker/dockerfile:1\n# Only used in development.\nFROM a:1\n"));
        assert!(!is_stated("FROM a:1\n# Only used in development.\nCMD [\"b\"]\n"));
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
            (
                "FROM node:22\nCOPY package.json \\\n  # pinned versions\n  yarn.lock \\\n  ./\n",
                true,
            ),
            ("# escape=`\nFROM node:22\nCOPY package.json `\n  yarn.lock ./\n", true),
            ("FROM node:22\nCOPY --chown=1000 \\\n  --from=build /app/yarn.lock ./\n", false),
            ("FROM node:22\nCOPY <<EOF ./\nCOPY yarn.lock ./\nEOF\n", false),
            ("FROM node:22\nRUN echo \\\n  COPY yarn.lock\n", false),
            // The target is not copied.
            ("FROM node:22\nCOPY package-lock.json /app/yarn.lock\n", false),
        ] {
            let found = copies_missing_lock_file(&dockerfile::parse(text), &files);
            assert_eq!(found, expected, "{text}");
        }
    }

    proptest! {
        #[test]
        fn any_text_has_a_purpose_or_none(text in "(FROM a\n|CMD |COPY |<<EOF|EOF\n|yarn.lock|[\\\\`\"#\\[\\], \na-z]){0,40}") {
            let _ = purpose(&text, &Memory::default());
        }
    }
}
