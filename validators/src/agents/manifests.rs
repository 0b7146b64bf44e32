//! Files that describe servers, agents and sites to agents of others.

use super::AgentContext;
use super::model::Purpose;
use aidd_engine::parse::values::Datum;
use aidd_engine::project::manifest;
use aidd_engine::rules::rule::Report;
use aidd_engine::text::files::sibling;
use aidd_engine::text::finding::Severity;
use aidd_engine::text::source::Span;

/// Maximum length of the description of a server.
const MAX_DESCRIPTION: usize = 100;
/// The first schema with the present names of fields.
const FIRST_SCHEMA: &str = "2025-09-29";
/// Maximum length of the name of a server.
const MAX_NAME: usize = 200;

/// Reports the required keys that the object at `at` lacks; a key with an empty value is there.
fn required(
    context: &AgentContext<'_, '_>,
    at: usize,
    span: Span,
    keys: &[&str],
    what: &str,
    report: &mut Report<'_>,
) {
    for key in keys.iter().filter(|key| context.data.child(at, key).is_none()) {
        report.at(span, format!("{what} needs `{key}`")).help(format!("add `{key}`"));
    }
}

/// The root object of a readable file with this purpose, and its first line.
fn root(context: &AgentContext<'_, '_>, purpose: Purpose) -> Option<(usize, Span)> {
    let at = context.at(&[]).filter(|_| context.file.purpose == purpose)?;
    let is_map = context.data.all[at].datum == Datum::Map && context.data.broken.is_none();
    is_map.then(|| (at, context.source.line_span(0)))
}

pub(super) fn server_manifest(context: &AgentContext<'_, '_>, report: &mut Report<'_>) {
    let Some((root, first)) = root(context, Purpose::ServerManifest) else { return };
    // Before, the names of the fields were others.
    let schema = context.text(&["$schema"]).and_then(|(url, _)| url.split("/schemas/").nth(1));
    if schema.is_none_or(|date| date < FIRST_SCHEMA) {
        return;
    }
    required(context, root, first, &["name", "description", "version"], "the registry", report);
    if let Some((name, span)) = context.text(&["name"]) {
        let is_part = |c: char| c.is_ascii_alphanumeric() || matches!(c, '.' | '-');
        let is_valid = name.split_once('/').is_some_and(|(space, rest)| {
            !space.is_empty()
                && !rest.is_empty()
                && space.chars().all(is_part)
                && rest.chars().all(|c| is_part(c) || c == '_')
        });
        if !is_valid || name.len() > MAX_NAME {
            report
                .at(span, format!("`{name}` is not a name of the registry"))
                .help("write `namespace/name`, such as `io.github.owner/server`");
        }
    }
    if let Some((text, span)) = context.text(&["description"]) {
        let length = text.chars().count();
        if length == 0 || length > MAX_DESCRIPTION {
            let message =
                format!("the description has {length} characters, not 1 to {MAX_DESCRIPTION}");
            report.at(span, message);
        }
    }
    version(context, context.text(&["version"]), report);
    for (package, value) in context.children(&["packages"]) {
        let span = value.span;
        let start = Span::new(span.start as usize, span.start as usize + 1);
        let keys = ["registryType", "identifier", "transport"];
        required(context, package, start, &keys, "a package", report);
        let field = |key: &str| super::string(&context.data.all[context.data.child(package, key)?]);
        version(context, field("version"), report);
        let is_bundle = field("registryType").is_some_and(|(text, _)| text == "mcpb");
        if is_bundle && field("fileSha256").is_none() {
            report.at(start, "a package `mcpb` needs `fileSha256`");
        }
    }
    own_version(context, report);
}

/// A version is fixed: neither `latest` nor a range.
fn version(_: &AgentContext<'_, '_>, version: Option<(&str, Span)>, report: &mut Report<'_>) {
    let Some((text, span)) = version else { return };
    if text == "latest" || text.starts_with(['^', '~', '>', '<', '=']) || text.contains(['*', '|'])
    {
        report.at(span, format!("`{text}` is not a version")).help("write the published version");
    }
}

/// Compares the version with the one of the package in the same directory.
fn own_version(context: &AgentContext<'_, '_>, report: &mut Report<'_>) {
    let package = manifest::json(context.files, &sibling(context.source.path(), "package.json"));
    let Some(name) = manifest::text(&package, &["name"]) else { return };
    let Some(version) = manifest::text(&package, &["version"]) else { return };
    for (at, _) in context.children(&["packages"]) {
        let field = |key: &str| super::string(&context.data.all[context.data.child(at, key)?]);
        let (Some((identifier, _)), Some((own, span))) = (field("identifier"), field("version"))
        else {
            continue;
        };
        // Tools write the version of a development tree during the release.
        let is_placeholder = version.starts_with("0.0.0");
        if identifier == name && own != version && !is_placeholder {
            let message = format!("`package.json` has the version {version}, not {own}");
            let finding = report.at(span, message);
            finding.help("write the version of the package");
            // The registry accepts an earlier version, which is published too.
            finding.severity = finding.severity.min(Severity::Info);
        }
    }
}

/// The fields of a card of version 1.0, and of its skills.
const CARD: [&str; 8] = [
    "name",
    "description",
    "version",
    "supportedInterfaces",
    "capabilities",
    "defaultInputModes",
    "defaultOutputModes",
    "skills",
];
/// The fields of cards before 1.0, which have one address.
const OLD_CARD: [&str; 8] = [
    "name",
    "description",
    "version",
    "url",
    "capabilities",
    "defaultInputModes",
    "defaultOutputModes",
    "skills",
];

pub(super) fn agent_card(context: &AgentContext<'_, '_>, report: &mut Report<'_>) {
    let Some((root, first)) = root(context, Purpose::AgentCard) else { return };
    // Other protocols have files with the name `agent.json`.
    let is_card = ["capabilities", "skills", "protocolVersion", "supportedInterfaces"]
        .iter()
        .any(|key| context.at(&[key]).is_some());
    if !is_card && context.source.name() == "agent.json" {
        return;
    }
    let keys = if context.at(&["supportedInterfaces"]).is_none() && context.at(&["url"]).is_some() {
        &OLD_CARD
    } else {
        &CARD
    };
    required(context, root, first, keys, "the card of an agent", report);
    for (skill, value) in context.children(&["skills"]) {
        let start = Span::new(value.span.start as usize, value.span.start as usize + 1);
        let keys = ["id", "name", "description", "tags"];
        if value.datum == Datum::Map {
            required(context, skill, start, &keys, "a skill", report);
        }
    }
    for (interface, value) in context.children(&["supportedInterfaces"]) {
        let start = Span::new(value.span.start as usize, value.span.start as usize + 1);
        let keys = ["url", "protocolBinding", "protocolVersion"];
        required(context, interface, start, &keys, "an interface", report);
    }
}

pub(super) fn llms_txt(context: &AgentContext<'_, '_>, report: &mut Report<'_>) {
    if context.file.purpose != Purpose::SiteOverview {
        return;
    }
    let text = context.source.text().trim_start_matches('\u{FEFF}');
    let first = text.lines().find(|line| !line.trim().is_empty());
    let Some(first) = first else {
        report
            .at(Span::new(0, 0), "the file is empty")
            .help("write the name of the site as `# Name`");
        return;
    };
    if !first.starts_with("# ") {
        let line = text.lines().position(|line| line == first).unwrap_or_default();
        report
            .at(context.source.line_span(line), "the file does not begin with a heading")
            .help("write the name of the site as `# Name` in the first line");
    }
}
