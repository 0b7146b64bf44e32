//! The parts of an instruction file that refer to the project: code, commands, links and imports,
//! with their spans.

use super::words::{GENERAL_HEADINGS, NEGATIONS, OPTIONAL};
use aidd_engine::parse::document::{self, Document};
use aidd_engine::parse::values::front_matter;
use aidd_engine::text::source::{Source, Span};

/// A parsed instruction file.
pub(super) struct Instructions<'s> {
    pub(super) source: &'s Source,
    pub(super) document: Document,
    /// The commands in code spans and shell blocks.
    pub(super) commands: Vec<Command<'s>>,
}

/// A command that the instructions name, without the parts that connect it to other commands.
#[derive(Debug)]
pub(super) struct Command<'s> {
    pub(super) text: &'s str,
    pub(super) span: Span,
}

/// The languages of fenced blocks with shell commands.
const SHELLS: [&str; 6] = ["sh", "bash", "shell", "zsh", "console", "terminal"];

/// Maximum number of bytes before and after a span that are read as its context.
const MAX_CONTEXT: u32 = 2_000;

/// Maximum number of bytes before and after a span that belong to its context.
const MAX_NEAR: u32 = 160;

/// Verbs with which an instruction to run a command starts, in lower case.
const IMPERATIVES: [&str; 16] = [
    "add",
    "always",
    "build",
    "do",
    "fetch",
    "first",
    "get",
    "install",
    "please",
    "reinstall",
    "run",
    "setup",
    "set",
    "then",
    "update",
    "use",
];

impl<'s> Instructions<'s> {
    pub(super) fn parse(source: &'s Source) -> Self {
        let document = document::parse(source.text());
        let mut commands = Vec::new();
        for (_, span) in &document.code {
            let inner = inner_code(source, *span);
            add_commands(source, inner, &mut commands);
        }
        for block in &document.blocks {
            let language = block.info.split([' ', ',', '{']).next().unwrap_or_default();
            if !SHELLS.contains(&&*language.to_ascii_lowercase()) {
                continue;
            }
            // In a clone of another project, the commands are those of that project.
            if block.parts.iter().any(|part| source.slice(*part).contains("git clone")) {
                continue;
            }
            for part in &block.parts {
                let mut at = part.start as usize;
                for line in source.slice(*part).split_inclusive('\n') {
                    let span = Span::new(at, at + line.len());
                    at += line.len();
                    if !line.trim_start().starts_with('#') {
                        add_commands(source, span, &mut commands);
                    }
                }
            }
        }
        let generated = generated_blocks(source);
        commands.retain(|command| !generated.iter().any(|block| block.contains(command.span)));
        Self { source, document, commands }
    }

    /// Whether the sentence around `span` negates what it says or refers to the past. The line above
    /// counts as well, because sentences and introductions of lists continue on the next line.
    pub(super) fn is_negated(&self, span: Span) -> bool {
        self.has_word(span, &self.context(span), &NEGATIONS)
            || self.comment_above(span).is_some_and(|comment| {
                let comment = comment.to_lowercase();
                NEGATIONS.iter().any(|word| comment.contains(word))
            })
    }

    /// The nearest comment above `span` in its code block: `# Wrong`.
    fn comment_above(&self, span: Span) -> Option<&'s str> {
        let blocks = &self.document.blocks;
        let next = blocks.partition_point(|block| block.span.end <= span.start);
        let block = blocks.get(next).filter(|block| block.span.contains(span))?;
        let start = block.span.start.max(span.start.saturating_sub(MAX_CONTEXT));
        let above = self.source.slice(Span { start, end: span.start });
        above.lines().rev().map(str::trim_start).find(|line| line.starts_with('#'))
    }

    /// Whether the text near `span` on its line, or the heading, has one of the words.
    pub(super) fn has_near(&self, span: Span, words: &[&str]) -> bool {
        let line = self.source.lines_around(span);
        let start = line.start.max(span.start.saturating_sub(MAX_NEAR));
        let end = line.end.min(span.end.saturating_add(MAX_NEAR));
        self.has_word(span, &self.source.slice(Span { start, end }).to_lowercase(), words)
    }

    /// Whether a text in lower case, or the heading above `span`, has one of the words.
    fn has_word(&self, span: Span, text: &str, words: &[&str]) -> bool {
        let headings = &self.document.headings;
        let below = headings.partition_point(|heading| heading.span.end <= span.start);
        let nearest = below.checked_sub(1).and_then(|index| headings.get(index));
        let heading = nearest.map(|heading| heading.text.to_lowercase()).unwrap_or_default();
        words.iter().any(|word| text.contains(word) || heading.contains(word))
    }

    /// Whether the heading above `span` names a part of the project or of its files.
    pub(super) fn is_in_part(&self, span: Span) -> bool {
        let headings = &self.document.headings;
        let below = headings.partition_point(|heading| heading.span.end <= span.start);
        let nearest = below.checked_sub(1).and_then(|index| headings.get(index));
        nearest.filter(|heading| heading.level > 1).is_some_and(|heading| {
            let text = heading.text.to_lowercase();
            let mut words = text.split(|c: char| !c.is_alphanumeric() && c != '\'');
            words.any(|word| !word.is_empty() && !GENERAL_HEADINGS.contains(&word))
        })
    }

    /// Whether the sentence around the command at `span` says how something happens, not what to do:
    /// "the hooks are installed via `npm install`". A sentence that starts with an imperative, such
    /// as "install the packages via …", says what to do.
    pub(super) fn is_description(&self, span: Span) -> bool {
        let before = self.line_before(span);
        let before = before.trim_end_matches('`').trim_end();
        let Some(clause) = before.strip_suffix("via") else { return false };
        let sentence = clause.rsplit(". ").next().unwrap_or(clause);
        let mut words = sentence.split(|c: char| !c.is_alphanumeric() && c != '-');
        let first = words.find(|word| word.contains(char::is_alphabetic));
        first.is_some_and(|word| !IMPERATIVES.contains(&word))
    }

    /// The line of `span` and the line above, joined and in lower case; of long lines, the part around
    /// `span`.
    pub(super) fn context(&self, span: Span) -> String {
        let line = self.source.line_of(span.start);
        let start = self.source.line_span(line.saturating_sub(1)).start;
        let start = start.max(span.start.saturating_sub(MAX_CONTEXT));
        let end = self.source.lines_around(span).end.min(span.end.saturating_add(MAX_CONTEXT));
        // `slice` moves both ends to the boundaries of characters.
        let lines = self.source.slice(Span { start, end }).lines().map(str::trim);
        lines.collect::<Vec<_>>().join(" ").to_lowercase()
    }

    /// The line of `span` up to it, in lower case; of a long line, the part before `span`.
    pub(super) fn line_before(&self, span: Span) -> String {
        let line = self.source.lines_around(span);
        let start = line.start.max(span.start.saturating_sub(MAX_CONTEXT));
        self.source.slice(Span { start, end: span.start }).to_lowercase()
    }

    /// The line of `span`, in lower case; of a long line, the part around `span`.
    pub(super) fn line(&self, span: Span) -> String {
        let line = self.source.lines_around(span);
        let start = line.start.max(span.start.saturating_sub(MAX_CONTEXT));
        let end = line.end.min(span.end.saturating_add(MAX_CONTEXT));
        self.source.slice(Span { start, end }).to_lowercase()
    }

    /// Whether the paragraph before an import on a line of its own says that the file may not exist.
    pub(super) fn may_lack_import(&self, span: Span) -> bool {
        let line = self.source.lines_around(span).start;
        let start = line.saturating_sub(MAX_CONTEXT);
        let before = &self.source.text().as_bytes()[start as usize..line as usize];
        let before = String::from_utf8_lossy(before).to_lowercase();
        let paragraph = before.trim_end().rsplit("\n\n").next().unwrap_or_default();
        OPTIONAL.iter().any(|words| paragraph.contains(words))
    }

    /// Whether a code span is the text of a link to the same path, which `agents/dead-link` checks:
    /// [`docs/a.md`](docs/a.md).
    pub(super) fn is_text_of_link(&self, span: Span, written: &str) -> bool {
        let rest = self.source.text()[span.end as usize..].strip_prefix("](");
        rest.is_some_and(|rest| {
            let target = rest.strip_prefix("./").unwrap_or(rest);
            let after = target.strip_prefix(written);
            after.is_some_and(|after| after.starts_with([')', '#', '/']))
        })
    }

    /// The text outside code, with the offset of each line.
    pub(super) fn prose(&self) -> impl Iterator<Item = (usize, &'s str)> {
        let text = self.source.text();
        let header = front_matter(text).map_or(0, |(_, end)| end);
        let blocks = &self.document.blocks;
        let in_code = |offset: usize| {
            let next = blocks.partition_point(|block| block.span.end as usize <= offset);
            blocks.get(next).is_some_and(|block| block.span.range().contains(&offset))
        };
        let mut at = 0;
        let lines = text.split_inclusive('\n').map(move |line| {
            at += line.len();
            (at - line.len(), line.trim_end())
        });
        lines.filter(move |(offset, _)| *offset >= header && !in_code(*offset))
    }

    /// The end of the text of which it is certain what is code. A block of Markdown that contains a
    /// block with fences of the same length ends too early: what follows can be its text.
    pub(super) fn end_of_certain_text(&self) -> u32 {
        let text = self.source.text();
        let broken = self.document.blocks.iter().find(|block| {
            let mut lines = self.source.slice(block.span).lines();
            let opening = lines.next().unwrap_or_default().trim_start_matches([' ', '>', '\t']);
            let Some(mark) = opening.chars().next() else { return false };
            let length = opening.len() - opening.trim_start_matches(mark).len();
            let opens = |line: &str| {
                let line = line.trim_start();
                let rest = line.trim_start_matches(mark);
                line.len() - rest.len() >= length && !rest.trim().is_empty()
            };
            length > 2 && is_markdown(&block.info) && lines.any(opens)
        });
        broken.map_or(u32::try_from(text.len()).unwrap_or(u32::MAX), |block| block.span.end)
    }

    /// Whether a command in the text writes the file: `program > path`, `tee path`, `-o path`.
    pub(super) fn is_written(&self, path: &str) -> bool {
        let text = self.source.text();
        text.match_indices(path).any(|(at, _)| {
            let before = text[..at].trim_end_matches([' ', '"', '\'', '/', '.']);
            [">", "tee", " -o", "--output", "--out"].iter().any(|it| before.ends_with(it))
                && !before.ends_with("->")
                && !before.ends_with("=>")
        })
    }

    /// Whether `span` is in a code span.
    pub(super) fn is_code(&self, span: Span) -> bool {
        self.document.code.iter().any(|(_, code)| code.overlaps(span))
    }
}

/// Whether a block with this information after its fence contains Markdown.
pub(super) fn is_markdown(info: &str) -> bool {
    let language = info.split([' ', ',', '{']).next().unwrap_or_default();
    matches!(language, "markdown" | "md" | "mdx")
}

/// The blocks that a tool writes and replaces, between two marks: `<laravel-boost-guidelines>`, or
/// comments such as `<!-- BEGIN generated by tool -->`.
fn generated_blocks(source: &Source) -> Vec<Span> {
    let mut blocks = Vec::new();
    let mut open: Option<(usize, String)> = None;
    let mut at = 0;
    for line in source.text().split_inclusive('\n') {
        let start = at;
        at += line.len();
        let mark = line.trim().to_ascii_lowercase();
        match &open {
            Some((first, end)) if mark.starts_with(end) => {
                let is_end = !end.starts_with("<!--")
                    || words(&mark).any(|word| matches!(word, "end" | "stop"));
                if is_end {
                    blocks.push(Span::new(*first, at));
                    open = None;
                }
            }
            Some(_) => {}
            None if mark.starts_with("<!--") && mark.ends_with("-->") => {
                let begins = words(&mark).any(|word| matches!(word, "begin" | "start"));
                let is_generated = words(&mark)
                    .any(|word| matches!(word, "generated" | "autogenerated" | "managed"));
                open = (begins && is_generated).then(|| (start, "<!--".to_owned()));
            }
            None => {
                let name = mark.strip_prefix('<').and_then(|rest| rest.strip_suffix('>'));
                let name = name.filter(|name| GENERATED_ELEMENTS.contains(name));
                open = name.map(|name| (start, format!("</{name}>")));
            }
        }
    }
    blocks
}

/// The words of a mark.
fn words(mark: &str) -> impl Iterator<Item = &str> {
    mark.split(|c: char| !c.is_ascii_alphanumeric())
}

/// Whether a text begins with a block that a tool writes.
pub(super) fn begins_generated(text: &str) -> bool {
    let rest = text.trim_start().strip_prefix('<');
    rest.is_some_and(|rest| GENERATED_ELEMENTS.iter().any(|name| rest.starts_with(name)))
}

/// Elements whose content a tool writes.
const GENERATED_ELEMENTS: [&str; 2] = ["laravel-boost-guidelines", "boost-guidelines"];

/// The text of a code span without its backticks and surrounding spaces.
pub(super) fn inner_code(source: &Source, span: Span) -> Span {
    let text = source.slice(span);
    let start = text.len() - text.trim_start_matches(['`', ' ']).len();
    let length = text.trim_matches(['`', ' ']).len();
    Span::new(span.start as usize + start, span.start as usize + start + length)
}

/// Adds the commands that `&&`, `;` and `|` connect.
fn add_commands<'s>(source: &'s Source, span: Span, commands: &mut Vec<Command<'s>>) {
    let text = source.slice(span);
    let code = text.split(" #").next().unwrap_or(text);
    let mut start = 0;
    for (at, c) in code.char_indices().chain([(code.len(), ';')]) {
        if !matches!(c, ';' | '&' | '|' | '\n') {
            continue;
        }
        let part = &code[start..at];
        let trimmed = part.trim().trim_start_matches("$ ").trim_start_matches("> ").trim();
        if !trimmed.is_empty() {
            let offset = span.start as usize + start + (part.find(trimmed).unwrap_or_default());
            let span = Span::new(offset, offset + trimmed.len());
            commands.push(Command { text: source.slice(span), span });
        }
        start = at + c.len_utf8();
        if start > code.len() {
            break;
        }
    }
}
