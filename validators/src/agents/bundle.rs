//! Files of a skill that no agent finds, and notes that were left in instructions.

use super::AgentContext;
use super::header::header_text;
use super::model::Purpose;
use aidd_engine::rules::rule::Report;
use aidd_engine::text::files::side_file;
use aidd_engine::text::paths::parent_dir;
use aidd_engine::text::source::Span;

/// The directories of a skill with files that its text names.
const NAMED_DIRS: [&str; 2] = ["references/", "scripts/"];
/// Extensions of files that can name other files.
const TEXTS: [&str; 10] =
    [".md", ".py", ".sh", ".js", ".mjs", ".ts", ".json", ".yaml", ".yml", ".rb"];
/// Maximum number of files of one skill that are searched.
const MAX_FILES: usize = 200;

pub(super) fn unused_skill_file(context: &AgentContext<'_, '_>, report: &mut Report<'_>) {
    let Some(listing) = context.listing().filter(|_| context.file.purpose == Purpose::Skill) else {
        return;
    };
    let directory = parent_dir(context.source.path());
    if directory.is_empty() {
        return;
    }
    let files = listing.below(directory);
    if files.len() > MAX_FILES {
        return;
    }
    let relative = |path: &String| path[directory.len() + 1..].to_owned();
    let is_named_in = |path: &str, text: &str| {
        let name = path.rsplit('/').next().unwrap_or(path);
        let stem = name.rsplit_once('.').map_or(name, |(stem, _)| stem);
        text.contains(stem) || names_all_in(path, text)
    };
    let own = context.source.text();
    let mut unnamed: Vec<String> = files
        .iter()
        .map(relative)
        .filter(|path| NAMED_DIRS.iter().any(|dir| path.starts_with(dir)))
        .filter(|path| TEXTS.iter().any(|ending| path.ends_with(ending)))
        .filter(|path| !is_supporting(path) && !is_named_in(path, own))
        .collect();
    for other in files.iter().filter(|path| TEXTS.iter().any(|ending| path.ends_with(ending))) {
        if unnamed.is_empty() {
            return;
        }
        if other == context.source.path() {
            continue;
        }
        let text = side_file(context.files, other).unwrap_or_default();
        let other = relative(other);
        unnamed.retain(|path| *path == other || !is_named_in(path, &text));
    }
    let message = match &unnamed[..] {
        [] => return,
        [path] => format!("no file of the skill names `{path}`"),
        [path, other] => format!("no file of the skill names `{path}` and `{other}`"),
        [path, rest @ ..] => {
            format!("no file of the skill names `{path}` and {} other files", rest.len())
        }
    };
    report
        .at(context.source.line_span(0), message)
        .help("say in the text when to read or run the file, or remove it");
}

/// Whether a text refers to all files of the directory of `path`: by the directory without a name of
/// a file after it.
fn names_all_in(path: &str, text: &str) -> bool {
    let directory = &path[..path.rfind('/').map_or(0, |at| at + 1)];
    text.match_indices(directory).any(|(at, _)| {
        let after = text[at + directory.len()..].chars().next();
        after.is_none_or(|c| !c.is_alphanumeric() && c != '_')
    })
}

/// Whether a file is for tests or belongs to a package, so that other files need not name it.
fn is_supporting(path: &str) -> bool {
    let name = path.rsplit('/').next().unwrap_or(path);
    let lower = name.to_ascii_lowercase();
    name.starts_with(['.', '_'])
        || lower.starts_with("readme")
        || lower.starts_with("index.")
        || lower.contains("test")
        || lower.contains("package")
        || path.contains("/tests/")
        || path.contains("/lib/")
        || path.contains("node_modules/")
}

/// Marks of unfinished text. A colon or a bracket follows them.
const MARKS: [&str; 3] = ["TODO", "FIXME", "TBD"];

pub(super) fn todo_left(context: &AgentContext<'_, '_>, report: &mut Report<'_>) {
    let Some(instructions) = &context.instructions else { return };
    let is_template = context.source.path().to_ascii_lowercase().contains("template");
    if context.file.purpose == Purpose::Misnamed || is_template {
        return;
    }
    let message = "the instructions have an unfinished part";
    let help = "write the part, or remove it; an agent cannot fill it";
    if let Some((text, span)) = header_text(context, "description")
        && mark(text).is_some()
    {
        report.at(span, message).help(help);
        return;
    }
    for (offset, line) in instructions.prose() {
        let start = line.len() - line.trim_start_matches(LEADING).len();
        let Some(length) = mark(&line[start..]) else { continue };
        let span = Span::new(offset + start, offset + start + length);
        let after = &context.source.text()[offset + line.len()..];
        if !instructions.is_code(span) && !is_list_of_tasks(line, after) {
            report.at(span, message).help(help);
            return;
        }
    }
}

/// Whether a line is a heading such as `## TODO` with a text below it: what is still to be done in the
/// project.
fn is_list_of_tasks(line: &str, after: &str) -> bool {
    let next = after.lines().map(str::trim).find(|line| !line.is_empty());
    line.trim_start().starts_with('#') && next.is_some_and(|next| !next.starts_with('#'))
}

/// Characters before the text of a heading, of an entry of a list, or of a comment.
const LEADING: [char; 8] = [' ', '\t', '#', '*', '-', '>', '<', '!'];

/// The length of the mark at the start of a line; `None` if the line does not begin with one.
fn mark(line: &str) -> Option<usize> {
    let text = line.trim_start_matches(['[', '(']);
    let mark = MARKS.iter().find(|mark| text.starts_with(**mark))?;
    let rest = &text[mark.len()..];
    let is_mark = rest.starts_with([':', '(', ']']) || rest.trim().is_empty();
    is_mark.then(|| line.len() - text.len() + mark.len())
}
