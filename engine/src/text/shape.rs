//! Statistical properties of a value: entropy, and whether it looks random.

/// Shannon entropy of `text`, in bits per character.
#[must_use]
pub fn entropy(text: &str) -> f32 {
    let mut counts = [0_u32; 256];
    let mut total = 0_u32;
    // Characters beyond Latin-1 share buckets; secrets contain few of them.
    for c in text.chars() {
        counts[c as usize & 0xFF] += 1;
        total += 1;
    }
    let per_char = |count: u32| {
        let share = f64::from(count) / f64::from(total);
        -share * share.log2()
    };
    let bits: f64 = counts.iter().filter(|&&count| count > 0).map(|&count| per_char(count)).sum();
    bits as f32
}

/// Whether `text` looks like the output of a random generator: letter pairs that are rare in words,
/// mixed digits and cases. Reliable for texts of about eight characters or more.
#[must_use]
pub fn looks_random(text: &str) -> bool {
    // A token can begin with words that name its service: `service_live_…`.
    let tail = text.rsplit_once('_').map_or("", |(_, tail)| tail);
    is_random(text) || (tail.len() >= 16 && is_random(tail))
}

/// Minimum length in bytes of a value that [`is_generated`].
const MIN_GENERATED_LEN: usize = 12;

/// Minimum length in bytes at which letters and digits alone show that a value was generated.
const MIN_RANDOM_LEN: usize = 16;

/// Whether a password or a key was generated, as opposed to chosen by a person: a random value
/// of at least 16 bytes, or one of at least 12 bytes of at least three classes (upper case,
/// lower case, digits, punctuation) that alternate as in the output of a generator.
#[must_use]
pub fn is_generated(text: &str) -> bool {
    if text.len() < MIN_GENERATED_LEN || !text.bytes().all(|byte| byte.is_ascii_graphic()) {
        return false;
    }
    text.len() >= MIN_RANDOM_LEN && looks_random(text) || is_mixed(text.as_bytes())
}

/// Whether the classes of characters alternate, and most pairs of adjacent letters are rare in
/// words. In `Tr0ub4dor&3`, the classes alternate too, but the letters between the other characters
/// are parts of words.
fn is_mixed(text: &[u8]) -> bool {
    let class = |byte: &u8| match byte {
        b'a'..=b'z' => 0_usize,
        b'A'..=b'Z' => 1,
        b'0'..=b'9' => 2,
        _ => 3,
    };
    let mut has_class = [false; 4];
    text.iter().for_each(|byte| has_class[class(byte)] = true);
    let class_count = has_class.iter().filter(|&&has| has).count();
    let pairs = text.len().saturating_sub(1);
    let changes = text.windows(2).filter(|pair| class(&pair[0]) != class(&pair[1])).count();
    let (mut score, mut letter_pairs) = (0_i32, 0);
    for pair in text.windows(2).filter(|pair| pair.iter().all(u8::is_ascii_alphabetic)) {
        score += i32::from(PAIRS[letter(pair[0])][letter(pair[1])] - b'0') - 5;
        letter_pairs += 1;
    }
    class_count >= 3 && changes * 20 >= pairs * 9 && score * 2 <= -letter_pairs
}

fn is_random(text: &str) -> bool {
    let text = text.trim_end_matches('=');
    let text = text.strip_prefix("0x").unwrap_or(text);
    let length = text.len();
    if length < 8 || text.bytes().any(|byte| byte.is_ascii_whitespace() || !byte.is_ascii()) {
        return false;
    }
    let digits = text.bytes().filter(u8::is_ascii_digit).count();
    let letters = text.bytes().filter(u8::is_ascii_alphabetic).count();
    if letters == 0 || (letters < 3 && length >= 12) {
        return false;
    }
    let is_hex = text.bytes().all(|byte| byte.is_ascii_hexdigit() || byte == b'-');
    let threshold = match (is_hex && digits > 0, length) {
        (true, 16..) => -0.15,
        (_, ..16) => -0.3,
        _ => -0.4,
    };
    mean_pair_score(text.as_bytes()) < threshold
        && entropy(text) >= if length < 16 { 2.5 } else { 2.9 }
}

/// Mean frequency of all pairs of adjacent letters relative to chance, as the log2 of the ratio of
/// the two: above 0 for English-like text, about -1.7 for random letters and digits.
fn mean_pair_score(text: &[u8]) -> f32 {
    let score = |pair: &[u8]| -> f32 {
        let (a, b) = (pair[0], pair[1]);
        match (a.is_ascii_alphabetic(), b.is_ascii_alphabetic()) {
            (true, true) if a.is_ascii_lowercase() && b.is_ascii_uppercase() => -1.0,
            (true, true) => f32::from(PAIRS[letter(a)][letter(b)] - b'0') - 5.0,
            (false, false) if a.is_ascii_digit() && b.is_ascii_digit() => 0.0,
            (true, false) if b.is_ascii_digit() => -2.0,
            (false, true) if a.is_ascii_digit() => -2.0,
            _ => 0.5,
        }
    };
    let pairs = text.len().saturating_sub(1).max(1);
    text.windows(2).map(score).sum::<f32>() / pairs as f32
}

fn letter(byte: u8) -> usize {
    usize::from(byte.to_ascii_lowercase() - b'a')
}

/// Frequency of each letter pair in the words and names of source code: one row per first letter,
/// one column per second letter. 5 is the frequency expected by chance, and each step doubles it.
/// The pairs were counted in the words of a few thousand source files; each word is weighted by the
/// logarithm of its frequency.
const PAIRS: [&[u8; 26]; 26] = [
    b"36773462614868070878553351",
    b"63436420631631530453610030",
    b"74547437506643831657522040",
    b"63458331720532531553535230",
    b"74786653513768464987364642",
    b"53446721700533620444401030",
    b"42127135500425430653410010",
    b"61336222601343620444402030",
    b"65776661203769861577261406",
    b"20004000100000300020200000",
    b"31136111400202210143201000",
    b"73458321703733760355531060",
    b"74347320600452660254510110",
    b"73777583614435641378552031",
    b"45663551424678560866756320",
    b"73547325602633660766532030",
    b"00001000000000000200500000",
    b"73569452704465741576552150",
    b"52638336704444662478634254",
    b"73548426801543741766623360",
    b"55545540500667350666010301",
    b"61317221600130420221000000",
    b"51324204500224430442001000",
    b"34424201400230140115000220",
    b"22323110301334350243011011",
    b"30106100300001210011100001",
];

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn entropy_is_in_bits_per_character() {
        assert!(entropy("").abs() < f32::EPSILON);
        assert!(entropy("aaaa").abs() < f32::EPSILON);
        assert!((entropy("abcd") - 2.0).abs() < 1e-6);
        assert!((entropy("0123456789abcdef") - 4.0).abs() < 1e-6);
    }

    #[test]
    fn generated_text_looks_random() {
        for text in [
            "Zx9Kp2Lm7Qw4Rt8Yv1Bn5Hj3",
            "9f8a7c6e5d4b3a291807f6e5d4c3b2a1",
            "k3j5h2g4f6d8s9a1",
            "bPxRfiCYzqWvTnKj",
            "3tL+hQ8vN/xR2mK7pW==",
            "dGhpcyBpcyBub3Qg",
            "8c1f0e7ab24d93",
        ] {
            assert!(looks_random(text), "{text} {}", mean_pair_score(text.as_bytes()));
        }
    }

    #[test]
    fn generated_values_are_distinguished_from_made_up_values() {
        for text in [
            "kX9vQ2mTz7Lw",
            "Xk9#mQ2!vLp7",
            "v.X9!Q2-m@T^z7+L*w4=K",
            "4@[~V6.|q&R,2?;Wz_:8",
            "k3j5h2g4f6d8s9a1",
            "8c1f0e7ab24d93f0",
            "x^q3(w!k7=zd&v0p#h9_jt@b4*m",
        ] {
            assert!(is_generated(text), "{text}");
        }
        for text in [
            "",
            "Xk9#mQ2!vLp",
            "s4ffron-Kite",
            "s4ffron-Kite9",
            "hunter2-Heron",
            "Tr0ub4dor&3xyz",
            "MyPassword123!",
            "S3cur3P@ssw0rd",
            "R00tR00tR00t!",
            "Acme@2024!Prod",
            "GrafanaAdm1n!",
            "MyS3cr3tT0ken",
            "k8s-Cluster-01",
            "kX9v Q2mT z7Lw",
            "correct-horse-battery-staple",
        ] {
            assert!(!is_generated(text), "{text}");
        }
    }

    #[test]
    fn words_do_not_look_random() {
        for text in [
            "",
            "password",
            "application/json",
            "getUserAuthenticationToken",
            "my_secret_password_field",
            "kubernetes.io/service-account-token",
            "Content-Type",
            "2024-01-01T00:00:00Z",
            "1234567890123",
            "UserPasswordCredentialManager",
            "https://accounts.example.com/oauth2/token",
            "correct horse battery staple",
        ] {
            assert!(!looks_random(text), "{text} {}", mean_pair_score(text.as_bytes()));
        }
    }
}
