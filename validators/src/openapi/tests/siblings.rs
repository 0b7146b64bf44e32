//! Tests of fields next to a `$ref`.

use super::{check, operation, with_paths};
use aidd_engine::text::files::Memory;
use aidd_engine::text::finding::Severity;

#[test]
fn fields_that_repeat_the_referenced_object_are_information() {
    let severity = |fields: &str| {
        let text = format!(
            "{}components: {{parameters: {{B: {{name: b, in: query, schema: {{}}}}}}}}\n",
            with_paths(&format!(
                "  /a: {{get: {}}}\n",
                operation(
                    "a",
                    &format!("parameters: [{{$ref: '#/components/parameters/B', {fields}}}],")
                )
            ))
        );
        let (_, findings) = check("api.yaml", &text, &Memory::default());
        let found = findings.iter().find(|finding| *finding.rule == *"openapi/ref-siblings");
        found.expect("a finding").severity
    };
    for (fields, expected) in [
        ("in: query", Severity::Info),
        ("in: query, name: b", Severity::Info),
        ("in: path", Severity::Warning),
        ("in: query, required: true", Severity::Warning),
    ] {
        assert_eq!(severity(fields), expected, "{fields}");
    }
}
