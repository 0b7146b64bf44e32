//! Detects made-up tokens and keys: a token whose checksum is wrong, and a key with less data than
//! its header states.

use base64::Engine;
use base64::engine::general_purpose::STANDARD_NO_PAD;

/// Length of the random part of a token, and of the checksum after it, in bytes.
const RANDOM_LEN: usize = 30;
const CHECKSUM_LEN: usize = 6;

/// The prefixes of the tokens of GitHub and npm that end with a CRC-32 of the random part
/// (<https://github.blog/engineering/platform-security/behind-githubs-new-authentication-token-formats/>).
const PREFIXES: [&str; 6] = ["gho_", "ghp_", "ghr_", "ghs_", "ghu_", "npm_"];

const DIGITS: &[u8; 62] = b"0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz";

/// Whether the checksum in a token is correct; `None` if the format of `value` has no checksum.
#[must_use]
pub fn verify(value: &str) -> Option<bool> {
    let rest = PREFIXES.iter().find_map(|prefix| value.strip_prefix(prefix))?;
    let (random, checksum) = rest.split_at_checked(RANDOM_LEN)?;
    (checksum.len() == CHECKSUM_LEN && rest.bytes().all(|byte| byte.is_ascii_alphanumeric()))
        .then(|| checksum.as_bytes() == encode(crc32fast::hash(random.as_bytes())))
}

/// Whether `value` is a private key in PEM (RFC 7468), from its first line to its last, that
/// contains less than a quarter of the data that its header states: a sample in an input field or
/// in documentation.
#[must_use]
pub fn is_truncated_key(value: &str) -> bool {
    let Some((_, body)) = value.split_once("PRIVATE KEY-----") else { return false };
    let Some((body, _)) = body.split_once("-----END ") else { return false };
    // Line breaks can be written as `\n`.
    let body = body.replace("\\n", "").replace("\\r", "");
    let is_base64 = |c: &char| c.is_ascii_alphanumeric() || matches!(c, '+' | '/');
    let body: String = body.chars().filter(is_base64).collect();
    let Ok(bytes) = STANDARD_NO_PAD.decode(body.get(..8).unwrap_or_default()) else { return false };
    // DER (X.690): a sequence whose length has two bytes.
    let [0x30, 0x82, high, low, ..] = *bytes else { return false };
    usize::from(u16::from_be_bytes([high, low])) / 4 > body.len() / 4 * 3
}

/// A number in base 62, with leading zeros.
fn encode(mut number: u32) -> [u8; CHECKSUM_LEN] {
    let mut text = [b'0'; CHECKSUM_LEN];
    for digit in text.iter_mut().rev() {
        *digit = DIGITS[(number % 62) as usize];
        number /= 62;
    }
    text
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn truncated_keys_are_recognised() {
        let pem = |body: &str| {
            format!(
                "-----BEGIN PRI\u{2040}VATE KEY-----\n{body}\n-----END PRI\u{2040}VATE KEY-----"
            )
            .replace('\u{2040}', "")
        };
        // A sequence of 80 bytes.
        let length = |text: &[u8]| STANDARD_NO_PAD.encode([&[0x30, 0x82, 0, 80], text].concat());
        assert!(!is_truncated_key(&pem(&length(&[7; 40]))));
        assert!(is_truncated_key(&pem(&length(b"1234"))));
        assert!(is_truncated_key(&pem(&length(b"1234").replacen('4', "4\\n", 1))));
        let no_end = pem(&length(b"1234")).replace("-----END", "");
        for other in [&*no_end, &*pem("k3j5h2g4"), &*pem(""), "", "ghp_"] {
            assert!(!is_truncated_key(other), "{other}");
        }
    }

    #[test]
    fn wrong_checksums_are_recognised() {
        let random = "0123456789abcdefghijABCDEFGHIJ";
        let checksum = encode(crc32fast::hash(random.as_bytes()));
        let checksum = String::from_utf8_lossy(&checksum).into_owned();
        assert_eq!(encode(61), *b"00000z");
        assert_eq!(encode(62), *b"000010");
        assert_eq!(verify(&format!("ghp_{random}{checksum}")), Some(true));
        assert_eq!(verify(&format!("ghp_{random}zzzzzz")), Some(false));
        for other in ["ghp_short", "sk_live_0123456789", ""] {
            assert_eq!(verify(other), None, "{other}");
        }
    }
}
