//! Texts that were decoded with the wrong encoding and then saved.

use super::messages::part;
use super::{Context, display_key, mac_roman};
use aidd_engine::rules::rule::Report;
use aidd_engine::text::finding::Edit;
use std::ops::Range;

/// How often a text is decoded at most.
const MAX_LAYERS: usize = 4;
/// The characters of Windows-1252 for the bytes 0x80 to 0x9F; those without a character are control
/// characters.
const WINDOWS: [char; 32] = [
    '€', '\u{81}', '‚', 'ƒ', '„', '…', '†', '‡', 'ˆ', '‰', 'Š', '‹', 'Œ', '\u{8D}', 'Ž', '\u{8F}',
    '\u{90}', '‘', '’', '“', '”', '•', '–', '—', '˜', '™', 'š', '›', 'œ', '\u{9D}', 'ž', 'Ÿ',
];

/// The byte that Windows-1252 or ISO 8859-1 decodes as `c`, if it is not ASCII.
fn byte(c: char) -> Option<u8> {
    match c {
        '\0'..='\u{7F}' => None,
        '\u{80}'..='\u{FF}' => u8::try_from(u32::from(c)).ok(),
        _ => {
            let at = WINDOWS.iter().position(|&known| known == c)?;
            u8::try_from(0x80 + at).ok()
        }
    }
}

/// Whether a text can contain the character after a letter, as punctuation.
fn is_punctuation(c: char) -> bool {
    matches!(
        c,
        '\u{A0}'
            | '…'
            | '‘'
            | '’'
            | '“'
            | '”'
            | '„'
            | '‚'
            | '–'
            | '—'
            | '•'
            | '‹'
            | '›'
            | '«'
            | '»'
            | '™'
            | '®'
            | '°'
            | '¡'
            | '¿'
            | '·'
            | '€'
    )
}

/// The first characters that are the bytes of one character in UTF-8, and that character.
fn find(text: &str) -> Option<(Range<usize>, char)> {
    // The characters for the first bytes of a sequence have one of these bytes in UTF-8.
    let mut from = 0;
    while let Some(at) = memchr::memchr(0xC3, &text.as_bytes()[from..]).map(|at| from + at) {
        from = at + 1;
        let lead = text[at..].chars().next().and_then(byte).unwrap_or_default();
        let length = match lead {
            0xC2..=0xDF => 2,
            0xE0..=0xEF => 3,
            0xF0..=0xF4 => 4,
            _ => continue,
        };
        let (mut shown, mut bytes) = (['\0'; 4], [0; 4]);
        let mut count = 0;
        for c in text[at..].chars().take(length) {
            // Most letters of this range are not before another one.
            let Some(byte) = byte(c) else { break };
            (shown[count], bytes[count]) = (c, byte);
            count += 1;
        }
        let shown = &shown[..count];
        let Some(original) = std::str::from_utf8(&bytes[..count]).ok().filter(|_| count == length)
        else {
            continue;
        };
        // `Ã` before a quotation mark can be text; between small letters it is not.
        let end = at + shown.iter().map(|c| c.len_utf8()).sum::<usize>();
        let is_small = |c: Option<char>| c.is_some_and(char::is_lowercase);
        let is_inside = is_small(text[..at].chars().next_back())
            || !matches!(shown[1], '\u{A0}' | '’') && is_small(text[end..].chars().next());
        let original = original.chars().next()?;
        // `é »`, `ášš` and `Úž` are text in French, Sami and Czech; letters are certain only if all of
        // the text has this defect, and those of another script not in a word in Latin letters.
        let is_certain = if length == 2 && shown[1].is_alphabetic() {
            let is_in_word = text[end..].starts_with(|c: char| c.is_ascii_alphabetic());
            (is_latin(original) || !is_in_word) && decoded(text).is_some()
        } else if length > 2 && original.is_alphanumeric() {
            !text[..at].ends_with(char::is_alphanumeric)
                && !shown.iter().all(|c| c.is_alphabetic())
                && decoded(text).is_some()
        } else {
            length > 2 || !is_punctuation(shown[1]) || is_inside
        };
        if is_certain && (original.is_alphanumeric() || is_punctuation(original)) {
            return Some((at..end, original));
        }
    }
    None
}

/// Whether a letter is one of the Latin script in the first blocks of Unicode.
fn is_latin(c: char) -> bool {
    c < '\u{250}'
}

/// The text with all its characters encoded again, and decoded as UTF-8.
fn decoded(text: &str) -> Option<String> {
    let bytes: Option<Vec<u8>> =
        text.chars().map(|c| if c.is_ascii() { u8::try_from(c).ok() } else { byte(c) }).collect();
    String::from_utf8(bytes?).ok()
}

/// The character that was encoded several times, the range of its characters in `text`, and how often
/// it was encoded. `range` has the outermost encoding of `original`.
fn innermost(text: &str, range: Range<usize>, original: char) -> (Range<usize>, char, usize) {
    let start = range.start;
    let (mut end, mut character) = (range.end, original);
    let mut layers = vec![text[start..].to_owned()];
    while layers.len() < MAX_LAYERS {
        let Some(inner) = layers.last().and_then(|layer| decoded_start(layer)) else { break };
        let Some((found, c)) = find(&inner).filter(|(found, _)| found.start == 0) else { break };
        // Each byte of a layer is one character of the layer around it.
        let outwards = layers.iter().rev();
        let length = outwards
            .fold(found.end, |bytes, layer| layer.chars().take(bytes).map(char::len_utf8).sum());
        (end, character) = (start + length, c);
        layers.push(inner);
    }
    (start..end, character, layers.len())
}

/// The start of a text that has no ASCII, decoded as UTF-8.
fn decoded_start(text: &str) -> Option<String> {
    let bytes: Vec<u8> = text.chars().map_while(byte).collect();
    let valid = match std::str::from_utf8(&bytes) {
        Ok(valid) => valid,
        Err(error) => std::str::from_utf8(&bytes[..error.valid_up_to()]).unwrap_or_default(),
    };
    (!valid.is_empty()).then(|| valid.to_owned())
}

/// The text without all layers of wrong encodings.
fn restored(text: &str) -> Option<String> {
    let mut text = decoded(text)?;
    for _ in 1..MAX_LAYERS {
        let Some(inner) = find(&text).and_then(|_| decoded(&text)) else { break };
        text = inner;
    }
    Some(text)
}

pub(super) fn mojibake(context: &Context<'_>, report: &mut Report<'_>) {
    let source = report.source();
    for entry in context.entries() {
        for form in &entry.forms {
            if let Some((range, original, decoded)) = mac_roman::find(&form.value) {
                let span = part(source, form.span, &form.value, &range);
                let (shown, key) = (&form.value[range], display_key(&entry.key));
                let message =
                    format!("`{shown}` in `{key}` is `{original}` in UTF-8, decoded as Mac Roman");
                let finding = report.at(span, message);
                finding
                    .help("The text was decoded with a wrong encoding; restore it from its source");
                if source.slice(form.span) == form.value {
                    let edit = Edit::replace(form.span, decoded);
                    finding.fix_unsafe("Decode the text as UTF-8", vec![edit]);
                }
                continue;
            }
            let Some((range, original)) = find(&form.value) else { continue };
            let (range, original, layers) = innermost(&form.value, range, original);
            let span = part(source, form.span, &form.value, &range);
            let shown = &form.value[range];
            let key = display_key(&entry.key);
            let times = match layers {
                1 => "in UTF-8".to_owned(),
                2 => "encoded twice in UTF-8".to_owned(),
                _ => format!("encoded {layers} times in UTF-8"),
            };
            let finding = report.at(span, format!("`{shown}` in `{key}` is `{original}` {times}"));
            finding.help("The text was decoded with a wrong encoding; restore it from its source");
            let raw = source.slice(form.span);
            if raw == form.value
                && let Some(text) = restored(raw)
            {
                let edit = Edit::replace(form.span, text);
                finding.fix_unsafe("Decode the text as UTF-8", vec![edit]);
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn bytes_of_utf_8_are_found_and_letters_are_not() {
        for (text, original) in [
            ("Ã©tÃ©", 'é'),
            ("donâ€™t", '’'),
            ("Ð¿Ñ€Ð¸Ð²ÐµÑ‚", 'и'),
            ("mÃªs groÃŸ", 'ê'),
            ("Ã–ppna", 'Ö'),
            ("mÄ›", 'ě'),
            ("æ—¥æœ¬", '日'),
            ("Ã¼ber", 'ü'),
            ("Â©", '\0'),
        ] {
            let found = find(text).map_or('\0', |(_, original)| original);
            assert_eq!(found, original, "{text}");
        }
        for text in [
            "SÃO “MÃ” À",
            "été",
            "SÃO",
            "“AMANHÃ”",
            "Ã…",
            "naïve",
            "« Â »",
            "à l’œuvre",
            "âme",
            "Ñandú",
            "« réglé\u{A0}»",
            "buot ášši",
            "buot ášš",
            "aquí……",
            "Ç’është",
            "Úžasné!",
            "Úžina",
        ] {
            assert_eq!(find(text), None, "{text}");
        }
        assert_eq!(decoded("Ã©tÃ© 5 â‚¬").as_deref(), Some("été 5 €"));
        assert_eq!(decoded("日 Ã©"), None);
    }

    #[test]
    fn several_encodings_are_removed() {
        for (text, expected) in [
            ("L'Ã©tÃ©", "2..6 é 1 L'été"),
            ("L'ÃƒÂ©tÃƒÂ©", "2..10 é 2 L'été"),
            ("donÃ¢â‚¬â„¢t", "3..21 ’ 2 don’t"),
            ("ÃƒÆ’Ã‚Â© 5", "0..18 é 3 é 5"),
        ] {
            let (range, original) = find(text).expect("bytes of UTF-8");
            let (range, original, layers) = innermost(text, range, original);
            let restored = restored(text).expect("decoded");
            assert_eq!(format!("{range:?} {original} {layers} {restored}"), expected, "{text}");
        }
    }
}
