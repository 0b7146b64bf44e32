//! Families of rules written in Rust, as data: tables of function pointers that the program passes
//! in. The engine does not depend on any family.

use super::{Depth, Engine, EngineError, REDACTED, SKIPPED, Selection};
use crate::forms::syntax::language_of;
use crate::parse::syntax::Tree;
use crate::project::config::{Config, MAX_FILE_SIZE};
use crate::rules::packs::Packs;
use crate::rules::registry::{Registry, SECRETS};
use crate::rules::rule::Report;
use crate::rules::select::SettingsTable;
use crate::text::files::{Files, Memory};
use crate::text::kind::Kind;
use crate::text::purpose::Purpose;
use crate::text::source::{Source, Span};
use aidd_page::Tables;
use std::collections::{BTreeMap, BTreeSet, HashSet};
use std::sync::{Arc, OnceLock};

/// A set of related rules, such as the rules for Dockerfiles, diagrams or credentials.
#[derive(Clone, Copy, Debug)]
pub struct Family {
    /// The name of the family, for messages about the family itself.
    pub name: &'static str,
    /// The ids of the rules. Each rule has a shipped page without a check.
    pub rules: fn() -> Vec<&'static str>,
    /// The parameters of the rules.
    pub params: &'static [Param],
    /// The kind of the file with this path (relative, separated by `/`) and text; `None` if the
    /// family has no checks for it. The text can be empty if only the path is known.
    pub claim: fn(path: &str, text: &str) -> Option<Kind>,
    /// Whether the family can have findings in the file at this path, whatever its text: as a file
    /// that it claims, as program code, or in a fenced block. Walks for which no family and no pattern
    /// can have any do not open the file.
    pub may_check: fn(path: &str) -> bool,
    /// The kind of fenced blocks whose info string starts with this word (in lower case); `None` if
    /// the family does not check such blocks.
    pub fence: fn(language: &str) -> Option<Kind>,
    /// Whether the text of a fenced block is a complete file of its kind. In an excerpt, findings
    /// would be wrong because other parts are missing.
    pub is_complete_file: fn(text: &str) -> bool,
    /// Runs the enabled checks over the source of the report, which is a file or fenced block of a
    /// kind that the family claims.
    pub check: fn(kind: Kind, context: &FileContext<'_>, report: &mut Report<'_>),
    /// The lower-case words whose offsets are passed to [`Family::check_keyword_hits`]. They are
    /// searched for together with the keywords of the pages.
    pub keywords: fn() -> Vec<&'static str>,
    /// Runs the checks on files that the family does not claim, given the offsets of the keywords.
    /// Not called if no keyword occurs.
    pub check_keyword_hits: fn(offsets: &[usize], report: &mut Report<'_>),
    /// Runs the checks on program code, with its shared syntax tree. Called for each file in a
    /// language that syntax patterns can check.
    pub check_code: fn(context: &FileContext<'_>, report: &mut Report<'_>),
    /// The spans of statements. An allow comment above the first line of a statement applies to
    /// the whole statement.
    pub statements: fn(kind: Kind, source: &Source) -> Vec<Span>,
    /// Whether findings in other files depend on the file at this path.
    pub affects_other_files: fn(path: &str) -> bool,
    /// The purpose of a file as its content shows it, such as a Dockerfile whose images run a
    /// development server; `None` if only the path shows the purpose. Called if there are findings
    /// whose severity depends on it.
    pub purpose: fn(kind: Kind, source: &Source, files: &dyn Files) -> Option<Purpose>,
    /// Sums the lines that tests execute over the files at `paths`, from the coverage reports of the
    /// project; `None` if the family reads no coverage reports.
    pub line_coverage: fn(files: &dyn Files, paths: &[String]) -> Option<LineCoverage>,
    /// The tokens of the files that agents load at the start of a session; empty if the family does
    /// not know them.
    pub session_costs: fn(files: &dyn Files) -> Vec<SessionCost>,
    /// Whether the family also checks the file at `path` if it is too large for other checks, given
    /// the beginning of its text.
    pub checks_large: fn(path: &str, head: &str) -> bool,
    /// Whether the checks need the list of the project's files.
    pub needs_listing: bool,
    /// Whether the family finds secrets. If so, it also runs on binary files and on files too large
    /// to parse.
    pub finds_secrets: bool,
}

impl Family {
    /// A family without rules, as a base for struct update syntax.
    pub const EMPTY: Self = Self {
        name: "",
        rules: Vec::new,
        params: &[],
        claim: |_, _| None,
        may_check: |_| true,
        fence: |_| None,
        is_complete_file: |_| true,
        check: |_, _, _| (),
        keywords: Vec::new,
        check_keyword_hits: |_, _| (),
        check_code: |_, _| (),
        statements: |_, _| Vec::new(),
        affects_other_files: |_| false,
        purpose: |_, _, _| None,
        line_coverage: |_, _| None,
        session_costs: |_| Vec::new(),
        checks_large: |_, _| false,
        needs_listing: false,
        finds_secrets: false,
    };
}

impl Family {
    /// Runs checks of this family until its time limit on one file.
    pub(super) fn run_within_limit(
        &self,
        report: &mut Report<'_>,
        check: impl FnOnce(&mut Report<'_>),
    ) {
        report.within_limit((self.name, SKIPPED), check);
    }
}

/// The ids of rules.
type Known = HashSet<&'static str>;

/// How many lines of a project the tests execute, according to its coverage reports. A file that no
/// report lists does not count.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct LineCoverage {
    /// The lines that tests execute.
    pub covered: u64,
    /// All lines that can be executed.
    pub lines: u64,
    /// The paths of the reports with these lines.
    pub reports: BTreeSet<String>,
    /// A report, and a listed file that changed after it was written.
    pub stale: Option<(String, String)>,
}

/// What one client of agents loads at the start of a session.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct SessionCost {
    /// The name of the client.
    pub client: &'static str,
    /// The files that it loads.
    pub parts: Vec<SessionPart>,
}

impl SessionCost {
    /// The sum over all files.
    #[must_use]
    pub fn tokens(&self) -> usize {
        self.parts.iter().map(|part| part.tokens).sum()
    }
}

/// A file that a client loads at the start of a session.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct SessionPart {
    /// The path, or a directory of which the client loads only names and descriptions.
    pub path: String,
    /// The number of tokens.
    pub tokens: usize,
}

/// A parameter of a rule written in Rust. The function of the rule reads the parameter with
/// [`Report::param`].
#[derive(Clone, Copy, Debug)]
pub struct Param {
    /// The id of the rule.
    pub rule: &'static str,
    /// The name of the parameter.
    pub name: &'static str,
    /// The type of its value.
    pub param_type: ParamType,
}

/// The type of a parameter's value.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum ParamType {
    /// A list of strings.
    Strings,
    /// A string, such as a file name.
    String,
    /// A non-negative integer.
    Number,
}

/// The input of the checks of one file, apart from its source, which is in the report.
#[derive(Clone, Copy)]
pub struct FileContext<'a> {
    /// All rules.
    pub registry: &'a Registry,
    /// The files of the project.
    pub files: &'a dyn Files,
    /// All families of the program.
    pub families: &'a [Family],
    /// The syntax tree of the source, parsed on first use.
    pub tree: &'a Tree<'a>,
    /// The elements of HTML that components render, as the configuration lists them.
    pub components: &'a BTreeMap<String, String>,
    /// The properties that name the element that a component renders, in lower case.
    pub polymorphic: &'a [String],
}

/// The content that a program ships: the rule pages, and the functions of the rules written in
/// Rust.
#[derive(Debug)]
pub struct Distribution {
    /// The shipped rule pages and packs.
    pub pages: &'static Tables,
    /// The families, in the order in which [`Family::claim`] is called.
    pub families: &'static [Family],
    /// Built when first needed; see [`Distribution::engine`].
    engine: OnceLock<Result<Engine, EngineError>>,
    /// The families that find secrets, with the engine for them; see
    /// [`Distribution::secrets_engine`].
    secrets: OnceLock<Box<Self>>,
}

/// A family, and the kind under which it claims a file; `None` if it does not claim the file.
pub(super) struct Claim(&'static Family, Option<Kind>);

impl Claim {
    /// The family and the kind, if the family claims the file.
    pub(super) fn as_claimed(&self) -> Option<(&'static Family, Kind)> {
        self.1.map(|kind| (self.0, kind))
    }

    /// Runs the checks on files that the family does not claim.
    pub(super) fn check_keyword_hits(&self, offsets: &[usize], report: &mut Report<'_>) {
        if self.1.is_none() && !offsets.is_empty() {
            let check = self.0.check_keyword_hits;
            self.0.run_within_limit(report, |report| check(offsets, report));
        }
    }
}

impl Distribution {
    /// A distribution of `pages` and `families`.
    #[must_use]
    pub const fn new(pages: &'static Tables, families: &'static [Family]) -> Self {
        Self { pages, families, engine: OnceLock::new(), secrets: OnceLock::new() }
    }

    /// An engine with the shipped rules and default settings, built once.
    ///
    /// # Errors
    /// The errors of [`Engine::new`].
    pub fn engine(&'static self) -> Result<&'static Engine, &'static EngineError> {
        let make = || {
            let registry = Registry::new(self.pages, &[]);
            Engine::new(self, registry, &Config::default(), &Selection::default())
        };
        self.engine.get_or_init(make).as_ref()
    }

    /// An engine with the shipped rules on secrets and default settings, built once. It finds secrets
    /// in text that belongs to no file, in a part of the time and memory that all rules need.
    ///
    /// # Errors
    /// The errors of [`Engine::new`], except that families without these rules are not examined.
    pub fn secrets_engine(&'static self) -> Result<&'static Engine, &'static EngineError> {
        let finders = || {
            let families = self.families.iter().filter(|family| family.finds_secrets);
            Box::new(Self::new(self.pages, families.copied().collect::<Vec<_>>().leak()))
        };
        let finders: &'static Self = self.secrets.get_or_init(finders);
        let make = || {
            let known = finders.families.iter().flat_map(|family| (family.rules)()).collect();
            if let Some(rule) = finders.first_unknown(SECRETS, &known) {
                return Err(EngineError::NoFunction(rule));
            }
            let (registry, config) = (Registry::on_secrets(self.pages), Config::default());
            let (packs, selection) = (Packs::default(), Selection::default());
            let settings = SettingsTable::new(&registry, &config, &packs, &selection)?;
            Engine::compiled(finders, registry, Arc::new(settings), packs.when, MAX_FILE_SIZE)
        };
        finders.engine.get_or_init(make).as_ref()
    }

    /// Returns `text` with secrets replaced, for messages that can quote a file or the command
    /// line.
    #[must_use]
    pub fn redact(&'static self, text: &str) -> String {
        self.redact_all([text.to_owned()]).pop().unwrap_or_default()
    }

    /// Returns the strings with secrets replaced.
    #[must_use]
    pub fn redact_all(&'static self, texts: impl IntoIterator<Item = String>) -> Vec<String> {
        let without_secrets = |mut text: String| {
            // Without the rules, secrets cannot be found, so no text is shown. Tests ensure that
            // this does not happen.
            let Ok(engine) = self.secrets_engine() else { return REDACTED.to_owned() };
            let source = Source::new("message", text.as_str());
            for span in engine.check_secrets(&source, &Memory::default()).secrets.iter().rev() {
                text.replace_range(span.range(), REDACTED);
            }
            text
        };
        texts.into_iter().map(without_secrets).collect()
    }

    /// Runs the checks of the active families on program code.
    pub(super) fn check_code(
        &self,
        depth: Depth,
        is_active: &dyn Fn(&Family) -> bool,
        context: &FileContext<'_>,
        report: &mut Report<'_>,
    ) {
        if depth == Depth::Full && language_of(report.source().path()).is_some() {
            for family in self.families.iter().filter(|family| is_active(family)) {
                family.run_within_limit(report, |report| (family.check_code)(context, report));
            }
        }
    }

    /// The claim of each family on a file, in the order of the families. Families for which
    /// `is_asked` is false do not claim the file.
    pub(super) fn claims(
        &self,
        source: &Source,
        is_asked: impl Fn(&'static Family) -> bool,
    ) -> Vec<Claim> {
        let claim = |family: &'static Family| {
            let kind = is_asked(family).then(|| (family.claim)(source.path(), source.text()));
            Claim(family, kind.flatten())
        };
        self.families.iter().map(claim).collect()
    }

    /// Whether some checks parse the file at `path`, determined from the path alone.
    #[must_use]
    pub fn parses(&self, path: &str) -> bool {
        !crate::text::kind::kinds(path, "").is_empty() || self.kinds(path).next().is_some()
    }

    /// Whether a family that finds secrets claims this path. Such a file is searched even if it is
    /// binary.
    #[must_use]
    pub fn finds_secrets(&self, path: &str) -> bool {
        let mut families = self.families.iter().filter(|family| family.finds_secrets);
        families.any(|family| (family.claim)(path, "").is_some())
    }

    /// The tokens of the files that agents load at the start of a session, by client.
    #[must_use]
    pub fn session_costs(&self, files: &dyn Files) -> Vec<SessionCost> {
        self.families.iter().flat_map(|family| (family.session_costs)(files)).collect()
    }

    /// The kinds under which families claim the file at `path`, determined from the path alone.
    pub fn kinds(&self, path: &str) -> impl Iterator<Item = Kind> {
        self.families.iter().filter_map(move |family| (family.claim)(path, ""))
    }

    /// Whether findings in other files depend on the file at `path`.
    #[must_use]
    pub fn affects_other_files(&self, path: &str) -> bool {
        self.families.iter().any(|family| (family.affects_other_files)(path))
    }

    /// The purpose of the file as its content shows it; see [`Family::purpose`].
    pub(super) fn purpose(&self, source: &Source, files: &dyn Files) -> Option<Purpose> {
        let claims = self.claims(source, |_| true);
        let mut claimed = claims.iter().filter_map(Claim::as_claimed);
        claimed.find_map(|(family, kind)| (family.purpose)(kind, source, files))
    }

    /// The first family that checks fenced blocks of this language (the first word of the info
    /// string), and the kind of these blocks.
    pub(super) fn family_for_fence(&self, language: &str) -> Option<(&'static Family, Kind)> {
        let language = language.to_ascii_lowercase();
        self.families.iter().find_map(|family| Some((family, (family.fence)(&language)?)))
    }

    /// The spans of statements; see [`Family::statements`].
    pub(super) fn statements(&self, source: &Source) -> Vec<Span> {
        let claimed = self.claims(source, |_| true);
        let claimed = claimed.iter().filter_map(Claim::as_claimed);
        claimed.flat_map(|(family, kind)| (family.statements)(kind, source)).collect()
    }

    /// The first shipped rule without an implementation: its page has no check, and no family has a
    /// function for it. Pages that only contain guidance are not rules.
    pub(super) fn first_without_function(&self, own: &Family) -> Option<&'static str> {
        let rules = || self.families.iter().chain([own]).flat_map(|family| (family.rules)());
        // Each rule has one page, so equal numbers mean that none is missing. Each start counts.
        let unchecked = self.pages.startup_fields.iter().filter(|head| head.form.is_none());
        if unchecked.count() == rules().count() + super::OWN_RULES.len() {
            return None;
        }
        self.first_unknown("", &rules().chain(super::OWN_RULES).collect())
    }

    /// The first page whose id begins with `prefix`, that has no check, and that is not in `known`.
    fn first_unknown(&self, prefix: &str, known: &Known) -> Option<&'static str> {
        let pages = self.pages.pages.iter().zip(self.pages.startup_fields);
        let mut unchecked = pages.filter(|(page, head)| {
            page.id.starts_with(prefix) && head.form.is_none() && !known.contains(page.id)
        });
        unchecked.next().map(|(page, _)| page.id)
    }
}
