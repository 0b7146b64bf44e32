//! Sanitizes Markdown from a repository for any renderer: no HTML, no images, and links only to web
//! pages, mail addresses or relative files.
//!
//! The Markdown is parsed and written again with all markup in its text escaped, so that the result
//! does not depend on how a renderer parses Markdown.

use super::{is_hidden, push};
use pulldown_cmark::{
    Alignment, CodeBlockKind, Event, HeadingLevel, Options, Parser, Tag, TagEnd, TextMergeStream,
};
use std::fmt::Write as _;

/// Maximum number of bytes read; longer text is truncated.
const MAX_BYTES: usize = 256 * 1024;
/// Maximum nesting of quotes and lists; deeper quotes and lists lose their markers.
const MAX_DEPTH: usize = 12;

/// Sanitizes a document. Headings, lists, tables, code and safe links are retained, HTML is shown
/// as text, HTML comments are removed, and images are replaced by their alternative text.
#[must_use]
pub fn page(markdown: &str) -> String {
    render(markdown, OutputFormat::Markdown)
}

/// Converts a document to plain text: no markup, code indented, links as `words (address)`.
#[must_use]
pub fn plain(markdown: &str) -> String {
    render(markdown, OutputFormat::Plain)
}

/// Escapes a message; only code in backticks is formatted.
#[must_use]
pub fn message(text: &str) -> String {
    let text = &*super::lines(truncated(text));
    let mut out = String::with_capacity(text.len() + 8);
    let mut from = 0;
    for (event, range) in Parser::new_ext(text, Options::empty()).into_offset_iter() {
        let Event::Code(_) = event else { continue };
        // In a code span over several lines, a line that starts a block would split the span.
        if range.start >= from && !text[range.clone()].contains('\n') {
            push_literal(&mut out, &text[from..range.start], from == 0);
            out.push_str(&text[range.clone()]);
            from = range.end;
        }
    }
    push_literal(&mut out, &text[from..], from == 0);
    out
}

/// Escapes a text so that it is shown literally.
#[must_use]
pub fn words(text: &str) -> String {
    let mut out = String::with_capacity(text.len() + 8);
    push_literal(&mut out, text, true);
    out
}

/// A link to an address that aidd itself supplies; the text is literal.
#[must_use]
pub fn link(words: &str, address: &str) -> String {
    let mut out = "[".to_owned();
    push_literal(&mut out, words, false);
    let _ = write!(out, "]({})", encoded(address));
    out
}

/// Appends `text`, escaping characters where necessary. `at_start` is whether the text is at the
/// start of a line.
fn push_literal(out: &mut String, text: &str, mut at_start: bool) {
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
            // A closing sequence of a heading is preceded by a space.
            '#' => !is_word(out.chars().next_back()),
            '.' | ')' => in_number || at_start,
            c => at_start && c.is_ascii_punctuation(),
        };
        in_number = (at_start || in_number) && c.is_ascii_digit();
        at_start = c == '\n' || at_start && c == ' ';
        // The backslash itself is also displayed.
        if is_mark || is_hidden(c) && c != '\n' {
            out.push('\\');
        }
        if c == '\n' { out.push(c) } else { push(out, c) }
    }
}

/// Whether a link to `address` is allowed: a web page, a mail address, an `aidd:` page, or a
/// relative path.
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

/// Encodes an address for use in the parentheses of a link.
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

fn truncated(text: &str) -> &str {
    &text[..text.floor_char_boundary(MAX_BYTES)]
}

#[derive(Clone, Copy, Default, PartialEq, Eq)]
enum OutputFormat {
    #[default]
    Markdown,
    Plain,
}

fn render(markdown: &str, format: OutputFormat) -> String {
    let text = truncated(markdown).replace("\r\n", "\n");
    let options =
        Options::ENABLE_TABLES | Options::ENABLE_STRIKETHROUGH | Options::ENABLE_TASKLISTS;
    let mut writer = Writer { format, ..Writer::default() };
    for event in TextMergeStream::new(Parser::new_ext(&text, options)) {
        writer.write_event(event);
    }
    if truncated(markdown).len() < markdown.len() {
        writer.start_block(2);
        writer.out.push('…');
    }
    writer.out.trim_end().to_owned()
}

#[derive(Default)]
struct Writer {
    format: OutputFormat,
    out: String,
    /// The parts that every line starts with: quote markers and list indentation.
    prefix: Vec<&'static str>,
    /// The open lists; for an ordered list, its next number.
    lists: Vec<Option<u64>>,
    /// The number of line breaks to write before the next block.
    pending_breaks: usize,
    /// The byte offset in the output where the content of the innermost quote or item starts.
    content_start: usize,
    in_html: bool,
    /// The open code block: its language and its text so far.
    code: Option<(String, String)>,
    /// The target of each open link, if it is allowed.
    links: Vec<Option<String>>,
    /// The number of open images; their content is written without markup.
    images: usize,
    /// The HTML that was read but not yet written.
    html: String,
    table: Vec<Alignment>,
    in_cell: bool,
    in_heading: bool,
}

impl Writer {
    fn write_event(&mut self, event: Event<'_>) {
        // The parser returns a block of HTML line by line.
        if !matches!(event, Event::Html(_) | Event::InlineHtml(_)) {
            self.write_html();
        }
        match event {
            Event::Start(tag) => self.start_tag(tag),
            Event::End(tag) => self.end_tag(tag),
            Event::Text(text) => self.write_text(&text),
            Event::Code(code) => self.write_code_span(&code),
            Event::SoftBreak | Event::HardBreak if self.in_cell || self.in_heading => {
                self.out.push(' ');
            }
            Event::SoftBreak => self.start_line(),
            Event::HardBreak => {
                self.write_marker("\\");
                self.start_line();
            }
            Event::Rule if self.format == OutputFormat::Plain => self.pending_breaks = 3,
            Event::Rule => {
                self.start_block(2);
                self.write_marker("---");
                self.pending_breaks = 2;
            }
            Event::TaskListMarker(done) => self.out.push_str(if done { "[x] " } else { "[ ] " }),
            Event::Html(html) | Event::InlineHtml(html) => self.html.push_str(&html),
            // These extensions are not enabled.
            Event::FootnoteReference(_) | Event::InlineMath(_) | Event::DisplayMath(_) => {}
        }
    }

    fn start_tag(&mut self, tag: Tag<'_>) {
        match tag {
            Tag::Paragraph => self.start_block(2),
            Tag::Heading { level, .. } => {
                self.start_block(2);
                self.in_heading = true;
                self.write_marker(hashes(level));
            }
            Tag::BlockQuote(_) => {
                self.start_block(2);
                self.open(if self.format == OutputFormat::Markdown { "> " } else { "  " }, true);
            }
            Tag::CodeBlock(kind) => {
                self.start_block(2);
                let info = match kind {
                    CodeBlockKind::Fenced(info) => info.to_string(),
                    CodeBlockKind::Indented => String::new(),
                };
                let is_word = |c: &char| c.is_ascii_alphanumeric() || "+-_.#".contains(*c);
                self.code = Some((info.chars().take_while(is_word).collect(), String::new()));
            }
            Tag::List(first) => self.lists.push(first),
            Tag::Item => self.write_item_marker(),
            Tag::Table(alignments) => self.table = alignments,
            Tag::TableHead | Tag::TableRow => {
                self.start_block(1);
                self.write_marker("|");
            }
            Tag::TableCell => {
                self.in_cell = true;
                self.out.push(' ');
            }
            Tag::Emphasis => self.write_marker("*"),
            Tag::Strong => self.write_marker("**"),
            Tag::Strikethrough => self.write_marker("~~"),
            Tag::Link { dest_url, .. } => {
                let is_shown = self.images == 0 && is_safe(&dest_url);
                self.links.push(is_shown.then(|| dest_url.to_string()));
                if is_shown {
                    self.write_marker("[");
                }
            }
            Tag::Image { .. } => self.images += 1,
            Tag::HtmlBlock => self.in_html = true,
            _ => {}
        }
    }

    fn end_tag(&mut self, tag: TagEnd) {
        match tag {
            TagEnd::Paragraph => self.pending_breaks = 2,
            TagEnd::Heading(_) => {
                self.in_heading = false;
                self.pending_breaks = 2;
            }
            TagEnd::BlockQuote(_) => {
                self.close();
                self.pending_breaks = 2;
            }
            TagEnd::CodeBlock => self.write_code_block(),
            TagEnd::List(_) => {
                self.lists.pop();
                self.pending_breaks = if self.lists.is_empty() { 2 } else { 1 };
            }
            TagEnd::Item => {
                self.close();
                self.pending_breaks = self.pending_breaks.max(1);
            }
            TagEnd::Table => self.pending_breaks = 2,
            TagEnd::TableHead => {
                let rules = self.table.iter().map(|alignment| match alignment {
                    Alignment::None => " --- |",
                    Alignment::Left => " :--- |",
                    Alignment::Center => " :---: |",
                    Alignment::Right => " ---: |",
                });
                let rules: String = rules.collect();
                if self.format == OutputFormat::Markdown {
                    self.start_line();
                    let _ = write!(self.out, "|{rules}");
                }
                self.pending_breaks = 1;
            }
            TagEnd::TableRow => self.pending_breaks = 1,
            TagEnd::TableCell => {
                self.in_cell = false;
                self.out.push_str(if self.format == OutputFormat::Markdown { " |" } else { "  " });
            }
            TagEnd::Emphasis => self.write_marker("*"),
            TagEnd::Strong => self.write_marker("**"),
            TagEnd::Strikethrough => self.write_marker("~~"),
            TagEnd::Link => {
                if let Some(Some(address)) = self.links.pop() {
                    let _ = match self.format {
                        OutputFormat::Markdown => write!(self.out, "]({})", encoded(&address)),
                        OutputFormat::Plain => write!(self.out, " ({address})"),
                    };
                }
            }
            TagEnd::Image => self.images = self.images.saturating_sub(1),
            TagEnd::HtmlBlock => self.in_html = false,
            _ => {}
        }
    }

    /// Writes the collected HTML as text, without HTML comments.
    fn write_html(&mut self) {
        let html = std::mem::take(&mut self.html);
        let mut rest = html.trim_end();
        let mut without_comments = String::new();
        while let Some((before, comment)) = rest.split_once("<!--") {
            without_comments.push_str(before);
            rest = comment.split_once("-->").map_or("", |(_, after)| after);
        }
        without_comments.push_str(rest);
        let lines = without_comments.lines().filter(|line| !line.trim().is_empty());
        for (at, line) in lines.enumerate() {
            match (at, self.in_html) {
                (0, true) => self.start_block(2),
                (0, false) => {}
                _ => self.start_line(),
            }
            self.write_text(if at == 0 && !self.in_html { line } else { line.trim_start() });
            self.pending_breaks = if self.in_html { 2 } else { 0 };
        }
    }

    fn write_item_marker(&mut self) {
        self.start_block(1);
        let number = self.lists.last_mut().and_then(Option::as_mut).map(|number| {
            *number += 1;
            *number - 1
        });
        let mark = number.map_or_else(|| "- ".to_owned(), |number| format!("{number}. "));
        // List numbers have at most nine digits.
        const INDENT: &str = "            ";
        let is_open = self.open(&INDENT[..mark.len().min(INDENT.len())], false);
        if is_open {
            self.out.push_str(&mark);
            self.content_start = self.out.len();
        }
    }

    /// Starts a block on its own line, at least `min_breaks` line breaks after the previous block.
    fn start_block(&mut self, min_breaks: usize) {
        if self.out.len() > self.content_start {
            let breaks =
                if self.pending_breaks == 0 { 1 } else { self.pending_breaks.max(min_breaks) };
            (0..breaks).for_each(|_| self.start_line());
        }
        self.pending_breaks = 0;
    }

    fn start_line(&mut self) {
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

    /// Opens a quote or an item whose lines start with `part`. Returns `false` if it is nested too
    /// deeply to be displayed as a quote or item.
    fn open(&mut self, part: &'static str, is_written: bool) -> bool {
        let is_shown = self.prefix.len() < MAX_DEPTH;
        self.prefix.push(if is_shown { part } else { "" });
        if is_shown && is_written {
            self.out.push_str(part);
        }
        self.content_start = self.out.len();
        is_shown
    }

    /// Closes a quote or an item. The following text starts on a new line, even after an empty
    /// item.
    fn close(&mut self) {
        self.prefix.pop();
        self.content_start = 0;
    }

    /// Writes a Markdown marker.
    fn write_marker(&mut self, mark: &str) {
        if self.format == OutputFormat::Markdown && self.images == 0 {
            self.out.push_str(mark);
        }
    }

    fn write_text(&mut self, text: &str) {
        if let Some((_, code)) = &mut self.code {
            code.push_str(text);
        } else if self.format == OutputFormat::Plain {
            self.out.push_str(&super::line(text));
        } else {
            let line = self.out.rfind('\n').map_or(0, |at| at + 1);
            let is_at_start = !self.out[line..].contains(|c: char| !matches!(c, ' ' | '>' | '-'));
            push_literal(&mut self.out, &super::line(text), is_at_start);
        }
    }

    fn write_code_span(&mut self, code: &str) {
        let code = super::line(code);
        if self.format == OutputFormat::Plain || self.images > 0 {
            return self.write_text(&code);
        }
        let ticks = "`".repeat(longest_run(&code, '`') + 1);
        let is_blank = code.chars().all(|c| c == ' ');
        let needs_padding = |c: char| matches!(c, '`' | ' ');
        let pad = if !is_blank && (code.starts_with(needs_padding) || code.ends_with(needs_padding))
        {
            " "
        } else {
            ""
        };
        let code = if self.in_cell { code.replace('|', "\\|") } else { code.into_owned() };
        let _ = write!(self.out, "{ticks}{pad}{code}{pad}{ticks}");
    }

    fn write_code_block(&mut self) {
        let Some((info, text)) = self.code.take() else { return };
        let text = super::lines(&text);
        let fence = "`".repeat(longest_run(&text, '`').max(2) + 1);
        if self.format == OutputFormat::Markdown {
            let _ = write!(self.out, "{fence}{info}");
        }
        for (at, line) in text.lines().enumerate() {
            if self.format == OutputFormat::Markdown || at > 0 {
                self.begin_line();
            }
            self.out.push_str(if self.format == OutputFormat::Plain { "    " } else { "" });
            self.out.push_str(line);
        }
        if self.format == OutputFormat::Markdown {
            self.begin_line();
            self.out.push_str(&fence);
        }
        self.pending_breaks = 2;
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

/// The length of the longest run of `c`.
fn longest_run(text: &str, c: char) -> usize {
    text.split(|other| other != c).map(str::len).max().unwrap_or_default()
}

#[cfg(test)]
mod tests;
