//! Detects values that are placeholders for secrets: templates, lookups, masks, documentation
//! examples.

use super::published::is_published;

/// The minimum length in bytes at which a random value can contain any short word or repeated
/// character by chance.
const MIN_LONG_LEN: usize = 100;

/// Inserted into every secret in an example, so that no secret scanner or push protection,
/// including aidd, reports the example. The character is removed before the example runs.
pub const JOIN_MARK: char = '\u{2040}';

/// Whether `value` is a placeholder for a secret, in any file.
#[must_use]
pub fn is_placeholder(value: &str) -> bool {
    is_template(value) || matches_words(without_quotes(value), is_description)
}

/// Whether `value` is a placeholder even in a file that is known to be in use. In such a file,
/// `example-Pass9` can be the actual password, while `<password>` and `${PASSWORD}` cannot.
#[must_use]
pub fn is_template(value: &str) -> bool {
    let value = without_quotes(value);
    value.is_empty()
        || is_reference(value)
        || is_encrypted(value)
        || is_masked(value)
        || is_sequence(value)
        || matches_words(value, is_unfilled_template)
        || value.contains(JOIN_MARK)
        || is_published(value)
}

/// Whether `value` is looked up or filled in elsewhere: `${VAR}`, `{{tpl}}`, `%VAR%`, `$(cmd)`,
/// `os.environ["X"]`, `<your-key>`, `op://vault/item`.
#[must_use]
pub fn is_reference(value: &str) -> bool {
    const PARTS: [&str; 5] = ["process.env", "os.environ", "getenv(", "ENV[", "env("];
    const PAIRS: [(&str, &str); 6] =
        [("${", "}"), ("$(", ")"), ("{{", "}}"), ("{%", "%}"), ("<%", "%>"), ("#{", "}")];
    const PREFIXES: [&str; 34] = [
        "$(",
        "${",
        "env.",
        "env:",
        "vault:",
        "op://",
        "ssm:",
        "ssm://",
        "secret://",
        "secretsmanager:",
        "secretsmanager://",
        "vault://",
        "keyvault://",
        "keyring:",
        "keychain:",
        "file:",
        "file://",
        "/run/secrets/",
        "arn:aws:",
        "@Microsoft.KeyVault(",
        "System.getenv",
        "System.getProperty",
        "Environment.",
        "config(",
        "config.",
        "os.Getenv",
        "Deno.env",
        "import.meta.env",
        "secrets.",
        "var.",
        "local.",
        "data.",
        "Sys.getenv",
        "System.get_env",
    ];
    const ENCLOSING: [(&str, &str); 12] = [
        ("<", ">"),
        ("%", "%"),
        ("%(", ")s"),
        ("%{", "}"),
        ("@", "@"),
        ("__", "__"),
        ("{", "}"),
        ("[", "]"),
        ("(", ")"),
        ("`", "`"),
        ("((", "))"),
        ("**", "**"),
    ];
    let paired = |&(open, close): &(&str, &str)| {
        value.find(open).is_some_and(|at| value[at + open.len()..].contains(close))
    };
    PARTS.iter().any(|mark| value.contains(mark))
        || PAIRS.iter().any(paired)
        || PREFIXES.iter().any(|prefix| starts_with(value, prefix))
        || ENCLOSING.iter().any(|(open, close)| is_enclosed_in(value, open, close))
        || is_variable(value)
}

/// Whether `value` is text encrypted by a tool: sops, ansible-vault, Spring Cloud, Jasypt, Puppet's
/// eyaml, Maven, Jenkins and similar.
#[must_use]
pub fn is_encrypted(value: &str) -> bool {
    const PREFIXES: [&str; 14] = [
        "ENC[",
        "ENC(",
        "{cipher}",
        "$ANSIBLE_VAULT;",
        "!vault",
        "crypt:",
        "{AES}",
        "{AES256}",
        "{3DES}",
        "AGE-ENCRYPTED",
        "-----BEGIN PGP MESSAGE-----",
        "-----BEGIN AGE ENCRYPTED FILE-----",
        "encrypted:",
        "secure:",
    ];
    PREFIXES.iter().any(|prefix| starts_with(value, prefix))
        // Maven and Jenkins write encrypted values in braces: `{…=}`.
        || (value.starts_with('{') && value.ends_with("=}"))
}

/// Whether `value` is masked or filler text: `xxxxxxxx`, `****`, `0000-0000`, `…`.
#[must_use]
pub fn is_masked(value: &str) -> bool {
    if value.contains("...") || value.contains('…') || value.contains('•') || value.contains("***")
    {
        return true;
    }
    let lower: Vec<u8> = value
        .bytes()
        .filter(|byte| !matches!(byte, b'-' | b'_' | b'.' | b':' | b' ' | b'/' | b'='))
        .map(|byte| byte.to_ascii_lowercase())
        .collect();
    let Some(&first) = lower.first() else { return true };
    if lower.len() >= 3 && lower.iter().all(|&byte| byte == first) {
        return true;
    }
    let runs = || lower.chunk_by(|a, b| a == b);
    let has_run = |min_length: usize| runs().any(|run| run.len() >= min_length);
    let bytes_in_runs = || runs().map(<[u8]>::len).filter(|&run| run >= 8).sum::<usize>();
    // Some tokens start with dozens of zero bits, and a long token can contain any run by chance.
    (lower.len() < MIN_LONG_LEN && runs().any(|run| run[0] == b'x' && run.len() >= 4))
        || (lower.len() < 60 && has_run(8))
        || bytes_in_runs() * 3 >= lower.len()
        || is_periodic(&lower)
}

/// Whether `value` repeats a unit of at most eight bytes: `deadbeefdeadbeefdeadbeef`.
fn is_periodic(value: &[u8]) -> bool {
    value.len() >= 12
        && (1..=8).any(|period| {
            value.len() >= 2 * period && value[period..] == value[..value.len() - period]
        })
}

/// Whether `value` mostly counts up or down: `abcdefghijkl`, `1234567890abcdef`.
#[must_use]
pub fn is_sequence(value: &str) -> bool {
    let bytes: Vec<u8> = value.bytes().map(|byte| byte.to_ascii_lowercase()).collect();
    if bytes.len() < 12 {
        return false;
    }
    let (mut covered, mut run) = (0, 1);
    for pair in bytes.windows(2) {
        if is_step(pair[0], pair[1]) {
            run += 1;
        } else {
            covered += if run >= 4 { run } else { 0 };
            run = 1;
        }
    }
    covered += if run >= 4 { run } else { 0 };
    covered * 10 >= bytes.len() * 6
}

/// Whether `value` contains eight consecutive ascending characters, such as `12345678` or
/// `abcdefgh`. A generated key contains no such run; a password can.
#[must_use]
pub fn has_sequential_run(value: &str) -> bool {
    let counts = |pair: &[u8]| {
        let [before, after] = [pair[0], pair[1]].map(|byte| byte.to_ascii_lowercase());
        let is_next = before.is_ascii_alphanumeric() && after == before + 1;
        is_next && after.is_ascii_alphanumeric() || (before, after) == (b'9', b'0')
    };
    value.as_bytes().windows(8).any(|part| part.windows(2).all(counts))
}

fn is_step(before: u8, after: u8) -> bool {
    let ascends =
        before.is_ascii_alphanumeric() && after.is_ascii_alphanumeric() && after == before + 1;
    let descends =
        before.is_ascii_alphanumeric() && after.is_ascii_alphanumeric() && before == after + 1;
    ascends || descends || matches!((before, after), (b'9', b'0' | b'a') | (b'0', b'9'))
}

/// Whether `value` describes the secret to insert: `your_api_key`, `insert-token-here`,
/// `AKIAIOSFODNN7EXAMPLE`.
#[must_use]
pub fn is_description(value: &str) -> bool {
    const PARTS: [&str; 5] = ["example", "dummy", "changeme_", "fake", "lorem"];
    let lower = value.to_ascii_lowercase();
    is_unfilled_template(value) || PARTS.iter().any(|word| lower.contains(word))
}

/// Whether `lower` spells "change me" with digits in place of letters: `ch4n63m3`.
fn has_digits_for_letters(lower: &str) -> bool {
    let letter = |c: char| match c {
        '0' => 'o',
        '1' => 'i',
        '3' => 'e',
        '4' => 'a',
        '6' | '9' => 'g',
        _ => c,
    };
    lower.contains(|c: char| c.is_ascii_digit())
        && !lower.contains("changeme")
        && lower.chars().map(letter).collect::<String>().contains("changeme")
}

/// Whether `value` is template text that was not filled in.
fn is_unfilled_template(value: &str) -> bool {
    const PARTS: [&str; 18] = [
        "placeholder",
        "redacted",
        "your_",
        "your-",
        "your ",
        "yourapi",
        "yoursecret",
        "yourpass",
        "yourtoken",
        "yourkey",
        "youraccess",
        "my-secret-key",
        "_here",
        "-here",
        "insert",
        "replace",
        "fillmein",
        "put the ",
    ];
    const VALUES: [&str; 27] = [
        "~",
        "null",
        "nil",
        "none",
        "undefined",
        "true",
        "false",
        "yes",
        "no",
        "n/a",
        "na",
        "tbd",
        "todo",
        "fixme",
        "empty",
        "unset",
        "disabled",
        "enabled",
        "default",
        "optional",
        "required",
        "hidden",
        "masked",
        "removed",
        "omitted",
        "prompt",
        "ask",
    ];
    let lower = value.to_ascii_lowercase();
    PARTS.iter().any(|word| lower.contains(word))
        // The example keys in the AWS documentation.
        || value.contains("EXAMPLE")
        || VALUES.contains(&lower.as_str())
        || has_digits_for_letters(&lower)
        || lower
            .strip_prefix("your")
            .is_some_and(|rest| rest.bytes().all(|b| b.is_ascii_lowercase()))
}

/// Whether `is_match` is true for `value`. A long value can contain a short word by chance, so
/// `is_match` must be true for a separate word of the value.
fn matches_words(value: &str, is_match: fn(&str) -> bool) -> bool {
    if value.len() < MIN_LONG_LEN {
        return is_match(value);
    }
    let mut words = value.split(|c: char| !c.is_ascii_alphanumeric());
    value.contains("EXAMPLE") || words.any(|word| (4..=14).contains(&word.len()) && is_match(word))
}

/// Whether `value` is a variable: `$NAME`, `$name`, `$env:NAME`, `!NAME!`; not `$1$salt$hash` or
/// `$ecr3t!`.
fn is_variable(value: &str) -> bool {
    let is_name = |name: &str| {
        name.starts_with(|c: char| c.is_ascii_alphabetic() || c == '_')
            && name.bytes().all(|b| b.is_ascii_alphanumeric() || matches!(b, b'_' | b'.' | b':'))
    };
    let is_upper_case_name =
        |name: &str| is_name(name) && !name.bytes().any(|b| b.is_ascii_lowercase());
    value.strip_prefix("$env:").is_some_and(is_name)
        || value.strip_prefix('$').is_some_and(|name| {
            is_name(name) && (is_upper_case_name(name) || !name.bytes().any(|b| b.is_ascii_digit()))
        })
        || value.strip_prefix('!').and_then(|v| v.strip_suffix('!')).is_some_and(is_upper_case_name)
}

/// Whether `value` starts with `open`, ends with `close`, and contains no other `close`.
fn is_enclosed_in(value: &str, open: &str, close: &str) -> bool {
    value
        .strip_prefix(open)
        .and_then(|rest| rest.strip_suffix(close))
        .is_some_and(|inner| !inner.is_empty() && !inner.contains(close))
}

fn starts_with(value: &str, prefix: &str) -> bool {
    value.get(..prefix.len()).is_some_and(|start| start.eq_ignore_ascii_case(prefix))
}

fn without_quotes(value: &str) -> &str {
    let value = value.trim();
    ['"', '\'', '`']
        .into_iter()
        .find_map(|quote| value.strip_prefix(quote)?.strip_suffix(quote))
        .unwrap_or(value)
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Deterministic pseudo-random letters and digits, like the output of a generator.
    fn random(length: usize) -> String {
        const ALPHABET: &[u8] = b"abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789";
        let mut state = 7_u32;
        let mut next = || {
            state = state.wrapping_mul(1_664_525).wrapping_add(1_013_904_223);
            char::from(ALPHABET[(state >> 16) as usize % ALPHABET.len()])
        };
        (0..length).map(|_| next()).collect()
    }

    #[test]
    fn placeholders_are_detected() {
        for value in [
            "",
            "\"\"",
            "AKIAIOSFODNN7EXAMPLE",
            "wJalrXUtnFEMI/K7MDENG/bPxRfiCYEXAMPLEKEY",
            "xxxxxxxxxxxx",
            "xxxx-XXXX-xxxx",
            "sk_live_xxxxxxxxxxxxxxxxxxxxxxxx",
            "********",
            "00000000-0000-0000-0000-000000000000",
            "${VAR}",
            "${VAR:-fallback}",
            "{{ tpl }}",
            "<your-key>",
            "<%= ENV['X'] %>",
            "%VAR%",
            "%(password)s",
            "$(cat /run/secrets/x)",
            "$PASSWORD",
            "$password",
            "@DB_PASSWORD@",
            "process.env.TOKEN",
            "ENC[AES256_GCM,data:abc,type:str]",
            "{cipher}0a1b2c3d4e5f",
            "abcdefghijklmnopqrstuvwxyz",
            "1234567890abcdef",
            "0123456789abcdef0123456789abcdef",
            "deadbeefdeadbeefdeadbeefdeadbeef",
            "your_api_key",
            "YOUR-TOKEN",
            "ch4n63m31fy0uc4n",
            "yourpassword",
            "insert token here",
            "abc123...",
            "null",
            "op://vault/item/field",
            "2YotnFZFEjr1zCsicMWpAA",
            "ghp_00000000000000000000000000000000",
            "gh_9f00000000k3j5h2g4f6d8s9a1",
            &"xxxxxxxxxxxxxxxxxxxxxxxxxxxxxxk3j5h2g4f6d8".repeat(3),
            &format!("FwoGZXIvYXdzEPT//wEXAMPLE{}", random(200)),
            &format!("-----BEGIN KEY-----\n{}\nEXAMPLE\n-----END KEY-----", random(120)),
        ] {
            assert!(is_placeholder(value), "{value}");
        }
    }

    #[test]
    fn templates_are_detected_in_files_in_use() {
        assert!(is_template("ch4n63m31fy0uc4n"));
        assert!(is_template("<password>"));
        assert!(!is_template("example-Pass9"));
    }

    #[test]
    fn sequential_runs_are_found_anywhere() {
        for value in ["T12345678/B0/k3j5", "1234567890d66d25cc5c9285ab5a5552-us12", "x-ABCDEFGH-y"]
        {
            assert!(has_sequential_run(value), "{value}");
        }
        for value in
            ["1234567", "1357abcd2468efgh", "9f8a7c6e5d4b3a291807f6e5d4c3b2a1", "tuvwxyz{|}~"]
        {
            assert!(!has_sequential_run(value), "{value}");
        }
    }

    #[test]
    fn possible_secrets_are_not_placeholders() {
        for value in [
            "hunter2",
            "changeme",
            "password",
            "12345678",
            "$ecr3t!",
            "$1$Gm4Rh0qZ$w9kq3vY0",
            "$2y$10$Qh7pXk1vNw3RzL5tYb9uSe",
            "s3cr3t",
            "Tr0ub4dor&3",
            "9f8a7c6e5d4b3a291807f6e5d4c3b2a1",
            "Zx9Kp2Lm7Qw4Rt8Yv1Bn5Hj3",
            // Values with constant zeros, and with words and runs that occur by chance.
            &format!("{}AAAAAAAAAA{}", random(11), random(43)),
            &format!("AAAAAAAAAAAAAAAAAAAAAA{}", random(90)),
            &format!("0x4AAAAAAA{}", random(26)),
            &format!("{}/fAke7xXxXxAAAAAAAAAA+{}", random(80), random(300)),
        ] {
            assert!(!is_placeholder(value), "{value}");
        }
    }
}
