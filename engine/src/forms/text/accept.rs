//! Conditions on the text that an expression found, which the expression cannot express.

use super::CompiledPattern;
use crate::forms::password;
use crate::forms::secret_name;
use crate::text::placeholder::{has_sequential_run, is_placeholder};
use crate::text::shape;
use aidd_page::{Confidence, TextHeader};

/// Minimum length in bytes of a generated key, which contains no run such as `12345678`. A shorter
/// value can be a password, which can contain such a run.
const MIN_KEY_LEN: usize = 20;

/// Applies the conditions on the found text that an expression cannot express.
pub(super) fn accepts(
    header: &TextHeader,
    compiled: &CompiledPattern,
    found: &str,
    full_match: &str,
) -> bool {
    let is_credible = match header.secret {
        None => true,
        Some(Confidence::Low) => !is_placeholder(found),
        Some(_) => {
            let is_key = found.len() >= MIN_KEY_LEN;
            !(is_placeholder(found) || is_key && has_sequential_run(found))
        }
    };
    is_credible
        && shape::entropy(found) >= header.entropy
        && (!header.random || shape::looks_random(found))
        && !(header.password && password::is_example(found, full_match))
        && !compiled.is_replaced(found)
        && !compiled.unless.iter().any(|unless| unless.is_match(found))
        && !compiled.unless_match.iter().any(|unless| unless.is_match(full_match))
}

/// Whether the name to which a value is assigned denotes an identifier or a user, and the rule with
/// this id reports other values. `full_match` starts in the name.
pub(super) fn is_identifier(
    (id, header): (&str, &TextHeader),
    found: &str,
    full_match: &str,
) -> bool {
    if header.assigned.is_none() || secret_name::denotes_identifier(id) {
        return false;
    }
    let end = full_match.find(found).unwrap_or(full_match.len());
    let is_name_char = |c: char| c.is_ascii_alphanumeric() || matches!(c, '_' | '.' | '-');
    let name = full_match[..end].split(|c: char| !is_name_char(c)).next().unwrap_or_default();
    secret_name::denotes_identifier(name)
}
