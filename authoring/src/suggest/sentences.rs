//! The sentences of a Markdown file that demand something.

use super::hedges::is_turned;
use super::korean::{demands, english, forbidden, is_code, is_korean};
use aidd_engine::text::source::{Source, Span};
use aidd_page as page;
use pulldown_cmark::{Event, Options, Parser, Tag, TagEnd};
use regex::{Captures, Regex};
use std::sync::LazyLock;

/// What stands before and after the rules that `aidd rule export` tells: they have their checks.
pub const EXPORTED: (&str, &str) = ("<!-- aidd:rules -->", "<!-- /aidd:rules -->");

/// Most characters of a sentence that are read: a longer one is a paragraph that nobody ended.
const LONGEST: usize = 600;

/// A sentence that demands something.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Sentence {
    /// Its words; what stands in backticks, or looks like code, is there as `«0»`, `«1»` ….
    pub shape: String,
    /// The same in English, with the slots of [`Sentence::shape`]; of a sentence in English the shape.
    pub english: String,
    /// What stands there, in order.
    pub code: Vec<String>,
    /// The nearest heading above.
    pub heading: String,
    /// Where it begins and ends in the file.
    pub span: Span,
}

impl Sentence {
    /// Its words as they are read.
    #[must_use]
    pub fn text(&self) -> String {
        self.filled(&self.shape)
    }

    /// Its words in English, as far as they could be read.
    #[must_use]
    pub fn reading(&self) -> String {
        self.filled(&self.english)
    }

    fn filled(&self, shape: &str) -> String {
        let fill = |found: &Captures<'_>| {
            let code = found[1].parse().ok().and_then(|number: usize| self.code.get(number));
            code.map_or_else(|| found[0].to_owned(), |code| format!("`{code}`"))
        };
        SLOT.replace_all(shape, fill).into_owned()
    }
}

static SLOT: LazyLock<Regex> = LazyLock::new(|| Regex::new(r"«(\d+)»").expect("an expression"));

/// RFC 2119, how people say the same, and imperatives at the beginning.
static DEMANDS: LazyLock<Regex> = LazyLock::new(|| {
    Regex::new(
        r"(?ix)
        \b(?:must|shall|should|never|always|do\ not|don't|may\ not|avoid|forbidden|prohibited|banned
           |not\ allowed|disallowed|instead\ of|prefer|required|at\ most|no\ more\ than|maximum|conventional\ commits
           |kebab-case|snake_case|camelcase|pascalcase|need\ to\ (?:be|have)|strict\ mode
           |over\ (?:interfaces?|types?|enums?|classes|default\ exports?))\b
        |^(?:[\w\ /«»-]{1,40}:\ )?(?:please\ )?
         (?:no|only|use|run|set|pin|keep|when(?:ever)?|every|each|all|write|add|put|name|follow|ensure|make\ sure
           |import|export|commit|document|test|return|handle|wrap|validate|check|update|place|store|treat
           |split|limit|require|format|lint|execute|before|after)\b
        |^[\w\ ]{0,40}\bonly\b",
    )
    .expect("an expression")
});

/// Words that look like code without backticks: calls, members, paths with an ending, hidden files.
static BARE: LazyLock<Regex> = LazyLock::new(|| {
    Regex::new(
        r"«(\d+)»|(?:[\w@.-]+/)+(?:\*\*?(?:\.\w+)?|[\w-]+\.\w{1,5}\b)|\b[A-Za-z_][\w.]*\(\)|\b[A-Za-z_]\w+(?:\.[A-Za-z_]\w+)+\b|(?:^|\s)\.env\b",
    )
    .expect("an expression")
});

/// The sentences of `source` that demand something, in order: not those in a header, in code, in
/// quotations, in tables, or among the rules that aidd exported.
#[must_use]
pub fn sentences(source: &Source) -> Vec<Sentence> {
    let text = source.text();
    let body = if page::has_header(text) {
        page::split(text).map_or(0, |(_, body)| body.start)
    } else {
        0
    };
    let mut reader = Reader::default();
    for (event, range) in
        Parser::new_ext(&text[body..], Options::ENABLE_TABLES | Options::ENABLE_TASKLISTS)
            .into_offset_iter()
    {
        reader.take(event, body + range.start, body + range.end);
    }
    reader.close();
    reader.found
}

#[derive(Default)]
struct Reader {
    found: Vec<Sentence>,
    heading: String,
    in_heading: bool,
    /// How many items of lists are open.
    items: usize,
    /// How many code blocks, quotations and tables are open.
    left_out: usize,
    is_exported: bool,
    shape: String,
    code: Vec<String>,
    start: Option<usize>,
    end: usize,
}

impl Reader {
    fn take(&mut self, event: Event<'_>, start: usize, end: usize) {
        match event {
            Event::Start(Tag::CodeBlock(_) | Tag::BlockQuote(_) | Tag::Table(_)) => {
                self.close();
                self.left_out += 1;
            }
            Event::End(TagEnd::CodeBlock | TagEnd::BlockQuote(_) | TagEnd::Table) => {
                self.left_out = self.left_out.saturating_sub(1);
            }
            Event::Html(html) | Event::InlineHtml(html) => {
                self.is_exported |= html.contains(EXPORTED.0);
                self.is_exported &= !html.contains(EXPORTED.1);
            }
            Event::Start(Tag::Heading { .. }) => {
                self.close();
                (self.in_heading, self.heading) = (true, String::new());
            }
            Event::End(TagEnd::Heading(_)) => self.in_heading = false,
            Event::Start(Tag::Item) => {
                self.close();
                self.items += 1;
            }
            Event::End(TagEnd::Item) => {
                self.close();
                self.items = self.items.saturating_sub(1);
            }
            Event::Start(Tag::Paragraph | Tag::List(_)) | Event::End(TagEnd::Paragraph) => {
                self.close();
            }
            _ if self.left_out > 0 || self.is_exported => {}
            Event::Text(text) | Event::Code(text) if self.in_heading => {
                self.heading.push_str(&text);
            }
            Event::Text(text) => self.text(&text, start),
            Event::Code(code) => {
                self.begin(start);
                self.shape.push_str(&format!("«{}»", self.code.len()));
                self.code.push(code.into_string());
                self.end = end;
            }
            Event::SoftBreak | Event::HardBreak if self.shape.ends_with(['.', '!', '?']) => {
                self.close();
            }
            Event::SoftBreak | Event::HardBreak => self.shape.push(' '),
            _ => {}
        }
    }

    fn begin(&mut self, at: usize) {
        self.start.get_or_insert(at);
    }

    /// Words, in which sentences may end.
    fn text(&mut self, text: &str, start: usize) {
        const SHORT: [&str; 4] = ["e.g", "i.e", "etc", "vs"];
        const AGAIN: [&str; 7] =
            ["never ", "avoid ", "do not ", "don't ", "always ", "no ", "must "];
        let mut from = 0;
        for (at, mark) in text.match_indices(['.', '!', '?', ';']) {
            let (before, after) = (&text[..at], &text[at + 1..]);
            let is_short = SHORT.iter().any(|word| before.ends_with(word));
            // What follows a semicolon belongs to what is before, unless it demands something else.
            let goes_on =
                mark == ";" && !AGAIN.iter().any(|word| after.trim_start().starts_with(word));
            if after.starts_with(' ') && !is_short && !goes_on {
                self.words(&text[from..=at], start + from);
                self.close();
                from = at + 1;
            }
        }
        self.words(&text[from..], start + from);
    }

    fn words(&mut self, text: &str, start: usize) {
        let blank = text.len() - text.trim_start().len();
        if self.start.is_none() && blank == text.len() {
            return;
        }
        self.begin(start + blank);
        let text = if self.shape.is_empty() { text.trim_start() } else { text };
        // What marks a slot is none where the page itself has it.
        self.shape.push_str(&text.replace(['«', '»'], "\""));
        self.end = start + blank + text.trim_end().len();
    }

    fn close(&mut self) {
        let shape = std::mem::take(&mut self.shape);
        let code = std::mem::take(&mut self.code);
        let Some(start) = self.start.take() else { return };
        let words = shape.split_whitespace().collect::<Vec<_>>().join(" ");
        let words = words.replace('\u{2019}', "'");
        let words = words.trim_end_matches([';', ',']);
        let shape: String = words.chars().take(LONGEST).collect();
        let is_turned = self.items > 0 && is_turned(&self.heading, &shape);
        let is_demand =
            is_turned || if is_korean(&shape) { demands(&shape) } else { DEMANDS.is_match(&shape) };
        // Words that end in a colon lead in to what follows.
        if is_demand && !shape.ends_with(':') {
            let (mut shape, code) = slotted(&shape, &code);
            let heading = self.heading.clone();
            let english = if !is_turned {
                english(&shape).unwrap_or_else(|| shape.clone())
            } else if is_korean(&shape) {
                forbidden(&shape).unwrap_or_else(|| shape.clone())
            } else {
                format!("never {}", lowered(&shape))
            };
            // Without its heading the item says the opposite.
            if is_turned {
                shape = format!("{}: {shape}", heading.trim());
            }
            let span = Span::new(start, self.end.max(start));
            self.found.push(Sentence { shape, english, code, heading, span });
        }
    }
}

/// The words with a small letter at their beginning.
fn lowered(words: &str) -> String {
    let mut letters = words.chars();
    letters.next().map_or(String::new(), |first| first.to_lowercase().chain(letters).collect())
}

/// Names of products that look like files: `Next.js`.
fn is_product(found: &str) -> bool {
    let known = [".js", ".io", ".net"].iter().any(|ending| found.to_lowercase().ends_with(ending));
    known && found.starts_with(char::is_uppercase) && found.matches('.').count() == 1
}

/// In a Korean sentence code is what is written in Latin letters.
static LATIN: LazyLock<Regex> = LazyLock::new(|| {
    Regex::new(
        r"«(\d+)»|!important\b|[@.#]?[A-Za-z_$](?:[A-Za-z0-9_$./@*!-]*[A-Za-z0-9_$*/!])?(?:\(\))?",
    )
    .expect("an expression")
});

/// Whether Latin letters stand for themselves: names of cases, managers of packages and the like.
fn bare_is_word(found: &str) -> bool {
    const MANAGERS: [&str; 4] = ["npm", "pnpm", "yarn", "bun"];
    let is_plain = found.chars().all(|c| c.is_ascii_alphabetic() || c == '-' || c == '_');
    is_plain && (MANAGERS.contains(&found) || !is_code(found))
}

/// Whether these are words in capitals with a slash between them.
fn is_marks(found: &str) -> bool {
    let is_mark = |part: &str| part.len() > 2 && part.bytes().all(|byte| byte.is_ascii_uppercase());
    found.contains('/') && found.split('/').all(is_mark)
}

/// The words with what looks like code put into slots as well, all numbered in order.
fn slotted(shape: &str, code: &[String]) -> (String, Vec<String>) {
    let mut codes: Vec<String> = Vec::new();
    let slot = |found: &Captures<'_>| {
        let whole = &found[0];
        let known = found.get(1).and_then(|number| number.as_str().parse().ok());
        let (blank, text) = match known.and_then(|number: usize| code.get(number)) {
            Some(code) => ("", code.clone()),
            None if found.get(1).is_some() => return String::new(),
            None if bare_is_word(whole) || is_product(whole.trim()) => return whole.to_owned(),
            // Marks with a slash between them are two: `TODO/FIXME`.
            None if is_marks(whole) => {
                let marks: Vec<String> = whole.split('/').map(str::to_owned).collect();
                let from = codes.len();
                codes.extend(marks);
                let slots: Vec<String> =
                    (from..codes.len()).map(|number| format!("«{number}»")).collect();
                return slots.join("/");
            }
            None => (&whole[..whole.len() - whole.trim_start().len()], whole.trim().to_owned()),
        };
        codes.push(text);
        format!("{blank}«{}»", codes.len() - 1)
    };
    let bare = if is_korean(shape) { &LATIN } else { &BARE };
    let shape = bare.replace_all(shape, slot).into_owned();
    (shape, codes)
}
