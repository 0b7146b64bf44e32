//! Paths, links and imports in instructions that do not exist.

use super::AgentContext;
use super::elsewhere::is_unlisted;
use super::kits::is_of_others;
use super::library::is_installed;
use super::markdown::{Instructions, inner_code};
use super::model::{Client, Purpose};
use super::words::{
    COMMON_NAMES, CREATING, HEDGES, PAST_AND_FUTURE, PLANNED, WORKING_DIRS, WRITING,
    is_placeholder_path,
};
use aidd_engine::project::ignored::is_ignored_by_git;
use aidd_engine::rules::rule::Report;
use aidd_engine::text::files::Files;
use aidd_engine::text::finding::{Edit, Severity};
use aidd_engine::text::listing::Listing;
use aidd_engine::text::paths::{join, parent_dir, upwards};
use aidd_engine::text::source::Span;
use std::ops::Range;

/// Whether there is a file or directory at `path`.
fn exists(path: &str, files: &dyn Files, listing: &Listing) -> bool {
    listing.has_file(path) || listing.has_dir(path) || files.exists(path)
}

/// The candidates for the path that `written` in the file at `path` refers to: relative to the
/// directory of the file, then to its ancestors.
fn resolved(path: &str, written: &str) -> Vec<String> {
    let directories = upwards(parent_dir(path));
    directories
        .filter_map(|directory| join(directory, written))
        .filter(|it| !it.is_empty())
        .collect()
}

/// Whether the path of a file of the project ends with these segments.
pub(super) fn is_suffix(written: &str, listing: &Listing) -> bool {
    let ending = format!("/{}", written.trim_matches('/'));
    let middle = format!("{ending}/");
    listing.candidates("", &ending).any(|path| path.ends_with(&ending))
        || listing.files().iter().any(|path| path.contains(&middle))
}

/// Whether an earlier revision has the path: the base of the checked change, or the history.
fn existed(path: &str, files: &dyn Files, listing: &Listing) -> bool {
    let in_base = || files.base_of("").is_some_and(|(base, _)| base.exists(path));
    in_base() || listing.existed(path)
}

/// The path in a code span; `None` if the span is something else.
fn as_path(text: &str) -> Option<&str> {
    let text = text.split_once("#L").map_or(text, |(path, _)| path);
    let text = match text.rsplit_once(':') {
        Some((path, line)) if line.chars().all(|c| c.is_ascii_digit() || c == '-') => path,
        _ => text,
    };
    let text = text.strip_prefix("./").unwrap_or(text).trim_end_matches('/');
    let is_path_char = |c: char| {
        c.is_alphanumeric() || matches!(c, '.' | '_' | '-' | '/' | '(' | ')' | '[' | ']' | '+')
    };
    let is_path = text.contains('/')
        && text.chars().all(is_path_char)
        && !text.starts_with(['/', '-', '(', '['])
        && !text.contains("//")
        && !text.contains("...");
    is_path.then_some(text)
}

pub(super) fn dead_path(context: &AgentContext<'_, '_>, report: &mut Report<'_>) {
    let Some((instructions, listing)) = context.project_instructions() else { return };
    let path = instructions.source.path();
    for (_, span) in &instructions.document.code {
        let inner = inner_code(instructions.source, *span);
        let Some(written) = as_path(instructions.source.slice(inner)) else { continue };
        let candidates = resolved(path, written);
        let is_known = |it: &String| exists(it, context.files, listing);
        if candidates.is_empty() || candidates.iter().any(is_known) || is_suffix(written, listing) {
            continue;
        }
        if is_not_claimed(instructions, *span)
            || instructions.is_written(written)
            || instructions.is_text_of_link(*span, written)
        {
            continue;
        }
        let Some(old) = candidates.iter().find(|it| existed(it, context.files, listing)) else {
            continue;
        };
        // An ignored path is generated, or specific to a machine; with the same path in the home
        // directory, it names settings of users.
        let is_in_home = instructions.source.text().contains(&format!("~/{written}"));
        if is_ignored_by_git(context.files, old)
            || is_in_home
            || candidates.iter().any(|it| is_unlisted(it, context.files))
        {
            continue;
        }
        let finding = report.at(inner, format!("`{written}` no longer exists"));
        let moved =
            with_same_stem(old, listing).or_else(|| moved_to(old, listing).map(str::to_owned));
        finding.help(match moved {
            Some(moved) => format!("it was probably moved to `{moved}`"),
            None => "name the current path, or remove the statement".to_owned(),
        });
        // Git has no empty directories: the next file brings it back.
        let name = written.rsplit('/').next().unwrap_or(written);
        if WORKING_DIRS.contains(&name) {
            finding.severity = finding.severity.min(Severity::Info);
        }
        context.lower_in_copy(finding);
    }
}

/// Whether the text around a path does not state that the path exists.
pub(super) fn is_not_claimed(instructions: &Instructions<'_>, span: Span) -> bool {
    let text = instructions.context(span);
    instructions.is_negated(span)
        || instructions.has_near(span, &PAST_AND_FUTURE)
        || is_renamed(instructions, span)
        || is_destination(instructions, span)
        || CREATING.iter().any(|word| text.contains(word))
}

/// Whether an arrow to other code follows a path: `old.md` → `new.md`.
fn is_renamed(instructions: &Instructions<'_>, span: Span) -> bool {
    let rest = instructions.source.text()[span.end as usize..].trim_start_matches([' ', '|']);
    let to = ["→", "->", "=>"].iter().find_map(|arrow| rest.strip_prefix(arrow));
    to.is_some_and(|to| to.trim_start_matches([' ', '|']).starts_with('`'))
}

/// Verbs of an instruction that creates the directory to which it moves files.
const MOVING: [&str; 2] = ["move ", "archive "];

/// Whether a sentence says to move files to the directory at `span`: `Move old logs to .archive/`.
fn is_destination(instructions: &Instructions<'_>, span: Span) -> bool {
    let before = instructions.line_before(span);
    let before = before.trim_end_matches(['`', ' ']);
    let is_target = [" to", " into"].iter().any(|word| before.ends_with(word));
    is_target
        && instructions.source.slice(span).trim_end_matches('`').ends_with('/')
        && MOVING.iter().any(|verb| before.contains(verb))
}

/// The only file with the name of the file that was at `path`.
fn moved_to<'l>(path: &str, listing: &'l Listing) -> Option<&'l str> {
    let name = path.rsplit('/').next().filter(|name| !COMMON_NAMES.contains(name))?;
    let ending = format!("/{name}");
    let mut found = listing.candidates("", &ending).filter(|path| path.ends_with(&ending));
    found.next().filter(|_| name.contains('.') && found.next().is_none())
}

/// What replaced the file that was at `path`: the directory, or the only file, that differs from it by
/// the extension.
fn with_same_stem(path: &str, listing: &Listing) -> Option<String> {
    let (stem, extension) = path.rsplit_once('.').filter(|(stem, _)| !stem.ends_with('/'))?;
    if stem.is_empty() || extension.contains('/') {
        return None;
    }
    if listing.has_dir(stem) {
        return Some(format!("{stem}/"));
    }
    let begin = format!("{stem}.");
    let mut files = listing.beginning_with(&begin).iter();
    files
        .next()
        .filter(|it| files.next().is_none() && !it[begin.len()..].contains(['.', '/']))
        .cloned()
}

/// The paths that `written` names relative to each of these directories.
fn from_dirs(dirs: &[&str], written: &str) -> Vec<String> {
    dirs.iter().filter_map(|dir| join(dir, written)).collect()
}

pub(super) fn dead_link(context: &AgentContext<'_, '_>, report: &mut Report<'_>) {
    let (Some(instructions), Some(listing)) = (&context.instructions, context.listing()) else {
        return;
    };
    if context.file.purpose == Purpose::Misnamed {
        return;
    }
    let path = instructions.source.path();
    let comments = html_comments(instructions.source.text());
    let end = instructions.end_of_certain_text();
    for link in instructions.document.links.iter().take_while(|link| link.span.start < end) {
        let written = link.to.split(['#', '?']).next().unwrap_or_default();
        let (written, is_from_root) = match written.strip_prefix("mdc:") {
            Some(written) => (written.trim_start_matches('/'), true),
            None => (written, false),
        };
        let written = crate::openapi::pointer::percent_decode(written);
        let is_relative = !written.is_empty()
            && !written.starts_with(['/', '~', '<', '@'])
            && !written.contains([':', '{', '}', '<', '>', '*', '$', '\\', '`'])
            && has_extension(&written)
            && !is_host(&written);
        let is_struck = instructions.line_before(link.span).ends_with("~~");
        let is_sample = is_placeholder_path(&written)
            || is_struck
            || is_local(&written)
            || in_html_comment(&comments, link.span)
            || instructions.line(link.span).contains("example")
            || instructions.has_near(link.span, &PLANNED)
            || is_written_at(instructions, link.span)
            || is_file_of_step(instructions, link.span, &link.to);
        // Outside of the directories of clients, skills are installed elsewhere: what is not a
        // document above them belongs to the projects that use them.
        let is_of_users = context.file.purpose == Purpose::Skill
            && !path.starts_with('.')
            && written.starts_with("../")
            && !written.ends_with('/')
            && !written.ends_with(".md");
        if !is_relative || is_sample || is_of_users {
            continue;
        }
        let is_above = context.file.purpose == Purpose::Skill && written.starts_with("../");
        let candidates = match is_from_root {
            true => from_dirs(&["", parent_dir(path)], &written),
            // The files around a skill are at the same distance from its directory in all clients.
            false if is_above => {
                from_dirs(&[parent_dir(path), context.project_dir(), ""], &written)
            }
            false => resolved(path, &written),
        };
        let is_known = |it: &String| it.is_empty() || exists(it, context.files, listing);
        // A link that leaves the project cannot be checked.
        if candidates.is_empty() || candidates.iter().any(is_known) {
            continue;
        }
        let is_ignored = |it: &String| is_ignored_by_git(context.files, it);
        // The text of a link can be code; a link inside code is not a link.
        let is_code = instructions.document.code.iter().any(|(_, code)| code.contains(link.span));
        let is_unlisted = |it: &String| is_unlisted(it, context.files);
        if candidates.iter().any(is_ignored) || candidates.iter().any(is_unlisted) || is_code {
            continue;
        }
        let finding = report.at(link.span, format!("file `{written}` does not exist"));
        // The installer brings the link back; nobody corrects the text of others. Cursor writes `mdc:`
        // with the path from the root, and into the links of texts that are copied into its rules.
        let is_copied = is_from_root && !written.contains('/');
        if is_copied || is_installed(path, context.files) || is_of_others(context) {
            finding.severity = finding.severity.min(Severity::Info);
        }
        // A copy can lack files that the original has next to it.
        let is_dead_in = |original: &str| {
            let target = join(parent_dir(original), &written);
            !target.is_some_and(|target| is_known(&target))
        };
        if context.original().is_some_and(is_dead_in) {
            context.lower_in_copy(finding);
        }
        let other = || with_other_depth(path, &written, is_known);
        if let Some(other) = (!is_from_root).then(other).flatten() {
            finding.help(format!("did you mean `{other}`?"));
            let link_text = context.source.slice(link.span);
            if let Some(at) = link_text.rfind(&format!("({written}")) {
                let start = link.span.start as usize + at + 1;
                let edit = Edit::replace(Span::new(start, start + written.len()), other);
                finding.fix("Correct the path", vec![edit]);
            }
            continue;
        }
        match candidates.first().and_then(|it| moved_to(it, listing)) {
            Some(moved) => finding.help(format!("did you mean `{moved}`?")),
            None => finding.help("link an existing file, or remove the link"),
        };
    }
}

/// The link with the only other number of `../` with which it leads to a file or directory.
fn with_other_depth(
    path: &str,
    written: &str,
    is_known: impl Fn(&String) -> bool,
) -> Option<String> {
    let rest = written.trim_start_matches("../");
    if rest == written || rest.is_empty() {
        return None;
    }
    let depth = parent_dir(path).split('/').count();
    let others = (0..=depth).map(|up| "../".repeat(up) + rest);
    let mut others = others.filter(|it| join(parent_dir(path), it).is_some_and(|it| is_known(&it)));
    others.next().filter(|_| others.next().is_none())
}

/// Maximum number of bytes before a link in which the verb of the instruction is.
const MAX_VERB_DISTANCE: u32 = 40;

/// Whether an instruction writes the file of the link at `span`: `Save it to [the report](…)`.
fn is_written_at(instructions: &Instructions<'_>, span: Span) -> bool {
    let line = instructions.source.lines_around(span);
    let start = line.start.max(span.start.saturating_sub(MAX_VERB_DISTANCE));
    let before = instructions.source.slice(Span { start, end: span.start }).to_lowercase();
    let before = before.trim_end_matches([' ', '*', '(']);
    let ends = |words: &[&str]| words.iter().any(|word| before.ends_with(word));
    ends(&["create", "creates", "generate", "generates"])
        || ends(&[" to", " into"]) && WRITING.iter().any(|verb| before.contains(verb))
}

/// Whether a link is the caption of the code block below it, the file that a step creates:
/// `**File**: [src/a.ts](src/a.ts)`.
fn is_file_of_step(instructions: &Instructions<'_>, span: Span, to: &str) -> bool {
    let source = instructions.source;
    let line = source.lines_around(span);
    let before = source.slice(Span { start: line.start, end: span.start });
    let (after, below) = (line.end.max(span.end) as usize, source.text());
    let rest = source.slice(Span { start: span.end, end: line.end.max(span.end) });
    let label = before.trim().trim_matches('*');
    let is_label = label.is_empty() || label.ends_with(':');
    let next = below[after..].trim_start();
    is_label
        && rest.trim().trim_matches(['*', ':']).is_empty()
        && source.slice(span).trim_start_matches(['[', '`']).starts_with(to)
        && (next.starts_with("```") || next.starts_with("~~~"))
}

/// Whether a path names a file with an extension, or a directory.
fn has_extension(path: &str) -> bool {
    let name = path.rsplit('/').next().unwrap_or(path);
    path.ends_with('/') || name.trim_start_matches('.').contains('.')
}

/// Whether a link lacks the scheme of its URL: `www.example.org/page.html`.
fn is_host(path: &str) -> bool {
    let (first, _) = path.split_once('/').unwrap_or((path, ""));
    let is_domain =
        [".com", ".dev", ".io", ".net", ".org"].iter().any(|ending| first.ends_with(ending));
    first.starts_with("www.") || is_domain && !first.starts_with('.')
}

/// Whether a file has settings for one machine, which is not in Git: `.env.local`.
fn is_local(path: &str) -> bool {
    let name = path.rsplit('/').next().unwrap_or(path);
    name == ".env" || name.starts_with(".env.") || name.contains(".local.")
}

/// The HTML comments of a text, in order.
fn html_comments(text: &str) -> Vec<Range<usize>> {
    let mut comments = Vec::new();
    let mut at = 0;
    while let Some(start) = text[at..].find("<!--").map(|start| at + start) {
        at = text[start..].find("-->").map_or(text.len(), |end| start + end + "-->".len());
        comments.push(start..at);
    }
    comments
}

fn in_html_comment(comments: &[Range<usize>], span: Span) -> bool {
    let start = span.start as usize;
    let index = comments.partition_point(|comment| comment.end <= start);
    comments.get(index).is_some_and(|comment| comment.start < start)
}

/// Extensions of files that an import without a directory can name.
const IMPORTED: [&str; 4] = [".md", ".mdc", ".txt", ".mdx"];
/// Extensions of files that an import with a directory can name.
const IMPORTED_BELOW: [&str; 6] = [".json", ".yaml", ".yml", ".toml", ".ts", ".py"];

pub(super) fn dead_import(context: &AgentContext<'_, '_>, report: &mut Report<'_>) {
    let has_imports = matches!(context.file.client, Client::Claude | Client::Gemini)
        && context.file.purpose == Purpose::Instructions;
    let Some(instructions) = &context.instructions else { return };
    if context.file.client == Client::Kiro {
        dead_kiro_file(context, instructions, report);
    }
    if !has_imports {
        return;
    }
    let path = instructions.source.path();
    let comments = html_comments(instructions.source.text());
    for (span, import) in imports(instructions) {
        let Some(target) = join(parent_dir(path), import) else { continue };
        if context.files.exists(&target)
            || is_local(&target)
            || is_alias(import, &target, context)
            || is_sample(&instructions.line(span))
            || instructions.may_lack_import(span)
            || in_html_comment(&comments, span)
            || is_ignored_by_git(context.files, &target)
            || is_unlisted(&target, context.files)
        {
            continue;
        }
        let from_root = join("", import).filter(|it| context.files.exists(it));
        let finding = report.at(span, format!("imported file `{target}` does not exist"));
        let moved = context.listing().and_then(|listing| moved_to(&target, listing));
        if let Some(root) = from_root {
            let relative = relative_to(parent_dir(path), &root);
            let edit = Edit::replace(span, format!("@{relative}"));
            finding
                .help(format!(
                    "write `@{relative}`; imports are relative to the file that contains them"
                ))
                .fix("Correct the path", vec![edit]);
        } else if let Some(moved) = moved {
            finding.help(format!("did you mean `{moved}`?"));
        } else {
            finding.help("correct the path; the client silently ignores the import");
        }
    }
}

/// The path that leads from a directory to a file.
fn relative_to(directory: &str, path: &str) -> String {
    let from: Vec<&str> = directory.split('/').filter(|part| !part.is_empty()).collect();
    let to: Vec<&str> = path.split('/').collect();
    let shared = from.iter().zip(&to).take_while(|(a, b)| a == b).count();
    "../".repeat(from.len() - shared) + &to[shared..].join("/")
}

/// Whether an import is rather a module: a program file below a directory that does not exist.
fn is_alias(import: &str, target: &str, context: &AgentContext<'_, '_>) -> bool {
    let Some((first, _)) = import.split_once('/').filter(|(first, _)| !first.starts_with('.'))
    else {
        return false;
    };
    let is_document = IMPORTED.iter().any(|ending| import.ends_with(ending));
    let above = target.strip_suffix(import).unwrap_or_default();
    let has_dir = |listing: &Listing| listing.has_dir(&format!("{above}{first}"));
    !is_document && !context.listing().is_some_and(has_dir)
}

/// Whether a line in lower case explains imports by an example, or imports a file that may not exist.
fn is_sample(line: &str) -> bool {
    line.contains("syntax") || HEDGES.iter().any(|word| line.contains(word))
}

/// The start of a reference to a file in the steering files of Kiro.
const KIRO_FILE: &str = "#[[file:";

/// Reports references of Kiro, relative to the root, to files that do not exist.
fn dead_kiro_file(
    context: &AgentContext<'_, '_>,
    instructions: &Instructions<'_>,
    report: &mut Report<'_>,
) {
    let root = context.project_dir();
    for (offset, line) in instructions.prose() {
        for (at, start) in line.match_indices(KIRO_FILE) {
            let from = at + start.len();
            let Some(length) = line[from..].find("]]") else { continue };
            let written = line[from..from + length].trim();
            let Some(target) = join(root, written) else { continue };
            let span = Span::new(offset + from, offset + from + length);
            let is_sample = instructions.is_code(span)
                || is_placeholder_path(written)
                || written.contains(['<', '{', '*', '$']);
            if !is_sample
                && !context.files.exists(&target)
                && !is_ignored_by_git(context.files, &target)
            {
                report
                    .at(span, format!("file `{written}` does not exist"))
                    .help("correct the path, which is relative to the root of the project");
            }
        }
    }
}

/// The imports `@path` outside code, each with its span.
pub(super) fn imports<'s>(instructions: &Instructions<'s>) -> Vec<(Span, &'s str)> {
    let mut found = Vec::new();
    for (offset, line) in instructions.prose() {
        for (at, _) in line.match_indices('@') {
            if at > 0 && !line[..at].ends_with([' ', '\t', '(', '\u{FEFF}']) {
                continue;
            }
            let rest = &line[at + 1..];
            let end = rest.find([' ', '\t', ')', ',', ';', '"', '`', '<', '>', '|']);
            let import = rest[..end.unwrap_or(rest.len())].trim_end_matches(['.', ':', '*', '_']);
            let has = |extensions: &[&str]| extensions.iter().any(|it| import.ends_with(it));
            let is_import = has(&IMPORTED) || import.contains('/') && has(&IMPORTED_BELOW);
            let span = Span::new(offset + at, offset + at + 1 + import.len());
            let is_plain =
                !import.starts_with(['~', '/', '@']) && !import.contains(['{', '*', '$', '[']);
            if is_import && is_plain && !instructions.is_code(span) && !is_placeholder_path(import)
            {
                found.push((span, import));
            }
        }
    }
    found
}
