//! SARIF 2.1.0, with all that code scanning on GitHub reads.
//!
//! Only rules with results are described: every page of the catalogue would add a megabyte to each
//! upload, and GitHub shows none without results.

use super::{FileFindings, Run, line_hashes, rule_url, uri, wire};
use aidd_content::page::Confidence;
use aidd_engine::finding::Severity;
use aidd_engine::rule::Rule;
use aidd_engine::source::{Decoded, Origin};
use aidd_engine::walk::Skipped;
use serde_json::{Value, json};
use serde_sarif::sarif::{
    ArtifactChange, ArtifactContent, ArtifactLocation, Fix, Invocation, Location, Message,
    MultiformatMessageString, Notification, PhysicalLocation, PropertyBag, Region, Replacement,
    ReportingConfiguration, ReportingDescriptor, ReportingDescriptorReference, Result as Entry,
    ResultLevel, Run as SarifRun, RunAutomationDetails, Sarif, Suppression, Tool, ToolComponent,
    VersionControlDetails,
};
use std::collections::{BTreeMap, BTreeSet};
use std::io;

const SCHEMA: &str = "https://json.schemastore.org/sarif-2.1.0.json";
const ROOT: &str = "%SRCROOT%";

/// GitHub's limits: an upload beyond them is refused.
const RESULTS: usize = 25_000;
const RELATED: usize = 100;
const TAGS: usize = 20;
const DESCRIPTION: usize = 1_000;
/// Ours: a tree of broken files must not drown the report.
const NOTIFICATIONS: usize = 1_000;

/// The notifications of a run.
const SKIPPED: &str = "aidd/skipped-file";
const CUT: &str = "aidd/results-left-out";

pub(super) fn write(run: &Run<'_>, out: &mut dyn io::Write) -> io::Result<()> {
    serde_json::to_writer_pretty(&mut *out, &log(run))?;
    writeln!(out)
}

fn log(run: &Run<'_>) -> Sarif {
    let mut found: Vec<Found> = run.files.iter().flat_map(|file| file_results(run, file)).collect();
    found.sort_by_key(|found| std::cmp::Reverse(found.finding.severity));
    let left_out = found.len().saturating_sub(RESULTS);
    found.truncate(RESULTS);

    let rules: BTreeSet<&str> = found.iter().map(|found| &*found.finding.rule).collect();
    let rules: Vec<&str> = rules.into_iter().collect();
    let results: Vec<Entry> = found.iter().map(|found| result(run, found, &rules)).collect();
    let descriptors: Vec<_> = rules.iter().map(|id| descriptor(run, id)).collect();
    let driver = ToolComponent::builder()
        .name("aidd")
        .version(env!("CARGO_PKG_VERSION").to_owned())
        .semantic_version(env!("CARGO_PKG_VERSION").to_owned())
        .information_uri(env!("CARGO_PKG_REPOSITORY").to_owned())
        .rules(descriptors)
        .notifications(vec![
            notification_kind(SKIPPED, "A file was not, or not wholly, checked"),
            notification_kind(CUT, "More results than code scanning takes"),
        ])
        .build();
    let mut sarif = SarifRun::builder()
        .tool(Tool::builder().driver(driver).build())
        .automation_details(RunAutomationDetails::builder().id(automation(run)).build())
        .column_kind(json!("unicodeCodePoints"))
        .original_uri_base_ids(base_ids(run))
        .invocations(vec![invocation(run, left_out)])
        .results(results)
        .build();
    sarif.version_control_provenance = provenance(run);
    Sarif::builder().schema(SCHEMA.to_owned()).version(json!("2.1.0")).runs(vec![sarif]).build()
}

/// One finding with its fingerprint for GitHub.
struct Found {
    finding: wire::Finding,
    line_hash: Option<String>,
}

fn file_results(run: &Run<'_>, file: &FileFindings<'_>) -> Vec<Found> {
    let mut findings = wire::file_findings(run, file);
    findings.retain(|finding| run.suppressed || finding.status == wire::Status::New);
    if findings.is_empty() {
        return Vec::new();
    }
    // The hash is one of the whole file as GitHub reads it; elsewhere GitHub adds its own.
    let source = file.source;
    let whole = source.origin() == Origin::default() && source.decoded() == Decoded::Utf8;
    let hashes = if whole { line_hashes(source.text()) } else { Vec::new() };
    let hash = |line: u64| usize::try_from(line - 1).ok().and_then(|line| hashes.get(line));
    findings
        .into_iter()
        .map(|finding| Found { line_hash: hash(finding.start.line).cloned(), finding })
        .collect()
}

fn result(run: &Run<'_>, found: &Found, rules: &[&str]) -> Entry {
    let finding = &found.finding;
    let mut fingerprints = BTreeMap::from([("aidd/v1".to_owned(), finding.id.clone())]);
    if let Some(hash) = &found.line_hash {
        fingerprints.insert("primaryLocationLineHash".into(), hash.clone());
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
    result.baseline_state = match finding.status {
        wire::Status::New => run.baseline.then(|| json!("new")),
        wire::Status::Moved | wire::Status::PreExisting | wire::Status::Baselined => {
            Some(json!("unchanged"))
        }
        wire::Status::Fixed => Some(json!("absent")),
        wire::Status::Allowed => None,
    };
    result.suppressions = suppression(finding).map(|suppression| vec![suppression]);
    result.fixes = finding.fix.as_ref().map(|mend| vec![fix(&finding.path, mend)]);
    if !finding.related.is_empty() {
        let places = finding.related.iter().take(RELATED).zip(1_u64..);
        result.related_locations = Some(places.map(related).collect());
    }
    result
}

fn related((place, id): (&wire::Related, u64)) -> Location {
    let mut location = location(&place.path, place.start, place.end);
    location.id = Some(integer(id));
    location.message = Some(message(&place.message));
    location
}

fn suppression(finding: &wire::Finding) -> Option<Suppression> {
    let kind = match finding.status {
        wire::Status::Baselined => "external",
        wire::Status::Allowed => "inSource",
        _ => return None,
    };
    let mut suppression =
        Suppression::builder().kind(json!(kind)).status(json!("accepted")).build();
    suppression.justification.clone_from(&finding.reason);
    Some(suppression)
}

fn fix(path: &str, fix: &wire::Fix) -> Fix {
    let replacements: Vec<Replacement> = fix
        .edits
        .iter()
        .map(|edit| {
            let content = ArtifactContent::builder().text(edit.text.clone()).build();
            Replacement::builder()
                .deleted_region(region(edit.start, edit.end))
                .inserted_content(content)
                .build()
        })
        .collect();
    let change = ArtifactChange::builder()
        .artifact_location(artifact(path))
        .replacements(replacements)
        .build();
    Fix::builder()
        .description(message(&fix.title))
        .artifact_changes(vec![change])
        .properties(properties(Vec::new(), [("safety", json!(fix.safety))]))
        .build()
}

fn descriptor(run: &Run<'_>, id: &str) -> ReportingDescriptor {
    let Some(rule) = run.rule(id) else {
        return ReportingDescriptor::builder().id(id).name(id.to_owned()).build();
    };
    let mut descriptor = ReportingDescriptor::builder()
        .id(id)
        .name(id.to_owned())
        .short_description(plain(&rule.summary))
        .full_description(plain(&first_paragraph(rule)))
        .help(
            MultiformatMessageString::builder()
                .text(rule.body().to_owned())
                .markdown(rule.body().to_owned())
                .build(),
        )
        .default_configuration(
            ReportingConfiguration::builder()
                .enabled(rule.enabled)
                .level(json!(level(rule.severity)))
                .build(),
        )
        .properties(rule_properties(rule))
        .build();
    descriptor.help_uri = rule_url(run, rule);
    descriptor
}

fn rule_properties(rule: &Rule) -> PropertyBag {
    let tags = rule.tags.iter().take(TAGS).map(|tag| match tag.strip_prefix("cwe-") {
        // The form under which GitHub knows weaknesses.
        Some(number) => format!("external/cwe/cwe-{number}"),
        None => tag.clone(),
    });
    let problem = match rule.severity {
        Severity::Error => "error",
        Severity::Warning => "warning",
        Severity::Info => "recommendation",
    };
    let severity = rule.security_severity.as_ref();
    let more = severity.map(|severity| ("security-severity", json!(severity)));
    let names = (!rule.aliases.is_empty()).then(|| ("aliases", json!(rule.aliases)));
    let fixed = [("precision", json!(precision(rule))), ("problem.severity", json!(problem))];
    properties(tags.collect(), fixed.into_iter().chain(more).chain(names))
}

/// How seldom the rule is wrong, as its page says.
fn precision(rule: &Rule) -> &'static str {
    let stated = rule.check.as_ref().and_then(|check| check.text.as_ref());
    match stated.and_then(|text| text.secret) {
        Some(Confidence::Low) => "medium",
        Some(Confidence::Medium) | None => "high",
        Some(Confidence::High) => "very-high",
    }
}

/// The first paragraph of a page after its heading.
fn first_paragraph(rule: &Rule) -> String {
    let body = rule.body().replace("\r\n", "\n");
    let paragraph = body
        .split("\n\n")
        .map(str::trim)
        .find(|text| !text.is_empty() && !text.starts_with('#'))
        .unwrap_or(&rule.summary);
    paragraph.replace('\n', " ")
}

fn invocation(run: &Run<'_>, left_out: usize) -> Invocation {
    let mut notes: Vec<Notification> =
        run.skipped.iter().take(NOTIFICATIONS).map(skipped).collect();
    if let Some(more @ 1..) = run.skipped.len().checked_sub(NOTIFICATIONS) {
        notes.push(notification(
            SKIPPED,
            &format!("{more} more files were not, or not wholly, checked"),
            None,
        ));
    }
    if left_out > 0 {
        let text = format!(
            "{left_out} results of the least severity are left out: code scanning takes {RESULTS}"
        );
        notes.push(notification(CUT, &text, None));
    }
    Invocation::builder().execution_successful(true).tool_execution_notifications(notes).build()
}

fn skipped(file: &Skipped) -> Notification {
    let mut note = notification(SKIPPED, &format!("{}: {}", file.path, file.why), Some(&file.path));
    if file.failed {
        note.level = Some(json!("error"));
    }
    note
}

fn notification_kind(id: &str, text: &str) -> ReportingDescriptor {
    ReportingDescriptor::builder().id(id).short_description(plain(text)).build()
}

fn notification(id: &str, text: &str, path: Option<&str>) -> Notification {
    let mut note = Notification::builder()
        .message(message(text))
        .level(json!("warning"))
        .descriptor(ReportingDescriptorReference::builder().id(id.to_owned()).build())
        .build();
    note.locations = path.map(|path| {
        let place = PhysicalLocation::builder().artifact_location(artifact(path)).build();
        vec![Location::builder().physical_location(place).build()]
    });
    note
}

/// GitHub takes what stands before the last slash as the category.
fn automation(run: &Run<'_>) -> String {
    run.category.map_or_else(|| "aidd/".into(), |category| format!("aidd/{category}/"))
}

fn base_ids(run: &Run<'_>) -> BTreeMap<String, ArtifactLocation> {
    let mut root =
        ArtifactLocation::builder().description(message("The folder under check")).build();
    root.uri = uri::folder(run.root);
    BTreeMap::from([(ROOT.to_owned(), root)])
}

fn provenance(run: &Run<'_>) -> Option<Vec<VersionControlDetails>> {
    let known = run.version_control?;
    let mut details = VersionControlDetails::builder()
        .repository_uri(known.repository)
        .revision_id(known.revision.to_owned())
        .mapped_to(ArtifactLocation::builder().uri_base_id(ROOT.to_owned()).build())
        .build();
    details.branch = known.branch.map(str::to_owned);
    Some(vec![details])
}

fn location(path: &str, start: wire::Position, end: wire::Position) -> Location {
    let place = PhysicalLocation::builder()
        .artifact_location(artifact(path))
        .region(region(start, end))
        .build();
    Location::builder().physical_location(place).build()
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
    Message::builder().text(text.to_owned()).build()
}

fn plain(text: &str) -> MultiformatMessageString {
    let cut = match text.char_indices().nth(DESCRIPTION) {
        Some((end, _)) => format!("{}…", &text[..end]),
        None => text.to_owned(),
    };
    MultiformatMessageString::builder().text(cut).build()
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
