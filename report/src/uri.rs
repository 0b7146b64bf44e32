//! Converts relative paths and directories to URIs.

use std::path::Path;

/// Percent-encodes a relative path.
pub(super) fn relative(path: &str) -> String {
    let mut out = String::with_capacity(path.len());
    for byte in path.bytes() {
        match byte {
            b'a'..=b'z' | b'A'..=b'Z' | b'0'..=b'9' | b'/' => out.push(char::from(byte)),
            // The other characters allowed in a segment, except the colon, which could end a
            // scheme.
            _ if b"-._~!$&'()*+,;=@".contains(&byte) => out.push(char::from(byte)),
            _ => out.push_str(&format!("%{byte:02X}")),
        }
    }
    out
}

/// The `file:` URI of a directory, with a final `/`; `None` if `root` is not absolute.
pub fn directory(root: &Path) -> Option<String> {
    if !root.is_absolute() {
        return None;
    }
    let text = root.to_string_lossy();
    let text = if cfg!(windows) { text.replace('\\', "/") } else { text.into_owned() };
    let text = text.trim_start_matches("//?/").trim_matches('/');
    // The colon of a drive is not escaped: file:///C:/directory/
    let (drive, rest) = match text.split_at_checked(2) {
        Some((drive, rest)) if cfg!(windows) && drive.ends_with(':') => (drive, rest),
        _ => ("", text),
    };
    let slash = if text.is_empty() { "" } else { "/" };
    Some(format!("file:///{drive}{}{slash}", relative(rest)))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn paths_are_escaped_by_segment() {
        assert_eq!(relative("a b/é#1?.ts"), "a%20b/%C3%A9%231%3F.ts");
        assert_eq!(relative("c:x/[id]/(app)/@me+.ts"), "c%3Ax/%5Bid%5D/(app)/@me+.ts");
    }

    #[cfg(not(windows))]
    #[test]
    fn directories_become_file_uris() {
        assert_eq!(directory(Path::new("/")), Some("file:///".into()));
        assert_eq!(directory(Path::new("/a b/c/")), Some("file:///a%20b/c/".into()));
        assert_eq!(directory(Path::new("a")), None);
    }

    #[cfg(windows)]
    #[test]
    fn directories_become_file_uris() {
        assert_eq!(directory(Path::new(r"C:\")), Some("file:///C:/".into()));
        assert_eq!(directory(Path::new(r"\\?\C:\a b\c")), Some("file:///C:/a%20b/c/".into()));
        assert_eq!(directory(Path::new("a")), None);
    }
}
