//! A catalogue of translated texts, in any format.

use aidd_engine::text::source::Span;

/// The format of a catalogue.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub(super) enum Format {
    /// JSON of i18next, FormatJS, next-intl, vue-i18n and similar libraries.
    Json,
    /// YAML of Rails, where the locale is the top-level key, and of vue-i18n.
    Yaml,
    /// Application resource bundles of Flutter.
    Arb,
    /// Translations of gettext, with their source texts.
    Po,
    /// Templates of gettext, without translations.
    Pot,
    /// Messages of Project Fluent.
    Fluent,
    /// Resource bundles of Java.
    Properties,
    /// String resources of Android.
    Android,
    /// Pairs of keys and texts in `.strings` files of Apple.
    Strings,
    /// Plural forms in `.stringsdict` files of Apple.
    StringsDict,
    /// String catalogs of Apple, which contain all locales.
    XcStrings,
    /// Resource files of .NET.
    Resx,
    /// PHP arrays of Laravel.
    Php,
    /// XLIFF 1.2 and 2.0.
    Xliff,
}

impl Format {
    /// Whether the files contain their source texts.
    pub(super) fn has_sources(self) -> bool {
        matches!(self, Self::Po | Self::Pot | Self::XcStrings | Self::Xliff)
    }
}

/// The type of format strings of an entry, as its flag in a PO file states.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Directives {
    /// `printf` of C, and of languages with the same directives.
    C,
    /// The operator `%` of Python.
    Python,
    /// The replacement fields of `str.format` in Python.
    PythonBrace,
    /// The numbered fields of `String.Format` in .NET.
    CSharp,
    /// The numbered fields of `MessageFormat` in Java, where apostrophes quote text.
    Java,
    /// The names in braces of Perl; other braces are text.
    PerlBrace,
    /// The numbers after a percent sign of Qt and KDE.
    Numbered,
    /// The variables of shell scripts.
    Shell,
    /// The references of Ruby: `%{name}` and `%<name>d`, and the directives of C.
    Ruby,
}

impl Directives {
    /// The type that a flag of a PO file states.
    pub(super) fn from_flag(flag: &str) -> Option<Self> {
        Some(match flag.strip_suffix("-format")? {
            "c" | "objc" | "php" | "lua" | "perl" | "awk" | "tcl" | "javascript" => Self::C,
            "python" => Self::Python,
            "python-brace" => Self::PythonBrace,
            "csharp" => Self::CSharp,
            "java" => Self::Java,
            "perl-brace" => Self::PerlBrace,
            "qt" | "kde" => Self::Numbered,
            "sh" => Self::Shell,
            "ruby" => Self::Ruby,
            _ => return None,
        })
    }

    /// The name of the syntax, for messages.
    pub(super) fn name(self) -> &'static str {
        match self {
            Self::C => "printf",
            Self::Python => "Python",
            Self::PythonBrace => "str.format",
            Self::CSharp => ".NET",
            Self::Java => "Java",
            Self::PerlBrace => "Perl",
            Self::Numbered => "Qt",
            Self::Shell => "the shell",
            Self::Ruby => "Ruby",
        }
    }
}

/// One text, or one plural form of a text.
#[derive(Clone, Debug)]
pub(super) struct Form {
    /// The plural category, or the index of the form in a PO file.
    pub(super) category: Option<Box<str>>,
    /// The text after escape sequences were resolved.
    pub(super) value: String,
    /// The span of the text in the file, without quotes.
    pub(super) span: Span,
}

/// The source text of an entry.
#[derive(Clone, Debug)]
pub(super) enum SourceText {
    /// The end of the key, from this byte.
    InKey(usize),
    Separate(Box<str>),
}

/// A key with its texts in one locale.
#[derive(Clone, Debug)]
pub(super) struct Entry {
    /// The full key: the keys of all levels, joined by `.`; for PO, context and `msgid`.
    pub(super) key: String,
    pub(super) key_span: Span,
    /// The texts; more than one if the format has plural forms.
    pub(super) forms: Vec<Form>,
    /// The source text, if the file contains it.
    pub(super) source: Option<SourceText>,
    /// The plural of the source text.
    pub(super) source_plural: Option<Box<str>>,
    pub(super) directives: Option<Directives>,
    /// Whether the entry is not used: fuzzy or obsolete.
    pub(super) inactive: bool,
    /// Whether the text is not to be translated, as the file states.
    pub(super) untranslatable: bool,
}

impl Entry {
    /// An entry with one text.
    pub(super) fn single(key: String, key_span: Span, value: String, span: Span) -> Self {
        Self::new(key, key_span, vec![Form { category: None, value, span }])
    }

    pub(super) fn new(key: String, key_span: Span, forms: Vec<Form>) -> Self {
        Self {
            key,
            key_span,
            forms,
            source: None,
            source_plural: None,
            directives: None,
            inactive: false,
            untranslatable: false,
        }
    }

    /// The source text and its plural, if the file contains them.
    pub(super) fn sources(&self) -> Option<(&str, Option<&str>)> {
        let text = match self.source.as_ref()? {
            SourceText::InKey(start) => &self.key[*start..],
            SourceText::Separate(text) => text,
        };
        Some((text, self.source_plural.as_deref()))
    }

    /// Whether the texts are those of another entry.
    fn has_texts_of(&self, other: &Self) -> bool {
        let texts = |entry: &Self| {
            let forms = entry.forms.iter();
            forms.map(|it| (it.category.clone(), it.value.clone())).collect::<Vec<_>>()
        };
        texts(self) == texts(other)
    }

    /// Whether all texts are empty.
    pub(super) fn is_empty(&self) -> bool {
        self.forms.iter().all(|form| form.value.is_empty())
    }
}

/// A defect that a reader finds.
#[derive(Clone, Debug)]
pub(super) struct Problem {
    /// The id of the rule.
    pub(super) rule: &'static str,
    pub(super) span: Span,
    pub(super) message: String,
    /// Another location that explains the defect.
    pub(super) related: Option<(Span, &'static str)>,
    /// An edit without which the defect would not exist: the bytes to replace, and the text.
    pub(super) fix: Option<(&'static str, Span, String)>,
    /// Whether the program behaves the same without the defect.
    pub(super) is_harmless: bool,
}

/// The entries and defects of one file.
#[derive(Clone, Debug, Default)]
pub(super) struct Catalogue {
    pub(super) entries: Vec<Entry>,
    pub(super) problems: Vec<Problem>,
    /// Whether all entries were read. After a syntax error, missing entries prove nothing.
    pub(super) complete: bool,
    /// For each plural form of a PO file, how many of the numbers up to 1,000 use it.
    pub(super) plural_uses: Vec<usize>,
    /// Whether the texts are messages in the syntax of ICU.
    pub(super) is_icu: bool,
    /// The keys that have no text yet.
    pub(super) empty_keys: Vec<String>,
    /// References to other messages: the name, and its span.
    pub(super) references: Vec<(String, Span)>,
}

/// The id of the rule on syntax errors.
pub(super) const SYNTAX: &str = "i18n/syntax-error";
/// The id of the rule on keys that occur twice.
pub(super) const DUPLICATE: &str = "i18n/duplicate-key";

impl Catalogue {
    pub(super) fn problem(&mut self, rule: &'static str, span: Span, message: impl Into<String>) {
        let message = message.into();
        self.problems.push(Problem {
            rule,
            span,
            message,
            related: None,
            fix: None,
            is_harmless: false,
        });
    }

    /// Adds the problems of keys that occur twice. `reason` states the consequence if the texts
    /// differ.
    pub(super) fn report_duplicates(&mut self, reason: &str) {
        let mut first = std::collections::HashMap::with_capacity(self.entries.len());
        let mut found = Vec::new();
        for entry in self.entries.iter().filter(|entry| !entry.inactive) {
            if let Some(earlier) = first.insert(&*entry.key, entry) {
                let spans = (entry.key_span, earlier.key_span);
                found.push((entry.key.clone(), spans, entry.has_texts_of(earlier)));
            }
        }
        for (key, (span, earlier), is_same) in found {
            self.report_duplicate(&key, (span, earlier), is_same, reason);
        }
    }

    /// Adds the problem of a key that occurs twice. `spans` are those of the second and of the first
    /// definition; `reason` states the consequence if the texts differ.
    pub(super) fn report_duplicate(
        &mut self,
        key: &str,
        (span, earlier): (Span, Span),
        is_same: bool,
        reason: &str,
    ) {
        let reason = if is_same { "both have the same text" } else { reason };
        self.problems.push(Problem {
            rule: DUPLICATE,
            span,
            message: format!("duplicate key `{key}`; {reason}"),
            related: Some((earlier, "first definition")),
            fix: None,
            is_harmless: is_same,
        });
    }
}
