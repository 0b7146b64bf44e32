//! Compares numbers, versions and dates that are written as text.

use std::cmp::Ordering;

/// Compares two numbers or versions; `None` if one of the two is neither. A version range is
/// compared by its first version: `>=18 <21` as 18.
pub(super) fn compare(left: &str, right: &str) -> Option<Ordering> {
    if let (Ok(a), Ok(b)) = (left.trim().parse::<f64>(), right.trim().parse::<f64>()) {
        // Compared as versions, 1.9 is less than 1.10. If one of the two values has no dot, both
        // are compared as numbers.
        if !(left.contains('.') && right.contains('.')) {
            return a.partial_cmp(&b);
        }
    }
    let (a, b) = (version(left)?, version(right)?);
    let length = a.0.len().max(b.0.len());
    let part = |parts: &[u64], at: usize| parts.get(at).copied().unwrap_or_default();
    let order = (0..length).map(|at| part(&a.0, at).cmp(&part(&b.0, at)));
    let order = order.fold(Ordering::Equal, Ordering::then);
    // A pre-release is less than its release.
    Some(order.then_with(|| b.1.cmp(&a.1)))
}

/// The numbers of the first version in `text`, and whether it is a pre-release.
fn version(text: &str) -> Option<(Vec<u64>, bool)> {
    let start = text.find(|c: char| c.is_ascii_digit())?;
    // Only the characters of a version range may precede the version.
    let before = text[..start].trim_end_matches(['v', 'V']);
    if !before.chars().all(|c| "^~=<> \t".contains(c) || c == '"') {
        return None;
    }
    let rest = &text[start..];
    let end = rest.find(|c: char| !c.is_ascii_digit() && c != '.').unwrap_or(rest.len());
    let parts: Option<Vec<u64>> =
        rest[..end].trim_end_matches('.').split('.').map(|part| part.parse().ok()).collect();
    Some((parts?, rest[end..].starts_with('-')))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn numbers_and_versions_are_compared() {
        assert_eq!(compare("3", "20"), Some(Ordering::Less));
        assert_eq!(compare("1.9", "1.10"), Some(Ordering::Less));
        assert_eq!(compare(">=18.2 <21", "18"), Some(Ordering::Greater));
        assert_eq!(compare("v20.1.0", "20.1"), Some(Ordering::Equal));
        assert_eq!(compare("2.0.0-rc.1", "2.0.0"), Some(Ordering::Less));
        assert_eq!(compare("latest", "1"), None);
        assert_eq!(compare("node18", "1"), None);
    }
}
