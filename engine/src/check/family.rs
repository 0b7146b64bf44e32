//! Families of rules written in Rust, as data: a table of functions that whoever assembles a program
//! passes in. The engine knows none of them.

use super::{Engine, EngineError, REDACTED, Selection};
use crate::project::config::Config;
use crate::rules::registry::Registry;
use crate::rules::rule::Report;
use crate::text::files::{Files, Memory};
use crate::text::kind::Kind;
use crate::text::source::{Source, Span};
use aidd_page::Tables;
use std::sync::OnceLock;

/// The rules of one kind of file: Dockerfiles, diagrams, credentials.
#[derive(Clone, Copy, Debug)]
pub struct Family {
    /// Its name, for messages about the family itself.
    pub name: &'static str,
    /// The ids of its rules. Each has a shipped page without a check.
    pub rules: fn() -> Vec<&'static str>,
    /// The parameters that its rules take.
    pub params: &'static [Param],
    /// The kind of the file at a path (relative, `/` between segments) with this text; `None` when
    /// the family has no checks for it. The text may be empty, where only the path is known.
    pub claim: fn(path: &str, text: &str) -> Option<Kind>,
    /// The kind that the info string of a fenced block names by its first word, in lower case, if
    /// the block is whole enough to be checked.
    pub fence: fn(language: &str) -> Option<Kind>,
    /// Whether the text of a fenced block is a whole file of its kind: an excerpt would be blamed for
    /// what its other parts hold.
    pub is_whole: fn(text: &str) -> bool,
    /// Runs its enabled checks over the source of the report, which is a file or fenced block of
    /// a kind that the family claims.
    pub check: fn(kind: Kind, context: &FileContext<'_>, report: &mut Report<'_>),
    /// Words, in lower case, whose places [`Family::hits`] looks at. They are searched together with
    /// the keywords of the pages.
    pub keywords: fn() -> Vec<&'static str>,
    /// Runs the checks that any file gets which the family does not claim, on the offsets of the
    /// keywords in it. Not called without an offset.
    pub hits: fn(offsets: &[usize], report: &mut Report<'_>),
    /// What an allow comment above its first line applies to as a whole.
    pub statements: fn(kind: Kind, source: &Source) -> Vec<Span>,
    /// Whether findings in other files depend on the file at this path.
    pub is_read: fn(path: &str) -> bool,
    /// Whether it looks for secrets: then it runs on binary files and on files too large to parse.
    pub finds_secrets: bool,
}

impl Family {
    /// A family without rules, to fill in.
    pub const EMPTY: Self = Self {
        name: "",
        rules: Vec::new,
        params: &[],
        claim: |_, _| None,
        fence: |_| None,
        is_whole: |_| true,
        check: |_, _, _| (),
        keywords: Vec::new,
        hits: |_, _| (),
        statements: |_, _| Vec::new(),
        is_read: |_| false,
        finds_secrets: false,
    };
}

/// A parameter of a rule written in Rust, which the function asks for by [`Report::param`].
#[derive(Clone, Copy, Debug)]
pub struct Param {
    /// The id of the rule.
    pub rule: &'static str,
    /// Its name.
    pub name: &'static str,
    /// What it takes.
    pub takes: ParamType,
}

/// What a parameter takes.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum ParamType {
    /// A list of strings.
    Strings,
    /// A string.
    String,
    /// A whole number, not below 0.
    Number,
}

/// What the checks of one file may look at, apart from its source, which the report has.
#[derive(Clone, Copy)]
pub struct FileContext<'a> {
    /// All rules.
    pub registry: &'a Registry,
    /// The files of the project.
    pub files: &'a dyn Files,
    /// All families.
    pub families: &'a [Family],
}

/// What a program ships: the pages, and the functions of the rules that are written in Rust.
#[derive(Debug)]
pub struct Distribution {
    /// The rule pages and packs.
    pub pages: &'static Tables,
    /// The families.
    pub families: &'static [Family],
    /// Made when first needed: see [`Distribution::engine`].
    engine: OnceLock<Result<Engine, EngineError>>,
}

/// A family, and the kind by which it claims a file.
pub(super) struct Claim(&'static Family, Option<Kind>);

impl Claim {
    /// The family and the kind, if it claims the file.
    pub(super) fn claimed(&self) -> Option<(&'static Family, Kind)> {
        self.1.map(|kind| (self.0, kind))
    }

    /// Runs the checks that any file gets which the family does not claim.
    pub(super) fn hits(&self, offsets: &[usize], report: &mut Report<'_>) {
        if self.1.is_none() && !offsets.is_empty() {
            (self.0.hits)(offsets, report);
        }
    }
}

impl Distribution {
    /// One of `pages` and `families`.
    #[must_use]
    pub const fn new(pages: &'static Tables, families: &'static [Family]) -> Self {
        Self { pages, families, engine: OnceLock::new() }
    }

    /// The shipped rules alone under the default settings, made once: what looks for secrets in
    /// text that belongs to no file.
    ///
    /// # Errors
    /// As for [`Engine::new`].
    pub fn engine(&'static self) -> Result<&'static Engine, &'static EngineError> {
        let make = || {
            let registry = Registry::new(self.pages, &[]);
            Engine::new(self, registry, &Config::default(), &Selection::default())
        };
        self.engine.get_or_init(make).as_ref()
    }

    /// `text` without secrets: a message may quote what stands in a file, or on the command line.
    #[must_use]
    pub fn redact(&'static self, text: &str) -> String {
        self.redact_all([text.to_owned()]).pop().unwrap_or_default()
    }

    /// Several texts without secrets.
    #[must_use]
    pub fn redact_all(&'static self, texts: impl IntoIterator<Item = String>) -> Vec<String> {
        let without_secrets = |mut text: String| {
            // Without the rules nothing may be shown: tests rule it out.
            let Ok(engine) = self.engine() else { return REDACTED.to_owned() };
            let source = Source::new("message", text.as_str());
            for span in engine.check_secrets(&source, &Memory::default()).secrets.iter().rev() {
                text.replace_range(span.range(), REDACTED);
            }
            text
        };
        texts.into_iter().map(without_secrets).collect()
    }

    /// What each family claims of a file, in their order.
    pub(super) fn claims(&self, source: &Source) -> Vec<Claim> {
        let claim =
            |family: &'static Family| Claim(family, (family.claim)(source.path(), source.text()));
        self.families.iter().map(claim).collect()
    }

    /// Whether some checks parse the file at `path`, as far as the path alone can tell.
    #[must_use]
    pub fn parses(&self, path: &str) -> bool {
        !crate::text::kind::kinds(path, "").is_empty() || self.kinds(path).next().is_some()
    }

    /// Whether the file at `path` is searched for secrets by its format, also when it is binary.
    #[must_use]
    pub fn finds_secrets(&self, path: &str) -> bool {
        let mut families = self.families.iter().filter(|family| family.finds_secrets);
        families.any(|family| (family.claim)(path, "").is_some())
    }

    /// The kinds by which families claim the file at `path`, as far as the path alone can tell.
    pub fn kinds(&self, path: &str) -> impl Iterator<Item = Kind> {
        self.families.iter().filter_map(move |family| (family.claim)(path, ""))
    }

    /// Whether findings in other files depend on the file at `path`.
    #[must_use]
    pub fn is_read(&self, path: &str) -> bool {
        self.families.iter().any(|family| (family.is_read)(path))
    }

    /// The family and the kind that the first word of an info string names.
    pub(super) fn of_fence(&self, language: &str) -> Option<(&'static Family, Kind)> {
        let language = language.to_ascii_lowercase();
        self.families.iter().find_map(|family| Some((family, (family.fence)(&language)?)))
    }

    /// What an allow comment above its first line applies to as a whole.
    pub(super) fn statements(&self, source: &Source) -> Vec<Span> {
        let claimed = self.claims(source);
        let claimed = claimed.iter().filter_map(Claim::claimed);
        claimed.flat_map(|(family, kind)| (family.statements)(kind, source)).collect()
    }

    /// The first shipped rule that nothing checks: its page has no check, and no family has a
    /// function for it. Pages that only guide are no rules and have neither.
    pub(super) fn first_without_function(&self, own: &Family) -> Option<&'static str> {
        let known: std::collections::HashSet<&str> = self
            .families
            .iter()
            .chain([own])
            .flat_map(|family| (family.rules)())
            .chain(super::OWN_RULES)
            .collect();
        let pages = self.pages.pages.iter().zip(self.pages.heads);
        let mut unchecked =
            pages.filter(|(page, head)| head.form.is_none() && !known.contains(page.id));
        unchecked.next().map(|(page, _)| page.id)
    }
}
