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

/// The classes that an expression yields, if it consists of texts and of classes of the CSS modules
/// with these names, whose classes have these prefixes.
pub(super) fn class_names(code: &str, modules: &[(&str, String)]) -> Option<Vec<String>> {
    let code = code.trim().strip_prefix('{')?.strip_suffix('}')?;
    if code.len() > MAX_LEN || !modules.iter().any(|(local, _)| code.contains(local)) {
        return None;
    }
    let mut found = None;
    // An expression that is too complex is unknown.
    let _ = with_program_of_type(&format!("({code})"), SourceType::ts(), |program| {
        if let [Statement::ExpressionStatement(statement)] = &program.body[..] {
            let mut names = Vec::new();
            let is_known = add_classes(&statement.expression, modules, true, &mut names);
            found = is_known.map(|()| names);
        }
    });
    found
}

fn add_classes(
    expression: &Expression<'_>,
    modules: &[(&str, String)],
    is_outer: bool,
    names: &mut Vec<String>,
) -> Option<()> {
    let mut add_text = |text: &str| names.extend(text.split_ascii_whitespace().map(str::to_owned));
    let (object, name) = match expression.get_inner_expression() {
        Expression::StringLiteral(text) => {
            add_text(text.value.as_str());
            return Some(());
        }
        Expression::StaticMemberExpression(member) => {
            (&member.object, member.property.name.as_str())
        }
        Expression::ComputedMemberExpression(member) => match &member.expression {
            Expression::StringLiteral(name) => (&member.object, name.value.as_str()),
            _ => return None,
        },
        Expression::TemplateLiteral(template) if is_outer => {
            let is_space = |c: char| c.is_ascii_whitespace();
            let count = template.quasis.len();
            for (at, part) in template.quasis.iter().enumerate() {
                let text = part.value.cooked.as_ref()?.as_str();
                // A text directly before or after an expression is a part of its name.
                let is_apart =
                    (at == 0 && text.is_empty() || at + 1 == count || text.ends_with(is_space))
                        && (at + 1 == count && text.is_empty()
                            || at == 0
                            || text.starts_with(is_space));
                if !is_apart {
                    return None;
                }
                names.extend(text.split_ascii_whitespace().map(str::to_owned));
                if let Some(expression) = template.expressions.get(at) {
                    add_classes(expression, modules, false, names)?;
                }
            }
            return Some(());
        }
        Expression::CallExpression(call) if is_outer => {
            let Expression::Identifier(callee) = &call.callee else { return None };
            if !matches!(callee.name.as_str(), "clsx" | "cn" | "cx" | "classNames" | "classnames") {
                return None;
            }
            for argument in &call.arguments {
                add_classes(argument.as_expression()?, modules, false, names)?;
            }
            return Some(());
        }
        _ => return None,
    };
    let Expression::Identifier(object) = object else { return None };
    let (_, prefix) = modules.iter().find(|(local, _)| *local == object.name.as_str())?;
    names.push(format!("{prefix}{name}"));
    Some(())
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
