//! The value that a misspelled value was probably meant to be.

/// Maximum length of a word that is compared, in bytes.
const MAX_LEN: usize = 64;

/// The candidate with the fewest edits to `word`: at most one in a word of up to five letters, else
/// two. `None` if several candidates are as close.
pub(super) fn correction<'a>(
    word: &str,
    candidates: impl Iterator<Item = &'a str>,
) -> Option<&'a str> {
    let word = word.to_ascii_lowercase();
    if word.len() < 3 || word.len() > MAX_LEN {
        return None;
    }
    let limit = if word.len() <= 5 { 1 } else { 2 };
    let mut best: Option<(usize, &str)> = None;
    let mut is_unique = false;
    for candidate in candidates.filter(|it| it.len().abs_diff(word.len()) <= limit) {
        let distance = strsim::osa_distance(&word, candidate);
        let Some((least, known)) = best else {
            (best, is_unique) = (Some((distance, candidate)), true);
            continue;
        };
        if distance < least {
            (best, is_unique) = (Some((distance, candidate)), true);
        } else if distance == least && known != candidate {
            is_unique = false;
        }
    }
    best.filter(|&(distance, _)| is_unique && distance <= limit).map(|(_, candidate)| candidate)
}

#[cfg(test)]
mod tests {
    use super::correction;

    #[test]
    fn a_correction_is_close_and_unique() {
        let names = || ["button", "table", "tab", "row", "col"].into_iter();
        assert_eq!(correction("buton", names()), Some("button"));
        assert_eq!(correction("Tabel", names()), Some("table"));
        assert_eq!(correction("label", names()), None);
        assert_eq!(correction("rol", names()), None);
        assert_eq!(correction("ro", names()), None);
        assert_eq!(correction(&"a".repeat(80), names()), None);
    }
}
