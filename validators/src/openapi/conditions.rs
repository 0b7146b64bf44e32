//! Finds violations of the specification that depend on several fields of an object.

use super::document::{Document, Fault, METHODS};
use super::fixes::{entry_removal, item_removal};
use super::specification::Version;
use super::structure::{list_of, missing_field, version_span};
use aidd_engine::parse::values::Datum;
use std::collections::{HashMap, HashSet};

/// Finds the violations in all objects.
pub(super) fn check(document: &mut Document<'_>) {
    let mut faults = Faults { document, found: Vec::new() };
    faults.check_document();
    for (name, check) in conditions(faults.document.version) {
        for at in faults.document.objects(name) {
            check(&mut faults, at);
        }
    }
    let found = faults.found;
    document.faults.extend(found);
}

/// A check of the object at an index.
type Condition<'d, 'a> = fn(&mut Faults<'d, 'a>, usize);

/// The types of objects, each with its check.
fn conditions<'d, 'a>(version: Version) -> [(&'static str, Condition<'d, 'a>); 15] {
    let is_2 = version == Version::V2;
    [
        ("parameter", if is_2 { Faults::check_parameter_2 } else { Faults::check_parameter }),
        ("header", Faults::check_header),
        ("media-type", Faults::check_media_type),
        ("encoding", Faults::check_encodings),
        ("example", Faults::check_example),
        ("link", Faults::check_link),
        ("license", Faults::check_license),
        ("security-scheme", if is_2 { Faults::check_scheme_2 } else { Faults::check_scheme }),
        ("oauth-flow", Faults::check_flow),
        ("server-variable", Faults::check_server_variable),
        ("responses", Faults::check_responses),
        ("schema", Faults::check_schema),
        ("xml", Faults::check_xml),
        ("operation", Faults::check_query_strings),
        ("path-item", Faults::check_path_item),
    ]
}

pub(super) struct Faults<'d, 'a> {
    pub(super) document: &'d Document<'a>,
    pub(super) found: Vec<Fault>,
}

impl Faults<'_, '_> {
    pub(super) fn has(&self, at: usize, field: &str) -> bool {
        self.document.get(at, field).is_some()
    }

    /// Reports the field `field` of the object `at`.
    pub(super) fn report(
        &mut self,
        at: usize,
        field: &str,
        message: impl Into<String>,
        help: &str,
    ) {
        let span = self
            .document
            .get(at, field)
            .map_or_else(|| self.document.key_span(at), |field| self.document.key_span(field));
        self.found.push(Fault::new(span, message).help(help));
    }

    /// Reports the field `field` of the object `at`, which has no effect, with a fix that removes it.
    pub(super) fn report_removable(&mut self, at: usize, field: &str, message: impl Into<String>) {
        self.report(at, field, message, "Remove the field");
        let removal = self.document.get(at, field).and_then(|at| entry_removal(self.document, at));
        if let Some(fault) = self.found.last_mut() {
            fault.removal = removal;
        }
    }

    pub(super) fn require(&mut self, at: usize, name: &str, field: &str) {
        if !self.has(at, field) {
            self.found.push(missing_field(self.document, at, name, field));
        }
    }

    /// Reports the second of two fields that exclude each other.
    pub(super) fn exclude(&mut self, at: usize, first: &str, second: &str) {
        if self.has(at, first) && self.has(at, second) {
            self.report(
                at,
                second,
                format!("`{first}` and `{second}` exclude each other"),
                "Remove one of the two fields",
            );
        }
    }

    pub(super) fn require_one(&mut self, at: usize, name: &str, fields: [&str; 2]) {
        let [first, second] = fields;
        if !self.has(at, first) && !self.has(at, second) {
            let message = format!(
                "`{first}` or `{second}` is missing in the {}",
                super::structure::title(name)
            );
            let fault = Fault::new(self.document.key_span(at), message);
            self.found.push(fault.help(format!("Add `{first}` or `{second}`")));
        }
    }

    fn check_document(&mut self) {
        let document = self.document;
        let root = document.root;
        let parts = ["paths", "components", "webhooks"];
        if document.version >= Version::V3_1 && !parts.iter().any(|part| self.has(root, part)) {
            let message = "`paths`, `components` and `webhooks` are missing";
            let fault = Fault::new(version_span(document), message);
            self.found.push(fault.help("Add `paths`, `components` or `webhooks`"));
        }
        if document.version == Version::V2 {
            if let Some(host) = document.text_of(root, "host")
                && (host.contains(['/', ' ', '\\']) || host.contains('{') && !host.contains("{{"))
            {
                let help = "Write only the host and the port, such as `api.example.com:8080`";
                self.report(root, "host", format!("`{host}` is not a host"), help);
            }
            if let Some(path) = document.text_of(root, "basePath")
                && !path.starts_with('/')
            {
                let message = format!("the base path `{path}` does not start with `/`");
                self.report(root, "basePath", message, "Start the base path with `/`");
            }
        }
        if document.version >= Version::V3_2 {
            self.check_tag_parents();
        }
    }

    fn check_tag_parents(&mut self) {
        let document = self.document;
        let names: HashSet<&str> =
            document.objects("tag").filter_map(|tag| document.text_of(tag, "name")).collect();
        for tag in document.objects("tag") {
            if let Some(parent) = document.text_of(tag, "parent")
                && !names.contains(parent)
            {
                let message = format!("the parent tag `{parent}` is not declared");
                self.report(tag, "parent", message, "Declare the tag in `tags`");
            }
        }
        self.check_tag_cycles();
    }

    /// Reports a tag that is its own ancestor, once for each cycle.
    fn check_tag_cycles(&mut self) {
        let document = self.document;
        let parents: HashMap<&str, (usize, &str)> = document
            .objects("tag")
            .filter_map(|tag| {
                let parent = document.text_of(tag, "parent")?;
                Some((document.text_of(tag, "name")?, (tag, parent)))
            })
            .collect();
        // The number of the walk that reached each tag. A tag that a walk reaches twice is in a
        // cycle.
        let mut reached: HashMap<&str, usize> = HashMap::new();
        for (walk, tag) in document.objects("tag").enumerate() {
            let mut name = document.text_of(tag, "name").unwrap_or_default();
            while let Some(&(at, parent)) = parents.get(name) {
                match reached.insert(name, walk) {
                    None => name = parent,
                    Some(number) => {
                        if number == walk {
                            let message = format!("the tag `{name}` is its own ancestor");
                            self.report(
                                at,
                                "parent",
                                message,
                                "Remove `parent` from a tag of the cycle",
                            );
                        }
                        break;
                    }
                }
            }
        }
    }

    fn check_media_type(&mut self, at: usize) {
        self.exclude(at, "example", "examples");
        self.check_encodings(at);
    }

    fn check_encodings(&mut self, at: usize) {
        self.exclude(at, "encoding", "prefixEncoding");
        self.exclude(at, "encoding", "itemEncoding");
    }

    fn check_example(&mut self, at: usize) {
        self.exclude(at, "value", "externalValue");
        self.exclude(at, "dataValue", "value");
        self.exclude(at, "serializedValue", "value");
        self.exclude(at, "serializedValue", "externalValue");
    }

    fn check_link(&mut self, at: usize) {
        self.exclude(at, "operationRef", "operationId");
        self.require_one(at, "link", ["operationId", "operationRef"]);
    }

    fn check_license(&mut self, at: usize) {
        self.exclude(at, "identifier", "url");
    }

    fn check_scheme(&mut self, at: usize) {
        let required: &[&str] = match self.document.text_of(at, "type") {
            Some("apiKey") => &["name", "in"],
            Some("http") => &["scheme"],
            Some("oauth2") => &["flows"],
            Some("openIdConnect") => &["openIdConnectUrl"],
            _ => &[],
        };
        for field in required {
            self.require(at, "security scheme", field);
        }
    }

    fn check_scheme_2(&mut self, at: usize) {
        let document = self.document;
        let required: &[&str] = match document.text_of(at, "type") {
            Some("apiKey") => &["name", "in"],
            Some("oauth2") => match document.text_of(at, "flow") {
                Some("implicit") => &["authorizationUrl", "scopes"],
                Some("password" | "application") => &["tokenUrl", "scopes"],
                Some("accessCode") => &["authorizationUrl", "tokenUrl", "scopes"],
                _ => &["flow", "scopes"],
            },
            _ => &[],
        };
        for field in required {
            self.require(at, "security scheme", field);
        }
    }

    fn check_flow(&mut self, at: usize) {
        let required: &[&str] = match self.document.key(at) {
            "implicit" => &["authorizationUrl"],
            "password" | "clientCredentials" => &["tokenUrl"],
            "authorizationCode" => &["authorizationUrl", "tokenUrl"],
            "deviceAuthorization" => &["deviceAuthorizationUrl", "tokenUrl"],
            _ => &[],
        };
        for field in required {
            self.require(at, "oauth flow", field);
        }
    }

    fn check_server_variable(&mut self, at: usize) {
        let document = self.document;
        let (Some(values), Some(default)) =
            (document.get(at, "enum"), document.text_of(at, "default"))
        else {
            return;
        };
        let values = document.children(values);
        if !values.is_empty() && !values.iter().any(|&value| document.text(value) == Some(default))
        {
            let message = format!("the default `{default}` is not in `enum`");
            self.report(at, "default", message, "Write a value of `enum`");
        }
    }

    fn check_responses(&mut self, at: usize) {
        if !self
            .document
            .children(at)
            .iter()
            .any(|&child| !self.document.key(child).starts_with("x-"))
        {
            let fault = Fault::new(self.document.key_span(at), "no response is described");
            self.found.push(fault.help("Describe at least one response"));
        }
    }

    fn check_schema(&mut self, at: usize) {
        let document = self.document;
        self.check_type(at);
        if let Some(required) = document.get(at, "required")
            && *document.datum(required) == Datum::List
        {
            let mut seen = HashSet::new();
            for &item in document.children(required) {
                if let Some(name) = document.text(item)
                    && !seen.insert(name)
                {
                    let message = format!("duplicate name `{name}` in `required`");
                    let mut fault = Fault::new(document.span(item), message);
                    fault.removal = item_removal(document, item).map(|edit| edit.span);
                    self.found.push(fault.help("Remove the duplicate"));
                }
            }
            if seen.is_empty()
                && document.children(required).is_empty()
                && document.version < Version::V3_1
            {
                let message = format!(
                    "`required` is empty, which {} does not allow",
                    document.version.name()
                );
                self.report_removable(at, "required", message);
            }
        }
        if document.version < Version::V3_1
            && let Some(values) = document.get(at, "enum")
            && *document.datum(values) == Datum::List
            && document.children(values).is_empty()
        {
            self.report(
                at,
                "enum",
                "`enum` is empty: no value is valid",
                "Add a value, or remove the field",
            );
        }
        if document.number_of(at, "multipleOf").is_some_and(|number| number <= 0.0) {
            self.report(
                at,
                "multipleOf",
                "`multipleOf` must be positive",
                "Write a positive number",
            );
        }
    }

    /// Checks the field `type` of a schema.
    fn check_type(&mut self, at: usize) {
        let document = self.document;
        let Some(field) = document.get(at, "type") else { return };
        let known: &[&str] = match document.version {
            Version::V2 => {
                &["array", "boolean", "integer", "number", "object", "string", "null", "file"]
            }
            Version::V3_0 => &["array", "boolean", "integer", "number", "object", "string"],
            _ => &["array", "boolean", "integer", "number", "object", "string", "null"],
        };
        let types = match document.datum(field) {
            Datum::List if document.version != Version::V3_0 => document.children(field).to_vec(),
            Datum::List => {
                let message = "a list of types is not allowed in OpenAPI 3.0";
                let help = "Write one type, and `nullable: true` instead of `null`";
                self.report(at, "type", message, help);
                return;
            }
            _ => vec![field],
        };
        for value in types {
            let text = document.text(value);
            if text.is_some_and(|text| known.contains(&text) || super::document::is_template(text))
            {
                continue;
            }
            let Some(text) = text else {
                let found = super::structure::describe(document, value);
                let message = format!("expected a string for `type`, found {found}");
                self.found.push(Fault::new(document.span(value), message));
                continue;
            };
            let mut fault = Fault::new(document.span(value), format!("unknown type `{text}`"));
            fault = match aidd_engine::text::nearest::nearest(text, known.iter().copied()) {
                Some(near) => {
                    let span = super::fixes::unquoted(document, value);
                    fault.fix_unsafe = span.map(|span| (span, near.to_owned()));
                    fault.help(format!("Did you mean `{near}`?"))
                }
                None if text == "null" => {
                    fault.help("Write the type of the other values and `nullable: true`")
                }
                None => {
                    let known: Vec<String> =
                        known.iter().map(|known| format!("`{known}`")).collect();
                    fault.help(format!("Write {}", list_of(&known)))
                }
            };
            self.found.push(fault);
        }
    }

    fn check_xml(&mut self, at: usize) {
        self.exclude(at, "nodeType", "attribute");
        self.exclude(at, "nodeType", "wrapped");
    }

    fn check_path_item(&mut self, at: usize) {
        self.check_query_strings(at);
        let document = self.document;
        let Some(additional) = document.get(at, "additionalOperations") else { return };
        for &operation in document.children(additional) {
            let method = document.key(operation);
            if METHODS.contains(&method.to_ascii_lowercase().as_str()) {
                let message =
                    format!("`additionalOperations` contains `{method}`, which has its own field");
                let fault = Fault::new(document.key_span(operation), message);
                let field = method.to_ascii_lowercase();
                self.found.push(fault.help(format!("Move the operation to `{field}`")));
            }
        }
    }
}
