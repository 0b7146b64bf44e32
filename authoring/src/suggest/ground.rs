//! What is known of the project that sentences speak of.

use aho_corasick::AhoCorasick;
use aidd_engine::forms::syntax::language_of;
use aidd_engine::text::files::{Files, SIDE_FILE_LIMIT};
use std::collections::{BTreeMap, BTreeSet, HashSet};

/// Most bytes of code that are read to learn which language a name is of.
const MOST_BYTES: u64 = 48 << 20;

/// The languages of programs; the others are data and style.
const CODE: [&str; 9] =
    ["c", "go", "java", "javascript", "php", "python", "ruby", "rust", "typescript"];

/// The manifests that name packages, and how a package of theirs is written in a check.
const MANIFESTS: [(&str, &str); 5] = [
    ("package.json", "npm"),
    ("Cargo.toml", "crate"),
    ("pyproject.toml", "py"),
    ("requirements.txt", "py"),
    ("go.mod", "go"),
];

/// What is known of the project.
#[derive(Debug, Default)]
pub struct Ground {
    /// Its files, from the root, with `/`, ordered.
    pub paths: Vec<String>,
    /// The languages of its programs.
    pub languages: BTreeSet<&'static str>,
    /// Which name stands in files of which language.
    holding: HashSet<(&'static str, String)>,
    /// Which name is called in files of which language.
    called: HashSet<(&'static str, String)>,
    manifests: BTreeMap<&'static str, String>,
    /// What was not read, in words.
    pub notes: Vec<String>,
}

impl Ground {
    /// The ground of `paths`. In the files of code among them `words` are looked for.
    #[must_use]
    pub fn new(files: &dyn Files, paths: &[String], words: &BTreeSet<String>) -> Self {
        let mut ground = Self { paths: paths.to_vec(), ..Self::default() };
        ground.paths.sort();
        for path in paths {
            let name = path.rsplit('/').next().unwrap_or(path);
            if let Some((_, kind)) = MANIFESTS.iter().find(|(manifest, _)| *manifest == name)
                && let Ok(bytes) = files.read(path, SIDE_FILE_LIMIT)
            {
                let text = ground.manifests.entry(kind).or_default();
                text.push_str(&String::from_utf8_lossy(&bytes));
                text.push('\n');
            }
        }
        ground.languages = paths.iter().filter_map(|path| program(path)).collect();
        ground.search(files, words);
        ground
    }

    fn search(&mut self, files: &dyn Files, words: &BTreeSet<String>) {
        let words: Vec<&String> = words.iter().filter(|word| !word.is_empty()).collect();
        let Ok(search) = AhoCorasick::new(&words) else { return };
        let mut left = MOST_BYTES;
        let mut unread = 0;
        for path in &self.paths {
            let Some(language) = program(path) else { continue };
            let known = |word: &&String| self.called.contains(&(language, (*word).clone()));
            if words.is_empty() || words.iter().all(known) {
                continue;
            }
            let Ok(bytes) = files.read(path, left.min(SIDE_FILE_LIMIT)) else { continue };
            left -= (bytes.len() as u64).min(left);
            if left == 0 {
                unread += 1;
                continue;
            }
            for found in search.find_overlapping_iter(&bytes) {
                let word = words[found.pattern().as_usize()];
                self.holding.insert((language, word.clone()));
                let is_whole = found.start() == 0 || !is_word_byte(bytes[found.start() - 1]);
                if is_whole && bytes.get(found.end()) == Some(&b'(') {
                    self.called.insert((language, word.clone()));
                }
            }
        }
        if unread > 0 {
            self.notes.push(format!(
                "{unread} files were not searched for names: there is more than {} MiB of code",
                MOST_BYTES >> 20
            ));
        }
    }

    /// The languages of the files that hold `word`.
    #[must_use]
    pub fn holding(&self, word: &str) -> Vec<&'static str> {
        let holds =
            |language: &&&'static str| self.holding.contains(&(**language, word.to_owned()));
        self.languages.iter().filter(holds).copied().collect()
    }

    /// Whether code of the language calls a function of this name.
    #[must_use]
    pub fn calls(&self, name: &str, language: &'static str) -> bool {
        self.called.contains(&(language, name.to_owned()))
    }

    /// Whether the manifests name the package: how it is written in a check.
    #[must_use]
    pub fn package(&self, name: &str) -> Option<String> {
        let is_name = !name.is_empty()
            && name.chars().all(|c| c.is_ascii_alphanumeric() || "-_@/.".contains(c))
            && !name.ends_with('/');
        let names = |kind: &str, text: &str| {
            text.match_indices(name).any(|(at, _)| {
                let (before, after) = (&text[..at], &text[at + name.len()..]);
                let ends = |c: Option<char>| {
                    c.is_none_or(|c| !(c.is_ascii_alphanumeric() || "-_/@.".contains(c)))
                };
                ends(before.chars().next_back())
                    && ends(after.chars().next())
                    // A word of JSON is no name there unless it stands in quotation marks.
                    && (kind != "npm" || before.ends_with('"') && after.starts_with('"'))
            })
        };
        let (kind, _) = self.manifests.iter().find(|(kind, text)| is_name && names(kind, text))?;
        let name = if *kind == "crate" { name.replace('-', "_") } else { name.to_owned() };
        Some(format!("{kind}:{name}"))
    }

    /// Whether there is a manifest of this kind of packages.
    #[must_use]
    pub fn has_manifest(&self, kind: &str) -> bool {
        self.manifests.contains_key(kind)
    }

    /// How a package would be written that no manifest names.
    #[must_use]
    pub fn any_package(&self, name: &str) -> Option<String> {
        let is_name =
            !name.is_empty() && !name.contains(char::is_whitespace) && !name.ends_with('/');
        let kind = MANIFESTS
            .iter()
            .map(|(_, kind)| kind)
            .find(|kind| self.manifests.contains_key(*kind))?;
        is_name.then(|| format!("{kind}:{name}"))
    }

    /// Whether a file or folder of this path, or of this name anywhere, is there: its glob.
    #[must_use]
    pub fn folder(&self, code: &str) -> Option<String> {
        let name =
            code.trim_start_matches("./").trim_end_matches("/**").trim_end_matches(['/', '*']);
        let (at_root, inner) = (format!("{name}/"), format!("/{name}/"));
        if name.is_empty() || name.contains(char::is_whitespace) {
            None
        } else if self.paths.iter().any(|path| path.starts_with(&at_root)) {
            Some(format!("{name}/**"))
        } else if self.paths.iter().any(|path| path.contains(&inner)) {
            Some(format!("**/{name}/**"))
        } else {
            None
        }
    }

    /// The files of programs that there are, as a glob.
    #[must_use]
    pub fn code_glob(&self) -> Option<String> {
        let endings: BTreeSet<&str> = self
            .paths
            .iter()
            .filter(|path| program(path).is_some())
            .filter_map(|path| path.rsplit_once('.').map(|(_, ending)| ending))
            .filter(|ending| ending.bytes().all(|byte| byte.is_ascii_alphanumeric()))
            .collect();
        let endings: Vec<&str> = endings.into_iter().take(12).collect();
        match endings.as_slice() {
            [] => None,
            [one] => Some(format!("**/*.{one}")),
            many => Some(format!("**/*.{{{}}}", many.join(","))),
        }
    }
}

fn is_word_byte(byte: u8) -> bool {
    byte.is_ascii_alphanumeric() || byte == b'_'
}

/// The language of a program, by its path.
pub(super) fn program(path: &str) -> Option<&'static str> {
    let (name, _) = language_of(path)?;
    let name = if name == "tsx" { "typescript" } else { name };
    CODE.into_iter().find(|known| *known == name)
}

/// What is looked for in code to know the language of what stands in backticks.
pub(super) fn word(code: &str) -> String {
    let word = code.split(['(', '[']).next().unwrap_or(code);
    word.trim_matches(|c: char| !c.is_alphanumeric() && c != '_').to_owned()
}
