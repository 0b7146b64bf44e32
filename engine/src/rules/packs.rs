//! Packs: sets of rules that a project enables under one name.

use crate::project::config::{Config, RuleSetting};
use crate::rules::registry::{Registry, error_message};
use crate::text::finding::RuleId;
use crate::text::kind::PACK_DIR;
use crate::text::nearest::nearest;
use crate::text::paths::{GlobError, rule_globs};
use crate::text::source::{Encoding, Source, Span};
use aidd_page::{self as page, Many, PackHeader, WhenHeader, Yaml};
use std::collections::{BTreeSet, HashMap};
use thiserror::Error;

/// Why a pack cannot be used.
#[derive(Clone, Debug, PartialEq, Eq, Error)]
pub enum PackError {
    /// There is no pack with this name.
    #[error("unknown pack `{name}`{}; {}", page_of(.name), hint(.nearest.as_deref(), .known))]
    Unknown {
        /// The name as configured.
        name: String,
        /// The most similar pack name, for `did you mean`.
        nearest: Option<String>,
        /// The names of all packs.
        known: Vec<String>,
    },
    /// The header of the pack's page is malformed.
    #[error("pack `{pack}`: {path}:{}:{}: {why}", .position.0, .position.1)]
    Page {
        /// The name of the pack.
        pack: String,
        /// The path of the pack's page.
        path: String,
        /// Line and column, from 1.
        position: (u32, u32),
        /// The error at that position.
        why: String,
    },
    /// The value that the pack sets for a rule is not a setting.
    #[error("pack `{pack}`: `{rule}`: {why}")]
    Setting {
        /// The name of the pack.
        pack: String,
        /// The rule id, or the glob over rule ids.
        rule: String,
        /// The reason why the value is not a setting.
        why: InvalidSetting,
    },
    /// A glob over rule ids is malformed.
    #[error("{0}")]
    Glob(#[from] GlobError),
}

/// A value that is not a valid rule setting.
#[derive(Clone, Debug, PartialEq, Eq, Error)]
#[error("expected off, info, warning, error, or an object with `severity` and `params`; found {0}")]
pub struct InvalidSetting(String);

/// The path where a project pack of this name is expected, in parentheses.
fn page_of(name: &str) -> String {
    let own = name.strip_prefix("./").filter(|own| !own.contains(".."));
    own.map_or(String::new(), |own| format!(" (`{PACK_DIR}/{own}.md`)"))
}

fn hint(nearest: Option<&str>, known: &[String]) -> String {
    nearest.map_or_else(
        || format!("known packs: {}", known.join(", ")),
        |near| format!("did you mean `{near}`?"),
    )
}

/// The packs of a configuration, resolved to rules.
#[derive(Debug, Default)]
pub struct Packs {
    /// The rules that the packs enable.
    pub enabled: BTreeSet<RuleId>,
    /// The settings of rules, in the order of the packs.
    pub settings: Vec<(RuleId, RuleSetting)>,
    /// The conditions of rules that are enabled conditionally; at least one condition of the list
    /// must be met.
    pub when: HashMap<RuleId, Many<WhenHeader>>,
}

/// The names of all packs: the shipped packs and the packs of the project.
#[must_use]
pub fn names(registry: &Registry) -> Vec<String> {
    let shipped = registry.tables().packs.iter().map(|pack| pack.id.to_owned());
    shipped.chain(registry.packs().map(|(name, ..)| name)).collect()
}

/// The pack name most similar to `name`.
#[must_use]
pub fn nearest_name(name: &str, registry: &Registry) -> Option<String> {
    let known = names(registry);
    nearest(name, known.iter().map(String::as_str)).map(str::to_owned)
}

/// The header of a pack: a shipped pack, or the page `.aidd/packs/name.md` for `./name`.
///
/// # Errors
/// When there is no pack with this name, or the pack's page cannot be parsed; the error contains
/// the position.
pub fn header(name: &str, registry: &Registry) -> Result<PackHeader, PackError> {
    if let Some((_, path, text)) = registry.packs().find(|(own, ..)| own == name) {
        return page::pack(text).map_err(|error| {
            let source = Source::new(path, text);
            let at = source.position(Span::from(error.span.clone()).start, Encoding::CodePoints);
            PackError::Page {
                pack: name.to_owned(),
                path: path.to_owned(),
                position: (at.line + 1, at.column + 1),
                why: error_message(&error),
            }
        });
    }
    registry.tables().pack(name).ok_or_else(|| PackError::Unknown {
        name: name.to_owned(),
        nearest: nearest_name(name, registry),
        known: names(registry),
    })
}

/// Parses the value that a pack sets for a rule.
///
/// # Errors
/// When the value is neither a severity nor an object with `severity` and `params`.
pub fn parse_setting(value: &Yaml) -> Result<RuleSetting, InvalidSetting> {
    // serde would read a list as the struct's fields in order.
    let is_list = value.0.trim_start().starts_with('[');
    let read = serde_json::from_str(&value.0).ok().filter(|_| !is_list);
    read.ok_or_else(|| InvalidSetting(value.0.clone()))
}

impl Packs {
    /// Resolves the packs that `config` enables.
    ///
    /// # Errors
    /// The first unknown pack name, or the first error in a pack's page.
    pub fn from_config(config: &Config, registry: &Registry) -> Result<Self, PackError> {
        let mut packs = Self::default();
        let mut always: BTreeSet<RuleId> = BTreeSet::new();
        for pack in config.compliance.iter().flatten() {
            let header = header(pack, registry)?;
            let rules = matching_rules(&header.rules, registry)?;
            for rule in rules {
                if header.when.is_empty() {
                    always.insert(rule.clone());
                }
                packs.when.entry(rule.clone()).or_default().0.extend(header.when.0.clone());
                packs.enabled.insert(rule);
            }
            for (name, setting) in &header.set {
                let setting = parse_setting(setting).map_err(|why| PackError::Setting {
                    pack: pack.clone(),
                    rule: name.clone(),
                    why,
                })?;
                let rules = matching_rules(std::slice::from_ref(name), registry)?;
                packs.settings.extend(rules.into_iter().map(|rule| (rule, setting.clone())));
            }
        }
        packs.when.retain(|rule, _| !always.contains(rule));
        Ok(packs)
    }
}

/// The rules matched by ids, aliases and globs, ordered by id. A former id is an alias.
fn matching_rules(names: &[String], registry: &Registry) -> Result<Vec<RuleId>, GlobError> {
    // Most names are ids, which do not have to be compiled as globs.
    let is_glob = |name: &&String| name.contains(['*', '?', '[', ']', '{', '}', '\\', '!', ',']);
    let (globs, ids): (Vec<&String>, Vec<&String>) = names.iter().partition(is_glob);
    let mut rules: BTreeSet<RuleId> = BTreeSet::new();
    for name in ids {
        let name = name.to_ascii_lowercase();
        match registry.get(&name) {
            Some(rule) => rules.extend([rule.id.clone()]),
            None => rules.extend(registry.named(&name).map(|rule| rule.id.clone())),
        }
    }
    if !globs.is_empty() {
        let globs = rule_globs(&globs)?;
        let ids = registry.rules().iter().map(|rule| &rule.id);
        rules.extend(ids.filter(|id| globs.is_match(&***id)).cloned());
    }
    Ok(rules.into_iter().collect())
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::check::{Engine, Selection};
    use crate::project::config;
    use crate::text::files::Memory;
    use std::fmt::Write as _;

    const RULE: &str = "---\nseverity: error\nenabled: false\ncheck:\n  params: { word: 'old' }\n  text: { regex: \"${word}\" }\n---\n# team/word\n\nWhy.\n";

    fn registry(pack: &str) -> Registry {
        Registry::new(
            crate::DISTRIBUTION.pages,
            &[
                (".aidd/rules/word.md".to_owned(), RULE.to_owned()),
                (".aidd/packs/team.md".to_owned(), pack.to_owned()),
            ],
        )
    }

    fn engine(pack: &str, config: &str) -> Result<Engine, String> {
        let config = config::read(config).expect("valid").0;
        let engine =
            Engine::new(&crate::DISTRIBUTION, registry(pack), &config, &Selection::default());
        engine.map_err(|error| error.to_string())
    }

    #[test]
    fn a_project_pack_enables_and_configures_rules() {
        let pack = "---\npack:\n  rules: ['team/*']\n  set: { team/word: { severity: info, params: { word: new } } }\n---\n# team\n";
        let found = |config: &str| {
            let engine = engine(pack, config).expect("an engine");
            let checked = engine.check(&Source::new("a.txt", "old new"), &Memory::default());
            let line = |finding: &crate::text::finding::Finding| {
                format!("{} {}", finding.severity, finding.rule)
            };
            checked.findings.iter().map(line).collect::<Vec<_>>()
        };
        assert_eq!(found("{}"), [""; 0]);
        assert_eq!(found(r#"{"compliance": ["./team"]}"#), ["info team/word"]);
        // The configuration overrides the pack.
        let config = r#"{"compliance": ["./team"], "rules": {"team/word": "warning"}}"#;
        assert_eq!(found(config), ["warning team/word"]);
    }

    #[test]
    fn a_condition_of_a_pack_applies_to_its_rules() {
        let pack = "---\npack:\n  rules: [team/word]\n  when: { nearest: go.mod }\n---\n# team\n";
        let engine = engine(pack, r#"{"compliance": ["./team"]}"#).expect("an engine");
        let source = Source::new("a.txt", "old");
        let count = |files: &Memory| engine.check(&source, files).findings.len();
        assert_eq!(count(&Memory::default()), 0);
        assert_eq!(count(&Memory([("go.mod".to_owned(), Vec::new())].into())), 1);
    }

    #[test]
    fn an_invalid_pack_is_reported_with_its_position() {
        let message = |pack: &str, name: &str| {
            engine(pack, &format!(r#"{{"compliance": ["{name}"]}}"#)).expect_err("wrong")
        };
        let valid = "---\npack: { rules: [team/word] }\n---\n# team\n";
        let mut messages = String::new();
        for (pack, name) in [
            ("---\npack:\n  rulez: [team/word]\n---\n", "./team"),
            ("# no header\n", "./team"),
            ("---\npack: { rules: [team/word], set: { team/word: loud } }\n---\n", "./team"),
            (valid, "./teem"),
            (valid, "./../x"),
            (valid, "securty"),
        ] {
            let _ =
                writeln!(messages, "{}", message(pack, name).chars().take(150).collect::<String>());
        }
        insta::assert_snapshot!(messages, @r#"
        compliance: pack `./team`: .aidd/packs/team.md:3:3: unknown key `rulez`; did you mean `rules`?
        compliance: pack `./team`: .aidd/packs/team.md:1:1: a page must begin with a header between `---` lines
        compliance: pack `./team`: `team/word`: expected off, info, warning, error, or an object with `severity` and `params`; found "loud"
        compliance: unknown pack `./teem` (`.aidd/packs/teem.md`); did you mean `./team`?
        compliance: unknown pack `./../x`; known packs: accessibility, architecture, clean-code, dependencies, design-system, docs, functional, git, go, java,
        compliance: unknown pack `securty`; did you mean `security`?
        "#);
    }

    #[test]
    fn page_errors_are_findings_at_their_position() {
        let found = |pack: &str| {
            let engine = engine(pack, "{}").expect("an engine");
            let source = Source::new(".aidd/packs/team.md", pack);
            let mut findings = String::new();
            for finding in engine.check(&source, &Memory::default()).findings {
                let at = source.position(finding.span.start, Encoding::CodePoints);
                let text = source.slice(finding.span);
                let _ = writeln!(
                    findings,
                    "{}:{} {text:?} {}",
                    at.line + 1,
                    at.column + 1,
                    finding.message
                );
            }
            findings
        };
        assert_eq!(found("---\npack: { rules: [team/word, 'secrets/*'] }\n---\n# team\n"), "");
        insta::assert_snapshot!(found("---\npack:\n  rulez: [team/word]\n---\n# team\n"), @r#"3:3 "rulez" unknown key `rulez`; did you mean `rules`?"#);
        insta::assert_snapshot!(
            found("---\npack:\n  rules: [team/wrd, 'tem/*']\n  set:\n    team/word: loud\n    team/wod: off\n---\n# team\n"),
            @r#"
        3:11 "team/wrd" unknown rule `team/wrd`; did you mean `team/word`?
        3:22 "tem/*" `tem/*` matches no rule; did you mean `team/*`?
        5:5 "team/word" expected off, info, warning, error, or an object with `severity` and `params`; found "loud"
        6:5 "team/wod" unknown rule `team/wod`; did you mean `team/word`?
        "#
        );
        insta::assert_snapshot!(
            found("---\npack:\n  rules: [team/word]\n  set: { team/word: { params: { wort: a } } }\n---\n# team\n"),
            @r#"4:10 "team/word" unknown parameter `wort`; did you mean `word`?"#
        );
    }
}
