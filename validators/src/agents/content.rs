//! Files without content, code blocks that hide the rest of a file, and files of skills that do not
//! exist.

use super::AgentContext;
use super::kits::is_unfilled;
use super::markdown::{inner_code, is_markdown};
use super::model::{Client, Purpose};
use super::references::{is_not_claimed, is_suffix};
use super::words::is_placeholder_path;
use aidd_engine::parse::values::front_matter;
use aidd_engine::project::ignored::is_ignored_by_git;
use aidd_engine::rules::rule::Report;
use aidd_engine::text::finding::Severity;
use aidd_engine::text::paths::{join, parent_dir};
use aidd_engine::text::source::Span;

pub(super) fn empty(context: &AgentContext<'_, '_>, report: &mut Report<'_>) {
    let is_read = matches!(
        context.file.purpose,
        Purpose::Agent | Purpose::Command | Purpose::Instructions | Purpose::Rule | Purpose::Skill
    );
    let text = context.source.text();
    let body = match front_matter(text) {
        // The closing line of the front matter is not part of it.
        Some((_, end)) => text[end..].trim_start().trim_start_matches('-'),
        None if text.starts_with("---") => return,
        None => text,
    };
    // An agent of OpenCode can consist of settings.
    let is_settings = context.file.client == Client::OpenCode && front_matter(text).is_some();
    // A prompt of Copilot can consist of the name of an agent.
    let names_agent = context.file.client == Client::Copilot && context.at(&["agent"]).is_some();
    if is_read && !is_settings && !names_agent && body.trim().is_empty() {
        report
            .at(context.source.line_span(0), "the file has no instructions")
            .help("write the instructions, or remove the file");
    }
}

pub(super) fn unclosed_fence(context: &AgentContext<'_, '_>, report: &mut Report<'_>) {
    let Some(instructions) = &context.instructions else { return };
    let Some(block) = instructions.document.blocks.last() else { return };
    let text = context.source.text();
    if (block.span.end as usize) < text.trim_end().len() {
        return;
    }
    let written = context.source.slice(block.span);
    let mut lines = written.trim_end().lines();
    let opening = lines.next().unwrap_or_default().trim_start_matches([' ', '>', '\t']);
    let Some(mark) = opening.chars().next().filter(|c| matches!(c, '`' | '~')) else { return };
    let length = opening.len() - opening.trim_start_matches(mark).len();
    // Without a line after it, the fence was meant to close a block with blocks inside.
    let Some(last) = lines.next_back() else { return };
    let last = last.trim_start_matches(['>', ' ', '\t']).trim_end();
    let is_closed = last.len() >= length && last.chars().all(|c| c == mark);
    if !is_closed {
        let fence = &opening[..length];
        let has_inner_fence = lines.any(|line| line.trim_start().starts_with(fence));
        let start = block.span.start as usize;
        let first = written.lines().next().map_or(0, str::len);
        let is_bare = opening.trim_end().len() == length;
        let outer = is_bare.then(|| ends_too_early(text)).flatten();
        let finding = match outer {
            Some(outer) => {
                let message = "the code block ends at the first block inside it";
                let finding = report.at(outer, message);
                finding.related(Span::new(start, start + first), "this fence opens a block");
                finding
            }
            None => report.at(Span::new(start, start + first), "the code block is not closed"),
        };
        finding.help(if outer.is_some() {
            "make its first and last fence longer, such as four backticks"
        } else if has_inner_fence {
            "if it contains other blocks, make its first and last fence longer, such as four backticks; otherwise, close it"
        } else {
            "close it; what follows is not read as instructions"
        });
        // Code at the end of the file looks the same without its closing line, and so does the text of
        // a template.
        let is_code = is_markdown(&block.info) || !has_prose(written);
        if !has_inner_fence && is_code || is_unfilled(text) {
            finding.severity = finding.severity.min(Severity::Info);
        }
        context.lower_in_copy(finding);
    }
}

/// A fence that is open, as the author of nested blocks counts them.
struct Fence {
    mark: char,
    length: usize,
    span: Span,
    /// Whether a block inside has a fence that closes this one.
    is_broken: bool,
}

/// The opening line of the last block that contains a block with fences of the same length; `None` if
/// the fences do not pair as the author would nest them.
fn ends_too_early(text: &str) -> Option<Span> {
    let (mut open, mut last): (Vec<Fence>, Option<Span>) = (Vec::new(), None);
    let mut at = 0;
    for line in text.split_inclusive('\n') {
        let start = at;
        at += line.len();
        let fence = line.trim_start_matches([' ', '>', '\t']).trim_end();
        let Some(mark) = fence.chars().next().filter(|c| matches!(c, '`' | '~')) else { continue };
        let info = fence.trim_start_matches(mark);
        let length = fence.len() - info.len();
        if length < 3 || info.contains('`') {
            continue;
        }
        let span = Span::new(start, start + line.trim_end().len());
        match open.last_mut() {
            Some(inner) if info.is_empty() && inner.mark == mark && length >= inner.length => {
                let inner = open.pop()?;
                last = Some(inner.span).filter(|_| inner.is_broken).or(last);
            }
            Some(_) if info.is_empty() => {}
            outer => {
                if let Some(outer) = outer {
                    outer.is_broken |= outer.mark == mark && length >= outer.length;
                }
                open.push(Fence { mark, length, span, is_broken: false });
            }
        }
    }
    last.filter(|_| open.is_empty())
}

/// Whether a code block has a paragraph, a heading or a list after a blank line.
fn has_prose(block: &str) -> bool {
    let mut is_after_blank = false;
    block.lines().skip(1).any(|line| {
        let starts = |marks: &[&str]| marks.iter().any(|mark| line.starts_with(mark));
        let is_numbered = line.split_once(". ").is_some_and(|(number, _)| {
            !number.is_empty() && number.bytes().all(|byte| byte.is_ascii_digit())
        });
        let is_sentence = line.starts_with(|c: char| c.is_uppercase())
            && line.ends_with(['.', ':', '!', '?'])
            && line.contains(' ')
            && !line.contains(['(', '{', '=', ';']);
        let is_markdown = starts(&["## ", "### ", "#### ", "**", "> ", "| "]);
        let found = is_after_blank && (is_markdown || is_numbered || is_sentence);
        is_after_blank = line.trim().is_empty();
        found
    })
}

/// The directories of a skill with files for it.
const SKILL_DIRS: [&str; 3] = ["assets/", "references/", "scripts/"];

pub(super) fn skill_file(context: &AgentContext<'_, '_>, report: &mut Report<'_>) {
    let (Some(instructions), Some(listing)) = (&context.instructions, context.listing()) else {
        return;
    };
    let directory = parent_dir(context.source.path());
    // Skills on skills describe the files of others.
    let is_about_skills = directory.rsplit('/').next().is_some_and(|name| name.contains("skill"));
    if context.file.purpose != Purpose::Skill || is_about_skills {
        return;
    }
    for (_, span) in &instructions.document.code {
        let inner = inner_code(context.source, *span);
        let written = context.source.slice(inner);
        let Some(folder) = SKILL_DIRS.iter().find(|folder| written.starts_with(**folder)) else {
            continue;
        };
        let is_path_char =
            |c: char| c.is_ascii_alphanumeric() || matches!(c, '.' | '_' | '-' | '/');
        let name = written.rsplit('/').next().unwrap_or(written);
        let has_extension = name.contains('.') && !name.contains("..");
        if !written.chars().all(is_path_char)
            || !has_extension
            || is_placeholder_path(written)
            || name.starts_with("filename.")
        {
            continue;
        }
        let Some(path) = join(directory, written) else { continue };
        let has_folder = join(directory, folder.trim_end_matches('/'))
            .is_some_and(|folder| listing.has_dir(&folder));
        let is_here = context.files.exists(&path)
            || context.files.exists(written)
            || listing.has_dir(&path)
            || is_suffix(written, listing);
        if !has_folder
            || is_here
            || is_not_claimed(instructions, *span)
            || instructions.is_written(written)
            || is_ignored_by_git(context.files, &path)
        {
            continue;
        }
        let finding = report.at(inner, format!("the skill has no file `{written}`"));
        finding.help("add the file, or correct the path");
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_outer_block_is_the_last_one_with_a_block_inside() {
        let line = |text: &str| {
            ends_too_early(text).map(|span| text[..span.start as usize].lines().count() + 1)
        };
        assert_eq!(line("```md\n```sh\na\n```\n```\nText\n"), Some(1));
        // A list of blocks after the outer one.
        assert_eq!(line("```md\n```sh\na\n```\n```\nText\n```\na\n```\n"), Some(1));
        // The last one of two.
        assert_eq!(line("```md\n```sh\n```\n```\n\n```md\n```sh\n```\n```\n"), Some(6));
        // Longer fences outside, and fences that do not pair.
        assert_eq!(line("````md\n```sh\na\n```\n````\n"), None);
        assert_eq!(line("```md\n```sh\na\n```\nText\n"), None);
    }
}
