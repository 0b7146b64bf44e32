//! A parsed knowledge entry: its header, sections, tables and links.

use aidd_engine::parse::tree::{Node, Tree};
use aidd_engine::parse::yaml;
use aidd_engine::text::source::{Source, Span};
use aidd_page as page;
use pulldown_cmark::{Event, HeadingLevel, Options, Parser, Tag, TagEnd};
use serde_json::Value;

/// A heading of an entry, with its level.
pub(super) struct Heading {
    pub(super) level: HeadingLevel,
    pub(super) text: String,
    pub(super) span: Span,
}

/// A cell of a table.
pub(super) struct Cell {
    pub(super) text: String,
    /// The addresses of links in the cell.
    pub(super) links: Vec<String>,
    pub(super) span: Span,
}

/// A table; the first row is its header row.
pub(super) struct Table {
    pub(super) rows: Vec<Vec<Cell>>,
    pub(super) span: Span,
}

/// The result of parsing a header.
pub(super) enum Header {
    /// The header is missing or invalid: the message and its location.
    Broken(String, Span),
    /// The keys of the header, and the offset of the header in the file.
    Read(Tree, usize),
}

/// A knowledge entry.
pub(super) struct Entry {
    pub(super) header: Header,
    pub(super) headings: Vec<Heading>,
    pub(super) tables: Vec<Table>,
    /// Addresses of links and images, with their spans.
    pub(super) links: Vec<(String, Span)>,
    /// Paragraphs, list items and cells: text outside code.
    pub(super) prose: Vec<Span>,
}

impl Entry {
    pub(super) fn parse(source: &Source) -> Self {
        let text = source.text();
        let body = page::split(text).map_or(0, |(_, body)| body.start);
        let mut entry = Self {
            header: header(text),
            headings: Vec::new(),
            tables: Vec::new(),
            links: Vec::new(),
            prose: Vec::new(),
        };
        Reader::default().read(text, body, &mut entry);
        entry
    }

    /// A value of the header with its span; `None` if it is missing or not a string.
    pub(super) fn field(&self, name: &str) -> Option<(&str, Span)> {
        let Header::Read(tree, base) = &self.header else { return None };
        let node = key(tree, name)?;
        Some((node.value.as_deref()?, node.span.shift(*base)))
    }

    /// The strings of a list in the header.
    pub(super) fn list(&self, name: &str) -> Vec<&str> {
        let Header::Read(tree, _) = &self.header else { return Vec::new() };
        let Some(node) = key(tree, name) else { return Vec::new() };
        let items = node.children.iter().filter_map(|&at| tree.nodes.get(at));
        items.filter_map(|item| item.value.as_deref()).collect()
    }

    /// The keys of the header.
    pub(super) fn keys(&self) -> Vec<&str> {
        let Header::Read(tree, _) = &self.header else { return Vec::new() };
        mapping_nodes(tree).map(|node| &*node.key).collect()
    }

    /// The span at which findings on the whole entry are reported: the title, or the first line.
    pub(super) fn title(&self, source: &Source) -> Span {
        let title = self.headings.iter().find(|heading| heading.level == HeadingLevel::H1);
        title.map_or_else(|| source.line_span(0), |heading| heading.span)
    }

    /// The sections of the second level.
    pub(super) fn sections(&self) -> impl Iterator<Item = (usize, &Heading)> {
        let headings = self.headings.iter().enumerate();
        headings.filter(|(_, heading)| heading.level == HeadingLevel::H2)
    }

    /// The heading of a section, and the extent of the section up to the next heading of its level
    /// or a higher level.
    pub(super) fn section(&self, name: &str) -> Option<(&Heading, Span)> {
        let (index, heading) =
            self.sections().find(|(_, heading)| heading.text.eq_ignore_ascii_case(name))?;
        let mut rest = self.headings.iter().skip(index + 1);
        let next = rest.find(|heading| heading.level <= HeadingLevel::H2);
        let next = next.map(|heading| heading.span.start);
        let end = next.unwrap_or(u32::MAX);
        Some((heading, Span { start: heading.span.end, end }))
    }

    /// The first table of a section.
    pub(super) fn table(&self, section: Span) -> Option<&Table> {
        self.tables.iter().find(|table| section.contains(table.span))
    }
}

impl Table {
    /// The column whose header contains `word`.
    pub(super) fn column(&self, word: &str) -> Option<usize> {
        self.rows.first()?.iter().position(|cell| cell.text.to_lowercase().contains(word))
    }

    /// The rows below the header row.
    pub(super) fn body(&self) -> &[Vec<Cell>] {
        self.rows.get(1..).unwrap_or_default()
    }
}

/// The nodes of the header's mapping.
fn mapping_nodes(tree: &Tree) -> impl Iterator<Item = &Node> {
    let document = tree.nodes.first().and_then(|root| root.children.first());
    let mapping = document.and_then(|&at| tree.nodes.get(at));
    mapping.into_iter().flat_map(|node| &node.children).filter_map(|&at| tree.nodes.get(at))
}

fn key<'t>(tree: &'t Tree, name: &str) -> Option<&'t Node> {
    mapping_nodes(tree).find(|node| node.key == name)
}

fn header(text: &str) -> Header {
    let first = Span::new(0, text.lines().next().map_or(0, str::len));
    if !page::has_header(text) {
        return Header::Broken("missing header between `---` lines".to_owned(), first);
    }
    let range = match page::split(text) {
        Ok((range, _)) => range,
        Err(error) => return Header::Broken(error.message, first),
    };
    let yaml = &text[range.clone()];
    match serde_saphyr::from_str::<Value>(yaml) {
        Ok(Value::Object(_)) => Header::Read(yaml::parse(yaml), range.start),
        Ok(_) => Header::Broken("the header contains no keys".to_owned(), first),
        Err(error) => {
            let error = error.without_snippet();
            let line = error.location().map_or(1, |at| at.line());
            let line = usize::try_from(line).unwrap_or(1).max(1) - 1;
            let before: usize = yaml.split_inclusive('\n').take(line).map(str::len).sum();
            let length =
                yaml.get(before..).and_then(|rest| rest.lines().next()).map_or(0, str::len);
            let start = (range.start + before).min(range.end);
            let reason = error.to_string();
            let reason = reason.lines().next().unwrap_or_default();
            let message = format!("invalid YAML in the header: {reason}");
            Header::Broken(message, Span::new(start, (start + length).min(range.end)))
        }
    }
}

/// State while Markdown is parsed.
#[derive(Default)]
struct Reader {
    heading: Option<Heading>,
    table: Option<Table>,
    cell: Option<Cell>,
    in_code: bool,
}

impl Reader {
    fn read(mut self, text: &str, base: usize, entry: &mut Entry) {
        let markdown = text.get(base..).unwrap_or_default();
        for (event, range) in Parser::new_ext(markdown, Options::ENABLE_TABLES).into_offset_iter() {
            let span = Span::from(range).shift(base);
            match event {
                Event::Start(tag) => self.start(&tag, span, entry),
                Event::End(tag) => self.end(tag, entry),
                Event::Text(part) => self.push_text(&part, span, entry),
                Event::Code(part) => {
                    for open in [
                        self.heading.as_mut().map(|heading| &mut heading.text),
                        self.cell.as_mut().map(|cell| &mut cell.text),
                    ] {
                        open.into_iter().for_each(|open| open.push_str(&part));
                    }
                }
                _ => {}
            }
        }
    }

    fn start(&mut self, tag: &Tag<'_>, span: Span, entry: &mut Entry) {
        match tag {
            Tag::Heading { level, .. } => {
                self.heading = Some(Heading { level: *level, text: String::new(), span });
            }
            Tag::Table(_) => self.table = Some(Table { rows: Vec::new(), span }),
            Tag::TableHead | Tag::TableRow => {
                if let Some(table) = &mut self.table {
                    table.rows.push(Vec::new());
                }
            }
            Tag::TableCell => {
                self.cell = Some(Cell { text: String::new(), links: Vec::new(), span });
            }
            Tag::Link { dest_url, .. } | Tag::Image { dest_url, .. } => {
                if let Some(cell) = &mut self.cell {
                    cell.links.push(dest_url.to_string());
                }
                entry.links.push((dest_url.to_string(), span));
            }
            Tag::CodeBlock(_) => self.in_code = true,
            _ => {}
        }
    }

    fn end(&mut self, tag: TagEnd, entry: &mut Entry) {
        match tag {
            TagEnd::Heading(_) => {
                if let Some(mut heading) = self.heading.take() {
                    heading.text = heading.text.trim().to_owned();
                    entry.headings.push(heading);
                }
            }
            TagEnd::Table => entry.tables.extend(self.table.take()),
            TagEnd::TableCell => {
                if let (Some(cell), Some(table)) = (self.cell.take(), &mut self.table)
                    && let Some(row) = table.rows.last_mut()
                {
                    row.push(cell);
                }
            }
            TagEnd::CodeBlock => self.in_code = false,
            _ => {}
        }
    }

    fn push_text(&mut self, part: &str, span: Span, entry: &mut Entry) {
        if self.in_code {
            return;
        }
        if let Some(heading) = &mut self.heading {
            heading.text.push_str(part);
        } else {
            entry.prose.push(span);
        }
        if let Some(cell) = &mut self.cell {
            cell.text.push_str(part);
        }
    }
}
