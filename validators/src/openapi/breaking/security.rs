//! Compares the security requirements of operations.

use super::super::document::Document;
use super::super::specification::Version;
use super::super::structure::version_span;
use super::Affected::Request;
use super::Comparison;
use std::collections::{BTreeMap, BTreeSet};

/// The schemes that a request must satisfy together, with their scopes.
type Alternative<'d> = BTreeMap<String, BTreeSet<&'d str>>;

/// The value of `security` that applies to an operation.
fn security(document: &Document<'_>, operation: usize) -> Option<usize> {
    document.get(operation, "security").or_else(|| document.get(document.root, "security"))
}

/// The alternative requirements of an operation. A request must satisfy one of them.
fn alternatives<'d>(document: &'d Document<'_>, operation: usize) -> Vec<Alternative<'d>> {
    let list = security(document, operation);
    let items = list.map_or(&[][..], |list| document.children(list)).iter();
    let alternatives: Vec<_> = items
        .map(|&item| {
            let schemes = document.children(item).iter().map(|&scheme| {
                let scopes = document.children(scheme).iter();
                let scopes = scopes.filter_map(|&scope| document.text(scope)).collect();
                (signature(document, document.key(scheme)), scopes)
            });
            schemes.collect()
        })
        .collect();
    if alternatives.is_empty() { vec![Alternative::new()] } else { alternatives }
}

/// The data that a request must contain for a scheme. The name of a scheme is not visible to
/// clients.
fn signature(document: &Document<'_>, name: &str) -> String {
    let map = match document.version {
        Version::V2 => document.get(document.root, "securityDefinitions"),
        _ => document.get_path(document.root, &["components", "securitySchemes"]),
    };
    let scheme = map.and_then(|map| document.get(map, name)).and_then(|at| document.resolve(at));
    let Some(scheme) = scheme else { return name.to_owned() };
    let fields = ["type", "in", "name", "scheme"];
    let texts = fields.map(|field| {
        let text = document.text_of(scheme, field).unwrap_or_default();
        // Names of headers and of HTTP schemes are not case-sensitive.
        if field == "scheme" || document.text_of(scheme, "in") == Some("header") {
            text.to_ascii_lowercase()
        } else {
            text.to_owned()
        }
    });
    texts.join(" ").trim().to_owned()
}

impl Comparison<'_, '_> {
    pub(super) fn compare_security(&mut self, name: &str, (base, head): (usize, usize)) {
        let before = alternatives(self.base, base);
        let after = alternatives(self.head, head);
        let is_satisfied = |request: &Alternative<'_>| {
            after.iter().any(|required| {
                required.iter().all(|(scheme, scopes)| {
                    request.get(scheme).is_some_and(|known| scopes.is_subset(known))
                })
            })
        };
        let Some(rejected) = before.iter().find(|request| !is_satisfied(request)) else { return };
        let what = if rejected.is_empty() {
            "without authentication"
        } else {
            "with the previous authentication"
        };
        let is_own = self.head.get(head, "security").is_some();
        let (span, subject) = match security(self.head, head) {
            Some(at) if is_own => (self.head.key_span(at), name),
            // The requirements of the document apply to all operations without their own.
            Some(at) => (self.head.key_span(at), "operations"),
            None => (version_span(self.head), "operations"),
        };
        let message = format!("requests {what} are no longer accepted by {subject}");
        let help = "Add the previous requirement as an alternative in `security`";
        self.add(Request, span, message, help);
    }
}
