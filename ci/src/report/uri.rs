//! Relative paths and folders as URIs.

use std::path::Path;

/// A relative path, escaped.
pub(super) fn relative(path: &str) -> String {
    let mut out = String::with_capacity(path.len());
    for byte in path.bytes() {
        match byte {
            b'a'..=b'z' | b'A'..=b'Z' | b'0'..=b'9' | b'/' => out.push(char::from(byte)),
            // The rest of what a segment may hold; a colon could be taken for a scheme.
            _ if b"-._~!$&'()*+,;=@".contains(&byte) => out.push(char::from(byte)),
            _ => out.push_str(&format!("%{byte:02X}")),
        }
    }
    out
}

/// The `file:` URI of an absolute folder, with a final `/`.
pub(super) fn folder(root: &Path) -> Option<String> {
    if !root.is_absolute() {
        return None;
    }
    let text = root.to_string_lossy();
    let text = if cfg!(windows) { text.replace('\\', "/") } else { text.into_owned() };
    let text = text.trim_start_matches("//?/").trim_matches('/');
    // A drive keeps its colon: file:///C:/folder/
    let (drive, rest) = match text.split_at_checked(2) {
        Some((drive, rest)) if cfg!(windows) && drive.ends_with(':') => (drive, rest),
        _ => ("", text),
    };
    let slash = if text.is_empty() { "" } else { "/" };
    Some(format!("file:///{drive}{}{slash}", relative(rest)))
}
