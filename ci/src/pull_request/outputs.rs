//! Writes the report of a run to the log, files, the job summary and GitHub's API.

use super::{env, token};
use crate::args::{CiOutputs, CiPosts};
use crate::event::{Event, System};
use crate::github::{self, Content, PostOptions, Posted, Suggestion, Target};
use crate::saved::Saved;
use aidd_engine::check::Distribution;
use aidd_engine::rules::rule::Rule;
use aidd_report::Io;
use aidd_report::When;
use aidd_report::exit::Exit;
use aidd_report::project;
use aidd_report::{self as report, Budget, Document, Format, Run, Style};
use anyhow::{Context, Result};
use std::fs;
use std::io::Write;
use std::path::{Path, PathBuf};

/// A report with everything needed to write it.
pub(super) struct Outputs<'a> {
    pub(super) args: &'a CiOutputs,
    pub(super) event: &'a Event,
    pub(super) rules: &'a [Rule],
    pub(super) saved: &'a Saved,
    /// The run with its source files, if available.
    pub(super) run: Option<&'a Run<'a>>,
    pub(super) suggestions: &'a [Suggestion],
}

/// The exit code for a report.
pub(super) fn exit_code(document: &Document) -> Exit {
    if document.is_failing() {
        Exit::Findings
    } else if document.is_incomplete() {
        Exit::Unchecked
    } else {
        Exit::Clean
    }
}

impl Outputs<'_> {
    pub(super) fn write(&self, color: When, io: &mut Io<'_>) -> Result<()> {
        let document = &self.saved.document;
        self.log(color, io)?;
        for (format, path) in self.args.parsed()? {
            let path = project::absolute(&io.cwd, &path);
            let mut bytes = Vec::new();
            self.render(format, &mut bytes, &Style::default())?;
            write_file(&path, &bytes)?;
        }
        if let Some(path) = &self.args.save {
            self.saved.write(&project::absolute(&io.cwd, path))?;
        }
        let posted = self.post(io)?;
        let mut reported = document.clone();
        reported.notes.extend(posted.skipped);
        let summary =
            self.args.summary.clone().or_else(|| env("GITHUB_STEP_SUMMARY").map(Into::into));
        if let Some(path) = summary {
            let text = report::markdown(&reported, self.rules, Budget::Summary);
            append(&project::absolute(&io.cwd, &path), &text)?;
        }
        if let Some(path) = env("GITHUB_OUTPUT") {
            append(Path::new(&path), &self.step_outputs(&io.cwd)?)?;
        }
        Ok(())
    }

    /// Writes the report to the log: annotations on GitHub, text elsewhere.
    fn log(&self, color: When, io: &mut Io<'_>) -> Result<()> {
        let on_github = env("GITHUB_ACTIONS").is_some_and(|value| value == "true");
        let format = match (self.args.format, self.args.no_annotations) {
            (Some(format), _) => format,
            (None, false) if on_github || self.args.annotations => Format::Github,
            (None, _) => Format::Text,
        };
        let style = io.style(color);
        let mut bytes = Vec::new();
        self.render(format, &mut bytes, &style)?;
        let out = io.out.report(format);
        let written = out.and_then(|out| out.write_all(&bytes)).and_then(|()| io.out.flush());
        Ok(written.or_else(aidd_report::broken_pipe)?)
    }

    fn render(&self, format: Format, out: &mut dyn Write, style: &Style) -> Result<()> {
        let document = &self.saved.document;
        match self.run {
            // Excerpts require the source files, which a merged report does not have.
            Some(run) => report::write(format, run, document, out, style)?,
            None => report::render(format, document, self.rules, out, style.listing)?,
        }
        Ok(())
    }

    fn post(&self, io: &mut Io<'_>) -> Result<Posted> {
        let sarif = self.args.upload_sarif;
        let options = PostOptions { review: self.args.review, sarif, ..self.args.posts.options() };
        let mut posted =
            post(io.distribution, self.event, options, self.saved, self.rules, self.suggestions);
        if options.review && self.run.is_none() {
            let why = "No fixes were suggested: a merged report has no source files. Pass `--review` to \
                       the shards.";
            posted.skipped.push(why.to_owned());
        }
        print_skipped(&posted.skipped, io)?;
        Ok(posted)
    }

    /// The outputs for later steps of the job.
    fn step_outputs(&self, cwd: &Path) -> Result<String> {
        let document = &self.saved.document;
        let result = match exit_code(document) {
            Exit::Findings => "failure",
            Exit::Unchecked => "unchecked",
            _ => "success",
        };
        let counts = document.counts();
        let mut text = format!(
            "result={result}\nerrors={}\nwarnings={}\ninfos={}\nfixed={}\npre-existing={}\n",
            counts.new.error,
            counts.new.warning,
            counts.new.info,
            counts.fixed,
            counts.pre_existing
        );
        let files = self.args.parsed()?;
        let sarif = files.iter().find(|(format, _)| *format == Format::Sarif);
        let file_outputs =
            [("sarif-file", sarif.map(|(_, path)| path)), ("report", self.args.save.as_ref())];
        for (name, path) in file_outputs {
            if let Some(path) = path {
                let path = project::absolute(cwd, path).display().to_string();
                // A line break would start another output.
                if !path.contains(['\r', '\n']) {
                    text.push_str(&format!("{name}={path}\n"));
                }
            }
        }
        Ok(text)
    }
}

impl CiPosts {
    /// The parts to post.
    pub(super) fn options(&self) -> PostOptions {
        PostOptions { check_run: self.check_run, comment: self.comment, ..PostOptions::default() }
    }
}

impl CiOutputs {
    /// The files to write, with their formats.
    pub(super) fn parsed(&self) -> Result<Vec<(Format, PathBuf)>> {
        let format = self.format.unwrap_or(Format::Text);
        self.output.iter().map(|output| crate::args::parse_output(output, format)).collect()
    }

    /// The paths of the files to write.
    pub(super) fn files(&self) -> impl Iterator<Item = PathBuf> {
        let outputs = self.parsed().unwrap_or_default();
        outputs
            .into_iter()
            .map(|(_, path)| path)
            .chain(self.save.clone())
            .chain(self.summary.clone())
    }

    /// Whether one of the formats contains hashes of lines.
    pub(super) fn needs_line_hashes(&self) -> bool {
        let sarif = |outputs: Vec<(Format, PathBuf)>| {
            outputs.iter().any(|(format, _)| *format == Format::Sarif)
        };
        self.upload_sarif
            || self.save.is_some()
            || self.format == Some(Format::Sarif)
            || self.parsed().is_ok_and(sarif)
    }
}

/// Posts the requested parts; without a token, or outside of a GitHub repository, returns a note
/// instead.
pub(super) fn post(
    distribution: &'static Distribution,
    event: &Event,
    options: PostOptions,
    saved: &Saved,
    rules: &[Rule],
    suggestions: &[Suggestion],
) -> Posted {
    let nothing_posted = |why: &str| Posted { skipped: vec![why.to_owned()], ..Posted::default() };
    if options == PostOptions::default() {
        return Posted::default();
    }
    // Do not send the token to another server.
    let repository = event.repository.as_ref().filter(|_| event.system == System::GitHub);
    let Some(repository) = repository else {
        return nothing_posted("nothing was posted: this run is not on GitHub");
    };
    let Some(token) = token() else {
        return nothing_posted("nothing was posted: set GITHUB_TOKEN to a token of the repository");
    };
    let document = &saved.document;
    let head = event.pull.as_ref().map(|pull| &pull.head_sha).or(event.sha.as_ref());
    let Some(head) = head else {
        return nothing_posted("nothing was posted: the event has no commit");
    };
    let (sarif, notes) = if options.sarif {
        let (bytes, notes) = report::sarif_gzip(document, rules);
        (Some(bytes), notes)
    } else {
        (None, Vec::new())
    };
    let target = Target {
        repository,
        token: &token,
        head_sha: head,
        git_ref: event.git_ref.as_deref().unwrap_or_default(),
        pull: event.pull.as_ref().map(|pull| pull.number),
        run_url: event.run_url.as_deref(),
    };
    let findings: Vec<_> = document.ranked().into_iter().cloned().collect();
    let weakened = !document.weakened().is_empty();
    let has_content = weakened || !findings.is_empty() || document.counts().fixed > 0;
    let text = || report::markdown(document, rules, Budget::Comment);
    let content = Content {
        distribution,
        title: document.title(),
        failed: document.is_failing(),
        summary: text(),
        comment: has_content.then(text),
        findings: &findings,
        diff_lines: &saved.diff_lines,
        suggestions,
        sarif: sarif.as_deref(),
        marker: document.category.as_deref().unwrap_or_default(),
    };
    let mut posted = github::post(&target, options, &content);
    posted.skipped.extend(notes);
    posted
}

/// Prints the skipped parts, one line each.
pub(super) fn print_skipped(skipped: &[String], io: &mut Io<'_>) -> Result<()> {
    for line in skipped {
        writeln!(io.err, "aidd: {line}")?;
    }
    Ok(())
}

fn write_file(path: &Path, bytes: &[u8]) -> Result<()> {
    let name = || path.display().to_string();
    if let Some(directory) = path.parent() {
        fs::create_dir_all(directory).with_context(name)?;
    }
    fs::write(path, bytes).with_context(name)
}

pub(super) fn append(path: &Path, text: &str) -> Result<()> {
    let name = || path.display().to_string();
    if let Some(directory) = path.parent() {
        fs::create_dir_all(directory).with_context(name)?;
    }
    let mut file =
        fs::OpenOptions::new().append(true).create(true).open(path).with_context(name)?;
    file.write_all(text.as_bytes()).with_context(name)
}
