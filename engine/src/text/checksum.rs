//! Checksums in tokens: a token with a wrong checksum was made up.

/// Length of the random part of a token, and of the checksum after it, in bytes.
const RANDOM_LEN: usize = 30;
const CHECKSUM_LEN: usize = 6;

/// The prefixes of the tokens of GitHub and npm that end with a CRC-32 of the random part
/// (<https://github.blog/engineering/platform-security/behind-githubs-new-authentication-token-formats/>).
const PREFIXES: [&str; 6] = ["gho_", "ghp_", "ghr_", "ghs_", "ghu_", "npm_"];

const DIGITS: &[u8; 62] = b"0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz";

/// Whether `value` is a token whose format contains a checksum, and the checksum is wrong.
#[must_use]
pub fn is_wrong(value: &str) -> bool {
    let Some(rest) = PREFIXES.iter().find_map(|prefix| value.strip_prefix(prefix)) else {
        return false;
    };
    let Some((random, checksum)) = rest.split_at_checked(RANDOM_LEN) else { return false };
    checksum.len() == CHECKSUM_LEN
        && rest.bytes().all(|byte| byte.is_ascii_alphanumeric())
        && checksum.as_bytes() != encode(crc32fast::hash(random.as_bytes()))
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
    fn wrong_checksums_are_recognised() {
        let random = "0123456789abcdefghijABCDEFGHIJ";
        let checksum = encode(crc32fast::hash(random.as_bytes()));
        let checksum = String::from_utf8_lossy(&checksum).into_owned();
        assert_eq!(encode(61), *b"00000z");
        assert_eq!(encode(62), *b"000010");
        assert!(!is_wrong(&format!("ghp_{random}{checksum}")));
        assert!(is_wrong(&format!("ghp_{random}zzzzzz")));
        for other in ["ghp_short", "sk_live_0123456789", ""] {
            assert!(!is_wrong(other), "{other}");
        }
    }
}
