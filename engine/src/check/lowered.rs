//! Lowers the severity of findings outside the product, in one place for all rules: a password in a
//! test or a weak hash in an example is a correct finding, but not an urgent one.

mod groups;
mod local_settings;
mod sections;
mod session_keys;

use super::Engine;
use super::value_purpose::ValuePurposes;
use super::written::is_written_by_program;
use crate::forms::generated::is_generated;
use crate::forms::secret_name;
use crate::parse::syntax::Tree;
use crate::project::ignored::is_included_again;
use crate::rules::registry::Registry;
use crate::rules::rule::{Rule, Settings};
use crate::text::checksum;
use crate::text::files::Files;
use crate::text::finding::{Finding, RuleId, Severity};
use crate::text::purpose::{Purpose, is_production};
use crate::text::shape;
use crate::text::source::{Source, Span};
use aidd_lexicon::tables::purposes;
use aidd_page::Confidence;
use std::cell::LazyCell;
use std::collections::{HashMap, HashSet};
use std::net::Ipv4Addr;

use sections::ProductionSections;

pub(super) use groups::group;

/// Minimum length in bytes of a password that a person chose for a service on the Internet. Shorter
/// values are examples: `tok`, `pass`.
const MIN_MADE_UP_LEN: usize = 6;

/// The lowered findings of a file, identified by span and rule.
pub(super) type Lowered = HashSet<(Span, RuleId)>;

/// Lowers the findings of `source` to `info` if the file or the value is not part of the product,
/// and adds the reason to the message. Called before the most severe of the findings on a secret is
/// chosen. Exceptions are findings of the project's own rules, of rules whose severity the
/// configuration sets, of rules that are not about security, and of rules for keys in the format of
/// a particular service, if the key is likely to be in use.
pub(super) fn lower(
    (source, tree, files): (&Source, &Tree<'_>, &dyn Files),
    settings: &Settings,
    engine: &Engine,
    findings: &mut [Finding],
) -> Lowered {
    let (distribution, registry) = (engine.distribution, &engine.registry);
    let mut lowered = Lowered::new();
    let can_be_lowered = |finding: &Finding| {
        finding.severity > Severity::Info
            && registry
                .get(&finding.rule)
                .is_some_and(|rule| !matches!(lowering_condition(rule), LoweringCondition::Nothing))
    };
    if !findings.iter().any(can_be_lowered) {
        return lowered;
    }
    let is_description = findings.iter().any(|finding| finding.rule.starts_with("openapi/"));
    // The whole text is searched, so only once for all findings.
    let is_generated = LazyCell::new(|| is_generated(source.path(), source.text()));
    let purpose = match Purpose::of_file(source.path(), files) {
        Purpose::Product | Purpose::Documentation if *is_generated => Purpose::Generated,
        Purpose::Product | Purpose::Documentation
            if is_description && is_written_by_program(source, files) =>
        {
            Purpose::Generated
        }
        Purpose::Product => distribution.purpose(source, files).unwrap_or(Purpose::Product),
        purpose => purpose,
    };
    let description = purpose.describe();
    let generated_tests = Purpose::Generated.describe();
    let values = ValuePurposes::new(source, tree);
    for finding in findings.iter_mut().filter(|finding| finding.severity > Severity::Info) {
        let Some(rule) = registry.get(&finding.rule) else { continue };
        let is_configured =
            settings.get(&finding.rule).is_some_and(|setting| setting.is_configured);
        if is_configured || is_live_key(rule, finding, source, purpose) {
            continue;
        }
        let description = match lowering_condition(rule) {
            LoweringCondition::Nothing => None,
            LoweringCondition::CopiedFile if purpose == Purpose::Test => {
                generated_tests.filter(|_| *is_generated)
            }
            LoweringCondition::CopiedFile => description.filter(|_| is_copied(purpose)),
            LoweringCondition::CopiedFileOrSample => {
                description.filter(|_| is_copied(purpose) || purpose == Purpose::Sample)
            }
            // A change that breaks clients does so whether the description is generated or not.
            LoweringCondition::UnusedFile
                if purpose == Purpose::Generated && is_about_changes(rule) =>
            {
                None
            }
            LoweringCondition::UnusedFile => description.filter(|_| is_unused(purpose)),
            // Deployment tools write live credentials into the files that they generate.
            LoweringCondition::FileOrValue
                if purpose == Purpose::Generated && finding.secret.is_some() =>
            {
                values.describe(finding)
            }
            // The secret can be in use, whether the image can be built or not.
            LoweringCondition::FileOrValue
                if purpose == Purpose::Unbuildable && finding.secret.is_some() =>
            {
                values.describe(finding)
            }
            LoweringCondition::FileOrValue => description.or_else(|| values.describe(finding)),
        };
        if let Some(description) = description {
            finding.severity = Severity::Info;
            finding.message = format!("{} ({description})", finding.message);
            lowered.insert((finding.span, finding.rule.clone()));
        }
    }
    lowered
}

/// Lowers findings to `info` if they probably do not concern a secret in use: keys that anybody can
/// generate, and passwords that were not randomly generated. Called after the findings are reduced
/// to one per secret, because a less specific rule would otherwise report the secret with its own
/// severity.
pub(super) fn lower_doubtful(
    (source, files, settings): (&Source, &dyn Files, &Settings),
    registry: &Registry,
    findings: &mut [Finding],
) {
    // What concerns the whole file is determined once for all findings.
    let sections = LazyCell::new(|| ProductionSections::new(source));
    let is_for_development = LazyCell::new(|| local_settings::is_for_development(source));
    let uses_language_model = LazyCell::new(|| uses_language_model(source));
    let mut replaced: HashMap<RuleId, bool> = HashMap::new();
    for finding in findings.iter_mut().filter(|finding| finding.severity > Severity::Info) {
        let Some(rule) = registry.get(&finding.rule) else { continue };
        let is_configured =
            settings.get(&finding.rule).is_some_and(|setting| setting.is_configured);
        if is_configured {
            continue;
        }
        let mut is_replaced = || {
            let is_replaced = || session_keys::is_replaced(rule, source, files);
            *replaced.entry(rule.id.clone()).or_insert_with(is_replaced)
        };
        if is_generated_key_out_of_use(rule, source, files)
            || session_keys::is_of_tests(rule, source)
            || is_replaced()
            || is_without_secret_name(rule, finding, source)
            || local_settings::is_for_local_callback(rule, finding, source)
            || &*rule.id == "secrets/env-file-secret" && *is_for_development
            || &*rule.id == "secrets/google-api-key"
                && is_key_of_client(finding, source)
                && !*uses_language_model
        {
            finding.severity = Severity::Info;
        } else if is_made_up(rule, finding, source) {
            let is_remote = finding.secret.is_some_and(|secret| {
                secret.range().len() >= MIN_MADE_UP_LEN && is_remote_host(source.text(), secret)
            });
            finding.severity = if is_remote { Severity::Warning } else { Severity::Info };
        } else if &*rule.id == "secrets/env-file-secret" && !is_production(source.path()) {
            // Half of these files are for development (figures: `docs/precision.md`).
            finding.severity = Severity::Warning.min(finding.severity);
        } else if is_in_any_format(rule)
            && !is_production(source.path())
            && !finding.secret.is_some_and(|secret| sections.contain(secret))
        {
            finding.severity = Severity::Info;
        }
    }
}

/// The condition under which the severity of the findings of a rule is lowered.
enum LoweringCondition {
    Nothing,
    /// A file that another project or a program wrote, or that is no longer in use.
    CopiedFile,
    /// The same, or an example. The family skips tests; `test-mail-dialog.tsx` is none.
    CopiedFileOrSample,
    /// A file that no program or reader uses.
    UnusedFile,
    /// A file or a value that is not part of the product.
    FileOrValue,
}

fn lowering_condition(rule: &Rule) -> LoweringCondition {
    let has_kind = |kind: &str| rule.id.split_once('/').is_some_and(|(first, _)| first == kind);
    if rule.path.is_some() {
        LoweringCondition::Nothing
    } else if has_kind("agents") || has_kind("i18n") {
        LoweringCondition::UnusedFile
    } else if has_kind("a11y") || has_kind("perf") {
        LoweringCondition::CopiedFileOrSample
    } else if has_kind("openapi") {
        // API descriptions are often published as documentation, so this purpose does not lower the
        // severity.
        LoweringCondition::UnusedFile
    } else if has_kind("dockerfile")
        || has_kind("sql")
        || rule.tags.iter().any(|tag| tag == "security")
    {
        LoweringCondition::FileOrValue
    } else if has_kind("tests") || has_kind("mermaid") {
        LoweringCondition::CopiedFile
    } else {
        LoweringCondition::Nothing
    }
}

/// Whether a rule compares a file with the base of a change.
fn is_about_changes(rule: &Rule) -> bool {
    rule.tags.iter().any(|tag| tag == "compatibility")
}

/// Whether nobody edits the tests in a file with this purpose.
fn is_copied(purpose: Purpose) -> bool {
    matches!(purpose, Purpose::Vendored | Purpose::Archived | Purpose::Generated)
}

/// Whether an API description in a file with this purpose is unused, used only by tests and
/// examples, or generated from code.
fn is_unused(purpose: Purpose) -> bool {
    matches!(
        purpose,
        Purpose::Vendored
            | Purpose::Archived
            | Purpose::Generated
            | Purpose::Test
            | Purpose::Sample
    )
}

/// Whether a finding has severity `error` and covers a key in a format that only one service
/// issues. Keys that anybody can generate (private keys, UUIDs, keys with a wrong checksum) are
/// often generated for a test. In tests, samples, documentation and vendored files, nearly all other
/// keys are not real either (figures: `docs/precision.md`), except keys with a correct checksum.
fn is_live_key(rule: &Rule, finding: &Finding, source: &Source, purpose: Purpose) -> bool {
    let key = finding.secret.and_then(|secret| source.text().get(secret.range()));
    let is_live = match key.and_then(checksum::verify) {
        Some(is_correct) => is_correct,
        None => {
            !key.is_some_and(ends_with_uuid)
                && !matches!(
                    purpose,
                    Purpose::Test | Purpose::Sample | Purpose::Documentation | Purpose::Vendored
                )
        }
    };
    let check = rule.check.as_ref().and_then(|check| check.text.as_ref());
    is_live
        && finding.severity == Severity::Error
        && check.and_then(|text| text.secret) == Some(Confidence::High)
        && !anybody_generates(rule)
}

fn anybody_generates(rule: &Rule) -> bool {
    purposes::KEYS_THAT_ANYBODY_GENERATES.contains(&rule.id)
}

/// Whether a finding is a key that anybody can generate, such as a private key, and the path does not
/// indicate that a server uses it: the path contains no word for production, and is not below a
/// directory of a web server. The same applies to a key that a `.gitignore` includes again. Nearly
/// all such keys are for tests and demonstrations (protocol and figures: `docs/precision.md`).
fn is_generated_key_out_of_use(rule: &Rule, source: &Source, files: &dyn Files) -> bool {
    anybody_generates(rule)
        && (!is_in_use(source.path())
            || !is_production(source.path()) && is_included_again(files, source.path()))
}

fn is_in_use(path: &str) -> bool {
    let lower = path.to_ascii_lowercase();
    let (directories, _) = lower.rsplit_once('/').unwrap_or_default();
    is_production(path)
        || directories.split('/').any(|part| purposes::KEY_DIRECTORIES.contains(part))
}

/// Whether a finding is a password in a URL or a connection string that was not randomly generated.
/// In most cases, such a password is a default or an example, except in production.
fn is_made_up(rule: &Rule, finding: &Finding, source: &Source) -> bool {
    let check = rule.check.as_ref().and_then(|check| check.text.as_ref());
    check.is_some_and(|check| check.password)
        && !is_production(source.path())
        && finding.secret.is_some_and(|secret| !shape::is_generated(&source.text()[secret.range()]))
}

/// Whether a rule reports values that only their position identifies as secrets. Outside production,
/// most of them are for development (figures: `docs/precision.md`).
fn is_in_any_format(rule: &Rule) -> bool {
    purposes::VALUES_OF_ANY_FORMAT.contains(&rule.id)
}

/// Whether the URL that contains a password names a host outside the local network: a domain or an
/// address that is not reserved for private use or documentation (RFC 1918, RFC 2606, RFC 6761).
fn is_remote_host(text: &str, secret: Span) -> bool {
    let rest = text.get(secret.end as usize..).and_then(|rest| rest.strip_prefix('@'));
    let host = rest.map(|rest| {
        let end = rest.find(|c: char| !(c.is_ascii_alphanumeric() || matches!(c, '.' | '-' | '_')));
        rest[..end.unwrap_or(rest.len())].to_ascii_lowercase()
    });
    let Some(host) = host else { return false };
    if let Ok(address) = host.parse::<Ipv4Addr>() {
        return !(address.is_private()
            || address.is_loopback()
            || address.is_unspecified()
            || address.is_documentation());
    }
    let Some((name, last)) = host.rsplit_once('.') else { return false };
    let domain = name.rsplit('.').next().unwrap_or(name);
    last.bytes().all(|byte| byte.is_ascii_alphabetic())
        && !purposes::RESERVED_TOP_LEVEL_DOMAINS.contains(last)
        && !purposes::PLACEHOLDER_DOMAINS.contains(domain)
}

/// Maximum distance in bytes between a value and the words before it on its line.
const MAX_NAME_DISTANCE: u32 = 160;

/// The text of the line before a secret.
fn line_before(source: &Source, secret: Span) -> &str {
    let text = &source.text()[..secret.start as usize];
    let near = text.ceil_char_boundary(secret.start.saturating_sub(MAX_NAME_DISTANCE) as usize);
    text[near..].rsplit(['\n', '\r']).next().unwrap_or_default()
}

/// Whether a rule recognises a value by the name of a service, and no word before the value on the
/// line denotes a secret: `heroku: 0d2d4a24-…` can be any identifier.
fn is_without_secret_name(rule: &Rule, finding: &Finding, source: &Source) -> bool {
    let check = rule.check.as_ref().and_then(|check| check.text.as_ref());
    check.is_some_and(|check| {
        check.assigned.is_some() && check.secret.is_some_and(|secret| secret < Confidence::High)
    }) && finding
        .secret
        .is_some_and(|secret| !secret_name::mentions_secret(line_before(source, secret)))
}

/// Text in programs that use a key of Google for a language model, which nobody else may use.
const LANGUAGE_MODELS: [&str; 4] = ["gemini", "generative", "GenAI", "genai"];

fn uses_language_model(source: &Source) -> bool {
    LANGUAGE_MODELS.iter().any(|word| source.text().contains(word))
}

/// Whether a key of Google is in a program for browsers or phones, or for a map. Every user can read
/// these keys; they are restricted by application or by site.
fn is_key_of_client(finding: &Finding, source: &Source) -> bool {
    let extension = source.path().rsplit_once('.').map_or("", |(_, extension)| extension);
    let line = finding.secret.map(|secret| line_before(source, secret).to_ascii_lowercase());
    purposes::EXTENSIONS_OF_CLIENTS.contains(extension)
        || line.is_some_and(|line| line.contains("map") || line.contains("public"))
}

/// Whether a key is a UUID, possibly after a prefix: `sdk-0f5a1c2e-…`.
fn ends_with_uuid(key: &str) -> bool {
    let Some((_, uuid)) = key.len().checked_sub(36).and_then(|at| key.split_at_checked(at)) else {
        return false;
    };
    uuid.bytes().enumerate().all(|(at, byte)| match at {
        8 | 13 | 18 | 23 => byte == b'-',
        _ => byte.is_ascii_hexdigit(),
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn hosts_outside_the_local_network_are_remote() {
        for (url, expected) in [
            ("postgres://app:secret@db1.acme-bank.com:5432/ledger", true),
            ("redis://:secret@34.117.59.81:6379", true),
            ("postgres://app:secret@localhost/ledger", false),
            ("postgres://app:secret@db/ledger", false),
            ("postgres://app:secret@10.0.3.7/ledger", false),
            ("postgres://app:secret@db.example.com/ledger", false),
            ("postgres://app:secret@postgres.svc.cluster.local/ledger", false),
            ("password=secret;host=db", false),
        ] {
            let at = url.find("secret").expect("a password");
            assert_eq!(is_remote_host(url, Span::new(at, at + 6)), expected, "{url}");
        }
    }

    #[test]
    fn private_keys_of_servers_are_in_use() {
        for (path, expected) in [
            ("nginx/ssl/private_key.key", true),
            ("deploy/production/jwt.pem", true),
            ("home/.ssh/id_ed25519", true),
            ("src/jobservice/server.key", false),
            ("ssl.key", false),
        ] {
            assert_eq!(is_in_use(path), expected, "{path}");
        }
    }
}
