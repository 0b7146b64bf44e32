//! The statements of a Markdown file with instructions.

use super::commands::commands_in;
use super::{Instructions, Statement, Weight};
use aidd_lexicon::tables::{List, decisions as table};
use aidd_lexicon::tokens;
use aidd_page as page;
use pulldown_cmark::{CodeBlockKind, Event, Options, Parser, Tag, TagEnd};
use serde_json::Value;

/// Maximum number of characters of a statement.
const MAX_CHARS: usize = 240;

/// The markers around the lines that `aidd init` adds to a file.
const OWN_BLOCK: (&str, &str) = ("<!-- aidd init -->", "<!-- /aidd init -->");

/// The statements of a file, and the files that it imports.
pub(super) struct Parsed {
    pub(super) instructions: Instructions,
    pub(super) imports: Vec<String>,
}

pub(super) fn parse(path: &str, text: &str) -> Parsed {
    let (applies_to, body) = split_header(text);
    let body = without_own_block(body);
    let mut builder = Builder::default();
    for event in Parser::new_ext(&body, Options::ENABLE_TABLES) {
        builder.take(&event);
    }
    builder.end_block();
    let instructions =
        Instructions { path: path.to_owned(), applies_to, statements: builder.statements };
    Parsed { instructions, imports: builder.imports }
}

/// The glob in the header, and the text below it.
fn split_header(text: &str) -> (String, &str) {
    if !page::has_header(text) {
        return (String::new(), text);
    }
    let Ok((yaml, body)) = page::split(text) else { return (String::new(), text) };
    let header: Value = serde_saphyr::from_str(&text[yaml]).unwrap_or_default();
    let glob = ["globs", "paths", "applyTo"].iter().find_map(|key| match header.get(*key)? {
        Value::String(glob) => Some(glob.clone()),
        Value::Array(globs) => {
            Some(globs.iter().filter_map(Value::as_str).collect::<Vec<_>>().join(", "))
        }
        _ => None,
    });
    let glob = glob.filter(|glob| !matches!(glob.trim(), "*" | "**" | "**/*"));
    (glob.unwrap_or_default(), &text[body])
}

fn without_own_block(text: &str) -> String {
    let (begin, end) = OWN_BLOCK;
    match text.split_once(begin) {
        Some((before, rest)) => {
            let after = rest.split_once(end).map(|(_, after)| after).unwrap_or_default();
            format!("{before}{after}")
        }
        None => text.to_owned(),
    }
}

/// The kind of code block that is being read.
#[derive(Clone, Copy, PartialEq, Eq)]
enum CodeBlock {
    Shell,
    Other,
}

#[derive(Default)]
struct Builder {
    statements: Vec<Statement>,
    imports: Vec<String>,
    heading: String,
    /// The text of the block that is being read.
    text: String,
    in_heading: bool,
    item_depth: usize,
    code: Option<CodeBlock>,
    /// Whether the block contains code.
    has_code: bool,
}

impl Builder {
    fn take(&mut self, event: &Event<'_>) {
        match event {
            Event::Start(Tag::Heading { .. }) => {
                self.end_block();
                self.in_heading = true;
            }
            Event::End(TagEnd::Heading(_)) => {
                self.in_heading = false;
                self.heading = to_line(&std::mem::take(&mut self.text));
                self.has_code = false;
            }
            Event::Start(Tag::Item) => {
                self.end_block();
                self.item_depth += 1;
            }
            Event::End(TagEnd::Item) => {
                self.end_block();
                self.item_depth = self.item_depth.saturating_sub(1);
            }
            Event::Start(Tag::CodeBlock(kind)) => {
                self.end_block();
                self.code = Some(code_block(kind));
            }
            Event::End(TagEnd::CodeBlock) => self.end_code(),
            Event::End(TagEnd::TableHead) => self.text.clear(),
            Event::End(TagEnd::Paragraph | TagEnd::TableRow | TagEnd::BlockQuote(_)) => {
                self.end_block();
            }
            Event::End(TagEnd::TableCell) => self.text.push_str(" | "),
            Event::Text(text) => self.text.push_str(text),
            Event::Code(code) => {
                self.has_code = true;
                self.text.push('`');
                self.text.push_str(code);
                self.text.push('`');
            }
            Event::SoftBreak | Event::HardBreak => self.text.push(' '),
            _ => {}
        }
    }

    /// Ends a paragraph or the text of a list item.
    fn end_block(&mut self) {
        let text = to_line(&std::mem::take(&mut self.text));
        let text = text.trim_end_matches(" |").to_owned();
        let has_code = std::mem::take(&mut self.has_code);
        if self.code.is_some() || self.in_heading || text.is_empty() {
            return;
        }
        if let Some(import) = text.strip_prefix('@').filter(|rest| !rest.contains(' ')) {
            self.imports.push(import.to_owned());
            return;
        }
        let text = without_lead_in(&text);
        if text.is_empty() || table::BOILERPLATE.iter().any(|start| text.starts_with(start)) {
            return;
        }
        let weight = self.weight(text, has_code);
        let commands = if has_code { commands_in(text) } else { <_>::default() };
        self.push(shorten(text), weight, commands);
    }

    fn end_code(&mut self) {
        let code = std::mem::take(&mut self.text);
        if self.code.take() != Some(CodeBlock::Shell) {
            return;
        }
        let (mut comment, mut directory, mut is_cloned) = ("", String::new(), false);
        for line in code.lines().map(str::trim) {
            if let Some(text) = line.strip_prefix('#') {
                comment = text.trim();
            } else if !line.is_empty() {
                let command = line.strip_prefix("$ ").unwrap_or(line);
                let command = command.split_whitespace().collect::<Vec<_>>().join(" ");
                let plain = command.split(" # ").next().unwrap_or_default().trim();
                is_cloned |= plain.starts_with("git clone");
                // After a clone, the directory is the root of the project.
                if let Some(changed) = plain.strip_prefix("cd ").filter(|it| !it.contains(' ')) {
                    if !is_cloned {
                        directory = changed_directory(&directory, changed);
                    }
                    continue;
                }
                let prefix = match &*directory {
                    "" => String::new(),
                    directory => format!("cd {directory} && "),
                };
                let commands = (vec![format!("{prefix}{plain}")], Vec::new());
                let command = format!("{prefix}{command}");
                let text = match comment {
                    "" => command,
                    _ if command.contains(" # ") => command,
                    _ => format!("{command} # {comment}"),
                };
                self.push(shorten(&text), Weight::Rule, commands);
                comment = "";
            }
        }
    }

    fn weight(&self, text: &str, has_code: bool) -> Weight {
        let upper_matches = |words: List| words.iter().any(|word| has_word(text, word));
        let lower = text.to_lowercase();
        let matches = |words: List| words.iter().any(|word| has_word(&lower, word));
        let heading = self.heading.to_lowercase();
        let is_under = |words: List| words.iter().any(|word| has_word(&heading, word));
        if upper_matches(table::FORBIDDING)
            || upper_matches(table::REQUIRING)
            || matches(table::INSTRUCTING)
            || has_code && is_under(table::COMMAND_HEADINGS)
        {
            Weight::Rule
        } else if self.statements.is_empty()
            || self.item_depth > 0 && is_under(table::CONVENTION_HEADINGS)
        {
            Weight::Convention
        } else {
            Weight::Description
        }
    }

    /// Adds a statement; `commands` are those that it says to run, and those that it forbids.
    fn push(&mut self, text: String, weight: Weight, commands: (Vec<String>, Vec<String>)) {
        let tokens = tokens::count(&format!("- {text}\n"));
        let (commands, forbidden) = commands;
        let heading = self.heading.clone();
        self.statements.push(Statement { heading, text, weight, tokens, commands, forbidden });
    }
}

/// The directory after `cd changed` in `directory`. Blocks list alternatives from the root, so that
/// only `..` refers to the directory before.
fn changed_directory(directory: &str, changed: &str) -> String {
    let mut parts: Vec<&str> = Vec::new();
    let base = if changed.starts_with("..") { directory } else { "" };
    for part in base.split('/').chain(changed.split('/')) {
        match part {
            "" | "." => {}
            ".." => _ = parts.pop(),
            part => parts.push(part),
        }
    }
    parts.join("/")
}

/// The text without a last sentence that only introduces the block below it.
fn without_lead_in(text: &str) -> &str {
    if !text.ends_with(':') {
        return text;
    }
    text.rfind(". ").map_or("", |end| &text[..=end])
}

fn code_block(kind: &CodeBlockKind<'_>) -> CodeBlock {
    match kind {
        CodeBlockKind::Fenced(info) => match info.split([' ', ',']).next().unwrap_or_default() {
            "sh" | "bash" | "shell" | "zsh" | "console" | "terminal" => CodeBlock::Shell,
            _ => CodeBlock::Other,
        },
        CodeBlockKind::Indented => CodeBlock::Other,
    }
}

/// Whether `text` contains `word` between word boundaries.
fn has_word(text: &str, word: &str) -> bool {
    text.match_indices(word).any(|(offset, _)| {
        let before = text[..offset].chars().next_back();
        let after = text[offset + word.len()..].chars().next();
        !before.is_some_and(char::is_alphanumeric) && !after.is_some_and(char::is_alphanumeric)
    })
}

fn to_line(text: &str) -> String {
    text.split_whitespace().collect::<Vec<_>>().join(" ")
}

/// The first sentences of a text, at most [`MAX_CHARS`] characters.
fn shorten(text: &str) -> String {
    let Some((limit, _)) = text.char_indices().nth(MAX_CHARS) else { return text.to_owned() };
    match text[..limit].rfind(". ") {
        Some(end) => text[..=end].to_owned(),
        None => format!("{}…", &text[..limit]),
    }
}
