//! The project's policy on new findings: the effect of `ci.blockOn`, `ci.warnOn` and `ci.ignore` on
//! a rule, in addition to `failOn`.

use aidd_engine::project::config::CiConfig;
use aidd_engine::rules::registry::Registry;
use aidd_engine::rules::rule::Rule;
use aidd_engine::text::finding::{FailOn, Finding, Severity};
use aidd_engine::text::nearest::nearest;
use aidd_engine::text::paths::rule_globs;
use std::collections::{BTreeSet, HashMap};

/// Categories of rules: the name, the tag of their rules, and the severity that a finding must also
/// have.
const CATEGORIES: [(&str, &str, Option<Severity>); 7] = [
    ("security_critical", "security", Some(Severity::Error)),
    ("type_safety", "type-safety", None),
    ("code_style", "code-style", None),
    ("documentation", "documentation", None),
    ("commit_format", "commit-format", None),
    ("test_coverage", "test-coverage", None),
    ("performance", "performance", None),
];

/// The effect of the policy on a new finding, in ascending strictness.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Verdict {
    /// The finding is omitted from the reports.
    Ignore,
    /// The finding does not fail the run.
    Warn,
    /// No selector matches: the severity decides.
    Unmatched,
    /// The finding fails the run, whatever its severity.
    Block,
}

/// The stricter of two values.
#[must_use]
pub fn stricter(a: FailOn, b: FailOn) -> FailOn {
    match (a, b) {
        (FailOn::Never, threshold) | (threshold, FailOn::Never) => threshold,
        (FailOn::Severity(a), FailOn::Severity(b)) => FailOn::Severity(a.min(b)),
    }
}

/// One of the three lists of selectors in the configuration.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum List {
    /// `ci.warnOn`.
    WarnOn,
    /// `ci.blockOn`.
    BlockOn,
    /// `ci.ignore`.
    Ignore,
}

/// How specifically a selector selects rules. The more specific selector wins.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum SelectorKind {
    /// By category: `security_critical`.
    Category,
    /// By tag: `cwe-798`.
    Tag,
    /// By a glob of ids: `secrets/*`.
    Glob,
    /// By id or alias.
    Rule,
}

/// A resolved selector of a list.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Selector {
    /// The list that contains the selector.
    pub list: List,
    /// The selector, as written.
    pub text: String,
    /// How the selector selects rules.
    pub kind: SelectorKind,
    /// The severity that a finding must also have.
    pub severity: Option<Severity>,
    /// The ids of the selected rules.
    pub rules: BTreeSet<String>,
}

/// The conditions under which a run fails.
#[derive(Clone, Debug)]
pub struct Policy {
    selectors: Vec<Selector>,
    /// Rule id → indexes into `selectors`.
    by_rule: HashMap<String, Vec<usize>>,
    /// The lowest severity that fails if no selector matches.
    pub fail_on: FailOn,
    /// The policy of the base, and the ids of the findings to which it also applies.
    base: Option<(Box<Policy>, BTreeSet<String>)>,
}

impl Policy {
    /// Creates the policy of a configuration. Also returns a note for each selector that selects no
    /// rule.
    #[must_use]
    pub fn new(config: &CiConfig, fail_on: FailOn, registry: &Registry) -> (Self, Vec<String>) {
        let mut selectors = Vec::new();
        let mut notes = Vec::new();
        let lists = [
            (List::BlockOn, &config.block_on),
            (List::WarnOn, &config.warn_on),
            (List::Ignore, &config.ignore),
        ];
        for (list, texts) in lists {
            for text in texts.iter().flatten() {
                match resolve(list, text, registry) {
                    Ok(selector) => selectors.push(selector),
                    Err(why) => notes.push(format!("ci.{}: {why}", list.key())),
                }
            }
        }
        let mut by_rule: HashMap<String, Vec<usize>> = HashMap::new();
        for (index, selector) in selectors.iter().enumerate() {
            for rule in &selector.rules {
                by_rule.entry(rule.clone()).or_default().push(index);
            }
        }
        (Self { selectors, by_rule, fail_on, base: None }, notes)
    }

    /// Combines this policy with the policy of the base for the findings with these ids; the
    /// stricter policy wins.
    #[must_use]
    pub fn with_base(self, base: Self, ids: BTreeSet<String>) -> Self {
        let fail_on = stricter(self.fail_on, base.fail_on);
        Self { fail_on, base: Some((Box::new(base), ids)), ..self }
    }

    /// The verdict on a finding; the stricter verdict if the policy of the base also applies.
    #[must_use]
    pub fn verdict_of(&self, finding: &Finding) -> Verdict {
        let verdict = self.verdict(&finding.rule, finding.severity);
        match &self.base {
            Some((base, ids)) if ids.contains(&finding.id) => {
                verdict.max(base.verdict(&finding.rule, finding.severity))
            }
            _ => verdict,
        }
    }

    /// The verdict on a new finding of `rule` with `severity`, from the most specific selector that
    /// matches. Among equally specific selectors, `ignore` takes precedence over `blockOn`, and
    /// `blockOn` over `warnOn`.
    #[must_use]
    pub fn verdict(&self, rule: &str, severity: Severity) -> Verdict {
        let matching = self.by_rule.get(rule).into_iter().flatten();
        let matching = matching
            .filter_map(|&index| self.selectors.get(index))
            .filter(|selector| selector.severity.is_none_or(|required| required == severity));
        match matching.map(|selector| (selector.kind, selector.list)).max() {
            Some((_, List::Ignore)) => Verdict::Ignore,
            Some((_, List::BlockOn)) => Verdict::Block,
            Some((_, List::WarnOn)) => Verdict::Warn,
            None => Verdict::Unmatched,
        }
    }

    /// Whether a new finding of `rule` with `severity` fails the run.
    #[must_use]
    pub fn fails(&self, rule: &str, severity: Severity) -> bool {
        match self.verdict(rule, severity) {
            Verdict::Block => true,
            Verdict::Warn | Verdict::Ignore => false,
            Verdict::Unmatched => {
                matches!(self.fail_on, FailOn::Severity(threshold) if severity >= threshold)
            }
        }
    }

    /// The selectors that select at least one rule, in the order of the configuration: `blockOn`,
    /// `warnOn`, `ignore`.
    #[must_use]
    pub fn selectors(&self) -> &[Selector] {
        &self.selectors
    }
}

impl List {
    /// The key below `ci`.
    #[must_use]
    pub fn key(self) -> &'static str {
        match self {
            Self::BlockOn => "blockOn",
            Self::WarnOn => "warnOn",
            Self::Ignore => "ignore",
        }
    }
}

impl SelectorKind {
    /// The kind of the selector, as one word.
    #[must_use]
    pub fn word(self) -> &'static str {
        match self {
            Self::Category => "category",
            Self::Tag => "tag",
            Self::Glob => "glob",
            Self::Rule => "rule",
        }
    }
}

/// Resolves a selector; the error states why it selects nothing.
fn resolve(list: List, text: &str, registry: &Registry) -> Result<Selector, String> {
    let rules = registry.rules();
    let ids_where = |is_selected: &dyn Fn(&Rule) -> bool| -> BTreeSet<String> {
        rules.iter().filter(|rule| is_selected(rule)).map(|rule| rule.id.to_string()).collect()
    };
    let tagged =
        |tag: &str| ids_where(&|rule| rule.tags.iter().any(|name| name.eq_ignore_ascii_case(tag)));
    let category = CATEGORIES.iter().find(|(name, ..)| *name == text);

    let (kind, severity, rules) = if text.contains(['*', '?', '[', '{']) {
        let globs = rule_globs(&[text]).map_err(|error| error.to_string())?;
        (SelectorKind::Glob, None, ids_where(&|rule| globs.is_match(&*rule.id)))
    } else if registry.contains(text) {
        (SelectorKind::Rule, None, registry.named(text).map(|rule| rule.id.to_string()).collect())
    } else if let Some((_, tag, severity)) = category {
        (SelectorKind::Category, *severity, tagged(tag))
    } else {
        (SelectorKind::Tag, None, tagged(text))
    };
    if rules.is_empty() {
        return Err(match kind {
            SelectorKind::Category => {
                format!("`{text}` selects nothing: no rule has the tag of this category")
            }
            _ => unknown_selector_message(text, registry),
        });
    }
    Ok(Selector { list, text: text.to_owned(), kind, severity, rules })
}

/// The message for an unknown selector, with a suggestion.
fn unknown_selector_message(text: &str, registry: &Registry) -> String {
    let rules = registry.rules();
    let tags = rules.iter().flat_map(|rule| &rule.tags).map(String::as_str);
    let categories = CATEGORIES.iter().map(|(name, ..)| *name);
    let known = rules.iter().map(|rule| &*rule.id).chain(tags).chain(categories);
    let near = nearest(text, known).map(str::to_owned).or_else(|| registry.nearest(text));
    let hint = near.map(|near| format!("; did you mean `{near}`?")).unwrap_or_default();
    format!("unknown rule, tag or category `{text}`{hint}")
}

#[cfg(test)]
mod tests {
    use super::*;

    const PAGES: [(&str, &str); 5] = [
        (
            "rules/a.md",
            "---\nseverity: error\ntags: [security, cwe-798]\naliases: [K1]\n---\n# keys/open\n\nA.\n",
        ),
        (
            "rules/b.md",
            "---\nseverity: warning\ntags: [security, type-safety]\n---\n# keys/weak\n\nB.\n",
        ),
        ("rules/c.md", "---\nseverity: info\ntags: [code-style]\n---\n# team/quiet\n\nC.\n"),
        ("rules/d.md", "---\nseverity: warning\ntags: [type-safety]\n---\n# team/typed\n\nD.\n"),
        ("rules/e.md", "---\nseverity: error\n---\n# team/plain\n\nE.\n"),
    ];

    fn registry() -> Registry {
        Registry::new(
            crate::DISTRIBUTION.pages,
            &PAGES.map(|(path, text)| (path.to_owned(), text.to_owned())),
        )
    }

    fn policy(block: &[&str], warn: &[&str], ignore: &[&str]) -> (Policy, Vec<String>) {
        let list = |texts: &[&str]| Some(texts.iter().map(|&text| text.to_owned()).collect());
        let config = CiConfig { block_on: list(block), warn_on: list(warn), ignore: list(ignore) };
        Policy::new(&config, FailOn::Severity(Severity::Error), &registry())
    }

    /// The verdicts on the rules of [`PAGES`], in order, at the severity of each page.
    fn verdicts(block: &[&str], warn: &[&str], ignore: &[&str]) -> [Verdict; 5] {
        let (policy, notes) = policy(block, warn, ignore);
        assert_eq!(notes, [""; 0]);
        let registry = registry();
        ["keys/open", "keys/weak", "team/quiet", "team/typed", "team/plain"].map(|id| {
            let rule = registry.get(id).expect("a rule of `PAGES`");
            policy.verdict(id, rule.severity)
        })
    }

    #[test]
    fn a_rule_is_selected_by_id_alias_glob_tag_or_category() {
        use Verdict::{Block, Ignore, Unmatched, Warn};
        assert_eq!(
            verdicts(&["keys/open"], &[], &[]),
            [Block, Unmatched, Unmatched, Unmatched, Unmatched]
        );
        assert_eq!(
            verdicts(&["k1"], &[], &[]),
            [Block, Unmatched, Unmatched, Unmatched, Unmatched]
        );
        assert_eq!(verdicts(&[], &["keys/*"], &[]), [Warn, Warn, Unmatched, Unmatched, Unmatched]);
        assert_eq!(
            verdicts(&[], &[], &["type-safety"]),
            [Unmatched, Ignore, Unmatched, Ignore, Unmatched]
        );
        assert_eq!(
            verdicts(&["type_safety"], &[], &[]),
            [Unmatched, Block, Unmatched, Block, Unmatched]
        );
        assert_eq!(
            verdicts(&["security_critical"], &["code_style"], &[]),
            [Block, Unmatched, Warn, Unmatched, Unmatched],
            "a warning is not critical"
        );
    }

    #[test]
    fn the_more_specific_selector_wins_and_ignore_precedes_block() {
        let verdict =
            |block: &[&str], warn: &[&str], ignore: &[&str]| verdicts(block, warn, ignore)[0];
        // Each selector competes with a less specific selector in a list that would win at equal
        // specificity.
        assert_eq!(verdict(&[], &["keys/open"], &["keys/*"]), Verdict::Warn);
        assert_eq!(verdict(&[], &["keys/*"], &["cwe-798"]), Verdict::Warn);
        assert_eq!(verdict(&[], &["cwe-798"], &["security_critical"]), Verdict::Warn);
        assert_eq!(verdict(&["keys/open"], &["keys/open"], &["K1"]), Verdict::Ignore);
        assert_eq!(verdict(&["keys/*"], &["keys/op*"], &[]), Verdict::Block);
    }

    #[test]
    fn block_on_fails_at_any_severity_and_warn_on_never_fails() {
        let (policy, _) = policy(&["team/quiet"], &["keys/open"], &[]);
        assert!(policy.fails("team/quiet", Severity::Info));
        assert!(!policy.fails("keys/open", Severity::Error));
        assert!(policy.fails("team/plain", Severity::Error));
        assert!(!policy.fails("team/typed", Severity::Warning));
    }

    #[test]
    fn a_selector_that_selects_nothing_is_reported() {
        let (policy, notes) =
            policy(&["keys/opne", "commit_format"], &["secruity"], &["none/*", "a[", "zzz"]);
        assert_eq!(
            notes,
            [
                "ci.blockOn: unknown rule, tag or category `keys/opne`; did you mean `keys/open`?",
                "ci.blockOn: `commit_format` selects nothing: no rule has the tag of this category",
                "ci.warnOn: unknown rule, tag or category `secruity`; did you mean `security`?",
                "ci.ignore: unknown rule, tag or category `none/*`",
                "ci.ignore: not a glob: `a[`: unclosed character class; missing ']'",
                "ci.ignore: unknown rule, tag or category `zzz`",
            ]
        );
        assert_eq!(policy.selectors(), []);
    }
}
