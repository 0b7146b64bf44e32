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
    Unnamed,
    /// The finding fails the run, whatever its severity.
    Block,
}

/// The stricter of two values.
#[must_use]
pub fn stricter(one: FailOn, other: FailOn) -> FailOn {
    match (one, other) {
        (FailOn::Never, least) | (least, FailOn::Never) => least,
        (FailOn::Severity(one), FailOn::Severity(other)) => FailOn::Severity(one.min(other)),
    }
}

/// One of the three lists.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum List {
    /// `ci.warnOn`.
    WarnOn,
    /// `ci.blockOn`.
    BlockOn,
    /// `ci.ignore`.
    Ignore,
}

/// How specifically a selector selects rules. The more specific one wins.
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
    /// The list that contains it.
    pub list: List,
    /// The selector, as written.
    pub text: String,
    /// How it selects rules.
    pub means: SelectorKind,
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
    /// The policy of the base, and the ids of the findings that its settings report.
    base: Option<(Box<Policy>, BTreeSet<String>)>,
}

impl Policy {
    /// Creates the policy of a configuration, and a sentence on each selector that selects nothing.
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

    /// Combines this policy with that of the base for the findings with these ids; the stricter one
    /// wins.
    #[must_use]
    pub fn with_base(self, base: Self, ids: BTreeSet<String>) -> Self {
        let fail_on = stricter(self.fail_on, base.fail_on);
        Self { fail_on, base: Some((Box::new(base), ids)), ..self }
    }

    /// The verdict on a finding; the stricter one if the policy of the base also applies.
    #[must_use]
    pub fn verdict_of(&self, finding: &Finding) -> Verdict {
        let own = self.verdict(&finding.rule, finding.severity);
        match &self.base {
            Some((base, ids)) if ids.contains(&finding.id) => {
                own.max(base.verdict(&finding.rule, finding.severity))
            }
            _ => own,
        }
    }

    /// The verdict on a new finding of `rule` with `severity`, from the most specific selector that
    /// matches. Among equally specific ones, `ignore` precedes `blockOn`, and `blockOn` precedes
    /// `warnOn`.
    #[must_use]
    pub fn verdict(&self, rule: &str, severity: Severity) -> Verdict {
        let naming = self.by_rule.get(rule).into_iter().flatten();
        let naming = naming
            .filter_map(|&index| self.selectors.get(index))
            .filter(|selector| selector.severity.is_none_or(|wanted| wanted == severity));
        match naming.map(|selector| (selector.means, selector.list)).max() {
            Some((_, List::Ignore)) => Verdict::Ignore,
            Some((_, List::BlockOn)) => Verdict::Block,
            Some((_, List::WarnOn)) => Verdict::Warn,
            None => Verdict::Unnamed,
        }
    }

    /// Whether a new finding of `rule` with `severity` fails the run.
    #[must_use]
    pub fn fails(&self, rule: &str, severity: Severity) -> bool {
        match self.verdict(rule, severity) {
            Verdict::Block => true,
            Verdict::Warn | Verdict::Ignore => false,
            Verdict::Unnamed => {
                matches!(self.fail_on, FailOn::Severity(least) if severity >= least)
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
    let ids = |wanted: &dyn Fn(&Rule) -> bool| -> BTreeSet<String> {
        rules.iter().filter(|rule| wanted(rule)).map(|rule| rule.id.to_string()).collect()
    };
    let tagged = |tag: &str| ids(&|rule| rule.tags.iter().any(|one| one.eq_ignore_ascii_case(tag)));
    let category = CATEGORIES.iter().find(|(name, ..)| *name == text);

    let (means, severity, rules) = if text.contains(['*', '?', '[', '{']) {
        let globs = rule_globs(&[text]).map_err(|error| error.to_string())?;
        (SelectorKind::Glob, None, ids(&|rule| globs.is_match(&*rule.id)))
    } else if registry.contains(text) {
        (SelectorKind::Rule, None, registry.named(text).map(|rule| rule.id.to_string()).collect())
    } else if let Some((_, tag, severity)) = category {
        (SelectorKind::Category, *severity, tagged(tag))
    } else {
        (SelectorKind::Tag, None, tagged(text))
    };
    if rules.is_empty() {
        return Err(match means {
            SelectorKind::Category => format!("`{text}` selects nothing: no rule has its tag"),
            _ => unknown(text, registry),
        });
    }
    Ok(Selector { list, text: text.to_owned(), means, severity, rules })
}

/// The message for an unknown selector, with a suggestion.
fn unknown(text: &str, registry: &Registry) -> String {
    let rules = registry.rules();
    let tags = rules.iter().flat_map(|rule| &rule.tags).map(String::as_str);
    let categories = CATEGORIES.iter().map(|(name, ..)| *name);
    let known = rules.iter().map(|rule| &*rule.id).chain(tags).chain(categories);
    let near = nearest(text, known).or_else(|| registry.nearest(text));
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

    /// The verdicts on the rules of the pages, in order, at the severity of their page.
    fn verdicts(block: &[&str], warn: &[&str], ignore: &[&str]) -> [Verdict; 5] {
        let (policy, notes) = policy(block, warn, ignore);
        assert_eq!(notes, [""; 0]);
        let registry = registry();
        ["keys/open", "keys/weak", "team/quiet", "team/typed", "team/plain"].map(|id| {
            let rule = registry.get(id).expect("a page of its own");
            policy.verdict(id, rule.severity)
        })
    }

    #[test]
    fn a_rule_is_named_by_id_alias_glob_tag_or_category() {
        use Verdict::{Block, Ignore, Unnamed, Warn};
        assert_eq!(verdicts(&["keys/open"], &[], &[]), [Block, Unnamed, Unnamed, Unnamed, Unnamed]);
        assert_eq!(verdicts(&["k1"], &[], &[]), [Block, Unnamed, Unnamed, Unnamed, Unnamed]);
        assert_eq!(verdicts(&[], &["keys/*"], &[]), [Warn, Warn, Unnamed, Unnamed, Unnamed]);
        assert_eq!(
            verdicts(&[], &[], &["type-safety"]),
            [Unnamed, Ignore, Unnamed, Ignore, Unnamed]
        );
        assert_eq!(verdicts(&["type_safety"], &[], &[]), [Unnamed, Block, Unnamed, Block, Unnamed]);
        assert_eq!(
            verdicts(&["security_critical"], &["code_style"], &[]),
            [Block, Unnamed, Warn, Unnamed, Unnamed],
            "a warning is not critical"
        );
    }

    #[test]
    fn the_narrower_selector_wins_and_then_ignore_and_block() {
        let of = |block: &[&str], warn: &[&str], ignore: &[&str]| verdicts(block, warn, ignore)[0];
        // Each against the next less specific one, in the list that would lose at equal
        // specificity.
        assert_eq!(of(&[], &["keys/open"], &["keys/*"]), Verdict::Warn);
        assert_eq!(of(&[], &["keys/*"], &["cwe-798"]), Verdict::Warn);
        assert_eq!(of(&[], &["cwe-798"], &["security_critical"]), Verdict::Warn);
        assert_eq!(of(&["keys/open"], &["keys/open"], &["K1"]), Verdict::Ignore);
        assert_eq!(of(&["keys/*"], &["keys/op*"], &[]), Verdict::Block);
    }

    #[test]
    fn a_block_fails_whatever_the_severity_and_a_warning_never_does() {
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
                "ci.blockOn: `commit_format` selects nothing: no rule has its tag",
                "ci.warnOn: unknown rule, tag or category `secruity`; did you mean `security`?",
                "ci.ignore: unknown rule, tag or category `none/*`",
                "ci.ignore: not a glob: `a[`: unclosed character class; missing ']'",
                "ci.ignore: unknown rule, tag or category `zzz`",
            ]
        );
        assert_eq!(policy.selectors(), []);
    }
}
