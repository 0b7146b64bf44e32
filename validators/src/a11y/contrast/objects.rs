//! Objects of styles in scripts, such as `{ color: "#999", fontSize: 14 }`.

use crate::scripts::with_program_of_type;
use oxc_ast::ast::{Expression, ObjectPropertyKind, PropertyKey, Statement};
use oxc_span::SourceType;

/// Maximum length of an object that is read.
const MAX_LEN: usize = 2_000;

/// The declarations in an object of styles, with the names of CSS; `None` if some are unknown.
pub(super) fn declarations(code: &str) -> Option<Vec<(String, String)>> {
    let code = code.trim();
    // In JSX, the object is in braces.
    let inner = code.strip_prefix('{').and_then(|code| code.strip_suffix('}')).map(str::trim);
    let code = inner.filter(|inner| inner.starts_with('{')).unwrap_or(code);
    if !code.starts_with('{') || code.len() > MAX_LEN {
        return None;
    }
    let mut found = None;
    // An expression that is too complex is unknown.
    let _ = with_program_of_type(&format!("({code})"), SourceType::ts(), |program| {
        if let [Statement::ExpressionStatement(statement)] = &program.body[..] {
            found = read(&statement.expression);
        }
    });
    found
}

fn read(expression: &Expression<'_>) -> Option<Vec<(String, String)>> {
    let Expression::ObjectExpression(object) = expression.get_inner_expression() else {
        return None;
    };
    let mut found = Vec::new();
    for property in &object.properties {
        let ObjectPropertyKind::ObjectProperty(property) = property else { return None };
        let name = match &property.key {
            PropertyKey::StaticIdentifier(name) => css_name(name.name.as_str()),
            PropertyKey::StringLiteral(name) => css_name(name.value.as_str()),
            _ => return None,
        };
        let value = match &property.value {
            Expression::StringLiteral(text) => text.value.to_string(),
            Expression::NumericLiteral(number) if matches!(&*name, "font-weight" | "opacity") => {
                number.value.to_string()
            }
            Expression::NumericLiteral(number) => format!("{}px", number.value),
            // A value that is not understood makes its property unknown.
            _ => "?".to_owned(),
        };
        found.push((name, value));
    }
    Some(found)
}

/// The name of a property as CSS writes it.
fn css_name(name: &str) -> String {
    if name.starts_with("--") {
        return name.to_owned();
    }
    let mut written = String::new();
    for c in name.chars() {
        if c.is_ascii_uppercase() {
            written.push('-');
        }
        written.push(c.to_ascii_lowercase());
    }
    written
}
