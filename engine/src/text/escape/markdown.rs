//! Markdown that comes from a repository, for whoever renders it: no HTML, no images, no link but
//! to a web page, a mail address or a file beside it.
//!
//! What is parsed is written out again with every mark of the text escaped, so that the result does
//! not depend on how a renderer parses Markdown.

use super::{is_hidden, push};
use pulldown_cmark::{
    Alignment, CodeBlockKind, Event, HeadingLevel, Options, Parser, Tag, TagEnd, TextMergeStream,
};
use std::fmt::Write as _;

/// Bytes of a text that are read; a longer one is cut.
const MAX_BYTES: usize = 256 * 1024;
/// Quotes and lists inside one another; deeper ones lose their marks.
const MAX_DEPTH: usize = 12;

/// A document: headings, lists, tables, code and safe links stay, HTML is shown as text, its
/// comments go, images become their description.
#[must_use]
pub fn page(markdown: &str) -> String {
    render(markdown, Form::Markdown)
}

/// The words of a document, for who shows no Markdown: no marks, code indented, links as
/// `words (address)`.
#[must_use]
pub fn plain(markdown: &str) -> String {
    render(markdown, Form::Plain)
}

/// A message: shown as it is, but for code between backticks.
#[must_use]
pub fn message(text: &str) -> String {
    let text = &*super::lines(cut(text));
    let mut out = String::with_capacity(text.len() + 8);
    let mut from = 0;
    for (event, range) in Parser::new_ext(text, Options::empty()).into_offset_iter() {
        let Event::Code(_) = event else { continue };
        // A code span of several lines would be cut by what begins a block on the second one.
        if range.start >= from && !text[range.clone()].contains('\n') {
            literal(&mut out, &text[from..range.start], from == 0);
            out.push_str(&text[range.clone()]);
            from = range.end;
        }
    }
    literal(&mut out, &text[from..], from == 0);
    out
}

/// A text that is shown as it is.
#[must_use]
pub fn words(text: &str) -> String {
    let mut out = String::with_capacity(text.len() + 8);
    literal(&mut out, text, true);
    out
}

/// A link with `words` that are shown as they are, to an address that we have made.
#[must_use]
pub fn link(words: &str, address: &str) -> String {
    let mut out = "[".to_owned();
    literal(&mut out, words, false);
    let _ = write!(out, "]({})", encoded(address));
    out
}

/// Appends `text` so that every character of it is shown as it is; `at_start`: of a line.
fn literal(out: &mut String, text: &str, mut at_start: bool) {
    let mut in_number = false;
    let mut chars = text.chars().peekable();
    while let Some(c) = chars.next() {
        let next = chars.peek().copied();
        let is_word = |c: Option<char>| c.is_some_and(char::is_alphanumeric);
        let is_mark = match c {
            '\\' | '`' | '*' | '[' | ']' | '<' | '|' | '~' | '$' => true,
            '_' => !(is_word(out.chars().next_back()) && is_word(next)),
            '!' => next.is_none_or(|next| next == '['),
            '&' => next.is_none_or(|next| next == '#' || next.is_ascii_alphanumeric()),
            // What closes a heading stands alone.
            '#' => !is_word(out.chars().next_back()),
            '.' | ')' => in_number || at_start,
            c => at_start && c.is_ascii_punctuation(),
        };
        in_number = (at_start || in_number) && c.is_ascii_digit();
        at_start = c == '\n' || at_start && c == ' ';
        // A backslash of our own has to be shown, too.
        if is_mark || is_hidden(c) && c != '\n' {
            out.push('\\');
        }
        if c == '\n' { out.push(c) } else { push(out, c) }
    }
}

/// Whether a link may lead to `address`: a web page, a mail address, a page of ours, or a relative
/// path.
fn is_safe(address: &str) -> bool {
    if address.chars().any(|c| c <= ' ' || is_hidden(c) || c == '\\') || address.starts_with("//") {
        return false;
    }
    let head = address.split(['/', '?', '#']).next().unwrap_or_default();
    match head.split_once(':') {
        Some((scheme, _)) => ["https", "http", "mailto", "aidd"]
            .iter()
            .any(|known| scheme.eq_ignore_ascii_case(known)),
        None => true,
    }
}

/// An address as it may stand between the parentheses of a link.
fn encoded(address: &str) -> String {
    let mut out = String::with_capacity(address.len());
    for c in address.chars() {
        if c <= ' ' || is_hidden(c) || "<>()[]\\\"`|*~!".contains(c) {
            let mut bytes = [0; 4];
            for byte in c.encode_utf8(&mut bytes).bytes() {
                let _ = write!(out, "%{byte:02X}");
            }
        } else if c == '&' {
            out.push_str("\\&");
        } else {
            out.push(c);
        }
    }
    out
}

fn cut(text: &str) -> &str {
    &text[..text.floor_char_boundary(MAX_BYTES)]
}

#[derive(Clone, Copy, Default, PartialEq, Eq)]
enum Form {
    #[default]
    Markdown,
    Plain,
}

fn render(markdown: &str, form: Form) -> String {
    let text = cut(markdown).replace("\r\n", "\n");
    let options =
        Options::ENABLE_TABLES | Options::ENABLE_STRIKETHROUGH | Options::ENABLE_TASKLISTS;
    let mut writer = Writer { form, ..Writer::default() };
    for event in TextMergeStream::new(Parser::new_ext(&text, options)) {
        writer.event(event);
    }
    if cut(markdown).len() < markdown.len() {
        writer.block(2);
        writer.out.push('…');
    }
    writer.out.trim_end().to_owned()
}

#[derive(Default)]
struct Writer {
    form: Form,
    out: String,
    /// What the lines begin with: the marks of quotes, the indentation of lists.
    prefix: Vec<&'static str>,
    /// The lists that are open: the next number, of one with numbers.
    lists: Vec<Option<u64>>,
    /// Line breaks that are due before the next block.
    due: usize,
    /// Where what is in the innermost quote or item begins.
    start: usize,
    in_html: bool,
    /// The code block that is open: its language, and its text so far.
    code: Option<(String, String)>,
    /// For each open link where it leads to, when it may.
    links: Vec<Option<String>>,
    /// The images that are open: what is in them is shown, without marks.
    images: usize,
    /// The HTML that was just read.
    html: String,
    table: Vec<Alignment>,
    in_cell: bool,
    in_heading: bool,
}

impl Writer {
    fn event(&mut self, event: Event<'_>) {
        // A block of HTML comes line by line.
        if !matches!(event, Event::Html(_) | Event::InlineHtml(_)) {
            self.put_html();
        }
        match event {
            Event::Start(tag) => self.start(tag),
            Event::End(tag) => self.end(tag),
            Event::Text(text) => self.text(&text),
            Event::Code(code) => self.code_span(&code),
            Event::SoftBreak | Event::HardBreak if self.in_cell || self.in_heading => {
                self.out.push(' ');
            }
            Event::SoftBreak => self.new_line(),
            Event::HardBreak => {
                self.mark("\\");
                self.new_line();
            }
            Event::Rule if self.form == Form::Plain => self.due = 3,
            Event::Rule => {
                self.block(2);
                self.mark("---");
                self.due = 2;
            }
            Event::TaskListMarker(done) => self.out.push_str(if done { "[x] " } else { "[ ] " }),
            Event::Html(html) | Event::InlineHtml(html) => self.html.push_str(&html),
            // No such Markdown is parsed.
            Event::FootnoteReference(_) | Event::InlineMath(_) | Event::DisplayMath(_) => {}
        }
    }

    fn start(&mut self, tag: Tag<'_>) {
        match tag {
            Tag::Paragraph => self.block(2),
            Tag::Heading { level, .. } => {
                self.block(2);
                self.in_heading = true;
                self.mark(hashes(level));
            }
            Tag::BlockQuote(_) => {
                self.block(2);
                self.open(if self.form == Form::Markdown { "> " } else { "  " }, true);
            }
            Tag::CodeBlock(kind) => {
                self.block(2);
                let info = match kind {
                    CodeBlockKind::Fenced(info) => info.to_string(),
                    CodeBlockKind::Indented => String::new(),
                };
                let is_word = |c: &char| c.is_ascii_alphanumeric() || "+-_.#".contains(*c);
                self.code = Some((info.chars().take_while(is_word).collect(), String::new()));
            }
            Tag::List(first) => self.lists.push(first),
            Tag::Item => self.item(),
            Tag::Table(alignments) => self.table = alignments,
            Tag::TableHead | Tag::TableRow => {
                self.block(1);
                self.mark("|");
            }
            Tag::TableCell => {
                self.in_cell = true;
                self.out.push(' ');
            }
            Tag::Emphasis => self.mark("*"),
            Tag::Strong => self.mark("**"),
            Tag::Strikethrough => self.mark("~~"),
            Tag::Link { dest_url, .. } => {
                let is_shown = self.images == 0 && is_safe(&dest_url);
                self.links.push(is_shown.then(|| dest_url.to_string()));
                if is_shown {
                    self.mark("[");
                }
            }
            Tag::Image { .. } => self.images += 1,
            Tag::HtmlBlock => self.in_html = true,
            _ => {}
        }
    }

    fn end(&mut self, tag: TagEnd) {
        match tag {
            TagEnd::Paragraph => self.due = 2,
            TagEnd::Heading(_) => {
                self.in_heading = false;
                self.due = 2;
            }
            TagEnd::BlockQuote(_) => {
                self.close();
                self.due = 2;
            }
            TagEnd::CodeBlock => self.code_block(),
            TagEnd::List(_) => {
                self.lists.pop();
                self.due = if self.lists.is_empty() { 2 } else { 1 };
            }
            TagEnd::Item => {
                self.close();
                self.due = self.due.max(1);
            }
            TagEnd::Table => self.due = 2,
            TagEnd::TableHead => {
                let rules = self.table.iter().map(|alignment| match alignment {
                    Alignment::None => " --- |",
                    Alignment::Left => " :--- |",
                    Alignment::Center => " :---: |",
                    Alignment::Right => " ---: |",
                });
                let rules: String = rules.collect();
                if self.form == Form::Markdown {
                    self.new_line();
                    let _ = write!(self.out, "|{rules}");
                }
                self.due = 1;
            }
            TagEnd::TableRow => self.due = 1,
            TagEnd::TableCell => {
                self.in_cell = false;
                self.out.push_str(if self.form == Form::Markdown { " |" } else { "  " });
            }
            TagEnd::Emphasis => self.mark("*"),
            TagEnd::Strong => self.mark("**"),
            TagEnd::Strikethrough => self.mark("~~"),
            TagEnd::Link => {
                if let Some(Some(address)) = self.links.pop() {
                    let _ = match self.form {
                        Form::Markdown => write!(self.out, "]({})", encoded(&address)),
                        Form::Plain => write!(self.out, " ({address})"),
                    };
                }
            }
            TagEnd::Image => self.images = self.images.saturating_sub(1),
            TagEnd::HtmlBlock => self.in_html = false,
            _ => {}
        }
    }

    /// Shows HTML as text, but for comments.
    fn put_html(&mut self) {
        let html = std::mem::take(&mut self.html);
        let mut rest = html.trim_end();
        let mut shown = String::new();
        while let Some((before, comment)) = rest.split_once("<!--") {
            shown.push_str(before);
            rest = comment.split_once("-->").map_or("", |(_, after)| after);
        }
        shown.push_str(rest);
        let lines = shown.lines().filter(|line| !line.trim().is_empty());
        for (at, line) in lines.enumerate() {
            match (at, self.in_html) {
                (0, true) => self.block(2),
                (0, false) => {}
                _ => self.new_line(),
            }
            self.text(if at == 0 && !self.in_html { line } else { line.trim_start() });
            self.due = if self.in_html { 2 } else { 0 };
        }
    }

    fn item(&mut self) {
        self.block(1);
        let number = self.lists.last_mut().and_then(Option::as_mut).map(|number| {
            *number += 1;
            *number - 1
        });
        let mark = number.map_or_else(|| "- ".to_owned(), |number| format!("{number}. "));
        // Deeper than nine digits no list counts.
        const INDENT: &str = "            ";
        let is_open = self.open(&INDENT[..mark.len().min(INDENT.len())], false);
        if is_open {
            self.out.push_str(&mark);
            self.start = self.out.len();
        }
    }

    /// Begins a block on a line of its own, `least` line breaks after a block before it.
    fn block(&mut self, least: usize) {
        if self.out.len() > self.start {
            let breaks = if self.due == 0 { 1 } else { self.due.max(least) };
            (0..breaks).for_each(|_| self.new_line());
        }
        self.due = 0;
    }

    fn new_line(&mut self) {
        let end = self.out.trim_end_matches(' ').len();
        self.out.truncate(end);
        self.begin_line();
    }

    fn begin_line(&mut self) {
        self.out.push('\n');
        for part in &self.prefix {
            self.out.push_str(part);
        }
    }

    /// Opens a quote or an item, whose lines begin with `part`; whether it is shown as one.
    fn open(&mut self, part: &'static str, is_written: bool) -> bool {
        let is_shown = self.prefix.len() < MAX_DEPTH;
        self.prefix.push(if is_shown { part } else { "" });
        if is_shown && is_written {
            self.out.push_str(part);
        }
        self.start = self.out.len();
        is_shown
    }

    /// Closes a quote or an item. What follows begins on a line of its own, also after an empty one.
    fn close(&mut self) {
        self.prefix.pop();
        self.start = 0;
    }

    /// A mark of Markdown.
    fn mark(&mut self, mark: &str) {
        if self.form == Form::Markdown && self.images == 0 {
            self.out.push_str(mark);
        }
    }

    fn text(&mut self, text: &str) {
        if let Some((_, code)) = &mut self.code {
            code.push_str(text);
        } else if self.form == Form::Plain {
            self.out.push_str(&super::line(text));
        } else {
            let line = self.out.rfind('\n').map_or(0, |at| at + 1);
            let begins = !self.out[line..].contains(|c: char| !matches!(c, ' ' | '>' | '-'));
            literal(&mut self.out, &super::line(text), begins);
        }
    }

    fn code_span(&mut self, code: &str) {
        let code = super::line(code);
        if self.form == Form::Plain || self.images > 0 {
            return self.text(&code);
        }
        let ticks = "`".repeat(longest_run(&code, '`') + 1);
        let blank = code.chars().all(|c| c == ' ');
        let edge = |c: char| matches!(c, '`' | ' ');
        let pad = if !blank && (code.starts_with(edge) || code.ends_with(edge)) { " " } else { "" };
        let code = if self.in_cell { code.replace('|', "\\|") } else { code.into_owned() };
        let _ = write!(self.out, "{ticks}{pad}{code}{pad}{ticks}");
    }

    fn code_block(&mut self) {
        let Some((info, text)) = self.code.take() else { return };
        let text = super::lines(&text);
        let fence = "`".repeat(longest_run(&text, '`').max(2) + 1);
        if self.form == Form::Markdown {
            let _ = write!(self.out, "{fence}{info}");
        }
        for (at, line) in text.lines().enumerate() {
            if self.form == Form::Markdown || at > 0 {
                self.begin_line();
            }
            self.out.push_str(if self.form == Form::Plain { "    " } else { "" });
            self.out.push_str(line);
        }
        if self.form == Form::Markdown {
            self.begin_line();
            self.out.push_str(&fence);
        }
        self.due = 2;
    }
}

fn hashes(level: HeadingLevel) -> &'static str {
    match level {
        HeadingLevel::H1 => "# ",
        HeadingLevel::H2 => "## ",
        HeadingLevel::H3 => "### ",
        HeadingLevel::H4 => "#### ",
        HeadingLevel::H5 => "##### ",
        HeadingLevel::H6 => "###### ",
    }
}

/// How many of `c` stand behind one another at most.
fn longest_run(text: &str, c: char) -> usize {
    text.split(|other| other != c).map(str::len).max().unwrap_or_default()
}

#[cfg(test)]
mod tests;
