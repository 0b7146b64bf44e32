//! The page with the record of the project: a YAML header with its name, purpose, goals, language,
//! completion criteria and version, and sections.
//!
//! The header contains a checksum of the page without the line of the checksum. A page whose checksum
//! differs was edited outside aidd.

use crate::library::header_of;
use aidd_engine::parse::markdown::sections;
use aidd_memory::id::digest;
use serde_json::{Map, Value, json};
use std::ops::Range;
use thiserror::Error;

/// The path of the page, relative to the root.
pub const PATH: &str = "ai/project.md";

/// The sections of a new page.
pub const SECTIONS: [&str; 7] = [
    "Overview",
    "Technical blueprint",
    "Themes and flows",
    "Completion path",
    "Evolution history",
    "Preferences",
    "Custom directives",
];

/// The fields of the header that a change can set.
const FIELDS: [&str; 6] = ["name", "purpose", "goals", "status", "language", "criteria"];

/// Why the page cannot be read or changed.
#[derive(Debug, Error)]
pub enum ProjectPageError {
    /// The YAML between the `---` lines cannot be read.
    #[error("the header of {PATH} is not valid YAML; correct the lines between the `---`")]
    Header,
    /// The page has no section with this title.
    #[error("{PATH} has no section `{title}`; its sections: {known}")]
    UnknownSection {
        /// The title that was passed.
        title: String,
        /// The titles of the page.
        known: String,
    },
    /// The text of a section would start another section.
    #[error("the text of a section cannot contain a heading of level 1 or 2; use `###`")]
    Heading,
    /// The page changed since its checksum was read.
    #[error("{PATH} changed since it was read (checksum {found}, not {expected}); read it again")]
    Changed {
        /// The checksum of the page.
        found: String,
        /// The checksum that was passed.
        expected: String,
    },
}

/// What the project must reach before it is complete. A share is in percent.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct Criteria {
    /// Minimum share of the lines that tests execute.
    pub coverage: Option<f64>,
    /// Minimum share of the exported symbols that have documentation.
    pub documentation: Option<f64>,
}

/// The record of the project.
#[derive(Clone, Debug)]
pub struct ProjectPage {
    text: String,
    /// The fields of the header.
    pub header: Map<String, Value>,
    /// The titles of the sections, without their numbers, each with the bytes of its text.
    sections: Vec<(String, Range<usize>)>,
}

/// A change of the page: a section, fields of the header, or both.
#[derive(Clone, Debug, Default)]
pub struct PageChange {
    /// The title and the new text of a section.
    pub section: Option<(String, String)>,
    /// New values of `name`, `purpose`, `goals`, `status`, `language` and `criteria`.
    pub fields: Map<String, Value>,
}

impl ProjectPage {
    /// Parses a page.
    ///
    /// # Errors
    /// When the header is not valid YAML.
    pub fn parse(text: &str) -> Result<Self, ProjectPageError> {
        let header = header_of(text).ok_or(ProjectPageError::Header)?;
        let all = sections(text).into_iter().filter(|section| section.level == 2);
        let sections = all.map(|section| (title(&section.title), section.body.range()));
        Ok(Self { sections: sections.collect(), text: text.to_owned(), header })
    }

    /// The page as it is in the file.
    #[must_use]
    pub fn text(&self) -> &str {
        &self.text
    }

    /// The digest of the page without the line of the checksum.
    #[must_use]
    pub fn checksum(&self) -> String {
        let header = header_range(&self.text);
        let lines = self.text.split_inclusive('\n');
        let mut at = 0;
        let parts = lines.filter(|line| {
            let is_checksum = header.contains(&at) && line.starts_with("checksum:");
            at += line.len();
            !is_checksum
        });
        digest(&[&parts.collect::<String>()])
    }

    /// Whether the page was edited since aidd wrote it. A page without a checksum was not written by
    /// aidd.
    #[must_use]
    pub fn is_edited(&self) -> bool {
        self.header.get("checksum").and_then(Value::as_str) != Some(&self.checksum())
    }

    /// The version of the record: a whole number, at least 1.
    #[must_use]
    pub fn version(&self) -> i64 {
        self.header.get("version").and_then(Value::as_i64).unwrap_or(1)
    }

    /// The completion criteria in the field `criteria`. `documentation: true` requires that all
    /// exported symbols are documented.
    #[must_use]
    pub fn criteria(&self) -> Criteria {
        let criteria = self.header.get("criteria");
        let share = |name: &str| match criteria?.get(name)? {
            Value::Bool(true) => Some(100.0),
            value => value.as_f64(),
        };
        Criteria { coverage: share("coverage"), documentation: share("documentation") }
    }

    /// The sections: titles without numbers, and texts.
    pub fn sections(&self) -> impl Iterator<Item = (&str, &str)> {
        self.sections.iter().map(|(title, body)| (&**title, self.text[body.clone()].trim()))
    }

    /// The text of the section with this title; case and a number before the title are ignored.
    ///
    /// # Errors
    /// When no section has this title.
    pub fn section(&self, name: &str) -> Result<&str, ProjectPageError> {
        Ok(self.text[self.range(name)?].trim())
    }

    fn range(&self, name: &str) -> Result<Range<usize>, ProjectPageError> {
        let wanted = title(name);
        let found = self.sections.iter().find(|(title, _)| title.eq_ignore_ascii_case(&wanted));
        found.map(|(_, body)| body.clone()).ok_or_else(|| {
            let known: Vec<&str> = self.sections.iter().map(|(title, _)| &**title).collect();
            ProjectPageError::UnknownSection { title: wanted, known: known.join(", ") }
        })
    }

    /// The page with a change, the next version and a new checksum. Other sections and fields remain
    /// byte for byte. `expected` is the checksum of the page that the caller has read.
    ///
    /// # Errors
    /// When the page has another checksum, the section does not exist, or its text contains a heading
    /// that would start another section.
    pub fn with_change(
        &self,
        expected: &str,
        change: &PageChange,
    ) -> Result<String, ProjectPageError> {
        let found = self.checksum();
        if found != expected {
            return Err(ProjectPageError::Changed { found, expected: expected.to_owned() });
        }
        let mut text = self.text.clone();
        if let Some((name, body)) = &change.section {
            if sections(body).iter().any(|section| section.level <= 2) {
                return Err(ProjectPageError::Heading);
            }
            let range = self.range(name)?;
            let end = if range.end == text.len() { "\n" } else { "\n\n" };
            text.replace_range(range, &format!("\n{}{end}", body.trim()));
        }
        for name in FIELDS {
            if let Some(value) = change.fields.get(name) {
                text = with_field(&text, name, value);
            }
        }
        text = with_field(&text, "version", &json!(self.version() + 1));
        with_checksum(&text)
    }
}

/// A new page with these fields and empty sections.
///
/// # Errors
/// Never, unless the fields cannot be read back.
pub fn new_page(fields: &Map<String, Value>) -> Result<String, ProjectPageError> {
    let name = fields.get("name").and_then(Value::as_str).unwrap_or("Project");
    let mut text = format!("---\n---\n# {}\n", name.replace('\n', " "));
    for (number, title) in (1..).zip(SECTIONS) {
        text += &format!("\n## {number}. {title}\n");
    }
    for field in FIELDS {
        if let Some(value) = fields.get(field) {
            text = with_field(&text, field, value);
        }
    }
    with_checksum(&with_field(&text, "version", &json!(1)))
}

fn with_checksum(text: &str) -> Result<String, ProjectPageError> {
    let checksum = ProjectPage::parse(text)?.checksum();
    Ok(with_field(text, "checksum", &json!(checksum)))
}

/// A title without its number.
fn title(text: &str) -> String {
    let text = text.trim();
    let rest = text.trim_start_matches(|c: char| c.is_ascii_digit());
    let rest = if rest.len() < text.len() { rest.trim_start_matches(['.', ')']) } else { text };
    rest.trim().to_owned()
}

/// The bytes between the `---` lines; empty if there is no header.
fn header_range(text: &str) -> Range<usize> {
    if !aidd_page::has_header(text) {
        return 0..0;
    }
    aidd_page::split(text).map(|(header, _)| header).unwrap_or(0..0)
}

/// The page with a field of the header. In a block mapping, each key begins in the first column, and
/// the lines of its value are indented or begin with `-`.
fn with_field(text: &str, name: &str, value: &Value) -> String {
    if !aidd_page::has_header(text) {
        return with_field(&format!("---\n---\n{text}"), name, value);
    }
    let header = header_range(text);
    let line = format!("{name}: {value}\n");
    let (mut at, mut replaced) = (header.start, None);
    for current in text[header.clone()].split_inclusive('\n') {
        let is_key = !current.starts_with([' ', '\t', '-', '#', '\n', '\r']);
        match &mut replaced {
            None if current.strip_prefix(name).is_some_and(|rest| rest.starts_with(':')) => {
                replaced = Some(at..at + current.len());
            }
            Some(range) if range.end == at && !is_key && !current.starts_with('#') => {
                range.end = at + current.len();
            }
            _ => {}
        }
        at += current.len();
    }
    let mut text = text.to_owned();
    text.replace_range(replaced.unwrap_or(header.end..header.end), &line);
    text
}

#[cfg(test)]
mod tests {
    use super::*;

    const PAGE: &str = "---\nname: shop\npurpose: >\n  Sums\n  prices\ngoals:\n- fast\n- small\n# by hand\nversion: 3\ncriteria: { coverage: 80, documentation: true }\n---\n# shop\n\n## 1. Overview\n\nOld text.\n\n### Detail\n\nx\n\n## 2. Technical blueprint\nRust\n";

    fn change(section: &str, text: &str) -> PageChange {
        let section = Some((section.to_owned(), text.to_owned()));
        PageChange { section, ..PageChange::default() }
    }

    #[test]
    fn a_change_replaces_one_section_and_raises_the_version() {
        let page = ProjectPage::parse(PAGE).expect("a page");
        assert!(page.is_edited());
        assert_eq!(page.section("overview").expect("a section"), "Old text.\n\n### Detail\n\nx");
        let text =
            page.with_change(&page.checksum(), &change("Overview", "New.")).expect("changed");
        let new = ProjectPage::parse(&text).expect("a page");
        assert!(!new.is_edited());
        let checksum = new.checksum();
        let expected = PAGE
            .replace("Old text.\n\n### Detail\n\nx", "New.")
            .replace("version: 3\n", "version: 4\n")
            .replace(" }\n---\n", &format!(" }}\nchecksum: \"{checksum}\"\n---\n"));
        assert_eq!(text, expected);
        let edited = ProjectPage::parse(&text.replace("Rust", "Go")).expect("a page");
        assert!(edited.is_edited());
        let error = edited.with_change(&checksum, &change("Overview", "")).expect_err("changed");
        assert!(
            error.to_string().starts_with("ai/project.md changed since it was read"),
            "{error}"
        );
    }

    #[test]
    fn a_change_of_a_field_leaves_the_others() {
        let page = ProjectPage::parse(PAGE).expect("a page");
        let mut fields = Map::new();
        fields.insert("goals".to_owned(), json!(["fast: \"yes\""]));
        fields.insert("purpose".to_owned(), json!("Adds\nprices"));
        fields.insert("language".to_owned(), json!("rust"));
        let change = PageChange { fields: fields.clone(), ..PageChange::default() };
        let text = page.with_change(&page.checksum(), &change).expect("changed");
        let new = ProjectPage::parse(&text).expect("a page");
        for (name, value) in &fields {
            assert_eq!(&new.header[name], value);
        }
        assert_eq!((new.version(), &new.header["name"]), (4, &json!("shop")));
        assert!(text.contains("\n# by hand\n"));
        assert_eq!(new.criteria(), Criteria { coverage: Some(80.0), documentation: Some(100.0) });
    }

    #[test]
    fn faults_of_a_change_are_reported() {
        let page = ProjectPage::parse(PAGE).expect("a page");
        let error = |section: &str, text: &str| {
            let result = page.with_change(&page.checksum(), &change(section, text));
            result.expect_err("refused").to_string()
        };
        assert_eq!(
            error("Goals", ""),
            "ai/project.md has no section `Goals`; its sections: Overview, Technical blueprint"
        );
        assert_eq!(
            error("Overview", "a\n\n## b"),
            "the text of a section cannot contain a heading of level 1 or 2; use `###`"
        );
        assert!(ProjectPage::parse("---\n: [\n---\n").is_err());
    }

    #[test]
    fn a_new_page_has_seven_sections() {
        let mut fields = Map::new();
        fields.insert("name".to_owned(), json!("shop"));
        let page = ProjectPage::parse(&new_page(&fields).expect("a page")).expect("a page");
        assert_eq!(page.sections().count(), 7);
        assert_eq!(page.version(), 1);
        assert!(!page.is_edited());
        let text = page.with_change(&page.checksum(), &change("Preferences", "Tabs")).expect("ok");
        let page = ProjectPage::parse(&text).expect("a page");
        assert_eq!(page.section("6. preferences").expect("a section"), "Tabs");
        assert_eq!(page.section("custom directives").expect("a section"), "");
        // A page without a header gets one.
        let page = ProjectPage::parse("# shop\n\n## Overview\nx\n").expect("a page");
        let text = page.with_change(&page.checksum(), &change("Overview", "y")).expect("ok");
        assert!(text.starts_with("---\nversion: 2\nchecksum: "), "{text}");
    }
}
