//! Normalizes URIs from clients to RFC 3986, and converts them to paths.
//!
//! Helix does not encode brackets; other clients do not encode spaces or non-ASCII letters, or put
//! a drive in place of the host. The protocol types reject all of these, and one such URI would
//! make a whole message unreadable.

use serde_json::Value;
use std::path::PathBuf;
use tower_lsp_server::ls_types::Uri;

/// Protocol keys whose values are URIs.
const URI_KEYS: [&str; 7] =
    ["uri", "rootUri", "scopeUri", "baseUri", "oldUri", "newUri", "targetUri"];

/// Normalizes each URI in the parameters of a message, then replaces it with the result of `known`,
/// so that a document has a single URI. Invalid URIs are unchanged, so that parsing them fails
/// later.
pub(crate) fn normalize_all(params: &mut Value, known: impl Fn(&Uri) -> Option<Uri>) {
    let mut remaining = vec![params];
    while let Some(value) = remaining.pop() {
        match value {
            Value::Array(items) => remaining.extend(items),
            Value::Object(fields) => {
                for (key, value) in fields {
                    match value {
                        Value::String(text) if URI_KEYS.contains(&key.as_str()) => {
                            let Some(uri) = normalize(text) else { continue };
                            let uri = known(&uri).unwrap_or(uri);
                            if uri.as_str() != text {
                                uri.as_str().clone_into(text);
                            }
                        }
                        value => remaining.push(value),
                    }
                }
            }
            _ => {}
        }
    }
}

/// The URI for `text`: `text` itself if it is a valid URI, otherwise `text` with percent-encoding
/// of the characters that RFC 3986 does not allow. Absolute paths of Unix and Windows become
/// `file:` URIs. `None` for a relative reference or an invalid URI.
#[must_use]
pub fn normalize(text: &str) -> Option<Uri> {
    let (scheme, rest) = split(text)?;
    let rest = if scheme.eq_ignore_ascii_case("file") { file(&rest) } else { rest };
    // Lower case, because `DocumentLocation` compares the scheme.
    format!("{}:{}", scheme.to_ascii_lowercase(), encode(&rest)).parse().ok()
}

/// The scheme, and the part after its colon.
fn split(text: &str) -> Option<(&str, String)> {
    if is_drive(text) && text[2..].starts_with(['/', '\\']) {
        return Some(("file", format!("///{}", text.replace('\\', "/"))));
    }
    if text.starts_with(r"\\") {
        return Some(("file", text.replace('\\', "/")));
    }
    if text.starts_with('/') {
        return Some(("file", format!("//{text}")));
    }
    let (scheme, rest) = text.split_once(':')?;
    let is_scheme = scheme.starts_with(|c: char| c.is_ascii_alphabetic())
        && scheme.bytes().all(|byte| byte.is_ascii_alphanumeric() || b"+-.".contains(&byte));
    is_scheme.then(|| (scheme, rest.to_owned()))
}

/// The part after `file:`, with a drive in the path: clients send `//c:/x`, `///c|/x` and
/// `//localhost/c:/x` for `///c:/x` (RFC 8089, appendices E.2 and F).
fn file(rest: &str) -> String {
    let Some(after) = rest.strip_prefix("//") else { return rest.to_owned() };
    let (host, path) = after.split_at(after.find('/').unwrap_or(after.len()));
    let drive = |text: &str| {
        let is_end = |rest: &str| rest.is_empty() || rest.starts_with('/');
        let letter = text.get(..1).filter(|letter| letter.as_bytes()[0].is_ascii_alphabetic())?;
        let marks = [":", "|", "%3A", "%3a", "%7C", "%7c"];
        let rest = marks.iter().find_map(|mark| text[1..].strip_prefix(mark)).filter(|r| is_end(r));
        rest.map(|rest| format!("/{letter}:{rest}"))
    };
    if let Some(path) = drive(after) {
        return format!("//{path}");
    }
    let host = if host.eq_ignore_ascii_case("localhost") { "" } else { host };
    // Keep the spelling, because clients compare URIs as strings, unless the drive has the form
    // `c|`.
    match path.strip_prefix('/').filter(|path| path.get(1..2) == Some("|")).and_then(drive) {
        Some(path) => format!("//{host}{path}"),
        None => format!("//{host}{path}"),
    }
}

fn is_drive(text: &str) -> bool {
    let bytes = text.as_bytes();
    bytes.len() > 1 && bytes[0].is_ascii_alphabetic() && bytes[1] == b':'
}

/// Percent-encodes characters not allowed in a URI, and brackets, which are only allowed in hosts.
fn encode(text: &str) -> String {
    let mut encoded = String::with_capacity(text.len());
    let bytes = text.as_bytes();
    let host =
        text.strip_prefix("//").map_or(0, |after| 2 + after.find('/').unwrap_or(after.len()));
    let mut has_fragment = false;
    for (at, &byte) in bytes.iter().enumerate() {
        let is_code = || {
            let code = bytes.get(at + 1..at + 3);
            code.is_some_and(|code| code.iter().all(u8::is_ascii_hexdigit))
        };
        let is_allowed = match byte {
            b'%' => is_code(),
            b'[' | b']' => at < host,
            // A fragment starts with `#` and cannot contain another.
            b'#' => !std::mem::replace(&mut has_fragment, true),
            _ => byte.is_ascii_alphanumeric() || b"-._~:/?@!$&'()*+,;=".contains(&byte),
        };
        if is_allowed {
            encoded.push(char::from(byte));
        } else {
            const HEX: &[u8; 16] = b"0123456789ABCDEF";
            encoded.push('%');
            encoded.push(char::from(HEX[usize::from(byte >> 4)]));
            encoded.push(char::from(HEX[usize::from(byte & 15)]));
        }
    }
    encoded
}

/// The absolute path of a `file:` URI, without a trailing slash; `None` for other schemes and paths
/// that are not absolute on this system.
#[must_use]
pub fn path(uri: &Uri) -> Option<PathBuf> {
    if uri.scheme().as_str() != "file" {
        return None;
    }
    let bytes = uri.path().decode().to_bytes();
    #[cfg(windows)]
    let path = {
        let host = uri.authority().map(|authority| authority.host()).unwrap_or_default();
        PathBuf::from(windows_path(host, &String::from_utf8_lossy(&bytes))?)
    };
    // Keep the bytes: file names need not be UTF-8.
    #[cfg(unix)]
    let path = {
        use std::os::unix::ffi::OsStrExt;
        PathBuf::from(std::ffi::OsStr::from_bytes(&bytes))
    };
    #[cfg(not(any(unix, windows)))]
    let path = PathBuf::from(String::from_utf8_lossy(&bytes).into_owned());
    path.is_absolute().then(|| path.components().collect())
}

/// The Windows path of a host and a decoded path: a drive path with an upper-case letter, as
/// Windows writes it, or a share.
#[cfg(any(windows, test))]
fn windows_path(host: &str, path: &str) -> Option<String> {
    let below = path.strip_prefix('/')?;
    if !host.is_empty() {
        return Some(format!(r"\\{host}\{}", below.replace('/', r"\")));
    }
    is_drive(below).then(|| {
        let rest = if below.len() == 2 { "/" } else { &below[2..] };
        format!("{}:{rest}", below[..1].to_ascii_uppercase()).replace('/', r"\")
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;
    use serde_json::json;

    fn normal(text: &str) -> Option<String> {
        normalize(text).map(|uri| uri.as_str().to_owned())
    }

    #[test]
    fn uris_of_clients_are_normalized() {
        let uris = [
            // Valid URIs are unchanged, whatever the spelling.
            ("file:///a/b.ts", "file:///a/b.ts"),
            ("file:///c%3A/b%20c%5b%5D.ts", "file:///c%3A/b%20c%5b%5D.ts"),
            ("file:///C:/b.ts", "file:///C:/b.ts"),
            ("file:/a/b", "file:/a/b"),
            ("untitled:Untitled-1", "untitled:Untitled-1"),
            ("vscode-remote://wsl%2Bubuntu/home/a", "vscode-remote://wsl%2Bubuntu/home/a"),
            ("http://[::1]:80/a", "http://[::1]:80/a"),
            // URIs from Helix, Kakoune and scripts.
            ("file:///app/[id]/[...rest].tsx", "file:///app/%5Bid%5D/%5B...rest%5D.tsx"),
            ("file:///a b/c.ts", "file:///a%20b/c.ts"),
            ("file:///줄/é.ts", "file:///%EC%A4%84/%C3%A9.ts"),
            ("file:///100%/a%zz%2", "file:///100%25/a%25zz%252"),
            ("file:///a`{|}^<>\"\\b", "file:///a%60%7B%7C%7D%5E%3C%3E%22%5Cb"),
            ("file:///a#b#c", "file:///a#b%23c"),
            ("FILE:///a", "file:///a"),
            ("file://localhost/a", "file:///a"),
            // Drives.
            ("file:///c|/a", "file:///c:/a"),
            ("file://c:/a b", "file:///c:/a%20b"),
            ("file://C%3A/a", "file:///C:/a"),
            ("file://localhost/c:/a", "file:///c:/a"),
            ("file://server/share/a", "file://server/share/a"),
            ("file:c:/a", "file:c:/a"),
            // Paths.
            ("/a/b c", "file:///a/b%20c"),
            (r"C:\a\b", "file:///C:/a/b"),
            ("d:/a", "file:///d:/a"),
            (r"\\server\share\a", "file://server/share/a"),
        ];
        for (input, expected) in uris {
            assert_eq!(normal(input).as_deref(), Some(expected), "{input}");
        }
        for input in ["", "a/b", "a b:c", ":", "1a:b", "ä:b", "c:"] {
            // `c:` is a valid, if unusual, URI.
            assert_eq!(normal(input).is_some(), input == "c:", "{input}");
        }
    }

    #[test]
    fn drives_and_shares_become_windows_paths() {
        let paths = [
            ("", "/c:/a/b", Some(r"C:\a\b")),
            ("", "/C:/", Some(r"C:\")),
            ("", "/c:", Some(r"C:\")),
            ("server", "/share/a", Some(r"\\server\share\a")),
            ("", "/a/b", None),
            ("", "", None),
        ];
        for (host, path, expected) in paths {
            assert_eq!(windows_path(host, path).as_deref(), expected, "{path}");
        }
    }

    #[cfg(unix)]
    #[test]
    fn every_spelling_names_the_same_path() {
        let expected = PathBuf::from("/a b/[줄].ts");
        for input in [
            "file:///a b/[줄].ts",
            "file:///a%20b/%5B%EC%A4%84%5D.ts",
            "file:///a%20b/%5b%ec%a4%84%5d.ts",
            "file:/a%20b/[줄].ts",
            "file://localhost/a b/[줄].ts/",
            "/a b/[줄].ts",
        ] {
            assert_eq!(normalize(input).as_ref().and_then(path), Some(expected.clone()), "{input}");
        }
        for input in ["untitled:/a", "http://host/a", "file:a/b"] {
            assert_eq!(normalize(input).as_ref().and_then(path), None, "{input}");
        }
    }

    #[test]
    fn nested_uris_are_normalized() {
        let mut params = json!({
            "textDocument": { "uri": "file:///[a]", "text": "file:///[a]" },
            "changes": [{ "uri": "file:///b c" }, { "uri": 7 }, { "uri": "" }],
        });
        let known = "file:///known".parse::<Uri>().expect("a URI");
        normalize_all(&mut params, |uri| uri.as_str().contains("b%20c").then(|| known.clone()));
        let expected = json!({
            "textDocument": { "uri": "file:///%5Ba%5D", "text": "file:///[a]" },
            "changes": [{ "uri": "file:///known" }, { "uri": 7 }, { "uri": "" }],
        });
        assert_eq!(params, expected);
    }

    proptest! {
        #[test]
        fn normalizing_a_file_uri_is_idempotent(rest in "(//?/?)?[a-z0-9:|%/\\\\\\[\\]#? 줄\u{0}-\u{20}]{0,12}") {
            let Some(uri) = normalize(&format!("file:{rest}")) else {
                // Only a host can make the URI invalid.
                prop_assert!(rest.starts_with("//") && !rest.starts_with("///"), "{rest}");
                return Ok(());
            };
            prop_assert_eq!(normalize(uri.as_str()), Some(uri));
        }
    }
}
