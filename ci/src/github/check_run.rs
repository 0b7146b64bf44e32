//! The check run: conclusion, summary, and an annotation for each finding.

use super::client::Client;
use super::failure::Failure;
use super::{Content, Posted, Target, markup};
use aidd_engine::forms::commits;
use aidd_engine::text::finding::Severity;
use aidd_report::{number, one_line, printable, wire};
use serde::Deserialize;
use serde_json::{Value, json};
use std::hash::{BuildHasher, Hasher, RandomState};

/// Maximum number of annotations per request.
const MAX_BATCH: usize = 50;
/// Maximum number of annotations of a check run. GitHub documents no limit, but each batch counts
/// as one of the thousand requests per hour that a job's token allows.
const MAX_ANNOTATIONS: usize = 1_000;
/// Maximum size of a check run's text in bytes. GitHub's limit is 65,535 characters, and a text
/// never has more characters than bytes.
const MAX_TEXT: usize = 65_535;
/// Maximum size of an annotation's message in bytes; GitHub's limit is 64 KB.
const MAX_MESSAGE: usize = 64_000;
/// Maximum size of a title in bytes.
const MAX_TITLE: usize = 255;
const TRUNCATION_NOTICE: &str = "*Truncated: a check run is limited to 65,535 characters. See the job summary for the full report.*";

#[derive(Deserialize)]
struct CheckRun {
    id: u64,
    html_url: Option<String>,
    external_id: Option<String>,
    output: Output,
}

#[derive(Deserialize)]
struct Output {
    #[serde(default)]
    annotations_count: usize,
}

#[derive(Deserialize)]
struct CheckRuns {
    check_runs: Vec<CheckRun>,
}

/// Creates a check run on the target's commit.
pub(super) async fn post(
    client: &Client,
    target: &Target<'_>,
    content: &Content<'_>,
    posted: &mut Posted,
) -> Result<(), Failure> {
    // A finding that is not in a file cannot be annotated; the summary contains it.
    let in_files =
        content.findings.iter().filter(|finding| !commits::is_virtual_path(&finding.path));
    let in_files: Vec<wire::Finding> = in_files.cloned().collect();
    let shown = &in_files[..in_files.len().min(MAX_ANNOTATIONS)];
    let mut batches = shown.chunks(MAX_BATCH);
    let run = create(client, target, content, batches.next().unwrap_or_default()).await?;
    posted.check_run_url = run.html_url.as_deref().and_then(markup::checked_url);
    if let Some(excess @ 1..) = in_files.len().checked_sub(MAX_ANNOTATIONS) {
        posted.skipped.push(format!(
            "{} not annotated: the check run shows the {MAX_ANNOTATIONS} most severe findings. Fix these first, or read the \
             job log.",
            number(excess, "finding")
        ));
    }
    let mut posted_count = shown.len().min(MAX_BATCH);
    for batch in batches {
        posted_count += batch.len();
        if let Err(failure) = add_annotations(client, run.id, content, batch, posted_count).await {
            let missing = number(shown.len() + batch.len() - posted_count, "annotation");
            let subject = format!("{missing} of {} were not added to the check run", shown.len());
            posted.skipped.push(failure.line(&subject, "checks: write"));
            break;
        }
    }
    Ok(())
}

async fn create(
    client: &Client,
    target: &Target<'_>,
    content: &Content<'_>,
    findings: &[wire::Finding],
) -> Result<CheckRun, Failure> {
    let name = name(content.marker);
    // The id distinguishes this check run from others of the same name.
    let id = format!("aidd-{:016x}", RandomState::new().build_hasher().finish());
    let mut body = json!({
        "name": name,
        "head_sha": target.head_sha,
        "external_id": id,
        "status": "completed",
        "conclusion": conclusion(content),
        "output": output(content, findings),
    });
    if let Some(url) = target.run_url {
        body["details_url"] = url.into();
    }
    let find_created = async || {
        let (sha, name) = (markup::encode_segment(target.head_sha), markup::encode_segment(&name));
        let route = format!("/commits/{sha}/check-runs?check_name={name}&filter=all&per_page=100");
        let runs: CheckRuns = client.get(&route).await?;
        Ok(runs.check_runs.into_iter().find(|run| run.external_id.as_ref() == Some(&id)))
    };
    client.create("/check-runs", &body, find_created).await
}

/// Adds annotations; afterwards the check run must have `expected_count` annotations.
async fn add_annotations(
    client: &Client,
    id: u64,
    content: &Content<'_>,
    findings: &[wire::Finding],
    expected_count: usize,
) -> Result<(), Failure> {
    let route = format!("/check-runs/{id}");
    let body = json!({ "output": output(content, findings) });
    let find_updated = async || {
        let run: CheckRun = client.get(&route).await?;
        Ok(Some(run).filter(|run| run.output.annotations_count >= expected_count))
    };
    client.append(&route, &body, find_updated).await.map(drop)
}

fn name(marker: &str) -> String {
    match markup::marker(marker).as_str() {
        "aidd" => "aidd".into(),
        marker => format!("aidd ({marker})"),
    }
}

fn conclusion(content: &Content<'_>) -> &'static str {
    match (content.failed, content.findings) {
        (true, _) => "failure",
        (false, []) => "success",
        (false, _) => "neutral",
    }
}

fn output(content: &Content<'_>, findings: &[wire::Finding]) -> Value {
    json!({
        "title": shorten(&one_line(&content.title), MAX_TITLE),
        "summary": markup::truncate(&content.summary, MAX_TEXT, TRUNCATION_NOTICE),
        "annotations": findings.iter().map(annotation).collect::<Vec<_>>(),
    })
}

fn annotation(finding: &wire::Finding) -> Value {
    let (start, end) = (finding.start, finding.end);
    // A span that ends with a line break ends on the previous line.
    let last = if end.column == 1 && end.line > start.line { end.line - 1 } else { end.line };
    let help = finding.help.as_deref().map(|help| format!("\n\n{help}")).unwrap_or_default();
    let text = printable(&format!("{}{help}", finding.message));
    let mut annotation = json!({
        "path": finding.path,
        "start_line": start.line,
        "end_line": last,
        "annotation_level": match finding.severity {
            Severity::Error => "failure",
            Severity::Warning => "warning",
            Severity::Info => "notice",
        },
        "title": shorten(&finding.rule, MAX_TITLE),
        "message": shorten(&text, MAX_MESSAGE),
    });
    // GitHub accepts columns only if start and end are on one line.
    if start.line == end.line {
        annotation["start_column"] = start.column.into();
        annotation["end_column"] = end.column.into();
    }
    annotation
}

/// The beginning of `text`, at most `limit` bytes.
fn shorten(text: &str, limit: usize) -> &str {
    &text[..text.floor_char_boundary(limit)]
}
