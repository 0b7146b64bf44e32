//! Rule on keys that differ after each render.

use super::ast::*;
use super::walk::{Role, Walker};
use oxc_ast::ast::*;
use oxc_span::GetSpan;

/// Packages whose functions return another text each time.
const RANDOM: [&str; 12] = [
    "uuid",
    "nanoid",
    "nanoid/non-secure",
    "cuid",
    "@paralleldrive/cuid2",
    "ulid",
    "ulidx",
    "shortid",
    "uniqid",
    "react-uuid",
    "lodash",
    "lodash/uniqueId",
];

/// Maximum number of nested parts of a key that are read.
const MAX_PARTS: usize = 16;

/// Reports a key that a component computes for each render, with another result each time.
pub(super) fn check<'a>(walker: &mut Walker<'a, '_, '_>, value: &Expression<'a>) {
    if !is_rendered(walker) {
        return;
    }
    let Some(name) = random_call(walker, value) else { return };
    let message = format!(
        "`{name}` returns another key on each render: React creates the element again, without its state"
    );
    if let Some(finding) = walker.at("perf/random-key", span(value.span()), message) {
        finding.help(
            "Use a property that identifies the item, or create the key together with the item.",
        );
    }
}

/// Whether each render of a component evaluates the current node: it is not in a handler, a memoized
/// value or code that runs once.
fn is_rendered(walker: &Walker<'_, '_, '_>) -> bool {
    if walker.hook_arguments > 0 || walker.imports.is_server_component(walker.package.has_next) {
        return false;
    }
    for frame in walker.frames.iter().rev() {
        if frame.role == Role::Component {
            return !frame.is_async;
        }
        if !frame.loops.first().is_some_and(super::loops::Loop::is_callback) {
            return false;
        }
    }
    false
}

/// The name of a function in the key whose result differs each time.
fn random_call<'a>(walker: &Walker<'a, '_, '_>, value: &Expression<'a>) -> Option<String> {
    let mut parts = vec![value];
    for _ in 0..MAX_PARTS {
        let part = parts.pop()?.get_inner_expression();
        match part {
            Expression::TemplateLiteral(template) => parts.extend(&template.expressions),
            Expression::BinaryExpression(binary) => parts.extend([&binary.left, &binary.right]),
            _ => {
                let Some(call) = call_of(part) else { continue };
                if let Some(name) = name_if_random(walker, call) {
                    return Some(name);
                }
                // `Math.random().toString(36).slice(2)`
                if let Some("toString" | "slice" | "substring" | "substr" | "toFixed" | "replace") =
                    callee_name(call)
                {
                    parts.extend(receiver(call));
                }
            }
        }
    }
    None
}

fn name_if_random<'a>(walker: &Walker<'a, '_, '_>, call: &CallExpression<'a>) -> Option<String> {
    let name = callee_name(call)?;
    let root = match receiver(call) {
        Some(object) => match (name_of(object)?, name) {
            (
                root @ ("Math" | "Date" | "crypto" | "performance"),
                "random" | "now" | "randomUUID",
            ) => {
                return Some(format!("{root}.{name}()"));
            }
            (root, "uniqueId" | "generate" | "v4" | "v1") => root,
            _ => return None,
        },
        None => name_of(&call.callee)?,
    };
    let import = walker.imports.find(root)?;
    let is_random = RANDOM.contains(&import.module)
        && (import.module != "lodash" || name == "uniqueId")
        // These are computed of a text.
        && !matches!(import.name, "v3" | "v5" | "validate" | "parse" | "version" | "stringify");
    is_random.then(|| format!("{name}()"))
}
