//! How a project words the first lines of its messages: the form of the verb, the case of the first
//! letter, the length, and the trailers.

use crate::commit_message::text::to_plain_line;
use aidd_engine::forms::commits::message::{Message, parse_header};
use aidd_lexicon::tables::{List, commit_verbs as table};
use schemars::JsonSchema;
use serde::Serialize;
use std::collections::BTreeMap;
use std::fmt::{self, Display};

/// Minimum number of messages from which a style is derived.
const MIN_MESSAGES: usize = 10;
/// Minimum share of the messages that have a property of the style.
const MIN_SHARE: f64 = 0.8;
/// Minimum share of the messages that have a trailer which the project requires.
const MIN_TRAILER_SHARE: f64 = 0.5;
/// Minimum share of first lines with a name in backticks, if names are written like this.
const MIN_BACKTICKS: f64 = 0.05;
/// Minimum of the derived length: short messages do not forbid longer ones.
const MIN_LENGTH: usize = 50;
/// The length of first lines without a history.
const LENGTH: usize = 72;
/// Minimum number of first lines from which type and scope of a kind of change are derived.
const MIN_HEADERS: usize = 3;

/// The case of the first letter after the type and scope.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub enum LetterCase {
    /// As in `add a test`.
    Lower,
    /// As in `Add a test`.
    Upper,
}

/// The form of the verb at the start of a first line.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub enum VerbForm {
    /// As in `add a test`.
    Imperative,
    /// As in `adds a test`.
    ThirdPerson,
    /// As in `added a test`.
    Past,
    /// As in `adding a test`.
    Participle,
}

impl VerbForm {
    /// All forms, in the order of the columns of the table.
    const ALL: [Self; 4] = [Self::Imperative, Self::ThirdPerson, Self::Past, Self::Participle];
}

/// How the recent messages by people are worded.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct Style {
    /// The case of the first letter; absent if both are used.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub case: Option<LetterCase>,
    /// The form of the first word, if it is a verb; absent if several forms are used.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub verb_form: Option<VerbForm>,
    /// The length of a first line, in characters, that 95 % of the messages do not exceed.
    pub length: usize,
    /// The trailers that at least half of the messages have, such as `Signed-off-by`.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub trailers: Vec<String>,
    /// Whether names are written in backticks.
    #[serde(skip)]
    has_backticks: bool,
    /// The first lines, newest first.
    #[serde(skip)]
    lines: Vec<Line>,
}

/// The first line of a message.
#[derive(Clone, Debug, PartialEq, Eq)]
struct Line {
    /// The type and the scope; `None` if the message is not a Conventional Commit.
    header: Option<(String, Option<String>)>,
    /// The text after type and scope.
    description: String,
}

/// The kind of change that a verb states.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Verb {
    Add,
    Remove,
    Rename,
    Move,
    Bump,
    Update,
    Fix,
    Set,
    Format,
}

impl Verb {
    /// The verbs that projects use for this kind of change.
    pub(super) fn words(self) -> List {
        match self {
            Self::Add => table::ADD,
            Self::Remove => table::REMOVE,
            Self::Rename => table::RENAME,
            Self::Move => table::MOVE,
            Self::Bump => table::BUMP,
            Self::Update => table::UPDATE,
            Self::Fix => table::FIX,
            Self::Set => table::SET,
            Self::Format => table::FORMAT,
        }
    }
}

impl Display for Style {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self.case {
            Some(LetterCase::Lower) => f.write_str("lower case, ")?,
            Some(LetterCase::Upper) => f.write_str("upper case, ")?,
            None => {}
        }
        match self.verb_form {
            Some(VerbForm::Imperative) => f.write_str("imperative (`add`), ")?,
            Some(VerbForm::ThirdPerson) => f.write_str("third person (`adds`), ")?,
            Some(VerbForm::Past) => f.write_str("past tense (`added`), ")?,
            Some(VerbForm::Participle) => f.write_str("participle (`adding`), ")?,
            None => {}
        }
        write!(f, "at most {} characters", self.length)?;
        self.trailers.iter().try_for_each(|name| write!(f, ", trailer {}", to_plain_line(name)))
    }
}

impl Style {
    /// The style with the length that a rule of the project allows.
    #[must_use]
    pub(crate) fn with_length(self, length: usize) -> Self {
        Self { length, ..self }
    }

    /// Derives the style of `messages`, newest first.
    pub(in crate::commit_message) fn new(messages: &[String]) -> Self {
        let parsed: Vec<Message<'_>> = messages.iter().map(|text| Message::new(text)).collect();
        let titles: Vec<&str> =
            parsed.iter().map(|message| without_number(message.first_line())).collect();
        let descriptions: Vec<&str> = titles.iter().map(|title| description(title)).collect();
        let is_known = messages.len() >= MIN_MESSAGES;
        let mut lengths: Vec<usize> = titles.iter().map(|title| title.chars().count()).collect();
        lengths.sort_unstable();
        let length = lengths.get(lengths.len() * 95 / 100).copied();
        let with_backticks = descriptions.iter().filter(|text| text.contains('`')).count();
        Self {
            case: letter_case(&descriptions).filter(|_| is_known),
            verb_form: verb_form(&descriptions).filter(|_| is_known),
            length: length.filter(|_| is_known).map_or(LENGTH, |length| length.max(MIN_LENGTH)),
            trailers: if is_known { trailers(&parsed) } else { Vec::new() },
            has_backticks: !is_known
                || with_backticks as f64 >= MIN_BACKTICKS * messages.len() as f64,
            lines: titles.iter().map(|title| line(title)).collect(),
        }
    }

    /// The word for a kind of change: the verb that the project uses most, in the project's form
    /// and case.
    pub(super) fn word(&self, verb: Verb) -> String {
        let rows: Vec<Vec<&str>> =
            verb.words().iter().map(|row| row.split(' ').collect()).collect();
        let uses = |row: &Vec<&str>| {
            self.lines.iter().filter(|line| row.contains(&&*first_word(&line.description))).count()
        };
        let row = rows.iter().rev().max_by_key(|row| uses(row));
        let column = self.verb_form.map_or(0, |form| form as usize);
        let word = row.and_then(|row| row.get(column)).copied().unwrap_or_default();
        if self.case == Some(LetterCase::Upper) { capitalize(word) } else { word.to_owned() }
    }

    /// Whether first lines on dependencies name the version before the change.
    pub(super) fn names_old_versions(&self) -> bool {
        let words: Vec<&str> = Verb::Bump.words().iter().flat_map(|row| row.split(' ')).collect();
        let updates = self.lines.iter().filter(|line| {
            words.contains(&&*first_word(&line.description)) && line.description.contains(" to ")
        });
        let (with, without): (Vec<&Line>, Vec<&Line>) =
            updates.partition(|line| line.description.contains(" from "));
        with.len() >= without.len()
    }

    /// A name from the project, as the project writes names.
    pub(super) fn name(&self, name: &str) -> String {
        if self.has_backticks { format!("`{name}`") } else { name.to_owned() }
    }

    /// The type, with its share of the messages, and the scope of earlier messages that are about the
    /// same. `is_about` gets the first word of the description, and all of it in lower case.
    pub(super) fn header(
        &self,
        is_about: impl Fn(&str, &str) -> bool,
    ) -> Option<(String, f64, Option<String>)> {
        let headers: Vec<&(String, Option<String>)> = self
            .lines
            .iter()
            .filter(|line| {
                is_about(&first_word(&line.description), &line.description.to_lowercase())
            })
            .filter_map(|line| line.header.as_ref())
            .collect();
        let (kind, uses) = most_frequent(headers.iter().map(|(kind, _)| kind.as_str()))?;
        let share = uses as f64 / headers.len() as f64;
        if headers.len() < MIN_HEADERS || share < MIN_SHARE {
            return None;
        }
        let scopes = headers.iter().filter(|(other, _)| other == kind).map(|(_, scope)| scope);
        let (scope, with_scope) = most_frequent(scopes)?;
        let scope = scope.clone().filter(|_| with_scope as f64 >= MIN_SHARE * uses as f64);
        Some((kind.to_owned(), share, scope))
    }

    /// The newest first line that contains the version `old`, with `new` in its place: the type, the
    /// scope and the description.
    pub(super) fn release(&self, old: &str, new: &str) -> Option<(String, Option<String>, String)> {
        let is_version = |line: &&Line| {
            let parts = line.description.split(|c: char| c.is_whitespace() || c == '`');
            let is_number =
                |part: &&str| part.contains('.') && part.starts_with(|c: char| c.is_ascii_digit());
            let mut versions = parts.map(|part| part.trim_start_matches('v')).filter(is_number);
            // With a second version, such as the one before, the line would be wrong.
            versions.next() == Some(old) && versions.next().is_none()
        };
        let line = self.lines.iter().find(is_version)?;
        let is_release = |(kind, _): &(String, Option<String>)| !matches!(&**kind, "fix" | "feat");
        let (kind, scope) = line.header.clone().filter(is_release)?;
        Some((kind, scope, line.description.replace(old, new)))
    }
}

/// The text after type and scope.
fn description(title: &str) -> &str {
    parse_header(title, 0).map_or(title, |header| header.description)
}

fn line(title: &str) -> Line {
    let header = parse_header(title, 0).ok();
    Line {
        header: header
            .as_ref()
            .map(|header| (header.commit_type.to_owned(), header.scope.map(str::to_owned))),
        description: description(title).to_owned(),
    }
}

/// `title` without the number of a pull request at its end, which the server adds.
fn without_number(title: &str) -> &str {
    let Some((rest, number)) = title.trim_end().rsplit_once(" (#") else { return title };
    let is_number = number.strip_suffix(')').is_some_and(|number| {
        !number.is_empty() && number.bytes().all(|byte| byte.is_ascii_digit())
    });
    if is_number { rest } else { title }
}

/// The first word in lower case.
fn first_word(text: &str) -> String {
    text.split(|c: char| !c.is_alphanumeric()).next().unwrap_or_default().to_lowercase()
}

fn capitalize(word: &str) -> String {
    let mut chars = word.chars();
    chars.next().map_or(String::new(), |first| first.to_uppercase().chain(chars).collect())
}

/// The case of the first letters, if nearly all have it.
fn letter_case(descriptions: &[&str]) -> Option<LetterCase> {
    let first = |text: &&str| text.chars().next().filter(|c| c.is_alphabetic());
    let firsts: Vec<char> = descriptions.iter().filter_map(first).collect();
    let upper = firsts.iter().filter(|c| c.is_uppercase()).count() as f64;
    let all = firsts.len() as f64;
    if upper >= MIN_SHARE * all {
        Some(LetterCase::Upper)
    } else {
        (all - upper >= MIN_SHARE * all).then_some(LetterCase::Lower)
    }
}

/// The form of the verbs that the table lists, if nearly all have it.
fn verb_form(descriptions: &[&str]) -> Option<VerbForm> {
    let rows: Vec<Vec<&str>> = [Verb::Add, Verb::Remove, Verb::Bump, Verb::Fix, Verb::Rename]
        .iter()
        .flat_map(|verb| verb.words().iter())
        .map(|row| row.split(' ').collect())
        .collect();
    let column = |text: &&str| {
        let lower = first_word(text);
        rows.iter().find_map(|row| row.iter().position(|word| *word == lower))
    };
    let columns: Vec<usize> = descriptions.iter().filter_map(column).collect();
    let (column, uses) = most_frequent(columns.iter().copied())?;
    let is_usual = uses as f64 >= MIN_SHARE * columns.len() as f64;
    VerbForm::ALL.get(column).copied().filter(|_| is_usual)
}

/// The trailers that at least half of the messages have.
fn trailers(messages: &[Message<'_>]) -> Vec<String> {
    let mut uses: BTreeMap<&str, usize> = BTreeMap::new();
    for message in messages {
        let mut tokens: Vec<&str> = message.footers.iter().map(|footer| footer.token).collect();
        tokens.sort_unstable();
        tokens.dedup();
        tokens.into_iter().for_each(|token| *uses.entry(token).or_default() += 1);
    }
    let is_usual = |uses: usize| uses as f64 >= MIN_TRAILER_SHARE * messages.len() as f64;
    uses.into_iter()
        .filter(|(_, uses)| is_usual(*uses))
        .map(|(token, _)| token.to_owned())
        .collect()
}

/// The most frequent item with its number of uses; of several, the first in order.
fn most_frequent<T: Ord + Copy>(items: impl Iterator<Item = T>) -> Option<(T, usize)> {
    let mut counts: BTreeMap<T, usize> = BTreeMap::new();
    items.for_each(|item| *counts.entry(item).or_default() += 1);
    counts.into_iter().rev().max_by_key(|(_, count)| *count)
}
