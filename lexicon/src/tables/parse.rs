//! Parses `tables/*.txt`, for the build script and the tests.
//!
//! `[name]` starts a section; every other line is an entry of the section. Blank lines and lines
//! that start with `#` are skipped. An entry that starts or ends with a space, or could be mistaken
//! for another kind of line, must be in double quotes. The entries of a section must be sorted,
//! unless the name is followed by `in order`. If the name is followed by `as i32`, `as f32` or `as
//! f64`, the entries are constants, `name = value`. The first line of a section can be `note: …`.

/// A section of a table.
#[derive(Debug, PartialEq)]
pub(super) struct Section {
    pub name: String,
    pub kind: Kind,
    pub note: String,
    pub entries: Vec<String>,
}

/// The kind of entries in a section.
#[derive(Clone, Debug, PartialEq)]
pub(super) enum Kind {
    Sorted,
    InOrder,
    /// Constants of this Rust type.
    Constants(String),
}

/// Parses the table in `file`.
///
/// # Errors
/// The first line that is malformed, duplicate or out of order: `file:line: message`.
pub(super) fn parse(file: &str, text: &str) -> Result<Vec<Section>, String> {
    let mut sections: Vec<Section> = Vec::new();
    for (number, line) in (1..).zip(text.lines()) {
        if line.is_empty() || line.starts_with('#') {
            continue;
        }
        let added = match line.strip_prefix('[') {
            Some(header) => add_section(&mut sections, header),
            None => add_line(sections.last_mut(), line),
        };
        added.map_err(|why| format!("{file}:{number}: {why}"))?;
    }
    match sections.iter().find(|section| section.entries.is_empty()) {
        Some(empty) => Err(format!("{file}: section `{}` is empty", empty.name)),
        None => Ok(sections),
    }
}

fn add_section(sections: &mut Vec<Section>, header: &str) -> Result<(), String> {
    let (name, rest) = header.split_once(']').ok_or("missing `]` after the section name")?;
    let is_name = name.starts_with(|c: char| c.is_ascii_lowercase())
        && name.chars().all(|c| c.is_ascii_lowercase() || c == ' ' || c == '-');
    if !is_name {
        return Err(format!("`{name}` is not a section name; use lower-case words"));
    }
    if sections.iter().any(|section| section.name == name) {
        return Err(format!("duplicate section `{name}`"));
    }
    let kind = match rest {
        "" => Kind::Sorted,
        " in order" => Kind::InOrder,
        " as i32" | " as f32" | " as f64" => Kind::Constants(rest[4..].to_owned()),
        _ => return Err(format!("unknown kind of section `{}`", rest.trim())),
    };
    let (name, note) = (name.to_owned(), String::new());
    sections.push(Section { name, kind, note, entries: Vec::new() });
    Ok(())
}

fn add_line(section: Option<&mut Section>, line: &str) -> Result<(), String> {
    let section = section.ok_or("entry before the first section")?;
    if let Some(note) = line.strip_prefix("note: ") {
        if !section.entries.is_empty() || !section.note.is_empty() {
            return Err("the note must be the first line of its section".to_owned());
        }
        note.trim().clone_into(&mut section.note);
        return Ok(());
    }
    let quoted = line.strip_prefix('"').and_then(|rest| rest.strip_suffix('"'));
    let entry = match quoted {
        Some(entry) => entry,
        None if line.starts_with('"') => return Err("missing closing `\"`".to_owned()),
        None if line.trim() != line => {
            return Err("leading or trailing space; put the entry in double quotes".to_owned());
        }
        None => line,
    };
    if entry.is_empty() {
        return Err("empty entry".to_owned());
    }
    if section.entries.iter().any(|known| known == entry) {
        return Err(format!("duplicate entry `{entry}`"));
    }
    match &section.kind {
        Kind::Sorted => {
            if let Some(last) = section.entries.last().filter(|last| last.as_str() > entry) {
                return Err(format!("`{entry}` must come before `{last}`"));
            }
        }
        Kind::InOrder => {}
        Kind::Constants(kind) => check_constant(kind, entry)?,
    }
    section.entries.push(entry.to_owned());
    Ok(())
}

fn check_constant(kind: &str, entry: &str) -> Result<(), String> {
    let (name, value) =
        entry.split_once(" = ").ok_or_else(|| format!("expected `name = value`: `{entry}`"))?;
    if name.is_empty() || !name.chars().all(|c| c.is_ascii_lowercase() || c == ' ') {
        return Err(format!("`{name}` is not a name; use lower-case words"));
    }
    let is_number = match kind {
        "i32" => value.parse::<i32>().is_ok(),
        _ => value.contains('.') && value.parse::<f64>().is_ok_and(f64::is_finite),
    };
    if is_number { Ok(()) } else { Err(format!("`{value}` is not a number of type {kind}")) }
}

#[cfg(test)]
#[expect(clippy::disallowed_methods, reason = "the test reads the tables from disk")]
mod tests {
    use super::*;
    use std::fs;
    use std::path::Path;

    #[test]
    fn every_table_is_well_formed() {
        let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("tables");
        let mut files = 0;
        for entry in fs::read_dir(folder).expect("a directory") {
            let path = entry.expect("an entry").path();
            let text = fs::read_to_string(&path).expect("text");
            let sections = parse(&path.display().to_string(), &text).expect("a table");
            assert!(!sections.is_empty(), "{}", path.display());
            files += 1;
        }
        assert!(files > 5, "{files}");
    }

    #[test]
    fn sections_have_notes_entries_and_constants() {
        let text = "# x\n[a b]\nnote: why\na\n\" b\"\n\"[c\"\n\n[c] in order\nz\na = b\n[d] as f32\ne = 0.5\n";
        // Entries are sorted by the text within the quotes.
        assert_eq!(parse("t", text).unwrap_err(), "t:5: ` b` must come before `a`");
        let text = text.replace("a\n\" b\"\n", "\" b\"\n");
        let sections = parse("t", &text).expect("a table");
        assert_eq!(
            (&*sections[0].note, &sections[0].entries[..]),
            ("why", &[" b", "[c"].map(str::to_owned)[..])
        );
        assert_eq!(sections[1].entries, ["z", "a = b"]);
        assert_eq!(sections[2].kind, Kind::Constants("f32".to_owned()));
    }

    #[test]
    fn malformed_tables_are_reported_with_the_line() {
        for (text, error) in [
            ("a\n", "t:1: entry before the first section"),
            ("[a\n", "t:1: missing `]` after the section name"),
            ("[A]\n", "t:1: `A` is not a section name; use lower-case words"),
            ("[a] at all\n", "t:1: unknown kind of section `at all`"),
            ("[a]\n", "t: section `a` is empty"),
            ("[a]\nb\n[a]\n", "t:3: duplicate section `a`"),
            ("[a]\nb\nb\n", "t:3: duplicate entry `b`"),
            ("[a]\nb\n\na\n", "t:4: `a` must come before `b`"),
            ("[a]\nb \n", "t:2: leading or trailing space; put the entry in double quotes"),
            ("[a]\n\"b\n", "t:2: missing closing `\"`"),
            ("[a]\n\"\"\n", "t:2: empty entry"),
            ("[a]\nb\nnote: c\n", "t:3: the note must be the first line of its section"),
            ("[a] as i32\nb = 1.5\n", "t:2: `1.5` is not a number of type i32"),
            ("[a] as f32\nb: 1.5\n", "t:2: expected `name = value`: `b: 1.5`"),
        ] {
            assert_eq!(parse("t", text).unwrap_err(), error, "{text}");
        }
    }
}
