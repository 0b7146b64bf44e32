//! COPY and ADD: choice of instruction, sources and targets.

use super::super::Checks;
use super::casing::Casing;
use aidd_engine::parse::dockerfile::{Dockerfile, Instruction, Keyword, Word};
use aidd_engine::rules::rule::Report;
use aidd_engine::text::finding::Edit;
use aidd_engine::text::source::Span;
use std::collections::HashMap;

pub(super) const CHECKS: Checks<Dockerfile> = &[
    ("dockerfile/add-instead-of-copy", add_instead_of_copy),
    ("dockerfile/copied-archive", copied_archive),
    ("dockerfile/copy-to-no-folder", copy_to_non_directory),
    ("dockerfile/copy-to-relative-path", copy_to_relative_path),
];

/// Extensions of archives that ADD unpacks.
const ARCHIVES: [&str; 14] = [
    ".tar", ".gz", ".bz2", ".xz", ".Z", ".lz", ".lzma", ".tgz", ".tb2", ".tbz", ".tbz2", ".tlz",
    ".tpz", ".txz",
];

/// Extensions of further archives, which only some builders and versions unpack.
const MORE_ARCHIVES: [&str; 2] = [".tZ", ".tar.zst"];

fn is_archive(path: &str) -> bool {
    ARCHIVES.iter().any(|end| path.ends_with(end))
}

/// The sources of a COPY or ADD: all words but the last, without here-documents.
pub(super) fn sources(instruction: &Instruction) -> impl Iterator<Item = &Word> {
    let count = instruction.words.len().saturating_sub(1);
    instruction.words[..count].iter().filter(|word| instruction.heredoc(word).is_none())
}

/// Whether ADD downloads the source rather than copying it.
pub(super) fn is_remote(path: &str) -> bool {
    ["http://", "https://", "git://", "ssh://", "git@"].iter().any(|start| path.starts_with(start))
}

fn add_instead_of_copy(file: &Dockerfile, report: &mut Report<'_>) {
    let casing = Casing::from_file(file, report.source());
    for add in file.all(Keyword::Add) {
        let is_local = |word: &&Word| {
            let path = &*word.text;
            !is_remote(path)
                && !is_archive(path)
                && !MORE_ARCHIVES.iter().any(|end| path.ends_with(end))
                && !path.contains("{{")
        };
        let Some(first) = sources(add).find(is_local) else { continue };
        let finding = report.at(add.keyword, format!("ADD of a local file: `{}`", first.text));
        finding.help("Use COPY, unless the source should be downloaded or unpacked");
        let is_literal = |word: &Word| is_local(&word) && !word.text.contains(['$', '*', '?', '[']);
        let is_convertible = add
            .flags
            .iter()
            .all(|flag| matches!(&*flag.name, "chown" | "chmod" | "link" | "exclude" | "parents"));
        if is_convertible && sources(add).all(is_literal) {
            let (title, edits) =
                ("Use COPY instead of ADD", vec![Edit::replace(add.keyword, casing.apply("COPY"))]);
            // ADD detects an archive by its content, so a file without an extension can be an
            // archive.
            if sources(add).all(|word| is_certainly_not_archive(&word.text)) {
                finding.fix(title, edits);
            } else {
                finding.fix_unsafe(title, edits);
            }
        }
    }
}

/// Whether a path is certainly not an archive: a directory, or a file with a different extension.
fn is_certainly_not_archive(path: &str) -> bool {
    let name = file_name(path);
    let has_extension = name.rsplit_once('.').is_some_and(|(stem, extension)| {
        !stem.is_empty()
            && extension.len() > 1
            && extension.bytes().all(|b| b.is_ascii_alphabetic())
    });
    matches!(name, "" | "." | "..") || has_extension
}

fn copy_to_non_directory(file: &Dockerfile, report: &mut Report<'_>) {
    for copy in file.all(Keyword::Copy) {
        let Some(target) = copy.words.last().filter(|_| copy.words.len() > 2) else { continue };
        if target.text.ends_with(['/', '\\']) || is_existing_directory(&target.text) {
            continue;
        }
        let is_workdir = |workdir: &&Instruction| {
            workdir.span.start < copy.span.start && workdir.stage == copy.stage
        };
        let workdirs = file.all(Keyword::Workdir);
        if workdirs.filter(is_workdir).any(|workdir| {
            workdir.words.first().is_some_and(|directory| directory.text == target.text)
        }) {
            continue;
        }
        let quoted = report.source().slice(target.span).ends_with(['"', '\'']);
        let end = target.span.end - u32::from(quoted);
        report
            .at(target.span, "several sources, but the target is not a directory")
            .help("End the target with `/`")
            .fix("Add the slash", vec![Edit::insert(end, "/")]);
    }
}

/// Whether a target is a directory of every image: BuildKit copies into an existing directory
/// without `/` at the end.
fn is_existing_directory(target: &str) -> bool {
    const DIRECTORIES: [&str; 13] = [
        ".",
        "/bin",
        "/etc",
        "/home",
        "/lib",
        "/opt",
        "/sbin",
        "/tmp",
        "/usr/bin",
        "/usr/lib",
        "/usr/local/bin",
        "/usr/local/lib",
        "/usr/sbin",
    ];
    DIRECTORIES.contains(&target)
}

fn copy_to_relative_path(file: &Dockerfile, report: &mut Report<'_>) {
    // For each stage, whether WORKDIR is set. Index 0 is the part before the first FROM; a fragment
    // that other Dockerfiles include consists only of this part.
    let mut has_workdir = vec![false; file.stages.len() + 1];
    for instruction in &file.instructions {
        let at = instruction.stage.map_or(0, |stage| stage + 1);
        match instruction.kind {
            Keyword::From => {
                let stage = instruction.stage.and_then(|stage| file.stages.get(stage));
                let base = stage.and_then(|stage| stage.base);
                has_workdir[at] = base.is_some_and(|base| has_workdir[base + 1]);
            }
            Keyword::Workdir => has_workdir[at] = true,
            Keyword::Copy if !has_workdir[at] => {
                let Some(target) = instruction.words.last() else { continue };
                if instruction.words.len() > 1 && is_relative(&target.text) {
                    report
                        .at(target.span, "relative target without a preceding WORKDIR")
                        .help("Set WORKDIR first, or use an absolute target");
                }
            }
            _ => {}
        }
    }
}

fn is_relative(path: &str) -> bool {
    let has_drive = matches!(path.as_bytes(), [letter, b':', ..] if letter.is_ascii_alphabetic());
    !has_drive && !path.starts_with(['/', '$', '\\', '{'])
}

/// Commands that unpack archives as ADD does.
const UNPACKERS: [&str; 12] = [
    "tar",
    "bsdtar",
    "gunzip",
    "bunzip2",
    "unlzma",
    "unxz",
    "zgz",
    "uncompress",
    "zcat",
    "gzcat",
    "bzcat",
    "unzstd",
];

fn copied_archive(file: &Dockerfile, report: &mut Report<'_>) {
    let first = file.stages.first().map_or(file.instructions.len(), |stage| stage.from);
    let parts = file.stages.iter().map(|stage| file.of_stage(stage));
    for instructions in std::iter::once(&file.instructions[..first]).chain(parts) {
        // In reverse order, so that each COPY finds the archives that a later RUN unpacks.
        let mut unpacked: HashMap<&str, Span> = HashMap::new();
        for instruction in instructions.iter().rev() {
            match instruction.kind {
                Keyword::Run => collect_unpacked(instruction, &mut unpacked),
                Keyword::Copy if instruction.flag("from").is_none() => {
                    for (archive, name) in archives(instruction) {
                        if let Some(&span) = unpacked.get(name) {
                            let message =
                                format!("archive `{}` is copied, then unpacked", archive.text);
                            report
                                .at(archive.span, message)
                                .help("Use ADD, which unpacks it in one step and leaves no archive in the image")
                                .related(span, "unpacked here");
                        }
                    }
                }
                _ => {}
            }
        }
    }
}

/// The archives that a COPY copies, with their names in the image.
fn archives(copy: &Instruction) -> impl Iterator<Item = (&Word, &str)> {
    let target = copy.words.last().map_or("", |word| path_as_written(copy, word));
    let renamed = is_archive(target).then(|| file_name(target));
    sources(copy)
        .map(|source| (source, path_as_written(copy, source)))
        .filter(|(_, path)| is_archive(path) && !path.contains(['*', '?']))
        .map(move |(source, path)| (source, renamed.unwrap_or_else(|| file_name(path))))
}

/// A path as written, without quotes. The backslashes of a Windows path are not escapes.
fn path_as_written<'a>(copy: &'a Instruction, word: &'a Word) -> &'a str {
    let raw = &copy.logical.text()[word.at.clone()];
    if raw.contains('\\') { raw.trim_matches(['"', '\'']) } else { &word.text }
}

fn file_name(path: &str) -> &str {
    path.rsplit(['/', '\\']).next().unwrap_or(path)
}

/// Adds the files that the commands of a RUN unpack, by name, with their spans.
fn collect_unpacked<'a>(run: &'a Instruction, unpacked: &mut HashMap<&'a str, Span>) {
    let text = run.argument();
    let mut start = 0;
    for command in text.split(['&', ';', '|', '\n', '(', ')']) {
        let at = start;
        start += command.len() + 1;
        let mut words = command.split_whitespace().map(|word| word.trim_matches(['"', '\'']));
        let Some(program) = words.find(|word| UNPACKERS.contains(&file_name(word))) else {
            continue;
        };
        let rest: Vec<&str> = words.collect();
        if file_name(program).ends_with("tar") && !extracts(&rest) {
            continue;
        }
        let trimmed = command.trim_start();
        let from = at + command.len() - trimmed.len();
        let span = run.span_of(from..from + trimmed.trim_end().len());
        unpacked.extend(rest.into_iter().map(|word| (file_name(word), span)));
    }
}

/// Whether the arguments of tar request extraction.
fn extracts(arguments: &[&str]) -> bool {
    arguments.iter().enumerate().any(|(at, word)| match word.strip_prefix("--") {
        Some(long) => matches!(long, "extract" | "get"),
        None => match word.strip_prefix('-') {
            Some(short) => short.contains('x'),
            None => at == 0 && word.contains('x') && word.bytes().all(|b| b.is_ascii_lowercase()),
        },
    })
}
