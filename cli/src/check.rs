//! `aidd check`: walks the files, checks them, applies fixes and reports.

mod next_step;

use crate::baseline::finding_count;
use crate::cli::Check;
use crate::fix;
use crate::rules::{describe_reach, note_lines, reject_malformed};
use aidd_ci::args::{parse_output, split_values};
use aidd_ci::progress::Progress;
use aidd_ci::reach::ReachReport;
use aidd_engine::check::{Engine, Selection};
use aidd_engine::rules::rule::Rule;
use aidd_engine::text::files::Files;
use aidd_engine::text::finding::{FailOn, Safety, Severity, Status};
use aidd_engine::text::kind::{CONFIG_PATH, PACK_DIR, RULE_DIRS};
use aidd_engine::text::paths::malformed;
use aidd_engine::text::source::Source;
use aidd_engine::workspace::baseline::Entry;
use aidd_engine::workspace::diff::CompareResult;
use aidd_engine::workspace::walk::{self, FileReport, Outcome, Walk};
use aidd_report::Io;
use aidd_report::When;
use aidd_report::exit::{Exit, UserError};
use aidd_report::project::{self, Project};
use aidd_report::run::compare;
use aidd_report::run::fail_on;
use aidd_report::run::{baseline as run_baseline, check_text};
use aidd_report::{self as report, Comparison, Document, Format, Listing, Run, Style};
use anyhow::{Context, Result};
use std::fs;
use std::io::{BufWriter, Read, Write};
use std::path::{Path, PathBuf};
use std::time::Instant;

/// Maximum number of bytes read from standard input.
const STDIN_LIMIT: u64 = 64 << 20;

/// Number of bytes in which a NUL byte marks a file as binary, as in Git.
const BINARY_HEAD: u64 = 8000;

/// Runs `aidd check`.
///
/// # Errors
/// Fails on wrong usage, an invalid configuration, or output that cannot be written.
pub fn run(args: &Check, config: Option<&Path>, color: When, io: &mut Io<'_>) -> Result<Exit> {
    let outputs: Vec<(Format, PathBuf)> = args
        .output
        .iter()
        .map(|output| parse_output(output, args.format))
        .collect::<Result<_>>()?;
    let started = Instant::now();
    let selection = Selection {
        only: split_values(&args.selection.only),
        skip: split_values(&args.selection.skip),
        severity: args.selection.severity,
    };
    // An empty list from a script would otherwise run all rules.
    if selection.only.is_empty() && !args.selection.only.is_empty() {
        return Err(UserError::new("--only requires at least one rule").into());
    }
    let stdin = args.paths.iter().any(|path| path.as_os_str() == "-");
    if args.stdin_path.is_some() && !stdin {
        return Err(UserError::new("--stdin-path requires the path `-`")
            .hint("aidd check - --stdin-path PATH < FILE")
            .into());
    }
    if stdin && args.diff.is_set() {
        return Err(UserError::new("standard input cannot be compared with a base").into());
    }
    if stdin && args.paths.len() > 1 {
        return Err(UserError::new("`-` cannot be combined with other paths")
            .hint("check files and standard input in two runs")
            .into());
    }
    let paths = if stdin { vec![io.cwd.clone()] } else { project::locate(&io.cwd, &args.paths)? };
    let project = Project::open(io.distribution, &project::root_above(&io.cwd, &paths), config)?;
    let mut project = project::with_current_date(project);
    apply_overrides(&mut project, args)?;
    if let Some(unread) = project::unread_config(&project).filter(|_| !args.quiet) {
        writeln!(io.err, "note: {unread}")?;
    }
    project.exclude(outputs.iter().map(|(_, path)| project::absolute(&io.cwd, path)));
    if !selection.only.is_empty() {
        reject_malformed(&project, &selection.only)?;
    }
    let mut engine = project.engine(&selection)?;
    if args.only_counts(&project) {
        engine = engine.counting_only();
    }
    if stdin && (args.fix || args.fix_unsafe) {
        return fix_stdin(args, &project, &engine, io);
    }
    let mut compared = CompareResult::default();
    let mut comparison = None;
    if stdin {
        compared.outcome = check_stdin(args, &project, &engine, io)?;
    } else if let Some(against) = args.diff.against(&io.cwd) {
        let progress = Progress::start();
        let walk = walk_from(args, paths.clone());
        let base;
        (compared, base) =
            compare::check(&against, (&project, &engine), (walk, None), &|| progress.advance(1))?;
        progress.finish();
        comparison = Some(compare::comparison(base, false, &compared));
    } else {
        compared.outcome = check_paths(args, &project, &engine, paths.clone())?;
    }
    if args.fix || args.fix_unsafe {
        let level = safety(args);
        let mut applied =
            fix::apply_fixes(&project, &engine, &compared.outcome, level, args.dry_run, io)?;
        if args.dry_run {
            applied.print(&compared.outcome, level, args.dry_run, io)?;
            return Ok(if applied.files > 0 { Exit::Findings } else { Exit::Clean });
        }
        if applied.files > 0 {
            let check = || check_paths(args, &project, &engine, paths.clone());
            let before = std::mem::replace(&mut compared.outcome, check()?);
            if applied.undo_failing(&before, &compared.outcome, io)? {
                compared.outcome = check()?;
            }
        }
        applied.print(&compared.outcome, level, args.dry_run, io)?;
    }
    compared.outcome.skip_irregular(project.irregular());
    if args.format == Format::Text && !io.cwd.starts_with(project.root()) {
        name_as_typed((&args.paths, &paths), &project, &mut compared.outcome);
    }
    let checked_paths: &[PathBuf] = if stdin { &[] } else { &paths };
    let complete = args.is_complete();
    let stale = run_baseline::apply(
        args.baseline.options(),
        &project,
        checked_paths,
        &mut compared.outcome,
        complete,
    )?;
    compared.match_across();
    let fail_on = fail_on(args.fail_on, &project);
    let run = Report {
        args,
        project: &project,
        engine: &engine,
        compared: &compared,
        comparison,
        fail_on,
        started,
        stale: stale.as_deref(),
        reach: args.diff.reach(&project, args.reach),
        is_whole_project: complete && !stdin && paths.iter().any(|path| path == project.root()),
    };
    run.write(&outputs, color, io)?;
    if args.verbose {
        print_reach(&project, &engine, io)?;
    } else if !args.quiet {
        // Limitations of a check, such as unresolved imports, are reported even without
        // `--verbose`.
        for note in note_lines(compared.outcome.notes.iter().cloned()) {
            writeln!(io.err, "note: {note}")?;
        }
    }
    if !args.quiet {
        for note in input_notes(args, (&io.cwd, &paths), &compared.outcome, stdin) {
            writeln!(io.err, "note: {note}")?;
        }
    }
    let includes_nothing = project.config.include.as_ref().is_some_and(|globs| !globs.is_empty())
        && compared.outcome.visited.is_empty();
    if includes_nothing && !stdin && !args.quiet && !args.diff.is_set() {
        writeln!(io.err, "note: `include` matches none of the files; correct its globs")?;
    }
    print_stale_entries(&stale.unwrap_or_default(), io)?;
    Ok(exit_code(&compared.outcome, fail_on))
}

/// Names skipped paths as typed, for a project above the paths: `/dev/null` would be `null`.
fn name_as_typed(
    (typed, paths): (&[PathBuf], &[PathBuf]),
    project: &Project,
    outcome: &mut Outcome,
) {
    for (typed, path) in typed.iter().zip(paths) {
        let Ok(relative) = path.strip_prefix(project.root()) else { continue };
        for skipped in outcome.skipped.iter_mut().filter(|one| Path::new(&one.path) == relative) {
            skipped.path = typed.display().to_string();
        }
    }
}

/// Notes on inputs that were not checked, or not with the rules of their file type.
fn input_notes(
    args: &Check,
    (cwd, paths): (&Path, &[PathBuf]),
    outcome: &Outcome,
    stdin: bool,
) -> Vec<String> {
    if stdin {
        let is_typed = args.stdin_path.is_some();
        let note = "standard input was checked as plain text; pass `--stdin-path NAME` to check it \
                    with the rules of the file NAME";
        return if is_typed { Vec::new() } else { vec![note.to_owned()] };
    }
    let is_binary = |path: &&PathBuf| {
        let mut head = Vec::new();
        let file = fs::metadata(path).ok().filter(fs::Metadata::is_file);
        let opened = file.and_then(|_| fs::File::open(path).ok());
        opened.is_some_and(|file| file.take(BINARY_HEAD).read_to_end(&mut head).is_ok())
            && head.contains(&0)
            && !head.starts_with(b"\xff\xfe")
            && !head.starts_with(b"\xfe\xff")
    };
    let mut notes: Vec<String> = paths
        .iter()
        .filter(is_binary)
        .map(|path| {
            let path = path.strip_prefix(cwd).unwrap_or(path);
            format!("{} is binary: only secrets are searched for", path.display())
        })
        .collect();
    if outcome.checked == 0 && outcome.skipped.is_empty() && !args.diff.is_set() {
        notes.push("no files to check; `--no-ignore` includes ignored files".to_owned());
    }
    notes
}

/// Overrides the configuration with the command line options and environment variables.
fn apply_overrides(project: &mut Project, args: &Check) -> Result<()> {
    let exclude = project.config.exclude.get_or_insert_default();
    let globs = split_values(&args.walk.exclude);
    if let Some(why) = globs.iter().find_map(|glob| malformed(glob)) {
        return Err(UserError::new(format!("--exclude: {why}"))
            .hint("correct the glob in `--exclude` or in the environment variable AIDD_EXCLUDE")
            .into());
    }
    exclude.extend(globs);
    project.config.max_file_size = args.walk.max_file_size.or(project.config.max_file_size);
    Ok(())
}

fn safety(args: &Check) -> Safety {
    if args.fix_unsafe { Safety::Unsafe } else { Safety::Safe }
}

fn check_paths(
    args: &Check,
    project: &Project,
    engine: &Engine,
    mut paths: Vec<PathBuf>,
) -> Result<Outcome> {
    // Always check the settings and the rule pages, because problems in them affect every file.
    for path_to_add in [CONFIG_PATH, PACK_DIR].iter().chain(&RULE_DIRS) {
        let path_to_add = project.root().join(path_to_add);
        if path_to_add.exists() && !paths.iter().any(|path| path_to_add.starts_with(path)) {
            paths.push(path_to_add);
        }
    }
    // Also check the memory files with a check that cannot run, so that the problem is reported.
    for path in project.unenforced() {
        let path_to_add = project.root().join(path);
        if !paths.iter().any(|path| path_to_add.starts_with(path)) {
            paths.push(path_to_add);
        }
    }
    let walk = walk_from(args, paths);
    let progress = Progress::start();
    let outcome =
        walk::check_tree(engine, &project.config, &project.disk, &walk, &|| progress.advance(1))
            .map_err(|why| UserError::new(format!("`include` or `exclude`: {why}")))?;
    progress.finish();
    Ok(outcome)
}

fn walk_from(args: &Check, paths: Vec<PathBuf>) -> Walk {
    Walk {
        jobs: args.walk.jobs,
        no_ignore: args.walk.no_ignore,
        no_hidden: args.walk.no_hidden,
        ..Walk::over(paths)
    }
}

fn read_stdin(io: &mut Io<'_>) -> Result<Vec<u8>> {
    let mut bytes = Vec::new();
    io.stdin.take(STDIN_LIMIT + 1).read_to_end(&mut bytes).context("standard input")?;
    if bytes.len() as u64 > STDIN_LIMIT {
        return Err(UserError::new(format!("standard input is larger than {STDIN_LIMIT} bytes"))
            .hint("write the input to a file: files of any size are checked for secrets")
            .into());
    }
    Ok(bytes)
}

/// The path assumed for standard input, relative to the root.
fn stdin_path(args: &Check, project: &Project, cwd: &Path) -> Result<String> {
    let path_option = args.stdin_path.as_deref().unwrap_or(Path::new("stdin.txt"));
    let path = project::absolute(cwd, path_option);
    if path.starts_with(project.root()) {
        Ok(walk::relative(project.root(), &path))
    } else {
        Err(UserError::new(format!(
            "{} is not inside {}",
            path_option.display(),
            project.root().display()
        ))
        .into())
    }
}

fn check_stdin(
    args: &Check,
    project: &Project,
    engine: &Engine,
    io: &mut Io<'_>,
) -> Result<Outcome> {
    let path = stdin_path(args, project, &io.cwd)?;
    let bytes = read_stdin(io)?;
    Ok(check_text(project, engine, path, bytes))
}

/// Writes the fixed standard input, or the patch of the fixes, to standard output.
fn fix_stdin(args: &Check, project: &Project, engine: &Engine, io: &mut Io<'_>) -> Result<Exit> {
    let path = stdin_path(args, project, &io.cwd)?;
    let bytes = read_stdin(io)?;
    let files: &dyn Files = &project.disk;
    let result =
        aidd_engine::workspace::fix::fix_file(engine, &path, bytes.clone(), files, safety(args));
    fix::print_undone(&path, &result.undone, io)?;
    if args.dry_run {
        let source = Source::decode(path, bytes.clone());
        let checked = engine.check(&source, files);
        fix::patch(&FileReport { source, checked }, &bytes, &result.bytes, io)?;
        return Ok(if result.bytes == bytes { Exit::Clean } else { Exit::Findings });
    }
    // Write the raw bytes: standard output is the fixed file itself.
    io.out.raw()?.write_all(&result.bytes)?;
    Ok(Exit::Clean)
}

/// Prints the files to which the rules with a declarative check apply. Includes the project's rules
/// and the rules that a pack enables.
fn print_reach(project: &Project, engine: &Engine, io: &mut Io<'_>) -> Result<()> {
    let root = Walk::over(vec![project.root().to_owned()]);
    let listing = walk::listing(engine, &project.disk, &root);
    let applies = |rule: &&Rule| {
        (rule.path.is_some() || !rule.enabled) && engine.is_enabled_anywhere(&rule.id)
    };
    let rules = engine.registry().rules().iter().filter(applies);
    let notes = rules.flat_map(|rule| {
        let notes = describe_reach(engine, rule, &project.disk, &listing).into_iter();
        notes.map(|note| (rule.id.clone(), note))
    });
    for note in note_lines(notes) {
        writeln!(io.err, "note: {note}")?;
    }
    Ok(())
}

fn print_stale_entries(stale: &[Entry], io: &mut Io<'_>) -> Result<()> {
    if !stale.is_empty() {
        let count = finding_count(stale.iter().cloned());
        let verb = if count.starts_with("1 ") { "is" } else { "are" };
        writeln!(
            io.err,
            "note: {count} in the baseline {verb} no longer found; run `aidd baseline prune` to remove the entries"
        )?;
    }
    Ok(())
}

fn exit_code(outcome: &Outcome, fail_on: FailOn) -> Exit {
    let worst = outcome
        .files
        .iter()
        .flat_map(|file| &file.checked.findings)
        .filter(|finding| finding.status == Status::New)
        .map(|finding| finding.severity)
        .max();
    match fail_on {
        FailOn::Severity(threshold) if worst >= Some(threshold) => Exit::Findings,
        _ if outcome.skipped.iter().any(|skipped| skipped.failed) => Exit::Unchecked,
        _ => Exit::Clean,
    }
}

struct Report<'a> {
    args: &'a Check,
    project: &'a Project,
    engine: &'a Engine,
    compared: &'a CompareResult,
    comparison: Option<Comparison>,
    fail_on: FailOn,
    started: Instant,
    stale: Option<&'a [Entry]>,
    reach: Option<ReachReport>,
    /// Whether the run checks all files of the project.
    is_whole_project: bool,
}

impl Report<'_> {
    fn write(&self, outputs: &[(Format, PathBuf)], color: When, io: &mut Io<'_>) -> Result<()> {
        let outcome = &self.compared.outcome;
        let kind = if self.comparison.is_some() { "changed" } else { "tracked" };
        let note = self.reach.as_ref().map(|reach| reach.note.clone());
        let run = Run {
            files: compare::files(&outcome.files),
            fixed: compare::files(&self.compared.fixed),
            rules: self.engine.registry().rules(),
            checked: outcome.checked,
            skipped: &outcome.skipped,
            baseline: self.stale.is_some(),
            stale: self.stale.unwrap_or_default().iter().map(|entry| entry.count as usize).sum(),
            fail_on: self.fail_on,
            policy: None,
            comparison: self.comparison.clone(),
            notes: outcome.excluded.message(kind).into_iter().chain(note).collect(),
            reach: self.reach.as_ref().and_then(|reach| reach.details.clone()),
            elapsed: self.started.elapsed(),
            root: self.project.root(),
            suppressed: self.args.sarif_suppressed,
            category: self.args.category.as_deref(),
            version_control: None,
        };
        let printed = (!self.args.quiet).then_some(self.args.format);
        let formats: Vec<Format> =
            outputs.iter().map(|(format, _)| *format).chain(printed).collect();
        let document = Document::for_formats(&run, &formats);
        for (format, path) in outputs {
            write_file(*format, &run, &document, &project::absolute(&io.cwd, path))?;
        }
        if let Some(format) = printed {
            let style = io.style(color);
            let style = Style { listing: listing(self.args, style.listing), ..style };
            let out = io.out.report(format);
            out.and_then(|out| report::write(format, &run, &document, out, &style))
                .and_then(|()| next_step::write(self, &run, &style, io))
                .and_then(|()| io.out.flush())
                .or_else(aidd_report::broken_pipe)?;
        }
        Ok(())
    }
}

/// The findings to list on standard output. A selection of rules or a minimum severity of `info`
/// requests the infos too.
fn listing(args: &Check, default: Listing) -> Listing {
    let is_info_requested = args.selection.severity == Some(Severity::Info)
        || args.fail_on == Some(FailOn::Severity(Severity::Info))
        || !args.selection.only.is_empty();
    Listing {
        infos: args.all || is_info_requested,
        limit: default.limit.filter(|_| !args.all),
        statistics: args.statistics,
        each: args.all,
        allowed: args.all,
        has_all_option: true,
    }
}

fn write_file(format: Format, run: &Run<'_>, document: &Document, path: &Path) -> Result<()> {
    let name = || path.display().to_string();
    if let Some(directory) = path.parent() {
        fs::create_dir_all(directory).with_context(name)?;
    }
    let mut file = BufWriter::new(fs::File::create(path).with_context(name)?);
    // A file has the findings of every severity, in every format.
    let listing = Listing { infos: true, each: true, ..Listing::default() };
    let style = Style { listing, ..Style::default() };
    report::write(format, run, document, &mut file, &style).with_context(name)?;
    file.flush().with_context(name)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_format_of_an_output_is_explicit_or_follows_from_its_extension() {
        let parse = |text: &str, default| parse_output(text, default).expect("a format");
        assert_eq!(parse("a/b.sarif", Format::Text), (Format::Sarif, "a/b.sarif".into()));
        assert_eq!(parse("gitlab=q.json", Format::Text), (Format::Gitlab, "q.json".into()));
        assert_eq!(parse("odd", Format::Github), (Format::Github, "odd".into()));
        let parse_error =
            |text: &str| parse_output(text, Format::Text).expect_err("invalid").to_string();
        assert_eq!(parse_error("sarif="), "--output sarif=: missing file name");
        assert_eq!(
            parse_error("serif=a.xml"),
            "--output serif=a.xml: unknown format `serif`; did you mean `sarif`?\nhint: the formats are text, concise, json, sarif, github, markdown, gitlab, junit"
        );
        assert_eq!(parse("./a=b.json", Format::Text), (Format::Json, "./a=b.json".into()));
        let error = parse_output("odd", Format::Text).expect_err("no format").to_string();
        assert_eq!(error, "--output odd: unknown format\nhint: add the format: --output sarif=odd");
    }
}
