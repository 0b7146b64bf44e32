//! Decodes the bytes of a file.

use super::Decoded;

/// Decodes `bytes` in any encoding; see [`Decoded`].
pub(super) fn decode(bytes: Vec<u8>) -> (String, Decoded) {
    let utf16 = |unit: fn([u8; 2]) -> u16| {
        let units = bytes[2..].chunks(2).map(|pair| match *pair {
            [a, b] => unit([a, b]),
            _ => 0xFFFD,
        });
        (char::decode_utf16(units).map(|c| c.unwrap_or('\u{FFFD}')).collect(), Decoded::Utf16)
    };
    match bytes.as_slice() {
        [0xFF, 0xFE, ..] => return utf16(u16::from_le_bytes),
        [0xFE, 0xFF, ..] => return utf16(u16::from_be_bytes),
        _ => {}
    }
    String::from_utf8(bytes).map_or_else(
        |error| (lossy(error.as_bytes()), Decoded::Lossy),
        |text| (text, Decoded::Utf8),
    )
}

/// Replaces each byte that is not valid UTF-8 with one `0x1A`, so that offsets do not change.
fn lossy(bytes: &[u8]) -> String {
    let mut text = String::with_capacity(bytes.len());
    for chunk in bytes.utf8_chunks() {
        text.push_str(chunk.valid());
        text.extend(chunk.invalid().iter().map(|_| '\u{1A}'));
    }
    text
}
