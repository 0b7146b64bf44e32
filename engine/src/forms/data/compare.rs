//! Compares numbers, versions and dates that are written as text.

use std::cmp::Ordering;

/// Compares two numbers or versions; `None` if one of them is neither. Of a version range the first
/// version counts: `>=18 <21` is 18.
pub(super) fn compare(one: &str, other: &str) -> Option<Ordering> {
    if let (Ok(a), Ok(b)) = (one.trim().parse::<f64>(), other.trim().parse::<f64>()) {
        // As versions 1.9 is less than 1.10; for numbers with one part there is no difference.
        if !(one.contains('.') && other.contains('.')) {
            return a.partial_cmp(&b);
        }
    }
    let (a, b) = (version(one)?, version(other)?);
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
    // Only the characters of a version range may precede it.
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
    fn numbers_and_versions_compare() {
        let of = |one: &str, other: &str| compare(one, other);
        assert_eq!(of("3", "20"), Some(Ordering::Less));
        assert_eq!(of("1.9", "1.10"), Some(Ordering::Less));
        assert_eq!(of(">=18.2 <21", "18"), Some(Ordering::Greater));
        assert_eq!(of("v20.1.0", "20.1"), Some(Ordering::Equal));
        assert_eq!(of("2.0.0-rc.1", "2.0.0"), Some(Ordering::Less));
        assert_eq!(of("latest", "1"), None);
        assert_eq!(of("node18", "1"), None);
    }
}
