//! Checks on OpenAPI and Swagger documents in JSON and YAML.

mod breaking;
mod bundle;
mod conditions;
mod document;
mod examples;
mod fixes;
mod info;
mod keywords;
mod linter_settings;
mod naming;
mod operations;
mod owasp;
mod parameters;
mod parts;
mod paths;
pub(crate) mod pointer;
mod references;
mod schemas;
mod security;
mod specification;
mod structure;
mod style;
#[cfg(test)]
mod tests;

use aidd_engine::check::family::{Family, FileContext};
use aidd_engine::rules::rule::Report;
use aidd_engine::text::conflict::{MERGE_CONFLICT, first_conflict};
use aidd_engine::text::files::Files;
use aidd_engine::text::finding::Severity;
use aidd_engine::text::kind::Kind;
use aidd_engine::text::source::{Decoded, Span};
use document::{Document, Refusal};

/// The kind of OpenAPI documents.
pub(super) const OPENAPI: Kind = Kind("openapi");
/// The kind of files that can be parts of an OpenAPI document.
const PART: Kind = Kind("openapi-part");
/// The kind of files with settings of other linters of OpenAPI documents.
const SETTINGS: Kind = Kind("openapi-linter-settings");

/// The rules on OpenAPI documents.
pub(super) const FAMILY: Family = Family {
    name: "openapi",
    rules: || {
        let own = [SYNTAX, linter_settings::INVALID, linter_settings::UNREAD];
        CHECKS.iter().map(|&(id, _)| id).chain(own).collect()
    },
    claim: |path, text| {
        if linter_settings::is_settings(path) {
            return Some(SETTINGS);
        }
        if is_document(path, text) || document::has_document_name(path) && has_no_version(text) {
            return Some(OPENAPI);
        }
        if document::has_document_name(path) && is_cut_off(path, text) {
            return Some(OPENAPI);
        }
        parts::is_candidate(path, text).then_some(PART)
    },
    check: |kind, context, report| {
        let FileContext { registry, files, .. } = *context;
        if kind == SETTINGS {
            return linter_settings::check(report);
        }
        let path = report.source().path();
        report.apply_settings(linter_settings::overrides(registry, files, path));
        match kind {
            PART => parts::check(files, report),
            _ => run_on(files, report),
        }
    },
    affects_other_files: is_data,
    // Descriptions of large interfaces are up to 14 MB in size.
    checks_large: is_document,
    needs_listing: true,
    ..Family::EMPTY
};

const SYNTAX: &str = "openapi/syntax";
const STRUCTURE: &str = "openapi/structure";

/// The function that checks a document for one rule.
type Check = fn(&Document<'_>, &mut Report<'_>);

/// The checks, by rule id.
const CHECKS: &[(&str, Check)] = &[
    ("openapi/additional-properties", owasp::additional_properties),
    ("openapi/ambiguous-paths", paths::ambiguous_paths),
    ("openapi/array-without-items", schemas::array_without_items),
    ("openapi/body-and-form-data", operations::body_and_form_data),
    ("openapi/boolean-parameter-prefix", naming::boolean_parameter_prefix),
    ("openapi/breaking-request", breaking::breaking_request),
    ("openapi/breaking-response", breaking::breaking_response),
    ("openapi/callbacks-in-webhook", operations::callbacks_in_webhook),
    ("openapi/circular-ref", references::circular_ref),
    ("openapi/conflicting-all-of", schemas::conflicting_all_of),
    ("openapi/contradictory-bounds", schemas::contradictory_bounds),
    ("openapi/credentials-in-path", owasp::credentials_in_path),
    ("openapi/deprecated-xml-field", schemas::deprecated_xml_field),
    ("openapi/discriminator-property", keywords::discriminator_property),
    ("openapi/duplicate-component-name", naming::duplicate_component_name),
    ("openapi/duplicate-description", naming::duplicate_description),
    ("openapi/duplicate-enum-value", schemas::duplicate_enum_value),
    ("openapi/duplicate-operation-id", operations::duplicate_operation_id),
    ("openapi/duplicate-parameter", operations::duplicate_parameter),
    ("openapi/duplicate-tag", info::duplicate_tag),
    ("openapi/empty-path-parameter", paths::empty_path_parameter),
    ("openapi/example-host", info::example_host),
    ("openapi/form-data-without-consumes", operations::form_data_without_consumes),
    ("openapi/http-basic", owasp::http_basic),
    ("openapi/http-server", owasp::http_server),
    ("openapi/http-verb-in-path", paths::http_verb_in_path),
    ("openapi/identical-paths", paths::identical_paths),
    ("openapi/ignored-nullable", keywords::ignored_nullable),
    ("openapi/incomplete-contact", style::incomplete_contact),
    ("openapi/inline-combinator", style::inline_combinator),
    ("openapi/insecure-auth-scheme", owasp::insecure_auth_scheme),
    ("openapi/invalid-enum-value", schemas::invalid_enum_value),
    ("openapi/invalid-example", examples::invalid_example),
    ("openapi/invalid-pattern", schemas::invalid_pattern),
    ("openapi/invalid-url", info::invalid_url),
    ("openapi/jwt-best-practices", owasp::jwt_best_practices),
    ("openapi/key-in-url", owasp::key_in_url),
    ("openapi/keyword-of-other-type", keywords::keyword_of_other_type),
    ("openapi/license-without-terms", style::license_without_terms),
    ("openapi/missing-401-response", owasp::missing_401_response),
    ("openapi/missing-429-response", owasp::missing_429_response),
    ("openapi/missing-4xx-response", operations::missing_4xx_response),
    ("openapi/missing-500-response", owasp::missing_500_response),
    ("openapi/missing-component-description", style::missing_component_description),
    ("openapi/missing-contact", style::missing_contact),
    ("openapi/missing-info-description", style::missing_info_description),
    ("openapi/missing-license", style::missing_license),
    ("openapi/missing-operation-description", style::missing_operation_description),
    ("openapi/missing-operation-id", style::missing_operation_id),
    ("openapi/missing-operation-summary", style::missing_operation_summary),
    ("openapi/missing-operation-tag", style::missing_operation_tag),
    ("openapi/missing-parameter-description", style::missing_parameter_description),
    ("openapi/missing-rate-limit-headers", owasp::missing_rate_limit_headers),
    ("openapi/missing-scheme", style::missing_scheme),
    ("openapi/missing-server", style::missing_server),
    ("openapi/missing-tag-description", style::missing_tag_description),
    ("openapi/missing-tags", style::missing_tags),
    ("openapi/missing-validation-response", owasp::missing_validation_response),
    ("openapi/no-content-with-body", operations::no_content_with_body),
    ("openapi/nullable-enum", keywords::nullable_enum),
    ("openapi/nullable-without-type", schemas::nullable_without_type),
    ("openapi/numeric-id", owasp::numeric_id),
    ("openapi/operation-id-characters", operations::operation_id_characters),
    ("openapi/path-case", paths::path_case),
    ("openapi/path-parameters", paths::path_parameters),
    ("openapi/property-case", style::property_case),
    ("openapi/query-in-path", paths::query_in_path),
    ("openapi/ref-siblings", references::ref_siblings),
    ("openapi/ref-type", references::ref_type),
    ("openapi/remote-ref", references::remote_ref),
    ("openapi/removed-operation", breaking::removed_operation),
    ("openapi/request-body-on-get", operations::request_body_on_get),
    ("openapi/script-in-description", info::script_in_description),
    ("openapi/server-trailing-slash", info::server_trailing_slash),
    ("openapi/servers-in-webhook", operations::servers_in_webhook),
    ("openapi/several-operation-tags", style::several_operation_tags),
    ("openapi/singular-collection", naming::singular_collection),
    (STRUCTURE, structure::structure),
    ("openapi/success-response", operations::success_response),
    ("openapi/trailing-slash", paths::trailing_slash),
    ("openapi/unbounded-array", owasp::unbounded_array),
    ("openapi/unbounded-integer", owasp::unbounded_integer),
    ("openapi/unbounded-string", owasp::unbounded_string),
    ("openapi/undefined-security-scheme", security::undefined_security_scheme),
    ("openapi/undefined-server-variable", info::undefined_server_variable),
    ("openapi/undefined-tag", operations::undefined_tag),
    ("openapi/unknown-required-property", schemas::unknown_required_property),
    ("openapi/unprotected-operation", owasp::unprotected_operation),
    ("openapi/unresolved-ref", references::unresolved_ref),
    ("openapi/unrestricted-string", owasp::unrestricted_string),
    ("openapi/unsorted-tags", style::unsorted_tags),
    ("openapi/unused-component", references::unused_component),
];

/// Runs the checks over the source of `report`.
fn run_on(files: &dyn Files, report: &mut Report<'_>) {
    if parts::check_root(files, report) {
        return;
    }
    match Document::parse(report.source(), files) {
        Ok(document) if document.parts.all.len() > 1 => {
            let mut findings = parts::findings(&document, report.today(), |id| report.begin(id));
            parts::replay(findings.remove(report.source().path()).unwrap_or_default(), report);
        }
        Ok(document) => {
            for &(id, check) in CHECKS {
                if report.begin(id) {
                    check(&document, report);
                }
            }
        }
        Err(Refusal::Syntax(span, message)) => {
            if report.begin(SYNTAX) {
                report_syntax(span, message, report);
            }
        }
        Err(Refusal::Version(span, version)) => {
            if report.begin(STRUCTURE) {
                report.at(span, format!("unsupported version `{version}`")).help(
                    "Write a version such as `3.0.4`, `3.1.2` or `3.2.0`, or `swagger: \"2.0\"`",
                );
            }
        }
        Err(Refusal::Empty) => {
            if report.begin(STRUCTURE) {
                let finding = report.at(Span::default(), "the document is empty");
                finding.help("Write `openapi`, `info` and `paths`, or delete the file");
                // A build can create the content of an empty file.
                finding.severity = finding.severity.min(Severity::Info);
            }
        }
        Err(Refusal::NotChecked) => {}
    }
}

/// Reports a syntax error, or the merge conflict or the encoding that causes it.
fn report_syntax(span: Span, message: String, report: &mut Report<'_>) {
    let source = report.source();
    if let Some(conflict) = first_conflict(source.text()) {
        report.at(Span::new(conflict.start, conflict.end), MERGE_CONFLICT);
    } else if source.decoded() == Decoded::Lossy {
        report.at(span, "the file is not UTF-8").help("Convert the file to UTF-8");
    } else if is_cut_off(source.path(), source.text()) {
        report.at(span, "the file ends before the JSON is complete").help("Restore the whole file");
    } else {
        report.at(span, message);
    }
}

/// Whether a JSON file ends within an object or a list.
fn is_cut_off(path: &str, text: &str) -> bool {
    let text = text.trim_start_matches('\u{FEFF}').trim();
    path.to_ascii_lowercase().ends_with(".json")
        && text.starts_with('{')
        && depth_at(text, text.len()) > 0
        && !["{{", "{%", "${", "<%"].iter().any(|mark| text.contains(mark))
}

/// Whether a path has the extension of a JSON or YAML file.
fn is_data(path: &str) -> bool {
    let extension = path.rsplit_once('.').map_or("", |(_, extension)| extension);
    ["json", "yaml", "yml"].iter().any(|known| extension.eq_ignore_ascii_case(known))
}

/// Whether the text at `path` is an OpenAPI document: a JSON or YAML file with the version at the
/// top level.
fn is_document(path: &str, text: &str) -> bool {
    if !is_data(path) {
        return false;
    }
    if path.to_ascii_lowercase().ends_with(".json") {
        return is_json_document(text);
    }
    text.trim_start_matches('\u{FEFF}').trim_start().starts_with('{') && is_json_document(text)
        || text.lines().any(|line| {
            let line = line.trim_start_matches('\u{FEFF}');
            let value = ["openapi", "swagger"].iter().find_map(|key| {
                let line = line.trim_start_matches(['"', '\'']);
                let rest = line.strip_prefix(key)?.trim_start_matches(['"', '\'']);
                rest.trim_start().strip_prefix(':')
            });
            value.is_some_and(is_version)
        })
}

/// Whether a file with the name of a document is empty, or has a word in place of the version.
fn has_no_version(text: &str) -> bool {
    let lines = || text.lines().filter(|line| !line.trim().is_empty() && !line.starts_with('#'));
    let is_field = |line: &str| {
        let line = line.trim_start_matches(['{', ' ', '"', '\'']);
        ["openapi", "swagger"].iter().any(|key| {
            let rest = line.strip_prefix(key).map(|rest| rest.trim_start_matches(['"', '\'']));
            rest.is_some_and(|rest| rest.trim_start().starts_with(':'))
        })
    };
    lines().next().is_none() || lines().next().is_some_and(is_field)
}

/// Whether the text contains the version as a field of JSON that is not nested.
fn is_json_document(text: &str) -> bool {
    ["\"openapi\"", "\"swagger\""].iter().any(|key| {
        // The key can also occur at other places, for example in a list of keywords.
        text.match_indices(key).take(20).any(|(at, key)| {
            let value = text[at + key.len()..].trim_start().strip_prefix(':');
            value.is_some_and(is_version) && is_top_level(text, at)
        })
    })
}

/// Whether the offset `at` of a JSON text is in the outermost object only.
fn is_top_level(text: &str, at: usize) -> bool {
    depth_at(text, at) == 1
}

/// The number of objects and lists of a JSON text that contain the offset `at`.
fn depth_at(text: &str, at: usize) -> usize {
    let mut depth = 0_usize;
    let mut bytes = text.bytes().take(at);
    while let Some(byte) = bytes.next() {
        match byte {
            b'"' => {
                while let Some(byte) = bytes.next() {
                    match byte {
                        b'\\' => _ = bytes.next(),
                        b'"' => break,
                        _ => {}
                    }
                }
            }
            b'{' | b'[' => depth += 1,
            b'}' | b']' => depth = depth.saturating_sub(1),
            _ => {}
        }
    }
    depth
}

/// Whether a value starts like a version.
fn is_version(value: &str) -> bool {
    let value = value.trim_start().trim_start_matches(['"', '\'']);
    value.starts_with(|c: char| c.is_ascii_digit())
}
