//! Naming cases of file and directory names.

use super::TreeError;
use regex::Regex;

/// The cases, with the names that pages use for them.
pub(super) const CASES: [(&str, Case); 9] = [
    ("kebab", Case::Kebab),
    ("kebab-case", Case::Kebab),
    ("snake", Case::Snake),
    ("snake_case", Case::Snake),
    ("camel", Case::Camel),
    ("pascal", Case::Pascal),
    ("screaming", Case::Screaming),
    ("flat", Case::Flat),
    ("lower", Case::Lower),
];

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Case {
    /// `two-words`
    Kebab,
    /// `two_words`
    Snake,
    /// `twoWords`
    Camel,
    /// `TwoWords`
    Pascal,
    /// `TWO_WORDS`
    Screaming,
    /// `twowords`
    Flat,
    /// No capital letter.
    Lower,
}

/// A requirement on a name.
#[derive(Debug)]
pub(super) enum NameRule {
    Case(&'static str, Case),
    /// A case as another tool defines it: the expression decides whether a name matches, and the
    /// case provides the description and the suggestion.
    Defined(&'static str, Case, Box<Regex>),
    Regex(String, Box<Regex>),
    /// The expression must not match.
    Not(String, Box<Regex>),
}

impl NameRule {
    /// Parses a case, or an expression between slashes, which a leading `!` negates. If a case is
    /// followed by a space and an expression, the expression defines the case.
    pub(super) fn new(text: &str) -> Result<Self, TreeError> {
        let not = text.strip_prefix("!/");
        let expression = not.or_else(|| text.strip_prefix('/'));
        let expression = expression.and_then(|rest| rest.strip_suffix('/'));
        if let Some(expression) = expression {
            let regex = compile_whole(text, expression)?;
            return Ok(match not {
                Some(_) => Self::Not(text[1..].to_owned(), regex),
                None => Self::Regex(text.to_owned(), regex),
            });
        }
        let (name, definition) = match text.split_once(" /") {
            Some((name, rest)) => (name, rest.strip_suffix('/')),
            None => (text, None),
        };
        let known = CASES.iter().find(|(known, _)| *known == name);
        match (known, definition) {
            (Some(&(name, case)), Some(definition)) => {
                Ok(Self::Defined(name, case, compile_whole(text, definition)?))
            }
            (Some(&(known, case)), None) if known == text => Ok(Self::Case(known, case)),
            _ => Err(TreeError::Case(text.to_owned())),
        }
    }

    /// The requirement as it is displayed in a message.
    pub(super) fn description(&self) -> String {
        match self {
            Self::Case(name, _) | Self::Defined(name, ..) => {
                format!("{} case", name.trim_end_matches(['-', '_']))
            }
            Self::Regex(text, _) => format!("`{text}`"),
            Self::Not(text, _) => format!("not matching `{text}`"),
        }
        .replace("-case case", " case")
        .replace("_case case", " case")
    }

    /// Whether the name meets the requirement. For a case, each part between dots is checked.
    pub(super) fn matches(&self, stem: &str) -> bool {
        match self {
            Self::Regex(_, regex) | Self::Defined(.., regex) => regex.is_match(stem),
            Self::Not(_, regex) => !regex.is_match(stem),
            Self::Case(_, case) => {
                stem.split('.').filter(|part| !part.is_empty()).all(|part| case.matches_case(part))
            }
        }
    }

    /// Converts `stem` to this case. Returns `None` for a plain expression, or if the expression
    /// does not match the converted name.
    pub(super) fn suggest(&self, stem: &str) -> Option<String> {
        let (Self::Case(_, case) | Self::Defined(_, case, _)) = self else { return None };
        let parts: Vec<String> = stem.split('.').map(|part| case.convert(part)).collect();
        let better = parts.join(".");
        (matches!(self, Self::Case(..)) || self.matches(&better)).then_some(better)
    }
}

/// Compiles an expression that must match the whole name.
fn compile_whole(text: &str, expression: &str) -> Result<Box<Regex>, TreeError> {
    let anchored = format!("^(?:{expression})$");
    let regex = regex::RegexBuilder::new(&anchored).size_limit(1 << 20).build();
    regex.map(Box::new).map_err(|why| TreeError::Expression { text: text.to_owned(), why })
}

impl Case {
    fn matches_case(self, part: &str) -> bool {
        let separator = match self {
            Self::Kebab => Some('-'),
            Self::Snake | Self::Screaming => Some('_'),
            _ => None,
        };
        let is_allowed = |c: char| c.is_alphanumeric() || Some(c) == separator;
        let first = part.chars().next();
        let upper = |c: Option<char>| c.is_some_and(char::is_uppercase);
        let is_well_separated = separator.is_none_or(|separator| {
            !part.starts_with(separator)
                && !part.ends_with(separator)
                && !part.contains(&format!("{separator}{separator}"))
        });
        match self {
            Self::Lower => !part.chars().any(char::is_uppercase),
            Self::Kebab | Self::Snake | Self::Flat => {
                is_well_separated && part.chars().all(|c| is_allowed(c) && !c.is_uppercase())
            }
            Self::Screaming => {
                is_well_separated && part.chars().all(|c| is_allowed(c) && !c.is_lowercase())
            }
            Self::Camel => !upper(first) && part.chars().all(is_allowed),
            Self::Pascal => {
                first.is_some_and(|c| !c.is_lowercase()) && part.chars().all(is_allowed)
            }
        }
    }

    fn convert(self, part: &str) -> String {
        let words = words(part);
        let title = |word: &String| {
            let mut letters = word.chars();
            let first = letters.next().into_iter().flat_map(char::to_uppercase);
            first.chain(letters).collect::<String>()
        };
        match self {
            Self::Kebab => words.join("-"),
            Self::Snake => words.join("_"),
            Self::Screaming => words.join("_").to_uppercase(),
            Self::Flat => words.concat(),
            Self::Lower => part.to_lowercase(),
            Self::Pascal => words.iter().map(title).collect(),
            Self::Camel => {
                let rest = words.iter().skip(1).map(title);
                words.first().cloned().into_iter().chain(rest).collect()
            }
        }
    }
}

/// The words of a name, in lower case.
pub(crate) fn words(part: &str) -> Vec<String> {
    let mut words = vec![String::new()];
    let mut was_lower = false;
    for c in part.chars() {
        if !c.is_alphanumeric() {
            words.push(String::new());
        } else {
            if c.is_uppercase() && was_lower {
                words.push(String::new());
            }
            if let Some(word) = words.last_mut() {
                word.extend(c.to_lowercase());
            }
        }
        was_lower = c.is_lowercase() || c.is_numeric();
    }
    words.retain(|word| !word.is_empty());
    words
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_are_checked_and_suggested() {
        let check = |case: &str, stem: &str| {
            let rule = NameRule::new(case).expect(case);
            if rule.matches(stem) {
                "ok".to_owned()
            } else {
                rule.suggest(stem).unwrap_or_default()
            }
        };
        assert_eq!(check("kebab", "user-card.test"), "ok");
        assert_eq!(check("kebab", "UserCard.test"), "user-card.test");
        assert_eq!(check("kebab", "a--b"), "a-b");
        assert_eq!(check("snake", "userCard2"), "user_card2");
        assert_eq!(check("camel", "user-card"), "userCard");
        assert_eq!(check("pascal", "user_card"), "UserCard");
        assert_eq!(check("pascal", "App"), "ok");
        assert_eq!(check("screaming", "LICENSE"), "ok");
        assert_eq!(check("flat", "a-b"), "ab");
        assert_eq!(check("lower", "a-b_c"), "ok");
        assert_eq!(check("/\\d{4}-[a-z-]+/", "0001-a-b"), "ok");
        assert_eq!(check("/\\d{4}-[a-z-]+/", "x0001-a"), "");
        assert_eq!(check("!/test.*/", "user"), "ok");
        assert_eq!(check("!/test.*/", "testUser"), "");
        assert_eq!(NameRule::new("!/a/").expect("valid").description(), "not matching `/a/`");
        assert_eq!(check("kebab /[a-z-]*/", "a--b"), "ok");
        assert_eq!(check("kebab /[a-z-]*/", "UserCard"), "user-card");
        assert_eq!(check("kebab /[a-z-]*/", "name-\u{C774}"), "", "no name to suggest");
        assert_eq!(NameRule::new("kebab /[a-z-]*/").expect("valid").description(), "kebab case");
        for invalid in ["kabab /a/", "kebab /a", "kebab a", "kebab /(/"] {
            assert!(NameRule::new(invalid).is_err(), "{invalid}");
        }
        assert!(NameRule::new("kabab").expect_err("unknown").to_string().contains("one of kebab"));
    }
}
