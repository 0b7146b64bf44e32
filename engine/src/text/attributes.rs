//! Reads the attributes for GitHub's Linguist in the `.gitattributes` at the root: which files are
//! vendored, generated or documentation.
//! <https://github.com/github-linguist/linguist/blob/main/docs/overrides.md>

use crate::text::files::Files;
use crate::text::paths::Globs;
use crate::text::purpose::Purpose;

/// The path of the file, relative to the root.
pub const PATH: &str = ".gitattributes";

/// Maximum size of the file in bytes; Git itself ignores larger files.
const MAX_BYTES: u64 = 100 << 20;

/// The attributes that determine the purpose of a file.
const ATTRIBUTES: [(&str, Purpose); 3] = [
    ("linguist-vendored", Purpose::Vendored),
    ("linguist-generated", Purpose::Generated),
    ("linguist-documentation", Purpose::Documentation),
];

/// The lines that set one of the attributes.
#[derive(Debug, Default)]
pub struct Attributes {
    lines: Vec<(Globs, Purpose, bool)>,
}

impl Attributes {
    /// The attributes of the project with these `files`; none if the file cannot be read.
    #[must_use]
    pub fn read(files: &dyn Files) -> Self {
        let bytes = files.read(PATH, MAX_BYTES).unwrap_or_default();
        Self::parse(&String::from_utf8_lossy(&bytes))
    }

    /// The attributes in a text. Lines with a malformed pattern are skipped, as Git does.
    #[must_use]
    pub fn parse(text: &str) -> Self {
        let mut lines = Vec::new();
        for line in text.lines().filter(|line| line.contains("linguist-")) {
            let mut words = line.split_whitespace();
            let Some(pattern) = words.next().filter(|word| !word.starts_with(['#', '!', '"']))
            else {
                continue;
            };
            for word in words {
                let (name, is_set) = match word.split_once('=') {
                    Some((name, value)) => (name, value != "false"),
                    None => (word.trim_start_matches(['-', '!']), !word.starts_with(['-', '!'])),
                };
                let purpose = ATTRIBUTES.iter().find(|(known, _)| *known == name);
                if let Some((_, purpose)) = purpose
                    && let Ok(globs) = Globs::new(&[pattern], &[])
                {
                    lines.push((globs, *purpose, is_set));
                }
            }
        }
        Self { lines }
    }

    /// The purpose that the attributes state for the file at `path`; `Product` if an attribute is
    /// unset for the file, `None` if no line matches. The last matching line wins.
    #[must_use]
    pub fn purpose(&self, path: &str) -> Option<Purpose> {
        let stated = self.lines.iter().rev().find(|(globs, ..)| globs.matches(path));
        stated.map(|(_, purpose, is_set)| if *is_set { *purpose } else { Purpose::Product })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_last_matching_line_wins() {
        let attributes = Attributes::parse(
            "# linguist-vendored\n*.js linguist-vendored\nlib/*.js -linguist-vendored\n\
             *.lock text -diff\ngen/** linguist-generated=true\ngen/keep.rs linguist-generated=false\n\
             notes/ linguist-documentation\n[ linguist-vendored\n",
        );
        for (path, purpose) in [
            ("a/b.js", Some(Purpose::Vendored)),
            ("lib/b.js", Some(Purpose::Product)),
            ("a.lock", None),
            ("gen/a/b.rs", Some(Purpose::Generated)),
            ("gen/keep.rs", Some(Purpose::Product)),
            ("notes/a.txt", Some(Purpose::Documentation)),
            ("src/a.rs", None),
        ] {
            assert_eq!(attributes.purpose(path), purpose, "{path}");
        }
    }
}
