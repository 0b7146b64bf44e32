//! The symbols as a tags file, in the extended format of Universal Ctags, which editors read.

use super::Reader;
use crate::IndexError;
use std::fmt::Write as _;

const HEADER: &str = "!_TAG_FILE_ENCODING\tutf-8\t//\n\
    !_TAG_FILE_FORMAT\t2\t/extended format/\n\
    !_TAG_FILE_SORTED\t1\t/0=unsorted, 1=sorted, 2=foldcase/\n\
    !_TAG_OUTPUT_EXCMD\tnumber\t/number, pattern, mixed, or combineV2/\n\
    !_TAG_OUTPUT_MODE\tu-ctags\t/u-ctags or e-ctags/\n\
    !_TAG_PROGRAM_NAME\taidd\t//\n";

/// Tests have titles instead of names.
const SYMBOLS: &str = "SELECT s.name, f.path, s.name_line, s.kind, p.kind, p.qualified, f.language,
      s.parameters, s.return_type, s.end_line
    FROM symbols s JOIN files f ON f.id = s.file LEFT JOIN symbols p ON p.id = s.parent
    WHERE s.kind <> 'test' ORDER BY s.name, f.path, s.start_line, s.start_column";

impl Reader {
    /// The symbols as a tags file, sorted by name.
    ///
    /// # Errors
    /// When the database cannot be read.
    pub fn tags(&self) -> Result<String, IndexError> {
        let mut statement = self.connection.prepare(SYMBOLS)?;
        let mut rows = statement.query([])?;
        let mut lines = Vec::new();
        while let Some(row) = rows.next()? {
            let (name, path, line): (String, String, u32) = (row.get(0)?, row.get(1)?, row.get(2)?);
            let kind: String = row.get(3)?;
            let mut text = format!(
                "{}\t{}\t{line};\"\tkind:{kind}\tline:{line}",
                escaped(&name),
                escaped(&path)
            );
            let parent: Option<(String, String)> =
                row.get::<_, Option<String>>(4)?.zip(row.get(5)?);
            if let Some((kind, parent)) = parent {
                let _ = write!(text, "\tscope:{kind}:{}", escaped(&parent));
            }
            let _ = write!(text, "\tlanguage:{}", row.get::<_, String>(6)?);
            if matches!(&*kind, "function" | "method" | "macro") {
                let names: Option<String> = row.get(7)?;
                let names: Vec<String> =
                    names.and_then(|json| serde_json::from_str(&json).ok()).unwrap_or_default();
                let _ = write!(text, "\tsignature:({})", escaped(&names.join(", ")));
            }
            if let Some(result) = row.get::<_, Option<String>>(8)? {
                let _ = write!(text, "\ttyperef:typename:{}", escaped(&result));
            }
            let _ = write!(text, "\tend:{}", row.get::<_, u32>(9)?);
            lines.push(text);
        }
        // Escapes change the order of names.
        lines.sort_by(|a, b| name_of(a).cmp(name_of(b)));
        let mut all = HEADER.to_owned();
        for line in lines {
            all.push_str(&line);
            all.push('\n');
        }
        Ok(all)
    }
}

fn name_of(line: &str) -> &str {
    line.split('\t').next().unwrap_or(line)
}

/// A value without control characters; a name does not begin like a line of the header.
fn escaped(value: &str) -> String {
    let mut text = String::with_capacity(value.len());
    for (at, character) in value.char_indices() {
        match character {
            '\\' => text.push_str("\\\\"),
            '\t' => text.push_str("\\t"),
            '\n' => text.push_str("\\n"),
            '\r' => text.push_str("\\r"),
            '!' | ' ' if at == 0 => {
                let _ = write!(text, "\\x{:02x}", u32::from(character));
            }
            other if other.is_control() && other.is_ascii() => {
                let _ = write!(text, "\\x{:02x}", u32::from(other));
            }
            other => text.push(other),
        }
    }
    text
}
