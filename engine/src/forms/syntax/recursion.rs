//! Utils that refer to themselves. They would recurse as deep as the checked file is nested, so a
//! hostile file would overflow the stack.

use aidd_page::SyntaxHeader;
use serde_json::Value;
use std::collections::{BTreeMap, BTreeSet};

/// Rejects utils that refer to themselves, directly or through others.
///
/// # Errors
/// The name of the first such util, and the remedy.
pub(super) fn reject_recursive(header: &SyntaxHeader) -> Result<(), String> {
    let Some(yaml) = &header.utils else { return Ok(()) };
    let value: Value = serde_json::from_str(&yaml.0).map_err(|error| error.to_string())?;
    let Some(utils) = value.as_object() else { return Ok(()) };
    let references: BTreeMap<&str, BTreeSet<&str>> =
        utils.iter().map(|(name, util)| (name.as_str(), references(util))).collect();
    for &name in references.keys() {
        let mut reached = BTreeSet::new();
        let mut remaining: Vec<&str> = references[name].iter().copied().collect();
        while let Some(next) = remaining.pop() {
            if next == name {
                return Err(format!(
                    "the util `{name}` refers to itself, so deeply nested files would exhaust the stack; \
                     write a util for each level of nesting"
                ));
            }
            if reached.insert(next) {
                remaining.extend(references.get(next).into_iter().flatten());
            }
        }
    }
    Ok(())
}

/// The names in `matches` anywhere in a rule.
fn references(rule: &Value) -> BTreeSet<&str> {
    let mut found = BTreeSet::new();
    // A worklist instead of recursion, because the nesting depth of the YAML is not limited.
    let mut remaining = vec![rule];
    while let Some(value) = remaining.pop() {
        match value {
            Value::Array(items) => remaining.extend(items),
            Value::Object(object) => {
                found.extend(object.get("matches").and_then(Value::as_str));
                remaining.extend(object.values());
            }
            _ => {}
        }
    }
    found
}

#[cfg(test)]
mod tests {
    use super::super::check_header;

    fn error(utils: &str) -> Option<String> {
        let page = format!(
            "---\nseverity: info\ncheck:\n  syntax:\n    language: [rust]\n    utils: {utils}\n    rule: {{ kind: identifier, matches: a }}\n---\n# a/b\n\nWhy.\n"
        );
        let header = aidd_page::header(&page).expect("a header");
        let syntax = header.check.and_then(|check| check.syntax).expect("a syntax check");
        check_header(&syntax).err()
    }

    #[test]
    fn utils_that_refer_to_themselves_are_rejected() {
        assert_eq!(error("{ a: { kind: identifier } }"), None);
        assert_eq!(error("{ a: { matches: b }, b: { kind: identifier } }"), None);
        for utils in [
            "{ a: { any: [{ kind: identifier }, { has: { matches: a } }] } }",
            "{ a: { any: [{ kind: identifier }, { has: { matches: b } }] }, b: { inside: { matches: a } } }",
        ] {
            let error = error(utils).expect(utils);
            assert!(error.starts_with("the util `a` refers to itself"), "{error}");
        }
    }
}
