//! Rules on the names of roles: unknown and deprecated ones.

use super::attributes::with_space;
use super::corrections::correction;
use super::element::El;
use super::{Found, aria};
use aidd_engine::text::finding::{Edit, Severity};
use aidd_engine::text::nearest::nearest;
use aidd_markup::{Language, Value};

pub(super) fn unknown_role(element: El<'_>, found: &mut Found<'_, '_>) {
    let Some(attribute) = element.attribute("role") else { return };
    let (text, span) = match attribute.value {
        Value::Static { text, span } => (text, span),
        // In JSX, a property without value is `true`.
        Value::Empty => ("", attribute.span),
        Value::Absent | Value::Dynamic { .. } => return,
    };
    if element.tag.is_empty() {
        return;
    }
    if text.trim().is_empty() {
        if element.document().language() == Language::Jsx {
            let delete = Edit::delete(with_space(found, attribute.span));
            let finding = found
                .at(attribute.span, "the role is empty")
                .fix("Delete the attribute", vec![delete]);
            finding.severity = finding.severity.min(Severity::Info);
        }
        return;
    }
    let unknown = |word: &&str| {
        !word.starts_with("doc-")
            && !word.starts_with("graphics-")
            && !matches!(
                *word,
                "image" | "comment" | "suggestion" | "sectionheader" | "sectionfooter" | "text"
            )
            && aria::role(&word.to_ascii_lowercase()).is_none_or(|role| role.is_abstract)
    };
    let words: Vec<&str> = text.split_ascii_whitespace().collect();
    // The first role that the browser knows applies: `role="switch checkbox"`.
    let known = words.iter().position(|word| !unknown(word));
    let is_capital = |word: &&&str| word.bytes().any(|byte| byte.is_ascii_uppercase());
    if let Some(word) = words.iter().find(is_capital).filter(|_| known.is_some()) {
        // Browsers ignore the case of roles, some tools do not.
        let edit =
            (found.slice(span) == text).then(|| Edit::replace(span, text.to_ascii_lowercase()));
        let finding = found.at(span, format!("the role `{word}` contains capital letters"));
        match edit {
            Some(edit) => finding.fix("Write the role in lower case", vec![edit]),
            None => finding.help("write roles in lower case"),
        };
        finding.severity = finding.severity.min(Severity::Info);
        return;
    }
    // A word after a role that exists is never used.
    let at = known.unwrap_or_default();
    let Some(word) = words.iter().skip(at).find(|word| unknown(word)) else { return };
    let is_abstract = aria::role(word).is_some();
    let problem = if is_abstract { "is abstract" } else { "does not exist" };
    let similar = nearest(word, aria::role_names());
    let correct = correction(word, aria::role_names())
        .filter(|_| !is_abstract && words.len() == 1 && found.slice(span) == text);
    let finding = found.at(span, format!("the role `{word}` {problem}"));
    if known.is_some() {
        finding.severity = finding.severity.min(Severity::Info);
    }
    match (correct, similar) {
        (Some(correct), _) => {
            let edit = Edit::replace(span, correct);
            finding.fix_unsafe(format!("Replace with `{correct}`"), vec![edit]);
        }
        (None, Some(similar)) if !is_abstract => {
            finding.help(format!("use `{similar}`"));
        }
        _ => {
            finding.help("use a role of WAI-ARIA, or delete the attribute");
        }
    }
}

pub(super) fn deprecated_role(element: El<'_>, found: &mut Found<'_, '_>) {
    if let Some(Value::Static { text, span }) = element.value("role")
        && aria::role(text.trim()).is_some_and(|role| role.is_deprecated)
    {
        let other = if text.trim() == "directory" { "list" } else { "listitem" };
        let is_exact = found.slice(span) == text;
        let finding = found.at(span, format!("the role `{}` is deprecated", text.trim()));
        if is_exact {
            let edit = Edit::replace(span, other);
            finding.fix_unsafe(format!("Replace with `{other}`"), vec![edit]);
        } else {
            finding.help(format!("use `{other}` instead"));
        }
    }
}
