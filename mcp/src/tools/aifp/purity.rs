//! The purity of a piece of code: the directive `fp_purity` with `code`.

use super::runs::Step;
use crate::context::Context;
use crate::tool::{Answer, ToolError};
use crate::tools::memory::render::Row;
use aidd_index::purity;
use serde_json::json;

/// The directive that is answered for a piece of code.
pub(super) const DIRECTIVE: &str = "fp_purity";
/// Maximum size of the code in bytes.
const MAX_CODE: usize = 200_000;

/// The functions of a piece of code with their effects.
pub(super) fn answer(
    context: &Context,
    code: &str,
    language: Option<&str>,
) -> Result<Answer<Step>, ToolError> {
    if code.len() > MAX_CODE {
        return Err(ToolError::new(format!("the code has more than {MAX_CODE} bytes"))
            .remedy("pass one function"));
    }
    let language = language.or_else(|| purity::guess_language(code));
    let functions = language.and_then(|language| purity::functions_in(language, code));
    let Some(functions) = functions.filter(|functions| !functions.is_empty()) else {
        return Err(ToolError::new("the code contains no function whose effects are determined")
            .remedy(
                "pass whole functions, and `language`: python, javascript, typescript, rust or go",
            ));
    };
    let (mut text, mut findings) = (String::new(), Vec::new());
    for function in &functions {
        text += &format!("{}: {}", function.function, function.purity_level);
        let effects = function.side_effects.iter().map(|effect| {
            let through = if effect.inherited { "calls " } else { "" };
            format!("\n  line {}: {} by {through}`{}`", effect.line, effect.effect, effect.code)
        });
        text.extend(effects);
        text.push('\n');
        findings.push(json!({
            "function": function.function, "line": function.line,
            "purity_level": function.purity_level,
            "side_effects": function.side_effects.iter().map(|effect| json!({
                "effect": effect.effect, "line": effect.line, "code": effect.code,
            })).collect::<Vec<_>>(),
        }));
    }
    if functions.iter().any(|function| function.purity_level == "unknown") {
        text += "A function is unknown if the target of a call, or what it does, is not known.\n";
    }
    let text = context.distribution().redact(&text);
    let step = Step {
        run: String::new(),
        directive: DIRECTIVE.to_owned(),
        state: "done".to_owned(),
        step: None,
        findings: findings.into_iter().map(Row::from_value).collect(),
        log: Vec::new(),
        runs: Vec::new(),
    };
    Ok(Answer::new(step, text))
}
