//! wget and curl, and archives that are copied and then unpacked.

use super::{Check, Run, Runs};
use crate::finding::Edit;
use crate::parse::dockerfile::Keyword;
use crate::parse::shell::Command;
use crate::rule::Report;

pub(super) const CHECKS: &[(&str, Check)] = &[
    ("dockerfile/wget-progress", wget_progress),
    ("dockerfile/wget-and-curl", wget_and_curl),
    ("dockerfile/copied-archive", copied_archive),
];

fn wget_progress(runs: &Runs<'_>, report: &mut Report<'_>) {
    for site in runs.calls(&["wget"]) {
        let command = site.command;
        let quiet = |text: &str| match text.strip_prefix("--") {
            Some(long) => {
                ["quiet", "no-verbose", "progress", "output-file", "append-output"].iter().any(
                    |it| long == *it || long.strip_prefix(it).is_some_and(|it| it.starts_with('=')),
                )
            }
            None => {
                let letters = text.strip_prefix('-').unwrap_or_default();
                // What follows these letters is a value.
                let letters = letters.split(['O', 'P', 'U', 'e', 'i', 't', 'T']).next();
                let letters = letters.unwrap_or_default();
                letters.contains("nv") || letters.contains(['q', 'o', 'a'])
            }
        };
        let shows_help = command.has_option(&["version", "help", "V", "h"]);
        if shows_help || command.arguments().iter().any(|word| quiet(word.text())) {
            continue;
        }
        let span = site.program_span();
        let finding = report.at(span, "the progress bar of `wget` floods the log of the build");
        finding.help("Add `--progress=dot:giga`, or `-q` for no report at all");
        if site.run.is_editable() {
            let edit = Edit::insert(span.end, " --progress=dot:giga");
            finding.fix("Add --progress=dot:giga", vec![edit]);
        }
    }
}

fn wget_and_curl(runs: &Runs<'_>, report: &mut Report<'_>) {
    let mut stage = None;
    let mut seen = [None, None];
    for run in &runs.runs {
        if run.at.stage != stage {
            (stage, seen) = (run.at.stage, [None, None]);
        }
        let mut calls = Vec::new();
        for site in run.commands() {
            let which = match site.command.program() {
                "wget" => 0,
                "curl" => 1,
                _ => continue,
            };
            seen[which].get_or_insert(site.program_span());
            calls.push((which, site.program_span()));
        }
        let [Some(wget), Some(curl)] = seen else { continue };
        // The call that needs a second tool, else the one that goes on with both.
        let second = if wget.start > curl.start { 0 } else { 1 };
        let call = calls.iter().find(|call| call.0 == second).or(calls.first());
        if let Some(&(which, span)) = call {
            let (this, other, place) =
                if which == 0 { ("wget", "curl", curl) } else { ("curl", "wget", wget) };
            report
                .at(span, format!("`{this}` is used although the stage also has `{other}`"))
                .help("One of the two is enough: keep one, and do not install the other")
                .related(place, format!("`{other}` is used here"));
        }
    }
}

/// What `ADD` unpacks by itself.
const ARCHIVES: [&str; 14] = [
    ".tar", ".Z", ".bz2", ".gz", ".lz", ".lzma", ".tZ", ".tb2", ".tbz", ".tbz2", ".tgz", ".tlz",
    ".tpz", ".xz",
];

fn copied_archive(runs: &Runs<'_>, report: &mut Report<'_>) {
    for copy in runs.file.all(Keyword::Copy) {
        if copy.flag("from").is_some() {
            continue;
        }
        let Some((target, sources)) = copy.words.split_last() else { continue };
        let here = copy.span.start;
        let mut later =
            runs.runs.iter().filter(|run| run.at.stage == copy.stage && run.at.span.start > here);
        let unpacked = sources.iter().find(|source| {
            ARCHIVES.iter().any(|ending| source.text.ends_with(ending))
                && !source.text.contains(['*', '$'])
                && later.clone().any(|run| unpacks(run, name(&source.text), &target.text))
        });
        if let Some(source) = unpacked {
            let extraction = later.find(|run| unpacks(run, name(&source.text), &target.text));
            let finding = report
                .at(source.span, "an archive is copied and then unpacked: both stay in the image");
            finding.help("`ADD` unpacks a local archive while it copies");
            if let Some(run) = extraction {
                finding.related(run.at.keyword, "it is unpacked here");
            }
        }
    }
}

fn name(path: &str) -> &str {
    path.rsplit('/').next().unwrap_or(path)
}

/// Whether a `RUN` unpacks the file `archive` that `copy` puts into the folder or file `target`.
fn unpacks(run: &Run<'_>, archive: &str, target: &str) -> bool {
    let renamed = if target.ends_with('/') || target == "." { archive } else { name(target) };
    run.commands().any(|site| {
        is_extraction(site.command)
            && site.command.arguments().iter().any(|word| {
                let file = word.text().rsplit('=').next().unwrap_or_default();
                let file = name(file);
                file == archive || file == renamed
            })
    })
}

fn is_extraction(command: &Command) -> bool {
    match command.program() {
        "tar" => {
            let bundled = command.arguments().first().is_some_and(|first| {
                let text = first.text();
                text.len() < 8
                    && text.contains('x')
                    && text.trim_start_matches('-').bytes().all(|it| it.is_ascii_alphabetic())
            });
            bundled || command.has_option(&["x", "extract", "get"])
        }
        "unzip" | "gunzip" | "bunzip2" | "unlzma" | "unxz" | "zgz" | "uncompress" | "zcat"
        | "gzcat" => true,
        "gzip" | "bzip2" | "xz" | "lzma" => command.has_option(&["d", "decompress"]),
        _ => false,
    }
}
