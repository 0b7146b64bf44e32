//! Tests of the shell of a `RUN`, and of the parts of a `RUN` that are scripts.

use super::*;
use aidd_engine::parse::dockerfile;

/// The programs that the `RUN`s of a Dockerfile call, one line per `RUN`.
fn programs(text: &str) -> String {
    let file = dockerfile::parse(text);
    let source = Source::new("Dockerfile", text);
    let runs = Runs::read(&file, &source);
    let line = |run: &Run<'_>| {
        let names: Vec<_> = run.commands().map(|site| site.command.program()).collect();
        names.join(" ")
    };
    runs.runs.iter().map(line).collect::<Vec<_>>().join("\n")
}

fn shells(text: &str) -> Vec<Shell> {
    let file = dockerfile::parse(text);
    let source = Source::new("Dockerfile", text);
    Runs::read(&file, &source).runs.iter().map(|run| run.shell).collect()
}

#[test]
fn continuations_and_comments_are_not_part_of_a_script() {
    assert_eq!(programs("FROM a\nRUN b \\\n  # c && d\n\n && e 'f\\\ng' \\\n && h\n"), "b e h");
    assert_eq!(programs("# escape=`\nFROM a\nRUN b\n"), "", "a file for Windows");
    assert_eq!(programs("FROM a\nRUN b # c \\\n && d\n"), "b", "the comment continues");
}

#[test]
fn spans_refer_to_the_file() {
    let text = "FROM a\nRUN --network=none b \\\n  # é\n  && cd /x\n";
    let file = dockerfile::parse(text);
    let source = Source::new("Dockerfile", text);
    let runs = Runs::read(&file, &source);
    let spans: Vec<_> = runs.commands().map(|site| source.slice(site.command.span)).collect();
    assert_eq!(spans, ["b", "cd /x"]);
}

#[test]
fn here_documents_that_a_shell_runs_are_scripts() {
    assert_eq!(programs("FROM a\nRUN <<EOF\nb\nc | d\nEOF\n"), "b c d");
    assert_eq!(programs("FROM a\nRUN bash -e <<EOF\nb\nEOF\n"), "bash b");
    assert_eq!(programs("FROM a\nRUN <<EOF\n#!/usr/bin/env bash\nb\nEOF\n"), "b");
    assert_eq!(programs("FROM a\nRUN <<EOF\n#!/usr/bin/env python3\nb\nEOF\n"), "");
    assert_eq!(programs("FROM a\nRUN python3 <<EOF\nb\nEOF\n"), "python3");
    assert_eq!(programs("FROM a\nRUN cat <<EOF > /x && d\nb\nEOF\n"), "cat d");
    assert_eq!(programs("FROM a\nRUN bash /x.sh <<EOF\nb\nEOF\n"), "bash");
}

#[test]
fn commands_of_unsupported_shells_are_skipped() {
    assert_eq!(programs("FROM a\nSHELL [\"pwsh\", \"-c\"]\nRUN b\n"), "");
    assert_eq!(programs("FROM a\nSHELL [\"cmd\", \"/S\", \"/C\"]\nRUN b\n"), "");
    assert_eq!(programs("FROM mcr.microsoft.com/windows/servercore:ltsc2022\nRUN b\n"), "");
    assert_eq!(programs("FROM a\nRUN [\"b\", \"c\"]\nONBUILD RUN d\n"), "b\nd");
}

#[test]
fn the_shell_is_inherited() {
    let bash = "FROM a AS x\nSHELL [\"/bin/bash\", \"-eo\", \"pipefail\", \"-c\"]\nRUN b\n";
    let strict =
        Shell { is_explicit: true, supports_bash: true, exits_on_error: true, has_pipefail: true };
    assert_eq!(shells(bash), [strict]);
    assert_eq!(shells(&format!("{bash}FROM x\nRUN c\n")), [strict, strict]);
    assert_eq!(shells(&format!("{bash}FROM y\nRUN c\n")), [strict, Shell::default()]);
    assert!(shells("FROM a\nRUN sh -e <<EOF\nb\nEOF\n")[0].exits_on_error);
}

#[test]
fn a_mount_covers_its_subdirectories() {
    let has_mount = |flags: &str, directory: &str| {
        let text = format!("FROM a\nRUN {flags} b\n");
        let file = dockerfile::parse(&text);
        let source = Source::new("Dockerfile", text.as_str());
        Runs::read(&file, &source).runs[0].has_mount_at(&[directory])
    };
    assert!(has_mount("--mount=type=cache,target=/var/lib/apt", "/var/lib/apt/lists"));
    assert!(has_mount("--mount=type=tmpfs,dst=/var/lib/apt/lists/", "/var/lib/apt/lists"));
    assert!(!has_mount("--mount=type=cache,target=/var/lib/ap", "/var/lib/apt/lists"));
    assert!(!has_mount("--mount=type=bind,target=/var/lib/apt", "/var/lib/apt/lists"));
    assert!(!has_mount("--mount=type=cache,target=/var/cache/apt", "/var/lib/apt/lists"));
}
