//! SARIF 2.1.0, with all properties that GitHub code scanning reads.
//!
//! Only rules with results are described: all pages of the catalogue would add a megabyte to each
//! upload, and GitHub shows no rule without results.

use super::wire::{self, Status};
use super::{Document, Skipped, Weakening, escape, fit, number, rule, rule_url, uri};
use aidd_engine::forms::commits;
use aidd_engine::rules::rule::Rule;
use aidd_engine::text::escape::markdown;
use aidd_engine::text::finding::Severity;
use aidd_page::Confidence;
use serde_json::{Value, json};
use serde_sarif::sarif::{
    ArtifactChange, ArtifactContent, ArtifactLocation, Fix, Invocation, Location, Message,
    MultiformatMessageString, Notification, PhysicalLocation, PropertyBag, Region, Replacement,
    ReportingConfiguration, ReportingDescriptor, ReportingDescriptorReference, Result as Entry,
    ResultLevel, Run as SarifRun, RunAutomationDetails, Sarif, Suppression, Tool, ToolComponent,
    VersionControlDetails,
};
use std::cmp::Reverse;
use std::collections::{BTreeMap, BTreeSet};
use std::io;

const SCHEMA: &str = "https://json.schemastore.org/sarif-2.1.0.json";
const ROOT: &str = "%SRCROOT%";

/// GitHub's limits: uploads beyond them are rejected. The limits not listed here (20 runs per file,
/// 1,000 locations per result, 25,000 rules) cannot be reached: there is one run, a result has one
/// location, and each rule has a result. `fit` enforces the file size.
const MAX_RESULTS: usize = 25_000;
const MAX_RELATED: usize = 100;
const MAX_TAGS: usize = 20;
const MAX_DESCRIPTION_CHARS: usize = 1_000;
/// A limit of aidd, not of GitHub, so that a tree of unreadable files does not flood the report.
const MAX_NOTIFICATIONS: usize = 1_000;

/// Ids of the kinds of notifications.
const SKIPPED: &str = "aidd/skipped-file";
const OMITTED: &str = "aidd/results-left-out";
const COMMIT: &str = "aidd/commit";
const WEAKENED: &str = "aidd/weakened-checks";

/// The parts of a log that remain when other parts are omitted to stay within GitHub's limits.
#[derive(Clone, Copy, Debug)]
pub(super) struct Trim {
    /// Whether results contain fixes.
    pub(super) fixes: bool,
    /// Whether results contain related locations.
    pub(super) related: bool,
    /// Whether rules contain their pages.
    pub(super) help: bool,
    /// Maximum number of results; the least severe are omitted first.
    pub(super) results: usize,
}

impl Trim {
    /// The minimal trim, applied to every log.
    pub(super) const MINIMAL: Self =
        Self { fixes: true, related: true, help: true, results: MAX_RESULTS };
}

pub(super) fn write(
    document: &Document,
    rules: &[Rule],
    out: &mut dyn io::Write,
) -> io::Result<()> {
    escape::write_json(&fit::fit_log(document, rules).log, out)
}

/// Whether `finding` becomes a result. New findings always do. If all files were compared with a
/// base, all current findings do, because code scanning closes the alerts of missing findings. If
/// [`Document::suppressed`] is set, all findings do.
pub(super) fn is_result(document: &Document, finding: &wire::Finding) -> bool {
    // GitHub rejects a log with a result outside of files.
    if commits::is_virtual_path(&finding.path) {
        return false;
    }
    let is_whole_tree =
        || document.comparison.as_ref().is_some_and(|comparison| comparison.whole_tree);
    document.suppressed
        || match finding.status {
            Status::New => true,
            Status::Moved | Status::PreExisting => is_whole_tree(),
            Status::Fixed | Status::Baselined | Status::Allowed => false,
        }
}

/// Builds the log; also returns descriptions of the omitted data.
pub(super) fn log(document: &Document, rules: &[Rule], trim: Trim) -> (Sarif, Vec<String>) {
    let mut found: Vec<&wire::Finding> =
        document.findings.iter().filter(|finding| is_result(document, finding)).collect();
    found.sort_by_key(|finding| (finding.status == Status::Fixed, Reverse(finding.severity)));
    let omitted = omissions(found.len(), trim);
    found.truncate(trim.results);

    let writer = Writer { document, rules, trim };
    let ids: BTreeSet<&str> = found.iter().map(|finding| &*finding.rule).collect();
    let ids: Vec<&str> = ids.into_iter().collect();
    let results: Vec<Entry> = found.iter().map(|finding| writer.result(finding, &ids)).collect();
    let descriptors: Vec<_> = ids.iter().map(|id| writer.descriptor(id)).collect();
    let driver = ToolComponent::builder()
        .name("aidd")
        .version(document.tool.version.clone())
        .semantic_version(document.tool.version.clone())
        .information_uri(env!("CARGO_PKG_REPOSITORY").to_owned())
        .rules(descriptors)
        .notifications(notification_kinds(document))
        .build();
    let mut sarif = SarifRun::builder()
        .tool(Tool::builder().driver(driver).build())
        .automation_details(RunAutomationDetails::builder().id(automation(document)).build())
        .column_kind(json!("unicodeCodePoints"))
        .original_uri_base_ids(base_ids(document))
        .invocations(vec![invocation(document, &omitted)])
        .results(results)
        .build();
    sarif.version_control_provenance = provenance(document);
    let log = Sarif::builder()
        .schema(SCHEMA.to_owned())
        .version(json!("2.1.0"))
        .runs(vec![sarif])
        .build();
    (log, omitted)
}

/// Describes the data that `trim` omits from a log of `found` results, one sentence per kind.
fn omissions(found: usize, trim: Trim) -> Vec<String> {
    let parts =
        [(trim.fixes, "fixes"), (trim.related, "related locations"), (trim.help, "rule pages")];
    let parts: Vec<&str> =
        parts.iter().filter(|(is_included, _)| !is_included).map(|(_, name)| *name).collect();
    let mut sentences = Vec::new();
    if let Some(omitted @ 1..) = found.checked_sub(trim.results) {
        let why = if trim.results == MAX_RESULTS {
            format!("code scanning accepts at most {MAX_RESULTS}")
        } else {
            "the report would exceed the size limit of code scanning".to_owned()
        };
        sentences.push(format!("{} omitted, least severe first: {why}", number(omitted, "result")));
    }
    if !parts.is_empty() {
        let parts = parts.join(", ");
        sentences.push(format!(
            "{parts} are omitted: the report would exceed the size limit of code scanning"
        ));
    }
    sentences
}

/// Builds the parts of a log that depend on the trim.
struct Writer<'a> {
    document: &'a Document,
    rules: &'a [Rule],
    trim: Trim,
}

impl Writer<'_> {
    fn result(&self, finding: &wire::Finding, rules: &[&str]) -> Entry {
        let mut fingerprints = BTreeMap::from([("aidd/v1".to_owned(), finding.id.clone())]);
        if let Some(hash) = self.document.line_hash(finding) {
            fingerprints.insert("primaryLocationLineHash".into(), hash.to_owned());
        }
        let text = match &finding.help {
            Some(help) => format!("{}. {help}", finding.message),
            None => finding.message.clone(),
        };
        let rule = rules.binary_search(&&*finding.rule).unwrap_or_default();
        let mut result = Entry::builder()
            .rule_id(finding.rule.clone())
            .rule_index(integer(rule as u64))
            .level(match finding.severity {
                Severity::Error => ResultLevel::Error,
                Severity::Warning => ResultLevel::Warning,
                Severity::Info => ResultLevel::Note,
            })
            .message(message(&text))
            .locations(vec![location(&finding.path, finding.start, finding.end)])
            .partial_fingerprints(fingerprints)
            .build();
        let compared = self.document.baseline || self.document.comparison.is_some();
        result.baseline_state = match finding.status {
            Status::New => compared.then(|| json!("new")),
            Status::Moved | Status::PreExisting | Status::Baselined => Some(json!("unchanged")),
            Status::Fixed => Some(json!("absent")),
            Status::Allowed => None,
        };
        result.suppressions = suppression(finding).map(|suppression| vec![suppression]);
        let wire_fix = finding.fix.as_ref().filter(|_| self.trim.fixes);
        result.fixes = wire_fix.and_then(|wire_fix| Some(vec![fix(&finding.path, wire_fix)?]));
        if self.trim.related && !finding.related.is_empty() {
            let locations = finding.related.iter().take(MAX_RELATED).zip(1_u64..);
            result.related_locations = Some(locations.map(related).collect());
        }
        result
    }

    fn descriptor(&self, id: &str) -> ReportingDescriptor {
        let Some(rule) = rule(self.rules, id) else {
            return ReportingDescriptor::builder().id(id).build();
        };
        let mut descriptor = ReportingDescriptor::builder()
            .id(id)
            .short_description(plain(&rule.summary))
            .full_description(plain(&rule.lead()))
            .default_configuration(
                ReportingConfiguration::builder()
                    .enabled(rule.enabled)
                    .level(json!(level(rule.severity)))
                    .build(),
            )
            .properties(rule_properties(rule))
            .build();
        // Pages of the project are untrusted; built-in pages are included verbatim.
        let (text, markdown) = match &rule.path {
            Some(_) => (markdown::plain(rule.body()), markdown::page(rule.body())),
            None => (rule.body().to_owned(), rule.body().to_owned()),
        };
        let page = MultiformatMessageString::builder().text(text).markdown(markdown);
        descriptor.help = self.trim.help.then(|| page.build());
        descriptor.help_uri = rule_url(self.document.version_control.as_ref(), rule);
        descriptor
    }
}

fn related((related, id): (&wire::Related, u64)) -> Location {
    let mut location = location(&related.path, related.start, related.end);
    location.id = Some(integer(id));
    location.message = Some(message(&related.message));
    location
}

fn suppression(finding: &wire::Finding) -> Option<Suppression> {
    let kind = match finding.status {
        Status::Baselined => "external",
        Status::Allowed => "inSource",
        _ => return None,
    };
    let mut suppression =
        Suppression::builder().kind(json!(kind)).status(json!("accepted")).build();
    suppression.justification.clone_from(&finding.reason);
    Some(suppression)
}

/// Returns `None` if the fix renames a file: SARIF only supports changes of contents.
fn fix(path: &str, fix: &wire::Fix) -> Option<Fix> {
    let start = wire::Position { line: 1, column: 1, offset: 0 };
    let insertion = |new: &wire::NewFile| wire::Edit { start, end: start, text: new.text.clone() };
    let created = fix.create.as_ref().map(insertion);
    let path = fix.create.as_ref().map_or(path, |new| &new.path);
    let replacements: Vec<Replacement> = fix
        .edits
        .iter()
        .chain(&created)
        .map(|edit| {
            let content = ArtifactContent::builder().text(edit.text.clone()).build();
            Replacement::builder()
                .deleted_region(region(edit.start, edit.end))
                .inserted_content(content)
                .build()
        })
        .collect();
    if replacements.is_empty() {
        return None;
    }
    let change = ArtifactChange::builder()
        .artifact_location(artifact(path))
        .replacements(replacements)
        .build();
    let fix = Fix::builder()
        .description(message(&fix.title))
        .artifact_changes(vec![change])
        .properties(properties(Vec::new(), [("safety", json!(fix.safety))]))
        .build();
    Some(fix)
}

fn rule_properties(rule: &Rule) -> PropertyBag {
    let tags = rule.tags.iter().take(MAX_TAGS).map(|tag| match tag.strip_prefix("cwe-") {
        // The format in which GitHub expects CWE ids.
        Some(number) => format!("external/cwe/cwe-{number}"),
        None => tag.clone(),
    });
    let problem = match rule.severity {
        Severity::Error => "error",
        Severity::Warning => "warning",
        Severity::Info => "recommendation",
    };
    let severity = rule.security_severity.as_ref();
    let score = severity.map(|severity| ("security-severity", json!(severity)));
    let aliases = (!rule.aliases.is_empty()).then(|| ("aliases", json!(rule.aliases)));
    let required = [("precision", json!(precision(rule))), ("problem.severity", json!(problem))];
    properties(tags.collect(), required.into_iter().chain(score).chain(aliases))
}

/// The precision of the rule, derived from the confidence of its check.
fn precision(rule: &Rule) -> &'static str {
    let text = rule.check.as_ref().and_then(|check| check.text.as_ref());
    match text.and_then(|text| text.secret) {
        Some(Confidence::Low) => "medium",
        Some(Confidence::Medium) | None => "high",
        Some(Confidence::High) => "very-high",
    }
}

fn invocation(document: &Document, omitted: &[String]) -> Invocation {
    let mut notes: Vec<Notification> =
        document.weakened().iter().map(weakening_notification).collect();
    notes.extend(document.skipped.iter().take(MAX_NOTIFICATIONS).map(skipped_notification));
    if let Some(remaining @ 1..) = document.skipped.len().checked_sub(MAX_NOTIFICATIONS) {
        notes.push(notification(
            SKIPPED,
            &format!("{} skipped or only partly checked", number(remaining, "more file")),
            None,
        ));
    }
    notes.extend(omitted.iter().map(|text| notification(OMITTED, text, None)));
    let commit_findings =
        document.findings.iter().filter(|finding| commits::is_virtual_path(&finding.path));
    notes.extend(commit_findings.take(MAX_NOTIFICATIONS).map(commit_notification));
    Invocation::builder().execution_successful(true).tool_execution_notifications(notes).build()
}

/// Reports a finding outside of files: on a commit, a branch, a title or a change.
fn commit_notification(finding: &wire::Finding) -> Notification {
    let text = format!("{}: {} [{}]", finding.path, finding.message, finding.rule);
    let mut note = notification(COMMIT, &text, None);
    note.level = Some(json!(level(finding.severity)));
    note
}

fn weakening_notification(weakening: &Weakening) -> Notification {
    let text = format!("{}: {}", weakening.path, weakening.message);
    let mut note = notification(WEAKENED, &text, Some(&weakening.path));
    let start = |line| Region::builder().start_line(integer(line)).build();
    let locations = note.locations.iter_mut().flatten();
    for location in locations.filter_map(|location| location.physical_location.as_mut()) {
        location.region = weakening.line.map(start);
    }
    note
}

fn skipped_notification(file: &Skipped) -> Notification {
    let mut note = notification(SKIPPED, &format!("{}: {}", file.path, file.why), Some(&file.path));
    if file.failed {
        note.level = Some(json!("error"));
    }
    note
}

/// The kinds of notifications; the kind for weakened checks is omitted if there are no weakened
/// checks.
fn notification_kinds(document: &Document) -> Vec<ReportingDescriptor> {
    let mut kinds = vec![
        notification_kind(
            SKIPPED,
            "A file was skipped or only partly checked",
            "The file can contain unreported findings. The message states why it was not checked.",
        ),
        notification_kind(
            OMITTED,
            "More results than code scanning accepts",
            "The least severe results are omitted. They appear once the other results are fixed, \
             or when the run is split into categories.",
        ),
        notification_kind(
            COMMIT,
            "A commit, a branch, a title or a change breaks a rule",
            "The violation is outside of files, so it cannot be a result. The message names the \
             rule.",
        ),
    ];
    if !document.weakened().is_empty() {
        kinds.push(notification_kind(
            WEAKENED,
            "The change weakens the checks",
            "The message describes the change. Review it like code.",
        ));
    }
    kinds
}

fn notification_kind(id: &str, text: &str, help: &str) -> ReportingDescriptor {
    ReportingDescriptor::builder()
        .id(id)
        .short_description(plain(text))
        .full_description(plain(&format!("{text}. {help}")))
        .help(plain(help))
        .build()
}

fn notification(id: &str, text: &str, path: Option<&str>) -> Notification {
    let mut note = Notification::builder()
        .message(message(text))
        .level(json!("warning"))
        .descriptor(ReportingDescriptorReference::builder().id(id.to_owned()).build())
        .build();
    note.locations = path.map(|path| {
        let file = PhysicalLocation::builder().artifact_location(artifact(path)).build();
        vec![Location::builder().physical_location(file).build()]
    });
    note
}

/// The id of the run. GitHub uses the part before the last slash as the category.
fn automation(document: &Document) -> String {
    let category = document.category.as_deref();
    category.map_or_else(|| "aidd/".into(), |category| format!("aidd/{category}/"))
}

fn base_ids(document: &Document) -> BTreeMap<String, ArtifactLocation> {
    let mut root =
        ArtifactLocation::builder().description(message("The checked directory")).build();
    root.uri.clone_from(&document.root);
    BTreeMap::from([(ROOT.to_owned(), root)])
}

fn provenance(document: &Document) -> Option<Vec<VersionControlDetails>> {
    let commit = document.version_control.as_ref()?;
    let mut details = VersionControlDetails::builder()
        .repository_uri(commit.repository.clone())
        .revision_id(commit.revision.clone())
        .mapped_to(ArtifactLocation::builder().uri_base_id(ROOT.to_owned()).build())
        .build();
    details.branch.clone_from(&commit.branch);
    Some(vec![details])
}

fn location(path: &str, start: wire::Position, end: wire::Position) -> Location {
    let physical = PhysicalLocation::builder()
        .artifact_location(artifact(path))
        .region(region(start, end))
        .build();
    Location::builder().physical_location(physical).build()
}

fn artifact(path: &str) -> ArtifactLocation {
    ArtifactLocation::builder().uri(uri::relative(path)).uri_base_id(ROOT.to_owned()).build()
}

fn region(start: wire::Position, end: wire::Position) -> Region {
    Region::builder()
        .start_line(integer(start.line))
        .start_column(integer(start.column))
        .end_line(integer(end.line))
        .end_column(integer(end.column))
        .build()
}

fn message(text: &str) -> Message {
    Message::builder().text(escape::sarif(text)).build()
}

fn plain(text: &str) -> MultiformatMessageString {
    let text = escape::sarif(text);
    let truncated = match text.char_indices().nth(MAX_DESCRIPTION_CHARS) {
        Some((end, _)) => format!("{}…", &text[..end]),
        None => text,
    };
    MultiformatMessageString::builder().text(truncated).build()
}

fn properties(
    tags: Vec<String>,
    values: impl IntoIterator<Item = (&'static str, Value)>,
) -> PropertyBag {
    let values = values.into_iter().map(|(name, value)| (name.to_owned(), value));
    let mut bag = PropertyBag::builder()
        .additional_properties(values.collect::<BTreeMap<String, Value>>())
        .build();
    bag.tags = (!tags.is_empty()).then_some(tags);
    bag
}

fn level(severity: Severity) -> &'static str {
    match severity {
        Severity::Error => "error",
        Severity::Warning => "warning",
        Severity::Info => "note",
    }
}

fn integer(number: u64) -> i64 {
    i64::try_from(number).unwrap_or(i64::MAX)
}
