//! The previous content of client files where removing aidd would not restore it, such as an empty
//! object or one on a single line. Stored with the local data of the checkout until aidd is removed
//! or the file is edited.

use super::{Change, write_or_remove};
use aidd_engine::parse::lines::id::digest;
use anyhow::{Context, Result};
use serde::{Deserialize, Serialize};
use std::collections::BTreeMap;
use std::fs;
use std::path::Path;

/// Path of the records, which matches the ignore line of the store.
pub(super) const PATH: &str = ".aidd/data.clients.json";

/// Records of client files, by path.
#[derive(Debug, Default, Deserialize, Serialize)]
pub(super) struct Undo(BTreeMap<String, Record>);

#[derive(Debug, Deserialize, Serialize)]
struct Record {
    /// Content before aidd changed the file.
    before: String,
    /// Digest of the content that aidd wrote.
    after: String,
}

impl Undo {
    /// Reads the records at `root`. An unreadable file counts as empty, since only formatting is
    /// lost.
    pub(super) fn read(root: &Path) -> Self {
        let text = fs::read_to_string(root.join(PATH)).unwrap_or_default();
        serde_json::from_str(&text).unwrap_or_default()
    }

    /// The previous content of a file, unless it was edited since.
    pub(super) fn before(&self, path: &str, text: &str) -> Option<&str> {
        let record = self.0.get(path)?;
        (record.after == digest(&[text])).then_some(&*record.before)
    }

    /// Records a file that is about to be written. `removed` is the result of removing aidd from
    /// the new content, `bare` that of removing it from the old content.
    pub(super) fn note(&mut self, change: &Change, removed: Option<&str>, bare: Option<&str>) {
        let (Some(before), Some(after)) = (&change.before, &change.after) else { return };
        let known = self.before(&change.path, before).map(str::to_owned);
        let is_ours = known.is_none() && bare != Some(before);
        if is_ours || removed == Some(known.as_deref().unwrap_or(before)) {
            self.0.remove(&change.path);
            return;
        }
        let before = known.unwrap_or_else(|| before.clone());
        self.0.insert(change.path.clone(), Record { before, after: digest(&[after]) });
    }

    /// Removes the record of a file.
    pub(super) fn forget(&mut self, path: &str) {
        self.0.remove(path);
    }

    /// Saves the records; without records, deletes the file.
    ///
    /// # Errors
    /// When the file cannot be written.
    pub(super) fn save(&self, root: &Path) -> Result<()> {
        let place = root.join(PATH);
        if self.0.is_empty() {
            return match place.exists() {
                true => write_or_remove(root, &place, None).with_context(|| PATH.to_owned()),
                false => Ok(()),
            };
        }
        write_or_remove(root, &place, Some(&serde_json::to_string(self)?))
            .with_context(|| PATH.to_owned())?;
        restrict_to_owner(&place).with_context(|| PATH.to_owned())
    }
}

/// Restricts the file to its owner, since the previous content can be private.
#[cfg(unix)]
fn restrict_to_owner(place: &Path) -> std::io::Result<()> {
    use std::os::unix::fs::PermissionsExt;
    fs::set_permissions(place, fs::Permissions::from_mode(0o600))
}

#[cfg(not(unix))]
#[expect(clippy::unnecessary_wraps, reason = "same signature as on Unix")]
fn own(_: &Path) -> std::io::Result<()> {
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::super::tests::{files, project, run_init};
    use super::PATH;
    use crate::cli::Client;
    use clap::ValueEnum;

    /// Contents of a client file without aidd.
    const JSON: [&str; 13] = [
        "",
        " \n\n",
        "{}",
        "{}\n",
        "{\n}\n",
        "// mine\n{\n  // nothing\n}\n",
        "{\r\n\t\"x\": 1,\r\n\t\"y\": [1, 2],\r\n}\r\n",
        "{\n\t\"x\": {\n\t\t\"a\": 1, // c\n\t},\n}\n",
        "{\"x\":1,\"y\":{\"z\":[]}}",
        "{\n    \"x\": 1\n}",
        "\u{FEFF}{\n  \"이름\": \"값\"\n}\n",
        "{\"mcpServers\": {}, \"servers\": {}, \"context_servers\": {}, \"hooks\": {}}\n",
        "{\"hooks\":{\"SessionStart\":[],\"Stop\":[{\"hooks\":[{\"type\":\"command\",\"command\":\"a\"}]}]}}",
    ];
    const TOML: [&str; 5] =
        ["", "model = 1", "# mine\r\n[a]\r\nb = 1", "a = 1\n\n\n", "\u{FEFF}a = 1\n"];
    const RULES: [&str; 5] =
        ["", "# Mine", "# Mine\r\n\r\nText", "한글\n\n\n", "\n---\na: b\n---\n"];

    #[test]
    fn the_previous_content_is_restored_byte_for_byte() {
        for template in aidd_content::RULES.templates {
            let client = Client::from_str(template.client, false).expect("a known client");
            let texts = match template.path.rsplit('.').next() {
                Some("json") => &JSON[..],
                Some("toml") => &TOML,
                _ => &RULES,
            };
            for text in texts {
                let folder = project(&[(template.path, text)]);
                let before = files(folder.path());
                let step = |remove| run_init(folder.path(), &[client], remove, false);
                step(false).unwrap_or_else(|error| panic!("{}: {error}", template.path));
                let after = files(folder.path());
                assert_ne!(after, before);
                step(false).expect("again");
                assert_eq!(files(folder.path()), after, "{}: {text:?}", template.path);
                step(true).expect("removed");
                assert_eq!(files(folder.path()), before, "{}: {text:?}", template.path);
            }
        }
    }

    #[test]
    fn later_edits_are_preserved() {
        let folder = project(&[(".mcp.json", "{\"x\":1}")]);
        let step =
            |remove| run_init(folder.path(), &[Client::ClaudeCode], remove, false).expect("done");
        step(false);
        assert!(files(folder.path()).contains_key(PATH));
        let place = folder.path().join(".mcp.json");
        let text = std::fs::read_to_string(&place).expect("text").replace("\"x\":1", "\"x\":2");
        std::fs::write(&place, text).expect("written");
        step(true);
        let left = files(folder.path());
        assert_eq!(left[".mcp.json"], "{\n  \"x\":2\n}");
        assert!(!left.contains_key(PATH));
        // An invalid record is ignored.
        std::fs::create_dir_all(folder.path().join(".aidd")).expect("made");
        std::fs::write(folder.path().join(PATH), "{\"a\": 1").expect("written");
        step(false);
        step(true);
        assert_eq!(files(folder.path()), left);
    }

    /// A later version rewrites its own entries; they do not become the user's content.
    #[test]
    fn an_updated_entry_restores_the_original_content() {
        let folder = project(&[("AGENTS.md", ""), (".codex/hooks.json", "{}")]);
        let before = files(folder.path());
        let step = |remove| run_init(folder.path(), &[Client::Codex], remove, false).expect("done");
        step(false);
        let place = folder.path().join("AGENTS.md");
        let text = std::fs::read_to_string(&place).expect("text");
        let older = text.replace("## aidd", "## older");
        std::fs::write(&place, &older).expect("written");
        step(false);
        assert_eq!(std::fs::read_to_string(&place).expect("text"), text);
        step(true);
        let left = files(folder.path());
        assert_eq!(left.get(".codex/hooks.json"), before.get(".codex/hooks.json"));
        assert_eq!(left.get("AGENTS.md"), None);
    }
}
