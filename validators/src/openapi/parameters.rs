//! Finds violations of the specification that depend on several fields of a parameter or header.

use super::conditions::Faults;
use super::document::Fault;
use super::fixes::insertion_after;
use super::specification::Version;
use super::structure::list_of;

impl Faults<'_, '_> {
    pub(super) fn check_parameter(&mut self, at: usize) {
        let document = self.document;
        let place = document.text_of(at, "in").unwrap_or_default();
        self.check_content(at, "parameter", place == "querystring");
        self.check_path_parameter(at, place);
        if place == "querystring" {
            for field in ["style", "explode", "allowReserved"] {
                if self.has(at, field) {
                    let message = format!("`{field}` has no effect with `in: querystring`");
                    self.report_removable(at, field, message);
                }
            }
        }
        if self.has(at, "allowEmptyValue") && !matches!(place, "query" | "") {
            let message = "`allowEmptyValue` is only allowed in query parameters";
            self.report(at, "allowEmptyValue", message, "Remove the field");
        }
        let styles: &[&str] = match place {
            "path" => &["matrix", "label", "simple"],
            "query" => &["form", "spaceDelimited", "pipeDelimited", "deepObject"],
            "header" => &["simple"],
            "cookie" if document.version >= Version::V3_2 => &["form", "cookie"],
            "cookie" => &["form"],
            _ => return,
        };
        if let Some(style) = document.text_of(at, "style")
            && !styles.contains(&style)
        {
            let message = format!("the style `{style}` is not allowed with `in: {place}`");
            let styles: Vec<String> = styles.iter().map(|style| format!("`{style}`")).collect();
            self.report(at, "style", message, &format!("Write {}", list_of(&styles)));
        }
    }

    /// Checks the fields `schema`, `content`, `example` and `examples` of a parameter or header.
    fn check_content(&mut self, at: usize, name: &str, needs_content: bool) {
        let document = self.document;
        if needs_content {
            self.require(at, name, "content");
            if self.has(at, "schema") {
                let message = "`schema` is not allowed with `in: querystring`";
                self.report(at, "schema", message, "Describe the value in `content`");
            }
        } else {
            self.require_one(at, name, ["schema", "content"]);
            self.exclude(at, "schema", "content");
        }
        self.exclude(at, "example", "examples");
        if let Some(content) = document.get(at, "content")
            && document.is_map(content)
            && document.reference(content).is_none()
            && document.children(content).len() != 1
        {
            let count = document.children(content).len();
            let message = format!("`content` has {count} entries, expected one");
            self.report(at, "content", message, "Describe exactly one media type");
        }
    }

    /// Reports a path parameter without `required: true`.
    fn check_path_parameter(&mut self, at: usize, place: &str) {
        let document = self.document;
        if place != "path" || document.bool_of(at, "required") == Some(true) {
            return;
        }
        let name_at = document.get(at, "name");
        let name = name_at.and_then(|at| document.text(at)).unwrap_or_default();
        let (span, value) = match document.get(at, "required") {
            Some(value) => (document.span(value), Some(value)),
            None => (document.key_span(name_at.unwrap_or(at)), None),
        };
        let message = format!("the path parameter `{name}` is not `required: true`");
        let mut fault = Fault::new(span, message).help("Path parameters are always required");
        match value {
            Some(value) if document.bool_of(at, "required") == Some(false) => {
                fault.fix_unsafe = Some((document.values.all[value].span, "true".to_owned()));
            }
            Some(_) => {}
            None => fault.insertion = insertion_after(document, at, "in", ("required", "true")),
        }
        self.found.push(fault);
    }

    pub(super) fn check_parameter_2(&mut self, at: usize) {
        let document = self.document;
        let place = document.text_of(at, "in").unwrap_or_default();
        self.check_path_parameter(at, place);
        if place == "body" {
            self.require(at, "body parameter", "schema");
            for field in ["type", "format", "items", "collectionFormat"] {
                if self.has(at, field) {
                    let message = format!("`{field}` is not allowed in a body parameter");
                    self.report(at, field, message, "Describe the body in `schema`");
                }
            }
            return;
        }
        if place.is_empty() {
            return;
        }
        self.require(at, "parameter", "type");
        if self.has(at, "schema") {
            let message = "`schema` is only allowed in body parameters";
            self.report(at, "schema", message, "Write the type in the parameter");
        }
        if document.text_of(at, "type") == Some("file") && place != "formData" {
            let message = "the type `file` is only allowed in `formData` parameters";
            self.report(at, "type", message, "Write `in: formData`, or another type");
        }
        if document.text_of(at, "collectionFormat") == Some("multi")
            && !matches!(place, "query" | "formData")
        {
            let message = format!("`collectionFormat: multi` is not allowed with `in: {place}`");
            self.report(at, "collectionFormat", message, "Write another format, such as `csv`");
        }
    }

    pub(super) fn check_header(&mut self, at: usize) {
        if self.document.version != Version::V2 {
            self.check_content(at, "header", false);
        }
    }

    /// Checks the parameters with `in: querystring` of an operation or path item.
    pub(super) fn check_query_strings(&mut self, at: usize) {
        let document = self.document;
        if document.version < Version::V3_2 {
            return;
        }
        let Some(parameters) = document.get(at, "parameters") else { return };
        let place = |parameter: &usize| {
            document.resolve(*parameter).and_then(|at| document.text_of(at, "in"))
        };
        let parameters = document.children(parameters);
        let mut whole =
            parameters.iter().filter(|&parameter| place(parameter) == Some("querystring"));
        let (Some(&first), second) = (whole.next(), whole.next()) else { return };
        if let Some(&second) = second {
            let message = "a second parameter has `in: querystring`";
            let fault = Fault::new(document.key_span(second), message);
            self.found.push(fault.help("Describe the whole query string in one parameter"));
        }
        if parameters.iter().any(|parameter| place(parameter) == Some("query")) {
            let message = "`in: querystring` and `in: query` exclude each other";
            let fault = Fault::new(document.key_span(first), message);
            self.found.push(fault.help("Describe the whole query string in one parameter"));
        }
    }
}
