//! A common representation of JSON, YAML, TOML and front matter: typed values with spans. Unlike
//! [`super::tree`], which is for looking up text by key, it contains every value.

mod json;
mod toml;
mod yaml;

use crate::text::source::Span;

/// The data format of a file.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Format {
    /// JSON, with comments and trailing commas.
    Json,
    /// YAML, of one or more documents.
    Yaml,
    /// TOML, including lock files in TOML.
    Toml,
    /// The YAML between `---` lines at the start of a Markdown file.
    FrontMatter,
}

impl Format {
    /// The format of the file at `path`; `None` when it is not a data file.
    #[must_use]
    pub fn from_path(path: &str) -> Option<Self> {
        let name = path.rsplit('/').next().unwrap_or(path).to_ascii_lowercase();
        let extension = name.rsplit_once('.').map_or("", |(_, extension)| extension);
        match (name.as_str(), extension) {
            (
                ".babelrc" | ".eslintrc" | ".swcrc" | ".prettierrc" | ".stylelintrc"
                | "composer.lock",
                _,
            )
            | (
                _,
                "json" | "jsonc" | "json5" | "code-workspace" | "webmanifest" | "geojson" | "ipynb",
            ) => Some(Self::Json),
            ("cargo.lock" | "poetry.lock" | "uv.lock" | "pipfile" | "pdm.lock", _)
            | (_, "toml") => Some(Self::Toml),
            (_, "yaml" | "yml") | (".clang-format" | ".clang-tidy" | ".yamllint", _) => {
                Some(Self::Yaml)
            }
            (_, "md" | "mdx" | "mdc" | "markdown") => Some(Self::FrontMatter),
            _ => None,
        }
    }
}

/// The type of a value, with its content if it is a scalar.
#[derive(Clone, Debug, PartialEq)]
pub enum Datum {
    /// `null`, in YAML also an empty value.
    Null,
    /// `true` or `false`.
    Bool(bool),
    /// A number, as written.
    Number(String),
    /// A string, unescaped.
    Text(String),
    /// A list; its items are the [`Value::children`].
    List,
    /// A mapping; its entries are the [`Value::children`].
    Map,
}

/// A value and its position.
#[derive(Clone, Debug)]
pub struct Value {
    /// The type and content.
    pub datum: Datum,
    /// The span, including quotes.
    pub span: Span,
    /// The key and its span, if the value is in a mapping.
    pub key: Option<(String, Span)>,
    /// The index of the list or mapping that contains the value.
    pub parent: Option<usize>,
    /// The indexes of the values that it contains.
    pub children: Vec<usize>,
}

/// The data of one file as a list of values.
#[derive(Clone, Debug, Default)]
pub struct Values {
    /// Every value; a container precedes the values in it.
    pub all: Vec<Value>,
    /// The index of the top-level value of each document.
    pub roots: Vec<usize>,
    /// The span and message of the first error, if the file is malformed.
    pub broken: Option<(Span, String)>,
}

impl Values {
    /// Parses `text`.
    #[must_use]
    pub fn read(format: Format, text: &str) -> Self {
        match format {
            Format::Json => json::read(text),
            Format::Yaml => yaml::read(text, 0),
            Format::Toml => toml::read(text),
            Format::FrontMatter => front_matter(text)
                .map_or_else(Self::default, |(start, end)| yaml::read(&text[start..end], start)),
        }
    }

    fn add(
        &mut self,
        parent: Option<usize>,
        key: Option<(String, Span)>,
        datum: Datum,
        span: Span,
    ) -> usize {
        let at = self.all.len();
        self.all.push(Value { datum, span, key, parent, children: Vec::new() });
        match parent.and_then(|parent| self.all.get_mut(parent)) {
            Some(parent) => parent.children.push(at),
            None => self.roots.push(at),
        }
        at
    }

    /// The first list or mapping that is nested in more than `max` other values.
    #[must_use]
    pub fn deeper_than(&self, max: usize) -> Option<&Value> {
        let mut depths = vec![0_usize; self.all.len()];
        self.all.iter().enumerate().find_map(|(at, value)| {
            // A container precedes the values in it.
            depths[at] = value.parent.map_or(0, |parent| depths[parent] + 1);
            (depths[at] > max && matches!(value.datum, Datum::List | Datum::Map)).then_some(value)
        })
    }

    /// The index of the value with this key in the mapping `at`.
    #[must_use]
    pub fn child(&self, at: usize, key: &str) -> Option<usize> {
        let has_key =
            |child: &&usize| self.all[**child].key.as_ref().is_some_and(|(name, _)| name == key);
        // If a key is duplicated, the last entry is used, as in most parsers.
        self.all.get(at)?.children.iter().rev().find(has_key).copied()
    }

    /// Converts the value to JSON; numbers that JSON cannot represent become strings.
    #[must_use]
    pub fn json(&self, at: usize) -> serde_json::Value {
        use serde_json::{Map, Value as Json};
        // Children follow their parents, so building from last to first avoids recursion.
        let end = self.all.iter().skip(at + 1).position(|value| !self.is_below(value, at));
        let end = end.map_or(self.all.len(), |length| at + 1 + length);
        let mut built: Vec<Json> = vec![Json::Null; end - at];
        for index in (at..end).rev() {
            let Some(value) = self.all.get(index) else { continue };
            built[index - at] = match &value.datum {
                Datum::Null => Json::Null,
                Datum::Bool(value) => Json::Bool(*value),
                Datum::Number(text) => number(text),
                Datum::Text(text) => Json::String(text.clone()),
                Datum::List => {
                    let items = value.children.iter();
                    Json::Array(items.map(|&child| built[child - at].take()).collect())
                }
                Datum::Map => {
                    let mut map = Map::new();
                    for &child in &value.children {
                        let key = self.all[child].key.as_ref().map(|(key, _)| key.clone());
                        map.insert(key.unwrap_or_default(), built[child - at].take());
                    }
                    Json::Object(map)
                }
            };
        }
        built.swap_remove(0)
    }

    /// Whether `value`, which follows `at`, is nested in `at` at any depth.
    fn is_below(&self, value: &Value, at: usize) -> bool {
        let mut parent = value.parent;
        while let Some(above) = parent {
            if above <= at {
                return above == at;
            }
            parent = self.all[above].parent;
        }
        false
    }

    /// The text of a scalar, as matched against regular expressions.
    #[must_use]
    pub fn text(&self, at: usize) -> Option<String> {
        match &self.all.get(at)?.datum {
            Datum::Null => Some("null".to_owned()),
            Datum::Bool(value) => Some(value.to_string()),
            Datum::Number(text) | Datum::Text(text) => Some(text.clone()),
            Datum::List | Datum::Map => None,
        }
    }
}

/// A number as a JSON number if possible, otherwise as a string.
fn number(text: &str) -> serde_json::Value {
    use serde_json::Value as Json;
    let digits = text.replace('_', "");
    let digits = digits.strip_prefix('+').unwrap_or(&digits);
    if let Ok(integer) = digits.parse::<i64>() {
        return integer.into();
    }
    if let Ok(integer) = digits.parse::<u64>() {
        return integer.into();
    }
    let parsed = digits.parse::<f64>().ok().and_then(serde_json::Number::from_f64);
    parsed.map_or_else(|| Json::String(text.to_owned()), Json::Number)
}

/// The byte range between the `---` lines at the start of a Markdown file.
#[must_use]
pub fn front_matter(text: &str) -> Option<(usize, usize)> {
    let start = text.find('\n')? + 1;
    if text[..start].trim_start_matches('\u{FEFF}').trim_end() != "---" {
        return None;
    }
    let mut at = start;
    for line in text[start..].split_inclusive('\n') {
        if matches!(line.trim_end(), "---" | "...") {
            return Some((start, at));
        }
        at += line.len();
    }
    None
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    /// Every scalar with its path and the text that its span covers.
    fn render(format: Format, text: &str) -> Vec<String> {
        let values = Values::read(format, text);
        let path = |mut at: usize| {
            let mut path = Vec::new();
            while let Some(parent) = values.all[at].parent {
                path.push(match &values.all[at].key {
                    Some((key, _)) => key.clone(),
                    None => {
                        let index = values.all[parent].children.iter().position(|&c| c == at);
                        index.unwrap_or_default().to_string()
                    }
                });
                at = parent;
            }
            path.reverse();
            path.join(".")
        };
        let all = 0..values.all.len();
        all.filter(|&at| values.text(at).is_some())
            .map(|at| format!("{} {}", path(at), &text[values.all[at].span.range()]))
            .collect()
    }

    #[test]
    fn all_formats_give_the_same_values() {
        let json = "{ // why\n \"a\": {\"b\": [1, \"x\", true, null,]},\n}";
        let yaml = "a:\n  b:\n  - 1\n  - x\n  - true\n  - null\n";
        let toml = "[a]\nb = [1, 'x', true]\n";
        assert_eq!(
            render(Format::Json, json),
            ["a.b.0 1", "a.b.1 \"x\"", "a.b.2 true", "a.b.3 null"]
        );
        assert_eq!(render(Format::Yaml, yaml), ["a.b.0 1", "a.b.1 x", "a.b.2 true", "a.b.3 null"]);
        assert_eq!(render(Format::Toml, toml), ["a.b.0 1", "a.b.1 'x'", "a.b.2 true"]);
        let front = format!("---\n{yaml}---\n# x: 1\n");
        assert_eq!(render(Format::FrontMatter, &front).len(), 4);
        for (format, text) in [(Format::Json, json), (Format::Yaml, yaml)] {
            let values = Values::read(format, text);
            let expected = serde_json::json!({"a": {"b": [1, "x", true, null]}});
            assert_eq!(values.json(values.roots[0]), expected);
        }
    }

    #[test]
    fn tables_anchors_and_documents_are_read() {
        let toml = "a.b = 1\n[[c]]\nd = 2\n[[c]]\nd = 3.5\n[e]\nf = { g = 2020-01-02 }\n";
        assert_eq!(
            render(Format::Toml, toml),
            ["a.b 1", "c.0.d 2", "c.1.d 3.5", "e.f.g 2020-01-02"]
        );
        let yaml = "x: &a {y: 1}\nz: *a\n---\nw: 'q'\n";
        assert_eq!(render(Format::Yaml, yaml), ["x.y 1", "z.y 1", "w 'q'"]);
        assert_eq!(
            render(Format::Yaml, "- yes\n- 0o7\n- ~\n- \"1\"\n"),
            ["0 yes", "1 0o7", "2 ~", "3 \"1\""]
        );
        for (format, text) in [(Format::Json, "{"), (Format::Yaml, "a: [1"), (Format::Toml, "a = ")]
        {
            assert!(Values::read(format, text).broken.is_some(), "{text}");
        }
        for text in ["a:\n  b: \"c\n  d\"\n", "a:\n  b: 'c\n  d: e\n"] {
            let (span, message) = Values::read(Format::Yaml, text).broken.expect("an error");
            assert_eq!(span, Span::at(text.find('d').expect("a line")), "{text}");
            assert!(message.contains("close the quote, or indent"), "{message}");
        }
        assert!(Values::read(Format::Yaml, "a:\n  b: \"c\n   d\"\n").broken.is_none());
    }

    proptest! {
        #[test]
        fn the_spans_of_any_text_are_valid(text in "[a-c:\\[\\]{}\"'&*=,. \n#é-]{0,60}") {
            for format in [Format::Json, Format::Yaml, Format::Toml, Format::FrontMatter] {
                let values = Values::read(format, &text);
                for value in &values.all {
                    prop_assert!(text.get(value.span.range()).is_some(), "{format:?} {text:?}");
                }
                for &root in &values.roots {
                    let _ = values.json(root);
                }
            }
        }
    }
}
