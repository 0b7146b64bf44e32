//! Reads translations of gettext.

use super::after_mark;
use crate::i18n::model::{Catalogue, DUPLICATE, Directives, Entry, Form, SYNTAX, SourceText};
use aidd_engine::text::source::Span;
use std::borrow::Cow;
use std::collections::HashMap;

/// Defects of the plural forms.
pub(super) const PLURALS: &str = "i18n/plural-forms";
/// Defects of the encoding.
const ENCODING: &str = "i18n/encoding";

/// The entry that is being read. Strings without escape sequences are parts of the file.
#[derive(Default)]
struct Pending<'t> {
    context: Option<(Cow<'t, str>, Span)>,
    id: Option<(Cow<'t, str>, Span)>,
    plural: Option<Cow<'t, str>>,
    forms: Vec<PendingForm<'t>>,
    flags: Flags,
}

/// A translation that is being read.
struct PendingForm<'t> {
    index: Option<usize>,
    value: Cow<'t, str>,
    span: Span,
}

#[derive(Clone, Copy, Default)]
struct Flags {
    fuzzy: bool,
    obsolete: bool,
    directives: Option<Directives>,
}

/// The part of an entry to which a continued string belongs.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Part {
    None,
    Context,
    Id,
    Plural,
    Form,
}

struct Reader<'t> {
    text: &'t str,
    catalogue: Catalogue,
    pending: Pending<'t>,
    part: Part,
    /// The span of the first entry with a plural.
    first_plural: Option<Span>,
    /// The entries without a source text.
    headers: Vec<Entry>,
}

/// Reads a file; `is_template` if it has no translations.
pub(super) fn read(text: &str, is_template: bool) -> Catalogue {
    let mut reader = Reader {
        text,
        catalogue: Catalogue { complete: true, ..Catalogue::default() },
        pending: Pending::default(),
        part: Part::None,
        first_plural: None,
        headers: Vec::new(),
    };
    let mut at = after_mark(text);
    for end in memchr::memchr_iter(b'\n', text.as_bytes()).chain([text.len()]) {
        let Some(content) = text.get(at..end) else { continue };
        let (start, line) = trim(content);
        reader.line(at + start, line);
        at = end + 1;
    }
    reader.finish();
    reader.check_header(is_template);
    reader.check_duplicates();
    reader.catalogue
}

/// The line without space around it, and where it starts.
fn trim(line: &str) -> (usize, &str) {
    let is_visible = |byte: Option<&u8>| byte.is_some_and(u8::is_ascii_graphic);
    // Most lines need no decoding of their first and last characters.
    if is_visible(line.as_bytes().first()) && is_visible(line.as_bytes().last()) {
        return (0, line);
    }
    let trimmed = line.trim_start();
    (line.len() - trimmed.len(), trimmed.trim_end())
}

/// Adds the text of a continuation line to its entry.
fn append<'t>(value: &mut Cow<'t, str>, more: Cow<'t, str>) {
    // The first string is usually empty if there are more.
    if value.is_empty() {
        *value = more;
    } else {
        value.to_mut().push_str(&more);
    }
}

impl PendingForm<'_> {
    fn finish(self) -> Form {
        let category = self.index.map(|index| index.to_string().into());
        Form { category, value: self.value.into_owned(), span: self.span }
    }
}

impl<'t> Reader<'t> {
    fn line(&mut self, at: usize, line: &'t str) {
        match line.as_bytes() {
            // As for msgfmt, empty lines do not end an entry.
            [] => {}
            [b'#', b'~', rest @ ..] if !rest.starts_with(b"|") => {
                let inner = line[2..].trim_start();
                if inner.starts_with("msgid") && !inner.starts_with("msgid_plural")
                    || inner.starts_with("msgctxt")
                {
                    self.start(inner.starts_with("msgctxt"));
                }
                self.pending.flags.obsolete = true;
                self.statement(at + line.len() - inner.len(), inner);
            }
            [b'#', b',', ..] => {
                self.finish_if_complete();
                self.flags(&line[2..]);
            }
            [b'#', ..] => self.finish_if_complete(),
            [b'"', ..] => {
                let (value, span) = self.string(at, line);
                self.extend(value, span, at);
            }
            _ => {
                if line.starts_with("msgctxt") {
                    self.start(true);
                } else if line.starts_with("msgid") && !line.starts_with("msgid_plural") {
                    self.start(false);
                }
                self.statement(at, line);
            }
        }
    }

    /// Starts an entry, unless its context was read.
    fn start(&mut self, has_context: bool) {
        self.finish_if_complete();
        if self.pending.id.is_some() || has_context && self.pending.context.is_some() {
            self.finish();
        }
    }

    fn finish_if_complete(&mut self) {
        if !self.pending.forms.is_empty() {
            self.finish();
        }
    }

    fn flags(&mut self, flags: &str) {
        for flag in flags.split([',', ' ']).filter(|flag| !flag.is_empty()) {
            let flags = &mut self.pending.flags;
            flags.fuzzy |= flag == "fuzzy";
            flags.directives = Directives::from_flag(flag).or(flags.directives);
        }
    }

    /// A line with a keyword and a string, or a continued string.
    fn statement(&mut self, at: usize, line: &'t str) {
        let Some(quote) = memchr::memchr(b'"', line.as_bytes()) else {
            let is_keyword = line.starts_with("msg");
            let message = if is_keyword { "missing string" } else { "unknown keyword" };
            self.error(Span::new(at, at + line.len()), message);
            return;
        };
        let keyword = line[..quote].trim_end();
        let (value, span) = self.string(at + quote, &line[quote..]);
        let index = keyword.strip_prefix("msgstr[").and_then(|rest| rest.strip_suffix(']'));
        match keyword {
            // Lines of obsolete entries have a mark before the string.
            "" => self.extend(value, span, at),
            "domain" => self.part = Part::None,
            "msgctxt" => {
                self.pending.context = Some((value, span));
                self.part = Part::Context;
            }
            "msgid" => {
                self.pending.id = Some((value, span));
                self.part = Part::Id;
            }
            "msgid_plural" => {
                self.pending.plural = Some(value);
                self.part = Part::Plural;
                if self.pending.id.is_none() {
                    self.error(Span::new(at, at + line.len()), "`msgid_plural` without `msgid`");
                }
            }
            "msgstr" if self.pending.plural.is_some() => {
                let keyword = Span::new(at, at + keyword.len());
                self.error(keyword, "an entry with `msgid_plural` needs `msgstr[0]`");
                self.part = Part::None;
            }
            "msgstr" => self.form(None, value, span, at),
            _ => match index.and_then(|index| index.trim().parse::<usize>().ok()) {
                Some(_) if self.pending.plural.is_none() => {
                    let keyword = Span::new(at, at + keyword.len());
                    self.error(keyword, "`msgstr[…]` in an entry without `msgid_plural`");
                }
                Some(index) => {
                    if index != self.pending.forms.len() {
                        let keyword = Span::new(at, at + keyword.len());
                        self.error(keyword, "plural forms are not in order");
                    }
                    self.form(Some(index), value, span, at);
                }
                None => self.error(Span::new(at, at + keyword.len().max(1)), "unknown keyword"),
            },
        }
    }

    fn form(&mut self, index: Option<usize>, value: Cow<'t, str>, span: Span, at: usize) {
        if self.pending.id.is_none() {
            self.error(Span::new(at, at + "msgstr".len()), "`msgstr` without `msgid`");
        } else if index.is_none() && !self.pending.forms.is_empty() {
            self.error(Span::new(at, at + "msgstr".len()), "second `msgstr` of an entry");
        }
        self.pending.forms.push(PendingForm { index, value, span });
        self.part = Part::Form;
    }

    fn extend(&mut self, more: Cow<'t, str>, span: Span, at: usize) {
        let pending = &mut self.pending;
        match self.part {
            Part::None => self.error(Span::at(at), "string without a keyword"),
            Part::Context => {
                if let Some((context, _)) = &mut pending.context {
                    append(context, more);
                }
            }
            Part::Id => {
                if let Some((id, own)) = &mut pending.id {
                    append(id, more);
                    *own = own.cover(span);
                }
            }
            Part::Plural => append(pending.plural.get_or_insert_default(), more),
            Part::Form => {
                if let Some(form) = pending.forms.last_mut() {
                    append(&mut form.value, more);
                    form.span = if form.span.is_empty() { span } else { form.span.cover(span) };
                }
            }
        }
    }

    /// The value of the string at `at`, and its span without quotes.
    fn string(&mut self, at: usize, text: &'t str) -> (Cow<'t, str>, Span) {
        let bytes = text.as_bytes();
        let mut value = Cow::Borrowed("");
        let (mut index, mut copied) = (1, 1);
        loop {
            match memchr::memchr2(b'"', b'\\', &bytes[index..]) {
                None => {
                    append(&mut value, Cow::Borrowed(&text[copied..]));
                    self.error(Span::new(at, at + text.len()), "string without closing quote");
                    return (value, Span::new(at + 1, at + text.len()));
                }
                Some(next) if bytes[index + next] == b'"' => {
                    let end = index + next;
                    append(&mut value, Cow::Borrowed(&text[copied..end]));
                    let rest = &text[end + 1..];
                    if !rest.trim().is_empty() {
                        let from = at + end + 1;
                        self.error(Span::new(from, from + rest.len()), "text after the string");
                    }
                    return (value, Span::new(at + 1, at + end));
                }
                Some(next) => {
                    let escape = index + next;
                    let value = value.to_mut();
                    value.reserve(text.len() - copied);
                    value.push_str(&text[copied..escape]);
                    let length = self.escape(at + escape, &text[escape..], value);
                    index = escape + length;
                    copied = index;
                }
            }
        }
    }

    /// Adds the character of an escape sequence; returns its length.
    fn escape(&mut self, at: usize, text: &str, value: &mut String) -> usize {
        let Some(next) = text[1..].chars().next() else { return 1 };
        let character = match next {
            'n' => '\n',
            't' => '\t',
            'r' => '\r',
            'b' => '\u{8}',
            'f' => '\u{c}',
            'v' => '\u{b}',
            'a' => '\u{7}',
            '"' | '\\' | '\'' | '?' => next,
            'x' | '0'..='7' => '\u{FFFD}',
            _ => {
                let span = Span::new(at, at + 1 + next.len_utf8());
                self.error(span, "invalid escape sequence");
                next
            }
        };
        value.push(character);
        1 + next.len_utf8()
    }

    fn error(&mut self, span: Span, message: &str) {
        self.catalogue.problem(SYNTAX, span, message);
        self.catalogue.complete = false;
    }

    fn finish(&mut self) {
        let pending = &mut self.pending;
        let flags = std::mem::take(&mut pending.flags);
        let (context, id) = (pending.context.take(), pending.id.take());
        let plural = pending.plural.take();
        // The vector keeps its memory for the next entry.
        let forms: Vec<Form> = pending.forms.drain(..).map(PendingForm::finish).collect();
        self.part = Part::None;
        let Some((id, span)) = id else {
            if let Some((_, span)) = context {
                self.error(span, "`msgctxt` without `msgid`");
            }
            return;
        };
        if forms.is_empty() {
            self.error(span, "`msgid` without `msgstr`");
        }
        // Obsolete entries are comments.
        if flags.obsolete {
            return;
        }
        if plural.is_some() {
            self.first_plural.get_or_insert(span);
        }
        let (key, start) = match context {
            Some((context, _)) => (format!("{context}\u{4}{id}"), context.len() + 1),
            None => (id.into_owned(), 0),
        };
        let entry = Entry {
            source: Some(SourceText::InKey(start)),
            source_plural: plural.map(|plural| plural.into_owned().into()),
            directives: flags.directives,
            inactive: flags.fuzzy,
            ..Entry::new(key, span, forms)
        };
        let entries =
            if entry.key.is_empty() { &mut self.headers } else { &mut self.catalogue.entries };
        entries.push(entry);
    }

    fn check_header(&mut self, is_template: bool) {
        let headers = std::mem::take(&mut self.headers);
        if let Some(second) = headers.get(1) {
            let message = "second header; msgfmt rejects the file";
            self.catalogue.problem(DUPLICATE, second.key_span, message);
        }
        let Some(header) = headers.into_iter().next().and_then(|it| it.forms.into_iter().next())
        else {
            if let Some(span) = self.first_plural.filter(|_| !is_template) {
                let message = "plural forms without a header with `Plural-Forms`";
                self.catalogue.problem(PLURALS, span, message);
            }
            return;
        };
        let field = |name: &str| {
            let line = header.value.lines().find_map(|line| line.strip_prefix(name));
            line.and_then(|rest| rest.strip_prefix(':')).map(|value| value.trim().to_owned())
        };
        let span_of = |needle: &str| {
            let raw = self.text.get(header.span.range()).unwrap_or_default();
            raw.find(needle).map_or(header.span, |at| {
                Span::new(at, at + needle.len()).shift(header.span.start as usize)
            })
        };
        let content_type = field("Content-Type");
        let charset = content_type.as_deref().and_then(|value| value.split("charset=").nth(1));
        let has_text = !self.text.is_ascii();
        match charset {
            None if has_text => {
                let message = "the header declares no charset, but the file is not ASCII";
                self.catalogue.problem(ENCODING, header.span, message);
            }
            Some("CHARSET") if has_text && !is_template => {
                let message = "the charset is the placeholder `CHARSET`, but the file is not ASCII";
                self.catalogue.problem(ENCODING, span_of("CHARSET"), message);
                if let Some(problem) = self.catalogue.problems.last_mut() {
                    problem.fix = Some(("Declare UTF-8", problem.span, "UTF-8".to_owned()));
                }
            }
            // The text is decoded as UTF-8 before it is read.
            Some(charset) if has_text && charset.eq_ignore_ascii_case("us-ascii") => {
                let message = "the header declares ASCII, but the file has other characters";
                self.catalogue.problem(ENCODING, span_of(charset), message);
            }
            _ => {}
        }
        if is_template {
            return;
        }
        let Some(forms) = field("Plural-Forms") else {
            if let Some(span) = self.first_plural {
                let message = "the file has plural forms, but its header has no `Plural-Forms`";
                self.catalogue.problem(PLURALS, span, message);
            }
            return;
        };
        let span = span_of("Plural-Forms");
        match super::super::plural_forms::parse_once(&forms) {
            Ok(uses) => {
                self.check_counts(uses.len(), span);
                self.catalogue.plural_uses = uses;
            }
            // `msginit` fills in the placeholders when they are needed.
            Err(_) if self.first_plural.is_none() && forms.contains("EXPRESSION") => {}
            Err(reason) => {
                let message = format!("invalid `Plural-Forms`: {reason}");
                self.catalogue.problem(PLURALS, span, message);
            }
        }
    }

    /// Compares the plural forms of all entries with the number in the header.
    fn check_counts(&mut self, count: usize, header: Span) {
        let wrong = |entry: &&Entry| {
            entry.source_plural.is_some()
                && !entry.inactive
                && entry.forms.len() != count
                && !entry.is_empty()
        };
        let wrong: Vec<(Span, usize)> = self
            .catalogue
            .entries
            .iter()
            .filter(wrong)
            .map(|entry| (entry.key_span, entry.forms.len()))
            .collect();
        for (span, own) in wrong {
            let noun = if own == 1 { "plural form" } else { "plural forms" };
            self.catalogue.problem(
                PLURALS,
                span,
                format!("{own} {noun}, but the header declares `nplurals={count}`"),
            );
            if let Some(problem) = self.catalogue.problems.last_mut() {
                problem.related = Some((header, "declared here"));
            }
        }
    }

    fn check_duplicates(&mut self) {
        let entries = &self.catalogue.entries;
        let mut first: HashMap<&str, Span, foldhash::fast::RandomState> =
            HashMap::with_capacity_and_hasher(
                entries.len(),
                foldhash::fast::RandomState::default(),
            );
        let mut found = Vec::new();
        for entry in entries {
            if let Some(earlier) = first.insert(&*entry.key, entry.key_span) {
                let id = entry.key.rsplit('\u{4}').next().unwrap_or_default();
                found.push((entry.key_span, earlier, crate::i18n::abbreviate(id)));
            }
        }
        for (span, earlier, id) in found {
            let message = format!("duplicate `msgid` \"{id}\"; msgfmt rejects the file");
            self.catalogue.problem(DUPLICATE, span, message);
            if let Some(problem) = self.catalogue.problems.last_mut() {
                problem.related = Some((earlier, "first definition"));
            }
        }
    }
}
