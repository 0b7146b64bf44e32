//! The ticket to which work belongs: the branch's feature, otherwise the key in the branch name,
//! otherwise `project`.

use crate::PackError;

/// The ticket of work that belongs to no ticket.
pub const PROJECT: &str = "project";
/// Maximum number of characters of a ticket.
const MAX_CHARS: usize = 64;

/// Checks the name of a ticket: it becomes a part of file names.
///
/// # Errors
/// When the name is empty, too long, or contains characters other than letters, digits, `-`, `_`, `.`.
pub fn check(ticket: &str) -> Result<&str, PackError> {
    let is_plain = |c: char| c.is_alphanumeric() || matches!(c, '-' | '_' | '.');
    let is_valid = !ticket.is_empty()
        && !ticket.starts_with('.')
        && ticket.chars().count() <= MAX_CHARS
        && ticket.chars().all(is_plain);
    if is_valid { Ok(ticket) } else { Err(PackError::Ticket(ticket.to_owned())) }
}

/// The name of a file or branch as part of a file name: lower case, other characters as `-`.
#[must_use]
pub fn slug(text: &str) -> String {
    let mut slug = String::new();
    for c in text.chars().flat_map(char::to_lowercase) {
        match c {
            c if c.is_alphanumeric() || c == '_' => slug.push(c),
            _ if slug.is_empty() || slug.ends_with('-') => {}
            _ => slug.push('-'),
        }
    }
    slug.chars().take(MAX_CHARS).collect::<String>().trim_end_matches('-').to_owned()
}

/// The ticket of a branch with this feature.
#[must_use]
pub fn of_branch(branch: Option<&str>, feature: Option<&str>) -> String {
    let feature = feature.map(str::trim).filter(|feature| !feature.is_empty());
    let named = feature.map(|feature| key(feature).unwrap_or_else(|| slug(feature)));
    let ticket = named.or_else(|| branch.and_then(key)).unwrap_or_default();
    match check(&ticket) {
        Ok(_) => ticket,
        Err(_) => PROJECT.to_owned(),
    }
}

/// The key of an issue in a branch name or a title: `ABC-12`, or the number in `issue-12` and `12-name`.
#[must_use]
pub fn key(text: &str) -> Option<String> {
    for segment in text.split(['/', ' ', ':', '(', ')', '[', ']']) {
        let parts: Vec<&str> = segment.split(['-', '_']).collect();
        for pair in parts.windows(2) {
            let [name, number] = pair else { continue };
            let is_number =
                (1..=7).contains(&number.len()) && number.bytes().all(|b| b.is_ascii_digit());
            let is_name = (2..=10).contains(&name.len())
                && name.starts_with(|c: char| c.is_ascii_uppercase())
                && name.bytes().all(|b| b.is_ascii_uppercase() || b.is_ascii_digit());
            if is_number && is_name {
                return Some(format!("{name}-{number}"));
            }
            if is_number && matches!(name.to_ascii_lowercase().as_str(), "issue" | "gh" | "ticket")
            {
                return Some((*number).to_owned());
            }
        }
    }
    let last = text.rsplit('/').next().unwrap_or(text);
    let number = last.split(['-', '_']).next().unwrap_or_default();
    let is_number = (1..=7).contains(&number.len()) && number.bytes().all(|b| b.is_ascii_digit());
    (is_number && text.contains('/')).then(|| number.to_owned())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_ticket_follows_from_the_branch() {
        for (branch, feature, expected) in [
            ("feat/ABC-12-login", None, "ABC-12"),
            ("fix/issue-7", None, "7"),
            ("feat/431-search", None, "431"),
            ("main", None, PROJECT),
            ("release-2", None, PROJECT),
            ("feat/ABC-12", Some("Login with SSO"), "login-with-sso"),
            ("x", Some("XY-9: exports"), "XY-9"),
            ("x", Some("../.."), PROJECT),
        ] {
            assert_eq!(of_branch(Some(branch), feature), expected, "{branch} {feature:?}");
        }
        assert_eq!(of_branch(None, None), PROJECT);
        assert!(check("../x").is_err() && check("").is_err() && check(".git").is_err());
        assert_eq!(check("ABC-12").ok(), Some("ABC-12"));
    }
}
