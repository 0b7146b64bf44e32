//! Texts whose bytes were decoded as Mac Roman.

use std::ops::Range;

/// The characters of Mac Roman for the bytes 0x80 to 0xFF.
const CHARACTERS: &str = "ÄÅÇÉÑÖÜáàâäãåçéèêëíìîïñóòôöõúùûü†°¢£§•¶ß®©™´¨≠ÆØ∞±≤≥¥µ∂∑∏π∫ªºΩæø\
                          ¿¡¬√ƒ≈∆«»…\u{A0}ÀÃÕŒœ–—“”‘’÷◊ÿŸ⁄€‹›ﬁﬂ‡·‚„‰ÂÊÁËÈÍÎÏÌÓÔ\u{F8FF}ÒÚÛÙıˆ˜¯˘˙˚¸˝˛ˇ";
/// Characters that texts of user interfaces do not have after a dash or a letter.
const SYMBOLS: &str = "√≈∆∞±≤≥≠∂∑∏π∫Ωªº¬ƒµ¶†£¥";

/// The byte of a character; `None` if Mac Roman does not have it.
fn byte(c: char) -> Option<u8> {
    if c.is_ascii() {
        return u8::try_from(c).ok();
    }
    let at = CHARACTERS.chars().position(|known| known == c)?;
    u8::try_from(0x80 + at).ok()
}

/// A text in UTF-8 that was decoded as Mac Roman: the range of the first character that was several
/// bytes, that character, and the whole text.
pub(super) fn find(text: &str) -> Option<(Range<usize>, char, String)> {
    if text.is_ascii() || !text.contains(|c| SYMBOLS.contains(c)) {
        return None;
    }
    let bytes: Vec<u8> = text.chars().map(byte).collect::<Option<_>>()?;
    let decoded = String::from_utf8(bytes).ok()?;
    let letters: Vec<char> = decoded.chars().filter(|c| !c.is_ascii()).collect();
    let is_letter = |c: &char| {
        c.is_alphabetic() && !matches!(c, '\u{370}'..='\u{3FF}')
            || matches!(c, '‘'..='”' | '–' | '—' | '…' | '«' | '»' | '\u{A0}')
    };
    if letters.len() < 2 || !letters.iter().all(is_letter) {
        return None;
    }
    let start = text.find(|c: char| !c.is_ascii())?;
    let length = letters[0].len_utf8();
    let end = start + text[start..].chars().take(length).map(char::len_utf8).sum::<usize>();
    Some((start..end, letters[0], decoded))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_byte_has_a_character() {
        assert_eq!(CHARACTERS.chars().count(), 128);
    }

    #[test]
    fn bytes_of_utf_8_are_found_and_texts_are_not() {
        for (text, expected) in [
            ("–±–æ–ª–∏—É–ª–∞—Ö", "болиулах"),
            ("–£—Å—Ç–≥–∞—Ö", "Устгах"),
            ("R√©glages du r√©seau", "Réglages du réseau"),
        ] {
            assert_eq!(find(text).map(|(.., decoded)| decoded).as_deref(), Some(expected));
        }
        for text in
            ["Jusqu’à l’à-propos", "±5 – ≤ 10", "n.º 5 – n.ª 6", "«Écran» ≥ 5 µs", "£5 – ¥6", "90°"]
        {
            assert_eq!(find(text), None, "{text}");
        }
    }
}
