//! LABEL: keys, and values of labels with a known type.

use super::{CheckContext, ContextCheck, values};
use aidd_engine::parse::dockerfile::{Dockerfile, Keyword, Pair, Stage};
use aidd_engine::rules::rule::Report;
use aidd_engine::text::source::Span;
use serde_json::Value;

pub(super) const CONTEXT_CHECKS: &[(&str, ContextCheck)] = &[
    ("dockerfile/label-key", label_key),
    ("dockerfile/missing-label", missing_label),
    ("dockerfile/unknown-label", unknown_label),
    ("dockerfile/empty-label", empty_label),
    ("dockerfile/label-url", |context, report| check_values(context, report, "url")),
    ("dockerfile/label-date", |context, report| check_values(context, report, "rfc3339")),
    ("dockerfile/label-license", |context, report| check_values(context, report, "spdx")),
    ("dockerfile/label-git-hash", |context, report| check_values(context, report, "hash")),
    ("dockerfile/label-version", |context, report| check_values(context, report, "semver")),
    ("dockerfile/label-email", |context, report| check_values(context, report, "email")),
];

/// The name of a value type, its description, and its predicate.
type ValueType = (&'static str, &'static str, fn(&str) -> bool);

const VALUE_TYPES: [ValueType; 6] = [
    ("url", "an absolute URL", values::is_url),
    ("rfc3339", "a date and time as in RFC 3339, such as 2024-05-31T12:00:00Z", values::is_date),
    ("spdx", "an SPDX licence expression", values::is_license),
    ("hash", "a Git hash with 7 or 40 hexadecimal digits", values::is_git_hash),
    ("semver", "a semantic version, such as 1.2.3", values::is_version),
    ("email", "an e-mail address", values::is_email),
];

/// Labels of the OCI image specification with typed values.
const OCI: [(&str, &str); 5] = [
    ("org.opencontainers.image.created", "rfc3339"),
    ("org.opencontainers.image.documentation", "url"),
    ("org.opencontainers.image.licenses", "spdx"),
    ("org.opencontainers.image.source", "url"),
    ("org.opencontainers.image.url", "url"),
];

fn labels(file: &Dockerfile) -> impl Iterator<Item = &Pair> {
    file.all(Keyword::Label).flat_map(|label| &label.pairs)
}

/// The type of a label's value: hadolint's schema first, then the OCI specification.
fn value_type<'a>(context: &'a CheckContext<'_>, key: &str) -> Option<&'a str> {
    let schema = context.config.and_then(|config| config.label_schema.get(key));
    let known = OCI.iter().find(|(name, _)| *name == key);
    schema.map(String::as_str).or(known.map(|(_, kind)| *kind))
}

/// The labels in the parameter `labels` of the current rule.
fn listed_labels<'a>(report: &Report<'a>) -> Option<Vec<&'a str>> {
    let list = report.param("labels")?.as_array()?;
    Some(list.iter().filter_map(Value::as_str).collect())
}

fn check_values(context: &CheckContext<'_>, report: &mut Report<'_>, required: &str) {
    let Some(&(_, description, fits)) = VALUE_TYPES.iter().find(|(kind, ..)| *kind == required)
    else {
        return;
    };
    let from_param = listed_labels(report);
    for pair in labels(context.docker) {
        let key = &*pair.key.text;
        let is_checked = match &from_param {
            Some(from_param) => from_param.contains(&key),
            None => value_type(context, key) == Some(required),
        };
        let Some(value) = pair.value.as_ref().filter(|_| is_checked) else { continue };
        // A value with variables or a template is only known at build time. Maven replaces `@name@`.
        let is_template = value.text.contains(['$', '{'])
            || value.text.len() > 2 && value.text.starts_with('@') && value.text.ends_with('@');
        if !is_template && !fits(&value.text) {
            report
                .at(value_span(pair, value.span), format!("invalid value of label `{key}`"))
                .help(format!("Use {description}"));
        }
    }
}

/// The span of the value, or of the key if the value is empty.
fn value_span(pair: &Pair, value: Span) -> Span {
    if value.is_empty() { pair.key.span } else { value }
}

/// Namespaces that are reserved for Docker.
const RESERVED: [&str; 3] = ["com.docker.", "io.docker.", "org.dockerproject."];

fn label_key(context: &CheckContext<'_>, report: &mut Report<'_>) {
    for pair in labels(context.docker) {
        let key = &*pair.key.text;
        if key.contains("{{") || key.contains('<') {
            continue;
        }
        if let Some(namespace) = RESERVED.iter().find(|namespace| key.starts_with(*namespace)) {
            report
                .at(pair.key.span, format!("label `{key}` is in a namespace reserved for Docker"))
                .help(format!("`{namespace}*` is reserved; use your own domain"));
        } else if !is_valid_key(key) {
            report.at(pair.key.span, format!("label `{key}` is not a valid key")).help(
                "Use lower-case letters, digits and single `.` or `-`, starting with a letter",
            );
        }
    }
}

fn is_valid_key(key: &str) -> bool {
    let is_inner = |byte: u8| byte.is_ascii_lowercase() || byte.is_ascii_digit();
    key.bytes().all(|byte| is_inner(byte) || matches!(byte, b'.' | b'-' | b'_' | b'/'))
        && key.bytes().next().is_some_and(|byte| byte.is_ascii_lowercase())
        && key.bytes().last().is_some_and(is_inner)
        && !key.contains("..")
        && !key.contains("--")
}

fn missing_label(context: &CheckContext<'_>, report: &mut Report<'_>) {
    let from_param = listed_labels(report);
    let schema = context.config.map(|config| &config.label_schema);
    let required: Vec<&str> = from_param
        .unwrap_or_else(|| schema.into_iter().flat_map(|s| s.keys()).map(String::as_str).collect());
    let file = context.docker;
    let sources = super::stages::copied_stages(file);
    for label in required {
        // A stage from which another stage copies, or on which a labelled stage builds, is not
        // reported.
        let mut is_intermediate = sources.clone();
        for stage in file.stages.iter().filter(|stage| sets_label(file, stage, label)) {
            if let Some(slot) = stage.base.and_then(|base| is_intermediate.get_mut(base)) {
                *slot = true;
            }
        }
        for (stage, is_intermediate) in file.stages.iter().zip(is_intermediate) {
            let Some(image) = &stage.image else { continue };
            if !is_intermediate && !has_label(file, stage, label) {
                report.at(image.span, format!("the image has no label `{label}`"));
            }
        }
    }
}

fn sets_label(file: &Dockerfile, stage: &Stage, label: &str) -> bool {
    let labels =
        file.of_stage(stage).iter().filter(|instruction| instruction.kind == Keyword::Label);
    labels.flat_map(|instruction| &instruction.pairs).any(|pair| pair.key.text == label)
}

/// Whether the stage or a stage that it builds on sets the label.
fn has_label(file: &Dockerfile, stage: &Stage, label: &str) -> bool {
    let mut next = Some(stage);
    while let Some(stage) = next {
        if sets_label(file, stage, label) {
            return true;
        }
        next = stage.base.and_then(|base| file.stages.get(base));
    }
    false
}

fn unknown_label(context: &CheckContext<'_>, report: &mut Report<'_>) {
    let from_param = listed_labels(report);
    let config = context.config.filter(|config| config.strict_labels);
    if from_param.is_none() && config.is_none() {
        return;
    }
    for pair in labels(context.docker) {
        let key = &*pair.key.text;
        let known = match &from_param {
            Some(from_param) => from_param.contains(&key),
            None => config.is_some_and(|config| config.label_schema.contains_key(key)),
        };
        if !known {
            report.at(pair.key.span, format!("label `{key}` is not in the schema"));
        }
    }
}

fn empty_label(context: &CheckContext<'_>, report: &mut Report<'_>) {
    for pair in labels(context.docker) {
        let key = &*pair.key.text;
        let empty = pair.value.as_ref().is_some_and(|value| value.text.is_empty());
        if empty
            && (value_type(context, key).is_some() || key.starts_with("org.opencontainers.image."))
        {
            report
                .at(pair.key.span, format!("label `{key}` is empty"))
                .help("Set a value, or remove the label");
        }
    }
}
