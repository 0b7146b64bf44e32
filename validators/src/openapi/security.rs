//! Checks on security requirements.

use super::document::{Document, short};
use super::fixes::suggest;
use super::specification::Version;
use aidd_engine::rules::rule::Report;
use aidd_engine::text::finding::Severity;
use std::collections::{HashMap, HashSet};

/// The map of declared security schemes.
pub(super) fn scheme_map(document: &Document<'_>) -> Option<usize> {
    match document.version {
        Version::V2 => document.get(document.root, "securityDefinitions"),
        _ => document.get_path(document.root, &["components", "securitySchemes"]),
    }
}

/// The scopes that a scheme declares; `None` if they are not known or the scheme has no scopes.
fn scopes<'d>(document: &'d Document<'_>, scheme: usize) -> Option<HashSet<&'d str>> {
    if document.text_of(scheme, "type") != Some("oauth2") {
        return None;
    }
    let mut names = HashSet::new();
    let mut add = |owner: usize| {
        let scopes = document.get(owner, "scopes")?;
        let is_known = document.is_map(scopes) && !document.targets.contains_key(&scopes);
        is_known.then(|| {
            names.extend(document.children(scopes).iter().map(|&scope| document.key(scope)));
        })
    };
    if document.version == Version::V2 {
        add(scheme)?;
    } else {
        let flows = document.get(scheme, "flows")?;
        if document.targets.contains_key(&flows) {
            return None;
        }
        for &flow in document.children(flows) {
            if document.is_type(flow, "oauth-flow") {
                add(flow)?;
            }
        }
    }
    Some(names)
}

/// The names and types of the schemes whose requirements must be empty lists. Since OpenAPI 3.1, a
/// requirement can list roles.
fn schemes_without_scopes<'d>(
    document: &'d Document<'_>,
    schemes: &[usize],
) -> HashMap<&'d str, &'d str> {
    if document.version >= Version::V3_1 {
        return HashMap::new();
    }
    let kind = |scheme: usize| {
        let kind = document.resolve(scheme).and_then(|scheme| document.text_of(scheme, "type"))?;
        matches!(kind, "apiKey" | "http" | "basic").then_some((document.key(scheme), kind))
    };
    schemes.iter().filter_map(|&scheme| kind(scheme)).collect()
}

pub(super) fn undefined_security_scheme(document: &Document<'_>, report: &mut Report<'_>) {
    let map = scheme_map(document);
    let components = document.get(document.root, "components");
    let is_external = map.or(components).is_some_and(|at| document.targets.contains_key(&at));
    if is_external {
        return;
    }
    let schemes = map.map_or(&[][..], |map| document.children(map));
    let mut declared: HashMap<&str, Option<HashSet<&str>>> = HashMap::new();
    for &scheme in schemes {
        let scopes = document.resolve(scheme).and_then(|scheme| scopes(document, scheme));
        declared.insert(document.key(scheme), scopes);
    }
    let mut without_scopes = schemes_without_scopes(document, schemes);
    for requirement in document.objects("security-requirement") {
        for &entry in document.children(requirement) {
            let name = document.key(entry);
            if let Some(&scope) = document.children(entry).first()
                && let Some(kind) = without_scopes.remove(name)
            {
                let message =
                    format!("the scheme `{}` of type `{kind}` has no scopes", short(name));
                let finding = report.at(document.span(scope), message);
                finding.help("Write an empty list, or use a scheme of type `oauth2`");
                finding.severity = finding.severity.min(Severity::Info);
            }
            match declared.get(name) {
                None => {
                    // In OpenAPI 3.2, a requirement can name a scheme by its URI.
                    if name.starts_with("x-")
                        || document.version >= Version::V3_2 && name.contains(['/', '#', ':'])
                    {
                        continue;
                    }
                    let names = schemes.iter();
                    let near = document.nearest(name, names.map(|&scheme| document.key(scheme)));
                    let finding = report.at(
                        document.key_span(entry),
                        format!("the security scheme `{name}` is not declared"),
                    );
                    match near {
                        Some(near) => {
                            suggest(document, finding, (document.key_span(entry), name), near);
                        }
                        None if document.version == Version::V2 => {
                            finding.help("Declare the scheme in `securityDefinitions`");
                        }
                        None => {
                            finding.help("Declare the scheme in `components.securitySchemes`");
                        }
                    }
                }
                Some(None) => {}
                Some(Some(scopes)) => {
                    for &item in document.children(entry) {
                        let Some(scope) = document.text(item) else { continue };
                        if !scopes.contains(scope) {
                            report
                                .at(
                                    document.span(item),
                                    format!(
                                        "the scheme `{}` does not declare the scope `{scope}`",
                                        short(name)
                                    ),
                                )
                                .help("Declare the scope in `scopes` of the scheme");
                        }
                    }
                }
            }
        }
    }
}
